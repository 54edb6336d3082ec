# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Groups are counted by protocol and state, and rebalances of consumer groups are."""

from __future__ import annotations

from kreactor.common.metrics.metrics import Metrics
from kreactor.coordinator.group.consumer.consumer_group import ConsumerGroup
from kreactor.core.coordinator.group.consumer_group_metrics import ConsumerGroupMetrics

STATES = ConsumerGroup.ConsumerGroupState


def values(metrics: Metrics) -> dict[tuple[str, str], object]:
    """Return the values of the coordinator's metrics, by their names and tags."""
    return {(name.name(), ",".join(f"{key}={value}" for key, value in name.tags().items())):
            metric.metric_value() for name, metric in metrics.metrics().items()
            if name.group() == "group-coordinator-metrics"}


def test_the_metrics_of_consumer_groups() -> None:
    with Metrics() as metrics:
        counts = {STATES.EMPTY: 1, STATES.STABLE: 2, STATES.RECONCILING: 3}
        of_groups = ConsumerGroupMetrics(
            metrics, lambda: 7, lambda state: sum(counts.values()) if state is None else counts.get(state, 0))
        for _ in range(4):
            of_groups.record_rebalance()
        found = values(metrics)
        assert isinstance(rate := found.pop(("consumer-group-rebalance-rate", "")), float) and rate > 0
        assert found == {
            ("group-count", "protocol=classic"): 7, ("group-count", "protocol=consumer"): 6,
            ("consumer-group-count", "state=Empty"): 1, ("consumer-group-count", "state=Assigning"): 0,
            ("consumer-group-count", "state=Reconciling"): 3, ("consumer-group-count", "state=Stable"): 2,
            ("consumer-group-count", "state=Dead"): 0, ("consumer-group-rebalance-count", ""): 4}
        of_groups.close()
        assert values(metrics) == {}
