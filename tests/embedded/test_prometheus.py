# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Metrics in the format of Prometheus, by the names that the JMX exporter gives Kafka's."""

from __future__ import annotations

import http.client
import sys

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.jdk.extras import install_command
from kreactor.testing import Broker
from kreactor.testing.control import Control
from tests.core.server.wire import Wire

prometheus_client = pytest.importorskip("prometheus_client")
parser = pytest.importorskip("prometheus_client.parser")


def get(control: Control) -> tuple[int, str, str]:
    connection = http.client.HTTPConnection(control.host, control.port, timeout=60)
    connection.request("GET", "/metrics")
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, response.headers["Content-Type"], text


def value(text: str, metric: str, /, **labels: str) -> float:
    """Return the value of the one sample that has these labels among its own."""
    found = [sample.value for family in parser.text_string_to_metric_families(text)
             for sample in family.samples
             if sample.name == metric and labels.items() <= sample.labels.items()]
    assert len(found) == 1, (metric, labels, found)
    return float(found[0])


def test_metrics_of_a_broker() -> None:
    with Broker(topics=["t"]) as broker:
        with Wire(broker.host, broker.port) as connection:
            for _ in range(3):
                connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData())
        broker.produce("t", "a", "b")
        control = Control(broker)
        try:
            status, content_type, text = get(control)
        finally:
            control.close()
        assert status == 200 and content_type.startswith("text/plain")
        assert value(text, "kafka_network_RequestMetrics_Count", name="TotalTimeMs",
                     request="ApiVersions") == 3
        assert value(text, "kafka_network_RequestMetrics_99thPercentile", name="TotalTimeMs",
                     request="ApiVersions") >= 0
        assert value(text, "kafka_server_BrokerTopicMetrics_Count", name="MessagesInPerSec", topic="t") == 2
        assert value(text, "kafka_server_KafkaServer_Value", name="BrokerState") == 3
        assert value(text, "kafka_server_socket_server_metrics_connection_count", listener="PLAINTEXT",
                     networkProcessor="0") >= 0
        assert "kafka_server_KafkaServer_Value{name=\"ClusterId\"}" not in text

        from kreactor.embedded.prometheus import BrokerCollector

        registry = prometheus_client.CollectorRegistry()
        registry.register(BrokerCollector(broker.server()))
        assert registry.get_sample_value("kafka_server_KafkaServer_Value", {"name": "BrokerState"}) == 3


def test_a_gauge_that_fails_is_left_out_and_its_cause_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    from kreactor.embedded.prometheus import exposition
    from kreactor.server.metrics.yammer import MetricName

    def fail() -> int:
        raise ZeroDivisionError("of a gauge")

    with Broker() as broker, caplog.at_level("DEBUG", "kreactor.embedded.prometheus"):
        registry = broker.server().metrics_registry()
        registry.new_gauge(MetricName("kafka.test", "Tests", "F"), fail)
        text = exposition(broker.server())
    assert "kafka_test" not in text
    assert value(text, "kafka_server_KafkaServer_Value", name="BrokerState") == 3
    record, = caplog.records
    assert record.exc_info is not None and record.exc_info[0] is ZeroDivisionError


def test_a_broker_that_is_away() -> None:
    with Broker() as broker:
        control = Control(broker)
        try:
            broker.kill()
            status, _, text = get(control)
            assert status == 409 and "does not run" in text
        finally:
            control.close()


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "kreactor.embedded.prometheus", raising=False)
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with Broker() as broker:
        control = Control(broker)
        try:
            status, _, text = get(control)
            assert status == 501 and install_command("metrics") in text
        finally:
            control.close()
