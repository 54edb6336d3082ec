# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A folder goes with its process, however that ends, and is nobody else's to remove."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kreactor.testing import folders
from kreactor.testing.folders import TemporaryFolder

ROOT = Path(__file__).parents[2]

# From 3.12 on Python warns of each fork of a process with threads.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

BROKER = """
import sys, time
from kreactor.testing import Broker
with Broker(tls={tls}) as broker:
    print(broker.folder, broker.tls.ca.rpartition("/")[0] if {tls} else "", flush=True)
    sys.stdin.read()
"""
FOLDER = """
import sys
from kreactor.testing.folders import TemporaryFolder
folder = TemporaryFolder(parent={parent!r})
print(folder.path, flush=True)
sys.stdin.read()
folder.close()
"""


@contextmanager
def running(code: str) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Have a process run that makes folders; give it and their paths. It ends with its input."""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            paths = process.stdout.readline().split()
            assert paths and all(map(os.path.isdir, paths))
            yield process, paths
        finally:
            process.kill()


def end(process: subprocess.Popen[str], number: int) -> int:
    process.send_signal(number)
    return process.wait(120)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=str)
def test_a_signal_removes_the_folder_of_a_broker(number: signal.Signals) -> None:
    with running(BROKER.format(tls=number == signal.SIGTERM)) as (process, paths):
        assert end(process, number) == -number
        assert not any(map(os.path.exists, paths))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=str)
def test_a_signal_that_has_no_handler(tmp_path: Path, number: signal.Signals) -> None:
    """SIGINT has one in Python, which is the process's own."""
    code = f"import signal; signal.signal({number:d}, signal.SIG_DFL)\n" + FOLDER.format(parent=str(tmp_path))
    with running(code) as (process, [path]):
        assert end(process, number) == -number
        assert not os.path.exists(path)


def test_a_handler_of_the_process_stays(tmp_path: Path) -> None:
    code = ("import signal; signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n"
            + FOLDER.format(parent=str(tmp_path)))
    with running(code) as (process, _):
        assert end(process, signal.SIGTERM) == 9


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    code = ("import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
            + FOLDER.format(parent=str(tmp_path)))
    with running(code) as (process, [path]):
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=120)
        assert process.returncode == 0 and not os.path.exists(path)


def test_the_handler_is_there_as_long_as_a_folder(tmp_path: Path) -> None:
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    first, second = (TemporaryFolder(parent=str(tmp_path)) for _ in range(2))
    first.close()
    assert signal.getsignal(signal.SIGTERM) is folders._remove_and_end
    second.close()
    second.close()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert not list(tmp_path.iterdir())


def test_made_by_another_thread(tmp_path: Path) -> None:
    made: list[TemporaryFolder] = []
    thread = threading.Thread(target=lambda: made.append(TemporaryFolder(parent=str(tmp_path))))
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    made[0].close()
    assert not list(tmp_path.iterdir())


def test_a_folder_of_a_process_that_was_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = str(tmp_path)
    with running(FOLDER.format(parent=parent)) as (killed, [abandoned]):
        with running(FOLDER.format(parent=parent)) as (_, [used]):
            end(killed, signal.SIGKILL)
            assert os.path.exists(abandoned)
            own = TemporaryFolder(parent=parent)
            assert sorted(map(str, tmp_path.iterdir())) == sorted([used, own.path])
            # Also this process's own are in use.
            monkeypatch.setattr(folders, "_seen_parents", set())
            again = TemporaryFolder(parent=parent)
            assert os.path.exists(own.path)
            own.close()
            again.close()
            assert os.path.exists(used)


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    parent = tmp_path / "parent"
    for folder in (elsewhere, parent / "kreactor-by-hand", parent / "other"):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    (elsewhere / ".owner").touch()
    (parent / "other" / ".owner").touch()
    (parent / "kreactor-linked").symlink_to(elsewhere)
    (parent / "kreactor-file").touch()
    before = sorted(tmp_path.rglob("*"))
    TemporaryFolder(parent=str(parent)).close()
    assert sorted(tmp_path.rglob("*")) == before


def test_a_child_leaves_the_folder_to_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = TemporaryFolder(parent=str(tmp_path))
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            folder.close()
            is_default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
            monkeypatch.setattr(folders, "_seen_parents", set())
            TemporaryFolder(parent=str(tmp_path)).close()
            status = 0 if is_default and os.path.exists(folder.path) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert signal.getsignal(signal.SIGTERM) is folders._remove_and_end
    folder.close()
    assert not list(tmp_path.iterdir())


def test_a_folder_in_which_a_file_appears_while_it_is_removed(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rmtree, calls = shutil.rmtree, [0]

    def remove(path: str, ignore_errors: bool = False) -> None:
        rmtree(path, ignore_errors=ignore_errors)
        calls[0] += 1
        if calls[0] < 3:
            Path(path).mkdir()

    folder = TemporaryFolder(parent=str(tmp_path))
    monkeypatch.setattr(shutil, "rmtree", remove)
    folder.close()
    assert calls == [3] and not list(tmp_path.iterdir())


def test_the_lock_may_have_the_number_of_standard_input(tmp_path: Path) -> None:
    code = ("import os\nfrom kreactor.testing.folders import TemporaryFolder\nos.close(0)\n"
            f"folder = TemporaryFolder(parent={str(tmp_path)!r})\nprint(os.readlink('/proc/self/fd/0'))\n"
            "folder.close()\nprint(os.path.lexists('/proc/self/fd/0'))\n")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    locked, is_open = done.stdout.splitlines()
    assert locked.startswith(str(tmp_path)) and is_open == "False" and not done.stderr
