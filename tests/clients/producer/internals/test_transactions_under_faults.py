# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Transactions before brokers that refuse requests, connections that go, and a coordinator that moves.

Two brokers lead a partition each, and one of them is the coordinator. They answer a repeated request as Kafka
does: an EndTxn that is done already, an InitProducerId that has bumped the epoch already, a batch that they
have. The application sends records and offsets, commits or aborts, and aborts whatever fails. It closes the
producer by force where it cannot abort.

While the producer aborts, a broker refuses a batch for good only if it does not have it. Otherwise the
producer gives the batch's sequence to another batch, as 3.8.0 does, and the broker takes that for the first.
An EndTxn that has had its effect is refused only for a while: 3.8.0 would abort what is committed.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.clients.producer.internals.transactional_request_result import TransactionalRequestResult
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record import Record
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
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
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.jdk.exceptions import IllegalStateException
from tests.clients.producer.internals.test_record_accumulator_own import Fate
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
from tests.common.requests.request_test_utils import RequestTestUtils
from tests.schedules import schedules

MAX_IN_FLIGHT = 5
GROUP = "group"

# The errors that each request can get: those that may pass, those after which the application can abort, and
# those that are fatal.
RETRIABLE, ABORTABLE, FATAL = range(3)
_COORDINATOR_MOVES = [Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_LOAD_IN_PROGRESS,
                      Errors.NOT_COORDINATOR]
_FENCED = [Errors.PRODUCER_FENCED, Errors.INVALID_PRODUCER_EPOCH,
           Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED]
_ID_IS_LOST = [Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_ID_MAPPING, Errors.TRANSACTION_ABORTABLE]
ERRORS: dict[type[AbstractRequest], list[list[Errors]]] = {
    FindCoordinatorRequest: [
        [Errors.COORDINATOR_NOT_AVAILABLE], [], [Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED]],
    InitProducerIdRequest: [[*_COORDINATOR_MOVES, Errors.CONCURRENT_TRANSACTIONS], [], _FENCED],
    AddPartitionsToTxnRequest: [[*_COORDINATOR_MOVES, Errors.CONCURRENT_TRANSACTIONS],
                                [*_ID_IS_LOST, Errors.TOPIC_AUTHORIZATION_FAILED],
                                [*_FENCED, Errors.INVALID_TXN_STATE]],
    AddOffsetsToTxnRequest: [[*_COORDINATOR_MOVES, Errors.CONCURRENT_TRANSACTIONS],
                             [*_ID_IS_LOST, Errors.GROUP_AUTHORIZATION_FAILED],
                             [*_FENCED, Errors.INVALID_TXN_STATE]],
    TxnOffsetCommitRequest: [[*_COORDINATOR_MOVES, Errors.REQUEST_TIMED_OUT],
                             [Errors.GROUP_AUTHORIZATION_FAILED, Errors.FENCED_INSTANCE_ID,
                              Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION], _FENCED],
    EndTxnRequest: [_COORDINATOR_MOVES, _ID_IS_LOST, [*_FENCED, Errors.INVALID_TXN_STATE]],
    ProduceRequest: [[Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS],
                     [Errors.TOPIC_AUTHORIZATION_FAILED, Errors.INVALID_PRODUCER_EPOCH],
                     [Errors.CLUSTER_AUTHORIZATION_FAILED, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED]],
}
COMMIT, ABORT = TransactionResult.COMMIT, TransactionResult.ABORT


def schedules_of(*kinds: int) -> st.SearchStrategy[list[tuple[str, Any]]]:
    """Schedules whose errors are of these kinds."""
    refusals = st.tuples(st.sampled_from(kinds), st.integers(0, 5))
    return st.lists(st.one_of(
        st.tuples(st.just("send"), st.sampled_from([0, 1])),
        st.tuples(st.just("send"), st.sampled_from([0, 1])),
        st.tuples(st.just("send_offset"), st.sampled_from([0, 1])),
        st.tuples(st.just("end"), st.sampled_from([COMMIT, ABORT])),
        st.tuples(st.just("run"), st.just(0)),
        st.tuples(st.just("run"), st.just(0)),
        st.tuples(st.just("answer"), st.just(0)),
        st.tuples(st.just("answer"), st.just(0)),
        st.tuples(st.just("refuse"), refusals),
        st.tuples(st.just("send_and_refuse"), st.tuples(st.sampled_from([0, 1]), refusals)),
        st.tuples(st.just("cut"), st.tuples(st.sampled_from([0, 1]), st.integers(0, MAX_IN_FLIGHT))),
        st.tuples(st.just("move"), st.just(0)),
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

    def refused(self, error: Errors) -> AbstractResponse:
        """Return a response with an error."""
        if isinstance(self.request, ProduceRequest):
            return ProduceResponse.of({tp: PartitionResponse(error) for tp, *_ in self.batches}, 0)
        if isinstance(self.request, AddPartitionsToTxnRequest):
            return add_partitions_to_txn_response(dict.fromkeys(
                AddPartitionsToTxnRequest.get_partitions(self.request.data().v3_and_below_topics), error))
        response = self.request.get_error_response(error.exception())
        assert response is not None
        return response


class Broker:
    """Both brokers, which agree at once."""

    def __init__(self) -> None:
        self.nodes = [Node(0, "localhost", 2211), Node(1, "localhost", 2212)]
        self.coordinator = 0
        self._epoch = -1
        self._partitions: set[TopicPartition] = set()
        # How the last transaction ended; None while there is one.
        self._ended: TransactionResult | None = ABORT
        # Of the group: what is committed, and what the transaction would commit.
        self.offsets: dict[TopicPartition, int] = {}
        self._pending_offsets: dict[TopicPartition, int] = {}
        self._has_group = False
        # Of each partition: values with how they ended; the last batches of an epoch.
        self.logs: dict[TopicPartition, list[tuple[bytes, TransactionResult | None]]] = {TP0: [], TP1: []}
        self._batches: dict[TopicPartition, deque[tuple[int, int, int, int]]] = {
            tp: deque(maxlen=5) for tp in self.logs}

    def handle(self, sent: Request, destination: str) -> AbstractResponse:
        request = sent.request
        if isinstance(request, FindCoordinatorRequest):
            [key] = request.data().coordinator_keys
            return FindCoordinatorResponse.prepare_response(
                Errors.NONE, key, self.nodes[self.coordinator if key == TRANSACTIONAL_ID else 0])
        if isinstance(request, TxnOffsetCommitRequest):
            assert request.data().producer_epoch == self._epoch and self._has_group
            offsets = request.offsets()
            self._pending_offsets.update((tp, committed.offset) for tp, committed in offsets.items())
            return TxnOffsetCommitResponse.of(0, dict.fromkeys(offsets, Errors.NONE))
        if isinstance(request, ProduceRequest):
            return ProduceResponse.of({tp: self._append(tp, *batch) for tp, *batch in sent.batches}, 0)
        if destination != str(self.coordinator):
            return sent.refused(Errors.NOT_COORDINATOR)
        if isinstance(request, InitProducerIdRequest):
            epoch = request.data().producer_epoch
            assert epoch in (self._epoch, self._epoch - 1)
            if epoch == self._epoch:
                self._end(ABORT)
                self._epoch += 1
            return InitProducerIdResponse(InitProducerIdResponseData(
                producer_id=PRODUCER_ID, producer_epoch=self._epoch))
        if isinstance(request, AddPartitionsToTxnRequest):
            assert request.data().v3_and_below_producer_epoch == self._epoch
            partitions = AddPartitionsToTxnRequest.get_partitions(request.data().v3_and_below_topics)
            self._ended = None
            self._partitions.update(partitions)
            return add_partitions_to_txn_response(dict.fromkeys(partitions, Errors.NONE))
        if isinstance(request, AddOffsetsToTxnRequest):
            assert request.data().producer_epoch == self._epoch
            self._ended = None
            self._has_group = True
            return AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData())
        assert isinstance(request, EndTxnRequest)
        assert request.data().producer_epoch == self._epoch
        assert self._ended in (None, request.result())
        self._end(request.result())
        return EndTxnResponse(EndTxnResponseData())

    def has_ended(self) -> bool:
        """Return whether there is no transaction."""
        return self._ended is not None

    def has_any(self, sent: Request) -> bool:
        """Return whether a batch of the request was written already."""
        return any((epoch, sequence) == batch[:2] for tp, epoch, sequence, _ in sent.batches
                   for batch in self._batches[tp])

    def _end(self, result: TransactionResult) -> None:
        for tp, log in self.logs.items():
            self.logs[tp] = [(value, ended or result) for value, ended in log]
        if result is COMMIT:
            self.offsets.update(self._pending_offsets)
        self._pending_offsets.clear()
        self._has_group = False
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
    """An application, its producer, the connections and the brokers."""

    def __init__(self) -> None:
        self.rig = rig = Rig()
        rig.client.update_metadata(RequestTestUtils.metadata_update_with(2, {TP0.topic(): 2}))
        rig.api_versions.update("1", rig.api_versions.get("0"))
        metrics = Metrics(time=rig.time)
        rig.accumulator = rig.new_accumulator(metrics, 10**9, 128)
        rig.sender = rig.new_sender(metrics, rig.accumulator, False, REQUEST_TIMEOUT, 50)
        self.broker = Broker()
        self._sent: dict[int, Request] = {}
        # The records of the transaction, and of all: what became of them and how their transactions ended.
        self._open: list[tuple[TopicPartition, bytes, Fate, FutureRecordMetadata]] | None = None
        self._open_offsets: dict[TopicPartition, int] = {}
        self.records: list[
            tuple[TopicPartition, bytes, Fate, FutureRecordMetadata, TransactionResult | None]] = []
        self.offsets: dict[TopicPartition, int] = {}
        self._number = 0
        # The result that the application waits for.
        self._result: tuple[TransactionalRequestResult, TransactionResult | None] | None = None
        # Whether an error was fatal, or came to an abort; whether the application has given up for that.
        self._cannot_go_on = False
        self.is_closed = False
        result = rig.manager.initialize_transactions()
        while not result.is_completed():
            self.run()
            self.answer()
        result.await_()

    def send(self, partition: int) -> None:
        tp = (TP0, TP1)[partition]
        if self._begin() and self._or_abort(lambda: self.rig.manager.maybe_add_partition(tp)):
            self._number += 1
            value, fate, now_ms = b"%d" % self._number, Fate(self._number), self.rig.time.milliseconds()
            result = self.rig.accumulator.append(
                tp.topic(), partition, now_ms, b"", value, Record.EMPTY_HEADERS, fate, 0, False, now_ms,
                self.rig.metadata.fetch())
            assert self._open is not None and result.future is not None
            self._open.append((tp, value, fate, result.future))

    def send_offset(self, partition: int) -> None:
        """Add the offset of the next record to the transaction, and wait for it."""
        def begin() -> None:
            self._number += 1
            tp = (TP0, TP1)[partition]
            self._open_offsets[tp] = self._number
            self._result = self.rig.manager.send_offsets_to_transaction(
                {tp: OffsetAndMetadata(self._number)}, ConsumerGroupMetadata(GROUP)), None

        if self._begin():
            self._or_abort(begin)

    def _begin(self) -> bool:
        """Return whether the application is in a transaction and waits for nothing."""
        if self._result is not None or self.is_closed:
            return False
        if self._open is None:
            self.rig.manager.begin_transaction()
            self._open = []
            self._open_offsets = {}
        return True

    def send_and_refuse(self, how: tuple[int, tuple[int, int]]) -> None:
        """Let the batch of a record fail, if the partition is in the transaction."""
        self.send(how[0])
        self.run()
        self.refuse(how[1])

    def end(self, result: TransactionResult) -> None:
        if self._result is not None or self._open is None:
            return

        def begin() -> None:
            begin_end = (self.rig.manager.begin_commit if result is COMMIT
                         else self.rig.manager.begin_abort)
            self._result = begin_end(), result

        self._or_abort(begin)

    def _or_abort(self, call: Callable[[], None]) -> bool:
        try:
            call()
        except KafkaException:
            try:
                self._result = self.rig.manager.begin_abort(), ABORT
            except (KafkaException, IllegalStateException):
                assert self._cannot_go_on
                self.close()
            return False
        return True

    def close(self) -> None:
        """Do what the Sender does when it is closed by force."""
        self.is_closed = True
        self.rig.accumulator.close()
        self.rig.manager.close()
        self.rig.accumulator.abort_incomplete_batches()
        self.rig.client.close()
        self.rig.accumulator.end_requests()
        if self._result is not None:
            assert self._result[0].is_completed()
        assert self._open is not None
        self.records += [(*record, None) for record in self._open]
        self._open = self._result = None

    def look(self) -> None:
        """Let the application see whether what it waits for is there."""
        if self._result is None or not self._result[0].is_completed():
            return
        [result, kind], self._result = self._result, None
        if self._or_abort(result.await_) and kind is not None:
            assert self._open is not None
            self.records += [(*record, kind) for record in self._open]
            if kind is COMMIT:
                self.offsets.update(self._open_offsets)
            self._open = None

    def run(self, _: int = 0) -> None:
        if self.is_closed:
            return
        if len(self.rig.client.requests()) < MAX_IN_FLIGHT:
            self.rig.sender.run_once()
        for request in self.rig.client.requests():
            if request.correlation_id() not in self._sent:
                self._sent[request.correlation_id()] = Request(request.request_builder().build())

    def answer(self, _: int = 0) -> None:
        """Let the oldest request be handled."""
        if self.rig.client.requests() and not self.is_closed:
            self._respond(self.broker.handle(self._oldest(), self.rig.client.requests()[0].destination()))

    def refuse(self, how: tuple[int, int]) -> None:
        """Let the oldest request fail."""
        if not self.rig.client.requests() or self.is_closed:
            return
        kind, number = how
        sent = self._oldest()
        if (self.rig.manager.is_aborting() and self.broker.has_any(sent)
                or isinstance(sent.request, EndTxnRequest) and self.broker.has_ended()):
            kind = RETRIABLE
        errors = ERRORS[type(sent.request)][kind] or ERRORS[type(sent.request)][RETRIABLE]
        error = errors[number % len(errors)]
        if kind == FATAL or kind == ABORTABLE and self.rig.manager.is_aborting():
            self._cannot_go_on = True
        self._respond(sent.refused(error))

    def cut(self, how: tuple[int, int]) -> None:
        """Let so many requests to a node be handled, and all its responses be lost."""
        if self.is_closed:
            return
        node, handled = str(how[0]), how[1]
        requests = [request for request in self.rig.client.requests() if request.destination() == node]
        for request in requests[:handled]:
            self.broker.handle(self._sent[request.correlation_id()], node)
        self.rig.client.disconnect(node)
        self._poll()

    def move(self, _: int = 0) -> None:
        """Let the other node be the coordinator."""
        self.broker.coordinator = 1 - self.broker.coordinator

    def wait(self, ms: int) -> None:
        self.rig.time.sleep(ms)

    def finish(self) -> None:
        """Let everything be handled, and the last transaction be committed."""
        for _ in range(500):
            self.end(COMMIT)
            self.run()
            while self.rig.client.requests() and not self.is_closed:
                self.answer()
            self.look()
            if self._open is None and not self.rig.accumulator.has_incomplete():
                return
            self.wait(60)
        # An abort that has failed can be neither repeated nor left, as in 3.8.0.
        assert self._cannot_go_on, "the transaction does not end"
        self.close()

    def _oldest(self) -> Request:
        return self._sent[self.rig.client.requests()[0].correlation_id()]

    def _respond(self, response: AbstractResponse) -> None:
        self.rig.client.respond(response)
        self._poll()

    def _poll(self) -> None:
        self.rig.client.poll(0, self.rig.time.milliseconds())

    def check(self) -> None:
        """Hold the logs against what the application knows."""
        unknown = {value for _, value, _, _, ended in self.records if ended is None}
        for tp, log in self.broker.logs.items():
            committed = [value for value, ended in log if ended is COMMIT]
            known = [value for of, value, *_, ended in self.records if of == tp and ended is COMMIT]
            # Of a transaction that ended with the producer all may be there, or nothing.
            assert committed == known or committed[:len(known)] == known and unknown.issuperset(
                committed[len(known):]), f"{tp} has other records than those that are committed"
            assert self.is_closed or all(ended is not None for _, ended in log)
            assert len({value for value, _ in log}) == len(log)
        assert self.broker.offsets == self.offsets or self.is_closed
        for _, _, fate, future, ended in self.records:
            assert future.is_done() and len(fate.results) == 1
            if ended is COMMIT:
                assert fate.results == [None] and future.get().offset() >= 0
        assert self.rig.accumulator.buffer_pool_available_memory() == 1024 * 1024


@pytest.mark.deviation("D332")
def test_a_sequence_is_not_used_again_when_the_commit_fails_and_the_broker_has_its_batch():
    run = Run()
    run.send(0)
    run.run()
    run.answer()
    run.end(TransactionResult.COMMIT)
    run.run()
    # The batch is written, and its response is lost. The second attempt is refused.
    run.cut((0, 1))
    run.wait(60)
    run.run()
    run.refuse((ABORTABLE, 0))
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT]
    run.send(0)
    run.finish()
    assert [value for value, ended in run.broker.logs[TP0] if ended is COMMIT] == [b"2"]


@pytest.mark.deviation("D279")
def test_a_partition_is_added_again_when_a_transaction_ends_without_an_end_txn():
    run = Run()
    run.send(0)
    run.run()
    run.answer()
    # The coordinator knows the producer id neither when it gets AddOffsetsToTxn, nor when it gets EndTxn. The
    # InitProducerId that follows ends the transaction.
    run.send_offset(0)
    for _ in range(2):
        run.run()
        run.refuse((ABORTABLE, _ID_IS_LOST.index(Errors.INVALID_PRODUCER_ID_MAPPING)))
        run.look()
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT]
    run.send(0)
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT, COMMIT]
    run.check()


@pytest.mark.deviation("D280")
def test_offsets_of_an_aborted_transaction_are_not_committed_with_the_next_one():
    run = Run()
    run.send(0)
    run.run()
    run.answer()
    run.run()
    run.send_offset(1)
    run.run()
    produce, add_offsets = run.rig.client.requests()
    run.rig.client.respond_to_request(
        add_offsets, run.broker.handle(run._sent[add_offsets.correlation_id()], add_offsets.destination()))
    run._poll()
    # TxnOffsetCommit is not sent yet when the batch fails.
    run.refuse((ABORTABLE, 0))
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT]
    run.send_offset(0)
    run.finish()
    assert set(run.broker.offsets) == {TP0}
    run.check()


@pytest.mark.deviation("D278")
@pytest.mark.parametrize("error", range(len(_ID_IS_LOST)))
def test_another_transaction_follows_when_a_partition_is_refused_while_the_producer_aborts(error):
    run = Run()
    run.send(0)
    run.run()
    run.end(ABORT)
    # AddPartitionsToTxn goes before the EndTxn of the abort.
    run.refuse((ABORTABLE, error))
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT]
    run.send(0)
    run.finish()
    assert [ended for *_, ended in run.records] == [ABORT, COMMIT]
    run.check()


@schedules(60)
@given(schedules_of(RETRIABLE, ABORTABLE))
def test_a_committed_transaction_is_there_once_and_an_aborted_one_is_not(steps):
    run = Run()
    for step, argument in steps:
        getattr(run, step)(argument)
        run.look()
    run.finish()
    # After any faults, a transaction can follow.
    if not run.is_closed:
        run.send(0)
        run.send(1)
        run.send_offset(0)
        run.finish()
        assert run.records[-1][-1] is COMMIT
        assert not run.rig.manager.has_fatal_error()
    run.check()


# The request to one broker expires while one to the other is in flight.
ONE_OF_TWO_EXPIRES = [
    ("send", 0), ("send", 1), ("run", 0), ("answer", 0), ("run", 0), *[("send", 0)] * 9,
    ("wait", REQUEST_TIMEOUT), ("run", 0)]


@schedules(60)
@example(ONE_OF_TWO_EXPIRES)
@given(schedules_of(RETRIABLE, RETRIABLE, RETRIABLE, ABORTABLE, FATAL))
def test_a_fatal_error_at_any_step_leaves_all_or_nothing_of_a_transaction(steps):
    run = Run()
    for step, argument in steps:
        getattr(run, step)(argument)
        run.look()
    run.finish()
    run.check()
