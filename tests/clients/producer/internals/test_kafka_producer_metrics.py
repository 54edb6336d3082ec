# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.KafkaProducerMetricsTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The nanoseconds that callers spend in a producer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.clients.producer.internals.kafka_producer_metrics import KafkaProducerMetrics
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metrics import Metrics

METRIC_VALUE = 123
NAMES = ("flush-time-ns-total", "txn-init-time-ns-total", "txn-begin-time-ns-total",
         "txn-commit-time-ns-total", "txn-abort-time-ns-total", "txn-send-offsets-time-ns-total",
         "metadata-wait-time-ns-total")


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    with Metrics() as metrics:
        yield metrics


@pytest.fixture
def producer_metrics(metrics: Metrics) -> KafkaProducerMetrics:
    return KafkaProducerMetrics(metrics)


def metric(metrics: Metrics, name: str) -> KafkaMetric | None:
    return metrics.metric(metrics.metric_name(name, KafkaProducerMetrics.GROUP))


def assert_metric_value(metrics: Metrics, name: str) -> None:
    for other in NAMES:
        found = metric(metrics, other)
        assert found is not None
        assert found.metric_value() == (METRIC_VALUE if other == name else 0)


def test_should_record_flush_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_flush(METRIC_VALUE)
    assert_metric_value(metrics, "flush-time-ns-total")


def test_should_record_init_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_init(METRIC_VALUE)
    assert_metric_value(metrics, "txn-init-time-ns-total")


def test_should_record_tx_begin_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_begin_txn(METRIC_VALUE)
    assert_metric_value(metrics, "txn-begin-time-ns-total")


def test_should_record_tx_commit_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_commit_txn(METRIC_VALUE)
    assert_metric_value(metrics, "txn-commit-time-ns-total")


def test_should_record_tx_abort_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_abort_txn(METRIC_VALUE)
    assert_metric_value(metrics, "txn-abort-time-ns-total")


def test_should_record_send_offsets_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_send_offsets(METRIC_VALUE)
    assert_metric_value(metrics, "txn-send-offsets-time-ns-total")


def test_should_record_metadata_wait_time(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    producer_metrics.record_metadata_wait(METRIC_VALUE)
    assert_metric_value(metrics, "metadata-wait-time-ns-total")


def test_should_remove_metrics_on_close(metrics: Metrics, producer_metrics: KafkaProducerMetrics) -> None:
    for name in NAMES:
        assert metric(metrics, name) is not None
    producer_metrics.close()
    for name in NAMES:
        assert metric(metrics, name) is None
