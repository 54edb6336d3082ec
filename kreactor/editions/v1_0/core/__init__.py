# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka`` of 1.0.2."""
