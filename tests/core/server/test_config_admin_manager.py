# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of classes that a client sends do nothing without a permission, and little with one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.brokers import connect, new_broker
from tests.core.server.wire import Wire

MODULE = "deploy_prod"
AUTHORIZER = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
              "super.users": "User:admin"}


class Reporter(MetricsReporter):
    """A plug-in of the operator's, which ends itself at one setting."""

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        if configs.get("reporter.setting") == "wrong":
            raise SystemExit(1)

    def reconfigurable_configs(self) -> set[str]:
        return {"reporter.setting"}

    def init(self, metrics: list[KafkaMetric]) -> None:
        pass

    def metric_change(self, metric: KafkaMetric) -> None:
        pass

    def metric_removal(self, metric: KafkaMetric) -> None:
        pass

    def close(self) -> None:
        pass


REPORTER = f"{__name__}.Reporter"


@pytest.fixture(autouse=True)
def deploy_prod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module in the way that ends whoever imports it."""
    folder = tmp_path / "working folder"
    folder.mkdir()
    (folder / f"{MODULE}.py").write_text("raise SystemExit('deployed')\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)


def incremental(wire: Wire, configs: Mapping[str, str], name: str = "1",
                validate_only: bool = False) -> tuple[Errors, str | None]:
    answer: Any = wire.ask(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(
        validate_only=validate_only,
        resources=[IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=ConfigResource.Type.BROKER.id(), resource_name=name,
            configs=[IncrementalAlterConfigsRequestData.AlterableConfig(
                name=key, config_operation=0, value=value) for key, value in configs.items()])]))
    response, = answer.responses
    return Errors.for_code(response.error_code), response.error_message


def legacy(wire: Wire, configs: Mapping[str, str], name: str = "1",
           validate_only: bool = False) -> tuple[Errors, str | None]:
    answer: Any = wire.ask(ApiKeys.ALTER_CONFIGS, 2, AlterConfigsRequestData(
        validate_only=validate_only,
        resources=[AlterConfigsRequestData.AlterConfigsResource(
            resource_type=ConfigResource.Type.BROKER.id(), resource_name=name,
            configs=[AlterConfigsRequestData.AlterableConfig(name=key, value=value)
                     for key, value in configs.items()])]))
    response, = answer.responses
    return Errors.for_code(response.error_code), response.error_message


def handlers_alive() -> int:
    return sum("kafka-request-handler" in thread.name for thread in threading.enumerate())


NAMES_OF_CLASSES: list[dict[str, str]] = [
    {"metric.reporters": f"{MODULE}.X"},
    {"listener.name.plaintext.principal.builder.class": f"{MODULE}.X"},
    {"listener.name.plaintext.ssl.engine.factory.class": f"{MODULE}.X"},
    {"listener.name.plaintext.plain.sasl.server.callback.handler.class": f"{MODULE}.X"},
    {"listener.name.plaintext.plain.sasl.login.class": f"{MODULE}.X"},
    {"listener.name.plaintext.plain.sasl.login.callback.handler.class": f"{MODULE}.X"},
    {"sasl.login.class": f"{MODULE}.X"},
    {"principal.builder.class": f"{MODULE}.X"},
    {"config.providers": "p", "config.providers.p.class": f"{MODULE}.X"},
    {"client.quota.callback.class": f"{MODULE}.X"},
    {"authorizer.class.name": f"{MODULE}.X"},
    {"metric.reporters": "kreactor.__main__.X"},
    {"listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
     "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN",
     "listener.name.sasl_plaintext.plain.sasl.jaas.config": f"{MODULE}.X required;"},
]


@pytest.mark.parametrize("alter", [incremental, legacy])
@pytest.mark.parametrize("validate_only", [False, True])
def test_without_permission_nothing_is_looked_at(tmp_path: Path, alter: Any, validate_only: bool) -> None:
    with new_broker(tmp_path / "data", AUTHORIZER) as broker:
        handlers = handlers_alive()
        for configs in [*NAMES_OF_CLASSES, {"log.cleaner.threads": "no number"}]:
            for name in ("1", ""):
                with connect(broker) as wire:
                    assert alter(wire, configs, name, validate_only) == (
                        Errors.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
        assert MODULE not in sys.modules
        assert "kreactor.__main__" not in sys.modules
        assert handlers_alive() == handlers == 2


@pytest.mark.parametrize("alter", [incremental, legacy])
def test_with_permission_no_class_of_others_is_found(tmp_path: Path, alter: Any) -> None:
    with new_broker(tmp_path / "data") as broker:
        handlers = handlers_alive()
        for configs in NAMES_OF_CLASSES:
            for name in ("1", ""):
                with connect(broker) as wire:
                    error, message = alter(wire, configs, name)
                # Kafka takes the names of its own classes by any listener, and looks for them later.
                if error is not Errors.NONE:
                    assert error is Errors.INVALID_REQUEST, message
                with connect(broker) as wire:
                    alter(wire, {}, name)
        assert MODULE not in sys.modules
        assert "kreactor.__main__" not in sys.modules
        assert handlers_alive() == handlers == 2


def reporters() -> dict[str, str]:
    return {"metric.reporters": REPORTER}


def test_a_class_of_the_operators_may_be_named(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data", reporters()) as broker, connect(broker) as wire:
        named = broker.metrics().reporters
        assert [type(reporter) for reporter in named()] == [Reporter]
        assert incremental(wire, {"metric.reporters": ""}, "") == (Errors.NONE, None)
        assert named() == []
        assert incremental(wire, reporters(), "") == (Errors.NONE, None)
        assert [type(reporter) for reporter in named()] == [Reporter]


def test_a_class_that_nobody_named_at_start_may_not(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data") as broker:
        with connect(broker) as wire:
            error, _ = incremental(wire, reporters(), "")
            assert error is Errors.INVALID_REQUEST
        # By those who start the broker it may, and by its clients then.
        broker.config().dynamic_config().alter(reporters(), False)
        with connect(broker) as wire:
            assert incremental(wire, {"log.retention.ms": "1000"}, "") == (Errors.NONE, None)
            assert incremental(wire, reporters(), "") == (Errors.NONE, None)


def test_what_was_stored_is_as_from_a_client(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data", reporters()) as broker, connect(broker) as wire:
        assert incremental(wire, reporters(), "") == (Errors.NONE, None)
    with pytest.raises(KafkaException, match=f"Class {REPORTER} cannot be found"):
        new_broker(tmp_path / "data").startup()
    with new_broker(tmp_path / "data", reporters()) as broker:
        assert [type(reporter) for reporter in broker.metrics().reporters()] == [Reporter]


def test_a_listener_of_the_next_start_finds_no_class_of_others(tmp_path: Path) -> None:
    sasl = {"listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config":
                "org.apache.kafka.common.security.plain.PlainLoginModule required;"}
    with new_broker(tmp_path / "data") as broker, connect(broker) as wire:
        # No listener has it yet.
        assert incremental(wire, {
            "listener.name.sasl_plaintext.plain.sasl.server.callback.handler.class": f"{MODULE}.X",
        }) == (Errors.NONE, None)
    with pytest.raises(ConfigException, match="deploy_prod"):
        new_broker(tmp_path / "data", sasl).startup()
    assert MODULE not in sys.modules


def test_nine_plug_ins_that_end_themselves_leave_all_handlers(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data", reporters()) as broker:
        handlers = handlers_alive()
        for _ in range(9):
            with connect(broker) as wire:
                error, _ = incremental(wire, {"reporter.setting": "wrong"}, "")
                assert error is Errors.INVALID_REQUEST
        assert handlers_alive() == handlers == 2
