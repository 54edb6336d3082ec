# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The README files tell what is true today."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.testing import Broker
from tests.core.server.brokers import connect, new_broker
from tests.tools import scripts

ROOT = Path(__file__).parents[1]
README = ROOT / "README.rst"
KREACTOR = ROOT / "kreactor"
PAGES = [README, *sorted(KREACTOR.rglob("README.rst")), *sorted((ROOT / "tools").rglob("*.rst"))]


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def section(page: Path, title: str) -> str:
    """Return the text under a heading of a page, which must have it."""
    _, heading, after = text(page).partition(f"\n{title}\n---")
    assert heading, title
    return re.split(r"\n.+\n---+\n", after)[0]


def example(text: str) -> str:
    """Return the first block of Python in a text."""
    block = re.search(r"\.\. code-block:: python\n\n((?: .*\n|\n)+)", text)
    assert block is not None
    return textwrap.dedent(block[1])


def test_the_front_page_is_short() -> None:
    assert len(text(README).splitlines()) <= 200


def test_the_table_of_apis_is_what_a_broker_says(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        answer = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="test", client_software_version="1"))
    table = scripts.load("docs").api_table([
        (ApiKeys.for_id(api.api_key).name, api.min_version, api.max_version)
        for api in sorted(answer.api_keys, key=lambda api: api.api_key)])
    page = text(KREACTOR / "core/server/README.rst")
    assert scripts.load("docs").with_table(page, table) == page, "run tools/docs --write"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_have_the_borders_that_they_need(page: Path) -> None:
    borders = [line for line in text(page).splitlines() if re.fullmatch(r"=+( +=+)+", line)]
    assert borders or page != README
    for table in zip(borders[::3], borders[1::3], borders[2::3], strict=True):
        assert len(set(table)) == 1, table


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"`[^`<]+<([^>`]+)>`_", text(page)) + re.findall(
        r"^\.\. (?:_[^:]+|image):+ (\S+)$", text(page), re.MULTILINE)
    assert targets or page != README
    for target in targets:
        assert re.match("https?://", target) or (page.parent / target).is_file(), target
    named = set(re.findall(r"^\.\. _([^:]+):", text(page), re.MULTILINE))
    headings = set(re.findall(r"^(.+)\n(?:===|---)", text(page), re.MULTILINE))
    for name in re.findall(r"`([^`<>]+)`_", text(page)):
        assert " ".join(name.split()) in named | headings, name


def test_the_map_of_folders_names_them_all() -> None:
    named = set(re.findall(r"`kreactor/([\w/.]+?)/?`", text(README)))
    folders = {folder.name for folder in KREACTOR.iterdir()
               if folder.is_dir() and not folder.name.startswith("__")}
    assert folders and named
    assert folders - {name.split("/")[0] for name in named} == set()
    assert {name for name in named if not (KREACTOR / name).exists()} == set()


def test_every_page_can_be_reached_from_the_front_page() -> None:
    linked = set(re.findall(r"^\.\. _[^:]+: (\S+)$", text(README), re.MULTILINE))
    tools = text(ROOT / "tools/README.rst")
    linked |= {f"tools/{target}" for target in re.findall(r"<([\w/]+\.rst)>`_", tools)}
    assert {str(page.relative_to(ROOT)) for page in PAGES if page != README} == linked


def test_every_tool_has_a_line() -> None:
    tools = set(scripts.names())
    named = set(re.findall(r"^``([\w/]+)`` ", text(ROOT / "tools/README.rst"), re.MULTILINE))
    assert tools and {name for name in named if not name.startswith("tools/")} == tools


def names(module: Path) -> set[str]:
    """Return the classes of a module and their methods, as Class.method."""
    classes = [node for node in ast.parse(text(module)).body if isinstance(node, ast.ClassDef)]
    return {node.name for node in classes} | {
        f"{node.name}.{member.name}" for node in classes for member in node.body
        if isinstance(member, ast.FunctionDef)}


def test_the_tour_leads_to_places_that_are_there() -> None:
    tour = KREACTOR / "common/network/README.rst"
    answers = re.findall(r"``([\w/.]+\.(?:py|rst))(?:: ([\w.]+))?``", section(tour, "Ten questions"))
    assert len(answers) >= 10
    for file, place in answers:
        path = (tour.parent / file).resolve()
        assert path.is_file(), file
        if place:
            assert place in names(path), place
        elif path.suffix == ".py":
            assert len(ast.get_docstring(ast.parse(text(path))) or "") > 300, f"{file}: its head is short"
    assert len(re.findall(r"^\d+ ", section(tour, "Ten questions"), re.MULTILINE)) == 10
    files = re.findall(r"``([\w/.]+\.py)``", section(tour, "In which order to read"))
    assert len(files) >= 5
    assert [file for file in files if not (tour.parent / file).is_file()] == []


def test_the_threads_page_names_what_takes_the_steps() -> None:
    page = KREACTOR / "core/network/README.rst"
    processor = names(KREACTOR / "core/network/processor.py")
    calls = re.findall(r"^    (_\w+) ", section(page, "The automaton of a connection"), re.MULTILINE)
    assert len(calls) == 6
    assert {f"Processor.{call}" for call in calls} <= processor


@pytest.mark.parametrize("page", [KREACTOR / "jdk/README.rst", KREACTOR / "core/server/README.rst"],
                         ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_names_are_there(page: Path) -> None:
    files = re.findall(r"``([\w/.]+\.py)``", text(page))
    assert files
    assert [file for file in files if not (page.parent / file).is_file()] == []


def test_a_test_in_five_lines(tmp_path: Path) -> None:
    code = example(section(README, "In your tests"))
    assert len([line for line in code.splitlines() if line.strip()]) == 5
    (tmp_path / "test_orders.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "kreactor.testing.pytest_plugin"], cwd=tmp_path,
        timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert "1 passed" in done.stdout and done.returncode == 0, done.stdout


def test_faults_are_named_as_they_are() -> None:
    from kreactor import testing

    words = section(KREACTOR / "testing/README.rst", "Faults")
    words = words.partition("A fault is one of")[2].partition("``handled")[0]
    faults = set(re.findall(r"``(\w+)\(.*?\)``", words))
    assert len(faults) >= 5
    assert faults - set(testing.__all__) == set()


def test_the_calls_of_a_broker_are_there() -> None:
    words = section(KREACTOR / "testing/README.rst", "The calls of a broker")
    calls = set(re.findall(r"``(?:await )?(\w+)\(", words))
    assert len(calls) >= 20
    assert {call for call in calls if not hasattr(Broker, call) and call != "Broker"} == set()


def test_a_producer_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    code = example(text(KREACTOR / "clients/README.rst"))
    with Broker(topics={"orders": 1}) as broker:
        exec(code, {"servers": broker.bootstrap_servers})
        assert [(record.key, record.value) for record in broker.records("orders")] == [
            (b"anna", b"two"), (b"anna", b"three"), (b"bert", b"four")]
    assert capsys.readouterr().out == "0\n{orders-0: [range(1, 3)]}\n"


def test_a_broker_in_five_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = example(text(KREACTOR / "embedded/README.rst"))
    assert len([line for line in code.splitlines() if line.strip()]) == 5
    exec(code, {"folder": str(tmp_path)})
    assert re.fullmatch(r"bootstrap\.servers=127\.0\.0\.1:\d+\n", capsys.readouterr().out)
