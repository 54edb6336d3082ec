# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: SASL with requests before authentication, mechanisms, wrong credentials and malformed tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Asked,
    Case,
    Level,
    NotTestable,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
)
from kreactor.conformance.codec import request, sized
from kreactor.conformance.connection import Connection, Credentials, Target, Unreachable
from kreactor.conformance.schemas import apis

_AUTHENTICATOR = "SaslServerAuthenticator"
_HANDSHAKE, _AUTHENTICATE = "SaslHandshake", "SaslAuthenticate"
# sasl.server.max.receive.size is 512 KB by default (KIP-866).
_MAX_TOKEN = 524_288


def with_sasl(run: Callable[[Trial, Credentials], None]) -> Callable[[Trial], None]:
    """Return a case that gets the user of --sasl; without a user the case is not testable."""
    def case(trial: Trial) -> None:
        if trial.target.sasl is None:
            raise NotTestable("needs a user of a listener with SASL; use --sasl")
        run(trial, trial.target.sasl)
    return case


def _unauthenticated(*pieces: bytes, asked: Asked, outcome: tuple[str, ...]) -> Callable[[Trial], None]:
    """Return a case that sends bytes before any authentication."""
    def run(trial: Trial, user: Credentials) -> None:
        with before_sasl(trial) as connection:
            Script(pieces, asked, outcome).check(trial, connection)
    return with_sasl(run)


def before_sasl(trial: Trial) -> Connection:
    """Return a connection without SASL, and with TLS if the target uses it."""
    target = trial.target
    bare = Target(target.host, target.port, target.timeout_s, target.patience_s, target.tls)
    connection = Connection(bare)
    trial.transcripts.append(connection.transcript)
    return connection


def handshake(mechanism: str, correlation_id: int = 1, version: int = 1) -> bytes:
    """Return a SaslHandshake request with its size."""
    return request(apis()[_HANDSHAKE], version, correlation_id, {"mechanism": mechanism})


def _token(data: bytes, correlation_id: int = 2) -> bytes:
    return request(apis()[_AUTHENTICATE], 0, correlation_id, {"authBytes": data})


_METADATA = request(apis()["Metadata"], 1, 9, {"topics": []})
_ASKED: Asked = {1: (apis()[_HANDSHAKE], 1), 2: (apis()[_AUTHENTICATE], 0), 3: (apis()[_HANDSHAKE], 1),
                 9: (apis()["Metadata"], 1), **good_ones(7)}


def _wrong_password(trial: Trial, user: Credentials) -> None:
    """A wrong password gets an error, then the connection is closed."""
    if user.mechanism != "PLAIN":
        raise NotTestable("the user of --sasl must be a PLAIN user")
    with before_sasl(trial) as connection:
        Script((handshake("PLAIN") + _token(f"\0{user.user}\0wrong".encode()),), _ASKED,
               (answered(1), answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED)).check(trial, connection)


def _in_mechanism(tokens: bytes, *outcome: str) -> Callable[[Trial], None]:
    def run(trial: Trial, user: Credentials) -> None:
        with before_sasl(trial) as connection:
            Script((handshake(user.mechanism) + tokens,), _ASKED, (answered(1), *outcome)).check(
                trial, connection)
    return with_sasl(run)


def _lists_mechanisms(trial: Trial, user: Credentials) -> None:
    with before_sasl(trial) as connection:
        answer: dict[str, Any] = connection.ask(apis()[_HANDSHAKE], 1, {"mechanism": "@nobody"}, 1)
        expect(True, user.mechanism in answer["mechanisms"])


def _authenticated(trial: Trial, user: Credentials) -> None:
    """After authentication a SaslHandshake is refused."""
    with trial.connect() as connection:
        Script((handshake(user.mechanism, 3),), _ASKED, (answered(3, "ILLEGAL_SASL_STATE"), OPEN)).check(
            trial, connection)


def _known_user(trial: Trial, user: Credentials) -> None:
    try:
        with trial.connect() as connection:
            Script((good(7),), _ASKED, (answered(7), OPEN)).check(trial, connection)
    except Unreachable as e:
        expect("an authenticated connection", str(e))


def cases() -> Iterator[Case]:
    yield Case("sasl.user", "A user with the right password is served.", Level.MUST, "KIP-152",
               with_sasl(_known_user))
    yield Case("sasl.before.ApiVersions", "ApiVersions is answered before authentication.", Level.MUST,
               "KIP-152", _unauthenticated(good(7) + handshake("@nobody"), asked=_ASKED, outcome=(
                   answered(7), answered(1, "UNSUPPORTED_SASL_MECHANISM"), CLOSED)))
    for name, data, sentence in (
            ("Metadata", _METADATA, "Metadata before authentication"),
            ("SaslAuthenticate", _token(b"token"), "SaslAuthenticate before a handshake"),
            ("size-zero", sized(b""), "A request of no bytes before authentication"),
            ("size-negative", b"\xff\xff\xff\xff", "A negative size before authentication"),
            ("too-long", (_MAX_TOKEN + 1).to_bytes(4, "big"),
             f"A size above {_MAX_TOKEN} before authentication")):
        yield Case(f"sasl.before.{name}", f"{sentence} closes the connection.",
                   Level.MUST if name == "Metadata" else Level.SHOULD, _AUTHENTICATOR,
                   _unauthenticated(data, asked=_ASKED, outcome=(CLOSED,)))
    yield Case("sasl.handshake.unknown",
               "An unknown mechanism is answered with UNSUPPORTED_SASL_MECHANISM, and the connection closed.",
               Level.MUST, "KIP-43", _unauthenticated(handshake("@nobody"), asked=_ASKED, outcome=(
                   answered(1, "UNSUPPORTED_SASL_MECHANISM"), CLOSED)))
    yield Case("sasl.handshake.lists", "The answer to an unknown mechanism names those that are offered.",
               Level.MUST, "KIP-43", with_sasl(_lists_mechanisms))
    yield Case("sasl.handshake.again", "A handshake after authentication is answered with ILLEGAL_SASL_STATE "
               "or begins a re-authentication (KIP-368).", Level.MAY, "KafkaApis#handleSaslHandshakeRequest",
               with_sasl(_authenticated))
    yield Case("sasl.handshake.then-request",
               "A request between handshake and token gets an error, then the connection is closed.",
               Level.SHOULD, _AUTHENTICATOR, _in_mechanism(_METADATA, answered(9), CLOSED))
    yield Case("sasl.token.wrong-password",
               "A wrong password is answered with SASL_AUTHENTICATION_FAILED, then the connection is closed.",
               Level.MUST, "KIP-152", with_sasl(_wrong_password))
    for name, token in (("empty", b""), ("garbage", b"\xff" * 40)):
        yield Case(f"sasl.token.{name}",
                   f"A token that is {name} is answered with SASL_AUTHENTICATION_FAILED, then a close.",
                   Level.SHOULD, _AUTHENTICATOR,
                   _in_mechanism(_token(token), answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED))
