# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.UnalignedFileRecordsTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Parts of a file that need not begin or end with a batch."""

from __future__ import annotations

from pathlib import Path

from kreactor.common.compress.compression import Compression
from kreactor.common.record.file_records import FileRecords
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from tests.common.record.batches import ByteBufferChannel, content, records_of

VALUES = [b"foo", b"bar"]


def test_write_to(tmp_path: Path) -> None:
    file_records = FileRecords.open(str(tmp_path / "kafka.log"))
    for value in VALUES:
        file_records.append(MemoryRecords.with_records(Compression.NONE, SimpleRecord(value=value)))
    size = file_records.size_in_bytes()
    channel = ByteBufferChannel(size)
    records1 = file_records.slice_unaligned(0, size // 2)
    records2 = file_records.slice_unaligned(size // 2, size - size // 2)
    records1.write_to(channel, 0, records1.size_in_bytes())
    records2.write_to(channel, 0, records2.size_in_bytes())
    assert [content(record.value()) for record in records_of(channel.content()).records()] == VALUES
    file_records.close()
