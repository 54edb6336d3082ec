# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor.fidelity``: each deviation that it switches off, both ways.

Deviations that need no whole broker have their tests beside those of their classes: tools/checks/deviations
finds them by their marks.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_partitions_response_data import CreatePartitionsResponseData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.describe_topic_partitions_response_data import (
    DescribeTopicPartitionsResponseData,
)
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_response_data import (
    DescribeUserScramCredentialsResponseData,
)
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.message.write_txn_markers_response_data import WriteTxnMarkersResponseData
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.uuid import Uuid
from kreactor.controller import user_op
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.config_warnings import config_warnings
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.core.server.txn_marker_appender import TxnMarkerAppender
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.brokers import broker_config, connect, new_broker
from tests.core.server.scram_wire import ScramWire
from tests.core.server.wire import Closed, Wire
from tests.stepping import wait_until

STRICT = {"kreactor.fidelity": "strict"}


@pytest.fixture(params=["fixed", "strict"])
def fidelity(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


@pytest.fixture
def broker(tmp_path: os.PathLike[str], fidelity: str) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {"kreactor.fidelity": fidelity}) as broker:
        with connect(broker) as wire:
            wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
                CreateTopicsRequestData.CreatableTopic(name="t", num_partitions=1, replication_factor=1)]))
        yield broker


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Is set once a request is left without an answer."""
    silence, stay_silent = threading.Event(), KafkaApis._stay_silent

    def spy(apis: KafkaApis, request: RequestChannel.Request) -> None:
        stay_silent(apis, request)
        silence.set()

    monkeypatch.setattr(KafkaApis, "_stay_silent", spy)
    return silence


def is_answered(wire: Wire) -> bool:
    """Return whether there are bytes to receive, or the connection is closed."""
    return select.select([wire.socket], [], [], 0)[0] != []


def assert_unanswered(broker: BrokerServer, wire: Wire) -> None:
    """The connection waits for its response, and has no byte of one."""
    pending = KafkaChannel.ChannelMuteState.MUTED_AND_RESPONSE_PENDING
    wait_until(lambda: any(
        channel.mute_state() is pending for acceptor in broker.socket_server()._all_acceptors()
        for processor in acceptor.processors() for channel in processor.selector.channels()))
    wire.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        wire.socket.recv(1)


def ask(broker: BrokerServer, fidelity: str, silence: threading.Event, api_key: ApiKeys, version: int,
        body: Message) -> Message | None:
    """Return the answer, None where the broker has none by its fidelity."""
    with connect(broker) as wire:
        correlation_id = wire.send(api_key, version, body)
        wait_until(lambda: silence.is_set() or is_answered(wire))
        assert silence.is_set() is (fidelity == "strict")
        if fidelity == "fixed":
            return wire.receive(api_key, version, correlation_id)
        assert_unanswered(broker, wire)
        return None


@pytest.mark.deviation("D88")
def test_produce_without_records(broker: BrokerServer, fidelity: str, silence: threading.Event) -> None:
    answer = ask(broker, fidelity, silence, ApiKeys.PRODUCE, 8, ProduceRequestData(
        acks=1, timeout_ms=1000, topic_data=[ProduceRequestData.TopicProduceData(name="t", partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=None)])]))
    if fidelity == "fixed":
        assert isinstance(answer, ProduceResponseData)
        [response] = answer.responses[0].partition_responses
        assert Errors.for_code(response.error_code) is Errors.UNKNOWN_SERVER_ERROR


@pytest.mark.deviation("D130")
def test_offset_fetch_for_no_groups(broker: BrokerServer, fidelity: str,
                                    silence: threading.Event) -> None:
    answer = ask(broker, fidelity, silence, ApiKeys.OFFSET_FETCH, 8, OffsetFetchRequestData())
    if fidelity == "fixed":
        assert isinstance(answer, OffsetFetchResponseData) and answer.groups == []


@pytest.mark.deviation("D141")
def test_partitions_for_no_transaction(broker: BrokerServer, fidelity: str,
                                       silence: threading.Event) -> None:
    answer = ask(
        broker, fidelity, silence, ApiKeys.ADD_PARTITIONS_TO_TXN, 4, AddPartitionsToTxnRequestData())
    if fidelity == "fixed":
        assert isinstance(answer, AddPartitionsToTxnResponseData)
        assert (answer.error_code, answer.results_by_transaction) == (0, [])


@pytest.mark.deviation("D141")
def test_a_marker_with_a_partition_twice(broker: BrokerServer, fidelity: str,
                                         monkeypatch: pytest.MonkeyPatch) -> None:
    """The marker is written once either way."""
    appended, append = threading.Event(), TxnMarkerAppender.append

    def spy(*args: object) -> None:
        append(*args)  # type: ignore[arg-type]
        appended.set()

    monkeypatch.setattr(TxnMarkerAppender, "append", spy)
    marker = WriteTxnMarkersRequestData(markers=[WriteTxnMarkersRequestData.WritableTxnMarker(
        producer_id=7, producer_epoch=0, transaction_result=False, coordinator_epoch=0, topics=[
            WriteTxnMarkersRequestData.WritableTxnMarkerTopic(name="t", partition_indexes=[0, 0])])])
    with connect(broker) as wire:
        correlation_id = wire.send(ApiKeys.WRITE_TXN_MARKERS, 1, marker)
        assert appended.wait(120)
        if fidelity == "strict":
            assert_unanswered(broker, wire)
            return
        wait_until(lambda: is_answered(wire), patience_s=30)
        answer = wire.receive(ApiKeys.WRITE_TXN_MARKERS, 1, correlation_id)
    assert isinstance(answer, WriteTxnMarkersResponseData)
    [partition] = answer.markers[0].topics[0].partitions
    assert (partition.partition_index, partition.error_code) == (0, 0)


@pytest.mark.deviation("D154")
@pytest.mark.parametrize("version", [1, 2])
def test_alter_configs_of_a_topic_twice(broker: BrokerServer, fidelity: str, silence: threading.Event,
                                        version: int) -> None:
    topic = AlterConfigsRequestData.AlterConfigsResource(resource_type=2, resource_name="t", configs=[])
    answer = ask(broker, fidelity, silence, ApiKeys.ALTER_CONFIGS, version,
                 AlterConfigsRequestData(resources=[topic, topic]))
    if fidelity == "fixed":
        assert isinstance(answer, AlterConfigsResponseData)
        assert [Errors.for_code(each.error_code) for each in answer.responses] == [Errors.INVALID_REQUEST] * 2


@pytest.mark.deviation("D153")
def test_a_topic_without_a_name(broker: BrokerServer, fidelity: str) -> None:
    """An error of the topic alone, or of all."""
    topics = [DescribeTopicPartitionsRequestData.TopicRequest(name=name) for name in ("", "t")]
    with connect(broker) as wire:
        answer = wire.ask(ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0,
                          DescribeTopicPartitionsRequestData(topics=topics))
    assert isinstance(answer, DescribeTopicPartitionsResponseData)
    assert [(topic.name, Errors.for_code(topic.error_code)) for topic in answer.topics] == (
        [("", Errors.INVALID_TOPIC_EXCEPTION), ("t", Errors.NONE)] if fidelity == "fixed"
        else [("", Errors.UNKNOWN_SERVER_ERROR), ("t", Errors.UNKNOWN_SERVER_ERROR)])


def fetch(session: tuple[int, int], *topic_ids: Uuid) -> FetchRequestData:
    """Return a request of a session for partition 0 of each topic."""
    return FetchRequestData(
        max_wait_ms=0, min_bytes=0, session_id=session[0], session_epoch=session[1], topics=[
            FetchRequestData.FetchTopic(topic_id=topic_id, partitions=[
                FetchRequestData.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=100)])
            for topic_id in topic_ids])


def fetched(wire: Wire, request: FetchRequestData) -> tuple[Errors, int, list[Errors]]:
    """Return the error of a response, its session id, and the errors of its partitions."""
    answer = wire.ask(ApiKeys.FETCH, 13, request)
    assert isinstance(answer, FetchResponseData)
    return Errors.for_code(answer.error_code), answer.session_id, [
        Errors.for_code(partition.error_code) for topic in answer.responses for partition in topic.partitions]


@pytest.mark.deviation("D124")
def test_a_session_with_a_topic_without_name_and_id(broker: BrokerServer, fidelity: str) -> None:
    """An error of the partition alone, or of the whole request, whose session stays as it was."""
    with connect(broker) as wire:
        metadata = wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[
            MetadataRequestData.MetadataRequestTopic(name="t")]))
        assert isinstance(metadata, MetadataResponseData)
        topic_id = metadata.topics[0].topic_id
        assert fetched(wire, fetch((0, -1), Uuid.ZERO_UUID)) == (Errors.NONE, 0, [Errors.UNKNOWN_TOPIC_ID])
        if fidelity == "fixed":
            error, session_id, errors = fetched(wire, fetch((0, 0), topic_id, Uuid.ZERO_UUID))
            assert (error, session_id > 0, errors) == (
                Errors.NONE, True, [Errors.NONE, Errors.UNKNOWN_TOPIC_ID])
            assert fetched(wire, fetch((session_id, 1), Uuid.ZERO_UUID)) == (
                Errors.NONE, session_id, [Errors.UNKNOWN_TOPIC_ID])
            return
        assert fetched(wire, fetch((0, 0), topic_id, Uuid.ZERO_UUID)) == (Errors.UNKNOWN_SERVER_ERROR, 0, [])
        error, session_id, errors = fetched(wire, fetch((0, 0), topic_id))
        assert (error, session_id > 0, errors) == (Errors.NONE, True, [Errors.NONE])
        assert fetched(wire, fetch((session_id, 1), Uuid.ZERO_UUID)) == (
            Errors.UNKNOWN_SERVER_ERROR, session_id, [])
        assert fetched(wire, fetch((session_id, 1))) == (Errors.NONE, session_id, [])


@pytest.mark.deviation("D152")
def test_more_partitions_than_one_request_may_create(broker: BrokerServer, fidelity: str,
                                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """None is created, or as many as there is room for."""
    monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
    with connect(broker) as wire:
        wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name="u", num_partitions=1, replication_factor=1)]))
        answer = wire.ask(ApiKeys.CREATE_PARTITIONS, 3, CreatePartitionsRequestData(
            timeout_ms=60_000, topics=[
                CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
                for name, count in (("u", 2), ("t", 6))]))
        assert isinstance(answer, CreatePartitionsResponseData)
        results = [(result.name, Errors.for_code(result.error_code)) for result in answer.results]
        metadata = wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[
            MetadataRequestData.MetadataRequestTopic(name=name) for name in ("t", "u")]))
        assert isinstance(metadata, MetadataResponseData)
        numbers = {topic.name: len(topic.partitions) for topic in metadata.topics}
    if fidelity == "fixed":
        assert results == [("u", Errors.POLICY_VIOLATION), ("t", Errors.POLICY_VIOLATION)]
        assert numbers == {"t": 1, "u": 1}
    else:
        assert results == [("u", Errors.NONE), ("t", Errors.UNKNOWN_SERVER_ERROR)]
        assert numbers == {"t": 3, "u": 2}


@pytest.mark.deviation("D187")
def test_all_users_of_scram_without_permission(tmp_path: os.PathLike[str], fidelity: str,
                                               silence: threading.Event) -> None:
    """Only a request for all users has no response."""
    with new_broker(tmp_path, {
        "kreactor.fidelity": fidelity,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    }) as broker:
        answer = ask(broker, fidelity, silence, ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0,
                     DescribeUserScramCredentialsRequestData(users=None))
        if fidelity == "fixed":
            assert isinstance(answer, DescribeUserScramCredentialsResponseData)
            assert Errors.for_code(answer.error_code) is Errors.CLUSTER_AUTHORIZATION_FAILED
        with connect(broker) as wire:
            alice = DescribeUserScramCredentialsRequestData.UserName(name="alice")
            one = wire.ask(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0,
                           DescribeUserScramCredentialsRequestData(users=[alice]))
        assert isinstance(one, DescribeUserScramCredentialsResponseData)
        assert Errors.for_code(one.error_code) is Errors.CLUSTER_AUTHORIZATION_FAILED


@pytest.mark.deviation("D186")
def test_a_proof_of_the_wrong_length(tmp_path: os.PathLike[str], fidelity: str) -> None:
    """A response says that it is wrong, or the connection ends without one."""
    with new_broker(tmp_path, {
        "kreactor.fidelity": fidelity,
        "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
        "sasl.enabled.mechanisms": "SCRAM-SHA-256",
        "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config":
            "org.apache.kafka.common.security.scram.ScramLoginModule required;",
    }) as broker, connect(broker, "SASL_PLAINTEXT") as wire:
        scram = ScramWire(wire, ScramMechanism.SCRAM_SHA_256, "alice", "secret")
        if fidelity == "fixed":
            answer = scram.authenticate(scram.final(proof=bytes(31)))
            assert Errors.for_code(answer.error_code) is Errors.SASL_AUTHENTICATION_FAILED
        else:
            with pytest.raises(Closed):
                scram.authenticate(scram.final(proof=bytes(31)))


def test_the_broker_names_the_faults_at_start(broker: BrokerServer, fidelity: str,
                                              caplog: pytest.LogCaptureFixture) -> None:
    broker.shutdown()
    with caplog.at_level("WARNING"), BrokerServer(broker.config()) as again:
        assert again.config().is_strict() is (fidelity == "strict")
    said = [text for text in map(str, caplog.messages) if "kreactor.fidelity=strict" in text]
    assert len(said) == (fidelity == "strict")
    assert all("D17, D82, D88" in text and "D471" in text and "security" in text for text in said)


def test_other_values_are_refused(tmp_path: os.PathLike[str]) -> None:
    assert not broker_config(tmp_path).is_strict()
    with pytest.raises(ConfigException, match="kreactor.fidelity.*must be one of: fixed, strict"):
        broker_config(tmp_path, {"kreactor.fidelity": "loose"})
    assert config_warnings(STRICT) == []
