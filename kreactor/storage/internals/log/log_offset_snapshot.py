# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.storage.internals.log.LogOffsetSnapshot of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The offsets of a log at one moment."""

from __future__ import annotations

from typing import NamedTuple

from kreactor.storage.internals.log.log_offset_metadata import LogOffsetMetadata


class LogOffsetSnapshot(NamedTuple):
    """A consistent set of a log's offsets at one moment.

    :origin: storage.internals.log.LogOffsetSnapshot
    """

    log_start_offset: int
    log_end_offset: LogOffsetMetadata
    high_watermark: LogOffsetMetadata
    last_stable_offset: LogOffsetMetadata
