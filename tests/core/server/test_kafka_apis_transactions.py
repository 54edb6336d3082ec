# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaApisTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The responses to requests of transactions: that part of KafkaApisTest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import ClusterAuthorizationException
from kreactor.common.internals.topic import Topic
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.describe_transactions_response_data import DescribeTransactionsResponseData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.message.list_transactions_response_data import ListTransactionsResponseData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.group.group_coordinator_adapter import GroupCoordinatorAdapter
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.core.server.request_local import RequestLocal
from kreactor.server.metrics.yammer import Histogram, Meter
from tests.core.server.node import Node
from tests.core.server.test_kafka_apis import denying, error_of, versions

PART_OF = "KafkaApisTest"

FENCED, OLD_FENCED = Errors.PRODUCER_FENCED, Errors.INVALID_PRODUCER_EPOCH
T0, T1 = TopicPartition("topic", 0), TopicPartition("topic", 1)


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        node.create_topic("topic", 2)
        yield node


def saying(error: Errors, asked: list[Any] | None = None) -> Callable[..., None]:
    """Return a method of the coordinator that calls back with this."""
    def handle(*args: Any) -> None:
        *about, callback, _request_local = args
        if asked is not None:
            asked.append(tuple(about))
        callback(error)

    return handle


def add_data(version: int, *partitions: TopicPartition, transactional_id: str = "txnId",
             verify_only: bool = True) -> AddPartitionsToTxnRequestData:
    topics: dict[str, list[int]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic(), []).append(partition.partition())
    data = [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name=name, partitions=numbers)
            for name, numbers in topics.items()]
    if version < 4:
        return AddPartitionsToTxnRequestData(
            v3_and_below_transactional_id=transactional_id, v3_and_below_producer_id=15,
            v3_and_below_producer_epoch=0, v3_and_below_topics=data)
    return AddPartitionsToTxnRequestData(transactions=[
        AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
            transactional_id=transactional_id, producer_id=15, producer_epoch=0, verify_only=verify_only,
            topics=data)])


def added(node: Node, version: int, data: AddPartitionsToTxnRequestData) -> dict[TopicPartition, Errors]:
    """Return the errors of the one transaction."""
    errors, = AddPartitionsToTxnResponse(
        node.ask(ApiKeys.ADD_PARTITIONS_TO_TXN, version, data)).errors().values()
    return errors


@pytest.mark.parametrize("version", versions(ApiKeys.ADD_OFFSETS_TO_TXN))
def test_should_replace_producer_fenced_with_invalid_producer_epoch_in_add_offset_to_txn_with_older_client(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        node.txn_coordinator, "handle_add_partitions_to_transaction", saying(FENCED, asked))
    answer = node.ask(ApiKeys.ADD_OFFSETS_TO_TXN, version, AddOffsetsToTxnRequestData(
        transactional_id="txnId", producer_id=15, producer_epoch=0, group_id="groupId"))
    assert error_of(answer) is (OLD_FENCED if version < 2 else FENCED)
    # The partition that Java finds for the group: its hash modulo 5, the partitions of this node.
    assert asked == [("txnId", 15, 0, (TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, 3),))]


@pytest.mark.parametrize("version", versions(ApiKeys.ADD_PARTITIONS_TO_TXN))
def test_should_replace_producer_fenced_with_invalid_producer_epoch_in_add_partition_to_txn_with_older_client(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        node.txn_coordinator, "handle_add_partitions_to_transaction", saying(FENCED, asked))
    assert added(node, version, add_data(version, T0, T1, verify_only=False)) == dict.fromkeys(
        (T0, T1), OLD_FENCED if version < 2 else FENCED)
    (*about, partitions), = asked
    assert (about, set(partitions)) == (["txnId", 15, 0], {T0, T1})


def test_batched_add_partitions_to_txn_request(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def verify(transactional_id: str, producer_id: int, epoch: int, partitions: Any, callback: Any) -> None:
        assert (transactional_id, producer_id, epoch, set(partitions)) == ("txnId2", 15, 0, {T1})
        callback(AddPartitionsToTxnResponse.result_for_transaction(transactional_id, {T1: FENCED}))

    monkeypatch.setattr(
        node.txn_coordinator, "handle_add_partitions_to_transaction", saying(Errors.NONE, asked))
    monkeypatch.setattr(node.txn_coordinator, "handle_verify_partitions_in_transaction", verify)
    data = add_data(4, T0, transactional_id="txnId1", verify_only=False)
    data.transactions += add_data(4, T1, transactional_id="txnId2").transactions
    answer = node.ask(ApiKeys.ADD_PARTITIONS_TO_TXN, 4, data)
    assert AddPartitionsToTxnResponse(answer).errors() == {
        "txnId1": {T0: Errors.NONE}, "txnId2": {T1: FENCED}}
    (*about, partitions), = asked
    assert (about, set(partitions)) == (["txnId1", 15, 0], {T0})


def counted(node: Node, metric_name: str) -> int:
    """Return how much the histograms and meters count whose names end so."""
    return sum(metric.count() for name, metric in node.registry.all_metrics().items()
               if name.get_mbean_name().endswith(metric_name) and isinstance(metric, (Histogram, Meter)))


@pytest.mark.parametrize("version", versions(ApiKeys.ADD_PARTITIONS_TO_TXN))
def test_handle_add_partitions_to_txn_authorization_failed_and_metrics(tmp_path: Path, version: int) -> None:
    with denying(tmp_path, (AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, "txnId"),
                 (AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER, Resource.CLUSTER_NAME)) as node:
        exchange = node.send(ApiKeys.ADD_PARTITIONS_TO_TXN, version, add_data(version, T0))
        answer = exchange.answer()
        if version < 4:
            assert AddPartitionsToTxnResponse(answer).errors() == {
                AddPartitionsToTxnResponse.V3_AND_BELOW_TXN_ID: {
                    T0: Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}}
        else:
            assert error_of(answer) is Errors.CLUSTER_AUTHORIZATION_FAILED
        assert exchange.response is not None
        exchange.request.update_request_metrics(node.time.milliseconds(), exchange.response)
        names = (ApiKeys.ADD_PARTITIONS_TO_TXN.name, RequestMetrics.VERIFY_PARTITIONS_IN_TXN_METRIC_NAME)
        assert [counted(node, f"request={name}") for name in names] == ([8, 0] if version < 4 else [0, 8])


@pytest.mark.parametrize("version", versions(ApiKeys.ADD_PARTITIONS_TO_TXN))
def test_add_partitions_to_txn_operation_not_attempted(node: Node, version: int) -> None:
    gone = TopicPartition("topic", 2)
    assert added(node, version, add_data(version, T0, gone)) == {
        T0: Errors.OPERATION_NOT_ATTEMPTED, gone: Errors.UNKNOWN_TOPIC_OR_PARTITION}


@pytest.mark.parametrize("partition", [-1, 2])
def test_add_partitions_to_txn_with_invalid_partition(node: Node, partition: int) -> None:
    gone = TopicPartition("topic", partition)
    assert added(node, 3, add_data(3, gone)) == {gone: Errors.UNKNOWN_TOPIC_OR_PARTITION}


def test_topics_that_may_not_be_written(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.WRITE, ResourceType.TOPIC, "topic")) as node:
        node.create_topic("topic")
        node.create_topic("other")
        other = TopicPartition("other", 0)
        internal = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, 0)
        assert added(node, 3, add_data(3, T0, other, internal)) == {
            T0: Errors.TOPIC_AUTHORIZATION_FAILED, internal: Errors.TOPIC_AUTHORIZATION_FAILED,
            other: Errors.OPERATION_NOT_ATTEMPTED}


@pytest.mark.parametrize("version", versions(ApiKeys.END_TXN))
def test_should_replace_producer_fenced_with_invalid_producer_epoch_in_end_txn_with_older_client(
        node: Node, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    monkeypatch.setattr(node.txn_coordinator, "handle_end_transaction", saying(FENCED))
    answer = node.ask(ApiKeys.END_TXN, version, EndTxnRequestData(
        transactional_id="txnId", producer_id=15, producer_epoch=0, committed=True))
    assert error_of(answer) is (OLD_FENCED if version < 2 else FENCED)


@pytest.mark.parametrize(("api", "data", "denied", "error"), [
    (ApiKeys.END_TXN, EndTxnRequestData(transactional_id="t"),
     (AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, "t"), Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
    (ApiKeys.ADD_OFFSETS_TO_TXN, AddOffsetsToTxnRequestData(transactional_id="t", group_id="g"),
     (AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, "t"), Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
    (ApiKeys.ADD_OFFSETS_TO_TXN, AddOffsetsToTxnRequestData(transactional_id="t", group_id="g"),
     (AclOperation.READ, ResourceType.GROUP, "g"), Errors.GROUP_AUTHORIZATION_FAILED)])
def test_who_may_not(tmp_path: Path, api: ApiKeys, data: Any, denied: Any, error: Errors) -> None:
    with denying(tmp_path, denied) as node:
        assert error_of(node.ask(api, api.latest_version(), data)) is error


def markers(*partitions: TopicPartition) -> WriteTxnMarkersRequestData:
    return WriteTxnMarkersRequestData(markers=[WriteTxnMarkersRequestData.WritableTxnMarker(
        producer_id=1, producer_epoch=1, transaction_result=True, topics=[
            WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
                name=partition.topic(), partition_indexes=[partition.partition()])
            for partition in partitions])])


def marked(answer: Any) -> dict[TopicPartition, Errors]:
    result, = answer.markers
    return {TopicPartition(topic.name, partition.partition_index): Errors.for_code(partition.error_code)
            for topic in result.topics for partition in topic.partitions}


CLUSTER = (ResourceType.CLUSTER, Resource.CLUSTER_NAME)


def test_required_acls_not_present_write_txn_markers_throws_authorization_exception(tmp_path: Path) -> None:
    with denying(tmp_path, (AclOperation.ALTER, *CLUSTER), (AclOperation.CLUSTER_ACTION, *CLUSTER)) as node:
        with pytest.raises(ClusterAuthorizationException):
            node.apis.handle_write_txn_markers_request(
                node.request(ApiKeys.WRITE_TXN_MARKERS, 1, markers(T0)), RequestLocal.NoCaching)
        assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(T0))) == {
            T0: Errors.CLUSTER_AUTHORIZATION_FAILED}


def test_should_respond_with_unknown_topic_when_partition_is_not_hosted(node: Node) -> None:
    gone = TopicPartition("t", 0)
    assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(gone))) == {
        gone: Errors.UNKNOWN_TOPIC_OR_PARTITION}


def test_should_respond_with_unknown_topic_or_partition_for_bad_partition_and_no_errors_for_good_partition(
        node: Node) -> None:
    gone = TopicPartition("t", 0)
    assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(gone, T0))) == {
        gone: Errors.UNKNOWN_TOPIC_OR_PARTITION, T0: Errors.NONE}


@pytest.mark.parametrize("denied", [AclOperation.CLUSTER_ACTION, AclOperation.ALTER], ids=str)
def test_should_append_to_log_on_write_txn_markers_when_correct_magic_version(
        tmp_path: Path, denied: AclOperation) -> None:
    """Either of two permissions is enough."""
    with denying(tmp_path, (denied, *CLUSTER)) as node:
        node.create_topic("topic")
        assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(T0))) == {T0: Errors.NONE}
        assert node.replica_manager.get_log_end_offset(T0) == 1


def test_the_offsets_of_groups_count_after_the_marker(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                      caplog: pytest.LogCaptureFixture) -> None:
    offsets = TopicPartition(Topic.GROUP_METADATA_TOPIC_NAME, 0)
    node.create_topic(Topic.GROUP_METADATA_TOPIC_NAME)
    told: list[Any] = []
    monkeypatch.setattr(GroupCoordinatorAdapter, "on_transaction_completed",
                        lambda self, *args: told.append(args))
    assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(T0, offsets))) == {
        T0: Errors.NONE, offsets: Errors.NONE}
    (producer_id, partitions, result), = told
    assert (producer_id, list(partitions), result.name) == (1, [offsets], "COMMIT")

    def fail(*args: Any) -> None:
        raise ValueError("no")

    monkeypatch.setattr(GroupCoordinatorAdapter, "on_transaction_completed", fail)
    assert marked(node.ask(ApiKeys.WRITE_TXN_MARKERS, 1, markers(T0, offsets))) == {
        T0: Errors.NONE, offsets: Errors.UNKNOWN_SERVER_ERROR}
    assert "failed to apply the offsets of a transaction" in caplog.text
    caplog.clear()


def test_describe_producers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with denying(tmp_path, (AclOperation.READ, ResourceType.TOPIC, "bar")) as node:
        node.create_topic("foo", 4)
        state = DescribeProducersResponseData.ProducerState(
            producer_id=12345, producer_epoch=15, last_sequence=100,
            last_timestamp=node.time.milliseconds(), current_txn_start_offset=-1, coordinator_epoch=200)
        monkeypatch.setattr(
            node.replica_manager, "active_producer_state",
            lambda tp: DescribeProducersResponseData.PartitionResponse(
                partition_index=tp.partition(), active_producers=[state]))
        answer = node.ask(ApiKeys.DESCRIBE_PRODUCERS, 0, DescribeProducersRequestData(topics=[
            DescribeProducersRequestData.TopicRequest(name=name, partition_indexes=[partition])
            for name, partition in (("foo", 0), ("bar", 3), ("baz", 1), ("invalid;topic", 1))]))
        found = {topic.name: topic.partitions[0] for topic in answer.topics}
        assert {name: error_of(partition) for name, partition in found.items()} == {
            "foo": Errors.NONE, "bar": Errors.TOPIC_AUTHORIZATION_FAILED,
            "baz": Errors.UNKNOWN_TOPIC_OR_PARTITION, "invalid;topic": Errors.INVALID_TOPIC_EXCEPTION}
        assert found["foo"].active_producers == [state]


def described(answer: Any) -> dict[str, Errors]:
    return {state.transactional_id: error_of(state) for state in answer.transaction_states}


def test_describe_transactions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, "bar")) as node:
        state = DescribeTransactionsResponseData.TransactionState(
            transactional_id="foo", producer_id=12345, producer_epoch=15, transaction_state="CompleteCommit",
            transaction_start_time_ms=node.time.milliseconds(), transaction_timeout_ms=10_000)
        states = {"foo": state.duplicate()}
        monkeypatch.setattr(node.txn_coordinator, "handle_describe_transactions", states.__getitem__)
        answer = node.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequestData(
            transactional_ids=["foo", "bar"]))
        assert described(answer) == {"foo": Errors.NONE, "bar": Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED}
        assert answer.transaction_states[0] == state


def test_describe_transactions_filters_unauthorized_topics(tmp_path: Path,
                                                           monkeypatch: pytest.MonkeyPatch) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TOPIC, "bar")) as node:
        def state_of(*topics: tuple[str, list[int]]) -> DescribeTransactionsResponseData.TransactionState:
            return DescribeTransactionsResponseData.TransactionState(
                transactional_id="foo", producer_id=12345, producer_epoch=15, transaction_state="Ongoing",
                transaction_start_time_ms=node.time.milliseconds(), transaction_timeout_ms=10_000, topics=[
                    DescribeTransactionsResponseData.TopicData(topic=name, partitions=partitions)
                    for name, partitions in topics])

        states = {"foo": state_of(("foo", [1, 2]), ("bar", [3, 4]))}
        monkeypatch.setattr(node.txn_coordinator, "handle_describe_transactions", states.__getitem__)
        answer = node.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequestData(
            transactional_ids=["foo"]))
        assert answer.transaction_states == [state_of(("foo", [1, 2]))]


def listing(asked: list[Any],
            data: ListTransactionsResponseData) -> Callable[..., ListTransactionsResponseData]:
    """Return a method of the coordinator that notes its arguments, and returns this."""
    def handle(*args: Any) -> ListTransactionsResponseData:
        asked.append(args)
        return data

    return handle


def test_list_transactions_error_response(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(node.txn_coordinator, "handle_list_transactions", listing(
        asked, ListTransactionsResponseData(error_code=Errors.COORDINATOR_LOAD_IN_PROGRESS.code)))
    answer = node.ask(ApiKeys.LIST_TRANSACTIONS, 1, ListTransactionsRequestData())
    assert error_of(answer) is Errors.COORDINATOR_LOAD_IN_PROGRESS and not answer.transaction_states
    (producer_ids, states, duration_ms), = asked
    assert (set(producer_ids), set(states), duration_ms) == (set(), set(), -1)


def test_list_transactions_authorization(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with denying(tmp_path, (AclOperation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, "bar")) as node:
        states = [ListTransactionsResponseData.TransactionState(
            transactional_id=name, producer_id=producer_id, transaction_state=state)
            for name, producer_id, state in (("foo", 12345, "Ongoing"), ("bar", 98765, "PrepareAbort"))]
        monkeypatch.setattr(node.txn_coordinator, "handle_list_transactions", listing(
            [], ListTransactionsResponseData(transaction_states=list(states))))
        answer = node.ask(ApiKeys.LIST_TRANSACTIONS, 1, ListTransactionsRequestData())
        assert error_of(answer) is Errors.NONE and answer.transaction_states == states[:1]
