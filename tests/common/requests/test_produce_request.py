# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka's ProduceRequestTest."""

from __future__ import annotations

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.errors import UnsupportedCompressionTypeException
from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.common.requests.produce_request import ProduceRequest
from kreactor.common.requests.request_utils import RequestUtils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

SIMPLE_RECORD = SimpleRecord(timestamp=1700000000000, key=b"key", value=b"value")


def data_of(*records: MemoryRecords, topic: str = "test", acks: int = 1) -> ProduceRequestData:
    return ProduceRequestData(acks=acks, timeout_ms=5000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic, partition_data=[
            ProduceRequestData.PartitionProduceData(index=index, records=each)])
        for index, each in enumerate(records)])


def plain(magic: int = RecordBatch.MAGIC_VALUE_V2, compression: Compression = Compression.NONE,
          timestamp_type: TimestampType = TimestampType.CREATE_TIME, count: int = 1) -> MemoryRecords:
    return MemoryRecords.with_records(
        compression, *[SimpleRecord(timestamp=10, value=b"a")] * count, magic=magic,
        timestamp_type=timestamp_type)


def batches(request: ProduceRequest) -> list[RecordBatch]:
    found = []
    for topic in request.data().topic_data:
        for partition in topic.partition_data:
            records = RequestUtils.records_of(partition.records)
            assert records is not None
            found += list(records.batches())
    return found


def has_idempotent_records(request: ProduceRequest) -> bool:
    return any(batch.has_producer_id() for batch in batches(request))


def assert_raises_for_all_versions(builder: ProduceRequest.Builder, error: type[Exception]) -> None:
    for version in range(builder.oldest_allowed_version(), builder.latest_allowed_version() + 1):
        with pytest.raises(error):
            builder.build_version(version)


def parsed(request: ProduceRequest) -> ProduceRequest:
    return ProduceRequest.parse(request.serialize(), request.version())


def test_should_be_flagged_as_transactional_when_transactional_records() -> None:
    records = MemoryRecords.with_transactional_records(Compression.NONE, 1, 1, 1, SIMPLE_RECORD)
    request = ProduceRequest.for_current_magic(data_of(records, acks=-1)).build()
    assert RequestUtils.has_transactional_records(request)
    # A request from the wire is looked into as well.
    assert RequestUtils.has_transactional_records(parsed(request))


def test_should_not_be_flagged_as_transactional_when_no_records() -> None:
    request = ProduceRequest.for_current_magic(data_of(plain())).build()
    assert not RequestUtils.has_transactional_records(request)
    assert not RequestUtils.has_transactional_records(parsed(request))


def test_should_not_be_flagged_as_idempotent_when_records_not_idempotent() -> None:
    assert not has_idempotent_records(ProduceRequest.for_current_magic(data_of(plain())).build())


def test_should_be_flagged_as_idempotent_when_idempotent_records() -> None:
    records = MemoryRecords.with_idempotent_records(Compression.NONE, 1, 1, 1, SIMPLE_RECORD)
    assert has_idempotent_records(ProduceRequest.for_current_magic(data_of(records)).build())


def test_build_with_old_message_format() -> None:
    builder = ProduceRequest.for_magic(RecordBatch.MAGIC_VALUE_V1,
                                       data_of(plain(RecordBatch.MAGIC_VALUE_V1)))
    assert builder.oldest_allowed_version() == 2
    assert builder.latest_allowed_version() == 2


def test_build_with_current_message_format() -> None:
    builder = ProduceRequest.for_magic(RecordBatch.CURRENT_MAGIC_VALUE, data_of(plain()))
    assert builder.oldest_allowed_version() == 3
    assert builder.latest_allowed_version() == ApiKeys.PRODUCE.latest_version()


def test_v3_and_above_should_contain_only_one_record_batch() -> None:
    two = MemoryRecords.readable_records(ByteBuffer.wrap(
        plain().buffer().to_bytes() + plain(count=2).buffer().to_bytes()))
    assert_raises_for_all_versions(ProduceRequest.for_current_magic(data_of(two)), InvalidRecordException)
    with pytest.raises(InvalidRecordException, match="^Produce requests with version 3 are only allowed to "
                                                     "contain exactly one record batch per partition$"):
        ProduceRequest.validate_records(3, two)


def test_v3_and_above_cannot_have_no_record_batches() -> None:
    builder = ProduceRequest.for_current_magic(data_of(MemoryRecords.EMPTY))
    assert_raises_for_all_versions(builder, InvalidRecordException)
    with pytest.raises(InvalidRecordException, match="^Produce requests with version 3 must have at least "
                                                     "one record batch per partition$"):
        ProduceRequest.validate_records(3, MemoryRecords.EMPTY)


def test_v3_and_above_cannot_use_magic_v0() -> None:
    records = plain(RecordBatch.MAGIC_VALUE_V0, timestamp_type=TimestampType.NO_TIMESTAMP_TYPE)
    builder = ProduceRequest.for_current_magic(data_of(records))
    assert_raises_for_all_versions(builder, InvalidRecordException)


def test_v3_and_above_cannot_use_magic_v1() -> None:
    records = plain(RecordBatch.MAGIC_VALUE_V1)
    builder = ProduceRequest.for_current_magic(data_of(records))
    assert_raises_for_all_versions(builder, InvalidRecordException)
    with pytest.raises(InvalidRecordException, match="^Produce requests with version 9 are only allowed to "
                                                     "contain record batches with magic version 2$"):
        ProduceRequest.validate_records(9, records.buffer())
    # Older versions are not looked at.
    ProduceRequest.validate_records(2, records)
    assert ProduceRequest.Builder(3, 3, data_of(records)).build_unsafe(3).version() == 3


def test_v6_and_below_cannot_use_z_std_compression() -> None:
    data = data_of(plain(compression=Compression.zstd().build()))
    for version in range(3, 7):
        assert_raises_for_all_versions(ProduceRequest.Builder(version, version, data),
                                       UnsupportedCompressionTypeException)
    ProduceRequest.for_current_magic(data).build_version(7)


def test_mixed_transactional_data() -> None:
    transactional = MemoryRecords.with_transactional_records(Compression.NONE, 15, 5, 10,
                                                             SimpleRecord(value=b"bar"))
    request = ProduceRequest.for_current_magic(data_of(transactional, plain())).build()
    assert RequestUtils.has_transactional_records(request)
    assert has_idempotent_records(request)


def test_mixed_idempotent_data() -> None:
    idempotent = MemoryRecords.with_idempotent_records(Compression.NONE, 15, 5, 10,
                                                       SimpleRecord(value=b"bar"))
    request = ProduceRequest.for_current_magic(data_of(idempotent, plain())).build()
    assert not RequestUtils.has_transactional_records(request)
    assert has_idempotent_records(request)


def test_validating_what_came_over_the_wire() -> None:
    request = parsed(ProduceRequest.for_current_magic(data_of(plain())).build_version(9))
    records = request.data().topic_data[0].partition_data[0].records
    assert isinstance(records, ByteBuffer)
    ProduceRequest.validate_records(9, records)
    assert records.position() == 0
    ProduceRequest.validate_records(9, None)


def test_required_magic_for_version() -> None:
    magic = [ProduceRequest.required_magic_for_version(version) for version in range(12)]
    assert magic == [0, 0, 1] + [2] * 9
    for version in (-1, 12):
        with pytest.raises(IllegalArgumentException,
                           match=f"^Magic value to use for produce request version {version} is not known$"):
            ProduceRequest.required_magic_for_version(version)
