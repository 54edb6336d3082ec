# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The texts that the site is made of. Sphinx itself is not needed for that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.tools.scripts import TOOLS, load

docs = load("docs")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of these texts, for all of the tree."""
    folder: Path = tmp_path_factory.mktemp("source")
    docs.write_sources(folder, with_api=True)
    return folder


def pages(source: Path, folder: str = "") -> set[str]:
    """Return the names of the pages below a folder, without their suffix."""
    return {path.relative_to(source).with_suffix("").as_posix() for path in (source / folder).rglob("*.rst")}


def listed(page: Path) -> set[str]:
    """Return the pages that the navigation has below a page."""
    blocks = re.findall(r"\.\. toctree::\n(?:   :.+\n)+\n((?:   .+\n)+)", page.read_text() + "\n")
    return {name for block in blocks for name in block.split()}


def test_each_page_is_in_the_navigation_or_in_the_list_of_kafkas_files(source: Path) -> None:
    reached, todo = set(), ["index"]
    while todo:
        name = todo.pop()
        reached.add(name)
        below = listed(source / f"{name}.rst")
        todo += sorted({f"api/{page}" if name.startswith("api/") else page for page in below} - reached)
    beside = {f"sidebyside/{name}" for name in re.findall(
        r"^\* :doc:`\S+ <(\S+)>`$", (source / "sidebyside/index.rst").read_text(), re.MULTILINE)}
    # README is index, under its own name.
    assert pages(source) - {"README"} == reached | beside


def test_kafkas_selector_has_a_page_and_a_link_from_ours(source: Path) -> None:
    page = (source / "sidebyside/clients/common/network/Selector.java.rst").read_text()
    assert "``kreactor.common.network.selector``" in page and ">pollSelectionKeys(" in page
    network = (source / "api/kreactor.common.network.rst").read_text()
    assert ("selector\n--------\n\nBeside Kafka: "
            ":doc:`Selector.java </sidebyside/clients/common/network/Selector.java>`\n\n"
            ".. automodule:: kreactor.common.network.selector\n") in network


def test_each_setting_is_on_the_page_of_settings(source: Path) -> None:
    page = (source / "settings.rst").read_text()
    assert "``num.io.threads``\n  This many handler threads execute the requests of all listeners.\n" in page
    assert page.count("  * Importance: ") > 400


def test_no_two_of_kafkas_files_have_one_page(source: Path) -> None:
    index = (source / "sidebyside/index.rst").read_text()
    names = re.findall(r"^\* :doc:`\S+ <(\S+)>`$", index, re.MULTILINE)
    assert len(names) == len(set(names)) > 800


def test_each_module_is_on_one_page_of_its_package() -> None:
    modules = [module for names in docs.packages().values() for module in names]
    assert "kreactor.common.network.selector" in docs.packages()["kreactor.common.network"]
    assert len(modules) == len(set(modules))
    there = {".".join(path.relative_to(TOOLS.parent).with_suffix("").parts)
             for path in (TOOLS.parent / "kreactor").rglob("*.py")
             if not path.stem.startswith("__") and not docs.GENERATED.search(path.as_posix())}
    assert set(modules) == there


def test_an_origin_of_several_lines_is_one_field() -> None:
    lines = ["Poll.", "", ":origin: common.network.Mux#poll(", "    long, Set<Id>)",
             ":origin: common.network.Mux.Slot#", "    take()", ""]
    assert list(docs.whole_origins(lines)) == [
        "Poll.", "", ":origin: ``common.network.Mux#poll(long, Set<Id>)``",
        ":origin: ``common.network.Mux.Slot#take()``", ""]


@pytest.mark.parametrize("file, page", [
    ("clients/src/main/java/org/apache/kafka/common/network/Mux.java", "clients/common/network/Mux.java"),
    ("core/src/main/scala/kafka/network/Mux.scala", "core/network/Mux.scala"),
    ("clients/src/main/resources/common/message/Mux.json", "clients/common/message/Mux.json"),
])
def test_pages_stand_as_kafkas_files_do(file: str, page: str) -> None:
    assert docs.site_path(file) == page


def test_counts_become_tables() -> None:
    printed = ("members         ported  omitted    later  missing       of\n"
               "network           1603       15        -        -     1618\n"
               "all               1603       15        -        -     1618   100 % accounted for\n")
    page = docs.counts_page(printed)
    assert "\nMembers\n-------\n" in page
    assert re.search(r"^network +1,603 +15 +0 +0 +1,618$", page, re.MULTILINE)
    assert len(re.findall(r"^=+(?:  =+){5}$", page, re.MULTILINE)) == 3
