# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor conformance``: test a broker's network layer.

The status is 0 if all cases are as expected, and 1 if a case is not or none can be tested. It is 2 for wrong
arguments, 3 if the target does not run, speaks another protocol or has ended, and 4 if a report cannot be
written. A signal ends a run with 128 and its number.

A run that ends early reports the cases that it has run, and says so. Report files are written behind each
area, too, so that a process that is killed leaves those of the areas before.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import ssl
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case, Level
from kreactor.conformance.connection import Credentials, Target, Unreachable
from kreactor.conformance.report import (
    area_line,
    as_html,
    as_json,
    as_junit,
    as_text,
    is_as_expected,
    is_bad,
    is_tested,
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

_DIFFERENCES, _USAGE, _UNREACHABLE, _UNWRITTEN, _BY_SIGNAL = 1, 2, 3, 4, 128
_HIGHEST_PORT = 65_535
_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


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


@conformance.command(hidden=True, epilog="`kreactor conformance compare --help` compares reports.")
@click.argument("target", metavar="HOST:PORT", required=False)
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option("--list", "listed", is_flag=True, help="Show the cases' ids and sentences; no connection.")
@click.option("--all", "everything", is_flag=True, help="Run every case, not the default selection.")
@click.option("--level", type=click.Choice([level.value for level in Level]), default=Level.MAY.value,
              show_default=True, help="The least binding level to run.")
@click.option("--skip", "skipped", multiple=True, metavar="SELECTOR", help="Skip these cases.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Run only the first N of the selected "
              "cases.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first case that is not as expected.")
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
        skipped: tuple[str, ...], limit: int | None, fail_fast: bool, tls: bool,
        tls_ca: str | None, sasl: str | None, timeout_s: float, patience_s: float, jobs: int,
        change_settings: bool, expected: str | None, written: str | None, against: str | None,
        json_file: str | None, junit_file: str | None, html_file: str | None) -> None:
    """Run the cases that a SELECTOR matches against HOST:PORT.

    A SELECTOR is an id, its start up to a dot, wildcards, or @FILE. Without one, the default selection runs.
    """
    if listed and target is not None:
        selectors = (target, *selectors)
    try:
        cases = select(all_cases(), selectors, Level(level), skipped, everything)
        reasons = {} if expected is None else read_expectations(Path(expected))
        cases = cases[:limit]
        if expected is not None:
            check_expectations(all_cases(), reasons, Path(expected))
    except BadSelection as e:
        raise _Failure(str(e), _USAGE) from None
    if listed:
        for case in cases:
            click.echo(f"{case.id}  {case.level.value}  {case.sentence}  [{case.decided_by}]")
        return
    if not cases:
        raise _Failure("no case of this level is selected; --list shows them all", _USAGE)
    if target is None:
        raise _Failure("the HOST:PORT of the broker is missing", _USAGE)
    _check_files(file for file in (json_file, junit_file, html_file, written) if file not in (None, "-"))
    context = _tls_context(tls, tls_ca)
    credentials = None if sasl is None else _credentials(sasl)
    options = _options(tls, tls_ca, sasl)
    reports = _Reports(target, options, len(cases), json_file, junit_file, html_file)

    def judge(text: str, save: Callable[[Sequence[Verdict]], None]) -> _Run:
        target = _target(text, timeout_s, patience_s, context, credentials)
        return _judge(target, cases, jobs, change_settings, fail_fast, reasons, save, signals.run_ended)

    with _Signals() as signals:
        runs = [signals.run(lambda: judge(target, reports.save))]
        if against is not None and not runs[0].signal:
            runs.append(signals.run(lambda: _or_nothing(lambda: judge(against, lambda verdicts: None))))
        first = runs[0]
        reports.write(first.verdicts, first.partial)
        lines = as_text(target, first.verdicts, options, first.partial)
        if against is not None:
            lines = matrix([as_json(text, run.verdicts, options, run.partial, len(cases))
                            for text, run in zip((target, against), runs)])
        reports.print(reports.on_standard_output(first.verdicts, first.partial) or lines)
        if written is not None and not first.partial:
            reports.attempt(written, lambda: write_expectations(first.verdicts, Path(written)))
    for problem in reports.problems:
        _say(f"Error: {problem}")
    if written is not None and first.partial:
        _say(f"Error: {written} is not written, because the run is partial")
    number = next((run.signal for run in runs if run.signal), 0)
    ended = next((run.ended for run in runs if run.ended), "")
    if number:
        sys.exit(_BY_SIGNAL + number)
    if ended:
        raise _Failure(ended, _UNREACHABLE)
    if reports.problems:
        sys.exit(_UNWRITTEN)
    if not any(is_tested(run.verdicts) for run in runs):
        raise _Failure("no case could be tested", _DIFFERENCES)
    if against is None:
        as_expected = is_as_expected(first.verdicts)
    else:
        as_expected = _statuses(runs[0].verdicts) == _statuses(runs[1].verdicts)
    sys.exit(0 if as_expected else _DIFFERENCES)


@conformance.command()
@click.argument("reports", nargs=-1, required=True, metavar="[NAME=]FILE...")
def compare(reports: tuple[str, ...]) -> None:
    """Show the JSON reports of several targets side by side, under NAME instead of HOST:PORT if given."""
    for line in matrix([_read_named_report(report) for report in reports]):
        click.echo(line)


def _or_nothing(judge: Callable[[], _Run]) -> _Run:
    """Return a run, or one without verdicts if its target does not answer at the begin."""
    try:
        return judge()
    except _Failure as e:
        return _Run([], e.message, e.message)


def _statuses(verdicts: Sequence[Verdict]) -> list[tuple[str, Status]]:
    return [(verdict.case.id, verdict.status) for verdict in verdicts]


@dataclass
class _Run:
    """The result of a run.

    ``partial`` says why it is not whole, ``ended`` why the target does not answer any more, and ``signal`` is
    the number of the signal that stopped it; empty and 0 if not so.
    """

    verdicts: list[Verdict]
    partial: str = ""
    ended: str = ""
    signal: int = 0


class _SignalCame(BaseException):
    """Raised in the main thread by the first signal during a run."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Signals:
    """Stops a run at the first signal that would end the process; a second one ends the process.

    The first signal while reports are written changes nothing.
    """

    def __init__(self) -> None:
        self._former: dict[int, Any] = {}
        self._is_running = False

    def __enter__(self) -> _Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                # nohup, and a shell's background, ignore some of them.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._former[number] = signal.signal(number, self._came)
        return self

    def __exit__(self, *_: object) -> None:
        for number, former in self._former.items():
            signal.signal(number, former)

    def run(self, judge: Callable[[], _Run]) -> _Run:
        """Return the run that ``judge`` makes; without a verdict if a signal comes before the first case."""
        self._is_running = True
        try:
            return judge()
        except _SignalCame as e:
            return _Run([], f"stopped by {signal.Signals(e.number).name} before the first case", "", e.number)
        finally:
            self._is_running = False

    def run_ended(self) -> None:
        """Have a signal change nothing from here on.

        ``judge`` calls this where it can still catch the signal's exception.
        """
        self._is_running = False

    def _came(self, number: int, frame: FrameType | None) -> None:
        for each in self._former:
            signal.signal(each, signal.SIG_DFL)
        if self._is_running:
            self._is_running = False
            raise _SignalCame(number)


class _Reports:
    """Writes the reports of a run. ``problems`` has those that could not be written."""

    def __init__(self, target: str, options: Sequence[str], selected: int, json_file: str | None,
                 junit_file: str | None, html_file: str | None) -> None:
        self.problems: list[str] = []
        self._target = target
        self._options = options
        self._selected = selected
        self._texts = [(file, text) for file, text in (
            (json_file, self._json_text), (junit_file, self._junit_text), (html_file, self._html_text))
            if file is not None]

    def save(self, verdicts: Sequence[Verdict]) -> None:
        """Write the files in the middle of a run. A file that cannot be written now is tried
        again at the end."""
        for file, text in self._texts:
            if file != "-" and (not Path(file).exists() or Path(file).is_file()):
                with suppress(OSError):
                    _save(file, text(verdicts, "the run has not ended"))

    def write(self, verdicts: Sequence[Verdict], partial: str) -> None:
        """Write the files."""
        for file, text in self._texts:
            if file != "-":
                self.attempt(file, lambda: _save(file, text(verdicts, partial)))

    def on_standard_output(self, verdicts: Sequence[Verdict], partial: str) -> list[str]:
        """Return the reports that the user wants on standard output, in place of the text."""
        return [text(verdicts, partial).rstrip("\n") for file, text in self._texts if file == "-"]

    def print(self, lines: Iterable[str]) -> None:
        """Write lines to standard output."""
        def write() -> None:
            try:
                for line in lines:
                    click.echo(line)
            except OSError:
                # Python would try again at its exit to write what is left.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise
        self.attempt("standard output", write)

    def attempt(self, name: str, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as e:
            self.problems.append(f"{name}: {e.strerror or e}")

    def _json_text(self, verdicts: Sequence[Verdict], partial: str) -> str:
        return json.dumps(self._as_json(verdicts, partial), separators=(",", ":")) + "\n"

    def _as_json(self, verdicts: Sequence[Verdict], partial: str) -> dict[str, Any]:
        return as_json(self._target, verdicts, self._options, partial, self._selected)

    def _junit_text(self, verdicts: Sequence[Verdict], partial: str) -> str:
        return as_junit(self._target, verdicts, partial)

    def _html_text(self, verdicts: Sequence[Verdict], partial: str) -> str:
        return as_html(self._as_json(verdicts, partial))


def _judge(target: Target, cases: Sequence[Case], jobs: int, change_settings: bool, fail_fast: bool,
           reasons: Mapping[str, str], save: Callable[[Sequence[Verdict]], None],
           run_ended: Callable[[], None]) -> _Run:
    """Run the cases, and call ``run_ended``. Raises _Failure if the target does not answer at the begin."""
    try:
        offer = ask_offer(target)
    except Unreachable as e:
        raise _Failure(str(e), _UNREACHABLE) from None
    has_failed = threading.Event()
    is_terminal = sys.stderr.isatty()
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                  TextColumn("{task.fields[failed]} failed"), TimeElapsedColumn(),
                  console=Console(stderr=True), disable=not is_terminal) as progress:
        task = progress.add_task(str(target), total=len(cases), failed=0)
        failed = 0

        def seen(verdict: Verdict) -> None:
            nonlocal failed
            apply_expectations([verdict], reasons)
            if is_bad(verdict):
                failed += 1
                has_failed.set()
                if fail_fast:
                    runner.stop()
            progress.update(task, advance=1, failed=failed)

        def area_seen(area: str, count: int, verdicts: Sequence[Verdict], took_s: float) -> None:
            if not is_terminal:
                _say(area_line(area, count, verdicts, took_s))
            save(runner.verdicts())

        runner = Runner(target, offer, jobs, seen, area_seen=area_seen, changes_settings=change_settings)
        ended, number, why = "", 0, ""
        try:
            try:
                runner.run(cases)
            except Died as e:
                ended = f"{target}: {e}"
                why = str(e)
            # A signal that came later would leave a run without the verdicts.
            run_ended()
        except _SignalCame as e:
            number = e.number
            why = f"stopped by {signal.Signals(number).name}"
        verdicts = runner.verdicts()
        if fail_fast and has_failed.is_set() and not why:
            why = "stopped at the first failure"
    count = len({verdict.case.id for verdict in verdicts} & {case.id for case in cases})
    partial = f"{count} of {len(cases)} cases ran: {why}" if why and count < len(cases) else ""
    return _Run(verdicts, partial, ended, number)


def _say(line: str) -> None:
    """Write a line to standard error; if that is closed, the run goes on."""
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


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


def _check_files(files: Iterable[str | None]) -> None:
    """Raise _Failure for a file that cannot be written, before the run."""
    for file in files:
        path = Path(str(file))
        if path.is_dir():
            raise _Failure(f"{file}: a folder", _USAGE)
        if not path.parent.is_dir():
            raise _Failure(f"{file}: the folder does not exist", _USAGE)
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise _Failure(f"{file}: not writable", _USAGE)


def _save(file: str, text: str) -> None:
    """Write a file. A regular one is replaced whole, so that a full disk leaves the one before."""
    path = Path(file).resolve()
    is_new = not path.exists()
    if not is_new and not (path.is_file() and os.access(path.parent, os.W_OK)):
        path.write_text(text, encoding="utf-8")
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        if not is_new:
            shutil.copymode(path, part)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


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
