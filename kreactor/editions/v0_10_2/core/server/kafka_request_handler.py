# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.KafkaRequestHandler of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The threads that handle requests, and their pool."""

from __future__ import annotations

from typing import Protocol

from kreactor.common.utils.kafka_thread import KafkaThread
from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.editions.metric_names import EditionMetricsGroup
from kreactor.editions.v0_10_2.core.network.request_channel import Request, RequestChannel
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.metrics.yammer import Meter


class Apis(Protocol):
    """The interface of the request handler: KafkaApis behind the bridge."""

    def handle(self, request: Request) -> None:
        """Handle a request. Called on a handler's thread."""


class KafkaRequestHandler(Logging):
    """One handler.

    :origin: 0.10.2.2 kafka.server.KafkaRequestHandler
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

    def run(self) -> None:
        """Handle requests until AllDone arrives.

        :origin: 0.10.2.2 kafka.server.KafkaRequestHandler#run
        """
        while True:
            try:
                req: Request | None = None
                while req is None:
                    # All threads share one meter, to which each adds its share of the time.
                    start_select_time = self._time.nanoseconds()
                    req = self.request_channel.receive_request_timeout(300)
                    idle_time = self._time.nanoseconds() - start_select_time
                    self.aggregate_idle_meter.mark(idle_time // self.total_handler_threads)

                if req is RequestChannel.AllDone:
                    self.debug("request handler %d on broker %d was told to end", self._id, self._broker_id)
                    return
                req.request_dequeue_time_ms = self._time.milliseconds()
                self.trace("request handler %d on broker %d handling request %s",
                           self._id, self._broker_id, req)
                self._apis.handle(req)
            except BaseException as e:
                self.error("exception when handling request", exc=e)

    def shutdown(self) -> None:
        """End one handler.

        :origin: 0.10.2.2 kafka.server.KafkaRequestHandler#shutdown
        """
        self.request_channel.send_request(RequestChannel.AllDone)


class KafkaRequestHandlerPool(Logging):
    """The handlers of a request channel, in a fixed number.

    :origin: 0.10.2.2 kafka.server.KafkaRequestHandlerPool
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
        self.threads: list[KafkaThread] = []
        for i in range(num_threads):
            self.runnables.append(KafkaRequestHandler(
                i, broker_id, self._aggregate_idle_meter, num_threads, request_channel, apis, time))
            self.threads.append(
                KafkaThread.daemon_thread(f"kafka-request-handler-{i}", self.runnables[i].run))
            self.threads[i].start()

    def shutdown(self) -> None:
        """End all handlers after the queued requests.

        :origin: 0.10.2.2 kafka.server.KafkaRequestHandlerPool#shutdown
        """
        self.info("shutting down")
        for handler in self.runnables:
            handler.shutdown()
        for thread in self.threads:
            thread.join()
        self.info("shut down completely")
