# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ApiVersionsRequestTest and AbstractApiVersionsRequestTest of Apache Kafka
# 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker tells which APIs, versions and features it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.embedded.broker_server import BrokerServer
from kreactor.server.common.metadata_version import FEATURE_NAME, MINIMUM_KRAFT_VERSION, MetadataVersion
from tests.core.server.broker_requests import ask
from tests.core.server.brokers import connect, new_broker
from tests.core.server.wire import body_bytes

LATEST = ApiKeys.API_VERSIONS.latest_version()
NAMED = ApiVersionsRequestData(client_software_name="test", client_software_version="1.0")
UNSTABLE = {"unstable.api.versions.enable": "true"}


def validate_api_versions_response(answer: Any, enable_unstable_last_version: bool = False,
                                   api_version: int = LATEST) -> None:
    if api_version >= 3:
        finalized, = answer.finalized_features
        assert finalized.name == FEATURE_NAME
        assert finalized.min_version_level == finalized.max_version_level == (
            MetadataVersion.latest_production().feature_level())
        supported, = answer.supported_features
        assert supported.name == FEATURE_NAME
        assert supported.min_version == MINIMUM_KRAFT_VERSION.feature_level()
        assert supported.max_version == MetadataVersion.latest_production().feature_level()
    expected = ApiVersionsResponse.filter_apis(
        RecordVersion.V2, ListenerType.BROKER, enable_unstable_last_version, False)
    assert len(answer.api_keys) == len(expected)
    actual = {each.api_key: each for each in answer.api_keys}
    for api in expected:
        assert (actual[api.api_key].min_version, actual[api.api_key].max_version) == (
            api.min_version, api.max_version), api


def send_unsupported(broker: BrokerServer) -> ApiVersionsResponseData:
    with connect(broker) as wire:
        wire.send(ApiKeys.API_VERSIONS, 2**15 - 1, body_bytes(NAMED, LATEST))
        answer = wire.receive(ApiKeys.API_VERSIONS, 0, 1)
    assert isinstance(answer, ApiVersionsResponseData)
    return answer


def test_api_versions_request(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        validate_api_versions_response(ask(broker, ApiKeys.API_VERSIONS, LATEST, NAMED))


def test_api_versions_request_includes_unreleased_apis(tmp_path: Path) -> None:
    with new_broker(tmp_path, UNSTABLE) as broker:
        validate_api_versions_response(ask(broker, ApiKeys.API_VERSIONS, LATEST, NAMED), True)


def test_api_versions_request_with_unsupported_version(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        answer = send_unsupported(broker)
        assert answer.error_code == Errors.UNSUPPORTED_VERSION.code
        assert answer.api_keys
        api_version, = (each for each in answer.api_keys if each.api_key == ApiKeys.API_VERSIONS.id)
        assert api_version.min_version == ApiKeys.API_VERSIONS.oldest_version()
        assert api_version.max_version == ApiKeys.API_VERSIONS.latest_version()


def test_api_versions_request_validation_v0(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        validate_api_versions_response(
            ask(broker, ApiKeys.API_VERSIONS, 0, ApiVersionsRequestData()), api_version=0)


def test_api_versions_request_validation_v3(tmp_path: Path) -> None:
    """The name and the version of the client's software are empty."""
    with new_broker(tmp_path) as broker:
        answer = ask(broker, ApiKeys.API_VERSIONS, 3, ApiVersionsRequestData())
        assert answer.error_code == Errors.INVALID_REQUEST.code
