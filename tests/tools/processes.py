# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The processes that a tool starts."""

from __future__ import annotations

import time
from collections.abc import Iterable

import psutil


def children(pid: int) -> list[psutil.Process]:
    """Return the children of a process, whichever of its threads has started them."""
    found: list[psutil.Process] = psutil.Process(pid).children()
    return found


def wait_until_ended(processes: Iterable[psutil.Process]) -> None:
    """Wait for processes that need not be children of this one."""
    deadline = time.monotonic() + 120
    while alive := [process for process in processes if not has_ended(process)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.01)


def has_ended(process: psutil.Process) -> bool:
    """An orphan may stay a zombie: not every first process of a container asks how its orphans ended."""
    try:
        status: str = process.status()
    except psutil.NoSuchProcess:
        return True
    return status == psutil.STATUS_ZOMBIE
