# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs that end before their last case: which verdicts they have."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from kreactor.conformance.cases import Case, Level, Offer, Stopped, Trial
from kreactor.conformance.connection import Target
from kreactor.conformance.runner import Runner, Verdict
from tests.conformance.servers import answer_api_versions, read_request, serving
from tests.stepping import PATIENCE_S, Background, stopped_at

OFFER = Offer({})


def case(name: str, run: Callable[[Trial], None] = lambda trial: None) -> Case:
    return Case(f"area.{name}", "A sentence.", Level.MUST, "Kafka", run)


@contextmanager
def target() -> Iterator[Target]:
    """Serve a target that answers ApiVersions."""
    def speak(connection: socket.socket) -> None:
        while (request := read_request(connection)) is not None:
            answer_api_versions(connection, request[1], request[2])

    with serving(speak) as address:
        host, _, port = address.partition(":")
        yield Target(host, int(port))


def ids(verdicts: list[Verdict]) -> list[str]:
    return [verdict.case.id for verdict in verdicts]


def test_a_verdict_that_is_found_while_the_run_stops_is_not_counted() -> None:
    """After ``stop`` returns the verdicts stay as they are."""
    seen: list[Verdict] = []
    with target() as address:
        runner = Runner(address, OFFER, 1, seen.append)
        with stopped_at(runner, "_judged", after=True, when=lambda each: each.id == "area.b") as found:
            running = Background(lambda: runner.run([case("a"), case("b"), case("c")]))
            found.wait()
            runner.stop()
            at_stop = ids(runner.verdicts())
            found.go()
            assert ids(running.result()) == at_stop == ["area.a"]
    assert ids(seen) == ["area.a"]


def test_an_area_is_reported_with_the_verdicts_of_the_run_after_an_exception() -> None:
    """The run is stopped before the report, so that a case that runs meanwhile adds no verdict."""
    reported = threading.Event()
    running = threading.Event()
    stopped: list[bool] = []
    areas: list[list[str]] = []
    trials: list[Trial] = []

    def slow(trial: Trial) -> None:
        trials.append(trial)
        running.set()
        assert reported.wait(PATIENCE_S)

    def broken(trial: Trial) -> None:
        assert running.wait(PATIENCE_S)
        raise ZeroDivisionError

    def area_seen(area: str, count: int, verdicts: list[Verdict], took_s: float) -> None:
        stopped.append(trials[0].stopped.is_set())
        areas.append(ids(verdicts))
        reported.set()

    with target() as address:
        runner = Runner(address, OFFER, 2, area_seen=area_seen)
        with pytest.raises(ZeroDivisionError):
            runner.run([case("a"), case("broken", broken), case("slow", slow)])
    assert stopped == [True]
    assert areas == [["area.a"]]
    assert ids(runner.verdicts()) == ["area.a"]


def test_a_case_that_connects_after_the_stop_ends_at_once() -> None:
    """``stop`` ends the connections that it sees; a later one is refused to the case."""
    connects = threading.Event()
    ended: list[type[BaseException]] = []

    def late(trial: Trial) -> None:
        connects.set()
        assert trial.stopped.wait(PATIENCE_S)
        try:
            trial.connect().close()
        except Stopped:
            ended.append(Stopped)
            raise

    with target() as address:
        runner = Runner(address, OFFER)
        running = Background(lambda: runner.run([case("late", late)]))
        assert connects.wait(PATIENCE_S)
        runner.stop()
        assert running.result() == []
    assert ended == [Stopped]


def test_a_stopped_run_cleans_up() -> None:
    """The stop ends neither a clean-up that has begun nor one that begins later."""
    cleans = threading.Event()
    answers: list[bytes | object] = []

    def clean_up(trial: Trial) -> None:
        with trial.connect() as connection:
            cleans.set()
            assert trial.stopped.wait(PATIENCE_S)
            connection.send(b"\0\0\0\x0a\0\x12\0\0\0\0\0\x07\xff\xff")
            answers.append(connection.receive())

    def changing(trial: Trial) -> None:
        trial.clean_up(lambda: clean_up(trial))
        trial.clean_up(lambda: clean_up(trial))
        assert not trial.faults

    with target() as address:
        runner = Runner(address, OFFER)
        running = Background(lambda: runner.run([case("changing", changing)]))
        assert cleans.wait(PATIENCE_S)
        runner.stop()
        assert running.result() == []
    assert [isinstance(answer, bytes) and answer[:4] for answer in answers] == [b"\0\0\0\x07"] * 2
