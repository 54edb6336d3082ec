# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.EchoServer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The other end of the selector's tests: blocking sockets, a thread for each, nothing of the port."""

from __future__ import annotations

import socket
import ssl
import struct
import threading

from kreactor.jdk.net import InetSocketAddress


class EchoServer(threading.Thread):
    """Sends every message back to where it came from. Bound to loopback, on a port of its own.

    With a ``context`` it speaks TLS. ``_lock`` guards ``_sockets`` and ``_threads``.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        super().__init__(name="EchoServer")
        self._ssl_context = context
        self._server_socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server_socket.getsockname()[1]
        self.address = InetSocketAddress("127.0.0.1", self.port)
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = []
        self._closing = False

    def run(self) -> None:
        with self._server_socket:
            while True:
                connection, _ = self._server_socket.accept()
                with self._lock:
                    if self._closing:
                        connection.close()
                        return
                    if self._ssl_context is not None:
                        connection = self._ssl_context.wrap_socket(
                            connection, server_side=True, do_handshake_on_connect=False)
                    thread = threading.Thread(target=self._echo, args=(connection,))
                    self._sockets.append(connection)
                    self._threads.append(thread)
                thread.start()

    def _echo(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as source:
            try:
                if isinstance(connection, ssl.SSLSocket):
                    connection.do_handshake()
                while len(size := source.read(4)) == 4:
                    payload = source.read(*struct.unpack(">i", size))
                    connection.sendall(size + payload)
            except OSError:
                pass  # the client has gone
            except RuntimeError as e:
                # The ssl module of PyPy 7.3 has no text for a connection that was reset.
                if "NULL" not in str(e):
                    raise

    def close_connections(self) -> None:
        """End every connection; its thread, which waits for bytes, closes it then."""
        with self._lock:
            for connection in self._sockets:
                try:
                    # Not that of TLS, which would have the thread go on in plain text.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)
                except OSError:
                    pass  # closed already
            self._sockets.clear()

    def close(self) -> None:
        """End the connections and the thread that accepts."""
        with self._lock:
            self._closing = True
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            pass  # a connection that waited before this one has ended the thread
        self.join()
        self.close_connections()
        for thread in self._threads:
            thread.join()
