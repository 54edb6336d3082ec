# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Latencies, against an exact computation in plain Python over the same file."""

from __future__ import annotations

import gzip
import json
import math
from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from kreactor.pipeline.latency import GROUP, MEASURES, PERCENTILES, STAGES, latency, slowest, tail
from tests.pipeline.conftest import SAMPLE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

JSON_NAMES = dict(zip(MEASURES, ("totalTimeMs", "requestQueueTimeMs", "localTimeMs", "remoteTimeMs",
                                 "responseQueueTimeMs", "sendTimeMs", "throttleTimeMs"), strict=True))


@pytest.fixture(scope="module")
def said() -> list[tuple[datetime, dict[str, Any]]]:
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as stream:
        return [(datetime.fromisoformat(text[1:24].replace(",", ".")),
                 json.loads(text[text.index("{"):text.rindex(" (")])) for text in stream]


def percentile(values: list[float], fraction: float) -> float:
    values = sorted(values)
    at = fraction * (len(values) - 1)
    low = math.floor(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def group_of(one: dict[str, Any]) -> tuple[Any, ...]:
    header = one["requestHeader"]
    return (header["requestApiKeyName"], header["requestApiVersion"], one["listener"], header["clientId"])


def test_the_table_is_what_plain_python_finds(
        requests: DataFrame, said: list[tuple[datetime, dict[str, Any]]]) -> None:
    groups = defaultdict(list)
    for _, one in said:
        groups[group_of(one)].append(one)
    times = [time for time, _ in said]
    seconds = (max(times) - min(times)).total_seconds()
    rows = {tuple(row[name] for name in GROUP): row for row in latency(requests).collect()}
    assert rows.keys() == groups.keys()
    for key, group in groups.items():
        assert rows[key]["count"] == len(group)
        assert rows[key]["rate"] == pytest.approx(len(group) / seconds)
        for measure, name in JSON_NAMES.items():
            values = [one[name] for one in group]
            expected = [*(percentile(values, fraction) for fraction in PERCENTILES), max(values)]
            assert rows[key][measure] == pytest.approx(expected), (key, measure)


def test_windows(requests: DataFrame, said: list[tuple[datetime, dict[str, Any]]]) -> None:
    groups: dict[Any, list[float]] = defaultdict(list)
    for time, one in said:
        groups[time.replace(second=time.second - time.second % 20, microsecond=0)].append(one["totalTimeMs"])
    rows = latency(requests, [], "20 seconds").collect()
    assert [row["window"] for row in rows] == sorted(groups)
    for row in rows:
        assert (row["count"], row["rate"]) == (len(groups[row["window"]]), len(groups[row["window"]]) / 20)
        assert row["total_ms"][0] == pytest.approx(percentile(groups[row["window"]], 0.5))


def test_a_sketch_is_near(requests: DataFrame) -> None:
    exactly, nearly = (latency(requests, ["api"], exact=exact).collect() for exact in (True, False))
    often = 0
    for row, near in zip(exactly, nearly, strict=True):
        assert (row["api"], row["count"]) == (near["api"], near["count"])
        if row["count"] > 1000:
            # It gives values that there are; between the last few lies a lot.
            assert near["total_ms"][:3] == pytest.approx(row["total_ms"][:3], rel=0.05)
            often += 1
    assert often


def test_the_slowest(requests: DataFrame, said: list[tuple[datetime, dict[str, Any]]]) -> None:
    expected = sorted((one["totalTimeMs"] for _, one in said), reverse=True)[:7]
    assert [row["total_ms"] for row in slowest(requests, 7)] == expected


def test_what_makes_the_tail(requests: DataFrame, said: list[tuple[datetime, dict[str, Any]]]) -> None:
    produces = [one for _, one in said if one["requestHeader"]["requestApiKey"] == 0]
    limit = percentile([one["totalTimeMs"] for one in produces], 0.99)
    slow = [one for one in produces if one["totalTimeMs"] > limit]
    others = [one for one in produces if one["totalTimeMs"] <= limit]

    def mean(stage: str, requests: list[dict[str, Any]]) -> float:
        return math.fsum(one[JSON_NAMES[stage]] for one in requests) / len(requests)

    added = {stage: max(0.0, mean(stage, slow) - mean(stage, others)) for stage in STAGES}
    found = {one["api"]: one for one in tail(requests)}["PRODUCE"]
    assert (found["p99"], found["slow"]) == (pytest.approx(limit), len(slow))
    whole = sum(added.values())
    assert found["shares"] == pytest.approx({stage: value / whole for stage, value in added.items()})
    assert found["explains"] == max(added, key=lambda stage: added[stage])
