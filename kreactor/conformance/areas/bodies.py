# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: malformed bodies of every API in every version: cut at every byte, with each length wrong, or
garbage.

A body that the schema can read gets a response, with any error. Any other body closes the connection. The
default selection has the newest version of each API, with a few cuts and a few wrong lengths.
"""

from __future__ import annotations

from collections.abc import Iterator

from kreactor.conformance.cases import (
    CLOSED,
    Asked,
    Case,
    Difference,
    Level,
    Trial,
    answered,
    good,
    good_ones,
    response_text,
)
from kreactor.conformance.codec import Malformed, decode, encode, lies_of, request
from kreactor.conformance.connection import Ending
from kreactor.conformance.samples import has_sample, sample
from kreactor.conformance.schemas import Api, apis

_PARSE = "RequestContext#parseRequest"
_FILLED = {"zeros": 0, "sevens": 7, "int8-max": 0x7F, "int8-min": 0x80, "ones": 0xFF}
_FILLED_BYTES = (10, 60, 200)
# The default selection has every n-th cut, and these wrong lengths.
_DEFAULT_CUTS = 4
_DEFAULT_CLAIMS = ("highest", "lowest", "without-end", "null")
# The schema can read these bodies, but Kafka closes the connection: the request's constructor refuses an
# unknown resource type.
_CLOSED_THOUGH_READABLE = {"DescribeAcls": ("zeros.10", "zeros.60", "zeros.200")}
_ASKED = 5
# Kafka 4 advertises these versions of Produce for librdkafka and refuses them (KAFKA-18659).
ADVERTISED_AND_REFUSED = ("Produce", range(3))
# Kafka 2.8 does not respond to an election of an unknown type, and reads a tag of a later version of Fetch as
# an unknown tag.
_NOT_IN_2_8 = {"ElectLeaders": ("int8-min.", "ones."), "Fetch": ("forgottenTopicsData.one-less",)}


class _Body:
    """One body of one version, and its outcome: a response, a close, or (acks=0) nothing."""

    def __init__(self, api: Api, version: int, label: str, body: bytes) -> None:
        self._api = api
        self._version = version
        self._body = body
        self._label = label

    def outcome(self) -> str:
        try:
            message, _ = decode(self._api.request, self._version, self._body)
        except Malformed:
            return CLOSED
        if self._label in _CLOSED_THOUGH_READABLE.get(self._api.name, ()):
            return CLOSED
        return "" if self._api.name == "Produce" and message["acks"] == 0 else "answered"

    def __call__(self, trial: Trial) -> None:
        """Send the request followed by a valid one, whose response shows that the first one is complete."""
        asked: Asked = {_ASKED: (self._api, self._version), **good_ones(_ASKED + 1)}
        with trial.connect() as connection:
            connection.send(request(self._api, self._version, _ASKED, self._body) + good(_ASKED + 1))
            came = []
            for _ in range(2):
                try:
                    response = connection.receive()
                except Malformed as e:
                    came.append(str(e))
                    break
                if isinstance(response, Ending):
                    came.append("nothing" if response is Ending.NOTHING else response.value)
                    break
                came.append(response_text(response, asked))
                if came[-1] == answered(_ASKED + 1):
                    connection.check_nothing_came()
                    break
        expected = self.outcome()
        shown = [expected] if expected == CLOSED else [
            *[answered(_ASKED)] * bool(expected), answered(_ASKED + 1)]
        # A response with any error is accepted.
        actual = [answered(_ASKED) if text.startswith(answered(_ASKED) + " ") and "," not in text else text
                  for text in came]
        if shown != actual:
            raise Difference(", ".join(shown), ", ".join(came))
        if expected == CLOSED:
            trial.check_time(connection, CLOSED)


def _level(api: Api, version: int, label: str) -> Level:
    """Return SHOULD if Kafka 2.8, 3.8 and 4.1 do the same."""
    name, versions = ADVERTISED_AND_REFUSED
    differs = (api.name == name and version in versions) or (api.unstable and version == api.versions.highest)
    return Level.MAY if differs or label.startswith(_NOT_IN_2_8.get(api.name, ("-",))) else Level.SHOULD


def bodies_of(api: Api, version: int) -> Iterator[tuple[str, bytes, bool]]:
    """Yield each body with its label, and whether the default selection has it for the newest version."""
    message = sample(api, version)
    good_body = encode(api.request, version, message)
    for size in range(len(good_body)):
        yield f"cut.{size}", good_body[:size], size % _DEFAULT_CUTS == 0
    for claim, body in lies_of(api.request, version, message):
        yield claim, body, claim.rpartition(".")[2] in _DEFAULT_CLAIMS
    yield "more", good_body + b"\xff" * 9, True
    for name, byte in _FILLED.items():
        for size in _FILLED_BYTES:
            yield f"{name}.{size}", bytes((byte,)) * size, size == _FILLED_BYTES[0]


def cases() -> Iterator[Case]:
    for api in apis().values():
        if "broker" not in api.listeners or not has_sample(api):
            continue
        for version in api.versions:
            newest = version == api.versions.highest - api.unstable
            for label, body, default in bodies_of(api, version):
                yield Case(
                    f"bodies.{api}.v{version}.{label}",
                    f"{api} version {version} with a body that is wrong ({label}) is answered or closes the "
                    "connection, as its schema says.", _level(api, version, label), _PARSE,
                    _Body(api, version, label, body),
                    (api.name, version), default and newest)
