# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Markers in a broker with real logs, from the end of a transaction to the change of its state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.node import Node as Endpoint
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.exceptions import IllegalStateException
from tests.core.coordinator.transaction.support import Transactions
from tests.core.server.brokers import broker_config
from tests.stepping import wait_until

S = TransactionState
COMMIT = TransactionResult.COMMIT
FOO, BAR = TopicPartition("foo", 0), TopicPartition("bar", 0)


@pytest.fixture
def txns(tmp_path: Path) -> Iterator[Transactions]:
    with Transactions(tmp_path) as transactions:
        transactions.own()
        transactions.node.create_topic("foo")
        yield transactions


def ended(txns: Transactions, *partitions: TopicPartition, transactional_id: str = "txn",
          epoch: int = 0) -> TransactionMetadata:
    """Begin to commit a transaction with these partitions; return it."""
    metadata = txns.put(S.PrepareCommit, transactional_id, partitions=partitions)
    transit = metadata.prepare_complete(txns.time.milliseconds())
    txns.channel_manager.add_txn_markers_to_send(epoch, COMMIT, metadata, transit)
    return metadata


def pending(txns: Transactions) -> int:
    return txns.channel_manager.num_txns_with_pending_markers()


GAUGES = {f"kafka.coordinator.transaction:type=TransactionMarkerChannelManager,name={name}"
          for name in ("UnknownDestinationQueueSize", "LogAppendRetryQueueSize")}


def test_the_gauges_of_a_broker(txns: Transactions) -> None:
    assert txns.node.metric_names() >= GAUGES
    assert [txns.node.metric_value(name) for name in GAUGES] == [0, 0]


def test_the_gauges_are_gone_after_the_shutdown(txns: Transactions) -> None:
    txns.channel_manager.shutdown()
    assert not txns.node.metric_names() & GAUGES


def test_a_completion_is_appended_once(txns: Transactions) -> None:
    """The last marker completes the transaction; a later one finds nothing."""
    metadata = ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    txns.channel_manager._send(request)
    assert metadata.state is S.CompleteCommit
    txns.channel_manager.maybe_write_txn_completion("txn")
    assert txns.states_logged() == ["CompleteCommit"]


def test_a_partition_that_goes_while_its_leader_is_unknown(
    txns: Transactions, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is skipped when the thread looks again, and the transaction is complete then."""
    leaders = [None, Endpoint.no_node()]
    monkeypatch.setattr(txns.channel_manager._metadata_cache, "get_partition_leader_endpoint",
                        lambda *_: leaders.pop())
    metadata = ended(txns, FOO)
    assert pending(txns) == 1 and metadata.state is S.PrepareCommit
    assert txns.channel_manager.generate_requests() == []
    assert pending(txns) == 0 and metadata.state is S.CompleteCommit
    assert txns.states_logged() == ["CompleteCommit"] and not leaders


def test_a_load_while_markers_are_under_way(txns: Transactions) -> None:
    """The partition of the log is loaded anew while markers are under way."""
    ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    partition = txns.coordinator.partition_for("txn")
    txns.coordinator.on_resignation(partition, 0)
    txns.own(1, (partition,))
    again = ended(txns, FOO, epoch=1)
    # Responses to the old markers do not matter any more.
    txns.channel_manager._send(request)
    assert pending(txns) == 1 and again.state is S.PrepareCommit
    txns.channel_manager.poll_once()
    assert pending(txns) == 0 and again.state is S.CompleteCommit


def test_a_partition_without_leader_needs_no_marker(txns: Transactions) -> None:
    metadata = ended(txns, BAR)
    assert metadata.state is S.CompleteCommit
    assert txns.channel_manager.generate_requests() == []


def test_a_leader_without_endpoint_gets_its_markers_later(txns: Transactions) -> None:
    nodes = {"PLAINTEXT": Endpoint(1, "here", 9092)}
    txns.node.metadata_cache.set_endpoints({})
    metadata = ended(txns, FOO)
    for _ in range(2):
        assert txns.channel_manager.queue_for_broker(1) is None
        assert txns.channel_manager.queue_for_unknown_broker().total_num_markers() == 1
        assert txns.channel_manager.generate_requests() == []
    txns.node.metadata_cache.set_endpoints(nodes)
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit


def test_markers_that_are_written_complete_the_transaction(txns: Transactions) -> None:
    metadata = ended(txns, FOO, BAR)
    assert (metadata.state, metadata.topic_partitions) == (S.PrepareCommit, {FOO})
    txns.channel_manager.poll_once()
    assert (metadata.state, metadata.topic_partitions, pending(txns)) == (S.CompleteCommit, set(), 0)


def test_markers_of_another_coordinator_complete_nothing(txns: Transactions) -> None:
    metadata = ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    txns.manager.remove_transactions_for_txn_topic_partition(txns.coordinator.partition_for("txn"))
    txns.channel_manager._send(request)
    assert metadata.state is S.PrepareCommit
    assert pending(txns) == 0


def test_a_completion_is_appended_again_while_replicas_are_missing(
        txns: Transactions) -> None:
    metadata = txns.put(S.PrepareCommit)
    transit = metadata.prepare_complete(txns.time.milliseconds())
    txns.append_error = Errors.NOT_ENOUGH_REPLICAS
    txns.channel_manager.add_txn_markers_to_send(0, COMMIT, metadata, transit)
    gauge = next(name for name in GAUGES if name.endswith("LogAppendRetryQueueSize"))
    for _ in range(2):
        assert txns.node.metric_value(gauge) == 1
        assert (metadata.state, metadata.pending_state) == (S.PrepareCommit, S.CompleteCommit)
        txns.channel_manager.generate_requests()
    txns.append_error = None
    txns.channel_manager.generate_requests()
    assert metadata.state is S.CompleteCommit
    assert txns.node.metric_value(gauge) == 0


def answered(txns: Transactions, errors: dict[TopicPartition, Errors] | None,
             producer_id: int = 10) -> TransactionMetadata:
    """Have the markers of a transaction answered so; None is no answer."""
    metadata = ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    request.handler.on_complete(
        None if errors is None else WriteTxnMarkersResponse.of({producer_id: errors}))
    return metadata


def is_sent_again(txns: Transactions) -> bool:
    queue = txns.channel_manager.queue_for_broker(1)
    assert queue is not None
    return queue.total_num_markers() == 1


@pytest.mark.parametrize("change", ["not coordinator", "loading", "epoch"])
@pytest.mark.parametrize("errors", [None, {FOO: Errors.NONE}], ids=["no answer", "answer"])
def test_responses_for_another_coordinator(
        txns: Transactions, change: str, errors: Any) -> None:
    ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    partition = txns.coordinator.partition_for("txn")
    if change == "not coordinator":
        txns.manager.remove_transactions_for_txn_topic_partition(partition)
    elif change == "loading":
        txns.manager.add_loading_partition(partition, 1)
    else:
        txns.own(1, (partition,))
        txns.put()
    request.handler.on_complete(None if errors is None else WriteTxnMarkersResponse.of({10: errors}))
    assert pending(txns) == 0 and not is_sent_again(txns) and not txns.appended


def test_what_is_not_in_the_cache_of_the_coordinator(txns: Transactions) -> None:
    ended(txns, FOO)
    request, = txns.channel_manager.generate_requests()
    txns.own()
    with pytest.raises(IllegalStateException):
        request.handler.on_complete(None)


@pytest.mark.parametrize("error", [Errors.INVALID_PRODUCER_EPOCH, Errors.TRANSACTION_COORDINATOR_FENCED],
                         ids=str)
def test_markers_of_a_fenced_producer_are_not_sent_again(txns: Transactions, error: Errors) -> None:
    assert answered(txns, {FOO: error}).state is S.PrepareCommit
    assert pending(txns) == 0 and not is_sent_again(txns)


@pytest.mark.parametrize("error", [
    Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NOT_LEADER_OR_FOLLOWER, Errors.NOT_ENOUGH_REPLICAS,
    Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND, Errors.KAFKA_STORAGE_ERROR, Errors.REQUEST_TIMED_OUT], ids=str)
def test_markers_are_sent_again_after_an_error_that_passes(txns: Transactions, error: Errors) -> None:
    assert answered(txns, {FOO: error}).topic_partitions == {FOO}
    assert is_sent_again(txns)
    txns.channel_manager.poll_once()
    assert pending(txns) == 0


@pytest.mark.parametrize("error", [Errors.UNSUPPORTED_FOR_MESSAGE_FORMAT, Errors.UNSUPPORTED_VERSION],
                         ids=str)
def test_a_partition_of_an_old_format_needs_no_marker(
        txns: Transactions, error: Errors) -> None:
    assert answered(txns, {FOO: error}).state is S.CompleteCommit


def test_markers_that_cannot_be_written_are_written_later(txns: Transactions) -> None:
    metadata = ended(txns, FOO)
    txns.append_error = Errors.KAFKA_STORAGE_ERROR
    for _ in range(3):
        txns.channel_manager.poll_once()
        assert metadata.state is S.PrepareCommit and txns.channel_manager._has_retries
    txns.append_error = None
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit and not txns.channel_manager._has_retries


def test_what_writes_markers_raises(txns: Transactions, monkeypatch: pytest.MonkeyPatch,
                                    caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: Any) -> None:
        raise OSError("no")

    metadata = ended(txns, FOO)
    with monkeypatch.context() as patch:
        patch.setattr(txns.channel_manager, "_write_txn_markers", fail)
        txns.channel_manager.poll_once()
    assert "failed to write transaction markers" in caplog.text
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit


UNEXPECTED = [Errors.UNKNOWN_SERVER_ERROR, Errors.CORRUPT_MESSAGE, Errors.MESSAGE_TOO_LARGE,
              Errors.RECORD_LIST_TOO_LARGE, Errors.INVALID_REQUIRED_ACKS, Errors.INVALID_TXN_STATE]


@pytest.mark.deviation("D231")
@pytest.mark.parametrize("error", UNEXPECTED, ids=str)
def test_an_error_that_nobody_expects_ends_nothing(txns: Transactions, caplog: pytest.LogCaptureFixture,
                                                   error: Errors) -> None:
    """It is logged once, and the markers are written when it has passed."""
    metadata = ended(txns, FOO)
    txns.append_error = error
    for _ in range(3):
        txns.channel_manager.poll_once()
        assert metadata.state is S.PrepareCommit and txns.channel_manager._has_retries
    assert caplog.text.count("uncaught error in request completion") == 1
    txns.append_error = None
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit and not txns.channel_manager._has_retries


@pytest.mark.deviation("D231")
def test_one_failure_leaves_the_others_of_its_request_alone(txns: Transactions) -> None:
    names = ("a", "b", "c")
    transactions = []
    for producer_id, name in enumerate(names):
        metadata = txns.put(S.PrepareCommit, name, producer_id, partitions=(FOO,))
        txns.channel_manager.add_txn_markers_to_send(
            0, COMMIT, metadata, metadata.prepare_complete(txns.time.milliseconds()))
        transactions.append(metadata)
    request, = txns.channel_manager.generate_requests()
    with pytest.raises(IllegalStateException):
        request.handler.on_complete(WriteTxnMarkersResponse.of({
            0: {FOO: Errors.NONE}, 1: {FOO: Errors.CORRUPT_MESSAGE}, 2: {FOO: Errors.NONE}}))
    assert [metadata.state for metadata in transactions] == [
        S.CompleteCommit, S.PrepareCommit, S.CompleteCommit]
    request, = txns.channel_manager.generate_requests()
    assert [marker.producer_id for marker in request.markers] == [1]


@pytest.mark.deviation("D231")
@pytest.mark.parametrize("error", [
    *UNEXPECTED, Errors.KAFKA_STORAGE_ERROR, Errors.NOT_LEADER_OR_FOLLOWER, Errors.REQUEST_TIMED_OUT,
], ids=str)
def test_a_completion_that_is_refused_is_appended_later(txns: Transactions, error: Errors) -> None:
    metadata = txns.put(S.PrepareCommit)
    transit = metadata.prepare_complete(txns.time.milliseconds())
    txns.append_error = error
    txns.channel_manager.add_txn_markers_to_send(0, COMMIT, metadata, transit)
    for _ in range(3):
        txns.channel_manager.poll_once()
        assert (metadata.state, metadata.pending_state) == (S.PrepareCommit, S.CompleteCommit)
        assert txns.channel_manager._has_retries
    txns.append_error = None
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit and not txns.channel_manager._has_retries


@pytest.mark.parametrize("change", ["not coordinator", "loading", "epoch"])
def test_a_completion_of_another_coordinator_is_not_appended_later(txns: Transactions, change: str) -> None:
    metadata = txns.put(S.PrepareCommit)
    transit = metadata.prepare_complete(txns.time.milliseconds())
    txns.append_error = Errors.KAFKA_STORAGE_ERROR
    txns.channel_manager.add_txn_markers_to_send(0, COMMIT, metadata, transit)
    partition = txns.coordinator.partition_for("txn")
    if change == "not coordinator":
        txns.manager.remove_transactions_for_txn_topic_partition(partition)
    elif change == "loading":
        txns.manager.add_loading_partition(partition, 1)
    else:
        txns.own(1, (partition,))
        txns.put()
    txns.appended.clear()
    txns.append_error = None
    txns.channel_manager.poll_once()
    assert not txns.appended and not txns.channel_manager._has_retries


def test_a_lost_transaction_does_not_keep_the_markers_of_others(
        txns: Transactions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The coordinator owns the partition of the log, but has no metadata for one of its ids."""
    transactions = []
    with monkeypatch.context() as patch:
        patch.setattr(txns.channel_manager._metadata_cache, "get_partition_leader_endpoint",
                      lambda *_: Endpoint.no_node())
        for producer_id, (name, partition) in enumerate((("lost", BAR), ("txn", FOO))):
            metadata = txns.put(S.PrepareCommit, name, producer_id, partitions=(partition,))
            txns.channel_manager.add_txn_markers_to_send(
                0, COMMIT, metadata, metadata.prepare_complete(txns.time.milliseconds()))
            transactions.append(metadata)
    # No topic has the name bar any more.
    cache = txns.manager.transaction_metadata_cache[txns.coordinator.partition_for("lost")]
    assert cache.metadata_per_transactional_id.remove("lost") is transactions[0]
    txns.channel_manager.poll_once()
    assert [metadata.state for metadata in transactions] == [S.PrepareCommit, S.CompleteCommit]
    assert "the markers of a transaction are not sent" in caplog.text


@pytest.mark.parametrize("error", [MemoryError, OSError])
def test_markers_whose_leader_cannot_be_looked_up_are_sent_later(
        txns: Transactions, error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {"PLAINTEXT": Endpoint(1, "here", 9092)}
    txns.node.metadata_cache.set_endpoints({})
    metadata = ended(txns, FOO)
    txns.node.metadata_cache.set_endpoints(nodes)

    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(txns.channel_manager._metadata_cache, "get_partition_leader_endpoint", fail)
        txns.channel_manager.poll_once()
    assert metadata.state is S.PrepareCommit and txns.channel_manager._has_retries
    txns.channel_manager.poll_once()
    assert metadata.state is S.CompleteCommit


def test_a_completion_that_the_state_forbids_does_not_keep_the_others_from_the_log(
        txns: Transactions, caplog: pytest.LogCaptureFixture) -> None:
    transactions = []
    txns.append_error = Errors.KAFKA_STORAGE_ERROR
    for producer_id, name in enumerate(("a", "b")):
        metadata = txns.put(S.PrepareCommit, name, producer_id)
        txns.channel_manager.add_txn_markers_to_send(
            0, COMMIT, metadata, metadata.prepare_complete(txns.time.milliseconds()))
        transactions.append(metadata)
    txns.append_error = None
    transactions[0].pending_state = None
    txns.channel_manager.poll_once()
    assert [metadata.state for metadata in transactions] == [S.PrepareCommit, S.CompleteCommit]
    assert "does not have a pending state" in caplog.text


def test_queues_that_cannot_be_emptied_end_the_process(txns: Transactions,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """As in Kafka: what was in them is lost."""
    def fail() -> None:
        raise IllegalStateException("no")

    monkeypatch.setattr(txns.channel_manager, "generate_requests", fail)
    with pytest.raises(FatalExitError):
        txns.channel_manager.poll_once()


def test_the_thread(tmp_path: Path) -> None:
    """It sends what comes, tries again what fails, and ends when it is told to."""
    with BrokerServer(broker_config(tmp_path)) as broker:
        manager = broker.transaction_coordinator()._txn_marker_channel_manager
        asked: list[int] = []

        def generate_requests() -> list[Any]:
            asked.append(1)
            if len(asked) < 3:
                manager._try_again_later()
            return []

        manager.generate_requests = generate_requests  # type: ignore[method-assign]
        manager.wakeup()
        wait_until(lambda: len(asked) == 3)
        assert manager.is_alive() and manager.name == "TxnMarkerSenderThread-1"
    assert not manager.is_alive()


@pytest.mark.parametrize("result", TransactionResult, ids=str)
def test_markers_that_were_not_written_are_written_after_a_restart(tmp_path: Path,
                                                                   result: TransactionResult) -> None:
    """Election, as a broker has it when it starts, goes on with what was being committed or aborted."""
    errors: list[Errors] = []
    with Transactions(tmp_path) as txns:
        txns.own()
        txns.node.create_topic("foo")
        producer_id = txns.init().producer_id
        txns.coordinator.handle_add_partitions_to_transaction("txn", producer_id, 0, (FOO,), errors.append)
        txns.coordinator.handle_end_transaction("txn", producer_id, 0, result, errors.append)
        assert errors == [Errors.NONE, Errors.NONE]
        assert txns.node.replica_manager.get_log_end_offset(FOO) == 0
    with Transactions(tmp_path) as txns:
        # The tasks that read the log.
        txns.scheduler.tick()
        txns.channel_manager.poll_once()
        state = txns.coordinator.handle_describe_transactions("txn")
        assert state.transaction_state == (
            "CompleteCommit" if result is COMMIT else "CompleteAbort")
        assert txns.node.replica_manager.get_log_end_offset(FOO) == 1
