# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ingests logs into a table.

Spark reads files in splits, and tells only the split of a line. A first pass, which reads only line ends,
counts the lines of each split. The lines before a split give the numbers of its lines, and the sum is the
number that the second pass must reach. The second pass parses the lines and writes requests and other lines,
each below its own folder.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from kreactor.pipeline.compression import HEAD_BYTES, refusal
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.lines import COLUMNS, rows_of
from kreactor.pipeline.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Options:
    """Options for parsing lines: ``zone`` is the time zone of times without a zone."""

    broker: str = ""
    zone: str = "UTC"
    keep_json: bool = False


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result of an ingest. ``lines`` was counted by the first pass, the other numbers after the write."""

    id: str
    files: int
    lines: int
    requests: int
    reasons: dict[str, int]
    seconds: float

    @property
    def quarantined(self) -> int:
        """The number of lines that are not requests."""
        return sum(self.reasons.values())


def check_zone(zone: str) -> str:
    """Return the name of a time zone. Raises PipelineFailure for an unknown name."""
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        raise PipelineFailure(f"--zone {zone}: unknown time zone; use Europe/Berlin, or UTC") from None
    return zone


def new_id() -> str:
    """Return a unique id that sorts by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}{uuid.uuid4().hex[:8]}"


def ingest(spark: SparkSession, sources: Sequence[str], table: Table, options: Options) -> Ingested:
    """Add the content of files, globs and folders to a table. Raises PipelineFailure."""
    started = time.monotonic()
    table.check_writable()
    raw = _text(spark, sources)
    files = {file: (size, modified) for file, size, modified in _files(raw)}
    if not files:
        raise PipelineFailure(f"{', '.join(sources)}: no files in it")
    _refuse_known(table, files)
    for file in files:
        refused = refusal(file, _head(spark, file))
        if refused:
            raise PipelineFailure(refused)

    numbered, lines = _number(spark, raw)
    id_ = new_id()
    with table.staging(id_) as staged:
        write(rows_of(numbered, options.broker, options.zone, options.keep_json), staged)
        requests, reasons = count(spark, staged)
        if requests + sum(reasons.values()) != lines:
            raise PipelineFailure(
                f"{lines:,} lines were counted, {requests + sum(reasons.values()):,} were written: the files "
                "changed while they were read; nothing of this ingest is in the table")
        if not requests and any(size for size, _ in files.values()):
            raise PipelineFailure(no_requests(reasons))
        table.commit(staged, id_, {
            "files": files, "lines": lines, "requests": requests, "reasons": reasons,
            "broker": options.broker, "zone": options.zone, "keep_json": options.keep_json})
    return Ingested(id_, len(files), lines, requests, reasons, time.monotonic() - started)


def _text(spark: SparkSession, sources: Sequence[str]) -> DataFrame:
    """Return the lines of files; a line ends with a line feed, as in other tools that number lines."""
    return spark.read.option("lineSep", "\n").option("recursiveFileLookup", "true").text(list(sources))


def _files(raw: DataFrame) -> list[tuple[str, int, str]]:
    """Return the path, size and time of the files, without reading them."""
    # Spark has listed the files already; a query by DataFrames would read every line.
    relation = raw._jdf.queryExecution().analyzed().collectLeaves().head().relation()
    files = relation.location().allFiles()
    return [(file.getPath().toUri().getPath() if file.getPath().toUri().getScheme() == "file"
             else file.getPath().toString(), file.getLen(), str(file.getModificationTime()))
            for file in (files.apply(i) for i in range(files.size()))]


def _head(spark: SparkSession, file: str) -> bytes:
    """Return the first bytes of a file. Raises PipelineFailure."""
    if "://" not in file:
        try:
            with open(file, "rb") as stream:
                return stream.read(HEAD_BYTES)
        except OSError as e:
            raise PipelineFailure(f"{file}: {e.strerror}") from e
    jvm: Any = spark.sparkContext._jvm
    path = jvm.org.apache.hadoop.fs.Path(file)
    opened = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).open(path)
    try:
        return bytes(opened.readNBytes(HEAD_BYTES))
    finally:
        opened.close()


def no_requests(reasons: Mapping[str, int]) -> str:
    """Return the sentence for an ingest without a request, with the reasons and their counts."""
    told = "; ".join(f"{count:,}: {reason}" for reason, count in sorted(
        reasons.items(), key=lambda counted: -counted[1]))
    return f"no line is a request ({told or 'no lines'}); nothing of this ingest is in the table"


def _refuse_known(table: Table, files: dict[str, tuple[int, str]]) -> None:
    for id_, record in table.records().items():
        known: dict[str, Any] = record.get("files", {})
        for file, facts in files.items():
            if known.get(file) == list(facts):
                raise PipelineFailure(f"{file}: is in {table} already, by ingest {id_}")


def _number(spark: SparkSession, raw: DataFrame) -> tuple[DataFrame, int]:
    """Return the lines with file and number, and their total number."""
    from pyspark.sql import functions as f

    # The file, its split, and a number that grows by one within each split.
    placed = raw.select(
        f.col("_metadata.file_path").alias("path"), f.col("_metadata.file_block_start").alias("start"),
        f.monotonically_increasing_id().alias("id"), "value")
    splits = placed.groupBy("path", "start").agg(
        f.count("*").alias("lines"), f.min("id").alias("first")).collect()
    splits.sort(key=lambda split: (split["path"], split["start"]))
    rows: list[tuple[str, int, str, int]] = []
    path, before = "", 0
    for split in splits:
        if split["path"] != path:
            path, before = split["path"], 0
        rows.append((path, split["start"], _name(path), before + 1 - split["first"]))
        before += split["lines"]
    shifts = spark.createDataFrame(rows, "path STRING, start BIGINT, file STRING, shift BIGINT")
    numbered = placed.join(f.broadcast(shifts), ["path", "start"]).select(
        "file", (f.col("id") + f.col("shift")).alias("line"), "value")
    return numbered, sum(split["lines"] for split in splits)


def _name(path: str) -> str:
    """Return a path of Spark in the form for users."""
    local = re.match("file:/+", path)
    return unquote("/" + path[local.end():]) if local else path


def write(rows: DataFrame, staged: str) -> None:
    """Write rows below ``staged``, by kind, date and hour."""
    from pyspark.sql import functions as f

    time_ = f.col("time")
    rows.withColumns({
        "kind": f.when(f.col("reason").isNull(), "requests").otherwise("quarantine"),
        "date": time_.cast("date"),
        "hour": f.coalesce(f.hour(time_), f.lit(0)),
    }).write.partitionBy("kind", "date", "hour").option("parquet.block.size", _ROW_GROUP).options(
        **_PLAIN).parquet(staged)


# The bytes that a writer keeps in memory; a task has up to eight writers.
_ROW_GROUP = 16 << 20
# Columns with hardly any repeated values: a dictionary for these would take a third of the write time, and
# save a twentieth of the bytes.
_PLAIN = {f"parquet.enable.dictionary#{name}": "false" for name, (type_name, _) in COLUMNS.items()
          if type_name in ("double", "timestamp", "bigint") or name in (
              "correlation_id", "connection_index", "remote_port")}


def count(spark: SparkSession, staged: str) -> tuple[int, dict[str, int]]:
    """Return the number of written requests, and the number of other lines by reason."""
    from pyspark.sql import functions as f

    rows = spark.read.schema("reason STRING, kind STRING").parquet(staged)
    counted = {row["reason"]: row["count"] for row in rows.groupBy("reason").agg(
        f.count("*").alias("count")).collect()}
    return counted.pop(None, 0), dict(sorted(counted.items()))
