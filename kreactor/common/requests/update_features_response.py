# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.UpdateFeaturesResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of updating features, by feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kreactor.common.message.update_features_response_data import UpdateFeaturesResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.api_error import ApiError

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class UpdateFeaturesResponse(AbstractResponse):
    """:origin: common.requests.UpdateFeaturesResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: UpdateFeaturesResponseData) -> None:
        """:origin: common.requests.UpdateFeaturesResponse#UpdateFeaturesResponse(
            UpdateFeaturesResponseData)
        """
        super().__init__(ApiKeys.UPDATE_FEATURES)
        self._data = data

    def top_level_error(self) -> ApiError:
        """Return the top-level error.

        :origin: common.requests.UpdateFeaturesResponse#topLevelError()
        """
        return ApiError(Errors.for_code(self._data.error_code), self._data.error_message)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.UpdateFeaturesResponse#errorCounts()"""
        error_counts: dict[Errors, int] = {}
        self._update_error_counts(error_counts, Errors.for_code(self._data.error_code))
        for result in self._data.results:
            self._update_error_counts(error_counts, Errors.for_code(result.error_code))
        return error_counts

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.UpdateFeaturesResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.UpdateFeaturesResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def __str__(self) -> str:
        """:origin: common.requests.UpdateFeaturesResponse#toString()"""
        return str(self._data)

    def data(self) -> UpdateFeaturesResponseData:
        """:origin: common.requests.UpdateFeaturesResponse#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> UpdateFeaturesResponse:
        """:origin: common.requests.UpdateFeaturesResponse#parse(ByteBuffer, short)"""
        return UpdateFeaturesResponse(UpdateFeaturesResponseData.read(buffer, version))

    @staticmethod
    def create_with_errors(top_level_error: ApiError, update_errors: Mapping[str, ApiError],
                           throttle_time_ms: int) -> UpdateFeaturesResponse:
        """Return the response with these errors.

        :origin: common.requests.UpdateFeaturesResponse#createWithErrors(ApiError, Map<String,ApiError>, int)
        """
        return UpdateFeaturesResponse(UpdateFeaturesResponseData(
            throttle_time_ms=throttle_time_ms, error_code=top_level_error.error().code,
            error_message=top_level_error.message(),
            results=[UpdateFeaturesResponseData.UpdatableFeatureResult(
                feature=feature, error_code=error.error().code, error_message=error.message())
                for feature, error in update_errors.items()]))
