# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClusterConnectionStates of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The state of the connection to each node: its progress, its failures, and its next address.

Owner: the thread that polls the NetworkClient. Times are times of day in milliseconds, passed in as ``now``.
"""

from __future__ import annotations

from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.connection_state import ConnectionState
from kreactor.clients.host_resolver import HostResolver
from kreactor.common.errors import AuthenticationException
from kreactor.common.utils.exponential_backoff import ExponentialBackoff
from kreactor.common.utils.log_context import LogContext, Logger
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress

_LONG_MAX_VALUE = (1 << 63) - 1


class ClusterConnectionStates:
    """A NodeConnectionState for each node that was connected to, by the id of the connection.

    Only ``remove`` drops a node: a state outlives its connections, so that failures accumulate.

    :origin: clients.ClusterConnectionStates
    """

    RECONNECT_BACKOFF_EXP_BASE = 2
    RECONNECT_BACKOFF_JITTER = 0.2
    CONNECTION_SETUP_TIMEOUT_EXP_BASE = 2
    CONNECTION_SETUP_TIMEOUT_JITTER = 0.2

    def __init__(self, reconnect_backoff_ms: int, reconnect_backoff_max_ms: int,
                 connection_setup_timeout_ms: int, connection_setup_timeout_max_ms: int,
                 log_context: LogContext, host_resolver: HostResolver) -> None:
        """Start without nodes. Both waits double with each failure up to their maximum, in milliseconds.

        :origin: clients.ClusterConnectionStates#ClusterConnectionStates(
            long, long, long, long, LogContext, HostResolver)
        """
        self._log = log_context.logger(ClusterConnectionStates)
        self._reconnect_backoff = ExponentialBackoff(
            reconnect_backoff_ms,
            ClusterConnectionStates.RECONNECT_BACKOFF_EXP_BASE,
            reconnect_backoff_max_ms,
            ClusterConnectionStates.RECONNECT_BACKOFF_JITTER)
        self._connection_setup_timeout = ExponentialBackoff(
            connection_setup_timeout_ms,
            ClusterConnectionStates.CONNECTION_SETUP_TIMEOUT_EXP_BASE,
            connection_setup_timeout_max_ms,
            ClusterConnectionStates.CONNECTION_SETUP_TIMEOUT_JITTER)
        # :origin: clients.ClusterConnectionStates#nodeState
        self._node_states: dict[str, ClusterConnectionStates.NodeConnectionState] = {}
        # A dict as an ordered set: it keeps the order of the connection attempts.
        self._connecting_nodes: dict[str, None] = {}
        self._host_resolver = host_resolver

    def can_connect(self, id: str, now: int) -> bool:
        """Return whether a connection may be attempted: there is none, and the backoff is over.

        :origin: clients.ClusterConnectionStates#canConnect(String, long)
        """
        state = self._node_states.get(id)
        if state is None:
            return True
        return (state.state.is_disconnected()
                and now - state.last_connect_attempt_ms >= state.reconnect_backoff_ms)

    def is_blacked_out(self, id: str, now: int) -> bool:
        """Return whether there is no connection, and the backoff is not over.

        :origin: clients.ClusterConnectionStates#isBlackedOut(String, long)
        """
        state = self._node_states.get(id)
        return (state is not None
                and state.state.is_disconnected()
                and now - state.last_connect_attempt_ms < state.reconnect_backoff_ms)

    def connection_delay(self, id: str, now: int) -> int:
        """Return the milliseconds until the next attempt to send is useful.

        The result is the rest of the backoff while disconnected, and the setup timeout while connecting. Once
        connected it is the largest long, because a poll returns when the connection takes data.

        :origin: clients.ClusterConnectionStates#connectionDelay(String, long)
        """
        state = self._node_states.get(id)
        if state is None:
            return 0

        if state.state is ConnectionState.CONNECTING:
            return self.connection_setup_timeout_ms(id)
        if state.state.is_disconnected():
            time_waited = now - state.last_connect_attempt_ms
            return max(state.reconnect_backoff_ms - time_waited, 0)
        return _LONG_MAX_VALUE

    def is_connecting(self, id: str) -> bool:
        """Return whether a connection is being made.

        :origin: clients.ClusterConnectionStates#isConnecting(String)
        """
        state = self._node_states.get(id)
        return state is not None and state.state is ConnectionState.CONNECTING

    def is_preparing_connection(self, id: str) -> bool:
        """Return whether a connection is being made, or waits for its node's API versions.

        :origin: clients.ClusterConnectionStates#isPreparingConnection(String)
        """
        state = self._node_states.get(id)
        return state is not None and (
            state.state is ConnectionState.CONNECTING
            or state.state is ConnectionState.CHECKING_API_VERSIONS)

    def connecting(self, id: str, now: int, host: str) -> None:
        """Enter CONNECTING, to the next address of ``host``; a changed host resets the state.

        :origin: clients.ClusterConnectionStates#connecting(String, long, String)
        """
        connection_state = self._node_states.get(id)
        if connection_state is not None and connection_state.host() == host:
            connection_state.last_connect_attempt_ms = now
            connection_state.state = ConnectionState.CONNECTING
            connection_state._move_to_next_address()
            self._connecting_nodes[id] = None
            return
        if connection_state is not None:
            self._log.info("The host of node %s was %s and is now %s", id, connection_state.host(), host)

        self._node_states[id] = ClusterConnectionStates.NodeConnectionState(
            ConnectionState.CONNECTING, now, self._reconnect_backoff.backoff(0),
            self._connection_setup_timeout.backoff(0), host, self._host_resolver, self._log)
        self._connecting_nodes[id] = None

    def current_address(self, id: str) -> InetAddress:
        """Return the address to connect to; the resolver may block.

        Raises OSError if the host has no address, IllegalStateException for an unknown node.

        :origin: clients.ClusterConnectionStates#currentAddress(String)
        """
        return self._node_state(id)._current_address()

    def disconnected(self, id: str, now: int) -> None:
        """Enter DISCONNECTED. Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#disconnected(String, long)
        """
        node_state = self._node_state(id)
        node_state.last_connect_attempt_ms = now
        self._update_reconnect_backoff(node_state)
        if node_state.state is ConnectionState.CONNECTING:
            self._update_connection_setup_timeout(node_state)
            self._connecting_nodes.pop(id, None)
        else:
            self._reset_connection_setup_timeout(node_state)
            if node_state.state.is_connected():
                # The host had a working address and may have moved, so it is looked up again.
                node_state._clear_addresses()
        node_state.state = ConnectionState.DISCONNECTED

    def throttle(self, id: str, throttle_until_time_ms: int) -> None:
        """Set the time of day until which nothing is sent; an earlier time than the last one is ignored.

        :origin: clients.ClusterConnectionStates#throttle(String, long)
        """
        state = self._node_states.get(id)
        if state is not None and state.throttle_until_time_ms < throttle_until_time_ms:
            state.throttle_until_time_ms = throttle_until_time_ms

    def throttle_delay_ms(self, id: str, now: int) -> int:
        """Return the remaining milliseconds of throttling, 0 if the connection is not throttled.

        :origin: clients.ClusterConnectionStates#throttleDelayMs(String, long)
        """
        state = self._node_states.get(id)
        if state is not None and state.throttle_until_time_ms > now:
            return state.throttle_until_time_ms - now
        return 0

    def poll_delay_ms(self, id: str, now: int) -> int:
        """Return the rest of the throttling of a connection, or ``connection_delay`` if there is none.

        :origin: clients.ClusterConnectionStates#pollDelayMs(String, long)
        """
        throttle_delay_ms = self.throttle_delay_ms(id, now)
        if self.is_connected(id) and throttle_delay_ms > 0:
            return throttle_delay_ms
        return self.connection_delay(id, now)

    def checking_api_versions(self, id: str) -> None:
        """Enter CHECKING_API_VERSIONS. Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#checkingApiVersions(String)
        """
        node_state = self._node_state(id)
        node_state.state = ConnectionState.CHECKING_API_VERSIONS
        self._reset_connection_setup_timeout(node_state)
        self._connecting_nodes.pop(id, None)

    def ready(self, id: str) -> None:
        """Enter READY, and reset the failures. Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#ready(String)
        """
        node_state = self._node_state(id)
        node_state.state = ConnectionState.READY
        node_state.authentication_exception = None
        self._reset_reconnect_backoff(node_state)
        self._reset_connection_setup_timeout(node_state)
        self._connecting_nodes.pop(id, None)

    def authentication_failed(self, id: str, now: int, exception: AuthenticationException) -> None:
        """Enter AUTHENTICATION_FAILED. Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#authenticationFailed(String, long, AuthenticationException)
        """
        node_state = self._node_state(id)
        node_state.authentication_exception = exception
        node_state.state = ConnectionState.AUTHENTICATION_FAILED
        node_state.last_connect_attempt_ms = now
        self._update_reconnect_backoff(node_state)

    def is_ready(self, id: str, now: int) -> bool:
        """Return whether the connection is READY and not throttled.

        :origin: clients.ClusterConnectionStates#isReady(String, long)
        """
        return self._is_ready_state(self._node_states.get(id), now)

    def _is_ready_state(self, state: NodeConnectionState | None, now: int) -> bool:
        """:origin: clients.ClusterConnectionStates#isReady(NodeConnectionState, long)"""
        return (state is not None and state.state is ConnectionState.READY
                and state.throttle_until_time_ms <= now)

    def has_ready_nodes(self, now: int) -> bool:
        """Return whether any connection is READY and not throttled.

        :origin: clients.ClusterConnectionStates#hasReadyNodes(long)
        """
        for state in self._node_states.values():
            if self._is_ready_state(state, now):
                return True
        return False

    def is_connected(self, id: str) -> bool:
        """Return whether the connection is established.

        :origin: clients.ClusterConnectionStates#isConnected(String)
        """
        state = self._node_states.get(id)
        return state is not None and state.state.is_connected()

    def is_disconnected(self, id: str) -> bool:
        """Return whether the last connection or attempt has ended, and there is none now.

        :origin: clients.ClusterConnectionStates#isDisconnected(String)
        """
        state = self._node_states.get(id)
        return state is not None and state.state.is_disconnected()

    def authentication_exception(self, id: str) -> AuthenticationException | None:
        """Return the last error of authentication, or None.

        :origin: clients.ClusterConnectionStates#authenticationException(String)
        """
        state = self._node_states.get(id)
        return state.authentication_exception if state is not None else None

    def _reset_reconnect_backoff(self, node_state: NodeConnectionState) -> None:
        """:origin: clients.ClusterConnectionStates#resetReconnectBackoff(NodeConnectionState)"""
        node_state.failed_attempts = 0
        node_state.reconnect_backoff_ms = self._reconnect_backoff.backoff(0)

    def _reset_connection_setup_timeout(self, node_state: NodeConnectionState) -> None:
        """:origin: clients.ClusterConnectionStates#resetConnectionSetupTimeout(NodeConnectionState)"""
        node_state.failed_connect_attempts = 0
        node_state.connection_setup_timeout_ms = self._connection_setup_timeout.backoff(0)

    def _update_reconnect_backoff(self, node_state: NodeConnectionState) -> None:
        """Double the backoff of the last failure; the first failure gets the base.

        :origin: clients.ClusterConnectionStates#updateReconnectBackoff(NodeConnectionState)
        """
        node_state.reconnect_backoff_ms = self._reconnect_backoff.backoff(node_state.failed_attempts)
        node_state.failed_attempts += 1

    def _update_connection_setup_timeout(self, node_state: NodeConnectionState) -> None:
        """Double the timeout of the next setup; the second setup already has twice the base.

        :origin: clients.ClusterConnectionStates#updateConnectionSetupTimeout(NodeConnectionState)
        """
        node_state.failed_connect_attempts += 1
        node_state.connection_setup_timeout_ms = self._connection_setup_timeout.backoff(
            node_state.failed_connect_attempts)

    def remove(self, id: str) -> None:
        """Remove a node with its backoff.

        :origin: clients.ClusterConnectionStates#remove(String)
        """
        self._node_states.pop(id, None)
        self._connecting_nodes.pop(id, None)

    def connection_state(self, id: str) -> ConnectionState:
        """Return the state. Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#connectionState(String)
        """
        return self._node_state(id).state

    def _node_state(self, id: str) -> NodeConnectionState:
        """:origin: clients.ClusterConnectionStates#nodeState(String)"""
        state = self._node_states.get(id)
        if state is None:
            raise IllegalStateException(f"No entry found for connection {id}")
        return state

    def connecting_nodes(self) -> dict[str, None]:
        """Return the ids of the nodes in CONNECTING, as keys. For tests.

        :origin: clients.ClusterConnectionStates#connectingNodes()
        """
        return self._connecting_nodes

    def last_connect_attempt_ms(self, id: str) -> int:
        """Return the time at which the last attempt to connect began or ended, 0 if there was none.

        :origin: clients.ClusterConnectionStates#lastConnectAttemptMs(String)
        """
        node_state = self._node_states.get(id)
        return 0 if node_state is None else node_state.last_connect_attempt_ms

    def connection_setup_timeout_ms(self, id: str) -> int:
        """Return the timeout of the connection setup, in milliseconds.

        Raises IllegalStateException if the node is not known.

        :origin: clients.ClusterConnectionStates#connectionSetupTimeoutMs(String)
        """
        node_state = self._node_state(id)
        return node_state.connection_setup_timeout_ms

    def is_connection_setup_timeout(self, id: str, now: int) -> bool:
        """Return whether the connection setup has timed out.

        Raises IllegalStateException if no setup is under way.

        :origin: clients.ClusterConnectionStates#isConnectionSetupTimeout(String, long)
        """
        node_state = self._node_state(id)
        if node_state.state is not ConnectionState.CONNECTING:
            raise IllegalStateException(f"Node {id} is not in connecting state")
        return now - self.last_connect_attempt_ms(id) > self.connection_setup_timeout_ms(id)

    def nodes_with_connection_setup_timeout(self, now: int) -> list[str]:
        """Return the ids of the nodes whose connection setup has timed out.

        :origin: clients.ClusterConnectionStates#nodesWithConnectionSetupTimeout(long)
        """
        return [id for id in self._connecting_nodes if self.is_connection_setup_timeout(id, now)]

    class NodeConnectionState:
        """The state of the connection to one node.

        ClusterConnectionStates reads and writes the fields without ``_``.

        :origin: clients.ClusterConnectionStates.NodeConnectionState
        """

        __slots__ = ("_host", "_host_resolver", "_log", "state", "authentication_exception",
                     "last_connect_attempt_ms", "failed_attempts", "failed_connect_attempts",
                     "reconnect_backoff_ms", "connection_setup_timeout_ms", "throttle_until_time_ms",
                     "_addresses", "_address_index", "_last_attempted_address")

        def __init__(self, state: ConnectionState, last_connect_attempt_ms: int, reconnect_backoff_ms: int,
                     connection_setup_timeout_ms: int, host: str, host_resolver: HostResolver,
                     log: Logger) -> None:
            """Start without an address and without failures.

            :origin: clients.ClusterConnectionStates.NodeConnectionState#NodeConnectionState(
                ConnectionState, long, long, long, String, HostResolver, Logger)
            """
            self.state = state
            self._addresses: list[InetAddress] = []
            self._address_index = -1
            self.authentication_exception: AuthenticationException | None = None
            self.last_connect_attempt_ms = last_connect_attempt_ms
            self.failed_attempts = 0
            self.failed_connect_attempts = 0
            self.reconnect_backoff_ms = reconnect_backoff_ms
            self.connection_setup_timeout_ms = connection_setup_timeout_ms
            # The time of day before which nothing is sent.
            self.throttle_until_time_ms = 0
            self._last_attempted_address: InetAddress | None = None
            self._host = host
            self._host_resolver = host_resolver
            self._log = log

        def host(self) -> str:
            """Return the host.

            :origin: clients.ClusterConnectionStates.NodeConnectionState#host()
            """
            return self._host

        def _current_address(self) -> InetAddress:
            """Return the address to try, and look the host up if there is none. Raises OSError.

            :origin: clients.ClusterConnectionStates.NodeConnectionState#currentAddress()
            """
            if not self._addresses:
                self._resolve_addresses()

            current_address = self._addresses[self._address_index]
            self._last_attempted_address = current_address
            return current_address

        def _move_to_next_address(self) -> None:
            """Move to the next address; after the last one the host is looked up again.

            :origin: clients.ClusterConnectionStates.NodeConnectionState#moveToNextAddress()
            """
            if not self._addresses:
                return

            self._address_index = (self._address_index + 1) % len(self._addresses)
            if self._address_index == 0:
                self._clear_addresses()

        def _resolve_addresses(self) -> None:
            """:origin: clients.ClusterConnectionStates.NodeConnectionState#resolveAddresses()"""
            self._addresses = ClientUtils.resolve(self._host, self._host_resolver)
            if self._log.is_debug_enabled():
                self._log.debug("host %s has the addresses %s", self._host, self._addresses)
            self._address_index = 0

            # The last address may be the faulty one. If the host has other addresses, it is not tried twice
            # in a row.
            if len(self._addresses) > 1 and (
                    self._addresses[self._address_index] == self._last_attempted_address):
                self._address_index += 1

        def _clear_addresses(self) -> None:
            """Drop the addresses, so that the host is looked up again when needed.

            :origin: clients.ClusterConnectionStates.NodeConnectionState#clearAddresses()
            """
            self._addresses = []

        def __str__(self) -> str:
            """:origin: clients.ClusterConnectionStates.NodeConnectionState#toString()"""
            return (f"NodeConnectionState(state={self.state}, "
                    f"lastConnectAttemptMs={self.last_connect_attempt_ms}, "
                    f"failedAttempts={self.failed_attempts}, "
                    f"failedConnectAttempts={self.failed_connect_attempts}, "
                    f"throttleUntilTimeMs={self.throttle_until_time_ms})")
