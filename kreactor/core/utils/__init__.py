# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.utils``: logging, a pool of values, small helpers."""
