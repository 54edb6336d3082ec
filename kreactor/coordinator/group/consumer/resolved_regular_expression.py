# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The topics that match a regular expression of a consumer group, and the record that keeps them. Not a port.

Kafka has both since 4.0, and the record has Kafka 4.0's type and format. Kafka 3.8.0 ignores the record,
because it ignores records of unknown types.
"""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.protocol.message import DEFAULT, ApiMessage
from kreactor.common.protocol.message_schema import FieldSpec, StructSpec

# The type of the record, which is the version of its key.
RECORD_TYPE = 16


class ResolvedRegularExpression(NamedTuple):
    """Immutable. ``timestamp_ms`` is the time when the topics were matched."""

    topics: frozenset[str]
    timestamp_ms: int


class ConsumerGroupRegularExpressionKey(ApiMessage):
    """The group and the expression."""

    __slots__ = ("group_id", "regular_expression")

    LOWEST_SUPPORTED_VERSION = RECORD_TYPE
    HIGHEST_SUPPORTED_VERSION = RECORD_TYPE
    SCHEMA = StructSpec("ConsumerGroupRegularExpressionKey", "16", (
        FieldSpec("groupId", "group_id", "string", "16", default=""),
        FieldSpec("regularExpression", "regular_expression", "string", "16", default=""),
    ))

    def __init__(self, *, group_id: str = "", regular_expression: str = "") -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression
        self._unknown_tagged_fields = None


class ConsumerGroupRegularExpressionValue(ApiMessage):
    """The names of the topics. ``version`` is an offset in Kafka's metadata log; kreactor writes 0."""

    __slots__ = ("topics", "version", "timestamp")

    LOWEST_SUPPORTED_VERSION = 0
    HIGHEST_SUPPORTED_VERSION = 0
    SCHEMA = StructSpec("ConsumerGroupRegularExpressionValue", "0", (
        FieldSpec("topics", "topics", "[]string", "0+"),
        FieldSpec("version", "version", "int64", "0+", default=0),
        FieldSpec("timestamp", "timestamp", "int64", "0+", default=0),
    ), flexible="0+")

    def __init__(self, *, topics: list[str] = DEFAULT, version: int = 0, timestamp: int = 0) -> None:
        self.topics = [] if topics is DEFAULT else topics
        self.version = version
        self.timestamp = timestamp
        self._unknown_tagged_fields = None
