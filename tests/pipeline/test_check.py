# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Every rule holds for a real broker, and is found violated where it was."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kreactor.pipeline import check as rules
from kreactor.pipeline.check import RULES, Rule, Verdict, check
from kreactor.pipeline.ingest import Options, ingest
from kreactor.pipeline.table import Table
from tests import longer
from tests.pipeline.conftest import THROTTLED
from tests.pipeline.logs import CONNECTION, line, request

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

API_VERSIONS = {"errorCode": 0, "apiKeys": [
    {"apiKey": key, "minVersion": 0, "maxVersion": high}
    for key, high in ((0, 11), (1, 16), (3, 12), (18, 3))]}
FETCH = {"maxWaitMs": 500, "minBytes": 1, "topics": [{"topic": "t"}]}
NOTHING = {"throttleTimeMs": 0, "errorCode": 0, "responses": [
    {"topic": "t", "partitions": [{"errorCode": 0, "recordsSizeInBytes": 0}]}]}
REFUSED = {"errorCode": 35, "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 3}]}


def versions(version: int = 3, **fields: Any) -> dict[str, Any]:
    return request(18, "API_VERSIONS", version, **{"response": API_VERSIONS, **fields})


def produce(acks: int, **fields: Any) -> dict[str, Any]:
    return request(0, "PRODUCE", 9, request={"transactionalId": None, "acks": acks}, **fields)


# For each rule lines that keep it and lines that do not: what is said, and when it was logged.
CASES: dict[Rule, tuple[list[tuple[dict[str, Any], float]], list[tuple[dict[str, Any], float]]]] = {
    rules.ONE_IN_FLIGHT: ([(request(), 10), (request(), 14)], [(request(), 10), (request(), 12.5)]),
    rules.STAGES_ADD_UP: (
        [(request(totalTimeMs=4.004), 10), (produce(-1, totalTimeMs=3.9), 20)],
        [(request(totalTimeMs=4.1), 10), (request(totalTimeMs=3.9), 20), (produce(-1, totalTimeMs=4.1), 30)]),
    rules.SASL_PRINCIPAL: (
        [(request(securityProtocol="SASL_SSL", principal="User:alice"), 10)],
        [(request(securityProtocol="SASL_SSL"), 10)]),
    rules.SASL_TOO_LATE: (
        [(request(17, "SASL_HANDSHAKE", 1, response={"errorCode": 34}), 10)],
        [(request(36, "SASL_AUTHENTICATE", 1), 10)]),
    rules.ADVERTISED: (
        [(versions(), 10), (request(version=12), 20)],
        [(versions(), 10), (request(version=13), 20), (request(49, "ALTER_CLIENT_QUOTAS", 0), 30)]),
    rules.UNSUPPORTED: (
        [(versions(), 10), (versions(9, response=REFUSED), 20)], [(versions(), 10), (versions(9), 20)]),
    rules.SILENCE: (
        [(request(throttleTimeMs=200), 10), (request(), 215)],
        [(request(throttleTimeMs=200), 10), (request(), 30)]),
    rules.IDLE: (
        [(request(), 10), (request(correlation_id=2), 599_000), (request(correlation_id=4), 1_400_000),
         # A connection is idle from the end of a request to the begin of the next, here for 590 s each time.
         (produce(-1, correlation_id=5, stages=(1, 1, 20_000, 0, 0)), 2_010_000),
         (request(correlation_id=6), 2_600_000)],
        [(request(), 10), (request(correlation_id=2), 620_000)]),
    rules.ONE_PRINCIPAL: (
        [(request(principal="User:a"), 10), (request(principal="User:b", isForwarded=True), 20),
         (request(principal="User:a"), 30), (request(principal="User:a"), 40)],
        [(request(principal="User:a"), 10), (request(principal="User:b"), 20)]),
    rules.WAITED: (
        [(request(1, "FETCH", 12, request=FETCH, response=NOTHING, stages=(0, 1, 500, 0, 0)), 600)],
        [(request(1, "FETCH", 12, request=FETCH, response=NOTHING), 600)]),
    rules.AT_ONCE: (
        [(request(stages=(0, 1, 1, 0, 0)), 10), (produce(1), 20),
         (produce(-1, stages=(0, 1, 99, 0, 0)), 130)],
        [(request(stages=(0, 1, 99, 0, 0)), 110), (produce(1, stages=(0, 1, 99, 0, 0)), 220)]),
    rules.NO_ANSWER: (
        [(produce(0, response=""), 10), (produce(1), 20)], [(produce(0), 10), (produce(1, response=""), 20)]),
}
# How many of the lines that break a rule do.
VIOLATIONS = {rules.STAGES_ADD_UP: 3, rules.ADVERTISED: 2, rules.AT_ONCE: 2, rules.NO_ANSWER: 2}


def judge(spark: SparkSession, folder: Path, keep: bool) -> dict[str, Verdict]:
    """Return the verdicts on the lines of all cases, each case a broker's log of its own."""
    folder.mkdir()
    for rule, lines in CASES.items():
        log = folder / f"{rule.name}.log"
        log.write_text("".join(f"{line(said, at)}\n" for said, at in lines[0 if keep else 1]))
        # Logs are told apart by listener and connection, and taken at once.
        text = log.read_text().replace(':50000-7"', f':{list(CASES).index(rule) + 1}-7"')
        log.write_text(text.replace('"listener":"PLAINTEXT"', f'"listener":"{rule.name}"'))
    table = Table(spark, str(folder.with_suffix(".table")))
    ingest(spark, [str(folder)], table, Options())
    return {verdict.rule.name: verdict for verdict in check(table.requests())}


def test_every_rule_that_can_be_decided_has_a_case() -> None:
    assert set(CASES) == {rule for rule in RULES if not rule.undecidable}
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_a_real_broker_keeps_its_word(requests: DataFrame) -> None:
    verdicts = check(requests)
    assert [verdict.rule for verdict in verdicts] == list(RULES)
    assert {verdict.rule.name: verdict.violated for verdict in verdicts if verdict.violated} == {}
    # Nobody was throttled in it.
    assert {verdict.rule for verdict in verdicts if verdict.word == "not decidable"} == {
        rules.SILENCE, rules.IN_ORDER, rules.UNAUTHENTICATED}


@pytest.fixture(scope="module")
def throttled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """Give the requests of a broker with quotas."""
    table = Table(spark, str(tmp_path_factory.mktemp("throttled") / "table"))
    ingest(spark, [str(THROTTLED)], table, Options())
    return table.requests()


def test_a_real_broker_with_quotas_keeps_its_word(throttled: DataFrame) -> None:
    verdicts = {verdict.rule: verdict for verdict in check(throttled)}
    assert {rule.name: verdict.violated for rule, verdict in verdicts.items() if verdict.violated} == {}
    with gzip.open(THROTTLED, "rt", encoding="utf-8") as stream:
        lines = list(stream)
    muted = [text for text in lines if re.search(r'"throttleTimeMs":[1-9]\d*,"responseQueue', text)]
    assert throttled.count() == len(lines)
    # Each connection's last may be followed by nothing.
    assert len(muted) - 3 <= verdicts[rules.SILENCE].checked <= len(muted)
    # The handler's work after its call for the throttle time is remote time.
    assert throttled.where("api = 'METADATA' AND remote_ms > 0").count() > 0


def test_a_client_that_is_not_silenced_is_found(spark: SparkSession, tmp_path: Path) -> None:
    with gzip.open(THROTTLED, "rt", encoding="utf-8") as stream:
        lines = [text for text in stream if '"clientId":"hasty"' in text]
    at = next(at for at, text in enumerate(lines) if '"throttleTimeMs":1000,"responseQueue' in text)
    time = datetime.fromisoformat(lines[at][1:24].replace(",", "."))
    early = (time + timedelta(milliseconds=100)).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    log = tmp_path / "request.log"
    log.write_text("".join([*lines[:at + 1], f"[{early}{lines[at + 1][24:]}"]))
    table = Table(spark, str(tmp_path / "table"))
    ingest(spark, [str(log)], table, Options())
    verdicts = {verdict.rule: verdict for verdict in check(table.requests())}
    assert [rule for rule, verdict in verdicts.items() if verdict.violated] == [rules.SILENCE]
    assert [(example["previous_line"], example["line"]) for example in verdicts[rules.SILENCE].examples] == [
        (at + 1, at + 2)]


def test_rules_that_are_kept_hold(spark: SparkSession, tmp_path: Path) -> None:
    verdicts = judge(spark, tmp_path / "kept", True)
    for rule in CASES:
        assert (verdicts[rule.name].word, rule.name) == ("holds", rule.name)


def test_every_violation_is_found(spark: SparkSession, tmp_path: Path) -> None:
    verdicts = judge(spark, tmp_path / "broken", False)
    for rule in CASES:
        verdict = verdicts[rule.name]
        own = [example for example in verdict.examples if example["file"].endswith(f"/{rule.name}.log")]
        assert verdict.word == "violated", rule.name
        assert verdict.violated >= VIOLATIONS.get(rule, 1), rule.name
        assert own, (rule.name, verdict.examples)


# Lines that a shipper of logs may keep, and samples.
FILTERS = longer.params(
    ["api = 'FETCH'", "api <> 'API_VERSIONS'", "line % 10 = 3"],
    ["client_id LIKE '%producer%'", "total_ms > 1", "line % 2 = 0", "xxhash64(line) % 4 = 0"],
    "Spark plans all rules anew for each condition")


@pytest.mark.parametrize("condition", FILTERS)
def test_a_log_that_lacks_lines_has_no_violation(requests: DataFrame, condition: str) -> None:
    verdicts = check(requests.where(condition))
    assert {verdict.rule.name: verdict.violated for verdict in verdicts if verdict.violated} == {}


@pytest.mark.parametrize("condition", longer.params(
    ["line % 2 = 0"], ["api = 'METADATA'", "throttle_ms = 0"],
    "Spark plans all rules anew for each condition"))
def test_a_throttled_log_that_lacks_lines_has_no_violation(throttled: DataFrame, condition: str) -> None:
    verdicts = check(throttled.where(condition))
    assert {verdict.rule.name: verdict.violated for verdict in verdicts if verdict.violated} == {}


def long_lived(table: Path, spark: SparkSession, keep: Callable[[dict[str, Any]], bool]) -> list[Verdict]:
    """Check what ``keep`` leaves of an hour of a connection that asks each minute, beside an upgrade."""
    old = {"errorCode": 0, "apiKeys": [{"apiKey": 3, "minVersion": 0, "maxVersion": 11}]}
    lines = [(versions(response=old, connection="127.0.0.1:9092-127.0.0.1:1-1"), 10.0)]
    lines += [(versions(correlation_id=0) if minute == 0 else request(correlation_id=minute),
               60_000.0 * (minute + 1)) for minute in range(60)]
    log = table.with_suffix(".log")
    log.write_text("".join(f"{line(said, at)}\n" for said, at in lines if keep(said)))
    ingest(spark, [str(log)], Table(spark, str(table)), Options())
    return check(Table(spark, str(table)).requests())


@pytest.mark.parametrize("every", longer.params([1, 20], [2], "2 is between the two others"))
def test_a_sampled_connection_is_not_idle_and_not_too_new(
        spark: SparkSession, tmp_path: Path, every: int) -> None:
    verdicts = long_lived(tmp_path / "table", spark, lambda said: (
        said["connection"] != CONNECTION or said["requestHeader"]["correlationId"] % every == every - 1))
    assert {verdict.rule.name: verdict.violated for verdict in verdicts if verdict.violated} == {}
    by_rule = {verdict.rule: verdict.checked for verdict in verdicts}
    assert by_rule[rules.IDLE] == (59 if every == 1 else 0)
    # Without its ApiVersions the connection may have been told anything.
    assert by_rule[rules.ADVERTISED] == (59 if every == 1 else 0)


def test_options_choose_what_is_judged_and_not_what_it_is_compared_with(
        spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as f

    log, table = tmp_path / "request.log", Table(spark, str(tmp_path / "table"))
    # The second Metadata begins 5 ms after a Fetch with a throttle time of 200 ms, and 10 s after the first.
    log.write_text("".join(f"{line(said, at)}\n" for said, at in (
        (request(), 10), (request(1, "FETCH", 12, correlation_id=2, throttleTimeMs=200), 10_000),
        (request(correlation_id=3), 10_009))))
    ingest(spark, [str(log)], table, Options())
    for condition, violated in (("api = 'METADATA'", 1), ("api = 'FETCH'", 0), ("correlation_id = 3", 1)):
        verdicts = {verdict.rule: verdict for verdict in check(table.requests(), chosen=f.expr(condition))}
        assert verdicts[rules.SILENCE].violated == violated, condition
        assert [example["line"] for example in verdicts[rules.SILENCE].examples] == [3] * violated


def test_what_a_log_cannot_tell_is_not_told(requests: DataFrame) -> None:
    words = {verdict.rule: verdict.word for verdict in check(requests.limit(10))}
    assert {rule.name: words[rule] for rule in RULES if rule.undecidable} == {
        rule.name: "not decidable" for rule in RULES if rule.undecidable}
    assert any(rule.undecidable for rule in RULES)
