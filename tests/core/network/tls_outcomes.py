# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The fate of good and bad connections to listeners of every kind, as their peer sees it.

The same settings and the same files serve kreactor and Kafka. The outcomes of Kafka 3.8.0 are recorded beside
this.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from kreactor.testing.certificates import new_certificate
from kreactor.testing.tls import ClientFiles, Tls
from tests.common.network.openssl_peer import OPENSSL, OpensslClient

HOST = "127.0.0.1"
RECORDED = Path(__file__).parent / "tls_outcomes_3_8_0.json"
USER, PASSWORD = "alice", "alice-secret"
WAIT_S = 120
# ApiVersions v0 without a client id.
API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 7, -1)
# By name: the security protocol, and what is special.
LISTENERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "PLAINTEXT": ("PLAINTEXT", {}),
    "TLS": ("SSL", {}),
    "MUTUAL": ("SSL", {"ssl.client.auth": "required"}),
    "REQUESTED": ("SSL", {"ssl.client.auth": "requested"}),
    "EXPIRED": ("SSL", {"ssl.keystore.location": "expired"}),
    "OTHERHOST": ("SSL", {"ssl.keystore.location": "otherhost"}),
    "ONLY12": ("SSL", {"ssl.protocol": "TLSv1.2", "ssl.enabled.protocols": "TLSv1.2"}),
    "ONLY13": ("SSL", {"ssl.enabled.protocols": "TLSv1.3"}),
    "ONECIPHER": ("SSL", {
        "ssl.enabled.protocols": "TLSv1.2", "ssl.cipher.suites": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"}),
    "SASLPLAIN": ("SASL_PLAINTEXT", {}),
    "SASLTLS": ("SASL_SSL", {}),
}
_BY_OPENSSL = "openssl, "
# A peer that has nothing to do with TLS, and first records that are no handshake, or a broken one.
RAW = {
    "ApiVersions in plain text": API_VERSIONS,
    "HTTP": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "zeros": bytes(64),
    "a version that there is not": b"\x16\x02\x00\x00\x05hello",
    "a record that is too long": b"\x16\x03\x01\xff\xff" + bytes(100),
    "application data first": b"\x17\x03\x03\x00\x05hello",
    "a fatal alert first": b"\x15\x03\x03\x00\x02\x02\x28",
    "close_notify first": b"\x15\x03\x03\x00\x02\x01\x00",
    "a handshake of nonsense": b"\x16\x03\x01\x00\x08\x01\x00\x00\x04\xff\xff\xff\xff",
    "a handshake message that does not begin one": b"\x16\x03\x01\x00\x04\x0e\x00\x00\x00",
}


def properties(tls: Tls, ports: Mapping[str, int]) -> dict[str, str]:
    """Return a broker's properties for all listeners."""
    keystores = {"expired": tls.server_keystore("expired.pem", valid_for=timedelta(days=-1)),
                 "otherhost": tls.server_keystore("otherhost.pem", ("elsewhere.example",), ())}
    props = tls.properties(mutual=False)
    props |= {
        "listeners": ",".join(f"{name}://{HOST}:{ports.get(name, 0)}" for name in LISTENERS),
        "listener.security.protocol.map": ",".join(
            f"{name}:{protocol}" for name, (protocol, _) in LISTENERS.items()),
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
    }
    for name, (protocol, own) in LISTENERS.items():
        prefix = f"listener.name.{name.lower()}."
        props |= {f"{prefix}{key}": keystores.get(value, value) for key, value in own.items()}
        if protocol.startswith("SASL"):
            props[f"{prefix}plain.sasl.jaas.config"] = (
                "org.apache.kafka.common.security.plain.PlainLoginModule required "
                f'user_{USER}="{PASSWORD}";')
    return props


def outcomes(tls: Tls, port: Callable[[str], int]) -> dict[str, str]:
    """Return what becomes of every kind of connection."""
    known, nobody = ClientFiles(tls.ca, tls.certificate, tls.key), ClientFiles(tls.ca)
    stranger = tls.client("stranger", new_certificate("other authority"))
    expired = tls.client("expired", valid_for=timedelta(days=-1))
    found: dict[str, str] = {}
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        def ask(listener: str, title: str, files: ClientFiles, **options: object) -> None:
            found[f"{listener}, {title}, {version.name}"] = (
                secured(port(listener), context(files, version, **options)))

        for listener in ("TLS", "MUTUAL", "REQUESTED"):
            ask(listener, "no certificate", nobody)
            ask(listener, "a certificate", known)
            ask(listener, "a certificate of a stranger", stranger)
            ask(listener, "an expired certificate", expired)
        ask("TLS", "trusting another", ClientFiles(str(stranger.certificate)))
        for listener in ("EXPIRED", "OTHERHOST", "ONLY12", "ONLY13", "ONECIPHER"):
            ask(listener, "no certificate", nobody)
        ask("TLS", "old ciphers", nobody, ciphers="ECDHE-ECDSA-AES128-SHA256")
        ask("ONECIPHER", "another cipher", nobody, ciphers="ECDHE-ECDSA-AES128-GCM-SHA256")
        ask("ONLY12", "another cipher", nobody, ciphers="ECDHE-RSA-AES128-GCM-SHA256")
        ask("PLAINTEXT", "TLS", nobody)
        ask("SASLPLAIN", "TLS", nobody)
        ask("SASLTLS", "no certificate", nobody)
    for listener in ("TLS", "SASLTLS"):
        for title, data in RAW.items():
            found[f"{listener}, {title}"] = in_plain_text(port(listener), data)
    for listener in ("PLAINTEXT", "SASLPLAIN"):
        found[f"{listener}, ApiVersions"] = in_plain_text(port(listener), API_VERSIONS)[:2] and "answered"
    if OPENSSL is not None:
        for listener in ("TLS", "MUTUAL", "REQUESTED"):
            for option, letter in (("-tls1_1", ""), ("-tls1_2", ""), ("-tls1_3", ""), ("-tls1_2", "R"),
                                   ("-tls1_3", "K")):
                found[f"{_BY_OPENSSL}{listener}, {option} {letter}".rstrip()] = by_openssl(
                    port(listener), tls.ca, option, letter)
    return found


def context(files: ClientFiles, version: ssl.TLSVersion, ciphers: str | None = None) -> ssl.SSLContext:
    made = files.ssl_context()
    made.minimum_version = made.maximum_version = version
    # Python before 3.11.3 takes the end of a connection for one of TLS if it is not told otherwise.
    made.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
    if ciphers is not None:
        made.set_ciphers(ciphers)
    return made


def secured(port: int, made: ssl.SSLContext) -> str:
    """Return how a connection over TLS ends, or that its request was answered."""
    with socket.create_connection((HOST, port), WAIT_S) as connection:
        try:
            with made.wrap_socket(connection, server_hostname=HOST) as peer:
                # A client of TLS 1.3 hears of a refusal with the first answer.
                peer.sendall(API_VERSIONS)
                return f"answered over {peer.version()}" if peer.recv(4) else "closed"
        except ssl.SSLError as e:
            return str(e.reason)
        except ConnectionError:
            return "closed"


def by_openssl(port: int, ca: str, option: str, letter: str) -> str:
    """Return what openssl says of a connection, on which it does by ``letter`` what no library lets do.

    R begins a handshake anew, K changes the keys. After either a request is to be answered.
    """
    # It would not offer what is so old.
    old = ("-cipher", "ALL:@SECLEVEL=0") if option == "-tls1_1" else ()
    client = OpensslClient(port, ca, option, *old)
    try:
        printed = client.read_until_any(b"Verify return code: 0 (ok)\n")
        session = re.search(rb"^New, (?!.NONE.)(\S+), Cipher", printed, re.MULTILINE)
        told, rest = [], b""
        if session:
            certificates = re.findall(rb"^ *[0-9] s:", printed, re.MULTILINE)
            told += [session[1].decode(), f"{len(certificates)} certificates"]
            # It may have been refused, and have ended.
            with suppress(BrokenPipeError):
                if letter:
                    client.write(letter.encode() + b"\n")
                    rest += client.read_until_any(b"RENEGOTIATING\n", b"KEYUPDATE\n")
                client.write(API_VERSIONS)
            # A correlation id of 7 and no error.
            rest += client.read_until_any(b"\0\0\0\7\0\0")
        if rest.endswith(b"\0\0\0\7\0\0"):
            return ", ".join([*told, "answered"])
        # Of an end without an alert it says something or nothing, as that is seen by a read or a write.
        alert = re.search(rb"SSL routines:[^:]*:([^:]*(?:alert|renegotiation)[^:]*):", printed + rest)
        return ", ".join([*told, alert[1].decode() if alert else "closed"])
    finally:
        client.close()


def in_plain_text(port: int, data: bytes) -> str:
    """Return what comes back, in hex, until the server closes or, if that is an answer, until it is there."""
    received = b""
    with socket.create_connection((HOST, port), WAIT_S) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        try:
            while part := connection.recv(4096):
                received += part
        except ConnectionError:
            pass  # what was sent was not all read
    return received.hex()


def recorded() -> dict[str, str]:
    """Return what Kafka 3.8.0 did, as far as it can be tried here."""
    found: dict[str, str] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {title: outcome for title, outcome in found.items()
            if OPENSSL is not None or not title.startswith(_BY_OPENSSL)}
