# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The response of DescribeConfigs: each setting, its source, and its synonyms."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.common.resource.resource import Resource
from kreactor.common.resource.resource_type import ResourceType
from kreactor.core.server import kafka_config_def
from kreactor.storage.internals.log.log_config import LogConfig
from tests.core.server.node import Node, Permissions

Type = ConfigResource.Type
ConfigSource = DescribeConfigsResponse.ConfigSource
ConfigType = DescribeConfigsResponse.ConfigType
TOPIC, STATIC, DEFAULT = (source.id() for source in (
    ConfigSource.TOPIC_CONFIG, ConfigSource.STATIC_BROKER_CONFIG, ConfigSource.DEFAULT_CONFIG))
DYNAMIC, DYNAMIC_DEFAULT = (ConfigSource.DYNAMIC_BROKER_CONFIG.id(),
                            ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.id())

Setting = DescribeConfigsResponseData.DescribeConfigsResourceResult


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path, {"log.retention.hours": "7", "ssl.keystore.password": "secret"}) as node:
        yield node


def describe(node: Node, type_: Type | int, name: str, *keys: str, synonyms: bool = True,
             documentation: bool = False) -> DescribeConfigsResponseData.DescribeConfigsResult:
    answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(
        resources=[DescribeConfigsRequestData.DescribeConfigsResource(
            resource_type=type_ if isinstance(type_, int) else type_.id(), resource_name=name,
            configuration_keys=list(keys) or None)],
        include_synonyms=synonyms, include_documentation=documentation))
    result, = answer.results
    assert result.resource_name == name
    return result  # type: ignore[no-any-return]


def setting(node: Node, type_: Type, name: str, key: str, **fields: bool) -> Setting:
    found, = describe(node, type_, name, key, **fields).configs
    assert found.name == key
    return found


def synonyms(found: Setting) -> list[tuple[str, str | None, int]]:
    return [(synonym.name, synonym.value, synonym.source) for synonym in found.synonyms]


def test_all_configs(node: Node) -> None:
    """Those that are defined, and what else was given; what is null, or for use within, is left out."""
    definition = (ConfigDef().define("a", ConfigDef.Type.INT, 5, ConfigDef.Importance.HIGH, "")
                  .define("b", ConfigDef.Type.INT, None, ConfigDef.Importance.HIGH, "")
                  .define_internal("c", ConfigDef.Type.INT, 7, ConfigDef.Importance.HIGH))
    config = AbstractConfig(definition, {"a": "6", "other": "x", "nothing": None}, False)
    assert node.apis.config_helper.all_configs(config) == {"a": 6, "b": None, "other": "x"}


def test_a_topic(node: Node) -> None:
    node.create_topic("foo", configs={"retention.ms": "1000", "cleanup.policy": "delete"})
    result = describe(node, Type.TOPIC, "foo")
    assert (result.error_code, result.error_message) == (0, "")
    settings = {found.name: found for found in result.configs}
    assert len(settings) == len(result.configs) > 30
    assert not any(found.read_only or found.is_sensitive for found in result.configs)

    own = settings["retention.ms"]
    assert (own.value, own.config_source, own.config_type) == ("1000", TOPIC, ConfigType.LONG.id())
    # The broker's values begin at its own name for the setting, which nobody has set.
    assert synonyms(own) == [("retention.ms", "1000", TOPIC)]
    assert settings["segment.bytes"].config_source == DEFAULT
    assert synonyms(settings["segment.bytes"]) == [("log.segment.bytes", "1073741824", DEFAULT)]
    assert settings["cleanup.policy"].config_type == ConfigType.LIST.id()
    # One that brokers have no name for.
    assert synonyms(settings["leader.replication.throttled.replicas"]) == []
    assert settings["leader.replication.throttled.replicas"].config_source == DEFAULT


def test_a_topic_follows_the_broker(node: Node) -> None:
    node.create_topic("foo")
    found = setting(node, Type.TOPIC, "foo", "segment.bytes")
    assert (found.value, found.config_source) == ("1073741824", DEFAULT)
    node.config.dynamic_config().update_default_config({"log.segment.bytes": "5000"})
    node.config.dynamic_config().update_broker_config(1, {"log.segment.bytes": "6000"})
    found = setting(node, Type.TOPIC, "foo", "segment.bytes")
    assert (found.value, found.config_source) == ("6000", DYNAMIC)
    assert synonyms(found) == [
        ("log.segment.bytes", "6000", DYNAMIC), ("log.segment.bytes", "5000", DYNAMIC_DEFAULT),
        ("log.segment.bytes", "1073741824", DEFAULT)]
    node.create_topic("bar", configs={"segment.bytes": "7000"})
    found = setting(node, Type.TOPIC, "bar", "segment.bytes")
    assert (found.value, found.config_source) == ("7000", TOPIC)
    assert synonyms(found)[:2] == [("segment.bytes", "7000", TOPIC), ("log.segment.bytes", "6000", DYNAMIC)]


def test_only_what_is_asked_for(node: Node) -> None:
    node.create_topic("foo")
    assert {found.name for found in describe(
        node, Type.TOPIC, "foo", "segment.bytes", "retention.ms", "nonsense").configs} == {
        "segment.bytes", "retention.ms"}
    assert setting(node, Type.TOPIC, "foo", "segment.bytes", synonyms=False).synonyms == []
    assert setting(node, Type.TOPIC, "foo", "segment.bytes", synonyms=False).config_source == DEFAULT
    everything = len(describe(node, Type.TOPIC, "foo").configs)
    answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(resources=[
        DescribeConfigsRequestData.DescribeConfigsResource(
            resource_type=Type.TOPIC.id(), resource_name="foo", configuration_keys=[])]))
    assert len(answer.results[0].configs) == everything, "no keys are all keys"


def test_documentation(node: Node) -> None:
    """It is in the places where Kafka has it: with the settings of topics and brokers that it defines."""
    node.create_topic("foo")
    for type_, name, key, definition in (
            (Type.TOPIC, "foo", "segment.bytes", LogConfig.config_keys()["segment.bytes"]),
            (Type.BROKER, "1", "log.segment.bytes", kafka_config_def.config_keys()["log.segment.bytes"])):
        assert setting(node, type_, name, key).documentation is None
        assert setting(node, type_, name, key, documentation=True).documentation == definition._documentation
    for type_, name in ((Type.TOPIC, "foo"), (Type.BROKER, "1")):
        assert all(found.documentation for found in describe(node, type_, name, documentation=True).configs)
        assert not any(found.documentation for found in describe(node, type_, name).configs)
    loggers = describe(node, Type.BROKER_LOGGER, "1", documentation=True).configs
    # Kafka leaves the field at its default.
    assert loggers and {found.documentation for found in loggers} == {""}


def test_documentation_of_what_kafka_does_not_define(tmp_path: Path) -> None:
    with Node(tmp_path, {"kreactor.fidelity": "fixed", "my.plugin": "x",
                         "listener.name.plaintext.ssl.client.auth": "none"}) as node:
        own = setting(node, Type.BROKER, "1", "kreactor.fidelity", documentation=True)
        assert (own.value, own.is_sensitive, own.config_type) == ("fixed", False, ConfigType.STRING.id())
        assert own.documentation == kafka_config_def.OWN_CONFIG_DEF.config_keys()[own.name]._documentation
        for name in ("my.plugin", "listener.name.plaintext.ssl.client.auth"):
            assert setting(node, Type.BROKER, "1", name, documentation=True).documentation is None


def test_topics_that_are_not_there(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    result = describe(node, Type.TOPIC, "none")
    assert (Errors.for_code(result.error_code), result.error_message, result.configs) == (
        Errors.UNKNOWN_TOPIC_OR_PARTITION, "", [])
    result = describe(node, Type.TOPIC, "a b")
    assert Errors.for_code(result.error_code) is Errors.INVALID_TOPIC_EXCEPTION
    assert result.error_message is not None and "a b" in result.error_message
    # A client's mistake is no error of the broker.
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_the_broker(node: Node) -> None:
    node.config.dynamic_config().update_broker_config(1, {"background.threads": "2"})
    node.config.dynamic_config().update_default_config({"background.threads": "3"})
    threads = setting(node, Type.BROKER, "1", "background.threads")
    assert (threads.value, threads.config_source, threads.read_only, threads.config_type) == (
        "2", DYNAMIC, False, ConfigType.INT.id())
    assert synonyms(threads) == [
        ("background.threads", "2", DYNAMIC), ("background.threads", "3", DYNAMIC_DEFAULT),
        ("background.threads", "1", STATIC), ("background.threads", "10", DEFAULT)]
    broker_id = setting(node, Type.BROKER, "1", "broker.id")
    assert (broker_id.value, broker_id.config_source, broker_id.read_only) == ("1", STATIC, True)
    password = setting(node, Type.BROKER, "1", "ssl.keystore.password")
    assert (password.value, password.is_sensitive, password.config_type) == (
        None, True, ConfigType.PASSWORD.id())
    assert synonyms(password) == [("ssl.keystore.password", None, STATIC)]
    assert len(describe(node, Type.BROKER, "1").configs) > 200


def test_what_a_listener_overrides_is_none_of_the_setting_for_all(tmp_path: Path) -> None:
    with Node(tmp_path, {"listener.name.plaintext.max.connections": "5", "max.connections": "7"}) as node:
        for_all = setting(node, Type.BROKER, "1", "max.connections")
        assert (for_all.value, for_all.config_source) == ("7", STATIC)
        assert all(name == "max.connections" for name, _, _ in synonyms(for_all))
        of_one = setting(node, Type.BROKER, "1", "listener.name.plaintext.max.connections")
        assert (of_one.value, of_one.config_source) == ("5", STATIC)
        assert [name for name, _, _ in synonyms(of_one)] == [
            "listener.name.plaintext.max.connections", "max.connections", "max.connections"]


def test_all_brokers(node: Node) -> None:
    """Of what counts for all, only what was set for all."""
    assert describe(node, Type.BROKER, "").configs == []
    node.config.dynamic_config().update_default_config({"background.threads": "3"})
    node.config.dynamic_config().update_broker_config(1, {"background.threads": "2"})
    found, = describe(node, Type.BROKER, "").configs
    assert (found.name, found.value, found.config_source) == ("background.threads", "3", DYNAMIC_DEFAULT)
    assert synonyms(found) == [("background.threads", "3", DYNAMIC_DEFAULT)]


@pytest.mark.parametrize(("type_", "expected"), [
    (Type.BROKER, "expected 1 or empty string, but received"),
    (Type.BROKER_LOGGER, "expected 1 but received")])
def test_brokers_are_told_apart_by_their_number(node: Node, type_: Type, expected: str) -> None:
    """As Java reads it: with a sign, with zeros before it, in the digits of any script."""
    for name in ("1", "+1", "01", "\N{ARABIC-INDIC DIGIT ONE}"):
        assert describe(node, type_, name).error_code == 0
    for name in ("2", "-1", "2147483647", "-2147483648"):
        result = describe(node, type_, name)
        assert Errors.for_code(result.error_code) is Errors.INVALID_REQUEST
        assert result.error_message == f"Unexpected broker id, {expected} {name}"
    for name in ("one", " 1", "1_0", "1.0", "2147483648", "-2147483649", "9" * 5000):
        result = describe(node, type_, name)
        assert Errors.for_code(result.error_code) is Errors.INVALID_REQUEST and not result.configs
        assert result.error_message == f"Broker id must be an integer, but it is: {name}"


def test_loggers_of_no_broker(node: Node) -> None:
    result = describe(node, Type.BROKER_LOGGER, "")
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.INVALID_REQUEST, "Broker id must not be empty")


def test_loggers(node: Node) -> None:
    logging.getLogger("kreactor.some.logger").setLevel(logging.DEBUG)
    try:
        found, = describe(node, Type.BROKER_LOGGER, "1", "kreactor.some.logger").configs
    finally:
        logging.getLogger("kreactor.some.logger").setLevel(logging.NOTSET)
    assert (found.value, found.config_source, found.read_only, found.is_sensitive, found.synonyms) == (
        "DEBUG", ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG.id(), False, False, [])
    assert "root" in {found.name for found in describe(node, Type.BROKER_LOGGER, "1").configs}


def test_client_metrics(node: Node) -> None:
    result = describe(node, Type.CLIENT_METRICS, "sub")
    assert (result.error_code, result.configs) == (0, [])
    result = describe(node, Type.CLIENT_METRICS, "")
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.INVALID_REQUEST, "Client metrics subscription name must not be empty")


@pytest.mark.parametrize("type_", [0, 1, 99])
def test_what_has_no_settings_fails_the_whole_request(node: Node, type_: int) -> None:
    node.create_topic("foo")
    answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(resources=[
        DescribeConfigsRequestData.DescribeConfigsResource(resource_type=type, resource_name="foo")
        for type in (Type.TOPIC.id(), type_)]))
    assert [Errors.for_code(result.error_code) for result in answer.results] == 2 * [Errors.INVALID_REQUEST]


def test_an_unexpected_error_is_one_of_ours(node: Node, monkeypatch: pytest.MonkeyPatch,
                                            caplog: pytest.LogCaptureFixture) -> None:
    def fail(name: str) -> bool:
        raise ValueError("no")

    monkeypatch.setattr(node.metadata_cache, "contains", fail)
    result = describe(node, Type.TOPIC, "foo")
    assert Errors.for_code(result.error_code) is Errors.UNKNOWN_SERVER_ERROR
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_what_may_not_be_described_comes_last(tmp_path: Path) -> None:
    cluster = (AclOperation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, Resource.CLUSTER_NAME)
    permissions = Permissions(cluster, (AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, "secret"))
    with Node(tmp_path, None, permissions) as node:
        for name in ("foo", "secret"):
            node.create_topic(name)
        asked = [(Type.BROKER, "1"), (Type.TOPIC, "secret"), (Type.BROKER_LOGGER, "1"), (Type.TOPIC, "foo"),
                 (Type.CLIENT_METRICS, "sub")]
        answer = node.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(resources=[
            DescribeConfigsRequestData.DescribeConfigsResource(resource_type=type.id(), resource_name=name)
            for type, name in asked]))
    of_cluster, of_topic = Errors.CLUSTER_AUTHORIZATION_FAILED, Errors.TOPIC_AUTHORIZATION_FAILED
    assert [(Type.for_id(result.resource_type), result.resource_name, Errors.for_code(result.error_code))
            for result in answer.results] == [
        (Type.TOPIC, "foo", Errors.NONE), (Type.BROKER, "1", of_cluster), (Type.TOPIC, "secret", of_topic),
        (Type.BROKER_LOGGER, "1", of_cluster), (Type.CLIENT_METRICS, "sub", of_cluster)]
    assert [result.error_message for result in answer.results[1:3]] == [
        of_cluster.message(), of_topic.message()]
    assert all(not result.configs for result in answer.results[1:])
