# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.memory``: memory pools that limit the memory of requests."""
