# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Tells by its content whether a log was read before, and up to where. Needs no Spark.

A log is identified by all that was read of it: the number of bytes and their SHA-256. Its name, its inode and
its compression play no part: all bytes here are those of the unpacked log. A file

- continues a known log if it begins with all bytes that were read of that log. It is read from there on.
  If it continues several known logs, it continues the longest one.
- is known if it ends there, or if it is itself the begin of a known log, as an older copy is.
- is new in any other case. Two files that begin alike and then differ are two logs, and each line of
  both counts.

An older copy may end at any line. To recognize it, a log has *marks*: for each line the CRC32C of all bytes
up to the line's end. They take 4 bytes a line. Marks are compared only where the first 4096 bytes are the
same.

Only whole lines are read. A last line without a line feed is left for later, unless it is a whole request.
The bytes that follow up to the line feed belong to the same line, and are skipped.

To scan a file once::

    with open_log(path) as source:
        scanned = scan(source, known)
    # Read scanned.new_lines lines from byte scanned.begin on. The first has the number scanned.before + 1.
    known.add(scanned.log, scanned.continues, scanned.marks)

To follow a growing file without reading it again, keep a ``Content`` and ``update`` it with the new bytes.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

import crc32c

from kreactor.pipeline.layouts import MARK

# The number of bytes from which a log has a key, and a head.
KEY = 64
HEAD = 4096
_CHUNK = 1 << 20
# The longest last line that is parsed.
_LONGEST = 16 << 20


class Source(Protocol):
    """The content of a log, unpacked: a binary file, or ``compression.open_log``."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most ``size``; none at the end."""


@dataclass(frozen=True, slots=True)
class Log:
    """The part of a log that was read.

    ``length`` is the number of bytes, ``lines`` that of lines, ``digest`` the SHA-256 of the bytes. ``key``
    and ``head`` are hashes of the first KEY and HEAD bytes, empty for fewer bytes. They only find candidates.
    ``open`` is whether the last line that was read has no line feed.
    """

    key: str
    head: str
    length: int
    lines: int
    digest: str
    open: bool = False

    def as_json(self) -> list[str | int]:
        """Return the log as a list for JSON."""
        return [self.key, self.head, self.length, self.lines, self.digest, int(self.open)]

    @classmethod
    def from_json(cls, stored: list[str | int]) -> Log:
        """Return the log that ``as_json`` stored."""
        key, head, length, lines, digest, open_ = stored
        return cls(str(key), str(head), int(length), int(lines), str(digest), bool(open_))

    def may_be(self, other: Log) -> bool:
        """Return whether one of the two may continue the other, by key and head alone."""
        return not (self.key and other.key and self.key != other.key
                    or self.head and other.head and self.head != other.head)


# Returns the mark of a log's n-th line, from 1; None if it is unknown.
Marks = Callable[[Log, int], "int | None"]


class Known:
    """The logs that were read. Owner: one thread.

    ``marks`` is called for logs that were added without their marks.
    """

    def __init__(self, logs: Iterable[Log] = (), marks: Marks | None = None) -> None:
        # By key, then by digest.
        self._logs: dict[str, dict[str, Log]] = {}
        self._added: dict[str, array[int]] = {}
        self._marks = marks
        for log in logs:
            self.add(log)

    def __len__(self) -> int:
        return sum(len(logs) for logs in self._logs.values())

    def logs(self) -> list[Log]:
        """Return all logs."""
        return [log for logs in self._logs.values() for log in logs.values()]

    def add(self, log: Log, instead_of: Log | None = None, marks: array[int] | None = None) -> None:
        """Add a log. It replaces ``instead_of``, which it continues. ``marks`` are those of all its lines."""
        if not log.lines:
            return
        if instead_of is not None:
            self._logs.get(instead_of.key, {}).pop(instead_of.digest, None)
            self._added.pop(instead_of.digest, None)
        self._logs.setdefault(log.key, {})[log.digest] = log
        if marks is not None:
            self._added[log.digest] = marks

    def has(self, log: Log) -> bool:
        """Return whether exactly this was read of a log."""
        return self._logs.get(log.key, {}).get(log.digest) == log

    def candidates(self, key: str, head: str) -> list[Log]:
        """Return the logs that a file with this key and head may continue, or may be an older copy of."""
        same = ([*self._logs.get(key, {}).values(), *self._logs.get("", {}).values()] if key
                else self.logs())
        return [log for log in same if not (log.head and head) or log.head == head]

    def mark(self, log: Log, line: int) -> int | None:
        """Return the mark of a log's n-th line, from 1; None if it is unknown."""
        added = self._added.get(log.digest)
        if added is not None:
            return added[line - 1]
        return self._marks(log, line) if self._marks is not None else None


@dataclass(frozen=True, slots=True)
class Scanned:
    """The result of ``scan``: ``log`` is the file, read to the end of its last whole line.

    ``continues`` is the known log that the file continues, or is an older copy of; None for a new file.
    ``is_known`` is whether the file has no new line. ``begin`` is the position of the first new line, and
    ``before`` the number of the lines before it. ``marks`` are those of all lines of the file. ``rest`` is
    the number of bytes that are left for later, because their line has no end. ``content`` is the state to go
    on with where the file ends now.
    """

    log: Log
    continues: Log | None
    is_known: bool
    begin: int
    before: int
    marks: array[int]
    rest: int
    content: Content = field(repr=False)

    @property
    def new_lines(self) -> int:
        """The number of lines to read, from byte ``begin`` on."""
        return 0 if self.is_known else self.log.lines - self.before


class Content:
    """The state of a log that is read from its first byte on, in pieces of any size.

    It takes 4 bytes a line. ``size`` counts all bytes, ``marks`` are those of the whole lines.
    """

    def __init__(self) -> None:
        self.size = 0
        self.marks: array[int] = array("I")
        # Hashes of all bytes, of the bytes up to the last line feed, and of the first bytes.
        self._sha = hashlib.sha256()
        self._sha_of_lines = self._sha.copy()
        self._key = hashlib.sha256()
        self._head = hashlib.sha256()
        self._crc = 0
        self._end = 0

    def update(self, data: bytes | memoryview) -> None:
        """Go on with the next bytes."""
        data = bytes(data)
        for length, first in ((KEY, self._key), (HEAD, self._head)):
            if self.size < length:
                first.update(data[:length - self.size])
        end = data.rfind(b"\n") + 1
        if end:
            self._sha.update(memoryview(data)[:end])
            self._sha_of_lines = self._sha.copy()
            self._end = self.size + end
        self._sha.update(memoryview(data)[end:])
        self.size += len(data)
        crc, update, append = self._crc, crc32c.crc32c, self.marks.append
        *whole, rest = data.split(b"\n")
        for line in whole:
            crc = update(b"\n", update(line, crc))
            append(crc)
        self._crc = update(rest, crc)

    @property
    def rest(self) -> int:
        """The number of bytes after the last line feed."""
        return self.size - self._end

    def digest(self) -> str:
        """Return the digest of all bytes so far."""
        return self._sha.hexdigest()

    def log(self) -> Log:
        """Return what was read, up to the last line feed."""
        return Log(self._first(self._key, KEY, self._end), self._first(self._head, HEAD, self._end),
                   self._end, len(self.marks), self._sha_of_lines.hexdigest())

    def log_with_rest(self) -> tuple[Log, array[int]]:
        """Return what was read, with the bytes after the last line feed as a line, and the marks."""
        if not self.rest:
            return self.log(), self.marks
        log = Log(self._first(self._key, KEY, self.size), self._first(self._head, HEAD, self.size), self.size,
                  len(self.marks) + 1, self.digest(), open=True)
        return log, self.marks + array("I", [self._crc])

    @staticmethod
    def _first(first: hashlib._Hash, least: int, length: int) -> str:
        return first.hexdigest()[:16] if length >= least else ""


def scan(source: Source, known: Known) -> Scanned:
    """Read a log to its end, and return what of it is new. ``known`` stays as it is.

    Takes 4 bytes of memory a line. Raises what ``source.read`` raises.
    """
    content = Content()
    last_line = bytearray()
    data = _begin(source)
    first = Content()
    first.update(data)
    begun, _ = first.log_with_rest()
    candidates = known.candidates(begun.key, begun.head)
    ahead = sorted({log.length for log in candidates}, reverse=True)
    digests: dict[int, str] = {}
    # For logs whose last line had no line feed: where the line after it begins.
    opened: dict[int, int] = {}
    waiting = sorted((log.length for log in candidates if log.open), reverse=True)
    while data:
        at = 0
        while ahead and ahead[-1] <= content.size + len(data) - at:
            stop = at + ahead[-1] - content.size
            content.update(memoryview(data)[at:stop])
            digests[ahead.pop()] = content.digest()
            at = stop
        base = content.size - at
        content.update(memoryview(data)[at:])
        while waiting and waiting[-1] < content.size:
            end = data.find(b"\n", max(waiting[-1] - base, 0))
            if end < 0:
                break
            opened[waiting.pop()] = base + end + 1
        end = data.rfind(b"\n") + 1
        if end:
            last_line.clear()
        if content.rest <= _LONGEST:
            last_line += data[end:]
        data = source.read(_CHUNK)
    if content.rest <= _LONGEST and _is_whole_request(bytes(last_line)):
        log, marks = content.log_with_rest()
    else:
        log, marks = content.log(), content.marks
    rest = content.size - log.length
    base_of = max((at for at in candidates if digests.get(at.length) == at.digest),
                  key=lambda at: at.length, default=None)
    if base_of is None or base_of.lines < log.lines:
        older = next((at for at in candidates if _is_begin(log, marks, at, known)), None)
        base_of = older or base_of
    if base_of is None or base_of.lines >= log.lines:
        is_known = base_of is not None or not log.lines
        return Scanned(log, base_of, is_known, log.length if is_known else 0, log.lines if is_known else 0,
                       marks, rest, content)
    begin = opened[base_of.length] if base_of.open else base_of.length
    return Scanned(log, base_of, False, begin, base_of.lines, marks, rest, content)


def _begin(source: Source) -> bytes:
    """Return the first bytes: HEAD or more, or all if there are fewer."""
    data = b""
    while len(data) < HEAD and (more := source.read(_CHUNK)):
        data += more
    return data


def _is_begin(log: Log, marks: array[int], of: Log, known: Known) -> bool:
    """Return whether ``log`` is the begin of the longer log ``of``."""
    if of.lines < log.lines or not log.lines:
        return False
    last = known.mark(of, log.lines)
    if not log.open:
        return last == marks[-1]
    # The line may have got its line feed later, or the end of its layout and then its line feed.
    return last in (marks[-1], crc32c.crc32c(b"\n", marks[-1])) or (
        log.lines > 1 and known.mark(of, log.lines - 1) == marks[-2])


def _is_whole_request(line: bytes) -> bool:
    """Return whether a line without its end has a whole request, whether as JSON or in a layout of JSON."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return False
    mark = text.find(MARK)
    if mark < 0:
        return False
    for begin in {text.find("{"), mark + len(MARK)} - {-1}:
        try:
            whole, end = json.JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            continue
        if isinstance(whole, dict) and end > mark:
            return True
    return False
