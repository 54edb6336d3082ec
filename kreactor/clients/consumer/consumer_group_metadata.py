# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.clients.consumer.ConsumerGroupMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The group member for which a transaction commits offsets."""

from __future__ import annotations

from kreactor.common.requests.join_group_request import JoinGroupRequest


class ConsumerGroupMetadata:
    """A group, its generation and one of its members. Immutable.

    :origin: clients.consumer.ConsumerGroupMetadata
    """

    __slots__ = ("_group_id", "_generation_id", "_member_id", "_group_instance_id")

    def __init__(self, group_id: str, generation_id: int = JoinGroupRequest.UNKNOWN_GENERATION_ID,
                 member_id: str = JoinGroupRequest.UNKNOWN_MEMBER_ID,
                 group_instance_id: str | None = None) -> None:
        """With only the group id, the coordinator does not check the member.

        Raises TypeError if the group id or the member id is None.

        :origin: clients.consumer.ConsumerGroupMetadata#ConsumerGroupMetadata(
            String, int, String, Optional<String>)
        :origin: clients.consumer.ConsumerGroupMetadata#ConsumerGroupMetadata(String)
        """
        if group_id is None:
            raise TypeError("group.id can't be null")
        if member_id is None:
            raise TypeError("member.id can't be null")
        self._group_id = group_id
        self._generation_id = generation_id
        self._member_id = member_id
        self._group_instance_id = group_instance_id

    def group_id(self) -> str:
        """Return the id of the group.

        :origin: clients.consumer.ConsumerGroupMetadata#groupId()
        """
        return self._group_id

    def generation_id(self) -> int:
        """Return the generation, or UNKNOWN_GENERATION_ID.

        :origin: clients.consumer.ConsumerGroupMetadata#generationId()
        """
        return self._generation_id

    def member_id(self) -> str:
        """Return the id of the member, or UNKNOWN_MEMBER_ID.

        :origin: clients.consumer.ConsumerGroupMetadata#memberId()
        """
        return self._member_id

    def group_instance_id(self) -> str | None:
        """Return the id of a static member, or None.

        :origin: clients.consumer.ConsumerGroupMetadata#groupInstanceId()
        """
        return self._group_instance_id

    def __str__(self) -> str:
        """Return all fields as text.

        :origin: clients.consumer.ConsumerGroupMetadata#toString()
        """
        return (f"GroupMetadata(groupId = {self._group_id}, generationId = {self._generation_id}, "
                f"memberId = {self._member_id}, groupInstanceId = {self._group_instance_id or ''})")

    def __eq__(self, o: object) -> bool:
        """Compare all fields.

        :origin: clients.consumer.ConsumerGroupMetadata#equals(Object)
        """
        if self is o:
            return True
        if type(o) is not type(self):
            return False
        assert isinstance(o, ConsumerGroupMetadata)
        return (self._generation_id == o._generation_id and self._group_id == o._group_id
                and self._member_id == o._member_id and self._group_instance_id == o._group_instance_id)

    def __hash__(self) -> int:
        """Hash all fields.

        :origin: clients.consumer.ConsumerGroupMetadata#hashCode()
        """
        return hash((self._group_id, self._generation_id, self._member_id, self._group_instance_id))
