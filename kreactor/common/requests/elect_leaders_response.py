# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ElectLeadersResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The results of leader elections, by partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.message.elect_leaders_response_data import ElectLeadersResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_response import AbstractResponse

if TYPE_CHECKING:
    from kreactor.jdk.nio_buffer import ByteBuffer


class ElectLeadersResponse(AbstractResponse):
    """:origin: common.requests.ElectLeadersResponse"""

    __slots__ = ("_data",)

    def __init__(self, data: ElectLeadersResponseData) -> None:
        """:origin: common.requests.ElectLeadersResponse#ElectLeadersResponse(ElectLeadersResponseData)"""
        super().__init__(ApiKeys.ELECT_LEADERS)
        self._data = data

    @staticmethod
    def of(throttle_time_ms: int, error_code: int,
           election_results: list[ElectLeadersResponseData.ReplicaElectionResult],
           version: int) -> ElectLeadersResponse:
        """Return the response with these results. Version 0 has no top-level error.

        :origin: common.requests.ElectLeadersResponse#ElectLeadersResponse(int, short,
            List<ReplicaElectionResult>, short)
        """
        data = ElectLeadersResponseData(
            throttle_time_ms=throttle_time_ms, replica_election_results=election_results)
        if version >= 1:
            data.error_code = error_code
        return ElectLeadersResponse(data)

    def data(self) -> ElectLeadersResponseData:
        """:origin: common.requests.ElectLeadersResponse#data()"""
        return self._data

    def throttle_time_ms(self) -> int:
        """:origin: common.requests.ElectLeadersResponse#throttleTimeMs()"""
        return self._data.throttle_time_ms

    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """:origin: common.requests.ElectLeadersResponse#maybeSetThrottleTimeMs(int)"""
        self._data.throttle_time_ms = throttle_time_ms

    def error_counts(self) -> dict[Errors, int]:
        """:origin: common.requests.ElectLeadersResponse#errorCounts()"""
        counts: dict[Errors, int] = {}
        self._update_error_counts(counts, Errors.for_code(self._data.error_code))
        for result in self._data.replica_election_results:
            for partition_result in result.partition_result:
                self._update_error_counts(counts, Errors.for_code(partition_result.error_code))
        return counts

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ElectLeadersResponse:
        """:origin: common.requests.ElectLeadersResponse#parse(ByteBuffer, short)"""
        return ElectLeadersResponse(ElectLeadersResponseData.read(buffer, version))

    def should_client_throttle(self, version: int) -> bool:
        """:origin: common.requests.ElectLeadersResponse#shouldClientThrottle(short)"""
        return True
