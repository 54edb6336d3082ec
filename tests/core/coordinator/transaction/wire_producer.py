# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A transactional producer over a socket, which says what each request is answered with."""

from __future__ import annotations

from typing import Any

from kreactor.common.isolation_level import IsolationLevel
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.server.conversation import records
from tests.core.server.wire import Wire
from tests.stepping import wait_until


def create_topic(wire: Wire, name: str, **configs: str) -> None:
    """Create a topic of one partition; an underscore in the name of a setting means a dot."""
    answer: Any = wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreateTopicsRequestData.CreatableTopic(
            name=name, num_partitions=1, replication_factor=1, configs=[
                CreateTopicsRequestData.CreateableTopicConfig(name=key.replace("_", "."), value=value)
                for key, value in configs.items()])]))
    assert answer.topics[0].error_code == Errors.NONE.code, answer


def read_committed(wire: Wire, topic: str) -> list[bytes]:
    """Return the values of all committed records of a topic of one partition, without markers."""
    offset, stable = 0, 1
    left_out: set[int] = set()
    values = []
    while offset < stable:
        answer: Any = wire.ask(ApiKeys.FETCH, 11, FetchRequestData(
            max_wait_ms=0, isolation_level=IsolationLevel.READ_COMMITTED.id(), topics=[
                FetchRequestData.FetchTopic(topic=topic, partitions=[FetchRequestData.FetchPartition(
                    partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)])]))
        partition = answer.responses[0].partitions[0]
        assert partition.error_code == Errors.NONE.code
        stable = partition.last_stable_offset
        aborted = {(txn.producer_id, txn.first_offset) for txn in partition.aborted_transactions}
        for batch in MemoryRecords.readable_records(partition.records).batches():
            offset = batch.next_offset()
            producer_id = batch.producer_id()
            if (producer_id, batch.base_offset()) in aborted:
                left_out.add(producer_id)
            if batch.is_control_batch():
                left_out.discard(producer_id)
            elif producer_id not in left_out:
                for record in batch:
                    value = record.value()
                    assert value is not None
                    values.append(value.to_bytes())
    return values


class WireProducer:
    """A producer with a transactional id. Each method sends one request and returns its error."""

    def __init__(self, wire: Wire, transactional_id: str = "txn", timeout_ms: int = 600_000) -> None:
        self.wire = wire
        self.transactional_id = transactional_id
        self.timeout_ms = timeout_ms
        self.producer_id = -1
        self.epoch = -1
        self._sequences: dict[str, int] = {}

    def find(self) -> WireProducer:
        """Wait until the coordinator is there and has loaded its partition."""
        wait_until(lambda: self._error(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key=self.transactional_id, key_type=1)) is Errors.NONE)
        wait_until(lambda: self._described().error_code not in (
            Errors.NOT_COORDINATOR.code, Errors.COORDINATOR_LOAD_IN_PROGRESS.code))
        return self

    def begin(self) -> WireProducer:
        """Wait until the coordinator is there and gives an epoch."""
        self.find()
        wait_until(lambda: self.init() is Errors.NONE, f"{self.transactional_id} stays unusable")
        return self

    def init(self) -> Errors:
        answer: Any = self.wire.ask(ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
            transactional_id=self.transactional_id, transaction_timeout_ms=self.timeout_ms))
        if answer.error_code == Errors.NONE.code:
            self.producer_id, self.epoch = answer.producer_id, answer.producer_epoch
            self._sequences.clear()
        return Errors.for_code(answer.error_code)

    def add(self, topic: str) -> Errors:
        answer: Any = self.wire.ask(ApiKeys.ADD_PARTITIONS_TO_TXN, 3, AddPartitionsToTxnRequestData(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer_id, v3_and_below_producer_epoch=self.epoch,
            v3_and_below_topics=[
                AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name=topic, partitions=[0])]))
        result = answer.results_by_topic_v3_and_below[0].results_by_partition[0]
        return Errors.for_code(result.partition_error_code)

    def produce(self, topic: str, value: bytes, batch: bytes | None = None) -> Errors:
        sequence = self._sequences.get(topic, 0)
        batch = batch or records(value, producer_id=self.producer_id, producer_epoch=self.epoch,
                                 base_sequence=sequence, is_transactional=True)
        answer: Any = self.wire.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(
            transactional_id=self.transactional_id, acks=-1, timeout_ms=60_000, topic_data=[
                ProduceRequestData.TopicProduceData(name=topic, partition_data=[
                    ProduceRequestData.PartitionProduceData(
                        index=0, records=MemoryRecords.readable_records(ByteBuffer.wrap(batch)))])]))
        error = Errors.for_code(answer.responses[0].partition_responses[0].error_code)
        if error is Errors.NONE:
            self._sequences[topic] = sequence + 1
        return error

    def add_offsets(self, group: str) -> Errors:
        return self._error(ApiKeys.ADD_OFFSETS_TO_TXN, 3, AddOffsetsToTxnRequestData(
            transactional_id=self.transactional_id, producer_id=self.producer_id,
            producer_epoch=self.epoch, group_id=group))

    def commit_offset(self, group: str, topic: str, offset: int) -> Errors:
        answer: Any = self.wire.ask(ApiKeys.TXN_OFFSET_COMMIT, 3, TxnOffsetCommitRequestData(
            transactional_id=self.transactional_id, group_id=group, producer_id=self.producer_id,
            producer_epoch=self.epoch, topics=[TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(
                name=topic, partitions=[TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                    partition_index=0, committed_offset=offset)])]))
        return Errors.for_code(answer.topics[0].partitions[0].error_code)

    def end(self, committed: bool = True) -> Errors:
        return self._error(ApiKeys.END_TXN, 3, EndTxnRequestData(
            transactional_id=self.transactional_id, producer_id=self.producer_id,
            producer_epoch=self.epoch, committed=committed))

    def state(self) -> str:
        """Return the state of the transactional id."""
        found = self._described()
        assert found.error_code == Errors.NONE.code, Errors.for_code(found.error_code)
        name: str = found.transaction_state
        return name

    def committed_offset(self, group: str, topic: str) -> int:
        """Return the offset that a group has committed, -1 if there is none."""
        answer: Any = self.wire.ask(ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(group_id=group, topics=[
            OffsetFetchRequestData.OffsetFetchRequestTopic(name=topic, partition_indexes=[0])]))
        assert answer.error_code == Errors.NONE.code
        offset: int = answer.topics[0].partitions[0].committed_offset
        return offset

    def find_group(self, group: str) -> None:
        """Wait until the group's coordinator answers."""
        wait_until(lambda: self._error(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key=group, key_type=0)) is Errors.NONE)
        wait_until(lambda: self._error(ApiKeys.OFFSET_FETCH, 5, OffsetFetchRequestData(
            group_id=group, topics=[])) is Errors.NONE)

    def _described(self) -> Any:
        answer: Any = self.wire.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequestData(
            transactional_ids=[self.transactional_id]))
        return answer.transaction_states[0]

    def _error(self, api: ApiKeys, version: int, body: Any) -> Errors:
        return Errors.for_code(getattr(self.wire.ask(api, version, body), "error_code"))
