# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings that were changed, and partitions that were added: durable, and in force at once."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.errors import (
    InvalidConfigurationException,
    KafkaStorageException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.topic_partition import TopicPartition
from kreactor.embedded import configs, topics
from kreactor.embedded.configs import ConfigStore
from kreactor.embedded.storage import Storage, StorageConfig
from kreactor.metadata.node_storage import Topic
from kreactor.testing.mock_time import MockTime
from tests.storage.internals.log.support import MockScheduler

ALL_BROKERS = ConfigResource(ConfigResource.Type.BROKER, "")
METRICS = ConfigResource(ConfigResource.Type.CLIENT_METRICS, "m")


def new_storage(folder: Path, defaults: dict[str, str] | None = None) -> Storage:
    time = MockTime()
    storage = Storage(StorageConfig(str(folder), topic_defaults={} if defaults is None else defaults),
                      MockScheduler(time), time)
    storage.startup()
    return storage


def crash(storage: Storage) -> None:
    """Let go of everything as the end of a process does: nothing is written."""
    for partition_log in storage.log_manager().all_logs():
        for segment in partition_log.segments():
            segment.release()
    assert storage._folder is not None
    storage._folder.release()


def test_settings_survive_a_crash(tmp_path: Path) -> None:
    storage = new_storage(tmp_path)
    storage.configs().replace_all({ALL_BROKERS: {"log.retention.ms": "5", "background.threads": "3"}})
    storage.configs().replace_all({METRICS: {"interval.ms": "1000"}})
    storage.create_topic("t", 1, {"retention.ms": "7"})
    storage.alter_topic_configs({"t": {"segment.bytes": "1000"}})
    changes = storage.changes()
    crash(storage)
    storage = new_storage(tmp_path)
    assert storage.configs().config(ALL_BROKERS) == {"log.retention.ms": "5", "background.threads": "3"}
    assert storage.configs().names(ConfigResource.Type.CLIENT_METRICS) == ["m"]
    topic = storage.topics().topic("t")
    assert topic is not None and topic.configs == {"segment.bytes": "1000"}
    partition_log = storage.partition_log(TopicPartition("t", 0))
    assert partition_log is not None and partition_log.config().segment_size == 1000
    assert storage.changes() == changes
    storage.shutdown()


def test_what_has_no_settings_any_more_is_forgotten(tmp_path: Path) -> None:
    store = ConfigStore(str(tmp_path / configs.FILE_NAME))
    store.replace_all({METRICS: {"interval.ms": "1000"}})
    store.replace_all({METRICS: {}})
    assert store.names(ConfigResource.Type.CLIENT_METRICS) == []
    assert (store.config(METRICS), store.changes()) == ({}, 2)


def test_nobody_else_reads_passwords(tmp_path: Path) -> None:
    path = tmp_path / configs.FILE_NAME
    ConfigStore(str(path)).replace_all({ALL_BROKERS: {"a": "secret"}})
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 2}', '{"version": 1, "changes": 0}',
                                     '{"version": 1, "changes": 0, "configs": [{"type": "X", "name": ""}]}'])
def test_a_broken_file_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / configs.FILE_NAME
    path.write_text(content)
    with pytest.raises(KafkaException):
        ConfigStore(str(path))


def test_a_change_that_cannot_be_stored_is_none(tmp_path: Path) -> None:
    path = tmp_path / "folder" / configs.FILE_NAME
    store = ConfigStore(str(path))
    with pytest.raises(KafkaStorageException):
        store.replace_all({ALL_BROKERS: {"a": "b"}})
    assert (store.config(ALL_BROKERS), store.changes()) == ({}, 0)


def test_settings_of_a_topic_are_in_force_at_once(tmp_path: Path) -> None:
    storage = new_storage(tmp_path)
    storage.create_topic("t", 2, {})
    storage.alter_topic_configs({"t": {"max.message.bytes": "77", "retention.ms": "5"}})
    for partition in (0, 1):
        partition_log = storage.partition_log(TopicPartition("t", partition))
        assert partition_log is not None
        assert (partition_log.config().max_message_size(), partition_log.config().retention_ms) == (77, 5)
    results = storage.alter_topic_configs({"t": {"preallocate": "true"}, "u": {}})
    assert {name: type(result) for name, result in results.items()} == {
        "t": InvalidConfigurationException, "u": UnknownTopicOrPartitionException}
    topic = storage.topics().topic("t")
    assert topic is not None and topic.configs == {"max.message.bytes": "77", "retention.ms": "5"}
    storage.shutdown()


def test_defaults_reach_the_logs_of_topics_without_their_own(tmp_path: Path) -> None:
    defaults = {"retention.ms": "10"}
    storage = new_storage(tmp_path, defaults)
    storage.create_topic("own", 1, {"retention.ms": "1"})
    storage.create_topic("none", 1, {})
    defaults["retention.ms"] = "20"
    storage.log_defaults_changed()
    kept = {}
    for name in ("own", "none"):
        partition_log = storage.partition_log(TopicPartition(name, 0))
        assert partition_log is not None
        kept[name] = partition_log.config().retention_ms
    assert kept == {"own": 1, "none": 20}
    storage.shutdown()


def test_partitions_are_added_durably(tmp_path: Path) -> None:
    storage = new_storage(tmp_path)
    storage.create_topic("t", 1, {})
    grown = storage.add_partitions({"t": 3})["t"]
    assert isinstance(grown, Topic) and grown.num_partitions == 3
    crash(storage)
    storage = new_storage(tmp_path)
    topic = storage.topics().topic("t")
    assert topic is not None and topic.num_partitions == 3
    assert all(storage.partition_log(topic_partition) for topic_partition in topic.partitions())
    storage.shutdown()


def test_partitions_that_cannot_be_made_are_none(tmp_path: Path) -> None:
    storage = new_storage(tmp_path)
    storage.create_topic("s", 1, {})
    storage.create_topic("t", 1, {})
    (tmp_path / "t-2").mkdir()
    results = storage.add_partitions({"s": 2, "t": 3, "u": 3})
    assert {name: type(result) for name, result in results.items()} == {
        "s": Topic, "t": KafkaStorageException, "u": UnknownTopicOrPartitionException}
    assert {name: topic.num_partitions for name, topic in storage.topics().topics().items()} == {
        "s": 2, "t": 1}
    assert storage.partition_log(TopicPartition("t", 1)) is None
    content = json.loads((tmp_path / topics.FILE_NAME).read_text())
    assert {topic["name"]: topic["partitions"] for topic in content["topics"]} == {"s": 2, "t": 1}
    storage.shutdown()
