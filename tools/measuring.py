# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What the scripts that measure have in common: servers as processes of their own, and who loads them."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / "tools"
NEEDED = ("click", "crc32c", "rich")

# The console script, whatever environment this is; run in ROOT, where kreactor is found.
KREACTOR = (sys.executable, "-c", "from kreactor.cli import main; main(prog_name='kreactor')")
LISTENING = "Listening on PLAINTEXT://"

# ApiVersions in version 0, correlation id 7, client "test": what any client asks first.
API_VERSIONS = struct.pack(">ihhih4s", 14, 18, 0, 7, 4, b"test")

STOP_S = 10.0


class Failed(Exception):
    """It cannot be measured here; the text says why, in one line."""


def ensure_environment() -> None:
    """Go on, in the environment of tools/test if this Python has not what kreactor needs."""
    if not sys.platform.startswith("linux"):
        raise SystemExit("This measures on Linux only: it uses epoll and /proc.")
    if all(importlib.util.find_spec(name) for name in NEEDED):
        return
    made = subprocess.run([TOOLS / "environment", "demo", "test"], stdout=subprocess.PIPE, text=True)
    if made.returncode:
        raise SystemExit(made.returncode)
    python = os.path.join(made.stdout.strip(), "python")
    if os.path.realpath(sys.prefix) == os.path.realpath(ROOT / ".venv"):
        raise SystemExit(f"{python} has not all of {', '.join(NEEDED)}.")
    os.execv(python, [python, *sys.argv])


@dataclass(frozen=True)
class Server:
    """A server to be measured; ``process`` is None if it runs without us."""

    name: str
    host: str
    port: int
    process: subprocess.Popen[str] | None = None

    def pid(self) -> int:
        """Return the process. Raises Failed if it has ended, or is not ours."""
        if self.process is None or self.process.poll() is not None:
            raise Failed(f"{self.name} does not run any more")
        return self.process.pid

    def cpu_seconds(self) -> float | None:
        """Return the CPU time that it has had, None if it is not ours to ask."""
        if self.process is None:
            return None
        # The fields after the name, which ends with the last parenthesis: the 12th and 13th are times.
        fields = Path(f"/proc/{self.pid()}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self) -> int:
        """Return how many descriptors it has open."""
        return len(os.listdir(f"/proc/{self.pid()}/fd"))

    def rss_kib(self) -> int:
        """Return how much of its memory is resident, in KiB, exactly: what `ps` says is not."""
        for line in Path(f"/proc/{self.pid()}/smaps_rollup").read_text().splitlines():
            if line.startswith("Rss:"):
                return int(line.split()[1])
        raise Failed("the kernel does not say how much memory is resident")


@contextmanager
def started(name: str, command: Sequence[str], prefix: str = "",
            env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Start a server that prints ``prefix`` and the port, behind its host or alone, once it listens."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                               env=env)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        port = line.removeprefix(prefix).rpartition(":")[2]
        if not line.startswith(prefix) or not port.isdigit():
            raise Failed(f"{name} does not start" + (f": {line}" if line else ""))
        yield Server(name, "127.0.0.1", int(port), process)
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
        with process:
            pass


def serve_command(folder: str, overrides: Mapping[str, str]) -> list[str]:
    """Return the command of a broker with Kafka's defaults but for ``overrides``, its data in ``folder``."""
    properties = {"listeners": "PLAINTEXT://127.0.0.1:0", **overrides}
    options = [option for key, value in properties.items() for option in ("--override", f"{key}={value}")]
    return [*KREACTOR, "serve", "--data", folder, *options]


@contextmanager
def broker(overrides: Mapping[str, str], env: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Start a broker with Kafka's defaults but for ``overrides``, on data of its own."""
    with tempfile.TemporaryDirectory(prefix="kreactor-") as folder:
        with started("kreactor", serve_command(folder, overrides), LISTENING, env) as server:
            yield server


@contextmanager
def peer(name: str, answer_size: int) -> Iterator[Server]:
    """Start one of the servers in bench_peers.py."""
    command = [sys.executable, str(TOOLS / "bench_peers.py"), name, str(answer_size)]
    with started(name, command) as server:
        yield server


def ask(connection: socket.socket, request: bytes = API_VERSIONS) -> int:
    """Send a request and read the answer; return its size on the wire."""
    connection.sendall(request)
    return read_answer(connection)


def read_answer(connection: socket.socket) -> int:
    """Read an answer; return its size on the wire. Raises Failed if the connection ends before it does."""
    size = int.from_bytes(_read(connection, 4), "big")
    return 4 + len(_read(connection, size))


def _read(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size:
        piece = connection.recv(size - len(content))
        if not piece:
            raise Failed("the server closed a connection")
        content += piece
    return content


@contextmanager
def compiled_client() -> Iterator[Path]:
    """Compile bench_client.c into a folder that goes away."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        raise Failed(f"no C compiler: {compiler} is not there, which bench_client.c needs; CC names another")
    with tempfile.TemporaryDirectory(prefix="kreactor-bench-") as folder:
        client = Path(folder, "bench_client")
        if subprocess.run([compiler, "-O2", "-o", client, TOOLS / "bench_client.c"]).returncode:
            raise Failed(f"{compiler} could not compile bench_client.c: see above")
        yield client


def start_client(client: Path, server: Server, connections: int, seconds: float, warm_up: float,
                 request: bytes = API_VERSIONS) -> subprocess.Popen[bytes]:
    """Start to load a server; the lines of JSON that come out are described in bench_client.c."""
    command = [str(client), server.host, str(server.port), str(connections), str(seconds), str(warm_up)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # then it has ended, and there will be no report
        process.stdin.write(request)
        process.stdin.close()
    return process


def warm_up_report(process: subprocess.Popen[bytes], server: Server) -> dict[str, Any]:
    """Return the first report of a client, when it comes. Raises Failed if there is none."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise Failed(f"the load on {server.name} broke off")
    report: dict[str, Any] = json.loads(line)
    return report


def next_report(process: subprocess.Popen[bytes], server: Server) -> dict[str, Any]:
    """Return a later report of a client. Raises Failed if there is none, or no request was answered."""
    report = warm_up_report(process, server)
    if not report["requests"]:
        raise Failed(f"{server.name} answered nothing in {report['seconds']} s")
    return report


def positive(text: str) -> int:
    """Return the number that an argument spells."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


def seconds(text: str) -> float:
    """Return the time that an argument spells."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is no time from 0.1 to 3600 seconds")
    return value


def print_wide(table: Table) -> None:
    """Print a table; where it does not go to a screen, it is not cut to the width of one."""
    from rich.console import Console

    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
