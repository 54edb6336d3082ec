# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelBuilder of Apache Kafka 0.10.1.1,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Builds the channels of this release from the transport layers and authenticators of 3.8.0.

Owner: the network thread of the selector that uses the builder.
"""

from __future__ import annotations

from typing import Any, Mapping

from kreactor.common.network import channel_builder
from kreactor.editions.channel_parts import channel_parts
from kreactor.editions.v0_10_1.common.network.kafka_channel import KafkaChannel
from kreactor.jdk.nio_selector import SelectionKey


class ChannelBuilder:
    """Builds channels of 0.10.1 with the parts from a builder of 3.8.0.

    :origin: 0.10.1.1 common.network.ChannelBuilder
    """

    def __init__(self, builder: channel_builder.ChannelBuilder) -> None:
        """Own ``builder``, which determines the protocol: plaintext, TLS or SASL."""
        self._builder = builder

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Configure the builder. Raises KafkaException.

        :origin: 0.10.1.1 common.network.ChannelBuilder#configure(Map<String,?>)
        """
        self._builder.configure(configs)

    def build_channel(self, id: str, key: SelectionKey, max_receive_size: int) -> KafkaChannel:
        """Return a channel for ``key``; ``max_receive_size`` is in bytes. Raises KafkaException.

        :origin: 0.10.1.1 common.network.ChannelBuilder#buildChannel(String, SelectionKey, int)
        """
        # DEVIATION D351: a builder of 3.8.0 makes the parts; they are taken from the channel that it returns.
        transport_layer, authenticator = channel_parts(self._builder, id, key, max_receive_size)
        return KafkaChannel(id, transport_layer, authenticator, max_receive_size)

    def close(self) -> None:
        """Close the builder.

        :origin: 0.10.1.1 common.network.ChannelBuilder#close()
        """
        self._builder.close()
