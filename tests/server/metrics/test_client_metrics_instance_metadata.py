# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsInstanceMetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which clients a subscription means."""

from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.uuid import Uuid
from kreactor.jdk.regex import Pattern
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.server.metrics.client_metrics_instance_metadata import ClientMetricsInstanceMetadata
from tests.server.metrics.client_metrics_test_utils import CLIENT_ADDRESS, CLIENT_PORT, request_context

ID = Uuid.from_string("2ZbQ0rYSSGCaZf6jJ8ZOuw")
ALL = {
    "client_id": "producer-1",
    "client_instance_id": str(ID),
    "client_software_name": "apache-kafka-.*",
    "client_software_version": "3.5.2",
    "client_source_address": CLIENT_ADDRESS,
    "client_source_port": str(CLIENT_PORT),
}


def is_match(patterns: dict[str, str], metadata: ClientMetricsInstanceMetadata | None = None) -> bool:
    metadata = metadata or ClientMetricsInstanceMetadata(ID, request_context())
    return metadata.is_match({name: Pattern(pattern) for name, pattern in patterns.items()})


@pytest.mark.parametrize("patterns", [
    {}, {"client_id": ".*"}, {"client_id": "producer.*"}, *({name: value} for name, value in ALL.items())],
    ids=str)
def test_is_match_valid(patterns: dict[str, str]) -> None:
    assert is_match(patterns)


def test_is_match_multiple_pattern_valid() -> None:
    assert is_match(ALL)


@pytest.mark.parametrize(("name", "pattern"), [
    ("client_id", "producer-2"), ("client_id", "producer"), ("client_instance_id", f"{ID}random"),
    ("client_software_name", "apache-kafka-java-1"), ("client_software_version", "3.5.x"),
    ("client_source_address", "1.2.3.4"), ("client_source_port", "8080")])
def test_is_match_mismatch_fail(name: str, pattern: str) -> None:
    assert not is_match({**ALL, name: pattern})


def test_a_hostile_pattern_or_client_id_takes_few_steps(caplog: pytest.LogCaptureFixture) -> None:
    metadata = ClientMetricsInstanceMetadata(ID, request_context(client_id="a" * 30_000 + "-"))
    for pattern in ("(a+)+", "(a|aa)+b", "(.*)*b"):
        assert not is_match({"client_id": pattern}, metadata)
    assert is_match({"client_id": "(a+)+-"}, metadata)
    assert not caplog.records
    assert not is_match({"client_id": "(a?){1000}.*"}, metadata)
    assert "a subscription for client metrics does not match client id 'aaaa" in caplog.text
    assert len(caplog.text) < 1000


@pytest.mark.parametrize("pattern", [
    "a{99999999999999}", "(" * 15_000 + ")" * 15_000, "(?=a)", "(a)\\1", "a*+", "(?>a)", "[a",
    "((a{1000}){1000})"])
def test_a_pattern_that_re2_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidConfigurationException, match="Illegal client matching pattern"):
        ClientMetricsConfigs.parse_matching_patterns([f"client_id={pattern}"])


def test_is_match_with_invalid_key_fail() -> None:
    assert not is_match({"unknown": ".*"})
    assert not is_match({"*": ".*"})


def test_is_match_with_null_value_fail() -> None:
    metadata = ClientMetricsInstanceMetadata(ID, request_context(None))
    assert not is_match({"client_software_name": ".*"}, metadata)
    assert not is_match({"client_software_version": ".*"}, metadata)
