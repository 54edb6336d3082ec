# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.logger.RuntimeLoggerManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which changes of log levels are refused."""

from __future__ import annotations

import logging

import pytest

from kreactor.common.errors import InvalidConfigurationException, InvalidRequestException
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.core.server.logger.runtime_logger_manager import AlterableConfig, RuntimeLoggerManager
from kreactor.core.utils.log4j_controller import Log4jController

LOG = logging.getLogger(__name__)
MANAGER = RuntimeLoggerManager(5)


def validate(name: str, operation: int, value: str) -> None:
    MANAGER.validate_log_level_configs([
        AlterableConfig(name=name, config_operation=operation, value=value)])


def assert_nothing_is_set(name: str, operation: OpType, value: str) -> None:
    """Validate a change that is allowed: the logger keeps its level."""
    logger = logging.getLogger() if name == Log4jController.ROOT_LOGGER else logging.getLogger(name)
    before = logger.level
    validate(name, operation.value, value)
    assert logger.level == before


def test_validate_set_log_level_config() -> None:
    assert_nothing_is_set(LOG.name, OpType.SET, "TRACE")


def test_validate_delete_log_level_config() -> None:
    assert_nothing_is_set(LOG.name, OpType.DELETE, "")


@pytest.mark.parametrize("id", [2, 3])
def test_operation_not_allowed(id: int) -> None:
    op_type = OpType.for_id(id)
    assert op_type is not None
    with pytest.raises(InvalidRequestException) as e:
        validate(LOG.name, id, "TRACE")
    assert str(e.value) == f"{op_type.name} operation is not allowed for the BROKER_LOGGER resource"


def test_validate_bogus_log_level_name_not_allowed() -> None:
    with pytest.raises(InvalidConfigurationException) as e:
        validate(LOG.name, OpType.SET.value, "BOGUS")
    assert str(e.value) == (
        f"Cannot set the log level of {LOG.name} to BOGUS as it is not a supported log level. "
        "Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN")


def test_validate_set_root_log_level_config() -> None:
    assert_nothing_is_set(Log4jController.ROOT_LOGGER, OpType.SET, "TRACE")


def test_validate_remove_root_log_level_config_not_allowed() -> None:
    with pytest.raises(InvalidRequestException) as e:
        validate(Log4jController.ROOT_LOGGER, OpType.DELETE.value, "")
    assert str(e.value) == "Removing the log level of the root logger is not allowed"
