# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: many requests on one connection, pipelined, in order, with invalid requests among them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from kreactor.conformance.areas.framing import int32
from kreactor.conformance.areas.records import fetch_body, with_topic
from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    SILENT,
    Case,
    Level,
    Script,
    Trial,
    answered,
    good,
    good_ones,
)
from kreactor.conformance.codec import request, sized
from kreactor.conformance.connection import Connection
from kreactor.conformance.schemas import apis
from kreactor.conformance.topics import Topic

_GUIDE = "protocol guide: requests of a connection are processed in order"
_RECEIVE = "NetworkReceive#readFrom"
_MANY = 500
_CONNECTIONS = 10
_WAIT_MS = 300


def _slow_then_fast(trial: Trial, connection: Connection, topic: Topic) -> None:
    """A fetch that waits for records gets its response before the faster request behind it."""
    fetch = apis()["Fetch"]
    version = trial.newest(fetch)
    slow = request(fetch, version, 1, fetch_body(topic, version, 0, maxWaitMs=_WAIT_MS))
    Script((slow + good(2),), {1: (fetch, version), **good_ones(2)}, (answered(1), answered(2), OPEN),
           takes_s=_WAIT_MS / 1000).check(trial, connection)


def _neighbours(trial: Trial) -> None:
    """Requests of several connections, sent in turn, are answered on their own connections."""
    with ExitStack() as opened:
        connections = [opened.enter_context(trial.connect()) for _ in range(_CONNECTIONS)]
        # No two requests have one correlation id.
        ids = [range(number, _CONNECTIONS * 3 + 1, _CONNECTIONS) for number in range(1, _CONNECTIONS + 1)]
        for number in range(3):
            for connection, own in zip(connections, ids):
                connection.send(good(own[number]))
        for connection, own in zip(connections, ids):
            Script((), good_ones(*own), (*map(answered, own), OPEN)).check(trial, connection)


def cases() -> Iterator[Case]:
    three = good(1) + good(2) + good(3)
    ids = (1, 2, 3)
    answers = tuple(map(answered, ids))
    asked = good_ones(1, 2, 3, 4)
    yield Case("ordering.pipelined.three", "Three requests in one segment are answered in order.", Level.MUST,
               _GUIDE, Script((three,), asked, (*answers, OPEN)))
    many = range(1, _MANY + 1)
    yield Case("ordering.pipelined.many", f"{_MANY} requests at once are answered in order.", Level.MUST,
               _GUIDE, Script((b"".join(map(good, many)),), good_ones(*many), (*map(answered, many), OPEN)))
    yield Case("ordering.pipelined.same-id", "Two requests with one correlation id get a response each.",
               Level.SHOULD, "RequestHeader#toResponseHeader",
               Script((good(1) + good(1),), asked, (answered(1), answered(1), OPEN)))
    cut = len(good(1)) + 2
    yield Case("ordering.pipelined.cut-in-size", "The size of a second request may come in two pieces.",
               Level.MUST, _GUIDE, Script((three[:cut], three[cut:]), asked, (*answers, OPEN)))
    yield Case("ordering.slow-first", "A request behind one that waits is answered after it.", Level.MUST,
               _GUIDE, with_topic(_slow_then_fast), ("Fetch", 4))
    yield Case("ordering.neighbours", f"{_CONNECTIONS} connections that ask in turn get the answers to their "
               "own requests, in order.", Level.MUST, _GUIDE, _neighbours)
    yield Case("ordering.bad.between",
               "A request that closes the connection leaves the answers before it, and none behind it.",
               Level.SHOULD, "SocketServer.Processor#processCompletedReceives",
               Script((good(1) + sized(b"\0") + good(3),), asked, (answers[0], CLOSED)))
    yield Case("ordering.bad.at-the-end", "Two requests before one that closes the connection are answered.",
               Level.SHOULD, "SocketServer.Processor#processCompletedReceives",
               Script((good(1) + good(2) + sized(b"\0"),), asked, (*answers[:2], CLOSED)))
    yield Case("ordering.bad.size-at-the-end", "Three requests before a negative size are answered.",
               Level.SHOULD, _RECEIVE, Script((three + int32(-1),), asked, (*answers, CLOSED)))
    fourth = good(4)
    yield Case("ordering.part-at-the-end",
               "Three requests are answered while the fourth is incomplete, and the fourth when it is whole.",
               Level.MUST, _GUIDE,
               Script((three + fourth[:9],), asked, (*answers, SILENT), rest=fourth[9:],
                      then=(answered(4), OPEN)))
