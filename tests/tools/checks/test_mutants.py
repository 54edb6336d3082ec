# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.tools.scripts import load
from tools.checks.mutations import Finder, Mutant, with_probes

mutants = load("checks/mutants")


def none_refused(mutants: Iterable[Mutant]) -> set[str]:
    return set()


def changed(source: str) -> list[tuple[str, str]]:
    """Return operator and changed line of each mutant of a source, all of which Python accepts."""
    found = Finder("jdk", "kreactor/jdk/it.py", source.encode()).found
    for mutant in found:
        ast.parse(mutant.applied(source.encode()))
    return [(mutant.operator, mutant.after) for mutant in found]


@pytest.mark.parametrize("source, expected", [
    ("a = b < c", [("bound off by one", "a = b < ((c) + 1)"), ("comparison flipped", "a = b <= c")]),
    ("a = b < 1", [("comparison flipped", "a = b <= 1"), ("constant", "a = b < (2)"),
                   ("constant", "a = b < (0)")]),
    ("a = b[c:]", [("bound off by one", "a = b[((c) + 1):]")]),
    ("a = f(timeout_ms)", [("unit changed", "a = f((timeout_ms * 1000))")]),
    ("a = self.time_ns - 1", [("unit changed", "a = (self.time_ns * 1000) - 1"),
                              ("arithmetic", "a = ((self.time_ns) + (1))"),
                              ("constant", "a = self.time_ns - (2)"),
                              ("constant", "a = self.time_ns - (0)")]),
    ("def f():\n    q.put(a)\n    w.wakeup()", [
        ("statements exchanged", "w.wakeup() q.put(a)"), ("call removed", "pass"),
        ("wake-up removed", "pass")]),
    ("self.a = f()\nself.b = g()", [("assignment removed", "pass"), ("assignment removed", "pass")]),
    ("a.f(b)\nc.f(d)", [("call removed", "pass"), ("call removed", "pass")]),
    ("a = f()\ng()", [("call removed", "pass")]),
    ("if a < b:\n    f()\n    d[c] = 1\n", [
        ("statements exchanged", "d[c] = 1 f()"), ("bound off by one", "if a < ((b) + 1):"),
        ("comparison flipped", "if a <= b:"), ("call removed", "pass"), ("constant", "d[c] = (2)"),
        ("constant", "d[c] = (0)")]),
    ("try:\n    f()\nfinally:\n    a.close()", [
        ("finally to plain", "if True: f() if True: a.close()"), ("not released after a failure", "pass"),
        ("call removed", "pass")]),
    ("try:\n    f()\nexcept E:\n    g(a)\nfinally:\n    h()", [
        ("finally to plain", "try: f() except E: g(a) if True: h()"), ("call removed", "pass"),
        ("except narrowed", "except ZeroDivisionError:"), ("call removed", "pass"),
        ("call removed", "pass")]),
    ("try:\n    f()\nexcept E:\n    a.release()\n    raise", [
        ("call removed", "pass"), ("except narrowed", "except ZeroDivisionError:"),
        ("not released after a failure", "pass"), ("raise removed", "pass")]),
    ("while not a:\n    c.wait()", [
        ("wait without a loop", "if not a:"), ("not removed", "while (a):"), ("call removed", "pass")]),
    ("c.notify_all()", [("wake-up removed", "pass")]),
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
        ("return value", "return not (a < b)"), ("bound off by one", "return a < ((b) + 1)"),
        ("comparison flipped", "return a <= b")]),
    ("def f():\n    return", [("return removed", "pass")]),
    ("try:\n    a = b\nexcept (OSError, E):\n    c = d", [("except narrowed", "except OSError:")]),
    ("try:\n    a = b\nexcept OSError:\n    c = d", [("except narrowed", "except ZeroDivisionError:")]),
    ("def f(self):\n    self._a = b", [("assignment removed", "pass")]),
    ("a = 'é'; b = c == d", [("comparison flipped", "a = 'é'; b = c != d")]),
])
def test_each_operator(source, expected):
    assert changed(source) == expected


@pytest.mark.parametrize("source", [
    '"""A text of 3 < 4."""', "a: 'Literal[1]' = b", "def f(a: Literal[1]) -> Literal[2]: ...",
    "__slots__ = f('a', 'b')", "Alias = Union[A, B, 1]", "assert a < 1",
    "self._log.debug('%s', 1 + 2)",
    "log.info('%s', a < b)", "a = f'{b + 1}'", "@f(1)\ndef g(): ...", "def __repr__(self):\n    return a + b",
    "if TYPE_CHECKING:\n    import a", "a = isinstance(b, c)", "a = 'x' + b", "a = os.path.join(b, b)",
])
def test_what_stays(source):
    assert changed(source) == []


def test_each_group_has_its_modules_and_tests():
    for group, (patterns, wider) in mutants.GROUPS.items():
        assert all(list((mutants.ROOT / "kreactor").glob(pattern)) for pattern in patterns)
        assert all((mutants.ROOT / path).exists() for path in wider)
        # The tests of all modules take minutes to find.
        for path in mutants.files_of(group)[::25]:
            name = path.relative_to(mutants.ROOT).as_posix()
            stages = mutants.tests_of(name, group)
            assert len(stages) == mutants.STAGES and any(stages)
            assert all((mutants.ROOT / test).exists() for stage in stages for test in stage)
            assert not set(stages[0]) & set(stages[1])


def test_the_mirror_comes_first_then_what_imports():
    stages = mutants.tests_of("kreactor/jdk/wakeup.py", "jdk")
    assert stages[0] == ["tests/jdk/test_wakeup.py"]
    assert "tests/jdk/test_text.py" in stages[1] and "tests/jdk/test_wakeup.py" not in stages[1]


def test_the_mirror_may_stand_in_another_folder():
    for module in ("log_validator", "offset_index"):
        stages = mutants.tests_of(f"kreactor/storage/internals/log/{module}.py", "storage")
        assert stages[0] == [f"tests/core/log/test_{module}.py"]
        assert "tests/storage/internals/log/test_indexes.py" in stages[1]
    # Tests of the same name that do not import the module are another module's.
    stages = mutants.tests_of("kreactor/jdk/log_segment.py", "jdk")
    assert "tests/core/log/test_log_segment.py" not in stages[0]


def test_the_same_seed_draws_the_same_and_every_group_has_a_share():
    groups = ["common/memory", "common/network", "core/network"]
    found = mutants.mutants(groups)
    assert len({mutant.id for mutant in found}) == len(found) > 2000
    drawn = mutants.draw(found, 120, 7, none_refused)
    assert drawn == mutants.draw(found, 120, 7, none_refused) != mutants.draw(found, 120, 8, none_refused)
    assert len(drawn) == 120 and set(Counter(mutant.group for mutant in drawn)) == set(groups)
    assert {"lock removed", "statements exchanged", "wake-up removed", "finally to plain", "unit changed",
            "bound off by one", "not released after a failure"} <= {mutant.operator for mutant in found}


def test_refused_mutants_are_not_drawn():
    found = mutants.mutants(["common/memory"])
    asked = []

    def refused(some):
        asked.append(list(some))
        return {mutant.id for mutant in asked[-1] if mutant.operator not in ("lock removed", "or to and")}

    drawn = mutants.draw(found, 40, 7, refused)
    assert {mutant.operator for mutant in drawn} == {"lock removed", "or to and"}
    # Each is asked about once, until none is left.
    assert len(asked) > 2 and sorted(each.id for some in asked for each in some) == sorted(
        mutant.id for mutant in found if mutants.compiles(mutant))


def test_what_mypy_refuses(tmp_path, monkeypatch):
    small_tree(tmp_path, monkeypatch, TEST)
    for name in ("it", "other"):
        (tmp_path / "kreactor" / "jdk" / f"{name}.py").write_text(
            "def first(text: str, number: int) -> str:\n    return text * number\n\n\n"
            "def second() -> str | None:\n    return first('a', 2)\n\n\n"
            "wrong: int = 'a finding of the unchanged code'\n")
    found = mutants.mutants()
    with mutants.type_checker() as checker:
        refused = checker.refused(found)
        # Once more: each mutant is undone.
        assert checker.refused(found) == refused
    for name in ("it", "other"):
        assert {(mutant.function, mutant.operator): mutant.id in refused for mutant in found
                if mutant.file.endswith(f"/{name}.py")} == {
            ("first", "return value"): True, ("first", "arithmetic"): True, ("second", "return value"): False,
            ("second", "arguments swapped"): True, ("second", "constant"): False}


def test_every_module_is_in_one_group():
    found = [path for group in mutants.GROUPS for path in mutants.files_of(group)]
    assert len(set(found)) == len(found)
    left_out = {path for path in (mutants.ROOT / "kreactor").rglob("*.py")
                if path.name != "__init__.py" and not {"generated", "message"} & set(path.parts)} - set(found)
    assert left_out == set()
    assert mutants.ROOT / "kreactor/common/network/selector.py" in mutants.files_of("common/network")


def test_the_seed_is_the_commits(tmp_path, monkeypatch):
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="git rev-parse: fatal: not a git repository"):
        mutants.seed_of_commit()
    commit(tmp_path)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert mutants.seed_of_commit() == int(head[:8], 16)


def commit(root: Path) -> None:
    for command in (["init", "-q"], ["add", "-A"],
                    ["-c", "user.name=a", "-c", "user.email=b@c", "commit", "-qm", "All", "--allow-empty"]):
        subprocess.run(["git", *command], cwd=root, check=True)


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
    for name in ("mutants_plugin", "mutants_reach"):
        module = Path("tools", "checks", f"{name}.py")
        (root / module).write_bytes((mutants.ROOT / module).read_bytes())
    monkeypatch.setattr(mutants, "ROOT", root)
    monkeypatch.setattr(mutants, "EQUIVALENTS", root / "tools" / "checks" / "equivalent_mutants.tsv")
    monkeypatch.setattr(mutants, "GROUPS", {"jdk": (["jdk/*.py"], [])})


TEST = """from kreactor.jdk.it import is_less, larger


def test_larger():
    assert larger(1, 2) == larger(2, 1) == 2
"""


def test_a_run_that_is_gone_on_with(tmp_path, monkeypatch, capsys):
    root, results = tmp_path / "project", tmp_path / "results.tsv"
    small_tree(root, monkeypatch, TEST)
    source = (root / "kreactor" / "jdk" / "it.py").read_text()
    assert mutants.main(["--seed", "1", "--results", str(results), "--stages", "1", "--limit", "600"]) == 0
    rows = {(row.function, row.operator, row.after): row for row in mutants.Results(results).rows}
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
    assert mutants.main(["--results", str(results), "--tests", "tests/test_elsewhere.py"]) == 0
    rows = {(row.function, row.operator, row.after): row for row in mutants.Results(results).rows}
    negated = rows["is_less", "return value", "return not (a < b)"]
    assert (negated.result, negated.stages, negated.by) == ("killed", 1, "tests/test_elsewhere.py::test_it")
    less = rows["is_less", "comparison flipped", "return a <= b"]
    assert (less.result, less.stages) == ("survived", 1)
    elsewhere.unlink()
    # The test is wider now, and the one that nothing can notice has its reason.
    (root / "tests" / "jdk" / "test_it.py").write_text(
        TEST + "\n\ndef test_is_less():\n    assert is_less(1, 2) is True and is_less(2, 2) is False\n")
    mutants.EQUIVALENTS.write_text("file\tfunction\toperator\tbefore\tafter\treason\n" + "\t".join(
        [*mutants.key(flipped), "of two that are equal either is the larger"]) + "\n")
    capsys.readouterr()
    assert mutants.main(["--results", str(results), "--stages", "1", "--limit", "600", "--again"]) == 0
    assert {row.result for row in mutants.Results(results).rows} == {"killed", "survived"}
    (table,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("all ")]
    count = len(rows)
    assert table == ["all", str(count), str(count - 1), "0", "0", "0", "0", "1", "0", "100.0%"]


def test_a_tree_has_a_repository_of_its_own(tmp_path, monkeypatch):
    root = tmp_path / "project"
    small_tree(root, monkeypatch, TEST)
    (root / ".git").write_text("gitdir: /nowhere\n")
    tree = mutants.Tree(tmp_path / "tree")
    assert (tree.path / ".git").is_dir() and (tree.path / "setup.cfg").is_file()


def result_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, test: str,
              limit: float = 600.0) -> tuple[str, str]:
    small_tree(tmp_path / "project", monkeypatch, test)
    tree = mutants.Tree(tmp_path / "copy")
    result, by, seconds = tree.run(["tests/jdk/test_it.py"], limit)
    assert seconds > 0
    return result, by


def test_a_hang_is_a_timeout(tmp_path, monkeypatch):
    hang = "import signal\n\n\ndef test_it():\n    signal.pause()\n"
    assert result_of(tmp_path, monkeypatch, hang, 0.1) == ("timeout", "")


@pytest.mark.parametrize("body, result", [
    ("assert False", "killed"), ("pytest.fail('why')", "killed"),
    ("with pytest.raises(OSError): pass", "killed"),
    ("raise ExceptionGroup('two', [OSError(), AssertionError()])", "killed"),
    ("raise ValueError", "error"), ("import no_such_module", "error"), ("pytest.skip('why')", "survived"),
    ("pass", "survived"),
])
def test_a_mutant_is_killed_by_an_assertion_alone(body, result, tmp_path, monkeypatch):
    by = {"killed": "tests/jdk/test_it.py::test_it", "error": "tests/jdk/test_it.py::test_it"}.get(result, "")
    test = f"import pytest\n\n\ndef test_it():\n    {body}\n"
    assert result_of(tmp_path, monkeypatch, test) == (result, by)


def test_an_assertion_behind_an_error_kills(tmp_path, monkeypatch):
    two = "def test_a():\n    raise OSError\n\n\ndef test_b():\n    assert False\n"
    assert result_of(tmp_path, monkeypatch, two) == ("killed", "tests/jdk/test_it.py::test_b")


def test_a_file_that_cannot_be_imported_is_an_error(tmp_path, monkeypatch):
    assert result_of(tmp_path, monkeypatch, "import no_such_module\n")[0] == "error"


def test_a_test_that_fails_without_the_mutant_is_flaky(tmp_path, monkeypatch):
    """The first run of the test passes, as before the mutants; the second and the third fail."""
    test = """from pathlib import Path


def test_it():
    with open(Path(__file__).with_name("runs"), "a") as runs:
        runs.write("x")
    assert Path(__file__).with_name("runs").read_text() == "x"
"""
    small_tree(tmp_path / "project", monkeypatch, test)
    tree = mutants.Tree(tmp_path / "copy")
    mutant = mutants.mutants()[0]
    reach = mutants.Reaches([mutant]).of(tree, ["tests/jdk/test_it.py"])
    result, by, _ = mutants.judge(tree, mutant, list(reach.seconds), 600.0)
    assert (result, by) == ("flaky", "tests/jdk/test_it.py::test_it")


def test_the_mutants_of_changed_functions(tmp_path, monkeypatch, capsys):
    root = tmp_path / "project"
    small_tree(root, monkeypatch, TEST)
    commit(root)
    assert mutants.main(["--changed", "--list"]) == 0
    assert capsys.readouterr().out == "no function in kreactor/ differs from HEAD\n"
    module = root / "kreactor" / "jdk" / "it.py"
    module.write_text(module.read_text().replace("return a < b", "return b > a"))
    assert mutants.main(["--changed", "--list"]) == 0
    listed = capsys.readouterr().out
    assert "return not (b > a)" in listed and "larger" not in listed and "if a >= b" not in listed
    assert mutants.main(["--changed", "--stages", "1", "--minutes", "60", "--limit", "600"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].endswith("of 3 mutants of the changed functions ran")
    assert "survived: kreactor/jdk/it.py:6 is_less" in out


def test_the_time_of_a_run_over_changed_functions_is_bounded(tmp_path, monkeypatch, capsys):
    root = tmp_path / "project"
    small_tree(root, monkeypatch, TEST)
    commit(root)
    module = root / "kreactor" / "jdk" / "it.py"
    module.write_text(module.read_text().replace("return a < b", "return b > a"))
    assert mutants.main(["--changed", "--minutes", "0"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "0 of 3 mutants of the changed functions ran"


REACHES = """import subprocess, sys, threading, time
import pytest
from kreactor.jdk import it

@pytest.fixture(scope="module")
def shared():
    it.larger(1, 2)

def test_less():
    it.is_less(1, 2)
    time.sleep(0.2)

def test_in_a_thread(shared):
    thread = threading.Thread(target=it.is_less, args=(1, 2))
    thread.start()
    thread.join()

def test_in_a_process():
    subprocess.run([sys.executable, "-c", "from kreactor.jdk import it; it.larger(1, 2)"], check=True)

def test_neither():
    pass

def test_fails():
    it.larger(1, 2)
    assert False
"""


def test_the_tests_that_reach_a_function_the_shortest_first(tmp_path, monkeypatch):
    small_tree(tmp_path / "project", monkeypatch, REACHES)
    tree = mutants.Tree(tmp_path / "copy")
    source = (tree.path / "kreactor" / "jdk" / "it.py").read_bytes()
    found = {mutant.function: mutant for mutant in mutants.mutants()}
    reach = mutants.Reaches(found.values()).of(tree, ["tests/jdk"])
    assert (tree.path / "kreactor" / "jdk" / "it.py").read_bytes() == source
    file = "tests/jdk/test_it.py"
    less = reach.of(found["is_less"], 60.0)
    assert less == [f"{file}::test_in_a_thread", f"{file}::test_less"]
    assert reach.of(found["is_less"], 0.0) == less[:1]
    # The fixture that tests share is made for the first of them.
    assert set(reach.of(found["larger"], 60.0)) == {f"{file}::test_in_a_thread", f"{file}::test_in_a_process"}
    # A mutant outside of any function changes all of them.
    outside = dataclasses.replace(found["larger"], function="")
    outside.entry = 0
    assert len(reach.of(outside, 60.0)) == 3
    result, by, _ = tree.run([f"{file}::test_fails"], 600.0)
    assert (result, by) == ("killed", f"{file}::test_fails")
    assert tree.run([f"{file}::test_neither"], 600.0)[0] == "survived"


@pytest.mark.parametrize("source, expected", [
    ("def f():\n    return 1\n", "def f():\n    PROBE\n    return 1\n"),
    ("def f(): return 1\n", "def f(): PROBE; return 1\n"),
    ('def f():\n    """Text."""\n    if a:\n        b()\n',
     'def f():\n    """Text."""\n    PROBE\n    if a:\n        b()\n'),
    ('def f():\n    """Only a text."""\n', 'def f():\n    """Only a text."""\n'),
    ("def f():\n    @d\n    def g(): pass\n", "def f():\n    PROBE\n    @d\n    def g(): pass\n"),
    ("a = 1\ndef g(): pass\n", "a = 1\ndef g(): pass\n"),
])
def test_probes(source, expected):
    probe = "__import__('tools.checks.mutants_reach', fromlist=['hit']).hit('a.py:1')"
    assert with_probes("a.py", source.encode(), {1}).decode() == expected.replace("PROBE", probe)


def test_tests_that_fail_unchanged_judge_nothing(tmp_path, monkeypatch):
    small_tree(tmp_path / "project", monkeypatch, "def test_it():\n    assert False\n")
    tree = mutants.Tree(tmp_path / "copy")
    with pytest.raises(RuntimeError, match="no test passes without a mutant in tests/jdk/test_it.py: 1 fail"):
        mutants.Reaches(mutants.mutants()).of(tree, ["tests/jdk/test_it.py"])


def test_a_run_whose_tests_fail_unchanged_says_so(tmp_path, monkeypatch, capsys):
    root, results = tmp_path / "project", tmp_path / "results.tsv"
    small_tree(root, monkeypatch, "import no_such_package\n")
    runs = []
    run = mutants.Tree.reach
    monkeypatch.setattr(mutants.Tree, "reach", lambda *arguments: runs.append(arguments) or run(*arguments))
    assert mutants.main(["--seed", "1", "--results", str(results), "--stages", "2"]) == 1
    # The tests run once, not once for each mutant.
    assert len(runs) == 1
    assert capsys.readouterr().err.startswith("no test passes without a mutant in tests/jdk/test_it.py: ")
    rows = mutants.Results(results).rows
    assert len(rows) > 1 and {(row.result, row.stages) for row in rows} == {("waiting", 0)}


def test_without_the_packages_of_the_tests_the_environment_is_used(tmp_path):
    """No package can be imported with -S, as in a Python that has none."""
    root = tmp_path / "project"
    tools = root / "tools"
    tools.mkdir(parents=True)
    (root / "kreactor").symlink_to(mutants.ROOT / "kreactor")
    (tools / "checks").mkdir()
    for name in ("checks/mutants", "checks/mutants_reach.py", "checks/mutations.py", "__init__.py",
                 "environments.py"):
        (tools / name).write_bytes((mutants.ROOT / "tools" / name).read_bytes())
    environment = tools / "environment"
    environment.write_text(f"#!/bin/sh\necho {tmp_path} $*\n")
    environment.chmod(0o755)
    python = Path(f"{tmp_path} demo test") / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\necho "goes on: $*"\n')
    python.chmod(0o755)
    command = [sys.executable, "-S", str(tools / "checks" / "mutants"), "--modules", "jdk", "--seed", "1"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == (f"goes on: {' '.join(command[2:])}\n", "")
    environment.write_text("#!/bin/sh\necho pip could not install kreactor: see above. >&2\nexit 1\n")
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "pip could not install kreactor: see above.\n"


def test_no_such_module(tmp_path, capsys):
    assert mutants.main(["--modules", "nothing", "--results", str(tmp_path / "results.tsv")]) == 2
    assert capsys.readouterr().err == "--modules: no group or file of this name: nothing\n"


def test_each_equivalent_has_a_reason_and_is_still_there():
    known = mutants.equivalents()
    here = {mutants.key(mutant) for mutant in mutants.mutants(tuple({row[0] for row in known}))}
    for row, reason in known.items():
        assert row in here and len(reason) > 10, row
