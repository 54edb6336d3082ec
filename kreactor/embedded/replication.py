# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Simulated replication between several brokers in one process. Not a port.

DEVIATION D325: all replicas of a partition are views of one log. A following replica has each record as soon
as the leader has it. For a replica that does not follow, the offset where its copy ends is stored. Such a
replica is out of the in-sync set, or it is held in the set. Holding it keeps the high watermark at the end of
its copy. Nothing is copied, and no broker fetches from another.

When a replica whose copy ends before the log's end becomes the leader, the log is truncated there. Clients
see the same as when Kafka loses records: a new leader epoch that begins at a lower offset, and divergence.

This class also does the controller's work when brokers start and stop. It elects the first live in-sync
replica, and elects another one only on request.

DEVIATION D326: a stopping broker is fenced at once, and new leaders of its partitions are elected before the
call returns. Kafka's controller waits for ``broker.session.timeout.ms``.

Locks: ``_lock`` guards all changes. It is held while members are notified, in the order of the changes. The
locks of members and logs are taken after it. Readers take ``image``, which is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

from kreactor.common.errors import (
    ApiException,
    BrokerNotAvailableException,
    ElectionNotNeededException,
    EligibleLeadersNotAvailableException,
    InvalidReplicaAssignmentException,
    InvalidRequestException,
    KafkaStorageException,
    NoReassignmentInProgressException,
    PreferredLeaderNotAvailableException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.node import Node
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.controller.partition_reassignment_replicas import PartitionReassignmentReplicas
from kreactor.core.log.unified_log import UnifiedLog
from kreactor.embedded.json_file import EVERYBODY, JsonFile
from kreactor.embedded.storage import Storage
from kreactor.image.cluster_image import NO_LEADER, ClusterBroker, ClusterImage, PartitionState
from kreactor.jdk.locks import ReentrantLock
from kreactor.metadata.placement.partition_assignment import PartitionAssignment

FILE_NAME = "replicas.json"

log = LogContext().logger(f"{__name__}.SimulatedReplication")


class _OneDirectory:
    """Each broker has one directory, which clients cannot choose."""

    def default_dir(self, broker_id: int) -> Uuid:
        return Uuid.ZERO_UUID


_ONE_DIRECTORY = _OneDirectory()


class ClusterMember(Protocol):
    """A broker, as the receiver of changes."""

    def on_image(self, image: ClusterImage, changed: Sequence[TopicPartition],
                 deleted: Sequence[TopicPartition]) -> None:
        """Apply the changed state of partitions. Called under the lock of the replication."""


class SimulatedReplication:
    """The brokers, and the replicas of the partitions in their shared storage. For use by any thread."""

    def __init__(self, storage: Storage, path: str) -> None:
        """Continue from the file at ``path``, without brokers. Raises KafkaException for an invalid file."""
        self._storage = storage
        self._file = JsonFile(path, "the replicas", EVERYBODY)
        self._lock = ReentrantLock()
        # Replaced under the lock, read by any thread.
        self._image = ClusterImage()
        # Guarded by the lock.
        self._members: dict[int, ClusterMember] = {}
        # The end offsets of the copies of replicas that do not follow.
        self._copy_ends: dict[tuple[TopicPartition, int], int] = {}
        # The copies that a test holds: they do not follow again by themselves.
        self._held_copies: set[tuple[TopicPartition, int]] = set()
        self._catches_up = True
        # The brokers of a start that are not registered yet, and the leaders from before.
        self._awaited_brokers: set[int] = set()
        self._former_leaders: dict[TopicPartition, int] = {}
        self._is_stopping = False
        # Guarded by the lock: the changes that one publication collects, None outside of one.
        self._collected: dict[TopicPartition, PartitionState] | None = None
        self._file.read(self._take)

    def image(self) -> ClusterImage:
        """Return the current image."""
        return self._image

    def state(self, partition: TopicPartition) -> PartitionState:
        """Return a partition's state. Raises UnknownTopicOrPartitionException."""
        collected = self._collected
        state = None if collected is None else collected.get(partition)
        state = state or self._image.partitions.get(partition)
        if state is None:
            raise UnknownTopicOrPartitionException(f"unknown partition {partition}")
        return state

    # -- brokers -----------------------------------------------------------------------------------

    def await_brokers(self, broker_ids: Iterable[int]) -> None:
        """Let only its former leader lead a partition until each of these brokers is registered.

        For the start of all brokers: leaders and in-sync sets are those from before the stop.
        """
        with self._lock:
            self._awaited_brokers = set(broker_ids)

    def register(self, broker: ClusterBroker, member: ClusterMember) -> None:
        """Register a new or returning broker. It follows, and leads partitions that no other broker can
        lead."""
        with self._lock:
            self._members[broker.id] = member
            is_start = broker.id in self._awaited_brokers
            self._awaited_brokers.discard(broker.id)
            brokers = {**self._image.brokers, broker.id: broker._replace(is_fenced=False)}
            self._image = replace(self._image, brokers=brokers)
            has_all = is_start and not self._awaited_brokers
            changes = {}
            for partition, state in self._image.partitions.items():
                if has_all or broker.id in state.replicas:
                    changes[partition] = self._with_broker(partition, state, broker.id, has_all)
            if not self._awaited_brokers:
                self._former_leaders.clear()
            self._publish(changes, everything_to=broker.id)

    def _with_broker(self, partition: TopicPartition, state: PartitionState, broker_id: int,
                     has_all: bool) -> PartitionState:
        """Return the state with a newly registered broker. ``has_all`` is True for the last awaited
        broker."""
        if has_all:
            for id_ in state.isr:
                if not self._image.is_alive(id_):
                    state = self._without_broker(partition, state, id_)
        # The only in-sync replica has the whole log.
        if broker_id in state.replicas:
            state = self._with_follower(partition, state, broker_id)
        if state.leader != NO_LEADER:
            return state
        former = self._former_leaders.get(partition, NO_LEADER)
        if former in state.isr and self._image.is_alive(former):
            state = state._replace(leader=former)
        elif self._awaited_brokers:
            return state
        else:
            state = self._with_elected_leader(state)
        if state.leader != NO_LEADER:
            # Also the brokers that registered before there was a leader to follow.
            for id_ in state.replicas:
                if self._image.is_alive(id_):
                    state = self._with_follower(partition, state, id_)
        return state

    def update_nodes(self, broker_id: int, nodes: Mapping[str, Node]) -> None:
        """Change the advertised addresses of a broker."""
        with self._lock:
            broker = self._image.brokers.get(broker_id)
            if broker is not None:
                self._image = replace(self._image, brokers={
                    **self._image.brokers, broker_id: broker._replace(nodes=nodes)})
                self._publish({})

    def fence(self, broker_id: int) -> None:
        """Fence a broker: other brokers take over its partitions. Does nothing if the broker is fenced
        already.

        The broker is not notified of later changes.
        """
        with self._lock:
            self._members.pop(broker_id, None)
            if not self._image.is_alive(broker_id):
                return
            broker = self._image.brokers[broker_id]
            self._image = replace(self._image, brokers={
                **self._image.brokers, broker_id: broker._replace(is_fenced=True)})
            if self._is_stopping:
                self._publish({})
                return
            changes = {}
            for partition, state in self._image.partitions.items():
                if broker_id in state.replicas:
                    changes[partition] = self._without_broker(partition, state, broker_id)
            self._publish(changes)

    def stop(self) -> None:
        """Freeze the leaders and in-sync sets: all brokers will stop, and none takes over.
        """
        with self._lock:
            self._is_stopping = True

    def unregister(self, broker_id: int) -> None:
        """Remove a fenced broker. Raises InvalidRequestException for an unfenced one."""
        with self._lock:
            if self._image.is_alive(broker_id):
                raise InvalidRequestException(f"Broker ID {broker_id} is alive: stop it first")
            self._image = replace(self._image, brokers={
                id_: broker for id_, broker in self._image.brokers.items() if id_ != broker_id})
            self._publish({})

    def alive_brokers(self) -> list[int]:
        """Return the sorted ids of the brokers that are registered and not fenced."""
        image = self._image
        return sorted(id_ for id_ in image.brokers if image.is_alive(id_))

    # -- topics ------------------------------------------------------------------------------------

    def create_partitions(self, replicas: Mapping[TopicPartition, Sequence[int]]) -> None:
        """Add partitions whose logs exist. Raises InvalidReplicaAssignmentException."""
        with self._one_publication():
            changes = {}
            for partition, ids in replicas.items():
                isr = tuple(id_ for id_ in ids if self._image.is_alive(id_))
                if not isr:
                    raise InvalidReplicaAssignmentException(
                        f"All brokers specified in the manual partition assignment for partition "
                        f"{partition.partition()} are fenced or in controlled shutdown.")
                partition_log = self._log(partition)
                epoch = partition_log.latest_epoch() if partition_log is not None else None
                for id_ in ids:
                    if id_ not in isr:
                        self._copy_ends[partition, id_] = 0
                changes[partition] = PartitionState(tuple(ids), isr, isr[0], epoch or 0)
            self._publish(changes)

    def delete_partitions(self, partitions: Collection[TopicPartition]) -> None:
        """Remove partitions whose logs are deleted."""
        with self._lock:
            gone = set(partitions)
            self._copy_ends = {key: end for key, end in self._copy_ends.items() if key[0] not in gone}
            self._held_copies = {key for key in self._held_copies if key[0] not in gone}
            self._publish({}, deleted=list(partitions))

    # -- leaders -----------------------------------------------------------------------------------

    def move_leader(self, partition: TopicPartition, to: int, unclean: bool = False) -> None:
        """Make broker ``to`` the leader of a partition, in a new epoch even if it already leads.

        Raises UnknownTopicOrPartitionException, BrokerNotAvailableException for a fenced broker, or
        InvalidReplicaAssignmentException for a broker without a replica. Raises
        EligibleLeadersNotAvailableException for a replica out of sync, unless ``unclean``: then the records
        after its copy's end are lost.
        """
        with self._one_publication():
            state = self.state(partition)
            self._check_alive(to)
            if to not in state.replicas:
                raise InvalidReplicaAssignmentException(f"broker {to} has no replica of {partition}")
            if to not in state.isr and not unclean:
                raise EligibleLeadersNotAvailableException(
                    f"broker {to} is not in sync with {partition}: {list(state.isr)} are")
            isr = state.isr if to in state.isr else (to,)
            self._publish({partition: state._replace(
                isr=isr, leader=to, leader_epoch=state.leader_epoch + 1)})

    def elect_preferred(self, partition: TopicPartition) -> None:
        """Make the first replica the leader.

        Raises UnknownTopicOrPartitionException, ElectionNotNeededException if it already leads, or
        PreferredLeaderNotAvailableException.
        """
        with self._one_publication():
            state = self.state(partition)
            preferred = state.replicas[0]
            if state.leader == preferred:
                raise ElectionNotNeededException("Leader election not needed for topic partition.")
            if preferred not in state.isr or not self._image.is_alive(preferred):
                raise PreferredLeaderNotAvailableException("The preferred leader was not available.")
            self.move_leader(partition, preferred)

    def elect_unclean(self, partition: TopicPartition) -> None:
        """Make any live replica the leader of a partition without a leader. The records that it lacks are
        lost.

        Raises UnknownTopicOrPartitionException, ElectionNotNeededException if there is a leader, or
        EligibleLeadersNotAvailableException.
        """
        with self._one_publication():
            state = self.state(partition)
            if state.leader != NO_LEADER:
                raise ElectionNotNeededException("Leader election not needed for topic partition.")
            for candidates in (state.isr, state.replicas):
                for id_ in candidates:
                    if self._image.is_alive(id_):
                        self.move_leader(partition, id_, unclean=True)
                        return
            raise EligibleLeadersNotAvailableException(
                "Eligible topic partition leaders are not available.")

    def elect_all(self, partitions: Collection[TopicPartition],
                  unclean: bool) -> dict[TopicPartition, ApiException]:
        """Elect as ``elect_preferred`` or ``elect_unclean``, with one write. Returns the exceptions that
        these raise."""
        elect = self.elect_unclean if unclean else self.elect_preferred
        return self._change_all(partitions, elect)

    # -- the in-sync set ---------------------------------------------------------------------------

    def shrink_isr(self, partition: TopicPartition, broker_id: int) -> None:
        """Remove a follower from the in-sync set, and hold it there: its copy ends now.

        Raises UnknownTopicOrPartitionException, InvalidReplicaAssignmentException for a broker without a
        replica, or InvalidRequestException for the leader.
        """
        with self._one_publication():
            state = self._follower(partition, broker_id)
            self._hold_copy(partition, broker_id)
            isr = tuple(id_ for id_ in state.isr if id_ != broker_id)
            self._publish({partition: state._replace(isr=isr)})

    def hold_replica(self, partition: TopicPartition, broker_id: int) -> None:
        """Stop a follower's fetching, but keep it in the in-sync set: the high watermark stays.

        Raises as ``shrink_isr``.
        """
        with self._one_publication():
            state = self._follower(partition, broker_id)
            self._hold_copy(partition, broker_id)
            self._publish({partition: state})

    def expand_isr(self, partition: TopicPartition, broker_id: int) -> None:
        """Have a replica follow again; it is in sync at once.

        Raises UnknownTopicOrPartitionException, BrokerNotAvailableException for a fenced broker, or
        InvalidReplicaAssignmentException for a broker without a replica.
        """
        with self._one_publication():
            state = self.state(partition)
            if broker_id not in state.replicas:
                raise InvalidReplicaAssignmentException(f"broker {broker_id} has no replica of {partition}")
            self._check_alive(broker_id)
            self._held_copies.discard((partition, broker_id))
            self._publish({partition: self._with_follower(partition, state, broker_id, forced=True)})

    def set_catches_up(self, catches_up: bool) -> None:
        """Set whether returning brokers and new replicas are in sync at once, or never by themselves."""
        with self._lock:
            self._catches_up = catches_up
            if catches_up:
                changes = {}
                for partition, state in self._image.partitions.items():
                    for id_ in state.replicas:
                        if self._image.is_alive(id_):
                            state = self._with_follower(partition, state, id_)
                    changes[partition] = state
                self._publish(changes)

    # -- reassignment ------------------------------------------------------------------------------

    def reassign(self, partition: TopicPartition, target: Sequence[int] | None) -> None:
        """Move a partition to other brokers; None cancels an incomplete move.

        The move is complete when all remaining replicas are in sync. Raises UnknownTopicOrPartitionException,
        InvalidReplicaAssignmentException or NoReassignmentInProgressException.
        """
        with self._one_publication():
            state = self.state(partition)
            if target is None:
                if not state.is_reassigning():
                    raise NoReassignmentInProgressException("No partition reassignment is in progress.")
                replicas = tuple(id_ for id_ in state.replicas if id_ not in state.adding)
                self._publish({partition: self._with_replicas(
                    partition, state._replace(adding=(), removing=()), replicas)})
                return
            if not target or len(set(target)) != len(target):
                raise InvalidReplicaAssignmentException(
                    f"The manual partition assignment {list(target)} is empty, or names a broker twice.")
            for id_ in target:
                if id_ not in self._image.brokers:
                    raise InvalidReplicaAssignmentException(
                        f"The manual partition assignment includes broker {id_}, but no such broker is "
                        "registered.")
            # The replicas that an incomplete move was adding count as old ones.
            reassignment = PartitionReassignmentReplicas.of(*(
                PartitionAssignment(replicas, _ONE_DIRECTORY) for replicas in (state.replicas, target)))
            adding = tuple(reassignment.adding())
            # As in Kafka, a move that adds and removes nothing keeps the sets of an earlier move.
            state = state._replace(replicas=tuple(reassignment.replicas()), adding=adding or state.adding,
                                   removing=tuple(reassignment.removing()) or state.removing)
            for id_ in adding:
                if id_ not in state.isr:
                    self._copy_ends.setdefault((partition, id_), 0)
                    if self._image.is_alive(id_):
                        state = self._with_follower(partition, state, id_)
            self._publish({partition: state})

    def reassign_all(self, targets: Mapping[TopicPartition, Sequence[int] | None],
                     ) -> dict[TopicPartition, ApiException]:
        """Move partitions as ``reassign`` does, with one write. Returns the exceptions that it raises."""
        return self._change_all(targets, lambda partition: self.reassign(partition, targets[partition]))

    def reassignments(self) -> dict[TopicPartition, PartitionState]:
        """Return the partitions with an incomplete reassignment."""
        return {partition: state for partition, state in self._image.partitions.items()
                if state.is_reassigning()}

    # -- helpers ------------------------------------------------------------------------------------

    def _change_all(self, partitions: Collection[TopicPartition],
                    change: Callable[[TopicPartition], None]) -> dict[TopicPartition, ApiException]:
        """Change partitions, and return the exceptions by partition. If the file cannot be written, each of
        the others has that exception."""
        failed: dict[TopicPartition, ApiException] = {}
        try:
            with self._one_publication():
                for partition in partitions:
                    try:
                        change(partition)
                    except ApiException as e:
                        failed[partition] = e
        except KafkaStorageException as e:
            failed = {partition: failed.get(partition, e) for partition in partitions}
        return failed

    def _log(self, partition: TopicPartition) -> UnifiedLog | None:
        return self._storage.partition_log(partition)

    def _check_alive(self, broker_id: int) -> None:
        if not self._image.is_alive(broker_id):
            raise BrokerNotAvailableException(f"broker {broker_id} is not registered, or is fenced")

    def _follower(self, partition: TopicPartition, broker_id: int) -> PartitionState:
        state = self.state(partition)
        if broker_id not in state.replicas:
            raise InvalidReplicaAssignmentException(f"broker {broker_id} has no replica of {partition}")
        if broker_id == state.leader:
            raise InvalidRequestException(f"broker {broker_id} leads {partition}: move the leader first")
        return state

    def _hold_copy(self, partition: TopicPartition, broker_id: int) -> None:
        partition_log = self._log(partition)
        if partition_log is not None:
            self._copy_ends.setdefault((partition, broker_id), partition_log.log_end_offset())
        self._held_copies.add((partition, broker_id))

    def _without_broker(self, partition: TopicPartition, state: PartitionState,
                        broker_id: int) -> PartitionState:
        """Return the state after a broker's stop; its copy ends now."""
        partition_log = self._log(partition)
        if partition_log is not None:
            self._copy_ends.setdefault((partition, broker_id), partition_log.log_end_offset())
        # The last in-sync replica stays in the set, because no other one may lead.
        isr = tuple(id_ for id_ in state.isr if id_ != broker_id) or state.isr
        if state.leader != broker_id:
            return state._replace(isr=isr)
        return self._with_elected_leader(state._replace(isr=isr, leader=NO_LEADER))

    def _with_elected_leader(self, state: PartitionState) -> PartitionState:
        for id_ in state.replicas:
            if id_ in state.isr and self._image.is_alive(id_):
                return state._replace(leader=id_)
        return state._replace(leader=NO_LEADER)

    def _with_follower(self, partition: TopicPartition, state: PartitionState, broker_id: int,
                       forced: bool = False) -> PartitionState:
        """Return the state with a broker in sync, unless it is held, or there is no leader to follow.
        """
        key = (partition, broker_id)
        if key in self._held_copies or not (forced or self._catches_up):
            return state
        if state.leader == NO_LEADER and broker_id not in state.isr:
            return state
        if state.leader != NO_LEADER or state.isr == (broker_id,):
            self._copy_ends.pop(key, None)
        if broker_id in state.isr:
            return state
        return state._replace(isr=(*state.isr, broker_id))

    def _with_replicas(self, partition: TopicPartition, state: PartitionState,
                       replicas: tuple[int, ...]) -> PartitionState:
        """Return the state with exactly these replicas."""
        for id_ in state.replicas:
            if id_ not in replicas:
                self._copy_ends.pop((partition, id_), None)
                self._held_copies.discard((partition, id_))
        state = state._replace(replicas=replicas, isr=tuple(id_ for id_ in state.isr if id_ in replicas))
        return state if state.leader in replicas else self._with_elected_leader(state)

    def _complete(self, partition: TopicPartition, state: PartitionState) -> PartitionState:
        """Return the state after its reassignment, if all its replicas are in sync and one can lead.

        A new replica that a test holds is not in sync yet.
        """
        isr = [id_ for id_ in state.isr
               if id_ not in state.adding or (partition, id_) not in self._copy_ends]
        completed = PartitionReassignmentReplicas(
            state.removing, state.adding, state.replicas).maybe_complete_reassignment(isr)
        if completed is None or not any(map(self._image.is_alive, completed.isr)):
            return state
        return self._with_replicas(partition, state._replace(adding=(), removing=()),
                                   tuple(completed.replicas))

    @contextmanager
    def _one_publication(self) -> Iterator[None]:
        """Collect the changes of several partitions, and publish them at the end of the outermost call.

        If the file cannot be written, nothing has changed.
        """
        with self._lock:
            if self._collected is not None:
                yield
                return
            copies = dict(self._copy_ends), set(self._held_copies)
            changes: dict[TopicPartition, PartitionState] = {}
            self._collected = changes
            try:
                try:
                    yield
                finally:
                    self._collected = None
                self._publish(changes)
            except BaseException:
                self._copy_ends, self._held_copies = copies
                raise

    def _publish(self, changes: Mapping[TopicPartition, PartitionState],
                 deleted: Sequence[TopicPartition] = (), everything_to: int | None = None) -> None:
        """Apply states, and notify the members. ``everything_to`` is a new member, which gets all states.

        Raises KafkaStorageException if the file cannot be written; then no state was applied. A deletion is
        applied all the same, because the next start ignores partitions without a log.
        """
        if self._collected is not None:
            self._collected.update(changes)
            return
        before = self._image.partitions
        changed: dict[TopicPartition, PartitionState] = {}
        begun: dict[TopicPartition, int | None] = {}
        for partition, state in changes.items():
            old = before.get(partition)
            state = self._complete(partition, state)
            if old is not None and state.leader != old.leader and state.leader_epoch == old.leader_epoch:
                state = state._replace(leader_epoch=old.leader_epoch + 1)
            if old is not None and state != old:
                state = state._replace(partition_epoch=old.partition_epoch + 1)
            if old is None or state.leader_epoch != old.leader_epoch:
                begun[partition] = self._end_of_leader(partition, state)
            changed[partition] = state
        gone = set(deleted)
        partitions = {partition: state for partition, state in before.items() if partition not in gone}
        partitions.update(changed)
        if partitions != before:
            try:
                self._write(partitions)
            except KafkaStorageException as e:
                if changed:
                    raise
                log.error("failed to write the deletion of %s: %s", list(deleted), e)
        for partition, state in changed.items():
            if partition in begun:
                self._begin_epoch(partition, state, begun[partition])
            self._hold_high_watermark(partition, state)
        self._image = image = replace(self._image, partitions=MappingProxyType(partitions))
        for broker_id, member in list(self._members.items()):
            told = list(partitions) if broker_id == everything_to else list(changed)
            try:
                member.on_image(image, told, deleted)
            except Exception as e:
                log.error("failed to notify broker %d of changes", broker_id, exc=e)

    def _end_of_leader(self, partition: TopicPartition, state: PartitionState) -> int | None:
        """Return the offset where the copy of a new leader ends, None if it has the whole log.

        The copies of other replicas end there at the latest.
        """
        partition_log = self._log(partition)
        if state.leader == NO_LEADER or partition_log is None or partition_log.is_offline():
            return None
        self._held_copies.discard((partition, state.leader))
        end = self._copy_ends.pop((partition, state.leader), None)
        if end is None:
            return None
        end = max(end, partition_log.log_start_offset())
        for id_ in state.replicas:
            if (partition, id_) in self._copy_ends:
                self._copy_ends[partition, id_] = min(self._copy_ends[partition, id_], end)
        return end

    def _begin_epoch(self, partition: TopicPartition, state: PartitionState, end: int | None) -> None:
        """Truncate the log to ``end``, where its new leader's copy ends, and fence the earlier epochs."""
        partition_log = self._log(partition)
        if partition_log is None or partition_log.is_offline():
            return
        if end is not None and end < partition_log.log_end_offset():
            log.warn("truncating %s from %d to %d, where the copy of its new leader %d ends",
                     partition, partition_log.log_end_offset(), end, state.leader)
            partition_log = self._storage.log_manager().truncate_log(partition, end)
        partition_log.begin_epoch(state.leader_epoch)

    def _hold_high_watermark(self, partition: TopicPartition, state: PartitionState) -> None:
        partition_log = self._log(partition)
        if partition_log is not None and not partition_log.is_offline():
            ends = [self._copy_ends[partition, id_] for id_ in state.isr
                    if id_ != state.leader and (partition, id_) in self._copy_ends]
            partition_log.hold_high_watermark(max(min(ends), partition_log.log_start_offset())
                                              if ends else None)

    # -- the file ----------------------------------------------------------------------------------

    def _write(self, partitions: Mapping[TopicPartition, PartitionState]) -> None:
        self._file.write({"partitions": [
            {"topic": partition.topic(), "partition": partition.partition(), "replicas": state.replicas,
             "isr": state.isr, "leader": state.leader, "leader_epoch": state.leader_epoch,
             "partition_epoch": state.partition_epoch, "adding": state.adding, "removing": state.removing,
             "ends": {id_: self._copy_ends.get((partition, id_), 0) for id_ in state.replicas
                      if id_ not in state.isr}}
            for partition, state in partitions.items()]})

    def _take(self, content: Mapping[str, Any]) -> None:
        partitions = {}
        for entry in content["partitions"]:
            partition = TopicPartition(str(entry["topic"]), int(entry["partition"]))
            partition_log = self._log(partition)
            if partition_log is not None:
                # A log that is newer than the file has a later epoch.
                leader_epoch = max(int(entry["leader_epoch"]), partition_log.latest_epoch() or 0)
                partitions[partition] = PartitionState(
                    tuple(entry["replicas"]), tuple(entry["isr"]), NO_LEADER, leader_epoch,
                    int(entry["partition_epoch"]), tuple(entry["adding"]), tuple(entry["removing"]))
                # Files of earlier versions have neither leaders nor ends.
                self._former_leaders[partition] = int(entry.get("leader", entry["replicas"][0]))
                ends = entry.get("ends", {})
                for id_ in entry["replicas"]:
                    if id_ not in entry["isr"]:
                        self._copy_ends[partition, id_] = int(ends.get(str(id_), 0))
        self._image = ClusterImage(partitions=MappingProxyType(partitions))

    def assign_missing_replicas(self, replicas_of: Callable[[int], list[tuple[int, ...]]]) -> None:
        """Assign replicas to the partitions that the file lacks: those of a folder that a single broker used.

        ``replicas_of`` is called with the number of these partitions.
        """
        with self._lock:
            missing = [partition for topic in self._storage.topics().topics().values()
                       for partition in topic.partitions() if partition not in self._image.partitions]
            if missing:
                self.create_partitions(dict(zip(missing, replicas_of(len(missing)))))
