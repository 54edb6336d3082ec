# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.MockConfigRepositoryTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The repository of settings that other tests stand on, and what ConfigRepository asks of it."""

from __future__ import annotations

from tests.core.server.metadata.mock_config_repository import MockConfigRepository


def test_empty_repository() -> None:
    repository = MockConfigRepository()
    assert repository.broker_config(0) == {}
    assert repository.topic_config("foo") == {}


def test_set_topic_config() -> None:
    repository = MockConfigRepository()
    repository.set_topic_config("topic0", "foo", None)
    repository.set_topic_config("topic1", "foo", "bar")
    assert repository.topic_config("topic1") == {"foo": "bar"}
    repository.set_topic_config("topic1", "foo2", "baz")
    assert repository.topic_config("topic1") == {"foo": "bar", "foo2": "baz"}
    repository.set_topic_config("topic1", "foo2", None)
    assert repository.topic_config("topic1") == {"foo": "bar"}
