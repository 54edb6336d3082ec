# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.IncrementalAlterConfigsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to set, delete, append to or subtract from single settings."""

from __future__ import annotations

from enum import Enum

from kreactor.common.message.incremental_alter_configs_request_data import IncrementalAlterConfigsRequestData
from kreactor.common.message.incremental_alter_configs_response_data import (
    IncrementalAlterConfigsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class OpType(Enum):
    """The operations on a setting. In Kafka the admin client has this type. The value is the id on the wire.

    :origin: clients.admin.AlterConfigOp.OpType
    """

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3

    @staticmethod
    def for_id(id_: int) -> OpType | None:
        """Return the operation of an id, or None.

        :origin: clients.admin.AlterConfigOp.OpType#forId(byte)
        """
        return OpType(id_) if 0 <= id_ <= 3 else None


class IncrementalAlterConfigsRequest(AbstractRequest):
    """:origin: common.requests.IncrementalAlterConfigsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["IncrementalAlterConfigsRequest"]):
        """:origin: common.requests.IncrementalAlterConfigsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: IncrementalAlterConfigsRequestData) -> None:
            """:origin: common.requests.IncrementalAlterConfigsRequest.Builder#Builder(
                IncrementalAlterConfigsRequestData)
            """
            super().__init__(ApiKeys.INCREMENTAL_ALTER_CONFIGS)
            self._data = data

        def build_version(self, version: int) -> IncrementalAlterConfigsRequest:
            """:origin: common.requests.IncrementalAlterConfigsRequest.Builder#build(short)"""
            return IncrementalAlterConfigsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.IncrementalAlterConfigsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: IncrementalAlterConfigsRequestData, version: int) -> None:
        """:origin: common.requests.IncrementalAlterConfigsRequest#IncrementalAlterConfigsRequest(
            IncrementalAlterConfigsRequestData, short)
        """
        super().__init__(ApiKeys.INCREMENTAL_ALTER_CONFIGS, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> IncrementalAlterConfigsRequest:
        """:origin: common.requests.IncrementalAlterConfigsRequest#parse(ByteBuffer, short)"""
        return IncrementalAlterConfigsRequest(
            IncrementalAlterConfigsRequestData.read(buffer, version), version)

    def data(self) -> IncrementalAlterConfigsRequestData:
        """:origin: common.requests.IncrementalAlterConfigsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> IncrementalAlterConfigsResponse:
        """:origin: common.requests.IncrementalAlterConfigsRequest#getErrorResponse(int, Throwable)"""
        api_error = ApiError.from_throwable(e)
        return IncrementalAlterConfigsResponse(IncrementalAlterConfigsResponseData(
            responses=[IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse(
                resource_name=resource.resource_name, resource_type=resource.resource_type,
                error_code=api_error.error().code, error_message=api_error.message())
                for resource in self._data.resources]))
