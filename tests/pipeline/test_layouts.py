# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Each layout as its producer writes it: the requests in it, their times, and the reasons of other lines."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from kreactor.pipeline.layouts import (
    EMPTY,
    FIELD,
    JOINED,
    MALFORMED,
    MARK,
    NOT_A_REQUEST,
    NOT_JSON,
    NOT_UTF8,
    SEVERAL,
    SPREAD,
    Line,
    LineReader,
    is_part,
    needs_order,
)
from kreactor.pipeline.times import NO_DATE, NO_ORDER, NO_SUCH_TIME, NO_TIME, Times
from tests.pipeline.logs import request

GOOD = request()
MESSAGE = MARK + json.dumps(GOOD, separators=(",", ":"))
# The time of BEGIN's second that the layouts below have, in UTC.
AT = datetime(2026, 11, 21, 3, 3, 12, 288_000, timezone.utc)
TIMES = Times(today=date(2026, 11, 28))


def read(*lines: str | bytes, times: Times = TIMES) -> list[Line]:
    """Return what the lines of a file are, by their numbers."""
    reader = LineReader(times)
    found = [line for number, text in enumerate(lines, 1)
             for line in reader.read(number, text if isinstance(text, bytes) else text.encode())]
    return sorted([*found, *reader.finish()])


def only(text: str | bytes, times: Times = TIMES) -> Line:
    found = read(text, times=times)
    assert len(found) == 1
    return found[0]


def moment(line: Line) -> datetime:
    assert line.reason is None and line.time is not None, line
    assert line.request is not None and GOOD.items() <= line.request.items()
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=line.time)


def dumped(*more: Any, **members: Any) -> str:
    """Return an object in one line, as log4j and Docker write it."""
    return json.dumps({**(more[0] if more else {}), **members}, separators=(",", ":"))


LOG4J = {"thread": "request-handler-0", "level": "DEBUG", "loggerName": "kafka.request.logger",
         "message": MESSAGE, "endOfBatch": False, "loggerFqcn": "org.apache.logging.log4j.spi.AbstractLogger",
         "threadId": 42, "threadPriority": 5}
DOCKER = {"stream": "stdout", "time": "2026-11-21T03:03:12.288Z"}
LAYOUTS = {
    "Kafka's own": f"[2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)",
    "log4j ISO8601": f"2026-11-21T03:03:12,288 DEBUG {MESSAGE}",
    "log4j ISO8601_BASIC": f"20261121T030312,288 DEBUG {MESSAGE}",
    "log4j ISO8601_OFFSET_DATE_TIME_HH": f"2026-11-21T04:03:12,288+01 DEBUG {MESSAGE}",
    "log4j ISO8601_OFFSET_DATE_TIME_HHMM": f"2026-11-21T04:03:12,288+0100 DEBUG {MESSAGE}",
    "log4j ISO8601_OFFSET_DATE_TIME_HHCMM": f"2026-11-21T04:03:12,288+01:00 DEBUG {MESSAGE}",
    "log4j DATE": f"21 Nov 2026 03:03:12,288 [handler-1] DEBUG {MESSAGE}",
    "log4j COMPACT": f"20261121030312288 DEBUG {MESSAGE}",
    "log4j UNIX_MILLIS": f"1795230192288 DEBUG {MESSAGE}",
    "log4j UNIX_MILLIS in brackets": f"[1795230192288] DEBUG {MESSAGE}",
    "slashes": f"2026/11/21 03:03:12.288 DEBUG {MESSAGE}",
    "a zone's name": f"[2026-11-21 04:03:12,288 CET] DEBUG {MESSAGE}",
    "a zone's id": f"2026-11-20T22:03:12.288-05:00[America/New_York] DEBUG {MESSAGE}",
    "a zone's id alone": f"2026-11-21 12:03:12,288 Asia/Tokyo DEBUG {MESSAGE}",
    "GMT and an offset": f"2026-11-21 04:03:12,288 GMT+01:00 DEBUG {MESSAGE}",
    "a level that is no zone": f"[2026-11-21 03:03:12,288 DEBUG] {MESSAGE}",
    "log4j JsonLayout": dumped(
        {"instant": {"epochSecond": 1795230192, "nanoOfSecond": 288_000_000}}, **LOG4J),
    "log4j JsonLayout with timeMillis": dumped({"timeMillis": 1795230192288}, **LOG4J),
    "log4j JsonLayout, complete": ", " + dumped({"timeMillis": 1795230192288}, **LOG4J),
    "log4j JsonTemplateLayout, ECS": dumped(
        {"@timestamp": "2026-11-21T03:03:12.288Z", "ecs.version": "1.2.0", "log.level": "DEBUG",
         "message": MESSAGE, "process.thread.name": "handler-1", "log.logger": "kafka.request.logger"}),
    "log4j JsonTemplateLayout, Logstash": dumped(
        {"@version": 1, "source_host": "kafka-0", "message": MESSAGE, "thread_name": "handler-1",
         "@timestamp": "2026-11-21T03:03:12.288+00:00", "level": "DEBUG"}),
    "log4j JsonTemplateLayout, GELF": dumped(
        {"version": "1.1", "host": "kafka-0", "short_message": MESSAGE, "timestamp": 1795230192.288,
         "level": 7}),
    "members of the request beside others": dumped(
        {"@timestamp": "2026-11-21T03:03:12.288Z", "level": "DEBUG"}, **GOOD),
    "the request as a member": dumped({"ts": "2026-11-21T03:03:12.288Z", "message": GOOD}),
    "a hit of Elasticsearch": dumped(
        {"_index": "kafka", "_source": {"@timestamp": "2026-11-21T03:03:12.288Z", "message": MESSAGE}}),
    "Docker": dumped({"log": f"[2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)\n"}, **{
        **DOCKER, "time": "2026-11-21T03:03:12.299123456Z"}),
    "Docker, with no time in the line": dumped({"log": f"DEBUG {MESSAGE}\n"}, **DOCKER),
    "Docker, with half a time in the line": dumped({"log": f"03:03:12,288 DEBUG {MESSAGE}\n"}, **DOCKER),
    "Docker around log4j's JSON": dumped({"log": dumped({"timeMillis": 1795230192288}, **LOG4J) + "\n"}, **{
        **DOCKER, "time": "2026-11-21T03:03:13Z"}),
    "CRI": f"2026-11-21T04:03:12.288123456+01:00 stdout F DEBUG {MESSAGE}",
    "CRI around Kafka's own":
        f"2026-11-21T03:03:12.299123456Z stdout F [2026-11-21 03:03:12,288] DEBUG {MESSAGE}",
    "journald short": f"Nov 21 03:03:12.288000 kafka-0 kafka[712]: DEBUG {MESSAGE}",
    "journald short-iso": f"2026-11-21T03:03:12.288000+0000 kafka-0 kafka[712]: DEBUG {MESSAGE}",
    "journald short-full": f"Sat 2026-11-21 03:03:12.288 UTC kafka-0 kafka[712]: DEBUG {MESSAGE}",
    "journald short-unix": f"1795230192.288000 kafka-0 kafka[712]: DEBUG {MESSAGE}",
    "journald json": dumped({"__REALTIME_TIMESTAMP": "1795230192288000", "_PID": "712", "MESSAGE": MESSAGE}),
    "syslog of RFC 3164": f"<15>Nov 21 03:03:12.288 kafka-0 kafka[712]: {MESSAGE}",
    "syslog of RFC 5424": f'<15>1 2026-11-21T04:03:12.288+01:00 kafka-0 kafka 712 - [a b="c"] {MESSAGE}',
    "syslog around Kafka's own":
        f"Nov 21 03:03:13 kafka-0 kafka: [2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)",
    "syslog around log4j's JSON":
        "Nov 21 03:03:13 kafka-0 kafka: " + dumped({"timeMillis": 1795230192288}, **LOG4J),
    "kubectl logs --prefix --timestamps":
        f"[pod/kafka-0/kafka] 2026-11-21T03:03:12.299123456Z [2026-11-21 03:03:12,288] DEBUG {MESSAGE}",
    "stern": f"kafka-0 kafka [2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)",
    "docker compose": f"kafka-0  | [2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)",
    "Loki": f'2026-11-21T03:03:13Z {{app="kafka"}} [2026-11-21 03:03:12,288] DEBUG {MESSAGE}',
    "Windows": f"[2026-11-21 03:03:12,288] DEBUG {MESSAGE} (kafka.request.logger)\r",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout(layout: str) -> None:
    assert moment(only(LAYOUTS[layout])).replace(microsecond=288_000) == AT


@pytest.mark.parametrize("head, reason", [
    ("DEBUG ", NO_TIME),
    ("03:03:12,288 DEBUG ", NO_DATE),
    ("[2026-11-21 03:03:12,288 XYZ] ",
     "XYZ is no time zone, or several; --zone names it, as in America/Chicago"),
    ("2026-11-21 03:03:12,288 CST DEBUG ",
     "CST is no time zone, or several; --zone names it, as in America/Chicago"),
    ("2026-11-21 03:03:12,288 Europe/Atlantis DEBUG ",
     "Europe/Atlantis is no time zone, or several; --zone names it, as in America/Chicago"),
    ("11/02/2026 03:03:12,288 DEBUG ", NO_ORDER), ("21.11.26 03:03:12 DEBUG ", NO_ORDER),
    ("2026-02-30 03:03:12,288 DEBUG ", NO_SUCH_TIME), ("[2026-11-21 25:03:12,288] DEBUG ", NO_SUCH_TIME),
    ("Feb 30 03:03:12 kafka-0 ", NO_SUCH_TIME),
])
def test_a_time_that_is_refused(head: str, reason: str) -> None:
    assert only(head + MESSAGE).reason == reason


@pytest.mark.parametrize("text, reason", [
    ("", EMPTY), (" \t\r", EMPTY),
    ("[2026-11-21 10:00:00,000] INFO Awaiting socket connections (kafka.network.DataPlaneAcceptor)",
     NOT_A_REQUEST),
    ("\tat java.base/java.lang.Thread.run(Thread.java:840)", NOT_A_REQUEST),
    ("DEBUG}", NOT_A_REQUEST),
    ("}", NOT_A_REQUEST),
    (b"\xff\xfe\x00", NOT_UTF8),
    ("[2026-11-21 10:00:00,000] DEBUG Completed request:RequestHeader(apiKey=METADATA) -- {topics=[]}",
     NOT_JSON),
    (LAYOUTS["Kafka's own"] * 2, SEVERAL),
    (LAYOUTS["Kafka's own"][:150], MALFORMED),
    (LAYOUTS["Kafka's own"][:150] + "[2026-11-21 10:00:00,000] INFO other", MALFORMED),
    ("[2026-11-21 03:03:12,288] DEBUG " + MARK + '{"totalTimeMs":NaN}', MALFORMED),
    ("[2026-11-21 03:03:12,288] DEBUG " + MARK + '{"a":' + "[" * 100_000, MALFORMED),
    (LAYOUTS["log4j JsonLayout"][:-300], MALFORMED),
    (dumped({"log": "started\n"}, **DOCKER), NOT_A_REQUEST),
    (dumped({"@timestamp": "2026-11-21T03:03:12.288Z", "message": "started"}), NOT_A_REQUEST),
    # JsonTemplateLayout cuts a message that is longer than its maxStringLength.
    (dumped({"@timestamp": "2026-11-21T03:03:12.288Z", "message": MESSAGE[:100] + "…"}), MALFORMED),
    (dumped({"message": MESSAGE}), NO_TIME),
    (dumped({"log": MESSAGE[:99]}, **DOCKER), MALFORMED),
])
def test_a_line_that_is_not_a_request(text: str | bytes, reason: str) -> None:
    assert only(text).reason == reason


def test_json_over_several_lines_is_said_to_be_so() -> None:
    said = json.dumps({"instant": {"epochSecond": 1795230192}, "list": [1, {}], **LOG4J}, indent=2)
    lines = [*said.split("\n"), *json.dumps([LOG4J], indent=2).split("\n"), LAYOUTS["Kafka's own"]]
    found = read(*lines)
    assert {line.reason for line in found[:-1]} == {SPREAD}
    assert moment(found[-1]) == AT
    # A reader that begins in the middle may not know what a bracket or a number is.
    assert [line.reason for line in read(*lines[4:10])] == [SPREAD, *[NOT_A_REQUEST] * 3, SPREAD, SPREAD]


def long_request() -> tuple[dict[str, Any], str]:
    said = request(request={"topics": [{"name": f"topic-{n}", "text": '"\\é\n'} for n in range(2000)]})
    return said, MARK + json.dumps(said, separators=(",", ":"))


def test_parts_of_docker_are_joined() -> None:
    said, message = long_request()
    text = f"[2026-11-21 03:03:12,288] DEBUG {message} (kafka.request.logger)\n"
    parts = [text[at:at + 16384] for at in range(0, len(text), 16384)]
    assert len(parts) > 3
    lines = [dumped({"log": part}, **DOCKER) for part in parts]
    # Those of another stream are between them.
    lines[2:2] = [dumped({"log": "a warning\n", "stream": "stderr", "time": "2026-11-21T03:03:12.288Z"})]
    found = read(LAYOUTS["Docker"], *lines, LAYOUTS["Docker"])
    assert [line.reason for line in found] == [
        None, None, JOINED, NOT_A_REQUEST, *[JOINED] * (len(parts) - 2), None]
    assert found[1].request == said and found[1].text == lines[0]
    assert [is_part(line.encode()) for line in lines] == [
        True, True, False, *[True] * (len(parts) - 3), False]


def test_what_a_killed_container_did_not_write_is_missing_from_its_line_only() -> None:
    cut = dumped({"log": LAYOUTS["Kafka's own"][:200]}, **DOCKER)
    found = read(cut, LAYOUTS["Docker"], cut)
    assert [line.reason for line in found] == [MALFORMED, None, MALFORMED]


def test_lines_of_docker_whose_line_feed_a_tool_has_removed() -> None:
    line = dumped({"log": LAYOUTS["Kafka's own"]}, **DOCKER)
    other = dumped({"log": "started"}, **DOCKER)
    assert [line.reason for line in read(other, line, line, other)] == [
        NOT_A_REQUEST, None, None, NOT_A_REQUEST]


def test_parts_of_cri_are_joined() -> None:
    said, message = long_request()
    text = f"DEBUG {message} (kafka.request.logger)"
    parts = [text[at:at + 16384] for at in range(0, len(text), 16384)]
    lines = [f"2026-11-21T03:03:12.288123456Z stdout {'F' if part is parts[-1] else 'P'} {part}"
             for part in parts]
    lines[1:1] = ["2026-11-21T03:03:12.288123456Z stderr F a warning"]
    found = read(*lines, LAYOUTS["CRI"], lines[0])
    assert [line.reason for line in found] == [
        None, NOT_A_REQUEST, *[JOINED] * (len(parts) - 1), None, MALFORMED]
    assert found[0].request == said and is_part(lines[0].encode()) and not is_part(lines[-1].encode())


def test_a_journal_in_its_export_format() -> None:
    entry = ["__CURSOR=s=1", "__REALTIME_TIMESTAMP=1795230192288000", "__MONOTONIC_TIMESTAMP=7", "_BOOT_ID=1",
             "PRIORITY=6", f"MESSAGE={MESSAGE}", "_PID=712", ""]
    found = read(*entry, *entry)
    assert [line.reason for line in found] == [*[FIELD] * 5, None, FIELD, EMPTY] * 2
    assert moment(found[5]) == AT


@pytest.mark.parametrize("head, ordered", [
    (LAYOUTS["Kafka's own"], False), (LAYOUTS["log4j JsonLayout"], False), (LAYOUTS["Docker"], True),
    (LAYOUTS["CRI"], True), ("__CURSOR=1\n", True), ("{\n", True), ("", False)])
def test_whether_a_file_needs_one_reader(head: str, ordered: bool) -> None:
    assert needs_order(head.encode(), TIMES) is ordered
    assert needs_order(head.encode(), Times(day="2026-11-21"))
