# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tests of the warnings about a file of settings."""

from __future__ import annotations

import pytest

from kreactor.core.server import kafka_config_def
from kreactor.core.server.config_warnings import ACTED_UPON, config_warnings
from kreactor.server.config.server_topic_config_synonyms import ServerTopicConfigSynonyms
from kreactor.storage.internals.log.log_config import LogConfig


def test_only_settings_of_kafka_are_acted_upon() -> None:
    assert ACTED_UPON <= set(kafka_config_def.config_names())


def test_what_the_log_has_a_use_for_is_acted_upon() -> None:
    settings = set(LogConfig.config_names())
    synonyms_of = ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS
    used = {synonym.name() for name in settings & synonyms_of.keys() for synonym in synonyms_of[name]}
    assert len(used) > 20
    # Those of remote storage and of other replicas, and a format that Kafka ignores from 3.0 on.
    assert used - ACTED_UPON == {
        "log.local.retention.bytes", "log.local.retention.ms", "unclean.leader.election.enable",
        "log.message.format.version"}


@pytest.mark.parametrize("prefix", ["log.cleaner.", "group.consumer."])
def test_settings_of_the_cleaner_and_of_consumer_groups_are_acted_upon(prefix: str) -> None:
    settings = {name for name in kafka_config_def.config_names() if name.startswith(prefix)}
    assert len(settings) > 8
    # No group with members changes its protocol, whatever the policy.
    assert settings - ACTED_UPON <= {"group.consumer.migration.policy"}


def test_a_file_that_is_all_acted_upon() -> None:
    assert config_warnings({
        "listeners": "PLAINTEXT://:9092", "num.io.threads": "8", "config.providers": "file",
        "listener.name.external.plain.sasl.jaas.config": "x", "authorizer.class.name": "",
        "kreactor.request.max.elements": "1000",
    }) == []


def test_settings_of_an_authorizer() -> None:
    settings = {"super.users": "User:admin", "allow.everyone.if.no.acl.found": "true", "authorizer.x": "y"}
    assert config_warnings({"authorizer.class.name": "a.B", **settings}) == []
    assert config_warnings({"authorizer.class.name": "", **settings}) == config_warnings(settings) == [
        f"{name} has no effect: authorizer.class.name is not set, and every client may do everything"
        for name in settings]


def test_every_kind_of_warning() -> None:
    assert config_warnings({
        "lisetners": "PLAINTEXT://:9092",
        "zookeeper.session.timeout.ms": "18000",
        "create.topic.policy.class.name": "some.Policy",
        "rsm.config.x": "y",
    }) == [
        "lisetners is not a setting of Kafka 3.8.0",
        "zookeeper.session.timeout.ms is a setting of Kafka that has no effect in kreactor",
        "create.topic.policy.class.name has no effect in kreactor: every topic can be created",
        "rsm.config.x is a setting of Kafka that has no effect in kreactor",
    ]
