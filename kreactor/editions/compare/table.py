# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The results of a script, side by side: one line for each poll and fact, one column for each edition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kreactor.editions.compare.facts import MEANINGS
from kreactor.editions.compare.rig import FACTS, Facts
from kreactor.editions.compare.script import Script
from kreactor.editions.registry import EDITIONS

# The cell of an edition that lacks the row's thing.
_NOTHING = "-"


@dataclass(frozen=True)
class Row:
    """A row: a fact of one poll, or a step or the number of a poll, which have no cells."""

    title: str
    cells: tuple[str | None, ...] = ()

    @property
    def differs(self) -> bool:
        """Return whether the editions differ; an edition without the automaton or the pool does not count."""
        return len({cell or "" for cell in self.cells if cell is not None or self.title == "staged"}) > 1


@dataclass(frozen=True)
class Comparison:
    """A script, its editions, and the facts of each round of each step by edition."""

    script: Script
    editions: tuple[str, ...]
    found: tuple[Sequence[Sequence[Facts]], ...]
    without: tuple[Sequence[str], ...]

    def rows(self) -> Iterator[Row]:
        """Return the rows from top to bottom, without facts that no edition has in a poll."""
        number = 0
        for at, step in enumerate(self.script.steps):
            if step.text and not any(by_edition[at] for by_edition in self.found):
                yield Row(step.text)
            for facts in zip(*(by_edition[at] for by_edition in self.found), strict=True):
                number += 1
                yield Row(f"poll {number}{' fails' if step.text.endswith('fails') and facts else ''}")
                for fact in FACTS:
                    cells = tuple(each[fact] for each in facts)
                    if any(cells) and not (fact == "memory" and set(cells) <= {"0", None}):
                        yield Row(fact, cells)

    def differences(self) -> int:
        """Return the number of rows that differ."""
        return sum(row.differs for row in self.rows())


def print_table(comparison: Comparison, console: Console) -> None:
    """Print the table; rows that differ begin with a star, and are highlighted on a terminal."""
    table = Table(title=comparison.script.title, title_justify="left", show_edge=False, pad_edge=False)
    table.add_column("")
    for edition, without in zip(comparison.editions, comparison.without, strict=True):
        table.add_column(edition + "".join(f"\nwithout {name}" for name in without), overflow="fold")
    for row in comparison.rows():
        if not row.cells:
            table.add_row(Text(row.title, style="bold" if row.title.startswith("poll") else "italic"))
            continue
        style = "bold yellow" if row.differs else "dim"
        cells = (Text(_NOTHING, style="dim") if cell is None else Text(cell, style=style)
                 for cell in row.cells)
        table.add_row(Text(f"{'*' if row.differs else ' '} {row.title}", style=style), *cells)
    if comparison.script.about:
        console.print(comparison.script.about, highlight=False, markup=False)
        console.print()
    console.print(table)
    console.print(f"{comparison.differences()} rows differ (*)", highlight=False)


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em; max-width: 90em; color: #222 }
table { border-collapse: collapse } td, th { padding: .1em .8em; text-align: left; vertical-align: top }
th { border-bottom: 2px solid #888 } td { font-family: ui-monospace, monospace; font-size: 13px; color: #999 }
tr.step td { font-family: inherit; font-style: italic; color: #222; padding-top: .8em }
tr.poll td { font-family: inherit; font-weight: 600; color: #222; border-top: 1px solid #ddd }
tr.differs td { color: #222; background: #fff3c4 } small { font-weight: 400 }
dl { display: grid; grid-template-columns: max-content auto; gap: .1em 1em; font-size: 13px } dd { margin: 0 }
dt { font-family: ui-monospace, monospace }
@media (prefers-color-scheme: dark) { body, tr.step td, tr.poll td { background: #1b1b1b; color: #ddd }
  td { color: #777 } tr.differs td { background: #4d4319; color: #fff } tr.poll td { border-color: #444 } }
"""


def html(comparison: Comparison) -> str:
    """Return the table as a self-contained HTML page."""
    heads = "".join(
        f"<th>{escape(edition)}<br><small>Kafka {escape(EDITIONS[edition].tag)}</small>"
        f"{''.join(f'<br><small>without {escape(name)}</small>' for name in without)}</th>"
        for edition, without in zip(comparison.editions, comparison.without, strict=True))
    title = escape(comparison.script.title)
    return "\n".join([
        '<!DOCTYPE html>', '<html lang="en">', '<head>', '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">', f"<title>{title}</title>",
        f"<style>{_STYLE}</style>", "</head>", "<body>", f"<h1>{title}</h1>",
        f"<p>{escape(comparison.script.about)}</p>", "<table>", f"<thead><tr><th></th>{heads}</tr></thead>",
        "<tbody>", *map(_line, comparison.rows()), "</tbody>", "</table>",
        f"<p>{comparison.differences()} rows differ (*).</p>",
        "<h2>The rows</h2>", "<p>A request is called after its client and its number. A - says that the "
        "edition does not have the thing.</p>", "<dl>",
        *(f"<dt>{name}</dt><dd>{escape(meaning)}</dd>" for name, meaning in MEANINGS.items()), "</dl>",
        "</body>", "</html>", ""])


def _line(row: Row) -> str:
    kind = "differs" if row.differs else "equal"
    if not row.cells:
        kind = "poll" if row.title.startswith("poll") else "step"
    cells = "".join(f"<td>{escape(_NOTHING if cell is None else cell)}</td>" for cell in row.cells)
    meaning = f' title="{escape(MEANINGS[row.title])}"' if row.cells else ""
    star = "* " if row.differs else ""
    return f'<tr class="{kind}"><td{meaning}>{star}{escape(row.title)}</td>{cells}</tr>'
