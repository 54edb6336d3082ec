# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ThrottledResponseExpirationTest of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The two cases are as in 0.10.2.2, and so is the code under test, which edition 1.0 takes from there."""

from tests.editions.v0_10_2.core.server.test_throttled_response_expiration import (  # noqa: F401
    test_expire,
    test_throttled_request,
)
