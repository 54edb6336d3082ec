# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.ByteUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Numbers in the encodings of the record format and of the flexible protocol versions.

A varint has seven bits per byte, low bits first. A signed varint is zigzag encoded, so that small negative
numbers are short too. Arguments and results are Java's: signed values of 32 or 64 bits. A function whose name
says "unsigned" interprets them as unsigned.

A plain function works on a ByteBuffer and advances its position. For hot loops, a function with suffix
``_at`` works on a view and an offset: a read returns the value and the next offset, a write returns the next
offset. Functions with suffix ``_in`` and ``_out`` work on streams.
"""

from __future__ import annotations

import struct

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.io_streams import InputStream, OutputStream
from kreactor.jdk.nio_buffer import ByteBuffer

_DOUBLE = struct.Struct(">d")
_INT = struct.Struct(">i")
_INT_LE = struct.Struct("<i")
_UNSIGNED_INT = struct.Struct(">I")
_UNSIGNED_INT_LE = struct.Struct("<I")

_MASK_32 = 0xFFFFFFFF
_MASK_64 = 0xFFFFFFFFFFFFFFFF

# The number of bytes of a varint by the number of bits of its value.
_VARINT_SIZES = tuple(max(1, (bits + 6) // 7) for bits in range(65))


def _as_int(value: int) -> int:
    """Return the low 32 bits of ``value`` as a signed int."""
    return ((value & _MASK_32) ^ 0x80000000) - 0x80000000


def _as_long(value: int) -> int:
    """Return the low 64 bits of ``value`` as a signed number."""
    return ((value & _MASK_64) ^ 0x8000000000000000) - 0x8000000000000000


class ByteUtils:
    """Reads and writes numbers.

    :origin: common.utils.ByteUtils
    """

    EMPTY_BUF = ByteBuffer.wrap(b"")

    @staticmethod
    def read_unsigned_int(buffer: ByteBuffer) -> int:
        """Read 4 bytes as a number 0..2**32-1.

        :origin: common.utils.ByteUtils#readUnsignedInt(ByteBuffer)
        """
        return buffer.get_int() & _MASK_32

    @staticmethod
    def read_unsigned_int_index(buffer: ByteBuffer, index: int) -> int:
        """Read 4 bytes at ``index`` as 0..2**32-1; the position stays.

        :origin: common.utils.ByteUtils#readUnsignedInt(ByteBuffer, int)
        """
        return buffer.get_unsigned_int_at(index)

    @staticmethod
    def read_unsigned_int_le(in_: InputStream) -> int:
        """Read 4 bytes, low byte first, as a signed number. Bytes past the end count as 0xFF.

        :origin: common.utils.ByteUtils#readUnsignedIntLE(InputStream)
        """
        return _as_int(in_.read() | in_.read() << 8 | in_.read() << 16 | in_.read() << 24)

    @staticmethod
    def read_unsigned_int_le_at(buffer: bytes | bytearray | memoryview, offset: int) -> int:
        """Read 4 bytes at ``offset``, low byte first, as a signed number.

        :origin: common.utils.ByteUtils#readUnsignedIntLE(byte[], int)
        """
        return int(_INT_LE.unpack_from(buffer, offset)[0])

    @staticmethod
    def read_int_be(buffer: bytes | bytearray | memoryview, offset: int) -> int:
        """Read 4 bytes at ``offset``, high byte first, as a signed number.

        :origin: common.utils.ByteUtils#readIntBE(byte[], int)
        """
        return int(_INT.unpack_from(buffer, offset)[0])

    @staticmethod
    def write_unsigned_int_index(buffer: ByteBuffer, index: int, value: int) -> None:
        """Write the low 32 bits of ``value`` at ``index``; the position stays.

        :origin: common.utils.ByteUtils#writeUnsignedInt(ByteBuffer, int, long)
        """
        buffer.put_unsigned_int_at(index, value & _MASK_32)

    @staticmethod
    def write_unsigned_int(buffer: ByteBuffer, value: int) -> None:
        """Write the low 32 bits of ``value``.

        :origin: common.utils.ByteUtils#writeUnsignedInt(ByteBuffer, long)
        """
        buffer.put(_UNSIGNED_INT.pack(value & _MASK_32))

    @staticmethod
    def write_unsigned_int_le(out: OutputStream, value: int) -> None:
        """Write the low 32 bits of ``value``, the low byte first.

        :origin: common.utils.ByteUtils#writeUnsignedIntLE(OutputStream, int)
        """
        out.write(_UNSIGNED_INT_LE.pack(value & _MASK_32))

    @staticmethod
    def write_unsigned_int_le_at(buffer: bytearray | memoryview, offset: int, value: int) -> None:
        """Write the low 32 bits of ``value`` at ``offset``, the low byte first.

        :origin: common.utils.ByteUtils#writeUnsignedIntLE(byte[], int, int)
        """
        _UNSIGNED_INT_LE.pack_into(buffer, offset, value & _MASK_32)

    @staticmethod
    def read_unsigned_varint(buffer: ByteBuffer) -> int:
        """Read up to 5 bytes. As in Java, a value from 2**31 on is returned as a negative number.

        Raises IllegalArgumentException for more than 5 bytes, BufferUnderflowException at the end of the
        buffer.

        :origin: common.utils.ByteUtils#readUnsignedVarint(ByteBuffer)
        """
        tmp = buffer.get()
        if tmp >= 0:
            return tmp
        result = tmp & 127
        tmp = buffer.get()
        if tmp >= 0:
            return result | tmp << 7
        result |= (tmp & 127) << 7
        tmp = buffer.get()
        if tmp >= 0:
            return result | tmp << 14
        result |= (tmp & 127) << 14
        tmp = buffer.get()
        if tmp >= 0:
            return result | tmp << 21
        result |= (tmp & 127) << 21
        tmp = buffer.get()
        result = _as_int(result | tmp << 28)
        if tmp < 0:
            raise ByteUtils._illegal_varint_exception(result)
        return result

    @staticmethod
    def read_unsigned_varint_at(memory: memoryview, offset: int) -> tuple[int, int]:
        """Read as ``read_unsigned_varint`` does. Raises IndexError at the end of the data."""
        b = memory[offset]
        if b < 128:
            return b, offset + 1
        result = b & 127
        b = memory[offset + 1]
        if b < 128:
            return result | b << 7, offset + 2
        result |= (b & 127) << 7
        b = memory[offset + 2]
        if b < 128:
            return result | b << 14, offset + 3
        result |= (b & 127) << 14
        b = memory[offset + 3]
        if b < 128:
            return result | b << 21, offset + 4
        result |= (b & 127) << 21
        b = memory[offset + 4]
        result = (result | b << 28) & _MASK_32
        if b >= 128:
            raise ByteUtils._illegal_varint_exception(result)
        return (result - (1 << 32) if b & 8 else result), offset + 5

    @staticmethod
    def read_unsigned_varint_in(in_: InputStream) -> int:
        """Read as ``read_unsigned_varint`` does. Bytes past the end count as 0xFF.

        :origin: common.utils.ByteUtils#readUnsignedVarint(InputStream)
        """
        result = 0
        for shift in (0, 7, 14, 21):
            b = in_.read()
            if 0 <= b < 128:
                return result | b << shift
            result |= (b & 127) << shift
        b = in_.read()
        if b > 127:
            b -= 256
        result = _as_int(result | b << 28)
        if b < 0:
            raise ByteUtils._illegal_varint_exception(result)
        return result

    @staticmethod
    def read_varint(buffer: ByteBuffer) -> int:
        """Read up to 5 bytes as a signed number. Raises as ``read_unsigned_varint`` does.

        :origin: common.utils.ByteUtils#readVarint(ByteBuffer)
        """
        value = ByteUtils.read_unsigned_varint(buffer)
        if value < 0:
            value &= _MASK_32
        return (value >> 1) ^ -(value & 1)

    @staticmethod
    def read_varint_at(memory: memoryview, offset: int) -> tuple[int, int]:
        """Read as ``read_varint`` does. Raises IndexError at the end of the data."""
        b = memory[offset]
        if b < 128:
            return (b >> 1) ^ -(b & 1), offset + 1
        c = memory[offset + 1]
        if c < 128:
            value = b & 127 | c << 7
            return (value >> 1) ^ -(value & 1), offset + 2
        value, offset = ByteUtils.read_unsigned_varint_at(memory, offset)
        if value < 0:
            value &= _MASK_32
        return (value >> 1) ^ -(value & 1), offset

    @staticmethod
    def read_varint_in(in_: InputStream) -> int:
        """Read up to 5 bytes as a signed number. Raises IllegalArgumentException.

        :origin: common.utils.ByteUtils#readVarint(InputStream)
        """
        value = ByteUtils.read_unsigned_varint_in(in_) & _MASK_32
        return (value >> 1) ^ -(value & 1)

    @staticmethod
    def read_varlong_in(in_: InputStream) -> int:
        """Read up to 10 bytes as a signed number. Raises IllegalArgumentException.

        :origin: common.utils.ByteUtils#readVarlong(InputStream)
        """
        value = 0
        i = 0
        b = in_.read()
        while b & 0x80:
            value |= (b & 0x7F) << i
            i += 7
            if i > 63:
                raise ByteUtils._illegal_varlong_exception(value)
            b = in_.read()
        value = (value | b << i) & _MASK_64
        return (value >> 1) ^ -(value & 1)

    @staticmethod
    def read_varlong(buffer: ByteBuffer) -> int:
        """Read up to 10 bytes as a signed number.

        Raises IllegalArgumentException for more than 10 bytes, BufferUnderflowException at the end of the
        buffer.

        :origin: common.utils.ByteUtils#readVarlong(ByteBuffer)
        """
        raw = ByteUtils.read_unsigned_varlong(buffer) & _MASK_64
        return (raw >> 1) ^ -(raw & 1)

    @staticmethod
    def read_varlong_at(memory: memoryview, offset: int) -> tuple[int, int]:
        """Read as ``read_varlong`` does. Raises IndexError at the end of the data."""
        b = memory[offset]
        if b < 128:
            return (b >> 1) ^ -(b & 1), offset + 1
        c = memory[offset + 1]
        if c < 128:
            value = b & 127 | c << 7
            return (value >> 1) ^ -(value & 1), offset + 2
        value = 0
        i = 0
        while b & 0x80:
            value |= (b & 0x7F) << i
            i += 7
            if i > 63:
                raise ByteUtils._illegal_varlong_exception(value)
            offset += 1
            b = memory[offset]
        value = (value | b << i) & _MASK_64
        return (value >> 1) ^ -(value & 1), offset + 1

    @staticmethod
    def read_unsigned_varlong(buffer: ByteBuffer) -> int:
        """Read up to 10 bytes. A value from 2**63 on is returned as negative. Raises as ``read_varlong``.

        :origin: common.utils.ByteUtils#readUnsignedVarlong(ByteBuffer)
        """
        value = 0
        i = 0
        b = buffer.get()
        while b & 0x80:
            value |= (b & 0x7F) << i
            i += 7
            if i > 63:
                raise ByteUtils._illegal_varlong_exception(value)
            b = buffer.get()
        return _as_long(value | b << i)

    @staticmethod
    def read_double(buffer: ByteBuffer) -> float:
        """Read a double of 8 bytes.

        :origin: common.utils.ByteUtils#readDouble(ByteBuffer)
        """
        return float(_DOUBLE.unpack(buffer.get_bytes(8))[0])

    @staticmethod
    def write_unsigned_varint(value: int, buffer: ByteBuffer) -> None:
        """Write the low 32 bits of ``value`` in 1 to 5 bytes.

        :origin: common.utils.ByteUtils#writeUnsignedVarint(int, ByteBuffer)
        """
        value &= _MASK_32
        while value > 127:
            buffer.put_byte(value & 0x7F | 0x80)
            value >>= 7
        buffer.put_byte(value)

    @staticmethod
    def write_unsigned_varint_out(value: int, out: OutputStream) -> None:
        """Write the low 32 bits of ``value`` in 1 to 5 bytes.

        :origin: common.utils.ByteUtils#writeUnsignedVarint(int, DataOutput)
        """
        value &= _MASK_32
        while value > 127:
            out.write_byte(value & 0x7F | 0x80)
            value >>= 7
        out.write_byte(value)

    @staticmethod
    def write_varint_out(value: int, out: OutputStream) -> None:
        """Write a signed number in 1 to 5 bytes.

        :origin: common.utils.ByteUtils#writeVarint(int, DataOutput)
        """
        ByteUtils.write_unsigned_varint_out((value << 1) ^ (value >> 31), out)

    @staticmethod
    def write_varint(value: int, buffer: ByteBuffer) -> None:
        """Write a signed number in 1 to 5 bytes.

        :origin: common.utils.ByteUtils#writeVarint(int, ByteBuffer)
        """
        ByteUtils.write_unsigned_varint((value << 1) ^ (value >> 31), buffer)

    @staticmethod
    def write_varlong_out(value: int, out: OutputStream) -> None:
        """Write a signed number in 1 to 10 bytes.

        :origin: common.utils.ByteUtils#writeVarlong(long, DataOutput)
        """
        v = ((value << 1) ^ (value >> 63)) & _MASK_64
        while v > 127:
            out.write_byte(v & 0x7F | 0x80)
            v >>= 7
        out.write_byte(v)

    @staticmethod
    def write_varlong(value: int, buffer: ByteBuffer) -> None:
        """Write a signed number in 1 to 10 bytes.

        :origin: common.utils.ByteUtils#writeVarlong(long, ByteBuffer)
        """
        ByteUtils.write_unsigned_varlong((value << 1) ^ (value >> 63), buffer)

    @staticmethod
    def write_unsigned_varlong(v: int, buffer: ByteBuffer) -> None:
        """Write the low 64 bits of ``v`` in 1 to 10 bytes.

        :origin: common.utils.ByteUtils#writeUnsignedVarlong(long, ByteBuffer)
        """
        v &= _MASK_64
        while v > 127:
            buffer.put_byte(v & 0x7F | 0x80)
            v >>= 7
        buffer.put_byte(v)

    @staticmethod
    def write_double(value: float, buffer: ByteBuffer) -> None:
        """Write a double of 8 bytes.

        :origin: common.utils.ByteUtils#writeDouble(double, ByteBuffer)
        """
        buffer.put(_DOUBLE.pack(value))

    @staticmethod
    def size_of_unsigned_varint(value: int) -> int:
        """Return the number of bytes that ``write_unsigned_varint`` writes.

        :origin: common.utils.ByteUtils#sizeOfUnsignedVarint(int)
        """
        return _VARINT_SIZES[(value & _MASK_32).bit_length()]

    @staticmethod
    def size_of_varint(value: int) -> int:
        """Return the number of bytes that ``write_varint`` writes.

        :origin: common.utils.ByteUtils#sizeOfVarint(int)
        """
        return _VARINT_SIZES[((value << 1) ^ (value >> 31)).bit_length()]

    @staticmethod
    def size_of_varlong(value: int) -> int:
        """Return the number of bytes that ``write_varlong`` writes.

        :origin: common.utils.ByteUtils#sizeOfVarlong(long)
        """
        return _VARINT_SIZES[((value << 1) ^ (value >> 63)).bit_length()]

    @staticmethod
    def size_of_unsigned_varlong(v: int) -> int:
        """Return the number of bytes that ``write_unsigned_varlong`` writes.

        :origin: common.utils.ByteUtils#sizeOfUnsignedVarlong(long)
        """
        return _VARINT_SIZES[(v & _MASK_64).bit_length()]

    @staticmethod
    def _illegal_varint_exception(value: int) -> IllegalArgumentException:
        """Return the exception for a varint of more than 5 bytes.

        :origin: common.utils.ByteUtils#illegalVarintException(int)
        """
        return IllegalArgumentException(
            "Varint is too long, the most significant bit in the 5th byte is set, "
            f"converted value: {value & _MASK_32:x}")

    @staticmethod
    def _illegal_varlong_exception(value: int) -> IllegalArgumentException:
        """Return the exception for a varlong of more than 10 bytes.

        :origin: common.utils.ByteUtils#illegalVarlongException(long)
        """
        return IllegalArgumentException(
            "Varlong is too long, most significant bit in the 10th byte is set, "
            f"converted value: {value & _MASK_64:x}")
