# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.MetadataTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""When metadata are asked for again, and what of a response is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Callable

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.metadata import Metadata
from kreactor.clients.metadata_snapshot import MetadataSnapshot
from kreactor.common.cluster import Cluster
from kreactor.common.cluster_resource import ClusterResource
from kreactor.common.cluster_resource_listener import ClusterResourceListener
from kreactor.common.errors import (
    AuthenticationException,
    InvalidTopicException,
    TopicAuthorizationException,
)
from kreactor.common.internals.cluster_resource_listeners import ClusterResourceListeners
from kreactor.common.internals.topic import Topic
from kreactor.common.message.metadata_response_data import MetadataResponseData
from kreactor.common.node import Node
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.common.requests.metadata_request import MetadataRequest
from kreactor.common.requests.metadata_response import MetadataResponse
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.jdk.concurrent import CountDownLatch
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.testing.mock_time import MockTime
from tests.common.requests.request_test_utils import RequestTestUtils

REFRESH_BACKOFF_MS = 100
REFRESH_BACKOFF_MAX_MS = 1000
METADATA_EXPIRE_MS = 1000
JITTER = CommonClientConfigs.RETRY_BACKOFF_JITTER
LATEST = ApiKeys.METADATA.latest_version()

Partition = MetadataResponseData.MetadataResponsePartition
PartitionMetadata = MetadataResponse.PartitionMetadata
LeaderIdAndEpoch = Metadata.LeaderIdAndEpoch


class Listener(ClusterResourceListener):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.updates: list[ClusterResource] = []

    def on_update(self, cluster_resource: ClusterResource) -> None:
        self.updates.append(cluster_resource)


class RetainingMetadata(Metadata):
    """Keeps the topics of a set."""

    retain_topics: set[str] = set()

    def retain_topic(self, topic: str, is_internal: bool, now_ms: int) -> bool:
        return topic in self.retain_topics


def new_metadata(cls: type[Metadata] = Metadata, *, backoff_ms: int = REFRESH_BACKOFF_MS,
                 backoff_max_ms: int = REFRESH_BACKOFF_MAX_MS, expire_ms: int = METADATA_EXPIRE_MS,
                 listeners: ClusterResourceListeners | None = None) -> Metadata:
    return cls(backoff_ms, backoff_max_ms, expire_ms, LogContext(), listeners or ClusterResourceListeners())


@pytest.fixture
def metadata() -> Metadata:
    return new_metadata()


def empty_metadata_response() -> MetadataResponse:
    return RequestTestUtils.metadata_response([], None, -1, [])


def response_with(topic_partition_counts: Mapping[str, int], epoch: int | None = None,
                  topic_ids: Mapping[str, Uuid] | None = None, *, num_nodes: int = 1,
                  cluster_id: str = "dummy", topic_errors: Mapping[str, Errors] | None = None,
                  **others) -> MetadataResponse:
    return RequestTestUtils.metadata_update_with(
        num_nodes, topic_partition_counts, lambda tp: epoch, cluster_id=cluster_id, topic_ids=topic_ids,
        topic_errors=topic_errors, **others)


def update(metadata: Metadata, response: MetadataResponse, now_ms: int = 0, partial: bool = False) -> None:
    metadata.update_with_current_request_version(response, partial, now_ms)


def test_metadata_update_after_close(metadata) -> None:
    metadata.close()
    assert metadata.is_closed()
    with pytest.raises(IllegalStateException, match="Update requested after metadata close"):
        update(metadata, empty_metadata_response(), 1000)


def check_time_to_next_update(refresh_backoff_ms: int, metadata_expire_ms: int) -> None:
    now = 10000
    larger_of_backoff_and_expire = max(refresh_backoff_ms, metadata_expire_ms)
    # With this maximum the backoff neither grows nor varies.
    metadata = new_metadata(backoff_ms=refresh_backoff_ms, backoff_max_ms=refresh_backoff_ms,
                            expire_ms=metadata_expire_ms)
    assert metadata.metadata_expire_ms() == metadata_expire_ms

    assert metadata.time_to_next_update(now) == 0

    update(metadata, empty_metadata_response(), now)
    assert metadata.time_to_next_update(now) == larger_of_backoff_and_expire

    metadata.request_update(True)
    assert metadata.time_to_next_update(now) == refresh_backoff_ms

    update(metadata, empty_metadata_response(), now)
    assert metadata.time_to_next_update(now) == larger_of_backoff_and_expire

    now += larger_of_backoff_and_expire
    assert metadata.time_to_next_update(now) == 0
    assert metadata.time_to_next_update(now + 1) == 0


def test_update_metadata_allowed_immediately_after_bootstrap(metadata) -> None:
    time = MockTime()
    metadata.bootstrap([InetSocketAddress.create_unresolved("localhost", 9002)])
    assert metadata.time_to_allow_update(time.milliseconds()) == 0
    assert metadata.time_to_next_update(time.milliseconds()) == 0


def test_time_to_next_update() -> None:
    check_time_to_next_update(100, 1000)
    check_time_to_next_update(1000, 100)
    check_time_to_next_update(0, 0)
    check_time_to_next_update(0, 100)
    check_time_to_next_update(100, 0)


def test_new_topics_are_requested_without_a_backoff(metadata) -> None:
    now = 10000
    metadata.update_with_current_request_version(response_with({"topic": 1}), False, now)
    metadata.request_update(True)
    assert metadata.time_to_next_update(now) > 0
    metadata.request_update_for_new_topics()
    assert metadata.time_to_next_update(now) == metadata.time_to_allow_update(now) == 0


def test_time_to_next_update_retry_backoff(metadata) -> None:
    now = 10000
    metadata.failed_update(now)

    lower, upper = int(REFRESH_BACKOFF_MS * (1 - JITTER)), int(REFRESH_BACKOFF_MS * (1 + JITTER))
    assert lower <= metadata.time_to_next_update(now) <= upper

    metadata.request_update(True)
    assert lower <= metadata.time_to_next_update(now) <= upper

    now += REFRESH_BACKOFF_MS + upper
    assert metadata.time_to_next_update(now) == 0
    assert metadata.time_to_next_update(now + 1) == 0


def test_the_backoff_doubles_with_each_failure(metadata) -> None:
    for backoff in (100, 200, 400, 800, 1000, 1000):
        metadata.failed_update(10000)
        assert backoff * (1 - JITTER) - 1 <= metadata.time_to_next_update(10000) <= backoff * (1 + JITTER)


def test_equivalent_responses_are_asked_for_ever_more_seldom(metadata) -> None:
    update(metadata, response_with({"topic": 1}, 7), 10000)
    for backoff in (100, 200, 400, 800):
        update(metadata, response_with({"topic": 1}, 7), 10000)
        metadata.request_update(False)
        assert backoff * (1 - JITTER) - 1 <= metadata.time_to_next_update(10000) <= backoff * (1 + JITTER)
    # News.
    update(metadata, response_with({"topic": 1}, 8), 10000)
    metadata.request_update(False)
    assert metadata.time_to_next_update(10000) <= 100 * (1 + JITTER)
    # Something else is asked for.
    update(metadata, response_with({"topic": 1}, 8), 10000)
    update(metadata, response_with({"topic": 1}, 8), 10000)
    metadata.request_update(True)
    assert metadata.time_to_next_update(10000) <= 100 * (1 + JITTER)


def single_topic(partition_metadata: Partition, brokers: Iterable[Node] = ()) -> MetadataResponseData:
    return MetadataResponseData(
        cluster_id="clusterId", controller_id=0,
        topics=[MetadataResponseData.MetadataResponseTopic(name="topic", partitions=[partition_metadata])],
        brokers=[MetadataResponseData.MetadataResponseBroker(
            node_id=node.id(), host=node.host(), port=node.port(), rack=node.rack()) for node in brokers])


def test_ignore_leader_epoch_in_older_metadata_response(metadata) -> None:
    tp = TopicPartition("topic", 0)
    data = single_topic(Partition(partition_index=0, leader_id=5, leader_epoch=10, replica_nodes=[1, 2, 3],
                                  isr_nodes=[1, 2, 3]))
    for version in ApiKeys.METADATA.all_versions():
        response = MetadataResponse.parse(MessageUtil.to_byte_buffer(data, version), version)
        assert response.has_reliable_leader_epochs() == (version >= 9)
        update(metadata, response, 100)
        found = metadata.partition_metadata_if_current(tp)
        assert found is not None
        assert found.leader_epoch == (10 if version >= 9 else None)


def test_stale_metadata(metadata) -> None:
    tp = TopicPartition("topic", 0)
    update(metadata, MetadataResponse(single_topic(Partition(
        partition_index=0, leader_id=1, leader_epoch=10, replica_nodes=[1, 2, 3], isr_nodes=[1, 2, 3])),
        LATEST), 100)

    # Of an older epoch, so the other replicas in sync do not count.
    update(metadata, MetadataResponse(single_topic(Partition(
        partition_index=0, leader_id=1, leader_epoch=9, replica_nodes=[1, 2, 3], isr_nodes=[1, 2])),
        LATEST), 101)
    assert metadata.last_seen_leader_epoch(tp) == 10

    found = metadata.partition_metadata_if_current(tp)
    assert found is not None
    assert found.in_sync_replica_ids == [1, 2, 3]
    assert found.leader_epoch == 10


def test_failed_update(metadata) -> None:
    time = 100
    update(metadata, empty_metadata_response(), time)

    assert metadata.time_to_next_update(1000) == 100
    metadata.failed_update(1100)

    deviation = REFRESH_BACKOFF_MS * 2 * JITTER
    assert metadata.time_to_next_update(1100) == pytest.approx(100, abs=deviation)
    assert metadata.last_successful_update() == 100

    update(metadata, empty_metadata_response(), time)
    assert metadata.time_to_next_update(1000) == pytest.approx(100, abs=deviation)


def test_cluster_listener_gets_notified_of_update() -> None:
    listener = Listener()
    listeners = ClusterResourceListeners()
    # Only what listens is added.
    listeners.maybe_add_all([object(), listener, None])
    metadata = new_metadata(listeners=listeners)

    metadata.bootstrap([InetSocketAddress.create_unresolved("www.example.com", 9002)])
    assert listener.updates == []

    update(metadata, response_with({"topic": 1, "topic1": 1}), 100)
    assert [resource.cluster_id() for resource in listener.updates] == ["dummy"]
    assert listener.updates == [ClusterResource("dummy")]


def test_request_update(metadata) -> None:
    assert not metadata.update_requested()

    epochs = [42, 42, 41, 41, 42, 43, 43, 42, 41, 44]
    update_result = [True, False, False, False, False, True, False, False, False, True]
    tp = TopicPartition("topic", 0)

    update(metadata, response_with({"topic": 1}, 0), 10)

    for epoch, result in zip(epochs, update_result):
        assert metadata.update_last_seen_epoch_if_newer(tp, epoch) == result
        assert metadata.update_requested() == result
        update(metadata, empty_metadata_response())
        assert not metadata.update_requested()


def test_update_last_epoch(metadata) -> None:
    tp = TopicPartition("topic-1", 0)
    update(metadata, empty_metadata_response())

    # There is no epoch yet that one could be newer than.
    for epoch in (0, 1, 2):
        assert not metadata.update_last_seen_epoch_if_newer(tp, epoch)
    assert metadata.last_seen_leader_epoch(tp) is None

    update(metadata, response_with({"topic-1": 1}, 10), 1)
    assert metadata.last_seen_leader_epoch(tp) == 10

    assert not metadata.update_last_seen_epoch_if_newer(tp, 1)
    assert metadata.last_seen_leader_epoch(tp) == 10

    assert not metadata.update_last_seen_epoch_if_newer(tp, 10)
    assert metadata.last_seen_leader_epoch(tp) == 10

    assert metadata.update_last_seen_epoch_if_newer(tp, 12)
    assert metadata.last_seen_leader_epoch(tp) == 12

    update(metadata, response_with({"topic-1": 1}, 12), 2)
    assert metadata.last_seen_leader_epoch(tp) == 12

    update(metadata, response_with({"topic-1": 1}, 11), 3)
    assert metadata.last_seen_leader_epoch(tp) == 12

    with pytest.raises(IllegalArgumentException, match=r"Invalid leader epoch -1 \(must be non-negative\)"):
        metadata.update_last_seen_epoch_if_newer(tp, -1)


def test_epoch_update_after_topic_deletion(metadata) -> None:
    tp = TopicPartition("topic-1", 0)
    update(metadata, empty_metadata_response())

    update(metadata, response_with({"topic-1": 1}, 10, {"topic-1": Uuid.random_uuid()}), 1)
    assert metadata.last_seen_leader_epoch(tp) == 10

    # The topic is deleted.
    update(metadata, response_with({}, topic_errors={"topic-1": Errors.UNKNOWN_TOPIC_OR_PARTITION}), 1)
    assert metadata.last_seen_leader_epoch(tp) == 10

    # It is made again, with another id.
    update(metadata, response_with({"topic-1": 1}, 5, {"topic-1": Uuid.random_uuid()}), 1)
    assert metadata.last_seen_leader_epoch(tp) == 5


def test_epoch_update_on_changed_topic_ids(metadata) -> None:
    tp = TopicPartition("topic-1", 0)
    topic_ids = {"topic-1": Uuid.random_uuid()}
    update(metadata, empty_metadata_response())

    update(metadata, response_with({"topic-1": 1}, 100), 1)
    assert metadata.last_seen_leader_epoch(tp) == 100

    # The topic had no id so far.
    update(metadata, response_with({"topic-1": 1}, 10, topic_ids), 2)
    assert metadata.last_seen_leader_epoch(tp) == 10

    update(metadata, response_with({"topic-1": 1}, 10, topic_ids), 3)
    assert metadata.last_seen_leader_epoch(tp) == 10

    update(metadata, response_with({"topic-1": 1}, 12, topic_ids), 4)
    assert metadata.last_seen_leader_epoch(tp) == 12

    update(metadata, response_with({"topic-1": 1}, 3, {"topic-1": Uuid.random_uuid()}), 5)
    assert metadata.last_seen_leader_epoch(tp) == 3

    update(metadata, response_with({"topic-1": 1}, 20, {"topic-1": Uuid.random_uuid()}), 6)
    assert metadata.last_seen_leader_epoch(tp) == 20


def without_isr(error, partition, leader, leader_epoch, replicas, isr, offline_replicas) -> PartitionMetadata:
    return PartitionMetadata(error, partition, leader, leader_epoch, replicas, [], offline_replicas)


def test_reject_old_metadata(metadata) -> None:
    tp = TopicPartition("topic-1", 0)
    update(metadata, empty_metadata_response())

    update(metadata, response_with({"topic-1": 1}, 100), 10)
    assert metadata.fetch().partition(tp) is not None
    assert metadata.last_seen_leader_epoch(tp) == 100

    # No replica in sync, of an older epoch: refused.
    update(metadata, response_with({"topic-1": 1}, 99, partition_supplier=without_isr), 20)
    assert len(metadata.fetch().partition(tp).in_sync_replicas()) == 1
    assert metadata.last_seen_leader_epoch(tp) == 100

    # Of the same epoch: taken.
    update(metadata, response_with({"topic-1": 1}, 100, partition_supplier=without_isr), 20)
    assert len(metadata.fetch().partition(tp).in_sync_replicas()) == 0
    assert metadata.last_seen_leader_epoch(tp) == 100

    # The partition goes, its last epoch stays.
    update(metadata, response_with({}), 20)
    assert metadata.fetch().partition(tp) is None
    assert metadata.last_seen_leader_epoch(tp) == 100

    update(metadata, response_with({"topic-1": 1}, 99), 10)
    assert metadata.fetch().partition(tp) is None
    assert metadata.last_seen_leader_epoch(tp) == 100


def test_out_of_band_epoch_update(metadata) -> None:
    tp = TopicPartition("topic-1", 0)
    update(metadata, empty_metadata_response())
    assert not metadata.update_last_seen_epoch_if_newer(tp, 99)

    response = response_with({"topic-1": 5}, 100)
    update(metadata, response, 10)
    assert metadata.fetch().partition(tp) is not None
    assert metadata.last_seen_leader_epoch(tp) == 100

    # As a response to Fetch or ListOffsets has it.
    assert metadata.update_last_seen_epoch_if_newer(tp, 101)

    # The same response is of an older epoch by now.
    for now in (None, 20):
        if now is not None:
            update(metadata, response, now)
        assert metadata.fetch().partition(tp) is not None
        assert metadata.fetch().partition_count_for_topic("topic-1") == 5
        assert metadata.partition_metadata_if_current(tp) is None
        assert metadata.last_seen_leader_epoch(tp) == 101

    update(metadata, response_with({"topic-1": 5}, 101), 30)
    assert metadata.fetch().partition(tp) is not None
    assert metadata.fetch().partition_count_for_topic("topic-1") == 5
    assert metadata.partition_metadata_if_current(tp) is not None
    assert metadata.last_seen_leader_epoch(tp) == 101


def test_no_epoch(metadata) -> None:
    update(metadata, empty_metadata_response())
    update(metadata, response_with({"topic-1": 1}), 10)

    tp = TopicPartition("topic-1", 0)
    assert metadata.last_seen_leader_epoch(tp) is None

    found = metadata.partition_metadata_if_current(tp)
    assert (found.partition(), found.leader_id) == (0, 0)

    metadata.update_last_seen_epoch_if_newer(tp, 10)
    assert metadata.partition_metadata_if_current(tp).leader_epoch is None


def test_cluster_copy(metadata) -> None:
    update(metadata, response_with(
        {"topic1": 2, "topic2": 3, Topic.GROUP_METADATA_TOPIC_NAME: 3}, num_nodes=4,
        topic_errors={"topic3": Errors.INVALID_TOPIC_EXCEPTION,
                      "topic4": Errors.TOPIC_AUTHORIZATION_FAILED}))

    cluster = metadata.fetch()
    assert cluster.cluster_resource().cluster_id() == "dummy"
    assert len(cluster.nodes()) == 4

    assert cluster.invalid_topics() == {"topic3"}
    assert cluster.unauthorized_topics() == {"topic4"}
    assert len(cluster.topics()) == 3
    assert cluster.internal_topics() == {Topic.GROUP_METADATA_TOPIC_NAME}

    assert len(cluster.partitions_for_topic("topic1")) == 2
    assert len(cluster.partitions_for_topic("topic2")) == 3

    address = InetSocketAddress.create_unresolved("localhost", 0)
    assert MetadataSnapshot.bootstrap([address]).cluster() == Cluster.bootstrap([address])
    assert MetadataSnapshot.empty().cluster() == Cluster.empty()


def test_request_version(metadata) -> None:
    time = MockTime()
    metadata.request_update(True)
    in_flight = metadata.new_metadata_request_and_version(time.milliseconds())
    response = response_with({"topic": 1})
    metadata.update(in_flight.request_version, response, False, time.milliseconds())
    assert not metadata.update_requested()

    # A topic is new while a request is on its way.
    metadata.request_update_for_new_topics()
    in_flight = metadata.new_metadata_request_and_version(time.milliseconds())
    metadata.request_update_for_new_topics()
    metadata.update(in_flight.request_version, response, True, time.milliseconds())
    assert metadata.update_requested()

    in_flight = metadata.new_metadata_request_and_version(time.milliseconds())
    metadata.update(in_flight.request_version, response, True, time.milliseconds())
    assert not metadata.update_requested()


def test_partial_metadata_update() -> None:
    class PartialMetadata(Metadata):
        def new_metadata_request_builder_for_new_topics(self) -> MetadataRequest.Builder:
            return self.new_metadata_request_builder()

    time = MockTime()
    metadata = new_metadata(PartialMetadata)
    response = response_with({"topic": 1})
    assert not metadata.update_requested()

    # All topics are asked for.
    metadata.request_update(True)
    request = metadata.new_metadata_request_and_version(time.milliseconds())
    assert not request.is_partial_update
    metadata.update(request.request_version, response, False, time.milliseconds())
    assert not metadata.update_requested()

    # The new topics are.
    metadata.request_update_for_new_topics()
    request = metadata.new_metadata_request_and_version(time.milliseconds())
    assert request.is_partial_update
    metadata.update(request.request_version, response, True, time.milliseconds())
    assert not metadata.update_requested()

    # Both are wanted.
    metadata.request_update(True)
    metadata.request_update_for_new_topics()
    request = metadata.new_metadata_request_and_version(time.milliseconds())
    assert not request.is_partial_update
    metadata.update(request.request_version, response, False, time.milliseconds())
    assert not metadata.update_requested()

    # The new topics are wanted, and meanwhile all are due.
    metadata.request_update_for_new_topics()
    refresh_time_ms = time.milliseconds() + metadata.metadata_expire_ms()
    request = metadata.new_metadata_request_and_version(refresh_time_ms)
    assert not request.is_partial_update
    metadata.update(request.request_version, response, True, refresh_time_ms)
    assert not metadata.update_requested()

    # Two requests are on their way.
    metadata.request_update_for_new_topics()
    request = metadata.new_metadata_request_and_version(time.milliseconds())
    assert request.is_partial_update
    metadata.request_update_for_new_topics()
    overlapping = metadata.new_metadata_request_and_version(time.milliseconds())
    assert overlapping.is_partial_update
    assert metadata.update_requested()
    metadata.update(request.request_version, response_with({"topic-1": 1}), True, time.milliseconds())
    assert metadata.update_requested()
    metadata.update(overlapping.request_version, response_with({"topic-2": 1}), True, time.milliseconds())
    assert not metadata.update_requested()
    assert set(metadata.fetch().topics()) == {"topic", "topic-1", "topic-2"}


def check_error_of_topics(error: Errors, exception: type[Exception], topics_of: Callable) -> None:
    metadata = new_metadata()
    response = response_with({}, topic_errors={"topic dfsa": error})
    update(metadata, response)
    with pytest.raises(exception) as raised:
        metadata.maybe_throw_any_exception()
    assert topics_of(raised.value) == {"topic dfsa"}
    # It is raised once.
    metadata.maybe_throw_any_exception()

    # A good response takes it back.
    update(metadata, response)
    update(metadata, empty_metadata_response())
    metadata.maybe_throw_any_exception()


def test_invalid_topic_error() -> None:
    check_error_of_topics(Errors.INVALID_TOPIC_EXCEPTION, InvalidTopicException,
                          InvalidTopicException.invalid_topics)


def test_topic_authorization_error() -> None:
    check_error_of_topics(Errors.TOPIC_AUTHORIZATION_FAILED, TopicAuthorizationException,
                          TopicAuthorizationException.unauthorized_topics)


def test_metadata_topic_errors(metadata) -> None:
    response = response_with({}, topic_errors={
        "invalidTopic": Errors.INVALID_TOPIC_EXCEPTION, "sensitiveTopic1": Errors.TOPIC_AUTHORIZATION_FAILED,
        "sensitiveTopic2": Errors.TOPIC_AUTHORIZATION_FAILED})

    for topic in ("sensitiveTopic1", "sensitiveTopic2"):
        update(metadata, response)
        with pytest.raises(TopicAuthorizationException) as unauthorized:
            metadata.maybe_throw_exception_for_topic(topic)
        assert unauthorized.value.unauthorized_topics() == {topic}
        metadata.maybe_throw_any_exception()

    update(metadata, response)
    with pytest.raises(InvalidTopicException) as invalid:
        metadata.maybe_throw_exception_for_topic("invalidTopic")
    assert invalid.value.invalid_topics() == {"invalidTopic"}
    metadata.maybe_throw_any_exception()

    # To ask for another topic forgets all errors as well.
    update(metadata, response)
    metadata.maybe_throw_exception_for_topic("anotherTopic")
    metadata.maybe_throw_any_exception()


def test_a_fatal_error_comes_first_and_once(metadata) -> None:
    for throw in (metadata.maybe_throw_any_exception, metadata.maybe_throw_fatal_exception,
                  lambda: metadata.maybe_throw_exception_for_topic("t")):
        update(metadata, response_with({}, topic_errors={"t": Errors.INVALID_TOPIC_EXCEPTION}))
        fatal = AuthenticationException("no")
        metadata.fatal_error(fatal)
        with pytest.raises(AuthenticationException) as raised:
            throw()
        assert raised.value is fatal
        metadata.maybe_throw_fatal_exception()


def test_node_if_offline(metadata) -> None:
    node0, node1 = Node(0, "localhost", 9092), Node(1, "localhost", 9093)

    def supplier(error, partition, leader, leader_epoch, replicas, isr, offline_replicas):
        return PartitionMetadata(error, partition, node0.id(), leader_epoch, [node0.id()], [], [node1.id()])

    update(metadata, empty_metadata_response())
    update(metadata, response_with({"topic-1": 1}, 99, num_nodes=2, partition_supplier=supplier), 10)

    tp = TopicPartition("topic-1", 0)
    assert metadata.fetch().node_if_online(tp, 0).id() == 0
    assert metadata.fetch().node_if_online(tp, 1) is None
    assert metadata.fetch().node_by_id(0).id() == 0
    assert metadata.fetch().node_by_id(1).id() == 1


def test_node_if_online_when_not_in_replica_set(metadata) -> None:
    def supplier(error, partition, leader, leader_epoch, replicas, isr, offline_replicas):
        return PartitionMetadata(error, partition, 0, leader_epoch, [0], [], [])

    update(metadata, empty_metadata_response())
    update(metadata, response_with({"topic-1": 1}, 99, num_nodes=2, partition_supplier=supplier), 10)

    tp = TopicPartition("topic-1", 0)
    assert metadata.fetch().node_by_id(1).id() == 1
    assert metadata.fetch().node_if_online(tp, 1) is None


def test_node_if_online_non_existent_topic_partition(metadata) -> None:
    update(metadata, response_with({}, num_nodes=2))
    tp = TopicPartition("topic-1", 0)
    assert metadata.fetch().node_by_id(0).id() == 0
    assert metadata.fetch().partition(tp) is None
    assert metadata.fetch().node_if_online(tp, 0) is None


def test_leader_metadata_inconsistent_with_broker_metadata(metadata) -> None:
    # A broker comes back and becomes leader; the client sees the two in the other order.
    tp = TopicPartition("topic", 0)
    nodes = [Node(0, "localhost", 9092), Node(1, "localhost", 9093), Node(2, "localhost", 9094)]
    update(metadata, MetadataResponse(single_topic(Partition(
        partition_index=0, leader_id=0, leader_epoch=10, replica_nodes=[0, 1, 2], isr_nodes=[0, 1, 2]),
        nodes), LATEST), 10)
    assert metadata.current_leader(tp) == Metadata.LeaderAndEpoch(nodes[0], 10)

    update(metadata, MetadataResponse(single_topic(Partition(
        partition_index=0, leader_id=1, leader_epoch=8, replica_nodes=[0, 1, 2], isr_nodes=[1, 2],
        offline_replicas=[0]), nodes[1:]), LATEST), 20)
    assert metadata.fetch().leader_for(tp) is None
    assert metadata.last_seen_leader_epoch(tp) == 10
    assert metadata.current_leader(tp).leader is None


def test_metadata_merge() -> None:
    metadata = new_metadata(RetainingMetadata)
    topic_ids = {"oldValidTopic": Uuid.random_uuid(), "keepValidTopic": Uuid.random_uuid()}
    old_errors = {"oldInvalidTopic": Errors.INVALID_TOPIC_EXCEPTION,
                  "keepInvalidTopic": Errors.INVALID_TOPIC_EXCEPTION,
                  "oldUnauthorizedTopic": Errors.TOPIC_AUTHORIZATION_FAILED,
                  "keepUnauthorizedTopic": Errors.TOPIC_AUTHORIZATION_FAILED}
    metadata.retain_topics = {*old_errors, *topic_ids}
    update(metadata, response_with(
        {"oldValidTopic": 2, "keepValidTopic": 3}, 100, topic_ids, num_nodes=2, cluster_id="oldClusterId",
        topic_errors=old_errors), partial=True)
    check_cluster(metadata, "oldClusterId", 2, {"oldInvalidTopic", "keepInvalidTopic"},
                  {"oldUnauthorizedTopic", "keepUnauthorizedTopic"},
                  {"oldValidTopic": 2, "keepValidTopic": 3}, topic_ids)

    # The old topics go.
    new_errors = {"newInvalidTopic": Errors.INVALID_TOPIC_EXCEPTION,
                  "newUnauthorizedTopic": Errors.TOPIC_AUTHORIZATION_FAILED}
    metadata.retain_topics = {"keepInvalidTopic", "keepUnauthorizedTopic", "keepValidTopic", "newValidTopic",
                              *new_errors}
    topic_ids["newValidTopic"] = Uuid.random_uuid()
    update(metadata, response_with(
        {"keepValidTopic": 2, "newValidTopic": 4}, 200, topic_ids, num_nodes=3, cluster_id="newClusterId",
        topic_errors=new_errors), partial=True)
    del topic_ids["oldValidTopic"]
    check_cluster(metadata, "newClusterId", 3, {"keepInvalidTopic", "newInvalidTopic"},
                  {"keepUnauthorizedTopic", "newUnauthorizedTopic"},
                  {"keepValidTopic": 2, "newValidTopic": 4}, topic_ids)

    # All go.
    metadata.retain_topics = set()
    update(metadata, response_with(
        {"keepValidTopic": 2, "newValidTopic": 4}, 300, topic_ids, num_nodes=3, cluster_id="newClusterId",
        topic_errors=new_errors), partial=True)
    check_cluster(metadata, "newClusterId", 3, set(), set(), {}, {})


def check_cluster(metadata: Metadata, cluster_id: str, num_nodes: int, invalid_topics: set[str],
                  unauthorized_topics: set[str], partition_counts: Mapping[str, int],
                  topic_ids: Mapping[str, Uuid]) -> None:
    cluster = metadata.fetch()
    assert cluster.cluster_resource().cluster_id() == cluster_id
    assert len(cluster.nodes()) == num_nodes
    assert cluster.invalid_topics() == invalid_topics
    assert cluster.unauthorized_topics() == unauthorized_topics
    assert {topic: cluster.partition_count_for_topic(topic) for topic in cluster.topics()} == partition_counts
    assert metadata.topic_ids() == topic_ids
    assert metadata.topic_names() == {topic_id: topic for topic, topic_id in topic_ids.items()}
    assert set(cluster.topic_ids()) == set(topic_ids.values())


def test_metadata_merge_on_id_downgrade() -> None:
    metadata = new_metadata(RetainingMetadata)
    metadata.retain_topics = {"validTopic1", "validTopic2"}
    counts = {"validTopic1": 2, "validTopic2": 3}
    topic_ids = {topic: Uuid.random_uuid() for topic in counts}
    update(metadata, response_with(counts, 100, topic_ids, num_nodes=2), partial=True)
    assert metadata.topic_ids() == topic_ids

    # A controller of an older version has taken over.
    del topic_ids["validTopic1"]
    update(metadata, response_with(counts, 200, topic_ids, num_nodes=2), partial=True)
    assert metadata.topic_ids() == topic_ids

    cluster = metadata.fetch()
    assert cluster.topics() == {"validTopic1", "validTopic2"}
    assert len(cluster.partitions_for_topic("validTopic1")) == 2
    assert set(cluster.topic_ids()) == set(topic_ids.values())
    assert cluster.topic_id("validTopic1") == Uuid.ZERO_UUID


def test_topic_metadata_on_update_partition_leadership(metadata) -> None:
    topic = "input-topic"
    node1, node2 = Node(1, "localhost", 9091), Node(2, "localhost", 9091)
    tp0, tp1 = TopicPartition(topic, 0), TopicPartition(topic, 1)
    response = RequestTestUtils.metadata_response([node1, node2], "clusterId", node1.id(), [
        MetadataResponse.TopicMetadata(Errors.NONE, topic, False, [
            PartitionMetadata(Errors.NONE, tp, 1, 1, [1, 2], [1, 2], []) for tp in (tp0, tp1)],
            Uuid.random_uuid())])
    update(metadata, response)
    assert [info.leader() for info in metadata.fetch().partitions_for_topic(topic)] == [node1, node1]

    assert metadata.update_partition_leadership({tp1: LeaderIdAndEpoch(2, 3)}, [node1]) == {tp1}
    assert len(metadata.fetch().partitions_for_topic(topic)) == 2
    assert metadata.fetch().leader_for(tp0).id() == 1
    assert metadata.fetch().leader_for(tp1).id() == 2


def test_update_partition_leadership(metadata) -> None:
    listener = Listener()
    metadata.add_cluster_update_listener(listener)
    internal_topic = Topic.GROUP_METADATA_TOPIC_NAME
    tp11, tp12, tp21, internal = (
        TopicPartition("topic1", 0), TopicPartition("topic1", 1), TopicPartition("topic2", 0),
        TopicPartition(internal_topic, 0))
    parts = {
        tp11: PartitionMetadata(Errors.NONE, tp11, 1, 100, [1, 2], [1, 2], [3]),
        **{tp: PartitionMetadata(Errors.NONE, tp, 2, 200, [2, 3], [2, 3], [1])
           for tp in (tp12, tp21, internal)}}
    topic_ids = {topic: Uuid.random_uuid() for topic in ("topic1", "topic2", internal_topic)}

    metadata.request_update(True)
    request = metadata.new_metadata_request_and_version(MockTime().milliseconds())
    assert not request.is_partial_update
    metadata.update(request.request_version, response_with(
        {"topic1": 2, "topic2": 1, internal_topic: 1}, None, topic_ids, num_nodes=5,
        topic_errors={"topic3": Errors.INVALID_TOPIC_EXCEPTION, "topic4": Errors.TOPIC_AUTHORIZATION_FAILED},
        partition_supplier=lambda error, partition, *others: parts[partition]), False, 0)
    nodes = list(metadata.fetch().nodes())
    controller = metadata.fetch().controller()
    assert controller is not None
    assert len(nodes) == 5
    assert not metadata.update_requested()

    def validate() -> None:
        cluster = metadata.fetch()
        assert cluster.cluster_resource().cluster_id() == "dummy"
        assert set(cluster.nodes()) == set(nodes)
        assert set(cluster.topics()) == set(topic_ids)
        assert (cluster.internal_topics(), cluster.invalid_topics(), cluster.unauthorized_topics()) == (
            {internal_topic}, {"topic3"}, {"topic4"})
        assert cluster.controller() == controller
        assert metadata.topic_ids() == topic_ids
        nodes_by_id = {node.id(): node for node in nodes}
        for tp, expected in parts.items():
            assert metadata.current_leader(tp) == Metadata.LeaderAndEpoch(
                nodes_by_id[expected.leader_id], expected.leader_epoch)
            assert str(metadata.partition_metadata_if_current(tp)) == str(expected)

    validate()
    assert len(listener.updates) == 1

    # An unknown leader, one that is no known node, an unknown partition, and an older epoch.
    updates = {TopicPartition("topic1", 999): LeaderIdAndEpoch(None, None),
               tp21: LeaderIdAndEpoch(99999, 99999),
               TopicPartition("topic_missing_from_existing_metadata", 1): LeaderIdAndEpoch(0, 99999),
               tp11: LeaderIdAndEpoch(1, 99),
               tp12: LeaderIdAndEpoch(1, 200)}
    assert metadata.update_partition_leadership(updates, nodes) == set()
    validate()
    assert len(listener.updates) == 1

    # One leader is newer; there is a new node, and another has a new address.
    updates[tp11] = LeaderIdAndEpoch(2, 101)
    parts[tp11] = PartitionMetadata(Errors.NONE, tp11, 2, 101, [1, 2], [1, 2], [3])
    [existing] = [node for node in nodes if node.id() == 0]
    nodes.remove(existing)
    nodes += [Node(999, "testhost", 99999, "testrack"), Node(0, "newhost", existing.port(), "newrack")]
    assert metadata.update_partition_leadership(updates, nodes) == {tp11}
    validate()
    assert metadata.last_seen_leader_epoch(tp11) == 101
    assert len(listener.updates) == 2


def test_concurrent_update_and_fetch_for_snapshot_and_cluster(metadata) -> None:
    topic_ids = {"test_topic1": Uuid.random_uuid(), "test_topic2": Uuid.random_uuid()}
    tp = TopicPartition("test_topic1", 0)
    update(metadata, response_with(dict.fromkeys(topic_ids, 1), 100, topic_ids, num_nodes=10), partial=True)
    snapshot = metadata.fetch_metadata_snapshot()
    assert metadata.fetch() == snapshot.cluster()
    assert len(snapshot.cluster().nodes()) == 10
    assert [snapshot.cluster().partition_count_for_topic(topic) for topic in topic_ids] == [1, 1]
    assert snapshot.leader_epoch_for(tp) == 100

    updated = CountDownLatch(1)
    found: list[tuple[MetadataSnapshot, Cluster]] = []

    def write(id_: int) -> None:
        update(metadata, response_with(
            dict.fromkeys(topic_ids, 1 + id_), 100 + id_, topic_ids, num_nodes=10 + id_), partial=True)
        updated.count_down()

    def read(id_: int) -> None:
        updated.await_()
        found.append((metadata.fetch_metadata_snapshot(), metadata.fetch()))

    threads = [threading.Thread(target=read if id_ % 2 else write, args=(id_,)) for id_ in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)

    assert len(found) == 3
    for new_snapshot, new_cluster in found:
        assert new_snapshot.leader_epoch_for(tp) > 100
        for cluster in (new_snapshot.cluster(), new_cluster):
            assert len(cluster.nodes()) > 10
            assert all(cluster.partition_count_for_topic(topic) > 1 for topic in topic_ids)


def test_errors_that_want_newer_metadata(metadata) -> None:
    for error in (Errors.LEADER_NOT_AVAILABLE, Errors.UNKNOWN_TOPIC_OR_PARTITION):
        update(metadata, response_with({}, topic_errors={"topic": error}))
        assert metadata.update_requested()
        update(metadata, empty_metadata_response())
        assert not metadata.update_requested()
    update(metadata, response_with({"topic": 1}, 1, partition_supplier=lambda error, *others:
                                   PartitionMetadata(Errors.LEADER_NOT_AVAILABLE, *others)))
    assert metadata.update_requested()


def test_rebootstrap(metadata) -> None:
    address = InetSocketAddress.create_unresolved("localhost", 9002)
    metadata.bootstrap([address])
    version = metadata.update_version()
    update(metadata, response_with({"topic": 1}), 100)
    assert not metadata.fetch().is_bootstrap_configured()
    metadata.rebootstrap()
    assert metadata.fetch() == Cluster.bootstrap([address])
    assert metadata.update_requested()
    assert metadata.update_version() == version + 2


def test_leaders_as_text() -> None:
    assert str(Metadata.LeaderAndEpoch(None, None)) == (
        "LeaderAndEpoch{leader=Optional.empty, epoch=absent}")
    node = Node(1, "host", 9)
    assert str(Metadata.LeaderAndEpoch(node, 5)) == f"LeaderAndEpoch{{leader=Optional[{node}], epoch=5}}"
    assert hash(Metadata.LeaderAndEpoch(node, 5)) == hash(Metadata.LeaderAndEpoch(node, 5))
    assert Metadata.LeaderAndEpoch(node, 5) != Metadata.LeaderAndEpoch(node, 6)
    assert str(LeaderIdAndEpoch(None, 5)) == "LeaderIdAndEpoch{leaderId=absent, epoch=5}"
    assert str(LeaderIdAndEpoch(1, None)) == "LeaderIdAndEpoch{leaderId=1, epoch=absent}"
