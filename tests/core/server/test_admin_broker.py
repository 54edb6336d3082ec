# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Changes of administrators, on a whole broker: in force at once, and after the broker's end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.brokers import HOST, connect, new_broker
from tests.core.server.conversation import records
from tests.core.server.wire import Wire

TOPIC, BROKER = 2, 4


def create(wire: Wire, *names: str, partitions: int = 1) -> None:
    wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=30_000, topics=[
        CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
        for name in names]))


def alter(wire: Wire, type_: int, name: str, **configs: str) -> None:
    answer: Any = wire.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(
        resources=[IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=type_, resource_name=name, configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name=key.replace("_", "."), config_operation=0, value=value)
                for key, value in configs.items()])]))
    assert [response.error_code for response in answer.responses] == [0], answer


def described(wire: Wire, type_: int, name: str, key: str) -> tuple[str | None, int]:
    """Return a setting's value and its source."""
    answer: Any = wire.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(
        resources=[DescribeConfigsRequestData.DescribeConfigsResource(
            resource_type=type_, resource_name=name, configuration_keys=[key])]))
    entry, = answer.results[0].configs
    return entry.value, entry.config_source


def produced(wire: Wire, topic: str, value: bytes) -> Errors:
    answer: Any = wire.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=1, timeout_ms=1000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic, partition_data=[
            ProduceRequestData.PartitionProduceData(index=0, records=records(value))])]))
    return Errors.for_code(answer.responses[0].partition_responses[0].error_code)


def test_settings_are_in_force_and_stay_so(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        create(wire, "t", "u")
        alter(wire, TOPIC, "t", max_message_bytes="100")
        alter(wire, BROKER, "1", log_retention_ms="3600000")
        alter(wire, BROKER, "", background_threads="2", message_max_bytes="200")
        assert produced(wire, "t", b"x" * 150) is Errors.MESSAGE_TOO_LARGE
        assert produced(wire, "u", b"x" * 50) is Errors.NONE
        assert produced(wire, "u", b"x" * 250) is Errors.MESSAGE_TOO_LARGE
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        # Own settings, those of the broker, those of all.
        assert described(wire, TOPIC, "t", "max.message.bytes") == ("100", 1)
        assert described(wire, TOPIC, "u", "retention.ms") == ("3600000", 2)
        assert described(wire, TOPIC, "u", "max.message.bytes") == ("200", 3)
        assert described(wire, BROKER, "1", "background.threads") == ("2", 3)
        assert broker.config().background_threads() == 2
        partition_log = broker.storage().partition_log(TopicPartition("u", 0))
        assert partition_log is not None and partition_log.config().retention_ms == 3_600_000
        assert produced(wire, "t", b"x" * 150) is Errors.MESSAGE_TOO_LARGE


def test_a_thousand_topics(tmp_path: Path) -> None:
    names = [f"t{i:03}" for i in range(1000)]
    # As long as the requests may take.
    with new_broker(tmp_path) as broker, connect(broker, timeout_s=120) as wire:
        for first in range(0, 1000, 250):
            create(wire, *names[first:first + 250])
        answer: Any = wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=None))
        assert sorted(topic.name for topic in answer.topics) == names
        assert all(topic.error_code == 0 and len(topic.partitions) == 1 for topic in answer.topics)


def test_each_listener_tells_of_itself(tmp_path: Path) -> None:
    """Two listeners of one protocol, each with its own threads and its own limit of connections."""
    config = KafkaConfig.from_props({
        "broker.id": "1", "log.dirs": str(tmp_path),
        "listeners": f"INNER://{HOST}:0,OUTER://{HOST}:0",
        "advertised.listeners": f"INNER://{HOST}:0,OUTER://outside.example:0",
        "listener.security.protocol.map": "INNER:PLAINTEXT,OUTER:PLAINTEXT",
        "inter.broker.listener.name": "INNER",
        "listener.name.inner.num.network.threads": "1",
        "listener.name.outer.num.network.threads": "2",
        "listener.name.outer.max.connections": "1",
    })
    with BrokerServer(config) as broker:
        ports = {name: broker.bound_port(name) for name in ("INNER", "OUTER")}
        assert ports["INNER"] != ports["OUTER"]
        expected = {"INNER": (HOST, ports["INNER"]), "OUTER": ("outside.example", ports["OUTER"])}
        for name, end_point in expected.items():
            with Wire(HOST, ports[name], 120) as wire:
                metadata: Any = wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[]))
                assert [(node.host, node.port) for node in metadata.brokers] == [end_point]
                cluster: Any = wire.ask(ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData())
                assert [(node.host, node.port) for node in cluster.brokers] == [end_point]
        acceptors = broker.socket_server()._data_plane_acceptors
        threads = {end_point.listener_name().value(): len(acceptor.processors())
                   for end_point, acceptor in acceptors.items()}
        assert threads == {"INNER": 1, "OUTER": 2}
        with Wire(HOST, ports["OUTER"], 120) as only:
            only.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[]))
            # The limit is the listener's: this one waits until the other has gone, those need not.
            with Wire(HOST, ports["OUTER"], 120) as waiting:
                sent = waiting.send(ApiKeys.METADATA, 12, MetadataRequestData(topics=[]))
                with Wire(HOST, ports["INNER"], 120) as first, Wire(HOST, ports["INNER"], 120) as second:
                    for wire in (first, second):
                        wire.ask(ApiKeys.METADATA, 12, MetadataRequestData(topics=[]))
                only.close()
                waiting.receive(ApiKeys.METADATA, 12, sent)
