# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How long requests took, and in which stage of their way.

Percentiles interpolate between the two nearest values, as numpy's do, or come from a sketch (Greenwald and
Khanna's) whose rank is off by 1/10,000 of the count at most. The exact ones keep a count for each different
value of a group in memory; a sketch is as small for 10 million values as for 10,000.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kreactor.pipeline.lines import COLUMNS

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

# The stages that the total is made of, in the order of a request's way.
STAGES = ("request_queue_ms", "local_ms", "remote_ms", "response_queue_ms", "send_ms")
MEASURES = ("total_ms", *STAGES, "throttle_ms")
PERCENTILES = (0.5, 0.9, 0.99, 0.999)
TAIL = 0.99

# The columns that requests are grouped by if nobody says otherwise.
GROUP = ("api", "version", "listener", "client_id")

# From so many requests on, percentiles are sketched if nobody says otherwise.
SKETCH_FROM = 1_000_000
_ACCURACY = 10_000


def percentiles(column: str, at: Sequence[float], exact: bool) -> Column:
    """Return the values that the fractions ``at`` of all are not above, as an array."""
    from pyspark.sql import functions as f

    wanted = f.array(*(f.lit(fraction) for fraction in at))
    return f.percentile(column, wanted) if exact else f.percentile_approx(column, wanted, _ACCURACY)


def is_exact(requests: DataFrame, exact: bool | None) -> bool:
    """Return whether to be exact, where None leaves it to the number of requests."""
    return requests.count() < SKETCH_FROM if exact is None else exact


def latency(requests: DataFrame, group: Sequence[str] = GROUP, window: str | None = None,
            exact: bool = True) -> DataFrame:
    """Return count and rate of each group and window, and of each measure an array: PERCENTILES, the most.

    ``window`` is a length of Spark's, such as ``10 seconds``. The rate is per second of the window, or of the
    time between the first and the last request of all; null if that is none.
    """
    from pyspark.sql import functions as f

    keys: list[Column] = [f.col(name) for name in group]
    if window is not None:
        keys.insert(0, f.window("time", window).getField("start").alias("window"))
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
    """Return the requests with the largest totals, the slowest first."""
    from pyspark.sql import functions as f

    return requests.select("time", *GROUP, "connection", *MEASURES, "file", "line").orderBy(
        f.desc("total_ms"), "file", "line").limit(limit).collect()


def tail(requests: DataFrame, group: Sequence[str] = ("api",), exact: bool = True) -> list[dict[str, Any]]:
    """Return for each group which share each stage has of the time above the 99th percentile.

    That of a stage is what it adds to the slow requests beyond its mean in the others, relative to what the
    total adds: a stage that is as long in the others explains nothing. At most one request of a hundred is
    slow, so a group needs some to have a tail.
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
    """Return which of ``names`` are no columns of the table."""
    return [name for name in names if name not in (*COLUMNS, "date", "hour", "ingest")]
