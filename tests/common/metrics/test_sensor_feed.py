# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sensors that are told later."""

from __future__ import annotations

import threading
import time
from typing import cast

import pytest

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.sensor_feed import SensorFeed
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.testing.mock_time import MockTime
from tests.stepping import Background, stopped_at


class Bench:
    """A feed, and the same sensors told at once beside it."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.metrics = Metrics(MetricConfig(), time=self.time)
        self.feed = SensorFeed()
        self.fed = self._sensors("fed")
        self.told = self._sensors("told")
        self.note = [self.feed.add(sensor) for sensor in self.fed[:-1]]

    def _sensors(self, group: str) -> list[Sensor]:
        parent = self.metrics.sensor(f"{group}-parent")
        sensors = [self.metrics.sensor(f"{group}-{number}", parent) for number in range(2)] + [parent]
        for number, sensor in enumerate(sensors):
            def name(text: str, number: int = number):
                return self.metrics.metric_name(f"{text}-{number}", group)

            sensor.add(Meter(name("rate"), name("total"), rate_stat=WindowedCount()))
            sensor.add(name("avg"), Avg())
            sensor.add(name("max"), Max())
            sensor.add(name("sum"), CumulativeSum())
        return sensors

    def values(self, group: str) -> dict[str, object]:
        return {name.name(): metric.metric_value() for name, metric in self.metrics.metrics().items()
                if name.group() == group}

    def sum(self, number: int) -> object:
        """Look at one metric alone."""
        metric = self.metrics.metric(self.metrics.metric_name(f"sum-{number}", "fed"))
        assert metric is not None
        return metric.metric_value()


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.metrics.close()


@pytest.mark.parametrize("look_often", [False, True])
def test_values_are_those_of_sensors_that_are_told_at_once(bench: Bench, look_often: bool) -> None:
    for step in range(400):
        bench.time.sleep(0 if step % 3 else 173)
        bench.feed.set_time(bench.time.milliseconds())
        for number in range(2):
            value = float(step * 7 % 31 - 3 * number)
            bench.note[number](value)
            bench.told[number].record(value, bench.time.milliseconds(), False)
        if look_often or step % 100 == 99:
            assert bench.values("fed") == bench.values("told")


@pytest.mark.parametrize("number", range(3))
def test_who_looks_at_one_metric_sees_all_that_was_noted(bench: Bench, number: int) -> None:
    """That of the parent too, which is told by both."""
    bench.feed.set_time(1)
    bench.note[0](3.0)
    bench.note[1](5.0)
    assert bench.sum(number) == (3.0, 5.0, 8.0)[number]


def test_a_metric_that_is_added_later_has_the_pending_values(bench: Bench) -> None:
    name = bench.metrics.metric_name("later", "fed")
    bench.fed[0].add(name, CumulativeSum())
    bench.note[0](3.0)
    metric = bench.metrics.metric(name)
    assert metric is not None and metric.metric_value() == 3.0
    assert metric.measurable_value(bench.time.milliseconds()) == 3.0


def test_notes_are_few_where_the_clock_stands_still(bench: Bench) -> None:
    for _ in range(10_000):
        bench.feed.set_time(5)
        bench.note[0](1.0)
    assert sum(len(pending) for _, pending in bench.feed._pending) <= 256
    assert bench.sum(0) == 10_000.0


def test_who_looks_waits_for_what_another_has_taken_to_record(bench: Bench) -> None:
    class Recorder:
        def __init__(self) -> None:
            self.values: list[float] = []

        def set_feed(self, feed: SensorFeed) -> None:
            pass

        def record_all(self, values: list[float], time_ms: int) -> None:
            self.values += values

    def look() -> list[float]:
        bench.feed.record_pending()
        return list(recorder.values)

    recorder = Recorder()
    bench.feed.add(cast("Sensor", recorder))(1.0)
    with stopped_at(recorder, "record_all") as stop:
        owner = Background(bench.feed.record_pending)
        stop.wait()
        reader = Background(look)
        # Time in which it could come back with nothing, which nothing tells of if it waits as it should.
        time.sleep(0.1)
        stop.go()
        assert reader.result() == [1.0]
        owner.result()


def test_a_sensor_that_is_told_later_does_not_expire(bench: Bench) -> None:
    parent = bench.metrics.sensor("parent", inactive_sensor_expiration_time_seconds=1)
    sensor = bench.metrics.sensor("child", parent, inactive_sensor_expiration_time_seconds=1)
    bench.time.sleep(1001)
    assert sensor.has_expired() and parent.has_expired()
    sensor.record_all([1.0, 2.0], bench.time.milliseconds())
    assert not sensor.has_expired() and not parent.has_expired()


def test_nothing_is_lost_or_counted_twice_while_others_look(bench: Bench) -> None:
    done = threading.Event()
    seen: list[float] = []

    def look() -> None:
        while not done.is_set():
            value = bench.sum(2)
            assert isinstance(value, float)
            seen.append(value)

    lookers = [threading.Thread(target=look) for _ in range(3)]
    for looker in lookers:
        looker.start()
    for step in range(20_000):
        bench.feed.set_time(step // 50)
        bench.note[step % 2](1.0)
    done.set()
    for looker in lookers:
        looker.join()
    assert bench.sum(2) == 20_000.0
    assert max(seen) <= 20_000.0
