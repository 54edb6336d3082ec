# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A Kafka broker in this process, for tests of Kafka clients.

The broker keeps its port across restarts. A bound socket that never listens reserves the port, so the kernel
gives the port to no other program and to no outgoing connection. The data folder is in memory where there is
room.

Calls that start and stop the broker exclude each other (``_lock``). Any thread may read its state. Brokers
share only Python's loggers, and a clock if the test gives them one.

In a forked child the broker does not run, and the child does not touch the parent's broker. The child may
connect to the parent's broker, and may start brokers of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeVar

from kreactor.common.errors import GroupIdNotFoundException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.clock import Clock
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.owned_folders import OWNER_FILE
from kreactor.jdk.thread_dump import add_section
from kreactor.jdk.threads import run_before_threads_end
from kreactor.jdk.tracing import leave_threads_untraced
from kreactor.testing import load
from kreactor.testing.addresses import HOST, certificate_hosts, check_port, client_host, first_address
from kreactor.testing.faults import Faults, api_key
from kreactor.testing.folders import TemporaryFolder
from kreactor.testing.holds import Hold, Holds
from kreactor.testing.received import ASK_AGAIN_S, ReceivedRequest, RequestLog
from kreactor.testing.record import (
    Data,
    Headers,
    Isolation,
    NewRecord,
    Record,
    check_count,
    check_isolation,
    new_record,
)

if TYPE_CHECKING:
    from kreactor.common.security.scram.scram_credential import ScramCredential
    from kreactor.metadata.node_storage import ScramCredentialKey
    from kreactor.testing.groups import Group
    from kreactor.testing.inside import Inside
    from kreactor.testing.instrumented_server import InstrumentedServer
    from kreactor.testing.seeds import SeedTopic
    from kreactor.testing.state import State
    from kreactor.testing.tls import Tls

T = TypeVar("T")

_PLAINTEXT = "PLAINTEXT"
# The least free space of a folder in memory, in bytes.
_SHARED_MEMORY = "/dev/shm"
_ENOUGH_BYTES = 256 * 1024 * 1024

_PROTOCOLS = "group.coordinator.rebalance.protocols"

# Settings that replace Kafka's defaults in a test's broker.
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
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "200",
}


class Snapshot:
    """A copy of a broker's data folder at one moment. The broker that made the snapshot removes it."""

    def __init__(self, folder: TemporaryFolder) -> None:
        self._folder = folder


class Broker:
    """One broker: ``with Broker() as broker``, or ``start`` and ``close``."""

    def __new__(cls, *_: object, process: bool = False, **__: object) -> Broker:
        """Return a broker; with ``process=True``, one that runs in a child process."""
        if process and cls is Broker:
            from kreactor.testing.remote import ProcessBroker

            return object.__new__(ProcessBroker)
        return object.__new__(cls)

    def __init__(self, *, properties: Mapping[str, object] | None = None,
                 topics: Iterable[str] | Mapping[str, int] = (), partitions: int = 1,
                 time: Time | None = None, seed: int = 0, max_requests: int = 10_000,
                 tls: bool | Literal["mutual"] = False, sasl: str | None = None,
                 users: Mapping[str, str] | None = None, process: bool = False,
                 edition: str | None = None, port: int = 0, fast: bool = False) -> None:
        """Store the arguments; nothing is started yet.

        ``properties`` are Kafka's. The start creates ``topics``, with ``partitions`` each or with the number
        that the mapping gives; a client's first use also creates a topic. ``time`` is a MockTime that the
        test moves, or the real clock. ``seed`` seeds the faults that have a probability. The broker keeps the
        last ``max_requests`` requests.

        With ``tls`` clients connect over TLS, and ``self.tls`` has the files from the first start on. With
        ``tls="mutual"`` clients also need a certificate. With ``sasl``, one mechanism or several separated by
        commas, clients authenticate as one of ``users``, a mapping of names to passwords. Listeners that
        ``properties`` name are not changed. Raises ValueError for an unknown mechanism. The start raises
        ImportError if TLS lacks the package of the extra ``tls``.

        With ``process`` the broker runs in a child process, which has an interpreter lock of its own. All
        calls are the same except ``server``, ``port_of`` and predicates for faults, which need the broker's
        own process.

        ``edition`` is an older release, such as "0.10.2": the network layer of that release serves the broker
        of 3.8.0. An edition has no mock clock and no faults; ``requests``, ``connections``, ``disconnect``,
        ``pause`` and ``kill`` raise IllegalStateException. Raises ConfigException for a property that a later
        release introduced.

        ``port`` is the port on 127.0.0.1, 0 for a free one. Raises ValueError for a port beside ``listeners``
        in ``properties``. ``fast`` sets the property ``kreactor.fast``.
        """
        if tls not in (False, True, "mutual"):
            raise ValueError(f'tls={tls!r}: must be False, True or "mutual"')
        if not isinstance(topics, Iterable):
            raise TypeError(f"topics: {topics!r} is neither names nor a mapping of names to partitions")
        mechanisms = [each.strip() for each in sasl.split(",")] if sasl is not None else []
        if users and not mechanisms:
            raise ValueError("users: need a mechanism; set sasl, such as sasl='PLAIN'")
        self._scram_users: dict[ScramCredentialKey, ScramCredential] = {}
        self._properties: dict[str, str] = {}
        if mechanisms:
            from kreactor.testing.users import sasl_properties, scram_users

            self._scram_users = scram_users(mechanisms, users or {})
            self._properties = sasl_properties(mechanisms, users or {})
        self._mechanisms, self._users = mechanisms, dict(users or {})
        self._properties |= {name: str(value) for name, value in (properties or {}).items()}
        if fast:
            self._properties["kreactor.fast"] = "true"
        self._fixed_port = check_port("port", port)
        if port and "listeners" in self._properties:
            raise ValueError(f"port={port}: the property listeners has the port already")
        self._topics = dict(topics) if isinstance(topics, Mapping) else dict.fromkeys(topics, partitions)
        self.partitions = partitions
        self._edition = edition
        if edition is not None:
            from kreactor.testing.edition import NoFaults, checked

            self._edition = edition = checked(edition, self._properties, time)
        self.time: Time = Time.SYSTEM if time is None else time
        self.faults = Faults(seed) if edition is None else NoFaults(edition)
        self._requests = RequestLog(max_requests)
        self._lock = ReentrantLock()
        self._inside: Inside | None = None
        self._holds = Holds()
        # The offset at which the next ``consume`` begins, by topic and partition. Guarded by the lock.
        self._positions: dict[str, dict[int, int]] = {}
        self._snapshots: list[TemporaryFolder] = []
        self._folder: TemporaryFolder | None = None
        self._reserved: Floor.socket.socket | None = None
        self._listeners: str | None = None
        self._security_protocol = ("SASL_" if mechanisms else "") + ("SSL" if tls else _PLAINTEXT)
        self._mutual = tls == "mutual"
        self._tls: Tls | None = None
        # Where clients reach the broker. Set by the first start; later starts keep the values.
        self._address: tuple[str, int] | None = None
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Become a broker that never started, in a forked child; the parent's broker serves on.

        The address and the certificates stay known, so that clients in the child reach the parent's broker.
        """
        self._lock = ReentrantLock()
        self._holds = Holds()
        self._inside = self._folder = self._listeners = None
        reserved, self._reserved = self._reserved, None
        if reserved is not None:
            reserved.close()
        _open_brokers.discard(self)

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> Broker:
        """Start to serve; after ``kill`` or ``stop``, on the same port with the same data.

        Raises IllegalStateException if the broker runs or gevent has patched threads; raises as BrokerServer.
        A failed first start leaves nothing behind.
        """
        prepare_process()
        with self._lock:
            if self._inside is not None:
                raise IllegalStateException("the broker runs already: stop it first")
            is_first = self._folder is None
            try:
                if is_first:
                    self._folder = self._new_folder()
                    self._make_certificates()
                    self._reserve_port()
                self._start_server()
                if is_first and self._topics:
                    self._running().create_topics(self._topics, {})
            except BaseException:
                if is_first:
                    self.close()
                raise
        _open_brokers.add(self)
        return self

    def _new_folder(self) -> TemporaryFolder:
        return TemporaryFolder("kreactor-", _parent_folder())

    def _new_inside(self, properties: Mapping[str, object]) -> Inside:
        inside: Inside = load("inside").Inside(
            properties, self._requests, self.faults, self.time, self._scram_users, edition=self._edition)
        return inside

    def _start_server(self) -> None:
        self._inside = self._new_inside({
            **DEFAULT_PROPERTIES, "num.partitions": str(self.partitions),
            # Consumer groups of KIP-848, unless the test sets the protocols.
            **({} if _PROTOCOLS in self._properties else {"group.coordinator.new.enable": "true"}),
            **({} if self._tls is None else self._tls.properties(self._mutual)), **self._properties,
            "listeners": self._listeners, "log.dirs": self.folder})
        self._keep_address()

    def _keep_address(self) -> None:
        """Keep the ports that the first start was given, for clients and for later starts."""
        bound = self._running().listeners()
        self._listeners = ",".join(
            f"{name}://{Utils.format_address(host, port)}" for name, host, port in bound)
        _, host, port = bound[0]
        self._address = client_host(host), port

    def _reserve_port(self) -> None:
        """Choose the listeners. Raises KafkaException if the port is in use. A second call does nothing."""
        if self._listeners is not None:
            return
        self._listeners = self._properties.get("listeners")
        if self._listeners is None:
            port = self._fixed_port
            # On other systems two sockets cannot share a port, even if only one of them listens.
            if sys.platform == "linux":
                reserved = Floor.socket.socket()
                try:
                    reserved.setsockopt(Floor.socket.SOL_SOCKET, Floor.socket.SO_REUSEADDR, 1)
                    reserved.bind((HOST, port))
                except OSError as e:
                    reserved.close()
                    raise KafkaException(f"port {port} of {HOST}: {e.strerror}", e) from e
                self._reserved = reserved
                port = reserved.getsockname()[1]
            self._listeners = f"{self._security_protocol}://{HOST}:{port}"
            if self._security_protocol != _PLAINTEXT:
                self._listeners += f",{_PLAINTEXT}://{HOST}:0"

    def _make_certificates(self) -> None:
        if self._security_protocol.endswith("SSL"):
            from kreactor.testing.tls import Tls

            names, addresses = certificate_hosts(self._properties)
            self._tls = Tls(names, addresses)

    def stop(self, drain_ms: int = 2_000) -> None:
        """Stop in order: answer the requests that were read, for up to ``drain_ms``, then close the logs.

        Does nothing if the broker does not run.
        """
        with self._lock:
            inside, self._inside = self._inside, None
            # A held thread could not end.
            self._holds.let_go()
            if inside is not None:
                inside.shutdown(drain_ms)

    def kill(self) -> None:
        """Stop as ``kill -9`` does: reset all connections; flush, checkpoint and mark clean nothing.

        Handlers finish their current requests, without a response. Raises IllegalStateException if the broker
        does not run.
        """
        with self._lock:
            server = self._instrumented("kill")
            # The kill waits for the threads.
            self._holds.let_go()
            server.kill()
            self.stop()

    def restart(self) -> None:
        """Start again: after ``kill`` or ``stop``; a broker that runs is stopped first."""
        with self._lock:
            self.stop()
            self.start()

    def close(self) -> None:
        """Stop the broker and remove its files. A second call does nothing."""
        with self._lock:
            try:
                self.stop(0)
            finally:
                _open_brokers.discard(self)
                reserved, self._reserved = self._reserved, None
                if reserved is not None:
                    reserved.close()
                self._listeners = None
                tls, self._tls = self._tls, None
                if tls is not None:
                    tls.close()
                folder, self._folder = self._folder, None
                self._positions.clear()
                for each in (*self._snapshots, *filter(None, [folder])):
                    each.close()
                self._snapshots.clear()

    def __enter__(self) -> Broker:
        return self.start()

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    def pause(self) -> None:
        """Accept, read and write nothing until ``resume``, like a process after SIGSTOP.

        Connections stay open.

        Handlers still handle the requests that were read before. Raises IllegalStateException if it does not
        run.
        """
        self._instrumented("pause").pause()

    def resume(self) -> None:
        """End a pause. Raises IllegalStateException if it does not run."""
        self._instrumented("resume").resume()

    # -- address and state --------------------------------------------------------------------------------

    @property
    def host(self) -> str:
        """The host of the first listener; 127.0.0.1 for a listener on all addresses."""
        if self._address is not None:
            return self._address[0]
        return first_address(self._properties)[0]

    @property
    def port(self) -> int:
        """The port of the first listener.

        Raises IllegalStateException before the first start, unless the broker was made with a fixed port.
        """
        if self._address is not None:
            return self._address[1]
        port = self._fixed_port or first_address(self._properties)[1]
        if not port:
            raise IllegalStateException("the broker has no port before its first start: start it first, or "
                                        "make it with port=...")
        return port

    @property
    def bootstrap_servers(self) -> str:
        """The host and port of the first listener, in the form of the clients' setting.

        Raises as ``port``.
        """
        return Utils.format_address(self.host, self.port)

    @property
    def folder(self) -> str | None:
        """The data folder; None before the start and after ``close``."""
        folder = self._folder
        return None if folder is None else folder.path

    @property
    def tls(self) -> Tls:
        """The TLS files. Raises IllegalStateException if the broker was made without ``tls``."""
        if self._tls is None:
            raise IllegalStateException("the broker has no certificates: make it with tls=True")
        return self._tls

    def is_running(self) -> bool:
        """Return whether the broker runs; a paused broker runs."""
        return self._inside is not None

    def server(self) -> InstrumentedServer:
        """Return the BrokerServer, a new one after each start. Raises IllegalStateException."""
        server: InstrumentedServer = self._running().server  # type: ignore[assignment]
        return server

    def _instrumented(self, method: str) -> InstrumentedServer:
        """Return the running broker, for methods that an older edition does not have."""
        if self._edition is not None:
            from kreactor.testing.edition import no_such_method

            raise no_such_method(self._edition, method)
        return self.server()

    def port_of(self, listener: str) -> int:
        """Return the port of a listener, by its name."""
        return self._running().server.bound_port(listener)

    def _running(self) -> Inside:
        inside = self._inside
        if inside is None:
            raise IllegalStateException("the broker does not run")
        return inside

    # -- inside -----------------------------------------------------------------------------------------

    def state(self) -> State:
        """Return what the broker does: its threads, queues, channels, memory pool and purgatories.

        The state is a dict with values of JSON, and ``print`` shows it as text. It is read without a lock, so
        its parts are from slightly different moments. It has the lengths of requests, not their content.
        Raises IllegalStateException if the broker does not run.
        """
        state: State = load("state").state_of(self._instrumented("state"))
        state["holds"] = self._holds.held()
        return state

    def hold(self, point: str, *, thread: str | None = None) -> Hold:
        """Stop each thread that comes to a method, such as ``"Processor._process_new_responses"``.

        ``point`` is a class and its method. The class is that of an acceptor, a processor, its selector, the
        request channel, a request handler, the APIs or the replica manager. ``thread`` is a part of the names
        of the threads to stop. ``wait`` of the returned hold waits until a thread stands there, ``go`` or the
        end of a ``with`` statement lets all go. A stop or kill of the broker lets them go. Raises ValueError
        for an unknown point, IllegalStateException if the method is held or the broker does not run.
        """
        # No stop may come between the look for the objects and the hold of them.
        with self._lock:
            return self._holds.add(self._instrumented("hold"), point, thread)

    def hold_handlers(self) -> Hold:
        """Stop each request handler before it handles its next request. Raises IllegalStateException."""
        return self.hold("ApiRequestHandler.handle")

    # -- requests and connections
    # ------------------------------------------------------------------------------

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        """Return the requests of one client and of one API such as Produce, or all, the oldest first.

        Raises ValueError for an unknown API.
        """
        if self._edition is not None:
            self._instrumented("requests")
        return self._requests.find(client_id, None if api is None else api_key(api))

    def connections(self) -> dict[str, str | None]:
        """Return the client id of each open connection, by connection id; None before its first request."""
        return self._instrumented("connections").connections()

    def disconnect(self, client_id: str | None = None) -> None:
        """Close the connections of a client, or all connections, even with requests under way."""
        server = self._instrumented("disconnect")
        before = {id for id, its in server.connections().items() if client_id is None or its == client_id}
        server.disconnect(client_id)
        self.wait_for(lambda: not before & server.connections().keys())

    def forget_requests(self) -> None:
        """Forget the requests that were kept so far."""
        self._requests.clear()

    def wait_for(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        """Return the result of ``predicate`` once the result is true.

        The call evaluates the predicate again after each request, each response, each connection that opens
        or closes, and each move of a mock clock. Raises TimeoutError after ``timeout_s`` of real time.
        """
        return self._requests.wait_for(
            predicate, timeout_s, None if self._edition is None else ASK_AGAIN_S)

    async def wait_for_async(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        """As ``wait_for``, for a test of asyncio: the event loop runs on, and calls ``predicate``."""
        return await self._requests.wait_for_async(predicate, timeout_s)

    # -- topics ------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None) -> None:
        """Create a topic. Raises the error that a client would get."""
        self._running().create_topics({name: partitions or self.partitions}, configs or {})

    def delete_topic(self, name: str) -> None:
        """Delete a topic. Raises the error that a client would get."""
        self._running().delete_topics([name])
        with self._lock:
            self._positions.pop(name, None)

    def compact(self, topic: str) -> None:
        """Compact a topic now, as the broker's cleaner does once enough of the topic is stale.

        Compaction covers the records before the first open transaction that are older than
        ``min.compaction.lag.ms``. It keeps the last record of each key. The first compaction that meets a
        tombstone keeps the tombstone; a compaction ``delete.retention.ms`` later removes it. A mock clock
        counts for both times. Raises UnknownTopicOrPartitionException, ValueError if the topic's
        ``cleanup.policy`` lacks ``compact``, or IllegalStateException if the cleaner is off.
        """
        self._running().compact(topic)

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return self._running().topics()

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition. Raises UnknownTopicOrPartitionException."""
        return self._running().end_offsets(topic)

    def reset(self) -> None:
        """Return to the state after the first start: empty topics of ``__init__``; no groups, requests or
        faults.

        Connections stay open. Settings, users, quotas and ACLs that clients have changed stay as they are.
        """
        with self._lock:
            inside = self._running()
            self.faults.clear()
            if self._edition is None:
                self.resume()
            inside.reset(self._topics)
            self._positions.clear()
            self._requests.clear()

    def snapshot(self) -> Snapshot:
        """Return a copy of the broker's data folder, for ``restore``.

        A broker that runs is stopped for the copy and started again: its clients lose their connections.
        """
        with self._lock:
            folder = self._data_folder()
            was_running = self.is_running()
            self.stop()
            copy = TemporaryFolder("kreactor-", _parent_folder())
            self._snapshots.append(copy)
            _copy_data(folder.path, copy.path)
            if was_running:
                self.start()
            return Snapshot(copy)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the topics, records, groups and settings of a snapshot.

        A broker that runs is stopped first and started again. Raises ValueError for another broker's
        snapshot.
        """
        with self._lock:
            folder = self._data_folder()
            if snapshot._folder not in self._snapshots:
                raise ValueError("the snapshot is not of this broker, or the broker was closed since")
            was_running = self.is_running()
            self.stop(0)
            for entry in Floor.os.scandir(folder.path):
                if entry.is_dir(follow_symlinks=False):
                    Floor.shutil.rmtree(entry.path)
                elif entry.name != OWNER_FILE:
                    Floor.os.remove(entry.path)
            _copy_data(snapshot._folder.path, folder.path)
            self._positions.clear()
            if was_running:
                self.start()

    def _data_folder(self) -> TemporaryFolder:
        folder = self._folder
        if folder is None:
            raise IllegalStateException("the broker has not started")
        return folder

    # -- records -----------------------------------------------------------------------------------

    def produce(self, topic: str, *values: Data, key: Data = None, partition: int | None = None,
                headers: Headers = (), timestamp_ms: int | None = None) -> list[Record]:
        """Append a record for each value; return the records with their offsets.

        Text is encoded in UTF-8. Without ``partition`` the key chooses the partition, as in Kafka's producer.
        Records without a key go to the partitions in turn. A missing topic is created. Raises the error that
        a producer would get.
        """
        return self.produce_records(
            topic, [(partition, new_record(value, key, headers, timestamp_ms)) for value in values])

    def produce_records(self, topic: str, records: Sequence[tuple[int | None, NewRecord]]) -> list[Record]:
        """Append records, each with a partition or None; as ``produce``."""
        return self._running().produce(topic, records, self.partitions) if records else []

    def consume(self, topic: str, count: int | None = None, *, partition: int | None = None,
                timeout_s: float = 10.0, isolation: Isolation = "read_committed") -> list[Record]:
        """Return the records behind those that the last call returned.

        With ``count`` the call waits for exactly that many records. Records of a transaction are returned
        once the transaction is committed. Raises TimeoutError, and UnknownTopicOrPartitionException.
        """
        check_isolation(isolation)
        check_count(count)
        found: list[Record] = []

        def is_there() -> bool:
            found[:] = self._running().records(topic, partition, isolation, self._positions.get(topic, {}))
            return count is None or len(found) >= count

        try:
            self._wait_for_records(is_there, timeout_s)
        except TimeoutError:
            raise TimeoutError(f"topic {topic} has {len(found)} new records after {timeout_s} s, "
                               f"not {count}") from None
        if count is not None:
            del found[count:]
        with self._lock:
            positions = self._positions.setdefault(topic, {})
            for record in found:
                positions[record.partition] = record.offset + 1
        return found

    def records(self, topic: str, partition: int | None = None, *,
                isolation: Isolation = "read_uncommitted") -> list[Record]:
        """Return the records of a topic or of one partition, in order of partition and offset.

        Transaction markers are left out. With "read_committed", records of open and aborted transactions are
        left out, too; the call waits up to 10 s for the markers of transactions that a client has ended.
        Raises UnknownTopicOrPartitionException.
        """
        check_isolation(isolation)
        return self._running().records(topic, partition, isolation, {})

    def assert_records(self, topic: str, expected: Iterable[object], *, partition: int | None = None,
                       ordered: bool = True, timeout_s: float = 0.0,
                       isolation: Isolation = "read_committed") -> None:
        """Raise AssertionError with the differences unless a topic has exactly these records.

        Each element of ``expected`` is a value, a pair of key and value, or a Record that was read before.
        With ``ordered=False`` the order does not count. With ``timeout_s`` the records may arrive within that
        time.
        """
        from kreactor.testing.differences import differences

        wanted = list(expected)
        difference = ""

        def is_equal() -> bool:
            nonlocal difference
            difference = differences(self.records(topic, partition, isolation=isolation), wanted, ordered)
            return not difference

        try:
            self._wait_for_records(is_equal, timeout_s)
        except TimeoutError:
            raise AssertionError(f"topic {topic}:\n{difference}") from None

    def _wait_for_records(self, predicate: Callable[[], T], timeout_s: float) -> T:
        # No request tells when a transaction's marker is written.
        return self._requests.wait_for(predicate, timeout_s, ASK_AGAIN_S)

    def load(self, file: str | os.PathLike[str]) -> None:
        """Create the topics and append the records of a file in YAML or JSON; the README of this folder has
        its form.

        Raises ValueError, which says what is wrong with the file, and the errors of ``produce``.
        """
        from kreactor.testing.seeds import read_seeds

        self.load_topics(read_seeds(file))

    def load_topics(self, topics: Iterable[SeedTopic]) -> None:
        """Create missing topics, and append the topics' records."""
        existing = self.topics()
        for topic in topics:
            if topic.name not in existing:
                self.create_topic(topic.name, topic.partitions, topic.configs)
            self.produce_records(topic.name, topic.records)

    # -- clients -----------------------------------------------------------------------------------

    def client_config(self, client: str, *, user: str | None = None) -> dict[str, object]:
        """Return the settings of a client that connects to this broker, with TLS and SASL if the broker has
        them.

        ``client`` is "confluent", "aiokafka", "kafka-python" or "java". ``user`` is one of the broker's
        users, by default the first. Raises ValueError.
        """
        from kreactor.testing.client_config import client_config

        if user is None:
            user = next(iter(self._users), None)
        elif user not in self._users:
            raise ValueError(f"user={user!r}: the broker has {', '.join(self._users) or 'no users'}")
        return client_config(client, self.bootstrap_servers, self._security_protocol, self._tls,
                             self._mutual, self._mechanisms[0] if self._mechanisms else None, user,
                             None if user is None else self._users[user])

    # -- groups ------------------------------------------------------------------------------------

    def groups(self) -> dict[str, Group]:
        """Return the groups by id, with their members and committed offsets.

        The call waits until the group coordinator has loaded and unloaded its partitions, and asks over a
        connection, so the broker must not be paused. Raises UnsupportedVersionException if the broker has no
        groups, or TimeoutError if the coordinator is busy for more than 10 s.
        """
        inside = self._running()
        return inside.groups(*inside.plaintext_address())

    def wait_group_stable(self, group: str, members: int | None = None, timeout_s: float = 10.0) -> Group:
        """Return a group once it is stable, and has ``members`` members if that is given.

        Raises TimeoutError.
        """
        deadline = Clock.seconds() + timeout_s
        while True:
            found = self.groups().get(group)
            if (found is not None and found.state == "Stable"
                    and members in (None, len(found.members))):
                return found
            if Clock.seconds() >= deadline:
                state = "does not exist" if found is None else (
                    f"is {found.state} with {len(found.members)} members")
                raise TimeoutError(f"group {group} {state} after {timeout_s} s")
            Clock.sleep(ASK_AGAIN_S)

    def lag(self, group: str) -> dict[str, dict[int, int]]:
        """Return, by topic and partition, how many records a group's commits are behind the end offsets.

        Raises GroupIdNotFoundException for an unknown group, and the errors of ``groups``.
        """
        found = self.groups().get(group)
        if found is None:
            raise GroupIdNotFoundException(f"there is no group {group}")
        topics = self.topics()
        return {topic: {partition: topics[topic][partition] - offset for partition, offset in offsets.items()}
                for topic, offsets in found.offsets.items() if topic in topics}


def prepare_process() -> None:
    """Prepare the process for a broker. Raises IllegalStateException if gevent has patched threads."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is not None and monkey.is_module_patched("threading"):
        raise IllegalStateException("gevent has patched threads, which a broker needs unpatched: use "
                                    "Broker(process=True)")
    leave_threads_untraced()


def _copy_data(source: str, target: str) -> None:
    Floor.shutil.copytree(source, target, dirs_exist_ok=True, ignore=Floor.shutil.ignore_patterns(OWNER_FILE))


def _parent_folder() -> str | None:
    """Return the folder for folders in memory, or None for the system's choice."""
    try:
        stat = Floor.os.statvfs(_SHARED_MEMORY)
    except OSError:
        return None
    has_room = stat.f_bavail * stat.f_frsize >= _ENOUGH_BYTES
    return _SHARED_MEMORY if has_room and Floor.os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) else None


# Brokers that are started and not closed. At its end Python waits for their threads, and calls this function
# before the wait.
_open_brokers: set[Broker] = set()


def _close_open_brokers() -> None:
    for broker in list(_open_brokers):
        broker.close()


run_before_threads_end(_close_open_brokers)


def _states_text() -> str:
    # An older edition has no state.
    text: str = load("state").states_text([broker.state for broker in _open_brokers.copy()])
    return text


add_section(_states_text)
