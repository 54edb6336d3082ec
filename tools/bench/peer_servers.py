# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Servers for comparisons with kreactor. Each uses the same framing and does the same work.

    peer_servers.py NAME WORK ANSWER_SIZE [PEM]

Listens on a free port of loopback, prints it, and serves until it is killed. A request is a size in 4
bytes, then a Kafka request header. WORK is the kind of response:

answer  the correlation id, padded to ANSWER_SIZE bytes, made anew for each request
echo    the same, but padded with the last bytes of the request
frame   the request itself with its size; nothing in it is parsed

With PEM, a file with a key and a certificate, the servers on an event loop use TLS.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

HANDLER_THREADS = 8
BACKLOG = 1024
PEM = sys.argv[4:]

SIZE = struct.Struct(">i")
HEADER = struct.Struct(">hhi")
PREFIX = struct.Struct(">ii")

Pieces = tuple[bytes | memoryview, ...]
Handler = Callable[[bytes], Pieces]


def answer(body: bytes, request: bytes) -> Pieces:
    """Parse the header and make the response, the least work of a handler."""
    _api_key, _api_version, correlation_id = HEADER.unpack_from(request)
    return (PREFIX.pack(len(body) + 4, correlation_id) + body,)


def echo(body_size: int, request: bytes) -> Pieces:
    """Parse the header and return the body without a copy."""
    _api_key, _api_version, correlation_id = HEADER.unpack_from(request)
    return PREFIX.pack(body_size + 4, correlation_id), memoryview(request)[-body_size:]


def frame(request: bytes) -> Pieces:
    return (SIZE.pack(len(request)) + request,)


def handler(work: str, answer_size: int) -> Handler:
    """Return a request handler.

    It returns one piece for a small response, and pieces that are not joined otherwise.
    """
    body_size = answer_size - PREFIX.size
    works: dict[str, Handler] = {
        "answer": partial(answer, bytes(body_size)), "echo": partial(echo, body_size), "frame": frame}
    return works[work]


async def streams(handle: Handler, pool: ThreadPoolExecutor | None) -> None:
    """One event loop with streams; a pool of threads does the work, or the loop if there is no pool."""
    loop = asyncio.get_running_loop()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4))
                request = await reader.readexactly(size)
                pieces = await loop.run_in_executor(pool, handle, request) if pool else handle(request)
                if len(pieces) == 1:
                    writer.write(pieces[0])
                else:
                    writer.writelines(pieces)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    context = None
    if PEM:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(PEM[0])
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=BACKLOG, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def asyncio_pool(handle: Handler) -> None:
    asyncio.run(streams(handle, ThreadPoolExecutor(HANDLER_THREADS)))


def uvloop_pool(handle: Handler) -> None:
    import uvloop

    uvloop.run(streams(handle, ThreadPoolExecutor(HANDLER_THREADS)))


def asyncio_inline(handle: Handler) -> None:
    asyncio.run(streams(handle, None))


def threads(handle: Handler) -> None:
    """A thread for each connection, which reads, does the work and writes."""
    def serve(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as stream:
            try:
                while size := stream.read(4):
                    for piece in handle(stream.read(int.from_bytes(size))):
                        connection.sendall(piece)
            except ConnectionError:
                pass

    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as server:
        print(server.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


PEERS = {
    "asyncio+pool": asyncio_pool,
    "uvloop+pool": uvloop_pool,
    "asyncio inline": asyncio_inline,
    "thread per connection": threads,
}


if __name__ == "__main__":
    PEERS[sys.argv[1]](handler(sys.argv[2], int(sys.argv[3])))
