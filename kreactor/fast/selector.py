# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector that writes the responses of a server before it selects.

*Fact.* A socket is nearly always ready for writes, and a response mostly leaves with one write.

*Consequence.* Kafka's poll has the kernel watch each socket for writes, selects, gives each channel a turn
that does nothing but write, and has the kernel stop watching: three system calls and a turn a response.

*Choice (D104).* Before it selects, a poll writes the sends that began since the last one. A send that leaves
at once is never watched for, because interest is told to the kernel by the next select. Any other is written
by the poll as in Kafka. Only muted channels take part, those that a server answers: nothing else than a write
can be due on them. A connection that is still being made is left to the poll. A channel whose write fails is
closed at once, as the poll does: a second write could succeed after an error that passes, such as ENOMEM, and
TLS does not know what the first one has taken.

*Cost.* A write that takes nothing where the socket is full. The time of the writes counts as time of the
select.

Owner: the thread of the selector.
"""

from __future__ import annotations

from typing import Any

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.selector import Selector
from kreactor.fast.nio_selector import LazyNioSelector
from kreactor.fast.sensor_feed import SensorFeed
from kreactor.jdk.nio_selector import SelectionKey

# How long the values of the selector's sensors are collected.
_SPAN_MS = 10


class FastSelector(Selector):
    """A selector with writes before the select, lazy interest (D103) and a feed of its sensors (D102)."""

    _nio_selector: LazyNioSelector

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As the base class."""
        super().__init__(*args, **kwargs)
        self._nio_selector.close()
        try:
            self._nio_selector = LazyNioSelector.open()
        except OSError as e:
            # Another thread has taken the descriptors of the first one.
            self._sensors.close()
            raise KafkaException(cause=e) from e
        sensors, feed = self._sensors, SensorFeed(_SPAN_MS)
        sensors.select_time = feed.feed(sensors.select_time)
        sensors.io_time = feed.feed(sensors.io_time)
        sensors.bytes_sent = feed.feed(sensors.bytes_sent)
        sensors.requests_sent = feed.feed(sensors.requests_sent)
        sensors.bytes_received = feed.feed(sensors.bytes_received)
        sensors.responses_received = feed.feed(sensors.responses_received)

    def _select(self, timeout_ms: int) -> int:
        # DEVIATION D104: the origin asks the kernel first.
        has_written = self._write_first()
        return super()._select(0 if has_written else timeout_ms)

    def _write_first(self) -> bool:
        """Write what has begun since the last select. Raises nothing for a channel.

        Returns whether a send is complete or a channel is closed.
        """
        has_closed = False
        for key in self._nio_selector.changed_keys(SelectionKey.OP_WRITE):
            channel: KafkaChannel | None = key.attachment()
            if (channel is None or not channel.has_send() or not channel.is_muted() or not channel.ready()
                    or not channel.is_connected()):
                continue
            start_time_nanos = self._time.nanoseconds()
            if self._idle_expiry_manager is not None:
                self._idle_expiry_manager.update(channel.id(), start_time_nanos)
            try:
                self.write(channel)
            except Exception as e:
                if channel.state() is ChannelState.NOT_CONNECTED:
                    channel.state_to(ChannelState.READY)  # as the poll does before a channel's first write
                desc = f"{channel.socket_description()} (channelId={channel.id()})"
                if isinstance(e, OSError):
                    self._log.debug("connection with %s disconnected", desc, exc=e)
                else:
                    self._log.warn("unexpected error from %s; closing connection", desc, exc=e)
                self._close_channel(channel, Selector.CloseMode.NOTIFY_ONLY)
                has_closed = True
            finally:
                self._maybe_record_time_per_connection(channel, start_time_nanos)
        return has_closed or bool(self._completed_sends)
