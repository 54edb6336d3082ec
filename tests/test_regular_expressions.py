# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which regular expressions kreactor gives to Python's ``re``, and that none of them can hold a broker.

``re`` backtracks under the interpreter's lock. So an expression of a client never goes to ``re``, but to
``jdk.regex``. A fixed expression takes time linear in the text, however hostile the text is. Each expression
that is not fixed must be in ``VARIABLE``, with its author.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
_OPERATIONS = {"match", "fullmatch", "search", "split", "sub", "subn", "finditer", "findall"}
_FUNCTIONS = _OPERATIONS | {"compile", "template", "fnmatch", "fnmatchcase", "filter", "translate"}

_UNSECURED = "kreactor/common/security/oauthbearer/internals/unsecured"
_ROUTE = ast.unparse(ast.parse(
    r"""re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(route.path))""", mode="eval"))
_PORTED = ast.unparse(ast.parse(
    r"""rf"kreactor\.(?:editions\.\w+\.)?(core|{'|'.join(_PACKAGES)})((?:\.\w+)*)" """.strip(), mode="eval"))
# The expressions that are not fixed, by file and source, and where each comes from.
VARIABLE = {
    ("kreactor/jdk/regex.py", "expression"):
        "the owner's ssl.principal.mapping.rules; metrics.jmx.include and .exclude with syntax of Java alone",
    (f"{_UNSECURED}/o_auth_bearer_unsecured_login_callback_handler.py", "delimiter"):
        "one character of the owner's JAAS options",
    ("kreactor/common/security/ssl/default_ssl_engine_factory.py", "name.replace(' ', '\\\\s+')"):
        "CERTIFICATE or PRIVATE KEY",
    ("kreactor/conformance/selection.py", "id_"): "the id of a check, against selectors of the command line",
    ("kreactor/pipeline/ingest.py", "regex"): "the owner's --broker-from, against the owner's paths",
    ("kreactor/pipeline/topic_options.py", "wanted"):
        "the owner's subscribePattern, against names of topics, which have 249 characters at most",
    ("kreactor/editions/compare/script.py", "pattern"): "_FORMS, against a script of the command line",
    ("kreactor/pipeline/failures.py", "pattern"): "_KNOWN, against an error of Spark",
    ("kreactor/pipeline/times.py", "expression"): "the owner's --time-format, whose text is escaped",
    ("kreactor/core/utils/log4j_controller.py", _PORTED): "the fixed names of packages",
    ("kreactor/testing/control.py", _ROUTE): "the fixed routes of the control port",
}
# Fixed expressions that are not linear, and the text that they read.
OWNERS = {
    ("kreactor/common/security/ssl/ssl_principal_mapper.py", "_RULE_SPLITTER"): "ssl.principal.mapping.rules",
    ("kreactor/common/security/ssl/ssl_principal_mapper.py", "_RULE_PARSER"): "ssl.principal.mapping.rules",
}


class Use(NamedTuple):
    """A call of ``re`` or ``fnmatch``."""

    path: str
    # The name that has the compiled expression, or the source of the expression.
    name: str
    source: str
    operation: str
    pattern: re.Pattern[str] | None


def _trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / "kreactor").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "import re\n" in text or "from re import" in text or "fnmatch" in text:
            yield path.relative_to(ROOT).as_posix(), ast.parse(text)


def _functions(tree: ast.Module) -> dict[str, str]:
    """Return the functions of ``re`` and ``fnmatch`` by their names in a module."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.asname is None or alias.name not in ("re", "fnmatch"), ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and node.module in ("re", "fnmatch"):
            names.update({alias.asname or alias.name: alias.name for alias in node.names})
    return names


def _operation(tree: ast.Module, name: str) -> str:
    """Return the operation that a module calls on a compiled expression; fullmatch if it calls none."""
    for node in ast.walk(tree):
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
                and node.func.attr in _OPERATIONS
                and ast.unparse(node.func.value).rpartition(".")[2] == name):
            return node.func.attr
    return "fullmatch"


def _evaluated(path: str, source: ast.expr) -> re.Pattern[str] | None:
    """Return a fixed expression, compiled; None for one that is not fixed."""
    if isinstance(source, ast.Constant):
        return re.compile(source.value)
    module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
    classes = [vars(each) for each in vars(module).values()
               if isinstance(each, type) and each.__module__ == module.__name__]
    try:
        return re.compile(eval(ast.unparse(source), {}, ChainMap(*classes, vars(module))))
    except NameError:
        return None


@cache
def uses() -> list[Use]:
    found = []
    for path, tree in _trees():
        functions = _functions(tree)
        assigned = {
            id(node.value): ast.unparse(node.targets[0]).rpartition(".")[2]
            for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            module, _, function = ast.unparse(node.func).rpartition(".")
            if not module and function in functions:
                function = functions[function]
            elif module not in ("re", "fnmatch"):
                continue
            if function in ("escape", "purge"):
                continue
            assert function in _FUNCTIONS, f"{path}: {ast.unparse(node)}"
            source = node.args[0]
            name = assigned.get(id(node), ast.unparse(source))
            is_fixed = not any(isinstance(child, ast.Call) for child in ast.walk(source))
            found.append(Use(
                path, name, ast.unparse(source),
                _operation(tree, name) if function == "compile" else function,
                _evaluated(path, source) if is_fixed and "fnmatch" not in function else None))
    return found


def test_each_expression_is_fixed_or_known() -> None:
    variable = {(use.path, use.source) for use in uses() if use.pattern is None}
    assert variable == set(VARIABLE)
    assert len(uses()) > 60


# Hostile texts for an expression: a prefix that leads into a repetition, and what it repeats.


def _chars(items: Iterable[tuple[Any, Any]]) -> list[str]:
    """Return a few characters of a class."""
    found: list[str] = []
    for code, argument in items:
        name = str(code)
        if name == "LITERAL":
            found.append(chr(argument))
        elif name == "RANGE":
            found += [chr(argument[0]), chr(argument[1])]
        elif name == "CATEGORY":
            found += {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " \n", "CATEGORY_WORD": "a",
                      "CATEGORY_NOT_SPACE": "a."}[str(argument)]
        elif name == "NEGATE":
            excluded = _chars([item for item in items if str(item[0]) != "NEGATE"])
            return [char for char in "a \n0:,.-=" if char not in excluded][:4]
    return found[:6]


def _walk(tokens: Any, prefix: str, attacks: list[tuple[str, list[str]]]) -> str:
    """Add the attacks on each repetition, and return a text that the tokens match, after the prefix."""
    for code, argument in tokens:
        name = str(code)
        if name == "LITERAL":
            prefix += chr(argument)
        elif name == "NOT_LITERAL":
            prefix += "a" if chr(argument) != "a" else "b"
        elif name == "ANY":
            prefix += "a"
        elif name == "IN":
            prefix += _chars(argument)[0]
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            prefix = _walk(argument[-1] if name == "SUBPATTERN" else argument, prefix, attacks)
        elif name == "BRANCH":
            ends = [_walk(branch, prefix, attacks) for branch in argument[1]]
            prefix = max(ends, key=len)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, body = argument
            inner: list[tuple[str, list[str]]] = []
            end = _walk(body, "", inner)
            pumps = [end] if end else []
            for item, value in body:
                if str(item) == "IN":
                    pumps += _chars(value)
                elif str(item) == "ANY":
                    pumps += ["a", " ", "-", ":"]
            if high > 1 and pumps:
                attacks.append((prefix, list(dict.fromkeys(pumps))))
            attacks += [(prefix + before, each) for before, each in inner]
            prefix += end * max(low, 1)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):
            raise AssertionError(f"{name}: no text for it")
    return prefix


def _attacks(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return prefixes, and what to repeat after each."""
    attacks: list[tuple[str, list[str]]] = []
    _walk(re._parser.parse(pattern.pattern, pattern.flags), "", attacks)  # type: ignore[attr-defined]
    found = dict.fromkeys(
        (start, pump) for prefix, pumps in attacks for pump in pumps for start in (prefix, ""))
    every = list(dict.fromkeys(pump for _, pumps in attacks for pump in pumps))[:6]
    found.update(dict.fromkeys(("", first + second) for first in every for second in every))
    return list(found)


def _seconds(run: Callable[[str], object], text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        run(text)
        best = min(best, time.process_time() - start)
        if best < 0.001 or best > 0.03:
            break
    return best


def _is_linear(pattern: re.Pattern[str], operation: str, attack: tuple[str, str]) -> bool:
    """Return whether three times the text takes far less than nine times the time, as a square would."""
    def run(text: str) -> object:
        if operation in ("sub", "subn"):
            return pattern.sub("", text)
        result = getattr(pattern, operation)(text)
        return list(result) if operation == "finditer" else result

    prefix, pump = attack
    # An exponential time shows at a short text, and a square at a long one.
    for size in (*range(8, 40, 3), *(50 << shift for shift in range(8))):
        text = prefix + pump * size
        if _seconds(run, text + "\0!") < 0.004:
            continue
        longer = prefix + pump * (size * 3 if size > 40 else size + 3)
        limit = 6 if size > 40 else 2.5
        # A busy machine may spoil one measurement, and not three.
        return any(_seconds(run, longer + "\0!") < limit * _seconds(run, text + "\0!") for _ in range(3))
    return True


@pytest.mark.parametrize(("expression", "operation"), [
    ("(a+)+", "fullmatch"), (r"\s*,\s*", "split"), (r"[0-9]+\.?[0-9]*", "fullmatch"),
    (r"x+y", "search"),
    (r"-+BEGIN\s*.*CERTIFICATE[^-]*-+\s+(?:\s*[^\r\n]*:[^\r\n]*[\r\n]+)*([a-zA-Z0-9/+=\s]*)-+END",
     "finditer")])
def test_the_check_finds_hostile_texts(expression: str, operation: str) -> None:
    pattern = re.compile(expression)
    assert not all(_is_linear(pattern, operation, attack) for attack in _attacks(pattern))


def _fixed() -> list[Use]:
    return [use for use in uses() if use.pattern is not None and (use.path, use.name) not in OWNERS]


def test_fixed_expressions_take_linear_time() -> None:
    assert set(OWNERS) <= {(use.path, use.name) for use in uses()}
    for use in _fixed():
        assert use.pattern is not None
        for attack in _attacks(use.pattern):
            assert _is_linear(use.pattern, use.operation, attack), (use, attack)
