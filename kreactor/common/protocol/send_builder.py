# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.protocol.SendBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Builds the send of a header and a message.

Copies per byte: one into the array of encoded fields, none for records and zero-copy bytes. Buffers are
gathered with the encoded fields. Records on disk get their own send.
"""

from __future__ import annotations

import struct
from collections import deque
from functools import cache
from typing import TYPE_CHECKING

from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.network.send import Send
    from kreactor.common.protocol.message import Message
    from kreactor.common.protocol.message_codec import Segment
    from kreactor.common.record.multi_records_send import MultiRecordsSend
    from kreactor.common.requests.request_header import RequestHeader
    from kreactor.common.requests.response_header import ResponseHeader

_SIZE = struct.Struct(">i")
_BYTES = (bytes, bytearray, memoryview)


@cache
def _multi_records_send() -> type[MultiRecordsSend]:
    """Return MultiRecordsSend. It is imported here because only a fetch from disk needs it."""
    from kreactor.common.record.multi_records_send import MultiRecordsSend
    return MultiRecordsSend


class SendBuilder:
    """Collects the segments of a send in order.

    :origin: common.protocol.SendBuilder
    """

    __slots__ = ("_segments", "_out")

    def __init__(self, out: bytearray, segments: list[Segment]) -> None:
        """Start with ``segments``, then ``out``. The builder owns both afterwards.

        :origin: common.protocol.SendBuilder#SendBuilder(int)
        """
        self._segments = segments
        self._out = out

    def write_int(self, val: int) -> None:
        """Append four bytes.

        :origin: common.protocol.SendBuilder#writeInt(int)
        """
        self._out += _SIZE.pack(val)

    def write_byte_buffer(self, buf: ByteBuffer) -> None:
        """Append the bytes between position and limit of ``buf`` without a copy.

        The position does not change.

        :origin: common.protocol.SendBuilder#writeByteBuffer(ByteBuffer)
        """
        self._segments += (self._out, buf.view())
        self._out = bytearray()

    def build(self) -> Send:
        """Return the send, which takes over the segments. Called once.

        :origin: common.protocol.SendBuilder#build()
        """
        out, segments = self._out, self._segments
        if not segments:
            size = len(out)
            return ByteBufferSend(ByteBuffer(memoryview(out), 0, size), size=size)
        segments.append(out)
        sends: deque[Send] = deque()
        size_of_sends = 0
        buffers: list[ByteBuffer] = []
        size_of_buffers = 0
        for segment in segments:
            if isinstance(segment, _BYTES):
                size = len(segment)
                if size:
                    buffers.append(ByteBuffer(memoryview(segment), 0, size))
                    size_of_buffers += size
            else:
                if buffers:
                    sends.append(ByteBufferSend(*buffers, size=size_of_buffers))
                    size_of_sends += size_of_buffers
                    buffers = []
                    size_of_buffers = 0
                send = segment.to_send()
                sends.append(send)
                size_of_sends += send.size()
        if buffers:
            sends.append(ByteBufferSend(*buffers, size=size_of_buffers))
        if len(sends) == 1:
            return sends[0]
        return _multi_records_send()(sends, size_of_sends + size_of_buffers)

    @staticmethod
    def build_request_send(header: RequestHeader, api_request: Message) -> Send:
        """Return a send of a request, preceded by its size, in the version of ``header``.

        Raises as ``Message.write``.

        :origin: common.protocol.SendBuilder#buildRequestSend(RequestHeader, Message)
        """
        return SendBuilder._build_send(
            header.data(), header.header_version(), api_request, header.api_version())

    @staticmethod
    def build_response_send(header: ResponseHeader, api_response: Message, api_version: int) -> Send:
        """Return a send of a response, preceded by its size. Raises as ``Message.write``.

        :origin: common.protocol.SendBuilder#buildResponseSend(ResponseHeader, Message, short)
        """
        return SendBuilder._build_send(header.data(), header.header_version(), api_response, api_version)

    @staticmethod
    def _build_send(header: Message, header_version: int, api_message: Message, api_version: int) -> Send:
        """Write header and message, then insert their total size at the front.

        :origin: common.protocol.SendBuilder#buildSend(Message, short, Message, short)
        """
        segments: list[Segment] = []
        first = bytearray(4)
        out = header.write(first, header_version, segments)
        out = api_message.write(out, api_version, segments)
        send = SendBuilder(out, segments).build()
        _SIZE.pack_into(first, 0, send.size() - 4)
        return send
