# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every thread that kreactor starts goes on after an exception of any kind, or the table says why not.

A case makes the thread's work raise once, and asserts that the same thread does the next work.
"""

from __future__ import annotations

import ast
import functools
import http.client
import importlib
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kreactor.clients.producer.internals.sender import Sender
from kreactor.clients.producer.kafka_producer import KafkaProducer
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.memory.garbage_collected_memory_pool import GarbageCollectedMemoryPool
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refreshing_login import (
    ExpiringCredentialRefreshingLogin,
)
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.core.log.log_cleaner import LogCleaner
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.processor import Processor
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.server.util.shutdownable_thread import ShutdownableThread
from kreactor.server.util.timer.system_timer import SystemTimer
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.testing import Broker, MockTime
from kreactor.testing.control import Control
from kreactor.testing.control_doorway import Doorway
from tests.editions.editions import serving
from tests.stepping import wait_until

ROOT = Path(__file__).parent.parent
WAIT_S = 120.0


class Outcome(BaseException):
    """An exception that is no Exception, like the outcome of a test of pytest."""


ERRORS = [StopIteration, MemoryError, KeyboardInterrupt, Outcome]


class Once:
    """Replaces a method: the first call raises, the later ones are the method's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str,
                 error: type[BaseException]) -> None:
        self.raised_in: threading.Thread | None = None
        self.raised = threading.Event()
        self._lock = threading.Lock()
        original = getattr(owner, name)

        def method(*args: Any, **kwargs: Any) -> Any:
            with self._lock:
                is_first = self.raised_in is None
                if is_first:
                    self.raised_in = threading.current_thread()
            if is_first:
                self.raised.set()
                raise error("of the test")
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, method)

    def wait(self) -> threading.Thread:
        """Return the thread in which the method has raised."""
        assert self.raised.wait(WAIT_S)
        assert self.raised_in is not None
        return self.raised_in


# -- the threads of a broker and its clients -------------------------------------------------------


def api_versions(port: int) -> None:
    """Send an ApiVersions request, and read its answer."""
    with socket.create_connection(("127.0.0.1", port), WAIT_S) as connection:
        _ask(connection)


def _ask(connection: socket.socket) -> None:
    request = struct.pack(">hhih", 18, 0, 7, -1)
    connection.sendall(struct.pack(">i", len(request)) + request)
    with connection.makefile("rb") as stream:
        size, = struct.unpack(">i", stream.read(4))
        assert struct.unpack(">i", stream.read(size)[:4]) == (7,)


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker(topics=["t"]) as broker:
        yield broker


def port_of(broker: Broker) -> int:
    return int(broker.bootstrap_servers.rpartition(":")[2])


STEPS = [(Acceptor, "_accept_new_connections"), (Acceptor, "_close_throttled_connections"),
         (Processor, "_poll"), (Processor, "_process_new_responses"),
         (Processor, "_process_completed_receives"), (RequestChannel, "receive_request_timeout")]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("owner, step", STEPS, ids=lambda value: getattr(value, "__name__", value))
def test_a_step_of_a_broker(broker: Broker, owner: Any, step: str, error: type[BaseException],
                            monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set(threading.enumerate())
    once = Once(monkeypatch, owner, step, error)
    # The connection on which the step fails may be closed.
    with socket.create_connection(("127.0.0.1", port_of(broker)), WAIT_S):
        thread = once.wait()
    api_versions(port_of(broker))
    assert thread.is_alive() and threads <= set(threading.enumerate())


@pytest.mark.parametrize("error", ERRORS)
def test_a_request_whose_handling_raises_is_answered(
    broker: Broker, error: type[BaseException], monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_connection(("127.0.0.1", port_of(broker)), WAIT_S) as connection:
        once = Once(monkeypatch, KafkaApis, "handle_api_versions_request", error)
        monkeypatch.setattr("kreactor.core.server.kafka_apis._HANDLERS", {
            **importlib.import_module("kreactor.core.server.kafka_apis")._HANDLERS,
            _api_versions_key(): lambda apis, *args: KafkaApis.handle_api_versions_request(apis, *args)})
        _ask(connection)
        thread = once.wait()
        # The connection is not muted.
        _ask(connection)
    assert thread.is_alive()


def _api_versions_key() -> object:
    from kreactor.common.protocol.api_keys import ApiKeys

    return ApiKeys.API_VERSIONS


EDITION_STEPS = [(edition, package, owner, step) for edition, package in (
    ("0.10.2", "v0_10_2"), ("1.0", "v1_0"), ("2.2", "v2_2")) for owner, step in (
        ("core.network.socket_server.Acceptor", "_accept" if edition == "2.2" else "accept"),
        ("core.network.socket_server.Processor", "_poll"),
        ("core.network.request_channel.RequestChannel", "receive_request_timeout"))]


@pytest.mark.parametrize("edition, package, owner, step", EDITION_STEPS)
def test_a_step_of_an_older_edition(edition: str, package: str, owner: str, step: str,
                                    monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module, _, name = owner.rpartition(".")
    owner_type = getattr(importlib.import_module(f"kreactor.editions.{package}.{module}"), name)
    with serving(edition, tmp_path) as server:
        port = server.bound_port("PLAINTEXT")
        once = Once(monkeypatch, owner_type, step, Outcome)
        with socket.create_connection(("127.0.0.1", port), WAIT_S):
            thread = once.wait()
        api_versions(port)
        assert thread.is_alive()


@pytest.mark.parametrize("error", ERRORS)
def test_the_sender_of_a_producer(broker: Broker, error: type[BaseException],
                                  monkeypatch: pytest.MonkeyPatch) -> None:
    once = Once(monkeypatch, Sender, "run_once", error)
    serializer = ByteArraySerializer()
    producer = KafkaProducer({"bootstrap.servers": broker.bootstrap_servers}, serializer, serializer)

    def callback(metadata: object, exception: object) -> None:
        raise error("of the test")

    try:
        thread = once.wait()
        sent = [producer.send(ProducerRecord("t", value=b"1"), callback) for _ in range(3)]
        for future in sent:
            assert future.get(120_000).topic() == "t"
        assert thread.is_alive()
    finally:
        producer.close()


@pytest.mark.parametrize("error", ERRORS)
def test_the_control_port(broker: Broker, error: type[BaseException],
                          monkeypatch: pytest.MonkeyPatch) -> None:
    once = Once(monkeypatch, Doorway, "_serve_once", error)
    with Control(broker) as control:
        thread = once.wait()
        connection = http.client.HTTPConnection(control.host, control.port, timeout=WAIT_S)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        connection.close()
        assert thread.is_alive()


# -- threads that repeat a round -------------------------------------------------------------------


@functools.cache
def repeating() -> dict[str, type[ShutdownableThread]]:
    """Return the classes of all threads that repeat ``do_work``, by module and name."""
    for path in sorted((ROOT / "kreactor").rglob("*.py")):
        if re.search(r"^ *class \w+\([^)]*Thread", path.read_text(encoding="utf-8"), re.MULTILINE):
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    found: dict[str, type[ShutdownableThread]] = {}
    left = [ShutdownableThread]
    while left:
        for each in left.pop().__subclasses__():
            if each.__module__.startswith("kreactor."):
                found[f"{each.__module__}.{each.__qualname__}"] = each
                left.append(each)
    return found


# A class whose thread ends, with the reason.
ENDS = {
    "kreactor.core.log.log_cleaner.LogCleaner.CleanerThread":
        "the gauge DeadThreadCount has the threads that ended, as in Kafka; LogCleanerIntegrationTest asks",
    "kreactor.testing.background.SharedCleanerThread":
        "has no thread; tests/testing/test_background.py has its rounds",
}


def test_the_classes_that_end_exist() -> None:
    assert set(ENDS) <= set(repeating())
    assert len(repeating()) >= 8


@pytest.mark.deviation("D491")
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("name", sorted(set(repeating()) - set(ENDS)))
def test_a_thread_that_repeats_a_round(name: str, error: type[BaseException]) -> None:
    thread_type: Any = repeating()[name]
    thread = thread_type.__new__(thread_type)
    ShutdownableThread.__init__(thread, "of-the-test")
    rounds, go_on = [], threading.Event()

    def do_work() -> None:
        rounds.append(threading.current_thread())
        if len(rounds) == 1:
            raise error("of the test")
        go_on.set()
        thread.pause(1, TimeUnit.HOURS)

    thread.do_work = do_work
    # A class may start its thread later.
    threading.Thread.start(thread)
    try:
        assert go_on.wait(WAIT_S)
        assert rounds == [thread, thread] and thread.is_alive() and not thread.is_thread_failed()
    finally:
        ShutdownableThread.initiate_shutdown(thread)
        thread.join(WAIT_S)
    assert not thread.is_alive()


def test_a_failing_round_does_not_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(ShutdownableThread):
        _CONTINUES_AFTER_ERROR = True
        rounds = 0

        def do_work(self) -> None:
            self.rounds += 1
            raise OSError("each time")

    thread = Failing("failing")
    pauses = []
    monkeypatch.setattr(thread, "pause", lambda timeout, unit: pauses.append(timeout) or (
        len(pauses) == 3 and thread.initiate_shutdown()))
    thread.start()
    thread.join(WAIT_S)
    assert thread.rounds == 3 and pauses == [100, 100, 100]


def test_an_error_that_ends_the_process_ends_a_thread_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fatal(ShutdownableThread):
        _CONTINUES_AFTER_ERROR = True

        def do_work(self) -> None:
            raise FatalExitError(3)

    statuses: list[int] = []
    monkeypatch.setattr("kreactor.common.utils.exit.Exit.exit", staticmethod(statuses.append))
    thread = Fatal("fatal")
    thread.start()
    thread.join(WAIT_S)
    assert statuses == [3]


# -- threads of one purpose ------------------------------------------------------------------------


@pytest.mark.parametrize("error", ERRORS)
def test_the_scheduler(error: type[BaseException]) -> None:
    scheduler = KafkaScheduler(1)
    scheduler.startup()
    threads, done = [], threading.Event()

    def work() -> None:
        threads.append(threading.current_thread())
        if len(threads) < 3:
            raise error("of the test")
        done.set()

    scheduler.schedule("fails", work, 0, 1)
    assert done.wait(WAIT_S)
    scheduler.shutdown()
    assert len(set(threads)) == 1


@pytest.mark.parametrize("error", ERRORS)
def test_the_timer(error: type[BaseException]) -> None:
    timer = SystemTimer("of-the-test")
    threads, done = [], threading.Event()

    class Task(TimerTask):
        def run(self) -> None:
            threads.append(threading.current_thread())
            if len(threads) == 2:
                done.set()
            raise error("of the test")

    timer.add(Task(0))
    timer.add(Task(0))
    wait_until(lambda: timer.advance_clock(10) and False or done.is_set())
    timer.close()
    assert len(set(threads)) == 1


@pytest.mark.deviation("D494")
@pytest.mark.parametrize("error", ERRORS)
def test_the_expiry_of_sensors(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = Metrics(time=MockTime())
    for name in ("a", "b", "c"):
        metrics.sensor(name)
    monkeypatch.setattr(Sensor, "has_expired", lambda sensor: True)
    Once(monkeypatch, Sensor, "has_expired", error)
    Metrics.ExpireSensorTask(metrics).run()
    assert len(metrics._sensors) == 1
    Metrics.ExpireSensorTask(metrics).run()
    assert not metrics._sensors
    metrics.close()


@pytest.mark.deviation("D494")
@pytest.mark.parametrize("error", ERRORS)
def test_the_listener_of_dropped_buffers(error: type[BaseException]) -> None:
    pool = GarbageCollectedMemoryPool(100, 10, True, None)
    failed = threading.Event()

    class Buffers(dict[Any, Any]):
        def pop(self, *args: Any) -> Any:
            if not failed.is_set():
                failed.set()
                raise error("of the test")
            return super().pop(*args)

    pool._buffers_in_flight = Buffers()
    # A reference that the pool does not know, and then a buffer that is dropped.
    pool._garbage_collected_buffers.enqueue(SimpleNamespace())  # type: ignore[arg-type]
    assert failed.wait(WAIT_S)
    pool.try_allocate(10)
    wait_until(lambda: pool.available_memory() == 100)
    pool.close()
    pool._gc_listener_thread.join(WAIT_S)


@pytest.mark.deviation("D493")
@pytest.mark.parametrize("error", ERRORS)
def test_the_refresher_of_a_login(error: type[BaseException]) -> None:
    logins: list[object] = []
    done: list[object] = []

    class Login:
        _DELAY_SECONDS_BEFORE_NEXT_RETRY_WHEN_RELOGIN_FAILS = 10
        _time = MockTime()
        _login_context_factory = SimpleNamespace(refresher_thread_done=lambda: done.append(None))

        def _principal_log_text(self) -> str:
            return "somebody"

        def _current_ms(self) -> int:
            return self._time.milliseconds()

        def _refresh_ms(self, now_ms: int) -> int | None:
            return now_ms + 1000 if len(logins) < 2 else None

        def _re_login(self) -> None:
            logins.append(None)
            if len(logins) == 1:
                raise error("of the test")

    refresher = ExpiringCredentialRefreshingLogin.Refresher(Login())  # type: ignore[arg-type]
    thread = KafkaThread.daemon_thread("refresher", refresher.run)
    thread.start()
    thread.join(WAIT_S)
    assert len(logins) == 2 and len(done) == 1


# -- all of them -----------------------------------------------------------------------------------

# Where a thread is made, and which case above makes its work fail; or why it ends.
CASES: dict[str, Callable[..., None] | str] = {
    "cli.py: _run_by.do": "runs one step, and its end is an event for the main thread",
    "clients/producer/kafka_producer.py: KafkaProducer._start": test_the_sender_of_a_producer,
    "common/memory/garbage_collected_memory_pool.py: GarbageCollectedMemoryPool.__init__":
        test_the_listener_of_dropped_buffers,
    "common/metrics/metrics.py: Metrics.__init__": test_the_expiry_of_sensors,
    "common/security/oauthbearer/internals/expiring/expiring_credential_refreshing_login.py: "
    "ExpiringCredentialRefreshingLogin.login": test_the_refresher_of_a_login,
    "common/utils/kafka_thread.py: KafkaThread.daemon_thread": "the callers of this method stand here",
    "common/utils/kafka_thread.py: KafkaThread.non_daemon": "the callers of this method stand here",
    "core/network/acceptor.py: Acceptor.__init__": test_a_step_of_a_broker,
    "core/network/processor.py: Processor.__init__": test_a_step_of_a_broker,
    "core/server/kafka_request_handler.py: KafkaRequestHandlerPool.create_handler": test_a_step_of_a_broker,
    **{f"editions/{place}": test_a_step_of_an_older_edition for place in (
        "v0_10_2/core/network/socket_server.py: Processor.start",
        "v0_10_2/core/network/socket_server.py: SocketServer.startup",
        "v0_10_2/core/server/kafka_request_handler.py: KafkaRequestHandlerPool.__init__",
        "v1_0/core/network/socket_server.py: Processor.start",
        "v1_0/core/network/socket_server.py: SocketServer.startup",
        "v1_0/core/server/kafka_request_handler.py: KafkaRequestHandlerPool.__init__",
        "v2_2/core/network/socket_server.py: Processor.start",
        "v2_2/core/network/socket_server.py: SocketServer._create_control_plane_acceptor_and_processor",
        "v2_2/core/network/socket_server.py: SocketServer._create_data_plane_acceptors_and_processors",
        "v2_2/core/server/kafka_request_handler.py: KafkaRequestHandlerPool.create_handler")},
    "jdk/thread_dump.py: _Dispatcher.__init__": "tests/jdk/test_thread_dump.py has its case",
    "server/util/kafka_scheduler.py: KafkaScheduler._new_thread": test_the_scheduler,
    "server/util/timer/system_timer.py: SystemTimer.__init__.new_thread": test_the_timer,
    "testing/background.py: _Pool._new_thread": "tests/testing/test_background.py has its case",
    "testing/control.py: Control.__init__": test_the_control_port,
    "testing/remote.py: ProcessBroker.close": "waits for the end of one process",
    "testing/remote.py: _read_line": "reads one line",
}
THREADS = {"Thread", "threading.Thread", "KafkaThread", "KafkaThread.daemon_thread",
           "KafkaThread.non_daemon"}


def made_threads(source: str) -> Iterator[str]:
    """Yield the functions that make a thread."""
    def visit(node: ast.AST, names: tuple[str, ...]) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            inner = names
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = (*names, child.name)
            if isinstance(child, ast.Call) and ast.unparse(child.func) in THREADS:
                yield ".".join(inner)
            yield from visit(child, inner)

    yield from visit(ast.parse(source), ())


def test_the_table_has_every_thread() -> None:
    found: set[str] = set()
    for path in sorted((ROOT / "kreactor").rglob("*.py")):
        name = path.relative_to(ROOT / "kreactor").as_posix()
        if not name.startswith(("conformance/", "pipeline/")):
            source = path.read_text(encoding="utf-8")
            if "Thread" in source:
                found |= {f"{name}: {place}" for place in made_threads(source)}
    assert found == set(CASES)


def test_the_cleaner_of_a_broker_is_counted_when_it_ends() -> None:
    assert not LogCleaner.CleanerThread._CONTINUES_AFTER_ERROR
