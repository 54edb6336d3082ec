# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS, load

deviations = load("checks/deviations")


def test_marks_registry_and_page_agree() -> None:
    result = subprocess.run([sys.executable, TOOLS / "checks" / "deviations"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_page_has_each_row_once_below_its_kind() -> None:
    page = deviations.page([["D2", "kreactor/b.py", "fix", "two_"], ["D1", "kreactor/a.py", "python", "one"]])
    _, python, *_, fix = re.split(r"\n-+\n", page)
    assert "   * - D1\n     - ``a.py``\n     - one\n" in python
    assert "   * - D2\n     - ``b.py``\n     - two\\_\n" in fix
    assert page.count("* - D") == 2


def test_a_row_names_each_file_with_its_mark() -> None:
    row = ["D1", "kreactor/a.py kreactor/b.py", "fix", "x"]
    marked = {"D1": {"kreactor/a.py", "kreactor/b.py"}}
    assert deviations.places([row], marked) == []
    # A mark that is copied to an unrelated function excuses nothing there before its row names the file.
    marked["D1"].add("kreactor/c.py")
    assert deviations.places([row], marked) == [
        "D1: is marked in kreactor/c.py, which its row does not name: take the mark out, or name the file"]
    assert deviations.places([row], {"D1": {"kreactor/a.py"}}) == [
        "D1: has a row, but no mark in kreactor/b.py: take it out, or correct its file"]
    twice = ["D1", "kreactor/a.py kreactor/a.py", "fix", "x"]
    assert deviations.places([twice], {"D1": {"kreactor/a.py"}}) == ["D1: names kreactor/a.py twice"]
    assert "     - ``a.py``, ``b.py``\n" in deviations.page([row])


def test_a_switch_stands_near_its_mark(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("# DEVIATION D1: faster\nif config.is_strict():\n    pass\n" + "\n" * 9
                      + "# DEVIATION D2: faster\n")
    assert deviations.is_switched(module, "D1")
    assert not deviations.is_switched(module, "D2")
    assert not deviations.is_switched(module, "D3")


# Sources whose mark does not count, and what the tool says of each.
MARKS_THAT_DO_NOT_COUNT = {
    "a comment": ("# @pytest.mark.deviation('D1')\ndef test_a(): pass", []),
    "a docstring": ("def test_a():\n    'pytest.mark.deviation(1)'", []),
    "no test": ("@pytest.mark.deviation('D1')\ndef a(): pass", ["not on a test"]),
    "a function within a test": (
        "def test_a():\n    @pytest.mark.deviation('D1')\n    def test_b(): pass", ["not on a test"]),
    "a class": ("@pytest.mark.deviation('D1')\nclass TestA: pass", ["not on a test"]),
    "a module": ("pytestmark = pytest.mark.deviation('D1')\ndef test_a(): pass", ["not on a test"]),
    "a parameter": ("P = pytest.param(1, marks=pytest.mark.deviation('D1'))", ["not on a test"]),
    "no id": ("@pytest.mark.deviation()\ndef test_a(): pass", ["not on a test"]),
    "no call": ("@pytest.mark.deviation\ndef test_a(): pass", ["not on a test"]),
    "an id that is no text": ("@pytest.mark.deviation(ID)\ndef test_a(): pass", ["not on a test"]),
    "a keyword": ("@pytest.mark.deviation('D1', reason='x')\ndef test_a(): pass", ["not on a test"]),
}


@pytest.mark.parametrize("case", MARKS_THAT_DO_NOT_COUNT)
def test_a_mark_that_is_on_no_test_does_not_count(case: str, tmp_path: Path) -> None:
    source, said = MARKS_THAT_DO_NOT_COUNT[case]
    ids, problems = ids_of(source, tmp_path)
    assert ids == []
    assert [re.sub(r"test_it.py: (not on a test)\b.*", r"\1", problem) for problem in problems] == said


def test_a_test_has_several_ids_in_one_mark_or_in_several(tmp_path: Path) -> None:
    source = ("@pytest.mark.deviation('D1', 'D2')\n@pytest.mark.parametrize('a', [1])\n"
              "@pytest.mark.deviation('D3')\ndef test_a(a): pass")
    assert ids_of(source, tmp_path) == (["D1", "D2", "D3"], [])


@pytest.mark.parametrize("source", [
    "@pytest.mark.deviation('D1')\n@pytest.mark.skip(reason='slow')\ndef test_a(): pass",
    "@pytest.mark.deviation('D1')\n@pytest.mark.skipif(X, reason='x')\ndef test_a(): pass",
    "@pytest.mark.xfail\n@pytest.mark.deviation('D1')\ndef test_a(): pass",
    "@pytest.mark.deviation('D1')\ndef test_a():\n    pytest.skip('later')",
    "pytestmark = [pytest.mark.skip]\n@pytest.mark.deviation('D1')\ndef test_a(): pass",
])
def test_the_test_of_a_deviation_is_never_skipped(source: str, tmp_path: Path) -> None:
    ids, problems = ids_of(source, tmp_path)
    assert ids == ["D1"]
    assert problems == ["test_it.py: test_a is the test of a deviation, and may be skipped"]


def ids_of(source: str, folder: Path) -> tuple[list[str], list[str]]:
    """Return the ids that the tests of a source have, and the problems."""
    path = folder / "test_it.py"
    path.write_text(source)
    problems: list[str] = []
    return [id_ for id_, _ in deviations.tests_of(path, problems)], problems


def test_each_fix_has_a_test_and_each_id_of_a_test_has_a_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "test_it.py").write_text("@pytest.mark.deviation('D1', 'D9')\ndef test_a(): pass")
    monkeypatch.setattr(deviations, "TESTS", tmp_path)
    rows = [["D1", "a.py", "fix", "x"], ["D2", "a.py", "fix", "x"], ["D3", "a.py", "strict", "x"],
            ["D4", "a.py", "python", "x"], ["D5", "a.py", "speed", "1 us"], ["D6", "a.py", "scope", "x"],
            ["D7", "a.py", "internal", "x"], ["D8", "a.py", "bound", "x"]]
    problems: list[str] = []
    deviations.check_tests(rows, problems)
    assert [problem.partition(":")[0] for problem in problems] == ["D9", "D2", "D3", "D7", "D8"]


def test_a_fix_that_can_be_switched_off_has_a_test_of_the_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "test_it.py").write_text(
        "@pytest.mark.deviation('D1')\ndef test_a(): pass\n"
        "@pytest.mark.deviation('D2')\n@pytest.mark.parametrize('a', ['fixed', 'strict'])\n"
        "def test_b(a): pass\n"
        "@pytest.mark.deviation('D3')\ndef test_c(fidelity): pass\n")
    monkeypatch.setattr(deviations, "TESTS", tmp_path)
    problems: list[str] = []
    deviations.check_tests([[id_, "a.py", "strict", "x"] for id_ in ("D1", "D2", "D3")], problems)
    assert problems == ["D1: no test with its mark sees Kafka's behaviour with kreactor.fidelity=strict"]


def test_without_tests_each_fix_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deviations, "TESTS", tmp_path)
    fixes = [row[0] for row in deviations.rows([]) if row[2] in deviations.FIXES]
    assert len(fixes) > 100
    assert [problem.partition(":")[0] for problem in deviations.check() if "no test has" in problem] == fixes
