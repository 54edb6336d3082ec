# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads ranges of logs, in the Python processes of Spark's tasks.

A range has the CRC32C of all bytes up to its begin and up to its end. So a task reads exactly the lines that
a look has found, or raises OSError with the text CHANGED.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

import crc32c

from kreactor.jdk.extras import needs
from kreactor.pipeline.compression import Unpacked, open_log
from kreactor.pipeline.failures import PipelineFailure

try:
    import pyarrow as pa
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHANGED = "the log changed before it was read"

_CHUNK = 4 << 20


@dataclass(frozen=True, slots=True)
class Range:
    """Whole lines of a log, from byte ``begin`` to byte ``end`` of its unpacked content.

    The first line has the number ``line``. ``crc`` is the CRC32C of all bytes before ``begin``, and
    ``end_crc`` that of all bytes before ``end``.
    """

    path: str
    begin: int
    end: int
    line: int
    crc: int
    end_crc: int


def lines_of(spark: SparkSession, ranges: Sequence[Range]) -> DataFrame:
    """Return the lines of ranges with file and line number."""
    rows = spark.createDataFrame(
        [astuple(part) for part in ranges],
        "path STRING, begin BIGINT, end BIGINT, line BIGINT, crc BIGINT, end_crc BIGINT")
    return rows.mapInArrow(read, "file STRING, line BIGINT, value STRING")


def read(ranges: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of ranges. Raises OSError with CHANGED if a file has changed or is gone."""
    for batch in ranges:
        for row in batch.to_pylist():
            part = Range(**row)
            try:
                yield from _lines(part)
            except (OSError, PipelineFailure) as e:
                raise OSError(f"{CHANGED}: {part.path}: {e}") from e


def _lines(part: Range) -> Iterator[pa.RecordBatch]:
    line, crc, left, rest = part.line, part.crc, part.end - part.begin, b""
    with _open(part) as source:
        while left:
            chunk = source.read(min(_CHUNK, left))
            if not chunk:
                break
            left -= len(chunk)
            crc = crc32c.crc32c(chunk, crc)
            *whole, rest = (rest + chunk).split(b"\n")
            if rest and not left:
                # The last line has no line feed.
                whole.append(rest)
            if whole:
                # A line may be invalid UTF-8; Spark handles that.
                values = pa.array(whole, pa.binary()).view(pa.string())
                numbers = pa.array(range(line, line + len(whole)), pa.int64())
                files = pa.repeat(pa.scalar(part.path), len(whole))
                yield pa.RecordBatch.from_arrays([files, numbers, values], ["file", "line", "value"])
                line += len(whole)
    if left or crc != part.end_crc:
        raise OSError("it has other content now")


def _open(part: Range) -> Unpacked:
    """Open the content of a log at the begin of a range."""
    source = open_log(part.path)
    try:
        if source.format is None:
            source.seek(part.begin)
        else:
            source.skip(part.begin)
        return source
    except BaseException:
        source.close()
        raise
