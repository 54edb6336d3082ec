# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelState of Apache Kafka 1.0.2,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The progress of a connection, and the cause of its end.

A channel that the peer closes keeps its state. So a client can tell a wrong port (NOT_CONNECTED), a failed
handshake (AUTHENTICATE) and a refused credential (AUTHENTICATION_FAILED) apart. No state names the peer: that
came with 2.2 (KAFKA-7475).
"""

from __future__ import annotations

from enum import Enum

from kreactor.common.errors import AuthenticationException


class ChannelState:
    """A state, with its cause if authentication has failed. Each other state has one shared instance.

    :origin: 1.0.2 common.network.ChannelState
    """

    __slots__ = ("_state", "_exception")

    class State(Enum):
        """:origin: 1.0.2 common.network.ChannelState.State"""

        NOT_CONNECTED = "NOT_CONNECTED"
        AUTHENTICATE = "AUTHENTICATE"
        READY = "READY"
        EXPIRED = "EXPIRED"
        FAILED_SEND = "FAILED_SEND"
        AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"
        LOCAL_CLOSE = "LOCAL_CLOSE"

    NOT_CONNECTED: ChannelState
    AUTHENTICATE: ChannelState
    READY: ChannelState
    EXPIRED: ChannelState
    FAILED_SEND: ChannelState
    LOCAL_CLOSE: ChannelState

    def __init__(self, state: State, exception: AuthenticationException | None = None) -> None:
        """:origin: 1.0.2 common.network.ChannelState#ChannelState(State)
        :origin: 1.0.2 common.network.ChannelState#ChannelState(State, AuthenticationException)
        """
        self._state = state
        self._exception = exception

    def state(self) -> State:
        """Return the bare state.

        :origin: 1.0.2 common.network.ChannelState#state()
        """
        return self._state

    def exception(self) -> AuthenticationException | None:
        """Return the authentication error, or None in every other state.

        :origin: 1.0.2 common.network.ChannelState#exception()
        """
        return self._exception


ChannelState.NOT_CONNECTED = ChannelState(ChannelState.State.NOT_CONNECTED)
ChannelState.AUTHENTICATE = ChannelState(ChannelState.State.AUTHENTICATE)
ChannelState.READY = ChannelState(ChannelState.State.READY)
ChannelState.EXPIRED = ChannelState(ChannelState.State.EXPIRED)
ChannelState.FAILED_SEND = ChannelState(ChannelState.State.FAILED_SEND)
ChannelState.LOCAL_CLOSE = ChannelState(ChannelState.State.LOCAL_CLOSE)
