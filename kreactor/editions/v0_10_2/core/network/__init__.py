# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The package ``kafka.network`` of 0.10.2.2."""
