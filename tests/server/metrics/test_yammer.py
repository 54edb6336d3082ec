# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Yammer's metrics. Where a number is written out, it is what Yammer Metrics 2.2.0 computed."""

from __future__ import annotations

import itertools
import math
import random
import statistics
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.clock import NanoClock
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics import yammer
from kreactor.server.metrics.yammer import (
    Counter,
    ExponentiallyDecayingSample,
    Gauge,
    Histogram,
    Meter,
    Metric,
    MetricName,
    MetricsRegistry,
    Snapshot,
    Timer,
    UniformSample,
)

SECOND = 1_000_000_000


class ManualClock(NanoClock):
    """Stands until it is set."""

    def __init__(self, now: int = 12_345_678_901) -> None:
        self.now = now

    def nanoseconds(self) -> int:
        return self.now


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns a thousand times more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(interval)


def run_threads(*works: Callable[[], object]) -> None:
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as e:
            failures.append(e)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures


# Names.


def test_metric_name() -> None:
    name = MetricName("kafka.network", "RequestMetrics", "TotalTimeMs", "request.Produce", "mbean")
    assert (name.get_group(), name.get_type(), name.get_name()) == (
        "kafka.network", "RequestMetrics", "TotalTimeMs")
    assert (name.get_scope(), name.has_scope(), name.get_mbean_name(), str(name)) == (
        "request.Produce", True, "mbean", "mbean")
    assert name == MetricName("x", "y", "z", None, "mbean")
    assert hash(name) == hash(MetricName("x", "y", "z", None, "mbean"))
    assert name != MetricName("kafka.network", "RequestMetrics", "TotalTimeMs", "request.Produce", "other")
    assert name != "mbean"


def test_metric_name_of_its_parts() -> None:
    assert str(MetricName("g.a", "T", 'n"x', "s")) == '"g.a":type="T",scope="s",name="n\\"x"'
    assert str(MetricName("g", "T", "")) == '"g":type="T"'


# Gauge and counter.


def test_gauge() -> None:
    values = iter((1, 2))
    gauge = Gauge(lambda: next(values))
    assert gauge.value() == 1
    assert gauge.value() == 2


def test_counter(switching: None) -> None:
    counter = Counter()

    def work() -> None:
        for _ in range(2_000):
            counter.inc(3)
            counter.dec()

    run_threads(work, work, work)
    assert counter.count() == 12_000
    counter.clear()
    assert counter.count() == 0


# Meter.

# Marks of seven intervals of five seconds, and the three rates after each, per second.
MARKS = (3, 0, 10, 0, 0, 0, 7)
RATES = (
    (0.6, 0.6, 0.6),
    (0.552026648777594, 0.5900828722929705, 0.5966759088029381),
    (0.667800205675722, 0.6133867526459685, 0.60445053756656),
    (0.6144058493202613, 0.6032483613796517, 0.6011017897149193),
    (0.565280669982692, 0.5932775429815544, 0.5977715944353701),
    (0.5200833231154975, 0.5834715277157865, 0.594459848943843),
    (0.5904375760932185, 0.5969675562759003, 0.5989226638188525),
)


def rates(meter: Meter | Timer) -> tuple[float, float, float]:
    return meter.one_minute_rate(), meter.five_minute_rate(), meter.fifteen_minute_rate()


def test_meter_that_is_read_at_each_tick(clock: ManualClock) -> None:
    meter = Meter("requests", TimeUnit.SECONDS, clock)
    for marks, expected in zip(MARKS, RATES):
        clock.now += 5 * SECOND - 1
        before = rates(meter)
        meter.mark(marks)
        assert rates(meter) == before
        clock.now += 1
        assert rates(meter) == pytest.approx(expected, rel=1e-12)


def test_meter_that_is_read_at_the_end(clock: ManualClock) -> None:
    meter = Meter("requests", TimeUnit.SECONDS, clock)
    start = clock.now
    for i, marks in enumerate(MARKS):
        clock.now = start + i * 5 * SECOND
        for _ in range(marks):
            meter.mark()
            clock.now += 100_000_000
    clock.now = start + len(MARKS) * 5 * SECOND
    assert rates(meter) == pytest.approx(RATES[-1], rel=1e-12)
    assert meter.count() == sum(MARKS)
    assert meter.mean_rate() == pytest.approx(sum(MARKS) / 35)


def test_meter_at_the_start(clock: ManualClock) -> None:
    meter = Meter("requests", TimeUnit.MINUTES, clock)
    assert (meter.event_type(), meter.rate_unit()) == ("requests", TimeUnit.MINUTES)
    assert (meter.count(), meter.mean_rate(), rates(meter)) == (0, 0.0, (0.0, 0.0, 0.0))
    meter.mark(2)
    assert meter.count() == 2
    assert meter.mean_rate() == math.inf
    clock.now += 4 * SECOND
    assert meter.mean_rate() == pytest.approx(30)
    assert rates(meter) == (0.0, 0.0, 0.0)
    clock.now += SECOND
    assert rates(meter) == pytest.approx((24, 24, 24))


def test_meter_goes_down_while_nothing_happens(clock: ManualClock) -> None:
    meter = Meter("requests", TimeUnit.SECONDS, clock)
    meter.mark(60)
    clock.now += 5 * SECOND
    assert meter.one_minute_rate() == pytest.approx(12)
    clock.now += 600 * SECOND
    assert rates(meter) == pytest.approx((12 * math.exp(-10), 12 * math.exp(-2), 12 * math.exp(-2 / 3)))


def reference_rates(marks: Sequence[tuple[int, int]], until: int) -> tuple[float, ...]:
    """Tick every five seconds from 0 to ``until``, and return the three rates, per nanosecond."""
    found = [0.0, 0.0, 0.0]
    for tick in range(until // (5 * SECOND)):
        interval = sum(n for at, n in marks if tick * 5 * SECOND <= at < (tick + 1) * 5 * SECOND)
        instant = interval / (5 * SECOND)
        for i, minutes in enumerate((1, 5, 15)):
            alpha = 1 - math.exp(-5 / 60 / minutes)
            found[i] = instant if tick == 0 else found[i] + alpha * (instant - found[i])
    return tuple(found)


@given(st.lists(st.tuples(st.integers(0, 15 * SECOND), st.integers(0, 100), st.booleans()), max_size=40))
def test_meter_ticks_as_if_a_thread_did(steps: list[tuple[int, int, bool]]) -> None:
    clock = ManualClock(0)
    meter = Meter("requests", TimeUnit.NANOSECONDS, clock)
    marks = []
    for wait, n, read in [*steps, (0, 0, True)]:
        clock.now += wait
        meter.mark(n)
        marks.append((clock.now, n))
        if read:
            assert rates(meter) == pytest.approx(reference_rates(marks, clock.now), rel=1e-9, abs=1e-300)
            assert meter.count() == sum(n for _, n in marks)


def test_meter_counts_before_anybody_reads(clock: ManualClock) -> None:
    meter = Meter("requests", TimeUnit.SECONDS, clock)
    for _ in range(10_000):
        meter.mark()
    assert len(meter._pending) < 300


def test_no_mark_is_lost(switching: None) -> None:
    meter = Meter("requests", TimeUnit.SECONDS)
    seen: list[int] = []

    def mark() -> None:
        for _ in range(5_000):
            meter.mark(2)

    def read() -> None:
        for _ in range(300):
            seen.append(meter.count())
            meter.one_minute_rate()

    run_threads(mark, mark, mark, read)
    assert meter.count() == 30_000
    assert seen == sorted(seen)


# Snapshot.


def test_snapshot() -> None:
    snapshot = Snapshot([5, 1, 9, 3, 7, 7, 2])
    assert snapshot.get_values() == [1.0, 2.0, 3.0, 5.0, 7.0, 7.0, 9.0]
    assert snapshot.size() == 7
    quantiles = (0, 0.1, 0.125, 0.5, 0.75, 0.8, 0.875, 0.9, 0.99, 1)
    expected = [1.0, 1.0, 1.0, 5.0, 7.0, 7.800000000000001, 9.0, 9.0, 9.0, 9.0]
    assert [snapshot.get_value(quantile) for quantile in quantiles] == expected


def test_snapshot_of_many() -> None:
    snapshot = Snapshot(range(1, 1000))
    assert snapshot.get_median() == 500
    assert snapshot.get_75th_percentile() == 750
    assert snapshot.get_95th_percentile() == 950
    assert snapshot.get_98th_percentile() == 980
    assert snapshot.get_99th_percentile() == 990
    assert snapshot.get_999th_percentile() == 999


def test_snapshot_of_nothing() -> None:
    assert Snapshot(()).get_median() == 0.0
    for quantile in (-0.01, 1.01, math.nan):
        with pytest.raises(IllegalArgumentException, match=r"is not in \[0..1\]"):
            Snapshot((1,)).get_value(quantile)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=50), st.floats(0, 1))
def test_snapshot_interpolates(values: list[int], quantile: float) -> None:
    ordered = sorted(values)
    position = quantile * (len(values) + 1) - 1
    below = ordered[max(0, min(len(values) - 1, math.floor(position)))]
    above = ordered[max(0, min(len(values) - 1, math.floor(position) + 1))]
    expected = below + (position - math.floor(position)) * (above - below)
    assert Snapshot(values).get_value(quantile) == pytest.approx(expected)


# Samples.


def test_uniform_sample_keeps_all_up_to_its_size() -> None:
    sample = UniformSample(100)
    sample.update(range(60), 0)
    sample.update(range(60, 100), 0)
    assert sorted(sample.values()) == list(range(100))
    sample.clear()
    assert list(sample.values()) == []


def test_uniform_sample_is_uniform() -> None:
    sample = UniformSample(1028, random.Random(1))
    sample.update(range(50_000), 0)
    values = sample.values()
    assert len(set(values)) == 1028
    # Of each tenth about a tenth: the deviation of a binomial is 9.6.
    tenths = [sum(1 for value in values if value // 5_000 == tenth) for tenth in range(10)]
    assert all(abs(count - 102.8) < 40 for count in tenths)


def test_decaying_sample_keeps_all_up_to_its_size() -> None:
    sample = ExponentiallyDecayingSample(100, 0.015)
    sample.update(range(60), 5)
    sample.update(range(60, 100), 500)
    assert sorted(sample.values()) == list(range(100))
    sample.update(range(100, 130), 500)
    assert len(set(sample.values())) == 100
    sample.clear()
    assert list(sample.values()) == []


def shares(update: Callable[[ExponentiallyDecayingSample], object]) -> dict[int, float]:
    """Return, by value, the average share of it in 200 samples."""
    prng = random.Random(7)
    found: dict[int, float] = {0: 0.0, 1: 0.0, 2: 0.0}
    for _ in range(200):
        sample = ExponentiallyDecayingSample(1028, 0.015, prng)
        update(sample)
        for value in sample.values():
            found[value] += 1 / 1028 / 200
    return found


def test_decaying_sample_prefers_the_young() -> None:
    def update(sample: ExponentiallyDecayingSample) -> None:
        sample.update([0] * 3000, 1000)
        sample.update([1] * 3000, 1060)
        sample.update([2] * 500, 1090)

    # The library's, over 400 samples, were 0.5986 and 0.1572, with a deviation of 0.014 from one to another.
    found = shares(update)
    assert found[1] == pytest.approx(0.599, abs=0.004)
    assert found[2] == pytest.approx(0.157, abs=0.004)


def test_decaying_sample_does_not_care_how_values_come_together() -> None:
    def one_by_one(sample: ExponentiallyDecayingSample) -> None:
        for value, second, count in ((0, 1000, 1500), (1, 1060, 1500)):
            for _ in range(count):
                sample.update([value], second)

    def together(sample: ExponentiallyDecayingSample) -> None:
        sample.update([0] * 1500, 1000)
        sample.update([1] * 1500, 1060)

    assert shares(one_by_one)[1] == pytest.approx(shares(together)[1], abs=0.004)


def test_decaying_sample_of_one_second_is_uniform() -> None:
    sample = ExponentiallyDecayingSample(1028, 0.015, random.Random(3))
    for start in range(0, 50_000, 250):
        sample.update(range(start, start + 250), 9)
    values = sample.values()
    assert len(set(values)) == 1028
    tenths = [sum(1 for value in values if value // 5_000 == tenth) for tenth in range(10)]
    assert all(abs(count - 102.8) < 40 for count in tenths)


def test_decaying_sample_after_years() -> None:
    """The weights neither overflow nor lose what tells them apart."""
    sample = ExponentiallyDecayingSample(10, 0.015)
    sample.update(range(10), 0)
    century = 100 * 365 * 86_400
    sample.update(range(10, 20), century)
    assert sorted(sample.values()) == list(range(10, 20))
    # And what is so much older than all that is kept does not get in.
    sample.update(range(1000), 0)
    assert sorted(sample.values()) == list(range(10, 20))


# Histogram.


class NotingSample:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[list[int], int]] = []

    def update(self, values: Sequence[int], second: int) -> None:
        """Note the call."""
        self.told.append((list(values), second))

    def values(self) -> Sequence[int]:
        """Return all."""
        return [value for values, _ in self.told for value in values]

    def clear(self) -> None:
        """Forget all calls."""
        self.told.clear()


def noting(histogram: Histogram) -> NotingSample:
    sample = NotingSample()
    histogram._sample = sample
    return sample


@pytest.mark.parametrize("biased", [True, False])
def test_histogram(biased: bool) -> None:
    histogram = Histogram(biased)
    for value in (5, 1, 9, 3, 7, 7, 2):
        histogram.update(value)
    assert histogram.count() == 7
    assert histogram.mean() == 4.857142857142857
    assert histogram.std_dev() == pytest.approx(2.9680841985233184, rel=1e-14)
    assert (histogram.sum(), histogram.min(), histogram.max()) == (34.0, 1.0, 9.0)
    snapshot = histogram.get_snapshot()
    assert (snapshot.get_median(), snapshot.get_95th_percentile()) == (5.0, 9.0)
    histogram.clear()
    assert (histogram.count(), histogram.get_snapshot().size()) == (0, 0)


def test_histogram_of_nothing() -> None:
    histogram = Histogram(True)
    assert (histogram.count(), histogram.min(), histogram.max(), histogram.mean(), histogram.std_dev(),
            histogram.sum(), histogram.get_snapshot().get_median()) == (0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    histogram.update(-3)
    assert (histogram.min(), histogram.max(), histogram.std_dev()) == (-3.0, -3.0, 0.0)


@pytest.mark.parametrize("biased, kind", [(True, ExponentiallyDecayingSample), (False, UniformSample)])
def test_kinds_of_sample(biased: bool, kind: type) -> None:
    histogram = Histogram(biased)
    assert type(histogram._sample) is kind
    for value in range(5_000):
        histogram.update(value)
    assert histogram.get_snapshot().size() == 1028


@given(st.lists(st.integers(-10**12, 10**12), min_size=2, max_size=600), st.lists(st.integers(0, 600)))
def test_summary_is_exact(values: list[int], reads: list[int]) -> None:
    histogram = Histogram(True)
    for i, value in enumerate(values):
        histogram.update(value)
        if i in reads:
            assert histogram.count() == i + 1
    assert histogram.count() == len(values)
    assert histogram.sum() == float(sum(values))
    assert (histogram.min(), histogram.max()) == (min(values), max(values))
    assert histogram.mean() == sum(values) / len(values)
    assert histogram.std_dev() == pytest.approx(statistics.stdev(values), rel=1e-9)


def test_values_are_folded_by_the_second_they_were_noted_in(clock: ManualClock) -> None:
    histogram = Histogram(True, clock)
    sample = noting(histogram)
    for second, value in ((3, 1), (3, 2), (4, 3), (9, 4), (9, 5)):
        clock.now = second * SECOND + 999_999_999
        histogram.update(value)
    clock.now = 77 * SECOND
    assert histogram.count() == 5
    assert sample.told == [([1, 2], 3), ([3], 4), ([4, 5], 9)]


def test_values_are_folded_when_many_are_noted(clock: ManualClock) -> None:
    histogram = Histogram(True, clock)
    sample = noting(histogram)
    for value in range(1_000):
        histogram.update(value)
    folded = len(sample.values())
    assert 1_000 - yammer._MAX_PENDING < folded < 1_000
    assert histogram.get_snapshot().get_values() == [float(value) for value in range(1_000)]


def test_who_finds_the_lock_taken_goes_on() -> None:
    histogram = Histogram(True)
    meter = Meter("requests", TimeUnit.SECONDS)
    with histogram._lock, meter._lock:
        for value in range(1_000):
            histogram.update(value)
            meter.mark()
    assert histogram.count() == meter.count() == 1_000


class BusyList(list[tuple[int, int]]):
    """To which somebody appends while it is read."""

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if len(self) < 10:
            self.append((0, 1))
        return found


def test_what_is_noted_while_others_are_folded_is_not_lost() -> None:
    histogram, meter = Histogram(True, ManualClock()), Meter("requests", TimeUnit.SECONDS, ManualClock())
    histogram._pending, meter._pending = BusyList(), BusyList()
    histogram.update(1)
    meter.mark()
    for expected in (1, 2, 3):
        assert histogram.count() == meter.count() == expected


def test_no_value_is_lost(switching: None) -> None:
    histogram = Histogram(True)
    seen: list[int] = []

    def update(start: int) -> Callable[[], None]:
        def work() -> None:
            for value in range(start, start + 5_000):
                histogram.update(value)
        return work

    def read() -> None:
        for _ in range(300):
            seen.append(histogram.count())
            histogram.get_snapshot()

    run_threads(update(0), update(5_000), update(10_000), read)
    assert histogram.count() == 15_000
    assert histogram.sum() == float(sum(range(15_000)))
    assert (histogram.min(), histogram.max()) == (0.0, 14_999.0)
    assert seen == sorted(seen)


# Timer.


def test_timer(clock: ManualClock) -> None:
    timer = Timer(TimeUnit.MILLISECONDS, TimeUnit.SECONDS, clock)
    assert (timer.duration_unit(), timer.rate_unit(), timer.event_type()) == (
        TimeUnit.MILLISECONDS, TimeUnit.SECONDS, "calls")
    timer.update(2, TimeUnit.SECONDS)
    timer.update(500, TimeUnit.MICROSECONDS)
    timer.update(-1, TimeUnit.SECONDS)
    with timer.time():
        clock.now += 3_000_000
    context = timer.time()
    clock.now += 4_000_000
    context.stop()
    assert timer.count() == 4
    assert (timer.min(), timer.max(), timer.sum()) == (0.5, 2000.0, 2007.5)
    assert timer.mean() == pytest.approx(2007.5 / 4)
    assert timer.std_dev() == pytest.approx(statistics.stdev([2000, 0.5, 3, 4]))
    assert timer.get_snapshot().get_values() == [0.5, 3.0, 4.0, 2000.0]
    clock.now += 5 * SECOND - 7_000_000
    assert rates(timer) == pytest.approx((0.8, 0.8, 0.8))
    assert timer.mean_rate() == pytest.approx(0.8)
    timer.clear()
    assert timer.count() == 0
    assert timer.one_minute_rate() == pytest.approx(0.8)


def test_timer_of_what_fails(clock: ManualClock) -> None:
    timer = Timer(TimeUnit.NANOSECONDS, TimeUnit.SECONDS, clock)
    with pytest.raises(ValueError), timer.time():
        clock.now += 5
        raise ValueError
    assert timer.sum() == 5


# Registry.


class Listener:
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def on_metric_added(self, name: MetricName, metric: Metric) -> None:
        """Note the call."""
        self.heard.append(("added", f"{name.get_name()} {type(metric).__name__}"))

    def on_metric_removed(self, name: MetricName) -> None:
        """Note the call."""
        self.heard.append(("removed", name.get_name()))


def name_of(name: str, type: str = "T", scope: str | None = None) -> MetricName:
    return MetricName("g", type, name, scope)


def test_registry_returns_what_is_there() -> None:
    registry = MetricsRegistry()
    gauge = registry.new_gauge(name_of("gauge"), lambda: 1)
    assert registry.new_gauge(name_of("gauge"), lambda: 2) is gauge
    assert gauge.value() == 1
    counter = registry.new_counter(name_of("counter"))
    assert registry.new_counter(name_of("counter")) is counter
    histogram = registry.new_histogram(name_of("histogram"), True)
    assert registry.new_histogram(name_of("histogram"), False) is histogram
    meter = registry.new_meter(name_of("meter"), "requests", TimeUnit.SECONDS)
    assert registry.new_meter(name_of("meter"), "others", TimeUnit.DAYS) is meter
    timer = registry.new_timer(name_of("timer"), TimeUnit.MILLISECONDS, TimeUnit.SECONDS)
    assert registry.new_timer(name_of("timer"), TimeUnit.DAYS, TimeUnit.DAYS) is timer
    with pytest.raises(TypeError, match="is a Timer, not a Meter"):
        registry.new_meter(name_of("timer"), "requests", TimeUnit.SECONDS)
    assert dict(registry.all_metrics()) == {
        name_of("gauge"): gauge, name_of("counter"): counter, name_of("histogram"): histogram,
        name_of("meter"): meter, name_of("timer"): timer}


def test_metrics_run_by_the_clock_of_the_registry(clock: ManualClock) -> None:
    registry = MetricsRegistry(clock)
    meter = registry.new_meter(name_of("meter"), "requests", TimeUnit.SECONDS)
    histogram = registry.new_histogram(name_of("histogram"), True)
    timer = registry.new_timer(name_of("timer"), TimeUnit.SECONDS, TimeUnit.SECONDS)
    meter.mark(5)
    timer.update(1, TimeUnit.SECONDS)
    sample = noting(histogram)
    histogram.update(1)
    clock.now += 5 * SECOND
    assert meter.one_minute_rate() == 1.0
    assert timer.one_minute_rate() == 0.2
    assert histogram.count() == 1 and sample.told == [([1], 12)]


def test_listeners() -> None:
    registry = MetricsRegistry()
    registry.new_counter(name_of("before"))
    first, second = Listener(), Listener()
    registry.add_listener(first)
    registry.new_gauge(name_of("gauge"), lambda: 1)
    registry.new_gauge(name_of("gauge"), lambda: 1)
    registry.add_listener(second)
    registry.remove_listener(first)
    registry.remove_metric(name_of("gauge"))
    registry.remove_metric(name_of("gauge"))
    assert first.heard == [("added", "before Counter"), ("added", "gauge Gauge")]
    assert second.heard == [("added", "before Counter"), ("added", "gauge Gauge"), ("removed", "gauge")]


def test_listener_may_use_the_registry() -> None:
    registry = MetricsRegistry()

    class Doubling(Listener):
        def on_metric_added(self, name: MetricName, metric: Metric) -> None:
            if len(registry.all_metrics()) < 3:
                registry.new_counter(name_of(name.get_name() + "x"))

    registry.add_listener(Doubling())
    registry.new_counter(name_of("a"))
    assert [name.get_name() for name in registry.all_metrics()] == ["a", "ax", "axx"]


def test_grouped_metrics() -> None:
    registry = MetricsRegistry()
    for name in (name_of("b"), name_of("a"), name_of("c", "S"), name_of("d", "T", "k.v")):
        registry.new_counter(name)
    grouped = registry.grouped_metrics()
    assert [(group, [name.get_name() for name in metrics]) for group, metrics in grouped.items()] == [
        ("g.S", ["c"]), ("g.T", ["a", "b"]), ("g.T.k.v", ["d"])]
    filtered = registry.grouped_metrics(lambda name, _metric: name.has_scope())
    assert list(filtered) == ["g.T.k.v"]


def test_a_metric_is_made_once_by_many_threads(switching: None) -> None:
    registry = MetricsRegistry()
    got: list[Counter] = []

    def work() -> None:
        for i in itertools.chain(range(200), range(200)):
            got.append(registry.new_counter(name_of(str(i))))
            if len(registry.all_metrics()) > 5:
                list(registry.all_metrics().items())

    run_threads(work, work, work)
    assert len(set(map(id, got))) == 200
