# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kreactor.core.network import request_metrics

times = st.one_of(st.integers(-10, 2_000_000), st.integers(0, 2**50),
                  st.sampled_from((0, 499_999, 500_000, 999_999, 1_499_999, 1_500_000)))


@given(st.lists(times, min_size=1, max_size=5))
def test_each_time_is_rounded_by_itself(nanos: list[int]) -> None:
    expected = [int(max(each, 0) // 1000 / 1000 + 0.5) for each in nanos]
    assert request_metrics._in_ms(nanos) == expected


def test_milliseconds_are_rounded_from_whole_microseconds() -> None:
    assert request_metrics._in_ms([-1, 0, 499_999, 500_000, 1_499_999, 1_500_000]) == [0, 0, 0, 1, 1, 2]
    assert request_metrics._in_ms([0, 499_999]) == [0, 0]
    assert request_metrics._in_ms([0, 3_000_000]) == [0, 3]
