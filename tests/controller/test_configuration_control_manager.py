# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ConfigurationControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings change, and what is stored then.

The cases of Kafka have settings of their own, and look at records. These cases have settings of a broker and
of a topic in their place, and look at what is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import PolicyViolationException
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.controller import user_op
from kreactor.controller.configuration_control_manager import ConfigurationControlManager, KeysToOps
from kreactor.metadata.node_storage import NewTopic
from tests.core.server.node import Node

MYBROKER = ConfigResource(ConfigResource.Type.BROKER, "1")
MYTOPIC = ConfigResource(ConfigResource.Type.TOPIC, "mytopic")
# A list and a text of a topic, and a text and a number of a broker.
ABC, DEF = "leader.replication.throttled.replicas", "compression.type"
BAZ, QUUX = "compression.type", "num.io.threads"


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[ConfigurationControlManager]:
    with Node(tmp_path) as node:
        node.storage.create_topics([NewTopic("mytopic", 1, {})])
        yield node.configuration_control


def alter(manager: ConfigurationControlManager,
          changes: Mapping[ConfigResource, KeysToOps]) -> dict[ConfigResource, ApiError]:
    return manager.incremental_alter_configs(changes, False)


def test_incremental_alter_configs(manager: ConfigurationControlManager) -> None:
    assert alter(manager, {
        MYBROKER: {BAZ: (OpType.SUBTRACT, "abc"), QUUX: (OpType.SET, "abc")},
        MYTOPIC: {ABC: (OpType.APPEND, "1:1")},
    }) == {
        MYBROKER: ApiError(
            Errors.INVALID_CONFIG, f"Can't SUBTRACT to key {BAZ} because its type is not LIST."),
        MYTOPIC: ApiError.NONE}
    assert manager.get_configs(MYBROKER) == {}
    assert manager.get_configs(MYTOPIC) == {ABC: "1:1"}
    assert alter(manager, {MYTOPIC: {ABC: (OpType.DELETE, "xyz")}}) == {MYTOPIC: ApiError.NONE}
    assert manager.get_configs(MYTOPIC) == {}


def test_incremental_alter_multiple_config_values(manager: ConfigurationControlManager) -> None:
    def change(op_type: OpType, value: str) -> str:
        assert alter(manager, {MYTOPIC: {ABC: (op_type, value)}}) == {MYTOPIC: ApiError.NONE}
        return manager.get_configs(MYTOPIC)[ABC]

    assert change(OpType.APPEND, "1:1,2:2,3:3") == "1:1,2:2,3:3"
    # Values that are there already are no error.
    assert change(OpType.APPEND, "1:1,2:2") == "1:1,2:2,3:3"
    assert change(OpType.SUBTRACT, "1:1,2:2") == "3:3"
    # Nor are values that are not there.
    assert change(OpType.SUBTRACT, "1:2") == "3:3"


def test_incremental_alter_configs_without_existence(manager: ConfigurationControlManager) -> None:
    unknown_broker = ConfigResource(ConfigResource.Type.BROKER, "7")
    unknown_topic = ConfigResource(ConfigResource.Type.TOPIC, "unknown")
    assert alter(manager, {
        unknown_broker: {QUUX: (OpType.SET, "1")},
        unknown_topic: {DEF: (OpType.SET, "gzip")},
        MYTOPIC: {DEF: (OpType.SET, "gzip")},
    }) == {
        unknown_broker: ApiError(Errors.BROKER_ID_NOT_REGISTERED, "No node with id 7 found."),
        unknown_topic: ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic 'unknown' does not exist."),
        MYTOPIC: ApiError.NONE}
    assert manager.get_configs(unknown_broker) == manager.get_configs(unknown_topic) == {}
    assert manager.get_configs(MYTOPIC) == {DEF: "gzip"}


def test_legacy_alter_configs(manager: ConfigurationControlManager) -> None:
    both = {ABC: "4:5,6:7", DEF: "gzip"}
    assert manager.legacy_alter_configs({MYTOPIC: both}, False) == {MYTOPIC: ApiError.NONE}
    assert manager.get_configs(MYTOPIC) == both
    assert manager.legacy_alter_configs({MYTOPIC: {DEF: "gzip"}}, False) == {MYTOPIC: ApiError.NONE}
    assert manager.get_configs(MYTOPIC) == {DEF: "gzip"}


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("validate_only", [False, True])
def test_more_changes_than_the_limit_change_nothing(manager: ConfigurationControlManager, legacy: bool,
                                                    validate_only: bool,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused and unchanged settings do not count. A setting of a broker always counts."""
    monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
    alter(manager, {MYTOPIC: {DEF: (OpType.SET, "gzip")}})

    def change(*changes: tuple[ConfigResource, dict[str, str]]) -> set[Errors]:
        if legacy:
            results = manager.legacy_alter_configs(dict(changes), validate_only)
        else:
            results = manager.incremental_alter_configs({
                resource: {key: (OpType.SET, value) for key, value in configs.items()}
                for resource, configs in changes}, validate_only)
        return {error.error() for error in results.values()}

    def metrics(*names: str) -> list[tuple[ConfigResource, dict[str, str]]]:
        return [(ConfigResource(ConfigResource.Type.CLIENT_METRICS, name), {"interval.ms": "100000"})
                for name in names]

    same, bad = (MYTOPIC, {DEF: "gzip"}), (ConfigResource(ConfigResource.Type.TOPIC, "none"), {DEF: "gzip"})
    with pytest.raises(PolicyViolationException, match="excessively large batch"):
        change(same, *metrics("a", "b", "c", "d"))
    with pytest.raises(PolicyViolationException):
        change((MYBROKER, {BAZ: "gzip"}), *metrics("a", "b", "c"))
    assert manager.get_configs(metrics("a")[0][0]) == {}
    assert change(same, bad, *metrics("a", "b", "c")) == {Errors.NONE, Errors.UNKNOWN_TOPIC_OR_PARTITION}
    assert manager.get_configs(metrics("a")[0][0]) == ({} if validate_only else {"interval.ms": "100000"})
    if legacy:
        # The removal of a setting is a change.
        with pytest.raises(PolicyViolationException):
            change((MYTOPIC, {}), *metrics("d", "e", "f"))
