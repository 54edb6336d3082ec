# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

from tests import conftest
from tests.stepping import wait_until
from tests.times import HEADER
from tests.tools.processes import has_ended, wait_until_ended
from tests.tools.scripts import TOOLS

ROOT = TOOLS.parent
PASSES = "def test_it():\n    pass\n"
# Writes which worker it is on, then passes.
TELLS = """import os, pathlib
@__import__("pytest").mark.parametrize("number", range(3))
def test_it(number):
    with open(pathlib.Path(__file__).parents[{ups}] / "order", "a") as order:
        order.write(os.environ.get("PYTEST_XDIST_WORKER", "none") + " " + pathlib.Path(__file__).stem + "\\n")
"""


def scratch(root: Path, files: Mapping[str, str], times: Mapping[str, float] = {}) -> list[str]:
    """Make a tree in which tools/test runs these tests; linter and type checker pass. Return the command."""
    (root / "tools").mkdir()
    shutil.copy(TOOLS / "test", root / "tools" / "test")
    for name, body in {"tools/environment": f"echo '{root}/bin'", "bin/flake8": "", "bin/mypy": "",
                       "bin/python": f"exec '{sys.executable}' \"$@\""}.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    (root / "setup.cfg").write_text((ROOT / "setup.cfg").read_text().partition("[tool:pytest]")[0]
                                    + "[tool:pytest]\ntestpaths = tests\naddopts = -p no:cacheprovider\n")
    (root / "tests").mkdir()
    for name in ("conftest", "longer", "packages", "progress", "time_limit", "times", "unchanged"):
        shutil.copy(ROOT / "tests" / f"{name}.py", root / "tests" / f"{name}.py")
    rows = [f"file\t{name}\t{seconds}\t1\n" for name, seconds in times.items()]
    (root / "tests" / "times.tsv").write_text("".join([f"{HEADER}\n", *rows]))
    for name, text in files.items():
        (root / "tests" / name).parent.mkdir(exist_ok=True)
        (root / "tests" / name).write_text(text)
    return [str(root / "tools" / "test")]


def environment() -> dict[str, str]:
    """Return this process's environment without what a worker of pytest-xdist adds to it."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


def run(command: list[str]) -> tuple[int, str]:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment())
    return done.returncode, done.stdout


def order(root: Path) -> list[tuple[str, str]]:
    """Return worker and file of each test, as they ran."""
    return [(worker, name) for worker, name in map(str.split, (root / "order").read_text().splitlines())]


@pytest.mark.parametrize("failing, said", [
    ("def test_it():\n    assert False\n", "1 failed, 1 passed"),
    ("import nothing_of_this_name\n", "1 error"),
    ("import os\ndef test_it():\n    os.abort()\n", "1 failed, 1 passed"),
], ids=["assertion", "import", "crash"])
def test_one_test_that_fails_fails_all(tmp_path, failing, said):
    status, output = run(scratch(tmp_path, {"test_right.py": PASSES, "test_wrong.py": failing}))
    assert status == 1 and said in output.splitlines()[-1]


def test_a_new_worker_runs_what_a_crashed_one_has_left(tmp_path):
    """The crashed one has finished files, and its last file has tests after the one that crashed."""
    crashes = "import os\ndef test_first():\n    pass\ndef test_crash():\n    os.abort()\n"
    last = {f"test_{letter}.py": PASSES.replace("test_it", f"test_{letter}") for letter in "ab"}
    command = scratch(tmp_path, {**last, "test_c.py": f"{crashes}{PASSES}"},
                      {"tests/test_a.py": 9, "tests/test_b.py": 8, "tests/test_c.py": 7})
    script = tmp_path / "tools" / "test"
    script.write_text(script.read_text().replace('"-n", "3"', '"-n", "1"'))
    status, output = run(command)
    assert status == 1 and " 1 failed, 4 passed in " in output.splitlines()[-1]
    assert "tests/test_c.py::test_crash in ??? - worker 'gw0' crashed" in output
    assert "] 3 of 3 files, 5 of 5 tests; 1 failed\n" in output


def test_all_pass(tmp_path):
    status, output = run(scratch(tmp_path, {"test_right.py": PASSES}))
    assert status == 0 and " 1 passed in " in output.splitlines()[-1]


@pytest.mark.parametrize("wrong", ["flake8", "mypy"])
def test_the_linter_and_the_type_checker_are_asked_first(tmp_path, wrong):
    command = scratch(tmp_path, {"test_right.py": PASSES})
    (tmp_path / "bin" / wrong).write_text("#!/bin/sh\nexit 3\n")
    status, output = run(command)
    assert status == 3 and "passed" not in output


def test_another_interpreter(tmp_path):
    """Without a type checker there; its environment is asked for."""
    command = scratch(tmp_path, {"test_right.py": PASSES})
    (tmp_path / "tools" / "environment").write_text(f"#!/bin/sh\necho $* >&2\necho {tmp_path}/bin\n")
    (tmp_path / "bin" / "mypy").unlink()
    status, output = run([*command, "--python", "some/python"])
    assert output.splitlines()[:4] == [
        "tools/environment --python some/python demo test", "--python some/python demo test",
        "flake8 9 files; 9 in all", "mypy: not for this interpreter"]
    assert status == 0 and " 1 passed in " in output.splitlines()[-1]
    # The default environment has one.
    status, output = run(command)
    assert status != 0 and "passed" not in output


@pytest.mark.parametrize("arguments, environments_status, status, said", [
    (["--python", "pypy"], 3, 0, "The tests do not run on PyPy: see above."),
    (["--python", "pypy"], 1, 1, "why"),
    (["--python", "some/python"], 3, 3, "why"),
    ([], 3, 3, "why"),
])
def test_no_environment(tmp_path, arguments, environments_status, status, said):
    command = scratch(tmp_path, {"test_right.py": PASSES})
    (tmp_path / "tools" / "environment").write_text(f"#!/bin/sh\necho why >&2\nexit {environments_status}\n")
    found, output = run([*command, *arguments])
    assert (found, output.splitlines()[-1]) == (status, said) and "flake8" not in output


def test_progress_is_shown_before_the_end(tmp_path):
    waits = ("import os\nfrom pathlib import Path\n"
             "def test_first():\n    pass\n"
             "def test_second():\n    Path(__file__).with_name('seen').open().close()\n")
    command = scratch(tmp_path, {"test_waits.py": waits})
    os.mkfifo(tmp_path / "tests" / "seen")
    with subprocess.Popen([*command, "tests"], stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        # The second test ends only after the dot of the first was read here.
        seen = b""
        while not seen.endswith(b"\ntests/test_waits.py ."):
            byte = process.stdout.read(1)
            assert byte, seen
            seen += byte
        (tmp_path / "tests" / "seen").open("w").close()
        assert b"2 passed" in process.stdout.read()
    assert process.returncode == 0


def test_a_file_stays_on_one_worker_and_the_slowest_starts_first(tmp_path):
    names = [f"test_{letter}.py" for letter in "abcdefgh"]
    times = {"tests/test_h.py": 5.0, "tests/test_g.py": 7.0, "tests/test_f.py": 6.0}
    status, output = run(scratch(tmp_path, {name: TELLS.format(ups=1) for name in names}, times))
    assert status == 0, output
    ran = order(tmp_path)
    assert len(ran) == 24
    assert {len({worker for worker, name in ran if f"{name}.py" == each}) for each in names} == {1}
    # A worker gets its first file before any worker gets its second.
    assert {next(name for worker, name in ran if worker == each) for each in ("gw0", "gw1", "gw2")} == {
        "test_f", "test_g", "test_h"}


def test_a_folder_that_starts_a_jvm_stays_on_one_worker(tmp_path):
    assert conftest.ON_ONE_WORKER == ("tests/pipeline",)
    files = {f"pipeline/test_{letter}.py": TELLS.format(ups=2) for letter in "abcd"}
    status, output = run(scratch(tmp_path, files))
    assert status == 0, output
    assert len(order(tmp_path)) == 12 and len({worker for worker, _ in order(tmp_path)}) == 1


def test_quick_leaves_out_the_slow_files(tmp_path):
    files = {"test_fast.py": TELLS.format(ups=1), "test_slow.py": TELLS.format(ups=1)}
    command = scratch(tmp_path, files, {"tests/test_slow.py": 100.0})
    status, output = run([*command, "--quick"])
    assert status == 0 and " 3 passed in " in output.splitlines()[-1]
    assert {name for _, name in order(tmp_path)} == {"test_fast"} and order(tmp_path)[0][0].startswith("gw")


def test_other_arguments_go_to_pytest_in_one_process(tmp_path):
    command = scratch(tmp_path, {"test_a.py": TELLS.format(ups=1), "test_b.py": TELLS.format(ups=1)})
    status, output = run([*command, "-k", "test_b and 2"])
    assert status == 0 and " 1 passed, 5 deselected in " in output.splitlines()[-1]
    assert order(tmp_path) == [("none", "test_b")]


@pytest.mark.parametrize("arguments, problem", [
    (["tests/nothing.py"], "tools/test: tests/nothing.py: no such file or folder"),
    (["--lint", "tests"], "tools/test: --lint takes no arguments"),
    (["--python"], "tools/test: --python: the interpreter is missing"),
    (["--nonsense=3"], "ERROR: there is no option --nonsense"),
    (["-x", "tests/nothing.py"], "ERROR: tests/nothing.py: no such file or folder"),
])
def test_wrong_use_is_one_line_and_status_2(tmp_path, arguments, problem):
    status, output = run([*scratch(tmp_path, {"test_right.py": PASSES}), *arguments])
    said = [line for line in output.splitlines() if not line.startswith(("tools/environment ", "pytest "))]
    assert status == 2 and [line for line in said if line] == [problem]


@pytest.mark.parametrize("arguments, extra", [
    (["tests/test_right.py"], "test-light"), (["-q", "tests/test_right.py::test_it"], "test-light"),
    (["tests/pipeline", "tests/test_right.py"], "test"), (["tests/pipeline/test_other.py"], "test"),
    (["tests"], "test"), (["-k", "test_it"], "test"), (["--light", "-k", "test_it"], "test-light"),
    (["--quick"], "test"), (["--light"], "test-light"),
])
def test_the_environment_has_spark_only_where_a_test_may_need_it(tmp_path, arguments, extra):
    other = "def test_other(): pass\n"
    command = scratch(tmp_path, {"test_right.py": PASSES, "pipeline/test_other.py": other})
    (tmp_path / "tools" / "environment").write_text("#!/bin/sh\nexit 6\n")
    assert run([*command, *arguments]) == (6, f"tools/environment demo {extra}\n")


def test_a_path_is_that_of_the_working_directory(tmp_path):
    command = scratch(tmp_path, {"test_right.py": PASSES})
    done = subprocess.run([*command, "test_right.py::test_it"], cwd=tmp_path / "tests", env=environment(),
                          stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout


def test_the_linter_sees_again_only_what_has_changed(tmp_path):
    """Files without suffix are linted, too. A file that has not passed is linted again."""
    command = [*scratch(tmp_path, {"test_right.py": PASSES}), "--lint"]
    told = tmp_path / "told"

    def linted(status: int) -> list[str]:
        (tmp_path / "bin" / "flake8").write_text(f"#!/bin/sh\necho $* > {told}\nexit {status}\n")
        told.unlink(missing_ok=True)
        assert run(command)[0] == status
        return told.read_text().split() if told.exists() else []

    everything = linted(1)
    assert {"tools/test", "tests/test_right.py"} < set(everything) and "tools/environment" not in everything
    assert linted(0) == everything and linted(1 - 1) == []
    (tmp_path / "tests" / "test_right.py").write_text(PASSES + "\n")
    assert linted(1) == linted(0) == ["tests/test_right.py"]
    setup = (tmp_path / "setup.cfg").read_text()
    (tmp_path / "setup.cfg").write_text(setup.replace("max-line-length = ", "max-line-length = 1"))
    assert linted(0) == everything


def test_the_type_checker_sees_the_package_the_examples_and_the_tools(tmp_path):
    command = scratch(tmp_path, {"test_right.py": PASSES})
    (tmp_path / "bin" / "mypy").write_text(f"#!/bin/sh\necho $* > {tmp_path}/told\n")
    for name in ("kreactor/it.py", "examples/it.py", "tools/load/script"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("#!/usr/bin/env python3\n")
    assert run([*command, "--lint"])[0] == 0
    assert (tmp_path / "told").read_text().split() == [
        "--strict", "--scripts-are-modules", "examples/it.py", "kreactor/it.py", "tools/test",
        "tools/load/script"]


def test_files_done_and_failures_are_told_while_the_workers_run(tmp_path):
    """In lines of their own where there is no terminal."""
    waits = ("import os\nfrom pathlib import Path\n"
             "def test_first():\n    assert 1 == 2\n"
             "def test_second():\n    Path(__file__).with_name('seen').open().close()\n")
    command = scratch(tmp_path, {"test_waits.py": waits, "test_right.py": PASSES})
    progress = tmp_path / "tests" / "progress.py"
    progress.write_text(progress.read_text().replace("LINE_EACH_S = 10.0", "LINE_EACH_S = 0.5"))
    os.mkfifo(tmp_path / "tests" / "seen")
    seen = []
    with subprocess.Popen([*command], stdout=subprocess.PIPE, env=environment(), text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            seen.append(line)
            if "] 1 of 2 files, 2 of 3 tests; 1 failed" in line:
                break
        (tmp_path / "tests" / "seen").open("w").close()
        seen += process.stdout.readlines()
    text = "".join(seen)
    assert "] 3 workers collect the tests\n" in text and "] 2 of 2 files, 3 of 3 tests; 1 failed\n" in text
    first, second = [index for index, line in enumerate(seen)
                     if line.startswith("FAILED tests/test_waits.py::test_first - assert 1 == 2")]
    assert first < seen.index("".join(line for line in seen if "] 2 of 2 files" in line)) < second


def test_times_are_written(tmp_path):
    slow = ("import time\ndef test_it():\n    end = time.process_time() + 0.5\n"
            "    while time.process_time() < end: pass\n")
    command = scratch(tmp_path, {"test_fast.py": PASSES, "test_slow.py": slow})
    status, output = run([*command, "--write-times"])
    assert status == 0, output
    header, row = (tmp_path / "tests" / "times.tsv").read_text().splitlines()
    assert header == HEADER and row.startswith("test\ttests/test_slow.py::test_it\t")


def is_of(process: psutil.Process, run: int) -> bool:
    """Return whether a run of tools/test has started a process, whichever parent it has now."""
    try:
        return f"KREACTOR_TEST_RUN_{run}" in process.environ()
    except psutil.Error:
        return False


def command_of(process: psutil.Process) -> list[str]:
    """Return the command of a process, nothing if it has ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@pytest.mark.parametrize("where", ["environment", "linter", "tests"])
def test_ctrl_c_ends_all_that_was_started_and_is_one_line(tmp_path, where):
    # The first sleep ignores SIGTERM, and its parent ends.
    waits = ("import subprocess\ndef test_it():\n"
             "    subprocess.run(['sh', '-c', 'trap \"\" TERM; sleep 1000 &'], start_new_session=True)\n"
             "    subprocess.run(['sleep', '1001'], start_new_session=True)\n")
    command = scratch(tmp_path, {"test_waits.py": waits})
    sleeper = {"environment": "tools/environment", "linter": "bin/flake8"}.get(where)
    if sleeper is not None:
        (tmp_path / sleeper).write_text("#!/bin/sh\nsleep 1000\n")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment()) as process:
        assert process.stdout is not None and process.stderr is not None
        # The first word comes at once.
        assert process.stderr.readline() == "tools/environment demo test\n"
        started: list[psutil.Process] = []

        def all_sleep() -> bool:
            started[:] = psutil.Process(process.pid).children(recursive=True)
            started.extend(each for each in psutil.process_iter() if is_of(each, process.pid))
            commands = [command_of(each) for each in started]
            return all(["sleep", seconds] in commands
                       for seconds in (("1000", "1001") if where == "tests" else ("1000",)))

        wait_until(all_sleep)
        # A process whose parent has ended counts, too.
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        assert [each for each in started if not has_ended(each)] == []
    assert process.returncode == 130
    assert [line for line in err.splitlines() if not line.startswith("pytest ")] == ["Interrupted."]
    wait_until_ended(started)
