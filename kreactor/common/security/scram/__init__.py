# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.scram``: authentication by a proof of a password that is never sent (RFC
5802)."""
