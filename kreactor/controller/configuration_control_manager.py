# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ConfigurationControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes the settings of topics, brokers and subscriptions, with the errors of Kafka's controller.

Kafka's controller writes records to a log that brokers follow. Here the node's storage is changed, and the
node's own settings with it. In Kafka a request changes everything or nothing; here this holds for each
resource.

Locks: ``_lock`` admits one change at a time, so that the applied settings follow the stored ones. It is held
while the file is written, and while the parts of the broker reconfigure themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import (
    ApiException,
    BrokerIdNotRegisteredException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.common.utils.log_context import LogContext
from kreactor.controller.user_op import UserOpRecords
from kreactor.core.server.config_handler import (
    BrokerConfigHandler,
    ClientMetricsConfigHandler,
    ConfigHandler,
)
from kreactor.core.server.controller_configuration_validator import ControllerConfigurationValidator, to_int
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.locks import ReentrantLock
from kreactor.metadata.kafka_config_schema import CONFIG_SCHEMA, ConfigEntry
from kreactor.metadata.node_storage import NodeStorage
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.config.zoo_keeper_internals import ZooKeeperInternals

KeysToOps = Mapping[str, tuple[OpType | None, str | None]]

log = LogContext("[ConfigurationControlManager] ").logger(f"{__name__}.ConfigurationControlManager")


class ConfigurationControlManager:
    """For use by any thread.

    :origin: controller.ConfigurationControlManager
    """

    def __init__(self, config: KafkaConfig, storage: NodeStorage,
                 registered: Callable[[], Collection[int]] | None = None,
                 changed: Callable[[ConfigResource], None] | None = None) -> None:
        """``registered`` returns the ids of the brokers, by default the one broker. ``changed`` is called
        after a change.

        :origin: controller.ConfigurationControlManager#ConfigurationControlManager(LogContext, SnapshotRegistry, KafkaConfigSchema, Consumer<ConfigResource>, Optional<AlterConfigPolicy>, ConfigurationValidator, Map<String,Object>, int)
        """  # noqa: E501
        self._config = config
        self._storage = storage
        self._registered = registered or (lambda: (config.broker_id(),))
        self._changed = changed
        self._validator = ControllerConfigurationValidator(config)
        self._lock = ReentrantLock()
        # Guarded by the lock: the handlers that apply stored settings, by resource type.
        self._config_handlers: dict[ConfigResource.Type, ConfigHandler] = {
            ConfigResource.Type.BROKER: BrokerConfigHandler(config)}

    def incremental_alter_configs(
        self, config_changes: Mapping[ConfigResource, KeysToOps], validate_only: bool,
    ) -> dict[ConfigResource, ApiError]:
        """Apply set, delete, append and subtract operations; return the result of each resource.

        Raises TypeError for an unknown operation, or PolicyViolationException above the limit of changes; then
        nothing has changed.

        :origin: controller.ConfigurationControlManager#incrementalAlterConfigs(Map<ConfigResource,Map<String,Entry<OpType,String>>>, boolean)
        """  # noqa: E501
        with self._lock:
            to_apply: dict[ConfigResource, dict[str, str]] = {}
            output_records = UserOpRecords()
            output_results = {
                resource: self._incremental_alter_config_resource(
                    resource, keys_to_ops, to_apply, output_records)
                for resource, keys_to_ops in config_changes.items()}
            if not validate_only:
                self._apply(to_apply, output_results)
            return output_results

    def _incremental_alter_config_resource(
        self, config_resource: ConfigResource, keys_to_ops: KeysToOps,
        to_apply: dict[ConfigResource, dict[str, str]], output_records: UserOpRecords,
    ) -> ApiError:
        """Check the changes of one resource; if they are valid, put the resulting settings into ``to_apply``.

        Adds the number of changed settings to ``output_records``.

        :origin: controller.ConfigurationControlManager#incrementalAlterConfigResource(ConfigResource, Map<String,Entry<OpType,String>>, boolean, List<ApiMessageAndVersion>)
        """  # noqa: E501
        current_configs = self.get_configs(config_resource)
        new_configs = dict(current_configs)
        new_records = 0
        for key, (op_type, op_value) in keys_to_ops.items():
            new_value = current_configs.get(key)
            if op_type is OpType.SET:
                new_value = op_value
            elif op_type is OpType.DELETE:
                new_value = None
            elif op_type is OpType.APPEND or op_type is OpType.SUBTRACT:
                if not CONFIG_SCHEMA.is_splittable(config_resource.type(), key):
                    return ApiError(Errors.INVALID_CONFIG,
                                    f"Can't {op_type.name} to key {key} because its type is not LIST.")
                assert op_value is not None, "refused before"
                old_value_list = self._get_parts(new_value, key, config_resource)
                if op_type is OpType.SUBTRACT:
                    new_value = ",".join(list_without(old_value_list, _split(op_value)))
                else:
                    new_value = ",".join(list_with(old_value_list, _split(op_value)))
            else:
                raise TypeError("an operation that is none")  # in Kafka a switch on null
            new_records += _is_record(config_resource, current_configs.get(key), new_value)
            if new_value is None:
                new_configs.pop(key, None)
            else:
                new_configs[key] = new_value
        error = self.validate_alter_config(config_resource, new_configs, False)
        if not error.is_failure():
            output_records.add(new_records)
            to_apply[config_resource] = new_configs
        return error

    def validate_alter_config(self, config_resource: ConfigResource, all_configs: Mapping[str, str],
                              newly_created_resource: bool) -> ApiError:
        """Return the error of a resource's new settings, taken together, or NONE.

        :origin: controller.ConfigurationControlManager#validateAlterConfig(ConfigResource, List<ApiMessageAndVersion>, List<ApiMessageAndVersion>, boolean)
        """  # noqa: E501
        try:
            self._validator.validate(config_resource, all_configs)
            if not newly_created_resource:
                self._check_existence(config_resource)
        except ConfigException as e:
            return ApiError(Errors.INVALID_CONFIG, str(e))
        except Exception as e:
            api_error = ApiError.from_throwable(e)
            if api_error.is_(Errors.UNKNOWN_SERVER_ERROR):
                log.error("unexpected error while checking new settings", exc=e)
            return api_error
        return ApiError.NONE

    def _check_existence(self, resource: ConfigResource) -> None:
        """Raise BrokerIdNotRegisteredException or UnknownTopicOrPartitionException if the resource does not
        exist.

        :origin: controller.QuorumController.ConfigResourceExistenceChecker#accept(ConfigResource)
        """
        name = resource.name()
        if resource.type() is ConfigResource.Type.BROKER:
            if name and (node_id := to_int(name, f"Invalid broker name {name}")) not in self._registered():
                raise BrokerIdNotRegisteredException(f"No node with id {node_id} found.")
        elif resource.type() is ConfigResource.Type.TOPIC and self._storage.topics().topic(name) is None:
            raise UnknownTopicOrPartitionException(f"The topic '{name}' does not exist.")

    def legacy_alter_configs(
        self, new_configs: Mapping[ConfigResource, Mapping[str, str]], validate_only: bool,
    ) -> dict[ConfigResource, ApiError]:
        """Replace all settings of resources; return the result of each.

        Raises PolicyViolationException above the limit of changes; then nothing has changed.

        :origin: controller.ConfigurationControlManager#legacyAlterConfigs(Map<ConfigResource,Map<String,String>>, boolean)
        """  # noqa: E501
        with self._lock:
            to_apply: dict[ConfigResource, dict[str, str]] = {}
            output_results: dict[ConfigResource, ApiError] = {}
            output_records = UserOpRecords()
            for resource, configs in new_configs.items():
                self._legacy_alter_config_resource(
                    resource, configs, to_apply, output_records, output_results)
            if not validate_only:
                self._apply(to_apply, output_results)
            return output_results

    def _legacy_alter_config_resource(
        self, config_resource: ConfigResource, new_configs: Mapping[str, str],
        to_apply: dict[ConfigResource, dict[str, str]], output_records: UserOpRecords,
        output_results: dict[ConfigResource, ApiError],
    ) -> None:
        """
        :origin: controller.ConfigurationControlManager#legacyAlterConfigResource(ConfigResource, Map<String,String>, boolean, List<ApiMessageAndVersion>, Map<ConfigResource,ApiError>)
        """  # noqa: E501
        error = self.validate_alter_config(config_resource, new_configs, False)
        output_results[config_resource] = error
        if not error.is_failure():
            current_configs = self.get_configs(config_resource)
            output_records.add(sum(_is_record(config_resource, current_configs.get(key), value)
                                   for key, value in new_configs.items())
                               + len(current_configs.keys() - new_configs.keys()))
            to_apply[config_resource] = dict(new_configs)

    def _apply(self, to_apply: Mapping[ConfigResource, Mapping[str, str]],
               output_results: dict[ConfigResource, ApiError]) -> None:
        """Store settings and apply them. Each file is written once; a failed write gives an error."""
        topics = {resource.name(): configs for resource, configs in to_apply.items()
                  if resource.type() is ConfigResource.Type.TOPIC}
        others = {resource: configs for resource, configs in to_apply.items()
                  if resource.type() is not ConfigResource.Type.TOPIC}
        failed: dict[ConfigResource, ApiException] = {}
        if topics:
            failed.update((ConfigResource(ConfigResource.Type.TOPIC, name), result)
                          for name, result in self._storage.alter_topic_configs(topics).items()
                          if isinstance(result, ApiException))
        if others:
            try:
                self._storage.configs().replace_all(others)
            except ApiException as e:
                failed.update(dict.fromkeys(others, e))
        for resource, configs in to_apply.items():
            if resource not in failed and resource.type() is not ConfigResource.Type.TOPIC:
                try:
                    self.process_changes(resource)
                    if self._changed is not None:
                        self._changed(resource)
                except ApiException as e:
                    failed[resource] = e
            if resource in failed:
                output_results[resource] = ApiError.from_throwable(failed[resource])
            else:
                log.info("changed settings of %s to %s", resource, {
                    key: "[hidden]" if CONFIG_SCHEMA.is_sensitive(resource.type(), key) else value
                    for key, value in configs.items()})

    def process_changes(self, resource: ConfigResource) -> None:
        """Apply the stored settings of a broker or a subscription, if they concern this node."""
        handler = self._config_handlers.get(resource.type())
        if handler is None:
            return
        try:
            handler.process_config_changes(
                ZooKeeperInternals.DEFAULT_STRING if resource.is_default() else resource.name(),
                self.get_configs(resource))
        except Exception as e:
            if resource.type() is not ConfigResource.Type.CLIENT_METRICS:
                raise
            log.error("failed to apply the client metrics subscription %s",
                      resource.name(), exc=e)

    def set_client_metrics_manager(self, client_metrics_manager: ClientMetricsManager) -> None:
        """Give ``client_metrics_manager`` the stored subscriptions, and each change of them."""
        with self._lock:
            self._config_handlers[ConfigResource.Type.CLIENT_METRICS] = ClientMetricsConfigHandler(
                client_metrics_manager)
            for name in self._storage.configs().names(ConfigResource.Type.CLIENT_METRICS):
                self.process_changes(ConfigResource(ConfigResource.Type.CLIENT_METRICS, name))

    def _get_parts(self, value: str | None, key: str, config_resource: ConfigResource) -> list[str]:
        """Return the elements of a list setting, those of its default if it has no value.

        :origin: controller.ConfigurationControlManager#getParts(String, String, ConfigResource)
        """
        if value is None:
            value = CONFIG_SCHEMA.get_default(config_resource.type(), key)
        return [] if value is None else [part for part in value.split(",") if part]

    def get_configs(self, config_resource: ConfigResource) -> Mapping[str, str]:
        """Return the settings of a resource.

        :origin: controller.ConfigurationControlManager#getConfigs(ConfigResource)
        """
        if config_resource.type() is ConfigResource.Type.TOPIC:
            topic = self._storage.topics().topic(config_resource.name())
            return {} if topic is None else topic.configs
        return self._storage.configs().config(config_resource)

    def compute_effective_topic_configs(self, creation_configs: Mapping[str, str]) -> dict[str, ConfigEntry]:
        """Return all settings of a topic with these settings of its own.

        :origin: controller.ConfigurationControlManager#computeEffectiveTopicConfigs(Map<String,String>)
        """
        dynamic_config = self._config.dynamic_config()
        return CONFIG_SCHEMA.resolve_effective_topic_configs(
            self._config.originals_from_this_config(), dynamic_config.current_dynamic_default_configs(),
            dynamic_config.current_dynamic_broker_configs(), creation_configs)


def _is_record(resource: ConfigResource, current_value: str | None, new_value: str | None) -> bool:
    """Return whether a setting counts as changed: an unchanged one of a broker is applied again."""
    return current_value != new_value or resource.type() is ConfigResource.Type.BROKER


def list_with(values: Iterable[str], added: Iterable[str]) -> list[str]:
    """Return ``values``, followed by those of ``added`` that are not in it yet."""
    result = list(values)
    known = set(result)
    for value in added:
        if value not in known:
            known.add(value)
            result.append(value)
    return result


def list_without(values: Iterable[str], removed: Iterable[str]) -> list[str]:
    """Return ``values`` without the elements of ``removed``: each removes its first occurrence."""
    counts = Counter(removed)
    result = []
    for value in values:
        if counts[value]:
            counts[value] -= 1
        else:
            result.append(value)
    return result


def _split(value: str) -> list[str]:
    """Split at commas as Java does: empty texts at the end are dropped."""
    parts = value.split(",")
    while len(parts) > 1 and not parts[-1]:
        del parts[-1]
    return parts if any(parts) or len(parts) == 1 else []
