# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaMetricReporterExceptionHandlingTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A reporter that raises disturbs neither another one nor the broker."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.common.message.list_groups_request_data import ListGroupsRequestData
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from tests.core.server.broker_requests import ask
from tests.core.server.brokers import connect, new_broker
from tests.core.server.quota_conversation import alteration, entry
from tests.core.server.test_kafka_metrics_reporter import MockMetricsReporter
from tests.stepping import wait_until


class GoodReporter(MockMetricsReporter):
    registered = 0

    def metric_change(self, metric: KafkaMetric) -> None:
        if metric.metric_name().group() == "Request":
            type(self).registered += 1


class BadReporter(GoodReporter):
    registered = 0

    def metric_change(self, metric: KafkaMetric) -> None:
        super().metric_change(metric)
        if metric.metric_name().group() == "Request":
            raise RuntimeError(str(metric.metric_name()))


def test_both_reporters_are_invoked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    GoodReporter.registered = BadReporter.registered = 0
    reporters = f"{__name__}.BadReporter,{__name__}.GoodReporter"
    with new_broker(tmp_path, {"metric.reporters": reporters}) as broker:
        # With a quota the first request of a client makes metrics of that client.
        ask(broker, ApiKeys.ALTER_CLIENT_QUOTAS, 1, alteration(
            entry({"client-id": None}, {"request_percentage": 0.1})))
        with connect(broker) as wire:
            def are_both_invoked() -> bool:
                version = ApiKeys.LIST_GROUPS.latest_version()
                answer = wire.ask(ApiKeys.LIST_GROUPS, version, ListGroupsRequestData())
                assert getattr(answer, "error_code") == Errors.NONE.code
                return GoodReporter.registered == BadReporter.registered > 0

            wait_until(are_both_invoked)
            assert GoodReporter.registered == BadReporter.registered
            assert GoodReporter.registered > 0
    # The log records have frames that hold the metrics.
    caplog.clear()
