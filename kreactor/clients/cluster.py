# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster, as who reads and writes topics sees it: partitions, offsets, records.

Ours, not a port. For one thread. A call that meets a leader that moved or a connection that broke asks for
the metadata again and tries again, for as long as its timeout. What it writes has a producer id and numbers,
so that a batch that is sent again is in the log once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from kreactor.clients.client_security import ClientSecurity
from kreactor.clients.connection import Connection
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import RetriableException, UnknownTopicOrPartitionException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record import Record
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

R = TypeVar("R")
T = TypeVar("T", bound=AbstractResponse)

DEFAULT_TIMEOUT_MS = 30_000
_RETRY_MS = 100
# What a fetch brings at most, unless its first batch alone is larger; how long it waits for the first byte.
_FETCH_BYTES = 4 << 20
_FETCH_WAIT_MS = 500
# The last version of Fetch that calls topics by their names.
_LAST_WITH_NAMES = 12
# The last sequence number before they begin again.
_SEQUENCES = 1 << 31


class _Topic(NamedTuple):
    """A topic's id and the leaders of its partitions, None where there is none."""

    id: Uuid
    leaders: Mapping[int, Node | None]


class Fetched(NamedTuple):
    """A record as it lies in a topic, decompressed; the time is in milliseconds."""

    offset: int
    timestamp: int
    timestamp_type: TimestampType
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class Cluster:
    """The cluster that the brokers ``bootstrap`` are of, as ``host:port,host:port``."""

    def __init__(self, bootstrap: str, *, client_id: str = "kreactor", read_committed: bool = False,
                 timeout_ms: int = DEFAULT_TIMEOUT_MS, security: Mapping[str, Any] = MappingProxyType({}),
                 time: Time = Time.SYSTEM) -> None:
        """Connect to nobody yet. Raises IllegalArgumentException if ``bootstrap`` is no list of addresses.

        With ``read_committed`` what transactions that are open or aborted have written is not there.
        ``security`` has settings of ``ClientSecurity``; raises ConfigException if they cannot be.
        """
        self._bootstrap = [_address(text.strip()) for text in bootstrap.split(",")]
        self._client_id = client_id
        self._isolation = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.READ_UNCOMMITTED
        self._timeout_ms = timeout_ms
        self._security = ClientSecurity(security)
        self._time = time
        self._topics: dict[str, _Topic] = {}
        self._connections: dict[tuple[str, int], Connection] = {}
        self._producer: tuple[int, int] | None = None
        # The number of the next record, by partition.
        self._sequences: dict[TopicPartition, int] = {}

    def partitions(self, topic: str, create: bool = False) -> list[int]:
        """Return the partitions of a topic as they are now; with ``create`` a broker may make it.

        Raises UnknownTopicOrPartitionException, or as all methods: a KafkaException for what a broker
        answers, an AuthenticationException if it does not believe this client, or is not believed, and what
        was wrong last when the timeout is over.
        """
        self._topics.pop(topic, None)
        return sorted(self._retry(lambda: self._topic(topic, create)).leaders)

    def offsets(self, topic: str, timestamps: Mapping[int, int]) -> dict[int, int]:
        """Return an offset for each partition: of the first record that is not before a time.

        Times are in milliseconds since 1970, or ``ListOffsetsRequest.EARLIEST_TIMESTAMP`` and
        ``LATEST_TIMESTAMP``, the end. It is -1 where there is no such record.
        """
        return self._retry(lambda: self._list_offsets(topic, timestamps))

    def records(self, topic: str, partition: int, begin: int, end: int) -> Iterator[list[Fetched]]:
        """Give the records from offset ``begin`` to before ``end``, as they come.

        Raises OffsetOutOfRangeException if the first are deleted, or there are none so far. Some offsets
        have no records: those of markers, and those that compaction removed.
        """
        while begin < end:
            answer = self._retry(lambda: self._fetch(topic, partition, begin))
            found: list[Fetched] = []
            aborted = _Aborted(answer.aborted_transactions or ())
            reached = begin
            for batch in FetchResponse.records_or_fail(answer).batches():
                aborted.reach(batch.last_offset())
                if batch.is_control_batch():
                    aborted.end(batch.producer_id(), next(iter(batch)))
                elif not (self._isolation is IsolationLevel.READ_COMMITTED and batch.is_transactional()
                          and aborted.has(batch.producer_id())):
                    found += _decoded(batch, begin, end)
                reached = max(reached, batch.next_offset())
            if reached == begin >= answer.high_watermark:
                raise _exception(Errors.OFFSET_OUT_OF_RANGE, f"{topic}-{partition} ends at {begin}")
            begin = reached
            if found:
                yield found

    def append(self, topic: str, partition: int, records: Sequence[SimpleRecord]) -> int:
        """Write records as one batch, and return the offset of the first once all replicas have them.

        It is -1 if a batch was sent again and was there. After an exception it is not known whether it is.
        """
        producer_id, epoch = self._retry(self._init_producer)
        at = TopicPartition(topic, partition)
        sequence = self._sequences.get(at, 0)
        batch = MemoryRecords.with_idempotent_records(
            Compression.NONE, producer_id, epoch, sequence, *records)
        try:
            offset = self._retry(lambda: self._produce(topic, partition, batch))
        except BaseException:
            # Its number may be taken or not; another producer has numbers of its own.
            self._producer = None
            self._sequences.clear()
            raise
        self._sequences[at] = (sequence + len(records)) % _SEQUENCES
        return offset

    def close(self) -> None:
        """Close the connections; the next call opens others."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()
        self._topics.clear()

    # -- one try each ------------------------------------------------------------------------------

    def _retry(self, call: Callable[[], R]) -> R:
        deadline = self._time.milliseconds() + self._timeout_ms
        while True:
            try:
                return call()
            except UnknownTopicOrPartitionException:
                self._topics.clear()
                raise
            except (RetriableException, OSError):
                self.close()
                if self._time.milliseconds() >= deadline:
                    raise
            self._time.sleep(_RETRY_MS)

    def _topic(self, topic: str, create: bool = False) -> _Topic:
        known = self._topics.get(topic)
        if known is None:
            builder = MetadataRequest.Builder.for_topics([topic], create)
            answer = self._anyone().send(builder, MetadataResponse)
            for error in answer.errors().values():
                # A broker that makes it says so until it is there.
                making = create and error is Errors.UNKNOWN_TOPIC_OR_PARTITION
                raise _exception(Errors.LEADER_NOT_AVAILABLE if making else error, topic)
            [found] = answer.topic_metadata()
            brokers = answer.brokers_by_id()
            known = self._topics[topic] = _Topic(found.topic_id(), {
                each.partition(): None if each.leader_id is None else brokers.get(each.leader_id)
                for each in found.partition_metadata()})
        return known

    def _list_offsets(self, topic: str, timestamps: Mapping[int, int]) -> dict[int, int]:
        found = {}
        for leader, partitions in self._by_leader(topic, timestamps).items():
            builder = ListOffsetsRequest.Builder.for_consumer(True, self._isolation, False)
            builder.set_target_times([ListOffsetsRequestData.ListOffsetsTopic(name=topic, partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(partition_index=each, timestamp=timestamps[each])
                for each in partitions])])
            answer = self._connection(leader).send(builder, ListOffsetsResponse).data()
            for each in answer.topics[0].partitions:
                _check(each.error_code, f"{topic}-{each.partition_index}")
                found[each.partition_index] = each.offset
        return found

    def _fetch(self, topic: str, partition: int, offset: int) -> FetchResponseData.PartitionData:
        id_ = self._topic(topic).id
        builder = FetchRequest.Builder.for_consumer(
            ApiKeys.FETCH.latest_version() if id_ != Uuid.ZERO_UUID else _LAST_WITH_NAMES, _FETCH_WAIT_MS, 1,
            {TopicPartition(topic, partition): FetchRequest.PartitionData(
                id_, offset, FetchRequest.INVALID_LOG_START_OFFSET, _FETCH_BYTES, None)})
        builder.isolation_level(self._isolation)
        answer = self._leader(topic, partition).send(builder, FetchResponse, _FETCH_WAIT_MS).data()
        _check(answer.error_code, f"{topic}-{partition}")
        [found] = answer.responses[0].partitions
        _check(found.error_code, f"{topic}-{partition} at {offset}")
        return found

    def _init_producer(self) -> tuple[int, int]:
        if self._producer is None:
            data = InitProducerIdRequestData(transactional_id=None, transaction_timeout_ms=0x7FFFFFFF)
            answer = self._anyone().send(InitProducerIdRequest.Builder(data), InitProducerIdResponse).data()
            _check(answer.error_code, "a producer id")
            self._producer = answer.producer_id, answer.producer_epoch
        return self._producer

    def _produce(self, topic: str, partition: int, batch: MemoryRecords) -> int:
        builder = ProduceRequest.for_current_magic(ProduceRequestData(
            acks=-1, timeout_ms=self._timeout_ms, topic_data=[ProduceRequestData.TopicProduceData(
                name=topic, partition_data=[ProduceRequestData.PartitionProduceData(
                    index=partition, records=batch)])]))
        answer = self._leader(topic, partition).send(builder, ProduceResponse, self._timeout_ms).data()
        [found] = answer.responses[0].partition_responses
        if Errors.for_code(found.error_code) is Errors.DUPLICATE_SEQUENCE_NUMBER:
            return -1
        _check(found.error_code, found.error_message or f"{topic}-{partition}")
        return found.base_offset

    # -- connections -------------------------------------------------------------------------------

    def _by_leader(self, topic: str, partitions: Collection[int]) -> dict[tuple[str, int], list[int]]:
        found: dict[tuple[str, int], list[int]] = {}
        for partition in partitions:
            found.setdefault(self._leader_of(topic, partition), []).append(partition)
        return found

    def _leader_of(self, topic: str, partition: int) -> tuple[str, int]:
        leaders = self._topic(topic).leaders
        if partition not in leaders:
            raise _exception(Errors.UNKNOWN_TOPIC_OR_PARTITION, f"{topic}-{partition}")
        node = leaders[partition]
        if node is None:
            raise _exception(Errors.LEADER_NOT_AVAILABLE, f"{topic}-{partition}")
        return node.host() or "", node.port()

    def _leader(self, topic: str, partition: int) -> Connection:
        return self._connection(self._leader_of(topic, partition))

    def _anyone(self) -> Connection:
        """Return a connection to a broker, whichever answers."""
        if self._connections:
            return next(iter(self._connections.values()))
        failed: Exception | None = None
        for address in self._bootstrap:
            try:
                return self._connection(address)
            except (OSError, RetriableException) as e:
                failed = e
        assert failed is not None
        raise failed

    def _connection(self, address: tuple[str, int]) -> Connection:
        connection = self._connections.get(address)
        if connection is None:
            connection = self._connections[address] = Connection(
                *address, self._client_id, self._timeout_ms, self._security, self._time)
        return connection


def _decoded(batch: RecordBatch, begin: int, end: int) -> Iterator[Fetched]:
    type_ = batch.timestamp_type()
    for record in batch:
        if begin <= record.offset() < end:
            yield Fetched(record.offset(), record.timestamp(), type_, _bytes(record.key()),
                          _bytes(record.value()),
                          tuple((header.key(), header.value()) for header in record.headers()))


def _bytes(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else bytes(buffer.view())


class _Aborted:
    """Which batches are of transactions that were aborted, as batches come in the order of the log."""

    def __init__(self, aborted: Collection[FetchResponseData.AbortedTransaction]) -> None:
        self._waiting = sorted(aborted, key=lambda one: one.first_offset, reverse=True)
        self._producers: set[int] = set()

    def reach(self, offset: int) -> None:
        """Take up the transactions that began up to an offset."""
        while self._waiting and self._waiting[-1].first_offset <= offset:
            self._producers.add(self._waiting.pop().producer_id)

    def has(self, producer_id: int) -> bool:
        """Return whether what a producer wrote here in a transaction was aborted."""
        return producer_id in self._producers

    def end(self, producer_id: int, marker: Record) -> None:
        """Note that a producer's transaction has ended."""
        key = marker.key()
        if key is not None and ControlRecordType.parse(key) is ControlRecordType.ABORT:
            self._producers.discard(producer_id)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise IllegalArgumentException(f"{text!r} is no address of a broker: say host:port")
    return host.strip("[]"), int(port)


def _check(code: int, what: str) -> None:
    if code:
        raise _exception(Errors.for_code(code), what)


def _exception(error: Errors, what: str) -> Exception:
    return error.exception(f"{what}: {error.message()}") or KafkaException(what)
