# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Access to a running broker from its own process.

``kreactor.testing.broker`` imports this module at the first start, because the broker's modules have ten
times the code of a test's imports. One object belongs to one start. Any thread calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from kreactor.clients.producer.internals.built_in_partitioner import BuiltInPartitioner
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import ApiException, LeaderNotAvailableException, UnsupportedVersionException
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.internals.topic import Topic
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.concurrent import Event
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log.append_origin import AppendOrigin
from kreactor.storage.internals.log.fetch_isolation import FetchIsolation
from kreactor.testing import groups
from kreactor.testing.addresses import client_host
from kreactor.testing.clock import BrokerClock
from kreactor.testing.instrumented_server import InstrumentedServer
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import ASK_AGAIN_S, RequestLog
from kreactor.testing.record import READ_COMMITTED, NewRecord, Record

if TYPE_CHECKING:
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.controller.replication_control_manager import ReplicationControlManager
    from kreactor.core.server.replica_manager import ReplicaManager
    from kreactor.embedded.broker_cluster import BrokerCluster
    from kreactor.embedded.broker_server import BrokerServer
    from kreactor.core.log.unified_log import UnifiedLog
    from kreactor.metadata.node_storage import ScramCredentialKey
    from kreactor.server.util.scheduler import Scheduler
    from kreactor.testing.faults import Faults
    from kreactor.testing.groups import Group

_READ_BYTES = 1024 * 1024
_APPEND_TIMEOUT_MS = 10_000
_COORDINATOR_TIMEOUT_S = 10.0
_MARKERS_TIMEOUT_S = 10.0
# The states of a transaction whose EndTxn is answered and whose markers are being written.
_ENDING = ("PrepareCommit", "PrepareAbort")


class Inside:
    """One start of a broker."""

    def __init__(self, properties: Mapping[str, object], requests: RequestLog, faults: Faults, time: Time,
                 scram_users: Mapping[ScramCredentialKey, ScramCredential],
                 cluster: BrokerCluster | None = None, edition: str | None = None) -> None:
        """Start the broker. Raises as BrokerServer; a failed start leaves nothing behind."""
        # The replication factor of a topic that a test creates; -1 is the broker's default.
        self._replication_factor = 1 if cluster is None else -1
        self._cluster = cluster
        self._requests = requests
        self.clock = BrokerClock(time) if isinstance(time, MockTime) else None
        try:
            config = KafkaConfig.from_props(properties)
            self.server: BrokerServer
            if edition is None:
                self.server = InstrumentedServer(config, requests, faults, self.clock, scram_users, cluster)
            else:
                from kreactor.testing.edition import new_server

                self.server = new_server(edition, config, scram_users)
            self.server.startup()
        except BaseException:
            if self.clock is not None:
                self.clock.close()
            raise

    def listeners(self) -> list[tuple[str, str, int]]:
        """Return the name, the host and the port of each client listener."""
        return [(each.listener_name().value(), each.host() or "",
                 self.server.bound_port(each.listener_name()))
                for each in self.server.config().data_plane_listeners()]

    def plaintext_address(self) -> tuple[str, int]:
        """Return host and port of a listener without TLS and SASL. Raises IllegalStateException."""
        for each in self.server.config().data_plane_listeners():
            if each.security_protocol() is SecurityProtocol.PLAINTEXT:
                return client_host(each.host() or ""), self.server.bound_port(each.listener_name())
        raise IllegalStateException("groups: the broker needs a listener of the protocol PLAINTEXT")

    def shutdown(self, drain_ms: int) -> None:
        """Stop."""
        try:
            if self.clock is not None:
                self.clock.close()
        finally:
            self.server.shutdown(drain_ms)

    # -- topics ------------------------------------------------------------------------------------

    def _controller(self) -> ReplicationControlManager:
        return self.server.data_plane_request_processor().controller_apis._controller

    def create_topics(self, topics: Mapping[str, int], configs: Mapping[str, object]) -> None:
        """Create topics, each with the given number of partitions.

        Raises the error that a client would get for the first failure.
        """
        results = self._controller().create_topics(_context(), CreateTopicsRequestData(topics=[
            CreateTopicsRequestData.CreatableTopic(
                name=name, num_partitions=partitions, replication_factor=self._replication_factor,
                configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=str(value))
                         for key, value in configs.items()])
            for name, partitions in topics.items()]), frozenset()).topics
        for result in results:
            _check(Errors.for_code(result.error_code), result.error_message)

    def delete_topics(self, names: Iterable[str]) -> None:
        """Delete topics. Raises the error that a client would get for the first failure."""
        known = self.server.storage().topics()
        ids = []
        for name in names:
            topic = known.topic(name)
            if topic is None:
                raise _unknown(name)
            ids.append(topic.topic_id)
        for result in self._controller().delete_topics(_context(), ids).values():
            _check(result.error(), result.message())

    def compact(self, topic: str) -> None:
        """Compact a topic now. Raises as ``Broker.compact``."""
        cleaner = self.server.log_cleaner()
        if cleaner is None:
            raise IllegalStateException("log.cleaner.enable is false")
        for partition in self._partitions(topic):
            log = self._log(partition)
            if not log.config().compact:
                raise ValueError(f"{topic} is not compacted: its cleanup.policy is delete")
            # The cleaner does not compact the active segment.
            log.roll()
            cleaner.clean_now(partition)

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return {name: self.end_offsets(name) for name in self.server.storage().topics().topics()}

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition. Raises UnknownTopicOrPartitionException."""
        return {partition.partition(): self._log(partition).log_end_offset()
                for partition in self._partitions(topic)}

    def reset(self, topics: Mapping[str, int]) -> None:
        """Delete all topics with their groups and transactions, and create ``topics``."""
        before = self.server.storage().topics().topics()
        gone = [name for name in before if not self._is_new(name, topics)]
        self.delete_topics(gone)
        if any(map(Topic.is_internal, gone)):
            _await(self._group_scheduler())
            _await(self.server.transaction_coordinator()._scheduler)
        left = self.server.storage().topics().topics()
        self.create_topics({name: number for name, number in topics.items() if name not in left}, {})

    def _is_new(self, name: str, topics: Mapping[str, int]) -> bool:
        """Return whether a topic equals a newly created one."""
        topic = self.server.storage().topics().topic(name)
        return (topic is not None and topics.get(name) == topic.num_partitions and not topic.configs
                and not any(self._log(each).log_end_offset() for each in topic.partitions()))

    def _group_scheduler(self) -> Scheduler:
        return self.server.group_coordinator()._coordinator.group_manager._scheduler

    # -- records -----------------------------------------------------------------------------------

    def produce(self, topic: str, records: Sequence[tuple[int | None, NewRecord]],
                partitions: int) -> list[Record]:
        """Append records, each with its partition; return the records with their offsets.

        A missing topic is created with ``partitions`` partitions. Raises the error that a producer would get.
        """
        if self.server.storage().topics().topic(topic) is None:
            self.create_topics({topic: partitions}, {})
        known = self._partitions(topic)
        for partition, _ in records:
            if partition is not None and not 0 <= partition < len(known):
                raise ValueError(f"partition={partition}: topic {topic} has {len(known)} partitions")
        now_ms = self.server._time.milliseconds()
        by_partition: dict[int, list[SimpleRecord]] = {}
        for number, (partition, record) in enumerate(records):
            if partition is not None:
                chosen = partition
            elif record.key is not None:
                chosen = BuiltInPartitioner.partition_for_key(record.key, len(known))
            else:
                chosen = number % len(known)
            by_partition.setdefault(chosen, []).append(SimpleRecord(
                now_ms if record.timestamp_ms is None else record.timestamp_ms, record.key, record.value,
                [RecordHeader(key, value) for key, value in record.headers]))
        responses: dict[TopicPartition, ProduceResponse.PartitionResponse] = {}
        by_leader: dict[ReplicaManager, dict[TopicPartition, MemoryRecords]] = {}
        for number, its in by_partition.items():
            by_leader.setdefault(self._leader(known[number]), {})[known[number]] = (
                MemoryRecords.with_records(Compression.NONE, *its))
        for replica_manager, batches in by_leader.items():
            replica_manager.append_records(
                _APPEND_TIMEOUT_MS, 1, False, AppendOrigin.CLIENT, batches, responses.update)
            replica_manager.try_complete_actions()
        found: list[Record] = []
        for each, response in sorted(responses.items(), key=lambda item: item[0].partition()):
            _check(response.error, response.error_message)
            self._read(each, response.base_offset, response.base_offset + len(by_partition[each.partition()]),
                       None, found)
        self._requests.changed()
        return found

    def _leader(self, partition: TopicPartition) -> ReplicaManager:
        """Return the ReplicaManager of the leader of a partition. Raises LeaderNotAvailableException."""
        if self._cluster is None:
            return self.server.replica_manager()
        state = self._cluster.replication().image().partitions.get(partition)
        leader = None if state is None else self._cluster.broker(state.leader)
        if leader is None:
            raise LeaderNotAvailableException(f"{partition} has no leader now")
        return leader.replica_manager()

    def records(self, topic: str, partition: int | None, isolation: str,
                positions: Mapping[int, int]) -> list[Record]:
        """Return the records of a topic or of one partition, from the offsets in ``positions`` on.

        "read_committed" waits for the markers of transactions whose EndTxn was answered.
        Raises UnknownTopicOrPartitionException.
        """
        partitions = [each for each in self._partitions(topic) if partition in (None, each.partition())]
        if isolation == READ_COMMITTED:
            self._await_markers([self._log(each) for each in partitions])
        found: list[Record] = []
        for each in partitions:
            log = self._log(each)
            start = log.log_start_offset()
            position = positions.get(each.partition(), start)
            # The topic was deleted, and one of the same name was created.
            if position > log.log_end_offset():
                position = start
            end, aborted = log.log_end_offset(), None
            if isolation == READ_COMMITTED:
                end = log.last_stable_offset()
                aborted = [(txn.producer_id, txn.first_offset, txn.last_offset)
                           for txn in log.collect_aborted_transactions(start, end)]
            self._read(each, max(start, position), end, aborted, found)
        return found

    def _await_markers(self, logs: Sequence[UnifiedLog]) -> None:
        # A fault may keep them away.
        with suppress(TimeoutError):
            self._requests.wait_for(lambda: not self._lack_markers(logs), _MARKERS_TIMEOUT_S, ASK_AGAIN_S)

    def _lack_markers(self, logs: Sequence[UnifiedLog]) -> bool:
        """Return whether a transaction that has ended is open in a log."""
        open_ids = {entry.producer_id for log in logs for entry in log.active_producers()
                    if entry.current_txn_first_offset is not None}
        return bool(open_ids) and any(
            server.transaction_coordinator().handle_list_transactions(open_ids, _ENDING).transaction_states
            for server in self._servers())

    def _servers(self) -> list[BrokerServer]:
        """Return the running brokers."""
        cluster = self._cluster
        if cluster is None:
            return [self.server]
        ids = cluster.replication().image().brokers
        return [server for id_ in ids if (server := cluster.broker(id_)) is not None]

    def _partitions(self, topic: str) -> list[TopicPartition]:
        known = self.server.storage().topics().topic(topic)
        if known is None:
            raise _unknown(topic)
        return known.partitions()

    def _log(self, partition: TopicPartition) -> UnifiedLog:
        log = self.server.storage().partition_log(partition)
        if log is None:
            raise _unknown(str(partition))
        return log

    def _read(self, partition: TopicPartition, offset: int, end: int,
              aborted: Sequence[tuple[int, int, int]] | None, found: list[Record]) -> None:
        log = self._log(partition)
        while offset < end:
            before = offset
            for batch in log.read(offset, _READ_BYTES, FetchIsolation.LOG_END, True).records.batches():
                if not batch.is_control_batch() and not (aborted and _is_aborted(batch, aborted)):
                    found += [Record(partition.partition(), record.offset(), record.timestamp(),
                                     _bytes(record.key()), _bytes(record.value()),
                                     tuple((header.key(), header.value()) for header in record.headers()))
                              for record in batch if offset <= record.offset() < end]
                offset = max(offset, batch.next_offset())
            if offset == before:
                return

    # -- groups ------------------------------------------------------------------------------------

    def groups(self, host: str, port: int) -> dict[str, Group]:
        """Return the groups, by id. Raises UnsupportedVersionException if the broker has none."""
        enabled = self.server.data_plane_request_processor().ENABLED_APIS
        if not enabled.issuperset(groups.APIS):
            raise UnsupportedVersionException("this broker has no consumer groups")
        _await(self._group_scheduler())
        return groups.groups(host, port)


def _await(scheduler: Scheduler) -> None:
    """Return when a coordinator has loaded the partitions that it has got, and unloaded others."""
    done = Event()
    scheduler.schedule_once("await", done.set)
    if not done.wait(_COORDINATOR_TIMEOUT_S):
        raise TimeoutError(f"a coordinator is still busy after {_COORDINATOR_TIMEOUT_S} s")


def _is_aborted(batch: RecordBatch, aborted: Sequence[tuple[int, int, int]]) -> bool:
    return batch.is_transactional() and any(
        producer_id == batch.producer_id() and first <= batch.base_offset() <= last
        for producer_id, first, last in aborted)


def _context() -> ControllerRequestContext:
    return ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None)


def _check(error: Errors, message: str | None) -> None:
    if error is not Errors.NONE:
        raise error.exception(message) or ApiException(message)


def _unknown(name: str) -> ApiException:
    return Errors.UNKNOWN_TOPIC_OR_PARTITION.exception(f"There is no topic {name}") or ApiException(name)


def _bytes(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else bytes(buffer.view())
