# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What stands between clients and a broker, and loses answers when it is told to."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from types import TracebackType

from tests.clients.broker_process import HOST, free_port
from tests.clients.client import Deadline

_CHUNK = 1 << 16
_STEP_S = 0.002


class Proxy:
    """A port of its own that leads to a broker's; an event loop in a thread of its own. ``with`` runs it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"{HOST}:{self.port}"
        # Set before clients come.
        self.broker_port = 0
        # Written by the loop's thread alone.
        self._connections: set[asyncio.Task[None]] = set()
        self._is_losing = False
        # The connections on which something was lost.
        self._lost: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy")
        self._is_ready = threading.Event()
        self._is_over = asyncio.Event()

    def __enter__(self) -> Proxy:
        self._thread.start()
        assert self._is_ready.wait(10)
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._is_over.set)
        self._thread.join()

    def lose_answers(self, connections: int) -> None:
        """Lose all answers from now on; return when that has happened on so many connections."""
        self._loop.call_soon_threadsafe(setattr, self, "_is_losing", True)
        deadline = Deadline("answers are lost")
        while len(self._lost) < connections:
            deadline.check()
            time.sleep(_STEP_S)

    def cut(self) -> None:
        """Close all connections; what comes after that gets its answers."""
        self._loop.call_soon_threadsafe(self._cut)

    def _cut(self) -> None:
        self._is_losing = False
        self._lost.clear()
        for connection in self._connections:
            connection.cancel()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connect, HOST, self.port)
        self._is_ready.set()
        await self._is_over.wait()
        server.close()
        self._cut()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connect(self, from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        connection = asyncio.current_task()
        assert connection is not None
        self._connections.add(connection)
        writers = [to_client]
        # The broker may be away, and either side may leave.
        with suppress(OSError, asyncio.CancelledError):
            try:
                from_broker, to_broker = await asyncio.open_connection(HOST, self.broker_port)
                writers.append(to_broker)
                async with asyncio.TaskGroup() as group:
                    pumps = [group.create_task(self._pump(from_client, to_broker)),
                             group.create_task(self._pump(from_broker, to_client, connection))]
                    await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                    for pump in pumps:
                        pump.cancel()
            finally:
                for writer in writers:
                    writer.transport.abort()
                self._connections.discard(connection)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                    answers_of: asyncio.Task[None] | None = None) -> None:
        with suppress(OSError):
            while data := await reader.read(_CHUNK):
                if answers_of is not None and self._is_losing:
                    self._lost.add(answers_of)
                    continue
                writer.write(data)
                await writer.drain()
