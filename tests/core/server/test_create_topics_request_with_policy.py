# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.CreateTopicsRequestWithPolicyTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A policy for new topics has no effect, and ``kreactor serve`` says so at its start."""

from __future__ import annotations

from pathlib import Path

from kreactor.core.server.config_warnings import config_warnings
from tests.core.server.brokers import new_broker
from tests.core.server.topic_requests import topic_request, validate_valid


class Policy:
    """Would refuse every topic, if anybody asked it."""

    def validate(self, request_metadata: object) -> None:
        raise AssertionError("the policy is asked")


def test_a_policy_is_warned_of(tmp_path: Path) -> None:
    props = {"create.topic.policy.class.name": f"{__name__}.Policy"}
    with new_broker(tmp_path, props) as broker:
        validate_valid(broker, topic_request("policy-topic1", 4, 1))
    assert config_warnings(props) == [
        "create.topic.policy.class.name has no effect in kreactor: every topic can be created"]
