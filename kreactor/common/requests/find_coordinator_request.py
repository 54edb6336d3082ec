# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FindCoordinatorRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the coordinator of a group or of a transactional producer."""

from __future__ import annotations

from enum import Enum

from kreactor.common.errors import InvalidRequestException, UnsupportedVersionException
from kreactor.common.message.find_coordinator_request_data import FindCoordinatorRequestData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.find_coordinator_response import FindCoordinatorResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class FindCoordinatorRequest(AbstractRequest):
    """Requests the coordinator of one key up to version 3, of several keys from version 4 on.

    :origin: common.requests.FindCoordinatorRequest
    """

    __slots__ = ("_data",)

    MIN_BATCHED_VERSION = 4

    class Builder(AbstractRequest.Builder["FindCoordinatorRequest"]):
        """:origin: common.requests.FindCoordinatorRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: FindCoordinatorRequestData) -> None:
            """:origin: common.requests.FindCoordinatorRequest.Builder#Builder(FindCoordinatorRequestData)"""
            super().__init__(ApiKeys.FIND_COORDINATOR)
            self._data = data

        def build_version(self, version: int) -> FindCoordinatorRequest:
            """Convert the data to ``version``, and build the request.

            Raises NoBatchedFindCoordinatorsException for several keys below version 4.

            :origin: common.requests.FindCoordinatorRequest.Builder#build(short)
            """
            data = self._data
            if version < 1 and data.key_type == FindCoordinatorRequest.CoordinatorType.TRANSACTION.id():
                raise UnsupportedVersionException(
                    f"Cannot create a v{version} FindCoordinator request because we require features "
                    "supported only in 2 or later.")
            batched_keys = len(data.coordinator_keys)
            if version < FindCoordinatorRequest.MIN_BATCHED_VERSION:
                if batched_keys > 1:
                    raise FindCoordinatorRequest.NoBatchedFindCoordinatorsException(
                        f"Cannot create a v{version} FindCoordinator request because we require features "
                        f"supported only in {FindCoordinatorRequest.MIN_BATCHED_VERSION} or later.")
                if batched_keys == 1:
                    data.key = data.coordinator_keys[0]
                    data.coordinator_keys = []
            elif batched_keys == 0 and data.key is not None:
                data.coordinator_keys = [data.key]
                data.key = ""
            return FindCoordinatorRequest(data, version)

        def __str__(self) -> str:
            """:origin: common.requests.FindCoordinatorRequest.Builder#toString()"""
            return str(self._data)

        def data(self) -> FindCoordinatorRequestData:
            """Return the data.

            :origin: common.requests.FindCoordinatorRequest.Builder#data()
            """
            return self._data

    class NoBatchedFindCoordinatorsException(UnsupportedVersionException):
        """The broker accepts only one key per request.

        :origin: common.requests.FindCoordinatorRequest.NoBatchedFindCoordinatorsException
        :origin: common.requests.FindCoordinatorRequest.NoBatchedFindCoordinatorsException#
            NoBatchedFindCoordinatorsException(String)
        """

    def __init__(self, data: FindCoordinatorRequestData, version: int) -> None:
        """:origin: common.requests.FindCoordinatorRequest#FindCoordinatorRequest(FindCoordinatorRequestData,
            short)
        """
        super().__init__(ApiKeys.FIND_COORDINATOR, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> FindCoordinatorResponse:
        """Return the error response without the throttle time, as in Kafka.

        :origin: common.requests.FindCoordinatorRequest#getErrorResponse(int, Throwable)
        """
        error = Errors.for_exception(e)
        if self._version < FindCoordinatorRequest.MIN_BATCHED_VERSION:
            return FindCoordinatorResponse.prepare_old_response(error, Node.no_node())
        return FindCoordinatorResponse.prepare_error_response(error, self._data.coordinator_keys)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> FindCoordinatorRequest:
        """:origin: common.requests.FindCoordinatorRequest#parse(ByteBuffer, short)"""
        return FindCoordinatorRequest(FindCoordinatorRequestData.read(buffer, version), version)

    def data(self) -> FindCoordinatorRequestData:
        """:origin: common.requests.FindCoordinatorRequest#data()"""
        return self._data

    class CoordinatorType(Enum):
        """The types of coordinators. The value is the id on the wire.

        :origin: common.requests.FindCoordinatorRequest.CoordinatorType
        """

        GROUP = 0
        TRANSACTION = 1

        def id(self) -> int:
            """Return the id.

            :origin: common.requests.FindCoordinatorRequest.CoordinatorType#id()
            """
            return int(self.value)

        @staticmethod
        def for_id(id_: int) -> FindCoordinatorRequest.CoordinatorType:
            """Return the type with this id. Raises InvalidRequestException.

            :origin: common.requests.FindCoordinatorRequest.CoordinatorType#forId(byte)
            """
            if id_ == 0:
                return FindCoordinatorRequest.CoordinatorType.GROUP
            if id_ == 1:
                return FindCoordinatorRequest.CoordinatorType.TRANSACTION
            raise InvalidRequestException(f"Unknown coordinator type received: {id_}")
