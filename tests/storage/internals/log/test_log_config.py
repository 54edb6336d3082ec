# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Checks of the settings of topics, and of their synonyms."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import InvalidConfigurationException
from kreactor.jdk.exceptions import NoSuchElementException
from kreactor.server.config.config_synonym import ConfigSynonym
from kreactor.server.config.group_type import GroupType
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.storage.internals.log.log_config import LogConfig
from kreactor.storage.internals.log.throttled_replica_list_validator import ThrottledReplicaListValidator


def test_valid_settings() -> None:
    LogConfig.validate({"retention.ms": "1000", "cleanup.policy": "compact,delete"})


def test_an_unknown_setting() -> None:
    with pytest.raises(InvalidConfigurationException, match="Unknown topic config name: retention.msec"):
        LogConfig.validate({"retention.msec": "1000"})


def test_a_wrong_value() -> None:
    with pytest.raises(ConfigException, match="retention.ms"):
        LogConfig.validate({"retention.ms": "-2"})


def test_conflicting_lags() -> None:
    with pytest.raises(InvalidConfigurationException) as e:
        LogConfig.validate({"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"})
    assert str(e.value) == (
        "conflict topic config setting min.compaction.lag.ms (5) > max.compaction.lag.ms (4)")


def test_every_setting_has_a_synonym_or_is_known_to_have_none() -> None:
    names = set(LogConfig.config_names())
    assert (names - ServerTopicConfigSynonyms.TOPIC_CONFIG_SYNONYMS.keys()
            == LogConfig.CONFIGS_WITH_NO_SERVER_DEFAULTS)


@pytest.mark.parametrize("value, ok", [("*", True), ("", True), ("1:2,3:4", True), (" 1:2 , 3:4", True),
                                       ("1:2,*", False), ("1", False), ("a:b", False)])
def test_throttled_replicas(value: str, ok: bool) -> None:
    if ok:
        LogConfig.validate({"leader.replication.throttled.replicas": value})
        ThrottledReplicaListValidator.ensure_valid_string("name", value)
    else:
        with pytest.raises(ConfigException):
            LogConfig.validate({"leader.replication.throttled.replicas": value})


def test_synonyms_are_converted() -> None:
    roll_ms, roll_hours = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS["segment.ms"]
    assert (roll_ms.name(), roll_ms.converter()("5")) == ("log.roll.ms", "5")
    assert (roll_hours.name(), roll_hours.converter()("5")) == ("log.roll.hours", "18000000")
    minutes = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS["retention.ms"][1]
    assert minutes.converter()(" 2 ") == "120000"
    assert ConfigSynonym.HOURS_TO_MILLISECONDS("") == "0"
    assert ServerTopicConfigSynonyms.server_synonym("max.message.bytes") == "message.max.bytes"
    with pytest.raises(NoSuchElementException):
        ServerTopicConfigSynonyms.server_synonym("remote.storage.enable")


def test_a_wrong_synonym_counts_as_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert ConfigSynonym.MINUTES_TO_MILLISECONDS("soon") == "0"
    assert "soon" in caplog.text


def test_message_format_version() -> None:
    version = LogConfig.MessageFormatVersion("0.10.2", "3.8")
    assert version.should_ignore() and version.should_warn()
    assert "topic" in version.topic_warning_message("topic")
    assert version.message_format_version().short_version() == "0.10.2"
    assert version.inter_broker_protocol_version().short_version() == "3.8"
    version = LogConfig.MessageFormatVersion("2.8", "2.8")
    assert not version.should_ignore() and not version.should_warn()


def test_the_copy_of_the_definitions_can_be_changed() -> None:
    copy = LogConfig.config_def_copy()
    assert copy.names() == set(LogConfig.config_names())
    copy.config_keys().clear()
    assert LogConfig.config_names()


def test_group_types() -> None:
    assert GroupType.parse("Classic") is GroupType.CLASSIC
    assert GroupType.parse(None) is GroupType.parse("other") is GroupType.UNKNOWN
