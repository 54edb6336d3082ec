# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchSessionTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Sessions of fetches: what opens, continues, changes and ends them, and which go when room is short."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.server.fetch_session import (
    CachedPartition,
    CacheMap,
    FetchContext,
    FetchManager,
    FetchSession,
    FetchSessionCache,
    FetchSessionCacheShard,
    FullFetchContext,
    IncrementalFetchContext,
    SessionErrorContext,
    SessionlessFetchContext,
    partitions_to_log_string,
)
from kreactor.jdk.atomic import AtomicInteger
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.mock_time import MockTime

INVALID_SESSION_ID = FetchMetadata.INVALID_SESSION_ID
FINAL_EPOCH = FetchMetadata.FINAL_EPOCH
LATEST = ApiKeys.FETCH.latest_version()
INT_MAX = 0x7FFFFFFF
FOO_ID, BAR_ID, ZAR_ID = (Uuid.random_uuid() for _ in range(3))
NAMES = {FOO_ID: "foo", BAR_ID: "bar", ZAR_ID: "zar"}

Names = Mapping[Uuid, str]
Data = FetchResponseData.PartitionData


@pytest.fixture(autouse=True)
def counter(monkeypatch: pytest.MonkeyPatch) -> AtomicInteger:
    counter = AtomicInteger(0)
    monkeypatch.setattr(FetchSessionCache, "counter", counter)
    return counter


def new_shard(max_entries: int, eviction_ms: int, session_id_range: int = INT_MAX,
              shard_num: int = 0) -> FetchSessionCacheShard:
    return FetchSessionCacheShard(max_entries, eviction_ms, session_id_range, shard_num, MetricsRegistry())


def new_cache(*shards: FetchSessionCacheShard) -> FetchSessionCache:
    return FetchSessionCache(shards, MetricsRegistry())


def new_shards(count: int = 8) -> list[FetchSessionCacheShard]:
    return [new_shard(10, 1000, INT_MAX // count, number) for number in range(count)]


def tip(topic_id: Uuid, topic: str | None, partition: int) -> TopicIdPartition:
    return TopicIdPartition(topic_id, TopicPartition(topic, partition))


def unresolved(part: TopicIdPartition) -> TopicIdPartition:
    return tip(part.topic_id(), None, part.partition())


def asked(part: TopicIdPartition, offset: int = 0, max_bytes: int = 100, epoch: int | None = None,
          last_fetched_epoch: int | None = None) -> FetchRequest.PartitionData:
    return FetchRequest.PartitionData(part.topic_id(), offset, 0, max_bytes, epoch, last_fetched_epoch)


def told(part: TopicIdPartition, high_watermark: int = 10, error: Errors = Errors.NONE,
         log_start_offset: int | None = None) -> Data:
    if error is not Errors.NONE:
        high_watermark = -1
    return Data(partition_index=part.partition(), error_code=error.code, high_watermark=high_watermark,
                last_stable_offset=high_watermark,
                log_start_offset=high_watermark if log_start_offset is None else log_start_offset)


class Fetches:
    """A manager with one shard, and the requests that come to it."""

    def __init__(self, max_entries: int = 10, eviction_ms: int = 1000) -> None:
        self.time = MockTime()
        self.shard = new_shard(max_entries, eviction_ms)
        self.manager = FetchManager(self.time, new_cache(self.shard))

    def context(self, metadata: FetchMetadata,
                parts: Mapping[TopicIdPartition, FetchRequest.PartitionData] = {},
                to_forget: Sequence[TopicIdPartition] = (), names: Names = NAMES, version: int = LATEST,
                is_from_follower: bool = False) -> FetchContext:
        """Build a request, and return what it means."""
        replica = 1 if is_from_follower else FetchRequest.CONSUMER_REPLICA_ID
        request = FetchRequest.Builder(
            version, version, replica, 1 if is_from_follower else -1, 0, 0,
            {part.topic_partition(): data for part, data in parts.items()},
        ).metadata_set(metadata).removed_set(list(to_forget)).build()
        return self.manager.new_context(
            request.version(), request.metadata(), request.is_from_follower(), request.fetch_data(names),
            request.forgotten_topics(names), names)

    def open(self, *parts: TopicIdPartition, is_from_follower: bool = False) -> int:
        """Begin a session, and return its id."""
        context = self.context(FetchMetadata.INITIAL, {part: asked(part) for part in parts},
                               is_from_follower=is_from_follower)
        assert type(context) is FullFetchContext
        response = context.update_and_generate_response_data({part: told(part) for part in parts})
        assert response.error() is Errors.NONE
        assert response.session_id() != INVALID_SESSION_ID
        assert len(response.response_data(NAMES, LATEST)) == len(parts)
        return response.session_id()


def partitions_of(context: FetchContext) -> dict[TopicIdPartition, FetchRequest.PartitionData]:
    parts: dict[TopicIdPartition, FetchRequest.PartitionData] = {}
    context.foreach_partition(parts.__setitem__)
    return parts


def assert_partitions_order(context: FetchContext, *partitions: TopicIdPartition) -> None:
    assert list(partitions_of(context)) == list(partitions)


def answer(context: FetchContext, error: Errors = Errors.NONE) -> FetchResponse:
    """Answer all partitions, with ``error`` those that have names."""
    return context.update_and_generate_response_data({
        part: told(part, error=Errors.UNKNOWN_TOPIC_ID if part.topic() is None else error)
        for part in partitions_of(context)})


def errors_of(response: FetchResponse, version: int = LATEST) -> dict[TopicPartition, Errors]:
    return {tp: Errors.for_code(data.error_code)
            for tp, data in response.response_data(NAMES, version).items()}


def test_new_session_id() -> None:
    shard = new_shard(3, 100)
    assert all(shard.new_session_id() > 0 for _ in range(10001))


def assert_cache_contains(shard: FetchSessionCacheShard, *session_ids: int) -> None:
    assert [session_id for session_id in session_ids if shard.get(session_id) is None] == []
    assert shard.size() == len(session_ids)


def dummy_create(size: int) -> Callable[[], CacheMap]:
    parts = [tip(Uuid.random_uuid(), "test", number) for number in range(size)]
    return lambda: {CachedPartition.key_of(part): CachedPartition(part) for part in parts}


def session_of(shard: FetchSessionCacheShard, session_id: int) -> FetchSession:
    session = shard.get(session_id)
    assert session is not None
    return session


def test_session_cache() -> None:
    shard = new_shard(3, 100)
    assert shard.size() == 0

    def create(now: int, size: int, privileged: bool = False) -> int:
        return shard.maybe_create_session(now, privileged, size, True, dummy_create(size))

    def touch(session_id: int, now: int) -> None:
        shard.touch(session_of(shard, session_id), now)

    id1, id2, id3 = create(0, 10), create(10, 20), create(20, 30)
    assert create(30, 40) == INVALID_SESSION_ID
    assert create(40, 5) == INVALID_SESSION_ID
    assert_cache_contains(shard, id1, id2, id3)
    touch(id1, 200)
    id4 = create(210, 11)
    assert_cache_contains(shard, id1, id3, id4)
    touch(id1, 400)
    touch(id3, 390)
    touch(id4, 400)
    id5 = create(410, 50)
    assert_cache_contains(shard, id3, id4, id5)
    assert create(410, 5) == INVALID_SESSION_ID
    id6 = create(410, 5, privileged=True)
    assert_cache_contains(shard, id3, id5, id6)


def test_resize_cached_sessions() -> None:
    shard = new_shard(2, 100)

    def counts() -> tuple[int, int, int]:
        return shard.total_partitions(), shard.size(), shard.evictions_meter.count()

    def create(now: int, size: int) -> int:
        session_id = shard.maybe_create_session(now, False, size, True, dummy_create(size))
        assert session_id > 0
        return session_id

    assert counts() == (0, 0, 0)
    id1 = create(0, 2)
    assert_cache_contains(shard, id1)
    session1 = session_of(shard, id1)
    assert session1.size() == 2
    assert counts() == (2, 1, 0)
    id2 = create(0, 4)
    session2 = session_of(shard, id2)
    assert_cache_contains(shard, id1, id2)
    assert counts() == (6, 2, 0)
    shard.touch(session1, 200)
    shard.touch(session2, 200)
    id3 = create(200, 5)
    assert_cache_contains(shard, id2, id3)
    assert counts() == (9, 2, 1)
    shard.remove(id3)
    assert_cache_contains(shard, id2)
    assert counts() == (4, 1, 1)
    session2.partition_map.pop(next(iter(session2.partition_map)))
    assert (session2.size(), session2.cached_size) == (3, 4)
    shard.touch(session2, session2.last_used_ms)
    assert shard.total_partitions() == 3


def test_cached_leader_epoch() -> None:
    fetches = Fetches()
    tp0, tp1, tp2 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1), tip(BAR_ID, "bar", 1)

    def cached_leader_epochs(context: FetchContext) -> list[int | None]:
        parts = partitions_of(context)
        return [parts[tp].current_leader_epoch for tp in (tp0, tp1, tp2)]

    context1 = fetches.context(FetchMetadata.INITIAL, {
        tp0: asked(tp0), tp1: asked(tp1, 10, epoch=1), tp2: asked(tp2, 10, epoch=2)})
    assert cached_leader_epochs(context1) == [None, 1, 2]
    response = {tp0: told(tp0, 100), tp1: told(tp1, 10), tp2: told(tp2, 5)}
    session_id = context1.update_and_generate_response_data(response).session_id()

    context2 = fetches.context(FetchMetadata(session_id, 1))
    assert cached_leader_epochs(context2) == [None, 1, 2]
    context2.update_and_generate_response_data(response)

    context3 = fetches.context(FetchMetadata(session_id, 2), {
        tp0: asked(tp0, epoch=6), tp1: asked(tp1, 10), tp2: asked(tp2, 10, epoch=3)})
    assert cached_leader_epochs(context3) == [6, None, 3]


def test_last_fetched_epoch() -> None:
    fetches = Fetches()
    tp0, tp1, tp2 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1), tip(BAR_ID, "bar", 1)

    def cached_epochs(context: FetchContext) -> list[tuple[int | None, int | None]]:
        parts = partitions_of(context)
        return [(parts[tp].current_leader_epoch, parts[tp].last_fetched_epoch) for tp in (tp0, tp1, tp2)]

    context1 = fetches.context(FetchMetadata.INITIAL, {
        tp0: asked(tp0), tp1: asked(tp1, 10, epoch=1), tp2: asked(tp2, 10, epoch=2, last_fetched_epoch=1)})
    assert cached_epochs(context1) == [(None, None), (1, None), (2, 1)]
    response = {tp0: told(tp0, 100), tp1: told(tp1, 10), tp2: told(tp2, 5)}
    session_id = context1.update_and_generate_response_data(response).session_id()

    context2 = fetches.context(FetchMetadata(session_id, 1))
    assert cached_epochs(context2) == [(None, None), (1, None), (2, 1)]
    context2.update_and_generate_response_data(response)

    context3 = fetches.context(FetchMetadata(session_id, 2), {
        tp0: asked(tp0, epoch=6, last_fetched_epoch=5), tp1: asked(tp1, 10),
        tp2: asked(tp2, 10, epoch=3, last_fetched_epoch=3)})
    assert cached_epochs(context3) == [(6, 5), (None, None), (3, 3)]
    # The session is one, whoever looks.
    assert cached_epochs(context2) == [(6, 5), (None, None), (3, 3)]


def test_fetch_requests() -> None:
    fetches = Fetches()
    tp0, tp1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    tp2, tp3 = tip(BAR_ID, "bar", 0), tip(BAR_ID, "bar", 1)

    context = fetches.context(FetchMetadata.LEGACY, is_from_follower=True)
    assert type(context) is SessionlessFetchContext

    # A full request opens a session.
    request2 = {tp0: asked(tp0), tp1: asked(tp1, 10)}
    context2 = fetches.context(FetchMetadata.INITIAL, request2)
    assert type(context2) is FullFetchContext
    assert list(partitions_of(context2).items()) == list(request2.items())
    assert (context2.get_fetch_offset(tp0), context2.get_fetch_offset(tp1)) == (0, 10)
    updates2 = {tp0: told(tp0, 100), tp1: told(tp1, 10)}
    response2 = context2.update_and_generate_response_data(updates2)
    session_id = response2.session_id()
    assert response2.error() is Errors.NONE
    assert session_id != INVALID_SESSION_ID
    assert response2.response_data(NAMES, LATEST) == {
        tp.topic_partition(): data for tp, data in updates2.items()}

    # Out of turn.
    context3 = fetches.context(FetchMetadata(session_id, 5), request2)
    assert type(context3) is SessionErrorContext
    assert context3.update_and_generate_response_data(updates2).error() is Errors.INVALID_FETCH_SESSION_EPOCH

    # In a session that there is not.
    context4 = fetches.context(FetchMetadata(session_id + 1, 1), request2)
    assert context4.update_and_generate_response_data(updates2).error() is Errors.FETCH_SESSION_ID_NOT_FOUND

    # The session goes on.
    context5 = fetches.context(FetchMetadata(session_id, 1))
    assert type(context5) is IncrementalFetchContext
    assert list(partitions_of(context5).items()) == list(request2.items())
    assert context5.get_fetch_offset(tp1) == 10
    response5 = context5.update_and_generate_response_data(updates2)
    assert (response5.error(), response5.session_id()) == (Errors.NONE, session_id)
    assert response5.response_data(NAMES, LATEST) == {}

    # Out of turn again.
    context6 = fetches.context(FetchMetadata(session_id, 5), request2)
    assert type(context6) is SessionErrorContext
    assert context6.update_and_generate_response_data(updates2).error() is Errors.INVALID_FETCH_SESSION_EPOCH

    # One that has to wait.
    context7 = fetches.context(FetchMetadata(session_id, 2))
    response7 = context7.get_throttled_response(100)
    assert (response7.error(), response7.session_id(), response7.throttle_time_ms()) == (
        Errors.NONE, session_id, 100)

    # The end.
    context8 = fetches.context(FetchMetadata(session_id, FINAL_EPOCH), {tp2: asked(tp2), tp3: asked(tp3, 10)})
    assert type(context8) is SessionlessFetchContext
    assert fetches.shard.size() == 0
    response8 = context8.update_and_generate_response_data({tp2: told(tp2, 100), tp3: told(tp3, 100)})
    assert (response8.error(), response8.session_id()) == (Errors.NONE, INVALID_SESSION_ID)


@pytest.mark.parametrize("uses_topic_ids", [True, False])
def test_incremental_fetch_session(uses_topic_ids: bool) -> None:
    fetches = Fetches()
    version = LATEST if uses_topic_ids else 12
    foo_id, bar_id = (FOO_ID, BAR_ID) if uses_topic_ids else (Uuid.ZERO_UUID, Uuid.ZERO_UUID)
    names: Names = NAMES if uses_topic_ids else {}
    tp0, tp1, tp2 = tip(foo_id, "foo", 0), tip(foo_id, "foo", 1), tip(bar_id, "bar", 0)

    context1 = fetches.context(FetchMetadata.INITIAL, {tp0: asked(tp0), tp1: asked(tp1, 10)}, names=names,
                               version=version)
    assert type(context1) is FullFetchContext
    response1 = context1.update_and_generate_response_data({tp0: told(tp0, 100), tp1: told(tp1, 10)})
    assert response1.error() is Errors.NONE
    assert response1.session_id() != INVALID_SESSION_ID
    assert len(response1.response_data(names, version)) == 2

    # Without foo-0, with bar-0.
    context2 = fetches.context(FetchMetadata(response1.session_id(), 1), {tp2: asked(tp2, 15, 0)}, [tp0],
                               names, version)
    assert type(context2) is IncrementalFetchContext
    assert_partitions_order(context2, tp1, tp2)
    assert [context2.get_fetch_offset(tp) for tp in (tp0, tp1, tp2, tip(bar_id, "bar", 2))] == [
        None, 10, 15, None]
    response2 = context2.update_and_generate_response_data({tp1: told(tp1, 10), tp2: told(tp2, 10)})
    assert response2.error() is Errors.NONE
    assert list(response2.response_data(names, version)) == [tp2.topic_partition()]
    assert response2.session_id() > 0


def test_fetch_session_with_unknown_id_old_request_version() -> None:
    """Old versions know no ids, so whether they are known does not matter."""
    fetches = Fetches()
    tp0, tp1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    context1 = fetches.context(FetchMetadata.INITIAL, {
        tp0: asked(tp0), tp1: FetchRequest.PartitionData(Uuid.ZERO_UUID, 10, 0, 100, None)},
        names={BAR_ID: "bar"}, version=12)
    assert type(context1) is FullFetchContext
    updates = {part: told(part) for part in partitions_of(context1)}
    response1 = context1.update_and_generate_response_data(updates)
    assert response1.error() is Errors.NONE
    assert response1.session_id() != INVALID_SESSION_ID
    assert errors_of(response1, 12) == {tp.topic_partition(): Errors.NONE for tp in (tp0, tp1)}


def test_fetch_session_with_unknown_id() -> None:
    fetches = Fetches()
    foo0, foo1, zar0 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1), tip(ZAR_ID, "zar", 0)
    context1 = fetches.context(
        FetchMetadata.INITIAL, {foo0: asked(foo0), foo1: asked(foo1, 10), zar0: asked(zar0, 10)},
        names={BAR_ID: "bar"})
    assert type(context1) is FullFetchContext
    assert_partitions_order(context1, *map(unresolved, (foo0, foo1, zar0)))
    response1 = answer(context1)
    assert response1.error() is Errors.NONE
    assert response1.session_id() != INVALID_SESSION_ID
    assert errors_of(response1) == {
        tp.topic_partition(): Errors.UNKNOWN_TOPIC_ID for tp in (foo0, foo1, zar0)}

    # Names are found when partitions are gone through.
    context2 = fetches.context(FetchMetadata(response1.session_id(), 1), names={FOO_ID: "foo", BAR_ID: "bar"})
    assert type(context2) is IncrementalFetchContext
    assert_partitions_order(context2, foo0, foo1, unresolved(zar0))
    response2 = answer(context2)
    assert response2.error() is Errors.NONE
    assert response2.session_id() != INVALID_SESSION_ID
    assert errors_of(response2) == {
        foo0.topic_partition(): Errors.NONE, foo1.topic_partition(): Errors.NONE,
        zar0.topic_partition(): Errors.UNKNOWN_TOPIC_ID}


def test_incremental_fetch_session_with_ids_when_session_does_not_use_ids() -> None:
    fetches = Fetches()
    foo0 = tip(Uuid.ZERO_UUID, "foo", 0)
    context1 = fetches.context(FetchMetadata.INITIAL, {foo0: asked(foo0)}, names={}, version=12)
    assert type(context1) is FullFetchContext
    response1 = context1.update_and_generate_response_data({foo0: told(foo0, 100)})
    assert response1.error() is Errors.NONE
    assert response1.session_id() != INVALID_SESSION_ID

    context2 = fetches.context(FetchMetadata(response1.session_id(), 1), names={FOO_ID: "foo"})
    assert type(context2) is SessionErrorContext
    assert context2.update_and_generate_response_data({}).error() is Errors.FETCH_SESSION_TOPIC_ID_ERROR


def test_incremental_fetch_session_without_ids_when_session_uses_ids() -> None:
    fetches = Fetches()
    foo0 = tip(FOO_ID, "foo", 0)
    session_id = fetches.open(foo0)
    context2 = fetches.context(FetchMetadata(session_id, 1), names={}, version=12)
    assert type(context2) is SessionErrorContext
    assert context2.update_and_generate_response_data({}).error() is Errors.FETCH_SESSION_TOPIC_ID_ERROR


def test_fetch_session_update_topic_ids_broker_side() -> None:
    """A topic is deleted and made anew while a session has it."""
    fetches = Fetches()
    tp0, tp1 = tip(FOO_ID, "foo", 0), tip(BAR_ID, "bar", 1)
    context1 = fetches.context(FetchMetadata.INITIAL, {tp0: asked(tp0), tp1: asked(tp1, 10)})
    assert type(context1) is FullFetchContext
    response1 = context1.update_and_generate_response_data({
        tp1: told(tp1), tp0: told(tp0, error=Errors.UNKNOWN_TOPIC_OR_PARTITION)})
    assert response1.error() is Errors.NONE
    assert response1.session_id() != INVALID_SESSION_ID
    assert len(response1.response_data(NAMES, LATEST)) == 2

    context2 = fetches.context(FetchMetadata(response1.session_id(), 1),
                               names={BAR_ID: "bar", Uuid.random_uuid(): "foo"})
    assert type(context2) is IncrementalFetchContext
    response2 = context2.update_and_generate_response_data({
        tp0: told(tp0, error=Errors.INCONSISTENT_TOPIC_ID)})
    assert response2.error() is Errors.NONE
    assert response2.session_id() > 0
    assert errors_of(response2)[tp0.topic_partition()] is Errors.INCONSISTENT_TOPIC_ID


def test_resolve_unknown_partitions() -> None:
    fetches = Fetches()
    foo, bar, zar = tip(FOO_ID, "foo", 0), tip(BAR_ID, "bar", 0), tip(ZAR_ID, "zar", 0)
    context1 = fetches.context(FetchMetadata.INITIAL, {tp: asked(tp) for tp in (foo, bar, zar)}, names={})
    assert type(context1) is FullFetchContext
    assert_partitions_order(context1, *map(unresolved, (foo, bar, zar)))
    session_id = answer(context1).session_id()

    context2 = fetches.context(FetchMetadata(session_id, 1), names={FOO_ID: "foo"})
    assert type(context2) is IncrementalFetchContext
    assert_partitions_order(context2, foo, unresolved(bar), unresolved(zar))
    answer(context2)

    context3 = fetches.context(FetchMetadata(session_id, 2), {bar: asked(bar)},
                               names={FOO_ID: "foo", BAR_ID: "bar"})
    assert type(context3) is IncrementalFetchContext
    assert_partitions_order(context3, foo, bar, unresolved(zar))
    answer(context3)

    context4 = fetches.context(FetchMetadata(session_id, 3))
    assert type(context4) is IncrementalFetchContext
    assert_partitions_order(context4, foo, bar, zar)
    answer(context4)

    # A partition with a name keeps it.
    context5 = fetches.context(FetchMetadata(session_id, 4), names={})
    assert type(context5) is IncrementalFetchContext
    assert_partitions_order(context5, foo, bar, zar)


@pytest.mark.parametrize("foo_ends_resolved", [True, False])
@pytest.mark.parametrize("foo_starts_resolved", [True, False])
def test_to_forget_partitions(foo_starts_resolved: bool, foo_ends_resolved: bool) -> None:
    fetches = Fetches()
    foo, bar = tip(FOO_ID, "foo", 0), tip(BAR_ID, "bar", 0)

    def names(resolved: bool) -> Names:
        return {FOO_ID: "foo"} if resolved else {}

    context1 = fetches.context(FetchMetadata.INITIAL, {foo: asked(foo), bar: asked(bar)},
                               names=names(foo_starts_resolved))
    assert type(context1) is FullFetchContext
    assert_partitions_order(context1, foo if foo_starts_resolved else unresolved(foo), unresolved(bar))
    session_id = answer(context1).session_id()

    context2 = fetches.context(FetchMetadata(session_id, 1), {}, [foo], names(foo_ends_resolved))
    assert type(context2) is IncrementalFetchContext
    assert_partitions_order(context2, unresolved(bar))
    answer(context2)

    # Nothing is left: there is no session any more.
    context3 = fetches.context(FetchMetadata(session_id, 2), {}, [bar], {})
    assert type(context3) is SessionlessFetchContext
    assert_partitions_order(context3)


def test_update_and_generate_response_data() -> None:
    fetches = Fetches()
    foo, bar = tip(FOO_ID, "foo", 0), tip(BAR_ID, "bar", 0)
    names = {FOO_ID: "foo"}
    both = {foo: asked(foo), bar: asked(bar)}

    def check(context: FetchContext) -> int:
        # Errors, so that each is told each time.
        response = answer(context, Errors.UNKNOWN_TOPIC_OR_PARTITION)
        assert errors_of(response) == {foo.topic_partition(): Errors.UNKNOWN_TOPIC_OR_PARTITION,
                                       bar.topic_partition(): Errors.UNKNOWN_TOPIC_ID}
        return response.session_id()

    context1 = fetches.context(FetchMetadata.LEGACY, both, names=names)
    assert type(context1) is SessionlessFetchContext
    check(context1)
    context2 = fetches.context(FetchMetadata.INITIAL, both, names=names)
    assert type(context2) is FullFetchContext
    session_id = check(context2)
    context3 = fetches.context(FetchMetadata(session_id, 1), names=names)
    assert type(context3) is IncrementalFetchContext
    check(context3)
    context4 = fetches.context(FetchMetadata(session_id, 1), names=names)
    assert type(context4) is SessionErrorContext
    assert answer(context4).data().responses == []


def test_fetch_session_expiration() -> None:
    """Where there is room for two, a third takes the place of the one that was not used for longer."""
    fetches = Fetches(max_entries=2)
    foo0, foo1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    session1 = fetches.open(foo0, foo1)
    fetches.time.sleep(500)
    session2 = fetches.open(foo0, foo1)
    assert_cache_contains(fetches.shard, session1, session2)
    fetches.time.sleep(500)
    assert type(fetches.context(FetchMetadata(session1, 1))) is IncrementalFetchContext
    # Long enough for the first if its use had not counted.
    fetches.time.sleep(501)
    session3 = fetches.open(foo0, foo1)
    assert_cache_contains(fetches.shard, session1, session3)
    assert fetches.shard.get(session2) is None


def test_privileged_session_handling() -> None:
    fetches = Fetches(max_entries=2)
    foo0, foo1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    session1 = fetches.open(foo0, foo1, is_from_follower=True)
    assert fetches.shard.size() == 1
    fetches.time.sleep(500)
    session2 = fetches.open(foo0, foo1)
    assert_cache_contains(fetches.shard, session1, session2)
    fetches.time.sleep(500)
    # A replica's takes the place of a consumer's, however new that is.
    session3 = fetches.open(foo0, foo1, is_from_follower=True)
    assert_cache_contains(fetches.shard, session1, session3)
    assert fetches.shard.get(session2) is None
    fetches.time.sleep(501)
    # That of another replica only if it was not used for long.
    session4 = fetches.open(foo0, foo1, is_from_follower=True)
    assert_cache_contains(fetches.shard, session3, session4)
    assert fetches.shard.get(session1) is None


def test_zero_size_fetch_session() -> None:
    fetches = Fetches()
    foo0, foo1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    session_id = fetches.open(foo0, foo1)
    context2 = fetches.context(FetchMetadata(session_id, 1), {}, [foo0, foo1])
    assert type(context2) is SessionlessFetchContext
    response2 = context2.update_and_generate_response_data({})
    assert response2.session_id() == INVALID_SESSION_ID
    assert response2.response_data(NAMES, LATEST) == {}
    assert fetches.shard.size() == 0


def test_diverging_epoch() -> None:
    fetches = Fetches()
    tp1, tp2 = tip(FOO_ID, "foo", 1), tip(BAR_ID, "bar", 2)
    request = {tp: asked(tp, 100, 1000, 5, 4) for tp in (tp1, tp2)}

    def diverging(part: TopicIdPartition) -> Data:
        data = told(part, 105, log_start_offset=0)
        data.diverging_epoch = FetchResponseData.EpochEndOffset(epoch=3, end_offset=90)
        return data

    def told_of(response: FetchResponse) -> set[TopicPartition]:
        assert response.error() is Errors.NONE
        assert response.session_id() != INVALID_SESSION_ID
        return set(response.response_data(NAMES, LATEST))

    both = {tp1.topic_partition(), tp2.topic_partition()}
    context1 = fetches.context(FetchMetadata.INITIAL, request)
    assert type(context1) is FullFetchContext
    updates = {tp1: told(tp1, 105, log_start_offset=0), tp2: diverging(tp2)}
    response1 = context1.update_and_generate_response_data(updates)
    assert told_of(response1) == both

    # Where the logs part is told each time.
    context2 = fetches.context(FetchMetadata(response1.session_id(), 1), request)
    assert type(context2) is IncrementalFetchContext
    response2 = context2.update_and_generate_response_data(updates)
    assert told_of(response2) == {tp2.topic_partition()}
    assert response2.session_id() == response1.session_id()
    updates[tp1] = diverging(tp1)
    assert told_of(context2.update_and_generate_response_data(updates)) == both
    updates[tp1] = told(tp1, 110, log_start_offset=0)
    assert told_of(context2.update_and_generate_response_data(updates)) == both


def test_deprioritizes_partitions_with_records_only() -> None:
    fetches = Fetches()
    tps = tp1, tp2, tp3 = tip(FOO_ID, "foo", 1), tip(BAR_ID, "bar", 2), tip(ZAR_ID, "zar", 3)
    request = {tp: asked(tp, 100, 1000, 5, 4) for tp in tps}

    def told_of(response: FetchResponse) -> set[TopicPartition]:
        assert response.error() is Errors.NONE
        return set(response.response_data(NAMES, LATEST))

    context1 = fetches.context(FetchMetadata.INITIAL, request)
    assert type(context1) is FullFetchContext
    response1 = context1.update_and_generate_response_data(
        {tp: told(tp, 50, log_start_offset=0) for tp in tps})
    assert response1.session_id() != INVALID_SESSION_ID
    assert told_of(response1) == {tp.topic_partition() for tp in tps}

    context2 = fetches.context(FetchMetadata(response1.session_id(), 1), request)
    assert type(context2) is IncrementalFetchContext
    assert_partitions_order(context2, tp1, tp2, tp3)
    response2 = context2.update_and_generate_response_data({})
    assert response2.session_id() == response1.session_id()
    assert told_of(response2) == set()

    updates = {tp1: told(tp1, 60, log_start_offset=0), tp2: told(tp2, 60, log_start_offset=0),
               tp3: told(tp3, 50, log_start_offset=0)}
    updates[tp2].records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(100, None, None))
    response3 = context2.update_and_generate_response_data(updates)
    assert response3.session_id() == response1.session_id()
    assert told_of(response3) == {tp1.topic_partition(), tp2.topic_partition()}
    assert_partitions_order(context2, tp1, tp3, tp2)


def test_cached_partition_equals_and_hash_code() -> None:
    topic_id = Uuid.random_uuid()
    with_id_and_name, with_id_and_no_name, with_different_id, with_zero_id, with_zero_id_and_other_name = (
        CachedPartition(tip(id_, name, 0)) for id_, name in (
            (topic_id, "topic"), (topic_id, None), (Uuid.random_uuid(), "topic"), (Uuid.ZERO_UUID, "topic"),
            (Uuid.ZERO_UUID, "otherTopic")))

    # With an id the name does not matter.
    assert with_id_and_name == with_id_and_no_name
    assert hash(with_id_and_name) == hash(with_id_and_no_name)
    for one in (with_id_and_name, with_id_and_no_name):
        for other in (with_different_id, with_zero_id):
            assert one != other
            assert hash(one) != hash(other)

    # Without, the name counts.
    assert with_zero_id != with_zero_id_and_other_name
    assert hash(with_zero_id) != hash(with_zero_id_and_other_name)
    assert with_zero_id == with_zero_id
    assert hash(with_zero_id) == hash(with_zero_id)


def test_maybe_resolve_unknown_name() -> None:
    named, unnamed, unknown = (CachedPartition(tip(Uuid.random_uuid(), name, 0))
                               for name in ("topic", None, None))
    names = {named.topic_id: "foo", unnamed.topic_id: "bar"}
    for part in (named, unnamed, unknown):
        part.maybe_resolve_unknown_name(names)
    assert [part.topic for part in (named, unnamed, unknown)] == ["topic", "bar", None]


def test_fetch_session_cache_get_sharded_cache_retrieves_cache_from_correct_segment() -> None:
    shards = new_shards()
    session_id_range = INT_MAX // len(shards)
    cache = new_cache(*shards)
    assert cache.get_cache_shard(session_id_range - 1) is shards[0]
    assert cache.get_cache_shard(session_id_range) is shards[1]
    assert cache.get_cache_shard(session_id_range * 2) is shards[2]
    with pytest.raises(IndexError):
        cache.get_cache_shard(session_id_range * len(shards))
    # Division is towards 0.
    assert cache.get_cache_shard(1 - session_id_range) is shards[0]
    with pytest.raises(IndexError):
        cache.get_cache_shard(-session_id_range)


@pytest.mark.parametrize("shard_num", range(8))
def test_ids_are_of_the_shard_that_gives_them(shard_num: int) -> None:
    shards = new_shards()
    cache = new_cache(*shards)
    for _ in range(100):
        assert cache.get_cache_shard(shards[shard_num].new_session_id()) is shards[shard_num]


def test_fetch_session_cache_round_robins_into_shards() -> None:
    shards = new_shards()
    cache = new_cache(*shards)
    assert [cache.get_next_cache_shard() for _ in range(16)] == [*shards, *shards]


def test_fetch_session_cache_round_robins_into_shards_when_integer_overflows(counter: AtomicInteger) -> None:
    counter.set(INT_MAX + 1)
    test_fetch_session_cache_round_robins_into_shards()


# -- beyond the origin's ---------------------------------------------------------------------------


def test_metrics_of_all_shards() -> None:
    registry = MetricsRegistry()
    shards = [FetchSessionCacheShard(1, 1000, INT_MAX // 2, number, registry) for number in range(2)]
    cache = FetchSessionCache(shards, registry)
    for size in (3, 4, 5):
        cache.get_next_cache_shard().maybe_create_session(5000 * size, False, size, True, dummy_create(size))
    values = {name.get_mbean_name(): getattr(metric, "value", getattr(metric, "count", None))
              for name, metric in registry.all_metrics().items()}
    prefix = "kafka.server:type=FetchSessionCache,name="
    assert {name: value() for name, value in values.items() if value is not None} == {
        prefix + "NumIncrementalFetchSessions": 2, prefix + "NumIncrementalFetchPartitionsCached": 9,
        prefix + "IncrementalFetchSessionEvictionsPerSec": 1}


def test_without_slots_there_are_no_sessions() -> None:
    fetches = Fetches(max_entries=0)
    tp0 = tip(FOO_ID, "foo", 0)
    context = fetches.context(FetchMetadata.INITIAL, {tp0: asked(tp0)})
    assert type(context) is FullFetchContext
    response = context.update_and_generate_response_data({tp0: told(tp0)})
    assert (response.error(), response.session_id()) == (Errors.NONE, INVALID_SESSION_ID)
    assert len(response.response_data(NAMES, LATEST)) == 1


def test_a_thousand_clients_that_never_come_again_take_no_more_than_the_slots() -> None:
    fetches = Fetches(max_entries=10)
    tp0 = tip(FOO_ID, "foo", 0)
    opened = 0
    for _ in range(1000):
        context = fetches.context(FetchMetadata.INITIAL, {tp0: asked(tp0)})
        opened += context.update_and_generate_response_data({tp0: told(tp0)}).session_id() > 0
        fetches.time.sleep(100)
    shard = fetches.shard
    assert (shard.size(), shard.total_partitions()) == (10, 10)
    # Not more often than each is old enough.
    assert opened == 10 + shard.evictions_meter.count() < 1000
    assert len(shard._last_used) == 10 >= len(shard._evictable_by_all)
    assert len(shard._evictable_by_privileged) == 10


def test_a_topic_with_neither_name_nor_id() -> None:
    fetches = Fetches()
    nobody, foo0 = tip(Uuid.ZERO_UUID, "nobody", 0), tip(FOO_ID, "foo", 0)
    context = fetches.context(FetchMetadata.INITIAL, {nobody: asked(nobody), foo0: asked(foo0)})
    assert type(context) is FullFetchContext
    response1 = answer(context)
    assert [(topic.topic_id, topic.partitions[0].error_code) for topic in response1.data().responses] == [
        (Uuid.ZERO_UUID, Errors.UNKNOWN_TOPIC_ID.code), (FOO_ID, Errors.NONE.code)]
    context2 = fetches.context(FetchMetadata(response1.session_id(), 1))
    assert_partitions_order(context2, unresolved(nobody), foo0)
    response2 = answer(context2)
    assert [(topic.topic_id, topic.partitions[0].error_code) for topic in response2.data().responses] == [
        (Uuid.ZERO_UUID, Errors.UNKNOWN_TOPIC_ID.code)]
    assert_partitions_order(fetches.context(FetchMetadata(response1.session_id(), 2), {}, [nobody]), foo0)


def test_an_answer_that_comes_after_the_next_request() -> None:
    """Its session has gone on, and the client's copy of it is none any more."""
    fetches = Fetches()
    tp0 = tip(FOO_ID, "foo", 0)
    session_id = fetches.open(tp0)
    late = fetches.context(FetchMetadata(session_id, 1))
    fetches.context(FetchMetadata(session_id, 2))
    updates = {tp0: told(tp0, 99)}
    for response in (late.update_and_generate_response_data(updates), late.get_throttled_response(5)):
        assert (response.error(), response.session_id(), response.data().responses) == (
            Errors.INVALID_FETCH_SESSION_EPOCH, session_id, [])
    assert late.get_response_size(updates, LATEST) == FetchResponse.size_of(LATEST, ())


def test_the_size_of_an_answer_is_that_of_what_changed_and_changes_nothing() -> None:
    fetches = Fetches()
    tp0, tp1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    context = fetches.context(FetchMetadata(fetches.open(tp0, tp1), 1))
    updates = {tp0: told(tp0), tp1: told(tp1, 11)}
    for _ in range(2):
        assert context.get_response_size(updates, LATEST) == FetchResponse.size_of(
            LATEST, [(tp1, updates[tp1])])
    assert list(context.update_and_generate_response_data(updates).response_data(NAMES, LATEST)) == [
        tp1.topic_partition()]


def test_the_size_of_other_answers() -> None:
    fetches = Fetches()
    tp0 = tip(FOO_ID, "foo", 0)
    updates = {tp0: told(tp0)}
    full = FetchResponse.size_of(LATEST, updates.items())
    for metadata, size in ((FetchMetadata.LEGACY, full), (FetchMetadata.INITIAL, full),
                           (FetchMetadata(7, 7), FetchResponse.size_of(LATEST, ()))):
        context = fetches.context(metadata, {tp0: asked(tp0, 3)})
        assert context.get_response_size(updates, LATEST) == size
        assert context.get_fetch_offset(tp0) == (3 if size == full else None)
        assert len(partitions_of(context)) == (1 if size == full else 0)


@pytest.mark.parametrize("metadata", [FetchMetadata.LEGACY, FetchMetadata(123, 1)], ids=str)
def test_the_answer_to_a_client_that_has_to_wait(metadata: FetchMetadata) -> None:
    response = Fetches().context(metadata).get_throttled_response(77)
    assert (response.error(), response.throttle_time_ms(), response.session_id(),
            response.data().responses) == (
        Errors.NONE, 77, FetchMetadata.INVALID_SESSION_ID, [])


def test_what_is_said(caplog: pytest.LogCaptureFixture) -> None:
    tp0, tp1 = tip(FOO_ID, "foo", 0), tip(FOO_ID, "foo", 1)
    assert partitions_to_log_string([tp0, tp1], False) == "2 partition(s)"
    assert partitions_to_log_string([tp0, tp1], True) == f"({tp0}, {tp1})"
    caplog.set_level(logging.DEBUG)
    fetches = Fetches()
    id1 = fetches.open(tp0, tp1)
    session = session_of(fetches.shard, id1)
    assert session.metadata() == FetchMetadata(id1, 1)
    assert str(session) == (
        f"FetchSession(id={id1}, privileged=False, partitionMap.size=2, usesTopicIds=True, "
        f"creationMs={session.creation_ms}, lastUsedMs={session.last_used_ms}, epoch=1)")
    answer(fetches.context(FetchMetadata(id1, 1), {tp1: asked(tp1, 5)}))
    answer(fetches.context(FetchMetadata(id1, 9)))
    answer(fetches.context(FetchMetadata(id1 + 1, 1)))
    fetches.context(FetchMetadata(id1, 2), version=12)
    answer(fetches.context(FetchMetadata(id1, FINAL_EPOCH)))
    id2 = fetches.open(tp0)
    fetches.context(FetchMetadata(id2, 1), {}, [tp0])
    assert [re.sub("(?<=created fetch session ).*", "SESSION", record.message)
            for record in caplog.records] == [
        "created a new full fetch context with 2 partition(s)",
        "[Shard 0] created fetch session SESSION",
        f"full fetch context with session id {id1} returning 2 partition(s)",
        f"created a new incremental fetch context for session id {id1}, epoch 2: added 0 partition(s), "
        "updated 1 partition(s), removed 0 partition(s)",
        f"incremental fetch context with session id {id1} returning 0 partition(s)",
        f"session error for {id1}: expected epoch 2, but got 9 instead",
        "session error fetch context returning INVALID_FETCH_SESSION_EPOCH",
        f"session error for {id1 + 1}: no such session ID found",
        "session error fetch context returning FETCH_SESSION_ID_NOT_FOUND",
        f"session error for {id1}: it began with topic IDs, which request version 12 contradicts",
        f"created a new full fetch context with 0 partition(s); removed fetch session {id1}; will not try to "
        "create a new session",
        "sessionless fetch context returning 0 partition(s)",
        "created a new full fetch context with 1 partition(s)",
        "[Shard 0] created fetch session SESSION",
        f"full fetch context with session id {id2} returning 1 partition(s)",
        f"created a new sessionless fetch context and closing session id {id2}, epoch 1: after removing 1 "
        "partition(s), there are no more partitions left"]
