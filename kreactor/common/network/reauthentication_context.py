# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.ReauthenticationContext of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The facts that a new authenticator gets when it takes over a live channel (KIP-368)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.network.network_receive import NetworkReceive

if TYPE_CHECKING:
    from kreactor.common.network.authenticator import Authenticator


class ReauthenticationContext:
    """The circumstances of a re-authentication. Made and used on the channel's network thread.

    :origin: common.network.ReauthenticationContext
    """

    __slots__ = ("_network_receive", "_previous_authenticator", "_reauthentication_begin_nanos")

    def __init__(
        self,
        previous_authenticator: Authenticator,
        network_receive: NetworkReceive | None,
        now_nanos: int,
    ) -> None:
        """``now_nanos`` is on the monotonic clock, the begin of the re-authentication.

        :origin: common.network.ReauthenticationContext#ReauthenticationContext(
            Authenticator, NetworkReceive, long)
        """
        self._previous_authenticator = previous_authenticator
        self._network_receive = network_receive
        self._reauthentication_begin_nanos = now_nanos

    def network_receive(self) -> NetworkReceive | None:
        """Return the receive to go on with.

        On a server, the complete SaslHandshake that started it all. On a client, the response that may
        have been read in part, or None.

        :origin: common.network.ReauthenticationContext#networkReceive()
        """
        return self._network_receive

    def previous_authenticator(self) -> Authenticator:
        """Return the authenticator of the channel so far; the new one closes it.

        :origin: common.network.ReauthenticationContext#previousAuthenticator()
        """
        return self._previous_authenticator

    def reauthentication_begin_nanos(self) -> int:
        """Return the begin of the re-authentication (ns, monotonic clock).

        :origin: common.network.ReauthenticationContext#reauthenticationBeginNanos()
        """
        return self._reauthentication_begin_nanos
