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
import shutil
import socket
import sys
import threading
import time as real_time
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypeVar

from kreactor.common.errors import GroupIdNotFoundException
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.tracing import leave_threads_untraced
from kreactor.testing import load
from kreactor.testing.faults import Faults, api_key
from kreactor.testing.folders import OWNER_FILE, TemporaryFolder
from kreactor.testing.received import ReceivedRequest, RequestLog
from kreactor.testing.record import (
    Data,
    Headers,
    Isolation,
    NewRecord,
    Record,
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
    from kreactor.testing.tls import Tls

T = TypeVar("T")

HOST = "127.0.0.1"
_PLAINTEXT = "PLAINTEXT"
# A folder in memory has at least so much room.
_SHARED_MEMORY = "/dev/shm"
_ENOUGH_BYTES = 256 * 1024 * 1024
# A wait that no request ends looks again after this.
_ASK_AGAIN_S = 0.02

_PROTOCOLS = "group.coordinator.rebalance.protocols"

# Settings that suit a test better than Kafka's defaults.
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
    """A copy of a broker's data folder at one moment. The broker that made it removes it."""

    def __init__(self, folder: TemporaryFolder) -> None:
        self._folder = folder


class Broker:
    """A broker of one's own: ``with Broker() as broker``, or ``start`` and ``close``."""

    def __new__(cls, *_: object, process: bool = False, **__: object) -> Broker:
        """Return a broker, with ``process=True`` one in a process of its own."""
        if process and cls is Broker:
            from kreactor.testing.remote import ProcessBroker

            return object.__new__(ProcessBroker)
        return object.__new__(cls)

    def __init__(self, *, properties: Mapping[str, object] | None = None,
                 topics: Iterable[str] | Mapping[str, int] = (), partitions: int = 1,
                 time: Time | None = None, seed: int = 0, max_requests: int = 10_000,
                 tls: bool | Literal["mutual"] = False, sasl: str | None = None,
                 users: Mapping[str, str] | None = None, process: bool = False,
                 edition: str | None = None) -> None:
        """Touch nothing yet.

        ``properties`` are Kafka's. ``topics`` are created at the start, with ``partitions`` each or with a
        number of their own; so are those that clients create by using them. ``time`` is a MockTime that the
        test moves, or the real one. ``seed`` is for faults by lot. The last ``max_requests`` are kept.

        With ``tls`` clients connect over TLS, for which ``self.tls`` has the files from the first start on;
        with "mutual" they need a certificate, too. With ``sasl``, a mechanism or several with commas between
        them, they have to authenticate, as one of ``users``: passwords by names. Listeners that
        ``properties`` name stay as they are. Raises ValueError for a mechanism that there is not. The start
        raises ImportError where TLS lacks the package that the extra ``testing`` brings.

        With ``process`` the broker is in a child process, which has an interpreter lock of its own. All calls
        are the same but ``server``, ``port_of`` and predicates for faults, which only that process has.

        ``edition`` is an older release, such as "0.10.2": its network layer serves today's broker. It has no
        mock clock and no faults; ``requests``, ``connections``, ``disconnect``, ``pause`` and ``kill`` raise
        IllegalStateException. Raises ConfigException for a property that came later.
        """
        if tls not in (False, True, "mutual"):
            raise ValueError(f'tls={tls!r}: there are False, True and "mutual"')
        if not isinstance(topics, Iterable):
            raise TypeError(f"topics: {topics!r} is neither names nor a mapping of names to partitions")
        mechanisms = [each.strip() for each in sasl.split(",")] if sasl is not None else []
        if users and not mechanisms:
            raise ValueError("users without sasl: which mechanism is it to be?")
        self._scram_users: dict[ScramCredentialKey, ScramCredential] = {}
        self._properties: dict[str, str] = {}
        if mechanisms:
            from kreactor.testing.users import sasl_properties, scram_users

            self._scram_users = scram_users(mechanisms, users or {})
            self._properties = sasl_properties(mechanisms, users or {})
        self._mechanisms, self._users = mechanisms, dict(users or {})
        self._properties |= {name: str(value) for name, value in (properties or {}).items()}
        self._topics = dict(topics) if isinstance(topics, Mapping) else dict.fromkeys(topics, partitions)
        self.partitions = partitions
        self._edition = edition
        if edition is not None:
            from kreactor.testing.edition import NoFaults, checked

            self._edition = edition = checked(edition, self._properties, time)
        self.time: Time = Time.SYSTEM if time is None else time
        self.faults = Faults(seed) if edition is None else NoFaults(edition)
        self._requests = RequestLog(max_requests)
        self._lock = threading.RLock()
        self._inside: Inside | None = None
        # The offset that ``consume`` goes on from, by topic and partition. Guarded by the lock.
        self._positions: dict[str, dict[int, int]] = {}
        self._snapshots: list[TemporaryFolder] = []
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
        self._inside = self._folder = None
        reserved, self._reserved = self._reserved, None
        if reserved is not None:
            reserved.close()
        _open_brokers.discard(self)

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> Broker:
        """Serve; after ``kill`` or ``stop`` on the same port, with the same data.

        Raises IllegalStateException if it runs or gevent has patched threads, or as BrokerServer; a first
        start leaves nothing behind then.
        """
        prepare_process()
        with self._lock:
            if self._inside is not None:
                raise IllegalStateException("the broker runs")
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
            # Consumer groups (KIP-848), unless the test says which protocols there are.
            **({} if _PROTOCOLS in self._properties else {"group.coordinator.new.enable": "true"}),
            **({} if self._tls is None else self._tls.properties(self._mutual)), **self._properties,
            "listeners": self._listeners, "log.dirs": self.folder})
        # From now on with the ports that were free.
        bound = self._running().listeners()
        self._listeners = ",".join(f"{name}://{host}:{port}" for name, host, port in bound)
        self.port = bound[0][2]

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
            try:
                from kreactor.testing.tls import Tls
            except ModuleNotFoundError as e:
                raise ImportError(
                    f"tls: certificates need {e.name}: pip install 'kreactor[testing]'") from None
            self._tls = Tls()

    def stop(self, drain_ms: int = 2_000) -> None:
        """Stop as a broker that is told to: what was read is answered within ``drain_ms``, logs are closed.

        Nothing happens if it does not run.
        """
        with self._lock:
            inside, self._inside = self._inside, None
            if inside is not None:
                inside.shutdown(drain_ms)

    def kill(self) -> None:
        """Stop as after ``kill -9``: connections are reset; nothing is flushed, checkpointed or marked clean.

        Handlers finish their current requests, without a response. Raises IllegalStateException if the broker
        does not run.
        """
        with self._lock:
            self._instrumented("kill").kill()
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
        """Accept, read and write nothing until ``resume``, as a process that is stopped; all stays open.

        Requests that were read before are handled meanwhile. Raises IllegalStateException if it does not run.
        """
        self._instrumented("pause").pause()

    def resume(self) -> None:
        """End a pause. Raises IllegalStateException if it does not run."""
        self._instrumented("resume").resume()

    # -- what it is --------------------------------------------------------------------------------

    @property
    def bootstrap_servers(self) -> str:
        """Host and port of the first listener, as clients take them."""
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
        """Return whether the broker serves; a paused broker does."""
        return self._inside is not None

    def server(self) -> InstrumentedServer:
        """Return the broker itself, a new one after each start. Raises IllegalStateException."""
        server: InstrumentedServer = self._running().server  # type: ignore[assignment]
        return server

    def _instrumented(self, method: str) -> InstrumentedServer:
        """Return the broker for a method that an older edition does not have."""
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

    # -- what arrived ------------------------------------------------------------------------------

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        """Return the requests of a client and of an API such as Produce, or of all; the oldest first.

        Raises ValueError for an API that there is not.
        """
        if self._edition is not None:
            self._instrumented("requests")
        return self._requests.find(client_id, None if api is None else api_key(api))

    def connections(self) -> dict[str, str | None]:
        """Return the client ids of open connections by connection id; None before the first request."""
        return self._instrumented("connections").connections()

    def disconnect(self, client_id: str | None = None) -> None:
        """Close the connections of a client, or all, whatever is under way on them."""
        server = self._instrumented("disconnect")
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
        return self._requests.wait_for(
            predicate, timeout_s, None if self._edition is None else _ASK_AGAIN_S)

    async def wait_for_async(self, predicate: Callable[[], T], timeout_s: float = 10.0) -> T:
        """As ``wait_for``, for a test of asyncio: its event loop goes on, and calls ``predicate``."""
        return await self._requests.wait_for_async(predicate, timeout_s)

    # -- topics ------------------------------------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None) -> None:
        """Create a topic. Raises what a client would get."""
        self._running().create_topics({name: partitions or self.partitions}, configs or {})

    def delete_topic(self, name: str) -> None:
        """Delete a topic. Raises what a client would get."""
        self._running().delete_topics([name])
        with self._lock:
            self._positions.pop(name, None)

    def compact(self, topic: str) -> None:
        """Compact a topic now, as the broker's cleaner does once enough of the topic is stale.

        Of all that was written up to the first open transaction, and that is older than
        ``min.compaction.lag.ms``, the last record of each key stays. A tombstone goes in the first compaction
        that comes ``delete.retention.ms`` after the first one that has met it; a mock clock counts for both.
        Raises UnknownTopicOrPartitionException, ValueError if the topic's ``cleanup.policy`` has no
        ``compact``, or IllegalStateException if the cleaner is off.
        """
        self._running().compact(topic)

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return self._running().topics()

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition. Raises UnknownTopicOrPartitionException."""
        return self._running().end_offsets(topic)

    def reset(self) -> None:
        """Be as after the first start: the topics of ``__init__``, empty; no groups, requests or faults.

        Connections stay. So do settings, users, quotas and ACLs that clients have changed.
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
        """Return what the broker has in its data folder, for ``restore``.

        A broker that runs stops for that, and starts again: its clients lose their connections.
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
        """Go back to a snapshot: to its topics, records, groups and settings.

        A broker that runs stops for that, and starts again. Raises ValueError for another broker's snapshot.
        """
        with self._lock:
            folder = self._data_folder()
            if snapshot._folder not in self._snapshots:
                raise ValueError("the snapshot is not of this broker, or the broker was closed since")
            was_running = self.is_running()
            self.stop(0)
            for entry in os.scandir(folder.path):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                elif entry.name != OWNER_FILE:
                    os.remove(entry.path)
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
        """Append a record for each value, and return them as they lie in the topic.

        Text is written in UTF-8. Without ``partition`` the key chooses it as Kafka's producer does; records
        without a key go to all partitions in turn. A topic that does not exist is created. Raises what a
        producer would get.
        """
        return self.produce_records(
            topic, [(partition, new_record(value, key, headers, timestamp_ms)) for value in values])

    def produce_records(self, topic: str, records: Sequence[tuple[int | None, NewRecord]]) -> list[Record]:
        """Append records, each with a partition or None; see ``produce``."""
        return self._running().produce(topic, records, self.partitions) if records else []

    def consume(self, topic: str, count: int | None = None, *, partition: int | None = None,
                timeout_s: float = 10.0, isolation: Isolation = "read_committed") -> list[Record]:
        """Return the records that no earlier call has returned, and go on behind them.

        With ``count`` it waits for so many, and returns no more. Records of transactions count once they are
        committed. Raises TimeoutError, and UnknownTopicOrPartitionException.
        """
        check_isolation(isolation)
        if count is not None and count < 0:
            raise ValueError(f"count={count}: not below 0")
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

        Markers of transactions are left out. With "read_committed" so are records of transactions that are
        open or were aborted. Raises UnknownTopicOrPartitionException.
        """
        check_isolation(isolation)
        return self._running().records(topic, partition, isolation, {})

    def assert_records(self, topic: str, expected: Iterable[object], *, partition: int | None = None,
                       ordered: bool = True, timeout_s: float = 0.0,
                       isolation: Isolation = "read_committed") -> None:
        """Raise AssertionError with the differences unless a topic has these records.

        Each of ``expected`` is a value, a pair of key and value, or a Record that was read before. With
        ``ordered=False`` they may lie in any order; with ``timeout_s`` they may come within that time.
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
        # No request shows that the marker of a transaction has been written.
        return self._requests.wait_for(predicate, timeout_s, _ASK_AGAIN_S)

    def load(self, file: str | os.PathLike[str]) -> None:
        """Create the topics, and append the records, of a file in YAML or JSON: see the README beside this.

        Raises ValueError, which says what is wrong with the file, and what ``produce`` raises.
        """
        from kreactor.testing.seeds import read_seeds

        self.load_topics(read_seeds(file))

    def load_topics(self, topics: Iterable[SeedTopic]) -> None:
        """Create topics that do not exist, and append their records."""
        existing = self.topics()
        for topic in topics:
            if topic.name not in existing:
                self.create_topic(topic.name, topic.partitions, topic.configs)
            self.produce_records(topic.name, topic.records)

    # -- clients -----------------------------------------------------------------------------------

    def client_config(self, client: str, *, user: str | None = None) -> dict[str, object]:
        """Return the settings with which a client reaches this broker, over TLS and with SASL, too.

        ``client`` is "confluent", "aiokafka", "kafka-python" or "java". ``user`` is one of the broker's, the
        first unless told otherwise. Raises ValueError.
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
        """Return the groups with their members and the offsets that they have committed, by id.

        The broker is asked over a connection, which must not be paused. Raises UnsupportedVersionException
        if it has no groups.
        """
        inside = self._running()
        return inside.groups(self.host, self.port_of(_PLAINTEXT) if self._has_inner_listener else self.port)

    def wait_group_stable(self, group: str, members: int | None = None, timeout_s: float = 10.0) -> Group:
        """Return a group once it is stable, with so many members if told. Raises TimeoutError."""
        deadline = real_time.monotonic() + timeout_s
        while True:
            found = self.groups().get(group)
            if (found is not None and found.state == "Stable"
                    and members in (None, len(found.members))):
                return found
            if real_time.monotonic() >= deadline:
                state = "does not exist" if found is None else (
                    f"is {found.state} with {len(found.members)} members")
                raise TimeoutError(f"group {group} {state} after {timeout_s} s")
            real_time.sleep(_ASK_AGAIN_S)

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


def prepare_process() -> None:
    """Have the process ready for a broker. Raises IllegalStateException if gevent has patched threads."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is not None and monkey.is_module_patched("threading"):
        raise IllegalStateException("gevent has patched threads, which a broker needs as they are: take "
                                    "Broker(process=True)")
    leave_threads_untraced()


def _copy_data(source: str, target: str) -> None:
    shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns(OWNER_FILE))


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
