# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.tools``: tools that prepare a data folder before a broker uses it."""
