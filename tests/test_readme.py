# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What README.rst says is true today."""

from __future__ import annotations

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

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.rst").read_text(encoding="utf-8")


def test_the_table_of_apis_is_what_a_broker_says(tmp_path: Path) -> None:
    table = README.partition("\nAPI ")[2].split("====\n")[1]
    told = re.findall(r"^(\w+) +(\d+) to (\d+)$", table, re.MULTILINE)
    assert told
    with new_broker(tmp_path) as broker, connect(broker) as wire:
        answer = wire.ask(ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData(
            client_software_name="test", client_software_version="1"))
    assert [(name, int(lowest), int(highest)) for name, lowest, highest in told] == [
        (ApiKeys.for_id(api.api_key).name, api.min_version, api.max_version)
        for api in sorted(answer.api_keys, key=lambda api: api.api_key)]


def test_tables_have_the_borders_that_they_need() -> None:
    borders = [line for line in README.splitlines() if re.fullmatch(r"=+( +=+)+", line)]
    assert len(borders) >= 12
    for table in zip(borders[::3], borders[1::3], borders[2::3], strict=True):
        assert len(set(table)) == 1, table


def test_the_map_of_folders_names_them_all() -> None:
    named = set(re.findall(r"``kreactor/([\w/.]+?)/?``", README))
    folders = {folder.name for folder in (ROOT / "kreactor").iterdir()
               if folder.is_dir() and not folder.name.startswith("__")}
    assert folders and named
    assert folders - {name.split("/")[0] for name in named} == set()
    assert {name for name in named if not (ROOT / "kreactor" / name).exists()} == set()


def section(title: str) -> str:
    """Return what stands under a heading, which has to be there."""
    before, heading, text = README.partition(f"\n{title}\n---")
    assert heading, title
    return text


def test_a_test_in_five_lines(tmp_path: Path) -> None:
    code = textwrap.dedent(section("In your tests").partition(".. code-block:: python\n")[2]
                           .partition("\n\n``")[0])
    assert len([line for line in code.splitlines() if line.strip()]) == 5
    (tmp_path / "test_orders.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "kreactor.testing.pytest_plugin"], cwd=tmp_path,
        timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert "1 passed" in done.stdout and done.returncode == 0, done.stdout


def test_faults_are_named_as_they_are() -> None:
    from kreactor import testing

    text = section("In your tests").partition("A fault is one of")[2].partition("``api``")[0]
    faults = set(re.findall(r"``(\w+)\(.*?\)``", text))
    assert len(faults) >= 5
    assert faults - set(testing.__all__) == set()


def test_a_producer_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    code = textwrap.dedent(section("Writing and reading").partition(".. code-block:: python\n")[2]
                           .partition("\n\nIts settings")[0])
    with Broker(topics={"orders": 1}) as broker:
        exec(code, {"servers": broker.bootstrap_servers})
        assert [(record.key, record.value) for record in broker.records("orders")] == [
            (b"anna", b"two"), (b"anna", b"three"), (b"bert", b"four")]
    assert capsys.readouterr().out == "0\n{orders-0: [range(1, 3)]}\n"


def test_a_broker_in_five_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = textwrap.dedent(section("In your own process").partition(".. code-block:: python\n")[2]
                           .partition("\n\n``")[0])
    assert len([line for line in code.splitlines() if line.strip()]) == 5
    exec(code, {"folder": str(tmp_path)})
    assert re.fullmatch(r"bootstrap\.servers=127\.0\.0\.1:\d+\n", capsys.readouterr().out)
