# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.GzipCompression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""gzip, which Python includes."""

from __future__ import annotations

import zlib

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.gzip_input_stream import GZIPInputStream
from kreactor.common.compress.gzip_output_stream import GzipOutputStream
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.common.utils.chunked_bytes_stream import ChunkedBytesStream
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.io_streams import BufferedOutputStream, InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


class GzipCompression(Compression):
    """gzip with a level.

    :origin: common.compress.GzipCompression
    """

    __slots__ = ("_level",)

    MIN_LEVEL = zlib.Z_BEST_SPEED
    MAX_LEVEL = zlib.Z_BEST_COMPRESSION
    DEFAULT_LEVEL = zlib.Z_DEFAULT_COMPRESSION

    def __init__(self, level: int) -> None:
        """:origin: common.compress.GzipCompression#GzipCompression(int)"""
        self._level = level

    def type(self) -> CompressionType:
        """:origin: common.compress.GzipCompression#type()"""
        return CompressionType.GZIP

    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """:origin: common.compress.GzipCompression#wrapForOutput(ByteBufferOutputStream, byte)"""
        return BufferedOutputStream(GzipOutputStream(buffer_stream, self._level), 16 * 1024)

    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """:origin: common.compress.GzipCompression#wrapForInput(ByteBuffer, byte, BufferSupplier)"""
        try:
            return ChunkedBytesStream(GZIPInputStream(buffer), decompression_buffer_supplier,
                                      self.decompression_output_size(), False)
        except OSError as e:
            raise KafkaException(cause=e) from e

    def decompression_output_size(self) -> int:
        """:origin: common.compress.GzipCompression#decompressionOutputSize()"""
        return 16 * 1024

    def __eq__(self, other: object) -> bool:
        """:origin: common.compress.GzipCompression#equals(Object)"""
        return isinstance(other, GzipCompression) and self._level == other._level

    def __hash__(self) -> int:
        """:origin: common.compress.GzipCompression#hashCode()"""
        return hash(self._level)

    class Builder(Compression.Builder["GzipCompression"]):
        """:origin: common.compress.GzipCompression.Builder"""

        __slots__ = ("_level",)

        def __init__(self) -> None:
            self._level = GzipCompression.DEFAULT_LEVEL

        def level(self, level: int) -> GzipCompression.Builder:
            """Compress at ``level``. Raises IllegalArgumentException.

            :origin: common.compress.GzipCompression.Builder#level(int)
            """
            if ((level < GzipCompression.MIN_LEVEL or GzipCompression.MAX_LEVEL < level)
                    and level != GzipCompression.DEFAULT_LEVEL):
                raise IllegalArgumentException(f"gzip doesn't support given compression level: {level}")

            self._level = level
            return self

        def build(self) -> GzipCompression:
            """:origin: common.compress.GzipCompression.Builder#build()"""
            return GzipCompression(self._level)

    class LevelValidator(ConfigDef.Validator):
        """Accepts the levels of gzip.

        :origin: common.compress.GzipCompression.LevelValidator
        """

        def ensure_valid(self, name: str, value: object) -> None:
            """Raises ConfigException for an invalid level.

            :origin: common.compress.GzipCompression.LevelValidator#ensureValid(String, Object)
            """
            if value is None:
                raise ConfigException(name, None, "Value must be non-null")
            if not isinstance(value, int):
                raise TypeError(f"{name} is no number: {value}")
            if value > GzipCompression.MAX_LEVEL or (value < GzipCompression.MIN_LEVEL
                                                     and value != GzipCompression.DEFAULT_LEVEL):
                raise ConfigException(name, value, (
                    f"Value must be between {GzipCompression.MIN_LEVEL} and {GzipCompression.MAX_LEVEL} or "
                    f"equal to {GzipCompression.DEFAULT_LEVEL}"))

        def __str__(self) -> str:
            """:origin: common.compress.GzipCompression.LevelValidator#toString()"""
            return (f"[{GzipCompression.MIN_LEVEL},...,{GzipCompression.MAX_LEVEL}] or "
                    f"{GzipCompression.DEFAULT_LEVEL}")
