# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.ShortSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes 16-bit integers to 2 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.numbers import big_endian


class ShortSerializer(Serializer[int]):
    """Writes a signed integer, high byte first.

    :origin: common.serialization.ShortSerializer
    """

    # DEVIATION D301: an int outside the range of the Java type counts as another type.
    def serialize(self, topic: str | None, data: int | None) -> bytes | None:
        """Return 2 bytes. Raises TypeError for data that is not a 16-bit integer.

        :origin: common.serialization.ShortSerializer#serialize(String, Short)
        """
        if data is None:
            return None

        return big_endian(data, 2)
