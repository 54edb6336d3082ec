# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: the end of a connection by half-close, FIN and reset, and its effect on other connections."""

from __future__ import annotations

from collections.abc import Iterator

from kreactor.conformance.areas.framing import int32
from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Case,
    Level,
    Script,
    Trial,
    answered,
    good,
    good_ones,
)

_RECEIVE = "NetworkReceive#readFrom"
_AFTER = "Selector#pollSelectionKeys: the end is read behind the last request"


def _neighbour(trial: Trial) -> None:
    """A connection that is reset in the middle of a request does not affect another connection."""
    with trial.connect() as neighbour:
        bad = trial.connect()
        bad.send(good(1)[:9])
        bad.reset()
        Script((good(2),), good_ones(2), (answered(2), OPEN)).check(trial, neighbour)


def _unread(trial: Trial) -> None:
    """A client that sends requests, never reads and resets does not affect another client."""
    with trial.connect() as neighbour:
        bad = trial.connect()
        bad.send(b"".join(map(good, range(100))))
        bad.reset()
        Script((good(2),), good_ones(2), (answered(2), OPEN)).check(trial, neighbour)


def cases() -> Iterator[Case]:
    three = good(1) + good(2) + good(3)
    asked = good_ones(1, 2, 3)
    answers = tuple(map(answered, (1, 2, 3)))
    for name, data, outcome, sentence, decided_by in (
            ("at-once", b"", (), "A half-close before any byte is answered by a close.", _RECEIVE),
            ("in-size", b"\0\0", (), "A half-close within a size is answered by a close.", _RECEIVE),
            ("after-size", good(1)[:4], (), "A half-close behind a size is answered by a close.", _RECEIVE),
            ("in-request", good(1)[:-2], (), "A half-close within a request is answered by a close.",
             _RECEIVE),
            ("after-one", good(1), answers[:1],
             "A request before a half-close is answered, then the connection is closed.", _AFTER),
            ("after-three", three, answers,
             "Three requests before a half-close are answered, then the connection is closed.", _AFTER),
            ("in-fourth", three + good(4)[:9], answers,
             "Three requests before a half-close within the fourth are answered.", _AFTER),
            ("after-bad-size", int32(-1), (), "A negative size and a half-close end in a close.", _RECEIVE),
            ("after-one-and-bad-size", good(1) + int32(-1), answers[:1],
             "A request before a negative size and a half-close is answered.", _RECEIVE)):
        yield Case(f"endings.half-close.{name}", sentence, Level.SHOULD, decided_by,
                   Script((data,) if data else (), asked, (*outcome, CLOSED), half_close=True))
    yield Case("endings.neighbour.reset", "A reset within a request does not affect another connection.",
               Level.MUST, "Selector#poll", _neighbour)
    yield Case("endings.neighbour.unread",
               "A client that reads nothing and resets does not affect another one.", Level.MUST,
               "Selector#poll", _unread)
    yield Case("endings.fin.unread-bytes",
               "A connection is closed by a FIN, not a reset, though bytes of the client are unread.",
               Level.SHOULD, "PlaintextTransportLayer#close",
               Script((int32(-1) + b"x" * 5000,), {}, (CLOSED,)))
