# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.Lz4Compression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""lz4, in frames."""

from __future__ import annotations

from kreactor.common.compress.codecs import codec
from kreactor.common.compress.compression import Compression
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.io_streams import InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


class Lz4Compression(Compression):
    """lz4 with a level. The default level uses the fast compressor.

    :origin: common.compress.Lz4Compression
    """

    __slots__ = ("_level",)

    # The levels of lz4-java. The library here treats levels above 12 as 12.
    MIN_LEVEL = 1
    MAX_LEVEL = 17
    DEFAULT_LEVEL = 9

    def __init__(self, level: int) -> None:
        """:origin: common.compress.Lz4Compression#Lz4Compression(int)"""
        self._level = level

    def type(self) -> CompressionType:
        """:origin: common.compress.Lz4Compression#type()"""
        return CompressionType.LZ4

    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """:origin: common.compress.Lz4Compression#wrapForOutput(ByteBufferOutputStream, byte)"""
        codec(CompressionType.LZ4)
        from kreactor.common.compress.lz4_block_output_stream import Lz4BlockOutputStream
        try:
            return Lz4BlockOutputStream(
                buffer_stream, self._level,
                use_broken_flag_descriptor_checksum=message_version == RecordBatch.MAGIC_VALUE_V0)
        except (OSError, RuntimeError) as e:
            raise KafkaException(cause=e) from e

    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """:origin: common.compress.Lz4Compression#wrapForInput(ByteBuffer, byte, BufferSupplier)"""
        codec(CompressionType.LZ4)
        from kreactor.common.compress.lz4_block_input_stream import Lz4BlockInputStream
        try:
            return ChunkedBytesStream(
                Lz4BlockInputStream(buffer, decompression_buffer_supplier,
                                    message_version == RecordBatch.MAGIC_VALUE_V0),
                decompression_buffer_supplier, self.decompression_output_size(), True)
        except (OSError, RuntimeError) as e:
            raise KafkaException(cause=e) from e

    def decompression_output_size(self) -> int:
        """:origin: common.compress.Lz4Compression#decompressionOutputSize()"""
        return 2 * 1024

    def __eq__(self, other: object) -> bool:
        """:origin: common.compress.Lz4Compression#equals(Object)"""
        return isinstance(other, Lz4Compression) and self._level == other._level

    def __hash__(self) -> int:
        """:origin: common.compress.Lz4Compression#hashCode()"""
        return hash(self._level)

    class Builder(Compression.Builder["Lz4Compression"]):
        """:origin: common.compress.Lz4Compression.Builder"""

        __slots__ = ("_level",)

        def __init__(self) -> None:
            self._level = Lz4Compression.DEFAULT_LEVEL

        def level(self, level: int) -> Lz4Compression.Builder:
            """Compress at ``level``. Raises IllegalArgumentException.

            :origin: common.compress.Lz4Compression.Builder#level(int)
            """
            if level < Lz4Compression.MIN_LEVEL or Lz4Compression.MAX_LEVEL < level:
                raise IllegalArgumentException(f"lz4 doesn't support given compression level: {level}")

            self._level = level
            return self

        def build(self) -> Lz4Compression:
            """:origin: common.compress.Lz4Compression.Builder#build()"""
            return Lz4Compression(self._level)
