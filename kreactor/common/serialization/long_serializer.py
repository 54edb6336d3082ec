# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.LongSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes 64-bit integers to 8 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.numbers import big_endian


class LongSerializer(Serializer[int]):
    """Writes a signed integer, high byte first.

    :origin: common.serialization.LongSerializer
    """

    # DEVIATION D301: an int outside the range of the Java type counts as another type.
    def serialize(self, topic: str | None, data: int | None) -> bytes | None:
        """Return 8 bytes. Raises TypeError for data that is not a 64-bit integer.

        :origin: common.serialization.LongSerializer#serialize(String, Long)
        """
        if data is None:
            return None

        return big_endian(data, 8)
