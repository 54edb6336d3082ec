# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.KafkaChannelTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A channel by itself, and the mute automaton held against the table at the head of its module."""

from __future__ import annotations

import os
from typing import Callable
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.errors import (
    AuthenticationException,
    SaslAuthenticationException,
    SslAuthenticationException,
)
from kreactor.common.memory.memory_pool import MemoryPool
from kreactor.common.network import kafka_channel
from kreactor.common.network.authenticator import Authenticator
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.channel_metadata_registry import ChannelMetadataRegistry
from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.default_channel_metadata_registry import DefaultChannelMetadataRegistry
from kreactor.common.network.delayed_response_authentication_exception import (
    DelayedResponseAuthenticationException,
)
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.network_send import NetworkSend
from kreactor.common.network.transport_layer import TransportLayer
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_selector import SelectionKey
from tests.common.network.docstring_tables import table

MuteState, MuteEvent = KafkaChannel.ChannelMuteState, KafkaChannel.ChannelMuteEvent


def create_channel(transport: TransportLayer, pool: MemoryPool = MemoryPool.NONE, id: str = "0",
                   authenticator: Authenticator | None = None) -> KafkaChannel:
    authenticator = authenticator or Mock(spec=Authenticator)
    return KafkaChannel(id, transport, lambda: authenticator, 1024, pool, Mock(spec=ChannelMetadataRegistry))


def test_a_channel_has_its_id():
    assert create_channel(Mock(spec=TransportLayer), id="127.0.0.1:1-127.0.0.1:2-0").id() == (
        "127.0.0.1:1-127.0.0.1:2-0")


def test_sending():
    transport = Mock(spec=TransportLayer)
    transport.has_pending_writes.return_value = False
    channel = create_channel(transport)
    send = ByteBufferSend.size_prefixed(ByteBuffer.wrap(os.urandom(128)))
    network_send = NetworkSend("0", send)

    channel.set_send(network_send)
    assert channel.has_send()
    with pytest.raises(IllegalStateException):
        channel.set_send(network_send)

    transport.write_buffers.return_value = 4
    assert channel.write() == 4
    assert send.remaining() == 128
    assert channel.maybe_complete_send() is None

    transport.write_buffers.return_value = 64
    assert channel.write() == 64
    assert send.remaining() == 64
    assert channel.maybe_complete_send() is None

    assert channel.write() == 64
    assert send.remaining() == 0
    assert channel.maybe_complete_send() is network_send
    assert not channel.has_send() and channel.maybe_complete_send() is None and channel.write() == 0
    transport.add_interest_ops.assert_called_once_with(SelectionKey.OP_WRITE)
    transport.remove_interest_ops.assert_called_once_with(SelectionKey.OP_WRITE)


def reads(*parts: bytes) -> Callable[[ByteBuffer], int]:
    """Return a ``read`` that gives one part a call, as far as the buffer takes it, then nothing."""
    left = list(parts)

    def read(dst: ByteBuffer) -> int:
        if not left:
            return 0
        dst.put(left[0])
        return len(left.pop(0))

    return read


def test_receiving():
    pool = Mock(spec=MemoryPool)
    pool.try_allocate.side_effect = ByteBuffer.allocate
    transport = Mock(spec=TransportLayer)
    channel = create_channel(transport, pool)

    transport.read.side_effect = reads((128).to_bytes(4, "big"))
    assert channel.read() == 4
    assert channel.current_receive().bytes_read() == 4
    assert channel.maybe_complete_receive() is None
    pool.try_allocate.assert_called_once_with(128)

    transport.read.side_effect = reads(os.urandom(64))
    assert channel.read() == 64
    assert channel.current_receive().bytes_read() == 68
    assert channel.maybe_complete_receive() is None

    transport.read.side_effect = reads(os.urandom(64))
    assert channel.read() == 64
    assert channel.current_receive().bytes_read() == 132
    receive = channel.maybe_complete_receive()
    assert receive is not None and receive.payload().remaining() == 128
    assert channel.current_receive() is None


# The mute automaton.


EVENTS: dict[str, Callable[[KafkaChannel], object]] = {
    "mute()": KafkaChannel.mute,
    "maybe_unmute()": KafkaChannel.maybe_unmute,
    **{event.name: lambda channel, event=event: channel.handle_channel_mute_event(event)
       for event in MuteEvent},
}


def transitions() -> dict[tuple[str, str], str]:
    """Return the automaton as the docstring has it: what comes of an event in a state."""
    rows = table(kafka_channel.__doc__, "event")
    found = {(event, state): becomes for event, state, becomes in rows}
    assert len(found) == len(rows), "a row of the table contradicts another"
    return found


TRANSITIONS = transitions()


class InterestRecorder(Mock):
    """A transport layer whose key is watched for reads, or not."""

    def __init__(self) -> None:
        super().__init__(spec=TransportLayer)
        self.reading = True
        self.touched = 0
        self.add_interest_ops.side_effect = lambda ops: self._set(ops, True)
        self.remove_interest_ops.side_effect = lambda ops: self._set(ops, False)

    def _get_child_mock(self, /, **kwargs):
        return Mock(**kwargs)

    def _set(self, ops: int, on: bool) -> None:
        assert ops == SelectionKey.OP_READ and self.reading is not on
        self.reading = on
        self.touched += 1


def step(channel: KafkaChannel, event: str) -> None:
    """Take a step, and hold it against the table."""
    before = channel.mute_state().name
    expected = TRANSITIONS.get((event, before))
    if expected is None and event in MuteEvent.__members__:
        with pytest.raises(IllegalStateException, match=f"Cannot transition from {before} for {event}$"):
            EVENTS[event](channel)
    else:
        result = EVENTS[event](channel)
        if event == "maybe_unmute()":
            assert result is (channel.mute_state() is MuteState.NOT_MUTED)
    assert channel.mute_state().name == (expected or before)
    assert channel.is_muted() is (channel.mute_state() is not MuteState.NOT_MUTED)


def test_the_table_speaks_of_what_there_is():
    assert {event for event, _ in TRANSITIONS} == set(EVENTS)
    assert {state for _, state in TRANSITIONS} | set(TRANSITIONS.values()) == set(MuteState.__members__)


def test_every_state_can_be_reached_and_left_again():
    for start, forwards in (("NOT_MUTED", True), ("NOT_MUTED", False)):
        found, last = set(), {start}
        while last:
            found |= last
            last = {(after if forwards else before) for (_, before), after in TRANSITIONS.items()
                    if (before if forwards else after) in last} - found
        assert found == set(MuteState.__members__)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("state", MuteState, ids=lambda state: state.name)
def test_every_event_in_every_state(state, event):
    channel = create_channel(Mock(spec=TransportLayer))
    channel._mute_state = state
    step(channel, event)


@pytest.mark.parametrize("disconnected", [False, True])
@given(events=st.lists(st.sampled_from(sorted(EVENTS)), max_size=30))
def test_a_walk_through_the_automaton(disconnected, events):
    transport = InterestRecorder()
    channel = create_channel(transport)
    if disconnected:
        channel.disconnect()
    for event in events:
        step(channel, event)
        # Layer 1 follows layer 2, until there is nobody to read from any more.
        assert transport.reading is (disconnected or not channel.is_muted())
    assert not disconnected or not transport.touched


# The rest of a channel.


def test_a_channel_that_gets_no_memory_mutes_itself():
    pool = Mock(spec=MemoryPool)
    pool.try_allocate.return_value = None
    transport = Mock(spec=TransportLayer)
    channel = create_channel(transport, pool)
    assert not channel.is_in_mutable_state()  # nothing says how much it will want

    transport.read.side_effect = reads((5).to_bytes(4, "big"))
    assert channel.read() == 4
    assert channel.mute_state() is MuteState.MUTED
    transport.remove_interest_ops.assert_called_once_with(SelectionKey.OP_READ)
    assert channel.is_in_mutable_state()

    pool.try_allocate.return_value = ByteBuffer.allocate(5)
    assert channel.maybe_unmute()
    transport.read.side_effect = reads(b"hello")
    assert channel.read() == 5
    assert not channel.is_in_mutable_state() and not channel.is_muted()
    assert channel.maybe_complete_receive().payload().to_bytes() == b"hello"


def test_a_channel_in_a_handshake_does_not_wait_for_memory():
    pool = Mock(spec=MemoryPool)
    pool.try_allocate.return_value = None
    transport = Mock(spec=TransportLayer)
    transport.ready.return_value = False
    transport.read.side_effect = reads((5).to_bytes(4, "big"))
    channel = create_channel(transport, pool)
    assert channel.read() == 4
    assert not channel.is_muted() and not channel.is_in_mutable_state()


def test_close_closes_every_part_in_order_and_raises_the_first_error():
    pool = Mock(spec=MemoryPool)
    pool.try_allocate.side_effect = ByteBuffer.allocate
    transport, authenticator = Mock(spec=TransportLayer), Mock(spec=Authenticator)
    transport.read.side_effect = reads((5).to_bytes(4, "big"))
    channel = create_channel(transport, pool, authenticator=authenticator)
    channel.read()
    parts = Mock()
    for name, close in (("transport", transport.close), ("authenticator", authenticator.close),
                        ("receive", pool.release),
                        ("registry", channel.channel_metadata_registry().close)):
        close.side_effect = OSError(name)
        parts.attach_mock(close, name)
    with pytest.raises(OSError, match="transport"):
        channel.close()
    assert [name for name, _, _ in parts.mock_calls] == ["transport", "authenticator", "receive", "registry"]


def test_a_disconnect_before_the_connection_keeps_the_address():
    transport = Mock(spec=TransportLayer)
    transport.finish_connect.return_value = False
    transport.socket_channel().get_remote_address.return_value = "localhost/127.0.0.1:1"
    channel = create_channel(transport)
    assert not channel.finish_connect()
    assert channel.state() is ChannelState.NOT_CONNECTED
    channel.disconnect()
    assert channel.state().state() is ChannelState.State.NOT_CONNECTED
    assert channel.state().remote_address() == "localhost/127.0.0.1:1"
    transport.disconnect.assert_called_once_with()


def test_a_failed_authentication_keeps_the_address():
    transport, authenticator = Mock(spec=TransportLayer), Mock(spec=Authenticator)
    transport.socket_channel().get_remote_address.return_value = "localhost/127.0.0.1:1"
    authenticator.complete.return_value = False
    authenticator.authenticate.side_effect = failure = SaslAuthenticationException("no")
    channel = create_channel(transport, authenticator=authenticator)
    assert channel.finish_connect()
    with pytest.raises(DelayedResponseAuthenticationException):
        channel.prepare()
    assert channel.state().state() is ChannelState.State.AUTHENTICATION_FAILED
    assert channel.state().exception() is failure
    assert channel.state().remote_address() == "localhost/127.0.0.1:1"


def test_a_disconnect_of_a_ready_channel_keeps_its_state():
    channel = create_channel(Mock(spec=TransportLayer))
    channel.state_to(ChannelState.READY)
    channel.disconnect()
    assert channel.state() is ChannelState.READY


def test_an_alert_during_a_read_is_a_failed_authentication():
    transport = Mock(spec=TransportLayer)
    alert = SslAuthenticationException("certificate required")
    transport.read.side_effect = alert
    channel = create_channel(transport)
    with pytest.raises(SslAuthenticationException):
        channel.read()
    assert channel.state().state() is ChannelState.State.AUTHENTICATION_FAILED
    assert channel.state().exception() is alert


def test_network_thread_time_adds_up_until_it_is_asked_for():
    channel = create_channel(Mock(spec=TransportLayer))
    channel.add_network_thread_time_nanos(3)
    channel.add_network_thread_time_nanos(4)
    assert channel.get_and_reset_network_thread_time_nanos() == 7
    assert channel.get_and_reset_network_thread_time_nanos() == 0


def test_channels_are_equal_by_id():
    a, same, other = (create_channel(Mock(spec=TransportLayer), id=id) for id in ("a", "a", "b"))
    assert a == a and a == same and hash(a) == hash(same) and a != other and a != "a"
    assert len({a, same, other}) == 2
    assert str(a).endswith("id=a")


# Authentication.


def test_a_channel_becomes_ready_when_it_is_authenticated():
    transport, authenticator = Mock(spec=TransportLayer), Mock(spec=Authenticator)
    transport.ready.return_value = authenticator.complete.return_value = False
    transport.socket_channel().get_remote_address.return_value = "localhost/127.0.0.1:1"
    channel = create_channel(transport, authenticator=authenticator)
    assert channel.finish_connect()
    assert channel.state().state() is ChannelState.State.AUTHENTICATE
    assert channel.state().remote_address() == "localhost/127.0.0.1:1"

    channel.prepare()  # the handshake is not done
    transport.handshake.assert_called_once_with()
    authenticator.authenticate.assert_not_called()

    transport.ready.return_value = True
    channel.prepare()  # the authentication is not
    authenticator.authenticate.assert_called_once_with()
    assert not channel.ready() and channel.successful_authentications() == 0
    assert channel.state().state() is ChannelState.State.AUTHENTICATE

    def complete() -> None:
        authenticator.complete.return_value = True

    authenticator.authenticate.side_effect = complete
    channel.prepare()
    assert channel.ready() and channel.successful_authentications() == 1
    assert channel.state() is ChannelState.READY
    transport.handshake.assert_called_once_with()


def test_a_connection_that_needs_no_authentication_is_ready_at_once():
    transport = Mock(spec=TransportLayer)
    channel = create_channel(transport)
    assert channel.finish_connect() and channel.state() is ChannelState.READY


def test_a_failed_handshake_is_raised_as_it_is():
    transport = Mock(spec=TransportLayer)
    transport.ready.return_value = False
    transport.handshake.side_effect = failure = SslAuthenticationException("bad certificate")
    channel = create_channel(transport)
    with pytest.raises(SslAuthenticationException):
        channel.prepare()
    assert channel.state().state() is ChannelState.State.AUTHENTICATION_FAILED
    assert channel.state().exception() is failure
    transport.remove_interest_ops.assert_not_called()


def test_after_a_failed_authentication_nothing_is_written_until_the_answer():
    transport, authenticator = Mock(spec=TransportLayer), Mock(spec=Authenticator)
    authenticator.complete.return_value = False
    authenticator.authenticate.side_effect = failure = AuthenticationException("wrong password")
    channel = create_channel(transport, authenticator=authenticator)
    with pytest.raises(DelayedResponseAuthenticationException) as raised:
        channel.prepare()
    assert raised.value.__cause__ is failure and channel.state().exception() is failure
    assert channel.state().state() is ChannelState.State.AUTHENTICATION_FAILED
    transport.remove_interest_ops.assert_called_once_with(SelectionKey.OP_WRITE)

    channel.complete_close_on_authentication_failure()
    transport.add_interest_ops.assert_called_once_with(SelectionKey.OP_WRITE)
    authenticator.handle_authentication_failure.assert_called_once_with()


# Re-authentication.

SECOND = 1_000_000_000


class Reauthenticating(Mock):
    """An authenticator whose session ends, or is to be renewed, at second 10."""

    def __init__(self, **kwargs) -> None:
        super().__init__(spec=Authenticator)
        self.complete.return_value = True
        self.server_session_expiration_time_nanos.return_value = kwargs.get("server")
        self.client_session_reauthentication_time_nanos.return_value = kwargs.get("client")

    def _get_child_mock(self, /, **kwargs):
        return Mock(**kwargs)


def channel_of(*authenticators: Authenticator) -> KafkaChannel:
    """Return a channel that takes these in turn."""
    created = iter(authenticators)
    return KafkaChannel("0", Mock(spec=TransportLayer), lambda: next(created), 1024, MemoryPool.NONE,
                        DefaultChannelMetadataRegistry())


def test_a_server_begins_to_reauthenticate_at_most_once_a_second():
    first, second, third = (Reauthenticating(server=10 * SECOND) for _ in range(3))
    channel = channel_of(first, second, third)
    handshake = NetworkReceive()
    assert channel.maybe_begin_server_reauthentication(handshake, lambda: 5 * SECOND)
    [context] = second.reauthenticate.call_args.args
    assert context.previous_authenticator() is first
    assert context.network_receive() is handshake
    assert context.reauthentication_begin_nanos() == 5 * SECOND
    assert not channel.maybe_begin_server_reauthentication(handshake, lambda: 6 * SECOND - 1)
    assert channel.maybe_begin_server_reauthentication(handshake, lambda: 6 * SECOND)
    third.reauthenticate.assert_called_once()


def test_a_server_whose_sessions_do_not_end_does_not_reauthenticate():
    channel = channel_of(Reauthenticating())
    assert not channel.maybe_begin_server_reauthentication(NetworkReceive(), pytest.fail)
    assert not channel.server_authentication_session_expired(10 * SECOND)


def test_a_session_is_over_after_its_last_nanosecond():
    channel = channel_of(Reauthenticating(server=10 * SECOND))
    assert not channel.server_authentication_session_expired(10 * SECOND)
    assert channel.server_authentication_session_expired(10 * SECOND + 1)


def test_a_client_begins_to_reauthenticate_when_it_is_time():
    first, second = Reauthenticating(client=10 * SECOND), Reauthenticating()
    channel = channel_of(first, second)
    channel._receive = begun = NetworkReceive()
    assert not channel.maybe_begin_client_reauthentication(lambda: 10 * SECOND - 1)
    assert channel.maybe_begin_client_reauthentication(lambda: 10 * SECOND)
    [context] = second.reauthenticate.call_args.args
    assert context.previous_authenticator() is first and context.network_receive() is begun
    assert channel.current_receive() is None  # it is the authenticator's to finish
    assert not channel.maybe_begin_client_reauthentication(pytest.fail)


def test_a_client_does_not_reauthenticate_while_muted_or_in_the_middle_of_a_write():
    channel = channel_of(Reauthenticating(client=0), Reauthenticating())
    channel._transport_layer.write.return_value = 1
    channel._transport_layer.has_pending_writes.return_value = False
    channel.mute()
    assert not channel.maybe_begin_client_reauthentication(lambda: 1)
    channel.maybe_unmute()
    channel.set_send(NetworkSend("0", ByteBufferSend(ByteBuffer.allocate(2))))
    channel.write()
    assert not channel.maybe_begin_client_reauthentication(lambda: 1)
    channel.write()
    channel.maybe_complete_send()
    assert channel.maybe_begin_client_reauthentication(lambda: 1)


@pytest.mark.parametrize("begin", [
    lambda channel: channel.maybe_begin_server_reauthentication(NetworkReceive(), pytest.fail),
    lambda channel: channel.maybe_begin_client_reauthentication(pytest.fail),
])
def test_a_channel_that_is_not_ready_cannot_reauthenticate(begin):
    authenticator = Reauthenticating(server=1, client=1)
    authenticator.complete.return_value = False
    with pytest.raises(IllegalStateException, match='"ready"'):
        begin(channel_of(authenticator))


def test_a_channel_that_has_no_address_yet_authenticates_all_the_same():
    """The transport layer has no socket, or the socket has no peer."""
    for socket_channel in (None, Mock(**{"get_remote_address.return_value": None})):
        transport = Mock(spec=TransportLayer)
        transport.socket_channel.return_value = socket_channel
        transport.finish_connect.return_value = True
        transport.ready.return_value = False
        channel = create_channel(transport)
        assert channel.finish_connect()
        assert channel.state() is ChannelState.AUTHENTICATE and channel.state().remote_address() is None


def test_a_channel_without_a_peer_is_described_by_its_own_address():
    transport = Mock(spec=TransportLayer)
    socket = transport.socket_channel().socket()
    socket.get_inet_address.return_value = None
    socket.get_local_address.return_value = "0.0.0.0/0.0.0.0"
    assert create_channel(transport).socket_description() == "0.0.0.0/0.0.0.0"
