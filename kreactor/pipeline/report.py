# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Writes a self-contained HTML page about one table of requests, or two tables side by side.

Spark reduces a table to a Summary, whose size does not depend on the table's size. Bokeh draws the Summary.
All text that a client may have chosen, such as its name, is escaped.
"""

from __future__ import annotations

import html
import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from kreactor.common.protocol.errors import Errors
from kreactor.jdk.extras import needs
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.latency import STAGES
from kreactor.pipeline.plain_text import plain
from kreactor.pipeline.summary import (
    CURVE,
    DECADE_BINS,
    MOST_APIS,
    MOST_CURVES,
    Summary,
    summarize,
)

if TYPE_CHECKING:
    from bokeh.model import Model
    from bokeh.plotting import figure

    from kreactor.pipeline.table import Table

# Okabe and Ito's colours, which people with colour blindness can distinguish.
_STAGE_COLOURS = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9")
_CURVE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_STAGE_NAMES = tuple(name.removesuffix("_ms").replace("_", " ") for name in STAGES)

# A difference counts if both sides have enough requests, and if it is large both absolutely and relatively.
_ENOUGH = 30
_RATIO = 1.5
_AT_LEAST_MS = 0.5

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b2733; background: #f4f6f8; margin: 0; }
main { max-width: 1500px; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 0 0 .2rem; }
h3 { font-size: 1rem; margin: .6rem 0 .2rem; color: #44576b; }
h1, h3, th.name { overflow-wrap: anywhere; } th.name { min-width: 5rem; }
section { background: #fff; border-radius: 10px; padding: 1rem 1.2rem; margin: 1rem 0;
          box-shadow: 0 1px 3px rgba(20, 40, 60, .12); }
p.what { color: #5b6b7b; margin: 0 0 .6rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(520px, 1fr)); gap: 1.2rem; }
.sides > div { min-width: 0; } .wide { overflow-x: auto; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: .4rem 0; }
.facts b { display: block; font-size: 1.35rem; } .facts span { color: #5b6b7b; font-size: .85rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #e6ebf0; }
.sides th, .sides td { padding: .25rem .35rem; } th.group { text-align: center; }
th { color: #5b6b7b; font-weight: 600; } th:first-child, td:first-child, td.text,
th.text { text-align: left; }
.holds { color: #007a5a; font-weight: 600; } .violated { color: #c0392b; font-weight: 700; }
.undecided { color: #8a97a5; } .worse { background: #fde8e4; font-weight: 700; }
.better { background: #e0f4ec; font-weight: 700; } code { font-size: .85rem; color: #44576b; }
"""


def write_report(tables: Mapping[str, Table], to: str, max_idle_ms: float) -> int:
    """Write the page of one or two tables, given by name; return its size in bytes.

    Raises PipelineFailure.
    """
    try:
        import bokeh  # noqa: F401
    except ImportError:
        raise PipelineFailure(needs("the report", "spark")) from None
    folder = os.path.dirname(to) or "."
    if os.path.isdir(to) or not os.access(folder, os.W_OK):
        raise PipelineFailure(f"{to}: cannot be written")
    page = render([summarize(name, table, max_idle_ms) for name, table in tables.items()]).encode()
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".report-", delete=False) as stream:
            try:
                stream.write(page)
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
    return len(page)


def render(sides: Sequence[Summary]) -> str:
    """Return the page."""
    from bokeh.embed import components
    from bokeh.resources import Resources

    width = 1380 if len(sides) == 1 else 670
    drawn: dict[str, Model] = {}
    for number, side in enumerate(sides):
        drawn |= {f"heat{number}": _heatmap(side, sides, width), f"stages{number}": _stage_bars(side, width),
                  f"curves{number}": _curves(side, sides, width), f"clients{number}": _clients(side, width)}
        if side.throttled:
            drawn[f"throttled{number}"] = _throttled(side, width)
    script, divs = components(drawn)

    def beside(kind: str) -> str:
        return _side_by_side(sides, [divs[f"{kind}{number}"] for number in range(len(sides))])

    names = " and ".join(_escape(side.name) for side in sides)
    parts = [
        f"<h1>Requests of {names}</h1>",
        _section("", "", _side_by_side(sides, [_facts_table(side) for side in sides])),
        _section("Side by side", f"Marked: a ratio of {_RATIO:g} or more and {_AT_LEAST_MS:g} ms or more "
                 f"between them, with {_ENOUGH} requests or more on either side.", _comparison(*sides))
        if len(sides) == 2 else "",
        _section("Latency over time", "How many requests took how long: darker is more.", beside("heat")),
        _section("Where the time goes", "Mean share of each stage in the total, by API; the throttle time "
                 "comes after the answer and is no part of it.", beside("stages")),
        _section("Percentiles", "A line that turns up has a tail: one request in 10, 100, 1,000.",
                 beside("curves")),
        _section("The slowest requests", "The extra time of requests above the 99th percentile, "
                 "by the share of each stage.", _side_by_side(sides, [_tail_table(side) for side in sides])),
        _section("Clients", "Those with the most requests.", beside("clients")),
        _section("Throttling", "How long channels were muted for quotas.", _side_by_side(sides, [
            divs.get(f"throttled{number}", "") + _throttled_clients(side)
            for number, side in enumerate(sides)])),
        _section("Errors", "Answers with an error code, by API.",
                 _side_by_side(sides, [_error_table(side) for side in sides])),
        _section("Did the broker keep its word?", "The promises of Kafka, as far as a request log can tell.",
                 _side_by_side(sides, [_verdict_table(side) for side in sides])),
    ]
    resources = Resources(mode="inline", components=["bokeh"]).render()
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
            f'<title>Requests of {names}</title>'
            f'<link rel="icon" href="data:,">\n<style>{_STYLE}</style>\n{resources}\n</head><body><main>\n'
            + "\n".join(parts) + f"\n</main>{script}</body></html>\n")


def _section(title: str, what: str, body: str) -> str:
    heading = f'<h2>{title}</h2><p class="what">{what}</p>' if title else ""
    return f"<section>{heading}{body}</section>"


def _side_by_side(sides: Sequence[Summary], bodies: Sequence[str]) -> str:
    if len(sides) == 1:
        return bodies[0]
    return '<div class="sides">' + "".join(
        f"<div><h3>{_escape(side.name)}</h3>{body}</div>"
        for side, body in zip(sides, bodies, strict=True)) + "</div>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], text: int = 1,
           groups: Sequence[tuple[str, int]] = ()) -> str:
    """Return a table whose first ``text`` columns are text; cells are HTML already.

    ``groups`` are headings, each with its number of columns.
    """
    above = "".join(f'<th class="group" colspan="{columns}">{name}</th>' for name, columns in groups)
    head = "".join(f'<th class="text">{name}</th>' if i < text
                   else name if name.startswith("<th") else f"<th>{name}</th>"
                   for i, name in enumerate(headings))
    body = "".join("<tr>" + "".join(
        f'<td class="text">{cell}</td>' if i < text
        else cell if cell.startswith("<td") else f"<td>{cell}</td>"
        for i, cell in enumerate(row)) + "</tr>" for row in rows)
    return (f'<div class="wide"><table><thead>{f"<tr>{above}</tr>" if above else ""}<tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>")


def _ms(value: float) -> str:
    return f"{value:,.3f}" if value < 10 else f"{value:,.1f}"


def _facts_table(side: Summary) -> str:
    seconds = (side.end - side.begin).total_seconds()
    violated = sum(1 for verdict in side.verdicts if verdict.violated)
    facts = (
        (f"{side.requests:,}", "requests"),
        (f"{side.requests / seconds:,.1f}" if seconds else "-", "per second"),
        (str(timedelta(seconds=round(seconds))), f"from {side.begin:%Y-%m-%d %H:%M:%S} UTC"),
        (f"{side.connections:,}", "connections"),
        (f"{sum(row['count'] for row in side.throttled):,}", "throttled"),
        (f"{side.quarantined:,}", "lines that are no request"),
        (f"{violated} of {len(side.verdicts)}", "rules violated"))
    return '<div class="facts">' + "".join(
        f"<div><b>{value}</b><span>{what}</span></div>" for value, what in facts) + "</div>" + (
        "" if side.exact else '<p class="what">Percentiles are sketched.</p>')


def _curve_value(api: Mapping[str, Any], fraction: float) -> float:
    """Return the value of the curve at the nearest fraction."""
    value: float = api["curve"][min(range(len(CURVE)), key=lambda i: abs(CURVE[i] - fraction))]
    return value


def _comparison(left: Summary, right: Summary) -> str:
    others = {api["api"]: api for api in right.apis}
    rows = []
    for api in left.apis:
        other = others.get(api["api"])
        if other is None:
            continue
        cells = [_escape(api["api"]), f"{api['count']:,}", f"{other['count']:,}"]
        for here, there in ((api["total_ms"], other["total_ms"]),
                            (_curve_value(api, 0.5), _curve_value(other, 0.5)),
                            (_curve_value(api, 0.99), _curve_value(other, 0.99))):
            ratio = here / there if there else math.inf
            matters = (min(api["count"], other["count"]) >= _ENOUGH and abs(here - there) >= _AT_LEAST_MS
                       and not 1 / _RATIO < ratio < _RATIO)
            mark = f' class="{"worse" if ratio > 1 else "better"}"' if matters else ""
            cells += [_ms(here), _ms(there), f"<td{mark}>{ratio:.2f}</td>"]
        rows.append(cells)
    only = [f"{_escape(side.name)} alone has " + ", ".join(
        _escape(api["api"]) for api in side.apis if api["api"] not in {a["api"] for a in other_side.apis})
        for side, other_side in ((left, right), (right, left))
        if {api["api"] for api in side.apis} - {api["api"] for api in other_side.apis}]
    # A name may have any length.
    a, b = (f'<th class="name">{_escape(side.name)}</th>' for side in (left, right))
    table = _table(["API", a, b, *(a, b, "ratio") * 3], rows, groups=[
        ("", 1), ("requests", 2), ("mean, ms", 3), ("median, ms", 3), ("p99, ms", 3)])
    return table + "".join(f'<p class="what">{text}.</p>' for text in only)


def _tail_table(side: Summary) -> str:
    rows = []
    for tail in side.tails[:MOST_APIS]:
        cells = [_escape(tail["api"]), _ms(tail["p99"]), f"{tail['slow']:,}"]
        cells += [f"<td><b>{tail['shares'][name]:.0%}</b></td>" if name == tail["explains"]
                  else f"{tail['shares'][name]:.0%}" for name in STAGES]
        rows.append(cells)
    return _table(["API", "p99 ms", "above", *_STAGE_NAMES], rows)


def _throttled_clients(side: Summary) -> str:
    if not side.throttled_clients:
        return '<p class="undecided">No request was throttled.</p>'
    return _table(["client", "principal", "throttled", "seconds in all", "longest, ms"], [
        (_escape(_label(row["client_id"])), _escape(_label(row["principal"])), f"{row['count']:,}",
         f"{row['sum_ms'] / 1000:,.1f}", f"{row['max_ms']:,.0f}") for row in side.throttled_clients], text=2)


def _error_table(side: Summary) -> str:
    if not side.errors:
        return '<p class="undecided">None.</p>'
    known = {error.code: error.name for error in Errors}
    return _table(["API", "error", "answers"], [
        (_escape(row["api"]), f"{known.get(row['code'], 'unknown')} ({row['code']})", f"{row['count']:,}")
        for row in side.errors], text=2)


def _verdict_table(side: Summary) -> str:
    rows = []
    for verdict in side.verdicts:
        kind = {"holds": "holds", "violated": "violated"}.get(verdict.word, "undecided")
        examples = "".join(
            f"<br><code>{_escape(str(example['file']))}:{example['line']} "
            f"{_escape(str(example['api']))} on {_escape(str(example['connection']))}</code>"
            for example in verdict.examples)
        rows.append((f'<span class="{kind}">{verdict.word}</span>',
                     _escape(verdict.rule.sentence) + examples,
                     f"{verdict.checked:,}", f"{verdict.violated:,}"))
    return _table(["", "rule", "checked", "violations"], rows, text=2)


def _figure(width: int, height: int, **options: Any) -> figure:
    from bokeh.plotting import figure

    drawn = figure(width=width, height=height, toolbar_location="above",
                   tools="pan,box_zoom,wheel_zoom,reset", active_scroll=None,
                   sizing_mode="scale_width", **options)
    drawn.toolbar.logo = None
    drawn.outline_line_color = None
    drawn.grid.grid_line_alpha = 0.4
    return drawn


def _heatmap(side: Summary, sides: Sequence[Summary], width: int) -> figure:
    from bokeh.models import HoverTool, LogColorMapper
    from bokeh.models.annotations import ColorBar
    from bokeh.palettes import Viridis256

    begin = side.begin.timestamp() * 1000
    levels = [row["level"] for other in sides for row in other.heat]
    most = max(row["count"] for other in sides for row in other.heat)
    drawn = _figure(width, 320, x_axis_type="datetime", y_axis_type="log",
                    y_range=(10 ** (min(levels) / DECADE_BINS), 10 ** ((max(levels) + 1) / DECADE_BINS)))
    colours = LogColorMapper(palette=tuple(reversed(Viridis256)), low=1, high=max(most, 2))
    cells = drawn.quad(
        left="left", right="right", bottom="bottom", top="top", line_color=None,
        fill_color={"field": "count", "transform": colours}, source=_source({
            "left": [begin + row["bin"] * side.bin_ms for row in side.heat],
            "right": [begin + (row["bin"] + 1) * side.bin_ms for row in side.heat],
            "bottom": [10 ** (row["level"] / DECADE_BINS) for row in side.heat],
            "top": [10 ** ((row["level"] + 1) / DECADE_BINS) for row in side.heat],
            "count": [row["count"] for row in side.heat]}))
    drawn.add_tools(HoverTool(renderers=[cells], formatters={"@left": "datetime"}, tooltips=[
        ("from", "@left{%H:%M:%S}"), ("ms", "@bottom{0.000} to @top{0.000}"), ("requests", "@count")]))
    drawn.add_layout(ColorBar(color_mapper=colours, width=10, title="requests"), "right")
    drawn.yaxis.axis_label = "total, ms"
    return drawn


def _source(columns: Mapping[str, Sequence[Any]]) -> Any:
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({name: list(values) for name, values in columns.items()})


def _stage_bars(side: Summary, width: int) -> figure:
    from bokeh.models import HoverTool

    apis = sorted(side.apis, key=lambda api: api["total_ms"] * api["count"])[-MOST_APIS:]
    sums = [math.fsum(api[stage] for stage in STAGES) or 1.0 for api in apis]
    labels = [f"{api['api']}  {_ms(api['total_ms'])} ms × {api['count']:,}" for api in apis]
    drawn = _figure(width, 60 + 26 * len(apis) + 30, y_range=labels, x_range=(0, 100))
    source = _source({"api": labels} | {
        name: [100 * api[stage] / whole for api, whole in zip(apis, sums, strict=True)]
        for name, stage in zip(_STAGE_NAMES, STAGES, strict=True)} | {
        f"{stage}": [api[stage] for api in apis] for stage in STAGES})
    bars = drawn.hbar_stack(list(_STAGE_NAMES), y="api", height=0.75, color=list(_STAGE_COLOURS),
                            source=source, legend_label=list(_STAGE_NAMES))
    for bar, name, stage in zip(bars, _STAGE_NAMES, STAGES, strict=True):
        drawn.add_tools(HoverTool(renderers=[bar], tooltips=[
            ("", "@api"), (name, f"@{stage}{{0.000}} ms, @{{{name}}}{{0.0}} %")]))
    drawn.xaxis.axis_label = "% of the total"
    drawn.add_layout(drawn.legend[0], "above")
    drawn.legend[0].orientation = "horizontal"
    drawn.legend[0].border_line_color = None
    drawn.ygrid.grid_line_color = None
    return drawn


def _curves(side: Summary, sides: Sequence[Summary], width: int) -> figure:
    from bokeh.models import CustomJSTickFormatter, HoverTool

    # The same API has the same colour on both sides.
    counts: dict[str, int] = {}
    for other in sides:
        for api in other.apis:
            counts[api["api"]] = max(counts.get(api["api"], 0), api["count"])
    chosen = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_CURVES]
    values = [max(value, 0.001) for other in sides for api in other.apis if api["api"] in chosen
              for value in (api["curve"][0], api["curve"][-1])]
    drawn = _figure(width, 420, x_axis_type="log", y_axis_type="log", x_range=(1.25, 1e4),
                    y_range=(min(values) / 1.5, max(values) * 1.5))
    by_name = {api["api"]: api for api in side.apis}
    fractions = [max(CURVE[0], 0.2), *CURVE[1:]]
    for name, colour in zip(chosen, _CURVE_COLOURS, strict=False):
        if name not in by_name:
            continue
        api = by_name[name]
        # A percentile with less than one request above it is the slowest request.
        known = [i for i, fraction in enumerate(fractions) if i == 0 or (1 - fraction) * api["count"] >= 1]
        line = drawn.line("x", "y", line_width=2.5, color=colour, legend_label=f"{name} ({api['count']:,})",
                          source=_source({
                              "x": [1 / (1 - fractions[i]) for i in known],
                              "y": [max(api["curve"][i], 0.001) for i in known],
                              "percentile": [100 * fractions[i] for i in known],
                              "api": [name] * len(known)}))
        drawn.add_tools(HoverTool(renderers=[line], tooltips=[
            ("", "@api"), ("percentile", "@percentile{0.00}"), ("ms", "@y{0.000}")]))
    drawn.xaxis.axis_label = "percentile"
    drawn.xaxis.ticker = [2, 10, 100, 1000, 10000]
    drawn.xaxis.formatter = CustomJSTickFormatter(
        code="return (100 - 100 / tick).toFixed(2).replace(/\\.?0+$/, '');")
    drawn.yaxis.axis_label = "total, ms"
    drawn.legend.click_policy = "hide"
    drawn.add_layout(drawn.legend[0], "below")
    drawn.legend[0].ncols = 3
    drawn.legend[0].border_line_color = None
    return drawn


def _clients(side: Summary, width: int) -> figure:
    from bokeh.models import HoverTool

    clients = side.clients[::-1]
    labels = [_label(row["client_id"]) for row in clients]
    # Names that are equal after truncation would share a bar.
    labels = [f"{label} #{i}" if labels.count(label) > 1 else label for i, label in enumerate(labels)]
    drawn = _figure(width, 60 + 24 * len(clients), y_range=labels, x_axis_type="log")
    bars = drawn.hbar(y="client", left=0.8, right="count", height=0.7, color="#0072B2", source=_source({
        "client": labels, "count": [row["count"] for row in clients],
        "seconds": [row["sum_ms"] / 1000 for row in clients],
        "software": [plain(row["software"] or "") for row in clients],
        "connections": [row["connections"] for row in clients],
        "throttled": [row["throttled_ms"] / 1000 for row in clients]}))
    drawn.add_tools(HoverTool(renderers=[bars], tooltips=[
        ("client", "@client"), ("software", "@software"), ("requests", "@count{0,0}"),
        ("connections", "@connections"), ("time of its requests", "@seconds{0.0} s"),
        ("throttled", "@throttled{0.0} s")]))
    drawn.xaxis.axis_label = "requests"
    return drawn


def _escape(text: str) -> str:
    return html.escape(plain(text))


def _label(client: str | None) -> str:
    text = plain(client or "(none)")
    return text if len(text) <= 40 else f"{text[:39]}…"


def _throttled(side: Summary, width: int) -> figure:
    from bokeh.models import HoverTool

    begin = side.begin.timestamp() * 1000
    drawn = _figure(width, 240, x_axis_type="datetime")
    bars = drawn.quad(left="left", right="right", bottom=0, top="sum", color="#D55E00", source=_source({
        "left": [begin + row["bin"] * side.bin_ms for row in side.throttled],
        "right": [begin + (row["bin"] + 1) * side.bin_ms for row in side.throttled],
        "sum": [row["sum_ms"] for row in side.throttled], "most": [row["max_ms"] for row in side.throttled],
        "count": [row["count"] for row in side.throttled]}))
    drawn.add_tools(HoverTool(renderers=[bars], formatters={"@left": "datetime"}, tooltips=[
        ("from", "@left{%H:%M:%S}"), ("throttled", "@count"), ("ms in all", "@sum{0}"),
        ("longest", "@most{0} ms")]))
    drawn.yaxis.axis_label = "ms of throttling"
    return drawn
