# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fixtures, as somebody's tests use them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytest_plugins = "pytester"

# A run within this process forgets the modules that it was the first to load.
import_module("kreactor.testing.broker")
import_module("kreactor.testing.cluster")

ROOT = Path(__file__).parents[2]
PLUGIN = ("-p", "kreactor.testing.pytest_plugin", "-p", "no:cacheprovider")

# Written by each test that has a broker: which one, and where.
NOTE = """
import os
import pytest

def note(broker):
    with open("notes", "a") as notes:
        print(broker.port, broker.folder, file=notes)
"""


def notes(folder: Path) -> list[list[str]]:
    return [line.split() for line in (folder / "notes").read_text().splitlines()]


def ports(folder: Path) -> list[str]:
    return [port for port, _ in notes(folder)]


def nothing_is_left(folder: Path) -> bool:
    return not any(os.path.exists(data) for _, data in notes(folder))


def test_one_broker_for_all_and_a_topic_for_each(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(NOTE + """
@pytest.mark.parametrize("number", ["1", "two / 2", "3" * 300])
def test_it(kafka_broker, kafka_topic, number):
    note(kafka_broker)
    assert kafka_broker.topics() == {kafka_topic: {0: 0}}

def test_a_topic_that_the_test_deletes(kafka_broker, kafka_topic):
    kafka_broker.delete_topic(kafka_topic)

def test_a_broker_that_the_test_kills(kafka_broker, kafka_topic):
    kafka_broker.kill()

def test_all_topics_have_gone(kafka_broker):
    note(kafka_broker)
    if not kafka_broker.is_running():
        kafka_broker.restart()
    assert len(kafka_broker.topics()) == 1
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=6)
    assert len(ports(pytester.path)) == 4 and len(set(ports(pytester.path))) == 1
    assert nothing_is_left(pytester.path)


def test_a_cluster_for_one_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(NOTE + """
def test_it(kafka_cluster):
    note(kafka_cluster[1])
    assert kafka_cluster.alive() == [1, 2, 3]
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)
    assert nothing_is_left(pytester.path)


def test_wider_fixtures_may_stand_on_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import pytest

@pytest.fixture(scope="session")
def address(kafka_broker):
    return kafka_broker.bootstrap_servers

def test_it(address, kafka_broker):
    assert address == kafka_broker.bootstrap_servers
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)


def test_properties_of_a_run(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
import pytest

@pytest.fixture(scope="session")
def kafka_properties():
    return {"num.partitions": 3, "message.max.bytes": 1000}
""")
    pytester.makepyfile("""
import pytest

def values(broker):
    config = broker.server().config()
    return config.num_partitions(), config.message_max_bytes()

def test_all(kafka_broker):
    assert values(kafka_broker) == (3, 1000)

@pytest.mark.kafka_broker(properties={"num.partitions": 4})
def test_over_them(kafka_broker):
    assert values(kafka_broker) == (4, 1000)
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=2)


def test_brokers_of_ones_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_marks=NOTE + """
def test_0_common(kafka_broker):
    note(kafka_broker)

@pytest.mark.kafka_broker(partitions=2)
@pytest.mark.parametrize("number", [1, 2])
def test_1_function(kafka_broker, kafka_topic, number):
    note(kafka_broker)
    assert kafka_broker.topics() == {kafka_topic: {0: 0, 1: 0}}

@pytest.mark.kafka_broker(topics=["of the class".replace(" ", "-")])
class Test2Class:
    def test_1(self, kafka_broker):
        note(kafka_broker)
        assert list(kafka_broker.topics()) == ["of-the-class"]

    def test_2(self, kafka_broker):
        note(kafka_broker)

    @pytest.mark.kafka_broker(topics=["another"])
    def test_3_function_within(self, kafka_broker):
        note(kafka_broker)
        assert list(kafka_broker.topics()) == ["another"]

    class TestInner:
        def test_it(self, kafka_broker):
            note(kafka_broker)
            assert list(kafka_broker.topics()) == ["of-the-class"]

def test_3_common_again(kafka_broker):
    note(kafka_broker)
""", test_module=NOTE + """
pytestmark = [pytest.mark.kafka_broker(partitions=5)]

@pytest.fixture(scope="module")
def of_the_module(kafka_broker):
    return kafka_broker.partitions

def test_1(kafka_broker, of_the_module):
    note(kafka_broker)
    assert kafka_broker.partitions == of_the_module == 5

class TestClass:
    def test_2(self, kafka_broker):
        note(kafka_broker)
        assert kafka_broker.partitions == 5
""")
    pytester.runpytest_inprocess(*PLUGIN, "test_marks.py").assert_outcomes(passed=8)
    common, first, second, class_, class_too, within, inner, again = ports(pytester.path)
    assert common == again and class_ == class_too == inner
    assert len({common, first, second, class_, within}) == 5
    (pytester.path / "notes").unlink()
    pytester.runpytest_inprocess(*PLUGIN, "test_module.py").assert_outcomes(passed=2)
    assert len(set(ports(pytester.path))) == 1 and nothing_is_left(pytester.path)


def test_marks_are_known_and_take_keywords_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import pytest

@pytest.mark.kafka_broker({"num.partitions": 4})
def test_it(kafka_broker):
    pass
""")
    result = pytester.runpytest_inprocess(*PLUGIN, "--strict-markers")
    result.stdout.fnmatch_lines_random(["*kafka_broker takes keyword arguments only*"])
    result = pytester.runpytest_inprocess(*PLUGIN, "--markers")
    result.stdout.fnmatch_lines_random(["@pytest.mark.kafka_broker*"])


FAILING = NOTE + """
import threading
from kreactor.testing import Broker

def test_within(kafka_broker):
    note(kafka_broker)
    kafka_broker.pause()
    assert not "this is to fail"

@pytest.mark.kafka_broker(topics=["own"])
def test_own(kafka_broker):
    note(kafka_broker)
    raise KeyError("as is this")

def test_with():
    threads, descriptors = set(threading.enumerate()), set(os.listdir("/proc/self/fd"))
    folder = None
    try:
        with Broker() as broker:
            note(broker)
            folder = broker.folder
            raise ValueError("and this")
    finally:
        # A thread that has not run yet is not waited for.
        for thread in set(threading.enumerate()) - threads:
            thread.join(60)
        assert set(threading.enumerate()) == threads
        assert set(os.listdir("/proc/self/fd")) == descriptors
        assert not os.path.exists(folder)

def test_nobody_closes():
    note(Broker().start())
    assert not "even this"
"""


def run_pytest(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *PLUGIN, "-q"], cwd=folder, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
def test_tests_that_fail_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_failing.py").write_text(FAILING)
    with run_pytest(tmp_path) as process:
        output, _ = process.communicate(timeout=180)
    assert "4 failed" in output and "ValueError: and this" in output, output
    assert len(notes(tmp_path)) == 4 and nothing_is_left(tmp_path), output


def test_two_runs_at_once(tmp_path: Path) -> None:
    """As the workers of a run in parallel are."""
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
        (folder / "test_it.py").write_text(NOTE + """
import time

def test_it(kafka_broker, kafka_topic):
    note(kafka_broker)
    deadline = time.monotonic() + 120
    while not all(os.path.exists(f"../{name}/notes") for name in ("one", "other")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    kafka_broker.restart()
    assert kafka_broker.topics() == {kafka_topic: {0: 0}}
""")
    with run_pytest(folders[0]) as one, run_pytest(folders[1]) as other:
        for process in (one, other):
            output, _ = process.communicate(timeout=180)
            assert "1 passed" in output, output
    assert len({*ports(folders[0]), *ports(folders[1])}) == 2
    assert nothing_is_left(folders[0]) and nothing_is_left(folders[1])
