# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kafka.tools``: what is done to a data folder before a broker serves from it."""
