# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of every API in every version, and what goes wrong with them: cut short, lying, followed by more.

``hold`` sends them all to a broker and returns what came of each: that the connection was closed, or the
answer. What Kafka 3.8.0 made of them is kept in a file, of answers only: it closes the connection of any that
is not in it. ``python -m tests.core.server.bad_requests HOST:PORT`` writes the file anew, from a broker that
has no users of SCRAM and has given out producer ids before.

All names begin with a character that no topic may have, so that whatever a broker takes for one creates and
deletes nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable, Iterator

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
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
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
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.leave_group_request_data import LeaveGroupRequestData
from kreactor.common.message.get_telemetry_subscriptions_request_data import (
    GetTelemetrySubscriptionsRequestData,
)
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
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.message.renew_delegation_token_request_data import RenewDelegationTokenRequestData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.unregister_broker_request_data import UnregisterBrokerRequestData
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.message.write_txn_markers_request_data import WriteTxnMarkersRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message import Message
from kreactor.common.uuid import Uuid
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.core.server.conversation import (
    Answers,
    Conversation,
    UNKNOWN_ID,
    connector,
    records,
    until,
    versions,
    write_json_with_records,
)
from tests.core.server.group_conversation import wait_for_coordinator
from tests.core.server.lengths import lies_of
from tests.core.server.wire import Closed, Wire, body_bytes, encode, response_data

APIS = sorted(KafkaApis.ENABLED_APIS, key=lambda api: api.id)
CASES = [(api, version) for api in APIS for version in versions(api)]

PREFIX = "@"
CLOSED = "closed"
SILENT = "silent"

ASKED = 5
# What their answers say of ids that nobody has depends on whether there is a coordinator.
OF_TRANSACTIONS = (ApiKeys.ADD_OFFSETS_TO_TXN, ApiKeys.ADD_PARTITIONS_TO_TXN, ApiKeys.DESCRIBE_TRANSACTIONS,
                   ApiKeys.END_TXN, ApiKeys.LIST_TRANSACTIONS)
# A request that every broker answers alike.
NEXT = encode(ApiKeys.SASL_HANDSHAKE, 1, SaslHandshakeRequestData(mechanism="x"), 6, None)
NEXT_ANSWER = bytes.fromhex("00000006 0022 00000000")

RECORDED = os.path.join(os.path.dirname(__file__), "bad_requests_3_8_0.json")


def sample(api: ApiKeys, version: int) -> Message:
    """Return a request with something in each of its fields, that is answered with an error."""
    name = PREFIX + "nobody"
    match api:
        case ApiKeys.PRODUCE:
            return ProduceRequestData(acks=1, timeout_ms=1000, topic_data=[
                ProduceRequestData.TopicProduceData(name=name, partition_data=[
                    ProduceRequestData.PartitionProduceData(index=0, records=records(b"a value"))])])
        case ApiKeys.FETCH:
            partition = FetchRequestData.FetchPartition(partition=0, partition_max_bytes=1000)
            data = FetchRequestData(
                max_wait_ms=100, min_bytes=1, max_bytes=10_000,
                topics=[FetchRequestData.FetchTopic(
                    topic=name if version < 13 else "", topic_id=UNKNOWN_ID, partitions=[partition])])
            if version >= 7:
                data.forgotten_topics_data = [FetchRequestData.ForgottenTopic(
                    topic=name if version < 13 else "", topic_id=UNKNOWN_ID, partitions=[1, 2])]
            if version >= 11:
                data.rack_id = "@rack"
            if version >= 12:
                data.cluster_id = "@cluster"
            return data
        case ApiKeys.LIST_OFFSETS:
            return ListOffsetsRequestData(replica_id=-1, topics=[
                ListOffsetsRequestData.ListOffsetsTopic(name=name, partitions=[
                    ListOffsetsRequestData.ListOffsetsPartition(partition_index=0, timestamp=-1)])])
        case ApiKeys.METADATA:
            return MetadataRequestData(allow_auto_topic_creation=version < 4, topics=[
                MetadataRequestData.MetadataRequestTopic(name=name),
                MetadataRequestData.MetadataRequestTopic(name=PREFIX)])
        case ApiKeys.FIND_COORDINATOR:
            if version >= 4:
                return FindCoordinatorRequestData(key_type=9, coordinator_keys=[name, PREFIX])
            return FindCoordinatorRequestData(key=name, key_type=9 if version else 0)
        case ApiKeys.SASL_HANDSHAKE:
            return SaslHandshakeRequestData(mechanism=name)
        case ApiKeys.API_VERSIONS:
            return ApiVersionsRequestData() if version < 3 else ApiVersionsRequestData(
                client_software_name="kreactor", client_software_version="1")
        case ApiKeys.CREATE_TOPICS:
            return CreateTopicsRequestData(timeout_ms=1000, validate_only=version >= 1, topics=[
                CreateTopicsRequestData.CreatableTopic(
                    name=name, num_partitions=-1, replication_factor=-1,
                    assignments=[CreateTopicsRequestData.CreatableReplicaAssignment(
                        partition_index=0, broker_ids=[1, 2])],
                    configs=[CreateTopicsRequestData.CreateableTopicConfig(
                        name="@setting", value="@value")])])
        case ApiKeys.DELETE_TOPICS:
            if version >= 6:
                return DeleteTopicsRequestData(timeout_ms=1000, topics=[
                    DeleteTopicsRequestData.DeleteTopicState(name=name)])
            return DeleteTopicsRequestData(timeout_ms=1000, topic_names=[name, PREFIX])
        case ApiKeys.INIT_PRODUCER_ID:
            data_ = InitProducerIdRequestData(transactional_id=None, transaction_timeout_ms=1000)
            if version >= 3:
                data_.producer_epoch = 5
            return data_
        case ApiKeys.ADD_PARTITIONS_TO_TXN:
            topics = [AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic(name=name, partitions=[0, 1])]
            if version < 4:
                return AddPartitionsToTxnRequestData(
                    v3_and_below_transactional_id=name, v3_and_below_producer_id=1 << 40,
                    v3_and_below_producer_epoch=7, v3_and_below_topics=topics)
            return AddPartitionsToTxnRequestData(transactions=[
                AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction(
                    transactional_id=name, producer_id=1 << 40, producer_epoch=7, verify_only=True,
                    topics=topics)])
        case ApiKeys.ADD_OFFSETS_TO_TXN:
            return AddOffsetsToTxnRequestData(
                transactional_id=name, producer_id=1 << 40, producer_epoch=7, group_id=name)
        case ApiKeys.END_TXN:
            return EndTxnRequestData(
                transactional_id=name, producer_id=1 << 40, producer_epoch=7, committed=True)
        case ApiKeys.WRITE_TXN_MARKERS:
            return WriteTxnMarkersRequestData(markers=[
                WriteTxnMarkersRequestData.WritableTxnMarker(
                    producer_id=1 << 40, producer_epoch=7, transaction_result=True, coordinator_epoch=3,
                    topics=[WriteTxnMarkersRequestData.WritableTxnMarkerTopic(
                        name=name, partition_indexes=[0, 1])])])
        case ApiKeys.DESCRIBE_PRODUCERS:
            return DescribeProducersRequestData(topics=[
                DescribeProducersRequestData.TopicRequest(name=name, partition_indexes=[0, 1])])
        case ApiKeys.DESCRIBE_TRANSACTIONS:
            return DescribeTransactionsRequestData(transactional_ids=[name, ""])
        case ApiKeys.LIST_TRANSACTIONS:
            return ListTransactionsRequestData(
                state_filters=["@state"], producer_id_filters=[1 << 62],
                duration_filter=5 if version >= 1 else -1)
        case ApiKeys.DESCRIBE_CONFIGS:
            return DescribeConfigsRequestData(resources=[
                DescribeConfigsRequestData.DescribeConfigsResource(
                    resource_type=2, resource_name=name, configuration_keys=["@setting", PREFIX])])
        case ApiKeys.DESCRIBE_CLUSTER:
            # Asked as a controller would be.
            return DescribeClusterRequestData(endpoint_type=2 if version >= 1 else 1)
        case ApiKeys.DELETE_RECORDS:
            return DeleteRecordsRequestData(timeout_ms=1000, topics=[
                DeleteRecordsRequestData.DeleteRecordsTopic(name=name, partitions=[
                    DeleteRecordsRequestData.DeleteRecordsPartition(partition_index=0, offset=5)])])
        case ApiKeys.OFFSET_FOR_LEADER_EPOCH:
            return OffsetForLeaderEpochRequestData(replica_id=-1, topics=[
                OffsetForLeaderEpochRequestData.OffsetForLeaderTopic(topic=name, partitions=[
                    OffsetForLeaderEpochRequestData.OffsetForLeaderPartition(partition=0, leader_epoch=1)])])
        case ApiKeys.DESCRIBE_ACLS:
            return DescribeAclsRequestData(
                resource_type_filter=2, resource_name_filter=name, pattern_type_filter=3,
                principal_filter="User:@me", host_filter="@here", operation=3, permission_type=3)
        case ApiKeys.CREATE_ACLS:
            return CreateAclsRequestData(creations=[CreateAclsRequestData.AclCreation(
                resource_type=2, resource_name=name, resource_pattern_type=3, principal="User:@me",
                host="@here", operation=3, permission_type=3)])
        case ApiKeys.DELETE_ACLS:
            return DeleteAclsRequestData(filters=[DeleteAclsRequestData.DeleteAclsFilter(
                resource_type_filter=2, resource_name_filter=name, pattern_type_filter=3,
                principal_filter="User:@me", host_filter="@here", operation=3, permission_type=3)])
        case ApiKeys.DESCRIBE_CLIENT_QUOTAS:
            return DescribeClientQuotasRequestData(strict=True, components=[
                DescribeClientQuotasRequestData.ComponentData(
                    entity_type="@kind", match_type=0, match="@me")])
        case ApiKeys.ALTER_CLIENT_QUOTAS:
            return AlterClientQuotasRequestData(validate_only=True, entries=[
                AlterClientQuotasRequestData.EntryData(
                    entity=[AlterClientQuotasRequestData.EntityData(
                        entity_type="@kind", entity_name="@me")],
                    ops=[AlterClientQuotasRequestData.OpData(key="@key", value=1.0)])])
        case ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS:
            return DescribeUserScramCredentialsRequestData(users=[
                DescribeUserScramCredentialsRequestData.UserName(name="@me")])
        case ApiKeys.ALTER_USER_SCRAM_CREDENTIALS:
            # No such user, and too few iterations for one.
            return AlterUserScramCredentialsRequestData(
                deletions=[AlterUserScramCredentialsRequestData.ScramCredentialDeletion(
                    name="@me", mechanism=1)],
                upsertions=[AlterUserScramCredentialsRequestData.ScramCredentialUpsertion(
                    name="@you", mechanism=2, iterations=1, salt=b"@salt", salted_password=b"@password")])
        case ApiKeys.ALTER_CONFIGS:
            return AlterConfigsRequestData(validate_only=True, resources=[
                AlterConfigsRequestData.AlterConfigsResource(resource_type=2, resource_name=name, configs=[
                    AlterConfigsRequestData.AlterableConfig(name="@setting", value="@value")])])
        case ApiKeys.ALTER_REPLICA_LOG_DIRS:
            return AlterReplicaLogDirsRequestData(dirs=[
                AlterReplicaLogDirsRequestData.AlterReplicaLogDir(path="@folder", topics=[
                    AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic(name=name, partitions=[0, 1])])])
        case ApiKeys.DESCRIBE_LOG_DIRS:
            return DescribeLogDirsRequestData(topics=[
                DescribeLogDirsRequestData.DescribableLogDirTopic(topic=name, partitions=[0, 1])])
        case ApiKeys.SASL_AUTHENTICATE:
            return SaslAuthenticateRequestData(auth_bytes=b"@nobody")
        case ApiKeys.CREATE_PARTITIONS:
            return CreatePartitionsRequestData(timeout_ms=1000, validate_only=True, topics=[
                CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=2, assignments=[
                    CreatePartitionsRequestData.CreatePartitionsAssignment(broker_ids=[1, 2])])])
        case ApiKeys.CREATE_DELEGATION_TOKEN:
            token = CreateDelegationTokenRequestData(max_lifetime_ms=1000, renewers=[
                CreateDelegationTokenRequestData.CreatableRenewers(
                    principal_type="User", principal_name="@you")])
            if version >= 3:
                token.owner_principal_type, token.owner_principal_name = "User", "@me"
            return token
        case ApiKeys.RENEW_DELEGATION_TOKEN:
            return RenewDelegationTokenRequestData(hmac=b"@hmac", renew_period_ms=1000)
        case ApiKeys.EXPIRE_DELEGATION_TOKEN:
            return ExpireDelegationTokenRequestData(hmac=b"@hmac", expiry_time_period_ms=1000)
        case ApiKeys.DESCRIBE_DELEGATION_TOKEN:
            return DescribeDelegationTokenRequestData(owners=[
                DescribeDelegationTokenRequestData.DescribeDelegationTokenOwner(
                    principal_type="User", principal_name="@me")])
        case ApiKeys.ELECT_LEADERS:
            return ElectLeadersRequestData(timeout_ms=1000, topic_partitions=[
                ElectLeadersRequestData.TopicPartitions(topic=name, partitions=[0, 1])])
        case ApiKeys.INCREMENTAL_ALTER_CONFIGS:
            return IncrementalAlterConfigsRequestData(validate_only=True, resources=[
                IncrementalAlterConfigsRequestData.AlterConfigsResource(
                    resource_type=2, resource_name=name, configs=[
                        IncrementalAlterConfigsRequestData.AlterableConfig(
                            name="@setting", config_operation=0, value="@value")])])
        case ApiKeys.ALTER_PARTITION_REASSIGNMENTS:
            return AlterPartitionReassignmentsRequestData(timeout_ms=1000, topics=[
                AlterPartitionReassignmentsRequestData.ReassignableTopic(name=name, partitions=[
                    AlterPartitionReassignmentsRequestData.ReassignablePartition(
                        partition_index=0, replicas=[1, 2])])])
        case ApiKeys.LIST_PARTITION_REASSIGNMENTS:
            return ListPartitionReassignmentsRequestData(timeout_ms=1000, topics=[
                ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics(
                    name=name, partition_indexes=[0, 1])])
        case ApiKeys.DESCRIBE_QUORUM:
            return DescribeQuorumRequestData(topics=[DescribeQuorumRequestData.TopicData(
                topic_name=name, partitions=[DescribeQuorumRequestData.PartitionData(partition_index=0)])])
        case ApiKeys.UPDATE_FEATURES:
            return UpdateFeaturesRequestData(timeout_ms=1000, feature_updates=[
                UpdateFeaturesRequestData.FeatureUpdateKey(feature=name, max_version_level=1)])
        case ApiKeys.UNREGISTER_BROKER:
            return UnregisterBrokerRequestData(broker_id=77)
        case ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS:
            return GetTelemetrySubscriptionsRequestData(client_instance_id=Uuid.ONE_UUID)
        case ApiKeys.PUSH_TELEMETRY:
            return PushTelemetryRequestData(
                client_instance_id=Uuid.ONE_UUID, compression_type=1, metrics=b"metrics")
        case ApiKeys.LIST_CLIENT_METRICS_RESOURCES:
            return ListClientMetricsResourcesRequestData()
        case ApiKeys.DESCRIBE_TOPIC_PARTITIONS:
            return DescribeTopicPartitionsRequestData(
                topics=[DescribeTopicPartitionsRequestData.TopicRequest(name=topic)
                        for topic in (name, PREFIX)],
                response_partition_limit=5,
                cursor=DescribeTopicPartitionsRequestData.Cursor(topic_name=name, partition_index=1))
    return sample_of_groups(api, version)


def sample_of_groups(api: ApiKeys, version: int) -> Message:
    name = PREFIX + "nobody"
    instance = PREFIX + "instance"
    match api:
        case ApiKeys.JOIN_GROUP:
            return JoinGroupRequestData(
                group_id=name, member_id=PREFIX, session_timeout_ms=1, protocol_type="consumer",
                rebalance_timeout_ms=2 if version else -1,
                group_instance_id=instance if version >= 5 else None,
                reason="why" if version >= 8 else None,
                protocols=[JoinGroupRequestData.JoinGroupRequestProtocol(name="range", metadata=b"data")])
        case ApiKeys.SYNC_GROUP:
            data = SyncGroupRequestData(
                group_id=name, member_id=PREFIX, generation_id=1,
                group_instance_id=instance if version >= 3 else None, assignments=[
                    SyncGroupRequestData.SyncGroupRequestAssignment(member_id=PREFIX, assignment=b"data")])
            if version >= 5:
                data.protocol_type, data.protocol_name = "consumer", "range"
            return data
        case ApiKeys.HEARTBEAT:
            return HeartbeatRequestData(group_id=name, member_id=PREFIX, generation_id=1,
                                        group_instance_id=instance if version >= 3 else None)
        case ApiKeys.LEAVE_GROUP:
            if version < 3:
                return LeaveGroupRequestData(group_id=name, member_id=PREFIX)
            return LeaveGroupRequestData(group_id=name, members=[LeaveGroupRequestData.MemberIdentity(
                member_id=PREFIX, group_instance_id=instance, reason="why" if version >= 5 else None)])
        case ApiKeys.OFFSET_COMMIT:
            commit = OffsetCommitRequestData(group_id=name, topics=[
                OffsetCommitRequestData.OffsetCommitRequestTopic(name=name, partitions=[
                    OffsetCommitRequestData.OffsetCommitRequestPartition(
                        partition_index=0, committed_offset=1, committed_metadata="why")])])
            if version >= 1:
                commit.member_id, commit.generation_id_or_member_epoch = PREFIX, 1
            if version >= 7:
                commit.group_instance_id = instance
            return commit
        case ApiKeys.OFFSET_FETCH:
            if version < 8:
                return OffsetFetchRequestData(group_id=name, require_stable=version >= 7, topics=[
                    OffsetFetchRequestData.OffsetFetchRequestTopic(name=name, partition_indexes=[0, 1])])
            group = OffsetFetchRequestData.OffsetFetchRequestGroup(group_id=name, topics=[
                OffsetFetchRequestData.OffsetFetchRequestTopics(name=name, partition_indexes=[0, 1])])
            if version >= 9:
                group.member_id, group.member_epoch = PREFIX, 1
            return OffsetFetchRequestData(groups=[group], require_stable=True)
        case ApiKeys.DESCRIBE_GROUPS:
            return DescribeGroupsRequestData(
                groups=[name, PREFIX], include_authorized_operations=version >= 3)
        case ApiKeys.LIST_GROUPS:
            return ListGroupsRequestData(states_filter=["@state"] if version >= 4 else [],
                                         types_filter=["@type"] if version >= 5 else [])
        case ApiKeys.DELETE_GROUPS:
            return DeleteGroupsRequestData(groups_names=[name, PREFIX])
        case ApiKeys.OFFSET_DELETE:
            return OffsetDeleteRequestData(group_id=name, topics=[
                OffsetDeleteRequestData.OffsetDeleteRequestTopic(name=name, partitions=[
                    OffsetDeleteRequestData.OffsetDeleteRequestPartition(partition_index=0)])])
        case ApiKeys.TXN_OFFSET_COMMIT:
            return TxnOffsetCommitRequestData(
                transactional_id=name, group_id=name, producer_id=1, producer_epoch=1, topics=[
                    TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(name=name, partitions=[
                        TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition(
                            partition_index=0, committed_offset=1, committed_metadata="why")])])
        case ApiKeys.CONSUMER_GROUP_HEARTBEAT:
            return ConsumerGroupHeartbeatRequestData(
                group_id=name, member_id=PREFIX, member_epoch=1, instance_id=instance, rack_id="@rack",
                rebalance_timeout_ms=1, subscribed_topic_names=[name], server_assignor="@assignor",
                topic_partitions=[ConsumerGroupHeartbeatRequestData.TopicPartitions(
                    topic_id=UNKNOWN_ID, partitions=[0])])
        case ApiKeys.CONSUMER_GROUP_DESCRIBE:
            return ConsumerGroupDescribeRequestData(
                group_ids=[name, PREFIX], include_authorized_operations=True)
    raise AssertionError(api)


def bodies(api: ApiKeys, version: int) -> Iterator[tuple[str, bytes]]:
    """Give what stands behind a good header, by what is wrong with it."""
    message = sample(api, version)
    good = body_bytes(message, version)
    yield "as it should be", good
    for size in range(len(good)):
        yield f"cut at {size}", good[:size]
    for claim, lie in lies_of(message, version):
        yield claim, lie
    yield "and more", good + b"\xff" * 9
    for name, byte in {"zeros": 0, "sevens": 7, "highest": 0x7F, "lowest": 0x80, "ones": 0xFF}.items():
        yield name, bytes((byte,)) * 60


# Lists that are of all topics where a request names none.
_OF_ALL_TOPICS = {(ApiKeys.DESCRIBE_LOG_DIRS, "topics"), (ApiKeys.ELECT_LEADERS, "replicaElectionResults")}

_OF_CLIENTS_METRICS = {
    ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS: (Errors.NONE, Errors.THROTTLING_QUOTA_EXCEEDED),
    ApiKeys.PUSH_TELEMETRY: (
        Errors.UNKNOWN_SUBSCRIPTION_ID, Errors.THROTTLING_QUOTA_EXCEEDED, Errors.INVALID_REQUEST)}


def _name_of(topic: dict[str, Any]) -> str:
    name: str = topic["name"] if "name" in topic else topic["topic"]
    return name


class Interview(Conversation):
    """Asks, and writes down, without what two brokers cannot agree on.

    That is the topics and groups of others; the number of a session; and who coordinates a transaction:
    nobody here yet, nor there before its topic is made.
    """

    def _clean(self, api: ApiKeys, node: Any, key: str = "") -> Any:
        if api is ApiKeys.METADATA and key == "topics" and isinstance(node, list):
            node = [topic for topic in node if not topic["name"] or topic["name"].startswith(PREFIX)]
        if (api, key) in _OF_ALL_TOPICS and isinstance(node, list):
            node = [topic for topic in node if _name_of(topic).startswith(PREFIX)]
        if api is ApiKeys.FETCH and key == "sessionId" and node > 0:
            return "SESSION"
        # What a client is told depends on when it was heard of last.
        if api in _OF_CLIENTS_METRICS and isinstance(node, dict) and (
                Errors.for_code(node["errorCode"]) in _OF_CLIENTS_METRICS[api]):
            return "TELEMETRY"
        if api is ApiKeys.FIND_COORDINATOR and isinstance(node, dict) and (
                node.get("errorCode") in (Errors.NONE.code, Errors.COORDINATOR_NOT_AVAILABLE.code)):
            return "COORDINATOR"
        return super()._clean(api, node, key)

    def ask_and_go_on(self, label: str, api: ApiKeys, version: int, body: bytes) -> None:
        """Ask, with another request right behind: if only that is answered, this one is not."""
        label = f"{api.name} v{version} {label}"
        assert label not in self.answers, label
        self.wire.socket.sendall(encode(api, version, body, ASKED, "client") + NEXT)
        try:
            answer = self.wire.receive_bytes()
            if answer == NEXT_ANSWER:
                self.answers[label] = SILENT
                return
            buffer = ByteBuffer.wrap(answer)
            header = ResponseHeaderData.read(buffer, api.response_header_version(version))
            assert header.correlation_id == ASKED, label
            message = response_data(api).read(buffer, version)
            assert not buffer.has_remaining(), f"{label}: bytes after the answer"
            self.answers[label] = self._clean(api, write_json_with_records(message, version))
            assert self.wire.receive_bytes() == NEXT_ANSWER, label
        except Closed:
            self.answers[label] = CLOSED
            self.wire.close()
            self.wire = self.connect()

    def cut_header(self, api: ApiKeys, version: int) -> None:
        """Send a request that ends within its header, at each byte of it."""
        header = encode(api, version, b"", 5, "client")[4:]
        for size in range(len(header)):
            with self.connect() as wire:
                wire.socket.sendall(size.to_bytes(4, "big") + header[:size])
                try:
                    answer = wire.receive_bytes().hex()
                except Closed:
                    answer = CLOSED
            self.answers[f"{api.name} v{version} header cut at {size}"] = answer


def hold(connect: Callable[[], Wire], cases: list[tuple[ApiKeys, int]] = CASES) -> Answers:
    """Send all that is wrong with ``cases``, and return the outcomes."""
    interview = Interview(connect, "a name of none of them")
    wait_for_coordinator(connect)
    try:
        if any(api in OF_TRANSACTIONS for api, _ in cases):
            wait_for_transactions(interview.wire)
        for api, version in cases:
            interview.cut_header(api, version)
            for label, body in bodies(api, version):
                interview.ask_and_go_on(label, api, version, body)
    finally:
        interview.close()
    return interview.answers


def wait_for_transactions(wire: Wire) -> None:
    """Wait until there is a coordinator of transactions, which asking for it makes."""
    def is_there() -> bool:
        found: Any = wire.ask(ApiKeys.FIND_COORDINATOR, 3, FindCoordinatorRequestData(key="@", key_type=1))
        described: Any = wire.ask(ApiKeys.DESCRIBE_TRANSACTIONS, 0, sample(ApiKeys.DESCRIBE_TRANSACTIONS, 0))
        listed: Any = wire.ask(ApiKeys.LIST_TRANSACTIONS, 0, ListTransactionsRequestData())
        return bool((found.error_code, listed.error_code, described.transaction_states[0].error_code) == (
            Errors.NONE.code, Errors.NONE.code, Errors.TRANSACTIONAL_ID_NOT_FOUND.code))

    until(is_there)


def read_recorded() -> Answers:
    """Return what Kafka 3.8.0 answers; it closes the connections of all others."""
    with open(RECORDED, encoding="utf-8") as file:
        return {label: answer for labels, answer in json.load(file) for label in labels}


def record(answers: Answers) -> None:
    """Write answers to the file that ``read_recorded`` reads: a line for each, with all who got it."""
    labels_of: dict[str, list[str]] = {}
    for label, answer in answers.items():
        if answer != CLOSED:
            labels_of.setdefault(json.dumps(answer, sort_keys=True), []).append(label)
    lines = [f"[{json.dumps(labels)}, {answer}]" for answer, labels in labels_of.items()]
    with open(RECORDED, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    record(hold(connector(sys.argv[1])))
