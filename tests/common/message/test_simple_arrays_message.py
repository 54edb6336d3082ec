# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's SimpleArraysMessageTest, and more lengths that lie."""

from __future__ import annotations


import pytest

from kreactor.common.message.envelope_request_data import EnvelopeRequestData
from kreactor.common.message.metadata_request_data import MetadataRequestData
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.common.message.sasl_authenticate_request_data import SaslAuthenticateRequestData
from kreactor.common.protocol.message import Message
from kreactor.jdk.exceptions import BufferUnderflowException, IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.message.simple_arrays_message_data import SimpleArraysMessageData
from tests.memory import at_most


def test_array_bounds_checking() -> None:
    with pytest.raises(RuntimeError, match="^Tried to allocate a collection of size 126, but there are only "
                                           "7 bytes remaining.$"):
        SimpleArraysMessageData.read(ByteBuffer.wrap(b"\x7f" + bytes(7)), 2)


def test_array_bounds_checking_other_array() -> None:
    with pytest.raises(RuntimeError, match="^Tried to allocate a collection of size 125, but there are only "
                                           "6 bytes remaining.$"):
        SimpleArraysMessageData.read(ByteBuffer.wrap(b"\x01\x7e" + bytes(6)), 2)


def huge(size: int) -> str:
    return f"Tried to allocate a collection of size {size}, but there are only 10 bytes remaining."


@pytest.mark.parametrize("message, version, data, error, text", [
    (MetadataRequestData, 4, b"\x7f\xff\xff\xff" + bytes(10), RuntimeError, huge(0x7FFFFFFF)),
    (MetadataRequestData, 9, b"\xff\xff\xff\xff\x07" + bytes(10), RuntimeError, huge(0x7FFFFFFE)),
    # As a signed number this is -1, and so null; then come two booleans and no tags.
    (MetadataRequestData, 9, b"\xff\xff\xff\xff\x0f" + bytes(4), None, "MetadataRequestData(topics=null, "),
    # The lowest int, less one, is the highest.
    (MetadataRequestData, 9, b"\x80\x80\x80\x80\x08" + bytes(10), RuntimeError, huge(0x7FFFFFFF)),
    (MetadataRequestData, 9, b"\xff\xff\xff\xff\xff\x01", IllegalArgumentException,
     "Varint is too long, the most significant bit in the 5th byte is set, converted value: ffffffff"),
    (MetadataRequestData, 9, b"\xff\xff\xff", BufferUnderflowException, ""),
    (MetadataRequestData, 9, b"\x02\xff\xff\x03" + bytes(10), RuntimeError,
     "string field name had invalid length 65534"),
    (MetadataRequestData, 9, b"\x02\x00" + bytes(10), RuntimeError,
     "non-nullable field name was serialized as null"),
    (MetadataRequestData, 9, b"\x02\x0bab", RuntimeError,
     "Error reading byte array of 10 byte(s): only 2 byte(s) available"),
    (MetadataRequestData, 0, b"\xff\xff\xff\xff", RuntimeError,
     "non-nullable field topics was serialized as null"),
    (MetadataRequestData, 0, b"\x00\x00\x00\x01\xff\xff", RuntimeError,
     "non-nullable field name was serialized as null"),
    (SaslAuthenticateRequestData, 0, b"\x7f\xff\xff\xff" + bytes(10), RuntimeError,
     "Error reading byte array of 2147483647 byte(s): only 10 byte(s) available"),
    (ProduceRequestData, 3, b"\xff\xff\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01t\x00\x00\x00\x01"
                            b"\x00\x00\x00\x00\x7f\xff\xff\xff\x00", IllegalArgumentException,
     "newLimit > capacity: (2147483647 > 1)"),
    (EnvelopeRequestData, 0, b"\xff\xff\xff\xff\x07" + bytes(10), IllegalArgumentException,
     "newLimit > capacity: (2147483646 > 10)"),
    # Two billion tagged fields are announced; the first is cut short.
    (RequestHeaderData, 2, bytes(8) + b"\xff\xff" + b"\xff\xff\xff\xff\x07", BufferUnderflowException, ""),
    (RequestHeaderData, 2, bytes(8) + b"\xff\xff" + b"\x01\x05\xff\xff\xff\xff\x0f", RuntimeError, "-1"),
    # An array of numbers is bounded by its own size, not only by its length.
    (MetadataResponseData, 0,
     bytes(4) + b"\x00\x00\x00\x01" + bytes(2) + b"\x00\x01t" + b"\x00\x00\x00\x01" + bytes(10)
     + b"\x00\x00\x00\x30" + bytes(100), BufferUnderflowException, ""),
])
def test_lengths_that_lie(message: type[Message], version: int, data: bytes,
                          error: type[Exception] | None, text: str) -> None:
    try:
        message.read(ByteBuffer.allocate(0), version)
    except BufferUnderflowException:
        pass
    with at_most(100_000):
        if error is None:
            assert str(message.read(ByteBuffer.wrap(data), version)).startswith(text)
        else:
            with pytest.raises(error) as caught:
                message.read(ByteBuffer.wrap(data), version)
            assert str(caught.value) == text
