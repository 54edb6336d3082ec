# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.plain``: names and passwords, as they are."""
