# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker with two clients that must not notice what is done to it, and the check that nothing is left.

Every test of bad input and of faults runs on one. ``leftovers`` looks, on the broker that still
runs, at all that a connection or a request takes and has to give back; after the shutdown come the broker's
threads, its selectors, and its metrics.
"""

from __future__ import annotations

import logging
import os
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Iterator, Mapping

from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.message.create_topics_response_data import CreateTopicsResponseData
from kreactor.common.message.fetch_request_data import FetchRequestData
from kreactor.common.message.produce_request_data import ProduceRequestData
from kreactor.common.message.produce_response_data import ProduceResponseData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.network.companions import METRICS_GROUP, number
from kreactor.core.network.processor import Processor
from kreactor.core.network.socket_server import SocketServer
from kreactor.embedded.broker_server import BrokerServer
from kreactor.server.metrics.yammer import Gauge
from tests.core.network.servers import (
    assert_nothing_left_of_acceptor,
    assert_nothing_left_of_processor,
    assert_nothing_left_of_server,
)
from tests.core.server.brokers import HOST, new_broker
from tests.core.server.conversation import records
from tests.core.server.wire import Closed, Wire
from tests.stepping import PATIENCE_S

# Linux's number; PyPy's socket module has no name for it.
IP_BIND_ADDRESS_NO_PORT = getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24)

# A pool of memory for requests, whose loss would be seen; as large as the largest request, or larger.
QUEUED_MAX_REQUEST_BYTES = 200_000_000

# The topic that these clients write to and read from.
TOPIC = "bench"
READ, WRITTEN = 0, 1
# The topic that tests may damage.
VICTIM = "victim"

# A network thread, an acceptor or a handler says this of what should never get so far.
_FATAL = ("Processor got uncaught exception", "poll of processor", "error in the acceptor",
          "exception when handling request", "Uncaught exception in thread")

# The gauges that say how much of something waits.
_WAITING = {"RequestQueueSize", "ResponseQueueSize", "NumDelayedOperations"}
_COUNTING_CONNECTIONS = {"connection-count", "connections", "connection-creation-total",
                         "connection-close-total"}


class Bench:
    """A context manager that starts the broker, and at the end stops it and checks that nothing is left.

    A test acts on the broker in ``watched``, once or many times.
    """

    def __init__(self, folder: str | os.PathLike[str], overrides: Mapping[str, str] | None = None,
                 clock: Time = Time.SYSTEM, create_topics: bool = True) -> None:
        self._create_topics = create_topics
        self.broker = new_broker(folder, {
            "queued.max.request.bytes": str(QUEUED_MAX_REQUEST_BYTES),
            # The records that tests write are older than any retention.
            "log.retention.ms": "-1",
            # A new segment would be a new descriptor, whatever times a batch has.
            "log.roll.ms": str(2**63 - 1),
            **(overrides or {}),
        }, clock)
        self._clients: list[Client] = []
        self._witnesses: list[Reader | Writer] = []
        self._log = _Log()

    def __enter__(self) -> Bench:
        logging.getLogger("kreactor").addHandler(self._log)
        # A thread of a former broker that has not run yet has still to end.
        self._others = set(threading.enumerate())
        self.broker.startup()
        self.server = self.broker.socket_server()
        if self._create_topics:
            self.create_topic(TOPIC, partitions=2)
            self.create_topic(VICTIM)
            with self.connect() as wire:
                produce(wire, TOPIC, records(b"one", b"two"), partition=READ)
                # The first fetch whose time is over starts the thread for such.
                wire.ask(ApiKeys.FETCH, 4, fetch_request(VICTIM, 0, max_wait_ms=1))
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close_clients()
        self.broker.shutdown()
        logging.getLogger("kreactor").removeHandler(self._log)
        if exc_type is None:
            assert_nothing_left_of_broker(self.broker)
            assert not self._log.fatal

    @contextmanager
    def watched(self) -> Iterator[Bench]:
        """Check that two clients are served as if they were alone, and that nothing is left."""
        wait_for_nothing_left(self.broker)
        descriptors, threads = _descriptors(), self._threads()
        self._witnesses = [Reader(self.connect()), Writer(self.connect())]
        try:
            self.check()
            yield self
            self.check()
            self.assert_nothing_left(descriptors, threads)
        finally:
            self._witnesses.clear()
            self.close_clients()

    def _threads(self) -> set[threading.Thread]:
        return set(threading.enumerate()) - self._others

    # -- for tests ---------------------------------------------------------------------------------

    def check(self) -> None:
        """See that the other clients are served, with the right answers."""
        for witness in self._witnesses:
            witness.check()

    def connect(self, listener: str = "PLAINTEXT", source: str = "", timeout_s: float = 10.0,
                receive_buffer: int = 0) -> Client:
        """Return a connection, which is closed at the end, by its client's address and room for answers."""
        client = Client(self.broker.bound_port(listener), source, timeout_s, receive_buffer)
        self._clients.append(client)
        return client

    def create_topic(self, name: str, partitions: int = 1, settings: Mapping[str, str] = {}) -> None:
        with self.connect() as wire:
            answer = wire.ask(ApiKeys.CREATE_TOPICS, 5, CreateTopicsRequestData(timeout_ms=60_000, topics=[
                CreateTopicsRequestData.CreatableTopic(
                    name=name, num_partitions=partitions, replication_factor=1,
                    configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=value)
                             for key, value in settings.items()])]))
        assert isinstance(answer, CreateTopicsResponseData)
        assert answer.topics[0].error_code == 0, answer

    def connections(self) -> int:
        """Return how many connections are counted, those of the other clients not among them."""
        return self.server.connection_quotas._total_count - len(self._witnesses)

    def processor(self) -> Processor:
        """Return the network thread of the first listener."""
        return processors_of(self.server)[0]

    def acceptor(self) -> Acceptor:
        """Return the acceptor of the first listener."""
        return acceptors_of(self.server)[0]

    def settle(self) -> None:
        """Let the network thread handle all that has arrived by now."""
        # Bytes that arrived before a request are read no later than the request. Twice: an answer too.
        for _ in range(2):
            self.check()

    def assert_nothing_left(self, descriptors: Counter[str], threads: set[threading.Thread]) -> None:
        """Close all clients; check that the running broker is as it was before they came."""
        self.close_clients()
        wait_for_nothing_left(self.broker)
        # A descriptor goes a moment after its key.
        deadline = time.monotonic() + PATIENCE_S
        while more := _descriptors() - descriptors:
            assert time.monotonic() < deadline, more
            time.sleep(0.001)
        assert self._threads() == threads
        assert not self._log.fatal

    def close_clients(self) -> None:
        """Close all connections that were made."""
        for client in self._clients:
            client.close()
        self._clients.clear()


class Client(Wire):
    """A connection to a broker of this host."""

    def __enter__(self) -> Client:
        return self

    def __init__(self, port: int, source: str = "", timeout_s: float = 10.0,
                 receive_buffer: int = 0) -> None:
        """Connect from address ``source`` if that is given, with so many bytes of room for answers."""
        self._correlation_id = 0
        self.socket = socket.socket()
        try:
            if receive_buffer:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.socket.settimeout(timeout_s)
            if source:
                # The port is chosen by connect, which may use one again that another peer's connection had.
                self.socket.setsockopt(socket.IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
                self.socket.bind((source, 0))
            self.socket.connect((HOST, port))
        except OSError:
            self.socket.close()
            raise

    def reset(self) -> None:
        """Leave with a reset instead of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def is_closed(self) -> bool:
        """Wait for the broker; return whether it closes the connection, having sent nothing."""
        try:
            self.receive_bytes()
        except Closed:
            return True
        return False

    def is_silent(self) -> bool:
        """Return whether the broker has neither sent anything by now nor closed the connection."""
        timeout = self.socket.gettimeout()
        self.socket.setblocking(False)
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except ConnectionError:
            return False
        finally:
            self.socket.settimeout(timeout)
        return False


class Reader:
    """Fetches the same records again and again."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._expected = self._fetch()

    def _fetch(self) -> bytes:
        self.wire.send(ApiKeys.FETCH, 12, fetch_request(TOPIC, 0, partition=READ))
        return self.wire.receive_bytes()[4:]

    def check(self) -> None:
        assert self._fetch() == self._expected


class Writer:
    """Appends, and sees that nobody else has."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._next_offset = self._produce()

    def _produce(self) -> int:
        answer = produce(self.wire, TOPIC, records(b"three"), partition=WRITTEN)
        assert answer.error_code == 0
        return answer.base_offset + 1

    def check(self) -> None:
        next_offset = self._produce()
        assert next_offset == self._next_offset + 1
        self._next_offset = next_offset


def produce_request(topic: str, data: bytes, acks: int = 1, partition: int = 0) -> ProduceRequestData:
    return ProduceRequestData(acks=acks, timeout_ms=60_000, topic_data=[
        ProduceRequestData.TopicProduceData(name=topic, partition_data=[
            ProduceRequestData.PartitionProduceData(index=partition, records=data)])])


def produce(wire: Wire, topic: str, data: bytes, version: int = 9,
            partition: int = 0) -> ProduceResponseData.PartitionProduceResponse:
    """Write to one partition, and return what became of that."""
    answer = wire.ask(ApiKeys.PRODUCE, version, produce_request(topic, data, partition=partition))
    assert isinstance(answer, ProduceResponseData)
    [topic_answer] = answer.responses
    [partition_answer] = topic_answer.partition_responses
    return partition_answer


def fetch_request(topic: str, offset: int, *, partition: int = 0, max_bytes: int = 2**31 - 1,
                  max_wait_ms: int = 0, min_bytes: int = 1) -> FetchRequestData:
    return FetchRequestData(max_wait_ms=max_wait_ms, min_bytes=min_bytes, max_bytes=max_bytes, topics=[
        FetchRequestData.FetchTopic(topic=topic, partitions=[FetchRequestData.FetchPartition(
            partition=partition, fetch_offset=offset, partition_max_bytes=max_bytes)])])


def acceptors_of(server: SocketServer) -> list[Acceptor]:
    return list(server._data_plane_acceptors.values())


def processors_of(server: SocketServer) -> list[Processor]:
    return [processor for acceptor in acceptors_of(server) for processor in acceptor.processors()]


def leftovers(broker: BrokerServer) -> list[str]:
    """Return what a running broker holds for connections or requests, in words; nothing if nobody is there.

    Asked by another thread than those that own it all: while they work the answer may be of no moment.
    """
    server = broker.socket_server()
    quotas = server.connection_quotas
    pool = server._memory_pool
    channel = server.data_plane_request_channel
    purgatory = broker.replica_manager().delayed_fetch_purgatory
    found: dict[str, Any] = {
        "connections counted": quotas._total_count,
        "connections counted by address": dict(quotas._counts),
        "connections counted by listener": {
            listener: count for listener, count in quotas._listener_counts.items() if count},
        "bytes of the memory pool": pool.size() - pool.available_memory(),
        "requests in the queue": channel._request_queue.size(),
        "callbacks in the queue": channel._callback_queue.size(),
        "fetches in the timer": purgatory.num_delayed(),
        "fetches that wait": waiting_fetches(broker),
    }
    for acceptor in acceptors_of(server):
        found[f"throttled sockets of {acceptor.end_point.listener_name()}"] = len(acceptor._throttled_sockets)
    for processor in processors_of(server):
        selector = processor.selector
        idle = selector._idle_expiry_manager
        assert idle is not None
        found |= {f"{what} of processor {processor.id}": held for what, held in {
            "connections to be registered": processor._new_connections.size(),
            "responses in the queue": processor.response_queue_size(),
            "responses under way": processor.inflight_response_count(),
            "channels": list(selector._channels),
            "closing channels": list(selector._closing_channels),
            "muted channels": len(selector._explicitly_muted_channels),
            "keys with buffered bytes": len(selector._keys_with_buffered_read),
            "failed sends": list(selector._failed_sends),
            "idle times": list(idle._lru_connections),
            "keys": len(selector.keys()),
            "keys to be cancelled": len(selector._nio_selector._cancelled),
            **_connections_in_metrics(server, processor),
        }.items()}
    for name, metric in broker.metrics_registry().all_metrics().items():
        if name.get_name() in _WAITING:
            assert isinstance(metric, Gauge)
            found[name.get_mbean_name()] = metric.value()
    return [f"{what}: {held}" for what, held in found.items() if held]


def waiting_fetches(broker: BrokerServer) -> int:
    """Return how many fetches are watched and not done; those that are done may stay for a while."""
    return sum(
        not operation.is_completed()
        for watcher_list in broker.replica_manager().delayed_fetch_purgatory._watcher_lists
        for watchers in list(watcher_list.all_watchers())
        for operation in list(watchers._operations))


def wait_for_nothing_left(broker: BrokerServer) -> None:
    """Wait until a running broker has let go of all connections and requests."""
    deadline = time.monotonic() + PATIENCE_S
    while left := leftovers(broker):
        assert time.monotonic() < deadline, left
        time.sleep(0.001)


def _connections_in_metrics(server: SocketServer, processor: Processor) -> dict[str, float]:
    """Return how many connections there are by each of the metrics that count them."""
    totals: dict[str, float] = {}
    for name, metric in list(server.metrics.metrics().items()):
        if name.group() == METRICS_GROUP and name.tags().items() >= processor.metric_tags.items() and (
                name.name() in _COUNTING_CONNECTIONS):
            totals[name.name()] = totals.get(name.name(), 0) + number(metric.metric_value())
    return {
        "connections in the metrics": totals["connection-count"],
        "connections by client in the metrics": totals.get("connections", 0),
        "connections that were not closed, by the metrics":
            totals["connection-creation-total"] - totals["connection-close-total"],
    }


def assert_nothing_left_of_broker(broker: BrokerServer) -> None:
    """Check a broker that is shut down."""
    server = broker.socket_server()
    assert_nothing_left_of_server(server)
    for acceptor in acceptors_of(server):
        assert_nothing_left_of_acceptor(acceptor)
        for processor in acceptor.processors():
            assert_nothing_left_of_processor(processor)
    assert waiting_fetches(broker) == 0
    assert not broker.metrics_registry().all_metrics()


def _descriptors() -> Counter[str]:
    """Return how many descriptors of each kind this process has, without files: logs open theirs late."""
    found: Counter[str] = Counter()
    for number_ in os.listdir("/proc/self/fd"):
        try:
            kind = os.readlink(f"/proc/self/fd/{number_}").partition(":")[0]
        except OSError:
            continue
        if not kind.startswith("/"):
            found[kind] += 1
    return found


class _Log(logging.Handler):
    """Keeps the messages that should not have been logged.

    It comes before all other handlers, and takes the traces away from them: their frames would hold what the
    broker has long let go, files of segments among it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fatal: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            record.exc_text, record.exc_info = repr(record.exc_info[1]), None
        if any(text in record.msg for text in _FATAL):
            self.fatal.append(f"{record.getMessage()}: {record.exc_text}")
