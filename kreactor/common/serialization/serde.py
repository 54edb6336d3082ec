# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.Serde of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a pair of a serializer and a deserializer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from kreactor.common.serialization.deserializer import Deserializer
from kreactor.common.serialization.serializer import Serializer

T = TypeVar("T")


class Serde(ABC, Generic[T]):
    """A serializer and a deserializer of one type.

    :origin: common.serialization.Serde
    """

    def configure(self, configs: Mapping[str, object], is_key: bool) -> None:
        """Configure serializer and deserializer.

        :origin: common.serialization.Serde#configure(Map<String,?>, boolean)
        """

    def close(self) -> None:
        """Close serializer and deserializer. May be called more than once.

        :origin: common.serialization.Serde#close()
        """

    @abstractmethod
    def serializer(self) -> Serializer[T]:
        """Return the serializer.

        :origin: common.serialization.Serde#serializer()
        """

    @abstractmethod
    def deserializer(self) -> Deserializer[T]:
        """Return the deserializer.

        :origin: common.serialization.Serde#deserializer()
        """
