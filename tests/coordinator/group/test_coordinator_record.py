# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.coordinator.group.CoordinatorRecordTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A record."""

from __future__ import annotations

from kreactor.coordinator.group.coordinator_record import CoordinatorRecord
from kreactor.coordinator.group.generated.consumer_group_metadata_key import ConsumerGroupMetadataKey
from kreactor.coordinator.group.generated.consumer_group_metadata_value import ConsumerGroupMetadataValue
from kreactor.server.common.api_message_and_version import ApiMessageAndVersion


def test_attributes() -> None:
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(), 0)
    value = ApiMessageAndVersion(ConsumerGroupMetadataValue(), 0)
    record = CoordinatorRecord(key, value)
    assert record.key() == key
    assert record.value() == value


def test_value_can_be_null() -> None:
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(), 0)
    record = CoordinatorRecord(key, None)
    assert record.key() == key
    assert record.value() is None


def test_equals() -> None:
    key = ApiMessageAndVersion(ConsumerGroupMetadataKey(), 0)
    value = ApiMessageAndVersion(ConsumerGroupMetadataValue(), 0)
    record1 = CoordinatorRecord(key, value)
    record2 = CoordinatorRecord(key, value)
    assert record2 == record1
