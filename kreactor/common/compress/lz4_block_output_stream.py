# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.Lz4BlockOutputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Compresses to a frame of lz4. Needs ``lz4``.

==========  ==============================================================================
bytes       field, numbers little-endian
==========  ==============================================================================
4           magic
1, 1        FLG and BD: the frame's features, and the maximum size of its blocks
1           checksum of the two
4, n        size of a block, the top bit set if it is not compressed, and the block
            ... more blocks
4           0: the end
==========  ==============================================================================

Old clients compute the checksum of the descriptor over the frame's magic, too. Records of magic 0 keep this.
"""

from __future__ import annotations

import functools
import struct

import lz4.block
import lz4.frame

from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.io_streams import OutputStream
from kreactor.jdk.nio_buffer import BytesLike

_UNSIGNED_INT_LE = struct.Struct("<I")


def xxhash32(data: BytesLike) -> int:
    """Return the XXH32 of ``data`` with seed 0.

    The package exposes this hash only as a frame's content checksum, its last 4 bytes.
    """
    frame = lz4.frame.compress(data, content_checksum=True, store_size=False)
    return int(_UNSIGNED_INT_LE.unpack_from(frame, len(frame) - 4)[0])


@functools.lru_cache(64)
def descriptor_checksum(descriptor: bytes) -> int:
    """Return the one-byte checksum of a descriptor. Cached, because few descriptors exist."""
    return xxhash32(descriptor) >> 8 & 0xFF


class Lz4BlockOutputStream(OutputStream):
    """Writes independent blocks of up to 64 KB by default. Used by one thread.

    :origin: common.compress.Lz4BlockOutputStream
    """

    __slots__ = ("_use_broken_flag_descriptor_checksum", "_mode", "_flg", "_bd", "_max_block_size", "_out",
                 "_buffer", "_finished")

    MAGIC = 0x184D2204
    LZ4_FRAME_INCOMPRESSIBLE_MASK = 0x80000000
    CLOSED_STREAM = "The stream is already closed"
    BLOCKSIZE_64KB = 4

    def __init__(self, out: OutputStream, level: int, *, block_size: int = BLOCKSIZE_64KB,
                 block_checksum: bool = False, use_broken_flag_descriptor_checksum: bool = False) -> None:
        """Compress into ``out``, which ``close`` leaves open. ``block_size`` is from 4, 64 KB, to 7, 4 MB.

        Raises RuntimeError for another ``block_size``, or OSError.

        :origin: common.compress.Lz4BlockOutputStream#Lz4BlockOutputStream(OutputStream, int, int, boolean, boolean)
        :origin: common.compress.Lz4BlockOutputStream#Lz4BlockOutputStream(OutputStream, int, boolean)
        """  # noqa: E501  # noqa: E501
        self._out: OutputStream | None = out
        # The level selects one of two compressors. Only the second one has levels.
        self._mode: dict[str, str | int] = (
            {"mode": "default"} if level == Lz4Compression.DEFAULT_LEVEL
            else {"mode": "high_compression", "compression": level})
        self._use_broken_flag_descriptor_checksum = use_broken_flag_descriptor_checksum
        self._bd = self.BD(block_size)
        self._flg = self.FLG(block_checksum)
        self._max_block_size = self._bd.get_block_maximum_size()
        self._buffer = bytearray()
        self._finished = False
        self._write_header()

    def use_broken_flag_descriptor_checksum(self) -> bool:
        """Return whether the descriptor's checksum is of the old kind.

        :origin: common.compress.Lz4BlockOutputStream#useBrokenFlagDescriptorChecksum()
        """
        return self._use_broken_flag_descriptor_checksum

    def _write_header(self) -> None:
        """Write the header before the blocks.

        :origin: common.compress.Lz4BlockOutputStream#writeHeader()
        """
        header = _UNSIGNED_INT_LE.pack(self.MAGIC) + bytes((self._flg.to_byte(), self._bd.to_byte()))
        hash_ = descriptor_checksum(header if self._use_broken_flag_descriptor_checksum else header[4:])
        assert self._out is not None
        self._out.write(header + bytes((hash_,)))

    def _write_block(self, data: bytes) -> None:
        """Write a block, uncompressed if compression does not make it smaller.

        :origin: common.compress.Lz4BlockOutputStream#writeBlock()
        """
        if not data:
            return
        compressed = lz4.block.compress(data, store_size=False, **self._mode)
        compress_method = 0
        if len(compressed) >= len(data):
            compressed = data
            compress_method = self.LZ4_FRAME_INCOMPRESSIBLE_MASK

        assert self._out is not None
        self._out.write(_UNSIGNED_INT_LE.pack(len(compressed) | compress_method))
        self._out.write(compressed)

        if self._flg.is_block_checksum_set():
            self._out.write(_UNSIGNED_INT_LE.pack(xxhash32(compressed)))

    def _write_end_mark(self) -> None:
        """Write the end mark.

        :origin: common.compress.Lz4BlockOutputStream#writeEndMark()
        """
        assert self._out is not None
        self._out.write(_UNSIGNED_INT_LE.pack(0))

    def write_byte(self, value: int) -> None:
        """:origin: common.compress.Lz4BlockOutputStream#write(int)"""
        self.write(bytes((value & 0xFF,)))

    def write(self, data: BytesLike) -> None:
        """Compress ``data``. Raises IllegalStateException after ``close``.

        :origin: common.compress.Lz4BlockOutputStream#write(byte[], int, int)
        """
        self._ensure_not_finished()
        buffer = self._buffer
        buffer += data
        max_block_size = self._max_block_size
        # A full block is written with the next data.
        if len(buffer) > max_block_size:
            whole = (len(buffer) - 1) // max_block_size * max_block_size
            for start in range(0, whole, max_block_size):
                self._write_block(bytes(buffer[start:start + max_block_size]))
            del buffer[:whole]

    def flush(self) -> None:
        """:origin: common.compress.Lz4BlockOutputStream#flush()"""
        if not self._finished:
            self._write_block(bytes(self._buffer))
            self._buffer.clear()
        if self._out is not None:
            self._out.flush()

    def _ensure_not_finished(self) -> None:
        """Raises IllegalStateException after ``close``.

        :origin: common.compress.Lz4BlockOutputStream#ensureNotFinished()
        """
        if self._finished:
            raise IllegalStateException(self.CLOSED_STREAM)

    def close(self) -> None:
        """:origin: common.compress.Lz4BlockOutputStream#close()"""
        try:
            if not self._finished:
                self._write_block(bytes(self._buffer))
                self._write_end_mark()
        finally:
            out, self._out = self._out, None
            self._buffer.clear()
            self._finished = True
            if out is not None:
                out.flush()

    class FLG:
        """The first byte of the descriptor.

        :origin: common.compress.Lz4BlockOutputStream.FLG
        """

        __slots__ = ("_reserved", "_content_checksum", "_content_size", "_block_checksum",
                     "_block_independence", "_version")

        _VERSION = 1

        def __init__(self, block_checksum: bool, reserved: int = 0, content_checksum: int = 0,
                     content_size: int = 0, block_independence: int = 1, version: int = _VERSION) -> None:
            """Raises RuntimeError for unsupported values.

            :origin: common.compress.Lz4BlockOutputStream.FLG#FLG(boolean)
            :origin: common.compress.Lz4BlockOutputStream.FLG#FLG(int, int, int, int, int, int)
            """
            self._reserved = reserved
            self._content_checksum = content_checksum
            self._content_size = content_size
            self._block_checksum = 1 if block_checksum else 0
            self._block_independence = block_independence
            self._version = version
            self._validate()

        @staticmethod
        def from_byte(flg: int) -> Lz4BlockOutputStream.FLG:
            """Parse a byte. Raises RuntimeError.

            :origin: common.compress.Lz4BlockOutputStream.FLG#fromByte(byte)
            """
            reserved = flg & 3
            content_checksum = flg >> 2 & 1
            content_size = flg >> 3 & 1
            block_checksum = flg >> 4 & 1
            block_independence = flg >> 5 & 1
            version = flg >> 6 & 3
            return Lz4BlockOutputStream.FLG(bool(block_checksum), reserved, content_checksum, content_size,
                                            block_independence, version)

        def to_byte(self) -> int:
            """Return the byte, 0..255.

            :origin: common.compress.Lz4BlockOutputStream.FLG#toByte()
            """
            return (self._reserved & 3 | (self._content_checksum & 1) << 2 | (self._content_size & 1) << 3
                    | (self._block_checksum & 1) << 4 | (self._block_independence & 1) << 5
                    | (self._version & 3) << 6)

        def _validate(self) -> None:
            """Raises RuntimeError for unsupported values.

            :origin: common.compress.Lz4BlockOutputStream.FLG#validate()
            """
            if self._reserved != 0:
                raise RuntimeError("Reserved bits must be 0")
            if self._block_independence != 1:
                raise RuntimeError("Dependent block stream is unsupported")
            if self._version != self._VERSION:
                raise RuntimeError(f"Version {self._version} is unsupported")

        def is_content_checksum_set(self) -> bool:
            """Return whether a checksum of the contents follows the end mark.

            :origin: common.compress.Lz4BlockOutputStream.FLG#isContentChecksumSet()
            """
            return self._content_checksum == 1

        def is_content_size_set(self) -> bool:
            """Return whether the size of the contents is in the descriptor.

            :origin: common.compress.Lz4BlockOutputStream.FLG#isContentSizeSet()
            """
            return self._content_size == 1

        def is_block_checksum_set(self) -> bool:
            """Return whether a checksum follows each block.

            :origin: common.compress.Lz4BlockOutputStream.FLG#isBlockChecksumSet()
            """
            return self._block_checksum == 1

        def get_version(self) -> int:
            """Return the version of the format.

            :origin: common.compress.Lz4BlockOutputStream.FLG#getVersion()
            """
            return self._version

    class BD:
        """The second byte of the descriptor.

        :origin: common.compress.Lz4BlockOutputStream.BD
        """

        __slots__ = ("_reserved2", "_block_size_value", "_reserved3")

        def __init__(self, block_size_value: int, reserved2: int = 0, reserved3: int = 0) -> None:
            """Raises RuntimeError for unsupported values.

            :origin: common.compress.Lz4BlockOutputStream.BD#BD(int)
            :origin: common.compress.Lz4BlockOutputStream.BD#BD(int, int, int)
            """
            self._reserved2 = reserved2
            self._block_size_value = block_size_value
            self._reserved3 = reserved3
            self._validate()

        @staticmethod
        def from_byte(bd: int) -> Lz4BlockOutputStream.BD:
            """Parse a byte. Raises RuntimeError.

            :origin: common.compress.Lz4BlockOutputStream.BD#fromByte(byte)
            """
            reserved2 = bd & 15
            block_maximum_size = bd >> 4 & 7
            reserved3 = bd >> 7 & 1
            return Lz4BlockOutputStream.BD(block_maximum_size, reserved2, reserved3)

        def _validate(self) -> None:
            """Raises RuntimeError for unsupported values.

            :origin: common.compress.Lz4BlockOutputStream.BD#validate()
            """
            if self._reserved2 != 0:
                raise RuntimeError("Reserved2 field must be 0")
            if self._block_size_value < 4 or self._block_size_value > 7:
                raise RuntimeError("Block size value must be between 4 and 7")
            if self._reserved3 != 0:
                raise RuntimeError("Reserved3 field must be 0")

        def get_block_maximum_size(self) -> int:
            """Return the maximum size of a block's contents in bytes.

            :origin: common.compress.Lz4BlockOutputStream.BD#getBlockMaximumSize()
            """
            return 1 << (2 * self._block_size_value + 8)

        def to_byte(self) -> int:
            """Return the byte, 0..255.

            :origin: common.compress.Lz4BlockOutputStream.BD#toByte()
            """
            return self._reserved2 & 15 | (self._block_size_value & 7) << 4 | (self._reserved3 & 1) << 7
