# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.RequestCompletionHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback of a request, which the client calls when the request is complete."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from kreactor.clients.client_response import ClientResponse


class RequestCompletionHandler(ABC):
    """Called by the thread that polls the client, with the response or after a disconnection.

    :origin: clients.RequestCompletionHandler
    """

    @abstractmethod
    def on_complete(self, response: ClientResponse) -> None:
        """Handle the response, or the failure of the request.

        :origin: clients.RequestCompletionHandler#onComplete(ClientResponse)
        """

    @staticmethod
    def of(function: Callable[[ClientResponse], None]) -> RequestCompletionHandler:
        """Return ``function`` as a RequestCompletionHandler, as Java does for a lambda."""
        return _RequestCompletionFunction(function)


class _RequestCompletionFunction(RequestCompletionHandler):
    """A RequestCompletionHandler that calls a function."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[ClientResponse], None]) -> None:
        self._function = function

    def on_complete(self, response: ClientResponse) -> None:
        """Call the function."""
        self._function(response)
