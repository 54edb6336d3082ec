# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Record batches and message sets as bytes, written as the protocol's guide describes them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import crc32c

from kreactor.conformance.codec import varint

# A fixed time, so that two runs send the same bytes: 2024-01-01T00:00:00Z in milliseconds.
TIMESTAMP_MS = 1_704_067_200_000

Record = tuple[bytes | None, bytes | None]


def _sized_or_null(data: bytes | None) -> bytes:
    return varint(-1) if data is None else varint(len(data)) + data


def batch(records: Sequence[Record], *, base_offset: int = 0, producer_id: int = -1, producer_epoch: int = -1,
          base_sequence: int = -1, attributes: int = 0, count: int | None = None,
          crc: int | None = None) -> bytes:
    """Return a record batch (magic 2). ``count`` and ``crc`` replace the true ones."""
    body = b""
    for i, (key, value) in enumerate(records):
        record = b"\0" + varint(0) + varint(i) + _sized_or_null(key) + _sized_or_null(value) + varint(0)
        body += varint(len(record)) + record
    checked = struct.pack(">hiqqqhii", attributes, len(records) - 1, TIMESTAMP_MS, TIMESTAMP_MS, producer_id,
                          producer_epoch, base_sequence, len(records) if count is None else count) + body
    checksum = crc32c.crc32c(checked) if crc is None else crc
    rest = struct.pack(">ibI", -1, 2, checksum) + checked
    return struct.pack(">qi", base_offset, len(rest)) + rest


def message_set(records: Sequence[Record], *, magic: int) -> bytes:
    """Return a message set of magic 0 or 1, one message a record."""
    messages = b""
    for i, (key, value) in enumerate(records):
        checked = struct.pack(">bb", magic, 0) + (struct.pack(">q", TIMESTAMP_MS) if magic else b"")
        for part in (key, value):
            checked += struct.pack(">i", -1 if part is None else len(part)) + (part or b"")
        messages += struct.pack(">qiI", i, 4 + len(checked), zlib.crc32(checked)) + checked
    return messages
