# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Turns a registered socket into a channel of its listener's kind."""

from __future__ import annotations

from abc import abstractmethod

from kreactor.common.configurable import Configurable
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.jdk.nio_selector import SelectionKey


class ChannelBuilder(Configurable):
    """Builds channels for one selector, on its thread.

    :origin: common.network.ChannelBuilder
    """

    @abstractmethod
    def build_channel(
        self,
        id: str,
        key: SelectionKey,
        max_receive_size: int,
        memory_pool: MemoryPool | None,
        metadata_registry: ChannelMetadataRegistry,
    ) -> KafkaChannel:
        """Return a channel with its transport layer and authenticator.

        ``max_receive_size`` is in bytes. Raises KafkaException; nothing is left open then.

        :origin: common.network.ChannelBuilder#buildChannel(
            String, SelectionKey, int, MemoryPool, ChannelMetadataRegistry)
        """

    @abstractmethod
    def close(self) -> None:
        """Release the resources that all channels share.

        :origin: common.network.ChannelBuilder#close()
        """
