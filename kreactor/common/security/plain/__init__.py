# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.plain``: authentication by a name and a password in plain text."""
