# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Each line of a log once, whatever becomes of its file between two looks."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kreactor.pipeline import fleet as fleet_module
from kreactor.pipeline import ranges as ranges_module
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.fleet import Fleet, NewLines
from kreactor.pipeline.identity import Known
from kreactor.pipeline.layouts import Line, LineReader
from kreactor.pipeline.ranges import read
from kreactor.pipeline.times import Times
from tests import longer
from tests.pipeline.logs import HEADER, Broker, line, request

pa = pytest.importorskip("pyarrow")


def text(*ids: int) -> str:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids)


def refuse(path: str) -> None:
    if path.endswith("/refused.log"):
        raise PipelineFailure(f"{path}: refused")


class Followed:
    """A follower without Spark and table: ``look`` returns the new lines, which are known afterwards."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self.known = Known()
        self.seen: dict[str, str] = {}
        self.told: list[str] = []
        self.start()

    def start(self) -> None:
        """Start anew with what is in the table."""
        self.fleet = Fleet([str(folder) for folder in self.folders], self.seen, self.told.append, refuse,
                           threading.Event())

    def find(self) -> list[NewLines]:
        """Return what a look returns; the table stays as it is."""
        return self.fleet.look(Known(self.known.logs(), self.known.mark), 1 << 30)

    def look(self) -> list[str]:
        new = self.find()
        lines = self.read(new)
        for each in new:
            self.known.add(each.scanned.log, each.scanned.continues, each.scanned.marks)
        self.seen |= self.fleet.seen()
        self.fleet.done()
        return lines

    @staticmethod
    def read(new: list[NewLines]) -> list[str]:
        """Read as Spark's tasks do, and check number and order of the lines."""
        lines: list[str] = []
        for each in new:
            ranges = pa.RecordBatch.from_pylist([
                {name: getattr(part, name) for name in part.__slots__} for part in each.ranges])
            rows = [row for batch in read(iter([ranges])) for row in batch.to_pylist()]
            assert [row["line"] for row in rows] == [
                *range(each.scanned.before + 1, each.scanned.log.lines + 1)]
            lines += [row["value"] + "\n" for row in rows]
        return lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


def append(path: Path, what: str) -> None:
    with path.open("a") as stream:
        stream.write(what)


def lines(what: str) -> list[str]:
    return what.splitlines(keepends=True)


def test_a_log_that_grows_is_read_on(folder: Path) -> None:
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(text(1, 2) + text(3)[:100])
    assert followed.look() == lines(text(1, 2))
    assert followed.look() == []
    append(log, text(3)[100:] + text(4))
    assert followed.look() == lines(text(3, 4))
    append(log, text(5))
    followed.start()
    assert followed.look() == lines(text(5))
    append(log, text(6))
    assert followed.look() == lines(text(6))
    assert followed.look() == [] == followed.told


def test_logs_in_folders_at_any_depth(tmp_path: Path) -> None:
    followed = Followed(tmp_path / "a", tmp_path / "b")
    for number, name in enumerate(("a/x/y/request.log", "b/request.log", "b/.hidden/request.log",
                                   "b/_tmp/request.log", "b/.request.log.x7f", "b/z/request.log")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text(number))
    assert followed.look() == lines(text(0, 1, 5))


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("way", ["renamed", "compressed", "copied and cut off", "copied and written anew"])
def test_a_rolled_log_is_read_to_its_end(folder: Path, way: str, restarted: bool) -> None:
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(HEADER + text(1, 2))
    assert followed.look() == lines(HEADER + text(1, 2))
    append(log, text(3))
    rolled = folder / "request.log.1"
    if way == "compressed":
        rolled.with_suffix(".gz").write_bytes(gzip.compress(log.read_bytes()))
        log.unlink()
    elif way == "renamed":
        log.rename(rolled)
    else:
        shutil.copyfile(log, rolled)
        with log.open("r+") as stream:
            stream.truncate(0)
    if way == "copied and written anew":
        # It is as long as before, when the follower looks.
        append(log, HEADER + text(7, 8, 9, 10))
    else:
        log.write_text(HEADER + text(7))
    if restarted:
        followed.start()
    new = text(7, 8, 9, 10) if way == "copied and written anew" else text(7)
    assert sorted(followed.look()) == sorted(lines(text(3) + HEADER + new))
    append(log, text(11))
    assert followed.look() == lines(text(11))
    assert followed.look() == [] == followed.told


def test_logs_that_begin_with_the_same_line_are_many(folder: Path) -> None:
    followed = Followed(folder)
    logs = [folder / f"b{number}.log" for number in range(4)]
    for log in logs:
        log.write_text(HEADER)
    found = followed.look()
    for number, log in enumerate(logs):
        append(log, text(10 * number))
        found += followed.look()
        append(log, text(10 * number + 1))
    found += followed.look()
    assert sorted(found) == sorted(lines(HEADER * 4 + text(0, 1, 10, 11, 20, 21, 30, 31)))


def test_an_archive_of_what_is_known_has_nothing_new_and_is_read_once(
        folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = Followed(folder)
    (folder / "request.log").write_text(text(1, 2))
    followed.look()
    (folder / "request.log.gz").write_bytes(gzip.compress(text(1, 2).encode()))
    assert followed.look() == []
    followed.start()
    monkeypatch.setattr(fleet_module, "open_log", lambda path: pytest.fail(f"{path} was read again"))
    assert followed.look() == [] == followed.told


def test_an_archive_that_grows_is_read_when_it_is_whole(folder: Path) -> None:
    followed, archive = Followed(folder), folder / "request.log.gz"
    whole = gzip.compress(text(*range(100)).encode())
    for size in (10, len(whole) // 2, len(whole) - 1):
        archive.write_bytes(whole[:size])
        assert followed.look() == [] == followed.told
    archive.write_bytes(whole)
    assert followed.look() == lines(text(*range(100)))
    archive.with_name("cut.gz").write_bytes(whole[:-9])
    assert followed.look() == [] and followed.fleet.is_undecided() and not followed.told
    assert followed.look() == [] and not followed.fleet.is_undecided()
    assert followed.told == [f"{folder}/cut.gz: the gzip archive ends early or is damaged; bring it whole, "
                             "or unpack what there is of it"]
    assert followed.look() == [] and len(followed.told) == followed.fleet.refused == 1


def test_a_file_that_vanished_is_told_and_counted(folder: Path) -> None:
    followed, log, other = Followed(folder), folder / "request.log", folder / "other.log"
    log.write_text(text(1))
    other.write_text(text(9))
    followed.look()
    append(log, text(2))
    assert followed.find()
    log.unlink()
    append(other, text(10))
    # The file that the look found is gone.
    followed.fleet.undo()
    assert followed.look() == lines(text(10)) and not followed.told and followed.fleet.is_undecided()
    assert followed.look() == []
    assert followed.told == [f"{log}: vanished before its end was read; 1 lines are lost"]
    append(other, text(11))
    assert followed.look() == lines(text(11))
    other.unlink()
    assert followed.look() == followed.look() == []
    assert followed.told[1:] == [f"{other}: vanished before its end was read; if there were lines after line "
                                 "3, they are lost"]
    assert followed.look() == [] and followed.fleet.vanished == len(followed.told) == 2


def test_an_old_file_that_is_deleted_is_no_loss(folder: Path) -> None:
    followed, log = Followed(folder), folder / "request.log.7"
    log.write_text(text(1))
    followed.look()
    log.unlink()
    assert followed.look() == followed.look() == [] == followed.told


def test_a_rolled_file_that_returns_as_an_archive_later_is_read_to_its_end(folder: Path) -> None:
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(text(1))
    followed.look()
    append(log, text(2))
    followed.look()
    packed = gzip.compress(log.read_bytes() + text(3).encode())
    log.unlink()
    assert followed.look() == []
    (folder / "request.log.gz").write_bytes(packed)
    assert followed.look() == lines(text(3))
    assert followed.look() == [] == followed.told


def test_a_folder_that_is_gone_for_a_while(tmp_path: Path, folder: Path) -> None:
    followed, log = Followed(tmp_path / "other", folder), folder / "request.log"
    assert followed.look() == []
    assert followed.told == [f"{tmp_path}/other: No such file or directory; its logs are not read"]
    log.write_text(text(1))
    followed.look()
    append(log, text(2))
    followed.look()
    folder.rename(tmp_path / "away")
    assert followed.look() == followed.look() == []
    (tmp_path / "away").rename(folder)
    append(log, text(3))
    assert followed.look() == lines(text(3))
    assert followed.told[1:] == [f"{folder}: No such file or directory; its logs are not read"]


def test_what_is_refused_is_told_once_and_stops_nothing(folder: Path) -> None:
    followed = Followed(folder)
    (folder / "a.log").symlink_to(folder / "none")
    (folder / "b.log").symlink_to(folder / "b.log")
    (folder / "refused.log").write_text(text(1))
    (folder / "z.log").write_text(text(2))
    os.mkfifo(folder / "pipe")
    assert followed.look() == lines(text(2))
    assert followed.look() == []
    assert followed.told == [f"{folder}/b.log: Too many levels of symbolic links; its lines are not read",
                             f"{folder}/refused.log: refused"]


def test_a_link_is_the_file_itself(folder: Path) -> None:
    followed = Followed(folder)
    (folder / "2026.log").write_text(text(1))
    (folder / "a.log").symlink_to("2026.log")
    (folder / "z.log").symlink_to("2026.log")
    assert [part.path for each in followed.find() for part in each.ranges] == [f"{folder}/2026.log"]


@pytest.mark.parametrize("what", ["gone", "shorter", "other bytes", "an archive that is cut short"])
def test_a_file_that_changes_before_it_is_read_is_not_mistaken(folder: Path, what: str) -> None:
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(text(1, 2))
    found = followed.find()
    if what == "gone":
        log.rename(folder / "request.log.1")
    else:
        log.write_bytes({"shorter": text(1).encode(), "other bytes": text(1, 3).encode()}.get(
            what, gzip.compress(text(1, 2).encode())[:40]))
    with pytest.raises(OSError, match=f"^the log changed before it was read: {log}: "):
        followed.read(found)
    followed.fleet.undo()
    if what == "gone":
        assert followed.look() == lines(text(1, 2))
    elif what != "an archive that is cut short":
        assert followed.look() == lines(log.read_text())


def test_a_large_log_is_read_in_ranges_by_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges_module, "RANGE_BYTES", 5_000)
    monkeypatch.setattr(fleet_module, "_CHUNK", 1_000)
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(text(1))
    followed.look()
    append(log, text(*range(2, 100)))
    found = followed.find()
    assert len(found) == 1 and len(found[0].ranges) > 5
    followed.fleet.undo()
    assert followed.look() == lines(text(*range(2, 100)))


def test_a_look_that_reached_its_limit_leaves_the_rest_to_the_next(folder: Path) -> None:
    followed = Followed(folder)
    for number in range(3):
        (folder / f"{number}.log").write_text(text(number))
        os.utime(folder / f"{number}.log", (number, number))
    new = followed.fleet.look(followed.known, 1)
    assert Followed.read(new) == lines(text(0)) and followed.fleet.has_more
    followed.fleet.done()
    assert followed.look() == lines(text(1, 2)) and not followed.fleet.has_more


def test_only_a_log_that_may_grow_has_a_state(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed, log, old = Followed(folder), folder / "request.log", folder / "request.log.1"
    log.write_text(text(1))
    old.write_text(text(2))
    os.utime(old, (1, 1))

    def states() -> list[str]:
        return [file.path for file in followed.fleet._files.values() if file.content is not None]

    assert followed.look() == lines(text(2, 1)) and states() == [str(log)]
    for _ in range(20):
        assert followed.look() == []
    assert states() == []
    append(log, text(3))
    append(old, text(4))
    assert sorted(followed.look()) == lines(text(3, 4)) and len(states()) == 2


def test_a_look_ends_when_it_is_stopped(folder: Path) -> None:
    (folder / "request.log").write_text(text(1))
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        Fleet([str(folder)], {}, print, refuse, stop).look(Known(), 1)


def test_a_file_that_could_not_be_read_is_tried_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed, log = Followed(folder), folder / "request.log"
    log.write_text(text(1))

    def fail(path: str) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as failing:
        failing.setattr(fleet_module, "open_log", fail)
        assert followed.look() == followed.look() == []
    assert followed.told == [f"{log}: Permission denied; its lines are not read"]
    assert followed.look() == lines(text(1)) and len(followed.told) == 1


STEPS = st.one_of(
    st.tuples(st.just("write"), st.integers(0, 2), st.integers(1, 20)),
    st.tuples(st.just("write_half"), st.integers(0, 2), st.integers(1, 200)),
    st.tuples(st.just("roll"), st.integers(0, 2), st.sampled_from(["rename", "copy", "compress"])),
    st.tuples(st.just("compress"), st.integers(0, 2)),
    st.sampled_from([("look",), ("killed",), ("restart",)]))


@settings(max_examples=longer.examples(50, 300))
@given(st.lists(STEPS, max_size=30))
def test_each_line_once_whatever_happens(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        followed = Followed(Path(folder))
        brokers = [Broker(Path(folder, str(number))) for number in range(3)]
        found: list[str] = []
        for name, *arguments in steps:
            if name == "look":
                found += followed.look()
            elif name == "killed":
                followed.find()
                followed.start()
            elif name == "restart":
                followed.start()
            else:
                getattr(brokers[arguments[0]], name)(*arguments[1:])
        for broker in brokers:
            broker.finish()
        found += followed.look()
        # A whole request is read before its layout ends.
        assert sorted(line.partition(" (")[0].rstrip() for line in found if line != HEADER) == sorted(
            line.partition(" (")[0] for broker in brokers for line in broker.written)
        assert followed.look() == [] == followed.told


# A line in three parts with a line of the other stream between, and a line in two parts.
MESSAGE = line(request())
CRI = "".join(f"2026-11-21T03:03:12.288Z {text}\n" for text in (
    "stdout F first", f"stdout P {MESSAGE[:60]}", "stderr F other", f"stdout P {MESSAGE[60:90]}",
    f"stdout F {MESSAGE[90:]}", f"stdout P {MESSAGE[:80]}", f"stdout F {MESSAGE[80:]}", "stdout F last"))
DOCKER = "".join(json.dumps({"log": text, "stream": stream, "time": "2026-11-21T03:03:12.288Z"}) + "\n"
                 for text, stream in (
                     ("first\n", "stdout"), (MESSAGE[:60], "stdout"), ("other\n", "stderr"),
                     (f"{MESSAGE[60:]}\n", "stdout"), ("last\n", "stdout")))


def rows_of(looks: list[list[str]]) -> list[Line]:
    """Return the rows of the lines of several looks, each with a reader of its own."""
    rows, number = [], 0
    for lines in looks:
        reader = LineReader(Times())
        for text in lines:
            number += 1
            rows += reader.read(number, text.removesuffix("\n").encode())
        rows += reader.finish()
    return rows


@pytest.mark.parametrize("content", [CRI, DOCKER], ids=["CRI", "Docker"])
@pytest.mark.parametrize("anew", [False, True])
def test_parts_of_a_line_are_read_by_one_look(tmp_path: Path, content: str, anew: bool) -> None:
    whole = rows_of([content.splitlines(keepends=True)])
    assert sum(row.request is not None for row in whole) == content.count("Completed")
    for split in range(0, len(content) + 1, 11 if anew else 1):
        folder = tmp_path / str(split)
        folder.mkdir()
        follower = Followed(folder)
        (folder / "request.log").write_text(content[:split])
        looks = [follower.look()]
        if anew:
            follower.start()
        with (folder / "request.log").open("a") as more:
            more.write(content[split:])
        looks.append(follower.look())
        assert rows_of(looks) == whole, split
        assert follower.look() == []


@pytest.mark.parametrize("anew", [False, True])
def test_a_part_without_an_end_is_read_later(tmp_path: Path, anew: bool) -> None:
    log, follower = tmp_path / "request.log", Followed(tmp_path)
    first, part = CRI.splitlines(keepends=True)[:2]
    log.write_text(first + part)
    assert [follower.look(), follower.look()] == [[first], []]
    if anew:
        follower.start()
        assert follower.look() == []
    at = time.time() - 61
    os.utime(log, (at, at))
    assert [follower.look(), follower.look()] == [[part], []]


def test_a_file_that_vanishes_with_a_part_is_told(tmp_path: Path) -> None:
    log, follower = tmp_path / "request.log", Followed(tmp_path)
    log.write_text("".join(CRI.splitlines(keepends=True)[:2]))
    follower.look()
    log.unlink()
    follower.look()
    follower.look()
    assert follower.told == [f"{log}: vanished before its end was read; if there were lines after line 1, "
                             "they are lost"]


def test_parts_are_looked_for_in_the_last_bytes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    part = b"2026-11-21T03:03:12.288Z stdout P " + b"x" * 100 + b"\n"
    before = b"2026-11-21T03:03:12.288Z stdout F " + b"y" * 200 + b"\n"
    monkeypatch.setattr(ranges_module, "_FEW_PARTS_BYTES", 150)
    for most, end in ((150, len(before + 9 * part)), (100_000, len(before))):
        monkeypatch.setattr(ranges_module, "_MOST_PARTS_BYTES", most)
        content = before + 9 * part
        assert ranges_module.whole_end(io.BytesIO(content), len(content)) == end
    assert ranges_module.whole_end(io.BytesIO(part), len(part)) == 0
