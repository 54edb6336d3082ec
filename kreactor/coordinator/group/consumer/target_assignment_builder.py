# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.TargetAssignmentBuilder of Apache Kafka
# 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Asks an assignor for a group's new target assignment, and makes records of the changes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import (
    GroupAssignment, MemberAssignment, SubscriptionType)
from kreactor.coordinator.group.api.assignor.partition_assignor import PartitionAssignor
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.consumer_group_member import ConsumerGroupMember
from kreactor.coordinator.group.consumer.group_spec_impl import GroupSpecImpl
from kreactor.coordinator.group.consumer.member_subscription_and_assignment_impl import (
    MemberSubscriptionAndAssignmentImpl)
from kreactor.coordinator.group.consumer.resolved_regular_expression import ResolvedRegularExpression
from kreactor.coordinator.group.consumer.subscribed_topic_describer_impl import SubscribedTopicDescriberImpl
from kreactor.coordinator.group.consumer.topic_ids import TopicIds
from kreactor.coordinator.group.consumer.topic_metadata import TopicMetadata
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.metadata_image import TopicsImage


class TargetAssignmentBuilder:
    """:origin: coordinator.group.consumer.TargetAssignmentBuilder"""

    __slots__ = ("_group_id", "_group_epoch", "_assignor", "_members", "_subscription_metadata",
                 "_subscription_type", "_target_assignment", "_inverted_target_assignment", "_topics_image",
                 "_updated_members", "_static_members", "_resolved_regular_expressions")

    class TargetAssignmentResult:
        """:origin: coordinator.group.consumer.TargetAssignmentBuilder.TargetAssignmentResult"""

        __slots__ = ("_records", "_target_assignment")

        def __init__(self, records: list[CoordinatorRecord],
                     target_assignment: Mapping[str, MemberAssignment]) -> None:
            """
            :origin: coordinator.group.consumer.TargetAssignmentBuilder.TargetAssignmentResult#TargetAssignmentResult(List<CoordinatorRecord>, Map<String,MemberAssignment>)
            """  # noqa: E501
            self._records = records
            self._target_assignment = target_assignment

        def records(self) -> list[CoordinatorRecord]:
            """:origin: coordinator.group.consumer.TargetAssignmentBuilder.TargetAssignmentResult#records()"""
            return self._records

        def target_assignment(self) -> Mapping[str, MemberAssignment]:
            """
            :origin: coordinator.group.consumer.TargetAssignmentBuilder.TargetAssignmentResult#targetAssignment()
            """  # noqa: E501
            return self._target_assignment

    def __init__(self, group_id: str, group_epoch: int, assignor: PartitionAssignor) -> None:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#TargetAssignmentBuilder(String, int, PartitionAssignor)
        """  # noqa: E501
        self._group_id = group_id
        self._group_epoch = group_epoch
        self._assignor = assignor
        self._members: Mapping[str, ConsumerGroupMember] = {}
        self._subscription_metadata: Mapping[str, TopicMetadata] = {}
        self._subscription_type = SubscriptionType.HOMOGENEOUS
        self._target_assignment: Mapping[str, Assignment] = {}
        self._inverted_target_assignment: Mapping[Uuid, Mapping[int, str]] = {}
        self._topics_image = TopicsImage.EMPTY
        self._updated_members: dict[str, ConsumerGroupMember | None] = {}
        self._static_members: Mapping[str, str] = {}
        self._resolved_regular_expressions: Mapping[str, ResolvedRegularExpression] = {}

    def with_members(self, members: Mapping[str, ConsumerGroupMember]) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withMembers(Map<String,ConsumerGroupMember>)
        """  # noqa: E501
        self._members = members
        return self

    def with_static_members(self, static_members: Mapping[str, str]) -> TargetAssignmentBuilder:
        """Set the member ids by their instance ids.

        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withStaticMembers(Map<String,String>)
        """
        self._static_members = static_members
        return self

    def with_resolved_regular_expressions(
        self, resolved_regular_expressions: Mapping[str, ResolvedRegularExpression],
    ) -> TargetAssignmentBuilder:
        """Set the topics of the members' regular expressions."""
        self._resolved_regular_expressions = resolved_regular_expressions
        return self

    def with_subscription_metadata(
        self, subscription_metadata: Mapping[str, TopicMetadata],
    ) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withSubscriptionMetadata(Map<String,TopicMetadata>)
        """  # noqa: E501
        self._subscription_metadata = subscription_metadata
        return self

    def with_subscription_type(self, subscription_type: SubscriptionType) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withSubscriptionType(SubscriptionType)
        """
        self._subscription_type = subscription_type
        return self

    def with_target_assignment(self, target_assignment: Mapping[str, Assignment]) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withTargetAssignment(Map<String,Assignment>)
        """  # noqa: E501
        self._target_assignment = target_assignment
        return self

    def with_inverted_target_assignment(
        self, inverted_target_assignment: Mapping[Uuid, Mapping[int, str]],
    ) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#withInvertedTargetAssignment(Map<Uuid,Map<Integer,String>>)
        """  # noqa: E501
        self._inverted_target_assignment = inverted_target_assignment
        return self

    def with_topics_image(self, topics_image: TopicsImage) -> TargetAssignmentBuilder:
        """:origin: coordinator.group.consumer.TargetAssignmentBuilder#withTopicsImage(TopicsImage)"""
        self._topics_image = topics_image
        return self

    def add_or_update_member(
            self, member_id: str, member: ConsumerGroupMember | None) -> TargetAssignmentBuilder:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#addOrUpdateMember(String, ConsumerGroupMember)
        """  # noqa: E501
        self._updated_members[member_id] = member
        return self

    def remove_member(self, member_id: str) -> TargetAssignmentBuilder:
        """:origin: coordinator.group.consumer.TargetAssignmentBuilder#removeMember(String)"""
        return self.add_or_update_member(member_id, None)

    def build(self) -> TargetAssignmentBuilder.TargetAssignmentResult:
        """Raises PartitionAssignorException.

        :origin: coordinator.group.consumer.TargetAssignmentBuilder#build()
        """
        member_specs: dict[str, MemberSubscriptionAndAssignmentImpl] = {}

        for member_id, member in self._members.items():
            member_specs[member_id] = self._create_member_subscription_and_assignment(
                member, self._target_assignment.get(member_id, Assignment.EMPTY), self._topics_image,
                self._resolved_regular_expressions)

        for member_id, updated_member_or_none in self._updated_members.items():
            if updated_member_or_none is None:
                member_specs.pop(member_id, None)
            else:
                assignment = self._target_assignment.get(member_id, Assignment.EMPTY)

                # A static member that replaces another one takes over that member's assignment.
                instance_id = updated_member_or_none.instance_id()
                if instance_id is not None:
                    previous_member_id = self._static_members.get(instance_id)
                    if previous_member_id is not None and previous_member_id != member_id:
                        assignment = self._target_assignment.get(previous_member_id, Assignment.EMPTY)

                member_specs[member_id] = self._create_member_subscription_and_assignment(
                    updated_member_or_none, assignment, self._topics_image,
                    self._resolved_regular_expressions)

        topic_metadata_map = {topic_metadata.id(): topic_metadata
                              for topic_metadata in self._subscription_metadata.values()}

        new_group_assignment = self._assignor.assign(
            GroupSpecImpl(MappingProxyType(member_specs), self._subscription_type,
                          self._inverted_target_assignment),
            SubscribedTopicDescriberImpl(topic_metadata_map))

        records: list[CoordinatorRecord] = []

        for member_id in member_specs:
            old_member_assignment = self._target_assignment.get(member_id)
            new_member_assignment = self._new_member_assignment(new_group_assignment, member_id)

            if new_member_assignment != old_member_assignment:
                records.append(CoordinatorRecordHelpers.new_target_assignment_record(
                    self._group_id, member_id, new_member_assignment.partitions()))

        records.append(CoordinatorRecordHelpers.new_target_assignment_epoch_record(
            self._group_id, self._group_epoch))

        return self.TargetAssignmentResult(records, new_group_assignment.members())

    def _new_member_assignment(self, new_group_assignment: GroupAssignment, member_id: str) -> Assignment:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#newMemberAssignment(GroupAssignment, String)
        """  # noqa: E501
        new_member_assignment = new_group_assignment.members().get(member_id)
        if new_member_assignment is not None:
            return Assignment(new_member_assignment.partitions())
        else:
            return Assignment.EMPTY

    @staticmethod
    def _create_member_subscription_and_assignment(
        member: ConsumerGroupMember, member_assignment: Assignment, topics_image: TopicsImage,
        resolved_regular_expressions: Mapping[str, ResolvedRegularExpression] = MappingProxyType({}),
    ) -> MemberSubscriptionAndAssignmentImpl:
        """
        :origin: coordinator.group.consumer.TargetAssignmentBuilder#createMemberSubscriptionAndAssignment(ConsumerGroupMember, Assignment, TopicsImage)
        """  # noqa: E501
        names = member.subscribed_topic_names()
        # DEVIATION D314: a member also subscribes to the topics of its regular expression.
        resolved = resolved_regular_expressions.get(member.subscribed_topic_regex() or "")
        if resolved is not None:
            names |= resolved.topics
        return MemberSubscriptionAndAssignmentImpl(
            member.rack_id(), TopicIds(names, topics_image), member_assignment)
