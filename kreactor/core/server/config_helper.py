# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ConfigHelper of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Describes the settings of topics, of the broker, and of its loggers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import ApiException, InvalidRequestException
from kreactor.common.internals.topic import Topic
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_configs_request import DescribeConfigsRequest
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server import kafka_config_def
from kreactor.core.server.auth_helper import AuthHelper
from kreactor.core.server.dynamic_broker_config import DynamicBrokerConfig
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.mentions import limited_mentions
from kreactor.core.server.metadata.config_repository import ConfigRepository
from kreactor.core.server.metadata_cache import MetadataCache
from kreactor.core.utils.log4j_controller import Log4jController
from kreactor.core.utils.logging import Logging
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.storage.internals.log.log_config import LogConfig

ConfigSource = DescribeConfigsResponse.ConfigSource
ConfigType = DescribeConfigsResponse.ConfigType
DescribeConfigsResource = DescribeConfigsRequestData.DescribeConfigsResource
DescribeConfigsResult = DescribeConfigsResponseData.DescribeConfigsResult
DescribeConfigsResourceResult = DescribeConfigsResponseData.DescribeConfigsResourceResult
DescribeConfigsSynonym = DescribeConfigsResponseData.DescribeConfigsSynonym

# Texts that Java parses as an integer, unless the number is too large. Digits of any script count.
_INTEGER = re.compile(r"[+-]?\d+")
_OF_CLUSTER = (ConfigResource.Type.BROKER, ConfigResource.Type.BROKER_LOGGER,
               ConfigResource.Type.CLIENT_METRICS)


class ConfigHelper(Logging):
    """For use by any thread.

    :origin: kafka.server.ConfigHelper
    """

    def __init__(self, metadata_cache: MetadataCache, config: KafkaConfig,
                 config_repository: ConfigRepository) -> None:
        """:origin: kafka.server.ConfigHelper#ConfigHelper"""
        self._metadata_cache = metadata_cache
        self._config = config
        self._config_repository = config_repository

    def all_configs(self, config: AbstractConfig) -> dict[str, Any]:
        """Return all settings of ``config``, and the unknown settings that it was given.

        :origin: kafka.server.ConfigHelper#allConfigs
        """
        return {name: value for name, value in config.originals().items()
                if value is not None} | config.non_internal_values()

    def handle_describe_configs_request(self, request: RequestChannel.Request,
                                        auth_helper: AuthHelper) -> DescribeConfigsResponseData:
        """Return the response. Raises InvalidRequestException for a resource type that has no settings.

        :origin: kafka.server.ConfigHelper#handleDescribeConfigsRequest
        """
        data = request.body(DescribeConfigsRequest).data()
        authorized_resources: list[DescribeConfigsResource] = []
        unauthorized_configs: list[DescribeConfigsResult] = []
        for resource in limited_mentions(
                data.resources, lambda resource: (resource.resource_type, resource.resource_name)):
            resource_type = ConfigResource.Type.for_id(resource.resource_type)
            if resource_type in _OF_CLUSTER:
                is_authorized = auth_helper.authorize(
                    request.context, AclOperation.DESCRIBE_CONFIGS, ResourceType.CLUSTER,
                    Resource.CLUSTER_NAME)
                error = Errors.CLUSTER_AUTHORIZATION_FAILED
            elif resource_type is ConfigResource.Type.TOPIC:
                is_authorized = auth_helper.authorize(
                    request.context, AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC,
                    resource.resource_name)
                error = Errors.TOPIC_AUTHORIZATION_FAILED
            else:
                raise InvalidRequestException(f"Unexpected resource type {resource_type.name} for resource "
                                              f"{resource.resource_name}")
            if is_authorized:
                authorized_resources.append(resource)
            else:
                unauthorized_configs.append(DescribeConfigsResult(
                    error_code=error.code, error_message=error.message(), configs=[],
                    resource_name=resource.resource_name, resource_type=resource.resource_type))
        authorized_configs = self.describe_configs(
            authorized_resources, data.include_synonyms, data.include_documentation)
        return DescribeConfigsResponseData(results=authorized_configs + unauthorized_configs)

    def describe_configs(
        self, resource_to_config_names: Sequence[DescribeConfigsResource], include_synonyms: bool,
        include_documentation: bool,
    ) -> list[DescribeConfigsResult]:
        """Return the settings of each resource, or the error why they cannot be described.

        :origin: kafka.server.ConfigHelper#describeConfigs
        """
        return [self._describe_config(resource, include_synonyms, include_documentation)
                for resource in resource_to_config_names]

    def _describe_config(self, resource: DescribeConfigsResource, include_synonyms: bool,
                         include_documentation: bool) -> DescribeConfigsResult:
        def create_response_config(
            configs: Mapping[str, Any],
            create_config_entry: Callable[[str, Any], DescribeConfigsResourceResult],
        ) -> DescribeConfigsResult:
            keys = resource.configuration_keys
            return DescribeConfigsResult(
                error_code=Errors.NONE.code,
                configs=[create_config_entry(name, value) for name, value in configs.items()
                         if not keys or name in keys])

        try:
            resource_type = ConfigResource.Type.for_id(resource.resource_type)
            name = resource.resource_name
            if resource_type is ConfigResource.Type.TOPIC:
                Topic.validate(name)
                if self._metadata_cache.contains(name):
                    topic_props = self._config_repository.topic_config(name)
                    log_config = AbstractConfig(
                        LogConfig.config_def_copy(),
                        {**self._config.extract_log_config_map(), **topic_props}, False)
                    config_result = create_response_config(
                        self.all_configs(log_config),
                        lambda key, value: self.create_topic_config_entry(
                            log_config, topic_props, include_synonyms, include_documentation, key, value))
                else:
                    config_result = DescribeConfigsResult(
                        error_code=Errors.UNKNOWN_TOPIC_OR_PARTITION.code, configs=[])
            elif resource_type is ConfigResource.Type.BROKER:
                if not name:
                    config_result = create_response_config(
                        self._config.dynamic_config().current_dynamic_default_configs(),
                        lambda key, value: self._create_broker_config_entry(
                            False, include_synonyms, include_documentation, key, value))
                elif self._resource_name_to_broker_id(name) == self._config.broker_id():
                    config_result = create_response_config(
                        self.all_configs(self._config),
                        lambda key, value: self._create_broker_config_entry(
                            True, include_synonyms, include_documentation, key, value))
                else:
                    raise InvalidRequestException(
                        f"Unexpected broker id, expected {self._config.broker_id()} or empty string, but "
                        f"received {name}")
            elif resource_type is ConfigResource.Type.BROKER_LOGGER:
                if not name:
                    raise InvalidRequestException("Broker id must not be empty")
                elif self._resource_name_to_broker_id(name) != self._config.broker_id():
                    raise InvalidRequestException(
                        f"Unexpected broker id, expected {self._config.broker_id()} but received {name}")
                config_result = create_response_config(
                    Log4jController.loggers(),
                    lambda key, value: DescribeConfigsResourceResult(
                        name=key, value=value, config_source=ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG.id(),
                        is_sensitive=False, read_only=False, synonyms=[]))
            elif resource_type is ConfigResource.Type.CLIENT_METRICS:
                if not name:
                    raise InvalidRequestException("Client metrics subscription name must not be empty")
                entity_props = self._config_repository.config(
                    ConfigResource(ConfigResource.Type.CLIENT_METRICS, name))
                config_result = DescribeConfigsResult(
                    error_code=Errors.NONE.code,
                    configs=[DescribeConfigsResourceResult(
                        name=key, value=value, config_source=ConfigSource.CLIENT_METRICS_CONFIG.id(),
                        is_sensitive=False, read_only=False, synonyms=[])
                        for key, value in entity_props.items()])
            else:
                raise InvalidRequestException(f"Unsupported resource type: {resource_type.name}")
            config_result.resource_name = name
            config_result.resource_type = resource.resource_type
            return config_result
        except Exception as e:
            if isinstance(e, ApiException):
                self.info("error processing describe configs request for resource %s", resource, exc=e)
            else:
                self.error("error processing describe configs request for resource %s", resource, exc=e)
            err = ApiError.from_throwable(e)
            return DescribeConfigsResult(
                resource_name=resource.resource_name, resource_type=resource.resource_type,
                error_message=err.message(), error_code=err.error().code, configs=[])

    def create_topic_config_entry(
        self, log_config: AbstractConfig, topic_props: Mapping[str, str], include_synonyms: bool,
        include_documentation: bool, name: str, value: Any,
    ) -> DescribeConfigsResourceResult:
        """Return the response's entry for a setting of a topic.

        :origin: kafka.server.ConfigHelper#createTopicConfigEntry
        """
        config_entry_type = LogConfig.config_type(name)
        is_sensitive = KafkaConfig.maybe_sensitive(config_entry_type)
        value_as_string = None if is_sensitive else ConfigDef.convert_to_string(value, config_entry_type)
        server_name = ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(name)
        all_synonyms = ([] if server_name is None else
                        self._config_synonyms(server_name, self._broker_synonyms(server_name), is_sensitive))
        if name in topic_props:
            all_synonyms.insert(0, DescribeConfigsSynonym(
                name=name, value=value_as_string, source=ConfigSource.TOPIC_CONFIG.id()))
        return DescribeConfigsResourceResult(
            name=name, value=value_as_string,
            config_source=all_synonyms[0].source if all_synonyms else ConfigSource.DEFAULT_CONFIG.id(),
            is_sensitive=is_sensitive, read_only=False, synonyms=all_synonyms if include_synonyms else [],
            documentation=log_config.documentation_of(name) if include_documentation else None,
            config_type=self._config_response_type(config_entry_type).id())

    def _create_broker_config_entry(
        self, per_broker_config: bool, include_synonyms: bool, include_documentation: bool, name: str,
        value: Any,
    ) -> DescribeConfigsResourceResult:
        """Return the response's entry for a setting of this broker, or of all brokers if not
        ``per_broker_config``.

        :origin: kafka.server.ConfigHelper#createBrokerConfigEntry
        """
        all_names = self._broker_synonyms(name)
        config_entry_type = KafkaConfig.config_type(name)
        is_sensitive = KafkaConfig.maybe_sensitive(config_entry_type)
        value_as_string: str | None
        if is_sensitive:
            value_as_string = None
        elif isinstance(value, str):
            value_as_string = value
        else:
            value_as_string = ConfigDef.convert_to_string(value, config_entry_type)
        all_synonyms = [synonym for synonym in self._config_synonyms(name, all_names, is_sensitive)
                        if per_broker_config
                        or synonym.source == ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.id()]
        return DescribeConfigsResourceResult(
            name=name, value=value_as_string,
            config_source=all_synonyms[0].source if all_synonyms else ConfigSource.DEFAULT_CONFIG.id(),
            is_sensitive=is_sensitive, read_only=name not in DynamicBrokerConfig.AllDynamicConfigs,
            synonyms=all_synonyms if include_synonyms else [],
            documentation=self._broker_documentation(name) if include_documentation else None,
            config_type=self._config_response_type(config_entry_type).id())

    def _config_synonyms(self, name: str, synonyms: Sequence[str],
                         is_sensitive: bool) -> list[DescribeConfigsSynonym]:
        """Return the sources of the value of ``name``, the strongest first.

        :origin: kafka.server.ConfigHelper#configSynonyms
        """
        dynamic_config = self._config.dynamic_config()
        all_synonyms = [
            DescribeConfigsSynonym(name=synonym, value=None if is_sensitive else configs[synonym],
                                   source=source.id())
            for configs, source in (
                (dynamic_config.current_dynamic_broker_configs(), ConfigSource.DYNAMIC_BROKER_CONFIG),
                (dynamic_config.current_dynamic_default_configs(),
                 ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
                (dynamic_config.static_broker_configs(), ConfigSource.STATIC_BROKER_CONFIG),
                (dynamic_config.static_default_configs(), ConfigSource.DEFAULT_CONFIG))
            for synonym in synonyms if synonym in configs]
        # A listener's override is not a synonym of the setting for all listeners.
        while all_synonyms and all_synonyms[0].name != name:
            del all_synonyms[0]
        return all_synonyms

    def _broker_synonyms(self, name: str) -> list[str]:
        """:origin: kafka.server.ConfigHelper#brokerSynonyms"""
        return DynamicBrokerConfig.broker_config_synonyms(name, match_listener_override=True)

    def _broker_documentation(self, name: str) -> str | None:
        """:origin: kafka.server.ConfigHelper#brokerDocumentation"""
        # DEVIATION D500: kreactor's own settings have a text, too.
        own = kafka_config_def.OWN_CONFIG_DEF.config_keys().get(name)
        return self._config.documentation_of(name) if own is None else own._documentation

    def _config_response_type(self,
                              config_type: ConfigDef.Type | None) -> DescribeConfigsResponse.ConfigType:
        """:origin: kafka.server.ConfigHelper#configResponseType"""
        # The two enums have the same names.
        return ConfigType.UNKNOWN if config_type is None else ConfigType.__members__[config_type.name]

    def _resource_name_to_broker_id(self, resource_name: str) -> int:
        """Return the broker's id. Raises InvalidRequestException if ``resource_name`` is not an integer.

        :origin: kafka.server.ConfigHelper#resourceNameToBrokerId
        """
        try:
            if _INTEGER.fullmatch(resource_name) is not None:
                broker_id = int(resource_name)
                if -2**31 <= broker_id < 2**31:
                    return broker_id
        except ValueError:
            pass  # int refuses thousands of digits
        raise InvalidRequestException(f"Broker id must be an integer, but it is: {resource_name}")
