# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's MultiRecordsSendTest."""

from __future__ import annotations

import random
from collections import deque

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.record.lazy_down_conversion_records import LazyDownConversionRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.multi_records_send import MultiRecordsSend
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import ByteBufferChannel

CHUNKS = [random.Random(i).randbytes(32) for i in range(4)]


def sends() -> deque:
    return deque(ByteBufferSend(ByteBuffer.wrap(chunk)) for chunk in CHUNKS)


def test_sends_freed_after_writing() -> None:
    send = MultiRecordsSend(sends())
    assert send.size() == 4 * 32
    for i, chunk in enumerate(CHUNKS):
        assert send.num_resident_sends() == 4 - i
        out = ByteBufferChannel(32)
        send.write_to(out)
        assert out.content() == chunk
    assert send.num_resident_sends() == 0
    assert send.completed()


# -- ours ----------------------------------------------------------------------------------------------------


def test_all_that_fits_goes_in_one_call() -> None:
    send = MultiRecordsSend(sends(), 128)
    out = ByteBufferChannel(1000)
    assert send.write_to(out) == 128
    assert out.content() == b"".join(CHUNKS)
    assert str(send) == "MultiRecordsSend(size=128, totalWritten=128)"
    assert send.record_conversion_stats() is None
    with pytest.raises(KafkaException, match="cannot be invoked on a complete request"):
        send.write_to(out)


def test_a_wrong_size_is_logged(caplog) -> None:
    MultiRecordsSend(sends(), 127).write_to(ByteBufferChannel(1000))
    assert "expected 127, sent 128" in caplog.text


def test_conversion_is_counted() -> None:
    partition = TopicPartition("t", 3)
    lazy = LazyDownConversionRecords(
        partition, MemoryRecords.with_records(Compression.NONE, SimpleRecord(1), SimpleRecord(2)), 1, 0,
        Time.SYSTEM)
    send = MultiRecordsSend(deque((ByteBufferSend(ByteBuffer.wrap(b"head")), lazy.to_send())))
    while not send.completed():
        send.write_to(ByteBufferChannel(20))
    stats = send.record_conversion_stats()
    assert list(stats) == [partition]
    assert stats[partition].num_records_converted() == 2
    assert stats[partition].temporary_memory_bytes() > 0


class PendingChannel(ByteBufferChannel):
    """Takes everything at once and sends it when it is called again, as TLS does."""

    pending = True
    empty_writes = 0

    def write(self, src: ByteBuffer) -> int:
        if not src.has_remaining():
            self.empty_writes += 1
            self.pending = False
        return super().write(src)

    def has_pending_writes(self) -> bool:
        return self.pending


def test_pending_writes_hold_a_send_back() -> None:
    send = MemoryRecords.with_records(Compression.NONE, SimpleRecord(1)).to_send()
    channel = PendingChannel(1000)
    assert send.write_to(channel) == send.size()
    assert not send.completed() and channel.empty_writes == 1
    assert send.write_to(channel) == 0
    assert send.completed()
