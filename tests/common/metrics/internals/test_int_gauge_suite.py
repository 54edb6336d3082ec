# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.internals.IntGaugeSuiteTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Counts by key."""

from __future__ import annotations

import threading

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.internals.int_gauge_suite import IntGaugeSuite
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.utils.log_context import LogContext
from tests.common.metrics.fake_metrics_reporter import FakeMetricsReporter


def name_of(key: str) -> MetricName:
    return MetricName(key, "group", "myMetric", {})


def create_int_gauge_suite(max_entries: int = 3) -> IntGaugeSuite[str]:
    log = LogContext().logger(__name__)
    return IntGaugeSuite(log, "mySuite", Metrics(MetricConfig()), name_of, max_entries)


def registered(suite: IntGaugeSuite[str]) -> dict[str, object]:
    return {name.name(): metric.metric_value() for name, metric in suite.metrics().metrics().items()
            if name.group() == "group"}


def test_create_and_close() -> None:
    suite = create_int_gauge_suite()
    assert suite.max_entries() == 3
    suite.close()
    suite.close()
    suite.metrics().close()


def test_create_metrics() -> None:
    suite = create_int_gauge_suite()
    suite.increment("foo")
    assert suite.values() == {"foo": 1}
    for key in ("foo", "bar", "baz", "quux"):
        suite.increment(key)
    assert suite.values() == registered(suite) == {"foo": 2, "bar": 1, "baz": 1}
    suite.close()
    assert registered(suite) == {}
    suite.metrics().close()


def test_create_and_remove_metrics() -> None:
    suite = create_int_gauge_suite()
    suite.increment("foo")
    suite.decrement("foo")
    suite.increment("foo")
    suite.increment("foo")
    suite.increment("bar")
    suite.decrement("bar")
    suite.increment("baz")
    suite.increment("quux")
    assert suite.values() == registered(suite) == {"foo": 2, "baz": 1, "quux": 1}
    suite.close()
    suite.metrics().close()


# Kafka has no cases for what follows.


def test_a_count_of_zero_stays_until_its_place_is_needed() -> None:
    suite = create_int_gauge_suite(1)
    suite.increment("foo")
    suite.decrement("foo")
    assert registered(suite) == {"foo": 0}
    suite.decrement("never-there")
    suite.increment("bar")
    assert registered(suite) == {"bar": 1}
    suite.close()
    suite.metrics().close()


def test_metrics_change_in_the_order_of_the_counting() -> None:
    class Ordered(FakeMetricsReporter):
        def metric_change(self, metric: KafkaMetric) -> None:
            self.calls.append(f"+{metric.metric_name().name()}")

        def metric_removal(self, metric: KafkaMetric) -> None:
            self.calls.append(f"-{metric.metric_name().name()}")

    suite = create_int_gauge_suite(1)
    reporter = Ordered()
    suite.metrics().add_reporter(reporter)
    for key in ("a", "b", "c"):
        suite.increment(key)
        suite.decrement(key)
    suite.close()
    assert reporter.calls == ["init", "+a", "-a", "+b", "-b", "+c", "-c"]
    suite.metrics().close()


def test_closed_suite_counts_no_more() -> None:
    suite = create_int_gauge_suite()
    suite.close()
    suite.increment("foo")
    suite.decrement("foo")
    assert suite.values() == registered(suite) == {}
    suite.metrics().close()


def test_threads_that_fight_for_places() -> None:
    suite = create_int_gauge_suite(3)
    failures: list[BaseException] = []

    def work(index: int) -> None:
        try:
            for i in range(300):
                key = str((index + i) % 5)
                suite.increment(key)
                suite.decrement(key)
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert not failures
    # The registered gauges are the counted ones, in any order of changes.
    assert registered(suite) == suite.values()
    assert len(suite.values()) == 3
    suite.close()
    assert registered(suite) == {}
    suite.metrics().close()
