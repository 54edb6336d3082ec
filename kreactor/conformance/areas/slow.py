# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: peers that send slowly or do not read, and their effect on other connections."""

from __future__ import annotations

from collections.abc import Iterator

from kreactor.conformance.cases import OPEN, Case, Level, Script, Trial, answered, good, good_ones

_PAUSE_S = 0.02
_UNREAD = 2000


def _slowly(trial: Trial) -> None:
    """A request whose bytes arrive with pauses gets a response."""
    with trial.connect() as connection:
        for byte in good(1):
            connection.send(bytes((byte,)))
            trial.pause(_PAUSE_S)
        Script((), good_ones(1), (answered(1), OPEN)).check(trial, connection)


def _beside_half_requests(trial: Trial) -> None:
    """Thirty clients in the middle of a request do not delay another client."""
    waiting = []
    try:
        for _ in range(30):
            waiting.append(trial.connect())
            waiting[-1].send(good(1)[:9])
        Script((good(2),), good_ones(2), (answered(2), OPEN))(trial)
        for connection in waiting:
            Script((good(1)[9:],), good_ones(1), (answered(1), OPEN)).check(trial, connection)
    finally:
        for connection in waiting:
            connection.close()


def _beside_unread_answers(trial: Trial) -> None:
    """A client that sends many requests and reads nothing does not delay another client, and gets all its
    responses."""
    ids = range(1, _UNREAD + 1)
    with trial.connect() as unread:
        unread.send(b"".join(map(good, ids)))
        Script((good(2),), good_ones(2), (answered(2), OPEN))(trial)
        Script((), good_ones(*ids), (*map(answered, ids), OPEN)).check(trial, unread)


def cases() -> Iterator[Case]:
    yield Case("slow.sender", "A request whose bytes come with pauses is answered.", Level.MUST,
               "protocol guide: requests are delimited by their size", _slowly)
    yield Case("slow.neighbours.half-requests", "Clients within a request do not delay another client.",
               Level.MUST, "Selector#poll", _beside_half_requests)
    yield Case("slow.neighbours.unread-answers",
               f"A client with {_UNREAD} unread answers does not delay another client, and gets all of them.",
               Level.MUST, "SocketServer.Processor#run", _beside_unread_answers)
