# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A Kafka 3.8.0 of the test's own, with listeners and settings of its own.

KREACTOR_ORACLE_SH names the script that starts one: ``start FOLDER KEY=VALUE ...`` and ``stop FOLDER``. PORT0
is the first of 20 ports, 19092 if it is not set; the script waits for the fifth of them to be open.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

HOST = "127.0.0.1"


@contextmanager
def live_kafka(folder: Path, listeners: Sequence[str],
               properties: Callable[[Mapping[str, int]], dict[str, str]]) -> Iterator[Callable[[str], int]]:
    """Start one with ``properties`` for the ports of ``listeners``; give the port of each by its name.

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
    subprocess.run([script, "start", str(folder), *(f"{key}={value}" for key, value in props.items())],
                   env={**os.environ, "PORT0": str(port0)}, check=True, timeout=240)
    try:
        yield ports.__getitem__
    finally:
        subprocess.run([script, "stop", str(folder)], check=True, timeout=120)
