# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Decides which segments have their file open.

A log's active segment is always open: one descriptor per partition. Of all sealed segments together, the most
recently read ones stay open, up to a limit (256 by default). The others are opened when they are read.

A read opens the file if needed, and holds it until the read is done. So a response that is sent in many steps
needs no descriptor between the steps, and still finds a segment that is renamed.

DEVIATION D73: Kafka keeps every segment open until its deletion, and needs a higher ``ulimit -n``.

Locks: one lock, taken before those of the files. Files are opened under it, so that two readers do not open a
file twice. Segments are renamed under it, so that no reader looks for a file under its old name.
"""

from __future__ import annotations

import errno
import os
from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import Protocol

from kreactor.jdk.descriptors import is_in_reserve
from kreactor.jdk.locks import ReentrantLock
from kreactor.storage.internals.log.log_file import LogFile

DEFAULT_LIMIT = 256


class Reopenable(Protocol):
    """The part of a sealed segment that this module uses."""

    def path(self) -> str:
        """Return the current path of the file."""


class OpenFiles:
    """Opens segments' files, and closes the least recently read ones."""

    __slots__ = ("_limit", "_lock", "_open")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        """Keep at most ``limit`` sealed segments open, besides those that are being read."""
        self._limit = limit
        # Reentrant, because ``hold`` opens a file under it.
        self._lock = ReentrantLock()
        # The most recently used file is last. This object is one holder of each file.
        self._open: OrderedDict[Reopenable, LogFile] = OrderedDict()

    def open(self, path: str, flags: int) -> LogFile:
        """Open a file for one holder. All segments' files are opened here. Raises OSError.

        If the process has no free descriptor, sealed segments are closed to free one.
        """
        try:
            return LogFile.open(path, flags)
        except OSError as e:
            if e.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                raise
        self.forget_all()
        return LogFile.open(path, flags)

    def hold(self, segment: Reopenable) -> LogFile:
        """Return a sealed segment's file, with the caller as a further holder, who must release it.

        Raises OSError, FileNotFoundError if the file is deleted.
        """
        with self._lock:
            file = self._open.get(segment)
            if file is None:
                file = self.open(segment.path(), os.O_RDONLY)
                file.hold()
                self._put(segment, file)
            else:
                file.hold()
                self._open.move_to_end(segment)
            return file

    def put(self, segment: Reopenable, file: LogFile) -> None:
        """Take over the caller's hold of the open file of a segment that was sealed."""
        with self._lock:
            self._put(segment, file)

    def forget(self, segment: Reopenable) -> None:
        """Release the file of a segment that is removed."""
        with self._lock:
            file = self._open.pop(segment, None)
            if file is not None:
                file.release()

    def forget_all(self) -> None:
        """Release every file, also those of deleted segments that would be released later."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].release()

    def size(self) -> int:
        """Return the number of sealed segments that are kept open."""
        with self._lock:
            return len(self._open)

    def renaming(self) -> AbstractContextManager[object]:
        """Return a context in which no file is opened, so that a segment and its path change together."""
        return self._lock

    def _put(self, segment: Reopenable, file: LogFile) -> None:
        former = self._open.pop(segment, None)
        if former is not None:
            former.release()
        if is_in_reserve(file.fileno()):
            file.release()  # the last descriptors are for files that are being written
            return
        self._open[segment] = file
        while len(self._open) > self._limit:
            self._open.popitem(last=False)[1].release()
