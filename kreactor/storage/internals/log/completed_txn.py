# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.CompletedTxn of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A transaction that a marker in a log has completed."""

from __future__ import annotations

from typing import NamedTuple


class CompletedTxn(NamedTuple):
    """A completed transaction. ``last_offset`` is its marker's offset.

    :origin: storage.internals.log.CompletedTxn
    """

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool
