# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestChannel of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exchange between network threads and handler threads: one queue of requests, and one queue of responses
for each processor.

A response has an action for the network thread: send, continue without bytes, or close the connection. Times
are in nanoseconds on the monotonic clock, or -1.

A request owns the memory of its bytes until ``release_buffer``. A request whose body has no views of this
memory releases it at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Callable

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.jdk.concurrent import ArrayBlockingQueue, LinkedBlockingDeque
from kreactor.jdk.doubles import round_to_long
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry

log = LogContext().logger(f"{__name__}.RequestChannel")
request_logger = LogContext().logger("kafka.request.logger")


def is_request_logging_enabled() -> bool:
    """Return whether completed requests are logged.

    :origin: 1.0.2 kafka.network.RequestChannel#isRequestLoggingEnabled
    """
    return request_logger.is_debug_enabled()


class BaseRequest:
    """An element of the request queue.

    :origin: 1.0.2 kafka.network.RequestChannel.BaseRequest
    """

    __slots__ = ()


# The handler that takes it ends itself. :origin: 1.0.2 kafka.network.RequestChannel.ShutdownRequest
ShutdownRequest = BaseRequest()


class Session:
    """A principal and an address.

    :origin: 1.0.2 kafka.network.RequestChannel.Session
    """

    __slots__ = ("principal", "client_address", "sanitized_user")

    def __init__(self, principal: KafkaPrincipal, client_address: InetAddress) -> None:
        self.principal = principal
        self.client_address = client_address
        self.sanitized_user = Sanitizer.sanitize(principal.get_name())


class Request(BaseRequest):
    """A request, from the last byte of the request to the last byte of the response.

    :origin: 1.0.2 kafka.network.RequestChannel.Request
    """

    __slots__ = (
        "processor", "context", "start_time_nanos", "_memory_pool", "_buffer", "_metrics",
        "request_dequeue_time_nanos", "api_local_complete_time_nanos", "response_complete_time_nanos",
        "response_dequeue_time_nanos", "api_remote_complete_time_nanos", "message_conversions_time_nanos",
        "temporary_memory_bytes", "record_network_thread_time_callback", "session", "body_and_size",
        "response_as_string",
    )

    def __init__(
        self,
        processor: int,
        context: RequestContext,
        start_time_nanos: int,
        memory_pool: MemoryPool,
        buffer: ByteBuffer,
        metrics: RequestChannel38.Metrics,
    ) -> None:
        """Parse the body; the position of ``buffer`` is behind the header.

        Raises InvalidRequestException if the body does not match its header.
        """
        self.processor = processor
        self.context = context
        self.start_time_nanos = start_time_nanos
        self._memory_pool = memory_pool
        self._buffer: ByteBuffer | None = buffer
        self._metrics = metrics
        # Written by handlers and by threads that complete delayed operations, read by the network thread.
        self.request_dequeue_time_nanos = -1
        self.api_local_complete_time_nanos = -1
        self.response_complete_time_nanos = -1
        self.response_dequeue_time_nanos = -1
        self.api_remote_complete_time_nanos = -1
        self.message_conversions_time_nanos = 0
        self.temporary_memory_bytes = 0
        self.record_network_thread_time_callback: Callable[[int], None] | None = None
        # DEVIATION D381: KafkaApis of 3.8.0 stores the response's text for the request log, if that is
        # enabled, before there is a Response of this release.
        self.response_as_string: str | None = None

        self.session = Session(context.principal, context.client_address)
        # BUG, in 3.8.0 too: the memory of a body that cannot be parsed is never returned to the pool.
        self.body_and_size = context.parse_request(buffer)

        # A body with records has views of the memory, which stays allocated until the request is handled.
        if not self.header().api_key().requires_delayed_allocation:
            self.release_buffer()

        if log.is_trace_enabled():
            log.trace("processor %d received request: %s", processor, self.request_desc(True))

    def header(self) -> RequestHeader:
        """Return the header.

        :origin: 1.0.2 kafka.network.RequestChannel.Request#header
        """
        return self.context.header

    def size_of_body_in_bytes(self) -> int:
        """:origin: 1.0.2 kafka.network.RequestChannel.Request#sizeOfBodyInBytes"""
        return self.body_and_size.size

    def request_desc(self, details: bool) -> str:
        """:origin: 1.0.2 kafka.network.RequestChannel.Request#requestDesc"""
        return f"{self.header()} -- {self.body().to_string(details)}"

    def body(self) -> AbstractRequest:
        """Return the parsed body.

        :origin: 1.0.2 kafka.network.RequestChannel.Request#body
        """
        return self.body_and_size.request

    def request_thread_time_nanos(self) -> int:
        """Return the time that the handler took.

        :origin: 1.0.2 kafka.network.RequestChannel.Request#requestThreadTimeNanos
        """
        if self.api_local_complete_time_nanos == -1:
            self.api_local_complete_time_nanos = Time.SYSTEM.nanoseconds()
        return max(self.api_local_complete_time_nanos - self.request_dequeue_time_nanos, 0)

    def update_request_metrics(self, network_thread_time_nanos: int, response: Response) -> None:
        """Record the metrics of a completed request, and log it if the request log is enabled.

        Called by the network thread.

        Raises IllegalStateException if the log is enabled and the response has no text.

        :origin: 1.0.2 kafka.network.RequestChannel.Request#updateRequestMetrics
        """
        end_time_nanos = Time.SYSTEM.nanoseconds()
        # The handler may set this time after the response is sent already.
        if self.api_local_complete_time_nanos < 0:
            self.api_local_complete_time_nanos = self.response_complete_time_nanos
        if self.api_remote_complete_time_nanos < 0:
            self.api_remote_complete_time_nanos = self.response_complete_time_nanos

        request_queue_time_ms = _nanos_to_ms(self.request_dequeue_time_nanos - self.start_time_nanos)
        api_local_time_ms = _nanos_to_ms(self.api_local_complete_time_nanos - self.request_dequeue_time_nanos)
        api_remote_time_ms = _nanos_to_ms(
            self.api_remote_complete_time_nanos - self.api_local_complete_time_nanos)
        api_throttle_time_ms = _nanos_to_ms(
            self.response_complete_time_nanos - self.api_remote_complete_time_nanos)
        response_queue_time_ms = _nanos_to_ms(
            self.response_dequeue_time_nanos - self.response_complete_time_nanos)
        response_send_time_ms = _nanos_to_ms(end_time_nanos - self.response_dequeue_time_nanos)
        message_conversions_time_ms = _nanos_to_ms(self.message_conversions_time_nanos)
        total_time_ms = _nanos_to_ms(end_time_nanos - self.start_time_nanos)
        metric_names = [self.header().api_key().name]
        if self.header().api_key() is ApiKeys.FETCH:
            fetch_request = self.body()
            assert isinstance(fetch_request, FetchRequest)
            metric_names.insert(0, RequestMetrics.FOLLOW_FETCH_METRIC_NAME if fetch_request.is_from_follower()
                                else RequestMetrics.CONSUMER_FETCH_METRIC_NAME)
        for metric_name in metric_names:
            m = self._metrics.apply(metric_name)
            m.request_rate(self.header().api_version()).mark()
            m.request_queue_time_hist.update(round_to_long(request_queue_time_ms))
            m.local_time_hist.update(round_to_long(api_local_time_ms))
            m.remote_time_hist.update(round_to_long(api_remote_time_ms))
            m.throttle_time_hist.update(round_to_long(api_throttle_time_ms))
            m.response_queue_time_hist.update(round_to_long(response_queue_time_ms))
            m.response_send_time_hist.update(round_to_long(response_send_time_ms))
            m.total_time_hist.update(round_to_long(total_time_ms))
            m.request_bytes_hist.update(self.size_of_body_in_bytes())
            if m.message_conversions_time_hist is not None:
                m.message_conversions_time_hist.update(round_to_long(message_conversions_time_ms))
            if m.temp_memory_bytes_hist is not None:
                m.temp_memory_bytes_hist.update(self.temporary_memory_bytes)

        # This time counts towards the client's quota of request time. The throttling was decided earlier,
        # when the handler's time was recorded. The time of a connection's first request includes the
        # handshake.
        if self.record_network_thread_time_callback is not None:
            self.record_network_thread_time_callback(network_thread_time_nanos)

        if is_request_logging_enabled():
            details_enabled = request_logger.is_trace_enabled()
            response_string = ""
            if response.response_send is not None:
                if response.response_as_string is None:
                    raise IllegalStateException(
                        "responseAsString should always be defined if request logging is enabled")
                response_string = response.response_as_string

            parts = [
                f"Completed request:{self.request_desc(details_enabled)},response:{response_string}"
                f" from connection {self.context.connection_id}"
                f";totalTime:{total_time_ms},requestQueueTime:{request_queue_time_ms}"
                f",localTime:{api_local_time_ms},remoteTime:{api_remote_time_ms}"
                f",throttleTime:{api_throttle_time_ms}"
                f",responseQueueTime:{response_queue_time_ms}"
                f",sendTime:{response_send_time_ms}"
                f",securityProtocol:{self.context.security_protocol.name},principal:{self.session.principal}"
                f",listener:{self.context.listener_name.value()}"]
            if self.temporary_memory_bytes > 0:
                parts.append(f",temporaryMemoryBytes:{self.temporary_memory_bytes}")
            if self.message_conversions_time_nanos > 0:
                parts.append(f",messageConversionsTime:{message_conversions_time_ms}")
            request_logger.debug("%s", "".join(parts))

    def release_buffer(self) -> None:
        """Return the memory to the pool. A second call does nothing.

        :origin: 1.0.2 kafka.network.RequestChannel.Request#releaseBuffer
        """
        if self._buffer is not None:
            self._memory_pool.release(self._buffer)
            self._buffer = None

    def __str__(self) -> str:
        """:origin: 1.0.2 kafka.network.RequestChannel.Request#toString"""
        return (f"Request(processor={self.processor}, connectionId={self.context.connection_id}, "
                f"session={self.session}, listenerName={self.context.listener_name}, "
                f"securityProtocol={self.context.security_protocol.name}, buffer={self._buffer})")


def _nanos_to_ms(nanos: int) -> float:
    """Return milliseconds, truncated to microseconds."""
    return max(nanos, 0) // 1000 / 1000


class Response:
    """A response with an action for the network thread that read the request.

    :origin: 1.0.2 kafka.network.RequestChannel.Response
    """

    __slots__ = ("request", "response_send", "response_action", "response_as_string")

    def __init__(
        self, request: Request, response_send: Send | None, response_action: ResponseAction,
        response_as_string: str | None = None,
    ) -> None:
        """``response_as_string`` is the text for the request log."""
        self.request = request
        self.response_send = response_send
        self.response_action = response_action
        self.response_as_string = response_as_string
        request.response_complete_time_nanos = Time.SYSTEM.nanoseconds()
        if request.api_local_complete_time_nanos == -1:
            request.api_local_complete_time_nanos = Time.SYSTEM.nanoseconds()

    def processor(self) -> int:
        """Return the number of the processor that read the request.

        :origin: 1.0.2 kafka.network.RequestChannel.Response#processor
        """
        return self.request.processor

    def __str__(self) -> str:
        """:origin: 1.0.2 kafka.network.RequestChannel.Response#toString"""
        return (f"Response(request={self.request}, responseSend={self.response_send}, "
                f"responseAction={self.response_action.name}), responseAsString={self.response_as_string}")


class ResponseAction(Enum):
    """The next action of the network thread.

    :origin: 1.0.2 kafka.network.RequestChannel.ResponseAction
    """

    # :origin: 1.0.2 kafka.network.RequestChannel.SendAction
    SendAction = "SendAction"
    # :origin: 1.0.2 kafka.network.RequestChannel.NoOpAction
    NoOpAction = "NoOpAction"
    # :origin: 1.0.2 kafka.network.RequestChannel.CloseConnectionAction
    CloseConnectionAction = "CloseConnectionAction"


class RequestChannel:
    """The queues. Called by any thread.

    :origin: 1.0.2 kafka.network.RequestChannel
    :origin: 1.0.2 kafka.network.RequestChannel
    """

    def __init__(
        self, num_processors: int, queue_size: int, metrics: RequestChannel38.Metrics,
        metrics_registry: MetricsRegistry | None = None,
    ) -> None:
        """``queue_size`` bounds the queued requests; network threads wait while the queue is full."""
        self.num_processors = num_processors
        self.queue_size = queue_size
        self.metrics = metrics
        self.metrics_registry = metrics_registry
        self._metrics_group = EditionMetricsGroup(RequestChannel, metrics_registry)
        self._response_listeners: list[Callable[[int], None]] = []
        self._request_queue: ArrayBlockingQueue[BaseRequest] = ArrayBlockingQueue(queue_size)
        self._response_queues: list[LinkedBlockingDeque[Response]] = [
            LinkedBlockingDeque() for _ in range(num_processors)]

        self._metrics_group.new_gauge("RequestQueueSize", self._request_queue.size)
        self._metrics_group.new_gauge(
            "ResponseQueueSize", lambda: sum(queue.size() for queue in self._response_queues))
        for i in range(num_processors):
            self._metrics_group.new_gauge(
                "ResponseQueueSize", self._response_queues[i].size, {"processor": str(i)})

    def send_request(self, request: Request) -> None:
        """Queue a request for the handlers; wait for room.

        :origin: 1.0.2 kafka.network.RequestChannel#sendRequest
        """
        self._request_queue.put(request)

    def send_response(self, response: Response) -> None:
        """Queue a response for the network thread of its request.

        :origin: 1.0.2 kafka.network.RequestChannel#sendResponse
        """
        if log.is_trace_enabled():
            request_header = response.request.header()
            api_key, client_id = request_header.api_key().name, request_header.client_id()
            match response.response_action:
                case ResponseAction.SendAction:
                    assert response.response_send is not None, "its action is to send"
                    log.trace("sending %s response to client %s of %d bytes",
                              api_key, client_id, response.response_send.size())
                case ResponseAction.NoOpAction:
                    log.trace("not sending %s response to client %s, which does not want it",
                              api_key, client_id)
                case ResponseAction.CloseConnectionAction:
                    log.trace("closing connection for client %s because of an error in %s",
                              client_id, api_key)

        self._response_queues[response.processor()].put(response)
        for on_response in self._response_listeners:
            on_response(response.processor())

    def receive_request_timeout(self, timeout: int) -> BaseRequest | None:
        """Return the next request, or None after ``timeout`` ms without one.

        :origin: 1.0.2 kafka.network.RequestChannel#receiveRequest(Long)
        """
        return self._request_queue.poll_timeout(timeout)

    def receive_request(self) -> BaseRequest:
        """Return the next request; wait without limit.

        :origin: 1.0.2 kafka.network.RequestChannel#receiveRequest()
        """
        return self._request_queue.take()

    def receive_response(self, processor: int) -> Response | None:
        """Return a response for a processor, or None.

        :origin: 1.0.2 kafka.network.RequestChannel#receiveResponse
        """
        response = self._response_queues[processor].poll()
        if response is not None:
            response.request.response_dequeue_time_nanos = Time.SYSTEM.nanoseconds()
        return response

    def add_response_listener(self, on_response: Callable[[int], None]) -> None:
        """Call ``on_response`` with the number of a processor after each response to it.

        :origin: 1.0.2 kafka.network.RequestChannel#addResponseListener
        """
        self._response_listeners.insert(0, on_response)

    def update_error_metrics(self, api_key: ApiKeys, errors: Mapping[Errors, int]) -> None:
        """Count the errors of a response.

        :origin: 1.0.2 kafka.network.RequestChannel#updateErrorMetrics
        """
        for error, count in errors.items():
            self.metrics.apply(api_key.name).mark_error_meter(error, count)

    def clear(self) -> None:
        """Drop the queued requests.

        :origin: 1.0.2 kafka.network.RequestChannel#clear
        """
        self._request_queue.clear()

    def shutdown(self) -> None:
        """Drop the queued requests, and remove the metrics of requests.

        :origin: 1.0.2 kafka.network.RequestChannel#shutdown
        """
        self.clear()
        self.metrics.close()

    def send_shutdown_request(self) -> None:
        """End one handler.

        :origin: 1.0.2 kafka.network.RequestChannel#sendShutdownRequest
        """
        self._request_queue.put(ShutdownRequest)
