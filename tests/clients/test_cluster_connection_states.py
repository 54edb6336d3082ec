# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.ClusterConnectionStatesTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""How connections to nodes come and go, how long each attempt waits, and which address it takes."""

from __future__ import annotations

import math

import pytest

from kreactor.clients.client_utils import ClientUtils
from kreactor.clients.cluster_connection_states import ClusterConnectionStates
from kreactor.clients.connection_state import ConnectionState
from kreactor.clients.default_host_resolver import DefaultHostResolver
from kreactor.clients.host_resolver import HostResolver
from kreactor.common.errors import AuthenticationException
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetAddress
from kreactor.testing.mock_time import MockTime
from tests.clients.address_change_host_resolver import AddressChangeHostResolver

INITIAL_ADDRESSES = [InetAddress.get_by_name(f"10.200.20.{last}") for last in (100, 101, 102)]
NEW_ADDRESSES = [InetAddress.get_by_name(f"10.200.20.{last}") for last in (103, 104, 105)]
RECONNECT_BACKOFF_MS = 10 * 1000
RECONNECT_BACKOFF_MAX = 60 * 1000
CONNECTION_SETUP_TIMEOUT_MS = 10 * 1000
CONNECTION_SETUP_TIMEOUT_MAX_MS = 127 * 1000
RECONNECT_BACKOFF_EXP_BASE = ClusterConnectionStates.RECONNECT_BACKOFF_EXP_BASE
RECONNECT_BACKOFF_JITTER = ClusterConnectionStates.RECONNECT_BACKOFF_JITTER
CONNECTION_SETUP_TIMEOUT_EXP_BASE = ClusterConnectionStates.CONNECTION_SETUP_TIMEOUT_EXP_BASE
CONNECTION_SETUP_TIMEOUT_JITTER = ClusterConnectionStates.CONNECTION_SETUP_TIMEOUT_JITTER
NODE_ID_1 = "1001"
NODE_ID_2 = "2002"
NODE_ID_3 = "3003"
HOST_TWO_IPS = "multiple.ip.address"


def states_with(host_resolver: HostResolver) -> ClusterConnectionStates:
    return ClusterConnectionStates(
        RECONNECT_BACKOFF_MS, RECONNECT_BACKOFF_MAX, CONNECTION_SETUP_TIMEOUT_MS,
        CONNECTION_SETUP_TIMEOUT_MAX_MS, LogContext(), host_resolver)


@pytest.fixture
def time():
    return MockTime()


@pytest.fixture
def connection_states():
    return states_with(DefaultHostResolver())


@pytest.fixture
def multiple_ip_host_resolver():
    return AddressChangeHostResolver(INITIAL_ADDRESSES, NEW_ADDRESSES)


def test_cluster_connection_state_changes(time, connection_states):
    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())
    assert connection_states.connection_delay(NODE_ID_1, time.milliseconds()) == 0

    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.connection_state(NODE_ID_1) is ConnectionState.CONNECTING
    assert connection_states.is_connecting(NODE_ID_1)
    assert not connection_states.is_ready(NODE_ID_1, time.milliseconds())
    assert not connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    assert not connection_states.has_ready_nodes(time.milliseconds())
    connection_delay = connection_states.connection_delay(NODE_ID_1, time.milliseconds())
    assert connection_delay == pytest.approx(
        CONNECTION_SETUP_TIMEOUT_MS, abs=CONNECTION_SETUP_TIMEOUT_MS * CONNECTION_SETUP_TIMEOUT_JITTER)

    time.sleep(100)

    connection_states.ready(NODE_ID_1)
    assert connection_states.connection_state(NODE_ID_1) is ConnectionState.READY
    assert connection_states.is_ready(NODE_ID_1, time.milliseconds())
    assert connection_states.has_ready_nodes(time.milliseconds())
    assert not connection_states.is_connecting(NODE_ID_1)
    assert not connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    assert connection_states.connection_delay(NODE_ID_1, time.milliseconds()) == (1 << 63) - 1

    time.sleep(15000)

    connection_states.disconnected(NODE_ID_1, time.milliseconds())
    assert connection_states.connection_state(NODE_ID_1) is ConnectionState.DISCONNECTED
    assert connection_states.is_disconnected(NODE_ID_1)
    assert connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    assert not connection_states.is_connecting(NODE_ID_1)
    assert not connection_states.has_ready_nodes(time.milliseconds())
    assert not connection_states.can_connect(NODE_ID_1, time.milliseconds())

    # The first backoff is the setting, give or take the jitter.
    current_backoff = connection_states.connection_delay(NODE_ID_1, time.milliseconds())
    assert current_backoff == pytest.approx(
        RECONNECT_BACKOFF_MS, abs=RECONNECT_BACKOFF_MS * RECONNECT_BACKOFF_JITTER)

    time.sleep(current_backoff + 1)
    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())


def test_multiple_node_connection_states(time, connection_states):
    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())
    assert connection_states.can_connect(NODE_ID_2, time.milliseconds())
    assert not connection_states.has_ready_nodes(time.milliseconds())

    connection_states.connecting(NODE_ID_2, time.milliseconds(), "localhost")
    assert not connection_states.has_ready_nodes(time.milliseconds())
    time.sleep(1000)
    connection_states.ready(NODE_ID_2)
    assert connection_states.has_ready_nodes(time.milliseconds())

    # The second node stays ready while the first one connects.
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.has_ready_nodes(time.milliseconds())
    time.sleep(1000)
    connection_states.ready(NODE_ID_1)
    assert connection_states.has_ready_nodes(time.milliseconds())

    time.sleep(12000)

    connection_states.disconnected(NODE_ID_2, time.milliseconds())
    assert connection_states.has_ready_nodes(time.milliseconds())
    assert connection_states.is_blacked_out(NODE_ID_2, time.milliseconds())
    assert not connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    time.sleep(connection_states.connection_delay(NODE_ID_2, time.milliseconds()))
    # When the first node goes, the backoff of the second is over.
    connection_states.disconnected(NODE_ID_1, time.milliseconds() + 1)
    assert connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    assert not connection_states.is_blacked_out(NODE_ID_2, time.milliseconds())
    assert not connection_states.has_ready_nodes(time.milliseconds())


def test_authorization_failed(time, connection_states):
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")

    time.sleep(100)

    connection_states.authentication_failed(
        NODE_ID_1, time.milliseconds(), AuthenticationException("No path to CA for certificate!"))
    time.sleep(1000)
    assert connection_states.connection_state(NODE_ID_1) is ConnectionState.AUTHENTICATION_FAILED
    assert connection_states.authentication_exception(NODE_ID_1) is not None
    assert not connection_states.has_ready_nodes(time.milliseconds())
    assert not connection_states.can_connect(NODE_ID_1, time.milliseconds())

    time.sleep(connection_states.connection_delay(NODE_ID_1, time.milliseconds()) + 1)

    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())
    connection_states.ready(NODE_ID_1)
    assert connection_states.authentication_exception(NODE_ID_1) is None


def test_remove_node(time, connection_states):
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    time.sleep(1000)
    connection_states.ready(NODE_ID_1)
    time.sleep(10000)

    connection_states.disconnected(NODE_ID_1, time.milliseconds())
    # It waits now; once it is removed it does not.
    connection_states.remove(NODE_ID_1)
    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())
    assert not connection_states.is_blacked_out(NODE_ID_1, time.milliseconds())
    assert connection_states.connection_delay(NODE_ID_1, time.milliseconds()) == 0


def test_max_reconnect_backoff(time, connection_states):
    effective_max_reconnect_backoff = round(RECONNECT_BACKOFF_MAX * (1 + RECONNECT_BACKOFF_JITTER))
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    time.sleep(1000)
    connection_states.disconnected(NODE_ID_1, time.milliseconds())

    for _ in range(100):
        reconnect_backoff = connection_states.connection_delay(NODE_ID_1, time.milliseconds())
        assert reconnect_backoff <= effective_max_reconnect_backoff
        assert not connection_states.can_connect(NODE_ID_1, time.milliseconds())
        time.sleep(reconnect_backoff + 1)
        assert connection_states.can_connect(NODE_ID_1, time.milliseconds())
        connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
        time.sleep(10)
        connection_states.disconnected(NODE_ID_1, time.milliseconds())


def test_exponential_reconnect_backoff(time, connection_states):
    assert_exponential_reconnect_backoff(time, connection_states, False)
    assert_exponential_reconnect_backoff(time, connection_states, True)


def test_throttled(time, connection_states):
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    time.sleep(1000)
    connection_states.ready(NODE_ID_1)
    time.sleep(10000)

    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 0

    connection_states.throttle(NODE_ID_1, time.milliseconds() + 100)
    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 100
    assert not connection_states.is_ready(NODE_ID_1, time.milliseconds())

    # An earlier end does not shorten it.
    connection_states.throttle(NODE_ID_1, time.milliseconds() + 10)
    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 100

    time.sleep(50)
    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 50
    assert connection_states.poll_delay_ms(NODE_ID_1, time.milliseconds()) == 50

    time.sleep(50)
    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 0
    assert connection_states.poll_delay_ms(NODE_ID_1, time.milliseconds()) == (
        connection_states.connection_delay(NODE_ID_1, time.milliseconds()))


def test_single_ip(time):
    localhost_ips = [InetAddress.get_by_name("127.0.0.1")]

    class SingleIpHostResolver(HostResolver):
        def resolve(self, host: str) -> list[InetAddress]:
            assert host == "localhost"
            return localhost_ips

    connection_states = states_with(SingleIpHostResolver())
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    curr_address = connection_states.current_address(NODE_ID_1)
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.current_address(NODE_ID_1) is curr_address


def test_multiple_ips(time, multiple_ip_host_resolver):
    connection_states = states_with(multiple_ip_host_resolver)
    assert len(ClientUtils.resolve(HOST_TWO_IPS, multiple_ip_host_resolver)) > 1

    addresses = []
    for _ in range(3):
        connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
        addresses.append(connection_states.current_address(NODE_ID_1))
    assert addresses == INITIAL_ADDRESSES
    assert multiple_ip_host_resolver.resolution_count() == 2

    # All were tried: the host is looked up again, and the one that was last is not first.
    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    assert connection_states.current_address(NODE_ID_1) == INITIAL_ADDRESSES[0]
    assert multiple_ip_host_resolver.resolution_count() == 3


def test_host_resolve_change(time, multiple_ip_host_resolver):
    connection_states = states_with(multiple_ip_host_resolver)
    assert len(ClientUtils.resolve(HOST_TWO_IPS, multiple_ip_host_resolver)) > 1

    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    addr1 = connection_states.current_address(NODE_ID_1)

    multiple_ip_host_resolver.change_addresses()
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    addr2 = connection_states.current_address(NODE_ID_1)

    assert addr1 != addr2


def test_node_with_new_hostname(time, multiple_ip_host_resolver):
    connection_states = states_with(multiple_ip_host_resolver)
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    addr1 = connection_states.current_address(NODE_ID_1)

    multiple_ip_host_resolver.change_addresses()
    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    addr2 = connection_states.current_address(NODE_ID_1)

    assert addr1 != addr2


def test_is_preparing_connection(time, connection_states):
    assert not connection_states.is_preparing_connection(NODE_ID_1)
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.is_preparing_connection(NODE_ID_1)
    connection_states.checking_api_versions(NODE_ID_1)
    assert connection_states.is_preparing_connection(NODE_ID_1)
    connection_states.disconnected(NODE_ID_1, time.milliseconds())
    assert not connection_states.is_preparing_connection(NODE_ID_1)


def test_exponential_connection_setup_timeout(time, connection_states):
    assert connection_states.can_connect(NODE_ID_1, time.milliseconds())

    growths = (math.log(CONNECTION_SETUP_TIMEOUT_MAX_MS / CONNECTION_SETUP_TIMEOUT_MS)
               / math.log(CONNECTION_SETUP_TIMEOUT_EXP_BASE))
    for n in range(int(growths) + 1):
        connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
        assert NODE_ID_1 in connection_states.connecting_nodes()
        expected = CONNECTION_SETUP_TIMEOUT_MS * CONNECTION_SETUP_TIMEOUT_EXP_BASE ** n
        assert connection_states.connection_setup_timeout_ms(NODE_ID_1) == pytest.approx(
            expected, abs=expected * CONNECTION_SETUP_TIMEOUT_JITTER)
        connection_states.disconnected(NODE_ID_1, time.milliseconds())
        assert NODE_ID_1 not in connection_states.connecting_nodes()

    # It does not grow above its maximum.
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.connection_setup_timeout_ms(NODE_ID_1) == pytest.approx(
        CONNECTION_SETUP_TIMEOUT_MAX_MS,
        abs=CONNECTION_SETUP_TIMEOUT_MAX_MS * CONNECTION_SETUP_TIMEOUT_JITTER)
    assert NODE_ID_1 in connection_states.connecting_nodes()

    # A connection that is made begins it anew.
    connection_states.ready(NODE_ID_1)
    first = pytest.approx(CONNECTION_SETUP_TIMEOUT_MS,
                          abs=CONNECTION_SETUP_TIMEOUT_MS * CONNECTION_SETUP_TIMEOUT_JITTER)
    assert connection_states.connection_setup_timeout_ms(NODE_ID_1) == first
    assert NODE_ID_1 not in connection_states.connecting_nodes()
    connection_states.disconnected(NODE_ID_1, time.milliseconds())

    # The end of a connection that was made is no failed setup.
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert connection_states.connection_setup_timeout_ms(NODE_ID_1) == first
    assert NODE_ID_1 in connection_states.connecting_nodes()


def test_timed_out_connections(time, connection_states):
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    connection_states.connecting(NODE_ID_2, time.milliseconds(), "localhost")

    assert connection_states.nodes_with_connection_setup_timeout(time.milliseconds()) == []

    time.sleep(CONNECTION_SETUP_TIMEOUT_MS // 2)

    connection_states.connecting(NODE_ID_3, time.milliseconds(), "localhost")

    # The first two are late, whatever the jitter; the third is not.
    half_and_jitter = int(CONNECTION_SETUP_TIMEOUT_MS / 2
                          + CONNECTION_SETUP_TIMEOUT_MS * CONNECTION_SETUP_TIMEOUT_JITTER)
    time.sleep(half_and_jitter)

    timed_out_connections = connection_states.nodes_with_connection_setup_timeout(time.milliseconds())
    assert timed_out_connections == [NODE_ID_1, NODE_ID_2]

    connection_states.disconnected(NODE_ID_1, time.milliseconds())
    connection_states.disconnected(NODE_ID_2, time.milliseconds())

    time.sleep(half_and_jitter)

    timed_out_connections = connection_states.nodes_with_connection_setup_timeout(time.milliseconds())
    assert timed_out_connections == [NODE_ID_3]

    connection_states.disconnected(NODE_ID_3, time.milliseconds())

    assert connection_states.nodes_with_connection_setup_timeout(time.milliseconds()) == []


def test_skip_last_attempted_ip(time, multiple_ip_host_resolver):
    connection_states = states_with(multiple_ip_host_resolver)
    assert len(ClientUtils.resolve(HOST_TWO_IPS, multiple_ip_host_resolver)) > 1

    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    addr1 = connection_states.current_address(NODE_ID_1)

    # The host is looked up again after this, and the same address is first.
    connection_states.disconnected(NODE_ID_1, time.milliseconds())

    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    addr2 = connection_states.current_address(NODE_ID_1)
    assert addr1 != addr2


def test_a_lost_connection_looks_its_host_up_again_and_skips_the_address_it_had(
        time, multiple_ip_host_resolver):
    connection_states = states_with(multiple_ip_host_resolver)
    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    assert connection_states.current_address(NODE_ID_1) == INITIAL_ADDRESSES[0]
    connection_states.ready(NODE_ID_1)
    connection_states.disconnected(NODE_ID_1, time.milliseconds())
    connection_states.connecting(NODE_ID_1, time.milliseconds(), HOST_TWO_IPS)
    assert connection_states.current_address(NODE_ID_1) == INITIAL_ADDRESSES[1]
    assert multiple_ip_host_resolver.resolution_count() == 2


def test_a_node_that_is_not_known_has_no_state(time, connection_states):
    for ask in (connection_states.ready, connection_states.connection_state,
                connection_states.current_address, connection_states.checking_api_versions,
                connection_states.connection_setup_timeout_ms):
        with pytest.raises(IllegalStateException, match="No entry found for connection 1001"):
            ask(NODE_ID_1)
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    connection_states.ready(NODE_ID_1)
    with pytest.raises(IllegalStateException, match="Node 1001 is not in connecting state"):
        connection_states.is_connection_setup_timeout(NODE_ID_1, time.milliseconds())


def test_a_node_is_in_one_state(time, connection_states):
    def answers():
        return [ask(NODE_ID_1) for ask in (
            connection_states.is_connecting, connection_states.is_preparing_connection,
            connection_states.is_connected, connection_states.is_disconnected)]

    assert answers() == [False, False, False, False]
    assert not connection_states.is_ready(NODE_ID_1, time.milliseconds())
    assert connection_states.last_connect_attempt_ms(NODE_ID_1) == 0
    connection_states.throttle(NODE_ID_1, time.milliseconds() + 1)
    assert connection_states.throttle_delay_ms(NODE_ID_1, time.milliseconds()) == 0
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    assert answers() == [True, True, False, False]
    connection_states.checking_api_versions(NODE_ID_1)
    assert answers() == [False, True, True, False]
    connection_states.ready(NODE_ID_1)
    assert answers() == [False, False, True, False]
    connection_states.authentication_failed(NODE_ID_1, time.milliseconds(), AuthenticationException("no"))
    assert answers() == [False, False, False, True]
    assert connection_states.last_connect_attempt_ms(NODE_ID_1) == time.milliseconds()


def test_each_failed_authentication_doubles_the_backoff(time, connection_states):
    connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
    for expected in (RECONNECT_BACKOFF_MS, 2 * RECONNECT_BACKOFF_MS, 4 * RECONNECT_BACKOFF_MS):
        connection_states.authentication_failed(
            NODE_ID_1, time.milliseconds(), AuthenticationException("no"))
        assert connection_states.connection_delay(NODE_ID_1, time.milliseconds()) == pytest.approx(
            expected, abs=RECONNECT_BACKOFF_JITTER * expected)


def assert_exponential_reconnect_backoff(time, connection_states, enter_checking_api_version_state):
    reconnect_backoff_max_exp = (math.log(RECONNECT_BACKOFF_MAX / max(RECONNECT_BACKOFF_MS, 1))
                                 / math.log(RECONNECT_BACKOFF_EXP_BASE))

    connection_states.remove(NODE_ID_1)
    for i in range(10):
        connection_states.connecting(NODE_ID_1, time.milliseconds(), "localhost")
        if enter_checking_api_version_state:
            connection_states.checking_api_versions(NODE_ID_1)

        connection_states.disconnected(NODE_ID_1, time.milliseconds())
        expected_backoff = round(
            RECONNECT_BACKOFF_EXP_BASE ** min(i, reconnect_backoff_max_exp) * RECONNECT_BACKOFF_MS)
        current_backoff = connection_states.connection_delay(NODE_ID_1, time.milliseconds())
        assert current_backoff == pytest.approx(
            expected_backoff, abs=RECONNECT_BACKOFF_JITTER * expected_backoff)
        time.sleep(connection_states.connection_delay(NODE_ID_1, time.milliseconds()) + 1)
