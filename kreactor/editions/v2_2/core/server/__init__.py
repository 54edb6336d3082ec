# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.server`` of 2.2.2."""
