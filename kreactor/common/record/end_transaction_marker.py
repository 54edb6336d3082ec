# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.EndTransactionMarker of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The record that ends a transaction in a partition."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.record.control_record_type import CURRENT_CONTROL_RECORD_KEY_SIZE, ControlRecordType
from kreactor.common.record.default_record import DefaultRecord
from kreactor.common.record.record import Record
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

if TYPE_CHECKING:
    from typing import Final

log = LogContext().logger(f"{__name__}.EndTransactionMarker")

_CURRENT_END_TXN_MARKER_VERSION = 0

# Version and coordinator epoch. Later versions may only append fields.
_VALUE = struct.Struct(">hi")


class EndTransactionMarker:
    """Commit or abort, with the coordinator's epoch.

    The epoch lets a broker refuse the marker of a replaced coordinator.

    :origin: common.record.EndTransactionMarker
    """

    __slots__ = ("_type", "_coordinator_epoch")

    CURRENT_END_TXN_MARKER_VALUE_SIZE: Final = 6
    CURRENT_END_TXN_SCHEMA_RECORD_SIZE: Final = DefaultRecord.size_in_bytes_of_sizes(
        0, 0, CURRENT_CONTROL_RECORD_KEY_SIZE, CURRENT_END_TXN_MARKER_VALUE_SIZE, Record.EMPTY_HEADERS)

    def __init__(self, type_: ControlRecordType, coordinator_epoch: int) -> None:
        """Raises IllegalArgumentException for a type other than COMMIT and ABORT.

        :origin: common.record.EndTransactionMarker#EndTransactionMarker(ControlRecordType, int)
        """
        self._ensure_transaction_marker_control_type(type_)
        self._type = type_
        self._coordinator_epoch = coordinator_epoch

    def coordinator_epoch(self) -> int:
        """Return the coordinator's epoch.

        :origin: common.record.EndTransactionMarker#coordinatorEpoch()
        """
        return self._coordinator_epoch

    def control_type(self) -> ControlRecordType:
        """Return COMMIT or ABORT.

        :origin: common.record.EndTransactionMarker#controlType()
        """
        return self._type

    def serialize_value(self) -> ByteBuffer:
        """Return the value of the record.

        :origin: common.record.EndTransactionMarker#serializeValue()
        """
        return ByteBuffer.wrap(_VALUE.pack(_CURRENT_END_TXN_MARKER_VERSION, self._coordinator_epoch))

    def __eq__(self, other: object) -> bool:
        """:origin: common.record.EndTransactionMarker#equals(Object)"""
        if self is other:
            return True
        if not isinstance(other, EndTransactionMarker):
            return False
        return self._coordinator_epoch == other._coordinator_epoch and self._type is other._type

    def __hash__(self) -> int:
        """:origin: common.record.EndTransactionMarker#hashCode()"""
        return hash((self._type, self._coordinator_epoch))

    @staticmethod
    def _ensure_transaction_marker_control_type(type_: ControlRecordType) -> None:
        """Raises IllegalArgumentException for a type other than COMMIT and ABORT.

        :origin: common.record.EndTransactionMarker#ensureTransactionMarkerControlType(ControlRecordType)
        """
        if type_ is not ControlRecordType.COMMIT and type_ is not ControlRecordType.ABORT:
            raise IllegalArgumentException(
                f"Invalid control record type for end transaction marker{type_.name}")

    @staticmethod
    def deserialize(record: Record) -> EndTransactionMarker:
        """Return the marker in a control record. Raises InvalidRecordException, IllegalArgumentException.

        :origin: common.record.EndTransactionMarker#deserialize(Record)
        """
        key, value = record.key(), record.value()
        if key is None or value is None:
            raise TypeError("a control record must have a key and a value")
        return EndTransactionMarker.deserialize_value(ControlRecordType.parse(key), value)

    @staticmethod
    def deserialize_value(type_: ControlRecordType, value: ByteBuffer) -> EndTransactionMarker:
        """Return the marker of type ``type_`` with the epoch in ``value``.

        Raises InvalidRecordException, IllegalArgumentException.

        :origin: common.record.EndTransactionMarker#deserializeValue(ControlRecordType, ByteBuffer)
        """
        EndTransactionMarker._ensure_transaction_marker_control_type(type_)

        if value.remaining() < EndTransactionMarker.CURRENT_END_TXN_MARKER_VALUE_SIZE:
            raise InvalidRecordException(
                "Invalid value size found for end transaction marker. Must have at least "
                f"{EndTransactionMarker.CURRENT_END_TXN_MARKER_VALUE_SIZE} bytes, but found only "
                f"{value.remaining()}")

        version = value.get_short_at(0)
        if version < 0:
            raise InvalidRecordException(f"Invalid version found for end transaction marker: {version}. "
                                         "May indicate data corruption")

        if version > _CURRENT_END_TXN_MARKER_VERSION:
            log.debug("The value of a marker has the unknown version %d; it is read as version %d",
                      version, _CURRENT_END_TXN_MARKER_VERSION)

        coordinator_epoch = value.get_int_at(2)
        return EndTransactionMarker(type_, coordinator_epoch)
