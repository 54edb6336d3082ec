# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.ZstdCompression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""zstd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.compress.codecs import codec
from kreactor.common.compress.compression import Compression
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.io_streams import BufferedOutputStream, InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from kreactor.common.compress.zstd_input_stream import ZstdInputStream


class ZstdCompression(Compression):
    """zstd with a level.

    :origin: common.compress.ZstdCompression
    """

    __slots__ = ("_level",)

    # The levels of the library, repeated here because the library is imported only on first use.
    MIN_LEVEL = -131072
    MAX_LEVEL = 22
    DEFAULT_LEVEL = 3

    def __init__(self, level: int) -> None:
        """:origin: common.compress.ZstdCompression#ZstdCompression(int)"""
        self._level = level

    def type(self) -> CompressionType:
        """:origin: common.compress.ZstdCompression#type()"""
        return CompressionType.ZSTD

    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """:origin: common.compress.ZstdCompression#wrapForOutput(ByteBufferOutputStream, byte)"""
        zstandard = codec(CompressionType.ZSTD)
        from kreactor.common.compress.zstd_output_stream import ZstdOutputStream
        try:
            return BufferedOutputStream(ZstdOutputStream(buffer_stream, self._level), 16 * 1024)
        except zstandard.ZstdError as e:
            raise KafkaException(cause=e) from e

    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """:origin: common.compress.ZstdCompression#wrapForInput(ByteBuffer, byte, BufferSupplier)"""
        return ChunkedBytesStream(self.wrap_for_zstd_input(buffer, decompression_buffer_supplier),
                                  decompression_buffer_supplier, self.decompression_output_size(), False)

    @staticmethod
    def wrap_for_zstd_input(buffer: ByteBuffer,
                            decompression_buffer_supplier: BufferSupplier) -> ZstdInputStream:
        """Return the source stream of ``wrap_for_input``. Only tests call this.

        :origin: common.compress.ZstdCompression#wrapForZstdInput(ByteBuffer, BufferSupplier)
        """
        # DEVIATION D58: the supplier is not used. Java's library copies compressed data into its buffer; this
        # library reads the data in place.
        codec(CompressionType.ZSTD)
        from kreactor.common.compress.zstd_input_stream import ZstdInputStream
        return ZstdInputStream(buffer)

    def decompression_output_size(self) -> int:
        """:origin: common.compress.ZstdCompression#decompressionOutputSize()"""
        return 16 * 1024

    def __eq__(self, other: object) -> bool:
        """:origin: common.compress.ZstdCompression#equals(Object)"""
        return isinstance(other, ZstdCompression) and self._level == other._level

    def __hash__(self) -> int:
        """:origin: common.compress.ZstdCompression#hashCode()"""
        return hash(self._level)

    class Builder(Compression.Builder["ZstdCompression"]):
        """:origin: common.compress.ZstdCompression.Builder"""

        __slots__ = ("_level",)

        def __init__(self) -> None:
            self._level = ZstdCompression.DEFAULT_LEVEL

        def level(self, level: int) -> ZstdCompression.Builder:
            """Compress at ``level``. Raises IllegalArgumentException.

            :origin: common.compress.ZstdCompression.Builder#level(int)
            """
            if ZstdCompression.MAX_LEVEL < level or level < ZstdCompression.MIN_LEVEL:
                raise IllegalArgumentException(f"zstd doesn't support given compression level: {level}")

            self._level = level
            return self

        def build(self) -> ZstdCompression:
            """:origin: common.compress.ZstdCompression.Builder#build()"""
            return ZstdCompression(self._level)
