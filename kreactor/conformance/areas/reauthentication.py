# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: SASL sessions with a lifetime, re-authentication on the same connection, and requests after the end.

A target whose sessions do not end (connections.max.reauth.ms is 0, the default) is not testable here.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator

from kreactor.conformance.areas.sasl import before_sasl, failure_takes_s, handshake, with_sasl
from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Asked,
    Case,
    Level,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
    granted,
    only,
)
from kreactor.conformance.codec import request
from kreactor.conformance.connection import Connection, Credentials, NotTestable, Unreachable, authenticate
from kreactor.conformance.schemas import apis

# The first version of SaslAuthenticate whose response has the session's lifetime.
_VERSION = 1
# Kafka accepts no re-authentication within a second of another one.
_INTERVAL_S = 1.1
# The longest session lifetime for whose end a case waits.
_LONGEST_MS = 10_000
_ITERATIONS = 4096

_ASKED: Asked = {1: (apis()["SaslHandshake"], 1), 2: (apis()["SaslAuthenticate"], _VERSION),
                 3: (apis()["SaslHandshake"], 1), 9: (apis()["Metadata"], 1), **good_ones(7, 8)}
_METADATA = request(apis()["Metadata"], 1, 9, {"topics": []})


def _token(data: bytes) -> bytes:
    return request(apis()["SaslAuthenticate"], _VERSION, 2, {"authBytes": data})


def _plain(user: Credentials) -> bytes:
    """Return the token of PLAIN. Raises NotTestable for a user of another mechanism."""
    if user.mechanism != "PLAIN":
        raise NotTestable("the user of --sasl must be a PLAIN user")
    return _token(f"\0{user.user}\0{user.password}".encode())


def _session(trial: Trial, user: Credentials) -> tuple[Connection, int]:
    """Return an authenticated connection and its lifetime in ms.

    Raises NotTestable if sessions do not expire.
    """
    connection = before_sasl(trial)
    try:
        lifetime_ms = authenticate(connection, user, _VERSION)
        if not lifetime_ms:
            raise NotTestable("the target's sessions do not end: its connections.max.reauth.ms is 0")
    except BaseException:
        connection.close()
        raise
    return connection, lifetime_ms


def _in_session(pieces: Callable[[Credentials], bytes], *outcome: str,
                wait_s: float = _INTERVAL_S) -> Callable[[Trial], None]:
    """Return a case that sends bytes over an authenticated connection, ``wait_s`` seconds after the session's
    start."""
    def run(trial: Trial, user: Credentials) -> None:
        data = pieces(user)
        takes_s = failure_takes_s(trial)
        connection, _ = _session(trial, user)
        with connection:
            trial.pause(wait_s)
            Script((data,), _ASKED, outcome, takes_s=takes_s).check(trial, connection)
    return with_sasl(run)


def _after_the_end(pieces: Callable[[Credentials], bytes], *outcome: str) -> Callable[[Trial], None]:
    """Return a case that sends bytes after the session has expired."""
    def run(trial: Trial, user: Credentials) -> None:
        data = pieces(user)
        connection, lifetime_ms = _session(trial, user)
        with connection:
            if lifetime_ms > _LONGEST_MS:
                raise NotTestable(f"a session lasts {lifetime_ms} ms; set connections.max.reauth.ms of the "
                                  f"target to at most {_LONGEST_MS}")
            trial.pause(lifetime_ms / 1000 + _INTERVAL_S)
            Script((data,), _ASKED, outcome).check(trial, connection)
    return with_sasl(run)


def _lifetime(trial: Trial, user: Credentials) -> None:
    """Each re-authentication returns the lifetime again."""
    connection, lifetime_ms = _session(trial, user)
    with connection:
        trial.pause(_INTERVAL_S)
        again_ms = authenticate(connection, user, _VERSION)
        expect("a lifetime", "a lifetime" if 0 < again_ms <= lifetime_ms else f"{again_ms} ms")
        Script((good(7),), _ASKED, (answered(7), OPEN)).check(trial, connection)


def _other_user(trial: Trial, user: Credentials) -> None:
    """Another user with the correct password cannot take over a connection."""
    if not user.mechanism.startswith("SCRAM-"):
        raise NotTestable("the user of --sasl must be a SCRAM user")
    if not trial.changes_settings:
        raise NotTestable("needs --change-settings, which allows the case's own user")
    other = Credentials(user.mechanism, trial.prefix + "user", "password")
    digest, number = {"SCRAM-SHA-256": ("sha256", 1), "SCRAM-SHA-512": ("sha512", 2)}[user.mechanism]
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac(digest, other.password.encode(), salt, _ITERATIONS)
    made = {"name": other.user, "mechanism": number, "iterations": _ITERATIONS, "salt": salt,
            "saltedPassword": salted}
    users = apis()["AlterUserScramCredentials"]
    with trial.connect() as admin:
        try:
            results = trial.ask(admin, users, {"deletions": [], "upsertions": [made]})["results"]
            granted("AlterUserScramCredentials", only(results, "results")["errorCode"])
            _wait_for(trial, other)
            takes_s = failure_takes_s(trial)
            connection, _ = _session(trial, user)
            with connection:
                trial.pause(_INTERVAL_S)
                try:
                    authenticate(connection, other, _VERSION)
                except Unreachable:
                    came = "refused"
                else:
                    came = "taken"
                expect("refused", came)
                expect(CLOSED, getattr(connection.receive(), "value", "a response"))
                trial.check_time(connection, CLOSED, takes_s)
        finally:
            gone = {"name": other.user, "mechanism": number}
            trial.clean_up(lambda: trial.ask(admin, users, {"deletions": [gone], "upsertions": []}))


def _wait_for(trial: Trial, user: Credentials) -> None:
    """Wait until a new user can authenticate. Raises NotTestable."""
    deadline = time.monotonic() + trial.target.timeout_s
    while True:
        try:
            with before_sasl(trial) as connection:
                authenticate(connection, user)
            return
        except Unreachable as e:
            if time.monotonic() > deadline:
                raise NotTestable(f"a new user of SCRAM cannot authenticate: {e}") from None
            trial.pause(trial.target.patience_s)


def cases() -> Iterator[Case]:
    needs = "SaslAuthenticate", _VERSION

    def case(name: str, sentence: str, level: Level, decided_by: str, run: Callable[[Trial], None]) -> Case:
        return Case(f"reauthentication.{name}", sentence, level, decided_by, run, needs)

    yield case("lifetime", "A re-authentication over the same connection succeeds and tells a new lifetime.",
               Level.MUST, "KIP-368", with_sasl(_lifetime))
    yield case("in-order", "Requests before and after a re-authentication, all in one segment, are answered "
               "in order.", Level.SHOULD, "KafkaChannel#maybeBeginServerReauthentication",
               _in_session(lambda user: good(7) + handshake(user.mechanism) + _plain(user) + good(8),
                           answered(7), answered(1), answered(2), answered(8), OPEN))
    yield case("at-once", "A re-authentication directly after the authentication is taken.", Level.SHOULD,
               "KafkaChannel#maybeBeginServerReauthentication",
               _in_session(lambda user: handshake(user.mechanism) + _plain(user),
                           answered(1), answered(2), OPEN, wait_s=0.0))
    yield case("too-often", "A handshake within a second of a re-authentication is ILLEGAL_SASL_STATE.",
               Level.MAY, "KafkaChannel#maybeBeginServerReauthentication",
               _in_session(lambda user: handshake(user.mechanism) + _plain(user)
                           + handshake(user.mechanism, 3),
                           answered(1), answered(2), answered(3, "ILLEGAL_SASL_STATE"), OPEN))
    yield case("wrong-password", "A re-authentication with a wrong password is SASL_AUTHENTICATION_FAILED, "
               "and the connection is closed.", Level.MUST, "KIP-368",
               _in_session(lambda user: _plain(user) and handshake("PLAIN")
                           + _token(f"\0{user.user}\0wrong".encode()),
                           answered(1), answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED))
    yield case("other-mechanism", "A re-authentication with another mechanism closes the connection.",
               Level.SHOULD, "KIP-368", _in_session(lambda user: handshake("@nobody"), CLOSED))
    yield case("request-between", "A request between handshake and token of a re-authentication ends the "
               "connection.", Level.SHOULD, "SaslServerAuthenticator",
               _in_session(lambda user: handshake(user.mechanism) + _METADATA,
                           answered(1), answered(9), CLOSED))
    yield case("other-user", "A re-authentication as another user is refused, and the connection is closed.",
               Level.MUST, "KIP-368", with_sasl(_other_user))
    yield case("expired", "A request after the end of its session closes the connection.", Level.MUST,
               "KIP-368", _after_the_end(lambda user: good(7), CLOSED))
    yield case("late", "A re-authentication after the end of its session is taken.", Level.SHOULD,
               "Processor#processCompletedReceives",
               _after_the_end(lambda user: handshake(user.mechanism) + _plain(user) + good(7),
                              answered(1), answered(2), answered(7), OPEN))
