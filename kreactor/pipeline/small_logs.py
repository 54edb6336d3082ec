# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The latency of the requests of one small log, without Spark and its JVM.

The functions return what those of ``latency`` return, of the same requests. Percentiles are exact, and are
computed as Spark's function ``percentile`` does, to the last bit.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

from kreactor.jdk.extras import needs
from kreactor.pipeline.compression import Unpacked, open_log
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.latency import GROUP, MEASURES, PERCENTILES, SLOWEST, STAGES, TAIL, tail_of
from kreactor.pipeline.lines import COLUMNS, LogReader, schema
from kreactor.pipeline.times import Times

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

# The most bytes of text that are read: some 400,000 lines.
MOST_BYTES = 400 << 20
_CHUNK = 8 << 20
_UNITS = {"microsecond": 1, "millisecond": 1_000, "second": 1_000_000, "minute": 60_000_000,
          "hour": 3_600_000_000, "day": 86_400_000_000, "week": 604_800_000_000}


class TooLarge(PipelineFailure):
    """The log is larger than what is read without Spark."""


@dataclass(slots=True)
class SmallLog:
    """The requests of a log, as a table of Arrow, and the number of other lines by reason."""

    requests: pa.Table
    lines: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def read_log(path: str, times: Times, group: Sequence[str] = GROUP, most: int = MOST_BYTES) -> SmallLog:
    """Return the requests of a file, plain or compressed, with what the figures by ``group`` need.

    The path ``-`` is stdin. Raises PipelineFailure: TooLarge for more than ``most`` bytes.
    """
    try:
        import numpy
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError:
        raise PipelineFailure(needs("the pipeline", "spark")) from None
    columns = list(dict.fromkeys((*SLOWEST, *(name for name in group if name in COLUMNS))))
    nested = [name for name in group if name in COLUMNS and pa.types.is_nested(schema().field(name).type)]
    if nested:
        raise PipelineFailure(f"--by {nested[0]}: of a log, only by a column with single values")
    reader = LogReader(times, columns=columns)
    requests: list[pa.RecordBatch] = []
    log = SmallLog(schema().empty_table())
    name = "stdin" if path == "-" else path

    def take(batches: Iterator[pa.RecordBatch]) -> None:
        for batch in batches:
            reasons = batch["reason"]
            if reasons.null_count < len(reasons):
                log.reasons.update(reason for reason in reasons.to_pylist() if reason is not None)
                batch = batch.filter(reasons.is_null())
            requests.append(batch.select(columns))

    try:
        with closing(_open(path)) as source:
            for text in _texts(source, most, name):
                # One C function splits the text.
                lines = pc.split_pattern(pa.array([text], pa.binary()), b"\n").values
                numbers = pa.array(numpy.arange(log.lines + 1, log.lines + len(lines) + 1))
                log.lines += len(lines)
                take(reader.read(name, numbers, lines))
            take(reader.finish())
    except OSError as e:
        raise PipelineFailure(f"{name}: {e.strerror or e}") from e
    found = [batch for batch in requests if batch.num_rows]
    if found:
        log.requests = pa.Table.from_batches(found)
        times_ = log.requests["time"]
        log.requests = log.requests.append_column("date", pc.strftime(times_, "%Y-%m-%d")).append_column(
            "hour", pc.hour(times_).cast(pa.int32()))
    return log


def chosen(requests: pa.Table, values: Mapping[str, Sequence[str]]) -> pa.Table:
    """Return the requests whose columns have one of the values; no values choose all requests."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, wanted in values.items():
        if wanted:
            requests = requests.filter(pc.is_in(requests[name], pa.array(wanted, pa.string())))
    return requests


def _open(path: str) -> Unpacked | BinaryIO:
    if path != "-":
        return open_log(path)
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _texts(source: Unpacked | BinaryIO, most: int, name: str) -> Iterator[bytes]:
    """Yield the text of a source, in whole lines, many at once, without the last line feed."""
    rest, size = [], 0
    while chunk := source.read(_CHUNK):
        size += len(chunk)
        if size > most:
            raise TooLarge(f"{name}: more than {most >> 20} MB of text")
        end = chunk.rfind(b"\n")
        if end < 0:
            rest.append(chunk)
            continue
        whole = b"".join((*rest, chunk[:end]))
        rest = [chunk[end + 1:]]
        yield whole
    last = b"".join(rest)
    if last:
        yield last


def window_us(length: str) -> int:
    """Return the microseconds of a duration such as ``10 seconds``. Raises PipelineFailure for any other."""
    words = length.lower().removeprefix("interval").split()
    counts, units = words[::2], [unit.removesuffix("s") for unit in words[1::2]]
    if not units or len(counts) != len(units) or not all(
            count.isdecimal() and unit in _UNITS for count, unit in zip(counts, units, strict=True)):
        raise PipelineFailure(f"--window {length}: not a duration such as 10 seconds")
    us = sum(int(count) * _UNITS[unit] for count, unit in zip(counts, units, strict=True))
    if not us:
        raise PipelineFailure(f"--window {length}: not longer than 0")
    return us


def latency(requests: pa.Table, group: Sequence[str] = GROUP,
            window: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of ``latency.latency``."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not requests.num_rows:
        return []
    times = requests["time"].cast(pa.int64()).combine_chunks()
    keys = [*group]
    if window is not None:
        length = window_us(window)
        begins = pa.array(times.to_numpy() // length * length).cast(pa.timestamp("us"))
        requests = requests.append_column("window", begins)
        keys.insert(0, "window")
        seconds = length / 1e6
    else:
        extremes = pc.min_max(times).as_py()
        span = extremes["max"] - extremes["min"]
    codes, groups = _groups(requests, keys)
    counts = np.bincount(codes, minlength=len(groups))
    measured = {name: _percentiles(requests[name], codes, len(groups), PERCENTILES, True)
                for name in MEASURES}
    rows = []
    for at, values in enumerate(groups):
        count = int(counts[at])
        if window is not None:
            rate: float | None = count / seconds
        else:
            rate = count * 1e6 / span if span else None
        rows.append({**dict(zip(keys, values, strict=True)), "count": count,
                     **{name: measured[name][at] for name in MEASURES}, "rate": rate})
    first = ("window",) if window is not None else ()
    return sorted(rows, key=lambda row: (_key(row, first), -row["count"], _key(row, group)))


def slowest(requests: pa.Table, limit: int) -> list[dict[str, Any]]:
    """Return the rows of ``latency.slowest``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.sort_indices(
        requests, [("total_ms", "descending"), ("file", "ascending"), ("line", "ascending")])
    rows = requests.select(list(SLOWEST)).take(order[:limit])
    time = rows["time"].cast(pa.timestamp("us"))
    found: list[dict[str, Any]] = rows.set_column(0, "time", time).to_pylist()
    return found


def tail(requests: pa.Table, group: Sequence[str] = ("api",)) -> list[dict[str, Any]]:
    """Return the rows of ``latency.tail``."""
    import numpy as np
    import pyarrow.compute as pc

    if not requests.num_rows:
        return []
    codes, groups = _groups(requests, group)
    limits = _percentiles(requests["total_ms"], codes, len(groups), (TAIL,), False)
    total = requests["total_ms"].to_numpy()
    most = [limit[0] if limit is not None else math.inf for limit in limits]
    slow = total > np.array(most)[codes]
    stages = {name: pc.fill_null(requests[name], 0.0).to_numpy() for name in STAGES}

    def mean(values: np.ndarray) -> float | None:
        return math.fsum(values) / len(values) if len(values) else None

    found = []
    for at, key in enumerate(groups):
        mine = codes == at
        above, below = mine & slow, mine & ~slow
        row = {**dict(zip(group, key, strict=True)), "limit": most[at], "slow": int(above.sum())}
        for name, values in stages.items():
            row |= {f"slow_{name}": mean(values[above]), f"other_{name}": mean(values[below])}
        found.append(row)
    return tail_of(sorted(found, key=lambda row: (-row["slow"], _key(row, group))), group)


def _key(row: Mapping[str, Any], names: Sequence[str]) -> list[tuple[bool, Any]]:
    """Return the sort key of a row's columns: null is before all values."""
    return [(row[name] is not None, row[name]) for name in names]


def _groups(requests: pa.Table, names: Sequence[str]) -> tuple[np.ndarray, list[tuple[Any, ...]]]:
    """Return for each row the number of its group, and the values of each group."""
    import numpy as np

    codes = np.zeros(requests.num_rows, dtype=np.int64)
    columns, parts = [], []
    for name in names:
        encoded = requests[name].combine_chunks().dictionary_encode("encode")
        values = encoded.dictionary.to_pylist()
        part = encoded.indices.to_numpy()
        _, codes = np.unique(codes * len(values) + part, return_inverse=True)
        columns.append(values)
        parts.append(part)
    _, first = np.unique(codes, return_index=True)
    return codes, [tuple(values[part[row]] for values, part in zip(columns, parts, strict=True))
                   for row in first.tolist()]


def _percentiles(column: pa.ChunkedArray, codes: np.ndarray, groups: int, at: Sequence[float],
                 with_max: bool) -> list[list[float] | None]:
    """Return for each group the percentiles at the fractions ``at`` of its values, and the maximum.

    None for a group without a value.
    """
    import numpy as np
    import pyarrow.compute as pc

    valid = pc.is_valid(column).to_numpy(zero_copy_only=False) if column.null_count else None
    values = column.drop_null().to_numpy() if valid is not None else column.to_numpy()
    mine = codes[valid] if valid is not None else codes
    order = np.lexsort((values, mine))
    values = values[order]
    ends = np.cumsum(np.bincount(mine, minlength=groups)).tolist()
    found: list[list[float] | None] = []
    begin = 0
    for end in ends:
        if begin == end:
            found.append(None)
            continue
        row = [_percentile(values, begin, end, fraction) for fraction in at]
        found.append([*row, float(values[end - 1])] if with_max else row)
        begin = end
    return found


def _percentile(values: np.ndarray, begin: int, end: int, fraction: float) -> float:
    """Return a percentile of sorted values, with the operations of Spark's ``percentile`` in their order."""
    position = (end - begin - 1) * fraction
    lower = math.floor(position)
    low, high = float(values[begin + lower]), float(values[begin + math.ceil(position)])
    return low + (high - low) * (position - lower)
