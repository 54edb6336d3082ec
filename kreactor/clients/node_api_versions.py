# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.NodeApiVersions of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The API versions of one node, and the ones that this client can use. Immutable."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.api_versions_response import ApiVersionsResponse

ApiVersion = ApiVersionsResponseData.ApiVersion
SupportedFeatureKey = ApiVersionsResponseData.SupportedFeatureKey


class NodeApiVersions:
    """The versions of each API and each feature of a node.

    :origin: clients.NodeApiVersions
    """

    @staticmethod
    def create(overrides: Collection[ApiVersion] = ()) -> NodeApiVersions:
        """Return the versions of a node that supports this client's versions, except for ``overrides``.

        :origin: clients.NodeApiVersions#create()
        :origin: clients.NodeApiVersions#create(Collection<ApiVersion>)
        """
        api_versions = list(overrides)
        for api_key in ApiKeys.client_apis():
            exists = False
            for api_version in api_versions:
                if api_version.api_key == api_key.id:
                    exists = True
                    break
            if not exists:
                api_versions.append(ApiVersionsResponse.to_api_version(api_key))
        return NodeApiVersions(api_versions, [], False)

    @staticmethod
    def create_api_key(api_key: int, min_version: int, max_version: int) -> NodeApiVersions:
        """Return the result of ``create`` with one override. ``api_key`` is the id of an API.

        :origin: clients.NodeApiVersions#create(short, short, short)
        """
        return NodeApiVersions.create(
            [ApiVersion(api_key=api_key, min_version=min_version, max_version=max_version)])

    def __init__(self, node_api_versions: Collection[ApiVersion],
                 node_supported_features: Collection[SupportedFeatureKey],
                 zk_migration_enabled: bool) -> None:
        """Store the content of a node's ApiVersions response.

        :origin: clients.NodeApiVersions#NodeApiVersions(
            Collection<ApiVersion>, Collection<SupportedFeatureKey>, boolean)
        """
        self._supported_versions: dict[ApiKeys, ApiVersion] = {}
        # A newer node has APIs that this client does not know.
        self._unknown_apis: list[ApiVersion] = []
        for node_api_version in node_api_versions:
            if ApiKeys.has_id(node_api_version.api_key):
                node_api_key = ApiKeys.for_id(node_api_version.api_key)
                self._supported_versions[node_api_key] = node_api_version
            else:
                self._unknown_apis.append(node_api_version)

        # Ranges are pairs, as in ApiVersionsResponse (D47).
        self._supported_features: dict[str, tuple[int, int]] = {}
        for supported_feature in node_supported_features:
            self._supported_features[supported_feature.name] = (
                supported_feature.min_version, supported_feature.max_version)
        self._zk_migration_enabled = zk_migration_enabled

    def latest_usable_version(self, api_key: ApiKeys, oldest_allowed_version: int | None = None,
                              latest_allowed_version: int | None = None) -> int:
        """Return the newest version that the node supports and the range allows.

        Without a range all versions of this client are allowed. Raises UnsupportedVersionException if the
        node does not support the API, or no version in the range.

        :origin: clients.NodeApiVersions#latestUsableVersion(ApiKeys)
        :origin: clients.NodeApiVersions#latestUsableVersion(ApiKeys, short, short)
        """
        if oldest_allowed_version is None:
            oldest_allowed_version = api_key.oldest_version()
        if latest_allowed_version is None:
            latest_allowed_version = api_key.latest_version()
        supported_version = self._supported_versions.get(api_key)
        if supported_version is None:
            raise UnsupportedVersionException(f"The node does not support {api_key}")
        intersect_version = ApiVersionsResponse.intersect(supported_version, ApiVersion(
            api_key=api_key.id, min_version=oldest_allowed_version, max_version=latest_allowed_version))

        if intersect_version is not None:
            return intersect_version.max_version
        raise UnsupportedVersionException(
            f"The node does not support {api_key} with version in range [{oldest_allowed_version},"
            f"{latest_allowed_version}]. The supported range is [{supported_version.min_version},"
            f"{supported_version.max_version}].")

    def __str__(self) -> str:
        """Return all versions on one line; this call is slow.

        :origin: clients.NodeApiVersions#toString()
        """
        return self.to_string(False)

    def to_string(self, line_breaks: bool) -> str:
        """Return all versions, by the ids of the APIs; with ``line_breaks`` each on a line of its own.

        :origin: clients.NodeApiVersions#toString(boolean)
        """
        api_keys_text: dict[int, str] = {}
        for supported_version in self._supported_versions.values():
            api_keys_text[supported_version.api_key] = self._api_version_to_text(supported_version)
        for api_version in self._unknown_apis:
            api_keys_text[api_version.api_key] = self._api_version_to_text(api_version)

        # An old node lacks APIs of this client.
        for api_key in ApiKeys.client_apis():
            if api_key.id not in api_keys_text:
                api_keys_text[api_key.id] = f"{api_key.name}({api_key.id}): UNSUPPORTED"
        separator = ",\n\t" if line_breaks else ", "
        text = separator.join(api_keys_text[id_] for id_ in sorted(api_keys_text))
        return f"(\n\t{text}\n)" if line_breaks else f"({text})"

    def _api_version_to_text(self, api_version: ApiVersion) -> str:
        """:origin: clients.NodeApiVersions#apiVersionToText(ApiVersion)"""
        api_key: ApiKeys | None = None
        if ApiKeys.has_id(api_version.api_key):
            api_key = ApiKeys.for_id(api_version.api_key)
            text = f"{api_key.name}({api_key.id}): "
        else:
            text = f"UNKNOWN({api_version.api_key}): "

        if api_version.min_version == api_version.max_version:
            text += f"{api_version.min_version}"
        else:
            text += f"{api_version.min_version} to {api_version.max_version}"

        if api_key is not None:
            supported_version = self._supported_versions[api_key]
            if api_key.latest_version() < supported_version.min_version:
                text += " [unusable: node too new]"
            elif supported_version.max_version < api_key.oldest_version():
                text += " [unusable: node too old]"
            else:
                latest_usable_version = min(api_key.latest_version(), supported_version.max_version)
                text += f" [usable: {latest_usable_version}]"
        return text

    def api_version(self, api_key: ApiKeys) -> ApiVersion | None:
        """Return the node's versions of an API, or None if it lacks the API.

        :origin: clients.NodeApiVersions#apiVersion(ApiKeys)
        """
        return self._supported_versions.get(api_key)

    def all_supported_api_versions(self) -> Mapping[ApiKeys, ApiVersion]:
        """Return the versions of all APIs that the node supports and this client knows.

        :origin: clients.NodeApiVersions#allSupportedApiVersions()
        """
        return self._supported_versions

    def supported_features(self) -> Mapping[str, tuple[int, int]]:
        """Return the lowest and the highest version of each feature, by name.

        :origin: clients.NodeApiVersions#supportedFeatures()
        """
        return self._supported_features

    def zk_migration_enabled(self) -> bool:
        """Return whether a cluster can move from ZooKeeper to this node.

        :origin: clients.NodeApiVersions#zkMigrationEnabled()
        """
        return self._zk_migration_enabled
