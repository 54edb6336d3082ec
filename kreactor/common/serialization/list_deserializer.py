# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ListDeserializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Deserializes lists."""

from __future__ import annotations

from collections.abc import Mapping, MutableSequence, Sequence
from typing import Generic, TypeVar

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.errors import SerializationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.deserializer import Deserializer
from kreactor.common.serialization.double_deserializer import DoubleDeserializer
from kreactor.common.serialization.float_deserializer import FloatDeserializer
from kreactor.common.serialization.integer_deserializer import IntegerDeserializer
from kreactor.common.serialization.list_serde import (
    NULL_ENTRY_VALUE,
    ListSerdeConfigs,
    SerializationStrategy,
)
from kreactor.common.serialization.long_deserializer import LongDeserializer
from kreactor.common.serialization.serde import Serde
from kreactor.common.serialization.short_deserializer import ShortDeserializer
from kreactor.common.serialization.uuid_deserializer import UUIDDeserializer
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import EOFException, IllegalArgumentException
from kreactor.jdk.nio_buffer import BytesLike
from kreactor.jdk.text import class_name, java_text

Inner = TypeVar("Inner")

log = LogContext().logger(f"{__name__}.ListDeserializer")


class ListDeserializer(Deserializer[Sequence[Inner | None]], Generic[Inner]):
    """Reads lists written by ``ListSerializer``, as instances of a list class.

    :origin: common.serialization.ListDeserializer
    """

    # :origin: common.serialization.ListDeserializer#FIXED_LENGTH_DESERIALIZERS
    _FIXED_LENGTH_DESERIALIZERS: Mapping[type, int] = {
        ShortDeserializer: 2, IntegerDeserializer: 4, FloatDeserializer: 4, LongDeserializer: 8,
        DoubleDeserializer: 8, UUIDDeserializer: 36}

    def __init__(self, *list_class_and_inner: type | Deserializer[Inner]) -> None:
        """Keep the list class and the deserializer of the entries. Both or neither are given.

        Without them ``configure`` sets both. Raises IllegalArgumentException if one is None.

        :origin: common.serialization.ListDeserializer#ListDeserializer()
        :origin: common.serialization.ListDeserializer#ListDeserializer(Class<L>, Deserializer<Inner>)
        """
        self._list_class: type | None = None
        self._inner: Deserializer[Inner] | None = None
        self._primitive_size: int | None = None
        if list_class_and_inner:
            list_class, inner = list_class_and_inner
            if not isinstance(list_class, type) or not isinstance(inner, Deserializer):
                log.error("list class %s, inner deserializer %s: a deserializer of lists needs both",
                          list_class, inner)
                raise IllegalArgumentException(
                    'ListDeserializer requires both "listClass" and "innerDeserializer" parameters to be '
                    "provided during initialization")
            self._list_class = list_class
            self._inner = inner
            self._primitive_size = self._FIXED_LENGTH_DESERIALIZERS.get(type(inner))

    def inner_deserializer(self) -> Deserializer[Inner] | None:
        """Return the deserializer of the entries, or None before ``configure``.

        :origin: common.serialization.ListDeserializer#innerDeserializer()
        """
        return self._inner

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Set the list class, and create the deserializer of the entries from the class of its Serde.

        Both classes may be given by name. Raises ConfigException if they are already set, or if one is
        missing or not found. Raises KafkaException if an object cannot be created.

        :origin: common.serialization.ListDeserializer#configure(Map<String,?>, boolean)
        """
        if self._list_class is not None or self._inner is not None:
            log.error("list class %s and inner deserializer %s are already set",
                      self._list_class, self._inner)
            raise ConfigException("List deserializer was already initialized using a non-default constructor")
        self._configure_list_class(configs, is_key)
        self._configure_inner_serde(configs, is_key)

    def _configure_list_class(self, configs: Mapping[str, object], is_key: bool) -> None:
        """:origin: common.serialization.ListDeserializer#configureListClass(Map<String,?>, boolean)"""
        list_type_property_name = (
            ListSerdeConfigs.DEFAULT_LIST_KEY_SERDE_TYPE_CLASS if is_key
            else ListSerdeConfigs.DEFAULT_LIST_VALUE_SERDE_TYPE_CLASS)
        list_class_or_name = configs.get(list_type_property_name)
        if list_class_or_name is None:
            raise ConfigException("Not able to determine the list class because it was neither passed via "
                                  "the constructor nor set in the config.")
        try:
            if isinstance(list_class_or_name, str):
                self._list_class = Utils.load_class(list_class_or_name, object)
            elif isinstance(list_class_or_name, type):
                self._list_class = list_class_or_name
            else:
                raise KafkaException("Could not determine the list class instance using "
                                     f"\"{list_type_property_name}\" property.")
        except ImportError as e:
            raise ConfigException(
                list_type_property_name, list_class_or_name,
                f"Deserializer's list class \"{java_text(list_class_or_name)}\" could not be found.") from e

    def _configure_inner_serde(self, configs: Mapping[str, object], is_key: bool) -> None:
        """:origin: common.serialization.ListDeserializer#configureInnerSerde(Map<String,?>, boolean)"""
        inner_serde_property_name = (
            ListSerdeConfigs.DEFAULT_LIST_KEY_SERDE_INNER_CLASS if is_key
            else ListSerdeConfigs.DEFAULT_LIST_VALUE_SERDE_INNER_CLASS)
        inner_serde_class_or_name = configs.get(inner_serde_property_name)
        if inner_serde_class_or_name is None:
            raise ConfigException("Not able to determine the inner serde class because it was neither passed "
                                  "via the constructor nor set in the config.")
        try:
            inner: Deserializer[Inner]
            if isinstance(inner_serde_class_or_name, str):
                inner = Utils.new_instance_klass(
                    inner_serde_class_or_name, Serde).deserializer()  # type: ignore[type-abstract]
            elif isinstance(inner_serde_class_or_name, type):
                inner = Utils.new_instance(inner_serde_class_or_name).deserializer()
            else:
                raise KafkaException("Could not determine the inner serde class instance using "
                                     f"\"{inner_serde_property_name}\" property.")
            self._inner = inner
            inner.configure(configs, is_key)
            self._primitive_size = self._FIXED_LENGTH_DESERIALIZERS.get(type(inner))
        except ImportError as e:
            raise ConfigException(
                inner_serde_property_name, inner_serde_class_or_name,
                f"Deserializer's inner serde class \"{java_text(inner_serde_class_or_name)}\" could not be "
                "found.") from e

    def _create_list_instance(self, list_size: int) -> MutableSequence[Inner | None]:
        """Return an empty list, without Java's initial capacity. Raises KafkaException.

        :origin: common.serialization.ListDeserializer#createListInstance(int)
        """
        list_class = self._list_class
        assert list_class is not None
        try:
            if list_size < 0:
                raise IllegalArgumentException(f"Illegal Capacity: {list_size}")
            instance: MutableSequence[Inner | None] = list_class()
            return instance
        except Exception as e:
            log.error("cannot create a list", exc=e)
            raise KafkaException(
                f"Could not construct a list instance of \"{class_name(list_class)}\"", e) from e

    def _parse_serialization_strategy_flag(self, serialization_strategy_flag: int) -> SerializationStrategy:
        """Return the strategy of a flag. Raises SerializationException.

        :origin: common.serialization.ListDeserializer#parseSerializationStrategyFlag(int)
        """
        try:
            return SerializationStrategy(serialization_strategy_flag)
        except ValueError:
            raise SerializationException("Invalid serialization strategy flag value") from None

    def _deserialize_null_index_list(self, dis: _DataInput) -> set[int]:
        """Return the indexes of None entries. Raises IllegalArgumentException, EOFException.

        :origin: common.serialization.ListDeserializer#deserializeNullIndexList(DataInputStream)
        """
        null_index_list_size = dis.read_int()
        if null_index_list_size < 0:
            raise IllegalArgumentException(f"Illegal Capacity: {null_index_list_size}")
        return {dis.read_int() for _ in range(null_index_list_size)}

    def deserialize(self, topic: str | None, data: BytesLike | None) -> Sequence[Inner | None] | None:
        """Return the list. Raises SerializationException or KafkaException for invalid bytes.

        Raises TypeError before ``configure``, and if the bytes have entries of constant size but the entries'
        type has no constant size.

        :origin: common.serialization.ListDeserializer#deserialize(String, byte[])
        """
        if data is None:
            return None
        if self._inner is None:
            raise TypeError("the deserializer of a list's entries is not set: call configure")
        try:
            dis = _DataInput(data)
            ser_strategy = self._parse_serialization_strategy_flag(dis.read_byte())
            null_index_list: set[int] = set()
            if ser_strategy is SerializationStrategy.CONSTANT_SIZE:
                null_index_list = self._deserialize_null_index_list(dis)
            size = dis.read_int()
            deserialized_list = self._create_list_instance(size)
            for i in range(size):
                entry_size = (self._primitive_size if ser_strategy is SerializationStrategy.CONSTANT_SIZE
                              else dis.read_int())
                if entry_size is None:
                    raise TypeError(f"entries for {class_name(type(self._inner))} have no constant size")
                if entry_size == NULL_ENTRY_VALUE or i in null_index_list:
                    deserialized_list.append(None)
                    continue
                # DEVIATION D303: a truncated entry is an error, and an empty entry at the end is valid.
                payload = dis.read(entry_size)
                if payload is None:
                    log.error("a serialized list ends within its entries")
                    # Only level TRACE may log the user's values.
                    log.trace("the entries read so far: %s", deserialized_list)
                    raise SerializationException("End of the stream was reached prematurely")
                deserialized_list.append(self._inner.deserialize(topic, payload))
            return deserialized_list
        except OSError as e:
            raise KafkaException("Unable to deserialize into a List", e) from e

    def close(self) -> None:
        """Close the deserializer of the entries.

        :origin: common.serialization.ListDeserializer#close()
        """
        if self._inner is not None:
            self._inner.close()


class _DataInput:
    """Reads bytes in order."""

    def __init__(self, data: BytesLike) -> None:
        self._data = bytes(data)
        self._position = 0

    def read_byte(self) -> int:
        """Return the next byte, signed. Raises EOFException."""
        return self._read_signed(1)

    def read_int(self) -> int:
        """Return the next four bytes as a signed int. Raises EOFException."""
        return self._read_signed(4)

    def _read_signed(self, size: int) -> int:
        bytes_ = self.read(size)
        if bytes_ is None:
            raise EOFException("the list ends within a number")
        return int.from_bytes(bytes_, "big", signed=True)

    def read(self, size: int) -> bytes | None:
        """Return the next ``size`` bytes, None if fewer are left. Raises IllegalArgumentException below 0."""
        if size < 0:
            raise IllegalArgumentException(f"{size} is not a valid size")
        end = self._position + size
        if end > len(self._data):
            return None
        found, self._position = self._data[self._position:end], end
        return found
