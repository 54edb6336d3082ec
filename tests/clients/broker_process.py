# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker as a process of its own, which can be killed and started again where it was."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

import pytest

from tests.clients.client import PARTITIONS

HOST = "127.0.0.1"
# The disk may be as slow as it likes.
_START_WITHIN_S = _STOP_WITHIN_S = 120.0
_ROOT = Path(__file__).parents[2]
_LISTENING = re.compile(r"Listening on PLAINTEXT://127\.0\.0\.1:(\d+)\n")
_EPHEMERAL_PORTS = Path("/proc/sys/net/ipv4/ip_local_port_range")

# For tests whose brokers go away. kafka-python leaves the socket of a connection that was refused to the
# garbage collector.
REFUSED_CONNECTIONS = [
    pytest.mark.usefixtures("refused_connections_are_collected"),
    pytest.mark.filterwarnings(
        r"ignore:unclosed <socket.socket fd=\d+, family=2, type=1, proto=6, laddr=\('0.0.0.0', \d+\)>"
        ":ResourceWarning")]


def free_port(count: int = 1) -> int:
    """Return the first of so many ports that nobody listens on, and no client is given for its own end.

    A client that tries to reach a broker which is away, at a port it can be given itself, may end up
    connected to itself; the broker does not get its port back then.
    """
    low = int(_EPHEMERAL_PORTS.read_text().split()[0]) if _EPHEMERAL_PORTS.exists() else 32768
    ports = list(range(10_000, low - count))
    random.shuffle(ports)
    for port in ports:
        if all(map(_is_free, range(port, port + count))):
            return port
    raise OSError("no port is free")


def _is_free(port: int) -> bool:
    with socket.socket() as candidate:
        try:
            candidate.bind((HOST, port))
        except OSError:
            return False
        return True


class BrokerProcess:
    """A broker on one folder and one port. ``with`` starts it, and kills what is left of it at the end.

    With more ``brokers``, a cluster of those: the ports count up.
    """

    def __init__(self, folder: Path, brokers: int = 1, **properties: str) -> None:
        self.data = folder / "data"
        self.ports = range(first := free_port(brokers), first + brokers)
        self.port = first
        # Of all brokers.
        self.address = ",".join(f"{HOST}:{port}" for port in self.ports)
        self._stderr = folder / "stderr"
        self._properties = {
            "broker.id": "1",
            "listeners": f"PLAINTEXT://{HOST}:{self.port}",
            "num.partitions": str(len(PARTITIONS)),
            # So that there are several.
            "log.segment.bytes": str(1 << 20),
            # Records may say that they are old, and stay.
            "log.retention.ms": "-1",
            # Groups begin without a wait for members that might come.
            "group.initial.rebalance.delay.ms": "0",
            "offsets.topic.num.partitions": "5",
            **{name.replace("_", "."): value for name, value in properties.items()},
        }
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> BrokerProcess:
        self.start()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.kill()

    def start(self, within_s: float | None = None) -> bool:
        """Start the process; return whether it listens ``within_s``; if not, it is killed."""
        command = [sys.executable, "-m", "kreactor", "serve", "--data", str(self.data),
                   "--stop-within", str(_STOP_WITHIN_S), "--brokers", str(len(self.ports))]
        for name, value in self._properties.items():
            command += ["--override", f"{name}={value}"]
        with self._stderr.open("a") as stderr:
            self._process = process = subprocess.Popen(
                command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True)
        assert process.stdout is not None
        killed = threading.Event()

        def kill() -> None:
            killed.set()
            process.kill()

        killer = threading.Timer(_START_WITHIN_S if within_s is None else within_s, kill)
        killer.start()
        try:
            with process.stdout as stdout:
                lines = [stdout.readline() for _ in self.ports]
        finally:
            killer.cancel()
            killer.join()
        if killed.is_set() and within_s is not None:
            self.kill()
            return False
        assert all(map(_LISTENING.fullmatch, lines)), (
            f"the broker does not start: {lines}\n{self.complaints()}")
        return True

    def kill(self) -> None:
        """Kill the process, with no chance to say or write anything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Stop the process by a signal, as a user does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        assert self._process.wait() == 0, self.complaints()
        self._process = None

    def complaints(self) -> str:
        """Return the text that the process wrote to stderr."""
        return self._stderr.read_text()
