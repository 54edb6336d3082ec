# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ApiVersionsRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request for a broker's APIs and versions, the first request of most clients."""

from __future__ import annotations

import re

from kreactor.common.message.api_versions_request_data import ApiVersionsRequestData
from kreactor.common.message.api_versions_response_data import ApiVersionsResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_versions_response import ApiVersionsResponse
from kreactor.common.utils.app_info_parser import AppInfoParser
from kreactor.jdk.nio_buffer import ByteBuffer


class ApiVersionsRequest(AbstractRequest):
    """:origin: common.requests.ApiVersionsRequest"""

    __slots__ = ("_unsupported_request_version", "_data")

    class Builder(AbstractRequest.Builder["ApiVersionsRequest"]):
        """:origin: common.requests.ApiVersionsRequest.Builder"""

        __slots__ = ()

        _DEFAULT_CLIENT_SOFTWARE_NAME = "apache-kafka-java"
        _DATA = ApiVersionsRequestData(client_software_name=_DEFAULT_CLIENT_SOFTWARE_NAME,
                                       client_software_version=AppInfoParser.get_version())

        def __init__(self, version: int | None = None) -> None:
            """:origin: common.requests.ApiVersionsRequest.Builder#Builder()
            :origin: common.requests.ApiVersionsRequest.Builder#Builder(short)
            """
            super().__init__(ApiKeys.API_VERSIONS, version)

        def build_version(self, version: int) -> ApiVersionsRequest:
            """:origin: common.requests.ApiVersionsRequest.Builder#build(short)"""
            return ApiVersionsRequest(self._DATA, version)

        def __str__(self) -> str:
            """:origin: common.requests.ApiVersionsRequest.Builder#toString()"""
            return str(self._DATA)

    _SOFTWARE_NAME_VERSION_PATTERN = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")

    def __init__(self, data: ApiVersionsRequestData, version: int,
                 unsupported_request_version: int | None = None) -> None:
        """Keep the data and the version. A client starts with the highest version that it supports.

        If this software does not support that version, the request gets version 0, and
        ``unsupported_request_version`` has the original version. The client gets an error in version 0, which
        every client can read, and retries with a supported version.

        :origin: common.requests.ApiVersionsRequest#ApiVersionsRequest(ApiVersionsRequestData, short)
        :origin: common.requests.ApiVersionsRequest#ApiVersionsRequest(ApiVersionsRequestData, short, Short)
        """
        super().__init__(ApiKeys.API_VERSIONS, version)
        self._data = data
        self._unsupported_request_version = unsupported_request_version

    def has_unsupported_request_version(self) -> bool:
        """Return whether the client used an unsupported version.

        :origin: common.requests.ApiVersionsRequest#hasUnsupportedRequestVersion()
        """
        return self._unsupported_request_version is not None

    def is_valid(self) -> bool:
        """Return whether the client's software name and version are valid or absent.

        :origin: common.requests.ApiVersionsRequest#isValid()
        """
        if self._version >= 3:
            pattern = ApiVersionsRequest._SOFTWARE_NAME_VERSION_PATTERN
            return (pattern.fullmatch(self._data.client_software_name) is not None
                    and pattern.fullmatch(self._data.client_software_version) is not None)
        return True

    def data(self) -> ApiVersionsRequestData:
        """:origin: common.requests.ApiVersionsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> ApiVersionsResponse:
        """Return the error response. For an unsupported version it has the versions of ApiVersions (KIP-511).

        :origin: common.requests.ApiVersionsRequest#getErrorResponse(int, Throwable)
        """
        error = Errors.for_exception(e)
        data = ApiVersionsResponseData(error_code=error.code)
        if self._version >= 1:
            data.throttle_time_ms = throttle_time_ms
        if error is Errors.UNSUPPORTED_VERSION:
            data.api_keys = [ApiVersionsResponse.to_api_version(ApiKeys.API_VERSIONS)]
        return ApiVersionsResponse(data)

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> ApiVersionsRequest:
        """:origin: common.requests.ApiVersionsRequest#parse(ByteBuffer, short)"""
        return ApiVersionsRequest(ApiVersionsRequestData.read(buffer, version), version)
