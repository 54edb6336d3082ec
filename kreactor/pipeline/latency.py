# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The latency of requests, in total and by stage.

Exact percentiles interpolate between the two nearest values, as in numpy. Others come from a sketch
(Greenwald and Khanna's), whose rank error is at most 1/10,000 of the count. Exact percentiles keep a count
for each distinct value of a group in memory; a sketch is as small for 10 million values as for 10,000.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kreactor.pipeline.lines import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

# The stages of the total, in the order in which a request passes them.
STAGES = ("request_queue_ms", "local_ms", "remote_ms", "response_queue_ms", "send_ms")
MEASURES = ("total_ms", *STAGES, "throttle_ms")
PERCENTILES = (0.5, 0.9, 0.99, 0.999)
TAIL = 0.99

# The default columns for grouping requests.
GROUP = ("api", "version", "listener", "client_id")
# The columns of the slowest requests.
SLOWEST = ("time", *GROUP, "connection", *MEASURES, "file", "line")

# The number of requests from which percentiles are sketched by default.
SKETCH_FROM = 1_000_000
_ACCURACY = 10_000


def percentiles(column: str | Column, at: Sequence[float], exact: bool) -> Column:
    """Return the percentiles at the fractions ``at``, as an array."""
    from pyspark.sql import functions as f

    wanted = f.array(*(f.lit(fraction) for fraction in at))
    return f.percentile(column, wanted) if exact else f.percentile_approx(column, wanted, _ACCURACY)


def is_exact(requests: DataFrame, exact: bool | None) -> bool:
    """Return whether percentiles are exact; for None the number of requests decides."""
    return requests.count() < SKETCH_FROM if exact is None else exact


def _utc(time: Column) -> Column:
    """Return a time without a zone, in UTC: ``collect`` gives times with a zone in the driver's zone."""
    from pyspark.sql import functions as f

    return f.convert_timezone(None, f.lit("UTC"), time.cast("timestamp_ntz"))


def latency(requests: DataFrame, group: Sequence[str] = GROUP, window: str | None = None,
            exact: bool = True) -> DataFrame:
    """Return the count and rate of each group and window, and for each measure an array of PERCENTILES and
    maximum.

    ``window`` is a duration of Spark, such as ``10 seconds``; its column is its start in UTC. The rate is per
    second of the window, or of the time between the first and the last of all requests; null if that time is
    0.
    """
    from pyspark.sql import functions as f

    keys: list[Column] = [f.col(name) for name in group]
    if window is not None:
        keys.insert(0, _utc(f.window("time", window).getField("start")).alias("window"))
    measured = requests.groupBy(*keys).agg(
        f.count("*").alias("count"),
        *(f.concat(percentiles(name, PERCENTILES, exact), f.array(f.max(name))).alias(name)
          for name in MEASURES))
    if window is not None:
        seconds = f.expr(f"INTERVAL {window}").cast("interval day to second")
        length = f.lit(0.0)
        for unit, times in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
            length += f.extract(f.lit(unit), seconds).cast("double") * times
        rated = measured.withColumn("rate", f.col("count") / length)
    else:
        span = requests.agg((f.unix_micros(f.max("time")) - f.unix_micros(f.min("time"))).alias("span"))
        rated = measured.crossJoin(f.broadcast(span)).withColumn(
            "rate", f.col("count") * 1e6 / f.nullif("span", f.lit(0))).drop("span")
    return rated.orderBy(*(["window"] if window else []), f.desc("count"), *group)


def slowest(requests: DataFrame, limit: int) -> list[Row]:
    """Return the requests with the largest totals, the slowest first; their times are in UTC."""
    from pyspark.sql import functions as f

    return requests.select(*SLOWEST).orderBy(
        f.desc("total_ms"), "file", "line").limit(limit).withColumn("time", _utc(f.col("time"))).collect()


def tail(requests: DataFrame, group: Sequence[str] = ("api",), exact: bool = True) -> list[dict[str, Any]]:
    """Return for each group the share of each stage in the time above the 99th percentile.

    A stage's share is its excess in the slow requests over its mean in the others, relative to the excess of
    the total. A stage that is as long in the others explains nothing. At most one request of a hundred is
    slow, so a small group has no tail.
    """
    from pyspark.sql import functions as f

    limits = requests.groupBy(*group).agg(
        f.get(percentiles("total_ms", [TAIL], exact), f.lit(0)).alias("limit"))
    slow = f.col("total_ms") > f.col("limit")
    joined = requests.select(*group, *MEASURES).join(
        f.broadcast(limits.withColumnsRenamed({name: f"g_{name}" for name in group})),
        [f.col(name).eqNullSafe(f.col(f"g_{name}")) for name in group])
    rows = joined.groupBy(*group, "limit").agg(
        f.count(f.when(slow, 1)).alias("slow"),
        *(f.avg(f.when(slow, f.coalesce(name, f.lit(0.0)))).alias(f"slow_{name}") for name in STAGES),
        *(f.avg(f.when(~slow, f.coalesce(name, f.lit(0.0)))).alias(f"other_{name}") for name in STAGES),
    ).orderBy(f.desc("slow"), *group).collect()
    return tail_of([row.asDict() for row in rows], group)


def tail_of(rows: Sequence[Mapping[str, Any]], group: Sequence[str]) -> list[dict[str, Any]]:
    """Return the result of ``tail``, from the limit and the means of each group's slow and other requests."""
    found = []
    for row in rows:
        if not row["slow"]:
            continue
        added = {name: max(0.0, row[f"slow_{name}"] - (row[f"other_{name}"] or 0.0)) for name in STAGES}
        whole = math.fsum(added.values())
        shares = {name: value / whole if whole else 0.0 for name, value in added.items()}
        found.append({**{name: row[name] for name in group}, "p99": row["limit"], "slow": row["slow"],
                      "shares": shares, "explains": max(shares, key=lambda name: shares[name])})
    return found


def check_columns(names: Sequence[str]) -> list[str]:
    """Return the ``names`` that are not columns of the table."""
    return [name for name in names if name not in (*COLUMNS, "date", "hour", "ingest")]
