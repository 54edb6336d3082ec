# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The connections of a control port before their first request is authenticated.

Owner: the thread that calls ``serve``. That thread accepts connections, and reads the head of the first
request of each without blocking. Only a connection whose head passes the check is admitted to a thread of
its own. A stranger costs one descriptor and at most ``MAX_HEAD_BYTES``, and never a thread.

- A head that is not complete within ``HEAD_S`` closes its connection. A head that is longer than
  ``MAX_HEAD_BYTES`` is refused.
- At most ``MAX_WAITING`` connections wait. A further one closes the oldest of the address that has most, so
  an address that opens many connections closes its own.
- Bytes that have arrived are read before connections are accepted, and a few connections at a time are
  accepted. A client that sends its request at once is therefore read before a flood can close it.
"""

from __future__ import annotations

import http.client
import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from http import HTTPStatus

from kreactor.jdk.clock import Clock
from kreactor.jdk.concurrent import Event
from kreactor.jdk.floor import Floor
from kreactor.jdk.loggers import get_logger
from kreactor.testing.control_routes import Refusal, answer_head, error_to_json, json_bytes, refusal_of

log = get_logger(__name__)

HEAD_S = 10.0
MAX_HEAD_BYTES = 16 * 1024
MAX_WAITING = 128
# The time that a client has to read a refusal before its connection is closed.
LINGER_S = 2.0
_READ_BYTES = 4096
_ACCEPTED_AT_ONCE = 16
# The longest time between two calls of ``tick``.
_TICK_S = 0.5
# The pause after an accept that fails for want of descriptors, when no connection waits.
_PAUSE_S = 0.1


class _Waiting:
    """A connection that has not been authenticated."""

    __slots__ = ("connection", "host", "deadline", "received", "is_refused")

    def __init__(self, connection: Floor.socket.socket, host: str) -> None:
        self.connection = connection
        self.host = host
        self.deadline = Clock.seconds() + HEAD_S
        self.received = bytearray()
        self.is_refused = False


class Doorway:
    """Accepts connections and admits those whose first request may be handled."""

    def __init__(self, listener: Floor.socket.socket, check: Callable[[Message[str, str]], None],
                 admit: Callable[[Floor.socket.socket, bytes], None]) -> None:
        """Accept nothing yet.

        ``check`` raises Refusal for the headers of a request that may not be handled. ``admit`` takes over a
        connection with the bytes that were read from it, or raises Refusal.
        """
        self._listener = listener
        listener.setblocking(False)
        self._check = check
        self._admit = admit
        # In the order of their arrival.
        self._waiting: dict[Floor.socket.socket, _Waiting] = {}
        self._count_by_host: Counter[str] = Counter()
        self._stopping = Event()
        self._wake_reader, self._wake_writer = Floor.socket.socketpair()
        self._selector = Floor.selectors.DefaultSelector()
        self._selector.register(listener, Floor.selectors.EVENT_READ)
        self._selector.register(self._wake_reader, Floor.selectors.EVENT_READ)

    def waiting(self) -> int:
        """Return the number of connections that have not been authenticated. Called by any thread."""
        return len(self._waiting)

    def serve(self, tick: Callable[[], None]) -> None:
        """Accept, read and admit until ``stop``, and call ``tick`` at least twice a second; then close.

        An exception is logged, and does not end the thread.
        """
        try:
            while not self._stopping.is_set():
                try:
                    self._serve_once()
                    tick()
                except BaseException:
                    log.exception("an error in the control port")
                    self._stopping.wait(_PAUSE_S)
        finally:
            self.close()

    def _serve_once(self) -> None:
        ready = {key.fileobj for key, _ in self._selector.select(self._wait_s())}
        for waiting in [each for connection, each in self._waiting.items() if connection in ready]:
            # A connection that was admitted or closed meanwhile is no longer there.
            if waiting.connection in self._waiting:
                self._read(waiting)
        if self._listener in ready:
            self._accept()
        self._close_late_ones()

    def stop(self) -> None:
        """End ``serve``. Called by any thread."""
        self._stopping.set()
        with suppress(OSError):
            self._wake_writer.send(b"\0")

    def close(self) -> None:
        """Close all connections that wait. The listening socket stays open."""
        for connection in self._waiting:
            connection.close()
        self._waiting.clear()
        self._count_by_host.clear()
        self._selector.close()
        self._wake_reader.close()
        self._wake_writer.close()

    def _wait_s(self) -> float:
        # The deadlines of refused connections are out of order. They are late by a tick at most.
        first = next(iter(self._waiting.values()), None)
        return _TICK_S if first is None else min(_TICK_S, max(0.0, first.deadline - Clock.seconds()))

    # -- connections ---------------------------------------------------------------------------------

    def _accept(self) -> None:
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                # No descriptor is free: the oldest connection gives up its own.
                if not self._close_oldest():
                    self._stopping.wait(_PAUSE_S)
                return
            if len(self._waiting) >= MAX_WAITING:
                self._close_oldest()
            connection.setblocking(False)
            self._add(_Waiting(connection, str(address[0])))

    def _add(self, waiting: _Waiting) -> None:
        self._waiting[waiting.connection] = waiting
        self._count_by_host[waiting.host] += 1
        self._selector.register(waiting.connection, Floor.selectors.EVENT_READ)

    def _remove(self, waiting: _Waiting) -> None:
        self._selector.unregister(waiting.connection)
        del self._waiting[waiting.connection]
        self._count_by_host[waiting.host] -= 1
        if not self._count_by_host[waiting.host]:
            del self._count_by_host[waiting.host]

    def _close(self, waiting: _Waiting) -> None:
        self._remove(waiting)
        waiting.connection.close()

    def _close_oldest(self) -> bool:
        """Close the oldest connection of the host that has most; return False if none waits."""
        if not self._waiting:
            return False
        (host, _), = self._count_by_host.most_common(1)
        self._close(next(each for each in self._waiting.values() if each.host == host))
        return True

    def _close_late_ones(self) -> None:
        now = Clock.seconds()
        for waiting in [each for each in self._waiting.values() if each.deadline <= now]:
            self._close(waiting)

    # -- requests ------------------------------------------------------------------------------------

    def _read(self, waiting: _Waiting) -> None:
        try:
            data = waiting.connection.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._close(waiting)
        # A close with unread bytes sends a reset, which can overtake the refusal.
        elif not waiting.is_refused:
            known = max(0, len(waiting.received) - 3)
            waiting.received += data
            if any(waiting.received.find(end, known) >= 0 for end in (b"\n\r\n", b"\n\n")):
                self._decide(waiting)
            elif len(waiting.received) > MAX_HEAD_BYTES:
                self._refuse(waiting, Refusal(
                    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "Headers",
                    f"the head of the request is longer than {MAX_HEAD_BYTES} bytes"))

    def _decide(self, waiting: _Waiting) -> None:
        """Admit a connection whose head is complete, or refuse it."""
        try:
            _, _, fields = waiting.received.partition(b"\n")
            self._check(http.client.parse_headers(io.BytesIO(fields)))
        except http.client.HTTPException as e:
            self._refuse(waiting, Refusal(HTTPStatus.BAD_REQUEST, "Headers", f"not the headers of HTTP: {e}"))
        # An error in a check ends one connection, and not the port.
        except Exception as e:
            self._refuse(waiting, refusal_of(e))
        else:
            self._remove(waiting)
            try:
                self._admit(waiting.connection, bytes(waiting.received))
            except Refusal as e:
                self._add(waiting)
                self._refuse(waiting, e)

    def _refuse(self, waiting: _Waiting, refusal: Refusal) -> None:
        """Answer with an error, then discard what still comes until the client closes."""
        body = json_bytes(error_to_json(refusal))
        fields = answer_head(None, len(body), is_last=True)
        head = "".join(f"{name}: {value}\r\n" for name, value in fields)
        status = refusal.status
        waiting.is_refused = True
        waiting.received.clear()
        waiting.deadline = Clock.seconds() + LINGER_S
        try:
            waiting.connection.send(
                f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode("latin-1") + body)
            waiting.connection.shutdown(Floor.socket.SHUT_WR)
        except OSError:
            self._close(waiting)
