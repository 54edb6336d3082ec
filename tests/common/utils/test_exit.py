# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from kreactor.common.utils.exit import Exit
from kreactor.jdk.exceptions import IllegalStateException


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    exit_procedure, halt_procedure = Exit._exit_procedure, Exit._halt_procedure
    yield
    Exit.set_exit_procedure(exit_procedure)
    Exit.set_halt_procedure(halt_procedure)
    Exit.reset_shutdown_hook_adder()


def test_should_halt_immediately() -> None:
    seen: list[object] = []
    Exit.set_halt_procedure(lambda status_code, message: seen.extend((status_code, message)))
    Exit.halt(0)
    Exit.halt(0, "message")
    assert seen == [0, None, 0, "message"]
    Exit.reset_halt_procedure()
    with pytest.raises(IllegalStateException, match="^Halt called after resetting procedures"):
        Exit.halt(1)


def test_should_exit_immediately() -> None:
    seen: list[object] = []
    Exit.set_exit_procedure(lambda status_code, message: seen.extend((status_code, message)))
    Exit.exit(0)
    Exit.exit(0, "message")
    assert seen == [0, None, 0, "message"]
    Exit.reset_exit_procedure()
    with pytest.raises(IllegalStateException, match="^Exit called after resetting procedures"):
        Exit.exit(1)


def test_should_add_shutdown_hook_immediately() -> None:
    seen: list[object] = []
    Exit.set_shutdown_hook_adder(lambda name, runnable: seen.extend((name, runnable)))

    def runnable() -> None:
        pass

    Exit.add_shutdown_hook("name", runnable)
    assert seen == ["name", runnable]


def run(code: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", "from kreactor.common.utils.exit import Exit\n" + code],
                          capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


HOOKS = """
def fail(): raise ValueError("bad hook")
Exit.add_shutdown_hook("first", lambda: print("first"))
Exit.add_shutdown_hook("failing", fail)
Exit.add_shutdown_hook(None, lambda: print("last"))
print("before")
"""


def test_exit_runs_the_hooks_in_turn() -> None:
    assert run(HOOKS + "Exit.exit(3)\nprint('after')") == (3, "before\nfirst\nlast\n")


def test_hooks_run_when_the_interpreter_ends_of_itself() -> None:
    assert run(HOOKS) == (0, "before\nfirst\nlast\n")


@pytest.mark.parametrize("raised", ["SystemExit(9)", "KeyboardInterrupt()"])
def test_a_hook_that_ends_its_thread_keeps_no_other_from_running(raised: str) -> None:
    hooks = f"""
def leave(): raise {raised}
Exit.add_shutdown_hook("leaving", leave)
""" + HOOKS
    assert run(hooks + "Exit.exit(3)") == (3, "before\nfirst\nlast\n")
    assert run(hooks) == (0, "before\nfirst\nlast\n")


def test_halt_runs_no_hooks() -> None:
    assert run(HOOKS + "import sys; sys.stdout.flush()\nExit.halt(4)\nprint('after')") == (4, "before\n")


def test_exit_from_a_thread_does_not_wait_for_the_others() -> None:
    assert run(HOOKS + """
import threading
threading.Thread(target=Exit.exit, args=(5,)).start()
threading.Event().wait()
""") == (5, "before\nfirst\nlast\n")


def test_a_hook_may_end_the_process_itself() -> None:
    assert run(HOOKS + "Exit.add_shutdown_hook('end', lambda: Exit.exit(6))\nExit.exit(7)")[0] == 6
