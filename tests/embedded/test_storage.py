# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The node's storage as a whole: folder, topics, logs, producer ids; stops clean and unclean."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kreactor.common.errors import (
    InconsistentClusterIdException,
    InvalidConfigurationException,
    InvalidPartitionsException,
    InvalidTopicException,
    KafkaStorageException,
    TopicExistsException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.uuid import Uuid
from kreactor.core.log.log_manager import LogManager, LogManagerConfig
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.data_folder import DataFolder, DataFolderLockedException
from kreactor.embedded.producer_ids import BLOCK_SIZE, ProducerIds
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.metadata.node_storage import NewTopic, Topic
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import NOW, MockScheduler, TrackedFiles, records, run_threads, values


class Node:
    """A storage that a test starts, stops and kills."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.time = MockTime(current_time_ms=NOW)
        self.scheduler = MockScheduler(self.time)
        self.files = TrackedFiles()
        self.config = StorageConfig(str(directory), log_manager=LogManagerConfig(initial_task_delay_ms=10))
        self.storage = self.new()

    def new(self) -> Storage:
        self.storage = Storage(self.config, self.scheduler, self.time, self.files)
        return self.storage

    def start(self) -> Storage:
        self.new().startup()
        return self.storage

    def kill(self) -> None:
        """End as a killed process does: nothing is written, all descriptors are closed."""
        folder = self.storage._folder
        self.storage._folder = self.storage._logs = None
        self.scheduler = MockScheduler(self.time)
        self.files.close_all()
        if folder is not None:
            folder.release()

    def log(self, topic: str, partition: int = 0) -> UnifiedLog:
        log = self.storage.partition_log(TopicPartition(topic, partition))
        assert log is not None
        return log

    def append(self, topic: str, *sent: bytes) -> int:
        return self.log(topic).append_as_leader(records(*sent), 0).first_offset

    def folders(self) -> list[str]:
        return sorted(entry.name for entry in os.scandir(self.directory) if entry.is_dir())


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    made = Node(tmp_path / "data")
    made.start()
    yield made
    made.kill()


def test_logs_have_the_settings_of_producers(node: Node) -> None:
    node.storage.create_topic("topic", 1, {})
    settings = node.storage.log_manager().producer_state_manager_config()
    assert settings.producer_id_expiration_ms == 86_400_000
    assert settings.transaction_verification_enabled
    log = node.log("topic")
    guard = log.maybe_start_transaction_verification(7, 0, 0)
    log.append_as_leader(
        records(b"open", producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True), 0,
        verification_guard=guard)
    # Of 15 minutes that a transaction may last, and 5 of grace.
    assert not log.has_late_transaction(NOW + 20 * 60_000)
    assert log.has_late_transaction(NOW + 20 * 60_000 + 1)


# -- whose folder it is ------------------------------------------------------------------------------


def test_a_new_folder(node: Node) -> None:
    meta = node.storage.meta_properties()
    text = (node.directory / "meta.properties").read_text()
    assert text.startswith("#\n#")
    assert text.splitlines()[2:] == ["version=1", f"cluster.id={meta.cluster_id}", "node.id=1",
                                     f"directory.id={meta.directory_id}"]
    node.storage.shutdown()
    node.start()
    assert node.storage.meta_properties() == meta


def test_kafkas_own_meta_properties(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text(
        "#\n#Sat Nov 21 03:39:58 UTC 2026\nnode.id=1\ndirectory.id=DR2e5AYLN_Z-8BFcWR7m2A\nversion=1\n"
        "cluster.id=oracleoracleoracleora\n")
    folder = DataFolder.open(str(tmp_path))
    meta = folder.load_meta_properties(1, None)
    assert (meta.cluster_id, meta.node_id, str(meta.directory_id)) == (
        "oracleoracleoracleora", 1, "DR2e5AYLN_Z-8BFcWR7m2A")
    folder.release()


@pytest.mark.parametrize(("content", "message"), [
    ("version=1\ncluster.id=c\nnode.id=2\n", "is that of node 2, and this is node 1"),
    ("version=0\ncluster.id=c\nbroker.id=1\n", "has version 0"),
    ("version=1\nnode.id=1\n", "has no cluster.id"),
    ("version=1\ncluster.id=c\nnode.id=one\n", "cannot be read"),
    ("version=1\ncluster.id=c\nnode.id=1\ndirectory.id=?\n", "cannot be read"),
])
def test_anothers_folder(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "meta.properties").write_text(content)
    node = Node(tmp_path)
    with pytest.raises(KafkaException, match=message):
        node.start()
    # Nothing is held: the folder can be locked.
    DataFolder.open(str(tmp_path)).release()


def test_another_cluster(node: Node) -> None:
    node.storage.shutdown()
    node.config = StorageConfig(str(node.directory), cluster_id="another")
    with pytest.raises(InconsistentClusterIdException, match="and not of another"):
        node.start()


def test_one_broker_at_a_time(node: Node) -> None:
    second = Storage(node.config, node.scheduler, node.time)
    with pytest.raises(DataFolderLockedException) as raised:
        second.startup()
    assert str(node.directory) in str(raised.value)
    assert "another process or thread is using this directory" in str(raised.value)
    node.storage.shutdown()
    second.startup()
    second.shutdown()
    second.shutdown()


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    node = Node(tmp_path / "file" / "data")
    with pytest.raises(KafkaException, match="cannot be used: Not a directory"):
        node.start()


def test_used_before_it_is_started(tmp_path: Path) -> None:
    node = Node(tmp_path)
    with pytest.raises(IllegalStateException):
        node.storage.topics()
    node.storage.shutdown()
    node.start()
    with pytest.raises(IllegalStateException):
        node.storage.startup()
    node.kill()


def test_defaults_that_cannot_be_kept(tmp_path: Path) -> None:
    node = Node(tmp_path / "data")
    node.config = StorageConfig(str(tmp_path / "data"), topic_defaults={"preallocate": True})
    with pytest.raises(InvalidConfigurationException):
        node.start()
    assert not (tmp_path / "data").exists()


# -- topics ------------------------------------------------------------------------------------------


def test_topics_outlive_the_process(node: Node) -> None:
    first = node.storage.create_topic("first", 2, {"retention.ms": "1000"})
    second = node.storage.create_topic("second", 1, {})
    assert first.topic_id != second.topic_id
    assert node.folders() == ["first-0", "first-1", "second-0"]
    assert (node.directory / "first-1" / "partition.metadata").read_text() == (
        f"version: 0\ntopic_id: {first.topic_id}")
    node.append("first", b"a")
    for killed in (True, False):
        if killed:
            node.kill()
        else:
            node.storage.shutdown()
        node.start()
        assert node.storage.topics().topics() == {"first": first, "second": second}
        assert node.storage.topics().topic_by_id(first.topic_id) == first
        assert node.log("first").config().retention_ms == 1000
        assert node.log("first").topic_id() == first.topic_id
        assert values(node.log("first")) == [b"a"]
        assert node.storage.partition_log(TopicPartition("first", 2)) is None


@pytest.mark.parametrize(("name", "partitions", "configs", "error", "message"), [
    ("first", 1, {}, TopicExistsException, "Topic 'first' already exists."),
    ("a_b", 1, {}, InvalidTopicException, "Topic 'a_b' collides with existing topic: a.b"),
    ("a b", 1, {}, InvalidTopicException, "is invalid"),
    ("third", 0, {}, InvalidPartitionsException, "non-positive value"),
    ("third", 1, {"preallocate": "true"}, InvalidConfigurationException, "does not support"),
])
def test_topics_that_cannot_be(node: Node, name: str, partitions: int, configs: dict[str, str],
                               error: type[Exception], message: str) -> None:
    node.storage.create_topic("first", 1, {})
    node.storage.create_topic("a.b", 1, {})
    with pytest.raises(error, match=message):
        node.storage.create_topic(name, partitions, configs)
    assert set(node.storage.topics().topics()) == {"first", "a.b"}
    assert node.folders() == ["a.b-0", "first-0"]


def test_cleaning_ends_with_the_policy(node: Node) -> None:
    """A topic that is compacted no more keeps the records that nobody has cleaned."""
    topic = node.storage.create_topic("topic", 2, {"cleanup.policy": "compact"})
    cleaner = Mock()
    node.storage.log_manager().start_cleaner(cleaner)
    node.storage.alter_topic_configs({"topic": {"cleanup.policy": "compact", "segment.bytes": "1024"}})
    assert not cleaner.abort_cleaning.called
    node.storage.alter_topic_configs({"topic": {"cleanup.policy": "delete"}})
    assert [args for (args,), _ in cleaner.abort_cleaning.call_args_list] == list(topic.partitions())


def test_deletion(node: Node) -> None:
    topic = node.storage.create_topic("topic", 2, {"file.delete.delay.ms": "100"})
    node.append("topic", b"old")
    log = node.log("topic")
    assert node.storage.delete_topic("topic") == topic
    assert node.storage.partition_log(TopicPartition("topic", 0)) is None
    with pytest.raises(UnknownTopicOrPartitionException):
        node.storage.delete_topic("topic")
    with pytest.raises(UnknownTopicOrPartitionException):
        log.append_as_leader(records(b"late"), 0)
    assert all(name.endswith("-delete") for name in node.folders())
    assert len(node.folders()) == 2
    again = node.storage.create_topic("topic", 1, {})
    assert again.topic_id != topic.topic_id
    assert values(node.log("topic")) == []
    node.scheduler.tick(100)
    assert node.folders() == ["topic-0"]


def test_deletion_of_many_is_one_write(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = {name: node.storage.create_topic(name, 2, {}) for name in ("first", "second", "third")}
    before = node.storage.topics().changes()
    results = node.storage.delete_topics(["first", "none", "third"])
    assert node.storage.topics().changes() == before + 1
    assert isinstance(results.pop("none"), UnknownTopicOrPartitionException)
    assert results == {"first": topics["first"], "third": topics["third"]}
    assert set(node.storage.topics().topics()) == {"second"}
    assert {name.partition(".")[0] for name in node.folders() if name.endswith("-delete")} == {
        "first-0", "first-1", "third-0", "third-1"}
    # A file that cannot be written keeps them all.
    monkeypatch.setattr("os.replace", Mock(side_effect=OSError(28, "full")))
    results = node.storage.delete_topics(["second", "none"])
    assert isinstance(results["second"], KafkaStorageException)
    assert isinstance(results["none"], UnknownTopicOrPartitionException)
    assert node.storage.partition_log(TopicPartition("second", 1)) is not None


def test_nothing_of_a_deleted_topic_comes_back(node: Node) -> None:
    """The start offset and recovery point of a deleted topic do not count for the next one of its name."""
    node.storage.create_topic("topic", 1, {})
    for _ in range(5):
        node.append("topic", b"old")
    node.log("topic").flush()
    node.log("topic").maybe_increment_log_start_offset(4)
    node.scheduler.tick(60_010)
    assert (node.directory / "log-start-offset-checkpoint").read_text() == "0\n1\ntopic 0 4\n"
    node.storage.delete_topic("topic")
    node.storage.create_topic("topic", 1, {})
    for _ in range(5):
        node.append("topic", b"new")
    node.kill()
    node.start()
    assert values(node.log("topic")) == [b"new"] * 5


def test_a_crash_while_a_topic_is_made(node: Node) -> None:
    """It is in the file, and its folders are not there yet."""
    topic = node.storage.create_topic("topic", 2, {})
    node.kill()
    for name in os.listdir(node.directory / "topic-1"):
        os.remove(node.directory / "topic-1" / name)
    os.rmdir(node.directory / "topic-1")
    (node.directory / "topic-0" / "partition.metadata").write_text("")
    node.start()
    assert node.log("topic", 1).topic_id() == topic.topic_id
    assert str(topic.topic_id) in (node.directory / "topic-0" / "partition.metadata").read_text()


def test_a_crash_while_a_topic_is_deleted(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is out of the file, and its folders have their old names."""
    node.storage.create_topic("topic", 2, {})
    node.append("topic", b"old")
    monkeypatch.setattr(type(node.storage.log_manager()), "delete_logs", lambda self, partitions: None)
    node.storage.delete_topic("topic")
    monkeypatch.undo()
    node.kill()
    assert node.folders() == ["topic-0", "topic-1"]
    node.start()
    assert node.storage.topics().topics() == {}
    node.scheduler.tick()
    assert node.folders() == []
    node.storage.create_topic("topic", 1, {})
    assert values(node.log("topic")) == []


def test_folders_of_others(node: Node, caplog: pytest.LogCaptureFixture) -> None:
    node.storage.create_topic("topic", 1, {})
    node.storage.shutdown()
    (node.directory / "stranger-0").mkdir()
    (node.directory / "stranger-0" / "00000000000000000000.log").write_bytes(b"precious")
    (node.directory / "gone-0.0123456789abcdef-delete").mkdir()
    node.start()
    assert "stranger-0 belongs to no topic of this broker; it is kept" in caplog.text
    with pytest.raises(KafkaStorageException, match="belongs to no topic of this broker"):
        node.storage.create_topic("stranger", 1, {})
    assert node.storage.topics().topic("stranger") is None
    assert (node.directory / "stranger-0" / "00000000000000000000.log").read_bytes() == b"precious"
    node.scheduler.tick()
    assert node.folders() == ["stranger-0", "topic-0"]


def test_a_folder_of_another_topic_of_the_name(node: Node) -> None:
    node.storage.create_topic("topic", 1, {})
    node.storage.shutdown()
    (node.directory / "topic-0" / "partition.metadata").write_text(
        f"version: 0\ntopic_id: {Uuid.random_uuid()}")
    with pytest.raises(KafkaException, match="belongs to another topic of that name"):
        node.start()
    DataFolder.open(str(node.directory)).release()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 2}', '{"version": 1, "topics": [{}]}',
                                     '{"version": 1, "topics": [{"name": 1, "id": "x", "partitions": 1, '
                                     '"configs": {}}], "deleting": []}'])
@pytest.mark.parametrize("name", ["topics.json", "producer-ids.json"])
def test_damaged_registries(node: Node, name: str, content: str) -> None:
    node.storage.shutdown()
    (node.directory / name).write_text(content)
    with pytest.raises(KafkaException, match=name):
        node.start()


def test_disk_full_while_a_topic_is_made(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    node.storage.create_topic("first", 1, {})
    for module in ("embedded.json_file", "core.log.log_manager"):
        with monkeypatch.context() as patch:
            patch.setattr(f"kreactor.{module}.write_atomically", full)
            with pytest.raises(KafkaStorageException, match="No space left on device"):
                node.storage.create_topic("second", 2, {})
        assert set(node.storage.topics().topics()) == {"first"}
        assert node.folders() == ["first-0"]
    node.kill()
    node.start()
    assert set(node.storage.topics().topics()) == {"first"}
    node.storage.create_topic("second", 2, {})
    assert node.folders() == ["first-0", "second-0", "second-1"]


def test_a_topic_of_which_one_partition_cannot_be_made(node: Node) -> None:
    (node.directory / "topic-2").mkdir()
    with pytest.raises(KafkaStorageException):
        node.storage.create_topic("topic", 3, {"file.delete.delay.ms": "0"})
    assert node.storage.topics().topic("topic") is None
    node.scheduler.tick()
    assert node.folders() == ["topic-2"]
    os.rmdir(node.directory / "topic-2")
    node.storage.create_topic("topic", 3, {})


def test_topics_are_made_with_one_write(node: Node) -> None:
    node.storage.create_topic("first", 1, {})
    before = node.storage.changes()
    results = node.storage.create_topics([
        NewTopic("a.b", 2, {}), NewTopic("first", 1, {}), NewTopic("a_b", 1, {}), NewTopic("other", 0, {}),
        NewTopic("second", 1, {"retention.ms": "1000"}), NewTopic("second", 1, {})])
    assert [type(result) for result in results] == [
        Topic, TopicExistsException, InvalidTopicException, InvalidPartitionsException, Topic,
        TopicExistsException]
    assert node.storage.changes() == before + 1
    topics = node.storage.topics().topics()
    assert list(topics) == ["first", "a.b", "second"]
    assert [topics["a.b"], topics["second"]] == [results[0], results[4]]
    assert node.folders() == ["a.b-0", "a.b-1", "first-0", "second-0"]
    node.kill()
    node.start()
    assert node.storage.topics().topics() == topics


def test_of_topics_made_together_those_that_fail_were_never_there(node: Node) -> None:
    (node.directory / "second-0").mkdir()
    results = node.storage.create_topics([NewTopic(name, 1, {}) for name in ("first", "second", "third")])
    assert [type(result) for result in results] == [Topic, KafkaStorageException, Topic]
    assert set(node.storage.topics().topics()) == {"first", "third"}
    os.rmdir(node.directory / "second-0")
    node.kill()
    node.start()
    assert set(node.storage.topics().topics()) == {"first", "third"}
    assert node.folders() == ["first-0", "third-0"]


def test_what_stops_the_making_of_topics_leaves_none_half_made(
        node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    made = LogManager.create_log

    def create_log(logs: LogManager, topic_partition: TopicPartition, *args: Any) -> UnifiedLog:
        if topic_partition.topic() == "second":
            raise MemoryError
        return made(logs, topic_partition, *args)

    with monkeypatch.context() as patch:
        patch.setattr(LogManager, "create_log", create_log)
        with pytest.raises(MemoryError):
            node.storage.create_topics([NewTopic(name, 1, {}) for name in ("first", "second", "third")])
    assert set(node.storage.topics().topics()) == {"first"}
    node.kill()
    node.start()
    assert set(node.storage.topics().topics()) == {"first"}
    assert node.folders() == ["first-0"]


def test_deleted_topics_leave_the_file(node: Node) -> None:
    """A topic is in it until its folders have other names, which the next change makes durable."""
    def deleting() -> list[str]:
        content = json.loads((node.directory / "topics.json").read_text())
        return [topic["name"] for topic in content["deleting"]]

    for name in ("first", "second", "third"):
        node.storage.create_topic(name, 1, {})
    node.storage.delete_topic("first")
    assert deleting() == ["first"]
    node.storage.delete_topic("second")
    assert deleting() == ["second"]
    os.mkdir(node.directory / "second-0")
    shutil.copy(node.directory / "third-0" / "partition.metadata", node.directory / "second-0")
    node.storage.create_topic("fourth", 1, {})
    assert deleting() == []


def test_a_topic_is_seen_with_all_its_logs(node: Node) -> None:
    seen = threading.Event()

    def look() -> None:
        while not seen.is_set():
            for topic in node.storage.topics().topics().values():
                for partition in topic.partitions():
                    assert node.storage.partition_log(partition) is not None
                seen.set()

    run_threads(look, lambda: node.storage.create_topic("topic", 5, {}))


def test_one_topic_of_many_creators(node: Node) -> None:
    outcomes: list[str] = []

    def create() -> None:
        try:
            node.storage.create_topic("topic", 1, {})
            outcomes.append("created")
        except TopicExistsException:
            outcomes.append("exists")

    run_threads(*[create] * 8)
    assert sorted(outcomes) == ["created"] + ["exists"] * 7


# -- stops and starts --------------------------------------------------------------------------------


def test_a_clean_stop_spares_the_next_start_the_reading(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.storage.create_topic("topic", 1, {})
    for _ in range(3):
        node.append("topic", b"a")
    node.storage.shutdown()
    assert json.loads((node.directory / ".kafka_cleanshutdown").read_text()) == {
        "version": 0, "brokerEpoch": -1}
    assert (node.directory / "recovery-point-offset-checkpoint").read_text() == "0\n1\ntopic 0 3\n"

    def recover(*args: object) -> None:
        raise AssertionError("the log is read")

    with monkeypatch.context() as patch:
        patch.setattr("kreactor.core.log.log_loader._recover", recover)
        node.start()
    assert not (node.directory / ".kafka_cleanshutdown").exists()
    assert values(node.log("topic")) == [b"a"] * 3
    node.kill()
    with monkeypatch.context() as patch:
        patch.setattr("kreactor.core.log.log_loader._recover", recover)
        with pytest.raises(AssertionError, match="the log is read"):
            node.start()
    node.start()
    assert values(node.log("topic")) == [b"a"] * 3


def test_no_clean_mark_if_a_log_was_not_closed_well(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    node.storage.create_topic("topic", 1, {})
    node.append("topic", b"a")

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("kreactor.storage.internals.log.producer_state_manager.write_snapshot", full)
        node.storage.shutdown()
    assert not (node.directory / ".kafka_cleanshutdown").exists()
    node.start()
    assert values(node.log("topic")) == [b"a"]


def test_start_offsets_outlive_the_process(node: Node) -> None:
    node.storage.create_topic("topic", 1, {})
    for _ in range(3):
        node.append("topic", b"a")
    node.log("topic").maybe_increment_log_start_offset(2)
    node.storage.shutdown()
    node.start()
    assert node.log("topic").log_start_offset() == 2


def test_checkpoints_of_partitions_that_are_gone(node: Node) -> None:
    """One of the name may come again, and must not begin where the old one did."""
    node.storage.shutdown()
    for name in ("recovery-point-offset-checkpoint", "log-start-offset-checkpoint"):
        (node.directory / name).write_text("0\n1\nghost 0 5\n")
    node.start()
    for name in ("recovery-point-offset-checkpoint", "log-start-offset-checkpoint"):
        assert "ghost" not in (node.directory / name).read_text()


@pytest.mark.parametrize("name", ["recovery-point-offset-checkpoint", "log-start-offset-checkpoint"])
def test_a_damaged_checkpoint_counts_as_none(node: Node, name: str) -> None:
    node.storage.create_topic("topic", 1, {})
    node.append("topic", b"a")
    node.kill()
    (node.directory / name).write_text("nonsense\n1\n")
    node.start()
    assert values(node.log("topic")) == [b"a"]


def test_what_runs_in_the_background(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.config = StorageConfig(str(tmp_path), log_manager=LogManagerConfig(
        initial_task_delay_ms=10, flush_check_ms=20, retention_check_ms=1000, producer_id_expiration_ms=5000))
    node.start()
    node.storage.create_topic("topic", 1, {"retention.ms": "3000", "flush.ms": "30",
                                           "file.delete.delay.ms": "0"})
    log = node.log("topic")
    log.append_as_leader(records(b"a", producer_id=1, producer_epoch=0, base_sequence=0), 0)
    node.scheduler.tick(29)
    assert log.recovery_point() == 0
    for _ in range(3):
        node.scheduler.tick(10)
    assert log.recovery_point() == 1
    node.scheduler.tick(2000)
    assert (log.log_start_offset(), log.producer_id_count()) == (0, 1)
    node.scheduler.tick(1000)
    assert log.log_start_offset() == 1
    assert log.producer_id_count() == 1
    node.scheduler.tick(600_000)
    assert log.producer_id_count() == 0
    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == "0\n1\ntopic 0 1\n"
    node.storage.shutdown()
    assert node.scheduler.waiting() == 0


def test_a_producer_whose_records_have_no_time_is_known_until_the_first_check(tmp_path: Path) -> None:
    """That comes when an interval of it has passed, as in Kafka, and not with the first tasks."""
    node = Node(tmp_path)
    node.config = StorageConfig(str(tmp_path), log_manager=LogManagerConfig(
        initial_task_delay_ms=10, producer_id_expiration_check_ms=600_000))
    node.start()
    node.storage.create_topic("topic", 1, {})
    log = node.log("topic")

    def send() -> bool:
        return log.append_as_leader(records(
            b"a", producer_id=1, producer_epoch=0, base_sequence=0, timestamp=-1), 0).duplicate

    assert not send()
    node.scheduler.tick(599_999)
    assert send()
    assert log.log_end_offset() == 1
    node.scheduler.tick(1)
    assert log.producer_id_count() == 0
    node.kill()


@pytest.mark.parametrize("code", [errno.ENOENT, errno.EIO])
def test_a_file_that_vanishes_keeps_no_other_of_its_folder(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                           caplog: pytest.LogCaptureFixture,
                                                           code: int) -> None:
    """A task of its own deletes a segment's files, which may be faster."""
    node.storage.create_topic("topic", 1, {"file.delete.delay.ms": "0"})
    node.append("topic", b"a")
    unlink, failed = os.unlink, []

    def fail_once(path: str, *args: object, **kwargs: Any) -> None:
        unlink(path, *args, **kwargs)
        if not failed:
            failed.append(path)
            raise OSError(code, os.strerror(code), path)

    monkeypatch.setattr(os, "unlink", fail_once)
    node.storage.delete_topic("topic")
    node.scheduler.tick(0)
    assert failed
    assert node.folders() == []
    assert ("failed to delete" in caplog.text) is (code != errno.ENOENT)


def test_the_background_goes_on_after_a_failure(node: Node, monkeypatch: pytest.MonkeyPatch,
                                                caplog: pytest.LogCaptureFixture) -> None:
    node.storage.create_topic("topic", 1, {})

    def fail(self: UnifiedLog) -> int:
        raise KafkaStorageException("broken")

    monkeypatch.setattr(UnifiedLog, "delete_old_segments", fail)
    monkeypatch.setattr(UnifiedLog, "flush", fail)
    node.storage.log_manager().cleanup_logs()
    node.time.sleep(10)
    monkeypatch.setattr(UnifiedLog, "last_flush_ms", lambda self: -2**63)
    node.storage.log_manager().flush_dirty_logs()
    assert caplog.text.count("broken") == 2
    monkeypatch.undo()


# -- producer ids ------------------------------------------------------------------------------------


def test_no_producer_id_comes_twice(node: Node) -> None:
    seen: list[int] = []
    ends: list[Callable[[], None]] = [node.kill, lambda: node.storage.shutdown()]
    for number in range(6):
        run_threads(*[lambda: seen.extend(node.storage.generate_producer_id() for _ in range(300))] * 4)
        ends[number % 2]()
        node.start()
    assert len(seen) == len(set(seen)) == 7200
    assert min(seen) == 0
    assert max(seen) < 12 * BLOCK_SIZE


def test_no_producer_id_without_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    ids = ProducerIds(str(tmp_path / "producer-ids.json"))
    with monkeypatch.context() as patch:
        patch.setattr("kreactor.embedded.json_file.write_atomically", full)
        with pytest.raises(KafkaStorageException):
            ids.generate()
    assert [ids.generate() for _ in range(3)] == [0, 1, 2]
    assert ProducerIds(str(tmp_path / "producer-ids.json")).generate() == BLOCK_SIZE


def test_abandoned_is_as_killed(node: Node) -> None:
    storage = node.storage
    storage.create_topic("topic", 1, {})
    node.append("topic", b"1", b"2")
    abandoned = node.log("topic")
    before = {path: path.read_bytes() for path in node.directory.rglob("*") if path.is_file()}
    storage.abandon()
    assert {path: path.read_bytes() for path in node.directory.rglob("*") if path.is_file()} == before
    with pytest.raises(KafkaStorageException):
        abandoned.append_as_leader(records(b"3"), 0)
    storage.abandon()
    storage.shutdown()
    node.start()
    assert values(node.log("topic")) == [b"1", b"2"]
    assert node.append("topic", b"3") == 2
