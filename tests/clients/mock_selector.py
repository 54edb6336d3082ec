# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.test.MockSelector of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A Selectable without sockets, whose nodes do what a test says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from kreactor.common.errors import AuthenticationException
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.selectable import Selectable
from kreactor.common.utils.time import Time
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import ByteBufferChannel


@dataclass
class DelayedReceive:
    """A receive that comes once something has been sent to its source."""

    source: str
    receive: NetworkReceive


class MockSelector(Selectable):
    def __init__(self, time: Time, can_connect: Callable[[InetSocketAddress], bool] | None = None) -> None:
        self._time = time
        self._initiated_sends: list[NetworkSend] = []
        self._completed_sends: list[NetworkSend] = []
        self._completed_send_buffers: list[ByteBufferChannel] = []
        self._completed_receives: list[NetworkReceive] = []
        self._disconnected: dict[str, ChannelState] = {}
        self._connected: list[str] = []
        self._delayed_receives: list[DelayedReceive] = []
        self._can_connect = can_connect
        self._ready: set[str] = set()
        self.woken = 0
        self.closed = 0
        self.failure: OSError | None = None

    def connect(self, id: str, address: InetSocketAddress, send_buffer_size: int,
                receive_buffer_size: int) -> None:
        if self._can_connect is None or self._can_connect(address):
            self._connected.append(id)
            self._ready.add(id)

    def wakeup(self) -> None:
        self.woken += 1

    def close(self) -> None:
        self.closed += 1

    def close_id(self, id: str) -> None:
        self._remove_sends_for_node(id, self._completed_sends)
        self._remove_sends_for_node(id, self._initiated_sends)
        self._ready.discard(id)
        if id in self._connected:
            self._connected.remove(id)

    def server_connection_blocked(self, id: str) -> None:
        """Leave a connection in the making."""
        if id in self._connected:
            self._connected.remove(id)

    def server_disconnect(self, id: str) -> None:
        self._disconnected[id] = ChannelState.READY
        self.close_id(id)

    def server_authentication_failed(self, id: str) -> None:
        self._disconnected[id] = ChannelState(
            ChannelState.State.AUTHENTICATION_FAILED, AuthenticationException("Authentication failed"), None)
        self.close_id(id)

    def _remove_sends_for_node(self, id: str, sends: list[NetworkSend]) -> None:
        sends[:] = [send for send in sends if send.destination_id() != id]

    def clear(self) -> None:
        self._completed_sends.clear()
        self._completed_receives.clear()
        self._completed_send_buffers.clear()
        self._disconnected.clear()
        self._connected.clear()

    def send(self, send: NetworkSend) -> None:
        self._initiated_sends.append(send)

    def poll(self, timeout: int) -> None:
        if self.failure is not None:
            raise self.failure
        self._complete_initiated_sends()
        self._complete_delayed_receives()
        self._time.sleep(timeout)

    def _complete_initiated_sends(self) -> None:
        for send in self._initiated_sends:
            self._complete_send(send)
        self._initiated_sends.clear()

    def _complete_send(self, send: NetworkSend) -> None:
        discard_channel = ByteBufferChannel(send.size())
        while not send.completed():
            send.write_to(discard_channel)
        self._completed_sends.append(send)
        self._completed_send_buffers.append(discard_channel)

    def _complete_delayed_receives(self) -> None:
        for completed_send in self._completed_sends:
            for delayed_receive in list(self._delayed_receives):
                if delayed_receive.source == completed_send.destination_id():
                    self._completed_receives.append(delayed_receive.receive)
                    self._delayed_receives.remove(delayed_receive)

    def completed_sends(self) -> list[NetworkSend]:
        return self._completed_sends

    def completed_send_buffers(self) -> list[ByteBuffer]:
        """Return what was sent, a buffer a send, each at its start."""
        return [ByteBuffer.wrap(channel.content()) for channel in self._completed_send_buffers]

    def clear_completed_send_buffers(self) -> None:
        self._completed_send_buffers.clear()

    def completed_receives(self) -> list[NetworkReceive]:
        return self._completed_receives

    def complete_receive(self, receive: NetworkReceive) -> None:
        self._completed_receives.append(receive)

    def delayed_receive(self, receive: DelayedReceive) -> None:
        self._delayed_receives.append(receive)

    def disconnected(self) -> dict[str, ChannelState]:
        return self._disconnected

    def connected(self) -> list[str]:
        current_connected = list(self._connected)
        self._connected.clear()
        return current_connected

    def mute(self, id: str) -> None:
        pass

    def unmute(self, id: str) -> None:
        pass

    def mute_all(self) -> None:
        pass

    def unmute_all(self) -> None:
        pass

    def channel_not_ready(self, id: str) -> None:
        self._ready.discard(id)

    def is_channel_ready(self, id: str) -> bool:
        return id in self._ready

    def reset(self) -> None:
        self.clear()
        self._initiated_sends.clear()
        self._delayed_receives.clear()
