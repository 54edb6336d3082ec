# Licensed under the Apache License, Version 2.0; see LICENSE.
"""PlaintextTransportLayer on a socket that follows a script."""

from __future__ import annotations

from typing import cast

from kreactor.common.network.plaintext_transport_layer import PlaintextTransportLayer
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.scripted_tls import OP_READ, OP_WRITE, ScriptedKey, ScriptedSocket


def test_a_connection_is_read_once_it_is_there() -> None:
    socket = ScriptedSocket()
    key = ScriptedKey(socket)
    layer = PlaintextTransportLayer(cast(SelectionKey, key))
    key.ops = SelectionKey.OP_CONNECT | OP_WRITE
    socket.connected = False
    assert not layer.finish_connect() and not layer.is_connected()
    # A select is still to tell when it is there.
    assert key.ops == SelectionKey.OP_CONNECT | OP_WRITE
    socket.connected = True
    assert layer.finish_connect() and layer.is_connected()
    assert key.ops == OP_READ | OP_WRITE and not layer.is_mute()
