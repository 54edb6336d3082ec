# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionLogTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The records of a transactional id can be read again."""

from __future__ import annotations

import struct

import pytest

from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_log import TransactionLog, TxnKey, UnknownKey
from kreactor.core.coordinator.transaction.transaction_metadata import TransactionMetadata, TransactionState
from kreactor.core.internals.generated.transaction_log_value import TransactionLogValue
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer

PARTITIONS = {TopicPartition(topic, partition) for topic, partition in (
    ("topic1", 0), ("topic1", 1), ("topic2", 0), ("topic2", 1), ("topic2", 2))}
PRODUCER_IDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
STATES = dict(zip(range(6), TransactionState))


def metadata(transactional_id: str = "transactionalId", producer_id: int = 23423,
             state: TransactionState = TransactionState.Empty) -> TransactionMetadata:
    return TransactionMetadata(
        transactional_id, producer_id, RecordBatch.NO_PRODUCER_ID, 0, RecordBatch.NO_PRODUCER_EPOCH, 1000,
        state, txn_last_update_timestamp=0)


def test_should_throw_exception_write_invalid_txn() -> None:
    subject = metadata()
    subject.add_partitions(PARTITIONS)
    with pytest.raises(IllegalStateException):
        TransactionLog.value_to_bytes(subject.prepare_no_transit())


def test_should_read_write_messages() -> None:
    for transactional_id, producer_id in PRODUCER_IDS.items():
        subject = metadata(transactional_id, producer_id, STATES[producer_id])
        if subject.state is not TransactionState.Empty:
            subject.add_partitions(PARTITIONS)
        key = TransactionLog.read_txn_record_key(
            ByteBuffer.wrap(TransactionLog.key_to_bytes(transactional_id)))
        assert key == TxnKey(0, transactional_id)
        assert TransactionLog.read_txn_record_value(
            transactional_id,
            ByteBuffer.wrap(TransactionLog.value_to_bytes(subject.prepare_no_transit()))) == subject
    assert TransactionLog.read_txn_record_value("zero", None) is None


def test_serialize_transaction_log_value_to_highest_non_flexible_version() -> None:
    value = TransactionLog.value_to_bytes(
        metadata(state=TransactionState.CompleteCommit).prepare_no_transit())
    assert struct.unpack_from(">h", value) == (0,)


def test_deserialize_highest_supported_transaction_log_value() -> None:
    found = TransactionLog.read_txn_record_value("id", ByteBuffer.wrap(MessageUtil.to_version_prefixed_bytes(
        TransactionLogValue.HIGHEST_SUPPORTED_VERSION, TransactionLogValue(
            producer_id=100, producer_epoch=50, transaction_status=TransactionState.CompleteCommit.id(),
            transaction_start_timestamp_ms=750, transaction_last_update_timestamp_ms=1000,
            transaction_timeout_ms=500, transaction_partitions=[
                TransactionLogValue.PartitionsSchema(topic="topic1", partition_ids=[0])]))))
    assert found == TransactionMetadata(
        "id", 100, -1, 50, -1, 500, TransactionState.CompleteCommit, (TopicPartition("topic1", 0),), 750,
        txn_last_update_timestamp=1000)


def test_deserialize_future_transaction_log_value() -> None:
    """Fields of later versions have tags, which are passed over."""
    value = bytearray(MessageUtil.to_version_prefixed_bytes(1, TransactionLogValue(
        producer_id=1, transaction_status=TransactionState.Ongoing.id(), transaction_partitions=[])))
    assert value[-1] == 0
    # One field with tag 100, of one byte.
    value[-1:] = b"\x01\x64\x01\xff"
    found = TransactionLog.read_txn_record_value("id", ByteBuffer.wrap(bytes(value)))
    assert found is not None and found.producer_id == 1


def test_read_txn_record_key_can_read_unknown_message() -> None:
    key = TransactionLog.read_txn_record_key(ByteBuffer.wrap(struct.pack(">h", 0x7FFF) + b"whatever"))
    assert key == UnknownKey(0x7FFF)


# -- not in Kafka's test ---------------------------------------------------------------------------

def test_values_that_make_no_sense() -> None:
    def value(version: int, **fields: int) -> ByteBuffer:
        return ByteBuffer.wrap(MessageUtil.to_version_prefixed_bytes(version, TransactionLogValue(
            transaction_partitions=None, **fields)))

    for buffer in (ByteBuffer.wrap(b"\0\2"), ByteBuffer.wrap(b"\xff\xff"), value(0, transaction_status=8),
                   value(0, transaction_status=1)):
        with pytest.raises(IllegalStateException):
            TransactionLog.read_txn_record_value("id", buffer)


def test_the_bytes_of_kafka() -> None:
    """Records as in ``__transaction_state``; the order of topics is that of a set."""
    assert TransactionLog.key_to_bytes("tx").hex() == "0000" "0002" + b"tx".hex()
    subject = TransactionMetadata(
        "tx", 7, -1, 3, -1, 60000, TransactionState.Ongoing, (TopicPartition("t", 1),), 11,
        txn_last_update_timestamp=12)
    assert TransactionLog.value_to_bytes(subject.prepare_no_transit()).hex() == (
        "0000" "0000000000000007" "0003" "0000ea60" "01"
        "00000001" "0001" + b"t".hex() + "00000001" "00000001" "000000000000000c" "000000000000000b")
