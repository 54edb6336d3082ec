# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Topics, partitions, their leaders and replicas."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.errors.api import ApiException, InvalidMetadataException, RetriableException
from kreactor.jdk.text import java_text


class InvalidTopicException(ApiException):
    """Names that no topic can have, or topics that must not be used so.

    :origin: common.errors.InvalidTopicException
    """

    def __init__(self, message: str | None = None, cause: BaseException | None = None,
                 invalid_topics: AbstractSet[str] | None = None) -> None:
        """Without a message the topics make one.

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
        """Return the topics, none if they are unknown.

        :origin: common.errors.InvalidTopicException#invalidTopics()
        """
        return self._invalid_topics


class TopicExistsException(ApiException):
    """A topic of that name is there already.

    :origin: common.errors.TopicExistsException
    :origin: common.errors.TopicExistsException#TopicExistsException(String)
    :origin: common.errors.TopicExistsException#TopicExistsException(String, Throwable)
    """


class TopicDeletionDisabledException(ApiException):
    """The broker does not let topics be deleted.

    :origin: common.errors.TopicDeletionDisabledException
    :origin: common.errors.TopicDeletionDisabledException#TopicDeletionDisabledException()
    :origin: common.errors.TopicDeletionDisabledException#TopicDeletionDisabledException(String)
    """


class UnknownTopicOrPartitionException(InvalidMetadataException):
    """There is no such topic or partition here.

    :origin: common.errors.UnknownTopicOrPartitionException
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException()
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(String)
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(Throwable)
    :origin: common.errors.UnknownTopicOrPartitionException#UnknownTopicOrPartitionException(String, Throwable)
    """  # noqa: E501


class UnknownTopicIdException(InvalidMetadataException):
    """There is no topic with that id here.

    :origin: common.errors.UnknownTopicIdException
    :origin: common.errors.UnknownTopicIdException#UnknownTopicIdException(String)
    """


class InconsistentTopicIdException(InvalidMetadataException):
    """The id in the request is not the one that the partition's log has.

    :origin: common.errors.InconsistentTopicIdException
    :origin: common.errors.InconsistentTopicIdException#InconsistentTopicIdException(String)
    """


class InvalidPartitionsException(ApiException):
    """A number of partitions that a topic cannot have.

    :origin: common.errors.InvalidPartitionsException
    :origin: common.errors.InvalidPartitionsException#InvalidPartitionsException(String)
    :origin: common.errors.InvalidPartitionsException#InvalidPartitionsException(String, Throwable)
    """


class InvalidReplicationFactorException(ApiException):
    """A replication factor below 1, or above the number of brokers.

    :origin: common.errors.InvalidReplicationFactorException
    :origin: common.errors.InvalidReplicationFactorException#InvalidReplicationFactorException(String)
    :origin: common.errors.InvalidReplicationFactorException#InvalidReplicationFactorException(String, Throwable)
    """  # noqa: E501


class InvalidReplicaAssignmentException(ApiException):
    """An assignment of replicas to brokers that cannot be.

    :origin: common.errors.InvalidReplicaAssignmentException
    :origin: common.errors.InvalidReplicaAssignmentException#InvalidReplicaAssignmentException(String)
    :origin: common.errors.InvalidReplicaAssignmentException#InvalidReplicaAssignmentException(String, Throwable)
    """  # noqa: E501


class LeaderNotAvailableException(InvalidMetadataException):
    """The partition has no leader, for the moment.

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
    """The broker holds no replica that could answer.

    :origin: common.errors.NotLeaderOrFollowerException
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException()
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(String)
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(Throwable)
    :origin: common.errors.NotLeaderOrFollowerException#NotLeaderOrFollowerException(String, Throwable)
    """


class ReplicaNotAvailableException(InvalidMetadataException):
    """A replica is not there, for the moment.

    :origin: common.errors.ReplicaNotAvailableException
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(String)
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(String, Throwable)
    :origin: common.errors.ReplicaNotAvailableException#ReplicaNotAvailableException(Throwable)
    """


class IneligibleReplicaException(ApiException):
    """A replica that cannot join those in sync.

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
    """The partition has the leader that an election would give it.

    :origin: common.errors.ElectionNotNeededException
    :origin: common.errors.ElectionNotNeededException#ElectionNotNeededException(String)
    :origin: common.errors.ElectionNotNeededException#ElectionNotNeededException(String, Throwable)
    """


class EligibleLeadersNotAvailableException(InvalidMetadataException):
    """None of the replicas that could lead is there.

    :origin: common.errors.EligibleLeadersNotAvailableException
    :origin: common.errors.EligibleLeadersNotAvailableException#EligibleLeadersNotAvailableException(String)
    :origin: common.errors.EligibleLeadersNotAvailableException#EligibleLeadersNotAvailableException(String, Throwable)
    """  # noqa: E501


class PreferredLeaderNotAvailableException(InvalidMetadataException):
    """The replica that should lead is not there.

    :origin: common.errors.PreferredLeaderNotAvailableException
    :origin: common.errors.PreferredLeaderNotAvailableException#PreferredLeaderNotAvailableException(String)
    :origin: common.errors.PreferredLeaderNotAvailableException#PreferredLeaderNotAvailableException(String, Throwable)
    """  # noqa: E501


class NewLeaderElectedException(ApiException):
    """The partition's leader changed while its state was being altered.

    :origin: common.errors.NewLeaderElectedException
    :origin: common.errors.NewLeaderElectedException#NewLeaderElectedException(String)
    """


class NoReassignmentInProgressException(ApiException):
    """There is no reassignment to cancel.

    :origin: common.errors.NoReassignmentInProgressException
    :origin: common.errors.NoReassignmentInProgressException#NoReassignmentInProgressException(String)
    :origin: common.errors.NoReassignmentInProgressException#NoReassignmentInProgressException(String, Throwable)
    """  # noqa: E501


class ReassignmentInProgressException(ApiException):
    """The partition's replicas are being moved.

    :origin: common.errors.ReassignmentInProgressException
    :origin: common.errors.ReassignmentInProgressException#ReassignmentInProgressException(String)
    :origin: common.errors.ReassignmentInProgressException#ReassignmentInProgressException(String, Throwable)
    """


class InvalidUpdateVersionException(ApiException):
    """An altered state is based on a version that is not the current one.

    :origin: common.errors.InvalidUpdateVersionException
    :origin: common.errors.InvalidUpdateVersionException#InvalidUpdateVersionException(String)
    :origin: common.errors.InvalidUpdateVersionException#InvalidUpdateVersionException(String, Throwable)
    """


class KafkaStorageException(InvalidMetadataException):
    """A log directory cannot be read or written, as far as this broker goes.

    :origin: common.errors.KafkaStorageException
    :origin: common.errors.KafkaStorageException#KafkaStorageException()
    :origin: common.errors.KafkaStorageException#KafkaStorageException(String)
    :origin: common.errors.KafkaStorageException#KafkaStorageException(Throwable)
    :origin: common.errors.KafkaStorageException#KafkaStorageException(String, Throwable)
    """


class LogDirNotFoundException(ApiException):
    """There is no such log directory.

    :origin: common.errors.LogDirNotFoundException
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(String)
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(String, Throwable)
    :origin: common.errors.LogDirNotFoundException#LogDirNotFoundException(Throwable)
    """


class OffsetMovedToTieredStorageException(ApiException):
    """The records asked for are in remote storage only.

    :origin: common.errors.OffsetMovedToTieredStorageException
    :origin: common.errors.OffsetMovedToTieredStorageException#OffsetMovedToTieredStorageException(String)
    :origin: common.errors.OffsetMovedToTieredStorageException#OffsetMovedToTieredStorageException(String, Throwable)
    """  # noqa: E501
