# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security``: who is on the other end of a channel."""
