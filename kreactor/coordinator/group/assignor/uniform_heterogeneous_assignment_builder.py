# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder of
# Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The even assignment of members that subscribe to different topics.

A member keeps the partitions that it has, if it still subscribes to their topics. A free partition goes to
the subscriber with the fewest partitions. Partitions then move from full members to others, until no move
makes the assignment more even.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, GroupSpec, SubscribedTopicDescriber)
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignorException
from kreactor.coordinator.group.consumer.member_assignment_impl import MemberAssignmentImpl
from kreactor.jdk.loggers import get_logger
from kreactor.server.common.topic_id_partition import TopicIdPartition

_LOG = get_logger(__name__)


class UniformHeterogeneousAssignmentBuilder:
    """:origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder"""

    __slots__ = ("_group_spec", "_subscribed_topic_describer", "_subscribed_topic_ids", "_members_per_topic",
                 "_target_assignment", "_unassigned_partitions", "_assigned_sticky_partitions",
                 "_assignment_manager", "_sorted_members_by_assignment_size",
                 "_partition_owner_in_target_assignment", "_partition_movements")

    def __init__(self, group_spec: GroupSpec, subscribed_topic_describer: SubscribedTopicDescriber) -> None:
        """Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#UniformHeterogeneousAssignmentBuilder(GroupSpec, SubscribedTopicDescriber)
        """  # noqa: E501
        self._group_spec = group_spec
        self._subscribed_topic_describer = subscribed_topic_describer
        # Dicts without values replace sets, because their order is the same in each run.
        self._subscribed_topic_ids: dict[Uuid, None] = {}
        self._members_per_topic: dict[Uuid, list[str]] = {}
        self._target_assignment: dict[str, dict[Uuid, set[int]]] = {}
        for member_id in group_spec.member_ids():
            for topic_id in group_spec.member_subscription(member_id).subscribed_topic_ids():
                partition_count = subscribed_topic_describer.num_partitions(topic_id)
                if partition_count == -1:
                    raise PartitionAssignorException(
                        f"Members are subscribed to topic {topic_id} which doesn't exist in the topic "
                        "metadata.")
                self._subscribed_topic_ids[topic_id] = None
                self._members_per_topic.setdefault(topic_id, []).append(member_id)
            self._target_assignment[member_id] = {}
        self._unassigned_partitions = self._topic_id_partitions(
            self._subscribed_topic_ids, subscribed_topic_describer)
        self._assigned_sticky_partitions: set[TopicIdPartition] = set()
        self._assignment_manager = self.AssignmentManager(self, self._subscribed_topic_describer)
        self._sorted_members_by_assignment_size = self._assignment_manager.sort_members_by_assignment_size(
            group_spec.member_ids())
        self._partition_owner_in_target_assignment: dict[TopicIdPartition, str] = {}
        self._partition_movements = self.PartitionMovements()

    def build(self) -> GroupAssignment:
        """Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#build()
        """
        if not self._subscribed_topic_ids:
            _LOG.info("The subscription list is empty, returning an empty assignment")
            return GroupAssignment({})

        self._assign_sticky_partitions()

        self._unassigned_partitions_assignment()

        self._balance()

        return GroupAssignment({member_id: MemberAssignmentImpl(partitions)
                                for member_id, partitions in self._target_assignment.items()})

    def _sort_topic_id_partitions(self, topic_id_partitions: Iterable[TopicIdPartition]) -> list[
            TopicIdPartition]:
        """Return partitions of topics with the most partitions for each subscriber first.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#sortTopicIdPartitions(Collection<TopicIdPartition>)
        """  # noqa: E501
        def key(topic_id_partition: TopicIdPartition) -> tuple[float, int, int]:
            total_partitions = self._subscribed_topic_describer.num_partitions(topic_id_partition.topic_id)
            total_subscribers = len(self._members_per_topic[topic_id_partition.topic_id])
            return -total_partitions / total_subscribers, total_subscribers, topic_id_partition.partition_id

        return sorted(topic_id_partitions, key=key)

    def _assign_sticky_partitions(self) -> None:
        """Let members keep the partitions of the topics to which they still subscribe.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#assignStickyPartitions()
        """
        for member_id in self._group_spec.member_ids():
            for topic_id, current_assignment in self._group_spec.member_assignment(
                    member_id).partitions().items():
                if topic_id in self._group_spec.member_subscription(member_id).subscribed_topic_ids():
                    for partition in current_assignment:
                        topic_id_partition = TopicIdPartition(topic_id, partition)
                        self._assignment_manager.add_partition_to_target_assignment(
                            topic_id_partition, member_id)
                        self._assigned_sticky_partitions.add(topic_id_partition)
                else:
                    _LOG.debug("Topic %s is not among the subscribed topics any more", topic_id)

    def _unassigned_partitions_assignment(self) -> None:
        """Give each free partition to the subscriber with the fewest partitions.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#unassignedPartitionsAssignment()
        """  # noqa: E501
        sorted_partitions = self._sort_topic_id_partitions(self._unassigned_partitions)

        for partition in sorted_partitions:
            sorted_members = self._assignment_manager.sort_members_by_assignment_size(
                self._members_per_topic[partition.topic_id])

            for member in sorted_members:
                if self._assignment_manager.maybe_assign_partition_to_member(partition, member):
                    break

    def _can_topic_participate_in_reassignment(self, topic_id: Uuid) -> bool:
        """
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#canTopicParticipateInReassignment(Uuid)
        """  # noqa: E501
        return len(self._members_per_topic[topic_id]) >= 2

    def _can_member_participate_in_reassignment(self, member_id: str) -> bool:
        """Return whether a member can get more partitions, or has one that another member can get.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#canMemberParticipateInReassignment(String)
        """  # noqa: E501
        assigned_topic_ids = self._target_assignment[member_id]

        current_assignment_size = self._assignment_manager.target_assignment_size(member_id)
        max_assignment_size = self._assignment_manager.max_assignment_size(member_id)

        if current_assignment_size > max_assignment_size:
            _LOG.error("Member %s has more partitions than its topics", member_id)

        if current_assignment_size < max_assignment_size:
            return True

        return any(self._can_topic_participate_in_reassignment(topic_id) for topic_id in assigned_topic_ids)

    def _is_balanced(self) -> bool:
        """:origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#isBalanced()"""
        manager = self._assignment_manager
        min_ = manager.target_assignment_size(self._sorted_members_by_assignment_size.first())
        max_ = manager.target_assignment_size(self._sorted_members_by_assignment_size.last())

        if min_ >= max_ - 1:
            return True

        # The order starts with the fewest partitions, so one member that can get a partition from a fuller
        # one is enough.
        for member in self._sorted_members_by_assignment_size:
            member_partition_count = manager.target_assignment_size(member)

            max_assignment_size = manager.max_assignment_size(member)
            if member_partition_count == max_assignment_size:
                continue

            for topic_id in self._group_spec.member_subscription(member).subscribed_topic_ids():
                assigned_partitions = self._target_assignment[member].get(topic_id)
                for i in range(self._subscribed_topic_describer.num_partitions(topic_id)):
                    topic_id_partition = TopicIdPartition(topic_id, i)
                    if assigned_partitions is None or i not in assigned_partitions:
                        other_member = self._partition_owner_in_target_assignment[topic_id_partition]
                        other_member_partition_count = manager.target_assignment_size(other_member)
                        if member_partition_count + 1 < other_member_partition_count:
                            _LOG.debug("%s may move from member %s to member %s, for a more even assignment",
                                       topic_id_partition, other_member, member)
                            return False
        return True

    def _balance(self) -> None:
        """Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#balance()
        """
        if self._unassigned_partitions:
            raise PartitionAssignorException("Some partitions were left unassigned")
        self._unassigned_partitions.update(
            self._topic_id_partitions(self._subscribed_topic_ids, self._subscribed_topic_describer))

        # A topic with one subscriber stays with that subscriber.
        fixed_partitions: set[TopicIdPartition] = set()
        for topic_id in self._subscribed_topic_ids:
            if not self._can_topic_participate_in_reassignment(topic_id):
                for i in range(self._subscribed_topic_describer.num_partitions(topic_id)):
                    fixed_partitions.add(TopicIdPartition(topic_id, i))
        for partition in fixed_partitions:
            self._unassigned_partitions.pop(partition, None)

        for member in self._group_spec.member_ids():
            if not self._can_member_participate_in_reassignment(member):
                self._sorted_members_by_assignment_size.remove(member)

        if self._unassigned_partitions:
            self._perform_reassignments()

    def _perform_reassignments(self) -> None:
        """Move partitions until no move makes the assignment more even. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#performReassignments()
        """
        modified = True
        while modified:
            modified = False
            reassignment_occurred = False
            reassignable_partitions = self._sort_topic_id_partitions(self._unassigned_partitions)

            for reassignable_partition in reassignable_partitions:
                # Only a move changes the balance.
                if reassignment_occurred and self._is_balanced():
                    return
                reassignment_occurred = False

                if len(self._members_per_topic[reassignable_partition.topic_id]) <= 1:
                    raise PartitionAssignorException(
                        "Expected more than one potential member for topicIdPartition "
                        f"'{reassignable_partition}'")

                current_target_owner = self._partition_owner_in_target_assignment.get(reassignable_partition)
                if current_target_owner is None:
                    raise PartitionAssignorException(
                        f"Expected topicIdPartition '{reassignable_partition}' to be assigned to a member")

                for other_member in self._members_per_topic[reassignable_partition.topic_id]:
                    if self._assignment_manager.target_assignment_size(current_target_owner) > \
                            self._assignment_manager.target_assignment_size(other_member) + 1:
                        self._reassign_partition(reassignable_partition)
                        modified = True
                        reassignment_occurred = True
                        break

    def _reassign_partition(self, partition: TopicIdPartition) -> None:
        """Move a partition to the subscriber with the fewest partitions. Raises PartitionAssignorException.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#reassignPartition(TopicIdPartition)
        """  # noqa: E501
        new_owner = None
        for another_member in self._sorted_members_by_assignment_size:
            if partition.topic_id in self._group_spec.member_subscription(
                    another_member).subscribed_topic_ids():
                new_owner = another_member
                break

        if new_owner is None:
            raise PartitionAssignorException(f"No suitable new owner was found for the partition{partition}")

        self._reassign_partition_new_member(partition, new_owner)

    def _reassign_partition_new_member(self, partition: TopicIdPartition, new_member: str) -> None:
        """
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#reassignPartition(TopicIdPartition, String)
        """  # noqa: E501
        member = self._partition_owner_in_target_assignment[partition]
        # If a partition has moved the other way before, that partition moves back instead.
        partition_to_be_moved = self._partition_movements.compute_actual_partition_to_be_moved(
            partition, member, new_member)
        self._process_partition_movement(partition_to_be_moved, new_member)

    def _process_partition_movement(self, topic_id_partition: TopicIdPartition, new_member: str) -> None:
        """
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#processPartitionMovement(TopicIdPartition, String)
        """  # noqa: E501
        old_member = self._partition_owner_in_target_assignment[topic_id_partition]

        self._partition_movements.move_partition(topic_id_partition, old_member, new_member)

        self._assignment_manager.remove_partition_from_target_assignment(topic_id_partition, old_member)
        self._assignment_manager.add_partition_to_target_assignment(topic_id_partition, new_member)

    @staticmethod
    def _add_partition_to_assignment(member_assignments: dict[str, dict[Uuid, set[int]]], member_id: str,
                                     topic_id: Uuid, partition: int) -> None:
        """
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#addPartitionToAssignment(Map<String,MemberAssignment>, String, Uuid, int)
        """  # noqa: E501
        member_assignments[member_id].setdefault(topic_id, set()).add(partition)

    @staticmethod
    def _topic_id_partitions(
        topic_ids: Collection[Uuid], subscribed_topic_describer: SubscribedTopicDescriber,
    ) -> dict[TopicIdPartition, None]:
        """
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder#topicIdPartitions(Collection<Uuid>, SubscribedTopicDescriber)
        """  # noqa: E501
        topic_id_partitions: dict[TopicIdPartition, None] = {}
        for topic_id in topic_ids:
            num_partitions = subscribed_topic_describer.num_partitions(topic_id)
            for partition_id in range(num_partitions):
                topic_id_partitions[TopicIdPartition(topic_id, partition_id)] = None
        return topic_id_partitions

    class MemberPair(NamedTuple):
        """The member that a partition leaves, and the member that it moves to.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.MemberPair
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.MemberPair#MemberPair(String, String)
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.MemberPair#hashCode()
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.MemberPair#equals(Object)
        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.MemberPair#toString()
        """  # noqa: E501

        src_member_id: str
        dst_member_id: str

    class PartitionMovements:
        """Which partitions have moved, so that a partition of the same topic need not move the other way.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.PartitionMovements
        """

        __slots__ = ("_partition_movements_by_topic", "_partition_movements_by_partition")

        def __init__(self) -> None:
            self._partition_movements_by_topic: dict[
                Uuid, dict[UniformHeterogeneousAssignmentBuilder.MemberPair,
                           dict[TopicIdPartition, None]]] = {}
            self._partition_movements_by_partition: dict[
                TopicIdPartition, UniformHeterogeneousAssignmentBuilder.MemberPair] = {}

        def _remove_movement_record_of_partition(
            self, partition: TopicIdPartition,
        ) -> UniformHeterogeneousAssignmentBuilder.MemberPair:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.PartitionMovements#removeMovementRecordOfPartition(TopicIdPartition)
            """  # noqa: E501
            pair = self._partition_movements_by_partition.pop(partition)

            topic = partition.topic_id
            partition_movements_for_this_topic = self._partition_movements_by_topic[topic]
            del partition_movements_for_this_topic[pair][partition]
            if not partition_movements_for_this_topic[pair]:
                del partition_movements_for_this_topic[pair]
            if not self._partition_movements_by_topic[topic]:
                del self._partition_movements_by_topic[topic]

            return pair

        def _add_partition_movement_record(
                self, partition: TopicIdPartition,
                pair: UniformHeterogeneousAssignmentBuilder.MemberPair) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.PartitionMovements#addPartitionMovementRecord(TopicIdPartition, MemberPair)
            """  # noqa: E501
            self._partition_movements_by_partition[partition] = pair

            topic = partition.topic_id
            self._partition_movements_by_topic.setdefault(topic, {}).setdefault(pair, {})[partition] = None

        def move_partition(self, partition: TopicIdPartition, old_owner: str, new_owner: str) -> None:
            """Raises PartitionAssignorException.

            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.PartitionMovements#movePartition(TopicIdPartition, String, String)
            """  # noqa: E501
            pair = UniformHeterogeneousAssignmentBuilder.MemberPair(old_owner, new_owner)

            if partition in self._partition_movements_by_partition:
                existing_pair = self._remove_movement_record_of_partition(partition)
                if existing_pair.dst_member_id == old_owner:
                    raise PartitionAssignorException(
                        "Mismatch in partition movement record with respect to partition ownership during a "
                        "rebalance")
                if existing_pair.src_member_id != new_owner:
                    # The partition does not move back to its origin.
                    self._add_partition_movement_record(
                        partition,
                        UniformHeterogeneousAssignmentBuilder.MemberPair(existing_pair.src_member_id,
                                                                         new_owner))
            else:
                self._add_partition_movement_record(partition, pair)

        def compute_actual_partition_to_be_moved(self, partition: TopicIdPartition, old_owner: str,
                                                 new_owner: str) -> TopicIdPartition:
            """Raises PartitionAssignorException.

            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.PartitionMovements#computeActualPartitionToBeMoved(TopicIdPartition, String, String)
            """  # noqa: E501
            topic = partition.topic_id

            if topic not in self._partition_movements_by_topic:
                return partition

            if partition in self._partition_movements_by_partition:
                expected_old_owner = self._partition_movements_by_partition[partition].dst_member_id
                if old_owner != expected_old_owner:
                    raise PartitionAssignorException(
                        f"Old owner does not match expected value for partition: {partition}")
                old_owner = self._partition_movements_by_partition[partition].src_member_id

            partition_movements_for_this_topic = self._partition_movements_by_topic[topic]
            reverse_pair = UniformHeterogeneousAssignmentBuilder.MemberPair(new_owner, old_owner)
            if reverse_pair not in partition_movements_for_this_topic:
                return partition

            return next(iter(partition_movements_for_this_topic[reverse_pair]))

    class AssignmentManager:
        """Counts the partitions that members have, and those that they may have.

        :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager
        """

        __slots__ = ("_builder", "_members_with_assignment_sizes")

        class MemberAssignmentData:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager.MemberAssignmentData
            """  # noqa: E501

            __slots__ = ("member_id", "current_assignment_size", "max_assignment_size")

            def __init__(self, member_id: str) -> None:
                """
                :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager.MemberAssignmentData#MemberAssignmentData(String)
                """  # noqa: E501
                self.member_id = member_id
                self.current_assignment_size = 0
                self.max_assignment_size = 0

        def __init__(self, builder: UniformHeterogeneousAssignmentBuilder,
                     subscribed_topic_describer: SubscribedTopicDescriber) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#AssignmentManager(SubscribedTopicDescriber)
            """  # noqa: E501
            self._builder = builder
            self._members_with_assignment_sizes: dict[
                str, UniformHeterogeneousAssignmentBuilder.AssignmentManager.MemberAssignmentData] = {}
            for member_id in builder._group_spec.member_ids():
                max_size = sum(map(subscribed_topic_describer.num_partitions,
                                   builder._group_spec.member_subscription(member_id).subscribed_topic_ids()))

                member_assignment_data = self.MemberAssignmentData(member_id)
                member_assignment_data.max_assignment_size = max_size
                self._members_with_assignment_sizes[member_id] = member_assignment_data

        def target_assignment_size(self, member_id: str) -> int:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#targetAssignmentSize(String)
            """  # noqa: E501
            member_data = self._members_with_assignment_sizes.get(member_id)
            if member_data is None:
                _LOG.warning("Member Id %s not found", member_id)
                return 0
            return member_data.current_assignment_size

        def max_assignment_size(self, member_id: str) -> int:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#maxAssignmentSize(String)
            """  # noqa: E501
            member_data = self._members_with_assignment_sizes.get(member_id)
            if member_data is None:
                _LOG.warning("Member Id %s not found", member_id)
                return 0
            return member_data.max_assignment_size

        def _is_member_at_max_capacity(self, member_id: str) -> bool:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#isMemberAtMaxCapacity(String)
            """  # noqa: E501
            return self.target_assignment_size(member_id) >= self.max_assignment_size(member_id)

        def _increment_target_assignment_size(self, member_id: str) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#incrementTargetAssignmentSize(String)
            """  # noqa: E501
            member_data = self._members_with_assignment_sizes.get(member_id)
            if member_data is None:
                _LOG.warning("Member Id %s not found", member_id)
                return
            member_data.current_assignment_size += 1

        def _decrement_target_assignment_size(self, member_id: str) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#decrementTargetAssignmentSize(String)
            """  # noqa: E501
            member_data = self._members_with_assignment_sizes.get(member_id)
            if member_data is None:
                _LOG.warning("Member Id %s not found", member_id)
                return

            if member_data.current_assignment_size > 0:
                member_data.current_assignment_size -= 1

        def maybe_assign_partition_to_member(self, topic_id_partition: TopicIdPartition,
                                             member_id: str) -> bool:
            """Assign the partition if the member subscribes to the topic and has room; return whether it did.

            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#maybeAssignPartitionToMember(TopicIdPartition, String)
            """  # noqa: E501
            if topic_id_partition.topic_id not in \
                    self._builder._group_spec.member_subscription(member_id).subscribed_topic_ids():
                return False

            if self._is_member_at_max_capacity(member_id):
                return False

            self.add_partition_to_target_assignment(topic_id_partition, member_id)
            return True

        def add_partition_to_target_assignment(self, topic_id_partition: TopicIdPartition,
                                               member_id: str) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#addPartitionToTargetAssignment(TopicIdPartition, String)
            """  # noqa: E501
            builder = self._builder
            builder._add_partition_to_assignment(
                builder._target_assignment, member_id, topic_id_partition.topic_id,
                topic_id_partition.partition_id)

            builder._partition_owner_in_target_assignment[topic_id_partition] = member_id
            # A member's place depends on its size, so the member is removed, changed and added again.
            builder._sorted_members_by_assignment_size.remove(member_id)
            self._increment_target_assignment_size(member_id)

            if not self._is_member_at_max_capacity(member_id):
                builder._sorted_members_by_assignment_size.add(member_id)

            builder._unassigned_partitions.pop(topic_id_partition, None)

        def remove_partition_from_target_assignment(self, topic_id_partition: TopicIdPartition,
                                                    member_id: str) -> None:
            """
            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#removePartitionFromTargetAssignment(TopicIdPartition, String)
            """  # noqa: E501
            builder = self._builder
            target_partitions_map = builder._target_assignment[member_id]
            partitions_set = target_partitions_map.get(topic_id_partition.topic_id)
            if partitions_set is not None:
                partitions_set.discard(topic_id_partition.partition_id)
                if not partitions_set:
                    del target_partitions_map[topic_id_partition.topic_id]

            if builder._partition_owner_in_target_assignment.get(topic_id_partition) == member_id:
                del builder._partition_owner_in_target_assignment[topic_id_partition]
            builder._sorted_members_by_assignment_size.remove(member_id)
            self._decrement_target_assignment_size(member_id)

            if not self._is_member_at_max_capacity(member_id):
                builder._sorted_members_by_assignment_size.add(member_id)

        def sort_members_by_assignment_size(self, member_ids: Iterable[str]) -> _SortedMembers:
            """Return the members that may get more partitions, those with the fewest first.

            :origin: coordinator.group.assignor.UniformHeterogeneousAssignmentBuilder.AssignmentManager#sortMembersByAssignmentSize(Collection<String>)
            """  # noqa: E501
            sizes = self._members_with_assignment_sizes
            return _SortedMembers(
                sizes, (member_id for member_id in member_ids
                        if sizes[member_id].current_assignment_size < sizes[member_id].max_assignment_size))


class _SortedMembers:
    """
    Members ordered by size and id, as in Java's TreeSet. A member is removed while its size changes.
    """

    __slots__ = ("_sizes", "_entries")

    def __init__(self,
                 sizes: dict[
                     str, UniformHeterogeneousAssignmentBuilder.AssignmentManager.MemberAssignmentData],
                 member_ids: Iterable[str]) -> None:
        self._sizes = sizes
        self._entries = sorted(map(self._entry, member_ids))

    def _entry(self, member_id: str) -> tuple[int, str]:
        return self._sizes[member_id].current_assignment_size, member_id

    def __iter__(self) -> Iterator[str]:
        return (member_id for _, member_id in self._entries)

    def first(self) -> str:
        return self._entries[0][1]

    def last(self) -> str:
        return self._entries[-1][1]

    def add(self, member_id: str) -> None:
        insort(self._entries, self._entry(member_id))

    def remove(self, member_id: str) -> None:
        """Remove a member, if it is there."""
        entry = self._entry(member_id)
        index = bisect_left(self._entries, entry)
        if index < len(self._entries) and self._entries[index] == entry:
            del self._entries[index]
