# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker beside what people's tests run with: somebody's project, run by a pytest with those plugins.

tools/peers/pytest_plugins makes the environment; the tests that need it skip where it was not made.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS

ROOT = Path(__file__).parents[2]

PROJECT = {
    "conftest.py": """
import pytest

@pytest.fixture(scope="session")
def kafka_properties():
    return {"num.partitions": 2}
""",
    "app.py": """
def double(text):
    if not text:
        return "nothing"
    return text + text
""",
    "test_app.py": """
import random

import pytest
from app import double

@pytest.mark.parametrize("number", range(6))
def test_records(kafka_broker, kafka_topic, number):
    kafka_broker.produce(kafka_topic, double(str(number)))
    kafka_broker.assert_records(kafka_topic, [2 * str(number)])

def test_the_broker_of_another_test(kafka_broker):
    kafka_broker.reset()
    assert kafka_broker.topics() == {}

def test_random_numbers_are_the_tests_own(kafka_broker, kafka_topic):
    random.seed(7)
    expected = [random.random() for _ in range(3)]
    random.seed(7)
    found = []
    for _ in range(3):
        kafka_broker.produce(kafka_topic, "v")
        found.append(random.random())
    assert found == expected
""",
    "test_processes.py": """
import multiprocessing
import socket

import pytest

def connect(address):
    host, _, port = address.rpartition(":")
    socket.create_connection((host, int(port)), 60).close()

# From 3.12 on Python warns of each fork of a process with threads.
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(kafka_broker, method):
    process = multiprocessing.get_context(method).Process(
        target=connect, args=(kafka_broker.bootstrap_servers,))
    process.start()
    process.join()
    assert process.exitcode == 0
""",
}

ASYNC_TEST = """
import asyncio

import pytest
import pytest_asyncio

@pytest_asyncio.fixture
async def filled(kafka_broker, kafka_topic):
    waiting = asyncio.ensure_future(kafka_broker.wait_for_async(lambda: kafka_broker.records(kafka_topic)))
    await asyncio.sleep(0)
    kafka_broker.produce(kafka_topic, "v")
    return waiting

@pytest.mark.asyncio
async def test_an_event_loop(filled):
    assert len(await filled) == 1
"""

HYPOTHESIS_TEST = """
from hypothesis import given, settings, strategies as st

from app import double

@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(max_size=20), max_size=5))
def test_any_text(kafka_broker, texts):
    kafka_broker.reset()
    kafka_broker.create_topic("t", 1)
    if texts:
        kafka_broker.produce("t", *texts)
    kafka_broker.assert_records("t", texts)
    assert all(double(text) for text in texts)
"""

TRACED_TEST = """
import sys

from app import double
from kreactor.testing import Error

def test_traced(kafka_broker, kafka_topic):
    tracers = []

    def is_produce(request):
        tracers.append(sys.gettrace())
        double("called on a thread of the broker's")
        return True

    kafka_broker.faults.add(Error("NOT_LEADER_OR_FOLLOWER"), when=is_produce)
    import socket
    with socket.create_connection((kafka_broker.host, kafka_broker.port), 60) as connection:
        # ApiVersions, version 0.
        connection.sendall(bytes.fromhex("0000000a 0012 0000 00000001 ffff"))
        connection.recv(100)
    assert tracers and sys.gettrace() is not None
    print("threads are", "traced" if tracers[0] else "untraced")
"""


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


@pytest.fixture(scope="module")
def python() -> str:
    done = subprocess.run([sys.executable, TOOLS / "peers" / "pytest_plugins", "--if-there"],
                          capture_output=True, text=True)
    if done.returncode:
        pytest.skip(done.stderr.strip())
    return done.stdout.strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def run(python: str, folder: Path, *args: str, **variables: str) -> str:
    """Run pytest in a project with warnings as errors; it must pass. Return what it printed."""
    done = subprocess.run(
        [python, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider",
         "-p", "kreactor.testing.pytest_plugin",
         # pytest-asyncio warns where this is not set.
         *(() if "no:asyncio" in args else ("-o", "asyncio_default_fixture_loop_scope=function")), *args],
        cwd=folder, capture_output=True, text=True, timeout=600, env=environment(**variables))
    output = done.stdout + done.stderr
    assert done.returncode == 0 and "warning" not in output.lower(), output
    return output


def test_all_plugins_at_once(python: str, project: Path) -> None:
    (project / "test_async.py").write_text(ASYNC_TEST)
    (project / "test_hypothesis.py").write_text(HYPOTHESIS_TEST)
    output = run(python, project, "-n", "2", "--cov=app", "--cov-report=term")
    assert "13 passed" in output and re.search(r"app\.py +4 +0 +100%", output), output


@pytest.mark.parametrize("options", [
    ("-p", "no:randomly", "-p", "no:xdist", "-p", "no:pytest_cov", "-p", "no:asyncio"),
    ("--randomly-seed=1",),
    ("-n", "2", "--dist", "loadscope"),
], ids=["plain", "randomly", "xdist"])
def test_plugins(python: str, project: Path, options: tuple[str, ...]) -> None:
    assert "11 passed" in run(python, project, *options)


@pytest.mark.parametrize("core", ["ctrace", "pytrace"])
@pytest.mark.parametrize("asked", [False, True])
def test_coverage_follows_threads_of_a_broker_if_asked(python: str, project: Path, core: str,
                                                       asked: bool) -> None:
    (project / "test_app.py").write_text(TRACED_TEST)
    variables = {"KREACTOR_TRACE_THREADS": "1"} if asked else {}
    output = run(python, project, "test_app.py", "-s", "--cov=app", "--cov-report=term-missing",
                 COVERAGE_CORE=core, **variables)
    assert f"threads are {'traced' if asked else 'untraced'}" in output
    # The lines of double: its threads are the broker's here.
    assert re.search(r"app\.py +4 +1 +75% +4" if asked else r"app\.py +4 +3 +25%", output), output


GEVENT = """
import gevent.monkey
gevent.monkey.patch_all()
from kreactor.testing import Broker, Cluster
for start in (Broker().start, Cluster().start):
    try:
        start()
    except RuntimeError as e:
        print(e)
with Broker(process=True, topics=["t"]) as broker:
    broker.produce("t", "v")
    print(len(broker.consume("t", 1)))
"""


def test_gevent_is_refused_in_one_sentence(python: str, tmp_path: Path) -> None:
    done = subprocess.run([python, "-c", GEVENT], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                          env=environment())
    sentence = "gevent has patched threads, which a broker needs unpatched: use Broker(process=True)"
    assert done.stdout.splitlines() == [sentence, sentence, "1"], done.stderr


NAMES = """
import sys
import kreactor.testing
print(*dir(kreactor.testing))
assert "kreactor.testing.broker" not in sys.modules
exec("from kreactor.testing import *", names := {})
print(*sorted(name for name in names if name != "__builtins__"))
"""


def test_names_of_the_package(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", NAMES], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120, env=environment())
    told, imported = done.stdout.splitlines()
    assert told == imported and {"Broker", "Cluster", "MockTime", "Record"} <= set(told.split())
    # Type checkers read the list in the source.
    source = (ROOT / "kreactor" / "testing" / "__init__.py").read_text()
    listed = re.search(r"__all__ = (\[.*?\])", source, re.DOTALL)
    assert listed is not None and ast.literal_eval(listed[1]) == told.split()


def test_pdoc_shows_what_there_is(python: str, tmp_path: Path) -> None:
    done = subprocess.run([python, "-m", "pdoc", "kreactor.testing", "-o", tmp_path], capture_output=True,
                          text=True, timeout=300, cwd=tmp_path, env=environment())
    assert done.returncode == 0 and "Warn" not in done.stderr, done.stderr
    page = (tmp_path / "kreactor" / "testing.html").read_text()
    for name in ("Broker.produce", "Broker.wait_for_async", "Cluster.kill", "Error", "MockTime.advance"):
        assert f'id="{name}"' in page, name
    assert "Append a record for each value" in page
