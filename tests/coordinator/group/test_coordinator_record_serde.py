# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecordSerdeTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Records as bytes and back."""

from __future__ import annotations

import pytest

from kreactor.common.protocol.message import ApiMessage
from kreactor.common.protocol.message_util import MessageUtil
from kreactor.coordinator.group.consumer.resolved_regular_expression import ResolvedRegularExpression
from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.coordinator_record_helpers import CoordinatorRecordHelpers
from kreactor.coordinator.group.coordinator_record_serde import (
    CoordinatorRecordSerde, UnknownRecordTypeException)
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
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion


def test_serialize_key() -> None:
    serializer = CoordinatorRecordSerde()
    record = CoordinatorRecord(ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="group"), 3),
                               ApiMessageAndVersion(ConsumerGroupMetadataValue(epoch=10), 0))
    assert serializer.serialize_key(record) == MessageUtil.to_version_prefixed_bytes(
        record.key().version(), record.key().message())


def test_serialize_value() -> None:
    serializer = CoordinatorRecordSerde()
    value = ApiMessageAndVersion(ConsumerGroupMetadataValue(epoch=10), 0)
    record = CoordinatorRecord(ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="group"), 3), value)
    assert serializer.serialize_value(record) == MessageUtil.to_version_prefixed_bytes(
        value.version(), value.message())


def test_serialize_null_value() -> None:
    serializer = CoordinatorRecordSerde()
    record = CoordinatorRecord(ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="group"), 1), None)
    assert serializer.serialize_value(record) is None


def test_deserialize() -> None:
    serde = CoordinatorRecordSerde()
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="foo"), 3)
    key_buffer = MessageUtil.to_version_prefixed_byte_buffer(key.version(), key.message())
    value = ApiMessageAndVersion(ConsumerGroupMetadataValue(epoch=10), 0)
    value_buffer = MessageUtil.to_version_prefixed_byte_buffer(value.version(), value.message())
    record = serde.deserialize(key_buffer, value_buffer)
    assert record.key() == key
    assert record.value() == value


def test_deserialize_with_tombstone_for_value() -> None:
    serde = CoordinatorRecordSerde()
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="foo"), 3)
    key_buffer = MessageUtil.to_version_prefixed_byte_buffer(key.version(), key.message())
    record = serde.deserialize(key_buffer, None)
    assert record.key() == key
    assert record.value() is None


def test_deserialize_with_invalid_record_type() -> None:
    serde = CoordinatorRecordSerde()
    key_buffer = ByteBuffer.allocate(64)
    key_buffer.put_short(255)
    key_buffer.rewind()
    value_buffer = ByteBuffer.allocate(64)
    with pytest.raises(UnknownRecordTypeException) as ex:
        serde.deserialize(key_buffer, value_buffer)
    assert ex.value.unknown_type() == 255


def test_deserialize_with_key_empty_buffer() -> None:
    serde = CoordinatorRecordSerde()
    key_buffer = ByteBuffer.allocate(0)
    value_buffer = ByteBuffer.allocate(64)
    with pytest.raises(RuntimeError) as ex:
        serde.deserialize(key_buffer, value_buffer)
    assert str(ex.value) == "Could not read version from key's buffer."


def test_deserialize_with_value_empty_buffer() -> None:
    serde = CoordinatorRecordSerde()
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="foo"), 3)
    key_buffer = MessageUtil.to_version_prefixed_byte_buffer(key.version(), key.message())
    value_buffer = ByteBuffer.allocate(0)
    with pytest.raises(RuntimeError) as ex:
        serde.deserialize(key_buffer, value_buffer)
    assert str(ex.value) == "Could not read version from value's buffer."


def test_deserialize_with_invalid_key_bytes() -> None:
    serde = CoordinatorRecordSerde()
    key_buffer = ByteBuffer.allocate(2)
    key_buffer.put_short(3)
    key_buffer.rewind()
    value_buffer = ByteBuffer.allocate(2)
    value_buffer.put_short(0)
    value_buffer.rewind()
    with pytest.raises(RuntimeError) as ex:
        serde.deserialize(key_buffer, value_buffer)
    assert str(ex.value).startswith("Could not read record with version 3 from key's buffer due to")


def test_deserialize_with_invalid_value_bytes() -> None:
    serde = CoordinatorRecordSerde()
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(group_id="foo"), 3)
    key_buffer = MessageUtil.to_version_prefixed_byte_buffer(key.version(), key.message())
    value_buffer = ByteBuffer.allocate(2)
    value_buffer.put_short(0)
    value_buffer.rewind()
    with pytest.raises(RuntimeError) as ex:
        serde.deserialize(key_buffer, value_buffer)
    assert str(ex.value).startswith("Could not read record with version 0 from value's buffer due to")


def test_deserialize_all_record_types() -> None:
    round_trip(0, OffsetCommitKey(), OffsetCommitValue())
    round_trip(1, OffsetCommitKey(), OffsetCommitValue())
    round_trip(2, GroupMetadataKey(), GroupMetadataValue())
    round_trip(3, ConsumerGroupMetadataKey(), ConsumerGroupMetadataValue())
    round_trip(4, ConsumerGroupPartitionMetadataKey(), ConsumerGroupPartitionMetadataValue())
    round_trip(5, ConsumerGroupMemberMetadataKey(), ConsumerGroupMemberMetadataValue())
    round_trip(6, ConsumerGroupTargetAssignmentMetadataKey(), ConsumerGroupTargetAssignmentMetadataValue())
    round_trip(7, ConsumerGroupTargetAssignmentMemberKey(), ConsumerGroupTargetAssignmentMemberValue())
    round_trip(8, ConsumerGroupCurrentMemberAssignmentKey(), ConsumerGroupCurrentMemberAssignmentValue())


def round_trip(record_type: int, key: ApiMessage, val: ApiMessage) -> None:
    serde = CoordinatorRecordSerde()
    for version in range(val.LOWEST_SUPPORTED_VERSION, val.HIGHEST_SUPPORTED_VERSION + 1):
        key_message_and_version = ApiMessageAndVersion(key, record_type)
        val_message_and_version = ApiMessageAndVersion(val, version)
        record = serde.deserialize(MessageUtil.to_version_prefixed_byte_buffer(record_type, key),
                                   MessageUtil.to_version_prefixed_byte_buffer(version, val))
        assert record.key() == key_message_and_version
        assert record.value() == val_message_and_version


def test_the_topics_of_a_regular_expression_have_the_bytes_of_kafka_4() -> None:
    serde = CoordinatorRecordSerde()
    record = CoordinatorRecordHelpers.new_regular_expression_record(
        "g", "a.*", ResolvedRegularExpression(frozenset({"ab", "a"}), 258))
    key, value = serde.serialize_key(record), serde.serialize_value(record)
    assert key == b"\0\x10" b"\0\1g" b"\0\3a.*"
    assert value == b"\0\0" b"\3\2a\3ab" b"\0\0\0\0\0\0\0\0" b"\0\0\0\0\0\0\1\2" b"\0"
    assert serde.deserialize(ByteBuffer.wrap(key), ByteBuffer.wrap(value)) == record
    tombstone = CoordinatorRecordHelpers.new_regular_expression_record("g", "a.*", None)
    assert serde.serialize_key(tombstone) == key
    assert serde.serialize_value(tombstone) is None
