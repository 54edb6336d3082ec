# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A cluster of brokers in this process, for tests of Kafka clients.

Replication is simulated; the network layer is real. Each broker is a separate Broker, with its own listeners,
handlers, coordinators, faults and request log. All replicas of a partition are views of one log: see
``kreactor.embedded.replication``. So a follower is never behind, unless a test holds it, and a killed broker
has lost no record when it restarts.

When a broker is killed, stopped or isolated, the cluster elects new leaders before the call returns.
Leadership never moves back by itself: ``elect_leader`` elects the preferred replica.

Calls that start and stop brokers exclude each other (``_lock``). Any thread may call the other methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Literal

from kreactor.common.errors import (
    ApiException,
    GroupIdNotFoundException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.internals.topic import Topic as TopicNames
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.message.create_topics_request_data import CreateTopicsRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.errors import Errors
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.time import Time
from kreactor.controller.controller_request_context import ControllerRequestContext
from kreactor.core.server.kafka_config import KafkaConfig
from kreactor.embedded.broker_cluster import BrokerCluster
from kreactor.embedded.broker_server import storage_config
from kreactor.embedded.replication import SimulatedReplication
from kreactor.embedded.storage import Storage
from kreactor.image.cluster_image import PartitionState
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.random_numbers import Random
from kreactor.jdk.threads import run_before_threads_end
from kreactor.server.util.kafka_scheduler import KafkaScheduler
from kreactor.testing.addresses import check_port
from kreactor.testing.broker import DEFAULT_PROPERTIES, Broker, Snapshot, _parent_folder, prepare_process
from kreactor.testing.clock import BrokerClock, ClockScheduler
from kreactor.testing.folders import TemporaryFolder
from kreactor.testing.groups import Group
from kreactor.testing.inside import Inside
from kreactor.testing.mock_time import MockTime
from kreactor.testing.received import ReceivedRequest
from kreactor.testing.record import Data, Headers, Isolation, NewRecord, Record
from kreactor.testing.seeds import SeedTopic

MAX_BROKERS = 100
# Kafka's default number of replicas of its internal topics.
_REPLICAS = 3


class CommonFolder(TemporaryFolder):
    """The data folder of the cluster, as one of its brokers sees it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def close(self) -> None:
        """Do nothing: the cluster owns the storage."""


class ClusterBroker(Broker):
    """One broker of a cluster. Its data belongs to the cluster, so all brokers have the same ``folder``."""

    def __init__(self, cluster: Cluster, broker_id: int, properties: Mapping[str, object], partitions: int,
                 time: Time | None, seed: int, max_requests: int, tls: bool | Literal["mutual"],
                 sasl: str | None, users: Mapping[str, str] | None, port: int) -> None:
        super().__init__(properties=properties, partitions=partitions, time=time, seed=seed,
                         max_requests=max_requests, tls=tls, sasl=sasl, users=users, port=port)
        self._join(cluster, broker_id)

    def _join(self, cluster: Cluster, broker_id: int) -> None:
        self._cluster = cluster
        # Every broker gives the same result.
        self._positions = cluster.positions
        self.id = broker_id

    def _new_folder(self) -> TemporaryFolder:
        return CommonFolder(self._cluster.folder())

    def _new_inside(self, properties: Mapping[str, object]) -> Inside:
        return Inside(properties, self._requests, self.faults, self.time, self._scram_users,
                      self._cluster.broker_cluster())

    def snapshot(self) -> Snapshot:
        """Raise IllegalStateException: the data belongs to all brokers."""
        raise IllegalStateException("the data of a broker of a cluster belongs to the cluster")

    def restore(self, snapshot: Snapshot) -> None:
        """Raise IllegalStateException: the data belongs to all brokers."""
        raise IllegalStateException("the data of a broker of a cluster belongs to the cluster")


class Cluster:
    """One cluster: ``with Cluster() as cluster``, or ``start`` and ``close``."""

    def __init__(self, brokers: int = 3, *, racks: Sequence[str | None] | None = None,
                 properties: Mapping[str, object] | None = None,
                 broker_properties: Mapping[int, Mapping[str, object]] | None = None,
                 topics: Iterable[str] | Mapping[str, int] = (), partitions: int = 1,
                 time: Time | None = None, seed: int = 0, max_requests: int = 10_000,
                 tls: bool | Literal["mutual"] = False, sasl: str | None = None,
                 users: Mapping[str, str] | None = None, ports: int | Sequence[int] | None = None) -> None:
        """Store the arguments; nothing is started yet. The broker ids count from 1.

        ``racks`` has one rack for each broker. ``ports`` has the port of each broker on 127.0.0.1, 0 for a
        free one; a single number is the first broker's port, and the others count up. ``properties`` apply to
        all brokers, ``broker_properties`` to single brokers by id. ``seed`` also chooses the first broker of
        each new topic's partitions. The other arguments are those of Broker. Topics have three replicas, or
        one per broker if there are fewer brokers. Raises ValueError or TypeError for invalid arguments.
        """
        if not isinstance(brokers, int) or isinstance(brokers, bool):
            raise TypeError(f"brokers: {brokers!r} is not a number")
        if not 1 <= brokers <= MAX_BROKERS:
            raise ValueError(f"brokers: {brokers} is not between 1 and {MAX_BROKERS}")
        if racks is not None and (isinstance(racks, str) or len(racks) != brokers):
            raise ValueError(f"racks: {racks!r} does not have one rack for each of {brokers} brokers")
        all_ports = _checked_ports(ports, brokers)
        unknown = set(broker_properties or {}) - set(range(1, brokers + 1))
        if unknown:
            raise ValueError(f"broker_properties: there are no brokers {sorted(unknown, key=str)}")
        replicas = str(min(_REPLICAS, brokers))
        self._properties = {
            "default.replication.factor": replicas,
            "offsets.topic.num.partitions": str(brokers),
            "offsets.topic.replication.factor": replicas,
            "transaction.state.log.num.partitions": str(brokers),
            "transaction.state.log.replication.factor": replicas,
            "transaction.state.log.min.isr": str(min(2, brokers)),
            **{name: str(value) for name, value in (properties or {}).items()}}
        self._topics = dict(topics) if isinstance(topics, Mapping) else dict.fromkeys(topics, partitions)
        self.partitions = partitions
        # Seeded, so that new topics get the same replicas in each run.
        self._seed = seed
        self.time: Time = Time.SYSTEM if time is None else time
        self._lock = ReentrantLock()
        # The offsets at which the next ``consume`` begins.
        self.positions: dict[str, dict[int, int]] = {}
        self._brokers = {
            broker_id: ClusterBroker(
                self, broker_id, partitions=partitions, time=time, seed=seed + broker_id,
                max_requests=max_requests, tls=tls, sasl=sasl, users=users, port=all_ports[broker_id - 1],
                properties={
                    **self._properties,
                    **({} if racks is None or racks[broker_id - 1] is None
                       else {"broker.rack": racks[broker_id - 1]}),
                    **(broker_properties or {}).get(broker_id, {}), "broker.id": broker_id})
            for broker_id in range(1, brokers + 1)}
        self._folder: TemporaryFolder | None = None
        self._scheduler: KafkaScheduler | None = None
        self._clock: BrokerClock | None = None
        self._shared: BrokerCluster | None = None
        owned_by_process(self)

    def forget_in_child(self) -> None:
        """Become a cluster that never started, in a forked child; the parent's brokers serve on."""
        self._lock = ReentrantLock()
        self._folder = self._scheduler = self._clock = self._shared = None
        _open_clusters.discard(self)

    # -- life --------------------------------------------------------------------------------------

    def start(self) -> Cluster:
        """Start all brokers.

        Raises as Broker.start, and KafkaException with all ports that are in use; a failed start leaves
        nothing behind.
        """
        prepare_process()
        with self._lock:
            if self._shared is not None:
                raise IllegalStateException("the cluster runs already: close it first")
            try:
                self._reserve_ports()
                self._folder = self._new_folder()
                config = KafkaConfig.from_props(self._controller_properties())
                if isinstance(self.time, MockTime):
                    self._clock = BrokerClock(self.time)
                    self._scheduler = ClockScheduler(1, self._clock, "cluster-scheduler-")
                else:
                    self._scheduler = KafkaScheduler(1, True, "cluster-scheduler-")
                self._scheduler.startup()
                shared = BrokerCluster(config, Storage(
                    storage_config(config), self._scheduler, self._clock or self.time),
                    self._clock or self.time, Random(self._seed))
                shared.startup()
                self._shared = shared
                shared.replication().await_brokers(self._brokers)
                for broker in self._brokers.values():
                    broker.start()
                for name, partitions in self._topics.items():
                    self.create_topic(name, partitions)
            except BaseException:
                self.close()
                raise
        _open_clusters.add(self)
        return self

    def _reserve_ports(self) -> None:
        failures = []
        for broker in self._brokers.values():
            try:
                broker._reserve_port()
            except KafkaException as e:
                failures.append(f"broker {broker.id}: {e}")
        if failures:
            raise KafkaException("; ".join(failures))

    def _new_folder(self) -> TemporaryFolder:
        return TemporaryFolder("kreactor-", _parent_folder())

    def _controller_properties(self) -> Mapping[str, str]:
        return {**DEFAULT_PROPERTIES, "num.partitions": str(self.partitions), **self._properties,
                "listeners": "PLAINTEXT://127.0.0.1:0", "log.dirs": self.folder()}

    def close(self, drain_ms: int = 0) -> None:
        """Stop all brokers and remove their files. A second call does nothing.

        Each broker answers the requests that it has read, for up to ``drain_ms``.
        """
        with self._lock:
            _open_clusters.discard(self)
            try:
                if self._shared is not None:
                    self._shared.stop()
                for broker in self._brokers.values():
                    broker.stop(drain_ms)
                    broker.close()
            finally:
                shared, self._shared = self._shared, None
                scheduler, self._scheduler = self._scheduler, None
                clock, self._clock = self._clock, None
                folder, self._folder = self._folder, None
                if clock is not None:
                    clock.close()
                if scheduler is not None:
                    scheduler.shutdown()
                if shared is not None:
                    shared.shutdown()
                if folder is not None:
                    folder.close()

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(self, exc_type: type[BaseException] | None, exc: BaseException | None,
                 tb: TracebackType | None) -> None:
        self.close()

    # -- brokers -----------------------------------------------------------------------------------

    def __getitem__(self, broker_id: int) -> ClusterBroker:
        """Return a broker by id, running or not. Raises KeyError."""
        return self._brokers[broker_id]

    @property
    def brokers(self) -> Mapping[int, ClusterBroker]:
        """All brokers by id, running or not."""
        return dict(self._brokers)

    @property
    def bootstrap_servers(self) -> str:
        """The host and port of each broker's first listener, in the form of the clients' setting."""
        return ",".join(broker.bootstrap_servers for broker in self._brokers.values())

    def alive(self) -> list[int]:
        """Return the ids of the live brokers: those that run and are not isolated."""
        return self._replication().alive_brokers()

    def kill(self, broker_id: int) -> None:
        """Stop a broker as ``kill -9`` does: reset its connections.

        New leaders are elected before this returns.

        Raises ValueError for an unknown broker, or IllegalStateException if the broker does not run.
        """
        self._broker(broker_id).kill()

    def stop(self, broker_id: int) -> None:
        """Stop a broker in order: other brokers lead before its last requests are answered.

        Does nothing if the broker does not run. Raises ValueError for an unknown broker.
        """
        self._broker(broker_id).stop()

    def restart(self, broker_id: int) -> None:
        """Start a broker again: after ``kill`` or ``stop``; a broker that runs is stopped first.

        Its replicas are in sync when this returns, unless ``pause_catch_up`` keeps them out. It leads the
        partitions that have no other leader. Raises ValueError for an unknown broker.
        """
        self._broker(broker_id).restart()

    def isolate(self, broker_id: int) -> None:
        """Cut a broker off from the cluster, but not from clients, until ``rejoin`` or ``restart``.

        Other brokers lead its partitions, but the isolated broker is not told. It answers Metadata and
        FindCoordinator with the state before the isolation. It answers produce and fetch with
        NOT_LEADER_OR_FOLLOWER, and requests to a coordinator with NOT_COORDINATOR. (Kafka's broker may serve
        reads and wait for acknowledgements until it times out.) To have a broker answer nothing, pause it:
        ``cluster[2].pause()``. Raises as ``kill``.
        """
        self._broker(broker_id).server().isolate()

    def rejoin(self, broker_id: int) -> None:
        """End an isolation.

        Raises ValueError for an unknown broker, IllegalStateException if it is not isolated.
        """
        self._broker(broker_id).server().rejoin()

    def freeze_metadata(self, broker_id: int) -> None:
        """Have a broker's Metadata responses keep the current state of the cluster, until ``thaw_metadata``.

        The broker still leads and follows as the cluster decides, so clients with its metadata meet errors.
        Raises as ``kill``.
        """
        self._broker(broker_id).server().freeze_metadata()

    def thaw_metadata(self, broker_id: int) -> None:
        """End ``freeze_metadata``: the broker's Metadata responses have the actual state again.

        Raises as ``kill``.
        """
        self._broker(broker_id).server().thaw_metadata()

    # -- leaders -----------------------------------------------------------------------------------

    def partition(self, topic: str, partition: int) -> PartitionState:
        """Return the leader, leader epoch, replicas and in-sync set.

        Raises UnknownTopicOrPartitionException.
        """
        return self._replication().state(_partition(topic, partition))

    def leader(self, topic: str, partition: int) -> int:
        """Return the leader's id, -1 if there is none. Raises UnknownTopicOrPartitionException."""
        return self.partition(topic, partition).leader

    def move_leader(self, topic: str, partition: int, to: int, unclean: bool = False) -> None:
        """Make a broker the leader of a partition, in a new epoch.

        Raises UnknownTopicOrPartitionException, BrokerNotAvailableException if the broker is down,
        InvalidReplicaAssignmentException if it has no replica, or EligibleLeadersNotAvailableException if it
        is out of sync. With ``unclean`` a replica out of sync may lead; the records that its copy lacks are
        lost.
        """
        self._replication().move_leader(_partition(topic, partition), self._id(to), unclean)

    def elect_leader(self, topic: str, partition: int, unclean: bool = False) -> None:
        """Elect the preferred replica; with ``unclean``, elect any live replica of a partition without a
        leader.

        Raises the error that a client would get, such as ElectionNotNeededException.
        """
        elect = self._replication().elect_unclean if unclean else self._replication().elect_preferred
        elect(_partition(topic, partition))

    def coordinator(self, group: str) -> int:
        """Return the id of a group's coordinator, -1 if there is none.

        Raises UnknownTopicOrPartitionException before a client has used a group.
        """
        return self._replication().state(self._group_partition(group)).leader

    def move_coordinator(self, group: str, to: int) -> None:
        """Make a broker the coordinator of a group. Raises as ``move_leader`` and ``coordinator``."""
        self._replication().move_leader(self._group_partition(group), self._id(to))

    def transaction_coordinator(self, transactional_id: str) -> int:
        """Return the id of the broker that coordinates a transactional id, -1 if there is none.

        Raises UnknownTopicOrPartitionException before a client has used a transactional id.
        """
        return self._replication().state(self._transaction_partition(transactional_id)).leader

    def move_transaction_coordinator(self, transactional_id: str, to: int) -> None:
        """Make a broker the coordinator of a transactional id. Raises as ``move_leader``."""
        self._replication().move_leader(self._transaction_partition(transactional_id), self._id(to))

    # -- replicas ----------------------------------------------------------------------------------

    def shrink_isr(self, topic: str, partition: int, broker_id: int) -> None:
        """Remove a follower from the in-sync set: its copy stops growing until ``expand_isr``.

        Raises UnknownTopicOrPartitionException, InvalidReplicaAssignmentException for a broker without a
        replica, or InvalidRequestException for the leader.
        """
        self._replication().shrink_isr(_partition(topic, partition), self._id(broker_id))

    def hold_replica(self, topic: str, partition: int, broker_id: int) -> None:
        """Stop the fetches of a follower in sync: the high watermark stays, and produce with acks=all waits.

        ``expand_isr`` ends the hold, ``shrink_isr`` removes the replica from the in-sync set. Raises as
        ``shrink_isr``.
        """
        self._replication().hold_replica(_partition(topic, partition), self._id(broker_id))

    def expand_isr(self, topic: str, partition: int, broker_id: int) -> None:
        """Let a replica follow again; it is in sync at once.

        Raises UnknownTopicOrPartitionException, InvalidReplicaAssignmentException or
        BrokerNotAvailableException.
        """
        self._replication().expand_isr(_partition(topic, partition), self._id(broker_id))

    def pause_catch_up(self, paused: bool = True) -> None:
        """Keep restarted brokers and new replicas out of sync until ``expand_isr`` or
        ``pause_catch_up(False)``."""
        self._replication().set_catches_up(not paused)

    def reassign(self, topic: str, partition: int, replicas: Sequence[int] | None) -> None:
        """Move a partition to other brokers; None cancels a reassignment that is not complete.

        Raises the error that a client would get.
        """
        self._replication().reassign(_partition(topic, partition), None if replicas is None else [
            self._id(broker_id) for broker_id in replicas])

    # -- topics, groups and requests -----------------------------------------------------------

    def create_topic(self, name: str, partitions: int | None = None,
                     configs: Mapping[str, object] | None = None, replication_factor: int = -1,
                     assignments: Sequence[Sequence[int]] | None = None) -> None:
        """Create a topic; ``assignments`` lists each partition's replicas, the preferred leader first.

        Raises the error that a client would get.
        """
        topic = CreateTopicsRequestData.CreatableTopic(
            name=name, num_partitions=partitions or self.partitions, replication_factor=replication_factor,
            configs=[CreateTopicsRequestData.CreateableTopicConfig(name=key, value=str(value))
                     for key, value in (configs or {}).items()])
        if assignments is not None:
            topic.num_partitions = -1 if partitions is None else partitions
            topic.assignments = [
                CreateTopicsRequestData.CreatableReplicaAssignment(
                    partition_index=index, broker_ids=[self._id(broker_id) for broker_id in replicas])
                for index, replicas in enumerate(assignments)]
        result, = self.broker_cluster().replication_control().create_topics(
            _context(), CreateTopicsRequestData(topics=[topic]), frozenset()).topics
        error = Errors.for_code(result.error_code)
        if error is not Errors.NONE:
            raise error.exception(result.error_message) or ApiException(result.error_message)

    def delete_topic(self, name: str) -> None:
        """Delete a topic. Raises the error that a client would get."""
        control = self.broker_cluster().replication_control()
        topic = self.broker_cluster().storage().topics().topic(name)
        if topic is None:
            raise UnknownTopicOrPartitionException(f"there is no topic {name}")
        error = control.delete_topics(_context(), [topic.topic_id])[topic.topic_id]
        if error.is_failure():
            raise error.exception() or ApiException(error.message())

    def topics(self) -> dict[str, dict[int, int]]:
        """Return the end offsets of all partitions, by topic."""
        return self._any_broker().topics()

    def end_offsets(self, topic: str) -> dict[int, int]:
        """Return the end offset of each partition. Raises UnknownTopicOrPartitionException."""
        return self._any_broker().end_offsets(topic)

    def produce(self, topic: str, *values: Data, key: Data = None, partition: int | None = None,
                headers: Headers = (), timestamp_ms: int | None = None) -> list[Record]:
        """Append a record for each value, as ``Broker.produce``.

        Also raises LeaderNotAvailableException for a partition without a leader.
        """
        return self._any_broker().produce(topic, *values, key=key, partition=partition, headers=headers,
                                          timestamp_ms=timestamp_ms)

    def produce_records(self, topic: str, records: Sequence[tuple[int | None, NewRecord]]) -> list[Record]:
        """Append records, each with a partition or None; as ``produce``."""
        return self._any_broker().produce_records(topic, records)

    def consume(self, topic: str, count: int | None = None, *, partition: int | None = None,
                timeout_s: float = 10.0, isolation: Isolation = "read_committed") -> list[Record]:
        """Return the records behind those that the last call returned, as ``Broker.consume``."""
        return self._any_broker().consume(topic, count, partition=partition, timeout_s=timeout_s,
                                          isolation=isolation)

    def records(self, topic: str, partition: int | None = None, *,
                isolation: Isolation = "read_uncommitted") -> list[Record]:
        """Return the records of a topic or of one partition, as ``Broker.records``."""
        return self._any_broker().records(topic, partition, isolation=isolation)

    def load_topics(self, topics: Iterable[SeedTopic]) -> None:
        """Create missing topics, and append the topics' records."""
        self._any_broker().load_topics(topics)

    def compact(self, topic: str) -> None:
        """Compact a topic now, as ``Broker.compact``."""
        self._any_broker().compact(topic)

    def groups(self) -> dict[str, Group]:
        """Return the groups of all coordinators, by id."""
        return {group_id: group for broker_id in self.alive()
                for group_id, group in self._brokers[broker_id].groups().items()}

    def lag(self, group: str) -> dict[str, dict[int, int]]:
        """Return how many records a group's commits are behind the end offsets, as ``Broker.lag``."""
        for broker_id in self.alive():
            try:
                return self._brokers[broker_id].lag(group)
            except GroupIdNotFoundException:
                continue
        raise GroupIdNotFoundException(f"there is no group {group}")

    def requests(self, client_id: str | None = None, api: ApiKeys | str | None = None
                 ) -> list[ReceivedRequest]:
        """Return the requests to all brokers, as ``Broker.requests``, sorted by time."""
        found = [request for broker in self._brokers.values() for request in broker.requests(client_id, api)]
        return sorted(found, key=lambda request: request.time_ms)

    # -- internals ------------------------------------------------------------------------------------

    def folder(self) -> str:
        """Return the data folder. Raises IllegalStateException if the cluster does not run."""
        if self._folder is None:
            raise IllegalStateException("the cluster does not run")
        return self._folder.path

    def broker_cluster(self) -> BrokerCluster:
        """Return the state that the brokers share.

        Raises IllegalStateException if the cluster does not run.
        """
        if self._shared is None:
            raise IllegalStateException("the cluster does not run")
        return self._shared

    def _replication(self) -> SimulatedReplication:
        return self.broker_cluster().replication()

    def _id(self, broker_id: int) -> int:
        if not isinstance(broker_id, int) or isinstance(broker_id, bool):
            raise TypeError(f"{broker_id!r} is not the id of a broker")
        if broker_id not in self._brokers:
            raise ValueError(f"there is no broker {broker_id}: the ids are {sorted(self._brokers)}")
        return broker_id

    def _broker(self, broker_id: int) -> ClusterBroker:
        return self._brokers[self._id(broker_id)]

    def _any_broker(self) -> ClusterBroker:
        for broker in self._brokers.values():
            if broker.is_running():
                return broker
        raise IllegalStateException("no broker runs")

    def _group_partition(self, group: str) -> TopicPartition:
        partition = self._any_broker().server().group_coordinator().partition_for(group)
        return TopicPartition(TopicNames.GROUP_METADATA_TOPIC_NAME, partition)

    def _transaction_partition(self, transactional_id: str) -> TopicPartition:
        partition = self._any_broker().server().transaction_coordinator().partition_for(transactional_id)
        return TopicPartition(TopicNames.TRANSACTION_STATE_TOPIC_NAME, partition)


def _checked_ports(ports: int | Sequence[int] | None, brokers: int) -> Sequence[int]:
    """Return the port of each broker. Raises TypeError or ValueError."""
    if ports is None:
        return [0] * brokers
    if isinstance(ports, int):
        first = check_port("ports", ports)
        found = [first + index if first else 0 for index in range(brokers)]
    else:
        found = list(ports)
        if len(found) != brokers:
            raise ValueError(f"ports: {ports!r} does not have one port for each of {brokers} brokers")
    for port in found:
        check_port("ports", port)
    fixed = [port for port in found if port]
    if len(set(fixed)) != len(fixed):
        raise ValueError(f"ports: {ports!r} has a port twice")
    return found


def _context() -> ControllerRequestContext:
    return ControllerRequestContext(KafkaPrincipal.ANONYMOUS, None, lambda _: None)


def _partition(topic: str, partition: int) -> TopicPartition:
    if not isinstance(topic, str):
        raise TypeError(f"{topic!r} is not the name of a topic")
    if not isinstance(partition, int) or isinstance(partition, bool):
        raise TypeError(f"{partition!r} is not the number of a partition")
    return TopicPartition(topic, partition)


# Clusters that are started and not closed. At its end Python waits for their threads, and calls the function
# below before the wait. The call also comes before single brokers are closed.
_open_clusters: set[Cluster] = set()


def _close_open_clusters() -> None:
    for cluster in list(_open_clusters):
        cluster.close()


run_before_threads_end(_close_open_clusters)
