# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClientResponse of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The outcome of a request: a response, a disconnection, or the reason why it was not sent. Immutable."""

from __future__ import annotations

from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import AuthenticationException, UnsupportedVersionException
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.request_header import RequestHeader
from kreactor.jdk.exceptions import IllegalStateException


class ClientResponse:
    """A response with the header and the callback of its request.

    :origin: clients.ClientResponse
    """

    __slots__ = ("_request_header", "_callback", "_destination", "_received_time_ms", "_latency_ms",
                 "_disconnected", "_timed_out", "_version_mismatch", "_authentication_exception",
                 "_response_body")

    def __init__(self, request_header: RequestHeader, callback: RequestCompletionHandler | None,
                 destination: str, created_time_ms: int, received_time_ms: int, disconnected: bool,
                 version_mismatch: UnsupportedVersionException | None,
                 authentication_exception: AuthenticationException | None,
                 response_body: AbstractResponse | None, *, timed_out: bool = False) -> None:
        """Store all arguments.

        Times are times of day in milliseconds. ``response_body`` is None after a disconnection or a version
        mismatch, and for a request without a response. Raises IllegalStateException if the request timed out
        but its connection stayed.

        :origin: clients.ClientResponse#ClientResponse(RequestHeader, RequestCompletionHandler, String, long,
            long, boolean, UnsupportedVersionException, AuthenticationException, AbstractResponse)
        :origin: clients.ClientResponse#ClientResponse(RequestHeader, RequestCompletionHandler, String, long,
            long, boolean, boolean, UnsupportedVersionException, AuthenticationException, AbstractResponse)
        """
        if not disconnected and timed_out:
            raise IllegalStateException(
                "The client response can't be in the state of connected, yet timed out")

        self._request_header = request_header
        self._callback = callback
        self._destination = destination
        self._received_time_ms = received_time_ms
        self._latency_ms = received_time_ms - created_time_ms
        self._disconnected = disconnected
        self._timed_out = timed_out
        self._version_mismatch = version_mismatch
        self._authentication_exception = authentication_exception
        self._response_body = response_body

    def received_time_ms(self) -> int:
        """Return the time of the response, a time of day in milliseconds.

        :origin: clients.ClientResponse#receivedTimeMs()
        """
        return self._received_time_ms

    def was_disconnected(self) -> bool:
        """Return whether the connection was closed before the response was read.

        :origin: clients.ClientResponse#wasDisconnected()
        """
        return self._disconnected

    def was_timed_out(self) -> bool:
        """Return whether the client closed the connection because a response was late.

        :origin: clients.ClientResponse#wasTimedOut()
        """
        return self._timed_out

    def version_mismatch(self) -> UnsupportedVersionException | None:
        """Return the version error because of which the request was not sent, or None.

        :origin: clients.ClientResponse#versionMismatch()
        """
        return self._version_mismatch

    def authentication_exception(self) -> AuthenticationException | None:
        """Return the error with which the node refused the connection, or None.

        :origin: clients.ClientResponse#authenticationException()
        """
        return self._authentication_exception

    def request_header(self) -> RequestHeader:
        """Return the header of the request.

        :origin: clients.ClientResponse#requestHeader()
        """
        return self._request_header

    def destination(self) -> str:
        """Return the id of the node.

        :origin: clients.ClientResponse#destination()
        """
        return self._destination

    def response_body(self) -> AbstractResponse | None:
        """Return the response, or None.

        :origin: clients.ClientResponse#responseBody()
        """
        return self._response_body

    def has_response(self) -> bool:
        """Return whether there is a response.

        :origin: clients.ClientResponse#hasResponse()
        """
        return self._response_body is not None

    def request_latency_ms(self) -> int:
        """Return the time from the creation of the request to the response, in milliseconds.

        :origin: clients.ClientResponse#requestLatencyMs()
        """
        return self._latency_ms

    def on_complete(self) -> None:
        """Call the callback of the request, if it has one.

        :origin: clients.ClientResponse#onComplete()
        """
        if self._callback is not None:
            self._callback.on_complete(self)

    def __str__(self) -> str:
        """:origin: clients.ClientResponse#toString()"""
        return (f"ClientResponse(receivedTimeMs={self._received_time_ms}, latencyMs={self._latency_ms}, "
                f"disconnected={str(self._disconnected).lower()}, "
                f"timedOut={str(self._timed_out).lower()}, requestHeader={self._request_header}, "
                f"responseBody={'null' if self._response_body is None else self._response_body})")
