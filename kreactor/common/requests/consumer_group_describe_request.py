# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ConsumerGroupDescribeRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to describe consumer groups of the new protocol (KIP-848)."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.consumer_group_describe_request_data import ConsumerGroupDescribeRequestData
from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.consumer_group_describe_response import ConsumerGroupDescribeResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ConsumerGroupDescribeRequest(AbstractRequest):
    """:origin: common.requests.ConsumerGroupDescribeRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["ConsumerGroupDescribeRequest"]):
        """:origin: common.requests.ConsumerGroupDescribeRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: ConsumerGroupDescribeRequestData,
                     enable_unstable_last_version: bool = False) -> None:
            """
            :origin: common.requests.ConsumerGroupDescribeRequest.Builder#Builder(ConsumerGroupDescribeRequestData, boolean)
            """  # noqa: E501
            super().__init__(
                ApiKeys.CONSUMER_GROUP_DESCRIBE, enable_unstable_last_version=enable_unstable_last_version)
            self._data = data

        def build_version(self, version: int) -> ConsumerGroupDescribeRequest:
            """:origin: common.requests.ConsumerGroupDescribeRequest.Builder#build(short)"""
            return ConsumerGroupDescribeRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.ConsumerGroupDescribeRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: ConsumerGroupDescribeRequestData, version: int) -> None:
        """
        :origin: common.requests.ConsumerGroupDescribeRequest#ConsumerGroupDescribeRequest(ConsumerGroupDescribeRequestData, short)
        """  # noqa: E501
        super().__init__(ApiKeys.CONSUMER_GROUP_DESCRIBE, version)
        self._data = data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> ConsumerGroupDescribeResponse:
        """:origin: common.requests.ConsumerGroupDescribeRequest#getErrorResponse(int, Throwable)"""
        error_code = Errors.for_exception(e).code
        return ConsumerGroupDescribeResponse(ConsumerGroupDescribeResponseData(
            throttle_time_ms=throttle_time_ms,
            groups=[ConsumerGroupDescribeResponseData.DescribedGroup(group_id=group_id, error_code=error_code)
                    for group_id in self._data.group_ids]))

    def data(self) -> ConsumerGroupDescribeRequestData:
        """:origin: common.requests.ConsumerGroupDescribeRequest#data()"""
        return self._data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ConsumerGroupDescribeRequest:
        """:origin: common.requests.ConsumerGroupDescribeRequest#parse(ByteBuffer, short)"""
        return ConsumerGroupDescribeRequest(ConsumerGroupDescribeRequestData.read(buffer, version), version)

    @staticmethod
    def get_error_described_group_list(
        group_ids: Iterable[str], error: Errors,
    ) -> list[ConsumerGroupDescribeResponseData.DescribedGroup]:
        """Return the groups, each with ``error``.

        :origin: common.requests.ConsumerGroupDescribeRequest#getErrorDescribedGroupList(List<String>, Errors)
        """
        return [ConsumerGroupDescribeResponseData.DescribedGroup(group_id=group_id, error_code=error.code)
                for group_id in group_ids]
