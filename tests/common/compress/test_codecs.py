# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Codecs that are not installed, and that none is imported before it is needed."""

from __future__ import annotations

import gc
import random
import re
import subprocess
import sys

import psutil
import pytest

from kreactor.common.compress import codecs
from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.utils.buffer_supplier import BufferSupplier
from kreactor.common.utils.byte_buffer_output_stream import ByteBufferOutputStream
from kreactor.jdk.extras import needs
from kreactor.jdk.nio_buffer import ByteBuffer
from tests.common.record.batches import batches_of_kafka, records_of

PACKAGES = {CompressionType.SNAPPY: ("kreactor.jdk.snappy_blocks", "python-snappy"),
            CompressionType.LZ4: ("lz4.block", "lz4"), CompressionType.ZSTD: ("zstandard", "zstandard")}
# Many batches, since the resident memory of an interpreter varies by some megabytes.
BATCHES = 3_000


@pytest.mark.parametrize("type_", PACKAGES)
def test_a_codec_that_is_not_installed(type_, monkeypatch) -> None:
    module, package = PACKAGES[type_]
    monkeypatch.setattr(codecs, "_MODULES", {})
    monkeypatch.setitem(sys.modules, module, None)
    compression = Compression.of(type_).build()
    message = re.escape(needs(f"{type_}, by the package {package},", "compression"))
    with pytest.raises(UnsupportedCompressionTypeException, match=message):
        compression.wrap_for_output(ByteBufferOutputStream(64), 2)
    with pytest.raises(UnsupportedCompressionTypeException, match=message):
        compression.wrap_for_input(ByteBuffer.allocate(64), 2, BufferSupplier.NO_CACHING)
    with pytest.raises(UnsupportedCompressionTypeException, match=message):
        MemoryRecords.with_records(compression, SimpleRecord(1))
    # A broker's work on a batch needs no codec.
    batch, = records_of(batches_of_kafka()[f"clients/create-time/magic-2/{type_}"]).batches()
    batch.ensure_valid()
    batch.set_last_offset(99)
    assert batch.is_valid() and batch.compression_type() is type_
    with pytest.raises(UnsupportedCompressionTypeException, match=message):
        list(batch)


@pytest.mark.parametrize("type_", list(CompressionType))
def test_batches_that_are_made_and_read_leave_no_memory(type_) -> None:
    value = bytes(random.Random(1).choices(b"abcdefghijklmnop", k=8 << 10))
    compression, process = Compression.of(type_).build(), psutil.Process()

    def make_and_read(batches: int) -> int:
        for _ in range(batches):
            batch, = MemoryRecords.with_records(compression, SimpleRecord(1, value=value)).batches()
            batch.ensure_valid()
            assert [record.value_size() for record in batch] == [len(value)]
        gc.collect()
        resident: int = process.memory_info().rss
        return resident

    # PyPy has compiled what it will by then.
    before = make_and_read(BATCHES)
    assert make_and_read(BATCHES) - before < BATCHES * len(value) / 4


def test_nothing_is_imported_before_it_is_needed() -> None:
    program = ("import sys, kreactor.common.record.file_records, kreactor.common.record.multi_records_send, "
               "kreactor.common.compress.lz4_compression, kreactor.common.compress.zstd_compression, "
               "kreactor.common.compress.snappy_compression; "
               "sys.exit(' '.join({'lz4', 'snappy', 'zstandard'} & set(sys.modules)) or 0)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
