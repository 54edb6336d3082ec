# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.JoinGroupRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request of a member to join a group, or its next generation."""

from __future__ import annotations

from kreactor.common.errors import InvalidConfigurationException, UnsupportedVersionException
from kreactor.common.internals.topic import Topic
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.message.join_group_response_data import JoinGroupResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.join_group_response import JoinGroupResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class JoinGroupRequest(AbstractRequest):
    """:origin: common.requests.JoinGroupRequest"""

    __slots__ = ("_data",)

    UNKNOWN_MEMBER_ID = ""
    UNKNOWN_GENERATION_ID = -1
    UNKNOWN_PROTOCOL_NAME = ""

    class Builder(AbstractRequest.Builder["JoinGroupRequest"]):
        """:origin: common.requests.JoinGroupRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: JoinGroupRequestData) -> None:
            """:origin: common.requests.JoinGroupRequest.Builder#Builder(JoinGroupRequestData)"""
            super().__init__(ApiKeys.JOIN_GROUP)
            self._data = data

        def build_version(self, version: int) -> JoinGroupRequest:
            """Build the request. Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.JoinGroupRequest.Builder#build(short)
            """
            if self._data.group_instance_id is not None and version < 5:
                raise UnsupportedVersionException(
                    f"The broker join group protocol version {version} does not support usage of config "
                    "group.instance.id.")
            return JoinGroupRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.JoinGroupRequest.Builder#toString()"""
            return str(self._data)

    @staticmethod
    def validate_group_instance_id(id_: str) -> None:
        """Raises InvalidConfigurationException if ``id_`` violates the rules for topic names.

        :origin: common.requests.JoinGroupRequest#validateGroupInstanceId(String)
        """
        def refuse(message: str) -> None:
            raise InvalidConfigurationException(message)

        Topic.validate_name(id_, "Group instance id", refuse)

    @staticmethod
    def requires_known_member_id(api_version: int) -> bool:
        """Return whether a new member first gets an id, and then joins with a second request (KIP-394).

        :origin: common.requests.JoinGroupRequest#requiresKnownMemberId(short)
        """
        return api_version >= 4

    def __init__(self, data: JoinGroupRequestData, version: int) -> None:
        """:origin: common.requests.JoinGroupRequest#JoinGroupRequest(JoinGroupRequestData, short)"""
        super().__init__(ApiKeys.JOIN_GROUP, version)
        self._data = data
        self._maybe_override_rebalance_timeout(version)

    def _maybe_override_rebalance_timeout(self, version: int) -> None:
        """In version 0, the session timeout is also the rebalance timeout.

        :origin: common.requests.JoinGroupRequest#maybeOverrideRebalanceTimeout(short)
        """
        if version == 0:
            self._data.rebalance_timeout_ms = self._data.session_timeout_ms

    def data(self) -> JoinGroupRequestData:
        """:origin: common.requests.JoinGroupRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> JoinGroupResponse:
        """:origin: common.requests.JoinGroupRequest#getErrorResponse(int, Throwable)"""
        data = JoinGroupResponseData(
            throttle_time_ms=throttle_time_ms, error_code=Errors.for_exception(e).code,
            generation_id=JoinGroupRequest.UNKNOWN_GENERATION_ID, leader=JoinGroupRequest.UNKNOWN_MEMBER_ID,
            member_id=JoinGroupRequest.UNKNOWN_MEMBER_ID, members=[],
            protocol_name=None if self._version >= 7 else JoinGroupRequest.UNKNOWN_PROTOCOL_NAME)
        return JoinGroupResponse(data, self._version)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> JoinGroupRequest:
        """:origin: common.requests.JoinGroupRequest#parse(ByteBuffer, short)"""
        return JoinGroupRequest(JoinGroupRequestData.read(buffer, version), version)
