# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.BooleanSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes bools to one byte."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer


class BooleanSerializer(Serializer[bool]):
    """Writes 1 for True and 0 for False.

    :origin: common.serialization.BooleanSerializer
    """

    # :origin: common.serialization.BooleanSerializer#TRUE
    _TRUE = b"\x01"
    # :origin: common.serialization.BooleanSerializer#FALSE
    _FALSE = b"\x00"

    def serialize(self, topic: str | None, data: bool | None) -> bytes | None:
        """Return one byte. Raises TypeError for data that is not a bool.

        :origin: common.serialization.BooleanSerializer#serialize(String, Boolean)
        """
        if data is None:
            return None

        if not isinstance(data, bool):
            raise TypeError(f"{data!r} is not a bool")
        return self._TRUE if data else self._FALSE
