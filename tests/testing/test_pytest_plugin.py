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


MARKED = """
import functools
import unittest
import pytest

ONE, TWO, THREE = (pytest.mark.kafka_broker(partitions=number) for number in (11, 12, 13))

def wraps(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner

@pytest.mark.parametrize("partitions", [1, pytest.param(11, marks=ONE), pytest.param(12, marks=[TWO])])
def test_parameter(kafka_broker, partitions):
    assert kafka_broker.partitions == partitions

@TWO
@pytest.mark.parametrize("partitions", [12, pytest.param(11, marks=ONE)])
def test_parameter_over_function(kafka_broker, partitions):
    assert kafka_broker.partitions == partitions

@wraps
@ONE
def test_wrapped(kafka_broker):
    assert kafka_broker.partitions == 11

@ONE
def test_topic(kafka_topic, kafka_broker):
    assert len(kafka_broker.topics()[kafka_topic]) == 11

@ONE
@pytest.mark.usefixtures("kafka_broker")
def test_dynamic_after_use(request):
    assert request.getfixturevalue("kafka_broker").partitions == 11

@ONE
def test_dynamic(request):
    assert request.getfixturevalue("kafka_broker").partitions == 11

@pytest.fixture
def indirect(request, kafka_broker):
    return kafka_broker.partitions, request.param

@ONE
@pytest.mark.parametrize("indirect", [1, 2], indirect=True)
def test_indirect(indirect):
    assert indirect in ((11, 1), (11, 2))

@pytest.mark.parametrize("kafka_broker", ["not a fixture"])
@ONE
def test_replaced_by_a_parameter(kafka_broker):
    assert kafka_broker == "not a fixture"

@pytest.mark.by_hook
def test_hook(kafka_broker):
    assert kafka_broker.partitions == 14

@pytest.mark.by_late_hook
def test_late_hook(kafka_broker):
    assert kafka_broker.partitions == 15

class TestMethods:
    @staticmethod
    @ONE
    def test_static(kafka_broker):
        assert kafka_broker.partitions == 11

    @ONE
    @staticmethod
    def test_static_below(kafka_broker):
        assert kafka_broker.partitions == 11

    @classmethod
    @TWO
    def test_class(cls, kafka_broker):
        assert kafka_broker.partitions == 12

    @THREE
    def test_method(self, kafka_broker):
        assert kafka_broker.partitions == 13

    def test_common(self, kafka_broker):
        assert kafka_broker.partitions == 1

@ONE
@pytest.mark.parametrize("partitions", [11, pytest.param(12, marks=TWO)])
class TestParametrized:
    @pytest.fixture
    def helper(self, kafka_broker):
        return kafka_broker.partitions

    def test_it(self, helper, partitions):
        assert helper == partitions

@ONE
class Base:
    @pytest.fixture(scope="class")
    @classmethod
    def of_the_class(cls, kafka_broker):
        return kafka_broker.partitions

    def test_it(self, kafka_broker, of_the_class):
        assert kafka_broker.partitions == of_the_class == self.expected

class TestDerived(Base):
    expected = 11

@TWO
class TestMarkedAgain(Base):
    expected = 12

@ONE
class TestUnittest(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def take(self, kafka_broker):
        self.broker = kafka_broker

    def test_it(self):
        self.assertEqual(self.broker.partitions, 11)

    @TWO
    def test_method(self):
        self.assertEqual(self.broker.partitions, 12)

class TestWraps:
    @pytest.fixture
    def kafka_broker(self, kafka_broker):
        return kafka_broker.partitions

    def test_common(self, kafka_broker):
        assert kafka_broker == 1

@ONE
class TestWrapsOwn:
    @pytest.fixture
    def kafka_broker(self, kafka_broker):
        return kafka_broker.partitions

    def test_it(self, kafka_broker):
        assert kafka_broker == 11
"""

HOOKS = """
import pytest

def pytest_configure(config):
    config.addinivalue_line("markers", "by_hook: x")
    config.addinivalue_line("markers", "by_late_hook: x")

def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("by_hook"):
            item.add_marker(pytest.mark.kafka_broker(partitions=14))

def pytest_runtest_setup(item):
    if item.get_closest_marker("by_late_hook"):
        item.add_marker(pytest.mark.kafka_broker(partitions=15))
"""


def test_every_way_in_which_a_mark_reaches_a_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(HOOKS)
    pytester.makepyfile(MARKED)
    result = pytester.runpytest_inprocess(*PLUGIN, "-W", "error")
    result.assert_outcomes(passed=27)


def test_automatic_fixtures_of_a_test_are_set_up_before_its_own_broker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import pytest
import threading

@pytest.fixture(autouse=True)
def threads():
    before = threading.active_count()
    yield
    assert threading.active_count() == before

@pytest.mark.kafka_broker(topics=["t"])
def test_it(kafka_broker):
    assert kafka_broker.topics() == {"t": {0: 0}}
""")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_a_mark_of_a_package(pytester: pytest.Pytester) -> None:
    package = pytester.mkpydir("package")
    (package / "__init__.py").write_text("""
import pytest
pytestmark = pytest.mark.kafka_broker(partitions=21)
""")
    inner = package / "inner"
    inner.mkdir()
    (inner / "__init__.py").touch()
    (package / "test_outer.py").write_text("""
import pytest

@pytest.fixture(scope="package")
def address(kafka_broker):
    return kafka_broker.port

def test_it(kafka_broker, address):
    assert (kafka_broker.partitions, kafka_broker.port) == (21, address)
""")
    (inner / "test_inner.py").write_text("""
import pytest

def test_package(kafka_broker):
    assert kafka_broker.partitions == 21

@pytest.mark.kafka_broker(partitions=22)
def test_function(kafka_broker):
    assert kafka_broker.partitions == 22
""")
    pytester.makepyfile("""
def test_outside(kafka_broker):
    assert kafka_broker.partitions == 1
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=4)


def test_a_mark_of_the_session(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
import pytest

def pytest_collection_modifyitems(session):
    session.add_marker(pytest.mark.kafka_broker(partitions=31))
""")
    pytester.makepyfile("""
import pytest

@pytest.fixture(scope="session")
def partitions(kafka_broker):
    return kafka_broker.partitions

def test_it(kafka_broker, partitions):
    assert kafka_broker.partitions == partitions == 31
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)


def test_marks_are_known(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*PLUGIN, "--markers")
    result.stdout.fnmatch_lines_random(["@pytest.mark.kafka_broker*", "@pytest.mark.kafka_cluster*"])


@pytest.mark.parametrize("content, message", [
    ("@pytest.mark.kafka_broker({'num.partitions': 4})\ndef test_it(kafka_broker): pass",
     "test_it.py::test_it: the mark kafka_broker takes keyword arguments only"),
    ("@pytest.mark.kafka_broker(properties='text')\ndef test_it(kafka_broker): pass",
     "test_it.py::test_it: the mark kafka_broker: properties='text': not a mapping"),
    ("@pytest.mark.kafka_broker(propertys={})\ndef test_it(kafka_broker): pass",
     "test_it.py::test_it: the mark kafka_broker: *unexpected keyword argument 'propertys'*"),
    ("@pytest.mark.kafka_cluster(3)\ndef test_it(kafka_cluster): pass",
     "test_it.py::test_it: the mark kafka_cluster takes keyword arguments only"),
    ("@pytest.mark.kafka_cluster(racks='abc')\ndef test_it(kafka_cluster): pass",
     "test_it.py::test_it: the mark kafka_cluster: racks: 'abc' does not have one rack for each*"),
    ("def test_it(request, kafka_broker):\n    request.node.add_marker(MARK)",
     "test_it.py::test_it: the mark kafka_broker was added while the test ran, *"),
    ("@pytest.fixture\ndef late(request):\n    request.node.add_marker(MARK)\n"
     "def test_it(late, kafka_broker): pass",
     "test_it.py::test_it: the mark kafka_broker was added while the test ran, *"),
    ("@pytest.fixture(scope='module')\ndef wide(kafka_broker): pass\n"
     "@MARK\ndef test_it(wide): pass",
     "test_it.py::test_it: the mark kafka_broker of test_it.py::test_it gives each function a broker, but "
     "the fixture wide, which requests kafka_broker, lives for a module: *"),
    ("pytestmark = MARK\n@pytest.fixture\ndef kafka_broker(): return None\n"
     "def test_it(kafka_broker): pass",
     "test_it.py: has both the mark kafka_broker and a fixture kafka_broker: *"),
])
def test_a_mark_without_effect_is_an_error(pytester: pytest.Pytester, content: str, message: str) -> None:
    pytester.makepyfile(test_it=f"import pytest\nMARK = pytest.mark.kafka_broker(partitions=4)\n{content}")
    result = pytester.runpytest_inprocess(*PLUGIN)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"*UsageError: {message}"])


def test_a_cluster_by_its_mark(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import pytest

pytestmark = pytest.mark.kafka_cluster(brokers=1)

@pytest.mark.kafka_cluster(brokers=2, racks=["a", "b"], properties={"num.partitions": 7})
def test_function(kafka_cluster):
    assert kafka_cluster.alive() == [1, 2]
    config = kafka_cluster[2].server().config()
    assert (config.rack(), config.num_partitions()) == ("b", 7)

def test_module(kafka_cluster):
    assert kafka_cluster.alive() == [1]
""")
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=2)


@pytest.mark.parametrize("options", [(), ("-n1",)])
def test_pytest_rewrites_no_module(pytester: pytest.Pytester, options: tuple[str, ...]) -> None:
    """Rewriting takes seconds where Python may not write byte code."""
    # pytest itself registers each distribution that has a plugin.
    pytester.makeconftest("import pytest\npytest.register_assert_rewrite('kreactor', 'helper')")
    pytester.makepyfile(helper="", test_it="""
import sys
from importlib.machinery import SourceFileLoader
import helper
import kreactor.jdk.net
import kreactor.testing.record

def test_it():
    loaders = {name: type(module.__loader__) for name, module in list(sys.modules.items())
               if name.partition(".")[0] == "kreactor" and "PYTEST_DONT_REWRITE" not in module.__doc__}
    assert {"kreactor.jdk.net", "kreactor.testing.record"} < set(loaders)
    assert set(loaders.values()) == {SourceFileLoader}
    assert type(helper.__loader__) is not SourceFileLoader
""")
    with run_pytest(pytester.path, "-W", "error", *options) as process:
        output, _ = process.communicate(timeout=180)
    assert "1 passed" in output and "warning" not in output, output


def test_imports_are_as_before_after_a_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import sys

def test_it():
    assert "_PlainImports" in [type(finder).__name__ for finder in sys.meta_path]
""")
    finders = list(sys.meta_path)
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=1)
    assert sys.meta_path == finders


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


def run_pytest(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", *PLUGIN, "-q", *options], cwd=folder, stdout=subprocess.PIPE,
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
