# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.Metrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The registry of sensors and metrics of one component.

Used by any thread. One lock, the monitor in Java, keeps the three maps consistent, and is held while
reporters are called. A lookup needs no lock, because it is one operation on a dict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType, TracebackType

from kreactor.common.metric_name import MetricName
from kreactor.common.metric_name_template import MetricNameTemplate
from kreactor.common.metrics.internals.metrics_utils import MetricsUtils
from kreactor.common.metrics.kafka_metric import KafkaMetric
from kreactor.common.metrics.kafka_metrics_context import KafkaMetricsContext
from kreactor.common.metrics.measurable import Measurable, MeasurableFunction
from kreactor.common.metrics.metric_config import MetricConfig
from kreactor.common.metrics.metric_value_provider import MetricValueProvider
from kreactor.common.metrics.metrics_context import MetricsContext
from kreactor.common.metrics.metrics_reporter import MetricsReporter
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.concurrent_map import ConcurrentMapView
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.executors import ScheduledThreadPoolExecutor
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.text import class_name, java_text

log = LogContext().logger(f"{__name__}.Metrics")

_LONG_MAX_VALUE = 2**63 - 1


class Metrics:
    """Sensors by name, metrics by metric name, and the reporters. Not every metric has a sensor.

    :origin: common.metrics.Metrics
    """

    __slots__ = ("_config", "_lock", "_metrics", "_metrics_view", "_sensors", "_children_sensors",
                 "_reporters", "_time", "_metrics_scheduler")

    def __init__(self, config: MetricConfig | None = None, reporters: list[MetricsReporter] | None = None,
                 time: Time = Time.SYSTEM, enable_expiration: bool = False,
                 metrics_context: MetricsContext | None = None) -> None:
        """``config`` is the default of all metrics. ``reporters`` is not copied.

        With ``enable_expiration`` a thread removes expired sensors twice a minute.

        :origin: common.metrics.Metrics#Metrics()
        :origin: common.metrics.Metrics#Metrics(Time)
        :origin: common.metrics.Metrics#Metrics(MetricConfig, Time)
        :origin: common.metrics.Metrics#Metrics(MetricConfig)
        :origin: common.metrics.Metrics#Metrics(MetricConfig, List<MetricsReporter>, Time)
        :origin: common.metrics.Metrics#Metrics(MetricConfig, List<MetricsReporter>, Time, MetricsContext)
        :origin: common.metrics.Metrics#Metrics(MetricConfig, List<MetricsReporter>, Time, boolean)
        :origin: common.metrics.Metrics#Metrics(MetricConfig, List<MetricsReporter>, Time, boolean, MetricsContext)
        """  # noqa: E501
        self._config = MetricConfig() if config is None else config
        self._lock = ReentrantLock()
        self._sensors: dict[str, Sensor] = {}
        self._metrics: dict[MetricName, KafkaMetric] = {}
        self._metrics_view = ConcurrentMapView(self._metrics)
        # Children by parent. A sensor that never had children is not a key.
        self._children_sensors: dict[Sensor, list[Sensor]] = {}
        self._reporters = [] if reporters is None else reporters
        self._time = time
        context = KafkaMetricsContext("") if metrics_context is None else metrics_context
        for reporter in self._reporters:
            reporter.context_change(context)
            reporter.init([])

        # The scheduler and its thread exist only with ``enable_expiration``.
        self._metrics_scheduler: ScheduledThreadPoolExecutor | None = None
        if enable_expiration:
            self._metrics_scheduler = ScheduledThreadPoolExecutor(
                1, lambda runnable: KafkaThread.daemon_thread("SensorExpiryThread", runnable))
            self._metrics_scheduler.schedule_at_fixed_rate(self.ExpireSensorTask(self).run, 30_000, 30_000)

        metrics = self._metrics
        self.add_metric(self.metric_name("count", "kafka-metrics-count", "The number of registered metrics"),
                        lambda _config, _now: len(metrics))

    def metric_name(self, name: str, group: str, description: str = "",
                    tags: Mapping[str, str] | None = None) -> MetricName:
        """Return a metric name with the registry's tags, overridden by ``tags``.

        :origin: common.metrics.Metrics#metricName(String, String, String, Map<String,String>)
        :origin: common.metrics.Metrics#metricName(String, String, String)
        :origin: common.metrics.Metrics#metricName(String, String)
        :origin: common.metrics.Metrics#metricName(String, String, Map<String,String>)
        """
        combined_tag = {**self._config.tags(), **(tags or {})}
        return MetricName(name, group, description, combined_tag)

    def metric_name_key_value(self, name: str, group: str, description: str, *key_value: str) -> MetricName:
        """As ``metric_name``, with alternating keys and values of tags. Raises IllegalArgumentException.

        :origin: common.metrics.Metrics#metricName(String, String, String, String...)
        """
        return self.metric_name(name, group, description, MetricsUtils.get_tags(*key_value))

    def config(self) -> MetricConfig:
        """Return the default configuration of metrics.

        :origin: common.metrics.Metrics#config()
        """
        return self._config

    def get_sensor(self, name: str) -> Sensor | None:
        """Return the sensor named ``name``, or None.

        :origin: common.metrics.Metrics#getSensor(String)
        """
        return self._sensors.get(name)

    def sensor(self, name: str, *parents: Sensor, config: MetricConfig | None = None,
               inactive_sensor_expiration_time_seconds: int = _LONG_MAX_VALUE,
               recording_level: Sensor.RecordingLevel = Sensor.RecordingLevel.INFO) -> Sensor:
        """Return the sensor named ``name``. Creates a missing sensor with the given arguments.

        ``parents`` also record every value of the sensor. ``config`` is the default of its metrics. A sensor
        without records for ``inactive_sensor_expiration_time_seconds`` may be removed. Raises
        IllegalArgumentException if a sensor would record a value twice.

        :origin: common.metrics.Metrics#sensor(String)
        :origin: common.metrics.Metrics#sensor(String, RecordingLevel)
        :origin: common.metrics.Metrics#sensor(String, Sensor...)
        :origin: common.metrics.Metrics#sensor(String, RecordingLevel, Sensor...)
        :origin: common.metrics.Metrics#sensor(String, MetricConfig, Sensor...)
        :origin: common.metrics.Metrics#sensor(String, MetricConfig, RecordingLevel, Sensor...)
        :origin: common.metrics.Metrics#sensor(String, MetricConfig, long, RecordingLevel, Sensor...)
        :origin: common.metrics.Metrics#sensor(String, MetricConfig, long, Sensor...)
        """
        with self._lock:
            s = self.get_sensor(name)
            if s is None:
                s = Sensor(self, name, parents, self._config if config is None else config, self._time,
                           inactive_sensor_expiration_time_seconds, recording_level)
                self._sensors[name] = s
                for parent in parents:
                    self._children_sensors.setdefault(parent, []).append(s)
                log.trace("added sensor %s", name)
            return s

    def remove_sensor(self, name: str) -> None:
        """Remove a sensor with its metrics and its children. Ignores a missing one.

        :origin: common.metrics.Metrics#removeSensor(String)
        """
        sensor = self._sensors.get(name)
        if sensor is not None:
            child_sensors: list[Sensor] | None = None
            with sensor._lock:
                with self._lock:
                    if self._sensors.get(name) is sensor:
                        del self._sensors[name]
                        for metric in sensor.metrics():
                            self.remove_metric(metric.metric_name())
                        log.trace("removed sensor %s", name)
                        child_sensors = self._children_sensors.pop(sensor, None)
                        for parent in sensor.parents():
                            siblings = self._children_sensors.get(parent)
                            if siblings is not None and sensor in siblings:
                                siblings.remove(sensor)
            if child_sensors is not None:
                for child_sensor in child_sensors:
                    self.remove_sensor(child_sensor.name())

    def add_metric(self, metric_name: MetricName,
                   metric_value_provider: MetricValueProvider[object] | MeasurableFunction,
                   config: MetricConfig | None = None) -> None:
        """Register a metric without a sensor. A function counts as a Measurable.

        The provider must be thread-safe. Raises IllegalArgumentException for a registered name.

        :origin: common.metrics.Metrics#addMetric(MetricName, Measurable)
        :origin: common.metrics.Metrics#addMetric(MetricName, MetricConfig, Measurable)
        :origin: common.metrics.Metrics#addMetric(MetricName, MetricConfig, MetricValueProvider<?>)
        :origin: common.metrics.Metrics#addMetric(MetricName, MetricValueProvider<?>)
        """
        if not isinstance(metric_value_provider, MetricValueProvider):
            metric_value_provider = Measurable.of(metric_value_provider)
        m = KafkaMetric(ReentrantLock(), metric_name, metric_value_provider,
                        self._config if config is None else config, self._time)
        existing_metric = self.register_metric(m)
        if existing_metric is not None:
            raise IllegalArgumentException(
                f"A metric named '{metric_name}' already exists, can't register another one.")

    def add_metric_if_absent(self, metric_name: MetricName, config: MetricConfig | None,
                             metric_value_provider: MetricValueProvider[object]) -> KafkaMetric:
        """Return the metric named ``metric_name``. Registers a missing metric without a sensor.

        :origin: common.metrics.Metrics#addMetricIfAbsent(MetricName, MetricConfig, MetricValueProvider<?>)
        """
        metric = KafkaMetric(ReentrantLock(), metric_name, metric_value_provider,
                             self._config if config is None else config, self._time)

        existing_metric = self.register_metric(metric)
        return metric if existing_metric is None else existing_metric

    def remove_metric(self, metric_name: MetricName) -> KafkaMetric | None:
        """Remove a metric and notify the reporters. Return the metric, or None if missing.

        :origin: common.metrics.Metrics#removeMetric(MetricName)
        """
        with self._lock:
            metric = self._metrics.pop(metric_name, None)
            if metric is not None:
                for reporter in self._reporters:
                    try:
                        reporter.metric_removal(metric)
                    except Exception as e:
                        log.error("%s could not remove a metric", class_name(type(reporter)), exc=e)
                log.trace("removed metric %s", metric_name)
            return metric

    def add_reporter(self, reporter: MetricsReporter) -> None:
        """Report all metrics to ``reporter``, and every later change.

        :origin: common.metrics.Metrics#addReporter(MetricsReporter)
        """
        with self._lock:
            reporter.init(list(self._metrics.values()))
            self._reporters.append(reporter)

    def remove_reporter(self, reporter: MetricsReporter) -> None:
        """Remove and close ``reporter``, if it is a reporter of this registry.

        :origin: common.metrics.Metrics#removeReporter(MetricsReporter)
        """
        with self._lock:
            if reporter in self._reporters:
                self._reporters.remove(reporter)
                reporter.close()

    def register_metric(self, metric: KafkaMetric) -> KafkaMetric | None:
        """Register ``metric`` and notify the reporters. If its name is registered, only return that metric.

        :origin: common.metrics.Metrics#registerMetric(KafkaMetric)
        """
        with self._lock:
            metric_name = metric.metric_name()
            existing_metric = self._metrics.get(metric_name)
            if existing_metric is not None:
                return existing_metric
            self._metrics[metric_name] = metric
            for reporter in self._reporters:
                try:
                    reporter.metric_change(metric)
                except Exception as e:
                    log.error("%s could not add a metric", class_name(type(reporter)), exc=e)
            log.trace("registered metric %s", metric_name)
            return None

    def metrics(self) -> Mapping[MetricName, KafkaMetric]:
        """Return a live view of the metrics by name. It can be iterated while metrics change.

        :origin: common.metrics.Metrics#metrics()
        """
        return self._metrics_view

    def reporters(self) -> Sequence[MetricsReporter]:
        """:origin: common.metrics.Metrics#reporters()"""
        return self._reporters

    def metric(self, metric_name: MetricName) -> KafkaMetric | None:
        """Return the metric named ``metric_name``, or None.

        :origin: common.metrics.Metrics#metric(MetricName)
        """
        return self._metrics.get(metric_name)

    class ExpireSensorTask:
        """Removes expired sensors.

        A value recorded by a child also counts for its parents. A child may record just after the task has
        found its parent expired. The child is then removed with the parent. This is harmless, because
        expiration times are long.

        :origin: common.metrics.Metrics.ExpireSensorTask
        """

        __slots__ = ("_metrics",)

        def __init__(self, metrics: Metrics) -> None:
            self._metrics = metrics

        def run(self) -> None:
            """Check every sensor once with its lock held. ``remove_sensor`` takes this lock again.

            :origin: common.metrics.Metrics.ExpireSensorTask#run()
            """
            for name, sensor in self._metrics._sensors.copy().items():
                # DEVIATION D494: in the origin an exception is the end of all later runs, without a log line.
                try:
                    with sensor._lock:
                        if sensor.has_expired():
                            log.debug("removing expired sensor %s", name)
                            self._metrics.remove_sensor(name)
                except BaseException as e:
                    log.error("the expired sensor %s could not be removed", name, exc=e)

    def children_sensors(self) -> Mapping[Sensor, Sequence[Sensor]]:
        """Return the sensors by parent. Only tests call this.

        :origin: common.metrics.Metrics#childrenSensors()
        """
        return MappingProxyType(self._children_sensors)

    def metric_instance_key_value(self, template: MetricNameTemplate, *key_value: str) -> MetricName:
        """As ``metric_instance``, with alternating keys and values of tags.

        :origin: common.metrics.Metrics#metricInstance(MetricNameTemplate, String...)
        """
        return self.metric_instance(template, MetricsUtils.get_tags(*key_value))

    def metric_instance(self, template: MetricNameTemplate,
                        tags: Mapping[str, str] | None = None) -> MetricName:
        """Return a metric name for ``template``.

        Raises IllegalArgumentException if ``tags`` and the registry's tags differ from the template's.

        :origin: common.metrics.Metrics#metricInstance(MetricNameTemplate, Map<String,String>)
        """
        tags = tags or {}
        runtime_tag_keys = {**tags, **self.config().tags()}.keys()

        template_tag_keys = template.tags()

        if runtime_tag_keys != template_tag_keys:
            raise IllegalArgumentException(
                f"For '{template.name()}', runtime-defined metric tags do not match the tags in the "
                f"template. Runtime = {java_text(runtime_tag_keys)} "
                f"Template = {java_text(template_tag_keys)}")

        return self.metric_name(template.name(), template.group(), template.description(), tags)

    def close(self) -> None:
        """Stop the expiration thread after its current run, and close the reporters.

        :origin: common.metrics.Metrics#close()
        """
        if self._metrics_scheduler is not None:
            self._metrics_scheduler.shutdown()
            self._metrics_scheduler.await_termination(30_000)
        log.info("metrics scheduler closed")

        for reporter in self._reporters:
            try:
                log.info("closing reporter %s", class_name(type(reporter)))
                reporter.close()
            except Exception as e:
                log.error("%s could not close", class_name(type(reporter)), exc=e)
        log.info("metrics reporters closed")

    def __enter__(self) -> Metrics:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()
