# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.RequestChannel of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The queues between network threads and handler threads.

Network threads put requests into one bounded queue; a full queue makes them wait, and with them every
client of theirs. Handlers take requests, and give responses back to the network thread that a request
came from. A response may be given by any thread: a handler, or one that completes what waited.

A callback is work for a request that a handler has put aside: it needs a handler's thread, but has
waited in line already. It goes into a queue of its own that is looked at first, and a WakeupRequest into
the other, so that a handler which waits there comes and looks.

A request carries nine time stamps, all in nanoseconds on the monotonic clock or -1:

==================================== ======================== ====================================
stamp                                set by                   when
==================================== ======================== ====================================
start_time_nanos                     network thread           the request is complete
request_dequeue_time_nanos           handler                  it takes the request
api_local_complete_time_nanos        handler, or who answers  the handler is done with it
callback_request_dequeue_time_nanos  handler                  it takes a callback of the request
callback_request_complete_time_nanos handler, or who answers  the callback is done
response_complete_time_nanos         who answers              the answer is given
response_dequeue_time_nanos          network thread           it takes the answer
message_conversions_time_nanos       handler                  spent on converting batches (a span)
(the end)                            network thread           the answer is written
==================================== ======================== ====================================
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Callable, Iterable, Mapping, Protocol, TypeVar

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.abstract_response import AbstractResponse
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.core.network.request_metrics import RequestMetrics
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import ArrayBlockingQueue
from kreactor.jdk.concurrent_map import put_if_absent
from kreactor.jdk.doubles import round_to_long
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.text import java_text, shown_text
from kreactor.network.session import Session
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import MetricsRegistry

if TYPE_CHECKING:
    from kreactor.common.protocol.message_json_converter import JsonNode
    from kreactor.common.requests.fetch_request import FetchRequest
    from kreactor.core.network.request_convert_to_json import RequestConvertToJson
    from kreactor.core.server.request_local import RequestLocal

REQUEST_QUEUE_SIZE_METRIC = "RequestQueueSize"
RESPONSE_QUEUE_SIZE_METRIC = "ResponseQueueSize"
PROCESSOR_METRIC_TAG = "processor"

# Kafka's own name: users set its level to debug.
request_logger = LogContext().logger("kafka.request.logger")

log = LogContext().logger(f"{__name__}.RequestChannel")

_R = TypeVar("_R", bound=AbstractRequest)


class ProcessorLike(Protocol):
    """The part of a processor that the channel uses."""

    # DEVIATION D02: Processor imports this module, so this module knows a processor by its protocol.
    id: int

    def enqueue_response(self, response: RequestChannel.Response) -> None:
        """Queue a response and wake the thread."""

    def response_queue_size(self) -> int:
        """Return how many responses are queued."""


class RequestChannel(Logging):
    """The queues between network threads and handlers. Safe for use by any thread.

    :origin: kafka.network.RequestChannel
    :origin: kafka.network.RequestChannel
    """

    @staticmethod
    def is_request_logging_enabled() -> bool:
        """Return whether completed requests are to be logged.

        :origin: kafka.network.RequestChannel#isRequestLoggingEnabled
        """
        return request_logger.is_debug_enabled()

    class BaseRequest:
        """An element of the request queue.

        :origin: kafka.network.RequestChannel.BaseRequest
        """

        __slots__ = ()

    class _Signal(BaseRequest):
        """Scala's case objects: one instance, told by identity."""

        __slots__ = ("_name",)

        def __init__(self, name: str) -> None:
            self._name = name

        def __repr__(self) -> str:
            return self._name

    # The handler that takes it ends. :origin: kafka.network.RequestChannel.ShutdownRequest
    ShutdownRequest = _Signal("ShutdownRequest")
    # The handler that takes it looks for a callback. :origin: kafka.network.RequestChannel.WakeupRequest
    WakeupRequest = _Signal("WakeupRequest")

    class Metrics:
        """The metrics of all APIs that a listener serves.

        :origin: kafka.network.RequestChannel.Metrics
        """

        def __init__(self, enabled_apis: Iterable[ApiKeys],
                     registry: MetricsRegistry | None = None) -> None:
            names = [api.name for api in enabled_apis] + [
                RequestMetrics.CONSUMER_FETCH_METRIC_NAME, RequestMetrics.FOLLOW_FETCH_METRIC_NAME,
                RequestMetrics.VERIFY_PARTITIONS_IN_TXN_METRIC_NAME]
            self._metrics_map = {name: RequestMetrics(name, registry) for name in names}

        def apply(self, metric_name: str) -> RequestMetrics:
            """Return the metrics of an API by its name. Raises KeyError.

            :origin: kafka.network.RequestChannel.Metrics#apply
            """
            return self._metrics_map[metric_name]

        def close(self) -> None:
            """Remove all metrics from the registry.

            :origin: kafka.network.RequestChannel.Metrics#close
            """
            for request_metrics in self._metrics_map.values():
                request_metrics.remove_metrics()

    class CallbackRequest(BaseRequest):
        """Work for a request that was put aside, to be done on a handler's thread.

        :origin: kafka.network.RequestChannel.CallbackRequest
        """

        __slots__ = ("fun", "original_request")

        def __init__(
            self, fun: Callable[[RequestLocal], None], original_request: RequestChannel.Request,
        ) -> None:
            self.fun = fun
            self.original_request = original_request

    class Request(BaseRequest):
        """A request, from its last byte read to its answer's last byte written.

        The memory that it was read into is its own until ``release_buffer``. A body that keeps no view of
        it has let it go before a handler sees the request.

        :origin: kafka.network.RequestChannel.Request
        """

        __slots__ = (
            "processor", "context", "start_time_nanos", "memory_pool", "buffer", "_metrics", "envelope",
            "request_dequeue_time_nanos", "api_local_complete_time_nanos", "response_complete_time_nanos",
            "response_dequeue_time_nanos", "message_conversions_time_nanos", "api_throttle_time_ms",
            "temporary_memory_bytes", "record_network_thread_time_callback",
            "callback_request_dequeue_time_nanos", "callback_request_complete_time_nanos",
            "session", "_body_and_size", "request_log",
        )

        def __init__(
            self,
            processor: int,
            context: RequestContext,
            start_time_nanos: int,
            memory_pool: MemoryPool,
            buffer: ByteBuffer,
            metrics: RequestChannel.Metrics,
            envelope: RequestChannel.Request | None = None,
            session: Session | None = None,
        ) -> None:
            """Parse the body behind the header, which ``buffer`` has been read past.

            ``envelope`` is the request that this one came in, if it was forwarded; ``session`` is the one
            that is made of the context, if it is there already. Raises InvalidRequestException if the body is
            not what its header says.
            """
            self.processor = processor
            self.context = context
            self.start_time_nanos = start_time_nanos
            self.memory_pool = memory_pool
            self.buffer: ByteBuffer | None = buffer
            self._metrics = metrics
            self.envelope = envelope
            # Written by handlers and by whoever completes what waited, read by the network thread: the
            # queues in between order the two.
            self.request_dequeue_time_nanos = -1
            self.api_local_complete_time_nanos = -1
            self.response_complete_time_nanos = -1
            self.response_dequeue_time_nanos = -1
            self.message_conversions_time_nanos = 0
            self.api_throttle_time_ms = 0
            self.temporary_memory_bytes = 0
            self.record_network_thread_time_callback: Callable[[int], None] | None = None
            self.callback_request_dequeue_time_nanos: int | None = None
            self.callback_request_complete_time_nanos: int | None = None

            self.session = session or Session(context.principal, context.client_address)

            self._body_and_size = context.parse_request(buffer)

            # Made now: by the time the request is logged a produce has handed its records on.
            self.request_log: JsonNode | None = None
            if RequestChannel.is_request_logging_enabled():
                self.request_log = _convert_to_json().request(self.loggable_request())

            # Most bodies are objects of their own by now. One with bytes or records in it may be views of
            # the buffer, which then stays until the request is handled.
            if not self.header().api_key().requires_delayed_allocation:
                self.release_buffer()

            if log.is_trace_enabled():
                log.trace("processor %d received request: %s", processor, self.request_desc(True))

        def header(self) -> RequestHeader:
            """:origin: kafka.network.RequestChannel.Request#header"""
            return self.context.header

        def _size_of_body_in_bytes(self) -> int:
            """:origin: kafka.network.RequestChannel.Request#sizeOfBodyInBytes"""
            return self._body_and_size.size

        def size_in_bytes(self) -> int:
            """Return the size of header and body; the 4 bytes before them are not counted.

            :origin: kafka.network.RequestChannel.Request#sizeInBytes
            """
            return self.context.header.size() + self._body_and_size.size

        def is_forwarded(self) -> bool:
            """:origin: kafka.network.RequestChannel.Request#isForwarded"""
            return self.envelope is not None

        def _should_return_not_controller(self, response: AbstractResponse) -> bool:
            """:origin: kafka.network.RequestChannel.Request#shouldReturnNotController"""
            if response.api_key() is ApiKeys.DESCRIBE_QUORUM:
                return Errors.NOT_LEADER_OR_FOLLOWER in response.error_counts()
            return Errors.NOT_CONTROLLER in response.error_counts()

        def build_response_send(self, abstract_response: AbstractResponse) -> Send:
            """Return the answer as bytes to be sent, in an envelope if the request came in one.

            :origin: kafka.network.RequestChannel.Request#buildResponseSend
            """
            if self.envelope is not None:
                from kreactor.common.message.envelope_response_data import EnvelopeResponseData
                from kreactor.common.requests.envelope_response import EnvelopeResponse

                if self._should_return_not_controller(abstract_response):
                    # The error of the envelope itself: the forwarding broker looks for another controller.
                    envelope_response = EnvelopeResponse(
                        EnvelopeResponseData(error_code=Errors.NOT_CONTROLLER.code))
                else:
                    response_bytes = self.context.build_response_envelope_payload(abstract_response)
                    envelope_response = EnvelopeResponse.of(response_bytes, Errors.NONE)
                return self.envelope.context.build_response_send(envelope_response)
            return self.context.build_response_send(abstract_response)

        def response_node(self, response: AbstractResponse) -> JsonNode | None:
            """Return the answer as JSON if requests are logged.

            :origin: kafka.network.RequestChannel.Request#responseNode
            """
            if RequestChannel.is_request_logging_enabled():
                return _convert_to_json().response(response, self.context.api_version())
            return None

        def header_for_logging_or_throttling(self) -> RequestHeader:
            """Return the header of the request that came over the wire.

            :origin: kafka.network.RequestChannel.Request#headerForLoggingOrThrottling
            """
            if self.envelope is not None:
                return self.envelope.context.header
            return self.context.header

        def request_desc(self, details: bool) -> str:
            """:origin: kafka.network.RequestChannel.Request#requestDesc"""
            forward_description = (
                f"Forwarded request: {self.envelope.context} " if self.envelope is not None else "")
            return f"{forward_description}{self.header()} -- {self.loggable_request().to_string(details)}"

        def body(self, clazz: type[_R]) -> _R:
            """Return the body. Raises TypeError if it is no ``clazz``.

            :origin: kafka.network.RequestChannel.Request#body
            """
            request = self._body_and_size.request
            if isinstance(request, clazz):
                return request
            raise TypeError(f"Expected request with type {clazz}, but found {type(request)}")

        def loggable_request(self) -> AbstractRequest:
            """Return the body without what must not be logged, such as passwords in configurations.

            :origin: kafka.network.RequestChannel.Request#loggableRequest
            """
            request = self._body_and_size.request
            if request.api_key() in (ApiKeys.ALTER_CONFIGS, ApiKeys.INCREMENTAL_ALTER_CONFIGS):
                return _without_secrets(request)
            if request.api_key() is ApiKeys.ALTER_USER_SCRAM_CREDENTIALS:
                # DEVIATION D189: the origin logs salted passwords, which are as good as passwords.
                return _without_salted_passwords(request)
            return request

        def request_thread_time_nanos(self) -> int:
            """Return how long the handler took; asked by the handler, before it is done.

            :origin: kafka.network.RequestChannel.Request#requestThreadTimeNanos
            """
            if self.api_local_complete_time_nanos == -1:
                self.api_local_complete_time_nanos = Time.SYSTEM.nanoseconds()
            return max(self.api_local_complete_time_nanos - self.request_dequeue_time_nanos, 0)

        def update_request_metrics(
            self, network_thread_time_nanos: int, response: RequestChannel.Response,
        ) -> None:
            """Record the parts of the request's time, and log it if enabled. Called by the network thread.

            :origin: kafka.network.RequestChannel.Request#updateRequestMetrics
            """
            end_time_nanos = Time.SYSTEM.nanoseconds()

            request_queue_time_ms = _nanos_to_ms(self.request_dequeue_time_nanos - self.start_time_nanos)
            callback_request_time_nanos = ((self.callback_request_complete_time_nanos or 0)
                                           - (self.callback_request_dequeue_time_nanos or 0))
            api_local_time_ms = _nanos_to_ms(self.api_local_complete_time_nanos
                                             - self.request_dequeue_time_nanos + callback_request_time_nanos)
            api_remote_time_ms = _nanos_to_ms(self.response_complete_time_nanos
                                              - self.api_local_complete_time_nanos
                                              - callback_request_time_nanos)
            response_queue_time_ms = _nanos_to_ms(
                self.response_dequeue_time_nanos - self.response_complete_time_nanos)
            response_send_time_ms = _nanos_to_ms(end_time_nanos - self.response_dequeue_time_nanos)
            message_conversions_time_ms = _nanos_to_ms(self.message_conversions_time_nanos)
            total_time_ms = _nanos_to_ms(end_time_nanos - self.start_time_nanos)
            api_key = self.header().api_key()
            override_metric_names: tuple[str, ...]
            if api_key is ApiKeys.FETCH:
                specified_metric_name = (
                    RequestMetrics.FOLLOW_FETCH_METRIC_NAME if self.body(_fetch_request()).is_from_follower()
                    else RequestMetrics.CONSUMER_FETCH_METRIC_NAME)
                override_metric_names = (specified_metric_name, api_key.name)
            elif api_key is ApiKeys.ADD_PARTITIONS_TO_TXN and _all_verify_only(self._body_and_size.request):
                override_metric_names = (RequestMetrics.VERIFY_PARTITIONS_IN_TXN_METRIC_NAME,)
            else:
                override_metric_names = (api_key.name,)
            for metric_name in override_metric_names:
                m = self._metrics.apply(metric_name)
                m.request_rate(self.header().api_version()).mark()
                deprecated = m.deprecated_request_rate(
                    api_key, self.header().api_version(), self.context.client_information)
                if deprecated is not None:
                    deprecated.mark()
                m.request_queue_time_hist.update(round_to_long(request_queue_time_ms))
                m.local_time_hist.update(round_to_long(api_local_time_ms))
                m.remote_time_hist.update(round_to_long(api_remote_time_ms))
                m.throttle_time_hist.update(self.api_throttle_time_ms)
                m.response_queue_time_hist.update(round_to_long(response_queue_time_ms))
                m.response_send_time_hist.update(round_to_long(response_send_time_ms))
                m.total_time_hist.update(round_to_long(total_time_ms))
                m.request_bytes_hist.update(self._size_of_body_in_bytes())
                if m.message_conversions_time_hist is not None:
                    m.message_conversions_time_hist.update(round_to_long(message_conversions_time_ms))
                if m.temp_memory_bytes_hist is not None:
                    m.temp_memory_bytes_hist.update(self.temporary_memory_bytes)

            # Counts towards the client's quota of request time. Whether it is throttled was decided before,
            # when the handler's time was recorded.
            if self.record_network_thread_time_callback is not None:
                self.record_network_thread_time_callback(network_thread_time_nanos)

            if RequestChannel.is_request_logging_enabled():
                desc = _convert_to_json().request_desc_metrics(
                    self.header(), self.request_log, response.response_log(), self.context, self.session,
                    self.is_forwarded(), total_time_ms, request_queue_time_ms, api_local_time_ms,
                    api_remote_time_ms, self.api_throttle_time_ms, response_queue_time_ms,
                    response_send_time_ms, self.temporary_memory_bytes, message_conversions_time_ms)
                request_logger.debug("Completed request:%s", desc)

        def release_buffer(self) -> None:
            """Release the memory to the pool. A second call does nothing.

            :origin: kafka.network.RequestChannel.Request#releaseBuffer
            """
            if self.envelope is not None:
                self.envelope.release_buffer()
            elif self.buffer is not None:
                self.memory_pool.release(self.buffer)
                self.buffer = None

        def __repr__(self) -> str:
            header, buffer = self.context.header, self.buffer
            memory = "no buffer" if buffer is None else f"buffer of {buffer.limit()} bytes"
            client_id = header.client_id()
            name = "no client id" if client_id is None else f"client {shown_text(client_id)}"
            return (f"Request({header.api_key().name} v{header.api_version()}, "
                    f"correlation {header.correlation_id()}, {name}, "
                    f"{shown_text(self.context.connection_id)}, processor {self.processor}, {memory})")

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.Request#toString"""
            return (f"Request(processor={self.processor}, connectionId={self.context.connection_id}, "
                    f"session={self.session}, listenerName={self.context.listener_name}, "
                    f"securityProtocol={self.context.security_protocol.name}, "
                    f"buffer={java_text(self.buffer)}, envelope={self.envelope})")

    class Response:
        """The outcome of a request: what the processor does with its connection.

        :origin: kafka.network.RequestChannel.Response
        """

        __slots__ = ("request",)

        def __init__(self, request: RequestChannel.Request) -> None:
            self.request = request

        def __repr__(self) -> str:
            return f"{type(self).__name__}({self.request!r})"

        def processor(self) -> int:
            """Return the number of the network thread that the request came from.

            :origin: kafka.network.RequestChannel.Response#processor
            """
            return self.request.processor

        def response_log(self) -> JsonNode | None:
            """Return the answer as JSON, if requests are logged and there is one.

            :origin: kafka.network.RequestChannel.Response#responseLog
            """
            return None

        def on_complete(self) -> Callable[[Send], None] | None:
            """Return the callback for the network thread, called when the response is written.

            :origin: kafka.network.RequestChannel.Response#onComplete
            """
            return None

    class SendResponse(Response):
        """A response to send; the next request is read when it is written.

        :origin: kafka.network.RequestChannel.SendResponse
        """

        __slots__ = ("response_send", "response_log_value", "on_complete_callback")

        def __init__(
            self,
            request: RequestChannel.Request,
            response_send: Send,
            response_log_value: JsonNode | None,
            on_complete_callback: Callable[[Send], None] | None,
        ) -> None:
            self.request = request
            self.response_send = response_send
            self.response_log_value = response_log_value
            self.on_complete_callback = on_complete_callback

        def __repr__(self) -> str:
            return f"SendResponse({self.response_send.size()} bytes, {self.request!r})"

        def response_log(self) -> JsonNode | None:
            """:origin: kafka.network.RequestChannel.SendResponse#responseLog"""
            return self.response_log_value

        def on_complete(self) -> Callable[[Send], None] | None:
            """:origin: kafka.network.RequestChannel.SendResponse#onComplete"""
            return self.on_complete_callback

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.SendResponse#toString"""
            return (f"Response(type=Send, request={self.request}, send={self.response_send}, "
                    f"asString={self.response_log_value})")

    class NoOpResponse(Response):
        """No response; the next request is read.

        :origin: kafka.network.RequestChannel.NoOpResponse
        """

        __slots__ = ()

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.NoOpResponse#toString"""
            return f"Response(type=NoOp, request={self.request})"

    class CloseConnectionResponse(Response):
        """No response; the connection is closed.

        :origin: kafka.network.RequestChannel.CloseConnectionResponse
        """

        __slots__ = ()

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.CloseConnectionResponse#toString"""
            return f"Response(type=CloseConnection, request={self.request})"

    class StartThrottlingResponse(Response):
        """The channel stays muted until an EndThrottlingResponse; sent before the response.

        :origin: kafka.network.RequestChannel.StartThrottlingResponse
        """

        __slots__ = ()

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.StartThrottlingResponse#toString"""
            return f"Response(type=StartThrottling, request={self.request})"

    class EndThrottlingResponse(Response):
        """The end of a throttle time.

        :origin: kafka.network.RequestChannel.EndThrottlingResponse
        """

        __slots__ = ()

        def __str__(self) -> str:
            """:origin: kafka.network.RequestChannel.EndThrottlingResponse#toString"""
            return f"Response(type=EndThrottling, request={self.request})"

    def __init__(
        self, queue_size: int, metric_name_prefix: str, time: Time, metrics: RequestChannel.Metrics,
        metrics_registry: MetricsRegistry | None = None,
    ) -> None:
        """``queue_size`` bounds the requests that wait; the network threads wait when there are so many.

        ``metrics_registry`` is for the metrics of the channel, and of all that works on it.
        """
        self.queue_size = queue_size
        self.metric_name_prefix = metric_name_prefix
        self._time = time
        self.metrics = metrics
        self.metrics_registry = metrics_registry
        self._metrics_group = KafkaMetricsGroup(RequestChannel, metrics_registry)

        self._request_queue: ArrayBlockingQueue[RequestChannel.BaseRequest] = ArrayBlockingQueue(queue_size)
        # Changed by those who add and remove network threads; single operations, safe for any thread.
        self._processors: dict[int, ProcessorLike] = {}
        self._request_queue_size_metric_name = metric_name_prefix + REQUEST_QUEUE_SIZE_METRIC
        self._response_queue_size_metric_name = metric_name_prefix + RESPONSE_QUEUE_SIZE_METRIC
        self._callback_queue: ArrayBlockingQueue[RequestChannel.BaseRequest] = ArrayBlockingQueue(queue_size)

        self._metrics_group.new_gauge(
            self._request_queue_size_metric_name, lambda: self._request_queue.size())

        self._metrics_group.new_gauge(
            self._response_queue_size_metric_name,
            lambda: sum(processor.response_queue_size() for processor in list(self._processors.values())))

    def add_processor(self, processor: ProcessorLike) -> None:
        """:origin: kafka.network.RequestChannel#addProcessor"""
        if put_if_absent(self._processors, processor.id, processor) is not None:
            self.warn("there is a processor %d already", processor.id)

        self._metrics_group.new_gauge(
            self._response_queue_size_metric_name, processor.response_queue_size,
            {PROCESSOR_METRIC_TAG: str(processor.id)})

    def remove_processor(self, processor_id: int) -> None:
        """:origin: kafka.network.RequestChannel#removeProcessor"""
        self._processors.pop(processor_id, None)
        self._metrics_group.remove_metric(
            self._response_queue_size_metric_name, {PROCESSOR_METRIC_TAG: str(processor_id)})

    def send_request(self, request: RequestChannel.Request) -> None:
        """Queue a request for the handlers, waiting for room. Called by network threads.

        :origin: kafka.network.RequestChannel#sendRequest
        """
        self._request_queue.put(request)

    def close_connection(self, request: RequestChannel.Request, error_counts: Mapping[Errors, int]) -> None:
        """Close the connection instead of answering: with acks=0 the client learns of an error by that.

        :origin: kafka.network.RequestChannel#closeConnection
        """
        self.update_error_metrics(request.header().api_key(), error_counts)
        self.send_response_response(RequestChannel.CloseConnectionResponse(request))

    def send_response(
        self,
        request: RequestChannel.Request,
        response: AbstractResponse,
        on_complete: Callable[[Send], None] | None,
    ) -> None:
        """Answer a request; the network thread calls ``on_complete`` when the answer is written.

        :origin: kafka.network.RequestChannel#sendResponse(Request, AbstractResponse, Option)
        """
        self.update_error_metrics(request.header().api_key(), response.error_counts())
        self.send_response_response(RequestChannel.SendResponse(
            request,
            request.build_response_send(response),
            request.response_node(response),
            on_complete,
        ))

    def send_no_op_response(self, request: RequestChannel.Request) -> None:
        """Complete a request without sending a response.

        :origin: kafka.network.RequestChannel#sendNoOpResponse
        """
        self.send_response_response(RequestChannel.NoOpResponse(request))

    def start_throttling(self, request: RequestChannel.Request) -> None:
        """Keep the connection muted until ``end_throttling``. To be called before the answer is given.

        :origin: kafka.network.RequestChannel#startThrottling
        """
        self.send_response_response(RequestChannel.StartThrottlingResponse(request))

    def end_throttling(self, request: RequestChannel.Request) -> None:
        """:origin: kafka.network.RequestChannel#endThrottling"""
        self.send_response_response(RequestChannel.EndThrottlingResponse(request))

    def send_response_response(self, response: RequestChannel.Response) -> None:
        """Queue a response at the network thread of its request; drop it if that thread has gone.

        :origin: kafka.network.RequestChannel#sendResponse(Response)
        """
        if self.is_trace_enabled():
            header = response.request.header_for_logging_or_throttling()
            api_key, client_id = header.api_key(), header.client_id()
            match response:
                case RequestChannel.SendResponse():
                    self.trace("%s response of %d bytes to client %s", api_key,
                               response.response_send.size(), client_id)
                case RequestChannel.NoOpResponse():
                    self.trace("no %s response to client %s, which wants none", api_key, client_id)
                case RequestChannel.CloseConnectionResponse():
                    self.trace("closing the connection of client %s for an error of %s", client_id, api_key)
                case RequestChannel.StartThrottlingResponse():
                    self.trace("throttling of client %s begins for %s", client_id, api_key)
                case RequestChannel.EndThrottlingResponse():
                    self.trace("throttling of client %s ends for %s", client_id, api_key)

        match response:
            # Each request has exactly one of these.
            case (RequestChannel.SendResponse() | RequestChannel.NoOpResponse()
                  | RequestChannel.CloseConnectionResponse()):
                request = response.request
                time_nanos = self._time.nanoseconds()
                request.response_complete_time_nanos = time_nanos
                if request.api_local_complete_time_nanos == -1:
                    request.api_local_complete_time_nanos = time_nanos
                # A callback that answers after the handler has returned ends here.
                if (request.callback_request_dequeue_time_nanos is not None
                        and request.callback_request_complete_time_nanos is None):
                    request.callback_request_complete_time_nanos = self._time.nanoseconds()
            # These come in addition, and change no times.
            case RequestChannel.StartThrottlingResponse() | RequestChannel.EndThrottlingResponse():
                pass

        processor = self._processors.get(response.processor())
        # A missing processor has closed all its connections.
        if processor is not None:
            processor.enqueue_response(response)

    def receive_request_timeout(self, timeout: int) -> RequestChannel.BaseRequest | None:
        """Return the next callback or request, or None if none came within ``timeout`` ms.

        Callbacks first: they have waited in line before.

        :origin: kafka.network.RequestChannel#receiveRequest(Long)
        """
        callback_request = self._callback_queue.poll()
        if callback_request is not None:
            return callback_request
        request = self._request_queue.poll_timeout(timeout)
        if request is RequestChannel.WakeupRequest:
            return self._callback_queue.poll()
        return request

    def receive_request(self) -> RequestChannel.BaseRequest:
        """Return the next request, waiting for one as long as it takes.

        :origin: kafka.network.RequestChannel#receiveRequest()
        """
        return self._request_queue.take()

    def update_error_metrics(self, api_key: ApiKeys, errors: Mapping[Errors, int]) -> None:
        """:origin: kafka.network.RequestChannel#updateErrorMetrics"""
        for error, count in errors.items():
            self.metrics.apply(api_key.name).mark_error_meter(error, count)

    def clear(self) -> None:
        """Drop all requests in the queue.

        :origin: kafka.network.RequestChannel#clear
        """
        # DEVIATION D03: with its memory, which the origin forgets.
        while (request := self._request_queue.poll()) is not None:
            if isinstance(request, RequestChannel.Request):
                request.release_buffer()
        self._callback_queue.clear()

    def shutdown(self) -> None:
        """Drop all requests in the queue, and remove the metrics from the registry.

        :origin: kafka.network.RequestChannel#shutdown
        """
        self.clear()
        self.metrics.close()

    def send_shutdown_request(self) -> None:
        """Make one handler end.

        :origin: kafka.network.RequestChannel#sendShutdownRequest
        """
        self._request_queue.put(RequestChannel.ShutdownRequest)

    def send_callback_request(self, request: RequestChannel.CallbackRequest) -> None:
        """Queue a callback; wake a handler, unless so many requests wait that one comes by anyway.

        :origin: kafka.network.RequestChannel#sendCallbackRequest
        """
        self._callback_queue.put(request)
        if not self._request_queue.offer(RequestChannel.WakeupRequest):
            self.trace("no room for a wakeup: a handler comes by for one of the requests that wait")


@cache
def _convert_to_json() -> type[RequestConvertToJson]:
    """Return the class, imported once, and only where requests are logged."""
    from kreactor.core.network.request_convert_to_json import RequestConvertToJson

    return RequestConvertToJson


@cache
def _fetch_request() -> type[FetchRequest]:
    """Return the class, imported at the first fetch."""
    from kreactor.common.requests.fetch_request import FetchRequest

    return FetchRequest


def _nanos_to_ms(nanos: int) -> float:
    """Return milliseconds to the microsecond: more digits in the log would say nothing."""
    return (nanos // 1000) / 1000 if nanos > 0 else 0.0


def _all_verify_only(request: AbstractRequest) -> bool:
    from kreactor.common.requests.add_partitions_to_txn_request import AddPartitionsToTxnRequest

    return isinstance(request, AddPartitionsToTxnRequest) and request.all_verify_only_request()


def _without_secrets(request: AbstractRequest) -> AbstractRequest:
    """Return a copy of a request that alters configurations, its secret values hidden."""
    from copy import deepcopy

    from kreactor.common.requests.alter_configs_request import AlterConfigsRequest
    from kreactor.common.requests.incremental_alter_configs_request import IncrementalAlterConfigsRequest
    from kreactor.core.server.kafka_config import KafkaConfig

    assert isinstance(request, (AlterConfigsRequest, IncrementalAlterConfigsRequest))
    loggable = deepcopy(request)
    for resource in loggable.data().resources:
        resource_type = ConfigResource.Type.for_id(resource.resource_type)
        for config in resource.configs:
            config.value = KafkaConfig.loggable_value(resource_type, config.name, config.value)
    return loggable


def _without_salted_passwords(request: AbstractRequest) -> AbstractRequest:
    """Return a copy of a request for SCRAM users, without salts and salted passwords."""
    from kreactor.common.requests.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest

    assert isinstance(request, AlterUserScramCredentialsRequest)
    return request.loggable()
