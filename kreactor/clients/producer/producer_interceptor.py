# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.ProducerInterceptor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of interceptors, which see records before they are sent, and their acknowledgements."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from kreactor.clients.producer.producer_record import ProducerRecord
from kreactor.clients.producer.record_metadata import RecordMetadata
from kreactor.common.configurable import Configurable

K = TypeVar("K")
V = TypeVar("V")


class ProducerInterceptor(Configurable, Generic[K, V]):
    """A plug-in of the producer, configured with the producer's settings and its client id.

    The producer logs an interceptor's exception and continues. Several threads may call it at once.

    :origin: clients.producer.ProducerInterceptor
    """

    @abstractmethod
    def on_send(self, record: ProducerRecord[K, V]) -> ProducerRecord[K, V]:
        """Return the record to send, ``record`` or another one. Called by the sending thread.

        The next interceptor gets the result of this one, or its argument if this one raises. The serializers
        and the partitioner run after the last interceptor.

        :origin: clients.producer.ProducerInterceptor#onSend(ProducerRecord<K,V>)
        """

    @abstractmethod
    def on_acknowledgement(self, metadata: RecordMetadata | None, exception: Exception | None) -> None:
        """Handle the acknowledgement of a record, or its failure with ``exception``.

        After a failure only the topic is certain; the partition is -1 if none was chosen. ``metadata`` is
        None if the user passed None. The sender's thread makes the call before the user's callback. A slow
        interceptor delays all other records.

        :origin: clients.producer.ProducerInterceptor#onAcknowledgement(RecordMetadata, Exception)
        """

    @abstractmethod
    def close(self) -> None:
        """Release resources. Called once, when the producer is closed.

        :origin: clients.producer.ProducerInterceptor#close()
        """
