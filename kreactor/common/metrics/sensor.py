# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Sensor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The object that records measured values.

Any thread may record, add statistics, or read. Two locks:

* the metric lock is held during a record into the statistics and during a read of a metric, so that no reader
  sees a partial record;
* the lock of the sensor, its monitor in Java, is held while statistics are added or removed. It is also held
  during a record with a quota check, which makes both atomic. An outside caller (``Metrics``, or code that
  needs an atomic check and record) takes this lock first.

A sensor notifies reporters with its own lock held, and a reporter reads metrics with the metric lock.
Therefore two locks exist. The lock order is sensor, ``Metrics``, a reporter's own lock, metric lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, nonmember
from typing import TYPE_CHECKING, cast, overload

from kreactor.common.metrics.compound_stat import CompoundStat
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.quota_violation_exception import QuotaViolationException
from kreactor.common.metrics.stats.token_bucket import TokenBucket
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.text import class_name
from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName
    from kreactor.common.metrics.measurable_stat import MeasurableStat
    from kreactor.common.metrics.metric_config import MetricConfig
    from kreactor.common.metrics.metrics import Metrics
    from kreactor.common.metrics.stat import Stat
    from kreactor.common.utils.time import Time


class Sensor:
    """Records values into its statistics and into its parents.

    Created by ``Metrics.sensor``. Compared by identity.

    :origin: common.metrics.Sensor
    """

    __slots__ = ("_registry", "_name", "_parents", "_stats", "_metrics", "_config", "_time",
                 "_last_record_time", "_inactive_sensor_expiration_time_ms", "_lock", "_metric_lock",
                 "_recording_level")

    class StatAndConfig:
        """A statistic and the source of its configuration, which every record reads.

        The source is the metric, whose configuration may be replaced. For a compound statistic it is this
        pair itself.

        :origin: common.metrics.Sensor.StatAndConfig
        """

        __slots__ = ("_stat", "_config_source", "_config")

        def __init__(self, stat: Stat, config: MetricConfig, metric: KafkaMetric | None = None) -> None:
            """``config`` is used only without ``metric``.

            :origin: common.metrics.Sensor.StatAndConfig#StatAndConfig(Stat, Supplier<MetricConfig>)
            """
            self._stat = stat
            self._config = config
            # :origin: common.metrics.Sensor.StatAndConfig#configSupplier
            self._config_source: KafkaMetric | Sensor.StatAndConfig = self if metric is None else metric

        def stat(self) -> Stat:
            """:origin: common.metrics.Sensor.StatAndConfig#stat()"""
            return self._stat

        def config(self) -> MetricConfig:
            """:origin: common.metrics.Sensor.StatAndConfig#config()"""
            return self._config_source._config

        def __str__(self) -> str:
            """:origin: common.metrics.Sensor.StatAndConfig#toString()"""
            return f"StatAndConfig(stat={self._stat})"

    class RecordingLevel(Enum):
        """The level of detail. Each level includes those above it. The value is the id.

        :origin: common.metrics.Sensor.RecordingLevel
        """

        INFO = 0
        DEBUG = 1
        TRACE = 2

        _MIN_RECORDING_LEVEL_KEY = nonmember(0)
        MAX_RECORDING_LEVEL_KEY = nonmember(2)

        def __init__(self, id: int) -> None:
            """:origin: common.metrics.Sensor.RecordingLevel#RecordingLevel(int, String)"""
            # A plain attribute, because ``value`` costs a descriptor call on each read.
            self.id = id

        @classmethod
        def for_id(cls, id: int) -> Sensor.RecordingLevel:
            """Return the level of an id. Raises IllegalArgumentException for an unknown id.

            :origin: common.metrics.Sensor.RecordingLevel#forId(int)
            """
            if id < cls._MIN_RECORDING_LEVEL_KEY or id > cls.MAX_RECORDING_LEVEL_KEY:
                raise IllegalArgumentException(
                    f"Unexpected RecordLevel id `{id}`, it should be between "
                    f"`{cls._MIN_RECORDING_LEVEL_KEY}` and `{cls.MAX_RECORDING_LEVEL_KEY}` (inclusive)")
            return cls(id)

        @classmethod
        def for_name(cls, name: str) -> Sensor.RecordingLevel:
            """Return the level named ``name``, ignoring case. Raises IllegalArgumentException.

            :origin: common.metrics.Sensor.RecordingLevel#forName(String)
            """
            level = cls.__members__.get(name.upper())
            if level is None:
                raise IllegalArgumentException(f"No enum constant {class_name(cls)}.{name.upper()}")
            return level

        def should_record(self, config_id: int) -> bool:
            """Return whether a sensor of this level records if the configuration has level ``config_id``.

            :origin: common.metrics.Sensor.RecordingLevel#shouldRecord(int)
            """
            if config_id == Sensor.RecordingLevel.INFO.id:
                return self.id == Sensor.RecordingLevel.INFO.id
            elif config_id == Sensor.RecordingLevel.DEBUG.id:
                return self.id == Sensor.RecordingLevel.INFO.id or self.id == Sensor.RecordingLevel.DEBUG.id
            elif config_id == Sensor.RecordingLevel.TRACE.id:
                return True
            else:
                raise IllegalStateException(f"Did not recognize recording level {config_id}")

    def __init__(self, registry: Metrics | None, name: str, parents: Sequence[Sensor] | None,
                 config: MetricConfig, time: Time, inactive_sensor_expiration_time_seconds: int,
                 recording_level: RecordingLevel) -> None:
        """Raises IllegalArgumentException if a sensor would record a value twice through its parents.

        :origin: common.metrics.Sensor#Sensor(Metrics, String, Sensor[], MetricConfig, Time, long, RecordingLevel)
        """  # noqa: E501
        # Never None for a sensor with statistics.
        self._registry = cast("Metrics", registry)
        self._name = name
        self._parents: tuple[Sensor, ...] = () if parents is None else tuple(parents)
        self._metric_lock = ReentrantLock()
        self._lock = ReentrantLock()
        # Writes to both hold ``_lock`` and replace the object. Therefore reads need no lock.
        self._metrics: dict[MetricName, KafkaMetric] = {}
        self._stats: tuple[Sensor.StatAndConfig, ...] = ()
        self._config = config
        self._time = time
        self._inactive_sensor_expiration_time_ms = TimeUnit.MILLISECONDS.convert(
            inactive_sensor_expiration_time_seconds, TimeUnit.SECONDS)
        self._last_record_time = time.milliseconds()
        self._recording_level = recording_level
        self._check_forest(set())

    def _check_forest(self, sensors: set[Sensor]) -> None:
        """Raises IllegalArgumentException for a sensor reachable on two paths, itself included.

        :origin: common.metrics.Sensor#checkForest(Set<Sensor>)
        """
        if self in sensors:
            raise IllegalArgumentException(
                f"Circular dependency in sensors: {self.name()} is its own parent.")
        sensors.add(self)
        for parent in self._parents:
            parent._check_forest(sensors)

    def name(self) -> str:
        """Return the name, which is unique in the registry.

        :origin: common.metrics.Sensor#name()
        """
        return self._name

    def parents(self) -> Sequence[Sensor]:
        """:origin: common.metrics.Sensor#parents()"""
        return self._parents

    def should_record(self) -> bool:
        """Return whether the sensor's level is recorded.

        :origin: common.metrics.Sensor#shouldRecord()
        """
        return self._recording_level.should_record(self._config.record_level().id)

    def record(self, value: float = 1.0, time_ms: int | None = None, check_quotas: bool = True) -> None:
        """Record ``value`` in all statistics and in the parents. The default of ``time_ms`` is now.

        With ``check_quotas``, raises QuotaViolationException if a metric then violates its quota. The sensor
        has recorded the value in this case, but its parents have not.

        :origin: common.metrics.Sensor#record()
        :origin: common.metrics.Sensor#record(double)
        :origin: common.metrics.Sensor#record(double, long)
        :origin: common.metrics.Sensor#record(double, long, boolean)
        """
        if self.should_record():
            time_ms = self._time.milliseconds() if time_ms is None else time_ms
            self._record_internal(value, time_ms, check_quotas)

    def _record_internal(self, value: float, time_ms: int, check_quotas: bool) -> None:
        """Record and check under one lock, so that each thread's check includes its own value.

        :origin: common.metrics.Sensor#recordInternal(double, long, boolean)
        """
        self._last_record_time = time_ms
        with self._lock:
            with self._metric_lock:
                for stat_and_config in self._stats:
                    stat_and_config._stat.record(stat_and_config.config(), value, time_ms)
            if check_quotas:
                self.check_quotas(time_ms)
        for parent in self._parents:
            parent.record(value, time_ms, check_quotas)

    def check_quotas(self, time_ms: int | None = None) -> None:
        """Raises QuotaViolationException for the first metric that violates its quota at ``time_ms`` or now.

        :origin: common.metrics.Sensor#checkQuotas()
        :origin: common.metrics.Sensor#checkQuotas(long)
        """
        if time_ms is None:
            time_ms = self._time.milliseconds()
        for metric in self._metrics.values():
            config = metric._config
            if config is not None:
                quota = config._quota
                if quota is not None:
                    value = metric.measurable_value(time_ms)
                    if isinstance(metric.measurable(), TokenBucket):
                        if value < 0:
                            raise QuotaViolationException(metric, value, quota.bound())
                    else:
                        if not quota.acceptable(value):
                            raise QuotaViolationException(metric, value, quota.bound())

    @overload
    def add(self, stat: CompoundStat, /, *, config: MetricConfig | None = None) -> bool: ...

    @overload
    def add(self, stat: CompoundStat, stat_config: MetricConfig | None, /) -> bool: ...

    @overload
    def add(self, metric_name: MetricName, stat: MeasurableStat, /,
            config: MetricConfig | None = None) -> bool: ...

    def add(self, metric_name_or_stat: MetricName | CompoundStat,
            stat_or_config: MeasurableStat | MetricConfig | None = None,
            config: MetricConfig | None = None) -> bool:
        """Add a statistic. A compound statistic brings its own metric names.

        The default of ``config`` is the sensor's. Returns False and adds nothing for an expired sensor.
        Returns True if the statistic was added, or if the sensor already has a metric with this name. Raises
        IllegalArgumentException if the name is registered otherwise.

        :origin: common.metrics.Sensor#add(CompoundStat)
        :origin: common.metrics.Sensor#add(CompoundStat, MetricConfig)
        :origin: common.metrics.Sensor#add(MetricName, MeasurableStat)
        :origin: common.metrics.Sensor#add(MetricName, MeasurableStat, MetricConfig)
        """
        with self._lock:
            if isinstance(metric_name_or_stat, CompoundStat):
                return self._add_compound(
                    metric_name_or_stat, config or cast("MetricConfig | None", stat_or_config))
            return self._add_measurable(metric_name_or_stat, cast("MeasurableStat", stat_or_config), config)

    def _add_compound(self, stat: CompoundStat, config: MetricConfig | None) -> bool:
        if self.has_expired():
            return False

        stat_config = self._config if config is None else config
        self._stats = (*self._stats, Sensor.StatAndConfig(stat, stat_config))
        lock = self._metric_lock
        for m in stat.stats():
            metric = KafkaMetric(lock, m.name(), m.stat(), stat_config, self._time)
            if metric.metric_name() not in self._metrics:
                existing_metric = self._registry.register_metric(metric)
                if existing_metric is not None:
                    raise IllegalArgumentException(
                        f"A metric named '{metric.metric_name()}' already exists, "
                        f"can't register another one.")
                self._metrics = {**self._metrics, metric.metric_name(): metric}
        return True

    def _add_measurable(self, metric_name: MetricName, stat: MeasurableStat,
                        config: MetricConfig | None) -> bool:
        if self.has_expired():
            return False
        elif metric_name in self._metrics:
            return True
        else:
            stat_config = self._config if config is None else config
            metric = KafkaMetric(self._metric_lock, metric_name, stat, stat_config, self._time)
            existing_metric = self._registry.register_metric(metric)
            if existing_metric is not None:
                raise IllegalArgumentException(
                    f"A metric named '{metric_name}' already exists, can't register another one.")
            self._metrics = {**self._metrics, metric.metric_name(): metric}
            self._stats = (*self._stats, Sensor.StatAndConfig(stat, stat_config, metric))
            return True

    def has_metrics(self) -> bool:
        """Return whether the sensor has a metric.

        :origin: common.metrics.Sensor#hasMetrics()
        """
        return bool(self._metrics)

    def has_expired(self) -> bool:
        """Return whether the time since the last record exceeds the expiration time.

        :origin: common.metrics.Sensor#hasExpired()
        """
        return (self._time.milliseconds() - self._last_record_time) > self._inactive_sensor_expiration_time_ms

    def metrics(self) -> Sequence[KafkaMetric]:
        """Return the sensor's metrics in the order of their addition.

        :origin: common.metrics.Sensor#metrics()
        """
        return tuple(self._metrics.values())
