# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security``: the identity of a channel's peer."""
