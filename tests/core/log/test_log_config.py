# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.log.LogConfigTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A topic's settings, by Kafka's names. The tests of Kafka's LogConfigTest come first."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.compression_type import CompressionType
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.config.remote_log_manager_config import RemoteLogManagerConfig
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.storage.internals.log.log_config import MAX_LONG, LogConfig
from kreactor.storage.internals.log.throttled_replica_list_validator import ThrottledReplicaListValidator
from tests.core.server.broker_props import create_broker_config
from tests.storage.internals.log.support import log_config

HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
# Values that these settings refuse. All others refuse a word and a negative number.
INVALID = {
    TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG: ("not a boolean",),
    TopicConfig.RETENTION_BYTES_CONFIG: ("not_a_number",),
    TopicConfig.RETENTION_MS_CONFIG: ("not_a_number",),
    TopicConfig.CLEANUP_POLICY_CONFIG: ("true", "foobar"),
    TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG: ("not_a_number", "-0.1", "1.2"),
    TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG: ("not_a_number", "0", "-1"),
    TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG: ("",),
    TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG: ("not_a_boolean",),
    TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG: ("not_a_number", "-3"),
    TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG: ("not_a_number", "-3"),
    TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG: ("not_a_number", "-2"),
    TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG: ("not_a_number", "-1"),
    TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG: ("not_a_number", "-0.1"),
}


def test_ensure_no_static_initialization_order_dependency() -> None:
    """Every setting that a broker has a default for knows the broker's name of it."""
    assert ServerLogConfigs.LOG_RETENTION_TIME_MILLIS_CONFIG
    names = [name for name in LogConfig.config_names()
             if name not in LogConfig.CONFIGS_WITH_NO_SERVER_DEFAULTS]
    assert names and all(LogConfig.server_config_name(name) for name in names)


def test_kafka_config_to_props() -> None:
    config = create_broker_config(0, zk_connect="")
    config.update({
        ServerLogConfigs.LOG_ROLL_TIME_HOURS_CONFIG: "2",
        ServerLogConfigs.LOG_ROLL_TIME_JITTER_HOURS_CONFIG: "2",
        ServerLogConfigs.LOG_RETENTION_TIME_HOURS_CONFIG: "960",
        ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_CONFIG: "0.11.0",
        RemoteLogManagerConfig.LOG_LOCAL_RETENTION_MS_PROP: "2592000000",
        RemoteLogManagerConfig.LOG_LOCAL_RETENTION_BYTES_PROP: "4294967296",
    })
    props = KafkaConfig.from_props(config).extract_log_config_map()
    assert props[TopicConfig.SEGMENT_MS_CONFIG] == 2 * HOUR_MS
    assert props[TopicConfig.SEGMENT_JITTER_MS_CONFIG] == 2 * HOUR_MS
    assert props[TopicConfig.RETENTION_MS_CONFIG] == 40 * DAY_MS
    # The format is always that of 3.0 where the protocol between brokers is 3.0 or later.
    assert props[TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG] == MetadataVersion.IBP_3_0_IV1.version()
    assert props[TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG] == 30 * DAY_MS
    assert props[TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG] == 4 * 1024**3


@pytest.mark.parametrize(("name", "value"), [
    (name, value) for name in LogConfig.config_names()
    for value in INVALID.get(name, ("not_a_number", "-1"))])
def test_from_props_invalid(name: str, value: str) -> None:
    with pytest.raises(ConfigException):
        LogConfig({name: value})


def test_invalid_compaction_lag_config() -> None:
    with pytest.raises(InvalidConfigurationException):
        LogConfig.validate({TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG: "100",
                            TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG: "200"})


@pytest.mark.parametrize(("value", "is_valid"), [
    *((value, True) for value in ("*", "* ", "", " ", "100:10", "100:10,12:10", "100:10,12:10,15:1",
                                  "100:10,12:10,15:1  ", "100:0,")),
    *((value, False) for value in ("100", "100:", "100:0,10", "100:0,10:", "100:0,10:   ", "100 :0,10:   ",
                                   "100: 0,10:   ", "100:0,10 :   ", "*,100:10", "* ,100:10"))])
def test_should_validate_throttled_replicas_config(value: str, is_valid: bool) -> None:
    if is_valid:
        ThrottledReplicaListValidator.ensure_valid_string("", value)
        assert LogConfig({"leader.replication.throttled.replicas": value})
    else:
        with pytest.raises(ConfigException):
            ThrottledReplicaListValidator.ensure_valid_string("", value)


def test_timestamp_before_max_ms_uses_deprecated_config() -> None:
    """The older setting counts as long as the newer ones have their defaults."""
    config = create_broker_config(0, zk_connect="")
    config.update({
        ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG: str(MAX_LONG),
        ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG: str(MAX_LONG),
        ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG: str(DAY_MS),
    })
    props = KafkaConfig.from_props(config).extract_log_config_map()
    assert props[TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG] == DAY_MS
    assert props[TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG] == DAY_MS


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
