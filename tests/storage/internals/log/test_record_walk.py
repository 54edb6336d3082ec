# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The short way through records says yes to nothing that the port of Kafka's record format refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.compress.compression import Compression
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.default_record_batch import DefaultRecordBatch
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.storage.internals.log import record_walk
from kreactor.storage.internals.log.batch_scan import HEADER, HEADER_SIZE
from tests.core.server.bad_records import sealed
from tests.storage.internals.log.support import NOW

_BYTES = st.none() | st.binary(max_size=80) | st.integers(127, 9000).map(bytes)
_HEADERS = st.lists(st.builds(RecordHeader, st.text(max_size=3), st.none() | st.binary(max_size=200)),
                    max_size=3)
_RECORDS = st.lists(st.builds(
    lambda delta, key, value, headers: SimpleRecord(NOW + delta, key, value, headers),
    st.integers(0, 2**30), _BYTES, _BYTES, _HEADERS), min_size=1, max_size=80)
_CODECS = [Compression.NONE, Compression.gzip().build(), Compression.snappy().build(),
           Compression.lz4().build(), Compression.zstd().build()]


def batch_of(made: list[SimpleRecord], codec: Compression = Compression.NONE) -> bytes:
    return MemoryRecords.with_records(codec, *made).buffer().to_bytes()


def walk(batch: bytes, needs_keys: bool = False, any_time: bool = False) -> bool:
    """Ask of a batch what a log asks."""
    (_, _, _, _, _, attributes, _, base_timestamp, max_timestamp, _, _, _, count) = HEADER.unpack_from(batch)
    latest_delta = None if any_time else max_timestamp - base_timestamp
    if attributes & 7:
        return record_walk.is_regular_inside(memoryview(batch), count, latest_delta, needs_keys)
    return record_walk.is_regular(memoryview(batch), HEADER_SIZE, count, latest_delta, needs_keys)


@given(_RECORDS, st.sampled_from(_CODECS))
def test_what_a_producer_writes_is_regular(made: list[SimpleRecord], codec: Compression) -> None:
    # Relative to the first time, which the builder takes as the batch's.
    made.sort(key=SimpleRecord.timestamp)
    batch = batch_of(made, codec)
    assert walk(batch)
    assert walk(batch, needs_keys=True) == all(record.key() is not None for record in made)


@given(_RECORDS, st.data())
def test_what_is_regular_the_port_reads(made: list[SimpleRecord], data: st.DataObject) -> None:
    batch = bytearray(batch_of(made))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(HEADER_SIZE, len(batch) - 1))
        batch[at] = data.draw(st.sampled_from([0, 1, 2, 127, 128, 255]) | st.integers(0, 255))
    if data.draw(st.booleans()):
        del batch[data.draw(st.integers(HEADER_SIZE, len(batch) - 1)):]
    changed = sealed(bytes(batch))
    if walk(changed):
        found = list(DefaultRecordBatch(ByteBuffer.wrap(changed)))
        assert [record.offset() for record in found] == list(range(len(made)))
        assert max(record.timestamp() for record in found) == max(record.timestamp() for record in made)


def test_what_is_not_regular() -> None:
    one = [SimpleRecord(NOW, b"key", b"value")]
    batch = batch_of(one)
    assert walk(batch)
    assert not walk(batch + b"\0")
    assert not walk(batch[:-1])
    later = bytearray(batch)
    later[35:43] = (NOW + 1).to_bytes(8, "big")
    assert not walk(bytes(later))
    assert walk(bytes(later), any_time=True)
    # A number that more bytes say than it needs is valid, and one of more bits than an int has is not.
    assert not record_walk.is_regular(b"\x80" * 5 + b"\0", 0, 1, None, False)
    assert not record_walk.is_regular(b"\xff\xff\xff\xff\x7f", 0, 1, None, False)


def test_what_is_too_much_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of([SimpleRecord(NOW, None, bytes(1000))], Compression.gzip().build())
    assert walk(batch)
    monkeypatch.setattr(record_walk, "MAX_BYTES_INSIDE", 1000)
    assert not walk(batch)


@pytest.mark.parametrize("codec", _CODECS[2:])
def test_a_codec_that_is_not_installed(monkeypatch: pytest.MonkeyPatch, codec: Compression) -> None:
    """D241."""
    batch = bytearray(batch_of([SimpleRecord(NOW, None, b"a")], codec))
    batch[57:61] = (2).to_bytes(4, "big")
    assert not walk(bytes(batch))

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("kreactor.common.compress.codecs._MODULES", {})
    monkeypatch.setattr("importlib.import_module", missing)
    assert codec.type() is not CompressionType.GZIP
    assert walk(bytes(batch))
