# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UpdateFeaturesRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Levels of features that are to change."""

from __future__ import annotations

import pytest

from kreactor.common.errors import UnknownServerException, UnsupportedVersionException
from kreactor.common.message.update_features_request_data import UpdateFeaturesRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.update_features_request import UpdateFeaturesRequest, UpgradeType

FeatureUpdateKey = UpdateFeaturesRequestData.FeatureUpdateKey
LOWEST = UpdateFeaturesRequestData.LOWEST_SUPPORTED_VERSION
HIGHEST = UpdateFeaturesRequestData.HIGHEST_SUPPORTED_VERSION


def request_of(version: int, *features: FeatureUpdateKey) -> UpdateFeaturesRequest:
    return UpdateFeaturesRequest(UpdateFeaturesRequestData(feature_updates=list(features)), version)


def check_upgrade_types(request: UpdateFeaturesRequest) -> None:
    """Of a request from the wire: one way down, and one way up."""
    version = request.version()
    updates = UpdateFeaturesRequest.parse(request.serialize(), version).feature_updates()
    assert [(item.feature, item.version_level, item.upgrade_type) for item in updates] == [
        ("foo", 1, UpgradeType.SAFE_DOWNGRADE), ("bar", 3, UpgradeType.UPGRADE)]


def test_get_error_response() -> None:
    request = request_of(HIGHEST, FeatureUpdateKey(feature="foo", max_version_level=2),
                         FeatureUpdateKey(feature="bar", max_version_level=3))
    response = request.get_error_response_throttle(0, UnknownServerException())
    assert response.top_level_error().error() is Errors.UNKNOWN_SERVER_ERROR
    assert len(response.data().results) == 0
    assert response.error_counts() == {Errors.UNKNOWN_SERVER_ERROR: 1}


def test_update_features_v0() -> None:
    check_upgrade_types(request_of(
        LOWEST, FeatureUpdateKey(feature="foo", max_version_level=1, allow_downgrade=True),
        FeatureUpdateKey(feature="bar", max_version_level=3)))


def test_update_features_v1() -> None:
    check_upgrade_types(request_of(
        HIGHEST, FeatureUpdateKey(
            feature="foo", max_version_level=1, upgrade_type=UpgradeType.SAFE_DOWNGRADE.value),
        FeatureUpdateKey(feature="bar", max_version_level=3)))


def test_update_features_v1_old_boolean() -> None:
    """Version 1 cannot say that a downgrade is allowed."""
    request = request_of(
        HIGHEST, FeatureUpdateKey(feature="foo", max_version_level=1, allow_downgrade=True),
        FeatureUpdateKey(feature="bar", max_version_level=3))
    with pytest.raises(UnsupportedVersionException):
        request.serialize()
