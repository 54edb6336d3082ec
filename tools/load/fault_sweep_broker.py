# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs `kreactor` in a process in which system calls fail as tools/load/fault_sweep orders.

    python -m tools.load.fault_sweep_broker FAULT serve ...

An input line "CALL ERROR OCCURRENCE" makes that occurrence of the call fail once, counted from now on; "CALL"
alone disarms the fault. FAULT is such a line, or "", and counts from before the start. After the fault the
process prints "FAULT CALL ERROR" and the place of the call.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from kreactor.cli import main
from kreactor.jdk import executors, nio_buffer, nio_channels

# For failures that are not system errors.
MEMORY, THREADS = "MemoryError", "RuntimeError"


class Injector:
    """Makes one call fail, on any thread; a fault happens once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Guarded by the lock.
        self._call = self._error = ""
        self._left = 0

    def arm(self, call: str, error: str = "", occurrence: int = 0) -> None:
        with self._lock:
            self._call, self._error, self._left = call, error, occurrence

    def check(self, call: str) -> None:
        """Raise the error if this is the chosen occurrence."""
        if call != self._call:
            return
        with self._lock:
            if call != self._call or self._left <= 0:
                return
            self._left -= 1
            if self._left:
                return
            error = self._error
        frame = traceback.extract_stack(limit=4)[-3]
        os.write(1, f"FAULT {call} {error} {os.path.basename(frame.filename)}:{frame.lineno}\n".encode())
        if error == MEMORY:
            raise MemoryError
        if error == THREADS:
            raise RuntimeError("can't start new thread")
        code = getattr(errno, error)
        raise OSError(code, os.strerror(code))

    def wrap(self, owner: Any, name: str, call: str | None = None) -> None:
        """Wrap a function of a module or a class, so that it can fail."""
        made: Callable[..., Any] = getattr(owner, name)
        told = call or name

        def failing(*args: Any, **kwargs: Any) -> Any:
            self.check(told)
            return made(*args, **kwargs)

        setattr(owner, name, failing)


def arm(injector: Injector, line: str) -> None:
    """Arm the fault of a line."""
    call, *rest = line.split()
    injector.arm(call, rest[0] if rest else "", int(rest[1]) if len(rest) > 1 else 0)


def listen(injector: Injector) -> None:
    """Read lines until the input ends, then end the process, so that it does not outlive the tool."""
    for line in sys.stdin:
        arm(injector, line)
    os._exit(1)


def install(injector: Injector) -> None:
    """Wrap the calls of the jdk and log layers that may fail."""
    for name in ("open", "pwrite", "pread", "rename", "replace", "remove", "mkdir", "fsync",
                 "ftruncate", "fstat", "stat", "scandir", "listdir", "sendfile"):
        injector.wrap(os, name)
    for name in ("recv_into", "recv", "send", "sendmsg", "recvmsg_into", "accept"):
        injector.wrap(socket.socket, name)
    injector.wrap(threading.Thread, "start", "thread")
    allocate = nio_buffer.ByteBuffer.allocate

    def failing_allocate(*args: Any) -> nio_buffer.ByteBuffer:
        injector.check("memory")
        return allocate(*args)

    setattr(nio_buffer.ByteBuffer, "allocate", staticmethod(failing_allocate))
    assert nio_channels and executors


if __name__ == "__main__":
    made = Injector()
    fault = sys.argv.pop(1)
    threading.Thread(target=listen, args=(made,), daemon=True).start()
    install(made)
    if fault:
        arm(made, fault)
    main(prog_name="kreactor")
