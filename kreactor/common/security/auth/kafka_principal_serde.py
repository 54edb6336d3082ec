# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.KafkaPrincipalSerde of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of the serde of principals, which forwarded requests carry from broker to controller."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal


class KafkaPrincipalSerde(ABC):
    """Serializes and deserializes principals. Raises SerializationException for every failure.

    :origin: common.security.auth.KafkaPrincipalSerde
    """

    __slots__ = ()

    @abstractmethod
    def serialize(self, principal: KafkaPrincipal) -> bytes:
        """Return ``principal`` as bytes.

        :origin: common.security.auth.KafkaPrincipalSerde#serialize(KafkaPrincipal)
        """

    @abstractmethod
    def deserialize(self, data: bytes) -> KafkaPrincipal:
        """Return the principal that ``serialize`` turned into ``data``.

        :origin: common.security.auth.KafkaPrincipalSerde#deserialize(byte[])
        """
