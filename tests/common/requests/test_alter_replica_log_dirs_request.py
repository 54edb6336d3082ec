# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterReplicaLogDirsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Replicas that are to move to other folders."""

from __future__ import annotations

from kreactor.common.errors import LogDirNotFoundException
from kreactor.common.message.alter_replica_log_dirs_request_data import AlterReplicaLogDirsRequestData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_replica_log_dirs_request import AlterReplicaLogDirsRequest
from kreactor.common.topic_partition import TopicPartition

Dir = AlterReplicaLogDirsRequestData.AlterReplicaLogDir
Topic = AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic


def test_error_response() -> None:
    data = AlterReplicaLogDirsRequestData(dirs=[
        Dir(path="/data0", topics=[Topic(name="topic", partitions=[0, 1, 2])])])
    error_response = AlterReplicaLogDirsRequest.Builder(data).build().get_error_response_throttle(
        123, LogDirNotFoundException("/data0"))
    assert error_response.throttle_time_ms() == 123
    assert len(error_response.data().results) == 1
    topic_response = error_response.data().results[0]
    assert topic_response.topic_name == "topic"
    assert len(topic_response.partitions) == 3
    for i in range(3):
        assert topic_response.partitions[i].partition_index == i
        assert topic_response.partitions[i].error_code == Errors.LOG_DIR_NOT_FOUND.code


def test_partition_dir() -> None:
    data = AlterReplicaLogDirsRequestData(dirs=[
        Dir(path="/data0", topics=[
            Topic(name="topic", partitions=[0, 1]), Topic(name="topic2", partitions=[7])]),
        Dir(path="/data1", topics=[Topic(name="topic3", partitions=[12])])])
    assert AlterReplicaLogDirsRequest.Builder(data).build().partition_dirs() == {
        TopicPartition("topic", 0): "/data0", TopicPartition("topic", 1): "/data0",
        TopicPartition("topic2", 7): "/data0", TopicPartition("topic3", 12): "/data1"}
