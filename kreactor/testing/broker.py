# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A broker in this process, for tests of what talks to Kafka.

The port is chosen once and kept: a socket that never listens holds it, so that neither another program nor
the near end of a connection gets it while the broker is away. The folder is in memory where there is room.

Calls that start and stop exclude each other (``_lock``); any thread may look. Brokers share nothing but
Python's loggers, and a clock if they are given one.

A child that is forked while a broker runs has no broker, and leaves its parent's alone. The child may connect
to its parent's broker, and start brokers of its own.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from kreactor.common.errors import ApiException, GroupIdNotFoundException, UnsupportedVersionException
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.core.server.controller_request_context import ControllerRequestContext
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.results import FetchIsolation
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.testing import groups
from kreactor.testing.clock import BrokerClock
from kreactor.testing.faults import Faults, api_key
from kreactor.testing.folders import TemporaryFolder
from kreactor.testing.groups import Group
from kreactor.testing.instrumented_server import InstrumentedServer
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import ReceivedRequest, RequestLog
from kreactor.testing.users import sasl_properties, scram_users

if TYPE_CHECKING:
    from kreactor.embedded.partition_log import PartitionLog
    from kreactor.testing.tls import Tls

T = TypeVar("T")

HOST = "127.0.0.1"
_PLAINTEXT = "PLAINTEXT"
# A folder in memory has at least so much room.
_SHARED_MEMORY = "/dev/shm"
_ENOUGH_BYTES = 256 * 1024 * 1024
_READ_BYTES = 1024 * 1024

# What a test wants otherwise than a cluster.
DEFAULT_PROPERTIES: Mapping[str, str] = {
    "broker.id": "1",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "background.threads": "1",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}


class Record(NamedTuple):
    """A record as it lies in a topic, decompressed."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class Broker:
    """A broker of one's own: ``with Broker() as broker``, or ``start`` and ``close``."""

    def __init__(self, *, properties: Mapping[str, object] | None = None,
                 topics: Iterable[str] | Mapping[str, int] = (), partitions: int = 1,
                 time: Time | None = None, seed: int = 0, max_requests: int = 10_000,
                 tls: bool | Literal["mutual"] = False, sasl: str | None = None,
                 users: Mapping[str, str] | None = None) -> None:
        """Touch nothing yet.

        ``properties`` are Kafka's. ``topics`` are created at the start, with ``partitions`` each or with a
        number of their own; so are those that clients create by using them. ``time`` is a MockTime that the
        test moves, or the real one. ``seed`` is for faults by lot. The last ``max_requests`` are kept.

        With ``tls`` clients connect over TLS, for which ``self.tls`` has the files from the first start on;
        with "mutual" they need a certificate, too. With ``sasl``, a mechanism or several with commas between
        them, they have to authenticate, as one of ``users``: passwords by names. Listeners that
        ``properties`` name stay as they are. Raises ValueError for a mechanism that there is not.
        """
        mechanisms = [each.strip() for each in sasl.split(",")] if sasl is not None else []
        if users and not mechanisms:
            raise ValueError("users without sasl: which mechanism is it to be?")
        self._scram_users = scram_users(mechanisms, users or {})
        self._properties = sasl_properties(mechanisms, users or {}) if mechanisms else {}
        self._properties |= {name: str(value) for name, value in (properties or {}).items()}
        self._topics = dict(topics) if isinstance(topics, Mapping) else dict.fromkeys(topics, partitions)
        self.partitions = partitions
        self.time: Time = Time.SYSTEM if time is None else time
        self.faults = Faults(seed)
        self._requests = RequestLog(max_requests)
        self._lock = threading.RLock()
        self._server: InstrumentedServer | None = None
        self._clock: BrokerClock | None = None
        self._folder: TemporaryFolder | None = None
        self._reserved: socket.socket | None = None
        self._listeners: str | None = None
        self._security_protocol = ("SASL_" if mechanisms else "") + ("SSL" if tls else _PLAINTEXT)
        self._mutual = tls == "mutual"
        self._tls: Tls | None = None
        # Whether there is one in plain text beside that of clients, for this process itself.
        self._has_inner_listener = False
        self.host = HOST
        # Known from the first start on, and the same ever after.
        self.port = 0
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Count as one that never started, in a forked child: the parent's broker serves on.

        The facts that clients need to reach that one stay known: its address and its certificates.
        """
        self._lock = threading.RLock()
        self._server = self._clock = self._folder = None
        reserved, self._reserved = self._reserved, None
        if reserved is not None:
            reserved.close()
        _open_brokers.discard(self)

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> Broker:
        """Serve; after ``kill`` or ``stop`` on the same port, with the same data.

        Raises IllegalStateException if it runs, or as BrokerServer; a first start leaves nothing behind then.
        """
        with self._lock:
            if self._server is not None:
                raise IllegalStateException("the broker runs")
            is_first = self._folder is None
            try:
                if is_first:
                    self._folder = TemporaryFolder("kreactor-", _parent_folder())
                    self._make_certificates()
                    self._reserve_port()
                self._start_server()
                if is_first:
                    for name, partitions in self._topics.items():
                        self.create_topic(name, partitions)
            except BaseException:
                if is_first:
                    self.close()
                raise
        _open_brokers.add(self)
        return self

    def _start_server(self) -> None:
        clock = BrokerClock(self.time) if isinstance(self.time, MockTime) else None
        try:
            config = KafkaConfig.from_props({
                **DEFAULT_PROPERTIES, "num.partitions": str(self.partitions),
                **({} if self._tls is None else self._tls.properties(self._mutual)), **self._properties,
                "listeners": self._listeners, "log.dirs": self.folder})
            server = InstrumentedServer(config, self._requests, self.faults, clock, self._scram_users)
            server.startup()
        except BaseException:
            if clock is not None:
                clock.close()
            raise
        self._server, self._clock = server, clock
        # From now on with the ports that were free.
        bound = [f"{each.listener_name().value()}://{each.host() or ''}:"
                 f"{server.bound_port(each.listener_name())}" for each in config.data_plane_listeners()]
        self._listeners = ",".join(bound)
        self.port = server.bound_port(config.data_plane_listeners()[0].listener_name())

    def _reserve_port(self) -> None:
        self._listeners = self._properties.get("listeners")
        if self._listeners is None:
            port = 0
            # Elsewhere two sockets cannot have one port, even if only one of them listens.
            if sys.platform == "linux":
                self._reserved = socket.socket()
                self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self._reserved.bind((HOST, 0))
                port = self._reserved.getsockname()[1]
            self._listeners = f"{self._security_protocol}://{HOST}:{port}"
            if self._security_protocol != _PLAINTEXT:
                self._has_inner_listener = True
                self._listeners += f",{_PLAINTEXT}://{HOST}:0"

    def _make_certificates(self) -> None:
        if self._security_protocol.endswith("SSL"):
            from kreactor.testing.tls import Tls

            self._tls = Tls()

    def stop(self, drain_ms: int = 2_000) -> None:
        """Stop as a broker that is told to: what was read is answered within ``drain_ms``, logs are closed.

        Nothing happens if it does not run.
        """
        with self._lock:
            server, self._server = self._server, None
            clock, self._clock = self._clock, None
            try:
                if clock is not None:
                    clock.close()
            finally:
                if server is not None:
                    server.shutdown(drain_ms)

    def kill(self) -> None:
        """Stop as after ``kill -9``: connections are reset; nothing is flushed, checkpointed or marked clean.

        What handlers have begun they end, unanswered. Raises IllegalStateException if it does not run.
        """
        with self._lock:
            self._running().kill()
            self.stop()

    def restart(self) -> None:
        """Start again: after ``kill``, ``stop`` or, if it runs, after a stop now."""
        with self._lock:
            self.stop()
            self.start()

    def close(self) -> None:
        """Stop, and leave nothing behind. A second call does nothing."""
        with self._lock:
            try:
                self.stop(0)
            finally:
                _open_brokers.discard(self)
                reserved, self._reserved = self._reserved, None
                if reserved is not None:
                    reserved.close()
                tls, self._tls = self._tls, None
                if tls is not None:
                    tls.close()
                folder, self._folder = self._folder, None
                if folder is not None:
                    folder.close()

    def __enter__(self) -> Broker:
        return self.start()

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def pause(self) -> None:
        """Accept, read and write nothing until ``resume``, as a process that is stopped; all stays open.

        Requests that were read before are handled meanwhile. Raises IllegalStateException if it does not run.
        """
        self._running().pause()

    def resume(self) -> None:
        """End a pause. Raises IllegalStateException if it does not run."""
        self._running().resume()

    # -- what it is --------------------------------------------------------------------------------

    @property
    def bootstrap_servers(self) -> str:
        """What clients are told: host and port of the first listener."""
        return f"{self.host}:{self.port}"

    @property
    def folder(self) -> str | None:
        """The data folder, None before the start and after ``close``."""
        folder = self._folder
        return None if folder is None else folder.path

    @property
    def tls(self) -> Tls:
        """The files for TLS. Raises IllegalStateException where there are none: see ``__init__``."""
        if self._tls is None:
            raise IllegalStateException("the broker has no certificates")
        return self._tls

    def is_running(self) -> bool:
        """Return whether it serves; one that is paused does."""
        return self._server is not None

    def server(self) -> InstrumentedServer:
        """Return the broker itself, a new one after each start. Raises IllegalStateException."""
        return self._running()

    def port_of(self, listener: str) -> int:
        """Return the port of a listener, by its name."""
        return self._running().bound_port(listener)

    def _running(self) -> InstrumentedServer:
        server = self._server
        if server is None:
            raise IllegalStateException("the broker does not run")
        return server

    # -- what arrived ------------------------------------------------------------------------------

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        """Return the requests of a client and of an API such as Produce, or of all; the oldest first.

        Raises ValueError for an API that there is not.
        """
        return self._requests.find(client_id, None if api is None else api_key(api))

    def connections(self) -> dict[str, str | None]:
        """Return the client ids of open connections by connection id; None before the first request."""
        return self._running().connections()

    def disconnect(self, client_id: str | None = None) -> None:
        """Close the connections of a client, or all, whatever is under way on them."""
        server = self._running()
        before = {id for id, its in server.connections().items() if client_id is None or its == client_id}
        server.disconnect(client_id)
        self.wait_for(lambda: not before & server.connections().keys())

    def forget_requests(self) -> None:
        """Begin anew."""
        self._requests.clear()

    def wait_for(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        """Return what ``predicate`` returns, once that is true.

        It is asked again for each request that comes, each answer that is given, each connection that comes
        or goes and each move of a mock clock. Raises TimeoutError after ``timeout_s`` of real time.
        """
        return self._requests.wait_for(predicate, timeout_s)

    # -- topics ------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None) -> None:
        """Create a topic. Raises what a client would get."""
        creatable = CreateTopicsRequestData.CreatableTopic(
            name=name, num_partitions=partitions or self.partitions, replication_factor=1,
            configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=str(value))
                     for key, value in (configs or {}).items()])
        controller = self._running().data_plane_request_processor().controller_apis._controller
        result, = controller.create_topics(
            ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None),
            CreateTopicsRequestData(topics=[creatable]), frozenset()).topics
        error = Errors.for_code(result.error_code)
        if error is not Errors.NONE:
            raise error.exception(result.error_message) or ApiException(result.error_message)

    def delete_topic(self, name: str) -> None:
        """Delete a topic. Raises what a client would get."""
        server = self._running()
        topic = server.storage().delete_topic(name)
        server.replica_manager().apply_delta(deleted=topic.partitions())

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return {name: self.end_offsets(name) for name in self._running().storage().topics().topics()}

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition. Raises UnknownTopicOrPartitionException."""
        return {partition.partition(): self._log(partition).log_end_offset()
                for partition in self._partitions(topic)}

    def records(self, topic: str, partition: int | None = None) -> list[Record]:
        """Return the records of a topic or of one partition, in order of partition and offset.

        Markers of transactions are left out; records of those that were aborted are not. Raises
        UnknownTopicOrPartitionException.
        """
        found: list[Record] = []
        for each in self._partitions(topic):
            if partition is None or each.partition() == partition:
                self._read(each, found)
        return found

    # -- groups ------------------------------------------------------------------------------------

    def groups(self) -> dict[str, Group]:
        """Return the groups with their members and the offsets that they have committed, by id.

        The broker is asked over a connection, which must not be paused. Raises UnsupportedVersionException
        if it has no groups.
        """
        enabled = self._running().data_plane_request_processor().ENABLED_APIS
        if not enabled.issuperset(groups.APIS):
            raise UnsupportedVersionException("this broker has no consumer groups")
        return groups.groups(self.host, self.port_of(_PLAINTEXT) if self._has_inner_listener else self.port)

    def lag(self, group: str) -> dict[str, dict[int, int]]:
        """Return how far a group's commits are behind the ends, by the topics and partitions that it has.

        Raises GroupIdNotFoundException if there is no such group, or as ``groups``.
        """
        found = self.groups().get(group)
        if found is None:
            raise GroupIdNotFoundException(f"there is no group {group}")
        topics = self.topics()
        return {topic: {partition: topics[topic][partition] - offset for partition, offset in offsets.items()}
                for topic, offsets in found.offsets.items() if topic in topics}

    def _partitions(self, topic: str) -> list[TopicPartition]:
        known = self._running().storage().topics().topic(topic)
        if known is None:
            raise Errors.UNKNOWN_TOPIC_OR_PARTITION.exception() or ApiException(topic)
        return known.partitions()

    def _log(self, partition: TopicPartition) -> PartitionLog:
        log = self._running().storage().partition_log(partition)
        if log is None:
            raise Errors.UNKNOWN_TOPIC_OR_PARTITION.exception() or ApiException(str(partition))
        return log

    def _read(self, partition: TopicPartition, found: list[Record]) -> None:
        log = self._log(partition)
        offset = log.log_start_offset()
        while offset < (end := log.log_end_offset()):
            for batch in log.read(offset, _READ_BYTES, FetchIsolation.LOG_END, True).records.batches():
                if not batch.is_control_batch():
                    found += [Record(partition.partition(), record.offset(), record.timestamp(),
                                     _bytes(record.key()), _bytes(record.value()),
                                     tuple((header.key(), header.value()) for header in record.headers()))
                              for record in batch if offset <= record.offset() < end]
                offset = max(offset, batch.next_offset())


def _bytes(buffer: ByteBuffer | None) -> bytes | None:
    return None if buffer is None else bytes(buffer.view())


def _parent_folder() -> str | None:
    """Return where folders are in memory, None for the system's own choice."""
    try:
        stat = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return None
    has_room = stat.f_bavail * stat.f_frsize >= _ENOUGH_BYTES
    return _SHARED_MEMORY if has_room and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) else None


# Those that somebody has started and not closed. Python waits for their threads before it ends, and calls
# this before that.
_open_brokers: set[Broker] = set()


def _close_open_brokers() -> None:
    for broker in list(_open_brokers):
        broker.close()


getattr(threading, "_register_atexit")(_close_open_brokers)
