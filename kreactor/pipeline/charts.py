# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Charts as HTML and SVG without a script, for any width and for light and dark.

A plot is stretched to its box: its SVG has one unit for a time bin and 100 for the height, and lines keep
their width. Labels are HTML beside the SVG, so that a narrow page does not make them small. Colours are CSS
variables of page.STYLE. The caller puts a table with the same values behind each chart.

Markup is only made from literals of this module: Markup.format escapes each str that it inserts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kreactor.pipeline.page import text

# The number of shades of a heat map.
_SHADES = 6


@dataclass(frozen=True, slots=True)
class Axis:
    """The time axis: a name for each bin, and the labels below the plot."""

    names: Sequence[str]
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class Line:
    """The values of one line, by bin; None where there is none."""

    name: str
    values: Sequence[float | None]


def lines(title: str, axis: Axis, drawn: Sequence[Line], shown: Callable[[float], str]) -> Markup:
    """Return a chart of one line, or of two lines with a legend. ``shown`` writes a value with its unit."""
    known = [value for line in drawn for value in line.values if value is not None]
    top = _round_up(max(known, default=0.0))
    count = len(axis.names)
    paths = Markup("").join(
        Markup('<path class="line s{}" d="{}"/><path class="dot s{}" d="{}"/>').format(
            number, _path(line.values, top), number, _dots(line.values, top))
        for number, line in enumerate(drawn))
    hits = Markup("").join(
        Markup('<rect class="hit" x="{}" y="0" width="1" height="100"><title>{}</title></rect>').format(
            at, _hint(axis.names[at], drawn, at, shown))
        for at in range(count) if any(line.values[at] is not None for line in drawn))
    most = f"at most {shown(max(known))}" if known else "no values"
    return Markup(
        '<figure class="chart"><figcaption>{title}</figcaption><div class="plot">'
        '<div class="y" aria-hidden="true"><span>{top}</span><span>{half}</span><span>{zero}</span></div>'
        '<svg viewBox="0 0 {count} 100" preserveAspectRatio="none" role="img" aria-label="{label}">'
        '<path class="lines" d="M0 0H{count}M0 50H{count}M0 100H{count}"/>{paths}{hits}</svg>{x}</div>'
        "</figure>").format(
            title=title, top=shown(top), half=shown(top / 2), zero=shown(0.0), count=count,
            label=f"{title}, {axis.names[0]} to {axis.names[-1]}: {most}", paths=paths, hits=hits,
            x=_x_labels(axis))


def legend(names: Sequence[str]) -> Markup:
    """Return the legend of charts whose lines or segments have these names."""
    return Markup('<ul class="legend">{}</ul>').format(Markup("").join(
        Markup('<li><span class="key s{}" aria-hidden="true"></span>{}</li>').format(number, text(name))
        for number, name in enumerate(names)))


def _hint(when: str, drawn: Sequence[Line], at: int, shown: Callable[[float], str]) -> Markup:
    parts = []
    for line in drawn:
        value = line.values[at]
        if value is not None:
            name = Markup("{}: ").format(text(line.name)) if len(drawn) > 1 else ""
            parts.append(Markup("{}{}").format(name, shown(value)))
    return Markup("{}, {}").format(when, Markup(", ").join(parts))


def _path(values: Sequence[float | None], top: float) -> str:
    """Return the path through the middle of each bin, which is interrupted where there is no value."""
    parts = []
    is_drawing = False
    for at, value in enumerate(values):
        if value is not None:
            parts.append(f"{'L' if is_drawing else 'M'}{_point(at, value, top)}")
        is_drawing = value is not None
    return "".join(parts)


def _dots(values: Sequence[float | None], top: float) -> str:
    """Return the path of the values without a neighbour; a line of no length with round ends is a dot."""
    alone = [(at, value) for at, value in enumerate(values) if value is not None and all(
        neighbour is None for neighbour in (*values[max(at - 1, 0):at], *values[at + 1:at + 2]))]
    return "".join(f"M{_point(at, value, top)}h0" for at, value in alone)


def _point(at: int, value: float, top: float) -> str:
    return f"{at + 0.5:g} {100 - 100 * value / top:.4g}"


def _round_up(value: float) -> float:
    """Return the end of an axis: 1, 2 or 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= value * (1 - 1e-9))


def _x_labels(axis: Axis) -> Markup:
    return Markup('<div class="x" aria-hidden="true">{}</div>').format(
        Markup("").join(Markup("<span>{}</span>").format(label) for label in axis.labels))


def heat_map(title: str, axis: Axis, counts: Sequence[tuple[int, int, int]], decade_bins: int) -> Markup:
    """Return a map of requests by time bin and level; ``counts`` are (bin, level, requests).

    A level is a power of 10 ms with the exponent level / ``decade_bins``. Darker is more, by the logarithm.
    """
    low = math.floor(min(level for _, level, _ in counts) / decade_bins)
    high = math.ceil((max(level for _, level, _ in counts) + 1) / decade_bins)
    rows, most = (high - low) * decade_bins, max(count for _, _, count in counts)
    cells = Markup("").join(
        Markup('<rect class="h{}" x="{}" y="{}" width="1.04" height="1.04"><title>{}</title></rect>').format(
            min(_SHADES, 1 + math.floor(_SHADES * math.log(count) / math.log(most + 1))), at,
            high * decade_bins - 1 - level,
            f"{axis.names[at]}, {_level(level / decade_bins)} to {_level((level + 1) / decade_bins)}: "
            f"{count:,}")
        for at, level, count in counts)
    decades = Markup("").join(Markup("<span>{}</span>").format(_level(exponent))
                              for exponent in range(high, low - 1, -1))
    grid = "".join(f"M0 {decade * decade_bins}H{len(axis.names)}" for decade in range(high - low + 1))
    return Markup(
        '<figure class="chart heat"><figcaption>{title}</figcaption><div class="plot">'
        '<div class="y" aria-hidden="true">{decades}</div>'
        '<svg viewBox="0 0 {count} {rows}" preserveAspectRatio="none" role="img" aria-label="{label}">'
        '<path class="lines" d="{grid}"/>{cells}</svg>{x}</div></figure>').format(
            title=title, decades=decades, count=len(axis.names), rows=rows, grid=grid, cells=cells,
            label=f"{title}, {_level(low)} to {_level(high)}", x=_x_labels(axis))


def _level(exponent: float) -> str:
    value = 10.0 ** exponent
    return f"{value / 1000:.3g} s" if value >= 1000 else f"{value:.3g} ms"


def bars(title: str, rows: Sequence[tuple[Markup, float, str]], nothing: str) -> Markup:
    """Return a chart of horizontal bars; a row is its label, its value, and how the value is shown."""
    most = max((value for _, value, _ in rows), default=0.0)
    return Markup('<figure class="chart bars"><figcaption>{}</figcaption>{}</figure>').format(
        title, Markup('<p class="none">{}</p>').format(nothing) if not rows else Markup("<ol>{}</ol>").format(
            Markup("").join(
                Markup('<li><span class="name">{}</span><span class="value">{}</span>'
                       '<svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
                       '<rect class="bar" width="{}" height="1"/></svg></li>').format(
                           label, shown, f"{100 * value / most if most else 0:.4g}")
                for label, value, shown in rows)))


def shares(rows: Sequence[tuple[Markup, str, Sequence[float]]], names: Sequence[str]) -> Markup:
    """Return bars of 100 %; a row is its label, what is said beside it, and its segments, called ``names``.
    """
    drawn = []
    for label, beside, values in rows:
        whole = math.fsum(values) or 1.0
        left = 0.0
        parts = []
        for number, (name, value) in enumerate(zip(names, values, strict=True)):
            width = 100 * value / whole
            parts.append(Markup(
                '<rect class="s{}" x="{}" width="{}" height="1"><title>{}</title></rect>').format(
                    number, f"{left:.5g}", f"{width:.5g}", f"{name}: {width:.1f} %"))
            left += width
        drawn.append(Markup(
            '<li><span class="name">{}</span><span class="value">{}</span>'
            '<svg viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg></li>'
            ).format(
                label, beside, ", ".join(f"{name} {100 * value / whole:.0f} %"
                                         for name, value in zip(names, values, strict=True)),
                Markup("").join(parts)))
    return Markup('<figure class="chart bars shares">{}<ol>{}</ol></figure>').format(
        legend(names), Markup("").join(drawn))
