# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.protocol.types``: of it, only what a message keeps of tags it does not know."""
