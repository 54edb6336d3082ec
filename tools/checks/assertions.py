# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Checks whether a test asserts anything, itself or by a helper in the tests.

A call is followed by its name: into the module itself, the test modules that it imports, the conftest.py of
its folders with their imports, and the module of the test, whose methods a helper may call.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_CHECKS = {"raises", "warns", "fail"}


class Tests:
    """The test modules below a root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._functions = cache(self._read_functions)
        self._reached = cache(self._read_reached)

    def cases(self, path: Path) -> dict[str, list[ast.FunctionDef]]:
        """Return the functions of a module that pytest runs, by name."""
        return {name: nodes for name, nodes in self._functions(path).items() if name.startswith("test")}

    def asserts(self, path: Path, node: ast.FunctionDef) -> bool:
        return self._asserts(path, node, set(), path)

    def _asserts(self, path: Path, node: ast.FunctionDef, seen: set[ast.FunctionDef], test: Path) -> bool:
        helper = bool(seen)
        seen.add(node)
        names = []
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assert) and not (helper and _narrows(inner.test)):
                return True
            if isinstance(inner, ast.Call):
                name = inner.func.id if isinstance(inner.func, ast.Name) else \
                    inner.func.attr if isinstance(inner.func, ast.Attribute) else ""
                if name in _CHECKS or name.startswith("assert_"):
                    return True
                names.append(name)
        return any(self._asserts(where, called, seen, test)
                   for name in names for where in dict.fromkeys((path, *self._reached(path), test))
                   for called in self._functions(where).get(name, ()) if called not in seen)

    def _read_functions(self, path: Path) -> dict[str, list[ast.FunctionDef]]:
        functions = defaultdict(list)
        for node in ast.walk(_parse(path)):
            if isinstance(node, ast.FunctionDef):
                functions[node.name].append(node)
            elif isinstance(node, ast.ClassDef):
                functions[node.name] += [inner for inner in node.body if isinstance(inner, ast.FunctionDef)
                                         and inner.name in ("__init__", "__enter__", "__exit__")]
        return functions

    def _read_reached(self, path: Path) -> tuple[Path, ...]:
        shared = [folder / "conftest.py" for folder in path.parents if (folder / "conftest.py").exists()]
        direct = [*self._imports(path), *shared]
        return tuple(dict.fromkeys(direct + [far for near in shared for far in self._imports(near)]))

    def _imports(self, path: Path) -> Iterator[Path]:
        for node in ast.walk(_parse(path)):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else \
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names = [f"{module}.{alias.name}" for module in modules for alias in node.names] \
                if isinstance(node, ast.ImportFrom) else []
            for name in (*modules, *names):
                file = self._root.joinpath(*name.split(".")).with_suffix(".py")
                if name.startswith("tests.") and file.exists():
                    yield file


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _narrows(test: ast.expr) -> bool:
    """Return whether an assertion only narrows a type for the type checker."""
    if isinstance(test, ast.Call):
        return isinstance(test.func, ast.Name) and test.func.id == "isinstance"
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) and \
        isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
