# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ListSerializerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How a serializer of lists gets the serializer of their entries, and what it writes."""

from __future__ import annotations

import re

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.list_serializer import ListSerializer
from kreactor.common.serialization.serdes import Serdes
from kreactor.common.serialization.string_serializer import StringSerializer
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import class_name

KEY = CommonClientConfigs.DEFAULT_LIST_KEY_SERDE_INNER_CLASS
VALUE = CommonClientConfigs.DEFAULT_LIST_VALUE_SERDE_INNER_CLASS
NON_EXISTING_CLASS = "non.existing.class"
MISSING = ("Not able to determine the serializer class because it was neither passed via the constructor nor "
           "set in the config.")


class FakeObject:
    pass


def configured(props: dict[str, object], is_key: bool) -> ListSerializer:
    serializer: ListSerializer = ListSerializer()
    assert serializer.get_inner_serializer() is None
    serializer.configure(props, is_key)
    return serializer


def check_fails(exception: type[Exception], message: str, props: dict[str, object], is_key: bool) -> None:
    with pytest.raises(exception, match=f"^{re.escape(message)}$") as raised:
        configured(props, is_key)
    assert type(raised.value) is exception


def test_list_key_serializer_no_arg_constructors_with_class_name() -> None:
    serializer = configured({KEY: class_name(Serdes.StringSerde)}, True)
    assert isinstance(serializer.get_inner_serializer(), StringSerializer)


def test_list_value_serializer_no_arg_constructors_with_class_name() -> None:
    serializer = configured({VALUE: class_name(Serdes.StringSerde)}, False)
    assert isinstance(serializer.get_inner_serializer(), StringSerializer)


def test_kafkas_name_of_the_class() -> None:
    name = "org.apache.kafka.common.serialization.Serdes$StringSerde"
    assert isinstance(configured({KEY: name}, True).get_inner_serializer(), StringSerializer)


def test_list_key_serializer_no_arg_constructors_with_class_object() -> None:
    serializer = configured({KEY: Serdes.StringSerde}, True)
    assert isinstance(serializer.get_inner_serializer(), StringSerializer)


def test_list_value_serializer_no_arg_constructors_with_class_object() -> None:
    serializer = configured({VALUE: Serdes.StringSerde}, False)
    assert isinstance(serializer.get_inner_serializer(), StringSerializer)


def test_list_serializer_no_arg_constructors_should_throw_config_exception_due_missing_prop() -> None:
    check_fails(ConfigException, MISSING, {VALUE: Serdes.StringSerde}, True)
    check_fails(ConfigException, MISSING, {KEY: Serdes.StringSerde}, False)


def test_list_key_serializer_no_arg_constructors_should_throw_kafka_exception_due_invalid_class() -> None:
    check_fails(KafkaException, f'Could not create a serializer class instance using "{KEY}" property.',
                {KEY: FakeObject()}, True)


def test_list_value_serializer_no_arg_constructors_should_throw_kafka_exception_due_invalid_class() -> None:
    check_fails(KafkaException, f'Could not create a serializer class instance using "{VALUE}" property.',
                {VALUE: FakeObject()}, False)


def test_list_key_serializer_no_arg_constructors_should_throw_kafka_exception_due_class_not_found() -> None:
    check_fails(ConfigException, (
        f"Invalid value non.existing.class for configuration {KEY}: Serializer class non.existing.class "
        "could not be found."), {KEY: NON_EXISTING_CLASS}, True)


def test_list_value_serializer_no_arg_constructors_should_throw_kafka_exception_due_class_not_found() -> None:
    check_fails(ConfigException, (
        f"Invalid value non.existing.class for configuration {VALUE}: Serializer class non.existing.class "
        "could not be found."), {VALUE: NON_EXISTING_CLASS}, False)


def test_list_key_serializer_should_throw_config_exception_due_already_initialized() -> None:
    check_already_initialized(KEY, True)


def test_list_value_serializer_should_throw_config_exception_due_already_initialized() -> None:
    check_already_initialized(VALUE, False)


def check_already_initialized(name: str, is_key: bool) -> None:
    serializer = ListSerializer(Serdes.integer().serializer())
    with pytest.raises(ConfigException, match=(
            "^List serializer was already initialized using a non-default constructor$")):
        serializer.configure({name: Serdes.StringSerde}, is_key)


def test_no_serializer_of_entries() -> None:
    with pytest.raises(IllegalArgumentException, match='requires "serializer" parameter'):
        ListSerializer(None)
    with pytest.raises(TypeError, match="call configure"):
        ListSerializer().serialize("topic", [1])


def test_formats() -> None:
    integers = ListSerializer(Serdes.integer().serializer())
    assert integers.serialize("topic", [5, None]) == (
        b"\0" + b"\0\0\0\1\0\0\0\1" + b"\0\0\0\2" + b"\0\0\0\5")
    texts = configured({VALUE: Serdes.StringSerde}, False)
    assert texts.serialize("topic", ["ab", None, ""]) == (
        b"\1" + b"\0\0\0\3" + b"\0\0\0\2ab" + b"\xff\xff\xff\xff" + b"\0\0\0\0")


def test_what_is_no_list() -> None:
    serializer = ListSerializer(Serdes.string().serializer())
    for value in ("text", 5, {"a"}):
        with pytest.raises(TypeError, match="is not a list"):
            serializer.serialize("topic", value)
    with pytest.raises((TypeError, AttributeError)):
        serializer.serialize("topic", ["a", 5])


def test_close_closes_the_serializer_of_entries() -> None:
    closed = []

    class Inner(StringSerializer):
        def close(self) -> None:
            closed.append(self)

    inner = Inner()
    ListSerializer(inner).close()
    assert closed == [inner]
    ListSerializer().close()
