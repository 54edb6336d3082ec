# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The aggregates of a table for a report, whose number does not depend on the number of requests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from kreactor.pipeline.check import Verdict, check
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.latency import STAGES, is_exact, percentiles, tail

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kreactor.pipeline.table import Table

# The bins of the heat map: of the time, and of each decade of the latency.
TIME_BINS = 120
DECADE_BINS = 8
# The smallest latency: Kafka truncates to a microsecond.
_LEAST_MS = 0.001

# The fractions of a percentile curve: 0.5 to 0.9999, evenly spaced by the number of nines.
CURVE = tuple(1 - 10 ** (-step / 10) for step in range(0, 41))

MOST_APIS = 14
MOST_CURVES = 6
MOST_CLIENTS = 12
MOST_ERRORS = 20


@dataclass(frozen=True, slots=True)
class Summary:
    """The aggregates of a table. Times are in milliseconds, ``bin_ms`` is the length of a time bin."""

    name: str
    requests: int
    quarantined: int
    begin: datetime
    end: datetime
    bin_ms: float
    connections: int
    exact: bool
    apis: list[dict[str, Any]]
    heat: list[dict[str, Any]]
    clients: list[dict[str, Any]]
    throttled: list[dict[str, Any]]
    throttled_clients: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    tails: list[dict[str, Any]]
    verdicts: list[Verdict]


def summarize(name: str, table: Table, max_idle_ms: float) -> Summary:
    """Return the aggregates of ``table`` for a report. Raises PipelineFailure if there is nothing to show."""
    from pyspark.sql import functions as f

    requests = table.requests()
    micros = f.unix_micros("time")
    whole = requests.agg(
        f.count("*").alias("requests"), f.min(micros).alias("begin"), f.max(micros).alias("end"),
        f.count_distinct("broker", "connection").alias("connections")).collect()[0]
    if not whole["requests"]:
        raise PipelineFailure(f"{table}: no requests in it")
    exact = is_exact(requests, None)
    # At least a millisecond, the resolution of the log.
    bin_ms = max((whole["end"] - whole["begin"]) / 1000 / TIME_BINS, 1.0)
    throttled = requests.where("throttle_ms > 0")
    throttling = (f.count("*").alias("count"), f.sum("throttle_ms").alias("sum_ms"),
                  f.max("throttle_ms").alias("max_ms"))
    bin_ = f.floor((micros - whole["begin"]) / (1000 * bin_ms)).cast("int")
    return Summary(
        name, whole["requests"], table.quarantine().count(), _time(whole["begin"]), _time(whole["end"]),
        bin_ms, whole["connections"], exact, _apis(requests, exact),
        _collect(requests.groupBy(
            bin_.alias("bin"),
            f.floor(f.log10(f.greatest("total_ms", f.lit(_LEAST_MS))) * DECADE_BINS).cast("int")
            .alias("level"))
            .count()),
        _collect(requests.groupBy("client_id").agg(
            f.count("*").alias("count"), f.sum("total_ms").alias("sum_ms"),
            f.max("software_name").alias("software"),
            f.count_distinct("broker", "connection").alias("connections"),
            f.sum(f.coalesce("throttle_ms", f.lit(0.0))).alias("throttled_ms"))
            .orderBy(f.desc("count"), "client_id").limit(MOST_CLIENTS)),
        _collect(throttled.groupBy(bin_.alias("bin")).agg(*throttling).orderBy("bin")),
        # The subject of a quota: a client, a user, or both.
        _collect(throttled.groupBy("client_id", "principal").agg(*throttling).orderBy(
            f.desc("sum_ms"), "client_id", "principal").limit(MOST_CLIENTS)),
        _collect(requests.where(f.size("error_codes") > 0).select(
            "api", f.explode("error_codes").alias("code")).groupBy("api", "code").count().orderBy(
            f.desc("count"), "api", "code").limit(MOST_ERRORS)),
        tail(requests, ["api"], exact), check(requests, max_idle_ms))


def _time(micros: int) -> datetime:
    return datetime.fromtimestamp(micros / 1e6, timezone.utc)


def _collect(rows: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict() for row in rows.collect()]


def _apis(requests: DataFrame, exact: bool) -> list[dict[str, Any]]:
    from pyspark.sql import functions as f

    return _collect(requests.groupBy("api").agg(
        f.count("*").alias("count"), f.avg("total_ms").alias("total_ms"),
        *(f.avg(f.coalesce(stage, f.lit(0.0))).alias(stage) for stage in STAGES),
        f.max("total_ms").alias("max_ms"), percentiles("total_ms", CURVE, exact).alias("curve"))
        .orderBy(f.desc("count"), "api"))
