# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.NetworkSend of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A send with the id of the channel that it goes to."""

from __future__ import annotations

from kreactor.common.network.send import Send
from kreactor.common.network.transferable_channel import TransferableChannel
from kreactor.jdk.text import shown_text


class NetworkSend(Send):
    """Addresses a send to a channel of the selector.

    :origin: common.network.NetworkSend
    """

    __slots__ = ("_destination_id", "_send")

    def __init__(self, destination_id: str, send: Send) -> None:
        """:origin: common.network.NetworkSend#NetworkSend(String, Send)"""
        self._destination_id = destination_id
        self._send = send

    def progress(self) -> str:
        """Return the bytes written and the size, such as ``12/120``. Called by any thread.

        The bytes written are ``?`` for a send that does not count them. Not in Kafka; for ``repr``.
        """
        send = self._send
        remaining = getattr(send, "_remaining", None)
        written = getattr(send, "_total_written", "?") if remaining is None else send.size() - remaining
        return f"{written}/{send.size()}"

    def __repr__(self) -> str:
        return f"NetworkSend({shown_text(self._destination_id)}, {self.progress()})"

    def destination_id(self) -> str:
        """Return the id of the channel.

        :origin: common.network.NetworkSend#destinationId()
        """
        return self._destination_id

    def send(self) -> Send:
        """Return the send without its address.

        :origin: common.network.NetworkSend#send()
        """
        return self._send

    def completed(self) -> bool:
        """:origin: common.network.NetworkSend#completed()"""
        return self._send.completed()

    def write_to(self, channel: TransferableChannel) -> int:
        """:origin: common.network.NetworkSend#writeTo(TransferableChannel)"""
        return self._send.write_to(channel)

    def size(self) -> int:
        """:origin: common.network.NetworkSend#size()"""
        return self._send.size()
