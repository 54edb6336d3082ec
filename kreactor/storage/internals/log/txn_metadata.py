# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.TxnMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A transaction in a log that readers of committed records must not pass yet."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata

OMITTED = {
    "storage.internals.log.TxnMetadata#*": "a NamedTuple has it",
}


class TxnMetadata(NamedTuple):
    """The producer, where the transaction begins, and the offset of its marker, None as long as it is open.

    The place in ``first_offset`` is -1 if only the offset is known.

    :origin: storage.internals.log.TxnMetadata
    """

    producer_id: int
    first_offset: LogOffsetMetadata
    last_offset: int | None = None
