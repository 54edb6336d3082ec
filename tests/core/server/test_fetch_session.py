# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.FetchSessionTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a fetch means to a node that keeps no sessions."""

from __future__ import annotations

import logging

import pytest

from kreactor.common.message.fetch_response_data import FetchResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.record.memory_records import MemoryRecords
from kreactor.common.requests.fetch_metadata import FetchMetadata
from kreactor.common.requests.fetch_request import FetchRequest
from kreactor.common.requests.fetch_response import FetchResponse
from kreactor.common.topic_id_partition import TopicIdPartition
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.server.fetch_session import (
    FetchContext,
    FetchManager,
    SessionErrorContext,
    SessionlessFetchContext,
    partitions_to_log_string,
)
from kreactor.testing.mock_time import MockTime

NOT_APPLICABLE = {name: "no sessions are kept" for name in (
    "testNewSessionId", "testSessionCache", "testResizeCachedSessions", "testCachedLeaderEpoch",
    "testLastFetchedEpoch", "testIncrementalFetchSession", "testFetchSessionWithUnknownIdOldRequestVersion",
    "testFetchSessionWithUnknownId", "testIncrementalFetchSessionWithIdsWhenSessionDoesNotUseIds",
    "testIncrementalFetchSessionWithoutIdsWhenSessionUsesIds", "testFetchSessionUpdateTopicIdsBrokerSide",
    "testResolveUnknownPartitions", "testToForgetPartitions", "testUpdateAndGenerateResponseData",
    "testFetchSessionExpiration", "testPrivilegedSessionHandling", "testZeroSizeFetchSession",
    "testDivergingEpoch", "testDeprioritizesPartitionsWithRecordsOnly",
    "testCachedPartitionEqualsAndHashCode", "testMaybeResolveUnknownName",
    "testFetchSessionCache_getShardedCache_retrievesCacheFromCorrectSegment",
    "testFetchSessionCache_RoundRobinsIntoShards",
    "testFetchSessionCache_RoundRobinsIntoShards_WhenIntegerOverflows")}

FOO_ID, BAR_ID = Uuid.random_uuid(), Uuid.random_uuid()
TP0, TP1 = (TopicIdPartition(FOO_ID, TopicPartition("foo", number)) for number in range(2))
TP2 = TopicIdPartition(BAR_ID, TopicPartition("bar", 0))
REQUEST = {
    TP1: FetchRequest.PartitionData(FOO_ID, 10, 0, 100, None),
    TP0: FetchRequest.PartitionData(FOO_ID, 0, 0, 100, None),
}


def context_of(metadata: FetchMetadata, is_follower: bool = False) -> FetchContext:
    return FetchManager(MockTime()).new_context(
        16, metadata, is_follower, REQUEST, [TP2], {FOO_ID: "foo", BAR_ID: "bar"})


@pytest.mark.parametrize("is_follower", [False, True])
@pytest.mark.parametrize("metadata", [
    FetchMetadata.LEGACY, FetchMetadata.INITIAL, FetchMetadata(123, FetchMetadata.INITIAL_EPOCH),
    FetchMetadata(123, FetchMetadata.FINAL_EPOCH)], ids=str)
def test_fetch_requests(metadata: FetchMetadata, is_follower: bool) -> None:
    """A client without a session, that wants one, that wants another, that ends one: told everything."""
    context = context_of(metadata, is_follower)
    assert type(context) is SessionlessFetchContext
    seen: list[tuple[TopicIdPartition, FetchRequest.PartitionData]] = []
    context.foreach_partition(lambda tp, data: seen.append((tp, data)))
    assert seen == list(REQUEST.items())
    assert (context.get_fetch_offset(TP0), context.get_fetch_offset(TP1), context.get_fetch_offset(TP2)) == (
        0, 10, None)

    updates = {
        TP1: FetchResponseData.PartitionData(partition_index=1, high_watermark=10, last_stable_offset=10,
                                             log_start_offset=10, records=MemoryRecords.EMPTY),
        TP0: FetchResponseData.PartitionData(partition_index=0, high_watermark=100,
                                             error_code=Errors.KAFKA_STORAGE_ERROR.code)}
    response = context.update_and_generate_response_data(updates)
    assert (response.error(), response.session_id()) == (Errors.NONE, FetchMetadata.INVALID_SESSION_ID)
    topic, = response.data().responses
    assert (topic.topic, topic.topic_id, topic.partitions) == ("foo", FOO_ID, list(updates.values()))
    assert context.get_response_size(updates, 16) == FetchResponse.size_of(16, updates.items()) > 50


@pytest.mark.parametrize("metadata", [FetchMetadata(123, 1), FetchMetadata(0, 5)], ids=str)
def test_a_session_that_there_is_not(metadata: FetchMetadata) -> None:
    context = context_of(metadata)
    assert isinstance(context, SessionErrorContext)
    assert (context.error_, context.req_metadata) == (Errors.FETCH_SESSION_ID_NOT_FOUND, metadata)
    assert context.get_fetch_offset(TP0) is None
    context.foreach_partition(lambda tp, data: pytest.fail("nobody knows what it asks for"))
    updates = {TP0: FetchResponseData.PartitionData(partition_index=0)}
    response = context.update_and_generate_response_data(updates)
    assert (response.error(), response.session_id(), response.data().responses) == (
        Errors.FETCH_SESSION_ID_NOT_FOUND, FetchMetadata.INVALID_SESSION_ID, [])
    assert context.get_response_size(updates, 16) == FetchResponse.size_of(16, ())


@pytest.mark.parametrize("metadata", [FetchMetadata.LEGACY, FetchMetadata(123, 1)], ids=str)
def test_the_answer_to_a_client_that_has_to_wait(metadata: FetchMetadata) -> None:
    response = context_of(metadata).get_throttled_response(77)
    assert (response.error(), response.throttle_time_ms(), response.session_id(),
            response.data().responses) == (
        Errors.NONE, 77, FetchMetadata.INVALID_SESSION_ID, [])


def test_which_partitions_is_said_where_all_is_traced(caplog: pytest.LogCaptureFixture) -> None:
    assert partitions_to_log_string([TP0, TP1], False) == "2 partition(s)"
    assert partitions_to_log_string([TP0, TP1], True) == f"({TP0}, {TP1})"
    caplog.set_level(logging.DEBUG)
    context_of(FetchMetadata.INITIAL).update_and_generate_response_data(
        {TP0: FetchResponseData.PartitionData()})
    assert [record.message for record in caplog.records] == [
        "created a new full fetch context with 2 partition(s)",
        "sessionless fetch context returning 1 partition(s)"]
