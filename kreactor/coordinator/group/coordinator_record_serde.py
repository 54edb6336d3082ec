# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecordSerde of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Serializes and parses the records of consumer groups."""

from __future__ import annotations

from kreactor.common.protocol.message import ApiMessage
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.coordinator.group.consumer.resolved_regular_expression import (
    ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue)
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey)
from kreactor.coordinator.group.generated.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_key import (
    ConsumerGroupMemberMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_metadata_key import ConsumerGroupMetadataKey
from kreactor.coordinator.group.generated.consumer_group_metadata_value import ConsumerGroupMetadataValue
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_partition_metadata_value import (
    ConsumerGroupPartitionMetadataValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey)
from kreactor.coordinator.group.generated.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue)
from kreactor.coordinator.group.generated.group_metadata_key import GroupMetadataKey
from kreactor.coordinator.group.generated.group_metadata_value import GroupMetadataValue
from kreactor.coordinator.group.generated.offset_commit_key import OffsetCommitKey
from kreactor.coordinator.group.generated.offset_commit_value import OffsetCommitValue
from kreactor.jdk.exceptions import BufferUnderflowException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion


class UnknownRecordTypeException(RuntimeError):
    """A record of a type that a later version writes."""

    def __init__(self, unknown_type: int) -> None:
        super().__init__(f"Found an unknown record type {unknown_type}")
        self._unknown_type = unknown_type

    def unknown_type(self) -> int:
        return self._unknown_type


class CoordinatorRecordSerde:
    """:origin: coordinator.group.CoordinatorRecordSerde"""

    __slots__ = ()

    def serialize_key(self, record: CoordinatorRecord) -> bytes:
        """:origin: coordinator.group.CoordinatorRecordSerde#serializeKey(CoordinatorRecord)"""
        return MessageUtil.to_version_prefixed_bytes(record.key().version(), record.key().message())

    def serialize_value(self, record: CoordinatorRecord) -> bytes | None:
        """Return the bytes of the value, None for a tombstone.

        :origin: coordinator.group.CoordinatorRecordSerde#serializeValue(CoordinatorRecord)
        """
        value = record.value()
        if value is None:
            return None
        else:
            return MessageUtil.to_version_prefixed_bytes(value.version(), value.message())

    def deserialize(self, key_buffer: ByteBuffer, value_buffer: ByteBuffer | None) -> CoordinatorRecord:
        """Return the record. Raises UnknownRecordTypeException, and RuntimeError for invalid bytes.

        :origin: coordinator.group.CoordinatorRecordSerde#deserialize(ByteBuffer, ByteBuffer)
        """
        record_type = self._read_version(key_buffer, "key")
        key_message = self._read_message(self._api_message_key_for(record_type), key_buffer, record_type,
                                         "key")

        if value_buffer is None:
            return CoordinatorRecord(ApiMessageAndVersion(key_message, record_type), None)

        value_class = self._api_message_value_for(record_type)
        value_version = self._read_version(value_buffer, "value")
        value_message = self._read_message(value_class, value_buffer, value_version, "value")

        return CoordinatorRecord(ApiMessageAndVersion(key_message, record_type),
                                 ApiMessageAndVersion(value_message, value_version))

    def _read_version(self, buffer: ByteBuffer, name: str) -> int:
        """:origin: coordinator.group.CoordinatorRecordSerde#readVersion(ByteBuffer, String)"""
        try:
            return buffer.get_short()
        except BufferUnderflowException:
            raise RuntimeError(f"Could not read version from {name}'s buffer.") from None

    def _read_message(self, message: type[ApiMessage], buffer: ByteBuffer, version: int,
                      name: str) -> ApiMessage:
        """
        :origin: coordinator.group.CoordinatorRecordSerde#readMessage(ApiMessage, ByteBuffer, short, String)
        """
        try:
            return message.read(buffer, version)
        except Exception as ex:
            raise RuntimeError(
                f"Could not read record with version {version} from {name}'s buffer due to: {ex}.") from ex

    def _api_message_key_for(self, record_type: int) -> type[ApiMessage]:
        """:origin: coordinator.group.CoordinatorRecordSerde#apiMessageKeyFor(short)"""
        match record_type:
            case 0 | 1:
                return OffsetCommitKey
            case 2:
                return GroupMetadataKey
            case 3:
                return ConsumerGroupMetadataKey
            case 4:
                return ConsumerGroupPartitionMetadataKey
            case 5:
                return ConsumerGroupMemberMetadataKey
            case 6:
                return ConsumerGroupTargetAssignmentMetadataKey
            case 7:
                return ConsumerGroupTargetAssignmentMemberKey
            case 8:
                return ConsumerGroupCurrentMemberAssignmentKey
            # DEVIATION D314: the record is one of Kafka 4.0.
            case 16:
                return ConsumerGroupRegularExpressionKey
            case _:
                raise UnknownRecordTypeException(record_type)

    def _api_message_value_for(self, record_type: int) -> type[ApiMessage]:
        """:origin: coordinator.group.CoordinatorRecordSerde#apiMessageValueFor(short)"""
        match record_type:
            case 0 | 1:
                return OffsetCommitValue
            case 2:
                return GroupMetadataValue
            case 3:
                return ConsumerGroupMetadataValue
            case 4:
                return ConsumerGroupPartitionMetadataValue
            case 5:
                return ConsumerGroupMemberMetadataValue
            case 6:
                return ConsumerGroupTargetAssignmentMetadataValue
            case 7:
                return ConsumerGroupTargetAssignmentMemberValue
            case 8:
                return ConsumerGroupCurrentMemberAssignmentValue
            case 16:
                return ConsumerGroupRegularExpressionValue
            case _:
                raise UnknownRecordTypeException(record_type)
