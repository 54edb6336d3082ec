# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Helpers of the tests of codecs."""

from __future__ import annotations

from kreactor.common.compress.compression import Compression
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


def compressed(compression: Compression, data: bytes, magic: int = 2, step: int = 1 << 30) -> bytes:
    """Compress ``data``, so many bytes at a time."""
    buffer_stream = ByteBufferOutputStream(4)
    with compression.wrap_for_output(buffer_stream, magic) as out:
        for start in range(0, len(data), step):
            out.write(data[start:start + step])
        out.flush()
    return buffer_stream.buffer().flip().to_bytes()


def decompressed(compression: Compression, data: bytes, magic: int = 2, step: int = 5000) -> bytes:
    """Decompress ``data``, reading so many bytes at a time."""
    found = []
    with compression.wrap_for_input(ByteBuffer.wrap(data), magic, BufferSupplier.create()) as stream:
        while part := stream.read_n_bytes(step):
            found.append(part)
        assert stream.read() == -1
    return b"".join(found)
