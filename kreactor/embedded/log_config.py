# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The settings of one log, read from those of its topic by Kafka's names.

A setting that would promise what this node does not do is refused, when the topic is created: tiered storage,
preallocated files. Those that mean nothing on a single node are accepted and ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kreactor.common.compress.compression import Compression
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.random_numbers import RANDOM, Random
from kreactor.server.config.log_config import LogConfig as TopicSettings
from kreactor.server.record.broker_compression_type import BrokerCompressionType

MAX_LONG = 2**63 - 1

_CONFIG = TopicSettings.config_def_copy()
_DEFAULTS = _CONFIG.parse({})


class LogConfig(NamedTuple):
    """What a log needs to know. Times are in milliseconds, sizes in bytes; immutable.

    ``compression`` is None where batches stay as their producers compressed them.
    """

    segment_bytes: int = _DEFAULTS[TopicConfig.SEGMENT_BYTES_CONFIG]
    segment_ms: int = _DEFAULTS[TopicConfig.SEGMENT_MS_CONFIG]
    segment_jitter_ms: int = _DEFAULTS[TopicConfig.SEGMENT_JITTER_MS_CONFIG]
    segment_index_bytes: int = _DEFAULTS[TopicConfig.SEGMENT_INDEX_BYTES_CONFIG]
    index_interval_bytes: int = _DEFAULTS[TopicConfig.INDEX_INTERVAL_BYTES_CONFIG]
    flush_messages: int = _DEFAULTS[TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG]
    flush_ms: int = _DEFAULTS[TopicConfig.FLUSH_MS_CONFIG]
    retention_bytes: int = _DEFAULTS[TopicConfig.RETENTION_BYTES_CONFIG]
    retention_ms: int = _DEFAULTS[TopicConfig.RETENTION_MS_CONFIG]
    max_message_bytes: int = _DEFAULTS[TopicConfig.MAX_MESSAGE_BYTES_CONFIG]
    file_delete_delay_ms: int = _DEFAULTS[TopicConfig.FILE_DELETE_DELAY_MS_CONFIG]
    min_insync_replicas: int = _DEFAULTS[TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG]
    message_timestamp_type: TimestampType = TimestampType.CREATE_TIME
    message_timestamp_before_max_ms: int = MAX_LONG
    message_timestamp_after_max_ms: int = MAX_LONG
    message_downconversion_enable: bool = _DEFAULTS[TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG]
    compression: Compression | None = None
    compact: bool = False
    delete: bool = True
    delete_retention_ms: int = _DEFAULTS[TopicConfig.DELETE_RETENTION_MS_CONFIG]
    compaction_lag_ms: int = _DEFAULTS[TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG]
    max_compaction_lag_ms: int = _DEFAULTS[TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG]
    min_cleanable_ratio: float = _DEFAULTS[TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG]

    @staticmethod
    def from_props(defaults: Mapping[str, Any] | None = None,
                   overrides: Mapping[str, Any] | None = None) -> LogConfig:
        """Read a topic's own settings over the broker's ``defaults``, both by the names that topics use.

        Raises InvalidConfigurationException for an unknown name, a value that is none, or a setting that this
        node does not keep.
        """
        defaults, overrides = defaults or {}, overrides or {}
        TopicSettings.validate_names(overrides)
        try:
            values = _CONFIG.parse({**defaults, **overrides})
        except ConfigException as e:
            raise InvalidConfigurationException(str(e), e) from e
        TopicSettings.validate_values(values)
        policy = [name.lower() for name in values[TopicConfig.CLEANUP_POLICY_CONFIG]]
        _refuse_unsupported(values)
        difference_max_ms = values[TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG]

        def timestamp_limit(name: str) -> int:
            # The older setting counts for both sides, as long as the newer one has its default.
            limit: int = values[name]
            return difference_max_ms if limit == MAX_LONG else limit

        return LogConfig(
            segment_bytes=values[TopicConfig.SEGMENT_BYTES_CONFIG],
            segment_ms=values[TopicConfig.SEGMENT_MS_CONFIG],
            segment_jitter_ms=values[TopicConfig.SEGMENT_JITTER_MS_CONFIG],
            segment_index_bytes=values[TopicConfig.SEGMENT_INDEX_BYTES_CONFIG],
            index_interval_bytes=values[TopicConfig.INDEX_INTERVAL_BYTES_CONFIG],
            flush_messages=values[TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG],
            flush_ms=values[TopicConfig.FLUSH_MS_CONFIG],
            retention_bytes=values[TopicConfig.RETENTION_BYTES_CONFIG],
            retention_ms=values[TopicConfig.RETENTION_MS_CONFIG],
            max_message_bytes=values[TopicConfig.MAX_MESSAGE_BYTES_CONFIG],
            file_delete_delay_ms=values[TopicConfig.FILE_DELETE_DELAY_MS_CONFIG],
            min_insync_replicas=values[TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG],
            message_timestamp_type=TimestampType.for_name(values[TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG]),
            message_timestamp_before_max_ms=timestamp_limit(
                TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG),
            message_timestamp_after_max_ms=timestamp_limit(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG),
            message_downconversion_enable=values[TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG],
            compression=_compression(values),
            compact=TopicConfig.CLEANUP_POLICY_COMPACT in policy,
            delete=TopicConfig.CLEANUP_POLICY_DELETE in policy,
            delete_retention_ms=values[TopicConfig.DELETE_RETENTION_MS_CONFIG],
            compaction_lag_ms=values[TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG],
            max_compaction_lag_ms=values[TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG],
            min_cleanable_ratio=values[TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG])

    def random_segment_jitter(self, random: Random = RANDOM) -> int:
        """Return by how much earlier than ``segment_ms`` a new segment is to be rolled."""
        if self.segment_jitter_ms == 0:
            return 0
        return random.randrange(min(self.segment_jitter_ms, self.segment_ms))


def _refuse_unsupported(values: Mapping[str, Any]) -> None:
    for name in (TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG, TopicConfig.PREALLOCATE_CONFIG):
        if values[name]:
            raise InvalidConfigurationException(
                f"Invalid value true for configuration {name}: this broker does not support it")


def _compression(values: Mapping[str, Any]) -> Compression | None:
    name = BrokerCompressionType.for_name(values[TopicConfig.COMPRESSION_TYPE_CONFIG])
    if name is BrokerCompressionType.PRODUCER:
        return None
    if name is BrokerCompressionType.UNCOMPRESSED:
        return Compression.NONE
    if name is BrokerCompressionType.GZIP:
        return Compression.gzip().level(values[TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG]).build()
    if name is BrokerCompressionType.LZ4:
        return Compression.lz4().level(values[TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG]).build()
    if name is BrokerCompressionType.ZSTD:
        return Compression.zstd().level(values[TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG]).build()
    return Compression.snappy().build()
