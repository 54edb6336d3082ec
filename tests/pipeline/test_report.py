# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The page: its figures, its size, its charts and tables, and nothing in it that a client wrote as markup."""

from __future__ import annotations

import ast
import functools
import gzip
import json
import math
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kreactor.pipeline import charts, page, report
from kreactor.pipeline.check import ADVERTISED, UNAUTHENTICATED, Verdict
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.latency import STAGES
from kreactor.pipeline.report import render, write_report
from kreactor.pipeline.summary import (
    DECADE_BINS,
    MOST_APIS,
    MOST_CLIENTS,
    MOST_ERRORS,
    MOST_OF_A_SPLIT,
    MOST_REQUESTS,
    MOST_TIMED_APIS,
    TIME_BINS,
    Bins,
    Groups,
    Side,
    Summary,
    at,
    summarize,
)
from kreactor.pipeline.table import Table
from tests.pipeline.conftest import SAMPLE, THROTTLED
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

HOSTILE = [
    "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "</style>", "<!--", "]]>", "{}", "{0.__class__}", "%s", "javascript:alert(1)",
    "</bdi></td></table></section>", "<base href=//example.org>", "&lt;b&gt;", "\x00\x1b[2J",
    "\u202egnp.exe", "\ud800", "", "a\u0300" * 40,
    "W" * 10_000, "<" * 10_000]
# A bound of the page's size, for the largest summary.
BYTES = 5_000_000
EVIL = HOSTILE[0]


class Structure(HTMLParser):
    """The elements of a page, without its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        # The charts and tables of each section.
        self.sections: dict[str, Counter[str]] = defaultdict(Counter)
        self.section = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Where a line may be broken depends on the text.
        if tag != "wbr":
            self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.section = dict(attrs).get("id") or ""
        self.sections[self.section][f"{tag}.{(dict(attrs).get('class') or '').partition(' ')[0]}"] += 1
        if tag not in ("meta", "link", "br", "path", "rect", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "rect"):
            assert self.open.pop() == tag


def names(hostile: bool) -> Iterator[str]:
    """Yield names without end: of strangers who mean harm, or harmless ones."""
    number = 0
    while True:
        text = f"{HOSTILE[number % len(HOSTILE)]}{number // len(HOSTILE) or ''}"
        yield text if hostile else f"name{number}"
        number += 1


def full(name: str, texts: Iterator[str], days: int = 0) -> Summary:
    """Return a summary with all that it may have at most; each text in it is one of ``texts``."""
    def measures(**more: Any) -> dict[str, Any]:
        return {"count": 1234567, "served_sum_ms": 1e9, "served_ms": [1234.567] * 4, "max_ms": 99999.5,
                "queue_p99_ms": 123.456, "bytes": 10 ** 13, "errors": 123456, "throttled": 123456, **more}

    def requests() -> list[dict[str, Any]]:
        return [{"micros": 1795737600000000, "version": 17, "served_ms": 12345.678, "total_ms": 12345.678,
                 "throttle_ms": 1234.5, "line": 123456789, **dict.fromkeys(STAGES, 1234.567),
                 **{key: next(texts) for key in (
                     "api", "client_id", "principal", "connection", "listener", "broker", "file")}}
                for _ in range(MOST_REQUESTS)]

    apis: list[dict[str, Any]] = [
        {"api": next(texts), "count": 1234567, "mean_ms": 123.4, "sum_ms": 1e9,
         "total_ms": [1.5, 2.5, 3.5, 4.5], "max_ms": 5.5, "slow_from_ms": 2.5, "queue_p99_ms": 1.5,
         "errors": 5,
         **dict.fromkeys(STAGES, 1.5)} for _ in range(MOST_APIS)]
    over_time = {"count": 1234567, "p99_ms": 1234.567, "queue_p99_ms": 123.456, "queue_sum_ms": 1e5,
                 "local_sum_ms": 1e6, "throttled": 5, "throttle_sum_ms": 1234.5, "throttle_max_ms": 123.4}
    everyone = {"clients": 1204, "count": 10 ** 9, "served_ms": 1e12, "bytes": 10 ** 14, "errors": 10 ** 8,
                "throttled": 10 ** 8, "throttle_ms": 1e9, "slow": 10 ** 8}
    clients = [{"client_id": next(texts), "principal": next(texts), "software": next(texts), "count": 1234,
                "served_ms": 1e6 - number, "max_ms": 5e3, "bytes": 10 ** 9, "errors": 12, "throttled": 34,
                "throttle_ms": 5e3, "throttle_max_ms": 1e3, "slow": 17, "connections": 12}
               for number in range(5 * MOST_CLIENTS)]
    example = {key: next(texts) for key in ("file", "api", "connection")} | {"line": 17}
    begin = datetime(2026, 11, 27 + days, tzinfo=timezone.utc)
    return Summary(
        name, 10 ** 9, 12345, begin, begin.replace(hour=23, minute=59), 12345, False,
        Bins(round(begin.timestamp() * 1e6), 86_400_000 / TIME_BINS, TIME_BINS), Groups(apis, 61),
        Groups(clients, 1204), everyone, [api["api"] for api in apis[:MOST_TIMED_APIS]],
        [{"bin": number, **over_time} for number in range(TIME_BINS)],
        [{"api": api["api"], "bin": number, **over_time}
         for api in apis[:MOST_TIMED_APIS] for number in range(TIME_BINS)],
        [{"bin": number, "level": level, "count": 1 + 97 * level * level}
         for number in range(TIME_BINS) for level in range(-3 * DECADE_BINS, 10 * DECADE_BINS)],
        Groups([measures(broker=next(texts), request_queue_sum_ms=1e6, local_sum_ms=1e6, queue_most_ms=1e5,
                         local_most_ms=1e5) for _ in range(MOST_OF_A_SPLIT)], 99),
        Groups([measures(listener=next(texts), security_protocol=next(texts))
                for _ in range(MOST_OF_A_SPLIT)], 99),
        Groups([{"topic": next(texts), "bytes": 10 ** 12, "produce_count": 123456, "produce_bytes": 10 ** 12,
                 "produce_p99_ms": 1.5, "fetch_count": 123456, "fetch_bytes": 10 ** 12, "fetch_p99_ms": None}
                for _ in range(MOST_OF_A_SPLIT)], 10_000),
        requests(), requests(),
        Groups([{"api": next(texts), "code": 35, "count": 12345} for _ in range(MOST_ERRORS)], 41),
        [{"api": next(texts), "p99": 1234.5, "slow": 12345, "shares": dict.fromkeys(STAGES, 0.2),
          "explains": "local_ms"} for _ in range(MOST_APIS)],
        [Verdict(ADVERTISED, 12345, 3, [example] * 3), Verdict(UNAUTHENTICATED)])


@functools.cache
def both(hostile: bool) -> str:
    """Return the page of two such summaries."""
    texts = names(hostile)
    return render([full(next(texts) if hostile else "a", texts),
                   full("<" * 10_000 if hostile else "b", texts, 1)])


@functools.cache
def structure(hostile: bool) -> Structure:
    """Return the structure of that page."""
    return Structure(both(hostile))


def test_a_text_of_a_stranger_is_never_markup() -> None:
    harmless, hostile = structure(False), structure(True)
    assert hostile.open == [] and len(hostile.tags) > 5000
    # The same elements, with the same attributes but for what they say.
    assert [(tag, list(attributes)) for tag, attributes in hostile.tags] == [
        (tag, list(attributes)) for tag, attributes in harmless.tags]
    for tag, attributes in hostile.tags:
        assert not [name for name in attributes
                    if name.startswith("on") or name in ("src", "style", "srcdoc")]
        assert tag not in ("script", "img", "iframe", "base", "object", "embed", "form", "image", "use")
        assert re.fullmatch(r"#[a-z]+|data:,", attributes.get("href") or "data:,")


def test_the_page_is_bounded_whatever_the_table_has() -> None:
    text = both(True)
    assert len(text.encode()) < BYTES
    longest = max(re.findall(r"<bdi>(.*?)</bdi>", text), key=len)
    assert len(longest) < 10 * page.MOST_LETTERS
    said = re.sub(r"<[^>]+>", "", text)
    for left_out in (
            "60 of 1,204 clients: the first 12 by each of time, bytes, errors, throttle time and slow ",
            "1,144 others", "60 of 61 APIs", "25 of 99 brokers", "25 of 99 listeners", "25 of 10,000 topics",
            "40 of 41 pairs of API and error",
            "The first 25 are shown.", "(10,000 characters)"):
        assert left_out in said, left_out


def test_the_browser_is_told_to_load_nothing() -> None:
    text = both(True)
    policy = structure(True).tags[3][1]
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"] == ("default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                                 "base-uri 'none'; form-action 'none'")
    style = text[text.index("<style>"):text.index("</style>")]
    assert "url(" not in style and "@import" not in style


def test_a_table_is_behind_every_chart_and_all_of_it_is_reached_by_keys() -> None:
    found = structure(False)
    charted = {name for name, content in found.sections.items() if content["figure.chart"]}
    assert charted == {
        "clients", "time", "splits", "stages", "tails", "errors", "throttling", "heat", "limits"}
    for name in charted:
        assert found.sections[name]["table."], name
    # A chart of each measure over time, with a table for each API.
    over_time = found.sections["time"]
    assert over_time["figure.chart"] == 3 * over_time["table."] == 3 * over_time["details."]
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len({*ids}) == len(ids)
    links = [(attributes["href"] or "")[1:] for tag, attributes in found.tags if tag == "a"]
    assert {*links} <= {*ids} and {*found.sections} - {""} <= {*links} and links[0] == "first"
    for tag, attributes in found.tags:
        if "aria-labelledby" in attributes:
            assert attributes["aria-labelledby"] in ids
        if attributes.get("role") in ("region", "img"):
            assert attributes["aria-label"]
        if attributes.get("class") == "wide":
            assert (attributes["role"], attributes["tabindex"]) == ("region", "0")
    assert list(found.sections)[1:4] == ["clients", "compared", "apis"]


@pytest.mark.parametrize("module", [charts, page, report])
def test_markup_is_made_of_literals_alone(module: Any) -> None:
    def literal(node: ast.expr) -> bool:
        return (literal(node.body) and literal(node.orelse) if isinstance(node, ast.IfExp)
                else isinstance(node, ast.Constant))

    made = [node for node in ast.walk(ast.parse(Path(module.__file__).read_text()))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup"]
    assert made and all(literal(argument) for node in made for argument in node.args)


def said(log: Path) -> list[dict[str, Any]]:
    """Return what the lines of a compressed log say, each with its time in microseconds as ``at``."""
    found = []
    for text in gzip.decompress(log.read_bytes()).decode().splitlines():
        time = datetime.fromisoformat(f"{text[1:24].replace(',', '.')}+00:00")
        found.append({**json.loads(text[text.index("{"):text.rindex(" (")]),
                      "at": round(time.timestamp() * 1e6)})
    return found


def served_ms(one: dict[str, Any]) -> float:
    is_poll = one["requestHeader"]["requestApiKey"] in (1, 11, 14)
    return float(one["totalTimeMs"] - (one["remoteTimeMs"] if is_poll else 0))


def records_bytes(one: Any) -> int:
    if isinstance(one, dict):
        return sum(map(records_bytes, one.values()), int(one.get("recordsSizeInBytes", 0)))
    return sum(map(records_bytes, one)) if isinstance(one, list) else 0


@pytest.fixture(scope="module")
def side(sample: Table) -> Summary:
    """Give the summary of a real log."""
    return summarize([Side("Kafka", sample)], 600_000)[0]


def test_the_figures_of_clients(side: Summary) -> None:
    import numpy

    requests, by_api = said(SAMPLE), defaultdict(list)
    for one in requests:
        by_api[one["requestHeader"]["requestApiKeyName"]].append(served_ms(one))
    slow_from = {api: numpy.percentile(times, 99) for api, times in by_api.items()}
    expected: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in requests:
        api = one["requestHeader"]["requestApiKeyName"]
        expected[one["requestHeader"]["clientId"], one["principal"]].update({
            "count": 1, "served_ms": served_ms(one), "bytes": records_bytes(one),
            "errors": bool(re.search(r'rrorCode": -?[1-9]', json.dumps(one["response"]))),
            "throttled": one["throttleTimeMs"] > 0, "throttle_ms": one["throttleTimeMs"],
            "slow": int(served_ms(one) > slow_from[api])})
    for row in side.clients.rows:
        counted = expected[row["client_id"], row["principal"]]
        for name, value in counted.items():
            # Ties at the percentile of rounded values may fall on either side.
            assert row[name] == pytest.approx(value, abs=1 if name == "slow" else 0.01), (row, name)
    # The first client by each measure is shown.
    for measure in ("served_ms", "bytes", "errors", "slow"):
        most = max(expected, key=lambda key: expected[key][measure])
        assert most in {(row["client_id"], row["principal"]) for row in side.clients.rows}
    assert side.clients.groups == len(expected) == side.all_clients["clients"]
    assert side.all_clients["bytes"] == sum(map(records_bytes, requests))


def test_the_figures_of_apis_over_time_and_of_the_queue(side: Summary) -> None:
    import numpy

    requests = said(SAMPLE)
    totals, served, over_time = defaultdict(list), defaultdict(list), defaultdict(list)
    for one in requests:
        api = one["requestHeader"]["requestApiKeyName"]
        totals[api].append(one["totalTimeMs"])
        number = int((one["at"] - side.bins.origin) // (side.bins.length_ms * 1000))
        served[api, number].append(served_ms(one))
        over_time[number].append(one["requestQueueTimeMs"])
    assert side.bins.length_ms == 5000 and side.bins.count <= TIME_BINS
    # Bins begin with the clock's.
    assert at(side.bins.origin).second % 5 == 0 and at(side.bins.origin).microsecond == 0
    for api in side.apis.rows:
        expected = numpy.percentile(totals[api["api"]], [50, 90, 99, 99.9])
        assert api["total_ms"] == pytest.approx(list(expected)) and api["max_ms"] == max(totals[api["api"]])
    assert {api["api"]: api["count"] for api in side.apis.rows} == {
        api: len(values) for api, values in totals.items()}
    shown = [api["api"] for api in side.apis.rows[:MOST_TIMED_APIS]]
    assert side.timed == shown
    assert {(row["api"], row["bin"]): row["p99_ms"] for row in side.api_times} == pytest.approx({
        key: numpy.percentile(values, 99) for key, values in served.items() if key[0] in shown})
    assert {row["bin"]: (row["count"], row["queue_sum_ms"]) for row in side.times} == {
        number: (len(values), pytest.approx(sum(values))) for number, values in over_time.items()}
    # The estimate is the rate times the mean queue time: the time in the queue per time that passed.
    queue_ms = sum(one["requestQueueTimeMs"] for one in requests)
    seconds = (side.end - side.begin).total_seconds()
    assert f"<td>{queue_ms / 1000 / seconds:.3f}</td>" in render([side]).partition('id="limits"')[2]


def test_the_figures_of_topics(side: Summary) -> None:
    requests = said(SAMPLE)
    ids = {topic["topicId"]: topic["name"] for one in requests if one["requestHeader"]["requestApiKey"] == 3
           for topic in one["response"]["topics"] if "topicId" in topic}
    expected: dict[str, Counter[str]] = defaultdict(Counter)
    for one in requests:
        key = one["requestHeader"]["requestApiKey"]
        named = {0: one["request"].get("topicData"), 1: one["response"] and one["response"].get("responses")}
        for topic in named.get(key) or ():
            name = topic.get("name") or topic.get("topic") or ids.get(topic.get("topicId"))
            kind = "fetch" if key else "produce"
            expected[name or f"id {topic['topicId']}"].update({
                f"{kind}_count": 1, f"{kind}_bytes": records_bytes(topic)})
    assert side.topics is not None and side.topics.groups == len(expected)
    for row in side.topics.rows:
        assert Counter({name: row[name] or 0 for name in (
            "produce_count", "produce_bytes", "fetch_count", "fetch_bytes")}) == expected[row["topic"]], row
    # Fetch answers with ids are counted by the topic's name.
    assert [row for row in side.topics.rows if row["fetch_bytes"] and row["produce_bytes"]
            and not row["topic"].startswith("id ")]


def test_slow_requests_are_named_by_file_and_line(side: Summary) -> None:
    requests = said(SAMPLE)
    for rows, is_poll in ((side.slowest, False), (side.polls, True)):
        chosen = sorted(((served_ms(one), number) for number, one in enumerate(requests, 1)
                         if (one["requestHeader"]["requestApiKey"] in (1, 11, 14)) == is_poll), reverse=True)
        assert [row["served_ms"] for row in rows] == pytest.approx(
            [value for value, _ in chosen[:MOST_REQUESTS]], abs=0.002)
        for row in rows:
            one = requests[row["line"] - 1]
            assert (row["connection"], row["total_ms"], row["micros"]) == (
                one["connection"], one["totalTimeMs"], one["at"])
    # A poll that waited long is not among the first for that.
    assert max(side.polls, key=lambda row: row["total_ms"]) != side.polls[0]
    text = render([side])
    slow = text[text.index('id="slow"'):text.index('id="polls"')]
    assert re.search(rf"{SAMPLE.name}</bdi>:{side.slowest[0]['line']}</code>", slow)


def test_two_logs_side_by_side(spark: SparkSession, sample: Table, tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text("".join(
        f"{line(request(connection=EVIL, throttleTimeMs=9, listener=EVIL, stages=(9, 9, 0, 9, 9)), at_ms)}\n"
        # The last is of another day than the sample's.
        for at_ms in (*range(0, 4000, 100), 86_400_000)).replace("a client", EVIL) + "".join(
            # Numbers that are no duration.
            f"{line(request(totalTimeMs=number, localTimeMs=number, throttleTimeMs=number), 5000)}\n"
            for number in (math.nan, math.inf, 1e300, -1.0)))
    other = Table(spark, str(tmp_path / "table"))
    ingest(spark, [str(log)], other, Options())
    written = tmp_path / "page.html"
    size = write_report({"Kafka": sample, f"an<i>other{EVIL}": other}, str(written), 600_000, ["2026-11-21"])
    text = written.read_text()
    assert size == written.stat().st_size < BYTES
    assert EVIL not in text and "an<i>" not in text and "<script" not in text
    for word in ("PRODUCE", "UNSUPPORTED_VERSION (35)", "METADATA", "violated", "holds", 'class="worse"',
                 "<bdi>Kafka, 2026-11-21</bdi>", "<dd>4,054</dd>", "<dd>42</dd>",
                 "Topics: no request of this table names one"):
        assert word in text, word
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".report-")]


def test_two_days_of_one_table_are_compared_by_the_time_of_day(spark: SparkSession, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from kreactor.pipeline.cli import pipeline

    log, table, written = tmp_path / "request.log", tmp_path / "table", tmp_path / "page.html"
    day_ms = 86_400_000
    lines = [line(request(stages=(1, 2 + 4 * day, 0, 1, 1)), day * day_ms + 60_000 * minute)
             for day in range(3) for minute in range(day, 40)]
    other = request()
    other["requestHeader"]["clientId"] = "b"
    log.write_text("\n".join([*lines, line(other, day_ms + 60_000 * 45)]))
    ingest(spark, [str(log)], Table(spark, str(table)), Options())

    def run(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(pipeline, ["report", str(table), "--html", str(written), *arguments])
        return done.exit_code, done.output

    assert run("--name", "T", "--day", "2026-11-21", "--day", "2026-11-22")[0] == 0
    text = written.read_text()
    for word in ("<bdi>T, 2026-11-21</bdi>", "<bdi>T, 2026-11-22</bdi>", "10:00",
                 '<td class="worse">1.80</td>'):
        assert word in text, word
    compared = text[text.index('id="compared"'):text.index('id="apis"')]
    # A client of the second day alone.
    assert re.search(r"<bdi>b</bdi>.*?</th><td>–</td><td>1</td>", compared)
    over_time = text[text.index('id="time"'):text.index('id="splits"')]
    rows = re.findall(r'<tr><th scope="row">([\d:]+)</th>(.*?)</tr>', over_time.partition("</table>")[0])
    # 10:00 is of the first day alone, 10:45 of the second, and 10:01 of both.
    found = {time: re.findall(r"<td>(.*?)</td>", cells) for time, cells in rows}
    assert found["10:00:00"][2:4] == ["5.000", "–"] and found["10:01:00"][2:4] == ["5.000", "9.000"]
    assert found["10:45:00"][2:4] == ["–", "4.000"]
    for arguments, told in (
            (("--day", "2026-11-20"), "no requests on 2026-11-20"),
            (("--day", "21.11.2026"), "not a date such as"),
            (("--day", "2026-11-21") * 2, "two different days"),
            (("--day", "2026-11-21", "--day", "2026-11-22", "--against", str(table),
              "--name", "a", "--name", "b"), "takes no second --day")):
        status, output = run(*arguments)
        assert status == 2 and told in output and "Traceback" not in output, output


def test_throttling_is_told_by_client_and_is_no_part_of_the_total(
        spark: SparkSession, side: Summary, tmp_path: Path) -> None:
    not_throttled = side
    table = Table(spark, str(tmp_path / "table"))
    # As if the same had been on another broker too: a connection is of one broker.
    for broker in ("a", "b"):
        log = tmp_path / f"{broker}.log"
        # The same content under another name would be the same log.
        log.write_bytes(gzip.decompress(THROTTLED.read_bytes()).replace(
            b'"isForwarded":false', b'"isForwarded":false' if broker == "a" else b'"isForwarded": false'))
        ingest(spark, [str(log)], table, Options(broker))
    throttled: Counter[str] = Counter()
    connections: dict[str, set[str]] = {}
    for one in said(THROTTLED):
        client = one["requestHeader"]["clientId"]
        throttled[client] += one["throttleTimeMs"]
        connections.setdefault(client, set()).add(one["connection"])
    side, = summarize([Side("throttled", table)], 600_000)
    assert {row["client_id"]: row["throttle_ms"] for row in side.clients.rows} == {
        client: 2 * ms for client, ms in throttled.items()}
    assert {row["client_id"]: row["connections"] for row in side.clients.rows} == {
        client: 2 * len(names) for client, names in connections.items()}
    assert sum(row["throttle_sum_ms"] for row in side.times) == 2 * throttled.total()
    assert {row["principal"] for row in side.clients.rows} == {"User:ANONYMOUS"}
    assert side.requests == 2 * 46 and side.connections == 2 * sum(map(len, connections.values()))
    for api in side.apis.rows:
        assert sum(api[stage] for stage in STAGES) == pytest.approx(api["mean_ms"], abs=0.01)
    assert [row["broker"] for row in side.brokers.rows] == ["a", "b"]
    assert {row["count"] for row in side.brokers.rows} == {46}
    text = render([side])
    assert "Throttle time, sum" in text and f"<td>{2 * max(throttled.values()) / 1000:,.1f}</td>" in text
    assert "No request was throttled." in render([not_throttled])


def test_where_it_cannot_be_written(sample: Table, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match="cannot be written"):
        write_report({"x": sample}, str(tmp_path), 1)
    with pytest.raises(PipelineFailure, match="cannot be written"):
        write_report({"x": sample}, str(tmp_path / "none" / "page.html"), 1)


def test_a_table_that_is_not_there(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PipelineFailure, match="no table of requests"):
        write_report({"x": Table(spark, str(tmp_path / "t"))}, str(tmp_path / "page.html"), 1)


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MEASURE = """<script>
addEventListener("load", () => {
  const boxes = [...document.querySelectorAll(".plot svg")].map(plot => plot.getBoundingClientRect());
  parent.postMessage(JSON.stringify({
    width: innerWidth, scroll: document.documentElement.scrollWidth,
    plots: [boxes.length, Math.min(...boxes.map(box => box.width)),
            Math.min(...boxes.map(box => box.height))],
    lines: [...document.querySelectorAll("path.line")].map(line => [
      line.getTotalLength() > 0, getComputedStyle(line).stroke, getComputedStyle(line).fill]),
    sticking: [...document.querySelectorAll("main *")].filter(
      each => each.getBoundingClientRect().right > innerWidth && !each.closest(".wide, .name")).length,
    card: getComputedStyle(document.querySelector("section")).backgroundColor,
  }), "*");
});
</script>"""
# Chromium's own window is at least 500 pixels wide.
FRAME = """<!DOCTYPE html><pre id="measured"></pre>
<script>onmessage = event => document.getElementById("measured").textContent = event.data;</script>
<iframe src="page.html" width="{}" height="2000" style="border: 0"></iframe>"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("width, dark", [(400, True), (1920, False)])
def test_plots_are_seen_and_nothing_sticks_out(tmp_path: Path, width: int, dark: bool) -> None:
    text, policies = re.subn(r"<meta http-equiv[^>]*>", "", render([full("W" * 10_000, names(True))]))
    assert policies == 1
    (tmp_path / "page.html").write_text(text.replace("</body>", f"{MEASURE}</body>"))
    frame = tmp_path / "frame.html"
    frame.write_text(FRAME.format(width))
    theme = ["--blink-settings=preferredColorScheme=0"] if dark else []
    done = subprocess.run(
        [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", *theme,
         f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", frame.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    measured = json.loads(done.stdout.partition('<pre id="measured">')[2].partition("</pre>")[0])
    assert measured["scroll"] <= measured["width"] == width and measured["sticking"] == 0
    number, least_width, least_height = measured["plots"]
    assert number == 33 and least_width > 200 and least_height > 100
    colour = "rgb(88, 180, 240)" if dark else "rgb(0, 114, 178)"
    assert measured["lines"] == [[True, colour, "none"]] * 32
    assert measured["card"] == ("rgb(26, 33, 41)" if dark else "rgb(255, 255, 255)")


def test_a_heat_map_has_all_decades_from_its_lowest_to_its_highest_level() -> None:
    # 0.01 ms to 1 s, with two levels in each decade.
    counts = [(0, -4, 1), (1, 1, 5), (1, 5, 2)]
    chart = charts.heat_map("Latency", charts.Axis(("first", "second"), ("a", "b")), counts, 2)
    assert 'viewBox="0 0 2 10"' in chart
    places = re.findall(r'<rect class="h\d+" x="(\d+)" y="(-?\d+)"', chart)
    assert places == [("0", "9"), ("1", "4"), ("1", "0")]
    assert len(re.findall(r"M0 \d+H2", chart)) == 6
