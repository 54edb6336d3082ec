# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A Kafka 3.8.0 of the test's own, with listeners and settings of its own.

KREACTOR_ORACLE_SH names the script that starts one: ``start FOLDER KEY=VALUE ...`` and ``stop FOLDER``. PORT0
is the first of 20 ports, 19092 if it is not set; the script waits for the fifth of them to be open.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.stepping import wait_until

HOST = "127.0.0.1"


class LiveKafka:
    """One that runs, or was killed; called with the name of a listener it returns its port."""

    def __init__(self, script: str, folder: Path, ports: Mapping[str, int], props: Mapping[str, str]) -> None:
        self.folder = folder
        self._script = script
        self._ports = ports
        self._props = props

    def __call__(self, listener: str) -> int:
        return self._ports[listener]

    def start(self) -> None:
        """Start the broker, or start it again on its data."""
        subprocess.run([self._script, "start", str(self.folder),
                        *(f"{key}={value}" for key, value in self._props.items())],
                       env={**os.environ, "PORT0": str(min(self._ports.values()))}, check=True, timeout=240)

    def stop(self) -> None:
        """Stop the broker in order."""
        subprocess.run([self._script, "stop", str(self.folder)], check=True, timeout=120)

    def kill(self) -> None:
        """Kill the broker by SIGKILL."""
        pid = int((self.folder / "pid").read_text())
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)

    def run(self, tool: str, *arguments: str) -> str:
        """Return what one of Kafka's own tools, by the name of its class, writes."""
        done = subprocess.run([self._script, "run", tool, *arguments], capture_output=True, text=True,
                              timeout=240)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def begin(self, program: Path) -> subprocess.Popen[str]:
        """Start a program of one Java file with Kafka's classes; its input and output are pipes."""
        return subprocess.Popen([self._script, "run", str(program)], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)


@contextmanager
def live_kafka(folder: Path, listeners: Sequence[str],
               properties: Callable[[Mapping[str, int]], dict[str, str]]) -> Iterator[LiveKafka]:
    """Start one with ``properties`` for the ports of ``listeners``.

    Skips the test where there is no script. The first listener is PLAINTEXT; the last opens last.
    """
    script = os.environ.get("KREACTOR_ORACLE_SH")
    if script is None:
        pytest.skip("needs a script that starts a Kafka 3.8.0, named by KREACTOR_ORACLE_SH")
    port0 = int(os.environ.get("PORT0", "19092"))
    ports = {name: port0 + 5 + number for number, name in enumerate(listeners)}
    ports |= {listeners[0]: port0, listeners[-1]: port0 + 4}
    props = properties(ports)
    props["listeners"] += f",CONTROLLER://{HOST}:{port0 + 1}"
    props["listener.security.protocol.map"] += ",CONTROLLER:PLAINTEXT"
    kafka = LiveKafka(script, folder, ports, props)
    kafka.start()
    try:
        yield kafka
    finally:
        kafka.stop()
