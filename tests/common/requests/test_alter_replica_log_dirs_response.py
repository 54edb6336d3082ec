# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterReplicaLogDirsResponseTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of replicas that were to move."""

from __future__ import annotations

from kreactor.common.message.alter_replica_log_dirs_response_data import AlterReplicaLogDirsResponseData
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse

TopicResult = AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult
PartitionResult = AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult


def test_error_counts() -> None:
    response = AlterReplicaLogDirsResponse(AlterReplicaLogDirsResponseData(results=[
        TopicResult(topic_name="t0", partitions=[
            PartitionResult(partition_index=0, error_code=Errors.LOG_DIR_NOT_FOUND.code),
            PartitionResult(partition_index=1, error_code=Errors.NONE.code)]),
        TopicResult(topic_name="t1", partitions=[
            PartitionResult(partition_index=0, error_code=Errors.LOG_DIR_NOT_FOUND.code)])]))
    assert response.error_counts() == {Errors.LOG_DIR_NOT_FOUND: 2, Errors.NONE: 1}
