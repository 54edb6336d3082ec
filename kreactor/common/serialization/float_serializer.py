# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.FloatSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes 32-bit floats to 4 bytes."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer
from kreactor.jdk.doubles import float_to_raw_int_bits


class FloatSerializer(Serializer[float]):
    """Writes a number in the format of IEEE 754, high byte first.

    :origin: common.serialization.FloatSerializer
    """

    # DEVIATION D301: a number outside the range of a Java float counts as another type.
    def serialize(self, topic: str | None, data: float | None) -> bytes | None:
        """Return the 4 bytes of the nearest Java float.

        Raises TypeError for other types and for too large numbers.

        :origin: common.serialization.FloatSerializer#serialize(String, Float)
        """
        if data is None:
            return None

        return float_to_raw_int_bits(data).to_bytes(4, "big")
