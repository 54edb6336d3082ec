# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.producer.ProducerConfigTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of a producer."""

from __future__ import annotations

from typing import Any

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.clients.metadata_recovery_strategy import MetadataRecoveryStrategy
from kreactor.clients.producer.producer_config import ProducerConfig
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.serialization.byte_array_serializer import ByteArraySerializer
from kreactor.common.serialization.string_serializer import StringSerializer

KEY_SERIALIZER = ByteArraySerializer()
VALUE_SERIALIZER = StringSerializer()
KEY_CLASS = type(KEY_SERIALIZER)
VALUE_CLASS = type(VALUE_SERIALIZER)
KEY = ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG
VALUE = ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG


def configs(**others: Any) -> dict[str, Any]:
    """Settings with dots for the underscores of the names."""
    return {KEY: KEY_CLASS, VALUE: VALUE_CLASS} | {
        name.replace("_", "."): value for name, value in others.items()}


def test_append_serializer_to_config() -> None:
    for given, key_serializer, value_serializer in (
            ({KEY: KEY_CLASS, VALUE: VALUE_CLASS}, None, None),
            ({VALUE: VALUE_CLASS}, KEY_SERIALIZER, None),
            ({KEY: KEY_CLASS}, None, VALUE_SERIALIZER),
            ({}, KEY_SERIALIZER, VALUE_SERIALIZER)):
        new_configs = ProducerConfig.append_serializer_to_config(given, key_serializer, value_serializer)
        assert new_configs == {KEY: KEY_CLASS, VALUE: VALUE_CLASS}


def test_append_serializer_to_config_with_exception() -> None:
    with pytest.raises(ConfigException, match="key.serializer: must be non-null."):
        ProducerConfig.append_serializer_to_config({KEY: None, VALUE: VALUE_CLASS}, None, VALUE_SERIALIZER)
    with pytest.raises(ConfigException, match="value.serializer: must be non-null."):
        ProducerConfig.append_serializer_to_config({KEY: KEY_CLASS, VALUE: None}, KEY_SERIALIZER, None)


def test_invalid_compression_type() -> None:
    with pytest.raises(ConfigException, match="compression.type: String must be one of: none, gzip"):
        ProducerConfig(configs(compression_type="abc"))


def test_invalid_security_protocol() -> None:
    with pytest.raises(ConfigException, match=CommonClientConfigs.SECURITY_PROTOCOL_CONFIG):
        ProducerConfig(configs(security_protocol="abc"))


def test_default_metadata_recovery_strategy() -> None:
    config = ProducerConfig(configs())
    assert (config.get_string(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG)
            == str(MetadataRecoveryStrategy.NONE.value))


def test_invalid_metadata_recovery_strategy() -> None:
    with pytest.raises(ConfigException, match=CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG):
        ProducerConfig(configs(metadata_recovery_strategy="abc"))


def test_case_insensitive_security_protocol() -> None:
    config = ProducerConfig(configs(security_protocol="sasl_ssl"))
    assert config.originals()[CommonClientConfigs.SECURITY_PROTOCOL_CONFIG] == "sasl_ssl"


def test_names_and_defaults() -> None:
    # As Kafka's documentation of the producer's settings has them.
    config = ProducerConfig(configs())
    values = config.values()
    for name, value in {
            "acks": "-1", "batch.size": 16384, "buffer.memory": 33554432, "compression.type": "none",
            "compression.gzip.level": -1, "compression.lz4.level": 9, "compression.zstd.level": 3,
            "connections.max.idle.ms": 540000, "delivery.timeout.ms": 120000, "enable.idempotence": True,
            "linger.ms": 0, "max.block.ms": 60000, "max.in.flight.requests.per.connection": 5,
            "max.request.size": 1048576, "metadata.max.age.ms": 300000, "metadata.max.idle.ms": 300000,
            "partitioner.adaptive.partitioning.enable": True, "partitioner.availability.timeout.ms": 0,
            "partitioner.class": None, "partitioner.ignore.keys": False, "receive.buffer.bytes": 32768,
            "reconnect.backoff.max.ms": 1000, "reconnect.backoff.ms": 50, "request.timeout.ms": 30000,
            "retries": 2147483647, "retry.backoff.max.ms": 1000, "retry.backoff.ms": 100,
            "security.protocol": "PLAINTEXT", "send.buffer.bytes": 131072,
            "socket.connection.setup.timeout.max.ms": 30000, "socket.connection.setup.timeout.ms": 10000,
            "transaction.timeout.ms": 60000, "transactional.id": None}.items():
        assert values[name] == value, name
    assert ProducerConfig.config_names() == ProducerConfig.config_def().names()
    assert all(key._documentation for key in ProducerConfig.config_def().config_keys().values()
               if not key._name.startswith(("ssl.", "sasl.")))


@pytest.mark.parametrize(("given", "message"), [
    ({"retries": 0}, "Must set retries to non-zero when using the idempotent producer."),
    ({"acks": "1"}, "Must set acks to all in order to use the idempotent producer. Otherwise we cannot "
                    "guarantee idempotence."),
    ({"max.in.flight.requests.per.connection": 6},
     "Must set max.in.flight.requests.per.connection to at most 5 to use the idempotent producer."),
])
def test_idempotence_excludes(given: dict[str, Any], message: str) -> None:
    # Where the user does not ask for idempotence, it is off.
    assert not ProducerConfig(configs() | given).get_boolean("enable.idempotence")
    with pytest.raises(ConfigException) as caught:
        ProducerConfig(configs(enable_idempotence=True) | given)
    assert str(caught.value) == message
    with pytest.raises(ConfigException) as caught:
        ProducerConfig(configs(transactional_id="id") | given)
    assert str(caught.value) == "Cannot set a transactional.id without also enabling idempotence."
