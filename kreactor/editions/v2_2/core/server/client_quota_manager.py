# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of parts of kafka.server.ClientQuotaManager of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The delay queue of throttled channels and its thread.

The quota managers of 3.8.0 have the quotas and the clients' usage, and compute the mute times. They have four
types of quota; this module has one queue for all.
"""

from __future__ import annotations

from collections.abc import Callable

from kreactor.common.metrics.metrics import Metrics
from kreactor.common.metrics.sensor import Sensor
from kreactor.common.metrics.stats.cumulative_sum import CumulativeSum
from kreactor.common.utils.time import Time
from kreactor.core.utils.logging import Logging
from kreactor.editions.v2_2.core.network.request_channel import Request, Response
from kreactor.editions.v2_2.core.server.throttled_channel import ThrottledChannel
from kreactor.jdk.delay_queue import DelayQueue
from kreactor.server.util.shutdownable_thread import ShutdownableThread

_POLL_TIMEOUT_MS = 1_000


class ClientQuotaManager(Logging):
    """Mutes channels. Called by any thread; owns its reaper thread, which ``shutdown`` stops.

    :origin: 2.2.2 kafka.server.ClientQuotaManager
    :origin: 2.2.2 kafka.server.ClientQuotaManager
    """

    def __init__(self, metrics: Metrics, quota_type: str, time: Time, thread_name_prefix: str) -> None:
        """Start the reaper thread; ``quota_type`` is part of the names of its thread and its metric."""
        self._time = time
        self._delay_queue: DelayQueue[ThrottledChannel] = DelayQueue()
        self._delay_queue_sensor = metrics.sensor(f"{quota_type}-delayQueue")
        self._delay_queue_sensor.add(metrics.metric_name(
            "queue-size", quota_type, "The channels that are muted for their quota"), CumulativeSum())
        self.throttled_channel_reaper = ThrottledChannelReaper(
            self._delay_queue, self._delay_queue_sensor, quota_type, thread_name_prefix)
        self._start()

    def _start(self) -> None:
        """:origin: 2.2.2 kafka.server.ClientQuotaManager#start"""
        self.throttled_channel_reaper.start()

    def throttle(
        self, request: Request, throttle_time_ms: int,
        channel_throttling_callback: Callable[[Response], None],
    ) -> None:
        """Mute a request's channel for a time; called before its response is sent.

        :origin: 2.2.2 kafka.server.ClientQuotaManager#throttle
        """
        if throttle_time_ms > 0:
            throttled_channel = ThrottledChannel(
                request, self._time, throttle_time_ms, channel_throttling_callback)
            self._delay_queue.offer(throttled_channel)
            self._delay_queue_sensor.record()
            self.debug("channel throttled: delay of %d ms", throttle_time_ms)

    def shutdown(self) -> None:
        """Stop the reaper thread; channels that are throttled then stay muted.

        :origin: 2.2.2 kafka.server.ClientQuotaManager#shutdown
        """
        self.throttled_channel_reaper.shutdown()


class ThrottledChannelReaper(ShutdownableThread):
    """Reports the end of throttlings.

    :origin: 2.2.2 kafka.server.ClientQuotaManager.ThrottledChannelReaper
    """

    _CONTINUES_AFTER_ERROR = True

    def __init__(self, delay_queue: DelayQueue[ThrottledChannel], delay_queue_sensor: Sensor, quota_type: str,
                 prefix: str) -> None:
        super().__init__(f"{prefix}ThrottledChannelReaper-{quota_type}", False)
        self._delay_queue = delay_queue
        self._delay_queue_sensor = delay_queue_sensor

    def do_work(self) -> None:
        """Wait for a channel whose throttling is over, for at most a second.

        :origin: 2.2.2 kafka.server.ClientQuotaManager.ThrottledChannelReaper#doWork
        """
        throttled_channel = self._delay_queue.poll_timeout(_POLL_TIMEOUT_MS)
        if throttled_channel is not None:
            self._delay_queue_sensor.record(-1)
            # The network thread unmutes the channel, unless a response is due.
            throttled_channel.notify_throttling_done()
