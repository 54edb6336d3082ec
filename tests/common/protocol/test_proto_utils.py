# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.ProtoUtilsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Requests whose buffer is in use until they are done."""

from __future__ import annotations

import pytest

from kreactor.common.protocol.api_keys import ApiKeys

RETAINING = {ApiKeys.PRODUCE, ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP, ApiKeys.SASL_AUTHENTICATE,
             ApiKeys.EXPIRE_DELEGATION_TOKEN, ApiKeys.RENEW_DELEGATION_TOKEN,
             ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, ApiKeys.PUSH_TELEMETRY, ApiKeys.ENVELOPE}


@pytest.mark.parametrize("key", ApiKeys.values(), ids=str)
def test_delayed_allocation_schema_detection(key: ApiKeys) -> None:
    """Those that keep a reference to the buffer, and those that are forwarded, are found."""
    assert key.requires_delayed_allocation == (key in RETAINING or key.forwardable)
