# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaRequestHandler of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The threads that handle requests, and their pool.

A handler takes a request, passes it to the APIs, and takes the next one. It waits for nothing but the queue.
A request that cannot be answered yet goes into a purgatory, and the thread that completes it later sends the
response. ``wrap_async_callback`` runs such a completion on a handler's thread where it needs one.

Each thread keeps its current request and its channel in a thread-local state. So a callback on the same
thread during the same request runs at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Callable, TypeVar

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.exit import Exit
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.time import Time
from kreactor.core.network.request_channel import RequestChannel
from kreactor.core.server.request_local import RequestLocal
from kreactor.core.utils.logging import Logging
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.threads import ThreadLocal
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.kafka_metrics_group import KafkaMetricsGroup
from kreactor.server.metrics.yammer import Meter

T = TypeVar("T")

# The pause after an error, so that an error that returns at once each time keeps no processor busy.
_PAUSE_AFTER_ERROR_MS = 100


class ApiRequestHandler(ABC):
    """The handler of requests: KafkaApis, or a user's own protocol.

    :origin: kafka.server.ApiRequestHandler
    """

    @abstractmethod
    def handle(self, request: RequestChannel.Request, request_local: RequestLocal) -> None:
        """Handle a request, on a handler's thread.

        Either send a response before returning, or arrange a later one. Each request is completed exactly
        once: by a response, by ``send_no_op_response``, or by ``close_connection``. Until then nothing more
        is read from its connection. While a handler is slow, it may take some milliseconds until another
        thread wakes for other requests.

        :origin: kafka.server.ApiRequestHandler#handle
        """

    def try_complete_actions(self) -> None:
        """Run the completions that handling a request has enabled. Called after each callback.

        :origin: kafka.server.ApiRequestHandler#tryCompleteActions
        """


class _ThreadState(ThreadLocal):
    """The thread-local state of a handler."""

    # :origin: kafka.server.KafkaRequestHandler#threadRequestChannel
    request_channel: RequestChannel | None = None
    # :origin: kafka.server.KafkaRequestHandler#threadCurrentRequest
    current_request: RequestChannel.Request | None = None


_thread_state = _ThreadState()


class KafkaRequestHandler(Logging):
    """One handler. Its thread calls ``run``; other threads call ``stop`` and the shutdown methods.

    :origin: kafka.server.KafkaRequestHandler
    :origin: kafka.server.KafkaRequestHandler
    """

    _bypass_thread_check = False

    @staticmethod
    def set_bypass_thread_check(bypass_check: bool) -> None:
        """Let any thread wrap callbacks, for tests.

        :origin: kafka.server.KafkaRequestHandler#setBypassThreadCheck
        """
        KafkaRequestHandler._bypass_thread_check = bypass_check

    @staticmethod
    def wrap_async_callback(
        async_completion_callback: Callable[[RequestLocal, T], None], request_local: RequestLocal,
    ) -> Callable[[T], None]:
        """Return a callback that any thread may call and that runs on a handler's thread.

        Called on the thread that handles the request. If the callback is called there during that request, it
        runs at once with ``request_local``. Otherwise it is queued, and runs on any handler's thread with
        that thread's ``RequestLocal``. Raises IllegalStateException on a thread that is not a handler's.

        :origin: kafka.server.KafkaRequestHandler#wrapAsyncCallback
        """
        request_channel = _thread_state.request_channel
        current_request = _thread_state.current_request
        if request_channel is None or current_request is None:
            if not KafkaRequestHandler._bypass_thread_check:
                raise IllegalStateException(
                    "Attempted to reschedule to request handler thread from non-request handler thread.")
            return lambda t: async_completion_callback(request_local, t)

        def wrapped(t: T) -> None:
            if _thread_state.current_request is current_request:
                async_completion_callback(request_local, t)
            else:
                request_channel.send_callback_request(RequestChannel.CallbackRequest(
                    lambda new_request_local: async_completion_callback(new_request_local, t),
                    current_request))

        return wrapped

    def __init__(
        self,
        id: int,
        broker_id: int,
        aggregate_idle_meter: Meter,
        total_handler_threads: Callable[[], int],
        request_channel: RequestChannel,
        apis: ApiRequestHandler,
        time: Time,
        node_name: str = "broker",
    ) -> None:
        """``total_handler_threads`` returns how many threads share the meter."""
        self._log_ident = (
            f"[Kafka Request Handler {id} on {node_name[:1].upper()}{node_name[1:]} {broker_id}], ")
        self._id = id
        self._broker_id = broker_id
        self.aggregate_idle_meter = aggregate_idle_meter
        self.total_handler_threads = total_handler_threads
        self.request_channel = request_channel
        self._apis = apis
        self._time = time
        self._shutdown_complete = CountDownLatch(1)
        self._request_local = RequestLocal.with_thread_confined_caching()
        self._stopped = False

    def run(self) -> None:
        """Handle requests until a ShutdownRequest comes, or until ``stop``.

        :origin: kafka.server.KafkaRequestHandler#run
        """
        _thread_state.request_channel = self.request_channel
        while not self._stopped:
            # DEVIATION D490: an error between two requests does not end the thread.
            req = None
            end_time = -1
            try:
                # All threads share one meter. Each adds its part of the idle time, so the rate is the average
                # of the threads.
                start_select_time = self._time.nanoseconds()

                req = self.request_channel.receive_request_timeout(300)
                end_time = self._time.nanoseconds()
                idle_time = end_time - start_select_time
                self.aggregate_idle_meter.mark(idle_time // self.total_handler_threads())
            except BaseException as e:
                self.error("exception when waiting for a request", exc=e)
                if req is None:
                    TimeUnit.MILLISECONDS.sleep(_PAUSE_AFTER_ERROR_MS)

            if isinstance(req, RequestChannel.Request):
                try:
                    req.request_dequeue_time_nanos = end_time
                    self.trace("request handler %d on broker %d handling request %s",
                               self._id, self._broker_id, req)
                    _thread_state.current_request = req
                    self._apis.handle(req, self._request_local)
                except FatalExitError as e:
                    self._complete_shutdown()
                    Exit.exit(e.status_code())
                except BaseException as e:
                    self.error("exception when handling request", exc=e)
                finally:
                    _thread_state.current_request = None
                    req.release_buffer()

            elif req is RequestChannel.ShutdownRequest:
                self.debug("request handler %d on broker %d was told to end", self._id, self._broker_id)
                # DEVIATION D13: a handler that was already stopped, but was still waiting, has taken the
                # shutdown request of another handler. In the origin that other handler, and the thread that
                # shuts the pool down, wait for ever.
                if self._was_stopped():
                    self.request_channel.send_shutdown_request()
                self._complete_shutdown()
                return

            elif isinstance(req, RequestChannel.CallbackRequest):
                original_request = req.original_request
                try:
                    # The time of the earlier callbacks is subtracted from the start, so that the result is
                    # the sum of all callbacks.
                    if original_request.callback_request_dequeue_time_nanos is not None:
                        prev_callbacks_time_nanos = (
                            (original_request.callback_request_complete_time_nanos or 0)
                            - original_request.callback_request_dequeue_time_nanos)
                        original_request.callback_request_complete_time_nanos = None
                        original_request.callback_request_dequeue_time_nanos = (
                            self._time.nanoseconds() - prev_callbacks_time_nanos)
                    else:
                        original_request.callback_request_dequeue_time_nanos = self._time.nanoseconds()

                    _thread_state.current_request = original_request
                    req.fun(self._request_local)
                except FatalExitError as e:
                    self._complete_shutdown()
                    Exit.exit(e.status_code())
                except BaseException as e:
                    self.error("exception when handling request", exc=e)
                finally:
                    # After a request, the APIs do this themselves.
                    self._apis.try_complete_actions()
                    if original_request.callback_request_complete_time_nanos is None:
                        original_request.callback_request_complete_time_nanos = self._time.nanoseconds()
                    _thread_state.current_request = None

            elif req is RequestChannel.WakeupRequest:
                # The channel replaces it by a callback, so this is not reached.
                self.warn("unexpected wakeup request")
        self._complete_shutdown()

    def _complete_shutdown(self) -> None:
        """:origin: kafka.server.KafkaRequestHandler#completeShutdown"""
        self._request_local.close()
        _thread_state.request_channel = None
        self._shutdown_complete.count_down()

    def _was_stopped(self) -> bool:
        """Read the flag again, because another thread sets it."""
        return self._stopped

    def stop(self) -> None:
        """End after the current request; an idle handler ends within 300 ms.

        :origin: kafka.server.KafkaRequestHandler#stop
        """
        self._stopped = True

    def initiate_shutdown(self) -> None:
        """End after the requests queued before. Any handler of the channel may take the shutdown request.

        :origin: kafka.server.KafkaRequestHandler#initiateShutdown
        """
        self.request_channel.send_shutdown_request()

    def await_shutdown(self) -> None:
        """Wait until the handler has ended.

        :origin: kafka.server.KafkaRequestHandler#awaitShutdown
        """
        self._shutdown_complete.await_()


class KafkaRequestHandlerPool(Logging):
    """The handlers of one request channel, on daemon threads.

    :origin: kafka.server.KafkaRequestHandlerPool
    """

    def __init__(
        self,
        broker_id: int,
        request_channel: RequestChannel,
        apis: ApiRequestHandler,
        time: Time,
        num_threads: int,
        request_handler_avg_idle_metric_name: str,
        log_and_thread_name_prefix: str,
        node_name: str = "broker",
    ) -> None:
        """Start ``num_threads`` handlers. Raises RuntimeError and leaves no thread behind if one cannot
        start."""
        self.broker_id = broker_id
        self.request_channel = request_channel
        self.apis = apis
        self._time = time
        self._log_and_thread_name_prefix = log_and_thread_name_prefix
        self._node_name = node_name
        self._metrics_group = KafkaMetricsGroup(type(self), request_channel.metrics_registry)
        self._lock = ReentrantLock()

        # Changed under the lock; every handler reads it.
        self._thread_pool_size = num_threads
        self._request_handler_avg_idle_metric_name = request_handler_avg_idle_metric_name
        self._aggregate_idle_meter = self._metrics_group.new_meter(
            request_handler_avg_idle_metric_name, "percent", TimeUnit.NANOSECONDS)

        self._log_ident = (
            f"[{log_and_thread_name_prefix} Kafka Request Handler on Broker {broker_id}], ")
        self.runnables: list[KafkaRequestHandler] = []
        try:
            for i in range(num_threads):
                self.create_handler(i)
        except BaseException:
            self.shutdown()
            self._metrics_group.remove_metric(request_handler_avg_idle_metric_name)
            raise

    def thread_pool_size(self) -> int:
        """Return the intended number of handlers."""
        return self._thread_pool_size

    def create_handler(self, id: int) -> None:
        """Start a handler. Raises RuntimeError if no thread can start.

        :origin: kafka.server.KafkaRequestHandlerPool#createHandler
        """
        # DEVIATION D90: a handler counts once its thread runs. In the origin the thread that shuts the pool
        # down waits for ever for a handler that never ran.
        with self._lock:
            handler = KafkaRequestHandler(
                id, self.broker_id, self._aggregate_idle_meter, self.thread_pool_size, self.request_channel,
                self.apis, self._time, self._node_name)
            KafkaThread.daemon_thread(
                f"{self._log_and_thread_name_prefix}-kafka-request-handler-{id}", handler.run).start()
            self.runnables.append(handler)

    def resize_thread_pool(self, new_size: int) -> None:
        """Start handlers, or end the last ones after their current requests.

        Raises RuntimeError if a thread cannot start; the handlers started before stay.

        :origin: kafka.server.KafkaRequestHandlerPool#resizeThreadPool
        """
        with self._lock:
            current_size = self._thread_pool_size
            self.info("resizing the request handler thread pool from %d to %d", current_size, new_size)
            if new_size > current_size:
                for i in range(current_size, new_size):
                    self.create_handler(i)
                    self._thread_pool_size = i + 1
            elif new_size < current_size:
                for i in range(1, current_size - new_size + 1):
                    self.runnables.pop(current_size - i).stop()
            self._thread_pool_size = new_size

    def shutdown(self) -> None:
        """End all handlers after the queued requests.

        :origin: kafka.server.KafkaRequestHandlerPool#shutdown
        """
        with self._lock:
            self.info("shutting down")
            for handler in self.runnables:
                handler.initiate_shutdown()
            for handler in self.runnables:
                handler.await_shutdown()
            self.info("shut down completely")
