# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.config``: definitions of settings, their parsing and validation."""
