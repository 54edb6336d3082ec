# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClientRequest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A request to a node, with the data that the client needs to complete it. Immutable."""

from __future__ import annotations

from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.request_header import RequestHeader


class ClientRequest:
    """The builder of a request, its destination and its callback.

    :origin: clients.ClientRequest
    """

    __slots__ = ("_destination", "_request_builder", "_correlation_id", "_client_id", "_created_time_ms",
                 "_expect_response", "_request_timeout_ms", "_callback")

    def __init__(self, destination: str, request_builder: AbstractRequest.Builder[AbstractRequest],
                 correlation_id: int, client_id: str | None, created_time_ms: int, expect_response: bool,
                 request_timeout_ms: int, callback: RequestCompletionHandler | None) -> None:
        """Store all arguments.

        ``destination`` is the id of a node. ``created_time_ms`` is a time of day. A request that expects no
        response is complete once it is sent. ``callback`` is None if no one waits for the response.

        :origin: clients.ClientRequest#ClientRequest(String, AbstractRequest.Builder<?>, int, String, long,
            boolean, int, RequestCompletionHandler)
        """
        self._destination = destination
        self._request_builder = request_builder
        self._correlation_id = correlation_id
        self._client_id = client_id
        self._created_time_ms = created_time_ms
        self._expect_response = expect_response
        self._request_timeout_ms = request_timeout_ms
        self._callback = callback

    def __str__(self) -> str:
        """:origin: clients.ClientRequest#toString()"""
        return (f"ClientRequest(expectResponse={str(self._expect_response).lower()}, "
                f"callback={'null' if self._callback is None else self._callback}, "
                f"destination={self._destination}, correlationId={self._correlation_id}, "
                f"clientId={'null' if self._client_id is None else self._client_id}, "
                f"createdTimeMs={self._created_time_ms}, requestBuilder={self._request_builder})")

    def expect_response(self) -> bool:
        """Return whether the request expects a response.

        :origin: clients.ClientRequest#expectResponse()
        """
        return self._expect_response

    def api_key(self) -> ApiKeys:
        """Return the API.

        :origin: clients.ClientRequest#apiKey()
        """
        return self._request_builder.api_key()

    def make_header(self, version: int) -> RequestHeader:
        """Return the header for a version of the request.

        :origin: clients.ClientRequest#makeHeader(short)
        """
        request_api_key = self.api_key()
        return RequestHeader(
            RequestHeaderData(request_api_key=request_api_key.id, request_api_version=version,
                              client_id=self._client_id, correlation_id=self._correlation_id),
            request_api_key.request_header_version(version))

    def request_builder(self) -> AbstractRequest.Builder[AbstractRequest]:
        """Return the builder.

        :origin: clients.ClientRequest#requestBuilder()
        """
        return self._request_builder

    def destination(self) -> str:
        """Return the id of the node.

        :origin: clients.ClientRequest#destination()
        """
        return self._destination

    def callback(self) -> RequestCompletionHandler | None:
        """Return the callback of the request, or None.

        :origin: clients.ClientRequest#callback()
        """
        return self._callback

    def created_time_ms(self) -> int:
        """Return the creation time of the request, a time of day in milliseconds.

        :origin: clients.ClientRequest#createdTimeMs()
        """
        return self._created_time_ms

    def correlation_id(self) -> int:
        """Return the correlation id, which the response repeats.

        :origin: clients.ClientRequest#correlationId()
        """
        return self._correlation_id

    def request_timeout_ms(self) -> int:
        """Return the time to wait for the response, in milliseconds.

        :origin: clients.ClientRequest#requestTimeoutMs()
        """
        return self._request_timeout_ms
