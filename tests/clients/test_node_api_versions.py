# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.NodeApiVersionsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which version of an API a client and a node have in common, and how that is printed."""

from __future__ import annotations

import pytest

from kreactor.clients.node_api_versions import ApiVersion, NodeApiVersions, SupportedFeatureKey
from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.requests.api_versions_response import ApiVersionsResponse


def default_api_versions_response(listener_type: ListenerType) -> ApiVersionsResponse:
    """A port of TestUtils.defaultApiVersionsResponse."""
    return ApiVersionsResponse.create_api_versions_response_api_versions(
        0, ApiVersionsResponse.filter_apis(RecordVersion.current(), listener_type, True, True), {}, {},
        ApiVersionsResponse.UNKNOWN_FINALIZED_FEATURES_EPOCH, False)


def test_unsupported_versions_to_string():
    versions = NodeApiVersions([], [], False)
    expected = ", ".join(f"{api_key.name}({api_key.id}): UNSUPPORTED" for api_key in ApiKeys.client_apis())
    assert str(versions) == f"({expected})"


def test_unknown_api_versions_to_string():
    versions = NodeApiVersions.create_api_key(337, 0, 1)
    assert str(versions).endswith("UNKNOWN(337): 0 to 1)")


def test_versions_to_string():
    version_list = []
    for api_key in ApiKeys.values():
        if api_key is ApiKeys.DELETE_TOPICS:
            version_list.append(ApiVersion(api_key=api_key.id, min_version=10000, max_version=10001))
        else:
            version_list.append(ApiVersionsResponse.to_api_version(api_key))
    versions = NodeApiVersions(version_list, [], False)
    texts = []
    for api_key in ApiKeys.values():
        if api_key is ApiKeys.DELETE_TOPICS:
            texts.append("DeleteTopics(20): 10000 to 10001 [unusable: node too new]")
        else:
            text = f"{api_key.name}({api_key.id}): {api_key.oldest_version()}"
            if api_key.oldest_version() != api_key.latest_version():
                text += f" to {api_key.latest_version()}"
            texts.append(f"{text} [usable: {api_key.latest_version()}]")
    assert str(versions) == f"({', '.join(texts)})"
    assert versions.to_string(True) == "(\n\t" + ",\n\t".join(texts) + "\n)"


def test_a_node_that_is_too_old_is_printed_as_such():
    version = ApiVersion(api_key=ApiKeys.PRODUCE.id, min_version=-3, max_version=-2)
    assert "Produce(0): -3 to -2 [unusable: node too old]" in str(NodeApiVersions([version], [], False))


def test_latest_usable_version():
    api_versions = NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 1, 3)
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE) == 3
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 0, 1) == 1
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 1, 1) == 1
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 1, 2) == 2
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 1, 3) == 3
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 2, 2) == 2
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 2, 3) == 3
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 3, 3) == 3
    assert api_versions.latest_usable_version(ApiKeys.PRODUCE, 3, 4) == 3


def test_latest_usable_version_out_of_range_low():
    api_versions = NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 1, 2)
    with pytest.raises(UnsupportedVersionException) as raised:
        api_versions.latest_usable_version(ApiKeys.PRODUCE, 3, 4)
    assert str(raised.value) == ("The node does not support PRODUCE with version in range [3,4]. "
                                 "The supported range is [1,2].")


def test_latest_usable_version_out_of_range_high():
    api_versions = NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 2, 3)
    with pytest.raises(UnsupportedVersionException):
        api_versions.latest_usable_version(ApiKeys.PRODUCE, 0, 1)


def test_usable_version_calculation_no_known_versions():
    versions = NodeApiVersions([], [], False)
    with pytest.raises(UnsupportedVersionException) as raised:
        versions.latest_usable_version(ApiKeys.FETCH)
    assert str(raised.value) == "The node does not support FETCH"


def test_latest_usable_version_out_of_range():
    api_versions = NodeApiVersions.create_api_key(ApiKeys.PRODUCE.id, 300, 300)
    with pytest.raises(UnsupportedVersionException):
        api_versions.latest_usable_version(ApiKeys.PRODUCE)


@pytest.mark.parametrize("scope", list(ListenerType))
def test_usable_version_latest_versions(scope):
    version_list = list(default_api_versions_response(scope).data().api_keys)
    # One that this client does not know.
    version_list.append(ApiVersion(api_key=100, min_version=0, max_version=1))
    versions = NodeApiVersions(version_list, [], False)
    for api_key in ApiKeys.apis_for_listener(scope):
        assert versions.latest_usable_version(api_key) == api_key.latest_version()


@pytest.mark.parametrize("scope", list(ListenerType))
def test_construction_from_api_versions_response(scope):
    api_versions_response = default_api_versions_response(scope)
    versions = NodeApiVersions(api_versions_response.data().api_keys, [], False)
    assert len(versions.all_supported_api_versions()) == len(api_versions_response.data().api_keys)

    for api_version_key in api_versions_response.data().api_keys:
        api_version = versions.api_version(ApiKeys.for_id(api_version_key.api_key))
        assert api_version.api_key == api_version_key.api_key
        assert api_version.min_version == api_version_key.min_version
        assert api_version.max_version == api_version_key.max_version


def test_features_are_kept_by_name():
    feature = SupportedFeatureKey(name="metadata.version", min_version=1, max_version=20)
    versions = NodeApiVersions([], [feature], True)
    assert versions.supported_features() == {"metadata.version": (1, 20)}
    assert versions.zk_migration_enabled()
