# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster in the test's process, as clients see it on the wire: leaders, errors, records that are lost."""

from __future__ import annotations

import os
import resource
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import (
    BrokerNotAvailableException,
    ElectionNotNeededException,
    EligibleLeadersNotAvailableException,
    InvalidReplicaAssignmentException,
    InvalidReplicationFactorException,
    InvalidRequestException,
    NoReassignmentInProgressException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_topic_partitions_request_data import (
    DescribeTopicPartitionsRequestData,
)
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.compress.compression import Compression
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.controller import user_op
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Cluster, MockTime
from tests.core.server import cluster_security
from tests.core.server.wire import Closed, Wire
from tests.stepping import PATIENCE_S, wait_until

SELECTOR = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
RACKS = ("a", "b", "c")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(racks=RACKS, properties={"replica.selector.class": SELECTOR}) as cluster:
        yield cluster


class Asker:
    """A connection to each broker, by id."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._wires: dict[int, Wire] = {}

    def __call__(self, broker_id: int, api: ApiKeys, version: int, data: Any) -> Any:
        if broker_id not in self._wires:
            broker = self._cluster[broker_id]
            self._wires[broker_id] = Wire(broker.host, broker.port)
        return self._wires[broker_id].ask(api, version, data, "wire")

    def forget(self, broker_id: int) -> None:
        self._wires.pop(broker_id).close()

    def close(self) -> None:
        for wire in self._wires.values():
            wire.close()

    def metadata(self, broker_id: int, topic: str) -> Any:
        answer = self(broker_id, ApiKeys.METADATA, 9, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False))
        return answer, answer.topics[0].partitions

    def produce(self, broker_id: int, topic: str, value: bytes = b"x", acks: int = -1, partition: int = 0,
                timeout_ms: int = 30_000) -> Any:
        records = MemoryRecords.with_records(Compression.NONE, SimpleRecord(1, None, value))
        answer = self(broker_id, ApiKeys.PRODUCE, 10, ProduceRequestData(
            acks=acks, timeout_ms=timeout_ms, topic_data=[ProduceRequestData.TopicProduceData(
                name=topic, partition_data=[ProduceRequestData.PartitionProduceData(
                    index=partition, records=records.buffer())])]))
        return answer, answer.responses[0].partition_responses[0]

    def fetch(self, broker_id: int, topic: str, offset: int = 0, epoch: int = -1, rack: str = "",
              last_fetched_epoch: int = -1, wait_ms: int = 0, isolation_level: int = 0) -> Any:
        topic_id = self._cluster.broker_cluster().storage().topics().topics()[topic].topic_id
        answer = self(broker_id, ApiKeys.FETCH, 16, FetchRequestData(
            max_wait_ms=wait_ms, min_bytes=1, max_bytes=1 << 20, isolation_level=isolation_level,
            rack_id=rack, topics=[
                FetchRequestData.FetchTopic(topic_id=topic_id, partitions=[FetchRequestData.FetchPartition(
                    partition=0, current_leader_epoch=epoch, fetch_offset=offset,
                    last_fetched_epoch=last_fetched_epoch, partition_max_bytes=1 << 20)])]))
        return answer, answer.responses[0].partitions[0]

    def epoch_end(self, broker_id: int, topic: str, epoch: int, current: int = -1) -> Any:
        Topic = OffsetForLeaderEpochRequestData.OffsetForLeaderTopic
        return self(broker_id, ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4, OffsetForLeaderEpochRequestData(
            replica_id=-1, topics=[Topic(topic=topic, partitions=[
                OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(
                    partition=0, current_leader_epoch=current, leader_epoch=epoch)])],
        )).topics[0].partitions[0]

    def coordinator(self, broker_id: int, group: str) -> Any:
        return self(broker_id, ApiKeys.FIND_COORDINATOR, 4, FindCoordinatorRequestData(
            key_type=0, coordinator_keys=[group])).coordinators[0]


@pytest.fixture
def ask(cluster: Cluster) -> Iterator[Asker]:
    asker = Asker(cluster)
    yield asker
    asker.close()


def values(partition: Any) -> list[bytes]:
    return [bytes(record.value().view()) for record in MemoryRecords(partition.records).records()]


def error(answer: Any) -> Errors:
    return Errors.for_code(answer.error_code)


# -- what all nodes say ----------------------------------------------------------------------------


def test_every_broker_shows_the_same_cluster(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", 3)
    for broker_id in cluster.brokers:
        answer, partitions = ask.metadata(broker_id, "t")
        assert sorted((each.node_id, each.port, each.rack) for each in answer.brokers) == [
            (id_, cluster[id_].port, RACKS[id_ - 1]) for id_ in (1, 2, 3)]
        assert answer.controller_id in (1, 2, 3)
        assert sorted(each.leader_id for each in partitions) == [1, 2, 3]
        for each in partitions:
            state = cluster.partition("t", each.partition_index)
            assert (each.leader_id, each.leader_epoch, tuple(each.replica_nodes), tuple(each.isr_nodes)) == (
                state.leader, 0, state.replicas, state.isr)
            assert each.replica_nodes[0] == each.leader_id
        described = ask(broker_id, ApiKeys.DESCRIBE_CLUSTER, 1, DescribeClusterRequestData())
        assert sorted((each.broker_id, each.rack) for each in described.brokers) == [
            (1, "a"), (2, "b"), (3, "c")]
        found = ask(broker_id, ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequestData(
            topics=[DescribeTopicPartitionsRequestData.TopicRequest(name="t")])).topics[0].partitions
        assert [each.leader_id for each in found] == [each.leader_id for each in partitions]


def test_replicas_are_spread_and_the_same_for_the_same_seed() -> None:
    found = []
    for _ in range(2):
        with Cluster(seed=7, topics={"a": 6, "b": 6}) as cluster:
            found.append([cluster.partition(topic, number).replicas
                          for topic in "ab" for number in range(6)])
    assert found[0] == found[1]
    assert Counter(first for first, *_ in found[0][:3]) == {1: 1, 2: 1, 3: 1}
    assert all(sorted(replicas) == [1, 2, 3] for replicas in found[0])


def test_topics_are_created_with_factors_and_assignments(cluster: Cluster) -> None:
    cluster.create_topic("two", 4, replication_factor=2)
    assert all(len(cluster.partition("two", index).replicas) == 2 for index in range(4))
    cluster.create_topic("there", assignments=[[3, 1], [2, 3]])
    assert [cluster.partition("there", index).replicas for index in range(2)] == [(3, 1), (2, 3)]
    assert [cluster.leader("there", index) for index in range(2)] == [3, 2]
    with pytest.raises(InvalidReplicationFactorException, match="only 3 broker"):
        cluster.create_topic("four", replication_factor=4)
    with pytest.raises(InvalidReplicaAssignmentException, match="more than once"):
        cluster.create_topic("twice", assignments=[[1, 1]])
    with pytest.raises(InvalidReplicaAssignmentException, match="empty"):
        cluster.create_topic("nowhere", assignments=[[]])


def test_a_setting_of_all_brokers_is_in_force_on_all(cluster: Cluster, ask: Asker) -> None:
    Resource = IncrementalAlterConfigsRequestData.AlterConfigsResource
    Config = IncrementalAlterConfigsRequestData.AlterableConfig
    for value in ("2000000", None):
        answer = ask(2, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
            Resource(resource_type=4, resource_name="", configs=[Config(
                name="message.max.bytes", config_operation=0 if value else 1, value=value)])]))
        assert error(answer.responses[0]) is Errors.NONE
        assert {broker.server().config().dynamic_config().current_kafka_config().message_max_bytes()
                for broker in cluster.brokers.values()} == {int(value) if value else 1048588}


# -- leaders move ----------------------------------------------------------------------------------


def test_the_former_leader_answers_with_the_new_one(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    assert error(ask.produce(1, "t")[1]) is Errors.NONE
    cluster.move_leader("t", 0, 2)
    for broker_id in (1, 3):
        answer, partition = ask.produce(broker_id, "t")
        assert error(partition) is Errors.NOT_LEADER_OR_FOLLOWER
        assert (partition.current_leader.leader_id, partition.current_leader.leader_epoch) == (2, 1)
        assert [(each.node_id, each.port, each.rack) for each in answer.node_endpoints] == [
            (2, cluster[2].port, "b")]
    answer, partition = ask.fetch(1, "t", epoch=0)
    assert error(partition) is Errors.FENCED_LEADER_EPOCH
    assert (partition.current_leader.leader_id, partition.current_leader.leader_epoch) == (2, 1)
    assert [each.node_id for each in answer.node_endpoints] == [2]
    assert error(ask.fetch(2, "t", epoch=0)[1]) is Errors.FENCED_LEADER_EPOCH
    assert error(ask.fetch(2, "t", epoch=2)[1]) is Errors.UNKNOWN_LEADER_EPOCH
    assert error(ask.epoch_end(3, "t", 0)) is Errors.NOT_LEADER_OR_FOLLOWER
    assert error(ask.produce(2, "t")[1]) is Errors.NONE
    assert cluster.end_offsets("t") == {0: 2}
    assert (ask.epoch_end(2, "t", 0, 1).leader_epoch, ask.epoch_end(2, "t", 0, 1).end_offset) == (0, 1)


def test_a_broker_without_a_replica_is_no_follower(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    assert error(ask.fetch(3, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
    assert error(ask.produce(3, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER


def test_a_waiting_fetch_is_answered_when_the_leader_moves(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    ask.metadata(1, "t")
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask.fetch, 1, "t", 0, 0, "", -1, 60_000)
        wait_until(lambda: bool(cluster[1].requests(api="Fetch")))
        wait_until(lambda: cluster[1].server().replica_manager().delayed_fetch_purgatory.watched() > 0)
        cluster.move_leader("t", 0, 3)
        assert error(future.result(120)[1]) is Errors.FENCED_LEADER_EPOCH


def test_a_broker_tells_of_the_cluster_as_it_was_while_it_is_frozen(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    cluster.freeze_metadata(3)
    cluster.move_leader("t", 0, 2)
    assert ask.metadata(3, "t")[1][0].leader_id == 1
    assert ask.metadata(1, "t")[1][0].leader_id == 2
    assert error(ask.produce(1, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
    cluster.thaw_metadata(3)
    assert ask.metadata(3, "t")[1][0].leader_id == 2


# -- brokers come and go ---------------------------------------------------------------------------


def test_others_lead_what_a_killed_broker_led(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[2, 3, 1]])
    assert error(ask.produce(2, "t")[1]) is Errors.NONE
    cluster.kill(2)
    with pytest.raises((Closed, OSError)):
        ask.metadata(2, "t")
    answer, partitions = ask.metadata(1, "t")
    assert sorted(each.node_id for each in answer.brokers) == [1, 3]
    assert (partitions[0].leader_id, partitions[0].leader_epoch) == (3, 1)
    assert (list(partitions[0].isr_nodes), list(partitions[0].offline_replicas)) == ([3, 1], [2])
    assert error(ask.produce(3, "t")[1]) is Errors.NONE
    ask.forget(2)
    cluster.restart(2)
    state = cluster.partition("t", 0)
    assert (state.leader, set(state.isr)) == (3, {1, 2, 3})
    cluster.elect_leader("t", 0)
    assert error(ask.produce(2, "t")[1]) is Errors.NONE
    assert cluster.end_offsets("t") == {0: 3}


def test_the_last_in_sync_waits_for_its_broker(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[3]])
    cluster.kill(3)
    partition = ask.metadata(1, "t")[1][0]
    assert (error(partition), partition.leader_id) == (Errors.LEADER_NOT_AVAILABLE, -1)
    assert list(partition.isr_nodes) == [3]
    with pytest.raises(EligibleLeadersNotAvailableException):
        cluster.elect_leader("t", 0, unclean=True)
    cluster.restart(3)
    assert cluster.leader("t", 0) == 3
    assert error(ask.produce(3, "t")[1]) is Errors.NONE


def test_those_that_come_before_there_is_a_leader_follow_it(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    for broker_id in (1, 2, 3):
        cluster.kill(broker_id)
    for broker_id in (2, 1):
        cluster.restart(broker_id)
        assert (cluster.leader("t", 0), cluster.partition("t", 0).isr) == (-1, (3,))
    cluster.restart(3)
    state = cluster.partition("t", 0)
    assert (state.leader, set(state.isr)) == (3, {1, 2, 3})
    assert error(ask.produce(3, "t")[1]) is Errors.NONE


def test_what_is_changed_while_a_broker_is_down_is_in_force_when_it_comes_back() -> None:
    with Cluster(2, properties=cluster_security.PROPERTIES, topics=[cluster_security.TOPIC]) as cluster:
        def views() -> list[object]:
            return [cluster_security.view(cluster[broker_id].server()) for broker_id in cluster.alive()]

        unlimited = cluster_security.view(cluster[1].server())[2]
        cluster.kill(1)
        cluster_security.add_user(cluster[2].server())
        cluster_security.permit(cluster[2].server())
        cluster_security.set_quota(cluster[2].server(), 1024.0)
        cluster.restart(1)
        assert views() == [(Errors.NONE, Errors.NONE, 1024.0)] * 2
        cluster.stop(2)
        cluster_security.forbid(cluster[1].server())
        cluster_security.set_quota(cluster[1].server(), None)
        cluster.restart(2)
        assert views() == [(Errors.NONE, Errors.TOPIC_AUTHORIZATION_FAILED, unlimited)] * 2


def test_an_isolated_broker_answers_and_leads_nothing(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    ask.produce(1, "t")
    cluster.isolate(1)
    assert cluster.alive() == [2, 3]
    assert ask.metadata(1, "t")[1][0].leader_id == 1
    assert ask.metadata(2, "t")[1][0].leader_id == 2
    assert error(ask.produce(1, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
    assert error(ask.fetch(1, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
    assert error(ask.produce(2, "t")[1]) is Errors.NONE
    cluster.rejoin(1)
    assert ask.metadata(1, "t")[1][0].leader_id == 2
    assert set(cluster.partition("t", 0).isr) == {1, 2, 3}


# -- replicas in sync ------------------------------------------------------------------------------


def test_acks_all_wants_enough_replicas_in_sync(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]], configs={"min.insync.replicas": 2})
    cluster.shrink_isr("t", 0, 2)
    assert error(ask.produce(1, "t")[1]) is Errors.NONE
    cluster.shrink_isr("t", 0, 3)
    assert list(ask.metadata(1, "t")[1][0].isr_nodes) == [1]
    assert error(ask.produce(1, "t")[1]) is Errors.NOT_ENOUGH_REPLICAS
    assert error(ask.produce(1, "t", acks=1)[1]) is Errors.NONE
    cluster.expand_isr("t", 0, 3)
    assert error(ask.produce(1, "t")[1]) is Errors.NONE


def test_acks_all_waits_for_a_replica_that_is_held(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]], configs={"min.insync.replicas": 2})
    assert error(ask.produce(1, "t", b"seen")[1]) is Errors.NONE
    cluster.hold_replica("t", 0, 2)
    assert error(ask.produce(1, "t", timeout_ms=50)[1]) is Errors.REQUEST_TIMED_OUT
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask.produce, 1, "t")
        wait_until(lambda: cluster.end_offsets("t") == {0: 3})
        partition = ask.fetch(2, "t")[1]
        assert partition.high_watermark == 1
        assert values(partition) == [b"seen"]
        assert not future.done()
        cluster.expand_isr("t", 0, 2)
        assert error(future.result(120)[1]) is Errors.NONE
        assert ask.fetch(2, "t")[1].high_watermark == 3
        cluster.hold_replica("t", 0, 3)
        future = pool.submit(ask.produce, 1, "t")
        wait_until(lambda: cluster.end_offsets("t") == {0: 4})
        # Two go: one is too few, and the append is in the log.
        cluster.shrink_isr("t", 0, 2)
        cluster.shrink_isr("t", 0, 3)
        assert error(future.result(120)[1]) is Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert cluster.end_offsets("t") == {0: 4}


def test_committed_records_wait_until_a_replica_that_is_held_has_their_marker(cluster: Cluster,
                                                                              ask: Asker) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    cluster.create_topic("t", assignments=[[1, 2]])
    producer = confluent.Producer({
        "bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "of the test", "log_level": 0})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce("t", b"committed", partition=0)
    assert producer.flush(20) == 0
    cluster.hold_replica("t", 0, 2)
    with ThreadPoolExecutor(2) as pool:
        commit = pool.submit(producer.commit_transaction, 60)
        wait_until(lambda: cluster.end_offsets("t") == {0: 2})
        partition = ask.fetch(1, "t", isolation_level=1)[1]
        assert (partition.high_watermark, partition.last_stable_offset) == (1, 0)
        assert values(partition) == []
        fetch = pool.submit(ask.fetch, 1, "t", wait_ms=20_000, isolation_level=1)
        cluster.expand_isr("t", 0, 2)
        partition = fetch.result(120)[1]
        assert (partition.high_watermark, partition.last_stable_offset) == (2, 2)
        assert values(partition)[:1] == [b"committed"]
        commit.result(60)


def test_a_leader_whose_followers_lag_does_not_know_the_end(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    cluster.hold_replica("t", 0, 3)
    ask.produce(1, "t", acks=1)
    cluster.move_leader("t", 0, 2)
    Topic = ListOffsetsRequestData.ListOffsetsTopic
    answer = ask(2, ApiKeys.LIST_OFFSETS, 7, ListOffsetsRequestData(replica_id=-1, topics=[Topic(
        name="t", partitions=[ListOffsetsRequestData.ListOffsetsPartition(
            partition_index=0, timestamp=-1)])]))
    assert error(answer.topics[0].partitions[0]) is Errors.OFFSET_NOT_AVAILABLE


def test_consumers_read_in_their_rack(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    ask.produce(1, "t")
    partition = ask.fetch(1, "t", rack="b")[1]
    assert (partition.preferred_read_replica, error(partition)) == (2, Errors.NONE)
    assert values(ask.fetch(2, "t", rack="b")[1]) == [b"x"]
    assert ask.fetch(1, "t", rack="a")[1].preferred_read_replica == -1
    # No replica is in that rack, or in sync in it.
    assert ask.fetch(1, "t", rack="c")[1].preferred_read_replica == -1
    cluster.shrink_isr("t", 0, 2)
    assert ask.fetch(1, "t", rack="b")[1].preferred_read_replica == -1


def test_a_fetch_that_waits_at_a_follower_gets_what_the_leader_appends(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    ask.metadata(1, "t")
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(ask.fetch, 2, "t", 0, 0, "b", -1, 60_000)
        wait_until(lambda: cluster[2].server().replica_manager().delayed_fetch_purgatory.watched() > 0)
        ask.produce(1, "t")
        assert values(future.result(120)[1]) == [b"x"]


# -- reassignment and elections --------------------------------------------------------------------


def test_partitions_move_to_other_brokers(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    ask.produce(1, "t")
    cluster.pause_catch_up()
    Topic = AlterPartitionReassignmentsRequestData.ReassignableTopic
    Partition = AlterPartitionReassignmentsRequestData.ReassignablePartition

    def reassign(replicas: list[int] | None) -> Errors:
        return error(ask(2, ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 0, AlterPartitionReassignmentsRequestData(
            timeout_ms=30_000, topics=[Topic(name="t", partitions=[Partition(
                partition_index=0, replicas=replicas)])])).responses[0].partitions[0])

    def listed() -> Any:
        return [(each.partition_index, each.replicas, each.adding_replicas, each.removing_replicas)
                for topic in ask(3, ApiKeys.LIST_PARTITION_REASSIGNMENTS, 0,
                                 ListPartitionReassignmentsRequestData(timeout_ms=30_000)).topics
                for each in topic.partitions]

    assert reassign([4]) is Errors.INVALID_REPLICA_ASSIGNMENT
    assert reassign(None) is Errors.NO_REASSIGNMENT_IN_PROGRESS
    assert reassign([3]) is Errors.NONE
    assert listed() == [(0, [3, 1, 2], [3], [1, 2])]
    assert reassign(None) is Errors.NONE
    assert (listed(), cluster.partition("t", 0).replicas) == ([], (1, 2))
    assert reassign([3]) is Errors.NONE
    cluster.expand_isr("t", 0, 3)
    state = cluster.partition("t", 0)
    assert (listed(), state.replicas, state.isr, state.leader) == ([], (3,), (3,), 3)
    assert error(ask.produce(1, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
    assert error(ask.produce(3, "t")[1]) is Errors.NONE
    assert cluster.end_offsets("t") == {0: 2}


def test_a_move_waits_for_all_replicas_that_stay(cluster: Cluster) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    cluster.pause_catch_up()
    cluster.shrink_isr("t", 0, 2)
    cluster.reassign("t", 0, [2, 3])
    cluster.expand_isr("t", 0, 3)
    state = cluster.partition("t", 0)
    assert (state.replicas, state.adding, state.removing, state.isr) == ((2, 3, 1), (3,), (1,), (1, 3))
    cluster.expand_isr("t", 0, 2)
    state = cluster.partition("t", 0)
    assert (state.replicas, state.adding, state.removing, state.isr) == ((2, 3), (), (), (3, 2))


def test_a_move_replaces_another_one(cluster: Cluster) -> None:
    """The replica that the first move added is removed in the end."""
    cluster.create_topic("t", assignments=[[1]])
    cluster.pause_catch_up()
    cluster.reassign("t", 0, [2])
    cluster.reassign("t", 0, [3])
    state = cluster.partition("t", 0)
    assert (state.replicas, state.adding, state.removing) == ((3, 1, 2), (3,), (1, 2))
    cluster.expand_isr("t", 0, 3)
    assert cluster.partition("t", 0).replicas == (3,)


def test_elect_leaders(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    cluster.move_leader("t", 0, 2)

    def elect(election_type: int) -> Errors:
        return error(ask(3, ApiKeys.ELECT_LEADERS, 2, ElectLeadersRequestData(
            election_type=election_type, timeout_ms=30_000, topic_partitions=[
                ElectLeadersRequestData.TopicPartitions(topic="t", partitions=[0])],
        )).replica_election_results[0].partition_result[0])

    assert elect(0) is Errors.NONE
    assert cluster.leader("t", 0) == 1
    assert elect(0) is Errors.ELECTION_NOT_NEEDED
    cluster.kill(1)
    assert elect(0) is Errors.PREFERRED_LEADER_NOT_AVAILABLE
    assert elect(1) is Errors.ELECTION_NOT_NEEDED


@pytest.mark.deviation("D471")
def test_one_request_elects_and_moves_more_partitions_than_it_may_create(
        cluster: Cluster, ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is a record in Kafka, whose list of records ends with an error."""
    cluster.create_topic("t", assignments=[[1, 2]] * 4)
    for partition in range(4):
        cluster.move_leader("t", partition, 2)
    monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
    elected = ask(3, ApiKeys.ELECT_LEADERS, 2, ElectLeadersRequestData(
        election_type=0, timeout_ms=30_000, topic_partitions=[
            ElectLeadersRequestData.TopicPartitions(topic="t", partitions=[0, 1, 2, 3])]))
    assert [error(each) for each in elected.replica_election_results[0].partition_result] == [Errors.NONE] * 4
    assert [cluster.leader("t", partition) for partition in range(4)] == [1] * 4
    moved = ask(3, ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 0, AlterPartitionReassignmentsRequestData(
        timeout_ms=30_000, topics=[AlterPartitionReassignmentsRequestData.ReassignableTopic(
            name="t", partitions=[AlterPartitionReassignmentsRequestData.ReassignablePartition(
                partition_index=partition, replicas=[2, 1]) for partition in range(4)])]))
    assert [error(each) for each in moved.responses[0].partitions] == [Errors.NONE] * 4
    assert [cluster.partition("t", partition).replicas for partition in range(4)] == [(2, 1)] * 4


def test_an_unclean_election_loses_what_its_replica_lacks(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    for value in (b"kept", b"kept too"):
        ask.produce(1, "t", value)
    cluster.shrink_isr("t", 0, 2)
    ask.produce(1, "t", b"lost")
    with pytest.raises(EligibleLeadersNotAvailableException):
        cluster.move_leader("t", 0, 2)
    cluster.kill(1)
    assert cluster.leader("t", 0) == -1
    cluster.elect_leader("t", 0, unclean=True)
    state = cluster.partition("t", 0)
    assert (state.leader, state.isr) == (2, (2,))
    assert error(ask.produce(2, "t", b"new")[1]) is Errors.NONE
    assert [record.value for record in cluster.records("t")] == [b"kept", b"kept too", b"new"]
    # A consumer that has read the lost record in epoch 0 learns where the logs part.
    end = ask.epoch_end(2, "t", 0)
    assert (end.leader_epoch, end.end_offset) == (0, 2)
    partition = ask.fetch(2, "t", offset=3, epoch=state.leader_epoch, last_fetched_epoch=0)[1]
    assert (partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset) == (0, 2)
    cluster.restart(1)
    assert set(cluster.partition("t", 0).isr) == {1, 2}
    cluster.move_leader("t", 0, 1)
    assert [record.value for record in cluster.records("t")] == [b"kept", b"kept too", b"new"]


# -- coordinators ----------------------------------------------------------------------------------


def test_coordinators_spread_and_move(cluster: Cluster, ask: Asker) -> None:
    wait_until(lambda: error(ask.coordinator(1, "g")) is Errors.NONE)
    found = {group: ask.coordinator(2, group).node_id for group in map(str, range(30))}
    assert set(found.values()) == {1, 2, 3}
    assert {group: cluster.coordinator(group) for group in found} == found

    def heartbeat(broker_id: int) -> Errors:
        return error(ask(broker_id, ApiKeys.HEARTBEAT, 4, HeartbeatRequestData(
            group_id="g", generation_id=1, member_id="nobody")))

    before = cluster.coordinator("g")
    to = before % 3 + 1
    wait_until(lambda: heartbeat(before) is Errors.UNKNOWN_MEMBER_ID)
    assert heartbeat(to) is Errors.NOT_COORDINATOR
    cluster.move_coordinator("g", to)
    wait_until(lambda: heartbeat(before) is Errors.NOT_COORDINATOR)
    wait_until(lambda: heartbeat(to) is Errors.UNKNOWN_MEMBER_ID)
    assert ask.coordinator(before, "g").node_id == to
    cluster.kill(to)
    assert ask.coordinator(before, "g").node_id == cluster.coordinator("g") != to


@pytest.mark.parametrize("old", [1, 2, 3])
def test_groups_are_those_of_their_coordinators(cluster: Cluster, ask: Asker, old: int) -> None:
    """A broker that has still to unload a group is waited for."""
    cluster.create_topic("t")
    cluster.produce("t", *"abc")

    def commit(broker_id: int, offset: int) -> bool:
        return Errors.NONE is error(ask(broker_id, ApiKeys.OFFSET_COMMIT, 7, OffsetCommitRequestData(
            group_id="g", topics=[OffsetCommitRequestData.OffsetCommitRequestTopic(name="t", partitions=[
                OffsetCommitRequestData.OffsetCommitRequestPartition(committed_offset=offset)])],
        )).topics[0].partitions[0])

    wait_until(lambda: error(ask.coordinator(1, "g")) is Errors.NONE)
    cluster.move_coordinator("g", old)
    wait_until(lambda: commit(old, 1))
    unloads = threading.Event()
    coordinator: Any = cluster[old].server().group_coordinator()
    coordinator._coordinator.group_manager._scheduler.schedule_once("slow", lambda: unloads.wait(PATIENCE_S))
    new = old % 3 + 1
    cluster.move_coordinator("g", new)
    wait_until(lambda: commit(new, 2))
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(lambda: (cluster.groups()["g"].offsets, cluster.lag("g")))
        try:
            with pytest.raises(FutureTimeoutError):
                found.result(0.2)
        finally:
            unloads.set()
        assert found.result(PATIENCE_S) == ({"t": {0: 2}}, {"t": {0: 1}})


def test_every_broker_is_killed_in_turn_during_a_transaction(cluster: Cluster) -> None:
    confluent = pytest.importorskip("confluent_kafka")
    cluster.create_topic("t", 3)
    producer = confluent.Producer({
        "bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "x", "log_level": 0,
        "retry.backoff.ms": 20, "reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 200})
    producer.init_transactions(60)
    producer.begin_transaction()
    for broker_id in cluster.brokers:
        for partition in range(3):
            producer.produce("t", f"{broker_id}".encode(), partition=partition)
        producer.flush(0.01)
        cluster.kill(broker_id)
        for partition in range(3):
            producer.produce("t", f"{broker_id} is down".encode(), partition=partition)
        producer.flush(0.01)
        cluster.restart(broker_id)
    producer.commit_transaction(60)
    consumer = confluent.Consumer({
        "bootstrap.servers": cluster.bootstrap_servers, "group.id": "of the test", "log_level": 0,
        "isolation.level": "read_committed", "auto.offset.reset": "earliest",
        "enable.auto.commit": False})
    try:
        consumer.assign([confluent.TopicPartition("t", partition, 0) for partition in range(3)])
        seen: list[tuple[int, bytes]] = []

        def poll() -> bool:
            message = consumer.poll(0.1)
            if message is not None and message.error() is None:
                seen.append((message.partition(), message.value()))
            return len(seen) >= 18

        wait_until(poll)
        expected = [text for broker_id in cluster.brokers
                    for text in (f"{broker_id}".encode(), f"{broker_id} is down".encode())]
        for partition in range(3):
            assert [value for where, value in seen if where == partition] == expected
    finally:
        consumer.close()


# -- the cluster itself ----------------------------------------------------------------------------


def test_nonsense_is_refused_in_one_sentence(cluster: Cluster) -> None:
    cluster.create_topic("t", assignments=[[1, 2]])
    for refused, what in ((lambda: Cluster(0), ValueError), (lambda: Cluster(101), ValueError),
                          (lambda: Cluster(1000), ValueError),
                          (lambda: Cluster(-1), ValueError), (lambda: Cluster(2, racks="ab"), ValueError),
                          (lambda: cluster.isolate(9), ValueError), (lambda: cluster.restart(0), ValueError),
                          (lambda: Cluster("3"), TypeError),  # type: ignore[arg-type]
                          (lambda: Cluster(True), TypeError),
                          (lambda: Cluster(2, racks=["a"]), ValueError),
                          (lambda: Cluster(2, broker_properties={7: {}}), ValueError),
                          (lambda: cluster.kill(9), ValueError),
                          (lambda: cluster.kill("1"), TypeError),  # type: ignore[arg-type]
                          (lambda: cluster.move_leader("t", 0, 9), ValueError),
                          (lambda: cluster.move_leader("t", 5, 1), UnknownTopicOrPartitionException),
                          (lambda: cluster.move_leader("u", 0, 1), UnknownTopicOrPartitionException),
                          (lambda: cluster.move_leader(7, 0, 1), TypeError),  # type: ignore[arg-type]
                          (lambda: cluster.move_leader("t", "0", 1), TypeError),  # type: ignore[arg-type]
                          (lambda: cluster.move_leader("t", 0, 3), InvalidReplicaAssignmentException),
                          (lambda: cluster.shrink_isr("t", 0, 1), InvalidRequestException),
                          (lambda: cluster.shrink_isr("t", 0, 3), InvalidReplicaAssignmentException),
                          (lambda: cluster.expand_isr("t", 0, 3), InvalidReplicaAssignmentException),
                          (lambda: cluster.hold_replica("t", 0, 1), InvalidRequestException),
                          (lambda: cluster.elect_leader("t", 0), ElectionNotNeededException),
                          (lambda: cluster.reassign("t", 0, None), NoReassignmentInProgressException),
                          (lambda: cluster.reassign("t", 0, []), InvalidReplicaAssignmentException),
                          (lambda: cluster.reassign("t", 0, [1, 1]), InvalidReplicaAssignmentException),
                          (lambda: cluster.rejoin(1), IllegalStateException),
                          (lambda: cluster.delete_topic("u"), UnknownTopicOrPartitionException),
                          (lambda: Cluster().kill(1), IllegalStateException),
                          (lambda: Cluster().leader("t", 0), IllegalStateException),
                          (cluster.start, IllegalStateException)):
        with pytest.raises(what):
            refused()
    cluster.kill(2)
    with pytest.raises(BrokerNotAvailableException):
        cluster.move_leader("t", 0, 2)
    with pytest.raises(IllegalStateException):
        cluster.kill(2)
    with pytest.raises(BrokerNotAvailableException):
        cluster.expand_isr("t", 0, 2)


def test_nothing_is_left_of_a_cluster() -> None:
    before = set(threading.enumerate())
    cluster = Cluster(2, topics=["t"])
    with cluster:
        folder = cluster.folder()
        assert len(set(threading.enumerate()) - before) <= 50
        cluster.kill(1)
    cluster.close()
    wait_until(lambda: set(threading.enumerate()) <= before)
    assert not os.path.exists(folder)
    with cluster:
        assert cluster.topics() == {"t": {0: 0}}


def test_a_hundred_brokers_in_one_process() -> None:
    before = set(threading.enumerate())
    with Cluster(100, topics={"t": 200}) as cluster:
        assert cluster.alive() == list(range(1, 101))
        assert {cluster.leader("t", index) for index in range(200)} == set(cluster.brokers)
        # Of each: an acceptor, a processor and two handlers.
        assert len(set(threading.enumerate()) - before) <= 420
        asker = Asker(cluster)
        try:
            leader = cluster.leader("t", 7)
            assert len(ask_all(asker, 100)) == 100
            assert error(asker.produce(leader, "t", partition=7)[1]) is Errors.NONE
            cluster.kill(leader)
            assert len(ask_all(asker, 1)) == 99
            to = cluster.leader("t", 7)
            assert to != leader and error(asker.produce(to, "t", partition=7)[1]) is Errors.NONE
        finally:
            asker.close()


def ask_all(asker: Asker, broker_id: int) -> list[Any]:
    """Return the brokers that one of them tells of."""
    return list(asker.metadata(broker_id, "t")[0].brokers)


def test_a_cluster_without_enough_descriptors_leaves_nothing() -> None:
    # One-time loading opens its descriptors before.
    with Cluster(1):
        pass
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = set(os.listdir("/proc/self/fd"))
    # So that 120 numbers are free.
    numbers = [number for number in range(limit[0]) if str(number) not in before]
    cluster = Cluster(40)
    resource.setrlimit(resource.RLIMIT_NOFILE, (numbers[120], limit[1]))
    try:
        with pytest.raises((KafkaException, OSError), match="Too many open files"):
            cluster.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert len(os.listdir("/proc/self/fd")) == len(before)
    # It starts when there are enough.
    with cluster:
        assert len(cluster.alive()) == 40


def test_all_brokers_are_isolated_and_come_back(cluster: Cluster, ask: Asker) -> None:
    cluster.create_topic("t", assignments=[[1, 2, 3]])
    assert error(ask.produce(1, "t")[1]) is Errors.NONE
    for broker_id in cluster.brokers:
        cluster.isolate(broker_id)
    assert (cluster.alive(), cluster.leader("t", 0), cluster.partition("t", 0).isr) == ([], -1, (3,))
    for broker_id in cluster.brokers:
        assert error(ask.produce(broker_id, "t")[1]) is Errors.NOT_LEADER_OR_FOLLOWER
        with pytest.raises(BrokerNotAvailableException):
            cluster.move_leader("t", 0, broker_id)
    with pytest.raises(InvalidReplicationFactorException, match="All brokers are currently fenced"):
        cluster.create_topic("u")
    cluster.isolate(1)
    for broker_id in cluster.brokers:
        cluster.rejoin(broker_id)
    state = cluster.partition("t", 0)
    assert (state.leader, set(state.isr)) == (3, {1, 2, 3})
    # A restart of one that runs is a stop and a start.
    cluster.restart(3)
    assert cluster.leader("t", 0) != 3 and cluster.alive() == [1, 2, 3]
    assert error(ask.produce(cluster.leader("t", 0), "t")[1]) is Errors.NONE
    assert cluster.end_offsets("t") == {0: 2}


@pytest.mark.parametrize("properties, broker_properties", [
    ({"num.io.threads": 0}, {}), ({}, {2: {"num.network.threads": "x"}}),
    ({}, {3: {"listeners": "NONSENSE"}})])
def test_a_cluster_that_cannot_start_leaves_nothing(
    properties: dict[str, object], broker_properties: dict[int, dict[str, object]],
) -> None:
    cluster = Cluster(properties=properties, broker_properties=broker_properties)
    before = set(threading.enumerate())
    with pytest.raises((KafkaException, ConfigException, ValueError)):
        cluster.start()
    # One that has not run yet is not waited for.
    wait_until(lambda: set(threading.enumerate()) <= before)
    with pytest.raises(IllegalStateException, match="the cluster does not run"):
        cluster.folder()


def test_a_cluster_goes_by_a_clock_that_the_test_moves() -> None:
    time = MockTime()
    with Cluster(2, time=time, topics=["t"]) as cluster:
        asker = Asker(cluster)
        try:
            leader = cluster.leader("t", 0)
            cluster.hold_replica("t", 0, 3 - leader)
            with ThreadPoolExecutor(1) as pool:
                future = pool.submit(asker.produce, leader, "t")
                wait_until(lambda: cluster.end_offsets("t") == {0: 1})
                wait_until(lambda: bool(time.sleep(30_001)) or future.done())
                assert error(future.result(120)[1]) is Errors.REQUEST_TIMED_OUT
        finally:
            asker.close()
