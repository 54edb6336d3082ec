# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.authenticator``: principals from authenticated channels."""
