# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.protocol``: API keys, error codes, and the serialization of messages."""
