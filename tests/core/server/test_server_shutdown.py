# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ServerShutdownTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker that stops keeps what it has, and leaves no thread."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest

from kreactor.common.protocol.errors import Errors
from kreactor.core.log.log_manager import RECOVERY_POINT_FILE
from kreactor.embedded.data_folder import CLEAN_SHUTDOWN_FILE
from kreactor.metadata.broker_state import BrokerState
from tests.core.server.broker_requests import create_topic, fetch, produce
from tests.core.server.brokers import new_broker
from tests.stepping import Background, stopped_at, wait_until


@pytest.mark.deviation("D129", "D213")
def test_clean_shutdown_after_failed_startup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If any one thread cannot start, nothing is left of the others."""
    start = threading.Thread.start
    started: list[threading.Thread] = []
    for limit in itertools.count():
        started.clear()

        def limited(self: threading.Thread) -> None:
            if len(started) == limit:
                raise RuntimeError("can't start new thread")
            start(self)
            started.append(self)

        broker = new_broker(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", limited)
            try:
                broker.startup()
            except RuntimeError as e:
                assert str(e).startswith(("can't start new thread", "Unable to start acceptor"))
            else:
                break
        assert broker.broker_state() is BrokerState.NOT_RUNNING
        assert not broker.metrics_registry().all_metrics()
        wait_until(lambda: not any(thread.is_alive() for thread in started), f"{started} after {limit}")
    assert limit > 4, "a reaper, two handlers, an acceptor and a processor"
    create_topic(broker)
    broker.shutdown()


def test_no_clean_shutdown_after_failed_startup_due_to_corrupt_logs(
        tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where Kafka halts, what was acknowledged is found again, the mark of a clean stop notwithstanding."""
    with new_broker(tmp_path) as broker:
        create_topic(broker)
        produce(broker, b"acknowledged")
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
    files = sorted((tmp_path / "foo-0").iterdir())
    assert len(files) > 3
    for file in files:
        with file.open("ab") as opened:
            opened.write(b"nonsense")
    with new_broker(tmp_path) as broker:
        assert fetch(broker) == [b"acknowledged"]
        assert produce(broker, b"goes on") is Errors.NONE
    with new_broker(tmp_path) as broker:
        assert fetch(broker) == [b"acknowledged", b"goes on"]
    # The log records hold an exception, whose frames hold the file.
    caplog.clear()


def test_clean_shutdown(tmp_path: Path) -> None:
    sent_1, sent_2 = [b"hello", b"there"], [b"more", b"messages"]
    with new_broker(tmp_path) as broker:
        create_topic(broker)
        for value in sent_1:
            assert produce(broker, value) is Errors.NONE
    assert (tmp_path / RECOVERY_POINT_FILE).stat().st_size > 0
    assert (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
    with new_broker(tmp_path) as broker:
        assert not (tmp_path / CLEAN_SHUTDOWN_FILE).exists()
        assert fetch(broker) == sent_1
        for value in sent_2:
            assert produce(broker, value) is Errors.NONE
        assert fetch(broker) == sent_1 + sent_2


def test_consecutive_shutdown(tmp_path: Path) -> None:
    broker = new_broker(tmp_path)
    broker.startup()
    with stopped_at(broker, "_stop_parts") as stop:
        first = Background(broker.shutdown)
        stop.wait()
        second = Background(broker.shutdown)
        waiter = Background(lambda: broker.await_shutdown(20_000))
        assert not broker.await_shutdown(1)
        assert not second.is_done() and not waiter.is_done(), "it is still at it"
        stop.go()
        first.result()
        second.result()
        assert waiter.result()
    broker.shutdown()
    assert broker.await_shutdown()
