# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.internals.Topic of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The rules for topic names, and the names of Kafka's internal topics."""

from __future__ import annotations

import re
from typing import Callable

from kreactor.common.errors import InvalidTopicException
from kreactor.common.topic_partition import TopicPartition

_LEGAL_NAME = re.compile(r"[a-zA-Z0-9._-]*")


class Topic:
    """Rules for topic names.

    :origin: common.internals.Topic
    """

    GROUP_METADATA_TOPIC_NAME = "__consumer_offsets"
    TRANSACTION_STATE_TOPIC_NAME = "__transaction_state"
    CLUSTER_METADATA_TOPIC_NAME = "__cluster_metadata"
    CLUSTER_METADATA_TOPIC_PARTITION = TopicPartition(CLUSTER_METADATA_TOPIC_NAME, 0)
    LEGAL_CHARS = "[a-zA-Z0-9._-]"

    _INTERNAL_TOPICS = frozenset((GROUP_METADATA_TOPIC_NAME, TRANSACTION_STATE_TOPIC_NAME))

    # A directory's name is the topic, a dash and the partition number. A file name has at most 255
    # characters.
    _MAX_NAME_LENGTH = 249

    @staticmethod
    def validate(topic: str) -> None:
        """Raises InvalidTopicException for an invalid topic name.

        :origin: common.internals.Topic#validate(String)
        """
        def throw(message: str) -> None:
            raise InvalidTopicException(message)

        Topic.validate_name(topic, "Topic name", throw)

    @staticmethod
    def _detect_invalid_topic(name: str) -> str | None:
        """Return the error of ``name``, or None for a valid name.

        :origin: common.internals.Topic#detectInvalidTopic(String)
        """
        if not name:
            return "the empty string is not allowed"
        if name == ".":
            return "'.' is not allowed"
        if name == "..":
            return "'..' is not allowed"
        if len(name) > Topic._MAX_NAME_LENGTH:
            return f"the length of '{name}' is longer than the max allowed length {Topic._MAX_NAME_LENGTH}"
        if not Topic.contains_valid_pattern(name):
            return (f"'{name}' contains one or more characters other than "
                    "ASCII alphanumerics, '.', '_' and '-'")
        return None

    @staticmethod
    def is_valid(name: str) -> bool:
        """Return whether ``name`` is a valid topic name.

        :origin: common.internals.Topic#isValid(String)
        """
        reason_invalid = Topic._detect_invalid_topic(name)
        return reason_invalid is None

    @staticmethod
    def validate_name(name: str, log_prefix: str, throwable_consumer: Callable[[str], None]) -> None:
        """If ``name`` is invalid, call ``throwable_consumer`` with a message that starts with ``log_prefix``.

        :origin: common.internals.Topic#validate(String, String, Consumer<String>)
        """
        reason_invalid = Topic._detect_invalid_topic(name)
        if reason_invalid is not None:
            throwable_consumer(f"{log_prefix} is invalid: {reason_invalid}")

    @staticmethod
    def is_internal(topic: str) -> bool:
        """Return whether ``topic`` is Kafka's topic of groups or of transactions.

        :origin: common.internals.Topic#isInternal(String)
        """
        return topic in Topic._INTERNAL_TOPICS

    @staticmethod
    def has_collision_chars(topic: str) -> bool:
        """Return whether ``topic`` has a dot or an underscore, which metric names do not distinguish.

        :origin: common.internals.Topic#hasCollisionChars(String)
        """
        return "_" in topic or "." in topic

    @staticmethod
    def unify_collision_chars(topic: str) -> str:
        """Return ``topic`` as in metric names, for comparisons only.

        :origin: common.internals.Topic#unifyCollisionChars(String)
        """
        return topic.replace(".", "_")

    @staticmethod
    def has_collision(topic_a: str, topic_b: str) -> bool:
        """Return whether both topics have the same metric names.

        :origin: common.internals.Topic#hasCollision(String, String)
        """
        return Topic.unify_collision_chars(topic_a) == Topic.unify_collision_chars(topic_b)

    @staticmethod
    def contains_valid_pattern(topic: str) -> bool:
        """Return whether all characters are valid. An empty name has only valid characters.

        :origin: common.internals.Topic#containsValidPattern(String)
        """
        return _LEGAL_NAME.fullmatch(topic) is not None
