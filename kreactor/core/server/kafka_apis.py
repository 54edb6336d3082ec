# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaApis of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The handlers of all requests.

A handler thread calls ``handle``, which finds the API's handler in a table. An exception becomes an error
response, or closes the connection where the API has no response. A handler either responds before it returns,
or arranges that a later event responds. For example, a waiting fetch is completed by an appending thread or
by a timer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Callable, ClassVar, NamedTuple

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.errors import (
    ApiException,
    FencedLeaderEpochException,
    InvalidRequestException,
    InvalidTopicException,
    KafkaStorageException,
    NotLeaderOrFollowerException,
    OffsetNotAvailableException,
    UnknownLeaderEpochException,
    UnknownTopicOrPartitionException,
    UnsupportedCompressionTypeException,
    UnsupportedForMessageFormatException,
    UnsupportedVersionException,
)
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.internals.topic import Topic
from kreactor.common.message.add_offsets_to_txn_response_data import AddOffsetsToTxnResponseData
from kreactor.common.message.add_partitions_to_txn_response_data import AddPartitionsToTxnResponseData
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_replica_log_dirs_response_data import AlterReplicaLogDirsResponseData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.consumer_group_heartbeat_response_data import ConsumerGroupHeartbeatResponseData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.message.delete_records_response_data import DeleteRecordsResponseData
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.message.describe_groups_response_data import DescribeGroupsResponseData
from kreactor.common.message.describe_log_dirs_response_data import DescribeLogDirsResponseData
from kreactor.common.message.describe_producers_response_data import DescribeProducersResponseData
from kreactor.common.message.describe_transactions_response_data import DescribeTransactionsResponseData
from kreactor.common.message.end_txn_response_data import EndTxnResponseData
from kreactor.common.message.expire_delegation_token_response_data import ExpireDelegationTokenResponseData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.find_coordinator_response_data import FindCoordinatorResponseData
from kreactor.common.message.heartbeat_response_data import HeartbeatResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.init_producer_id_response_data import InitProducerIdResponseData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.message.leave_group_response_data import LeaveGroupResponseData
from kreactor.common.message.list_client_metrics_resources_response_data import (
    ListClientMetricsResourcesResponseData,
)
from kreactor.common.message.list_groups_response_data import ListGroupsResponseData
from kreactor.common.message.list_offsets_request_data import ListOffsetsRequestData
from kreactor.common.message.list_offsets_response_data import ListOffsetsResponseData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.offset_commit_request_data import OffsetCommitRequestData
from kreactor.common.message.offset_commit_response_data import OffsetCommitResponseData
from kreactor.common.message.offset_delete_request_data import OffsetDeleteRequestData
from kreactor.common.message.offset_delete_response_data import OffsetDeleteResponseData
from kreactor.common.message.offset_fetch_request_data import OffsetFetchRequestData
from kreactor.common.message.offset_fetch_response_data import OffsetFetchResponseData
from kreactor.common.message.offset_for_leader_epoch_request_data import OffsetForLeaderEpochRequestData
from kreactor.common.message.offset_for_leader_epoch_response_data import OffsetForLeaderEpochResponseData
from kreactor.common.message.renew_delegation_token_response_data import RenewDelegationTokenResponseData
from kreactor.common.message.sasl_authenticate_response_data import SaslAuthenticateResponseData
from kreactor.common.message.sasl_handshake_response_data import SaslHandshakeResponseData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.message.txn_offset_commit_request_data import TxnOffsetCommitRequestData
from kreactor.common.message.txn_offset_commit_response_data import TxnOffsetCommitResponseData
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.send import Send
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.multi_records_send import MultiRecordsSend
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_validation_stats import RecordValidationStats
from kreactor.common.replica.client_metadata import ClientMetadata
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from kreactor.common.requests.add_offsets_to_txn_response import AddOffsetsToTxnResponse
from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from kreactor.common.requests.add_partitions_to_txn_response import AddPartitionsToTxnResponse
from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
from kreactor.common.requests.alter_configs_response import AlterConfigsResponse
from kreactor.common.requests.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from kreactor.common.requests.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.requests.consumer_group_describe_request import ConsumerGroupDescribeRequest
from kreactor.common.requests.consumer_group_describe_response import ConsumerGroupDescribeResponse
from kreactor.common.requests.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from kreactor.common.requests.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse
from kreactor.common.requests.create_delegation_token_request import CreateDelegationTokenRequest
from kreactor.common.requests.create_delegation_token_response import CreateDelegationTokenResponse
from kreactor.common.requests.delete_groups_request import DeleteGroupsRequest
from kreactor.common.requests.delete_groups_response import DeleteGroupsResponse
from kreactor.common.requests.delete_records_request import DeleteRecordsRequest
from kreactor.common.requests.delete_records_response import DeleteRecordsResponse
from kreactor.common.requests.describe_client_quotas_request import DescribeClientQuotasRequest
from kreactor.common.requests.describe_client_quotas_response import DescribeClientQuotasResponse
from kreactor.common.requests.describe_cluster_response import DescribeClusterResponse
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.common.requests.describe_delegation_token_response import DescribeDelegationTokenResponse
from kreactor.common.requests.describe_groups_request import DescribeGroupsRequest
from kreactor.common.requests.describe_groups_response import DescribeGroupsResponse
from kreactor.common.requests.describe_log_dirs_request import DescribeLogDirsRequest
from kreactor.common.requests.describe_log_dirs_response import DescribeLogDirsResponse
from kreactor.common.requests.describe_producers_request import DescribeProducersRequest
from kreactor.common.requests.describe_producers_response import DescribeProducersResponse
from kreactor.common.requests.describe_topic_partitions_response import DescribeTopicPartitionsResponse
from kreactor.common.requests.describe_transactions_request import DescribeTransactionsRequest
from kreactor.common.requests.describe_transactions_response import DescribeTransactionsResponse
from kreactor.common.requests.describe_user_scram_credentials_request import (
    DescribeUserScramCredentialsRequest,
)
from kreactor.common.requests.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from kreactor.common.requests.end_txn_request import EndTxnRequest
from kreactor.common.requests.end_txn_response import EndTxnResponse
from kreactor.common.requests.expire_delegation_token_response import ExpireDelegationTokenResponse
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.requests.find_coordinator_request import FindCoordinatorRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.common.requests.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from kreactor.common.requests.heartbeat_request import HeartbeatRequest
from kreactor.common.requests.heartbeat_response import HeartbeatResponse
from kreactor.common.requests.incremental_alter_configs_request import IncrementalAlterConfigsRequest
from kreactor.common.requests.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from kreactor.common.requests.init_producer_id_request import InitProducerIdRequest
from kreactor.common.requests.init_producer_id_response import InitProducerIdResponse
from kreactor.common.requests.join_group_request import JoinGroupRequest
from kreactor.common.requests.join_group_response import JoinGroupResponse
from kreactor.common.requests.leave_group_request import LeaveGroupRequest
from kreactor.common.requests.leave_group_response import LeaveGroupResponse
from kreactor.common.requests.list_client_metrics_resources_request import ListClientMetricsResourcesRequest
from kreactor.common.requests.list_client_metrics_resources_response import ListClientMetricsResourcesResponse
from kreactor.common.requests.list_groups_request import ListGroupsRequest
from kreactor.common.requests.list_groups_response import ListGroupsResponse
from kreactor.common.requests.list_offsets_request import ListOffsetsRequest
from kreactor.common.requests.list_offsets_response import ListOffsetsResponse
from kreactor.common.requests.list_transactions_request import ListTransactionsRequest
from kreactor.common.requests.list_transactions_response import ListTransactionsResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.requests.offset_commit_request import OffsetCommitRequest
from kreactor.common.requests.offset_commit_response import OffsetCommitResponse
from kreactor.common.requests.offset_delete_request import OffsetDeleteRequest
from kreactor.common.requests.offset_delete_response import OffsetDeleteResponse
from kreactor.common.requests.offset_fetch_request import OffsetFetchRequest
from kreactor.common.requests.offset_fetch_response import OffsetFetchResponse
from kreactor.common.requests.offsets_for_leader_epoch_request import OffsetsForLeaderEpochRequest
from kreactor.common.requests.offsets_for_leader_epoch_response import OffsetsForLeaderEpochResponse
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.produce_response import ProduceResponse
from kreactor.common.requests.push_telemetry_request import PushTelemetryRequest
from kreactor.common.requests.renew_delegation_token_response import RenewDelegationTokenResponse
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.requests.sasl_authenticate_response import SaslAuthenticateResponse
from kreactor.common.requests.sasl_handshake_response import SaslHandshakeResponse
from kreactor.common.requests.sync_group_request import SyncGroupRequest
from kreactor.common.requests.sync_group_response import SyncGroupResponse
from kreactor.common.requests.txn_offset_commit_request import TxnOffsetCommitRequest
from kreactor.common.requests.txn_offset_commit_response import TxnOffsetCommitResponse
from kreactor.common.requests.write_txn_markers_request import WriteTxnMarkersRequest
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.producer_id_and_epoch import ProducerIdAndEpoch
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.group_coordinator import GroupCoordinator
from kreactor.core.cluster.partition import Partition
from kreactor.core.coordinator.transaction.transaction_coordinator import (
    InitProducerIdResult,
    TransactionCoordinator,
)
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.acl_apis import AclApis
from kreactor.core.server.add_partitions_to_txn_manager import TransactionSupportedOperation
from kreactor.core.server.api_version_manager import ApiVersionManager
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.auto_topic_creation_manager import AutoTopicCreationManager
from kreactor.core.server.broker_topic_stats import BrokerTopicStats
from kreactor.core.server.config_admin_manager import ConfigAdminManager
from kreactor.core.server.config_helper import ConfigHelper
from kreactor.core.server.controller_apis import ControllerApis
from kreactor.core.server.endpoint_type import EndpointType
from kreactor.core.server.fetch_session import FetchManager
from kreactor.core.server.handlers.describe_topic_partitions_request_handler import (
    DescribeTopicPartitionsRequestHandler,
)
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.core.server.mentions import limited_mentions
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.replica_manager import ReplicaManager
from kreactor.core.server.request_handler_helper import RequestHandlerHelper
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.server.txn_marker_appender import TxnMarkerAppender
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import Lock
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.storage.internals.log.fetch_params import FetchParams, isolation_of
from kreactor.storage.internals.log.fetch_partition_data import FetchPartitionData

# The client id that may write to Kafka's internal topics.
ADMIN_CLIENT_ID = "__admin_client"

PartitionData = FetchResponseData.PartitionData
PartitionResponse = ProduceResponse.PartitionResponse
MetadataResponseTopic = MetadataResponseData.MetadataResponseTopic
OffsetCommitRequestTopic = OffsetCommitRequestData.OffsetCommitRequestTopic
OffsetFetchRequestGroup = OffsetFetchRequestData.OffsetFetchRequestGroup
OffsetFetchResponseGroup = OffsetFetchResponseData.OffsetFetchResponseGroup
DeleteRecordsPartitionResult = DeleteRecordsResponseData.DeleteRecordsPartitionResult
AlterReplicaLogDirPartitionResult = AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult
OffsetForLeaderTopic = OffsetForLeaderEpochRequestData.OffsetForLeaderTopic
ListOffsetsPartition = ListOffsetsRequestData.ListOffsetsPartition
ListOffsetsPartitionResponse = ListOffsetsResponseData.ListOffsetsPartitionResponse
ListOffsetsTopicResponse = ListOffsetsResponseData.ListOffsetsTopicResponse

_AUTHORIZED_OPERATIONS_OMITTED = MetadataResponse.AUTHORIZED_OPERATIONS_OMITTED
# The expiry time in responses that carry no delegation token.
_ERROR_TIMESTAMP = -1
_MAGIC_V0 = RecordBatch.MAGIC_VALUE_V0
_MAGIC_V1 = RecordBatch.MAGIC_VALUE_V1
_INT_MAX_VALUE = 2**31 - 1


class LeaderNode(NamedTuple):
    """:origin: kafka.server.KafkaApis.LeaderNode"""

    leader_id: int
    leader_epoch: int
    node: Node | None


def _identity(name: str) -> str:
    return name


class KafkaApis(Logging, ApiRequestHandler):
    """For use by any thread.

    :origin: kafka.server.KafkaApis
    :origin: kafka.server.KafkaApis
    """

    # The APIs of this node: the keys of the dispatch table, which is behind the class.
    ENABLED_APIS: ClassVar[frozenset[ApiKeys]]

    def __init__(
        self,
        request_channel: RequestChannel,
        replica_manager: ReplicaManager,
        group_coordinator: GroupCoordinator,
        txn_coordinator: TransactionCoordinator,
        auto_topic_creation_manager: AutoTopicCreationManager,
        controller_apis: ControllerApis,
        broker_id: int,
        config: KafkaConfig,
        metadata_cache: MetadataCache,
        quotas: QuotaManagers,
        fetch_manager: FetchManager,
        broker_topic_stats: BrokerTopicStats,
        cluster_id: str,
        time: Time,
        api_version_manager: ApiVersionManager,
        auth_helper: AuthHelper,
        client_metrics_manager: ClientMetricsManager,
    ) -> None:
        """:origin: kafka.server.KafkaApis#KafkaApis"""
        self.request_channel = request_channel
        self.replica_manager = replica_manager
        self.group_coordinator = group_coordinator
        self._told_of_no_consumer_groups: set[str] = set()
        self.txn_coordinator = txn_coordinator
        self.auto_topic_creation_manager = auto_topic_creation_manager
        self.controller_apis = controller_apis
        self.broker_id = broker_id
        self.config = config
        self.metadata_cache = metadata_cache
        self.quotas = quotas
        self.fetch_manager = fetch_manager
        self._broker_topic_stats = broker_topic_stats
        self.cluster_id = cluster_id
        self._time = time
        self.api_version_manager = api_version_manager
        self._log_ident = f"[KafkaApi-{broker_id}] "
        self.config_helper = ConfigHelper(metadata_cache, config, metadata_cache)
        self.auth_helper = auth_helper
        self.client_metrics_manager = client_metrics_manager
        self.request_helper = RequestHandlerHelper(request_channel, quotas, time)
        self.acl_apis = AclApis(auth_helper, self.request_helper, "broker", config.node_id())
        self.config_manager = ConfigAdminManager(broker_id, config, metadata_cache)
        self.describe_topic_partitions_request_handler = DescribeTopicPartitionsRequestHandler(
            metadata_cache, auth_helper, config)
        self._txn_marker_appender = TxnMarkerAppender(config, replica_manager, group_coordinator)

    def close(self) -> None:
        """:origin: kafka.server.KafkaApis#close"""
        self.info("shutdown complete")

    def _maybe_forward_to_controller(self, request: RequestChannel.Request,
                                     handler: Callable[[RequestChannel.Request], None]) -> None:
        """Have the controller respond.

        :origin: kafka.server.KafkaApis#maybeForwardToController
        """
        # DEVIATION D80: the controller is in this process and gets the request itself, not in an envelope.
        handler(request)

    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        """Handle a request, and respond even after an unexpected exception.

        :origin: kafka.server.KafkaApis#handle
        """
        try:
            if self.is_trace_enabled():
                self.trace("handling request:%s from connection %s;securityProtocol:%s,principal:%s",
                           request.request_desc(True), request.context.connection_id,
                           request.context.security_protocol, request.context.principal)

            api_key, version = request.header().api_key(), request.header().api_version()
            if not self.api_version_manager.is_api_enabled(api_key, version):
                # The socket server refuses such a request, so this is not reached.
                raise IllegalStateException(f"API {api_key} with version {version} is not enabled")

            handler = _HANDLERS.get(api_key)
            if handler is None:
                raise IllegalStateException(f"No handler for request api key {api_key}")
            handler(self, request, request_local)
        except FatalExitError:
            raise
        except BaseException as e:
            self._handle_error(request, e)
        finally:
            # Called without any lock: see ActionQueue.
            self.replica_manager.try_complete_actions()
            # A handler may set its completion time before it returns.
            if request.api_local_complete_time_nanos < 0:
                request.api_local_complete_time_nanos = self._time.nanoseconds()

    def _handle_error(self, request: RequestChannel.Request, e: BaseException) -> None:
        """A function within ``handle`` in Kafka."""
        self.error("unexpected error handling request %s with context %s", request.request_desc(True),
                   request.context, exc=e)
        self.request_helper.handle_error(request, e)

    def _stay_silent(self, request: RequestChannel.Request) -> None:
        """Send no response to a request, as Kafka does where its error handling fails too
        (kreactor.fidelity=strict).

        The connection stays muted, and is closed as idle later.
        """
        self.error("no response to %s, as in Kafka 3.8.0", request.header())

    def try_complete_actions(self) -> None:
        """:origin: kafka.server.KafkaApis#tryCompleteActions"""
        self.replica_manager.try_complete_actions()

    def handle_offset_commit_request(self, request: RequestChannel.Request,
                                     request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleOffsetCommitRequest"""
        offset_commit_request = request.body(OffsetCommitRequest)
        data = offset_commit_request.data()

        if not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                          data.group_id):
            return self._send_error(request, offset_commit_request, Errors.GROUP_AUTHORIZATION_FAILED)
        elif self._is_instance_id_unsupported(data.group_instance_id):
            return self._send_error(request, offset_commit_request, Errors.UNSUPPORTED_VERSION)

        authorized_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.READ, ResourceType.TOPIC, data.topics, lambda topic: topic.name)

        response_builder = OffsetCommitResponse.Builder()
        authorized_topics_request: list[OffsetCommitRequestTopic] = []
        for topic in data.topics:
            if topic.name not in authorized_topics:
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.TOPIC_AUTHORIZATION_FAILED)
            elif not self.metadata_cache.contains(topic.name):
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.UNKNOWN_TOPIC_OR_PARTITION)
            else:
                topic_with_valid_partitions = OffsetCommitRequestTopic(name=topic.name)
                for partition in topic.partitions:
                    if self.metadata_cache.contains_partition(
                            TopicPartition(topic.name, partition.partition_index)):
                        topic_with_valid_partitions.partitions.append(partition)
                    else:
                        response_builder.add_partition(
                            topic.name, partition.partition_index, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                if topic_with_valid_partitions.partitions:
                    authorized_topics_request.append(topic_with_valid_partitions)

        if not authorized_topics_request:
            self.request_helper.send_maybe_throttle(request, response_builder.build())
            return CompletableFuture.completed_future(None)
        elif request.header().api_version() == 0:
            # Version 0 stores offsets in ZooKeeper.
            raise _without_zookeeper("Version 0 offset commit requests")
        else:
            return self._commit_offsets_to_coordinator(
                request, offset_commit_request, authorized_topics_request, response_builder, request_local)

    def _is_instance_id_unsupported(self, group_instance_id: str | None) -> bool:
        """Return whether the member is static and the cluster may have brokers that ignore that."""
        return group_instance_id is not None and self.config.inter_broker_protocol_version().is_less_than(
            MetadataVersion.IBP_2_3_IV0)

    def _send_error(self, request: RequestChannel.Request, request_body: AbstractRequest,
                    error: Errors | BaseException) -> CompletableFuture[None]:
        """Respond with ``error`` and nothing else."""
        response = request_body.get_error_response(
            _exception(error) if isinstance(error, Errors) else error)
        assert response is not None, "these requests have answers"
        self.request_helper.send_maybe_throttle(request, response)
        return CompletableFuture.completed_future(None)

    def _commit_offsets_to_coordinator(
        self, request: RequestChannel.Request, offset_commit_request: OffsetCommitRequest,
        authorized_topics_request: list[OffsetCommitRequestTopic],
        response_builder: OffsetCommitResponse.Builder, request_local: RequestLocal,
    ) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#commitOffsetsToCoordinator"""
        data = offset_commit_request.data()
        offset_commit_request_data = OffsetCommitRequestData(
            group_id=data.group_id,
            member_id=data.member_id,
            generation_id_or_member_epoch=data.generation_id_or_member_epoch,
            retention_time_ms=data.retention_time_ms,
            group_instance_id=data.group_instance_id,
            topics=authorized_topics_request)

        def respond(results: OffsetCommitResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, offset_commit_request, exception)
            else:
                assert results is not None
                self.request_helper.send_maybe_throttle(request, response_builder.merge(results).build())

        return self.group_coordinator.commit_offsets(
            request.context, offset_commit_request_data, request_local.buffer_supplier()).handle(respond)

    def _get_current_leader(self, tp: TopicPartition, ln: ListenerName) -> LeaderNode:
        """Return the leader of a partition, as far as this node knows it.

        :origin: kafka.server.KafkaApis#getCurrentLeader
        """
        partition_info_or_error = self.replica_manager.get_partition_or_error(tp)
        leader_id = leader_epoch = -1
        if isinstance(partition_info_or_error, Partition):
            leader = partition_info_or_error.leader_replica_id_opt()
            leader_id = -1 if leader is None else leader
            leader_epoch = partition_info_or_error.get_leader_epoch()
        else:
            self.debug("the leader of %s is not known here: %s", tp, partition_info_or_error)
            partition_info = self.metadata_cache.get_partition_info(tp.topic(), tp.partition())
            if partition_info is not None:
                leader_id, leader_epoch = partition_info.leader, partition_info.leader_epoch
        return LeaderNode(leader_id, leader_epoch, self.metadata_cache.get_alive_broker_node(leader_id, ln))

    def handle_produce_request(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        """:origin: kafka.server.KafkaApis#handleProduceRequest"""
        produce_request = request.body(ProduceRequest)
        header = request.header()
        version = header.api_version()

        if RequestUtils.has_transactional_records(produce_request):
            transactional_id = produce_request.transactional_id()
            is_authorized_transactional = transactional_id is not None and self.auth_helper.authorize(
                request.context, AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id)
            if not is_authorized_transactional:
                self.request_helper.send_error_response_maybe_throttle(
                    request, _exception(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
                return

        unauthorized_topic_responses: dict[TopicPartition, PartitionResponse] = {}
        non_existing_topic_responses: dict[TopicPartition, PartitionResponse] = {}
        invalid_request_responses: dict[TopicPartition, PartitionResponse] = {}
        authorized_request_info: dict[TopicPartition, MemoryRecords] = {}
        topic_data = produce_request.data().topic_data
        authorized_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.WRITE, ResourceType.TOPIC, topic_data, lambda topic: topic.name)

        for topic in topic_data:
            for partition in topic.partition_data:
                topic_partition = TopicPartition(topic.name, partition.index)
                memory_records = RequestUtils.records_of(partition.records)
                if topic.name not in authorized_topics:
                    unauthorized_topic_responses[topic_partition] = PartitionResponse(
                        Errors.TOPIC_AUTHORIZATION_FAILED)
                elif not self.metadata_cache.contains_partition(topic_partition):
                    non_existing_topic_responses[topic_partition] = PartitionResponse(
                        Errors.UNKNOWN_TOPIC_OR_PARTITION)
                else:
                    try:
                        ProduceRequest.validate_records(version, memory_records)
                        if not isinstance(memory_records, MemoryRecords):
                            # DEVIATION D88: Kafka hits a null pointer here, hits it again while it builds the
                            # response, and never responds. This node responds with UNKNOWN_SERVER_ERROR.
                            if self.config.is_strict():
                                self._stay_silent(request)
                                return
                            raise TypeError(f"{topic_partition} has no records in the request")
                        authorized_request_info[topic_partition] = memory_records
                    except ApiException as e:
                        invalid_request_responses[topic_partition] = PartitionResponse(
                            Errors.for_exception(e))

        def send_response_callback(response_status: Mapping[TopicPartition, PartitionResponse]) -> None:
            merged_response_status = {**response_status, **unauthorized_topic_responses,
                                      **non_existing_topic_responses, **invalid_request_responses}
            error_in_response = False

            node_endpoints: dict[int, Node] = {}
            for topic_partition, status in merged_response_status.items():
                if status.error is not Errors.NONE:
                    error_in_response = True
                    self.debug("produce request with correlation id %d from client %s on partition %s failed "
                               "due to %s", header.correlation_id(), header.client_id(), topic_partition,
                               status.error.exception_name())

                    if version >= 10 and status.error is Errors.NOT_LEADER_OR_FOLLOWER:
                        leader_node = self._get_current_leader(topic_partition, request.context.listener_name)
                        if leader_node.node is not None:
                            node_endpoints[leader_node.node.id()] = leader_node.node
                        status.current_leader.leader_id = leader_node.leader_id
                        status.current_leader.leader_epoch = leader_node.leader_epoch

            # The longer of the two throttle times counts. A request without a response has no request
            # throttle time.
            time_ms = self._time.milliseconds()
            request_size = request.size_in_bytes()
            bandwidth_throttle_time_ms = self.quotas.produce.maybe_record_and_get_throttle_time_ms(
                request, request_size, time_ms)
            request_throttle_time_ms = (
                0 if produce_request.acks() == 0
                else self.quotas.request.maybe_record_and_get_throttle_time_ms(request, time_ms))
            max_throttle_time_ms = max(bandwidth_throttle_time_ms, request_throttle_time_ms)
            if max_throttle_time_ms > 0:
                request.api_throttle_time_ms = max_throttle_time_ms
                if bandwidth_throttle_time_ms > request_throttle_time_ms:
                    self.request_helper.throttle(self.quotas.produce, request, bandwidth_throttle_time_ms)
                else:
                    self.request_helper.throttle(self.quotas.request, request, request_throttle_time_ms)

            if produce_request.acks() == 0:
                # With acks=0 there is no response. Closing the connection tells the client of the error.
                if error_in_response:
                    self.info("closing connection due to error during produce request with correlation id %d "
                              "from client id %s with ack=0; topic and partition to exceptions: %s",
                              header.correlation_id(), header.client_id(),
                              {str(tp): status.error.exception_name()
                               for tp, status in merged_response_status.items()})
                    self.request_channel.close_connection(
                        request, ProduceResponse.of(merged_response_status).error_counts())
                else:
                    self.request_helper.send_no_op_response_exempt_throttle(request)
            else:
                self.request_channel.send_response(
                    request,
                    ProduceResponse.of(merged_response_status, max_throttle_time_ms, node_endpoints.values()),
                    None)

        def processing_stats_callback(
            processing_stats: Mapping[TopicPartition, RecordValidationStats],
        ) -> None:
            for tp, info in processing_stats.items():
                self._update_record_conversion_stats(request, tp, info)

        if not authorized_request_info:
            send_response_callback({})
        else:
            internal_topics_allowed = header.client_id() == ADMIN_CLIENT_ID
            self.replica_manager.handle_produce_append(
                produce_request.timeout(), produce_request.acks(), internal_topics_allowed,
                produce_request.transactional_id(), authorized_request_info, send_response_callback,
                processing_stats_callback, request_local,
                transaction_supported_operation=(
                    TransactionSupportedOperation.generic_error if version > 10
                    else TransactionSupportedOperation.default_error))

            # An unsent response holds the request. Without this, it would also hold the records.
            produce_request.clear_partition_records()

    def handle_fetch_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleFetchRequest"""
        fetch_request = request.body(FetchRequest)
        version_id = request.header().api_version()
        client_id = request.header().client_id()
        topic_names: Mapping[Uuid, str] = {}
        if fetch_request.version() >= 13:
            topic_names = self.metadata_cache.topic_ids_to_names()

        fetch_data = fetch_request.fetch_data(topic_names)
        forgotten_topics = fetch_request.forgotten_topics(topic_names)

        is_from_follower = fetch_request.is_from_follower()
        fetch_context = self.fetch_manager.new_context(
            fetch_request.version(),
            fetch_request.metadata(),
            is_from_follower,
            fetch_data,
            forgotten_topics,
            topic_names)

        erroneous: list[tuple[TopicIdPartition, PartitionData]] = []
        interesting: list[tuple[TopicIdPartition, FetchRequest.PartitionData]] = []

        def add_erroneous(tp: TopicIdPartition, error: Errors) -> None:
            erroneous.append((tp, FetchResponse.partition_response(tp, error)))

        if is_from_follower:
            if self.auth_helper.authorize(request.context, AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER,
                                          Resource.CLUSTER_NAME):
                def add_of_follower(tp: TopicIdPartition, data: FetchRequest.PartitionData) -> None:
                    if tp.topic() is None:
                        add_erroneous(tp, Errors.UNKNOWN_TOPIC_ID)
                    elif not self.metadata_cache.contains_partition(tp.topic_partition()):
                        add_erroneous(tp, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                    else:
                        interesting.append((tp, data))

                fetch_context.foreach_partition(add_of_follower)
            else:
                fetch_context.foreach_partition(
                    lambda tp, _data: add_erroneous(tp, Errors.TOPIC_AUTHORIZATION_FAILED))
        else:
            partition_datas: list[tuple[TopicIdPartition, str, FetchRequest.PartitionData]] = []

            def add_of_consumer(tp: TopicIdPartition, data: FetchRequest.PartitionData) -> None:
                topic = tp.topic()
                if topic is None:
                    add_erroneous(tp, Errors.UNKNOWN_TOPIC_ID)
                else:
                    partition_datas.append((tp, topic, data))

            fetch_context.foreach_partition(add_of_consumer)
            authorized_topics = self.auth_helper.filter_by_authorized(
                request.context, AclOperation.READ, ResourceType.TOPIC, partition_datas,
                lambda partition_data: partition_data[1])
            for tp, topic, data in partition_datas:
                if topic not in authorized_topics:
                    add_erroneous(tp, Errors.TOPIC_AUTHORIZATION_FAILED)
                elif not self.metadata_cache.contains_partition(tp.topic_partition()):
                    add_erroneous(tp, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                else:
                    interesting.append((tp, data))

        def maybe_down_convert_storage_error(error: Errors) -> Errors:
            # Clients up to version 5 may not know KAFKA_STORAGE_ERROR, and would not retry.
            if error is Errors.KAFKA_STORAGE_ERROR and version_id <= 5:
                return Errors.NOT_LEADER_OR_FOLLOWER
            return error

        def maybe_convert_fetched_data(tp: TopicIdPartition, partition_data: PartitionData) -> PartitionData:
            log_config = self.replica_manager.get_log_config(tp.topic_partition())

            if (version_id < 10 and log_config is not None and log_config.compression is not None
                    and log_config.compression.type() is CompressionType.ZSTD):
                self.trace("partition %s is compressed with zstd, which client %s does not support", tp,
                           client_id)
                return FetchResponse.partition_response(tp, Errors.UNSUPPORTED_COMPRESSION_TYPE)
            # The log holds the newest record format. The oldest request versions know only older formats.
            if log_config is None or version_id > 3:
                return partition_data
            magic = _MAGIC_V0 if version_id <= 1 else _MAGIC_V1
            if not is_from_follower and not log_config.message_down_conversion_enable:
                self.trace("conversion of partition %s to magic %d for client %s is disabled", tp, magic,
                           client_id)
                return FetchResponse.partition_response(tp, Errors.UNSUPPORTED_VERSION)
            try:
                self.trace("down converting records from partition %s to magic %d for client %s", tp, magic,
                           client_id)
                # Only the first batch is converted here, so that an error is noticed. The rest is converted
                # piece by piece while it is sent.
                fetch_offset = fetch_context.get_fetch_offset(tp)
                assert fetch_offset is not None, "a partition of the request"
                partition_data.records = LazyDownConversionRecords(
                    tp.topic_partition(), FetchResponse.records_or_fail(partition_data), magic, fetch_offset,
                    self._time)
                return partition_data
            except UnsupportedCompressionTypeException as e:
                self.trace("unsupported compression type during down-conversion", exc=e)
                return FetchResponse.partition_response(tp, Errors.UNSUPPORTED_COMPRESSION_TYPE)

        def process_response_callback(
            response_partition_data: Sequence[tuple[TopicIdPartition, FetchPartitionData]],
        ) -> None:
            partitions: dict[TopicIdPartition, PartitionData] = {}
            reassigning_partitions: set[TopicIdPartition] = set()
            node_endpoints: dict[int, Node] = {}
            for tp, data in response_partition_data:
                if data.is_reassignment_fetch:
                    reassigning_partitions.add(tp)
                error = maybe_down_convert_storage_error(data.error)
                partition_data = PartitionData(
                    partition_index=tp.partition(),
                    error_code=error.code,
                    high_watermark=data.high_watermark,
                    last_stable_offset=(FetchResponse.INVALID_LAST_STABLE_OFFSET
                                        if data.last_stable_offset is None else data.last_stable_offset),
                    log_start_offset=data.log_start_offset,
                    aborted_transactions=data.aborted_transactions,
                    preferred_read_replica=(
                        FetchResponse.INVALID_PREFERRED_REPLICA_ID if data.preferred_read_replica is None
                        else data.preferred_read_replica),
                    records=data.records)

                if version_id >= 16 and data.error in (Errors.NOT_LEADER_OR_FOLLOWER,
                                                       Errors.FENCED_LEADER_EPOCH):
                    leader_node = self._get_current_leader(
                        tp.topic_partition(), request.context.listener_name)
                    if leader_node.node is not None:
                        node_endpoints[leader_node.node.id()] = leader_node.node
                    partition_data.current_leader.leader_id = leader_node.leader_id
                    partition_data.current_leader.leader_epoch = leader_node.leader_epoch

                if data.diverging_epoch is not None:
                    partition_data.diverging_epoch = data.diverging_epoch
                partitions[tp] = partition_data
            for tp, partition_data in erroneous:
                partition_data.records = MemoryRecords.EMPTY
                partitions[tp] = partition_data

            def create_response(unconverted_fetch_response: FetchResponse,
                                throttle_time_ms: int) -> FetchResponse:
                converted_data: dict[TopicIdPartition, PartitionData] = {}
                for topic_response in unconverted_fetch_response.data().responses:
                    for unconverted_partition_data in topic_response.partitions:
                        tp = TopicIdPartition(topic_response.topic_id, TopicPartition(
                            topic_response.topic, unconverted_partition_data.partition_index))
                        if unconverted_partition_data.error_code and self.is_debug_enabled():
                            error = Errors.for_code(unconverted_partition_data.error_code)
                            self.debug("fetch request with correlation id %d from client %s on partition %s "
                                       "failed due to %s", request.header().correlation_id(), client_id, tp,
                                       error.exception_name())
                        converted_data[tp] = maybe_convert_fetched_data(tp, unconverted_partition_data)

                response = FetchResponse.of(
                    unconverted_fetch_response.error(), throttle_time_ms,
                    unconverted_fetch_response.session_id(), converted_data, list(node_endpoints.values()))
                for topic_response in response.data().responses:
                    for data in topic_response.partitions:
                        # A partition without a topic name has no bytes.
                        if topic_response.topic:
                            tp = TopicIdPartition(topic_response.topic_id, TopicPartition(
                                topic_response.topic, data.partition_index))
                            self._broker_topic_stats.update_bytes_out(
                                topic_response.topic, is_from_follower, tp in reassigning_partitions,
                                FetchResponse.records_size(data))
                return response

            def update_conversion_stats(send: Send) -> None:
                # A loop, because a recursive closure would keep itself and the request alive until the
                # garbage collector runs.
                while type(send) is NetworkSend:
                    send = send.send()
                if isinstance(send, MultiRecordsSend):
                    for tp, stats in (send.record_conversion_stats() or {}).items():
                        self._update_record_conversion_stats(request, tp, stats)

            if is_from_follower:
                unconverted_fetch_response = fetch_context.update_and_generate_response_data(partitions)
                self.request_helper.send_response_exempt_throttle(
                    request, create_response(unconverted_fetch_response, 0), update_conversion_stats)
            else:
                # The quota counts the response's size before conversion. A throttled client gets an empty
                # response, and the recorded value is taken back.
                time_ms = self._time.milliseconds()
                response_size = fetch_context.get_response_size(partitions, version_id)
                request_throttle_time_ms = self.quotas.request.maybe_record_and_get_throttle_time_ms(
                    request, time_ms)
                bandwidth_throttle_time_ms = self.quotas.fetch.maybe_record_and_get_throttle_time_ms(
                    request, response_size, time_ms)

                max_throttle_time_ms = max(bandwidth_throttle_time_ms, request_throttle_time_ms)
                if max_throttle_time_ms > 0:
                    request.api_throttle_time_ms = max_throttle_time_ms
                    self.quotas.fetch.unrecord_quota_sensor(request, response_size, time_ms)
                    if bandwidth_throttle_time_ms > request_throttle_time_ms:
                        self.request_helper.throttle(self.quotas.fetch, request, bandwidth_throttle_time_ms)
                    else:
                        self.request_helper.throttle(self.quotas.request, request, request_throttle_time_ms)
                    unconverted_fetch_response = fetch_context.get_throttled_response(max_throttle_time_ms)
                else:
                    unconverted_fetch_response = fetch_context.update_and_generate_response_data(partitions)

                self.request_channel.send_response(
                    request, create_response(unconverted_fetch_response, max_throttle_time_ms),
                    update_conversion_stats)

        if not interesting:
            process_response_callback(())
        else:
            # A response above the quota window's maximum would never be sent.
            max_quota_window_bytes: float = _INT_MAX_VALUE
            if not is_from_follower:
                max_quota_window_bytes = self.quotas.fetch.get_max_value_in_quota_window(
                    request.session, client_id or "")

            fetch_max_bytes = int(min(
                fetch_request.max_bytes(), self.config.fetch_max_bytes(), max_quota_window_bytes))
            fetch_min_bytes = min(fetch_request.min_bytes(), fetch_max_bytes)

            client_metadata = None
            if version_id >= 11:
                # Only these versions have a preferred read replica in the response.
                client_metadata = ClientMetadata(
                    fetch_request.rack_id() or "", client_id, str(request.context.client_address),
                    request.context.principal, request.context.listener_name.value())

            params = FetchParams(
                version_id,
                fetch_request.replica_id(),
                fetch_request.replica_epoch(),
                fetch_request.max_wait(),
                fetch_min_bytes,
                fetch_max_bytes,
                isolation_of(fetch_request),
                client_metadata)

            self.replica_manager.fetch_messages(params, interesting, process_response_callback)

    def handle_list_offset_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleListOffsetRequest"""
        version = request.header().api_version()

        topics = (self._handle_list_offset_request_v0(request) if version == 0
                  else self._handle_list_offset_request_v1_and_above(request))

        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: ListOffsetsResponse(
                ListOffsetsResponseData(throttle_time_ms=request_throttle_ms, topics=topics)))

    def _handle_list_offset_request_v0(
        self, request: RequestChannel.Request,
    ) -> list[ListOffsetsTopicResponse]:
        """:origin: kafka.server.KafkaApis#handleListOffsetRequestV0"""
        header = request.header()
        offset_request = request.body(ListOffsetsRequest)

        authorized_request_info, unauthorized_request_info = self.auth_helper.partition_seq_by_authorized(
            request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, offset_request.topics(),
            lambda topic: topic.name)

        unauthorized_response_status = [
            ListOffsetsTopicResponse(name=topic.name, partitions=[
                ListOffsetsPartitionResponse(partition_index=partition.partition_index,
                                             error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code)
                for partition in topic.partitions])
            for topic in unauthorized_request_info]

        response_topics = []
        for topic in authorized_request_info:
            response_partitions = []
            for partition in topic.partitions:
                topic_partition = TopicPartition(topic.name, partition.partition_index)
                try:
                    offsets = self.replica_manager.legacy_fetch_offsets_for_timestamp(
                        topic_partition, partition.timestamp, partition.max_num_offsets,
                        offset_request.replica_id() == ListOffsetsRequest.CONSUMER_REPLICA_ID)
                    response_partitions.append(ListOffsetsPartitionResponse(
                        partition_index=partition.partition_index, error_code=Errors.NONE.code,
                        old_style_offsets=offsets))
                except Exception as e:
                    if isinstance(e, (UnknownTopicOrPartitionException, NotLeaderOrFollowerException,
                                      KafkaStorageException)):
                        # These errors pass by themselves or are the client's, so they are logged at debug
                        # level.
                        self.debug("offset request with correlation id %d from client %s on partition %s "
                                   "failed due to %s", header.correlation_id(), header.client_id(),
                                   topic_partition, e)
                    else:
                        self.error("error while responding to offset request", exc=e)
                    response_partitions.append(ListOffsetsPartitionResponse(
                        partition_index=partition.partition_index, error_code=Errors.for_exception(e).code))
            response_topics.append(ListOffsetsTopicResponse(name=topic.name, partitions=response_partitions))
        return response_topics + unauthorized_response_status

    def _handle_list_offset_request_v1_and_above(
        self, request: RequestChannel.Request,
    ) -> list[ListOffsetsTopicResponse]:
        """:origin: kafka.server.KafkaApis#handleListOffsetRequestV1AndAbove"""
        header = request.header()
        offset_request = request.body(ListOffsetsRequest)
        version = header.api_version()

        def build_error_response(e: Errors, partition: ListOffsetsPartition) -> ListOffsetsPartitionResponse:
            return ListOffsetsPartitionResponse(
                partition_index=partition.partition_index, error_code=e.code,
                timestamp=ListOffsetsResponse.UNKNOWN_TIMESTAMP, offset=ListOffsetsResponse.UNKNOWN_OFFSET)

        authorized_request_info, unauthorized_request_info = self.auth_helper.partition_seq_by_authorized(
            request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, offset_request.topics(),
            lambda topic: topic.name)

        unauthorized_response_status = [
            ListOffsetsTopicResponse(name=topic.name, partitions=[
                build_error_response(Errors.TOPIC_AUTHORIZATION_FAILED, partition)
                for partition in topic.partitions])
            for topic in unauthorized_request_info]

        def look_up(topic_partition: TopicPartition,
                    partition: ListOffsetsPartition) -> ListOffsetsPartitionResponse:
            if topic_partition in offset_request.duplicate_partitions():
                self.debug("offset request with correlation id %d from client %s failed because partition %s "
                           "is duplicated in it", header.correlation_id(), header.client_id(),
                           topic_partition)
                return build_error_response(Errors.INVALID_REQUEST, partition)
            try:
                is_client_request = offset_request.replica_id() == ListOffsetsRequest.CONSUMER_REPLICA_ID
                found = self.replica_manager.fetch_offset_for_timestamp(
                    topic_partition,
                    partition.timestamp,
                    offset_request.isolation_level() if is_client_request else None,
                    (None if partition.current_leader_epoch == ListOffsetsResponse.UNKNOWN_EPOCH
                     else partition.current_leader_epoch))
                if found is None:
                    return build_error_response(Errors.NONE, partition)
                partition_response = ListOffsetsPartitionResponse(
                    partition_index=partition.partition_index, error_code=Errors.NONE.code,
                    timestamp=found.timestamp, offset=found.offset)
                if found.leader_epoch is not None and version >= 4:
                    partition_response.leader_epoch = found.leader_epoch
                return partition_response
            except (UnknownTopicOrPartitionException, NotLeaderOrFollowerException,
                    UnknownLeaderEpochException, FencedLeaderEpochException, KafkaStorageException,
                    UnsupportedForMessageFormatException) as e:
                # These errors pass by themselves or are the client's, so they are logged at debug level.
                self.debug("offset request with correlation id %d from client %s on partition %s failed "
                           "due to %s", header.correlation_id(), header.client_id(), topic_partition, e)
                return build_error_response(Errors.for_exception(e), partition)
            except OffsetNotAvailableException as e:
                # Clients know OFFSET_NOT_AVAILABLE since version 5.
                return build_error_response(
                    Errors.for_exception(e) if version >= 5 else Errors.LEADER_NOT_AVAILABLE, partition)
            except Exception as e:
                self.error("error while responding to offset request", exc=e)
                return build_error_response(Errors.for_exception(e), partition)

        response_topics = [
            ListOffsetsTopicResponse(name=topic.name, partitions=[
                look_up(TopicPartition(topic.name, partition.partition_index), partition)
                for partition in topic.partitions])
            for topic in authorized_request_info]
        return response_topics + unauthorized_response_status

    def _metadata_response_topic(self, error: Errors, topic: str | None, topic_id: Uuid,
                                 is_internal: bool) -> MetadataResponseTopic:
        """:origin: kafka.server.KafkaApis#metadataResponseTopic"""
        return MetadataResponseTopic(error_code=error.code, name=topic, topic_id=topic_id,
                                     is_internal=is_internal, partitions=[])

    def _get_topic_metadata(
        self, request: RequestChannel.Request, fetch_all_topics: bool, allow_auto_topic_creation: bool,
        topics: Iterable[str], listener_name: ListenerName, error_unavailable_endpoints: bool,
        error_unavailable_listeners: bool,
    ) -> list[MetadataResponseTopic]:
        """:origin: kafka.server.KafkaApis#getTopicMetadata"""
        topics = list(topics)
        topic_responses = self.metadata_cache.get_topic_metadata(
            topics, listener_name, error_unavailable_endpoints, error_unavailable_listeners)

        if not topics or len(topic_responses) == len(topics) or fetch_all_topics:
            return topic_responses
        existing = {response.name for response in topic_responses}
        non_existing_topics = [topic for topic in topics if topic not in existing]
        if allow_auto_topic_creation:
            # DEVIATION D215: the strict quota, as for the CreateTopics request that a KRaft broker sends
            # here.
            controller_mutation_quota = self.quotas.controller_mutation.new_strict_quota_for(request)
            return topic_responses + self.auto_topic_creation_manager.create_topics(
                non_existing_topics, controller_mutation_quota, request.context)
        for topic in non_existing_topics:
            try:
                Topic.validate(topic)
                error = Errors.UNKNOWN_TOPIC_OR_PARTITION
            except InvalidTopicException:
                error = Errors.INVALID_TOPIC_EXCEPTION
            topic_responses.append(self._metadata_response_topic(
                error, topic, self.metadata_cache.get_topic_id(topic), Topic.is_internal(topic)))
        return topic_responses

    def handle_topic_metadata_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleTopicMetadataRequest"""
        metadata_request = request.body(MetadataRequest)
        request_version = request.header().api_version()
        data = metadata_request.data()
        is_all_topics = metadata_request.is_all_topics()

        # Versions 10 and 11 have topic ids in their format, but do not support them.
        if not is_all_topics and request_version < 12:
            for topic in data.topics or ():
                if topic.name is None:
                    raise InvalidRequestException(
                        f"Topic name can not be null for version {metadata_request.version()}")
                elif topic.topic_id != Uuid.ZERO_UUID:
                    raise InvalidRequestException(
                        f"Topic IDs are not supported in requests for version {metadata_request.version()}")

        topic_ids = dict.fromkeys(
            topic_id for topic_id in metadata_request.topic_ids() if topic_id != Uuid.ZERO_UUID)
        use_topic_id = bool(topic_ids)

        unknown_topic_ids_topic_metadata: list[MetadataResponseTopic] = []
        known_topic_names: list[str] = []
        for topic_id in topic_ids:
            name = self.metadata_cache.get_topic_name(topic_id)
            if name is None:
                unknown_topic_ids_topic_metadata.append(
                    self._metadata_response_topic(Errors.UNKNOWN_TOPIC_ID, None, topic_id, False))
            else:
                known_topic_names.append(name)

        topics: list[str]
        if is_all_topics:
            topics = list(self.metadata_cache.get_all_topics())
        elif use_topic_id:
            topics = known_topic_names
        else:
            topics = []
            for name in dict.fromkeys(metadata_request.topics() or ()):
                if name is None:
                    # Kafka hits a null pointer here, and responds as to this exception.
                    raise TypeError("A topic of the request has neither a name nor an id")
                topics.append(name)

        authorized_for_describe_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, topics, _identity,
            log_if_denied=not is_all_topics)
        authorized_topics = [topic for topic in topics if topic in authorized_for_describe_topics]
        unauthorized_for_describe_topics = [
            topic for topic in topics if topic not in authorized_for_describe_topics]
        unauthorized_for_create_topics: dict[str, None] = {}

        if authorized_topics:
            non_existing_topics = [
                topic for topic in authorized_topics if not self.metadata_cache.contains(topic)]
            if (metadata_request.allow_auto_topic_creation() and self.config.auto_create_topics_enable()
                    and non_existing_topics):
                if not self.auth_helper.authorize(request.context, AclOperation.CREATE, ResourceType.CLUSTER,
                                                  Resource.CLUSTER_NAME, log_if_denied=False):
                    authorized_for_create_topics = self.auth_helper.filter_by_authorized(
                        request.context, AclOperation.CREATE, ResourceType.TOPIC, non_existing_topics,
                        _identity)
                    unauthorized_for_create_topics = dict.fromkeys(
                        topic for topic in non_existing_topics if topic not in authorized_for_create_topics)
                    authorized_topics = [
                        topic for topic in authorized_topics if topic not in unauthorized_for_create_topics]

        unauthorized_for_create_topic_metadata = [
            self._metadata_response_topic(
                Errors.TOPIC_AUTHORIZATION_FAILED, topic, Uuid.ZERO_UUID, Topic.is_internal(topic))
            for topic in unauthorized_for_create_topics]

        # A topic that the client may not describe is not looked up by name, so the response does not tell
        # whether it exists. Its id is not secret.
        unauthorized_for_describe_topic_metadata: list[MetadataResponseTopic] = []
        if is_all_topics:
            pass
        elif use_topic_id:
            unauthorized_for_describe_topic_metadata = [
                self._metadata_response_topic(
                    Errors.TOPIC_AUTHORIZATION_FAILED, None, self.metadata_cache.get_topic_id(topic), False)
                for topic in unauthorized_for_describe_topics]
        else:
            unauthorized_for_describe_topic_metadata = [
                self._metadata_response_topic(
                    Errors.TOPIC_AUTHORIZATION_FAILED, topic, Uuid.ZERO_UUID, False)
                for topic in unauthorized_for_describe_topics]

        # In version 0 an unreachable replica is an error; later versions leave it out. Up to version 5, a
        # leader without the listener is reported as LEADER_NOT_AVAILABLE, which hides the misconfigured
        # listener.
        error_unavailable_endpoints = request_version == 0
        error_unavailable_listeners = request_version >= 6

        allow_auto_creation = (self.config.auto_create_topics_enable()
                               and metadata_request.allow_auto_topic_creation() and not is_all_topics)
        topic_metadata = self._get_topic_metadata(
            request, is_all_topics, allow_auto_creation, authorized_topics, request.context.listener_name,
            error_unavailable_endpoints, error_unavailable_listeners)

        cluster_authorized_operations = _AUTHORIZED_OPERATIONS_OMITTED
        if request_version >= 8:
            if request_version <= 10 and data.include_cluster_authorized_operations:
                if self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.CLUSTER,
                                              Resource.CLUSTER_NAME):
                    cluster_authorized_operations = self.auth_helper.authorized_operations(
                        request, Resource.CLUSTER)
                else:
                    cluster_authorized_operations = 0

            if data.include_topic_authorized_operations:
                for topic_data in topic_metadata:
                    assert topic_data.name is not None, "looked up by name"
                    topic_data.topic_authorized_operations = self.auth_helper.authorized_operations(
                        request, Resource(ResourceType.TOPIC, topic_data.name))

        complete_topic_metadata = (
            unknown_topic_ids_topic_metadata + topic_metadata + unauthorized_for_create_topic_metadata
            + unauthorized_for_describe_topic_metadata)

        brokers = self.metadata_cache.get_alive_broker_nodes(request.context.listener_name)

        self.trace("sending topic metadata %s and brokers %s for correlation id %d to client %s",
                   complete_topic_metadata, brokers, request.header().correlation_id(),
                   request.header().client_id())
        controller_id = self.metadata_cache.get_controller_id()

        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: MetadataResponse.prepare_response(
                request_version,
                request_throttle_ms,
                brokers,
                self.cluster_id,
                MetadataResponse.NO_CONTROLLER_ID if controller_id is None else controller_id,
                complete_topic_metadata,
                cluster_authorized_operations))

    def handle_describe_topic_partitions_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeTopicPartitionsRequest"""
        response = self.describe_topic_partitions_request_handler.handle_describe_topic_partitions_request(
            request)
        self.trace("sending topic partitions metadata %s for correlation id %d to client %s",
                   response.topics, request.header().correlation_id(), request.header().client_id())

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return DescribeTopicPartitionsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_offset_fetch_request(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleOffsetFetchRequest"""
        if request.header().api_version() == 0:
            # Version 0 reads offsets from ZooKeeper.
            raise _without_zookeeper("Version 0 offset fetch requests")
        return self._handle_offset_fetch_request_from_coordinator(request)

    def _handle_offset_fetch_request_from_coordinator(
        self, request: RequestChannel.Request,
    ) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleOffsetFetchRequestFromCoordinator"""
        offset_fetch_request = request.body(OffsetFetchRequest)
        groups = offset_fetch_request.groups()
        require_stable = offset_fetch_request.require_stable()

        futures: list[CompletableFuture[OffsetFetchResponseGroup]] = []
        for group_offset_fetch in limited_mentions(groups, lambda group: group.group_id):
            is_all_partitions = group_offset_fetch.topics is None
            if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.GROUP,
                                              group_offset_fetch.group_id):
                futures.append(CompletableFuture.completed_future(OffsetFetchResponseGroup(
                    group_id=group_offset_fetch.group_id,
                    error_code=Errors.GROUP_AUTHORIZATION_FAILED.code)))
            elif is_all_partitions:
                futures.append(self._fetch_all_offsets_for_group(
                    request.context, group_offset_fetch, require_stable))
            else:
                futures.append(self._fetch_offsets_for_group(
                    request.context, group_offset_fetch, require_stable))

        def respond(_value: None, _exception: BaseException | None) -> None:
            group_responses = []
            for future in futures:
                group_response = future.get()
                assert group_response is not None
                group_responses.append(group_response)
            if not futures and self.config.is_strict():
                # DEVIATION D130: the origin fails to count the errors of a response without groups, and never
                # responds.
                self._stay_silent(request)
                return
            self.request_helper.send_maybe_throttle(
                request, OffsetFetchResponse.of_version(group_responses, request.context.api_version()))

        return CompletableFuture.all_of(futures).handle(respond)

    def _fetch_all_offsets_for_group(
        self, request_context: RequestContext, offset_fetch_request: OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseGroup]:
        """:origin: kafka.server.KafkaApis#fetchAllOffsetsForGroup"""
        def authorized(offset_fetch_response: OffsetFetchResponseGroup | None,
                       exception: BaseException | None) -> OffsetFetchResponseGroup:
            if exception is not None:
                return OffsetFetchResponseGroup(
                    group_id=offset_fetch_request.group_id, error_code=Errors.for_exception(exception).code)
            assert offset_fetch_response is not None
            if offset_fetch_response.error_code != Errors.NONE.code:
                return offset_fetch_response
            # The response has no offsets of topics that the client may not describe.
            authorized_offsets, _ = self.auth_helper.partition_seq_by_authorized(
                request_context, AclOperation.DESCRIBE, ResourceType.TOPIC, offset_fetch_response.topics,
                lambda topic: topic.name)
            offset_fetch_response.topics = list(authorized_offsets)
            return offset_fetch_response

        return self.group_coordinator.fetch_all_offsets(
            request_context, offset_fetch_request, require_stable).handle(authorized)

    def _fetch_offsets_for_group(
        self, request_context: RequestContext, offset_fetch_request: OffsetFetchRequestGroup,
        require_stable: bool,
    ) -> CompletableFuture[OffsetFetchResponseGroup]:
        """:origin: kafka.server.KafkaApis#fetchOffsetsForGroup"""
        # The response has no offsets of topics that the client may not describe.
        authorized_topics, unauthorized_topics = self.auth_helper.partition_seq_by_authorized(
            request_context, AclOperation.DESCRIBE, ResourceType.TOPIC, offset_fetch_request.topics or (),
            lambda topic: topic.name)

        def completed(offset_fetch_response: OffsetFetchResponseGroup | None,
                      exception: BaseException | None) -> OffsetFetchResponseGroup:
            if exception is not None:
                return OffsetFetchResponseGroup(
                    group_id=offset_fetch_request.group_id, error_code=Errors.for_exception(exception).code)
            assert offset_fetch_response is not None
            if offset_fetch_response.error_code != Errors.NONE.code:
                return offset_fetch_response
            topics = list(offset_fetch_response.topics)
            for topic in unauthorized_topics:
                topics.append(OffsetFetchResponseData.OffsetFetchResponseTopics(name=topic.name, partitions=[
                    OffsetFetchResponseData.OffsetFetchResponsePartitions(
                        partition_index=partition_index, committed_offset=-1,
                        error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code)
                    for partition_index in topic.partition_indexes]))
            offset_fetch_response.topics = topics
            return offset_fetch_response

        return self.group_coordinator.fetch_offsets(
            request_context,
            OffsetFetchRequestGroup(
                group_id=offset_fetch_request.group_id,
                member_id=offset_fetch_request.member_id,
                member_epoch=offset_fetch_request.member_epoch,
                topics=list(authorized_topics)),
            require_stable).handle(completed)

    def handle_find_coordinator_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleFindCoordinatorRequest"""
        if request.header().api_version() < 4:
            self._handle_find_coordinator_request_less_than_v4(request)
        else:
            self._handle_find_coordinator_request_v4_and_above(request)

    def _handle_find_coordinator_request_v4_and_above(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleFindCoordinatorRequestV4AndAbove"""
        data = request.body(FindCoordinatorRequest).data()

        coordinators = []
        for key in data.coordinator_keys:
            error, node = self._get_coordinator(request, data.key_type, key)
            coordinators.append(FindCoordinatorResponseData.Coordinator(
                key=key, error_code=error.code, host=node.host() or "", node_id=node.id(), port=node.port()))

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response = FindCoordinatorResponse(FindCoordinatorResponseData(
                coordinators=coordinators, throttle_time_ms=request_throttle_ms))
            self.trace("sending FindCoordinator response %s for correlation id %d to client %s", response,
                       request.header().correlation_id(), request.header().client_id())
            return response

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def _handle_find_coordinator_request_less_than_v4(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleFindCoordinatorRequestLessThanV4"""
        data = request.body(FindCoordinatorRequest).data()

        error, node = self._get_coordinator(request, data.key_type, data.key)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response_body = FindCoordinatorResponse(FindCoordinatorResponseData(
                error_code=error.code, error_message=error.message(), node_id=node.id(),
                host=node.host() or "", port=node.port(), throttle_time_ms=request_throttle_ms))
            self.trace("sending FindCoordinator response %s for correlation id %d to client %s",
                       response_body, request.header().correlation_id(), request.header().client_id())
            return response_body

        if error is Errors.NONE:
            self.request_helper.send_response_maybe_throttle(request, create_response)
        else:
            self.request_helper.send_error_response_maybe_throttle(request, _exception(error))

    def _get_coordinator(self, request: RequestChannel.Request, key_type: int,
                         key: str) -> tuple[Errors, Node]:
        """Return the coordinator of ``key``. Raises InvalidRequestException for an unknown key type.

        :origin: kafka.server.KafkaApis#getCoordinator
        """
        coordinator_type = FindCoordinatorRequest.CoordinatorType
        if key_type == coordinator_type.GROUP.id() and not self.auth_helper.authorize(
                request.context, AclOperation.DESCRIBE, ResourceType.GROUP, key):
            return Errors.GROUP_AUTHORIZATION_FAILED, Node.no_node()
        elif key_type == coordinator_type.TRANSACTION.id() and not self.auth_helper.authorize(
                request.context, AclOperation.DESCRIBE, ResourceType.TRANSACTIONAL_ID, key):
            return Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Node.no_node()
        if coordinator_type.for_id(key_type) is coordinator_type.GROUP:
            partition, internal_topic_name = (
                self.group_coordinator.partition_for(key), Topic.GROUP_METADATA_TOPIC_NAME)
        else:
            partition, internal_topic_name = (
                self.txn_coordinator.partition_for(key), Topic.TRANSACTION_STATE_TOPIC_NAME)

        topic_metadata = self.metadata_cache.get_topic_metadata(
            (internal_topic_name,), request.context.listener_name)

        if not topic_metadata:
            controller_mutation_quota = self.quotas.controller_mutation.new_permissive_quota_for(request)
            self.auto_topic_creation_manager.create_topics(
                (internal_topic_name,), controller_mutation_quota, None)
            return Errors.COORDINATOR_NOT_AVAILABLE, Node.no_node()
        elif topic_metadata[0].error_code != Errors.NONE.code:
            return Errors.COORDINATOR_NOT_AVAILABLE, Node.no_node()
        for metadata in topic_metadata[0].partitions:
            if metadata.partition_index == partition and metadata.leader_id != MetadataResponse.NO_LEADER_ID:
                endpoint = self.metadata_cache.get_alive_broker_node(
                    metadata.leader_id, request.context.listener_name)
                if endpoint is not None:
                    return Errors.NONE, endpoint
        return Errors.COORDINATOR_NOT_AVAILABLE, Node.no_node()

    def handle_describe_groups_request(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleDescribeGroupsRequest"""
        describe_request = request.body(DescribeGroupsRequest)
        include_authorized_operations = describe_request.data().include_authorized_operations
        response = DescribeGroupsResponseData()
        authorized_groups = []

        for group_id in limited_mentions(describe_request.data().groups):
            if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.GROUP,
                                              group_id):
                response.groups.append(DescribeGroupsResponse.group_error(
                    group_id, Errors.GROUP_AUTHORIZATION_FAILED))
            else:
                authorized_groups.append(group_id)

        def respond(results: list[DescribeGroupsResponseData.DescribedGroup] | None,
                    exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, describe_request, exception)
                return
            assert results is not None
            if request.header().api_version() >= 3 and include_authorized_operations:
                for group_result in results:
                    if group_result.error_code == Errors.NONE.code:
                        group_result.authorized_operations = self.auth_helper.authorized_operations(
                            request, Resource(ResourceType.GROUP, group_result.group_id))
            response.groups.extend(results)
            self.request_helper.send_maybe_throttle(request, DescribeGroupsResponse(response))

        return self.group_coordinator.describe_groups(request.context, authorized_groups).handle(respond)

    def handle_list_groups_request(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleListGroupsRequest"""
        list_groups_request = request.body(ListGroupsRequest)
        has_cluster_describe = self.auth_helper.authorize(
            request.context, AclOperation.DESCRIBE, ResourceType.CLUSTER, Resource.CLUSTER_NAME,
            log_if_denied=False)

        def respond(response: ListGroupsResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, list_groups_request, exception)
                return
            assert response is not None
            if not has_cluster_describe:
                # A principal that may describe the cluster sees all groups, any other only the groups that it
                # may describe.
                response.groups = [
                    group for group in response.groups
                    if self.auth_helper.authorize(
                        request.context, AclOperation.DESCRIBE, ResourceType.GROUP, group.group_id,
                        log_if_denied=False)]
            self.request_helper.send_maybe_throttle(request, ListGroupsResponse(response))

        return self.group_coordinator.list_groups(
            request.context, list_groups_request.data()).handle(respond)

    def handle_join_group_request(self, request: RequestChannel.Request,
                                  request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleJoinGroupRequest"""
        join_group_request = request.body(JoinGroupRequest)
        data = join_group_request.data()

        if self._is_instance_id_unsupported(data.group_instance_id):
            return self._send_error(request, join_group_request, Errors.UNSUPPORTED_VERSION)
        elif not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                            data.group_id):
            return self._send_error(request, join_group_request, Errors.GROUP_AUTHORIZATION_FAILED)

        def respond(response: JoinGroupResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, join_group_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(
                    request, JoinGroupResponse(response, request.context.api_version()))

        return self.group_coordinator.join_group(
            request.context, data, request_local.buffer_supplier()).handle(respond)

    def handle_sync_group_request(self, request: RequestChannel.Request,
                                  request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleSyncGroupRequest"""
        sync_group_request = request.body(SyncGroupRequest)
        data = sync_group_request.data()

        if self._is_instance_id_unsupported(data.group_instance_id):
            return self._send_error(request, sync_group_request, Errors.UNSUPPORTED_VERSION)
        elif not sync_group_request.are_mandatory_protocol_type_and_name_present():
            return self._send_error(request, sync_group_request, Errors.INCONSISTENT_GROUP_PROTOCOL)
        elif not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                            data.group_id):
            return self._send_error(request, sync_group_request, Errors.GROUP_AUTHORIZATION_FAILED)

        def respond(response: SyncGroupResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, sync_group_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(request, SyncGroupResponse(response))

        return self.group_coordinator.sync_group(
            request.context, data, request_local.buffer_supplier()).handle(respond)

    def handle_delete_groups_request(self, request: RequestChannel.Request,
                                     request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleDeleteGroupsRequest"""
        delete_groups_request = request.body(DeleteGroupsRequest)
        groups = list(dict.fromkeys(delete_groups_request.data().groups_names))

        authorized_groups, unauthorized_groups = self.auth_helper.partition_seq_by_authorized(
            request.context, AclOperation.DELETE, ResourceType.GROUP, groups, _identity)

        def respond(results: list[DeleteGroupsResponseData.DeletableGroupResult] | None,
                    exception: BaseException | None) -> None:
            response = DeleteGroupsResponseData()
            if exception is not None:
                response.results = DeleteGroupsRequest.get_error_result_collection(
                    authorized_groups, Errors.for_exception(exception))
            else:
                assert results is not None
                response.results = results

            response.results.extend(DeleteGroupsRequest.get_error_result_collection(
                unauthorized_groups, Errors.GROUP_AUTHORIZATION_FAILED))

            self.request_helper.send_maybe_throttle(request, DeleteGroupsResponse(response))

        return self.group_coordinator.delete_groups(
            request.context, authorized_groups, request_local.buffer_supplier()).handle(respond)

    def handle_heartbeat_request(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleHeartbeatRequest"""
        heartbeat_request = request.body(HeartbeatRequest)
        data = heartbeat_request.data()

        if self._is_instance_id_unsupported(data.group_instance_id):
            return self._send_error(request, heartbeat_request, Errors.UNSUPPORTED_VERSION)
        elif not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                            data.group_id):
            return self._send_error(request, heartbeat_request, Errors.GROUP_AUTHORIZATION_FAILED)

        def respond(response: HeartbeatResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, heartbeat_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(request, HeartbeatResponse(response))

        return self.group_coordinator.heartbeat(request.context, data).handle(respond)

    def handle_leave_group_request(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleLeaveGroupRequest"""
        leave_group_request = request.body(LeaveGroupRequest)

        if not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                          leave_group_request.data().group_id):
            return self._send_error(request, leave_group_request, Errors.GROUP_AUTHORIZATION_FAILED)

        def respond(response: LeaveGroupResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, leave_group_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(
                    request, LeaveGroupResponse(response, leave_group_request.version()))

        return self.group_coordinator.leave_group(
            request.context, leave_group_request.normalized_data()).handle(respond)

    def handle_sasl_handshake_request(self, request: RequestChannel.Request) -> None:
        """Refuse the handshake: it is too late, or the listener has no SASL.

        :origin: kafka.server.KafkaApis#handleSaslHandshakeRequest
        """
        response_data = SaslHandshakeResponseData(error_code=Errors.ILLEGAL_SASL_STATE.code)
        self.request_helper.send_response_maybe_throttle(
            request, lambda _throttle_time_ms: SaslHandshakeResponse(response_data))

    def handle_sasl_authenticate_request(self, request: RequestChannel.Request) -> None:
        """Refuse the request, as ``handle_sasl_handshake_request`` does.

        :origin: kafka.server.KafkaApis#handleSaslAuthenticateRequest
        """
        response_data = SaslAuthenticateResponseData(
            error_code=Errors.ILLEGAL_SASL_STATE.code,
            error_message="SaslAuthenticate request received after successful authentication")
        self.request_helper.send_response_maybe_throttle(
            request, lambda _throttle_time_ms: SaslAuthenticateResponse(response_data))

    def handle_api_versions_request(self, request: RequestChannel.Request) -> None:
        """Respond to any client, authenticated or not.

        :origin: kafka.server.KafkaApis#handleApiVersionsRequest
        """
        def create_response_callback(request_throttle_ms: int) -> AbstractResponse:
            api_version_request = request.body(ApiVersionsRequest)
            if api_version_request.has_unsupported_request_version():
                return api_version_request.get_error_response_throttle(
                    request_throttle_ms, _exception(Errors.UNSUPPORTED_VERSION))
            elif not api_version_request.is_valid():
                return api_version_request.get_error_response_throttle(
                    request_throttle_ms, _exception(Errors.INVALID_REQUEST))
            return self.api_version_manager.api_version_response(request_throttle_ms)

        self.request_helper.send_response_maybe_throttle(request, create_response_callback)

    def handle_delete_records_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDeleteRecordsRequest"""
        topics = request.body(DeleteRecordsRequest).data().topics
        unanswered: dict[TopicPartition, DeleteRecordsPartitionResult] = {}
        authorized_for_delete_topic_offsets: dict[TopicPartition, int] = {}

        authorized_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.DELETE, ResourceType.TOPIC, topics, lambda topic: topic.name)
        for topic in topics:
            for partition in topic.partitions:
                topic_partition = TopicPartition(topic.name, partition.partition_index)
                if topic.name not in authorized_topics:
                    error = Errors.TOPIC_AUTHORIZATION_FAILED
                elif not self.metadata_cache.contains_partition(topic_partition):
                    error = Errors.UNKNOWN_TOPIC_OR_PARTITION
                else:
                    authorized_for_delete_topic_offsets[topic_partition] = partition.offset
                    continue
                unanswered[topic_partition] = DeleteRecordsPartitionResult(
                    partition_index=partition.partition_index,
                    low_watermark=DeleteRecordsResponse.INVALID_LOW_WATERMARK, error_code=error.code)

        def send_response_callback(
            authorized_topic_responses: dict[TopicPartition, DeleteRecordsPartitionResult],
        ) -> None:
            merged_response_status = {**authorized_topic_responses, **unanswered}
            results: dict[str, list[DeleteRecordsPartitionResult]] = {}
            for topic_partition, status in merged_response_status.items():
                if status.error_code != Errors.NONE.code:
                    self.debug("DeleteRecordsRequest with correlation id %d from client %s on partition %s "
                               "failed due to %s", request.header().correlation_id(),
                               request.header().client_id(), topic_partition,
                               Errors.for_code(status.error_code))
                results.setdefault(topic_partition.topic(), []).append(status)
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: DeleteRecordsResponse(DeleteRecordsResponseData(
                    throttle_time_ms=request_throttle_ms,
                    topics=[DeleteRecordsResponseData.DeleteRecordsTopicResult(name=name, partitions=statuses)
                            for name, statuses in results.items()])))

        if not authorized_for_delete_topic_offsets:
            send_response_callback({})
        else:
            self.replica_manager.delete_records(authorized_for_delete_topic_offsets, send_response_callback)

    def handle_init_producer_id_request(self, request: RequestChannel.Request,
                                        request_local: RequestLocal) -> None:
        """:origin: kafka.server.KafkaApis#handleInitProducerIdRequest"""
        init_producer_id_request = request.body(InitProducerIdRequest)
        data = init_producer_id_request.data()
        transactional_id = data.transactional_id

        if transactional_id is not None:
            if not self.auth_helper.authorize(request.context, AclOperation.WRITE,
                                              ResourceType.TRANSACTIONAL_ID, transactional_id):
                self.request_helper.send_error_response_maybe_throttle(
                    request, _exception(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
                return
        elif not self.auth_helper.authorize(
                request.context, AclOperation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, Resource.CLUSTER_NAME,
                True, False) and not self.auth_helper.authorize_by_resource_type(
                request.context, AclOperation.WRITE, ResourceType.TOPIC):
            self.request_helper.send_error_response_maybe_throttle(
                request, _exception(Errors.CLUSTER_AUTHORIZATION_FAILED))
            return

        def send_response_callback(result: InitProducerIdResult) -> None:
            def create_response(request_throttle_ms: int) -> AbstractResponse:
                final_error = result.error
                if init_producer_id_request.version() < 4 and result.error is Errors.PRODUCER_FENCED:
                    # Clients below version 4 know this error, and not PRODUCER_FENCED.
                    final_error = Errors.INVALID_PRODUCER_EPOCH
                response_body = InitProducerIdResponse(InitProducerIdResponseData(
                    producer_id=result.producer_id, producer_epoch=result.producer_epoch,
                    throttle_time_ms=request_throttle_ms, error_code=final_error.code))
                self.trace("completed %s's InitProducerIdRequest with result %s from client %s",
                           transactional_id, result, request.header().client_id())
                return response_body

            self.request_helper.send_response_maybe_throttle(request, create_response)

        has_id = data.producer_id != RecordBatch.NO_PRODUCER_ID
        has_epoch = data.producer_epoch != RecordBatch.NO_PRODUCER_EPOCH
        if has_id is not has_epoch:
            self.request_helper.send_error_response_maybe_throttle(
                request, _exception(Errors.INVALID_REQUEST))
            return
        self.txn_coordinator.handle_init_producer_id(
            transactional_id, data.transaction_timeout_ms,
            ProducerIdAndEpoch(data.producer_id, data.producer_epoch) if has_id else None,
            send_response_callback, request_local)

    def handle_end_txn_request(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        """:origin: kafka.server.KafkaApis#handleEndTxnRequest"""
        end_txn_request = request.body(EndTxnRequest)
        data = end_txn_request.data()

        def send_response_callback(error: Errors) -> None:
            def create_response(request_throttle_ms: int) -> AbstractResponse:
                # Clients below version 2 know this error, and not PRODUCER_FENCED.
                final_error = (
                    Errors.INVALID_PRODUCER_EPOCH
                    if end_txn_request.version() < 2 and error is Errors.PRODUCER_FENCED else error)
                response_body = EndTxnResponse(EndTxnResponseData(
                    error_code=final_error.code, throttle_time_ms=request_throttle_ms))
                self.trace("completed %s's EndTxnRequest with committed: %s, errors: %s from client %s",
                           data.transactional_id, data.committed, error, request.header().client_id())
                return response_body

            self.request_helper.send_response_maybe_throttle(request, create_response)

        if self.auth_helper.authorize(
                request.context, AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, data.transactional_id):
            self.txn_coordinator.handle_end_transaction(
                data.transactional_id, data.producer_id, data.producer_epoch, end_txn_request.result(),
                send_response_callback, request_local)
        else:
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: EndTxnResponse(EndTxnResponseData(
                    error_code=Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code,
                    throttle_time_ms=request_throttle_ms)))

    def handle_write_txn_markers_request(self, request: RequestChannel.Request,
                                         request_local: RequestLocal) -> None:
        """Write the markers with TxnMarkerAppender, which the coordinator also uses.

        :origin: kafka.server.KafkaApis#handleWriteTxnMarkersRequest
        """
        # Allowed for principals that may alter the cluster, and for brokers.
        if not self.auth_helper.authorize(request.context, AclOperation.ALTER, ResourceType.CLUSTER,
                                          Resource.CLUSTER_NAME, log_if_denied=False):
            self.auth_helper.authorize_cluster_operation(request, AclOperation.CLUSTER_ACTION)
        self._txn_marker_appender.append(
            request.body(WriteTxnMarkersRequest).markers(), request_local,
            lambda response: self.request_helper.send_response_exempt_throttle(request, response))

    def handle_add_partitions_to_txn_request(self, request: RequestChannel.Request,
                                             request_local: RequestLocal) -> None:
        """:origin: kafka.server.KafkaApis#handleAddPartitionsToTxnRequest"""
        add_partitions_to_txn_request = request.body(AddPartitionsToTxnRequest)
        version = add_partitions_to_txn_request.version()
        if version < 4:
            add_partitions_to_txn_request = add_partitions_to_txn_request.normalize_request()
        responses: list[AddPartitionsToTxnResponseData.AddPartitionsToTxnResult] = []
        partitions_by_transaction = add_partitions_to_txn_request.partitions_by_transaction()

        # Versions from 4 on are for requests between brokers.
        if version >= 4:
            self.auth_helper.authorize_cluster_operation(request, AclOperation.CLUSTER_ACTION)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            data = AddPartitionsToTxnResponseData(throttle_time_ms=request_throttle_ms)
            if version < 4:
                # There is exactly one result.
                for result in responses:
                    data.results_by_topic_v3_and_below = result.topic_results
            else:
                data.results_by_transaction = responses
            return AddPartitionsToTxnResponse(data)

        txns = add_partitions_to_txn_request.data().transactions
        lock = Lock()

        def add_result_and_maybe_send_response(
            result: AddPartitionsToTxnResponseData.AddPartitionsToTxnResult,
        ) -> None:
            with lock:
                responses.append(result)
                can_send = len(responses) == len(txns)
            if can_send:
                self.request_helper.send_response_maybe_throttle(request, create_response)

        if not txns and self.config.is_strict():
            self._stay_silent(request)
        elif not txns:
            # DEVIATION D141: the origin never responds to a request without transactions.
            self.request_helper.send_response_maybe_throttle(request, create_response)

        for transaction in txns:
            transactional_id = transaction.transactional_id
            partitions_to_add = partitions_by_transaction[transactional_id]

            if version < 4 and not self.auth_helper.authorize(
                    request.context, AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
                add_result_and_maybe_send_response(
                    add_partitions_to_txn_request.error_response_for_transaction(
                        transactional_id, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
                continue
            unauthorized_topic_errors: dict[TopicPartition, Errors] = {}
            non_existing_topic_errors: dict[TopicPartition, Errors] = {}
            authorized_partitions: dict[TopicPartition, None] = {}

            authorized_topics = (
                self.auth_helper.filter_by_authorized(
                    request.context, AclOperation.WRITE, ResourceType.TOPIC,
                    [tp for tp in partitions_to_add if not Topic.is_internal(tp.topic())],
                    TopicPartition.topic)
                if version < 4 else {tp.topic() for tp in partitions_to_add})
            for topic_partition in partitions_to_add:
                if topic_partition.topic() not in authorized_topics:
                    unauthorized_topic_errors[topic_partition] = Errors.TOPIC_AUTHORIZATION_FAILED
                elif not self.metadata_cache.contains_partition(topic_partition):
                    non_existing_topic_errors[topic_partition] = Errors.UNKNOWN_TOPIC_OR_PARTITION
                else:
                    authorized_partitions[topic_partition] = None

            if unauthorized_topic_errors or non_existing_topic_errors:
                # Either all partitions of the transaction are added or none.
                add_result_and_maybe_send_response(AddPartitionsToTxnResponse.result_for_transaction(
                    transactional_id,
                    {**unauthorized_topic_errors, **non_existing_topic_errors,
                     **dict.fromkeys(authorized_partitions, Errors.OPERATION_NOT_ATTEMPTED)}))
                continue

            def send_response_callback(error: Errors, transactional_id: str = transactional_id) -> None:
                # Clients below version 2 know this error, and not PRODUCER_FENCED.
                final_error = (
                    Errors.INVALID_PRODUCER_EPOCH if version < 2 and error is Errors.PRODUCER_FENCED
                    else error)
                add_result_and_maybe_send_response(
                    add_partitions_to_txn_request.error_response_for_transaction(
                        transactional_id, final_error))

            if not transaction.verify_only:
                self.txn_coordinator.handle_add_partitions_to_transaction(
                    transactional_id, transaction.producer_id, transaction.producer_epoch,
                    authorized_partitions, send_response_callback, request_local)
            else:
                self.txn_coordinator.handle_verify_partitions_in_transaction(
                    transactional_id, transaction.producer_id, transaction.producer_epoch,
                    authorized_partitions, add_result_and_maybe_send_response)

    def handle_add_offsets_to_txn_request(self, request: RequestChannel.Request,
                                          request_local: RequestLocal) -> None:
        """:origin: kafka.server.KafkaApis#handleAddOffsetsToTxnRequest"""
        add_offsets_to_txn_request = request.body(AddOffsetsToTxnRequest)
        data = add_offsets_to_txn_request.data()
        transactional_id, group_id = data.transactional_id, data.group_id
        offset_topic_partition = TopicPartition(
            Topic.GROUP_METADATA_TOPIC_NAME, self.group_coordinator.partition_for(group_id))

        def send_response_callback(error: Errors) -> None:
            def create_response(request_throttle_ms: int) -> AbstractResponse:
                # Clients below version 2 know this error, and not PRODUCER_FENCED.
                final_error = (
                    Errors.INVALID_PRODUCER_EPOCH
                    if add_offsets_to_txn_request.version() < 2 and error is Errors.PRODUCER_FENCED
                    else error)
                response_body = AddOffsetsToTxnResponse(AddOffsetsToTxnResponseData(
                    error_code=final_error.code, throttle_time_ms=request_throttle_ms))
                self.trace("completed %s's AddOffsetsToTxnRequest for group %s on partition %s: errors: %s "
                           "from client %s", transactional_id, group_id, offset_topic_partition, error,
                           request.header().client_id())
                return response_body

            self.request_helper.send_response_maybe_throttle(request, create_response)

        if not self.auth_helper.authorize(
                request.context, AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID, transactional_id):
            send_response_callback(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
        elif not self.auth_helper.authorize(
                request.context, AclOperation.READ, ResourceType.GROUP, group_id):
            send_response_callback(Errors.GROUP_AUTHORIZATION_FAILED)
        else:
            self.txn_coordinator.handle_add_partitions_to_transaction(
                transactional_id, data.producer_id, data.producer_epoch, (offset_topic_partition,),
                send_response_callback, request_local)

    def handle_txn_offset_commit_request(self, request: RequestChannel.Request,
                                         request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleTxnOffsetCommitRequest"""
        txn_offset_commit_request = request.body(TxnOffsetCommitRequest)
        data = txn_offset_commit_request.data()

        def send_response(response: TxnOffsetCommitResponse) -> None:
            if txn_offset_commit_request.version() < 2:
                # For older producers COORDINATOR_LOAD_IN_PROGRESS may be fatal.
                for topic in response.data().topics:
                    for partition in topic.partitions:
                        if partition.error_code == Errors.COORDINATOR_LOAD_IN_PROGRESS.code:
                            partition.error_code = Errors.COORDINATOR_NOT_AVAILABLE.code
            self.request_helper.send_maybe_throttle(request, response)

        def send_error(error: BaseException) -> CompletableFuture[None]:
            send_response(txn_offset_commit_request.get_error_response_throttle(
                AbstractResponse.DEFAULT_THROTTLE_TIME, error))
            return CompletableFuture.completed_future(None)

        # A principal that may use the transactional id may use the id's producer id.
        if not self.auth_helper.authorize(request.context, AclOperation.WRITE, ResourceType.TRANSACTIONAL_ID,
                                          data.transactional_id):
            return send_error(_exception(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
        elif not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                            data.group_id):
            return send_error(_exception(Errors.GROUP_AUTHORIZATION_FAILED))

        authorized_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.READ, ResourceType.TOPIC, data.topics, lambda topic: topic.name)

        response_builder = TxnOffsetCommitResponse.Builder()
        authorized_topic_committed_offsets: list[TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic] = []
        for topic in data.topics:
            if topic.name not in authorized_topics:
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.TOPIC_AUTHORIZATION_FAILED)
            elif not self.metadata_cache.contains(topic.name):
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.UNKNOWN_TOPIC_OR_PARTITION)
            else:
                topic_with_valid_partitions = TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic(
                    name=topic.name)
                for partition in topic.partitions:
                    if self.metadata_cache.contains_partition(
                            TopicPartition(topic.name, partition.partition_index)):
                        topic_with_valid_partitions.partitions.append(partition)
                    else:
                        response_builder.add_partition(
                            topic.name, partition.partition_index, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                if topic_with_valid_partitions.partitions:
                    authorized_topic_committed_offsets.append(topic_with_valid_partitions)

        if not authorized_topic_committed_offsets:
            send_response(response_builder.build())
            return CompletableFuture.completed_future(None)

        txn_offset_commit_request_data = TxnOffsetCommitRequestData(
            group_id=data.group_id,
            member_id=data.member_id,
            generation_id=data.generation_id,
            group_instance_id=data.group_instance_id,
            producer_epoch=data.producer_epoch,
            producer_id=data.producer_id,
            transactional_id=data.transactional_id,
            topics=authorized_topic_committed_offsets)

        def respond(response: TxnOffsetCommitResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                send_error(exception)
            else:
                assert response is not None
                send_response(response_builder.merge(response).build())

        return self.group_coordinator.commit_transactional_offsets(
            request.context, txn_offset_commit_request_data, request_local.buffer_supplier()).handle(respond)

    def handle_describe_acls(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeAcls"""
        self.acl_apis.handle_describe_acls(request)

    def handle_offset_for_leader_epoch_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleOffsetForLeaderEpochRequest"""
        topics: Sequence[OffsetForLeaderTopic] = request.body(OffsetsForLeaderEpochRequest).data().topics

        # Brokers may ask for all partitions, clients for those of topics that they may describe (KIP-320).
        authorized_topics, unauthorized_topics = topics, topics[:0]
        if not self.auth_helper.authorize(request.context, AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER,
                                          Resource.CLUSTER_NAME, log_if_denied=False):
            authorized_topics, unauthorized_topics = self.auth_helper.partition_seq_by_authorized(
                request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, topics, lambda topic: topic.topic)

        end_offsets_for_all_topics = self.replica_manager.last_offset_for_leader_epoch(authorized_topics)
        end_offsets_for_all_topics += [
            OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult(topic=topic.topic, partitions=[
                OffsetForLeaderEpochResponseData.EpochEndOffset(
                    partition=partition.partition, error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code)
                for partition in topic.partitions])
            for topic in unauthorized_topics]

        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: OffsetsForLeaderEpochResponse(
                OffsetForLeaderEpochResponseData(
                    throttle_time_ms=request_throttle_ms, topics=end_offsets_for_all_topics)))

    def handle_alter_configs_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleAlterConfigsRequest"""
        original = request.body(AlterConfigsRequest).data()
        preprocessing_responses = self.config_manager.preprocess_legacy(
            original, lambda resource_type, name: self.auth_helper.authorize(
                request.context, AclOperation.ALTER_CONFIGS, resource_type, name))
        remaining = self.config_manager.copy_without_preprocessed(original.resources, preprocessing_responses)
        # DEVIATION D80: a direct call asks the controller.
        second_part = self.controller_apis.legacy_alter_configs(
            request.context, AlterConfigsRequestData(
                resources=remaining, validate_only=original.validate_only))
        response = self.config_manager.reassemble_legacy_response(
            original, preprocessing_responses, second_part)
        if self.config.is_strict() and len(response.responses) > len(
                {(each.resource_type, each.resource_name) for each in response.responses}):
            # DEVIATION D154: the origin fails to count the errors of a resource that the request lists twice.
            self._stay_silent(request)
            return

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return AlterConfigsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_incremental_alter_configs_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleIncrementalAlterConfigsRequest"""
        original = request.body(IncrementalAlterConfigsRequest).data()
        preprocessing_responses = self.config_manager.preprocess_incremental(
            original, lambda resource_type, name: self.auth_helper.authorize(
                request.context, AclOperation.ALTER_CONFIGS, resource_type, name))
        remaining = self.config_manager.copy_without_preprocessed(original.resources, preprocessing_responses)
        # DEVIATION D80: a direct call asks the controller.
        second_part = self.controller_apis.incremental_alter_configs(
            request.context, IncrementalAlterConfigsRequestData(
                resources=remaining, validate_only=original.validate_only))
        response = self.config_manager.reassemble_incremental_response(
            original, preprocessing_responses, second_part)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return IncrementalAlterConfigsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_describe_configs_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeConfigsRequest"""
        response_data = self.config_helper.handle_describe_configs_request(request, self.auth_helper)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response_data.throttle_time_ms = request_throttle_ms
            return DescribeConfigsResponse(response_data)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_alter_replica_log_dirs_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleAlterReplicaLogDirsRequest"""
        alter_replica_dirs_request = request.body(AlterReplicaLogDirsRequest)
        if self.auth_helper.authorize(request.context, AclOperation.ALTER, ResourceType.CLUSTER,
                                      Resource.CLUSTER_NAME):
            results: dict[str, list[AlterReplicaLogDirPartitionResult]] = {}
            for topic_partition, error in self.replica_manager.alter_replica_log_dirs(
                    alter_replica_dirs_request.partition_dirs()).items():
                results.setdefault(topic_partition.topic(), []).append(AlterReplicaLogDirPartitionResult(
                    partition_index=topic_partition.partition(), error_code=error.code))
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: AlterReplicaLogDirsResponse(
                    AlterReplicaLogDirsResponseData(throttle_time_ms=request_throttle_ms, results=[
                        AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult(
                            topic_name=topic, partitions=partitions)
                        for topic, partitions in results.items()])))
        else:
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: alter_replica_dirs_request.get_error_response_throttle(
                    request_throttle_ms, _exception(Errors.CLUSTER_AUTHORIZATION_FAILED)))

    def handle_describe_log_dirs_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeLogDirsRequest"""
        describe_log_dirs_request = request.body(DescribeLogDirsRequest)
        log_dir_infos: list[DescribeLogDirsResponseData.DescribeLogDirsResult] = []
        error = Errors.CLUSTER_AUTHORIZATION_FAILED
        if self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.CLUSTER,
                                      Resource.CLUSTER_NAME):
            if describe_log_dirs_request.is_all_topic_partitions():
                partitions = {partition_log.topic_partition()
                              for partition_log in self.replica_manager.log_manager.all_logs()}
            else:
                partitions = {TopicPartition(topic.topic, partition)
                              for topic in describe_log_dirs_request.data().topics or ()
                              for partition in topic.partitions}
            log_dir_infos = self.replica_manager.describe_log_dirs(partitions)
            error = Errors.NONE
        self.request_helper.send_response_maybe_throttle(
            request, lambda throttle_time_ms: DescribeLogDirsResponse(DescribeLogDirsResponseData(
                throttle_time_ms=throttle_time_ms, results=log_dir_infos, error_code=error.code)))

    def handle_create_token_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleCreateTokenRequest"""
        data = request.body(CreateDelegationTokenRequest).data()
        requester = owner = request.context.principal
        if data.owner_principal_name:
            owner = KafkaPrincipal(data.owner_principal_type or "", data.owner_principal_name)
        error = Errors.DELEGATION_TOKEN_AUTH_DISABLED
        if not self.allow_token_requests(request):
            error = Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        elif owner != requester and not self.auth_helper.authorize(
                request.context, AclOperation.CREATE_TOKENS, ResourceType.USER, str(owner)):
            error = Errors.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        elif any(renewer.principal_type != KafkaPrincipal.USER_TYPE for renewer in data.renewers):
            error = Errors.INVALID_PRINCIPAL_TYPE
        time_ms = self._token_time_ms(error)
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: CreateDelegationTokenResponse.prepare_response(
                request.context.api_version(), request_throttle_ms, error, owner, requester,
                time_ms, time_ms, time_ms, "", b""))

    def handle_renew_token_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleRenewTokenRequest"""
        error = self._token_error(request)
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: RenewDelegationTokenResponse(
                RenewDelegationTokenResponseData(
                    throttle_time_ms=request_throttle_ms, error_code=error.code,
                    expiry_timestamp_ms=self._token_time_ms(error))))

    def handle_expire_token_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleExpireTokenRequest"""
        error = self._token_error(request)
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: ExpireDelegationTokenResponse(
                ExpireDelegationTokenResponseData(
                    throttle_time_ms=request_throttle_ms, error_code=error.code,
                    expiry_timestamp_ms=self._token_time_ms(error))))

    def handle_describe_tokens_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeTokensRequest"""
        error = self._token_error(request)
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: DescribeDelegationTokenResponse.of(
                request.context.api_version(), request_throttle_ms, error))
        self.trace("sending describe token response for correlation id %d to client %s",
                   request.header().correlation_id(), request.header().client_id())

    def _token_error(self, request: RequestChannel.Request) -> Errors:
        """Return why there is no token: this client may not ask, or tokens are disabled."""
        return (Errors.DELEGATION_TOKEN_AUTH_DISABLED if self.allow_token_requests(request)
                else Errors.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED)

    @staticmethod
    def _token_time_ms(error: Errors) -> int:
        """Return the timestamps of a response without a token. In Kafka DELEGATION_TOKEN_AUTH_DISABLED comes
        from the controller, whose response has no timestamps."""
        return 0 if error is Errors.DELEGATION_TOKEN_AUTH_DISABLED else _ERROR_TIMESTAMP

    def allow_token_requests(self, request: RequestChannel.Request) -> bool:
        """Return whether the client is authenticated, and not by a delegation token.

        :origin: kafka.server.KafkaApis#allowTokenRequests
        """
        protocol, principal = request.context.security_protocol, request.context.principal
        return not (principal.token_authenticated() or protocol is SecurityProtocol.PLAINTEXT
                    or protocol is SecurityProtocol.SSL and principal == KafkaPrincipal.ANONYMOUS)

    def handle_offset_delete_request(self, request: RequestChannel.Request,
                                     request_local: RequestLocal) -> CompletableFuture[None]:
        """:origin: kafka.server.KafkaApis#handleOffsetDeleteRequest"""
        offset_delete_request = request.body(OffsetDeleteRequest)
        data = offset_delete_request.data()

        if not self.auth_helper.authorize(request.context, AclOperation.DELETE, ResourceType.GROUP,
                                          data.group_id):
            return self._send_error(request, offset_delete_request, Errors.GROUP_AUTHORIZATION_FAILED)

        authorized_topics = self.auth_helper.filter_by_authorized(
            request.context, AclOperation.READ, ResourceType.TOPIC, data.topics, lambda topic: topic.name)

        response_builder = OffsetDeleteResponse.Builder()
        authorized_topic_partitions: list[OffsetDeleteRequestData.OffsetDeleteRequestTopic] = []
        for topic in data.topics:
            if topic.name not in authorized_topics:
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.TOPIC_AUTHORIZATION_FAILED)
            elif not self.metadata_cache.contains(topic.name):
                response_builder.add_partitions(
                    topic.name, topic.partitions, lambda partition: partition.partition_index,
                    Errors.UNKNOWN_TOPIC_OR_PARTITION)
            else:
                topic_with_valid_partitions = OffsetDeleteRequestData.OffsetDeleteRequestTopic(
                    name=topic.name)
                for partition in topic.partitions:
                    if self.metadata_cache.contains_partition(
                            TopicPartition(topic.name, partition.partition_index)):
                        topic_with_valid_partitions.partitions.append(partition)
                    else:
                        response_builder.add_partition(
                            topic.name, partition.partition_index, Errors.UNKNOWN_TOPIC_OR_PARTITION)
                if topic_with_valid_partitions.partitions:
                    authorized_topic_partitions.append(topic_with_valid_partitions)

        offset_delete_request_data = OffsetDeleteRequestData(
            group_id=data.group_id, topics=authorized_topic_partitions)

        def respond(response: OffsetDeleteResponseData | None, exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, offset_delete_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(request, response_builder.merge(response).build())

        return self.group_coordinator.delete_offsets(
            request.context, offset_delete_request_data, request_local.buffer_supplier()).handle(respond)

    def handle_describe_client_quotas_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeClientQuotasRequest"""
        describe_client_quotas_request = request.body(DescribeClientQuotasRequest)
        if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE_CONFIGS,
                                          ResourceType.CLUSTER, Resource.CLUSTER_NAME):
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: (
                    describe_client_quotas_request.get_error_response_throttle(
                        request_throttle_ms, _exception(Errors.CLUSTER_AUTHORIZATION_FAILED))))
        else:
            result = self.metadata_cache.describe_client_quotas(describe_client_quotas_request.data())

            def create_response(request_throttle_ms: int) -> AbstractResponse:
                result.throttle_time_ms = request_throttle_ms
                return DescribeClientQuotasResponse(result)

            self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_describe_user_scram_credentials_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeUserScramCredentialsRequest"""
        describe_user_scram_credentials_request = request.body(DescribeUserScramCredentialsRequest)

        if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.CLUSTER,
                                          Resource.CLUSTER_NAME):
            if self.config.is_strict() and describe_user_scram_credentials_request.data().users is None:
                # DEVIATION D187: the origin fails to make this response for all users, and never responds.
                self._stay_silent(request)
                return
            self.request_helper.send_response_maybe_throttle(
                request, lambda request_throttle_ms: (
                    describe_user_scram_credentials_request.get_error_response_throttle(
                        request_throttle_ms, _exception(Errors.CLUSTER_AUTHORIZATION_FAILED))))
            return
        result = self.metadata_cache.describe_scram_credentials(
            describe_user_scram_credentials_request.data())

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            result.throttle_time_ms = request_throttle_ms
            return DescribeUserScramCredentialsResponse(result)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_describe_cluster(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeCluster"""
        def get_nodes() -> list[DescribeClusterResponseData.DescribeClusterBroker]:
            return [DescribeClusterResponseData.DescribeClusterBroker(
                broker_id=node.id(), host=node.host() or "", port=node.port(), rack=node.rack())
                for node in self.metadata_cache.get_alive_broker_nodes(request.context.listener_name)]

        def get_controller_id() -> int:
            controller_id = self.metadata_cache.get_controller_id()
            return -1 if controller_id is None else controller_id

        response = self.auth_helper.compute_describe_cluster_response(
            request, EndpointType.BROKER, self.cluster_id, get_nodes, get_controller_id)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return DescribeClusterResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_describe_producers_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeProducersRequest"""
        describe_producers_request = request.body(DescribeProducersRequest)

        def topic_error_of(name: str) -> ApiError | None:
            invalid_topic_error = self._check_valid_topic(name)
            if invalid_topic_error is not None:
                return invalid_topic_error
            elif not self.auth_helper.authorize(
                    request.context, AclOperation.READ, ResourceType.TOPIC, name):
                return ApiError.of(Errors.TOPIC_AUTHORIZATION_FAILED)
            elif not self.metadata_cache.contains(name):
                return ApiError.of(Errors.UNKNOWN_TOPIC_OR_PARTITION)
            return None

        response = DescribeProducersResponseData()
        for topic_request in limited_mentions(
                describe_producers_request.data().topics, lambda topic_request: topic_request.name):
            topic_error = topic_error_of(topic_request.name)
            response.topics.append(DescribeProducersResponseData.TopicResponse(
                name=topic_request.name,
                partitions=[
                    self.replica_manager.active_producer_state(
                        TopicPartition(topic_request.name, partition_id)) if topic_error is None
                    else DescribeProducersResponseData.PartitionResponse(
                        partition_index=partition_id, error_code=topic_error.error().code,
                        error_message=topic_error.message())
                    for partition_id in limited_mentions(topic_request.partition_indexes)]))

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return DescribeProducersResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def _check_valid_topic(self, topic: str) -> ApiError | None:
        """:origin: kafka.server.KafkaApis#checkValidTopic"""
        try:
            Topic.validate(topic)
            return None
        except Exception as e:
            return ApiError.from_throwable(e)

    def handle_describe_transactions_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleDescribeTransactionsRequest"""
        describe_transactions_request = request.body(DescribeTransactionsRequest)
        response = DescribeTransactionsResponseData()

        for transactional_id in limited_mentions(describe_transactions_request.data().transactional_ids):
            if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE,
                                              ResourceType.TRANSACTIONAL_ID, transactional_id):
                transaction_state = DescribeTransactionsResponseData.TransactionState(
                    transactional_id=transactional_id,
                    error_code=Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED.code)
            else:
                transaction_state = self.txn_coordinator.handle_describe_transactions(transactional_id)

            # Only topics that the client may describe.
            transaction_state.topics = [
                topic for topic in transaction_state.topics
                if self.auth_helper.authorize(
                    request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, topic.topic)]
            response.transaction_states.append(transaction_state)

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return DescribeTransactionsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_list_transactions_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleListTransactionsRequest"""
        data = request.body(ListTransactionsRequest).data()
        response = self.txn_coordinator.handle_list_transactions(
            set(data.producer_id_filters), dict.fromkeys(data.state_filters), data.duration_filter)

        # Only transactional ids that the client may describe.
        response.transaction_states = [
            transaction_state for transaction_state in response.transaction_states
            if self.auth_helper.authorize(request.context, AclOperation.DESCRIBE,
                                          ResourceType.TRANSACTIONAL_ID, transaction_state.transactional_id)]

        def create_response(request_throttle_ms: int) -> AbstractResponse:
            response.throttle_time_ms = request_throttle_ms
            return ListTransactionsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_consumer_group_heartbeat(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """Forward to the group coordinator, which knows these groups only with the consumer protocol.

        :origin: kafka.server.KafkaApis#handleConsumerGroupHeartbeat
        """
        consumer_group_heartbeat_request = request.body(ConsumerGroupHeartbeatRequest)

        if not self.config.is_new_group_coordinator_enabled():
            self._warn_of_no_consumer_groups(request.context.client_id() or "")
            return self._send_error(request, consumer_group_heartbeat_request, Errors.UNSUPPORTED_VERSION)
        elif not self.auth_helper.authorize(request.context, AclOperation.READ, ResourceType.GROUP,
                                            consumer_group_heartbeat_request.data().group_id):
            return self._send_error(
                request, consumer_group_heartbeat_request, Errors.GROUP_AUTHORIZATION_FAILED)

        def respond(response: ConsumerGroupHeartbeatResponseData | None,
                    exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, consumer_group_heartbeat_request, exception)
            else:
                assert response is not None
                self.request_helper.send_maybe_throttle(request, ConsumerGroupHeartbeatResponse(response))

        return self.group_coordinator.consumer_group_heartbeat(
            request.context, consumer_group_heartbeat_request.data()).handle(respond)

    def _warn_of_no_consumer_groups(self, client_id: str) -> None:
        """Warn once per client id, for up to 1000 ids, that the consumer group protocol is off."""
        if client_id not in self._told_of_no_consumer_groups and len(self._told_of_no_consumer_groups) < 1000:
            self._told_of_no_consumer_groups.add(client_id)
            self.warn("client %s asks for the consumer group protocol (KIP-848), which is off: set "
                      "group.coordinator.rebalance.protocols=classic,consumer here, or "
                      "group.protocol=classic at the client", client_id)

    def handle_consumer_group_describe(self, request: RequestChannel.Request) -> CompletableFuture[None]:
        """Forward to the group coordinator, which knows these groups only with the consumer protocol.

        :origin: kafka.server.KafkaApis#handleConsumerGroupDescribe
        """
        consumer_group_describe_request = request.body(ConsumerGroupDescribeRequest)
        include_authorized_operations = consumer_group_describe_request.data().include_authorized_operations

        if not self.config.is_new_group_coordinator_enabled():
            return self._send_error(request, consumer_group_describe_request, Errors.UNSUPPORTED_VERSION)

        response = ConsumerGroupDescribeResponseData()
        authorized_groups = []
        for group_id in limited_mentions(consumer_group_describe_request.data().group_ids):
            if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE, ResourceType.GROUP,
                                              group_id):
                response.groups.append(ConsumerGroupDescribeResponseData.DescribedGroup(
                    group_id=group_id, error_code=Errors.GROUP_AUTHORIZATION_FAILED.code))
            else:
                authorized_groups.append(group_id)

        def respond(results: list[ConsumerGroupDescribeResponseData.DescribedGroup] | None,
                    exception: BaseException | None) -> None:
            if exception is not None:
                self._send_error(request, consumer_group_describe_request, exception)
                return
            assert results is not None
            if include_authorized_operations:
                for group_result in results:
                    if group_result.error_code == Errors.NONE.code:
                        group_result.authorized_operations = self.auth_helper.authorized_operations(
                            request, Resource(ResourceType.GROUP, group_result.group_id))
            response.groups.extend(results)
            self.request_helper.send_maybe_throttle(request, ConsumerGroupDescribeResponse(response))

        return self.group_coordinator.consumer_group_describe(
            request.context, authorized_groups).handle(respond)

    def handle_get_telemetry_subscriptions_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleGetTelemetrySubscriptionsRequest"""
        subscription_request = request.body(GetTelemetrySubscriptionsRequest)
        try:
            self.request_helper.send_maybe_throttle(
                request, self.client_metrics_manager.process_get_telemetry_subscription_request(
                    subscription_request, request.context))
        except Exception as e:
            self.error("failed to get the telemetry subscriptions of a client", exc=e)
            self.request_helper.send_maybe_throttle(
                request, subscription_request.get_error_response_throttle(
                    0, _exception(Errors.INVALID_REQUEST)))

    def handle_push_telemetry_request(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handlePushTelemetryRequest"""
        push_telemetry_request = request.body(PushTelemetryRequest)
        try:
            self.request_helper.send_maybe_throttle(
                request, self.client_metrics_manager.process_push_telemetry_request(
                    push_telemetry_request, request.context))
        except Exception as e:
            self.error("failed to process telemetry that a client pushed", exc=e)
            self.request_helper.send_maybe_throttle(
                request, push_telemetry_request.get_error_response_throttle(
                    0, _exception(Errors.INVALID_REQUEST)))

    def handle_list_client_metrics_resources(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.KafkaApis#handleListClientMetricsResources"""
        list_request = request.body(ListClientMetricsResourcesRequest)
        if not self.auth_helper.authorize(request.context, AclOperation.DESCRIBE_CONFIGS,
                                          ResourceType.CLUSTER, Resource.CLUSTER_NAME):
            self.request_helper.send_maybe_throttle(request, list_request.get_error_response_throttle(
                0, _exception(Errors.CLUSTER_AUTHORIZATION_FAILED)))
        else:
            self.request_helper.send_maybe_throttle(request, ListClientMetricsResourcesResponse(
                ListClientMetricsResourcesResponseData(client_metrics_resources=[
                    ListClientMetricsResourcesResponseData.ClientMetricsResource(name=name)
                    for name in self.client_metrics_manager.list_client_metrics_resources()])))

    def _update_record_conversion_stats(self, request: RequestChannel.Request, tp: TopicPartition,
                                        conversion_stats: RecordValidationStats) -> None:
        """:origin: kafka.server.KafkaApis#updateRecordConversionStats"""
        conversion_count = conversion_stats.num_records_converted()
        if conversion_count > 0:
            topic_stats = self._broker_topic_stats.topic_stats(tp.topic())
            all_topics_stats = self._broker_topic_stats.all_topics_stats
            api_key = request.header().api_key()
            if api_key is ApiKeys.PRODUCE:
                topic_stats.produce_message_conversions_rate().mark(conversion_count)
                all_topics_stats.produce_message_conversions_rate().mark(conversion_count)
            elif api_key is ApiKeys.FETCH:
                topic_stats.fetch_message_conversions_rate().mark(conversion_count)
                all_topics_stats.fetch_message_conversions_rate().mark(conversion_count)
            else:
                raise IllegalStateException(
                    "Message conversion info is recorded only for Produce/Fetch requests")
            request.message_conversions_time_nanos = conversion_stats.conversion_time_nanos()
        request.temporary_memory_bytes = conversion_stats.temporary_memory_bytes()


def _exception(error: Errors) -> ApiException:
    exception = error.exception()
    assert exception is not None, "an error"
    return exception


def _without_zookeeper(text: str) -> UnsupportedVersionException:
    """:origin: kafka.server.KafkaApis#unsupported"""
    return UnsupportedVersionException(f"Unsupported when using a Raft-based metadata quorum: {text}")


Handler = Callable[[KafkaApis, RequestChannel.Request, RequestLocal], None]


def _exceptionally(
    handler: Callable[[KafkaApis, RequestChannel.Request, RequestLocal], CompletableFuture[None]],
) -> Handler:
    """Return a handler that responds with an error when the future of ``handler`` fails."""
    def handle(apis: KafkaApis, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        handler(apis, request, request_local).exceptionally(lambda e: apis._handle_error(request, e))

    return handle


def _exceptionally_without_local(
    handler: Callable[[KafkaApis, RequestChannel.Request], CompletableFuture[None]],
) -> Handler:
    return _exceptionally(lambda apis, request, _: handler(apis, request))


# In Kafka this is a match in ``handle``. ApiVersions lists these APIs, and the socket server accepts them.
_HANDLERS: dict[ApiKeys, Handler] = {
    ApiKeys.PRODUCE: KafkaApis.handle_produce_request,
    ApiKeys.FETCH: lambda apis, request, _: apis.handle_fetch_request(request),
    ApiKeys.LIST_OFFSETS: lambda apis, request, _: apis.handle_list_offset_request(request),
    ApiKeys.METADATA: lambda apis, request, _: apis.handle_topic_metadata_request(request),
    ApiKeys.OFFSET_COMMIT: _exceptionally(KafkaApis.handle_offset_commit_request),
    ApiKeys.OFFSET_FETCH: _exceptionally_without_local(KafkaApis.handle_offset_fetch_request),
    ApiKeys.FIND_COORDINATOR: lambda apis, request, _: apis.handle_find_coordinator_request(request),
    ApiKeys.JOIN_GROUP: _exceptionally(KafkaApis.handle_join_group_request),
    ApiKeys.HEARTBEAT: _exceptionally_without_local(KafkaApis.handle_heartbeat_request),
    ApiKeys.LEAVE_GROUP: _exceptionally_without_local(KafkaApis.handle_leave_group_request),
    ApiKeys.SYNC_GROUP: _exceptionally(KafkaApis.handle_sync_group_request),
    ApiKeys.DESCRIBE_GROUPS: _exceptionally_without_local(KafkaApis.handle_describe_groups_request),
    ApiKeys.LIST_GROUPS: _exceptionally_without_local(KafkaApis.handle_list_groups_request),
    ApiKeys.SASL_HANDSHAKE: lambda apis, request, _: apis.handle_sasl_handshake_request(request),
    ApiKeys.API_VERSIONS: lambda apis, request, _: apis.handle_api_versions_request(request),
    ApiKeys.CREATE_TOPICS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_create_topics),
    ApiKeys.DELETE_TOPICS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_delete_topics),
    ApiKeys.DELETE_RECORDS: lambda apis, request, _: apis.handle_delete_records_request(request),
    ApiKeys.INIT_PRODUCER_ID: KafkaApis.handle_init_producer_id_request,
    ApiKeys.OFFSET_FOR_LEADER_EPOCH: lambda apis, request, _: apis.handle_offset_for_leader_epoch_request(
        request),
    ApiKeys.ADD_PARTITIONS_TO_TXN: KafkaApis.handle_add_partitions_to_txn_request,
    ApiKeys.ADD_OFFSETS_TO_TXN: KafkaApis.handle_add_offsets_to_txn_request,
    ApiKeys.END_TXN: KafkaApis.handle_end_txn_request,
    ApiKeys.WRITE_TXN_MARKERS: KafkaApis.handle_write_txn_markers_request,
    ApiKeys.TXN_OFFSET_COMMIT: _exceptionally(KafkaApis.handle_txn_offset_commit_request),
    ApiKeys.DESCRIBE_ACLS: lambda apis, request, _: apis.handle_describe_acls(request),
    ApiKeys.CREATE_ACLS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_create_acls),
    ApiKeys.DELETE_ACLS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_delete_acls),
    ApiKeys.DESCRIBE_CONFIGS: lambda apis, request, _: apis.handle_describe_configs_request(request),
    ApiKeys.ALTER_CONFIGS: lambda apis, request, _: apis.handle_alter_configs_request(request),
    ApiKeys.ALTER_REPLICA_LOG_DIRS: lambda apis, request, _: apis.handle_alter_replica_log_dirs_request(
        request),
    ApiKeys.DESCRIBE_LOG_DIRS: lambda apis, request, _: apis.handle_describe_log_dirs_request(request),
    ApiKeys.SASL_AUTHENTICATE: lambda apis, request, _: apis.handle_sasl_authenticate_request(request),
    ApiKeys.CREATE_PARTITIONS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_create_partitions),
    ApiKeys.CREATE_DELEGATION_TOKEN: lambda apis, request, _: apis.handle_create_token_request(request),
    ApiKeys.RENEW_DELEGATION_TOKEN: lambda apis, request, _: apis.handle_renew_token_request(request),
    ApiKeys.EXPIRE_DELEGATION_TOKEN: lambda apis, request, _: apis.handle_expire_token_request(request),
    ApiKeys.DESCRIBE_DELEGATION_TOKEN: lambda apis, request, _: apis.handle_describe_tokens_request(request),
    ApiKeys.DELETE_GROUPS: _exceptionally(KafkaApis.handle_delete_groups_request),
    ApiKeys.ELECT_LEADERS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_elect_leaders),
    ApiKeys.INCREMENTAL_ALTER_CONFIGS: lambda apis, request, _: apis.handle_incremental_alter_configs_request(
        request),
    ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS: lambda apis, request, _: (
        apis.handle_describe_user_scram_credentials_request(request)),
    ApiKeys.ALTER_USER_SCRAM_CREDENTIALS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_alter_user_scram_credentials),
    ApiKeys.ALTER_PARTITION_REASSIGNMENTS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_alter_partition_reassignments),
    ApiKeys.LIST_PARTITION_REASSIGNMENTS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_list_partition_reassignments),
    ApiKeys.OFFSET_DELETE: _exceptionally(KafkaApis.handle_offset_delete_request),
    ApiKeys.DESCRIBE_CLIENT_QUOTAS: lambda apis, request, _: apis.handle_describe_client_quotas_request(
        request),
    ApiKeys.ALTER_CLIENT_QUOTAS: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_alter_client_quotas),
    ApiKeys.DESCRIBE_QUORUM: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_describe_quorum),
    ApiKeys.UPDATE_FEATURES: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_update_features),
    ApiKeys.DESCRIBE_CLUSTER: lambda apis, request, _: apis.handle_describe_cluster(request),
    ApiKeys.DESCRIBE_PRODUCERS: lambda apis, request, _: apis.handle_describe_producers_request(request),
    ApiKeys.UNREGISTER_BROKER: lambda apis, request, _: apis._maybe_forward_to_controller(
        request, apis.controller_apis.handle_unregister_broker),
    ApiKeys.DESCRIBE_TRANSACTIONS: lambda apis, request, _: apis.handle_describe_transactions_request(
        request),
    ApiKeys.LIST_TRANSACTIONS: lambda apis, request, _: apis.handle_list_transactions_request(request),
    ApiKeys.CONSUMER_GROUP_HEARTBEAT: _exceptionally_without_local(KafkaApis.handle_consumer_group_heartbeat),
    ApiKeys.CONSUMER_GROUP_DESCRIBE: _exceptionally_without_local(KafkaApis.handle_consumer_group_describe),
    ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS: lambda apis, request, _: (
        apis.handle_get_telemetry_subscriptions_request(request)),
    ApiKeys.PUSH_TELEMETRY: lambda apis, request, _: apis.handle_push_telemetry_request(request),
    ApiKeys.LIST_CLIENT_METRICS_RESOURCES: lambda apis, request, _: apis.handle_list_client_metrics_resources(
        request),
    ApiKeys.DESCRIBE_TOPIC_PARTITIONS: lambda apis, request, _: (
        apis.handle_describe_topic_partitions_request(request)),
}

KafkaApis.ENABLED_APIS = frozenset(_HANDLERS)
