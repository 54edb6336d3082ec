# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A signal ends a command in one line, and leaves no process and no file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil
import pytest

from tests import longer
from tests.pipeline.logs import line, request

pytestmark = pytest.mark.usefixtures("has_spark")

INTERRUPTED = "Error: interrupted; nothing of an unfinished ingest is in its table\n"
# How long a command may take on a machine with other work.
LIMIT_S = 300.0


@contextmanager
def command(tmp_path: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Run a command in a process group of its own; check afterwards that it has left nothing."""
    left = tmp_path / "left"
    left.mkdir()
    with subprocess.Popen(
            [sys.executable, "-m", "kreactor", "pipeline", *map(str, arguments)], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            cwd=Path(__file__).parents[2], env={**os.environ, "TMPDIR": str(left)}) as process:
        try:
            yield process
            assert process.poll() is not None
        finally:
            process.kill()
    mine = [child for child in psutil.process_iter(["environ"])
            if (child.info["environ"] or {}).get("TMPDIR") == str(left)]
    # The processes of Python end when their pipe to the JVM does.
    assert psutil.wait_procs(mine, LIMIT_S)[1] == []
    assert list(left.iterdir()) == []


def read_line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline()


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    """Signal the group, as a terminal does; return status, output and errors."""
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=LIMIT_S)
    return process.returncode, out, err


@pytest.mark.parametrize("number, status", longer.params(
    [(signal.SIGINT, 130)], [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], "a JVM for each signal"))
def test_a_signal_ends_a_follower_in_one_line(tmp_path: Path, number: signal.Signals, status: int) -> None:
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "request.log"
    log.write_text(f"{line(request())}\n")
    with command(tmp_path, "ingest", "--follow", tmp_path / "logs", "--to", tmp_path / "table",
                 "--every", "1") as process:
        assert read_line(process.stdout).startswith("1 lines in 1 files = 1 requests")
        assert end(process, number) == (status, "", INTERRUPTED)
    assert not (tmp_path / "table" / "_staging").exists()
    assert len(list((tmp_path / "table" / "requests").iterdir())) == 1


def wait_for_staging(process: subprocess.Popen[str], table: Path) -> None:
    """Wait until an ingest writes its first files."""
    deadline = time.monotonic() + LIMIT_S
    while not (table / "_staging").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def large_log(tmp_path: Path) -> Path:
    """Give a log that Spark reads for seconds."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "request.log").write_text(f"{line(request())}\n" * 60_000)
    return folder


def test_a_signal_during_a_batch_ends_it(tmp_path: Path, large_log: Path) -> None:
    table = tmp_path / "table"
    with command(tmp_path, "ingest", "--follow", large_log, "--to", table) as process:
        wait_for_staging(process, table)
        assert end(process, signal.SIGTERM) == (143, "", INTERRUPTED)
    assert not (table / "_staging").exists()
    assert not (table / "requests").exists()


def test_a_signal_while_spark_starts(tmp_path: Path) -> None:
    with command(tmp_path, "check", tmp_path / "table") as process:
        deadline = time.monotonic() + LIMIT_S
        # The first file of the session.
        while not list((tmp_path / "left").iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert end(process, signal.SIGHUP) == (129, "", INTERRUPTED)


# A Java whose JVM does not get ready. Spark's script first asks Java for the command of the JVM.
SLOW_JAVA = """#!/bin/sh
case "$*" in
    -version) echo 'openjdk version "17"' >&2;;
    *launcher.Main*) printf '\\n%s\\0SparkSubmit\\0' "$JAVA_HOME/bin/java";;
    *) exec sleep 1000;;
esac
"""


def test_signals_end_a_jvm_that_still_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(SLOW_JAVA)
    java.chmod(0o700)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    with command(tmp_path, "check", tmp_path / "table") as process:
        deadline = time.monotonic() + LIMIT_S
        while not any(child.name() == "sleep" for child in psutil.Process(process.pid).children()):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=LIMIT_S)
        assert (process.returncode, out, err) == (143, "", INTERRUPTED)


def test_two_signals_end_a_command_at_once(tmp_path: Path, large_log: Path) -> None:
    table = tmp_path / "table"
    with command(tmp_path, "ingest", large_log, "--to", table) as process:
        wait_for_staging(process, table)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT_S)
        # The kernel delivers the lower number first.
        assert (process.returncode in (130, 143), out, err) == (True, "", INTERRUPTED)
    assert not (table / "requests").exists()
