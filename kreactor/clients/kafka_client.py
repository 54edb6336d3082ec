# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.KafkaClient of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of NetworkClient, for Sender and others.

Owner: one thread. Any thread may call ``wakeup``, ``initiate_close`` and ``active``. Times are times of day
in milliseconds, passed in as ``now``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kreactor.clients.client_request import ClientRequest
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import AuthenticationException
from kreactor.common.node import Node
from kreactor.common.requests.abstract_request import AbstractRequest

if TYPE_CHECKING:
    from kreactor.clients.least_loaded_node import LeastLoadedNode


class KafkaClient(ABC):
    """Sends requests to nodes, over one connection per node, without blocking on any node.

    :origin: clients.KafkaClient
    """

    @abstractmethod
    def is_ready(self, node: Node, now: int) -> bool:
        """Return whether a request can be sent to ``node`` now; does not connect.

        :origin: clients.KafkaClient#isReady(Node, long)
        """

    @abstractmethod
    def ready(self, node: Node, now: int) -> bool:
        """Return whether a request can be sent to ``node`` now; begin to connect if there is no connection.

        Only ``poll`` changes the result.

        :origin: clients.KafkaClient#ready(Node, long)
        """

    @abstractmethod
    def connection_delay(self, node: Node, now: int) -> int:
        """Return the milliseconds until the next attempt to send to ``node`` is useful.

        While disconnected, this is the rest of the backoff.

        :origin: clients.KafkaClient#connectionDelay(Node, long)
        """

    @abstractmethod
    def poll_delay_ms(self, node: Node, now: int) -> int:
        """Return the milliseconds until the next attempt to send to ``node`` is useful, including throttling.

        :origin: clients.KafkaClient#pollDelayMs(Node, long)
        """

    @abstractmethod
    def connection_failed(self, node: Node) -> bool:
        """Return whether the connection failed; the next ``ready`` may make a new one.

        :origin: clients.KafkaClient#connectionFailed(Node)
        """

    @abstractmethod
    def authentication_exception(self, node: Node) -> AuthenticationException | None:
        """Return the error with which ``node`` refused the connection, or None. There is no automatic retry.

        :origin: clients.KafkaClient#authenticationException(Node)
        """

    @abstractmethod
    def send(self, request: ClientRequest, now: int) -> None:
        """Queue a request on a ready connection. Raises IllegalStateException if it is not ready.

        :origin: clients.KafkaClient#send(ClientRequest, long)
        """

    @abstractmethod
    def poll(self, timeout: int, now: int) -> list[ClientResponse]:
        """Read and write; return the complete responses.

        Waits at most ``timeout`` milliseconds, or less if a request or a metadata update is due earlier.

        :origin: clients.KafkaClient#poll(long, long)
        """

    @abstractmethod
    def disconnect(self, node_id: str) -> None:
        """Close the connection to a node, if there is one; its requests end as disconnected.

        :origin: clients.KafkaClient#disconnect(String)
        """

    @abstractmethod
    def close_node_id(self, node_id: str) -> None:
        """Close the connection to a node, if there is one; its requests are dropped without callbacks.

        :origin: clients.KafkaClient#close(String)
        """

    @abstractmethod
    def least_loaded_node(self, now: int) -> LeastLoadedNode:
        """Return the node with the fewest requests in flight, preferring connected nodes.

        :origin: clients.KafkaClient#leastLoadedNode(long)
        """

    @abstractmethod
    def in_flight_request_count(self) -> int:
        """Return the number of requests without a response.

        :origin: clients.KafkaClient#inFlightRequestCount()
        """

    @abstractmethod
    def has_in_flight_requests(self) -> bool:
        """Return whether any request has no response yet.

        :origin: clients.KafkaClient#hasInFlightRequests()
        """

    @abstractmethod
    def in_flight_request_count_node_id(self, node_id: str) -> int:
        """Return the number of requests to a node without a response.

        :origin: clients.KafkaClient#inFlightRequestCount(String)
        """

    @abstractmethod
    def has_in_flight_requests_node_id(self, node_id: str) -> bool:
        """Return whether any request to a node has no response yet.

        :origin: clients.KafkaClient#hasInFlightRequests(String)
        """

    @abstractmethod
    def has_ready_nodes(self, now: int) -> bool:
        """Return whether a node is connected, ready and not throttled.

        :origin: clients.KafkaClient#hasReadyNodes(long)
        """

    @abstractmethod
    def wakeup(self) -> None:
        """End a waiting ``poll``. Called by any thread.

        :origin: clients.KafkaClient#wakeup()
        """

    @abstractmethod
    def new_client_request(self, node_id: str, request_builder: AbstractRequest.Builder[AbstractRequest],
                           created_time_ms: int, expect_response: bool,
                           request_timeout_ms: int | None = None,
                           callback: RequestCompletionHandler | None = None) -> ClientRequest:
        """Return a request to a node, for ``send``.

        ``request_timeout_ms`` is the time to wait for the response before the connection is closed; None is
        the client's default. The timeout of another request on that connection may end the request earlier.

        :origin: clients.KafkaClient#newClientRequest(String, AbstractRequest.Builder<?>, long, boolean)
        :origin: clients.KafkaClient#newClientRequest(String, AbstractRequest.Builder<?>, long, boolean, int,
            RequestCompletionHandler)
        """

    @abstractmethod
    def initiate_close(self) -> None:
        """Refuse further requests, and end a waiting ``poll``. Called by any thread.

        The polling thread calls ``close`` after that.

        :origin: clients.KafkaClient#initiateClose()
        """

    @abstractmethod
    def active(self) -> bool:
        """Return whether neither ``initiate_close`` nor ``close`` was called.

        :origin: clients.KafkaClient#active()
        """

    @abstractmethod
    def close(self) -> None:
        """Close all connections and all resources of the client."""
