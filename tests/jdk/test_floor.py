# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Another world below a server: each lock, wait, clock, random number, select, socket and file is its own."""

from __future__ import annotations

import os
import random
import selectors
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.utils.time import Time
from kreactor.core.network.socket_server import SocketServer
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.core.server.kafka_request_handler import KafkaRequestHandlerPool
from kreactor.jdk.clock import Clock
from kreactor.jdk.floor import Floor, standing_on
from kreactor.jdk.locks import Condition, Lock
from kreactor.jdk.random_numbers import RANDOM
from kreactor.jdk.secure_random import random_bytes
from kreactor.storage.internals.log.log_file import LogFile
from tests.core.network.opaque import APIS, Client, Echo


class Recorder:
    """A module of Python whose calls are counted."""

    def __init__(self, name: str, module: object, seen: Counter[str], **replaced: object) -> None:
        self._name, self._module, self._seen = name, module, seen
        self.__dict__.update(replaced)

    def __getattr__(self, name: str) -> object:
        found = getattr(self._module, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            self._seen[f"{self._name}.{name}"] += 1
            return found(*args, **kwargs)

        return call


def recording_world() -> tuple[Any, Counter[str]]:
    """Return a world that does what the real one does, and what it has been asked for."""
    seen: Counter[str] = Counter()

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            seen[name] += 1
            return function(*args, **kwargs)

        return call

    class RecordedLock:
        """A lock that counts how often it is acquired, and how often a thread waits in it."""

        def __init__(self, lock: Any) -> None:
            seen["lock"] += 1
            self._lock = lock
            for name in ("release", "locked", "_is_owned", "_release_save", "_acquire_restore"):
                if hasattr(lock, name):
                    setattr(self, name, getattr(lock, name))

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            seen["acquire"] += 1
            if self._lock.acquire(False):
                return True
            seen["wait"] += blocking
            return bool(self._lock.acquire(blocking, timeout))

        def __enter__(self) -> bool:
            return self.acquire()

        def __exit__(self, *exc_info: object) -> None:
            self._lock.release()

    class RecordedSocket(socket.socket):
        """A socket that counts what it receives and sends."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            seen["socket"] += 1
            super().__init__(*args, **kwargs)

        def accept(self) -> tuple[socket.socket, Any]:
            seen["accept"] += 1
            fd, address = self._accept()  # type: ignore[attr-defined]
            return RecordedSocket(self.family, self.type, self.proto, fileno=fd), address

        def recv_into(self, *args: Any) -> int:
            seen["recv"] += 1
            return super().recv_into(*args)

        def send(self, *args: Any) -> int:
            seen["send"] += 1
            return super().send(*args)

        def sendmsg(self, *args: Any) -> int:
            seen["send"] += 1
            return super().sendmsg(*args)

    class RecordedSelector(selectors.DefaultSelector):
        """A selector that counts its selects."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            seen["select"] += 1
            return super().select(timeout)

    numbers = random.Random(1)
    threads = Recorder(
        "threading", threading, seen, Lock=lambda: RecordedLock(threading.Lock()),
        RLock=lambda: RecordedLock(threading.RLock()), Thread=SimpleNamespace(
            start=counted("start", threading.Thread.start), join=counted("join", threading.Thread.join),
            is_alive=threading.Thread.is_alive))
    return SimpleNamespace(
        threading=threads, os=Recorder("os", os, seen), socket=Recorder(
            "socket", socket, seen, socket=RecordedSocket),
        selectors=Recorder("selectors", selectors, seen, DefaultSelector=RecordedSelector),
        nanoseconds=counted("nanoseconds", time.monotonic_ns), seconds=counted("seconds", time.monotonic),
        epoch_ns=counted("epoch_ns", time.time_ns), sleep=counted("sleep", time.sleep),
        random=counted("random", numbers.random), getrandbits=counted("random", numbers.getrandbits)), seen


def serve_one_request() -> None:
    """Start a server, send it a request, and shut it down."""
    config = KafkaConfig.from_props({"listeners": "PLAINTEXT://localhost:0", "num.network.threads": "1"})
    server = SocketServer(config, Metrics(), Time.SYSTEM, SimpleApiVersionManager(ListenerType.BROKER, APIS))
    channel = server.data_plane_request_channel
    pool = KafkaRequestHandlerPool(
        1, channel, Echo(channel), Time.SYSTEM, 1, "RequestHandlerAvgIdlePercent", "data-plane")
    try:
        server.enable_request_processing({}).get(10_000)
        port = server.bound_port(ListenerName("PLAINTEXT"))
        with socket.create_connection(("localhost", port), 60) as peer:
            assert Client(peer).call(b"hello")
    finally:
        server.stop_processing_requests()
        pool.shutdown()
        server.shutdown()
        server.metrics.close()


def made_behind(frame: Any) -> str | None:
    """Return the module above the floor that asks Python itself for something, or None.

    The nearest frames of Python's own modules are passed over.
    """
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("kreactor."):
            return None if module.startswith("kreactor.jdk.") else str(module)
        if module.startswith("tests."):
            return None
        frame = frame.f_back
    return None


def test_a_world_sees_all_of_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    world, seen = recording_world()
    behind: Counter[str] = Counter()

    def watched(what: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if (module := made_behind(sys._getframe(1))) is not None:
                behind[f"{what} by {module}"] += 1
            return make(*args, **kwargs)

        return call

    def audit(event: str, _arguments: tuple[object, ...]) -> None:
        if watching and event.startswith(("open", "os.", "socket.", "shutil.")) and (
                module := made_behind(sys._getframe(1))) is not None:
            behind[f"{event} by {module}"] += 1

    watching = False
    sys.addaudithook(audit)
    with standing_on(world):
        for name in ("Lock", "RLock"):
            monkeypatch.setattr(threading, name, watched(name, getattr(threading, name)))
        for name in ("monotonic", "monotonic_ns", "time", "time_ns", "sleep"):
            monkeypatch.setattr(time, name, watched(name, getattr(time, name)))
        watching = True
        try:
            serve_one_request()
        finally:
            watching = False
    assert not behind, behind
    wanted = {"lock", "acquire", "wait", "start", "nanoseconds", "socket", "accept", "recv", "send", "select",
              "os.pipe"}
    assert not (missing := wanted - set(seen)), (missing, seen)


def test_a_world_sees_random_numbers_sleeps_and_files(tmp_path: Path) -> None:
    world, seen = recording_world()
    with standing_on(world):
        RANDOM.randrange(1000)
        RANDOM.random()
        Clock.sleep(0)
        random_bytes(4)
        file = LogFile.open(tmp_path / "segment", os.O_RDWR | os.O_CREAT)
        file.write(b"abc", 0)
        assert file.read_at(3, 0) == b"abc"
        file.force(True)
        file.release()
    assert seen["random"] >= 2 and seen["sleep"] == 1 and seen["os.urandom"] == 1
    assert {f"os.{name}" for name in ("open", "pwrite", "pread", "fsync", "close")} <= set(seen)


def test_the_former_world_comes_back_even_after_an_error() -> None:
    before = (Floor.os, Floor.threading, Clock.nanoseconds, Clock.sleep, vars(type(RANDOM)).get("random"))
    world, seen = recording_world()
    with pytest.raises(ZeroDivisionError), standing_on(world):
        Clock.nanoseconds()
        raise ZeroDivisionError
    assert before == (Floor.os, Floor.threading, Clock.nanoseconds, Clock.sleep,
                      vars(type(RANDOM)).get("random"))
    assert seen["nanoseconds"] == 1
    Clock.nanoseconds()
    with Condition(Lock()):
        pass
    assert seen["nanoseconds"] == 1 and not seen["lock"]
