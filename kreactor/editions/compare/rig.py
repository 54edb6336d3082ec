# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The network thread of one edition, gone round by hand: a poll at a time, on a clock that stands still.

Nothing of the edition is replaced but its select, which never waits. The rig calls the parts of
``Processor.run`` in their order, on the calling thread, and looks at the selector in between. An exception
ends the round, as it does in ``run``.
"""

from __future__ import annotations

import ssl
from collections import deque
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack, suppress
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.metrics.metrics import Metrics
from kreactor.common.network.byte_buffer_send import ByteBufferSend
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.core.server.api_version_manager import SimpleApiVersionManager
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.editions.compare.clients import Client, request_bytes
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
from kreactor.jdk.net import InetSocketAddress
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.nio_channels import ServerSocketChannel
from kreactor.jdk.nio_selector import SelectionKey
from kreactor.security.credential_provider import CredentialProvider
from kreactor.server.metrics.yammer import MetricsRegistry
from kreactor.testing.certificates import new_certificate
from kreactor.testing.mock_time import MockTime

# The rows of a round, in the order in which they come about.
FACTS = ("keys", "read", "staged", "completed", "queue", "responses", "sent", "muted", "automaton", "memory",
         "unmuted", "disconnected", "closed", "error", "clients")

_ROUND = ("_configure_new_connections", "_process_new_responses", "_poll", "_process_completed_receives",
          "_process_completed_sends", "_process_disconnected", "_close_excess_connections")
_WORDS = {"Send": "send", "NoOp": "none", "CloseConnection": "close", "StartThrottling": "throttle",
          "EndThrottling": "end throttle"}
_NULL = dict.fromkeys(("AssertionError", "AttributeError"), "NullPointerException")
_MAX_HANDSHAKE_ROUNDS = 200

# By name, one round: None for what the edition does not have.
Facts = dict[str, str | None]


class Rig:
    """One edition and the clients of one script. ``close`` leaves nothing open."""

    def __init__(self, edition_name: str, properties: Mapping[str, str], tls: bool = False) -> None:
        """Open a listener. Raises ScriptException for a property that no edition knows.

        ``without`` has the properties that this edition does not know, which are left out.
        """
        edition = EDITIONS[edition_name]
        unknown = edition.unknown_properties()
        self.without = [name for name in properties if name in unknown]
        self._clients: dict[str, Client] = {}
        self._accepted: list[Client] = []
        self._time = MockTime(0, 1_700_000_000_000, 1_000_000_000)
        self._delayed: deque[tuple[int, Callable[[], None]]] = deque()
        self._queue: list[str] = []
        self._fails = False
        self._failure: ScriptException | None = None
        self._keys: list[str] = []
        self._polled: Facts = {}
        self._noted: dict[str, list[str]] = {}
        self._sent: list[str] = []
        protocol = SecurityProtocol.SSL if tls else SecurityProtocol.PLAINTEXT
        listener_name = ListenerName(protocol.name)
        props = {name: value for name, value in properties.items() if name not in unknown}
        self._stack = ExitStack()
        with self._stack:
            self._tls = None
            if tls:
                made = new_certificate("server", ("localhost",))
                props |= {"ssl.keystore.type": "PEM", "ssl.enabled.protocols": "TLSv1.2",
                          "ssl.keystore.certificate.chain": made.chain_pem(),
                          "ssl.keystore.key": made.private_key_pem(),
                          "ssl.truststore.type": "PEM", "ssl.truststore.certificates": made.chain_pem()}
                self._tls = ssl.create_default_context(cadata=made.chain_pem())
            try:
                config = KafkaConfig.from_props({
                    "listeners": f"{protocol.name}://127.0.0.1:0", "broker.id": "0",
                    "security.inter.broker.protocol": protocol.name, **props})
                metrics = Metrics()
                self._stack.callback(metrics.close)
                self._parts = new_parts(
                    edition_name,
                    Surroundings(config, metrics, self._time, SimpleApiVersionManager(ListenerType.BROKER),
                                 MetricsRegistry(), CredentialProvider(ScramMechanism.mechanism_names())),
                    listener_name, protocol)
            except ConfigException as e:
                raise ScriptException(str(e)) from e
            self._processor = self._parts.processor
            self._selector = self._processor.selector
            self._stack.callback(self._close_processor)
            self._max_queue = config.queued_max_requests()
            self._listener = ServerSocketChannel.open()
            self._stack.callback(self._listener.close)
            self._listener.bind(InetSocketAddress("127.0.0.1", 0))
            self._watch()
            self._stack.callback(self._close_clients)
            self._open = self._stack.pop_all()

    def _close_processor(self) -> None:
        with suppress(Exception):
            self._processor._close_all()
        with suppress(Exception):
            self._selector.close()
        # Those that the processor has not registered, or has forgotten.
        for client in self._accepted:
            if client.server is not None:
                client.server.close()

    def _close_clients(self) -> None:
        for client in self._clients.values():
            client.close()

    def close(self) -> None:
        """Close the clients, the listener and the processor."""
        self._open.close()

    def __enter__(self) -> Rig:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _watch(self) -> None:
        """Put a look before or behind the members whose calls are facts."""
        selector, channel = self._selector, self._parts.request_channel
        self._replace(selector, "_select", lambda _: self._select)
        self._replace(selector, "unmute", lambda unmute: self._noting("unmuted", unmute))
        self._replace(selector, "close_id", lambda close: self._noting("closed", close))
        self._replace(channel, "send_request",
                      lambda send: lambda request: self._queue_request(send, request))
        taker, name = ((self._processor, "_dequeue_response") if hasattr(self._processor, "_dequeue_response")
                       else (channel, "receive_response"))
        self._replace(taker, name, lambda take: lambda *arguments: self._take_response(take, arguments))
        self._replace(self._processor, "_poll", lambda poll: lambda: self._poll(poll))

    def _replace(self, owner: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
        setattr(owner, name, wrapped(getattr(owner, name)))

    def _select(self, timeout_ms: int) -> int:
        if self._fails:
            self._fails = False
            raise OSError("the script lets this select fail")
        nio_selector = self._selector._nio_selector
        count: int = nio_selector.select_now()
        self._keys = sorted(self._name(key.attachment().id()) for key in nio_selector.selected_keys()
                            if key.is_valid() and key.ready_ops() & SelectionKey.OP_READ)
        return count

    def _noting(self, fact: str, call: Callable[[str], Any]) -> Callable[[str], Any]:
        def noting(id: str) -> Any:
            self._noted.setdefault(fact, []).append(self._name(id))
            return call(id)
        return noting

    def _queue_request(self, send: Callable[[Any], None], request: Any) -> None:
        if len(self._queue) >= self._max_queue:
            # The processor catches exceptions: `round` raises it again.
            self._failure = ScriptException(
                "the queue of requests is full, and the network thread would wait for a handler: let the "
                "handlers answer first")
            raise self._failure
        send(request)
        self._queue.append(self._request_name(request.context.connection_id,
                                              request.context.header.correlation_id()))

    def _take_response(self, take: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        response = take(*arguments)
        if response is not None:
            action = getattr(response, "response_action", None)
            name = type(response).__name__ if action is None else action.value
            word = _WORDS[name.removesuffix("Response").removesuffix("Action")]
            context = response.request.context
            named = self._request_name(context.connection_id, context.header.correlation_id())
            self._noted.setdefault("responses", []).append(f"{word} {named}")
        return response

    def _poll(self, poll: Callable[[], None]) -> None:
        self._keys = []
        try:
            poll()
        finally:
            selector = self._selector
            receives: Collection[Any] = selector.completed_receives()
            self._sent = [self._name(_destination(send)) for send in selector.completed_sends()]
            staged = getattr(selector, "_staged_receives", None)
            self._polled = {
                "keys": _join(self._keys),
                "staged": None if staged is None else _join(
                    self._receive_name(receive) for waiting in staged.values() for receive in waiting),
                "completed": _join(self._receive_name(receive) for receive in receives),
                "sent": _join(self._sent),
                "disconnected": _join(self._name(id) for id in selector.disconnected()),
            }

    def _receive_name(self, receive: Any) -> str:
        payload: ByteBuffer = receive.payload()
        number = payload.get_int_at(4) if payload.limit() >= 8 else -1
        return self._request_name(receive.source(), number)

    def _request_name(self, id: str, number: int) -> str:
        return f"{self._name(id)}{number if number > 0 else '?'}"

    def _name(self, id: str) -> str:
        """Return the client of a connection; two clients, if both connections have this id."""
        port, _, index = id.rpartition(":")[2].partition("-")
        if index:
            return self._accepted[int(index)].name
        return "=".join(client.name for client in self._accepted if client.local_port == int(port))

    def round(self, fails: bool = False) -> Facts:
        """Go round once, and return the facts."""
        self._fails = fails
        self._polled, self._noted, self._sent = {}, {}, []
        clients = list(self._clients.values())
        before = {client: client.unread() for client in clients}
        error = ""
        for name in _ROUND:
            part = getattr(self._processor, name, None)
            try:
                if part is not None:
                    part()
            except Exception as e:
                # None is used as if it were a channel where the origin does so with null.
                error = _NULL.get(type(e).__name__, type(e).__name__)
                break
        if self._failure is not None:
            raise self._failure
        read = [f"{client.name} {count}" for client in clients
                if (had := before[client]) is not None and (count := had - (client.unread() or 0)) > 0
                and client.unread() is not None]
        channels = [*self._selector.channels()]
        muted = [self._name(channel.id()) for channel in channels
                 if (channel.is_muted if hasattr(channel, "is_muted") else channel.is_mute)()]
        automaton = [f"{self._name(channel.id())} {channel.mute_state().name}" for channel in channels
                     if hasattr(channel, "mute_state")] if self._has_automaton() else None
        pool = self._parts.memory_pool
        news = [item for client in clients
                for item in client.receive(sum(name == client.name for name in self._sent))]
        facts: Facts = dict.fromkeys(FACTS, "")
        facts |= self._polled
        # 0.10.1 closes an idle connection itself by the call that is its processor's.
        reported = (facts["disconnected"] or "").split(", ")
        self._noted["closed"] = [name for name in self._noted.get("closed", ()) if name not in reported]
        facts |= {fact: _join(names) for fact, names in self._noted.items()}
        return facts | {
            "read": _join(read), "queue": _join(self._queue), "muted": _join(muted),
            "automaton": None if automaton is None else _join(
                text for text in automaton if not text.endswith("NOT_MUTED")),
            "memory": None if pool is None else str(pool.size() - pool.available_memory()),
            "error": error, "clients": _join(news)}

    def _has_automaton(self) -> bool:
        return hasattr(self._processor, "_handle_channel_mute_event")

    def do(self, step: Step) -> list[Facts]:
        """Do a step; return the facts of each round. Raises ScriptException."""
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
                waiting = len(self._queue)
                for _ in range(waiting if step.count is None else min(step.count, waiting)):
                    self._handle(step)
            case Pass():
                self._time.sleep(step.milliseconds)
                for due, call in [*self._delayed]:
                    if due <= self._time.milliseconds():
                        self._delayed.remove((due, call))
                        call()
            case Poll():
                return [self.round(step.fails and number == 0) for number in range(step.count)]
        return []

    def _connect(self, step: Connect) -> None:
        port = 0 if step.port_of is None else self._clients[step.port_of].local_port
        address = self._listener.socket().get_local_port()
        try:
            client = Client(step.client, address, self._tls, port)
        except OSError as e:
            raise ScriptException(f"line {step.line}: {step.text}: {e.strerror}") from e
        self._clients[step.client] = client
        self._accepted.append(client)
        channel = self._listener.accept()
        assert channel is not None, "the listener blocks"
        channel.configure_blocking(False)
        client.server = channel
        self._parts.accept(channel)
        if self._tls is not None:
            for _ in range(_MAX_HANDSHAKE_ROUNDS):
                done = client.shake_hands()
                self.round()
                if done and any(self._name(channel.id()) == client.name and channel.ready()
                                for channel in self._selector.channels()):
                    return
            raise ScriptException(f"line {step.line}: the handshake of {step.client} does not end")

    def _handle(self, step: Handle) -> None:
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
            # The handlers do so since there is a pool of memory.
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


def _destination(send: Any) -> str:
    """Return the connection of a send; it is called destinationId since 2.6."""
    name = "destination_id" if hasattr(send, "destination_id") else "destination"
    destination: str = getattr(send, name)()
    return destination


def _join(names: Any) -> str:
    return ", ".join(names)


def run(script: Script, edition_name: str) -> tuple[list[list[Facts]], list[str]]:
    """Return the facts of each round of each step, and the properties that the edition does not know."""
    with Rig(edition_name, script.properties, script.tls) as rig:
        found = []
        for step in script.steps:
            try:
                found.append(rig.do(step))
            except ScriptException as e:
                raise ScriptException(f"{script.name}, edition {edition_name}, line {step.line}: {e}") from e
        return found, rig.without
