# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.DescribeLogDirsRequestTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A broker describes its folder and the logs in it."""

from __future__ import annotations

from pathlib import Path


from kreactor.common.message.describe_log_dirs_request_data import DescribeLogDirsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.topic_partition import TopicPartition
from tests.core.server.broker_requests import ask, create_topic, produce
from tests.core.server.brokers import new_broker


def test_describe_log_dirs_request(tmp_path: Path) -> None:
    """Kafka's broker has a second folder, which is offline; here is one folder, and only logs go offline."""
    with new_broker(tmp_path) as broker:
        create_topic(broker, "topic", 2)
        for number in range(10):
            assert produce(broker, b"test-%d" % number, topic="topic") is Errors.NONE
        answer = ask(broker, ApiKeys.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequestData(topics=None))
        result, = answer.results
        assert result.log_dir == str(tmp_path)
        assert result.error_code == Errors.NONE.code
        assert result.total_bytes > 0
        assert result.usable_bytes > 0
        found = {TopicPartition(topic.name, partition.partition_index): partition
                 for topic in result.topics for partition in topic.partitions}
        partitions = [TopicPartition("topic", 0), TopicPartition("topic", 1)]
        assert sorted(found, key=str) == partitions
        for partition in partitions:
            log = broker.storage().partition_log(partition)
            assert log is not None
            assert found[partition].partition_size == log.size()
            assert found[partition].offset_lag == 0
            if partition.partition() == 0:
                assert log.log_end_offset() > 0
