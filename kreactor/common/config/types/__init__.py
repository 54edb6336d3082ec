# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.config.types``: value types of configurations that need one of their own."""
