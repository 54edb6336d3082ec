# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.record.UnalignedRecords of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Bytes of a log that may begin or end within a batch, as in fetched Raft snapshots."""

from __future__ import annotations

from kreactor.common.record.default_records_send import DefaultRecordsSend
from kreactor.common.record.transferable_records import TransferableRecords


class UnalignedRecords(TransferableRecords):
    """A range that need not begin or end with a batch.

    :origin: common.record.UnalignedRecords
    """

    __slots__ = ()

    def to_send(self) -> DefaultRecordsSend[TransferableRecords]:
        """:origin: common.record.UnalignedRecords#toSend()"""
        return DefaultRecordsSend(self, self.size_in_bytes())
