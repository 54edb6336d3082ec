# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import Iterator

import pytest

from tests.tools.scripts import TOOLS, load
from tools import environments, servers


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_an_answer_may_come_in_pieces(ends):
    ours, theirs = ends
    theirs.sendall(b"\0\0\0\x05abcde\0\0\0\0")
    assert servers.read_answer(ours) == 9
    assert servers.read_answer(ours) == 4


def test_an_answer_that_breaks_off(ends):
    ours, theirs = ends
    theirs.sendall(b"\0\0\0\x05abcd")
    theirs.close()
    with pytest.raises(servers.Failed, match="closed a connection"):
        servers.read_answer(ours)


def test_the_command_of_a_broker():
    command = servers.serve_command("/data", {"num.io.threads": "2", "listeners": "PLAINTEXT://:1"})
    assert command[-7:] == ["serve", "--data", "/data", "--override", "listeners=PLAINTEXT://:1",
                            "--override", "num.io.threads=2"]


@pytest.mark.parametrize("output, message", [("", "nobody does not start"), ("oops", "start: oops"),
                                             ("PORT x", "start: PORT x")])
def test_a_server_that_does_not_start(output, message):
    with pytest.raises(servers.Failed, match=message):
        with servers.started("nobody", [sys.executable, "-c", f"print({output!r})"], "PORT "):
            pytest.fail("it has not started")


def test_a_server_that_is_ours():
    script = "import sys, time; print('PORT [::]:123', flush=True); time.sleep(60)"
    with servers.started("sleeper", [sys.executable, "-c", script], "PORT ") as server:
        assert (server.port, server.descriptors() > 0, server.rss_kib() > 1000) == (123, True, True)
        cpu_seconds = server.cpu_seconds()
        assert cpu_seconds is not None and cpu_seconds >= 0
    with pytest.raises(servers.Failed, match="does not run any more"):
        server.cpu_seconds()
    assert servers.Server("another", "127.0.0.1", 1).cpu_seconds() is None


def test_a_python_that_has_what_is_needed_is_used(monkeypatch):
    monkeypatch.setattr(os, "execv", lambda *_: pytest.fail("another one is started"))
    environments.ensure_environment()


def test_another_python_is_used_if_not(monkeypatch, tmp_path):
    (tmp_path / "environment").write_text(f"#!/bin/sh\necho {tmp_path}/bin for $*\n")
    (tmp_path / "environment").chmod(0o755)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "TOOLS", tmp_path)
    monkeypatch.setattr(environments, "NEEDED", ("click", "no_such_module"))
    monkeypatch.setattr(sys, "argv", ["tools/bench/broker", "--json"])
    started = []
    monkeypatch.setattr(os, "execv", lambda *command: started.append(command))
    environments.ensure_environment()
    python = f"{tmp_path}/bin for demo test/python"
    assert started == [(python, [python, "tools/bench/broker", "--json"])]


@pytest.mark.parametrize("brings", [True, False])
def test_the_environment_itself_goes_on_only_with_what_it_has_got(monkeypatch, tmp_path, brings):
    """tools/environment may add the packages of an extra to the environment that this Python is in."""
    module = tmp_path / "comes_with_an_extra.py"
    bring = f"touch {module}" if brings else ":"
    (tmp_path / "environment").write_text(f"#!/bin/sh\n{bring}\necho {tmp_path}/.venv/bin\n")
    (tmp_path / "environment").chmod(0o755)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "TOOLS", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    monkeypatch.setattr(sys, "argv", ["tools/docs"])
    monkeypatch.syspath_prepend(tmp_path)
    started = []
    monkeypatch.setattr(os, "execv", lambda *command: started.append(command))
    if brings:
        environments.ensure_packages("comes_with_an_extra", extras=["docs"])
        assert len(started) == 1
    else:
        with pytest.raises(SystemExit, match="has not all of comes_with_an_extra"):
            environments.ensure_packages("comes_with_an_extra", extras=["docs"])
        assert not started


@pytest.mark.parametrize("script", ["bench/broker", "load/idle_connections", "bench/startup"])
def test_help_is_the_docstring_and_needs_nothing(script):
    # -S: nothing that is installed can be imported.
    result = subprocess.run([sys.executable, "-S", TOOLS / script, "--help"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for line in load(script).__doc__.splitlines()[-4:]:
        assert line in result.stdout
