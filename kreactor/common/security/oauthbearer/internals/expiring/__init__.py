# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.oauthbearer.internals.expiring``: logins that renew expiring
credentials."""
