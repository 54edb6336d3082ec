# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools import test_test
from tests.tools.scripts import TOOLS, load

tool = load("checks/coverage_by_branch")
# The test takes three of the four branches, one of them on a thread.
BRANCHES = '''import threading


def sign(number):
    if number < 0:
        return -1
    return 1


def on_a_thread(taken):
    def run():
        if taken:
            taken.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
'''
TAKES_THREE = '''from made.{package}.branches import on_a_thread, sign


def test_it():
    assert sign(-1) == -1 and sign(1) == 1
    taken = [False]
    on_a_thread(taken)
    assert taken == [False, True]
'''
PACKAGES = {"below": 96, "kept": 75, "above": 50}


def environment() -> dict[str, str]:
    """Return this process's environment without what pytest and coverage add to it."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("PYTEST_", "COVERAGE_"))}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[str]]:
    """Run the tool on three packages of four branches each; return its status and its lines."""
    root = tmp_path_factory.mktemp("checkout")
    folder = root / "tools" / "checks"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "environments.py", "checks/coverage_by_branch", "checks/coverage_plugin.py"):
        shutil.copy(TOOLS / name, root / "tools" / name)
    (root / "setup.cfg").write_text("[coverage:run]\nbranch = True\nsource = made\nrelative_files = True\n"
                                    "disable_warnings = no-data-collected\n"
                                    "[tool:pytest]\npythonpath = .\naddopts = -p no:cacheprovider\n")
    for package in PACKAGES:
        (root / "made" / package).mkdir(parents=True)
        (root / "made" / package / "__init__.py").touch()
        (root / "made" / package / "branches.py").write_text(BRANCHES)
        (root / f"test_{package}.py").write_text(TAKES_THREE.format(package=package))
    (root / "made" / "__init__.py").touch()
    (root / "made" / "kept" / "unimported.py").write_text("count = 1\n")
    rows = [f"made/{package}\t{floor}\ttest_{package}.py\n" for package, floor in PACKAGES.items()]
    (folder / "coverage_floors.tsv").write_text("package\tfloor\ttests\n" + "".join(rows))
    done = subprocess.run(
        [sys.executable, str(folder / "coverage_by_branch")], stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, env=environment(), cwd=tmp_path_factory.mktemp("cwd"))
    return done.returncode, done.stdout.splitlines()


def test_the_counts_are_those_of_all_threads_and_workers(ran: tuple[int, list[str]]) -> None:
    _, lines = ran
    assert " 3 passed in " in next(line for line in lines if "passed" in line)
    names = [f"made/{package}" for package in PACKAGES]
    rows = {name: line.split()[1:] for line in lines for name in names if line.split()[:1] == [name]}
    assert rows == {
        "made/below": ["12", "of", "12", "100.00", "3", "of", "4", "75.00", "96"],
        # A file that no test imports counts, too.
        "made/kept": ["12", "of", "13", "92.31", "3", "of", "4", "75.00", "75"],
        "made/above": ["12", "of", "12", "100.00", "3", "of", "4", "75.00", "50"]}


def test_a_floor_that_is_not_met_fails(ran: tuple[int, list[str]]) -> None:
    status, lines = ran
    assert status == 1
    assert "made/below: 75.00 % of the branches, below the floor of 96 %" in lines
    # The tool names the missing branches of the packages whose floor is high.
    assert [line for line in lines if " -> " in line] == ["made/below/branches.py:12 -> exit"]


def test_a_package_above_its_floor_asks_to_raise_it(ran: tuple[int, list[str]]) -> None:
    _, lines = ran
    assert [line for line in lines if "raise" in line] == ["made/above: raise the floor to 75"]


def counted(covered: int, branches: int, lines: int = 10):
    return tool.Counts(lines, lines, branches, covered, [])


@pytest.mark.parametrize("counts, wrong, raised", [
    (counted(94, 100), ["p: 94.00 % of the branches, below the floor of 95 %"], []),
    (counted(9499, 10_000), ["p: 94.99 % of the branches, below the floor of 95 %"], []),
    (counted(95, 100), [], []),
    (counted(96, 100), [], []),
    (counted(961, 1000), [], ["p: raise the floor to 96"]),
    (counted(100, 100), [], ["p: raise the floor to 100"]),
    (counted(0, 0), [], ["p: raise the floor to 100"]),
    (counted(0, 0, 0), ["p: no file is measured"], []),
])
def test_how_a_package_is_judged(counts, wrong, raised) -> None:
    assert tool.judge({"p": tool.Floor(95, [])}, {"p": counts}) == (wrong, raised)


def test_a_package_has_the_files_of_its_folder_alone() -> None:
    def file(missing):
        summary = {"num_statements": 5, "covered_lines": 4, "num_branches": 4,
                   "covered_branches": 4 - len(missing)}
        return {"summary": summary, "missing_branches": missing}

    files = {"a/b/c.py": file([[3, 4], [9, -7]]), "a/b/d/e.py": file([[1, 0]]), "a/bc.py": file([[1, 2]])}
    counts = tool.count(files, ["a/b", "a/none"])
    assert counts["a/b"] == tool.Counts(
        10, 8, 8, 5, ["a/b/c.py:3 -> 4", "a/b/c.py:9 -> exit", "a/b/d/e.py:1 -> exit"])
    assert counts["a/none"] == tool.Counts(0, 0, 0, 0, [])


@pytest.mark.parametrize("row", ["p\t95", "p\t95.5\ttests", "p 95 tests"])
def test_a_floor_is_a_whole_number_with_tests(tmp_path: Path, row: str) -> None:
    path = tmp_path / "floors.tsv"
    path.write_text("package\tfloor\ttests\na\t7\tt1 t2\n")
    assert tool.read_floors(path) == {"a": tool.Floor(7, ["t1", "t2"])}
    path.write_text(f"package\tfloor\ttests\n{row}\n")
    with pytest.raises(ValueError, match=f"floors.tsv: not a package, a whole number and tests.*: {row}"):
        tool.read_floors(path)


def test_a_package_that_has_no_floor_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        tool.main(["kreactor/nowhere"])
    assert ended.value.code == 2 and "kreactor/nowhere: not in coverage_floors.tsv" in capsys.readouterr().err


def test_every_floor_is_of_a_package_that_is_measured() -> None:
    """The tests of each package with a floor exist."""
    source = (TOOLS.parent / "setup.cfg").read_text().partition("[coverage:run]")[2].partition("source =")[2]
    for package, floor in tool.read_floors(tool.FLOORS).items():
        assert f"    {package}\n" in source and 0 < floor.percent <= 100 and (TOOLS.parent / package).is_dir()
        assert floor.tests and all((TOOLS.parent / test).exists() for test in floor.tests)


def test_the_tool_of_tests_calls_it(tmp_path: Path) -> None:
    """Without the linter, and with the environment's interpreter."""
    command = test_test.scratch(tmp_path, {})
    (tmp_path / "tools" / "checks").mkdir()
    (tmp_path / "tools" / "checks" / "coverage_by_branch").write_text(
        "import sys\nprint(sys.argv[1:])\nsys.exit(4)\n")
    status, output = test_test.run([*command, "--coverage", "made"])
    assert (status, output.splitlines()[1:]) == (4, ["['made']"])
