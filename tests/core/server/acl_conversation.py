# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A third conversation with a broker, as ``conversation``: what somebody is answered who may not, or may.

Two talk to a broker that has the StandardAuthorizer, over SASL: ``admin``, a super user, gives and takes
permissions; ``alice`` asks, each time with the permissions that the label names and no others. ``python -m
tests.core.server.acl_conversation HOST:PORT`` writes the answers of Kafka's broker anew; ``BROKER_PROPS`` is
what that has to be started with.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Callable

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.message.add_offsets_to_txn_request_data import AddOffsetsToTxnRequestData
from kreactor.common.message.add_partitions_to_txn_request_data import AddPartitionsToTxnRequestData
from kreactor.common.message.alter_client_quotas_request_data import AlterClientQuotasRequestData
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_heartbeat_request_data import ConsumerGroupHeartbeatRequestData
from kreactor.common.message.create_acls_request_data import CreateAclsRequestData
from kreactor.common.message.create_delegation_token_request_data import CreateDelegationTokenRequestData
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.delete_acls_request_data import DeleteAclsRequestData
from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_records_request_data import DeleteRecordsRequestData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.describe_acls_request_data import DescribeAclsRequestData
from kreactor.common.message.describe_acls_response_data import DescribeAclsResponseData
from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_delegation_token_request_data import DescribeDelegationTokenRequestData
from kreactor.common.message.describe_groups_request_data import DescribeGroupsRequestData
from kreactor.common.message.describe_log_dirs_request_data import DescribeLogDirsRequestData
from kreactor.common.message.describe_producers_request_data import DescribeProducersRequestData
from kreactor.common.message.describe_quorum_request_data import DescribeQuorumRequestData
from kreactor.common.message.describe_topic_partitions_request_data import DescribeTopicPartitionsRequestData
from kreactor.common.message.describe_transactions_request_data import DescribeTransactionsRequestData
from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.message.elect_leaders_request_data import ElectLeadersRequestData
from kreactor.common.message.end_txn_request_data import EndTxnRequestData
from kreactor.common.message.expire_delegation_token_request_data import ExpireDelegationTokenRequestData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.message.heartbeat_request_data import HeartbeatRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.init_producer_id_request_data import InitProducerIdRequestData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.list_client_metrics_resources_request_data import (
    ListClientMetricsResourcesRequestData,
)
from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_partition_reassignments_request_data import (
    ListPartitionReassignmentsRequestData,
)
from kreactor.common.message.list_transactions_request_data import ListTransactionsRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.renew_delegation_token_request_data import RenewDelegationTokenRequestData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from tests.core.server.conversation import (
    PATIENCE_S,
    Answers,
    Conversation,
    read_answers,
    record_answers,
    records,
    versions,
)
from tests.core.server.wire import Wire

RECORDED = os.path.join(os.path.dirname(__file__), "acl_answers_3_8_0.json")

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
# Of a broker whose listener has the name SASL_PLAINTEXT. Kafka's controller knows its broker as ANONYMOUS.
BROKER_PROPS = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin;User:ANONYMOUS",
    # The records are of the past: with the default they would go half a minute after the start.
    "log.retention.ms": "-1",
    "listener.name.sasl_plaintext.plain.sasl.jaas.config":
        f'{_PLAIN} required user_admin="admin-secret" user_alice="alice-secret" user_bob="bob-secret";',
}

CLUSTER, GROUP, TOPIC, TXN, USER = (ResourceType.CLUSTER, ResourceType.GROUP, ResourceType.TOPIC,
                                    ResourceType.TRANSACTIONAL_ID, ResourceType.USER)
O = AclOperation  # noqa: E741
LITERAL, PREFIXED = PatternType.LITERAL, PatternType.PREFIXED
DENY, ALLOW = AclPermissionType.DENY, AclPermissionType.ALLOW


@dataclass(frozen=True)
class Acl:
    """A permission, by default of alice; the name gets the prefix of the conversation."""

    operation: AclOperation
    resource_type: ResourceType
    name: str = "kafka-cluster"
    pattern_type: PatternType = LITERAL
    permission: AclPermissionType = ALLOW
    principal: str = "User:alice"
    host: str = "*"

    def __str__(self) -> str:
        parts = [self.permission.name if self.permission is DENY else "", self.operation.name,
                 self.resource_type.name, "" if self.resource_type is CLUSTER else self.name,
                 "..." if self.pattern_type is PREFIXED else "",
                 "" if self.principal == "User:alice" else f"for {self.principal}",
                 "" if self.host == "*" else f"at {self.host}"]
        return " ".join(part for part in parts if part)


def authenticate(wire: Wire, user: str, password: str) -> None:
    """Say who is there, by SASL/PLAIN."""
    wire.ask(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(mechanism="PLAIN"))
    answer = wire.ask(ApiKeys.SASL_AUTHENTICATE, 2, SaslAuthenticateRequestData(
        auth_bytes=f"\0{user}\0{password}".encode()))
    assert isinstance(answer, SaslAuthenticateResponseData)
    assert answer.error_code == 0, answer.error_message


def connector(host: str, port: int) -> Callable[[str], Wire]:
    """Return what connects a user."""
    def connect(user: str) -> Wire:
        wire = Wire(host, port, 120)
        authenticate(wire, user, f"{user}-secret")
        return wire

    return connect


_REQUEST = re.compile(r"Request Request\(.*\) is not authorized", re.DOTALL)


class AclConversation(Conversation):
    """Asks as alice, and writes down. ``settle`` waits until a controller has heard of its own change."""

    def __init__(self, connect: Callable[[str], Wire], prefix: str, settle: Callable[[], None]) -> None:
        super().__init__(lambda: connect("alice"), prefix)
        self.connect_user = connect
        self.admin = connect("admin")
        self.settle = settle
        self._acls: tuple[Acl, ...] = ()

    def close(self) -> None:
        self.admin.close()
        super().close()

    def may(self, *acls: Acl) -> None:
        """Let these be all permissions that there are."""
        if acls == self._acls:
            return
        self.admin.ask(ApiKeys.DELETE_ACLS, 3, delete_filters(delete_filter()))
        if acls:
            self.admin.ask(ApiKeys.CREATE_ACLS, 3, CreateAclsRequestData(
                creations=[self.creation(acl) for acl in acls]))
        self._acls = acls
        deadline = time.monotonic() + PATIENCE_S
        while self.count() != len(set(acls)):
            assert time.monotonic() < deadline, f"{self.count()} permissions instead of {len(acls)}"
            time.sleep(0.01)
        self.settle()

    def count(self) -> int:
        """Return how many permissions the broker knows of."""
        answer = self.admin.ask(ApiKeys.DESCRIBE_ACLS, 3, describe())
        assert isinstance(answer, DescribeAclsResponseData)
        return sum(len(resource.acls) for resource in answer.resources)

    def creation(self, acl: Acl) -> CreateAclsRequestData.AclCreation:
        is_whole = acl.resource_type is CLUSTER or acl.name.startswith("*")
        return CreateAclsRequestData.AclCreation(
            resource_type=acl.resource_type.code(), resource_pattern_type=acl.pattern_type.code(),
            resource_name=acl.name if is_whole else self.topic(acl.name), principal=acl.principal,
            host=acl.host, operation=acl.operation.code(), permission_type=acl.permission.code())

    def case(self, label: str, api: ApiKeys, version: int, body: Message | Callable[[], Message],
             *permissions: Iterable[Acl]) -> None:
        """Ask without any permission, then with each set of ``permissions``."""
        for acls in ((), *map(tuple, permissions)):
            self.may(*acls)
            by = ", ".join(map(str, acls)) or "nothing"
            self.ask(f"{label} with {by}".strip(), api, version,
                     body if isinstance(body, Message) else body())

    def as_admin(self, label: str, api: ApiKeys, version: int, body: Message) -> Message | None:
        """Ask as the super user."""
        alice, self.wire = self.wire, self.admin
        connect_alice, self.connect = self.connect, lambda: self.connect_user("admin")
        try:
            return self.ask(label, api, version, body)
        finally:
            self.admin, self.wire, self.connect = self.wire, alice, connect_alice

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        node = super()._clean(api, node, key)
        if key == "errorMessage" and isinstance(node, str):
            return _REQUEST.sub("Request REQUEST is not authorized", node)
        # Sets and maps of Java's.
        if isinstance(node, list) and key in ("resources", "acls", "matchingAcls", "results", "topics"):
            node.sort(key=repr)
        return node


def describe(**filters: Any) -> DescribeAclsRequestData:
    """Return a request for all permissions, or less."""
    return DescribeAclsRequestData(**{
        "resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1,
        "principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1, **filters})


def delete_filter(**filters: Any) -> DeleteAclsRequestData.DeleteAclsFilter:
    """Return a filter that all permissions pass, or fewer."""
    return DeleteAclsRequestData.DeleteAclsFilter(**{
        "resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1,
        "principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1, **filters})


def delete_filters(*filters: DeleteAclsRequestData.DeleteAclsFilter) -> DeleteAclsRequestData:
    return DeleteAclsRequestData(filters=list(filters))


def hold(connect: Callable[[str], Wire], prefix: str, settle: Callable[[], None] = lambda: None) -> Answers:
    """Lead the conversation, and return all answers by what was asked."""
    talk = AclConversation(connect, prefix, settle)
    try:
        names = [talk.topic(name) for name in ("a", "ab", "b", "d1", "d2")]
        talk.admin.ask(ApiKeys.DELETE_ACLS, 3, delete_filters(delete_filter()))
        talk.admin.ask(ApiKeys.CREATE_TOPICS, 7, CreateTopicsRequestData(timeout_ms=30_000, topics=[
            CreateTopicsRequestData.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
            for name in names]))
        ids = _wait_for_ids(talk, names)
        # In the answers, an id is the name of its topic.
        talk.ids.update({str(id_): name[len(prefix):] for name, id_ in ids.items()})
        for type_, name in ((0, "g"), (1, "x")):
            _until_loaded(talk, ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
                key=talk.topic(name), key_type=type_))
        # The first has to wait for its broker's block of ids.
        _until_loaded(talk, ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
            transactional_id=None, transaction_timeout_ms=1000))
        for name in (talk.topic("g"), "a", "*", "*a"):
            _until_loaded(talk, ApiKeys.HEARTBEAT, 4, HeartbeatRequestData(
                group_id=name, generation_id=1, member_id="m"))
        matching(talk)
        producing(talk)
        fetching(talk, ids)
        metadata(talk, ids)
        groups(talk)
        transactions(talk)
        topics(talk, ids)
        settings(talk)
        quotas_and_users(talk)
        cluster(talk)
        permissions(talk)
        talk.may()
        talk.admin.ask(ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(
            timeout_ms=30_000, topic_names=[*names, talk.topic("auto"), talk.topic("auto2")]))
    finally:
        talk.close()
    return talk.answers


def _wait_for_ids(talk: AclConversation, names: list[str]) -> dict[str, Uuid]:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answer = talk.admin.ask(ApiKeys.METADATA, 12, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name=name) for name in names],
            allow_auto_topic_creation=False))
        assert isinstance(answer, MetadataResponseData)
        if all(topic.error_code == 0 for topic in answer.topics):
            return {str(topic.name): topic.topic_id for topic in answer.topics}
        assert time.monotonic() < deadline, "no topics"
        time.sleep(0.05)


# Which permissions apply, as the operations show that are allowed.

A, AB, B = "a", "ab", "b"
RULES: list[tuple[Acl, ...]] = [
    (Acl(operation, TOPIC, A),) for operation in AclOperation
    if operation.value > 1 and operation.value < 12
] + [
    (Acl(O.ALL, TOPIC, A, PREFIXED),),
    (Acl(O.READ, TOPIC, "", PREFIXED), Acl(O.WRITE, TOPIC, AB, PREFIXED),
     Acl(O.DELETE, TOPIC, "abc", PREFIXED)),
    (Acl(O.READ, TOPIC, "*"), Acl(O.WRITE, TOPIC, A)),
    (Acl(O.READ, TOPIC, "*", PREFIXED),),
    (Acl(O.ALL, TOPIC, A), Acl(O.WRITE, TOPIC, A, permission=DENY)),
    (Acl(O.ALL, TOPIC, A), Acl(O.READ, TOPIC, A, permission=DENY)),
    (Acl(O.ALL, TOPIC, A), Acl(O.DESCRIBE, TOPIC, A, permission=DENY)),
    (Acl(O.READ, TOPIC, A), Acl(O.DESCRIBE, TOPIC, A, permission=DENY)),
    (Acl(O.ALL, TOPIC, A), Acl(O.ALL, TOPIC, A, PREFIXED, DENY)),
    (Acl(O.ALL, TOPIC, A), Acl(O.READ, TOPIC, "*", permission=DENY)),
    (Acl(O.ALL, TOPIC, "*"), Acl(O.READ, TOPIC, AB, permission=DENY),
     Acl(O.WRITE, TOPIC, "", PREFIXED, DENY)),
    (Acl(O.ALL, TOPIC, A, host="127.0.0.1"), Acl(O.ALL, TOPIC, AB, host="10.0.0.1")),
    (Acl(O.ALL, TOPIC, A), Acl(O.WRITE, TOPIC, A, permission=DENY, host="10.0.0.1")),
    (Acl(O.READ, TOPIC, A, principal="User:*"), Acl(O.WRITE, TOPIC, A, principal="User:bob")),
    (Acl(O.ALL, TOPIC, A), Acl(O.READ, TOPIC, A, permission=DENY, principal="User:*")),
    (Acl(O.ALL, TOPIC, A), Acl(O.READ, TOPIC, A, permission=DENY, principal="User:bob")),
    (Acl(O.ALL, TOPIC, A, principal="user:alice"), Acl(O.ALL, TOPIC, AB, principal="Group:alice")),
    (Acl(O.ALL, GROUP, A), Acl(O.ALL, CLUSTER)),
]


def matching(talk: AclConversation) -> None:
    for acls in RULES:
        talk.may(*acls)
        talk.ask(f"by {', '.join(map(str, acls))}", ApiKeys.METADATA, 12, MetadataRequestData(
            topics=[MetadataRequestData.MetadataRequestTopic(name=talk.topic(name)) for name in (A, AB, B)],
            allow_auto_topic_creation=False, include_topic_authorized_operations=True))
    for name in ("a", "*", "*a"):
        talk.case(f"of {name}", ApiKeys.DESCRIBE_GROUPS, 5, DescribeGroupsRequestData(
            groups=[name], include_authorized_operations=True),
            [Acl(O.ALL, GROUP, "*", PREFIXED)], *([] if name == "*a" else [[Acl(O.ALL, GROUP, "*")]]))


def producing(talk: AclConversation) -> None:
    def data(*names: str, transactional_id: str | None = None) -> ProduceRequestData:
        return ProduceRequestData(transactional_id=transactional_id, acks=-1, timeout_ms=1000, topic_data=[
            ProduceRequestData.TopicProduceData(name=talk.topic(name), partition_data=[
                ProduceRequestData.PartitionProduceData(index=0, records=records(b"v"))])
            for name in names])

    for version in (3, 11):
        talk.case("", ApiKeys.PRODUCE, version, lambda: data("a", "b", "none"),
                  [Acl(O.READ, TOPIC, "a"), Acl(O.DESCRIBE, TOPIC, "b")], [Acl(O.WRITE, TOPIC, "a")],
                  [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "none")])
    batch = records(b"v", producer_id=1, producer_epoch=0, base_sequence=0, is_transactional=True)

    def transactional() -> ProduceRequestData:
        request = data("a", transactional_id=talk.topic("x"))
        request.topic_data[0].partition_data[0].records = batch
        return request

    talk.case("in a transaction", ApiKeys.PRODUCE, 9, transactional, [Acl(O.WRITE, TOPIC, "a")],
              [Acl(O.WRITE, TXN, "x")], [Acl(O.DESCRIBE, TXN, "x"), Acl(O.WRITE, TOPIC, "a")])
    init = InitProducerIdRequestData(transactional_id=None, transaction_timeout_ms=1000)
    talk.case("", ApiKeys.INIT_PRODUCER_ID, 4, init,
              [Acl(O.IDEMPOTENT_WRITE, CLUSTER)], [Acl(O.WRITE, TOPIC, "a")], [Acl(O.READ, TOPIC, "a")],
              [Acl(O.WRITE, TOPIC, "", PREFIXED)], [Acl(O.WRITE, TOPIC, "*")], [Acl(O.ALL, TOPIC, "a")],
              [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "a", permission=DENY)],
              [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "", PREFIXED, DENY)],
              [Acl(O.WRITE, TOPIC, "a", PREFIXED), Acl(O.WRITE, TOPIC, "a", permission=DENY)],
              [Acl(O.WRITE, TOPIC, "*"), Acl(O.WRITE, TOPIC, "a", PREFIXED, DENY)],
              [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "*", permission=DENY)],
              [Acl(O.WRITE, TOPIC, "a", host="10.0.0.1")], [Acl(O.WRITE, TOPIC, "a", principal="User:bob")],
              [Acl(O.WRITE, TOPIC, "a", principal="User:*")], [Acl(O.WRITE, TXN, "x")])


def fetching(talk: AclConversation, ids: dict[str, Uuid]) -> None:
    def data(version: int, replica_id: int = -1) -> FetchRequestData:
        names = ("a", "b", "none")
        return FetchRequestData(
            max_wait_ms=0, min_bytes=0, **({"replica_id": replica_id} if version < 15 else {}), topics=[
                FetchRequestData.FetchTopic(
                    **({"topic": talk.topic(name)} if version < 13 else
                       {"topic_id": ids.get(talk.topic(name), Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAg"))}),
                    partitions=[FetchRequestData.FetchPartition(
                        partition=0, fetch_offset=0, partition_max_bytes=1000)]) for name in names])

    for version in (4, 12, 16):
        talk.case("", ApiKeys.FETCH, version, data(version),
                  [Acl(O.DESCRIBE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "a")], [Acl(O.READ, TOPIC, "a")],
                  [Acl(O.READ, TOPIC, "*")])
    talk.case("as a replica", ApiKeys.FETCH, 12, data(12, 5), [Acl(O.READ, TOPIC, "a")])
    for version in (0, 1, 8):
        talk.case("", ApiKeys.LIST_OFFSETS, version, ListOffsetsRequestData(topics=[
            ListOffsetsRequestData.ListOffsetsTopic(name=talk.topic(name), partitions=[
                ListOffsetsRequestData.ListOffsetsPartition(
                    partition_index=0, timestamp=-2, **({"max_num_offsets": 1} if version == 0 else {}))])
            for name in ("a", "b", "none")]),
            [Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.READ, TOPIC, "a"), Acl(O.WRITE, TOPIC, "none")])
    talk.case("", ApiKeys.OFFSET_FOR_LEADER_EPOCH, 4, OffsetForLeaderEpochRequestData(replica_id=-1, topics=[
        OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(topic=talk.topic(name), partitions=[
            OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(partition=0, leader_epoch=0)])
        for name in ("a", "none")]),
        [Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.DESCRIBE, TOPIC, "none")], [Acl(O.CLUSTER_ACTION, CLUSTER)])
    talk.case("", ApiKeys.DESCRIBE_PRODUCERS, 0, DescribeProducersRequestData(topics=[
        DescribeProducersRequestData.TopicRequest(name=talk.topic(name), partition_indexes=[0])
        for name in ("a", "none")]),
        [Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.READ, TOPIC, "a")], [Acl(O.READ, TOPIC, "none")])


def metadata(talk: AclConversation, ids: dict[str, Uuid]) -> None:
    Topic = MetadataRequestData.MetadataRequestTopic
    for version in (1, 8, 10, 12):
        def data(*names: str, version: int = version, create: bool = False) -> MetadataRequestData:
            request = MetadataRequestData(topics=[Topic(name=talk.topic(name)) for name in names])
            if version >= 4:
                request.allow_auto_topic_creation = create
            if version >= 8:
                request.include_topic_authorized_operations = True
                request.include_cluster_authorized_operations = version <= 10
            return request

        talk.case("", ApiKeys.METADATA, version, data("a", "b", "none") if version > 1 else data("a", "b"),
                  [Acl(O.DESCRIBE, TOPIC, "a"), Acl(O.WRITE, TOPIC, "none")], [Acl(O.DESCRIBE, CLUSTER)],
                  [Acl(O.CREATE, TOPIC, "none")], [Acl(O.CREATE, CLUSTER)])
        every = data()
        every.topics = None
        talk.case("of all", ApiKeys.METADATA, version, every, [Acl(O.DESCRIBE, TOPIC, "a")],
                  [Acl(O.DESCRIBE, TOPIC, "", PREFIXED), Acl(O.DESCRIBE, TOPIC, "b", permission=DENY)])
        if version >= 4:
            talk.case("to create", ApiKeys.METADATA, version, data("auto", create=True),
                      [Acl(O.CREATE, TOPIC, "auto")], [Acl(O.DESCRIBE, TOPIC, "auto")],
                      [Acl(O.DESCRIBE, TOPIC, "auto"), Acl(O.DESCRIBE, TOPIC, "auto2")])
    known = [Topic(name=None, topic_id=ids[talk.topic(name)]) for name in ("a", "b")]
    talk.case("by id", ApiKeys.METADATA, 12, MetadataRequestData(
        topics=[*known, Topic(name=None, topic_id=Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAg"))],
        allow_auto_topic_creation=False, include_topic_authorized_operations=True),
        [Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.READ, TOPIC, "b")])
    talk.case("", ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequestData(topics=[
        DescribeTopicPartitionsRequestData.TopicRequest(name=talk.topic(name))
        for name in ("a", "b", "none")]),
        [Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.WRITE, TOPIC, "a"), Acl(O.READ, TOPIC, "none")])
    talk.case("of all", ApiKeys.DESCRIBE_TOPIC_PARTITIONS, 0, DescribeTopicPartitionsRequestData(topics=[]),
              [Acl(O.DESCRIBE, TOPIC, "a"), Acl(O.ALTER, TOPIC, "b")])
    for version in (0, 1):
        talk.case("", ApiKeys.DESCRIBE_CLUSTER, version, DescribeClusterRequestData(
            include_cluster_authorized_operations=True),
            [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.CREATE, CLUSTER)], [Acl(O.ALL, CLUSTER)])


def groups(talk: AclConversation) -> None:
    group = talk.topic("g")
    for type_, name in ((0, "g"), (1, "x")):
        kind = GROUP if type_ == 0 else TXN
        talk.case(f"of {kind.name}", ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(
            key=talk.topic(name), key_type=type_), [Acl(O.DESCRIBE, kind, name)], [Acl(O.READ, kind, name)])
        talk.case(f"of {kind.name}", ApiKeys.FIND_COORDINATOR, 4,
                  FindCoordinatorRequestData(
                      coordinator_keys=[talk.topic(name), talk.topic("other")], key_type=type_),
                  [Acl(O.DESCRIBE, kind, name)])

    def commit() -> OffsetCommitRequestData:
        return OffsetCommitRequestData(
            group_id=group, generation_id_or_member_epoch=-1, member_id="", topics=[
                OffsetCommitRequestData.OffsetCommitRequestTopic(name=talk.topic(name), partitions=[
                    OffsetCommitRequestData.OffsetCommitRequestPartition(
                        partition_index=0, committed_offset=1, committed_metadata="")])
                for name in ("a", "b", "none")])

    for version in (2, 9):
        talk.case("", ApiKeys.OFFSET_COMMIT, version, commit, [Acl(O.READ, TOPIC, "a")],
                  [Acl(O.READ, GROUP, "g")], [Acl(O.READ, GROUP, "g"), Acl(O.READ, TOPIC, "a")],
                  [Acl(O.DESCRIBE, GROUP, "g"), Acl(O.READ, TOPIC, "a")],
                  [Acl(O.READ, GROUP, "g"), Acl(O.READ, TOPIC, "a"), Acl(O.READ, TOPIC, "none")])
    talk.admin.ask(ApiKeys.OFFSET_COMMIT, 8, commit())
    names = ("a", "b", "none")
    for version in (1, 2, 7, 9):
        def fetch(topics: Iterable[str] | None, version: int = version) -> OffsetFetchRequestData:
            if version >= 8:
                return OffsetFetchRequestData(groups=[OffsetFetchRequestData.OffsetFetchRequestGroup(
                    group_id=group, topics=None if topics is None else [
                        OffsetFetchRequestData.OffsetFetchRequestTopics(
                            name=talk.topic(name), partition_indexes=[0]) for name in topics])])
            return OffsetFetchRequestData(group_id=group, topics=None if topics is None else [
                OffsetFetchRequestData.OffsetFetchRequestTopic(
                    name=talk.topic(name), partition_indexes=[0]) for name in topics])

        talk.case("", ApiKeys.OFFSET_FETCH, version, fetch(names), [Acl(O.DESCRIBE, TOPIC, "a")],
                  [Acl(O.DESCRIBE, GROUP, "g")], [Acl(O.DESCRIBE, GROUP, "g"), Acl(O.DESCRIBE, TOPIC, "a")],
                  [Acl(O.READ, GROUP, "g"), Acl(O.READ, TOPIC, "none")])
        if version >= 2:
            talk.case("of all", ApiKeys.OFFSET_FETCH, version, fetch(None), [Acl(O.DESCRIBE, TOPIC, "a")],
                      [Acl(O.DESCRIBE, GROUP, "g")],
                      [Acl(O.DESCRIBE, GROUP, "g"), Acl(O.DESCRIBE, TOPIC, "a")])
    reads = [[Acl(O.DESCRIBE, GROUP, "g")], [Acl(O.READ, GROUP, "g")]]
    talk.case("", ApiKeys.JOIN_GROUP, 9, JoinGroupRequestData(
        group_id=group, session_timeout_ms=6000, rebalance_timeout_ms=1, member_id="m",
        protocol_type="consumer", protocols=[
            JoinGroupRequestData.JoinGroupRequestProtocol(name="p", metadata=b"")]), *reads)
    talk.case("", ApiKeys.SYNC_GROUP, 5, SyncGroupRequestData(
        group_id=group, generation_id=1, member_id="m", protocol_type="consumer", protocol_name="p"), *reads)
    talk.case("", ApiKeys.HEARTBEAT, 4, HeartbeatRequestData(
        group_id=group, generation_id=1, member_id="m"), *reads)
    for version in (2, 5):
        talk.case("", ApiKeys.LEAVE_GROUP, version, LeaveGroupRequestData(
            group_id=group, **({"member_id": "m"} if version < 3 else {"members": [
                LeaveGroupRequestData.MemberIdentity(member_id="m")]})), *reads)
    for version in (2, 5):
        both = DescribeGroupsRequestData(groups=[group, talk.topic("other")])
        if version >= 3:
            both.include_authorized_operations = True
        talk.case("", ApiKeys.DESCRIBE_GROUPS, version, both, [Acl(O.DESCRIBE, GROUP, "g")],
                  [Acl(O.READ, GROUP, "g")], [Acl(O.ALL, GROUP, "g")])
    talk.case("", ApiKeys.LIST_GROUPS, 4, ListGroupsRequestData(), [Acl(O.DESCRIBE, CLUSTER)],
              [Acl(O.DESCRIBE, GROUP, "g")], [Acl(O.DESCRIBE, GROUP, "other")])
    talk.case("", ApiKeys.OFFSET_DELETE, 0, OffsetDeleteRequestData(group_id=group, topics=[
        OffsetDeleteRequestData.OffsetDeleteRequestTopic(name=talk.topic(name), partitions=[
            OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=0)])
        for name in names]),
        [Acl(O.READ, GROUP, "g")], [Acl(O.DELETE, GROUP, "g")],
        [Acl(O.DELETE, GROUP, "g"), Acl(O.READ, TOPIC, "a"), Acl(O.DESCRIBE, TOPIC, "b")])
    talk.case("", ApiKeys.DELETE_GROUPS, 2, DeleteGroupsRequestData(
        groups_names=[group, talk.topic("other")]),
        [Acl(O.READ, GROUP, "g")], [Acl(O.DELETE, GROUP, "other")], [Acl(O.DELETE, GROUP, "g")])
    talk.case("", ApiKeys.CONSUMER_GROUP_HEARTBEAT, 0, ConsumerGroupHeartbeatRequestData(
        group_id=group, member_id="m", member_epoch=1), [Acl(O.READ, GROUP, "g")])
    talk.case("", ApiKeys.CONSUMER_GROUP_DESCRIBE, 0, ConsumerGroupDescribeRequestData(group_ids=[group]),
              [Acl(O.DESCRIBE, GROUP, "g")])


_LOADING = {Errors.COORDINATOR_NOT_AVAILABLE.code, Errors.COORDINATOR_LOAD_IN_PROGRESS.code,
            Errors.NOT_COORDINATOR.code}


def _until_loaded(talk: AclConversation, api: ApiKeys, version: int, body: Message) -> Message:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        answer = talk.admin.ask(api, version, body)
        if getattr(answer, "error_code") not in _LOADING:
            return answer
        assert time.monotonic() < deadline, "still loading"
        time.sleep(0.05)


def transactions(talk: AclConversation) -> None:
    txn, group = talk.topic("x"), talk.topic("g")
    init = InitProducerIdRequestData(transactional_id=txn, transaction_timeout_ms=60_000)
    found = _until_loaded(talk, ApiKeys.INIT_PRODUCER_ID, 4, init)
    assert isinstance(found, InitProducerIdResponseData)
    producer = found.producer_id
    writes = [[Acl(O.DESCRIBE, TXN, "x")], [Acl(O.WRITE, TXN, "x")]]
    AddTopic = AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic
    # Epochs of others would pass, too: these are what is asked.
    talk.case("", ApiKeys.ADD_PARTITIONS_TO_TXN, 3, AddPartitionsToTxnRequestData(
        v3_and_below_transactional_id=txn, v3_and_below_producer_id=producer, v3_and_below_producer_epoch=0,
        v3_and_below_topics=[AddTopic(name=talk.topic(name), partitions=[0]) for name in ("a", "b", "none")]),
        *writes, [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TXN, "x")],
        [Acl(O.WRITE, TOPIC, "*"), Acl(O.WRITE, TXN, "x")])
    talk.case("of those that are", ApiKeys.ADD_PARTITIONS_TO_TXN, 3, AddPartitionsToTxnRequestData(
        v3_and_below_transactional_id=txn, v3_and_below_producer_id=producer, v3_and_below_producer_epoch=0,
        v3_and_below_topics=[AddTopic(name=talk.topic(name), partitions=[0]) for name in ("a", "b")]),
        [Acl(O.WRITE, TOPIC, "*")], [Acl(O.WRITE, TOPIC, "*"), Acl(O.WRITE, TXN, "x")])
    Transaction = AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction
    transaction = Transaction(transactional_id=txn, producer_id=producer, producer_epoch=0, verify_only=True,
                              topics=[AddTopic(name=talk.topic("a"), partitions=[0])])
    talk.case("of brokers", ApiKeys.ADD_PARTITIONS_TO_TXN, 4, AddPartitionsToTxnRequestData(
        transactions=[transaction]), [Acl(O.WRITE, TOPIC, "a"), Acl(O.WRITE, TXN, "x")],
        [Acl(O.CLUSTER_ACTION, CLUSTER)])
    talk.case("", ApiKeys.ADD_OFFSETS_TO_TXN, 3, AddOffsetsToTxnRequestData(
        transactional_id=txn, producer_id=producer, producer_epoch=0, group_id=group),
        *writes, [Acl(O.READ, GROUP, "g")], [Acl(O.WRITE, TXN, "x"), Acl(O.READ, GROUP, "g")])
    talk.case("", ApiKeys.TXN_OFFSET_COMMIT, 3, TxnOffsetCommitRequestData(
        transactional_id=txn, group_id=group, producer_id=producer, producer_epoch=0, topics=[
            TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name=talk.topic(name), partitions=[
                TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                    partition_index=0, committed_offset=1, committed_metadata="")])
            for name in ("a", "b", "none")]),
        *writes, [Acl(O.READ, GROUP, "g")], [Acl(O.WRITE, TXN, "x"), Acl(O.READ, GROUP, "g")],
        [Acl(O.WRITE, TXN, "x"), Acl(O.READ, GROUP, "g"), Acl(O.READ, TOPIC, "a")],
        [Acl(O.WRITE, TXN, "x"), Acl(O.READ, GROUP, "g"), Acl(O.READ, TOPIC, "*")])
    talk.case("", ApiKeys.DESCRIBE_TRANSACTIONS, 0, DescribeTransactionsRequestData(
        transactional_ids=[txn, talk.topic("other")]), *writes,
        [Acl(O.DESCRIBE, TXN, "x"), Acl(O.DESCRIBE, TOPIC, "a")], [Acl(O.DESCRIBE, TXN, "other")])
    talk.case("", ApiKeys.LIST_TRANSACTIONS, 1, ListTransactionsRequestData(), *writes,
              [Acl(O.DESCRIBE, TXN, "other")])
    talk.case("", ApiKeys.END_TXN, 3, EndTxnRequestData(
        transactional_id=txn, producer_id=producer, producer_epoch=0, committed=False), *writes)
    talk.case("in a transaction", ApiKeys.INIT_PRODUCER_ID, 4, InitProducerIdRequestData(
        transactional_id=talk.topic("y"), transaction_timeout_ms=60_000),
        [Acl(O.DESCRIBE, TXN, "y")], [Acl(O.IDEMPOTENT_WRITE, CLUSTER)], [Acl(O.WRITE, TXN, "y")])
    marker = WriteTxnMarkersRequestData.WritableTxnMarker(
        producer_id=producer, producer_epoch=0, transaction_result=False, coordinator_epoch=0,
        topics=[WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
            name=talk.topic("none"), partition_indexes=[0])])
    talk.case("", ApiKeys.WRITE_TXN_MARKERS, 1, WriteTxnMarkersRequestData(markers=[marker]),
              [Acl(O.WRITE, TXN, "x")], [Acl(O.CLUSTER_ACTION, CLUSTER)], [Acl(O.ALTER, CLUSTER)])


def topics(talk: AclConversation, ids: dict[str, Uuid]) -> None:
    def create(*names: str) -> CreateTopicsRequestData:
        return CreateTopicsRequestData(timeout_ms=30_000, validate_only=True, topics=[
            CreateTopicsRequestData.CreatableTopic(
                name=talk.topic(name), num_partitions=1, replication_factor=1, configs=[
                    CreateTopicsRequestData.CreateableTopicConfig(name="retention.ms", value="1")])
            for name in names])

    for version in (4, 7):
        talk.case("", ApiKeys.CREATE_TOPICS, version, create("new", "newer", "a"),
                  [Acl(O.CREATE, TOPIC, "new")], [Acl(O.CREATE, CLUSTER)],
                  [Acl(O.CREATE, TOPIC, "new", PREFIXED), Acl(O.DESCRIBE_CONFIGS, TOPIC, "new")],
                  [Acl(O.CREATE, TOPIC, "new"), Acl(O.ALTER_CONFIGS, TOPIC, "new")])
        talk.case("one twice", ApiKeys.CREATE_TOPICS, version, create("new", "new"))
    for version in (1, 3):
        more = [CreatePartitionsRequestData.CreatePartitionsTopic(
            name=talk.topic(name), count=2, assignments=None) for name in ("a", "b", "none")]
        talk.case("", ApiKeys.CREATE_PARTITIONS, version, CreatePartitionsRequestData(
            timeout_ms=30_000, validate_only=True, topics=more),
            [Acl(O.ALTER, TOPIC, "a"), Acl(O.ALTER, TOPIC, "none")], [Acl(O.ALTER, CLUSTER)])
    talk.case("", ApiKeys.DELETE_RECORDS, 2, DeleteRecordsRequestData(timeout_ms=1000, topics=[
        DeleteRecordsRequestData.DeleteRecordsTopic(name=talk.topic(name), partitions=[
            DeleteRecordsRequestData.DeleteRecordsPartition(partition_index=0, offset=1)])
        for name in ("a", "b", "none")]),
        [Acl(O.WRITE, TOPIC, "a")], [Acl(O.DELETE, TOPIC, "a"), Acl(O.DELETE, TOPIC, "none")])
    for version in (1, 5):
        talk.case("those that are not", ApiKeys.DELETE_TOPICS, version, DeleteTopicsRequestData(
            timeout_ms=30_000, topic_names=[talk.topic("none"), talk.topic("nowhere")]),
            [Acl(O.DESCRIBE, TOPIC, "none")], [Acl(O.DELETE, TOPIC, "none")], [Acl(O.DELETE, CLUSTER)])
    talk.case("", ApiKeys.DELETE_TOPICS, 5, DeleteTopicsRequestData(
        timeout_ms=30_000, topic_names=[talk.topic("d1")]),
        [Acl(O.READ, TOPIC, "d1")], [Acl(O.DELETE, TOPIC, "d1")])
    DeleteTopic = DeleteTopicsRequestData.DeleteTopicState
    talk.case("by id", ApiKeys.DELETE_TOPICS, 6, DeleteTopicsRequestData(timeout_ms=30_000, topics=[
        DeleteTopic(name=None, topic_id=ids[talk.topic("d2")]),
        DeleteTopic(name=None, topic_id=Uuid.from_string("AAAAAAAAAAAAAAAAAAAAAg"))]),
        [Acl(O.DESCRIBE, TOPIC, "d2")], [Acl(O.DELETE, TOPIC, "d2")])


def settings(talk: AclConversation) -> None:
    kinds = (("topics", 2, ("a", "b", "none"), "retention.ms", "1"),
             ("broker", 4, ("1",), "num.io.threads", "8"),
             ("all brokers", 4, ("",), "num.io.threads", "8"),
             ("loggers", 8, ("1",), "kafka.x", "INFO"), ("metrics", 16, ("m",), "interval.ms", "1000"))
    for label, kind, names, key, value in kinds:
        def named(name: str, kind: int = kind) -> str:
            return talk.topic(name) if kind == 2 else name

        mixed = [Acl(O.ALTER_CONFIGS, TOPIC, "a"), Acl(O.ALTER, TOPIC, "b"),
                 Acl(O.ALTER_CONFIGS, TOPIC, "none")]
        whole = [Acl(O.ALTER_CONFIGS, CLUSTER)]
        incremental = IncrementalAlterConfigsRequestData(validate_only=True, resources=[
            IncrementalAlterConfigsRequestData.AlterConfigsResource(
                resource_type=kind, resource_name=named(name), configs=[
                    IncrementalAlterConfigsRequestData.AlterableConfig(
                        name=key, config_operation=0, value=value)]) for name in names])
        if label == "loggers":
            # Which there are is each broker's own.
            talk.case(label, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, incremental, mixed)
            continue
        talk.case(label, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, incremental, mixed, whole)
        talk.case(label, ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(resources=[
            DescribeConfigsRequestData.DescribeConfigsResource(
                resource_type=kind, resource_name=named(name), configuration_keys=[key])
            for name in names]),
            [Acl(O.DESCRIBE_CONFIGS, TOPIC, "a"), Acl(O.ALTER_CONFIGS, TOPIC, "none")],
            [Acl(O.DESCRIBE_CONFIGS, CLUSTER)], [Acl(O.DESCRIBE, CLUSTER), Acl(O.DESCRIBE, TOPIC, "a")])
        legacy = AlterConfigsRequestData(validate_only=True, resources=[
            AlterConfigsRequestData.AlterConfigsResource(
                resource_type=kind, resource_name=named(name), configs=[
                    AlterConfigsRequestData.AlterableConfig(name=key, value=value)]) for name in names])
        talk.case(label, ApiKeys.ALTER_CONFIGS, 2, legacy, mixed, whole)
    talk.case("", ApiKeys.LIST_CLIENT_METRICS_RESOURCES, 0, ListClientMetricsResourcesRequestData(),
              [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.DESCRIBE_CONFIGS, CLUSTER)])


def quotas_and_users(talk: AclConversation) -> None:
    talk.case("", ApiKeys.DESCRIBE_CLIENT_QUOTAS, 1, DescribeClientQuotasRequestData(components=[
        DescribeClientQuotasRequestData.ComponentData(
            entity_type="client-id", match_type=0, match=talk.topic("c"))]),
        [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.DESCRIBE_CONFIGS, CLUSTER)])
    talk.case("", ApiKeys.ALTER_CLIENT_QUOTAS, 1, AlterClientQuotasRequestData(validate_only=True, entries=[
        AlterClientQuotasRequestData.EntryData(
            entity=[AlterClientQuotasRequestData.EntityData(
                entity_type="client-id", entity_name=talk.topic("c"))],
            ops=[AlterClientQuotasRequestData.OpData(key="producer_byte_rate", value=1.0)])]),
        [Acl(O.ALTER, CLUSTER)], [Acl(O.ALTER_CONFIGS, CLUSTER)])
    user = talk.topic("u")
    talk.case("", ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, 0, DescribeUserScramCredentialsRequestData(users=[
        DescribeUserScramCredentialsRequestData.UserName(name=user)]),
        [Acl(O.DESCRIBE_CONFIGS, CLUSTER)], [Acl(O.DESCRIBE, CLUSTER)])
    talk.case("", ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, 0, AlterUserScramCredentialsRequestData(deletions=[
        AlterUserScramCredentialsRequestData.ScramCredentialDeletion(name=user, mechanism=1)]),
        [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.ALTER, CLUSTER)])


def cluster(talk: AclConversation) -> None:
    describes, alters = [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.ALTER, CLUSTER)]
    topic = talk.topic("b")
    talk.case("", ApiKeys.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequestData(topics=[
        DescribeLogDirsRequestData.DescribableLogDirTopic(topic=topic, partitions=[0])]),
        [Acl(O.DESCRIBE, TOPIC, "b")], alters[:0] + [Acl(O.CREATE, CLUSTER)], describes)
    Dir = AlterReplicaLogDirsRequestData.AlterReplicaLogDir
    talk.case("", ApiKeys.ALTER_REPLICA_LOG_DIRS, 2, AlterReplicaLogDirsRequestData(dirs=[
        Dir(path="/nowhere", topics=[AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(
            name=topic, partitions=[0])])]), describes, alters)
    talk.case("", ApiKeys.ELECT_LEADERS, 2, ElectLeadersRequestData(timeout_ms=30_000, topic_partitions=[
        ElectLeadersRequestData.TopicPartitions(topic=topic, partitions=[0])]), describes, alters)
    talk.case("", ApiKeys.ALTER_PARTITION_REASSIGNMENTS, 0, AlterPartitionReassignmentsRequestData(
        timeout_ms=30_000, topics=[AlterPartitionReassignmentsRequestData.ReassignableTopic(
            name=topic, partitions=[AlterPartitionReassignmentsRequestData.ReassignablePartition(
                partition_index=0, replicas=[1])])]), describes, alters)
    talk.case("", ApiKeys.LIST_PARTITION_REASSIGNMENTS, 0, ListPartitionReassignmentsRequestData(
        timeout_ms=30_000, topics=None), [Acl(O.CREATE, CLUSTER)], describes, alters)
    talk.case("", ApiKeys.DESCRIBE_QUORUM, 1, DescribeQuorumRequestData(topics=[
        DescribeQuorumRequestData.TopicData(topic_name="__cluster_metadata", partitions=[
            DescribeQuorumRequestData.PartitionData(partition_index=0)])]),
        [Acl(O.CREATE, CLUSTER)], describes)
    talk.case("", ApiKeys.UPDATE_FEATURES, 1, UpdateFeaturesRequestData(timeout_ms=30_000, feature_updates=[
        UpdateFeaturesRequestData.FeatureUpdateKey(feature="x", max_version_level=1, upgrade_type=1)]),
        describes, alters)
    talk.case("", ApiKeys.UNREGISTER_BROKER, 0, UnregisterBrokerRequestData(broker_id=99), describes, alters)
    # No token is given out to anybody.
    talk.case("", ApiKeys.CREATE_DELEGATION_TOKEN, 3, CreateDelegationTokenRequestData(
        max_lifetime_ms=1000, owner_principal_type="User", owner_principal_name="bob"),
        [Acl(O.CREATE_TOKENS, USER, "*")])
    talk.case("", ApiKeys.RENEW_DELEGATION_TOKEN, 2, RenewDelegationTokenRequestData(
        hmac=b"x", renew_period_ms=1000))
    talk.case("", ApiKeys.EXPIRE_DELEGATION_TOKEN, 2, ExpireDelegationTokenRequestData(
        hmac=b"x", expiry_time_period_ms=1000))
    talk.case("", ApiKeys.DESCRIBE_DELEGATION_TOKEN, 3, DescribeDelegationTokenRequestData(owners=None))


def permissions(talk: AclConversation) -> None:
    """The three APIs of permissions, as alice and, with all that can be asked, as admin."""
    Creation = CreateAclsRequestData.AclCreation
    for version in versions(ApiKeys.DESCRIBE_ACLS):
        pattern_any = {} if version == 0 else {"pattern_type_filter": 1}

        def show(version: int = version, **filters: Any) -> DescribeAclsRequestData:
            return DescribeAclsRequestData(**{
                "resource_type_filter": 1, "resource_name_filter": None, "principal_filter": None,
                "host_filter": None, "operation": 1, "permission_type": 1,
                **({} if version == 0 else {"pattern_type_filter": 1}), **filters})

        talk.case("", ApiKeys.DESCRIBE_ACLS, version, show(), [Acl(O.CREATE, CLUSTER)],
                  [Acl(O.DESCRIBE, CLUSTER)], [Acl(O.ALTER, CLUSTER)])
        useless = Creation(resource_type=2, resource_name=talk.topic("z"), principal="User:carol", host="*",
                           operation=3, permission_type=3)
        talk.case("", ApiKeys.CREATE_ACLS, version, CreateAclsRequestData(creations=[useless]),
                  [Acl(O.DESCRIBE, CLUSTER)])
        nothing = DeleteAclsRequestData(filters=[DeleteAclsRequestData.DeleteAclsFilter(
            resource_type_filter=2, resource_name_filter=talk.topic("z"), principal_filter=None,
            host_filter=None, operation=1, permission_type=1, **pattern_any)])
        talk.case("", ApiKeys.DELETE_ACLS, version, nothing, [Acl(O.DESCRIBE, CLUSTER)],
                  [Acl(O.ALTER, CLUSTER)])

        talk.may()
        literal = [Creation(resource_type=type_, resource_name=name, principal=principal, host=host,
                            operation=operation, permission_type=permission)
                   for type_, name, principal, host, operation, permission in (
                       (2, talk.topic("a"), "User:carol", "*", 3, 3),
                       (2, talk.topic("a"), "User:carol", "*", 3, 3),
                       (2, talk.topic("a"), "User:carol", "10.0.0.1", 4, 2),
                       (2, "*", "User:*", "*", 8, 3),
                       (3, talk.topic("g"), "User:dave", "*", 2, 3),
                       (4, "kafka-cluster", "User:dave", "*", 7, 3),
                       (4, "another", "User:dave", "*", 7, 3),
                       (5, talk.topic("x"), "Role:r", "*", 4, 3),
                       (6, talk.topic("t"), "User:dave", "*", 8, 3),
                       (7, "User:dave", "User:carol", "*", 13, 3),
                       (2, "", "User:dave", "*", 3, 3),
                       (2, talk.topic("a b"), "User:d:e", "not an address", 12, 3))]
        talk.as_admin("of many kinds", ApiKeys.CREATE_ACLS, version, CreateAclsRequestData(creations=literal))
        if version > 0:
            talk.as_admin("of prefixes", ApiKeys.CREATE_ACLS, version, CreateAclsRequestData(creations=[
                Creation(resource_type=type_, resource_name=name, principal="User:carol", host="*",
                         operation=3, permission_type=3, resource_pattern_type=4)
                for type_, name in ((2, talk.topic("a")), (2, talk.topic("")), (3, talk.topic("g")),
                                    (4, "kafka-cluster"), (4, "kafka-"), (2, "*"))]))
        talk.as_admin("of none", ApiKeys.CREATE_ACLS, version, CreateAclsRequestData(creations=[]))
        for label, wrong in {
            "kind any": {"resource_type": 1}, "operation any": {"operation": 1},
            "permission any": {"permission_type": 1}, "kind unknown": {"resource_type": 0},
            "kind of the future": {"resource_type": 99}, "operation of the future": {"operation": 99},
            "permission of the future": {"permission_type": 99}, "operation unknown": {"operation": 0},
            "permission unknown": {"permission_type": 0},
            **({} if version == 0 else {
                "pattern any": {"resource_pattern_type": 1}, "pattern match": {"resource_pattern_type": 2},
                "pattern unknown": {"resource_pattern_type": 0},
                "pattern of the future": {"resource_pattern_type": 99}}),
        }.items():
            good = {"resource_type": 2, "resource_name": talk.topic("a"), "principal": "User:erin",
                    "host": "*", "operation": 3, "permission_type": 3}
            talk.as_admin(label, ApiKeys.CREATE_ACLS, version, CreateAclsRequestData(creations=[
                Creation(**{**good, **wrong}), Creation(**{**good, "operation": 5})]))
        talk.settle()
        filters: dict[str, dict[str, Any]] = {
            "all": {}, "by kind": {"resource_type_filter": 2},
            "by name": {"resource_type_filter": 2, "resource_name_filter": talk.topic("a")},
            "by name, whatever kind": {"resource_name_filter": talk.topic("a")},
            "by asterisk": {"resource_name_filter": "*"},
            "by no name": {"resource_name_filter": ""},
            "by principal": {"principal_filter": "User:carol"}, "by host": {"host_filter": "*"},
            "by another host": {"host_filter": "10.0.0.1"}, "by operation": {"operation": 3},
            "by all operations": {"operation": 2}, "by permission": {"permission_type": 2},
            "unknown kind": {"resource_type_filter": 0}, "kind of the future": {"resource_type_filter": 99},
            "unknown operation": {"operation": 0}, "unknown permission": {"permission_type": 0},
            "operation of the future": {"operation": 99},
            "permission of the future": {"permission_type": 99},
        }
        if version > 0:
            filters.update({
                "literal": {"pattern_type_filter": 3}, "prefixed": {"pattern_type_filter": 4},
                "literal by name": {"pattern_type_filter": 3, "resource_name_filter": talk.topic("a")},
                "prefixed by name": {"pattern_type_filter": 4, "resource_name_filter": talk.topic("a")},
                "match all": {"pattern_type_filter": 2},
                "match by name": {"pattern_type_filter": 2, "resource_name_filter": talk.topic("a")},
                "match by a longer name": {
                    "pattern_type_filter": 2, "resource_name_filter": talk.topic("abc")},
                "match by asterisk": {"pattern_type_filter": 2, "resource_name_filter": "*"},
                "match by name and kind": {"pattern_type_filter": 2, "resource_type_filter": 3,
                                           "resource_name_filter": talk.topic("group")},
                "unknown pattern": {"pattern_type_filter": 0},
                "pattern of the future": {"pattern_type_filter": 99}})
        else:
            # A prefix is nothing that version 0 could tell of.
            talk.admin.ask(ApiKeys.CREATE_ACLS, 1, CreateAclsRequestData(creations=[
                Creation(resource_type=2, resource_name=talk.topic("p"), principal="User:carol", host="*",
                         operation=3, permission_type=3, resource_pattern_type=4)]))
            talk.settle()
        for label, filter_ in filters.items():
            talk.as_admin(label, ApiKeys.DESCRIBE_ACLS, version, show(**filter_))

        def delete(*filters: dict[str, Any], version: int = version) -> DeleteAclsRequestData:
            return DeleteAclsRequestData(filters=[DeleteAclsRequestData.DeleteAclsFilter(**{
                "resource_type_filter": 1, "resource_name_filter": None, "principal_filter": None,
                "host_filter": None, "operation": 1, "permission_type": 1,
                **({} if version == 0 else {"pattern_type_filter": 1}), **filter_}) for filter_ in filters])

        for label in ("unknown kind", "kind of the future", "unknown operation", "operation of the future",
                      "permission of the future"):
            talk.as_admin(label, ApiKeys.DELETE_ACLS, version, delete(
                filters[label], {"principal_filter": "User:nobody"}))
        if version > 0:
            for label in ("unknown pattern", "pattern of the future", "match by a longer name"):
                talk.as_admin(label, ApiKeys.DELETE_ACLS, version, delete(filters[label]))
        talk.as_admin("none", ApiKeys.DELETE_ACLS, version, delete())
        talk.as_admin("that overlap", ApiKeys.DELETE_ACLS, version, delete(
            {"operation": 4}, {"principal_filter": "User:carol"}, {"principal_filter": "User:carol"}))
        talk.as_admin("the rest", ApiKeys.DELETE_ACLS, version, delete({}))
        talk.admin.ask(ApiKeys.DELETE_ACLS, 3, delete_filters(delete_filter()))
        talk.settle()


def read_recorded() -> Answers:
    """Return the answers of Kafka 3.8.0 in KRaft mode, started with ``BROKER_PROPS``."""
    return read_answers(RECORDED)


# How long a live controller may take to hear of its own change, beyond what its broker has told.
LIVE_SETTLE_S = 0.06

if __name__ == "__main__":
    host_, _, port_ = sys.argv[1].rpartition(":")
    record_answers(RECORDED, hold(connector(host_, int(port_)), f"record_{os.getpid()}_",
                                  lambda: time.sleep(LIVE_SETTLE_S)))
