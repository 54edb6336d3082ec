# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.BrokerMetadataPublisherTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The parts of a broker hear of changed topics and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.common.topic_partition import TopicPartition
from kreactor.network.socket_server_configs import SocketServerConfigs
from kreactor.core.server.metadata.broker_metadata_publisher import BrokerMetadataPublisher
from tests.core.server.node import Node


def test_reload_updated_files_without_config_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of all brokers' settings does not look for new key stores; one of this broker's does."""
    with Node(tmp_path) as node:
        dynamic_config = node.config.dynamic_config()
        reloads: list[Any] = []
        monkeypatch.setattr(dynamic_config, "reload_updated_files_without_config_change", reloads.append)
        for name, expected in (("", 0), (str(node.config.broker_id()), 1)):
            resource = ConfigResource(ConfigResource.Type.BROKER, name)
            result = node.configuration_control.incremental_alter_configs(
                {resource: {SocketServerConfigs.MAX_CONNECTIONS_CONFIG: (OpType.SET, "123")}}, False)
            assert result[resource].is_(Errors.NONE)
            assert len(reloads) == expected


def test_exception_in_update_coordinator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                         caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: Any) -> None:
        raise ValueError("injected failure")

    with Node(tmp_path) as node:
        monkeypatch.setattr(BrokerMetadataPublisher, "_update_coordinator", fail)
        node.create_topic("foo")
        assert node.replica_manager.get_partition(TopicPartition("foo", 0)) is not None
        monkeypatch.undo()
    causes = [record.exc_info[1] for record in caplog.records if record.exc_info is not None]
    assert [str(cause) for cause in causes] == ["injected failure"] * 2
    caplog.clear()
