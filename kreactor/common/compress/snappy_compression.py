# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.SnappyCompression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""snappy in the block format of snappy-java."""

from __future__ import annotations

from kreactor.common.compress.codecs import codec
from kreactor.common.compress.compression import Compression
from kreactor.common.compress.snappy_input_stream import SnappyInputStream
from kreactor.common.compress.snappy_output_stream import SnappyOutputStream
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.io_streams import InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


class SnappyCompression(Compression):
    """snappy. It has no levels.

    :origin: common.compress.SnappyCompression
    :origin: common.compress.SnappyCompression#SnappyCompression()
    """

    __slots__ = ()

    def type(self) -> CompressionType:
        """:origin: common.compress.SnappyCompression#type()"""
        return CompressionType.SNAPPY

    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """:origin: common.compress.SnappyCompression#wrapForOutput(ByteBufferOutputStream, byte)"""
        return SnappyOutputStream(buffer_stream, codec(CompressionType.SNAPPY))

    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """:origin: common.compress.SnappyCompression#wrapForInput(ByteBuffer, byte, BufferSupplier)"""
        snappy = codec(CompressionType.SNAPPY)
        try:
            return ChunkedBytesStream(SnappyInputStream(buffer, snappy), decompression_buffer_supplier,
                                      self.decompression_output_size(), False)
        except OSError as e:
            raise KafkaException(cause=e) from e

    def decompression_output_size(self) -> int:
        """:origin: common.compress.SnappyCompression#decompressionOutputSize()"""
        return 2 * 1024

    def __eq__(self, other: object) -> bool:
        """:origin: common.compress.SnappyCompression#equals(Object)"""
        return isinstance(other, SnappyCompression)

    def __hash__(self) -> int:
        """:origin: common.compress.SnappyCompression#hashCode()"""
        return hash(SnappyCompression)

    class Builder(Compression.Builder["SnappyCompression"]):
        """:origin: common.compress.SnappyCompression.Builder"""

        __slots__ = ()

        def build(self) -> SnappyCompression:
            """:origin: common.compress.SnappyCompression.Builder#build()"""
            return SnappyCompression()
