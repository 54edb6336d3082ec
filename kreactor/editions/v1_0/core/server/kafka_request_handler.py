# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaRequestHandler of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The threads that handle requests, and their pool."""

from __future__ import annotations

from typing import Protocol

from kreactor.common.internals.fatal_exit_error import FatalExitError
from kreactor.common.utils.exit import Exit
from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v1_0.core.network.request_channel import Request, RequestChannel, ShutdownRequest
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter

# The pause after an error, so that an error that returns at once each time keeps no processor busy.
_PAUSE_AFTER_ERROR_MS = 100


class Apis(Protocol):
    """The interface of the request handler: KafkaApis behind the bridge."""

    def handle(self, request: Request) -> None:
        """Handle a request. Called on a handler's thread."""


class KafkaRequestHandler(Logging):
    """One handler.

    :origin: 1.0.2 kafka.server.KafkaRequestHandler
    """

    def __init__(
        self, id: int, broker_id: int, aggregate_idle_meter: Meter, total_handler_threads: int,
        request_channel: RequestChannel, apis: Apis, time: Time,
    ) -> None:
        self._log_ident = f"[Kafka Request Handler {id} on Broker {broker_id}], "
        self._id = id
        self._broker_id = broker_id
        self.aggregate_idle_meter = aggregate_idle_meter
        self.total_handler_threads = total_handler_threads
        self.request_channel = request_channel
        self._apis = apis
        self._time = time
        self._latch = CountDownLatch(1)

    def run(self) -> None:
        """Handle requests until a ShutdownRequest arrives.

        :origin: 1.0.2 kafka.server.KafkaRequestHandler#run
        """
        while True:
            # DEVIATION D490: an error between two requests does not end the thread.
            req = None
            end_time = -1
            try:
                # All threads share one meter, to which each adds its share of the time.
                start_select_time = self._time.nanoseconds()

                req = self.request_channel.receive_request_timeout(300)
                end_time = self._time.nanoseconds()
                idle_time = end_time - start_select_time
                self.aggregate_idle_meter.mark(idle_time // self.total_handler_threads)
            except BaseException as e:
                self.error("exception when waiting for a request", exc=e)
                if req is None:
                    TimeUnit.MILLISECONDS.sleep(_PAUSE_AFTER_ERROR_MS)

            if req is ShutdownRequest:
                self.debug("request handler %d on broker %d was told to end", self._id, self._broker_id)
                self._latch.count_down()
                return

            elif isinstance(req, Request):
                try:
                    req.request_dequeue_time_nanos = end_time
                    self.trace("request handler %d on broker %d handling request %s",
                               self._id, self._broker_id, req)
                    self._apis.handle(req)
                except FatalExitError as e:
                    self._latch.count_down()
                    Exit.exit(e.status_code())
                except BaseException as e:
                    self.error("exception when handling request", exc=e)
                finally:
                    req.release_buffer()

    def initiate_shutdown(self) -> None:
        """End one handler after the queued requests.

        :origin: 1.0.2 kafka.server.KafkaRequestHandler#initiateShutdown
        """
        self.request_channel.send_shutdown_request()

    def await_shutdown(self) -> None:
        """Wait until this handler ends.

        :origin: 1.0.2 kafka.server.KafkaRequestHandler#awaitShutdown
        """
        self._latch.await_()


class KafkaRequestHandlerPool(Logging):
    """The handlers of a request channel, in a fixed number.

    :origin: 1.0.2 kafka.server.KafkaRequestHandlerPool
    """

    def __init__(
        self, broker_id: int, request_channel: RequestChannel, apis: Apis, time: Time, num_threads: int,
    ) -> None:
        """Start ``num_threads`` handlers."""
        self.broker_id = broker_id
        self.request_channel = request_channel
        self.apis = apis
        self._metrics_group = EditionMetricsGroup(type(self), request_channel.metrics_registry)
        self._aggregate_idle_meter = self._metrics_group.new_meter(
            "RequestHandlerAvgIdlePercent", "percent", TimeUnit.NANOSECONDS)
        self._log_ident = f"[Kafka Request Handler on Broker {broker_id}], "
        self.runnables: list[KafkaRequestHandler] = []
        for i in range(num_threads):
            self.runnables.append(KafkaRequestHandler(
                i, broker_id, self._aggregate_idle_meter, num_threads, request_channel, apis, time))
            KafkaThread.daemon_thread(f"kafka-request-handler-{i}", self.runnables[i].run).start()

    def shutdown(self) -> None:
        """End all handlers after the queued requests.

        :origin: 1.0.2 kafka.server.KafkaRequestHandlerPool#shutdown
        """
        self.info("shutting down")
        for handler in self.runnables:
            handler.initiate_shutdown()
        for handler in self.runnables:
            handler.await_shutdown()
        self.info("shut down completely")
