# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.KafkaMetricsContextTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The labels of a component."""

from __future__ import annotations

import pytest

from kreactor.common.metrics.kafka_metrics_context import KafkaMetricsContext
from kreactor.common.metrics.metrics_context import MetricsContext

NAMESPACE = "sample-ns"
LABEL = "label-a"
VALUE = "label-a-value"


def test_creation_with_valid_namespace_and_no_labels() -> None:
    context = KafkaMetricsContext(NAMESPACE, {})
    assert dict(context.context_labels()) == {MetricsContext.NAMESPACE: NAMESPACE}
    assert KafkaMetricsContext(NAMESPACE).context_labels() == context.context_labels()


def test_creation_with_valid_namespace_and_labels() -> None:
    context = KafkaMetricsContext(NAMESPACE, {LABEL: VALUE})
    assert dict(context.context_labels()) == {MetricsContext.NAMESPACE: NAMESPACE, LABEL: VALUE}


def test_creation_with_valid_namespace_and_null_label_values() -> None:
    context = KafkaMetricsContext(NAMESPACE, {LABEL: None})
    assert dict(context.context_labels()) == {MetricsContext.NAMESPACE: NAMESPACE, LABEL: None}


def test_creation_with_null_namespace_and_labels() -> None:
    context = KafkaMetricsContext(None, {LABEL: VALUE})
    assert dict(context.context_labels()) == {MetricsContext.NAMESPACE: None, LABEL: VALUE}


def test_kafka_metrics_context_labels_are_immutable() -> None:
    context = KafkaMetricsContext(NAMESPACE, {LABEL: VALUE})
    with pytest.raises(AttributeError):
        context.context_labels().clear()  # type: ignore[attr-defined]  # that it is not there is the test
    with pytest.raises(TypeError):
        context.context_labels()[LABEL] = "other"  # type: ignore[index]  # as above


def test_values_become_texts() -> None:
    context = KafkaMetricsContext(NAMESPACE, {"id": 1, "flag": True})
    assert context.context_labels()["id"] == "1"
    assert context.context_labels()["flag"] == "true"
