# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.RequestHeader of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The header of every request: API, version, correlation id and client id."""

from __future__ import annotations

from kreactor.common.errors import InvalidRequestException, UnsupportedVersionException
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request_response import AbstractRequestResponse
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.jdk.nio_buffer import ByteBuffer


class RequestHeader(AbstractRequestResponse):
    """A request header. Its version follows from the version of the request.

    :origin: common.requests.RequestHeader
    """

    __slots__ = ("_data", "_header_version", "_size", "_api_key")

    _SIZE_NOT_INITIALIZED = -1

    @staticmethod
    def of(request_api_key: ApiKeys, request_version: int, client_id: str | None,
           correlation_id: int) -> RequestHeader:
        """Return the header of a request.

        :origin: common.requests.RequestHeader#RequestHeader(ApiKeys, short, String, int)
        """
        data = RequestHeaderData(request_api_key=request_api_key.id, request_api_version=request_version,
                                 client_id=client_id, correlation_id=correlation_id)
        return RequestHeader(data, request_api_key.request_header_version(request_version))

    def __init__(self, data: RequestHeaderData, header_version: int) -> None:
        """:origin: common.requests.RequestHeader#RequestHeader(RequestHeaderData, short)"""
        self._data = data
        self._header_version = header_version
        self._size = RequestHeader._SIZE_NOT_INITIALIZED
        # Kafka looks this up on each call, about a dozen times per request.
        self._api_key: ApiKeys | None = None

    def api_key(self) -> ApiKeys:
        """Return the API. Raises IllegalArgumentException for an unknown key.

        :origin: common.requests.RequestHeader#apiKey()
        """
        api_key = self._api_key
        if api_key is None:
            self._api_key = api_key = ApiKeys.for_id(self._data.request_api_key)
        return api_key

    def api_version(self) -> int:
        """Return the version of the request, supported or not.

        :origin: common.requests.RequestHeader#apiVersion()
        """
        return self._data.request_api_version

    def header_version(self) -> int:
        """Return the version of the header.

        :origin: common.requests.RequestHeader#headerVersion()
        """
        return self._header_version

    def client_id(self) -> str | None:
        """Return the client id, empty for a missing or null one.

        :origin: common.requests.RequestHeader#clientId()
        """
        return self._data.client_id

    def correlation_id(self) -> int:
        """Return the correlation id, which the response repeats.

        :origin: common.requests.RequestHeader#correlationId()
        """
        return self._data.correlation_id

    def data(self) -> RequestHeaderData:
        """Return the message.

        :origin: common.requests.RequestHeader#data()
        """
        return self._data

    def size(self) -> int:
        """Return the size in bytes, known after ``parse``, else computed once.

        :origin: common.requests.RequestHeader#size()
        """
        if self._size == RequestHeader._SIZE_NOT_INITIALIZED:
            self._size = self._data.serialized_size(self._header_version)
        return self._size

    def to_response_header(self) -> ResponseHeader:
        """Return the header of the response.

        :origin: common.requests.RequestHeader#toResponseHeader()
        """
        data = self._data
        message_type = self.api_key().message_type
        return ResponseHeader(ResponseHeaderData(correlation_id=data.correlation_id),
                              message_type.response_header_version(data.request_api_version))

    @staticmethod
    def parse(buffer: ByteBuffer) -> RequestHeader:
        """Return the header at the position of ``buffer``, and move the position to the body.

        The header has no field with its own version. It follows from the API key and the version of the
        request, the first fields in every version of the header. Raises InvalidRequestException.

        :origin: common.requests.RequestHeader#parse(ByteBuffer)
        """
        api_key = -1
        try:
            position = buffer.position()
            api_key = buffer.get_short()
            api_version = buffer.get_short()
            known = ApiKeys.for_id(api_key)
            header_version = known.request_header_version(api_version)
            buffer.set_position(position)
            data = RequestHeaderData.read(buffer, header_version)
            # The protocol allows a null client id. Callers get an empty one.
            if data.client_id is None:
                data.client_id = ""
            header = RequestHeader(data, header_version)
            header._api_key = known
            header._size = max(buffer.position() - position, 0)
            return header
        except UnsupportedVersionException as e:
            raise InvalidRequestException(f"Unknown API key {api_key}", e)
        except Exception as e:
            raise InvalidRequestException(
                f"Error parsing request header. Our best guess of the apiKey is: {api_key}", e)

    def __str__(self) -> str:
        """:origin: common.requests.RequestHeader#toString()"""
        client_id = "null" if self._data.client_id is None else self._data.client_id
        return (f"RequestHeader(apiKey={self.api_key()}, apiVersion={self.api_version()}, "
                f"clientId={client_id}, correlationId={self.correlation_id()}, "
                f"headerVersion={self._header_version})")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.RequestHeader#equals(Object)"""
        return (isinstance(other, RequestHeader) and self._header_version == other._header_version
                and self._data == other._data)

    def __hash__(self) -> int:
        """:origin: common.requests.RequestHeader#hashCode()"""
        return hash((self._header_version, self._data.correlation_id))
