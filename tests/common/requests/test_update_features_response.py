# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UpdateFeaturesResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of features that were to be updated."""

from __future__ import annotations

from kreactor.common.message.update_features_response_data import UpdateFeaturesResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.update_features_response import UpdateFeaturesResponse


def test_error_counts() -> None:
    results = [UpdateFeaturesResponseData.UpdatableFeatureResult(feature=feature, error_code=error.code)
               for feature, error in (
                   ("foo", Errors.UNKNOWN_SERVER_ERROR), ("bar", Errors.UNKNOWN_SERVER_ERROR),
                   ("baz", Errors.FEATURE_UPDATE_FAILED))]
    response = UpdateFeaturesResponse(UpdateFeaturesResponseData(
        error_code=Errors.INVALID_REQUEST.code, results=results))
    assert response.error_counts() == {
        Errors.INVALID_REQUEST: 1, Errors.UNKNOWN_SERVER_ERROR: 2, Errors.FEATURE_UPDATE_FAILED: 1}
