# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The part of the library Yammer Metrics 2.2.0 that Kafka's server uses, newly written. Not a port.

Names, defaults and arithmetic are the library's. The cost of a record differs. A request updates a dozen
meters and histograms. So recording only stores the value with its time. The computing follows when a metric
is read, or when enough values are pending:

* A meter has no thread that ticks. When its pending marks are counted, it first makes the ticks that were
  due, one every five seconds of its clock. Each mark counts for the interval in which it was made.
* A histogram puts pending values into its reservoir, grouped by the second of their recording. The reservoir
  takes each value of one second with the same probability. So one random number tells how many values it
  skips, and skipped values cost nothing.
* The reservoir stores the logarithms of its priorities, which do not overflow. So there is no hourly
  rescaling.

For use by any thread. Recording takes no lock: it appends to a list, in one operation. Only the holder of the
lock removes values from the front, and only those that it has seen. A thread that finds the list long and the
lock taken continues. The clock returns nanoseconds from an arbitrary moment.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import mul
from types import MappingProxyType, TracebackType
from typing import Callable, Generic, Protocol, TypeVar

from kreactor.jdk.clock import NANO_CLOCK, NanoClock
from kreactor.jdk.concurrent_map import ConcurrentMapView
from kreactor.jdk.doubles import divide
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.locks import Lock
from kreactor.jdk.object_name import quote
from kreactor.jdk.random_numbers import RANDOM, Random
from kreactor.jdk.time_unit import TimeUnit

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound="Metric")

_NANOS_PER_SECOND = 1_000_000_000

# With this number of pending values, the thread that records the next value processes all. That takes some 20
# us.
_MAX_PENDING = 256


class MetricName:
    """The name of a metric. Immutable; compared and ordered by the MBean's name."""

    __slots__ = ("_group", "_type", "_name", "_scope", "_mbean_name")

    def __init__(self, group: str, type: str, name: str, scope: str | None = None,
                 mbean_name: str | None = None) -> None:
        """Without ``mbean_name``, it is composed of the other parts, each in quotes."""
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
        """Return the tags as one text, or None."""
        return self._scope

    def has_scope(self) -> bool:
        """Return whether there are tags."""
        return self._scope is not None

    def get_mbean_name(self) -> str:
        """Return the whole name as one text."""
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
    """A value that a function returns."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[], T_co]) -> None:
        """``function`` is called by each reader, on any thread."""
        self._function = function

    def value(self) -> T_co:
        """Return the current value."""
        return self._function()


class Counter(Metric):
    """An int that increases and decreases."""

    __slots__ = ("_lock", "_count")

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0

    def inc(self, n: int = 1) -> None:
        """Add ``n``."""
        with self._lock:
            self._count += n

    def dec(self, n: int = 1) -> None:
        """Subtract ``n``."""
        with self._lock:
            self._count -= n

    def count(self) -> int:
        """Return the count."""
        return self._count

    def clear(self) -> None:
        """Set the count to 0."""
        with self._lock:
            self._count = 0


class Meter(Metric):
    """The rate of an event: the total count, the overall average, and moving averages.

    The three moving averages are computed from the counts of five-second intervals, up to the last complete
    one. So they are 0 for the first five seconds, and do not change between ticks.
    """

    __slots__ = ("_event_type", "_rate_unit", "_clock", "_start_time", "_pending", "_lock", "_count",
                 "_uncounted", "_next_tick", "_initialized", "_m1_rate", "_m5_rate", "_m15_rate")

    INTERVAL_NS = 5 * _NANOS_PER_SECOND
    # The weight of an interval in the average over 1, 5 and 15 minutes.
    M1_ALPHA = 1 - math.exp(-5 / 60.0)
    M5_ALPHA = 1 - math.exp(-5 / 60.0 / 5)
    M15_ALPHA = 1 - math.exp(-5 / 60.0 / 15)

    def __init__(self, event_type: str, rate_unit: TimeUnit, clock: NanoClock = NANO_CLOCK) -> None:
        """``event_type`` is the plural noun of the events; the rates are per ``rate_unit``."""
        self._event_type = event_type
        self._rate_unit = rate_unit
        self._clock = clock
        self._start_time = clock.nanoseconds()
        # Pairs of time and number. Any thread appends at the end; only the holder of the lock removes from
        # the front.
        self._pending: list[tuple[int, int]] = []
        # Guards the attributes below.
        self._lock = Lock()
        self._count = 0
        self._uncounted = 0
        self._next_tick = self._start_time + self.INTERVAL_NS
        self._initialized = False
        # Per nanosecond.
        self._m1_rate = self._m5_rate = self._m15_rate = 0.0

    def rate_unit(self) -> TimeUnit:
        """Return the time unit of the rates."""
        return self._rate_unit

    def event_type(self) -> str:
        """Return the noun of the events."""
        return self._event_type

    def mark(self, n: int = 1) -> None:
        """Record ``n`` events."""
        pending = self._pending
        pending.append((self._clock.nanoseconds(), n))
        if len(pending) >= _MAX_PENDING and self._lock.acquire(blocking=False):
            try:
                self._count_pending()
            finally:
                self._lock.release()

    def count(self) -> int:
        """Return the number of events since the start."""
        with self._lock:
            self._count_pending()
            return self._count

    def fifteen_minute_rate(self) -> float:
        """Return the moving average over 15 minutes."""
        with self._lock:
            self._count_pending()
            self._tick(self._clock.nanoseconds())
            return self._m15_rate * self._rate_unit.value

    def five_minute_rate(self) -> float:
        """Return the moving average over 5 minutes."""
        with self._lock:
            self._count_pending()
            self._tick(self._clock.nanoseconds())
            return self._m5_rate * self._rate_unit.value

    def mean_rate(self) -> float:
        """Return the average since the start."""
        count = self.count()
        if count == 0:
            return 0.0
        return divide(count, self._clock.nanoseconds() - self._start_time) * self._rate_unit.value

    def one_minute_rate(self) -> float:
        """Return the moving average over 1 minute."""
        with self._lock:
            self._count_pending()
            self._tick(self._clock.nanoseconds())
            return self._m1_rate * self._rate_unit.value

    def _count_pending(self) -> None:
        """Count the pending events. Called with the lock held."""
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
        """Make the ticks that are due. The first gets all counted events; the others get none."""
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
        """``values`` may be in any order."""
        self._values = sorted(map(float, values))

    def get_value(self, quantile: float) -> float:
        """Return the value at ``quantile``, interpolated between two values; 0 if there are none.

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
    """A reservoir. Its histogram's lock is held during each call."""

    def update(self, values: Sequence[int], second: int) -> None:
        """Add values that were recorded in the same second."""

    def values(self) -> Sequence[int]:
        """Return the sampled values."""

    def clear(self) -> None:
        """Remove all values."""


class UniformSample:
    """A reservoir that holds every value with the same probability (Vitter's algorithm R)."""

    __slots__ = ("_reservoir_size", "_random", "_count", "_values")

    def __init__(self, reservoir_size: int, random: Random = RANDOM) -> None:
        self._reservoir_size = reservoir_size
        self._random = random
        self._count = 0
        self._values: list[int] = []

    def update(self, values: Sequence[int], second: int) -> None:
        """Add values; the time is ignored."""
        size, kept, count, random = self._reservoir_size, self._values, self._count, self._random.random
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
        """Return the sampled values."""
        return self._values

    def clear(self) -> None:
        """Remove all values."""
        self._count = 0
        self._values = []


class ExponentiallyDecayingSample:
    """A reservoir that holds younger values with a higher probability (Cormode and others, 2009).

    A value of second t has the weight e^(alpha * t). Its priority is that weight divided by a random number
    between 0 and 1. A heap holds the values of the highest priorities. If p is the lowest priority in the
    heap, a value of weight w enters it with probability w/p. Its priority is then p divided by a random
    number.
    """

    __slots__ = ("_reservoir_size", "_alpha", "_random", "_start", "_heap")

    def __init__(self, reservoir_size: int, alpha: float,
                 random: Random = RANDOM) -> None:
        """With an ``alpha`` of 0.015, a value's weight halves in 46 seconds."""
        self._reservoir_size = reservoir_size
        self._alpha = alpha
        self._random = random
        # Any second would do; the first one keeps the numbers small.
        self._start: int | None = None
        # Pairs of the priority's logarithm and the value.
        self._heap: list[tuple[float, int]] = []

    def update(self, values: Sequence[int], second: int) -> None:
        """Add values that were recorded in the same second. Seconds may come in any order."""
        if self._start is None:
            self._start = second
        log_weight = self._alpha * (second - self._start)
        heap, random, log = self._heap, self._random.random, math.log
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
                # The number of values that are skipped before the next one enters.
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
        """Return the sampled values."""
        return [value for _, value in self._heap]

    def clear(self) -> None:
        """Remove all values."""
        self._start = None
        self._heap = []


def _common_second(times: Sequence[int]) -> int | None:
    """Return the common second of ``times``, None if they are in several seconds."""
    second = min(times) // _NANOS_PER_SECOND
    return second if second == max(times) // _NANOS_PER_SECOND else None


class Histogram(Metric):
    """The distribution of ints: exact count, sum, minimum, maximum and deviation, and a sample of the
    values."""

    __slots__ = ("_sample", "_clock", "_pending", "_lock", "_count", "_sum", "_sum_of_squares",
                 "_min", "_max")

    DEFAULT_SAMPLE_SIZE = 1028
    DEFAULT_ALPHA = 0.015

    def __init__(self, biased: bool, clock: NanoClock = NANO_CLOCK) -> None:
        """With ``biased``, the sample is of the last five minutes, else of all times."""
        self._sample: Sample = (
            ExponentiallyDecayingSample(self.DEFAULT_SAMPLE_SIZE, self.DEFAULT_ALPHA) if biased
            else UniformSample(self.DEFAULT_SAMPLE_SIZE))
        self._clock = clock
        # Pairs of time and value. Any thread appends at the end; only the holder of the lock removes from the
        # front.
        self._pending: list[tuple[int, int]] = []
        # Guards the attributes below, and the sample.
        self._lock = Lock()
        self._count = 0
        self._sum = 0
        self._sum_of_squares = 0
        self._min = self._max = 0

    def update(self, value: int) -> None:
        """Record ``value``."""
        pending = self._pending
        pending.append((self._clock.nanoseconds(), value))
        if len(pending) >= _MAX_PENDING and self._lock.acquire(blocking=False):
            try:
                self._record_pending()
            finally:
                self._lock.release()

    def count(self) -> int:
        """Return the number of values."""
        with self._lock_up_to_date():
            return self._count

    def max(self) -> float:
        """Return the largest value ever; 0 if there are none."""
        with self._lock_up_to_date():
            return float(self._max)

    def min(self) -> float:
        """Return the smallest value ever; 0 if there are none."""
        with self._lock_up_to_date():
            return float(self._min)

    def mean(self) -> float:
        """Return the average of all values; 0 if there are none."""
        with self._lock_up_to_date():
            return self._sum / self._count if self._count else 0.0

    def std_dev(self) -> float:
        """Return the standard deviation of a sample of all values; 0 if there are fewer than two."""
        with self._lock_up_to_date():
            n = self._count
            if n <= 1:
                return 0.0
            return math.sqrt((n * self._sum_of_squares - self._sum * self._sum) / (n * (n - 1)))

    def sum(self) -> float:
        """Return the sum of all values."""
        with self._lock_up_to_date():
            return float(self._sum)

    def get_snapshot(self) -> Snapshot:
        """Return a snapshot of the sample."""
        with self._lock_up_to_date():
            return Snapshot(self._sample.values())

    def clear(self) -> None:
        """Remove all values."""
        with self._lock_up_to_date():
            self._sample.clear()
            self._count = self._sum = self._sum_of_squares = self._min = self._max = 0

    def _lock_up_to_date(self) -> Lock:
        """Process all pending values; return the lock, which a reader holds."""
        with self._lock:
            self._record_pending()
        return self._lock

    def _record_pending(self) -> None:
        """Process the pending values. Called with the lock held."""
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
        """Process values with the times of their recording. Called with the lock held.

        ``second`` is the common second of all times, None if they are in several seconds.
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


class Timer(Metric):
    """The durations of an operation, and its rate."""

    __slots__ = ("_duration_unit", "_rate_unit", "_meter", "_histogram", "_clock")

    def __init__(self, duration_unit: TimeUnit, rate_unit: TimeUnit,
                 clock: NanoClock = NANO_CLOCK) -> None:
        """Durations are in ``duration_unit``, rates per ``rate_unit``."""
        self._histogram = Histogram(True, clock)
        self._duration_unit = duration_unit
        self._rate_unit = rate_unit
        self._meter = Meter("calls", rate_unit, clock)
        self._clock = clock

    def duration_unit(self) -> TimeUnit:
        """Return the unit of durations."""
        return self._duration_unit

    def rate_unit(self) -> TimeUnit:
        """Return the time unit of the rates."""
        return self._rate_unit

    def event_type(self) -> str:
        """Return "calls"."""
        return self._meter.event_type()

    def clear(self) -> None:
        """Remove all durations; the rates stay."""
        self._histogram.clear()

    def update(self, duration: int, unit: TimeUnit) -> None:
        """Record a duration, unless it is negative."""
        self._update(unit.to_nanos(duration))

    def time(self) -> TimerContext:
        """Begin a measurement; the duration is recorded when the context is stopped or left."""
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
        """Return a snapshot of the sample of durations."""
        unit = self._duration_unit.value
        return Snapshot(value / unit for value in self._histogram.get_snapshot().get_values())

    def _update(self, duration_ns: int) -> None:
        if duration_ns >= 0:
            self._histogram.update(duration_ns)
            self._meter.mark()


class TimerContext:
    """A running measurement, for ``with`` or ``stop``."""

    __slots__ = ("_timer", "_start_time")

    def __init__(self, timer: Timer) -> None:
        """Made by ``Timer.time``."""
        self._timer = timer
        self._start_time = timer._clock.nanoseconds()

    def stop(self) -> None:
        """Record the time since the start."""
        self._timer._update(self._timer._clock.nanoseconds() - self._start_time)

    def __enter__(self) -> TimerContext:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.stop()


class MetricsRegistryListener(Protocol):
    """Is notified of added and removed metrics, on the thread that changes them, without a lock."""

    def on_metric_added(self, name: MetricName, metric: Metric) -> None:
        """Called for a new metric, and for each existing one when the listener is added."""

    def on_metric_removed(self, name: MetricName) -> None:
        """Called for a removed metric."""


class MetricsRegistry:
    """Metrics by name. A method that makes a metric returns an existing one of that name."""

    __slots__ = ("_clock", "_lock", "_metrics", "_listeners")

    def __init__(self, clock: NanoClock = NANO_CLOCK) -> None:
        """``clock`` is the clock of the metrics."""
        self._clock = clock
        # Guards the writing of the next two attributes. The listeners are replaced, not changed.
        self._lock = Lock()
        self._metrics: dict[MetricName, Metric] = {}
        self._listeners: tuple[MetricsRegistryListener, ...] = ()

    def new_gauge(self, metric_name: MetricName, metric: Gauge[T] | Callable[[], T]) -> Gauge[T]:
        """Return the gauge of this name; a function is wrapped into a gauge."""
        gauge: Gauge[T] = metric if isinstance(metric, Gauge) else Gauge(metric)
        return self._get_or_add(metric_name, gauge)

    def new_counter(self, metric_name: MetricName) -> Counter:
        """Return the counter of this name."""
        return self._get_or_add(metric_name, Counter())

    def new_histogram(self, metric_name: MetricName, biased: bool) -> Histogram:
        """Return the histogram of this name, of the last five minutes if ``biased``."""
        return self._get_or_add(metric_name, Histogram(biased, self._clock))

    def new_meter(self, metric_name: MetricName, event_type: str, unit: TimeUnit) -> Meter:
        """Return the meter of this name; the rates are per ``unit``."""
        return self._get_or_add(metric_name, Meter(event_type, unit, self._clock))

    def new_timer(self, metric_name: MetricName, duration_unit: TimeUnit, rate_unit: TimeUnit) -> Timer:
        """Return the timer of this name."""
        return self._get_or_add(metric_name, Timer(duration_unit, rate_unit, self._clock))

    def all_metrics(self) -> Mapping[MetricName, Metric]:
        """Return a live view of the metrics by name. It may change while a caller iterates over it."""
        return ConcurrentMapView(self._metrics)

    def grouped_metrics(
        self, predicate: Callable[[MetricName, Metric], bool] = lambda _name, _metric: True,
    ) -> Mapping[str, Mapping[MetricName, Metric]]:
        """Return the metrics that match ``predicate``, by "group.type" or "group.type.scope", in order."""
        groups: dict[str, dict[MetricName, Metric]] = {}
        for name, metric in sorted(self._metrics.copy().items(), key=lambda item: item[0]):
            if predicate(name, metric):
                group = f"{name.get_group()}.{name.get_type()}"
                if name.has_scope():
                    group += f".{name.get_scope()}"
                groups.setdefault(group, {})[name] = metric
        return MappingProxyType(dict(sorted(groups.items())))

    def remove_metric(self, metric_name: MetricName) -> None:
        """Remove a metric, if it exists. A holder of the metric may still use it."""
        with self._lock:
            metric = self._metrics.pop(metric_name, None)
        if metric is not None:
            for listener in self._listeners:
                listener.on_metric_removed(metric_name)

    def add_listener(self, listener: MetricsRegistryListener) -> None:
        """Notify ``listener`` of all existing metrics, and of every change from now on."""
        with self._lock:
            self._listeners = (*self._listeners, listener)
        for name, metric in self._metrics.copy().items():
            listener.on_metric_added(name, metric)

    def remove_listener(self, listener: MetricsRegistryListener) -> None:
        """Stop notifying ``listener``."""
        with self._lock:
            self._listeners = tuple(other for other in self._listeners if other is not listener)

    def _get_or_add(self, name: MetricName, metric: M) -> M:
        """Return the metric of this name. Raises TypeError if it has another type."""
        with self._lock:
            existing = self._metrics.setdefault(name, metric)
        if existing is metric:
            for listener in self._listeners:
                listener.on_metric_added(name, metric)
            return metric
        if not isinstance(existing, type(metric)):
            raise TypeError(f"{name} is a {type(existing).__name__}, not a {type(metric).__name__}")
        return existing
