# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import socket
import sys
from dataclasses import replace

import pytest

from tests.tools.scripts import load
from tools.load import leaks_clients

soak = load("load/leaks")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures on Linux only")

OTHERS = ["MainThread", "data-plane-kafka-socket-acceptor-x"]
WORKERS = [f"{soak.NETWORK_THREAD}{number}" for number in range(4)] + [
    f"{soak.HANDLER}{number}" for number in range(3)]
NUMBERS = {soak.NETWORK_THREADS: 2, soak.IO_THREADS: 3}
STATE = soak.State(threads=OTHERS + WORKERS, counts={"broker": 0, "listener PLAINTEXT": 0}, pool_used=0,
                   refused=0, errors=0, texts=[], ports={"PLAINTEXT": 1, "OTHER": 2},
                   descriptors=["a.log", "socket"], rss_kib=1000, held_bytes=None)


def points(*changes):
    return [soak.Point(replace(STATE, **change), 1, 1, 1, 0.0) for change in ({}, *changes)]


def thread_problems(threads, exactly=True):
    return soak.thread_problems(replace(STATE, threads=threads), OTHERS, NUMBERS, exactly)


def test_nothing_is_wrong_if_all_is_as_it_was():
    assert not soak.verdict(points({"rss_kib": 2000}, {"rss_kib": 2020}))
    assert not thread_problems(STATE.threads)


def test_what_is_held_counts_where_it_is_known():
    def growth(rss_kib, held_kib):
        known = [soak.Point(replace(STATE, rss_kib=rss, held_bytes=held << 10), 1, 1, 1, 0.0)
                 for rss, held in ((1000, 900), (rss_kib, held_kib))]
        return soak.verdict(known)

    assert not growth(2000, 909)
    assert growth(1000, 918) == ["memory grew by 2.00%, from 900 to 918 KiB"]


@pytest.mark.parametrize(("change", "problem"), [
    ({"rss_kib": 1011}, "memory grew by 1.10%, from 1000 to 1011 KiB"),
    ({"descriptors": ["a.log", "socket", "socket"]}, "rest 1: socket is open, and was not after the warm-up"),
    ({"descriptors": ["socket"]}, "rest 1: a.log is not open, and was after the warm-up"),
    ({"counts": {"broker": 1, "listener OTHER": 0}},
     "rest 1: 1 connections are counted for broker, and nobody is connected"),
    ({"counts": {"address 127.0.0.1": -1}},
     "rest 1: -1 connections are counted for address 127.0.0.1, and nobody is connected"),
    ({"pool_used": 7}, "rest 1: 7 bytes of the memory pool are not given back"),
])
def test_what_is_wrong_at_rest(change, problem):
    assert soak.verdict(points(change)) == [problem]


def test_memory_is_compared_where_it_is_least():
    def growth(*rss_kib):
        return round(soak.growth(points(*({"rss_kib": kib} for kib in rss_kib))), 6)

    assert growth(1100) == 0.1
    assert growth(2000, 9000, 1500) == -0.25  # the first point is the warm-up's
    assert growth(2200, 2000, 9000, 9000, 9000, 9000, 3000, 4000) == 0.5


def test_errors_are_told():
    assert soak.verdict(points({"errors": 1, "texts": ["ERROR x"]})) == ["1 errors are logged", "ERROR x"]


def test_threads_that_are_not_there():
    assert thread_problems(OTHERS + WORKERS[:-1]) == [f"2 threads {soak.HANDLER}*, not 3"]
    assert thread_problems(OTHERS + WORKERS[1:]) == [f"3 threads {soak.NETWORK_THREAD}*, not 4"]
    assert thread_problems(OTHERS[:1] + WORKERS) == [f"no thread {OTHERS[1]}"]


def test_threads_that_are_too_many():
    assert thread_problems([*STATE.threads, "x"]) == ["a thread x"]
    assert not thread_problems([*STATE.threads, "x"], exactly=False)
    assert not thread_problems([*STATE.threads, "executor-Fetch"])
    assert thread_problems([*STATE.threads, WORKERS[0]], exactly=False)


def test_numbers_of_threads_change_as_far_as_they_may(monkeypatch):
    asked = []
    monkeypatch.setattr(
        leaks_clients, "alter", lambda _client, _broker, key, value: asked.append((key, value)))
    settings = soak.Settings(None, random.Random(1))
    for _ in range(200):
        settings.change()
    settings.reset()
    assert settings.numbers == soak.THREADS and settings.changes == len(asked)
    for key, number in soak.THREADS.items():
        for value in (int(value) for name, value in asked if name == key):
            assert max(number // 2, 1) <= value <= number * 2
            number = value


def test_a_soak():
    told = []
    outcome = soak.run_minutes(argparse.Namespace(minutes=0.03, seed=3), told.append)
    assert told == ["warm-up", "round 1 of 1"]
    # So soon memory has not found its size.
    assert [problem for problem in outcome.problems if not problem.startswith("memory grew")] == []
    assert len(outcome.points) == 2
    assert all(point.requests and point.rude and point.changes for point in outcome.points)


def test_a_broker_that_does_not_say_how_it_is(monkeypatch, capfd):
    with soak.soaked_broker(soak.PROPERTIES) as server:
        soak.first_state(server)
        monkeypatch.setattr(soak, "STATE_S", 0.1)
        server.process.send_signal(signal.SIGSTOP)
        with pytest.raises(soak.Failed, match="kreactor has not said within 0.1 s how it is: its main"):
            soak.ask_state(server)
        server.process.send_signal(signal.SIGCONT)
    assert "most recent call first" in capfd.readouterr().err


def test_records_that_are_lost_are_noted():
    with soak.soaked_broker(soak.PROPERTIES) as server:
        outcome = soak.Outcome()
        done = soak.Soak(server, 1, outcome)
        done.round(0.5)
        assert not outcome.problems
        producer = done._producers[0]
        producer.acked += 10_000
        written = producer.acked
        done.read_back()
        assert len(outcome.problems) == 1
        assert outcome.problems[0].endswith(f"records, and {written} were acknowledged")


def test_an_answer_that_does_not_come_is_a_problem(monkeypatch):
    monkeypatch.setattr(leaks_clients, "ANSWER_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        clients = leaks_clients.Load([silent.getsockname()[1]], 1)
        client = leaks_clients.Client(clients, "somebody", "127.2.0.1", clients.ports[0])
        leaks_clients.behave(client, lambda client, _: client.call(leaks_clients.fetch_request(0, 0, 1)))
    assert len(clients.problems) == 1 and clients.problems[0].startswith("somebody: Fetch is not answered")


@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="no C compiler")
def test_connections():
    told = []
    outcome = soak.run_connections(argparse.Namespace(connections=300), told.append)
    assert told == ["30 connections", "300 connections"]
    assert [problem for problem in outcome.problems if not problem.startswith("memory grew")] == []
    assert [point.requests >= wanted for point, wanted in zip(outcome.points, (30, 300))] == [True, True]
