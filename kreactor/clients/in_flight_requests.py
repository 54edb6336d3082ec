# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.InFlightRequests of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The requests that are being sent or wait for a response, by node.

Owner: the thread that polls the NetworkClient; only ``count`` may be called by any thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.text import shown_text

if TYPE_CHECKING:
    from kreactor.clients.network_client import NetworkClient


class InFlightRequests:
    """One queue for each node. The newest request is at the left end; a response belongs to the right end.

    :origin: clients.InFlightRequests
    """

    def __init__(self, max_in_flight_requests_per_connection: int) -> None:
        """:origin: clients.InFlightRequests#InFlightRequests(int)"""
        self._max_in_flight_requests_per_connection = max_in_flight_requests_per_connection
        self._requests: dict[str, deque[NetworkClient.InFlightRequest]] = {}
        self._in_flight_request_count = AtomicInteger(0)

    def __repr__(self) -> str:
        # A copy: the thread that polls may add a node meanwhile.
        requests = self._requests.copy()
        nodes = [f"{shown_text(node)}: {len(queue)}" for node, queue in requests.items() if queue]
        return f"InFlightRequests({', '.join(nodes) or 'none'})"

    def add(self, request: NetworkClient.InFlightRequest) -> None:
        """Queue a request to its destination.

        :origin: clients.InFlightRequests#add(NetworkClient.InFlightRequest)
        """
        destination = request.destination
        reqs = self._requests.get(destination)
        if reqs is None:
            self._requests[destination] = reqs = deque()
        reqs.appendleft(request)
        self._in_flight_request_count.increment_and_get()

    def _request_queue(self, node: str) -> deque[NetworkClient.InFlightRequest]:
        """Return the queue of a node. Raises IllegalStateException if it is empty.

        :origin: clients.InFlightRequests#requestQueue(String)
        """
        reqs = self._requests.get(node)
        if not reqs:
            raise IllegalStateException(f"There are no in-flight requests for node {node}")
        return reqs

    def complete_next(self, node: str) -> NetworkClient.InFlightRequest:
        """Remove and return the oldest request to a node. Raises IllegalStateException if there is none.

        :origin: clients.InFlightRequests#completeNext(String)
        """
        in_flight_request = self._request_queue(node).pop()
        self._in_flight_request_count.decrement_and_get()
        return in_flight_request

    def put_back(self, request: NetworkClient.InFlightRequest) -> None:
        """Put a request that ``complete_next`` returned back as the oldest one."""
        self._requests[request.destination].append(request)
        self._in_flight_request_count.increment_and_get()

    def last_sent(self, node: str) -> NetworkClient.InFlightRequest:
        """Return the newest request to a node. Raises IllegalStateException if there is none.

        :origin: clients.InFlightRequests#lastSent(String)
        """
        return self._request_queue(node)[0]

    def complete_last_sent(self, node: str) -> NetworkClient.InFlightRequest:
        """Remove and return the newest request to a node. Raises IllegalStateException if there is none.

        :origin: clients.InFlightRequests#completeLastSent(String)
        """
        in_flight_request = self._request_queue(node).popleft()
        self._in_flight_request_count.decrement_and_get()
        return in_flight_request

    def can_send_more(self, node: str) -> bool:
        """Return whether the newest request to a node is written, and the node has fewer than the maximum.

        :origin: clients.InFlightRequests#canSendMore(String)
        """
        queue = self._requests.get(node)
        return not queue or (
            queue[0].send.completed() and len(queue) < self._max_in_flight_requests_per_connection)

    def count_node(self, node: str) -> int:
        """Return the number of requests to a node.

        :origin: clients.InFlightRequests#count(String)
        """
        queue = self._requests.get(node)
        return 0 if queue is None else len(queue)

    def is_empty_node(self, node: str) -> bool:
        """Return whether there is no request to a node.

        :origin: clients.InFlightRequests#isEmpty(String)
        """
        return not self._requests.get(node)

    def count(self) -> int:
        """Return the number of all requests. Called by any thread.

        :origin: clients.InFlightRequests#count()
        """
        return self._in_flight_request_count.get()

    def is_empty(self) -> bool:
        """Return whether there is no request.

        :origin: clients.InFlightRequests#isEmpty()
        """
        for deque_ in self._requests.values():
            if deque_:
                return False
        return True

    def clear_all(self, node: str) -> Iterable[NetworkClient.InFlightRequest]:
        """Remove and return all requests to a node, the oldest first.

        :origin: clients.InFlightRequests#clearAll(String)
        """
        cleared_requests = self._requests.pop(node, None)
        if cleared_requests is None:
            return []
        self._in_flight_request_count.get_and_add(-len(cleared_requests))
        return reversed(cleared_requests)

    def _has_expired_request(self, now: int, deque_: deque[NetworkClient.InFlightRequest]) -> bool:
        """Return whether a request has timed out, not counting its throttle time.

        :origin: clients.InFlightRequests#hasExpiredRequest(long, Deque<NetworkClient.InFlightRequest>)
        """
        for request in deque_:
            if (request.time_elapsed_since_send_ms(now) - request.throttle_time_ms()
                    > request.request_timeout_ms):
                return True
        return False

    def nodes_with_timed_out_requests(self, now: int) -> list[str]:
        """Return the nodes with a timed-out request; ``now`` is a time of day in milliseconds.

        :origin: clients.InFlightRequests#nodesWithTimedOutRequests(long)
        """
        return [node_id for node_id, deque_ in self._requests.items()
                if self._has_expired_request(now, deque_)]

    def increment_throttle_time(self, node_id: str, throttle_time_ms: int) -> None:
        """Add milliseconds of throttling to all requests to a node.

        :origin: clients.InFlightRequests#incrementThrottleTime(String, long)
        """
        for request in self._requests.get(node_id, ()):
            request.increment_throttle_time(throttle_time_ms)
