# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The assignors of consumer groups."""
