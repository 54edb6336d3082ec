# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selector.IdleExpiryManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python, in a module of its own.
"""Which connection has been idle for longest, and whether that is too long.

Owner: the selector's thread.

Connections stand in the order of their last activity, oldest first. One is expired a poll at the most,
and the first is not looked at again before the time at which it could expire at the earliest: the
common case costs one comparison.
"""

from __future__ import annotations

from collections import OrderedDict

from kreactor.common.utils.time import Time


class IdleExpiryManager:
    """Connections by their last activity. All times are in nanoseconds on the monotonic clock.

    :origin: common.network.Selector.IdleExpiryManager
    """

    __slots__ = ("_lru_connections", "_connections_max_idle_nanos", "_next_idle_close_check_time")

    def __init__(self, time: Time, connections_max_idle_ms: int) -> None:
        """:origin: common.network.Selector.IdleExpiryManager#IdleExpiryManager(Time, long)"""
        self._connections_max_idle_nanos = connections_max_idle_ms * 1000 * 1000
        self._lru_connections: OrderedDict[str, int] = OrderedDict()
        self._next_idle_close_check_time = time.nanoseconds() + self._connections_max_idle_nanos

    def update(self, connection_id: str, current_time_nanos: int) -> None:
        """Note that a connection was active, and make it the last of all.

        :origin: common.network.Selector.IdleExpiryManager#update(String, long)
        """
        self._lru_connections[connection_id] = current_time_nanos
        # Java's map orders by access; ours leaves a key that is there already in its place.
        self._lru_connections.move_to_end(connection_id)

    def poll_expired_connection(self, current_time_nanos: int) -> tuple[str, int] | None:
        """Return the oldest connection and its last activity if it is expired, else None. It stays listed.

        :origin: common.network.Selector.IdleExpiryManager#pollExpiredConnection(long)
        """
        if current_time_nanos <= self._next_idle_close_check_time:
            return None

        if not self._lru_connections:
            self._next_idle_close_check_time = current_time_nanos + self._connections_max_idle_nanos
            return None

        oldest_connection_entry = next(iter(self._lru_connections.items()))
        connection_last_active_time = oldest_connection_entry[1]
        self._next_idle_close_check_time = connection_last_active_time + self._connections_max_idle_nanos

        if current_time_nanos > self._next_idle_close_check_time:
            return oldest_connection_entry
        return None

    def remove(self, connection_id: str) -> None:
        """Forget a connection, if it is listed.

        :origin: common.network.Selector.IdleExpiryManager#remove(String)
        """
        self._lru_connections.pop(connection_id, None)
