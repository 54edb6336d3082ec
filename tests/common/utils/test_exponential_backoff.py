# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.utils.exponential_backoff import ExponentialBackoff


def test_exponential_backoff() -> None:
    exponential_backoff = ExponentialBackoff(100, 2, 2000, 0.2)
    for _ in range(100):
        for attempts in range(11):
            backoff = exponential_backoff.backoff(attempts)
            if attempts <= 4:
                assert abs(backoff - 100 * 2**attempts) <= 100 * 2**attempts * 0.2
            else:
                assert backoff <= 2000


def test_exponential_backoff_without_jitter() -> None:
    exponential_backoff = ExponentialBackoff(100, 2, 400, 0.0)
    assert [exponential_backoff.backoff(attempts) for attempts in range(4)] == [100, 200, 400, 400]


def test_a_maximum_below_the_start_is_the_only_interval() -> None:
    assert [ExponentialBackoff(100, 2, 50, 0.2).backoff(attempts) for attempts in range(3)] == [50, 50, 50]


def test_it_is_spread() -> None:
    exponential_backoff = ExponentialBackoff(1000, 2, 100_000, 0.2)
    seen = {exponential_backoff.backoff(1) for _ in range(200)}
    assert len(seen) > 20
    assert min(seen) < 1900 and max(seen) > 2100


@given(st.integers(0, 10**6), st.integers(2, 10), st.integers(0, 10**7), st.floats(0, 0.9),
       st.integers(0, 10**6))
def test_bounds(initial: int, multiplier: int, maximum: int, jitter: float, attempts: int) -> None:
    backoff = ExponentialBackoff(initial, multiplier, maximum, jitter).backoff(attempts)
    assert 0 <= backoff <= maximum


def test_to_string() -> None:
    assert str(ExponentialBackoff(100, 2, 400, 0.2)) == (
        "ExponentialBackoff{multiplier=2, expMax=2.0, initialInterval=100, jitter=0.2}")
