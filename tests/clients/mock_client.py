# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MockClient of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A KafkaClient without a network: a test says what each request is answered, and how connections behave."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Callable

from kreactor.clients.client_request import ClientRequest
from kreactor.clients.client_response import ClientResponse
from kreactor.clients.kafka_client import KafkaClient
from kreactor.clients.least_loaded_node import LeastLoadedNode
from kreactor.clients.node_api_versions import NodeApiVersions
from kreactor.clients.request_completion_handler import RequestCompletionHandler
from kreactor.common.errors import AuthenticationException, UnsupportedVersionException
from kreactor.common.node import Node
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.utils.time import Time
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.jdk.exceptions import (
    IllegalArgumentException,
    IllegalStateException,
    UnsupportedOperationException,
)
from tests.stepping import PATIENCE_S, wait_until

if TYPE_CHECKING:
    from kreactor.clients.metadata import Metadata

LONG_MAX_VALUE = (1 << 63) - 1

# Takes a request; says whether it is the one that a response was prepared for.
RequestMatcher = Callable[[AbstractRequest], bool]


def ALWAYS_TRUE(body: AbstractRequest) -> bool:
    return True


class FutureResponse:
    """A response to a request that has not been sent yet."""

    def __init__(self, node: Node | None, request_matcher: RequestMatcher,
                 response_body: AbstractResponse | None, disconnected: bool,
                 is_unsupported_request: bool) -> None:
        self.node = node
        self.request_matcher = request_matcher
        self.response_body = response_body
        self.disconnected = disconnected
        self.is_unsupported_request = is_unsupported_request


class MetadataUpdate:
    """Metadata that the next update gets."""

    def __init__(self, update_response: MetadataResponse, expect_match_refresh_topics: bool) -> None:
        self.update_response = update_response
        self.expect_match_refresh_topics = expect_match_refresh_topics

    def topics(self) -> set[str | None]:
        return {topic.topic() for topic in self.update_response.topic_metadata()}


class MockMetadataUpdater(ABC):
    """Where the nodes come from."""

    @abstractmethod
    def fetch_nodes(self) -> Sequence[Node]:
        """Return the nodes."""

    @abstractmethod
    def is_update_needed(self) -> bool:
        """Return whether the next poll is to update."""

    @abstractmethod
    def update(self, time: Time, update: MetadataUpdate) -> None:
        """Take metadata."""

    def update_with_current_metadata(self, time: Time) -> None:
        """Take the metadata of the last update again."""

    def close(self) -> None:
        """End."""


class NoOpMetadataUpdater(MockMetadataUpdater):
    def fetch_nodes(self) -> Sequence[Node]:
        return []

    def is_update_needed(self) -> bool:
        return False

    def update(self, time: Time, update: MetadataUpdate) -> None:
        raise UnsupportedOperationException()


class StaticMetadataUpdater(NoOpMetadataUpdater):
    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes

    def fetch_nodes(self) -> Sequence[Node]:
        return self._nodes


class DefaultMockMetadataUpdater(MockMetadataUpdater):
    """Updates a Metadata."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        self._last_update: MetadataUpdate | None = None

    def fetch_nodes(self) -> Sequence[Node]:
        return self._metadata.fetch().nodes()

    def is_update_needed(self) -> bool:
        return self._metadata.update_requested()

    def update_with_current_metadata(self, time: Time) -> None:
        if self._last_update is None:
            raise IllegalStateException("No previous metadata update to use")
        self.update(time, self._last_update)

    def _maybe_check_expected_topics(self, update: MetadataUpdate, builder: MetadataRequest.Builder) -> None:
        if update.expect_match_refresh_topics:
            if builder.is_all_topics():
                raise IllegalStateException("The metadata topics does not match expectation. "
                                            f"Expected topics: {update.topics()}, asked topics: ALL")

            requested_topics = set(builder.topics())
            if requested_topics != update.topics():
                raise IllegalStateException("The metadata topics does not match expectation. "
                                            f"Expected topics: {update.topics()}, "
                                            f"asked topics: {requested_topics}")

    def update(self, time: Time, update: MetadataUpdate) -> None:
        builder = self._metadata.new_metadata_request_builder()
        self._maybe_check_expected_topics(update, builder)
        self._metadata.update_with_current_request_version(
            update.update_response, False, time.milliseconds())
        self._last_update = update

    def close(self) -> None:
        self._metadata.close()


class ConnectionState:
    """How a connection behaves. Times are times of day in milliseconds."""

    class State(Enum):
        CONNECTING = "CONNECTING"
        CONNECTED = "CONNECTED"
        DISCONNECTED = "DISCONNECTED"

    def __init__(self) -> None:
        self.throttled_until_ms = 0
        self.ready_delayed_until_ms = 0
        self.backing_off_until_ms = 0
        self.unreachable_until_ms = 0
        self.state = self.State.DISCONNECTED

    def backoff(self, until_ms: int) -> None:
        self.backing_off_until_ms = until_ms

    def throttle(self, until_ms: int) -> None:
        self.throttled_until_ms = until_ms

    def set_unreachable(self, until_ms: int) -> None:
        self.unreachable_until_ms = until_ms

    def set_ready_delayed(self, until_ms: int) -> None:
        self.ready_delayed_until_ms = until_ms

    def is_ready(self, now: int) -> bool:
        return self.state is self.State.CONNECTED and self.not_throttled(now)

    def is_ready_delayed(self, now: int) -> bool:
        return now < self.ready_delayed_until_ms

    def not_throttled(self, now: int) -> bool:
        return now > self.throttled_until_ms

    def is_backing_off(self, now: int) -> bool:
        return now < self.backing_off_until_ms

    def is_unreachable(self, now: int) -> bool:
        return now < self.unreachable_until_ms

    def disconnect(self) -> None:
        self.state = self.State.DISCONNECTED

    def connection_delay(self, now: int) -> int:
        if self.state is not self.State.DISCONNECTED:
            return LONG_MAX_VALUE

        if self.backing_off_until_ms > now:
            return self.backing_off_until_ms - now

        return 0

    def ready(self, now: int) -> bool:
        if self.state is self.State.CONNECTED:
            return self.not_throttled(now)

        if self.state is self.State.CONNECTING:
            if self.is_ready_delayed(now):
                return False
            self.state = self.State.CONNECTED
            return self.ready(now)

        if self.is_backing_off(now):
            return False
        if self.is_unreachable(now):
            self.backing_off_until_ms = now + 100
            return False

        self.state = self.State.CONNECTING
        return self.ready(now)


class MockClient(KafkaClient):
    """Requests wait in ``requests`` for ``respond``, or find a response that was prepared.

    Any thread may look at the queues and add to them while another polls: a deque is iterated as a copy.
    """

    def __init__(self, time: Time,
                 metadata: Metadata | MockMetadataUpdater | Sequence[Node] | None = None) -> None:
        """Take the nodes from a Metadata, from an updater, from a list, or have none."""
        self._time = time
        self._metadata_updater: MockMetadataUpdater
        if metadata is None:
            self._metadata_updater = NoOpMetadataUpdater()
        elif isinstance(metadata, MockMetadataUpdater):
            self._metadata_updater = metadata
        elif isinstance(metadata, Sequence):
            self._metadata_updater = StaticMetadataUpdater(metadata)
        else:
            self._metadata_updater = DefaultMockMetadataUpdater(metadata)
        self._correlation = 0
        self._wakeup_hook: Callable[[], None] | None = None
        self._connections: dict[str, ConnectionState] = {}
        self._pending_authentication_errors: dict[Node, int] = {}
        self._authentication_errors: dict[Node, AuthenticationException] = {}
        self._requests: deque[ClientRequest] = deque()
        self._responses: deque[ClientResponse] = deque()
        self._future_responses: deque[FutureResponse] = deque()
        self._metadata_updates: deque[MetadataUpdate] = deque()
        self._node_api_versions = NodeApiVersions.create()
        # Guards and signals the number of polls that still wait for a wakeup.
        self._woken = threading.Condition()
        self._num_blocking_wakeups = 0
        self._active = True
        self._disconnect_future: CompletableFuture[str] | None = None
        self._ready_callback: Callable[[Node], None] | None = None

    def is_connected(self, id_string: str) -> bool:
        return self._connection_state(id_string).state is ConnectionState.State.CONNECTED

    def _connection_state(self, id_string: str) -> ConnectionState:
        return self._connections.setdefault(id_string, ConnectionState())

    def is_ready(self, node: Node, now: int) -> bool:
        return self._connection_state(node.id_string()).is_ready(now)

    def ready(self, node: Node, now: int) -> bool:
        if self._ready_callback is not None:
            self._ready_callback(node)
        return self._connection_state(node.id_string()).ready(now)

    def connection_delay(self, node: Node, now: int) -> int:
        return self._connection_state(node.id_string()).connection_delay(now)

    def poll_delay_ms(self, node: Node, now: int) -> int:
        return self.connection_delay(node, now)

    def backoff(self, node: Node, duration_ms: int) -> None:
        self._connection_state(node.id_string()).backoff(self._time.milliseconds() + duration_ms)

    def set_unreachable(self, node: Node, duration_ms: int) -> None:
        self.disconnect(node.id_string())
        self._connection_state(node.id_string()).set_unreachable(self._time.milliseconds() + duration_ms)

    def throttle(self, node: Node, duration_ms: int) -> None:
        self._connection_state(node.id_string()).throttle(self._time.milliseconds() + duration_ms)

    def delay_ready(self, node: Node, duration_ms: int) -> None:
        self._connection_state(node.id_string()).set_ready_delayed(self._time.milliseconds() + duration_ms)

    def authentication_failed(self, node: Node, backoff_ms: int) -> None:
        self._pending_authentication_errors.pop(node, None)
        exception = Errors.SASL_AUTHENTICATION_FAILED.exception()
        assert isinstance(exception, AuthenticationException)
        self._authentication_errors[node] = exception
        self.disconnect(node.id_string())
        self.backoff(node, backoff_ms)

    def create_pending_authentication_error(self, node: Node, backoff_ms: int) -> None:
        self._pending_authentication_errors[node] = backoff_ms

    def connection_failed(self, node: Node) -> bool:
        return self._connection_state(node.id_string()).is_backing_off(self._time.milliseconds())

    def authentication_exception(self, node: Node) -> AuthenticationException | None:
        return self._authentication_errors.get(node)

    def set_ready_callback(self, on_ready_call: Callable[[Node], None]) -> None:
        self._ready_callback = on_ready_call

    def set_disconnect_future(self, disconnect_future: CompletableFuture[str]) -> None:
        self._disconnect_future = disconnect_future

    def disconnect(self, node_id: str, allow_late_responses: bool = False) -> None:
        now = self._time.milliseconds()
        for request in list(self._requests):
            if request.destination() == node_id:
                version = request.request_builder().latest_allowed_version()
                self._responses.append(ClientResponse(
                    request.make_header(version), request.callback(), request.destination(),
                    request.created_time_ms(), now, True, None, None, None))
                if not allow_late_responses:
                    self._requests.remove(request)
        cur_disconnect_future = self._disconnect_future
        if cur_disconnect_future is not None:
            cur_disconnect_future.complete(node_id)
        self._connection_state(node_id).disconnect()

    def send(self, request: ClientRequest, now: int) -> None:
        if not self._connection_state(request.destination()).is_ready(now):
            raise IllegalStateException(f"Cannot send {request} since the destination is not ready")

        builder = request.request_builder()
        for node, backoff_ms in self._pending_authentication_errors.items():
            if node.id_string() == request.destination():
                del self._pending_authentication_errors[node]
                self.authentication_failed(node, backoff_ms)
                version = self._node_api_versions.latest_usable_version(
                    request.api_key(), builder.oldest_allowed_version(), builder.latest_allowed_version())
                self._responses.append(ClientResponse(
                    request.make_header(version), request.callback(), request.destination(),
                    request.created_time_ms(), self._time.milliseconds(), True, None,
                    AuthenticationException("Authentication failed"), None))
                return
        for future_resp in list(self._future_responses):
            if future_resp.node is not None and request.destination() != future_resp.node.id_string():
                continue

            try:
                version = self._node_api_versions.latest_usable_version(
                    request.api_key(), builder.oldest_allowed_version(), builder.latest_allowed_version())

                unsupported_version_exception: UnsupportedVersionException | None = None
                if future_resp.is_unsupported_request:
                    unsupported_version_exception = UnsupportedVersionException(
                        f"Api {request.api_key()} with version {version}")
                else:
                    abstract_request = builder.build_version(version)
                    if not future_resp.request_matcher(abstract_request):
                        raise IllegalStateException(
                            f"Request matcher did not match next-in-line request {abstract_request} with "
                            f"prepared response {future_resp.response_body}")

                self._responses.append(ClientResponse(
                    request.make_header(version), request.callback(), request.destination(),
                    request.created_time_ms(), self._time.milliseconds(), future_resp.disconnected,
                    unsupported_version_exception, None, future_resp.response_body))
            except UnsupportedVersionException as e:
                self._responses.append(ClientResponse(
                    request.make_header(builder.latest_allowed_version()), request.callback(),
                    request.destination(), request.created_time_ms(), self._time.milliseconds(), False, e,
                    None, None))
            self._future_responses.remove(future_resp)
            return

        self._requests.append(request)

    def enable_blocking_until_wakeup(self, num_blocking_wakeups: int) -> None:
        """Have so many polls wait for a ``wakeup`` each."""
        with self._woken:
            self._num_blocking_wakeups = num_blocking_wakeups

    def wakeup(self) -> None:
        with self._woken:
            if self._num_blocking_wakeups > 0:
                self._num_blocking_wakeups -= 1
                self._woken.notify()
            if self._wakeup_hook is not None:
                self._wakeup_hook()

    def _maybe_await_wakeup(self) -> None:
        with self._woken:
            remaining_blocking_wakeups = self._num_blocking_wakeups
            if remaining_blocking_wakeups <= 0:
                return
            woken = self._woken.wait_for(
                lambda: self._num_blocking_wakeups < remaining_blocking_wakeups, PATIENCE_S)
            assert woken, "Failed to receive expected wakeup"

    def poll(self, timeout: int, now: int) -> list[ClientResponse]:
        self._maybe_await_wakeup()
        self._check_timeout_of_pending_requests(now)

        # No metadata comes while no node can be asked.
        if self._metadata_updater.is_update_needed() and self.least_loaded_node(now).node() is not None:
            if self._metadata_updates:
                self._metadata_updater.update(self._time, self._metadata_updates.popleft())
            else:
                self._metadata_updater.update_with_current_metadata(self._time)

        copy = []
        while self._responses:
            response = self._responses.popleft()
            response.on_complete()
            copy.append(response)

        return copy

    def _elapsed_time_ms(self, current_time_ms: int, start_time_ms: int) -> int:
        return max(0, current_time_ms - start_time_ms)

    def _check_timeout_of_pending_requests(self, now_ms: int) -> None:
        while self._requests:
            request = self._requests[0]
            if self._elapsed_time_ms(now_ms, request.created_time_ms()) < request.request_timeout_ms():
                break
            # This removes the request. Kafka's mock then drops the next one, of any node, without a response.
            self.disconnect(request.destination())

    def requests(self) -> deque[ClientRequest]:
        return self._requests

    def responses(self) -> deque[ClientResponse]:
        return self._responses

    def future_responses(self) -> deque[FutureResponse]:
        return self._future_responses

    def respond_matcher(self, matcher: RequestMatcher, response: AbstractResponse) -> None:
        if not self._requests:
            raise IllegalStateException("No current requests queued")

        request = self._requests[0].request_builder().build()
        if not matcher(request):
            raise IllegalStateException(f"Request matcher did not match next-in-line request {request}")

        self.respond(response)

    def respond_to_request(self, client_request: ClientRequest, response: AbstractResponse) -> None:
        """Answer any request, in any order."""
        self._requests.remove(client_request)
        self._respond(client_request, response, False)

    def respond(self, response: AbstractResponse | None, disconnected: bool = False) -> None:
        """Answer the oldest request."""
        if not self._requests:
            raise IllegalStateException(f"No requests pending for inbound response {response}")
        self._respond(self._requests.popleft(), response, disconnected)

    def respond_from(self, response: AbstractResponse | None, node: Node,
                     disconnected: bool = False) -> None:
        """Answer the oldest request to ``node``."""
        for request in list(self._requests):
            if request.destination() == node.id_string():
                self._requests.remove(request)
                self._respond(request, response, disconnected)
                return
        raise IllegalArgumentException(f"No requests available to node {node}")

    def _respond(self, request: ClientRequest, response: AbstractResponse | None,
                 disconnected: bool) -> None:
        version = request.request_builder().latest_allowed_version()
        self._responses.append(ClientResponse(
            request.make_header(version), request.callback(), request.destination(),
            request.created_time_ms(), self._time.milliseconds(), disconnected, None, None, response))

    def prepare_response(self, response: AbstractResponse | None, disconnected: bool = False) -> None:
        self.prepare_response_matcher(ALWAYS_TRUE, response, disconnected)

    def prepare_response_from(self, response: AbstractResponse | None, node: Node | None,
                              disconnected: bool = False) -> None:
        self.prepare_response_from_matcher(ALWAYS_TRUE, response, node, disconnected)

    def prepare_response_matcher(self, matcher: RequestMatcher, response: AbstractResponse | None,
                                 disconnected: bool = False) -> None:
        """Answer the next request, which ``matcher`` must take: ``send`` raises IllegalStateException else.
        """
        self.prepare_response_from_matcher(matcher, response, None, disconnected)

    def prepare_response_from_matcher(self, matcher: RequestMatcher, response: AbstractResponse | None,
                                      node: Node | None, disconnected: bool = False,
                                      is_unsupported_version: bool = False) -> None:
        self._future_responses.append(
            FutureResponse(node, matcher, response, disconnected, is_unsupported_version))

    def prepare_unsupported_version_response(self, matcher: RequestMatcher) -> None:
        """End the next request, which ``matcher`` must take, as one that the node does not know."""
        self.prepare_response_from_matcher(matcher, None, None, False, True)

    def wait_for_requests(self, min_requests: int, max_wait_ms: int) -> None:
        """Wait for so many requests to be in flight. Raises AssertionError when the time is up."""
        wait_until(lambda: len(self._requests) >= min_requests, "Expected requests have not been sent",
                   max_wait_ms / 1000)

    def reset(self) -> None:
        self._connections.clear()
        self._requests.clear()
        self._responses.clear()
        self._future_responses.clear()
        self._metadata_updates.clear()
        self._authentication_errors.clear()

    def has_pending_metadata_updates(self) -> bool:
        return bool(self._metadata_updates)

    def num_awaiting_responses(self) -> int:
        return len(self._future_responses)

    def prepare_metadata_update(self, update_response: MetadataResponse,
                                expect_match_metadata_topics: bool = False) -> None:
        self._metadata_updates.append(MetadataUpdate(update_response, expect_match_metadata_topics))

    def update_metadata(self, update_response: MetadataResponse) -> None:
        self._metadata_updater.update(self._time, MetadataUpdate(update_response, False))

    def in_flight_request_count(self) -> int:
        return len(self._requests)

    def has_in_flight_requests(self) -> bool:
        return bool(self._requests)

    def has_pending_responses(self) -> bool:
        return bool(self._responses) or bool(self._future_responses)

    def in_flight_request_count_node_id(self, node_id: str) -> int:
        return sum(request.destination() == node_id for request in list(self._requests))

    def has_in_flight_requests_node_id(self, node_id: str) -> bool:
        return self.in_flight_request_count_node_id(node_id) > 0

    def has_ready_nodes(self, now: int) -> bool:
        return any(connection.is_ready(now) for connection in self._connections.values())

    def new_client_request(self, node_id: str, request_builder: AbstractRequest.Builder[AbstractRequest],
                           created_time_ms: int, expect_response: bool,
                           request_timeout_ms: int | None = None,
                           callback: RequestCompletionHandler | None = None) -> ClientRequest:
        correlation = self._correlation
        self._correlation += 1
        return ClientRequest(node_id, request_builder, correlation, "mockClientId", created_time_ms,
                             expect_response, 5000 if request_timeout_ms is None else request_timeout_ms,
                             callback)

    def initiate_close(self) -> None:
        self.close()

    def active(self) -> bool:
        return self._active

    def close(self) -> None:
        self._active = False
        self._metadata_updater.close()

    def close_node_id(self, node_id: str) -> None:
        self._connections.pop(node_id, None)

    def least_loaded_node(self, now: int) -> LeastLoadedNode:
        for node in self._metadata_updater.fetch_nodes():
            if not self._connection_state(node.id_string()).is_backing_off(now):
                return LeastLoadedNode(node, True)
        return LeastLoadedNode(None, False)

    def set_wakeup_hook(self, wakeup_hook: Callable[[], None]) -> None:
        self._wakeup_hook = wakeup_hook

    def set_node_api_versions(self, node_api_versions: NodeApiVersions) -> None:
        self._node_api_versions = node_api_versions
