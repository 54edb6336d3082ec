# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The latency of a log without Spark, against that of its table with Spark."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from kreactor.pipeline import latency, small_logs
from kreactor.pipeline.cli import pipeline
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.small_logs import SmallLog, TooLarge, read_log, window_us
from kreactor.pipeline.times import Times
from tests import packages
from tests.pipeline.conftest import SAMPLE, THROTTLED
from tests.pipeline.logs import line, request

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kreactor.pipeline.table import Table

pytestmark = packages.needs("pyarrow")


@pytest.fixture(scope="module")
def log() -> SmallLog:
    return read_log(str(SAMPLE), Times(), ["principal", "date", "hour", "acks"])


def run(*arguments: object, **options: Any) -> Result:
    return CliRunner().invoke(pipeline, ["latency", *map(str, arguments)], **options)


@pytest.mark.parametrize("group, window", [
    (latency.GROUP, None), (["api"], "20 seconds"), ([], "1 minute 30 seconds"), ([], None),
    (["principal", "hour", "acks"], None), (["date"], "7 days")])
def test_the_figures_are_those_of_spark(
        log: SmallLog, requests: DataFrame, group: Sequence[str], window: str | None) -> None:
    expected = [row.asDict() for row in latency.latency(requests, group, window).collect()]
    found = small_logs.latency(log.requests, group, window)
    assert [{**row, "date": str(row["date"])} if "date" in row else row for row in expected] == found


def test_the_slowest_are_those_of_spark(log: SmallLog, requests: DataFrame) -> None:
    assert small_logs.slowest(log.requests, 50) == [row.asDict() for row in latency.slowest(requests, 50)]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have this process in a zone that is not UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/St_Johns")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="a process has its zone for good here")
@pytest.mark.parametrize("options", [
    (), ("--by", "api,listener", "--window", "20 seconds", "--slowest", "20")])
def test_the_command_shows_the_same_text_in_any_zone(
        sample: Table, elsewhere: None, options: tuple[str, ...]) -> None:
    shown = [run(of, *options) for of in (SAMPLE, sample)]
    assert [each.exit_code for each in shown] == [0, 0]
    assert "2026-11-21" in shown[0].stdout and shown[0].stdout == shown[1].stdout


@pytest.mark.parametrize("group", [["api"], ["listener", "acks"]])
def test_the_tail_is_that_of_spark(log: SmallLog, requests: DataFrame, group: Sequence[str]) -> None:
    found, expected = small_logs.tail(log.requests, group), latency.tail(requests, group)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        # Only a mean depends on the order of a sum.
        assert one.pop("shares") == pytest.approx(other.pop("shares"), rel=1e-9)
        assert one == other


def test_what_is_missing_is_left_out_as_in_spark(tmp_path: Path) -> None:
    file = tmp_path / "request.log"
    lines = [request(stages=(n, 1.0, 0.0, 0.5, 0.5)) for n in range(5)]
    del lines[1]["localTimeMs"]
    for said in lines:
        del said["throttleTimeMs"], said["listener"]
    file.write_text("".join(f"{line(said)}\n" for said in lines))
    row, = small_logs.latency(read_log(str(file), Times()).requests)
    assert (row["throttle_ms"], row["listener"], row["count"]) == (None, None, 5)
    assert row["rate"] is None
    assert row["request_queue_ms"] == [2.0, 3.6, pytest.approx(3.96), pytest.approx(3.996), 4.0]


FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("form", FORMATS)
def test_a_log_is_read_by_its_content(tmp_path: Path, form: str) -> None:
    file = tmp_path / "request.log.1"
    file.write_bytes(FORMATS[form](gzip.decompress(THROTTLED.read_bytes())))
    assert read_log(str(file), Times()).requests.num_rows == 46


def test_lines_longer_than_what_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_logs, "_CHUNK", 1000)
    file = tmp_path / "request.log"
    long = line(request(request={"x": "y" * 5000}))
    file.write_text("\n".join([line(request()), long, "", line(request())]))
    found = read_log(str(file), Times())
    assert (found.lines, found.requests["line"].to_pylist()) == (4, [1, 2, 4])
    assert found.reasons == {"an empty line": 1}


def test_a_log_that_is_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "request.log"
    file.write_bytes(gzip.compress(b"x" * 3_000_000))
    with pytest.raises(TooLarge, match="request.log: more than 2 MB of text"):
        read_log(str(file), Times(), most=2 << 20)


@pytest.mark.parametrize("length, us", [
    ("10 seconds", 10_000_000), ("1 hour", 3_600_000_000), ("INTERVAL 1 minute 30 SECONDS", 90_000_000),
    ("250 milliseconds", 250_000), ("2 weeks", 1_209_600_000_000)])
def test_a_window(length: str, us: int) -> None:
    assert window_us(length) == us


@pytest.mark.parametrize("length", [
    "", "seconds", "10", "10 bananas", "1 month", "0 seconds", "-1 hour", "1.5 hours"])
def test_a_window_that_is_no_duration(length: str) -> None:
    with pytest.raises(PipelineFailure, match="^--window .*: (not a duration such as 10 |not longer than 0)"):
        window_us(length)


def test_the_command_needs_no_jvm(tmp_path: Path) -> None:
    file = tmp_path / "request.log"
    file.write_text(f"started\n{line(request())}\n")
    code = ("import sys, os; os.environ['JAVA_HOME'] = '/none'; from kreactor.__main__ import main\n"
            "try: main()\nfinally: assert 'pyspark' not in sys.modules")
    done = subprocess.run([sys.executable, "-c", code, "pipeline", "latency", file, "--format", "json"],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["latency"][0]["count"] == 1
    assert done.stderr == "2 lines = 1 requests + 1 others\n  1: not a request\n"


def test_the_options_that_choose_requests() -> None:
    done = run(SAMPLE, "--by", "api,listener", "--api", "PRODUCE", "--api", "FETCH", "--listener",
               "PLAINTEXT", "--format", "json")
    assert done.exit_code == 0
    told = json.loads(done.output)
    assert {(row["api"], row["listener"]) for row in told["latency"]} == {
        ("PRODUCE", "PLAINTEXT"), ("FETCH", "PLAINTEXT")}
    done = run(SAMPLE, "--client", "nobody", "--format", "json")
    assert json.loads(done.output) == {"latency": [], "slowest": [], "tail": []}
    assert "Latency, ms" in run(SAMPLE, "--client", "nobody").output


def test_a_log_from_stdin(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kreactor", "pipeline", "latency", "-", "--by", "api", "--format", "csv"]
    done = subprocess.run(command, input=THROTTLED.read_bytes(), capture_output=True)
    assert done.returncode == 2 and b"stdin: no line is a request" in done.stderr
    done = subprocess.run(command, input=gzip.decompress(THROTTLED.read_bytes()), capture_output=True)
    assert done.returncode == 0 and done.stdout.startswith(b"api,count,rate,")


def test_times_of_a_log_without_dates(tmp_path: Path) -> None:
    file = tmp_path / "request.log"
    file.write_text(line(request()).replace("2026-11-21 ", "") + "\n")
    assert "1: a time without a date; --date gives it" in run(file).output
    done = run(file, "--date", "2026-11-21", "--zone", "Europe/Berlin", "--format", "json")
    assert json.loads(done.output)["slowest"][0]["time"] == "2026-11-21 09:00:00"


def test_times_of_a_log_in_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "request.log"
    file.write_text(line(request()).replace("2026-11-21 ", "21.11.2026 ") + "\n")
    assert "order of day and month is not known; --time-format gives it" in run(file).output
    done = run(file, "--time-format", "dd.MM.yyyy HH:mm:ss,SSS", "--zone", "Europe/Berlin",
               "--format", "json")
    assert json.loads(done.output)["slowest"][0]["time"] == "2026-11-21 09:00:00"


@pytest.mark.parametrize("arguments, told", [
    (["--where", "total_ms > 1"], "--where needs Spark: kreactor pipeline ingest FILE --to DIR"),
    (["--master", "local[1]"], "--master needs Spark"),
    (["--remote", "sc://localhost"], "--remote needs Spark"), (["--conf", "spark.x=1"], "--conf needs Spark"),
    (["--sketch"], "--sketch needs Spark"), (["--by", "ingest"], "only a table has this column"),
    (["--by", "fetch"], "--by fetch: of a log, only by a column with single values"),
    (["--by", "colour"], "the table has no column colour"), (["--window", "1 month"], "not a duration"),
    (["--zone", "Mars"], "--zone Mars: unknown time zone"), (["--date", "today"], "not a date"),
    (["--time-format", "QQ"], "--time-format QQ: QQ is not known"),
])
def test_what_the_user_has_to_do_is_status_2(arguments: list[str], told: str) -> None:
    done = run(SAMPLE, *arguments)
    assert done.exit_code == 2
    assert told in done.output and "Traceback" not in done.output and done.output.count("\n") == 1


def test_bad_files_are_status_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "request.log"
    file.write_text("started\n\n")
    assert run(file).output == (
        f"Error: {file}: no line is a request (1: not a request; 1: an empty line)\n")
    file.write_bytes(SAMPLE.read_bytes()[:-100])
    done = run(file)
    assert done.exit_code == 2 and f"{file}: the gzip archive ends early" in done.output
    monkeypatch.setattr(small_logs, "MOST_BYTES", 1000)
    assert run(tmp_path, "--zone", "Asia/Tokyo").exit_code == 2
