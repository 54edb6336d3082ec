# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Creates a channel's transport layer and authenticator with the channel builders of 3.8.0.

The editions have their own channels, and share the layers below. A builder of 3.8.0 returns a channel of
3.8.0 with both parts. An edition takes the parts, and the channel of 3.8.0 is never used.
"""

from __future__ import annotations

from collections.abc import Callable

from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.channel_builder import ChannelBuilder
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.jdk.nio_selector import SelectionKey


def channel_parts(
    builder: ChannelBuilder, id: str, key: SelectionKey, max_receive_size: int,
) -> tuple[TransportLayer, Authenticator]:
    """Return a new transport layer for ``key``, and its authenticator. Raises KafkaException."""
    transport_layer, authenticator_creator = parts_and_creator(builder, id, key, max_receive_size)
    return transport_layer, authenticator_creator()


def parts_and_creator(
    builder: ChannelBuilder, id: str, key: SelectionKey, max_receive_size: int,
) -> tuple[TransportLayer, Callable[[], Authenticator]]:
    """Return a new transport layer for ``key``, and a creator of its authenticators. Raises KafkaException.

    The first call of the creator returns the authenticator that the channel of 3.8.0 has made.
    """
    channel = builder.build_channel(
        id, key, max_receive_size, MemoryPool.NONE, DefaultChannelMetadataRegistry())
    made = [channel._authenticator]
    return channel._transport_layer, lambda: made.pop() if made else channel._authenticator_creator()
