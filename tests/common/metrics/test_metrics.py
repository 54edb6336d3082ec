# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.MetricsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The registry, and statistics seen through it."""

from __future__ import annotations

import math
import random
import sys
import threading
import time as system_time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Callable

import pytest

from kreactor.common.metric_name import MetricName
from kreactor.common.metric_name_template import MetricNameTemplate
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.kafka_metrics_context import KafkaMetricsContext
from kreactor.common.metrics.measurable import Measurable
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.metrics.quota import Quota
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.min import Min
from kreactor.common.metrics.stats.percentile import Percentile
from kreactor.common.metrics.stats.percentiles import Percentiles
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.simple_rate import SimpleRate
from kreactor.common.metrics.stats.value import Value
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime
from tests.common.metrics.fake_metrics_reporter import FakeMetricsReporter

EPS = 0.000001

BucketSizing = Percentiles.BucketSizing

# Those of Kafka's SampleMetrics.
METRIC1 = MetricNameTemplate("name", "group", "The first metric", ("key1", "key2"))
METRIC2 = MetricNameTemplate("name", "group", "The second metric", ("key1", "key2"))
METRIC_WITH_INHERITED_TAGS = MetricNameTemplate(
    "inherited.tags", "group", "inherited.tags", ("parent-tag", "child-tag"))


@pytest.fixture
def time() -> MockTime:
    return MockTime()


@pytest.fixture
def config() -> MetricConfig:
    return MetricConfig()


@pytest.fixture
def metrics(config: MetricConfig, time: MockTime) -> Iterator[Metrics]:
    with Metrics(config, [FakeMetricsReporter()], time, True) as metrics:
        yield metrics


def value_of(metric: KafkaMetric | None) -> float:
    assert metric is not None
    value = metric.metric_value()
    assert isinstance(value, float)
    return value


def test_metric_name(metrics: Metrics) -> None:
    n1 = metrics.metric_name_key_value("name", "group", "description", "key1", "value1", "key2", "value2")
    n2 = metrics.metric_name("name", "group", "description", {"key1": "value1", "key2": "value2"})
    assert n1 == n2

    with pytest.raises(IllegalArgumentException):
        metrics.metric_name_key_value("name", "group", "description", "key1")


def test_simple_stats(metrics: Metrics, config: MetricConfig, time: MockTime) -> None:
    def value(name: str) -> float:
        return value_of(metrics.metrics().get(metrics.metric_name(name, "grp1")))

    metrics.add_metric(metrics.metric_name("direct.measurable", "grp1", "A constant"), ConstantMeasurable())
    s = metrics.sensor("test.sensor")
    s.add(metrics.metric_name("test.avg", "grp1"), Avg())
    s.add(metrics.metric_name("test.max", "grp1"), Max())
    s.add(metrics.metric_name("test.min", "grp1"), Min())
    s.add(Meter(metrics.metric_name("test.rate", "grp1"), metrics.metric_name("test.total", "grp1"),
                unit=TimeUnit.SECONDS))
    s.add(Meter(metrics.metric_name("test.occurrences", "grp1"),
                metrics.metric_name("test.occurrences.total", "grp1"),
                unit=TimeUnit.SECONDS, rate_stat=WindowedCount()))
    s.add(metrics.metric_name("test.count", "grp1"), WindowedCount())
    s.add(Percentiles(100, 100, BucketSizing.CONSTANT,
                      Percentile(metrics.metric_name("test.median", "grp1"), 50.0),
                      Percentile(metrics.metric_name("test.perc99_9", "grp1"), 99.9), min=-100))

    s2 = metrics.sensor("test.sensor2")
    s2.add(metrics.metric_name("s2.total", "grp1"), CumulativeSum())
    s2.record(5.0)

    total, count = 0, 10
    for i in range(count):
        s.record(i)
        total += i
    # No time has passed, and one empty window is assumed.
    elapsed_secs = config.time_window_ms() * (config.samples() - 1) / 1000.0
    assert value("test.occurrences") == pytest.approx(count / elapsed_secs, abs=EPS)

    time.sleep(2000)
    elapsed_secs += 2

    assert value("direct.measurable") == 0.0
    assert value("s2.total") == pytest.approx(5.0, abs=EPS)
    assert value("test.avg") == pytest.approx(4.5, abs=EPS)
    assert value("test.max") == pytest.approx(count - 1, abs=EPS)
    assert value("test.min") == pytest.approx(0.0, abs=EPS)
    assert value("test.rate") == pytest.approx(total / elapsed_secs, abs=EPS)
    assert value("test.occurrences") == pytest.approx(count / elapsed_secs, abs=EPS)
    assert value("test.count") == pytest.approx(count, abs=EPS)


def test_hierarchical_sensors(metrics: Metrics) -> None:
    def sensor(name: str, *parents: Sensor) -> Sensor:
        made = metrics.sensor(f"test.{name}", *parents)
        made.add(metrics.metric_name(f"test.{name}.count", "grp1"), WindowedCount())
        return made

    parent1 = sensor("parent1")
    parent2 = sensor("parent2")
    child1 = sensor("child1", parent1, parent2)
    child2 = sensor("child2", parent1)
    grandchild = sensor("grandchild", child1)

    for recorder in (parent1, parent2, child1, child2, grandchild):
        recorder.record()

    p1, p2, c1, c2, gc = (
        value_of(counted.metrics()[0]) for counted in (parent1, parent2, child1, child2, grandchild))

    # Each counts itself and its children.
    assert gc == pytest.approx(1.0, abs=EPS)
    assert c1 == pytest.approx(1.0 + gc, abs=EPS)
    assert c2 == pytest.approx(1.0, abs=EPS)
    assert p2 == pytest.approx(1.0 + c1, abs=EPS)
    assert p1 == pytest.approx(1.0 + c1 + c2, abs=EPS)
    assert metrics.children_sensors().get(parent1) == [child1, child2]
    assert metrics.children_sensors().get(parent2) == [child1]
    assert metrics.children_sensors().get(grandchild) is None


def test_bad_sensor_hierarchy(metrics: Metrics) -> None:
    p = metrics.sensor("parent")
    c1 = metrics.sensor("child1", p)
    c2 = metrics.sensor("child2", p)
    with pytest.raises(IllegalArgumentException, match="in sensors: parent is its own parent."):
        metrics.sensor("gc", c1, c2)
    assert metrics.get_sensor("gc") is None


def test_remove_child_sensor() -> None:
    metrics = Metrics()
    parent = metrics.sensor("parent")
    child = metrics.sensor("child", parent)
    assert metrics.children_sensors().get(parent) == [child]

    metrics.remove_sensor("child")
    assert metrics.children_sensors().get(parent) == []
    metrics.close()


def test_remove_sensor(metrics: Metrics) -> None:
    size = len(metrics.metrics())

    def add(name: str, *parents: Sensor) -> Sensor:
        made = metrics.sensor(f"test.{name}", *parents)
        made.add(metrics.metric_name(f"test.{name}.count", "grp1"), WindowedCount())
        return made

    def is_gone(name: str) -> bool:
        return (metrics.get_sensor(f"test.{name}") is None
                and metrics.metrics().get(metrics.metric_name(f"test.{name}.count", "grp1")) is None)

    parent1 = add("parent1")
    parent2 = add("parent2")
    add("child1", parent1, parent2)
    child2 = add("child2", parent2)
    grandchild = add("gchild2", child2)

    assert metrics.get_sensor("test.parent1") is parent1
    metrics.remove_sensor("test.parent1")
    assert is_gone("parent1") and is_gone("child1")
    assert metrics.children_sensors().get(parent1) is None

    assert metrics.get_sensor("test.gchild2") is grandchild
    metrics.remove_sensor("test.gchild2")
    assert is_gone("gchild2")
    assert metrics.children_sensors().get(grandchild) is None

    assert metrics.get_sensor("test.child2") is child2
    metrics.remove_sensor("test.child2")
    assert is_gone("child2")
    assert metrics.children_sensors().get(child2) is None

    assert metrics.get_sensor("test.parent2") is parent2
    metrics.remove_sensor("test.parent2")
    assert is_gone("parent2")
    assert metrics.children_sensors().get(parent2) is None

    assert len(metrics.metrics()) == size


def test_remove_inactive_metrics(metrics: Metrics, time: MockTime) -> None:
    def add(name: str, seconds: int) -> Sensor:
        made = metrics.sensor(f"test.{name}", inactive_sensor_expiration_time_seconds=seconds)
        made.add(metrics.metric_name(f"test.{name}.count", "grp1"), WindowedCount())
        return made

    def is_there(name: str) -> bool:
        sensor_there = metrics.get_sensor(f"test.{name}") is not None
        assert sensor_there == (metrics.metric_name(f"test.{name}.count", "grp1") in metrics.metrics())
        return sensor_there

    add("s1", 1)
    s2 = add("s2", 3)

    purger = Metrics.ExpireSensorTask(metrics)
    purger.run()
    assert is_there("s1") and is_there("s2")

    time.sleep(1001)
    purger.run()
    assert not is_there("s1") and is_there("s2")

    # A value begins the time anew.
    s2.record()
    time.sleep(2000)
    purger.run()
    assert is_there("s2")

    time.sleep(1001)
    purger.run()
    assert not is_there("s2")

    # The name is free again.
    add("s1", 1)
    assert is_there("s1")


def test_remove_metric(metrics: Metrics) -> None:
    size = len(metrics.metrics())
    name1, name2 = metrics.metric_name("test1", "grp1"), metrics.metric_name("test2", "grp1")
    metrics.add_metric(name1, WindowedCount())
    metrics.add_metric(name2, WindowedCount())

    assert metrics.remove_metric(name1) is not None
    assert metrics.metrics().get(name1) is None
    assert metrics.metrics().get(name2) is not None

    assert metrics.remove_metric(name2) is not None
    assert metrics.metrics().get(name2) is None

    assert metrics.remove_metric(name2) is None
    assert len(metrics.metrics()) == size


def test_time_windowing(time: MockTime) -> None:
    count = WindowedCount()
    config = MetricConfig().time_window_to(1, TimeUnit.MILLISECONDS).samples_to(2)
    count.record(config, 1.0, time.milliseconds())
    time.sleep(1)
    count.record(config, 1.0, time.milliseconds())
    assert count.measure(config, time.milliseconds()) == pytest.approx(2.0, abs=EPS)
    time.sleep(1)
    count.record(config, 1.0, time.milliseconds())  # the first is too old now
    assert count.measure(config, time.milliseconds()) == pytest.approx(2.0, abs=EPS)


SHORT = MetricConfig().time_window_to(100, TimeUnit.MILLISECONDS).samples_to(2)


def test_old_data_has_no_effect(time: MockTime) -> None:
    stat = Max()
    stat.record(SHORT, 50, time.milliseconds())
    time.sleep(200)
    assert math.isnan(stat.measure(SHORT, time.milliseconds()))


def test_sampled_stat_returns_nan_when_no_values_exist(time: MockTime) -> None:
    stats = (Max(), Min(), Avg())
    for stat in stats:
        stat.record(SHORT, 50, time.milliseconds())
    time.sleep(200)
    for stat in stats:
        assert math.isnan(stat.measure(SHORT, time.milliseconds()))


def test_sampled_stat_returns_initial_value_when_no_values_exist(time: MockTime) -> None:
    count, sampled_total = WindowedCount(), WindowedSum()
    count.record(SHORT, 50, time.milliseconds())
    sampled_total.record(SHORT, 50, time.milliseconds())
    time.sleep(200)
    assert count.measure(SHORT, time.milliseconds()) == pytest.approx(0, abs=EPS)
    assert sampled_total.measure(SHORT, time.milliseconds()) == pytest.approx(0.0, abs=EPS)


def test_duplicate_metric_name(metrics: Metrics) -> None:
    metrics.sensor("test").add(metrics.metric_name("test", "grp1"), Avg())
    with pytest.raises(IllegalArgumentException):
        metrics.sensor("test2").add(metrics.metric_name("test", "grp1"), CumulativeSum())


def test_quotas(metrics: Metrics) -> None:
    sensor = metrics.sensor("test")
    total1 = metrics.metric_name("test1.total", "grp1")
    sensor.add(total1, CumulativeSum(), MetricConfig().quota_to(Quota.upper_bound(5.0)))
    sensor.add(metrics.metric_name("test2.total", "grp1"), CumulativeSum(),
               MetricConfig().quota_to(Quota.lower_bound(0.0)))
    sensor.record(5.0)
    with pytest.raises(QuotaViolationException):
        sensor.record(1.0)
    assert value_of(metrics.metrics().get(total1)) == pytest.approx(6.0, abs=EPS)
    sensor.record(-6.0)
    with pytest.raises(QuotaViolationException):
        sensor.record(-1.0)


def test_quotas_equality() -> None:
    quota1, quota2, quota3 = Quota.upper_bound(10.5), Quota.lower_bound(10.5), Quota.lower_bound(10.5)
    assert quota1 != quota2
    assert quota2 == quota3
    assert hash(quota2) == hash(quota3)
    assert quota2 != "lower=10.5"


def test_percentiles(metrics: Metrics) -> None:
    buckets = 100
    names = [metrics.metric_name(f"test.p{p}", "grp1") for p in (25, 50, 75)]
    percs = Percentiles(4 * buckets, 100.0, BucketSizing.CONSTANT, Percentile(names[0], 25),
                        Percentile(names[1], 50), Percentile(names[2], 75), min=0.0)
    sensor = metrics.sensor("test", config=MetricConfig().event_window_to(50).samples_to(2))
    sensor.add(percs)

    for i in range(buckets):
        sensor.record(i)

    assert [value_of(metrics.metric(name)) for name in names] == [25, 50, 75]


def pinned_median(metrics: Metrics, value: float) -> float:
    name = metrics.metric_name("test.p50", "grp1")
    percs = Percentiles(1000, 100.0, BucketSizing.LINEAR, Percentile(name, 50), min=0.0)
    sensor = metrics.sensor("test", config=MetricConfig().event_window_to(50).samples_to(2))
    sensor.add(percs)
    sensor.record(value)
    sensor.record(value)
    return value_of(metrics.metric(name))


def test_should_pin_smaller_values_to_min(metrics: Metrics) -> None:
    assert pinned_median(metrics, 0.0 - 100) == 0.0


def test_should_pin_larger_values_to_max(metrics: Metrics) -> None:
    assert pinned_median(metrics, 100.0 + 100) == 100.0


def test_percentiles_with_random_numbers_and_linear_bucketing(metrics: Metrics) -> None:
    seed = random.randrange(2**63)
    prng = random.Random(seed)
    maximum_value = 1000 * 24 * 60 * 60 * 1000
    number_of_values = 5000 + prng.randrange(10_000)
    p90, p99 = metrics.metric_name("test.p90", "grp1"), metrics.metric_name("test.p99", "grp1")

    percs = Percentiles(100 * 1000, maximum_value, BucketSizing.LINEAR, Percentile(p90, 90),
                        Percentile(p99, 99))
    sensor = metrics.sensor("test", config=MetricConfig().event_window_to(50).samples_to(2))
    sensor.add(percs)

    # Of all these only the last hundred or so are looked at: the rest is there to roll the samples over.
    values = []
    for _ in range(number_of_values):
        value = prng.randrange(maximum_value)
        values.append(value)
        sensor.record(value)
    values.sort()

    for name, percentage in ((p90, 90), (p99, 99)):
        expected = values[math.ceil(percentage * number_of_values / 100) - 1]
        assert value_of(metrics.metric(name)) == pytest.approx(expected, abs=expected / 5), f"seed {seed}"


def test_rate_windowing(metrics: Metrics, time: MockTime) -> None:
    cfg = MetricConfig().samples_to(3)
    s = metrics.sensor("test.sensor", config=cfg)
    rate_name = metrics.metric_name("test.rate", "grp1")
    total_name = metrics.metric_name("test.total", "grp1")
    count_rate_name = metrics.metric_name("test.count.rate", "grp1")
    count_total_name = metrics.metric_name("test.count.total", "grp1")
    s.add(Meter(rate_name, total_name, unit=TimeUnit.SECONDS))
    s.add(Meter(count_rate_name, count_total_name, unit=TimeUnit.SECONDS, rate_stat=WindowedCount()))

    def value(name: MetricName) -> float:
        return value_of(metrics.metrics().get(name))

    total, count = 0, cfg.samples() - 1
    # One record per window.
    for _ in range(count):
        s.record(100)
        total += 100
        time.sleep(cfg.time_window_ms())
        assert value(total_name) == pytest.approx(total, abs=EPS)

    time.sleep(cfg.time_window_ms() // 2)

    elapsed_secs = MetricsUtils.convert(cfg.time_window_ms(), TimeUnit.SECONDS) * (cfg.samples() - 0.5)

    assert value(rate_name) == pytest.approx(total / elapsed_secs, abs=EPS)
    assert value(count_rate_name) == pytest.approx(count / elapsed_secs, abs=EPS)
    rate_metric = metrics.metric(rate_name)
    assert rate_metric is not None
    rate = rate_metric.measurable()
    assert isinstance(rate, Rate)
    window_size = rate.window_size(cfg, time.milliseconds())
    assert MetricsUtils.convert(window_size, TimeUnit.SECONDS) == pytest.approx(elapsed_secs, abs=EPS)
    assert value(total_name) == pytest.approx(total, abs=EPS)
    assert value(count_total_name) == pytest.approx(count, abs=EPS)

    # Rates fade, totals stay.
    time.sleep(cfg.time_window_ms() * cfg.samples())
    assert value(rate_name) == pytest.approx(0, abs=EPS)
    assert value(count_rate_name) == pytest.approx(0, abs=EPS)
    assert value(total_name) == pytest.approx(total, abs=EPS)
    assert value(count_total_name) == pytest.approx(count, abs=EPS)


class ConstantMeasurable(Measurable):
    """Zero."""

    def measure(self, config: MetricConfig, now: int) -> float:
        """Return the value."""
        return 0.0


def test_simple_rate(time: MockTime) -> None:
    rate = SimpleRate()
    config = MetricConfig().time_window_to(1, TimeUnit.SECONDS).samples_to(10)

    def record(value: float) -> None:
        rate.record(config, value, time.milliseconds())

    def measure() -> float:
        return rate.measure(config, time.milliseconds())

    # Within the first window it counts as whole.
    record(1000)
    assert measure() == 1000
    for ms in (100, 100, 200):
        time.sleep(ms)
        assert measure() == 1000

    # Then the time since the first record counts, and the rate goes down with it.
    time.sleep(600)
    assert measure() == 1000
    time.sleep(200)
    assert measure() == 1000 / 1.2
    time.sleep(200)
    assert measure() == 1000 / 1.4

    # As much again in the same window doubles it.
    record(1000)
    assert measure() == 2000 / 1.4

    # The next window is no different,
    time.sleep(1100)
    assert measure() == 2000 / 2.5
    record(1000)
    assert measure() == 3000 / 2.5

    # nor are many.
    time.sleep(6500)
    assert measure() == pytest.approx(3000 / 9, abs=1)
    record(1000)
    assert measure() == pytest.approx(4000 / 9, abs=1)

    # After ten windows the first one goes, and the oldest record left is the one of 1.4 s.
    time.sleep(1500)
    assert measure() == pytest.approx((4000 - 1000) / (10.5 - 1.4), abs=1)
    record(1000)
    assert measure() == pytest.approx((5000 - 1000) / (10.5 - 1.4), abs=1)


def test_metric_instances(metrics: Metrics, time: MockTime) -> None:
    n1 = metrics.metric_instance_key_value(METRIC1, "key1", "value1", "key2", "value2")
    n2 = metrics.metric_instance(METRIC2, {"key1": "value1", "key2": "value2"})
    assert n1 == n2

    with pytest.raises(IllegalArgumentException):
        metrics.metric_instance_key_value(METRIC1, "key1")

    parent_tags = {"parent-tag": "parent-tag-value"}
    child_tags = {"child-tag": "child-tag-value"}

    with Metrics(MetricConfig().tags_to(parent_tags), [FakeMetricsReporter()], time, True) as inherited:
        name = inherited.metric_instance(METRIC_WITH_INHERITED_TAGS, child_tags)
        assert name.tags() == {"parent-tag": "parent-tag-value", "child-tag": "child-tag-value"}

        with pytest.raises(IllegalArgumentException, match=(
                "^For 'inherited.tags', runtime-defined metric tags do not match the tags in the template. "
                r"Runtime = \[parent-tag\] Template = \[parent-tag, child-tag\]$")):
            inherited.metric_instance(METRIC_WITH_INHERITED_TAGS, parent_tags)

        with pytest.raises(IllegalArgumentException):
            inherited.metric_instance(METRIC_WITH_INHERITED_TAGS,
                                      {"child-tag": "child-tag-value", "tag-not-in-template": "unexpected"})


class Worker:
    """A thread that does the same again and again."""

    def __init__(self, operation: Callable[[], object]) -> None:
        self._operation = operation
        self._alive = True
        self._failure: BaseException | None = None
        self._once = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while self._alive:
                self._operation()
                self._once.set()
        except BaseException as e:
            self._failure = e
            self._once.set()

    def stop(self) -> None:
        """End after one round at least, and raise what it failed with."""
        self._once.wait(120)
        self._alive = False
        self._thread.join(120)
        assert not self._thread.is_alive(), "deadlock"
        if self._failure is not None:
            raise self._failure


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns a thousand times more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(interval)


def record_all(sensors: deque[Sensor]) -> None:
    for sensor in sensors.copy():
        sensor.record(random.randrange(10000))


# Fewer than Kafka's 10000: what can go wrong does so at any of them.
ROUNDS = 1500


def test_concurrent_read_update(switching: None) -> None:
    metrics = Metrics(time=MockTime(10))
    sensors: deque[Sensor] = deque()
    prng = random.Random()
    worker = Worker(lambda: record_all(sensors))
    try:
        for i in range(ROUNDS):
            if len(sensors) > 5:
                sensor = sensors.popleft() if prng.random() < 0.5 else sensors.pop()
                metrics.remove_sensor(sensor.name())
            sensors.append(create_sensor(metrics, prng.randrange(len(STAT_TYPES)), i))
            for sensor in sensors:
                for metric in sensor.metrics():
                    assert metric.metric_value() is not None
    finally:
        worker.stop()
        metrics.close()


class LockingReporter(MetricsReporter):
    """A reporter whose methods all take the same lock, and that reads metrics with it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._active_metrics: dict[MetricName, KafkaMetric] = {}

    def configure(self, configs: Mapping[str, object]) -> None:
        """Do nothing."""

    def init(self, metrics: Sequence[KafkaMetric]) -> None:
        """Do nothing, slowly."""
        with self._lock:
            pass

    def metric_change(self, metric: KafkaMetric) -> None:
        """Add a metric."""
        with self._lock:
            self._active_metrics[metric.metric_name()] = metric

    def metric_removal(self, metric: KafkaMetric) -> None:
        """Take a metric out."""
        with self._lock:
            del self._active_metrics[metric.metric_name()]

    def close(self) -> None:
        """Do nothing."""
        with self._lock:
            pass

    def process_metrics(self) -> None:
        """Read all metrics."""
        with self._lock:
            for metric in self._active_metrics.values():
                assert metric.metric_value() is not None


def test_concurrent_read_update_report(switching: None, config: MetricConfig) -> None:
    reporter = LockingReporter()
    metrics = Metrics(config, [reporter], MockTime(10), True)
    sensors: deque[Sensor] = deque()
    prng = random.Random()
    workers = [
        Worker(lambda: record_all(sensors)),
        Worker(lambda: [metric.metric_value() for sensor in sensors.copy() for metric in sensor.metrics()]),
        Worker(reporter.process_metrics),
    ]
    try:
        for i in range(ROUNDS):
            if len(sensors) > 10:
                sensor = sensors.popleft() if prng.random() < 0.5 else sensors.pop()
                metrics.remove_sensor(sensor.name())
            sensors.append(create_sensor(metrics, prng.randrange(len(STAT_TYPES)), i))
    finally:
        for worker in workers:
            worker.stop()
        metrics.close()


STAT_TYPES = (Avg, CumulativeSum, WindowedCount, Max, Min, Rate, SimpleRate, WindowedSum, Value, Percentiles,
              Meter)


def create_sensor(metrics: Metrics, stat_type: int, index: int) -> Sensor:
    sensor = metrics.sensor(f"kafka.requests.{index}")
    kind = STAT_TYPES[stat_type]
    tags = {"tag": f"tag{index}"}
    name = metrics.metric_name(f"test.metric.{kind.__name__}", "group", "", tags)
    if kind is Percentiles:
        sensor.add(name, Percentiles(
            100, 100, BucketSizing.CONSTANT,
            Percentile(metrics.metric_name("test.median", "percentiles"), 50.0),
            Percentile(metrics.metric_name("test.perc99_9", "percentiles"), 99.9), min=-100))
    elif kind is Meter:
        sensor.add(Meter(name, metrics.metric_name("test.metric.meter.total", "group", "", tags)))
    else:
        sensor.add(name, kind())  # type: ignore[call-arg, arg-type]  # the two that need more are above
    return sensor


# Kafka has no cases for what follows.


def test_default_sample_configuration() -> None:
    config = MetricConfig()
    assert (config.samples(), config.time_window_ms(), config.event_window()) == (2, 30_000, 2**63 - 1)
    assert config.quota() is None and config.tags() == {}
    with pytest.raises(IllegalArgumentException, match="The number of samples must be at least 1."):
        config.samples_to(0)


def test_sensor_is_made_once() -> None:
    with Metrics() as metrics:
        config = MetricConfig()
        sensor = metrics.sensor("sensor", config=config, recording_level=Sensor.RecordingLevel.DEBUG)
        assert metrics.sensor("sensor") is sensor
        assert not sensor.should_record()
        assert metrics.get_sensor("other") is None


def test_metric_count_is_a_metric() -> None:
    with Metrics() as metrics:
        name = metrics.metric_name("count", "kafka-metrics-count")
        assert value_of(metrics.metric(name)) == 1.0
        metrics.add_metric(metrics.metric_name("other", "group"), lambda _config, _now: 0)
        assert value_of(metrics.metric(name)) == 2.0


def test_tags_of_the_registry_and_of_the_metric() -> None:
    with Metrics(MetricConfig().tags_to({"a": "registry", "b": "registry"})) as metrics:
        name = metrics.metric_name("name", "group", tags={"b": "metric", "c": "metric"})
        assert list(name.tags().items()) == [("a", "registry"), ("b", "metric"), ("c", "metric")]
        assert metrics.metric_name("name", "group").tags() == {"a": "registry", "b": "registry"}


def test_add_metric_if_absent() -> None:
    with Metrics() as metrics:
        name = metrics.metric_name("name", "group")
        first = metrics.add_metric_if_absent(name, None, Gauge.of(lambda _config, _now: 1))
        second = metrics.add_metric_if_absent(name, None, Gauge.of(lambda _config, _now: 2))
        assert first is second is metrics.metric(name)
        assert first.metric_value() == 1
        with pytest.raises(IllegalArgumentException, match="already exists, can't register another one."):
            metrics.add_metric(name, lambda _config, _now: 0)


def test_reporters_hear_of_everything() -> None:
    first, second = FakeMetricsReporter(), FakeMetricsReporter()
    context = KafkaMetricsContext("kafka.server")
    metrics = Metrics(reporters=[first], metrics_context=context)
    assert first.calls == ["context_change", "init"] and first.context is context

    name = metrics.metric_name("name", "group")
    metrics.sensor("sensor").add(name, Avg())
    metrics.add_reporter(second)
    assert second.calls == ["init"]
    assert first.active == second.active == dict(metrics.metrics())

    metrics.remove_sensor("sensor")
    assert name not in first.active and name not in second.active

    metrics.remove_reporter(second)
    metrics.remove_reporter(second)
    assert second.calls == ["init", "close"]
    assert list(metrics.reporters()) == [first]
    metrics.close()
    assert first.calls == ["context_change", "init", "close"]


def test_a_reporter_that_fails_does_no_harm() -> None:
    class Failing(FakeMetricsReporter):
        def metric_change(self, metric: KafkaMetric) -> None:
            raise ValueError("change")

        def metric_removal(self, metric: KafkaMetric) -> None:
            raise ValueError("removal")

        def close(self) -> None:
            raise ValueError("close")

    after = FakeMetricsReporter()
    metrics = Metrics(reporters=[Failing(), after])
    name = metrics.metric_name("name", "group")
    metrics.sensor("sensor").add(name, Avg())
    assert name in after.active and metrics.metric(name) is not None
    metrics.remove_sensor("sensor")
    assert name not in after.active and metrics.metric(name) is None
    metrics.close()
    assert after.calls[-1] == "close"


def test_metrics_may_be_gone_through_while_they_change() -> None:
    with Metrics() as metrics:
        view = metrics.metrics()
        names = [metrics.metric_name(f"name-{i}", "group") for i in range(3)]
        for name in names:
            metrics.add_metric(name, lambda _config, _now: 0)
        assert len(view) == 4 and names[0] in view
        for name, metric in view.items():
            assert metric.metric_name() is name
            metrics.remove_metric(name)
        assert len(view) == 0 and list(view) == []


def test_expiry_thread_ends_at_once() -> None:
    metrics = Metrics(enable_expiration=True)
    assert any(thread.name == "SensorExpiryThread" and thread.daemon for thread in threading.enumerate())
    started = system_time.monotonic()
    metrics.close()
    # The thread's next task is due after 30 s.
    assert system_time.monotonic() - started < 25
    assert not any(thread.name == "SensorExpiryThread" for thread in threading.enumerate())


def test_without_expiration_there_is_no_thread() -> None:
    before = threading.active_count()
    with Metrics() as metrics:
        assert threading.active_count() == before
        metrics.sensor("sensor")
