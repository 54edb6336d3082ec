# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LastRecord of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The last record of an active producer."""

from __future__ import annotations

from typing import NamedTuple


class LastRecord(NamedTuple):
    """``last_data_offset`` is None if the log knows only a marker of the producer.

    :origin: storage.internals.log.LastRecord
    :origin: storage.internals.log.LastRecord#LastRecord(OptionalLong, short)
    """

    last_data_offset: int | None
    producer_epoch: int
