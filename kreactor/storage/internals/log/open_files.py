# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which segments have their file open.

A log's active segment always has: one descriptor per partition. Of all sealed segments together, those that
were read last have theirs open, up to a limit (256 if nothing else is said); the others open when somebody
reads them.

A file is opened when a read needs it, and a read holds it until the read is done. So an answer that is sent
in many steps needs no descriptor between two of them, and follows a segment that is renamed.

DEVIATION D73: Kafka keeps every segment open until it is deleted, and needs ``ulimit -n`` raised for it.

Locks: one, taken before those of the files. Files are opened under it, so that two readers do not open one
twice, and segments renamed, so that no reader looks for a file under its old name.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import Protocol

from kreactor.jdk.descriptors import is_in_reserve
from kreactor.storage.internals.log.log_file import LogFile

DEFAULT_LIMIT = 256


class Reopenable(Protocol):
    """A sealed segment, as far as this module knows it."""

    def path(self) -> str:
        """Return where the file is now."""


class OpenFiles:
    """Opens segments' files, and forgets those that nobody has read for the longest time."""

    __slots__ = ("_limit", "_lock", "_open")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        """Keep at most ``limit`` sealed segments open, besides those that somebody reads at this moment."""
        self._limit = limit
        # Reentrant: ``hold`` opens a file under it.
        self._lock = threading.RLock()
        # The last used is last. This object is one holder of each file.
        self._open: OrderedDict[Reopenable, LogFile] = OrderedDict()

    def open(self, path: str, flags: int) -> LogFile:
        """Open a file, for one holder; all segments' files are opened here. Raises OSError.

        Where the process has no descriptor left, sealed segments give theirs.
        """
        try:
            return LogFile.open(path, flags)
        except OSError as e:
            if e.errno not in (errno.EMFILE, errno.ENFILE) or not self._open:
                raise
        self.forget_all()
        return LogFile.open(path, flags)

    def hold(self, segment: Reopenable) -> LogFile:
        """Return a sealed segment's file, with one more holder: the caller, who lets it go.

        Raises OSError, FileNotFoundError if the file is gone.
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
        """Become the holder of the open file of a segment that was sealed, in place of the caller."""
        with self._lock:
            self._put(segment, file)

    def forget(self, segment: Reopenable) -> None:
        """Let go of the file of a segment that goes away."""
        with self._lock:
            file = self._open.pop(segment, None)
            if file is not None:
                file.let_go()

    def forget_all(self) -> None:
        """Let go of every file, also of deleted segments that would be removed later."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].let_go()

    def size(self) -> int:
        """Return the number of sealed segments whose file is kept open."""
        with self._lock:
            return len(self._open)

    def renaming(self) -> AbstractContextManager[object]:
        """Return a context in which no file is opened: a segment and its path change together in it."""
        return self._lock

    def _put(self, segment: Reopenable, file: LogFile) -> None:
        former = self._open.pop(segment, None)
        if former is not None:
            former.let_go()
        if is_in_reserve(file.fileno()):
            file.let_go()  # the last descriptors are for files that are being written
            return
        self._open[segment] = file
        while len(self._open) > self._limit:
            self._open.popitem(last=False)[1].let_go()
