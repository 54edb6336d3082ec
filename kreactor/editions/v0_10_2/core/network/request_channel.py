# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestChannel of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exchange between network threads and handler threads: one queue of requests, and one queue of responses
for each processor.

A response has an action for the network thread: send, continue without bytes, or close the connection. Times
are in milliseconds on the wall clock, or -1.

The network thread parses a request's header and body with the parsers of 3.8.0.
"""

from __future__ import annotations

from enum import Enum
from typing import Callable

from kreactor.common.errors import InvalidRequestException
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel as RequestChannel38
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.core.server.kafka_apis import KafkaApis
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.common.network.send import Send
from kreactor.jdk.concurrent import ArrayBlockingQueue, LinkedBlockingDeque
from kreactor.jdk.net import InetAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.metrics.yammer import MetricsRegistry

log = LogContext().logger(f"{__name__}.RequestChannel")
request_logger = LogContext().logger("kafka.request.logger")


class Session:
    """A principal and an address.

    :origin: 0.10.2.2 kafka.network.RequestChannel.Session
    """

    __slots__ = ("principal", "client_address", "sanitized_user")

    def __init__(self, principal: KafkaPrincipal, client_address: InetAddress | None) -> None:
        self.principal = principal
        self.client_address = client_address
        self.sanitized_user = Sanitizer.sanitize(principal.get_name())


class Request:
    """A request, from the last byte of the request to the last byte of the response.

    :origin: 0.10.2.2 kafka.network.RequestChannel.Request
    """

    __slots__ = (
        "processor", "connection_id", "session", "start_time_ms", "listener_name", "security_protocol",
        "metrics", "request_dequeue_time_ms", "api_local_complete_time_ms", "response_complete_time_ms",
        "response_dequeue_time_ms", "api_remote_complete_time_ms", "request_id", "header", "context",
        "body_and_size",
    )

    def __init__(
        self,
        processor: int,
        connection_id: str,
        session: Session,
        buffer: ByteBuffer,
        start_time_ms: int,
        listener_name: ListenerName,
        security_protocol: SecurityProtocol,
        metrics: RequestChannel38.Metrics,
        max_elements: int = 2**31 - 1,
    ) -> None:
        """Parse ``buffer``.

        Raises InvalidRequestException, and BufferUnderflowException if ``buffer`` has fewer than 2 bytes.
        """
        self.processor = processor
        self.connection_id = connection_id
        self.session = session
        self.start_time_ms = start_time_ms
        self.listener_name = listener_name
        self.security_protocol = security_protocol
        self.metrics = metrics
        # Written by handlers and by threads that complete delayed operations, read by the network thread.
        self.request_dequeue_time_ms = -1
        self.api_local_complete_time_ms = -1
        self.response_complete_time_ms = -1
        self.response_dequeue_time_ms = -1
        self.api_remote_complete_time_ms = -1

        # BUG until 1.0.0, KAFKA-5607: a request of one byte or none raises an exception that the processor
        # does not expect.
        self.request_id = buffer.get_short()

        buffer.rewind()
        try:
            self.header = RequestHeader.parse(buffer)
        except Exception as ex:
            raise InvalidRequestException(
                "Error parsing request header. Our best guess of the apiKey is: "
                f"{self.request_id}", ex) from ex
        # DEVIATION D354: KafkaApis is that of 3.8.0, and needs the context of its requests. It has no handler
        # for some API keys that the parser of 3.8.0 knows; here these keys are unknown.
        if self.header.api_key() not in KafkaApis.ENABLED_APIS:
            raise InvalidRequestException(f"Received request for disabled api key {self.header.api_key()}")
        self.context = RequestContext(
            self.header, connection_id, session.client_address,  # type: ignore[arg-type]
            session.principal, listener_name, security_protocol, ClientInformation.EMPTY, False,
            max_elements=max_elements)
        self.body_and_size = self.context.parse_request(buffer)

        if log.is_trace_enabled():
            log.trace("processor %d received request: %s", processor, self.request_desc(True))

    def body(self) -> AbstractRequest:
        """Return the parsed body.

        :origin: 0.10.2.2 kafka.network.RequestChannel.Request#body
        """
        return self.body_and_size.request

    def request_desc(self, details: bool) -> str:
        """:origin: 0.10.2.2 kafka.network.RequestChannel.Request#requestDesc"""
        return f"{self.header} -- {self.body().to_string(details)}"

    def update_request_metrics(self) -> None:
        """Record the metrics of a completed request. Called by the network thread.

        :origin: 0.10.2.2 kafka.network.RequestChannel.Request#updateRequestMetrics
        """
        end_time_ms = Time.SYSTEM.milliseconds()
        # The handler may set this time after the response is sent already.
        if self.api_local_complete_time_ms < 0:
            self.api_local_complete_time_ms = self.response_complete_time_ms
        if self.api_remote_complete_time_ms < 0:
            self.api_remote_complete_time_ms = self.response_complete_time_ms

        request_queue_time = max(self.request_dequeue_time_ms - self.start_time_ms, 0)
        api_local_time = max(self.api_local_complete_time_ms - self.request_dequeue_time_ms, 0)
        api_remote_time = max(self.api_remote_complete_time_ms - self.api_local_complete_time_ms, 0)
        api_throttle_time = max(self.response_complete_time_ms - self.api_remote_complete_time_ms, 0)
        response_queue_time = max(self.response_dequeue_time_ms - self.response_complete_time_ms, 0)
        response_send_time = max(end_time_ms - self.response_dequeue_time_ms, 0)
        total_time = end_time_ms - self.start_time_ms
        metric_names = [self.header.api_key().name]
        if self.header.api_key() is ApiKeys.FETCH:
            fetch_request = self.body()
            assert isinstance(fetch_request, FetchRequest)
            metric_names.insert(0, RequestMetrics.FOLLOW_FETCH_METRIC_NAME if fetch_request.is_from_follower()
                                else RequestMetrics.CONSUMER_FETCH_METRIC_NAME)
        for metric_name in metric_names:
            m = self.metrics.apply(metric_name)
            m.request_rate(self.header.api_version()).mark()
            m.request_queue_time_hist.update(request_queue_time)
            m.local_time_hist.update(api_local_time)
            m.remote_time_hist.update(api_remote_time)
            m.throttle_time_hist.update(api_throttle_time)
            m.response_queue_time_hist.update(response_queue_time)
            m.response_send_time_hist.update(response_send_time)
            m.total_time_hist.update(total_time)

        if request_logger.is_debug_enabled():
            details_enabled = request_logger.is_trace_enabled()
            # BUG until 1.0.0: the message is logged at trace, with or without details.
            request_logger.trace(
                "Completed request:%s from connection %s;totalTime:%d,requestQueueTime:%d,localTime:%d,"
                "remoteTime:%d,responseQueueTime:%d,sendTime:%d,securityProtocol:%s,principal:%s,listener:%s",
                self.request_desc(details_enabled), self.connection_id, total_time, request_queue_time,
                api_local_time, api_remote_time, response_queue_time, response_send_time,
                self.security_protocol.name, self.session.principal, self.listener_name.value())


class _Signal(Request):
    """A request that ends the handler which takes it."""

    __slots__ = ()

    def __init__(self) -> None:
        pass


class Response:
    """A response with an action for the network thread that read the request.

    :origin: 0.10.2.2 kafka.network.RequestChannel.Response
    """

    __slots__ = ("processor", "request", "response_send", "response_action")

    def __init__(
        self, processor: int, request: Request, response_send: Send | None,
        response_action: ResponseAction | None = None,
    ) -> None:
        """Without an action, the response is SendAction if there is a send, else NoOpAction.

        :origin: 0.10.2.2 kafka.network.RequestChannel.Response#this
        """
        self.processor = processor
        self.request = request
        self.response_send = response_send
        self.response_action = response_action or (
            ResponseAction.NoOpAction if response_send is None else ResponseAction.SendAction)
        request.response_complete_time_ms = Time.SYSTEM.milliseconds()


class ResponseAction(Enum):
    """The next action of the network thread.

    :origin: 0.10.2.2 kafka.network.RequestChannel.ResponseAction
    """

    # :origin: 0.10.2.2 kafka.network.RequestChannel.SendAction
    SendAction = "SendAction"
    # :origin: 0.10.2.2 kafka.network.RequestChannel.NoOpAction
    NoOpAction = "NoOpAction"
    # :origin: 0.10.2.2 kafka.network.RequestChannel.CloseConnectionAction
    CloseConnectionAction = "CloseConnectionAction"


class RequestChannel:
    """The queues. Called by any thread.

    :origin: 0.10.2.2 kafka.network.RequestChannel
    :origin: 0.10.2.2 kafka.network.RequestChannel
    """

    # The handler that takes it ends itself. :origin: 0.10.2.2 kafka.network.RequestChannel#AllDone
    AllDone: Request = _Signal()

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
        self._request_queue: ArrayBlockingQueue[Request] = ArrayBlockingQueue(queue_size)
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

        :origin: 0.10.2.2 kafka.network.RequestChannel#sendRequest
        """
        self._request_queue.put(request)

    def send_response(self, response: Response) -> None:
        """Queue a response for the network thread of its request.

        :origin: 0.10.2.2 kafka.network.RequestChannel#sendResponse
        """
        self._response_queues[response.processor].put(response)
        for on_response in self._response_listeners:
            on_response(response.processor)

    def no_operation(self, processor: int, request: Request) -> None:
        """Complete a request without sending a response.

        :origin: 0.10.2.2 kafka.network.RequestChannel#noOperation
        """
        self._response_queues[processor].put(Response(processor, request, None, ResponseAction.NoOpAction))
        for on_response in self._response_listeners:
            on_response(processor)

    def close_connection(self, processor: int, request: Request) -> None:
        """Close the connection of a request.

        :origin: 0.10.2.2 kafka.network.RequestChannel#closeConnection
        """
        self._response_queues[processor].put(
            Response(processor, request, None, ResponseAction.CloseConnectionAction))
        for on_response in self._response_listeners:
            on_response(processor)

    def receive_request_timeout(self, timeout: int) -> Request | None:
        """Return the next request, or None after ``timeout`` ms without one.

        :origin: 0.10.2.2 kafka.network.RequestChannel#receiveRequest(Long)
        """
        return self._request_queue.poll_timeout(timeout)

    def receive_request(self) -> Request:
        """Return the next request; wait without limit.

        :origin: 0.10.2.2 kafka.network.RequestChannel#receiveRequest()
        """
        return self._request_queue.take()

    def receive_response(self, processor: int) -> Response | None:
        """Return a response for a processor, or None.

        :origin: 0.10.2.2 kafka.network.RequestChannel#receiveResponse
        """
        response = self._response_queues[processor].poll()
        if response is not None:
            response.request.response_dequeue_time_ms = Time.SYSTEM.milliseconds()
        return response

    def add_response_listener(self, on_response: Callable[[int], None]) -> None:
        """Call ``on_response`` with the number of a processor after each response to it.

        :origin: 0.10.2.2 kafka.network.RequestChannel#addResponseListener
        """
        self._response_listeners.insert(0, on_response)

    def shutdown(self) -> None:
        """Drop the queued requests.

        :origin: 0.10.2.2 kafka.network.RequestChannel#shutdown
        """
        self._request_queue.clear()
