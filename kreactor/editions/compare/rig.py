# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Runs the network thread of one edition by hand, one poll at a time, on a mock clock.

Only the edition's select is replaced, so that it never waits. The rig calls the parts of ``Processor.run`` in
their order, on the calling thread, and reads the selector's state in between. An exception ends the round, as
in ``run``.
"""

from __future__ import annotations

import struct
import termios
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.editions.compare.clients import Client, ServerEnd, request_bytes
from kreactor.editions.compare.facts import MEANINGS
from kreactor.editions.compare.processors import new_parts
from kreactor.editions.compare.script import (
    Connect,
    End,
    Handle,
    Pass,
    Poll,
    Script,
    ScriptException,
    SendBytes,
    SendRequests,
    Step,
)
from kreactor.editions.edition_server import Surroundings
from kreactor.editions.registry import EDITIONS
from kreactor.jdk.floor import Floor
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel, SocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.mock_time import MockTime

if TYPE_CHECKING:
    from kreactor.testing.certificates import Certificate

# The rows of a round, in the order of events.
FACTS = tuple(MEANINGS)

_ROUND = ("_configure_new_connections", "_process_new_responses", "_poll", "_process_completed_receives",
          "_process_completed_sends", "_process_disconnected", "_close_excess_connections")
_WORDS = {"Send": "send", "NoOp": "none", "CloseConnection": "close", "StartThrottling": "throttle",
          "EndThrottling": "end throttle"}
_NULL = dict.fromkeys(("AssertionError", "AttributeError"), "NullPointerException")
_MAX_HANDSHAKE_ROUNDS = 200
# PyPy 7.3.19 does not name it: the value is Linux's.
_POLLRDHUP: int = getattr(Floor.select, "POLLRDHUP", 0x2000)

# The facts of one round, by row name; None if the edition has no such thing.
Facts = dict[str, str | None]


@dataclass(frozen=True)
class Request:
    """A request: the id of its connection, and its number, -1 if it has none."""

    connection_id: str
    number: int


@dataclass(frozen=True)
class Turn:
    """One round of a network thread, in connection ids; None if the edition has no such thing."""

    keys: Collection[str]
    staged: Collection[Request] | None
    completed: Collection[Request]
    queue: Collection[Request]
    responses: Collection[tuple[str, Request]]
    sent: Collection[str]
    muted: Collection[str]
    automaton: Mapping[str, str] | None
    memory: int | None
    unmuted: Collection[str]
    disconnected: Collection[str]
    closed: Collection[str]
    error: str


class Stage(ABC):
    """The clients of a script before one network thread. ``close`` leaves nothing open."""

    def __init__(self, certificate: Certificate | None) -> None:
        """With ``certificate`` the clients use TLS and trust it."""
        self._tls = None if certificate is None else Floor.ssl.create_default_context(
            cadata=certificate.chain_pem())
        self._clients: dict[str, Client] = {}
        self._accepted: list[Client] = []

    @abstractmethod
    def port(self) -> int:
        """Return the port of the listener."""

    @abstractmethod
    def accept(self, client: Client) -> ServerEnd:
        """Accept the connection of ``client``, and pass it to the network thread."""

    @abstractmethod
    def turn(self, fails: bool) -> Turn:
        """Run one round of the network thread; with ``fails`` its select raises. Raises ScriptException."""

    @abstractmethod
    def is_ready(self, client: Client) -> bool:
        """Return whether the network thread has completed the handshake of ``client``."""

    @abstractmethod
    def handle(self, step: Handle) -> None:
        """Run a step of the handlers."""

    @abstractmethod
    def sleep(self, milliseconds: int) -> None:
        """Move the clock, and run the tasks that come due."""

    def close(self) -> None:
        """Close the clients."""
        for client in self._clients.values():
            client.close()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def do(self, step: Step) -> list[Facts]:
        """Run a step; return the facts of each round. Raises ScriptException."""
        match step:
            case Connect():
                self._connect(step)
            case SendRequests():
                client = self._clients[step.client]
                numbers = range(client.requests + 1, client.requests + 1 + step.count)
                client.requests += step.count
                client.send(b"".join(request_bytes(number, step.size, step.acks) for number in numbers))
            case SendBytes():
                self._clients[step.client].send(step.data)
            case End():
                self._clients[step.client].end(step.how)
            case Handle():
                self.handle(step)
            case Pass():
                self.sleep(step.milliseconds)
            case Poll():
                return [self.round(step.fails and number == 0) for number in range(step.count)]
        return []

    def _connect(self, step: Connect) -> None:
        port = 0 if step.port_of is None else self._clients[step.port_of].local_port
        try:
            client = Client(step.client, self.port(), self._tls, port)
        except OSError as e:
            raise ScriptException(f"{step.text}: {e.strerror}") from e
        self._clients[step.client] = client
        self._accepted.append(client)
        client.server = self.accept(client)
        for _ in range(0 if self._tls is None else _MAX_HANDSHAKE_ROUNDS):
            done = client.shake_hands()
            self.round()
            if done and self.is_ready(client):
                break
        else:
            if self._tls is not None:
                raise ScriptException(f"{step.text}: the handshake does not end")

    def round(self, fails: bool = False) -> Facts:
        """Run one round, and return its facts."""
        clients = list(self._clients.values())
        before = {client: client.unread() for client in clients}
        turn = self.turn(fails)
        read = [f"{client.name} {had - left}" for client in clients
                if (had := before[client]) is not None and (left := client.unread()) is not None
                and had > left]
        # The selector of 0.10.1 closes an idle connection with the method that its processor also calls.
        closed = [id for id in turn.closed if id not in turn.disconnected]
        news = [item for client in clients
                for item in client.receive(sum(self._name(id) == client.name for id in turn.sent))]
        return {
            "keys": _join(sorted(map(self._name, turn.keys))),
            "read": _join(read),
            "staged": None if turn.staged is None else self._requests(turn.staged),
            "completed": self._requests(turn.completed),
            "queue": self._requests(turn.queue),
            "responses": _join(f"{word} {self._request(request)}" for word, request in turn.responses),
            "sent": _join(map(self._name, turn.sent)),
            "muted": _join(map(self._name, turn.muted)),
            "automaton": None if turn.automaton is None else self._states(turn.automaton),
            "memory": None if turn.memory is None else str(turn.memory),
            "unmuted": _join(map(self._name, turn.unmuted)),
            "disconnected": _join(map(self._name, turn.disconnected)),
            "closed": _join(map(self._name, closed)),
            "error": turn.error,
            "clients": _join(news)}

    def _states(self, automaton: Mapping[str, str]) -> str:
        """Return the channels of each mute state, except the unmuted state."""
        by_state: dict[str, list[str]] = {}
        for id, state in automaton.items():
            if state != "NOT_MUTED":
                by_state.setdefault(state, []).append(self._name(id))
        return _join(f"{_join(sorted(names))} {state}" for state, names in by_state.items())

    def _name(self, id: str) -> str:
        """Return the client of a connection, or two clients if both connections have this id."""
        port, _, index = id.rpartition(":")[2].partition("-")
        if index:
            return self._accepted[int(index)].name
        return "=".join(client.name for client in self._accepted if client.local_port == int(port))

    def _request(self, request: Request) -> str:
        return f"{self._name(request.connection_id)}{request.number if request.number > 0 else '?'}"

    def _requests(self, requests: Iterable[Request]) -> str:
        return _join(map(self._request, requests))


class _ServerEnd:
    """The socket that the network thread owns."""

    def __init__(self, channel: SocketChannel) -> None:
        self._channel = channel

    def unread(self) -> int | None:
        if not self._channel.is_open():
            return None
        answer = Floor.fcntl.ioctl(self._channel.fileno(), termios.FIONREAD, bytes(4))
        return int(struct.unpack("i", answer)[0])

    def knows_end(self) -> bool:
        if not self._channel.is_open():
            return True
        poll = Floor.select.poll()
        poll.register(self._channel.fileno(), _POLLRDHUP)
        return bool(poll.poll(0))

    def close(self) -> None:
        self._channel.close()


def _new_certificate() -> Certificate:
    """Return a server's certificate. Raises ScriptException without the package of the extra tls."""
    # Imported here, because only scripts with TLS need the package.
    try:
        from kreactor.testing.certificates import new_certificate
    except ImportError as e:
        raise ScriptException(f"over TLS: {e}") from e
    return new_certificate("server", ("localhost",))


class Rig(Stage):
    """The stage of one edition."""

    def __init__(self, edition_name: str, properties: Mapping[str, str], tls: bool = False) -> None:
        """Open a listener. Raises ScriptException for a property that no edition supports, and where TLS
        needs a package that is missing.

        ``without`` lists the properties that this edition does not support, which are left out.
        """
        certificate = _new_certificate() if tls else None
        super().__init__(certificate)
        edition = EDITIONS[edition_name]
        unknown = edition.unknown_properties()
        self.without = [name for name in properties if name in unknown]
        self._time = MockTime(0, 1_700_000_000_000, 1_000_000_000)
        self._delayed: deque[tuple[int, Callable[[], None]]] = deque()
        self._queue: list[Request] = []
        # The connections for which the processor has no room yet.
        self._waiting: deque[SocketChannel] = deque()
        self._fails = False
        self._failure: ScriptException | None = None
        # The facts of the current round.
        self._keys: list[str] = []
        self._polled: dict[str, Any] = {}
        self._responses: list[tuple[str, Request]] = []
        self._unmuted: list[str] = []
        self._closed: list[str] = []
        protocol = SecurityProtocol.PLAINTEXT if certificate is None else SecurityProtocol.SSL
        listener_name = ListenerName(protocol.name)
        props = {name: value for name, value in properties.items() if name not in unknown}
        if certificate is not None:
            props |= {"ssl.keystore.type": "PEM", "ssl.enabled.protocols": "TLSv1.2",
                      "ssl.keystore.certificate.chain": certificate.chain_pem(),
                      "ssl.keystore.key": certificate.private_key_pem(),
                      "ssl.truststore.type": "PEM", "ssl.truststore.certificates": certificate.chain_pem()}
        with ExitStack() as stack:
            try:
                config = KafkaConfig.from_props({
                    "listeners": f"{protocol.name}://127.0.0.1:0", "broker.id": "0",
                    "security.inter.broker.protocol": protocol.name, **props})
                metrics = Metrics()
                stack.callback(metrics.close)
                self._parts = new_parts(
                    edition_name,
                    Surroundings(config, metrics, self._time, SimpleApiVersionManager(ListenerType.BROKER),
                                 MetricsRegistry(), CredentialProvider(ScramMechanism.mechanism_names())),
                    listener_name, protocol)
            except ConfigException as e:
                raise ScriptException(str(e)) from e
            self._processor = self._parts.processor
            self._selector = self._processor.selector
            stack.callback(self._close_processor)
            self._max_queue = config.queued_max_requests()
            self._listener = ServerSocketChannel.open()
            stack.callback(self._listener.close)
            self._listener.bind(InetSocketAddress("127.0.0.1", 0))
            self._watch()
            self._open = stack.pop_all()

    def _close_processor(self) -> None:
        with suppress(Exception):
            self._processor._close_all()
        with suppress(Exception):
            self._selector.close()
        # The connections that the processor has not registered, or has dropped.
        for client in self._accepted:
            if client.server is not None:
                client.server.close()

    def close(self) -> None:
        """Close the clients, the listener and the processor."""
        super().close()
        self._open.close()

    def _watch(self) -> None:
        """Wrap the methods whose calls are facts, to record them before or after the call."""
        selector, channel = self._selector, self._parts.request_channel
        _replace(selector, "_select", lambda _: self._select)
        _replace(selector, "unmute", lambda unmute: lambda id: self._unmute(unmute, id))
        _replace(selector, "close_id", lambda close: lambda id: self._close_id(close, id))
        _replace(channel, "send_request", lambda send: lambda request: self._queue_request(send, request))
        taker, name = ((self._processor, "_dequeue_response") if hasattr(self._processor, "_dequeue_response")
                       else (channel, "receive_response"))
        _replace(taker, name, lambda take: lambda *arguments: self._take_response(take(*arguments)))
        _replace(self._processor, "_poll", lambda poll: lambda: self._poll(poll))

    def _select(self, timeout_ms: int) -> int:
        if self._fails:
            self._fails = False
            raise OSError("the script lets this select fail")
        nio_selector = self._selector._nio_selector
        count: int = nio_selector.select_now()
        self._keys = [key.attachment().id() for key in nio_selector.selected_keys()
                      if key.is_valid() and key.ready_ops() & SelectionKey.OP_READ]
        return count

    def _unmute(self, unmute: Callable[[str], None], id: str) -> None:
        unmute(id)
        channel = self._selector.channel(id) or self._closing_channel(id)
        if channel is None or not _is_mute(channel):
            self._unmuted.append(id)

    def _closing_channel(self, id: str) -> Any:
        closing_channel = getattr(self._selector, "closing_channel", None)
        return None if closing_channel is None else closing_channel(id)

    def _close_id(self, close: Callable[[str], None], id: str) -> None:
        self._closed.append(id)
        close(id)

    def _queue_request(self, send: Callable[[Any], None], request: Any) -> None:
        if len(self._queue) >= self._max_queue:
            # The processor catches exceptions, so `turn` raises it again.
            self._failure = ScriptException(
                "the queue of requests is full, and the network thread would wait for a handler: let the "
                "handlers answer first")
            raise self._failure
        send(request)
        self._queue.append(_request(request))

    def _take_response(self, response: Any) -> Any:
        if response is not None:
            action = getattr(response, "response_action", None)
            name = type(response).__name__ if action is None else action.value
            word = _WORDS[name.removesuffix("Response").removesuffix("Action")]
            self._responses.append((word, _request(response.request)))
        return response

    def _poll(self, poll: Callable[[], None]) -> None:
        try:
            poll()
        finally:
            selector = self._selector
            staged = getattr(selector, "_staged_receives", None)
            self._polled = {
                "staged": None if staged is None else [
                    _receive(receive) for waiting in staged.values() for receive in waiting],
                "completed": [_receive(receive) for receive in selector.completed_receives()],
                "sent": [_destination(send) for send in selector.completed_sends()],
                "disconnected": list(selector.disconnected())}

    def port(self) -> int:
        return self._listener.socket().get_local_port()

    def accept(self, client: Client) -> ServerEnd:
        channel = self._listener.accept()
        assert channel is not None, "the listener blocks"
        channel.configure_blocking(False)
        self._parts.count()
        self._waiting.append(channel)
        self._offer()
        return _ServerEnd(channel)

    def _offer(self) -> None:
        """Pass new connections to the processor, like an acceptor that waits while there is no room."""
        while self._waiting and self._parts.accept(self._waiting[0]):
            self._waiting.popleft()

    def is_ready(self, client: Client) -> bool:
        return any(self._name(channel.id()) == client.name and channel.ready()
                   for channel in self._selector.channels())

    def turn(self, fails: bool) -> Turn:
        self._fails = fails
        self._offer()
        self._keys, self._responses, self._unmuted, self._closed = [], [], [], []
        self._polled = {"staged": [] if hasattr(self._selector, "_staged_receives") else None,
                        "completed": [], "sent": [], "disconnected": []}
        error = ""
        for name in _ROUND:
            part = getattr(self._processor, name, None)
            try:
                if part is not None:
                    part()
            except Exception as e:
                # None is passed as a channel where the origin passes null.
                error = _NULL.get(type(e).__name__, type(e).__name__)
                break
        if self._failure is not None:
            raise self._failure
        channels = self._selector.channels()
        pool = self._parts.memory_pool
        return Turn(
            keys=self._keys, queue=self._queue, responses=self._responses, unmuted=self._unmuted,
            closed=self._closed, error=error, **self._polled,
            muted=[channel.id() for channel in channels if _is_mute(channel)],
            automaton={channel.id(): channel.mute_state().name for channel in channels}
            if hasattr(self._processor, "_handle_channel_mute_event") else None,
            memory=None if pool is None else pool.size() - pool.available_memory())

    def handle(self, step: Handle) -> None:
        waiting = len(self._queue)
        for _ in range(waiting if step.count is None else min(step.count, waiting)):
            self._handle_one(step)

    def _handle_one(self, step: Handle) -> None:
        request = self._parts.request_channel.receive_request_timeout(0)
        self._queue.pop(0)
        responses, number = self._parts.responses, request.context.header.correlation_id()

        def answer() -> None:
            if step.how == "close":
                responses.close_connection(request)
            elif request.context.header.api_key().id == 0:
                responses.no_operation(request)
            else:
                content = ByteBuffer.allocate(6)
                content.put_int_at(0, number)
                responses.send(request, ByteBufferSend.size_prefixed(content))
            # The handlers release the memory since the memory pool exists.
            if hasattr(request, "release_buffer"):
                request.release_buffer()

        if step.how != "throttle":
            answer()
        elif self._parts.delays_answers:
            self._delay(step.throttle_ms, answer)
        else:
            responses.start_throttling(request, step.throttle_ms)
            answer()
            self._delay(step.throttle_ms, lambda: responses.end_throttling(request))

    def _delay(self, milliseconds: int, call: Callable[[], None]) -> None:
        self._delayed.append((self._time.milliseconds() + milliseconds, call))

    def sleep(self, milliseconds: int) -> None:
        self._time.sleep(milliseconds)
        for due, call in [*self._delayed]:
            if due <= self._time.milliseconds():
                self._delayed.remove((due, call))
                call()


def _is_mute(channel: Any) -> bool:
    """Return whether an edition's channel is muted; since 2.5 the method's name is isMuted."""
    muted: bool = (channel.is_muted if hasattr(channel, "is_muted") else channel.is_mute)()
    return muted


def _replace(owner: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
    setattr(owner, name, wrapped(getattr(owner, name)))


def _request(request: Any) -> Request:
    return Request(request.context.connection_id, request.context.header.correlation_id())


def _receive(receive: Any) -> Request:
    payload: ByteBuffer = receive.payload()
    return Request(receive.source(), payload.get_int_at(4) if payload.limit() >= 8 else -1)


def _destination(send: Any) -> str:
    """Return the connection of a send; since 2.6 its name is destinationId."""
    name = "destination_id" if hasattr(send, "destination_id") else "destination"
    destination: str = getattr(send, name)()
    return destination


def _join(names: Iterable[str]) -> str:
    return ", ".join(names)


def run(script: Script, edition_name: str) -> tuple[list[list[Facts]], list[str]]:
    """Return the facts of each round of each step, and the properties that the edition does not support."""
    with Rig(edition_name, script.properties, script.tls) as rig:
        assert isinstance(rig, Rig)
        return play(script, rig, f"edition {edition_name}"), rig.without


def play(script: Script, stage: Stage, what: str) -> list[list[Facts]]:
    """Run the script; return the facts of each round of each step.

    Raises ScriptException, which names ``what``.
    """
    found = []
    for step in script.steps:
        try:
            found.append(stage.do(step))
        except ScriptException as e:
            raise ScriptException(f"{script.name}, {what}, line {step.line}: {e}") from e
    return found
