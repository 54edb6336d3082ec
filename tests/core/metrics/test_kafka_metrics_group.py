# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.metrics.KafkaMetricsGroupTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of a class, and their names."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics
from kreactor.server.metrics.yammer import Gauge, MetricName, MetricsRegistry


def test_untagged_metric_name() -> None:
    metric_name = KafkaMetricsGroup.explicit_metric_name("kafka.metrics", "TestMetrics", "TaggedMetric", {})

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "TaggedMetric"
    assert metric_name.get_mbean_name() == "kafka.metrics:type=TestMetrics,name=TaggedMetric"
    assert metric_name.get_scope() is None


def test_tagged_metric_name() -> None:
    metric_name = KafkaMetricsGroup.explicit_metric_name(
        "kafka.metrics", "TestMetrics", "TaggedMetric", {"foo": "bar", "bar": "baz", "baz": "raz.taz"})

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "TaggedMetric"
    assert metric_name.get_mbean_name() == (
        "kafka.metrics:type=TestMetrics,name=TaggedMetric,foo=bar,bar=baz,baz=raz.taz")
    assert metric_name.get_scope() == "bar.baz.baz.raz_taz.foo.bar"


def test_tagged_metric_name_with_empty_value() -> None:
    metric_name = KafkaMetricsGroup.explicit_metric_name(
        "kafka.metrics", "TestMetrics", "TaggedMetric", {"foo": "bar", "bar": "", "baz": "raz.taz"})

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "TaggedMetric"
    assert metric_name.get_mbean_name() == (
        "kafka.metrics:type=TestMetrics,name=TaggedMetric,foo=bar,baz=raz.taz")
    assert metric_name.get_scope() == "baz.raz_taz.foo.bar"


# Kafka has no cases for what follows.


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> MetricsRegistry:
    """A registry of the test's own."""
    monkeypatch.setattr(KafkaYammerMetrics, "INSTANCE", KafkaYammerMetrics())
    return KafkaYammerMetrics.default_registry()


def class_in(module: str, name: str) -> type:
    return type(name, (), {"__module__": module})


@pytest.mark.parametrize("module, name, expected", [
    ("kreactor.core.network.request_metrics", "RequestMetrics", "kafka.network:type=RequestMetrics,name=n"),
    ("kreactor.core.server.kafka_request_handler", "KafkaRequestHandlerPool",
     "kafka.server:type=KafkaRequestHandlerPool,name=n"),
    ("kreactor.server.util.shutdownable_thread", "ShutdownableThread",
     "org.apache.kafka.server.util:type=ShutdownableThread,name=n"),
    ("kreactor.core", "C", "org.apache.kafka:type=C,name=n"),
    ("kreactor_more.core.x", "C", "kreactor_more.core:type=C,name=n"),
    ("__main__", "C", ":type=C,name=n"),
])
def test_name_is_that_of_the_class_in_kafka(module: str, name: str, expected: str) -> None:
    assert KafkaMetricsGroup(class_in(module, name)).metric_name("n", {}).get_mbean_name() == expected


def test_nested_class_goes_by_its_own_name() -> None:
    class Outer:
        class Inner:
            pass

    assert KafkaMetricsGroup(Outer.Inner).metric_name("n", {}).get_type() == "Inner"


def test_values_are_quoted_if_need_be() -> None:
    name = KafkaMetricsGroup.explicit_metric_name("g", "T", "", {"listener": "A:B", "clientId": "a,b*"})
    assert name.get_mbean_name() == 'g:type=T,listener="A:B",clientId="a,b\\*"'
    assert name.get_scope() == "clientId.a,b*.listener.A:B"


def test_metrics_come_and_go(registry: MetricsRegistry) -> None:
    group = KafkaMetricsGroup(class_in("kreactor.core.network.x", "X"))
    tags = {"processor": "1"}
    explicit = group.explicit_metric_name("kafka.network", "Acceptor", "Blocked", {})

    gauge = group.new_gauge("Size", lambda: 7, tags)
    assert gauge.value() == 7
    assert group.new_gauge("Size", Gauge(lambda: 8), tags) is gauge
    meter = group.new_meter(explicit, "blocked time", TimeUnit.NANOSECONDS)
    assert (meter.event_type(), meter.rate_unit()) == ("blocked time", TimeUnit.NANOSECONDS)
    histogram = group.new_histogram("TimeMs", True, tags)
    assert group.new_histogram("TimeMs", tags=tags) is histogram
    assert group.new_histogram("TimeMs") is not histogram
    timer = group.new_timer("Timer", TimeUnit.MILLISECONDS, TimeUnit.SECONDS)
    assert (timer.duration_unit(), timer.rate_unit()) == (TimeUnit.MILLISECONDS, TimeUnit.SECONDS)

    assert {str(name) for name in registry.all_metrics()} == {
        "kafka.network:type=X,name=Size,processor=1", "kafka.network:type=Acceptor,name=Blocked",
        "kafka.network:type=X,name=TimeMs,processor=1", "kafka.network:type=X,name=TimeMs",
        "kafka.network:type=X,name=Timer"}

    group.remove_metric("Size", tags)
    group.remove_metric(explicit)
    group.remove_metric("TimeMs")
    group.remove_metric("Timer")
    group.remove_metric("never-there")
    assert [str(name) for name in registry.all_metrics()] == ["kafka.network:type=X,name=TimeMs,processor=1"]


def test_subclass_may_name_its_metrics(registry: MetricsRegistry) -> None:
    class Compatible(KafkaMetricsGroup):
        def metric_name(self, name: str, tags: Mapping[str, str]) -> MetricName:
            return self.explicit_metric_name("kafka.log", "Log", name, tags)

    Compatible(str).new_histogram("Size")
    assert [str(name) for name in registry.all_metrics()] == ["kafka.log:type=Log,name=Size"]
