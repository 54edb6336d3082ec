# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.config.ServerTopicConfigSynonyms of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Settings of topics, and the broker settings that are their defaults.

Most have the topic setting's name with the prefix ``log.``; the others are historic. If a topic setting has
several synonyms, the first one that is set counts.
"""

from __future__ import annotations

from typing import ClassVar

from kreactor.common.config.topic_config import TopicConfig
from kreactor.jdk.exceptions import NoSuchElementException
from kreactor.server.config.config_synonym import ConfigSynonym

_LOG_PREFIX = "log."
_LOG_CLEANER_PREFIX = _LOG_PREFIX + "cleaner."

_Entry = tuple[str, tuple[ConfigSynonym, ...]]


class ServerTopicConfigSynonyms:
    """The table of synonyms: all of them, and only the first of each setting.

    :origin: server.config.ServerTopicConfigSynonyms
    """

    LOG_PREFIX = _LOG_PREFIX
    LOG_CLEANER_PREFIX = _LOG_CLEANER_PREFIX

    ALL_TOPIC_CONFIG_SYNONYMS: ClassVar[dict[str, tuple[ConfigSynonym, ...]]]
    TOPIC_CONFIG_SYNONYMS: ClassVar[dict[str, str]]

    @staticmethod
    def server_synonym(topic_config_name: str) -> str:
        """Return the first broker setting of a topic setting. Raises NoSuchElementException.

        :origin: server.config.ServerTopicConfigSynonyms#serverSynonym(String)
        """
        server_synonym = ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.get(topic_config_name)
        if server_synonym is None:
            raise NoSuchElementException(f"No server synonym found for {topic_config_name}")
        return server_synonym


def _same_name(config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#sameName(String)"""
    return config_name, (ConfigSynonym(config_name),)


def _same_name_with_log_prefix(config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#sameNameWithLogPrefix(String)"""
    return config_name, (ConfigSynonym(_LOG_PREFIX + config_name),)


def _same_name_with_log_cleaner_prefix(config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#sameNameWithLogCleanerPrefix(String)"""
    return config_name, (ConfigSynonym(_LOG_CLEANER_PREFIX + config_name),)


def _single_with_log_prefix(topic_config_name: str, broker_config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#singleWithLogPrefix(String, String)"""
    return topic_config_name, (ConfigSynonym(_LOG_PREFIX + broker_config_name),)


def _single_with_log_cleaner_prefix(topic_config_name: str, broker_config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#singleWithLogCleanerPrefix(String, String)"""
    return topic_config_name, (ConfigSynonym(_LOG_CLEANER_PREFIX + broker_config_name),)


def _list_with_log_prefix(topic_config_name: str, *synonyms: ConfigSynonym) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#listWithLogPrefix(String, ConfigSynonym...)"""
    return topic_config_name, tuple(ConfigSynonym(_LOG_PREFIX + s.name(), s.converter()) for s in synonyms)


def _single(topic_config_name: str, broker_config_name: str) -> _Entry:
    """:origin: server.config.ServerTopicConfigSynonyms#single(String, String)"""
    return topic_config_name, (ConfigSynonym(broker_config_name),)


ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS = dict((
    _same_name_with_log_prefix(TopicConfig.SEGMENT_BYTES_CONFIG),
    _list_with_log_prefix(
        TopicConfig.SEGMENT_MS_CONFIG,
        ConfigSynonym("roll.ms"),
        ConfigSynonym("roll.hours", ConfigSynonym.HOURS_TO_MILLISECONDS)),
    _list_with_log_prefix(
        TopicConfig.SEGMENT_JITTER_MS_CONFIG,
        ConfigSynonym("roll.jitter.ms"),
        ConfigSynonym("roll.jitter.hours", ConfigSynonym.HOURS_TO_MILLISECONDS)),
    _single_with_log_prefix(TopicConfig.SEGMENT_INDEX_BYTES_CONFIG, "index.size.max.bytes"),
    _single_with_log_prefix(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "flush.interval.messages"),
    _list_with_log_prefix(
        TopicConfig.FLUSH_MS_CONFIG,
        ConfigSynonym("flush.interval.ms"),
        ConfigSynonym("flush.scheduler.interval.ms")),
    _same_name_with_log_prefix(TopicConfig.RETENTION_BYTES_CONFIG),
    _list_with_log_prefix(
        TopicConfig.RETENTION_MS_CONFIG,
        ConfigSynonym("retention.ms"),
        ConfigSynonym("retention.minutes", ConfigSynonym.MINUTES_TO_MILLISECONDS),
        ConfigSynonym("retention.hours", ConfigSynonym.HOURS_TO_MILLISECONDS)),
    _single(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "message.max.bytes"),
    _same_name_with_log_prefix(TopicConfig.INDEX_INTERVAL_BYTES_CONFIG),
    _same_name_with_log_cleaner_prefix(TopicConfig.DELETE_RETENTION_MS_CONFIG),
    _same_name_with_log_cleaner_prefix(TopicConfig.MIN_COMPACTION_LAG_MS_CONFIG),
    _same_name_with_log_cleaner_prefix(TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG),
    _single_with_log_prefix(TopicConfig.FILE_DELETE_DELAY_MS_CONFIG, "segment.delete.delay.ms"),
    _single_with_log_cleaner_prefix(TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "min.cleanable.ratio"),
    _same_name_with_log_prefix(TopicConfig.CLEANUP_POLICY_CONFIG),
    _same_name(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG),
    _same_name(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG),
    _same_name(TopicConfig.COMPRESSION_TYPE_CONFIG),
    _same_name(TopicConfig.COMPRESSION_GZIP_LEVEL_CONFIG),
    _same_name(TopicConfig.COMPRESSION_LZ4_LEVEL_CONFIG),
    _same_name(TopicConfig.COMPRESSION_ZSTD_LEVEL_CONFIG),
    _same_name_with_log_prefix(TopicConfig.PREALLOCATE_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_FORMAT_VERSION_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_TIMESTAMP_DIFFERENCE_MAX_MS_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_TIMESTAMP_BEFORE_MAX_MS_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_TIMESTAMP_AFTER_MAX_MS_CONFIG),
    _same_name_with_log_prefix(TopicConfig.MESSAGE_DOWNCONVERSION_ENABLE_CONFIG),
    _same_name_with_log_prefix(TopicConfig.LOCAL_LOG_RETENTION_MS_CONFIG),
    _same_name_with_log_prefix(TopicConfig.LOCAL_LOG_RETENTION_BYTES_CONFIG),
))
ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS = {
    name: synonyms[0].name()
    for name, synonyms in ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.items()
}
