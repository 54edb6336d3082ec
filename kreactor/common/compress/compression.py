# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.Compression of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Codecs: streams that compress and decompress the records of a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from kreactor.common.record.compression_type import CompressionType
from kreactor.jdk.exceptions import UnsupportedOperationException

if TYPE_CHECKING:
    from kreactor.common.compress.gzip_compression import GzipCompression
    from kreactor.common.compress.lz4_compression import Lz4Compression
    from kreactor.common.compress.no_compression import NoCompression
    from kreactor.common.compress.snappy_compression import SnappyCompression
    from kreactor.common.compress.zstd_compression import ZstdCompression
    from kreactor.common.utils.buffer_supplier import BufferSupplier
    from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
    from kreactor.jdk.io_streams import InputStream, OutputStream
    from kreactor.jdk.nio_buffer import ByteBuffer

T_co = TypeVar("T_co", bound="Compression", covariant=True)


class Compression(ABC):
    """A codec and its level. Immutable; each stream is used by one thread.

    A stream raises OSError for bytes that it cannot decompress.

    :origin: common.compress.Compression
    """

    __slots__ = ()

    @abstractmethod
    def type(self) -> CompressionType:
        """Return the type of the codec.

        :origin: common.compress.Compression#type()
        """

    @abstractmethod
    def wrap_for_output(self, buffer_stream: ByteBufferOutputStream, message_version: int) -> OutputStream:
        """Return a stream that compresses into ``buffer_stream`` in the format of the magic.

        Raises KafkaException, or UnsupportedCompressionTypeException if the codec is not installed.

        :origin: common.compress.Compression#wrapForOutput(ByteBufferOutputStream, byte)
        """

    @abstractmethod
    def wrap_for_input(self, buffer: ByteBuffer, message_version: int,
                       decompression_buffer_supplier: BufferSupplier) -> InputStream:
        """Return a stream that decompresses ``buffer`` on demand.

        Raises KafkaException for an invalid header, or UnsupportedCompressionTypeException if the codec is
        not installed.

        :origin: common.compress.Compression#wrapForInput(ByteBuffer, byte, BufferSupplier)
        """

    def decompression_output_size(self) -> int:
        """Return the size of the buffer for decompressed data, in bytes.

        :origin: common.compress.Compression#decompressionOutputSize()
        """
        raise UnsupportedOperationException("Size of decompression buffer is not defined for this "
                                            f"compression type={self.type()._name}")

    class Builder(ABC, Generic[T_co]):
        """Builds a codec with an optional level.

        :origin: common.compress.Compression.Builder
        """

        __slots__ = ()

        @abstractmethod
        def build(self) -> T_co:
            """Return the codec.

            :origin: common.compress.Compression.Builder#build()
            """

    @staticmethod
    def of_name(compression_name: str) -> Compression.Builder[Compression]:
        """Return the builder of the codec named ``compression_name``. Raises IllegalArgumentException.

        :origin: common.compress.Compression#of(String)
        """
        return Compression.of(CompressionType.for_name(compression_name))

    @staticmethod
    def of(compression_type: CompressionType) -> Compression.Builder[Compression]:
        """Return the builder of a codec.

        :origin: common.compress.Compression#of(CompressionType)
        """
        if compression_type is CompressionType.NONE:
            return Compression.none()
        elif compression_type is CompressionType.GZIP:
            return Compression.gzip()
        elif compression_type is CompressionType.SNAPPY:
            return Compression.snappy()
        elif compression_type is CompressionType.LZ4:
            return Compression.lz4()
        else:
            return Compression.zstd()

    NONE: ClassVar[NoCompression]

    # The codecs derive from this class, so their modules are imported on first use.

    @staticmethod
    def none() -> NoCompression.Builder:
        """Return the builder of no compression.

        :origin: common.compress.Compression#none()
        """
        from kreactor.common.compress.no_compression import NoCompression
        return NoCompression.Builder()

    @staticmethod
    def gzip() -> GzipCompression.Builder:
        """Return the builder of gzip.

        :origin: common.compress.Compression#gzip()
        """
        from kreactor.common.compress.gzip_compression import GzipCompression
        return GzipCompression.Builder()

    @staticmethod
    def snappy() -> SnappyCompression.Builder:
        """Return the builder of snappy.

        :origin: common.compress.Compression#snappy()
        """
        from kreactor.common.compress.snappy_compression import SnappyCompression
        return SnappyCompression.Builder()

    @staticmethod
    def lz4() -> Lz4Compression.Builder:
        """Return the builder of lz4.

        :origin: common.compress.Compression#lz4()
        """
        from kreactor.common.compress.lz4_compression import Lz4Compression
        return Lz4Compression.Builder()

    @staticmethod
    def zstd() -> ZstdCompression.Builder:
        """Return the builder of zstd.

        :origin: common.compress.Compression#zstd()
        """
        from kreactor.common.compress.zstd_compression import ZstdCompression
        return ZstdCompression.Builder()


# This import sets Compression.NONE. It imports the module, because in a circular import the class may not
# exist yet.
import kreactor.common.compress.no_compression  # noqa: E402, F401
