# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The expiry of idle connections against a model that looks at all of them every time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.network.idle_expiry_manager import IdleExpiryManager
from kreactor.testing.mock_time import MockTime

MAX_IDLE_MS = 10
NANOS = 1_000_000

ids = st.sampled_from("abcd")
actions = st.one_of(
    st.tuples(st.just("update"), ids),
    st.tuples(st.just("remove"), ids),
    st.tuples(st.just("sleep"), st.integers(0, 2 * MAX_IDLE_MS)),
    st.tuples(st.just("poll"), st.booleans()),
)


class SlowExpiry:
    """Keeps who was active when, and knows no order but that of time and of events."""

    def __init__(self, now: int) -> None:
        self.activity: dict[str, tuple[int, int]] = {}
        self.events = 0
        self.not_before = now + MAX_IDLE_MS * NANOS

    def update(self, id: str, now: int) -> None:
        self.events += 1
        self.activity[id] = (now, self.events)

    def poll(self, now: int) -> tuple[str, int] | None:
        if now <= self.not_before:
            return None
        if not self.activity:
            self.not_before = now + MAX_IDLE_MS * NANOS
            return None
        oldest = min(self.activity, key=lambda id: self.activity[id])
        last_active, _ = self.activity[oldest]
        self.not_before = last_active + MAX_IDLE_MS * NANOS
        return (oldest, last_active) if now - last_active > MAX_IDLE_MS * NANOS else None


@given(st.lists(actions, max_size=60))
def test_expiry_against_a_slow_model(steps):
    time = MockTime(0, 0, 5)
    manager = IdleExpiryManager(time, MAX_IDLE_MS)
    model = SlowExpiry(time.nanoseconds())
    for action, argument in steps:
        now = time.nanoseconds()
        if action == "update":
            manager.update(argument, now)
            model.update(argument, now)
        elif action == "remove":
            manager.remove(argument)
            model.activity.pop(argument, None)
        elif action == "sleep":
            time.sleep(argument)
        else:
            expired = manager.poll_expired_connection(now)
            assert expired == model.poll(now)
            if expired is not None and argument:  # as the selector does, unless the channel is gone already
                manager.remove(expired[0])
                del model.activity[expired[0]]
        assert list(manager._lru_connections) == sorted(model.activity, key=lambda id: model.activity[id])


def test_exactly_the_limit_is_not_too_long():
    time = MockTime(0, 0, 0)
    manager = IdleExpiryManager(time, MAX_IDLE_MS)
    manager.update("a", 0)
    assert manager.poll_expired_connection(MAX_IDLE_MS * NANOS) is None
    assert manager.poll_expired_connection(MAX_IDLE_MS * NANOS + 1) == ("a", 0)


def test_the_least_recently_active_goes_first_and_one_at_a_time():
    time = MockTime(0, 0, 0)
    manager = IdleExpiryManager(time, MAX_IDLE_MS)
    for moment, id in enumerate("abca"):
        manager.update(id, moment * NANOS)
    now = 100 * NANOS
    for id, moment in (("b", 1), ("c", 2), ("a", 3)):
        assert manager.poll_expired_connection(now) == (id, moment * NANOS)
        manager.remove(id)
    assert manager.poll_expired_connection(now) is None


def test_nothing_expires_before_anything_could_have():
    """An activity can only move the next expiry back; the manager does not look before the time it knew."""
    time = MockTime(0, 0, 0)
    manager = IdleExpiryManager(time, MAX_IDLE_MS)
    manager.update("a", -100 * NANOS)  # as if it came from an older clock
    assert manager.poll_expired_connection(MAX_IDLE_MS * NANOS) is None
    assert manager.poll_expired_connection(MAX_IDLE_MS * NANOS + 1) == ("a", -100 * NANOS)
