# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases of the suite, their access to a target, and scripts: bytes with an expected outcome."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from kreactor.conformance.codec import Malformed, Message, request, response_body
from kreactor.conformance.connection import (
    PROBE,
    Connection,
    Ending,
    NotTestable,
    Target,
    Transcript,
    Unreachable,
)
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import API_VERSIONS, Api, Versions, apis, apis_by_key

CLOSED, RESET, OPEN, SILENT = Ending.FIN.value, Ending.RESET.value, "open", "silent"


class Level(Enum):
    """How binding a case is."""

    MUST = "must"      # A documented rule of the protocol: its guide, or an adopted KIP.
    SHOULD = "should"  # All of Kafka 2.8, 3.8 and 4.1 do so.
    MAY = "may"        # Kafka 3.8.0 does so.


class Difference(Exception):
    """The target's behaviour differs from the expectation. Has both as text."""

    def __init__(self, expected: str, actual: str) -> None:
        super().__init__(f"expected {expected}, came {actual}")
        self.expected = expected
        self.actual = actual


class Late(Difference):
    """The right answer or ending, but later than a busy machine explains."""


class Stopped(Exception):
    """The run is stopped; the case has no verdict."""


# Errors with which a target may refuse a preparation: another broker of its cluster serves the request, or
# the user or the target's settings do not allow it. Any other error in a preparation fails its case.
_REFUSALS = frozenset({
    "LEADER_NOT_AVAILABLE", "NOT_LEADER_OR_FOLLOWER", "COORDINATOR_LOAD_IN_PROGRESS",
    "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "NOT_CONTROLLER", "TOPIC_AUTHORIZATION_FAILED",
    "GROUP_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
    "UNSUPPORTED_VERSION", "SECURITY_DISABLED", "POLICY_VIOLATION", "THROTTLING_QUOTA_EXCEEDED"})


@dataclass(frozen=True)
class Offer:
    """The versions that the target advertises, by API key.

    ``in_version_0`` is the response to ApiVersions version 0, which every later version must equal; None if
    version 0 is refused.
    """

    versions: Mapping[int, Versions]
    in_version_0: Mapping[int, Versions] | None = None
    # The faults of the answers that the offer comes from.
    faults: tuple[str, ...] = ()

    def has(self, api: Api, version: int) -> bool:
        return api.key in self.versions and version in self.versions[api.key]

    def common(self, api: Api) -> Versions:
        """Return the versions that both the target and the schemas have; empty if there are none."""
        return self.versions.get(api.key, Versions(0, -1)).common(api.versions)


@dataclass
class Trial:
    """One run of one case: the target, its offer, and the connections that the case has opened."""

    target: Target
    offer: Offer
    # Makes names that no other case or run uses.
    prefix: str
    # Whether the user allows changes of settings, such as a quota of a client id with the prefix.
    changes_settings: bool = False
    transcripts: list[Transcript] = field(default_factory=list)
    # Called before a wait for silence. In a test it returns when the broker has handled all sent requests.
    settle: Callable[[], None] = lambda: None
    # The seconds by which an answer or an ending may be late. See ``runner``.
    late_s: float = math.inf
    # Set when the run is stopped.
    stopped: threading.Event = field(default_factory=threading.Event)
    # The faults of answers to the clean-up.
    faults: list[str] = field(default_factory=list)
    # The connections that ``abort`` ends: all but those of clean-ups.
    _connections: list[Connection] = field(default_factory=list)
    _cleans_up: bool = False
    # Correlation ids of the trial's own requests, above those of scripts.
    _asked: int = 1000

    def connect(self, *, plain: bool = False) -> Connection:
        """Open a connection, authenticated unless ``plain``."""
        return self.connect_to(self.target, plain=plain)

    def connect_to(self, target: Target, *, plain: bool = False) -> Connection:
        """Open a connection to the target under other settings.

        Raises Stopped when the run is stopped, except in a clean-up.
        """
        self.transcripts.append(Transcript())
        connection = Connection(target, self.transcripts[-1], plain=plain)
        if not self._cleans_up:
            self._connections.append(connection)
            # ``abort`` has not seen the connection if the run was stopped before the line above.
            if self.stopped.is_set():
                connection.close()
                raise Stopped
        return connection

    def abort(self) -> None:
        """End the connections, so that the case ends. Called by any thread, with ``stopped`` set."""
        for connection in self._connections:
            connection.abort()

    def pause(self, seconds: float) -> None:
        """Wait. Raises Stopped when the run is stopped."""
        if self.stopped.wait(seconds):
            raise Stopped

    def check_time(self, connection: Connection, what: str, takes_s: float = 0.0) -> None:
        """Check that what came last, ``what``, came in time: at most ``takes_s`` and the trial's tolerance
        after the last bytes were sent. Raises Late.
        """
        took_s = connection.received_at - connection.sent_at
        if took_s > takes_s + self.late_s:
            raise Late(f"{what} within {takes_s + self.late_s:.1f} s", f"{what} after {took_s:.1f} s")

    def clean_up(self, action: Callable[[], object]) -> None:
        """Run a clean-up of the case, even of a stopped run.

        An answer with an error changes nothing. A malformed answer, or none, fails the case.
        """
        self._cleans_up = True
        try:
            action()
        except (Difference, NotTestable):
            pass
        except (Malformed, Unreachable) as e:
            self.faults.append(str(e))
        except OSError as e:
            self.faults.append(e.strerror or str(e))
        finally:
            self._cleans_up = False

    def newest(self, api: Api) -> int:
        """Return the newest version that both the target and the schemas have. Raises NotTestable."""
        versions = self.offer.common(api)
        if versions.highest < versions.lowest:
            raise NotTestable(f"the target does not offer {api}")
        return versions.highest

    def ask(self, connection: Connection, api: Api, body: Mapping[str, Any], *,
            version: int | None = None) -> dict[str, Any]:
        """Send a request in the newest common version or ``version``, and return the response's body."""
        self._asked += 1
        return connection.ask(api, self.newest(api) if version is None else version, body, self._asked)


def expect(expected: object, actual: object) -> None:
    """Raise Difference unless both are equal."""
    if expected != actual:
        raise Difference(str(expected), str(actual))


def granted(what: str, error: int) -> None:
    """Check that a preparation was not answered with an error.

    Raises NotTestable for an error with which a target may refuse it, and Difference for any other.
    """
    if name_of(error) in _REFUSALS:
        raise NotTestable(f"{what} is answered with {name_of(error)}")
    if error:
        raise Difference(f"{what} without an error", name_of(error))


def only(rows: Sequence[dict[str, Any]] | None, what: str) -> dict[str, Any]:
    """Return the only element of an array in an answer. Raises Malformed if it has another number."""
    if rows is None or len(rows) != 1:
        raise Malformed(f"{len(rows) if rows else 'no'} {what}, where one was asked for")
    return rows[0]


@dataclass(frozen=True)
class Case:
    """One rule, and the check whether a target keeps it.

    ``decided_by`` names the KIP or the member of Kafka that decides. ``needs`` is the API and version that
    the target must offer for the case. ``departs`` describes a difference between Kafka and its protocol
    guide.
    """

    id: str
    sentence: str
    level: Level
    decided_by: str
    run: Callable[[Trial], None]
    needs: tuple[str, int] | None = None
    default: bool = True
    departs: str | None = None

    @property
    def area(self) -> str:
        return self.id.partition(".")[0]

    def is_offered(self, offer: Offer) -> bool:
        return self.needs is None or offer.has(apis()[self.needs[0]], self.needs[1])


# For each correlation id of a request, the API and the version in which the response is parsed.
Asked = Mapping[int, tuple[Api, int]]


@dataclass(frozen=True)
class Script:
    """Bytes in pieces, and their outcome: the responses, then the state of the connection.

    A response is written as ``response 7`` with its correlation id, and with its top-level error if it has
    one. The last element is CLOSED, OPEN (another request is answered) or SILENT (the target waits for more).
    ``rest`` completes a silent case: it is sent after the silence and must lead to ``then``. ``says`` has
    expected fields of a response's body, by correlation id. ``takes_s`` is the longest time in seconds after
    which the outcome may come.
    """

    pieces: tuple[bytes, ...]
    asked: Asked
    outcome: tuple[str, ...]
    half_close: bool = False
    rest: bytes = b""
    then: tuple[str, ...] = ()
    says: Mapping[int, Message] = field(default_factory=dict)
    takes_s: float = 0.0

    def __call__(self, trial: Trial) -> None:
        if self.half_close and trial.target.tls is not None:
            raise NotTestable("a TLS connection has no half-close")
        with trial.connect() as connection:
            self.check(trial, connection)

    def check(self, trial: Trial, connection: Connection) -> None:
        """Send the bytes over ``connection`` and compare the outcome and its time. Raises Difference."""
        for piece in self.pieces:
            connection.send(piece)
        if self.half_close:
            connection.half_close()
        expect(_outcome_text(self.outcome), _outcome_text(self._came(trial, connection, self.outcome)))
        trial.check_time(connection, _outcome_text(self.outcome),
                         self.takes_s + _ANSWER_TAKES_S * len(self.outcome))
        if self.rest:
            connection.send(self.rest)
            expect("after the rest: " + _outcome_text(self.then),
                   "after the rest: " + _outcome_text(self._came(trial, connection, self.then)))
            trial.check_time(connection, _outcome_text(self.then), _ANSWER_TAKES_S * len(self.then))

    def _came(self, trial: Trial, connection: Connection, outcome: tuple[str, ...]) -> tuple[str, ...]:
        came: list[str] = []
        asked = dict(self.asked)
        if outcome[-1] == OPEN:
            connection.send(probe())
        try:
            while True:
                # Nothing more is expected after the silence, or after a surplus response.
                quiet = len(came) >= len(outcome) - (outcome[-1] == SILENT)
                if quiet:
                    trial.settle()
                response = connection.receive(trial.target.patience_s if quiet else None)
                if isinstance(response, Ending):
                    return *came, SILENT if response is Ending.NOTHING else response.value
                if is_probe(response):
                    response_body(apis_by_key()[API_VERSIONS], 0, response)
                    connection.check_nothing_came()
                    return *came, OPEN
                came.append(response_text(response, asked, trial.offer.in_version_0, self.says))
                if len(came) > len(outcome) + _SPARE_RESPONSES:
                    return *came, "..."
        except Malformed as e:
            return *came, str(e)


# The reads from a flooding target are bounded.
_SPARE_RESPONSES = 8
# The time that a target may need for each of many pipelined requests.
_ANSWER_TAKES_S = 0.005


def _outcome_text(outcome: tuple[str, ...]) -> str:
    return ", ".join(outcome)


def probe() -> bytes:
    """Return a request to which every target responds: ApiVersions in version 0."""
    return request(apis_by_key()[API_VERSIONS], 0, PROBE, {})


def is_probe(response: bytes) -> bool:
    return response[:4] == PROBE.to_bytes(4, "big")


def is_response_to(response: bytes | Ending, correlation_id: int) -> bool:
    """Return whether ``response`` is a response to this request."""
    return isinstance(response, bytes) and response[:4] == correlation_id.to_bytes(4, "big")


def response_text(response: bytes, asked: Asked, offered: Mapping[int, Versions] | None = None,
                  says: Mapping[int, Message] = {}) -> str:
    """Return a response in the form of an outcome.

    ``offered`` has the versions that ApiVersions version 0 must advertise; ``says`` is as in Script.
    """
    correlation_id = int.from_bytes(response[:4], "big", signed=True)
    if correlation_id not in asked:
        return f"a response to {correlation_id}, which no request has: {response[:32].hex(' ')}"
    api, version = asked[correlation_id]
    try:
        body = response_body(api, version, response)
    except Malformed as e:
        return f"response {correlation_id}, no {api} version {version}: {e}"
    error = body.get("errorCode", 0)
    text = f"response {correlation_id}" + (f" {name_of(error)}" if error else "")
    if offered is not None and (api.key, version, error) == (API_VERSIONS, 0, 0) and ranges(body) != offered:
        return f"{text}, which advertises other versions than the first"
    for name, value in says.get(correlation_id, {}).items():
        if body.get(name) != value:
            return f"{text}, {name} is {body.get(name)} instead of {value}"
    return text


def ranges(body: Message) -> dict[int, Versions]:
    """Return the versions by API key that a response to ApiVersions advertises."""
    return {row["apiKey"]: Versions(row["minVersion"], row["maxVersion"]) for row in body["apiKeys"] or ()}


def answered(correlation_id: int, error: str = "") -> str:
    """Return a response in the form of an outcome."""
    return f"response {correlation_id}" + (f" {error}" if error else "")


def good(correlation_id: int) -> bytes:
    """Return a request to which every target responds without an error: ApiVersions in version 0."""
    return request(apis()["ApiVersions"], 0, correlation_id, {})


def good_ones(*correlation_ids: int) -> Asked:
    return {correlation_id: (apis()["ApiVersions"], 0) for correlation_id in correlation_ids}


class Names:
    """Gives every trial its own name prefix. Called by any thread."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._count = 0
        self._lock = threading.Lock()

    def next(self) -> str:
        with self._lock:
            self._count += 1
            return f"conformance-{self._run}-{self._count}-"
