# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Writes the rows of ranges of logs as Parquet, in the Python processes of Spark's tasks.

Neither lines nor rows go through the JVM: that would take most of the processor time of an ingest. The files
of logs and of the table must be where the tasks run, so this is for local ones.

A task makes at most one file of each kind. It gets to its place when the task has ended, so that an attempt
that failed leaves nothing there.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING

from kreactor.pipeline.compression import Unpacked, open_log
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.layouts import needs_order
from kreactor.pipeline.lines import LogReader
from kreactor.pipeline.manifest import KINDS
from kreactor.pipeline.ranges import RANGE_BYTES, Changed, Range, lines
from kreactor.pipeline.table import PLAIN_COLUMNS
from kreactor.pipeline.times import Times

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession

# The bytes that a task reads, about, and the bytes of the rows that it keeps until it writes them.
_TASK_BYTES = 64 << 20
_GROUP_BYTES = 32 << 20

# The bytes of a file that tell its layout.
_LAYOUT_BYTES = 64 << 10

# The numbers of rows of a log, by reason; None for requests.
Rows = Counter[str | None]


@dataclass(frozen=True, slots=True)
class _Job:
    """The values that all tasks have in common."""

    times: Times
    brokers: Mapping[str, str]
    keep_json: bool
    staged: str
    id: str


@dataclass(slots=True)
class _Done:
    """The rows of a log that a task has written.

    ``changed`` is whether the log has changed, ``repeats`` whether it has a time that the clocks repeat.
    """

    rows: Rows
    changed: bool = False
    repeats: bool = False


def write_rows(spark: SparkSession, ranges: Sequence[Range], brokers: Mapping[str, str], times: Times,
               keep_json: bool, staged: str, id_: str) -> tuple[dict[str, Rows], set[str]]:
    """Write the rows of ranges below ``staged``, by kind.

    ``brokers`` has the broker of each log, and ``id_`` is that of the ingest. Returns the numbers of written
    rows by log, and the logs that have changed since they were looked at.
    """
    # A task may run in another folder.
    job = _Job(times, brokers, keep_json, os.path.abspath(staged), id_)
    by_log: dict[str, list[Range]] = {}
    for part in ranges:
        by_log.setdefault(part.name, []).append(replace(part, path=os.path.abspath(part.path)))
    ordered = {name for name, parts in by_log.items()
               if len(parts) > 1 and needs_order(begin_of(partial(open_log, parts[0].path)), times)}
    done = _run(spark, by_log, ordered, job)
    repeated = {name for name, each in done if each.repeats and len(by_log[name]) > 1} - ordered
    if repeated:
        # In the hour that comes twice, the order of all lines counts.
        done = _run(spark, by_log, ordered | repeated, job)
    counted: dict[str, Rows] = {}
    for name, each in done:
        counted.setdefault(name, Counter()).update(each.rows)
    return counted, {name for name, each in done if each.changed}


def begin_of(open_file: Callable[[], Unpacked]) -> bytes:
    """Return the begin of a file, which tells its layout; nothing if it cannot be read any more."""
    try:
        with open_file() as source:
            return source.read(_LAYOUT_BYTES)
    except (OSError, PipelineFailure):
        return b""


def _run(spark: SparkSession, by_log: Mapping[str, list[Range]], ordered: set[str],
         job: _Job) -> list[tuple[str, _Done]]:
    """Write the rows of logs, those of ``ordered`` by one task each. Returns the results of the tasks."""
    for folder in (_unfinished(job), *(f"{job.staged}/kind={kind}" for kind in KINDS)):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    tasks = _tasks([unit for name, parts in by_log.items()
                    for unit in ([parts] if name in ordered else [[part] for part in parts])],
                   spark.sparkContext.defaultParallelism)
    found: list[tuple[str, _Done]] = spark.sparkContext.parallelize(tasks, len(tasks)).mapPartitionsWithIndex(
        partial(_write, job=job)).collect()
    shutil.rmtree(_unfinished(job), ignore_errors=True)
    return found


def _unfinished(job: _Job) -> str:
    return f"{job.staged}-unfinished"


def _tasks(units: Sequence[Sequence[Range]], cores: int) -> list[list[Range]]:
    """Return the ranges of each task. Neighbours stay together, and so do the ranges of a unit."""
    sizes = [sum(part.end - part.begin for part in unit) for unit in units]
    whole = max(sum(sizes), 1)
    count = max(-(-whole // _TASK_BYTES), min(cores, -(-whole // RANGE_BYTES)))
    tasks: dict[int, list[Range]] = {}
    at = 0
    for unit, size in zip(units, sizes, strict=True):
        # The task in whose share the middle of the unit is.
        tasks.setdefault((2 * at + size) * count // (2 * whole + 1), []).extend(unit)
        at += size
    return [*tasks.values()]


def _write(number: int, tasks: Iterator[list[Range]], job: _Job) -> Iterator[tuple[str, _Done]]:
    """Write the rows of a task's ranges. Yields the results by log."""
    found: dict[str, _Done] = {}
    files = _Files(job, number)
    try:
        for name, parts in groupby(chain.from_iterable(tasks), lambda part: part.name):
            done = found.setdefault(name, _Done(Counter()))
            reader, at = LogReader(job.times, job.brokers[name], job.keep_json), 0
            for part in parts:
                if part.line != at:
                    done.rows.update(files.add(reader.finish()))
                at = part.line
                try:
                    for numbers, values in lines(part):
                        at += len(values)
                        done.rows.update(files.add(reader.read(name, numbers, values)))
                except Changed:
                    done.changed = True
            done.rows.update(files.add(reader.finish()))
            done.repeats |= reader.repeats
        files.finish()
    except BaseException:
        files.discard()
        raise
    yield from found.items()


class _Files:
    """The files of a task, one for each kind that has rows. Owner: one thread."""

    def __init__(self, job: _Job, number: int) -> None:
        self._job = job
        self._name = f"part-{number:05}-{job.id}.parquet"
        # Another attempt of this task may run at the same time.
        self._attempt = f"{_unfinished(job)}/{uuid.uuid4().hex}"
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._waiting: dict[str, list[pa.RecordBatch]] = {kind: [] for kind in KINDS}

    def add(self, batches: Iterable[pa.RecordBatch]) -> Rows:
        """Add rows. Returns their numbers by reason."""
        rows: Rows = Counter()
        for batch in batches:
            reasons = batch["reason"]
            others = len(reasons) - reasons.null_count
            rows[None] += reasons.null_count
            if others:
                for each in reasons.drop_null().value_counts().to_pylist():
                    rows[each["values"]] += each["counts"]
                self._add("quarantine", batch.filter(reasons.is_valid()))
            if reasons.null_count:
                self._add("requests", batch.filter(reasons.is_null()) if others else batch)
        return rows

    def _add(self, kind: str, batch: pa.RecordBatch) -> None:
        waiting = self._waiting[kind]
        waiting.append(batch)
        if sum(each.nbytes for each in waiting) >= _GROUP_BYTES:
            self._flush(kind)

    def _flush(self, kind: str) -> None:
        """Write the waiting rows as one row group."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        table = pa.Table.from_batches(self._waiting[kind])
        self._waiting[kind].clear()
        time = table["time"]
        for name, values in (
                ("ingest", pa.repeat(pa.scalar(self._job.id), len(table))),
                ("date", time.cast(pa.date32()).cast(pa.string())),
                ("hour", pc.fill_null(pc.hour(time), 0).cast(pa.int32()))):
            table = table.append_column(name, values)
        if kind not in self._writers:
            self._writers[kind] = pq.ParquetWriter(
                f"{self._attempt}-{kind}", table.schema, compression="zstd",
                use_dictionary=[leaf for field in table.schema if field.name not in PLAIN_COLUMNS
                                for leaf in _leaves(field.name, field.type)])
        self._writers[kind].write_table(table, row_group_size=len(table))

    def finish(self) -> None:
        """Write the waiting rows, and put the files into their places."""
        for kind, waiting in self._waiting.items():
            if waiting:
                self._flush(kind)
        for kind, writer in self._writers.items():
            writer.close()
            os.replace(f"{self._attempt}-{kind}", f"{self._job.staged}/kind={kind}/{self._name}")

    def discard(self) -> None:
        """Remove what was written."""
        for kind, writer in self._writers.items():
            with suppress(OSError):
                writer.close()
            with suppress(OSError):
                os.unlink(f"{self._attempt}-{kind}")


def _leaves(path: str, type_: pa.DataType) -> list[str]:
    """Return the columns of Parquet that a column of Arrow becomes."""
    import pyarrow as pa

    if pa.types.is_list(type_):
        return _leaves(f"{path}.list.element", type_.value_type)
    if pa.types.is_struct(type_):
        return [leaf for field in type_ for leaf in _leaves(f"{path}.{field.name}", field.type)]
    return [path]
