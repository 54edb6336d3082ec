# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The thread dump that SIGQUIT has a JVM print.

Fact: a signal interrupts the main thread between any two instructions, and a lock that the main thread holds
there is never released while the handler waits for it. Consequence: a handler that prints could hang. Choice:
the signal only writes one byte into a pipe, and a thread of its own reads the pipe and prints. Cost: one
thread and one pipe for each process that has dumps.

Python runs a handler on the main thread, once that thread executes Python again. A main thread that waits in
a system call runs none until the call ends, if the kernel gives the signal to another thread. So a process
has the byte written by ``signal.set_wakeup_fd``, which waits for no thread, unless its main thread waits for
the descriptor of its own ``set_wakeup_fd``.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple

from kreactor import __version__
from kreactor.jdk.clock import Clock
from kreactor.jdk.forks import owned_by_process

_NAME = "Signal Dispatcher"
_DUMP = bytes([signal.SIGQUIT])
_END = b"\0"
_JOIN_S = 5.0
# The functions in whose frame a thread waits for a lock or for another thread.
_WAITING = re.compile(r"(Condition\.wait|Event\.wait|Thread\.(join|_wait_for_tstate_lock)|"
                      r"acquire_within|Queue\.(get|put)|Wakeup\.sleep|\w+\.(acquire|await_\w+|lock))")
_OWNER = re.compile(r"owner=(\d+) count=([1-9]\d*)")


class _Dispatcher:
    """The pipe and its thread. Created and closed by the main thread."""

    def __init__(self, descriptor: int, uses_wakeup_fd: bool) -> None:
        self._descriptor = descriptor
        self._read_fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self._thread = threading.Thread(target=self._run, name=_NAME, daemon=True)
        self._thread.start()
        self._former_fd: int | None = None
        if uses_wakeup_fd:
            self._former_fd = signal.set_wakeup_fd(self._write_fd, warn_on_full_buffer=False)
        # getsignal would return None for a handler that is not Python's; such a handler cannot be restored.
        self._former = signal.signal(signal.SIGQUIT, self._on_signal) or signal.SIG_DFL
        owned_by_process(self)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._former_fd is None:
            self._write(_DUMP)

    def _write(self, byte: bytes) -> None:
        # A full pipe has enough dumps.
        with suppress(OSError):
            os.write(self._write_fd, byte)

    def _run(self) -> None:
        while (byte := os.read(self._read_fd, 1)) != _END:
            if byte == _DUMP:
                text = "\n".join(map(_text_of, (thread_dump, *_sections)))
                with suppress(OSError):
                    _write_all(self._descriptor, text.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """End the thread and restore the handling of the signal."""
        self._restore(self._former)
        if self._read_fd < 0:
            return
        # A full pipe has a reader that cannot print: the thread stays, and so does the pipe.
        self._write(_END)
        self._thread.join(_JOIN_S)
        if not self._thread.is_alive():
            self._close_pipe()

    def forget_in_child(self) -> None:
        """Restore the default handling in a forked child, which has no thread that prints."""
        self._restore(signal.SIG_DFL)
        self._close_pipe()

    def _restore(self, handler: Callable[[int, FrameType | None], object] | int) -> None:
        signal.signal(signal.SIGQUIT, handler)
        if self._former_fd is not None:
            signal.set_wakeup_fd(self._former_fd)
            self._former_fd = None

    def _close_pipe(self) -> None:
        read_fd, self._read_fd = self._read_fd, -1
        if read_fd >= 0:
            os.close(read_fd)
            os.close(self._write_fd)


@contextmanager
def thread_dumps(descriptor: int = 1, uses_wakeup_fd: bool = True) -> Iterator[None]:
    """Print a thread dump to ``descriptor`` each time that SIGQUIT arrives, until the end of the context.

    ``uses_wakeup_fd`` is False for a process whose main thread waits for a wake-up descriptor of its own.
    Does nothing on another thread than the main one, which alone may set handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    dispatcher = _Dispatcher(descriptor, uses_wakeup_fd)
    try:
        yield
    finally:
        dispatcher.close()


# Each returns a text that dumps have after the threads, such as the state of a broker.
_sections: list[Callable[[], str]] = []


def _text_of(section: Callable[[], str]) -> str:
    """Return the text of a part of a dump, or what failed in it."""
    try:
        return section()
    # Other threads change what a dump looks at. The next signal must find this thread.
    except Exception as e:
        return f"The thread dump failed: {e!r}\n"


def add_section(section: Callable[[], str]) -> None:
    """Have each dump that a signal prints end with the text of ``section``. Called by any thread."""
    _sections.append(section)


class ThreadStack(NamedTuple):
    """A thread, its innermost frame, and whether it waits there for a lock, a queue or another thread."""

    name: str
    frame: FrameType
    is_waiting: bool


def thread_stacks() -> list[ThreadStack]:
    """Return the stacks of all threads but the caller. Called by any thread."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return [ThreadStack(names.get(ident, f"Thread-{ident}"), frame, _is_waiting(frame))
            for ident, frame in sys._current_frames().items() if ident != threading.get_ident()]


def _is_waiting(frame: FrameType) -> bool:
    return _WAITING.fullmatch(frame.f_code.co_qualname) is not None


def thread_dump() -> str:
    """Return the names, states, stacks and known locks of all threads, in the form of the JVM's dump.

    Called by any thread.
    """
    frames = sys._current_frames()
    threads = {thread.ident: thread for thread in threading.enumerate()}
    lines = [Clock.utc().astimezone().isoformat(" ", "seconds")[:19],
             f"Full thread dump kreactor {__version__} ({sys.implementation.name} {sys.version.split()[0]}):",
             ""]
    main = threading.main_thread().ident
    for number, ident in enumerate(sorted(frames, key=lambda ident: ident != main), 1):
        lines += _thread_lines(number, ident, threads.get(ident), frames[ident])
    return "\n".join((*lines, ""))


def _thread_lines(number: int, ident: int, thread: threading.Thread | None, frame: FrameType) -> list[str]:
    name = f"Thread-{ident}" if thread is None else thread.name
    native_id = None if thread is None else thread.native_id
    is_waiting = _is_waiting(frame)
    state = "WAITING" if is_waiting else "RUNNABLE"
    kind = " daemon" if thread is not None and thread.daemon else ""
    nid = "unknown" if native_id is None else native_id
    lines = [f'"{name}" #{number}{kind} tid=0x{ident:016x} nid={nid}{_kernel_state(native_id)}',
             f"   Thread.State: {state}"]
    current: FrameType | None = frame
    while current is not None:
        code = current.f_code
        lines.append(f"\tat {current.f_globals.get('__name__')}.{code.co_qualname}"
                     f"({os.path.basename(code.co_filename)}:{current.f_lineno})")
        lines += _lock_lines(current, ident, is_waiting and current is frame)
        current = current.f_back
    return [*lines, ""]


def _kernel_state(native_id: int | None) -> str:
    """Return what Linux says of a thread; nothing on other systems, and for a thread that has ended."""
    try:
        with open(f"/proc/self/task/{native_id}/stat", encoding="ascii", errors="replace") as file:
            letter = file.read().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""
    return {"R": " running", "S": " sleeping", "D": " waiting for a disk", "T": " stopped"}.get(letter, "")


def _lock_lines(frame: FrameType, ident: int, is_waiting: bool) -> list[str]:
    """Return the locks of a frame's object that the thread owns, and the object at which it waits.

    Only reentrant locks know their owner.
    """
    owner = frame.f_locals.get("self")
    if owner is None:
        return []
    lines = []
    if is_waiting:
        lines.append(f"\t- waiting on <0x{id(owner):016x}> (a {type(owner).__name__})")
    fields = getattr(owner, "__dict__", {})
    for name, value in list(fields.items()) if isinstance(fields, dict) else ():
        lock = getattr(value, "_lock", value) if isinstance(value, threading.Condition) else value
        if type(lock).__name__ == "RLock" and (match := _OWNER.search(repr(lock))) and int(match[1]) == ident:
            lines.append(f"\t- locked <0x{id(lock):016x}> ({type(owner).__name__}.{name}, {match[2]} times)")
    return lines


def _write_all(descriptor: int, data: bytes) -> None:
    # Past the buffer of sys.stdout, whose lock another thread may hold.
    while data:
        data = data[os.write(descriptor, data):]
