# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.KafkaYammerMetricsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The registry of the server's metrics."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.server.metrics.kafka_yammer_metrics import KafkaYammerMetrics


def test_untagged_metric() -> None:
    metric_name = KafkaYammerMetrics.get_metric_name("kafka.metrics", "TestMetrics", "UntaggedMetric")

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "UntaggedMetric"
    assert metric_name.get_mbean_name() == "kafka.metrics:type=TestMetrics,name=UntaggedMetric"
    assert metric_name.get_scope() is None


def test_tagged_metric_name() -> None:
    metric_name = KafkaYammerMetrics.get_metric_name(
        "kafka.metrics", "TestMetrics", "TaggedMetric", {"foo": "bar", "bar": "baz", "baz": "raz.taz"})

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "TaggedMetric"
    assert metric_name.get_mbean_name() == (
        "kafka.metrics:type=TestMetrics,name=TaggedMetric,foo=bar,bar=baz,baz=raz.taz")
    assert metric_name.get_scope() == "bar.baz.baz.raz_taz.foo.bar"


def test_tagged_metric_name_with_empty_value() -> None:
    metric_name = KafkaYammerMetrics.get_metric_name(
        "kafka.metrics", "TestMetrics", "TaggedMetric", {"foo": "bar", "bar": "", "baz": "raz.taz"})

    assert metric_name.get_group() == "kafka.metrics"
    assert metric_name.get_type() == "TestMetrics"
    assert metric_name.get_name() == "TaggedMetric"
    assert metric_name.get_mbean_name() == (
        "kafka.metrics:type=TestMetrics,name=TaggedMetric,foo=bar,baz=raz.taz")
    assert metric_name.get_scope() == "baz.raz_taz.foo.bar"


# Kafka has no cases for what follows.


def test_no_name_and_no_value() -> None:
    metric_name = KafkaYammerMetrics.get_metric_name("g", "T", "", {"a": ""})
    assert metric_name.get_mbean_name() == "g:type=T"
    assert metric_name.get_scope() is None


def test_one_registry_for_the_process() -> None:
    assert KafkaYammerMetrics.default_registry() is KafkaYammerMetrics.INSTANCE._metrics_registry


def test_filter() -> None:
    metrics = KafkaYammerMetrics()
    name = metrics.get_metric_name("kafka.network", "RequestMetrics", "TotalTimeMs", {"request": "Produce"})
    other = metrics.get_metric_name("kafka.server", "KafkaRequestHandlerPool", "Idle")
    assert metrics.is_exported(name) and metrics.is_exported(other)

    assert "metrics.jmx.include" in metrics.reconfigurable_configs()
    metrics.configure({"metrics.jmx.include": r"kafka\.network.*"})
    assert metrics.is_exported(name) and not metrics.is_exported(other)

    with pytest.raises(ConfigException):
        metrics.validate_reconfiguration({"metrics.jmx.include": "["})
    metrics.validate_reconfiguration({"metrics.jmx.exclude": ".*"})
    assert metrics.is_exported(name)

    metrics.reconfigure({"metrics.jmx.exclude": ".*request=Produce.*"})
    assert not metrics.is_exported(name) and metrics.is_exported(other)
