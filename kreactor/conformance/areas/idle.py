# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: the target closes an idle connection, and keeps a used one.

DescribeConfigs returns the target's connections.max.idle.ms. The cases do not wait for the default of ten
minutes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from kreactor.conformance.areas.sasl import before_sasl
from kreactor.conformance.cases import Case, Level, Trial, expect, good, is_response_to
from kreactor.conformance.connection import Connection, Ending, NotTestable, authenticate
from kreactor.conformance.settings import broker_config

_SETTING = "connections.max.idle.ms"
_LONGEST_MS = 10_000


def _idle_s(trial: Trial) -> float:
    """Return the seconds after which the target closes an idle connection. Raises NotTestable."""
    with trial.connect() as connection:
        idle_ms = int(broker_config(trial, connection, _SETTING).value)
    if not 0 < idle_ms <= _LONGEST_MS:
        raise NotTestable(f"{_SETTING} of the target is {idle_ms}; set it to at most {_LONGEST_MS}")
    return idle_ms / 1000


def _closed(trial: Trial, sent: bytes) -> None:
    """An idle connection is closed, but not before its time."""
    idle_s = _idle_s(trial)
    with trial.connect() as connection:
        started = time.monotonic()
        connection.send(sent)
        if sent and is_response_to(connection.receive(), 7):
            started = time.monotonic()
        # The target checks for idle connections after its reads, so a close may be one interval late.
        expect(Ending.FIN, connection.receive(2 * idle_s + trial.target.timeout_s))
        after_s = time.monotonic() - started
        expect("closed when its time is over", "closed when its time is over" if after_s > 0.9 * idle_s
               else f"closed after {after_s:.1f} of {idle_s:.1f} s")
        trial.check_time(connection, "closed", 2 * idle_s)


def _used(trial: Trial) -> None:
    """A connection with a request before its time is kept."""
    idle_s = _idle_s(trial)
    if trial.target.sasl is not None:
        with before_sasl(trial) as connection:
            lifetime_ms = authenticate(connection, trial.target.sasl, 1)
        if 0 < lifetime_ms < 3000 * idle_s:
            raise NotTestable(f"a session lasts {lifetime_ms} ms only")
    with trial.connect() as connection:
        for _ in range(6):
            _answered(connection)
            trial.pause(idle_s / 3)
        _answered(connection)


def _answered(connection: Connection) -> None:
    connection.send(good(7))
    expect("an answer", "an answer" if is_response_to(connection.receive(), 7) else "none")


def cases() -> Iterator[Case]:
    yield Case("idle.silent", "A connection that never sends a byte is closed after connections.max.idle.ms.",
               Level.SHOULD, "Selector.IdleExpiryManager", lambda trial: _closed(trial, b""))
    yield Case("idle.after-a-request", "A connection that sends no more after its answer is closed after "
               "connections.max.idle.ms.", Level.SHOULD, "Selector.IdleExpiryManager",
               lambda trial: _closed(trial, good(7)))
    yield Case("idle.half-a-request", "A connection that sends half of a request and no more is closed after "
               "connections.max.idle.ms.", Level.SHOULD, "Selector.IdleExpiryManager",
               lambda trial: _closed(trial, good(7)[:9]))
    yield Case("idle.used", "A connection that is used more often is kept.", Level.SHOULD,
               "Selector.IdleExpiryManager", _used)
