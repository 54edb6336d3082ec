# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's SendBuilderTest, and the whole of a response."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.send import Send
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.send_builder import SendBuilder
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.multi_records_send import MultiRecordsSend
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.unaligned_memory_records import UnalignedMemoryRecords
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.requests.response_header import ResponseHeader
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.requests.sends import sent


class OnDisk:
    """Records that must be a send of their own."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def size_in_bytes(self) -> int:
        return len(self.data)

    def to_send(self) -> Send:
        return ByteBufferSend(ByteBuffer.wrap(self.data))


def test_zero_copy_byte_buffer() -> None:
    zero_copy_buffer = ByteBuffer.wrap(bytearray(b"foo"))
    builder = SendBuilder(bytearray(), [])
    builder.write_int(5)
    builder.write_byte_buffer(zero_copy_buffer)
    builder.write_int(15)
    send = builder.build()
    # It is not a copy that goes out.
    zero_copy_buffer.put(b"bar")
    assert send.size() == 11
    assert sent(send) == b"\0\0\0\5bar\0\0\0\x0f"


def test_write_byte_buffer_respects_position() -> None:
    buffer = ByteBuffer.wrap(b"yolo")
    builder = SendBuilder(bytearray(), [])
    buffer.set_limit(2)
    builder.write_byte_buffer(buffer)
    assert buffer.position() == 0
    buffer.set_limit(4).set_position(2)
    builder.write_byte_buffer(buffer)
    assert buffer.position() == 2
    assert sent(builder.build()) == b"yolo"


def records_of(value: bytes) -> MemoryRecords:
    return MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=value))


def test_zero_copy_records() -> None:
    records = records_of(b"foo")
    overwritten = records_of(b"bar")
    send = SendBuilder.build_response_send(ResponseHeader.of(7, 1), fetch(records), 12)
    assert isinstance(send, ByteBufferSend)
    # Bytes in memory go out with their values at the time of the write.
    records.buffer().view()[:] = overwritten.buffer().view()
    assert sent(send) == expected(overwritten.buffer().to_bytes())


def test_zero_copy_unaligned_records() -> None:
    records = records_of(b"foo")
    overwritten = records_of(b"bar").buffer().to_bytes()
    half = records.size_in_bytes() // 2
    send = SendBuilder.build_response_send(ResponseHeader.of(7, 1), fetch(
        UnalignedMemoryRecords(records.buffer().duplicate().set_limit(half)),
        UnalignedMemoryRecords(records.buffer().duplicate().set_position(half))), 12)
    assert isinstance(send, ByteBufferSend)
    records.buffer().view()[:] = overwritten
    assert sent(send) == expected(overwritten[:half], overwritten[half:])


def test_records_in_a_file(tmp_path: Path) -> None:
    file_records = FileRecords.open(str(tmp_path / "0.log"))
    file_records.append(records_of(b"foo"))
    content = (tmp_path / "0.log").read_bytes()[:file_records.size_in_bytes()]
    send = SendBuilder.build_response_send(ResponseHeader.of(7, 1), fetch(
        file_records, b"memory", file_records.slice_unaligned(5, 50)), 12)
    assert isinstance(send, MultiRecordsSend)
    encoded = sent(send)
    assert encoded == expected(content, b"memory", content[5:55])
    assert send.size() == len(encoded)
    file_records.close()


def fetch(*records: object) -> FetchResponseData:
    return FetchResponseData(responses=[FetchResponseData.FetchableTopicResponse(topic="t", partitions=[
        FetchResponseData.PartitionData(partition_index=index, records=each)  # type: ignore[arg-type]
        for index, each in enumerate(records)])])


def expected(*records: bytes | None) -> bytes:
    return sent(SendBuilder.build_response_send(ResponseHeader.of(7, 1), fetch(*records), 12))


def test_records_on_disk_are_sends_between() -> None:
    first, second = OnDisk(b"first" * 50), OnDisk(b"second")
    send = SendBuilder.build_response_send(
        ResponseHeader.of(7, 1), fetch(first, b"in memory", second, None), 12)
    assert isinstance(send, MultiRecordsSend)
    # The part before, the two, the part between and the part after.
    assert send.num_resident_sends() == 5
    encoded = sent(send)
    assert send.size() == len(encoded)
    assert encoded == expected(first.data, b"in memory", second.data, None)
    assert int.from_bytes(encoded[:4], "big") == len(encoded) - 4
    assert FetchResponseData.read(ByteBuffer.wrap(encoded).set_position(9), 12) == fetch(
        ByteBuffer.wrap(first.data), ByteBuffer.wrap(b"in memory"), ByteBuffer.wrap(second.data), None)


def test_what_has_no_records_is_one_buffer() -> None:
    data = fetch(None, b"", ByteBuffer.allocate(0))
    send = SendBuilder.build_response_send(ResponseHeader.of(7, 1), data, 12)
    assert isinstance(send, ByteBufferSend)
    assert len(send._buffers) == 1
    assert sent(send) == expected(None, b"", b"")


def test_request_send() -> None:
    header = RequestHeader.of(ApiKeys.PRODUCE, 9, "client", 3)
    records = bytearray(b"batch")
    data = ProduceRequestData(topic_data=[ProduceRequestData.TopicProduceData(name="t", partition_data=[
        ProduceRequestData.PartitionProduceData(records=records)])])
    send = SendBuilder.build_request_send(header, data)
    records[:] = b"BATCH"
    encoded = ByteBuffer.wrap(sent(send))
    assert encoded.get_int() == encoded.remaining()
    assert RequestHeader.parse(encoded) == header
    read = ProduceRequestData.read(encoded, 9)
    assert not encoded.has_remaining()
    only = read.topic_data[0].partition_data[0].records
    assert isinstance(only, ByteBuffer) and only.to_bytes() == b"BATCH"
