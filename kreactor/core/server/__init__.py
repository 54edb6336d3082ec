# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.server``: request handlers, the APIs, the settings of a broker."""
