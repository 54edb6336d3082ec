# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The requests that arrived at a broker, each with its outcome.

A request is kept as the received bytes, and decoded when its body is first read. The broker's own copy is not
kept, because the broker writes offsets into its batches and drops it. The oldest requests are dropped when
there are too many.

Network threads add requests. Any thread adds answers and reads the list. ``_condition`` guards the list and
the count of changes; no caller's predicate is called under it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, NamedTuple, TypeVar

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.jdk.clock import Clock
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Condition
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing.faults import Fault

T = TypeVar("T")

# A wait for what no request tells evaluates its predicate again after this time.
ASK_AGAIN_S = 0.02

# The total size of all requests that are kept, in bytes.
_MAX_BYTES = 64 * 1024 * 1024


class Answer(NamedTuple):
    """The answer to a request:

    ``response``, ``none`` if the request wants none, or ``close`` of its connection.

    ``size`` is in bytes, including the 4-byte size; 0 without a response. ``errors`` has Kafka's error names,
    without NONE. ``time_ms`` is on the broker's clock.
    """

    kind: Literal["response", "none", "close"]
    size: int
    errors: tuple[str, ...]
    time_ms: int

    @property
    def error(self) -> str | None:
        """The first error's name, None if there is none."""
        return self.errors[0] if self.errors else None


class ReceivedRequest:
    """One request. ``time_ms`` is the time of its last byte, on the broker's clock."""

    def __init__(self, context: RequestContext, payload: bytes, body_offset: int, time_ms: int) -> None:
        self._context = context
        self._payload = payload
        self._body_offset = body_offset
        self._body: Message | None = None
        self.api_key: ApiKeys = context.header.api_key()
        self.version: int = context.header.api_version()
        self.client_id: str | None = context.header.client_id()
        self.connection_id: str = context.connection_id
        self.time_ms = time_ms
        # The broker's own answer, None before it; a fault's change is not included.
        self.answer: Answer | None = None
        # The faults that apply to the request.
        self.faults: tuple[Fault, ...] = ()

    @property
    def api(self) -> str:
        """Kafka's name of the API."""
        return self.api_key.name

    @property
    def header(self) -> RequestHeader:
        """The request header."""
        return self._context.header

    @property
    def size(self) -> int:
        """The size of header and body, in bytes."""
        return len(self._payload)

    @property
    def body(self) -> Message:
        """The decoded body, an object of ``kreactor.common.message``; the caller may change it."""
        if self._body is None:
            buffer = ByteBuffer.wrap(bytearray(self._payload))
            buffer.set_position(self._body_offset)
            self._body = self._context.parse_request(buffer).request.data()
        return self._body

    def __repr__(self) -> str:
        return (f"<{self.api} v{self.version} of {self.client_id!r}, answer: "
                f"{'none yet' if self.answer is None else self.answer.error or self.answer.kind}>")


class RequestLog:
    """The requests of a broker, the oldest first."""

    def __init__(self, max_requests: int) -> None:
        self._condition = Condition()
        self._max_requests = max_requests
        self._requests: deque[ReceivedRequest] = deque()
        self._bytes = 0
        self._changes = 0
        # Called after each change, by the thread that made it. Replaced, never changed.
        self._listeners: tuple[Callable[[], object], ...] = ()
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Keep the requests before the fork, in a forked child."""
        self._condition = Condition()
        self._listeners = ()

    def add(self, received: ReceivedRequest) -> None:
        """Add a request."""
        with self._condition:
            requests = self._requests
            requests.append(received)
            self._bytes += received.size
            while requests and (len(requests) > self._max_requests or self._bytes > _MAX_BYTES):
                self._bytes -= requests.popleft().size
        self.changed()

    def changed(self) -> None:
        """Wake the waiting threads, which evaluate their predicates again."""
        with self._condition:
            self._changes += 1
            self._condition.notify_all()
            listeners = self._listeners
        for listener in listeners:
            listener()

    def changes(self) -> int:
        """Return the number of changes so far."""
        return self._changes

    def clear(self) -> None:
        """Remove all requests."""
        with self._condition:
            self._requests.clear()
            self._bytes = 0

    def find(self, client_id: str | None, api_key: ApiKeys | None) -> list[ReceivedRequest]:
        """Return the requests of a client and of an API, or of all."""
        with self._condition:
            requests = list(self._requests)
        return [each for each in requests
                if (client_id is None or each.client_id == client_id)
                and (api_key is None or each.api_key is api_key)]

    def wait_for(self, predicate: Callable[[], T], timeout_s: float, ask_again_s: float | None = None) -> T:
        """Return the result of ``predicate`` once it is true; each change evaluates it again.

        So does each ``ask_again_s`` without a change. Raises TimeoutError.
        """
        deadline = Clock.seconds() + timeout_s
        while True:
            with self._condition:
                seen = self._changes
            result = predicate()
            if result:
                return result
            with self._condition:
                left_s = max(0.0, deadline - Clock.seconds())
                wait_s = left_s if ask_again_s is None else min(left_s, ask_again_s)
                has_changed = Clock.wait_for(self._condition, lambda: self._changes != seen, wait_s)
                if not has_changed and wait_s == left_s:
                    raise self._timeout(timeout_s)

    async def wait_for_async(self, predicate: Callable[[], T], timeout_s: float) -> T:
        """As ``wait_for``, on the caller's event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def listener() -> None:
            # A closed event loop has no waiting test.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(changed.set)

        with self._condition:
            self._listeners = (*self._listeners, listener)
        try:
            deadline = Clock.seconds() + timeout_s
            while True:
                changed.clear()
                result = predicate()
                if result:
                    return result
                try:
                    await asyncio.wait_for(changed.wait(), max(0.0, deadline - Clock.seconds()))
                except (asyncio.TimeoutError, TimeoutError):
                    raise self._timeout(timeout_s) from None
        finally:
            with self._condition:
                self._listeners = tuple(each for each in self._listeners if each is not listener)

    def _timeout(self, timeout_s: float) -> TimeoutError:
        return TimeoutError(f"not within {timeout_s} s; the last requests: {list(self._requests)[-10:]}")
