# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A second conversation with a broker, as ``conversation``: about what administrators ask for.

``hold`` leads it and leaves nothing behind. ``python -m tests.core.server.admin_conversation HOST:PORT``
writes the answers of Kafka's broker anew.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable

from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_delegation_token_request_data import CreateDelegationTokenRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_delegation_token_request_data import DescribeDelegationTokenRequestData
from kreactor.common.message.describe_log_dirs_request_data import DescribeLogDirsRequestData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.expire_delegation_token_request_data import ExpireDelegationTokenRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.renew_delegation_token_request_data import RenewDelegationTokenRequestData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from tests.core.server.conversation import (
    Answers,
    Conversation,
    connector,
    read_answers,
    record_answers,
    records,
    versions,
)
from tests.core.server.wire import Wire

RECORDED = os.path.join(os.path.dirname(__file__), "admin_answers_3_8_0.json")

TOPIC, BROKER, LOGGER, METRICS = 2, 4, 8, 16
SET, DELETE, APPEND, SUBTRACT = range(4)

CreatePartitionsTopic = CreatePartitionsRequestData.CreatePartitionsTopic
Partition = OffsetForLeaderEpochRequestData.OffsetForLeaderPartition
IncrementalResource = IncrementalAlterConfigsRequestData.AlterConfigsResource
LegacyResource = AlterConfigsRequestData.AlterConfigsResource

Op = tuple[str, int, str | None]


class AdminConversation(Conversation):
    """Asks, and writes down. ``settle`` waits until a broker has heard of a change from its controller."""

    def __init__(self, connect: Callable[[], Wire], prefix: str, settle: Callable[[], None]) -> None:
        super().__init__(connect, prefix)
        self.settle = settle

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        if api is ApiKeys.ELECT_LEADERS and key == "replicaElectionResults" and isinstance(node, list):
            # All topics are told of, those of others too.
            node = [result for result in node if result["topic"].startswith(self.prefix)]
        return super()._clean(api, node, key)


def hold(connect: Callable[[], Wire], prefix: str, settle: Callable[[], None] = lambda: None) -> Answers:
    """Lead the conversation, and return all answers by what was asked."""
    talk = AdminConversation(connect, prefix, settle)
    try:
        names = [talk.topic(name) for name in ("a", "b", "m", "r", "s")]
        talk.wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=30_000, topics=[
            CreateTopicsRequestData.CreatableTopic(
                name=name, num_partitions=3, replication_factor=1, configs=[
                    CreateTopicsRequestData.CreateableTopicConfig(name="retention.ms", value="-1")])
            for name in names]))
        talk.settle()
        create_partitions(talk)
        delete_records(talk)
        offset_for_leader_epoch(talk)
        describe_topic_partitions(talk)
        incremental_alter_configs(talk)
        alter_configs(talk)
        client_metrics(talk)
        log_dirs(talk)
        leaders(talk)
        reassignments(talk)
        cluster(talk)
        permissions(talk)
        talk.wire.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(timeout_ms=30_000, topic_names=names))
    finally:
        talk.close()
    return talk.answers


def create_partitions(talk: AdminConversation) -> None:
    api = ApiKeys.CREATE_PARTITIONS
    name = talk.topic

    def topic(name: str, count: int, *assignments: list[int]) -> CreatePartitionsTopic:
        return CreatePartitionsTopic(name=name, count=count, assignments=[
            CreatePartitionsRequestData.CreatePartitionsAssignment(broker_ids=ids) for ids in assignments
        ] if assignments else None)

    def ask(label: str, version: int, *topics: CreatePartitionsTopic,
            validate_only: bool = False, timeout_ms: int = 30_000) -> None:
        talk.ask(label, api, version, CreatePartitionsRequestData(
            topics=list(topics), timeout_ms=timeout_ms, validate_only=validate_only))

    for version in versions(api):
        ask("", version, topic(name("a"), 4 + version))
        ask("assigned", version, topic(name("b"), 4 + version, [1]))
        ask("to look at", version, topic(name("a"), 50), validate_only=True)
        for label, wrong in {
            "as many": topic(name("a"), 4 + version), "fewer": topic(name("a"), 2),
            "none": topic(name("a"), 0),
            "less than none": topic(name("a"), -3), "unknown": topic(name("none"), 5),
            "bad name": topic("a b", 5), "no name": topic("", 5),
            "too few assignments": topic(name("a"), 20, [1]),
            "assigned to a stranger": topic(name("a"), 5 + version, [2]),
            "assigned to nobody": topic(name("a"), 5 + version, []),
            "assigned to too many": topic(name("a"), 5 + version, [1, 2]),
            "assigned twice to one": topic(name("a"), 5 + version, [1, 1]),
        }.items():
            ask(label, version, wrong)
        ask("twice and once", version, topic(name("a"), 40), topic(name("a"), 41), topic(name("none"), 2))
        ask("one right and one wrong", version, topic(name("m"), 4 + version), topic(name("none"), 2))
        ask("nothing", version)
        ask("no time", version, topic(name("a"), 30), timeout_ms=0)
        ask("no time, twice", version, topic(name("a"), 30), topic(name("a"), 30), timeout_ms=0)


def delete_records(talk: AdminConversation) -> None:
    api = ApiKeys.DELETE_RECORDS
    name = talk.topic
    for i in range(10):
        talk.wire.ask(ApiKeys.PRODUCE, 9, ProduceRequestData(acks=-1, timeout_ms=5000, topic_data=[
            ProduceRequestData.TopicProduceData(name=name("r"), partition_data=[
                ProduceRequestData.PartitionProduceData(index=index, records=records(b"a", b"b", first=2 * i))
                for index in (0, 1)])]))

    def ask(label: str, version: int, topic: str, *offsets: tuple[int, int]) -> None:
        talk.ask(label, api, version, DeleteRecordsRequestData(timeout_ms=5000, topics=[
            DeleteRecordsRequestData.DeleteRecordsTopic(name=topic, partitions=[
                DeleteRecordsRequestData.DeleteRecordsPartition(partition_index=index, offset=offset)
                for index, offset in offsets])]))

    for version in versions(api):
        ask("", version, name("r"), (0, 3 + version))
        ask("again", version, name("r"), (0, 3 + version))
        ask("before the beginning", version, name("r"), (0, 1))
        ask("beyond the end", version, name("r"), (0, 21))
        ask("negative", version, name("r"), (0, -2))
        ask("some and others", version, name("r"), (0, 4 + version), (9, 0), (1, 2 + version))
        ask("unknown topic", version, name("none"), (0, 1))
        ask("bad topic", version, "a b", (0, 1))
        ask("of the empty", version, name("r"), (2, 0), (2, -1))
        ask("nothing", version, name("r"))
        talk.ask("begins at", ApiKeys.LIST_OFFSETS, 5 + version, ListOffsetsRequestData(topics=[
            ListOffsetsRequestData.ListOffsetsTopic(name=name("r"), partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(partition_index=index, timestamp=timestamp)
                for index in range(3) for timestamp in (-2,)])]))
    ask("all", 2, name("r"), (1, -1))
    ask("internal", 2, "__consumer_offsets_not", (0, 0))
    talk.ask("begins at the end", ApiKeys.LIST_OFFSETS, 8, ListOffsetsRequestData(topics=[
        ListOffsetsRequestData.ListOffsetsTopic(name=name("r"), partitions=[
            ListOffsetsRequestData.ListOffsetsPartition(partition_index=1, timestamp=-2)])]))

    def set_policy(policy: str) -> None:
        talk.wire.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
            IncrementalResource(resource_type=TOPIC, resource_name=name("r"), configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name="cleanup.policy", config_operation=SET, value=policy)])]))
        talk.settle()

    set_policy("compact")
    for version in versions(api):
        ask("of the compacted", version, name("r"), (0, 20), (0, -1), (0, 21), (0, -2), (2, 0), (9, 0))
    set_policy("compact,delete")
    ask("of the compacted and deleted", 2, name("r"), (0, 19))
    set_policy("delete")


def offset_for_leader_epoch(talk: AdminConversation) -> None:
    api = ApiKeys.OFFSET_FOR_LEADER_EPOCH

    def ask(label: str, version: int, topic: str, *partitions: Partition, replica_id: int = -1) -> None:
        talk.ask(label, api, version, OffsetForLeaderEpochRequestData(
            replica_id=replica_id if version >= 3 else -2, topics=[
                OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(
                    topic=topic, partitions=list(partitions))]))

    for version in versions(api):
        for epoch in (0, 1, 7, -1, -2):
            ask(f"epoch {epoch}", version, talk.topic("r"), Partition(partition=0, leader_epoch=epoch),
                Partition(partition=2, leader_epoch=epoch))
        ask("unknown partition", version, talk.topic("r"), Partition(partition=9, leader_epoch=0))
        ask("unknown topic", version, talk.topic("none"), Partition(partition=0, leader_epoch=0))
        if version >= 2:
            for current in (0, 3, -2):
                ask(f"current epoch {current}", version, talk.topic("r"),
                    Partition(partition=0, leader_epoch=0, current_leader_epoch=current))
        if version >= 3:
            ask("from a replica", version, talk.topic("r"), Partition(partition=0, leader_epoch=0),
                replica_id=7)


def describe_topic_partitions(talk: AdminConversation) -> None:
    api = ApiKeys.DESCRIBE_TOPIC_PARTITIONS
    Cursor = DescribeTopicPartitionsRequestData.Cursor

    def ask(label: str, *names: str, limit: int = 2000, cursor: tuple[str, int] | None = None) -> None:
        talk.ask(label, api, 0, DescribeTopicPartitionsRequestData(
            topics=[DescribeTopicPartitionsRequestData.TopicRequest(name=name) for name in names],
            response_partition_limit=limit,
            cursor=None if cursor is None else Cursor(topic_name=cursor[0], partition_index=cursor[1])))

    talk.settle()
    a, b, r, none = (talk.topic(name) for name in ("a", "b", "r", "none"))
    ask("", a, r)
    ask("one twice, not in order", r, a, r)
    ask("unknown and bad", a, none, "a b")
    ask("limited", a, r, limit=5)
    ask("limited to a topic", a, r, limit=7)
    ask("limited to a topic, then one that is not", a, none, limit=7)
    for limit in (1, 0, -1):
        ask(f"limited to {limit}", r, a, limit=limit)
    ask("from a cursor", a, b, r, cursor=(a, 5))
    ask("from a cursor, limited", a, b, r, cursor=(b, 5), limit=3)
    ask("from the beginning of a topic", a, b, r, cursor=(b, 0))
    ask("from beyond the end of a topic", a, r, cursor=(a, 100))
    ask("from a topic that is not asked for", a, r, cursor=(b, 0))
    ask("from a topic that is not", a, none, r, cursor=(none, 0))
    ask("from a negative partition", a, cursor=(a, -1))
    ask("all of them from a cursor", cursor=(a, 2), limit=9)


def _describe(talk: AdminConversation, label: str, type_: int, resource: str, *keys: str) -> None:
    """Ask for the settings that were set, or for some."""
    talk.settle()
    talk.ask(label, ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(
        resources=[DescribeConfigsRequestData.DescribeConfigsResource(
            resource_type=type_, resource_name=resource, configuration_keys=list(keys) or None)],
        include_synonyms=True, include_documentation=False))


# Settings of topics, right and wrong.
_TOPIC_OPS: dict[str, tuple[Op, ...]] = {
    "set": (("retention.ms", SET, "86400000"), ("segment.bytes", SET, "1000000")),
    "set again": (("retention.ms", SET, "86400000"),),
    "set more": (("max.message.bytes", SET, "5000"), ("compression.type", SET, "gzip"),
                 ("min.insync.replicas", SET, "2"), ("message.timestamp.type", SET, "LogAppendTime")),
    "unset": (("segment.bytes", DELETE, None), ("compression.type", DELETE, "")),
    "unset what is not": (("segment.ms", DELETE, None),),
    "unset unknown": (("nonsense", DELETE, None),),
    "append": (("leader.replication.throttled.replicas", APPEND, "0:1,1:1"),),
    "append again": (("leader.replication.throttled.replicas", APPEND, "1:1,2:1"),),
    "subtract": (("leader.replication.throttled.replicas", SUBTRACT, "0:1,7:7"),),
    "subtract all": (("leader.replication.throttled.replicas", SUBTRACT, "1:1,2:1"),),
    "append what is there": (("cleanup.policy", APPEND, "delete"),),
    "append to no list": (("retention.ms", APPEND, "5"),),
    "subtract from no list": (("retention.ms", SUBTRACT, "5"),),
    "append to unknown": (("nonsense", APPEND, "5"),),
    "append nonsense": (("cleanup.policy", APPEND, "nonsense"),),
    "unknown": (("nonsense", SET, "1"),),
    "unknown and known": (("nonsense", SET, "1"), ("retention.ms", SET, "7")),
    "of another type": (("retention.ms", SET, "abc"),),
    "out of range": (("retention.ms", SET, "-5"),),
    "too large": (("segment.bytes", SET, "99999999999"),),
    "no number at all": (("retention.ms", SET, ""),),
    "not in the list": (("compression.type", SET, "foo"),),
    "in conflict": (("max.compaction.lag.ms", SET, "5"), ("min.compaction.lag.ms", SET, "10")),
    "null": (("retention.ms", SET, None),),
    "nulls": (("retention.ms", SET, None), ("segment.ms", APPEND, None)),
    "one twice": (("retention.ms", SET, "5"), ("retention.ms", SET, "6")),
    "nothing": (),
}
_NO_OPERATION: dict[str, tuple[Op, ...]] = {
    "unknown operation": (("retention.ms", 7, "5"),), "negative operation": (("retention.ms", -1, "5"),)}

_BROKER_OPS: dict[str, tuple[Op, ...]] = {
    "set": (("log.retention.ms", SET, "3600000"), ("background.threads", SET, "9")),
    "set again": (("log.retention.ms", SET, "3600000"),),
    "set more": (("message.max.bytes", SET, "900000"), ("log.cleaner.threads", SET, "2")),
    "append": (("log.cleanup.policy", APPEND, "delete"),),
    "append to no list": (("log.retention.ms", APPEND, "5"),),
    "unset": (("background.threads", DELETE, None),),
    "not while it runs": (("broker.rack", SET, "x"),),
    "of another type": (("log.retention.ms", SET, "abc"),),
    "out of range": (("background.threads", SET, "0"),),
    "null": (("log.retention.ms", SET, None),),
    "one twice": (("log.retention.ms", SET, "5"), ("log.retention.ms", SET, "6")),
    "listener's": (("listener.name.plaintext.max.connections", SET, "1000"),),
    "security without a listener": (("ssl.truststore.certificates", SET, "x"),),
    "nothing": (),
}


def incremental_alter_configs(talk: AdminConversation) -> None:
    api = ApiKeys.INCREMENTAL_ALTER_CONFIGS

    def resource(type_: int, name: str, ops: tuple[Op, ...]) -> IncrementalResource:
        return IncrementalResource(resource_type=type_, resource_name=name, configs=[
            IncrementalAlterConfigsRequestData.AlterableConfig(name=key, config_operation=op, value=value)
            for key, op, value in ops])

    def ask(label: str, version: int, *resources: IncrementalResource,
            validate_only: bool = False) -> None:
        talk.ask(label, api, version, IncrementalAlterConfigsRequestData(
            resources=list(resources), validate_only=validate_only))
        talk.settle()

    a, b, none = (talk.topic(name) for name in ("a", "b", "none"))
    keep: tuple[Op, ...] = (("retention.ms", SET, "-1"),)
    for version in versions(api):
        for label, ops in _TOPIC_OPS.items():
            ask(f"topic, {label}", version, resource(TOPIC, a, ops))
            if version == 1:
                _describe(talk, f"topic after {label}", TOPIC, a)
        for label, ops in _NO_OPERATION.items():
            ask(f"topic, {label}", version, resource(TOPIC, a, ops))
            ask(f"broker, {label}", version, resource(BROKER, "1", ops))
            ask(f"logger, {label}", version, resource(LOGGER, "1", (("root", ops[0][1], "INFO"),)))
        ask("topic, to look at", version, resource(TOPIC, a, (("retention.ms", SET, "5"),)),
            validate_only=True)
        ask("topics, right and wrong", version, resource(TOPIC, a, keep),
            resource(TOPIC, b, (("nonsense", SET, "1"),)), resource(TOPIC, none, keep))
        ask("one twice", version, resource(TOPIC, a, keep), resource(TOPIC, b, keep), resource(TOPIC, a, ()))
        for label, type_, name in (
                ("unknown topic", TOPIC, none), ("all topics", TOPIC, ""), ("bad topic", TOPIC, "a b"),
                ("unknown kind", 99, "x"), ("no kind", 0, "x"), ("another broker", BROKER, "2"),
                ("no broker", BROKER, "one"), ("negative broker", BROKER, "-1")):
            ask(label, version, resource(type_, name, keep))
        ask("nothing", version)
        for name in ("1", ""):
            for label, ops in _BROKER_OPS.items():
                ask(f"broker {name!r}, {label}", version, resource(BROKER, name, ops))
                if version == 1:
                    _describe(talk, f"broker {name!r} after {label}", BROKER, name,
                              *(sorted({key for key, _, _ in ops} or {"background.threads"}) if name else ()))
                    _describe(talk, f"topic after broker {name!r}, {label}", TOPIC, b, "retention.ms",
                              "max.message.bytes", "cleanup.policy")
            ask(f"broker {name!r}, to look at", version,
                resource(BROKER, name, (("log.retention.ms", SET, "7"),)), validate_only=True)
        for name in ("1", ""):
            ask(f"broker {name!r}, all unset", version, resource(BROKER, name, tuple(
                (key, DELETE, None) for key in (
                    "log.retention.ms", "message.max.bytes", "log.cleaner.threads", "log.cleanup.policy",
                    "listener.name.plaintext.max.connections"))))
        for label, name, ops in (
                ("", "1", (("no.such.logger", SET, "INFO"),)), ("level", "1", (("root", SET, "LOUD"),)),
                ("append", "1", (("root", APPEND, "INFO"),)),
                ("subtract", "1", (("root", SUBTRACT, "INFO"),)),
                ("root unset", "1", (("root", DELETE, None),)), ("another", "2", (("root", SET, "INFO"),)),
                ("none", "one", (("root", SET, "INFO"),)), ("all", "", (("root", SET, "INFO"),)),
                ("null", "1", (("root", SET, None),)), ("twice", "1", (("root", SET, "INFO"),) * 2)):
            ask(f"logger, {label}", version, resource(LOGGER, name, ops))
        ask("logger, to look at", version, resource(LOGGER, "1", (("root", SET, "ERROR"),)),
            validate_only=True)


def alter_configs(talk: AdminConversation) -> None:
    api = ApiKeys.ALTER_CONFIGS

    def resource(type_: int, name: str, ops: tuple[Op, ...]) -> LegacyResource:
        return LegacyResource(resource_type=type_, resource_name=name, configs=[
            AlterConfigsRequestData.AlterableConfig(name=key, value=value) for key, op, value in ops])

    def ask(label: str, version: int, *resources: LegacyResource,
            validate_only: bool = False) -> None:
        talk.ask(label, api, version, AlterConfigsRequestData(
            resources=list(resources), validate_only=validate_only))
        talk.settle()

    a, none = talk.topic("a"), talk.topic("none")
    keep: tuple[Op, ...] = (("retention.ms", SET, "-1"),)
    for version in versions(api):
        for label, ops in _TOPIC_OPS.items():
            if any(op == DELETE for _, op, _ in ops):
                continue
            ask(f"topic, {label}", version, resource(TOPIC, a, ops))
            if version == 2:
                _describe(talk, f"topic after legacy {label}", TOPIC, a)
        ask("topic, to look at", version, resource(TOPIC, a, (("retention.ms", SET, "5"),)),
            validate_only=True)
        for label, type_, name in (
                ("unknown topic", TOPIC, none), ("all topics", TOPIC, ""), ("bad topic", TOPIC, "a b"),
                ("unknown kind", 99, "x"), ("no kind", 0, "x"), ("another broker", BROKER, "2"),
                ("no broker", BROKER, "one"), ("negative broker", BROKER, "-1"), ("logger", LOGGER, "1")):
            ask(label, version, resource(type_, name, keep))
        ask("nothing", version)
        for name in ("1", ""):
            for label, ops in _BROKER_OPS.items():
                if any(op != SET for _, op, _ in ops):
                    continue
                ask(f"broker {name!r}, {label}", version, resource(BROKER, name, ops))
                if version == 2:
                    _describe(talk, f"broker {name!r} after legacy {label}", BROKER, name,
                              *(sorted({key for key, _, _ in ops} or {"background.threads"}) if name else ()))
            ask(f"broker {name!r}, all unset", version, resource(BROKER, name, ()))


def client_metrics(talk: AdminConversation) -> None:
    api = ApiKeys.INCREMENTAL_ALTER_CONFIGS
    name = talk.prefix + "metrics"

    def alter(label: str, name: str, *ops: Op) -> None:
        talk.ask(f"metrics, {label}", api, 1, IncrementalAlterConfigsRequestData(resources=[
            IncrementalAlterConfigsRequestData.AlterConfigsResource(
                resource_type=METRICS, resource_name=name, configs=[
                    IncrementalAlterConfigsRequestData.AlterableConfig(
                        name=key, config_operation=op, value=value) for key, op, value in ops])]))
        talk.settle()
        talk.ask(f"metrics after {label}", ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0,
                 ListClientMetricsResourcesRequestData())
        _describe(talk, f"metrics after {label}", METRICS, name or talk.prefix)

    alter("set", name, ("interval.ms", SET, "1000"), ("metrics", SET, "a,b"),
          ("match", SET, "client_id=x.*,client_software_name=y"))
    alter("append", name, ("metrics", APPEND, "c"))
    alter("unknown setting", name, ("nonsense", SET, "c"))
    for interval in ("99", "3600001", "abc", ""):
        alter(f"interval {interval!r}", name, ("interval.ms", SET, interval))
    for pattern in ("nonsense=x", "client_id", "client_id=(", "client_id=a=b", "", "=x"):
        alter(f"match {pattern!r}", name, ("match", SET, pattern))
    alter("no name", "", ("interval.ms", SET, "1000"))
    alter("unset", name, *((key, DELETE, None) for key in ("interval.ms", "metrics", "match")))


def log_dirs(talk: AdminConversation) -> None:
    api = ApiKeys.DESCRIBE_LOG_DIRS
    r, none = talk.topic("r"), talk.topic("none")
    folder = ""
    for version in versions(api):
        for label, topics in {"": [(r, [0, 2])], "unknown": [(none, [0]), (r, [9])], "nothing": [],
                              "twice": [(r, [1, 1]), (r, [1])]}.items():
            talk.ask(label, api, version, DescribeLogDirsRequestData(topics=[
                DescribeLogDirsRequestData.DescribableLogDirTopic(topic=topic, partitions=partitions)
                for topic, partitions in topics]))
        answer = talk.wire.ask(api, version, DescribeLogDirsRequestData(topics=[]))
        folder = answer.results[0].log_dir  # type: ignore[attr-defined]  # its data class
    for version in versions(ApiKeys.ALTER_REPLICA_LOG_DIRS):
        for label, path, topic, partitions in (
                ("to where it is", folder, r, [0, 1]), ("unknown topic", folder, none, [0]),
                ("unknown partition", folder, r, [0, 9]), ("unknown folder", folder + "x", r, [0]),
                ("unknown folder and topic", "/", none, [0]), ("no folder", "", r, [0]),
                ("long name", folder, "x" * 220, [0]), ("nothing", folder, r, [])):
            talk.ask(label, ApiKeys.ALTER_REPLICA_LOG_DIRS, version, AlterReplicaLogDirsRequestData(dirs=[
                AlterReplicaLogDirsRequestData.AlterReplicaLogDir(path=path, topics=[
                    AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(
                        name=topic, partitions=partitions)])]))


def leaders(talk: AdminConversation) -> None:
    api = ApiKeys.ELECT_LEADERS

    def ask(label: str, version: int, *topics: tuple[str, list[int]], timeout_ms: int = 5000,
            election_type: int = 0) -> None:
        talk.ask(label, api, version, ElectLeadersRequestData(
            timeout_ms=timeout_ms, election_type=election_type if version else 0, topic_partitions=[
                ElectLeadersRequestData.TopicPartitions(topic=topic, partitions=partitions)
                for topic, partitions in topics]))

    r, none = talk.topic("r"), talk.topic("none")
    for version in versions(api):
        ask("", version, (r, [0, 1]))
        ask("unclean", version, (r, [0]), election_type=1)
        ask("of no kind", version, (r, [0]), election_type=5)
        ask("unknown", version, (r, [9]), (none, [0]))
        ask("nothing", version)
        ask("no time", version, (r, [0]), timeout_ms=0)
        talk.ask("all", api, version, ElectLeadersRequestData(timeout_ms=5000, topic_partitions=None))


def reassignments(talk: AdminConversation) -> None:
    api = ApiKeys.ALTER_PARTITION_REASSIGNMENTS
    r, none = talk.topic("r"), talk.topic("none")

    def ask(label: str, *partitions: tuple[str, int, list[int] | None], timeout_ms: int = 5000) -> None:
        talk.ask(label, api, 0, AlterPartitionReassignmentsRequestData(timeout_ms=timeout_ms, topics=[
            AlterPartitionReassignmentsRequestData.ReassignableTopic(name=topic, partitions=[
                AlterPartitionReassignmentsRequestData.ReassignablePartition(
                    partition_index=index, replicas=replicas)]) for topic, index, replicas in partitions]))

    ask("to where it is", (r, 0, [1]))
    ask("cancelled", (r, 0, None))
    ask("to a stranger", (r, 0, [2]))
    ask("to too many", (r, 0, [1, 2]))
    ask("to nobody", (r, 0, []))
    ask("twice to one", (r, 0, [1, 1]))
    ask("unknown", (r, 9, [1]), (none, 0, [1]), (none, 0, None))
    ask("nothing")
    ask("no time", (r, 0, [1]), timeout_ms=0)
    for label, topics in {"all": None, "nothing": [], "": [(r, [0, 9])], "unknown": [(none, [0])]}.items():
        talk.ask(label, ApiKeys.LIST_PARTITION_REASSIGNMENTS, 0, ListPartitionReassignmentsRequestData(
            timeout_ms=5000, topics=None if topics is None else [
                ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics(
                    name=topic, partition_indexes=indexes) for topic, indexes in topics]))


def cluster(talk: AdminConversation) -> None:
    for version in versions(ApiKeys.DESCRIBE_QUORUM):
        for label, topics in {
            "": [("__cluster_metadata", [0])], "another partition": [("__cluster_metadata", [1])],
            "two partitions": [("__cluster_metadata", [0, 1])], "another topic": [(talk.topic("r"), [0])],
            "two topics": [("__cluster_metadata", [0]), (talk.topic("r"), [0])], "nothing": [],
        }.items():
            talk.ask(label, ApiKeys.DESCRIBE_QUORUM, version, DescribeQuorumRequestData(topics=[
                DescribeQuorumRequestData.TopicData(topic_name=topic, partitions=[
                    DescribeQuorumRequestData.PartitionData(partition_index=index) for index in indexes])
                for topic, indexes in topics]))
    for version in versions(ApiKeys.UPDATE_FEATURES):
        for label, feature, level, upgrade_type in (
                ("as it is", "metadata.version", 20, 1), ("down", "metadata.version", 19, 1),
                ("far down, safe", "metadata.version", 16, 2), ("far down, unsafe", "metadata.version", 7, 3),
                ("before the first that is stored", "metadata.version", 3, 1),
                ("before the first that is stored, safe", "metadata.version", 3, 2),
                ("before the first that is stored, unsafe", "metadata.version", 1, 3),
                ("up", "metadata.version", 21, 1), ("far up", "metadata.version", 2000, 1),
                ("to nothing", "metadata.version", 0, 2), ("negative", "metadata.version", -1, 2),
                ("of no kind", "metadata.version", 19, 0), ("of an unknown kind", "metadata.version", 19, 9),
                ("unknown", "nonsense", 1, 1), ("unknown, to nothing", "nonsense", 0, 2),
                ("as it is, safe", "metadata.version", 20, 2)):
            update = UpdateFeaturesRequestData.FeatureUpdateKey(feature=feature, max_version_level=level)
            if version == 0:
                update.allow_downgrade = upgrade_type != 1
            else:
                update.upgrade_type = upgrade_type
            talk.ask(label, ApiKeys.UPDATE_FEATURES, version, UpdateFeaturesRequestData(
                timeout_ms=5000, feature_updates=[update]))
        talk.ask("nothing", ApiKeys.UPDATE_FEATURES, version, UpdateFeaturesRequestData(timeout_ms=5000))
    for broker_id in (77, -1):
        talk.ask(f"{broker_id}", ApiKeys.UNREGISTER_BROKER, 0,
                 UnregisterBrokerRequestData(broker_id=broker_id))


def permissions(talk: AdminConversation) -> None:
    for version in versions(ApiKeys.DESCRIBE_ACLS):
        def ask(api: ApiKeys, label: str, resource_type: int, pattern_type: int, operation: int,
                permission: int, version: int = version) -> None:
            pattern = {} if version == 0 else {"pattern_type_filter": pattern_type}
            if api is ApiKeys.DESCRIBE_ACLS:
                talk.ask(label, api, version, DescribeAclsRequestData(
                    resource_type_filter=resource_type, resource_name_filter=None, principal_filter=None,
                    host_filter=None, operation=operation, permission_type=permission, **pattern))
            elif api is ApiKeys.DELETE_ACLS:
                talk.ask(label, api, version, DeleteAclsRequestData(filters=[
                    DeleteAclsRequestData.DeleteAclsFilter(
                        resource_type_filter=resource_type, resource_name_filter="x", principal_filter=None,
                        host_filter=None, operation=operation, permission_type=permission, **pattern)] * 2))
            else:
                talk.ask(label, api, version, CreateAclsRequestData(creations=[
                    CreateAclsRequestData.AclCreation(
                        resource_type=resource_type, resource_name="x", principal="User:x", host="*",
                        operation=operation, permission_type=permission,
                        **({} if version == 0 else {"resource_pattern_type": pattern_type}))] * 2))

        for api in (ApiKeys.DESCRIBE_ACLS, ApiKeys.CREATE_ACLS, ApiKeys.DELETE_ACLS):
            ask(api, "", 2, 3, 3, 3)
            ask(api, "any", 1, 1, 1, 1)
            ask(api, "prefixed", 2, 4, 3, 3)
            ask(api, "unknown kind", 0, 3, 3, 3)
            ask(api, "kind of the future", 99, 3, 3, 3)
            ask(api, "unknown pattern", 2, 0, 3, 3)
            ask(api, "unknown operation", 2, 3, 0, 3)
            ask(api, "unknown permission", 2, 3, 3, 0)
    for version in versions(ApiKeys.CREATE_DELEGATION_TOKEN):
        token = CreateDelegationTokenRequestData(max_lifetime_ms=1000)
        talk.ask("", ApiKeys.CREATE_DELEGATION_TOKEN, version, token)
        if version >= 3:
            token = CreateDelegationTokenRequestData(
                max_lifetime_ms=1000, owner_principal_type="User", owner_principal_name="x")
            talk.ask("of another", ApiKeys.CREATE_DELEGATION_TOKEN, version, token)
        for label, owners in (("all", None), ("", [])):
            talk.ask(label, ApiKeys.DESCRIBE_DELEGATION_TOKEN, version,
                     DescribeDelegationTokenRequestData(owners=owners))
    for version in versions(ApiKeys.RENEW_DELEGATION_TOKEN):
        talk.ask("", ApiKeys.RENEW_DELEGATION_TOKEN, version, RenewDelegationTokenRequestData(
            hmac=b"x", renew_period_ms=1000))
        talk.ask("", ApiKeys.EXPIRE_DELEGATION_TOKEN, version, ExpireDelegationTokenRequestData(
            hmac=b"x", expiry_time_period_ms=1000))
    for version in versions(ApiKeys.SASL_AUTHENTICATE):
        talk.ask("", ApiKeys.SASL_AUTHENTICATE, version, SaslAuthenticateRequestData(auth_bytes=b"\0x\0y"))


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode, with all its settings at their defaults."""
    return read_answers(RECORDED)


# How long a live broker may take to hear of a change.
LIVE_SETTLE_S = 0.15

if __name__ == "__main__":
    record_answers(RECORDED, hold(connector(sys.argv[1]), f"record_{os.getpid()}_",
                                  lambda: time.sleep(LIVE_SETTLE_S)))
