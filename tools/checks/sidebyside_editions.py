# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Compares two of kreactor's releases, member by member, for tools/checks/sidebyside --editions.

The members are Kafka's, in the order of the first release. A member of only the second release follows its
neighbour there. The code is kreactor's: two bodies are the same if they differ only in docstrings, comments
and layout.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from textwrap import dedent

from tools.checks.origins import (
    SHARED,
    TYPES,
    VALUES,
    Account,
    Claim,
    Member,
    members,
    omissions,
    parameter_types,
    read_port,
)


def kind_of(member: Member) -> str:
    """Return type, value or method."""
    return "type" if member.kind in TYPES else "value" if member.kind in VALUES else "method"


def plain_signature(member: Member) -> str:
    """Return the types of the parameters."""
    return ", ".join(parameter_types(member.signature)) if kind_of(member) == "method" else ""


@dataclass(frozen=True)
class Side:
    """A member in one release, and the place of its port; no claim if it is missing or omitted."""

    member: Member
    claim: Claim | None
    reason: str = ""

    def key(self, with_signature: bool) -> tuple[str, ...]:
        """Return the key that the partner in another release also has."""
        member = self.member
        signature = (plain_signature(member),) if with_signature else ()
        return (kind_of(member), member.scope, member.name, *signature)


@dataclass(frozen=True)
class Pair:
    """A member in both releases, or in one."""

    left: Side | None
    right: Side | None

    @property
    def member(self) -> Member:
        side = self.left or self.right
        assert side is not None
        return side.member


class Release:
    """The members of one release and their code."""

    def __init__(self, root: Path, tag: str) -> None:
        self.tag = tag
        self._root = root
        self._account = account(root, tag)

    def files(self) -> set[str]:
        """Return the names of Kafka's files in the lists, without their folders."""
        return {member.file.rpartition("/")[2] for member in self._account.members}

    def sides(self, name: str) -> list[Side]:
        """Return the members of a file in Kafka's order."""
        return [self._side(member) for member in self._account.members
                if member.file.rpartition("/")[2] == name and member.kind != "file"]

    def _side(self, member: Member) -> Side:
        claim = self._account.claims.get(member)
        if claim is None or claim.kind != "omitted":
            return Side(member, claim)
        shared = SHARED.match(claim.reason)
        if shared:
            other = account(self._root, shared[1])
            for candidate, ported in other.claims.items():
                same = (candidate.type, candidate.name, candidate.kind) == (
                    member.type, member.name, member.kind)
                if same and ported.kind != "omitted":
                    return Side(member, ported, claim.reason)
        return Side(member, None, claim.reason)

    def code(self, claim: Claim) -> list[str]:
        """Return the lines of a function, without its docstring."""
        node = function(self._root / claim.file, claim.line)
        if node is None:
            return []
        lines = source(self._root / claim.file)
        first, last = node.lineno, node.end_lineno or node.lineno
        docstring = range(0)
        if ast.get_docstring(node) is not None:
            docstring = range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
        kept = [lines[number - 1] for number in range(first, last + 1)
                if number not in docstring and lines[number - 1].strip()]
        return dedent("\n".join(kept)).splitlines()

    def meaning(self, claim: Claim) -> str:
        """Return the code of a function without docstrings and comments."""
        node = function(self._root / claim.file, claim.line)
        if node is None:
            return ""
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        return "\n".join(map(ast.unparse, (node.args, *body)))


@cache
def account(root: Path, tag: str) -> Account:
    return Account(members(tag), read_port(root, tag), tag=tag, omissions=omissions(tag, root))


@cache
def source(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


@cache
def function(path: Path, line: int) -> ast.FunctionDef | None:
    tree = ast.parse("\n".join(source(path)))
    return next((node for node in ast.walk(tree)
                 if isinstance(node, ast.FunctionDef) and node.lineno == line), None)


def pairs(left: Release, right: Release, name: str) -> list[Pair]:
    """Return the members of one of Kafka's files in both releases."""
    ours, theirs = left.sides(name), right.sides(name)
    # Members are paired by signature first, then overloads by their order.
    partners: dict[int, int] = {}
    for with_signature in (True, False):
        free: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, side in enumerate(theirs):
            if index not in partners.values():
                free[side.key(with_signature)].append(index)
        for index, side in enumerate(ours):
            if index not in partners and free[side.key(with_signature)]:
                partners[index] = free[side.key(with_signature)].pop(0)
    placed = [(partners.get(index), Pair(side, theirs[partners[index]] if index in partners else None))
              for index, side in enumerate(ours)]
    for index, side in enumerate(theirs):
        if index not in partners.values():
            at = next((at for at, (other, _) in enumerate(placed) if other == index - 1), -1) + 1
            placed.insert(at, (index, Pair(None, side)))
    return [pair for _, pair in placed]


def status(pair: Pair, left: Release, right: Release) -> str:
    """Return how the two sides compare: same, differs, or the only release with the member."""
    if pair.left is None or pair.right is None:
        return f"only in {left.tag if pair.left else right.tag}"
    claims = pair.left.claim, pair.right.claim
    if None in claims:
        return "left out" if claims == (None, None) else (
            f"left out in {left.tag if claims[0] is None else right.tag}")
    if kind_of(pair.member) != "method":
        return "same"
    assert claims[0] is not None and claims[1] is not None
    return "same" if left.meaning(claims[0]) == right.meaning(claims[1]) else "differs"


def section(left: Release, right: Release, name: str) -> Iterator[str]:
    """Return the table of one of Kafka's files."""
    table = [(pair, status(pair, left, right)) for pair in pairs(left, right, name)]
    counts = Counter(said for pair, said in table if kind_of(pair.member) == "method")
    tally = ", ".join(f"{count} {said}" for said, count in counts.items())
    yield f'<section id="{escape(re.sub(r"[^0-9A-Za-z]", "-", name))}">'
    yield f"<h2>{escape(name)} <small>methods: {escape(tally)}</small></h2>"
    yield ("<table><thead><tr><th>member</th>"
           f"<th>our {escape(left.tag)}</th><th>our {escape(right.tag)}</th><th></th></tr></thead><tbody>")
    for pair, said in table:
        yield from _row(pair, said, left, right)
    yield "</tbody></table></section>"


def _row(pair: Pair, said: str, left: Release, right: Release) -> Iterator[str]:
    member = pair.member
    kind = kind_of(member)
    mark = "plain" if said == "same" else "differs" if said == "differs" else "own"
    depth = min(member.scope.count(".") + 1 if member.scope else 0, 4)
    title = f"{member.kind} {member.name}" if member.kind in TYPES else member.name + member.signature
    cells = []
    for side in (pair.left, pair.right):
        place = "" if side is None or side.claim is None else f"{side.claim.file}:{side.claim.line}"
        cells.append(f'<td class="module">{escape(place)}</td>')
    reasons = [side.reason for side in (pair.left, pair.right) if side is not None and side.reason]
    notes = "; ".join(dict.fromkeys((said, *reasons)))
    yield (f'<tr class="{kind} {mark}"><td class="depth{depth}"><code>{escape(title)}</code></td>'
           f'{"".join(cells)}<td class="note">{escape(notes)}</td></tr>')
    if kind == "method" and said != "same":
        code = [release.code(side.claim) if side is not None and side.claim is not None else []
                for side, release in ((pair.left, left), (pair.right, right))]
        if any(code):
            yield f'<tr class="{kind} {mark} code"><td colspan="4">{_difference(*code)}</td></tr>'


def _difference(left: Sequence[str], right: Sequence[str]) -> str:
    """Return the two codes in two columns, with the differences marked."""
    rows = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        sides = (left[a:b], right[c:d])
        for number in range(max(map(len, sides))):
            line = [side[number] if number < len(side) else None for side in sides]
            rows.append("<tr>" + "".join(
                f'<td{_mark(what, text)}><pre>{escape(text or "")}</pre></td>' for text in line) + "</tr>")
    return ('<details><summary>code</summary><table class="both"><tbody>' + "".join(rows)
            + "</tbody></table></details>")


def _mark(what: str, text: str | None) -> str:
    return "" if what == "equal" or text is None else ' class="changed"'


STYLE = """
th:first-child { width: 34%; } th:last-child { width: 22%; }
tr.differs .note { color: var(--deviation); } tr.own .note { color: var(--own); }
tr.code > td { border-bottom: 2px solid var(--rule); } summary { cursor: pointer; color: var(--dim); }
table.both { table-layout: fixed; } table.both td { border: 0; padding: 0 .5rem; }
pre { margin: 0; white-space: pre-wrap; font: 12px/1.4 ui-monospace, monospace; }
td.changed { background: color-mix(in srgb, var(--deviation) 15%, transparent); }
"""


def page(root: Path, tags: tuple[str, str], names: Sequence[str], style: str) -> str:
    """Return the page. Raises ValueError if a file is not among those of both releases."""
    left, right = (Release(root, tag) for tag in tags)
    for name in names:
        for release in (left, right):
            if name not in release.files():
                raise ValueError(f"not among the files of kafka-{release.tag}/members.tsv: {name}")
    # Without FILE arguments, the files of both releases: 3.8.0 has many files that no edition has.
    shown = names or sorted(left.files() & right.files())
    body = [f"<h1>kreactor's {escape(left.tag)} and {escape(right.tag)}, side by side</h1>",
            f"<p>Members stand in the order of Kafka {escape(left.tag)}. The code is kreactor's. Two bodies "
            "are the same if they differ in docstrings, comments and layout only.</p>"]
    for name in shown:
        body += section(left, right, name)
    body.append('<div class="show">'
                '<label><input type="checkbox" id="values" checked> fields and constants</label>'
                '<label><input type="checkbox" id="plain" checked> what is the same</label></div>')
    return "\n".join(['<!DOCTYPE html>', '<html lang="en">', '<head>', '<meta charset="utf-8">',
                      '<meta name="viewport" content="width=device-width">',
                      f"<title>kreactor {escape(left.tag)} and {escape(right.tag)}</title>",
                      f"<style>{style}{STYLE}</style>", "</head>", "<body>", *body, "</body>", "</html>", ""])
