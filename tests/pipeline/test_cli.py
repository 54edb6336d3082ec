# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The commands: what they print, and the status that they end with."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner, Result

from kreactor.pipeline.cli import pipeline
from kreactor.pipeline.failures import sentence
from kreactor.pipeline.plain_text import plain
from kreactor.pipeline.table import Table
from tests.pipeline.conftest import SAMPLE
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def run(*arguments: object) -> Result:
    return CliRunner().invoke(pipeline, [str(argument) for argument in arguments])


def test_the_four_commands(sample: Table, tmp_path: Path) -> None:
    table, page = tmp_path / "table", tmp_path / "page.html"
    done = run("ingest", SAMPLE, "--to", table)
    assert (done.exit_code, done.output.partition(" (")[0]) == (
        0, "4,054 lines in 1 files = 4,054 requests + 0 in quarantine")
    done = run("latency", table, "--by", "api", "--api", "PRODUCE", "--api", "FETCH", "--format", "json")
    assert done.exit_code == 0
    assert {row["api"] for row in json.loads(done.output)["latency"]} == {"PRODUCE", "FETCH"}
    done = run("latency", table, "--by", "listener", "--window", "10 seconds", "--format", "csv")
    assert {row["listener"] for row in csv.DictReader(done.output.splitlines())} >= {"PLAINTEXT"}
    done = run("check", table, "--limits")
    assert done.exit_code == 0 and "holds          one-in-flight" in done.output
    done = run("report", table, "--html", page)
    assert done.exit_code == 0 and page.stat().st_size < 5_000_000


def test_a_broken_promise_is_status_1(spark: SparkSession, tmp_path: Path) -> None:
    log = tmp_path / "request.log"
    log.write_text(f"{line(request(), 10)}\n{line(request(), 11)}\n")
    assert run("ingest", log, "--to", tmp_path / "table").exit_code == 0
    done = run("check", tmp_path / "table")
    assert done.exit_code == 1
    assert "violated       one-in-flight" in done.output and f"{log}:2 METADATA" in done.output


def test_an_ingest_that_a_cron_job_runs(spark: SparkSession, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    logs, table = tmp_path / "logs", tmp_path / "table"
    logs.mkdir()
    log = logs / "a\x1b.log"
    shown = f"{logs}/a\\x1b.log"
    log.write_text(f"{line(request(), 10)}\n{line(request(), 20)}\nhalf a")
    assert run("ingest", logs, "--to", table).output.splitlines()[1:] == [
        f"  taken: {shown}, 2 lines", f"  left: {shown}, the last line, which has no end yet"]
    with log.open("a") as more:
        more.write(" line\n")
    for number in range(30):
        (logs / f"copy{number}").write_text(f"{line(request(), 10)}\n")
    (logs / "b.zip").write_bytes(b"PK\x03\x04")
    (logs / "c.gz").write_bytes(b"\x1f\x8b")
    done = run("ingest", logs, "--to", table)
    assert done.exit_code == 2
    told = done.output.splitlines()
    assert told[0].startswith("1 lines in 1 files = 0 requests + 1 in quarantine")
    assert told[1:3] == ["  1: not a request", f"  taken: {shown}, 1 lines from line 3 on"]
    assert told[3] == f"  known: {logs}/copy0" and told[23] == "  known: 10 more"
    assert told[24:] == [
        f"Error: {logs}/b.zip: compressed with zip, which kreactor does not read; unpack it with unzip",
        f"Error: {logs}/c.gz: the gzip archive ends early or is damaged; bring it whole, or unpack what "
        "there is of it"]
    for name in ("b.zip", "c.gz"):
        (logs / name).unlink()
    done = run("ingest", logs, "--to", table)
    assert done.exit_code == 0 and done.output.startswith("0 lines in 0 files")
    # A share of a new file, and a pipe.
    (logs / "d").write_text(f"{line(request(), 70)}\nx\n")
    done = run("ingest", logs / "d", "--to", table, "--max-quarantine", "0.4")
    assert done.exit_code == 2 and "1 of 2 new lines are not requests, more than the share 0.4" in done.output
    assert run("ingest", logs / "d", "--to", table, "--max-quarantine", "0.5").exit_code == 0
    done = CliRunner().invoke(pipeline, ["ingest", "-", "--to", str(table)], f"{line(request(), 80)}\n")
    assert done.exit_code == 0 and done.output.splitlines()[1:] == ["  taken: -, 1 lines"]
    assert Table(spark, str(table)).requests().count() == 4
    done = run("compact", table)
    assert (done.exit_code, done.output) == (0, "5 small files are 2 now\n")
    assert run("compact", table).output == "no small files to put together\n"
    assert Table(spark, str(table)).requests().count() == 4


HOSTILE = ["[red]red[/red]", "[/nothing]", "[link=http://a]b", "\x1b[2J\x1b]0;title\x07", "\r\n\x9b1m",
           "\u202egnp.exe", "=cmd|' /C calc'!A0", "+1", "-1+1", "@SUM(1)", " =1", "\t=1", "plain"]


def test_what_a_client_calls_itself_is_only_shown(spark: SparkSession, tmp_path: Path) -> None:
    log, table, page = tmp_path / "request.log", tmp_path / "table", tmp_path / "page.html"
    lines = []
    for number, name in enumerate(HOSTILE):
        said = request(connection=f"c{number}{name}", principal=f"User:{name}", throttleTimeMs=7)
        said["requestHeader"]["clientId"] = name
        said["clientInformation"] = {"softwareName": name, "softwareVersion": name}
        # Two in flight at a time, so that check has something to show.
        lines += [line(said, 10 * number), line(said, 10 * number + 1)]
    log.write_text("".join(f"{text}\n" for text in lines))
    assert run("ingest", log, "--to", table).exit_code == 0

    done = run("latency", table, "--by", "client_id")
    assert done.exit_code == 0, done.output
    assert not [character for character in done.output if not character.isprintable() and character != "\n"]
    for name in HOSTILE:
        assert plain(name) in done.output, name

    done = run("latency", table, "--by", "client_id", "--format", "csv")
    ids = [row["client_id"] for row in csv.DictReader(done.output.splitlines())]
    assert len(ids) == len(HOSTILE)
    assert not [text for text in ids if text.lstrip()[:1] in "=+-@" or not text.isprintable()]
    assert {"'=cmd|' /C calc'!A0", "'+1", "plain", "[red]red[/red]", "\\x1b[2J\\x1b]0;title\\x07"} <= {*ids}

    done = run("latency", table, "--by", "client_id", "--format", "json")
    assert {row["client_id"] for row in json.loads(done.output)["latency"]} == {*HOSTILE}
    assert done.output.strip().isprintable()

    done = run("check", table)
    assert done.exit_code == 1
    assert "[red]" in done.output
    assert not [character for character in done.output if not character.isprintable() and character != "\n"]

    assert run("report", table, "--html", page).exit_code == 0
    shown = page.read_text().partition("<script")[0]
    assert "\x1b" not in page.read_text() and "[red]red[/red]" in page.read_text()
    assert "\u202e" not in shown


@pytest.mark.parametrize("arguments, told", [
    (("ingest", "{0}/none.log", "--to", "{0}/t"), "none.log: there is no such file"),
    (("ingest", "{0}/empty", "--to", "{0}/t"), "no files in it"),
    (("ingest", str(SAMPLE), "--to", "{0}/file"), "a file; --to needs a folder"),
    (("ingest", str(SAMPLE), "--to", "{0}/photos"), "photo.jpg"),
    (("ingest", str(SAMPLE), "--to", "{0}/t", "--zone", "Mars"), "unknown time zone"),
    (("ingest", "{0}/none", "--follow", "--to", "{0}/t"), "takes folders of this machine"),
    (("ingest", "{0}/empty", "{0}/file", "--follow", "--to", "{0}/t"), "takes folders of this machine"),
    (("ingest", str(SAMPLE), "--to", "{0}/t", "--broker-from", "("), "not a regular expression"),
    (("ingest", str(SAMPLE), "--to", "{0}/t", "--broker-from", "/none/"), "finds no broker in this path"),
    (("ingest", "{0}", "--follow", "--max-quarantine", "0.1", "--to", "{0}/t"), "not with --follow"),
    (("ingest", str(SAMPLE), "--max-quarantine", "2", "--to", "{0}/t"), "2.0 is not in the range 0<=x<=1"),
    (("compact", "{0}/empty"), "no table of requests"),
    (("latency", "{0}/empty"), "no table of requests"),
    (("latency", "{0}/empty", "--by", "colour"), "the table has no column colour"),
    (("check", "{0}/empty", "--conf", "x=1"), "not spark.KEY=VALUE"),
    (("report", "{0}/empty", "--html", "{0}/page.html"), "no table of requests"),
    (("report", "{0}/a", "--html", "{0}/page.html", "--against", "{0}/b", "--name", "x", "--name", "x"),
     "both tables are called x"),
])
def test_what_the_user_has_to_do_is_status_2(
        spark: SparkSession, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "photo.jpg").touch()
    (tmp_path / "file").touch()
    done = run(*(argument.format(tmp_path) for argument in arguments))
    assert done.exit_code == 2
    assert told in done.output and "Traceback" not in done.output
    assert not (tmp_path / "t").exists() or not Table(spark, str(tmp_path / "t")).exists()


# Options of the commands that need Spark.
OF_SPARK = {"master", "remote", "conf", "verbose"}
# The options of each command that have an effect beside any other option.
ALWAYS = {
    "ingest": {"to", "broker", "broker_from", "zone", "day", "pattern", "keep_json", "follow"},
    "compact": set(),
    "latency": {"apis", "clients", "listeners", "by", "window", "exact", "shape"},
    "check": {"apis", "clients", "listeners", "where", "max_idle_ms", "limits"},
    "report": {"html", "against", "max_idle_ms"},
    "archive": set(),
}
# Arguments with which an option would have no effect, and what is told. {0} is a folder.
WITHOUT_EFFECT = {
    ("ingest", "every"): ((str(SAMPLE), "--to", "{0}/t", "--every", "30"), "--every: only with --follow"),
    ("ingest", "every with once"): (
        ("{0}", "--to", "{0}/t", "--follow", "--once", "--every", "5"), "--every: not with --once"),
    ("ingest", "once"): ((str(SAMPLE), "--to", "{0}/t", "--once"), "--once: only with --follow"),
    ("ingest", "max_quarantine"): (
        ("{0}", "--to", "{0}/t", "--follow", "--max-quarantine", "1"), "--max-quarantine: not with --follow"),
    ("latency", "slow"): ((str(SAMPLE), "--format", "csv", "--slowest", "3"), "not with --format csv"),
    ("latency", "zone"): (("{0}", "--zone", "Europe/Berlin"), "--zone, --date, --time-format: for a log"),
    ("latency", "day"): (("{0}", "--date", "2026-11-21"), "--zone, --date, --time-format: for a log"),
    ("latency", "pattern"): (
        ("{0}", "--time-format", "ABSOLUTE"), "--zone, --date, --time-format: for a log"),
    ("latency", "where"): ((str(SAMPLE), "--where", "true"), "--where needs Spark"),
    ("latency", "verbose"): ((str(SAMPLE), "--verbose"), "--verbose needs Spark"),
    ("latency", "master"): ((str(SAMPLE), "--master", "local"), "--master needs Spark"),
    ("latency", "remote"): ((str(SAMPLE), "--remote", "sc://localhost"), "--remote needs Spark"),
    ("latency", "conf"): ((str(SAMPLE), "--conf", "spark.x=y"), "--conf needs Spark"),
    ("report", "names"): (("{0}", "--html", "{0}/page", "--name", "x", "--name", "y"),
                          "--name y: no table is left for this name"),
    ("report", "days"): (("{0}", "--html", "{0}/page", "--day", "2026-11-21", "--day", "2026-11-22",
                          "--day", "2026-11-23"), "--day: takes one day, or two"),
    **{(command, name): ((*arguments, *options), told)
       for command, arguments in (("ingest", ("{0}", "--to", "{0}/t")), ("compact", ("{0}",)),
                                  ("check", ("{0}",)), ("report", ("{0}", "--html", "{0}/page")))
       for name, options, told in (
           ("master", ("--master", "local", "--remote", "sc://localhost"), "--master and --remote: give one"),
           ("remote", ("--remote", "sc://a", "--conf", "spark.remote=sc://b"), "spark.remote: give one"),
           ("conf", ("--master", "local", "--conf", "spark.master=yarn"), "spark.master: give one"),
           ("verbose", ("--verbose", "--remote", "sc://localhost"), "--verbose: not with --remote"))},
}


def test_each_option_is_known_to_this_test() -> None:
    for name, command in pipeline.commands.items():
        options = {each.name for each in command.params if isinstance(each, click.Option)}
        told = {option.partition(" ")[0] for of, option in WITHOUT_EFFECT if of == name}
        assert options == ALWAYS[name] | told, name
        assert not told & ALWAYS[name] and (name == "archive" or told >= OF_SPARK)


@pytest.mark.parametrize("command, option", WITHOUT_EFFECT)
def test_an_option_without_effect_is_refused(tmp_path: Path, command: str, option: str) -> None:
    arguments, told = WITHOUT_EFFECT[command, option]
    done = run(command, *(argument.format(tmp_path) for argument in arguments))
    assert (done.exit_code, told in done.output) == (2, True), done.output
    assert list(tmp_path.iterdir()) == []


def test_a_follower_of_several_folders(spark: SparkSession, tmp_path: Path) -> None:
    for broker in ("b1", "b2"):
        (tmp_path / broker / "logs").mkdir(parents=True)
        (tmp_path / broker / "logs" / "request.log").write_text(f"{line(request(principal=broker))}\n")
    (tmp_path / "b2" / "loop.log").symlink_to("loop.log")
    follow = ("ingest", "--follow", "--once", tmp_path / "b1", tmp_path / "b2", "--to", tmp_path / "table",
              "--broker-from", "/(b[0-9])/")
    done = run(*follow)
    told = f"{tmp_path}/b2/loop.log: Too many levels of symbolic links; its lines are not read"
    assert done.exit_code == 2
    assert done.output.startswith(f"Warning: {told}\n2 lines in 2 files = 2 requests + 0 in quarantine (")
    assert done.output.endswith("Error: 1 files or folders were not read; all else is in the table\n")
    (tmp_path / "b2" / "loop.log").unlink()
    done = run(*follow)
    assert (done.exit_code, done.output) == (0, "")
    assert sorted((row["broker"], row["principal"]) for row in Table(
        spark, str(tmp_path / "table")).requests().collect()) == [("b1", "b1"), ("b2", "b2")]


def test_an_archive_runs_the_commands(tmp_path: Path) -> None:
    file, copy = tmp_path / "kreactor-pipeline.py", tmp_path / "kreactor.zip"
    done = run("archive", file)
    assert (done.exit_code, done.output.partition(".py: ")[0]) == (0, f"{tmp_path}/kreactor-pipeline")
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("mark", "")
    # It copies itself, not the checkout.
    subprocess.run([sys.executable, file, "archive", copy], check=True, stdout=subprocess.DEVNULL)
    assert copy.read_bytes() == file.read_bytes()
    done = run("archive", tmp_path / "none" / "file")
    assert done.exit_code == 2 and "none/file: cannot be written (No such file or directory)" in done.output


@pytest.mark.parametrize("text, told", [
    ("java.io.IOException: No space left on device", "no space left where the table is written"),
    ("java.lang.OutOfMemoryError: Java heap space", "spark.driver.memory"),
    ("ModuleNotFoundError: No module named 'pyarrow'", "has no package pyarrow"),
    ("[PYTHON_VERSION_MISMATCH] Python in worker has", "another minor version"),
    ("status = StatusCode.UNAVAILABLE", "answers no more"),
    ("something else", None),
])
def test_what_spark_says_as_a_sentence(text: str, told: str | None) -> None:
    said = sentence(RuntimeError(text))
    assert said is None if told is None else told in (said or "")
