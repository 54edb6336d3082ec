# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.auth``: principals, and the interfaces that identify a peer."""
