# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The page: whole, self-contained, small, and nothing in it that a client wrote as code."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.latency import STAGES
from kreactor.pipeline.report import write_report
from kreactor.pipeline.summary import summarize
from kreactor.pipeline.table import Table
from tests.pipeline.conftest import THROTTLED
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVIL = "</script><script>alert(1)</script>"


def test_two_logs_side_by_side(spark: SparkSession, sample: Table, tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text("".join(
        f"{line(request(connection=EVIL, throttleTimeMs=100, listener=EVIL, stages=(9, 9, 0, 9, 9)), at)}\n"
        for at in range(0, 4000, 100)))
    log.write_text(log.read_text().replace("a client", EVIL))
    other = Table(spark, str(tmp_path / "table"))
    ingest(spark, [str(log)], other, Options())
    page = tmp_path / "page.html"
    size = write_report({"Kafka": sample, f"an<i>other{EVIL}": other}, str(page), 600_000)
    text = page.read_text()
    assert size == page.stat().st_size < 5_000_000
    assert EVIL not in text and "an<i>" not in text
    # Nothing is fetched from elsewhere; Bokeh's own code names addresses that it does not use here.
    plain = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r'(?:src|href)="(?!data:,")', plain)
    assert "<script src" not in text.partition("<main>")[0][:2000]
    for word in ("PRODUCE", "UNSUPPORTED_VERSION (35)", "METADATA", "violated", "holds", 'class="better"',
                 "Kafka alone has"):
        assert word in text, word
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".report-")]


def test_throttling_is_told_by_client_and_is_no_part_of_the_total(
        spark: SparkSession, sample: Table, tmp_path: Path) -> None:
    table = Table(spark, str(tmp_path / "table"))
    # As if the same had been on another broker too: a connection is of one broker.
    for broker in ("a", "b"):
        log = tmp_path / f"{broker}.log"
        log.write_bytes(gzip.decompress(THROTTLED.read_bytes()))
        ingest(spark, [str(log)], table, Options(broker))
    throttled: Counter[str] = Counter()
    connections: dict[str, set[str]] = {}
    for text in (tmp_path / "a.log").read_text().splitlines():
        said = json.loads(text[text.index("{"):text.rindex(" (")])
        throttled[said["requestHeader"]["clientId"]] += said["throttleTimeMs"]
        connections.setdefault(said["requestHeader"]["clientId"], set()).add(said["connection"])
    side = summarize("throttled", table, 600_000)
    assert {row["client_id"]: row["throttled_ms"] for row in side.clients} == {
        client: 2 * ms for client, ms in throttled.items()}
    assert {row["client_id"]: row["connections"] for row in side.clients} == {
        client: 2 * len(names) for client, names in connections.items()}
    assert sum(row["sum_ms"] for row in side.throttled) == 2 * throttled.total()
    assert {row["client_id"]: row["sum_ms"] for row in side.throttled_clients} == {
        client: 2 * ms for client, ms in throttled.items() if ms}
    assert {row["principal"] for row in side.throttled_clients} == {"User:ANONYMOUS"}
    most = [row["sum_ms"] for row in side.throttled_clients]
    assert most == sorted(most, reverse=True)
    assert side.requests == 2 * 46 and side.connections == 2 * sum(map(len, connections.values()))
    for api in side.apis:
        assert sum(api[stage] for stage in STAGES) == pytest.approx(api["total_ms"], abs=0.01)
    write_report({"throttled": table}, str(tmp_path / "page.html"), 600_000)
    assert "ms of throttling" in (tmp_path / "page.html").read_text()
    assert f"<td>{max(most) / 1000:,.1f}</td>" in (tmp_path / "page.html").read_text()
    write_report({"not": sample}, str(tmp_path / "other.html"), 600_000)
    assert "No request was throttled." in (tmp_path / "other.html").read_text()


def test_where_it_cannot_be_written(sample: Table, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match="cannot be written"):
        write_report({"x": sample}, str(tmp_path), 1)
    with pytest.raises(PipelineFailure, match="cannot be written"):
        write_report({"x": sample}, str(tmp_path / "none" / "page.html"), 1)


def test_a_table_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match="no table of requests"):
        write_report({"x": Table(spark, str(tmp_path / "t"))}, str(tmp_path / "page.html"), 1)
