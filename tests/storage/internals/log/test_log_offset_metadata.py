# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogOffsetMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Offsets and places in a log: which can be compared, and what the difference is."""

from __future__ import annotations

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.storage.internals.log.log_offset_metadata import UNKNOWN_OFFSET_METADATA, LogOffsetMetadata


def test_on_older_segment() -> None:
    first, second, offset_only = LogOffsetMetadata(1, 0, 1), LogOffsetMetadata(5, 4, 2), LogOffsetMetadata(1)
    assert not UNKNOWN_OFFSET_METADATA.on_older_segment(UNKNOWN_OFFSET_METADATA)
    assert not first.on_older_segment(offset_only)
    assert not offset_only.on_older_segment(first)
    assert not first.on_older_segment(first)
    assert not second.on_older_segment(first)
    assert first.on_older_segment(second)


def test_position_diff() -> None:
    offset_only, first = LogOffsetMetadata(1), LogOffsetMetadata(5, 0, 5)
    with pytest.raises(KafkaException, match="since it only has message offset info$"):
        offset_only.position_diff(first)
    with pytest.raises(KafkaException, match="since it only has message offset info$"):
        first.position_diff(offset_only)
    second = LogOffsetMetadata(15, 10, 5)
    with pytest.raises(KafkaException, match="since they are not on the same segment$"):
        second.position_diff(first)
    assert LogOffsetMetadata(40, 10, 100).position_diff(second) == 95


def test_message_offset_only() -> None:
    assert UNKNOWN_OFFSET_METADATA.message_offset_only()
    assert not LogOffsetMetadata(1, 0, 1).message_offset_only()
    assert LogOffsetMetadata(1).message_offset_only()


def test_on_same_segment() -> None:
    second = LogOffsetMetadata(5, 4, 2)
    assert not LogOffsetMetadata(1, 0, 1).on_same_segment(second)
    assert second.on_same_segment(LogOffsetMetadata(10, 4, 200))
    assert not LogOffsetMetadata(50).on_same_segment(LogOffsetMetadata(100))


def test_its_text() -> None:
    assert str(LogOffsetMetadata(40, 10, 100)) == "(offset=40, segment=[10:100])"
