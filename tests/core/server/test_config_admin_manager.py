# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ConfigAdminManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes of settings, as the broker sees them before the controller does.

Names of classes that a client sends do nothing without a permission, and little with one.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import InvalidRequestException
from kreactor.common.message.alter_configs_request_data import AlterConfigsRequestData
from kreactor.common.message.alter_configs_response_data import AlterConfigsResponseData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.incremental_alter_configs_request import OpType
from kreactor.core.server.config_admin_manager import ConfigAdminManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.class_loader import ClassLoader
from tests.core.server.broker_props import create_broker_config
from tests.core.server.brokers import connect, new_broker
from tests.core.server.metadata.mock_config_repository import MockConfigRepository
from tests.core.server.test_kafka_metrics_reporter import MockMetricsReporter
from tests.core.server.wire import Wire

MODULE = "deploy_prod"
PROGRAM = "kreactor.__main__"
AUTHORIZER = {"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
              "super.users": "User:admin"}


class Reporter(MockMetricsReporter):
    """A plug-in of the operator's, which ends itself at one setting."""

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        if configs.get("reporter.setting") == "wrong":
            raise SystemExit(1)

    def reconfigurable_configs(self) -> set[str]:
        return {"reporter.setting"}


REPORTER = f"{__name__}.Reporter"


class Recorder:
    """A finder that finds nothing, and keeps the names of the modules that are imported."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        self.names.append(name)

    def check(self) -> None:
        """See that none was imported that clients have named."""
        assert not {MODULE, PROGRAM} & set(self.names)


@pytest.fixture(autouse=True)
def recorder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Put a module in the way that ends whoever imports it.

    A module whose import fails is not in ``sys.modules`` afterwards.
    """
    folder = tmp_path / "working folder"
    folder.mkdir()
    (folder / f"{MODULE}.py").write_text("raise SystemExit('deployed')\n")
    monkeypatch.syspath_prepend(str(folder))
    for name in (MODULE, PROGRAM):
        monkeypatch.delitem(sys.modules, name, raising=False)
    recorder = Recorder()
    monkeypatch.setattr(sys, "meta_path", [recorder, *sys.meta_path])
    return recorder


def test_the_recorder_sees_an_import(recorder: Recorder) -> None:
    with pytest.raises(SystemExit):
        ClassLoader().load_class(f"{MODULE}.X")
    assert MODULE not in sys.modules
    with pytest.raises(AssertionError):
        recorder.check()


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
    {"metric.reporters": f"{PROGRAM}.X"},
    {"listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
     "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN",
     "listener.name.sasl_plaintext.plain.sasl.jaas.config": f"{MODULE}.X required;"},
]


@pytest.mark.deviation("D251")
@pytest.mark.parametrize("alter", [incremental, legacy])
@pytest.mark.parametrize("validate_only", [False, True])
def test_without_permission_nothing_is_looked_at(tmp_path: Path, recorder: Recorder, alter: Any,
                                                 validate_only: bool) -> None:
    with new_broker(tmp_path / "data", AUTHORIZER) as broker:
        handlers = handlers_alive()
        for configs in [*NAMES_OF_CLASSES, {"log.cleaner.threads": "no number"}]:
            for name in ("1", ""):
                with connect(broker) as wire:
                    assert alter(wire, configs, name, validate_only) == (
                        Errors.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
        recorder.check()
        assert handlers_alive() == handlers == 2


@pytest.mark.deviation("D250")
@pytest.mark.parametrize("alter", [incremental, legacy])
def test_with_permission_no_class_of_others_is_found(tmp_path: Path, recorder: Recorder, alter: Any) -> None:
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
        recorder.check()
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


@pytest.mark.deviation("D250")
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


def test_what_was_stored_is_as_from_a_client(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A class that the properties name no more is not found: the broker says so, and starts without it."""
    with new_broker(tmp_path / "data", reporters()) as broker, connect(broker) as wire:
        assert incremental(wire, reporters(), "") == (Errors.NONE, None)
    assert "could not be applied" not in caplog.text
    with new_broker(tmp_path / "data") as broker, connect(broker) as wire:
        assert broker.metrics().reporters() == []
        assert "Cluster default configs could not be applied: ['metric.reporters']" in caplog.text
        assert f"class {REPORTER} is not allowed here" in caplog.text
        assert incremental(wire, {"metric.reporters": ""}, "") == (Errors.NONE, None)
        assert incremental(wire, {"log.retention.ms": "1000"}, "") == (Errors.NONE, None)
    caplog.clear()
    with new_broker(tmp_path / "data") as broker:
        assert broker.config().dynamic_config().current_kafka_config().log_retention_time_millis() == 1000
    assert "could not be applied" not in caplog.text


def test_what_was_stored_is_in_force_after_a_start(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data", reporters()) as broker, connect(broker) as wire:
        assert incremental(wire, reporters(), "") == (Errors.NONE, None)
    with new_broker(tmp_path / "data", reporters()) as broker:
        assert [type(reporter) for reporter in broker.metrics().reporters()] == [Reporter]


def test_a_listener_of_the_next_start_finds_no_class_of_others(
        tmp_path: Path, recorder: Recorder, caplog: pytest.LogCaptureFixture) -> None:
    sasl = {"listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config":
                "org.apache.kafka.common.security.plain.PlainLoginModule required;"}
    with new_broker(tmp_path / "data") as broker, connect(broker) as wire:
        # No listener has it yet.
        assert incremental(wire, {
            "listener.name.sasl_plaintext.plain.sasl.server.callback.handler.class": f"{MODULE}.X",
        }) == (Errors.NONE, None)
    with new_broker(tmp_path / "data", sasl):
        assert "could not be applied" in caplog.text
        assert "deploy_prod" in caplog.text
    recorder.check()


def test_nine_plug_ins_that_end_themselves_leave_all_handlers(tmp_path: Path) -> None:
    with new_broker(tmp_path / "data", reporters()) as broker:
        handlers = handlers_alive()
        for _ in range(9):
            with connect(broker) as wire:
                error, _ = incremental(wire, {"reporter.setting": "wrong"}, "")
                assert error is Errors.INVALID_REQUEST
        assert handlers_alive() == handlers == 2


# -- ConfigAdminManagerTest ----------------------------------------------------------------------------

IResource = IncrementalAlterConfigsRequestData.AlterConfigsResource
IConfig = IncrementalAlterConfigsRequestData.AlterableConfig
IResponse = IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse
LResource = AlterConfigsRequestData.AlterConfigsResource
LConfig = AlterConfigsRequestData.AlterableConfig
LResponse = AlterConfigsResponseData.AlterConfigsResourceResponse
Type = ConfigResource.Type

LOGGER = logging.getLogger(__name__)
TWICE = ApiError(Errors.INVALID_REQUEST, "Each resource must appear at most once.")


def new_config_admin_manager(broker_id: int) -> ConfigAdminManager:
    config = KafkaConfig.from_props(create_broker_config(broker_id))
    return ConfigAdminManager(broker_id, config, MockConfigRepository())


def i_resource(type: ConfigResource.Type, name: str, key: str = "foo",
               value: str | None = "bar") -> IResource:
    return IResource(resource_name=name, resource_type=type.id(), configs=[
        IConfig(name=key, value=value, config_operation=OpType.SET.value)])


def l_resource(type: ConfigResource.Type, name: str, key: str = "foo",
               value: str | None = "bar") -> LResource:
    return LResource(resource_name=name, resource_type=type.id(), configs=[LConfig(name=key, value=value)])


def preprocessed(manager: ConfigAdminManager, *resources: IResource,
                 authorized: bool) -> dict[int, ApiError]:
    return manager.preprocess_incremental(
        IncrementalAlterConfigsRequestData(resources=list(resources)), lambda type, name: authorized)


def preprocessed_legacy(manager: ConfigAdminManager, *resources: LResource) -> dict[int, ApiError]:
    return manager.preprocess_legacy(
        AlterConfigsRequestData(resources=list(resources)), lambda type, name: True)


def test_copy_without_preprocessed_for_incremental() -> None:
    broker0, topic_a = i_resource(Type.BROKER, "0"), i_resource(Type.TOPIC, "a")
    resources = [broker0, topic_a]
    copied, = ConfigAdminManager.copy_without_preprocessed(resources, {0: ApiError.NONE})
    assert copied == topic_a and copied is not topic_a
    assert ConfigAdminManager.copy_without_preprocessed(resources, {}) == [broker0, topic_a]
    assert ConfigAdminManager.copy_without_preprocessed(
        resources, {0: ApiError.NONE, 1: ApiError.NONE}) == []


def test_copy_without_preprocessed_for_legacy() -> None:
    broker0, topic_a = l_resource(Type.BROKER, "0"), l_resource(Type.TOPIC, "a")
    resources = [broker0, topic_a]
    copied, = ConfigAdminManager.copy_without_preprocessed(resources, {0: ApiError.NONE})
    assert copied == topic_a and copied is not topic_a
    assert ConfigAdminManager.copy_without_preprocessed(resources, {}) == [broker0, topic_a]
    assert ConfigAdminManager.copy_without_preprocessed(
        resources, {0: ApiError.NONE, 1: ApiError.NONE}) == []


def check_reassembled(reassemble: Callable[..., Any], original: Any, response_type: type[Any],
                      resource_type: type[Any]) -> None:
    of_broker = resource_type(resource_name="0", resource_type=Type.BROKER.id(), error_message=None)
    of_topic = resource_type(resource_name="a", resource_type=Type.TOPIC.id(), error_message=None)
    assert reassemble(
        original, {0: ApiError.of(Errors.INVALID_REQUEST)},
        response_type(responses=[of_topic])).responses == [
        resource_type(resource_name="0", resource_type=Type.BROKER.id(),
                      error_code=Errors.INVALID_REQUEST.code,
                      error_message=Errors.INVALID_REQUEST.message()), of_topic]
    assert reassemble(original, {}, response_type(responses=[of_broker, of_topic])).responses == [
        of_broker, of_topic]


def test_reassemble_incremental_response() -> None:
    check_reassembled(ConfigAdminManager.reassemble_incremental_response, IncrementalAlterConfigsRequestData(
        resources=[i_resource(Type.BROKER, "0"), i_resource(Type.TOPIC, "a")]),
        IncrementalAlterConfigsResponseData, IResponse)


def test_reassemble_legacy_response() -> None:
    check_reassembled(ConfigAdminManager.reassemble_legacy_response, AlterConfigsRequestData(
        resources=[l_resource(Type.BROKER, "0"), l_resource(Type.TOPIC, "a")]),
        AlterConfigsResponseData, LResponse)


def test_validate_resource_name_is_current_node_id() -> None:
    manager = new_config_admin_manager(5)
    manager.validate_resource_name_is_current_node_id("5")
    for name, message in (("", "Node id must be an integer, but it is: "),
                          ("3", "Unexpected broker id, expected 5, but received 3"),
                          ("e", "Node id must be an integer, but it is: e")):
        with pytest.raises(InvalidRequestException) as e:
            manager.validate_resource_name_is_current_node_id(name)
        assert str(e.value) == message


def test_preprocess_incremental_with_unauthorized_broker_logger_changes() -> None:
    results = preprocessed(
        new_config_admin_manager(1), i_resource(Type.BROKER_LOGGER, "1", LOGGER.name, "INFO"),
        authorized=False)
    assert results == {0: ApiError(Errors.CLUSTER_AUTHORIZATION_FAILED, None)}


def test_preprocess_incremental_with_nulls() -> None:
    results = preprocessed(
        new_config_admin_manager(2), i_resource(Type.BROKER_LOGGER, "2", LOGGER.name, None), authorized=True)
    assert results == {0: ApiError(Errors.INVALID_REQUEST, f"Null value not supported for : {LOGGER.name}")}


def test_preprocess_incremental_with_logger_changes() -> None:
    before = LOGGER.level
    try:
        results = preprocessed(
            new_config_admin_manager(1), i_resource(Type.BROKER_LOGGER, "1", LOGGER.name, "INFO"),
            authorized=True)
        assert results == {0: ApiError(Errors.NONE, None)}
        assert LOGGER.level == logging.INFO
    finally:
        LOGGER.setLevel(before)


def test_preprocess_incremental_with_duplicates() -> None:
    resource = i_resource(Type.BROKER_LOGGER, "1", LOGGER.name, "INFO")
    assert preprocessed(new_config_admin_manager(1), resource, resource.duplicate(), authorized=True) == {
        0: TWICE, 1: TWICE}


def test_preprocess_legacy_with_broker_logger_changes() -> None:
    results = preprocessed_legacy(
        new_config_admin_manager(1), l_resource(Type.BROKER_LOGGER, "1", LOGGER.name, "INFO"))
    assert results == {0: ApiError(Errors.INVALID_REQUEST, "Unknown resource type 8")}


def test_preprocess_legacy_with_nulls() -> None:
    results = preprocessed_legacy(
        new_config_admin_manager(2), l_resource(Type.BROKER, "2", LOGGER.name, None))
    assert results == {0: ApiError(Errors.INVALID_REQUEST, f"Null value not supported for : {LOGGER.name}")}


def test_preprocess_legacy_with_duplicates() -> None:
    resource = l_resource(Type.BROKER_LOGGER, "1", LOGGER.name, "INFO")
    assert preprocessed_legacy(new_config_admin_manager(1), resource, resource.duplicate()) == {
        0: TWICE, 1: TWICE}


def test_preprocess_incremental_with_unknown_resource() -> None:
    results = preprocessed(
        new_config_admin_manager(1), i_resource(Type.UNKNOWN, "unknown"), authorized=False)
    assert results == {0: ApiError(Errors.INVALID_REQUEST, "Unknown resource type 0")}


def test_preprocess_legacy_with_unknown_resource() -> None:
    results = preprocessed_legacy(new_config_admin_manager(1), l_resource(Type.UNKNOWN, "unknown"))
    assert results == {0: ApiError(Errors.INVALID_REQUEST, "Unknown resource type 0")}


def test_contains_duplicates() -> None:
    for names, expected in (((), False), (("foo",), False), (("foo", "foo"), True),
                            (("foo", "bar", "baz"), False), (("foo", "bar", "baz", "foo"), True)):
        assert ConfigAdminManager.contains_duplicates(list(names)) is expected
