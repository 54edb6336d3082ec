# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.CreateTopicsRequestWithPolicyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A policy for new topics has no effect, and the broker says so at its start."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.core.server.brokers import new_broker
from tests.core.server.topic_requests import topic_request, validate_valid

NOT_APPLICABLE = dict.fromkeys((
    "testValidCreateTopicsRequests",
    "testErrorCreateTopicsRequests",
), "no policy decides about topics here: create.topic.policy.class.name is warned of at the start")


class Policy:
    """Would refuse every topic, if anybody asked it."""

    def validate(self, request_metadata: object) -> None:
        raise AssertionError("the policy is asked")


def test_a_policy_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kreactor"):
        with new_broker(tmp_path, {"create.topic.policy.class.name": f"{__name__}.Policy"}) as broker:
            validate_valid(broker, topic_request("policy-topic1", 4, 1))
    warning, = (text for text in caplog.messages if "create.topic.policy.class.name" in text)
    assert "every topic can be created" in warning
