# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeClientQuotasRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe quotas."""

from __future__ import annotations

from kreactor.common.message.describe_client_quotas_request_data import DescribeClientQuotasRequestData
from kreactor.common.message.describe_client_quotas_response_data import DescribeClientQuotasResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_client_quotas_response import DescribeClientQuotasResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeClientQuotasRequest(AbstractRequest):
    """:origin: common.requests.DescribeClientQuotasRequest"""

    __slots__ = ("_data",)

    # The match types for the name of an entity type: an exact name, the default, or any name.
    MATCH_TYPE_EXACT = 0
    MATCH_TYPE_DEFAULT = 1
    MATCH_TYPE_SPECIFIED = 2

    def __init__(self, data: DescribeClientQuotasRequestData, version: int) -> None:
        """:origin: common.requests.DescribeClientQuotasRequest#DescribeClientQuotasRequest(
            DescribeClientQuotasRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_CLIENT_QUOTAS, version)
        self._data = data

    def data(self) -> DescribeClientQuotasRequestData:
        """:origin: common.requests.DescribeClientQuotasRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeClientQuotasResponse:
        """:origin: common.requests.DescribeClientQuotasRequest#getErrorResponse(int, Throwable)"""
        error = ApiError.from_throwable(e)
        return DescribeClientQuotasResponse(DescribeClientQuotasResponseData(
            throttle_time_ms=throttle_time_ms, error_code=error.error().code, error_message=error.message(),
            entries=None))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeClientQuotasRequest:
        """:origin: common.requests.DescribeClientQuotasRequest#parse(ByteBuffer, short)"""
        return DescribeClientQuotasRequest(DescribeClientQuotasRequestData.read(buffer, version), version)
