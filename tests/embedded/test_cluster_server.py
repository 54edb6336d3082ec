# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster whose folder outlives it: the brokers of the next start have what the former ones stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from kreactor.embedded.cluster_server import ClusterServer, cluster_properties
from kreactor.embedded.replication import SimulatedReplication
from kreactor.image.cluster_image import NO_LEADER
from kreactor.storage.internals.log.append_origin import AppendOrigin
from tests.core.server.broker_requests import create_topic as create_single_topic
from tests.core.server.cluster_security import (
    PROPERTIES,
    TOPIC,
    add_user,
    forbid,
    permit,
    remove_user,
    set_quota,
    view,
)

PARTITION = TopicPartition(TOPIC, 0)


@contextmanager
def running(folder: Path, brokers: int = 2, **properties: str) -> Iterator[list[BrokerServer]]:
    """Run a cluster, and yield its brokers."""
    cluster = ClusterServer([KafkaConfig.from_props(props) for props in cluster_properties(
        {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(folder), **properties}, brokers)])
    cluster.startup()
    try:
        yield cluster.brokers()
    finally:
        cluster.shutdown(0)


def replication(brokers: list[BrokerServer]) -> SimulatedReplication:
    cluster = brokers[0]._cluster
    assert cluster is not None
    return cluster.replication()


def create_topic(brokers: list[BrokerServer], *replicas: int) -> None:
    assert brokers[0]._cluster is not None
    topic, = brokers[0]._cluster.replication_control().create_topics(
        ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None),
        CreateTopicsRequestData(topics=[CreateTopicsRequestData.CreatableTopic(
            name=TOPIC, num_partitions=-1, replication_factor=-1, assignments=[
                CreateTopicsRequestData.CreatableReplicaAssignment(
                    partition_index=0, broker_ids=list(replicas))])]), frozenset()).topics
    assert topic.error_code == 0


def append(broker: BrokerServer) -> None:
    responses: dict[TopicPartition, ProduceResponse.PartitionResponse] = {}
    broker.replica_manager().append_records(
        1000, 1, False, AppendOrigin.CLIENT,
        {PARTITION: MemoryRecords.with_records(Compression.NONE, SimpleRecord(1, None, b"v"))},
        responses.update)
    assert responses[PARTITION].error is Errors.NONE


def end_offset(brokers: list[BrokerServer]) -> int:
    log = brokers[0].storage().partition_log(PARTITION)
    assert log is not None
    return log.log_end_offset()


def test_what_is_set_at_one_broker_is_in_force_at_each_and_after_a_restart(tmp_path: Path) -> None:
    unknown = (Errors.SASL_AUTHENTICATION_FAILED, None)
    with running(tmp_path, **PROPERTIES) as brokers:
        create_topic(brokers, 1, 2)
        unlimited = view(brokers[0])[2]
        assert [view(each) for each in brokers] == [(*unknown, unlimited)] * 2
        add_user(brokers[1])
        assert [view(each) for each in brokers] == [
            (Errors.NONE, Errors.TOPIC_AUTHORIZATION_FAILED, unlimited)] * 2
        permit(brokers[1])
        set_quota(brokers[0], 1024.0)
        assert [view(each) for each in brokers] == [(Errors.NONE, Errors.NONE, 1024.0)] * 2
    with running(tmp_path, **PROPERTIES) as brokers:
        assert [view(each) for each in brokers] == [(Errors.NONE, Errors.NONE, 1024.0)] * 2
        forbid(brokers[0])
        set_quota(brokers[1], None)
        assert [view(each) for each in brokers] == [
            (Errors.NONE, Errors.TOPIC_AUTHORIZATION_FAILED, unlimited)] * 2
        remove_user(brokers[0])
    # With another number of brokers, too.
    with running(tmp_path, 3, **PROPERTIES) as brokers:
        assert [view(each) for each in brokers] == [(*unknown, unlimited)] * 3


def test_fewer_brokers_lead_what_they_have_in_sync(tmp_path: Path) -> None:
    with running(tmp_path, 3) as brokers:
        create_topic(brokers, 3, 2, 1)
        append(brokers[2])
    with running(tmp_path, 2) as brokers:
        state = replication(brokers).state(PARTITION)
        assert (state.leader, state.leader_epoch, state.isr) == (2, 1, (2, 1))
        append(brokers[1])
    with running(tmp_path, 3) as brokers:
        state = replication(brokers).state(PARTITION)
        assert (state.leader, state.leader_epoch, set(state.isr)) == (2, 2, {1, 2, 3})
        assert end_offset(brokers) == 2


def test_a_broker_without_a_replica_is_not_in_sync_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path, 3) as brokers:
        create_topic(brokers, 1)
    with running(tmp_path, 3) as brokers:
        state = replication(brokers).state(PARTITION)
        assert (state.leader, state.replicas, state.isr) == (1, (1,), (1,))


def test_a_cluster_takes_the_folder_of_a_single_broker_over(tmp_path: Path) -> None:
    with BrokerServer(KafkaConfig.from_props({
            "listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(tmp_path)})) as single:
        create_single_topic(single, TOPIC, 3)
    with running(tmp_path) as brokers:
        # The first broker that joins gets them.
        assert {partition: (state.leader, state.replicas, state.isr)
                for partition, state in replication(brokers).image().partitions.items()} == {
                    TopicPartition(TOPIC, number): (1, (1,), (1,)) for number in range(3)}


def test_a_replica_that_was_behind_still_is_after_a_restart(tmp_path: Path) -> None:
    with running(tmp_path) as brokers:
        create_topic(brokers, 2, 1)
        append(brokers[1])
        replication(brokers).shrink_isr(PARTITION, 1)
        append(brokers[1])
    with running(tmp_path, 1) as brokers:
        assert replication(brokers).state(PARTITION)[1:3] == ((2,), NO_LEADER)
        replication(brokers).elect_unclean(PARTITION)
        # The first record, and no more.
        assert end_offset(brokers) == 1
        append(brokers[0])


def test_a_file_without_leaders_is_read(tmp_path: Path) -> None:
    """As former versions have written it."""
    with running(tmp_path) as brokers:
        create_topic(brokers, 2, 1)
        append(brokers[1])
    file = tmp_path / "replicas.json"
    content = json.loads(file.read_text())
    for each in content["partitions"]:
        del each["leader"], each["ends"]
        # A process that ended between two writes: the log knows of a later epoch.
        each["leader_epoch"] = -7
    file.write_text(json.dumps(content))
    with running(tmp_path) as brokers:
        state = replication(brokers).state(PARTITION)
        assert (state.leader, state.leader_epoch, state.isr) == (2, 1, (2, 1))


@pytest.mark.parametrize("id_name", ["broker.id", "node.id"])
def test_ids_and_ports_count_up(id_name: str) -> None:
    made = cluster_properties({id_name: "7", "listeners": "A://h:5,B://:0"}, 2)
    assert [(each[id_name], each["listeners"]) for each in made] == [
        ("7", "A://h:5,B://:0"), ("8", "A://h:6,B://:0")]


@pytest.mark.parametrize("properties, brokers, message", [
    ({}, 0, "A cluster has 1 to 100 brokers, and not 0"), ({}, 1000, "and not 1000"),
    ({"broker.id": "x"}, 2, "Invalid value x for configuration broker.id"),
    ({"listeners": "PLAINTEXT://:65535"}, 2, "broker 2 would have port 65536, which is above 65535"),
])
def test_clusters_that_cannot_be(properties: dict[str, str], brokers: int, message: str) -> None:
    with pytest.raises(ConfigException, match=message):
        cluster_properties(properties, brokers)
