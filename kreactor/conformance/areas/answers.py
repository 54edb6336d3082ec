# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: a complete response of every API in every version that the target advertises."""

from __future__ import annotations

from collections.abc import Iterator

from kreactor.conformance.areas.bodies import ADVERTISED_AND_REFUSED
from kreactor.conformance.cases import Case, Difference, Level, Trial, answered, expect, response_text
from kreactor.conformance.codec import encode, request
from kreactor.conformance.connection import Connection, Ending, Unreachable
from kreactor.conformance.samples import has_sample, sample
from kreactor.conformance.schemas import Api, apis

_GUIDE = "protocol guide: the messages and their versions"
_ASKED = 5
# The longest time in seconds that a sample lets its broker take: for timeouts in its fields.
_TAKES_S = 1.0
_DEPARTS = "Kafka 4 advertises it for librdkafka, and closes the connection (KAFKA-18659)"


class _Answer:
    """A sample request of one version. Its response must match that version's schema to the last byte."""

    def __init__(self, api: Api, version: int) -> None:
        self._api = api
        self._version = version

    def __call__(self, trial: Trial) -> None:
        body = encode(self._api.request, self._version, sample(self._api, self._version))
        with trial.connect() as connection:
            connection.send(request(self._api, self._version, _ASKED, body))
            response = connection.receive()
            if isinstance(response, Ending):
                raise Difference(answered(_ASKED), response.value)
            came = response_text(response, {_ASKED: (self._api, self._version)})
            if not came.startswith(answered(_ASKED)) or "," in came:
                raise Difference(f"{self._api} version {self._version}", came)
            trial.check_time(connection, answered(_ASKED), _TAKES_S)
            self._check_nothing_follows(trial, connection)

    def _check_nothing_follows(self, trial: Trial, connection: Connection) -> None:
        try:
            connection.nothing_follows()
        except Unreachable:
            # A handshake of SASL may begin a re-authentication, which fails by the sample.
            if trial.target.sasl is None or not self._api.name.startswith("Sasl"):
                raise


def _well_formed(trial: Trial) -> None:
    """The answers from which the suite has the target's offer are like any others."""
    expect("well-formed answers", "; ".join(trial.offer.faults) or "well-formed answers")


def _ranges(trial: Trial) -> None:
    expect([], sorted(key for key, versions in trial.offer.versions.items()
                      if versions.highest < versions.lowest or versions.lowest < 0))


WELL_FORMED = Case("answers.offer.well-formed", "The answers to the suite's own questions for the offer are "
                   "well-formed, and name each API once.", Level.MUST, _GUIDE, _well_formed)


def cases() -> Iterator[Case]:
    yield Case("answers.offer.ranges", "Every advertised range of versions has a lowest and a highest one.",
               Level.MUST, "KIP-35", _ranges)
    yield WELL_FORMED
    for api in apis().values():
        if "broker" not in api.listeners or not has_sample(api):
            continue
        for version in api.versions:
            name, refused = ADVERTISED_AND_REFUSED
            departs = api.name == name and version in refused
            yield Case(f"answers.{api}.v{version}",
                       f"{api} version {version}, if advertised, is answered by a response of that version.",
                       Level.MAY if departs else Level.MUST, _GUIDE, _Answer(api, version),
                       (api.name, version), departs=_DEPARTS if departs else None)
