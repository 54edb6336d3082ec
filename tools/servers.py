# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Servers in separate processes, their clients, and the arguments of the tools that measure them."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.environments import ROOT, TOOLS

if TYPE_CHECKING:
    from rich.table import Table

# The console script of any environment; it runs in ROOT, where kreactor is found.
KREACTOR = (sys.executable, "-c", "from kreactor.cli import main; main(prog_name='kreactor')")
COMMAND = KREACTOR[1:]
LISTENING = "Listening on PLAINTEXT://"

# ApiVersions in version 0, correlation id 7, client "test": the first request of any client.
API_VERSIONS = struct.pack(">ihhih4s", 14, 18, 0, 7, 4, b"test")

STOP_S = 10.0
# How many ports broker.sh takes, from its first one on.
JVM_PORTS = 6
# From the port of plain text to that of TLS.
TLS_OFFSET = 2


class Failed(Exception):
    """The measurement is not possible here; the text is the reason in one line."""


def end_by_signal() -> None:
    """Make SIGTERM end this process as Ctrl-C does, with all started processes stopped."""
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the code that stops the started process knows it."""
    held: list[int] = []
    handlers = {number: signal.signal(number, lambda number, _: held.append(number))
                for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for asked in held:
            signal.raise_signal(asked)


@dataclass(frozen=True)
class Server:
    """A server to be measured; ``process`` is None if another process starts it, or if it runs already."""

    name: str
    host: str
    port: int
    process: subprocess.Popen[str] | None = None
    # The id of a process that another process has started for this one.
    other_pid: int | None = None
    # The distance from its port to its TLS port.
    tls_offset: int = 0

    def pid(self) -> int:
        """Return the process id. Raises Failed if the process has ended, or was not started here."""
        if self.other_pid is not None and Path(f"/proc/{self.other_pid}").exists():
            return self.other_pid
        if self.process is None or self.process.poll() is not None:
            raise Failed(f"{self.name} does not run any more")
        return self.process.pid

    def cpu_seconds(self) -> float | None:
        """Return the server's CPU time, or None if it was not started here."""
        if self.process is None and self.other_pid is None:
            return None
        # The fields after the name, which ends with the last parenthesis: the 12th and 13th are times.
        fields = Path(f"/proc/{self.pid()}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self) -> int:
        """Return the number of the server's open descriptors."""
        return len(os.listdir(f"/proc/{self.pid()}/fd"))

    def rss_kib(self) -> int:
        """Return the resident memory in KiB, exactly: the figure of `ps` is not exact."""
        for line in Path(f"/proc/{self.pid()}/smaps_rollup").read_text().splitlines():
            if line.startswith("Rss:"):
                return int(line.split()[1])
        raise Failed("the kernel does not say how much memory is resident")


@dataclass(frozen=True)
class Ours:
    """A kreactor to measure; its number of network threads is the run's unless it has its own.

    ``edition`` is the name of an older network layer, "" for that of 3.8.0. ``fast`` is "" for Kafka's paths,
    "all" for kreactor.fast, or the one part of it that tools/bench/fast_parts.py leaves in.
    """

    name: str = "kreactor"
    python: str = sys.executable
    tree: Path = ROOT
    network_threads: int | None = None
    edition: str = ""
    fast: str = ""


@contextmanager
def started(name: str, command: Sequence[str], prefix: str = "",
            env: Mapping[str, str] | None = None, tree: Path = ROOT) -> Iterator[Server]:
    """Start a server that prints ``prefix`` and the port, with or without the host, once it listens."""
    process: subprocess.Popen[str] | None = None
    try:
        # In a separate process group, so that Ctrl-C signals only this process, which then stops all others.
        with uninterrupted():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                       cwd=tree, env=env, process_group=0)
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        port = line.removeprefix(prefix).rpartition(":")[2]
        if not line.startswith(prefix) or not port.isdigit():
            raise Failed(f"{name} does not start" + (f": {line}" if line else ""))
        yield Server(name, "127.0.0.1", int(port), process)
    finally:
        if process is not None:
            stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """Stop a process, by force if it takes too long."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
    with process:
        pass


def serve_command(folder: str, overrides: Mapping[str, str], python: str = sys.executable,
                  edition: str = "", fast: str = "") -> list[str]:
    """Return the command of a broker with Kafka's defaults, ``overrides``, and its data in ``folder``.

    ``edition`` and ``fast`` are those of ``Ours``.
    """
    properties = {"listeners": "PLAINTEXT://127.0.0.1:0", **overrides}
    options = [option for key, value in properties.items() for option in ("--override", f"{key}={value}")]
    if edition:
        options += ["--edition", edition]
    if fast:
        options.append("--fast")
    command = ["-m", "tools.bench.fast_parts", fast] if fast not in ("", "all") else COMMAND
    return [python, *command, "serve", "--data", folder, *options]


@contextmanager
def broker(overrides: Mapping[str, str], env: Mapping[str, str] | None = None,
           ours: Ours = Ours()) -> Iterator[Server]:
    """Start a broker with Kafka's defaults except for ``overrides``, on a new data folder."""
    with tempfile.TemporaryDirectory(prefix="kreactor-") as folder:
        command = serve_command(folder, overrides, ours.python, ours.edition, ours.fast)
        with started(ours.name, command, LISTENING, env, ours.tree) as server:
            yield server


@contextmanager
def tls_broker(overrides: Mapping[str, str], keystore: Path, ours: Ours = Ours()) -> Iterator[Server]:
    """Start a broker as ``broker`` does, with a TLS port in addition."""
    port = free_ports(TLS_OFFSET + 1)
    listeners = f"PLAINTEXT://127.0.0.1:{port},SSL://127.0.0.1:{port + TLS_OFFSET}"
    with broker({**overrides, "listeners": listeners, "ssl.keystore.type": "PEM",
                 "ssl.keystore.location": str(keystore)}, ours=ours) as server:
        yield replace(server, tls_offset=TLS_OFFSET)


@contextmanager
def peer(name: str, answer_size: int, work: str = "answer", env: Mapping[str, str] | None = None,
         keystore: Path | None = None) -> Iterator[Server]:
    """Start a server of bench/peer_servers.py with one kind of work; with a key store it uses TLS."""
    command = [sys.executable, str(TOOLS / "bench" / "peer_servers.py"), name, work, str(answer_size)]
    if keystore is not None:
        command.append(str(keystore))
    with started(name, command, env=env) as server:
        yield server


@contextmanager
def jvm(name: str, broker_sh: Path, overrides: Mapping[str, str]) -> Iterator[Server]:
    """Start Kafka on the JVM with the script of --jvm, on a new data folder."""
    with tempfile.TemporaryDirectory(prefix="kreactor-jvm-", ignore_cleanup_errors=True) as folder:
        port = free_ports(JVM_PORTS)
        try:
            begun = subprocess.run(
                [broker_sh, "start", folder, *(f"{key}={value}" for key, value in overrides.items())],
                env={**os.environ, "PORT0": str(port)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL, text=True, process_group=0)
            if begun.returncode:
                last = begun.stderr.strip().splitlines()[-1:]
                raise Failed(f"{name} does not start: {''.join(last) or broker_sh.name}")
            yield Server(name, "127.0.0.1", port, other_pid=int(Path(folder, "pid").read_text()),
                         tls_offset=TLS_OFFSET)
        finally:
            if Path(folder, "pid").exists():
                subprocess.run([broker_sh, "stop", folder], stdin=subprocess.DEVNULL, process_group=0)


def free_ports(count: int) -> int:
    """Return the first of ``count`` consecutive ports that are free now."""
    # The ports are below the system's ephemeral range, from which another process could soon get one. The
    # order is random because two tools at once would both find the first ports free.
    firsts = range(20_000, 30_000, count)
    for first in random.sample(firsts, len(firsts)):
        with ExitStack() as stack, suppress(OSError):
            for port in range(first, first + count):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    raise Failed(f"there are no {count} free ports from 20000 to 30000")


def ask(connection: socket.socket, request: bytes = API_VERSIONS) -> int:
    """Send a request and read the response; return its size on the wire."""
    connection.sendall(request)
    return read_answer(connection)


def read_answer(connection: socket.socket) -> int:
    """Read a response; return its size on the wire. Raises Failed if the connection ends before."""
    return 4 + len(read_frame(connection))


def read_frame(connection: socket.socket) -> bytes:
    """Read a response; return it without its size. Raises Failed if the connection ends before."""
    return _read(connection, int.from_bytes(_read(connection, 4), "big"))


def _read(connection: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        piece = connection.recv(size - len(content))
        if not piece:
            raise Failed("the server closed a connection")
        content += piece
    return bytes(content)


@contextmanager
def compiled_client() -> Iterator[Path]:
    """Compile bench_client.c into a temporary folder."""
    with compiled("bench_client") as client:
        yield client


@contextmanager
def compiled(name: str) -> Iterator[Path]:
    """Compile a C program of tools/bench into a temporary folder."""
    compiler = os.environ.get("CC", "cc")
    if shutil.which(compiler) is None:
        raise Failed(f"no C compiler: {compiler} is not there, which {name}.c needs; CC names another")
    with tempfile.TemporaryDirectory(prefix="kreactor-bench-") as folder:
        program = Path(folder, name)
        command = [compiler, "-O2", "-o", str(program), str(TOOLS / "bench" / f"{name}.c")]
        if has_openssl(compiler):
            command += ["-DTLS", "-lssl", "-lcrypto"]
        if subprocess.run(command).returncode:
            raise Failed(f"{compiler} could not compile {name}.c: see above")
        yield program


def has_openssl(compiler: str) -> bool:
    """Return whether programs can be compiled with OpenSSL."""
    return not subprocess.run([compiler, "-E", "-include", "openssl/ssl.h", "-x", "c", os.devnull],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def start_client(client: Path, server: Server, connections: int, seconds: float, warm_up: float,
                 request: bytes = API_VERSIONS, options: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start to load a server; bench_client.c describes the options and the lines of JSON."""
    command = [str(client), *options, server.host, str(server.port), str(connections), str(seconds),
               str(warm_up)]
    process: subprocess.Popen[bytes] | None = None
    try:
        with uninterrupted():
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, process_group=0)
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # the client has ended, so there will be no report
            process.stdin.write(request)
            process.stdin.close()
        return process
    except BaseException:
        if process is not None:
            process.kill()
            process.wait()
        raise


def warm_up_report(process: subprocess.Popen[bytes], server: Server) -> dict[str, Any]:
    """Wait for the first report of a client and return it. Raises Failed if there is none."""
    assert process.stdout is not None and process.stderr is not None
    line = process.stdout.readline()
    if not line:
        why = process.stderr.read().decode().strip()
        if server.process is not None:
            with suppress(subprocess.TimeoutExpired):
                raise Failed(f"{server.name} ended with status {server.process.wait(0.5)} under load")
        raise Failed(f"the load on {server.name} broke off" + (f": {why}" if why else ""))
    report: dict[str, Any] = json.loads(line)
    return report


def next_report(process: subprocess.Popen[bytes], server: Server) -> dict[str, Any]:
    """Return a later report of a client. Raises Failed if there is none, or no request was answered."""
    report = warm_up_report(process, server)
    if not report["requests"]:
        raise Failed(f"{server.name} answered nothing in {report['seconds']} s")
    return report


def names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Return a parser of an argument with names of ``known``."""
    def parse(text: str) -> list[str]:
        chosen = text.split(",")
        for name in chosen:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(known)}")
        return [name for name in known if name in chosen]

    return parse


def positive(text: str) -> int:
    """Parse a positive number."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


def seconds(text: str) -> float:
    """Parse a time in seconds."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is no time from 0.1 to 3600 seconds")
    return value


def print_wide(table: Table) -> None:
    """Print a table; output to a file is not truncated to a screen's width."""
    from rich.console import Console

    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
