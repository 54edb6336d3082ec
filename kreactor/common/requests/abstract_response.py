# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AbstractResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The base of responses. A response can be parsed and sent, counts its errors, and has a throttle time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.protocol.send_builder import SendBuilder
from kreactor.common.requests.abstract_request import find_class
from kreactor.common.requests.abstract_request_response import AbstractRequestResponse
from kreactor.common.requests.correlation_id_mismatch_exception import CorrelationIdMismatchException
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.common.requests.response_header import ResponseHeader

if TYPE_CHECKING:
    from kreactor.common.network.send import Send
    from kreactor.common.protocol.api_keys import ApiKeys
    from kreactor.common.protocol.errors import Errors
    from kreactor.common.requests.api_error import ApiError
    from kreactor.common.requests.request_header import RequestHeader
    from kreactor.jdk.nio_buffer import ByteBuffer

K = TypeVar("K")


class AbstractResponse(AbstractRequestResponse):
    """A response. It does not know its version, which is the version of the request.

    :origin: common.requests.AbstractResponse
    """

    __slots__ = ("_api_key",)

    DEFAULT_THROTTLE_TIME = 0

    def __init__(self, api_key: ApiKeys) -> None:
        """:origin: common.requests.AbstractResponse#AbstractResponse(ApiKeys)"""
        self._api_key = api_key

    def to_send(self, header: ResponseHeader, version: int) -> Send:
        """Return a send of the response, preceded by its size. Raises as ``Message.write``.

        :origin: common.requests.AbstractResponse#toSend(ResponseHeader, short)
        """
        return SendBuilder.build_response_send(header, self.data(), version)

    def serialize_with_header(self, header: ResponseHeader, version: int) -> ByteBuffer:
        """Return header and body without the size.

        :origin: common.requests.AbstractResponse#serializeWithHeader(ResponseHeader, short)
        """
        return RequestUtils.serialize(header.data(), header.header_version(), self.data(), version)

    def serialize(self, version: int) -> ByteBuffer:
        """Return the body.

        :origin: common.requests.AbstractResponse#serialize(short)
        """
        return MessageUtil.to_byte_buffer(self.data(), version)

    @abstractmethod
    def error_counts(self) -> dict[Errors, int]:
        """Return the number of each error on all levels of the response, with NONE.

        :origin: common.requests.AbstractResponse#errorCounts()
        """

    def _error_counts_error(self, error: Errors) -> dict[Errors, int]:
        """Return the counts of a response with one error.

        :origin: common.requests.AbstractResponse#errorCounts(Errors)
        """
        return {error: 1}

    def _error_counts_errors(self, errors: Iterable[Errors]) -> dict[Errors, int]:
        """Return the counts of ``errors``.

        :origin: common.requests.AbstractResponse#errorCounts(Collection<Errors>)
        """
        error_counts: dict[Errors, int] = {}
        for error in errors:
            self._update_error_counts(error_counts, error)
        return error_counts

    def _api_error_counts(self, errors: Mapping[K, ApiError]) -> dict[Errors, int]:
        """Return the counts of the values.

        :origin: common.requests.AbstractResponse#apiErrorCounts(Map<?,ApiError>)
        """
        error_counts: dict[Errors, int] = {}
        for api_error in errors.values():
            self._update_error_counts(error_counts, api_error.error())
        return error_counts

    def _update_error_counts(self, error_counts: dict[Errors, int], error: Errors) -> None:
        """Increment the count of ``error``.

        :origin: common.requests.AbstractResponse#updateErrorCounts(Map<Errors,Integer>, Errors)
        """
        error_counts[error] = error_counts.get(error, 0) + 1

    @staticmethod
    def parse_response(buffer: ByteBuffer, request_header: RequestHeader) -> AbstractResponse:
        """Return the response in ``buffer``, with its header, to the request with this header.

        Raises CorrelationIdMismatchException for the response to another request, or as
        ``parse_response_api_key``.

        :origin: common.requests.AbstractResponse#parseResponse(ByteBuffer, RequestHeader)
        """
        api_key = request_header.api_key()
        api_version = request_header.api_version()
        response_header = ResponseHeader.parse(buffer, api_key.response_header_version(api_version))
        if request_header.correlation_id() != response_header.correlation_id():
            raise CorrelationIdMismatchException(
                f"Correlation id for response ({response_header.correlation_id()}) does not match request "
                f"({request_header.correlation_id()}), request header: {request_header}",
                request_header.correlation_id(), response_header.correlation_id())
        return AbstractResponse.parse_response_api_key(api_key, buffer, api_version)

    @staticmethod
    def parse_response_api_key(api_key: ApiKeys, response_buffer: ByteBuffer,
                               version: int) -> AbstractResponse:
        """Return the response body at the position of the buffer.

        Raises as ``Message.read``, or UnsupportedOperationException for an API without class.

        :origin: common.requests.AbstractResponse#parseResponse(ApiKeys, ByteBuffer, short)
        """
        response_class = _RESPONSE_CLASSES.get(api_key)
        if response_class is None:
            response_class = find_class(api_key, "Response")
            _RESPONSE_CLASSES[api_key] = response_class
        return response_class.parse(response_buffer, version)

    @staticmethod
    @abstractmethod
    def parse(buffer: ByteBuffer, version: int) -> AbstractResponse:
        """Return the response of this class at the position of ``buffer``, and move the position past it.

        Raises as ``Message.read``.
        """

    def should_client_throttle(self, version: int) -> bool:
        """Return whether a client must itself wait for the throttle time in a response of ``version``.

        In these versions a broker responds before the throttle time, and mutes the channel during it.

        :origin: common.requests.AbstractResponse#shouldClientThrottle(short)
        """
        return False

    def api_key(self) -> ApiKeys:
        """Return the API.

        :origin: common.requests.AbstractResponse#apiKey()
        """
        return self._api_key

    @abstractmethod
    def throttle_time_ms(self) -> int:
        """Return the throttle time in milliseconds, 0 for a response without this field.

        :origin: common.requests.AbstractResponse#throttleTimeMs()
        """

    @abstractmethod
    def maybe_set_throttle_time_ms(self, throttle_time_ms: int) -> None:
        """Set the throttle time in milliseconds, if the response has this field.

        :origin: common.requests.AbstractResponse#maybeSetThrottleTimeMs(int)
        """

    def __str__(self) -> str:
        """:origin: common.requests.AbstractResponse#toString()"""
        return str(self.data())


_RESPONSE_CLASSES: dict[ApiKeys, type[AbstractResponse]] = {}
