# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DynamicBrokerReconfigurationTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker that serves gets other settings, which are in force at once."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.core.network.data_plane_acceptor import DataPlaneAcceptor
from kreactor.core.server.dynamic_broker_config import DynamicLogConfig
from kreactor.embedded.broker_server import BrokerServer
from kreactor.testing.certificates import new_certificate
from kreactor.testing.tls import ClientFiles, Tls
from tests.core.server.broker_requests import (
    ask,
    create_topic,
    fetch_data,
    log_of,
    produce,
    produce_data,
    values_of,
)
from tests.core.server.brokers import HOST, connect, new_broker
from tests.core.server.scram_wire import ask_plain
from tests.core.server.wire import Closed, Wire
from tests.stepping import wait_until

BROKER, DEFAULT = "1", ""
TOPIC = "testtopic"
SET, DELETE = 0, 1


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {
            "num.io.threads": "2", "num.network.threads": "2", "background.threads": "2",
            "log.retention.ms": "1680000000", "log.retention.hours": "168",
            "metric.reporters": "", "test.known.reporter": ""}) as broker:
        create_topic(broker, TOPIC)
        yield broker


def alter(broker: BrokerServer, name: str, configs: Mapping[str, str], operation: int = SET) -> Errors:
    """Change settings of the broker, or those of all brokers."""
    answer = ask(broker, ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
        IncrementalAlterConfigsRequestData.AlterConfigsResource(
            resource_type=4, resource_name=name, configs=[
                IncrementalAlterConfigsRequestData.AlterableConfig(
                    name=key, config_operation=operation, value=value) for key, value in configs.items()])]))
    response, = answer.responses
    return Errors.for_code(response.error_code)


def reconfigure(broker: BrokerServer, configs: Mapping[str, str], name: str = DEFAULT) -> None:
    assert alter(broker, name, configs) is Errors.NONE
    for key, value in configs.items():
        assert str(broker.config().originals().get(key)) == value, f"not reconfigured: {key}"


def test_log_cleaner_config(broker: BrokerServer) -> None:
    cleaner = broker.log_cleaner()
    assert cleaner is not None

    def verify_threads(count: int) -> None:
        names = [thread.name for thread in threading.enumerate()]
        assert sum(name.startswith("kafka-log-cleaner-thread-") for name in names) == count
        assert cleaner.cleaner_count() == count

    verify_threads(1)
    props = {"log.cleaner.threads": "2", "log.cleaner.dedupe.buffer.size": "20000000",
             "log.cleaner.io.buffer.load.factor": "0.8", "log.cleaner.io.buffer.size": "300000",
             "message.max.bytes": "40000", "log.cleaner.io.max.bytes.per.second": "50000000",
             "log.cleaner.backoff.ms": "6000"}
    reconfigure(broker, props)
    config = cleaner.current_config()
    assert (config.num_threads, config.dedupe_buffer_size, config.dedupe_buffer_load_factor,
            config.io_buffer_size, config.max_message_size, config.max_io_bytes_per_second,
            config.backoff_ms) == (2, 20_000_000, 0.8, 300_000, 40_000, 50_000_000, 6000)
    verify_threads(2)

    # Threads that have ended are replaced by any change.
    for thread in cleaner._cleaners:
        thread.shutdown()
        thread.join()
    reconfigure(broker, {**props, "log.cleaner.backoff.ms": "8000"})
    verify_threads(2)

    for threads, message in (("0", "at least 1"), ("5", "more than double")):
        assert alter(broker, DEFAULT, {"log.cleaner.threads": threads}) is not Errors.NONE, message
    verify_threads(2)


def test_consecutive_config_change(broker: BrokerServer) -> None:
    """Kafka's topic has three replicas; the values are those of one."""
    create_topic(broker, "testtopic2", max_message_bytes="2000")
    partition = TopicPartition("testtopic2", 0)

    def own_value() -> int:
        return log_of(broker, partition).config().max_message_size()

    assert own_value() == 2000
    reconfigure(broker, {"message.max.bytes": "3000"})
    assert own_value() == 2000, "the topic's own value survives"
    assert log_of(broker, TopicPartition(TOPIC, 0)).config().max_message_size() == 3000
    reconfigure(broker, {"log.retention.ms": "604800000"})
    assert own_value() == 2000, "and survives again"
    assert log_of(broker, partition).config().retention_ms == 604_800_000


def test_default_topic_config(broker: BrokerServer) -> None:
    hour, day = 3_600_000, 86_400_000
    props = {
        "log.segment.bytes": "4000", "log.roll.ms": str(2 * hour), "log.roll.jitter.ms": str(hour),
        "log.index.size.max.bytes": "100000", "log.flush.interval.messages": "1000",
        "log.flush.interval.ms": "60000", "log.retention.bytes": "10000000", "log.retention.ms": str(day),
        "message.max.bytes": "100000", "log.index.interval.bytes": "10000",
        "log.cleaner.delete.retention.ms": str(day), "log.cleaner.min.compaction.lag.ms": "60000",
        "log.segment.delete.delay.ms": "60000", "log.cleaner.min.cleanable.ratio": "0.3",
        "log.cleanup.policy": "delete", "unclean.leader.election.enable": "false",
        "min.insync.replicas": "1", "compression.type": "gzip", "log.preallocate": "false",
        "log.message.timestamp.type": "LogAppendTime", "log.message.timestamp.difference.max.ms": "1000",
        "log.message.timestamp.before.max.ms": "1000", "log.message.timestamp.after.max.ms": "1000",
        "log.message.downconversion.enable": "false"}
    reconfigure(broker, props)
    log = log_of(broker, TopicPartition(TOPIC, 0))
    assert log.config().segment_size == 4000
    # Of every setting the name that topics have for it has the value.
    extracted = broker.config().extract_log_config_map()
    for key, value in props.items():
        found = extracted[DynamicLogConfig.KafkaConfigToLogConfigName[key]]
        expected = f"['{value}']" if key == "log.cleanup.policy" else value.lower()
        assert str(found).lower() == expected, key

    # New segments of existing logs are so large.
    for _ in range(8):
        assert produce(broker, bytes(range(256)) * 2, topic=TOPIC) is Errors.NONE
    assert log.number_of_segments() == 1 or max(segment.size() for segment in log.segments()) > 3000
    assert timestamp_type(log) == "LogAppendTime"

    # A part of the settings.
    part = {"log.message.timestamp.type": "CreateTime", "log.message.timestamp.difference.max.ms": "1000",
            "log.message.timestamp.before.max.ms": "1000", "log.message.timestamp.after.max.ms": "1000"}
    reconfigure(broker, part)
    assert timestamp_type(log) == "CreateTime"
    for key, value in {"log.message.timestamp.difference.max.ms": "abc",
                       "log.message.timestamp.before.max.ms": "abc",
                       "log.message.timestamp.after.max.ms": "abc",
                       "log.message.timestamp.type": "invalid", "log.roll.ms": "0",
                       # Ours: Kafka has it; here nothing would do what it says.
                       "log.preallocate": "true"}.items():
        before = broker.config().originals().get(key)
        assert alter(broker, DEFAULT, {**part, key: value}) is Errors.INVALID_REQUEST
        assert broker.config().originals().get(key) == before

    # Settings of all brokers can be those of one.
    own = {"log.index.size.max.bytes": "500000", "log.retention.ms": str(2 * day)}
    reconfigure(broker, own, BROKER)
    assert log.config().retention_ms == 2 * day
    # Deleted at both levels, they are what the file says.
    for name in (BROKER, DEFAULT):
        assert alter(broker, name, dict.fromkeys(own, ""), DELETE) is Errors.NONE
    assert broker.config().values()["log.retention.ms"] == 1_680_000_000
    assert log.config().retention_ms == 1_680_000_000


def timestamp_type(log: UnifiedLog) -> str:
    return str(log.config().message_timestamp_type)


def threads(prefix: str) -> int:
    return sum(thread.name.startswith(prefix) for thread in threading.enumerate())


def is_served(broker: BrokerServer) -> bool:
    try:
        return produce(broker, b"value", topic=TOPIC) is Errors.NONE
    except Closed:
        return False


def test_thread_pool_resize(broker: BrokerServer) -> None:
    """The broker has one listener and fetches from no other."""
    handlers, network = "data-plane-kafka-request-handler-", "data-plane-kafka-network-thread-"

    def resize(name: str, size: int, prefix: str | None) -> None:
        try:
            reconfigure(broker, {name: str(size)})
        except Closed:
            # The network thread that the connection had is gone, after the change.
            assert name == "num.network.threads"
        wait_until(lambda: str(broker.config().originals().get(name)) == str(size))
        if prefix is not None:
            wait_until(lambda: threads(prefix) == size, f"{prefix}: {size}")
        # A connection may still be given to a network thread that is about to end.
        wait_until(lambda: is_served(broker))

    for name, prefix in (("num.io.threads", handlers), ("background.threads", None),
                         ("num.network.threads", network)):
        for size in (1, 2, 1, 2):
            resize(name, size, prefix)
    assert threads("data-plane-kafka-socket-acceptor-") == 1
    # Processors that went have taken their metrics with them.
    of_processors = {name.tags()["networkProcessor"] for name in broker.metrics().metrics()
                     if "networkProcessor" in name.tags()}
    assert len(of_processors) == 2
    by_name: dict[str, int] = {}
    for metric_name in broker.metrics_registry().all_metrics():
        mbean = metric_name.get_mbean_name()
        if "networkProcessor=" in mbean or "processor=" in mbean:
            by_name[metric_name.get_name()] = by_name.get(metric_name.get_name(), 0) + 1
    assert by_name and set(by_name.values()) == {2}


class ReporterForTests(MetricsReporter):
    POLLING_INTERVAL = "polling.interval"
    reporters: ClassVar[list["ReporterForTests"]] = []

    def __init__(self) -> None:
        self.kafka_metrics: list[KafkaMetric] = []
        self.initialized = self.contexts = self.configured = self.reconfigured = self.closed = 0
        self.polling_interval = -1
        self.broker_id = ""
        self.reporters.append(self)

    def context_change(self, metrics_context: MetricsContext) -> None:
        self.contexts += 1

    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        assert self.contexts > 0, "the context must come first"
        self.kafka_metrics += metrics
        self.initialized += 1

    def configure(self, configs: Mapping[str, object]) -> None:
        self.broker_id = str(configs["broker.id"])
        self.configured += 1
        self.polling_interval = int(str(configs[self.POLLING_INTERVAL]))

    def metric_change(self, metric: KafkaMetric) -> None:
        pass

    def metric_removal(self, metric: KafkaMetric) -> None:
        pass

    def reconfigurable_configs(self) -> frozenset[str]:
        return frozenset((self.POLLING_INTERVAL,))

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        if int(str(configs[self.POLLING_INTERVAL])) <= 0:
            raise ConfigException(f"Invalid polling interval {configs[self.POLLING_INTERVAL]}")

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        self.reconfigured += 1
        self.polling_interval = int(str(configs[self.POLLING_INTERVAL]))

    def close(self) -> None:
        self.closed += 1

    def verify(self, reconfigured: int, closed: int, polling_interval: int) -> None:
        assert (self.initialized, self.configured, self.reconfigured, self.closed, self.polling_interval) == (
            1, 1, reconfigured, closed, polling_interval)


def test_metrics_reporter_update(tmp_path: Path) -> None:
    """There is no JMX. The operator names the class at the start, or no client may name it later."""
    names, interval = "metric.reporters", ReporterForTests.POLLING_INTERVAL
    reporter_class = f"{__name__}.ReporterForTests"
    ReporterForTests.reporters.clear()

    def only() -> ReporterForTests:
        reporter, = ReporterForTests.reporters
        return reporter

    with new_broker(tmp_path, {names: reporter_class, interval: "50"}) as broker:
        create_topic(broker, TOPIC)
        reconfigure(broker, {names: ""})
        only().verify(0, 1, 50)
        ReporterForTests.reporters.clear()

        reconfigure(broker, {names: reporter_class, interval: "100"})
        reporter = only()
        reporter.verify(0, 0, 100)
        assert reporter.broker_id == BROKER
        totals = [metric.metric_value() for metric in reporter.kafka_metrics
                  if (metric.metric_name().name(), metric.metric_name().group()) == (
                      "request-total", "socket-server-metrics")]
        assert any(isinstance(total, float) and total > 0 for total in totals)

        # Another plug-in's setting is none of its own; the same value is no change.
        reconfigure(broker, {"some.prop": "some.value", interval: "100"})
        reporter.verify(0, 0, 100)
        reconfigure(broker, {interval: "1000"})
        reporter.verify(1, 0, 1000)
        reconfigure(broker, {names: ""})
        reporter.verify(1, 1, 1000)
        ReporterForTests.reporters.clear()

        reconfigure(broker, {names: reporter_class, interval: "2000"})
        reporter = only()
        reporter.verify(0, 0, 2000)
        # A refused change has no effect.
        for configs in ({names: "unknownMetricsReporter"}, {interval: "invalid"}):
            assert alter(broker, DEFAULT, configs) is Errors.INVALID_REQUEST
            assert broker.config().originals()[names] == reporter_class
            reporter.verify(0, 0, 2000)
        reconfigure(broker, {names: ""})
        ReporterForTests.reporters.clear()

        # Of one broker.
        reconfigure(broker, {names: reporter_class, interval: "4000"}, BROKER)
        reporter = only()
        reporter.verify(0, 0, 4000)
        reconfigure(broker, {interval: "3000"}, BROKER)
        reporter.verify(1, 0, 3000)
        assert produce(broker, b"value", topic=TOPIC) is Errors.NONE
    ReporterForTests.reporters.clear()


def test_reconfigure_removed_listener(tmp_path: Path) -> None:
    def listeners(*names: str) -> str:
        return ",".join(f"{name}://{HOST}:0" for name in names)

    with new_broker(tmp_path, {
            "listeners": listeners("INTERNAL", "EXTERNAL"), "inter.broker.listener.name": "INTERNAL",
            "listener.security.protocol.map": "INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT,PLAINTEXT:PLAINTEXT"
            }) as broker:
        def acceptors() -> int:
            return sum(isinstance(each, DataPlaneAcceptor)
                       for each in broker.config().dynamic_config()._reconfigurables)

        def change(*names: str) -> Any:
            with connect(broker, "INTERNAL") as wire:
                answer: Any = wire.ask(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
                        IncrementalAlterConfigsRequestData.AlterConfigsResource(
                            resource_type=4, resource_name=BROKER, configs=[
                                IncrementalAlterConfigsRequestData.AlterableConfig(
                                    name="listeners", config_operation=SET, value=listeners(*names))])]))
            assert [response.error_code for response in answer.responses] == [0], answer

        assert acceptors() == 2
        change("PLAINTEXT", "INTERNAL", "EXTERNAL")
        wait_until(lambda: acceptors() == 3)
        change("INTERNAL", "EXTERNAL")
        wait_until(lambda: acceptors() == 2)


def test_transaction_verification_enable(tmp_path: Path) -> None:
    """No thread sends verifications: the coordinator is in this process."""
    name = "transaction.partition.verification.enable"

    def enabled(broker: BrokerServer) -> bool:
        return broker.storage().log_manager().producer_state_manager_config().transaction_verification_enabled

    with new_broker(tmp_path) as broker:
        assert enabled(broker)
        reconfigure(broker, {name: "false"})
        assert not enabled(broker)
    with new_broker(tmp_path) as broker:
        assert not enabled(broker)
        reconfigure(broker, {name: "true"})
        assert enabled(broker)


# -- stores of keys and certificates ---------------------------------------------------------------

EXTERNAL, INTERNAL = "listener.name.external.", "listener.name.internal."
JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required user_alice=\"secret\";"
KEYSTORE, TRUSTSTORE = "ssl.keystore.location", "ssl.truststore.location"


class Secure:
    """A broker with a listener over TLS for brokers, and with SASL for clients; two authorities."""

    def __init__(self, broker: BrokerServer, first: Tls, second: Tls) -> None:
        self.broker = broker
        self.first = first
        self.second = second

    def connect(self, listener: str, client: ClientFiles) -> Wire:
        """Raises SSLError, ConnectionError or Closed where an end does not believe the other."""
        raw = socket.create_connection((HOST, self.broker.bound_port(listener)), timeout=120)
        try:
            wire = Wire.over(client.ssl_context().wrap_socket(raw, server_hostname=HOST))
        except BaseException:
            raw.close()
            raise
        try:
            if listener == "EXTERNAL":
                assert ask_plain(wire, "alice", "secret").error_code == 0
            wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
        except BaseException:
            wire.close()
            raise
        return wire

    def verify_works(self, listener: str, client: ClientFiles) -> None:
        """Produce as such a client, and read what came."""
        with self.connect(listener, client) as wire:
            answer: Any = wire.ask(ApiKeys.PRODUCE, 9, produce_data(b"value", topic=TOPIC))
            partition, = answer.responses[0].partition_responses
            assert partition.error_code == 0
            answer = wire.ask(ApiKeys.FETCH, 11, fetch_data(partition.base_offset, TOPIC))
            assert values_of(answer) == [b"value"]

    def verify_authentication_failure(self, listener: str, client: ClientFiles) -> None:
        with pytest.raises((ssl.SSLError, ConnectionError, Closed)):
            self.connect(listener, client).close()

    def alter(self, client: ClientFiles, configs: Mapping[str, str]) -> Errors:
        with self.connect("INTERNAL", client) as wire:
            answer: Any = wire.ask(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1, IncrementalAlterConfigsRequestData(resources=[
                    IncrementalAlterConfigsRequestData.AlterConfigsResource(
                        resource_type=4, resource_name=BROKER, configs=[
                            IncrementalAlterConfigsRequestData.AlterableConfig(
                                name=key, config_operation=SET, value=value)
                            for key, value in configs.items()])]))
            return Errors.for_code(answer.responses[0].error_code)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[Secure]:
    with closing(Tls()) as first, closing(Tls()) as second:
        stores = {f"{prefix}ssl.keystore.{key}": value for prefix in (EXTERNAL, INTERNAL)
                  for key, value in (("type", "PEM"), ("location", first.keystore))}
        with new_broker(tmp_path / "data", {
                "sasl.enabled.mechanisms": "PLAIN",
                f"{EXTERNAL}plain.sasl.jaas.config": JAAS,
                "listeners": f"INTERNAL://{HOST}:0,EXTERNAL://{HOST}:0",
                "listener.security.protocol.map": "INTERNAL:SSL,EXTERNAL:SASL_SSL",
                "inter.broker.listener.name": "INTERNAL", "ssl.client.auth": "requested",
                "ssl.truststore.type": "PEM", TRUSTSTORE: first.ca,
                # The listeners' own are used.
                "ssl.keystore.type": "PKCS12", KEYSTORE: "invalid/file/path",
                "log.retention.ms": "1680000000", "log.retention.hours": "168", **stores}) as broker:
            broker.storage().create_topic(TOPIC, 1, {})
            topic = broker.storage().topics().topic(TOPIC)
            assert topic is not None
            broker.replica_manager().apply_delta(changed=topic.partitions())
            yield Secure(broker, first, second)


def test_config_describe_using_admin_client(secure: Secure, tmp_path: Path) -> None:
    """Stores of PEM have no passwords, which are not told where they are."""
    dynamic, static, default = 2, 4, 5
    copy = str(tmp_path / "copy.pem")
    shutil.copy(secure.first.keystore, copy)
    assert secure.alter(secure.first.client(), {
        f"{EXTERNAL}ssl.keystore.type": "PEM", EXTERNAL + KEYSTORE: copy}) is Errors.NONE
    with secure.connect("INTERNAL", secure.first.client()) as wire:
        answer: Any = wire.ask(ApiKeys.DESCRIBE_CONFIGS, 4, DescribeConfigsRequestData(
            include_synonyms=True, resources=[DescribeConfigsRequestData.DescribeConfigsResource(
                resource_type=4, resource_name=BROKER, configuration_keys=None)]))
    result, = answer.results
    entries = {entry.name: entry for entry in result.configs}

    def verify(name: str, value: str | None, read_only: bool, *synonyms: tuple[str, str | None, int],
               sensitive: bool = False) -> None:
        entry = entries[name]
        assert (entry.value, entry.is_sensitive, entry.read_only) == (value, sensitive, read_only), name
        assert [(each.name, each.value, each.source) for each in entry.synonyms] == list(synonyms), name

    of_type, of_location = "ssl.keystore.type", KEYSTORE
    for_all = (of_type, "PKCS12", static), (of_type, "JKS", default)
    verify(EXTERNAL + of_type, "PEM", True, (EXTERNAL + of_type, "PEM", dynamic),
           (EXTERNAL + of_type, "PEM", static), *for_all)
    verify(EXTERNAL + of_location, copy, True, (EXTERNAL + of_location, copy, dynamic),
           (EXTERNAL + of_location, secure.first.keystore, static),
           (of_location, "invalid/file/path", static))
    verify(of_type, "PKCS12", False, *for_all)
    verify(of_location, "invalid/file/path", False, (of_location, "invalid/file/path", static))
    verify("ssl.keystore.password", None, False, sensitive=True)
    verify("ssl.key.password", None, False, sensitive=True)

    hours = ("log.retention.hours", "168", static), ("log.retention.hours", "168", default)
    verify("log.retention.ms", "1680000000", False, ("log.retention.ms", "1680000000", static), *hours)
    verify("log.retention.hours", "168", True, *hours)
    verify("log.roll.hours", "168", True, ("log.roll.hours", "168", default))
    verify("log.cleaner.threads", "1", False, ("log.cleaner.threads", "1", default))


def test_key_store_alter(secure: Secure, tmp_path: Path) -> None:
    first, second = secure.first.client(), secure.second.client()
    # A client that is there stays so, whatever becomes of the stores.
    with secure.connect("EXTERNAL", first) as wire:
        secure.verify_authentication_failure("EXTERNAL", second)
        assert secure.alter(first, {EXTERNAL + KEYSTORE: secure.second.keystore}) is Errors.NONE
        secure.verify_authentication_failure("EXTERNAL", first)
        secure.verify_works("EXTERNAL", second)

        # The brokers' listener could not believe itself with another authority's certificate.
        assert secure.alter(first, {INTERNAL + KEYSTORE: secure.second.keystore}) is not Errors.NONE
        secure.verify_works("EXTERNAL", second)
        secure.verify_works("INTERNAL", first)
        # The same in another file is compatible.
        copy = tmp_path / "copy.pem"
        shutil.copy(secure.first.keystore, copy)
        assert secure.alter(first, {INTERNAL + KEYSTORE: str(copy)}) is Errors.NONE
        secure.verify_works("INTERNAL", first)

        # A file of the same name, with something else in it.
        reused = tmp_path / "reused.pem"
        shutil.copy(secure.first.keystore, reused)
        assert secure.alter(first, {EXTERNAL + KEYSTORE: str(reused)}) is Errors.NONE
        secure.verify_authentication_failure("EXTERNAL", second)
        shutil.copy(secure.second.keystore, reused)
        later = reused.stat().st_mtime + 2
        os.utime(reused, (later, later))
        assert secure.alter(first, {EXTERNAL + KEYSTORE: str(reused)}) is Errors.NONE
        secure.verify_works("EXTERNAL", second)
        wire.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())


def test_trust_store_alter(secure: Secure, tmp_path: Path) -> None:
    """The requests between brokers do not apply."""
    other = new_certificate("other authority")
    # Both believe the broker; the broker believes the certificates of the first authority.
    by_first, by_second = secure.first.client("first"), secure.first.client("second", signed_by=other)
    secure.verify_authentication_failure("INTERNAL", by_second)

    both = tmp_path / "both.pem"
    both.write_text(Path(secure.first.ca).read_text() + other.certificate_pem())
    name = INTERNAL + TRUSTSTORE
    assert secure.alter(by_first, {INTERNAL + "ssl.truststore.type": "PEM", name: str(both)}) is Errors.NONE
    secure.verify_works("INTERNAL", by_first)
    secure.verify_works("INTERNAL", by_second)

    # Back to the first alone.
    alone = tmp_path / "alone.pem"
    shutil.copy(secure.first.ca, alone)
    assert secure.alter(by_first, {name: str(alone)}) is Errors.NONE
    secure.verify_authentication_failure("INTERNAL", by_second)
    secure.verify_works("INTERNAL", by_first)

    # The same file, with both in it.
    shutil.copy(both, alone)
    later = alone.stat().st_mtime + 2
    os.utime(alone, (later, later))
    assert secure.alter(by_first, {name: str(alone)}) is Errors.NONE
    secure.verify_works("INTERNAL", by_first)
    secure.verify_works("INTERNAL", by_second)
