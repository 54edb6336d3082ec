# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's RecordsSerdeTest, and the types of records here."""

from __future__ import annotations

import pytest

from kreactor.common.protocol.message import Records, records_size
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.jdk.exceptions import UnsupportedOperationException
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.message.simple_records_message_data import SimpleRecordsMessageData

VERSIONS = (0, 1)


class OnDisk:
    """Records that are no bytes in memory."""

    def size_in_bytes(self) -> int:
        return 12

    def to_send(self) -> None:
        raise AssertionError("it is asked for when the whole is sent")


def round_trip(records: Records, version: int) -> ByteBuffer | None:
    message = SimpleRecordsMessageData(topic="foo", record_set=records)
    buffer = MessageUtil.to_byte_buffer(message, version)
    assert buffer.remaining() == message.serialized_size(version)
    read = SimpleRecordsMessageData.read(buffer, version)
    assert not buffer.has_remaining()
    assert read.record_set is None or isinstance(read.record_set, ByteBuffer)
    return read.record_set


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_records(version: int) -> None:
    for records in (b"foobar" * 100, bytearray(b"foobar" * 100), memoryview(b"foobar" * 100),
                    ByteBuffer.wrap(b"xx" + b"foobar" * 100).set_position(2)):
        read = round_trip(records, version)
        assert read is not None
        assert read.to_bytes() == b"foobar" * 100
        assert read.capacity() == 600
        assert records_size(records) == 600


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_null_records(version: int) -> None:
    assert SimpleRecordsMessageData(topic="foo").record_set is None
    assert round_trip(None, version) is None
    assert records_size(None) == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_serde_empty_records(version: int) -> None:
    for records in (b"", ByteBuffer.allocate(0)):
        read = round_trip(records, version)
        assert read is not None
        assert not read.has_remaining()


@pytest.mark.parametrize("version", VERSIONS)
def test_records_are_views_of_the_buffer_they_came_in(version: int) -> None:
    memory = bytearray(MessageUtil.to_byte_buffer(
        SimpleRecordsMessageData(topic="foo", record_set=b"abc"), version).to_bytes())
    read = SimpleRecordsMessageData.read(ByteBuffer.wrap(memory), version).record_set
    assert isinstance(read, ByteBuffer)
    memory[memory.index(b"abc")] = ord("x")
    assert read.to_bytes() == b"xbc"


@pytest.mark.parametrize("version", VERSIONS)
def test_records_on_disk_have_a_size_and_no_bytes(version: int) -> None:
    message = SimpleRecordsMessageData(topic="foo")
    message.record_set = OnDisk()  # type: ignore[assignment]  # it is what is needed of BaseRecords
    rest = SimpleRecordsMessageData(topic="foo", record_set=b"").serialized_size(version)
    assert message.serialized_size(version) == rest + 12
    with pytest.raises(UnsupportedOperationException, match="Unsupported record type class .*OnDisk"):
        MessageUtil.to_byte_buffer(message, version)
