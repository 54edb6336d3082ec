# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ApiMessageTypeTest."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.api_message_type import ApiMessageType


def test_from_api_key() -> None:
    for api in ApiMessageType.values():
        assert ApiMessageType.from_api_key(api.api_key()) is api


def test_invalid_from_api_key() -> None:
    with pytest.raises(UnsupportedVersionException):
        ApiMessageType.from_api_key(-1)


def test_uniqueness() -> None:
    apis = ApiMessageType.values()
    assert len({api.api_key() for api in apis}) == len(apis)
    assert len({type(api.new_request()).__name__ for api in apis}) == len(apis)
    assert len({type(api.new_response()).__name__ for api in apis}) == len(apis)


def test_header_version() -> None:
    for api, version, request, response in (
            (ApiMessageType.PRODUCE, 0, 1, 0), (ApiMessageType.PRODUCE, 1, 1, 0),
            (ApiMessageType.CONTROLLED_SHUTDOWN, 0, 0, 0), (ApiMessageType.CONTROLLED_SHUTDOWN, 1, 1, 0),
            (ApiMessageType.CREATE_TOPICS, 4, 1, 0), (ApiMessageType.CREATE_TOPICS, 5, 2, 1)):
        assert api.request_header_version(version) == request
        assert api.response_header_version(version) == response


def test_header_versions_outside_what_is_supported() -> None:
    # Found out for any version: an ApiVersions request of one that is not known has to be parsed.
    assert ApiMessageType.API_VERSIONS.request_header_version(100) == 2
    assert ApiMessageType.API_VERSIONS.response_header_version(100) == 0
    assert ApiMessageType.PRODUCE.request_header_version(-1) == 1
    assert ApiMessageType.DESCRIBE_CLUSTER.request_header_version(-1) == 2
    assert ApiMessageType.SASL_HANDSHAKE.request_header_version(100) == 1


def test_all_versions_have_schemas() -> None:
    for api in ApiMessageType.values():
        assert api.lowest_supported_version() == 0
        for message in (api.request_class(), api.response_class()):
            assert message.LOWEST_SUPPORTED_VERSION == 0
            assert message.HIGHEST_SUPPORTED_VERSION == api.highest_supported_version(True)


def test_api_ids_are_positive() -> None:
    assert all(api.api_key() >= 0 for api in ApiMessageType.values())
