# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionMarkerChannelManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Markers in their queues and requests; mocks stand in for the state manager and the metadata cache.

D138: a request is the markers themselves, and its handler gets the response without a ClientResponse.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY, Mock, call

import pytest

from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction import transaction_marker_channel_manager
from kreactor.core.coordinator.transaction.transaction_marker_channel_manager import (
    TransactionMarkerChannelManager,
    TxnMarkerEntry,
    TxnMarkerQueue,
)
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.coordinator.transaction.transaction_state_manager import (
    CoordinatorEpochAndTxnMetadata,
    TransactionStateManager,
)
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.mock_time import MockTime
from tests.core.server.brokers import broker_config
from tests.stepping import wait_until

PARTITION_1, PARTITION_2 = TopicPartition("topic1", 0), TopicPartition("topic1", 1)
BROKER_1, BROKER_2 = Node(1, "host", 10), Node(2, "otherhost", 10)
TRANSACTIONAL_ID_1, TRANSACTIONAL_ID_2 = "txnId1", "txnId2"
PRODUCER_ID_1, PRODUCER_ID_2 = 0, 1
PRODUCER_EPOCH, NO_EPOCH = 0, RecordBatch.NO_PRODUCER_EPOCH
TXN_TOPIC_PARTITION_1, TXN_TOPIC_PARTITION_2 = 0, 1
COORDINATOR_EPOCH, COORDINATOR_EPOCH_2 = 0, 1
TXN_RESULT = TransactionResult.COMMIT
SUCCESSFUL = WriteTxnMarkersResponse.of({PRODUCER_ID_2: {PARTITION_1: Errors.NONE}})


class Markers:
    """The manager of node 1 and two transactions that are being committed."""

    def __init__(self, folder: Path) -> None:
        self.config = broker_config(folder)
        self.metadata_cache = Mock(spec=MetadataCache)
        self.txn_state_manager = Mock(spec=TransactionStateManager)
        self.time = MockTime()
        self.txn_metadata_1 = TransactionMetadata(
            TRANSACTIONAL_ID_1, PRODUCER_ID_1, PRODUCER_ID_1, PRODUCER_EPOCH, NO_EPOCH, 0,
            TransactionState.PrepareCommit, {PARTITION_1, PARTITION_2}, 0, txn_last_update_timestamp=0)
        self.txn_metadata_2 = TransactionMetadata(
            TRANSACTIONAL_ID_2, PRODUCER_ID_2, PRODUCER_ID_2, PRODUCER_EPOCH, NO_EPOCH, 0,
            TransactionState.PrepareCommit, {PARTITION_1}, 0, txn_last_update_timestamp=0)
        self.registry = MetricsRegistry()
        self.channel_manager = self.new_manager()

    def new_manager(self) -> TransactionMarkerChannelManager:
        return TransactionMarkerChannelManager(
            self.config, self.metadata_cache, Mock(), self.txn_state_manager, self.time, self.registry)

    def mock_cache(self) -> None:
        self.states: dict[str, Any] = {
            TRANSACTIONAL_ID_1: CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH, self.txn_metadata_1),
            TRANSACTIONAL_ID_2: CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH, self.txn_metadata_2)}
        self.txn_state_manager.partition_for.side_effect = {
            TRANSACTIONAL_ID_1: TXN_TOPIC_PARTITION_1, TRANSACTIONAL_ID_2: TXN_TOPIC_PARTITION_2}.__getitem__
        self.txn_state_manager.get_transaction_state.side_effect = lambda id_: self.states[id_]

    def mock_leaders(self, first: Node | None | list[Node], second: Node | None = None) -> None:
        """Give the leader of the first partition, at each look-up if it is a list, and of the second."""
        firsts = iter(first) if isinstance(first, list) else None

        def endpoint(topic: str, partition: int, _listener: object) -> Node | None:
            assert topic == "topic1"
            if partition == 1:
                return second
            return next(firsts) if firsts is not None else first  # type: ignore[return-value]
        self.metadata_cache.get_partition_leader_endpoint.side_effect = endpoint

    def mock_append(self, *answers: Callable[[Callable[[Errors], None]], None]) -> None:
        """Have each append do what ``answers`` say, one after the other, with its callback."""
        following = iter(answers)

        def append(_id: str, _epoch: int, _transition: object, callback: Callable[[Errors], None],
                   *_rest: object) -> None:
            next(following)(callback)
        self.txn_state_manager.append_transaction_to_log.side_effect = append

    def add(self, metadata: TransactionMetadata, transition: Any = None,
            epoch: int = COORDINATOR_EPOCH) -> None:
        if transition is None:
            transition = metadata.prepare_complete(self.time.milliseconds())
        self.channel_manager.add_txn_markers_to_send(epoch, TXN_RESULT, metadata, transition)

    def complete_all(self, response: WriteTxnMarkersResponse | None) -> None:
        for request in self.channel_manager.generate_requests():
            request.handler.on_complete(response)

    def queue(self, broker: Node) -> TxnMarkerQueue:
        queue = self.channel_manager.queue_for_broker(broker.id())
        assert queue is not None
        return queue

    def drained(self) -> dict[Node, list[TxnMarkerEntry]]:
        return {request.destination: list(request.markers)
                for request in self.channel_manager.generate_requests()}


def appended(transition: object, epoch: int = COORDINATOR_EPOCH) -> Any:
    """Return the call of appendTransactionToLog for the second transaction."""
    return call(TRANSACTIONAL_ID_2, epoch, transition, ANY, ANY, ANY)


def marker(producer_id: int, partition: TopicPartition) -> TxnMarkerEntry:
    return TxnMarkerEntry(producer_id, PRODUCER_EPOCH, COORDINATOR_EPOCH, TXN_RESULT, (partition,))


@pytest.fixture
def markers(tmp_path: Path) -> Markers:
    return Markers(tmp_path)


def test_remove_metrics_on_close(markers: Markers, monkeypatch: pytest.MonkeyPatch) -> None:
    metrics_group = Mock(spec=KafkaMetricsGroup)
    monkeypatch.setattr(
        transaction_marker_channel_manager, "KafkaMetricsGroup", lambda *_args: metrics_group)
    markers.new_manager().shutdown()
    names = TransactionMarkerChannelManager.METRIC_NAMES
    # Each name once, and nothing else is asked of the group.
    assert sorted(c.args[0] for c in metrics_group.new_gauge.call_args_list) == sorted(names)
    assert sorted(c.args[0] for c in metrics_group.remove_metric.call_args_list) == sorted(names)
    assert len(metrics_group.method_calls) == 2 * len(names)


def test_should_only_write_txn_completion_once(markers: Markers) -> None:
    markers.mock_cache()
    metadata = markers.txn_metadata_2
    expected_transition = metadata.prepare_complete(markers.time.milliseconds())
    markers.mock_leaders(BROKER_1)

    def complete(callback: Callable[[Errors], None]) -> None:
        metadata.complete_transition_to(expected_transition)
        callback(Errors.NONE)
    markers.mock_append(complete, complete)

    failures: list[BaseException] = []

    def add_markers() -> None:
        try:
            markers.add(metadata, expected_transition)
        except BaseException as e:
            failures.append(e)

    thread = threading.Thread(target=add_markers)
    with metadata.lock:
        # The thread gets as far as the question whether there are markers to write.
        thread.start()
        requests: list[Any] = []

        def is_generated() -> bool:
            requests.extend(markers.channel_manager.generate_requests())
            return bool(requests)
        wait_until(is_generated, "timed out waiting for the expected WriteTxnMarkers request")
        assert len(requests) == 1
        requests[0].handler.on_complete(SUCCESSFUL)
    thread.join(60)

    assert not thread.is_alive()
    assert not failures
    assert markers.txn_state_manager.append_transaction_to_log.call_args_list == [
        appended(expected_transition)]


def test_should_not_lose_txn_completion_after_load(markers: Markers) -> None:
    markers.mock_cache()
    metadata = markers.txn_metadata_2
    expected_transition = metadata.prepare_complete(markers.time.milliseconds())
    markers.mock_leaders(BROKER_1)

    # Of a response and of a disconnection.
    for client_response in (SUCCESSFUL, None):
        for transaction_state in (
                Errors.NOT_COORDINATOR, Errors.COORDINATOR_LOAD_IN_PROGRESS,
                # Loaded anew, under the new epoch.
                CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH_2, metadata)):
            metadata.topic_partitions.add(PARTITION_1)
            markers.txn_state_manager.append_transaction_to_log.reset_mock()
            # Markers from before the load, which are in flight.
            markers.add(metadata, expected_transition)
            requests1 = markers.channel_manager.generate_requests()
            assert len(requests1) == 1

            # The load takes them out, and adds those of the new epoch.
            markers.channel_manager.remove_markers_for_txn_topic_partition(TXN_TOPIC_PARTITION_2)
            markers.states[TRANSACTIONAL_ID_2] = transaction_state
            markers.add(metadata, expected_transition, COORDINATOR_EPOCH_2)

            requests1[0].handler.on_complete(client_response)

            markers.states[TRANSACTIONAL_ID_2] = CoordinatorEpochAndTxnMetadata(COORDINATOR_EPOCH_2, metadata)
            requests2 = markers.channel_manager.generate_requests()
            assert len(requests2) == 1
            requests2[0].handler.on_complete(SUCCESSFUL)

            assert markers.txn_state_manager.append_transaction_to_log.call_args_list == [
                appended(expected_transition, COORDINATOR_EPOCH_2)]


def test_should_generate_empty_map_when_no_requests_outstanding(markers: Markers) -> None:
    assert markers.channel_manager.generate_requests() == []


def check_markers_of_both(markers: Markers) -> None:
    """Queue the markers of both transactions, of which the first has both partitions."""
    markers.mock_cache()
    markers.mock_leaders(BROKER_1, BROKER_2)
    markers.add(markers.txn_metadata_1)
    markers.add(markers.txn_metadata_2)

    assert markers.channel_manager.num_txns_with_pending_markers() == 2
    assert markers.queue(BROKER_1).total_num_markers() == 2
    assert markers.queue(BROKER_1).total_num_markers(TXN_TOPIC_PARTITION_1) == 1
    assert markers.queue(BROKER_1).total_num_markers(TXN_TOPIC_PARTITION_2) == 1
    assert markers.queue(BROKER_2).total_num_markers() == 1
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_1) == 1
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_2) == 0


BROKER_1_REQUEST = [marker(PRODUCER_ID_1, PARTITION_1), marker(PRODUCER_ID_2, PARTITION_1)]
BROKER_2_REQUEST = [marker(PRODUCER_ID_1, PARTITION_2)]


def test_should_generate_request_per_partition_per_broker(markers: Markers) -> None:
    check_markers_of_both(markers)
    assert markers.drained() == {BROKER_1: BROKER_1_REQUEST, BROKER_2: BROKER_2_REQUEST}
    assert markers.channel_manager.generate_requests() == []


def test_should_skip_send_markers_when_leader_not_found(markers: Markers) -> None:
    markers.mock_cache()
    markers.mock_leaders(None, BROKER_2)
    markers.add(markers.txn_metadata_1)

    assert markers.channel_manager.num_txns_with_pending_markers() == 1
    assert markers.queue(BROKER_2).total_num_markers() == 1
    assert markers.channel_manager.queue_for_broker(BROKER_1.id()) is None
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_1) == 1
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_2) == 0


def test_should_save_for_later_when_leader_unknown_but_not_available(markers: Markers) -> None:
    markers.mock_cache()
    markers.mock_leaders([Node.no_node()] * 4 + [BROKER_1] * 2, BROKER_2)
    markers.add(markers.txn_metadata_1)
    markers.add(markers.txn_metadata_2)

    assert markers.channel_manager.num_txns_with_pending_markers() == 2
    assert markers.queue(BROKER_2).total_num_markers() == 1
    assert markers.channel_manager.queue_for_broker(BROKER_1.id()) is None
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_1) == 1
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_2) == 0
    unknown = markers.channel_manager.queue_for_unknown_broker()
    assert unknown.total_num_markers() == 2
    assert unknown.total_num_markers(TXN_TOPIC_PARTITION_1) == 1
    assert unknown.total_num_markers(TXN_TOPIC_PARTITION_2) == 1

    assert markers.drained() == {BROKER_2: BROKER_2_REQUEST}
    assert markers.drained() == {BROKER_1: BROKER_1_REQUEST}


def test_should_remove_markers_for_txn_partition_when_partition_emigrated(markers: Markers) -> None:
    check_markers_of_both(markers)

    markers.channel_manager.remove_markers_for_txn_topic_partition(TXN_TOPIC_PARTITION_1)

    assert markers.channel_manager.num_txns_with_pending_markers() == 1
    assert markers.queue(BROKER_1).total_num_markers() == 1
    assert markers.queue(BROKER_1).total_num_markers(TXN_TOPIC_PARTITION_1) == 0
    assert markers.queue(BROKER_1).total_num_markers(TXN_TOPIC_PARTITION_2) == 1
    assert markers.queue(BROKER_2).total_num_markers() == 0
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_1) == 0
    assert markers.queue(BROKER_2).total_num_markers(TXN_TOPIC_PARTITION_2) == 0


def check_end(markers: Markers, state: TransactionState,
              *answers: Callable[[TransactionMetadata, Any, Callable[[Errors], None]], None]) -> None:
    """End the second transaction; ``answers`` are what the appends of its completion do."""
    markers.mock_cache()
    markers.mock_leaders(BROKER_1, BROKER_2)
    metadata = markers.txn_metadata_2
    transition = metadata.prepare_complete(markers.time.milliseconds())
    markers.mock_append(*(functools.partial(answer, metadata, transition) for answer in answers))
    markers.add(metadata, transition)

    markers.complete_all(SUCCESSFUL)
    if len(answers) > 1:
        # The append is tried again here.
        markers.channel_manager.generate_requests()

    assert markers.txn_state_manager.append_transaction_to_log.call_args_list == (
        [appended(transition)] * len(answers))
    assert markers.channel_manager.num_txns_with_pending_markers() == 0
    assert markers.queue(BROKER_1).total_num_markers() == 0
    assert metadata.pending_state is None
    assert metadata.state is state


def succeed(metadata: TransactionMetadata, transition: Any, callback: Callable[[Errors], None]) -> None:
    metadata.complete_transition_to(transition)
    callback(Errors.NONE)


def test_should_complete_append_to_log_on_end_txn_when_send_markers_succeed(markers: Markers) -> None:
    check_end(markers, TransactionState.CompleteCommit, succeed)


def test_should_abort_append_to_log_on_end_txn_when_not_coordinator_error(markers: Markers) -> None:
    def abort(metadata: TransactionMetadata, _transition: object, callback: Callable[[Errors], None]) -> None:
        metadata.pending_state = None
        # D231: an append is given up only where this node does not coordinate the id any more.
        markers.states[TRANSACTIONAL_ID_2] = Errors.NOT_COORDINATOR
        callback(Errors.NOT_COORDINATOR)

    check_end(markers, TransactionState.PrepareCommit, abort)


def test_should_retry_append_to_log_on_end_txn_when_coordinator_not_available_error(markers: Markers) -> None:
    def not_available(_metadata: TransactionMetadata, _transition: object,
                      callback: Callable[[Errors], None]) -> None:
        callback(Errors.COORDINATOR_NOT_AVAILABLE)

    check_end(markers, TransactionState.CompleteCommit, not_available, succeed)


def test_should_create_metrics_on_starting(markers: Markers) -> None:
    names = [name.get_mbean_name() for name in markers.registry.all_metrics()]
    for name in ("UnknownDestinationQueueSize", "LogAppendRetryQueueSize"):
        assert names.count(
            f"kafka.coordinator.transaction:type=TransactionMarkerChannelManager,name={name}") == 1


# -- not in Kafka's test ---------------------------------------------------------------------------

def test_text_of_a_request(markers: Markers) -> None:
    markers.mock_cache()
    markers.mock_leaders(BROKER_1)
    markers.add(markers.txn_metadata_2)
    request, = markers.channel_manager.generate_requests()
    assert str(request) == (
        f"RequestAndCompletionHandler(creationTimeMs={request.creation_time_ms}, destination={BROKER_1}, "
        f"request=[{marker(PRODUCER_ID_2, PARTITION_1)}], handler={request.handler})")


class Rounds:
    """Makes each wakeup of a manager wait until the manager's thread has made a round since."""

    def __init__(self, manager: TransactionMarkerChannelManager, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        poll_once, wakeup = manager.poll_once, manager.wakeup

        def counted_poll_once() -> None:
            poll_once()
            self.count += 1

        def wakeup_and_wait() -> None:
            before = self.count
            wakeup()
            if threading.current_thread() is not manager:
                wait_until(lambda: self.count > before or not manager.is_running())

        monkeypatch.setattr(manager, "poll_once", counted_poll_once)
        monkeypatch.setattr(manager, "wakeup", wakeup_and_wait)


def test_markers_are_sent_although_their_thread_is_faster_than_the_one_that_queues_them(
        markers: Markers, monkeypatch: pytest.MonkeyPatch) -> None:
    manager = markers.channel_manager
    markers.mock_cache()
    markers.mock_leaders(BROKER_1, BROKER_1)
    sent: list[TxnMarkerEntry] = []
    monkeypatch.setattr(manager, "_send", lambda request: sent.extend(request.markers))
    Rounds(manager, monkeypatch)
    manager.start()
    try:
        markers.add(markers.txn_metadata_2)
        wait_until(lambda: sent, "the markers stay in their queue", 10)
    finally:
        manager.shutdown()
