# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The lines for the table, those for the quarantine, and those for neither."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lz4.frame
import pytest
import zstandard

from kreactor.pipeline.failures import PipelineFailure, sentence
from kreactor.pipeline.ingest import Ingested, Options, check_zone, ingest
from kreactor.pipeline.table import Table
from tests.pipeline.conftest import SAMPLE
from tests.pipeline.logs import CONNECTION, line, request

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def take(spark: SparkSession, folder: Path, lines: list[str | bytes],
         options: Options = Options()) -> tuple[Ingested, list[Any], list[Any]]:
    """Ingest a log of ``lines``; return what came out, the requests and the rest, by line."""
    log = folder / "request.log"
    log.write_bytes(b"".join(text if isinstance(text, bytes) else f"{text}\n".encode() for text in lines))
    table = Table(spark, str(folder / "table"))
    done = ingest(spark, [str(log)], table, options)
    assert done.lines == done.requests + done.quarantined
    return (done, table.requests().orderBy("line").collect(), table.quarantine().orderBy("line").collect())


def test_the_sample_is_taken_whole(requests: DataFrame) -> None:
    with gzip.open(SAMPLE, "rt", encoding="utf-8") as stream:
        lines = list(stream)
    rows = {row["line"]: row for row in requests.collect()}
    assert sorted(rows) == list(range(1, len(lines) + 1))
    for number, text in enumerate(lines, 1):
        row, said = rows[number], json.loads(re.search(r"request:(.*) \(", text)[1])  # type: ignore[index]
        header = said["requestHeader"]
        assert row["file"] == str(SAMPLE)
        assert f"{row['time']:%Y-%m-%d %H:%M:%S,%f}"[:-3] == text[1:24]
        assert (row["api_key"], row["api"], row["version"], row["correlation_id"], row["client_id"]) == (
            header["requestApiKey"], header["requestApiKeyName"], header["requestApiVersion"],
            header["correlationId"], header["clientId"])
        assert said["connection"] == (f"{row['local_host']}:{row['local_port']}-{row['remote_host']}:"
                                      f"{row['remote_port']}-{row['connection_index']}")
        assert [row[name] for name in ("total_ms", "request_queue_ms", "local_ms", "remote_ms", "throttle_ms",
                                       "response_queue_ms", "send_ms")] == [
            said[name] for name in ("totalTimeMs", "requestQueueTimeMs", "localTimeMs", "remoteTimeMs",
                                    "throttleTimeMs", "responseQueueTimeMs", "sendTimeMs")]
        assert (row["listener"], row["security_protocol"], row["principal"], row["forwarded"]) == (
            said["listener"], said["securityProtocol"], said["principal"], said["isForwarded"])
        assert row["software_name"] == said["clientInformation"]["softwareName"]
        assert row["temporary_memory_bytes"] == said.get("temporaryMemoryBytes")
        assert row["answered"] == (said["response"] != "")
        codes = re.findall(r'rrorCode": (-?\d+)', json.dumps(said["response"]))
        assert row["error_codes"] == sorted({int(code) for code in codes} - {0})
        if row["api"] in ("PRODUCE", "FETCH"):
            assert row["records_bytes"] == sum(
                int(size) for size in re.findall(r'"recordsSizeInBytes": (\d+)', json.dumps(said)))
        if row["api"] == "PRODUCE":
            assert row["acks"] == said["request"]["acks"]
        if row["api"] == "FETCH":
            assert tuple(row["fetch"]) == (said["request"]["maxWaitMs"], said["request"]["minBytes"],
                                           len(said["request"]["topics"]))
        if row["api"] == "API_VERSIONS":
            assert [tuple(api) for api in row["advertised"]] == [
                (api["apiKey"], api["minVersion"], api["maxVersion"]) for api in said["response"]["apiKeys"]]


GOOD = request()


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in GOOD.items() if name not in names}


BAD: list[tuple[str | bytes, str]] = [
    ("", "an empty line"),
    ("[2026-11-21 10:00:00,000] INFO Awaiting socket connections (kafka.network.DataPlaneAcceptor)",
     "not a request"),
    ("\tat java.base/java.lang.Thread.run(Thread.java:840)", "not a request"),
    (b"\xff\xfe\x00\n", "not UTF-8"),
    (line(GOOD).encode().replace(b"a client", b"a \xff client") + b"\n", "not UTF-8"),
    ("[2026-11-21 10:00:00,000] DEBUG Completed request:RequestHeader(apiKey=METADATA) -- {topics=[]}",
     "a request, but not as JSON (before Kafka 2.8) or cut short"),
    (line(GOOD) + line(GOOD), "several requests in one line"),
    (line(GOOD)[:150], "JSON that is malformed or cut short"),
    (line(GOOD)[:150] + "[2026-11-21 10:00:00,000] INFO other", "JSON that is malformed or cut short"),
    (line(GOOD).partition("] ")[2], "no date and time before it"),
    (line(without("totalTimeMs")), "total_ms is missing, or not what it should be"),
    (line(without("connection")), "connection is missing, or not what it should be"),
    (line({**GOOD, "totalTimeMs": "soon"}), "total_ms is missing, or not what it should be"),
    (line(request(correlation_id="x")), "correlation_id is missing, or not what it should be"),
    (line(without("requestHeader")), "api_key is missing, or not what it should be"),
]


def test_what_is_no_request_is_in_quarantine(spark: SparkSession, tmp_path: Path) -> None:
    done, requests, rest = take(spark, tmp_path, [line(GOOD), *(text for text, _ in BAD), line(GOOD)])
    assert [row["line"] for row in requests] == [1, len(BAD) + 2]
    assert [(row["line"], row["reason"]) for row in rest] == [
        (number, reason) for number, (_, reason) in enumerate(BAD, 2)]
    assert done.reasons["not a request"] == 2
    assert rest[1]["text"] == BAD[1][0]
    assert {row["file"] for row in rest} == {str(tmp_path / "request.log")}


def test_the_layouts_and_fields_of_others(spark: SparkSession, tmp_path: Path) -> None:
    text = json.dumps(GOOD)
    strings = {name: str(value) if type(value) in (int, float) else value for name, value in GOOD.items()}
    _, requests, rest = take(spark, tmp_path, [
        f"2026-11-21T10:00:00.123Z DEBUG [thread] k.r.logger - Completed request:{text}",
        f"2026-11-21 11:00:00.123+01:00 Completed request:{text} {{mdc}}",
        f"broker-1 | 2026-11-21 10:00:00,123456 Completed request:{text}\r",
        line(strings, 123), line(json.dumps(GOOD, indent=None), 123),
        line(request(api=999, name=None), 123), line(request(api=0, name=None), 123),
        line(request(connection="0:0:0:0:0:0:0:1:9092-0:0:0:0:0:0:0:1:5000-3", more={"x": 1}), 123),
        line(request(connection="10.0.0.1:9092-10.0.0.2:5000-2-3"), 123),
        line(without("listener", "clientInformation", "throttleTimeMs", "isForwarded"), 123),
        line(request(clientInformation={"softwareName": 'x","response":"","y', "softwareVersion": ""}), 123),
    ])
    assert not rest
    assert {f"{row['time']:%H:%M:%S.%f}"[:12] for row in requests} == {"10:00:00.123"}
    assert {row["total_ms"] for row in requests} == {4.0}
    assert [row["api"] for row in requests[5:7]] == ["API_999", "PRODUCE"]
    assert [(row["local_host"], row["local_port"], row["remote_host"], row["remote_port"],
             row["connection_index"]) for row in requests[7:9]] == [
        ("0:0:0:0:0:0:0:1", 9092, "0:0:0:0:0:0:0:1", 5000, 3), ("10.0.0.1", 9092, "10.0.0.2", 5000, 3)]
    assert requests[9]["listener"] is None and requests[9]["forwarded"] is False
    assert requests[10]["answered"]


def test_times_without_a_zone_are_of_the_zone_that_is_given(spark: SparkSession, tmp_path: Path) -> None:
    _, requests, _ = take(spark, tmp_path, [line(GOOD)], Options("b1", check_zone("Europe/Berlin"), True))
    assert f"{requests[0]['time']:%H:%M}" == "09:00"
    assert (requests[0]["hour"], requests[0]["broker"], requests[0]["request"]) == (9, "b1", "{}")
    assert json.loads(requests[0]["response"]) == GOOD["response"]
    with pytest.raises(PipelineFailure, match="unknown time zone"):
        check_zone("Mars/Olympus")


def test_lines_have_their_numbers_in_files_that_are_split(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "logs of today+1"
    folder.mkdir()
    text = b"".join(line(request(correlation_id=number)).encode() + b"\n" for number in range(1, 2001))
    (folder / "a b.log").write_bytes(text)
    (folder / "c.log.gz").write_bytes(gzip.compress(text))
    key = "spark.sql.files.maxPartitionBytes"
    before = spark.conf.get(key)
    spark.conf.set(key, "100000")
    try:
        table = Table(spark, str(tmp_path / "table"))
        assert ingest(spark, [str(folder)], table, Options()).lines == 4000
    finally:
        spark.conf.set(key, before)
    rows = table.requests()
    assert rows.where("line != correlation_id").count() == 0
    assert sorted(row["file"] for row in rows.select("file").distinct().collect()) == [
        f"{folder}/a b.log", f"{folder}/c.log.gz"]


def test_a_line_of_ten_megabytes(spark: SparkSession, tmp_path: Path) -> None:
    _, requests, rest = take(spark, tmp_path, [line(request(request={"x": "y" * (10 << 20)})), line(GOOD)])
    assert [row["line"] for row in requests] == [1, 2] and not rest


def test_what_is_in_the_table_is_not_taken_again(spark: SparkSession, tmp_path: Path) -> None:
    take(spark, tmp_path, [line(GOOD)])
    with pytest.raises(PipelineFailure, match="request.log: is in .* already"):
        ingest(spark, [str(tmp_path / "*.log")], Table(spark, str(tmp_path / "table")), Options())


@pytest.mark.parametrize("cut", [b"", b"x"], ids=["cut short", "not compressed"])
def test_a_broken_archive_leaves_nothing(spark: SparkSession, tmp_path: Path, cut: bytes) -> None:
    log = tmp_path / "request.log.gz"
    whole = gzip.compress("".join(f"{line(request(correlation_id=n))}\n" for n in range(999)).encode())
    log.write_bytes(cut * 100 or whole[:-1000])
    table = Table(spark, str(tmp_path / "table"))
    with pytest.raises(Exception) as e:
        ingest(spark, [str(log)], table, Options())
    told = sentence(e.value) or str(e.value)
    assert str(log) in told and "\n" not in told
    assert not table.exists() and not any((tmp_path / "table").rglob("*.parquet"))


FORMATS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstandard.compress, ".xz": lzma.compress,
    ".lz4": lz4.frame.compress}
READ = (".gz", ".bz2", ".zst")


@pytest.mark.parametrize("suffix", FORMATS)
def test_each_compression_is_read_or_named(spark: SparkSession, tmp_path: Path, suffix: str) -> None:
    packed, table = FORMATS[suffix](f"{line(GOOD)}\n".encode()), Table(spark, str(tmp_path / "table"))
    for name in ("request.log", f"request{suffix}.1", f"request.log{suffix}"):
        log = tmp_path / name
        log.write_bytes(packed)
        if suffix in READ and name.endswith(suffix):
            assert ingest(spark, [str(log)], table, Options()).requests == 1
        else:
            with pytest.raises(PipelineFailure, match=f"^{re.escape(str(log))}: compressed with "):
                ingest(spark, [str(log)], table, Options())
            assert not table.exists()


def test_a_log_without_a_request_is_refused_with_the_reasons(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match=(
            r"^no line is a request \(2: not a request; 1: an empty line\); nothing of this ingest is in")):
        take(spark, tmp_path, ["x", "", "y"])
    assert not Table(spark, str(tmp_path / "table")).exists()


def test_an_empty_log_is_taken(spark: SparkSession, tmp_path: Path) -> None:
    done, requests, rest = take(spark, tmp_path, [])
    assert (done.files, done.lines, requests, rest) == (1, 0, [], [])


def test_no_files(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, str(tmp_path / "table"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(PipelineFailure, match="no files in it"):
        ingest(spark, [str(tmp_path / "empty")], table, Options())
    with pytest.raises(Exception) as e:
        ingest(spark, [str(tmp_path / "none.log")], table, Options())
    assert (sentence(e.value) or "").endswith("none.log: there is no such file")


def test_a_folder_of_something_else_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("")
    with pytest.raises(PipelineFailure, match="photo.jpg"):
        ingest(spark, [str(SAMPLE)], Table(spark, str(tmp_path)), Options())


def test_what_an_ingest_left_that_was_killed_is_not_read(spark: SparkSession, tmp_path: Path) -> None:
    _, requests, rest = take(spark, tmp_path, [line(GOOD), "x"])
    table = Table(spark, str(tmp_path / "table"))
    done = tmp_path / "table" / "quarantine" / f"ingest={table.ids()[0]}"
    done.rename(done.with_name("ingest=other"))
    assert table.quarantine().count() == 0
    assert CONNECTION == requests[0]["connection"] and len(rest) == 1
