# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.FloatSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Numbers of 32 bits with a floating point to 4 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.doubles import float_to_raw_int_bits


class FloatSerializer(Serializer[float]):
    """Writes a number as IEEE 754 has it, with the highest byte first.

    :origin: common.serialization.FloatSerializer
    """

    # DEVIATION D301: a number that a Java float does not reach is of another type.
    def serialize(self, topic: str | None, data: float | None) -> bytes | None:
        """Return 4 bytes, of the nearest Java float. Raises TypeError for what is no number, or too large.

        :origin: common.serialization.FloatSerializer#serialize(String, Float)
        """
        if data is None:
            return None

        return float_to_raw_int_bits(data).to_bytes(4, "big")
