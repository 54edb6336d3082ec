# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ApiKeysTest."""

from __future__ import annotations

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.jdk.exceptions import IllegalArgumentException


def test_for_id_with_invalid_id_low() -> None:
    with pytest.raises(IllegalArgumentException, match="^Unexpected api key: -1$"):
        ApiKeys.for_id(-1)


def test_for_id_with_invalid_id_high() -> None:
    with pytest.raises(IllegalArgumentException):
        ApiKeys.for_id(10000)


def test_alter_partition_is_cluster_action() -> None:
    assert ApiKeys.ALTER_PARTITION.cluster_action


def test_response_throttle_time() -> None:
    """Every answer to a client has a throttle time, but those of brokers to each other, and of SASL."""
    authentication = {ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE}
    throttled_cluster_actions = {ApiKeys.ALTER_PARTITION, ApiKeys.ALLOCATE_PRODUCER_IDS,
                                 ApiKeys.UPDATE_FEATURES}
    for api_key in ApiKeys.client_apis():
        fields = {field.name for field in api_key.message_type.response_class().SCHEMA.fields
                  if field.is_in(api_key.latest_version())}
        expected = api_key not in authentication and (
            not api_key.cluster_action or api_key in throttled_cluster_actions)
        assert ("throttleTimeMs" in fields) == expected, api_key


def test_api_scope() -> None:
    assert [api_key for api_key in ApiKeys.values() if not api_key.message_type.listeners()] == []


def test_every_key_is_found_by_its_id() -> None:
    assert [api_key.id for api_key in ApiKeys.values()] == list(range(76))
    for api_key in ApiKeys.values():
        assert ApiKeys.for_id(api_key.id) is api_key
        assert ApiKeys.has_id(api_key.id)
        assert getattr(ApiKeys, str(api_key)) is api_key
    assert not ApiKeys.has_id(76)


def test_names() -> None:
    assert ApiKeys.API_VERSIONS.name == "ApiVersions"
    assert str(ApiKeys.API_VERSIONS) == "API_VERSIONS"
    assert ApiKeys.OFFSET_FOR_LEADER_EPOCH.name == "OffsetForLeaderEpoch"


def test_versions() -> None:
    assert ApiKeys.PRODUCE.all_versions() == list(range(12))
    assert ApiKeys.PRODUCE.is_version_supported(11)
    assert not ApiKeys.PRODUCE.is_version_supported(12)
    assert not ApiKeys.PRODUCE.is_version_enabled(-1, True)
    assert ApiKeys.API_VERSIONS.is_version_enabled(1000, False)
    assert not ApiKeys.API_VERSIONS.is_version_supported(1000)
    assert ApiKeys.PRODUCE.is_version_deprecated(6)
    assert not ApiKeys.PRODUCE.is_version_deprecated(7)
    assert not ApiKeys.HEARTBEAT.is_version_deprecated(0)


def test_an_unstable_version_counts_if_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    # This release has none but Kafka 4.0's version of heartbeats (D312).
    assert [api_key for api_key in ApiKeys.values() if api_key.message_type.latest_version_unstable()] == [
        ApiKeys.CONSUMER_GROUP_HEARTBEAT]
    message_type, api_key = ApiKeys.LIST_OFFSETS.message_type, ApiKeys.LIST_OFFSETS
    monkeypatch.setattr(message_type, "_latest_version_unstable", True)
    latest = message_type.highest_supported_version(True)
    assert message_type.highest_supported_version(False) == latest - 1
    monkeypatch.setattr(api_key, "_latest_stable_version", latest - 1)
    assert api_key.latest_version(False) == latest - 1
    assert api_key.is_version_enabled(latest, True)
    assert not api_key.is_version_enabled(latest, False)
    version = api_key.to_api_version(False)
    assert version is not None and version.max_version == latest - 1
    monkeypatch.setattr(api_key, "_latest_stable_version", -1)
    assert api_key.to_api_version(False) is None


def test_listeners() -> None:
    assert ApiKeys.SASL_HANDSHAKE.in_scope(ListenerType.BROKER)
    assert ApiKeys.VOTE.in_scope(ListenerType.CONTROLLER)
    assert not ApiKeys.VOTE.in_scope(ListenerType.BROKER)
    for listener in ListenerType:
        assert ApiKeys.apis_for_listener(listener) == [
            api_key for api_key in ApiKeys.values() if api_key.in_scope(listener)]
    assert set(ApiKeys.client_apis()) == {*ApiKeys.apis_for_listener(ListenerType.ZK_BROKER),
                                          *ApiKeys.apis_for_listener(ListenerType.BROKER)}


def test_requires_delayed_allocation() -> None:
    assert ApiKeys.PRODUCE.requires_delayed_allocation
    # A forwarded request keeps its buffer, too.
    assert ApiKeys.CREATE_TOPICS.requires_delayed_allocation
    assert not ApiKeys.FETCH.requires_delayed_allocation
    assert not ApiKeys.METADATA.requires_delayed_allocation


@pytest.mark.parametrize("api_key", [
    key for key in ApiKeys.values() if key is not ApiKeys.API_VERSIONS],
                         ids=lambda key: key.name)
def test_the_versions_from_the_oldest_to_the_latest_are_enabled(api_key: ApiKeys) -> None:
    enabled = [version for version in range(-1, api_key.latest_version() + 2)
               if api_key.is_version_enabled(version, True)]
    assert enabled == [*range(api_key.oldest_version(), api_key.latest_version() + 1)]
