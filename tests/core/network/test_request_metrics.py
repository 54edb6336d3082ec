# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.protocol.errors import Errors
from kreactor.core.network.request_channel import _nanos_to_ms
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.jdk.doubles import round_to_long
from kreactor.server.metrics.yammer import MetricsRegistry


@given(st.one_of(st.integers(-10, 2_000_000), st.integers(0, 2**50)))
def test_a_time_is_rounded_from_whole_microseconds(nanos: int) -> None:
    assert round_to_long(_nanos_to_ms(nanos)) == (max(nanos, 0) // 1000 + 500) // 1000


@pytest.mark.parametrize(("nanos", "ms"), [
    (-1, 0), (0, 0), (499_999, 0), (500_000, 1), (1_499_999, 1), (1_500_000, 2), (3_000_000, 3)])
def test_halves_are_rounded_up(nanos: int, ms: int) -> None:
    assert round_to_long(_nanos_to_ms(nanos)) == ms


def test_the_meter_of_an_error_is_registered_when_the_error_first_occurs() -> None:
    registry = MetricsRegistry()
    metrics = RequestMetrics("Fetch", registry)
    assert list(metrics._error_meters) == list(Errors)

    def meters() -> list[str]:
        return [str(name) for name in registry.all_metrics() if RequestMetrics.ERRORS_PER_SEC in str(name)]

    assert meters() == []
    metrics.mark_error_meter(Errors.NONE, 2)
    metrics.mark_error_meter(Errors.NONE, 1)
    [name] = meters()
    assert "error=NONE" in name and metrics._error_meters[Errors.NONE].get_or_create_meter().count() == 3
    metrics.remove_metrics()
    assert not registry.all_metrics()
