# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor`` without the start of an interpreter: a process that has imported it forks for each run.

A run is a process of its own with its own output, environment and status. It takes a fifth of the CPU time of
a start. Tests of the start itself, of signals, and of imports start a process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]

# A child leaves the loop, and runs the command as the rest of its program.
_CODE = """
import json, os, sys
import kreactor.cli, kreactor.core.server.kafka_config, kreactor.embedded.broker_server
from kreactor.__main__ import main
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
run = json.loads(line)
for number, (name, flags) in enumerate(((os.devnull, os.O_RDONLY), (run["out"], os.O_WRONLY),
                                        (run["err"], os.O_WRONLY))):
    os.dup2(os.open(name, flags), number)
os.closerange(3, 256)
os.environ.clear()
os.environ.update(run["environment"])
sys.argv[:] = ["kreactor", *run["args"]]
main()
"""


class WarmCommand:
    """Runs the command. Used by one thread at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, args: Sequence[str], environment: dict[str, str]) -> tuple[int, str, str]:
        """Run the command to its end; return its status, its output, and its errors."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            print(json.dumps({"args": [*args], "environment": environment, "out": out.name, "err": err.name}),
                  file=self._process.stdin, flush=True)
            status = int(self._process.stdout.readline())
            return status, out.read().decode(), err.read().decode()


@contextmanager
def warm_command(*options: str) -> Iterator[WarmCommand]:
    """Give the command in a process that Python started with these options."""
    with subprocess.Popen([sys.executable, *options, "-c", _CODE], cwd=ROOT, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)},
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL)) as process:
        yield WarmCommand(process)
