# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ApiVersionsResponseTest."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.jdk.exceptions import IllegalArgumentException

ApiVersion = ApiVersionsResponseData.ApiVersion


def create(listener_type: ListenerType, record_version: RecordVersion = RecordVersion.current(),
           throttle_time_ms: int = 0, telemetry: bool = True,
           features: Mapping[str, tuple[int, int]] = {}, finalized: Mapping[str, int] = {},
           epoch: int = ApiVersionsResponse.UNKNOWN_FINALIZED_FEATURES_EPOCH) -> ApiVersionsResponse:
    return ApiVersionsResponse.create_api_versions_response(
        throttle_time_ms, record_version, features, finalized, epoch, None, listener_type, True, False,
        telemetry)


def api_keys_in(response: ApiVersionsResponse) -> set[ApiKeys]:
    return {ApiKeys.for_id(version.api_key) for version in response.data().api_keys}


def assert_no_features(response: ApiVersionsResponse) -> None:
    data = response.data()
    assert data.supported_features == []
    assert data.finalized_features == []
    assert data.finalized_features_epoch == ApiVersionsResponse.UNKNOWN_FINALIZED_FEATURES_EPOCH


def assert_keys_for_magic(response: ApiVersionsResponse, max_magic: int) -> None:
    assert all(api_key.min_required_inter_broker_magic <= max_magic for api_key in api_keys_in(response))


@pytest.mark.parametrize("scope", ListenerType)
def test_should_have_correct_default_api_versions_response(scope: ListenerType) -> None:
    response = create(scope)
    assert len(response.data().api_keys) == len(ApiKeys.apis_for_listener(scope))
    for api_key in ApiKeys.apis_for_listener(scope):
        version = response.api_version(api_key.id)
        assert version is not None
        assert version.min_version == api_key.oldest_version()
        assert version.max_version == api_key.latest_version()
    assert response.api_version(1000) is None
    assert_no_features(response)


def test_should_have_commonly_agreed_api_version_response_with_controller_on_forwardable_apis() -> None:
    common = ApiVersionsResponse.intersect_forwardable_apis(
        ListenerType.ZK_BROKER, RecordVersion.current(), {
            api_key: ApiVersion(api_key=api_key.id, min_version=0, max_version=1)
            for api_key in (ApiKeys.CREATE_ACLS, ApiKeys.JOIN_GROUP)}, True, False)
    by_key = {version.api_key: version for version in common}
    assert by_key[ApiKeys.CREATE_ACLS.id] == ApiVersion(
        api_key=ApiKeys.CREATE_ACLS.id, min_version=0, max_version=1)
    assert by_key[ApiKeys.JOIN_GROUP.id] == ApiVersion(
        api_key=ApiKeys.JOIN_GROUP.id, min_version=ApiKeys.JOIN_GROUP.oldest_version(),
        max_version=ApiKeys.JOIN_GROUP.latest_version())
    # APIs that the controller does not speak are not offered.
    assert ApiKeys.DELETE_ACLS.id not in by_key


def test_a_controller_to_ask_narrows_what_is_offered() -> None:
    class Controller:
        def all_supported_api_versions(self) -> Mapping[ApiKeys, ApiVersion]:
            return {ApiKeys.CREATE_TOPICS: ApiVersion(api_key=ApiKeys.CREATE_TOPICS.id, min_version=3,
                                                      max_version=5)}

    response = ApiVersionsResponse.create_api_versions_response(
        0, RecordVersion.current(), {}, {}, -1, Controller(), ListenerType.ZK_BROKER, True, True, False)
    version = response.api_version(ApiKeys.CREATE_TOPICS.id)
    assert version is not None
    assert (version.min_version, version.max_version) == (3, 5)
    assert response.api_version(ApiKeys.DELETE_TOPICS.id) is None
    assert response.zk_migration_ready()


def test_should_create_api_response_only_with_keys_supported_by_magic_value() -> None:
    response = create(ListenerType.ZK_BROKER, RecordVersion.V1, 10)
    assert_keys_for_magic(response, RecordBatch.MAGIC_VALUE_V1)
    assert ApiKeys.END_TXN not in api_keys_in(response)
    assert response.throttle_time_ms() == 10
    assert_no_features(response)


def test_should_return_feature_keys_when_magic_is_current_value_and_throttle_ms_is_default_throttle() -> None:
    response = create(ListenerType.ZK_BROKER, RecordVersion.V1, 10, features={"feature": (1, 4)},
                      finalized={"feature": 3}, epoch=10)
    assert_keys_for_magic(response, RecordBatch.MAGIC_VALUE_V1)
    assert response.throttle_time_ms() == 10
    data = response.data()
    assert data.supported_features == [
        ApiVersionsResponseData.SupportedFeatureKey(name="feature", min_version=1, max_version=4)]
    assert data.finalized_features == [ApiVersionsResponseData.FinalizedFeatureKey(
        name="feature", min_version_level=3, max_version_level=3)]
    assert data.finalized_features_epoch == 10


@pytest.mark.parametrize("listener_type", [ListenerType.ZK_BROKER, ListenerType.BROKER])
def test_should_return_all_keys_when_magic_is_current_value_and_throttle_ms_is_default_throttle(
        listener_type: ListenerType) -> None:
    response = create(listener_type)
    assert api_keys_in(response) == set(ApiKeys.apis_for_listener(listener_type))
    assert response.throttle_time_ms() == AbstractResponse.DEFAULT_THROTTLE_TIME
    assert_no_features(response)


TELEMETRY = {ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY}


def test_should_create_api_response_with_telemetry_when_enabled() -> None:
    assert TELEMETRY <= api_keys_in(create(ListenerType.BROKER, RecordVersion.V1, 10, telemetry=True))


def test_should_not_create_api_response_with_telemetry_when_disabled() -> None:
    assert not TELEMETRY & api_keys_in(create(ListenerType.BROKER, RecordVersion.V1, 10, telemetry=False))


def test_metadata_quorum_apis_are_disabled() -> None:
    assert not api_keys_in(create(ListenerType.ZK_BROKER)) & {
        ApiKeys.VOTE, ApiKeys.BEGIN_QUORUM_EPOCH, ApiKeys.END_QUORUM_EPOCH, ApiKeys.DESCRIBE_QUORUM}


def test_intersect() -> None:
    intersect = ApiVersionsResponse.intersect
    assert intersect(None, None) is None
    with pytest.raises(IllegalArgumentException,
                       match="^thisVersion.apiKey: 10 must be equal to other.apiKey: 3$"):
        intersect(ApiVersion(api_key=10), ApiVersion(api_key=3))
    one = ApiVersion(api_key=1, min_version=0, max_version=0x7FFF)
    other = ApiVersion(api_key=1, min_version=-0x8000, max_version=10)
    expected = ApiVersion(api_key=1, min_version=0, max_version=10)
    assert intersect(one, None) is None
    assert intersect(None, other) is None
    assert intersect(one, other) == expected
    assert intersect(other, one) == expected
    assert intersect(one, ApiVersion(api_key=1, min_version=-2, max_version=-1)) is None


def test_collect_apis() -> None:
    collected = ApiVersionsResponse.collect_apis([ApiKeys.FETCH, ApiKeys.PRODUCE], True)
    assert collected == [ApiVersionsResponse.to_api_version(ApiKeys.FETCH),
                         ApiVersionsResponse.to_api_version(ApiKeys.PRODUCE)]
