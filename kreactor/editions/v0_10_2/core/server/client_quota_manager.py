# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of parts of kafka.server.ClientQuotaManager of Apache Kafka 0.10.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The delay queue of throttled responses and its thread.

The quota managers of 3.8.0 have the quotas and the clients' usage, and compute the throttle times. They have
four types of quota; this module has one queue for all.
"""

from __future__ import annotations

from typing import Callable

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.editions.v0_10_2.core.server.throttled_response import ThrottledResponse
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.server.util.shutdownable_thread import ShutdownableThread

_POLL_TIMEOUT_MS = 1_000

log = LogContext().logger(f"{__name__}.ClientQuotaManager")


class ClientQuotaManager:
    """Delays responses. Called by any thread; owns its reaper thread, which ``shutdown`` stops.

    :origin: 0.10.2.2 kafka.server.ClientQuotaManager
    """

    def __init__(self, metrics: Metrics, api_key: str, time: Time) -> None:
        """Start the reaper thread; ``api_key`` is part of the names of its thread and its metric."""
        self._time = time
        self._metrics = metrics
        self._delay_queue: DelayQueue[ThrottledResponse] = DelayQueue()
        self._delay_queue_sensor = metrics.sensor(f"{api_key}-delayQueue-of-responses")
        self._delay_queue_sensor.add(metrics.metric_name(
            "queue-size", f"{api_key}-responses", "The answers that are held back"), CumulativeSum())
        self.throttled_request_reaper = ThrottledRequestReaper(
            self._delay_queue, api_key, self._delay_queue_sensor)
        self.throttled_request_reaper.start()

    def throttle(self, throttle_time_ms: int, callback: Callable[[int], None]) -> None:
        """Call ``callback`` after ``throttle_time_ms`` milliseconds.

        :origin: 0.10.2.2 kafka.server.ClientQuotaManager#recordAndMaybeThrottle
        """
        self._delay_queue.offer(ThrottledResponse(self._time, throttle_time_ms, callback))
        self._delay_queue_sensor.record()

    def shutdown(self) -> None:
        """Stop the reaper thread; responses that are still delayed are never sent.

        :origin: 0.10.2.2 kafka.server.ClientQuotaManager#shutdown
        """
        self.throttled_request_reaper.shutdown()


class ThrottledRequestReaper(ShutdownableThread):
    """Sends the responses whose delay is over.

    :origin: 0.10.2.2 kafka.server.ClientQuotaManager.ThrottledRequestReaper
    """

    _CONTINUES_AFTER_ERROR = True

    def __init__(self, delay_queue: DelayQueue[ThrottledResponse], api_key: str,
                 delay_queue_sensor: Sensor) -> None:
        super().__init__(f"ThrottledRequestReaper-{api_key}", False)
        self._delay_queue = delay_queue
        self._delay_queue_sensor = delay_queue_sensor

    def do_work(self) -> None:
        """Wait for a response whose delay is over, for at most a second.

        :origin: 0.10.2.2 kafka.server.ClientQuotaManager.ThrottledRequestReaper#doWork
        """
        response = self._delay_queue.poll_timeout(_POLL_TIMEOUT_MS)
        if response is not None:
            self._delay_queue_sensor.record(-1)
            log.trace("response throttled for %d ms", response.throttle_time_ms)
            response.execute()
