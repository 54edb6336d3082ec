# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.compress.Lz4BlockInputStream of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Decompresses a frame of lz4, block by block. Needs ``lz4``. The format is in Lz4BlockOutputStream."""

from __future__ import annotations

import struct

import lz4.block

from kreactor.common.compress.lz4_block_output_stream import (
    Lz4BlockOutputStream,
    descriptor_checksum,
    xxhash32,
)
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.jdk.io_streams import InputStream
from kreactor.jdk.nio_buffer import ByteBuffer

_UNSIGNED_INT_LE = struct.Struct("<I")
_INCOMPRESSIBLE_MASK = Lz4BlockOutputStream.LZ4_FRAME_INCOMPRESSIBLE_MASK


class Lz4BlockInputStream(InputStream):
    """Keeps one decompressed block. Used by one thread.

    :origin: common.compress.Lz4BlockInputStream
    """

    __slots__ = ("_in", "_position", "_ignore_flag_descriptor_checksum", "_flg", "_max_block_size",
                 "_decompressed", "_decompressed_position", "_finished")

    PREMATURE_EOS = "Stream ended prematurely"
    NOT_SUPPORTED = "Stream unsupported (invalid magic bytes)"
    BLOCK_HASH_MISMATCH = "Block checksum mismatch"
    DESCRIPTOR_HASH_MISMATCH = "Stream frame descriptor corrupted"

    def __init__(self, in_: ByteBuffer, buffer_supplier: BufferSupplier, ignore_flag_descriptor_checksum: bool
                 ) -> None:
        """Read the bytes between position and limit of ``in_``, whose position does not change.

        ``ignore_flag_descriptor_checksum`` skips the check of the descriptor's checksum, for the old kind.
        Raises OSError, or RuntimeError for an unsupported frame.

        :origin: common.compress.Lz4BlockInputStream#Lz4BlockInputStream(ByteBuffer, BufferSupplier, boolean)
        """
        # DEVIATION D58: the supplier is not used, because the library returns blocks in new memory.
        self._ignore_flag_descriptor_checksum = ignore_flag_descriptor_checksum
        self._in = in_.view()
        self._position = 0
        self._decompressed = memoryview(b"")
        self._decompressed_position = 0
        self._finished = False
        self._read_header()

    def ignore_flag_descriptor_checksum(self) -> bool:
        """Return whether the descriptor's checksum is ignored.

        :origin: common.compress.Lz4BlockInputStream#ignoreFlagDescriptorChecksum()
        """
        return self._ignore_flag_descriptor_checksum

    def _read_header(self) -> None:
        """Read the header before the blocks. Raises OSError, RuntimeError.

        :origin: common.compress.Lz4BlockInputStream#readHeader()
        """
        in_ = self._in
        if len(in_) < 6:
            raise OSError(self.PREMATURE_EOS)

        if Lz4BlockOutputStream.MAGIC != _UNSIGNED_INT_LE.unpack_from(in_)[0]:
            raise OSError(self.NOT_SUPPORTED)

        self._flg = Lz4BlockOutputStream.FLG.from_byte(in_[4])
        self._max_block_size = Lz4BlockOutputStream.BD.from_byte(in_[5]).get_block_maximum_size()

        position = 6
        if self._flg.is_content_size_set():
            if len(in_) < position + 8:
                raise OSError(self.PREMATURE_EOS)
            position += 8

        # DEVIATION D59: Java reads past the end of its buffer here, which does not raise an IOException.
        if len(in_) < position + 1:
            raise OSError(self.PREMATURE_EOS)
        self._position = position + 1

        if self._ignore_flag_descriptor_checksum:
            return

        if in_[position] != descriptor_checksum(bytes(in_[4:position])):
            raise OSError(self.DESCRIPTOR_HASH_MISMATCH)

    def _read_block(self) -> None:
        """Decompress the next block, or mark the end. Raises OSError.

        :origin: common.compress.Lz4BlockInputStream#readBlock()
        """
        in_ = self._in
        position = self._position
        remaining = len(in_) - position
        if remaining < 4:
            raise OSError(self.PREMATURE_EOS)

        block_size = _UNSIGNED_INT_LE.unpack_from(in_, position)[0]
        compressed = block_size & _INCOMPRESSIBLE_MASK == 0
        block_size &= ~_INCOMPRESSIBLE_MASK
        position += 4
        remaining -= 4

        if block_size == 0:
            self._finished = True
            # A checksum of the contents may follow. It is not verified.
            # DEVIATION D59: Java reads a missing checksum past the end of its buffer.
            if self._flg.is_content_checksum_set() and remaining < 4:
                raise OSError(self.PREMATURE_EOS)
            return
        elif block_size > self._max_block_size:
            raise OSError(f"Block size {block_size} exceeded max: {self._max_block_size}")

        if remaining < block_size:
            raise OSError(self.PREMATURE_EOS)

        end = position + block_size
        # A copy, because PyPy never frees memory whose memoryview was passed to an extension module.
        block = bytes(in_[position:end])
        if compressed:
            try:
                # The size limits the memory that the library allocates.
                decompressed = lz4.block.decompress(block, uncompressed_size=self._max_block_size)
            except lz4.block.LZ4BlockError as e:
                raise OSError(f"corrupt lz4 data: {e}") from e
            self._decompressed = memoryview(decompressed)
        else:
            self._decompressed = memoryview(block)
        self._decompressed_position = 0

        if self._flg.is_block_checksum_set():
            if len(in_) < end + 4:
                raise OSError(self.PREMATURE_EOS)
            if xxhash32(block) != _UNSIGNED_INT_LE.unpack_from(in_, end)[0]:
                raise OSError(self.BLOCK_HASH_MISMATCH)
            end += 4
        self._position = end

    def _has_block(self) -> bool:
        """Return whether data is available. Reads the next block if necessary. Raises OSError."""
        # DEVIATION D59: a block can be empty, which Java treats as the end of its buffer.
        while not self._finished and self.available() == 0:
            self._read_block()
        return not self._finished

    def read(self) -> int:
        """:origin: common.compress.Lz4BlockInputStream#read()"""
        if not self._has_block():
            return -1
        position = self._decompressed_position
        self._decompressed_position = position + 1
        return self._decompressed[position]

    def read_into(self, target: memoryview) -> int:
        """Fill ``target`` from one block.

        :origin: common.compress.Lz4BlockInputStream#read(byte[], int, int)
        """
        if not self._has_block():
            return -1
        length = min(len(target), self.available())

        position = self._decompressed_position
        end = position + length
        target[:length] = self._decompressed[position:end]
        self._decompressed_position = end
        return length

    def skip(self, count: int) -> int:
        """Skip bytes of one block.

        :origin: common.compress.Lz4BlockInputStream#skip(long)
        """
        if not self._has_block():
            return 0
        skipped = min(count, self.available())
        self._decompressed_position += skipped
        return skipped

    def available(self) -> int:
        """:origin: common.compress.Lz4BlockInputStream#available()"""
        return len(self._decompressed) - self._decompressed_position

    def close(self) -> None:
        """:origin: common.compress.Lz4BlockInputStream#close()"""
        self._finished = True
        self._in = self._decompressed = memoryview(b"")
        self._position = self._decompressed_position = 0
