# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs all tests, in parts side by side: for tools/test, if it is given nothing.

A test waits for sockets, processes and Spark more than it computes, so parts beside each other end earlier.
What a part says is printed when it ends; the status is 1 if one has failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO

SERVER = ("tests/clients", "tests/core/server")
NETWORK = ("tests/common", "tests/core/cluster", "tests/core/coordinator", "tests/core/metrics",
           "tests/core/network", "tests/core/utils")
PARTS: Mapping[str, Sequence[str]] = {
    "clients and server": SERVER,
    "network": NETWORK,
    # What the two leave, so that a new folder is not forgotten.
    "the rest": ("tests", *(f"--ignore={folder}" for folder in SERVER + NETWORK)),
}


def run(parts: Mapping[str, Sequence[str]]) -> int:
    """Run pytest once for each part's arguments, all at once. Return 0 if all have passed, else 1."""
    running: list[tuple[str, subprocess.Popen[bytes], IO[bytes]]] = []
    failed = []
    try:
        for name, arguments in parts.items():
            output: IO[bytes] = tempfile.TemporaryFile()
            process = subprocess.Popen((sys.executable, "-m", "pytest", *arguments),
                                       stdout=output, stderr=subprocess.STDOUT)
            running.append((name, process, output))
        for name, process, output in running:
            status = process.wait()
            output.seek(0)
            print(f"----- {name} -----", flush=True)
            sys.stdout.buffer.write(output.read())
            sys.stdout.buffer.flush()
            if status:
                failed.append(name)
    finally:
        for _, process, output in running:
            process.terminate()
            process.wait()
            output.close()
    print(f"failed: {', '.join(failed)}" if failed else "all parts passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(run(PARTS))
