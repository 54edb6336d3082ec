# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Joins the KafkaApis of 3.8.0 to the request channel of an edition.

::

    edition's processor --its Request--> its RequestChannel --> its KafkaRequestHandler
                                                                       |  BridgedApis.handle
                                                                       v
    edition's processor <--its Response-- EditionResponses <--  KafkaApis of 3.8.0, and BridgeChannel

A handler of an edition calls ``BridgedApis.handle`` with a request of that edition. The bridge makes a
request of 3.8.0 from it without a second parse, and KafkaApis handles that request. The response returns
through BridgeChannel, a request channel of 3.8.0 without queues, to the edition's ``EditionResponses``.

An edition provides three things: requests of type ``EditionRequest``, an ``EditionResponses``, and a pool of
handlers that call ``handle``. KafkaApis always throttles by muting. An edition before 2.0 wraps its responses
in ``DelayedResponses``, which delays the response for the throttle time and mutes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Callable, Generic, Protocol, TypeVar

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.common.requests.request_and_size import RequestAndSize
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server import kafka_request_handler
from kreactor.core.server.kafka_request_handler import ApiRequestHandler
from kreactor.core.server.request_local import RequestLocal
from kreactor.jdk.locks import Lock
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.threads import ThreadLocal
from kreactor.server.metrics.yammer import MetricsRegistry


class EditionRequest(Protocol):
    """The interface of an edition's request for the bridge."""

    # The number of the processor that read the request.
    processor: int
    # The request context of 3.8.0: header, connection id, address, principal, listener.
    context: RequestContext
    # The parsed body, in the form of ``context.parse_request``.
    body_and_size: RequestAndSize


R = TypeVar("R")


class EditionResponses(ABC, Generic[R]):
    """The interface of an edition's request channel for responses. Called by any thread."""

    @abstractmethod
    def send(self, request: R, send: Send) -> None:
        """Respond with the bytes of ``send``, which include the size."""

    def send_response(self, request: R, response: RequestChannel.SendResponse) -> None:
        """Send a response of 3.8.0, and call its callback when the last byte is written."""
        send = response.response_send
        if response.on_complete_callback is not None:
            send = _NotingSend(send, response.on_complete_callback)
        self.send(request, send)

    @abstractmethod
    def no_operation(self, request: R) -> None:
        """Complete a request without sending a response."""

    @abstractmethod
    def close_connection(self, request: R) -> None:
        """Close the connection of a request."""

    def completed(self, request: R, response: RequestChannel.Response) -> None:
        """Take over the results of KafkaApis from a request and its response, before the response is sent.

        ``response`` is a response of 3.8.0: with bytes, without, or with a close of the connection. Does
        nothing by default.
        """

    def start_throttling(self, request: R, throttle_time_ms: int) -> None:
        """Begin to throttle the client, before its response is sent. Does nothing by default."""

    def end_throttling(self, request: R) -> None:
        """End the throttling that ``start_throttling`` began. Does nothing by default."""

    def handled(self, request: R) -> None:
        """Handle the return of KafkaApis, with or without a response so far. Does nothing by default."""


class DelayedResponses(EditionResponses[R]):
    """Delays the responses to throttled clients, as releases before 2.0 did (KIP-219 ended that).

    Nothing is muted, because a connection is not read while its request has no response.
    """

    def __init__(self, responses: EditionResponses[R],
                 delay: Callable[[int, Callable[[int], None]], None]) -> None:
        """``delay(ms, action)`` calls ``action`` after ``ms`` milliseconds."""
        self._responses = responses
        self._delay = delay
        self._lock = Lock()
        # The requests whose responses will be delayed, by identity; guarded by the lock.
        self._throttle_times: dict[int, int] = {}

    def completed(self, request: R, response: RequestChannel.Response) -> None:
        """Pass the response on, before it is delayed."""
        self._responses.completed(request, response)

    def start_throttling(self, request: R, throttle_time_ms: int) -> None:
        """Mark the request's response for a delay."""
        with self._lock:
            self._throttle_times[id(request)] = throttle_time_ms

    def send(self, request: R, send: Send) -> None:
        """Send the response, now or after the delay."""
        self._answer(request, lambda: self._responses.send(request, send))

    def no_operation(self, request: R) -> None:
        """Complete the request, now or after the delay."""
        self._answer(request, lambda: self._responses.no_operation(request))

    def close_connection(self, request: R) -> None:
        """Close the connection, now or after the delay."""
        self._answer(request, lambda: self._responses.close_connection(request))

    def handled(self, request: R) -> None:
        """Pass the request on."""
        self._responses.handled(request)

    def _answer(self, request: R, give: Callable[[], None]) -> None:
        with self._lock:
            throttle_time_ms = self._throttle_times.pop(id(request), 0)
        if throttle_time_ms > 0:
            self._delay(throttle_time_ms, lambda _: give())
        else:
            give()


class _ParsedContext(RequestContext):
    """The context of a request whose body its edition has parsed."""

    __slots__ = ("_body_and_size",)

    def __init__(self, context: RequestContext, body_and_size: RequestAndSize) -> None:
        super().__init__(
            context.header, context.connection_id, context.client_address, context.principal,
            context.listener_name, context.security_protocol, context.client_information,
            context.from_privileged_listener, context.client_port, context.principal_serde,
            context.max_elements)
        self._body_and_size = body_and_size

    def parse_request(self, buffer: ByteBuffer) -> RequestAndSize:
        return self._body_and_size


_NO_BYTES = ByteBuffer.allocate(0)


class _BridgedRequest(RequestChannel.Request):
    """A request of 3.8.0 with a reference to the edition's request."""

    __slots__ = ("edition_request",)

    def __init__(self, request: EditionRequest, start_time_nanos: int,
                 metrics: RequestChannel.Metrics) -> None:
        self.edition_request = request
        super().__init__(
            request.processor, _ParsedContext(request.context, request.body_and_size), start_time_nanos,
            MemoryPool.NONE, _NO_BYTES, metrics)


class _NotingSend(Send):
    """Calls back on the network thread when the last byte is written; never if the connection is closed
    before."""

    __slots__ = ("_send", "_on_complete")

    def __init__(self, send: Send, on_complete: Callable[[Send], None]) -> None:
        self._send = send
        self._on_complete: Callable[[Send], None] | None = on_complete

    def completed(self) -> bool:
        return self._send.completed()

    def size(self) -> int:
        return self._send.size()

    def write_to(self, channel: TransferableChannel) -> int:
        written = self._send.write_to(channel)
        if self._on_complete is not None and self._send.completed():
            on_complete, self._on_complete = self._on_complete, None
            on_complete(self._send)
        return written


class BridgeChannel(RequestChannel):
    """The request channel that gets the responses of KafkaApis. It has no queues."""

    def __init__(self, metrics: RequestChannel.Metrics, time: Time, metrics_registry: MetricsRegistry | None,
                 responses: EditionResponses[Any]) -> None:
        """Create neither queues nor gauges, because the edition's own channel has them."""
        self.metrics = metrics
        self.metrics_registry = metrics_registry
        self._time = time
        self.responses = responses

    def send_response_response(self, response: RequestChannel.Response) -> None:
        """Pass a response of KafkaApis to the edition."""
        bridged = response.request
        assert isinstance(bridged, _BridgedRequest), "the bridge makes all requests"
        request = bridged.edition_request
        if not isinstance(response, (
                RequestChannel.StartThrottlingResponse, RequestChannel.EndThrottlingResponse)):
            self.responses.completed(request, response)
        match response:
            case RequestChannel.SendResponse():
                self.responses.send_response(request, response)
            case RequestChannel.NoOpResponse():
                self.responses.no_operation(request)
            case RequestChannel.CloseConnectionResponse():
                self.responses.close_connection(request)
            case RequestChannel.StartThrottlingResponse():
                self.responses.start_throttling(request, bridged.api_throttle_time_ms)
            case RequestChannel.EndThrottlingResponse():
                self.responses.end_throttling(request)

    def send_callback_request(self, request: RequestChannel.CallbackRequest) -> None:
        """Run a callback on the calling thread, because the handlers of older releases have no callbacks."""
        request.fun(RequestLocal.with_thread_confined_caching())


class _Local(ThreadLocal):
    """The state of one handler thread."""

    def __init__(self) -> None:
        self.request_local = RequestLocal.with_thread_confined_caching()


class BridgedApis:
    """Handles the requests of an edition with KafkaApis of 3.8.0."""

    def __init__(self, apis: ApiRequestHandler, channel: BridgeChannel, time: Time) -> None:
        self._apis = apis
        self._channel = channel
        self._time = time
        self._local = _Local()

    def handle(self, request: EditionRequest) -> None:
        """Handle a request, on a handler's thread of the edition."""
        now_nanos = self._time.nanoseconds()
        bridged = _BridgedRequest(request, now_nanos, self._channel.metrics)
        # The quota of request time counts from here.
        bridged.request_dequeue_time_nanos = now_nanos
        # The handlers of 3.8.0 store these for their thread; transactions read them.
        state = kafka_request_handler._thread_state
        state.request_channel = self._channel
        state.current_request = bridged
        try:
            self._apis.handle(bridged, self._local.request_local)
        finally:
            state.current_request = None
            self._channel.responses.handled(request)
