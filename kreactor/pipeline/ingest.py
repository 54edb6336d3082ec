# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ingests what is new of logs into a table.

First, Python reads each file to its end. So it knows by the content which lines are new, how many there are
(see identity.py), and where ranges of them begin (see ranges.py). The tasks of Spark read these ranges, parse
the lines, write requests and other lines, each below its own folder, and count them (see row_files.py). A
file that changed meanwhile is refused. The rows of refused files are left out. With Spark Connect, each file
is copied into the writer's folder first.

Where only Hadoop reaches the table, or a log, Spark reads and writes the files itself. The new part of a file
that Spark does not read, and standard input, are copied into the writer's folder in the table, as pieces that
are read side by side. Spark reads files in splits, and tells only the split of a line. A first pass, which
reads only line ends, counts the lines of each split. The second pass parses the lines. Then the rows of each
file are counted: if they are not as many as scanned, the file changed.

If another ingest has committed one of the same logs meanwhile, all begins anew, with what is new then.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

import crc32c

from kreactor.pipeline.compression import Unpacked
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Known, Scanned, scan
from kreactor.pipeline.lines import must_be_in_order, rows_of
from kreactor.pipeline.manifest import Conflict, State, Taken, new_id
from kreactor.pipeline.ranges import Range, Watched, end_before_part, may_lack_part, ranges_of
from kreactor.pipeline.row_files import begin_of, write_rows
from kreactor.pipeline.session import cancelled, is_remote
from kreactor.pipeline.sources import LocalFile, LogFile, Sources, head_of, told
from kreactor.pipeline.store import literal
from kreactor.pipeline.table import PARQUET, Table, writing
from kreactor.pipeline.times import Times

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# The bytes of a piece, before its compression.
_PIECE_BYTES = 64 << 20
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """Options for parsing lines: ``zone``, ``day`` and ``pattern`` are those of ``times.Times``.

    ``broker_from`` finds the broker's name in the path of a file. ``broker`` is the name for other files.
    """

    broker: str = ""
    zone: str = "UTC"
    keep_json: bool = False
    day: str = ""
    pattern: str = ""
    broker_from: re.Pattern[str] | None = None

    def times(self) -> Times:
        """Return the reader of times. Raises PipelineFailure for a wrong option."""
        return Times(self.zone, self.day, self.pattern)

    def broker_of(self, path: str) -> str:
        """Return the name of the broker whose log is ``path``. Raises PipelineFailure if none is known."""
        if self.broker_from is None:
            return self.broker
        found = self.broker_from.search(path)
        # A pattern without a group matches the name itself.
        name = (found["broker"] if "broker" in self.broker_from.groupindex
                else found[self.broker_from.groups]) if found else None
        if not name and not self.broker:
            raise PipelineFailure(f"{path}: --broker-from {self.broker_from.pattern} finds no broker in this "
                                  "path; give --broker NAME for such files")
        return name or self.broker


@dataclass(frozen=True, slots=True)
class TakenFile:
    """A file of which an ingest took ``lines`` lines, after ``before`` ones that were known."""

    name: str
    before: int
    lines: int


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result of an ingest.

    ``lines`` was counted before the write, ``requests`` and ``reasons`` after it. ``known`` has the files
    without new lines, ``refused`` a sentence for each file or source that was not taken, and ``unfinished``
    the files whose last line has no end yet and is left for the next ingest.
    """

    id: str
    files: int
    lines: int
    requests: int
    reasons: dict[str, int]
    seconds: float
    taken: Sequence[TakenFile] = ()
    known: Sequence[str] = ()
    refused: Sequence[str] = ()
    unfinished: Sequence[str] = ()

    @property
    def quarantined(self) -> int:
        """The number of lines that are not requests."""
        return sum(self.reasons.values())


def check_pattern(regex: str) -> re.Pattern[str]:
    """Return the pattern of --broker-from. Raises PipelineFailure if it is none, or has too many groups."""
    try:
        compiled = re.compile(regex)
    except re.error as e:
        raise PipelineFailure(f"--broker-from {regex}: not a regular expression: {e}") from None
    if compiled.groups > 1 and "broker" not in compiled.groupindex:
        raise PipelineFailure(f"--broker-from {regex}: has {compiled.groups} groups; "
                              "write the one with the broker's name as (?P<broker>...)")
    return compiled


@dataclass(slots=True)
class _Plan:
    """The files that an ingest will take, and why it will not take the others.

    ``files`` has for each file the ranges that tasks read, none if it is to be copied for them. ``seen`` has
    the stamp and the log's digest. ``directly`` is whether tasks read and write without the JVM.
    """

    directly: bool
    files: list[tuple[LogFile, Scanned, Sequence[Range]]] = field(default_factory=list)
    known: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    empty: int = 0
    seen: dict[str, tuple[str, str]] = field(default_factory=dict)


def ingest(spark: SparkSession, sources: Sequence[str], table: Table, options: Options,
           max_quarantine: float | None = None) -> Ingested:
    """Add what is new in files, globs and folders to a table; ``-`` is standard input.

    A new file without a request is refused, and so is a file of whose new lines more than the share
    ``max_quarantine`` are not requests. Raises PipelineFailure if nothing at all can be taken into the table,
    and KeyboardInterrupt after ``session.cancel_work``.
    """
    started = time.monotonic()
    # An earlier ingest of this session may have been cancelled.
    cancelled.clear()
    # Before any file is read.
    options.times()
    table.check_writable(sources)
    with Sources(spark, sources) as given:
        while True:
            state = table.state()
            plan = _plan(given, table.known(state), state, options, table.store.is_local)
            try:
                return _take(spark, table, options, max_quarantine, plan, state, started)
            except Conflict:
                # Another ingest has taken some of it.
                continue


def _plan(given: Sources, known: Known, state: State, options: Options, to_local: bool) -> _Plan:
    """Scan the files."""
    found = given.find()
    # A client of Spark Connect has no way to start tasks of its own.
    directly = to_local and not is_remote() and all(file.is_local for file in found.files)
    plan = _Plan(directly, refused=list(found.refused))
    for file in found.files:
        if file.seen and state.seen.get(file.seen) == file.stamp:
            plan.known.append(file.name)
            continue
        try:
            options.broker_of(file.name)
            with file.open() as source:
                end = None
                if isinstance(file, LocalFile) and source.format is None and may_lack_part(file.modified):
                    end = end_before_part(source, file.size)
                lacks_part = end is not None
                watched = Watched(source, cancelled, end=end)
                scanned = scan(watched, known)
                ranges: Sequence[Range] = ()
                if isinstance(file, LocalFile) and plan.directly:
                    ranges = tuple(ranges_of(file.name, scanned, () if source.format else watched.ends))
                # A server of Spark Connect may see another file under this name.
                elif not (is_remote() or scanned.before) and file.is_readable_by_spark(source.format):
                    ranges = tuple(ranges_of(file.name, scanned, ()))
        except PipelineFailure as e:
            plan.refused.append(str(e))
            continue
        except OSError as e:
            plan.refused.append(told(file.name, e))
            continue
        if scanned.rest or lacks_part:
            plan.unfinished.append(file.name)
        if not scanned.is_known:
            known.add(scanned.log, scanned.continues, scanned.marks)
            plan.files.append((file, scanned, ranges))
        elif scanned.continues is not None:
            plan.known.append(file.name)
        else:
            plan.empty += 1
        # The next ingest looks again at a file whose last line lacks a part.
        if file.seen and not lacks_part:
            digest = scanned.continues if scanned.is_known else scanned.log
            plan.seen[file.seen] = file.stamp, "" if digest is None else digest.digest
    return plan


def _take(spark: SparkSession, table: Table, options: Options, max_quarantine: float | None, plan: _Plan,
          state: State, started: float) -> Ingested:
    """Write and commit what a plan says. Raises Conflict."""
    id_ = new_id()
    requests, reasons = 0, dict[str, int]()
    taken: list[tuple[LogFile, Scanned]] = []
    # The names of refused files, by the digest of their logs.
    refused: dict[str, str] = {}
    with table.staging(id_) as staged:
        if plan.files:
            heads = {file.name: head_of(file) for file, _, ranges in plan.files
                     if ranges and not plan.directly}
            counted = _write_files(spark, table, plan, options, staged, id_)
            for file, scanned, _ in plan.files:
                rows = counted.get(file.name, {})
                why = _refusal(file, scanned, rows, max_quarantine)
                if why is None and file.name in heads and not file.is_unchanged(heads[file.name]):
                    why = _changed(file)
                if why is None and scanned.continues is not None and scanned.continues.digest in refused:
                    why = (f"{file.name}: goes on where {refused[scanned.continues.digest]} ends, which "
                           "is not taken")
                if why is None:
                    taken.append((file, scanned))
                    requests += rows.get(None, 0)
                    for reason, lines in rows.items():
                        if reason is not None:
                            reasons[reason] = reasons.get(reason, 0) + lines
                else:
                    refused[scanned.log.digest] = file.name
                    plan.refused.append(why)
            if refused:
                if taken:
                    _write_without(spark, staged, refused.values(), f"{staged}-kept")
                staged += "-kept"
        seen = {name: stamp for name, (stamp, digest) in plan.seen.items() if digest not in refused}
        if taken or seen:
            table.commit(staged, id_, {"requests": requests, "quarantine": sum(reasons.values())},
                         [Taken(scanned) for _, scanned in taken], seen, state)
    if taken:
        table.compact_if_many()
    files = sorted((TakenFile(file.name, scanned.before, scanned.new_lines) for file, scanned in taken),
                   key=lambda file: file.name)
    return Ingested(id_, len(files) + plan.empty, sum(file.lines for file in files), requests,
                    dict(sorted(reasons.items())), time.monotonic() - started, files, sorted(plan.known),
                    sorted(plan.refused), sorted(plan.unfinished))


def _write_files(spark: SparkSession, table: Table, plan: _Plan, options: Options, staged: str,
                 id_: str) -> Mapping[str, Mapping[str | None, int]]:
    """Write the rows of a plan's files, and return their numbers by file and reason; None for a request."""
    parts: list[Range] = []
    for number, (file, scanned, ranges) in enumerate(plan.files):
        if ranges:
            parts += ranges
            continue
        try:
            parts += _copy(table, file, scanned, f"{staged}-input/{number}")
        except (OSError, PipelineFailure):
            # The file was readable before. Its rows will be too few.
            continue
    if not parts:
        return {}
    brokers = {part.name: options.broker_of(part.name) for part in parts}
    if plan.directly:
        counted, changed = write_rows(
            spark, parts, brokers, options.times(), options.keep_json, staged, id_)
        return {name: rows for name, rows in counted.items() if name not in changed}
    write_lines(_number(spark, parts), brokers, (file.open for file, _, _ in plan.files), options, staged,
                id_)
    return _count_by_file(spark, staged)


def _copy(table: Table, file: LogFile, scanned: Scanned, folder: str) -> list[Range]:
    """Copy the new lines of a file into the table's staging, for Spark. Raises OSError and
    PipelineFailure."""
    import pyarrow as pa

    parts: list[Range] = []
    first, left = scanned.before + 1, scanned.log.length - scanned.begin
    with file.open() as source:
        source.skip(scanned.begin)
        piece = bytearray()
        while left > 0 or piece:
            if cancelled.is_set():
                raise KeyboardInterrupt
            data = source.read(min(_CHUNK, left)) if left > 0 else b""
            left -= len(data)
            piece += data
            if data and left > 0 and len(piece) < _PIECE_BYTES:
                continue
            # The last line may have no end.
            end = piece.rfind(b"\n") + 1 if data and left > 0 else len(piece)
            if not end:
                if not data:
                    break
                continue
            lines = piece.count(b"\n", 0, end) + (piece[end - 1] != ord("\n"))
            path = f"{folder}-{len(parts)}.log.zst"
            data_ = bytes(piece[:end])
            table.store.write(path, pa.compress(data_, "zstd", asbytes=True))
            parts.append(Range(path, file.name, 0, end, first, lines, 0, crc32c.crc32c(data_)))
            first += lines
            del piece[:end]
            if not data:
                break
    return parts


def _refusal(file: LogFile, scanned: Scanned, rows: Mapping[str | None, int],
             max_quarantine: float | None) -> str | None:
    """Return why a file is not taken; None if it is."""
    lines, requests = sum(rows.values()), rows.get(None, 0)
    if lines != scanned.new_lines:
        return _changed(file)
    reasons = {reason: lines for reason, lines in rows.items() if reason is not None}
    if not requests and not scanned.before:
        return f"{file.name}: {no_requests(reasons)}"
    others = lines - requests
    if max_quarantine is not None and others > max_quarantine * lines:
        return (f"{file.name}: {others:,} of {lines:,} new lines are not requests, more than the share "
                f"{max_quarantine:g} ({_counts(reasons)})")
    return None


def _changed(file: LogFile) -> str:
    return f"{file.name}: changed while it was read; the next ingest takes it"


def no_requests(reasons: Mapping[str, int]) -> str:
    """Return the sentence for a log without a request, with the reasons and their counts."""
    return f"no line is a request ({_counts(reasons) or 'no lines'}); nothing of it is in the table"


def _counts(reasons: Mapping[str, int]) -> str:
    return "; ".join(f"{count:,}: {reason}" for reason, count in sorted(
        reasons.items(), key=lambda counted: (-counted[1], counted[0])))


def _number(spark: SparkSession, parts: Sequence[Range]) -> DataFrame:
    """Return the lines of files with the log's name and their numbers there."""
    from pyspark.sql import functions as f

    raw = spark.read.option("lineSep", "\n").text([literal(part.path) for part in parts])
    # The file, its split, and a number that grows by one within each split.
    placed = raw.select(
        f.col("_metadata.file_path").alias("path"), f.col("_metadata.file_block_start").alias("start"),
        f.monotonically_increasing_id().alias("id"), "value")
    splits = placed.groupBy("path", "start").agg(
        f.count("*").alias("lines"), f.min("id").alias("first")).collect()
    splits.sort(key=lambda split: (split["path"], split["start"]))
    part_of = {os.path.abspath(part.path) if "://" not in part.path else part.path: part for part in parts}
    rows: list[tuple[str, int, str, int, int]] = []
    path, before = "", 0
    for split in splits:
        if split["path"] != path:
            path, before = split["path"], 0
        part = part_of[_name(path)]
        rows.append((path, split["start"], part.name, part.line + before - split["first"],
                     part.line + part.count))
        before += split["lines"]
    shifts = spark.createDataFrame(rows, "path STRING, start BIGINT, file STRING, shift BIGINT, end BIGINT")
    # A file may have grown since it was scanned.
    return placed.join(f.broadcast(shifts), ["path", "start"]).select(
        "file", (f.col("id") + f.col("shift")).alias("line"), "value", "end").where("line < end").drop("end")


def _name(path: str) -> str:
    """Return a path of Spark in the form for users."""
    local = re.match("file:/+", path)
    return unquote("/" + path[local.end():]) if local else unquote(path)


def write_lines(lines: DataFrame, brokers: Mapping[str, str], files: Iterable[Callable[[], Unpacked]],
                options: Options, staged: str, id_: str) -> None:
    """Write the rows of lines below ``staged``, by kind.

    ``lines`` has file, line and value, and ``brokers`` the broker of each file. ``files`` open the files, and
    ``id_`` is that of the ingest.
    """
    times = options.times()
    in_order = must_be_in_order(lines, map(begin_of, files), times)
    rows = rows_of(lines, times, options.broker, options.keep_json, in_order)
    _write(_with_brokers(rows, brokers), staged, id_)


def _with_brokers(rows: DataFrame, brokers: Mapping[str, str]) -> DataFrame:
    """Return rows of the table with the broker of each file, by the file's name."""
    from pyspark.sql import functions as f

    if len({*brokers.values()}) == 1:
        return rows.withColumn("broker", f.lit(next(iter(brokers.values()))))
    named = rows.sparkSession.createDataFrame(list(brokers.items()), "file STRING, broker STRING")
    return rows.drop("broker").join(f.broadcast(named), "file")


def _write(rows: DataFrame, staged: str, id_: str) -> None:
    from pyspark.sql import functions as f

    time_ = f.col("time")
    with writing(rows.sparkSession):
        rows.withColumns({
            "kind": f.when(f.col("reason").isNull(), "requests").otherwise("quarantine"),
            "ingest": f.lit(id_), "date": time_.cast("date").cast("string"),
            "hour": f.coalesce(f.hour(time_), f.lit(0)),
        }).write.partitionBy("kind").options(**PARQUET).parquet(staged)


def _write_without(spark: SparkSession, staged: str, names: Iterable[str], to: str) -> None:
    """Write the rows below ``staged`` without those of some files."""
    left_out = spark.createDataFrame([(name,) for name in names], "file STRING")
    rows = spark.read.parquet(literal(staged))
    with writing(spark):
        rows.join(left_out, "file", "left_anti").write.partitionBy("kind").options(**PARQUET).parquet(to)


def _count_by_file(spark: SparkSession, staged: str) -> dict[str, dict[str | None, int]]:
    from pyspark.sql import functions as f

    rows = spark.read.schema("file STRING, reason STRING, kind STRING").parquet(literal(staged))
    counted: dict[str, dict[str | None, int]] = {}
    for row in rows.groupBy("file", "reason").agg(f.count("*").alias("count")).collect():
        counted.setdefault(row["file"], {})[row["reason"]] = row["count"]
    return counted


def count(spark: SparkSession, staged: str) -> tuple[int, dict[str, int]]:
    """Return the number of written requests, and the number of other lines by reason."""
    return counts(_count_by_file(spark, staged))


def counts(counted: Mapping[str, Mapping[str | None, int]]) -> tuple[int, dict[str, int]]:
    """Return the number of requests, and the number of other lines by reason, from those of each log."""
    requests, reasons = 0, dict[str, int]()
    for rows in counted.values():
        requests += rows.get(None, 0)
        for reason, lines in rows.items():
            if reason is not None:
                reasons[reason] = reasons.get(reason, 0) + lines
    return requests, dict(sorted(reasons.items()))
