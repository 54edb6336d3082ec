# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.AppInfoParserTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The metrics of a client's version."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.requests.api_versions_request import ApiVersionsRequest
from kreactor.common.utils.app_info_parser import AppInfoParser
from kreactor.testing.mock_time import MockTime

EXPECTED = {"version": "3.8.0", "commit-id": AppInfoParser.DEFAULT_VALUE, "start-time-ms": 1552313875722}
METRICS_PREFIX = "app-info-test"
METRICS_ID = "test"


@pytest.fixture
def metrics() -> Iterator[Metrics]:
    with Metrics(time=MockTime(1)) as metrics:
        yield metrics
        AppInfoParser.unregister_app_info(METRICS_PREFIX, METRICS_ID, metrics)


def register(metrics: Metrics, id_: str = METRICS_ID) -> None:
    AppInfoParser.register_app_info(METRICS_PREFIX, id_, metrics, EXPECTED["start-time-ms"])


def values(metrics: Metrics) -> dict[str, object]:
    return {name: metric.metric_value() for name in EXPECTED
            if (metric := metrics.metric(metrics.metric_name(name, "app-info"))) is not None}


def test_register_app_info_registers_metrics(metrics) -> None:
    assert AppInfoParser.get_version() == EXPECTED["version"]
    assert AppInfoParser.get_commit_id() == EXPECTED["commit-id"]
    register(metrics)
    assert values(metrics) == EXPECTED
    # Again, and again.
    register(metrics)
    register(metrics)
    assert values(metrics) == EXPECTED


def test_unregister_app_info_unregisters_metrics(metrics) -> None:
    register(metrics)
    assert values(metrics) == EXPECTED
    AppInfoParser.unregister_app_info(METRICS_PREFIX, METRICS_ID, metrics)
    assert values(metrics) == {}
    register(metrics)
    assert values(metrics) == EXPECTED


def test_one_client_of_an_id_has_the_metrics(metrics) -> None:
    register(metrics)
    with Metrics(time=MockTime(1)) as others:
        register(others)
        assert values(others) == {}
        register(others, "another")
        assert values(others) == EXPECTED
        AppInfoParser.unregister_app_info(METRICS_PREFIX, "another", others)
    # Without metrics only the name is taken.
    AppInfoParser.register_app_info(METRICS_PREFIX, "none", None, 0)
    AppInfoParser.unregister_app_info(METRICS_PREFIX, "none", None)


def test_brokers_get_to_know_the_version() -> None:
    assert ApiVersionsRequest.Builder().build().data().client_software_version == AppInfoParser.get_version()
