# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.ProducerRecordTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records before they are sent."""

from __future__ import annotations

import pytest

from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.jdk.exceptions import IllegalArgumentException


def test_equals_and_hash_code() -> None:
    producer_record = ProducerRecord("test", 1, partition=1, key="key")
    assert producer_record == producer_record

    equal_record = ProducerRecord("test", 1, partition=1, key="key")
    assert producer_record == equal_record
    assert hash(producer_record) == hash(equal_record)

    assert producer_record != ProducerRecord("test-1", 1, partition=1, key="key")
    assert producer_record != ProducerRecord("test", 1, partition=2, key="key")
    assert producer_record != ProducerRecord("test", 1, partition=1, key="key-1")
    assert producer_record != ProducerRecord("test", 2, partition=1, key="key")
    assert producer_record != ProducerRecord("test", 1, partition=1, key="key", timestamp=7)
    assert producer_record != ProducerRecord("test", 1, partition=1, key="key",
                                             headers=[RecordHeader("a", b"b")])
    assert producer_record != "test"

    null_fields_record: ProducerRecord[str, int] = ProducerRecord("topic", None)
    assert null_fields_record == ProducerRecord("topic")
    assert hash(null_fields_record) == hash(ProducerRecord("topic"))


def test_invalid_records() -> None:
    with pytest.raises(IllegalArgumentException, match="Topic cannot be null"):
        ProducerRecord(None, 1, partition=0, key="key")  # type: ignore[arg-type]  # what the test is about
    with pytest.raises(IllegalArgumentException, match="Invalid timestamp: -1[.]"):
        ProducerRecord("test", 1, partition=0, timestamp=-1, key="key")
    with pytest.raises(IllegalArgumentException, match="Invalid partition: -1[.]"):
        ProducerRecord("test", 1, partition=-1, key="key")


def test_a_record_says_what_it_is() -> None:
    assert str(ProducerRecord("t")) == (
        "ProducerRecord(topic=t, partition=null, headers=RecordHeaders(headers = [], isReadOnly = false), "
        "key=null, value=null, timestamp=null)")
    assert str(ProducerRecord("t", "v", key="k", partition=3, timestamp=9)) == (
        "ProducerRecord(topic=t, partition=3, headers=RecordHeaders(headers = [], isReadOnly = false), "
        "key=k, value=v, timestamp=9)")
