# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of topics: names, types, defaults, and the settings of one log.

A setting for a feature that this broker lacks is refused when a topic is created or changed: tiered storage,
preallocated files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kreactor.common.compress.compression import Compression
from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.config.abstract_config import AbstractConfig
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.record.records import Records
from kreactor.common.record.timestamp_type import TimestampType
from kreactor.jdk.random_numbers import RANDOM
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.common.metadata_version_validator import MetadataVersionValidator
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.server.record.broker_compression_type import BrokerCompressionType
from kreactor.storage.internals.log.throttled_replica_list_validator import ThrottledReplicaListValidator

MAX_LONG = 2**63 - 1


class LogConfig(AbstractConfig):
    """The settings of one log; immutable. Times are in milliseconds, sizes in bytes.

    ``compression`` is None if batches keep their producers' compression.

    :origin: storage.internals.log.LogConfig
    """

    class MessageFormatVersion:
        """The record format that a topic setting requests, and the version on which brokers agree.

        :origin: storage.internals.log.LogConfig.MessageFormatVersion
        """

        __slots__ = ("_message_format_version_string", "_inter_broker_protocol_version_string",
                     "_message_format_version", "_inter_broker_protocol_version")

        def __init__(self, message_format_version_string: str,
                     inter_broker_protocol_version_string: str) -> None:
            """Raises IllegalArgumentException for an invalid version.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#MessageFormatVersion(String, String)
            """
            self._message_format_version_string = message_format_version_string
            self._inter_broker_protocol_version_string = inter_broker_protocol_version_string
            self._message_format_version = MetadataVersion.from_version_string(message_format_version_string)
            self._inter_broker_protocol_version = MetadataVersion.from_version_string(
                inter_broker_protocol_version_string)

        def message_format_version(self) -> MetadataVersion:
            """Return the requested version.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#messageFormatVersion()
            """
            return self._message_format_version

        def inter_broker_protocol_version(self) -> MetadataVersion:
            """Return the version on which brokers agree.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#interBrokerProtocolVersion()
            """
            return self._inter_broker_protocol_version

        def should_ignore(self) -> bool:
            """Return whether the requested version is ignored.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#shouldIgnore()
            """
            return LogConfig.should_ignore_message_format_version(self._inter_broker_protocol_version)

        def should_warn(self) -> bool:
            """Return whether the user gets another format than the requested one.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#shouldWarn()
            """
            return (self._inter_broker_protocol_version.is_at_least(MetadataVersion.IBP_3_0_IV1)
                    and self._message_format_version.highest_supported_record_version()
                    .precedes(RecordVersion.V2))

        def topic_warning_message(self, topic_name: str) -> str:
            """Return the warning for a topic that requests an older format.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#topicWarningMessage(String)
            """
            return (f"{TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG} {self._message_format_version_string} of "
                    f"{topic_name} is ignored: with inter-broker protocol "
                    f"{self._inter_broker_protocol_version_string} it is always the newest format")

    SERVER_DEFAULT_HEADER_NAME = "Server Default Property"

    DEFAULT_MAX_MESSAGE_BYTES = 1024 * 1024 + Records.LOG_OVERHEAD
    DEFAULT_SEGMENT_BYTES = 1024 * 1024 * 1024
    DEFAULT_SEGMENT_MS = 7 * 24 * 60 * 60 * 1000
    DEFAULT_SEGMENT_JITTER_MS = 0
    DEFAULT_RETENTION_MS = 7 * 24 * 60 * 60 * 1000
    DEFAULT_DELETE_RETENTION_MS = 24 * 60 * 60 * 1000
    DEFAULT_MIN_COMPACTION_LAG_MS = 0
    DEFAULT_MAX_COMPACTION_LAG_MS = 2**63 - 1
    DEFAULT_MIN_CLEANABLE_DIRTY_RATIO = 0.5
    DEFAULT_UNCLEAN_LEADER_ELECTION_ENABLE = False
    DEFAULT_COMPRESSION_TYPE = BrokerCompressionType.PRODUCER.value
    DEFAULT_PREALLOCATE = False
    DEFAULT_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS = (
        ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DEFAULT)
    DEFAULT_REMOTE_STORAGE_ENABLE = False
    # The same limit as for the whole log.
    DEFAULT_LOCAL_RETENTION_BYTES = -2
    DEFAULT_LOCAL_RETENTION_MS = -2
    DEFAULT_MESSAGE_FORMAT_VERSION = ServerLogConfigs.LOG_MESSAGE_FORMAT_VERSION_DEFAULT

    CONFIGS_WITH_NO_SERVER_DEFAULTS = frozenset((
        TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG,
        QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG,
        QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG,
    ))

    @staticmethod
    def _config() -> ConfigDef:
        """Return the definitions.

        :origin: storage.internals.log.LogConfig#CONFIG
        """
        c = LogConfig
        config_def = ConfigDef()
        STRING, INT, LONG = ConfigDef.Type.STRING, ConfigDef.Type.INT, ConfigDef.Type.LONG
        DOUBLE, BOOLEAN, LIST = ConfigDef.Type.DOUBLE, ConfigDef.Type.BOOLEAN, ConfigDef.Type.LIST
        MEDIUM, LOW = ConfigDef.Importance.MEDIUM, ConfigDef.Importance.LOW
        at_least, between = ConfigDef.Range.at_least, ConfigDef.Range.between

        define = config_def.define

        define(TopicConfig.SEGMENT_BYTES_CONFIG, INT, c.DEFAULT_SEGMENT_BYTES,
               at_least(LegacyRecord.RECORD_OVERHEAD_V0), MEDIUM, TopicConfig.SEGMENT_BYTES_DOC)
        define(TopicConfig.SEGMENT_MS_CONFIG, LONG, c.DEFAULT_SEGMENT_MS, at_least(1), MEDIUM,
               TopicConfig.SEGMENT_MS_DOC)
        define(TopicConfig.SEGMENT_JITTER_MS_CONFIG, LONG, c.DEFAULT_SEGMENT_JITTER_MS, at_least(0), MEDIUM,
               TopicConfig.SEGMENT_JITTER_MS_DOC)
        define(TopicConfig.SEGMENT_INDEX_BYTES_CONFIG, INT, ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_DEFAULT,
               at_least(4), MEDIUM, TopicConfig.SEGMENT_INDEX_BYTES_DOC)
        define(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, LONG,
               ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_DEFAULT, at_least(1), MEDIUM,
               TopicConfig.FLUSH_MESSAGES_INTERVAL_DOC)
        define(TopicConfig.FLUSH_MS_CONFIG, LONG, ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_DEFAULT,
               at_least(0), MEDIUM, TopicConfig.FLUSH_MS_DOC)
        define(TopicConfig.RETENTION_BYTES_CONFIG, LONG, ServerLogConfigs.LOG_RETENTION_BYTES_DEFAULT, None,
               MEDIUM, TopicConfig.RETENTION_BYTES_DOC)
        define(TopicConfig.RETENTION_MS_CONFIG, LONG, c.DEFAULT_RETENTION_MS, at_least(-1), MEDIUM,
               TopicConfig.RETENTION_MS_DOC)
        define(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, INT, c.DEFAULT_MAX_MESSAGE_BYTES, at_least(0), MEDIUM,
               TopicConfig.MAX_MESSAGE_BYTES_DOC)
        define(TopicConfig.INDEX_INTERVAL_BYTES_CONFIG, INT,
               ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_DEFAULT, at_least(0), MEDIUM,
               TopicConfig.INDEX_INTERVAL_BYTES_DOC)
        define(TopicConfig.DELETE_RETENTION_MS_CONFIG, LONG, c.DEFAULT_DELETE_RETENTION_MS, at_least(0),
               MEDIUM, TopicConfig.DELETE_RETENTION_MS_DOC)
        define(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, LONG, c.DEFAULT_MIN_COMPACTION_LAG_MS, at_least(0),
               MEDIUM, TopicConfig.MIN_COMPACTION_LAG_MS_DOC)
        define(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, LONG, c.DEFAULT_MAX_COMPACTION_LAG_MS, at_least(1),
               MEDIUM, TopicConfig.MAX_COMPACTION_LAG_MS_DOC)
        define(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, LONG, ServerLogConfigs.LOG_DELETE_DELAY_MS_DEFAULT,
               at_least(0), MEDIUM, TopicConfig.FILE_DELETE_DELAY_MS_DOC)
        define(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, DOUBLE, c.DEFAULT_MIN_CLEANABLE_DIRTY_RATIO,
               between(0, 1), MEDIUM, TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_DOC)
        define(TopicConfig.CLEANUP_POLICY_CONFIG, LIST, ServerLogConfigs.LOG_CLEANUP_POLICY_DEFAULT,
               ConfigDef.ValidList.in_(TopicConfig.CLEANUP_POLICY_COMPACT, TopicConfig.CLEANUP_POLICY_DELETE),
               MEDIUM, TopicConfig.CLEANUP_POLICY_DOC)
        define(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, BOOLEAN,
               c.DEFAULT_UNCLEAN_LEADER_ELECTION_ENABLE, None, MEDIUM,
               TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_DOC)
        define(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, INT, ServerLogConfigs.MIN_IN_SYNC_REPLICAS_DEFAULT,
               at_least(1), MEDIUM, TopicConfig.MIN_IN_SYNC_REPLICAS_DOC)
        define(TopicConfig.COMPRESSION_TYPE_CONFIG, STRING, c.DEFAULT_COMPRESSION_TYPE,
               ConfigDef.ValidString.in_(*BrokerCompressionType.names()), MEDIUM,
               TopicConfig.COMPRESSION_TYPE_DOC)
        define(TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG, INT, GzipCompression.DEFAULT_LEVEL,
               GzipCompression.LevelValidator(), MEDIUM, TopicConfig.COMPRESSION_GZIP_LEVEL_DOC)
        define(TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG, INT, Lz4Compression.DEFAULT_LEVEL,
               between(Lz4Compression.MIN_LEVEL, Lz4Compression.MAX_LEVEL), MEDIUM,
               TopicConfig.COMPRESSION_LZ4_LEVEL_DOC)
        define(TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, INT, ZstdCompression.DEFAULT_LEVEL,
               between(ZstdCompression.MIN_LEVEL, ZstdCompression.MAX_LEVEL), MEDIUM,
               TopicConfig.COMPRESSION_ZSTD_LEVEL_DOC)
        define(TopicConfig.PREALLOCATE_CONFIG, BOOLEAN, c.DEFAULT_PREALLOCATE, None, MEDIUM,
               TopicConfig.PREALLOCATE_DOC)
        define(TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG, STRING, c.DEFAULT_MESSAGE_FORMAT_VERSION,
               MetadataVersionValidator(), MEDIUM, TopicConfig.MESSAGE_FORMAT_VERSION_DOC)
        define(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, STRING,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_DEFAULT,
               ConfigDef.ValidString.in_("CreateTime", "LogAppendTime"), MEDIUM,
               TopicConfig.MESSAGE_TIMESTAMP_TYPE_DOC)
        define(TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG, LONG,
               c.DEFAULT_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS, at_least(0), MEDIUM,
               TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DOC)
        define(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, LONG,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DEFAULT, at_least(0), MEDIUM,
               TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DOC)
        define(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, LONG,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DEFAULT, at_least(0), MEDIUM,
               TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_DOC)
        define(QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG, LIST,
               list(QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_DEFAULT),
               ThrottledReplicaListValidator.INSTANCE, MEDIUM,
               QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_DOC)
        define(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG, LIST,
               list(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_DEFAULT),
               ThrottledReplicaListValidator.INSTANCE, MEDIUM,
               QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_DOC)
        define(TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG, BOOLEAN,
               ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_DEFAULT, None, LOW,
               TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_DOC)
        define(TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG, BOOLEAN, c.DEFAULT_REMOTE_STORAGE_ENABLE, None,
               MEDIUM, TopicConfig.REMOTE_LOG_STORAGE_ENABLE_DOC)
        define(TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG, LONG, c.DEFAULT_LOCAL_RETENTION_MS, at_least(-2),
               MEDIUM, TopicConfig.LOCAL_LOG_RETENTION_MS_DOC)
        define(TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG, LONG, c.DEFAULT_LOCAL_RETENTION_BYTES,
               at_least(-2), MEDIUM, TopicConfig.LOCAL_LOG_RETENTION_BYTES_DOC)
        return config_def

    def __init__(self, props: Mapping[str, Any] | None = None,
                 overridden_configs: Iterable[str] = ()) -> None:
        """Read ``props``. ``overridden_configs`` are the names that the topic has set itself.

        Raises ConfigException.

        :origin: storage.internals.log.LogConfig#LogConfig(Map<?,?>)
        :origin: storage.internals.log.LogConfig#LogConfig(Map<?,?>, Set<String>)
        """
        super().__init__(_CONFIG, props or {}, False)
        self.overridden_configs = frozenset(overridden_configs)

        self.segment_size = self.get_int(TopicConfig.SEGMENT_BYTES_CONFIG)
        self.segment_ms = self.get_long(TopicConfig.SEGMENT_MS_CONFIG)
        self.segment_jitter_ms = self.get_long(TopicConfig.SEGMENT_JITTER_MS_CONFIG)
        self.max_index_size = self.get_int(TopicConfig.SEGMENT_INDEX_BYTES_CONFIG)
        self.flush_interval = self.get_long(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG)
        self.flush_ms = self.get_long(TopicConfig.FLUSH_MS_CONFIG)
        self.retention_size = self.get_long(TopicConfig.RETENTION_BYTES_CONFIG)
        self.retention_ms = self.get_long(TopicConfig.RETENTION_MS_CONFIG)
        self._max_message_size = self.get_int(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
        self.index_interval = self.get_int(TopicConfig.INDEX_INTERVAL_BYTES_CONFIG)
        self.file_delete_delay_ms = self.get_long(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG)
        self.delete_retention_ms = self.get_long(TopicConfig.DELETE_RETENTION_MS_CONFIG)
        self.compaction_lag_ms = self.get_long(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG)
        self.max_compaction_lag_ms = self.get_long(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG)
        self.min_cleanable_ratio = self.get_double(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG)
        policies = [policy.lower() for policy in self.get_list(TopicConfig.CLEANUP_POLICY_CONFIG) or ()]
        self.compact = TopicConfig.CLEANUP_POLICY_COMPACT in policies
        self.delete = TopicConfig.CLEANUP_POLICY_DELETE in policies
        self.unclean_leader_election_enable = self.get_boolean(
            TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG)
        self.min_in_sync_replicas = self.get_int(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)
        self.compression_type = BrokerCompressionType.for_name(
            self.get_string(TopicConfig.COMPRESSION_TYPE_CONFIG) or "")
        self.compression = self._get_compression()
        self.preallocate = self.get_boolean(TopicConfig.PREALLOCATE_CONFIG)
        self.message_format_version = MetadataVersion.from_version_string(
            self.get_string(TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG) or "")
        self.message_timestamp_type = TimestampType.for_name(
            self.get_string(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG) or "")
        self.message_timestamp_difference_max_ms = self.get_long(
            TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG)
        self.message_timestamp_before_max_ms = self._get_message_timestamp_before_max_ms()
        self.message_timestamp_after_max_ms = self._get_message_timestamp_after_max_ms()
        self.leader_replication_throttled_replicas = tuple(
            self.get_list(QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG) or ())
        self.follower_replication_throttled_replicas = tuple(
            self.get_list(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG) or ())
        self.message_down_conversion_enable = self.get_boolean(
            TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG)

    def _get_compression(self) -> Compression | None:
        """:origin: storage.internals.log.LogConfig#getCompression()"""
        if self.compression_type is BrokerCompressionType.GZIP:
            return Compression.gzip().level(self.get_int(TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG)).build()
        if self.compression_type is BrokerCompressionType.LZ4:
            return Compression.lz4().level(self.get_int(TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG)).build()
        if self.compression_type is BrokerCompressionType.ZSTD:
            return Compression.zstd().level(self.get_int(TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG)).build()
        if self.compression_type is BrokerCompressionType.SNAPPY:
            return Compression.snappy().build()
        if self.compression_type is BrokerCompressionType.UNCOMPRESSED:
            return Compression.NONE
        return None

    def _get_message_timestamp_before_max_ms(self) -> int:
        """Return the limit. The older setting counts while the newer one has its default.

        :origin: storage.internals.log.LogConfig#getMessageTimestampBeforeMaxMs()
        """
        message_timestamp_before_max_ms = self.get_long(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG)
        if message_timestamp_before_max_ms != MAX_LONG:
            return message_timestamp_before_max_ms
        return self.message_timestamp_difference_max_ms

    def _get_message_timestamp_after_max_ms(self) -> int:
        """Return the limit. The older setting counts while the newer one has its default.

        :origin: storage.internals.log.LogConfig#getMessageTimestampAfterMaxMs()
        """
        message_timestamp_after_max_ms = self.get_long(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG)
        if message_timestamp_after_max_ms != MAX_LONG:
            return message_timestamp_after_max_ms
        return self.message_timestamp_difference_max_ms

    def record_version(self) -> RecordVersion:
        """Return the record format.

        :origin: storage.internals.log.LogConfig#recordVersion()
        """
        return self.message_format_version.highest_supported_record_version()

    def max_message_size(self) -> int:
        """Return the largest batch in bytes.

        :origin: storage.internals.log.LogConfig#maxMessageSize()
        """
        return self._max_message_size

    def random_segment_jitter(self) -> int:
        """Return a random number of milliseconds by which a segment is rolled before ``segment_ms``.

        :origin: storage.internals.log.LogConfig#randomSegmentJitter()
        """
        if self.segment_jitter_ms == 0:
            return 0
        return RANDOM.randrange(min(self.segment_jitter_ms, self.segment_ms))

    def max_segment_ms(self) -> int:
        """Return the time after which a segment is rolled. A compacted topic's maximum lag may limit it.

        :origin: storage.internals.log.LogConfig#maxSegmentMs()
        """
        if self.compact and self.max_compaction_lag_ms > 0:
            return min(self.max_compaction_lag_ms, self.segment_ms)
        return self.segment_ms

    @staticmethod
    def from_props(defaults: Mapping[str, Any] | None = None,
                   overrides: Mapping[str, Any] | None = None) -> LogConfig:
        """Parse a topic's own settings over the broker's ``defaults``, both under the names of topic
        settings.

        DEVIATION D450: the settings are also checked, because the broker that creates a topic opens its logs.

        Raises InvalidConfigurationException for an unknown name, an invalid value, or a setting that this
        broker does not support.

        :origin: storage.internals.log.LogConfig#fromProps(Map<?,?>, Properties)
        """
        defaults, overrides = defaults or {}, overrides or {}
        LogConfig.validate_names(overrides)
        try:
            config = LogConfig({**defaults, **overrides}, overrides)
        except ConfigException as e:
            raise InvalidConfigurationException(str(e), e) from e
        LogConfig.validate_values(config.values())
        for name in (TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG, TopicConfig.PREALLOCATE_CONFIG):
            if config.get_boolean(name):
                raise InvalidConfigurationException(
                    f"Invalid value true for configuration {name}: this broker does not support it")
        return config

    @staticmethod
    def config_def_copy() -> ConfigDef:
        """Return the definitions, for the caller to change.

        :origin: storage.internals.log.LogConfig#configDefCopy()
        """
        return ConfigDef(_CONFIG)

    @staticmethod
    def should_ignore_message_format_version(inter_broker_protocol_version: MetadataVersion) -> bool:
        """Return whether records always have the newest format.

        :origin: storage.internals.log.LogConfig#shouldIgnoreMessageFormatVersion(MetadataVersion)
        """
        return inter_broker_protocol_version.is_at_least(MetadataVersion.IBP_3_0_IV1)

    @staticmethod
    def config_type(config_name: str) -> ConfigDef.Type | None:
        """Return the type of a topic setting, or None for an unknown name.

        :origin: storage.internals.log.LogConfig#configType(String)
        """
        key = _CONFIG.config_keys().get(config_name)
        return None if key is None else key._type

    @staticmethod
    def config_names() -> list[str]:
        """Return the names of all settings of topics, sorted.

        :origin: storage.internals.log.LogConfig#configNames()
        """
        return sorted(_CONFIG.names())

    @staticmethod
    def server_config_name(config_name: str) -> str | None:
        """Return the broker setting that is the default, or None.

        :origin: storage.internals.log.LogConfig#serverConfigName(String)
        """
        return ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(config_name)

    @staticmethod
    def config_keys() -> dict[str, ConfigDef.ConfigKey]:
        """Return the definitions of all settings of topics.

        :origin: storage.internals.log.LogConfig#configKeys()
        """
        return _CONFIG.config_keys()

    @staticmethod
    def validate_names(props: Iterable[str]) -> None:
        """Raise InvalidConfigurationException if one of ``props`` is not a topic setting.

        :origin: storage.internals.log.LogConfig#validateNames(Properties)
        """
        names = _CONFIG.names()
        for name in props:
            if name not in names:
                raise InvalidConfigurationException(f"Unknown topic config name: {name}")

    @staticmethod
    def validate_values(props: Mapping[str, Any]) -> None:
        """Raise InvalidConfigurationException if parsed values contradict each other.

        :origin: storage.internals.log.LogConfig#validateValues(Map<?,?>)
        """
        min_compaction_lag = props[TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG]
        max_compaction_lag = props[TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG]
        if min_compaction_lag > max_compaction_lag:
            raise InvalidConfigurationException(
                f"conflict topic config setting {TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG} "
                f"({min_compaction_lag}) > {TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG} ({max_compaction_lag})")

    @staticmethod
    def validate(props: Mapping[str, Any]) -> None:
        """Check the settings of a topic. Raises InvalidConfigurationException or ConfigException.

        :origin: storage.internals.log.LogConfig#validate(Properties)
        """
        LogConfig.validate_names(props)
        LogConfig.validate_values(_CONFIG.parse(props))

    def __str__(self) -> str:
        """:origin: storage.internals.log.LogConfig#toString()"""
        values = ", ".join(f"{name}={value}" for name, value in sorted(self.values().items()))
        return f"LogConfig({values})"


_CONFIG = LogConfig._config()
