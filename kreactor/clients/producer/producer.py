# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.Producer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of KafkaProducer and MockProducer. KafkaProducer documents each method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from kreactor.jdk.time_unit import TimeUnit

if TYPE_CHECKING:
    from kreactor.clients.consumer.consumer_group_metadata import ConsumerGroupMetadata
    from kreactor.clients.consumer.offset_and_metadata import OffsetAndMetadata
    from kreactor.clients.producer.callback import Callback
    from kreactor.clients.producer.internals.future_records_metadata import SendAllFuture
    from kreactor.clients.producer.producer_record import ProducerRecord
    from kreactor.clients.producer.record_metadata import RecordMetadata
    from kreactor.common.metric import Metric
    from kreactor.common.metric_name import MetricName
    from kreactor.common.partition_info import PartitionInfo
    from kreactor.common.topic_partition import TopicPartition
    from kreactor.common.uuid import Uuid

K = TypeVar("K")
V = TypeVar("V")


class RecordFuture(Protocol):
    """Java's ``Future<RecordMetadata>``: the metadata or the error of a record. Called by any thread."""

    def cancel(self, interrupt: bool = False) -> bool:
        """Return False: a record cannot be taken back."""

    def is_cancelled(self) -> bool:
        """Return False."""

    def get(self, timeout: int | None = None, unit: TimeUnit = TimeUnit.MILLISECONDS) -> RecordMetadata:
        """Wait for the metadata and return them; raise the record's error if it failed.

        Raises the TimeoutException of ``java.util.concurrent`` after the time-out; None waits without limit.
        """

    def is_done(self) -> bool:
        """Return whether ``get`` would not wait."""


class Producer(ABC, Generic[K, V]):
    """Sends records to Kafka. Called by any thread.

    :origin: clients.producer.Producer
    """

    @abstractmethod
    def init_transactions(self) -> None:
        """Get a producer id for transactions, and fence older producers of the same transactional id.

        :origin: clients.producer.Producer#initTransactions()
        """

    @abstractmethod
    def begin_transaction(self) -> None:
        """Begin a transaction.

        :origin: clients.producer.Producer#beginTransaction()
        """

    @abstractmethod
    def send_offsets_to_transaction(self, offsets: Mapping[TopicPartition, OffsetAndMetadata],
                                    group_metadata: ConsumerGroupMetadata | str) -> None:
        """Commit the offsets of a consumer group with the transaction.

        With the group id alone, which Kafka has deprecated, no generation is checked.

        :origin: clients.producer.Producer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>, String)
        :origin: clients.producer.Producer#sendOffsetsToTransaction(Map<TopicPartition,OffsetAndMetadata>,
            ConsumerGroupMetadata)
        """  # noqa: E501

    @abstractmethod
    def commit_transaction(self) -> None:
        """Send the remaining records, and commit the transaction.

        :origin: clients.producer.Producer#commitTransaction()
        """

    @abstractmethod
    def abort_transaction(self) -> None:
        """Fail the unsent records, and abort the transaction.

        :origin: clients.producer.Producer#abortTransaction()
        """

    @abstractmethod
    def send(self, record: ProducerRecord[K, V], callback: Callback | None = None) -> RecordFuture:
        """Queue a record; return a future of its metadata.

        :origin: clients.producer.Producer#send(ProducerRecord<K,V>)
        :origin: clients.producer.Producer#send(ProducerRecord<K,V>, Callback)
        """

    @abstractmethod
    def send_all(self, topic: str,
                 records: Iterable[V | None | tuple[K | None, V | None] | ProducerRecord[K, V]]
                 ) -> SendAllFuture:
        """Queue all ``records`` for ``topic``; return one future for all records.

        A record is a value, a tuple of key and value, or a ProducerRecord with that topic.
        """
        # DEVIATION D350: no such method in Java.

    @abstractmethod
    def flush(self) -> None:
        """Send the queued records at once, and wait for them.

        :origin: clients.producer.Producer#flush()
        """

    @abstractmethod
    def partitions_for(self, topic: str) -> list[PartitionInfo]:
        """Return the partitions of a topic.

        :origin: clients.producer.Producer#partitionsFor(String)
        """

    @abstractmethod
    def metrics(self) -> Mapping[MetricName, Metric]:
        """Return the metrics.

        :origin: clients.producer.Producer#metrics()
        """

    @abstractmethod
    def client_instance_id(self, timeout_ms: int) -> Uuid | None:
        """Return the id of this client's telemetry.

        :origin: clients.producer.Producer#clientInstanceId(Duration)
        """

    @abstractmethod
    def close(self, timeout_ms: int | None = None) -> None:
        """Send the queued records, for at most ``timeout_ms`` milliseconds, then end; None waits without
        limit.

        :origin: clients.producer.Producer#close()
        :origin: clients.producer.Producer#close(Duration)
        """

    def __enter__(self) -> Producer[K, V]:
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()
