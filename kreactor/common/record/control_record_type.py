# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.ControlRecordType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of control records, which Kafka writes among users' records. A type is part of the key."""

from __future__ import annotations

import struct
from enum import Enum

from kreactor.common.invalid_record_exception import InvalidRecordException
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

log = LogContext().logger(f"{__name__}.ControlRecordType")

# Version and type. Later versions may only append fields.
_KEY = struct.Struct(">hh")


class ControlRecordType(Enum):
    """The type of a control record: the end of a transaction, or a message of a KRaft quorum.

    :origin: common.record.ControlRecordType
    """

    ABORT = 0
    COMMIT = 1

    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4

    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6

    # A type that this version does not know. Readers skip its records.
    UNKNOWN = -1

    def type(self) -> int:
        """Return the type's id.

        :origin: common.record.ControlRecordType#type()
        """
        return int(self.value)

    # DEVIATION D55: the key is bytes, where Java has a Struct with a Schema. Two integers of fixed size need
    # neither.
    def record_key(self) -> bytes:
        """Return the key of a record of this type. Raises IllegalArgumentException for UNKNOWN.

        :origin: common.record.ControlRecordType#recordKey()
        """
        if self is ControlRecordType.UNKNOWN:
            raise IllegalArgumentException("Cannot serialize UNKNOWN control record type")
        return _KEY.pack(CURRENT_CONTROL_RECORD_KEY_VERSION, self.type())

    @staticmethod
    def parse_type_id(key: ByteBuffer) -> int:
        """Return the type's id in a key. Raises InvalidRecordException.

        :origin: common.record.ControlRecordType#parseTypeId(ByteBuffer)
        """
        if key.remaining() < CURRENT_CONTROL_RECORD_KEY_SIZE:
            raise InvalidRecordException(
                "Invalid value size found for end control record key. Must have at least "
                f"{CURRENT_CONTROL_RECORD_KEY_SIZE} bytes, but found only {key.remaining()}")
        version = key.get_short_at(0)
        if version < 0:
            raise InvalidRecordException(f"Invalid version found for control record: {version}. "
                                         "May indicate data corruption")
        if version != CURRENT_CONTROL_RECORD_KEY_VERSION:
            log.debug("The key of a control record has the unknown version %d; it is read as version %d",
                      version, CURRENT_CONTROL_RECORD_KEY_VERSION)
        return key.get_short_at(2)

    @staticmethod
    def from_type_id(type_id: int) -> ControlRecordType:
        """Return the type of an id, or UNKNOWN.

        :origin: common.record.ControlRecordType#fromTypeId(short)
        """
        try:
            return ControlRecordType(type_id)
        except ValueError:
            return ControlRecordType.UNKNOWN

    @staticmethod
    def parse(key: ByteBuffer) -> ControlRecordType:
        """Return the type in a key. Raises InvalidRecordException.

        :origin: common.record.ControlRecordType#parse(ByteBuffer)
        """
        return ControlRecordType.from_type_id(ControlRecordType.parse_type_id(key))


# Assigned outside the class, because an Enum would make them members.
CURRENT_CONTROL_RECORD_KEY_VERSION = 0
CURRENT_CONTROL_RECORD_KEY_SIZE = 4
