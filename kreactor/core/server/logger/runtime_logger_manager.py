# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.logger.RuntimeLoggerManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes the levels of loggers while the process runs. As in Kafka, the levels are not stored."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kreactor.common.errors import (
    ClusterAuthorizationException,
    InvalidConfigurationException,
    InvalidRequestException,
)
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.core.utils.log4j_controller import Log4jController
from kreactor.core.utils.logging import Logging

AlterableConfig = IncrementalAlterConfigsRequestData.AlterableConfig
AlterConfigsResource = IncrementalAlterConfigsRequestData.AlterConfigsResource

# The valid levels. In Kafka they are in LogLevelConfig of the admin client.
_VALID_LOG_LEVELS = frozenset(("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"))
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


class RuntimeLoggerManager(Logging):
    """For use by any thread.

    :origin: kafka.server.logger.RuntimeLoggerManager
    """

    VALID_LOG_LEVELS_STRING = ", ".join(sorted(_VALID_LOG_LEVELS))

    def __init__(self, node_id: int) -> None:
        """:origin: kafka.server.logger.RuntimeLoggerManager#RuntimeLoggerManager(int, Logger)"""
        self._node_id = node_id

    def apply_changes_for_resource(self, authorized_for_cluster_resource: bool, validate_only: bool,
                                   resource: AlterConfigsResource) -> None:
        """Check the levels of a request, then set them.

        Raises ClusterAuthorizationException, InvalidRequestException or InvalidConfigurationException, and
        changes nothing then.

        :origin: kafka.server.logger.RuntimeLoggerManager#applyChangesForResource(
            boolean, boolean, AlterConfigsResource)
        """
        if not authorized_for_cluster_resource:
            raise ClusterAuthorizationException(Errors.CLUSTER_AUTHORIZATION_FAILED.message())
        self.validate_resource_name_is_node_id(resource.resource_name)
        self.validate_log_level_configs(resource.configs)
        if not validate_only:
            self.alter_log_level_configs(resource.configs)

    def alter_log_level_configs(self, ops: Iterable[AlterableConfig]) -> None:
        """Set levels, or remove them so that the parent logger's level applies.

        :origin: kafka.server.logger.RuntimeLoggerManager#alterLogLevelConfigs(Collection<AlterableConfig>)
        """
        for op in ops:
            if OpType.for_id(op.config_operation) is OpType.DELETE:
                if Log4jController.unset_log_level(op.name):
                    self.warn("unset the log level of %s", op.name)
                else:
                    self.error("failed to unset the log level of %s", op.name)
            elif Log4jController.log_level(op.name, op.value or ""):
                self.warn("updated the log level of %s to %s", op.name, op.value)
            else:
                self.error("failed to update the log level of %s to %s", op.name, op.value)

    def validate_resource_name_is_node_id(self, resource_name: str) -> None:
        """Raise InvalidRequestException if the resource is not this node.

        :origin: kafka.server.logger.RuntimeLoggerManager#validateResourceNameIsNodeId(String)
        """
        if _INTEGER.fullmatch(resource_name) is None or not -2**31 <= int(resource_name) < 2**31:
            raise InvalidRequestException(f"Node id must be an integer, but it is: {resource_name}")
        if int(resource_name) != self._node_id:
            # Kafka repeats the id in the same way.
            raise InvalidRequestException(
                f"Unexpected node id. Expected {self._node_id}, but received {self._node_id}")

    def validate_logger_name_exists(self, logger_name: str) -> None:
        """Raise InvalidConfigurationException if the logger does not exist.

        :origin: kafka.server.logger.RuntimeLoggerManager#validateLoggerNameExists(String)
        """
        if not Log4jController.logger_exists(logger_name):
            raise InvalidConfigurationException(f"Logger {logger_name} does not exist!")

    def validate_log_level_configs(self, ops: Iterable[AlterableConfig]) -> None:
        """Raise InvalidConfigurationException or InvalidRequestException if a change is invalid.

        :origin: kafka.server.logger.RuntimeLoggerManager#validateLogLevelConfigs(Collection<AlterableConfig>)
        """
        for op in ops:
            logger_name = op.name
            op_type = OpType.for_id(op.config_operation)
            if op_type is OpType.SET:
                self.validate_logger_name_exists(logger_name)
                if op.value not in _VALID_LOG_LEVELS:
                    raise InvalidConfigurationException(
                        f"Cannot set the log level of {logger_name} to {op.value} as it is not a supported "
                        f"log level. Valid log levels are {self.VALID_LOG_LEVELS_STRING}")
            elif op_type is OpType.DELETE:
                self.validate_logger_name_exists(logger_name)
                if logger_name == Log4jController.ROOT_LOGGER:
                    raise InvalidRequestException(
                        f"Removing the log level of the {Log4jController.ROOT_LOGGER} logger is not allowed")
            elif op_type is not None:
                raise InvalidRequestException(
                    f"{op_type.name} operation is not allowed for the BROKER_LOGGER resource")
            else:
                raise TypeError("an operation that is none")  # in Kafka a switch on null
