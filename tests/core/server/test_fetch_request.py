# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchRequestTest and BaseFetchRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Fetches: sizes, order, leaders' epochs, sessions, old formats and codecs."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.compress.compression import Compression
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.record.simple_record import SimpleRecord
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.common.uuid import Uuid
from kreactor.embedded.broker_server import BrokerServer
from tests.core.server.broker_requests import ask, change_leader, create_topic, leader_epoch
from tests.core.server.brokers import connect, new_broker

LATEST = ApiKeys.FETCH.latest_version()
INT_MAX = 2**31 - 1
TOPIC = "topic"
PARTITION = TopicPartition(TOPIC, 0)
INITIAL_EPOCH, FINAL_EPOCH = 0, -1


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[BrokerServer]:
    with new_broker(tmp_path, {"fetch.max.bytes": str(INT_MAX)}) as broker:
        yield broker


def produce(broker: BrokerServer, partition: TopicPartition, *records: tuple[bytes, bytes],
            compression: Compression = Compression.NONE) -> int:
    """Append a batch; return the offset of its first record."""
    now = Time.SYSTEM.milliseconds()
    data = MemoryRecords.with_records(
        compression, *(SimpleRecord(now, key, value) for key, value in records)).buffer().to_bytes()
    answer = ask(broker, ApiKeys.PRODUCE, 9, ProduceRequestData(acks=-1, timeout_ms=60_000, topic_data=[
        ProduceRequestData.TopicProduceData(name=partition.topic(), partition_data=[
            ProduceRequestData.PartitionProduceData(index=partition.partition(), records=data)])]))
    result, = answer.responses[0].partition_responses
    assert result.error_code == 0
    return int(result.base_offset)


def produce_data(broker: BrokerServer, partition: TopicPartition, count: int) -> int:
    """Append batches of one record each; return the end offset."""
    end = 0
    for index in range(count):
        suffix = b"%s-%d" % (str(partition).encode(), index)
        end = produce(broker, partition, (b"key " + suffix, b"value " + suffix)) + 1
    return end


def topic_id(broker: BrokerServer, name: str) -> Uuid:
    topic = broker.storage().topics().topic(name)
    return Uuid.ZERO_UUID if topic is None else topic.topic_id


def request(broker: BrokerServer, partitions: Sequence[TopicPartition], version: int = LATEST,
            max_partition_bytes: int = 1024, max_bytes: int = INT_MAX,
            offsets: Mapping[TopicPartition, int] | None = None, current_leader_epoch: int = -1,
            last_fetched_epoch: int = -1, session_id: int = 0, session_epoch: int = FINAL_EPOCH,
            **ids: Uuid) -> FetchRequestData:
    """Return a consumer's request, with a topic's entry for each partition."""
    topics = []
    for partition in partitions:
        fields: dict[str, Any] = {"current_leader_epoch": current_leader_epoch} if version >= 9 else {}
        if version >= 12:
            fields["last_fetched_epoch"] = last_fetched_epoch
        name = partition.topic()
        topics.append(FetchRequestData.FetchTopic(
            **({"topic_id": ids.get(name, topic_id(broker, name))} if version >= 13 else {"topic": name}),
            partitions=[FetchRequestData.FetchPartition(
                partition=partition.partition(), fetch_offset=(offsets or {}).get(partition, 0),
                partition_max_bytes=max_partition_bytes, **fields)]))
    session = {"session_id": session_id, "session_epoch": session_epoch} if version >= 7 else {}
    return FetchRequestData(max_wait_ms=INT_MAX, min_bytes=0, topics=topics,
                            **({"max_bytes": max_bytes} if version >= 3 else {}), **session)


Found = dict[TopicPartition, FetchResponseData.PartitionData]


def partitions_of(broker: BrokerServer, answer: Any, version: int, **ids: Uuid) -> Found:
    """Return the partitions of a response, in order."""
    names = {id: name for name, id in ids.items()} | {
        topic.topic_id: name for name, topic in broker.storage().topics().topics().items()}
    return {TopicPartition(names[topic.topic_id] if version >= 13 else topic.topic, each.partition_index):
            each for topic in answer.responses for each in topic.partitions}


def fetch(broker: BrokerServer, partitions: Sequence[TopicPartition], version: int = LATEST,
          **fields: Any) -> Found:
    answer = ask(broker, ApiKeys.FETCH, version, request(broker, partitions, version, **fields))
    return partitions_of(broker, answer, version)


def records_of(data: FetchResponseData.PartitionData) -> MemoryRecords:
    return MemoryRecords.readable_records(data.records) if data.records is not None else MemoryRecords.EMPTY


def size_of_records(data: FetchResponseData.PartitionData) -> int:
    return sum(record.size_in_bytes() for record in records_of(data).records())


def check_fetch_response(found: Found, expected: Sequence[TopicPartition], max_partition_bytes: int,
                         max_response_bytes: int, messages_per_partition: int) -> None:
    assert list(found) == list(expected)
    empty_response_seen = False
    response_size = response_buffer_size = 0
    for data in found.values():
        assert data.error_code == Errors.NONE.code
        assert data.high_watermark > 0
        records = records_of(data)
        response_buffer_size += records.size_in_bytes()
        batches = list(records.batches())
        assert len(batches) < messages_per_partition
        batches_size = sum(batch.size_in_bytes() for batch in batches)
        response_size += batches_size
        if batches_size == 0:
            assert records.size_in_bytes() == 0
            empty_response_seen = True
        else:
            assert not empty_response_seen
            assert batches_size <= max_partition_bytes
            assert records.size_in_bytes() == max_partition_bytes
    assert response_buffer_size == max_response_bytes - max_response_bytes % max_partition_bytes
    assert response_size <= max_response_bytes


def test_broker_respects_partitions_order_and_size_limits(broker: BrokerServer) -> None:
    messages, max_response, max_partition = 9, 800, 190
    partitions = []
    for number in range(5):
        create_topic(broker, f"topic{number}", 6)
        partitions += [TopicPartition(f"topic{number}", index) for index in range(6)]
    # As many as one of three brokers leads.
    partitions = partitions[::3]
    for partition in partitions:
        produce_data(broker, partition, messages)
    large_1, large_2 = with_large = partitions[-2:]
    produce(broker, large_1, (b"larger than partition limit", bytes(max_partition + 1)))
    produce(broker, large_2, (b"larger than response limit", bytes(max_response + 1)))
    without_large = partitions[:-2]
    generator = random.Random(0)

    def shuffled() -> list[TopicPartition]:
        return generator.sample(without_large, len(without_large))

    # 1 and 2: the large records are at the end.
    for _ in range(2):
        order = shuffled() + with_large
        for version in (LATEST, 12):
            found = fetch(broker, order, version, max_partition_bytes=max_partition, max_bytes=max_response)
            check_fetch_response(found, order, max_partition, max_response, messages)

    # 3: the first partition's record is larger than the limit of a partition.
    order = [large_1, large_2, *shuffled()]
    for version in (LATEST, 12):
        found = fetch(broker, order, version, max_partition_bytes=max_partition, max_bytes=max_response,
                      offsets={large_1: messages})
        assert list(found) == order
        assert sum(map(size_of_records, found.values())) <= max_response
        data = found[large_1]
        assert data.error_code == Errors.NONE.code
        assert data.high_watermark > 0
        assert max_partition < size_of_records(data) <= max_response
        assert max_partition < records_of(data).size_in_bytes()

    # 4: the first partition's record is larger than the limit of a response.
    order = [large_2, large_1, *shuffled()]
    for version in (LATEST, 12):
        found = fetch(broker, order, version, max_partition_bytes=max_partition, max_bytes=max_response,
                      offsets={large_2: messages})
        assert list(found) == order
        assert [partition for partition, data in found.items() if size_of_records(data) > 0] == [large_2]
        data = found[large_2]
        assert data.error_code == Errors.NONE.code
        assert data.high_watermark > 0
        assert size_of_records(data) > max_response
        assert max_response < records_of(data).size_in_bytes()


def test_fetch_request_v4_with_read_committed(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC)
    produce(broker, PARTITION, (b"key", bytes(201)))
    data = request(broker, [PARTITION], 4, 200)
    data.isolation_level = 1
    found = partitions_of(broker, ask(broker, ApiKeys.FETCH, 4, data), 4)[PARTITION]
    assert found.error_code == Errors.NONE.code
    assert found.last_stable_offset > 0
    assert size_of_records(found) > 0


def check_last_fetched_epoch_validation(broker: BrokerServer, version: int) -> None:
    create_topic(broker, TOPIC)
    first_epoch = leader_epoch(broker, PARTITION)
    first_end = produce_data(broker, PARTITION, 100)
    second_epoch = change_leader(broker, PARTITION)
    second_end = produce_data(broker, PARTITION, 100)
    # A consumer in the middle of the second epoch believes to be in the first.
    offset = second_end + (second_end - first_end) // 2
    data = fetch(broker, [PARTITION], version, offsets={PARTITION: offset},
                 current_leader_epoch=second_epoch, last_fetched_epoch=first_epoch)[PARTITION]
    assert data.error_code == Errors.NONE.code
    assert records_of(data).size_in_bytes() == 0
    assert data.diverging_epoch.epoch >= 0
    assert data.diverging_epoch.epoch == first_epoch
    assert data.diverging_epoch.end_offset == first_end


def test_last_fetched_epoch_validation(broker: BrokerServer) -> None:
    check_last_fetched_epoch_validation(broker, LATEST)


def test_last_fetched_epoch_validation_v12(broker: BrokerServer) -> None:
    check_last_fetched_epoch_validation(broker, 12)


def check_current_epoch_validation(broker: BrokerServer, version: int) -> None:
    """No broker here is a follower."""
    create_topic(broker, TOPIC)
    epoch = change_leader(broker, PARTITION)
    for error, current in ((Errors.NONE, -1), (Errors.NONE, epoch), (Errors.FENCED_LEADER_EPOCH, epoch - 1),
                           (Errors.UNKNOWN_LEADER_EPOCH, epoch + 1)):
        data = fetch(broker, [PARTITION], version, current_leader_epoch=current)[PARTITION]
        assert data.error_code == error.code


def test_current_epoch_validation(broker: BrokerServer) -> None:
    check_current_epoch_validation(broker, LATEST)


def test_current_epoch_validation_v12(broker: BrokerServer) -> None:
    check_current_epoch_validation(broker, 12)


def check_epoch_validation_within_fetch_session(broker: BrokerServer, version: int) -> None:
    """No broker here is a follower."""
    create_topic(broker, TOPIC)
    epoch = change_leader(broker, PARTITION)
    answer = ask(broker, ApiKeys.FETCH, version, request(
        broker, [PARTITION], version, current_leader_epoch=epoch, session_epoch=INITIAL_EPOCH))
    # Errors alone: without one the partition is not in the response.
    for error, session_epoch, current in ((Errors.FENCED_LEADER_EPOCH, 1, epoch - 1),
                                          (Errors.UNKNOWN_LEADER_EPOCH, 2, epoch + 1)):
        data = fetch(broker, [PARTITION], version, current_leader_epoch=current,
                     session_id=answer.session_id, session_epoch=session_epoch)[PARTITION]
        assert data.error_code == error.code


def test_epoch_validation_within_fetch_session(broker: BrokerServer) -> None:
    check_epoch_validation_within_fetch_session(broker, LATEST)


def test_epoch_validation_within_fetch_session_v12(broker: BrokerServer) -> None:
    check_epoch_validation_within_fetch_session(broker, 12)


def test_down_conversion_with_connection_failure(broker: BrokerServer) -> None:
    """A client goes in the middle of a large response, whose records are being converted."""
    create_topic(broker, TOPIC)
    value_size = 100 * 1000
    batch_size = 4 * value_size
    for _ in range(100):
        produce(broker, PARTITION, *[(b"key", bytes(value_size))] * 3)
    max_bytes = 200 * value_size
    for _ in range(16):
        with connect(broker) as wire:
            wire.send(ApiKeys.FETCH, 1, request(broker, [PARTITION], 1, max_bytes))
            size, = struct.unpack(">i", wire.socket.recv(4))
            assert size > max_bytes - batch_size
    data = fetch(broker, [PARTITION], 1, max_partition_bytes=batch_size)[PARTITION]
    assert data.error_code == Errors.NONE.code
    # Not 4: the keys and headers take room, too.
    assert len(list(records_of(data).batches())) == 3


def test_down_conversion_from_batched_to_unbatched_respects_offset(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC)
    for numbers in (range(10), range(10, 25)):
        produce(broker, PARTITION, *((b"key-%d" % number, b"value-%d" % number) for number in numbers))

    def check(fetch_offset: int, version: int, expected_offset: int, expected_batches: int,
              expected_magic: int) -> None:
        received = 0
        # One response need not have all.
        while received < expected_batches:
            data = fetch(broker, [PARTITION], version, max_partition_bytes=INT_MAX,
                         offsets={PARTITION: fetch_offset})[PARTITION]
            assert data.error_code == Errors.NONE.code
            assert data.high_watermark > 0
            batches = list(records_of(data).batches())
            assert batches[0].magic() == expected_magic
            assert batches[0].base_offset() == expected_offset
            fetch_offset = batches[-1].last_offset() + 1
            expected_offset += batches[-1].last_offset() - batches[0].base_offset() + 1
            received += len(batches)
        assert received == expected_batches

    v0, v1, v2 = RecordBatch.MAGIC_VALUE_V0, RecordBatch.MAGIC_VALUE_V1, RecordBatch.MAGIC_VALUE_V2
    check(3, 1, 3, 22, v0)
    check(15, 1, 15, 10, v0)
    check(3, 3, 3, 22, v1)
    check(15, 3, 15, 10, v1)
    # Without a conversion the batch comes that has the offset.
    check(3, 4, 0, 2, v2)
    check(15, 4, 10, 1, v2)
    check(10, 4, 10, 1, v2)


def test_create_incremental_fetch_with_partitions_in_error_v12(broker: BrokerServer) -> None:
    foo_0, foo_1, bar_0 = TopicPartition("foo", 0), TopicPartition("foo", 1), TopicPartition("bar", 0)
    create_topic(broker, "foo", 2)

    def fetch_in_session(partitions: Sequence[TopicPartition], session_id: int,
                         session_epoch: int) -> tuple[int, dict[TopicPartition, int]]:
        answer = ask(broker, ApiKeys.FETCH, 12, request(
            broker, partitions, 12, INT_MAX, session_id=session_id, session_epoch=session_epoch))
        assert answer.error_code == Errors.NONE.code
        return answer.session_id, {partition: data.error_code for partition, data in
                                   partitions_of(broker, answer, 12).items()}

    session_id, errors = fetch_in_session([foo_0, foo_1, bar_0], 0, INITIAL_EPOCH)
    assert session_id > 0
    unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION.code
    assert errors == {foo_0: 0, foo_1: 0, bar_0: unknown}
    assert fetch_in_session([], session_id, 1) == (session_id, {bar_0: unknown})
    create_topic(broker, "bar")
    assert fetch_in_session([], session_id, 2) == (session_id, {bar_0: 0})
    assert fetch_in_session([], session_id, 3) == (session_id, {})


def test_fetch_with_partitions_with_id_error(broker: BrokerServer) -> None:
    foo_0, foo_1, bar_0 = TopicPartition("foo", 0), TopicPartition("foo", 1), TopicPartition("bar", 0)
    create_topic(broker, "foo", 2)
    ids = {"bar": Uuid.random_uuid()}
    answer = ask(broker, ApiKeys.FETCH, LATEST, request(
        broker, [foo_0, foo_1, bar_0], LATEST, INT_MAX, session_epoch=INITIAL_EPOCH, **ids))
    assert answer.error_code == Errors.NONE.code
    assert {partition: data.error_code for partition, data in
            partitions_of(broker, answer, LATEST, **ids).items()} == {
        foo_0: 0, foo_1: 0, bar_0: Errors.UNKNOWN_TOPIC_ID.code}


def check_records(broker: BrokerServer, version: int, error: Errors, count: int = 0, offset: int = 0) -> None:
    data = fetch(broker, [PARTITION], version, max_partition_bytes=300, max_bytes=800,
                 offsets={PARTITION: offset})[PARTITION]
    assert data.error_code == error.code
    if error is Errors.NONE:
        assert len(list(records_of(data).records())) == count


def test_z_std_compressed_topic(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC, compression_type="zstd")
    for number in (1, 2, 3):
        produce(broker, PARTITION, (b"key%d" % number, b"value%d" % number))
    check_records(broker, 9, Errors.UNSUPPORTED_COMPRESSION_TYPE)
    check_records(broker, 10, Errors.NONE, 3)
    check_records(broker, LATEST, Errors.NONE, 3)


def test_z_std_compressed_records(broker: BrokerServer) -> None:
    create_topic(broker, TOPIC, compression_type="producer")
    for number, compression in ((1, Compression.gzip()), (2, Compression.zstd()), (3, Compression.zstd())):
        produce(broker, PARTITION, (b"key%d" % number, b"value%d" % number), compression=compression.build())
    # Old formats: a batch of gzip is converted, one of zstd cannot be.
    for version in (1, 3):
        check_records(broker, version, Errors.NONE, 1)
        check_records(broker, 1, Errors.UNSUPPORTED_COMPRESSION_TYPE, offset=1)
    check_records(broker, 10, Errors.NONE, 3)
    check_records(broker, LATEST, Errors.NONE, 3)
