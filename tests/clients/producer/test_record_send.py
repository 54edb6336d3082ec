# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.RecordSendTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The future of a record, as its batch ends on another thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.common.errors import CorruptRecordException
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalStateException, TimeoutException
from kreactor.jdk.time_unit import TimeUnit
from tests.stepping import Background, stopped_at

BASE_OFFSET = 45
REL_OFFSET = 5


class Result(ProduceRequestResult):
    """One with room for what ``stopped_at`` puts there."""


def future_of(request: ProduceRequestResult) -> FutureRecordMetadata:
    return FutureRecordMetadata(request, REL_OFFSET, RecordBatch.NO_TIMESTAMP, 0, 0, Time.SYSTEM)


@contextmanager
def async_request(base_offset: int, error: Exception | None) -> Iterator[ProduceRequestResult]:
    """Complete a request on another thread, once somebody waits for it."""
    request = Result(TopicPartition("test", 0))

    def complete() -> None:
        stop.wait()
        if error is None:
            request.set(base_offset, RecordBatch.NO_TIMESTAMP, None)
        else:
            request.set(-1, RecordBatch.NO_TIMESTAMP, lambda index: error)
        request.done()
        stop.go()

    with stopped_at(request, "await_") as stop:
        background = Background(complete)
        yield request
        background.result()


def test_timeout() -> None:
    request = ProduceRequestResult(TopicPartition("test", 0))
    future = future_of(request)
    assert not future.is_done()
    with pytest.raises(TimeoutException, match="Timeout after waiting for 5 ms"):
        future.get(5, TimeUnit.MILLISECONDS)

    request.set(BASE_OFFSET, RecordBatch.NO_TIMESTAMP, None)
    request.done()
    assert future.is_done()
    assert future.get().offset() == BASE_OFFSET + REL_OFFSET
    assert future.get(0).offset() == BASE_OFFSET + REL_OFFSET


def test_error() -> None:
    error = CorruptRecordException()
    with async_request(BASE_OFFSET, error) as request:
        with pytest.raises(CorruptRecordException) as raised:
            future_of(request).get()
    assert raised.value is error


def test_blocking() -> None:
    with async_request(BASE_OFFSET, None) as request:
        assert future_of(request).get().offset() == BASE_OFFSET + REL_OFFSET


def test_a_future_cannot_be_cancelled() -> None:
    future = future_of(ProduceRequestResult(TopicPartition("test", 0)))
    assert not future.cancel(True)
    assert not future.is_cancelled()


def test_a_result_is_set_before_it_is_done() -> None:
    request = ProduceRequestResult(TopicPartition("test", 0))
    with pytest.raises(IllegalStateException):
        request.done()
    with pytest.raises(TypeError):
        request.base_offset()
    assert not request.completed()


def test_the_time_of_the_append_counts_if_there_is_one() -> None:
    request = ProduceRequestResult(TopicPartition("test", 0))
    request.set(BASE_OFFSET, 77, None)
    request.done()
    assert FutureRecordMetadata(request, 0, 5, 0, 0, Time.SYSTEM).get().timestamp() == 77
    other = ProduceRequestResult(TopicPartition("test", 0))
    other.set(BASE_OFFSET, -1, None)
    assert FutureRecordMetadata(other, 0, 5, 0, 0, Time.SYSTEM).value().timestamp() == 5
