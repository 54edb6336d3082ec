# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: SASL with requests before authentication, mechanisms, wrong credentials and malformed tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    SILENT,
    Asked,
    Case,
    Level,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
)
from kreactor.conformance.codec import request, sized
from kreactor.conformance.connection import (
    Connection,
    Credentials,
    Ending,
    NotTestable,
    Target,
    Unreachable,
    authenticate,
)
from kreactor.conformance.schemas import apis
from kreactor.conformance.settings import broker_config

_AUTHENTICATOR = "SaslServerAuthenticator"
_GARBAGE = b"\xff" * 40
_HANDSHAKE, _AUTHENTICATE = "SaslHandshake", "SaslAuthenticate"
# sasl.server.max.receive.size is 512 KB by default (KIP-866).
_MAX_TOKEN = 524_288
_DELAY = "connection.failed.authentication.delay.ms"
_DEFAULT_DELAY_S = 0.1


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
        takes_s = failure_takes_s(trial)
        with before_sasl(trial) as connection:
            Script(pieces, asked, outcome, takes_s=takes_s).check(trial, connection)
    return with_sasl(run)


def before_sasl(trial: Trial) -> Connection:
    """Return a connection without SASL, and with TLS if the target uses it."""
    target = trial.target
    return trial.connect_to(Target(target.host, target.port, target.timeout_s, target.patience_s, target.tls))


def _delay_s(trial: Trial) -> float:
    """Return the seconds by which a failed authentication ends later. Raises NotTestable."""
    with trial.connect() as connection:
        return int(broker_config(trial, connection, _DELAY).value) / 1000


def failure_takes_s(trial: Trial) -> float:
    """Return the longest time of a failed authentication: the target's setting, or Kafka's default."""
    try:
        return _delay_s(trial)
    except (NotTestable, Unreachable):
        return _DEFAULT_DELAY_S


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
    takes_s = failure_takes_s(trial)
    with before_sasl(trial) as connection:
        Script((handshake("PLAIN") + _token(f"\0{user.user}\0wrong".encode()),), _ASKED,
               (answered(1), answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED), takes_s=takes_s).check(
                   trial, connection)


def _in_mechanism(tokens: bytes, *outcome: str) -> Callable[[Trial], None]:
    def run(trial: Trial, user: Credentials) -> None:
        takes_s = failure_takes_s(trial)
        with before_sasl(trial) as connection:
            Script((handshake(user.mechanism) + tokens,), _ASKED, (answered(1), *outcome),
                   takes_s=takes_s).check(trial, connection)
    return with_sasl(run)


def _delayed(trial: Trial, user: Credentials) -> None:
    """The end of a failed authentication does not come before its delay, which slows down guesses."""
    delay_s = _delay_s(trial)
    with before_sasl(trial) as connection:
        Script((handshake(user.mechanism),), _ASKED, (answered(1), SILENT)).check(trial, connection)
        Script((_token(_GARBAGE),), _ASKED, (answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED),
               takes_s=delay_s).check(trial, connection)
        took_s = connection.received_at - connection.sent_at
        # Kafka's clock has whole milliseconds.
        expect(f"an end after {delay_s:.3f} s", f"an end after {delay_s:.3f} s" if took_s > delay_s - 0.005
               else f"an end after {took_s:.3f} s")


def _lists_mechanisms(trial: Trial, user: Credentials) -> None:
    with before_sasl(trial) as connection:
        answer: dict[str, Any] = connection.ask(apis()[_HANDSHAKE], 1, {"mechanism": "@nobody"}, 1)
        expect(True, user.mechanism in answer["mechanisms"])
        expect(Ending.FIN, connection.receive())


def _authenticated(trial: Trial, user: Credentials) -> None:
    """After authentication a SaslHandshake is refused, unless sessions end."""
    with before_sasl(trial) as connection:
        ends = authenticate(connection, user, 1) > 0
    outcome = (answered(3), SILENT) if ends else (answered(3, "ILLEGAL_SASL_STATE"), OPEN)
    with trial.connect() as connection:
        Script((handshake(user.mechanism, 3),), _ASKED, outcome).check(trial, connection)


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
    yield Case("sasl.token.delay",
               f"The end of a failed authentication comes {_DELAY} later, and not before.", Level.MAY,
               "Selector#maybeDelayCloseOnAuthenticationFailure", with_sasl(_delayed))
    for name, token in (("empty", b""), ("garbage", _GARBAGE)):
        yield Case(f"sasl.token.{name}",
                   f"A token that is {name} is answered with SASL_AUTHENTICATION_FAILED, then a close.",
                   Level.SHOULD, _AUTHENTICATOR,
                   _in_mechanism(_token(token), answered(2, "SASL_AUTHENTICATION_FAILED"), CLOSED))
