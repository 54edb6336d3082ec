# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.security.scram``: proofs of a password, which itself is not sent (RFC 5802)."""
