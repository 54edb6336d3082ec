# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.KafkaYammerMetrics of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The registry of the server's metrics, one per process, and the filter of exported metrics."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Callable, ClassVar

from kreactor.common.metrics.jmx_reporter import JmxReporter
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.server.metrics.yammer import MetricName, MetricsRegistry


class KafkaYammerMetrics(Reconfigurable):
    """The one instance is ``INSTANCE``, its registry ``default_registry()``. For use by any thread.

    :origin: server.metrics.KafkaYammerMetrics
    """

    __slots__ = ("_metrics_registry", "_mbean_predicate")

    INSTANCE: ClassVar[KafkaYammerMetrics]

    @staticmethod
    def default_registry() -> MetricsRegistry:
        """Return the registry of the server's metrics.

        :origin: server.metrics.KafkaYammerMetrics#defaultRegistry()
        """
        return KafkaYammerMetrics.INSTANCE._metrics_registry

    def __init__(self) -> None:
        """Export all metrics.

        :origin: server.metrics.KafkaYammerMetrics#KafkaYammerMetrics()
        """
        self._metrics_registry = MetricsRegistry()
        # DEVIATION D34: no reporter is started or stopped; an exporter calls is_exported.
        self._mbean_predicate: Callable[[str], bool] = lambda _name: True

    def configure(self, configs: Mapping[str, object]) -> None:
        """:origin: server.metrics.KafkaYammerMetrics#configure(Map<String,?>)"""
        self.reconfigure(configs)

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: server.metrics.KafkaYammerMetrics#reconfigurableConfigs()"""
        return JmxReporter.RECONFIGURABLE_CONFIGS

    def validate_reconfiguration(self, configs: Mapping[str, object]) -> None:
        """Raises ConfigException if a filter is not a regular expression.

        :origin: server.metrics.KafkaYammerMetrics#validateReconfiguration(Map<String,?>)
        """
        JmxReporter.compile_predicate(configs)

    def reconfigure(self, configs: Mapping[str, object]) -> None:
        """Export the metrics whose MBean names match ``metrics.jmx.include`` and not ``metrics.jmx.exclude``.

        :origin: server.metrics.KafkaYammerMetrics#reconfigure(Map<String,?>)
        """
        self._mbean_predicate = JmxReporter.compile_predicate(configs)

    def is_exported(self, metric_name: MetricName) -> bool:
        """Return whether a metric is exported."""
        return self._mbean_predicate(metric_name.get_mbean_name())

    @staticmethod
    def get_metric_name(group: str, type_name: str, name: str,
                        tags: Mapping[str, str] | None = None) -> MetricName:
        """Return a metric name. The tags keep their order in the MBean's name, and are sorted by key in the
        scope.

        :origin: server.metrics.KafkaYammerMetrics#getMetricName(String, String, String)
        :origin: server.metrics.KafkaYammerMetrics#getMetricName(String, String, String, LinkedHashMap<String,String>)
        """  # noqa: E501
        name_builder = f"{group}:type={type_name}"

        if name:
            name_builder += f",name={name}"

        scope = KafkaYammerMetrics._to_scope(tags)
        tags_name = KafkaYammerMetrics._to_mbean_name(tags)
        if tags_name is not None:
            name_builder += tags_name

        return MetricName(group, type_name, name, scope, name_builder)

    @staticmethod
    def _to_mbean_name(tags: Mapping[str, str] | None) -> str | None:
        """Return the tags, each after a comma.

        :origin: server.metrics.KafkaYammerMetrics#toMBeanName(LinkedHashMap<String,String>)
        """
        if tags is None:
            return None

        non_empty_tags = KafkaYammerMetrics._collect_non_empty_tags(tags)
        if not non_empty_tags:
            return None
        else:
            return "".join(f",{key}={Sanitizer.jmx_sanitize(value)}" for key, value in non_empty_tags.items())

    @staticmethod
    def _collect_non_empty_tags(tags: Mapping[str, str]) -> dict[str, str]:
        """:origin: server.metrics.KafkaYammerMetrics#collectNonEmptyTags(Map<String,String>, Supplier<T>)"""
        return {key: value for key, value in tags.items() if value != ""}

    @staticmethod
    def _to_scope(tags: Mapping[str, str] | None) -> str | None:
        """Return the tags separated by dots. Dots within a value are replaced, because dots separate levels.

        :origin: server.metrics.KafkaYammerMetrics#toScope(Map<String,String>)
        """
        if tags is None:
            return None

        non_empty_tags = KafkaYammerMetrics._collect_non_empty_tags(tags)
        if not non_empty_tags:
            return None
        else:
            sorted_tags = sorted(non_empty_tags.items())
            return ".".join(f"{key}.{value.replace('.', '_')}" for key, value in sorted_tags)


KafkaYammerMetrics.INSTANCE = KafkaYammerMetrics()
