# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.FetchIsolation of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The last offset that a fetch may read."""

from __future__ import annotations

from enum import Enum


class FetchIsolation(Enum):
    """The visibility of records for a reader.

    Open transactions limit only readers of committed records.

    :origin: storage.internals.log.FetchIsolation
    """

    LOG_END = "log end"
    HIGH_WATERMARK = "high watermark"
    TXN_COMMITTED = "last stable offset"
