# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The table of ingest, as files. An ingest is in the table completely or not at all.

::

    DIR/requests/commit=<id>/*.parquet       a row for each request: lines.COLUMNS, ingest, date and hour
    DIR/quarantine/commit=<id>/*.parquet     a row for each other line: QUARANTINE_COLUMNS and the same
    DIR/_log/, DIR/_marks/                   the commits; see manifest.py
    DIR/_staging/<host>-<process>-<id>/      files of a writer at work

Any program that reads Parquet reads DIR/requests: no file gets there before it is committed. A writer first
writes below ``_staging``, then it commits, then it renames its folders to their places. If it dies before the
rename, kreactor reads the files where they are, and the next writer renames them. Where a rename is not
atomic, as in object stores, only kreactor sees exactly what is committed: it reads the files that the commits
name.

``compact`` writes the rows of many small files into few. Its commit removes the small files, and then the
folders are exchanged. A reader that has listed the small files before fails, and has to read again.

A writer touches its folder every minute. A writer removes the folders of others that are dead: on its own
machine by the process, on others by the time since the last touch.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Known
from kreactor.pipeline.lines import COLUMNS, QUARANTINE_COLUMNS
from kreactor.pipeline.manifest import KINDS, Conflict, Manifest, State, Taken, Unit, new_id
from kreactor.pipeline.store import Entry, check_shared, literal, store_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_STAGED = re.compile(r"(?P<host>.+)-(?P<process>\d+)-[^-]+")
_PARTS = {*KINDS, "_log", "_marks", "_staging"}

# A unit below this size is small. With more small units than this, an ingest compacts them.
SMALL_BYTES = 128 << 20
MOST_SMALL = 16

# The time between two touches of a staging folder, and the time without one after which its writer is dead.
_TOUCH_S = 60.0
_DEAD_S = 24 * 3600.0
_TOUCHED = "_alive"
# How long a reader waits until a writer has moved what it committed.
_MOVE_S = 1.0
_ATTEMPTS = 10


def host_name() -> str:
    """Return a name of this machine, or of this container, in which process ids are unique."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}.{''.join(filter(str.isdecimal, namespace))}"


class Table:
    """A table in the folder ``where``. Owner: one thread."""

    def __init__(self, spark: SparkSession, where: str) -> None:
        self._spark = spark
        self.store, at = store_of(spark, where)
        self._where = at.rstrip("/") or at
        self.manifest = Manifest(self.store, self._where)

    def __str__(self) -> str:
        return self._where

    def state(self) -> State:
        """Return what is committed now. Raises PipelineFailure."""
        return self.manifest.state()

    def exists(self) -> bool:
        """Return whether the table has a commit."""
        return bool(self.state().version)

    def check_writable(self, sources: Iterable[str]) -> None:
        """Raise PipelineFailure if the folder has other content than a table, or is below a folder of logs.

        ``sources`` are those of an ingest.
        """
        for source in sources if self.store.is_local else ():
            above = os.path.join(os.path.realpath(source), "")
            if os.path.isdir(source) and os.path.join(os.path.realpath(self._where), "").startswith(above):
                raise PipelineFailure(f"{self}: is below {source}, so its files would be read as logs; "
                                      "choose a folder elsewhere")
        if self.store.is_local and os.path.lexists(self._where) and not os.path.isdir(self._where):
            raise PipelineFailure(f"{self}: a file; --to needs a folder")
        names = {entry.name for entry in self.store.list(self._where)}
        foreign = names - _PARTS
        if foreign:
            raise PipelineFailure(f"{self}: has {min(foreign)} in it, which is no part of such a table; "
                                  "choose a folder that is new, empty or a table of requests")
        if names & {*KINDS} and "_log" not in names:
            raise PipelineFailure(f"{self}: an older kreactor made this table, and this one cannot add to "
                                  "it; ingest the logs into a new folder")

    @contextmanager
    def staging(self, id_: str) -> Iterator[str]:
        """Yield the path of a folder to make and write into. It is removed afterwards, with the one above."""
        self.tidy()
        staged = f"{self._where}/_staging/{host_name()}-{os.getpid()}-{id_}"
        try:
            self.store.write(f"{staged}/{_TOUCHED}", b"")
        except OSError as e:
            raise PipelineFailure(f"{self}: cannot be written ({e.strerror or e})") from e
        ended = threading.Event()

        def touch() -> None:
            while not ended.wait(_TOUCH_S):
                # If the folder cannot be written, the writer fails by itself.
                with suppress(Exception):
                    self.store.write(f"{staged}/{_TOUCHED}", b"")

        toucher = threading.Thread(target=touch, name="touch", daemon=True)
        toucher.start()
        try:
            check_shared(self._spark, f"{staged}/{_TOUCHED}")
            yield f"{staged}/rows"
        finally:
            ended.set()
            toucher.join()
            self.store.delete(staged)
            self._remove_empty_staging()

    def _remove_empty_staging(self) -> None:
        if self.store.is_local:
            # Only if it is empty.
            with suppress(OSError):
                os.rmdir(f"{self._where}/_staging")

    def tidy(self) -> None:
        """Finish what writers that died have left: move and delete what they committed, remove the rest."""
        folders = {kind: self.store.list(f"{self._where}/{kind}") for kind in KINDS}
        staged = self.store.list(f"{self._where}/_staging")
        # Read after the lists, so that a folder that its writer has just moved is in it.
        state = self.state()
        there = {(kind, entry.name) for kind, entries in folders.items() for entry in entries}
        for unit in state.units.values():
            if any(files and (kind, f"commit={unit.id}") not in there for kind, files in unit.files.items()):
                self._publish(unit)
        for kind, entries in folders.items():
            for entry in entries:
                if entry.name.removeprefix("commit=") not in state.units:
                    self.store.delete(f"{self._where}/{kind}/{entry.name}")
        now_s = self._now_s() if staged else 0.0
        for entry in staged:
            if self._is_dead(entry, now_s):
                self.store.delete(f"{self._where}/_staging/{entry.name}")
        if staged:
            self._remove_empty_staging()

    def _now_s(self) -> float:
        """Return the time by the clock of the store."""
        name = f"now-{new_id()}"
        path = f"{self._where}/_staging/{name}"
        self.store.write(path, b"")
        try:
            return max((entry.changed_s for entry in self.store.list(f"{self._where}/_staging")
                        if entry.name == name), default=0.0)
        finally:
            self.store.delete(path)

    def _is_dead(self, staged: Entry, now_s: float) -> bool:
        match = _STAGED.fullmatch(staged.name)
        if match and match["host"] == host_name() and not _is_alive(int(match["process"])):
            return True
        touched = [entry.changed_s for entry in self.store.list(f"{self._where}/_staging/{staged.name}")
                   if entry.name == _TOUCHED]
        return now_s - max([staged.changed_s, *touched]) > _DEAD_S

    def _publish(self, unit: Unit) -> None:
        """Move the folders of a committed unit to their places, unless they are there."""
        for kind in KINDS:
            if unit.files.get(kind):
                self.store.rename(f"{self._where}/{unit.staged}/kind={kind}",
                                  f"{self._where}/{kind}/commit={unit.id}")

    def commit(self, staged: str, id_: str, rows: Mapping[str, int], taken: Sequence[Taken] = (),
               seen: Mapping[str, str] | None = None, base: State | None = None,
               remove: Sequence[str] = ()) -> Unit:
        """Add what was written below ``staged``, as the folders ``kind=requests`` and ``kind=quarantine``.

        Returns the new unit, which another writer may have compacted meanwhile.

        ``rows`` is the number of rows by kind; ``remove``, ``taken``, ``seen`` and ``base`` are those of
        ``Manifest.commit``, which raises Conflict.
        """
        relative = staged.removeprefix(f"{self._where}/")
        files = {kind: [(entry.name, entry.size) for entry in self.store.list(f"{staged}/kind={kind}")
                        if entry.name.endswith(".parquet")] for kind in KINDS}
        for kind in KINDS:
            if rows.get(kind) and not files[kind]:
                raise PipelineFailure(f"{staged}: is gone; nothing of this ingest is in the table")
        unit = Unit(id_, relative, files, rows)
        add = [unit] if unit.count else []
        state = self.manifest.commit(id_, add, remove, taken, seen, base, bool(remove))
        for old in remove:
            for kind in KINDS:
                self.store.delete(f"{self._where}/{kind}/commit={old}")
        if id_ in state.units:
            self._publish(unit)
        return unit

    @staticmethod
    def _small(state: State) -> list[Unit]:
        return [unit for unit in state.units.values() if unit.size < SMALL_BYTES]

    def compact(self, least: int = 2) -> tuple[int, int]:
        """Write the rows of small units into one, if there are at least ``least`` of them.

        Returns the number of files before and after. Raises PipelineFailure.
        """
        id_ = new_id()
        with self.staging(id_) as staged:
            small = self._small(self.state())
            if len(small) < max(least, 2):
                return 0, 0
            rows = {}
            for kind in KINDS:
                rows[kind] = sum(unit.rows.get(kind, 0) for unit in small)
                paths = self._paths(small, kind)
                if not paths:
                    continue
                size = sum(size for unit in small for _, size in unit.files.get(kind, ()))
                parts = -(-size // SMALL_BYTES)
                read = self._spark.read.parquet(*map(literal, paths))
                read = read.repartitionByRange(parts, "time") if parts > 1 else read.coalesce(1)
                with writing(self._spark):
                    read.sortWithinPartitions("time", "file", "line").write.options(**PARQUET).parquet(
                        f"{staged}/kind={kind}")
                written = self._spark.read.parquet(literal(f"{staged}/kind={kind}")).count()
                if written != rows[kind]:
                    raise PipelineFailure(f"{self}: {rows[kind]:,} rows were to be compacted, {written:,} "
                                          "were written; the table is as before")
            before = sum(unit.count for unit in small)
            return before, self.commit(staged, id_, rows, remove=[unit.id for unit in small]).count

    def compact_if_many(self) -> None:
        """Compact the table if it has many small units, unless another writer does it at the same time."""
        if len(self._small(self.state())) > MOST_SMALL:
            with suppress(Conflict):
                self.compact(MOST_SMALL + 1)

    def known(self, state: State) -> Known:
        """Return the logs of a state."""
        return self.manifest.known(state)

    def requests(self) -> DataFrame:
        """Return the requests. Raises PipelineFailure if there is no table."""
        return self._read("requests", COLUMNS)

    def quarantine(self) -> DataFrame:
        """Return the lines that are not requests."""
        return self._read("quarantine", QUARANTINE_COLUMNS)

    def files(self, kind: str = "requests") -> list[str]:
        """Return the paths of the committed files of a kind."""
        return self._paths(self.state().units.values(), kind)

    def _paths(self, units: Iterable[Unit], kind: str) -> list[str]:
        waiting = [unit for unit in units if unit.files.get(kind)]
        paths: list[str] = []
        for attempt in range(_ATTEMPTS):
            there = {entry.name for entry in self.store.list(f"{self._where}/{kind}")}
            for unit in waiting[:]:
                names = sorted(name for name, _ in unit.files[kind])
                folder = f"{self._where}/{kind}/commit={unit.id}"
                # In an object store a folder is there as soon as one of its files is.
                if f"commit={unit.id}" in there and (self.store.is_local or {*names} <= {
                        entry.name for entry in self.store.list(folder)}):
                    waiting.remove(unit)
                elif attempt == _ATTEMPTS - 1:
                    folder = f"{self._where}/{unit.staged}/kind={kind}"
                else:
                    continue
                paths += [f"{folder}/{name}" for name in names]
            if not waiting:
                break
            # Their writer is about to move them, or has died.
            time.sleep(_MOVE_S / _ATTEMPTS)
        return paths

    def _read(self, kind: str, columns: Mapping[str, tuple[str, str]]) -> DataFrame:
        if not self.exists():
            raise PipelineFailure(f"{self}: no table of requests; kreactor pipeline ingest makes one")
        schema = ", ".join(f"`{name}` {type_name}" for name, (type_name, _) in columns.items())
        schema += ", ingest STRING, date STRING, hour INT"
        check_shared(self._spark, f"{self._where}/_log")
        paths = self.files(kind)
        if not paths:
            return self._spark.createDataFrame([], schema)
        return self._spark.read.schema(schema).parquet(*map(literal, paths))


# The bytes that a writer keeps in memory; a task has up to two writers.
_ROW_GROUP = 16 << 20
# Columns with hardly any repeated values: a dictionary for these would take a third of the write time, and
# save a twentieth of the bytes.
PLAIN_COLUMNS = frozenset(name for name, (type_name, _) in COLUMNS.items()
                          if type_name in ("double", "timestamp", "bigint") or name in (
                              "correlation_id", "connection_index", "remote_port"))
PARQUET = {"parquet.block.size": str(_ROW_GROUP)} | {
    f"parquet.enable.dictionary#{name}": "false" for name in sorted(PLAIN_COLUMNS)}
_TIMES = "spark.sql.parquet.outputTimestampType"


@contextmanager
def writing(spark: SparkSession) -> Iterator[None]:
    """Have Spark write times as microseconds with a zone, which every reader of Parquet knows."""
    before = spark.conf.get(_TIMES)
    spark.conf.set(_TIMES, "TIMESTAMP_MICROS")
    try:
        yield
    finally:
        spark.conf.set(_TIMES, before or "")


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
