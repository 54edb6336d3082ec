# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Records that tests append to topics and read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from kreactor.testing.json_text import shown, utf8_of

READ_COMMITTED = "read_committed"
READ_UNCOMMITTED = "read_uncommitted"
Isolation = Literal["read_committed", "read_uncommitted"]
# Text is written in UTF-8.
Data = bytes | bytearray | memoryview | str | None
Headers = Mapping[str, Data] | Iterable[tuple[str, Data]]

MAX_PARTITION = 2**31 - 1
# A record holds its difference from the first one of its batch, which may be -1 for no timestamp.
MAX_TIMESTAMP_MS = 2**63 - 2


class Record(NamedTuple):
    """A record of a topic, decompressed."""

    partition: int
    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    def text(self) -> str | None:
        """Return the value as text. Raises UnicodeDecodeError."""
        return None if self.value is None else self.value.decode()

    def json(self) -> object:
        """Return the value parsed as JSON. Raises ValueError."""
        return None if self.value is None else json.loads(self.value)


class NewRecord(NamedTuple):
    """A record to append. Without ``timestamp_ms`` the record gets the broker's time."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]
    timestamp_ms: int | None


def new_record(value: Data, key: Data = None, headers: Headers = (),
               timestamp_ms: int | None = None) -> NewRecord:
    """Return a record.

    Raises TypeError for a value that is neither bytes nor text, and ValueError for text that is not valid
    Unicode, or a timestamp out of range.
    """
    if timestamp_ms is not None and (not isinstance(timestamp_ms, int) or isinstance(timestamp_ms, bool)
                                     or not -1 <= timestamp_ms <= MAX_TIMESTAMP_MS):
        raise ValueError(
            f"timestamp_ms={shown(timestamp_ms)}: not milliseconds from -1, for none, to {MAX_TIMESTAMP_MS}")
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return NewRecord(as_bytes(key, "key"), as_bytes(value, "value"),
                     tuple((utf8_of(str(name), "the name of a header"), as_bytes(each, f"header {name}"))
                           for name, each in pairs),
                     timestamp_ms)


def as_bytes(data: Data, name: str) -> bytes | None:
    """Return text or bytes as bytes. Raises TypeError, which names the argument ``name``, for other types."""
    if data is None or isinstance(data, bytes):
        return data
    if isinstance(data, str):
        return utf8_of(data, name).encode()
    if isinstance(data, (bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"{name}: must be bytes, text or None, not {type(data).__name__}")


def check_count(count: int | None) -> None:
    """Raises ValueError for a number of records that is not one."""
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 0):
        raise ValueError(f"count={shown(count)}: must be a whole number, and not below 0")


def check_isolation(isolation: str) -> None:
    """Raises ValueError for an unknown isolation level."""
    if isolation not in (READ_COMMITTED, READ_UNCOMMITTED):
        raise ValueError(f"isolation={isolation!r}: must be {READ_COMMITTED} or {READ_UNCOMMITTED}")
