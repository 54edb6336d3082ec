# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DeleteGroupsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to delete groups with their offsets."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.delete_groups_request_data import DeleteGroupsRequestData
from kreactor.common.message.delete_groups_response_data import DeleteGroupsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.delete_groups_response import DeleteGroupsResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class DeleteGroupsRequest(AbstractRequest):
    """:origin: common.requests.DeleteGroupsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DeleteGroupsRequest"]):
        """:origin: common.requests.DeleteGroupsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DeleteGroupsRequestData) -> None:
            """:origin: common.requests.DeleteGroupsRequest.Builder#Builder(DeleteGroupsRequestData)"""
            super().__init__(ApiKeys.DELETE_GROUPS)
            self._data = data

        def build_version(self, version: int) -> DeleteGroupsRequest:
            """:origin: common.requests.DeleteGroupsRequest.Builder#build(short)"""
            return DeleteGroupsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DeleteGroupsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DeleteGroupsRequestData, version: int) -> None:
        """:origin: common.requests.DeleteGroupsRequest#DeleteGroupsRequest(DeleteGroupsRequestData, short)"""
        super().__init__(ApiKeys.DELETE_GROUPS, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> DeleteGroupsResponse:
        """:origin: common.requests.DeleteGroupsRequest#getErrorResponse(int, Throwable)"""
        return DeleteGroupsResponse(DeleteGroupsResponseData(
            results=self.get_error_result_collection(self._data.groups_names, Errors.for_exception(e)),
            throttle_time_ms=throttle_time_ms))

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DeleteGroupsRequest:
        """:origin: common.requests.DeleteGroupsRequest#parse(ByteBuffer, short)"""
        return DeleteGroupsRequest(DeleteGroupsRequestData.read(buffer, version), version)

    def data(self) -> DeleteGroupsRequestData:
        """:origin: common.requests.DeleteGroupsRequest#data()"""
        return self._data

    @staticmethod
    def get_error_result_collection(
        group_ids: Iterable[str], error: Errors,
    ) -> list[DeleteGroupsResponseData.DeletableGroupResult]:
        """Return the groups, each with ``error``.

        :origin: common.requests.DeleteGroupsRequest#getErrorResultCollection(List<String>, Errors)
        """
        return [DeleteGroupsResponseData.DeletableGroupResult(group_id=group_id, error_code=error.code)
                for group_id in group_ids]
