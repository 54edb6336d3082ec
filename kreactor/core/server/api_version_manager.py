# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ApiVersionManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The APIs that a listener serves, and their versions. Safe for use by any thread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.api_versions_response import ApiVersion, ApiVersionsResponse
from kreactor.core.network.request_channel import RequestChannel
from kreactor.server.client_metrics_manager import ClientMetricsManager
from kreactor.server.metrics.yammer import MetricsRegistry

# The epoch of the finalized features. No request can change them, so it stays 0.
_FEATURES_EPOCH = 0
_TELEMETRY_APIS = (ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS.id, ApiKeys.PUSH_TELEMETRY.id)


class ApiVersionManager(ABC):
    """Tells which APIs and versions a listener serves.

    :origin: kafka.server.ApiVersionManager
    :origin: kafka.server.ApiVersionManager
    """

    @abstractmethod
    def enable_unstable_last_version(self) -> bool:
        """Return whether unstable versions are served.

        :origin: kafka.server.ApiVersionManager#enableUnstableLastVersion
        """

    @abstractmethod
    def listener_type(self) -> ListenerType:
        """:origin: kafka.server.ApiVersionManager#listenerType"""

    @abstractmethod
    def enabled_apis(self) -> Collection[ApiKeys]:
        """:origin: kafka.server.ApiVersionManager#enabledApis"""

    @abstractmethod
    def api_version_response(self, throttle_time_ms: int) -> ApiVersionsResponse:
        """Return the response to an ApiVersions request.

        :origin: kafka.server.ApiVersionManager#apiVersionResponse
        """

    def is_api_enabled(self, api_key: ApiKeys, api_version: int) -> bool:
        """Return whether a request of this API and version is accepted; ApiVersions is accepted in any
        version (KIP-511).

        :origin: kafka.server.ApiVersionManager#isApiEnabled
        """
        # DEVIATION D09: the origin serves every API of the listener's type. This node serves only the APIs
        # that it has.
        return (api_key in self.enabled_apis()
                and api_key.is_version_enabled(api_version, self.enable_unstable_last_version()))

    def new_request_metrics(self, registry: MetricsRegistry | None = None) -> RequestChannel.Metrics:
        """Return metrics for the served APIs.

        :origin: kafka.server.ApiVersionManager#newRequestMetrics
        """
        return RequestChannel.Metrics(self.enabled_apis(), registry)


class SimpleApiVersionManager(ApiVersionManager):
    """Serves a fixed set of APIs, each in all of its versions.

    :origin: kafka.server.SimpleApiVersionManager
    """

    def __init__(
        self,
        listener_type: ListenerType,
        enabled_apis: Collection[ApiKeys] | None = None,
        enable_unstable_last_version: bool = False,
        supported_features: Mapping[str, tuple[int, int]] | None = None,
        finalized_features: Mapping[str, int] | None = None,
        unstable_apis: Collection[ApiKeys] = (),
    ) -> None:
        """Serve all APIs of the listener type if ``enabled_apis`` is None. Features never change.

        The last version of each of ``unstable_apis`` is served, although that version is unstable.

        :origin: kafka.server.SimpleApiVersionManager#SimpleApiVersionManager
        """
        self._listener_type = listener_type
        self._enabled_apis = frozenset(
            ApiKeys.apis_for_listener(listener_type) if enabled_apis is None else enabled_apis)
        self._enable_unstable_last_version = enable_unstable_last_version
        # ApiVersions is also accepted in versions that are not listed here.
        self._enabled_versions = frozenset(
            (api_key, version) for api_key in self._enabled_apis for version in api_key.all_versions()
            if api_key.is_version_enabled(version, enable_unstable_last_version or api_key in unstable_apis))
        self._supported_features = supported_features or {}
        self._finalized_features = finalized_features or {}
        self._api_versions = [
            api_version for api in ApiKeys.values() if api in self._enabled_apis
            for api_version in ApiVersionsResponse.collect_apis(
                [api], enable_unstable_last_version or api in unstable_apis)]

    def listener_type(self) -> ListenerType:
        """:origin: kafka.server.SimpleApiVersionManager#listenerType"""
        return self._listener_type

    def enabled_apis(self) -> Collection[ApiKeys]:
        """:origin: kafka.server.SimpleApiVersionManager#enabledApis"""
        return self._enabled_apis

    def is_api_enabled(self, api_key: ApiKeys, api_version: int) -> bool:
        """Return the same as the base class. Each request calls this twice, so it makes no further call."""
        return (api_key, api_version) in self._enabled_versions or (
            api_key in self._enabled_apis
            and api_key.is_version_enabled(api_version, self._enable_unstable_last_version))

    def enable_unstable_last_version(self) -> bool:
        """:origin: kafka.server.SimpleApiVersionManager#enableUnstableLastVersion"""
        return self._enable_unstable_last_version

    def api_version_response(self, throttle_time_ms: int) -> ApiVersionsResponse:
        """:origin: kafka.server.SimpleApiVersionManager#apiVersionResponse"""
        return self._new_response(throttle_time_ms, self._api_versions)

    def _new_response(self, throttle_time_ms: int, api_versions: list[ApiVersion]) -> ApiVersionsResponse:
        return ApiVersionsResponse.create_api_versions_response_api_versions(
            throttle_time_ms, api_versions, self._supported_features, self._finalized_features,
            _FEATURES_EPOCH if self._finalized_features else -1, False)


class DefaultApiVersionManager(SimpleApiVersionManager):
    """Always serves the APIs of client telemetry, but advertises them only if a receiver takes the metrics.

    The origin also adds the APIs of the controller to which it forwards requests.

    :origin: kafka.server.DefaultApiVersionManager
    """

    def __init__(
        self,
        listener_type: ListenerType,
        enabled_apis: Collection[ApiKeys],
        enable_unstable_last_version: bool,
        supported_features: Mapping[str, tuple[int, int]],
        finalized_features: Mapping[str, int],
        client_metrics_manager: ClientMetricsManager,
        unstable_apis: Collection[ApiKeys] = (),
    ) -> None:
        """:origin: kafka.server.DefaultApiVersionManager#DefaultApiVersionManager"""
        super().__init__(listener_type, enabled_apis, enable_unstable_last_version, supported_features,
                         finalized_features, unstable_apis)
        self._client_metrics_manager = client_metrics_manager
        self._versions_without_telemetry = [
            api_version for api_version in self._api_versions if api_version.api_key not in _TELEMETRY_APIS]

    def api_version_response(self, throttle_time_ms: int) -> ApiVersionsResponse:
        """:origin: kafka.server.DefaultApiVersionManager#apiVersionResponse"""
        if self._client_metrics_manager.is_telemetry_receiver_configured():
            return super().api_version_response(throttle_time_ms)
        return self._new_response(throttle_time_ms, self._versions_without_telemetry)
