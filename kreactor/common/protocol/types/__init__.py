# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.protocol.types``: only the unknown tags of a message."""
