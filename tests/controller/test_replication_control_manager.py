# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of controller.ReplicationControlManagerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Topics come and go: what is checked, in which words it is refused, and that nothing is half there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kreactor.common.errors import (
    InvalidReplicaAssignmentException,
    KafkaStorageException,
    PolicyViolationException,
    ThrottlingQuotaExceededException,
)
from kreactor.common.message.alter_partition_reassignments_request_data import (
    AlterPartitionReassignmentsRequestData,
)
from kreactor.common.message.create_partitions_request_data import CreatePartitionsRequestData
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.controller import user_op
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.controller.replication_control_manager import ReplicationControlManager
from tests.core.server.node import Node
from tests.storage.internals.log.support import run_threads

CreatableTopic = CreateTopicsRequestData.CreatableTopic
CreatableTopicResult = CreateTopicsResponseData.CreatableTopicResult
QUOTA_EXCEEDED = "Quota exceeded in test"


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with Node(tmp_path) as node:
        yield node


def subject_of(node: Node) -> ReplicationControlManager:
    return node.controller_apis._controller


def context(quota_exceeded: bool = False) -> ControllerRequestContext:
    def apply(partitions: int) -> None:
        if quota_exceeded:
            raise ThrottlingQuotaExceededException(QUOTA_EXCEEDED)

    return ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, apply)


def topic(name: str, partitions: int = -1, factor: int = -1, configs: Iterable[tuple[str, str | None]] = (),
          assignments: Iterable[tuple[int, list[int]]] = ()) -> CreatableTopic:
    return CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=factor,
        configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=value)
                 for key, value in configs],
        assignments=[CreateTopicsRequestData.CreatableReplicaAssignment(partition_index=index, broker_ids=ids)
                     for index, ids in assignments])


def create(node: Node, *topics: CreatableTopic, validate_only: bool = False, quota_exceeded: bool = False,
           describable: Iterable[str] | None = None) -> list[CreatableTopicResult]:
    names = {topic.name for topic in topics} if describable is None else set(describable)
    return subject_of(node).create_topics(
        context(quota_exceeded), CreateTopicsRequestData(topics=list(topics), validate_only=validate_only),
        names).topics


def created(node: Node) -> set[str]:
    return set(node.metadata_cache.get_all_topics())


def refused(node: Node, topic: CreatableTopic) -> tuple[Errors, str | None]:
    """Create a topic that cannot be; return why."""
    before = created(node)
    result, = create(node, topic)
    assert [result] == create(node, topic, validate_only=True), "checking only finds the same"
    assert result.name == topic.name and result.error_code
    assert (result.topic_id, result.num_partitions, result.configs) == (Uuid.ZERO_UUID, -1, [])
    assert created(node) == before
    return Errors.for_code(result.error_code), result.error_message


# -- create ----------------------------------------------------------------------------------------


def test_create_topics(node: Node) -> None:
    result, = create(node, topic("foo"))
    found = node.storage.topics().topic("foo")
    assert found is not None
    assert (result.name, result.error_code, result.error_message, result.topic_id, result.num_partitions,
            result.replication_factor, result.topic_config_error_code) == (
        "foo", 0, None, found.topic_id, 1, 1, 0)
    assert node.replica_manager.get_partition(TopicPartition("foo", 0)) is not None
    assert refused(node, topic("foo")) == (Errors.TOPIC_ALREADY_EXISTS, "Topic 'foo' already exists.")


def test_create_topics_with_the_brokers_numbers(tmp_path: Path) -> None:
    with Node(tmp_path, {"num.partitions": "3", "default.replication.factor": "2"}) as node:
        assert refused(node, topic("foo", 1))[0] is Errors.INVALID_REPLICATION_FACTOR
        result, = create(node, topic("foo", -1, 1))
        assert (result.num_partitions, node.metadata_cache.num_partitions("foo")) == (3, 3)


def test_create_topics_with_mutation_quota_exceeded(node: Node) -> None:
    result, = create(node, topic("foo"), quota_exceeded=True)
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.THROTTLING_QUOTA_EXCEEDED, QUOTA_EXCEEDED)
    assert created(node) == set()


@pytest.mark.parametrize("mutation_quota_exceeded", [True, False])
def test_create_topics_with_validate_only_flag(node: Node, mutation_quota_exceeded: bool) -> None:
    result, = create(node, topic("foo", 2, 1), validate_only=True, quota_exceeded=mutation_quota_exceeded)
    assert Errors.for_code(result.error_code) is (
        Errors.THROTTLING_QUOTA_EXCEEDED if mutation_quota_exceeded else Errors.NONE)
    assert mutation_quota_exceeded or result.num_partitions == 2
    assert created(node) == set() == set(node.storage.log_manager().all_logs())


def test_invalid_create_topics_with_validate_only_flag(node: Node) -> None:
    result, = create(node, topic("foo", 1, 4), validate_only=True)
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition 4 time(s): The target replication factor of 4 cannot be reached "
        "because only 1 broker(s) are registered.")


def test_create_topics_with_configs(node: Node) -> None:
    result, = create(node, topic("foo", configs=[("retention.ms", "5"), ("segment.bytes", "1000"),
                                                 ("retention.ms", "6")]))
    assert result.error_code == 0 and result.configs is not None
    configs = {config.name: config for config in result.configs}
    assert list(configs) == sorted(configs) and len(configs) > 30
    assert [(configs[name].value, configs[name].config_source) for name in (
        "retention.ms", "segment.bytes", "segment.ms")] == [("6", 1), ("1000", 1), ("604800000", 5)]
    assert node.metadata_cache.topic_config("foo") == {"retention.ms": "6", "segment.bytes": "1000"}
    log_config = node.replica_manager.get_log_config(TopicPartition("foo", 0))
    assert log_config is not None and (log_config.retention_ms, log_config.segment_size) == (6, 1000)

    assert refused(node, topic("bar", configs=[("retention.ms", None)])) == (
        Errors.INVALID_CONFIG, "Null value not supported for topic configs: retention.ms")
    assert refused(node, topic("bar", configs=[("b", None), ("retention.ms", "5"), ("a", None)])) == (
        Errors.INVALID_CONFIG, "Null value not supported for topic configs: b,a")
    assert refused(node, topic("baz", -1, -2, [("retention.ms", "5")])) == (
        Errors.INVALID_REPLICATION_FACTOR,
        "Replication factor must be larger than 0, or -1 to use the default value.")
    assert refused(node, topic("bar", configs=[("nonsense", "5")]))[0] is Errors.INVALID_CONFIG
    assert refused(node, topic("bar", configs=[("retention.ms", "x")]))[0] is Errors.INVALID_CONFIG
    # The settings are looked at before the numbers.
    assert refused(node, topic("bar", 0, configs=[("retention.ms", "x")]))[0] is Errors.INVALID_CONFIG

    results = create(node, topic("batched-1", configs=[("retention.ms", "5")]),
                     topic("batched-2", -1, -2, configs=[("retention.ms", "5")]))
    assert [Errors.for_code(result.error_code) for result in results] == [
        Errors.NONE, Errors.INVALID_REPLICATION_FACTOR]
    assert created(node) == {"foo", "batched-1"}


def test_who_may_not_see_the_settings(node: Node) -> None:
    foo, bar = create(node, topic("foo", 2), topic("bar"), describable=["bar"])
    assert (foo.num_partitions, foo.replication_factor, foo.configs,
            Errors.for_code(foo.topic_config_error_code)
            ) == (-1, -1, [], Errors.TOPIC_AUTHORIZATION_FAILED)
    assert (bar.num_partitions, bar.topic_config_error_code) == (1, 0)
    assert node.metadata_cache.num_partitions("foo") == 2


@pytest.mark.parametrize(("partitions", "factor", "error", "message"), [
    (0, 1, Errors.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value."),
    (-2, 1, Errors.INVALID_PARTITIONS, "Number of partitions was set to an invalid non-positive value."),
    (1, 0, Errors.INVALID_REPLICATION_FACTOR,
     "Replication factor must be larger than 0, or -1 to use the default value."),
    (0, 0, Errors.INVALID_REPLICATION_FACTOR,
     "Replication factor must be larger than 0, or -1 to use the default value."),
    (1, 2, Errors.INVALID_REPLICATION_FACTOR,
     "Unable to replicate the partition 2 time(s): The target replication factor of 2 cannot be reached "
     "because only 1 broker(s) are registered.")])
def test_numbers_that_cannot_be(node: Node, partitions: int, factor: int, error: Errors,
                                message: str) -> None:
    assert refused(node, topic("foo", partitions, factor)) == (error, message)


def test_create_topic_with_collision_chars(node: Node) -> None:
    ids = set()
    for name, partitions in (("foo.bar", 2), ("foo.bar", 4), ("foo_bar", 1)):
        result, = create(node, topic(name, partitions))
        assert (result.error_code, node.metadata_cache.num_partitions(name)) == (0, partitions)
        ids.add(result.topic_id)
        assert subject_of(node).delete_topics(context(), [result.topic_id]) == {
            result.topic_id: ApiError.NONE}
    assert len(ids) == 3


def test_validate_new_topic_names() -> None:
    errors: dict[str, ApiError] = {}
    ReplicationControlManager.validate_new_topic_names(errors, [topic(""), topic("woo"), topic(".")], [])
    assert errors == {
        "": ApiError(Errors.INVALID_TOPIC_EXCEPTION,
                     "Topic name is invalid: the empty string is not allowed"),
        ".": ApiError(Errors.INVALID_TOPIC_EXCEPTION, "Topic name is invalid: '.' is not allowed")}


def test_topic_name_collision() -> None:
    errors = {"known": ApiError.of(Errors.UNKNOWN_SERVER_ERROR)}
    ReplicationControlManager.validate_new_topic_names(
        errors, [topic("foo.bar"), topic("woo.bar_foo"), topic("known"), topic("a.b.c"), topic("foo_bar")],
        ["foo_bar", "woo_bar_foo", "foobar"])
    assert errors == {
        "known": ApiError.of(Errors.UNKNOWN_SERVER_ERROR),
        "foo.bar": ApiError(Errors.INVALID_TOPIC_EXCEPTION,
                            "Topic 'foo.bar' collides with existing topic: foo_bar"),
        "woo.bar_foo": ApiError(Errors.INVALID_TOPIC_EXCEPTION,
                                "Topic 'woo.bar_foo' collides with existing topic: woo_bar_foo"),
        # Which is told before: that it is there.
        "foo_bar": ApiError(Errors.INVALID_TOPIC_EXCEPTION,
                            "Topic 'foo_bar' collides with existing topic: foo_bar")}


def test_a_topic_that_exists_is_said_to_exist(node: Node) -> None:
    """And not to collide with itself."""
    create(node, topic("foo_bar"))
    assert refused(node, topic("foo_bar")) == (
        Errors.TOPIC_ALREADY_EXISTS, "Topic 'foo_bar' already exists.")
    assert refused(node, topic("foo.bar")) == (
        Errors.INVALID_TOPIC_EXCEPTION, "Topic 'foo.bar' collides with existing topic: foo_bar")


def test_too_much_at_once(node: Node) -> None:
    """More than Kafka writes into its log in one go; nothing is created then."""
    def records(*topics: CreatableTopic) -> bool:
        try:
            create(node, *topics, validate_only=True)
        except PolicyViolationException as e:
            assert str(e) == "Unable to perform excessively large batch operation."
            return False
        return True

    # One for the topic, one for each partition and each setting.
    assert records(topic("a", 9_999, 1))
    assert not records(topic("a", 10_000, 1))
    assert not records(topic("a", 9_999, 1, [("retention.ms", "5")]))
    assert records(topic("a", 4_999, 1), topic("b", 4_999, 1))
    assert not records(topic("a", 4_999, 1), topic("b", 5_000, 1))
    assert records(topic("a", 9_999, 1), topic("b", 5_000, 5)), "what is refused does not count"
    with pytest.raises(PolicyViolationException):
        create(node, topic("a", 1, 1), topic("b", 10_000, 1))
    assert created(node) == set()


@pytest.fixture
def placed(node: Node, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which each placement adds its number of partitions."""
    subject = subject_of(node)
    numbers: list[int] = []
    place = subject.place

    def counted(start_partition: int, num_partitions: int, replication_factor: int) -> list[tuple[int, ...]]:
        numbers.append(num_partitions)
        assert num_partitions <= 10_000, "more than the limit"
        return place(start_partition, num_partitions, replication_factor)

    monkeypatch.setattr(subject, "place", counted)
    return numbers


TOO_MANY = pytest.mark.parametrize("partitions", [10_002, 10**6, 2**30, 2**31 - 1])


@pytest.mark.deviation("D470")
@TOO_MANY
@pytest.mark.parametrize("validate_only", [True, False])
def test_more_topics_than_the_limit_are_not_placed(node: Node, placed: list[int], partitions: int,
                                                   validate_only: bool) -> None:
    """D470: as soon as Kafka. Its answer above the memory of its process is UNKNOWN_SERVER_ERROR."""
    with pytest.raises(PolicyViolationException):
        create(node, topic("foo", 2, 1), topic("bar", partitions, 1), validate_only=validate_only)
    assert sum(placed) == 2 and created(node) == set()
    # Other errors of the same topic come first, as in Kafka.
    result, = create(node, topic("bar", partitions, 2), validate_only=validate_only)
    assert Errors.for_code(result.error_code) is Errors.INVALID_REPLICATION_FACTOR
    result, = create(node, topic("bar", partitions, 1), validate_only=validate_only, quota_exceeded=True)
    assert Errors.for_code(result.error_code) is Errors.THROTTLING_QUOTA_EXCEEDED
    assert sum(placed) == 2


@pytest.mark.deviation("D470")
@TOO_MANY
@pytest.mark.parametrize("validate_only", [True, False])
def test_more_partitions_than_the_limit_are_not_placed(node: Node, placed: list[int], partitions: int,
                                                       validate_only: bool) -> None:
    node.create_topic("foo", 1)
    placed.clear()
    with pytest.raises(PolicyViolationException):
        create_partitions(node, ("foo", partitions), validate_only=validate_only)
    assert sum(placed) == 0 and node.metadata_cache.num_partitions("foo") == 1


def test_partitions_of_refused_topics_are_not_placed(node: Node, placed: list[int]) -> None:
    """Each topic asks for as many partitions as there may be, and a quota refuses all."""
    names = [f"topic-{i}" for i in range(20)]
    results = create(node, *(topic(name, 9_999, 1) for name in names), quota_exceeded=True)
    assert {Errors.for_code(result.error_code) for result in results} == {Errors.THROTTLING_QUOTA_EXCEEDED}
    assert sum(placed) == 0


# -- assignments -----------------------------------------------------------------------------------


def test_validate_good_manual_partition_assignments(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    subject = subject_of(node)
    monkeypatch.setattr(subject, "_registered", lambda: (1, 2, 3))
    for replicas in ([1], [1, 2, 3]):
        subject.validate_manual_partition_assignment(replicas, len(replicas))
        subject.validate_manual_partition_assignment(replicas, None)
    assert created(node) == set()


@pytest.mark.parametrize(("replicas", "factor", "message"), [
    ([], None, "The manual partition assignment includes an empty replica list."),
    ([1, 2, 3], None, "The manual partition assignment includes broker 2, but no such broker is registered."),
    ([0, 1], None, "The manual partition assignment includes broker 0, but no such broker is registered."),
    ([1, 1], None, "The manual partition assignment includes the broker 1 more than once."),
    ([1], 3, "The manual partition assignment includes a partition with 1 replica(s), but this is not "
             "consistent with previous partitions, which have 3 replica(s).")])
def test_validate_bad_manual_partition_assignments(node: Node, replicas: list[int], factor: int | None,
                                                   message: str) -> None:
    with pytest.raises(InvalidReplicaAssignmentException) as raised:
        subject_of(node).validate_manual_partition_assignment(replicas, factor)
    assert str(raised.value) == message


def test_assigned_topics(node: Node) -> None:
    result, = create(node, topic("foo", assignments=[(1, [1]), (0, [1]), (2, [1])]))
    assert (result.error_code, result.num_partitions, result.replication_factor) == (0, 3, 1)
    assert node.metadata_cache.num_partitions("foo") == 3
    of_assignment, invalid = Errors.INVALID_REPLICA_ASSIGNMENT, Errors.INVALID_REQUEST
    for bad, error, message in (
            (topic("bar", -1, 1, assignments=[(0, [1])]), invalid,
             "A manual partition assignment was specified, but replication factor was not set to -1."),
            (topic("bar", 1, -1, assignments=[(0, [1])]), invalid,
             "A manual partition assignment was specified, but numPartitions was not set to -1."),
            (topic("bar", assignments=[(0, [1]), (0, [1])]), of_assignment,
             "Found multiple manual partition assignments for partition 0"),
            (topic("bar", assignments=[(0, [1]), (2, [1])]), of_assignment,
             "partitions should be a consecutive 0-based integer sequence"),
            (topic("bar", assignments=[(1, [1])]), of_assignment,
             "partitions should be a consecutive 0-based integer sequence"),
            (topic("bar", assignments=[(0, [2])]), of_assignment,
             "The manual partition assignment includes broker 2, but no such broker is registered.")):
        assert refused(node, bad) == (error, message)


# -- delete ----------------------------------------------------------------------------------------


def test_delete_topics(node: Node) -> None:
    subject = subject_of(node)
    result, = create(node, topic("foo", 3, 1, [("retention.ms", "5")]))
    topic_id = result.topic_id
    unknown = Uuid.random_uuid()
    assert subject.find_topic_names([topic_id]) == {topic_id: "foo"}
    assert subject.find_topic_ids(["foo"]) == {"foo": topic_id}
    assert subject.find_topic_names([unknown]) == {unknown: ApiError.of(Errors.UNKNOWN_TOPIC_ID)}
    assert subject.find_topic_ids(["bar"]) == {"bar": ApiError.of(Errors.UNKNOWN_TOPIC_OR_PARTITION)}
    zero = Uuid.ZERO_UUID
    assert subject.find_topic_names([zero]) == {zero: ApiError(
        Errors.INVALID_REQUEST, f"Attempt to find topic with invalid topicId {zero}")}

    assert subject.delete_topics(context(), [unknown]) == {
        unknown: ApiError(Errors.UNKNOWN_TOPIC_ID, None)}
    assert created(node) == {"foo"}
    assert subject.delete_topics(context(), [topic_id]) == {topic_id: ApiError.NONE}
    for partition in range(4):
        assert node.replica_manager.get_partition(TopicPartition("foo", partition)) is None
    assert subject.find_topic_names([topic_id]) == {topic_id: ApiError.of(Errors.UNKNOWN_TOPIC_ID)}
    assert node.metadata_cache.topic_config("foo") == {}
    # The name can be had again at once, and is another topic.
    again, = create(node, topic("foo", 1))
    assert again.error_code == 0 and again.topic_id != topic_id


@pytest.mark.deviation("D471")
def test_one_request_deletes_more_topics_than_it_may_create(
        node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [create(node, topic(name, 1))[0].topic_id for name in "abcd"]
    monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
    assert subject_of(node).delete_topics(context(), ids) == dict.fromkeys(ids, ApiError.NONE)
    assert created(node) == set()


@pytest.mark.deviation("D471")
def test_the_limit_of_deletions_and_moves_with_strict_fidelity(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in Kafka the changes up to the limit are made, and the others get an unexpected error."""
    class Replication:
        def __init__(self) -> None:
            self.moved: list[TopicPartition] = []

        def reassign_all(self, targets: Mapping[TopicPartition, Any]) -> dict[TopicPartition, Exception]:
            self.moved += targets
            return {}

    with Node(tmp_path, {"kreactor.fidelity": "strict"}) as node:
        ids = [create(node, topic(name, 1))[0].topic_id for name in "abcd"]
        monkeypatch.setattr(user_op, "MAX_RECORDS_PER_USER_OP", 3)
        with monkeypatch.context() as patch:
            replication = Replication()
            patch.setattr(subject_of(node), "_replication", replication)
            patch.setattr(subject_of(node), "validate_manual_partition_assignment", lambda *args: None)
            response = subject_of(node).alter_partition_reassignments(AlterPartitionReassignmentsRequestData(
                topics=[AlterPartitionReassignmentsRequestData.ReassignableTopic(name=name, partitions=[
                    AlterPartitionReassignmentsRequestData.ReassignablePartition(
                        partition_index=0, replicas=[1])]) for name in "abcd"]))
        assert [Errors.for_code(topic.partitions[0].error_code) for topic in response.responses] == [
            Errors.NONE] * 3 + [Errors.UNKNOWN_SERVER_ERROR]
        assert [partition.topic() for partition in replication.moved] == ["a", "b", "c"]
        assert subject_of(node).delete_topics(context(), ids) == {
            **dict.fromkeys(ids[:3], ApiError.NONE), ids[3]: ApiError(Errors.UNKNOWN_SERVER_ERROR, None)}
        assert created(node) == {"d"}


def test_delete_topics_with_mutation_quota_exceeded(node: Node) -> None:
    result, = create(node, topic("foo", 3))
    assert subject_of(node).delete_topics(context(True), [result.topic_id]) == {
        result.topic_id: ApiError(Errors.THROTTLING_QUOTA_EXCEEDED, QUOTA_EXCEEDED)}
    assert created(node) == {"foo"}


# -- the disk --------------------------------------------------------------------------------------


def test_a_full_disk_refuses_what_does_not_fit(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics before the failed one are there, those after it too if they fit; nothing of it is left."""
    create_log = node.storage.log_manager().create_log

    def fail(topic_partition: TopicPartition, *args: Any) -> Any:
        if topic_partition == TopicPartition("b", 1):
            raise KafkaStorageException(os.strerror(errno.ENOSPC))
        return create_log(topic_partition, *args)

    with monkeypatch.context() as patch:
        patch.setattr(node.storage.log_manager(), "create_log", fail)
        results = create(node, topic("a"), topic("b", 3), topic("c"))
    assert [(result.name, Errors.for_code(result.error_code)) for result in results] == [
        ("a", Errors.NONE), ("b", Errors.KAFKA_STORAGE_ERROR), ("c", Errors.NONE)]
    assert created(node) == {"a", "c"}
    assert node.replica_manager.get_partition(TopicPartition("b", 0)) is None
    again, = create(node, topic("b", 3))
    assert again.error_code == 0


def test_a_topic_that_cannot_be_deleted_stays(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    result, = create(node, topic("foo"))

    def full(*args: Any, **kwargs: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("kreactor.embedded.json_file.write_atomically", full)
        errors = subject_of(node).delete_topics(context(), [result.topic_id])
        assert errors[result.topic_id].error() is Errors.KAFKA_STORAGE_ERROR
    assert created(node) == {"foo"}
    node.append("foo", b"goes on")
    assert node.replica_manager.get_log_end_offset(TopicPartition("foo", 0)) == 1


def test_a_folder_that_cannot_be_renamed_is_gone_for_clients(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                             caplog: pytest.LogCaptureFixture) -> None:
    result, = create(node, topic("foo"))

    def fail(topic_partitions: Any) -> None:
        raise RuntimeError("unexpected")

    monkeypatch.setattr(node.storage.log_manager(), "delete_logs", fail)
    errors = subject_of(node).delete_topics(context(), [result.topic_id])
    assert errors[result.topic_id].error() is Errors.UNKNOWN_SERVER_ERROR
    assert "unexpected error while deleting topic" in caplog.text
    assert created(node) == set()
    assert node.replica_manager.get_partition(TopicPartition("foo", 0)) is None


def test_many_threads(node: Node) -> None:
    """The topics of the storage and of the replica manager stay the same."""
    outcomes: list[Errors] = []

    def come_and_go() -> None:
        for _ in range(10):
            result, = create(node, topic("foo", 2))
            outcomes.append(Errors.for_code(result.error_code))
            if result.error_code == 0:
                subject_of(node).delete_topics(context(), [result.topic_id])

    run_threads(*[come_and_go] * 3)
    assert set(outcomes) <= {Errors.NONE, Errors.TOPIC_ALREADY_EXISTS} and Errors.NONE in outcomes
    assert created(node) == set()
    for partition in range(2):
        assert node.replica_manager.get_partition(TopicPartition("foo", partition)) is None


# -- partitions are added ----------------------------------------------------------------------------------


def create_partitions(node: Node, *counts: tuple[str, int],
                      validate_only: bool = False) -> dict[str, tuple[Errors, str | None]]:
    results = node.controller_apis.create_partitions(
        ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda partitions: None),
        CreatePartitionsRequestData(timeout_ms=1000, validate_only=validate_only, topics=[
            CreatePartitionsRequestData.CreatePartitionsTopic(name=name, count=count, assignments=None)
            for name, count in counts]), set)
    return {result.name: (Errors.for_code(result.error_code), result.error_message) for result in results}


def test_create_partitions(node: Node) -> None:
    for name, partitions in (("foo", 3), ("bar", 4), ("quux", 2)):
        node.create_topic(name, partitions)
    assert create_partitions(node, ("foo", 5), ("bar", 3), ("baz", 3), ("quux", 2)) == {
        "foo": (Errors.NONE, None),
        "bar": (Errors.INVALID_PARTITIONS, "The topic bar currently has 4 partition(s); 3 would not be an "
                "increase."),
        "baz": (Errors.UNKNOWN_TOPIC_OR_PARTITION, None),
        "quux": (Errors.INVALID_PARTITIONS, "Topic already has 2 partition(s).")}
    node.append("foo", b"to a new one", partition=4)


def test_create_partitions_with_mutation_quota_exceeded(node: Node) -> None:
    def refuse(partitions: int) -> None:
        raise ThrottlingQuotaExceededException("Quota exceeded in test", 1000)

    node.create_topic("foo", 3)
    context = ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, refuse)
    result, = node.controller_apis.create_partitions(
        context, CreatePartitionsRequestData(topics=[CreatePartitionsRequestData.CreatePartitionsTopic(
            name="foo", count=5, assignments=None)]), set)
    assert (Errors.for_code(result.error_code), result.error_message) == (
        Errors.THROTTLING_QUOTA_EXCEEDED, "Quota exceeded in test")
    assert node.metadata_cache.num_partitions("foo") == 3


@pytest.mark.parametrize("error, expected, level", [
    (ZeroDivisionError("of a move"), Errors.UNKNOWN_SERVER_ERROR, "ERROR"),
    (InvalidReplicaAssignmentException("no"), Errors.INVALID_REPLICA_ASSIGNMENT, "INFO")])
def test_why_a_partition_cannot_move_is_logged(
        node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception,
        expected: Errors, level: str) -> None:
    def fail(*args: object) -> None:
        raise error

    caplog.set_level("INFO")
    monkeypatch.setattr(ReplicationControlManager, "_alter_partition_reassignment", fail)
    Topics = AlterPartitionReassignmentsRequestData.ReassignableTopic
    Partitions = AlterPartitionReassignmentsRequestData.ReassignablePartition
    answer = subject_of(node).alter_partition_reassignments(AlterPartitionReassignmentsRequestData(
        topics=[Topics(name="t", partitions=[Partitions(partition_index=0)])]))
    assert answer.responses[0].partitions[0].error_code == expected.code
    record, = (record for record in caplog.records if "reassignment" in record.getMessage())
    assert record.levelname == level
    assert (record.exc_info is not None and record.exc_info[1] is error) is (level == "ERROR")
