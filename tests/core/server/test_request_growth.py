# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The work for a request grows with its length, and not with the square of it.

Names count how often they are compared. A table compares a name once for each look-up that finds it, a list
with each of its elements. ``tools/load/request_growth`` measures the time of all requests.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.transaction_result import TransactionResult
from kreactor.common.requests.update_features_request import UpdateFeaturesRequest
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.requests.write_txn_markers_response import WriteTxnMarkersResponse
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.controller.configuration_control_manager import list_with, list_without
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.coordinator.group.metadata_image import MetadataImage
from kreactor.core.coordinator.group.consumer_group_coordinator import ConsumerGroupCoordinator
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.server.txn_marker_appender import TxnMarkerAppender
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing import Broker
from kreactor.testing.mock_time import MockTime
from tests.core.server.brokers import broker_config
from tests.core.server.node import Node
from tests.tools.scripts import load

COUNT = 200
# A look-up that finds its name compares it; no handler looks a name up more often than this.
LOOK_UPS = 20


class Name(str):
    """A name that counts comparisons with others, of all names."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        Name.compared += 1
        return str.__ne__(self, other)

    __hash__ = str.__hash__


def distinct() -> list[str]:
    return [Name(f"name-{i}") for i in range(COUNT)]


def equal() -> list[str]:
    return [Name("name") for _ in range(COUNT)]


NAMES = pytest.mark.parametrize("names", [distinct, equal])


def comparisons(action: Callable[[], object]) -> int:
    Name.compared = 0
    action()
    return Name.compared


def nothing(_names: Iterable[str]) -> set[str]:
    return set()


@NAMES
def test_create_partitions(tmp_path: Path, names: Callable[[], list[str]]) -> None:
    request = CreatePartitionsRequestData(topics=[
        CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=2) for name in names()])
    context = ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None)
    with Node(tmp_path) as node:
        for authorized in (nothing, lambda topics: set(topics)):
            assert comparisons(lambda: node.controller_apis.create_partitions(
                context, request, authorized)) <= LOOK_UPS * COUNT


class MayDescribe(AuthHelper):
    """Allows all but to create. It needs no comparison."""

    def authorize(self, request_context: Any, operation: AclOperation, resource_type: ResourceType,
                  resource_name: str, log_if_allowed: bool = True, log_if_denied: bool = True,
                  ref_count: int = 1) -> bool:
        return operation is not AclOperation.CREATE

    def filter_by_authorized(self, request_context: Any, operation: AclOperation, resource_type: ResourceType,
                             resources: Iterable[Any], resource_name: Callable[[Any], str],
                             log_if_allowed: bool = True, log_if_denied: bool = True) -> set[str]:
        return set() if operation is AclOperation.CREATE else {resource_name(each) for each in resources}


@NAMES
def test_metadata_of_topics_that_may_not_be_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                    names: Callable[[], list[str]]) -> None:
    asked = names()
    with Node(tmp_path, auth_helper=MayDescribe()) as node:
        monkeypatch.setattr(MetadataRequest, "topics", lambda self: asked)
        topics = [MetadataRequestData.MetadataRequestTopic(name="one")]
        answers: list[Any] = []
        assert comparisons(lambda: answers.append(node.ask(
            ApiKeys.METADATA, 9, MetadataRequestData(topics=topics)))) <= LOOK_UPS * COUNT
        assert {topic.error_code for topic in answers[0].topics} == {Errors.TOPIC_AUTHORIZATION_FAILED.code}
        assert len(answers[0].topics) == len(set(asked))


class HostsAll:
    """A replica manager that has every partition, and appends at once."""

    def get_log_config(self, partition: TopicPartition) -> object:
        return partition

    def append_records(self, *, entries_per_partition: dict[TopicPartition, object],
                       response_callback: Callable[[dict[TopicPartition, object]], None],
                       **_others: object) -> None:
        response_callback({partition: SimpleNamespace(error=Errors.NONE)
                           for partition in entries_per_partition})


def test_write_txn_markers() -> None:
    # Partitions compare their topics' names.
    partitions = [TopicPartition(name, 0) for name in distinct()]
    marker = WriteTxnMarkersRequest.TxnMarkerEntry(1, 0, 0, TransactionResult.COMMIT, partitions)
    config: Any = SimpleNamespace(request_timeout_ms=lambda: 1000, is_strict=lambda: False)
    appender = TxnMarkerAppender(config, HostsAll(), None)  # type: ignore[arg-type]
    answers: list[WriteTxnMarkersResponse] = []
    assert comparisons(
        lambda: appender.append([marker], RequestLocal.NoCaching, answers.append)) <= LOOK_UPS * COUNT
    assert list(answers[0].errors_by_producer_id()[1].values()) == [Errors.NONE] * COUNT


@NAMES
def test_transactions_that_are_answered_one_by_one(names: Callable[[], list[str]]) -> None:
    ids = names()
    request = AddPartitionsToTxnRequest(AddPartitionsToTxnRequestData(transactions=[
        AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
            transactional_id=id_, producer_id=number) for number, id_ in enumerate(ids)]), 4)

    def answer_all() -> None:
        for id_ in ids:
            assert request.error_response_for_transaction(id_, Errors.NONE).transactional_id is id_

    assert comparisons(answer_all) <= LOOK_UPS * COUNT


@NAMES
def test_feature_updates(names: Callable[[], list[str]]) -> None:
    request = UpdateFeaturesRequest(UpdateFeaturesRequestData(feature_updates=[
        UpdateFeaturesRequestData.FeatureUpdateKey(feature=name, max_version_level=number % 9, upgrade_type=1)
        for number, name in enumerate(names())]), 1)
    found: list[Any] = []
    assert comparisons(lambda: found.extend(request.feature_updates())) <= LOOK_UPS * COUNT
    assert [update.feature for update in found] == names()


@NAMES
def test_groups_that_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                 names: Callable[[], list[str]]) -> None:
    monkeypatch.setattr(ConsumerGroupCoordinator, "_is_consumer_group", lambda self, group_id: False)
    classic = Mock()
    classic.handle_delete_groups = lambda group_ids, _: dict.fromkeys(group_ids, Errors.NONE)
    with Metrics() as metrics:
        coordinator = ConsumerGroupCoordinator(
            classic, MockTime(), broker_config(tmp_path), MetadataImage,
            lambda context, names: set(names), metrics)
        found: list[Any] = []
        assert comparisons(lambda: found.extend(coordinator.delete_groups(
            Mock(), names(), BufferSupplier.NO_CACHING).get() or ())) <= LOOK_UPS * COUNT
    assert [result.group_id for result in found] == list(dict.fromkeys(names()))


@NAMES
def test_values_of_a_list(names: Callable[[], list[str]]) -> None:
    for change in (list_with, list_without):
        assert comparisons(lambda: change(names(), names())) <= LOOK_UPS * COUNT


@pytest.mark.parametrize("values, changed, expected_with, expected_without", [
    ("", "a", "a", ""), ("a,b,a", "a", "a,b,a", "b,a"), ("a,b,a", "a,a", "a,b,a", "b"),
    ("a", "b,b", "a,b", "a"), ("a,b,c", "c,d,a", "a,b,c,d", "b"),
])
def test_what_becomes_of_a_list(values: str, changed: str, expected_with: str, expected_without: str) -> None:
    def split(text: str) -> Sequence[str]:
        return text.split(",") if text else []

    assert ",".join(list_with(split(values), split(changed))) == expected_with
    assert ",".join(list_without(split(values), split(changed))) == expected_without


growth = load("load/request_growth")


def test_no_number_of_a_request_costs_more_than_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``tools/load/request_growth --checks integers``, with fewer values."""
    values_of = growth.values_of
    monkeypatch.setattr(growth, "values_of", lambda kind: [
        value for value in values_of(kind) if value == 10**6] + values_of(kind)[-1:])
    # A collection takes longer than all requests of a row.
    monkeypatch.setattr(growth.gc, "collect", lambda: 0)
    failed = []
    with Broker(properties={"auto.create.topics.enable": "false"}, max_requests=1) as broker:
        tracemalloc.start()
        try:
            for api in broker.server().data_plane_request_processor().ENABLED_APIS:
                if api.name not in growth.LEFT_OUT:
                    failed += [row for row in growth.number_rows(
                        broker, "open", api, api.latest_version(False)) if row.failed()]
        finally:
            tracemalloc.stop()
    assert not failed, "\n".join(map(str, failed))


@pytest.mark.parametrize("api", sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id), ids=str)
def test_a_length_beyond_the_request_allocates_nothing(api: ApiKeys) -> None:
    message, version = api.message_type.request_class(), api.latest_version(False)

    def parse(body: bytes) -> None:
        try:
            AbstractRequest.parse_request(api, version, ByteBuffer.wrap(body))
        except (InvalidRequestException, RuntimeError, IllegalArgumentException):
            pass

    known = {"mechanism": "PLAIN"} if api is ApiKeys.SASL_HANDSHAKE else {}

    def make() -> bytes:
        return bytes(growth.Filler(message, version, known=known).body().write(bytearray(), version, []))

    parse(make())
    tracemalloc.start()
    try:
        for place, changed in growth.overwritten(make, 0):
            data = changed()
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            parse(data)
            assert tracemalloc.get_traced_memory()[1] - before < 100_000, place
    finally:
        tracemalloc.stop()
