# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``python -m kreactor`` is the ``kreactor`` command, and so is the script of that name.

Fact: the imports of a command take most of its start, and Python raises KeyboardInterrupt at any line of
them. Consequence: Ctrl-C showed a traceback, or was ignored in a callback of the import system. Choice: until
a command says otherwise, Ctrl-C ends the process at once with status 130. Cost: a command that has something
to clean up must say so, by ``kreactor.jdk.interrupts`` or by a handler of its own.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

# 128 plus the number of SIGINT.
_INTERRUPTED_STATUS = 130


def main() -> None:
    """Run the command, and end the process with its status."""
    # A process that was started in the background ignores the signal, and keeps ignoring it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from kreactor.cli import main as command
    command(prog_name="kreactor")


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED_STATUS)


if __name__ == "__main__":
    main()
