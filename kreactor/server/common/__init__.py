# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.server.common``: versions of what brokers agree on."""
