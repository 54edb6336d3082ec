# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerInterceptors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The chain of a producer's interceptors.

An interceptor's exception is logged, and the next interceptor is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar, cast

from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.record.record_batch import RecordBatch
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext

K = TypeVar("K")
V = TypeVar("V")

log = LogContext().logger(f"{__name__}.ProducerInterceptors")


class ProducerInterceptors(Generic[K, V]):
    """Called by the threads that send and by the sender's thread.

    :origin: clients.producer.internals.ProducerInterceptors
    """

    def __init__(self, interceptors: Sequence[ProducerInterceptor[K, V]]) -> None:
        """:origin: clients.producer.internals.ProducerInterceptors#ProducerInterceptors(List<ProducerInterceptor<K,V>>)
        """  # noqa: E501
        self._interceptors = interceptors

    def is_empty(self) -> bool:
        """Return whether the chain is empty."""
        return not self._interceptors

    def on_send(self, record: ProducerRecord[K, V]) -> ProducerRecord[K, V]:
        """Pass ``record`` through all interceptors in turn; return the last one's result.

        :origin: clients.producer.internals.ProducerInterceptors#onSend(ProducerRecord<K,V>)
        """
        intercept_record = record
        for interceptor in self._interceptors:
            try:
                intercept_record = interceptor.on_send(intercept_record)
            except Exception as e:
                # The user may have passed None.
                if cast("ProducerRecord[K, V] | None", record) is not None:
                    log.warn("Error executing interceptor on_send callback for topic: %s, partition: %s",
                             record.topic(), record.partition(), exc=e)
                else:
                    log.warn("Error executing interceptor on_send callback", exc=e)
        return intercept_record

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        """Tell all interceptors that a record is acknowledged or has failed.

        :origin: clients.producer.internals.ProducerInterceptors#onAcknowledgement(RecordMetadata, Exception)
        """
        for interceptor in self._interceptors:
            try:
                interceptor.on_acknowledgement(metadata, exception)
            except BaseException as e:  # DEVIATION D492
                log.warn("Error executing interceptor on_acknowledgement callback", exc=e)

    def on_send_error(self, record: ProducerRecord[K, V] | None,
                      intercept_topic_partition: TopicPartition | None, exception: Exception) -> None:
        """Tell all interceptors that ``send`` failed; the partition is the record's if None is known.

        :origin: clients.producer.internals.ProducerInterceptors#onSendError(ProducerRecord<K,V>,
            TopicPartition, Exception)
        """
        for interceptor in self._interceptors:
            try:
                if record is None and intercept_topic_partition is None:
                    interceptor.on_acknowledgement(None, exception)
                else:
                    if intercept_topic_partition is None:
                        intercept_topic_partition = self.extract_topic_partition(
                            cast("ProducerRecord[K, V]", record))
                    interceptor.on_acknowledgement(
                        RecordMetadata(intercept_topic_partition, -1, -1, RecordBatch.NO_TIMESTAMP, -1, -1),
                        exception)
            except Exception as e:
                log.warn("Error executing interceptor on_acknowledgement callback", exc=e)

    @staticmethod
    def extract_topic_partition(record: ProducerRecord[K, V]) -> TopicPartition:
        """Return the topic and partition of a record; the partition is -1 if it has none.

        :origin: clients.producer.internals.ProducerInterceptors#extractTopicPartition(ProducerRecord<K,V>)
        """
        partition = record.partition()
        return TopicPartition(
            record.topic(), RecordMetadata.UNKNOWN_PARTITION if partition is None else partition)

    def close(self) -> None:
        """Close all interceptors.

        :origin: clients.producer.internals.ProducerInterceptors#close()
        """
        for interceptor in self._interceptors:
            try:
                interceptor.close()
            except Exception as e:
                log.error("Failed to close producer interceptor ", exc=e)
