# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every version of every API, over a socket, held against the answers of Kafka 3.8.0.

Against those that were recorded, always; against a live broker's if the environment names one with
KREACTOR_ORACLE=host:port: node 1 in KRaft mode, on 127.0.0.1, with offsets.topic.replication.factor=1 and
group.initial.rebalance.delay.ms=0, its other settings at their defaults.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.message.write_txn_markers_response_data import WriteTxnMarkersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server import (
    admin_conversation,
    conversation,
    quota_conversation,
    scram_conversation,
    telemetry_conversation,
)
from tests.core.server.brokers import HOST, connect, new_broker
from tests.core.server.conversation import Answers, cases, hold, read_recorded, versions
from tests.core.server.wire import Wire

# Requests that the conversation leaves out, because the responses differ. The tests at the end hold ours.
KNOWN_DIFFERENCES = {
    "ApiVersions": "lists what is ported",
    "AddPartitionsToTxn without transactions": "answered; Kafka says nothing, ever",
    "WriteTxnMarkers, a partition twice": "answered; Kafka says nothing, ever",
    "Fetch in a session, a topic with neither name nor id": "an error of its own; in Kafka the request fails",
    "OffsetFetch for no groups": "answered with none; in Kafka it fails, and then what answers that",
    "Produce without records": "answered; in Kafka what handles it fails, and then what answers that",
    "CreateTopics, two names that collide": "the second is refused; in Kafka not if they come together",
    "CreateTopics, remote.storage.enable": "refused with another text",
    "the order of things": "in Kafka that of its hash tables, for topics, partitions and settings",
    "DescribeConfigs": "without the documentation, which is Kafka's text",
}

CASES = cases(read_recorded())
# Each of these conversations has a module of tests, which compares all that it asks.
CONVERSATIONS = (conversation, admin_conversation, quota_conversation, scram_conversation,
                 telemetry_conversation)
ALL_VERSIONS = [(api, version) for api in sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id)
                for version in versions(api)]

ABSENT = "(absent)"


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    # Other brokers of tests have fewer threads, which DescribeConfigs shows.
    config = KafkaConfig.from_props({
        "broker.id": "1",
        "listeners": f"PLAINTEXT://{HOST}:0",
        "log.dirs": str(tmp_path_factory.mktemp("oracle")),
        "group.initial.rebalance.delay.ms": "0",
    })
    with BrokerServer(config) as broker:
        return hold(lambda: connect(broker), "ours_")


@pytest.fixture(scope="module")
def live(oracle: Callable[[], Wire]) -> Answers:
    return hold(oracle, f"live_{os.getpid()}_")


def test_all_was_asked(ours: Answers) -> None:
    assert ours.keys() == read_recorded().keys()
    assert len(ours) > 1000


@pytest.mark.parametrize(("api", "version"), ALL_VERSIONS, ids=str)
def test_every_version_is_compared_in_a_conversation(api: ApiKeys, version: int) -> None:
    assert any((api, version) in cases(talk.read_recorded()) for talk in CONVERSATIONS)


def compare(ours: Answers, theirs: Answers, about: str) -> None:
    """Compare all answers ``about`` an API, or one of its versions; fail if there is none."""
    labels = {label for label in ours.keys() | theirs.keys() if f"{label} ".startswith(f"{about} ")}
    assert labels, f"nothing is asked about {about}"
    different = {label: list(differences(ours.get(label, ABSENT), theirs.get(label, ABSENT)))
                 for label in labels}
    assert {label: found for label, found in different.items() if found} == {}


def differences(ours: Any, theirs: Any, where: str = "") -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key, ABSENT), theirs.get(key, ABSENT), f"{where}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (our, their) in enumerate(zip(ours, theirs)):
            yield from differences(our, their, f"{where}[{i}]")
    elif ours != theirs:
        yield f"{where}: {ours!r}, but Kafka {theirs!r}"


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_recorded(ours: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, read_recorded(), f"{api.name} v{version}")


@pytest.mark.parametrize(("api", "version"), CASES, ids=str)
def test_answers_as_a_live_broker(ours: Answers, live: Answers, api: ApiKeys, version: int) -> None:
    compare(ours, live, f"{api.name} v{version}")


@pytest.mark.parametrize(("ours", "theirs"), [
    ({}, {}), ({"Fetch v1": {}}, {}), ({"Fetch v1": {}}, {"Fetch v1": {}, "Fetch v1 again": {}}),
    ({"Fetch v10": {}}, {"Fetch v10": {}}), ({"Fetch v1": {"a": None}}, {"Fetch v1": {}}),
    ({"Fetch v1": {"a": [1]}}, {"Fetch v1": {"a": [1, 2]}}), ({"Fetch v1": []}, {"Fetch v1": {}})])
def test_a_comparison_of_nothing_or_of_different_answers_fails(ours: Answers, theirs: Answers) -> None:
    with pytest.raises(AssertionError):
        compare(ours, theirs, "Fetch v1")


def ask(broker_folder: os.PathLike[str], *requests: tuple[ApiKeys, int, Message],
        overrides: dict[str, str] | None = None) -> list[Message]:
    with new_broker(broker_folder, overrides) as broker, connect(broker) as wire:
        return [wire.ask(*request) for request in requests]


def test_no_transactions_are_added(tmp_path: os.PathLike[str]) -> None:
    answer, = ask(tmp_path, (ApiKeys.ADD_PARTITIONS_TO_TXN, 5, AddPartitionsToTxnRequestData()))
    assert isinstance(answer, AddPartitionsToTxnResponseData)
    assert answer.error_code == Errors.NONE.code and not answer.results_by_transaction


def test_a_marker_for_a_partition_twice(tmp_path: os.PathLike[str]) -> None:
    _, answer = ask(
        tmp_path,
        (ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name="t", num_partitions=1, replication_factor=1)])),
        (ApiKeys.WRITE_TXN_MARKERS, 1, WriteTxnMarkersRequestData(markers=[
            WriteTxnMarkersRequestData.WritableTxnMarker(producer_id=1, producer_epoch=1, topics=[
                WriteTxnMarkersRequestData.WritableTxnMarkerTopic(name="t", partition_indexes=[0, 0])])])))
    assert isinstance(answer, WriteTxnMarkersResponseData)
    result, = answer.markers[0].topics[0].partitions
    assert (result.partition_index, result.error_code) == (0, Errors.NONE.code)


@pytest.mark.parametrize("version", [8, 9])
def test_offset_fetch_for_no_groups_is_answered(tmp_path: os.PathLike[str], version: int) -> None:
    answer, = ask(tmp_path, (ApiKeys.OFFSET_FETCH, version, OffsetFetchRequestData()))
    assert isinstance(answer, OffsetFetchResponseData)
    assert answer.groups == []


def test_produce_without_records_is_answered(tmp_path: os.PathLike[str]) -> None:
    answers = ask(
        tmp_path,
        (ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name="t", num_partitions=1, replication_factor=1)])),
        *((ApiKeys.PRODUCE, version, ProduceRequestData(acks=1, timeout_ms=60_000, topic_data=[
            ProduceRequestData.TopicProduceData(name="t", partition_data=[
                ProduceRequestData.PartitionProduceData(index=0, records=None)])]))
          for version in versions(ApiKeys.PRODUCE)))
    for answer in answers[1:]:
        assert isinstance(answer, ProduceResponseData)
        response, = answer.responses[0].partition_responses
        assert Errors.for_code(response.error_code) is Errors.UNKNOWN_SERVER_ERROR


def test_topics_of_one_request_do_not_collide(tmp_path: os.PathLike[str]) -> None:
    answer, = ask(tmp_path, (ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
        for name in ("a.b", "a_b")])))
    assert isinstance(answer, CreateTopicsResponseData)
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.topics] == [
        ("a.b", Errors.NONE), ("a_b", Errors.INVALID_TOPIC_EXCEPTION)]


@pytest.mark.parametrize(("name", "value"), [("preallocate", "true"),
                                             ("remote.storage.enable", "true")])
def test_what_the_log_does_not_do_is_refused(tmp_path: os.PathLike[str], name: str, value: str) -> None:
    answer, = ask(tmp_path, (ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreateTopicsRequestData.CreatableTopic(
            name="t", num_partitions=1, replication_factor=1,
            configs=[CreateTopicsRequestData.CreateableTopicConfig(name=name, value=value)])])))
    assert isinstance(answer, CreateTopicsResponseData)
    assert Errors.for_code(answer.topics[0].error_code) is Errors.INVALID_CONFIG
