# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor serve --brokers 3`` as a process: stopped and killed under clients, it goes on where it was."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from tests.clients.broker_process import HOST, REFUSED_CONNECTIONS, BrokerProcess
from tests.clients.checks import check
from tests.clients.client import PARTITIONS, Client
from tests.clients.clients import INSTALLED
from tests.clients.load import Load
from tests.core.server.wire import Wire

TOPIC = "topic"
GROUP = "group"

pytestmark = REFUSED_CONNECTIONS


class Place(NamedTuple):
    """A partition as clients are told of it."""

    leader: int
    epoch: int
    replicas: list[int]
    isr: list[int]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[BrokerProcess]:
    """Three brokers, and a topic whose leaders are not the preferred ones: 2, 3, 1, 2 and not 1, 1, 1, 1."""
    with BrokerProcess(tmp_path, 3) as process:
        Topic = CreateTopicsRequestData.CreatableTopic
        Replicas = CreateTopicsRequestData.CreatableReplicaAssignment
        answer = ask(process, 2, ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=30_000, topics=[
            Topic(name=TOPIC, num_partitions=-1, replication_factor=-1, assignments=[
                Replicas(partition_index=index, broker_ids=[(index + 1) % 3 + 1, (index + 2) % 3 + 1,
                                                            index % 3 + 1]) for index in PARTITIONS])]))
        assert answer.topics[0].error_code == 0
        reassign(process, [1, 2, 3])
        yield process
        process.stop()
    assert "ERROR" not in process.complaints() and "Traceback" not in process.complaints()


def ask(process: BrokerProcess, broker_id: int, api: ApiKeys, version: int, body: Any) -> Any:
    with Wire(HOST, process.ports[broker_id - 1]) as wire:
        return wire.ask(api, version, body)


def reassign(process: BrokerProcess, replicas: list[int]) -> None:
    """Have replicas in another order: the first one is preferred, and does not lead by that."""
    Topic = AlterPartitionReassignmentsRequestData.ReassignableTopic
    Partition = AlterPartitionReassignmentsRequestData.ReassignablePartition
    answer = ask(process, 1, ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 0, AlterPartitionReassignmentsRequestData(
        timeout_ms=30_000, topics=[Topic(name=TOPIC, partitions=[
            Partition(partition_index=index, replicas=replicas) for index in PARTITIONS])]))
    assert [each.error_code for each in answer.responses[0].partitions] == [0] * len(PARTITIONS)


def places(process: BrokerProcess) -> list[Place]:
    """Return the partitions of the topic, of which each broker must tell the same."""
    found = []
    for broker_id in range(1, len(process.ports) + 1):
        answer = ask(process, broker_id, ApiKeys.METADATA, 9, MetadataRequestData(topics=None))
        assert {each.node_id: each.port for each in answer.brokers} == dict(enumerate(process.ports, 1))
        topics = {topic.name: topic for topic in answer.topics}
        assert all(each.error_code == 0 for topic in answer.topics for each in topic.partitions)
        found.append([Place(each.leader_id, each.leader_epoch, list(each.replica_nodes), list(each.isr_nodes))
                      for each in sorted(topics[TOPIC].partitions, key=lambda each: each.partition_index)])
    assert found[0] == found[1] == found[2]
    return found[0]


def end_offsets(process: BrokerProcess) -> dict[int, int]:
    Topic = ListOffsetsRequestData.ListOffsetsTopic
    found = {}
    for index, place in enumerate(places(process)):
        answer = ask(process, place.leader, ApiKeys.LIST_OFFSETS, 7, ListOffsetsRequestData(
            replica_id=-1, topics=[Topic(name=TOPIC, partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(partition_index=index, timestamp=-1)])]))
        partition = answer.topics[0].partitions[0]
        assert partition.error_code == 0
        found[index] = partition.offset
    return found


def stored(process: BrokerProcess) -> Any:
    """Return the file of replicas but its epochs, which each start increases."""
    partitions = json.loads((process.data / "replicas.json").read_text())["partitions"]
    return [{name: value for name, value in each.items() if not name.endswith("_epoch")}
            for each in partitions if each["topic"] == TOPIC]


def coordinated(process: BrokerProcess, api: ApiKeys, version: int, body: Any, code: Callable[[Any], int]
                ) -> Any:
    """Ask the coordinator of the group until it has loaded."""
    for _ in range(1000):
        found, = ask(process, 3, ApiKeys.FIND_COORDINATOR, 4, FindCoordinatorRequestData(
            key_type=0, coordinator_keys=[GROUP])).coordinators
        if found.error_code == 0:
            answer = ask(process, found.node_id, api, version, body)
            if code(answer) == 0:
                return answer
        threading.Event().wait(0.02)
    raise TimeoutError(f"the group has no coordinator: {found}")


def commit(process: BrokerProcess, offset: int) -> None:
    Topic = OffsetCommitRequestData.OffsetCommitRequestTopic
    Partition = OffsetCommitRequestData.OffsetCommitRequestPartition
    coordinated(process, ApiKeys.OFFSET_COMMIT, 8, OffsetCommitRequestData(group_id=GROUP, topics=[
        Topic(name=TOPIC, partitions=[Partition(partition_index=0, committed_offset=offset)])]),
        lambda answer: answer.topics[0].partitions[0].error_code)


def committed(process: BrokerProcess) -> int:
    Group = OffsetFetchRequestData.OffsetFetchRequestGroup
    answer = coordinated(process, ApiKeys.OFFSET_FETCH, 8, OffsetFetchRequestData(groups=[Group(
        group_id=GROUP, topics=None)]), lambda answer: answer.groups[0].error_code)
    offset: int = answer.groups[0].topics[0].partitions[0].committed_offset
    return offset


@pytest.fixture
def clients(cluster: BrokerProcess) -> list[Client]:
    return [each(cluster.address) for each in INSTALLED]


def end_in_order(process: BrokerProcess) -> None:
    process.stop()


def end_at_once(process: BrokerProcess) -> None:
    process.kill()


@pytest.mark.parametrize("end", [end_in_order, end_at_once])
def test_a_cluster_starts_as_it_ended(cluster: BrokerProcess, clients: list[Client],
                                      end: Callable[[BrokerProcess], None]) -> None:
    with Load(clients, TOPIC, 2_000, idempotent=True) as load:
        written = load.result()
    commit(cluster, 7)
    before, ends, file = places(cluster), end_offsets(cluster), stored(cluster)
    assert [place.leader for place in before] == [2, 3, 1, 2]
    assert all(place.replicas == [1, 2, 3] for place in before)
    for start in (1, 2):
        end(cluster)
        assert stored(cluster) == file
        cluster.start()
        # A leader leads in a new epoch, as in Kafka, whose controller has fenced the former process.
        assert places(cluster) == [place._replace(epoch=place.epoch + start) for place in before]
        assert (end_offsets(cluster), stored(cluster), committed(cluster)) == (ends, file, 7)
        for client in clients:
            check(client.read(TOPIC, PARTITIONS), written)


def test_clients_write_on_after_a_kill_and_a_stop(cluster: BrokerProcess, clients: list[Client]) -> None:
    with Load(clients, TOPIC, 20_000, idempotent=True) as load:
        for end, share in ((end_at_once, 0.2), (end_in_order, 0.5), (end_at_once, 0.8)):
            load.wait_for_first(share)
            leaders = [place.leader for place in places(cluster)]
            end(cluster)
            cluster.start()
            assert [place.leader for place in places(cluster)] == leaders
        written = load.result()
    for client in clients:
        check(client.read(TOPIC, PARTITIONS), written)
    assert all(sorted(place.isr) == sorted(place.replicas) for place in places(cluster))
