# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The suite against brokers that pass it: kreactor, and a Kafka 3.8.0 named by KREACTOR_ORACLE=host:port."""

from __future__ import annotations

import os

import pytest

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case
from kreactor.conformance.connection import Credentials, Target
from kreactor.conformance.report import as_text, is_as_expected
from kreactor.conformance.runner import Runner, Status, ask_offer
from kreactor.testing import Broker

# What has to come, comes within this on a busy machine; nothing waits for it to pass.
TIMEOUT_S = 120.0
OF_TLS = ("tls", "framing", "ordering", "endings", "slow", "records")
OF_SASL = ("sasl", "ordering", "groups")


def judge(target: Target, cases: list[Case]) -> None:
    verdicts = Runner(target, ask_offer(target), 4, changes_settings=True).run(cases)
    assert len(verdicts) == len(cases)
    assert is_as_expected(verdicts), "\n".join(as_text(str(target), verdicts))
    # A suite that finds nothing to test has judged nothing.
    passed = sum(verdict.status is Status.PASSED for verdict in verdicts)
    assert passed > len(cases) * 0.7, passed


def cases_of(*areas: str) -> list[Case]:
    return [case for case in all_cases() if case.default and case.area in areas]


def target_of(address: str, **more: object) -> Target:
    host, _, port = address.rpartition(":")
    return Target(host, int(port), TIMEOUT_S, **more)  # type: ignore[arg-type]


def test_the_default_selection_on_kreactor() -> None:
    with Broker() as broker:
        judge(target_of(broker.bootstrap_servers), [case for case in all_cases() if case.default])


def test_tls_on_kreactor() -> None:
    with Broker(tls=True) as broker:
        context = broker.tls.ssl_context(client_certificate=False)
        judge(target_of(broker.bootstrap_servers, tls=context), cases_of(*OF_TLS))


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_sasl_on_kreactor(mechanism: str) -> None:
    with Broker(sasl=mechanism, users={"alice": "alice-secret"}) as broker:
        user = Credentials(mechanism, "alice", "alice-secret")
        judge(target_of(broker.bootstrap_servers, sasl=user), cases_of(*OF_SASL))


@pytest.mark.skipif("KREACTOR_ORACLE" not in os.environ,
                    reason="KREACTOR_ORACLE=host:port names a Kafka 3.8.0, and is not set")
def test_every_case_on_kafka() -> None:
    judge(target_of(os.environ["KREACTOR_ORACLE"]), list(all_cases()))
