# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Numbers for idempotent producers, none of which ever comes twice.

They are taken from the file ``producer-ids.json`` a thousand at a time: the file says where the next thousand
begins, and is durable before the first of a thousand is given away. A crash leaves the rest of them unused.

Locks: one, held while the file is written.
"""

from __future__ import annotations

import json
import threading

from kreactor.common.errors import KafkaStorageException
from kreactor.common.kafka_exception import KafkaException
from kreactor.embedded.files import write_atomically

FILE_NAME = "producer-ids.json"
BLOCK_SIZE = 1000

_VERSION = 1


class ProducerIds:
    """Gives out producer ids. For use by any thread."""

    __slots__ = ("_path", "_lock", "_next", "_end")

    def __init__(self, path: str) -> None:
        """Read where to go on. Raises KafkaException if the file is there and cannot be read."""
        self._path = path
        self._lock = threading.Lock()
        # The block at hand, empty at first; only under the lock.
        self._next = self._end = self._read()

    def generate(self) -> int:
        """Return an id that nobody has. Raises KafkaStorageException if none can be had for sure."""
        with self._lock:
            if self._next == self._end:
                content = {"version": _VERSION, "next_producer_id": self._end + BLOCK_SIZE}
                try:
                    write_atomically(self._path, json.dumps(content).encode("ascii") + b"\n")
                except OSError as e:
                    raise KafkaStorageException(f"{self._path} cannot be written: {e}", e) from e
                self._end += BLOCK_SIZE
            producer_id = self._next
            self._next += 1
            return producer_id

    def _read(self) -> int:
        try:
            with open(self._path, encoding="ascii") as file:
                content = json.load(file)
            if content["version"] != _VERSION:
                raise KafkaException(
                    f"{self._path} has version {content['version']}, and {_VERSION} is known")
            next_producer_id = content["next_producer_id"]
            if not isinstance(next_producer_id, int) or next_producer_id < 0:
                raise ValueError(f"{next_producer_id!r} is no producer id")
            return next_producer_id
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError) as e:
            raise KafkaException(
                f"{self._path}, which says what producer ids are taken, cannot be read: {e!r}", e) from e
