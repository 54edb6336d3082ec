# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``kreactor serve --control``, as a user has it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kreactor.testing import Error
from kreactor.testing.remote import RemoteBroker
from kreactor.testing.remote_cluster import RemoteCluster
from tests.clients.broker_process import REFUSED_CONNECTIONS
from tests.clients.kafka_python_client import KafkaProducer

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-for-this-test"

pytestmark = REFUSED_CONNECTIONS


def command(*args: str) -> list[str]:
    return [sys.executable, "-c", "from kreactor.cli import main; main()", "serve", *args]


@contextmanager
def serve(*args: str, host: str = "127.0.0.1", brokers: int = 1) -> Iterator[str]:
    """Run a broker or a cluster, and yield where its control port is."""
    args = ("--brokers", str(brokers), *args)
    with subprocess.Popen(command("--override", f"listeners=PLAINTEXT://{host}:0", *args), cwd=ROOT,
                          stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        assert process.stdout is not None
        for _ in range(brokers):
            assert process.stdout.readline().startswith(f"Listening on PLAINTEXT://{host}:")
        yield process.stdout.readline().partition("Control on ")[2].strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def refused(*args: str) -> str:
    done = subprocess.run(command(*args), cwd=ROOT, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    return done.stderr


def test_a_broker_is_controlled(tmp_path: Path) -> None:
    with serve("--data", str(tmp_path), "--control", "127.0.0.1:0") as url, RemoteBroker(url) as broker:
        with broker.faults.add(Error("NOT_LEADER_OR_FOLLOWER"), api="Produce", first=1) as rule:
            producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=1)
            producer.send("t", b"v").get(60)
            producer.close()
            assert rule.hits == 1
        port = broker.port
        broker.kill()
        assert not broker.is_running()
        broker.start()
        assert broker.port == port and [record.value for record in broker.consume("t", 1)] == [b"v"]
        assert broker.folder == str(tmp_path)
        with pytest.raises(Exception, match="snapshots: need a broker with a temporary folder"):
            broker.snapshot()
    # A later broker on the folder has the same data.
    with serve("--data", str(tmp_path), "--control", "127.0.0.1:0") as url, RemoteBroker(url) as broker:
        assert [record.value for record in broker.records("t")] == [b"v"]
        broker.stop()


def test_a_cluster_is_controlled(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"), "--control", "127.0.0.1:0", "--override", "node.id=5")
    with serve(*data, brokers=3) as url, RemoteCluster(url) as cluster:
        assert cluster.alive() == [5, 6, 7] and cluster.folder() == str(tmp_path / "data")
        cluster.create_topic("t", assignments=[[5, 6, 7]])
        producer = KafkaProducer(bootstrap_servers=cluster.bootstrap_servers, retry_backoff_ms=1, acks="all")
        producer.send("t", b"before").get(60)
        port = cluster[5].port
        cluster.kill(5)
        producer.send("t", b"while one is down").get(60)
        cluster.restart(5)
        cluster.move_leader("t", 0, 7)
        producer.send("t", b"after").get(60)
        producer.close()
        assert (cluster[5].port, cluster.partition("t", 0).isr) == (port, (6, 7, 5))
        with pytest.raises(OSError, match="no such path"):
            RemoteBroker(url)
    # The next start has leaders, in-sync sets and records.
    with serve(*data, brokers=3) as url, RemoteCluster(url) as cluster:
        state = cluster.partition("t", 0)
        assert (state.leader, state.leader_epoch, state.isr) == (7, 3, (6, 7, 5))
        assert [record.value for record in cluster.records("t")] == [
            b"before", b"while one is down", b"after"]
        cluster.kill(6)
    with serve(*data, brokers=3) as url, RemoteCluster(url) as cluster:
        assert cluster.alive() == [5, 6, 7] and set(cluster.partition("t", 0).isr) == {5, 6, 7}


def test_an_address_of_all_interfaces(tmp_path: Path) -> None:
    with (serve("--data", str(tmp_path), "--control", "127.0.0.1:0", "--override",
                "advertised.listeners=PLAINTEXT://127.0.0.1:9092", host="0.0.0.0") as url,
          RemoteBroker(url) as broker):
        assert broker.host == "127.0.0.1"
        broker.restart()
        assert broker.topics() == {}


def test_a_token(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    with serve("--data", str(tmp_path / "data"), "--control", "127.0.0.1:0", "--control-token",
               str(file)) as url:
        with pytest.raises(OSError, match="Authorization"):
            RemoteBroker(url)
        with RemoteBroker(url, TOKEN) as broker:
            assert broker.topics() == {}


def test_what_cannot_be(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"), "--override", "listeners=PLAINTEXT://127.0.0.1:0")
    assert "--control x: not HOST:PORT" in refused(*data, "--control", "x")
    assert "0.0.0.0 is not a loopback address" in refused(*data, "--control", "0.0.0.0:0")
    assert "No such file" in refused(*data, "--control", "127.0.0.1:0", "--control-token", "/none")
    for number in ("0", "1000", "x"):
        assert "'--brokers'" in refused(*data, "--brokers", number)
    assert "broker 2 would have port 65536" in refused(
        *data, "--brokers", "2", "--override", "listeners=PLAINTEXT://127.0.0.1:65535")
    assert "0.0.0.0 is not a loopback address" in refused(
        *data, "--brokers", "2", "--control", "0.0.0.0:0")
    assert "--control-token: needs --control" in refused(*data, "--control-token", "/none")
    (tmp_path / "token").write_text("short")
    message = refused(*data, "--control", "127.0.0.1:0", "--control-token", str(tmp_path / "token"))
    assert "the token must have at least 8 visible ASCII characters" in message
    assert "short" not in message.partition("at least")[0]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "Address already in use" in refused(
            *data, "--control", f"127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.parametrize("is_abstract", [True, False])
def test_systemd_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_abstract: bool) -> None:
    name = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(f"\0{name}" if is_abstract else name)
        manager.settimeout(120)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}" if is_abstract else name)
        with serve("--data", str(tmp_path / "data"), "--control", "127.0.0.1:0"):
            assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"STOPPING=1"


def test_a_systemd_that_is_gone_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "/none/there")
    with serve("--data", str(tmp_path / "data"), "--control", "127.0.0.1:0") as url:
        assert url
