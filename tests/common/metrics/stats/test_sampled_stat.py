# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.stats.SampledStatTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Rings of samples, and what is computed from them held against a computation from all events."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.stats.avg import Avg
from kreactor.common.metrics.stats.max import Max
from kreactor.common.metrics.stats.min import Min
from kreactor.common.metrics.stats.rate import Rate
from kreactor.common.metrics.stats.sampled_stat import SampledStat
from kreactor.common.metrics.stats.simple_rate import SimpleRate
from kreactor.common.metrics.stats.windowed_count import WindowedCount
from kreactor.common.metrics.stats.windowed_sum import WindowedSum
from kreactor.jdk.time_unit import TimeUnit
from kreactor.testing.mock_time import MockTime

TWO_SECONDS = MetricConfig().time_window_to(1, TimeUnit.SECONDS).samples_to(2)


class SampleCount(SampledStat):
    """Measures how many samples have something in them."""

    def __init__(self) -> None:
        super().__init__(0)

    def _update(self, sample: SampledStat.Sample, config: MetricConfig, value: float, time_ms: int) -> None:
        sample._value = 1

    def combine(self, samples: Sequence[SampledStat.Sample], config: MetricConfig, now: int) -> float:
        """Count the values."""
        return sum(sample._value for sample in samples)


@pytest.fixture
def stat() -> SampleCount:
    return SampleCount()


@pytest.fixture
def time() -> MockTime:
    return MockTime()


def complete_sample(stat: SampledStat, time: MockTime) -> None:
    """Record at the beginning and at the end of a sample, which is over then."""
    stat.record(TWO_SECONDS, 1, time.milliseconds())
    time.sleep(TWO_SECONDS.time_window_ms() - 1)
    stat.record(TWO_SECONDS, 1, time.milliseconds())
    time.sleep(1)


def test_sample_is_purged_if_doesnt_overlap(stat: SampleCount, time: MockTime) -> None:
    complete_sample(stat, time)
    time.sleep(2500)
    assert stat.measure(TWO_SECONDS, time.milliseconds()) == 0


def test_sample_is_kept_if_overlaps(stat: SampleCount, time: MockTime) -> None:
    complete_sample(stat, time)
    time.sleep(1500)
    assert stat.measure(TWO_SECONDS, time.milliseconds()) == 1


def test_sample_is_kept_if_overlaps_and_extra(stat: SampleCount, time: MockTime) -> None:
    complete_sample(stat, time)
    time.sleep(100)
    complete_sample(stat, time)
    time.sleep(100)
    stat.record(TWO_SECONDS, 1, time.milliseconds())
    assert stat.measure(TWO_SECONDS, time.milliseconds()) == 3


# Kafka has no cases for what follows.


class Segments:
    """All events by the sample that they belong to, slowly: the model of a ring of samples.

    A rate asks when the first sample began, and so begins it if there is none.
    """

    def __init__(self, config: MetricConfig, of_rate: bool) -> None:
        self._config = config
        self._of_rate = of_rate
        # Start, last event, values; the oldest first.
        self._segments: list[tuple[int, int, list[float]]] = []

    def record(self, value: float, now: int) -> None:
        """Add an event to the last segment, or begin another and forget the first."""
        config = self._config
        if self._segments:
            start, _, values = self._segments[-1]
            if now - start < config.time_window_ms() and len(values) < config.event_window():
                self._segments[-1] = (start, now, [*values, value])
                return
        self._segments.append((now, now, [value]))
        del self._segments[:-(config.samples() + 1)]

    def values(self, now: int) -> list[float]:
        """Empty what is too old, for good, and return what is left."""
        age = self._config.samples() * self._config.time_window_ms()
        self._segments = [(now, now, []) if now - last >= age else (start, last, values)
                          for start, last, values in self._segments]
        if self._of_rate and not self._segments:
            self._segments.append((now, now, []))
        return [value for _, _, values in self._segments for value in values]

    def elapsed(self, now: int) -> int:
        """Return the time since the first event that is left."""
        return now - min(start for start, _, _ in self._segments)


configs = st.builds(
    lambda samples, window_ms, events: (
        MetricConfig().samples_to(samples).time_window_to(window_ms, TimeUnit.MILLISECONDS)
        .event_window_to(events)),
    st.integers(1, 4), st.integers(1, 50), st.one_of(st.integers(1, 5), st.just(2**63 - 1)))

# How long to wait, and what to record then; None is to measure.
steps = st.lists(st.tuples(st.integers(0, 120), st.one_of(st.none(), st.integers(-1000, 1000))), max_size=60)


def same(measured: float, expected: float) -> bool:
    return math.isnan(measured) and math.isnan(expected) or math.isclose(measured, expected, rel_tol=1e-12)


@given(configs, steps)
def test_stats_are_those_of_the_events_in_the_windows(
    config: MetricConfig, steps: list[tuple[int, int | None]],
) -> None:
    segments, rate_segments = Segments(config, False), Segments(config, True)
    avg, max_, min_, total, count = Avg(), Max(), Min(), WindowedSum(), WindowedCount()
    rate, simple_rate, nanos = Rate(), SimpleRate(), Rate(TimeUnit.NANOSECONDS)
    recorders = (avg, max_, min_, total, count, rate, simple_rate, nanos)
    window_ms, now = config.time_window_ms(), 1_000_000
    for wait, value in [*steps, (0, None)]:
        now += wait
        if value is not None:
            segments.record(value, now)
            rate_segments.record(value, now)
            for stat in recorders:
                stat.record(config, value, now)
            continue
        values = segments.values(now)
        assert same(avg.measure(config, now), sum(values) / len(values) if values else math.nan)
        assert same(max_.measure(config, now), max(values, default=math.nan))
        assert same(min_.measure(config, now), min(values, default=math.nan))
        assert same(total.measure(config, now), sum(values))
        assert same(count.measure(config, now), len(values))
        values = rate_segments.values(now)
        elapsed = rate_segments.elapsed(now)
        missing = max(config.samples() - 1 - elapsed // window_ms, 0)
        covered = max(elapsed + missing * window_ms, 1)
        assert rate.window_size(config, now) == covered
        assert same(rate.measure(config, now), sum(values) * 1000 / covered)
        assert same(nanos.measure(config, now), sum(values) / (covered * 1_000_000))
        assert same(simple_rate.measure(config, now), sum(values) * 1000 / max(elapsed, window_ms))


@given(st.integers(1, 4), st.integers(1, 50), st.lists(
    st.tuples(st.integers(0, 120), st.booleans(), st.integers(0, 1000)), max_size=60), st.integers(0, 200))
def test_what_is_measured_is_the_window_and_a_sample_more_at_most(
    samples: int, window_ms: int, steps: list[tuple[int, bool, int]], wait: int,
) -> None:
    """Holds whatever a ring looks like, and however often it was measured before."""
    config = MetricConfig().samples_to(samples).time_window_to(window_ms, TimeUnit.MILLISECONDS)
    total, now = WindowedSum(), 1_000_000
    events = []
    for step, measure, value in steps:
        now += step
        if measure:
            total.measure(config, now)
        total.record(config, value, now)
        events.append((now, value))
    now += wait

    def since(ms: int) -> int:
        return sum(value for time_ms, value in events if now - time_ms < ms)

    assert since(samples * window_ms) <= total.measure(config, now) <= since((samples + 1) * window_ms)


def test_first_sample_begins_with_the_first_event_or_look() -> None:
    stat = WindowedSum()
    assert stat.oldest(7)._start_time_ms == 7
    assert stat.current(9) is stat.oldest(11)
    assert stat.current(9)._start_time_ms == 7


def test_ring_turns_back_early_when_the_number_of_samples_was_lowered() -> None:
    config = MetricConfig().samples_to(4).event_window_to(1)
    stat = WindowedCount()
    for _ in range(5):
        stat.record(config, 1, 0)
    config.samples_to(1)
    stat.record(config, 1, 0)
    assert stat.current(0) is stat._samples[1]
    assert stat.measure(config, 0) == 5.0


def test_sample_is_complete_by_time_or_by_number() -> None:
    config = MetricConfig().time_window_to(10, TimeUnit.MILLISECONDS).event_window_to(2)
    sample = SampledStat.Sample(0.0, 100)
    assert not sample.is_complete(109, config)
    assert sample.is_complete(110, config)
    sample._event_count = 2
    assert sample.is_complete(100, config)


@pytest.mark.parametrize("stat", [Max(), Min()])
def test_what_is_not_a_number_stays_so(stat: SampledStat) -> None:
    config = MetricConfig()
    for value in (1.0, math.nan, 2.0, -2.0):
        stat.record(config, value, 0)
    assert math.isnan(stat.measure(config, 0))


def test_ints_are_measured_as_floats() -> None:
    config = MetricConfig()
    for stat in (Avg(), Max(), Min(), WindowedSum(), WindowedCount()):
        stat.record(config, 3, 0)
        assert type(stat.measure(config, 0)) is float
