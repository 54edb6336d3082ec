# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The lines for the table, those for the quarantine, and those for neither."""

from __future__ import annotations

import bz2
import gzip
import json
import io
import lzma
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lz4.frame
import psutil
import pytest
import zstandard

import kreactor.pipeline.ingest as ingest_module
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Ingested, Options, TakenFile, check_pattern, ingest
from kreactor.pipeline.layouts import JOINED
from kreactor.pipeline.session import cancel_work
from kreactor.pipeline.table import Table
from tests.pipeline.conftest import SAMPLE
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def take(spark: SparkSession, folder: Path, lines: list[str | bytes],
         options: Options = Options()) -> tuple[Ingested, list[Any], list[Any]]:
    """Ingest a log of ``lines``; return what came out, the requests and the rest, by line."""
    log = folder / "request.log"
    log.write_bytes(b"".join(one if isinstance(one, bytes) else f"{one}\n".encode() for one in lines))
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
    _, requests, _ = take(spark, tmp_path, [line(GOOD)], Options("b1", "Europe/Berlin", True))
    assert f"{requests[0]['time']:%H:%M}" == "09:00"
    assert (requests[0]["hour"], requests[0]["broker"], requests[0]["request"]) == (9, "b1", "{}")
    assert json.loads(requests[0]["response"]) == GOOD["response"]
    with pytest.raises(PipelineFailure, match="unknown time zone"):
        ingest(spark, [str(tmp_path)], Table(spark, str(tmp_path / "table")), Options(zone="Mars/Olympus"))


def test_lines_have_their_numbers_in_files_that_are_split(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "logs of today+1"
    folder.mkdir()
    for name, broker in (("a b.log", "A"), ("c.log.gz", "C")):
        text = b"".join(line(request(correlation_id=number, listener=broker)).encode() + b"\n"
                        for number in range(1, 2001))
        (folder / name).write_bytes(text if broker == "A" else gzip.compress(text))
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


def test_a_file_that_is_split_is_read_in_order_where_its_layout_needs_that(
        spark: SparkSession, tmp_path: Path) -> None:
    text = line(request(request={"x": "y" * 70_000})) + "\n"
    parts = [json.dumps({"log": text[at:at + 16384], "stream": "stdout", "time": "2026-11-21T10:00:01Z"})
             for at in range(0, len(text), 16384)]
    log, key = tmp_path / "docker.log", "spark.sql.files.maxPartitionBytes"
    log.write_text("".join(f"{part}\n" for part in parts * 10))
    before = spark.conf.get(key)
    # Less than a request.
    spark.conf.set(key, "50000")
    try:
        table = Table(spark, str(tmp_path / "table"))
        done = ingest(spark, [str(log)], table, Options())
    finally:
        spark.conf.set(key, before)
    assert (done.lines, done.requests, done.reasons) == (50, 10, {JOINED: 40})
    assert [row["line"] for row in table.requests().orderBy("line").collect()] == list(range(1, 51, 5))


def test_a_line_of_ten_megabytes(spark: SparkSession, tmp_path: Path) -> None:
    _, requests, rest = take(spark, tmp_path, [line(request(request={"x": "y" * (10 << 20)})), line(GOOD)])
    assert [row["line"] for row in requests] == [1, 2] and not rest


def text(*ids: int) -> bytes:
    return "".join(f"{line(request(correlation_id=id_), id_)}\n" for id_ in ids).encode()


def ids_of(table: Table) -> list[int]:
    return [row["correlation_id"] for row in table.requests().select("correlation_id").orderBy(
        "correlation_id").collect()]


def test_each_line_is_taken_once_whatever_becomes_of_its_file(spark: SparkSession, tmp_path: Path) -> None:
    logs, table = tmp_path / "logs", Table(spark, str(tmp_path / "table"))
    logs.mkdir()
    log = logs / "request.log"
    log.write_bytes(text(1, 2, 3) + text(4)[:99])

    def run() -> Ingested:
        return ingest(spark, [str(logs)], table, Options())

    done = run()
    assert (done.taken, done.unfinished) == ([TakenFile(str(log), 0, 3)], [str(log)])
    # Grown, and an older copy is beside it.
    (logs / "copy.log").write_bytes(text(1, 2))
    log.write_bytes(text(1, 2, 3, 4, 5))
    done = run()
    assert (done.taken, done.known) == ([TakenFile(str(log), 3, 2)], [str(logs / "copy.log")])
    # Rotated and compressed, with a line after the last look; its successor begins like it.
    packed = logs / "request.log.1"
    packed.write_bytes(gzip.compress(text(1, 2, 3, 4, 5, 6)))
    log.write_bytes(text(1, 2) + text(7))
    done = run()
    assert sorted(done.taken, key=lambda file: file.lines) == [
        TakenFile(str(packed), 5, 1), TakenFile(str(log), 0, 3)]
    assert ids_of(table) == [1, 1, 2, 2, 3, 4, 5, 6, 7]
    rows = table.requests().select("file", "line", "correlation_id").where("correlation_id > 3").collect()
    assert sorted((row["correlation_id"], row["line"], row["file"]) for row in rows) == [
        (4, 4, str(log)), (5, 5, str(log)), (6, 6, str(packed)), (7, 3, str(log))]
    # Nothing is new, and nothing is written.
    version = table.state().version
    done = run()
    assert (done.files, done.lines, done.refused, len(done.known)) == (0, 0, [], 3)
    assert table.state().version == version
    packed.rename(logs / "renamed")
    done = run()
    assert (done.lines, len(done.known)) == (0, 3) and len(ids_of(table)) == 9


def test_a_bad_file_does_not_keep_others_out(spark: SparkSession, tmp_path: Path) -> None:
    logs, table = tmp_path / "logs", Table(spark, str(tmp_path / "table"))
    logs.mkdir()
    whole = gzip.compress(b"".join(text(id_) for id_ in range(100, 1000)))
    for name, content in (
            ("good.log", text(1, 2)), ("half.log", text(3) + b"x\n"), ("cut.log.gz", whole[:-1000]),
            ("broken.gz", whole[:900] + b"x" * 100 + whole[1000:]), ("server.log", b"x\n\ny\n"),
            ("packed.zip", b"PK\x03\x04"), ("zstd", zstandard.compress(text(7))[:-9])):
        (logs / name).write_bytes(content)
    os.mkfifo(logs / "fifo")
    (logs / "_hidden.log").write_bytes(text(8))
    done = ingest(spark, [str(logs), str(tmp_path / "none"), str(logs / "fifo"), str(logs / "_hidden.log")],
                  table, Options(), 0.4)
    assert [(file.name, file.lines) for file in done.taken] == [
        (str(logs / "_hidden.log"), 1), (str(logs / "good.log"), 2)]
    refused = {sentence_.partition(": ")[0].removeprefix(f"{tmp_path}/"): sentence_.partition(": ")[2]
               for sentence_ in done.refused}
    ends_early = "archive ends early or is damaged; bring it whole, or unpack what there is of it"
    assert refused == {
        "logs/half.log": "1 of 2 new lines are not requests, more than the share 0.4 (1: not a request)",
        "logs/cut.log.gz": f"the gzip {ends_early}", "logs/broken.gz": f"the gzip {ends_early}",
        "logs/zstd": f"the Zstandard {ends_early}",
        "logs/server.log": "no line is a request (2: not a request; 1: an empty line); nothing of it is in "
                           "the table",
        "logs/packed.zip": "compressed with zip, which kreactor does not read; unpack it with unzip",
        "none": "there is no such file",
        "logs/fifo": "not a regular file; pipe its content in, with - as the file"}
    assert (done.requests, done.reasons, table.quarantine().count()) == (3, {}, 0)
    assert ids_of(table) == [1, 2, 8]
    # A file that was refused may come again.
    (logs / "cut.log.gz").write_bytes(whole)
    done = ingest(spark, [str(logs / name) for name in ("cut.log.gz", "half.log", "good.log")], table,
                  Options())
    assert (done.requests, done.reasons, done.refused) == (901, {"not a request": 1}, [])
    assert table.requests().count() == 904
    assert not (tmp_path / "table" / "_staging").exists()


FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "bz2": bz2.compress, "zst": zstandard.compress, "xz": lzma.compress,
    "lz4": lz4.frame.compress, "plain": bytes}


def test_a_compression_is_told_by_the_content(spark: SparkSession, tmp_path: Path) -> None:
    logs, table = tmp_path / "logs", Table(spark, str(tmp_path / "table"))
    logs.mkdir()
    expected = {}
    for number, (name, pack) in enumerate(FORMATS.items()):
        for at, path in enumerate((f"request.log.{name}", f"request{name}.1", f"wrong{number}.gz",
                                   f"glob[{number}]*{{a}}?\\.log", f"[a-z]{number}.log")):
            id_ = 10 * number + at + 1
            (logs / path).write_bytes(pack(text(id_, 1000 + id_)))
            expected[id_] = str(logs / path)
    done = ingest(spark, [str(logs)], table, Options())
    assert (done.files, done.requests, done.refused) == (30, 60, [])
    rows = table.requests().where("line = 1").collect()
    assert {row["correlation_id"]: row["file"] for row in rows} == expected


@pytest.mark.parametrize("is_local", [True, False])
def test_large_pieces_are_cut_at_lines(spark: SparkSession, tmp_path: Path, is_local: bool,
                                       monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kreactor.pipeline.ingest._PIECE_BYTES", 2 << 20)
    # Tasks read standard input as pieces, and the JVM also a file whose compression it does not know.
    monkeypatch.setattr("kreactor.pipeline.store.LocalStore.is_local", is_local)
    log, table = tmp_path / "request", Table(spark, str(tmp_path / "table"))
    ids = range(1, 6001)
    log.write_bytes(lzma.compress(text(*ids) + line(request(correlation_id=6001)).encode(), preset=0))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    assert ingest(spark, ["-" if is_local else str(log)], table, Options()).requests == 6001
    assert table.requests().where("line != correlation_id").count() == 0


def test_a_file_that_changes_while_it_is_read_is_refused(spark: SparkSession, tmp_path: Path,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    logs, table = tmp_path / "logs", Table(spark, str(tmp_path / "table"))
    logs.mkdir()
    names = ("cut", "replaced", "grown", "copied")
    for number, name in enumerate(names):
        (logs / name).write_bytes(text(*range(10 * number, 10 * number + 9)))
    (logs / "copied").write_bytes(gzip.compress(text(98, 99)))

    def change(*arguments: Any) -> Any:
        (logs / "cut").write_bytes(text(0))
        (logs / "replaced").write_bytes(text(*range(50, 59)))
        (logs / "grown").write_bytes(text(*range(20, 40)))
        (logs / "copied").write_bytes(b"")
        return written(*arguments)

    written = ingest_module._write_files
    monkeypatch.setattr(ingest_module, "_write_files", change)
    done = ingest(spark, [str(logs)], table, Options())
    assert [(file.name, file.lines) for file in done.taken] == [(str(logs / "grown"), 9)]
    assert done.refused == sorted(f"{logs / name}: changed while it was read; the next ingest takes it"
                                  for name in ("cut", "replaced", "copied"))
    assert ids_of(table) == [*range(20, 29)]
    monkeypatch.undo()
    assert ingest(spark, [str(logs)], table, Options()).lines == 1 + 9 + 11
    assert ids_of(table) == [0, *range(20, 40), *range(50, 59)]


def test_of_two_ingests_at_once_one_takes_the_log(spark: SparkSession, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    log, other = tmp_path / "request.log", tmp_path / "other.log"
    table = Table(spark, str(tmp_path / "table"))
    log.write_bytes(text(1, 2))
    other.write_bytes(text(10))
    between: list[Ingested] = []

    def meanwhile(*arguments: Any) -> Any:
        if not between:
            between.append(done)
            # The other process sees the file a line later, and a file that this one does not take.
            with log.open("ab") as more:
                more.write(text(3))
            between[0] = ingest(spark, [str(log), str(other)], Table(spark, str(tmp_path / "table")),
                                Options())
            with log.open("ab") as more:
                more.write(text(4))
        return written(*arguments)

    written, done = ingest_module._write_files, Ingested("", 0, 0, 0, {}, 0)
    monkeypatch.setattr(ingest_module, "_write_files", meanwhile)
    done = ingest(spark, [str(log)], table, Options())
    assert between[0].lines == 4 and done.taken == [TakenFile(str(log), 3, 1)]
    assert ids_of(table) == [1, 2, 3, 4, 10]


def test_standard_input(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(spark, str(tmp_path / "table"))
    for content, lines in ((gzip.compress(text(1, 2)), 2), (text(1, 2, 3), 1), (text(1, 2), 0)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        done = ingest(spark, ["-"], table, Options())
        assert (done.lines, len(done.known), done.refused) == (lines, not lines, [])
    rows = table.requests().orderBy("line").collect()
    assert [(row["file"], row["line"], row["correlation_id"]) for row in rows] == [
        ("-", number, number) for number in (1, 2, 3)]


def test_a_log_without_a_request_is_refused_with_the_reasons(spark: SparkSession, tmp_path: Path) -> None:
    log, table = tmp_path / "request.log", Table(spark, str(tmp_path / "table"))
    log.write_text("x\n\ny\n")
    done = ingest(spark, [str(log)], table, Options())
    assert done.refused == [f"{log}: no line is a request (2: not a request; 1: an empty line); nothing of "
                            "it is in the table"]
    assert not table.exists()


def test_an_empty_log_is_taken(spark: SparkSession, tmp_path: Path) -> None:
    done, requests, rest = take(spark, tmp_path, [])
    assert (done.files, done.lines, requests, rest) == (1, 0, [], [])


def test_no_files(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, str(tmp_path / "table"))
    (tmp_path / "empty").mkdir()
    done = ingest(spark, [str(tmp_path / "empty"), str(tmp_path / "none.log")], table, Options())
    assert done.refused == [f"{tmp_path}/empty: no files in it",
                            f"{tmp_path}/none.log: there is no such file"]
    assert not table.exists()


def test_a_folder_of_something_else_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("")
    with pytest.raises(PipelineFailure, match="photo.jpg"):
        ingest(spark, [str(SAMPLE)], Table(spark, str(tmp_path)), Options())


@pytest.mark.parametrize("pattern, path, broker", [
    ("/logs/([^/]+)/", "/logs/b1/request.log", "b1"),
    (r"kafka-\d+", "/var/log/kafka-12/request.log", "kafka-12"),
    (r"(?P<rack>r\d)/(?P<broker>b\d)/", "/logs/r1/b2/request.log", "b2"),
    ("/logs/(b[^/]*)?", "/logs/other/request.log", "the other one"),
    ("/brokers/([^/]+)/", "/logs/b1/request.log", "the other one"),
])
def test_the_broker_is_found_in_the_path(pattern: str, path: str, broker: str) -> None:
    assert Options("the other one", broker_from=check_pattern(pattern)).broker_of(path) == broker


def test_a_path_without_a_broker_is_refused() -> None:
    with pytest.raises(PipelineFailure, match=(
            "^/a.log: --broker-from /b/ finds no broker in this path; give --broker NAME for such files$")):
        Options(broker_from=check_pattern("/b/")).broker_of("/a.log")


@pytest.mark.parametrize("pattern, told", [
    ("(", "--broker-from (: not a regular expression: missing ), unterminated subpattern at position 0"),
    ("(a)(b)", "--broker-from (a)(b): has 2 groups; write the one with the broker's name as (?P<broker>...)"),
])
def test_a_pattern_for_brokers_names_one_group(pattern: str, told: str) -> None:
    with pytest.raises(PipelineFailure, match=f"^{re.escape(told)}$"):
        check_pattern(pattern)


def test_each_line_has_the_broker_of_its_path(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, str(tmp_path / "table"))
    for broker in ("b 1", "b2"):
        (tmp_path / "logs" / broker).mkdir(parents=True)
        (tmp_path / "logs" / broker / "request.log").write_text(f"{line(request(listener=broker))}\n" * 2)
    options = Options(broker_from=check_pattern("/logs/([^/]+)/"))
    assert ingest(spark, [str(tmp_path / "logs")], table, options).requests == 4
    assert sorted((row["broker"], row["listener"]) for row in table.requests().collect()) == [
        ("b 1", "b 1")] * 2 + [("b2", "b2")] * 2


def test_a_scan_ends_when_it_is_cancelled_and_the_next_ingest_works(
        spark: SparkSession, tmp_path: Path) -> None:
    # The scan of its zeros takes minutes; they take no space.
    large = tmp_path / "large.log"
    large.touch()
    os.truncate(large, 1 << 37)
    table = Table(spark, str(tmp_path / "table"))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            ingest(spark, [str(large)], table, Options())
        except KeyboardInterrupt as e:
            ended.append(e)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    process = psutil.Process()
    while worker.is_alive() and str(large) not in [each.path for each in process.open_files()]:
        time.sleep(0.01)
    cancel_work()
    worker.join(60)
    assert not worker.is_alive() and len(ended) == 1
    assert not table.exists()
    (tmp_path / "small.log").write_text(f"{line(request())}\n")
    assert ingest(spark, [str(tmp_path / "small.log")], table, Options()).requests == 1


def test_a_part_waits_for_the_next_ingest(spark: SparkSession, tmp_path: Path) -> None:
    log, table, text = tmp_path / "request.log", Table(spark, str(tmp_path / "table")), line(request())
    log.write_text(f"2026-11-21T10:00:00Z stdout F {text}\n2026-11-21T10:00:00Z stdout P {text[:90]}\n")
    done = ingest(spark, [str(log)], table, Options())
    assert (done.lines, done.requests, done.unfinished) == (1, 1, [str(log)])
    done = ingest(spark, [str(log)], table, Options())
    assert (done.lines, done.known, done.unfinished) == (0, [str(log)], [str(log)])
    with log.open("a") as more:
        more.write(f"2026-11-21T10:00:00Z stdout F {text[90:]}\n")
    done = ingest(spark, [str(log)], table, Options())
    assert (done.lines, done.requests, done.reasons, done.unfinished) == (2, 1, {JOINED: 1}, [])
