# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeClusterRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe a cluster's brokers or controllers."""

from __future__ import annotations

from kreactor.common.message.describe_cluster_request_data import DescribeClusterRequestData
from kreactor.common.message.describe_cluster_response_data import DescribeClusterResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_cluster_response import DescribeClusterResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeClusterRequest(AbstractRequest):
    """:origin: common.requests.DescribeClusterRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeClusterRequest"]):
        """:origin: common.requests.DescribeClusterRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeClusterRequestData) -> None:
            """:origin: common.requests.DescribeClusterRequest.Builder#Builder(DescribeClusterRequestData)"""
            super().__init__(ApiKeys.DESCRIBE_CLUSTER)
            self._data = data

        def build_version(self, version: int) -> DescribeClusterRequest:
            """:origin: common.requests.DescribeClusterRequest.Builder#build(short)"""
            return DescribeClusterRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeClusterRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeClusterRequestData, version: int) -> None:
        """:origin: common.requests.DescribeClusterRequest#DescribeClusterRequest(DescribeClusterRequestData,
            short)
        """
        super().__init__(ApiKeys.DESCRIBE_CLUSTER, version)
        self._data = data

    def data(self) -> DescribeClusterRequestData:
        """:origin: common.requests.DescribeClusterRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DescribeClusterResponse:
        """:origin: common.requests.DescribeClusterRequest#getErrorResponse(int, Throwable)"""
        api_error = ApiError.from_throwable(e)
        return DescribeClusterResponse(DescribeClusterResponseData(
            error_code=api_error.error().code, error_message=api_error.message()))

    def to_string(self, verbose: bool) -> str:
        """:origin: common.requests.DescribeClusterRequest#toString(boolean)"""
        return str(self._data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeClusterRequest:
        """:origin: common.requests.DescribeClusterRequest#parse(ByteBuffer, short)"""
        return DescribeClusterRequest(DescribeClusterRequestData.read(buffer, version), version)
