# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The pages of differences say what the editions do now, and name what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kreactor.editions.compare.script import own_scripts
from tests.tools.scripts import TOOLS, load

docs = load("docs")
EDITIONS = TOOLS.parent / "kreactor" / "editions"
PAGES = sorted(docs.DIFFERENCES.glob("*.rst"))


def named(page: Path) -> str:
    return page.stem


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_events_of_a_page_are_those_of_today(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "rows differ (*)" in text
    assert docs.with_events(text) == text, "run tools/docs --write"


def test_events_that_are_stale_are_made_anew() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    stale = text.replace("poll 2 ", "poll 9 ")
    assert stale != text and docs.with_events(stale) == text
    with pytest.raises(RuntimeError, match="no-such-script"):
        docs.with_events(".. compare: no-such-script 2.2,3.8\n.. compare: end\n")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_page_names_files_and_members_of_ours(page: Path) -> None:
    [text] = re.findall(r"^Ours: (?:.+\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
    files = re.findall(r"``([\w./]+[.]py)``", text)
    assert files
    code = ""
    for file in files:
        found = [path for path in (EDITIONS / file, TOOLS.parent / file, *EDITIONS.glob(f"v*/**/{file}"))
                 if path.is_file()]
        assert found, file
        code += "".join(path.read_text(encoding="utf-8") for path in found)
    for name in re.findall(r"``([a-z_]+)``", text):
        assert f"def {name}(" in code, name


def test_the_index_has_each_page_and_the_pages_each_script() -> None:
    index = (EDITIONS / "README.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"differences/[\w-]+[.]rst", index))
    assert listed == {f"differences/{page.name}" for page in PAGES}
    shown = {found[1] for page in PAGES for found in docs.EVENTS.finditer(page.read_text(encoding="utf-8"))}
    assert shown == set(own_scripts())
