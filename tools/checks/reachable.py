# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Finds the statements of Python code that can run, and expressions whose value is known without running."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other, ast.NotIn: lambda one, other: one not in other}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_BROAD = {"Exception", "BaseException", "AssertionError"}


@cache
def parse(source: str) -> ast.Module:
    """Return the tree of a module. Its readers share it, and change nothing."""
    return ast.parse(source)


def truth(test: ast.expr) -> bool | None:
    """Return whether an expression is true, or None if its value depends on the run."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = truth(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        wanted = isinstance(test.op, ast.Or)
        values = [truth(value) for value in test.values]
        if wanted in values:
            return wanted
        return None if None in values else not wanted
    if isinstance(test, ast.Compare):
        return _compared(test)
    if isinstance(test, (ast.Tuple, ast.List, ast.Set)):
        return bool(test.elts) if not any(isinstance(item, ast.Starred) for item in test.elts) else None
    if isinstance(test, ast.Dict):
        return bool(test.keys) if None not in test.keys else None
    if isinstance(test, ast.Lambda):
        return True
    if isinstance(test, ast.NamedExpr):
        return truth(test.value)
    if isinstance(test, ast.Name) and test.id == "__debug__":
        return True
    try:
        return bool(ast.literal_eval(test))
    except (ValueError, TypeError, SyntaxError):
        return None


def _compared(test: ast.Compare) -> bool | None:
    sides = [test.left, *test.comparators]
    if len(sides) == 2 and ast.dump(sides[0]) == ast.dump(sides[1]) \
            and not any(isinstance(node, (ast.Call, ast.Await)) for node in ast.walk(test)):
        # An object may differ from itself, but such a comparison tests nothing else.
        return isinstance(test.ops[0], (ast.Eq, ast.LtE, ast.GtE, ast.Is))
    try:
        values = [ast.literal_eval(side) for side in sides]
        return all(_COMPARISONS[type(op)](one, other)
                   for op, one, other in zip(test.ops, values, values[1:], strict=False))
    except (ValueError, TypeError, SyntaxError):
        return None


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements that can run, with those in blocks, but not those of inner functions."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from statements(block)
        if ends(statement):
            return


def blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a statement that can run."""
    if isinstance(statement, _FUNCTIONS):
        return []
    if isinstance(statement, (ast.If, ast.While)):
        known = truth(statement.test)
        return [block for block, never in ((statement.body, False), (statement.orelse, True))
                if known is not never]
    if isinstance(statement, ast.For) and isinstance(statement.iter, (ast.Tuple, ast.List, ast.Constant)) \
            and not truth(statement.iter):
        return [statement.orelse]
    inner = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    inner += [handler.body for handler in getattr(statement, "handlers", ())]
    return inner + [case.body for case in getattr(statement, "cases", ())]


def ends(statement: ast.stmt) -> bool:
    """Return whether no statement after this one in its block can run."""
    if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        return ast.unparse(statement.value.func) in (
            "pytest.skip", "pytest.xfail", "pytest.fail", "pytest.exit", "sys.exit", "os._exit")
    if isinstance(statement, ast.If):
        return all(any(map(ends, block)) for block in blocks(statement)) and bool(all(blocks(statement)))
    if isinstance(statement, ast.While):
        return truth(statement.test) is True and not any(
            isinstance(inner, ast.Break) for inner in ast.walk(statement))
    if isinstance(statement, ast.With):
        return any(map(ends, statement.body)) and not any(
            isinstance(item.context_expr, ast.Call) for item in statement.items)
    return False


def swallows(statement: ast.stmt) -> bool:
    """Return whether a statement hides every failure of the statements in its body."""
    if isinstance(statement, ast.Try):
        return any(_is_broad(handler.type) and not any(map(does, handler.body))
                   for handler in statement.handlers)
    if isinstance(statement, ast.With):
        return any(isinstance(call := item.context_expr, ast.Call)
                   and ast.unparse(call.func).rpartition(".")[2] == "suppress"
                   and any(map(_is_broad, call.args)) for item in statement.items)
    return False


def hides(function: ast.FunctionDef) -> int:
    """Return the line of a statement of a function that hides every exception, 0 for none.

    So does a handler around the whole body that neither raises nor reads the exception.
    """
    for statement in ast.walk(function):
        if not isinstance(statement, (ast.Try, ast.With)):
            continue
        if swallows(statement):
            return statement.lineno
        inside = set(ast.walk(statement))
        for handler in getattr(statement, "handlers", ()):
            if _is_broad(handler.type) and not any(
                    isinstance(node, ast.Raise) or isinstance(node, ast.Name) and node.id == handler.name
                    for node in ast.walk(handler)) and inside.issuperset(effective(function)):
                return statement.lineno
    return 0


def _is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(map(_is_broad, caught.elts))
    return caught is None or ast.unparse(caught).rpartition(".")[2] in _BROAD


def does(statement: ast.stmt) -> bool:
    """Return whether a statement of a handler does more than to hide the exception."""
    return any(isinstance(node, (ast.Call, ast.Raise, ast.Assert, ast.Assign, ast.AugAssign, ast.Yield))
               or isinstance(node, ast.Return) and node.value is not None
               for node in ast.walk(statement))


def expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """Return the nodes of a statement itself, without the statements of its blocks."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                todo.append(child)


def guarded(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements that can run and whose failure is not hidden."""
    for statement in body:
        yield statement
        inner = blocks(statement)
        if swallows(statement):
            inner = [block for block in inner if block is not getattr(statement, "body", None)]
        for block in inner:
            yield from guarded(block)
        if ends(statement):
            return


def effective(function: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statements of a function that can run and have an effect.

    A statement has one if it calls, assigns what is read or belongs to an object, branches to such a
    statement, raises or returns.
    """
    read: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                read.add(node.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            read.update(node.names)
    return [statement for statement in statements(function.body) if _has_effect(statement, read)]


def weight(function: ast.FunctionDef) -> int:
    """Return the number of statements with an effect, by the rules of statement_counts.

    A comprehension counts as the loop that it is: for each loop, each condition and the element. The
    statements of a function in the function count if a statement outside it reads its name.
    """
    count = 0
    for statement in statements(function.body):
        if isinstance(statement, ast.FunctionDef) and _is_read(statement, function):
            count += weight(statement)
    for statement in effective(function):
        count += 1 + len(getattr(statement, "handlers", ())) + len(getattr(statement, "cases", ()))
        count += bool(getattr(statement, "finalbody", ()))
        for node in expressions(statement):
            if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                count += 1 + sum(1 + len(loop.ifs) for loop in node.generators)
    return count


def _is_read(inner: ast.FunctionDef, function: ast.FunctionDef) -> bool:
    """Return whether a statement that can run, outside the inner function, reads its name."""
    others = [node for statement in statements(function.body) for node in (
        ast.walk(statement) if isinstance(statement, _FUNCTIONS) and statement is not inner
        else expressions(statement) if statement is not inner else ())]
    return any(isinstance(node, ast.Name) and node.id == inner.name for node in others)


def _has_effect(statement: ast.stmt, read: set[str]) -> bool:
    if isinstance(statement, (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.Continue,
                              ast.Break, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    calls = any(isinstance(node, (ast.Call, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr))
                for node in expressions(statement))
    if calls or isinstance(statement, (ast.Return, ast.Raise, ast.Assert, ast.Delete)):
        return True
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        if statement.value is None:
            return False
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(isinstance(node, (ast.Attribute, ast.Subscript)) or isinstance(node, ast.Name)
                   and node.id in read for target in targets for node in ast.walk(target))
    return any(_has_effect(inner, read) for block in blocks(statement) for inner in block)
