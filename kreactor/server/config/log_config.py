# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of topics: name, type, default, what the value must be like; and checks of a topic's settings.

A log's view of its settings, the object of this class in Kafka, is not ported: logs here look up what they
need in a dict that ``CONFIG`` parsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kreactor.common.compress.gzip_compression import GzipCompression
from kreactor.common.compress.lz4_compression import Lz4Compression
from kreactor.common.compress.zstd_compression import ZstdCompression
from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.record.legacy_record import LegacyRecord
from kreactor.common.record.record_version import RecordVersion
from kreactor.common.record.records import Records
from kreactor.server.common.metadata_version import MetadataVersion
from kreactor.server.common.metadata_version_validator import MetadataVersionValidator
from kreactor.server.config.quota_configs import QuotaConfigs
from kreactor.server.config.server_log_configs import ServerLogConfigs
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.server.config.throttled_replica_list_validator import ThrottledReplicaListValidator
from kreactor.server.record.broker_compression_type import BrokerCompressionType

_LOG = "a log looks its settings up in a dict"
_TIERED = "there is no tiered storage"
_CLASS = "storage.internals.log.LogConfig"

OMITTED = {
    f"{_CLASS}#LogConfig(Map<?,?>)": _LOG,
    f"{_CLASS}#LogConfig(Map<?,?>, Set<String>)": _LOG,
    f"{_CLASS}#getCompression()": _LOG,
    f"{_CLASS}#getMessageTimestampBeforeMaxMs()": _LOG,
    f"{_CLASS}#getMessageTimestampAfterMaxMs()": _LOG,
    f"{_CLASS}#recordVersion()": _LOG,
    f"{_CLASS}#maxMessageSize()": _LOG,
    f"{_CLASS}#randomSegmentJitter()": _LOG,
    f"{_CLASS}#maxSegmentMs()": _LOG,
    f"{_CLASS}#initFileSize()": _LOG,
    f"{_CLASS}#overriddenConfigsAsLoggableString()": _LOG,
    f"{_CLASS}#fromProps(Map<?,?>, Properties)": _LOG,
    f"{_CLASS}#toString()": _LOG,
    f"{_CLASS}.RemoteLogConfig": _TIERED,
    f"{_CLASS}#remoteStorageEnable()": _TIERED,
    f"{_CLASS}#localRetentionMs()": _TIERED,
    f"{_CLASS}#localRetentionBytes()": _TIERED,
    f"{_CLASS}#validateBrokerLogConfigValues(Map<?,?>, boolean)": _TIERED,
    f"{_CLASS}#validateTopicLogConfigValues(Map<?,?>, boolean)": _TIERED,
    f"{_CLASS}#validateRemoteStorageOnlyIfSystemEnabled(Map<?,?>, boolean, boolean)": _TIERED,
    f"{_CLASS}#validateNoRemoteStorageForCompactedTopic(Map<?,?>)": _TIERED,
    f"{_CLASS}#validateRemoteStorageRetentionSize(Map<?,?>)": _TIERED,
    f"{_CLASS}#validateRemoteStorageRetentionTime(Map<?,?>)": _TIERED,
    f"{_CLASS}#validate(Properties, Map<?,?>, boolean)": _TIERED,
    f"{_CLASS}.LogConfigDef": "it goes into Kafka's documentation",
    f"{_CLASS}#main(String[])": "it prints Kafka's documentation",
    **{f"storage.internals.log.LogConfig#{name}":
        "comes with the log: kreactor/embedded/log_config.py has the values" for name in (
            "MESSAGE_FORMAT_VERSION_CONFIG", "MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG",
            "MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_DOC", "MESSAGE_FORMAT_VERSION_DOC", "overriddenConfigs",
            "segmentSize", "segmentMs", "segmentJitterMs", "maxIndexSize", "flushInterval", "flushMs",
            "retentionSize", "retentionMs", "indexInterval", "fileDeleteDelayMs", "deleteRetentionMs",
            "compactionLagMs", "maxCompactionLagMs", "minCleanableRatio", "compact", "delete",
            "uncleanLeaderElectionEnable", "minInSyncReplicas", "compressionType", "compression",
            "preallocate", "messageTimestampType", "messageTimestampDifferenceMaxMs",
            "messageTimestampBeforeMaxMs", "messageTimestampAfterMaxMs",
            "leaderReplicationThrottledReplicas", "followerReplicationThrottledReplicas",
            "messageDownConversionEnable", "remoteLogConfig", "maxMessageSize", "props")},
}


class LogConfig:
    """Defaults, definitions and checks.

    :origin: storage.internals.log.LogConfig
    """

    class MessageFormatVersion:
        """The format of messages that a setting asks for, beside what brokers agree on.

        :origin: storage.internals.log.LogConfig.MessageFormatVersion
        """

        __slots__ = ("_message_format_version_string", "_inter_broker_protocol_version_string",
                     "_message_format_version", "_inter_broker_protocol_version")

        def __init__(self, message_format_version_string: str,
                     inter_broker_protocol_version_string: str) -> None:
            """Raises IllegalArgumentException if one of them is no version.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#MessageFormatVersion(String, String)
            """
            self._message_format_version_string = message_format_version_string
            self._inter_broker_protocol_version_string = inter_broker_protocol_version_string
            self._message_format_version = MetadataVersion.from_version_string(message_format_version_string)
            self._inter_broker_protocol_version = MetadataVersion.from_version_string(
                inter_broker_protocol_version_string)

        def message_format_version(self) -> MetadataVersion:
            """Return the version asked for.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#messageFormatVersion()
            """
            return self._message_format_version

        def inter_broker_protocol_version(self) -> MetadataVersion:
            """Return the version that brokers agree on.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#interBrokerProtocolVersion()
            """
            return self._inter_broker_protocol_version

        def should_ignore(self) -> bool:
            """Return whether the version asked for does not count.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#shouldIgnore()
            """
            return LogConfig.should_ignore_message_format_version(self._inter_broker_protocol_version)

        def should_warn(self) -> bool:
            """Return whether the user will get another format than asked for.

            :origin: storage.internals.log.LogConfig.MessageFormatVersion#shouldWarn()
            """
            return (self._inter_broker_protocol_version.is_at_least(MetadataVersion.IBP_3_0_IV1)
                    and self._message_format_version.highest_supported_record_version()
                    .precedes(RecordVersion.V2))

        def topic_warning_message(self, topic_name: str) -> str:
            """Return what to say of a topic that asks for an older format.

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
    # As long, or as much, as in total.
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

        def define(name: str, type_: ConfigDef.Type, default: object, validator: ConfigDef.Validator | None,
                   importance: ConfigDef.Importance) -> None:
            config_def.define(name, type_, default, validator, importance, None)

        define(TopicConfig.SEGMENT_BYTES_CONFIG, INT, c.DEFAULT_SEGMENT_BYTES,
               at_least(LegacyRecord.RECORD_OVERHEAD_V0), MEDIUM)
        define(TopicConfig.SEGMENT_MS_CONFIG, LONG, c.DEFAULT_SEGMENT_MS, at_least(1), MEDIUM)
        define(TopicConfig.SEGMENT_JITTER_MS_CONFIG, LONG, c.DEFAULT_SEGMENT_JITTER_MS, at_least(0), MEDIUM)
        define(TopicConfig.SEGMENT_INDEX_BYTES_CONFIG, INT, ServerLogConfigs.LOG_INDEX_SIZE_MAX_BYTES_DEFAULT,
               at_least(4), MEDIUM)
        define(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, LONG,
               ServerLogConfigs.LOG_FLUSH_INTERVAL_MESSAGES_DEFAULT, at_least(1), MEDIUM)
        define(TopicConfig.FLUSH_MS_CONFIG, LONG, ServerLogConfigs.LOG_FLUSH_SCHEDULER_INTERVAL_MS_DEFAULT,
               at_least(0), MEDIUM)
        define(TopicConfig.RETENTION_BYTES_CONFIG, LONG, ServerLogConfigs.LOG_RETENTION_BYTES_DEFAULT, None,
               MEDIUM)
        define(TopicConfig.RETENTION_MS_CONFIG, LONG, c.DEFAULT_RETENTION_MS, at_least(-1), MEDIUM)
        define(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, INT, c.DEFAULT_MAX_MESSAGE_BYTES, at_least(0), MEDIUM)
        define(TopicConfig.INDEX_INTERVAL_BYTES_CONFIG, INT,
               ServerLogConfigs.LOG_INDEX_INTERVAL_BYTES_DEFAULT, at_least(0), MEDIUM)
        define(TopicConfig.DELETE_RETENTION_MS_CONFIG, LONG, c.DEFAULT_DELETE_RETENTION_MS, at_least(0),
               MEDIUM)
        define(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG, LONG, c.DEFAULT_MIN_COMPACTION_LAG_MS, at_least(0),
               MEDIUM)
        define(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG, LONG, c.DEFAULT_MAX_COMPACTION_LAG_MS, at_least(1),
               MEDIUM)
        define(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, LONG, ServerLogConfigs.LOG_DELETE_DELAY_MS_DEFAULT,
               at_least(0), MEDIUM)
        define(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, DOUBLE, c.DEFAULT_MIN_CLEANABLE_DIRTY_RATIO,
               between(0, 1), MEDIUM)
        define(TopicConfig.CLEANUP_POLICY_CONFIG, LIST, ServerLogConfigs.LOG_CLEANUP_POLICY_DEFAULT,
               ConfigDef.ValidList.in_(TopicConfig.CLEANUP_POLICY_COMPACT, TopicConfig.CLEANUP_POLICY_DELETE),
               MEDIUM)
        define(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, BOOLEAN,
               c.DEFAULT_UNCLEAN_LEADER_ELECTION_ENABLE, None, MEDIUM)
        define(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, INT, ServerLogConfigs.MIN_IN_SYNC_REPLICAS_DEFAULT,
               at_least(1), MEDIUM)
        define(TopicConfig.COMPRESSION_TYPE_CONFIG, STRING, c.DEFAULT_COMPRESSION_TYPE,
               ConfigDef.ValidString.in_(*BrokerCompressionType.names()), MEDIUM)
        define(TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG, INT, GzipCompression.DEFAULT_LEVEL,
               GzipCompression.LevelValidator(), MEDIUM)
        define(TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG, INT, Lz4Compression.DEFAULT_LEVEL,
               between(Lz4Compression.MIN_LEVEL, Lz4Compression.MAX_LEVEL), MEDIUM)
        define(TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG, INT, ZstdCompression.DEFAULT_LEVEL,
               between(ZstdCompression.MIN_LEVEL, ZstdCompression.MAX_LEVEL), MEDIUM)
        define(TopicConfig.PREALLOCATE_CONFIG, BOOLEAN, c.DEFAULT_PREALLOCATE, None, MEDIUM)
        define(TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG, STRING, c.DEFAULT_MESSAGE_FORMAT_VERSION,
               MetadataVersionValidator(), MEDIUM)
        define(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, STRING,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_TYPE_DEFAULT,
               ConfigDef.ValidString.in_("CreateTime", "LogAppendTime"), MEDIUM)
        define(TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG, LONG,
               c.DEFAULT_MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS, at_least(0), MEDIUM)
        define(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG, LONG,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_BEFORE_MAX_MS_DEFAULT, at_least(0), MEDIUM)
        define(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG, LONG,
               ServerLogConfigs.LOG_MESSAGE_TIMESTAMP_AFTER_MAX_MS_DEFAULT, at_least(0), MEDIUM)
        define(QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_CONFIG, LIST,
               list(QuotaConfigs.LEADER_REPLICATION_THROTTLED_REPLICAS_DEFAULT),
               ThrottledReplicaListValidator.INSTANCE, MEDIUM)
        define(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_CONFIG, LIST,
               list(QuotaConfigs.FOLLOWER_REPLICATION_THROTTLED_REPLICAS_DEFAULT),
               ThrottledReplicaListValidator.INSTANCE, MEDIUM)
        define(TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG, BOOLEAN,
               ServerLogConfigs.LOG_MESSAGE_DOWNCONVERSION_ENABLE_DEFAULT, None, LOW)
        define(TopicConfig.REMOTE_LOG_STORAGE_ENABLE_CONFIG, BOOLEAN, c.DEFAULT_REMOTE_STORAGE_ENABLE, None,
               MEDIUM)
        define(TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG, LONG, c.DEFAULT_LOCAL_RETENTION_MS, at_least(-2),
               MEDIUM)
        define(TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG, LONG, c.DEFAULT_LOCAL_RETENTION_BYTES,
               at_least(-2), MEDIUM)
        return config_def

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
        """Return the type of a setting of topics, or None if it is none.

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
        """Return the setting of the broker that gives the default, or None.

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
        """Raise InvalidConfigurationException if one of ``props`` is no setting of topics.

        :origin: storage.internals.log.LogConfig#validateNames(Properties)
        """
        names = _CONFIG.names()
        for name in props:
            if name not in names:
                raise InvalidConfigurationException(f"Unknown topic config name: {name}")

    @staticmethod
    def validate_values(props: Mapping[str, Any]) -> None:
        """Raise InvalidConfigurationException if parsed values do not go together.

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


_CONFIG = LogConfig._config()
