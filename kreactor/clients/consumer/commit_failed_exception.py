# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.CommitFailedException of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The error of a commit whose member is no longer in the group."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException


class CommitFailedException(KafkaException):
    """The group has rebalanced, so that the commit must not be repeated.

    :origin: clients.consumer.CommitFailedException
    """

    def __init__(self, message: str = (
            "Commit cannot be completed since the group has already rebalanced and assigned the partitions "
            "to another member. This means that the time between subsequent calls to poll() was longer than "
            "the configured max.poll.interval.ms, which typically implies that the poll loop is spending too "
            "much time message processing. You can address this either by increasing max.poll.interval.ms or "
            "by reducing the maximum size of batches returned in poll() with max.poll.records.")) -> None:
        """Use Kafka's message, which says what to change, if there is no message.

        :origin: clients.consumer.CommitFailedException#CommitFailedException(String)
        :origin: clients.consumer.CommitFailedException#CommitFailedException()
        """
        super().__init__(message)
