# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The nursery that the command gives PyPy."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from kreactor.jdk import heap

ON_PYPY = sys.implementation.name == "pypy"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str], dict[str, str]]]:
    """Return what is started in place of this process, which goes on."""
    started: list[Any] = []
    monkeypatch.setattr(os, "execve", lambda *args: started.append(args))
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "kreactor", "serve"])
    monkeypatch.delenv(heap.VARIABLE, raising=False)
    return started


def pypy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))


def test_pypy_starts_again_with_a_small_nursery(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pypy(monkeypatch)
    heap.bound_heap()
    (program, args, env), = started
    assert (program, args) == (sys.executable, [sys.executable, "-m", "kreactor", "serve"])
    assert env == {**os.environ, heap.VARIABLE: "16M"}


def test_a_nursery_that_is_set_stays(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pypy(monkeypatch)
    monkeypatch.setenv(heap.VARIABLE, "64M")
    heap.bound_heap()
    assert not started


def test_an_interpreter_that_has_no_name(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    pypy(monkeypatch)
    monkeypatch.setattr(sys, "executable", "")
    heap.bound_heap()
    assert not started


def test_an_interpreter_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def fail(*args: object) -> None:
        tried.append(args)
        raise FileNotFoundError

    pypy(monkeypatch)
    monkeypatch.delenv(heap.VARIABLE, raising=False)
    monkeypatch.setattr(os, "execve", fail)
    heap.bound_heap()
    assert len(tried) == 1


def test_other_interpreters_go_on(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="cpython"))
    heap.bound_heap()
    assert not started


def test_a_command() -> None:
    """In the same process, once, with its arguments."""
    code = ("import os, sys; from kreactor.jdk.heap import bound_heap; print(os.getpid()); bound_heap();"
            "print(os.environ.get('PYPY_GC_NURSERY'), sys.argv[1:])")
    env = {name: value for name, value in os.environ.items() if name != heap.VARIABLE}
    ran = subprocess.Popen([sys.executable, "-c", code, "a b", ""], env=env, text=True,
                           stdout=subprocess.PIPE)
    out, _ = ran.communicate()
    nursery = "16M" if ON_PYPY else None
    assert out.splitlines() == [str(ran.pid)] * (2 if ON_PYPY else 1) + [f"{nursery} ['a b', '']"]
