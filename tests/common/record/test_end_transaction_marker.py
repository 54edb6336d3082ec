# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's EndTransactionMarkerTest."""

from __future__ import annotations

import pytest

from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.control_record_type import ControlRecordType
from kreactor.common.record.end_transaction_marker import EndTransactionMarker
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer


def test_unknown_control_type_not_allowed() -> None:
    with pytest.raises(IllegalArgumentException):
        EndTransactionMarker(ControlRecordType.UNKNOWN, 24)


def test_cannot_deserialize_unknown_control_type() -> None:
    with pytest.raises(IllegalArgumentException):
        EndTransactionMarker.deserialize_value(ControlRecordType.UNKNOWN, ByteBuffer.wrap(b""))


def test_illegal_negative_version() -> None:
    for data in (b"\xff\xff", b"\xff\xff\0\0\0\0"):
        with pytest.raises(InvalidRecordException):
            EndTransactionMarker.deserialize_value(ControlRecordType.ABORT, ByteBuffer.wrap(data))


def test_not_enough_bytes() -> None:
    with pytest.raises(InvalidRecordException):
        EndTransactionMarker.deserialize_value(ControlRecordType.COMMIT, ByteBuffer.wrap(b""))


def test_serde() -> None:
    marker = EndTransactionMarker(ControlRecordType.COMMIT, 79)
    deserialized = EndTransactionMarker.deserialize_value(ControlRecordType.COMMIT, marker.serialize_value())
    assert deserialized.coordinator_epoch() == 79
    assert deserialized == marker and hash(deserialized) == hash(marker)
    assert marker != EndTransactionMarker(ControlRecordType.ABORT, 79)
    assert marker != EndTransactionMarker(ControlRecordType.COMMIT, 80)


def test_deserialize_newer_version() -> None:
    buffer = ByteBuffer.allocate(8).put_short(5).put_int(79).put_short(0).flip()
    assert EndTransactionMarker.deserialize_value(ControlRecordType.COMMIT, buffer).coordinator_epoch() == 79
