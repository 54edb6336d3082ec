# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.NoCompression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""No compression."""

from __future__ import annotations

from kreactor.common.compress.compression import Compression
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.io_streams import InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


class NoCompression(Compression):
    """Copies bytes without compression.

    :origin: common.compress.NoCompression
    :origin: common.compress.NoCompression#NoCompression()
    """

    __slots__ = ()

    def type(self) -> CompressionType:
        """:origin: common.compress.NoCompression#type()"""
        return CompressionType.NONE

    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """:origin: common.compress.NoCompression#wrapForOutput(ByteBufferOutputStream, byte)"""
        return buffer_stream

    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """:origin: common.compress.NoCompression#wrapForInput(ByteBuffer, byte, BufferSupplier)"""
        return ByteBufferInputStream(buffer)

    class Builder(Compression.Builder["NoCompression"]):
        """:origin: common.compress.NoCompression.Builder"""

        __slots__ = ()

        def build(self) -> NoCompression:
            """:origin: common.compress.NoCompression.Builder#build()"""
            return NoCompression()


Compression.NONE = Compression.none().build()
