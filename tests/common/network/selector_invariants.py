# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The invariants of a selector between two polls.

The table "Where a channel is" is read from the docstring of ``selector.py``; the rest is what its text,
and that of ``kafka_channel.py``, says.
"""

from __future__ import annotations

from typing import Collection

from kreactor.common.network import selector as selector_module
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.selector import Selector
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.docstring_tables import table

EXCLUSIONS = [(container, excludes) for container, _, excludes in table(selector_module.__doc__, "container")
              if excludes != "-"]
CONTAINERS = [container for container, _, _ in table(selector_module.__doc__, "container")]


def ids_in(selector: Selector, container: str) -> list[str]:
    """Return the ids of the channels in a container of the table, as often as they are there."""
    members = vars(selector)[container]
    if container in ("_immediately_connected_keys", "_keys_with_buffered_read"):
        return [key.attachment().id() for key in members]
    if container == "_completed_sends":
        return [send.destination_id() for send in members]
    return list(members or ())


def invariants(selector: Selector, muted_before_connected: Collection[str] = ()) -> None:
    """Check all of it.

    The kernel watches a channel for reads once it is connected, also if it was muted before that, as in
    the origin: ``muted_before_connected`` are the ids of such channels.
    """
    ids = {container: ids_in(selector, container) for container in CONTAINERS}
    open_, closing = set(ids["_channels"]), set(ids["_closing_channels"])

    for container, excludes in EXCLUSIONS:
        if excludes == "closed":
            assert set(ids[container]) <= open_ | closing, f"{container} has a closed channel"
        else:
            other = "_explicitly_muted_channels" if excludes == "explicitly muted" else excludes
            both = set(ids[container]) & set(ids[other])
            assert not both, f"{both} are in {container} and in {other}"
    for container, members in ids.items():
        if container != "_failed_sends":
            assert len(members) == len(set(members)), f"{container} has a channel twice"
    for container in ("_explicitly_muted_channels", "_immediately_connected_keys",
                      "_keys_with_buffered_read"):
        assert set(ids[container]) <= open_ | closing, f"{container} has a closed channel"
    assert set(ids["_delayed_closing_channels"]) <= open_
    for key in selector._keys_with_buffered_read:
        assert key.attachment().has_bytes_buffered(), "it would be polled for nothing"

    if selector._idle_expiry_manager is not None:
        assert set(selector._idle_expiry_manager._lru_connections) == open_
    assert {key.attachment() for key in selector.keys() if key.is_valid()} == set(selector.channels())

    for channel in selector._channels.values():
        _open_channel(selector, channel, channel.id() in muted_before_connected)
    for channel in selector._closing_channels.values():
        assert not channel.selection_key().is_valid()
        assert channel.selection_key().attachment() is channel
        _any_channel(channel)


def _any_channel(channel: KafkaChannel) -> None:
    receive, send = channel.current_receive(), channel._send
    assert receive is None or not receive.complete(), "a complete receive was not handed out"
    assert send is None or not send.completed(), "a completed send was not reported"
    assert channel.selection_key().channel().is_open()


def _open_channel(selector: Selector, channel: KafkaChannel, muted_before_connected: bool) -> None:
    _any_channel(channel)
    key = channel.selection_key()
    assert key.is_valid() and key.attachment() is channel
    explicitly_muted = channel.id() in selector._explicitly_muted_channels
    assert not explicitly_muted or channel.is_muted()
    if channel.is_muted() and not explicitly_muted:
        assert channel.is_in_mutable_state() and selector.is_out_of_memory(), "muted for no reason"
    if not channel.is_connected() or key in selector._immediately_connected_keys:
        return
    ops = key.interest_ops()
    assert not ops & SelectionKey.OP_CONNECT
    if not muted_before_connected:
        assert bool(ops & SelectionKey.OP_READ) is not channel.is_muted(), "layers 1 and 2 differ"
    elif not channel.is_muted():
        assert ops & SelectionKey.OP_READ
    if channel.id() not in (selector._delayed_closing_channels or ()):
        assert bool(ops & SelectionKey.OP_WRITE) is channel.has_send()
