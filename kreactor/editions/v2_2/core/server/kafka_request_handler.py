# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaRequestHandler of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The threads that handle requests, and their pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.exit import Exit
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v2_2.core.network.request_channel import Request, RequestChannel
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter

# The pause after an error, so that an error that returns at once each time keeps no processor busy.
_PAUSE_AFTER_ERROR_MS = 100


class Apis(Protocol):
    """The interface of the request handler for the threads."""

    def handle(self, request: Request) -> None:
        """Handle a request. Called on a handler's thread."""


class KafkaRequestHandler(Logging):
    """One handler. Its thread calls ``run``; other threads call ``stop`` and the shutdown methods.

    :origin: 2.2.2 kafka.server.KafkaRequestHandler
    """

    def __init__(
        self, id: int, broker_id: int, aggregate_idle_meter: Meter, total_handler_threads: Callable[[], int],
        request_channel: RequestChannel, apis: Apis, time: Time,
    ) -> None:
        """``total_handler_threads`` returns the number of threads that share the meter."""
        self._log_ident = f"[Kafka Request Handler {id} on Broker {broker_id}], "
        self._id = id
        self._broker_id = broker_id
        self.aggregate_idle_meter = aggregate_idle_meter
        self.total_handler_threads = total_handler_threads
        self.request_channel = request_channel
        self._apis = apis
        self._time = time
        self._shutdown_complete = CountDownLatch(1)
        self._stopped = False

    def run(self) -> None:
        """Handle requests until a ShutdownRequest arrives, or until ``stop``.

        :origin: 2.2.2 kafka.server.KafkaRequestHandler#run
        """
        while not self._stopped:
            # DEVIATION D490: an error between two requests does not end the thread.
            req = None
            end_time = -1
            try:
                # All threads share one meter, to which each adds its share of the time.
                start_select_time = self._time.nanoseconds()

                req = self.request_channel.receive_request_timeout(300)
                end_time = self._time.nanoseconds()
                idle_time = end_time - start_select_time
                self.aggregate_idle_meter.mark(idle_time // self.total_handler_threads())
            except BaseException as e:
                self.error("exception when waiting for a request", exc=e)
                if req is None:
                    TimeUnit.MILLISECONDS.sleep(_PAUSE_AFTER_ERROR_MS)

            if req is RequestChannel.ShutdownRequest:
                self.debug("request handler %d on broker %d was told to end", self._id, self._broker_id)
                # DEVIATION D393: a handler that was stopped while it waited has taken the shutdown request of
                # another handler. In the origin that other handler, and the thread that stops the pool, wait
                # for ever.
                if self._was_stopped():
                    self.request_channel.send_shutdown_request()
                self._shutdown_complete.count_down()
                return

            elif isinstance(req, Request):
                try:
                    req.request_dequeue_time_nanos = end_time
                    self.trace("request handler %d on broker %d handling request %s",
                               self._id, self._broker_id, req)
                    self._apis.handle(req)
                except FatalExitError as e:
                    self._shutdown_complete.count_down()
                    Exit.exit(e.status_code())
                except BaseException as e:
                    self.error("exception when handling request", exc=e)
                finally:
                    req.release_buffer()

        self._shutdown_complete.count_down()

    def _was_stopped(self) -> bool:
        """Return the flag, which another thread sets."""
        return self._stopped

    def stop(self) -> None:
        """Stop after the current request, within 300 ms if there is none.

        :origin: 2.2.2 kafka.server.KafkaRequestHandler#stop
        """
        self._stopped = True

    def initiate_shutdown(self) -> None:
        """End one handler of the channel after the queued requests.

        :origin: 2.2.2 kafka.server.KafkaRequestHandler#initiateShutdown
        """
        self.request_channel.send_shutdown_request()

    def await_shutdown(self) -> None:
        """Wait until the handler has ended.

        :origin: 2.2.2 kafka.server.KafkaRequestHandler#awaitShutdown
        """
        self._shutdown_complete.await_()


class KafkaRequestHandlerPool(Logging):
    """The handlers of one request channel, on daemon threads.

    :origin: 2.2.2 kafka.server.KafkaRequestHandlerPool
    """

    def __init__(
        self, broker_id: int, request_channel: RequestChannel, apis: Apis, time: Time, num_threads: int,
        request_handler_avg_idle_metric_name: str, log_and_thread_name_prefix: str,
    ) -> None:
        """Start ``num_threads`` handlers."""
        self.broker_id = broker_id
        self.request_channel = request_channel
        self.apis = apis
        self._time = time
        self._log_and_thread_name_prefix = log_and_thread_name_prefix
        self._lock = ReentrantLock()

        # Changed under the lock, read by every handler without it.
        self._thread_pool_size = num_threads
        self._metrics_group = EditionMetricsGroup(type(self), request_channel.metrics_registry)
        self._aggregate_idle_meter = self._metrics_group.new_meter(
            request_handler_avg_idle_metric_name, "percent", TimeUnit.NANOSECONDS)

        self._log_ident = f"[{log_and_thread_name_prefix} Kafka Request Handler on Broker {broker_id}], "
        self.runnables: list[KafkaRequestHandler] = []
        for i in range(num_threads):
            self.create_handler(i)

    def create_handler(self, id: int) -> None:
        """Start a handler. Raises RuntimeError if no further thread can be started.

        :origin: 2.2.2 kafka.server.KafkaRequestHandlerPool#createHandler
        """
        with self._lock:
            self.runnables.append(KafkaRequestHandler(
                id, self.broker_id, self._aggregate_idle_meter, lambda: self._thread_pool_size,
                self.request_channel, self.apis, self._time))
            KafkaThread.daemon_thread(
                f"{self._log_and_thread_name_prefix}-kafka-request-handler-{id}",
                self.runnables[id].run).start()

    def resize_thread_pool(self, new_size: int) -> None:
        """Start handlers, or stop the last ones after their current requests.

        :origin: 2.2.2 kafka.server.KafkaRequestHandlerPool#resizeThreadPool
        """
        with self._lock:
            current_size = self._thread_pool_size
            self.info("resizing the request handler thread pool from %d to %d", current_size, new_size)
            if new_size > current_size:
                for i in range(current_size, new_size):
                    self.create_handler(i)
            elif new_size < current_size:
                for i in range(1, current_size - new_size + 1):
                    self.runnables.pop(current_size - i).stop()
            self._thread_pool_size = new_size

    def shutdown(self) -> None:
        """End all handlers after the queued requests.

        :origin: 2.2.2 kafka.server.KafkaRequestHandlerPool#shutdown
        """
        with self._lock:
            self.info("shutting down")
            for handler in self.runnables:
                handler.initiate_shutdown()
            for handler in self.runnables:
                handler.await_shutdown()
            self.info("shut down completely")
