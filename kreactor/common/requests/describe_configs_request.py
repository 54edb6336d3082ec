# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeConfigsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe the settings of resources."""

from __future__ import annotations

from kreactor.common.message.describe_configs_request_data import DescribeConfigsRequestData
from kreactor.common.message.describe_configs_response_data import DescribeConfigsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeConfigsRequest(AbstractRequest):
    """:origin: common.requests.DescribeConfigsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeConfigsRequest"]):
        """:origin: common.requests.DescribeConfigsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeConfigsRequestData) -> None:
            """:origin: common.requests.DescribeConfigsRequest.Builder#Builder(DescribeConfigsRequestData)"""
            super().__init__(ApiKeys.DESCRIBE_CONFIGS)
            self._data = data

        def build_version(self, version: int) -> DescribeConfigsRequest:
            """:origin: common.requests.DescribeConfigsRequest.Builder#build(short)"""
            return DescribeConfigsRequest(self._data, version)

    def __init__(self, data: DescribeConfigsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeConfigsRequest#DescribeConfigsRequest(DescribeConfigsRequestData,
            short)
        """
        super().__init__(ApiKeys.DESCRIBE_CONFIGS, version)
        self._data = data

    def data(self) -> DescribeConfigsRequestData:
        """:origin: common.requests.DescribeConfigsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeConfigsResponse:
        """:origin: common.requests.DescribeConfigsRequest#getErrorResponse(int, Throwable)"""
        error = Errors.for_exception(e)
        return DescribeConfigsResponse(DescribeConfigsResponseData(
            throttle_time_ms=throttle_time_ms,
            results=[DescribeConfigsResponseData.DescribeConfigsResult(
                error_code=error.code, error_message=error.message(), resource_name=resource.resource_name,
                resource_type=resource.resource_type) for resource in self._data.resources]))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeConfigsRequest:
        """:origin: common.requests.DescribeConfigsRequest#parse(ByteBuffer, short)"""
        return DescribeConfigsRequest(DescribeConfigsRequestData.read(buffer, version), version)
