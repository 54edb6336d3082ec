# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which tests a run has, in which order, and what it writes of their times."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import conftest, longer, times, unchanged
from tests.times import HEADER, Times

ROOT = Path(__file__).parents[1]
PASSES = "def test_it():\n    pass\n"
OPTIONS = """[tool:pytest]
testpaths = tests
pythonpath = .
addopts = --strict-markers
"""


def tree(root: Path, files: Mapping[str, str], rows: str = "") -> None:
    """Make a checkout with this conftest.py, these files, and these rows of times."""
    for name in ("conftest", "longer", "packages", "time_limit", "times", "unchanged"):
        (root / "tests").mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / f"{name}.py", root / "tests")
    for name, text in {"setup.cfg": OPTIONS, "tests/__init__.py": "", "tests/times.tsv": f"{HEADER}\n{rows}",
                       ".gitignore": "__pycache__/\n.pytest_cache/\n", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def tried(root: Path, *args: str) -> tuple[int, str]:
    """Run pytest there; return its status and what it prints."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, "-m", "pytest", "-v", *args], cwd=root, text=True, env=inherited,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def run(root: Path, *args: str) -> str:
    """Run pytest there; return what it prints. All tests pass."""
    status, output = tried(root, *args)
    assert status == 0, output
    return output


def passed(output: str) -> list[str]:
    """Return the tests that passed, as they ran."""
    # A worker's line has the word first.
    found = re.findall(r"^(\S+::.*?) PASSED|PASSED (\S+::.*?) *$", output, re.MULTILINE)
    return [one or other for one, other in found]


LONGER = """import pytest
from hypothesis import given, settings, strategies as st
from tests import longer
@pytest.mark.parametrize("number", longer.params([1, 2], [3], "why"))
def test_parameters(number):
    pass
@longer.only_with_all("why")
def test_whole():
    pass
seen = []
@settings(max_examples=longer.examples(3, 30), database=None)
@given(st.integers())
def test_examples(number):
    seen.append(number)
def test_count():
    assert len(seen) == {count}
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "worker"])
@pytest.mark.parametrize("args, count", [((), 3), (("--all",), 30)], ids=["default", "all"])
def test_longer_work_runs_with_all(tmp_path: Path, args: tuple[str, ...], workers: tuple[str, ...],
                                   count: int) -> None:
    tree(tmp_path, {"tests/test_a.py": LONGER.replace("{count}", str(count))})
    output = run(tmp_path, *args, *workers)
    expected = ["test_parameters[1]", "test_parameters[2]", "test_parameters[3]", "test_whole",
                "test_examples", "test_count"]
    if not args:
        expected = [name for name in expected if name not in ("test_parameters[3]", "test_whole")]
    assert passed(output) == [f"tests/test_a.py::{name}" for name in expected]
    assert ("left out without --all: tests that are marked longer" in output) == (not args)


def test_a_longer_test_that_is_named_runs(tmp_path: Path) -> None:
    tree(tmp_path, {"tests/test_a.py": LONGER})
    assert passed(run(tmp_path, "tests/test_a.py::test_whole")) == ["tests/test_a.py::test_whole"]


def test_quick_has_short_tests_and_those_of_the_core(tmp_path: Path) -> None:
    core = "tests/core/network/test_races.py"
    assert core in conftest.ALWAYS_QUICK
    assert [path for path in conftest.ALWAYS_QUICK if not (ROOT / path).is_file()] == []
    two = f"{PASSES}def test_slow():\n    pass\n"
    spark = "def test_it(spark):\n    pass\n"
    tree(tmp_path, {
        "tests/core/network/__init__.py": "", "tests/core/__init__.py": "", core: two, "tests/test_a.py": two,
        "tests/test_b.py": "raise Exception('collected')\n", "tests/test_new.py": PASSES,
        "tests/conftest_of_spark/conftest.py":
            "import pytest\n@pytest.fixture(scope='session')\ndef spark(): pass\n",
        "tests/conftest_of_spark/test_spark.py": spark,
    }, f"test\t{core}::test_slow\t500\t1\ntest\ttests/test_a.py::test_slow\t500\t1\n"
       "file\ttests/test_b.py\t500\t2\nfile\ttests/test_a.py\t0.1\t1\n"
       "fixture\ttests/conftest_of_spark::spark\t14.0\t1\n")
    assert set(passed(run(tmp_path, "--quick"))) == {
        f"{core}::test_it", f"{core}::test_slow", "tests/test_a.py::test_it", "tests/test_new.py::test_it"}


def test_what_stays_is_out_of_the_collector_s_sight(tmp_path: Path) -> None:
    """A test's time would depend on how many were before it."""
    two = ("import gc\nfrom tests import test_a\n"
           "def test_it():\n    assert not any(each is test_a.late for each in gc.get_objects())\n")
    one = ("import pytest\nlate = None\n@pytest.mark.parametrize('number', range(500))\n"
           "def test_many(number):\n    global late\n    late = late or [number]\n")
    tree(tmp_path, {"tests/test_a.py": one, "tests/test_b.py": two})
    assert len(passed(run(tmp_path))) == 501


DEFAULT_HANDLER = "import signal\ndef change(): signal.signal(signal.SIGINT, signal.SIG_DFL)\n"


@pytest.mark.parametrize("name, code", [
    ("the handler of SIGINT", DEFAULT_HANDLER),
    ("logging.disable", "import logging\ndef change(): logging.disable()\n"),
    ("the level of the root logger", "import logging\ndef change(): logging.getLogger().setLevel(10)\n"),
    ("the working directory", "import os\ndef change(): os.chdir('/')\n"),
    ("the variable NEW", "import os\ndef change(): os.environ['NEW'] = 'value'\n"),
])
def test_a_change_of_the_process_fails_the_test_that_leaves_it(tmp_path: Path, name: str, code: str) -> None:
    tree(tmp_path, {"tests/test_a.py": f"{code}def test_change():\n    change()\n{PASSES}"})
    status, output = tried(tmp_path)
    assert status == 1 and f"changed and not restored: {name}\n" in output
    assert set(passed(output)) == {"tests/test_a.py::test_change", "tests/test_a.py::test_it"}
    assert "ERROR tests/test_a.py::test_change" in output and "ERROR tests/test_a.py::test_it" not in output


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "worker"])
def test_a_change_by_an_import_fails_the_tests(tmp_path: Path, workers: tuple[str, ...]) -> None:
    tree(tmp_path, {"tests/test_a.py": f"{DEFAULT_HANDLER}change()\n{PASSES}"})
    status, output = tried(tmp_path, *workers)
    assert status == 1 and "the import of a test changed ['the handler of SIGINT']" in output


BURN = "end = time.process_time() + 0.6\n    while time.process_time() < end: pass"
MEASURED = """import subprocess, sys, time, pytest
BURN = "import time\\nwhile time.process_time() < {}: pass"
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
@pytest.fixture(scope="module")
def of_module():
    burn(0.4)
    yield
    burn(0.4)
def test_waits(of_module):
    time.sleep(1)
def test_computes():
    burn(0.5)
def test_has_a_child(of_session):
    subprocess.run([sys.executable, "-c", BURN.format(0.8)])
"""


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["one process", "worker"])
def test_cpu_times_are_written(tmp_path: Path, workers: tuple[str, ...]) -> None:
    """Of this process and those below it; a shared fixture is not counted for the test that comes first."""
    of_session = f"import pytest, time\n@pytest.fixture(scope='session')\ndef of_session():\n    {BURN}\n"
    tree(tmp_path, {"tests/a/test_a.py": MEASURED, "tests/test_small.py": PASSES,
                    "tests/a/conftest.py": of_session})
    run(tmp_path, "--write-times", *workers)
    found = times.read(tmp_path / "tests" / "times.tsv")
    file = "tests/a/test_a.py"
    assert set(found.tests) == {f"{file}::test_computes", f"{file}::test_has_a_child"}
    assert 0.45 <= found.tests[f"{file}::test_computes"] < 0.8
    assert 0.7 <= found.tests[f"{file}::test_has_a_child"] < 1.3
    seconds, number = found.files[file]
    # test_waits, and both ends of its fixture.
    assert number == 1 and 0.7 <= seconds < 1.3 and set(found.files) == {file}
    assert set(found.fixtures) == {"tests/a::of_session"}
    assert 0.55 <= found.fixtures["tests/a::of_session"] < 0.9


def test_the_time_of_a_test_is_its_row_or_its_part_of_the_file() -> None:
    table = Times({"a.py::slow": 3.0}, {"a.py": (2.0, 4)})
    assert (table.of("a.py::slow"), table.of("a.py::other")) == (3.0, 0.5)
    assert table.of("b.py::new") == times.UNKNOWN_S


def test_quick_tests_fit_into_the_limit() -> None:
    table = Times({"a.py::slow": 3.0, "a.py::slower": 4.0}, {"a.py": (2.0, 4), "b.py": (1.0, 1)})
    assert table.quick(6.0) == 3.0
    assert table.quick(5.9) == 1.0
    assert table.quick(10.0) == 4.0
    assert table.quick(1.9) == 0.0


def test_each_file_of_the_table_is_there() -> None:
    table = times.read()
    files = {times.file_of(name) for name in table.tests} | set(table.files)
    assert len(files) > 100 and [name for name in files if not (ROOT / name).is_file()] == []


def git(root: Path, *args: str) -> None:
    subprocess.run(["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@localhost", *args],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-m", "m", "--allow-empty")


TOOLS = {
    "tools/alone": "print()\n", "tools/broker": "import kreactor\nimport part\n", "tools/part.py": "",
    "kreactor/__init__.py": "", "README.rst": "",
    "tests/tools/__init__.py": "", "tests/tools/scripts.py": "", "tests/common/test_a.py": PASSES,
    "tests/common/__init__.py": "",
    "tests/tools/test_alone.py": f'# load("alone")\n{PASSES}', "tests/tools/test_broker.py":
        f'# load("broker")\n{PASSES}', "tests/tools/test_fidelity.py": f'# load("alone")\n{PASSES}',
    "tests/tools/test_names_none.py": PASSES,
}
ALL_TOOLS = {name for name in TOOLS if name.startswith("tests/tools/test_")}
OF_ANY = {"tests/tools/test_fidelity.py", "tests/tools/test_names_none.py"}


class Cache(dict[str, object]):
    def set(self, key: str, value: object) -> None:
        self[key] = value


@pytest.mark.parametrize("name, run", [
    ("tools/alone", OF_ANY | {"tests/tools/test_alone.py"}),
    ("tools/part.py", OF_ANY | {"tests/tools/test_broker.py"}),
    ("kreactor/__init__.py", OF_ANY | {"tests/tools/test_broker.py"}),
    ("kreactor/new.py", OF_ANY),
    ("tests/common/test_a.py", OF_ANY), ("tests/tools/test_alone.py", OF_ANY | {"tests/tools/test_alone.py"}),
    ("tests/tools/scripts.py", ALL_TOOLS), ("tests/__init__.py", ALL_TOOLS), ("README.rst", ALL_TOOLS),
])
@pytest.mark.parametrize("committed", [False, True])
def test_a_tool_is_tested_if_a_file_that_it_reads_changed(
        tmp_path: Path, name: str, run: set[str], committed: bool) -> None:
    tree(tmp_path, TOOLS)
    git(tmp_path, "init")
    commit(tmp_path)
    cache = Cache()
    before = unchanged.Passed(tmp_path, cache)
    assert before.unchanged_tests() == set(), "no commit is known to have passed"
    before.remember()
    assert unchanged.Passed(tmp_path, cache).unchanged_tests() == ALL_TOOLS
    with (tmp_path / name).open("a") as file:
        file.write("\n# changed\n")
    if committed:
        commit(tmp_path)
    found = unchanged.Passed(tmp_path, cache).unchanged_tests()
    # A new module of kreactor is read by all that read kreactor.
    if name == "kreactor/new.py":
        run = run | {"tests/tools/test_broker.py"}
    assert found == ALL_TOOLS - run


def test_all_tools_are_tested_where_nothing_is_known(tmp_path: Path) -> None:
    tree(tmp_path, TOOLS)
    cache = Cache()
    unchanged.Passed(tmp_path, cache).remember()
    assert cache == {}, "not a checkout"
    git(tmp_path, "init")
    commit(tmp_path)
    (tmp_path / "tools" / "alone").write_text("changed")
    unchanged.Passed(tmp_path, cache).remember()
    assert cache == {}, "what was tested is no commit"
    git(tmp_path, "checkout", ".")
    unchanged.Passed(tmp_path, cache).remember()
    (tmp_path / "kreactor" / "__init__.py").unlink()
    assert unchanged.Passed(tmp_path, cache).unchanged_tests() == set(), "a file is gone"
    git(tmp_path, "checkout", ".")
    assert unchanged.Passed(tmp_path, None).unchanged_tests() == set(), "no cache"
    cache.set(next(iter(cache)), "0" * 40)
    assert unchanged.Passed(tmp_path, cache).unchanged_tests() == set(), "no such commit"


def test_a_run_leaves_out_tools_that_passed(tmp_path: Path) -> None:
    tree(tmp_path, TOOLS)
    git(tmp_path, "init")
    commit(tmp_path)
    assert len(passed(run(tmp_path, "-k", "fidelity"))) == 1, "a part of the tests proves nothing"
    assert len(passed(run(tmp_path))) == 5
    output = run(tmp_path, "-n", "2")
    assert passed(output) == ["tests/common/test_a.py::test_it"]
    said = "^left out without --all: 4 files with tests of tools, unchanged since [0-9a-f]{10} passed$"
    assert re.search(said, output, re.MULTILINE)
    assert len(passed(run(tmp_path, "-n", "2", "--all"))) == 5
    assert len(passed(run(tmp_path, "tests/tools/test_alone.py"))) == 1, "named"


def test_each_tool_that_reads_all_has_a_test() -> None:
    tests = {path.stem for path in (ROOT / unchanged.FOLDER).rglob("test_*.py")}
    assert unchanged.READ_ALL <= tests


def test_every_longer_test_says_why() -> None:
    assert longer.only_with_all("why").mark.args == ("why",)


def test_byte_code_is_written_whatever_the_environment_says(tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    tree(tmp_path, {"tests/test_a.py": "import os\ndef test_it():\n"
                                       "    assert 'PYTHONDONTWRITEBYTECODE' not in os.environ\n"})
    run(tmp_path)
    assert list((tmp_path / "tests" / "__pycache__").glob("test_a.*.pyc"))
