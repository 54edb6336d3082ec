# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestChannel of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exchange between network threads and handler threads: one queue of requests.

Each processor has its own queue of responses.

There are five kinds of responses, each with its own class since 1.1: send, continue without bytes, close the
connection, and, since 2.0, begin and end a throttling (KIP-219). Times are in nanoseconds on the monotonic
clock, or -1.

A request owns the memory of its bytes until ``release_buffer``. A request whose body has no views of this
memory releases it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.request_and_size import RequestAndSize
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.jdk.concurrent import ArrayBlockingQueue
from kreactor.jdk.concurrent_map import put_if_absent
from kreactor.jdk.doubles import round_to_long
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.network.session import Session
from kreactor.server.metrics.yammer import MetricsRegistry

REQUEST_QUEUE_SIZE_METRIC = "RequestQueueSize"
RESPONSE_QUEUE_SIZE_METRIC = "ResponseQueueSize"
PROCESSOR_METRIC_TAG = "processor"

log = LogContext().logger(f"{__name__}.RequestChannel")
request_logger = LogContext().logger("kafka.request.logger")


class BaseRequest:
    """An element of the request queue.

    :origin: 2.2.2 kafka.network.RequestChannel.BaseRequest
    """

    __slots__ = ()


class Request(BaseRequest):
    """A request, from the last byte of the request to the last byte of the response.

    :origin: 2.2.2 kafka.network.RequestChannel.Request
    """

    __slots__ = (
        "processor", "context", "start_time_nanos", "_memory_pool", "_buffer", "_metrics",
        "request_dequeue_time_nanos", "api_local_complete_time_nanos", "response_complete_time_nanos",
        "response_dequeue_time_nanos", "api_remote_complete_time_nanos", "message_conversions_time_nanos",
        "temporary_memory_bytes", "record_network_thread_time_callback", "session", "body_and_size",
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

        self.session = Session(context.principal, context.client_address)
        # DEVIATION D354: KafkaApis, the context and the parser are those of 3.8.0.
        self.body_and_size: RequestAndSize = context.parse_request(buffer)

        # Most bodies have no views of the buffer now. A body with bytes or records may have views, so the
        # buffer then stays allocated until the request is handled.
        if not self.header().api_key().requires_delayed_allocation:
            self.release_buffer()

        if log.is_trace_enabled():
            log.trace("processor %d received request: %s", processor, self.request_desc(True))

    def header(self) -> RequestHeader:
        """:origin: 2.2.2 kafka.network.RequestChannel.Request#header"""
        return self.context.header

    def size_of_body_in_bytes(self) -> int:
        """:origin: 2.2.2 kafka.network.RequestChannel.Request#sizeOfBodyInBytes"""
        return self.body_and_size.size

    def request_desc(self, details: bool) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.Request#requestDesc"""
        # BUG until 2.5.1, KAFKA-9718: the request log shows the passwords of an AlterConfigs request.
        return f"{self.header()} -- {self.body().to_string(details)}"

    def body(self) -> AbstractRequest:
        """Return the parsed body.

        :origin: 2.2.2 kafka.network.RequestChannel.Request#body
        """
        return self.body_and_size.request

    def request_thread_time_nanos(self) -> int:
        """Return the time that the handler has taken so far. Called by the handler.

        :origin: 2.2.2 kafka.network.RequestChannel.Request#requestThreadTimeNanos
        """
        if self.api_local_complete_time_nanos == -1:
            self.api_local_complete_time_nanos = Time.SYSTEM.nanoseconds()
        return max(self.api_local_complete_time_nanos - self.request_dequeue_time_nanos, 0)

    def update_request_metrics(self, network_thread_time_nanos: int, response: Response) -> None:
        """Record the metrics of a completed request, and log it if the request log is enabled.

        Called by the network thread.

        Raises IllegalStateException if the log is enabled and the response has no text.

        :origin: 2.2.2 kafka.network.RequestChannel.Request#updateRequestMetrics
        """
        end_time_nanos = Time.SYSTEM.nanoseconds()
        # The handler may set this time after the response is sent already.
        if self.api_local_complete_time_nanos < 0:
            self.api_local_complete_time_nanos = self.response_complete_time_nanos
        # This request was not delayed.
        if self.api_remote_complete_time_nanos < 0:
            self.api_remote_complete_time_nanos = self.response_complete_time_nanos

        request_queue_time_ms = _nanos_to_ms(self.request_dequeue_time_nanos - self.start_time_nanos)
        api_local_time_ms = _nanos_to_ms(self.api_local_complete_time_nanos - self.request_dequeue_time_nanos)
        api_remote_time_ms = _nanos_to_ms(
            self.api_remote_complete_time_nanos - self.api_local_complete_time_nanos)
        # BUG until 2.6.0, KAFKA-9652: because responses are not delayed by the throttling, this is not the
        # throttle time.
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
        # when the handler's time was recorded.
        if self.record_network_thread_time_callback is not None:
            self.record_network_thread_time_callback(network_thread_time_nanos)

        if RequestChannel.is_request_logging_enabled():
            details_enabled = request_logger.is_trace_enabled()
            response_string = response.response_string()
            if response_string is None:
                raise IllegalStateException(
                    "responseAsString should always be defined if request logging is enabled")
            builder = (
                f"Completed request:{self.request_desc(details_enabled)},response:{response_string}"
                f" from connection {self.context.connection_id};totalTime:{total_time_ms}"
                f",requestQueueTime:{request_queue_time_ms},localTime:{api_local_time_ms}"
                f",remoteTime:{api_remote_time_ms},throttleTime:{api_throttle_time_ms}"
                f",responseQueueTime:{response_queue_time_ms},sendTime:{response_send_time_ms}"
                f",securityProtocol:{self.context.security_protocol.name},principal:{self.session.principal}"
                f",listener:{self.context.listener_name.value()}")
            if self.temporary_memory_bytes > 0:
                builder += f",temporaryMemoryBytes:{self.temporary_memory_bytes}"
            if message_conversions_time_ms > 0:
                builder += f",messageConversionsTime:{message_conversions_time_ms}"
            request_logger.debug("%s", builder)

    def release_buffer(self) -> None:
        """Return the memory to the pool. A second call does nothing.

        :origin: 2.2.2 kafka.network.RequestChannel.Request#releaseBuffer
        """
        if self._buffer is not None:
            self._memory_pool.release(self._buffer)
            self._buffer = None

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.Request#toString"""
        return (f"Request(processor={self.processor}, connectionId={self.context.connection_id}, "
                f"session={self.session}, listenerName={self.context.listener_name}, "
                f"securityProtocol={self.context.security_protocol.name}, buffer={self._buffer})")


class Response:
    """A response: an instruction to the network thread that read the request.

    :origin: 2.2.2 kafka.network.RequestChannel.Response
    """

    __slots__ = ("request",)

    def __init__(self, request: Request) -> None:
        """Record the time in ``request``."""
        self.request = request
        # BUG until 2.6.0, KAFKA-9652: the begin and the end of a throttling set this time, too.
        now_ns = Time.SYSTEM.nanoseconds()
        request.response_complete_time_nanos = now_ns
        if request.api_local_complete_time_nanos == -1:
            request.api_local_complete_time_nanos = now_ns

    def processor(self) -> int:
        """Return the number of the processor that read the request.

        :origin: 2.2.2 kafka.network.RequestChannel.Response#processor
        """
        return self.request.processor

    def response_string(self) -> str | None:
        """Return the response's text for the request log, or None if there is none.

        :origin: 2.2.2 kafka.network.RequestChannel.Response#responseString
        """
        return ""

    def on_complete(self) -> Callable[[Send], None] | None:
        """Return the callback that the network thread calls when the response is written.

        :origin: 2.2.2 kafka.network.RequestChannel.Response#onComplete
        """
        return None


class SendResponse(Response):
    """The response is sent; then the next request is read.

    :origin: 2.2.2 kafka.network.RequestChannel.SendResponse
    """

    __slots__ = ("response_send", "response_as_string", "on_complete_callback")

    def __init__(
        self, request: Request, response_send: Send, response_as_string: str | None,
        on_complete_callback: Callable[[Send], None] | None,
    ) -> None:
        """``response_as_string`` is needed if the request log is enabled."""
        super().__init__(request)
        self.response_send = response_send
        self.response_as_string = response_as_string
        self.on_complete_callback = on_complete_callback

    def response_string(self) -> str | None:
        """:origin: 2.2.2 kafka.network.RequestChannel.SendResponse#responseString"""
        return self.response_as_string

    def on_complete(self) -> Callable[[Send], None] | None:
        """:origin: 2.2.2 kafka.network.RequestChannel.SendResponse#onComplete"""
        return self.on_complete_callback

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.SendResponse#toString"""
        return (f"Response(type=Send, request={self.request}, send={self.response_send}, "
                f"asString={self.response_as_string})")


class NoOpResponse(Response):
    """No bytes are sent; the next request is read.

    :origin: 2.2.2 kafka.network.RequestChannel.NoOpResponse
    """

    __slots__ = ()

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.NoOpResponse#toString"""
        return f"Response(type=NoOp, request={self.request})"


class CloseConnectionResponse(Response):
    """No bytes are sent; the connection is closed.

    :origin: 2.2.2 kafka.network.RequestChannel.CloseConnectionResponse
    """

    __slots__ = ()

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.CloseConnectionResponse#toString"""
        return f"Response(type=CloseConnection, request={self.request})"


class StartThrottlingResponse(Response):
    """Nothing more is read until an EndThrottlingResponse. Queued before the response itself.

    :origin: 2.2.2 kafka.network.RequestChannel.StartThrottlingResponse
    """

    __slots__ = ()

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.StartThrottlingResponse#toString"""
        return f"Response(type=StartThrottling, request={self.request})"


class EndThrottlingResponse(Response):
    """The throttling is over.

    :origin: 2.2.2 kafka.network.RequestChannel.EndThrottlingResponse
    """

    __slots__ = ()

    def __str__(self) -> str:
        """:origin: 2.2.2 kafka.network.RequestChannel.EndThrottlingResponse#toString"""
        return f"Response(type=EndThrottling, request={self.request})"


class _Processor(Protocol):
    """The interface of a processor for the channel, because Processor imports this module."""

    id: int

    def enqueue_response(self, response: Response) -> None:
        """Queue a response and wake the thread."""

    def response_queue_size(self) -> int:
        """Return the number of queued responses."""


class RequestChannel(Logging):
    """The request queue, and the delivery of responses to their processors. Called by any thread.

    :origin: 2.2.2 kafka.network.RequestChannel
    :origin: 2.2.2 kafka.network.RequestChannel
    """

    # Return whether completed requests are logged.
    # :origin: 2.2.2 kafka.network.RequestChannel#isRequestLoggingEnabled
    is_request_logging_enabled = staticmethod(request_logger.is_debug_enabled)

    # The handler that takes it ends itself. :origin: 2.2.2 kafka.network.RequestChannel.ShutdownRequest
    ShutdownRequest = BaseRequest()

    def __init__(
        self, queue_size: int, metric_name_prefix: str, metrics: RequestChannel38.Metrics,
        metrics_registry: MetricsRegistry | None = None,
    ) -> None:
        """``queue_size`` bounds the queued requests; network threads wait while the queue is full."""
        self.queue_size = queue_size
        self.metric_name_prefix = metric_name_prefix
        self.metrics = metrics
        self.metrics_registry = metrics_registry
        self._metrics_group = EditionMetricsGroup(RequestChannel, metrics_registry)
        self._request_queue: ArrayBlockingQueue[BaseRequest] = ArrayBlockingQueue(queue_size)
        # Changed by the threads that add and remove processors. Each access is a single operation, safe for
        # any thread.
        self._processors: dict[int, _Processor] = {}
        self.request_queue_size_metric_name = metric_name_prefix + REQUEST_QUEUE_SIZE_METRIC
        self.response_queue_size_metric_name = metric_name_prefix + RESPONSE_QUEUE_SIZE_METRIC

        self._metrics_group.new_gauge(self.request_queue_size_metric_name, self._request_queue.size)

        self._metrics_group.new_gauge(
            self.response_queue_size_metric_name,
            lambda: sum(processor.response_queue_size() for processor in list(self._processors.values())))

    def add_processor(self, processor: _Processor) -> None:
        """Deliver responses to a processor from now on.

        :origin: 2.2.2 kafka.network.RequestChannel#addProcessor
        """
        if put_if_absent(self._processors, processor.id, processor) is not None:
            self.warn("there is a processor %d already", processor.id)

        self._metrics_group.new_gauge(
            self.response_queue_size_metric_name, processor.response_queue_size,
            {PROCESSOR_METRIC_TAG: str(processor.id)})

    def remove_processor(self, processor_id: int) -> None:
        """Drop responses to a processor from now on.

        :origin: 2.2.2 kafka.network.RequestChannel#removeProcessor
        """
        self._processors.pop(processor_id, None)
        self._metrics_group.remove_metric(
            self.response_queue_size_metric_name, {PROCESSOR_METRIC_TAG: str(processor_id)})

    def send_request(self, request: Request) -> None:
        """Queue a request for the handlers; wait for room.

        :origin: 2.2.2 kafka.network.RequestChannel#sendRequest
        """
        self._request_queue.put(request)

    def send_response(self, response: Response) -> None:
        """Queue a response for the network thread of its request; drop it if that thread has ended.

        :origin: 2.2.2 kafka.network.RequestChannel#sendResponse
        """
        if self.is_trace_enabled():
            header = response.request.header()
            api_key, client_id = header.api_key(), header.client_id()
            match response:
                case SendResponse():
                    self.trace("%s response of %d bytes to client %s", api_key,
                               response.response_send.size(), client_id)
                case NoOpResponse():
                    self.trace("no %s response to client %s, which wants none", api_key, client_id)
                case CloseConnectionResponse():
                    self.trace("closing the connection of client %s for an error of %s", client_id, api_key)
                case StartThrottlingResponse():
                    self.trace("throttling of client %s begins for %s", client_id, api_key)
                case EndThrottlingResponse():
                    self.trace("throttling of client %s ends for %s", client_id, api_key)

        processor = self._processors.get(response.processor())
        # A missing processor has ended with all its connections.
        if processor is not None:
            processor.enqueue_response(response)

    def receive_request_timeout(self, timeout: int) -> BaseRequest | None:
        """Return the next request, or None after ``timeout`` ms without one.

        :origin: 2.2.2 kafka.network.RequestChannel#receiveRequest(Long)
        """
        return self._request_queue.poll_timeout(timeout)

    def receive_request(self) -> BaseRequest:
        """Return the next request; wait without limit.

        :origin: 2.2.2 kafka.network.RequestChannel#receiveRequest()
        """
        return self._request_queue.take()

    def update_error_metrics(self, api_key: ApiKeys, errors: Mapping[Errors, int]) -> None:
        """:origin: 2.2.2 kafka.network.RequestChannel#updateErrorMetrics"""
        for error, count in errors.items():
            self.metrics.apply(api_key.name).mark_error_meter(error, count)

    def clear(self) -> None:
        """Drop the queued requests.

        :origin: 2.2.2 kafka.network.RequestChannel#clear
        """
        self._request_queue.clear()

    def shutdown(self) -> None:
        """Drop the queued requests, and remove the metrics from the registry.

        :origin: 2.2.2 kafka.network.RequestChannel#shutdown
        """
        self.clear()
        self.metrics.close()

    def send_shutdown_request(self) -> None:
        """End one handler.

        :origin: 2.2.2 kafka.network.RequestChannel#sendShutdownRequest
        """
        self._request_queue.put(RequestChannel.ShutdownRequest)


def _nanos_to_ms(nanos: int) -> float:
    """Return milliseconds, truncated to microseconds, because further digits have no meaning in the log."""
    return (nanos // 1000) / 1000 if nanos > 0 else 0.0
