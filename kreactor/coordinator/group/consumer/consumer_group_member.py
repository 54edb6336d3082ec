# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.consumer.ConsumerGroupMember of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A member of a consumer group: its subscription, its epoch, and its partitions. Immutable."""

from __future__ import annotations

from collections.abc import Iterable

from kreactor.common.message.consumer_group_describe_response_data import ConsumerGroupDescribeResponseData
from kreactor.common.message.join_group_request_data import JoinGroupRequestData
from kreactor.common.uuid import Uuid
from kreactor.coordinator.group.api.assignor.group_spec import Partitions
from kreactor.coordinator.group.consumer.assignment import Assignment
from kreactor.coordinator.group.consumer.member_state import MemberState
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.metadata_image import TopicsImage


class ConsumerGroupMember:
    """:origin: coordinator.group.consumer.ConsumerGroupMember"""

    __slots__ = ("_member_id", "_member_epoch", "_previous_member_epoch", "_state", "_instance_id",
                 "_rack_id",
                 "_rebalance_timeout_ms", "_client_id", "_client_host", "_subscribed_topic_names",
                 "_subscribed_topic_regex", "_server_assignor_name", "_assigned_partitions",
                 "_partitions_pending_revocation", "_classic_member_metadata")

    class Builder:
        """Makes a new member, or a changed copy of a member.

        :origin: coordinator.group.consumer.ConsumerGroupMember.Builder
        """

        __slots__ = ("_member_id", "_member_epoch", "_previous_member_epoch", "_state", "_instance_id",
                     "_rack_id",
                     "_rebalance_timeout_ms", "_client_id", "_client_host", "_subscribed_topic_names",
                     "_subscribed_topic_regex", "_server_assignor_name", "_assigned_partitions",
                     "_partitions_pending_revocation", "_classic_member_metadata")

        def __init__(self, member: str | ConsumerGroupMember) -> None:
            """``member`` is the id of a new member, or a member to copy.

            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#Builder(String)
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#Builder(ConsumerGroupMember)
            """
            if isinstance(member, str):
                self._member_id = member
                self._member_epoch = 0
                self._previous_member_epoch = -1
                self._state = MemberState.STABLE
                self._instance_id: str | None = None
                self._rack_id: str | None = None
                self._rebalance_timeout_ms = -1
                self._client_id = ""
                self._client_host = ""
                self._subscribed_topic_names: frozenset[str] = frozenset()
                self._subscribed_topic_regex: str | None = ""
                self._server_assignor_name: str | None = None
                self._assigned_partitions: Partitions = {}
                self._partitions_pending_revocation: Partitions = {}
                self._classic_member_metadata: (
                    ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None) = None
            else:
                self._member_id = member._member_id
                self._member_epoch = member._member_epoch
                self._previous_member_epoch = member._previous_member_epoch
                self._instance_id = member._instance_id
                self._rack_id = member._rack_id
                self._rebalance_timeout_ms = member._rebalance_timeout_ms
                self._client_id = member._client_id
                self._client_host = member._client_host
                self._subscribed_topic_names = member._subscribed_topic_names
                self._subscribed_topic_regex = member._subscribed_topic_regex
                self._server_assignor_name = member._server_assignor_name
                self._state = member._state
                self._assigned_partitions = member._assigned_partitions
                self._partitions_pending_revocation = member._partitions_pending_revocation
                self._classic_member_metadata = member._classic_member_metadata

        def update_member_epoch(self, member_epoch: int) -> ConsumerGroupMember.Builder:
            """Set the epoch; the current epoch becomes the previous one.

            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#updateMemberEpoch(int)
            """
            current_member_epoch = self._member_epoch
            self._member_epoch = member_epoch
            self._previous_member_epoch = current_member_epoch
            return self

        def set_member_epoch(self, member_epoch: int) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setMemberEpoch(int)"""
            self._member_epoch = member_epoch
            return self

        def set_previous_member_epoch(self, previous_member_epoch: int) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setPreviousMemberEpoch(int)"""
            self._previous_member_epoch = previous_member_epoch
            return self

        def set_instance_id(self, instance_id: str | None) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setInstanceId(String)"""
            self._instance_id = instance_id
            return self

        def maybe_update_instance_id(self, instance_id: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateInstanceId(Optional<String>)
            """  # noqa: E501
            self._instance_id = self._instance_id if instance_id is None else instance_id
            return self

        def set_rack_id(self, rack_id: str | None) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setRackId(String)"""
            self._rack_id = rack_id
            return self

        def maybe_update_rack_id(self, rack_id: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateRackId(Optional<String>)
            """  # noqa: E501
            self._rack_id = self._rack_id if rack_id is None else rack_id
            return self

        def set_rebalance_timeout_ms(self, rebalance_timeout_ms: int) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setRebalanceTimeoutMs(int)"""
            self._rebalance_timeout_ms = rebalance_timeout_ms
            return self

        def maybe_update_rebalance_timeout_ms(
                self, rebalance_timeout_ms: int | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateRebalanceTimeoutMs(OptionalInt)
            """  # noqa: E501
            if rebalance_timeout_ms is not None:
                self._rebalance_timeout_ms = rebalance_timeout_ms
            return self

        def set_client_id(self, client_id: str) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setClientId(String)"""
            self._client_id = client_id
            return self

        def set_client_host(self, client_host: str) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setClientHost(String)"""
            self._client_host = client_host
            return self

        def set_subscribed_topic_names(
                self, subscribed_topic_list: Iterable[str]) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setSubscribedTopicNames(List<String>)
            """  # noqa: E501
            self._subscribed_topic_names = frozenset(subscribed_topic_list)
            return self

        def maybe_update_subscribed_topic_names(
                self, subscribed_topic_list: Iterable[str] | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateSubscribedTopicNames(Optional<List<String>>)
            """  # noqa: E501
            if subscribed_topic_list is not None:
                self._subscribed_topic_names = frozenset(subscribed_topic_list)
            return self

        def set_subscribed_topic_regex(
                self, subscribed_topic_regex: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setSubscribedTopicRegex(String)
            """
            self._subscribed_topic_regex = subscribed_topic_regex
            return self

        def maybe_update_subscribed_topic_regex(
                self, subscribed_topic_regex: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateSubscribedTopicRegex(Optional<String>)
            """  # noqa: E501
            if subscribed_topic_regex is not None:
                self._subscribed_topic_regex = subscribed_topic_regex
            return self

        def set_server_assignor_name(self, server_assignor_name: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setServerAssignorName(String)
            """
            self._server_assignor_name = server_assignor_name
            return self

        def maybe_update_server_assignor_name(
                self, server_assignor_name: str | None) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#maybeUpdateServerAssignorName(Optional<String>)
            """  # noqa: E501
            if server_assignor_name is not None:
                self._server_assignor_name = server_assignor_name
            return self

        def set_state(self, state: MemberState) -> ConsumerGroupMember.Builder:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setState(MemberState)"""
            self._state = state
            return self

        def set_assigned_partitions(self, assigned_partitions: Partitions) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setAssignedPartitions(Map<Uuid,Set<Integer>>)
            """  # noqa: E501
            self._assigned_partitions = assigned_partitions
            return self

        def set_partitions_pending_revocation(
                self, partitions_pending_revocation: Partitions) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setPartitionsPendingRevocation(Map<Uuid,Set<Integer>>)
            """  # noqa: E501
            self._partitions_pending_revocation = partitions_pending_revocation
            return self

        def set_classic_member_metadata(
            self, classic_member_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None,
        ) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#setClassicMemberMetadata(ConsumerGroupMemberMetadataValue.ClassicMemberMetadata)
            """  # noqa: E501
            self._classic_member_metadata = classic_member_metadata
            return self

        def update_with(self, record: ConsumerGroupMemberMetadataValue) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#updateWith(ConsumerGroupMemberMetadataValue)
            """  # noqa: E501
            self.set_instance_id(record.instance_id)
            self.set_rack_id(record.rack_id)
            self.set_client_id(record.client_id)
            self.set_client_host(record.client_host)
            self.set_subscribed_topic_names(record.subscribed_topic_names)
            self.set_subscribed_topic_regex(record.subscribed_topic_regex)
            self.set_rebalance_timeout_ms(record.rebalance_timeout_ms)
            self.set_server_assignor_name(record.server_assignor)
            self.set_classic_member_metadata(record.classic_member_metadata)
            return self

        def update_with_assignment(
                self, record: ConsumerGroupCurrentMemberAssignmentValue) -> ConsumerGroupMember.Builder:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#updateWith(ConsumerGroupCurrentMemberAssignmentValue)
            """  # noqa: E501
            self.set_member_epoch(record.member_epoch)
            self.set_previous_member_epoch(record.previous_member_epoch)
            self.set_state(MemberState.from_value(record.state))
            self.set_assigned_partitions(self._assignment_from_topic_partitions(record.assigned_partitions))
            self.set_partitions_pending_revocation(
                self._assignment_from_topic_partitions(record.partitions_pending_revocation))
            return self

        def _assignment_from_topic_partitions(
            self, topic_partitions_list: Iterable[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions],
        ) -> dict[Uuid, frozenset[int]]:
            """
            :origin: coordinator.group.consumer.ConsumerGroupMember.Builder#assignmentFromTopicPartitions(List<ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions>)
            """  # noqa: E501
            return {topic_partitions.topic_id: frozenset(topic_partitions.partitions)
                    for topic_partitions in topic_partitions_list}

        def build(self) -> ConsumerGroupMember:
            """:origin: coordinator.group.consumer.ConsumerGroupMember.Builder#build()"""
            return ConsumerGroupMember(self)

    def __init__(self, builder: ConsumerGroupMember.Builder) -> None:
        """Copy the builder's values.

        :origin: coordinator.group.consumer.ConsumerGroupMember#ConsumerGroupMember(String, int, int, String, String, int, String, String, Set<String>, String, String, MemberState, Map<Uuid,Set<Integer>>, Map<Uuid,Set<Integer>>, ConsumerGroupMemberMetadataValue.ClassicMemberMetadata)
        """  # noqa: E501
        self._member_id = builder._member_id
        self._member_epoch = builder._member_epoch
        self._previous_member_epoch = builder._previous_member_epoch
        self._state = builder._state
        self._instance_id = builder._instance_id
        self._rack_id = builder._rack_id
        self._rebalance_timeout_ms = builder._rebalance_timeout_ms
        self._client_id = builder._client_id
        self._client_host = builder._client_host
        self._subscribed_topic_names = builder._subscribed_topic_names
        self._subscribed_topic_regex = builder._subscribed_topic_regex
        self._server_assignor_name = builder._server_assignor_name
        self._assigned_partitions = builder._assigned_partitions
        self._partitions_pending_revocation = builder._partitions_pending_revocation
        self._classic_member_metadata = builder._classic_member_metadata

    def member_id(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#memberId()"""
        return self._member_id

    def member_epoch(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#memberEpoch()"""
        return self._member_epoch

    def previous_member_epoch(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#previousMemberEpoch()"""
        return self._previous_member_epoch

    def instance_id(self) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#instanceId()"""
        return self._instance_id

    def rack_id(self) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#rackId()"""
        return self._rack_id

    def rebalance_timeout_ms(self) -> int:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#rebalanceTimeoutMs()"""
        return self._rebalance_timeout_ms

    def client_id(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#clientId()"""
        return self._client_id

    def client_host(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#clientHost()"""
        return self._client_host

    def subscribed_topic_names(self) -> frozenset[str]:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#subscribedTopicNames()"""
        return self._subscribed_topic_names

    def subscribed_topic_regex(self) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#subscribedTopicRegex()"""
        return self._subscribed_topic_regex

    def server_assignor_name(self) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#serverAssignorName()"""
        return self._server_assignor_name

    def state(self) -> MemberState:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#state()"""
        return self._state

    def is_reconciled_to(self, target_assignment_epoch: int) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#isReconciledTo(int)"""
        return self._state is MemberState.STABLE and self._member_epoch == target_assignment_epoch

    def assigned_partitions(self) -> Partitions:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#assignedPartitions()"""
        return self._assigned_partitions

    def partitions_pending_revocation(self) -> Partitions:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#partitionsPendingRevocation()"""
        return self._partitions_pending_revocation

    def supported_join_group_request_protocols(self) -> list[JoinGroupRequestData.JoinGroupRequestProtocol]:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#supportedJoinGroupRequestProtocols()"""
        return [JoinGroupRequestData.JoinGroupRequestProtocol(name=protocol.name, metadata=protocol.metadata)
                for protocol in self.supported_classic_protocols() or ()]

    def classic_protocol_session_timeout(self) -> int | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#classicProtocolSessionTimeout()"""
        metadata = self._classic_member_metadata
        return metadata.session_timeout_ms if metadata is not None else None

    def classic_member_metadata(self) -> ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None:
        """Return the classic protocol's part of a member, None for a member of the consumer protocol.

        :origin: coordinator.group.consumer.ConsumerGroupMember#classicMemberMetadata()
        """
        return self._classic_member_metadata

    def supported_classic_protocols(self) -> list[ConsumerGroupMemberMetadataValue.ClassicProtocol] | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#supportedClassicProtocols()"""
        metadata = self._classic_member_metadata
        return metadata.supported_protocols if metadata is not None else None

    def as_consumer_group_describe_member(
        self, target_assignment: Assignment | None, topics_image: TopicsImage,
    ) -> ConsumerGroupDescribeResponseData.Member:
        """
        :origin: coordinator.group.consumer.ConsumerGroupMember#asConsumerGroupDescribeMember(Assignment, TopicsImage)
        """  # noqa: E501
        return ConsumerGroupDescribeResponseData.Member(
            member_epoch=self._member_epoch,
            member_id=self._member_id,
            assignment=ConsumerGroupDescribeResponseData.Assignment(
                topic_partitions=self._topic_partitions_from_map(self._assigned_partitions, topics_image)),
            target_assignment=ConsumerGroupDescribeResponseData.Assignment(
                topic_partitions=self._topic_partitions_from_map(
                    target_assignment.partitions() if target_assignment is not None else {}, topics_image)),
            client_host=self._client_host,
            client_id=self._client_id,
            instance_id=self._instance_id,
            rack_id=self._rack_id,
            subscribed_topic_names=sorted(self._subscribed_topic_names),
            subscribed_topic_regex=self._subscribed_topic_regex)

    @staticmethod
    def _topic_partitions_from_map(
            partitions: Partitions, topics_image: TopicsImage) -> list[
                ConsumerGroupDescribeResponseData.TopicPartitions]:
        """Return the partitions by topic, without those of deleted topics.

        :origin: coordinator.group.consumer.ConsumerGroupMember#topicPartitionsFromMap(Map<Uuid,Set<Integer>>, TopicsImage)
        """  # noqa: E501
        topic_partitions = []
        for topic_id, partition_set in partitions.items():
            topic_name = ConsumerGroupMember._lookup_topic_name_by_id(topic_id, topics_image)
            if topic_name is not None:
                topic_partitions.append(ConsumerGroupDescribeResponseData.TopicPartitions(
                    topic_id=topic_id, topic_name=topic_name, partitions=sorted(partition_set)))
        return topic_partitions

    @staticmethod
    def _lookup_topic_name_by_id(topic_id: Uuid, topics_image: TopicsImage) -> str | None:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#lookupTopicNameById(Uuid, TopicsImage)"""
        topic_image = topics_image.get_topic(topic_id)
        return topic_image.name if topic_image is not None else None

    @staticmethod
    def classic_protocol_list_from_join_request_protocol_collection(
        protocols: Iterable[JoinGroupRequestData.JoinGroupRequestProtocol],
    ) -> list[ConsumerGroupMemberMetadataValue.ClassicProtocol]:
        """
        :origin: coordinator.group.consumer.ConsumerGroupMember#classicProtocolListFromJoinRequestProtocolCollection(JoinGroupRequestData.JoinGroupRequestProtocolCollection)
        """  # noqa: E501
        return [ConsumerGroupMemberMetadataValue.ClassicProtocol(name=protocol.name,
                                                                 metadata=protocol.metadata)
                for protocol in protocols]

    def use_classic_protocol(self) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#useClassicProtocol()"""
        return self._classic_member_metadata is not None

    def __eq__(self, other: object) -> bool:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#equals(Object)"""
        if not isinstance(other, ConsumerGroupMember):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: coordinator.group.consumer.ConsumerGroupMember#toString()"""
        fields = ", ".join(f"{name[1:]}={getattr(self, name)!r}" for name in self.__slots__)
        return f"ConsumerGroupMember({fields})"

    @staticmethod
    def has_assigned_partitions_changed(member1: ConsumerGroupMember, member2: ConsumerGroupMember) -> bool:
        """
        :origin: coordinator.group.consumer.ConsumerGroupMember#hasAssignedPartitionsChanged(ConsumerGroupMember, ConsumerGroupMember)
        """  # noqa: E501
        return member1.assigned_partitions() != member2.assigned_partitions()
