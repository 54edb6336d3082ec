# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The metrics of groups by their protocol, and of consumer groups by their state, under Kafka's names.

Kafka counts groups when they change their state. Here groups are counted when a metric is read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kreactor.common.metric_name import MetricName
from kreactor.common.metrics.gauge import Gauge
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.stats.meter import Meter
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.server.config.group_type import GroupType

GROUP = "group-coordinator-metrics"
REBALANCES_SENSOR = "ConsumerGroupRebalances"


class ConsumerGroupMetrics:
    """Any thread may read the metrics, and record a rebalance."""

    def __init__(self, metrics: Metrics, count_classic: Callable[[], int],
                 count_consumer: Callable[[ConsumerGroup.ConsumerGroupState | None], int]) -> None:
        """``count_consumer`` returns the number of consumer groups in a state, or in any state."""
        self._metrics = metrics
        self._gauges: list[MetricName] = []
        self._add("group-count", "The groups of the classic protocol", "protocol", str(GroupType.CLASSIC),
                  count_classic)
        self._add("group-count", "The groups of the consumer protocol", "protocol", str(GroupType.CONSUMER),
                  lambda: count_consumer(None))
        for state in ConsumerGroup.ConsumerGroupState:
            self._add("consumer-group-count", f"The consumer groups in the state {state}", "state",
                      str(state), partial(count_consumer, state))
        self._rebalances = metrics.sensor(REBALANCES_SENSOR)
        self._rebalances.add(Meter(
            metrics.metric_name("consumer-group-rebalance-rate", GROUP,
                                "Rebalances of consumer groups per second"),
            metrics.metric_name("consumer-group-rebalance-count", GROUP,
                                "Rebalances of consumer groups ever begun")))

    def record_rebalance(self) -> None:
        self._rebalances.record()

    def close(self) -> None:
        """Remove the metrics from the registry."""
        for name in self._gauges:
            self._metrics.remove_metric(name)
        self._metrics.remove_sensor(REBALANCES_SENSOR)

    def _add(self, name: str, description: str, tag: str, value: str, count: Callable[[], int]) -> None:
        metric_name = self._metrics.metric_name(name, GROUP, description, {tag: value})
        self._metrics.add_metric(metric_name, Gauge.of(lambda config, now: count()))
        self._gauges.append(metric_name)
