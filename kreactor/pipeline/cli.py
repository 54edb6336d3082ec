# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The commands below ``kreactor pipeline``.

Status 0: done; 1: ``check`` found a violation, or Spark failed unexpectedly; 2: the user must do something
first; 128 and a signal's number: SIGINT, SIGTERM or SIGHUP ended the command. With any status, an ingest is
in its table completely or not at all.

A separate thread runs a command. The main thread waits for signals: each thread has its own connection to the
JVM, and a signal handler that raised in the middle of a call would leave its connection out of step.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kreactor.pipeline.failures import PipelineFailure, sentence
from kreactor.pipeline.plain_text import cell, plain

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

    from kreactor.pipeline.ingest import Ingested

_BRIEF = 300
# The most files of each kind that ingest names.
_MOST_NAMES = 20

# The interval at which the main thread looks for signals. The kernel may deliver a signal to another thread,
# and then the handler runs only when the main thread wakes up.
_LOOK_S = 0.2
# The time that Spark's jobs have to end after a signal.
_CANCEL_S = 8.0
# The time that the work has to fail after the end of its JVM.
_UNWIND_S = 1.0


class _BadUsage(click.ClickException):
    exit_code = 2


class _Interrupted(click.ClickException):
    exit_code = 128 + signal.SIGINT

    def __init__(self) -> None:
        super().__init__("interrupted; nothing of an unfinished ingest is in its table")


class _Terminated(_Interrupted):
    exit_code = 128 + signal.SIGTERM


class _HungUp(_Interrupted):
    exit_code = 128 + signal.SIGHUP


_ENDINGS = {signal.SIGINT: _Interrupted, signal.SIGTERM: _Terminated, signal.SIGHUP: _HungUp}


@contextmanager
def _errors_as_sentences() -> Iterator[None]:
    """Turn an error into one sentence that ends the command."""
    try:
        yield
    except PipelineFailure as e:
        raise _BadUsage(str(e)) from e
    except KeyboardInterrupt:
        raise _Interrupted from None
    except (click.ClickException, BrokenPipeError):
        raise
    except Exception as e:
        told = sentence(e)
        if told is not None:
            raise _BadUsage(plain(told)) from e
        text = plain(" ".join(str(e).split())) or type(e).__name__
        raise click.ClickException(f"Spark: {text[:_BRIEF]}; --verbose shows its log") from e


@contextmanager
def _spark(master: str | None, remote: str | None, conf: Sequence[str], verbose: bool,
           paths: Sequence[str]) -> Iterator[SparkSession]:
    from kreactor.pipeline.session import is_large, spark_session

    if master and remote:
        raise _BadUsage("--master and --remote: give one of them")
    if verbose and remote:
        raise _BadUsage("--verbose: not with --remote, whose server has Spark's log")
    properties = {}
    for text in conf:
        key, equals, value = text.partition("=")
        if not equals or not key.strip().startswith("spark."):
            raise _BadUsage(f"--conf {text}: not spark.KEY=VALUE")
        properties[key.strip()] = value.strip()
    for option, url, key in (("--master", master, "spark.master"), ("--remote", remote, "spark.remote")):
        if url and key in properties:
            raise _BadUsage(f"{option} and --conf {key}: give one of them")
    large = is_large(paths)
    with _errors_as_sentences(), spark_session(master, properties, verbose, large, remote) as session:
        yield session


def _with_spark(command: Callable[..., None],
                without: Callable[..., bool] = lambda **options: False) -> Callable[..., None]:
    """Add the options of every command that needs Spark, and call the command with a session.

    ``without`` gets all options first. It refuses wrong ones before Spark starts, and returns whether it has
    run the command without Spark.
    """
    @click.option("--master", metavar="URL",
                  help="Spark's master; local[*,4] if neither this nor spark.master is given.")
    @click.option("--remote", metavar="URL",
                  help="A server of Spark Connect, such as sc://localhost:15002, instead of a master.")
    @click.option("--conf", multiple=True, metavar="KEY=VALUE",
                  help="A property of Spark; may be repeated.")
    @click.option("--verbose", is_flag=True, help="Show Spark's log; a server of Spark Connect has its own.")
    @wraps(command)
    def run(master: str | None, remote: str | None, conf: tuple[str, ...], verbose: bool,
            **options: Any) -> None:
        with _errors_as_sentences():
            given = (("--master", master), ("--remote", remote), ("--conf", conf), ("--verbose", verbose))
            if without(needs_spark=next((option for option, value in given if value), None), **options):
                return
        paths = [*options.get("sources", ()), *filter(None, (options.get("folder"), options.get("against")))]

        def work() -> None:
            with _spark(master, remote, conf, verbose, paths) as session:
                command(session, **options)

        _interruptible(work)

    return run


def _interruptible(work: Callable[[], None]) -> None:
    """Run ``work`` until it is done, or until a signal ends it. A second signal ends the process at once.

    On another thread than the main thread, and in a process with a session of its own, ``work`` simply runs.
    """
    if threading.current_thread() is not threading.main_thread() or _has_session():
        work()
        return
    context = click.get_current_context()
    outcome: list[BaseException | None] = []

    def run() -> None:
        try:
            with context.scope(cleanup=False):
                work()
            outcome.append(None)
        # Any exception: the main thread raises it.
        except BaseException as e:
            outcome.append(e)

    worker = threading.Thread(target=run, name="pipeline", daemon=True)
    numbers: list[int] = []
    # A process that ignores SIGHUP, to outlive its terminal, keeps ignoring it.
    former = {number: signal.signal(number, lambda number, _: numbers.append(number))
              for number in _ENDINGS if signal.getsignal(number) is not signal.SIG_IGN}
    try:
        worker.start()
        while worker.is_alive() and not numbers:
            worker.join(_LOOK_S)
        if numbers:
            _cancel(worker, numbers)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
    # The work may have been done before the signal could end it.
    if outcome[0] is not None:
        raise (_ENDINGS[signal.Signals(numbers[0])]() if numbers else outcome[0]) from None


def _has_session() -> bool:
    """Return whether this process has a session, without an import of Spark."""
    spark = sys.modules.get("pyspark.sql")
    return spark is not None and spark.SparkSession.getActiveSession() is not None


def _cancel(worker: threading.Thread, numbers: list[int]) -> None:
    """End the work after the first of ``numbers``, or the process if that takes too long or at the second."""
    from kreactor.pipeline.session import cancel_work, kill_jvm, remove_files

    def cancel() -> None:
        # The work may start another job meanwhile.
        while worker.is_alive():
            cancel_work()
            worker.join(_LOOK_S)

    # A thread, because a call may wait for a JVM that does not answer.
    threading.Thread(target=cancel, name="cancel", daemon=True).start()
    deadline = time.monotonic() + _CANCEL_S
    while worker.is_alive():
        worker.join(_LOOK_S)
        if len(numbers) > 1 or time.monotonic() > deadline:
            ending = _ENDINGS[signal.Signals(numbers[0])]()
            # The terminal may be gone.
            with suppress(OSError):
                ending.show()
                sys.stderr.flush()
            # PySpark's threads print tracebacks when the JVM is gone.
            sys.stderr = open(os.devnull, "w")
            kill_jvm()
            # Without its JVM the work fails, and removes PySpark's files.
            worker.join(_UNWIND_S)
            remove_files()
            os._exit(ending.exit_code)


def _filter_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that choose requests."""
    for option in reversed((
            click.option("--api", "apis", multiple=True, metavar="NAME",
                         help="Only these APIs, such as FETCH."),
            click.option("--client", "clients", multiple=True, metavar="ID", help="These client ids only."),
            click.option("--listener", "listeners", multiple=True, metavar="NAME",
                         help="These listeners only."),
            click.option("--where", metavar="SQL",
                         help="Requests for which this is true, such as 'total_ms > 10'."))):
        command = option(command)
    return command


def _chosen(apis: Sequence[str], clients: Sequence[str], listeners: Sequence[str],
            where: str | None) -> Column:
    """Return the condition that the options of ``_filter_options`` make."""
    from pyspark.sql import functions as f

    chosen = f.expr(where) if where else f.lit(True)
    for column, values in (("api", apis), ("client_id", clients), ("listener", listeners)):
        if values:
            chosen = chosen & f.col(column).isin(list(values))
    return chosen


def _is_given(name: str) -> bool:
    """Return whether the user has given the parameter ``name`` of the command that runs."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def _check_ingest(follow: bool, once: bool, max_quarantine: float | None, **_: object) -> bool:
    """Refuse options of ``ingest`` that would have no effect. Returns False: ``ingest`` needs Spark."""
    if not follow:
        for option, is_given in (("--once", once), ("--every", _is_given("every"))):
            if is_given:
                raise _BadUsage(f"{option}: only with --follow")
    elif once and _is_given("every"):
        raise _BadUsage("--every: not with --once, which ends without an interval")
    elif max_quarantine is not None:
        raise _BadUsage("--max-quarantine: not with --follow")
    return False


@contextmanager
def _progress(spark: SparkSession, what: str) -> Iterator[None]:
    from rich.console import Console

    from kreactor.pipeline.progress import progress

    with progress(spark, what, Console(stderr=True)):
        yield


@click.group(short_help="Analyse request logs of brokers with Spark.")
def pipeline() -> None:
    """Analyse request logs of brokers, Kafka's or kreactor's, with Spark.

    Brokers write one where kafka.request.logger is at debug.
    """


@pipeline.command(short_help="Add what is new of request logs to a table.")
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option("--to", "to", metavar="DIR", required=True,
              help="The folder of the table; created if missing.")
@click.option("--broker", default="", metavar="NAME",
              help="The broker's name, which distinguishes brokers in one table.")
@click.option("--broker-from", metavar="REGEX",
              help="Find the broker's name in the path of a file, such as '/logs/([^/]+)/'. --broker names "
              "the broker of other files.")
@click.option("--zone", default="UTC", metavar="ZONE",
              help="The time zone of times without a zone; UTC by default.")
@click.option("--date", "day", default="", metavar="DATE",
              help="The date of the first time without a date, or near times without a year.")
@click.option("--time-format", "pattern", default="", metavar="PATTERN",
              help="The pattern of the times, as in log4j's %d{PATTERN}; known layouts need none.")
@click.option("--keep-json", is_flag=True, help="Also keep requests and responses as JSON.")
@click.option("--max-quarantine", default=None, metavar="SHARE", type=click.FloatRange(0, 1),
              help="Refuse a file of whose new lines more than this share are not requests, such as 0.01.")
@click.option("--follow", is_flag=True, help="Add the new lines of local folders, until Ctrl-C.")
@click.option("--every", default=30, metavar="SECONDS", type=click.IntRange(1),
              help="The interval between checks, with --follow.")
@click.option("--once", is_flag=True, help="With --follow: add the new lines, and end.")
@partial(_with_spark, without=_check_ingest)
def ingest(spark: SparkSession, sources: tuple[str, ...], to: str, broker: str, broker_from: str | None,
           zone: str, day: str, pattern: str, keep_json: bool, max_quarantine: float | None, follow: bool,
           every: int, once: bool) -> None:
    """Add what is new of request logs to a table: files, globs, folders, and - for standard input.

    Logs are plain, or compressed with gzip, bzip2, xz, Zstandard or LZ4, under any name. The table knows a
    log by its content: a log that grew goes on where it ended, and a renamed, copied or compressed one is
    known. A line that is not a request goes to a table beside it, with file, line and reason. A new file
    without any request is refused. The status is 0 if all files are taken or known, else 2; the other files
    are taken.

    --follow takes folders and reads all logs below them, each line once. A log may be renamed, copied, cut
    off or compressed meanwhile. A file that vanishes before its end was read is told.
    """
    from kreactor.pipeline.ingest import Options, check_pattern
    from kreactor.pipeline.ingest import ingest as run
    from kreactor.pipeline.table import Table

    options = Options(broker, zone, keep_json, day, pattern,
                      None if broker_from is None else check_pattern(broker_from))
    if follow:
        from kreactor.pipeline.follow import follow as run_follow

        lines = requests = 0

        def say(batch: Ingested) -> None:
            nonlocal lines, requests
            lines += batch.lines
            requests += batch.requests
            _say_ingested(batch)

        fleet = run_follow(spark, sources, Table(spark, to), options, every, once, say,
                           lambda text: click.echo(f"Warning: {plain(text)}", err=True))
        if lines and not requests:
            raise _BadUsage("no line is a request; all of them are in the table's quarantine")
        lost = [f"{count:,} {what}" for count, what in (
            (fleet.refused, "files or folders were not read"),
            (fleet.vanished, "files vanished before their end was read")) if count]
        if lost:
            raise _BadUsage(f"{' and '.join(lost)}; all else is in the table")
        return
    with _progress(spark, "Reading"):
        done = run(spark, sources, Table(spark, to), options, max_quarantine)
    _say_ingested(done)
    _say_files(done)
    if done.refused:
        *others, last = (plain(refused) for refused in done.refused)
        for refused in others:
            click.echo(f"Error: {refused}", err=True)
        raise _BadUsage(last)


def _say_files(done: Ingested) -> None:
    """Say what was taken, and what was not; of many files only the first."""
    for text, names in (
            ("taken", [f"{file.name}, {file.lines:,} lines" + (f" from line {file.before + 1:,} on"
                                                               if file.before else "")
                       for file in done.taken]),
            ("known", done.known),
            ("left", [f"{name}, the last line, which has no end yet" for name in done.unfinished])):
        for name in names[:_MOST_NAMES]:
            click.echo(f"  {text}: {plain(name)}")
        if len(names) > _MOST_NAMES:
            click.echo(f"  {text}: {len(names) - _MOST_NAMES:,} more")


def _say_ingested(done: Ingested) -> None:
    click.echo(f"{done.lines:,} lines in {done.files:,} files = {done.requests:,} requests + "
               f"{done.quarantined:,} in quarantine ({done.seconds:.1f} s)")
    for reason, count in done.reasons.items():
        click.echo(f"  {count:,}: {plain(reason)}")


def _latency_of_file(needs_spark: str | None, folder: str, by: str, window: str | None, exact: bool | None,
                     slow: int, shape: str, zone: str, day: str, pattern: str, apis: tuple[str, ...],
                     clients: tuple[str, ...], listeners: tuple[str, ...], where: str | None) -> bool:
    """Show the latency of a log if ``folder`` is one, and return whether it is."""
    from kreactor.pipeline import small_logs as measures
    from kreactor.pipeline.times import Times

    group = _group(by)
    if shape == "csv" and _is_given("slow"):
        raise _BadUsage("--slowest: not with --format csv, which has only the latency; json has all")
    if folder != "-" and not os.path.isfile(folder):
        if zone != "UTC" or day or pattern:
            raise _BadUsage("--zone, --date, --time-format: for a log; a table has its times in UTC")
        return False
    needs_spark = needs_spark or ("--where" if where else "--sketch" if exact is False else None)
    hint = ("needs Spark: kreactor pipeline ingest FILE --to DIR makes a table for kreactor pipeline latency "
            "DIR")
    if needs_spark:
        raise _BadUsage(f"{needs_spark} {hint}")
    if "ingest" in group:
        raise _BadUsage("--by ingest: only a table has this column")
    times = Times(zone, day, pattern)
    if window is not None:
        measures.window_us(window)
    try:
        log = measures.read_log(folder, times, group)
    except measures.TooLarge as e:
        raise _BadUsage(f"{e}, which {hint}") from None
    if not log.requests.num_rows:
        told = "; ".join(f"{count:,}: {plain(reason)}" for reason, count in log.reasons.most_common())
        name = "stdin" if folder == "-" else folder
        raise _BadUsage(f"{name}: no line is a request ({told or 'no lines'})")
    if log.reasons:
        click.echo(f"{log.lines:,} lines = {log.requests.num_rows:,} requests + {log.reasons.total():,} "
                   "others", err=True)
        for reason, count in log.reasons.most_common():
            click.echo(f"  {count:,}: {plain(reason)}", err=True)
    requests = measures.chosen(log.requests, {"api": apis, "client_id": clients, "listener": listeners})
    _write_latency(measures.latency(requests, group, window), measures.slowest(requests, slow),
                   measures.tail(requests), shape, (["window"] if window else []) + group)
    return True


def _group(by: str) -> list[str]:
    from kreactor.pipeline.latency import check_columns

    group = [name.strip() for name in by.split(",") if name.strip()]
    unknown = check_columns(group)
    if unknown:
        raise _BadUsage(f"--by: the table has no column {unknown[0]}")
    return group


@pipeline.command(short_help="Write the many small files of a table into few.")
@click.argument("folder", metavar="DIR")
@_with_spark
def compact(spark: SparkSession, folder: str) -> None:
    """Write the many small files of a table into few.

    Each ingest adds files. ingest compacts by itself when more than 16 commits have less than 128 MiB each.
    """
    from kreactor.pipeline.table import Table

    table = Table(spark, folder)
    if not table.exists():
        raise _BadUsage(f"{folder}: no table of requests; kreactor pipeline ingest makes one")
    with _progress(spark, "Compacting"):
        before, after = table.compact()
    click.echo(f"{before:,} small files are {after:,} now" if before else "no small files to put together")


@pipeline.command(short_help="Show how long requests took, and where the time went.")
@click.argument("folder", metavar="DIR|FILE")
@_filter_options
@click.option("--by", default="api,version,listener,client_id", metavar="COLUMNS",
              help="Columns to group by, with commas.")
@click.option("--window", metavar="LENGTH", help="For each window of time, such as '10 seconds'.")
@click.option("--exact/--sketch", "exact", default=None,
              help="Percentiles; sketched from a million requests on by default.")
@click.option("--slowest", "slow", default=5, metavar="N", type=click.IntRange(0),
              help="The number of slowest requests to show.")
@click.option("--format", "shape", default="table", type=click.Choice(["table", "json", "csv"]))
@click.option("--zone", default="UTC", metavar="ZONE",
              help="For FILE: the time zone of times without a zone; UTC by default.")
@click.option("--date", "day", default="", metavar="DATE", help="For FILE: as for ingest.")
@click.option("--time-format", "pattern", default="", metavar="PATTERN", help="For FILE: as for ingest.")
@partial(_with_spark, without=_latency_of_file)
def latency(spark: SparkSession, folder: str, apis: tuple[str, ...], clients: tuple[str, ...],
            listeners: tuple[str, ...], where: str | None, by: str, window: str | None, exact: bool | None,
            slow: int, shape: str, **of_file: str) -> None:
    """Show how long requests took, and where the time went; all times are in milliseconds.

    DIR is a table of ingest. FILE is a log of up to 400 MB of text, plain or compressed, or - for standard
    input in plain text. It is read without Spark, in seconds, and gives the same figures.
    """
    from kreactor.pipeline import latency as measures
    from kreactor.pipeline.table import Table

    group = _group(by)
    requests = Table(spark, folder).requests().where(_chosen(apis, clients, listeners, where))
    with _progress(spark, "Measuring"):
        exactly = measures.is_exact(requests, exact)
        rows = [row.asDict() for row in measures.latency(requests, group, window, exactly).collect()]
        slowest = [row.asDict() for row in measures.slowest(requests, slow)] if slow else []
        tails = measures.tail(requests, ["api"], exactly)
    _write_latency(rows, slowest, tails, shape, (["window"] if window else []) + group)


def _write_latency(rows: list[dict[str, Any]], slowest: list[dict[str, Any]], tails: list[dict[str, Any]],
                   shape: str, group: list[str]) -> None:
    if shape == "json":
        click.echo(json.dumps({"latency": rows, "slowest": slowest, "tail": tails}, default=str))
    elif shape == "csv":
        _write_csv(rows)
    else:
        _show_latency(rows, slowest, tails, group)


def _flat_row(row: dict[str, Any]) -> dict[str, Any]:
    from kreactor.pipeline.latency import MEASURES, PERCENTILES

    names = [f"p{100 * fraction:g}" for fraction in PERCENTILES] + ["max"]
    return {**{name: value for name, value in row.items() if name not in MEASURES},
            **{f"{measure}_{name}": value for measure in MEASURES
               for name, value in zip(names, row[measure] or [None] * len(names), strict=True)}}


def _write_csv(rows: list[dict[str, Any]]) -> None:
    flat = [_flat_row(row) for row in rows]
    writer = csv.DictWriter(sys.stdout, flat[0] if flat else ["count"])
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in flat)


def _show_latency(rows: list[dict[str, Any]], slowest: list[dict[str, Any]], tails: list[dict[str, Any]],
                  group: list[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kreactor.pipeline.latency import MEASURES, STAGES

    console = Console() if sys.stdout.isatty() else Console(width=200)

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:,.3f}" if value < 1000 else f"{value:,.0f}"

    def text(value: object) -> Text:
        # A str would be parsed as markup.
        return Text(plain(value))

    table = Table(*group, title="Latency, ms: the total, and the 99th percentile of each stage")
    for heading in ("count", "per s", "p50", "p90", "p99", "p99.9", "max",
                    *(name.removesuffix("_ms").replace("_", " ") for name in MEASURES[1:])):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(*(text(row[name]) for name in group), f"{row['count']:,}", number(row["rate"]),
                      *(number(value) for value in row["total_ms"]),
                      *(number((row[name] or [None] * 3)[2]) for name in MEASURES[1:]))
    console.print(table)
    if slowest:
        table = Table("time", "api", "client", "connection", title="The slowest")
        for heading in ("total", *(name.removesuffix("_ms").replace("_", " ") for name in STAGES), "line"):
            table.add_column(heading, justify="right")
        for row in slowest:
            table.add_row(*(text("" if row[name] is None else row[name])
                            for name in ("time", "api", "client_id", "connection")),
                          *(number(row[name]) for name in ("total_ms", *STAGES)), str(row["line"]))
        console.print(table)
    table = Table("api", title="Requests above the 99th percentile: shares of their extra time")
    for heading in ("p99 ms", "above", *(name.removesuffix("_ms").replace("_", " ") for name in STAGES)):
        table.add_column(heading, justify="right")
    for tail in tails:
        table.add_row(text(tail["api"]), number(tail["p99"]), f"{tail['slow']:,}",
                      *(f"{'[bold]' if name == tail['explains'] else ''}{tail['shares'][name]:.0%}"
                        for name in STAGES))
    console.print(table)


@pipeline.command()
@click.argument("folder", metavar="DIR")
@_filter_options
@click.option("--max-idle-ms", default=600_000.0, metavar="MS",
              help="The broker's connections.max.idle.ms; Kafka's default if not given.")
@click.option("--limits", is_flag=True, help="Show for each rule the cases that a log leaves open.")
@_with_spark
def check(spark: SparkSession, folder: str, apis: tuple[str, ...], clients: tuple[str, ...],
          listeners: tuple[str, ...], where: str | None, max_idle_ms: float, limits: bool) -> None:
    """Check whether the broker kept its rules; status 1 if not.

    The options that choose requests choose what is judged. A rule about two requests of a connection compares
    a chosen request with the previous request, chosen or not. A log that was filtered or sampled cannot be
    told from a whole log. Lines that it lacks leave rules undecided, and cause no violation.
    """
    from kreactor.pipeline.check import check as run
    from kreactor.pipeline.table import Table

    requests = Table(spark, folder).requests()
    with _progress(spark, "Checking"):
        verdicts = run(requests, max_idle_ms, _chosen(apis, clients, listeners, where))
    for verdict in verdicts:
        rule = verdict.rule
        violate = f", {verdict.violated:,} violate it" if verdict.violated else ""
        counts = f" ({verdict.checked:,} checked{violate})"
        click.echo(f"{verdict.word:13}  {rule.name}: {rule.sentence}{counts if verdict.checked else ''}")
        for example in verdict.examples:
            after = (f", after {plain(example['previous_file'])}:{example['previous_line']}"
                     if example["previous_line"] is not None else "")
            click.echo(f"{'':15}{plain(example['file'])}:{example['line']} {plain(example['api'])} on "
                       f"{plain(example['connection'])}{after}")
        if limits:
            click.echo(f"{'':15}[{rule.source}] {rule.undecidable or rule.limits}".rstrip())
    violated = sum(1 for verdict in verdicts if verdict.violated)
    if violated:
        raise click.ClickException(f"{violated} of {len(verdicts)} rules are violated")


def _names(folder: str, against: str | None, names: Sequence[str]) -> list[str]:
    """Return a name for each table of a report: what the user calls it, or its folder."""
    folders = [folder, *([against] if against is not None else [])]
    return [*names, *folders[len(names):]][:len(folders)]


def _check_report(folder: str, against: str | None, days: tuple[str, ...], names: tuple[str, ...],
                  **_: object) -> bool:
    """Refuse wrong options of ``report``. Returns False: ``report`` needs Spark."""
    named = _names(folder, against, names)
    if len(names) > len(named):
        raise _BadUsage(f"--name {names[len(named)]}: no table is left for this name; --against takes a "
                        "second table")
    if len({*named}) < len(named):
        raise click.UsageError(f"both tables are called {named[0]}: give one another --name")
    _check_days(days, against)
    return False


@pipeline.command()
@click.argument("folder", metavar="DIR")
@click.option("--html", "html", required=True, metavar="FILE", help="The file of the page.")
@click.option("--against", metavar="DIR2", help="A second table, shown beside the first.")
@click.option("--day", "days", multiple=True, metavar="DATE",
              help="Only this day in UTC, such as 2026-11-28. Given twice: compare the two days.")
@click.option("--name", "names", multiple=True, metavar="NAME",
              help="A name for the table; the second one names the other table.")
@click.option("--max-idle-ms", default=600_000.0, metavar="MS", help="As for check.")
@partial(_with_spark, without=_check_report)
def report(spark: SparkSession, folder: str, html: str, against: str | None, days: tuple[str, ...],
           names: tuple[str, ...], max_idle_ms: float) -> None:
    """Write a page about clients, latencies and slow requests.

    The page works offline and without scripts, at any width. The file has at most 5 MB, whatever the size of
    the table: lists have only their first rows, and say how many are left out.
    """
    from kreactor.pipeline.report import write_report
    from kreactor.pipeline.table import Table

    folders = [folder, *([against] if against is not None else [])]
    with _progress(spark, "Drawing"):
        size = write_report({name: Table(spark, at) for name, at in zip(
            _names(folder, against, names), folders, strict=True)}, html, max_idle_ms, days)
    click.echo(f"{html}: {size / 1e6:.1f} MB")


def _check_days(days: Sequence[str], against: str | None) -> None:
    for day in days:
        try:
            is_date = date.fromisoformat(day).isoformat() == day
        except ValueError:
            is_date = False
        if not is_date:
            raise click.UsageError(f"--day {day}: not a date such as 2026-11-28")
    if len(days) > 2 or len({*days}) < len(days):
        raise click.UsageError("--day: takes one day, or two different days")
    if len(days) == 2 and against is not None:
        raise click.UsageError("--against: takes no second --day, because a page compares two of them")


@pipeline.command(short_help="Write these commands as one file for spark-submit.")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
def archive(file: Path) -> None:
    """Write these commands as one file: FILE.py for spark-submit, or FILE.zip for its --py-files.

    The file is kreactor without the packages that it needs. spark-submit kreactor-pipeline.py ingest --help
    shows the options of ingest.
    """
    from kreactor.pipeline.session import write_archive

    try:
        write_archive(file)
    except OSError as e:
        raise _BadUsage(f"{file}: cannot be written ({e.strerror or e})") from e
    click.echo(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
