# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What tools/test runs if it is given nothing: linter, type checker and all tests, in parts side by side.

A test waits for sockets, processes and Spark more than it computes, so parts beside each other end earlier.
What a part says is printed when it ends; the status is 1 if one has failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO

SERVER = ("tests/clients", "tests/core/server")
NETWORK = ("tests/common", "tests/core/cluster", "tests/core/coordinator", "tests/core/metrics",
           "tests/core/network", "tests/core/utils")
"""Two parts, of folders; the third is what they leave, so that a new folder is not forgotten."""

PYTEST = (sys.executable, "-m", "pytest")
CHECKS: tuple[tuple[str, Sequence[str]], ...] = (
    ("flake8", (sys.executable, "-m", "flake8")),
    ("mypy", (sys.executable, "-m", "mypy", "--strict", "kreactor")),
)
PARTS: tuple[tuple[str, Sequence[str]], ...] = (
    ("clients and server", (*PYTEST, *SERVER)),
    ("network", (*PYTEST, *NETWORK)),
    ("the rest", (*PYTEST, "tests", *(f"--ignore={folder}" for folder in SERVER + NETWORK))),
)


def main() -> int:
    for name, command in CHECKS:
        if subprocess.run(command).returncode:
            print(f"{name} failed")
            return 1
    running: list[tuple[str, subprocess.Popen[bytes], IO[bytes]]] = []
    for name, command in PARTS:
        output: IO[bytes] = tempfile.TemporaryFile()
        running.append((name, subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT), output))
    failed = []
    try:
        for name, process, output in running:
            status = process.wait()
            output.seek(0)
            print(f"----- {name} -----", flush=True)
            sys.stdout.buffer.write(output.read())
            sys.stdout.buffer.flush()
            output.close()
            if status:
                failed.append(name)
    finally:
        for _, process, _ in running:
            process.terminate()
    print(f"failed: {', '.join(failed)}" if failed else "all parts passed")
    return 1 if failed else 0


if __name__ == "__main__":
    if not Path("setup.cfg").exists():
        sys.exit("to be run by tools/test, from the project's folder")
    sys.exit(main())
