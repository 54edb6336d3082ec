# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Listeners of every kind at once, held against what Kafka 3.8.0 does with the same settings and files.

Against what was recorded, always; against a live Kafka if there can be one, see ``live_kafka``. With
KREACTOR_RECORD=1 what the live one does is recorded.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.testing.tls import Tls
from tests.common.network.openssl_peer import OPENSSL
from tests.core.network.live_kafka import live_kafka
from tests.core.network.tls_outcomes import LISTENERS, RECORDED, outcomes, properties, recorded
from tests.core.server.brokers import new_broker

# A refused peer gets an alert of OpenSSL's choice, which says more. Kafka's, then ours.
KNOWN_DIFFERENCES = {
    f"{listener}, {what}, {version}": (theirs, ours)
    for version in ("TLSv1_2", "TLSv1_3")
    for listener, what, theirs, ours in (
        ("MUTUAL", "no certificate", "SSLV3_ALERT_BAD_CERTIFICATE",
         "TLSV13_ALERT_CERTIFICATE_REQUIRED" if version == "TLSv1_3" else "SSLV3_ALERT_HANDSHAKE_FAILURE"),
        *((listener, *rest) for listener in ("MUTUAL", "REQUESTED") for rest in (
            ("a certificate of a stranger", "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "TLSV1_ALERT_UNKNOWN_CA"),
            ("an expired certificate", "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
             "SSLV3_ALERT_CERTIFICATE_EXPIRED"))))
} | {
    f"openssl, {what}": tuple(f"{version}, 2 certificates, {end}" for end in ends)
    for version, what, *ends in (
        *(("TLSv1.2", f"MUTUAL, -tls1_2{letter}", "sslv3 alert bad certificate",
           "sslv3 alert handshake failure") for letter in ("", " R")),
        *(("TLSv1.3", f"MUTUAL, -tls1_3{letter}", "sslv3 alert bad certificate",
           "tlsv13 alert certificate required") for letter in ("", " K")),
        *(("TLSv1.2", f"{listener}, -tls1_2 R", "closed", "no renegotiation")
          for listener in ("TLS", "REQUESTED")))
    if OPENSSL is not None
}


@pytest.fixture
def tls() -> Iterator[Tls]:
    tls = Tls()
    yield tls
    tls.close()


@pytest.fixture
def ours(tls: Tls, tmp_path: Path) -> dict[str, str]:
    with new_broker(tmp_path / "log", properties(tls, {})) as broker:
        return outcomes(tls, broker.bound_port)


def compare(ours: dict[str, str], theirs: dict[str, str]) -> None:
    assert ours.keys() == theirs.keys()
    different = {title: (theirs[title], ours[title]) for title in ours if ours[title] != theirs[title]}
    assert different == KNOWN_DIFFERENCES


def test_outcomes_beside_those_recorded(ours: dict[str, str]) -> None:
    compare(ours, recorded())


def test_outcomes_beside_a_live_broker(ours: dict[str, str], tls: Tls, tmp_path: Path) -> None:
    with live_kafka(tmp_path / "oracle", list(LISTENERS), lambda ports: properties(tls, ports)) as port:
        live = outcomes(tls, port)
    if os.environ.get("KREACTOR_RECORD"):
        RECORDED.write_text(json.dumps(live, indent=1) + "\n", encoding="utf-8")
    compare(ours, live)
