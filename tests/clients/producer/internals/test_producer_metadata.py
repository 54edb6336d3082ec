# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Metadata of a producer: topics come and expire, and threads wait for updates."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.producer.internals.producer_metadata import ProducerMetadata
from kreactor.common.errors import AuthenticationException, TimeoutException
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.testing.mock_time import MockTime
from tests.common.requests.request_test_utils import RequestTestUtils

METADATA_IDLE_MS = 60 * 1000
REFRESH_BACKOFF_MS = 100
REFRESH_BACKOFF_MAX_MS = 1000
METADATA_EXPIRE_MS = 1000


def new_metadata(time: Time) -> ProducerMetadata:
    return ProducerMetadata(REFRESH_BACKOFF_MS, REFRESH_BACKOFF_MAX_MS, METADATA_EXPIRE_MS, METADATA_IDLE_MS,
                            LogContext(), ClusterResourceListeners(), time)


@pytest.fixture
def metadata() -> ProducerMetadata:
    return new_metadata(Time.SYSTEM)


@pytest.fixture
def background_error() -> Iterator[list[Exception]]:
    """The exceptions of threads of ``async_fetch``; none may be left."""
    errors: list[Exception] = []
    yield errors
    assert errors == []


def test_metadata(metadata, background_error) -> None:
    time = Time.SYSTEM.milliseconds()
    topic = "my-topic"
    metadata.add(topic, time)

    metadata.update_with_current_request_version(response_with_topics([]), False, time)
    assert metadata.time_to_next_update(time) > 0
    metadata.request_update(True)
    assert metadata.time_to_next_update(time) > 0
    time += int(REFRESH_BACKOFF_MS * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    assert metadata.time_to_next_update(time) == 0
    waiting = threading.Semaphore(0)
    t1 = async_fetch(metadata, topic, 60_000, background_error, waiting)
    t2 = async_fetch(metadata, topic, 60_000, background_error, waiting)
    assert t1.is_alive() and t2.is_alive()
    while t1.is_alive() or t2.is_alive():
        waiting.acquire(timeout=0.01)
        if metadata.time_to_next_update(time) == 0:
            metadata.update_with_current_request_version(
                response_with_topics(metadata.topics()), False, time)
            time += int(REFRESH_BACKOFF_MS * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    t1.join()
    t2.join()
    assert metadata.time_to_next_update(time) > 0
    time += METADATA_EXPIRE_MS
    assert metadata.time_to_next_update(time) == 0


def test_metadata_await_after_close(metadata, background_error) -> None:
    time = 0
    metadata.update_with_current_request_version(response_with_topics([]), False, time)
    assert metadata.time_to_next_update(time) > 0
    metadata.request_update(True)
    assert metadata.time_to_next_update(time) > 0
    time += int(REFRESH_BACKOFF_MS * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    assert metadata.time_to_next_update(time) == 0
    check_closed(metadata, background_error)


def test_metadata_equivalent_responses_backoff(metadata, background_error) -> None:
    time = 0
    metadata.update_with_current_request_version(response_with_topics([]), False, time)
    assert metadata.time_to_next_update(time) > 0
    metadata.request_update(False)
    assert metadata.time_to_next_update(time) > 0
    time += int(REFRESH_BACKOFF_MS * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    metadata.update_with_current_request_version(response_with_topics([]), False, time)
    assert metadata.time_to_next_update(time) > 0
    metadata.request_update(False)
    assert metadata.time_to_next_update(time) > 0
    # The wait doubles after a response that was equal to the one before.
    assert metadata.time_to_next_update(time + REFRESH_BACKOFF_MS) > 0
    time += int(REFRESH_BACKOFF_MS * CommonClientConfigs.RETRY_BACKOFF_EXP_BASE
                * (1 + CommonClientConfigs.RETRY_BACKOFF_JITTER))
    assert metadata.time_to_next_update(time) == 0
    check_closed(metadata, background_error)


def check_closed(metadata: ProducerMetadata, background_error: list[Exception]) -> None:
    metadata.close()
    async_fetch(metadata, "my-topic", 500, background_error).join()
    [error] = background_error
    assert type(error) is KafkaException
    assert "Requested metadata update after close" in str(error)
    background_error.clear()


def test_metadata_update_wait_time(metadata) -> None:
    metadata.update_with_current_request_version(response_with_topics([]), False, 0)
    assert metadata.time_to_next_update(0) > 0
    for wait_ms in (0, 200):
        start = Time.SYSTEM.milliseconds()
        with pytest.raises(TimeoutException):
            metadata.await_update(metadata.request_update(True), wait_ms)
        assert Time.SYSTEM.milliseconds() - start >= wait_ms


def test_time_to_next_update_overwrite_backoff(metadata) -> None:
    now = 10000

    metadata.update_with_current_request_version(response_with_topics([]), False, now)
    metadata.add("new-topic", now)
    assert metadata.time_to_next_update(now) == 0

    # The topic is not new any more.
    metadata.update_with_current_request_version(response_with_topics(metadata.topics()), False, now)
    metadata.add("new-topic", now)
    assert metadata.time_to_next_update(now) == METADATA_EXPIRE_MS

    metadata.add("another-new-topic", now)
    assert metadata.time_to_next_update(now) == 0


def test_topic_expiry(metadata) -> None:
    time = 0

    def update() -> None:
        metadata.update_with_current_request_version(response_with_topics(metadata.topics()), False, time)

    metadata.add("topic1", time)
    update()
    assert metadata.contains_topic("topic1")

    time += METADATA_IDLE_MS
    update()
    assert not metadata.contains_topic("topic1")

    metadata.add("topic2", time)
    update()
    for _ in range(3):
        time += METADATA_IDLE_MS // 2
        update()
        assert metadata.contains_topic("topic2")
        metadata.add("topic2", time)

    # A topic without metadata so far does not expire.
    metadata.add("topic3", time)
    time += METADATA_IDLE_MS * 2
    update()
    assert metadata.contains_topic("topic3")


def test_metadata_wait_aborted_on_fatal_exception(metadata) -> None:
    metadata.fatal_error(AuthenticationException("Fatal exception from test"))
    with pytest.raises(AuthenticationException, match="Fatal exception from test"):
        metadata.await_update(0, 1000)


def test_metadata_partial_update(metadata) -> None:
    now = 10000

    metadata.add("topic-one", now)
    assert metadata.update_requested()
    assert metadata.time_to_next_update(now) == 0
    assert metadata.topics() == {"topic-one"}
    assert metadata.new_topics() == {"topic-one"}

    now += 1000
    metadata.update_with_current_request_version(response_with_topics(["topic-one"]), True, now)
    assert not metadata.update_requested()
    assert metadata.topics() == {"topic-one"}
    assert metadata.new_topics() == set()

    metadata.add("topic-one", now)
    assert not metadata.update_requested()
    assert metadata.time_to_next_update(now) > 0
    assert metadata.topics() == {"topic-one"}
    assert metadata.new_topics() == set()

    now += 1000
    metadata.add("topic-two", now)
    now += 1000
    metadata.add("topic-three", now)

    assert metadata.update_requested()
    assert metadata.time_to_next_update(now) == 0
    assert metadata.topics() == {"topic-one", "topic-two", "topic-three"}
    assert metadata.new_topics() == {"topic-two", "topic-three"}

    now += 1000
    assert metadata.update_requested()
    metadata.update_with_current_request_version(response_with_topics(["topic-two"]), True, now)
    assert metadata.topics() == {"topic-one", "topic-two", "topic-three"}
    assert metadata.new_topics() == {"topic-three"}


def test_request_update_for_topic(metadata) -> None:
    now = 10000

    metadata.add("topic-1", now)
    metadata.add("topic-2", now)
    assert metadata.update_requested()

    # A new topic needs no full update.
    metadata.request_update_for_topic("topic-1")
    assert metadata.update_requested()
    now += 1000
    metadata.update_with_current_request_version(response_with_topics(["topic-1"]), True, now)
    assert not metadata.update_requested()

    # A topic that is not new needs one, and a partial update does not do.
    metadata.request_update_for_topic("topic-1")
    assert metadata.update_requested()
    now += 1000
    metadata.update_with_current_request_version(response_with_topics(["topic-1"]), True, now)
    assert metadata.update_requested()
    now += 1000
    metadata.update_with_current_request_version(response_with_topics(["topic-1", "topic-2"]), False, now)
    assert not metadata.update_requested()


def test_requests_are_for_the_topics_in_their_order(metadata) -> None:
    for topic in ("c", "a", "b"):
        metadata.add(topic, 10000)
    metadata.update_with_current_request_version(response_with_topics(["a"]), True, 10000)
    assert metadata.new_metadata_request_builder().topics() == ["c", "a", "b"]
    assert metadata.new_metadata_request_builder_for_new_topics().topics() == ["c", "b"]


@pytest.mark.parametrize("wake", ["update", "fatal_error", "close"])
def test_what_a_waiting_thread_waits_for_wakes_it(wake: str) -> None:
    # The time stands still, so nothing else can wake the thread.
    metadata = new_metadata(MockTime())
    metadata.add("topic", 0)
    errors: list[Exception] = []
    waiting = threading.Semaphore(0)
    thread = async_fetch(metadata, "topic", 1000, errors, waiting)
    waiting.acquire()
    if wake == "update":
        metadata.update_with_current_request_version(response_with_topics(["topic"]), False, 0)
    elif wake == "fatal_error":
        metadata.fatal_error(AuthenticationException("fatal"))
    else:
        metadata.close()
    thread.join(30)
    assert not thread.is_alive()
    assert [str(error) for error in errors] == {
        "update": [], "fatal_error": ["fatal"], "close": ["Requested metadata update after close"]}[wake]


def test_an_endless_wait() -> None:
    metadata = new_metadata(Time.SYSTEM)
    metadata.close()
    with pytest.raises(KafkaException, match="after close"):
        metadata.await_update(0, 2**63 - 1)


def response_with_topics(topics: Collection[str]) -> MetadataResponse:
    return RequestTestUtils.metadata_update_with(1, dict.fromkeys(topics, 1))


def async_fetch(metadata: ProducerMetadata, topic: str, max_wait_ms: int, errors: list[Exception],
                waiting: threading.Semaphore | None = None) -> threading.Thread:
    """Start a thread that waits for a topic; ``waiting`` is released before each wait."""
    def run() -> None:
        try:
            while not metadata.fetch().partitions_for_topic(topic):
                version = metadata.request_update(False)
                if waiting is not None:
                    waiting.release()
                metadata.await_update(version, max_wait_ms)
        except Exception as e:
            errors.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    return thread
