# Licensed under the Apache License, Version 2.0; see LICENSE.
"""tools/peers/editions_jvm tells equal turns from others, beside a rig of ours or real jars."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kreactor.editions.compare.rig import run
from kreactor.editions.compare.script import load_script, own_scripts, read_script
from kreactor.editions.registry import CURRENT, EDITIONS
from tests.stepping import wait_until
from tests.tools.scripts import load

tool = load("peers/editions_jvm")
release = load("peers/kafka_release")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kreactor" / "kafka"


def found(one: str, other: str, name: str = "staged-receives") -> list[str]:
    script = load_script(name)
    return list(tool.differences(run(script, one)[0], run(script, other)[0], script))


def test_an_edition_equals_itself() -> None:
    names = own_scripts()
    assert names
    for name in names:
        assert found("0.10.2", "0.10.2", name) == []


def test_each_fact_that_differs_is_named() -> None:
    lines = found("0.10.2", CURRENT)
    assert "poll 2 (poll, line 7): read: kreactor 'a 42', the JVM 'a 14'" in lines
    assert "poll 2 (poll, line 7): staged: kreactor 'a2, a3', the JVM None" in lines
    assert not any("completed" in line for line in lines[:3])


def test_the_order_within_a_fact_does_not_count() -> None:
    script = read_script("x", "a connects\npoll\n")
    ours, _ = run(script, CURRENT)
    theirs = [[facts | {"queue": "b1, a1"} for facts in rounds] for rounds in ours]
    ours = [[facts | {"queue": "a1, b1"} for facts in rounds] for rounds in ours]
    assert list(tool.differences(ours, theirs, script)) == []


def test_a_script_comes_again_from_its_seed() -> None:
    one, other = (tool.random_script(Random(7), "x") for _ in range(2))
    assert one == other
    for seed in range(30):
        run(tool.random_script(Random(seed), str(seed)), "0.10.2")


def test_the_end_of_a_server_is_seen_through_the_table_of_the_kernel() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with socket.create_connection(listener.getsockname()) as client:
            server, _ = listener.accept()
            end = tool._ServerEnd(listener.getsockname()[1], client.getsockname()[1])
            assert (end.unread(), end.knows_end()) == (0, False)
            client.sendall(b"12345")
            wait_until(lambda: end.unread() == 5)
            client.shutdown(socket.SHUT_WR)
            wait_until(end.knows_end)
            assert end.unread() == 5
            server.close()
            wait_until(lambda: end.unread() is None)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_jars_of_a_release_do_the_same(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("java") is None or not (CACHE / EDITIONS[edition].tag / "complete").exists():
        pytest.skip(f"needs Java, and the jars of Kafka {EDITIONS[edition].tag}: "
                    "run tools/peers/editions_jvm")
    assert tool.main(["--editions", edition, "staged-receives"]) == 0
    assert "staged-receives               5 polls, 0 differences" in capsys.readouterr().out


def test_without_maven_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                  capsys: pytest.CaptureFixture[str]) -> None:
    def which(name: str) -> Any:
        return None

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", which)
    assert tool.main(["--editions", "0.10.2", "staged-receives"]) == 3
    assert "Maven (mvn) is not on PATH" in capsys.readouterr().err
