# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads ranges of logs, in the Python processes of Spark's tasks.

A range has the CRC32C of all bytes up to its begin and up to its end. So a task reads exactly the lines that
a look has found, or raises Changed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, BinaryIO

import crc32c

from kreactor.jdk.extras import needs
from kreactor.pipeline.compression import Unpacked, open_log
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Scanned, Source
from kreactor.pipeline.layouts import end_of_whole, is_part

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as e:
    raise ImportError(needs(__name__, "spark")) from e

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CHANGED = "the log changed before it was read"

_CHUNK = 8 << 20
# The bytes of a range, after which it ends with a line. A task reads one range after another.
RANGE_BYTES = 8 << 20
# The bytes before the end of the last look that are compared before a file is read on.
_TAIL_BYTES = 4096
# The bytes at the end of a log in which the parts of its last line are looked for, at first and at most.
_FEW_PARTS_BYTES = 64 << 10
_MOST_PARTS_BYTES = 4 << 20
# The time that the last part of a line may take after the part before.
_PART_S = 60.0


class Changed(OSError):
    """A log changed before it was read. Spark's message has the text CHANGED."""


@dataclass(frozen=True, slots=True)
class Range:
    """Whole lines of a log, from byte ``begin`` to byte ``end`` of its unpacked content.

    They are ``count`` lines, and the first has the number ``line``. ``crc`` is the CRC32C of all bytes before
    ``begin``, and ``end_crc`` that of all bytes before ``end``. ``path`` is where the log is read, ``name``
    its own name.
    """

    path: str
    name: str
    begin: int
    end: int
    line: int
    count: int
    crc: int
    end_crc: int


class Watched:
    """A source that notes its last bytes, and where ranges may end: positions with the lines before each.

    Raises KeyboardInterrupt when ``stop`` is set.
    """

    def __init__(self, source: Source, stop: threading.Event, size: int = 0, lines: int = 0,
                 end: int | None = None) -> None:
        """Read from position ``size`` on, which is after ``lines`` lines, up to ``end``, if given."""
        self._source = source
        self._end = end
        self._stop = stop
        self._lines = lines
        self._begun = self.size = size
        self.ends: list[tuple[int, int]] = []
        self.tail = b""

    def read(self, size: int, /) -> bytes:
        if self._stop.is_set():
            raise KeyboardInterrupt
        data = self._source.read(size if self._end is None else max(0, min(size, self._end - self.size)))
        lines = data.count(b"\n")
        if lines and self.size + len(data) - self._begun >= RANGE_BYTES:
            self._begun = self.size + data.rindex(b"\n") + 1
            self.ends.append((self._begun, self._lines + lines))
        self.size += len(data)
        self._lines += lines
        self.tail = (self.tail + data[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        return data


def may_lack_part(modified: float) -> bool:
    """Return whether the last part of a line may still come; ``modified`` is when the file changed last."""
    return time.time() - modified < _PART_S


def whole_end(source: BinaryIO | Unpacked, size: int) -> int:
    """Return where the last line of a plain log ends whose parts are all there; ``size`` if no part lacks.

    A line with more than _MOST_PARTS_BYTES of parts is not waited for.
    """
    length = _FEW_PARTS_BYTES
    while True:
        begin = max(0, size - length)
        source.seek(begin)
        tail = source.read(size - begin)
        if begin:
            cut = tail.find(b"\n") + 1
            begin, tail = begin + cut, tail[cut:]
        lines = tail[:tail.rfind(b"\n") + 1]
        end = end_of_whole(lines)
        if end is not None:
            # A part may also be a last line that has no line feed yet.
            is_whole = end == len(lines) and not is_part(tail[end:])
            return size if is_whole else begin + end
        if not begin:
            return 0
        if length >= _MOST_PARTS_BYTES:
            return size
        length *= 4


def end_before_part(source: BinaryIO | Unpacked, size: int) -> int | None:
    """Return where to end in a plain log whose last line lacks a part, else None; go to the log's begin."""
    end = whole_end(source, size)
    source.seek(0)
    return end if end < size else None


def ranges_of(path: str, scanned: Scanned, ends: Iterable[tuple[int, int]]) -> Iterator[Range]:
    """Yield the ranges of new lines, which end at ``ends``: positions with the lines before each."""
    if not scanned.new_lines:
        return
    begin, before, last = scanned.begin, scanned.before, scanned.log
    for end, lines in [*(each for each in ends if begin < each[0] < last.length), (last.length, last.lines)]:
        yield Range(path, path, begin, end, before + 1, lines - before,
                    scanned.marks[before - 1] if before else 0, scanned.marks[lines - 1])
        begin, before = end, lines


def lines_of(spark: SparkSession, ranges: Sequence[Range]) -> DataFrame:
    """Return the lines of ranges with file and line number."""
    rows = spark.createDataFrame(
        [astuple(part) for part in ranges],
        "path STRING, name STRING, begin BIGINT, end BIGINT, line BIGINT, count BIGINT, crc BIGINT, "
        "end_crc BIGINT")
    return rows.mapInArrow(read, "file STRING, line BIGINT, value STRING")


def read(ranges: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of ranges. Raises Changed."""
    for batch in ranges:
        for row in batch.to_pylist():
            part = Range(**row)
            for numbers, values in lines(part):
                files = pa.repeat(pa.scalar(part.name), len(values))
                # A line may be invalid UTF-8; Spark handles that.
                yield pa.RecordBatch.from_arrays(
                    [files, numbers, values.view(pa.string())], ["file", "line", "value"])


def lines(part: Range) -> Iterator[tuple[pa.Array, pa.Array]]:
    """Yield the numbers and the lines of a range, as binary. Raises Changed."""
    try:
        yield from _lines(part)
    except (OSError, PipelineFailure) as e:
        raise Changed(f"{CHANGED}: {part.path}: {e}") from e


def _lines(part: Range) -> Iterator[tuple[pa.Array, pa.Array]]:
    line, crc, left, rest = part.line, part.crc, part.end - part.begin, b""
    with _open(part) as source:
        while left:
            chunk = source.read(min(_CHUNK, left))
            if not chunk:
                break
            left -= len(chunk)
            crc = crc32c.crc32c(chunk, crc)
            end = chunk.rfind(b"\n")
            if end < 0 and left:
                rest += chunk
                continue
            # The last line may have no line feed.
            end = end if left or end == len(chunk) - 1 else len(chunk)
            # One C function splits the text.
            values = pc.split_pattern(pa.array([rest + chunk[:end]], pa.binary()), b"\n").values
            rest = chunk[end + 1:]
            yield pa.array(np.arange(line, line + len(values))), values
            line += len(values)
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
