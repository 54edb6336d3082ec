# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ConfigAdminManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The part of configuration changes that a broker does itself, before the controller gets the rest.

A broker checks the settings of brokers, because only a broker can check them. It changes the levels of its
loggers, and answers the resources that are already refused. A resource is identified by its place in the
request, because a request may list it twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import ApiException, InvalidConfigurationException, InvalidRequestException
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.controller.configuration_control_manager import list_without
from kreactor.core.server import kafka_config_def
from kreactor.core.server.controller_configuration_validator import to_int
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.logger.runtime_logger_manager import RuntimeLoggerManager
from kreactor.core.server.metadata.config_repository import ConfigRepository
from kreactor.core.utils.logging import Logging

IAlterConfigsResource = IncrementalAlterConfigsRequestData.AlterConfigsResource
LAlterConfigsResource = AlterConfigsRequestData.AlterConfigsResource
# The error (possibly NONE) of a resource, by the place of the resource in its request.
Preprocessed = dict[int, ApiError]

_OF_CONTROLLER = (ConfigResource.Type.TOPIC, ConfigResource.Type.CLIENT_METRICS)

R = TypeVar("R", IAlterConfigsResource, LAlterConfigsResource)


class ConfigAdminManager(Logging):
    """For use by any thread.

    :origin: kafka.server.ConfigAdminManager
    :origin: kafka.server.ConfigAdminManager
    """

    def __init__(self, node_id: int, conf: KafkaConfig, config_repository: ConfigRepository) -> None:
        """:origin: kafka.server.ConfigAdminManager#ConfigAdminManager"""
        self._log_ident = f"[ConfigAdminManager[nodeId={node_id}]: "
        self._node_id = node_id
        self._conf = conf
        self._config_repository = config_repository
        self._runtime_logger_manager = RuntimeLoggerManager(node_id)

    def preprocess_incremental(self, request: IncrementalAlterConfigsRequestData,
                               authorize: Callable[[ResourceType, str], bool]) -> Preprocessed:
        """Change the levels of loggers; return the results that are already known.

        :origin: kafka.server.ConfigAdminManager#preprocess(IncrementalAlterConfigsRequestData, (ResourceType,String)=>Boolean)
        """  # noqa: E501
        def preprocess_resource(resource: IAlterConfigsResource,
                                config_resource: ConfigResource) -> ApiError | None:
            self._check_values(resource.configs, [
                config.name for config in resource.configs
                if config.config_operation != OpType.DELETE.value and config.value is None])
            if config_resource.type() is ConfigResource.Type.BROKER_LOGGER:
                self._runtime_logger_manager.apply_changes_for_resource(
                    authorize(ResourceType.CLUSTER, Resource.CLUSTER_NAME), request.validate_only, resource)
                return ApiError.NONE
            return self._check_resource(
                config_resource, resource.resource_type, authorize,
                lambda: self._validate_incremental_broker_config_change(resource, config_resource))

        return self._preprocess(request.resources, preprocess_resource)

    def _preprocess(self, resources: Sequence[R],
                    preprocess_resource: Callable[[R, ConfigResource], ApiError | None]) -> Preprocessed:
        results: Preprocessed = {}
        resource_ids: dict[tuple[int, str], int] = {}
        for place, resource in enumerate(resources):
            resource_id = (resource.resource_type, resource.resource_name)
            preexisting = resource_ids.get(resource_id)
            resource_ids[resource_id] = place
            if preexisting is not None:
                # DEVIATION D154: in Kafka the response of AlterConfigs is lost when its errors are counted.
                for twice in (preexisting, place):
                    results[twice] = ApiError(
                        Errors.INVALID_REQUEST, "Each resource must appear at most once.")
        for place, resource in enumerate(resources):
            if place in results:
                continue
            config_resource = ConfigResource(
                ConfigResource.Type.for_id(resource.resource_type), resource.resource_name)
            try:
                result = preprocess_resource(resource, config_resource)
                if result is not None:
                    results[place] = result
            except BaseException as e:
                self.info("error preprocessing a change of settings of %s", config_resource, exc=e)
                results[place] = ApiError.from_throwable(e)
        return results

    def _check_values(
        self, configs: Sequence[IncrementalAlterConfigsRequestData.AlterableConfig
                                | AlterConfigsRequestData.AlterableConfig],
        null_updates: Sequence[str],
    ) -> None:
        if self.contains_duplicates([config.name for config in configs]):
            raise InvalidRequestException("Error due to duplicate config keys")
        if null_updates:
            raise InvalidRequestException(f"Null value not supported for : {', '.join(null_updates)}")

    def _check_resource(self, config_resource: ConfigResource, type_on_the_wire: int,
                        authorize: Callable[[ResourceType, str], bool],
                        validate: Callable[[], None]) -> ApiError | None:
        """Return the result of a resource, None if the controller handles the resource."""
        if config_resource.type() is ConfigResource.Type.BROKER:
            # An empty name means all brokers.
            if config_resource.name():
                self.validate_resource_name_is_current_node_id(config_resource.name())
            # DEVIATION D251: the client's permission is checked before its values, because checking values
            # takes time and looks up classes. The origin checks the values first, and its controller checks
            # the permission.
            if not authorize(ResourceType.CLUSTER, Resource.CLUSTER_NAME):
                return ApiError.of(Errors.CLUSTER_AUTHORIZATION_FAILED)
            with self._conf.dynamic_config().only_allowed_classes():
                validate()
        elif config_resource.type() not in _OF_CONTROLLER:
            raise InvalidRequestException(f"Unknown resource type {type_on_the_wire}")
        return None

    def _validate_incremental_broker_config_change(self, resource: IAlterConfigsResource,
                                                   config_resource: ConfigResource) -> None:
        """
        :origin: kafka.server.ConfigAdminManager#validateBrokerConfigChange(IAlterConfigsResource, ConfigResource)
        """  # noqa: E501
        per_broker_config = bool(config_resource.name())
        config_props = self._conf.dynamic_config().from_persistent_props(
            self._config_repository.config(config_resource), per_broker_config)
        ops: list[tuple[OpType, str, str | None]] = []
        for config in resource.configs:
            op_type = OpType.for_id(config.config_operation)
            if op_type is None:
                raise InvalidRequestException(f"Unknown operations type {config.config_operation}")
            ops.append((op_type, config.name, config.value))
        self.prepare_incremental_configs(ops, config_props, kafka_config_def.config_keys())
        self._validate_broker_config_change(config_props, config_resource)

    def _validate_broker_config_change(self, props: Mapping[str, str],
                                       config_resource: ConfigResource) -> None:
        """Raise InvalidRequestException if ``props`` are not valid for this broker.

        :origin: kafka.server.ConfigAdminManager#validateBrokerConfigChange(Properties, ConfigResource)
        """
        try:
            self._conf.dynamic_config().validate(props, bool(config_resource.name()))
        except ApiException:
            raise
        except BaseException as e:
            self.error("validation of settings %s for %s failed", sorted(props), config_resource, exc=e)
            raise InvalidRequestException(str(e)) from e

    def preprocess_legacy(self, request: AlterConfigsRequestData,
                          authorize: Callable[[ResourceType, str], bool]) -> Preprocessed:
        """Return the results that are already known.

        :origin: kafka.server.ConfigAdminManager#preprocess(AlterConfigsRequestData)
        """
        def preprocess_resource(resource: LAlterConfigsResource,
                                config_resource: ConfigResource) -> ApiError | None:
            self._check_values(resource.configs, [
                config.name for config in resource.configs if config.value is None])
            return self._check_resource(
                config_resource, resource.resource_type, authorize,
                lambda: self._validate_broker_config_change(
                    {config.name: config.value or "" for config in resource.configs}, config_resource))

        return self._preprocess(request.resources, preprocess_resource)

    def validate_resource_name_is_current_node_id(self, name: str) -> None:
        """Raise InvalidRequestException if the resource is another broker.

        :origin: kafka.server.ConfigAdminManager#validateResourceNameIsCurrentNodeId
        """
        if to_int(name, f"Node id must be an integer, but it is: {name}") != self._node_id:
            raise InvalidRequestException(
                f"Unexpected broker id, expected {self._node_id}, but received {name}")

    @staticmethod
    def copy_without_preprocessed(resources: Sequence[R], processed: Preprocessed) -> list[R]:
        """Return copies of the resources that the controller handles.

        :origin: kafka.server.ConfigAdminManager#copyWithoutPreprocessed(IncrementalAlterConfigsRequestData, IdentityHashMap<IAlterConfigsResource,ApiError>)
        :origin: kafka.server.ConfigAdminManager#copyWithoutPreprocessed(AlterConfigsRequestData, IdentityHashMap<LAlterConfigsResource,ApiError>)
        """  # noqa: E501
        return [resource.duplicate() for place, resource in enumerate(resources) if place not in processed]

    @staticmethod
    def reassemble_incremental_response(
        original: IncrementalAlterConfigsRequestData, preprocessing_responses: Preprocessed,
        persistent_responses: IncrementalAlterConfigsResponseData,
    ) -> IncrementalAlterConfigsResponseData:
        """Return all results in the order of the request.

        :origin: kafka.server.ConfigAdminManager#reassembleIncrementalResponse
        """
        by_resource = {(response.resource_name, response.resource_type):
                       ApiError.for_code(response.error_code, response.error_message)
                       for response in persistent_responses.responses}
        return IncrementalAlterConfigsResponseData(responses=[
            IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse(
                resource_name=resource.resource_name, resource_type=resource.resource_type,
                error_code=error.error().code, error_message=error.message())
            for resource, error in _reassemble(original.resources, preprocessing_responses, by_resource)])

    @staticmethod
    def reassemble_legacy_response(
        original: AlterConfigsRequestData, preprocessing_responses: Preprocessed,
        persistent_responses: AlterConfigsResponseData,
    ) -> AlterConfigsResponseData:
        """Return all results in the order of the request.

        :origin: kafka.server.ConfigAdminManager#reassembleLegacyResponse
        """
        by_resource = {(response.resource_name, response.resource_type):
                       ApiError.for_code(response.error_code, response.error_message)
                       for response in persistent_responses.responses}
        return AlterConfigsResponseData(responses=[
            AlterConfigsResponseData.AlterConfigsResourceResponse(
                resource_name=resource.resource_name, resource_type=resource.resource_type,
                error_code=error.error().code, error_message=error.message())
            for resource, error in _reassemble(original.resources, preprocessing_responses, by_resource)])

    @staticmethod
    def contains_duplicates(iterable: Sequence[str]) -> bool:
        """Return whether an element occurs twice.

        :origin: kafka.server.ConfigAdminManager#containsDuplicates
        """
        return len(set(iterable)) != len(iterable)

    @staticmethod
    def prepare_incremental_configs(
        alter_config_ops: Iterable[tuple[OpType, str, str | None]], config_props: dict[str, str],
        config_keys: Mapping[str, ConfigDef.ConfigKey],
    ) -> None:
        """Apply the operations to ``config_props``.

        Raises InvalidConfigurationException if an operation appends to a setting that is not a list.

        :origin: kafka.server.ConfigAdminManager#prepareIncrementalConfigs
        """
        def list_key(name: str, verb: str) -> ConfigDef.ConfigKey:
            config_key = config_keys[name]
            if config_key.type() is not ConfigDef.Type.LIST:
                raise InvalidConfigurationException(
                    f"Config value {verb} is not allowed for config key: {name}")
            return config_key

        def old_values(config_key: ConfigDef.ConfigKey) -> list[str]:
            old = config_props.get(config_key._name)
            if old is None:
                old = ConfigDef.convert_to_string(config_key._default_value, ConfigDef.Type.LIST)
            return old.split(",") if old else []

        for op_type, name, value in alter_config_ops:
            if op_type is OpType.DELETE:
                config_props.pop(name, None)
                continue
            assert value is not None, "refused before"
            if op_type is OpType.SET:
                config_props[name] = value
            elif op_type is OpType.APPEND:
                values = old_values(list_key(name, "append"))
                known = set(values)
                values += [new for new in value.split(",") if new not in known]
                config_props[name] = ",".join(values)
            else:
                values = old_values(list_key(name, "subtract"))
                config_props[name] = ",".join(list_without(values, value.split(",")))


def _reassemble(
    resources: Iterable[R], preprocessing_responses: Preprocessed,
    by_resource: Mapping[tuple[str, int], ApiError],
) -> Iterable[tuple[R, ApiError]]:
    for place, resource in enumerate(resources):
        error = preprocessing_responses.get(place)
        if error is None:
            error = by_resource[resource.resource_name, resource.resource_type]
        yield resource, error
