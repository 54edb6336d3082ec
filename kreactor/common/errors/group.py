# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of groups, of coordinators and of committed offsets."""

from __future__ import annotations

from kreactor.common.errors.api import ApiException, RetriableException


class CoordinatorLoadInProgressException(RetriableException):
    """The coordinator is still loading its state.

    :origin: common.errors.CoordinatorLoadInProgressException
    :origin: common.errors.CoordinatorLoadInProgressException#CoordinatorLoadInProgressException(String)
    :origin: common.errors.CoordinatorLoadInProgressException#CoordinatorLoadInProgressException(String, Throwable)
    """  # noqa: E501


class CoordinatorNotAvailableException(RetriableException):
    """The coordinator is currently not available.

    :origin: common.errors.CoordinatorNotAvailableException
    :origin: common.errors.CoordinatorNotAvailableException#CoordinatorNotAvailableException()
    :origin: common.errors.CoordinatorNotAvailableException#CoordinatorNotAvailableException(String)
    :origin: common.errors.CoordinatorNotAvailableException#CoordinatorNotAvailableException(String, Throwable)
    """  # noqa: E501

    INSTANCE: CoordinatorNotAvailableException


# Only for responses, because a shared exception that is raised repeatedly collects tracebacks.
CoordinatorNotAvailableException.INSTANCE = CoordinatorNotAvailableException()


class NotCoordinatorException(RetriableException):
    """The broker is not the coordinator of this group or transactional id.

    :origin: common.errors.NotCoordinatorException
    :origin: common.errors.NotCoordinatorException#NotCoordinatorException(String)
    :origin: common.errors.NotCoordinatorException#NotCoordinatorException(String, Throwable)
    """


class InvalidGroupIdException(ApiException):
    """The group id is invalid.

    :origin: common.errors.InvalidGroupIdException
    :origin: common.errors.InvalidGroupIdException#InvalidGroupIdException(String, Throwable)
    :origin: common.errors.InvalidGroupIdException#InvalidGroupIdException(String)
    """


class GroupIdNotFoundException(ApiException):
    """The group does not exist.

    :origin: common.errors.GroupIdNotFoundException
    :origin: common.errors.GroupIdNotFoundException#GroupIdNotFoundException(String)
    """


class GroupMaxSizeReachedException(ApiException):
    """The group has the maximum number of members.

    :origin: common.errors.GroupMaxSizeReachedException
    :origin: common.errors.GroupMaxSizeReachedException#GroupMaxSizeReachedException(String)
    """


class GroupNotEmptyException(ApiException):
    """The operation requires an empty group, but the group has members.

    :origin: common.errors.GroupNotEmptyException
    :origin: common.errors.GroupNotEmptyException#GroupNotEmptyException(String)
    """


class GroupSubscribedToTopicException(ApiException):
    """The group is still subscribed to the topic.

    :origin: common.errors.GroupSubscribedToTopicException
    :origin: common.errors.GroupSubscribedToTopicException#GroupSubscribedToTopicException(String)
    """


class IllegalGenerationException(ApiException):
    """The generation is not the group's current one.

    :origin: common.errors.IllegalGenerationException
    :origin: common.errors.IllegalGenerationException#IllegalGenerationException()
    :origin: common.errors.IllegalGenerationException#IllegalGenerationException(String, Throwable)
    :origin: common.errors.IllegalGenerationException#IllegalGenerationException(String)
    :origin: common.errors.IllegalGenerationException#IllegalGenerationException(Throwable)
    """


class InconsistentGroupProtocolException(ApiException):
    """A member has no protocol in common with the other members.

    :origin: common.errors.InconsistentGroupProtocolException
    :origin: common.errors.InconsistentGroupProtocolException#InconsistentGroupProtocolException(String, Throwable)
    :origin: common.errors.InconsistentGroupProtocolException#InconsistentGroupProtocolException(String)
    """  # noqa: E501


class RebalanceInProgressException(ApiException):
    """The group is rebalancing, and its members must join again.

    :origin: common.errors.RebalanceInProgressException
    :origin: common.errors.RebalanceInProgressException#RebalanceInProgressException()
    :origin: common.errors.RebalanceInProgressException#RebalanceInProgressException(String, Throwable)
    :origin: common.errors.RebalanceInProgressException#RebalanceInProgressException(String)
    :origin: common.errors.RebalanceInProgressException#RebalanceInProgressException(Throwable)
    """


class UnknownMemberIdException(ApiException):
    """The group has no member with this id.

    :origin: common.errors.UnknownMemberIdException
    :origin: common.errors.UnknownMemberIdException#UnknownMemberIdException()
    :origin: common.errors.UnknownMemberIdException#UnknownMemberIdException(String, Throwable)
    :origin: common.errors.UnknownMemberIdException#UnknownMemberIdException(String)
    :origin: common.errors.UnknownMemberIdException#UnknownMemberIdException(Throwable)
    """


class MemberIdRequiredException(ApiException):
    """The member must join again with its assigned id.

    :origin: common.errors.MemberIdRequiredException
    :origin: common.errors.MemberIdRequiredException#MemberIdRequiredException(String)
    :origin: common.errors.MemberIdRequiredException#MemberIdRequiredException(String, Throwable)
    """


class FencedInstanceIdException(ApiException):
    """Another member has taken over the static id.

    :origin: common.errors.FencedInstanceIdException
    :origin: common.errors.FencedInstanceIdException#FencedInstanceIdException(String)
    :origin: common.errors.FencedInstanceIdException#FencedInstanceIdException(String, Throwable)
    """


class UnreleasedInstanceIdException(ApiException):
    """The static id still belongs to a member.

    :origin: common.errors.UnreleasedInstanceIdException
    :origin: common.errors.UnreleasedInstanceIdException#UnreleasedInstanceIdException(String)
    """


class FencedMemberEpochException(ApiException):
    """The member's epoch is out of date, and the member must join again.

    :origin: common.errors.FencedMemberEpochException
    :origin: common.errors.FencedMemberEpochException#FencedMemberEpochException(String)
    """


class StaleMemberEpochException(ApiException):
    """The member's epoch is out of date, and the member will get the new one.

    :origin: common.errors.StaleMemberEpochException
    :origin: common.errors.StaleMemberEpochException#StaleMemberEpochException(String)
    """


class UnsupportedAssignorException(ApiException):
    """The group's coordinator or members do not support the assignor.

    :origin: common.errors.UnsupportedAssignorException
    :origin: common.errors.UnsupportedAssignorException#UnsupportedAssignorException(String)
    """


class InvalidSessionTimeoutException(ApiException):
    """The session timeout is outside the range of the broker.

    :origin: common.errors.InvalidSessionTimeoutException
    :origin: common.errors.InvalidSessionTimeoutException#InvalidSessionTimeoutException(String, Throwable)
    :origin: common.errors.InvalidSessionTimeoutException#InvalidSessionTimeoutException(String)
    """


class InvalidCommitOffsetSizeException(ApiException):
    """The committed offsets are larger than allowed.

    :origin: common.errors.InvalidCommitOffsetSizeException
    :origin: common.errors.InvalidCommitOffsetSizeException#InvalidCommitOffsetSizeException(String, Throwable)
    :origin: common.errors.InvalidCommitOffsetSizeException#InvalidCommitOffsetSizeException(String)
    """  # noqa: E501


class OffsetMetadataTooLarge(ApiException):
    """The metadata of a committed offset is longer than allowed.

    :origin: common.errors.OffsetMetadataTooLarge
    :origin: common.errors.OffsetMetadataTooLarge#OffsetMetadataTooLarge()
    :origin: common.errors.OffsetMetadataTooLarge#OffsetMetadataTooLarge(String)
    :origin: common.errors.OffsetMetadataTooLarge#OffsetMetadataTooLarge(Throwable)
    :origin: common.errors.OffsetMetadataTooLarge#OffsetMetadataTooLarge(String, Throwable)
    """


class UnstableOffsetCommitException(RetriableException):
    """The offsets belong to a transaction that is still open.

    :origin: common.errors.UnstableOffsetCommitException
    :origin: common.errors.UnstableOffsetCommitException#UnstableOffsetCommitException(String)
    """
