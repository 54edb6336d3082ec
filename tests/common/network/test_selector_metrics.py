# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector's metrics: each event moves its own meter."""

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


def test_times_of_the_thread() -> None:
    time = MockTime()
    with Metrics(time=time) as metrics:
        measured = SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests", {}, False)
        for nanoseconds in (1000, 3000):
            measured.select_time.record(nanoseconds, time.milliseconds())
            measured.io_time.record(2 * nanoseconds, time.milliseconds())
        values = {name.name(): metric.metric_value() for name, metric in metrics.metrics().items()}
        measured.close()
    assert (values["io-wait-time-ns-avg"], values["io-time-ns-avg"]) == (2000, 4000)
    assert values["select-total"] == 2
    assert (values["io-waittime-total"], values["iotime-total"]) == (4000, 8000)
    assert (values["io-wait-time-ns-total"], values["io-time-ns-total"]) == (4000, 8000)


@pytest.mark.parametrize("wanted", [True, False])
def test_a_connection_has_meters_of_its_own_if_that_is_asked_for(wanted: bool) -> None:
    with Metrics(time=MockTime()) as metrics:
        measured = SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests", {}, wanted)
        for _ in range(2):
            measured.maybe_register_connection_metrics("7")
        names = {name.name() for name in metrics.metrics() if name.group() == "tests-node-metrics"}
        assert {name.tags().get("node-id") for name in metrics.metrics()
                if name.group() == "tests-node-metrics"} == ({"node-7"} if wanted else set())
        measured.close()
    assert ({"request-total", "request-size-max", "outgoing-byte-rate", "response-total",
             "incoming-byte-total", "request-latency-avg"} <= names) is wanted


@pytest.mark.parametrize(("event", "meter", "total"), [
    ("record_bytes_sent", "outgoing-byte", 100), ("record_completed_send", "request", 1),
    ("record_bytes_received", "incoming-byte", 100), ("record_completed_receive", "response", 1)])
def test_an_event_of_a_connection_moves_its_own_meter(event: str, meter: str, total: int) -> None:
    time = MockTime()
    with Metrics(time=time) as metrics:
        measured = SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests", {}, True)
        for connection_id in ("7", "8"):
            measured.maybe_register_connection_metrics(connection_id)
        getattr(measured, event)("7", 100, time.milliseconds())
        values = {(name.tags()["node-id"], name.name()): metric.metric_value()
                  for name, metric in metrics.metrics().items() if name.group() == "tests-node-metrics"}
        measured.close()
    assert {key: value for key, value in values.items() if key[1].endswith("-total") and value} == {
        ("node-7", f"{meter}-total"): total}
    assert values["node-7", f"{meter}-rate"] > 0
    if meter == "request":
        assert (values["node-7", "request-size-avg"], values["node-7", "request-size-max"]) == (100, 100)


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


def test_selectors_with_the_same_metrics_count_a_connection_of_one_name_together() -> None:
    time = MockTime()
    with Metrics(time=time) as metrics:
        selectors = [SelectorMetrics(LogContext().logger(SelectorMetrics), [], metrics, "tests",
                                     {"selector": number}, True) for number in "ab"]
        for number, measured in enumerate(selectors, 1):
            measured.maybe_register_connection_metrics("7")
            measured.record_bytes_sent("7", 100 * number, time.milliseconds())
        values = {name.name(): metric.metric_value() for name, metric in metrics.metrics().items()
                  if name.group() == "tests-node-metrics"}
        for measured in selectors:
            measured.close()
    assert values["outgoing-byte-total"] == 300
