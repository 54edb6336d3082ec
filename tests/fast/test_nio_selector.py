# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of the selector with the lazy one, and those that only the lazy one passes."""

from __future__ import annotations

import select
import selectors
from typing import Iterator
from unittest.mock import Mock

import pytest

from kreactor.fast import nio_selector
from kreactor.fast.nio_selector import LazyNioSelector
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.jdk import test_nio_selector as eager
from tests.jdk.test_nio_selector import LONG_MS, READ, WRITE, Recording, listener, pair, recording, watched

__all__ = ["listener", "pair", "recording", "watched"]

# Their subject is what the kernel is told, which is the difference.
_EAGER = {"test_a_key_without_interest_is_not_in_the_kernels_set", "test_writing_is_watched_and_forgotten"}
globals().update({name: test for name, test in vars(eager).items()
                  if name.startswith("test_") and name not in _EAGER})


@pytest.fixture
def selector(recording: Recording) -> Iterator[LazyNioSelector]:
    selector = LazyNioSelector(recording)
    recording.told.clear()  # the wakeup's own registration
    yield selector
    selector.close()


def test_the_keys_whose_interest_has_changed(selector, pair):
    channel, _ = pair
    key = channel.register(selector, READ)
    assert selector.changed_keys(READ) == selector.changed_keys(READ | WRITE) == [key]
    assert selector.changed_keys(WRITE) == []
    selector.select_now()
    assert selector.changed_keys(READ) == []
    key.interest_ops_to(READ)
    assert selector.changed_keys(READ) == []
    key.interest_ops_to(READ | WRITE)
    key.interest_ops_to(READ)
    assert selector.changed_keys(READ) == [key] and selector.changed_keys(WRITE) == []
    selector.select_now()
    key.interest_ops_to(WRITE)
    key.cancel()
    assert selector.changed_keys(WRITE) == []


def test_a_key_without_interest_leaves_the_kernels_set_when_it_would_be_ready(selector, recording, pair):
    channel, peer = pair
    key = channel.register(selector, 0)
    selector.select_now()
    assert recording.told == []
    key.interest_ops_to(READ)
    selector.select_now()
    key.interest_ops_to(0)
    selector.select_now()
    assert recording.told == [("register", selectors.EVENT_READ)]
    peer.sendall(b"x")
    assert select.select([channel], [], [], 10)[0]
    assert selector.select_now() == 0
    assert recording.told == [("register", selectors.EVENT_READ)]
    assert selector.select_now() == 0
    assert recording.told == [("register", selectors.EVENT_READ), ("unregister", 0)]
    assert selector.select_now() == 0
    key.interest_ops_to(READ)
    assert selector.select(LONG_MS) == 1


def test_what_nobody_wants_does_not_make_a_wait_longer(selector, recording, pair, watched, monkeypatch):
    channel, peer = pair
    key = channel.register(selector, READ)
    selector.select_now()
    key.interest_ops_to(0)
    peer.sendall(b"x")
    assert select.select([channel], [], [], 10)[0]
    recording.timeouts.clear()
    clock = Mock(seconds=Mock(side_effect=[100.0, 100.25, 101.5]))
    monkeypatch.setattr(nio_selector, "Clock", clock)
    # Ready for what is not wanted, twice; the second time the kernel is told.
    assert selector.select(1000) == 0
    assert recording.timeouts == [1, 0.75, 0]


def test_a_key_that_wants_again_what_it_did_not_costs_no_call(selector, recording, pair):
    """A client's next request is often there before its channel is unmuted."""
    channel, peer = pair
    key = channel.register(selector, READ)
    for _ in range(3):
        peer.sendall(b"x")
        assert selector.select(LONG_MS) == 1
        channel.read(ByteBuffer.allocate(1))
        selector.selected_keys().clear()
        key.interest_ops_to(0)
        peer.sendall(b"y")
        assert select.select([channel], [], [], 10)[0]
        assert selector.select_now() == 0
        key.interest_ops_to(READ)
        assert selector.select(LONG_MS) == 1
        channel.read(ByteBuffer.allocate(1))
        selector.selected_keys().clear()
    assert recording.told == [("register", selectors.EVENT_READ)]


def test_writing_is_watched_and_forgotten_beside_reading_that_is_not_wanted(selector, recording, pair):
    channel, peer = pair
    key = channel.register(selector, READ)
    selector.select_now()
    key.interest_ops_to(WRITE)
    assert selector.select(LONG_MS) == 1 and key.ready_ops() == WRITE
    selector.selected_keys().clear()
    key.interest_ops_to(0)
    assert selector.select_now() == 0
    key.interest_ops_to(READ)
    assert selector.select_now() == 0
    both = selectors.EVENT_READ | selectors.EVENT_WRITE
    assert recording.told == [
        ("register", selectors.EVENT_READ), ("modify", both), ("modify", selectors.EVENT_READ)]
