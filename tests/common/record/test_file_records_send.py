# Licensed under the Apache License, Version 2.0; see LICENSE.

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.file_records_send import FileRecordsSend
from tests.common.record.batches import ByteBufferChannel
from tests.common.record.test_multi_records_send import PendingChannel

CONTENT = bytes(range(100))


@pytest.fixture
def records(tmp_path: Path) -> Iterator[FileRecords]:
    path = tmp_path / "records"
    path.write_bytes(CONTENT)
    opened = FileRecords.open(str(path))
    yield opened.slice(10, 80)
    opened.close()


@pytest.mark.parametrize("tail", (b"", b"tail"))
def test_a_channel_that_takes_a_piece_at_a_time(records: FileRecords, tail: bytes) -> None:
    whole = b"head" + CONTENT[10:90] + tail
    for piece in range(1, len(whole) + 1):
        send = FileRecordsSend(b"head", records, tail)
        received = b""
        while not send.completed():
            channel = ByteBufferChannel(piece)
            assert send.write_to(channel) == len(channel.content())
            received += channel.content()
        assert received == whole
        assert send.size() == len(whole)


def test_pending_writes_hold_it_back(records: FileRecords) -> None:
    send = FileRecordsSend(b"head", records, b"tail")
    channel = PendingChannel(1000)
    assert send.write_to(channel) == send.size()
    assert not send.completed() and channel.empty_writes == 0
    assert send.write_to(channel) == 0
    assert send.completed() and channel.empty_writes == 1


def test_a_file_that_is_cut_meanwhile(records: FileRecords) -> None:
    send = FileRecordsSend(b"head", records, b"tail")
    os.truncate(records.file(), 50)
    channel = ByteBufferChannel(1000)
    assert send.write_to(channel) == 4 + 40
    with pytest.raises(KafkaException, match="has been truncated during write"):
        send.write_to(channel)
