# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.PushTelemetryRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A client's request that pushes its metrics."""

from __future__ import annotations

from kreactor.common.message.push_telemetry_request_data import PushTelemetryRequestData
from kreactor.common.message.push_telemetry_response_data import PushTelemetryResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.push_telemetry_response import PushTelemetryResponse
from kreactor.common.telemetry.internals.client_telemetry_utils import ClientTelemetryUtils
from kreactor.jdk.nio_buffer import ByteBuffer


class PushTelemetryRequest(AbstractRequest):
    """:origin: common.requests.PushTelemetryRequest"""

    __slots__ = ("_data",)

    _OTLP_CONTENT_TYPE = "OTLP"

    class Builder(AbstractRequest.Builder["PushTelemetryRequest"]):
        """:origin: common.requests.PushTelemetryRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: PushTelemetryRequestData,
                     enable_unstable_last_version: bool = False) -> None:
            """:origin: common.requests.PushTelemetryRequest.Builder#Builder(
                PushTelemetryRequestData, boolean)
            :origin: common.requests.PushTelemetryRequest.Builder#Builder(PushTelemetryRequestData)
            """
            super().__init__(ApiKeys.PUSH_TELEMETRY,
                             enable_unstable_last_version=enable_unstable_last_version)
            self._data = data

        def build_version(self, version: int) -> PushTelemetryRequest:
            """:origin: common.requests.PushTelemetryRequest.Builder#build(short)"""
            return PushTelemetryRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.PushTelemetryRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: PushTelemetryRequestData, version: int) -> None:
        """:origin: common.requests.PushTelemetryRequest#PushTelemetryRequest(
            PushTelemetryRequestData, short)
        """
        super().__init__(ApiKeys.PUSH_TELEMETRY, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> PushTelemetryResponse:
        """:origin: common.requests.PushTelemetryRequest#getErrorResponse(int, Throwable)"""
        return self.error_response(throttle_time_ms, Errors.for_exception(e))

    def data(self) -> PushTelemetryRequestData:
        """:origin: common.requests.PushTelemetryRequest#data()"""
        return self._data

    def error_response(self, throttle_time_ms: int, errors: Errors) -> PushTelemetryResponse:
        """Return a response with an error.

        :origin: common.requests.PushTelemetryRequest#errorResponse(int, Errors)
        """
        return PushTelemetryResponse(PushTelemetryResponseData(
            error_code=errors.code, throttle_time_ms=throttle_time_ms))

    def metrics_content_type(self) -> str:
        """Return the format of the metrics. Only one format exists.

        :origin: common.requests.PushTelemetryRequest#metricsContentType()
        """
        return self._OTLP_CONTENT_TYPE

    def metrics_data(self) -> ByteBuffer:
        """Return the metrics decompressed.

        Raises IllegalArgumentException for an unknown compression type, or as
        ``ClientTelemetryUtils.decompress``.

        :origin: common.requests.PushTelemetryRequest#metricsData()
        """
        compression_type = CompressionType.for_id(self._data.compression_type)
        if compression_type is CompressionType.NONE:
            return ByteBuffer.wrap(self._data.metrics)
        return ClientTelemetryUtils.decompress(self._data.metrics, compression_type)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> PushTelemetryRequest:
        """:origin: common.requests.PushTelemetryRequest#parse(ByteBuffer, short)"""
        return PushTelemetryRequest(PushTelemetryRequestData.read(buffer, version), version)
