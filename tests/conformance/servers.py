# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Targets that are no good: a server that a function of the test speaks for, a thread a connection."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from kreactor.conformance.codec import encode
from kreactor.conformance.schemas import apis

_MAX_SIZE = 100_000


@contextmanager
def serving(speak: Callable[[socket.socket], None]) -> Iterator[str]:
    """Give HOST:PORT of a server whose connections ``speak`` handles and this closes."""
    listener = socket.create_server(("127.0.0.1", 0))
    threads: list[threading.Thread] = []
    open_connections: list[socket.socket] = []

    def handle(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            speak(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                open_connections.append(connection)
                threads.append(threading.Thread(target=handle, args=(connection,)))
                threads[-1].start()

    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield "127.0.0.1:{}".format(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        acceptor.join()
        for connection in open_connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def read_request(connection: socket.socket) -> tuple[int, int, int] | None:
    """Return key, version and correlation id of the next request, or None at the end."""
    size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")
    data = connection.recv(size, socket.MSG_WAITALL) if 0 < size < _MAX_SIZE else b""
    if len(data) < 8:
        return None
    return (int.from_bytes(data[:2], "big", signed=True), int.from_bytes(data[2:4], "big", signed=True),
            int.from_bytes(data[4:8], "big"))


def answer_api_versions(connection: socket.socket, version: int, correlation_id: int) -> None:
    """Answer that ApiVersions is all that is offered."""
    api = apis()["ApiVersions"]
    body = {"apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 3}]}
    answered = version if version in api.versions else 0
    if answered != version:
        body["errorCode"] = 35  # type: ignore[assignment]
    data = correlation_id.to_bytes(4, "big") + encode(api.response, answered, body)
    connection.sendall(len(data).to_bytes(4, "big") + data)
