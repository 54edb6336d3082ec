# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector, its peers on plain sockets, and anything that may happen between them.

The model knows what each peer has put on the wire and what it was sent, whom the caller muted, and why a
channel may end. It says what may be seen of that after each poll; when it must be seen is the kernel's to
decide, and is asked for at the end only, when everything is let go and polled until it is quiet.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kreactor.common.network.channel_state import ChannelState
from kreactor.common.network.kafka_channel import KafkaChannel
from kreactor.common.network.network_receive import NetworkReceive
from kreactor.common.network.selector import Selector
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_channels import ServerSocketChannel
from kreactor.testing.mock_time import MockTime
from tests import longer
from tests.common.network.network_test_utils import (
    CONNECTION_MAX_IDLE_MS,
    create_selector,
    create_send,
    framed,
    reset,
    wait_for_condition,
)
from tests.common.network.peers import CountingPool, PeerChannelBuilder, TokenAuthenticator
from tests.common.network.selector_invariants import invariants
from tests.common.network.test_kafka_channel import TRANSITIONS
from tests.common.network.test_selector import ImmediatelyConnectingSelector

MuteEvent, State = KafkaChannel.ChannelMuteEvent, ChannelState.State

MAX_MESSAGE = 64
POOL_SIZE = 64
AUTHENTICATION_DELAY_MS = 100
MS = 1_000_000
SMALL_BUFFER = 4096
MAX_PEERS = 4

pick = st.integers(0, 99)
sizes_of_messages = st.lists(st.sampled_from([0, 1, 2, 10, MAX_MESSAGE, MAX_MESSAGE]), min_size=1, max_size=5)


@dataclass(eq=False)
class Peer:
    """One end of a connection, and what the model knows of the other."""

    id: str
    sock: socket.socket
    status: str  # connecting, open, closing, closed
    last_active: int
    wants_token: bool = False
    token: bytes | None = None
    failed_at: int | None = None       # when the refused authentication was noticed, ns
    outbox: bytes = b""                # not yet on the wire
    messages: list[bytes] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # of the messages, within all that is written
    written: int = 0
    on_wire: int = 0
    delivered: int = 0
    poison_at: int | None = None       # the end of a size that cannot be
    mute_state: str = "NOT_MUTED"      # what the caller wants; lack of memory is not in it
    muted: bool = False
    muted_before_connected: bool = False
    sending: bytes | None = None
    to_peer: bytes = b""
    sent: int = 0                      # the bytes of the completed sends
    received: bytes = b""
    left: str | None = None            # fin, close, reset: how the peer went
    send_failed: str | None = None     # to a channel that was closing, or that is closed by now
    lossy: bool = False                # messages may be lost
    reported: bool = False

    def write(self, data: bytes) -> None:
        self.outbox += data
        self.written += len(data)

    def mute_event(self, event: str) -> None:
        self.mute_state = TRANSITIONS.get((event, self.mute_state), self.mute_state)

    def may_write(self) -> bool:
        return (not self.left and self.poison_at is None and self.failed_at is None
                and (not self.wants_token or self.token == b"+"))

    def authenticated(self) -> bool:
        """Return whether all is on the wire that it takes to be let in."""
        return not self.wants_token or self.token == b"+" and self.on_wire > 0

    def arrived(self) -> int:
        """Return how many whole messages are on the wire."""
        return sum(end <= self.on_wire for end in self.ends)

    def states_it_may_end_in(self, now: int) -> set[State]:
        found = set()
        if self.left or (self.poison_at is not None and self.poison_at <= self.on_wire):
            found.add(State.READY)
        if self.left and (self.status == "connecting" or not self.authenticated()):
            found.add(State.NOT_CONNECTED)
        if self.failed_at is not None:
            found = {State.AUTHENTICATION_FAILED}
        if self.send_failed:
            found = {State.FAILED_SEND if self.send_failed == "closed" else State.READY}
        elif now - self.last_active > CONNECTION_MAX_IDLE_MS * MS:
            found.add(State.EXPIRED)
        return found


class SelectorMachine(RuleBasedStateMachine):
    """The rules are what the owner of the selector and the peers may do between two polls."""

    def __init__(self) -> None:
        super().__init__()
        self.cleanup = contextlib.ExitStack()
        self.peers: list[Peer] = []
        self.held: list[tuple[Peer | None, NetworkReceive]] = []
        self.next_id = 0

    @initialize(buffering=st.booleans(), immediate=st.booleans(), as_server=st.booleans())
    def open(self, buffering: bool, immediate: bool, as_server: bool) -> None:
        self.buffering, self.immediate, self.as_server = buffering, immediate, as_server
        self.time = MockTime(0)
        self.pool = CountingPool(POOL_SIZE, MAX_MESSAGE)
        self.selector = create_selector(
            PeerChannelBuilder(buffering), self.time,
            selector_type=ImmediatelyConnectingSelector if immediate else Selector,
            max_receive_size=MAX_MESSAGE, memory_pool=self.pool, metrics_per_connection=False,
            failed_authentication_delay_ms=AUTHENTICATION_DELAY_MS, record_time_per_connection=as_server)
        self.cleanup.callback(self.selector.close)
        self.listener = ServerSocketChannel.open()
        self.listener.bind(InetSocketAddress("127.0.0.1", 0))
        self.cleanup.callback(self.listener.close)
        self.peer_listener = self.cleanup.enter_context(socket.create_server(("127.0.0.1", 0)))
        for _ in range(2):
            self.accept(False, False)

    # Connections.

    def live(self) -> list[Peer]:
        return [peer for peer in self.peers if peer.status != "closed"]

    def choose(self, number: int, *conditions) -> Peer | None:
        candidates = [peer for peer in self.peers if all(condition(peer) for condition in conditions)]
        return candidates[number % len(candidates)] if candidates else None

    def add(self, prefix: str, sock: socket.socket, status: str) -> Peer:
        sock.setblocking(False)
        peer = Peer(f"{prefix}{self.next_id}", sock, status, self.time.nanoseconds(),
                    wants_token=prefix == "auth")
        self.next_id += 1
        self.cleanup.callback(sock.close)
        self.peers.append(peer)
        return peer

    def room(self) -> bool:
        return len(self.live()) < MAX_PEERS

    @precondition(room)
    @rule(kind=st.sampled_from(["accepted", "auth", "connected", "nobody"]), small_buffers=st.booleans())
    def new_connection(self, kind: str, small_buffers: bool) -> None:
        if kind in ("accepted", "auth"):
            self.accept(kind == "auth", small_buffers)
        elif kind == "connected":
            self.connect(SMALL_BUFFER if small_buffers else -1)
        else:
            self.connect_to_nobody()

    def accept(self, wants_token: bool, small_buffers: bool) -> None:
        sock = socket.create_connection(("127.0.0.1", self.listener.socket().get_local_port()))
        channel = self.listener.accept()
        channel.configure_blocking(False)
        if small_buffers:
            channel.socket().set_send_buffer_size(SMALL_BUFFER)
        peer = self.add("auth" if wants_token else "accepted", sock, "open")
        self.selector.register(peer.id, channel)

    def connect(self, buffer_size: int) -> None:
        id = f"connected{self.next_id}"
        self.selector.connect(
            id, InetSocketAddress(*self.peer_listener.getsockname()), buffer_size, buffer_size)
        sock, _ = self.peer_listener.accept()
        assert self.add("connected", sock, "connecting").id == id

    def connect_to_nobody(self) -> None:
        with socket.socket() as not_listening:
            not_listening.bind(("127.0.0.1", 0))
            address = InetSocketAddress(*not_listening.getsockname())
            try:
                self.selector.connect(f"connected{self.next_id}", address, -1, -1)
            except ConnectionRefusedError:
                assert self.selector.channel(f"connected{self.next_id}") is None
                return
        peer = self.add("connected", socket.socket(), "connecting")
        peer.left = "reset"

    # The peers' part.

    @rule(number=pick, sizes=sizes_of_messages, count=st.sampled_from([1, 3, 4, 5, 50, 10_000, 10_000]))
    def write_messages(self, number: int, sizes: list[int], count: int) -> None:
        peer = self.choose(number, Peer.may_write)
        if peer:
            self.write_to(peer, sizes)
            self.push(peer, count)

    def write_to(self, peer: Peer, sizes: list[int]) -> None:
        for size in sizes:
            payload = bytes((len(peer.messages) * 31 + i) % 256 for i in range(size))
            peer.write(framed(payload))
            peer.messages.append(payload)
            peer.ends.append(peer.written)

    @rule(number=pick, good=st.booleans())
    def write_token(self, number: int, good: bool) -> None:
        peer = self.choose(number, lambda p: p.wants_token and p.token is None and not p.left)
        if peer:
            peer.token = b"+" if good else b"-"
            peer.write(peer.token)

    @rule(number=pick, count=st.sampled_from([1, 2, 3, 4, 5, 9, 50, 10_000, 10_000]))
    def put_on_wire(self, number: int, count: int) -> None:
        peer = self.choose(number, lambda p: p.outbox and not p.left)
        if peer:
            self.push(peer, count)

    def push(self, peer: Peer, count: int) -> None:
        try:
            sent = peer.sock.send(peer.outbox[:count])
        except OSError:
            assert peer.status == "closed" or peer.poison_at is not None
            peer.outbox = b""
            return
        peer.outbox = peer.outbox[sent:]
        peer.on_wire += sent

    @rule(number=pick)
    def drain(self, number: int) -> None:
        peer = self.choose(number, lambda p: p.left in (None, "fin"))
        if peer:
            self.read_all(peer)

    def read_all(self, peer: Peer) -> bool:
        """Read what has come; return whether that was all there will ever be."""
        while True:
            try:
                part = peer.sock.recv(1 << 16)
            except BlockingIOError:
                return False
            except ConnectionError:
                part = b""
            if not part:
                assert peer.status == "closed"
                return True
            peer.received += part
            assert peer.to_peer.startswith(peer.received), "the peer got what it was not sent"

    @rule(number=pick, how=st.sampled_from(["fin", "fin", "close", "reset"]), sizes=sizes_of_messages,
          push=st.booleans())
    def leave(self, number: int, how: str, sizes: list[int], push: bool) -> None:
        """Leave, after some messages, on the wire or not."""
        peer = self.choose(number, lambda p: not p.left and p.status != "closed")
        if peer is None:
            return
        if peer.may_write():
            self.write_to(peer, sizes)
        if push and peer.outbox:
            self.push(peer, len(peer.outbox))
        if how == "fin":
            with contextlib.suppress(OSError):
                peer.sock.shutdown(socket.SHUT_WR)
        elif how == "close":
            # With bytes unread, the kernel would reset.
            self.read_all(peer)
            peer.sock.close()
            peer.lossy |= peer.sending is not None
        else:
            reset(peer.sock)
            peer.lossy = True
        peer.left = how

    @rule(number=pick, size=st.sampled_from([-1, -2**31, MAX_MESSAGE + 1, 2**31 - 1]))
    def write_poison(self, number: int, size: int) -> None:
        """Write a size that cannot be; whatever follows it is not looked at."""
        peer = self.choose(number, Peer.may_write)
        if peer:
            peer.write(size.to_bytes(4, "big", signed=True))
            peer.poison_at = peer.written
            peer.write(b"and whatever")
            self.push(peer, len(peer.outbox))

    # The owner's part.

    @rule(number=pick, size=st.sampled_from([0, 1, 100, 40_000]))
    def send(self, number: int, size: int) -> None:
        peer = self.choose(number, lambda p: p.status != "closed" and p.authenticated()
                           and not p.send_failed)
        if peer:
            self.send_to(peer, os.urandom(size))

    def send_to(self, peer: Peer, payload: bytes) -> None:
        send = create_send(peer.id, payload)
        if peer.status == "closing":
            self.selector.send(send)
            peer.send_failed, peer.lossy = "closing", True
        elif peer.sending is not None:
            with pytest.raises(IllegalStateException):
                self.selector.send(send)
            assert peer.id not in self.selector.disconnected(), "told before the next poll"
            peer.send_failed, peer.lossy = "closed", True
            peer.status, peer.muted = "closed", False
        else:
            self.selector.send(send)
            peer.sending = framed(payload)
            peer.to_peer += peer.sending
            peer.lossy |= peer.left == "close"

    def can_be_muted(self, peer: Peer) -> bool:
        # A channel that is muted and unmuted before it is connected is watched for reads, as in the origin.
        # It can be read by the poll that connects it, first if it is connected already, so that it may be
        # closed without having been reported; and a transport that buffers without a handshake, our own
        # invention, is polled again with the readiness of that poll, and reported twice.
        return peer.status in ("open", "closing") or (
            peer.status == "connecting" and not self.buffering and not self.immediate)

    @rule(number=pick, mute=st.booleans())
    def mute_or_unmute(self, number: int, mute: bool) -> None:
        peer = self.choose(number, self.can_be_muted)
        if peer:
            (self.mute_peer if mute else self.unmute_peer)(peer)

    def mute_peer(self, peer: Peer, call: bool = True) -> None:
        if call:
            self.selector.mute(peer.id)
        peer.mute_event("mute()")
        peer.muted = True
        peer.muted_before_connected |= peer.status == "connecting"

    def unmute_peer(self, peer: Peer, call: bool = True) -> None:
        if call:
            self.selector.unmute(peer.id)
        peer.mute_event("maybe_unmute()")
        if peer.mute_state == "NOT_MUTED":
            peer.muted = False

    @precondition(lambda self: all(map(self.can_be_muted, self.live())))
    @rule(mute=st.booleans())
    def mute_or_unmute_all(self, mute: bool) -> None:
        (self.selector.mute_all if mute else self.selector.unmute_all)()
        for peer in self.peers:
            if peer.status in ("connecting", "open"):
                (self.mute_peer if mute else self.unmute_peer)(peer, False)

    @rule(number=pick, event=st.sampled_from(["THROTTLE_STARTED", "THROTTLE_ENDED", "RESPONSE_SENT"]))
    def step(self, number: int, event: str) -> None:
        """Take a step that a server takes while a request is with its handlers."""
        peer = self.choose(number, lambda p: p.status != "closed" and (event, p.mute_state) in TRANSITIONS)
        if peer:
            channel = self.selector.channel(peer.id) or self.selector.closing_channel(peer.id)
            channel.handle_channel_mute_event(MuteEvent[event])
            peer.mute_event(event)
            if event != "THROTTLE_STARTED":
                self.unmute_peer(peer)

    @rule(number=pick)
    def release(self, number: int) -> None:
        if self.held:
            _, receive = self.held.pop(number % len(self.held))
            receive.close()

    @rule(number=pick)
    def close_one(self, number: int) -> None:
        peer = self.choose(number, lambda p: p.status != "closed")
        if peer:
            self.selector.close_id(peer.id)
            assert peer.id not in self.selector.disconnected()
            peer.status, peer.muted = "closed", False
            if peer.send_failed:
                peer.send_failed = "closed"
            else:
                peer.reported = True  # nothing will tell

    @rule(ms=st.sampled_from([20, AUTHENTICATION_DELAY_MS - 1, AUTHENTICATION_DELAY_MS, 2_000,
                              CONNECTION_MAX_IDLE_MS, CONNECTION_MAX_IDLE_MS + 1]))
    def pass_time(self, ms: int) -> None:
        self.time.sleep(ms)

    @rule(times=st.integers(1, 4))
    def poll_often(self, times: int) -> None:
        for _ in range(times):
            self.poll(0)

    @rule(timeout_ms=st.sampled_from([0, 0, 0, 1]))
    def poll(self, timeout_ms: int) -> None:
        refusals = self.pool.refusals
        muted = {peer.id for peer in self.peers if peer.muted}
        now = self.time.nanoseconds()
        self.selector.poll(timeout_ms)
        by_id = {peer.id: peer for peer in self.peers}

        for id in self.selector.connected():
            assert by_id[id].status == "connecting"
            by_id[id].status = "open"
            by_id[id].last_active = now
        for receive in self.selector.completed_receives():
            assert receive.source() not in muted, "a muted channel was read"
            self.take(by_id[receive.source()], receive, now)
        assert len({receive.source() for receive in self.selector.completed_receives()}) == len(
            self.selector.completed_receives())
        self.take_ends(by_id, now, self.pool.refusals > refusals)
        for id in self.selector._closing_channels:
            assert by_id[id].status == "closing" or by_id[id].left or by_id[id].poison_at is not None
            by_id[id].status = "closing"
        for peer in self.peers:
            assert not peer.send_failed or peer.reported, "a failed send was not reported by the next poll"
        self.check_authentications(by_id, now)
        if self.as_server:
            for receive in self.selector.completed_receives():
                self.handle(by_id[receive.source()])
        self.check()

    def take_ends(self, by_id: dict[str, Peer], now: int, refused: bool) -> None:
        """Note the sends that are over, and the connections."""
        for send in self.selector.completed_sends():
            peer = by_id[send.destination_id()]
            assert peer.sending is not None and send.size() == len(peer.sending)
            peer.sent, peer.sending, peer.last_active = peer.sent + send.size(), None, now
        for id, state in self.selector.disconnected().items():
            self.report(by_id[id], state, now, refused)

    def take(self, peer: Peer, receive: NetworkReceive, now: int) -> None:
        assert peer.status in ("open", "closing") and peer.authenticated()
        assert peer.delivered < peer.arrived(), "a message before it was there"
        assert receive.payload().to_bytes() == peer.messages[peer.delivered]
        peer.delivered += 1
        peer.last_active = now
        self.held.append((peer, receive))

    def handle(self, peer: Peer) -> None:
        """Take a request as a server does: nothing more is read before it is answered."""
        if peer.status != "closed":
            self.mute_peer(peer)
            channel = self.selector.channel(peer.id) or self.selector.closing_channel(peer.id)
            channel.handle_channel_mute_event(MuteEvent.REQUEST_RECEIVED)
            peer.mute_event("REQUEST_RECEIVED")

    def report(self, peer: Peer, state: ChannelState, now: int, refused: bool) -> None:
        assert not peer.reported, "reported twice"
        assert state.state() in peer.states_it_may_end_in(now)
        if state.state() is State.AUTHENTICATION_FAILED:
            assert str(state.exception()) == "wrong token"
            if not peer.left:
                assert now >= peer.failed_at + AUTHENTICATION_DELAY_MS * MS, "too early"
        if state.state() is State.READY and not peer.lossy and not refused:
            assert peer.delivered == peer.arrived(), "a message was lost"
        if peer.failed_at is not None and now >= peer.failed_at + AUTHENTICATION_DELAY_MS * MS:
            peer.to_peer += TokenAuthenticator.REFUSAL
        peer.status, peer.reported, peer.muted = "closed", True, False
        assert self.selector.channel(peer.id) is None and self.selector.closing_channel(peer.id) is None

    def check_authentications(self, by_id: dict[str, Peer], now: int) -> None:
        delayed = self.selector.delayed_closing_channels()
        for peer in self.peers:
            if peer.id in delayed:
                if peer.failed_at is None:
                    peer.failed_at = now
                assert now < peer.failed_at + AUTHENTICATION_DELAY_MS * MS, "too late"
            else:
                assert peer.failed_at is None or peer.status == "closed"

    def check(self) -> None:
        """Hold the selector against its own rules, and the pool against what is out of it."""
        invariants(self.selector, {peer.id for peer in self.peers if peer.muted_before_connected})
        everywhere = [*self.selector._channels.values(), *self.selector._closing_channels.values()]
        assert {channel.id() for channel in everywhere} == {peer.id for peer in self.live()}
        assert set(self.selector._explicitly_muted_channels) == {
            peer.id for peer in self.peers if peer.muted}
        by_id = {peer.id: peer for peer in self.live()}
        out = sum(receive.payload().capacity() for _, receive in self.held)
        for channel in everywhere:
            wanted, actual = by_id[channel.id()].mute_state, channel.mute_state().name
            assert actual == wanted or (actual, wanted) == ("MUTED", "NOT_MUTED")
            receive = channel.current_receive()
            if receive is not None and receive.memory_allocated():
                out += receive.payload().capacity()
        assert self.pool.available_memory() == POOL_SIZE - out

    # The end.

    def teardown(self) -> None:
        with self.cleanup:
            # A failed run needs no quiet end.
            if hasattr(self, "selector") and sys.exc_info()[0] is None:
                self.let_everything_go()
                self.selector.close()
                for peer in self.peers:
                    if peer.left in (None, "fin"):
                        peer.sock.settimeout(120)
                        assert self.read_all_from(peer), "the end did not come"
                        assert len(peer.received) >= peer.sent, "the peer did not get what was sent"
                assert self.pool.available_memory() == POOL_SIZE

    def read_all_from(self, peer: Peer) -> bool:
        peer.status = "closed"
        return self.read_all(peer)

    def let_everything_go(self) -> None:
        """Answer, release and unmute everything, and poll until nothing is left to happen."""
        for peer in self.live():
            if not peer.left:
                self.push(peer, len(peer.outbox))
        self.time.sleep(AUTHENTICATION_DELAY_MS)
        wait_for_condition(self.one_round, "not quiet: " + "; ".join(map(str, self.live())))

    def one_round(self) -> bool:
        while self.held:
            self.release(0)
        for peer in self.live():
            if not peer.left:
                if peer.outbox:
                    self.push(peer, len(peer.outbox))
            for event in ("RESPONSE_SENT", "THROTTLE_ENDED"):
                if (event, peer.mute_state) in TRANSITIONS:
                    channel = self.selector.channel(peer.id) or self.selector.closing_channel(peer.id)
                    channel.handle_channel_mute_event(MuteEvent[event])
                    peer.mute_event(event)
            if self.can_be_muted(peer):
                self.unmute_peer(peer)
            if peer.left in (None, "fin"):
                self.read_all(peer)
        for peer in self.peers:
            if peer.failed_at is not None and peer.status != "closed":
                self.time.sleep(AUTHENTICATION_DELAY_MS)
        self.poll(1)
        return not self.held and all(map(self.is_quiet, self.peers))

    def is_quiet(self, peer: Peer) -> bool:
        if peer.status == "closed":
            return peer.reported
        if peer.left or peer.failed_at is not None or peer.poison_at is not None or peer.status == "closing":
            return False
        return not peer.outbox and peer.delivered == len(peer.messages) and peer.sending is None


def test_anything_that_may_happen(selector_class):
    run_state_machine_as_test(SelectorMachine, settings=settings(
        max_examples=longer.examples(50, 150), stateful_step_count=60,
        suppress_health_check=list(HealthCheck)))
