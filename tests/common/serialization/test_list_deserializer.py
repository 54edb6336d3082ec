# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ListDeserializerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How a deserializer of lists gets what it needs, and what it makes of bytes that are no list."""

from __future__ import annotations

import re
from collections import deque

import pytest

from kreactor.clients.common_client_configs import CommonClientConfigs
from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import SerializationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.integer_deserializer import IntegerDeserializer
from kreactor.common.serialization.list_deserializer import ListDeserializer
from kreactor.common.serialization.serdes import Serdes
from kreactor.common.serialization.string_deserializer import StringDeserializer
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import class_name

KEY_TYPE = CommonClientConfigs.DEFAULT_LIST_KEY_SERDE_TYPE_CLASS
KEY_INNER = CommonClientConfigs.DEFAULT_LIST_KEY_SERDE_INNER_CLASS
VALUE_TYPE = CommonClientConfigs.DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS
VALUE_INNER = CommonClientConfigs.DEFAULT_LIST_VALUE_SERDE_INNER_CLASS
NON_EXISTING_CLASS = "non.existing.class"
MISSING_INNER = ("Not able to determine the inner serde class because it was neither passed via the "
                 "constructor nor set in the config.")
MISSING_TYPE = ("Not able to determine the list class because it was neither passed via the constructor nor "
                "set in the config.")
ALREADY = "List deserializer was already initialized using a non-default constructor"


class FakeObject:
    pass


def configured(props: dict[str, object], is_key: bool) -> ListDeserializer:
    deserializer: ListDeserializer = ListDeserializer()
    assert deserializer.inner_deserializer() is None
    deserializer.configure(props, is_key)
    return deserializer


def check_fails(exception: type[Exception], message: str, props: dict[str, object], is_key: bool) -> None:
    with pytest.raises(exception, match=f"^{re.escape(message)}$") as raised:
        configured(props, is_key)
    assert type(raised.value) is exception


def test_listkey_deserializer_no_arg_constructors_with_class_names() -> None:
    deserializer = configured(
        {KEY_TYPE: "collections.deque", KEY_INNER: class_name(Serdes.StringSerde)}, True)
    assert isinstance(deserializer.inner_deserializer(), StringDeserializer)


def test_listvalue_deserializer_no_arg_constructors_with_class_names() -> None:
    deserializer = configured(
        {VALUE_TYPE: "builtins.list", VALUE_INNER: class_name(Serdes.IntegerSerde)}, False)
    assert isinstance(deserializer.inner_deserializer(), IntegerDeserializer)


def test_listkey_deserializer_no_arg_constructors_with_class_objects() -> None:
    deserializer = configured({KEY_TYPE: list, KEY_INNER: Serdes.StringSerde}, True)
    assert isinstance(deserializer.inner_deserializer(), StringDeserializer)


def test_listvalue_deserializer_no_arg_constructors_with_class_objects() -> None:
    deserializer = configured({VALUE_TYPE: list, VALUE_INNER: Serdes.StringSerde}, False)
    assert isinstance(deserializer.inner_deserializer(), StringDeserializer)


def test_listkey_deserializer_noarg_constructors_should_throw_config_exception_due_missing_inner_class_prop(
) -> None:
    check_fails(ConfigException, MISSING_INNER, {KEY_TYPE: list}, True)


def test_listvalue_deserializer_noarg_constructors_should_throw_config_exception_due_missing_inner_class_prop(
) -> None:
    check_fails(ConfigException, MISSING_INNER, {VALUE_TYPE: list}, False)


def test_listkey_deserializer_noarg_constructors_should_throw_config_exception_due_missing_type_class_prop(
) -> None:
    check_fails(ConfigException, MISSING_TYPE, {KEY_INNER: Serdes.StringSerde}, True)


def test_listvalue_deserializer_noarg_constructors_should_throw_config_exception_due_missing_type_class_prop(
) -> None:
    check_fails(ConfigException, MISSING_TYPE, {VALUE_INNER: Serdes.StringSerde}, False)


def test_listkey_deserializer_no_arg_constructors_should_throw_kafka_exception_due_invalid_type_class(
) -> None:
    check_fails(KafkaException, f'Could not determine the list class instance using "{KEY_TYPE}" property.',
                {KEY_TYPE: FakeObject(), KEY_INNER: Serdes.StringSerde}, True)


def test_listvalue_deserializer_no_arg_constructors_should_throw_kafka_exception_due_invalid_type_class(
) -> None:
    check_fails(KafkaException, f'Could not determine the list class instance using "{VALUE_TYPE}" property.',
                {VALUE_TYPE: FakeObject(), VALUE_INNER: Serdes.StringSerde}, False)


def test_listkey_deserializer_no_arg_constructors_should_throw_kafka_exception_due_invalid_inner_class(
) -> None:
    check_fails(
        KafkaException, f'Could not determine the inner serde class instance using "{KEY_INNER}" property.',
        {KEY_TYPE: list, KEY_INNER: FakeObject()}, True)


def test_listvalue_deserializer_noarg_constructors_should_throw_kafka_exception_due_invalid_inner_class(
) -> None:
    check_fails(
        KafkaException, f'Could not determine the inner serde class instance using "{VALUE_INNER}" property.',
        {VALUE_TYPE: list, VALUE_INNER: FakeObject()}, False)


def test_listkey_deserializer_noarg_constructors_should_throw_config_exception_due_list_class_not_found(
) -> None:
    check_fails(ConfigException, (
        f"Invalid value {NON_EXISTING_CLASS} for configuration {KEY_TYPE}: Deserializer's list class "
        f'"{NON_EXISTING_CLASS}" could not be found.'),
        {KEY_TYPE: NON_EXISTING_CLASS, KEY_INNER: Serdes.StringSerde}, True)


def test_listvalue_deserializer_noarg_constructors_should_throw_config_exception_due_list_class_not_found(
) -> None:
    check_fails(ConfigException, (
        f"Invalid value {NON_EXISTING_CLASS} for configuration {VALUE_TYPE}: Deserializer's list class "
        f'"{NON_EXISTING_CLASS}" could not be found.'),
        {VALUE_TYPE: NON_EXISTING_CLASS, VALUE_INNER: Serdes.StringSerde}, False)


def test_listkey_deserializer_noarg_constructors_should_throw_config_exception_due_innerserde_classnotfound(
) -> None:
    check_fails(ConfigException, (
        f"Invalid value {NON_EXISTING_CLASS} for configuration {KEY_INNER}: Deserializer's inner serde "
        f'class "{NON_EXISTING_CLASS}" could not be found.'),
        {KEY_TYPE: list, KEY_INNER: NON_EXISTING_CLASS}, True)


def test_listvalue_deserializer_noarg_constructors_should_throw_config_exception_due_innerserde_classnotfound(
) -> None:
    check_fails(ConfigException, (
        f"Invalid value {NON_EXISTING_CLASS} for configuration {VALUE_INNER}: Deserializer's inner serde "
        f'class "{NON_EXISTING_CLASS}" could not be found.'),
        {VALUE_TYPE: list, VALUE_INNER: NON_EXISTING_CLASS}, False)


def test_listkey_deserializer_should_throw_config_exception_due_already_initialized() -> None:
    deserializer = ListDeserializer(list, Serdes.integer().deserializer())
    with pytest.raises(ConfigException, match=f"^{ALREADY}$"):
        deserializer.configure({KEY_TYPE: list, KEY_INNER: Serdes.StringSerde}, True)


def test_listvalue_deserializer_should_throw_config_exception_due_already_initialized() -> None:
    deserializer = ListDeserializer(list, Serdes.integer().deserializer())
    with pytest.raises(ConfigException, match=f"^{ALREADY}$"):
        deserializer.configure({VALUE_TYPE: list, VALUE_INNER: Serdes.StringSerde}, False)


def texts() -> ListDeserializer:
    return ListDeserializer(list, Serdes.string().deserializer())


def test_configured_classes_are_used() -> None:
    deserializer = configured({VALUE_TYPE: "collections.deque", VALUE_INNER: Serdes.ShortSerde}, False)
    found = deserializer.deserialize("topic", b"\0" + bytes(4) + b"\0\0\0\1" + b"\0\7")
    assert found == deque([7])


def test_something_is_missing() -> None:
    for list_class, inner in ((None, Serdes.string().deserializer()), (list, None)):
        with pytest.raises(IllegalArgumentException, match='requires both "listClass" and'):
            ListDeserializer(list_class, inner)
    with pytest.raises(TypeError, match="call configure"):
        ListDeserializer().deserialize("topic", b"\1" + bytes(4))


@pytest.mark.deviation("D303")
def test_an_empty_entry_at_the_end() -> None:
    assert texts().deserialize("topic", b"\1\0\0\0\2\0\0\0\1a\0\0\0\0") == ["a", ""]


@pytest.mark.deviation("D303")
@pytest.mark.parametrize("data, exception, message", [
    (b"\2", SerializationException, "Invalid serialization strategy flag value"),
    (b"\xff", SerializationException, "Invalid serialization strategy flag value"),
    (b"", KafkaException, "Unable to deserialize into a List"),
    (b"\1\0\0", KafkaException, "Unable to deserialize into a List"),
    (b"\1\0\0\0\1\0\0", KafkaException, "Unable to deserialize into a List"),
    (b"\0\0\0\0\1", KafkaException, "Unable to deserialize into a List"),
    (b"\0\x7f\xff\xff\xff\0\0\0\0", KafkaException, "Unable to deserialize into a List"),
    (b"\1\xff\xff\xff\xff", KafkaException, 'Could not construct a list instance of "list"'),
    (b"\0\xff\xff\xff\xff", IllegalArgumentException, "Illegal Capacity: -1"),
    (b"\1\0\0\0\1\xff\xff\xff\xfe", IllegalArgumentException, "-2 is not a valid size"),
    # The entry is said to have two bytes, and more than any memory has.
    (b"\1\0\0\0\1\0\0\0\2a", SerializationException, "End of the stream was reached prematurely"),
    (b"\1\0\0\0\1\x7f\xff\xff\xffa", SerializationException, "End of the stream was reached prematurely"),
    (b"\0\0\0\0\0\0\0\0\1a", TypeError, "have no constant size"),
])
def test_bytes_that_are_no_list(data: bytes, exception: type[Exception], message: str) -> None:
    with pytest.raises(exception, match=message):
        texts().deserialize("topic", data)


def test_a_class_of_which_no_list_can_be_made() -> None:
    class Needs(list):
        def __init__(self, what: object) -> None:
            super().__init__()

    deserializer = ListDeserializer(Needs, Serdes.string().deserializer())
    with pytest.raises(KafkaException, match='Could not construct a list instance of ".*Needs"'):
        deserializer.deserialize("topic", b"\1" + bytes(4))


def test_close_closes_the_deserializer_of_entries() -> None:
    closed = []

    class Inner(StringDeserializer):
        def close(self) -> None:
            closed.append(self)

    inner = Inner()
    ListDeserializer(list, inner).close()
    assert closed == [inner]
    ListDeserializer().close()
