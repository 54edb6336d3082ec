# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.FetchSessionHandlerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which partitions a fetch names, and when a session begins, goes on and ends."""

from __future__ import annotations

import logging

import pytest

from kreactor.clients.fetch_session_handler import FetchSessionHandler
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalStateException

INITIAL_EPOCH = FetchMetadata.INITIAL_EPOCH
INVALID_SESSION_ID = FetchMetadata.INVALID_SESSION_ID
LATEST = ApiKeys.FETCH.latest_version()
ZERO_UUID = Uuid.ZERO_UUID
# Version 12 is the last one that names topics; the others have their ids.
VERSIONS = pytest.mark.parametrize("version", [12, LATEST])


def tp(topic: str, partition: int) -> TopicPartition:
    return TopicPartition(topic, partition)


def part(topic_id: Uuid, fetch_offset: int, log_start_offset: int,
         max_bytes: int) -> FetchRequest.PartitionData:
    return FetchRequest.PartitionData(topic_id, fetch_offset, log_start_offset, max_bytes, None)


def resp(session_id, *entries, error=Errors.NONE, throttle_time_ms=0) -> FetchResponse:
    """Return a response with partitions, each a pair of its topic partition and the topic's id."""
    data = {TopicIdPartition(topic_id, topic_partition): FetchResponseData.PartitionData(
        partition_index=topic_partition.partition(), high_watermark=10, last_stable_offset=20,
        log_start_offset=0) for topic_partition, topic_id in entries}
    return FetchResponse.of(error, throttle_time_ms, session_id, data)


def assert_request(data, to_send, session_partitions=None):
    """Compare partitions in their order; without ``session_partitions`` both are the same."""
    assert list(data.to_send().items()) == list(to_send.items())
    expected = to_send if session_partitions is None else session_partitions
    assert list(data.session_partitions().items()) == list(expected.items())


def build(handler, partitions, **more):
    builder = handler.new_builder(**more)
    for topic_partition, data in partitions.items():
        builder.add(topic_partition, data)
    return builder.build()


@pytest.fixture
def handler():
    return FetchSessionHandler(LogContext("[FetchSessionHandler]="), 1)


def ids(version, *topics):
    """Return an id for each topic, none in versions that have none; and the names by id."""
    topic_ids = {topic: Uuid.random_uuid() if version >= 13 else ZERO_UUID for topic in topics}
    return topic_ids, {topic_id: topic for topic, topic_id in topic_ids.items() if topic_id != ZERO_UUID}


def test_find_missing():
    foo0, foo1, bar0, bar1 = tp("foo", 0), tp("foo", 1), tp("bar", 0), tp("bar", 1)
    baz0, baz1 = tp("baz", 0), tp("baz", 1)
    find_missing = FetchSessionHandler.find_missing
    assert find_missing([foo0], {foo0}) == []
    assert find_missing([foo0], {foo1}) == [foo0]
    assert find_missing([foo0, foo1], {baz0}) == [foo0, foo1]
    assert find_missing([foo0, foo1, bar0, bar1], {bar0, baz0, baz1}) == [foo0, foo1, bar1]
    assert find_missing([foo0, foo1, bar0, bar1, baz1], {foo0, foo1, bar0, bar1, baz0, baz1}) == []


@VERSIONS
def test_sessionless(handler, version):
    foo_id = ids(version, "foo")[0]["foo"]
    partitions = {tp("foo", 0): part(foo_id, 0, 100, 200), tp("foo", 1): part(foo_id, 10, 110, 210)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert (data.metadata().session_id(), data.metadata().epoch()) == (INVALID_SESSION_ID, INITIAL_EPOCH)

    assert handler.handle_response(
        resp(INVALID_SESSION_ID, (tp("foo", 0), foo_id), (tp("foo", 1), foo_id)), version)

    partitions = {tp("foo", 0): part(foo_id, 0, 100, 200)}
    data2 = build(handler, partitions)
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (INVALID_SESSION_ID, INITIAL_EPOCH)
    assert_request(data2, partitions)


@VERSIONS
def test_incrementals(handler, version):
    topic_ids, _ = ids(version, "foo", "bar")
    foo_id, bar_id = topic_ids["foo"], topic_ids["bar"]
    foo0, foo1, bar0 = tp("foo", 0), tp("foo", 1), tp("bar", 0)
    partitions = {foo0: part(foo_id, 0, 100, 200), foo1: part(foo_id, 10, 110, 210)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert (data.metadata().session_id(), data.metadata().epoch()) == (INVALID_SESSION_ID, INITIAL_EPOCH)

    assert handler.handle_response(resp(123, (foo0, foo_id), (foo1, foo_id)), version)

    # One partition is new, one has changed.
    partitions = {foo0: part(foo_id, 0, 100, 200), foo1: part(foo_id, 10, 120, 210),
                  bar0: part(bar_id, 20, 200, 200)}
    data2 = build(handler, partitions)
    assert not data2.metadata().is_full()
    assert_request(data2, {bar0: partitions[bar0], foo1: partitions[foo1]}, partitions)

    assert handler.handle_response(resp(123, (foo1, foo_id)), version)

    # The broker lost count: the next request ends the session and begins another.
    assert not handler.handle_response(
        resp(INVALID_SESSION_ID, error=Errors.INVALID_FETCH_SESSION_EPOCH), version)

    data4 = build(handler, partitions)
    assert data4.metadata().is_full()
    assert data4.metadata().session_id() == data2.metadata().session_id()
    assert data4.metadata().epoch() == INITIAL_EPOCH
    assert_request(data4, partitions)


def test_double_build(handler):
    builder = handler.new_builder()
    builder.add(tp("foo", 0), part(Uuid.random_uuid(), 0, 100, 200))
    builder.build()
    with pytest.raises(IllegalStateException):
        builder.build()
    with pytest.raises(IllegalStateException):
        builder.add(tp("foo", 0), part(Uuid.random_uuid(), 0, 100, 200))


@VERSIONS
def test_incremental_partition_removal(handler, version):
    topic_ids, _ = ids(version, "foo", "bar")
    foo_id, bar_id = topic_ids["foo"], topic_ids["bar"]
    foo0, foo1, bar0 = tp("foo", 0), tp("foo", 1), tp("bar", 0)
    partitions = {foo0: part(foo_id, 0, 100, 200), foo1: part(foo_id, 10, 110, 210),
                  bar0: part(bar_id, 20, 120, 220)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()

    assert handler.handle_response(resp(123, (foo0, foo_id), (foo1, foo_id), (bar0, bar_id)), version)

    data2 = build(handler, {foo1: partitions[foo1]})
    assert not data2.metadata().is_full()
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert_request(data2, {}, {foo1: partitions[foo1]})
    assert data2.to_forget() == [TopicIdPartition(foo_id, foo0), TopicIdPartition(bar_id, bar0)]
    assert list(handler.session_topic_partitions()) == [foo1]

    # The broker has no such session: the next request is full, and of none.
    assert not handler.handle_response(
        resp(INVALID_SESSION_ID, error=Errors.FETCH_SESSION_ID_NOT_FOUND), version)

    data3 = build(handler, {foo0: partitions[foo0]})
    assert data3.metadata().is_full()
    assert (data3.metadata().session_id(), data3.metadata().epoch()) == (INVALID_SESSION_ID, INITIAL_EPOCH)
    assert_request(data3, {foo0: partitions[foo0]})


# 0 is the partition of the session, 1 is a new one.
@pytest.mark.parametrize("partition", [0, 1])
def test_topic_id_usage_granted_on_id_upgrade(handler, partition):
    partitions = {tp("foo", 0): part(ZERO_UUID, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert not data.can_use_topic_ids()

    assert handler.handle_response(resp(123, (tp("foo", 0), ZERO_UUID)), 12)

    data2 = build(handler, {tp("foo", partition): part(Uuid.random_uuid(), 10, 110, 210)})
    # The broker ends the session if it has to.
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert data2.can_use_topic_ids() is (partition == 0)


@pytest.mark.parametrize("partition", [0, 1])
def test_id_usage_revoked_on_id_downgrade(handler, partition):
    foo_id = Uuid.random_uuid()
    partitions = {tp("foo", 0): part(foo_id, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert data.can_use_topic_ids()

    assert handler.handle_response(resp(123, (tp("foo", 0), foo_id)), LATEST)

    data2 = build(handler, {tp("foo", partition): part(ZERO_UUID, 10, 110, 210)})
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert not data2.can_use_topic_ids()


@pytest.mark.parametrize("ends_with_topic_ids", [True, False])
@pytest.mark.parametrize("starts_with_topic_ids", [True, False])
def test_topic_id_replaced(handler, starts_with_topic_ids, ends_with_topic_ids):
    foo0 = tp("foo", 0)
    topic_id_1 = Uuid.random_uuid() if starts_with_topic_ids else ZERO_UUID
    partitions = {foo0: part(topic_id_1, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert data.can_use_topic_ids() is starts_with_topic_ids

    assert handler.handle_response(
        resp(123, (foo0, topic_id_1)), LATEST if starts_with_topic_ids else 12)

    # All the same but the id.
    topic_id_2 = Uuid.random_uuid() if ends_with_topic_ids else ZERO_UUID
    partitions = {foo0: part(topic_id_2, 0, 100, 200)}
    data2 = build(handler, partitions)

    if starts_with_topic_ids and ends_with_topic_ids:
        # The partition with the old id is replaced by that with the new one.
        assert data2.to_replace() == [TopicIdPartition(topic_id_1, foo0)]
        assert_request(data2, partitions)
        assert handler.session_topic_names() == {topic_id_2: "foo"}
    elif starts_with_topic_ids or ends_with_topic_ids:
        # The partition has changed; the session will end with the change from ids to names, or back.
        assert data2.to_replace() == []
        assert_request(data2, partitions)
        assert handler.session_topic_names() == ({topic_id_2: "foo"} if ends_with_topic_ids else {})
    else:
        assert data2.to_replace() == []
        assert_request(data2, {}, partitions)
        assert handler.session_topic_names() == {}

    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert data2.can_use_topic_ids() is ends_with_topic_ids


@pytest.mark.parametrize("starts_with_topic_ids", [True, False])
def test_session_epoch_when_mixed_usage_of_topic_ids(handler, starts_with_topic_ids):
    foo_id = Uuid.random_uuid() if starts_with_topic_ids else ZERO_UUID
    bar_id = ZERO_UUID if starts_with_topic_ids else Uuid.random_uuid()
    partitions = {tp("foo", 0): part(foo_id, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert data.can_use_topic_ids() is starts_with_topic_ids

    assert handler.handle_response(
        resp(123, (tp("foo", 0), foo_id)), LATEST if starts_with_topic_ids else 12)

    # One partition has an id, the other has none.
    data2 = build(handler, {tp("foo", 0): part(foo_id, 10, 110, 210),
                            tp("bar", 1): part(bar_id, 0, 100, 200)})
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert not data2.can_use_topic_ids()


@pytest.mark.parametrize("use_topic_ids", [True, False])
def test_id_usage_with_all_forgotten_partitions(handler, use_topic_ids):
    topic_id = Uuid.random_uuid() if use_topic_ids else ZERO_UUID
    foo0 = tp("foo", 0)
    partitions = {foo0: part(topic_id, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert data.can_use_topic_ids() is use_topic_ids

    assert handler.handle_response(resp(123, (foo0, topic_id)), LATEST if use_topic_ids else 12)

    data2 = build(handler, {})
    assert data2.to_forget() == [TopicIdPartition(topic_id, foo0)]
    assert (data2.metadata().session_id(), data2.metadata().epoch()) == (123, 1)
    assert data2.can_use_topic_ids() is use_topic_ids


def test_ok_to_add_new_id_after_topic_removed_from_session(handler):
    topic_id = Uuid.random_uuid()
    partitions = {tp("foo", 0): part(topic_id, 0, 100, 200)}
    data = build(handler, partitions)
    assert_request(data, partitions)
    assert data.metadata().is_full()
    assert data.can_use_topic_ids()

    assert handler.handle_response(resp(123, (tp("foo", 0), topic_id)), LATEST)

    data2 = build(handler, {})
    assert_request(data2, {})
    assert handler.handle_response(resp(123), LATEST)

    # The topic was made anew.
    data3 = build(handler, {tp("foo", 0): part(Uuid.random_uuid(), 0, 100, 200)})
    assert (data3.metadata().session_id(), data3.metadata().epoch()) == (123, 2)
    assert data3.can_use_topic_ids()


def verified_full(handler, response, names, version):
    return handler.verify_full_fetch_response_partitions(
        response.response_data(names, version).keys(), response.topic_ids(), version)


@VERSIONS
def test_verify_full_fetch_response_partitions(handler, version):
    topic_ids, names = ids(version, "foo", "bar")
    foo_id, bar_id = topic_ids["foo"], topic_ids["bar"]
    foo0, foo1, bar0 = tp("foo", 0), tp("foo", 1), tp("bar", 0)
    all_three = ((foo0, foo_id), (foo1, foo_id), (bar0, bar_id))
    issue = verified_full(handler, resp(INVALID_SESSION_ID, *all_three), names, version)
    assert "extraPartitions=(foo-0, foo-1, bar-0), " in issue
    assert "omittedPartitions=" not in issue
    build(handler, {foo0: part(foo_id, 0, 100, 200), foo1: part(foo_id, 10, 110, 210),
                    bar0: part(bar_id, 20, 120, 220)})
    assert verified_full(handler, resp(INVALID_SESSION_ID, *all_three), names, version) is None
    issue3 = verified_full(handler, resp(INVALID_SESSION_ID, *all_three[:2]), names, version)
    assert issue3 == "omittedPartitions=(bar-0), response=(foo-0, foo-1)"


def test_verify_full_fetch_response_partitions_with_topic_ids(handler):
    topic_ids, names = ids(LATEST, "foo", "bar", "extra2")
    foo0, bar0 = (tp("foo", 0), topic_ids["foo"]), (tp("bar", 0), topic_ids["bar"])
    extra = (tp("extra2", 1), topic_ids["extra2"])
    issue = verified_full(handler, resp(INVALID_SESSION_ID, foo0, extra, bar0), names, LATEST)
    assert "extraPartitions=" in issue
    assert "omittedPartitions=" not in issue
    build(handler, {tp("foo", 0): part(topic_ids["foo"], 0, 100, 200),
                    tp("bar", 0): part(topic_ids["bar"], 20, 120, 220)})
    issue2 = verified_full(handler, resp(INVALID_SESSION_ID, foo0, extra, bar0), names, LATEST)
    assert issue2 == (f"extraPartitions=(extra2-1), extraIds=({topic_ids['extra2']}), "
                      "response=(foo-0, extra2-1, bar-0)")
    assert verified_full(handler, resp(INVALID_SESSION_ID, foo0, bar0), names, LATEST) is None


def test_top_level_error_resets_metadata(handler):
    topic_ids, _ = ids(LATEST, "foo", "unknown")
    foo_id = topic_ids["foo"]
    data = build(handler, {tp("foo", 0): part(foo_id, 0, 100, 200), tp("foo", 1): part(foo_id, 10, 110, 210)})
    assert (data.metadata().session_id(), data.metadata().epoch()) == (INVALID_SESSION_ID, INITIAL_EPOCH)

    assert handler.handle_response(resp(123, (tp("foo", 0), foo_id), (tp("foo", 1), foo_id)), LATEST)

    data2 = build(handler, {tp("unknown", 0): part(topic_ids["unknown"], 0, 100, 200)})
    assert not data2.metadata().is_full()
    assert data2.metadata().session_id() == 123
    assert data2.metadata().epoch() == FetchMetadata.next_epoch(INITIAL_EPOCH)

    assert not handler.handle_response(
        resp(123, (tp("unknown", 0), Uuid.random_uuid()), error=Errors.UNKNOWN_TOPIC_ID), LATEST)

    # The next request ends the session.
    data3 = build(handler, {})
    assert (data3.metadata().session_id(), data3.metadata().epoch()) == (123, INITIAL_EPOCH)


# Not in the origin's suite.

@pytest.fixture
def in_session(handler):
    """A handler of session 123 with two partitions, of a topic without an id."""
    entries = [(tp("foo", 0), ZERO_UUID), (tp("foo", 1), ZERO_UUID)]
    build(handler, {topic_partition: part(ZERO_UUID, 0, 100, 200) for topic_partition, _ in entries})
    assert handler.handle_response(resp(123, *entries), 12)
    assert handler.session_id() == 123
    return handler


def test_an_empty_full_response_throttles(handler):
    build(handler, {tp("foo", 0): part(ZERO_UUID, 0, 100, 200)})
    assert not handler.handle_response(resp(123, throttle_time_ms=5), 12)
    assert handler.session_id() == INVALID_SESSION_ID
    assert not handler.handle_response(resp(123), 12)
    assert handler.session_id() == INVALID_SESSION_ID


def test_an_empty_incremental_response_goes_on(in_session):
    build(in_session, {})
    assert in_session.handle_response(resp(123, throttle_time_ms=5), 12)
    assert build(in_session, {}).metadata().epoch() == 2


def test_a_broker_may_end_a_session_with_its_response(in_session):
    assert in_session.handle_response(resp(INVALID_SESSION_ID, (tp("foo", 0), ZERO_UUID)), 12)
    assert build(in_session, {}).metadata() == FetchMetadata.INITIAL


@pytest.mark.parametrize(("version", "topic_id", "problem"), [
    (12, ZERO_UUID, "extraPartitions=(bar-0), response=(bar-0)"),
    (13, Uuid(1, 2), f"extraIds=({Uuid(1, 2)}), response=()"),
])
def test_an_incremental_response_has_nothing_beside_the_session(in_session, version, topic_id, problem):
    response = resp(123, (tp("bar", 0), topic_id))
    assert in_session.verify_incremental_fetch_response_partitions(
        response.response_data({}, version).keys(), response.topic_ids(), version) == problem
    assert not in_session.handle_response(response, version)
    assert build(in_session, {}).metadata() == FetchMetadata(123, INITIAL_EPOCH)


def test_a_session_ends_after_an_error(in_session):
    in_session.handle_error(OSError("the connection is gone"))
    assert build(in_session, {}).metadata() == FetchMetadata(123, INITIAL_EPOCH)


def test_a_session_that_is_not_copied_changes_with_the_next_request(in_session):
    foo0 = {tp("foo", 0): part(ZERO_UUID, 1, 100, 200)}
    data = build(in_session, foo0, copy_session_partitions=False)
    copied = build(in_session, foo0)
    build(in_session, {})
    assert not data.session_partitions()
    assert dict(copied.session_partitions()) == foo0


def test_requests_are_printed(in_session):
    data = build(in_session, {tp("foo", 1): part(ZERO_UUID, 0, 100, 200),
                              tp("bar", 0): part(ZERO_UUID, 0, 100, 200)})
    assert str(data) == (
        "IncrementalFetchRequest(toSend=(bar-0), toForget=(AAAAAAAAAAAAAAAAAAAAAA:foo-0), toReplace=(), "
        "implied=(foo-1), canUseTopicIds=False)")
    in_session.handle_error(OSError("the connection is gone"))
    assert str(build(in_session, {})) == "FullFetchRequest(toSend=(), canUseTopicIds=True)"


@pytest.mark.parametrize(("level", "texts"), [
    (logging.DEBUG, ["1 partition(s)", "with 1 response partition(s), 1 implied partition(s)",
                     "with 2 response partition(s)"]),
    (5, ["(foo-0, foo-1)", "with response=(foo-0), implied=(foo-1)", "with response=(foo-0, foo-1)"]),
])
def test_partitions_are_counted_or_listed_in_the_log(caplog, handler, level, texts):
    caplog.set_level(level)
    entries = [(tp("foo", 0), ZERO_UUID), (tp("foo", 1), ZERO_UUID)]
    partitions = {topic_partition: part(ZERO_UUID, 0, 100, 200) for topic_partition, _ in entries}
    build(handler, partitions)
    handler.handle_response(resp(123, *entries), 12)
    partitions[tp("foo", 1)] = part(ZERO_UUID, 7, 100, 200)
    build(handler, partitions)
    handler.handle_response(resp(123, entries[0]), 12)
    for text in texts:
        assert text in caplog.text
