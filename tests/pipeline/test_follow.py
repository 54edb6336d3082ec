# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A table gets each line of growing logs once; what becomes of their files is in test_fleet.py."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kreactor.pipeline import follow as follow_module
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.fleet import Fleet, NewLines
from kreactor.pipeline.follow import follow
from kreactor.pipeline.identity import Known
from kreactor.pipeline.ingest import Ingested, Options, check_pattern, ingest
from kreactor.pipeline.table import Table
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def text(*ids: int) -> str:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids)


class Follower:
    """A follower of the folders ``a`` and ``b``, and its table."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folders = [folder / "a", folder / "b"]
        for each in self.folders:
            each.mkdir()
        self.table = Table(spark, str(folder / "table"))
        self.said: list[Ingested] = []
        self.told: list[str] = []
        self.options = Options(broker_from=check_pattern(r"/([^/]+)/[^/]+$"))

    def follow(self, once: bool = True) -> Fleet:
        return follow(self.spark, [str(each) for each in self.folders], self.table, self.options, 1, once,
                      self.said.append, self.told.append)

    def rows(self) -> list[tuple[str, int, int]]:
        """Return the broker, the number of the line in its log, and the id of each request."""
        return sorted((row["broker"], row["line"], row["correlation_id"])
                      for row in self.table.requests().collect())


@pytest.fixture
def follower(spark: SparkSession, tmp_path: Path) -> Follower:
    return Follower(spark, tmp_path)


def test_each_line_once_with_broker_and_number(follower: Follower) -> None:
    a, b = follower.folders
    (b / "b1" / "logs").mkdir(parents=True)
    log, other = a / "request.log", b / "b1" / "logs" / "request.log"
    log.write_text(text(1, 2) + text(3)[:100])
    other.write_text("something else\n" + text(11))
    follower.follow()
    assert [(done.files, done.lines, done.requests, done.quarantined) for done in follower.said] == [
        (2, 4, 3, 1)]
    # The log is compressed at its rollover, after more lines; then an ingest is first to see what follows.
    (a / "request.log.1.gz").write_bytes(gzip.compress(text(1, 2, 3, 4).encode()))
    log.write_text(text(5))
    follower.follow()
    with log.open("a") as more:
        more.write(text(6))
    ingest(follower.spark, [str(each) for each in follower.folders], follower.table, follower.options)
    follower.follow()
    with log.open("a") as more:
        more.write(text(7))
    follower.follow()
    assert follower.rows() == [("a", 1, 1), ("a", 1, 5), ("a", 2, 2), ("a", 2, 6), ("a", 3, 3), ("a", 3, 7),
                               ("a", 4, 4), ("logs", 2, 11)]
    assert [(row["line"], row["text"]) for row in follower.table.quarantine().collect()] == [
        (1, "something else")]
    assert len(follower.said) == 3 and not follower.told


def test_what_is_known_is_not_opened_again(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    log = follower.folders[0] / "request.log"
    log.write_text(text(1))
    log.with_name("request.log.gz").write_bytes(gzip.compress(text(1).encode()))
    follower.follow()
    monkeypatch.setattr("kreactor.pipeline.fleet.open_log", lambda path: pytest.fail(f"{path} is read again"))
    follower.follow()
    assert len(follower.said) == 1


def between_look_and_commit(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Do some work once, after a look that found lines."""
    look, todo = Fleet.look, [work]

    def looked(self: Fleet, known: Known, limit: int) -> list[NewLines]:
        new = look(self, known, limit)
        if new and todo:
            todo.pop()()
        return new

    monkeypatch.setattr(Fleet, "look", looked)


@pytest.mark.parametrize("what", ["renamed", "deleted"])
def test_a_file_that_is_gone_before_it_is_read_stops_nothing(
        follower: Follower, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    log, other = (each / "request.log" for each in follower.folders)
    log.write_text(text(1))
    other.write_text(text(2))
    between_look_and_commit(
        monkeypatch, log.unlink if what == "deleted" else lambda: log.rename(f"{log}.1"))
    fleet = follower.follow()
    assert follower.rows() == [("a", 1, 1)] * (what == "renamed") + [("b", 1, 2)]
    assert (follower.told, fleet.vanished) == (
        ([], 0) if what == "renamed" else
        ([f"{log}: vanished before its end was read; 1 lines are lost"], 1))


def test_lines_that_an_ingest_takes_meanwhile_are_not_taken_again(
        follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    log = follower.folders[0] / "request.log"
    log.write_text(text(1, 2))

    def take() -> None:
        ingest(follower.spark, [str(log)], follower.table, follower.options)
        with log.open("a") as more:
            more.write(text(3))

    between_look_and_commit(monkeypatch, take)
    follower.follow()
    assert follower.rows() == [("a", 1, 1), ("a", 2, 2), ("a", 3, 3)]
    assert [done.lines for done in follower.said] == [1]


def test_a_path_without_a_broker_is_told_and_stops_nothing(follower: Follower) -> None:
    follower.options = Options(broker_from=check_pattern("/a/"))
    for each in follower.folders:
        (each / "request.log").write_text(text(1))
    assert follower.follow().refused == 1
    assert follower.rows() == [("/a/", 1, 1)]
    assert follower.told == [f"{follower.folders[1]}/request.log: --broker-from /a/ finds no broker in this "
                             "path; give --broker NAME for such files"]


def test_a_follower_waits_until_it_is_cancelled(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    log = follower.folders[0] / "request.log"
    log.write_text(text(1))

    class Cancelled(threading.Event):
        """Has the log grow in each wait, and is set by the third."""

        waits = 0

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout == 1
            self.waits += 1
            with log.open("a") as more:
                more.write(text(1 + self.waits))
            return self.waits == 3

    monkeypatch.setattr(follow_module, "cancelled", Cancelled())
    with pytest.raises(KeyboardInterrupt):
        follower.follow(once=False)
    assert [done.lines for done in follower.said] == [1, 1, 1]
    assert follower.rows() == [("a", 1, 1), ("a", 2, 2), ("a", 3, 3)]


def test_what_is_no_folder(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, str(tmp_path / "table"))
    with pytest.raises(PipelineFailure, match=f"^{tmp_path}/none: --follow takes folders of this machine$"):
        follow(spark, [str(tmp_path / "none")], table, Options(), 1, True, print, print)


@pytest.mark.parametrize("folder", ["", "link"])
def test_a_table_among_the_logs_is_refused(spark: SparkSession, tmp_path: Path, folder: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    table = Table(spark, str(tmp_path / "logs" / "table"))
    told = f"^{table}: is below {tmp_path / folder}, so its files would be read as logs; choose a folder"
    with pytest.raises(PipelineFailure, match=told):
        follow(spark, [str(tmp_path / folder)], table, Options(), 1, True, print, print)
    with pytest.raises(PipelineFailure, match=told):
        ingest(spark, [str(tmp_path / folder)], table, Options())
