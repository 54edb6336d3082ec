# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The open file of a segment, which closes with its last holder. Not a port: D73 needs it.

The descriptor of a segment's file may be closed by one thread while another reads from it.

Fact: the kernel gives the number of a closed descriptor to the next file that opens. Consequence: a client
could get the bytes of another file. Choice: a ``LogFile`` counts its holders, which are its keeper and each
running read, and closes with the last of them. It does not wait for a garbage collector, because PyPy's runs
late. Cost: two short locks for each read or transfer.
"""

from __future__ import annotations

import os

from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import Lock
from kreactor.jdk.nio_channels import FileChannel

log = LogContext().logger(f"{__name__}.LogFile")


class LogFile(FileChannel):
    """The open file of a segment, which closes with its last holder. Any thread may be a holder."""

    __slots__ = ("_holders", "_lock", "__weakref__")

    def __init__(self, fd: int, path: str) -> None:
        """Own the descriptor ``fd``, with one holder: the caller. Prefer ``open``."""
        super().__init__(fd, path)
        self._lock = Lock()
        # Guarded by the lock.
        self._holders = 1
        owned_by_process(self)

    @staticmethod
    def open(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o644) -> LogFile:
        """Open ``path`` with the flags of ``os.open``, for one holder. Raises OSError."""
        return LogFile(Floor.os.open(path, flags | getattr(os, "O_CLOEXEC", 0), mode), os.fspath(path))

    def hold(self) -> bool:
        """Add a holder; return False if the file is already closed."""
        with self._lock:
            if self._holders == 0:
                return False
            self._holders += 1
            return True

    def release(self) -> None:
        """Remove a holder, and close the file with the last one. Logs an error of closing."""
        with self._lock:
            self._holders -= 1
            if self._holders > 0:
                return
        try:
            self.close()
        except OSError as e:
            log.warn("failed to close %s: %s", self, e)

    def fileno(self) -> int:
        """Return the descriptor. Raises ClosedChannelException."""
        return self._descriptor()

    def forget_in_child(self) -> None:
        """Close the descriptor in a forked child."""
        self.close()

    def read_at(self, count: int, position: int) -> bytes:
        """Return ``count`` bytes from ``position``; fewer only at the end of the file. Raises OSError."""
        data = Floor.os.pread(self._descriptor(), count, position)
        if len(data) < count and data:
            more = Floor.os.pread(self._descriptor(), count - len(data), position + len(data))
            while more:
                data += more
                more = Floor.os.pread(self._descriptor(), count - len(data), position + len(data))
        return data
