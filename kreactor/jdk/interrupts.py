# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Where Ctrl-C may interrupt a command. For the main thread.

The ``kreactor`` command ends at once by Ctrl-C. Work that an interrupt has to undo runs in ``interruptible``.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt in the block, unless this process ignores SIGINT."""
    former = signal.getsignal(signal.SIGINT)
    if former is signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
