# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The operations that every client must offer here, whatever its own interface is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, TypeVar

# In the order of their numbers in a batch.
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

# Of a topic, where nothing else is said.
PARTITIONS = [0, 1, 2, 3]

# No step of a client may take longer, be the machine ever so slow.
DEADLINE_S = 300.0
# A fetch that finds nothing comes back after this: who reads to the end waits for one such.
FETCH_WAIT_MS = 20
# How soon a client tries again to reach a broker that is away.
RECONNECT_MS = 100

T = TypeVar("T")
Headers = tuple[tuple[str, bytes | None], ...]
# Called with the index of a record and the offset it got.
OnAck = Callable[[int, int], None]


class Record(NamedTuple):
    """A record to write."""

    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    # None leaves it to the client to tell the time.
    timestamp_ms: int | None = None


class Read(NamedTuple):
    """A record that was read."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp_ms: int


class Metadata(NamedTuple):
    """A client's metadata of the cluster: addresses by node, partitions by topic."""

    brokers: dict[int, tuple[str, int]]
    topics: dict[str, list[int]]


class Client(ABC):
    """A client of the broker at ``address``. Each call has connections of its own, closed when it returns."""

    name: str
    # Features this client lacks, with the reason; the codecs all clients have.
    lacks: Mapping[str, str] = {}

    def __init__(self, address: str) -> None:
        self.address = address

    @abstractmethod
    def metadata(self) -> Metadata:
        """Return all brokers and topics."""

    @abstractmethod
    def create_topic(self, topic: str, partitions: int) -> None:
        """Create a topic."""

    def delete_topic(self, topic: str) -> None:
        """Delete a topic. Raises NotImplementedError for a client whose topics another client deletes."""
        raise NotImplementedError(f"{self.name}: the tests delete topics with another client")

    @abstractmethod
    def produce(self, topic: str, records: Sequence[Record], *, codec: str = "none", idempotent: bool = False,
                on_ack: OnAck = lambda index, offset: None) -> None:
        """Write ``records``, in order within each partition, and return when all are acknowledged.

        Raises if one is not. Calls ``on_ack``, in any thread, as acknowledgements come.
        """

    @abstractmethod
    def read(self, topic: str, partitions: Sequence[int], since_ms: int | None = None) -> list[Read]:
        """Return what partitions hold until their ends, from their beginnings or from a time."""

    @abstractmethod
    def tail(self, topic: str, counts: Mapping[int, int]) -> AbstractContextManager[Callable[[], list[Read]]]:
        """Stand at the end of partitions; what it gives returns what came since, so many from each."""


class Deadline:
    """Raises TimeoutError at ``check`` when time is up."""

    def __init__(self, what: str, seconds: float = DEADLINE_S) -> None:
        self._what = what
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise TimeoutError(self._what)


def read_committed(read: Callable[[], list[T]], count: int) -> list[T]:
    """Read again until there are ``count`` records: EndTxn is answered before the markers are written."""
    deadline = Deadline(f"{count} records are committed")
    while len(found := read()) < count:
        deadline.check()
    return found
