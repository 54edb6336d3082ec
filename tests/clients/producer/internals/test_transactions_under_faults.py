# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Transactions before a broker that refuses requests, and a connection that goes.

The broker is coordinator and leader. It answers a repeated request as Kafka does: an EndTxn that is done
already, an InitProducerId that has bumped the epoch already, a batch that it has. The application commits or
aborts, and aborts whatever fails.

While the producer aborts, the broker refuses a batch for good only if it does not have it. Otherwise the
producer gives the batch's sequence to another batch, as 3.8.0 does, and the broker takes that for the first.
"""

from __future__ import annotations

from collections import deque
from typing import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.transactional_request_result import TransactionalRequestResult
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.topic_partition import TopicPartition
from tests.clients.producer.internals.test_transaction_manager import (
    PRODUCER_ID,
    REQUEST_TIMEOUT,
    TP0,
    TP1,
    TRANSACTIONAL_ID,
    PartitionResponse,
    Rig,
    add_partitions_to_txn_response,
)

MAX_IN_FLIGHT = 5
# Errors that may pass, of a coordinator and of a leader; and one that fails the transaction.
COORDINATOR_ERRORS = [Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_LOAD_IN_PROGRESS]
LEADER_ERRORS = [Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS, Errors.TOPIC_AUTHORIZATION_FAILED]

STEPS = st.lists(st.one_of(
    st.tuples(st.just("send"), st.sampled_from([0, 1])),
    st.tuples(st.just("send"), st.sampled_from([0, 1])),
    st.tuples(st.just("end"), st.sampled_from([TransactionResult.COMMIT, TransactionResult.ABORT])),
    st.tuples(st.just("run"), st.just(0)),
    st.tuples(st.just("run"), st.just(0)),
    st.tuples(st.just("answer"), st.just(0)),
    st.tuples(st.just("answer"), st.just(0)),
    st.tuples(st.just("refuse"), st.integers(0, 5)),
    st.tuples(st.just("send_and_refuse"), st.sampled_from([0, 1])),
    st.tuples(st.just("cut"), st.integers(0, MAX_IN_FLIGHT)),
    st.tuples(st.just("wait"), st.sampled_from([10, 60, REQUEST_TIMEOUT])),
), min_size=30, max_size=100)


class Request:
    """A request as it was when it was sent."""

    def __init__(self, request: AbstractRequest) -> None:
        self.request = request
        # Partition, epoch, sequence and values of each batch.
        self.batches: list[tuple[TopicPartition, int, int, list[bytes]]] = []
        if isinstance(request, ProduceRequest):
            for topic in request.data().topic_data:
                for partition in topic.partition_data:
                    [batch] = partition.records.batches()
                    assert batch.is_transactional()
                    values = [record.value().to_bytes() for record in batch]
                    self.batches.append((TopicPartition(topic.name, partition.index), batch.producer_epoch(),
                                         batch.base_sequence(), values))

    def refused(self, number: int, is_repeated: bool) -> AbstractResponse:
        """Return a response with one of the errors that the request can get."""
        error = COORDINATOR_ERRORS[number % 2]
        if isinstance(self.request, ProduceRequest):
            error = LEADER_ERRORS[number % (2 if is_repeated else 3)]
            return ProduceResponse.of({tp: PartitionResponse(error) for tp, *_ in self.batches}, 0)
        if isinstance(self.request, AddPartitionsToTxnRequest):
            error = [*COORDINATOR_ERRORS, Errors.CONCURRENT_TRANSACTIONS][number % 3]
            return add_partitions_to_txn_response(dict.fromkeys(
                AddPartitionsToTxnRequest.get_partitions(self.request.data().v3_and_below_topics), error))
        response = self.request.get_error_response(error.exception())
        assert response is not None
        return response


class Broker:
    """The coordinator, and the leader of both partitions."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._epoch = -1
        self._partitions: set[TopicPartition] = set()
        # How the last transaction ended; None while there is one.
        self._ended: TransactionResult | None = TransactionResult.ABORT
        # Of each partition: values with how they ended; the last batches of an epoch.
        self.logs: dict[TopicPartition, list[tuple[bytes, TransactionResult | None]]] = {TP0: [], TP1: []}
        self._batches: dict[TopicPartition, deque[tuple[int, int, int, int]]] = {
            tp: deque(maxlen=5) for tp in self.logs}

    def handle(self, sent: Request) -> AbstractResponse:
        request = sent.request
        if isinstance(request, FindCoordinatorRequest):
            return FindCoordinatorResponse.prepare_response(
                Errors.NONE, TRANSACTIONAL_ID, self._rig.broker_node)
        if isinstance(request, InitProducerIdRequest):
            epoch = request.data().producer_epoch
            assert epoch in (self._epoch, self._epoch - 1)
            if epoch == self._epoch:
                self._end(TransactionResult.ABORT)
                self._epoch += 1
            return InitProducerIdResponse(InitProducerIdResponseData(
                producer_id=PRODUCER_ID, producer_epoch=self._epoch))
        if isinstance(request, AddPartitionsToTxnRequest):
            assert request.data().v3_and_below_producer_epoch == self._epoch
            partitions = AddPartitionsToTxnRequest.get_partitions(request.data().v3_and_below_topics)
            self._ended = None
            self._partitions.update(partitions)
            return add_partitions_to_txn_response(dict.fromkeys(partitions, Errors.NONE))
        if isinstance(request, EndTxnRequest):
            assert request.data().producer_epoch == self._epoch
            assert self._ended in (None, request.result())
            self._end(request.result())
            return EndTxnResponse(EndTxnResponseData())
        return ProduceResponse.of({tp: self._append(tp, *batch) for tp, *batch in sent.batches}, 0)

    def has_any(self, sent: Request) -> bool:
        """Return whether a batch of the request was written already."""
        return any((epoch, sequence) == batch[:2] for tp, epoch, sequence, _ in sent.batches
                   for batch in self._batches[tp])

    def _end(self, result: TransactionResult) -> None:
        for tp, log in self.logs.items():
            self.logs[tp] = [(value, ended or result) for value, ended in log]
        self._partitions.clear()
        self._ended = result

    def _append(self, tp: TopicPartition, epoch: int, sequence: int,
                values: list[bytes]) -> PartitionResponse:
        log, batches = self.logs[tp], self._batches[tp]
        assert epoch == self._epoch, "no batch of an earlier epoch is left when the epoch is bumped"
        last_sequence = sequence + len(values) - 1
        for of_epoch, first, last, offset in batches:
            if (of_epoch, first, last) == (epoch, sequence, last_sequence):
                return PartitionResponse(Errors.NONE, offset, -1, 0)
        assert tp in self._partitions, "a batch is sent to a partition of the transaction"
        expected = batches[-1][2] + 1 if batches and batches[-1][0] == epoch else 0
        if sequence != expected:
            return PartitionResponse(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
        batches.append((epoch, sequence, last_sequence, len(log)))
        log.extend((value, None) for value in values)
        return PartitionResponse(Errors.NONE, len(log) - len(values), -1, 0)


class Run:
    """An application, its producer, the connection and the broker."""

    def __init__(self) -> None:
        self.rig = rig = Rig()
        metrics = Metrics(time=rig.time)
        rig.accumulator = rig.new_accumulator(metrics, 10**9, 128)
        rig.sender = rig.new_sender(metrics, rig.accumulator, False, REQUEST_TIMEOUT, 50)
        self.broker = Broker(rig)
        self._sent: dict[int, Request] = {}
        # The records of the transaction, and of all: what they are and how their transactions ended.
        self._open: list[tuple[TopicPartition, bytes, FutureRecordMetadata]] | None = None
        self.records: list[tuple[TopicPartition, bytes, FutureRecordMetadata, TransactionResult]] = []
        self._number = 0
        # What the application waits for.
        self._result: tuple[TransactionalRequestResult, TransactionResult] | None = None
        result = rig.manager.initialize_transactions()
        while not result.is_completed():
            self.run()
            self.answer()
        result.await_()

    def send(self, partition: int) -> None:
        if self._result is not None:
            return
        if self._open is None:
            self.rig.manager.begin_transaction()
            self._open = []
        tp = (TP0, TP1)[partition]
        if self._or_abort(lambda: self.rig.manager.maybe_add_partition(tp)):
            self._number += 1
            value = b"%d" % self._number
            self._open.append((tp, value, self.rig.append_to(self.rig.accumulator, tp, b"", value)))

    def send_and_refuse(self, partition: int) -> None:
        """Let the batch of a record fail for good, if the partition is in the transaction."""
        self.send(partition)
        self.run()
        if self.rig.client.requests():
            self.refuse(LEADER_ERRORS.index(Errors.TOPIC_AUTHORIZATION_FAILED))

    def end(self, result: TransactionResult) -> None:
        if self._result is not None or self._open is None:
            return

        def begin() -> None:
            begin_end = (self.rig.manager.begin_commit if result is TransactionResult.COMMIT
                         else self.rig.manager.begin_abort)
            self._result = begin_end(), result

        self._or_abort(begin)

    def _or_abort(self, call: Callable[[], None]) -> bool:
        try:
            call()
        except KafkaException:
            self._result = self.rig.manager.begin_abort(), TransactionResult.ABORT
            return False
        return True

    def look(self) -> None:
        """Let the application see whether its transaction has ended."""
        if self._result is None or not self._result[0].is_completed():
            return
        [result, kind], self._result = self._result, None
        if self._or_abort(result.await_):
            assert self._open is not None
            self.records += [(*record, kind) for record in self._open]
            self._open = None

    def run(self, _: int = 0) -> None:
        if len(self.rig.client.requests()) < MAX_IN_FLIGHT:
            self.rig.sender.run_once()
        for request in self.rig.client.requests():
            if request.correlation_id() not in self._sent:
                self._sent[request.correlation_id()] = Request(request.request_builder().build())

    def answer(self, _: int = 0) -> None:
        """Let the oldest request be handled."""
        if self.rig.client.requests():
            self._respond(self.broker.handle(self._oldest()))

    def refuse(self, number: int) -> None:
        """Let the oldest request fail."""
        if self.rig.client.requests():
            self._respond(self._oldest().refused(
                number, self.rig.manager.is_aborting() and self.broker.has_any(self._oldest())))

    def cut(self, handled: int) -> None:
        """Let so many requests be handled, and all responses be lost."""
        for request in list(self.rig.client.requests())[:handled]:
            self.broker.handle(self._sent[request.correlation_id()])
        self.rig.client.disconnect("0")
        self._poll()

    def wait(self, ms: int) -> None:
        self.rig.time.sleep(ms)

    def finish(self) -> None:
        """Let everything be handled, and the last transaction be committed."""
        for _ in range(500):
            self.end(TransactionResult.COMMIT)
            self.run()
            while self.rig.client.requests():
                self.answer()
            self.look()
            if self._open is None and not self.rig.accumulator.has_incomplete():
                return
            self.wait(60)
        raise AssertionError("the transaction does not end")

    def _oldest(self) -> Request:
        return self._sent[self.rig.client.requests()[0].correlation_id()]

    def _respond(self, response: AbstractResponse) -> None:
        self.rig.client.respond(response)
        self._poll()

    def _poll(self) -> None:
        self.rig.client.poll(0, self.rig.time.milliseconds())


def test_a_sequence_is_not_used_again_when_the_commit_fails_and_the_broker_has_its_batch():
    run = Run()
    run.send(0)
    run.run()
    run.answer()
    run.end(TransactionResult.COMMIT)
    run.run()
    # The batch is written, and its response is lost. The second attempt is refused.
    run.cut(1)
    run.wait(60)
    run.run()
    run.refuse(LEADER_ERRORS.index(Errors.TOPIC_AUTHORIZATION_FAILED))
    run.finish()
    assert [ended for *_, ended in run.records] == [TransactionResult.ABORT]
    run.send(0)
    run.finish()
    assert [value for value, ended in run.broker.logs[TP0] if ended is TransactionResult.COMMIT] == [b"2"]


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_a_committed_transaction_is_there_once_and_an_aborted_one_is_not(steps):
    run = Run()
    for step, argument in steps:
        getattr(run, step)(argument)
        run.look()
    run.finish()
    # Whatever happened, a transaction can follow.
    run.send(0)
    run.send(1)
    run.finish()
    assert run.records[-1][3] is TransactionResult.COMMIT
    assert not run.rig.manager.has_fatal_error()
    for tp, log in run.broker.logs.items():
        assert [value for value, ended in log if ended is TransactionResult.COMMIT] == [
            value for of, value, _, ended in run.records if of == tp and ended is TransactionResult.COMMIT]
        assert all(ended is not None for _, ended in log)
        assert len({value for value, _ in log}) == len(log)
    for _, _, future, ended in run.records:
        assert future.is_done()
        if ended is TransactionResult.COMMIT:
            assert future.get().offset() >= 0
    assert run.rig.accumulator.buffer_pool_available_memory() == 1024 * 1024
