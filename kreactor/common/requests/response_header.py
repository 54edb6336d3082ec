# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.ResponseHeader of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The header of every response."""

from __future__ import annotations

from kreactor.common.message.response_header_data import ResponseHeaderData
from kreactor.common.requests.abstract_request_response import AbstractRequestResponse
from kreactor.jdk.nio_buffer import ByteBuffer


class ResponseHeader(AbstractRequestResponse):
    """The correlation id of the request, in the header version that the client can read.

    :origin: common.requests.ResponseHeader
    """

    __slots__ = ("_data", "_header_version", "_size")

    _SIZE_NOT_INITIALIZED = -1

    @staticmethod
    def of(correlation_id: int, header_version: int) -> ResponseHeader:
        """Return the header of a response.

        :origin: common.requests.ResponseHeader#ResponseHeader(int, short)
        """
        return ResponseHeader(ResponseHeaderData(correlation_id=correlation_id), header_version)

    def __init__(self, data: ResponseHeaderData, header_version: int) -> None:
        """:origin: common.requests.ResponseHeader#ResponseHeader(ResponseHeaderData, short)"""
        self._data = data
        self._header_version = header_version
        self._size = ResponseHeader._SIZE_NOT_INITIALIZED

    def size(self) -> int:
        """Return the size in bytes, known after ``parse``, else computed once.

        :origin: common.requests.ResponseHeader#size()
        """
        if self._size == ResponseHeader._SIZE_NOT_INITIALIZED:
            self._size = self._data.serialized_size(self._header_version)
        return self._size

    def correlation_id(self) -> int:
        """Return the correlation id of the request.

        :origin: common.requests.ResponseHeader#correlationId()
        """
        return self._data.correlation_id

    def header_version(self) -> int:
        """Return the version of the header.

        :origin: common.requests.ResponseHeader#headerVersion()
        """
        return self._header_version

    def data(self) -> ResponseHeaderData:
        """Return the message.

        :origin: common.requests.ResponseHeader#data()
        """
        return self._data

    def __str__(self) -> str:
        """:origin: common.requests.ResponseHeader#toString()"""
        return (f"ResponseHeader(correlationId={self._data.correlation_id}, "
                f"headerVersion={self._header_version})")

    __repr__ = __str__

    @staticmethod
    def parse(buffer: ByteBuffer, header_version: int) -> ResponseHeader:
        """Return the header at the position of ``buffer``, and move the position to the body.

        Raises as ``Message.read``.

        :origin: common.requests.ResponseHeader#parse(ByteBuffer, short)
        """
        position = buffer.position()
        header = ResponseHeader(ResponseHeaderData.read(buffer, header_version), header_version)
        header._size = max(buffer.position() - position, 0)
        return header

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.ResponseHeader#equals(Object)"""
        return (isinstance(other, ResponseHeader) and self._header_version == other._header_version
                and self._data == other._data)

    def __hash__(self) -> int:
        """:origin: common.requests.ResponseHeader#hashCode()"""
        return hash((self._header_version, self._data.correlation_id))
