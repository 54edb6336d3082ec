# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.OffsetConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings under which committed offsets are kept."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.record.compression_type import CompressionType


class OffsetConfig(NamedTuple):
    """Sizes in bytes, but for ``max_metadata_size``, which counts characters; times in milliseconds.

    ``offsets_retention_ms`` runs from the moment a group loses its last member, or from a partition's last
    commit where there are no members, or where the members have turned to other topics.

    :origin: coordinator.group.OffsetConfig
    :origin: coordinator.group.OffsetConfig#OffsetConfig(int, int, long, long, int, int, short, CompressionType, int, short)
    """  # noqa: E501

    max_metadata_size: int
    load_buffer_size: int
    offsets_retention_ms: int
    offsets_retention_check_interval_ms: int
    offsets_topic_num_partitions: int
    offsets_topic_segment_bytes: int
    offsets_topic_replication_factor: int
    offsets_topic_compression_type: CompressionType
    offset_commit_timeout_ms: int
    offset_commit_required_acks: int
