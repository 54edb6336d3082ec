# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One request writes each store once, and a store that cannot be written has changed nothing."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.brokers import connect, new_broker
from tests.embedded.test_cluster_server import replication, running

COUNT = 12
NAMES = [f"name-{i}" for i in range(COUNT)]
TOPIC, METRICS = (each.id() for each in (ConfigResource.Type.TOPIC, ConfigResource.Type.CLIENT_METRICS))
UNKNOWN = "unknown"

CreatableTopic = CreateTopicsRequestData.CreatableTopic
Incremental = IncrementalAlterConfigsRequestData
Legacy = AlterConfigsRequestData
Scram = AlterUserScramCredentialsRequestData
Quotas = AlterClientQuotasRequestData
Request = tuple[ApiKeys, Message]


def create_topics(replicas: int = 1) -> Request:
    # Compacted topics also have a checkpoint of the cleaner.
    return ApiKeys.CREATE_TOPICS, CreateTopicsRequestData(timeout_ms=60_000, topics=[
        CreatableTopic(name=name, num_partitions=2, replication_factor=replicas, configs=[
            CreateTopicsRequestData.CreateableTopicConfig(name="cleanup.policy", value="compact")])
        for name in NAMES])


def create_partitions() -> Request:
    return ApiKeys.CREATE_PARTITIONS, CreatePartitionsRequestData(timeout_ms=60_000, topics=[
        CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=3, assignments=None)
        for name in [*NAMES, UNKNOWN]])


def alter_configs(value: str) -> Request:
    return ApiKeys.ALTER_CONFIGS, Legacy(resources=[
        Legacy.AlterConfigsResource(resource_type=type_, resource_name=name, configs=[
            Legacy.AlterableConfig(name=key, value=value)])
        for type_, key in ((TOPIC, "retention.ms"), (METRICS, "interval.ms")) for name in NAMES])


def incremental_alter_configs(value: str) -> Request:
    return ApiKeys.INCREMENTAL_ALTER_CONFIGS, Incremental(resources=[
        Incremental.AlterConfigsResource(resource_type=type_, resource_name=name, configs=[
            Incremental.AlterableConfig(name=key, config_operation=0, value=value)])
        for type_, key in ((TOPIC, "retention.ms"), (METRICS, "interval.ms")) for name in NAMES])


def create_acls() -> Request:
    return ApiKeys.CREATE_ACLS, CreateAclsRequestData(creations=[
        CreateAclsRequestData.AclCreation(
            resource_type=ResourceType.TOPIC.code(), resource_name=name,
            resource_pattern_type=PatternType.LITERAL.code(), principal="User:a", host="*",
            operation=AclOperation.READ.code(), permission_type=AclPermissionType.ALLOW.code())
        for name in NAMES])


def delete_acls() -> Request:
    return ApiKeys.DELETE_ACLS, DeleteAclsRequestData(filters=[
        DeleteAclsRequestData.DeleteAclsFilter(
            resource_type_filter=ResourceType.TOPIC.code(), resource_name_filter=name,
            pattern_type_filter=PatternType.LITERAL.code(), principal_filter=None, host_filter=None,
            operation=AclOperation.ANY.code(), permission_type=AclPermissionType.ANY.code())
        for name in NAMES])


def alter_client_quotas() -> Request:
    return ApiKeys.ALTER_CLIENT_QUOTAS, Quotas(entries=[
        Quotas.EntryData(entity=[Quotas.EntityData(entity_type="user", entity_name=name)],
                         ops=[Quotas.OpData(key="producer_byte_rate", value=1e6)]) for name in NAMES])


def alter_users() -> Request:
    return ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, Scram(deletions=[], upsertions=[
        Scram.ScramCredentialUpsertion(name=name, mechanism=1, iterations=4096, salt=b"salt",
                                       salted_password=bytes(32)) for name in NAMES])


def delete_topics() -> Request:
    return ApiKeys.DELETE_TOPICS, DeleteTopicsRequestData(timeout_ms=60_000, topics=[
        DeleteTopicsRequestData.DeleteTopicState(name=name) for name in NAMES])


def elect_leaders() -> Request:
    return ApiKeys.ELECT_LEADERS, ElectLeadersRequestData(
        election_type=0, timeout_ms=60_000, topic_partitions=[
            ElectLeadersRequestData.TopicPartitions(topic=name, partitions=[0, 1, 2**31 - 1])
            for name in NAMES])


def reassign(*replicas: int) -> Request:
    Reassign = AlterPartitionReassignmentsRequestData
    return ApiKeys.ALTER_PARTITION_REASSIGNMENTS, Reassign(timeout_ms=60_000, topics=[
        Reassign.ReassignableTopic(name=name, partitions=[
            Reassign.ReassignablePartition(partition_index=index, replicas=list(replicas))
            for index in (0, 1)]) for name in NAMES])


class Writes:
    """Counts the replaced files of a folder by name; those of its sub-folders belong to one partition."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = str(folder)
        self._counts: Counter[str] = Counter()
        real_replace = os.replace

        def replace(source: str, target: str) -> None:
            if os.path.dirname(target) == self._folder:
                self._counts[os.path.basename(target)] += 1
            real_replace(source, target)

        monkeypatch.setattr(os, "replace", replace)

    def of(self, action: Callable[[], object]) -> Counter[str]:
        self._counts.clear()
        action()
        return Counter(self._counts)


def ask(broker: BrokerServer, request: Request) -> Message:
    api, body = request
    with connect(broker) as wire:
        return wire.ask(api, api.latest_version(False), body)


def error_codes(answer: Any) -> list[Errors]:
    """Return all error codes of a response's elements."""
    found = []
    for field in answer.SCHEMA.fields:
        value = getattr(answer, field.attribute)
        if field.attribute == "error_code":
            found.append(Errors.for_code(value))
        elif isinstance(value, list):
            found += [code for each in value if isinstance(each, Message) for code in error_codes(each)]
    return found


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found": "true",
    }) as broker:
        yield broker


def test_one_write_of_each_store(tmp_path: Path, broker: BrokerServer,
                                 monkeypatch: pytest.MonkeyPatch) -> None:
    writes = Writes(tmp_path, monkeypatch)
    for request, stores, errors in (
        (create_topics(), {"topics.json"}, {Errors.NONE}),
        (incremental_alter_configs("100000"), {"topics.json", "configs.json"}, {Errors.NONE}),
        (alter_configs("200000"), {"topics.json", "configs.json"}, {Errors.NONE}),
        (create_partitions(), {"topics.json"}, {Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION}),
        (create_acls(), {"acls.json"}, {Errors.NONE}),
        (delete_acls(), {"acls.json"}, {Errors.NONE}),
        (alter_client_quotas(), {"client_quotas.json"}, {Errors.NONE}),
        (alter_users(), {"scram.json"}, {Errors.NONE}),
        (delete_topics(), {"topics.json"}, {Errors.NONE}),
    ):
        answers: list[Message] = []
        written = writes.of(
            lambda request=request: answers.append(ask(broker, request)))  # type: ignore[misc]
        assert set(error_codes(answers[0])) == errors, request[0]
        assert {name for name in written if name.endswith(".json")} == stores, request[0]
        assert max(written.values()) == 1, (request[0], written)


def test_one_write_of_the_replicas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = Writes(tmp_path, monkeypatch)
    with running(tmp_path, 2) as brokers:
        for request in (create_topics(2), create_partitions(), reassign(2), reassign(2, 1), delete_topics()):
            assert writes.of(lambda request=request: ask(brokers[0], request))[  # type: ignore[misc]
                "replicas.json"] == 1, request[0]
        ask(brokers[0], create_topics(2))
        cluster = replication(brokers)
        partitions = [TopicPartition(name, index) for name in NAMES for index in (0, 1)]
        for partition in partitions:
            cluster.move_leader(partition, cluster.state(partition).replicas[1])
        answers: list[Message] = []
        assert writes.of(lambda: answers.append(ask(brokers[0], elect_leaders()))) == {"replicas.json": 1}
        assert Counter(error_codes(answers[0])) == {
            Errors.NONE: 2 * COUNT + 1, Errors.UNKNOWN_TOPIC_OR_PARTITION: COUNT}
        assert all(cluster.state(each).leader == cluster.state(each).replicas[0] for each in partitions)


# A write of a store fails before its rename, or after it.
FAILING = pytest.mark.parametrize("failing", ["write_fully", "flush_directory"])


def fill_disk(monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(f"kreactor.jdk.files.{failing}", full)


@FAILING
def test_a_failed_write_changes_nothing(tmp_path: Path, broker: BrokerServer, failing: str,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    ask(broker, create_topics())
    ask(broker, incremental_alter_configs("100000"))
    kept = {name: json.loads((tmp_path / name).read_text()) for name in ("topics.json", "configs.json")}
    topics = broker.storage().topics().topics()
    metrics = ConfigResource(ConfigResource.Type.CLIENT_METRICS, NAMES[0])
    fill_disk(monkeypatch, failing)
    for asked in (incremental_alter_configs("300000"), alter_configs("300000"), create_partitions(),
                  delete_topics()):
        codes = Counter(error_codes(ask(broker, asked)))
        assert codes.pop(Errors.KAFKA_STORAGE_ERROR) in (COUNT, 2 * COUNT), asked[0]
        assert set(codes) <= {Errors.UNKNOWN_TOPIC_OR_PARTITION}
        assert broker.storage().topics().topics() == topics
        assert broker.storage().configs().config(metrics) == {"interval.ms": "100000"}
    for api, body in (create_acls(), alter_client_quotas(), alter_users()):
        assert Errors.NONE not in error_codes(ask(broker, (api, body))), api
    storage = broker.storage()
    assert (storage.acls().acls(), storage.client_quotas().quotas(),
            storage.scram_credentials().credentials()) == ({}, {}, {})
    monkeypatch.undo()
    assert {name: json.loads((tmp_path / name).read_text()) for name in kept} == kept
    assert not {"acls.json", "client_quotas.json", "scram.json"} & set(os.listdir(tmp_path))
    assert set(error_codes(ask(broker, delete_topics()))) == {Errors.NONE}


@FAILING
def test_replicas_that_cannot_be_written_have_not_moved(tmp_path: Path, failing: str,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path, 2) as brokers:
        ask(brokers[0], create_topics(2))
        before = replication(brokers).image().partitions
        file = (tmp_path / "replicas.json").read_text()
        fill_disk(monkeypatch, failing)
        assert Counter(error_codes(ask(brokers[0], reassign(2)))) == {
            Errors.NONE: 1, Errors.KAFKA_STORAGE_ERROR: 2 * COUNT}
        assert replication(brokers).image().partitions == before
        monkeypatch.undo()
        assert (tmp_path / "replicas.json").read_text() == file
