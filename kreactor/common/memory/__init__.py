# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.memory``: bounds on the memory that requests are read into."""
