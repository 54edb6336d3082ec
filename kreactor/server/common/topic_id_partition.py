# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.TopicIdPartition of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A partition identified by its topic's id, without the topic's name."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.uuid import Uuid


class TopicIdPartition(NamedTuple):
    """
    :origin: server.common.TopicIdPartition
    :origin: server.common.TopicIdPartition#TopicIdPartition(Uuid, int)
    :origin: server.common.TopicIdPartition#equals(Object)
    :origin: server.common.TopicIdPartition#hashCode()
    """

    topic_id: Uuid
    partition_id: int

    def __str__(self) -> str:
        """:origin: server.common.TopicIdPartition#toString()"""
        return f"{self.topic_id}:{self.partition_id}"
