# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ChannelState of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The progress of a connection, and the cause of its end.

A channel that the peer closes keeps the state it was in, so that a client can tell a wrong port
(NOT_CONNECTED), a failed handshake (AUTHENTICATE) and a refused credential (AUTHENTICATION_FAILED) apart.

=====================  ===========================================================  =====================
state                  entered when                                                 from
=====================  ===========================================================  =====================
NOT_CONNECTED          the channel is made                                          -
AUTHENTICATE           the connection is there; a handshake is due                  NOT_CONNECTED
READY                  connected, and authenticated where that is due               the two above
EXPIRED                idle for too long; closed                                    READY
FAILED_SEND            a send could not be queued, or came while closing; closed    READY
AUTHENTICATION_FAILED  the peer refused, or was refused; carries the exception      AUTHENTICATE, READY
LOCAL_CLOSE            this end closes                                              any
=====================  ===========================================================  =====================
"""

from __future__ import annotations

from enum import Enum

from kreactor.common.errors import AuthenticationException


class ChannelState:
    """A state and its cause, if known. Each state without a cause has one shared instance.

    :origin: common.network.ChannelState
    """

    __slots__ = ("_state", "_exception", "_remote_address")

    class State(Enum):
        """:origin: common.network.ChannelState.State"""

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

    def __init__(
        self,
        state: State,
        exception: AuthenticationException | None = None,
        remote_address: str | None = None,
    ) -> None:
        """:origin: common.network.ChannelState#ChannelState(State)
        :origin: common.network.ChannelState#ChannelState(State, String)
        :origin: common.network.ChannelState#ChannelState(State, AuthenticationException, String)
        """
        self._state = state
        self._exception = exception
        self._remote_address = remote_address

    def state(self) -> State:
        """Return the bare state.

        :origin: common.network.ChannelState#state()
        """
        return self._state

    def exception(self) -> AuthenticationException | None:
        """Return why authentication failed, None in every other state.

        :origin: common.network.ChannelState#exception()
        """
        return self._exception

    def remote_address(self) -> str | None:
        """Return the peer's address as text, where it was known.

        :origin: common.network.ChannelState#remoteAddress()
        """
        return self._remote_address

    def __repr__(self) -> str:
        return f"ChannelState({self._state.name})"


ChannelState.NOT_CONNECTED = ChannelState(ChannelState.State.NOT_CONNECTED)
ChannelState.AUTHENTICATE = ChannelState(ChannelState.State.AUTHENTICATE)
ChannelState.READY = ChannelState(ChannelState.State.READY)
ChannelState.EXPIRED = ChannelState(ChannelState.State.EXPIRED)
ChannelState.FAILED_SEND = ChannelState(ChannelState.State.FAILED_SEND)
ChannelState.LOCAL_CLOSE = ChannelState(ChannelState.State.LOCAL_CLOSE)
