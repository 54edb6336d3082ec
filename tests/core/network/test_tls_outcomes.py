# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Listeners of every kind at once, held against what Kafka 3.8.0 does with the same settings and files.

Against what was recorded, always; against a live Kafka if KREACTOR_ORACLE_SH names a script that starts one:
``start FOLDER KEY=VALUE...``, ``stop FOLDER``, PORT0 for its first port. It waits for the fifth. With
KREACTOR_RECORD=1 what the live one does is recorded.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.testing.tls import Tls
from tests.core.network.tls_outcomes import LISTENERS, RECORDED, outcomes, properties, recorded
from tests.core.server.brokers import new_broker

# Who is refused is told so with an alert of OpenSSL's choice, which says more. Kafka's, then ours.
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
    script = os.environ.get("KREACTOR_ORACLE_SH")
    if script is None:
        pytest.skip("needs a script that starts a Kafka 3.8.0, named by KREACTOR_ORACLE_SH")
    port0 = int(os.environ.get("PORT0", "19092"))
    ports = {name: port0 + 10 + number for number, name in enumerate(LISTENERS)}
    ports |= {"PLAINTEXT": port0, "SASLTLS": port0 + 4}
    props = properties(tls, ports)
    props["listeners"] += f",CONTROLLER://127.0.0.1:{port0 + 1}"
    props["listener.security.protocol.map"] += ",CONTROLLER:PLAINTEXT"
    folder = str(tmp_path / "oracle")
    subprocess.run([script, "start", folder, *(f"{key}={value}" for key, value in props.items())],
                   env={**os.environ, "PORT0": str(port0)}, check=True, timeout=240)
    try:
        live = outcomes(tls, ports.__getitem__)
    finally:
        subprocess.run([script, "stop", folder], check=True, timeout=120)
    if os.environ.get("KREACTOR_RECORD"):
        RECORDED.write_text(json.dumps(live, indent=1) + "\n", encoding="utf-8")
    compare(ours, live)
