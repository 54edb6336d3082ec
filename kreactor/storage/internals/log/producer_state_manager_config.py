# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.ProducerStateManagerConfig of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The settings of producer state that all logs of a broker share."""

from __future__ import annotations


class ProducerStateManagerConfig:
    """The settings that all logs share and that can change while they are open.

    :origin: storage.internals.log.ProducerStateManagerConfig
    """

    __slots__ = ("producer_id_expiration_ms", "transaction_verification_enabled")

    def __init__(self, producer_id_expiration_ms: int = 24 * 60 * 60 * 1000,
                 transaction_verification_enabled: bool = True) -> None:
        """:origin: storage.internals.log.ProducerStateManagerConfig#ProducerStateManagerConfig(int, boolean)"""  # noqa: E501
        self.producer_id_expiration_ms = producer_id_expiration_ms
        self.transaction_verification_enabled = transaction_verification_enabled
