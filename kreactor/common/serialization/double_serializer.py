# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.DoubleSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Numbers of 64 bits with a floating point to 8 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.doubles import double_to_long_bits


class DoubleSerializer(Serializer[float]):
    """Writes a number as IEEE 754 has it, with the highest byte first.

    :origin: common.serialization.DoubleSerializer
    """

    def serialize(self, topic: str | None, data: float | None) -> bytes | None:
        """Return 8 bytes; all that are not a number are written as one. Raises TypeError for other types.

        :origin: common.serialization.DoubleSerializer#serialize(String, Double)
        """
        if data is None:
            return None

        return double_to_long_bits(data).to_bytes(8, "big")
