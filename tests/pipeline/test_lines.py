# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Rows of lines that pyarrow parses together, against those of the same lines one by one."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kreactor.pipeline import lines as lines_module
from kreactor.pipeline.layouts import JOINED, MARK, LineReader
from kreactor.pipeline.lines import LogReader, must_be_in_order, rows_of
from kreactor.pipeline.times import Times
from tests import packages
from tests.pipeline.conftest import SAMPLE, THROTTLED
from tests.pipeline.logs import line, request

if not packages.is_without_build("pyarrow"):
    import pyarrow as pa
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

OLDEST = SAMPLE.with_name("kafka-2.8.2.log.gz")
NEWEST = SAMPLE.with_name("kafka-4.1.0.log.gz")


def content(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).removesuffix(b"\n").split(b"\n")


def rows(texts: list[bytes], zone: str = "UTC", keep_json: bool = False,
         size: int = 1000) -> list[dict[str, Any]]:
    """Return the rows of a file that is read in batches of ``size`` lines, by their numbers."""
    reader, found = LogReader(Times(zone), "broker", keep_json), []
    for at in range(0, len(texts), size):
        part = texts[at:at + size]
        numbers = pa.array(range(at + 1, at + len(part) + 1), pa.int64())
        for batch in reader.read("request.log", numbers, pa.array(part, pa.binary())):
            found += batch.to_pylist()
    for batch in reader.finish():
        found += batch.to_pylist()
    return sorted(found, key=lambda row: int(row["line"]))


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of each line that is read by itself."""
    read, numbers = LineReader.read, []

    def counting(self: LineReader, number: int, raw: bytes) -> Any:
        numbers.append(number)
        return read(self, number, raw)

    monkeypatch.setattr(LineReader, "read", counting)
    return numbers


def plain(text: bytes) -> bytes:
    return text


def message(text: bytes) -> str:
    return text[text.index(b"Completed"):].decode().removesuffix(" (kafka.request.logger)")


def iso(text: bytes) -> str:
    return text[1:24].decode().replace(" ", "T").replace(",", ".")


def dumped(**members: Any) -> bytes:
    return json.dumps(members, separators=(",", ":")).encode()


LAYOUTS: dict[str, Callable[[bytes], bytes]] = {
    "Kafka's own": plain,
    "Kubernetes": lambda text: b"[pod/kafka-0/kafka] 2026-11-21T03:03:13Z " + text,
    "CRI": lambda text: b"2026-11-21T03:03:13.1Z stdout F " + text,
    "Windows": lambda text: text + b"\r",
    "Docker": lambda text: dumped(log=text.decode() + "\n", stream="stdout", time="2026-11-21T03:03:13Z"),
    "ECS": lambda text: json.dumps({"@timestamp": iso(text) + "Z", "message": message(text)}).encode(),
    "ECS with an offset": lambda text: dumped(
        **{"@timestamp": iso(text) + "+00:00"}, x=1, message=message(text)),
    "JsonLayout": lambda text: dumped(
        instant={"epochSecond": 1795230192, "nanoOfSecond": 288_123_999}, message=message(text)),
    "JsonLayout with timeMillis": lambda text: dumped(timeMillis=1795230192288, message=message(text)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_together_and_one_by_one(
        layout: str, one_by_one: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [LAYOUTS[layout](text) for text in content(SAMPLE)[:1200]]
    together = rows(texts)
    assert not one_by_one
    assert all(row["reason"] is None for row in together)
    monkeypatch.setattr(lines_module, "_FEW", len(texts))
    assert rows(texts) == together
    assert one_by_one == list(range(1, len(texts) + 1))


@pytest.mark.parametrize("zone, keep_json", [("UTC", False), ("America/New_York", True)])
@pytest.mark.parametrize("path", [SAMPLE, THROTTLED], ids=lambda path: path.stem)
def test_a_real_log_together_and_one_by_one(
        path: Path, zone: str, keep_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = content(path)
    together = rows(texts, zone, keep_json)
    monkeypatch.setattr(lines_module, "_FEW", len(texts))
    assert rows(texts, zone, keep_json) == together


OTHERS = [
    b"", b"\xff", b"started", line(request())[:150].encode(), line(request()).encode() * 2,
    line({**request(), "totalTimeMs": "4.5"}).encode(), line({**request(), "totalTimeMs": "soon"}).encode(),
    line(request(correlation_id=2**31)).encode(), line(request(correlation_id=7.0)).encode(),
    line(request()).replace('"totalTimeMs":4.0', '"totalTimeMs":NaN').encode(),
    line(request()).replace("a client", "\\ud800").encode(),
    line(request()).replace("a client", "\\u0000é").encode(),
    line(request(request={"topics": ["a", "b"]})).encode(), line(request(temporaryMemoryBytes=5.5)).encode(),
    line(request(connection="x")).encode(), line(request(connection=None)).encode(),
    line(request(clientInformation=None)).encode(), line(request(response="")).encode(),
    line(request(response={"errorCode": 3, "a": [{"errorCode": -1}, {"errorCode": 3}]})).encode(),
    line(request()).replace("2026-11-21", "2026-02-30").encode(),
    line(request()).replace("]", " CST]", 1).encode(), line(request(more={"x": 1})).encode() + b" trailing",
    b'{"log":"x\\n","stream":"stdout","time":"2026-11-21T03:03:13Z"}', b"{", b"}",
    line(request(api=999, name=None)).encode(), line(request(api=0, name=None)).encode(),
]


def test_lines_that_differ_are_read_one_by_one(
        one_by_one: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [line(request(correlation_id=n)).encode() for n in range(1000)]
    for n, other in enumerate(OTHERS):
        texts[17 + 31 * n] = other
    together = rows(texts)
    # With a line that JSON's parser refuses, the lines near it.
    assert {18 + 31 * n for n in range(5)} <= {*one_by_one} and len(one_by_one) < 900
    monkeypatch.setattr(lines_module, "_FEW", len(texts))
    assert rows(texts) == together
    assert [row["line"] for row in together] == list(range(1, 1001))


def test_columns_that_are_not_wanted_are_empty() -> None:
    reader = LogReader(Times(), columns=["time", "total_ms"])
    texts = content(SAMPLE)[:100]
    for few in (texts, texts[:2]):
        batch, = reader.read("a", pa.array(range(len(few)), pa.int64()), pa.array(few, pa.binary()))
        assert not batch["error_codes"].drop_null() and batch["total_ms"].null_count == 0


def test_parts_of_a_line_in_two_batches(one_by_one: list[int]) -> None:
    text = line(request(request={"x": "y" * 40_000})) + "\n"
    docker = [dumped(log=text[at:at + 16384], stream="stdout", time="2026-11-21T03:03:13Z")
              for at in range(0, len(text), 16384)]
    whole = LAYOUTS["Docker"](line(request()).encode())
    texts = [whole] * 98 + docker + [whole] * 97
    found = rows(texts, size=100)
    assert [row["reason"] for row in found] == [None] * 99 + [JOINED] * 2 + [None] * 97
    assert found[98]["connection_index"] == 7
    # Both batches have a part of it.
    assert len(one_by_one) == len(texts)


def test_the_hour_that_comes_twice_is_read_in_order() -> None:
    texts = [line(request()).replace("2026-11-21 10:00:00,000", f"2026-10-25 02:{at:02}:00,000").encode()
             for _ in range(2) for at in range(60)]
    times = [row["time"].hour for row in rows(texts, "Europe/Berlin", size=50)]
    assert times == [0] * 60 + [1] * 60


@pytest.mark.parametrize("path, requests", [(OLDEST, 72), (NEWEST, 83)], ids=lambda value: str(value)[-19:-7])
def test_the_oldest_and_the_newest_kafka(path: Path, requests: int) -> None:
    found = rows(content(path))
    good = [row for row in found if row["reason"] is None]
    assert len(good) == requests
    assert {row["reason"] for row in found if row["reason"] is not None} == {"not a request"}
    assert {"PRODUCE", "FETCH", "METADATA", "API_VERSIONS", "JOIN_GROUP"} <= {row["api"] for row in good}
    assert all(MARK not in (row["text"] or "") for row in found)
    assert [row["acks"] for row in good if row["api"] == "PRODUCE"].count(0) == 1
    assert sum(not row["answered"] for row in good) == 1
    assert all(re.fullmatch(r"[\d.]+", row["remote_host"]) for row in good)


def frame(spark: SparkSession, texts: dict[str, list[bytes]]) -> DataFrame:
    """Return the lines of files, in any order, in several partitions."""
    numbered = [(file, number, text.decode()) for file, lines in texts.items()
                for number, text in enumerate(lines, 1)]
    numbered.sort(key=lambda row: (row[1] % 7, row[0], row[1]))
    return spark.createDataFrame(numbered, "file STRING, line BIGINT, value STRING").repartition(3, "value")


def test_spark_makes_the_same_rows(spark: SparkSession) -> None:
    # Only in order is a bracket known to be a part of JSON.
    texts = [text for text in content(SAMPLE)[:300] + OTHERS if b"\xff" not in text and text != b"}"]
    found = rows_of(frame(spark, {"request.log": texts}), Times(), "broker", True).toArrow().sort_by("line")
    assert found.schema.names == lines_module.schema().names
    assert found.to_pylist() == rows(texts, keep_json=True, size=len(texts))


def test_spark_reads_each_file_in_order_where_that_is_needed(spark: SparkSession) -> None:
    text = line(request(request={"x": "y" * 40_000})) + "\n"
    parts = [dumped(log=text[at:at + 16384], stream="stdout", time="2026-11-21T03:03:13Z")
             for at in range(0, len(text), 16384)]
    whole = LAYOUTS["Docker"](line(request()).encode())
    clocks = [line(request()).replace("2026-11-21 10:00:00", f"2026-10-25 02:{at:02}:00").encode()
              for _ in range(2) for at in range(60)]
    logs = frame(spark, {"docker": [whole, *parts, whole, *parts, whole], "clocks": clocks})
    berlin = Times("Europe/Berlin")
    assert must_be_in_order(logs, [clocks[0]], berlin) and must_be_in_order(logs, [whole], Times())
    assert not must_be_in_order(logs, [clocks[0]], Times())
    assert not must_be_in_order(logs, [], Times("Asia/Tokyo"))
    assert not must_be_in_order(logs.where("file = 'docker'"), [clocks[0]], berlin)
    found = rows_of(logs, berlin, in_order=True).select(
        "file", "line", "time", "reason").toArrow().sort_by([("file", "ascending"), ("line", "ascending")])
    assert [row["time"].hour for row in found.to_pylist()[:120]] == [0] * 60 + [1] * 60
    assert found["reason"].to_pylist()[120:] == [
        None, None, JOINED, JOINED, None, None, JOINED, JOINED, None]
