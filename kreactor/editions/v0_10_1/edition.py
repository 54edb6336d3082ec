# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Kafka 0.10.1.1 as an edition: its listeners and handlers, joined to the broker of 3.8.0."""

from __future__ import annotations

from kreactor.editions.edition_server import Surroundings
from kreactor.editions.v0_10_1.core.network.socket_server import SocketServer
from kreactor.editions.v0_10_2.edition import Server


def open_server(surroundings: Surroundings) -> Server:
    """Return the bound listeners, with running threads. Raises KafkaException, OSError."""
    return Server(surroundings, SocketServer)
