# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The rows of a poll: their names, in the order of events, and the meaning of each."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "keys": "connections that are ready to be read",
    "read": "bytes that are taken from a connection's socket",
    "staged": "requests that are read, and wait in the selector",
    "completed": "requests that the selector hands out",
    "queue": "requests that wait for a handler after the poll",
    "responses": "answers that the network thread takes: send, none, close, throttle, end throttle",
    "sent": "connections whose answer has left",
    "muted": "connections that are not read after the poll",
    "automaton": "why they are muted, since 2.0",
    "memory": "bytes of the pool that requests hold",
    "unmuted": "connections that are read again",
    "disconnected": "connections that have ended",
    "closed": "connections that the processor closes",
    "error": "the exception that ends the round",
    "clients": "news for the clients: an answer, FIN (the end), RST (a reset)",
}
