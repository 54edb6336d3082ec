# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidTopicException
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.internals.topic import Topic
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException


@pytest.mark.parametrize("name", ["valid", "TOPIC", "nAmEs", "ar6", "VaL1d", "_0-9_.", "...", "x" * 249])
def test_should_accept_valid_topic_names(name: str) -> None:
    Topic.validate(name)
    assert Topic.is_valid(name)


@pytest.mark.parametrize(("name", "reason"), [
    ("", "the empty string is not allowed"),
    ("foo bar", "'foo bar' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    ("..", "'..' is not allowed"),
    ("foo:bar", "'foo:bar' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    ("foo=bar", "'foo=bar' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    (".", "'.' is not allowed"),
    ("a" * 250, f"the length of '{'a' * 250}' is longer than the max allowed length 249"),
    ("größe", "'größe' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
    ("a\n", "'a\n' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"),
])
def test_should_throw_on_invalid_topic_names(name: str, reason: str) -> None:
    with pytest.raises(InvalidTopicException) as caught:
        Topic.validate(name)
    assert str(caught.value) == f"Topic name is invalid: {reason}"
    assert not Topic.is_valid(name)


@pytest.mark.parametrize("c", "/\\,\0:\"';*? \t\r\n=")
def test_should_recognize_invalid_characters_in_topic_names(c: str) -> None:
    assert not Topic.contains_valid_pattern(f"Is{c}illegal")


def test_topic_has_collision_chars() -> None:
    for topic in ("start", "end", "middle", "many"):
        assert not Topic.has_collision_chars(topic)
    for topic in (".start", "end.", "mid.dle", ".ma.ny.", "_start", "end_", "mid_dle", "_ma_ny."):
        assert Topic.has_collision_chars(topic)


def test_unify_collision_chars() -> None:
    assert Topic.unify_collision_chars("topic") == "topic"
    assert Topic.unify_collision_chars(".topic") == "_topic"
    assert Topic.unify_collision_chars("_topic") == "_topic"
    assert Topic.unify_collision_chars("_.topic") == "__topic"


def test_topic_has_collision() -> None:
    periods = [".topic", "to.pic", "topic.", "topic"]
    underscores = ["_topic", "to_pic", "topic_", "topic"]
    for topic in periods + underscores:
        assert Topic.has_collision(topic, topic)
    for a, b in zip(periods, underscores):
        assert Topic.has_collision(a, b)
    for a, b in zip(periods, reversed(underscores)):
        assert not Topic.has_collision(a, b)


def test_names_that_kafka_keeps_for_itself() -> None:
    assert Topic.is_internal("__consumer_offsets")
    assert Topic.is_internal("__transaction_state")
    assert not Topic.is_internal("__cluster_metadata")
    assert Topic.CLUSTER_METADATA_TOPIC_PARTITION == TopicPartition("__cluster_metadata", 0)


def test_validate_name_calls_back() -> None:
    messages: list[str] = []
    Topic.validate_name("ok", "Group", messages.append)
    Topic.validate_name("", "Group", messages.append)
    assert messages == ["Group is invalid: the empty string is not allowed"]


def test_fatal_exit_error() -> None:
    assert FatalExitError().status_code() == 1
    assert FatalExitError(3).status_code() == 3
    with pytest.raises(IllegalArgumentException, match="statusCode must not be 0"):
        FatalExitError(0)
    assert not issubclass(FatalExitError, Exception)
