# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which segments have their file open.

A log's active segment always has: one descriptor per partition. Of all sealed segments together, those that
were read last have theirs open, up to a limit (256 if nothing else is said); the others open when somebody
reads them.

DEVIATION D73: Kafka keeps every segment open until it is deleted, and needs ``ulimit -n`` raised for it.

Locks: one, a leaf; files are opened under it, so that two readers do not open one twice.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from typing import Protocol

from kreactor.embedded.files import LogFile
from kreactor.jdk.descriptors import is_in_reserve

DEFAULT_LIMIT = 256


class Reopenable(Protocol):
    """A sealed segment, as far as this module knows it."""

    def path(self) -> str:
        """Return where the file is now."""


class OpenFiles:
    """Opens segments' files, and forgets those that nobody has read for the longest time."""

    __slots__ = ("_limit", "_lock", "_open")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        """Keep at most ``limit`` sealed segments open, besides those that answers are being sent from."""
        self._limit = limit
        # Reentrant: ``get`` opens a file under it.
        self._lock = threading.RLock()
        # The last used is last.
        self._open: OrderedDict[Reopenable, LogFile] = OrderedDict()

    def open(self, path: str, flags: int) -> LogFile:
        """Open a file; all segments' files are opened here. Raises OSError.

        Where the process has no descriptor left, sealed segments give theirs.
        """
        try:
            return LogFile.open(path, flags)
        except OSError as e:
            if e.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                raise
        with self._lock:
            self._open.clear()
        return LogFile.open(path, flags)

    def get(self, segment: Reopenable) -> LogFile:
        """Return a sealed segment's file, for reading. Raises OSError, FileNotFoundError if it is gone."""
        with self._lock:
            file = self._open.get(segment)
            if file is None:
                file = self.open(segment.path(), os.O_RDONLY)
                self._put(segment, file)
            else:
                self._open.move_to_end(segment)
            return file

    def put(self, segment: Reopenable, file: LogFile) -> None:
        """Take over the open file of a segment that was sealed."""
        with self._lock:
            self._put(segment, file)

    def forget(self, segment: Reopenable) -> None:
        """Let go of the file of a segment that goes away."""
        with self._lock:
            self._open.pop(segment, None)

    def forget_all(self) -> None:
        """Let go of every file, also of deleted segments that would be removed later."""
        with self._lock:
            self._open.clear()

    def size(self) -> int:
        """Return the number of sealed segments whose file is kept open."""
        with self._lock:
            return len(self._open)

    def _put(self, segment: Reopenable, file: LogFile) -> None:
        if is_in_reserve(file.fileno()):
            return  # the last descriptors are for files that are being written
        self._open[segment] = file
        while len(self._open) > self._limit:
            self._open.popitem(last=False)
