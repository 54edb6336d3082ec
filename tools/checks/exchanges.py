# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Finds two ported functions of a type that have each other's bodies.

tools/checks/kafka-3.8.0/calls.tsv has the names that Kafka's methods use; list_thrown makes it. A body is as
like a method as the names of both are: twice the number of common names by the number of all. Two bodies are
exchanged if they are more like each other's origins than like their own by ALLOWED.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path

from tools.checks.origins import FACTS, Account, Claim, Member, Module, Problem, rows

CALLS = FACTS / "calls.tsv"
# A method with fewer names says too little about its body.
LEAST = 4
# One of twenty exchanges is not told with this number. With half of it, one of forty is not, but 17 true
# pairs of the port are told.
ALLOWED = 0.2
# The methods whose port names other things: an __eq__ compares slots or tuples.
UNLIKE = {"equals"}


def read_calls(path: Path = CALLS) -> dict[tuple[str, int, str], frozenset[str]]:
    """Return the names that Kafka's methods use, by file, line and name."""
    found = {}
    for file, line, name, calls in rows(path):
        found[file, int(line), name] = frozenset(map(bare, calls.split()))
    return found


@cache
def bare(name: str) -> str:
    """Return a name in the form in which those of both languages are equal."""
    return name.replace("_", "").lower()


def likeness(ours: Collection[str], theirs: Collection[str]) -> float:
    """Return how like the names of a body and of a method are, from 0 to 1."""
    return 2 * len(set(ours) & set(theirs)) / ((len(ours) + len(theirs)) or 1)


def check_exchanged(account: Account, calls: Mapping[tuple[str, int, str], frozenset[str]]) -> list[str]:
    """Check that no two functions of a type have each other's bodies, unless one has a deviation."""
    deviations = {module.file: module.deviations for module in account.port}
    problems: list[str] = []
    for pairs in _bodies(account, calls).values():
        own = [likeness(ours, theirs) for _, _, ours, theirs in pairs]
        for (one, own_one), (other, own_other) in combinations(zip(pairs, own, strict=True), 2):
            first, claim, ours, theirs = one
            second, other_claim, other_ours, other_theirs = other
            crossed = likeness(ours, other_theirs) + likeness(other_ours, theirs)
            if crossed <= own_one + own_other + ALLOWED or claim.place == other_claim.place or any(
                    each.line <= line <= each.last for each in (claim, other_claim)
                    for line in deviations[each.file]):
                continue
            problems.append(Problem(claim.file, (
                f"{claim.place}: {claim.where} is more like {second.origin}, and {other_claim.where} more "
                f"like {first.origin}: exchange their bodies, or register the deviation there.")))
    return problems


_Body = tuple[Member, Claim, frozenset[str], frozenset[str]]


def _bodies(account: Account,
            calls: Mapping[tuple[str, int, str], frozenset[str]]) -> dict[str, list[_Body]]:
    """Return the functions of each type with their names and those of their origins."""
    claimed = {(claim.file, claim.line) for claim in account.claims.values() if claim.kind == "def"}
    names = {module.file: _Names(module, claimed) for module in account.port}
    nodes = {(module.file, node.lineno): node for module in account.port
             for functions in module.functions.values() for node in functions}
    found = defaultdict(list)
    for member, claim in account.claims.items():
        theirs = calls.get((member.file, member.line, member.name), frozenset())
        node = nodes.get((claim.file, claim.line))
        if claim.kind == "def" and node is not None and len(theirs) >= LEAST and member.name not in UNLIKE:
            found[member.type].append((member, claim, names[claim.file].of(node), theirs))
    return found


class _Names:
    """The names that the functions of a module use."""

    def __init__(self, module: Module, claimed: Collection[tuple[str, int]]) -> None:
        self._helpers = {name: [node for node in nodes if (module.file, node.lineno) not in claimed]
                         for name, nodes in module.functions.items()}
        self._own = cache(lambda node: frozenset(_names(node.body)))

    def of(self, node: ast.FunctionDef) -> frozenset[str]:
        """Return the names that a function and its helpers without an origin use."""
        seen, todo = {node}, [node]
        while todo:
            for name in self._own(todo.pop()):
                for helper in self._helpers.get(name, ()):
                    if helper not in seen:
                        seen.add(helper)
                        todo.append(helper)
        return frozenset(bare(name) for each in seen for name in self._own(each))


def _names(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute):
                yield node.attr
            elif isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.keyword) and node.arg:
                yield node.arg
