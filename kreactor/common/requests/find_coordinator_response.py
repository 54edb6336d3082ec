# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FindCoordinatorResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The coordinators of the requested keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kreactor.common.message.find_coordinator_response_data import FindCoordinatorResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer

Coordinator = FindCoordinatorResponseData.Coordinator


class FindCoordinatorResponse(AbstractResponse):
    """Has one top-level coordinator up to version 3, a list from version 4 on.

    :origin: common.requests.FindCoordinatorResponse
    """

    __slots__ = ("_data",)

    def __init__(self, data: FindCoordinatorResponseData) -> None:
        """:origin: common.requests.FindCoordinatorResponse#FindCoordinatorResponse(
            FindCoordinatorResponseData)
        """
        super().__init__(ApiKeys.FIND_COORDINATOR)
        self._data = data

    def data(self) -> FindCoordinatorResponseData:
        """:origin: common.requests.FindCoordinatorResponse#data()"""
        return self._data

    def node(self) -> Node:
        """Return the top-level coordinator.

        :origin: common.requests.FindCoordinatorResponse#node()
        """
        return Node(self._data.node_id, self._data.host, self._data.port)

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.FindCoordinatorResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.FindCoordinatorResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def has_error(self) -> bool:
        """Return whether the response has a top-level error.

        :origin: common.requests.FindCoordinatorResponse#hasError()
        """
        return self.error() is not Errors.NONE

    def error(self) -> Errors:
        """Return the top-level error.

        :origin: common.requests.FindCoordinatorResponse#error()
        """
        return Errors.for_code(self._data.error_code)

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.FindCoordinatorResponse#errorCounts()"""
        if self._data.coordinators:
            return self._error_counts_errors(
                Errors.for_code(coordinator.error_code) for coordinator in self._data.coordinators)
        return self._error_counts_error(self.error())

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> FindCoordinatorResponse:
        """:origin: common.requests.FindCoordinatorResponse#parse(ByteBuffer, short)"""
        return FindCoordinatorResponse(FindCoordinatorResponseData.read(buffer, version))

    def __str__(self) -> str:
        """:origin: common.requests.FindCoordinatorResponse#toString()"""
        return str(self._data)

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.FindCoordinatorResponse#shouldClientThrottle(short)"""
        return version >= 2

    def coordinators(self) -> list[Coordinator]:
        """Return the coordinators of any version. The top-level one has no key.

        :origin: common.requests.FindCoordinatorResponse#coordinators()
        """
        data = self._data
        if data.coordinators:
            return data.coordinators
        return [Coordinator(error_code=data.error_code, error_message=data.error_message,
                            node_id=data.node_id, host=data.host, port=data.port)]

    @staticmethod
    def prepare_old_response(error: Errors, node: Node) -> FindCoordinatorResponse:
        """Return a response of version 3 or below.

        :origin: common.requests.FindCoordinatorResponse#prepareOldResponse(Errors, Node)
        """
        return FindCoordinatorResponse(FindCoordinatorResponseData(
            error_code=error.code, error_message=error.message(), node_id=node.id(), host=node.host() or "",
            port=node.port()))

    @staticmethod
    def prepare_response(error: Errors, key: str, node: Node) -> FindCoordinatorResponse:
        """Return a response of version 4 or above, for one key.

        :origin: common.requests.FindCoordinatorResponse#prepareResponse(Errors, String, Node)
        """
        return FindCoordinatorResponse(FindCoordinatorResponseData(
            coordinators=[FindCoordinatorResponse.prepare_coordinator_response(error, key, node)]))

    @staticmethod
    def prepare_coordinator_response(error: Errors, key: str, node: Node) -> Coordinator:
        """Return the entry of the coordinator for one key.

        :origin: common.requests.FindCoordinatorResponse#prepareCoordinatorResponse(Errors, String, Node)
        """
        return Coordinator(error_code=error.code, error_message=error.message(), key=key,
                           host=node.host() or "", port=node.port(), node_id=node.id())

    @staticmethod
    def prepare_error_response(error: Errors, keys: Iterable[str]) -> FindCoordinatorResponse:
        """Return a response of version 4 or above with ``error`` for all keys.

        :origin: common.requests.FindCoordinatorResponse#prepareErrorResponse(Errors, List<String>)
        """
        no_node = Node.no_node()
        return FindCoordinatorResponse(FindCoordinatorResponseData(coordinators=[
            FindCoordinatorResponse.prepare_coordinator_response(error, key, no_node) for key in keys]))
