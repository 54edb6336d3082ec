# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Selectors, levels and expectation files: which cases run, and which failures are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from kreactor.conformance.cases import Case, Level
from kreactor.conformance.runner import Status, Verdict

_LEVELS = list(Level)


class BadSelection(Exception):
    """A selector or an expectation file is invalid; the text is one line."""


def select(cases: Sequence[Case], selectors: Sequence[str], level: Level, skipped: Sequence[str] = (),
           everything: bool = False) -> list[Case]:
    """Return the cases of ``level`` or a more binding level that a selector matches and no skip matches.

    A selector is an id, with wildcards or without, the start of an id up to a dot, or ``@FILE`` with one
    selector on each line. Without selectors the default selection is used, or with ``everything`` every case.
    Raises BadSelection for a selector that matches no case.
    """
    levels = _LEVELS[:_LEVELS.index(level) + 1]
    wanted = _matching(cases, _expanded(selectors)) if selectors else {
        case.id for case in cases if everything or case.default}
    unwanted = _matching(cases, _expanded(skipped))
    return [case for case in cases if case.id in wanted and case.id not in unwanted and case.level in levels]


def _expanded(selectors: Iterable[str]) -> Iterable[str]:
    for selector in selectors:
        if not selector.startswith("@"):
            yield selector
            continue
        for line in _lines(Path(selector[1:])):
            yield line


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as e:
        raise BadSelection(f"{path}: {e.strerror}") from None
    except UnicodeDecodeError:
        raise BadSelection(f"{path}: not valid UTF-8") from None
    return [line for raw in text.splitlines() if (line := raw.strip()) and not line.startswith("#")]


def _matching(cases: Sequence[Case], selectors: Iterable[str]) -> set[str]:
    ids = {case.id for case in cases}
    matched: set[str] = set()
    for selector in selectors:
        if selector in ids:
            found = {selector}
        elif any(character in selector for character in "*?["):
            found = {id_ for id_ in ids if fnmatchcase(id_, selector)}
        else:
            found = {id_ for id_ in ids if id_.startswith(selector + ".")}
        if not found:
            raise BadSelection(f"{selector}: no case has this id; --list shows them all")
        matched |= found
    return matched


def read_expectations(path: Path) -> dict[str, str]:
    """Return the reasons of known failures by case id, from a file with ``ID: REASON`` on each line.

    Raises BadSelection.
    """
    reasons: dict[str, str] = {}
    for line in _lines(path):
        parts = re.fullmatch(r"(\S+):\s+(.+)", line)
        if parts is None:
            raise BadSelection(f"{path}: {line[:80]!r} is not ID: REASON")
        if parts[1] in reasons:
            raise BadSelection(f"{path}: {parts[1]} is there more than once")
        reasons[parts[1]] = parts[2]
    return reasons


def apply_expectations(verdicts: Iterable[Verdict], reasons: Mapping[str, str]) -> None:
    """Mark known failures, and cases that pass against the expectation."""
    for verdict in verdicts:
        reason = reasons.get(verdict.case.id)
        if reason is None:
            continue
        verdict.reason = reason
        if verdict.status in (Status.FAILED, Status.FLAKY):
            verdict.status = Status.KNOWN
        elif verdict.status is Status.PASSED:
            verdict.status = Status.UNEXPECTED


def check_expectations(cases: Iterable[Case], reasons: Mapping[str, str], path: Path) -> None:
    """Raise BadSelection for the known failure of a missing case."""
    if unknown := sorted(reasons.keys() - {case.id for case in cases}):
        raise BadSelection(f"{path}: no case has the id {unknown[0]}")


def write_expectations(verdicts: Iterable[Verdict], path: Path) -> None:
    """Write the failures of a run, with the actual result as the reason; known failures keep their reason."""
    lines = ["# Known failures: an id and its reason a line. One that passes is an error."]
    lines += [f"{verdict.case.id}: {verdict.reason or _one_line(verdict.actual)}" for verdict in verdicts
              if verdict.status in (Status.FAILED, Status.KNOWN, Status.FLAKY)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200] or "failed"
