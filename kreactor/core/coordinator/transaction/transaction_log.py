# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.coordinator.transaction.TransactionLog of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The format of transactional ids' states in ``__transaction_state``.

A record's key is the transactional id, and its value is the id's state. A record without a value deletes the
id. Key and value begin with the version of their format. A record replaces all earlier ones of its key.
"""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.core.coordinator.transaction.transaction_metadata import (
    TransactionMetadata,
    TransactionState,
    TxnTransitMetadata,
)
from kreactor.core.internals.generated.transaction_log_key import TransactionLogKey
from kreactor.core.internals.generated.transaction_log_value import TransactionLogValue
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer


class TransactionLog:
    """:origin: kafka.coordinator.transaction.TransactionLog"""

    ENFORCED_COMPRESSION = Compression.NONE
    ENFORCED_REQUIRED_ACKS = -1

    @staticmethod
    def key_to_bytes(transactional_id: str) -> bytes:
        """Return the record key of an id.

        :origin: kafka.coordinator.transaction.TransactionLog#keyToBytes
        """
        return MessageUtil.to_version_prefixed_bytes(
            TransactionLogKey.HIGHEST_SUPPORTED_VERSION, TransactionLogKey(transactional_id=transactional_id))

    @staticmethod
    def value_to_bytes(txn_metadata: TxnTransitMetadata) -> bytes:
        """Return the record value of ``txn_metadata``. Raises IllegalStateException for an inconsistent
        state.

        :origin: kafka.coordinator.transaction.TransactionLog#valueToBytes
        """
        is_empty = txn_metadata.txn_state is TransactionState.Empty
        if is_empty and txn_metadata.topic_partitions:
            raise IllegalStateException("Transaction is not expected to have any partitions since its state "
                                        f"is {txn_metadata.txn_state}: {txn_metadata}")
        transaction_partitions: list[TransactionLogValue.PartitionsSchema] | None = None
        if not is_empty:
            partitions_of: dict[str, list[int]] = {}
            for topic_partition in txn_metadata.topic_partitions:
                partitions_of.setdefault(topic_partition.topic(), []).append(topic_partition.partition())
            transaction_partitions = [
                TransactionLogValue.PartitionsSchema(topic=topic, partition_ids=partition_ids)
                for topic, partition_ids in partitions_of.items()]

        # The older format, as Kafka writes it: the newer format only allows for future fields.
        return MessageUtil.to_version_prefixed_bytes(0, TransactionLogValue(
            producer_id=txn_metadata.producer_id,
            producer_epoch=txn_metadata.producer_epoch,
            transaction_timeout_ms=txn_metadata.txn_timeout_ms,
            transaction_status=txn_metadata.txn_state.id(),
            transaction_last_update_timestamp_ms=txn_metadata.txn_last_update_timestamp,
            transaction_start_timestamp_ms=txn_metadata.txn_start_timestamp,
            transaction_partitions=transaction_partitions))

    @staticmethod
    def read_txn_record_key(buffer: ByteBuffer) -> BaseKey:
        """Return the parsed key in ``buffer``.

        :origin: kafka.coordinator.transaction.TransactionLog#readTxnRecordKey
        """
        version = buffer.get_short()
        if TransactionLogKey.LOWEST_SUPPORTED_VERSION <= version <= (
                TransactionLogKey.HIGHEST_SUPPORTED_VERSION):
            return TxnKey(version, TransactionLogKey.read(buffer, version).transactional_id)
        return UnknownKey(version)

    @staticmethod
    def read_txn_record_value(transactional_id: str,
                              buffer: ByteBuffer | None) -> TransactionMetadata | None:
        """Return the parsed state in ``buffer``, None for a tombstone.

        Raises IllegalStateException for an unknown version or state.

        :origin: kafka.coordinator.transaction.TransactionLog#readTxnRecordValue
        """
        if buffer is None:
            return None
        version = buffer.get_short()
        if not TransactionLogValue.LOWEST_SUPPORTED_VERSION <= version <= (
                TransactionLogValue.HIGHEST_SUPPORTED_VERSION):
            raise IllegalStateException(
                f"Unknown version {version} from the transaction log message value")
        value = TransactionLogValue.read(buffer, version)
        transaction_metadata = TransactionMetadata(
            transactional_id=transactional_id,
            producer_id=value.producer_id,
            last_producer_id=RecordBatch.NO_PRODUCER_ID,
            producer_epoch=value.producer_epoch,
            last_producer_epoch=RecordBatch.NO_PRODUCER_EPOCH,
            txn_timeout_ms=value.transaction_timeout_ms,
            state=TransactionState.from_id(value.transaction_status),
            txn_start_timestamp=value.transaction_start_timestamp_ms,
            txn_last_update_timestamp=value.transaction_last_update_timestamp_ms)
        if transaction_metadata.state is not TransactionState.Empty:
            if value.transaction_partitions is None:
                # A null pointer in Kafka. In both, it ends the reading of the partition.
                raise IllegalStateException(f"The state of {transactional_id} in the log has no partitions")
            for partitions_schema in value.transaction_partitions:
                transaction_metadata.add_partitions(
                    TopicPartition(partitions_schema.topic, partition_id)
                    for partition_id in partitions_schema.partition_ids)
        return transaction_metadata


class TxnKey(NamedTuple):
    """:origin: kafka.coordinator.transaction.TxnKey"""

    version: int
    transactional_id: str

    def __str__(self) -> str:
        """:origin: kafka.coordinator.transaction.TxnKey#toString"""
        return self.transactional_id


class UnknownKey(NamedTuple):
    """A key of a later Kafka version.

    :origin: kafka.coordinator.transaction.UnknownKey
    """

    version: int


BaseKey = TxnKey | UnknownKey
