# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.serialization.VoidSerializer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes None."""

from __future__ import annotations

from kreactor.common.serialization.serializer import Serializer


class VoidSerializer(Serializer[None]):
    """The serializer of keys or values that are always None.

    :origin: common.serialization.VoidSerializer
    """

    # The only value of Java's Void is null, so anything else is of another type.
    def serialize(self, topic: str | None, data: None) -> None:
        """Return None. Raises TypeError for anything else.

        :origin: common.serialization.VoidSerializer#serialize(String, Void)
        """
        if data is not None:
            raise TypeError(f"{data!r} is not None")
