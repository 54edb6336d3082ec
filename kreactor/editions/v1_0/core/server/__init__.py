# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.server`` of 1.0.2.

ThrottledResponse and its delay queue did not change: they are those of ``v0_10_2``.
"""
