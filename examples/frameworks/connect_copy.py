# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka Connect, a distributed worker: a sink writes the lines into a file, a source reads them from there.

The worker keeps its connectors, its offsets and its state in three compacted topics.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

STATE = Path(os.environ["STATE"])
CONNECTORS = {
    "sink": {"connector.class": "FileStreamSink", "topics": os.environ["LINES"]},
    "source": {"connector.class": "FileStreamSource", "topic": os.environ["COUNTS"]},
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def worker(port: int) -> subprocess.Popen[bytes]:
    properties = {
        "bootstrap.servers": os.environ["BOOTSTRAP_SERVERS"], "group.id": "connect",
        "listeners": f"http://127.0.0.1:{port}", "offset.flush.interval.ms": 500,
        "plugin.discovery": "only_scan", "plugin.path": STATE / "plugins",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.storage.StringConverter",
        **{f"{kind}.storage.topic": f"connect-{kind}" for kind in ("offset", "config", "status")},
        **{f"{kind}.storage.replication.factor": 1 for kind in ("offset", "config", "status")},
    }
    file = STATE / "worker.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    main_class = "org.apache.kafka.connect.cli.ConnectDistributed"
    return subprocess.Popen(["java", "-Xmx512m", "-cp", os.environ["JARS"], main_class, file])


def create(port: int, name: str, settings: dict[str, str]) -> None:
    body = {**settings, "file": str(STATE / "lines.txt"), "tasks.max": "1"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/connectors/{name}/config", json.dumps(body).encode(),
        {"Content-Type": "application/json"}, method="PUT")
    while True:
        try:
            urllib.request.urlopen(request, timeout=60).close()
            return
        except urllib.error.HTTPError as e:
            # The worker returns this error until its group is stable.
            if e.code not in (404, 409, 500, 503):
                sys.exit(e.read().decode())
        except OSError:
            pass
        time.sleep(0.5)


def main() -> None:
    port = free_port()
    process = worker(port)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    for name, settings in CONNECTORS.items():
        create(port, name, settings)
    sys.exit(process.wait())


if __name__ == "__main__":
    main()
