# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The aggregates of tables for a report, whose number does not depend on the number of requests.

A long poll is a request that waits by design: Fetch for data, JoinGroup and SyncGroup for the other members.
Its remote time is this wait. The served time of a request is its total, for a long poll without the remote
time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.pipeline.check import Verdict, check
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.latency import SKETCH_FROM, STAGES, TAIL, percentiles, tail

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from kreactor.pipeline.table import Table

# The largest number of time bins, and the number of bins in each decade of the heat map's latency.
TIME_BINS = 96
DECADE_BINS = 8
# The smallest latency, because Kafka truncates to a microsecond, and one that is longer than any.
_LEAST_MS = 0.001
_MOST_MS = 1e10

# The fractions of an API's percentiles, before its maximum.
PERCENTILES = (0.5, 0.9, 0.99, 0.999)

# How many a report has at most.
MOST_APIS = 60
MOST_TIMED_APIS = 8
# By each measure of a client; a client may be among the first by several.
MOST_CLIENTS = 12
MOST_OF_A_SPLIT = 25
MOST_ERRORS = 40
MOST_REQUESTS = 25

# The keys of the APIs that are long polls; 78 is ShareFetch of Kafka 4.
LONG_POLLS = (ApiKeys.FETCH.id, ApiKeys.JOIN_GROUP.id, ApiKeys.SYNC_GROUP.id, 78)
_NO_ID = "A" * 22

# The measures by which clients are ranked.
CLIENT_MEASURES = ("served_ms", "bytes", "errors", "throttle_ms", "slow")

_NICE_MS = (*(1.0 * times * 10 ** power for power in range(3) for times in (1, 2, 5)),
            *(1000.0 * seconds for seconds in (
                1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200)))
_DAY_MS = 86_400_000.0


@dataclass(frozen=True, slots=True)
class Side:
    """A table, or one day of it: ``day`` is a date in UTC, such as 2026-11-28."""

    name: str
    table: Table
    day: str | None = None


@dataclass(frozen=True, slots=True)
class Bins:
    """``count`` time bins of ``length_ms`` from ``origin``, in microseconds since 1970."""

    origin: int
    length_ms: float
    count: int


@dataclass(frozen=True, slots=True)
class Groups:
    """The first rows of a split, and the number of all its groups."""

    rows: list[dict[str, Any]]
    groups: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The aggregates of a side. Times are in milliseconds."""

    name: str
    requests: int
    quarantined: int
    begin: datetime
    end: datetime
    connections: int
    exact: bool
    bins: Bins
    apis: Groups
    clients: Groups
    # The sums over all clients.
    all_clients: dict[str, Any]
    # The APIs of which ``api_times`` has a row for each bin; ``times`` has a row for each bin.
    timed: Sequence[str]
    times: list[dict[str, Any]]
    api_times: list[dict[str, Any]]
    heat: list[dict[str, Any]]
    brokers: Groups
    listeners: Groups
    # None if the table has no names of topics.
    topics: Groups | None
    slowest: list[dict[str, Any]]
    polls: list[dict[str, Any]]
    errors: Groups
    tails: list[dict[str, Any]]
    verdicts: list[Verdict]


@dataclass(frozen=True, slots=True)
class _Extent:
    requests: DataFrame
    count: int
    begin: int
    end: int
    connections: int
    # From where bins are counted, before it is aligned.
    origin: int

    @property
    def is_exact(self) -> bool:
        """Return whether percentiles are exact."""
        return self.count < SKETCH_FROM


def summarize(sides: Sequence[Side], max_idle_ms: float) -> list[Summary]:
    """Return the aggregates of each side. Time bins of the sides have one length and number.

    Raises PipelineFailure if a side has no requests.
    """
    extents = [_extent(side, by_clock=is_by_clock(sides)) for side in sides]
    first = min((extent.begin - extent.origin) / 1000 for extent in extents)
    last = max((extent.end - extent.origin) / 1000 for extent in extents)
    length = _bin_length(last - first)
    first = math.floor(first / length) * length
    count = math.floor((last - first) / length) + 1
    bins = [Bins(extent.origin + round(first * 1000), length, count) for extent in extents]
    prepared = [_prepare(extent.requests, each) for extent, each in zip(extents, bins, strict=True)]
    apis = [_apis(requests, extent.is_exact) for requests, extent in zip(prepared, extents, strict=True)]
    # In turn those with most requests of each side, because each side needs the same.
    timed = list(dict.fromkeys(row["api"] for rank in range(MOST_TIMED_APIS) for each in apis
                               for row in each.rows[rank:rank + 1]))[:MOST_TIMED_APIS]
    return [_summarize(*of_side, timed, max_idle_ms)
            for of_side in zip(sides, extents, bins, prepared, apis, strict=True)]


def is_by_clock(sides: Sequence[Side]) -> bool:
    """Return whether time is the time of day; otherwise it is the time since a side's first request."""
    return len(sides) == 1 or all(side.day is not None for side in sides)


def _bin_length(span_ms: float) -> float:
    """Return the length of TIME_BINS bins or fewer, a number of ms, seconds, minutes or hours."""
    least = span_ms / (TIME_BINS - 1)
    return next((length for length in _NICE_MS if length >= least), math.ceil(least / _DAY_MS) * _DAY_MS)


def _extent(side: Side, by_clock: bool) -> _Extent:
    from pyspark.sql import functions as f

    requests = side.table.requests()
    if side.day is not None:
        requests = requests.where(f.col("date") == side.day)
    micros = f.unix_micros("time")
    whole = requests.agg(
        f.count("*").alias("requests"), f.min(micros).alias("begin"), f.max(micros).alias("end"),
        f.count_distinct("broker", "connection").alias("connections")).collect()[0]
    if not whole["requests"]:
        raise PipelineFailure(f"{side.table}: no requests in it" if side.day is None else
                              f"{side.table}: no requests on {side.day}")
    # From midnight, bins of hours, minutes and seconds begin with the clock's.
    origin = whole["begin"] - (whole["begin"] % round(_DAY_MS * 1000) if by_clock else 0)
    return _Extent(requests, whole["requests"], whole["begin"], whole["end"], whole["connections"], origin)


def at(micros: float) -> datetime:
    """Return a time in UTC from microseconds since 1970."""
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=micros)


def _collect(rows: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in rows.collect()]


def _is_poll() -> Column:
    from pyspark.sql import functions as f

    return f.col("api_key").isin(list(LONG_POLLS))


def _prepare(requests: DataFrame, bins: Bins) -> DataFrame:
    """Return the requests with their served time, whether they failed, and their time bin.

    A line may have a number that is no duration, such as NaN: this counts as 0, and as a stage not at all.
    """
    from pyspark.sql import functions as f

    def duration(name: str) -> Column:
        return f.when(f.abs(name) < _MOST_MS, f.col(name))

    return requests.withColumns({
        "total_ms": f.coalesce(duration("total_ms"), f.lit(0.0)),
        **{name: duration(name) for name in (*STAGES, "throttle_ms")},
    }).withColumns({
        "served_ms": f.when(_is_poll(), f.greatest(f.lit(0.0), f.col("total_ms") - f.coalesce(
            "remote_ms", f.lit(0.0)))).otherwise(f.col("total_ms")),
        "failed": f.size("error_codes") > 0,
        "bin": f.floor((f.unix_micros("time") - bins.origin) / (1000 * bins.length_ms)).cast("int"),
    })


def _summarize(side: Side, extent: _Extent, bins: Bins, requests: DataFrame, apis: Groups,
               timed: Sequence[str], max_idle_ms: float) -> Summary:
    from pyspark.sql import functions as f

    exact = extent.is_exact
    clients, all_clients = _clients(requests, apis.rows)
    slowest = _slowest(requests)
    errors = requests.where("failed").select("api", f.explode("error_codes").alias("code")).groupBy(
        "api", "code").count()
    chosen = None if side.day is None else f.col("date") == side.day
    return Summary(
        side.name, extent.count, side.table.quarantine().count(), at(extent.begin), at(extent.end),
        extent.connections, exact, bins, apis, clients, all_clients, timed,
        times=_collect(requests.groupBy("bin").agg(
            *_over_time(exact), f.count(f.when(f.col("throttle_ms") > 0, 1)).alias("throttled"),
            _sum("throttle_ms").alias("throttle_sum_ms"),
            f.max(f.coalesce("throttle_ms", f.lit(0.0))).alias("throttle_max_ms")).orderBy("bin")),
        api_times=_collect(requests.where(f.col("api").isin(list(timed))).groupBy("api", "bin").agg(
            *_over_time(exact)).orderBy("api", "bin")),
        heat=_collect(requests.groupBy("bin", f.floor(
            f.log10(f.greatest("total_ms", f.lit(_LEAST_MS))) * DECADE_BINS).cast("int").alias("level"))
            .count()),
        brokers=_brokers(requests, exact),
        listeners=_groups(requests.groupBy("listener", "security_protocol").agg(*_measures(exact)),
                          "served_sum_ms", "listener", "security_protocol"),
        topics=_topics(requests, exact),
        slowest=[row for row in slowest if not row["is_poll"]],
        polls=[row for row in slowest if row["is_poll"]],
        errors=_groups(errors, "count", "api", "code", most=MOST_ERRORS),
        tails=tail(requests, ["api"], exact),
        verdicts=check(side.table.requests(), max_idle_ms, chosen))


def _union(rows: Sequence[DataFrame]) -> DataFrame:
    """Return the rows of all, which Spark then finds in one job."""
    return functools.reduce(lambda left, right: left.union(right), rows)


def _groups(groups: DataFrame, by: str, *keys: str, most: int = MOST_OF_A_SPLIT) -> Groups:
    """Return the groups that are the first by ``by``, largest first."""
    from pyspark.sql import functions as f

    rows = _collect(groups.orderBy(f.desc(by), *keys).limit(most + 1))
    return Groups(rows[:most], len(rows) if len(rows) <= most else groups.count())


def _percentile(column: str | Column, fraction: float, exact: bool) -> Column:
    from pyspark.sql import functions as f

    return f.get(percentiles(column, [fraction], exact), f.lit(0))


def _sum(name: str) -> Column:
    """Return the sum of a column, in which null counts as 0."""
    from pyspark.sql import functions as f

    return f.sum(f.coalesce(name, f.lit(0.0)))


def _measures(exact: bool) -> list[Column]:
    """Return what is shown of each group of requests."""
    from pyspark.sql import functions as f

    return [
        f.count("*").alias("count"), f.sum("served_ms").alias("served_sum_ms"),
        percentiles("served_ms", PERCENTILES, exact).alias("served_ms"), f.max("served_ms").alias("max_ms"),
        _percentile("request_queue_ms", TAIL, exact).alias("queue_p99_ms"),
        f.sum(f.coalesce("records_bytes", f.lit(0))).alias("bytes"),
        f.count(f.when(f.col("failed"), 1)).alias("errors"),
        f.count(f.when(f.col("throttle_ms") > 0, 1)).alias("throttled")]


def _apis(requests: DataFrame, exact: bool) -> Groups:
    from pyspark.sql import functions as f

    return _groups(requests.groupBy("api").agg(
        f.count("*").alias("count"), f.avg("total_ms").alias("mean_ms"), f.sum("total_ms").alias("sum_ms"),
        percentiles("total_ms", PERCENTILES, exact).alias("total_ms"), f.max("total_ms").alias("max_ms"),
        _percentile("served_ms", TAIL, exact).alias("slow_from_ms"),
        _percentile("request_queue_ms", TAIL, exact).alias("queue_p99_ms"),
        f.count(f.when(f.col("failed"), 1)).alias("errors"),
        *(f.avg(f.coalesce(stage, f.lit(0.0))).alias(stage) for stage in STAGES)),
        "count", "api", most=MOST_APIS)


def _over_time(exact: bool) -> list[Column]:
    """Return what is shown of each time bin."""
    from pyspark.sql import functions as f

    return [
        f.count("*").alias("count"), _percentile("served_ms", TAIL, exact).alias("p99_ms"),
        _percentile("request_queue_ms", TAIL, exact).alias("queue_p99_ms"),
        _sum("request_queue_ms").alias("queue_sum_ms"),
        _sum("local_ms").alias("local_sum_ms")]


def _clients(requests: DataFrame, apis: Sequence[dict[str, Any]]) -> tuple[Groups, dict[str, Any]]:
    """Return the clients that are among the first by any measure, and the sums over all clients.

    A client is a client id with a principal: this is what Kafka's quotas are for.
    """
    from pyspark.sql import functions as f

    limits = f.create_map(*(f.lit(part) for api in apis for part in (api["api"], api["slow_from_ms"])))
    keys = ("client_id", "principal")
    clients = requests.groupBy(*keys).agg(
        f.count("*").alias("count"), f.sum("served_ms").alias("served_ms"),
        f.max("served_ms").alias("max_ms"),
        f.sum(f.coalesce("records_bytes", f.lit(0))).alias("bytes"),
        f.count(f.when(f.col("failed"), 1)).alias("errors"),
        f.count(f.when(f.col("throttle_ms") > 0, 1)).alias("throttled"),
        _sum("throttle_ms").alias("throttle_ms"),
        f.max(f.coalesce("throttle_ms", f.lit(0.0))).alias("throttle_max_ms"),
        f.count(f.when(f.col("served_ms") > limits[f.col("api")], 1)).alias("slow"),
        f.max(f.nullif("software_name", f.lit("unknown"))).alias("software"),
        f.count_distinct("broker", "connection").alias("connections")).persist()
    try:
        found = {tuple(row[key] for key in keys): row for row in _collect(_union([
            clients.where(f.col(measure) > 0).orderBy(f.desc(measure), *keys).limit(MOST_CLIENTS)
            for measure in CLIENT_MEASURES]))}
        whole = _collect(clients.agg(
            f.count("*").alias("clients"), *(f.sum(name).alias(name) for name in (
                "count", "served_ms", "bytes", "errors", "throttled", "throttle_ms", "slow"))))[0]
    finally:
        clients.unpersist()
    rows = sorted(found.values(), key=lambda row: (-row["served_ms"], str(row["client_id"])))
    return Groups(rows, whole["clients"]), whole


def _brokers(requests: DataFrame, exact: bool) -> Groups:
    """Return the measures of each broker, and the sums of its busiest bins for the estimates."""
    from pyspark.sql import functions as f

    found = _groups(requests.groupBy("broker").agg(*_measures(exact), *(
        _sum(name).alias(f"{name.removesuffix('_ms')}_sum_ms")
        for name in ("request_queue_ms", "local_ms"))), "served_sum_ms", "broker")
    names = [row["broker"] for row in found.rows]
    busiest = {row["broker"]: row for row in _collect(
        requests.where(f.col("broker").isin(names)).groupBy("broker", "bin").agg(
            _sum("request_queue_ms").alias("queue"),
            _sum("local_ms").alias("local"))
        .groupBy("broker").agg(f.max("queue").alias("queue_most_ms"), f.max("local").alias("local_most_ms")))}
    return Groups([{**row, **busiest[row["broker"]]} for row in found.rows], found.groups)


def _topics(requests: DataFrame, exact: bool) -> Groups | None:
    """Return the measures of each topic; None if no request has topics, as in tables of older releases."""
    from pyspark.sql import functions as f

    one = f.col("one")
    ids = requests.where(f.col("api_key") == ApiKeys.METADATA.id).select(
        f.explode("topics").alias("one")).where(
            one["id"].isNotNull() & (one["id"] != _NO_ID) & one["name"].isNotNull()).groupBy(
                one["id"].alias("known_id")).agg(f.max(one["name"]).alias("known_name"))
    produce = f.col("api_key") == ApiKeys.PRODUCE.id
    named = requests.where(produce | (f.col("api_key") == ApiKeys.FETCH.id)).select(
        "api_key", "served_ms", f.explode("topics").alias("one")).join(
            ids, one["id"] == f.col("known_id"), "left")
    # A name of Metadata for an id, or the id itself. No topic's name may have the blank after "id".
    topic = f.coalesce(one["name"], f.col("known_name"), f.concat(f.lit("id "), one["id"]))
    found = _groups(named.groupBy(topic.alias("topic")).agg(
        f.sum(one["bytes"]).alias("bytes"),
        *(column for name, is_it in (("produce", produce), ("fetch", ~produce)) for column in (
            f.count(f.when(is_it, 1)).alias(f"{name}_count"),
            f.sum(f.when(is_it, one["bytes"])).alias(f"{name}_bytes"),
            _percentile(f.when(is_it, f.col("served_ms")), TAIL, exact).alias(f"{name}_p99_ms"))),
    ), "bytes", "topic")
    return found if found.rows else None


def _slowest(requests: DataFrame) -> list[dict[str, Any]]:
    """Return the requests with the largest served times: long polls, and as many others."""
    from pyspark.sql import functions as f

    columns = requests.select(
        f.unix_micros("time").alias("micros"), "api", "version", "client_id", "principal", "connection",
        "listener", "broker", "served_ms", "total_ms", *STAGES, "throttle_ms", "file", "line",
        _is_poll().alias("is_poll"))
    order = (f.desc("served_ms"), "file", "line")
    return sorted(
        _collect(_union([columns.where(kind).orderBy(*order).limit(MOST_REQUESTS)
                         for kind in ("is_poll", "not is_poll")])),
        key=lambda row: (-row["served_ms"], row["file"], row["line"]))
