# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A test's process that forks while a broker runs in it: the child ends by itself, the broker serves on."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_server import BrokerServer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.testing import Broker, background
from kreactor.testing.mock_time import MockTime
from tests.core.server.wire import Closed, Wire

ROOT = Path(__file__).parents[2]
TOPIC = "topic"
STATUS = 7
PATIENCE_S = 120

# From 3.12 on Python warns of each fork of a process with threads.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics=[TOPIC]) as broker:
        yield broker


def ask(connection: Wire) -> None:
    """Have a request answered."""
    assert connection.ask(ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()).error_code == 0


def connect_and_ask(broker: Broker) -> None:
    with Wire(broker.host, broker.port) as connection:
        ask(connection)


@contextmanager
def traffic(broker: Broker) -> Iterator[Callable[[], int]]:
    """Have requests answered meanwhile, on three connections; give their number so far."""
    ended = threading.Event()
    answers = [0, 0, 0]
    failures: list[Exception] = []

    def run(i: int) -> None:
        try:
            with Wire(broker.host, broker.port) as connection:
                while not ended.is_set():
                    ask(connection)
                    answers[i] += 1
        except Exception as e:
            failures.append(e)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield lambda: sum(answers)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert not failures


def still_serves(broker: Broker) -> None:
    folder = broker.folder
    assert folder is not None and os.path.exists(os.path.join(folder, "meta.properties"))
    assert broker.is_running()
    assert broker.topics() == {TOPIC: {0: 0}}
    connect_and_ask(broker)


def status_of(target: Callable[..., object], *args: object) -> int:
    """Return the status that a forked process ends with by itself."""
    process = FORK.Process(target=target, args=args)
    process.start()
    process.join(PATIENCE_S)
    status = process.exitcode
    if status is None:
        process.kill()
        process.join()
    process.close()
    assert status is not None, "the child does not end"
    return status


def descriptors() -> set[str]:
    """Return what sockets, pipes, epoll sets and files of a data folder this process has open."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:
            continue  # the descriptor of the listing itself
        if target.startswith(("socket:", "pipe:", "anon_inode:")) or "kreactor-" in target:
            found.add(target)
    return found


def end_with(status: int) -> None:
    sys.exit(status)


def test_a_process_ends_with_its_own_status(broker: Broker) -> None:
    with traffic(broker):
        for status in (0, STATUS):
            assert status_of(end_with, status) == status
    still_serves(broker)


def use(broker: Broker, brokers: set[str]) -> None:
    assert not broker.is_running() and broker.folder is None
    assert not descriptors() & brokers
    connect_and_ask(broker)
    broker.requests()
    broker.faults.clear()
    broker.stop()
    with pytest.raises(IllegalStateException):
        broker.kill()
    broker.close()
    sys.exit(STATUS)


def test_a_child_owns_no_broker_and_may_connect_to_it() -> None:
    was = descriptors()
    with Broker(topics=[TOPIC]) as broker, Wire(broker.host, broker.port) as connection:
        ask(connection)
        clients = os.readlink(f"/proc/self/fd/{connection.socket.fileno()}")
        brokers = descriptors() - was - {clients}
        assert len(brokers) > 5, "the check of the child finds nothing"
        # All epoll sets have one name.
        assert "anon_inode:[eventpoll]" in brokers
        assert status_of(use, broker, brokers) == STATUS
        ask(connection)
        still_serves(broker)


def use_locked(broker: Broker) -> None:
    broker.requests()
    broker.faults.clear()
    broker.time.sleep(1)
    broker.close()
    sys.exit(STATUS)


def test_locks_that_a_thread_of_the_parent_holds() -> None:
    time = MockTime()
    with Broker(topics=[TOPIC], time=time) as broker:
        clock = broker._running().clock
        assert clock is not None
        server = broker.server()
        locks = (broker._lock, broker._requests._condition, broker.faults._lock, time._lock, clock._moves,
                 clock._moved, server._condition, background._lock)
        for lock in locks:
            held, let_go = threading.Event(), threading.Event()

            def hold() -> None:
                with lock:
                    held.set()
                    let_go.wait(PATIENCE_S)

            thread = threading.Thread(target=hold)
            thread.start()
            try:
                assert held.wait(PATIENCE_S)
                assert status_of(use_locked, broker) == STATUS
            finally:
                let_go.set()
                thread.join()
        still_serves(broker)


def start_another(address: str) -> None:
    with Broker(topics=["another"]) as another:
        assert another.bootstrap_servers != address
        connect_and_ask(another)
        assert another.topics() == {"another": {0: 0}}
    sys.exit(STATUS)


def start_again(broker: Broker, address: str) -> None:
    with broker:
        assert broker.bootstrap_servers != address
        connect_and_ask(broker)
    sys.exit(STATUS)


def test_a_child_starts_a_broker_of_its_own(broker: Broker) -> None:
    address = broker.bootstrap_servers
    assert status_of(start_another, address) == STATUS
    assert status_of(start_again, broker, address) == STATUS
    still_serves(broker)


def compute(number: int) -> int:
    return number * number


def ask_and_compute(host: str, port: int, number: int) -> int:
    with Wire(host, port) as connection:
        ask(connection)
    return number * number


def test_a_pool_of_processes(broker: Broker) -> None:
    with traffic(broker) as answers:
        with ProcessPoolExecutor(3, mp_context=FORK) as pool:
            assert list(pool.map(compute, range(20))) == [number * number for number in range(20)]
            asked = [pool.submit(ask_and_compute, broker.host, broker.port, number) for number in range(20)]
            assert [each.result(PATIENCE_S) for each in asked] == [number * number for number in range(20)]
            before = answers()
            connect_and_ask(broker)
        while answers() < before + 100:
            connect_and_ask(broker)
    still_serves(broker)


@contextmanager
def child_that_waits() -> Iterator[None]:
    """Have a child that lives, and is done with its start."""
    ready, childs_ready = FORK.Pipe()
    process = FORK.Process(target=tell_and_wait, args=(ready, childs_ready))
    process.start()
    try:
        assert ready.poll(PATIENCE_S) and ready.recv() == "ready"
        yield
    finally:
        ready.send("end")
        process.join(PATIENCE_S)
        status = process.exitcode
        process.kill()
        process.join()
        process.close()
        ready.close()
        childs_ready.close()
        assert status == 0


def tell_and_wait(parents: Connection, own: Connection) -> None:
    own.send("ready")
    own.recv()


def test_a_restart_while_a_child_lives(broker: Broker) -> None:
    """The child keeps neither the port nor the lock of the folder."""
    with child_that_waits():
        broker.stop()
        with pytest.raises(ConnectionRefusedError):
            connect_and_ask(broker)
        broker.start()
        still_serves(broker)


def test_connections_end_while_a_child_lives(broker: Broker) -> None:
    """A client sees that the broker closes its connection, as if there were no child."""
    with Wire(broker.host, broker.port, PATIENCE_S) as connection:
        ask(connection)
        with child_that_waits():
            broker.kill()
            with pytest.raises((Closed, ConnectionResetError)):
                connection.receive_bytes()


@pytest.mark.kafka_broker(properties={"broker.id": 5})
def test_the_fixture(kafka_broker: Broker) -> None:
    with Wire(kafka_broker.host, kafka_broker.port) as connection:
        ask(connection)
        for _ in range(3):
            assert status_of(end_with, STATUS) == STATUS
            ask(connection)
    assert kafka_broker.is_running()


def test_a_broker_server_of_ones_own(tmp_path: Path) -> None:
    server = BrokerServer(KafkaConfig.from_props(
        {"listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": str(tmp_path), "num.network.threads": "1"}))
    with server, Wire("127.0.0.1", server.bound_port("PLAINTEXT")) as connection:
        assert status_of(stop, server) == STATUS
        assert not (tmp_path / ".kafka_cleanshutdown").exists()
        ask(connection)


def stop(server: BrokerServer) -> None:
    server.shutdown()
    assert server.await_shutdown(0)
    sys.exit(STATUS)


LEAVES = """
import os, sys, tempfile
from kreactor.testing import Broker
with Broker(topics=["topic"], {tls}) as broker:
    folder = broker.folder
    certificates = {certificates}
    pid = os.fork()
    if pid == 0:
        # Through the end of the block, and the interpreter's own.
        sys.exit(7)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert broker.is_running() and broker.topics() == {{"topic": {{0: 0}}}}
    assert os.path.exists(folder) and os.path.exists(certificates)
    print(status)
assert not os.path.exists(folder)
"""


@pytest.mark.parametrize("tls", [False, True])
def test_a_child_that_leaves_the_block_of_its_parents_broker(tls: bool) -> None:
    code = LEAVES.format(tls=f"tls={tls}", certificates="broker.tls.ca" if tls else "folder")
    done = subprocess.run(
        [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", code], cwd=ROOT, timeout=300,
        capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{STATUS}\n", "")
