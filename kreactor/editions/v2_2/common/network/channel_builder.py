# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelBuilder of Apache Kafka 2.2.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Builds the channels of this release from the transport layers and authenticators of 3.8.0.

Owner: the network thread of the selector that uses the builder.
"""

from __future__ import annotations

from typing import Any, Mapping

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network import channel_builder
from kreactor.editions.channel_parts import parts_and_creator
from kreactor.editions.v2_2.common.network.kafka_channel import KafkaChannel
from kreactor.jdk.nio_selector import SelectionKey


class ChannelBuilder:
    """Builds channels of 2.2 with the parts from a builder of 3.8.0.

    :origin: 2.2.2 common.network.ChannelBuilder
    """

    def __init__(self, builder: channel_builder.ChannelBuilder) -> None:
        """Own ``builder``, which determines the protocol: plaintext, TLS or SASL."""
        self.builder = builder

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Configure the builder. Raises KafkaException."""
        self.builder.configure(configs)

    def build_channel(
        self, id: str, key: SelectionKey, max_receive_size: int, memory_pool: MemoryPool,
    ) -> KafkaChannel:
        """Return a channel for ``key``; ``max_receive_size`` is in bytes. Raises KafkaException.

        :origin: 2.2.2 common.network.ChannelBuilder#buildChannel(String, SelectionKey, int, MemoryPool)
        """
        # DEVIATION D351: a builder of 3.8.0 makes the parts; they are taken from the channel that it returns.
        transport_layer, authenticator_creator = parts_and_creator(self.builder, id, key, max_receive_size)
        return KafkaChannel(id, transport_layer, authenticator_creator, max_receive_size, memory_pool)

    def close(self) -> None:
        """Close the builder.

        :origin: 2.2.2 common.network.ChannelBuilder#close()
        """
        self.builder.close()
