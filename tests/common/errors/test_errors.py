# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The exceptions of the protocol: their tree, and the few with something to say."""

from __future__ import annotations

import inspect

import pytest

import kreactor.common.errors as errors
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition

ALL = [cls for name, cls in vars(errors).items() if inspect.isclass(cls)]

# Those whose parent is not the one that most have.
PARENTS = {
    "SerializationException": "KafkaException", "InterruptException": "KafkaException",
    "WakeupException": "KafkaException", "ApiException": "KafkaException",
    "RetriableException": "ApiException", "InvalidMetadataException": "RetriableException",
    "NotLeaderOrFollowerException": "NotLeaderForPartitionException",
    "NotLeaderForPartitionException": "InvalidMetadataException",
    "UnknownTopicOrPartitionException": "InvalidMetadataException",
    "KafkaStorageException": "InvalidMetadataException", "NetworkException": "InvalidMetadataException",
    "TimeoutException": "RetriableException", "DisconnectException": "RetriableException",
    "CorruptRecordException": "RetriableException", "NotControllerException": "RetriableException",
    "ThrottlingQuotaExceededException": "RetriableException",
    "CoordinatorNotAvailableException": "RetriableException", "NotCoordinatorException": "RetriableException",
    "OffsetOutOfRangeException": "InvalidOffsetException",
    "UnknownProducerIdException": "OutOfOrderSequenceException",
    "SaslAuthenticationException": "AuthenticationException",
    "SslAuthenticationException": "AuthenticationException",
    "TopicAuthorizationException": "AuthorizationException", "UnknownServerException": "ApiException",
    "InvalidRequestException": "ApiException", "UnknownMemberIdException": "ApiException",
}


def test_all_names_are_there() -> None:
    assert len(errors.__all__) == len(ALL) == 134
    assert sorted(errors.__all__) == sorted(cls.__name__ for cls in ALL)


@pytest.mark.parametrize("name", PARENTS)
def test_parents(name: str) -> None:
    assert getattr(errors, name).__base__.__name__ == PARENTS[name]


@pytest.mark.parametrize("cls", ALL)
def test_a_message_comes_back(cls: type[KafkaException]) -> None:
    assert issubclass(cls, KafkaException)
    assert str(cls("told")) == "told"


def test_topic_authorization_exception() -> None:
    e = errors.TopicAuthorizationException(unauthorized_topics={"a"})
    assert str(e) == "Not authorized to access topics: [a]"
    assert e.unauthorized_topics() == {"a"}
    e = errors.TopicAuthorizationException("no", {"a", "b"})
    assert (str(e), e.unauthorized_topics()) == ("no", {"a", "b"})
    assert errors.TopicAuthorizationException("no").unauthorized_topics() == set()


def test_group_authorization_exception() -> None:
    e = errors.GroupAuthorizationException.for_group_id("g")
    assert (str(e), e.group_id()) == ("Not authorized to access group: g", "g")
    assert errors.GroupAuthorizationException("no").group_id() is None


def test_invalid_topic_exception() -> None:
    e = errors.InvalidTopicException(invalid_topics={"?"})
    assert (str(e), e.invalid_topics()) == ("Invalid topics: [?]", {"?"})
    cause = ValueError("bad")
    e = errors.InvalidTopicException(cause=cause)
    assert (str(e), e.__cause__, e.invalid_topics()) == ("ValueError: bad", cause, set())


def test_record_too_large_exception() -> None:
    e = errors.RecordTooLargeException("too large", record_too_large_partitions={TopicPartition("a", 0): 7})
    assert e.record_too_large_partitions() == {TopicPartition("a", 0): 7}
    assert errors.RecordTooLargeException().record_too_large_partitions() is None


def test_throttling_quota_exceeded_exception() -> None:
    assert errors.ThrottlingQuotaExceededException("slow down").throttle_time_ms() == 0
    assert errors.ThrottlingQuotaExceededException("slow down", 17).throttle_time_ms() == 17


@pytest.mark.parametrize("cls", [errors.DuplicateResourceException, errors.ResourceNotFoundException])
def test_resource(cls: type[errors.ResourceNotFoundException]) -> None:
    assert cls("which", resource="r").resource() == "r"
    assert cls("which").resource() is None


def test_messages_of_those_that_have_their_own() -> None:
    assert str(errors.CorruptRecordException()).startswith("This message has failed its CRC checksum")
    assert str(errors.CorruptRecordException(cause=ValueError("x"))) == "ValueError: x"
    assert str(errors.TransactionAbortedException()) == "Failing batch since transaction was aborted"


def test_shared_instances() -> None:
    assert isinstance(errors.DisconnectException.INSTANCE, errors.DisconnectException)
    assert isinstance(errors.CoordinatorNotAvailableException.INSTANCE,
                      errors.CoordinatorNotAvailableException)


def test_kafkas_time_out_is_no_broken_connection() -> None:
    assert not issubclass(errors.TimeoutException, OSError)
