# Licensed under the Apache License, Version 2.0; see LICENSE.
"""How a thread is told to end, and what becomes of one that fails."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.exit import Exit
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.util.shutdownable_thread import ShutdownableThread


class Work(ShutdownableThread):
    def __init__(self, do_work: Callable[[], None]) -> None:
        super().__init__("shutdownable-thread-test")
        self._work = do_work

    def do_work(self) -> None:
        self._work()


@pytest.fixture(autouse=True)
def exit_procedure() -> Iterator[None]:
    yield
    Exit.reset_exit_procedure()


def test_shutdown_when_called_after_thread_start() -> None:
    statuses: list[int] = []
    exited = CountDownLatch(1)

    def exit_procedure(status_code: int, message: str | None) -> None:
        statuses.append(status_code)
        exited.count_down()

    Exit.set_exit_procedure(exit_procedure)
    latch = CountDownLatch(1)

    def do_work() -> None:
        latch.count_down()
        raise FatalExitError()

    thread = Work(do_work)
    thread.start()
    assert latch.await_timeout(10_000)
    thread.shutdown()
    assert exited.await_timeout(10_000)
    assert statuses == [1]
    thread.join()


def test_is_thread_started() -> None:
    latch = CountDownLatch(1)
    thread = Work(latch.count_down)
    assert not thread.is_started()
    thread.start()
    assert latch.await_timeout(10_000)
    assert thread.is_started()
    thread.shutdown()
    thread.join()


def test_an_exception_ends_the_thread_and_is_remembered() -> None:
    def do_work() -> None:
        raise OSError("broken")

    thread = Work(do_work)
    thread.start()
    thread.join(120)
    assert thread.is_thread_failed()
    assert thread.is_shutdown_complete()
    assert not thread.is_shutdown_initiated()
    assert thread.initiate_shutdown()
    assert not thread.initiate_shutdown()
    thread.await_shutdown()
    assert not thread.is_thread_failed()


def test_pause_ends_at_shutdown() -> None:
    pausing = CountDownLatch(1)

    def do_work() -> None:
        pausing.count_down()
        thread.pause(1, TimeUnit.HOURS)

    thread = Work(do_work)
    thread.start()
    assert pausing.await_timeout(10_000)
    thread.shutdown()
    assert thread.is_shutdown_complete()
    thread.join()


def test_shutdown_must_be_initiated_before_it_is_awaited() -> None:
    thread = Work(lambda: None)
    with pytest.raises(IllegalStateException):
        thread.await_shutdown()
    thread.shutdown()


def test_the_log_begins_with_the_name() -> None:
    assert Work(lambda: None)._log_prefix == "[shutdownable-thread-test]: "


@pytest.mark.parametrize("is_interruptible", [True, False])
def test_a_shutdown_interrupts_the_wait_of_an_interruptible_thread(is_interruptible: bool) -> None:
    begun, go_on = CountDownLatch(1), CountDownLatch(1)

    class Waiting(ShutdownableThread):
        def do_work(self) -> None:
            begun.count_down()
            go_on.await_()

    thread = Waiting("of-the-test", is_interruptible)
    thread.start()
    assert begun.await_timeout(30_000)
    thread.initiate_shutdown()
    if not is_interruptible:
        thread.join(0.05)
        assert thread.is_alive()
        go_on.count_down()
    thread.join(30)
    assert not thread.is_alive() and not thread.is_thread_failed()
