# Licensed under the Apache License, Version 2.0; see LICENSE.
"""An idempotent producer before a broker that refuses batches, and a connection that goes.

The broker judges sequence numbers as Kafka does, and remembers the last five batches of each partition. A
request counts as it was when it was sent. The connection delivers requests in order, and loses the
rest of them, or their responses, when it goes.
"""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.clients.client_request import ClientRequest
from kreactor.clients.producer.internals.future_record_metadata import FutureRecordMetadata
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.topic_partition import TopicPartition
from tests.clients.producer.internals.test_transaction_manager import (
    PRODUCER_ID,
    REQUEST_TIMEOUT,
    TP0,
    TP1,
    PartitionResponse,
    Rig,
)

MAX_IN_FLIGHT = 5
Written = tuple[TopicPartition, int, int, list[bytes]]

STEPS = st.lists(st.one_of(
    st.tuples(st.just("send"), st.sampled_from([0, 1])),
    st.tuples(st.just("send_now"), st.sampled_from([0, 1])),
    st.tuples(st.just("run"), st.just(0)),
    st.tuples(st.just("answer"), st.just(0)),
    st.tuples(st.just("refuse"), st.sampled_from([
        Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS, Errors.REQUEST_TIMED_OUT])),
    st.tuples(st.just("cut"), st.integers(0, MAX_IN_FLIGHT)),
    st.tuples(st.just("wait"), st.sampled_from([10, 60, REQUEST_TIMEOUT])),
), min_size=20, max_size=60)


class Broker:
    """Logs, and what is known of the producer in each."""

    def __init__(self, sequence: int) -> None:
        self.logs: dict[TopicPartition, list[bytes]] = {TP0: [], TP1: []}
        self._next_sequence = {tp: sequence for tp in self.logs}
        self._batches: dict[TopicPartition, deque[tuple[int, int, int]]] = {
            tp: deque(maxlen=5) for tp in self.logs}

    def append(self, tp: TopicPartition, epoch: int, sequence: int, values: list[bytes]) -> PartitionResponse:
        assert epoch == 0, "nothing asks for another epoch here"
        log, batches = self.logs[tp], self._batches[tp]
        last_sequence = (sequence + len(values) - 1) % 2**31
        for first, last, offset in batches:
            if (first, last) == (sequence, last_sequence):
                return PartitionResponse(Errors.NONE, offset, -1, 0)
        if sequence != self._next_sequence[tp]:
            return PartitionResponse(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
        self._next_sequence[tp] = (last_sequence + 1) % 2**31
        batches.append((sequence, last_sequence, len(log)))
        log.extend(values)
        return PartitionResponse(Errors.NONE, len(log) - len(values), -1, 0)


class Run:
    """A producer, its connection and the broker."""

    def __init__(self, sequence: int) -> None:
        """Count the records of each partition from ``sequence`` on, as if earlier ones were written."""
        self.rig = Rig()
        self.rig.initialize_transaction_manager(None)
        metrics = Metrics(time=self.rig.time)
        self.rig.accumulator = self.rig.new_accumulator(metrics, 10**9, 128)
        self.rig.sender = self.rig.new_sender(metrics, self.rig.accumulator, False, REQUEST_TIMEOUT, 50)
        self.rig.initialize_idempotent_producer_id(PRODUCER_ID, 0)
        self.broker = Broker(sequence)
        for tp in self.broker.logs:
            self.rig.manager.maybe_update_producer_id_and_epoch(tp)
            self.rig.manager.increment_sequence_number(tp, sequence)
            self.rig.manager._txn_partition_map.maybe_update_last_acked_sequence(tp, sequence - 1)
        self.sent: dict[TopicPartition, list[tuple[bytes, FutureRecordMetadata]]] = {TP0: [], TP1: []}
        # The requests as they were sent, by correlation id.
        self._written: dict[int, list[Written]] = {}

    def send(self, partition: int) -> None:
        tp = (TP0, TP1)[partition]
        value = f"{partition}-{len(self.sent[tp])}".encode()
        self.sent[tp].append((value, self.rig.append_to(self.rig.accumulator, tp, b"", value)))

    def send_now(self, partition: int) -> None:
        self.send(partition)
        self.run()

    def run(self, _: int = 0) -> None:
        if len(self.rig.client.requests()) < MAX_IN_FLIGHT:
            self.rig.sender.run_once()
        for request in self.rig.client.requests():
            self._written.setdefault(request.correlation_id(), list(read(request)))

    def answer(self, _: int = 0) -> None:
        """Let the oldest request be handled."""
        if self.rig.client.requests():
            written = self._written[self.rig.client.requests()[0].correlation_id()]
            self._respond({tp: self.broker.append(tp, *batch) for tp, *batch in written})

    def refuse(self, error: Errors) -> None:
        """Let the oldest request fail."""
        if self.rig.client.requests():
            written = self._written[self.rig.client.requests()[0].correlation_id()]
            self._respond({tp: PartitionResponse(error) for tp, *_ in written})

    def cut(self, handled: int) -> None:
        """Let so many requests be handled, and all responses be lost."""
        for request in list(self.rig.client.requests())[:handled]:
            for tp, *batch in self._written[request.correlation_id()]:
                self.broker.append(tp, *batch)
        self.rig.client.disconnect("0")
        self._poll()

    def wait(self, ms: int) -> None:
        self.rig.time.sleep(ms)

    def finish(self) -> None:
        """Let everything be handled."""
        for _ in range(500):
            if not self.rig.accumulator.has_incomplete():
                return
            self.run()
            while self.rig.client.requests():
                self.answer()
            self.wait(60)
        raise AssertionError("batches are left")

    def _respond(self, responses: dict[TopicPartition, PartitionResponse]) -> None:
        self.rig.client.respond(ProduceResponse.of(responses, 0))
        self._poll()

    def _poll(self) -> None:
        self.rig.client.poll(0, self.rig.time.milliseconds())


def read(request: ClientRequest) -> list[Written]:
    """Return the partitions of a request with their epochs, sequences and values."""
    produce = request.request_builder().build()
    assert isinstance(produce, ProduceRequest)
    found = []
    for topic in produce.data().topic_data:
        for partition in topic.partition_data:
            [batch] = partition.records.batches()
            assert batch.producer_id() == PRODUCER_ID
            values = [record.value().to_bytes() for record in batch]
            found.append((TopicPartition(topic.name, partition.index), batch.producer_epoch(),
                          batch.base_sequence(), values))
    return found


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([0, 2**31 - 6, 2**31 - 1]), STEPS)
def test_each_record_is_written_once_and_in_order(sequence, steps):
    run = Run(sequence)
    for step, argument in steps:
        getattr(run, step)(argument)
    run.finish()
    for tp, sent in run.sent.items():
        assert run.broker.logs[tp] == [value for value, _ in sent]
        assert [future.get().offset() for _, future in sent] == list(range(len(sent)))
        assert not run.rig.manager.has_inflight_batches(tp)
        assert run.rig.manager.sequence_number(tp) == (sequence + len(sent)) % 2**31
    assert not run.rig.manager.has_unresolved_sequences()
    assert run.rig.accumulator.buffer_pool_available_memory() == 1024 * 1024
