# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.network``: selector, channels, transport layers; the heart of the port."""
