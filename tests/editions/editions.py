# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Brokers of the older editions, for tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import Mock

from kreactor.editions.edition_server import EditionServer
from kreactor.editions.registry import CURRENT, EDITIONS
from kreactor.jdk.net import InetAddress
from tests.core.server.brokers import broker_config
from tests.stepping import wait_until

OLDER = [name for name in EDITIONS if name != CURRENT]

LOCAL = InetAddress.get_by_name("127.0.0.1")


def processor_of(broker: EditionServer) -> Any:
    """Return the network thread of the first listener."""
    server: Any = broker.socket_server()
    socket_server = server.server.socket_server
    # Since 2.2 there is a control plane, and the processors of the data plane are called so.
    named = "data_plane_processor" if hasattr(socket_server, "data_plane_processor") else "processor"
    return getattr(socket_server, named)(0)


def handles_after_an_error(channel: Any, new_pool: Callable[[Any], Any], request: Any) -> bool:
    """Return whether a pool of one handler handles ``request`` after the queue has failed once.

    ``new_pool`` starts the pool for an object that handles requests.
    """
    receive, failed, handled = channel.receive_request_timeout, threading.Event(), threading.Event()

    def fail_once(timeout_ms: int) -> object:
        if not failed.is_set():
            failed.set()
            raise MemoryError("of the test")
        return receive(timeout_ms)

    channel.receive_request_timeout = fail_once
    pool = new_pool(Mock(handle=lambda _: handled.set()))
    assert failed.wait(120)
    request._buffer = None
    channel.send_request(request)
    was_handled = handled.wait(120)
    pool.shutdown()
    return was_handled


def sockets() -> int:
    """Return how many descriptors this process has that are no files."""
    found = 0
    for number in os.listdir("/proc/self/fd"):
        try:
            found += not os.readlink(f"/proc/self/fd/{number}").startswith("/")
        except OSError:
            continue
    return found


@contextmanager
def nothing_left() -> Iterator[None]:
    """Wait until no thread or descriptor of the block is left."""
    threads, descriptors = set(threading.enumerate()), sockets()
    yield
    wait_until(lambda: set(threading.enumerate()) <= threads and sockets() <= descriptors)


@contextmanager
def serving(name: str, folder: object, overrides: Mapping[str, str] | None = None) -> Iterator[EditionServer]:
    """Start a broker of an edition; stop it, and check that no thread, descriptor or count is left."""
    with nothing_left():
        broker = EditionServer(EDITIONS[name], broker_config(str(folder), overrides))
        broker.startup()
        try:
            yield broker
        finally:
            broker.shutdown()
        assert broker.socket_server().connection_count(LOCAL) == 0
        assert not broker.metrics_registry().all_metrics()
