# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Unique ids for idempotent producers.

The ids come in blocks of a thousand from the file ``producer-ids.json``. The file has the start of the next
block, and is durable before the first id of a block is used. A crash leaves the rest of a block unused.

Locks: one, held while the file is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.embedded.json_file import EVERYBODY, JsonFile
from kreactor.jdk.locks import Lock

FILE_NAME = "producer-ids.json"
BLOCK_SIZE = 1000


class ProducerIds:
    """Generates producer ids. For use by any thread."""

    __slots__ = ("_file", "_lock", "_next", "_end")

    def __init__(self, path: str) -> None:
        """Read the start of the next block. Raises KafkaException if the file exists and cannot be read."""
        self._file = JsonFile(path, "the used producer ids", EVERYBODY)
        self._lock = Lock()
        # The current block, empty at first. Guarded by the lock.
        self._next = self._end = self._file.read(_next_of) or 0

    def generate(self) -> int:
        """Return an unused id. Raises KafkaStorageException if the file cannot be written."""
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
        raise ValueError(f"{next_producer_id!r} is not a producer id")
    return next_producer_id
