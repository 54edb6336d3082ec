# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.SyncGroupRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request of a member for its assignment. The leader's request has all assignments."""

from __future__ import annotations

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.message.sync_group_request_data import SyncGroupRequestData
from kreactor.common.message.sync_group_response_data import SyncGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.sync_group_response import SyncGroupResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class SyncGroupRequest(AbstractRequest):
    """:origin: common.requests.SyncGroupRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["SyncGroupRequest"]):
        """:origin: common.requests.SyncGroupRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: SyncGroupRequestData) -> None:
            """:origin: common.requests.SyncGroupRequest.Builder#Builder(SyncGroupRequestData)"""
            super().__init__(ApiKeys.SYNC_GROUP)
            self._data = data

        def build_version(self, version: int) -> SyncGroupRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.SyncGroupRequest.Builder#build(short)
            """
            if self._data.group_instance_id is not None and version < 3:
                raise UnsupportedVersionException(
                    f"The broker sync group protocol version {version} does not support usage of config "
                    "group.instance.id.")
            return SyncGroupRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.SyncGroupRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: SyncGroupRequestData, version: int) -> None:
        """:origin: common.requests.SyncGroupRequest#SyncGroupRequest(SyncGroupRequestData, short)"""
        super().__init__(ApiKeys.SYNC_GROUP, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> SyncGroupResponse:
        """:origin: common.requests.SyncGroupRequest#getErrorResponse(int, Throwable)"""
        return SyncGroupResponse(SyncGroupResponseData(
            error_code=Errors.for_exception(e).code, assignment=b"", throttle_time_ms=throttle_time_ms))

    def are_mandatory_protocol_type_and_name_present(self) -> bool:
        """Return whether protocol type and name are set, as version 5 and later require.

        :origin: common.requests.SyncGroupRequest#areMandatoryProtocolTypeAndNamePresent()
        """
        if self._version >= 5:
            return self._data.protocol_type is not None and self._data.protocol_name is not None
        return True

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> SyncGroupRequest:
        """:origin: common.requests.SyncGroupRequest#parse(ByteBuffer, short)"""
        return SyncGroupRequest(SyncGroupRequestData.read(buffer, version), version)

    def data(self) -> SyncGroupRequestData:
        """:origin: common.requests.SyncGroupRequest#data()"""
        return self._data
