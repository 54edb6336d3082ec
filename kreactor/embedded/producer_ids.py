# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Numbers for idempotent producers, none of which ever comes twice.

They are taken from the file ``producer-ids.json`` a thousand at a time: the file says where the next thousand
begins, and is durable before the first of a thousand is given away. A crash leaves the rest of them unused.

Locks: one, held while the file is written.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from kreactor.embedded.json_file import EVERYBODY, JsonFile

FILE_NAME = "producer-ids.json"
BLOCK_SIZE = 1000


class ProducerIds:
    """Gives out producer ids. For use by any thread."""

    __slots__ = ("_file", "_lock", "_next", "_end")

    def __init__(self, path: str) -> None:
        """Read where to go on. Raises KafkaException if the file is there and cannot be read."""
        self._file = JsonFile(path, "what producer ids are taken", EVERYBODY)
        self._lock = threading.Lock()
        # The block at hand, empty at first; only under the lock.
        self._next = self._end = self._file.read(_next_of) or 0

    def generate(self) -> int:
        """Return an id that nobody has. Raises KafkaStorageException if none can be had for sure."""
        with self._lock:
            if self._next == self._end:
                self._file.write({"next_producer_id": self._end + BLOCK_SIZE})
                self._end += BLOCK_SIZE
            producer_id = self._next
            self._next += 1
            return producer_id


def _next_of(content: Mapping[str, Any]) -> int:
    next_producer_id = content["next_producer_id"]
    if not isinstance(next_producer_id, int) or next_producer_id < 0:
        raise ValueError(f"{next_producer_id!r} is no producer id")
    return next_producer_id
