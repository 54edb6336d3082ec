# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.metrics.JmxReporter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The parts of the JMX reporter that do not need JMX: MBean names, and the filter of names.

Dashboards identify Kafka's metrics by MBean names. ``metrics.jmx.include`` and ``.exclude`` select the
exported metrics. Any other exporter can follow both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Callable

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.jdk.regex import PatternSyntaxException, predicate_of

if TYPE_CHECKING:
    from kreactor.common.metric_name import MetricName

log = LogContext().logger(f"{__name__}.JmxReporter")


class JmxReporter:
    """Static methods only. Called by any thread.

    :origin: common.metrics.JmxReporter
    """

    __slots__ = ()

    METRICS_CONFIG_PREFIX = "metrics.jmx."

    EXCLUDE_CONFIG = METRICS_CONFIG_PREFIX + "exclude"
    EXCLUDE_CONFIG_ALIAS = METRICS_CONFIG_PREFIX + "blacklist"

    INCLUDE_CONFIG = METRICS_CONFIG_PREFIX + "include"
    INCLUDE_CONFIG_ALIAS = METRICS_CONFIG_PREFIX + "whitelist"

    RECONFIGURABLE_CONFIGS = frozenset(
        (INCLUDE_CONFIG, INCLUDE_CONFIG_ALIAS, EXCLUDE_CONFIG, EXCLUDE_CONFIG_ALIAS))

    DEFAULT_INCLUDE = ".*"
    DEFAULT_EXCLUDE = ""

    @staticmethod
    def get_mbean_name(prefix: str, metric_name: MetricName) -> str:
        """Return ``prefix:type=group,tag=value``, without empty tags and without the metric's name.

        :origin: common.metrics.JmxReporter#getMBeanName(String, MetricName)
        """
        tags = "".join(f",{key}={Sanitizer.jmx_sanitize(value)}"
                       for key, value in metric_name.tags().items() if key and value)
        return f"{prefix}:type={metric_name.group()}{tags}"

    @staticmethod
    def compile_predicate(original_config: Mapping[str, object]) -> Callable[[str], bool]:
        """Return the filter of MBean names. Raises ConfigException for an invalid regular expression.

        :origin: common.metrics.JmxReporter#compilePredicate(Map<String,?>)
        """
        include = _config(original_config, JmxReporter.INCLUDE_CONFIG, JmxReporter.INCLUDE_CONFIG_ALIAS)
        exclude = _config(original_config, JmxReporter.EXCLUDE_CONFIG, JmxReporter.EXCLUDE_CONFIG_ALIAS)

        if include is None:
            include = JmxReporter.DEFAULT_INCLUDE

        if exclude is None:
            exclude = JmxReporter.DEFAULT_EXCLUDE

        try:
            is_included = predicate_of(str(include))
            is_excluded = predicate_of(str(exclude))
        except PatternSyntaxException as e:
            raise ConfigException(
                f"JMX filter for configuration{JmxReporter.METRICS_CONFIG_PREFIX}"
                ".(include/exclude) is not a valid regular expression") from e

        return lambda name: is_included(name) and not is_excluded(name)


def _config(configs: Mapping[str, object], name: str, alias: str) -> object:
    """Return the value of ``name``, or of its deprecated name ``alias``."""
    if alias not in configs:
        return configs.get(name)
    if name in configs:
        log.error("%s and its old name %s are both configured: the old one is ignored", name, alias)
        return configs[name]
    log.warn("%s is deprecated: use %s instead", alias, name)
    return configs[alias]
