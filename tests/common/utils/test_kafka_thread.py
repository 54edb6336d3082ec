# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import logging
import threading

import pytest

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.kafka_thread import KafkaThread


def finish(thread: threading.Thread) -> None:
    thread.start()
    thread.join(120)
    assert not thread.is_alive()


def test_it_runs_under_its_name() -> None:
    names: list[str] = []
    finish(KafkaThread.non_daemon("network-1", lambda: names.append(threading.current_thread().name)))
    assert names == ["network-1"]


def test_daemon_or_not() -> None:
    assert KafkaThread.daemon_thread("d", lambda: None).daemon is True
    assert KafkaThread.non_daemon("n", lambda: None).daemon is False
    assert KafkaThread("x", None, True).daemon is True


def fail() -> None:
    raise ValueError("unexpected")


def fail_for_good() -> None:
    raise FatalExitError(3)


def leave() -> None:
    raise SystemExit(0)


@pytest.mark.parametrize(("runnable", "text"), [
    (fail, "ValueError: unexpected"), (fail_for_good, "FatalExitError"), (leave, "SystemExit: 0")])
def test_what_it_dies_of_is_logged(caplog: pytest.LogCaptureFixture, runnable: object, text: str) -> None:
    assert callable(runnable)
    finish(KafkaThread.daemon_thread("network-2", runnable))
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.ERROR,
                                                     "Uncaught exception in thread 'network-2':")
    assert text in caplog.text


def test_a_subclass_that_overrides_run_is_watched_too(caplog: pytest.LogCaptureFixture) -> None:
    class Worker(KafkaThread):
        def run(self) -> None:
            fail()

    finish(Worker("worker", None, False))
    assert caplog.messages == ["Uncaught exception in thread 'worker':"]
    assert caplog.records[0].name == f"{__name__}.{Worker.__qualname__}"
