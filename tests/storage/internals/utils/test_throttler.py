# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ThrottlerTest."""

from __future__ import annotations

from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.storage.internals.utils.throttler import Throttler
from kreactor.testing.mock_time import MockTime

INTERVAL_MS = 100
PER_SEC = 1000.0
PER_INTERVAL = PER_SEC * INTERVAL_MS / 1000
UPDATED_PER_SEC = 1500.0
UPDATED_PER_INTERVAL = UPDATED_PER_SEC * INTERVAL_MS / 1000


def observe_two_intervals(throttler: Throttler, time: MockTime, per_interval: float, per_sec: float) -> None:
    """Twice as much as is allowed in one: the second time takes two."""
    before = time.milliseconds()
    throttler.maybe_throttle(per_interval)
    assert time.milliseconds() == before
    time.sleep(INTERVAL_MS + 1)
    throttler.maybe_throttle(per_interval)
    after = time.milliseconds()
    assert after >= before + 2 * INTERVAL_MS
    assert 2 * per_interval * 1000 / (after - before) <= per_sec


def new_throttler(time: MockTime) -> Throttler:
    return Throttler(PER_SEC, INTERVAL_MS, "throttler", "entries", time, MetricsRegistry())


def test_throttle_desired_rate() -> None:
    time = MockTime()
    throttler = new_throttler(time)
    for _ in range(2):
        observe_two_intervals(throttler, time, PER_INTERVAL, PER_SEC)


def test_update_throttle_desired_rate() -> None:
    time = MockTime()
    throttler = new_throttler(time)
    observe_two_intervals(throttler, time, PER_INTERVAL, PER_SEC)
    throttler.update_desired_rate_per_sec(UPDATED_PER_SEC)
    assert throttler.desired_rate_per_sec() == UPDATED_PER_SEC
    observe_two_intervals(throttler, time, UPDATED_PER_INTERVAL, UPDATED_PER_SEC)


def test_the_meter() -> None:
    registry = MetricsRegistry()
    throttler = Throttler(PER_SEC, INTERVAL_MS, "cleaner-io", "bytes", MockTime(), registry)
    throttler.maybe_throttle(7)
    (name, meter), = registry.all_metrics().items()
    assert name.get_mbean_name() == "org.apache.kafka.storage.internals.utils:type=Throttler,name=cleaner-io"
    assert meter.count() == 7  # type: ignore[attr-defined]
