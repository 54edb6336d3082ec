# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ByteBufferInputStreamTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A stream of what a buffer holds."""

from __future__ import annotations

from kreactor.common.utils.byte_buffer_input_stream import ByteBufferInputStream
from kreactor.jdk.nio_buffer import ByteBuffer


def test_read_unsigned_int_from_input_stream() -> None:
    buffer = ByteBuffer.allocate(8)
    buffer.put(b"\x0a\x14\x1e")
    buffer.flip()
    b = bytearray(6)

    input_stream = ByteBufferInputStream(buffer)
    assert input_stream.available() == 3
    assert input_stream.read() == 10
    assert input_stream.read() == 20

    # Three are asked for, and one is left.
    assert input_stream.read_into(memoryview(b)[3:]) == 1
    assert b == b"\0\0\0\x1e\0\0"
    assert input_stream.read() == -1

    buffer.rewind()
    assert input_stream.read_into(memoryview(b)) == 3
    assert input_stream.read_into(memoryview(b)) == -1

    assert input_stream.read_into(memoryview(b)[:0]) == 0
    assert input_stream.read() == -1
