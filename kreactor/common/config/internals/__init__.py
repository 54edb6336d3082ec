# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.config.internals``: the names of a broker's security settings."""
