# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ApiVersionsResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The broker's APIs with their versions, and the features of its cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.record.record_version import RecordVersion

ApiVersion = ApiVersionsResponseData.ApiVersion


class NodeApiVersions(Protocol):
    """The part of the client class NodeApiVersions that this module needs."""

    def all_supported_api_versions(self) -> Mapping[ApiKeys, ApiVersion]:
        """Return the supported versions of the node."""


class ApiVersionsResponse(AbstractResponse):
    """:origin: common.requests.ApiVersionsResponse"""

    __slots__ = ("_data",)

    UNKNOWN_FINALIZED_FEATURES_EPOCH = -1

    def __init__(self, data: ApiVersionsResponseData) -> None:
        """:origin: common.requests.ApiVersionsResponse#ApiVersionsResponse(ApiVersionsResponseData)"""
        super().__init__(ApiKeys.API_VERSIONS)
        self._data = data

    def data(self) -> ApiVersionsResponseData:
        """:origin: common.requests.ApiVersionsResponse#data()"""
        return self._data

    def api_version(self, api_key: int) -> ApiVersion | None:
        """Return the versions of an API, or None for an unsupported one.

        :origin: common.requests.ApiVersionsResponse#apiVersion(short)
        """
        for api_version in self._data.api_keys:
            if api_version.api_key == api_key:
                return api_version
        return None

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ApiVersionsResponse#errorCounts()"""
        return self._error_counts_error(Errors.for_code(self._data.error_code))

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ApiVersionsResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ApiVersionsResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ApiVersionsResponse#shouldClientThrottle(short)"""
        return version >= 2

    def zk_migration_ready(self) -> bool:
        """Return whether this controller is ready for a migration from ZooKeeper.

        :origin: common.requests.ApiVersionsResponse#zkMigrationReady()
        """
        return self._data.zk_migration_ready

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ApiVersionsResponse:
        """Return the response. It has version 0 if the broker does not support the version of the request.

        :origin: common.requests.ApiVersionsResponse#parse(ByteBuffer, short)
        """
        position = buffer.position()
        try:
            return ApiVersionsResponse(ApiVersionsResponseData.read(buffer, version))
        except (RuntimeError, IllegalArgumentException):
            buffer.set_position(position)
            if version == 0:
                raise
            return ApiVersionsResponse(ApiVersionsResponseData.read(buffer, 0))

    # DEVIATION D47: features are a dict from name to range. Kafka has a class for them.
    @staticmethod
    def create_api_versions_response(
            throttle_time_ms: int, min_record_version: RecordVersion,
            latest_supported_features: Mapping[str, tuple[int, int]], finalized_features: Mapping[str, int],
            finalized_features_epoch: int, controller_api_versions: NodeApiVersions | None,
            listener_type: ListenerType, enable_unstable_last_version: bool, zk_migration_enabled: bool,
            client_telemetry_enabled: bool) -> ApiVersionsResponse:
        """Return the APIs of a listener.

        Omits forwardable APIs that the controller, if given, does not support.

        ``latest_supported_features`` has the lowest and the highest version of each feature.

        :origin: common.requests.ApiVersionsResponse#createApiVersionsResponse(int, RecordVersion,
            Features<SupportedVersionRange>, Map<String,Short>, long, NodeApiVersions, ListenerType, boolean,
            boolean, boolean)
        """
        if controller_api_versions is not None:
            api_keys = ApiVersionsResponse.intersect_forwardable_apis(
                listener_type, min_record_version, controller_api_versions.all_supported_api_versions(),
                enable_unstable_last_version, client_telemetry_enabled)
        else:
            api_keys = ApiVersionsResponse.filter_apis(
                min_record_version, listener_type, enable_unstable_last_version, client_telemetry_enabled)
        return ApiVersionsResponse.create_api_versions_response_api_versions(
            throttle_time_ms, api_keys, latest_supported_features, finalized_features,
            finalized_features_epoch, zk_migration_enabled)

    @staticmethod
    def create_api_versions_response_api_versions(
            throttle_time_ms: int, api_versions: list[ApiVersion],
            latest_supported_features: Mapping[str, tuple[int, int]], finalized_features: Mapping[str, int],
            finalized_features_epoch: int, zk_migration_enabled: bool) -> ApiVersionsResponse:
        """Return the response with these versions.

        :origin: common.requests.ApiVersionsResponse#createApiVersionsResponse(int, ApiVersionCollection,
            Features<SupportedVersionRange>, Map<String,Short>, long, boolean)
        """
        return ApiVersionsResponse(ApiVersionsResponse._create_api_versions_response_data(
            throttle_time_ms, Errors.NONE, api_versions, latest_supported_features, finalized_features,
            finalized_features_epoch, zk_migration_enabled))

    @staticmethod
    def filter_apis(min_record_version: RecordVersion, listener_type: ListenerType,
                    enable_unstable_last_version: bool, client_telemetry_enabled: bool) -> list[ApiVersion]:
        """Return the APIs of a listener.

        :origin: common.requests.ApiVersionsResponse#filterApis(RecordVersion, ListenerType, boolean, boolean)
        """
        api_keys = []
        for api_key in ApiKeys.apis_for_listener(listener_type):
            if api_key in _TELEMETRY_APIS and not client_telemetry_enabled:
                continue
            if api_key.min_required_inter_broker_magic <= min_record_version.value:
                api_version = api_key.to_api_version(enable_unstable_last_version)
                if api_version is not None:
                    api_keys.append(api_version)
        return api_keys

    @staticmethod
    def collect_apis(api_keys: Iterable[ApiKeys], enable_unstable_last_version: bool) -> list[ApiVersion]:
        """Return the versions of some APIs.

        :origin: common.requests.ApiVersionsResponse#collectApis(Set<ApiKeys>, boolean)
        """
        api_versions = (api_key.to_api_version(enable_unstable_last_version) for api_key in api_keys)
        return [api_version for api_version in api_versions if api_version is not None]

    @staticmethod
    def intersect_forwardable_apis(
            listener_type: ListenerType, min_record_version: RecordVersion,
            active_controller_api_versions: Mapping[ApiKeys, ApiVersion],
            enable_unstable_last_version: bool, client_telemetry_enabled: bool) -> list[ApiVersion]:
        """Return the APIs of a listener.

        For forwardable APIs, the versions are limited to those of the controller.

        :origin: common.requests.ApiVersionsResponse#intersectForwardableApis(ListenerType, RecordVersion,
            Map<ApiKeys,ApiVersion>, boolean, boolean)
        """
        api_keys = []
        for api_key in ApiKeys.apis_for_listener(listener_type):
            if api_key.min_required_inter_broker_magic <= min_record_version.value:
                broker_api_version = api_key.to_api_version(enable_unstable_last_version)
                if broker_api_version is None:
                    continue
                if api_key in _TELEMETRY_APIS and not client_telemetry_enabled:
                    continue
                if not api_key.forwardable:
                    final_api_version = broker_api_version
                else:
                    intersect_version = ApiVersionsResponse.intersect(
                        broker_api_version, active_controller_api_versions.get(api_key))
                    if intersect_version is None:
                        continue
                    final_api_version = intersect_version
                api_keys.append(final_api_version.duplicate())
        return api_keys

    @staticmethod
    def _create_api_versions_response_data(
            throttle_time_ms: int, error: Errors, api_keys: list[ApiVersion],
            latest_supported_features: Mapping[str, tuple[int, int]], finalized_features: Mapping[str, int],
            finalized_features_epoch: int, zk_migration_enabled: bool) -> ApiVersionsResponseData:
        """:origin: common.requests.ApiVersionsResponse#createApiVersionsResponseData(int, Errors,
            ApiVersionCollection, Features<SupportedVersionRange>, Map<String,Short>, long, boolean)
        """
        return ApiVersionsResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.code, api_keys=api_keys,
            supported_features=ApiVersionsResponse._create_supported_feature_keys(latest_supported_features),
            finalized_features=ApiVersionsResponse._create_finalized_feature_keys(finalized_features),
            finalized_features_epoch=finalized_features_epoch, zk_migration_ready=zk_migration_enabled)

    @staticmethod
    def _create_supported_feature_keys(
            latest_supported_features: Mapping[str, tuple[int, int]]
    ) -> list[ApiVersionsResponseData.SupportedFeatureKey]:
        """:origin: common.requests.ApiVersionsResponse#createSupportedFeatureKeys(
            Features<SupportedVersionRange>)
        """
        return [ApiVersionsResponseData.SupportedFeatureKey(name=name, min_version=lowest,
                                                            max_version=highest)
                for name, (lowest, highest) in latest_supported_features.items()]

    @staticmethod
    def _create_finalized_feature_keys(
            finalized_features: Mapping[str, int]) -> list[ApiVersionsResponseData.FinalizedFeatureKey]:
        """:origin: common.requests.ApiVersionsResponse#createFinalizedFeatureKeys(Map<String,Short>)"""
        return [ApiVersionsResponseData.FinalizedFeatureKey(name=name, min_version_level=level,
                                                            max_version_level=level)
                for name, level in finalized_features.items()]

    @staticmethod
    def intersect(this_version: ApiVersion | None, other: ApiVersion | None) -> ApiVersion | None:
        """Return the common versions, or None without common versions or if one argument is None.

        Raises IllegalArgumentException for different APIs.

        :origin: common.requests.ApiVersionsResponse#intersect(ApiVersion, ApiVersion)
        """
        if this_version is None or other is None:
            return None
        if this_version.api_key != other.api_key:
            raise IllegalArgumentException(f"thisVersion.apiKey: {this_version.api_key} must be equal to "
                                           f"other.apiKey: {other.api_key}")
        min_version = max(this_version.min_version, other.min_version)
        max_version = min(this_version.max_version, other.max_version)
        if min_version > max_version:
            return None
        return ApiVersion(api_key=this_version.api_key, min_version=min_version, max_version=max_version)

    @staticmethod
    def to_api_version(api_key: ApiKeys) -> ApiVersion:
        """Return all versions of an API.

        :origin: common.requests.ApiVersionsResponse#toApiVersion(ApiKeys)
        """
        return ApiVersion(api_key=api_key.id, min_version=api_key.oldest_version(),
                          max_version=api_key.latest_version())


_TELEMETRY_APIS = (ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.PUSH_TELEMETRY)
