# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Writes a self-contained HTML page about requests, of one table or day, or of two beside each other.

Spark reduces a table to a Summary, whose size does not depend on the table's size. So the page is bounded,
too, and says where it leaves rows out. The page has no script; page.py and charts.py make its parts.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from markupsafe import Markup

from kreactor.common.protocol.errors import Errors
from kreactor.pipeline import charts
from kreactor.pipeline.charts import Axis, Line
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.latency import STAGES
from kreactor.pipeline.page import Cell, Marked, Section, beside, facts, folded, page, table, text
from kreactor.pipeline.summary import (
    CLIENT_MEASURES,
    DECADE_BINS,
    MOST_CLIENTS,
    MOST_REQUESTS,
    Groups,
    Side,
    Summary,
    at,
    is_by_clock,
    summarize,
)

if TYPE_CHECKING:
    from typing import Any

    from kreactor.pipeline.table import Table

_STAGE_NAMES = tuple(name.removesuffix("_ms").replace("_", " ") for name in STAGES)
_RANKED = 6
_MOST_SHARES = 14

# A difference counts if both sides have enough requests, and if it is large both absolutely and relatively.
_ENOUGH = 30
_RATIO = 1.5
_AT_LEAST_MS = 0.5

# num.io.threads, as Kafka has it if nothing is set.
_HANDLERS = 8

# The principal of whoever has not authenticated.
_ANONYMOUS = "User:ANONYMOUS"

# The names of the sides in charts and headings.
_PLACES = ("first", "second")

# The sections: name, title, and what they show.
_SECTIONS = {
    "clients": (
        "Clients",
        "The clients that used the broker's time. Time is the served time: the total, and for long polls "
        "(Fetch, "
        "JoinGroup, SyncGroup) without the remote time, in which they wait by design. Bytes are those of "
        "records in Produce requests and Fetch answers. Slow requests are those above the 99th percentile "
        "of their API's served time: 1 % of all requests, so a larger share stands out."),
    "compared": (
        "Compared",
        f"Marked is a ratio of {_RATIO:g} or more, with {_ENOUGH} requests or more on either side and a "
        f"difference of {_AT_LEAST_MS:g} ms or more."),
    "apis": ("Latency by API", "The total from the last byte read to the last byte of the answer written."),
    "time": (
        "Over time, by API",
        "The APIs with most requests. The 99th percentiles are of the served time and of the wait in the "
        "request queue."),
    "splits": (
        "By broker, listener and topic",
        "Times are served times. A request with several topics counts for each of them."),
    "stages": (
        "Where the time goes",
        "Mean share of each stage in the total, by API, the API with most time first. The throttle time "
        "comes after the answer and is no part of it."),
    "slow": ("Slow requests", "Requests other than long polls, by their total."),
    "polls": (
        "Long polls",
        "Fetch, JoinGroup and SyncGroup by their total minus the remote time: what is left is work and "
        "queues, not the wait that the client asked for."),
    "tails": (
        "The slowest requests",
        "The extra time of requests above the 99th percentile of the total, by the share of each stage."),
    "errors": ("Errors", "Answers with an error code, by API."),
    "throttling": (
        "Throttling",
        "How long channels were muted for quotas. The table of clients says whose they were."),
    "heat": ("Latency over time", "How many requests took how long."),
    "rules": (
        "Did the broker keep its word?",
        "The guarantees of Kafka, as far as a request log can tell."),
    "limits": (
        "Limits of a request log",
        "A request log has one line for each request, written when the request is complete."),
}


def write_report(tables: Mapping[str, Table], to: str, max_idle_ms: float, days: Sequence[str] = ()) -> int:
    """Write the page of one or two tables, given by name; return its size in bytes.

    ``days`` are dates in UTC: one restricts each table to this day, two compare these days of one table.
    Raises PipelineFailure.
    """
    if len(days) > 1:
        (name, only), = tables.items()
        sides = [Side(f"{name}, {day}", only, day) for day in days]
    else:
        day = days[0] if days else None
        sides = [Side(name if day is None else f"{name}, {day}", one, day) for name, one in tables.items()]
    folder = os.path.dirname(to) or "."
    if os.path.isdir(to) or not os.access(folder, os.W_OK):
        raise PipelineFailure(f"{to}: cannot be written")
    written = render(summarize(sides, max_idle_ms), is_by_clock(sides)).encode()
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".report-", delete=False) as stream:
            try:
                stream.write(written)
                stream.close()
                # The mode that open() would give, so that not only the owner can read it.
                umask = os.umask(0)
                os.umask(umask)
                os.chmod(stream.name, 0o666 & ~umask)
                os.replace(stream.name, to)
            except BaseException:
                os.unlink(stream.name)
                raise
    except OSError as e:
        raise PipelineFailure(f"{to}: {e.strerror}") from e
    return len(written)


def render(sides: Sequence[Summary], by_clock: bool = True) -> str:
    """Return the page. ``by_clock``: its time is the time of day; else the time since the first request."""
    axis = _axis(sides, by_clock)
    bodies = {
        "clients": _each(sides, _clients, is_wide=True),
        **({"compared": _comparison(*sides)} if len(sides) == 2 else {}),
        "apis": _each(sides, _apis),
        "time": _apis_over_time(sides, axis, by_clock),
        "splits": _each(sides, _splits, is_wide=True),
        "stages": _each(sides, _stages),
        "slow": _each(sides, lambda side: _requests(side.slowest, "Slow requests", "total"), is_wide=True),
        "polls": _each(
            sides, lambda side: _requests(side.polls, "Long polls", "total − remote"), is_wide=True),
        "tails": _each(sides, _tails),
        "errors": _each(sides, _errors),
        "throttling": _each(sides, lambda side: _throttling(side, axis)),
        "heat": _each(sides, lambda side: _heat(side, axis)),
        "rules": _each(sides, _verdicts),
        "limits": _limits(sides, axis),
    }
    sections = [Section(name, *_SECTIONS[name], body) for name, body in bodies.items()]
    title = Markup("Requests of {}").format(Markup(" and ").join(text(side.name) for side in sides))
    return str(page(title, sections, Markup("<section>{}</section>").format(_each(sides, _facts))))


def _each(sides: Sequence[Summary], part: Callable[[Summary], Markup], is_wide: bool = False) -> Markup:
    """Return ``part`` of each side, with the side's name if there are two; below each other if it is wide."""
    if len(sides) == 1:
        return part(sides[0])
    parts = [Markup("<h3>{}</h3>{}").format(text(side.name), part(side)) for side in sides]
    return Markup("").join(parts) if is_wide else beside(parts)


# How values are written.

_NOTHING = "–"


def _ms(value: float | None) -> str:
    if value is None:
        return _NOTHING
    return f"{value:,.3f}" if value < 10 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _milliseconds(value: float) -> str:
    return f"{value / 1000:,.3g} s" if value >= 1000 else f"{value:.3g} ms"


def _seconds(ms: float | None) -> str:
    if ms is None:
        return _NOTHING
    return f"{ms / 1000:,.3f}" if ms < 10_000 else f"{ms / 1000:,.1f}"


def _bytes(value: float | None) -> str:
    if value is None:
        return _NOTHING
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:,.1f} {unit}"
    return f"{value:,.0f} B"


def _rate(value: float) -> str:
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.3g}/s"


def _number(value: float) -> str:
    return f"{value:,.1f}" if value >= 10 else f"{value:.3g}"


def _count(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:,.0f}"


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else _NOTHING


def _duration(ms: float) -> str:
    for unit, length in (("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1000)):
        if ms >= length:
            number = ms / length
            return f"{number:g} {unit}{'' if number == 1 else 's'}"
    return f"{ms:g} ms"


def _name(value: object) -> Markup:
    if value is None or value == "":
        return Markup('<span class="undecided">{}</span>').format("(none)" if value is None else "(empty)")
    return text(value)


def _span_s(side: Summary) -> float:
    return (side.end - side.begin).total_seconds()


# The time axis.

def _axis(sides: Sequence[Summary], by_clock: bool) -> Axis:
    bins = sides[0].bins
    days = bins.length_ms * bins.count > 86_400_000 and by_clock
    fine = "%H:%M" if bins.length_ms >= 60_000 else "%H:%M:%S"
    form = f"%m-%d {fine}" if days else fine

    def name(number: float) -> str:
        micros = number * bins.length_ms * 1000
        if by_clock:
            time = at(bins.origin + micros)
            return f"{time:{form}}" + (f".{time.microsecond // 1000:03d}" if bins.length_ms < 1000 else "")
        passed = timedelta(microseconds=micros)
        return f"+{str(passed).partition('.')[0]}" + (
            f".{passed.microseconds // 1000:03d}" if bins.length_ms < 1000 else "")

    names = [name(number) for number in range(bins.count)]
    return Axis(names, [names[0], name(bins.count / 2), name(bins.count)])


def _axis_sentence(by_clock: bool) -> str:
    return "Times are in UTC." if by_clock else "Time is counted from each side's first request."


@dataclass(frozen=True, slots=True)
class _Measure:
    """A measure over time: its key in a row, the titles of its chart and its column, and how it is shown.

    A value is the row's by ``divisor``. ``missing`` is the value of a bin without requests.
    """

    key: str
    title: str
    heading: str
    shown: Callable[[float], str]
    divisor: float = 1.0
    missing: float | None = None


def _series(rows: Sequence[Mapping[str, Any]], side: Summary, measure: _Measure) -> list[float | None]:
    """Return the value of each bin, None outside of the side's time."""
    begin, end = (math.floor((time - at(side.bins.origin)).total_seconds() * 1000 / side.bins.length_ms)
                  for time in (side.begin, side.end))
    found = [measure.missing if begin <= number <= end else None for number in range(side.bins.count)]
    for row in rows:
        value = row[measure.key]
        found[row["bin"]] = None if value is None else value / measure.divisor
    return found


def _over_time(caption: Cell, sides: Sequence[Summary], of_sides: Sequence[Sequence[Mapping[str, Any]]],
               axis: Axis, measures: Sequence[_Measure]) -> Markup:
    """Return a chart of each measure with a line for each side, and the table of all of them."""
    drawn = [[Line(place, _series(rows, side, measure))
              for place, side, rows in zip(_PLACES, sides, of_sides, strict=False)] for measure in measures]
    headings = [measure.heading if len(sides) == 1 else f"{measure.heading}, {line.name}"
                for measure, lines in zip(measures, drawn, strict=True) for line in lines]
    columns = [line.values for lines in drawn for line in lines]
    return beside([charts.lines(measure.title, axis, lines, measure.shown)
                   for measure, lines in zip(measures, drawn, strict=True)], "grid") + folded(
        Markup("Table: {}").format(caption), table(caption, ["time", *headings], [
            (when, *(_ms(values[number]) for values in columns)) for number, when in enumerate(axis.names)
            if any(values[number] is not None for values in columns)]))


def _legend(sides: Sequence[Summary]) -> Markup:
    return Markup("") if len(sides) == 1 else charts.legend(
        [f"{place}: {side.name}" for place, side in zip(_PLACES, sides, strict=True)])


# The parts of the page.

def _facts(side: Summary) -> Markup:
    seconds = _span_s(side)
    violated = sum(1 for verdict in side.verdicts if verdict.violated)
    everyone = side.all_clients
    said = facts((
        (f"{side.requests:,}", "requests"),
        (f"{side.requests / seconds:,.1f}" if seconds else _NOTHING, "per second"),
        (str(timedelta(seconds=round(seconds))), f"from {side.begin:%Y-%m-%d %H:%M:%S} UTC"),
        (f"{side.clients.groups:,}", "clients"),
        (f"{side.connections:,}", "connections"),
        (_bytes(everyone["bytes"]), "of records"),
        (f"{everyone['errors']:,}", "with an error"),
        (f"{everyone['throttled']:,}", "throttled"),
        (f"{side.quarantined:,}", "lines of the table that are no request"),
        (f"{violated} of {len(side.verdicts)}", "rules violated")))
    return said if side.exact else Markup('{}<p class="what">{}</p>').format(said, (
        "Percentiles are sketched: their rank is right to 1/10,000 of the number of requests."))


def _client(row: Mapping[str, Any]) -> Markup:
    """Return the client id and, unless it is anonymous, the principal."""
    name = _name(row["client_id"])
    return name if row["principal"] == _ANONYMOUS else Markup('{} <span class="who">{}</span>').format(
        name, _name(row["principal"]))


def _client_and_principal(client: str | None, principal: str | None) -> Markup:
    return Markup('{}<br><span class="who">{}</span>').format(_name(client), _name(principal))


def _clients(side: Summary) -> Markup:
    rows = side.clients.rows
    titles = {"served_ms": "Time, s", "bytes": "Bytes", "errors": "Requests with an error",
              "throttle_ms": "Throttled, s", "slow": "Slow requests"}
    shown: dict[str, Callable[[float], str]] = {
        "served_ms": _seconds, "throttle_ms": _seconds, "bytes": _bytes}
    ranks = []
    for measure in CLIENT_MEASURES:
        write = shown.get(measure, _count)
        first = sorted((row for row in rows if row[measure]), key=lambda row: -row[measure])[:_RANKED]
        ranks.append(charts.bars(titles[measure], [
            (_client(row), row[measure], write(row[measure])) for row in first], "None."))

    def cells(name: Cell, row: Mapping[str, Any]) -> list[Cell]:
        return [name, f"{row['count']:,}", _seconds(row["served_ms"]),
                _share(row["served_ms"], side.all_clients["served_ms"]), _bytes(row["bytes"]),
                f"{row['errors']:,}", f"{row['throttled']:,}", _seconds(row["throttle_ms"]),
                _ms(row["throttle_max_ms"]) if "throttle_max_ms" in row else _NOTHING, f"{row['slow']:,}",
                _share(row["slow"], row["count"]), _ms(row["max_ms"]) if "max_ms" in row else _NOTHING,
                f"{row['connections']:,}" if "connections" in row else _NOTHING,
                _name(row["software"]) if "software" in row else _NOTHING]

    body = [cells(_client_and_principal(row["client_id"], row["principal"]), row) for row in rows]
    others = side.clients.groups - len(rows)
    if others:
        rest = {name: max(value - sum(row[name] for row in rows), 0)
                for name, value in side.all_clients.items() if name != "clients"}
        body.append(cells(f"{others:,} others", rest))
    return beside(ranks, "ranks") + table(
        "Clients, by client id and principal", [
            "client and principal", "requests", "time, s", "of all time", "bytes", "errors",
            "throttled", "throttled, s", "longest throttle, ms", "slow", "of its requests", "longest, ms",
            "connections", "library"],
        body, (13,), _left_out(
            side.clients, "clients",
            f"the first {MOST_CLIENTS} by each of time, bytes, errors, throttle time and slow requests"))


def _left_out(groups: Groups, what: str, which: str) -> str:
    shown = len(groups.rows)
    return "" if shown == groups.groups else f"{shown:,} of {groups.groups:,} {what}: {which}."


@dataclass(frozen=True, slots=True)
class _Compared:
    """A measure that is compared: its heading, its value in a row, and how it is shown.

    Its ratio is shown too unless ``least`` is None, and marked from a difference of ``least`` on.
    """

    heading: str
    value: Callable[[Mapping[str, Any]], float | None]
    shown: Callable[[float | None], str]
    least: float | None = None


_COUNT = _Compared("requests", lambda row: row["count"], _count)
_QUEUE = _Compared("queue p99", lambda row: row["queue_p99_ms"], _ms, _AT_LEAST_MS)


def _comparison(left: Summary, right: Summary) -> Markup:
    """Return the APIs, brokers and clients of both sides beside each other."""
    total = [_Compared(heading, value, _ms, _AT_LEAST_MS) for heading, value in (
        ("mean", lambda row: row["mean_ms"]), ("p50", lambda row: row["total_ms"][0]),
        ("p99", lambda row: row["total_ms"][2]))]
    served = [_Compared(heading, value, _ms, _AT_LEAST_MS) for heading, value in (
        ("p50", lambda row: row["served_ms"][0]), ("p99", lambda row: row["served_ms"][2]))]
    named = Markup("<p>The first is {}, the second is {}. A ratio is the second by the first.</p>").format(
        text(left.name), text(right.name))
    return Markup("").join([
        named,
        _compared("APIs, times in ms", left.apis, right.apis, ["api"], text, [_COUNT, *total, _QUEUE]),
        _compared("Brokers, served times in ms", left.brokers, right.brokers, ["broker"], _name,
                  [_COUNT, *served, _QUEUE]),
        _compared("Clients", left.clients, right.clients, ["client_id", "principal"], _client_and_principal, [
            _COUNT, _Compared("time, s", lambda row: row["served_ms"], _seconds, _AT_LEAST_MS),
            _Compared("bytes", lambda row: row["bytes"], _bytes),
            _Compared("errors", lambda row: row["errors"], _count),
            _Compared("throttled, s", lambda row: row["throttle_ms"], _seconds),
            _Compared("slow", lambda row: row["slow"], _count)])])


def _compared(caption: str, left: Groups, right: Groups, keys: Sequence[str],
              name: Callable[..., Markup], measures: Sequence[_Compared]) -> Markup:
    """Return a table with a row for each group of either side; ``name`` gets the values of ``keys``."""
    first, second = ({tuple(row[key] for key in keys): row for row in side.rows} for side in (left, right))
    rows = []
    for key in dict.fromkeys([*first, *second]):
        here, there = first.get(key), second.get(key)
        is_enough = bool(here and there and min(here["count"], there["count"]) >= _ENOUGH)
        cells: list[Cell | Marked] = [name(*key)]
        for measure in measures:
            before, after = (None if row is None else measure.value(row) for row in (here, there))
            cells += [measure.shown(before), measure.shown(after)]
            if measure.least is not None:
                cells.append(_ratio(before, after, is_enough, measure.least))
        rows.append(cells)
    headings = [heading for measure in measures for heading in (
        *(f"{measure.heading}, {place}" for place in _PLACES),
        *(["ratio"] if measure.least is not None else []))]
    return table(caption, [" and ".join(keys).replace("_id", ""), *headings], rows, left_out=(
        "" if left.groups == len(left.rows) and right.groups == len(right.rows) else
        "Of a side without figures, the row is not among the first, or there is none."))


def _ratio(here: float | None, there: float | None, enough: bool, least: float) -> Cell | Marked:
    """Return the ratio of ``there`` to ``here``, marked if it matters."""
    if not here or there is None:
        return _NOTHING
    ratio = there / here
    if enough and abs(there - here) >= least and not 1 / _RATIO < ratio < _RATIO:
        return Marked("worse" if ratio > 1 else "better", f"{ratio:.2f}")
    return f"{ratio:.2f}"


def _apis(side: Summary) -> Markup:
    seconds = _span_s(side)
    return table("Total by API, ms", [
        "API", "requests", "per s", "mean", "p50", "p90", "p99", "p99.9", "max", "queue p99", "slow above",
        "errors"], [
        (text(api["api"]), f"{api['count']:,}", f"{api['count'] / seconds:,.2f}" if seconds else _NOTHING,
         _ms(api["mean_ms"]), *(_ms(value) for value in api["total_ms"]), _ms(api["max_ms"]),
         _ms(api["queue_p99_ms"]), _ms(api["slow_from_ms"]), f"{api['errors']:,}") for api in side.apis.rows],
        left_out=_left_out(side.apis, "APIs", "those with most requests"))


def _apis_over_time(sides: Sequence[Summary], axis: Axis, by_clock: bool) -> Markup:
    seconds = sides[0].bins.length_ms / 1000
    measures = (_Measure("count", "Rate", "requests per s", _rate, seconds, 0.0),
                _Measure("p99_ms", "p99", "p99, ms", _milliseconds),
                _Measure("queue_p99_ms", "Request queue, p99", "request queue p99, ms", _milliseconds))
    parts = [Markup('<p class="what">{}</p>').format(
        f"Each value is of {_duration(sides[0].bins.length_ms)}. {_axis_sentence(by_clock)}"), _legend(sides)]
    for name in [None, *sides[0].timed]:
        of_sides = [side.times if name is None else [row for row in side.api_times if row["api"] == name]
                    for side in sides]
        title = Markup("All APIs") if name is None else text(name)
        parts.append(Markup("<h3>{}</h3>{}").format(title, _over_time(
            Markup("{} over time").format(title), sides, of_sides, axis, measures)))
    return Markup("").join(parts)


_SPLIT = ("requests", "per s", "time, s", "p50, ms", "p90, ms", "p99, ms", "max, ms", "queue p99, ms",
          "bytes", "errors", "throttled")


def _split_cells(row: Mapping[str, Any], seconds: float) -> list[Cell]:
    return [f"{row['count']:,}", f"{row['count'] / seconds:,.2f}" if seconds else _NOTHING,
            _seconds(row["served_sum_ms"]), *(_ms(value) for value in row["served_ms"][:3]),
            _ms(row["max_ms"]), _ms(row["queue_p99_ms"]), _bytes(row["bytes"]), f"{row['errors']:,}",
            f"{row['throttled']:,}"]


def _splits(side: Summary) -> Markup:
    seconds = _span_s(side)
    drawn, found = [], []
    for title, what, groups, names in (
            ("Brokers", "broker", side.brokers, ("broker",)),
            ("Listeners", "listener", side.listeners, ("listener", "security_protocol"))):
        drawn.append(charts.bars(f"{title} by time, s", [
            (_name(row[names[0]]), row["served_sum_ms"], _seconds(row["served_sum_ms"]))
            for row in groups.rows[:_RANKED]], "None."))
        found.append(table(title, [what, *(name.replace("_", " ") for name in names[1:]), *_SPLIT], [
            [*(_name(row[name]) for name in names), *_split_cells(row, seconds)] for row in groups.rows],
            range(1, len(names)), _left_out(groups, f"{what}s", "those with most time")))
    if side.topics is None:
        found.append(Markup("<p>{}</p>").format(
            "Topics: no request of this table names one. Tables of older releases of kreactor do not have "
            "them; an ingest into a new table brings them."))
        return beside(drawn, "grid") + Markup("").join(found)
    drawn.append(charts.bars("Topics by bytes", [
        (_name(row["topic"]), row["bytes"] or 0, _bytes(row["bytes"] or 0))
        for row in side.topics.rows[:_RANKED]], "None."))
    found.append(table("Topics", [
        "topic", "bytes", "Produce requests", "bytes produced", "Produce p99, ms", "Fetch answers",
        "bytes fetched", "Fetch p99, ms"], [
        (_name(row["topic"]), _bytes(row["bytes"] or 0), f"{row['produce_count']:,}",
         _bytes(row["produce_bytes"] or 0), _ms(row["produce_p99_ms"]), f"{row['fetch_count']:,}",
         _bytes(row["fetch_bytes"] or 0), _ms(row["fetch_p99_ms"])) for row in side.topics.rows],
        left_out=" ".join(filter(None, (
            _left_out(side.topics, "topics", "those with most bytes"),
            "Produce names topics in its request, Fetch in its answer, and other APIs do not count here. "
            "Newer Fetch answers have an id instead of a name: the name is from answers to Metadata in the "
            "same log, if one has it.")))))
    return beside(drawn, "grid") + Markup("").join(found)


def _stages(side: Summary) -> Markup:
    apis = sorted(side.apis.rows, key=lambda api: -api["sum_ms"])
    drawn = charts.shares([
        (text(api["api"]), f"{_milliseconds(api['mean_ms'])} × {api['count']:,}",
         [api[stage] for stage in STAGES]) for api in apis[:_MOST_SHARES]], _STAGE_NAMES)
    rows = []
    for api in apis:
        whole = math.fsum(api[stage] for stage in STAGES)
        rows.append([text(api["api"]), _seconds(api["sum_ms"]), *(
            cell for stage in STAGES for cell in (_ms(api[stage]), _share(api[stage], whole)))])
    return drawn + folded("Table of the stages", table(
        "Mean of each stage in ms, and its share", ["API", "total, s", *(
            heading for name in _STAGE_NAMES for heading in (name, "share"))], rows))


def _requests(rows: Sequence[Mapping[str, Any]], caption: str, by: str) -> Markup:
    if not rows:
        return Markup('<p class="none">None.</p>')
    return table(f"{caption}, times in ms", [
        "file and line", by, "time, UTC", "API", "client and principal",
        *(["total"] if by != "total" else []), *_STAGE_NAMES, "throttled", "listener", "broker",
        "connection"], [
        [Markup("<code>{}:{}</code>").format(text(row["file"]), row["line"]), Markup("<b>{}</b>").format(
            _ms(row["served_ms"])), at(row["micros"]).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
         Markup("{} v{}").format(text(row["api"]), row["version"]), _client_and_principal(
             row["client_id"], row["principal"]), *([_ms(row["total_ms"])] if by != "total" else []),
         *(_ms(row[stage]) for stage in STAGES),
         _ms(row["throttle_ms"]), _name(row["listener"]), _name(row["broker"]), text(row["connection"])]
        for row in rows], (3, 4, *((12, 13, 14) if by != "total" else (11, 12, 13))), (
            f"The first {MOST_REQUESTS} are shown." if len(rows) == MOST_REQUESTS else ""))


def _tails(side: Summary) -> Markup:
    if not side.tails:
        return Markup('<p class="none">No API has requests above its 99th percentile.</p>')
    most = sorted(side.tails, key=lambda tail: -tail["slow"])[:_MOST_SHARES]
    return charts.shares([
        (text(tail["api"]), f"{tail['slow']:,} above {_milliseconds(tail['p99'])}",
         [tail["shares"][name] for name in STAGES]) for tail in most], _STAGE_NAMES) + folded(
        "Table of the slowest", table("Shares of the extra time", [
            "API", "p99, ms", "above", *_STAGE_NAMES], [
            [text(tail["api"]), _ms(tail["p99"]), f"{tail['slow']:,}", *(
                Markup("<b>{}</b>").format(f"{tail['shares'][name]:.0%}") if name == tail["explains"]
                else f"{tail['shares'][name]:.0%}" for name in STAGES)] for tail in most],
            left_out=_left_out(Groups(most, len(side.tails)), "APIs", "those with most such requests")))


def _errors(side: Summary) -> Markup:
    if not side.errors.rows:
        return Markup('<p class="none">None.</p>')
    known = {error.code: error.name for error in Errors}
    named = [(text(row["api"]), f"{known.get(row['code'], 'unknown')} ({row['code']})", row["count"])
             for row in side.errors.rows]
    return charts.bars("Answers", [
        (Markup("{} {}").format(api, error), count, f"{count:,}") for api, error, count in named[:_RANKED]],
        "None.") + table("Errors", ["API", "error", "answers"], [
            (api, error, f"{count:,}") for api, error, count in named], (1,),
            _left_out(side.errors, "pairs of API and error", "the most frequent"))


def _throttling(side: Summary, axis: Axis) -> Markup:
    if not side.all_clients["throttled"]:
        return Markup('<p class="none">No request was throttled.</p>')
    return _over_time("Throttled requests over time", [side], [side.times], axis, (
        _Measure("throttle_sum_ms", "Throttle time, sum", "throttled, ms", _milliseconds, missing=0.0),
        _Measure("throttle_max_ms", "Longest throttle time", "longest, ms", _milliseconds, missing=0.0),
        _Measure("throttled", "Throttled requests", "requests", _number, missing=0.0)))


def _heat(side: Summary, axis: Axis) -> Markup:
    cells = sorted((row["bin"], row["level"], row["count"]) for row in side.heat)
    decades = sorted({level // DECADE_BINS for _, level, _ in cells})
    counts: dict[tuple[int, int], int] = {}
    for number, level, count in cells:
        key = number, level // DECADE_BINS
        counts[key] = counts.get(key, 0) + count
    return charts.heat_map("Requests by total", axis, cells, DECADE_BINS) + folded(
        "Table of the latency over time", table("Requests by total", ["time", *(
            f"{_milliseconds(10.0 ** decade)} to {_milliseconds(10.0 ** (decade + 1))}"
            for decade in decades)], [
            (axis.names[number], *(f"{counts.get((number, decade), 0):,}" for decade in decades))
            for number in sorted({number for number, _, _ in cells})]))


def _verdicts(side: Summary) -> Markup:
    rows: list[Sequence[Cell | Marked]] = []
    for verdict in side.verdicts:
        mark = {"holds": "holds", "violated": "violated"}.get(verdict.word, "undecided")
        examples = Markup("").join(Markup("<br><code>{}:{} {} on {}</code>").format(
            text(example["file"]), example["line"], text(example["api"]), text(example["connection"]))
            for example in verdict.examples)
        rows.append((Markup('<span class="{}">{}</span>').format(mark, verdict.word),
                     Marked("text long", Markup("{}{}").format(verdict.rule.sentence, examples)),
                     f"{verdict.checked:,}", f"{verdict.violated:,}"))
    return table("Rules", ["", "rule", "checked", "violations"], rows, (1,))


def _limits(sides: Sequence[Summary], axis: Axis) -> Markup:
    length = sides[0].bins.length_ms
    said = Markup(
        "<p>So it does not hold: how idle the handlers are (<code>RequestHandlerAvgIdlePercent</code>), "
        "how idle the network threads are (<code>NetworkProcessorAvgIdlePercent</code>), how deep the "
        "request queue was at a moment (<code>RequestQueueSize</code>), requests that are not complete "
        "yet, connections without a request, what the authenticator refused, and the bytes of anything but "
        "records. The broker’s metrics have most of these.</p>"
        "<p>The log gives an estimate of two of them by Little’s law: <b>the mean number of requests in "
        "the queue is their rate × their mean queue time</b>, and the mean number of busy handlers is the "
        "rate × the mean local time. A request counts where its answer was written. A broker with {} "
        "handlers (the default of <code>num.io.threads</code>) is saturated as its estimate comes near {}. "
        "Peaks shorter than {} are not seen. If the log was filtered or sampled, both estimates are too "
        "small.</p>"
    ).format(_HANDLERS, _HANDLERS, _duration(length))
    over_time = _over_time("Estimates over time", sides, [side.times for side in sides], axis, (
        _Measure("queue_sum_ms", "Waiting in the request queue, estimate", "waiting", _number, length, 0.0),
        _Measure("local_sum_ms", "Handlers at work, estimate", "handlers at work", _number, length, 0.0)))
    return said + _legend(sides) + over_time + _each(sides, _estimates)


def _estimates(side: Summary) -> Markup:
    seconds, length = _span_s(side), side.bins.length_ms
    if not seconds:
        return Markup('<p class="none">All requests have one time, so there is no rate.</p>')
    return table(f"Estimates by broker; the busiest are of {_duration(length)}", [
        "broker", "requests per s", "mean queue time, ms", "waiting, mean", "waiting, busiest",
        "mean local time, ms", "handlers at work, mean", "handlers at work, busiest"], [
        (_name(row["broker"]), f"{row['count'] / seconds:,.2f}",
         _ms(row["request_queue_sum_ms"] / row["count"]), _ms(row["request_queue_sum_ms"] / seconds / 1000),
         _ms(row["queue_most_ms"] / length),
         _ms(row["local_sum_ms"] / row["count"]), _ms(row["local_sum_ms"] / seconds / 1000),
         _ms(row["local_most_ms"] / length)) for row in side.brokers.rows],
        left_out=_left_out(side.brokers, "brokers", "those with most time"))
