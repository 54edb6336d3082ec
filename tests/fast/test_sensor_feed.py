# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Sensors that are told later."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.fast.sensor_feed import SensorFeed, _record_all, _record_all_in
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.meter import Meter
from kreactor.common.metrics.stats.min import Min
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.testing.mock_time import MockTime
from tests.common.metrics.stats.test_sampled_stat import configs
from tests.stepping import Background, stopped_at


class Bench:
    """A feed, and the same sensors told at once beside it."""

    def __init__(self) -> None:
        self.time = MockTime()
        self.metrics = Metrics(MetricConfig(), time=self.time)
        self.feed = SensorFeed(1)
        self.fed = self._sensors("fed")
        self.told = self._sensors("told")
        self.stand_ins = [self.feed.feed(sensor) for sensor in self.fed[:-1]]

    def note(self, number: int, value: float, time_ms: int | None = None) -> None:
        self.stand_ins[number].record(
            value, self.time.milliseconds() if time_ms is None else time_ms, False)

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
        for number in range(2):
            value = float(step * 7 % 31 - 3 * number)
            bench.note(number, value)
            bench.told[number].record(value, bench.time.milliseconds(), False)
        if look_often or step % 100 == 99:
            assert bench.values("fed") == bench.values("told")


@pytest.mark.parametrize("number", range(3))
def test_who_looks_at_one_metric_sees_all_that_was_noted(bench: Bench, number: int) -> None:
    """That of the parent too, which is told by both."""
    bench.note(0, 3.0)
    bench.note(1, 5.0)
    assert bench.sum(number) == (3.0, 5.0, 8.0)[number]


def test_notes_are_few_where_the_clock_stands_still(bench: Bench) -> None:
    for _ in range(10_000):
        bench.note(0, 1.0, 5)
    assert sum(len(pending) for _, pending in bench.feed._pending) <= 256
    assert bench.sum(0) == 10_000.0


def test_who_looks_waits_for_what_another_has_taken_to_record(bench: Bench) -> None:
    class Recorder(CumulativeSum):
        """A statistic that can be stopped."""

    def look() -> object:
        return bench.sum(0)

    recorder = Recorder()
    bench.fed[0].add(bench.metrics.metric_name("recorder", "tests"), recorder)
    bench.note(0, 1.0)
    with stopped_at(recorder, "record") as stop:
        owner = Background(bench.feed.record_pending)
        stop.wait()
        reader = Background(look)
        # Time in which it could come back with nothing, which nothing tells of if it waits as it should.
        time.sleep(0.1)
        stop.go()
        assert reader.result() == 1.0
        owner.result()


def test_a_sensor_that_is_told_later_does_not_expire(bench: Bench) -> None:
    parent = bench.metrics.sensor("parent", inactive_sensor_expiration_time_seconds=1)
    sensor = bench.metrics.sensor("child", parent, inactive_sensor_expiration_time_seconds=1)
    bench.time.sleep(1001)
    assert sensor.has_expired() and parent.has_expired()
    _record_all(sensor, [1.0, 2.0], bench.time.milliseconds())
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
        bench.note(step % 2, 1.0, step // 50)
    done.set()
    for looker in lookers:
        looker.join()
    assert bench.sum(2) == 20_000.0
    assert max(seen) <= 20_000.0


@given(configs, st.lists(st.tuples(
    st.integers(0, 120), st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=4), st.booleans()),
    max_size=30))
def test_many_values_at_once_are_as_if_one_by_one(
    config: MetricConfig, steps: list[tuple[int, list[float], bool]],
) -> None:
    for kind in (Avg, Max, Min, WindowedSum, WindowedCount):
        together, one_by_one = kind(), kind()
        now = 0
        for pause, values, measured in steps:
            now += pause
            _record_all_in(together, config, values, now)
            for value in values:
                one_by_one.record(config, value, now)
            if measured:
                together.measure(config, now)
                one_by_one.measure(config, now)
            assert str(together) == str(one_by_one)
