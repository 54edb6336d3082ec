# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.metrics.ClientMetricsInstanceTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""When a client may ask for its subscription, and when it may send metrics."""

from __future__ import annotations

import pytest

from kreactor.common.uuid import Uuid
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from kreactor.server.metrics.client_metrics_instance import ClientMetricsInstance
from kreactor.server.metrics.client_metrics_instance_metadata import ClientMetricsInstanceMetadata
from tests.server.metrics.client_metrics_test_utils import request_context

NOW = 1_700_000_000_000
INTERVAL = ClientMetricsConfigs.DEFAULT_INTERVAL_MS


@pytest.fixture
def client_instance() -> ClientMetricsInstance:
    uuid = Uuid.random_uuid()
    return ClientMetricsInstance(
        uuid, ClientMetricsInstanceMetadata(uuid, request_context()), 0, 0, [], INTERVAL)


def test_maybe_update_request_timestamp_valid(client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_get_request_timestamp(NOW)
    assert client_instance.maybe_update_push_request_timestamp(NOW)


def test_maybe_update_get_request_after_elapsed_time_valid(client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_get_request_timestamp(NOW - INTERVAL)
    assert client_instance.maybe_update_get_request_timestamp(NOW)


def test_maybe_update_get_request_with_immediate_retry_fail(client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_get_request_timestamp(NOW)
    assert not client_instance.maybe_update_get_request_timestamp(NOW)


def test_maybe_update_push_request_after_elapsed_time_valid(client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_push_request_timestamp(NOW - INTERVAL)
    assert client_instance.maybe_update_push_request_timestamp(NOW)


def test_maybe_update_get_request_with_immediate_retry_after_push_fail(
        client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_push_request_timestamp(NOW)
    assert not client_instance.maybe_update_get_request_timestamp(NOW + 1)


def test_maybe_update_push_request_with_immediate_retry_fail(client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_push_request_timestamp(NOW)
    assert not client_instance.maybe_update_push_request_timestamp(NOW)


def test_maybe_update_push_request_with_immediate_retry_after_get_valid(
        client_instance: ClientMetricsInstance) -> None:
    assert client_instance.maybe_update_push_request_timestamp(NOW - INTERVAL)
    assert client_instance.maybe_update_get_request_timestamp(NOW)
    assert client_instance.maybe_update_push_request_timestamp(NOW + 1)
