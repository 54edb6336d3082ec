# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What every test shares: after each, no thread, descriptor or socket may be left."""

from __future__ import annotations

import gc
import os
import threading
import time
from typing import Iterator

import hypothesis
import psutil
import pytest

# How long an example takes says nothing: the machine may be busy.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# How long a thread that was told to end may take to be gone.
GRACE_S = 60.0


def _descriptors() -> dict[str, str]:
    """Return the open descriptors of this process by number, with what each is."""
    if not os.path.isdir("/proc/self/fd"):
        return {str(number): "?" for number in range(psutil.Process().num_fds())}
    found = {}
    for number in os.listdir("/proc/self/fd"):
        try:
            found[number] = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            pass  # the descriptor of the listing itself
    return found


def _left_over(threads: set[threading.Thread], descriptors: dict[str, str]) -> list[str]:
    new_threads = [f"thread {t.name}" for t in threading.enumerate() if t not in threads]
    now = _descriptors()
    if len(now) <= len(descriptors):
        return new_threads
    return new_threads + [f"descriptor {number} {what}" for number, what in sorted(now.items())
                          if descriptors.get(number) != what]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Fail the test that leaves a thread or a descriptor behind."""
    threads, descriptors = set(threading.enumerate()), _descriptors()
    yield
    deadline = time.monotonic() + GRACE_S
    left = _left_over(threads, descriptors)
    while left and time.monotonic() < deadline:
        gc.collect()
        time.sleep(0.01)
        left = _left_over(threads, descriptors)
    assert not left, f"left behind: {', '.join(left)}"
