# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Each way round the floor is refused."""

from __future__ import annotations

import pytest

from tools.checks.door import check_door

F = "from kreactor.jdk.clock import Clock\nfrom kreactor.jdk.floor import Floor\n"


def test_the_port_uses_the_only_door() -> None:
    assert check_door() == []


@pytest.mark.parametrize("source", [
    "import threading", "import threading as t", "from threading import Lock", "import concurrent.futures",
    "from concurrent import futures", "def f():\n    import socket", "import _thread", "import builtins",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ssl", "import os as o", "import os.path",
    "t = __import__('threading')", "import importlib\nimportlib.import_module('time')",
    "from importlib import import_module\nimport_module('os')", "import sys\nt = sys.modules['threading']",
    "import sys\nt = sys.modules.get('time')", "exec('import threading')", "from os import rename",
    "from os.path import exists", "import os\nos.rename('a', 'b')", "import os\nremove = os.remove",
    "import os\nos.path.exists('a')", "import os\ngetattr(os, 'rename')('a', 'b')", "import os\nf = [os]",
    "open('a')", "f = open", "import io\nio.open('a')", "from io import open as o",
    "from pathlib import Path",
    "from kreactor.jdk.threads import threading",
    "from kreactor.jdk import threads\nthreads.threading.Lock()",
    F + "now = Clock.nanoseconds", F + "class A:\n    now = staticmethod(Clock.nanoseconds)",
    F + "def f(now=Clock.seconds): pass", F + "f(Clock.sleep)", F + "o = Floor.os", F + "F = Floor",
    F + "Floor.threading.Lock()", F + "rename = Floor.os.rename",
    "def f(self, q):\n    self.put = q.put", "def f(lock):\n    enter, leave = lock.acquire, lock.release",
    "def f(self, q):\n    self.put = staticmethod(q.put)",
    "def f(self, q, put=None):\n    self.put = put or q.put",
], ids=repr)
def test_a_way_round_is_refused(source: str) -> None:
    assert check_door([("core/some.py", source)])


@pytest.mark.parametrize("source", [
    "import os\np = os.path.join('a', os.sep)", "import os\nf = os.O_RDONLY | getattr(os, 'O_CLOEXEC', 0)",
    F + "def f(s: Floor.socket.socket) -> None: Floor.os.rename('a', str(Clock.seconds()))",
    F + "try:\n    pass\nexcept Floor.ssl.SSLError:\n    pass", F + "x = Floor.socket.SO_LINGER",
    "def f(q):\n    q.put(1)\n    return lambda: q.take()", "import io\nb = io.BytesIO()",
], ids=repr)
def test_the_door_is_open(source: str) -> None:
    assert check_door([("core/some.py", source)]) == []


@pytest.mark.parametrize("path", [
    "jdk/locks.py", "cli.py", "__main__.py", "conformance/a.py", "pipeline/a.py"])
def test_what_is_free(path: str) -> None:
    assert check_door([(path, "import threading")]) == []
