# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchSession of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The context of a fetch request, and the fetch sessions of clients that send only changed partitions.

KIP-227: a client's full request opens a session. The session remembers which partitions the client reads, and
what the last response said of each. Later requests name only changes, and later responses contain only
partitions that changed. A random number identifies a session. An epoch counts its requests, so that a lost or
duplicate request is noticed. A client that gets no session receives a full response with session id 0.

The number of sessions is limited by the slots of the cache. A new session may evict one that has not been
used for long, or one of lower rank. A replica's session is privileged and outranks the others; then a larger
session outranks a smaller one. As in Kafka, the client decides how many partitions its session has.

Sessions are spread over shards, each with its own lock. A thread may take a session's lock while it holds a
shard's lock, never the other way round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Callable, NamedTuple, Optional

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.common.uuid import Uuid
from kreactor.core.utils.logging import Logging
from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.time_unit import TimeUnit
from kreactor.jdk.tree_map import TreeMap
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry

ReqMap = Mapping[TopicIdPartition, FetchRequest.PartitionData]
RespMap = dict[TopicIdPartition, FetchResponseData.PartitionData]
TopicNameMap = Mapping[Uuid, str]
PartitionFunction = Callable[[TopicIdPartition, FetchRequest.PartitionData], object]
# The topic's id, or the topic's name if it has no id; and the partition's number.
CachedPartitionKey = tuple[Optional[object], int]
# DEVIATION D123: Kafka's collection is a hash set whose elements are linked to each other.
CacheMap = dict[CachedPartitionKey, "CachedPartition"]

_INT_MAX_VALUE = 0x7FFFFFFF


def partitions_to_log_string(partitions: Collection[TopicIdPartition], trace_enabled: bool) -> str:
    """Return the partitions as text, or only their number without ``trace_enabled``.

    :origin: kafka.server.FetchSession#partitionsToLogString
    """
    if trace_enabled:
        return f"({', '.join(map(str, partitions))})"
    return f"{len(partitions)} partition(s)"


def _hash_names(partitions: Iterable[TopicIdPartition]) -> None:
    """Raise TypeError where the origin hashes the name of a topic without name and id."""
    for part in partitions:
        if part.topic() is None and part.topic_id() == Uuid.ZERO_UUID:
            raise TypeError(f"{part} has neither a topic name nor a topic ID")


class CachedPartition:
    """A session's state of a partition: the client's last request for it, and the last response.

    Guarded by the session's lock. ``high_watermark`` and ``local_log_start_offset`` are what the client
    knows. The request's ``log_start_offset`` is that of a reading replica.

    :origin: kafka.server.CachedPartition
    """

    __slots__ = ("topic", "topic_id", "partition", "max_bytes", "fetch_offset", "high_watermark",
                 "leader_epoch", "fetcher_log_start_offset", "local_log_start_offset", "last_fetched_epoch")

    def __init__(self, part: TopicIdPartition, req_data: FetchRequest.PartitionData | None = None,
                 resp_data: FetchResponseData.PartitionData | None = None) -> None:
        """Without ``resp_data``, the client has not received a response for the partition yet.

        :origin: kafka.server.CachedPartition#CachedPartition
        """
        # The topic has no name while the name is unknown.
        self.topic = part.topic()
        self.topic_id = part.topic_id()
        self.partition = part.partition()
        self.max_bytes = self.fetch_offset = self.fetcher_log_start_offset = -1
        self.leader_epoch: int | None = None
        self.last_fetched_epoch: int | None = None
        if req_data is not None:
            self.update_request_params(req_data)
        self.high_watermark = -1 if resp_data is None else resp_data.high_watermark
        self.local_log_start_offset = -1 if resp_data is None else resp_data.log_start_offset

    def req_data(self) -> FetchRequest.PartitionData:
        """Return the client's request for the partition.

        :origin: kafka.server.CachedPartition#reqData
        """
        return FetchRequest.PartitionData(
            self.topic_id, self.fetch_offset, self.fetcher_log_start_offset, self.max_bytes,
            self.leader_epoch, self.last_fetched_epoch)

    def update_request_params(self, req_data: FetchRequest.PartitionData) -> None:
        """Replace the client's request for the partition.

        :origin: kafka.server.CachedPartition#updateRequestParams
        """
        self.max_bytes = req_data.max_bytes
        self.fetch_offset = req_data.fetch_offset
        self.fetcher_log_start_offset = req_data.log_start_offset
        self.leader_epoch = req_data.current_leader_epoch
        self.last_fetched_epoch = req_data.last_fetched_epoch

    def maybe_resolve_unknown_name(self, topic_names: TopicNameMap) -> None:
        """Set the topic's name if it is missing and ``topic_names`` has it.

        :origin: kafka.server.CachedPartition#maybeResolveUnknownName
        """
        if self.topic is None:
            self.topic = topic_names.get(self.topic_id)

    def maybe_update_response_data(self, resp_data: FetchResponseData.PartitionData,
                                   update_response_data: bool) -> bool:
        """Return whether the response must contain the partition. ``update_response_data`` stores what is
        sent.

        :origin: kafka.server.CachedPartition#maybeUpdateResponseData
        """
        must_respond = False
        if FetchResponse.records_size(resp_data) > 0:
            must_respond = True
        if self.high_watermark != resp_data.high_watermark:
            must_respond = True
            if update_response_data:
                self.high_watermark = resp_data.high_watermark
        if self.local_log_start_offset != resp_data.log_start_offset:
            must_respond = True
            if update_response_data:
                self.local_log_start_offset = resp_data.log_start_offset
        if FetchResponse.is_preferred_replica(resp_data):
            must_respond = True
        if resp_data.error_code != Errors.NONE.code:
            # The changed value makes the next response contain the partition, so the client learns that the
            # error is over.
            if update_response_data:
                self.high_watermark = -1
            must_respond = True
        if FetchResponse.is_diverging_epoch(resp_data):
            must_respond = True
        return must_respond

    @staticmethod
    def key_of(part: TopicIdPartition) -> CachedPartitionKey:
        """Return the partition's key: the topic's id if it has one, else the topic's name, with the
        number."""
        topic_id = part.topic_id()
        # DEVIATION D124: a partition with neither id nor name is unequal to any other.
        return topic_id if topic_id != Uuid.ZERO_UUID else part.topic(), part.partition()

    def _key(self) -> CachedPartitionKey:
        return CachedPartition.key_of(TopicIdPartition.of(self.topic_id, self.partition, self.topic))

    def __hash__(self) -> int:
        """:origin: kafka.server.CachedPartition#hashCode"""
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        """:origin: kafka.server.CachedPartition#equals"""
        return self is other or isinstance(other, CachedPartition) and self._key() == other._key()

    def __str__(self) -> str:
        """:origin: kafka.server.CachedPartition#toString"""
        return (f"CachedPartition(topic={self.topic}, topicId={self.topic_id}, partition={self.partition}, "
                f"maxBytes={self.max_bytes}, fetchOffset={self.fetch_offset}, "
                f"highWatermark={self.high_watermark}, "
                f"fetcherLogStartOffset={self.fetcher_log_start_offset}, "
                f"localLogStartOffset={self.local_log_start_offset})")

    __repr__ = __str__


class FetchSession:
    """The fetch session of one client. ``lock`` guards it and its partitions.

    ``partition_map`` is in the order in which partitions are read; a partition that returned records moves to
    the end. ``epoch`` is the epoch of the next request. Times are in milliseconds.

    :origin: kafka.server.FetchSession
    :origin: kafka.server.FetchSession
    """

    __slots__ = ("lock", "id", "privileged", "partition_map", "uses_topic_ids", "creation_ms", "last_used_ms",
                 "epoch", "cached_size")

    NUM_INCREMENTAL_FETCH_SESSIONS = "NumIncrementalFetchSessions"
    NUM_INCREMENTAL_FETCH_PARTITIONS_CACHED = "NumIncrementalFetchPartitionsCached"
    INCREMENTAL_FETCH_SESSIONS_EVICTIONS_PER_SEC = "IncrementalFetchSessionEvictionsPerSec"
    EVICTIONS = "evictions"

    def __init__(self, id: int, privileged: bool, partition_map: CacheMap, uses_topic_ids: bool,
                 creation_ms: int, last_used_ms: int, epoch: int) -> None:
        """``privileged`` is True for a replica; the cache updates ``last_used_ms``.

        :origin: kafka.server.FetchSession#FetchSession
        """
        self.lock = ReentrantLock()
        self.id = id
        self.privileged = privileged
        self.partition_map = partition_map
        self.uses_topic_ids = uses_topic_ids
        self.creation_ms = creation_ms
        self.last_used_ms = last_used_ms
        self.epoch = epoch
        # The number of partitions that the cache counts for the session, -1 if the session is not in the
        # cache.
        self.cached_size = -1

    def size(self) -> int:
        """Return the number of partitions.

        :origin: kafka.server.FetchSession#size
        """
        with self.lock:
            return len(self.partition_map)

    def is_empty(self) -> bool:
        """Return whether there is no partition.

        :origin: kafka.server.FetchSession#isEmpty
        """
        with self.lock:
            return not self.partition_map

    def last_used_key(self) -> LastUsedKey:
        """Return the key that orders sessions by their last use.

        :origin: kafka.server.FetchSession#lastUsedKey
        """
        with self.lock:
            return LastUsedKey(self.last_used_ms, self.id)

    def evictable_key(self) -> EvictableKey:
        """Return the key that orders sessions by their rank.

        :origin: kafka.server.FetchSession#evictableKey
        """
        with self.lock:
            return EvictableKey(self.privileged, self.cached_size, self.id)

    def metadata(self) -> FetchMetadata:
        """Return the session id and the epoch of the next request.

        :origin: kafka.server.FetchSession#metadata
        """
        with self.lock:
            return FetchMetadata(self.id, self.epoch)

    def get_fetch_offset(self, topic_id_partition: TopicIdPartition) -> int | None:
        """Return the fetch offset of a partition, None if the partition is not in the session.

        :origin: kafka.server.FetchSession#getFetchOffset
        """
        with self.lock:
            part = self.partition_map.get(CachedPartition.key_of(topic_id_partition))
            return None if part is None else part.fetch_offset

    def update(self, fetch_data: ReqMap, to_forget: Collection[TopicIdPartition],
               ) -> tuple[list[TopicIdPartition], list[TopicIdPartition], list[TopicIdPartition]]:
        """Apply a request's changes; return the added, updated and removed partitions.

        :origin: kafka.server.FetchSession#update
        """
        with self.lock:
            added: list[TopicIdPartition] = []
            updated: list[TopicIdPartition] = []
            removed: list[TopicIdPartition] = []
            partition_map = self.partition_map
            for topic_part, req_data in fetch_data.items():
                key = CachedPartition.key_of(topic_part)
                cached_part = partition_map.get(key)
                if cached_part is None:
                    partition_map[key] = CachedPartition(topic_part, req_data)
                    added.append(topic_part)
                else:
                    cached_part.update_request_params(req_data)
                    updated.append(topic_part)
            for topic_part in to_forget:
                if partition_map.pop(CachedPartition.key_of(topic_part), None) is not None:
                    removed.append(topic_part)
            return added, updated, removed

    def __str__(self) -> str:
        """:origin: kafka.server.FetchSession#toString"""
        with self.lock:
            return (f"FetchSession(id={self.id}, privileged={self.privileged}, "
                    f"partitionMap.size={len(self.partition_map)}, usesTopicIds={self.uses_topic_ids}, "
                    f"creationMs={self.creation_ms}, lastUsedMs={self.last_used_ms}, epoch={self.epoch})")

    __repr__ = __str__


class FetchContext(Logging, ABC):
    """One fetch request: its partitions, and how its response is built. Used by one thread at a time.

    :origin: kafka.server.FetchContext
    """

    __slots__ = ()

    @abstractmethod
    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """Return the fetch offset of a partition.

        :origin: kafka.server.FetchContext#getFetchOffset
        """

    @abstractmethod
    def foreach_partition(self, fun: PartitionFunction) -> None:
        """Call ``fun`` with each partition in turn.

        :origin: kafka.server.FetchContext#foreachPartition
        """

    @abstractmethod
    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """Return the size of the response with ``updates``, in bytes.

        :origin: kafka.server.FetchContext#getResponseSize
        """

    @abstractmethod
    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Return the response with ``updates``, whose records may still need conversion.

        :origin: kafka.server.FetchContext#updateAndGenerateResponseData
        """

    def partitions_to_log_string(self, partitions: Collection[TopicIdPartition]) -> str:
        """:origin: kafka.server.FetchContext#partitionsToLogString"""
        return partitions_to_log_string(partitions, self.is_trace_enabled())

    def get_throttled_response(self, throttle_time_ms: int) -> FetchResponse:
        """Return the response to a throttled client, which has no partitions.

        :origin: kafka.server.FetchContext#getThrottledResponse
        """
        return FetchResponse.of(Errors.NONE, throttle_time_ms, FetchMetadata.INVALID_SESSION_ID, {})


class SessionErrorContext(FetchContext):
    """A request for a session that does not exist, or with an unexpected epoch.

    :origin: kafka.server.SessionErrorContext
    """

    __slots__ = ("error_", "req_metadata")

    def __init__(self, error: Errors, req_metadata: FetchMetadata) -> None:
        """:origin: kafka.server.SessionErrorContext#SessionErrorContext"""
        self.error_ = error
        self.req_metadata = req_metadata

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.SessionErrorContext#getFetchOffset"""
        return None

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """:origin: kafka.server.SessionErrorContext#foreachPartition"""

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.SessionErrorContext#getResponseSize"""
        return FetchResponse.size_of(version_id, ())

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Return a response with the error, and no partitions: the requested ones are unknown.

        :origin: kafka.server.SessionErrorContext#updateAndGenerateResponseData
        """
        self.debug("session error fetch context returning %s", self.error_)
        return FetchResponse.of(self.error_, 0, FetchMetadata.INVALID_SESSION_ID, {})


class SessionlessFetchContext(FetchContext):
    """A request that names all its partitions.

    :origin: kafka.server.SessionlessFetchContext
    :origin: kafka.server.SessionlessFetchContext
    """

    __slots__ = ("fetch_data",)

    def __init__(self, fetch_data: ReqMap) -> None:
        """:origin: kafka.server.SessionlessFetchContext#SessionlessFetchContext"""
        self.fetch_data = fetch_data

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.SessionlessFetchContext#getFetchOffset"""
        data = self.fetch_data.get(part)
        return None if data is None else data.fetch_offset

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """:origin: kafka.server.SessionlessFetchContext#foreachPartition"""
        for tp, data in self.fetch_data.items():
            fun(tp, data)

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.SessionlessFetchContext#getResponseSize"""
        return FetchResponse.size_of(version_id, updates.items())

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """:origin: kafka.server.SessionlessFetchContext#updateAndGenerateResponseData"""
        if self.is_debug_enabled():
            self.debug("sessionless fetch context returning %s",
                       self.partitions_to_log_string(updates.keys()))
        return FetchResponse.of(Errors.NONE, 0, FetchMetadata.INVALID_SESSION_ID, updates)


class FullFetchContext(FetchContext):
    """A request that names all its partitions, and opens a session.

    :origin: kafka.server.FullFetchContext
    :origin: kafka.server.FullFetchContext
    """

    __slots__ = ("_time", "_cache", "_req_metadata", "_fetch_data", "_uses_topic_ids", "_is_from_follower",
                 "_strict")

    def __init__(self, time: Time, cache: FetchSessionCache, req_metadata: FetchMetadata, fetch_data: ReqMap,
                 uses_topic_ids: bool, is_from_follower: bool, strict: bool = False) -> None:
        """:origin: kafka.server.FullFetchContext#FullFetchContext"""
        self._strict = strict
        self._time = time
        self._cache = cache
        self._req_metadata = req_metadata
        self._fetch_data = fetch_data
        self._uses_topic_ids = uses_topic_ids
        self._is_from_follower = is_from_follower

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.FullFetchContext#getFetchOffset"""
        data = self._fetch_data.get(part)
        return None if data is None else data.fetch_offset

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """:origin: kafka.server.FullFetchContext#foreachPartition"""
        for tp, data in self._fetch_data.items():
            fun(tp, data)

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.FullFetchContext#getResponseSize"""
        return FetchResponse.size_of(version_id, updates.items())

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Open a session if the cache has room for it, and return the response with all partitions.

        :origin: kafka.server.FullFetchContext#updateAndGenerateResponseData
        """
        def create_new_session() -> CacheMap:
            if self._strict:
                _hash_names(updates)
            return {CachedPartition.key_of(part): CachedPartition(part, self._fetch_data[part], resp_data)
                    for part, resp_data in updates.items()}

        cache_shard = self._cache.get_next_cache_shard()
        response_session_id = cache_shard.maybe_create_session(
            self._time.milliseconds(), self._is_from_follower, len(updates), self._uses_topic_ids,
            create_new_session)
        if self.is_debug_enabled():
            self.debug("full fetch context with session id %d returning %s", response_session_id,
                       self.partitions_to_log_string(updates.keys()))
        return FetchResponse.of(Errors.NONE, 0, response_session_id, updates)


class IncrementalFetchContext(FetchContext):
    """A request that names only the changes in its session.

    :origin: kafka.server.IncrementalFetchContext
    :origin: kafka.server.IncrementalFetchContext
    """

    __slots__ = ("_time", "_req_metadata", "_session", "_topic_names")

    def __init__(self, time: Time, req_metadata: FetchMetadata, session: FetchSession,
                 topic_names: TopicNameMap) -> None:
        """``topic_names`` resolves partitions whose topics had no name yet.

        :origin: kafka.server.IncrementalFetchContext#IncrementalFetchContext
        """
        self._time = time
        self._req_metadata = req_metadata
        self._session = session
        self._topic_names = topic_names

    def get_fetch_offset(self, part: TopicIdPartition) -> int | None:
        """:origin: kafka.server.IncrementalFetchContext#getFetchOffset"""
        return self._session.get_fetch_offset(part)

    def foreach_partition(self, fun: PartitionFunction) -> None:
        """Call ``fun`` with each partition of the session, with the session's lock held.

        :origin: kafka.server.IncrementalFetchContext#foreachPartition
        """
        session = self._session
        with session.lock:
            uses_topic_ids = session.uses_topic_ids
            for part in session.partition_map.values():
                if uses_topic_ids:
                    part.maybe_resolve_unknown_name(self._topic_names)
                fun(TopicIdPartition.of(part.topic_id, part.partition, part.topic), part.req_data())

    def _partition_iterator(self, updates: RespMap, update_fetch_context_and_remove_unselected: bool,
                            ) -> Iterator[tuple[TopicIdPartition, FetchResponseData.PartitionData]]:
        """Yield the partitions that the response must contain.

        ``update_fetch_context_and_remove_unselected`` stores what is sent, and removes the other partitions
        from ``updates``. A partition with records moves to the end of the session, so that the others are
        read first next time.

        :origin: kafka.server.IncrementalFetchContext.PartitionIterator
        """
        partition_map = self._session.partition_map
        for element in list(updates.items()):
            topic_part, resp_data = element
            key = CachedPartition.key_of(topic_part)
            cached_part = partition_map[key]
            must_respond = cached_part.maybe_update_response_data(
                resp_data, update_fetch_context_and_remove_unselected)
            if must_respond:
                if update_fetch_context_and_remove_unselected and FetchResponse.records_size(resp_data) > 0:
                    del partition_map[key]
                    partition_map[key] = cached_part
                yield element
            elif update_fetch_context_and_remove_unselected:
                del updates[topic_part]

    def get_response_size(self, updates: RespMap, version_id: int) -> int:
        """:origin: kafka.server.IncrementalFetchContext#getResponseSize"""
        with self._session.lock:
            expected_epoch = FetchMetadata.next_epoch(self._req_metadata.epoch())
            if self._session.epoch != expected_epoch:
                return FetchResponse.size_of(version_id, ())
            return FetchResponse.size_of(version_id, self._partition_iterator(updates, False))

    def update_and_generate_response_data(self, updates: RespMap) -> FetchResponse:
        """Return the changed partitions. Another request of the session in the meantime gives an error
        response.

        :origin: kafka.server.IncrementalFetchContext#updateAndGenerateResponseData
        """
        session = self._session
        with session.lock:
            expected_epoch = FetchMetadata.next_epoch(self._req_metadata.epoch())
            if session.epoch != expected_epoch:
                self.info("incremental fetch session %d expected epoch %d, but got %d; possible duplicate "
                          "request", session.id, expected_epoch, session.epoch)
                return FetchResponse.of(Errors.INVALID_FETCH_SESSION_EPOCH, 0, session.id, {})
            for _ in self._partition_iterator(updates, True):
                pass
            if self.is_debug_enabled():
                self.debug("incremental fetch context with session id %d returning %s", session.id,
                           self.partitions_to_log_string(updates.keys()))
            return FetchResponse.of(Errors.NONE, 0, session.id, updates)

    def get_throttled_response(self, throttle_time_ms: int) -> FetchResponse:
        """:origin: kafka.server.IncrementalFetchContext#getThrottledResponse"""
        session = self._session
        with session.lock:
            expected_epoch = FetchMetadata.next_epoch(self._req_metadata.epoch())
            if session.epoch != expected_epoch:
                self.info("incremental fetch session %d expected epoch %d, but got %d; possible duplicate "
                          "request", session.id, expected_epoch, session.epoch)
                return FetchResponse.of(
                    Errors.INVALID_FETCH_SESSION_EPOCH, throttle_time_ms, session.id, {})
            return FetchResponse.of(Errors.NONE, throttle_time_ms, session.id, {})


class LastUsedKey(NamedTuple):
    """Orders sessions by their last use, the oldest first.

    :origin: kafka.server.LastUsedKey
    """

    last_used_ms: int
    id: int


class EvictableKey(NamedTuple):
    """Orders sessions by their rank, the lowest first.

    :origin: kafka.server.EvictableKey
    """

    privileged: bool
    size: int
    id: int


class FetchSessionCacheShard(Logging):
    """A part of all sessions. For use by any thread; guarded by ``lock``.

    :origin: kafka.server.FetchSessionCacheShard
    """

    def __init__(self, max_entries: int, eviction_ms: int, session_id_range: int = _INT_MAX_VALUE,
                 shard_num: int = 0, metrics_registry: MetricsRegistry | None = None) -> None:
        """Hold up to ``max_entries`` sessions; a session unused for ``eviction_ms`` may be evicted by any
        other.

        The shard's ids begin at ``shard_num`` times ``session_id_range``, or at 1 for the first shard, and
        end below those of the next shard.

        :origin: kafka.server.FetchSessionCacheShard#FetchSessionCacheShard
        """
        self._log_ident = f"[Shard {shard_num}] "
        self.lock = ReentrantLock()
        self._max_entries = max_entries
        self._eviction_ms = eviction_ms
        self.session_id_range = session_id_range
        self._shard_num = shard_num
        self._num_partitions = 0
        self._sessions: dict[int, FetchSession] = {}
        self._last_used: TreeMap[LastUsedKey, FetchSession] = TreeMap()
        self._evictable_by_all: TreeMap[EvictableKey, FetchSession] = TreeMap()
        self._evictable_by_privileged: TreeMap[EvictableKey, FetchSession] = TreeMap()
        # All shards share this meter, because its name is the same.
        self.evictions_meter = KafkaMetricsGroup(FetchSessionCache, metrics_registry).new_meter(
            FetchSession.INCREMENTAL_FETCH_SESSIONS_EVICTIONS_PER_SEC, FetchSession.EVICTIONS,
            TimeUnit.SECONDS)

    def get(self, session_id: int) -> FetchSession | None:
        """Return a session, or None.

        :origin: kafka.server.FetchSessionCacheShard#get
        """
        with self.lock:
            return self._sessions.get(session_id)

    def size(self) -> int:
        """Return the number of sessions.

        :origin: kafka.server.FetchSessionCacheShard#size
        """
        with self.lock:
            return len(self._sessions)

    def total_partitions(self) -> int:
        """Return the number of partitions in all sessions.

        :origin: kafka.server.FetchSessionCacheShard#totalPartitions
        """
        with self.lock:
            return self._num_partitions

    def new_session_id(self) -> int:
        """Return a random id that no session has.

        :origin: kafka.server.FetchSessionCacheShard#newSessionId
        """
        with self.lock:
            while True:
                id = RANDOM.randrange(max(1, self._shard_num * self.session_id_range),
                                      (self._shard_num + 1) * self.session_id_range)
                if id not in self._sessions and id != FetchMetadata.INVALID_SESSION_ID:
                    return id

    def maybe_create_session(self, now: int, privileged: bool, size: int, uses_topic_ids: bool,
                             create_partitions: Callable[[], CacheMap]) -> int:
        """Return the id of a new session with ``size`` partitions, INVALID_SESSION_ID if there is no room.

        :origin: kafka.server.FetchSessionCacheShard#maybeCreateSession
        """
        with self.lock:
            if (len(self._sessions) < self._max_entries
                    or self._try_evict(privileged, EvictableKey(privileged, size, 0), now)):
                partition_map = create_partitions()
                session = FetchSession(self.new_session_id(), privileged, partition_map, uses_topic_ids,
                                       now, now, FetchMetadata.next_epoch(FetchMetadata.INITIAL_EPOCH))
                self.debug("created fetch session %s", session)
                self._sessions[session.id] = session
                self.touch(session, now)
                return session.id
            self.debug("no fetch session created for privileged=%s, size=%d", privileged, size)
            return FetchMetadata.INVALID_SESSION_ID

    def _try_evict(self, privileged: bool, key: EvictableKey, now: int) -> bool:
        """Evict a session to make room for one with ``key``; return whether a session was evicted.

        A session that has not been used for long goes first. Otherwise the lowest one goes, if the new
        session outranks it. A young session is evicted only for a privileged one.

        :origin: kafka.server.FetchSessionCacheShard#tryEvict
        """
        with self.lock:
            last_used_entry = self._last_used.first_entry()
            if last_used_entry is None:
                self.trace("there are no cache entries to evict")
                return False
            last_used_key, session = last_used_entry
            if now - last_used_key.last_used_ms > self._eviction_ms:
                self.trace("evicting stale fetch session %d", session.id)
                self.remove_session(session)
                self.evictions_meter.mark()
                return True
            evictable = self._evictable_by_privileged if privileged else self._evictable_by_all
            evictable_entry = evictable.first_entry()
            if evictable_entry is None:
                self.trace("no evictable entries found")
                return False
            evictable_key, session = evictable_entry
            if key < evictable_key:
                self.trace("can't evict %s with %s", evictable_key, key)
                return False
            self.trace("evicting %s with %s", evictable_key, key)
            self.remove_session(session)
            self.evictions_meter.mark()
            return True

    def remove(self, session_id: int) -> FetchSession | None:
        """Remove a session; return it, or None.

        :origin: kafka.server.FetchSessionCacheShard#remove(Int)
        """
        with self.lock:
            session = self.get(session_id)
            return None if session is None else self.remove_session(session)

    def remove_session(self, session: FetchSession) -> FetchSession | None:
        """Remove a session; return it, or None.

        :origin: kafka.server.FetchSessionCacheShard#remove(FetchSession)
        """
        with self.lock:
            with session.lock:
                self._last_used.remove(session.last_used_key())
                evictable_key = session.evictable_key()
            self._evictable_by_all.remove(evictable_key)
            self._evictable_by_privileged.remove(evictable_key)
            removed = self._sessions.pop(session.id, None)
            if removed is not None:
                self._num_partitions -= session.cached_size
            return removed

    def touch(self, session: FetchSession, now: int) -> None:
        """Update a session's last use and its number of partitions.

        :origin: kafka.server.FetchSessionCacheShard#touch
        """
        with self.lock, session.lock:
            self._last_used.remove(session.last_used_key())
            session.last_used_ms = now
            self._last_used.put(session.last_used_key(), session)

            old_size = session.cached_size
            if old_size != -1:
                old_evictable_key = session.evictable_key()
                self._evictable_by_privileged.remove(old_evictable_key)
                self._evictable_by_all.remove(old_evictable_key)
                self._num_partitions -= old_size
            session.cached_size = session.size()
            new_evictable_key = session.evictable_key()
            if not session.privileged or now - session.creation_ms > self._eviction_ms:
                self._evictable_by_privileged.put(new_evictable_key, session)
            if now - session.creation_ms > self._eviction_ms:
                self._evictable_by_all.put(new_evictable_key, session)
            self._num_partitions += session.cached_size


class FetchSessionCache:
    """All sessions of a broker. For use by any thread.

    :origin: kafka.server.FetchSessionCache
    :origin: kafka.server.FetchSessionCache
    """

    # Counts the sessions, to give the next one to the next shard.
    counter = AtomicInteger(0)

    def __init__(self, cache_shards: Sequence[FetchSessionCacheShard],
                 metrics_registry: MetricsRegistry | None = None) -> None:
        """Hold the shards, which are in the order of their numbers.

        :origin: kafka.server.FetchSessionCache#FetchSessionCache
        """
        self._cache_shards = cache_shards
        metrics_group = KafkaMetricsGroup(FetchSessionCache, metrics_registry)
        metrics_group.new_gauge(FetchSession.NUM_INCREMENTAL_FETCH_SESSIONS,
                                lambda: sum(shard.size() for shard in cache_shards))
        metrics_group.new_gauge(FetchSession.NUM_INCREMENTAL_FETCH_PARTITIONS_CACHED,
                                lambda: sum(shard.total_partitions() for shard in cache_shards))

    def get_cache_shard(self, session_id: int) -> FetchSessionCacheShard:
        """Return the shard of a session id. Raises IndexError for an id outside all shards.

        :origin: kafka.server.FetchSessionCache#getCacheShard
        """
        session_id_range = self._cache_shards[0].session_id_range
        # Java's division rounds towards 0.
        if session_id <= -session_id_range:
            raise IndexError(f"no shard has session {session_id}")
        return self._cache_shards[max(session_id, 0) // session_id_range]

    def get_next_cache_shard(self) -> FetchSessionCacheShard:
        """Return the next shard in turn.

        :origin: kafka.server.FetchSessionCache#getNextCacheShard
        """
        shard_num = Utils.to_positive(FetchSessionCache.counter.get_and_increment()) % self.size()
        return self._cache_shards[shard_num]

    def size(self) -> int:
        """Return the number of shards.

        :origin: kafka.server.FetchSessionCache#size
        """
        return len(self._cache_shards)


class FetchManager(Logging):
    """Makes the context of a fetch request. For use by any thread.

    :origin: kafka.server.FetchManager
    """

    def __init__(self, time: Time, cache: FetchSessionCache, strict: bool = False) -> None:
        """``strict`` is ours: whether ``kreactor.fidelity`` is strict.

        :origin: kafka.server.FetchManager#FetchManager
        """
        self._time = time
        self._cache = cache
        self._strict = strict

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self._strict

    def new_context(self, req_version: int, req_metadata: FetchMetadata, is_follower: bool,
                    fetch_data: ReqMap, to_forget: Collection[TopicIdPartition],
                    topic_names: TopicNameMap) -> FetchContext:
        """Return the context of a request of ``req_version`` with this session id and epoch.

        Raises IndexError for a session id outside all shards.

        :origin: kafka.server.FetchManager#newContext
        """
        context: FetchContext
        if req_metadata.is_full():
            removed_fetch_session_str = ""
            if req_metadata.session_id() != FetchMetadata.INVALID_SESSION_ID:
                cache_shard = self._cache.get_cache_shard(req_metadata.session_id())
                if cache_shard.remove(req_metadata.session_id()) is not None:
                    removed_fetch_session_str = f"; removed fetch session {req_metadata.session_id()}"
            suffix = ""
            if req_metadata.epoch() == FetchMetadata.FINAL_EPOCH:
                suffix = "; will not try to create a new session"
                context = SessionlessFetchContext(fetch_data)
            else:
                context = FullFetchContext(self._time, self._cache, req_metadata, fetch_data,
                                           req_version >= 13, is_follower, self._strict)
            if self.is_debug_enabled():
                self.debug("created a new full fetch context with %s%s%s",
                           self._partitions_to_log_string(fetch_data.keys()), removed_fetch_session_str,
                           suffix)
            return context
        cache_shard = self._cache.get_cache_shard(req_metadata.session_id())
        with cache_shard.lock:
            session = cache_shard.get(req_metadata.session_id())
            if session is None:
                self.debug("session error for %d: no such session ID found", req_metadata.session_id())
                return SessionErrorContext(Errors.FETCH_SESSION_ID_NOT_FOUND, req_metadata)
            with session.lock:
                if session.epoch != req_metadata.epoch():
                    self.debug("session error for %d: expected epoch %d, but got %d instead",
                               req_metadata.session_id(), session.epoch, req_metadata.epoch())
                    return SessionErrorContext(Errors.INVALID_FETCH_SESSION_EPOCH, req_metadata)
                if session.uses_topic_ids != (req_version >= 13):
                    self.debug("session error for %d: it began %s topic IDs, which request version %d "
                               "contradicts", req_metadata.session_id(),
                               "with" if session.uses_topic_ids else "without", req_version)
                    return SessionErrorContext(Errors.FETCH_SESSION_TOPIC_ID_ERROR, req_metadata)
                if self.is_strict():
                    # DEVIATION D124: the origin fails the request, and its session stays as it was.
                    _hash_names(fetch_data)
                    _hash_names(to_forget)
                added, updated, removed = session.update(fetch_data, to_forget)
                if session.is_empty():
                    if self.is_debug_enabled():
                        self.debug("created a new sessionless fetch context and closing session id %d, epoch "
                                   "%d: after removing %s, there are no more partitions left", session.id,
                                   session.epoch, self._partitions_to_log_string(removed))
                    cache_shard.remove_session(session)
                    return SessionlessFetchContext(fetch_data)
                cache_shard.touch(session, self._time.milliseconds())
                session.epoch = FetchMetadata.next_epoch(session.epoch)
                if self.is_debug_enabled():
                    self.debug("created a new incremental fetch context for session id %d, epoch %d: added "
                               "%s, updated %s, removed %s", session.id, session.epoch,
                               self._partitions_to_log_string(added), self._partitions_to_log_string(updated),
                               self._partitions_to_log_string(removed))
                return IncrementalFetchContext(self._time, req_metadata, session, topic_names)

    def _partitions_to_log_string(self, partitions: Collection[TopicIdPartition]) -> str:
        """:origin: kafka.server.FetchManager#partitionsToLogString"""
        return partitions_to_log_string(partitions, self.is_trace_enabled())
