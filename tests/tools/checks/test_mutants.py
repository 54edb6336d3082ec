# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.tools.scripts import load

mutate = load("checks/mutants")


def changed(source: str) -> list[tuple[str, str]]:
    """Return operator and changed line of each mutant of a source, all of which Python accepts."""
    found = mutate.Finder("jdk", "kreactor/jdk/it.py", source.encode()).found
    for mutant in found:
        ast.parse(source.encode()[:mutant.start] + mutant.text.encode() + source.encode()[mutant.end:])
    return [(mutant.operator, mutant.after) for mutant in found]


@pytest.mark.parametrize("source, mutants", [
    ("a = b < c", [("comparison flipped", "a = b <= c")]),
    ("a = b is not c", [("comparison flipped", "a = b is c")]),
    ("a = b == c in d", [("comparison flipped", "a = b != c in d"),
                         ("comparison flipped", "a = b == c not in d")]),
    ("a = b and not c", [("and to or", "a = ((b) or (not c))"), ("not removed", "a = b and (c)")]),
    ("a = b or c", [("or to and", "a = ((b) and (c))")]),
    ("a = b + 1", [("arithmetic", "a = ((b) - (1))"), ("constant", "a = b + (2)"),
                   ("constant", "a = b + (0)")]),
    ("a = True", [("constant", "a = False")]),
    ("a = min(b, c)", [("min and max swapped", "a = max(b, c)")]),
    ("a = f(b, c)", [("arguments swapped", "a = f(c, b)")]),
    ("f(b)", [("call removed", "pass")]),
    ("a += b", [("assignment removed", "pass")]),
    ("del a[b]", [("deletion removed", "pass")]),
    ("if a:\n    b = c", [("condition negated", "if not (a):")]),
    ("raise f(b, 1)", [("raise removed", "pass")]),
    ("with self._lock:\n    a = b", [("lock removed", "if True:")]),
    ("a = self._condition.wait(b)", [("wait shortened", "a = self._condition.wait(0)")]),
    ("a = f(timeout_ms=b)", [("wait shortened", "a = f(timeout_ms=0)")]),
    ("def f():\n    return a", [("return value", "return None")]),
    ("def f():\n    return a < b", [
        ("return value", "return not (a < b)"), ("comparison flipped", "return a <= b")]),
    ("def f():\n    return", [("return removed", "pass")]),
    ("try:\n    a = b\nexcept (OSError, E):\n    c = d", [("except narrowed", "except OSError:")]),
    ("try:\n    a = b\nexcept OSError:\n    c = d", [("except narrowed", "except ZeroDivisionError:")]),
    ("def f(self):\n    self._a = b", [("assignment removed", "pass")]),
    ("a = 'é'; b = c < d", [("comparison flipped", "a = 'é'; b = c <= d")]),
])
def test_each_operator(source, mutants):
    assert changed(source) == mutants


@pytest.mark.parametrize("source", [
    '"""A text of 3 < 4."""', "a: 'Literal[1]' = b", "def f(a: Literal[1]) -> Literal[2]: ...",
    "OMITTED = {'a': 1}", "__slots__ = f('a', 'b')", "Alias = Union[A, B, 1]", "assert a < 1",
    "self._log.debug('%s', 1 + 2)",
    "log.info('%s', a < b)", "a = f'{b + 1}'", "@f(1)\ndef g(): ...", "def __repr__(self):\n    return a + b",
    "if TYPE_CHECKING:\n    import a", "a = isinstance(b, c)", "a = 'x' + b", "a = os.path.join(b, b)",
])
def test_what_stays(source):
    assert changed(source) == []


def test_each_group_has_its_modules_and_tests():
    for group, (patterns, wider) in mutate.GROUPS.items():
        assert all(list((mutate.ROOT / "kreactor").glob(pattern)) for pattern in patterns)
        assert all((mutate.ROOT / path).exists() for path in wider)
        for path in mutate.files_of(group):
            name = path.relative_to(mutate.ROOT).as_posix()
            stages = mutate.tests_of(name, group)
            assert len(stages) == mutate.STAGES and any(stages)
            assert all((mutate.ROOT / test).exists() for stage in stages for test in stage)
            assert not set(stages[0]) & set(stages[1])


def test_the_mirror_comes_first_then_what_imports():
    stages = mutate.tests_of("kreactor/jdk/wakeup.py", "jdk")
    assert stages[0] == ["tests/jdk/test_wakeup.py"]
    assert "tests/jdk/test_text.py" in stages[1] and "tests/jdk/test_wakeup.py" not in stages[1]


def test_the_mirror_may_stand_in_another_folder():
    for module in ("log_validator", "offset_index"):
        stages = mutate.tests_of(f"kreactor/storage/internals/log/{module}.py", "storage")
        assert stages[0] == [f"tests/core/log/test_{module}.py"]
        assert "tests/storage/internals/log/test_indexes.py" in stages[1]
    # Tests of the same name that do not import the module are another module's.
    stages = mutate.tests_of("kreactor/jdk/log_segment.py", "jdk")
    assert "tests/core/log/test_log_segment.py" not in stages[0]


def test_the_same_seed_draws_the_same_and_every_group_has_a_share():
    found = mutate.mutants()
    assert len({mutant.id for mutant in found}) == len(found) > 5000
    drawn = mutate.draw(found, 120, 7)
    assert drawn == mutate.draw(found, 120, 7) != mutate.draw(found, 120, 8)
    assert len(drawn) == 120 and set(Counter(mutant.group for mutant in drawn)) == set(mutate.GROUPS)
    assert {"lock removed", "wait shortened"} <= {mutant.operator for mutant in found}


def small_tree(root: Path, monkeypatch: pytest.MonkeyPatch, test: str) -> None:
    """Make a project of one module in group jdk, and have the tool work on it."""
    for folder in ("kreactor/jdk", "kreactor/testing", "tests/jdk", "tools/checks", "examples"):
        (root / folder).mkdir(parents=True)
    (root / "setup.cfg").write_text("[tool:pytest]\npythonpath = .\n")
    (root / "kreactor" / "jdk" / "it.py").write_text(
        "def larger(a, b):\n    return a if a > b else b\n\n\ndef is_less(a, b):\n    return a < b\n")
    for name in ("__init__", "jdk/__init__", "testing/__init__", "testing/pytest_plugin"):
        (root / "kreactor" / f"{name}.py").write_text("")
    (root / "tests" / "jdk" / "test_it.py").write_text(test)
    monkeypatch.setattr(mutate, "ROOT", root)
    monkeypatch.setattr(mutate, "EQUIVALENTS", root / "tools" / "checks" / "equivalent_mutants.tsv")
    monkeypatch.setattr(mutate, "GROUPS", {"jdk": (["jdk/*.py"], [])})


TEST = """from kreactor.jdk.it import is_less, larger


def test_larger():
    assert larger(1, 2) == larger(2, 1) == 2
"""


def test_a_run_that_is_gone_on_with(tmp_path, monkeypatch, capsys):
    root, results = tmp_path / "project", tmp_path / "results.tsv"
    small_tree(root, monkeypatch, TEST)
    source = (root / "kreactor" / "jdk" / "it.py").read_text()
    assert mutate.main(["--results", str(results), "--stages", "1", "--limit", "600"]) == 0
    rows = {(row.function, row.operator, row.after): row for row in mutate.Results(results).rows}
    assert {row.result for (function, _, _), row in rows.items() if function == "is_less"} == {"survived"}
    # Of two that are equal either is the larger: a test cannot tell.
    flipped = rows["larger", "comparison flipped", "return a if a >= b else b"]
    returned = rows["larger", "return value", "return None"]
    assert (flipped.result, flipped.stages) == ("survived", 1)
    assert (returned.result, returned.by) == ("killed", "tests/jdk/test_it.py::test_larger")
    assert (root / "kreactor" / "jdk" / "it.py").read_text() == source
    # Tests that no stage has are named.
    elsewhere = root / "tests" / "test_elsewhere.py"
    elsewhere.write_text(
        "from kreactor.jdk.it import is_less\n\n\ndef test_it():\n    assert is_less(1, 2) is True\n")
    assert mutate.main(["--results", str(results), "--tests", "tests/test_elsewhere.py"]) == 0
    rows = {(row.function, row.operator, row.after): row for row in mutate.Results(results).rows}
    negated = rows["is_less", "return value", "return not (a < b)"]
    assert (negated.result, negated.stages, negated.by) == ("killed", 1, "tests/test_elsewhere.py::test_it")
    less = rows["is_less", "comparison flipped", "return a <= b"]
    assert (less.result, less.stages) == ("survived", 1)
    elsewhere.unlink()
    # The test is wider now, and the one that nothing can notice has its reason.
    (root / "tests" / "jdk" / "test_it.py").write_text(
        TEST + "\n\ndef test_is_less():\n    assert is_less(1, 2) is True and is_less(2, 2) is False\n")
    mutate.EQUIVALENTS.write_text("file\tfunction\toperator\tbefore\tafter\treason\n" + "\t".join(
        [*mutate.key(flipped), "of two that are equal either is the larger"]) + "\n")
    capsys.readouterr()
    assert mutate.main(["--results", str(results), "--stages", "1", "--limit", "600", "--again"]) == 0
    assert {row.result for row in mutate.Results(results).rows} == {"killed", "survived"}
    (table,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("all ")]
    count = len(rows)
    assert table == ["all", str(count), str(count - 1), "0", "1", "0", "0", "100.0%"]


def test_a_tree_has_a_repository_of_its_own(tmp_path, monkeypatch):
    root = tmp_path / "project"
    small_tree(root, monkeypatch, TEST)
    (root / ".git").write_text("gitdir: /nowhere\n")
    tree = mutate.Tree(tmp_path / "tree")
    assert (tree.path / ".git").is_dir() and (tree.path / "setup.cfg").is_file()


def test_a_hang_counts_as_caught(tmp_path, monkeypatch):
    small_tree(tmp_path / "project", monkeypatch, "import signal\n\n\ndef test_it():\n    signal.pause()\n")
    tree = mutate.Tree(tmp_path / "copy")
    result, by, seconds = tree.run(["tests/jdk/test_it.py"], 0.1)
    assert (result, by) == ("timeout", "") and seconds >= 0.1


def test_tests_that_fail_unchanged_judge_nothing(tmp_path, monkeypatch):
    small_tree(tmp_path / "project", monkeypatch, "def test_it():\n    assert False\n")
    tree = mutate.Tree(tmp_path / "copy")
    with pytest.raises(RuntimeError, match="test_it.py::test_it fails without a mutant"):
        tree.limit(["tests/jdk/test_it.py"])


def test_a_run_whose_tests_fail_unchanged_says_so(tmp_path, monkeypatch, capsys):
    root, results = tmp_path / "project", tmp_path / "results.tsv"
    small_tree(root, monkeypatch, "import no_such_package\n")
    runs = []
    run = mutate.Tree.run
    monkeypatch.setattr(mutate.Tree, "run", lambda *arguments: runs.append(arguments) or run(*arguments))
    assert mutate.main(["--results", str(results), "--stages", "2"]) == 1
    # The tests run once, not once for each mutant.
    assert len(runs) == 1
    assert capsys.readouterr().err == "tests/jdk/test_it.py fails without a mutant\n"
    rows = mutate.Results(results).rows
    assert len(rows) > 1 and {(row.result, row.stages) for row in rows} == {("waiting", 0)}


def test_without_the_packages_of_the_tests_the_environment_is_used(tmp_path):
    """No package can be imported with -S, as in a Python that has none."""
    root = tmp_path / "project"
    tools = root / "tools"
    tools.mkdir(parents=True)
    (root / "kreactor").symlink_to(mutate.ROOT / "kreactor")
    (tools / "checks").mkdir()
    for name in ("checks/mutants", "__init__.py", "environments.py"):
        (tools / name).write_bytes((mutate.ROOT / "tools" / name).read_bytes())
    environment = tools / "environment"
    environment.write_text(f"#!/bin/sh\necho {tmp_path} $*\n")
    environment.chmod(0o755)
    python = Path(f"{tmp_path} demo test") / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "goes on: $*"\n')
    python.chmod(0o755)
    command = [sys.executable, "-S", str(tools / "checks" / "mutants"), "--modules", "jdk", "--count", "1"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (f"goes on: {' '.join(command[2:])}\n", "")
    environment.write_text("#!/bin/sh\necho pip could not install kreactor: see above. >&2\nexit 1\n")
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "pip could not install kreactor: see above.\n"


def test_no_such_module(tmp_path, capsys):
    assert mutate.main(["--modules", "nothing", "--results", str(tmp_path / "results.tsv")]) == 2
    assert capsys.readouterr().err == "--modules: no group or file of this name: nothing\n"


def test_each_equivalent_has_a_reason_and_is_still_there():
    here = {mutate.key(mutant) for mutant in mutate.mutants()}
    for row, reason in mutate.equivalents().items():
        assert row in here and len(reason) > 10, row
