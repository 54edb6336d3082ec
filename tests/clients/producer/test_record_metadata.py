# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.RecordMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metadata of an acknowledged record."""

from __future__ import annotations

import pytest

from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalArgumentException

TP = TopicPartition("foo", 0)
TIMESTAMP = 2340234
KEY_SIZE = 3
VALUE_SIZE = 5
BASE_OFFSET = 15
BATCH_INDEX = 3


def check(metadata: RecordMetadata, offset: int) -> None:
    assert metadata.topic() == TP.topic()
    assert metadata.partition() == TP.partition()
    assert metadata.timestamp() == TIMESTAMP
    assert metadata.has_timestamp()
    assert metadata.has_offset() == (offset != -1)
    assert metadata.offset() == offset
    assert metadata.serialized_key_size() == KEY_SIZE
    assert metadata.serialized_value_size() == VALUE_SIZE
    assert str(metadata) == f"foo-0@{offset}"


def test_construction_with_missing_batch_index() -> None:
    check(RecordMetadata(TP, -1, -1, TIMESTAMP, KEY_SIZE, VALUE_SIZE), -1)


def test_construction_with_batch_index_offset() -> None:
    check(RecordMetadata(TP, BASE_OFFSET, BATCH_INDEX, TIMESTAMP, KEY_SIZE, VALUE_SIZE), 18)


def test_construction_with_checksum() -> None:
    for checksum in (None, 133424):
        check(RecordMetadata.with_checksum(TP, BASE_OFFSET, BATCH_INDEX, TIMESTAMP, checksum, KEY_SIZE,
                                           VALUE_SIZE), 18)
    with pytest.raises(IllegalArgumentException, match="larger than Integer.MAX_VALUE: 2147483648"):
        RecordMetadata.with_checksum(TP, BASE_OFFSET, 2**31, TIMESTAMP, None, KEY_SIZE, VALUE_SIZE)
    largest = RecordMetadata.with_checksum(TP, BASE_OFFSET, 2**31 - 1, TIMESTAMP, None, KEY_SIZE, VALUE_SIZE)
    assert largest.offset() == BASE_OFFSET + 2**31 - 1
