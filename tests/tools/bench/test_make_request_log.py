# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Logs of any size are as a broker would have written them."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tools.scripts import load

make_request_log = load("bench/make_request_log")
SHAPES = len(make_request_log.shapes(None))


def made(path: Path, monkeypatch: pytest.MonkeyPatch, lines: int,
         *options: str) -> list[tuple[datetime, dict[str, Any]]]:
    monkeypatch.setattr(sys, "argv", ["make_request_log", str(lines), str(path), *options])
    assert make_request_log.main() == 0
    assert all(text[24:36] == "] DEBUG Comp" for text in path.read_text(encoding="utf-8").splitlines())
    return [(datetime.fromisoformat(text[1:24].replace(",", ".")),
             json.loads(text[text.index("{"):text.rindex(" (")]))
            for text in path.read_text(encoding="utf-8").splitlines()]


def test_there_are_as_many_lines_as_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = made(tmp_path / "log", monkeypatch, 2 * SHAPES + 10)
    assert len(lines) == 2 * SHAPES + 10
    for _, said in lines:
        stages = [said[name] for name in make_request_log.TIMES]
        assert said["totalTimeMs"] == pytest.approx(sum(stages), abs=0.001)
    # Each round has connections of its own, and is after the one before.
    rounds = [lines[at:at + SHAPES] for at in range(0, len(lines), SHAPES)]
    names = [{said["connection"] for _, said in each} for each in rounds]
    assert not names[0] & names[1] and not names[1] & names[2]
    assert max(time for time, _ in rounds[0]) < min(time for time, _ in rounds[1])


def test_a_connection_has_one_request_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: dict[str, datetime] = {}
    followed = 0
    for time, said in made(tmp_path / "log", monkeypatch, 2 * SHAPES):
        begin = time - timedelta(milliseconds=said["totalTimeMs"])
        connection = said["connection"]
        if connection in ends:
            assert begin >= ends[connection] - timedelta(milliseconds=1)
            followed += 1
        ends[connection] = time
    assert followed > 0


def test_so_many_are_of_one_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = made(tmp_path / "log", monkeypatch, 10_000, "--skew", "0.95")
    produced = sum(said["requestHeader"]["requestApiKey"] == 0 for _, said in lines)
    assert produced / len(lines) == pytest.approx(0.95, abs=0.02)


def test_a_seed_makes_the_same_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        made(tmp_path / name, monkeypatch, 100, "--seed", seed)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c
