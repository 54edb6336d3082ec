# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A topic's settings, by Kafka's names."""

from __future__ import annotations

import pytest

from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from tests.storage.internals.log.support import log_config


def test_defaults_are_kafkas() -> None:
    config = LogConfig.from_props()
    assert config == LogConfig()
    assert (config.segment_size, config.segment_ms, config.retention_ms, config.retention_size) == (
        1 << 30, 604_800_000, 604_800_000, -1)
    assert (config.max_message_size(), config.index_interval, config.max_index_size) == (
        1_048_588, 4096, 10_485_760)
    assert (config.flush_interval, config.flush_ms) == (MAX_LONG, MAX_LONG)
    assert config.file_delete_delay_ms == 60_000


def test_a_topics_own_settings_over_the_brokers() -> None:
    config = LogConfig.from_props({"retention.ms": 5, "segment.bytes": 1000, "cleanup.policy": ["delete"]},
                                  {"retention.ms": "-1", "message.timestamp.type": "LogAppendTime",
                                   "min.insync.replicas": "2", "compression.type": "gzip"})
    assert (config.retention_ms, config.segment_size, config.min_in_sync_replicas) == (-1, 1000, 2)
    assert config.message_timestamp_type is TimestampType.LOG_APPEND_TIME
    assert config.compression is not None and config.compression.type() is CompressionType.GZIP


@pytest.mark.parametrize("codec", [codec for codec in CompressionType])
def test_codecs(codec: CompressionType) -> None:
    name = "uncompressed" if codec is CompressionType.NONE else str(codec)
    compression = LogConfig.from_props({}, {"compression.type": name}).compression
    assert compression is not None and compression.type() is codec
    assert LogConfig.from_props({}, {"compression.type": "producer"}).compression is None


def test_limits_of_time() -> None:
    difference = {"message.timestamp.difference.max.ms": "7"}
    config = LogConfig.from_props({}, difference)
    assert (config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms) == (7, 7)
    config = LogConfig.from_props({}, {**difference, "message.timestamp.after.max.ms": "9"})
    assert (config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms) == (7, 9)


@pytest.mark.parametrize(("settings", "message"), [
    ({"no.such.setting": "1"}, "Unknown topic config name: no.such.setting"),
    ({"retention.ms": "soon"}, "Invalid value soon for configuration retention.ms"),
    ({"retention.ms": "-2"}, "Invalid value -2 for configuration retention.ms: Value must be at least -1"),
    ({"segment.bytes": "1"}, "Invalid value 1 for configuration segment.bytes: Value must be at least 14"),
    ({"compression.type": "rar"}, "Invalid value rar for configuration compression.type"),
    ({"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"}, "conflict topic config setting"),
    ({"cleanup.policy": "forget"}, "Invalid value forget for configuration cleanup.policy"),
    ({"preallocate": "true"}, "Invalid value true for configuration preallocate"),
    ({"remote.storage.enable": "true"}, "Invalid value true for configuration remote.storage.enable"),
])
def test_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidConfigurationException, match=message):
        LogConfig.from_props({}, settings)


@pytest.mark.parametrize(("policy", "compact", "delete"), [
    ("compact", True, False), ("delete", False, True), ("compact,delete", True, True)])
def test_compaction(policy: str, compact: bool, delete: bool) -> None:
    config = LogConfig.from_props({"retention.ms": 5}, {
        "cleanup.policy": policy, "delete.retention.ms": "1", "min.compaction.lag.ms": "2",
        "max.compaction.lag.ms": "3", "min.cleanable.dirty.ratio": "0.25"})
    assert (config.compact, config.delete, config.retention_ms) == (compact, delete, 5)
    assert (config.delete_retention_ms, config.compaction_lag_ms, config.max_compaction_lag_ms,
            config.min_cleanable_ratio) == (1, 2, 3, 0.25)


def test_jitter() -> None:
    assert LogConfig().random_segment_jitter() == 0
    config = log_config(segment_ms=10, segment_jitter_ms=1000)
    assert {config.random_segment_jitter() for _ in range(300)} == set(range(10))
