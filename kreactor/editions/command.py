# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor editions``: the older releases, and their differences."""

from __future__ import annotations

import inspect
import json
import logging
import textwrap
from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console

from kreactor.editions.compare.facts import MEANINGS
from kreactor.editions.registry import EDITIONS

_PAGED_WIDTH = 160
# The width of a help page on a narrow terminal, without click's margins.
_HELP_WIDTH = 76
_STEPS = {
    "title TEXT": "the title of the table",
    "set connections.max.idle.ms=1000": "a property of the broker",
    "a connects": "a client, by a name; or: over TLS; or: from the port of b",
    "a sends 3": "requests in one segment; or: 3 of 100 bytes; or: 3 with acks=0",
    "a to d connect": "four clients, a line as for one; or: a to d send 1",
    "a sends bytes 0000000141": "any bytes",
    "a closes": "or: resets; or: half-closes",
    "poll 2": "the network thread goes round; or: poll fails",
    "handlers answer 1": "all requests without a number; or: handlers close 1",
    "handlers throttle 1 for 100 ms": "the client is over its quota",
    "100 ms pass": "the clock moves",
}


def _rows(meanings: Mapping[str, str]) -> str:
    """Return a paragraph that click leaves as it is: a column of words, and one of their meanings."""
    column = max(map(len, meanings)) + 2
    lines = ["\b"]
    for word, meaning in meanings.items():
        lines += textwrap.wrap(meaning, _HELP_WIDTH, initial_indent=word.ljust(column),
                               subsequent_indent=" " * column)
    return "\n".join(lines)


class _BadScript(click.ClickException):
    """An error in a script, in one line."""

    exit_code = 2


@click.group(short_help="Compare the network layers of older releases of Kafka.")
def editions() -> None:
    """Compare the network layers of older releases of Kafka with that of 3.8.0.

    The pages in kreactor/editions/ explain the reason of each difference.
    """


@editions.command("list")
def list_editions() -> None:
    """Print the editions and their releases."""
    for edition in EDITIONS.values():
        click.echo(f"{edition.name:8}{edition.tag}")


@editions.command()
def scripts() -> None:
    """Print the scripts that come with kreactor."""
    from kreactor.editions.compare.script import load_script, own_scripts

    for name in own_scripts():
        click.echo(f"{name:32}{load_script(name).title}")


@editions.command()
@click.argument("script")
@click.option("--editions", "names", metavar="RELEASE,…", default=",".join(EDITIONS), show_default=True,
              help="The columns, in their order.")
@click.option("--html", "html_file", type=click.Path(dir_okay=False, path_type=Path),
              help="Write a page, too.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the facts of each poll, too.")
@click.option("--verbose", is_flag=True, help="Log what the editions log.")
def compare(script: str, names: str, html_file: Path | None, json_file: Path | None, verbose: bool) -> None:
    """Show what SCRIPT does in each edition, poll by poll.

    SCRIPT is the name of one of kreactor's scripts (`kreactor editions scripts` lists them), or a file of
    yours. The same bytes go through one network thread of each edition. The clock is virtual, and no other
    thread runs. One poll is one round of the network thread, from new connections to disconnected ones. Rows
    in which the editions differ have a star.

    Begin with: kreactor editions compare staged-receives --editions 2.2,3.8
    """
    # Imported here, because the help does not need these modules.
    from kreactor.editions.compare.rig import run
    from kreactor.editions.compare.script import ScriptException, load_script
    from kreactor.editions.compare.table import Comparison, html, print_table

    chosen = tuple(name.strip() for name in names.split(","))
    for name in chosen:
        if name not in EDITIONS:
            raise click.UsageError(f"--editions: there is no {name}; there are {', '.join(EDITIONS)}")
    enabled = logging.root.manager.disable
    if not verbose:
        logging.disable(logging.CRITICAL)
    try:
        read = load_script(script)
        found, without = zip(*(run(read, name) for name in chosen))
    except ScriptException as e:
        raise _BadScript(str(e)) from e
    finally:
        logging.disable(enabled)
    comparison = Comparison(read, chosen, found, without)
    console = Console()
    print_table(comparison, console if console.is_terminal else Console(width=_PAGED_WIDTH))
    if html_file is not None:
        _write(html_file, html(comparison))
    if json_file is not None:
        _write(json_file, json.dumps(dict(zip(chosen, found, strict=True)), indent=1))


assert compare.help is not None
compare.help = "\n\n".join((
    inspect.cleandoc(compare.help), "A script has a line for each step; a # begins a comment:", _rows(_STEPS),
    "A request's name is its client and its number: a1. A - means that the edition has no such thing. The "
    "rows of a poll are listed below; a row that is empty in all editions is left out:", _rows(MEANINGS)))


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as e:
        raise click.ClickException(f"{file}: {e.strerror}") from e
