# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Nothing but the jdk floor has to do with Python's ``random``, of which a user's test counts the numbers."""

from __future__ import annotations

import ast
import os
import random
from pathlib import Path

import pytest

import kreactor
from kreactor.jdk.random_numbers import RANDOM

ROOT = Path(kreactor.__file__).parent


def modules_named(tree: ast.AST) -> set[str]:
    """Return the modules that are imported anywhere in ``tree``, by statement or by name."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            found.add(node.module)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name.endswith(("import_module", "__import__")) and node.args:
                found.add(ast.unparse(node.args[0]).strip("'\""))
    return found


def test_only_the_jdk_floor_imports_random() -> None:
    importing = [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.rglob("*.py"))
                 if "random" in (text := path.read_text(encoding="utf-8"))
                 and {"random", "numpy.random"} & modules_named(ast.parse(text))]
    assert importing == ["jdk/random_numbers.py"]


@pytest.mark.parametrize("text", ["import random", "def f():\n    from random import Random",
                                  "import os, random as r",
                                  "import importlib\nimportlib.import_module('random')"])
def test_an_import_is_found_wherever_it_stands(text: str) -> None:
    assert "random" in modules_named(ast.parse(text))


def test_its_numbers_are_its_own() -> None:
    state = random.getstate()
    RANDOM.random()
    RANDOM.shuffle([1, 2, 3])
    assert random.getstate() == state
    random.seed(1)
    first = RANDOM.random()
    random.seed(1)
    assert RANDOM.random() != first
    random.setstate(state)


def test_a_child_has_other_numbers() -> None:
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write_end, repr(RANDOM.random()).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    childs = float(os.read(read_end, 100))
    os.close(read_end)
    os.close(write_end)
    assert childs != RANDOM.random()
