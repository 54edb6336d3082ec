# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AbstractRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of requests. A request can be parsed and sent, and has an error response."""

from __future__ import annotations

import importlib
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, overload

from kreactor.common.errors import UnsupportedVersionException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.send_builder import SendBuilder
from kreactor.common.requests.abstract_request_response import AbstractRequestResponse
from kreactor.common.requests.request_and_size import RequestAndSize
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.jdk.exceptions import (
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)

if TYPE_CHECKING:
    from kreactor.common.network.send import Send
    from kreactor.common.protocol.errors import Errors
    from kreactor.common.requests.abstract_response import AbstractResponse
    from kreactor.common.requests.request_header import RequestHeader
    from kreactor.jdk.nio_buffer import ByteBuffer

T = TypeVar("T", bound="AbstractRequest", covariant=True)

# The throttle time of a response that is not throttled. Other modules use the constant of AbstractResponse.
_DEFAULT_THROTTLE_TIME = 0


class AbstractRequest(AbstractRequestResponse):
    """A request in one version.

    :origin: common.requests.AbstractRequest
    """

    __slots__ = ("_version", "_api_key")

    class Builder(ABC, Generic[T]):
        """Builds a request for the version that the peer supports.

        :origin: common.requests.AbstractRequest.Builder
        """

        __slots__ = ("_api_key", "_oldest_allowed_version", "_latest_allowed_version")

        def __init__(self, api_key: ApiKeys, oldest_allowed_version: int | None = None,
                     latest_allowed_version: int | None = None, *,
                     enable_unstable_last_version: bool = False) -> None:
            """Allow a range of versions, a single given version, or by default all stable versions.

            :origin: common.requests.AbstractRequest.Builder#Builder(ApiKeys, boolean)
            :origin: common.requests.AbstractRequest.Builder#Builder(ApiKeys)
            :origin: common.requests.AbstractRequest.Builder#Builder(ApiKeys, short)
            :origin: common.requests.AbstractRequest.Builder#Builder(ApiKeys, short, short)
            """
            if oldest_allowed_version is None:
                oldest_allowed_version = api_key.oldest_version()
                latest_allowed_version = api_key.latest_version(enable_unstable_last_version)
            elif latest_allowed_version is None:
                latest_allowed_version = oldest_allowed_version
            self._api_key = api_key
            self._oldest_allowed_version = oldest_allowed_version
            self._latest_allowed_version = latest_allowed_version

        def api_key(self) -> ApiKeys:
            """Return the API.

            :origin: common.requests.AbstractRequest.Builder#apiKey()
            """
            return self._api_key

        def oldest_allowed_version(self) -> int:
            """Return the lowest allowed version.

            :origin: common.requests.AbstractRequest.Builder#oldestAllowedVersion()
            """
            return self._oldest_allowed_version

        def latest_allowed_version(self) -> int:
            """Return the highest allowed version.

            :origin: common.requests.AbstractRequest.Builder#latestAllowedVersion()
            """
            return self._latest_allowed_version

        def build(self) -> T:
            """Return the request in the highest allowed version.

            :origin: common.requests.AbstractRequest.Builder#build()
            """
            return self.build_version(self._latest_allowed_version)

        @abstractmethod
        def build_version(self, version: int) -> T:
            """Return the request in ``version``.

            Raises UnsupportedVersionException if ``version`` lacks a set field.

            :origin: common.requests.AbstractRequest.Builder#build(short)
            """

    def __init__(self, api_key: ApiKeys, version: int) -> None:
        """Raises UnsupportedVersionException for an unsupported version.

        :origin: common.requests.AbstractRequest#AbstractRequest(ApiKeys, short)
        """
        if not api_key.is_version_supported(version):
            raise UnsupportedVersionException(f"The {api_key} protocol does not support version {version}")
        self._version = version
        self._api_key = api_key

    def version(self) -> int:
        """Return the version.

        :origin: common.requests.AbstractRequest#version()
        """
        return self._version

    def api_key(self) -> ApiKeys:
        """Return the API.

        :origin: common.requests.AbstractRequest#apiKey()
        """
        return self._api_key

    def to_send(self, header: RequestHeader) -> Send:
        """Return a send of the request, preceded by its size. Raises as ``Message.write``.

        :origin: common.requests.AbstractRequest#toSend(RequestHeader)
        """
        return SendBuilder.build_request_send(header, self.data())

    def serialize_with_header(self, header: RequestHeader) -> ByteBuffer:
        """Return header and body without the size.

        Raises IllegalArgumentException if their APIs or versions differ.

        :origin: common.requests.AbstractRequest#serializeWithHeader(RequestHeader)
        """
        if header.api_key() is not self._api_key:
            raise IllegalArgumentException(
                f"Could not build request {self._api_key} with header api key {header.api_key()}")
        if header.api_version() != self._version:
            raise IllegalArgumentException(
                f"Could not build request version {self._version} with header version {header.api_version()}")
        return RequestUtils.serialize(header.data(), header.header_version(), self.data(), self._version)

    def serialize(self) -> ByteBuffer:
        """Return the body.

        :origin: common.requests.AbstractRequest#serialize()
        """
        return MessageUtil.to_byte_buffer(self.data(), self._version)

    def _size_in_bytes(self) -> int:
        """Return the size of the body.

        :origin: common.requests.AbstractRequest#sizeInBytes()
        """
        return self.data().serialized_size(self._version)

    def to_string(self, verbose: bool) -> str:
        """Return the request as text. Some requests return a shorter text without ``verbose``.

        :origin: common.requests.AbstractRequest#toString(boolean)
        """
        return str(self.data())

    def __str__(self) -> str:
        """:origin: common.requests.AbstractRequest#toString()"""
        return self.to_string(True)

    def get_error_response(self, e: BaseException) -> AbstractResponse | None:
        """Return the response with error ``e``, or None for a request without response.

        :origin: common.requests.AbstractRequest#getErrorResponse(Throwable)
        """
        return self.get_error_response_throttle(_DEFAULT_THROTTLE_TIME, e)

    @abstractmethod
    def get_error_response_throttle(self, throttle_time_ms: int, e: BaseException) -> AbstractResponse | None:
        """Return the response with error ``e`` and a throttle time, if the response has one.

        Returns None for a request without response.

        :origin: common.requests.AbstractRequest#getErrorResponse(int, Throwable)
        """

    def error_counts(self, e: BaseException) -> dict[Errors, int]:
        """Return the number of each error in the response with error ``e``.

        Raises IllegalStateException for a request without response. Some requests override this.

        :origin: common.requests.AbstractRequest#errorCounts(Throwable)
        """
        response = self.get_error_response_throttle(0, e)
        if response is None:
            raise IllegalStateException(f"Error counts could not be obtained for request {self}")
        return response.error_counts()

    @staticmethod
    def parse_request(api_key: ApiKeys, api_version: int, buffer: ByteBuffer) -> RequestAndSize:
        """Return the request at the position of ``buffer``, with the size of the remaining bytes.

        Ignores bytes after the request. Raises as ``Message.read``, or UnsupportedVersionException, or
        UnsupportedOperationException for an API without class.

        :origin: common.requests.AbstractRequest#parseRequest(ApiKeys, short, ByteBuffer)
        """
        buffer_size = buffer.remaining()
        return RequestAndSize(AbstractRequest._do_parse_request(api_key, api_version, buffer), buffer_size)

    @staticmethod
    @abstractmethod
    def parse(buffer: ByteBuffer, version: int) -> AbstractRequest:
        """Return the request of this class at the position of ``buffer``, and move the position past it.

        Raises as ``Message.read``, or UnsupportedVersionException.
        """

    @staticmethod
    def _do_parse_request(api_key: ApiKeys, api_version: int, buffer: ByteBuffer) -> AbstractRequest:
        """Find the class, and parse the request with it.

        :origin: common.requests.AbstractRequest#doParseRequest(ApiKeys, short, ByteBuffer)
        """
        request_class = _REQUEST_CLASSES.get(api_key)
        if request_class is None:
            request_class = _request_class(api_key)
        return request_class.parse(buffer, api_version)


_REQUEST_CLASSES: dict[ApiKeys, type[AbstractRequest]] = {}


def _request_class(api_key: ApiKeys) -> type[AbstractRequest]:
    # DEVIATION D46: the class is found by name on first use. Kafka has a switch that names and loads all
    # classes.
    request_class: type[AbstractRequest] = find_class(api_key, "Request")
    _REQUEST_CLASSES[api_key] = request_class
    return request_class


@overload
def find_class(api_key: ApiKeys, kind: Literal["Request"]) -> type[AbstractRequest]: ...


@overload
def find_class(api_key: ApiKeys, kind: Literal["Response"]) -> type[AbstractResponse]: ...


def find_class(api_key: ApiKeys, kind: str) -> type[AbstractRequest] | type[AbstractResponse]:
    """Return the class ``<Api>Request`` or ``<Api>Response``. Raises UnsupportedOperationException."""
    name = api_key.name
    if api_key is ApiKeys.OFFSET_FOR_LEADER_EPOCH:
        name = "OffsetsForLeaderEpoch"
    module_name = f"{__package__}.{re.sub('(?<=[a-z])(?=[A-Z])', '_', name).lower()}_{kind.lower()}"
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as e:
        if e.name != module_name:
            raise
        raise UnsupportedOperationException(
            f"ApiKey {api_key} is not supported: there is no {name}{kind}") from None
    found: type[AbstractRequest] | type[AbstractResponse] = getattr(module, name + kind)
    return found
