# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.TxnMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A transaction in a log that readers of committed records must not pass yet."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata


class TxnMetadata(NamedTuple):
    """The producer, the start of the transaction, and the offset of its marker, which is None for an open
    transaction.

    The position in ``first_offset`` is -1 if only the offset is known.

    :origin: storage.internals.log.TxnMetadata
    """

    producer_id: int
    first_offset: LogOffsetMetadata
    last_offset: int | None = None
