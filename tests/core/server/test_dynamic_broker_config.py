# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Changing settings of a broker while it runs: what can be, who may object, who is told, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.types.password import Password
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.listener_reconfigurable import ListenerReconfigurable
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.reconfigurable_configs import (
    DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS,
    SOCKET_SERVER_RECONFIGURABLE_CONFIGS,
)
from kreactor.core.server.broker_reconfigurable import BrokerReconfigurable
from kreactor.core.server.dynamic_broker_config import (
    BrokerDynamicThreadPool,
    DynamicBrokerConfig,
    DynamicListenerConfig,
    DynamicLogConfig,
    DynamicMetricsReporters,
    DynamicThreadPool,
)
from kreactor.core.server.dynamic_config import DynamicConfig
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.telemetry.client_telemetry import ClientTelemetry
from kreactor.storage.internals.log.producer_state_manager_config import ProducerStateManagerConfig
from tests.core.server.broker_props import create_broker_config
from tests.server.metrics.client_metrics_test_utils import ClientMetricsReceiver

Props = dict[str, str]
EXTERNAL = "listener.name.external."


def new_config(overrides: Mapping[str, str] | None = None, port: int = 8181) -> KafkaConfig:
    config = KafkaConfig(create_broker_config(0, port=port) | dict(overrides or {}), False)
    config.dynamic_config().initialize()
    return config


class Plugin(Reconfigurable):
    """Notes what it is told; objects to some values."""

    def __init__(self, configs: AbstractSet[str], bad: tuple[object, ...] = (),
                 error: type[Exception] = ConfigException) -> None:
        self.configs = configs
        self.bad = bad
        self.error = error
        self.told: list[dict[str, object]] = []

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def reconfigurable_configs(self) -> AbstractSet[str]:
        return self.configs

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        for name in self.configs:
            if configs.get(name) in self.bad:
                raise self.error(f"bad {name}")

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        self.told.append({name: configs.get(name) for name in self.configs})


class ListenerPlugin(Plugin, ListenerReconfigurable):
    def __init__(self, listener: str, configs: AbstractSet[str]) -> None:
        super().__init__(configs)
        self.listener = listener

    def listener_name(self) -> ListenerName:
        return ListenerName(self.listener)


class ReconfigurableAuthorizer(StandardAuthorizer, Reconfigurable):
    def reconfigurable_configs(self) -> set[str]:
        return {"super.users"}

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        pass

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        self.configure(configs)


class Part(BrokerReconfigurable):
    def __init__(self, configs: AbstractSet[str], bad: tuple[object, ...] = ()) -> None:
        self.configs = configs
        self.bad = bad
        self.told: list[tuple[KafkaConfig, KafkaConfig]] = []

    def reconfigurable_configs(self) -> AbstractSet[str]:
        return self.configs

    def validate_reconfiguration(self, new_config: KafkaConfig) -> None:
        if any(new_config.get(name) in self.bad for name in self.configs):
            raise ConfigException("bad")

    def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
        self.told.append((old_config, new_config))


class Pool:
    def __init__(self) -> None:
        self.sizes: list[int] = []

    def resize_thread_pool(self, new_size: int) -> None:
        self.sizes.append(new_size)


class Listeners(Part):
    def __init__(self) -> None:
        super().__init__(SOCKET_SERVER_RECONFIGURABLE_CONFIGS)
        self.calls: list[tuple[str, list[str]]] = []

    def add_listeners(self, listeners_added: Sequence[EndPoint]) -> None:
        self.calls.append(("add", [e.connection_string() for e in listeners_added]))

    def remove_listeners(self, listeners_removed: Sequence[EndPoint]) -> None:
        self.calls.append(("remove", [e.connection_string() for e in listeners_removed]))


class Server:
    def __init__(self, config: KafkaConfig) -> None:
        self._config = config
        self.handlers, self.scheduler, self.listeners = Pool(), Pool(), Listeners()
        self.advertised: list[list[str]] = []
        self.producers = ProducerStateManagerConfig()
        self.log_defaults_changes = 0
        self.reconfigurable_authorizer: object = None
        # A plug-in for quotas, and what is asked for it.
        self.client_quota_callback: object = None
        self._metrics = Metrics()

    def authorizer(self) -> object:
        return self.reconfigurable_authorizer

    def config(self) -> KafkaConfig:
        return self._config

    def data_plane_request_handler_pool(self) -> Pool:
        return self.handlers

    def quota_managers(self) -> Any:
        return self

    def socket_server(self) -> Listeners:
        return self.listeners

    def kafka_scheduler(self) -> Pool:
        return self.scheduler

    def log_manager(self) -> Server:
        return self

    def metrics(self) -> Metrics:
        return self._metrics

    def cluster_id(self) -> str:
        return "cluster"

    def producer_state_manager_config(self) -> ProducerStateManagerConfig:
        return self.producers

    def advertised_listeners_changed(self, listeners: Sequence[EndPoint]) -> None:
        self.advertised.append([e.connection_string() for e in listeners])

    def log_defaults_changed(self) -> None:
        self.log_defaults_changes += 1


def test_config_update() -> None:
    name, old_keystore = "ssl.keystore.location", "oldKs.jks"
    config = new_config({name: old_keystore})
    dynamic_config = config.dynamic_config()
    assert config == dynamic_config.current_kafka_config()
    assert config.values()[name] == old_keystore
    assert config.values_from_this_config_with_prefix_override(EXTERNAL)[name] == old_keystore
    assert config.originals_from_this_config()[name] == old_keystore
    for i in (1, 2):
        new_keystore = f"ks{i}.jks"
        dynamic_config.update_broker_config(0, {EXTERNAL + name: new_keystore})
        assert dynamic_config.current_kafka_config() is not config
        assert config.values_with_prefix_override(EXTERNAL)[name] == new_keystore
        assert config.originals_with_prefix(EXTERNAL)[name] == new_keystore
        assert config.get_string(name) == old_keystore
        assert config.originals()[name] == old_keystore
        assert config.values()[name] == old_keystore
        assert config.originals_strings()[name] == old_keystore
        assert config.values_from_this_config_with_prefix_override(EXTERNAL)[name] == old_keystore
        assert config.originals_from_this_config()[name] == old_keystore
        assert config.values_from_this_config()[name] == old_keystore


def test_enable_default_unclean_leader_election() -> None:
    """The part of it that a single node has: the default of topics changes."""
    config = new_config({"unclean.leader.election.enable": "false"})
    config.dynamic_config().add_broker_reconfigurable(DynamicLogConfig(lambda: None))
    config.dynamic_config().update_default_config({"unclean.leader.election.enable": "true"})
    assert config.unclean_leader_election_enable()
    assert config.extract_log_config_map()["unclean.leader.election.enable"] is True


def test_update_dynamic_thread_pool() -> None:
    config = new_config({"num.io.threads": "4", "num.network.threads": "2", "num.replica.fetchers": "1",
                         "num.recovery.threads.per.data.dir": "1", "background.threads": "3"})
    server = Server(config)
    acceptor = ListenerPlugin("plaintext", DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS)
    dynamic_config = config.dynamic_config()
    dynamic_config.add_broker_reconfigurable(BrokerDynamicThreadPool(server))
    dynamic_config.add_reconfigurable(acceptor)
    props: Props = {}

    props["num.io.threads"] = "8"
    dynamic_config.update_default_config(props)
    assert config.num_io_threads() == 8
    assert server.handlers.sizes == [8]

    props["num.network.threads"] = "4"
    dynamic_config.update_default_config(props)
    assert config.num_network_threads() == 4
    assert acceptor.told == [{"num.network.threads": 4}]

    props["num.replica.fetchers"] = "2"
    props["num.recovery.threads.per.data.dir"] = "2"
    dynamic_config.update_default_config(props)
    assert config.num_replica_fetchers() == config.num_recovery_threads_per_data_dir() == 2

    props["background.threads"] = "6"
    dynamic_config.update_default_config(props)
    assert config.background_threads() == 6
    assert (server.handlers.sizes, server.scheduler.sizes) == ([8], [6])


@pytest.mark.parametrize("name, value, message", [
    ("num.io.threads", "3", "num.io.threads=3, value should be at least half the current value 8"),
    ("num.io.threads", "17",
     "num.io.threads=17, value should not be greater than double the current value 8"),
    ("num.replica.fetchers", "0", "num.replica.fetchers=0, value should be at least 1"),
])
def test_a_pool_is_neither_more_than_doubled_nor_less_than_halved(name: str, value: str,
                                                                  message: str) -> None:
    config = new_config({"num.io.threads": "8"})
    config.dynamic_config().add_broker_reconfigurable(BrokerDynamicThreadPool(Server(config)))
    with pytest.raises(ConfigException) as e:
        config.dynamic_config().validate({name: value}, False)
    assert str(e.value.__cause__) == f"Dynamic thread count update validation failed for {message}"
    config.dynamic_config().validate({"num.io.threads": "4"}, False)
    config.dynamic_config().validate({"num.io.threads": "16"}, False)
    with pytest.raises(IllegalStateException):
        DynamicThreadPool.get_value(config, "num.network.threads")


def verify_config_update_with_invalid_config(config: KafkaConfig, orig_props: Props, valid_props: Props,
                                             invalid_props: Props) -> None:
    props = valid_props | invalid_props
    with pytest.raises((ConfigException, IllegalArgumentException)):
        config.dynamic_config().validate(props, per_broker_config=True)
    config.dynamic_config().update_broker_config(0, props)
    for name, value in valid_props.items():
        assert config.originals()[name] == value
    for name in invalid_props:
        assert config.originals().get(name) == orig_props.get(name)


@pytest.mark.parametrize("invalid", [
    {"ssl.keystore.type": "PKCS12"},
    {"zookeeper.connect": "somehost:2181"},
    {"log.cleaner.threads": "invalid"},
    {"log.message.format.version": "0.10.2"},
])
def test_config_update_with_some_invalid_configs(invalid: Props) -> None:
    orig_props = create_broker_config(0, port=8181) | {"ssl.keystore.type": "JKS"}
    config = new_config({"ssl.keystore.type": "JKS"})
    verify_config_update_with_invalid_config(
        config, orig_props, {EXTERNAL + "ssl.keystore.location": "ks.p12"}, invalid)


def test_config_update_with_reconfigurable_validation_failure() -> None:
    overrides = {"log.cleaner.dedupe.buffer.size": "100000000"}
    orig_props = create_broker_config(0, port=8181) | overrides
    config = new_config(overrides)
    invalid_props = {"log.cleaner.threads": "20"}
    plugin = Plugin({"log.cleaner.threads"}, bad=(20,))
    config.dynamic_config().add_reconfigurable(plugin)
    verify_config_update_with_invalid_config(config, orig_props, {}, invalid_props)
    config.dynamic_config().remove_reconfigurable(plugin)
    config.dynamic_config().add_broker_reconfigurable(Part({"log.cleaner.threads"}, bad=(20,)))
    verify_config_update_with_invalid_config(config, orig_props, {}, invalid_props)
    assert plugin.told == []


def test_reconfigurable_validation() -> None:
    dynamic_config = new_config().dynamic_config()
    invalid = {"log.cleaner.threads", "broker.id", "some.prop"}
    valid = {"log.cleaner.threads", "log.cleaner.dedupe.buffer.size", "some.prop"}
    with pytest.raises(IllegalArgumentException) as e:
        dynamic_config.add_reconfigurable(Plugin(invalid))
    assert str(e.value) == "requirement failed: Reconfigurable contains non-dynamic configs Set(broker.id)"
    dynamic_config.add_reconfigurable(Plugin(valid))
    with pytest.raises(IllegalArgumentException):
        dynamic_config.add_broker_reconfigurable(Part(invalid))
    dynamic_config.add_broker_reconfigurable(Part(valid))


def verify_config_update(name: str, value: str, per_broker_config: bool, expect_failure: bool) -> None:
    config = new_config()
    dynamic_config = config.dynamic_config()
    props = {name: value}
    old_value = config.originals().get(name)

    def update_config() -> None:
        if per_broker_config:
            dynamic_config.update_broker_config(0, dynamic_config.to_persistent_props(props,
                                                                                      per_broker_config))
        else:
            dynamic_config.update_default_config(props)

    if not expect_failure:
        dynamic_config.validate(props, per_broker_config)
        update_config()
        assert config.originals().get(name) == value
    else:
        with pytest.raises((ConfigException, IllegalArgumentException)):
            dynamic_config.validate(props, per_broker_config)
        update_config()
        assert config.originals().get(name) == old_value


@pytest.mark.parametrize("name, value", [
    ("ssl.keystore.location", "ks.jks"), ("ssl.keystore.type", "JKS"), ("ssl.keystore.password", "password"),
    ("ssl.key.password", "password"),
])
def test_security_configs(name: str, value: str) -> None:
    verify_config_update(name, value, per_broker_config=True, expect_failure=True)
    verify_config_update(EXTERNAL + name, value, per_broker_config=True, expect_failure=False)
    verify_config_update(name, value, per_broker_config=False, expect_failure=True)
    verify_config_update(EXTERNAL + name, value, per_broker_config=False, expect_failure=True)


def test_connection_quota() -> None:
    for per_broker_config in (True, False):
        verify_config_update("max.connections.per.ip", "100", per_broker_config, False)
        verify_config_update("max.connections.per.ip.overrides", "hostName1:100,hostName2:0",
                             per_broker_config,
                             False)
        verify_config_update("max.connections", "100", per_broker_config, False)
        verify_config_update(EXTERNAL + "max.connections", "10", per_broker_config, False)
    # Only together with overrides.
    verify_config_update("max.connections.per.ip", "0", False, True)
    verify_config_update("max.connections.per.ip.overrides", "hostName#:100", True, True)


def test_connection_rate_quota() -> None:
    for per_broker_config in (True, False):
        verify_config_update("max.connection.creation.rate", "110", per_broker_config, False)
        verify_config_update(EXTERNAL + "max.connection.creation.rate", "20", per_broker_config, False)


def test_dynamic_listener_config() -> None:
    old_config = new_config(port=9092)
    server = Server(old_config)
    props = create_broker_config(0, port=9092) | {
        "listeners": "PLAINTEXT://hostname:9092,SASL_PLAINTEXT://hostname:9093"}
    dynamic_listener_config = DynamicListenerConfig(server)
    dynamic_listener_config.validate_reconfiguration(KafkaConfig(props, False))
    props["listener.name.plaintext.you.should.not.pass"] = "failure"
    with pytest.raises(ConfigException) as e:
        dynamic_listener_config.validate_reconfiguration(KafkaConfig(props, False))
    assert str(e.value) == ("Configs cannot be updated dynamically for existing listener "
                            "ListenerName(PLAINTEXT), "
                            "restart broker or create a new listener for update")


def running(overrides: Props | None = None) -> tuple[KafkaConfig, Server]:
    config = new_config(overrides, port=9092)
    server = Server(config)
    config.dynamic_config().add_reconfigurables(server)
    return config, server


def test_listeners_come_and_go() -> None:
    config, server = running()
    dynamic_config = config.dynamic_config()
    both = {"listeners": "PLAINTEXT://localhost:9092,SSL://localhost:9093"}
    dynamic_config.alter(both, True)
    assert server.listeners.calls == [("add", ["SSL://localhost:9093"])]
    assert server.advertised == [["PLAINTEXT://localhost:9092", "SSL://localhost:9093"]]
    assert [e.port() for e in config.listeners()] == [9092, 9093]
    dynamic_config.alter({}, True)
    assert server.listeners.calls[1:] == [("remove", ["SSL://localhost:9093"])]
    assert server.advertised[1:] == [["PLAINTEXT://localhost:9092"]]
    assert dynamic_config.current_dynamic_broker_configs() == {}


@pytest.mark.parametrize("props, message", [
    ({"listeners": "SSL://localhost:9093"}, "inter.broker.listener.name must be a listener name"),
    ({"advertised.listeners": "PLAINTEXT://localhost:9092,SSL://localhost:1"},
     "advertised.listeners listener names must be equal to or a subset"),
    ({"listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT",
      "inter.broker.listener.name": "PLAINTEXT"},
     "Cannot update these configs dynamically: Set(inter.broker.listener.name)"),
])
def test_listeners_that_do_not_go_together(props: Props, message: str) -> None:
    config, server = running()
    with pytest.raises((ConfigException, IllegalArgumentException)) as e:
        config.dynamic_config().alter(props, True)
    assert message in str(e.value)
    assert server.listeners.calls == server.advertised == []


def test_the_protocol_of_a_listener_does_not_change() -> None:
    overrides = {"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,A:PLAINTEXT",
                 "listeners": "PLAINTEXT://localhost:9092,A://localhost:9093"}
    config, server = running(overrides)
    with pytest.raises(ConfigException) as e:
        config.dynamic_config().alter({"listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,A:SSL"}, True)
    assert str(e.value.__cause__) == (
        "Security protocol cannot be updated for existing listener ListenerName(A)")


def test_advertised_listeners_of_a_kraft_node_do_not_change() -> None:
    config = KafkaConfig(create_broker_config(0, None, port=9092), False)
    config.dynamic_config().initialize()
    server = Server(config)
    config.dynamic_config().add_reconfigurables(server)
    with pytest.raises(ConfigException) as e:
        config.dynamic_config().alter({"advertised.listeners": "PLAINTEXT://elsewhere:9092"}, True)
    assert str(e.value.__cause__) == (
        "Advertised listeners cannot be altered when using a Raft-based metadata quorum.")
    config.dynamic_config().alter({"max.connections": "7"}, False)
    assert config.max_connections() == 7
    assert len(server.listeners.told) == 1


def test_synonyms() -> None:
    def synonyms(name: str) -> list[str]:
        return DynamicBrokerConfig.broker_config_synonyms(name, match_listener_override=True)

    name = "listener.name.secure.ssl.keystore.type"
    assert synonyms(name) == [name, "ssl.keystore.type"]
    name = "listener.name.sasl_ssl.plain.sasl.jaas.config"
    assert synonyms(name) == [name, "sasl.jaas.config"]
    assert synonyms("some.config") == ["some.config"]
    assert synonyms("log.roll.ms") == synonyms("log.roll.hours") == ["log.roll.ms", "log.roll.hours"]
    assert synonyms("log.flush.interval.ms") == ["log.flush.interval.ms", "log.flush.scheduler.interval.ms"]
    assert synonyms("log.retention.hours") == ["log.retention.ms", "log.retention.minutes",
                                               "log.retention.hours"]
    assert DynamicBrokerConfig.broker_config_synonyms(name, match_listener_override=False) == [name]


def test_dynamic_config_initialization_without_configs_in_zk() -> None:
    props = create_broker_config(0, port=9092)
    del props["background.threads"]
    old_config = KafkaConfig(props, False)
    dynamic_broker_config = DynamicBrokerConfig(old_config)
    dynamic_broker_config.initialize()
    part = Part(DynamicThreadPool.ReconfigurableConfigs)
    dynamic_broker_config.add_broker_reconfigurable(part)
    dynamic_broker_config.update_broker_config(0, {"num.io.threads": "10", "background.threads": "100"})
    [(old, new)] = part.told
    assert (old.num_io_threads(), old.background_threads()) == (8, 10)
    assert (new.num_io_threads(), new.background_threads()) == (10, 100)


def test_improper_configs_are_removed() -> None:
    config = new_config()
    assert config.max_connections() == 2**31 - 1
    assert config.message_max_bytes() == 1048588
    dynamic_config = config.dynamic_config()
    dynamic_config.update_default_config({"max.connections": "9999", "message.max.bytes": "2222"})
    assert (config.max_connections(), config.message_max_bytes()) == (9999, 2222)
    dynamic_config.update_default_config({"max.connections": "INVALID_INT", "message.max.bytes": "1111"})
    assert (config.max_connections(), config.message_max_bytes()) == (2**31 - 1, 1111)


def test_non_internal_values_does_not_expose_internal_configs() -> None:
    props = {"zookeeper.connect": "localhost:2181", "metadata.log.segment.min.bytes": "1024"}
    config = KafkaConfig(props, False)
    assert "metadata.log.segment.min.bytes" not in config.non_internal_values()
    config.update_current_config(KafkaConfig(props, False))
    assert "metadata.log.segment.min.bytes" not in config.non_internal_values()


def verify_local_retention(total: Props, name: str, first: str, second: str) -> KafkaConfig:
    config = new_config(total)
    dynamic_config = config.dynamic_config()
    dynamic_config.add_broker_reconfigurable(DynamicLogConfig(lambda: None))
    dynamic_config.validate({name: first}, per_broker_config=False)
    dynamic_config.update_default_config({name: first})
    assert config.get_long(name) == int(first)
    dynamic_config.validate({name: second}, per_broker_config=True)
    dynamic_config.update_broker_config(0, {name: second})
    return config


def test_dynamic_log_local_retention_ms_config() -> None:
    config = verify_local_retention({"log.retention.ms": "2592000000"}, "log.local.retention.ms",
                                    "2160000000",
                                    "2150000000")
    assert config.log_local_retention_ms() == 2150000000


def test_dynamic_log_local_retention_size_config() -> None:
    config = verify_local_retention({"log.retention.bytes": "4294967296"}, "log.local.retention.bytes",
                                    "4294967295", "4294967294")
    assert config.log_local_retention_bytes() == 4294967294


def test_dynamic_log_local_retention_skips_on_invalid_config() -> None:
    overrides = {"log.local.retention.ms": "1000", "log.local.retention.bytes": "1024"}
    orig_props = create_broker_config(0, port=8181) | overrides
    config = new_config(overrides)
    for name in overrides:
        verify_config_update_with_invalid_config(config, orig_props, {}, {name: "-3"})


@pytest.mark.parametrize("local_ms, ms, local_bytes, bytes_", [
    (2000, 1000, 2, 100), (500, 1000, 200, 100), (-1, 1000, 200, 100), (2000, 1000, -1, 100)])
def test_dynamic_log_local_retention_throws_on_incorrect_config(local_ms: int, ms: int, local_bytes: int,
                                                                bytes_: int) -> None:
    config = new_config({"log.retention.ms": str(ms), "log.retention.bytes": str(bytes_)})
    config.dynamic_config().add_broker_reconfigurable(DynamicLogConfig(lambda: None))
    new_props = {"log.local.retention.ms": str(local_ms), "log.local.retention.bytes": str(local_bytes)}
    for per_broker_config in (True, False):
        with pytest.raises(ConfigException):
            config.dynamic_config().validate(new_props, per_broker_config)


# Beyond DynamicBrokerConfigTest.

def test_a_change_that_somebody_objects_to_changes_nothing() -> None:
    config = new_config()
    dynamic_config = config.dynamic_config()
    first, second = Plugin({"max.connections"}), Plugin({"max.connections"}, bad=(5,))
    part = Part({"max.connections"})
    dynamic_config.add_reconfigurable(first)
    dynamic_config.add_reconfigurable(second)
    dynamic_config.add_broker_reconfigurable(part)
    before = dynamic_config.current_kafka_config()
    with pytest.raises(ConfigException, match="Invalid dynamic configuration"):
        dynamic_config.alter({"max.connections": "5"}, False)
    assert first.told == second.told == part.told == []
    assert dynamic_config.current_kafka_config() is before
    assert dynamic_config.current_dynamic_default_configs() == {}
    dynamic_config.alter({"max.connections": "6"}, False)
    assert first.told == second.told == [{"max.connections": 6}]
    [(old, new)] = part.told
    assert (old.max_connections(), new.max_connections()) == (2**31 - 1, 6)
    assert dynamic_config.current_dynamic_default_configs() == {"max.connections": "6"}


def test_a_part_sees_the_new_values_in_the_old_config() -> None:
    config = new_config()

    class Reader(Part):
        def reconfigure(self, old_config: KafkaConfig, new_config: KafkaConfig) -> None:
            self.told.append((old_config, new_config))
            assert config.max_connections() == 9

    part = Reader({"max.connections"})
    config.dynamic_config().add_broker_reconfigurable(part)
    config.dynamic_config().alter({"max.connections": "9"}, True)
    assert len(part.told) == 1


def test_only_those_concerned_are_told() -> None:
    config = new_config()
    concerned, other = Plugin({"num.io.threads"}), Plugin({"background.threads"})
    config.dynamic_config().add_reconfigurable(concerned)
    config.dynamic_config().add_reconfigurable(other)
    config.dynamic_config().alter({"num.io.threads": "9"}, True)
    config.dynamic_config().alter({"num.io.threads": "9"}, True)
    assert (concerned.told, other.told) == ([{"num.io.threads": 9}], [])
    # A removed setting is a change, too.
    config.dynamic_config().alter({}, True)
    assert concerned.told[1:] == [{"num.io.threads": 8}]


def test_authorizer_config() -> None:
    config = new_config()
    server = Server(config)
    server.reconfigurable_authorizer = authorizer = ReconfigurableAuthorizer()
    config.dynamic_config().add_reconfigurables(server)
    config.dynamic_config().update_broker_config(0, {"super.users": "User:admin"})
    assert authorizer.super_users() == {"User:admin"}


def test_a_listener_is_shown_its_own_values() -> None:
    config = new_config()
    external = ListenerPlugin("EXTERNAL", {"max.connections"})
    internal = ListenerPlugin("INTERNAL", {"max.connections"})
    config.dynamic_config().add_reconfigurable(external)
    config.dynamic_config().add_reconfigurable(internal)
    config.dynamic_config().alter({EXTERNAL + "max.connections": "5"}, False)
    assert (external.told, internal.told) == ([{"max.connections": 5}], [])
    config.dynamic_config().alter({EXTERNAL + "max.connections": "5", "max.connections": "6"}, False)
    assert (external.told[1:], internal.told) == ([], [{"max.connections": 6}])


def test_settings_of_plugins_pass_through() -> None:
    config = new_config()
    plugin = Plugin({"my.plugin.setting"})
    config.dynamic_config().add_reconfigurable(plugin)
    config.dynamic_config().alter({"my.plugin.setting": "x"}, True)
    assert plugin.told == [{"my.plugin.setting": "x"}]


def test_a_plugin_that_breaks_is_an_objection() -> None:
    config = new_config()
    config.dynamic_config().add_reconfigurable(Plugin({"num.io.threads"}, bad=(9,), error=ZeroDivisionError))
    with pytest.raises(ConfigException) as e:
        config.dynamic_config().alter({"num.io.threads": "9"}, True)
    assert str(e.value.__cause__) == (
        "Validation of dynamic config update of Set(num.io.threads) failed with class class "
        f"{__name__}.Plugin")


def test_the_broker_comes_before_all_brokers() -> None:
    config = new_config({"max.connections": "1"})
    dynamic_config = config.dynamic_config()
    dynamic_config.alter({"max.connections": "2"}, False)
    assert config.max_connections() == 2
    dynamic_config.alter({"max.connections": "3"}, True)
    assert config.max_connections() == 3
    dynamic_config.alter({"max.connections": "4"}, False)
    assert config.max_connections() == 3
    dynamic_config.alter({}, True)
    assert config.max_connections() == 4


def test_a_synonym_that_is_set_takes_the_others_out() -> None:
    config = new_config({"log.retention.minutes": "30", "log.retention.hours": "1"})
    config.dynamic_config().alter({"log.retention.ms": "5"}, False)
    assert config.log_retention_time_millis() == 5
    assert "log.retention.minutes" not in config.originals()
    config.dynamic_config().alter({}, False)
    assert config.log_retention_time_millis() == 30 * 60 * 1000
    # Of synonyms the strongest can be changed.
    with pytest.raises(ConfigException, match="Cannot update these configs dynamically"):
        config.dynamic_config().alter({"log.retention.hours": "1"}, False)


def test_files_are_read_again_without_a_change() -> None:
    location = EXTERNAL + "ssl.keystore.location"
    config = new_config({location: "ks"})
    plugin = ListenerPlugin("EXTERNAL", {"ssl.keystore.location"})
    unconcerned = ListenerPlugin("EXTERNAL", {"max.connections"})
    config.dynamic_config().add_reconfigurable(plugin)
    config.dynamic_config().add_reconfigurable(unconcerned)
    config.dynamic_config().add_reconfigurable(Plugin({"ssl.truststore.location"}))
    config.dynamic_config().reload_updated_files_without_config_change({})
    assert (plugin.told, unconcerned.told) == ([{"ssl.keystore.location": "ks"}], [])
    # A change of its own is left to the change.
    config.dynamic_config().reload_updated_files_without_config_change({location: "x"})
    assert len(plugin.told) == 1


def test_passwords_are_for_one_broker() -> None:
    dynamic_config = new_config().dynamic_config()
    name = EXTERNAL + "plain.sasl.jaas.config"
    assert DynamicBrokerConfig.is_password_config(name)
    assert dynamic_config.to_persistent_props({name: "x"}, True) == {name: "x"}
    with pytest.raises(ConfigException, match="Password config can be defined only at broker level"):
        dynamic_config.to_persistent_props({name: "x"}, False)
    config = new_config()
    config.dynamic_config().alter({name: "x required;"}, True)
    assert config.values_with_prefix_override(EXTERNAL)["plain.sasl.jaas.config"] == Password("x required;")


def test_maybe_reconfigure() -> None:
    config = new_config()
    plugin = Plugin({"max.connections"})
    config.dynamic_config().maybe_reconfigure(plugin, config, {})
    assert plugin.told == []
    config.dynamic_config().maybe_reconfigure(plugin, config, {"max.connections": 5})
    assert plugin.told == [{"max.connections": 5}]


def test_clear() -> None:
    config = new_config()
    plugin = Plugin({"num.io.threads"})
    dynamic_config = config.dynamic_config()
    dynamic_config.add_reconfigurable(plugin)
    dynamic_config.alter({"num.io.threads": "9"}, True)
    dynamic_config.clear()
    assert dynamic_config.current_dynamic_broker_configs() == {}
    dynamic_config.update_broker_config(0, {})
    assert config.num_io_threads() == 8
    assert len(plugin.told) == 1


def test_before_initialize_nothing_changes(caplog: pytest.LogCaptureFixture) -> None:
    config = KafkaConfig(create_broker_config(0), False)
    with pytest.raises(IllegalStateException):
        config.dynamic_config().current_kafka_config()
    config.dynamic_config().update_broker_config(0, {"num.io.threads": "9"})
    assert config.num_io_threads() == 8
    assert "could not be applied" in caplog.text


def test_what_can_be_changed() -> None:
    names = DynamicConfig.Broker.brokerConfigDef.names()
    assert {"num.io.threads", "listeners", "max.connections", "log.retention.ms",
            "leader.replication.throttled.rate"} <= names
    assert DynamicConfig.Broker.nonDynamicProps.isdisjoint(names)
    assert {"broker.id", "zookeeper.connect", "log.dirs",
            "process.roles"} <= DynamicConfig.Broker.nonDynamicProps


class Reporter(MetricsReporter, ClientTelemetry):
    """Notes what it is told, in this order."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.receiver = ClientMetricsReceiver()

    def configure(self, configs: Mapping[str, object]) -> None:
        self.told.append(configs["broker.id"])

    def context_change(self, metrics_context: MetricsContext) -> None:
        self.told.append(dict(metrics_context.context_labels()))

    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        self.told.append("init")

    def metric_change(self, metric: KafkaMetric) -> None:
        pass

    def metric_removal(self, metric: KafkaMetric) -> None:
        pass

    def close(self) -> None:
        self.told.append("close")

    def client_receiver(self) -> ClientMetricsReceiver:
        return self.receiver


REPORTER = f"{__name__}.Reporter"
JMX_REPORTER = "org.apache.kafka.common.metrics.JmxReporter"


def test_update_metric_reporters() -> None:
    config = KafkaConfig(create_broker_config(0, port=8181) | {
        "metric.reporters": JMX_REPORTER, "metrics.context.rack": "r"}, False)
    plugin = ClientMetricsReceiverPlugin()
    config.dynamic_config().initialize(plugin)
    with Metrics() as metrics:
        m = DynamicMetricsReporters(0, config, metrics, "clusterId")
        config.dynamic_config().add_reconfigurable(m)
        assert m.current_reporters == {} and plugin.is_empty()

        config.dynamic_config().update_default_config({"metric.reporters": f"{JMX_REPORTER},{REPORTER}"})
        assert list(m.current_reporters) == [REPORTER]
        reporter = m.current_reporters[REPORTER]
        assert isinstance(reporter, Reporter)
        assert reporter.told == ["0", {
            "_namespace": "kafka.server", "kafka.cluster.id": "clusterId", "kafka.broker.id": "0",
            "rack": "r"}, "init"]
        assert plugin._receivers == (reporter.receiver,)
    assert reporter.told[3:] == ["close"]


def test_update_metric_reporters_no_jmx_reporter() -> None:
    config = new_config({"auto.include.jmx.reporter": "false"})
    with Metrics() as metrics:
        m = DynamicMetricsReporters(0, config, metrics, "clusterId")
        config.dynamic_config().add_reconfigurable(m)
        assert m.current_reporters == {}

        config.dynamic_config().update_default_config({"metric.reporters": REPORTER})
        reporter, = m.current_reporters.values()
        assert list(metrics.reporters()) == [reporter]

        config.dynamic_config().update_default_config({})
        assert m.current_reporters == {} and list(metrics.reporters()) == []


@pytest.mark.parametrize("name", ["no.such.Reporter", f"{__name__}.Server"])
def test_metric_reporters_that_cannot_be(name: str) -> None:
    config = new_config()
    with Metrics() as metrics:
        m = DynamicMetricsReporters(0, config, metrics, "clusterId")
        config.dynamic_config().add_reconfigurable(m)
        with pytest.raises(ConfigException):
            config.dynamic_config().alter({"metric.reporters": name}, False)
        assert m.current_reporters == {}
