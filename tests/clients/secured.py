# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Clients that nobody here wrote, over every protocol and mechanism, right and wrong, and what comes of it.

The same settings, files and clients serve kreactor and Kafka, and the outcome of a case is to be the same.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from aiokafka import AIOKafkaProducer
from aiokafka.abc import AbstractTokenProvider as AsyncTokenProvider
from aiokafka.errors import KafkaError as AiokafkaError
from confluent_kafka import KafkaError, Producer
from kafka import KafkaConsumer
from kafka.net.sasl.oauth import AbstractTokenProvider

from kreactor.testing.certificates import new_certificate
from kreactor.testing.tls import ClientFiles, Tls
from tests.clients.kcat_client import KCAT
from tests.tools.scripts import load

HOST = "127.0.0.1"
TOPIC = "there"
USER, PASSWORD, SCOPE = "alice", "alice-sEcret", "read"
# How long a client that is to be served may take, and one that is to be refused tries.
WAIT_S, REFUSED_S = 60.0, 2.0

SCRAMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS = ("PLAIN", *SCRAMS, "OAUTHBEARER")
# By name: the security protocol, and what is special.
LISTENERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "PLAINTEXT": ("PLAINTEXT", {}),
    "TLS": ("SSL", {}),
    "MUTUAL": ("SSL", {"ssl.client.auth": "required"}),
    "REQUESTED": ("SSL", {"ssl.client.auth": "requested"}),
    "EXPIRED": ("SSL", {"ssl.keystore.location": "expired"}),
    "OTHERHOST": ("SSL", {"ssl.keystore.location": "otherhost"}),
    "SASL": ("SASL_PLAINTEXT", {}),
    "ONLYPLAIN": ("SASL_PLAINTEXT", {"sasl.enabled.mechanisms": "PLAIN"}),
    "SASLOTHERHOST": ("SASL_SSL", {"ssl.keystore.location": "otherhost"}),
    "SASLMUTUAL": ("SASL_SSL", {"ssl.client.auth": "required"}),
    "SASLTLS": ("SASL_SSL", {}),
}

# Outcomes of a case. SERVED: the record is written.
SERVED = "served"
# The broker said that this is not who it says, or does not know the mechanism.
DENIED = "denied"
# The client does not believe the broker's certificate.
DISTRUSTED = "distrusted"
# The broker, or the client, ended the handshake, or the connection, and did not say more.
ENDED = "ended"


class Case(NamedTuple):
    """The settings of a client, and its listener."""

    listener: str
    protocol: str
    outcome: str
    # Of FILES.
    files: str = "nobody"
    mechanism: str = ""
    user: str = USER
    password: str = PASSWORD
    # Of TOKENS.
    token: str = ""

    def title(self) -> str:
        parts = [self.listener, self.protocol, self.mechanism, self.files, self.token]
        if self.user != USER or self.password != PASSWORD:
            parts.append(f"{self.user}:{self.password}")
        return ", ".join(filter(None, parts))


# Tokens that nobody has signed: what is in them, less what is None; times are in seconds from now.
TOKENS: Mapping[str, Mapping[str, Any]] = {
    "token": {},
    "token without scope": {"scope": None},
    "token of another scope": {"scope": "write"},
    "expired token": {"iat": -7200, "exp": -3600},
    "token of tomorrow": {"iat": 3600, "exp": 7200},
    "token without end": {"exp": None},
    "token of nobody": {"sub": None},
    "signed token": {},
}


def token(name: str) -> str:
    """Return a token of TOKENS."""
    claims: dict[str, Any] = {"sub": USER, "scope": SCOPE, "iat": 0, "exp": 3600, **TOKENS[name]}
    now = int(time.time())
    claims |= {each: now + claims[each] for each in ("iat", "exp") if claims[each] is not None}
    is_signed = name == "signed token"
    parts = [json.dumps({"alg": "HS256" if is_signed else "none"}).encode(),
             json.dumps({each: value for each, value in claims.items() if value is not None}).encode(),
             b"signature" if is_signed else b""]
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def cases() -> Iterator[Case]:
    yield Case("PLAINTEXT", "PLAINTEXT", SERVED)

    yield Case("TLS", "SSL", SERVED)
    yield Case("TLS", "SSL", SERVED, "client")
    yield Case("TLS", "SSL", SERVED, "stranger")
    yield Case("TLS", "SSL", DISTRUSTED, "distrusting")
    yield Case("EXPIRED", "SSL", DISTRUSTED)
    yield Case("OTHERHOST", "SSL", DISTRUSTED)
    for listener, without in (("MUTUAL", ENDED), ("REQUESTED", SERVED)):
        yield Case(listener, "SSL", without)
        yield Case(listener, "SSL", SERVED, "client")
        yield Case(listener, "SSL", ENDED, "stranger")
        yield Case(listener, "SSL", ENDED, "expired")
        yield Case(listener, "SSL", DISTRUSTED, "distrusting")

    # Protocols that the listener does not speak.
    for listener in ("TLS", "SASLTLS"):
        yield Case(listener, "PLAINTEXT", ENDED)
        yield Case(listener, "SASL_PLAINTEXT", ENDED, mechanism="PLAIN")
    for listener in ("PLAINTEXT", "SASL"):
        yield Case(listener, "SSL", ENDED)
        yield Case(listener, "SASL_SSL", ENDED, mechanism="PLAIN")
    yield Case("SASL", "PLAINTEXT", ENDED)
    yield Case("SASLTLS", "SSL", ENDED)
    # Somebody is there who knows of no SASL.
    yield Case("PLAINTEXT", "SASL_PLAINTEXT", DENIED, mechanism="PLAIN")
    yield Case("TLS", "SASL_SSL", DENIED, mechanism="PLAIN")

    for listener, protocol in (("SASL", "SASL_PLAINTEXT"), ("SASLTLS", "SASL_SSL")):
        for mechanism in ("PLAIN", *SCRAMS):
            yield Case(listener, protocol, SERVED, mechanism=mechanism)
            yield Case(listener, protocol, DENIED, mechanism=mechanism, password="wrong")
            yield Case(listener, protocol, DENIED, mechanism=mechanism, password=PASSWORD.upper())
            yield Case(listener, protocol, DENIED, mechanism=mechanism, user="nobody")
        for name in TOKENS:
            yield Case(listener, protocol, SERVED if name == "token" else DENIED, mechanism="OAUTHBEARER",
                       token=name)
    for mechanism in (*SCRAMS, "OAUTHBEARER"):
        yield Case("ONLYPLAIN", "SASL_PLAINTEXT", DENIED, mechanism=mechanism,
                   token="token" if mechanism == "OAUTHBEARER" else "")
    yield Case("ONLYPLAIN", "SASL_PLAINTEXT", SERVED, mechanism="PLAIN")
    yield Case("SASLTLS", "SASL_SSL", DISTRUSTED, "distrusting", mechanism="PLAIN")
    yield Case("SASLOTHERHOST", "SASL_SSL", DISTRUSTED, mechanism="PLAIN")
    yield Case("SASLMUTUAL", "SASL_SSL", SERVED, "client", mechanism="PLAIN")
    yield Case("SASLMUTUAL", "SASL_SSL", ENDED, mechanism="PLAIN")
    yield Case("SASLMUTUAL", "SASL_SSL", ENDED, "stranger", mechanism="PLAIN")
    yield Case("SASLMUTUAL", "SASL_SSL", DENIED, "client", mechanism="PLAIN", password="wrong")


def properties(tls: Tls, ports: Mapping[str, int]) -> dict[str, str]:
    """Return a broker's properties for all listeners."""
    keystores = {"expired": tls.server_keystore("expired.pem", valid_for=timedelta(days=-1)),
                 "otherhost": tls.server_keystore("otherhost.pem", ("elsewhere.example",), ())}
    package = "org.apache.kafka.common.security"
    jaas = {"PLAIN": f'{package}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";',
            **dict.fromkeys(SCRAMS, f"{package}.scram.ScramLoginModule required;"),
            "OAUTHBEARER": f"{package}.oauthbearer.OAuthBearerLoginModule required "
                           'unsecuredLoginStringClaim_sub="admin" '
                           f'unsecuredValidatorRequiredScope="{SCOPE}";'}
    props = tls.properties(mutual=False)
    props |= {
        "listeners": ",".join(f"{name}://{HOST}:{ports.get(name, 0)}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(
            f"{name}:{protocol}" for name, (protocol, _) in LISTENERS.items()),
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
    }
    for name, (protocol, own) in LISTENERS.items():
        prefix = f"listener.name.{name.lower()}."
        props |= {f"{prefix}{key}": keystores.get(value, value) for key, value in own.items()}
        if protocol.startswith("SASL"):
            props |= {f"{prefix}{mechanism.lower()}.sasl.jaas.config": module
                      for mechanism, module in jaas.items()}
    return props


def client_files(tls: Tls) -> dict[str, ClientFiles]:
    """Return what clients may have."""
    stranger = tls.client("stranger", new_certificate("other authority"))
    assert stranger.certificate is not None
    return {"nobody": ClientFiles(tls.ca), "client": ClientFiles(tls.ca, tls.certificate, tls.key),
            "stranger": stranger, "expired": tls.client("expired-client", valid_for=timedelta(days=-1)),
            "distrusting": ClientFiles(stranger.certificate)}


class At(NamedTuple):
    """A case with what goes with it."""

    case: Case
    address: str
    files: ClientFiles

    def seconds(self) -> float:
        return WAIT_S if self.case.outcome == SERVED else REFUSED_S


# -- the clients: each says what became of a case, in the words above ----------------------------

# By what a client says, the first that fits.
_MEANINGS = (
    (re.compile(r"certificate.verify.failed|command : SSL handshake failed", re.I), DISTRUSTED),
    (re.compile(r"authentication error|authentication failed|SaslAuthenticationFailed|_AUTHENTICATION|"
                r"Unsupported ?SASL ?mechanism|IllegalSaslState|current SASL state|Unexpected handshake|"
                r"invalid credentials|not enabled in the server|insufficient_scope", re.I), DENIED),
)


def meaning(said: str) -> str:
    """Return which outcome it is that a client speaks of; ENDED if it does not tell."""
    return next((outcome for pattern, outcome in _MEANINGS if pattern.search(said)), ENDED)


class Heard(logging.Handler):
    """The warnings in a client's log, in a thread of that name."""

    def __init__(self, thread_name: str) -> None:
        super().__init__(logging.WARNING)
        self._thread_name = thread_name
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def emit(self, record: logging.LogRecord) -> None:
        if record.threadName == self._thread_name:
            self.lines.put(record.getMessage())


@contextmanager
def heard(logger: str, thread_name: str) -> Iterator[queue.SimpleQueue[str]]:
    handler = Heard(thread_name)
    logging.getLogger(logger).addHandler(handler)
    try:
        yield handler.lines
    finally:
        logging.getLogger(logger).removeHandler(handler)


def librdkafka(at: At) -> dict[str, Any]:
    case, files = at.case, at.files
    config: dict[str, Any] = {
        "bootstrap.servers": at.address, "security.protocol": case.protocol.lower(),
        "ssl.ca.location": files.ca, "reconnect.backoff.ms": 100,
        "message.timeout.ms": int(at.seconds() * 1000)}
    if files.certificate is not None:
        config |= {"ssl.certificate.location": files.certificate, "ssl.key.location": files.key}
    if case.mechanism:
        config["sasl.mechanisms"] = case.mechanism
    if not case.token:
        config |= {"sasl.username": case.user, "sasl.password": case.password}
    return config


def with_confluent(at: At) -> str:
    """Write a record; the first error says what is wrong."""
    errors: list[KafkaError] = []
    delivered: list[KafkaError | None] = []
    config = librdkafka(at) | {"error_cb": lambda error: errors.append(error), "log_level": 0}
    if at.case.token:
        config["oauth_cb"] = lambda _: (token(at.case.token), time.time() + 3600)
    producer = Producer(config)
    producer.produce(TOPIC, b"value", on_delivery=lambda error, _: delivered.append(error))
    while not delivered and not errors:
        producer.poll(0.1)
    producer.purge()
    producer.flush(WAIT_S)
    if delivered[0] is None:
        return SERVED
    return meaning(f"{errors[0].name()} {errors[0].str()}" if errors else "")


class Token(AbstractTokenProvider):  # type: ignore[misc]
    def __init__(self, value: str) -> None:
        super().__init__()
        self._value = value

    def token(self) -> str:
        return self._value


def with_kafka_python(at: At) -> str:
    """Ask for the topics; the first warning says what is wrong."""
    case, files = at.case, at.files
    name = f"{threading.get_ident()}-{at.address}"
    with heard("kafka.net.manager", f"kafka-io-{name}") as lines:
        consumer = KafkaConsumer(
            client_id=name, bootstrap_servers=at.address, security_protocol=case.protocol,
            ssl_cafile=files.ca, ssl_certfile=files.certificate, ssl_keyfile=files.key,
            sasl_mechanism=case.mechanism or None, sasl_plain_username=case.user,
            sasl_plain_password=case.password,
            sasl_oauth_token_provider=Token(token(case.token)) if case.token else None,
            # It need not find out, which its constructor would wait for.
            api_version=(3, 8))
        try:
            if case.outcome == SERVED:
                return SERVED if TOPIC in consumer.topics() else "it has not the topic"
            return meaning(lines.get(timeout=WAIT_S))
        except queue.Empty:
            return SERVED
        finally:
            consumer.close()


class AsyncToken(AsyncTokenProvider):  # type: ignore[misc]
    def __init__(self, value: str) -> None:
        self._value = value

    async def token(self) -> str:
        return self._value


def with_aiokafka(at: At) -> str:
    """Write a record; its warnings say what is wrong."""
    case, files = at.case, at.files

    async def write() -> None:
        producer = AIOKafkaProducer(
            bootstrap_servers=at.address, security_protocol=case.protocol,
            ssl_context=files.ssl_context() if "SSL" in case.protocol else None,
            sasl_mechanism=case.mechanism or "PLAIN", sasl_plain_username=case.user,
            sasl_plain_password=case.password,
            sasl_oauth_token_provider=AsyncToken(token(case.token)) if case.token else None,
            request_timeout_ms=int(at.seconds() * 1000))
        try:
            await producer.start()
            await producer.send_and_wait(TOPIC, b"value")
        finally:
            await producer.stop()

    with heard("aiokafka", threading.current_thread().name) as lines:
        try:
            asyncio.run(write())
            return SERVED
        except AiokafkaError:
            return meaning("\n".join(lines.get() for _ in range(lines.qsize())))


def with_kcat(at: At) -> str:
    """Write a record; what it complains of says what is wrong."""
    config = librdkafka(at)
    if at.case.token:
        config |= {"enable.sasl.oauthbearer.unsecure.jwt": "true",
                   "sasl.oauthbearer.config": " ".join(
                       [f"principal={USER}", *(f"scope={scope}" for scope in scopes(at.case))])}
    done = subprocess.run(
        [str(KCAT), "-P", "-t", TOPIC, *(f"-X{name}={value}" for name, value in config.items())],
        input=b"value", capture_output=True, timeout=2 * WAIT_S)
    return meaning(done.stderr.decode()) if done.returncode else SERVED


def scopes(case: Case) -> list[str]:
    """Return the scopes of a token, of which there is one at most."""
    scope = {"scope": SCOPE, **TOKENS[case.token]}["scope"]
    return [] if scope is None else [scope]


class JavaClient:
    """Kafka's own, as kafka-topics.sh has it; in one JVM, one after the other."""

    def __init__(self, jars: Path, folder: Path) -> None:
        script = load("peers/kafka_tools")
        self._step = script.Step
        self._tools = script.Tools(jars, folder)
        self._config = folder / "client.properties"

    def __call__(self, at: At) -> str:
        """Ask for the topics; what it prints says what is wrong."""
        self._config.write_text("".join(f"{name}={value}\n" for name, value in self._properties(at).items()))
        step = self._step("topics", "org.apache.kafka.tools.TopicCommand", (
            "--bootstrap-server", "@broker", "--list", "--command-config", str(self._config)))
        status, printed = self._tools.run(step, at.address)
        if status == 0:
            return SERVED if TOPIC in printed.split() else "it has not the topic"
        return meaning(printed)

    def _properties(self, at: At) -> dict[str, str]:
        case, files = at.case, at.files
        timeout_ms = int(at.seconds() * 1000)
        props = {"security.protocol": case.protocol, "ssl.truststore.type": "PEM",
                 "ssl.truststore.location": files.ca,
                 "default.api.timeout.ms": str(timeout_ms), "request.timeout.ms": str(timeout_ms)}
        if files.certificate is not None and files.key is not None:
            keystore = Path(f"{files.key}.store")
            keystore.write_text(Path(files.key).read_text() + Path(files.certificate).read_text())
            props |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(keystore)}
        if case.mechanism:
            package = "org.apache.kafka.common.security"
            login = f'username="{case.user}" password="{case.password}"'
            module = {"PLAIN": f"plain.PlainLoginModule required {login}",
                      "OAUTHBEARER": "oauthbearer.OAuthBearerLoginModule required "
                                     f'unsecuredLoginStringClaim_sub="{USER}"',
                      }.get(case.mechanism, f"scram.ScramLoginModule required {login}")
            if case.token:
                module += "".join(f' unsecuredLoginStringClaim_scope="{each}"' for each in scopes(case))
            props |= {"sasl.mechanism": case.mechanism, "sasl.jaas.config": f"{package}.{module};"}
        return props

    def close(self) -> None:
        self._tools.close()


class Client(NamedTuple):
    """A client, and where it is not as the others."""

    run: Callable[[At], str]
    # It makes its tokens itself, and can be told their scope.
    makes_tokens: bool = False
    # If the broker names authorities, it does not send a certificate of another.
    holds_certificates_back: bool = False
    # It takes what is wrong with a token for a part of the exchange, and goes on.
    passes_over_bad_tokens: bool = False
    # It may see the end of a connection before it has read the answer that came with it.
    may_miss_answers: bool = False

    def expected(self, case: Case, names_authorities: bool) -> set[str]:
        """Return which outcomes are right, with a broker that names its authorities, or does not."""
        if self.holds_certificates_back and names_authorities and (
                (case.listener, case.files) == ("REQUESTED", "stranger")):
            return {SERVED}
        if self.passes_over_bad_tokens and case.token and case.listener != "ONLYPLAIN" and (
                case.outcome == DENIED):
            return {ENDED}
        if self.may_miss_answers and case.outcome == DENIED:
            return {DENIED, ENDED}
        return {case.outcome}

    def cases(self) -> list[Case]:
        """Return the cases that the client can have."""
        return [case for case in cases() if not self.makes_tokens
                or case.token in ("", "token", "token without scope", "token of another scope")]


CLIENTS = {
    "kcat": Client(with_kcat, makes_tokens=True),
    "confluent-kafka": Client(with_confluent, holds_certificates_back=True),
    "kafka-python": Client(with_kafka_python, may_miss_answers=True),
    "aiokafka": Client(with_aiokafka, passes_over_bad_tokens=True),
}


class Place(NamedTuple):
    """Where a broker's listeners are, and what clients may have."""

    ports: Mapping[str, int]
    files: Mapping[str, ClientFiles]
    # Kafka does; D222.
    names_authorities: bool


def wrong_outcomes(client: Client, place: Place, at_once: int) -> dict[str, str]:
    """Return what came of those cases that did not come out as they should."""
    chosen = client.cases()

    def run(case: Case) -> str:
        return client.run(At(case, f"{HOST}:{place.ports[case.listener]}", place.files[case.files]))

    with ThreadPoolExecutor(at_once) as pool:
        found = dict(zip(chosen, pool.map(run, chosen)))
    expected = {case: client.expected(case, place.names_authorities) for case in chosen}
    return {case.title(): f"{outcome} instead of {' or '.join(sorted(expected[case]))}"
            for case, outcome in found.items() if outcome not in expected[case]}


def wrong_outcomes_in_a_process(name: str, place: Place) -> dict[str, str]:
    """Return the same of a client of CLIENTS, in a process of its own: what some leave goes with it."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, name], input=json.dumps(place), stdout=subprocess.PIPE, text=True,
        check=True, timeout=4 * WAIT_S)
    found: dict[str, str] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    ports, files, names_authorities = json.load(sys.stdin)
    given = Place(ports, {name: ClientFiles(*each) for name, each in files.items()}, names_authorities)
    json.dump(wrong_outcomes(CLIENTS[sys.argv[1]], given, at_once=8), sys.stdout)
