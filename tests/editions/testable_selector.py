# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of inner classes of kafka.network.SocketServerTest of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A selector of an edition that counts what is asked of it, fails when told to, and holds results back.

Failures come after the operation, on the thread that performs it: the processor must go on all the same.
"""

from __future__ import annotations

import queue
import socket
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from tests.core.network.testable_server import PollData, is_socket_connection_id
from tests.stepping import wait_until

LOCAL = InetAddress.get_by_name("127.0.0.1")


def testable(selector_class: type[Any]) -> type[Any]:
    """Return a subclass of the selector of an edition that has staged receives and reports states."""

    class TestableSelector(selector_class):
        """Counts operations by name, and raises what ``add_failure`` has prepared, once."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._test_lock = threading.Lock()
            self._failures: dict[str, BaseException] = {}
            self.operation_counts: Counter[str] = Counter()
            self.all_channels: set[str] = set()
            self.all_locally_closed_channels: set[str] = set()
            self.all_disconnected_channels: set[str] = set()
            self.all_failed_channels: set[str] = set()
            self.cached_completed_receives = self._poll_data(self._completed_receives)
            self.cached_completed_sends = self._poll_data(self._completed_sends)
            self.cached_disconnected = PollData(
                lambda: list(self._disconnected.items()), self._put_disconnected)
            self._all_poll_data = [
                self.cached_completed_receives, self.cached_completed_sends, self.cached_disconnected]
            self.min_wakeup_count = 0
            self.poll_timeout_override: int | None = None
            self.poll_callback: Callable[[], None] = lambda: None
            self._before_poll: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

        @staticmethod
        def _poll_data(results: list[Any]) -> PollData:
            def put(values: list[Any]) -> None:
                results[:] = values

            return PollData(lambda: list(results), put)

        def _put_disconnected(self, values: list[Any]) -> None:
            self._disconnected.clear()
            self._disconnected.update(values)

        def add_failure(self, operation: str, exception: BaseException | None = None) -> None:
            self._failures[operation] = exception or IllegalStateException(
                f"Test exception during {operation}")

        def _run(self, operation: str, connection_id: str | None, code: Callable[[], Any],
                 on_failure: Callable[[], None] = lambda: None) -> None:
            try:
                code()
            finally:
                with self._test_lock:
                    self.operation_counts[operation] += 1
                    failure = self._failures.pop(operation, None)
                if failure is not None:
                    if connection_id is not None:
                        self.all_failed_channels.add(connection_id)
                    on_failure()
                    raise failure

        def wait_for_operations(self, operation: str, min_expected_total: int) -> None:
            wait_until(lambda: self.operation_counts[operation] >= min_expected_total,
                       f"fewer than {min_expected_total} times {operation}")

        def run_before_poll(self, code: Callable[[], None]) -> None:
            """Run ``code`` on the network thread before its next poll, and wait until it has run."""
            done = threading.Event()

            def run() -> None:
                code()
                done.set()

            self._before_poll.put(run)
            super().wakeup()
            assert done.wait(120)

        def register(self, id: str, socket_channel: Any) -> None:
            register = super().register
            self._run("register", id, lambda: register(id, socket_channel), lambda: self.close_id(id))

        def send(self, send: Any) -> None:
            queue_send = super().send
            self._run("send", send.destination(), lambda: queue_send(send))

        def poll(self, timeout: int) -> None:
            poll = super().poll
            try:
                self.poll_callback()
                while not self._before_poll.empty():
                    self._before_poll.get()()
                override = self.poll_timeout_override
                self._run("poll", None, lambda: poll(timeout if override is None else override))
            finally:
                self.all_channels.update(channel.id() for channel in self.channels())
                self.all_disconnected_channels.update(self.disconnected())
                for poll_data in self._all_poll_data:
                    poll_data.update_results()

        def mute(self, id: str) -> None:
            mute = super().mute
            self._run("mute", id, lambda: mute(id))

        def unmute(self, id: str) -> None:
            unmute = super().unmute
            self._run("unmute", id, lambda: unmute(id))

        def wakeup(self) -> None:
            wakeup = super().wakeup

            def maybe_wakeup() -> None:
                with self._test_lock:
                    if self.min_wakeup_count > 0:
                        self.min_wakeup_count -= 1
                    wake = self.min_wakeup_count == 0
                if wake:
                    wakeup()

            self._run("wakeup", None, maybe_wakeup)

        def close_id(self, id: str) -> None:
            close_id = super().close_id

            def close() -> None:
                close_id(id)
                self.all_locally_closed_channels.add(id)

            self._run("close", id, close)

        def close(self) -> None:
            self._run("close selector", None, super().close)

        def update_min_wakeup(self, count: int) -> None:
            """Wake the selector only at the ``count``-th wakeup from now, so that it finds as many things."""
            self.min_wakeup_count = count
            # Longer than it may take until so many have come.
            self.poll_timeout_override = 5000
            super().wakeup()

        def reset(self) -> None:
            self._failures.clear()
            for poll_data in self._all_poll_data:
                poll_data.min_per_poll = 1

        def not_failed(self, sockets: list[socket.socket]) -> list[socket.socket]:
            """Return the clients whose channels have not failed; exactly one has."""
            [failed_connection_id] = self.all_failed_channels
            return [sock for sock in sockets if not is_socket_connection_id(failed_connection_id, sock)]

    return TestableSelector


testable.__test__ = False  # type: ignore[attr-defined]


def wait_for_channel_close(server: Any, processor: Any, connection_id: str, locally_closed: bool) -> None:
    """Wait until a channel is closed, by the processor itself or by its selector, and counted out."""
    selector = processor.selector
    if locally_closed:
        wait_until(lambda: connection_id in selector.all_locally_closed_channels,
                   f"{connection_id} is not closed")
        assert not selector.all_disconnected_channels, "a local close was reported"
    else:
        wait_until(lambda: connection_id in selector.all_disconnected_channels,
                   f"the end of {connection_id} was not reported")
        assert not selector.all_locally_closed_channels, "the channel was closed locally"
    open_count = len(selector.all_channels) - 1
    wait_until(lambda: server.connection_count(LOCAL) == open_count, "not counted out")
    wait_until(lambda: processor.inflight_response_count() == 0, "still in flight")
    assert selector.channel(connection_id) is None
    assert selector.closing_channel(connection_id) is None
