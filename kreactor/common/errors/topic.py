# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of topics, partitions, leaders and replicas."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.errors.api import ApiException, InvalidMetadataException, RetriableException
from kreactor.jdk.text import java_text


class InvalidTopicException(ApiException):
    """A topic name is invalid, or an operation is not allowed on a topic.

    :origin: common.errors.InvalidTopicException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None,
                 invalid_topics: AbstractSet[str] | None = None) -> None:
        """The default message lists the topics.

        :origin: common.errors.InvalidTopicException#InvalidTopicException()
        :origin: common.errors.InvalidTopicException#InvalidTopicException(String, Throwable)
        :origin: common.errors.InvalidTopicException#InvalidTopicException(String)
        :origin: common.errors.InvalidTopicException#InvalidTopicException(Throwable)
        :origin: common.errors.InvalidTopicException#InvalidTopicException(Set<String>)
        :origin: common.errors.InvalidTopicException#InvalidTopicException(String, Set<String>)
        """
        if invalid_topics is None:
            invalid_topics = frozenset()
        elif message is None:
            message = f"Invalid topics: {java_text(invalid_topics)}"
        super().__init__(message, cause)
        self._invalid_topics = invalid_topics

    def invalid_topics(self) -> AbstractSet[str]:
        """Return the topics, empty if unknown.

        :origin: common.errors.InvalidTopicException#invalidTopics()
        """
        return self._invalid_topics


class TopicExistsException(ApiException):
    """A topic with this name already exists.

    :origin: common.errors.TopicExistsException
    :origin: common.errors.TopicExistsException#TopicExistsException(String)
    :origin: common.errors.TopicExistsException#TopicExistsException(String, Throwable)
    """


class TopicDeletionDisabledException(ApiException):
    """Topic deletion is disabled in the broker.

    :origin: common.errors.TopicDeletionDisabledException
    :origin: common.errors.TopicDeletionDisabledException#TopicDeletionDisabledException()
    :origin: common.errors.TopicDeletionDisabledException#TopicDeletionDisabledException(String)
    """


class UnknownTopicOrPartitionException(InvalidMetadataException):
    """The broker does not have the topic or partition.

    :origin: common.errors.UnknownTopicOrPartitionException
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException()
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(String)
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(Throwable)
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(String, Throwable)
    """  # noqa: E501


class UnknownTopicIdException(InvalidMetadataException):
    """The broker has no topic with this id.

    :origin: common.errors.UnknownTopicIdException
    :origin: common.errors.UnknownTopicIdException#UnknownTopicIdException(String)
    """


class InconsistentTopicIdException(InvalidMetadataException):
    """The topic id in the request differs from the id of the partition's log.

    :origin: common.errors.InconsistentTopicIdException
    :origin: common.errors.InconsistentTopicIdException#InconsistentTopicIdException(String)
    """


class InvalidPartitionsException(ApiException):
    """The number of partitions is invalid.

    :origin: common.errors.InvalidPartitionsException
    :origin: common.errors.InvalidPartitionsException#InvalidPartitionsException(String)
    :origin: common.errors.InvalidPartitionsException#InvalidPartitionsException(String, Throwable)
    """


class InvalidReplicationFactorException(ApiException):
    """The replication factor is below 1 or above the number of brokers.

    :origin: common.errors.InvalidReplicationFactorException
    :origin: common.errors.InvalidReplicationFactorException#InvalidReplicationFactorException(String)
    :origin: common.errors.InvalidReplicationFactorException#InvalidReplicationFactorException(String, Throwable)
    """  # noqa: E501


class InvalidReplicaAssignmentException(ApiException):
    """The assignment of replicas to brokers is invalid.

    :origin: common.errors.InvalidReplicaAssignmentException
    :origin: common.errors.InvalidReplicaAssignmentException#InvalidReplicaAssignmentException(String)
    :origin: common.errors.InvalidReplicaAssignmentException#InvalidReplicaAssignmentException(String, Throwable)
    """  # noqa: E501


class LeaderNotAvailableException(InvalidMetadataException):
    """The partition currently has no leader.

    :origin: common.errors.LeaderNotAvailableException
    :origin: common.errors.LeaderNotAvailableException#LeaderNotAvailableException(String)
    :origin: common.errors.LeaderNotAvailableException#LeaderNotAvailableException(String, Throwable)
    """


class NotLeaderForPartitionException(InvalidMetadataException):
    """The older name of NotLeaderOrFollowerException. Deprecated.

    :origin: common.errors.NotLeaderForPartitionException
    :origin: common.errors.NotLeaderForPartitionException#NotLeaderForPartitionException()
    :origin: common.errors.NotLeaderForPartitionException#NotLeaderForPartitionException(String)
    :origin: common.errors.NotLeaderForPartitionException#NotLeaderForPartitionException(Throwable)
    :origin: common.errors.NotLeaderForPartitionException#NotLeaderForPartitionException(String, Throwable)
    """


class NotLeaderOrFollowerException(NotLeaderForPartitionException):
    """The broker is not the leader, or has no replica, of the partition.

    :origin: common.errors.NotLeaderOrFollowerException
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException()
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(String)
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(Throwable)
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(String, Throwable)
    """


class ReplicaNotAvailableException(InvalidMetadataException):
    """A replica is currently not available.

    :origin: common.errors.ReplicaNotAvailableException
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(String)
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(String, Throwable)
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(Throwable)
    """


class IneligibleReplicaException(ApiException):
    """A replica is not eligible to join the in-sync replicas.

    :origin: common.errors.IneligibleReplicaException
    :origin: common.errors.IneligibleReplicaException#IneligibleReplicaException(String)
    """


class FencedLeaderEpochException(InvalidMetadataException):
    """The leader epoch in the request is older than the broker's.

    :origin: common.errors.FencedLeaderEpochException
    :origin: common.errors.FencedLeaderEpochException#FencedLeaderEpochException(String)
    :origin: common.errors.FencedLeaderEpochException#FencedLeaderEpochException(String, Throwable)
    """


class UnknownLeaderEpochException(RetriableException):
    """The leader epoch in the request is newer than the broker's.

    :origin: common.errors.UnknownLeaderEpochException
    :origin: common.errors.UnknownLeaderEpochException#UnknownLeaderEpochException(String)
    :origin: common.errors.UnknownLeaderEpochException#UnknownLeaderEpochException(String, Throwable)
    """


class ElectionNotNeededException(InvalidMetadataException):
    """The partition already has the leader that an election would select.

    :origin: common.errors.ElectionNotNeededException
    :origin: common.errors.ElectionNotNeededException#ElectionNotNeededException(String)
    :origin: common.errors.ElectionNotNeededException#ElectionNotNeededException(String, Throwable)
    """


class EligibleLeadersNotAvailableException(InvalidMetadataException):
    """No eligible leader of the partition is available.

    :origin: common.errors.EligibleLeadersNotAvailableException
    :origin: common.errors.EligibleLeadersNotAvailableException#EligibleLeadersNotAvailableException(String)
    :origin: common.errors.EligibleLeadersNotAvailableException#EligibleLeadersNotAvailableException(String, Throwable)
    """  # noqa: E501


class PreferredLeaderNotAvailableException(InvalidMetadataException):
    """The preferred leader is not available.

    :origin: common.errors.PreferredLeaderNotAvailableException
    :origin: common.errors.PreferredLeaderNotAvailableException#PreferredLeaderNotAvailableException(String)
    :origin: common.errors.PreferredLeaderNotAvailableException#PreferredLeaderNotAvailableException(String, Throwable)
    """  # noqa: E501


class NewLeaderElectedException(ApiException):
    """The partition got a new leader while its state was altered.

    :origin: common.errors.NewLeaderElectedException
    :origin: common.errors.NewLeaderElectedException#NewLeaderElectedException(String)
    """


class NoReassignmentInProgressException(ApiException):
    """No reassignment of the partition is in progress.

    :origin: common.errors.NoReassignmentInProgressException
    :origin: common.errors.NoReassignmentInProgressException#NoReassignmentInProgressException(String)
    :origin: common.errors.NoReassignmentInProgressException#NoReassignmentInProgressException(String, Throwable)
    """  # noqa: E501


class ReassignmentInProgressException(ApiException):
    """A reassignment of the partition is in progress.

    :origin: common.errors.ReassignmentInProgressException
    :origin: common.errors.ReassignmentInProgressException#ReassignmentInProgressException(String)
    :origin: common.errors.ReassignmentInProgressException#ReassignmentInProgressException(String, Throwable)
    """


class InvalidUpdateVersionException(ApiException):
    """The altered state has a version other than the current one.

    :origin: common.errors.InvalidUpdateVersionException
    :origin: common.errors.InvalidUpdateVersionException#InvalidUpdateVersionException(String)
    :origin: common.errors.InvalidUpdateVersionException#InvalidUpdateVersionException(String, Throwable)
    """


class KafkaStorageException(InvalidMetadataException):
    """The broker cannot read or write a log directory.

    :origin: common.errors.KafkaStorageException
    :origin: common.errors.KafkaStorageException#KafkaStorageException()
    :origin: common.errors.KafkaStorageException#KafkaStorageException(String)
    :origin: common.errors.KafkaStorageException#KafkaStorageException(Throwable)
    :origin: common.errors.KafkaStorageException#KafkaStorageException(String, Throwable)
    """


class LogDirNotFoundException(ApiException):
    """The log directory does not exist.

    :origin: common.errors.LogDirNotFoundException
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(String)
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(String, Throwable)
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(Throwable)
    """


class OffsetMovedToTieredStorageException(ApiException):
    """The requested records are only in remote storage.

    :origin: common.errors.OffsetMovedToTieredStorageException
    :origin: common.errors.OffsetMovedToTieredStorageException#OffsetMovedToTieredStorageException(String)
    :origin: common.errors.OffsetMovedToTieredStorageException#OffsetMovedToTieredStorageException(String, Throwable)
    """  # noqa: E501
