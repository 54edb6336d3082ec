# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Ingests a folder with growing logs into a table, each line once.

Spark's own source of files reads a file when it appears, and never again. This source knows how far it has
read in each file, and offers only complete lines. A file is identified by its first line, which contains its
own time. So a renamed or copied file is the same file, and a truncated file that starts again is another one.
Compressed files are ignored, because they were read before their compression.

Spark stores the offsets of each batch before it reads the batch, and marks the batch done when it is in the
table. An interrupted batch is read again, from the same bytes, and is committed once under the same id.

A file that is rotated and deleted between two checks is not seen. LogFolder runs in Spark's Python processes:
one lists the files, others read them.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kreactor.jdk.extras import needs
from kreactor.pipeline.compression import is_compressed
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Ingested, Options, count, write
from kreactor.pipeline.lines import rows_of
from kreactor.pipeline.session import cancelled

try:
    import pyarrow as pa
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

    from kreactor.pipeline.table import Table

_COMPRESSED = (".gz", ".bz2", ".zip", ".zst", ".xz", ".lz4", ".snappy")
# A longer first line is identified by its first bytes.
_FIRST_BYTES = 4096
_CHUNK = 4 << 20
# The maximum bytes of one file in one batch.
_BATCH_BYTES = 256 << 20
# Spark gives the process that lists the files 10 s to start, and has no setting for it. A busy machine may
# need longer, so the start is repeated until this time has passed.
_START_S = 300
_NOT_STARTED = "Python worker failed to connect back"


class _Range(InputPartition):
    """Whole lines of a file: from byte ``begin`` to byte ``end``; the first line has the number ``line``."""

    def __init__(self, folder: str, key: str, begin: int, end: int, line: int) -> None:
        super().__init__(None)
        self.folder = folder
        self.key = key
        self.begin = begin
        self.end = end
        self.line = line


class LogFolder(DataSource):
    """The Spark data source of a folder: lines with file and line number."""

    @classmethod
    def name(cls) -> str:
        """Return the source's name for ``readStream.format``."""
        return "kreactor-log-folder"

    def schema(self) -> str:
        """Return the columns."""
        return "file STRING, line BIGINT, value STRING"

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """Return a reader."""
        return _Reader(self.options["path"])


class _Reader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset has, for each file by its key, the numbers of bytes and lines that were offered."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        # With availableNow: the end of each file. Without it Spark would stop after one batch.
        self._until: dict[str, int] | None = None

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._until = {key: os.path.getsize(path) for key, path in _files(self._folder).items()}

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        return {}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        offered = dict(start)
        for key, path in _files(self._folder).items():
            until = sys.maxsize if self._until is None else self._until.get(key, 0)
            position, lines = offered.get(key, (0, 0))
            if until > position:
                offered[key] = _advance(path, position, lines, until)
        return offered

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return [_Range(self._folder, key, begin, position, lines + 1)
                for key, (position, _) in end.items()
                for begin, lines in [start.get(key, [0, 0])] if position > begin]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, _Range)
        path = _files(partition.folder).get(partition.key)
        if path is None:
            raise FileNotFoundError(f"a log in {partition.folder} was deleted before it was read")
        return _batches(path, partition)


def _files(folder: str) -> dict[str, str]:
    """Return the paths of a folder's logs by their keys; for two files with the same key, the longer one."""
    found: dict[str, str] = {}
    sizes: dict[str, int] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith((".", "_")) or entry.name.endswith(_COMPRESSED) or not entry.is_file():
                continue
            try:
                with open(entry.path, "rb") as stream:
                    begin = stream.read(_FIRST_BYTES)
                size = entry.stat().st_size
            except FileNotFoundError:
                continue  # the file was rotated meanwhile
            if is_compressed(begin) or b"\n" not in begin and len(begin) < _FIRST_BYTES:
                continue
            key = hashlib.sha1(begin.partition(b"\n")[0]).hexdigest()
            if size > sizes.get(key, -1):
                found[key], sizes[key] = entry.path, size
    return found


def _advance(path: str, position: int, lines: int, until: int) -> list[int]:
    """Return the numbers of bytes and lines for one batch, up to a line end before byte ``until``."""
    reached, limit = position, position + _BATCH_BYTES
    with open(path, "rb") as stream:
        stream.seek(position)
        at = position
        while chunk := stream.read(min(_CHUNK, until - at)):
            last = chunk.rfind(b"\n")
            if last >= 0:
                reached = at + last + 1
            lines += chunk.count(b"\n")
            at += len(chunk)
            if reached >= limit:
                break
    return [reached, lines]


def _batches(path: str, part: _Range) -> Iterator[pa.RecordBatch]:
    line, at, rest = part.line, part.begin, b""
    with open(path, "rb") as stream:
        stream.seek(at)
        while at < part.end:
            chunk = stream.read(min(_CHUNK, part.end - at))
            if not chunk:
                raise OSError(f"{path}: cut off while it was read")
            at += len(chunk)
            *whole, rest = (rest + chunk).split(b"\n")
            if whole:
                # A line may be invalid UTF-8; Spark handles that.
                values = pa.array(whole, pa.binary()).view(pa.string())
                numbers = pa.array(range(line, line + len(whole)), pa.int64())
                files = pa.repeat(pa.scalar(path), len(whole))
                yield pa.RecordBatch.from_arrays([files, numbers, values], ["file", "line", "value"])
                line += len(whole)


def follow(spark: SparkSession, folder: str, table: Table, options: Options, every_s: int, once: bool,
           say: Callable[[Ingested], None]) -> None:
    """Add a folder's new lines to a table, until interrupted; with ``once``, only the lines that exist now.

    Raises PipelineFailure, and KeyboardInterrupt after ``session.cancel_work``.
    """
    if not os.path.isdir(folder):
        raise PipelineFailure(f"{folder}: --follow takes a folder of this machine")
    folder = os.path.abspath(folder)
    table.check_writable()
    name = hashlib.sha1(folder.encode()).hexdigest()[:12]
    # Spark returns an exception of foreachBatch as text, so the original is stored here.
    failed: list[Exception] = []

    def take(lines: DataFrame, batch: int) -> None:
        try:
            done = _commit_batch(lines, f"follow{name}b{batch:08d}", table, options)
        except Exception as e:
            failed.append(e)
            raise
        if done is not None:
            say(done)

    spark.dataSource.register(LogFolder)
    writer = spark.readStream.format(LogFolder.name()).load(folder).writeStream.foreachBatch(take).option(
        "checkpointLocation", table.follow_folder(name))
    writer = (writer.trigger(availableNow=True) if once
              else writer.trigger(processingTime=f"{every_s} seconds"))
    deadline = time.monotonic() + _START_S
    while True:
        query = writer.start()
        try:
            query.awaitTermination()
            if cancelled.is_set():
                raise KeyboardInterrupt
            return
        except Exception as e:
            if failed:
                raise failed[0] from None
            if _NOT_STARTED not in str(e) or time.monotonic() >= deadline:
                raise
        finally:
            if query.isActive:
                query.stop()


def _commit_batch(lines: DataFrame, id_: str, table: Table, options: Options) -> Ingested | None:
    """Commit a batch, unless it is empty or committed already."""
    if id_ in table.ids():
        return None
    started = time.monotonic()
    offered = lines.count()
    if not offered:
        return None
    files = lines.select("file").distinct().count()
    with table.staging(id_) as staged:
        write(rows_of(lines, options.broker, options.zone, options.keep_json), staged, id_)
        requests, reasons = count(lines.sparkSession, staged)
        if requests + sum(reasons.values()) != offered:
            raise PipelineFailure("a log changed while it was read; the batch is not in the table")
        table.commit(staged, id_, {"requests": requests, "quarantine": sum(reasons.values())})
    table.compact_if_many()
    return Ingested(id_, files, offered, requests, reasons, time.monotonic() - started)
