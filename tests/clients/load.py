# Licensed under the Apache License, Version 2.0; see LICENSE.
"""All clients writing to one topic at once, each to all of its partitions."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from tests.clients.checks import Expected, write
from tests.clients.client import PARTITIONS, Client, Deadline, Record

_STEP_S = 0.002


def records_of(client: Client, number: int) -> list[Record]:
    """Return what a client is to write: records that no other writes, of any bytes and many sizes.

    They are of the last hour. Of one who says that its records are a day old, a broker that starts forgets
    where it was: it takes their time for that of the writing, as Kafka does.
    """
    an_hour_ago_ms = time.time_ns() // 1_000_000 - 3_600_000
    chance = random.Random(client.name)
    material = chance.randbytes(100_000)
    records = []
    for index in range(number):
        start = chance.randrange(len(material))
        records.append(Record(
            index % len(PARTITIONS),
            None if index % 7 == 0 else b"%d" % index,
            b"%s %d " % (client.name.encode(), index) + material[start:start + chance.randrange(200)],
            (("writer", client.name.encode()),),
            None if "timestamp" in client.lacks else an_hour_ago_ms + index))
    return records


class Load:
    """Clients that are writing, each in a thread of its own. ``with`` waits for the end of that."""

    def __init__(self, clients: Sequence[Client], topic: str, number: int, idempotent: bool) -> None:
        """``number`` is for all clients together."""
        self._clients = clients
        self._topic = topic
        self._idempotent = idempotent
        self._records = [records_of(client, number // len(clients)) for client in clients]
        # Acknowledgements by client, each told of in one thread.
        self._acknowledged = [0] * len(clients)
        self._pool = ThreadPoolExecutor(len(clients))
        self._writers: list[Future[list[Expected]]] = []

    def __enter__(self) -> Load:
        for number, client in enumerate(self._clients):
            self._writers.append(self._pool.submit(
                write, client, self._topic, self._records[number], idempotent=self._idempotent,
                on_ack=partial(self._on_ack, number)))
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def _on_ack(self, number: int, index: int, offset: int) -> None:
        self._acknowledged[number] += 1

    def wait_for_first(self, share: float) -> None:
        """Return when the fastest client has so much of its records acknowledged, and one at least."""
        self._wait_for(max, share)

    def wait_for_last(self, share: float) -> None:
        """Return when the slowest client has so much of its records acknowledged, and one at least."""
        self._wait_for(min, share)

    def _wait_for(self, which: Callable[[list[int]], int], share: float) -> None:
        number = max(1, int(share * len(self._records[0])))
        deadline = Deadline(f"{number} records are acknowledged")
        while which(self._acknowledged) < number:
            deadline.check()
            for writer in self._writers:
                if writer.done():
                    writer.result()  # raises what ended it
            time.sleep(_STEP_S)

    def result(self) -> list[Expected]:
        """Return what all have written, when they have. Raises what went wrong."""
        return [each for writer in self._writers for each in writer.result()]
