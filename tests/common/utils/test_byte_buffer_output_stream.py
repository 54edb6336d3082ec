# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's ByteBufferOutputStreamTest."""

from __future__ import annotations

from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.nio_buffer import ByteBuffer


def assert_expanded(output: ByteBufferOutputStream, initial_buffer: ByteBuffer) -> None:
    assert output.position() == 32
    assert initial_buffer.position() == 0 and initial_buffer.limit() == 16
    assert output.initial_capacity() == 16
    buffer = output.buffer()
    assert buffer is not initial_buffer
    assert buffer.limit() == output.limit() == 32
    assert output.remaining() == 0
    assert buffer.set_position(0).set_limit(5).to_bytes() == b"hello"
    output.close()


def test_expand_byte_buffer_on_position_increase() -> None:
    initial_buffer = ByteBuffer.allocate(16)
    output = ByteBufferOutputStream(initial_buffer)
    output.write(b"hello")
    output.set_position(32)
    assert_expanded(output, initial_buffer)


def test_expand_byte_buffer_on_write() -> None:
    initial_buffer = ByteBuffer.allocate(16)
    output = ByteBufferOutputStream(initial_buffer)
    output.write(b"hello")
    output.write(bytes(27))
    assert_expanded(output, initial_buffer)


def test_write_byte_buffer() -> None:
    value = 234239230
    input_ = ByteBuffer.allocate(16).put_long(value).flip()
    output = ByteBufferOutputStream(ByteBuffer.allocate(32))
    output.write_buffer(input_)
    assert input_.position() == output.position() == 8
    assert output.buffer().get_long_at(0) == value


# -- ours ----------------------------------------------------------------------------------------------------


def test_the_first_buffer_is_left_where_it_was() -> None:
    initial_buffer = ByteBuffer.allocate(16).set_position(3)
    output = ByteBufferOutputStream(initial_buffer)
    for _ in range(14):
        output.write_byte(200)
    assert initial_buffer.position() == 3
    assert output.buffer().limit() == 17
    assert bytes(output.buffer()._memory[3:]) == b"\xc8" * 14
    output.ensure_remaining(100)
    assert output.remaining() >= 100 and output.position() == 17
