# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The files of what is known of other implementations name cases that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Level
from kreactor.conformance.selection import check_expectations, read_expectations, select

KNOWN = Path(__file__).with_name("known")


@pytest.mark.parametrize("path", sorted(KNOWN.glob("*.expect")), ids=lambda path: path.stem)
def test_known_failures_are_of_the_selection(path: Path) -> None:
    reasons = read_expectations(path)
    check_expectations(all_cases(), reasons, path)
    run = select(all_cases(), [], Level.SHOULD, [f"@{path.with_suffix('.skip')}"])
    assert reasons
    assert reasons.keys() <= {case.id for case in run}
