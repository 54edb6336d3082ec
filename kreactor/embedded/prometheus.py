# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker's metrics for Prometheus, under the names that its JMX exporter uses for Kafka without rules.

A name consists of the MBean's domain, its type and the attribute; the other properties are labels. For
example, the attribute ``99thPercentile`` of
``kafka.network:type=RequestMetrics,name=TotalTimeMs,request=Produce`` is
``kafka_network_RequestMetrics_99thPercentile{name="TotalTimeMs",request="Produce"}``. Attributes that are not
numbers are left out, as in the exporter.

Needs the extra ``metrics``. ``prometheus_client.REGISTRY.register(BrokerCollector(server))`` adds a broker to
the process's own metrics. Any thread collects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from kreactor.common.metrics.jmx_reporter import JmxReporter
from kreactor.common.metrics.metrics import Metrics
from kreactor.jdk.extras import needs
from kreactor.jdk.loggers import get_logger
from kreactor.server.metrics.yammer import Counter, Gauge, Histogram, Meter, Metric, MetricsRegistry, Timer

try:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import Metric as Family
except ImportError as e:
    raise ImportError(needs(__name__, "metrics")) from e

log = get_logger(__name__)

# For metrics that are not yammer's.
_DOMAIN = "kafka.server"
_ILLEGAL = re.compile(r"[^a-zA-Z0-9:_]+|__+")
# One property of an MBean; the value may be in quotes.
_PROPERTY = re.compile(r'(?:^|,)([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)(?=,|$)')
_QUANTILES = (("50thPercentile", 0.5), ("75thPercentile", 0.75), ("95thPercentile", 0.95),
              ("98thPercentile", 0.98), ("99thPercentile", 0.99), ("999thPercentile", 0.999))


class Measured(Protocol):
    """A source of both kinds of metrics: a started BrokerServer."""

    def metrics(self) -> Metrics:
        """Return Kafka's own metrics."""

    def metrics_registry(self) -> MetricsRegistry:
        """Return yammer's metrics."""


class BrokerCollector:
    """The metrics of a broker: yammer's and Kafka's own."""

    def __init__(self, server: Measured) -> None:
        self._server = server

    def describe(self) -> list[Family]:
        """Return nothing, because the set of metrics changes."""
        return []

    def collect(self) -> Iterable[Family]:
        """Return the current values of all metrics."""
        families: dict[str, Family] = {}
        for mbean, attribute, value in self._attributes():
            domain, _, properties = mbean.partition(":")
            pairs = [(key, _unquoted(value)) for key, value in _PROPERTY.findall(properties)]
            name = _exporter_name(f"{domain}_{pairs[0][1] if pairs else ''}_{attribute}")
            family = families.get(name)
            if family is None:
                family = families[name] = Family(name, f"{attribute} of {domain}", "untyped")
            family.add_sample(name, {_exporter_name(key): text for key, text in pairs[1:]}, value)
        return families.values()

    def _attributes(self) -> Iterator[tuple[str, str, float]]:
        """Yield the name of each MBean with its numeric attributes."""
        for name, metric in list(self._server.metrics_registry().all_metrics().items()):
            mbean = name.get_mbean_name()
            for attribute, read in _readers(metric).items():
                value = _number(read, f"{attribute} of {mbean}")
                if value is not None:
                    yield mbean, attribute, value
        for metric_name, kafka_metric in list(self._server.metrics().metrics().items()):
            value = _number(kafka_metric.metric_value, metric_name)
            if value is not None:
                yield JmxReporter.get_mbean_name(_DOMAIN, metric_name), metric_name.name(), value


def exposition(server: Measured) -> str:
    """Return the metrics of a broker in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(BrokerCollector(server))  # type: ignore[arg-type, unused-ignore]
    text: str = generate_latest(registry).decode()
    return text


def _readers(metric: Metric) -> Mapping[str, Callable[[], object]]:
    """Return the attributes of the MBean that yammer makes for a metric."""
    readers: dict[str, Callable[[], object]] = {}
    if isinstance(metric, Gauge):
        readers["Value"] = metric.value
    elif isinstance(metric, Counter):
        readers["Count"] = metric.count
    if isinstance(metric, (Meter, Timer)):
        readers |= {"Count": metric.count, "OneMinuteRate": metric.one_minute_rate,
                    "FiveMinuteRate": metric.five_minute_rate,
                    "FifteenMinuteRate": metric.fifteen_minute_rate, "MeanRate": metric.mean_rate}
    if isinstance(metric, (Histogram, Timer)):
        readers |= {"Count": metric.count, "Max": metric.max, "Mean": metric.mean, "Min": metric.min,
                    "StdDev": metric.std_dev}
        snapshot = metric.get_snapshot()
        for attribute, quantile in _QUANTILES:
            readers[attribute] = lambda quantile=quantile: snapshot.get_value(quantile)  # type: ignore[misc]
    return readers


def _number(read: Callable[[], object], what: object) -> float | None:
    """Return a numeric value; None for text, and for a gauge that fails, for example while its broker
    stops."""
    try:
        value = read()
    except Exception:
        # Every scrape repeats the failure.
        log.debug("%s cannot be read", what, exc_info=True)
        return None
    return float(value) if isinstance(value, (bool, int, float)) else None


def _exporter_name(name: str) -> str:
    """Return the exporter's form of a name: each run of other characters becomes one underscore."""
    name = _ILLEGAL.sub("_", name)
    return f"_{name}" if name[:1].isdigit() else name


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value.startswith('"') else value
