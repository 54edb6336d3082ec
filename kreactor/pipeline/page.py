# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of a page in one file: no script, no address of anything outside the page.

The page forbids the browser to run scripts and to load anything, so that a client's text could do neither
even if it became markup. It becomes none: all HTML is markupsafe.Markup from literals, whose format escapes
each str.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from kreactor.pipeline.plain_text import plain

# A longer text is shown with its begin, its end and its length.
MOST_LETTERS = 96
_LAST_LETTERS = 16

STYLE = Markup("""
:root {
  color-scheme: light dark;
  --page: #f3f5f8; --card: #fff; --ink: #1b2733; --soft: #526273; --rule: #dde4eb; --grid: #e3e8ee;
  --link: #0b57a4; --good: #00694b; --bad: #b3261e; --good-back: #dcf3e9; --bad-back: #fde4e0;
  --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #cc79a7; --s4: #8a6d00;
  --h1: #cfe3f5; --h2: #9cc7ea; --h3: #64a5d9; --h4: #2f7fc0; --h5: #125b98; --h6: #08386a;
}
@media (prefers-color-scheme: dark) { :root {
  --page: #11161c; --card: #1a2129; --ink: #e4eaf0; --soft: #a3b1bf; --rule: #303b47; --grid: #2a343f;
  --link: #8cc4ff; --good: #6fd6ad; --bad: #ff9d92; --good-back: #123d2f; --bad-back: #4d201c;
  --s0: #58b4f0; --s1: #ff9a4d; --s2: #3fd0a3; --s3: #eaa3cb; --s4: #e3c34a;
  --h1: #14324c; --h2: #1a4d78; --h3: #2370a8; --h4: #3d97d3; --h5: #7dc0ec; --h6: #d4edff;
} }

* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 0; }
main, header, nav { max-width: 1800px; margin: 0 auto; padding: 0 clamp(.6rem, 2vw, 1.8rem); }
h1, h2, h3 { overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1.1rem 0 .5rem; }
h2 { font-size: 1.2rem; margin: 0 0 .15rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .2rem 0 .6rem; max-width: 75rem; }
a { color: var(--link); }
code { font-size: .85em; overflow-wrap: anywhere; }
bdi { overflow-wrap: anywhere; overflow: clip; }
.what, .none, .who, .undecided { color: var(--soft); }
.who { font-weight: 400; }
.holds { color: var(--good); font-weight: 600; }
.violated { color: var(--bad); font-weight: 700; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: .5rem; top: .5rem; padding: .4rem .8rem; background: var(--card); z-index: 3; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem .4rem; list-style: none; padding: 0; margin: 0 0 .8rem; }
nav a { display: block; padding: .3rem .6rem; border: 1px solid var(--rule); border-radius: 6px;
  background: var(--card); text-decoration: none; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; margin: 0 0 1rem;
  padding: .9rem clamp(.7rem, 1.6vw, 1.3rem); }

.sides, .grid, .ranks { display: grid; gap: .8rem 1.6rem; --least: 260px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, var(--least)), 1fr)); }
.sides { --least: 720px; }
.ranks { --least: 160px; }
.sides > *, .grid > *, .ranks > * { min-width: 0; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem 1rem;
  margin: .3rem 0; }
.facts div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-size: 1.3rem; font-weight: 600; }

.wide { overflow-x: auto; margin: .3rem 0 .6rem; }
details .wide { max-height: 70vh; overflow-y: auto; }
details { margin: .3rem 0 .6rem; }
summary { cursor: pointer; color: var(--link); padding: .15rem 0; overflow-wrap: anywhere; }
table { border-collapse: separate; border-spacing: 0; font-size: .88rem; width: 100%;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 .3rem; }
th, td { text-align: right; padding: .28rem .45rem; border-bottom: 1px solid var(--rule);
  vertical-align: top; white-space: nowrap; background: var(--card); }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal;
  position: sticky; top: 0; z-index: 1; }
tbody th, .text { text-align: left; white-space: normal; overflow-wrap: anywhere; }
tbody th { font-weight: 600; position: sticky; left: 0; min-width: 10.5rem; max-width: 24rem; }
th:first-child { padding-left: 0; }
td.text { min-width: 9.4rem; max-width: 24rem; }
td.long { min-width: 13rem; max-width: none; }
td.worse { background: var(--bad-back); color: var(--bad); font-weight: 700; }
td.better { background: var(--good-back); color: var(--good); font-weight: 700; }

.chart { margin: .3rem 0; min-width: 0; }
figcaption { margin-bottom: .45rem; color: var(--soft); font-size: .88rem; }
.plot { display: grid; grid-template-columns: 4.6rem minmax(0, 1fr); }
.plot svg { width: 100%; height: 8rem; grid-column: 2; display: block; overflow: visible; }
.heat svg { height: 17rem; }
.x, .y { display: flex; justify-content: space-between; font-size: .78rem; color: var(--soft); }
.x { grid-column: 2; gap: .5rem; padding-top: .25rem; }
.y { flex-direction: column; text-align: right; padding-right: .4rem; line-height: 1; margin: -.35rem 0; }
path { fill: none; vector-effect: non-scaling-stroke; stroke-linecap: round; stroke-linejoin: round; }
.lines { stroke: var(--grid); }
.line { stroke-width: 2; }
.line.s1 { stroke-dasharray: 5 4; }
.dot { stroke-width: 5; }
.hit { fill: transparent; }
.hit:hover { fill: var(--soft); fill-opacity: .25; }
.s0, .bar { fill: var(--s0); background: var(--s0); }
.s1 { fill: var(--s1); background: var(--s1); }
path.s0 { fill: none; stroke: var(--s0); }
path.s1 { fill: none; stroke: var(--s1); }
.s2 { fill: var(--s2); background: var(--s2); }
.s3 { fill: var(--s3); background: var(--s3); }
.s4 { fill: var(--s4); background: var(--s4); }
.h1 { fill: var(--h1); }
.h2 { fill: var(--h2); }
.h3 { fill: var(--h3); }
.h4 { fill: var(--h4); }
.h5 { fill: var(--h5); }
.h6 { fill: var(--h6); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: .3rem 0;
  font-size: .88rem; }
.key { display: inline-block; width: .9rem; height: .9rem; border-radius: 3px; margin-right: .35rem;
  vertical-align: -.1rem; }
.bars ol { list-style: none; margin: .3rem 0; padding: 0; }
.bars li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .8rem; margin: 0 0 .45rem;
  font-size: .88rem; }
.bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars .value { font-variant-numeric: tabular-nums; color: var(--soft); }
.bars svg { grid-column: 1 / 3; width: 100%; height: .55rem; background: var(--grid); border-radius: 2px;
  display: block; }
.shares svg { height: 1.1rem; }
@media (max-width: 600px) {
  .ranks { --least: 260px; }
  th, td { padding: .25rem .4rem; }
  tbody th { min-width: 8rem; max-width: 9rem; font-size: .8rem; }
}
@media print {
  .wide { overflow: visible; }
  nav, .skip { display: none; }
}
""")

Cell = str | Markup


def text(value: object, most: int = MOST_LETTERS) -> Markup:
    """Return a stranger's text as HTML: escaped, cut to about ``most`` letters, in its own direction."""
    shown = plain(value)
    if len(shown) > most:
        shown = f"{shown[:most - _LAST_LETTERS]}…{shown[-_LAST_LETTERS:]} ({len(str(value)):,} characters)"
    # A line may be broken after an underscore, as after a hyphen.
    return Markup("<bdi>{}</bdi>").format(Markup("_<wbr>").join(shown.split("_")))


def page(title: Markup, sections: Sequence[Section], before: Markup) -> Markup:
    """Return the page. ``before`` comes between the links to the sections and the first section."""
    return Markup("""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{plain_title}</title>
<link rel="icon" href="data:,">
<style>{style}</style></head>
<body><a class="skip" href="#first">Skip to the results</a>
<header><h1>{title}</h1></header>
<nav aria-label="Sections"><ul>{links}</ul></nav>
<main id="first" tabindex="-1">{before}{sections}</main></body></html>
""").format(
        plain_title=title.striptags(), style=STYLE, title=title, before=before,
        links=Markup("").join(Markup('<li><a href="#{}">{}</a></li>').format(section.name, section.title)
                              for section in sections),
        sections=Markup("\n").join(section.html() for section in sections))


class Section:
    """A section of the page with a heading, to which a link leads."""

    def __init__(self, name: str, title: str, what: str, body: Markup) -> None:
        self.name = name
        self.title = title
        self._what = what
        self._body = body

    def html(self) -> Markup:
        """Return the section."""
        return Markup('<section id="{}" aria-labelledby="{}-title"><h2 id="{}-title">{}</h2>'
                      '<p class="what">{}</p>{}</section>').format(
                          self.name, self.name, self.name, self.title, self._what, self._body)


class Marked:
    """A cell with a CSS class of page.STYLE."""

    def __init__(self, mark: str, cell: Cell) -> None:
        self.mark = mark
        self.cell = cell


def table(caption: Cell, headings: Sequence[str], rows: Sequence[Sequence[Cell | Marked]],
          texts: Sequence[int] = (), left_out: str = "") -> Markup:
    """Return a table, which scrolls in its box if it is larger. The first cell of a row is the row's name.

    ``texts`` are the numbers of the other columns that have text. ``left_out`` is said below the table.
    """
    def cell(number: int, value: Cell | Marked) -> Markup:
        if isinstance(value, Marked):
            return Markup('<td class="{}">{}</td>').format(value.mark, value.cell)
        if number == 0:
            return Markup('<th scope="row">{}</th>').format(value)
        return Markup('<td class="text">{}</td>' if number in texts else "<td>{}</td>").format(value)

    head = Markup("").join(
        Markup('<th scope="col" class="text">{}</th>' if number == 0 or number in texts
               else '<th scope="col">{}</th>').format(heading) for number, heading in enumerate(headings))
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(Markup("").join(
            cell(number, value) for number, value in enumerate(row)))
        for row in rows)
    # A box that scrolls can have the focus, so that the arrow keys scroll it.
    return Markup(
        '<div class="wide" role="region" tabindex="0" aria-label="{label}"><table>'
        "<caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        "{left_out}").format(
            label=caption.striptags() if isinstance(caption, Markup) else caption,
            caption=caption, head=head, body=body,
            left_out=Markup('<p class="what">{}</p>').format(left_out) if left_out else "")


def folded(summary: Cell, body: Markup) -> Markup:
    """Return ``body`` behind a line that opens it."""
    return Markup("<details><summary>{}</summary>{}</details>").format(summary, body)


def facts(pairs: Sequence[tuple[str, str]]) -> Markup:
    """Return figures, each with what it is."""
    return Markup('<dl class="facts">{}</dl>').format(Markup("").join(
        Markup("<div><dt>{}</dt><dd>{}</dd></div>").format(what, value) for value, what in pairs))


def beside(parts: Sequence[Markup], kind: str = "sides") -> Markup:
    """Return ``parts`` beside each other if the page is wide enough, else below each other.

    ``kind`` says how wide each is at least: "sides", "grid" or "ranks", the narrowest.
    """
    return Markup('<div class="{}">{}</div>').format(
        kind, Markup("").join(Markup("<div>{}</div>").format(part) for part in parts))
