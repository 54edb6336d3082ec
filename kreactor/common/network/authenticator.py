# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.Authenticator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The part of a channel that finds out the identity of its peer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from kreactor.common.network.reauthentication_context import ReauthenticationContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde

if TYPE_CHECKING:
    from kreactor.common.network.network_receive import NetworkReceive


class Authenticator(ABC):
    """Authenticates one channel, over the transport layer of that channel, on its network thread.

    :origin: common.network.Authenticator
    """

    __slots__ = ()

    @abstractmethod
    def authenticate(self) -> None:
        """Go on with the exchange as far as it gets without waiting. Called again until ``complete``.

        Raises AuthenticationException if the peer is refused or refuses, OSError if it is gone.

        :origin: common.network.Authenticator#authenticate()
        """

    def handle_authentication_failure(self) -> None:
        """Send the refusal after ``authenticate`` raised AuthenticationException. Raises OSError.

        :origin: common.network.Authenticator#handleAuthenticationFailure()
        """

    @abstractmethod
    def principal(self) -> KafkaPrincipal:
        """Return the peer's principal.

        :origin: common.network.Authenticator#principal()
        """

    @abstractmethod
    def principal_serde(self) -> KafkaPrincipalSerde | None:
        """Return the serde of the principal, None where requests are never forwarded.

        :origin: common.network.Authenticator#principalSerde()
        """

    @abstractmethod
    def complete(self) -> bool:
        """Return whether the channel may carry requests.

        :origin: common.network.Authenticator#complete()
        """

    def reauthenticate(self, reauthentication_context: ReauthenticationContext) -> None:
        """Begin anew on a live channel; close the previous authenticator. A no-op without SASL.

        Raises AuthenticationException or OSError.

        :origin: common.network.Authenticator#reauthenticate(ReauthenticationContext)
        """

    def server_session_expiration_time_nanos(self) -> int | None:
        """Return when the server stops accepting requests of this session, on the monotonic clock.

        :origin: common.network.Authenticator#serverSessionExpirationTimeNanos()
        """
        return None

    def client_session_reauthentication_time_nanos(self) -> int | None:
        """Return when the client begins to re-authenticate, on the monotonic clock.

        A random point within 85 to 95 % of the session, so that clients do not all come at once.

        :origin: common.network.Authenticator#clientSessionReauthenticationTimeNanos()
        """
        return None

    def reauthentication_latency_ms(self) -> int | None:
        """Return how long the re-authentication took, or None if there was none.

        :origin: common.network.Authenticator#reauthenticationLatencyMs()
        """
        return None

    def poll_response_received_during_reauthentication(self) -> NetworkReceive | None:
        """Remove and return the next response to an earlier request that came in between, or None.

        :origin: common.network.Authenticator#pollResponseReceivedDuringReauthentication()
        """
        return None

    def connected_client_supports_reauthentication(self) -> bool:
        """Return whether the client on the other end has said that it can re-authenticate.

        :origin: common.network.Authenticator#connectedClientSupportsReauthentication()
        """
        return False

    @abstractmethod
    def close(self) -> None:
        """Release the resources of the authenticator. Raises OSError."""
