# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Faults of a whole broker, in its answers to everything or to one API, and the cases that tell each.

``test_mutations`` has a fault for each rule. These are those that a suite overlooks because they come beside
what a case looks at: during its preparation, behind its last answer, or later than it should.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from kreactor.conformance import runner
from kreactor.conformance.areas import all_cases
from kreactor.conformance.cases import Case
from kreactor.conformance.codec import sized
from kreactor.conformance.connection import Credentials, Target
from kreactor.conformance.runner import Runner, Status, Verdict, ask_offer
from kreactor.testing import Broker
from tests.conformance.faulty import WAIT_S, Fault, Link, Proxy, Request
from tests.conformance.test_mutations import (
    SILENT_WITH_TOPIC_S,
    USER,
    always,
    as_bytes,
    came,
    doubled,
    nothing,
    one_more,
    reset,
    setting,
    swapped,
    with_id,
)
from tests.stepping import wait_until

LATE_S = 4.0
# Cases of each area that a broker without settings can be tested by: those that no fault here may break.
SAMPLE = (
    "framing.size.zero", "framing.quiet.at-first", "framing.quiet.after-an-answer", "framing.pieces.bytes",
    "protocols.http-get", "keys.unknown.next", "versions.Metadata.next", "versions.ApiVersions.all-alike",
    "headers.correlation-id.one", "headers.tags.unknown", "ordering.pipelined.three", "ordering.neighbours",
    "ordering.slow-first", "endings.half-close.at-once", "endings.half-close.after-one",
    "slow.neighbours.half-requests", "answers.offer.well-formed", "answers.ApiVersions.v3",
    "answers.Metadata.v1", "answers.Metadata.v12", "answers.ListGroups.v4", "records.Produce.v9",
    "records.Fetch.v15", "records.acks.zero-error", "records.batch.crc", "groups.JoinGroup.v9",
    "groups.Heartbeat.v4", "groups.OffsetCommit.v8", "throttling.produce.muted", "limits.per-ip",
    "bodies.Metadata.v12.cut.0", "contents.ListOffsets.v8.whole")


def of(name: str, fault: Any) -> Any:
    """Do ``fault`` with the responses of an API."""
    def response(link: Link, request: Request, response: bytes) -> None:
        if request.name == name:
            fault(link, request, response)
        else:
            link.answer(response)
    return response


def byte_by_byte(link: Link, request: Request, response: bytes) -> None:
    for byte in sized(response):
        link.answer_bytes(bytes((byte,)))


def late(link: Link, request: Request, response: bytes) -> None:
    time.sleep(LATE_S)
    link.answer(response)


def closed_late(link: Link) -> None:
    time.sleep(LATE_S)
    link.close()


def then_closed(link: Link, request: Request, response: bytes) -> None:
    link.answer(response)
    link.close()


def then_three_bytes(link: Link, request: Request, response: bytes) -> None:
    link.answer_bytes(sized(response) + b"\0\0\1")


def then_a_frame(link: Link, request: Request, response: bytes) -> None:
    link.answer(response)
    time.sleep(0.05)
    link.answer(bytes(8))


class ToAnother:
    """Gives an answer to the connection that has asked before, if both wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: tuple[Link, bytes] | None = None

    def __call__(self, link: Link, request: Request, response: bytes) -> None:
        with self._lock:
            held = self._held
            self._held = (link, response) if held is None else None
        if held is None:
            # A connection that is alone gets its own answer.
            time.sleep(0.2)
            with self._lock:
                alone = self._held is not None and self._held[0] is link
                self._held = None if alone else self._held
            if alone:
                link.answer(response)
        else:
            held[0].answer(response)
            link.answer(held[1])


def twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*rows, rows[0]]


def tags_out_of_order(response: bytes) -> bytes:
    """Return a response whose last structure has the tags 901 and 900 instead of none."""
    return response[:-1] + b"\2" + b"\x85\7\0" + b"\x84\7\0"


def not_utf_8(response: bytes) -> bytes:
    return response.replace(b"127.0.0.1", b"127.0.0.\xff")


def in_version_3(change: Any) -> Any:
    def response(link: Link, request: Request, response: bytes) -> None:
        new = request.name == "ApiVersions" and request.version == 3
        link.answer(change(response) if new else response)
    return response


EVERYWHERE = {
    "Metadata is answered twice": Fault(
        ("answers.Metadata.v1", "answers.Metadata.v12", "records.Produce.v9", "records.batch.crc",
         "groups.OffsetCommit.v8", "ordering.slow-first"), response=of("Metadata", doubled)),
    "DeleteTopics is answered twice": Fault(
        ("records.Produce.v9", "groups.OffsetCommit.v8", "throttling.produce.muted"),
        response=of("DeleteTopics", doubled)),
    "JoinGroup is answered twice": Fault(
        ("groups.JoinGroup.v9", "groups.Heartbeat.v4"), response=of("JoinGroup", doubled)),
    "Produce is answered twice": Fault(
        ("records.Produce.v9", "records.batch.crc"), response=of("Produce", doubled)),
    "DescribeConfigs is answered twice": Fault(("limits.per-ip",), response=of("DescribeConfigs", doubled)),
    "every answer comes twice": Fault(
        ("ordering.pipelined.three", "headers.correlation-id.one", "framing.quiet.after-an-answer"),
        response=doubled, spares_life_signs=False),
    "every answer has a byte more": Fault(
        ("answers.offer.well-formed", "answers.Metadata.v1", "headers.correlation-id.one",
         "records.Produce.v9", "groups.Heartbeat.v4", "contents.ListOffsets.v8.whole"),
        response=lambda link, request, response: link.answer(response + b"\0"), spares_life_signs=False),
    "answers lack their last byte": Fault(
        ("answers.Metadata.v12", "records.Produce.v9", "groups.JoinGroup.v9"),
        response=lambda link, request, response: link.answer(response[:-1])),
    "every answer has another correlation id": Fault(
        ("answers.offer.well-formed", "answers.Metadata.v12", "headers.correlation-id.one",
         "records.Produce.v9"),
        response=lambda link, request, response: link.answer(with_id(one_more)(response)),
        spares_life_signs=False),
    "a frame comes at each connect": Fault(
        ("answers.offer.well-formed", "framing.quiet.at-first", "ordering.pipelined.three",
         "answers.Metadata.v1", "records.Produce.v9"), connected=lambda link: link.answer(bytes(8))),
    "a frame comes a moment after each answer": Fault(
        ("framing.quiet.after-an-answer",), response=then_a_frame),
    "three bytes follow each answer": Fault(
        ("answers.Metadata.v12", "framing.quiet.after-an-answer", "groups.Heartbeat.v4"),
        response=then_three_bytes,
        timeout_s=SILENT_WITH_TOPIC_S),
    "each answer is the last of its connection": Fault(
        ("answers.Metadata.v12", "framing.quiet.after-an-answer", "ordering.pipelined.three"),
        response=then_closed),
    "every answer comes late": Fault(("answers.ListGroups.v4",), response=late),
    "every close comes late": Fault(
        ("framing.size.zero", "protocols.http-get", "keys.unknown.next", "versions.Metadata.next",
         "endings.half-close.at-once", "endings.half-close.after-one", "records.acks.zero-error",
         "bodies.Metadata.v12.cut.0"), closed=closed_late),
    "every close is a reset": Fault(
        ("framing.size.zero", "protocols.http-get", "endings.half-close.at-once",
         "bodies.Metadata.v12.cut.0"), closed=reset),
    "no connection is closed": Fault(
        ("framing.size.zero", "protocols.http-get", "keys.unknown.next", "versions.Metadata.next",
         "bodies.Metadata.v12.cut.0"), closed=nothing, timeout_s=SILENT_WITH_TOPIC_S),
    "two answers change their places": Fault(
        ("ordering.pipelined.three",), response=swapped, timeout_s=SILENT_WITH_TOPIC_S),
    "answers go to another connection": Fault(
        ("ordering.neighbours",), response=of("ApiVersions", ToAnother())),
    "an API is advertised twice": Fault(
        ("answers.offer.well-formed",), response=came(setting("apiKeys", to=twice), "ApiVersions"),
        spares_life_signs=False),
    "the newest ApiVersions has a byte more": Fault(
        ("answers.offer.well-formed", "answers.ApiVersions.v3"),
        response=in_version_3(lambda response: response + b"\0"), spares_life_signs=False),
    "the tags of an answer descend": Fault(
        ("answers.Metadata.v12",), response=as_bytes(tags_out_of_order, "Metadata")),
    "a string is not UTF-8": Fault(
        ("answers.Metadata.v1", "records.Produce.v9"), response=as_bytes(not_utf_8, "Metadata")),
    "CreateTopics names no topic": Fault(
        ("records.Produce.v9", "throttling.produce.muted", "ordering.slow-first"),
        response=came(setting("topics", to=always([])), "CreateTopics")),
    "CreateTopics fails for no reason": Fault(
        ("records.Fetch.v15", "groups.OffsetCommit.v8"),
        response=came(setting("topics", "errorCode", to=always(-1)), "CreateTopics")),
    "JoinGroup fails for no reason": Fault(
        ("groups.Heartbeat.v4",), response=came(setting("errorCode", to=always(-1)), "JoinGroup")),
    "Metadata names no broker": Fault(
        ("limits.per-ip",), response=came(setting("brokers", to=always([])), "Metadata")),
}


def claimed_delay(value: str) -> Any:
    def change(body: dict[str, Any]) -> None:
        for config in body["results"][0]["configs"]:
            config["value"] = value
    return came(change, "DescribeConfigs")


# On a broker with SASL, whose failed authentications end 100 ms later.
OF_SASL = {
    "a token is answered twice": Fault(
        ("sasl.user", "sasl.handshake.again"), response=of("SaslAuthenticate", doubled)),
    "a failed authentication ends before its delay": Fault(
        ("sasl.token.delay",), response=claimed_delay("2000")),
    "a failed authentication ends late": Fault(
        ("sasl.token.wrong-password", "sasl.before.Metadata", "sasl.handshake.unknown"), closed=closed_late),
    "a failed authentication ends by a reset": Fault(("sasl.token.garbage",), closed=reset),
}


@pytest.fixture
def broker() -> Iterator[tuple[str, int]]:
    with Broker() as broker:
        host, _, port = broker.bootstrap_servers.rpartition(":")
        yield host, int(port)


def judged(broker: tuple[str, int], fault: Fault, ids: set[str],
           sasl: Credentials | None = None) -> dict[str, Verdict]:
    before = threading.active_count()
    with Proxy(broker, fault) as proxy:
        target = Target("127.0.0.1", proxy.port, fault.timeout_s, sasl=sasl)
        # An authentication of its own is a part of each case, and may be that of a fault.
        offer = ask_offer(Target(*broker, WAIT_S, sasl=sasl) if sasl else replace(target, timeout_s=WAIT_S))
        cases = [case for case in all_cases() if case.id in ids]
        assert len(cases) == len(ids)

        def run(*cases: Case) -> list[Verdict]:
            return Runner(target, offer, changes_settings=True).run(cases)

        # An area waits for the one before. Limits are those of all cases that run.
        apart = [case for case in cases if case.area != "limits"]
        with ThreadPoolExecutor(len(cases)) as runners:
            verdicts = [verdict for found in runners.map(run, apart) for verdict in found]
        verdicts += run(*[case for case in cases if case.area == "limits"])
    wait_until(lambda: threading.active_count() <= before)
    return {verdict.case.id: verdict for verdict in verdicts}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_fault_is_told(broker: tuple[str, int], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_REPETITIONS", 1)
    fault = EVERYWHERE[name]
    found = judged(broker, fault, set(fault.cases))
    again = replace(fault, timeout_s=min(20 * fault.timeout_s, WAIT_S))
    if others := {id_ for id_ in fault.cases if found[id_].status is not Status.FAILED}:
        # A busy machine was slower than the fault.
        found |= judged(broker, again, others)
    assert {id_: verdict.status for id_, verdict in found.items() if id_ in fault.cases} == dict.fromkeys(
        fault.cases, Status.FAILED)


@pytest.mark.parametrize("name", [*OF_SASL, ""])
def test_a_fault_of_sasl_is_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_REPETITIONS", 1)
    fault = OF_SASL.get(name) or Fault(tuple({id_ for each in OF_SASL.values() for id_ in each.cases}))
    with Broker(sasl=USER.mechanism, users={USER.user: USER.password}) as broker:
        host, _, port = broker.bootstrap_servers.rpartition(":")
        found = judged((host, int(port)), fault, set(fault.cases), USER)
    assert {id_: verdict.status for id_, verdict in found.items()} == dict.fromkeys(
        fault.cases, Status.FAILED if name else Status.PASSED)


@pytest.mark.parametrize("fault", [Fault(), Fault(response=byte_by_byte, spares_life_signs=False)],
                         ids=["none", "byte by byte"])
def test_no_fault(broker: tuple[str, int], fault: Fault) -> None:
    found = judged(broker, fault, set(SAMPLE))
    assert {id_: (verdict.actual or verdict.reason) for id_, verdict in found.items()
            if verdict.status is not Status.PASSED} == {}
    assert found.keys() == set(SAMPLE)


def test_the_table_is_of_the_sample() -> None:
    assert {id_ for fault in EVERYWHERE.values() for id_ in fault.cases} <= set(SAMPLE)


def test_a_late_end_says_when_it_came(broker: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_REPETITIONS", 1)
    id_ = "framing.size.zero"
    verdict = judged(broker, EVERYWHERE["every close comes late"], {id_})[id_]
    match = re.fullmatch(r"closed after ([0-9.]+) s, then closed after ([0-9.]+) s; "
                         r"a round trip of the suite takes [0-9.]+ ms", verdict.actual)
    assert match is not None, verdict.actual
    assert min(map(float, match.groups())) >= LATE_S
    assert re.fullmatch(r"closed within [0-9.]+ s", verdict.expected)


def test_a_busy_machine_is_not_late(broker: tuple[str, int]) -> None:
    """The first close is late and the next is not, as on a machine that was busy for a moment."""
    count = iter(range(1000))

    def once_late(link: Link) -> None:
        if next(count) == 0:
            time.sleep(2.0)
        link.close()

    found = judged(broker, Fault(closed=once_late), {"framing.size.zero"})
    assert found["framing.size.zero"].status is Status.PASSED
    assert next(count) >= 2
