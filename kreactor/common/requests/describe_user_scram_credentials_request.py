# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.DescribeUserScramCredentialsRequest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for the SCRAM mechanisms and iterations of users."""

from __future__ import annotations

from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_response_data import (
    DescribeUserScramCredentialsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.describe_user_scram_credentials_response import (
    DescribeUserScramCredentialsResponse,
)
from kreactor.jdk.nio_buffer import ByteBuffer


class DescribeUserScramCredentialsRequest(AbstractRequest):
    """:origin: common.requests.DescribeUserScramCredentialsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["DescribeUserScramCredentialsRequest"]):
        """:origin: common.requests.DescribeUserScramCredentialsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: DescribeUserScramCredentialsRequestData) -> None:
            """:origin: common.requests.DescribeUserScramCredentialsRequest.Builder#Builder(
                DescribeUserScramCredentialsRequestData)
            """
            super().__init__(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS)
            self._data = data

        def build_version(self, version: int) -> DescribeUserScramCredentialsRequest:
            """:origin: common.requests.DescribeUserScramCredentialsRequest.Builder#build(short)"""
            return DescribeUserScramCredentialsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.DescribeUserScramCredentialsRequest.Builder#toString()"""
            return str(self._data)

    def __init__(self, data: DescribeUserScramCredentialsRequestData, version: int) -> None:
        """:origin: common.requests.DescribeUserScramCredentialsRequest#DescribeUserScramCredentialsRequest(
            DescribeUserScramCredentialsRequestData, short)
        """
        super().__init__(ApiKeys.DESCRIBE_USER_SCRAM_CREDENTIALS, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> DescribeUserScramCredentialsRequest:
        """:origin: common.requests.DescribeUserScramCredentialsRequest#parse(ByteBuffer, short)"""
        return DescribeUserScramCredentialsRequest(
            DescribeUserScramCredentialsRequestData.read(buffer, version), version)

    def data(self) -> DescribeUserScramCredentialsRequestData:
        """:origin: common.requests.DescribeUserScramCredentialsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> DescribeUserScramCredentialsResponse:
        """:origin: common.requests.DescribeUserScramCredentialsRequest#getErrorResponse(int, Throwable)"""
        api_error = ApiError.from_throwable(e)
        code, message = api_error.error().code, api_error.message()
        # DEVIATION D187: the origin raises a NullPointerException for a request for all users.
        return DescribeUserScramCredentialsResponse(DescribeUserScramCredentialsResponseData(
            throttle_time_ms=throttle_time_ms, error_code=code, error_message=message, results=[
                DescribeUserScramCredentialsResponseData.DescribeUserScramCredentialsResult(
                    error_code=code, error_message=message)
                for _ in self._data.users or ()]))
