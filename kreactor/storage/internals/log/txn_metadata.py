# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.TxnMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A transaction that is open in a log."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata

OMITTED = {
    **dict.fromkeys((f"storage.internals.log.TxnMetadata#{name}" for name in (
        "lastOffset",)),
        "a transaction is decided as soon as its marker is in the log: none waits for a high watermark"),
    "storage.internals.log.TxnMetadata#*": "a NamedTuple has it",
}


class TxnMetadata(NamedTuple):
    """A transaction that is open: whose, and where it begins. The place is -1 if only the offset is known.

    :origin: storage.internals.log.TxnMetadata
    """

    producer_id: int
    first_offset: LogOffsetMetadata
