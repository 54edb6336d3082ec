# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerApis of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The requests that a controller answers: changes of topics, of settings and of quotas.

A Kafka broker forwards these requests to the controller in an envelope, and forwards the response to the
client. This controller is in the same process, and gets the request itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Callable

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import (
    ApiException,
    InvalidRequestException,
    TimeoutException,
    TopicDeletionDisabledException,
)
from kreactor.common.internals.topic import Topic
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.alter_partition_reassignments_response_data import (
    AlterPartitionReassignmentsResponseData,
)
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_partitions_response_data import CreatePartitionsResponseData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.delete_topics_request_data import DeleteTopicsRequestData
from kreactor.common.message.delete_topics_response_data import DeleteTopicsResponseData
from kreactor.common.message.describe_quorum_response_data import DescribeQuorumResponseData
from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.message.unregister_broker_response_data import UnregisterBrokerResponseData
from kreactor.common.message.update_features_response_data import UpdateFeaturesResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.alter_client_quotas_request import AlterClientQuotasRequest
from kreactor.common.requests.alter_client_quotas_response import AlterClientQuotasResponse
from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
from kreactor.common.requests.alter_partition_reassignments_request import AlterPartitionReassignmentsRequest
from kreactor.common.requests.alter_partition_reassignments_response import (
    AlterPartitionReassignmentsResponse,
)
from kreactor.common.requests.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
from kreactor.common.requests.alter_user_scram_credentials_response import AlterUserScramCredentialsResponse
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.create_partitions_request import CreatePartitionsRequest
from kreactor.common.requests.create_partitions_response import CreatePartitionsResponse
from kreactor.common.requests.create_topics_request import CreateTopicsRequest
from kreactor.common.requests.create_topics_response import CreateTopicsResponse
from kreactor.common.requests.delete_topics_request import DeleteTopicsRequest
from kreactor.common.requests.delete_topics_response import DeleteTopicsResponse
from kreactor.common.requests.describe_quorum_request import DescribeQuorumRequest
from kreactor.common.requests.describe_quorum_response import DescribeQuorumResponse
from kreactor.common.requests.elect_leaders_request import ElectLeadersRequest
from kreactor.common.requests.elect_leaders_response import ElectLeadersResponse
from kreactor.common.requests.incremental_alter_configs_request import (
    IncrementalAlterConfigsRequest,
    OpType,
)
from kreactor.common.requests.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from kreactor.common.requests.list_partition_reassignments_response import ListPartitionReassignmentsResponse
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.unregister_broker_request import UnregisterBrokerRequest
from kreactor.common.requests.unregister_broker_response import UnregisterBrokerResponse
from kreactor.common.requests.update_features_request import UpdateFeaturesRequest, UpgradeType
from kreactor.common.requests.update_features_response import UpdateFeaturesResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.controller.client_quota_control_manager import ClientQuotaControlManager
from kreactor.controller.configuration_control_manager import ConfigurationControlManager, KeysToOps
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.controller.feature_control_manager import FeatureControlManager
from kreactor.controller.replication_control_manager import ReplicationControlManager
from kreactor.controller.scram_control_manager import ScramControlManager
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.acl_apis import AclApis
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.quota_factory import QuotaManagers
from kreactor.core.server.request_handler_helper import RequestHandlerHelper
from kreactor.core.utils.logging import Logging
from kreactor.jdk.random_numbers import RANDOM

# The epoch of the only election of this controller.
_LEADER_EPOCH = 1

Names = Callable[[Iterable[str]], AbstractSet[str]]
DeletableTopicResult = DeleteTopicsResponseData.DeletableTopicResult


def _identity(name: str) -> str:
    return name


class ControllerApis(Logging):
    """For use by any thread.

    :origin: kafka.server.ControllerApis
    """

    def __init__(self, request_channel: RequestChannel, quotas: QuotaManagers, time: Time,
                 controller: ReplicationControlManager, configuration_control: ConfigurationControlManager,
                 client_quota_control: ClientQuotaControlManager, config: KafkaConfig,
                 auth_helper: AuthHelper, scram_control: ScramControlManager) -> None:
        """:origin: kafka.server.ControllerApis#ControllerApis"""
        self._log_ident = f"[ControllerApis nodeId={config.node_id()}] "
        self._quotas = quotas
        self._time = time
        self._controller = controller
        self._configuration_control = configuration_control
        self._client_quota_control = client_quota_control
        self._feature_control = FeatureControlManager(config.node_id())
        self._scram_control = scram_control
        self._config = config
        self.auth_helper = auth_helper
        self.request_helper = RequestHandlerHelper(request_channel, quotas, time)
        self._acl_apis = AclApis(auth_helper, self.request_helper, "controller", config.node_id())

    def handle_delete_topics(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleDeleteTopics"""
        delete_topics_request = request.body(DeleteTopicsRequest)
        controller_mutation_quota = self._quotas.controller_mutation.new_quota_for(
            request, strict_since_version=5)
        auth = self.auth_helper
        context = ControllerRequestContext(
            request.context.principal, self._deadline_ns(delete_topics_request.data().timeout_ms),
            controller_mutation_quota.record)
        response: AbstractResponse | None
        # The check comes first, and its error is not in this API's response format: KafkaApis sends the
        # error.
        self._check_topic_deletion(request.context.api_version())
        try:
            results = self.delete_topics(
                context,
                delete_topics_request.data(),
                request.context.api_version(),
                auth.authorize(request.context, AclOperation.DELETE, ResourceType.CLUSTER,
                               Resource.CLUSTER_NAME, log_if_denied=False),
                lambda names: auth.filter_by_authorized(
                    request.context, AclOperation.DESCRIBE, ResourceType.TOPIC, names, _identity),
                lambda names: auth.filter_by_authorized(
                    request.context, AclOperation.DELETE, ResourceType.TOPIC, names, _identity))
            response = DeleteTopicsResponse(DeleteTopicsResponseData(responses=results))
        except Exception as e:
            self._log_unexpected(request, e)
            response = delete_topics_request.get_error_response(e)
        assert response is not None, "these requests have answers"
        self.request_helper.send_response_maybe_throttle_with_controller_quota(
            controller_mutation_quota, request, response)

    def _check_topic_deletion(self, api_version: int) -> None:
        if not self._config.delete_topic_enable():
            if api_version < 3:
                raise InvalidRequestException("Topic deletion is disabled.")
            raise TopicDeletionDisabledException()

    def delete_topics(
        self, context: ControllerRequestContext, request: DeleteTopicsRequestData, api_version: int,
        has_cluster_auth: bool, get_describable_topics: Names, get_deletable_topics: Names,
    ) -> list[DeletableTopicResult]:
        """Delete the topics of a request, and return a result for each, in any order.

        Raises TimeoutException, or InvalidRequestException or TopicDeletionDisabledException where topics
        cannot be deleted.

        :origin: kafka.server.ControllerApis#deleteTopics
        """
        self._check_topic_deletion(api_version)
        responses: list[DeletableTopicResult] = []

        def append_response(name: str | None, id_: Uuid, error: ApiError) -> None:
            responses.append(DeletableTopicResult(
                name=name, topic_id=id_, error_code=error.error().code, error_message=error.message()))

        # A request may give both names and ids. The same topic may appear twice, by name or by id.
        provided_names: dict[str, None] = {}
        duplicate_provided_names: dict[str, None] = {}
        provided_ids: dict[Uuid, None] = {}
        duplicate_provided_ids: dict[Uuid, None] = {}

        def add_provided_name(name: str) -> None:
            if name in duplicate_provided_names or name in provided_names:
                duplicate_provided_names[name] = None
                provided_names.pop(name, None)
            else:
                provided_names[name] = None

        for name in request.topic_names:
            add_provided_name(name)
        for topic in request.topics:
            if topic.name is None:
                if topic.topic_id == Uuid.ZERO_UUID:
                    append_response(None, Uuid.ZERO_UUID, ApiError(
                        Errors.INVALID_REQUEST, "Neither topic name nor id were specified."))
                elif topic.topic_id in duplicate_provided_ids or topic.topic_id in provided_ids:
                    duplicate_provided_ids[topic.topic_id] = None
                    provided_ids.pop(topic.topic_id, None)
                else:
                    provided_ids[topic.topic_id] = None
            elif topic.topic_id == Uuid.ZERO_UUID:
                add_provided_name(topic.name)
            else:
                append_response(topic.name, topic.topic_id, ApiError(
                    Errors.INVALID_REQUEST, "You may not specify both topic name and topic id."))
        for name in duplicate_provided_names:
            append_response(name, Uuid.ZERO_UUID, ApiError(Errors.INVALID_REQUEST, "Duplicate topic name."))
        for id_ in duplicate_provided_ids:
            append_response(None, id_, ApiError(Errors.INVALID_REQUEST, "Duplicate topic id."))

        if provided_names or provided_ids:
            self._check_deadline(context)
        to_authenticate = set(provided_names)
        id_to_name: dict[Uuid, str] = {}
        for id_, name_or_error in self._controller.find_topic_names(provided_ids).items():
            if isinstance(name_or_error, ApiError):
                append_response(None, id_, name_or_error)
            else:
                to_authenticate.add(name_or_error)
                id_to_name[id_] = name_or_error
        describable: AbstractSet[str]
        deletable: AbstractSet[str]
        if has_cluster_auth:
            describable = deletable = to_authenticate
        else:
            describable = get_describable_topics(to_authenticate)
            deletable = get_deletable_topics(to_authenticate)
        for id_, name in list(id_to_name.items()):
            if name not in deletable:
                append_response(name if name in describable else None, id_,
                                ApiError.of(Errors.TOPIC_AUTHORIZATION_FAILED))
                del id_to_name[id_]
        for name, id_or_error in self._controller.find_topic_ids(provided_names).items():
            if name not in describable:
                append_response(name, Uuid.ZERO_UUID, ApiError.of(Errors.TOPIC_AUTHORIZATION_FAILED))
            elif isinstance(id_or_error, ApiError):
                append_response(name, Uuid.ZERO_UUID, id_or_error)
            elif name in deletable:
                id_ = id_or_error
                if id_ in duplicate_provided_ids or id_ in id_to_name:
                    # Only a principal that may delete the topic learns the topic's id.
                    duplicate_provided_ids[id_] = None
                    id_to_name.pop(id_, None)
                    append_response(name, id_, ApiError(
                        Errors.INVALID_REQUEST,
                        "The provided topic name maps to an ID that was already supplied."))
                else:
                    id_to_name[id_] = name
            else:
                append_response(name, Uuid.ZERO_UUID, ApiError.of(Errors.TOPIC_AUTHORIZATION_FAILED))
        for id_, error in self._controller.delete_topics(context, id_to_name.keys()).items():
            append_response(id_to_name[id_], id_, error)
        # Without the shuffle, the place of a result would tell a missing topic from a hidden one.
        RANDOM.shuffle(responses)
        return responses

    def handle_create_topics(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleCreateTopics"""
        create_topics_request = request.body(CreateTopicsRequest)
        controller_mutation_quota = self._quotas.controller_mutation.new_quota_for(
            request, strict_since_version=6)
        auth = self.auth_helper
        context = ControllerRequestContext(
            request.context.principal, self._deadline_ns(create_topics_request.data().timeout_ms),
            controller_mutation_quota.record)
        response: AbstractResponse | None
        try:
            response = CreateTopicsResponse(self.create_topics(
                context,
                create_topics_request.data(),
                auth.authorize(request.context, AclOperation.CREATE, ResourceType.CLUSTER,
                               Resource.CLUSTER_NAME, log_if_denied=False),
                lambda names: auth.filter_by_authorized(
                    request.context, AclOperation.CREATE, ResourceType.TOPIC, names, _identity),
                lambda names: auth.filter_by_authorized(
                    request.context, AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, names, _identity,
                    log_if_denied=False)))
        except Exception as e:
            self._log_unexpected(request, e)
            response = create_topics_request.get_error_response(e)
        assert response is not None, "these requests have answers"
        self.request_helper.send_response_maybe_throttle_with_controller_quota(
            controller_mutation_quota, request, response)

    def create_topics(
        self, context: ControllerRequestContext, request: CreateTopicsRequestData, has_cluster_auth: bool,
        get_creatable_topics: Names, get_describable_topics: Names,
    ) -> CreateTopicsResponseData:
        """Create the topics of a request, and return a result for each.

        Raises PolicyViolationException or TimeoutException; then nothing was created.

        :origin: kafka.server.ControllerApis#createTopics
        """
        topic_names: dict[str, None] = {}
        duplicate_topic_names: dict[str, None] = {}
        for topic_data in request.topics:
            if topic_data.name not in duplicate_topic_names:
                if topic_data.name in topic_names:
                    del topic_names[topic_data.name]
                    duplicate_topic_names[topic_data.name] = None
                else:
                    topic_names[topic_data.name] = None

        # The metadata topic is reserved: no principal may create it.
        if Topic.CLUSTER_METADATA_TOPIC_NAME in topic_names:
            self.info("rejecting creation of internal topic %s", Topic.CLUSTER_METADATA_TOPIC_NAME)
        allowed_topic_names = topic_names.keys() - {Topic.CLUSTER_METADATA_TOPIC_NAME}

        authorized_topic_names = (
            allowed_topic_names if has_cluster_auth else get_creatable_topics(allowed_topic_names))
        describable_topic_names = get_describable_topics(allowed_topic_names)
        effective_request = request.duplicate()
        effective_request.topics = [topic for topic in effective_request.topics
                                    if topic.name not in duplicate_topic_names
                                    and topic.name in authorized_topic_names]
        if effective_request.topics:
            self._check_deadline(context)
        response = self._controller.create_topics(context, effective_request, describable_topic_names)
        for name in duplicate_topic_names:
            response.topics.append(CreateTopicsResponseData.CreatableTopicResult(
                name=name, error_code=Errors.INVALID_REQUEST.code, error_message="Duplicate topic name."))
        for name in topic_names:
            if name not in authorized_topic_names:
                response.topics.append(CreateTopicsResponseData.CreatableTopicResult(
                    name=name, error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code,
                    error_message="Authorization failed."))
        return response

    def _authorize_alter_resource(self, request_context: RequestContext,
                                  resource: ConfigResource) -> ApiError:
        """:origin: kafka.server.ControllerApis#authorizeAlterResource"""
        resource_type = resource.type()
        if resource_type is ConfigResource.Type.BROKER or resource_type is ConfigResource.Type.CLIENT_METRICS:
            if self.auth_helper.authorize(request_context, AclOperation.ALTER_CONFIGS, ResourceType.CLUSTER,
                                          Resource.CLUSTER_NAME):
                return ApiError.NONE
            return ApiError.of(Errors.CLUSTER_AUTHORIZATION_FAILED)
        elif resource_type is ConfigResource.Type.TOPIC:
            if self.auth_helper.authorize(request_context, AclOperation.ALTER_CONFIGS, ResourceType.TOPIC,
                                          resource.name()):
                return ApiError.NONE
            return ApiError.of(Errors.TOPIC_AUTHORIZATION_FAILED)
        return ApiError(Errors.INVALID_REQUEST, f"Unexpected resource type {resource_type.name}.")

    def legacy_alter_configs(self, request_context: RequestContext,
                             data: AlterConfigsRequestData) -> AlterConfigsResponseData:
        """Return the response to the resources that a broker left to the controller, each at most once.

        :origin: kafka.server.ControllerApis#handleLegacyAlterConfigs
        """
        results: dict[ConfigResource, ApiError] = {}
        config_changes: dict[ConfigResource, dict[str, str]] = {}
        for resource in data.resources:
            config_resource = ConfigResource(
                ConfigResource.Type.for_id(resource.resource_type), resource.resource_name)
            error = self._authorize_alter_resource(request_context, config_resource)
            if error.is_failure():
                results[config_resource] = error
            else:
                config_changes[config_resource] = {
                    config.name: config.value for config in resource.configs if config.value is not None}
        try:
            results.update(self._configuration_control.legacy_alter_configs(
                config_changes, data.validate_only))
        except ApiException as e:
            return AlterConfigsRequest(
                data, data.HIGHEST_SUPPORTED_VERSION).get_error_response_throttle(0, e).data()
        return AlterConfigsResponseData(responses=[
            AlterConfigsResponseData.AlterConfigsResourceResponse(
                error_code=error.error().code, error_message=error.message(), resource_name=resource.name(),
                resource_type=resource.type().id())
            for resource, error in results.items()])

    def handle_create_acls(self, request: RequestChannel.Request) -> None:
        """Have AclApis answer."""
        self._acl_apis.handle_create_acls(request)

    def handle_delete_acls(self, request: RequestChannel.Request) -> None:
        """Have AclApis answer."""
        self._acl_apis.handle_delete_acls(request)

    def handle_describe_quorum(self, request: RequestChannel.Request) -> None:
        """Describe a quorum whose metadata log has one record for each change of the metadata.

        :origin: kafka.server.ControllerApis#handleDescribeQuorum
        :origin: raft.KafkaRaftClient#handleDescribeQuorumRequest(Inbound, long)
        """
        self.auth_helper.authorize_cluster_operation(request, AclOperation.DESCRIBE)
        data = request.body(DescribeQuorumRequest).data()
        wanted = [(topic.topic_name, partition.partition_index)
                  for topic in data.topics for partition in topic.partitions]
        if len(data.topics) != 1 or wanted != [(Topic.CLUSTER_METADATA_TOPIC_NAME, 0)]:
            response = DescribeQuorumResponse(DescribeQuorumRequest.get_partition_level_error_response(
                data, Errors.UNKNOWN_TOPIC_OR_PARTITION))
        else:
            end, now = self._controller.metadata_changes(), self._time.milliseconds()
            response = DescribeQuorumResponse(DescribeQuorumResponse.singleton_response(
                Topic.CLUSTER_METADATA_TOPIC_PARTITION, DescribeQuorumResponseData.PartitionData(
                    leader_id=self._config.node_id(), leader_epoch=_LEADER_EPOCH, high_watermark=end,
                    current_voters=[DescribeQuorumResponseData.ReplicaState(
                        replica_id=self._config.node_id(), log_end_offset=end, last_fetch_timestamp=now,
                        last_caught_up_timestamp=now)],
                    observers=[])))
        self.request_helper.send_response_exempt_throttle(request, response)

    def handle_elect_leaders(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleElectLeaders"""
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        elect_leaders_request = request.body(ElectLeadersRequest)
        data = elect_leaders_request.data()

        def create_response(throttle_ms: int) -> ElectLeadersResponse:
            try:
                if data.topic_partitions == []:
                    response = ElectLeadersResponseData()
                else:
                    self._check_deadline(self._context(request, data.timeout_ms))
                    response = self._controller.elect_leaders(data)
            except Exception as e:
                self._log_unexpected(request, e)
                return elect_leaders_request.get_error_response_throttle(throttle_ms, e)
            response.throttle_time_ms = throttle_ms
            return ElectLeadersResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_unregister_broker(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleUnregisterBroker"""
        decommission_request = request.body(UnregisterBrokerRequest)
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        error = Errors.NONE
        try:
            self._controller.unregister_broker(decommission_request.data().broker_id)
        except ApiException as e:
            error = Errors.for_exception(e)
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: UnregisterBrokerResponse(UnregisterBrokerResponseData(
                throttle_time_ms=request_throttle_ms, error_code=error.code)))

    def handle_alter_client_quotas(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleAlterClientQuotas"""
        quota_request = request.body(AlterClientQuotasRequest)
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER_CONFIGS)
        results = self._client_quota_control.alter_client_quotas(
            quota_request.entries(), quota_request.validate_only())
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: AlterClientQuotasResponse.from_quota_entities(
                results, request_throttle_ms))

    def incremental_alter_configs(
        self, request_context: RequestContext, data: IncrementalAlterConfigsRequestData,
    ) -> IncrementalAlterConfigsResponseData:
        """Return the response to the resources that a broker left to the controller, each at most once. The
        broker has changed the levels of loggers itself.

        :origin: kafka.server.ControllerApis#handleIncrementalAlterConfigs
        """
        results: dict[ConfigResource, ApiError] = {}
        config_changes: dict[ConfigResource, KeysToOps] = {}
        for resource in data.resources:
            config_resource = ConfigResource(
                ConfigResource.Type.for_id(resource.resource_type), resource.resource_name)
            error = self._authorize_alter_resource(request_context, config_resource)
            if error.is_failure():
                results[config_resource] = error
            else:
                config_changes[config_resource] = {
                    config.name: (OpType.for_id(config.config_operation), config.value)
                    for config in resource.configs}
        try:
            results.update(
                self._configuration_control.incremental_alter_configs(config_changes, data.validate_only))
        except ApiException as e:
            return IncrementalAlterConfigsRequest(
                data, data.HIGHEST_SUPPORTED_VERSION).get_error_response_throttle(0, e).data()
        return IncrementalAlterConfigsResponseData(responses=[
            IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse(
                error_code=error.error().code, error_message=error.message(), resource_name=resource.name(),
                resource_type=resource.type().id())
            for resource, error in results.items()])

    def handle_create_partitions(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleCreatePartitions"""
        def filter_alter_authorized_topics(topics: Iterable[str]) -> AbstractSet[str]:
            return self.auth_helper.filter_by_authorized(
                request.context, AclOperation.ALTER, ResourceType.TOPIC, topics, _identity)

        create_partitions_request = request.body(CreatePartitionsRequest)
        controller_mutation_quota = self._quotas.controller_mutation.new_quota_for(
            request, strict_since_version=3)
        context = ControllerRequestContext(
            request.context.principal, self._deadline_ns(create_partitions_request.data().timeout_ms),
            controller_mutation_quota.record)
        try:
            response = CreatePartitionsResponse(CreatePartitionsResponseData(results=self.create_partitions(
                context, create_partitions_request.data(), filter_alter_authorized_topics)))
        except Exception as e:
            self._log_unexpected(request, e)
            response = create_partitions_request.get_error_response_throttle(0, e)
        self.request_helper.send_response_maybe_throttle_with_controller_quota(
            controller_mutation_quota, request, response)

    def create_partitions(
        self, context: ControllerRequestContext, request: CreatePartitionsRequestData,
        get_alter_authorized_topics: Names,
    ) -> list[CreatePartitionsResponseData.CreatePartitionsTopicResult]:
        """Add partitions to the topics of a request, and return a result for each, in any order.

        Raises PolicyViolationException or TimeoutException; then nothing was added.

        :origin: kafka.server.ControllerApis#createPartitions
        """
        CreatePartitionsTopicResult = CreatePartitionsResponseData.CreatePartitionsTopicResult
        duplicate_topic_names: dict[str, None] = {}
        topics_by_name: dict[str, CreatePartitionsRequestData.CreatePartitionsTopic] = {}
        for topic in request.topics:
            if topics_by_name.setdefault(topic.name, topic) is not topic:
                duplicate_topic_names[topic.name] = None
        responses = []
        for name in duplicate_topic_names:
            responses.append(CreatePartitionsTopicResult(
                name=name, error_code=Errors.INVALID_REQUEST.code, error_message="Duplicate topic name."))
            del topics_by_name[name]
        authorized_topic_names = get_alter_authorized_topics(topics_by_name)
        topics = []
        for name, topic in topics_by_name.items():
            if name in authorized_topic_names:
                topics.append(topic)
            else:
                responses.append(CreatePartitionsTopicResult(
                    name=name, error_code=Errors.TOPIC_AUTHORIZATION_FAILED.code))
        if topics:
            self._check_deadline(context)
            responses += self._controller.create_partitions(context, topics, request.validate_only)
        return responses

    def handle_alter_partition_reassignments(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleAlterPartitionReassignments"""
        alter_request = request.body(AlterPartitionReassignmentsRequest)
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        if alter_request.data().topics:
            self._check_deadline(self._context(request, alter_request.data().timeout_ms))
            response = self._controller.alter_partition_reassignments(alter_request.data())
        else:
            response = AlterPartitionReassignmentsResponseData()

        def create_response(request_throttle_ms: int) -> AlterPartitionReassignmentsResponse:
            response.throttle_time_ms = request_throttle_ms
            return AlterPartitionReassignmentsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_alter_user_scram_credentials(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleAlterUserScramCredentials"""
        alter_request = request.body(AlterUserScramCredentialsRequest)
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        response = self._scram_control.alter_credentials(alter_request.data())

        def create_response(request_throttle_ms: int) -> AlterUserScramCredentialsResponse:
            response.throttle_time_ms = request_throttle_ms
            return AlterUserScramCredentialsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_list_partition_reassignments(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleListPartitionReassignments"""
        self.auth_helper.authorize_cluster_operation(request, AclOperation.DESCRIBE)
        response = self._controller.list_partition_reassignments(
            request.body(ListPartitionReassignmentsRequest).data().topics)

        def create_response(request_throttle_ms: int) -> ListPartitionReassignmentsResponse:
            response.throttle_time_ms = request_throttle_ms
            return ListPartitionReassignmentsResponse(response)

        self.request_helper.send_response_maybe_throttle(request, create_response)

    def handle_update_features(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.server.ControllerApis#handleUpdateFeatures"""
        update_features_request = request.body(UpdateFeaturesRequest)
        self.auth_helper.authorize_cluster_operation(request, AclOperation.ALTER)
        # In version 0 the older field is ignored, as in Kafka.
        results = self._feature_control.update_features({
            update.feature: (update.max_version_level, UpgradeType.from_code(update.upgrade_type))
            for update in update_features_request.data().feature_updates})
        self.request_helper.send_response_maybe_throttle(
            request, lambda request_throttle_ms: UpdateFeaturesResponse(UpdateFeaturesResponseData(
                throttle_time_ms=request_throttle_ms,
                results=[UpdateFeaturesResponseData.UpdatableFeatureResult(
                    feature=feature, error_code=error.error().code, error_message=error.message())
                    for feature, error in results.items()])))

    def _context(self, request: RequestChannel.Request, timeout_ms: int) -> ControllerRequestContext:
        """Return the context of a request that does not change the number of partitions."""
        return ControllerRequestContext(
            request.context.principal, self._deadline_ns(timeout_ms), lambda _partitions: None)

    def _log_unexpected(self, request: RequestChannel.Request, e: Exception) -> None:
        """Log an exception that no client has caused, as Kafka's controller does."""
        if not isinstance(e, ApiException):
            self.error("unexpected error handling request %s with context %s", request.request_desc(True),
                       request.context, exc=e)

    def _deadline_ns(self, timeout_ms: int) -> int:
        return self._time.nanoseconds() + timeout_ms * 1_000_000

    def _check_deadline(self, context: ControllerRequestContext) -> None:
        """Raise TimeoutException if a request's deadline passed before the controller handled the request."""
        deadline_ns = context.deadline_ns()
        if deadline_ns is not None and self._time.nanoseconds() >= deadline_ns:
            raise TimeoutException()
