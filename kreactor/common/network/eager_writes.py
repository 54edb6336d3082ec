# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Writes the responses of a server before the select, without asking whether their sockets are ready.

This module is ours; it has no origin in Kafka.

*Fact.* A socket is nearly always ready for writes, and a response mostly leaves with one write.

*Consequence.* Kafka's poll has the kernel watch each socket for writes, selects, gives each channel a turn
that does nothing but write, and has the kernel stop watching: three system calls and a turn a response.

*Choice (D104).* Before it selects, a poll writes the sends that began since the last one. A send that leaves
at once is never watched for, because interest is told to the kernel by the next select. Any other is written
by the poll as in Kafka. Only muted channels take part, those that a server answers: nothing else than a write
can be due on them. A connection that is still being made is left to the poll. A channel whose write fails is
closed at once, as the poll does: a second write could succeed after an error that passes, such as ENOMEM, and
TLS does not know what the first one has taken.

*Cost.* A write that takes nothing where the socket is full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.idle_expiry_manager import IdleExpiryManager
from kreactor.common.utils.log_context import Logger
from kreactor.common.utils.time import Time
from kreactor.jdk import nio_selector

if TYPE_CHECKING:
    from kreactor.common.network.kafka_channel import KafkaChannel


class EagerWrites:
    """The writes before a select. Owned by the thread of the selector."""

    __slots__ = ("_nio_selector", "_time", "_idle_expiry_manager", "_write", "_close", "_record_time", "_log")

    def __init__(
        self,
        nio_selector: nio_selector.Selector,
        time: Time,
        idle_expiry_manager: IdleExpiryManager | None,
        write: Callable[[KafkaChannel], None],
        close: Callable[[KafkaChannel], None],
        record_time: Callable[[KafkaChannel, int], None],
        log: Logger,
    ) -> None:
        """``write`` writes on with a send, and ``close`` closes a channel whose write has failed.

        ``record_time`` is told since when (monotonic, ns) a write takes.
        """
        self._nio_selector = nio_selector
        self._time = time
        self._idle_expiry_manager = idle_expiry_manager
        self._write = write
        self._close = close
        self._record_time = record_time
        self._log = log

    def write(self) -> bool:
        """Write what has begun since the last select, as far as it goes. Raises nothing for a channel.

        Returns whether a channel is closed.
        """
        has_closed = False
        # DEVIATION D104: the origin asks the kernel first.
        for key in self._nio_selector.changed_keys(nio_selector.SelectionKey.OP_WRITE):
            channel: KafkaChannel | None = key.attachment()
            if (channel is None or not channel.has_send() or not channel.is_muted() or not channel.ready()
                    or not channel.is_connected()):
                continue
            start_time_nanos = self._time.nanoseconds()
            if self._idle_expiry_manager is not None:
                self._idle_expiry_manager.update(channel.id(), start_time_nanos)
            try:
                self._write(channel)
            except Exception as e:
                if channel.state() is ChannelState.NOT_CONNECTED:
                    channel.state_to(ChannelState.READY)  # as the poll does before a channel's first write
                desc = f"{channel.socket_description()} (channelId={channel.id()})"
                if isinstance(e, OSError):
                    self._log.debug("connection with %s disconnected", desc, exc=e)
                else:
                    self._log.warn("unexpected error from %s; closing connection", desc, exc=e)
                self._close(channel)
                has_closed = True
            finally:
                self._record_time(channel, start_time_nanos)
        return has_closed
