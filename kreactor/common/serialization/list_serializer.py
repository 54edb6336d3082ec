# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ListSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.serialization.double_serializer import DoubleSerializer
from kreactor.common.serialization.float_serializer import FloatSerializer
from kreactor.common.serialization.integer_serializer import IntegerSerializer
from kreactor.common.serialization.list_serde import (
    NULL_ENTRY_VALUE,
    ListSerdeConfigs,
    SerializationStrategy,
)
from kreactor.common.serialization.long_serializer import LongSerializer
from kreactor.common.serialization.serde import Serde
from kreactor.common.serialization.serializer import Serializer
from kreactor.common.serialization.short_serializer import ShortSerializer
from kreactor.common.serialization.uuid_serializer import UUIDSerializer
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.numbers import big_endian
from kreactor.jdk.text import java_text

Inner = TypeVar("Inner")

log = LogContext().logger(f"{__name__}.ListSerializer")


class ListSerializer(Serializer[Sequence[Inner | None]], Generic[Inner]):
    """Writes lists. Another serializer writes the entries, which may be None.

    :origin: common.serialization.ListSerializer
    """

    # :origin: common.serialization.ListSerializer#FIXED_LENGTH_SERIALIZERS
    _FIXED_LENGTH_SERIALIZERS = (
        ShortSerializer, IntegerSerializer, FloatSerializer, LongSerializer, DoubleSerializer, UUIDSerializer)

    def __init__(self, *inner: Serializer[Inner]) -> None:
        """Keep the serializer of the entries. Without it, ``configure`` creates one.

        Raises IllegalArgumentException for None.

        :origin: common.serialization.ListSerializer#ListSerializer()
        :origin: common.serialization.ListSerializer#ListSerializer(Serializer<Inner>)
        """
        self._inner: Serializer[Inner] | None = None
        self._ser_strategy: SerializationStrategy | None = None
        if inner:
            [self._inner] = inner
            if self._inner is None:
                raise IllegalArgumentException(
                    'ListSerializer requires "serializer" parameter to be provided during initialization')
            self._ser_strategy = self._strategy(self._inner)

    def get_inner_serializer(self) -> Serializer[Inner] | None:
        """Return the serializer of the entries, or None before ``configure``.

        :origin: common.serialization.ListSerializer#getInnerSerializer()
        """
        return self._inner

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Create the serializer of the entries from the class of its Serde, or from the name of this class.

        Raises ConfigException if the serializer is already set, or if the class is missing or not found.
        Raises KafkaException if an object cannot be created.

        :origin: common.serialization.ListSerializer#configure(Map<String,?>, boolean)
        """
        if self._inner is not None:
            log.error("the serializer of a list's entries is already set: %s", self._inner)
            raise ConfigException("List serializer was already initialized using a non-default constructor")
        inner_serde_property_name = (
            ListSerdeConfigs.DEFAULT_LIST_KEY_SERDE_INNER_CLASS if is_key
            else ListSerdeConfigs.DEFAULT_LIST_VALUE_SERDE_INNER_CLASS)
        inner_serde_class_or_name = configs.get(inner_serde_property_name)
        if inner_serde_class_or_name is None:
            raise ConfigException(
                "Not able to determine the serializer class because it was neither passed via the "
                "constructor nor set in the config.")
        try:
            inner: Serializer[Inner]
            if isinstance(inner_serde_class_or_name, str):
                inner = Utils.new_instance_klass(
                    inner_serde_class_or_name, Serde).serializer()  # type: ignore[type-abstract]
            elif isinstance(inner_serde_class_or_name, type):
                inner = Utils.new_instance(inner_serde_class_or_name).serializer()
            else:
                raise KafkaException("Could not create a serializer class instance using "
                                     f"\"{inner_serde_property_name}\" property.")
            self._inner = inner
            inner.configure(configs, is_key)
            self._ser_strategy = self._strategy(inner)
        except ImportError as e:
            raise ConfigException(
                inner_serde_property_name, inner_serde_class_or_name,
                f"Serializer class {java_text(inner_serde_class_or_name)} could not be found.") from e

    @classmethod
    def _strategy(cls, inner: Serializer[Inner]) -> SerializationStrategy:
        return (SerializationStrategy.CONSTANT_SIZE if type(inner) in cls._FIXED_LENGTH_SERIALIZERS
                else SerializationStrategy.VARIABLE_SIZE)

    def _serialize_null_index_list(self, out: bytearray, data: Sequence[Inner | None]) -> None:
        """Append the number of None entries and their indexes.

        :origin: common.serialization.ListSerializer#serializeNullIndexList(DataOutputStream, List<Inner>)
        """
        null_index_list = [i for i, entry in enumerate(data) if entry is None]
        out += big_endian(len(null_index_list), 4)
        for null_index in null_index_list:
            out += big_endian(null_index, 4)

    def serialize(self, topic: str | None, data: Sequence[Inner | None] | None) -> bytes | None:
        """Return the bytes of a list. Raises TypeError for data that is not a list, or before ``configure``.

        :origin: common.serialization.ListSerializer#serialize(String, List<Inner>)
        """
        if data is None:
            return None
        if self._inner is None or self._ser_strategy is None:
            raise TypeError("the serializer of a list's entries is not set: call configure")
        if isinstance(data, str) or not isinstance(data, Sequence):
            raise TypeError(f"{data!r} is not a list")
        out = bytearray(self._ser_strategy.to_bytes(1, "big"))
        if self._ser_strategy is SerializationStrategy.CONSTANT_SIZE:
            self._serialize_null_index_list(out, data)
        out += big_endian(len(data), 4)
        for entry in data:
            if entry is None:
                if self._ser_strategy is SerializationStrategy.VARIABLE_SIZE:
                    out += big_endian(NULL_ENTRY_VALUE, 4)
            else:
                bytes_ = self._inner.serialize(topic, entry)
                if bytes_ is None:
                    raise TypeError(f"the serializer of a list's entries returns None for {entry!r}")
                if self._ser_strategy is SerializationStrategy.VARIABLE_SIZE:
                    out += big_endian(len(bytes_), 4)
                out += bytes_
        return bytes(out)

    def close(self) -> None:
        """Close the serializer of the entries.

        :origin: common.serialization.ListSerializer#close()
        """
        if self._inner is not None:
            self._inner.close()
