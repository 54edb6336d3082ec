# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Whether what was read is what was written, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from tests.clients.client import Client, Headers, OnAck, Read, Record


class Expected(NamedTuple):
    """A record that was acknowledged: where it is, what it is."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    # One, unless it was the client that told the time.
    timestamps_ms: range


def write(client: Client, topic: str, records: Sequence[Record], *, codec: str = "none",
          idempotent: bool = False, on_ack: OnAck = lambda index, offset: None) -> list[Expected]:
    """Have a client write; return what must be in the topic now. The acknowledgements must be in order."""
    offsets: dict[int, int] = {}

    def note(index: int, offset: int) -> None:
        assert index not in offsets
        offsets[index] = offset
        on_ack(index, offset)

    before_ms = _now_ms()
    client.produce(topic, records, codec=codec, idempotent=idempotent, on_ack=note)
    now = range(before_ms, _now_ms() + 1)

    assert sorted(offsets) == list(range(len(records))), "each record is acknowledged"
    expected = []
    last: dict[int, int] = {}
    for index, record in enumerate(records):
        offset = offsets[index]
        assert offset > last.get(record.partition, -1), "in the order in which they were written"
        last[record.partition] = offset
        times = now if record.timestamp_ms is None else range(record.timestamp_ms, record.timestamp_ms + 1)
        expected.append(Expected(record.partition, offset, record.key, record.value, record.headers, times))
    return expected


def check(found: Sequence[Read], expected: Sequence[Expected]) -> None:
    """Fail unless ``found`` is what is ``expected``, each partition of it in order."""
    # Partitions may come in any order, but what is in one of them may not.
    found = sorted(found, key=lambda each: each.partition)
    expected = sorted(expected, key=lambda each: (each.partition, each.offset))
    if (places := [each[:2] for each in found]) != [each[:2] for each in expected]:
        are, wanted = set(places), {each[:2] for each in expected}
        lost = [each[:5] for each in expected if each[:2] not in are]
        more = [each[:5] for each in found if each[:2] not in wanted]
        pytest.fail(f"of {len(expected)} records {len(lost)} are not there: {lost[:3]}, "
                    f"{len(more)} nobody was told of: {more[:3]}"
                    + ("" if lost or more else ": they are not in order"))
    for is_, should in zip(found, expected, strict=True):
        assert is_[:5] == should[:5]
        assert is_.timestamp_ms in should.timestamps_ms, is_


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
