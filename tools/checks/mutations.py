# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The small changes of the source that tools/checks/mutants makes.

Besides the usual ones (another operator, another constant, a statement left out) there are those by which
code with threads, buffers and times goes wrong: neighbours exchanged, such as a put and the wake-up behind
it; a lock, a wake-up or a finally left out; a wait without its loop; a resource that one path with a failure
does not release; a time in another unit; a bound that is off by one.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields

COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"}
ARITHMETIC: Mapping[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*", ast.Mod: "//",
    ast.BitOr: "&", ast.BitAnd: "|", ast.LShift: ">>", ast.RShift: "<<"}
LOCK = re.compile(r"(?i)lock|condition|monitor|mutex")
WAIT = re.compile(r"^(wait|wait_for|acquire|await_\w*|poll|select|sleep|join|\w*_timeout)$")
LOGS = re.compile(
    r"(^|\.)(self|_?log(ger)?)\.(trace|debug|info|warn|warning|error|fatal|exception|critical|log)$")
UNTOUCHED_NAMES = {"__slots__", "__all__", "__match_args__"}
UNTOUCHED_CALLS = {"cast", "TypeVar", "ParamSpec", "NewType", "isinstance", "issubclass"}


@dataclass
class Mutant:
    """One change of one file, by byte offsets, and its result."""

    id: str
    group: str
    file: str
    line: int
    function: str
    operator: str
    before: str
    after: str
    # waiting, killed, error, timeout, flaky, survived or gone. Killed: an assertion failed. Error: a test
    # ended in another exception, and no assertion failed. Flaky: the test fails without the mutant, too.
    result: str = "waiting"
    # The number of stages that it has survived.
    stages: int = 0
    by: str = ""
    seconds: float = 0.0
    # The line of the innermost function around it, or 0.
    entry: int = field(default=0, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    text: str = field(default="", compare=False)

    def applied(self, source: bytes) -> bytes:
        """Return the source of the file with the change."""
        return source[:self.start] + self.text.encode() + source[self.end:]


COLUMNS = [each.name for each in fields(Mutant)][:12]
# A name or an attribute with its unit.
UNIT = re.compile(r"_(ns|nanos|us|ms|millis|s|secs|seconds)$")
WAKE_UP = re.compile(
    r"^(notify|notify_all|signal|signal_all|wakeup|wake_up|interrupt|set|count_down|complete)$")
RELEASE = re.compile(r"^_?(close|release|deallocate|dealloc|cancel|remove|unmute|shutdown|unregister|discard|"
                     r"pop|delete|decrement|unrecord|unlock|stop|clear)\w*$")
# A statement that can be exchanged with its neighbour.
SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """Return the names that a node reads or binds."""
    return {each.id for each in ast.walk(node)
            if isinstance(each, ast.Name) and isinstance(each.ctx, context)}


def shown(text: str) -> str:
    """Return source as one short cell of a table."""
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= 90 else f"{text[:87]}..."


class Finder(ast.NodeVisitor):
    """Finds the mutants of a file, in the order of its source."""

    def __init__(self, group: str, file: str, source: bytes) -> None:
        self._group = group
        self._file = file
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._functions: list[str] = []
        self._entry = 0
        # The statements that have a mutant of their own operator in place of "call removed".
        self._in_failure: set[int] = set()
        self._seen: Counter[tuple[str, ...]] = Counter()
        self.found: list[Mutant] = []
        self.visit(ast.parse(source))

    # -- unchanged code ------------------------------------------------------------------------

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._functions.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self._functions.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name == "__repr__":
            return
        self._functions.append(node.name)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        around, self._entry = self._entry, node.lineno
        self._exchange(node.body)
        for statement in node.body:
            self.visit(statement)
        self._entry = around
        self._functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None and not self._is_untouched(node.target):
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        # A type's name begins with a capital letter, so its value is an alias.
        if any(self._is_untouched(target) for target in node.targets):
            return
        if isinstance(node.targets[0], ast.Attribute) and self._functions[-1:] != ["__init__"]:
            self._add(node, "assignment removed", node, "pass")
        self.visit(node.value)

    @staticmethod
    def _is_untouched(target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and (
            target.id in UNTOUCHED_NAMES or target.id[:1].isupper() and not target.id.isupper())

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in self._text(node.test):
            return
        if not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
            self._add(node.test, "condition negated", node.test, f"not ({self._text(node.test)})")
        self.generic_visit(node)

    # -- changes ------------------------------------------------------------------------------

    def generic_visit(self, node: ast.AST) -> None:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                self._exchange(block)
        super().generic_visit(node)

    def _exchange(self, block: Sequence[ast.stmt]) -> None:
        """Exchange neighbours in a block, one of which is a call: others see its effect.

        Where one needs what the other binds, Python itself would notice. Two calls of one name, such as two
        metrics that are removed, may come in any order.
        """
        for first, second in zip(block, block[1:]):
            if not (isinstance(first, SIMPLE) and isinstance(second, SIMPLE)):
                continue
            texts = self._text(first), self._text(second)
            if texts[0] == texts[1] or any(self._is_untouched_statement(each) for each in (first, second)):
                continue
            if (_names(first, ast.Store) & (_names(second, ast.Load) | _names(second, ast.Store))
                    or _names(second, ast.Store) & _names(first, ast.Load)):
                continue
            called = [self._text(each.value.func).rpartition(".")[2] for each in (first, second)
                      if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
            if not called or called[1:] == called[:1]:
                continue
            gap = self._source[self._end(first):self._start(second)].decode()
            self._replace(first, "statements exchanged", self._start(first), self._end(second),
                          f"{texts[1]}{gap}{texts[0]}")

    def _is_untouched_statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Expr):
            return not isinstance(node.value, ast.Call) or bool(LOGS.search(self._text(node.value.func)))
        # A local name, which the neighbour does not use, may be bound before or after it.
        return isinstance(node, ast.Assign) and all(
            isinstance(part, (ast.Name, ast.Tuple)) for target in node.targets
            for part in ast.walk(target) if isinstance(part, ast.expr))

    def visit_Try(self, node: ast.Try) -> None:
        if node.finalbody:
            word = self._source.rfind(b"finally", 0, self._start(node.finalbody[0]))
            text = self._source[self._start(node):self._end(node)].decode()
            at = len(self._source[self._start(node):word].decode())
            after = "if True" + text[at + len("finally"):]
            before = text[:at] if node.handlers else "if True" + text[len("try"):at]
            self._add(node, "finally to plain", node, before + after)
            self._releases(node.finalbody)
        self.generic_visit(node)

    def _releases(self, block: Sequence[ast.stmt]) -> None:
        """Leave out a release of a path on which something failed."""
        for statement in block:
            if (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
                    and RELEASE.match(self._text(statement.value.func).rpartition(".")[2])):
                self._add(statement, "not released after a failure", statement, "pass")
                self._in_failure.add(id(statement))

    def visit_While(self, node: ast.While) -> None:
        waits = any(isinstance(part, ast.Call) and WAIT.match(self._text(part.func).rpartition(".")[2])
                    for statement in node.body for part in ast.walk(statement))
        jumps = any(isinstance(part, (ast.Break, ast.Continue))
                    for statement in node.body for part in ast.walk(statement))
        if waits and not jumps and not node.orelse and not isinstance(node.test, ast.Constant):
            start = self._start(node)
            self._replace(node, "wait without a loop", start, start + len("while"), "if")
        self.generic_visit(node)

    def _unit(self, node: ast.expr) -> None:
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if UNIT.search(name) and isinstance(getattr(node, "ctx", None), ast.Load):
            self._add(node, "unit changed", node, f"({self._text(node)} * 1000)")

    def _bound(self, node: ast.expr) -> None:
        if not isinstance(node, (ast.Constant, ast.JoinedStr, ast.Tuple, ast.List, ast.Dict, ast.Set)):
            self._add(node, "bound off by one", node, f"(({self._text(node)}) + 1)")

    def visit_Slice(self, node: ast.Slice) -> None:
        for bound in (node.lower, node.upper):
            if bound is not None:
                self._bound(bound)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            self._bound(node.comparators[0])
        for comparison, right in zip(node.ops, node.comparators):
            gap = self._source[self._end(left):self._start(right)].decode()
            signs = re.findall(r"is\s+not|not\s+in|[<>=!]=|<|>|\bis\b|\bin\b", gap)
            if len(signs) == 1:
                self._replace(node, "comparison flipped", self._end(left), self._start(right),
                              gap.replace(signs[0], COMPARISONS[type(comparison)]))
            left = right
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        parts = [f"({self._text(value)})" for value in node.values]
        self._add(node, f"{old} to {new}", node, f"({f' {new} '.join(parts)})")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        for side in (node.left, node.right):
            self._unit(side)
        sign = ARITHMETIC.get(type(node.op))
        texts = isinstance(node.left, (ast.JoinedStr, ast.Constant)) and not isinstance(
            getattr(node.left, "value", ""), (int, float))
        if sign is not None and not texts:
            self._add(node, "arithmetic", node,
                      f"(({self._text(node.left)}) {sign} ({self._text(node.right)}))")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, "not removed", node, f"({self._text(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, "constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self._add(node, "constant", node, f"({node.value + 1})")
            if node.value > 0:
                self._add(node, "constant", node, f"({node.value - 1})")

    def visit_Call(self, node: ast.Call) -> None:
        name = self._text(node.func)
        last = name.rpartition(".")[2]
        if LOGS.search(name) or last in UNTOUCHED_CALLS:
            return
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            self._unit(argument)
        if last in ("min", "max") and isinstance(node.func, ast.Name):
            self._add(node, "min and max swapped", node.func, "max" if last == "min" else "min")
        first = node.args[:2]
        if (len(first) == 2 and last not in ("min", "max")
                and not any(isinstance(argument, ast.Starred) for argument in first)
                and self._text(first[0]) != self._text(first[1])):
            gap = self._source[self._end(first[0]):self._start(first[1])].decode()
            self._replace(node, "arguments swapped", self._start(first[0]), self._end(first[1]),
                          f"{self._text(first[1])}{gap}{self._text(first[0])}")
        timeouts = [keyword.value for keyword in node.keywords if keyword.arg and "timeout" in keyword.arg]
        if WAIT.match(last) and isinstance(node.func, ast.Attribute) and name != "os.path.join":
            timeouts += node.args[-1:] if not isinstance(node.func.value, ast.Constant) else []
        for timeout in timeouts:
            if not isinstance(timeout, (ast.Constant, ast.Starred, ast.Lambda)):
                self._add(node, "wait shortened", timeout, "0")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if (isinstance(node.value, ast.Call) and not LOGS.search(self._text(node.value.func))
                and id(node) not in self._in_failure):
            last = self._text(node.value.func).rpartition(".")[2]
            wakes = WAKE_UP.match(last) and (last != "set" or not node.value.args)
            self._add(node, "wake-up removed" if wakes else "call removed", node, "pass")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "assignment removed", node, "pass")
        self.visit(node.value)

    def visit_Delete(self, node: ast.Delete) -> None:
        self._add(node, "deletion removed", node, "pass")

    def visit_Raise(self, node: ast.Raise) -> None:
        self._add(node, "raise removed", node, "pass")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self._add(node, "return removed", node, "pass")
            return
        if isinstance(node.value, ast.Compare):
            self._add(node, "return value", node.value, f"not ({self._text(node.value)})")
        elif not isinstance(node.value, (ast.Constant, ast.UnaryOp, ast.JoinedStr)):
            self._add(node, "return value", node.value, "None")
        self.visit(node.value)

    def visit_With(self, node: ast.With) -> None:
        item = node.items[0]
        if len(node.items) == 1 and item.optional_vars is None and LOCK.search(self._text(item.context_expr)):
            colon = self._source.find(b":", self._end(item.context_expr))
            self._replace(node, "lock removed", self._start(node), colon, "if True")
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if isinstance(node.type, ast.Tuple):
            self._add(node, "except narrowed", node.type, self._text(node.type.elts[0]))
        elif node.type is not None:
            self._add(node, "except narrowed", node.type, "ZeroDivisionError")
        self._releases(node.body)
        self._exchange(node.body)
        for statement in node.body:
            self.visit(statement)

    # -- positions ---------------------------------------------------------------------------------

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._source[self._start(node):self._end(node)].decode()

    def _add(self, at: ast.AST, operator: str, node: ast.expr | ast.stmt, text: str) -> None:
        self._replace(at, operator, self._start(node), self._end(node), text)

    def _replace(self, at: ast.AST, operator: str, start: int, end: int, text: str) -> None:
        assert isinstance(at, (ast.expr, ast.stmt, ast.ExceptHandler))
        # The whole lines that change.
        first = self._source.rfind(b"\n", 0, start) + 1
        last = (self._source + b"\n").find(b"\n", end)
        before = shown(self._source[first:last].decode())
        after = shown((self._source[first:start] + text.encode() + self._source[end:last]).decode())
        function = ".".join(self._functions)
        key = (self._file, function, operator, before, after)
        self._seen[key] += 1
        name = hashlib.sha256("\0".join((*key, str(self._seen[key]))).encode()).hexdigest()[:10]
        self.found.append(Mutant(name, self._group, self._file, at.lineno, function, operator, before, after,
                                 entry=self._entry, start=start, end=end, text=text))


def with_probes(file: str, source: bytes, entries: Collection[int]) -> bytes:
    """Have the functions of a file that begin in these lines, or all for 0, tell that they are reached."""
    lines = source.splitlines(keepends=True)
    functions = [node for node in ast.walk(ast.parse(source))
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                 and (0 in entries or node.lineno in entries)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        has_text = ast.get_docstring(node, clean=False) is not None
        if has_text and len(node.body) == 1:
            continue
        first = node.body[1 if has_text else 0]
        line = min(each.lineno for each in (first, *getattr(first, "decorator_list", [])))
        probe = f"__import__('tools.checks.mutants_reach', fromlist=['hit']).hit('{file}:{node.lineno}')"
        text = lines[line - 1]
        before = text[:first.col_offset]
        end = "; " if before.strip() else f"\n{before.decode()}"
        lines[line - 1] = before + (probe + end).encode() + text[first.col_offset:]
    return b"".join(lines)
