# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.ControllerConfigurationValidatorTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Which settings of topics, brokers and subscriptions are refused, and in which words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kreactor.common.config.config_resource import ConfigResource
from kreactor.common.config.topic_config import TopicConfig
from kreactor.common.errors import (
    InvalidConfigurationException,
    InvalidRequestException,
    InvalidTopicException,
)
from kreactor.core.server.controller_configuration_validator import ControllerConfigurationValidator
from kreactor.server.metrics.client_metrics_configs import ClientMetricsConfigs
from tests.core.server.brokers import broker_config

Type = ConfigResource.Type
JITTER, BYTES, MS = (TopicConfig.SEGMENT_JITTER_MS_CONFIG, TopicConfig.SEGMENT_BYTES_CONFIG,
                     TopicConfig.SEGMENT_MS_CONFIG)


@pytest.fixture
def validator(tmp_path: Path) -> ControllerConfigurationValidator:
    config = broker_config(tmp_path)
    config.dynamic_config().initialize()
    return ControllerConfigurationValidator(config)


def refusal(validator: ControllerConfigurationValidator, error: type[Exception], type: ConfigResource.Type,
            name: str, config: Mapping[str, str | None]) -> str:
    with pytest.raises(error) as e:
        validator.validate(ConfigResource(type, name), config)
    return str(e.value)


def test_default_topic_resource_is_rejected(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.TOPIC, "", {}) == (
        "Default topic resources are not allowed.")


def test_invalid_topic_name_rejected(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidTopicException, Type.TOPIC, "(<-invalid->)", {}) == (
        "Topic name is invalid: '(<-invalid->)' contains one or more characters other than ASCII "
        "alphanumerics, '.', '_' and '-'")


def test_unknown_resource_type(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.BROKER_LOGGER, "foo", {}) == (
        "Unknown resource type BROKER_LOGGER")


def test_null_topic_config_value(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidConfigurationException, Type.TOPIC, "foo", {
        BYTES: None, JITTER: "10", MS: None}) == (
        "Null value not supported for topic configs: segment.bytes,segment.ms")


def test_valid_topic_config(validator: ControllerConfigurationValidator) -> None:
    config = {BYTES: "67108864", JITTER: "1000"}
    validator.validate(ConfigResource(Type.TOPIC, "foo"), config)
    assert config == {BYTES: "67108864", JITTER: "1000"}


def test_invalid_topic_config(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidConfigurationException, Type.TOPIC, "foo", {
        "foobar": "abc", BYTES: "67108864", JITTER: "1000"}) == "Unknown topic config name: foobar"


def test_invalid_broker_entity(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.BROKER, "blah", {JITTER: "1000"}) == (
        "Unable to parse broker name as a base 10 number.")


def test_invalid_negative_broker_id(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.BROKER, "-1", {JITTER: "1000"}) == (
        "Invalid negative broker ID.")


def test_valid_client_metrics_config(validator: ControllerConfigurationValidator) -> None:
    config = {
        ClientMetricsConfigs.PUSH_INTERVAL_MS: "2000",
        ClientMetricsConfigs.SUBSCRIPTION_METRICS:
            "org.apache.kafka.client.producer.partition.queue.,"
            "org.apache.kafka.client.producer.partition.latency",
        ClientMetricsConfigs.CLIENT_MATCH_PATTERN:
            "client_instance_id=b69cc35a-7a54-4790-aa69-cc2bd4ee4538,client_id=1,"
            "client_software_name=apache-kafka-java,client_software_version=2.8.0-SNAPSHOT,"
            "client_source_address=127.0.0.1,client_source_port=1234"}
    validator.validate(ConfigResource(Type.CLIENT_METRICS, "subscription-1"), config)
    assert len(config) == 3


def test_invalid_subscription_name_client_metrics_config(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.CLIENT_METRICS, "", {}) == (
        "Subscription name can't be empty")


def test_invalid_interval_client_metrics_config(validator: ControllerConfigurationValidator) -> None:
    for interval in ("10", "3600001"):
        assert refusal(validator, InvalidRequestException, Type.CLIENT_METRICS, "subscription-1", {
            ClientMetricsConfigs.PUSH_INTERVAL_MS: interval}) == (
            f"Invalid value {interval} for interval.ms, interval must be between 100 and 3600000 (1 hour)")


def test_undefined_config_client_metrics_config(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidRequestException, Type.CLIENT_METRICS, "subscription-1", {
        "random": "10"}) == "Unknown client metrics configuration: random"


def test_invalid_match_client_metrics_config(validator: ControllerConfigurationValidator) -> None:
    assert refusal(validator, InvalidConfigurationException, Type.CLIENT_METRICS, "subscription-1", {
        ClientMetricsConfigs.CLIENT_MATCH_PATTERN: "10"}) == "Illegal client matching pattern: 10"
