# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The cases of ``kreactor.conformance`` on a broker of this process, which is looked into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case, Offer, Trial
from kreactor.conformance.connection import Connection, Ending, Target, Transcript
from kreactor.conformance.runner import ask_offer
from kreactor.conformance.schemas import apis
from tests.core.server.bench import Bench
from tests.core.server.brokers import HOST

# An expected event comes within this on a busy machine; nothing waits for it to pass.
_TIMEOUT_S = 120.0
# ``settle`` returns when the broker has handled what was sent, so that nothing more has to be waited for.
_PATIENCE_S = 0.01
_numbers = count()
# Kafka does not advertise them unless a reporter of its metrics takes those of clients.
OF_CLIENTS_METRICS = ("GetTelemetrySubscriptions", "PushTelemetry")


@contextmanager
def judging(bench: Bench, offer: Offer) -> Iterator[Judge]:
    """Give a trial whose connections stay open until the end of the context."""
    judge = Judge(bench, offer)
    try:
        yield judge
    finally:
        judge.leave()


def offer_of(bench: Bench) -> Offer:
    """Return the versions that the broker advertises, and those of clients' metrics, which it serves, too."""
    advertised = ask_offer(_target(bench))
    metrics = {apis()[name].key: apis()[name].versions for name in OF_CLIENTS_METRICS}
    return Offer({**metrics, **advertised.versions}, advertised.in_version_0)


def _target(bench: Bench) -> Target:
    return Target(HOST, bench.broker.bound_port("PLAINTEXT"), _TIMEOUT_S, _PATIENCE_S)


def cases_of(*starts: str) -> list[Case]:
    """Return the cases whose ids are one of ``starts``, or begin with one and a dot."""
    return [case for case in all_cases() if case.id.startswith(tuple(f"{start}." for start in starts))
            or case.id in starts]


class _Kept(Connection):
    """A connection that its case does not close."""

    def close(self) -> None:
        """Leave the connection open: ``Judge.leave`` closes it."""


class Judge(Trial):
    """A trial of one case. Its connections stay until ``leave``, unless the case resets one."""

    def __init__(self, bench: Bench, offer: Offer) -> None:
        super().__init__(_target(bench), offer, f"judge-{next(_numbers)}-", settle=bench.settle)
        self._made: list[_Kept] = []

    def connect(self, *, plain: bool = False) -> Connection:
        self.transcripts.append(Transcript())
        self._made.append(_Kept(self.target, self.transcripts[-1], plain=plain))
        return self._made[-1]

    def open_connections(self) -> int:
        """Return how many connections neither the broker nor the case has ended."""
        return sum(connection.socket.fileno() >= 0 and connection.transcript.ending is Ending.NOTHING
                   for connection in self._made)

    def leave(self) -> None:
        for connection in self._made:
            connection.socket.close()
        self._made.clear()
