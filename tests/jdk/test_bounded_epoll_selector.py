# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts that only our selector on epoll has; the contract of all selectors holds the rest."""

from __future__ import annotations

import os
import selectors
import socket
import time
from contextlib import suppress
from typing import Iterator

import pytest

from kreactor.jdk.bounded_epoll_selector import BoundedEpollSelector

pytestmark = pytest.mark.skipif(not BoundedEpollSelector.is_available(), reason="the host has no epoll")

READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


@pytest.fixture
def selector() -> Iterator[BoundedEpollSelector]:
    selector = BoundedEpollSelector(3)
    yield selector
    selector.close()


@pytest.fixture
def ready() -> Iterator[list[int]]:
    """Descriptors with something to be read, each the end of a pipe."""
    pipes = [os.pipe() for _ in range(8)]
    for _, writer in pipes:
        os.write(writer, b"x")
    yield [reader for reader, _ in pipes]
    for pipe in pipes:
        for fd in pipe:
            os.close(fd)


def test_everyone_has_a_turn_though_all_stay_ready(selector, ready):
    for fd in ready:
        selector.register(fd, READ, f"data of {fd}")
    seen: list[int] = []
    for _ in range(8):
        keys = selector.select(0)
        assert len(keys) == 3
        for key, events in keys:
            assert (key.data, key.events, events) == (f"data of {key.fd}", READ, READ)
            seen.append(key.fd)
    assert sorted(seen) == sorted(ready * 3)


def test_it_hands_out_1024_at_a_time_unless_told_otherwise():
    selector = BoundedEpollSelector()
    try:
        assert selector._at_a_time == 1024
    finally:
        selector.close()


def test_it_waits_no_shorter_than_asked(selector):
    begin = time.monotonic()
    assert selector.select(0.0101) == []
    assert time.monotonic() - begin >= 0.0101


def test_a_hang_up_is_ready_for_what_is_watched(selector):
    reader, writer = os.pipe()
    selector.register(reader, READ)
    os.close(writer)
    try:
        assert [(key.fd, events) for key, events in selector.select(0)] == [(reader, READ)]
    finally:
        os.close(reader)


def test_an_error_is_ready_for_what_is_watched(selector):
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    selector.register(writer, WRITE)
    with suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(65536))
    assert selector.select(0) == []
    os.close(reader)
    try:
        assert [(key.fd, events) for key, events in selector.select(0)] == [(writer, WRITE)]
    finally:
        os.close(writer)


def test_interest_can_change(selector, ready):
    fd = ready[0]
    assert selector.register(fd, READ, 1).events == READ
    assert selector.modify(fd, READ, 2).data == 2
    assert selector.modify(fd, WRITE, 3).events == WRITE
    assert selector.select(0) == []
    assert selector.modify(fd, READ | WRITE, 4) is selector.get_key(fd)
    assert [(key.data, events) for key, events in selector.select(0)] == [(4, READ)]
    assert selector.unregister(fd).data == 4
    assert selector.select(0) == [] and not selector.get_map()


def test_what_is_not_watched(selector, ready):
    for change in (lambda: selector.unregister(ready[0]), lambda: selector.modify(ready[0], READ)):
        with pytest.raises(KeyError):
            change()
    selector.register(ready[0], READ)
    with pytest.raises(KeyError):
        selector.register(ready[0], READ)


def test_a_closed_descriptor_is_let_go(selector):
    reader, writer = os.pipe()
    os.close(writer)
    selector.register(reader, READ)
    os.close(reader)
    assert selector.unregister(reader).fd == reader


def test_close_gives_the_descriptor_back():
    selector = BoundedEpollSelector()
    fd = selector.fileno()
    os.fstat(fd)
    selector.close()
    with pytest.raises(OSError):
        os.fstat(fd)
    with pytest.raises(ValueError):
        selector.select(0)


@pytest.mark.parametrize("watched", [READ, WRITE, READ | WRITE])
@pytest.mark.parametrize("is_readable", [True, False])
@pytest.mark.parametrize("is_writable", [True, False])
def test_only_what_is_ready_and_watched_is_told(selector, watched, is_readable, is_writable):
    ours, peers = socket.socketpair()
    with ours, peers:
        ours.setblocking(False)
        if is_readable:
            peers.send(b"x")
        if not is_writable:
            with suppress(BlockingIOError):
                while True:
                    ours.send(bytes(1 << 16))
        selector.register(ours.fileno(), watched)
        expected = (READ * is_readable | WRITE * is_writable) & watched
        assert sum(events for _, events in selector.select(0)) == expected
