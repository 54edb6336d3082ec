# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker beside what people's tests run with; each test skips where the package is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TESTS = """
import asyncio
import multiprocessing
import socket

import pytest

def connect(address):
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), 60).close()

@pytest.mark.parametrize("number", range(6))
def test_records(kafka_broker, kafka_topic, number):
    kafka_broker.produce(kafka_topic, str(number))
    kafka_broker.assert_records(kafka_topic, [str(number)])

def test_processes(kafka_broker):
    for method in ("fork", "spawn"):
        process = multiprocessing.get_context(method).Process(
            target=connect, args=(kafka_broker.bootstrap_servers,))
        process.start()
        process.join()
        assert process.exitcode == 0
"""

ASYNC_TEST = """
import asyncio
import pytest

@pytest.mark.asyncio
async def test_an_event_loop(kafka_broker, kafka_topic):
    waiting = asyncio.ensure_future(kafka_broker.wait_for_async(lambda: kafka_broker.records(kafka_topic)))
    await asyncio.sleep(0)
    kafka_broker.produce(kafka_topic, "v")
    assert await waiting
"""


def run(code: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-W", "error", *code], cwd=folder, capture_output=True, text=True,
                          timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("package, options", [
    ("xdist", ("-n", "2", "-p", "no:asyncio", "-p", "no:randomly")),
    ("pytest_randomly", ("-p", "no:asyncio")),
    # It warns where this is not set.
    ("pytest_asyncio", ("-o", "asyncio_default_fixture_loop_scope=function", "-p", "no:randomly")),
    ("pytest", ("-p", "no:asyncio", "-p", "no:randomly")),
])
def test_with_plugins_of_pytest(package: str, options: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip(package)
    (tmp_path / "test_it.py").write_text(ASYNC_TEST if package == "pytest_asyncio" else TESTS)
    done = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "kreactor.testing.pytest_plugin",
                *options], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_gevent_is_refused_in_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("gevent")
    done = run(["-c", """if True:
        import gevent.monkey
        gevent.monkey.patch_all()
        from kreactor.testing import Broker
        try:
            Broker().start()
        except RuntimeError as e:
            print(e)
        with Broker(process=True, topics=["t"]) as broker:
            broker.produce("t", "v")
            print(len(broker.consume("t", 1)))
        """], tmp_path)
    assert done.stdout.splitlines() == [
        "gevent has patched threads, which a broker needs as they are: take Broker(process=True)", "1"], (
        done.stderr)
