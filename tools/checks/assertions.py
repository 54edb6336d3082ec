# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tells which tests pytest runs, and whether a test asserts anything, itself or by a helper in the tests.

A call is followed by its name: into the module itself, the test modules that it imports, the conftest.py of
its folders with their imports, and the module of the test, whose methods a helper may call.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tools.checks import reachable

_CHECKS = {"raises", "warns", "fail"}
_Function = ast.FunctionDef


@dataclass(frozen=True)
class Case:
    """A function of a test module with the name of a test.

    ``hindrance`` says why pytest does not run it, and is "" if pytest runs it.
    """

    node: ast.FunctionDef
    hindrance: str = ""


class Tests:
    """The test modules below a root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._functions = cache(self._read_functions)
        self._reached = cache(self._read_reached)
        self._uses = cache(self._read_uses)
        self._imports = cache(self._read_imports)
        self.cases = cache(self._read_cases)

    def _read_cases(self, path: Path) -> dict[str, list[Case]]:
        """Return the functions of a module that have the name of a test."""
        cases = defaultdict(list)
        for case in read_cases(_parse(path)):
            cases[case.node.name].append(case)
        return cases

    def asserts(self, path: Path, node: ast.FunctionDef) -> bool:
        """Return whether a test reaches an assertion that can fail."""
        return self._asserts(path, node, set(), path)

    def _asserts(self, path: Path, node: ast.FunctionDef, seen: set[ast.FunctionDef], test: Path) -> bool:
        helper = bool(seen)
        seen.add(node)
        names, inner_functions, mentioned = [], {}, set()
        todo = [node.body]
        while todo:
            for statement in reachable.guarded(todo.pop()):
                if isinstance(statement, _Function):
                    inner_functions[statement.name] = statement
                elif isinstance(statement, ast.ClassDef):
                    todo += [method.body for method in statement.body if isinstance(method, _Function)]
                for inner in () if isinstance(statement, ast.ClassDef) else reachable.expressions(statement):
                    if isinstance(inner, ast.Assert) and reachable.truth(inner.test) is not True \
                            and not (helper and _narrows(inner.test)):
                        return True
                    if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                        mentioned.add(inner.id)
                    if isinstance(inner, ast.Call):
                        name = _name(inner.func)
                        if name in _CHECKS or name.startswith("assert_"):
                            return True
                        names.append(name)
            todo += [inner_functions.pop(name).body for name in [*inner_functions] if name in mentioned]
        return any(self._asserts(where, called, seen, test)
                   for name in names for where in dict.fromkeys((path, *self._reached(path), test))
                   for called in self._functions(where).get(name, ()) if called not in seen)

    def uses_port(self, path: Path, node: ast.FunctionDef) -> bool:
        """Return whether a test names anything of kreactor, itself or by a helper or a fixture."""
        todo, seen = [(path, node)], {node}
        while todo:
            where, function = todo.pop()
            names = self._uses(where)[function]
            if not names.isdisjoint(_port_names(where)):
                return True
            for name in names:
                for near in dict.fromkeys((where, *self._reached(where), path)):
                    for called in self._functions(near).get(name, ()):
                        if called not in seen:
                            seen.add(called)
                            todo.append((near, called))
        return False

    def _read_uses(self, path: Path) -> dict[ast.FunctionDef, set[str]]:
        """Return the names that each function of a module reads, with its arguments and words of texts."""
        tree = _parse(path)
        values: dict[str, set[str]] = {}
        for statement in tree.body:
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name):
                            values.setdefault(name.id, set()).update(_words(statement.value))
            elif isinstance(statement, ast.ClassDef):
                values.setdefault(statement.name, set()).update(
                    word for base in statement.bases for word in _words(base))
        every = {name for functions in self._functions(path).values() for name in functions}
        # An automatic fixture belongs to every test of its module.
        automatic = {node.name for node in every if node.decorator_list and "autouse=True" in "".join(
            ast.unparse(mark) for mark in node.decorator_list)}
        uses = {}
        for node in every:
            found = _words(node) | (automatic if node.name.startswith("test") else set())
            while more := {word for name in found & values.keys() for word in values[name]} - found:
                found |= more
            uses[node] = found
        return uses

    def _read_functions(self, path: Path) -> dict[str, list[ast.FunctionDef]]:
        functions = defaultdict(list)
        for node in _landmarks(path):
            if isinstance(node, ast.FunctionDef):
                functions[node.name].append(node)
            elif isinstance(node, ast.ClassDef):
                functions[node.name] += [inner for inner in node.body if isinstance(inner, ast.FunctionDef)
                                         and inner.name in ("__init__", "__enter__", "__exit__")]
        return functions

    def _read_reached(self, path: Path) -> tuple[Path, ...]:
        shared = [conftest for folder in path.parents if (conftest := folder / "conftest.py").exists()]
        direct = [*self._imports(path), *shared]
        return tuple(dict.fromkeys(direct + [far for near in shared for far in self._imports(near)]))

    def _read_imports(self, path: Path) -> tuple[Path, ...]:
        return tuple(self._imported(path))

    def _imported(self, path: Path) -> Iterator[Path]:
        for node in _landmarks(path):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else \
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names = [f"{module}.{alias.name}" for module in modules for alias in node.names] \
                if isinstance(node, ast.ImportFrom) else []
            for name in (*modules, *names):
                file = self._root.joinpath(*name.split(".")).with_suffix(".py")
                if name.startswith("tests.") and file.exists():
                    yield file


def read_cases(tree: ast.Module) -> list[Case]:
    """Return the functions with the name of a test, and what keeps pytest from running each."""
    marks = [node.value for node in tree.body if isinstance(node, ast.Assign)
             and any(isinstance(name, ast.Name) and name.id == "pytestmark" for name in node.targets)]
    skipped = "is in a module that is skipped" if _skips(marks, tree) or any(
        isinstance(node, ast.Expr) and ast.unparse(node).startswith("pytest.skip(") for node in tree.body) \
        else ""
    bases = {_name(base) for node in tree.body if isinstance(node, ast.ClassDef)
             and node.name.startswith("Test") for base in node.bases}
    return list(_cases(tree, tree, skipped, bases))


def _cases(scope: ast.Module | ast.ClassDef | ast.FunctionDef, tree: ast.Module, hindrance: str,
           bases: set[str]) -> Iterator[Case]:
    if isinstance(scope, ast.FunctionDef):
        yield from (Case(node, hindrance) for node in _inside(scope)
                    if isinstance(node, ast.FunctionDef) and node.name.startswith("test"))
        return
    bound: dict[str, ast.stmt] = {}
    reached = list(_reached(scope))
    for statement in reached:
        for name in _bound(statement):
            bound[name] = statement
    for node in _inside(scope):
        if isinstance(node, ast.ClassDef):
            yield from _cases(node, tree, hindrance or _of_class(node, bases) or _shadow(node, bound, reached)
                              or _skipped(node, tree), bases)
        elif isinstance(node, ast.FunctionDef):
            if node.name.startswith("test"):
                yield Case(node, hindrance or _shadow(node, bound, reached) or _skipped(node, tree)
                           or _yields(node))
            yield from _cases(node, tree, hindrance or f"is inside the function {node.name}", bases)


def _inside(scope: ast.AST) -> Iterator[ast.stmt]:
    """Return the functions and classes in a scope, in its blocks too."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node
        elif isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.ExceptHandler)):
            yield from _inside(node)


def _reached(scope: ast.Module | ast.ClassDef | ast.FunctionDef) -> Iterator[ast.stmt]:
    for statement in reachable.statements(scope.body):
        if not isinstance(statement, ast.If) or "TYPE_CHECKING" not in ast.unparse(statement.test):
            yield statement


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Return the names that a statement itself binds or deletes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    else:
        for node in reachable.expressions(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                # The attribute of a class above, or __test__ of a function.
                yield node.attr if node.attr != "__test__" else _name(node.value)


def _shadow(node: ast.FunctionDef | ast.ClassDef, bound: dict[str, ast.stmt],
            reached: list[ast.stmt]) -> str:
    if not any(node is statement for statement in reached):
        return "is in a block that never runs"
    last = bound[node.name]
    return "" if last is node else f"is replaced in line {last.lineno}"


def _of_class(node: ast.ClassDef, bases: set[str]) -> str:
    of_unittest = any(_name(base) == "TestCase" for base in node.bases)
    if not node.name.startswith("Test") and not of_unittest and node.name not in bases:
        return f"is in the class {node.name}, which pytest does not collect"
    for statement in node.body:
        names = list(_bound(statement))
        if "__init__" in names or "__new__" in names:
            return f"is in the class {node.name}, which has a constructor"
        if isinstance(statement, ast.Assign) and "__test__" in names \
                and reachable.truth(statement.value) is False:
            return f"is in the class {node.name}, which is no test"
    return ""


def _skipped(node: ast.FunctionDef | ast.ClassDef, tree: ast.Module) -> str:
    if _skips(node.decorator_list, tree):
        return "is skipped"
    if isinstance(node, ast.FunctionDef):
        for statement in node.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) \
                    and ast.unparse(statement.value.func) in ("pytest.skip", "pytest.xfail"):
                return "skips itself"
            if isinstance(statement, ast.Assert) or isinstance(statement, ast.Raise) \
                    and "skip" in ast.unparse(statement).lower():
                return "skips itself" if isinstance(statement, ast.Raise) else ""
    return ""


def _skips(marks: list[ast.expr], tree: ast.Module) -> bool:
    """Return whether one of some marks always skips."""
    for mark in marks:
        if isinstance(mark, (ast.List, ast.Tuple)):
            if _skips(mark.elts, tree):
                return True
            continue
        call = mark if isinstance(mark, ast.Call) else None
        name = _name(call.func if call else mark)
        if name == "skip":
            return True
        given = {word.arg: word.value for word in call.keywords} if call else {}
        conditions = [*(call.args if call else ()), *([given["condition"]] if "condition" in given else ())]
        if name == "skipif" and any(_known(condition, tree) for condition in conditions[:1]):
            return True
        if name == "xfail" and "run" in given and _known(given["run"], tree) is False \
                and all(_known(condition, tree) is not False for condition in conditions[:1]):
            return True
        if name == "parametrize" and any(isinstance(values, (ast.List, ast.Tuple)) and not values.elts
                                         for values in conditions[1:2]):
            return True
    return False


def _known(condition: ast.expr, tree: ast.Module) -> bool | None:
    """Return the truth of an expression, or of the constant of its module that it names; None if unknown."""
    if isinstance(condition, ast.Constant) and isinstance(condition.value, str):
        condition = ast.parse(condition.value, mode="eval").body
    if isinstance(condition, ast.Name):
        values = [node.value for node in tree.body if isinstance(node, ast.Assign)
                  and any(isinstance(name, ast.Name) and name.id == condition.id for name in node.targets)]
        return reachable.truth(values[0]) if len(values) == 1 else None
    return reachable.truth(condition)


def _yields(node: ast.FunctionDef) -> str:
    yields = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for statement
                 in reachable.statements(node.body) for inner in reachable.expressions(statement))
    return "is a generator, which pytest does not run" if yields else ""


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else \
        function.attr if isinstance(function, ast.Attribute) else ""


def _words(node: ast.AST) -> set[str]:
    """Return the names in a function or expression, and the words of its texts."""
    words: set[str] = set()
    first = node.body[0] if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) else None
    docstring = first.value if isinstance(first, ast.Expr) else None
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            words.add(inner.id)
        elif isinstance(inner, ast.Attribute):
            words.add(inner.attr)
        elif isinstance(inner, ast.arg):
            words.add(inner.arg)
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            words |= {alias.asname or alias.name.partition(".")[0] for alias in inner.names}
            module = inner.module if isinstance(inner, ast.ImportFrom) else inner.names[0].name
            words |= {"kreactor"} if (module or "").partition(".")[0] == "kreactor" else set()
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner is not docstring:
            if "kreactor" in inner.value:
                words.add("kreactor")
            # The name of a fixture, as in usefixtures.
            elif inner.value.isidentifier():
                words.add(inner.value)
    return words


@cache
def _port_names(path: Path) -> frozenset[str]:
    """Return the names that a module imports from kreactor."""
    names = {"kreactor"}
    for node in _landmarks(path):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "kreactor":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.asname for alias in node.names
                      if alias.asname and alias.name.partition(".")[0] == "kreactor"}
    return frozenset(names)


@cache
def _landmarks(path: Path) -> tuple[ast.AST, ...]:
    """Return the functions, classes and imports of a module."""
    kinds = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    found: list[ast.AST] = []
    todo: list[ast.AST] = [_parse(path)]
    while todo:
        for statement in ast.iter_child_nodes(todo.pop(0)):
            if isinstance(statement, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                todo.append(statement)
                if isinstance(statement, kinds):
                    found.append(statement)
    return tuple(found)


@cache
def _parse(path: Path) -> ast.Module:
    return reachable.parse(path.read_text(encoding="utf-8"))


def _narrows(test: ast.expr) -> bool:
    """Return whether an assertion only narrows a type for the type checker."""
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id == "isinstance"
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) and \
        isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
