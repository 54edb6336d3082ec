# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.internals.ProducerInterceptorsTest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Interceptors one after another; what one raises does not keep the next from its call."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.clients.producer.internals.producer_interceptors import ProducerInterceptors
from kreactor.clients.producer.producer_interceptor import ProducerInterceptor
from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition

TP = TopicPartition("test", 0)
RECORD = ProducerRecord("test", "value", key=1, partition=0)


class Counts:
    """The calls to all interceptors of a test."""

    def __init__(self) -> None:
        self.on_ack = self.on_error_ack = self.on_error_ack_with_topic_set = 0
        self.on_error_ack_with_topic_partition_set = self.on_send = 0


class AppendProducerInterceptor(ProducerInterceptor[int, str]):
    """Puts a text behind the value, and raises where told so."""

    def __init__(self, counts: Counts, append_str: str) -> None:
        self.counts = counts
        self.append_str = append_str
        self.throw_exception_on_send = False
        self.throw_exception_on_ack = False

    def configure(self, configs: Mapping[str, object]) -> None:
        pass

    def on_send(self, record: ProducerRecord[int, str]) -> ProducerRecord[int, str]:
        self.counts.on_send += 1
        if self.throw_exception_on_send:
            raise KafkaException("Injected exception in AppendProducerInterceptor.onSend")
        return ProducerRecord(record.topic(), f"{record.value()}{self.append_str}", key=record.key(),
                              partition=record.partition())

    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        self.counts.on_ack += 1
        if exception is not None:
            self.counts.on_error_ack += 1
            if metadata is not None and metadata.topic() is not None:
                self.counts.on_error_ack_with_topic_set += 1
                if metadata.partition() >= 0:
                    self.counts.on_error_ack_with_topic_partition_set += 1
        if self.throw_exception_on_ack:
            raise KafkaException("Injected exception in AppendProducerInterceptor.onAcknowledgement")

    def close(self) -> None:
        pass


def test_on_send_chain() -> None:
    counts = Counts()
    interceptor1 = AppendProducerInterceptor(counts, "One")
    interceptor2 = AppendProducerInterceptor(counts, "Two")
    interceptors = ProducerInterceptors([interceptor1, interceptor2])

    intercepted_record = interceptors.on_send(RECORD)
    assert counts.on_send == 2
    assert intercepted_record.topic() == RECORD.topic()
    assert intercepted_record.partition() == RECORD.partition()
    assert intercepted_record.key() == RECORD.key()
    assert intercepted_record.value() == "valueOneTwo"

    assert interceptors.on_send(RECORD) == intercepted_record
    assert counts.on_send == 4

    interceptor1.throw_exception_on_send = True
    assert interceptors.on_send(RECORD).value() == "valueTwo"
    assert counts.on_send == 6

    interceptor2.throw_exception_on_send = True
    assert interceptors.on_send(RECORD) == RECORD

    interceptors.close()


def test_on_acknowledgement_chain() -> None:
    counts = Counts()
    interceptor1 = AppendProducerInterceptor(counts, "One")
    interceptor2 = AppendProducerInterceptor(counts, "Two")
    interceptors = ProducerInterceptors([interceptor1, interceptor2])

    meta = RecordMetadata(TP, 0, 0, 0, 0, 0)
    interceptors.on_acknowledgement(meta, None)
    assert counts.on_ack == 2

    interceptor1.throw_exception_on_ack = True
    interceptors.on_acknowledgement(meta, None)
    assert counts.on_ack == 4

    interceptor2.throw_exception_on_ack = True
    interceptors.on_acknowledgement(meta, None)
    assert counts.on_ack == 6

    interceptors.close()


def test_on_acknowledgement_with_error_chain() -> None:
    counts = Counts()
    interceptors = ProducerInterceptors([AppendProducerInterceptor(counts, "One")])
    error = KafkaException("Test")

    interceptors.on_send_error(RECORD, TopicPartition(RECORD.topic(), 0), error)
    assert counts.on_error_ack == 1
    assert counts.on_error_ack_with_topic_partition_set == 1

    # The partition of the record.
    interceptors.on_send_error(RECORD, None, error)
    assert counts.on_error_ack == 2
    assert counts.on_error_ack_with_topic_partition_set == 2

    # No partition is known.
    record2 = ProducerRecord("test2", "value", key=1)
    interceptors.on_send_error(record2, None, error)
    assert counts.on_error_ack == 3
    assert counts.on_error_ack_with_topic_set == 3
    assert counts.on_error_ack_with_topic_partition_set == 2

    # The partition was chosen for the record.
    interceptors.on_send_error(record2, TopicPartition(record2.topic(), 1), error)
    assert counts.on_error_ack == 4
    assert counts.on_error_ack_with_topic_set == 4
    assert counts.on_error_ack_with_topic_partition_set == 3

    # The user has sent None.
    interceptors.on_send_error(None, None, error)
    assert counts.on_error_ack == 5
    assert counts.on_error_ack_with_topic_set == 4
    assert counts.on_error_ack_with_topic_partition_set == 3

    interceptors.close()
