# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The cases by area: one module for each area, whose ``cases()`` yields its cases."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from kreactor.conformance.cases import Case

AREAS = ("framing", "protocols", "keys", "versions", "headers", "ordering", "endings", "slow", "answers",
         "records", "groups", "throttling", "tls", "sasl", "reauthentication", "idle", "limits", "bodies",
         "contents")


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every case, by area."""
    cases = [case for area in AREAS for case in _cases_of(area)]
    assert len({case.id for case in cases}) == len(cases), "two cases have one id"
    return tuple(cases)


def _cases_of(area: str) -> Iterator[Case]:
    cases: Iterator[Case] = import_module(f"{__name__}.{area}").cases()
    return cases
