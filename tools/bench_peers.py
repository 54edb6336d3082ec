# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Servers that kreactor is measured against. Each speaks the same framing and does the same work.

    bench_peers.py NAME ANSWER_SIZE

Listens on a free port of loopback, prints it, and serves until it is killed. A request is a size in 4
bytes, then a Kafka request header; the answer is its correlation id and as many bytes as to be
ANSWER_SIZE in all, made anew for each request.
"""

from __future__ import annotations

import asyncio
import struct
import sys
from concurrent.futures import ThreadPoolExecutor

HANDLER_THREADS = 8

HEADER = struct.Struct(">hhi")
PREFIX = struct.Struct(">ii")


def handle(request: bytes, answer_body: bytes) -> bytes:
    """Parse the header and make the answer: what a handler has to do at the least."""
    _api_key, _api_version, correlation_id = HEADER.unpack_from(request)
    return PREFIX.pack(len(answer_body) + 4, correlation_id) + answer_body


async def asyncio_pool(answer_body: bytes) -> None:
    """One event loop with streams, and a pool of threads for the work."""
    loop = asyncio.get_running_loop()
    pool = ThreadPoolExecutor(HANDLER_THREADS)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4))
                request = await reader.readexactly(size)
                writer.write(await loop.run_in_executor(pool, handle, request, answer_body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


PEERS = {"asyncio+pool": asyncio_pool}


if __name__ == "__main__":
    asyncio.run(PEERS[sys.argv[1]](bytes(int(sys.argv[2]) - 8)))
