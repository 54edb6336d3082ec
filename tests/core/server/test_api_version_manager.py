# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ApiVersionManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which APIs come in, and which are advertised."""

from __future__ import annotations

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.core.server.api_version_manager import DefaultApiVersionManager, SimpleApiVersionManager
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.client_metrics_receiver_plugin import ClientMetricsReceiverPlugin
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.mock_timer import MockTimer
from tests.server.metrics.client_metrics_test_utils import ClientMetricsReceiver


@pytest.mark.parametrize("api_scope", list(ListenerType))
def test_api_scope(api_scope: ListenerType) -> None:
    manager = SimpleApiVersionManager(api_scope, None, True)
    apis = ApiKeys.apis_for_listener(api_scope)
    assert set(manager.enabled_apis()) == set(apis)
    assert manager.listener_type() is api_scope
    assert manager.enable_unstable_last_version()
    assert all(manager.is_api_enabled(api, version) for api in apis for version in api.all_versions())


def test_disabled_apis(monkeypatch: pytest.MonkeyPatch) -> None:
    """3.8.0 has no version that may still change, so that one has to be made up."""
    latest = ApiKeys.METADATA.latest_version()
    monkeypatch.setattr(ApiKeys.METADATA, "_latest_stable_version", latest - 1)
    for unstable in (False, True):
        manager = SimpleApiVersionManager(ListenerType.BROKER, None, unstable)
        assert manager.is_api_enabled(ApiKeys.METADATA, latest) is unstable
        assert manager.is_api_enabled(ApiKeys.METADATA, latest - 1)
        advertised, = (api for api in manager.api_version_response(0).data().api_keys
                       if api.api_key == ApiKeys.METADATA.id)
        assert advertised.max_version == (latest if unstable else latest - 1)


def test_envelope_disabled_for_k_raft_broker() -> None:
    manager = SimpleApiVersionManager(ListenerType.BROKER, None, True)
    assert not manager.is_api_enabled(ApiKeys.ENVELOPE, 0)
    assert ApiKeys.ENVELOPE not in manager.enabled_apis()
    assert ApiKeys.ENVELOPE.id not in {
        api.api_key for api in manager.api_version_response(0).data().api_keys}


@pytest.mark.parametrize("unstable", [False, True])
def test_what_is_enabled_is_what_is_advertised(unstable: bool) -> None:
    manager = SimpleApiVersionManager(ListenerType.BROKER, KafkaApis.ENABLED_APIS, unstable)
    response = manager.api_version_response(7)
    data = response.data()
    assert (data.error_code, response.throttle_time_ms()) == (0, 7)
    # A node has no features, and comes from nowhere.
    assert data.supported_features == data.finalized_features == []
    assert (data.finalized_features_epoch, data.zk_migration_ready) == (-1, False)
    assert [version.api_key for version in data.api_keys] == sorted(api.id for api in KafkaApis.ENABLED_APIS)
    for advertised in data.api_keys:
        api = ApiKeys.for_id(advertised.api_key)
        for version in range(-2, api.latest_version(True) + 3):
            if api is not ApiKeys.API_VERSIONS:
                inside = advertised.min_version <= version <= advertised.max_version
                assert manager.is_api_enabled(api, version) is inside, (api, version)
    # Of this one any version may come (KIP-511).
    assert manager.is_api_enabled(ApiKeys.API_VERSIONS, 99)
    assert not manager.is_api_enabled(ApiKeys.VOTE, 0)


@pytest.mark.parametrize("throttle_time_ms", [0, 7])
def test_telemetry_is_advertised_while_somebody_wants_it(throttle_time_ms: int) -> None:
    plugin = ClientMetricsReceiverPlugin()
    telemetry = {ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY}
    with Metrics() as metrics, ClientMetricsManager(
            plugin, 1, Time.SYSTEM, metrics, expiration_timer=MockTimer()) as client_metrics_manager:
        manager = DefaultApiVersionManager(
            ListenerType.BROKER, KafkaApis.ENABLED_APIS, False, {}, {}, client_metrics_manager)

        def advertised() -> set[ApiKeys]:
            response = manager.api_version_response(throttle_time_ms)
            assert response.throttle_time_ms() == throttle_time_ms
            return {ApiKeys.for_id(api.api_key) for api in response.data().api_keys}

        assert advertised() == KafkaApis.ENABLED_APIS - telemetry
        assert all(manager.is_api_enabled(api, 0) for api in telemetry)
        plugin.add(ClientMetricsReceiver())
        assert advertised() == KafkaApis.ENABLED_APIS


def test_metrics_are_those_of_what_is_enabled() -> None:
    registry = MetricsRegistry()
    SimpleApiVersionManager(
        ListenerType.BROKER, {ApiKeys.METADATA, ApiKeys.FETCH}).new_request_metrics(registry)
    names = {name.get_mbean_name() for name in registry.all_metrics()}
    requests = {part.removeprefix("request=") for name in names for part in name.split(",")
                if part.startswith("request=")}
    assert requests == {
        "Metadata", "Fetch", "FetchConsumer", "FetchFollower", "AddPartitionsToTxnVerification"}
