# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.DoubleSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes 64-bit floats to 8 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.doubles import double_to_long_bits


class DoubleSerializer(Serializer[float]):
    """Writes a number in the format of IEEE 754, high byte first.

    :origin: common.serialization.DoubleSerializer
    """

    def serialize(self, topic: str | None, data: float | None) -> bytes | None:
        """Return 8 bytes. Every NaN has the same bytes. Raises TypeError for other types.

        :origin: common.serialization.DoubleSerializer#serialize(String, Double)
        """
        if data is None:
            return None

        return double_to_long_bits(data).to_bytes(8, "big")
