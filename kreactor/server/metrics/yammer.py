# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The part of the library Yammer Metrics 2.2.0 that Kafka's server uses, written anew. Not a port.

Names, defaults and arithmetic are the library's; what differs is what a record costs. A request marks a
dozen meters and histograms, so recording only notes the value with its time, and the work is done when
somebody reads, or when enough has come together:

* a meter makes the ticks that were due, every five seconds of its clock, when noted marks are counted, and
  each mark counts for the interval that it was noted in; there is no thread that ticks;
* a histogram folds noted values into its reservoir by the second that each was noted in. Of the values of
  one second the reservoir takes each with the same probability, so how many it passes over is drawn at
  once, and the rest costs nothing;
* the reservoir keeps the logarithms of its priorities, which do not overflow: there is no hourly rescaling.

For use by any thread. Recording takes no lock: it appends to a list, one operation, and only the holder of
the lock takes off at the front what it has seen there. A thread that finds the list long and the lock taken
goes on. The clock gives nanoseconds from an arbitrary moment.
"""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import mul
from types import MappingProxyType, TracebackType
from typing import Any, Callable, Generic, Protocol, TypeVar

from kreactor.jdk.concurrent_map import ConcurrentMapView
from kreactor.jdk.doubles import divide
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.object_name import quote
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.time_unit import TimeUnit

Clock = Callable[[], int]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound="Metric")

_NANOS_PER_SECOND = 1_000_000_000

# With so many values noted, whoever notes the next does the work for all: it takes some 20 us.
_FOLD_AT = 256


class MetricName:
    """The name of a metric. Immutable; equal and ordered by the name of its MBean."""

    __slots__ = ("_group", "_type", "_name", "_scope", "_mbean_name")

    def __init__(self, group: str, type: str, name: str, scope: str | None = None,
                 mbean_name: str | None = None) -> None:
        """Without ``mbean_name`` it is made of the other parts, each in quotes."""
        if mbean_name is None:
            mbean_name = f"{quote(group)}:type={quote(type)}"
            if scope is not None:
                mbean_name += f",scope={quote(scope)}"
            if name:
                mbean_name += f",name={quote(name)}"
        self._group = group
        self._type = type
        self._name = name
        self._scope = scope
        self._mbean_name = mbean_name

    def get_group(self) -> str:
        """Return the group, Kafka's package."""
        return self._group

    def get_type(self) -> str:
        """Return the type, Kafka's class."""
        return self._type

    def get_name(self) -> str:
        """Return the name within the type, which may be empty."""
        return self._name

    def get_scope(self) -> str | None:
        """Return the tags in one text, or None."""
        return self._scope

    def has_scope(self) -> bool:
        """Return whether there are tags."""
        return self._scope is not None

    def get_mbean_name(self) -> str:
        """Return the whole name in one text."""
        return self._mbean_name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MetricName) and self._mbean_name == other._mbean_name

    def __hash__(self) -> int:
        return hash(self._mbean_name)

    def __lt__(self, other: MetricName) -> bool:
        return self._mbean_name < other._mbean_name

    def __str__(self) -> str:
        return self._mbean_name

    __repr__ = __str__


class Metric:
    """A metric of a registry."""

    __slots__ = ()


class Gauge(Metric, Generic[T_co]):
    """A value that a function gives."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[], T_co]) -> None:
        """``function`` is called by whoever reads, on any thread."""
        self._function = function

    def value(self) -> T_co:
        """Return the value of now."""
        return self._function()


class Counter(Metric):
    """An int that goes up and down."""

    __slots__ = ("_lock", "_count")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    def inc(self, n: int = 1) -> None:
        """Add ``n``."""
        with self._lock:
            self._count += n

    def dec(self, n: int = 1) -> None:
        """Take ``n`` off."""
        with self._lock:
            self._count -= n

    def count(self) -> int:
        """Return the count."""
        return self._count

    def clear(self) -> None:
        """Begin again at 0."""
        with self._lock:
            self._count = 0


class Meter(Metric):
    """How often something happens: in all, on average, and lately.

    The three moving averages are of the counts of intervals of five seconds, the last of which is the one
    that is over: they are 0 for the first five seconds, and stand still between ticks.
    """

    __slots__ = ("_event_type", "_rate_unit", "_clock", "_start_time", "_pending", "_lock", "_count",
                 "_uncounted", "_next_tick", "_initialized", "_m1_rate", "_m5_rate", "_m15_rate")

    INTERVAL_NS = 5 * _NANOS_PER_SECOND
    # The weight of an interval in an average over so many minutes.
    M1_ALPHA = 1 - math.exp(-5 / 60.0)
    M5_ALPHA = 1 - math.exp(-5 / 60.0 / 5)
    M15_ALPHA = 1 - math.exp(-5 / 60.0 / 15)

    def __init__(self, event_type: str, rate_unit: TimeUnit, clock: Clock = time.monotonic_ns) -> None:
        """``event_type`` is the plural of what is marked; the rates are per ``rate_unit``."""
        self._event_type = event_type
        self._rate_unit = rate_unit
        self._clock = clock
        self._start_time = clock()
        # Time and number. Anybody appends at the end; only the holder of the lock removes, at the front.
        self._pending: list[tuple[int, int]] = []
        # Guards what follows.
        self._lock = threading.Lock()
        self._count = 0
        self._uncounted = 0
        self._next_tick = self._start_time + self.INTERVAL_NS
        self._initialized = False
        # Per nanosecond.
        self._m1_rate = self._m5_rate = self._m15_rate = 0.0

    def rate_unit(self) -> TimeUnit:
        """Return what the rates are per."""
        return self._rate_unit

    def event_type(self) -> str:
        """Return what is marked."""
        return self._event_type

    def mark(self, n: int = 1) -> None:
        """Note ``n`` events."""
        pending = self._pending
        pending.append((self._clock(), n))
        if len(pending) >= _FOLD_AT and self._lock.acquire(blocking=False):
            try:
                self._fold()
            finally:
                self._lock.release()

    def count(self) -> int:
        """Return the number of events since the start."""
        with self._lock:
            self._fold()
            return self._count

    def fifteen_minute_rate(self) -> float:
        """Return the moving average over 15 minutes."""
        with self._lock:
            self._fold()
            self._tick(self._clock())
            return self._m15_rate * self._rate_unit.value

    def five_minute_rate(self) -> float:
        """Return the moving average over 5 minutes."""
        with self._lock:
            self._fold()
            self._tick(self._clock())
            return self._m5_rate * self._rate_unit.value

    def mean_rate(self) -> float:
        """Return the average since the start."""
        count = self.count()
        if count == 0:
            return 0.0
        return divide(count, self._clock() - self._start_time) * self._rate_unit.value

    def one_minute_rate(self) -> float:
        """Return the moving average over 1 minute."""
        with self._lock:
            self._fold()
            self._tick(self._clock())
            return self._m1_rate * self._rate_unit.value

    def _fold(self) -> None:
        """Count what is noted so far. The lock is held."""
        pending = self._pending
        count = len(pending)
        if not count:
            return
        noted = pending[:count]
        del pending[:count]
        times: tuple[int, ...]
        numbers: tuple[int, ...]
        times, numbers = zip(*noted)
        total = sum(numbers)
        self._count += total
        if max(times) < self._next_tick:
            self._uncounted += total
        else:
            for noted_at, n in sorted(noted):
                self._tick(noted_at)
                self._uncounted += n

    def _tick(self, now: int) -> None:
        """Make the ticks that are due. The first has all that was counted; the others have nothing."""
        due = (now - self._next_tick) // self.INTERVAL_NS + 1
        if due <= 0:
            return
        self._next_tick += due * self.INTERVAL_NS
        instant_rate = self._uncounted / self.INTERVAL_NS
        self._uncounted = 0
        if self._initialized:
            self._m1_rate += self.M1_ALPHA * (instant_rate - self._m1_rate)
            self._m5_rate += self.M5_ALPHA * (instant_rate - self._m5_rate)
            self._m15_rate += self.M15_ALPHA * (instant_rate - self._m15_rate)
        else:
            self._m1_rate = self._m5_rate = self._m15_rate = instant_rate
            self._initialized = True
        if due > 1:
            self._m1_rate *= (1 - self.M1_ALPHA) ** (due - 1)
            self._m5_rate *= (1 - self.M5_ALPHA) ** (due - 1)
            self._m15_rate *= (1 - self.M15_ALPHA) ** (due - 1)


class Snapshot:
    """The values of a reservoir at one moment. Immutable."""

    __slots__ = ("_values",)

    def __init__(self, values: Iterable[float]) -> None:
        """Take ``values`` in any order."""
        self._values = sorted(map(float, values))

    def get_value(self, quantile: float) -> float:
        """Return the value at ``quantile``, between two values if need be; 0 if there are none.

        Raises IllegalArgumentException if ``quantile`` is not from 0 to 1.
        """
        if not 0.0 <= quantile <= 1.0:
            raise IllegalArgumentException(f"{quantile} is not in [0..1]")
        values = self._values
        if not values:
            return 0.0
        pos = quantile * (len(values) + 1)
        if pos < 1:
            return values[0]
        if pos >= len(values):
            return values[-1]
        index = int(pos)
        lower = values[index - 1]
        return lower + (pos - index) * (values[index] - lower)

    def size(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def get_median(self) -> float:
        """Return the value that half of them lie below."""
        return self.get_value(0.5)

    def get_75th_percentile(self) -> float:
        """Return the value that 75 % lie below."""
        return self.get_value(0.75)

    def get_95th_percentile(self) -> float:
        """Return the value that 95 % lie below."""
        return self.get_value(0.95)

    def get_98th_percentile(self) -> float:
        """Return the value that 98 % lie below."""
        return self.get_value(0.98)

    def get_99th_percentile(self) -> float:
        """Return the value that 99 % lie below."""
        return self.get_value(0.99)

    def get_999th_percentile(self) -> float:
        """Return the value that 99.9 % lie below."""
        return self.get_value(0.999)

    def get_values(self) -> list[float]:
        """Return the values, the smallest first."""
        return list(self._values)


class Sample(Protocol):
    """A reservoir. Its histogram's lock is held when it is called."""

    def update(self, values: Sequence[int], second: int) -> None:
        """Take values, all noted in the same second."""

    def values(self) -> Sequence[int]:
        """Return what is kept."""

    def clear(self) -> None:
        """Keep nothing."""


class UniformSample:
    """A reservoir in which every value that ever came is as likely to be (Vitter's algorithm R)."""

    __slots__ = ("_reservoir_size", "_random", "_count", "_values")

    def __init__(self, reservoir_size: int, random: Callable[[], float] = RANDOM.random) -> None:
        """``random`` gives floats from 0 up to, but not, 1."""
        self._reservoir_size = reservoir_size
        self._random = random
        self._count = 0
        self._values: list[int] = []

    def update(self, values: Sequence[int], second: int) -> None:
        """Take values; the time does not matter."""
        size, kept, count, random = self._reservoir_size, self._values, self._count, self._random
        for value in values:
            count += 1
            if count <= size:
                kept.append(value)
            else:
                place = int(random() * count)
                if place < size:
                    kept[place] = value
        self._count = count

    def values(self) -> Sequence[int]:
        """Return what is kept."""
        return self._values

    def clear(self) -> None:
        """Keep nothing."""
        self._count = 0
        self._values = []


class ExponentiallyDecayingSample:
    """A reservoir in which a value is the likelier to be the younger it is (Cormode and others, 2009).

    A value of second t weighs e^(alpha * t) and draws its priority, that weight by a random number between 0
    and 1; the values of the highest priorities are kept, in a heap. With the lowest priority kept being p, a
    value of weight w gets in with probability w/p, and then its priority is p by a random number.
    """

    __slots__ = ("_reservoir_size", "_alpha", "_random", "_start", "_heap")

    def __init__(self, reservoir_size: int, alpha: float,
                 random: Callable[[], float] = RANDOM.random) -> None:
        """With an ``alpha`` of 0.015 a value is down to a half after 46 seconds."""
        self._reservoir_size = reservoir_size
        self._alpha = alpha
        self._random = random
        # Any second does; the first that comes keeps the numbers small.
        self._start: int | None = None
        # By the logarithm of the priority.
        self._heap: list[tuple[float, int]] = []

    def update(self, values: Sequence[int], second: int) -> None:
        """Take values, all noted in the same second, which may be any."""
        if self._start is None:
            self._start = second
        log_weight = self._alpha * (second - self._start)
        heap, random, log = self._heap, self._random, math.log
        count = len(values)
        i = min(count, self._reservoir_size - len(heap))
        for value in values[:i]:
            heapq.heappush(heap, (log_weight - log(1.0 - random()), value))
        while i < count:
            threshold = heap[0][0]
            if log_weight < threshold:
                probability = math.exp(log_weight - threshold)
                if probability == 0.0:
                    return
                # How many do not get in before the next that does.
                passed_over = log(1.0 - random()) / math.log1p(-probability)
                if passed_over >= count - i:
                    return
                i += int(passed_over)
                log_priority = threshold - log(1.0 - random())
            else:
                log_priority = log_weight - log(1.0 - random())
            heapq.heapreplace(heap, (log_priority, values[i]))
            i += 1

    def values(self) -> Sequence[int]:
        """Return what is kept."""
        return [value for _, value in self._heap]

    def clear(self) -> None:
        """Keep nothing."""
        self._start = None
        self._heap = []


def _common_second(times: Sequence[int]) -> int | None:
    """Return the second in which all of ``times`` are, None if there are several."""
    second = min(times) // _NANOS_PER_SECOND
    return second if second == max(times) // _NANOS_PER_SECOND else None


class Histogram(Metric):
    """The distribution of ints: exact number, sum, extremes and deviation, and a sample of the values."""

    __slots__ = ("_sample", "_clock", "_pending", "_feed", "_lock", "_count", "_sum", "_sum_of_squares",
                 "_min", "_max")

    DEFAULT_SAMPLE_SIZE = 1028
    DEFAULT_ALPHA = 0.015

    def __init__(self, biased: bool, clock: Clock = time.monotonic_ns) -> None:
        """``biased`` is towards the last five minutes; without, the sample is of all times."""
        self._sample: Sample = (
            ExponentiallyDecayingSample(self.DEFAULT_SAMPLE_SIZE, self.DEFAULT_ALPHA) if biased
            else UniformSample(self.DEFAULT_SAMPLE_SIZE))
        self._clock = clock
        # Time and value. Anybody appends at the end; only the holder of the lock removes, at the front.
        self._pending: list[tuple[int, int]] = []
        self._feed: HistogramFeed[Any] | None = None
        # Guards what follows, and the sample.
        self._lock = threading.Lock()
        self._count = 0
        self._sum = 0
        self._sum_of_squares = 0
        self._min = self._max = 0

    def update(self, value: int) -> None:
        """Note ``value``."""
        pending = self._pending
        pending.append((self._clock(), value))
        if len(pending) >= _FOLD_AT and self._lock.acquire(blocking=False):
            try:
                self._fold()
            finally:
                self._lock.release()

    def count(self) -> int:
        """Return the number of values."""
        with self._folded():
            return self._count

    def max(self) -> float:
        """Return the largest value ever; 0 if there are none."""
        with self._folded():
            return float(self._max)

    def min(self) -> float:
        """Return the smallest value ever; 0 if there are none."""
        with self._folded():
            return float(self._min)

    def mean(self) -> float:
        """Return the average of all values; 0 if there are none."""
        with self._folded():
            return self._sum / self._count if self._count else 0.0

    def std_dev(self) -> float:
        """Return the standard deviation of all values, as of a sample; 0 if there are fewer than two."""
        with self._folded():
            n = self._count
            if n <= 1:
                return 0.0
            return math.sqrt((n * self._sum_of_squares - self._sum * self._sum) / (n * (n - 1)))

    def sum(self) -> float:
        """Return the sum of all values."""
        with self._folded():
            return float(self._sum)

    def get_snapshot(self) -> Snapshot:
        """Return the sample as it is now."""
        with self._folded():
            return Snapshot(self._sample.values())

    def clear(self) -> None:
        """Forget all values."""
        with self._folded():
            self._sample.clear()
            self._count = self._sum = self._sum_of_squares = self._min = self._max = 0

    def _folded(self) -> threading.Lock:
        """Return the lock, to be held by one who reads; all that was noted by now is taken in."""
        if self._feed is not None:
            self._feed.fold()
        with self._lock:
            self._fold()
        return self._lock

    def _fold(self) -> None:
        """Take in what is noted so far. The lock is held."""
        pending = self._pending
        count = len(pending)
        if not count:
            return
        noted = pending[:count]
        del pending[:count]
        times: tuple[int, ...]
        values: tuple[int, ...]
        times, values = zip(*noted)
        self._update_by_times(times, values, _common_second(times))

    def _update_by_times(self, times: Sequence[int], values: Sequence[int], second: int | None) -> None:
        """Take in values by the times at which they were noted. The lock is held.

        ``second`` is that of all times, None if there are several.
        """
        count = len(values)
        lowest, highest = min(values), max(values)
        if lowest == highest:
            self._sum += highest * count
            self._sum_of_squares += highest * highest * count
        else:
            self._sum += sum(values)
            self._sum_of_squares += sum(map(mul, values, values))
        if self._count:
            lowest, highest = min(lowest, self._min), max(highest, self._max)
        self._min, self._max = lowest, highest
        self._count += count
        if second is not None:
            self._sample.update(values, second)
        else:
            for second, of_second in groupby(
                    zip(times, values), lambda note: note[0] // _NANOS_PER_SECOND):
                self._sample.update([value for _, value in of_second], second)


class HistogramFeed(Generic[T]):
    """Notes one thing for several histograms, which make a value each of it when somebody looks.

    To note costs one append, and no computing; most of what a histogram is told nobody ever asks for.
    """

    # DEVIATION D101: the histograms of a request are updated together.

    __slots__ = ("_histograms", "_columns", "_clock", "_pending", "_lock")

    def __init__(self, histograms: Sequence[Histogram],
                 columns: Callable[[Sequence[T]], Iterable[Sequence[int]]],
                 clock: Clock = time.monotonic_ns) -> None:
        """``columns`` returns, for all that was noted, the values of each histogram in turn."""
        self._histograms = histograms
        self._columns = columns
        self._clock = clock
        # Time and what was noted. Anybody appends; only the holder of the lock removes, at the front.
        self._pending: list[tuple[int, T]] = []
        self._lock = threading.Lock()
        for histogram in histograms:
            histogram._feed = self

    def update(self, noted: T) -> None:
        """Note something."""
        pending = self._pending
        pending.append((self._clock(), noted))
        if len(pending) >= _FOLD_AT and self._lock.acquire(blocking=False):
            try:
                self._fold()
            finally:
                self._lock.release()

    def fold(self) -> None:
        """Let the histograms have all that was noted by now."""
        with self._lock:
            self._fold()

    def _fold(self) -> None:
        pending = self._pending
        count = len(pending)
        if not count:
            return
        times, rows = zip(*pending[:count])
        del pending[:count]
        second = _common_second(times)
        for histogram, values in zip(self._histograms, self._columns(rows), strict=True):
            with histogram._lock:
                histogram._update_by_times(times, values, second)


class Timer(Metric):
    """How long something takes, and how often it happens."""

    __slots__ = ("_duration_unit", "_rate_unit", "_meter", "_histogram", "_clock")

    def __init__(self, duration_unit: TimeUnit, rate_unit: TimeUnit,
                 clock: Clock = time.monotonic_ns) -> None:
        """Durations are given in ``duration_unit``, rates per ``rate_unit``."""
        self._histogram = Histogram(True, clock)
        self._duration_unit = duration_unit
        self._rate_unit = rate_unit
        self._meter = Meter("calls", rate_unit, clock)
        self._clock = clock

    def duration_unit(self) -> TimeUnit:
        """Return what durations are given in."""
        return self._duration_unit

    def rate_unit(self) -> TimeUnit:
        """Return what the rates are per."""
        return self._rate_unit

    def event_type(self) -> str:
        """Return "calls"."""
        return self._meter.event_type()

    def clear(self) -> None:
        """Forget all durations; the rates go on."""
        self._histogram.clear()

    def update(self, duration: int, unit: TimeUnit) -> None:
        """Note a duration, unless it is negative."""
        self._update(unit.to_nanos(duration))

    def time(self) -> TimerContext:
        """Begin to measure; the duration is noted when the context is stopped, or left."""
        return TimerContext(self)

    def count(self) -> int:
        """Return the number of durations."""
        return self._histogram.count()

    def fifteen_minute_rate(self) -> float:
        """Return the moving average of the rate over 15 minutes."""
        return self._meter.fifteen_minute_rate()

    def five_minute_rate(self) -> float:
        """Return the moving average of the rate over 5 minutes."""
        return self._meter.five_minute_rate()

    def mean_rate(self) -> float:
        """Return the average rate since the start."""
        return self._meter.mean_rate()

    def one_minute_rate(self) -> float:
        """Return the moving average of the rate over 1 minute."""
        return self._meter.one_minute_rate()

    def max(self) -> float:
        """Return the longest duration."""
        return self._histogram.max() / self._duration_unit.value

    def min(self) -> float:
        """Return the shortest duration."""
        return self._histogram.min() / self._duration_unit.value

    def mean(self) -> float:
        """Return the average duration."""
        return self._histogram.mean() / self._duration_unit.value

    def std_dev(self) -> float:
        """Return the standard deviation of the durations."""
        return self._histogram.std_dev() / self._duration_unit.value

    def sum(self) -> float:
        """Return the sum of the durations."""
        return self._histogram.sum() / self._duration_unit.value

    def get_snapshot(self) -> Snapshot:
        """Return the sample of durations as it is now."""
        unit = self._duration_unit.value
        return Snapshot(value / unit for value in self._histogram.get_snapshot().get_values())

    def _update(self, duration_ns: int) -> None:
        if duration_ns >= 0:
            self._histogram.update(duration_ns)
            self._meter.mark()


class TimerContext:
    """A measurement that is under way, for ``with`` or ``stop``."""

    __slots__ = ("_timer", "_start_time")

    def __init__(self, timer: Timer) -> None:
        """Made by ``Timer.time``."""
        self._timer = timer
        self._start_time = timer._clock()

    def stop(self) -> None:
        """Note the time since the start."""
        self._timer._update(self._timer._clock() - self._start_time)

    def __enter__(self) -> TimerContext:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.stop()


class MetricsRegistryListener(Protocol):
    """Hears of metrics that come and go, on the thread that adds or removes them, with no lock held."""

    def on_metric_added(self, name: MetricName, metric: Metric) -> None:
        """Hear of a metric that is new, or was there when the listener was added."""

    def on_metric_removed(self, name: MetricName) -> None:
        """Hear of a metric that is gone."""


class MetricsRegistry:
    """Metrics by name. Asking for one that is there returns it."""

    __slots__ = ("_clock", "_lock", "_metrics", "_listeners")

    def __init__(self, clock: Clock = time.monotonic_ns) -> None:
        """``clock`` is what the metrics run by."""
        self._clock = clock
        # Guards the two that follow for writing. The listeners are replaced, not changed.
        self._lock = threading.Lock()
        self._metrics: dict[MetricName, Metric] = {}
        self._listeners: tuple[MetricsRegistryListener, ...] = ()

    def new_gauge(self, metric_name: MetricName, metric: Gauge[T] | Callable[[], T]) -> Gauge[T]:
        """Return the gauge of this name; a function becomes one."""
        gauge: Gauge[T] = metric if isinstance(metric, Gauge) else Gauge(metric)
        return self._get_or_add(metric_name, gauge)

    def new_counter(self, metric_name: MetricName) -> Counter:
        """Return the counter of this name."""
        return self._get_or_add(metric_name, Counter())

    def new_histogram(self, metric_name: MetricName, biased: bool) -> Histogram:
        """Return the histogram of this name; ``biased`` is towards the last five minutes."""
        return self._get_or_add(metric_name, Histogram(biased, self._clock))

    def new_meter(self, metric_name: MetricName, event_type: str, unit: TimeUnit) -> Meter:
        """Return the meter of this name; the rates are per ``unit``."""
        return self._get_or_add(metric_name, Meter(event_type, unit, self._clock))

    def new_timer(self, metric_name: MetricName, duration_unit: TimeUnit, rate_unit: TimeUnit) -> Timer:
        """Return the timer of this name."""
        return self._get_or_add(metric_name, Timer(duration_unit, rate_unit, self._clock))

    def all_metrics(self) -> Mapping[MetricName, Metric]:
        """Return the metrics by name: a live view, which may be gone through while they change."""
        return ConcurrentMapView(self._metrics)

    def grouped_metrics(
        self, predicate: Callable[[MetricName, Metric], bool] = lambda _name, _metric: True,
    ) -> Mapping[str, Mapping[MetricName, Metric]]:
        """Return those that ``predicate`` lets pass by "group.type" or "group.type.scope", all in order."""
        groups: dict[str, dict[MetricName, Metric]] = {}
        for name, metric in sorted(self._metrics.copy().items(), key=lambda item: item[0]):
            if predicate(name, metric):
                group = f"{name.get_group()}.{name.get_type()}"
                if name.has_scope():
                    group += f".{name.get_scope()}"
                groups.setdefault(group, {})[name] = metric
        return MappingProxyType(dict(sorted(groups.items())))

    def remove_metric(self, metric_name: MetricName) -> None:
        """Remove a metric if it is there. Code that has it may go on using it."""
        with self._lock:
            metric = self._metrics.pop(metric_name, None)
        if metric is not None:
            for listener in self._listeners:
                listener.on_metric_removed(metric_name)

    def add_listener(self, listener: MetricsRegistryListener) -> None:
        """Tell ``listener`` of all metrics there are, and of every change from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
        for name, metric in self._metrics.copy().items():
            listener.on_metric_added(name, metric)

    def remove_listener(self, listener: MetricsRegistryListener) -> None:
        """Tell ``listener`` no more."""
        with self._lock:
            self._listeners = tuple(other for other in self._listeners if other is not listener)

    def _get_or_add(self, name: MetricName, metric: M) -> M:
        """Return the metric of this name. Raises TypeError if it is of another kind."""
        with self._lock:
            existing = self._metrics.setdefault(name, metric)
        if existing is metric:
            for listener in self._listeners:
                listener.on_metric_added(name, metric)
            return metric
        if not isinstance(existing, type(metric)):
            raise TypeError(f"{name} is a {type(existing).__name__}, not a {type(metric).__name__}")
        return existing
