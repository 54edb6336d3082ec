# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.config.types``: types of values of settings."""
