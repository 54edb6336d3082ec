# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What a selector counts: which event moves which meter."""

from __future__ import annotations

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.selector_metrics import SelectorMetrics
from kreactor.common.utils.log_context import LogContext
from kreactor.testing.mock_time import MockTime

METERS = {"connection_closed": "connection-close", "connection_created": "connection-creation",
          "successful_authentication": "successful-authentication",
          "successful_reauthentication": "successful-reauthentication",
          "failed_authentication": "failed-authentication",
          "failed_reauthentication": "failed-reauthentication", "requests_sent": "request",
          "responses_received": "response"}


def test_sizes_of_requests() -> None:
    time = MockTime()
    with Metrics(time=time) as metrics:
        measured = SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests", {}, False)
        for size in (100, 200):
            measured.requests_sent.record(size, time.milliseconds())
        values = {name.name(): metric.metric_value() for name, metric in metrics.metrics().items()}
        measured.close()
    assert (values["request-size-avg"], values["request-size-max"]) == (150, 200)


@pytest.mark.parametrize("sensor", METERS)
def test_an_event_moves_its_own_meter(sensor: str) -> None:
    time = MockTime()
    with Metrics(time=time) as metrics:
        measured = SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests",
                                   {"listener": "L"}, metrics_per_connection=False)
        getattr(measured, sensor).record(1, time.milliseconds())
        values = {name.name(): metric.metric_value() for name, metric in metrics.metrics().items()
                  if name.group() == "tests-metrics" and name.tags() == {"listener": "L"}}
        measured.close()
        assert not [name for name in metrics.metrics() if name.group() == "tests-metrics"]
    moved = {name.removesuffix("-total") for name, value in values.items()
             if name.endswith("-total") and value}
    assert moved == {METERS[sensor]}
    assert values[f"{METERS[sensor]}-rate"] > 0
