# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.FutureRecordMetadataTest of Apache
# Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The time that is left for a chained future."""

from __future__ import annotations

import sys
from unittest.mock import Mock

import pytest

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.produce_request_result import ProduceRequestResult
from kreactor.common.errors import RecordBatchTooLargeException
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import TimeoutException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime


@pytest.fixture
def time() -> MockTime:
    return MockTime()


def future_record_metadata(result: ProduceRequestResult, time: MockTime,
                           index: int = 0) -> FutureRecordMetadata:
    return FutureRecordMetadata(result, index, RecordBatch.NO_TIMESTAMP, 0, 0, time)


def mock_produce_request_result() -> Mock:
    return Mock(spec=ProduceRequestResult, **{
        "await_timeout.return_value": True, "error.return_value": None, "base_offset.return_value": 0})


def test_future_get_with_seconds(time: MockTime) -> None:
    result, chained_result = mock_produce_request_result(), mock_produce_request_result()
    future = future_record_metadata(result, time)
    future.chain(future_record_metadata(chained_result, time))

    future.get(1, TimeUnit.SECONDS)

    result.await_timeout.assert_called_once_with(1, TimeUnit.SECONDS)
    chained_result.await_timeout.assert_called_once_with(1000, TimeUnit.MILLISECONDS)


def test_future_get_with_milli_seconds(time: MockTime) -> None:
    result, chained_result = mock_produce_request_result(), mock_produce_request_result()
    future = future_record_metadata(result, time)
    future.chain(future_record_metadata(chained_result, time))

    future.get(1000, TimeUnit.MILLISECONDS)

    result.await_timeout.assert_called_once_with(1000, TimeUnit.MILLISECONDS)
    chained_result.await_timeout.assert_called_once_with(1000, TimeUnit.MILLISECONDS)


def test_a_chain_ends_at_its_last_future(time: MockTime) -> None:
    results = [ProduceRequestResult(TopicPartition("t", 0)) for _ in range(3)]
    futures = [future_record_metadata(result, time, index) for index, result in enumerate(results)]
    futures[0].chain(futures[1])
    futures[0].chain(futures[2])
    for result in results[:2]:
        result.set(-1, -1, lambda index: ValueError())
        result.done()
    assert not futures[0].is_done()
    results[2].set(40, -1, None)
    results[2].done()
    assert futures[0].is_done()
    assert futures[0].get().offset() == futures[0].value().offset() == 42


def test_a_record_whose_batch_is_split_again_and_again(time: MockTime) -> None:
    """D484. Each split may leave a batch that is too large for the broker."""
    number = 10 * sys.getrecursionlimit()
    results = [ProduceRequestResult(TopicPartition("t", 0)) for _ in range(number)]
    futures = [future_record_metadata(result, time, index) for index, result in enumerate(results)]
    for next_future, result in zip(futures[1:], results):
        futures[0].chain(next_future)
        assert not futures[0].is_done()
        result.set(-1, RecordBatch.NO_TIMESTAMP, lambda index: RecordBatchTooLargeException())
        result.done()
    # A thread that waits for a batch in between finds the last one by the links of all.
    between = futures[number // 2]
    with pytest.raises(TimeoutException, match="0 ms"):
        between.get(0)
    results[-1].set(7, RecordBatch.NO_TIMESTAMP, None)
    results[-1].done()
    for future in (futures[0], between):
        assert future.is_done()
        assert future.get().offset() == future.get(1).offset() == future.value().offset() == 7 + number - 1


def test_a_chain_is_not_walked_for_each_split(time: MockTime) -> None:
    futures = [future_record_metadata(ProduceRequestResult(TopicPartition("t", 0)), time)
               for _ in range(100)]
    for next_future in futures[1:]:
        futures[0].chain(next_future)
    links, future = 0, futures[0]
    while future._next_record_metadata is not None:
        future = future._next_record_metadata
        links += 1
    assert (links, future) == (1, futures[-1])
