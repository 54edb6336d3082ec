# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Commits: each counts once, whoever makes them at the same time."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path

import pytest

import kreactor.pipeline.manifest as manifest_module
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Known, Scanned, scan
from kreactor.pipeline.manifest import Conflict, Manifest, State, Taken, Unit
from kreactor.pipeline.store import LocalStore
from tests.pipeline.logs import line, request


def text(*ids: int) -> bytes:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids).encode()


def scanned(data: bytes, known: Known | None = None) -> Scanned:
    return scan(io.BytesIO(data), known or Known())


def unit(id_: str, size: int = 10) -> Unit:
    return Unit(id_, f"_staging/{id_}", {"requests": [("part.parquet", size)], "quarantine": []},
                {"requests": 2, "quarantine": 0})


@pytest.fixture
def manifest(tmp_path: Path) -> Manifest:
    """Give the manifest of a new table."""
    return Manifest(LocalStore(), str(tmp_path))


def test_the_state_is_the_sum_of_the_commits(manifest: Manifest) -> None:
    assert manifest.state() == State()
    manifest.commit("a", [unit("a")], taken=[Taken(scanned(text(1, 2)))], seen={"h:/log": "1"})
    state = manifest.commit("b", [unit("b")], remove=["a"])
    assert (state.version, list(state.units), list(state.ids)) == (2, ["b"], ["a", "b"])
    assert state == manifest.state() == State.from_json(json.loads(json.dumps(state.as_json())))
    assert state.units["b"] == unit("b") and (state.units["b"].size, state.units["b"].count) == (10, 1)


def test_checkpoints_replace_old_commits(manifest: Manifest, tmp_path: Path) -> None:
    for number in range(200):
        manifest.commit(f"c{number}", [unit(f"c{number}")], taken=[Taken(scanned(text(number)))])
    state = manifest.state()
    assert state.version == len(state.units) == len(state.logs) == 200
    assert len(list((tmp_path / "_log").iterdir())) < 110
    # Without its checkpoints the rest is not enough, and that is said.
    for path in (tmp_path / "_log").glob("*.checkpoint.json"):
        path.unlink()
    with pytest.raises(PipelineFailure, match="000000000001.json: is missing, so the table cannot be read"):
        manifest.state()


def test_a_writer_that_slept_does_not_take_a_version_that_was_deleted(
        manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_module, "_CHECKPOINT_EVERY", 4)
    monkeypatch.setattr(manifest_module, "_KEPT", 2)
    late = Manifest(LocalStore(), manifest._where)
    states = [late.state()]
    read = late.state
    monkeypatch.setattr(late, "state", lambda: states.pop() if states else read())
    for number in range(9):
        manifest.commit(f"c{number}", [unit(f"c{number}")])
    state = late.commit("late", [unit("late")])
    assert state.version == 10 and "late" in manifest.state().units and len(state.units) == 10


def test_the_same_log_is_taken_once(manifest: Manifest) -> None:
    base = manifest.state()
    manifest.commit("a", [unit("a")], taken=[Taken(scanned(text(1, 2)))], base=base)
    for data in (text(1, 2), text(1, 2, 3), text(1)):
        with pytest.raises(Conflict, match="the same logs were taken meanwhile"):
            manifest.commit("b", [unit("b")], taken=[Taken(scanned(data))], base=base)
    # Another log does not matter.
    manifest.commit("c", [unit("c")], taken=[Taken(scanned(text(7)))], base=base)
    # Both go on where the log ended.
    base = manifest.state()
    grown = [Taken(scanned(data, manifest.known(base))) for data in (text(1, 2, 3), text(1, 2, 3, 4))]
    manifest.commit("d", [unit("d")], taken=grown[:1], base=base)
    with pytest.raises(Conflict):
        manifest.commit("e", [unit("e")], taken=grown[1:], base=base)
    state = manifest.state()
    assert sorted(state.units) == ["a", "c", "d"] and len(state.logs) == 2
    with pytest.raises(Conflict, match="d is committed already"):
        manifest.commit("d", [unit("d")])
    with pytest.raises(Conflict, match="compacted meanwhile"):
        manifest.commit("f", [unit("f")], remove=["a", "z"])


def test_the_marks_of_a_log_that_grew_are_put_together(manifest: Manifest, tmp_path: Path) -> None:
    ids = [*range(50)]
    data = text(*ids)
    for number, lines in enumerate((3, 4, 20, 50)):
        state = manifest.state()
        # The last line has no line feed at first.
        seen = scanned(text(*ids[:lines])[:-1], manifest.known(state))
        assert (seen.before, seen.log.lines) == ((0, 3, 4, 20)[number], lines)
        manifest.commit(f"c{number}", [unit(f"c{number}")], taken=[Taken(seen)], base=state)
    state = manifest.state()
    (log, pieces), = state.logs.values()
    assert log.lines == 50 and len(pieces) == 4 and sum(count for *_, count in pieces) == 50
    before = manifest.known(state)
    manifest.commit("other", [unit("other")], taken=[Taken(scanned(text(1000, 1001)))])
    manifest.commit("small", remove=["c0"], put_together=True)
    assert [path.name for path in (tmp_path / "_marks").iterdir()] == ["small"]
    assert [pieces for _, pieces in manifest.state().logs.values()] == [
        [("small", 0, 50)], [("small", 50, 2)]]
    # Known before, and read from the new file.
    assert before.mark(log, 17) == manifest.known(manifest.state()).mark(log, 17) is not None
    known = manifest.known(manifest.state())
    for lines in range(1, 51):
        assert scanned(text(*ids[:lines]), known).is_known, lines
        other = scanned(text(*ids[:lines - 1], 99), known)
        assert not other.is_known and other.before == 0
    assert scanned(data, known).is_known
    assert known.mark(log, 51) is None


def test_many_writers_at_once(tmp_path: Path) -> None:
    start, taken = threading.Barrier(6), list[str]()

    def write(number: int) -> None:
        manifest = Manifest(LocalStore(), str(tmp_path))
        start.wait()
        for at in range(10):
            id_ = f"w{number}-{at}"
            # Each log is wanted by two of them.
            one = Taken(scanned(text(100 * (number // 2) + at)))
            try:
                manifest.commit(id_, [unit(id_)], taken=[one], base=State())
                taken.append(id_)
            except Conflict:
                pass

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = Manifest(LocalStore(), str(tmp_path)).state()
    assert sorted(state.units) == sorted(taken) and len(taken) == len(state.logs) == 30


def test_a_table_of_a_newer_kreactor(manifest: Manifest, tmp_path: Path) -> None:
    manifest.commit("a", [unit("a")])
    path = tmp_path / "_log" / "000000000001.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with pytest.raises(PipelineFailure, match="written by a newer kreactor"):
        manifest.state()
