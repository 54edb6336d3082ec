# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The rounds of a network thread, for which a change of the faults waits."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from kreactor.testing.instrumented_server import InstrumentedProcessor


@pytest.mark.parametrize("rounds_of_waits", [(1, 1), (0, 0, 1, 0, 1), (2,)])
def test_a_round_that_began_before_is_not_enough(rounds_of_waits: tuple[int, ...]) -> None:
    left = list(rounds_of_waits)

    class Condition(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            processor._rounds += left.pop(0)
            return True

    processor = SimpleNamespace(
        _rounds=7, _rounds_condition=Condition(), wakeup=Mock(), thread=Mock(),
        _server=SimpleNamespace(gate=SimpleNamespace(is_shut=lambda: False)))
    InstrumentedProcessor.await_round(processor)  # type: ignore[arg-type]
    assert processor._rounds == 9
    assert processor.wakeup.call_count == len(rounds_of_waits)


@pytest.mark.parametrize("is_alive, is_shut", [(False, False), (True, True)])
def test_a_thread_that_runs_no_rounds_is_not_waited_for(is_alive: bool, is_shut: bool) -> None:
    condition = Mock(spec=threading.Condition, __enter__=Mock(), __exit__=Mock(return_value=None))
    processor = SimpleNamespace(
        _rounds=7, _rounds_condition=condition, wakeup=Mock(),
        thread=Mock(is_alive=lambda: is_alive),
        _server=SimpleNamespace(gate=SimpleNamespace(is_shut=lambda: is_shut)))
    InstrumentedProcessor.await_round(processor)  # type: ignore[arg-type]
    condition.wait.assert_not_called()
