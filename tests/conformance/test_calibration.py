# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The suite against brokers that pass it: kreactor, and a Kafka 3.8.0 named by KREACTOR_ORACLE=host:port."""

from __future__ import annotations

import os

import pytest

from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case
from kreactor.conformance.connection import Credentials, Target
from kreactor.conformance.report import as_text, is_as_expected
from kreactor.conformance.runner import Runner, Status, Verdict, ask_offer
from kreactor.testing import Broker
from kreactor.testing.mock_time import MockTime

# An expected event comes within this on a busy machine; nothing waits for it to pass.
TIMEOUT_S = 120.0
OF_TLS = ("tls", "framing", "ordering", "endings", "slow", "records")
OF_SASL = ("sasl", "ordering", "groups")


def verdicts_of(target: Target, cases: list[Case]) -> list[Verdict]:
    """Return the verdicts on all of the cases, none of which failed."""
    verdicts = Runner(target, ask_offer(target), 4, changes_settings=True).run(cases)
    assert len(verdicts) == len(cases)
    assert is_as_expected(verdicts), "\n".join(as_text(str(target), verdicts))
    return verdicts


def judge(target: Target, cases: list[Case]) -> None:
    verdicts = verdicts_of(target, cases)
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


def named(*ids: str) -> list[Case]:
    return [case for case in all_cases() if case.id in ids]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_reauthentication_on_kreactor(mechanism: str) -> None:
    properties = {"connections.max.reauth.ms": 600_000}
    cases = [case for case in cases_of("reauthentication") if case.id != "reauthentication.too-often"]
    with Broker(sasl=mechanism, users={"alice": "alice-secret"}, properties=properties) as broker:
        user = Credentials(mechanism, "alice", "alice-secret")
        verdicts = verdicts_of(target_of(broker.bootstrap_servers, sasl=user), cases)
    not_testable = {verdict.case.id for verdict in verdicts if verdict.status is Status.NOT_TESTABLE}
    of_plain = {f"reauthentication.{name}" for name in ("in-order", "at-once", "wrong-password")}
    assert not_testable == {f"reauthentication.{name}" for name in ("expired", "late")} | (
        {"reauthentication.other-user"} if mechanism == "PLAIN" else of_plain)


def test_reauthentication_too_often_on_kreactor() -> None:
    """The broker's time stands still, so that less than a second passes."""
    with Broker(sasl="PLAIN", users={"alice": "alice-secret"}, time=MockTime(),
                properties={"connections.max.reauth.ms": 600_000}) as broker:
        user = Credentials("PLAIN", "alice", "alice-secret")
        (verdict,) = verdicts_of(target_of(broker.bootstrap_servers, sasl=user),
                                 named("reauthentication.too-often"))
    assert verdict.status is Status.PASSED


def test_sessions_that_end_on_kreactor() -> None:
    with Broker(sasl="PLAIN", users={"alice": "alice-secret"},
                properties={"connections.max.reauth.ms": 500}) as broker:
        user = Credentials("PLAIN", "alice", "alice-secret")
        verdicts = verdicts_of(target_of(broker.bootstrap_servers, sasl=user),
                               named("reauthentication.expired", "reauthentication.late"))
    assert [verdict.status for verdict in verdicts] == [Status.PASSED] * 2


def test_idle_connections_on_kreactor() -> None:
    with Broker(properties={"connections.max.idle.ms": 10_000}) as broker:
        verdicts = verdicts_of(target_of(broker.bootstrap_servers), cases_of("idle"))
    assert [verdict.status for verdict in verdicts] == [Status.PASSED] * 4


@pytest.mark.skipif("KREACTOR_ORACLE" not in os.environ,
                    reason="KREACTOR_ORACLE=host:port names a Kafka 3.8.0, and is not set")
def test_every_case_on_kafka() -> None:
    judge(target_of(os.environ["KREACTOR_ORACLE"]), list(all_cases()))
