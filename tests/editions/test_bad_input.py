# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Hostile input to every edition: a table of what 3.8.0 survives and an older edition does not.

The cases are those of the conformance suite, and three more below. Each edition lives on after each of them
and serves others. When it stops, it leaves no thread, no descriptor and no count: ``serving`` looks.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import replace
from typing import NamedTuple

import pytest

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case, Difference, Script, Trial, good
from kreactor.conformance.connection import Target
from kreactor.conformance.runner import ask_offer
from tests.core.server.wire import Wire
from tests.editions.editions import LOCAL, OLDER, processor_of, serving
from tests.stepping import stopped_at, wait_until

AREAS = ("framing", "protocols", "headers", "endings", "slow")
CASES = [case for case in all_cases() if case.area in AREAS and case.default]


class Other(NamedTuple):
    """The outcome in an older edition, in the words of the suite."""

    outcome: str
    # The broker keeps the connection when its client has left, with its descriptor, until the broker ends.
    is_kept: bool = False


# A request without room for its key aborts the round of the processor (KAFKA-5607), and is never answered.
ABORTED = dict.fromkeys(("framing.size.zero", "framing.size.1-bytes", "headers.cut.0", "headers.cut.1"),
                        Other("silent"))
# A read finds requests and the end of the stream, or bytes that are no size. The requests are lost.
LOST = dict.fromkeys((f"endings.half-close.after-{name}" for name in ("one", "one-and-bad-size")),
                     Other("closed"))
DIFFERENT: dict[str, dict[str, Other]] = {
    # KAFKA-3703: the channel is closed with its stage.
    "0.10.1": {**ABORTED, **LOST, "endings.half-close.after-three": Other("closed")},
    # The requests are handled, and their answers dropped. A connection with a rest of its stage is muted for
    # ever (KAFKA-5595).
    "0.10.2": {**ABORTED, **LOST, "endings.half-close.after-three": Other("silent", is_kept=True)},
    # The first answer cannot be sent, which ends the connection and drops the rest of its stage.
    "1.0": {**LOST, "endings.half-close.after-three": Other("closed")},
    "2.2": {**LOST, "endings.half-close.after-three": Other("closed")},
}
# Kept if the reset comes while requests are staged, not if it overtakes them (KAFKA-6529).
MAYBE_KEPT = {"0.10.2": {"endings.neighbour.unread"}}


def hold(trial: Trial, case: Case, other: Other | None) -> str | None:
    """Run a case; return its outcome if it is not that of 3.8.0. ``other`` only keeps waits short."""
    try:
        if not isinstance(case.run, Script):
            case.run(trial)
            return None
        with trial.connect() as connection:
            if case.run.half_close:
                # The bytes and the end of the stream come in one segment, so that one read finds both.
                connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            if other is None or not other.outcome.endswith("silent"):
                case.run.check(trial, connection)
                return None
            replace(case.run, outcome=(other.outcome,), rest=b"").check(trial, connection)
            return other.outcome
    except Difference as e:
        return e.actual


@pytest.mark.parametrize("edition", OLDER)
def test_the_cases_of_the_conformance_suite(edition, tmp_path):
    different, found, kept = DIFFERENT[edition], {}, 0
    with serving(edition, tmp_path) as broker:
        target = Target("127.0.0.1", broker.bound_port("PLAINTEXT"), 30.0)
        offer = ask_offer(target)

        def count() -> int:
            return broker.socket_server().connection_count(LOCAL)

        for number, case in enumerate(CASES):
            # A round that is aborted forgets the connections that it has closed.
            wait_until(lambda: count() == kept)
            outcome = hold(Trial(target, offer, f"{number}-"), case, different.get(case.id))
            # There is one network thread: it has seen the client leave before this is answered.
            ask_offer(target)
            ask_offer(target)
            is_kept = case.id in different and different[case.id].is_kept
            if case.id in MAYBE_KEPT.get(edition, ()):
                wait_until(lambda: count() <= kept + 1)
                kept = count()
            else:
                wait_until(lambda: count() == kept + is_kept)
                kept += is_kept
            if outcome is not None:
                found[case.id] = Other(outcome, is_kept)
    assert found == different


def test_the_table_names_cases():
    names = {case.id for case in CASES}
    assert all(set(different) <= names for different in DIFFERENT.values())
    assert set(DIFFERENT) == set(OLDER)


# Whether a request of one byte takes those of others with it, which the same poll has read (KAFKA-5607).
ABORTS_THE_ROUND = {"0.10.1", "0.10.2"}
# Whether a connection from a port that was used before can have the id of the one before (KAFKA-5595).
IDS_COLLIDE = {"0.10.1", "0.10.2"}
# Whether a connection that has never sent anything is kept for ever (KAFKA-7453).
KEEPS_SILENT = {"0.10.1", "0.10.2", "1.0"}


@pytest.mark.parametrize("edition", OLDER)
def test_a_request_of_one_byte_and_its_neighbour(edition, tmp_path):
    with serving(edition, tmp_path) as broker:
        port = broker.bound_port("PLAINTEXT")
        with Wire("127.0.0.1", port) as bad, Wire("127.0.0.1", port) as neighbour:
            for wire in (bad, neighbour):
                wire.socket.sendall(good(1))
                wire.receive_bytes()
            selector = processor_of(broker).selector
            poll = selector.poll

            def poll_shortest_first(timeout):
                # The origin's order is that of a hash map.
                poll(timeout)
                selector.completed_receives().sort(key=lambda receive: receive.payload().limit())

            selector.poll = poll_shortest_first
            with stopped_at(processor_of(broker), "_poll") as stop:
                stop.wait()
                bad.socket.sendall(struct.pack(">ib", 1, 0))
                neighbour.socket.sendall(good(2))
                stop.go()
            neighbour.socket.sendall(good(3))
            assert answered(neighbour) == (3 if edition in ABORTS_THE_ROUND else 2)


def answered(wire: Wire) -> int:
    """Return the correlation id of the next response."""
    return int.from_bytes(wire.receive_bytes()[:4], "big")


def connect_from(port: int, broker_port: int) -> socket.socket:
    client = socket.socket()
    client.settimeout(60)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # A close is a reset, which leaves the port free.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.bind(("127.0.0.1", port))
    client.connect(("127.0.0.1", broker_port))
    return client


@pytest.mark.parametrize("edition", OLDER)
def test_a_port_that_is_used_again(edition, tmp_path):
    with serving(edition, tmp_path) as broker:
        broker_port = broker.bound_port("PLAINTEXT")
        before = connect_from(0, broker_port)
        local_port = before.getsockname()[1]
        with stopped_at(broker.data_plane_request_processor(), "handle") as handled:
            before.sendall(good(1))
            handled.wait()
            before.close()
            with Wire.over(connect_from(local_port, broker_port)) as again:
                again.socket.sendall(good(2))
                # Another handler answers.
                assert answered(again) == 2
                handled.go()
                if edition in IDS_COLLIDE:
                    # The response to the connection before.
                    assert answered(again) == 1
                again.socket.sendall(good(3))
                assert answered(again) == 3


@pytest.mark.parametrize("edition", OLDER)
def test_a_connection_that_never_speaks(edition, tmp_path):
    with serving(edition, tmp_path, {"connections.max.idle.ms": "200"}) as broker:
        port = broker.bound_port("PLAINTEXT")
        with Wire("127.0.0.1", port) as silent:
            with Wire("127.0.0.1", port) as idle:
                idle.socket.sendall(good(1))
                idle.receive_bytes()
                # The selector closes its oldest connection first, one a poll.
                assert idle.socket.recv(1) == b""
            if edition in KEEPS_SILENT:
                silent.socket.sendall(good(2))
                assert answered(silent) == 2
            else:
                assert silent.socket.recv(1) == b""
