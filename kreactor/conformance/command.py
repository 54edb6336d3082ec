# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor conformance``: test a broker's network layer.

The status is 0 if all cases are as expected, and 1 if a case is not. It is 2 for wrong arguments, and 3 if
the target does not run, speaks another protocol, or has ended.
"""

from __future__ import annotations

import json
import re
import ssl
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case, Level
from kreactor.conformance.connection import Credentials, Target, Unreachable
from kreactor.conformance.report import (
    as_html,
    as_json,
    as_junit,
    as_text,
    is_as_expected,
    matrix,
)
from kreactor.conformance.runner import Died, Runner, Status, Verdict, ask_offer
from kreactor.conformance.selection import (
    BadSelection,
    apply_expectations,
    check_expectations,
    read_expectations,
    select,
    write_expectations,
)

_DIFFERENCES, _USAGE, _UNREACHABLE = 1, 2, 3
_HIGHEST_PORT = 65_535
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_HTML_SUFFIXES = (".html", ".htm")


class _Failure(click.ClickException):
    """One line for the user, and a status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(" ".join(message.split()))
        setattr(self, "exit_code", status)  # the type checker sees it as a class attribute


class _Group(click.Group):
    """Treats a first word that is not a subcommand as a target."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Group)
def conformance() -> None:
    """Judge how a broker's network layer differs from Kafka's."""


@conformance.command(hidden=True)
@click.argument("target", metavar="HOST:PORT", required=False)
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option("--list", "listed", is_flag=True, help="Show the cases' ids and sentences; no connection.")
@click.option("--all", "everything", is_flag=True, help="Run every case, not the default selection.")
@click.option("--level", type=click.Choice([level.value for level in Level]), default=Level.MAY.value,
              show_default=True, help="The least binding level to run.")
@click.option("--skip", "skipped", multiple=True, metavar="SELECTOR", help="Skip these cases.")
@click.option("--tls", is_flag=True, help="Connect over TLS, trusting the system's certificates.")
@click.option("--tls-ca", metavar="FILE", help="Connect over TLS, trusting the certificates of a PEM file.")
@click.option("--sasl", metavar="MECHANISM:USER:PASSWORD", help="Authenticate: PLAIN, SCRAM-SHA-256, "
              "SCRAM-SHA-512.")
@click.option("--timeout", "timeout_s", type=click.FloatRange(0.05, 600), default=5.0, show_default=True,
              help="Seconds to wait for expected bytes.")
@click.option("--patience", "patience_s", type=click.FloatRange(0.01, 60), default=0.2, show_default=True,
              help="Seconds without an answer that count as silence.")
@click.option("--jobs", type=click.IntRange(1, 64), default=4, show_default=True, help="Concurrent cases.")
@click.option("--change-settings", is_flag=True, help="Allow cases that set a quota for a client id of their "
              "own, and remove it.")
@click.option("--expect", "expected", metavar="FILE",
              help="Known failures, one ID: REASON on each line. A known failure must fail.")
@click.option("--write-expect", "written", metavar="FILE", help="Write this run's failures as such a file.")
@click.option("--against", metavar="HOST:PORT", help="Run a second target and show only the differences.")
@click.option("--json", "json_file", metavar="FILE", help="Write a report as JSON; - for standard output.")
@click.option("--junit", "junit_file", metavar="FILE", help="Write a report as JUnit's XML.")
@click.option("--html", "html_file", metavar="FILE", help="Write a report as one HTML page.")
def run(target: str | None, selectors: tuple[str, ...], listed: bool, everything: bool, level: str,
        skipped: tuple[str, ...], tls: bool, tls_ca: str | None, sasl: str | None, timeout_s: float,
        patience_s: float, jobs: int, change_settings: bool, expected: str | None, written: str | None,
        against: str | None, json_file: str | None, junit_file: str | None, html_file: str | None) -> None:
    """Run the cases that a SELECTOR matches against HOST:PORT.

    A SELECTOR is an id, its start up to a dot, wildcards, or @FILE. Without one, the default selection runs.
    """
    if listed and target is not None:
        selectors = (target, *selectors)
    try:
        cases = select(all_cases(), selectors, Level(level), skipped, everything)
        reasons = {} if expected is None else read_expectations(Path(expected))
        if expected is not None:
            check_expectations(all_cases(), reasons, Path(expected))
    except BadSelection as e:
        raise _Failure(str(e), _USAGE) from None
    if listed:
        for case in cases:
            click.echo(f"{case.id}  {case.level.value}  {case.sentence}  [{case.decided_by}]")
        return
    if target is None:
        raise _Failure("the HOST:PORT of the broker is missing", _USAGE)
    context = _tls_context(tls, tls_ca)
    credentials = None if sasl is None else _credentials(sasl)

    def judge(text: str) -> tuple[list[Verdict], str]:
        return _judge(_target(text, timeout_s, patience_s, context, credentials), cases, jobs,
                      change_settings)

    options = _options(tls, tls_ca, sasl)
    verdicts, ended = judge(target)
    apply_expectations(verdicts, reasons)
    report = as_json(target, verdicts, options)
    if against is not None:
        others, other_ended = judge(against)
        ended = ended or other_ended
        for line in matrix([report, as_json(against, others, options)]):
            click.echo(line)
    elif json_file != "-":
        for line in as_text(target, verdicts, options):
            click.echo(line)
    _write(json_file, json.dumps(report, separators=(",", ":")) + "\n")
    _write(junit_file, as_junit(target, verdicts))
    _write(html_file, as_html(report))
    if written is not None:
        write_expectations(verdicts, Path(written))
    if ended:
        raise _Failure(ended, _UNREACHABLE)
    if against is not None:
        same = [verdict.status for verdict in verdicts] == [verdict.status for verdict in others]
    sys.exit(0 if (same if against is not None else is_as_expected(verdicts)) else _DIFFERENCES)


@conformance.command()
@click.argument("reports", nargs=-1, required=True, metavar="[NAME=]FILE...")
def compare(reports: tuple[str, ...]) -> None:
    """Show the JSON reports of several targets side by side, under NAME instead of HOST:PORT if given."""
    for line in matrix([_read_named_report(report) for report in reports]):
        click.echo(line)


def _judge(target: Target, cases: Sequence[Case], jobs: int,
           change_settings: bool) -> tuple[list[Verdict], str]:
    """Run the cases; return the verdicts, and the reason of an early end or None. Raises _Failure."""
    try:
        offer = ask_offer(target)
    except Unreachable as e:
        raise _Failure(str(e), _UNREACHABLE) from None
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                  TextColumn("{task.fields[failed]} failed"), TimeElapsedColumn(),
                  console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task(str(target), total=len(cases), failed=0)
        failed = 0

        def seen(verdict: Verdict) -> None:
            nonlocal failed
            failed += verdict.status is Status.FAILED
            progress.update(task, advance=1, failed=failed)

        try:
            return Runner(target, offer, jobs, seen, changes_settings=change_settings).run(cases), ""
        except Died as e:
            return list(e.verdicts), f"{target}: {e}"


def _target(text: str, timeout_s: float, patience_s: float, tls: ssl.SSLContext | None,
            sasl: Credentials | None) -> Target:
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) <= _HIGHEST_PORT:
        raise _Failure(f"{text}: not HOST:PORT", _USAGE)
    return Target(host, int(port), timeout_s, patience_s, tls, sasl)


def _tls_context(tls: bool, ca_file: str | None) -> ssl.SSLContext | None:
    if not tls and ca_file is None:
        return None
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as e:
        raise _Failure(f"--tls-ca {ca_file}: {e.strerror or e}", _USAGE) from None


def _credentials(text: str) -> Credentials:
    """Parse the user of an option. No error shows the password."""
    mechanism, _, rest = text.partition(":")
    user, colon, password = rest.partition(":")
    if mechanism not in _MECHANISMS or not colon or not user:
        raise _Failure(f"--sasl: not MECHANISM:USER:PASSWORD with one of {', '.join(_MECHANISMS)}", _USAGE)
    return Credentials(mechanism, user, password)


def _options(tls: bool, tls_ca: str | None, sasl: str | None) -> list[str]:
    """Return the command-line options for the same target, without the password."""
    options = ["--tls"] if tls else []
    if tls_ca is not None:
        options += ["--tls-ca", tls_ca]
    if sasl is not None:
        options += ["--sasl", ":".join(sasl.split(":")[:2]) + ":PASSWORD"]
    return options


def _write(file: str | None, text: str) -> None:
    if file is None:
        return
    try:
        with click.open_file(file, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as e:
        raise _Failure(f"{file}: {e.strerror}", _USAGE) from None


def _read_named_report(argument: str) -> dict[str, Any]:
    name, equals, file = argument.partition("=")
    if not equals or Path(argument).exists():
        return _read_report(argument)
    return {**_read_report(file), "target": name}


def _read_report(file: str) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads(Path(file).read_text(encoding="utf-8"))
        if {"target", "areas", "cases", "summary"} <= report.keys():
            return report
    except OSError as e:
        raise _Failure(f"{file}: {e.strerror}", _USAGE) from None
    except (ValueError, AttributeError):
        pass
    raise _Failure(f"{file}: not a report that --json has written", _USAGE)
