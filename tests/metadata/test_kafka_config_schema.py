# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.KafkaConfigSchemaTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Types, defaults and secrets of settings, and which value of a topic's setting is in force."""

from __future__ import annotations

import pytest

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.requests.describe_configs_response import DescribeConfigsResponse
from kreactor.metadata.kafka_config_schema import ConfigEntry, KafkaConfigSchema
from kreactor.server.config.config_synonym import ConfigSynonym

BROKER, TOPIC = ConfigResource.Type.BROKER, ConfigResource.Type.TOPIC
ConfigSource = DescribeConfigsResponse.ConfigSource
HIGH = ConfigDef.Importance.HIGH


@pytest.fixture
def schema() -> KafkaConfigSchema:
    broker, topic = ConfigDef(), ConfigDef()
    broker.define("foo.bar", ConfigDef.Type.LIST, "1", HIGH, "foo bar doc")
    broker.define("baz", ConfigDef.Type.STRING, HIGH, "baz doc")
    broker.define("quux", ConfigDef.Type.INT, HIGH, "quux doc")
    broker.define("quuux", ConfigDef.Type.PASSWORD, HIGH, "quuux doc")
    broker.define("quuux2", ConfigDef.Type.PASSWORD, HIGH, "quuux2 doc")
    topic.define("abc", ConfigDef.Type.LIST, HIGH, "abc doc")
    topic.define("def", ConfigDef.Type.LONG, HIGH, "def doc")
    topic.define("ghi", ConfigDef.Type.BOOLEAN, True, HIGH, "ghi doc")
    topic.define("xyz", ConfigDef.Type.PASSWORD, "thedefault", HIGH, "xyz doc")
    return KafkaConfigSchema({BROKER: broker, TOPIC: topic}, {
        "abc": (ConfigSynonym("foo.bar"),),
        "def": (ConfigSynonym("quux", ConfigSynonym.HOURS_TO_MILLISECONDS),),
        "ghi": (ConfigSynonym("ghi"),),
        "xyz": (ConfigSynonym("quuux"), ConfigSynonym("quuux2"))})


def test_is_splittable(schema: KafkaConfigSchema) -> None:
    assert schema.is_splittable(BROKER, "foo.bar")
    assert not schema.is_splittable(BROKER, "baz")
    assert not schema.is_splittable(BROKER, "foo.baz.quux")
    assert not schema.is_splittable(TOPIC, "baz")
    assert schema.is_splittable(TOPIC, "abc")


def test_get_config_value_default(schema: KafkaConfigSchema) -> None:
    assert schema.get_default(BROKER, "foo.bar") == "1"
    assert schema.get_default(BROKER, "foo.baz.quux") is None
    assert schema.get_default(TOPIC, "abc") is None
    assert schema.get_default(TOPIC, "ghi") == "true"


def test_is_sensitive(schema: KafkaConfigSchema) -> None:
    assert not schema.is_sensitive(BROKER, "foo.bar")
    assert schema.is_sensitive(BROKER, "quuux")
    assert schema.is_sensitive(BROKER, "quuux2")
    assert schema.is_sensitive(BROKER, "unknown.config.key")
    assert not schema.is_sensitive(TOPIC, "abc")


def test_resolve_effective_topic_config(schema: KafkaConfigSchema) -> None:
    static_node = {"foo.bar": "the,static,value", "quux": "123", "ghi": "false"}
    dynamic_cluster = {"foo.bar": "the,dynamic,cluster,config,value", "quux": "456"}
    dynamic_node = {"quux": "789"}
    dynamic_topic = {"ghi": "true"}
    assert schema.resolve_effective_topic_configs(
        static_node, dynamic_cluster, dynamic_node, dynamic_topic) == {
        "abc": ConfigEntry("abc", "the,dynamic,cluster,config,value",
                           ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG, False, False),
        "def": ConfigEntry("def", "2840400000", ConfigSource.DYNAMIC_BROKER_CONFIG, False, False),
        "ghi": ConfigEntry("ghi", "true", ConfigSource.TOPIC_CONFIG, False, False),
        "xyz": ConfigEntry("xyz", "thedefault", ConfigSource.DEFAULT_CONFIG, True, False)}
