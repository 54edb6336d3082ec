# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Selectable of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The methods of a selector that clients and servers call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Collection, Mapping, Sequence

from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.jdk.net import InetSocketAddress


class Selectable(ABC):
    """Input and output over many channels without waiting on any one. Owned by one thread, but ``wakeup``.

    :origin: common.network.Selectable
    """

    USE_DEFAULT_BUFFER_SIZE = -1

    @abstractmethod
    def connect(
        self, id: str, address: InetSocketAddress, send_buffer_size: int, receive_buffer_size: int,
    ) -> None:
        """Begin to connect a channel called ``id``. Buffer sizes are in bytes. Raises OSError.

        :origin: common.network.Selectable#connect(String, InetSocketAddress, int, int)
        """

    @abstractmethod
    def wakeup(self) -> None:
        """End a ``poll`` that waits. Callable from any thread.

        :origin: common.network.Selectable#wakeup()
        """

    @abstractmethod
    def close(self) -> None:
        """Close the selector and all its channels.

        :origin: common.network.Selectable#close()
        """

    @abstractmethod
    def close_id(self, id: str) -> None:
        """Close one channel.

        :origin: common.network.Selectable#close(String)
        """

    @abstractmethod
    def send(self, send: NetworkSend) -> None:
        """Queue ``send``; the next polls write it.

        :origin: common.network.Selectable#send(NetworkSend)
        """

    @abstractmethod
    def poll(self, timeout: int) -> None:
        """Do what can be done, waiting up to ``timeout`` ms if there is nothing. Raises OSError.

        :origin: common.network.Selectable#poll(long)
        """

    @abstractmethod
    def completed_sends(self) -> Sequence[NetworkSend]:
        """Return the sends that the last poll finished.

        :origin: common.network.Selectable#completedSends()
        """

    @abstractmethod
    def completed_receives(self) -> Collection[NetworkReceive]:
        """Return the receives that the last poll finished, one a channel at the most.

        Their memory is the caller's to close, or to hand on.

        :origin: common.network.Selectable#completedReceives()
        """

    @abstractmethod
    def disconnected(self) -> Mapping[str, ChannelState]:
        """Return the channels that the last poll closed, with the state each was in.

        :origin: common.network.Selectable#disconnected()
        """

    @abstractmethod
    def connected(self) -> Sequence[str]:
        """Return the channels whose connection the last poll found established.

        :origin: common.network.Selectable#connected()
        """

    @abstractmethod
    def mute(self, id: str) -> None:
        """Stop reading from a channel.

        :origin: common.network.Selectable#mute(String)
        """

    @abstractmethod
    def unmute(self, id: str) -> None:
        """Read from a channel again.

        :origin: common.network.Selectable#unmute(String)
        """

    @abstractmethod
    def mute_all(self) -> None:
        """Stop reading from every channel.

        :origin: common.network.Selectable#muteAll()
        """

    @abstractmethod
    def unmute_all(self) -> None:
        """Read from every channel again.

        :origin: common.network.Selectable#unmuteAll()
        """

    @abstractmethod
    def is_channel_ready(self, id: str) -> bool:
        """Return whether a channel is connected and authenticated.

        :origin: common.network.Selectable#isChannelReady(String)
        """
