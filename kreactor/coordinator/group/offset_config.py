# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.OffsetConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of committed offsets."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.common.record.compression_type import CompressionType


class OffsetConfig(NamedTuple):
    """Sizes are in bytes, except ``max_metadata_size``, which counts characters. Times are in milliseconds.

    ``offsets_retention_ms`` begins when a group loses its last member. It begins at a partition's last commit
    if the group has no members, or if the members no longer subscribe to the topic.

    ``fidelity_strict`` is ours: whether ``kreactor.fidelity`` is strict.

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
    fidelity_strict: bool = False

    def is_strict(self) -> bool:
        """Return whether the faults of ``STRICT_DEVIATIONS`` are there."""
        return self.fidelity_strict
