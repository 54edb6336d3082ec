# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The commits of a table: which files are in it, and which logs. Needs no Spark.

::

    _log/<version>.json               a commit: what it adds, and what it removes
    _log/<version>.checkpoint.json    the state after that commit, so that readers need no commit before it
    _marks/<id>                       the marks of the logs that a commit adds; see identity.py

Versions are consecutive. A commit is made by the creation of the next version's file, which only one of
several writers can do. Another writer reads what came between, and checks whether its own commit still fits.
A commit is a fact from then on: what still has to be moved or deleted afterwards, the next writer does if
this one dies.

Old versions are deleted. A writer that slept meanwhile could take a deleted version, so each writer checks
after its commit that the state has it.
"""

from __future__ import annotations

import json
import struct
import time
import uuid
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Known, Log, Scanned
from kreactor.pipeline.store import Store

FORMAT = 1
# A checkpoint is written at each of so many commits, and so many versions before a checkpoint are kept.
_CHECKPOINT_EVERY = 32
_KEPT = 64
# The most ids and files that are remembered.
_MOST_IDS = 10_000
_MOST_SEEN = 100_000
# The bytes below which a file of marks is small.
_SMALL_MARKS = 16 << 20
# How often the log is read again if versions are deleted meanwhile.
_ATTEMPTS = 20

KINDS = ("requests", "quarantine")

# A part of the marks of a log: the id of their file, the position of the first mark in it, and their number.
Piece = tuple[str, int, int]


def new_id() -> str:
    """Return a unique id that sorts by time."""
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}{uuid.uuid4().hex[:8]}"


@dataclass(frozen=True, slots=True)
class Unit:
    """The files of one commit, which share a folder for each kind.

    ``files`` has their names and bytes by kind, ``rows`` the number of rows by kind. ``staged`` is the
    folder, relative to the table, from which the commit moves them.
    """

    id: str
    staged: str
    files: Mapping[str, Sequence[tuple[str, int]]]
    rows: Mapping[str, int]

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(size for files in self.files.values() for _, size in files)

    @property
    def count(self) -> int:
        """The number of files."""
        return sum(len(files) for files in self.files.values())

    def as_json(self) -> dict[str, Any]:
        """Return the unit for JSON."""
        return {"id": self.id, "staged": self.staged, "files": self.files, "rows": self.rows}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Unit:
        """Return the unit that ``as_json`` stored."""
        files = {kind: [(name, size) for name, size in files] for kind, files in stored["files"].items()}
        return cls(stored["id"], stored["staged"], files, stored["rows"])


@dataclass(frozen=True, slots=True)
class Taken:
    """A log that a commit takes, with what ``identity.scan`` said of it."""

    scanned: Scanned

    def conflicts(self, log: Log) -> bool:
        """Return whether the scan might say something else if it knew ``log``."""
        return self.scanned.log.may_be(log)


@dataclass(slots=True)
class State:
    """The content of a table after a version; version 0 is empty.

    ``seen`` has for each file (host and path) a text by which it is unchanged. All of such a file is known.
    """

    version: int = 0
    units: dict[str, Unit] = field(default_factory=dict)
    logs: dict[str, tuple[Log, list[Piece]]] = field(default_factory=dict)
    ids: dict[str, None] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)

    def apply(self, commit: Mapping[str, Any]) -> None:
        """Apply the commit of the next version."""
        self.version += 1
        for id_ in commit["remove"]:
            self.units.pop(id_, None)
        for unit in commit["add"]:
            self.units[unit["id"]] = Unit.from_json(unit)
        for instead_of, stored, pieces in commit["logs"]:
            if instead_of:
                self.logs.pop(instead_of, None)
            log = Log.from_json(stored)
            self.logs[log.digest] = log, [(id_, at, count) for id_, at, count in pieces]
        self.ids[commit["id"]] = None
        for file, stamp in commit["seen"].items():
            self.seen.pop(file, None)
            self.seen[file] = stamp
        _shorten(self.ids, _MOST_IDS)
        _shorten(self.seen, _MOST_SEEN)

    def as_json(self) -> dict[str, Any]:
        """Return the state for JSON."""
        return {
            "format": FORMAT, "version": self.version,
            "units": [unit.as_json() for unit in self.units.values()],
            "logs": [[log.as_json(), pieces] for log, pieces in self.logs.values()],
            "ids": list(self.ids), "seen": self.seen}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> State:
        """Return the state that ``as_json`` stored."""
        logs = [(Log.from_json(log), [(id_, at, count) for id_, at, count in pieces])
                for log, pieces in stored["logs"]]
        return cls(stored["version"], {unit["id"]: Unit.from_json(unit) for unit in stored["units"]},
                   {log.digest: (log, pieces) for log, pieces in logs}, dict.fromkeys(stored["ids"]),
                   dict(stored["seen"]))


def _shorten(entries: dict[str, Any], most: int) -> None:
    """Remove the oldest entries above ``most``."""
    for key in list(entries)[:max(0, len(entries) - most)]:
        del entries[key]


class Conflict(PipelineFailure):
    """Another writer has committed something that this commit did not know of."""


class Manifest:
    """The commits of the table in the folder ``where``. Owner: one thread."""

    def __init__(self, store: Store, where: str) -> None:
        self._store = store
        self._where = where

    def _log(self, version: int, end: str = ".json") -> str:
        return f"{self._where}/_log/{version:012d}{end}"

    def state(self) -> State:
        """Return the current state. Raises PipelineFailure for a table of a newer kreactor."""
        for attempt in range(_ATTEMPTS):
            commits, checkpoints = self._versions()
            try:
                state = State()
                if checkpoints:
                    stored = self._read(self._log(checkpoints[-1], ".checkpoint.json"))
                    state = State.from_json(stored)
                for version in commits:
                    if version == state.version + 1:
                        state.apply(self._read(self._log(version)))
                if commits and commits[-1] > state.version:
                    raise PipelineFailure(f"{self._log(state.version + 1)}: is missing, so the table cannot "
                                          "be read; bring it back from a copy")
                return state
            except FileNotFoundError:
                # Another writer has deleted old versions.
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError

    def _versions(self) -> tuple[list[int], list[int]]:
        commits: list[int] = []
        checkpoints: list[int] = []
        for entry in self._store.list(f"{self._where}/_log"):
            version, _, end = entry.name.partition(".")
            if version.isdecimal() and end in ("json", "checkpoint.json"):
                (commits if end == "json" else checkpoints).append(int(version))
        return sorted(commits), sorted(checkpoints)

    def _read(self, path: str) -> dict[str, Any]:
        stored: dict[str, Any] = json.loads(self._store.read(path))
        if stored["format"] > FORMAT:
            raise PipelineFailure(f"{path}: written by a newer kreactor; take that one")
        return stored

    def known(self, state: State) -> Known:
        """Return the logs of a state."""
        pieces_of = {digest: pieces for digest, (_, pieces) in state.logs.items()}

        def mark(log: Log, line: int) -> int | None:
            try:
                return self._mark(pieces_of[log.digest], line)
            except FileNotFoundError:
                # Another writer has put the marks of several files together.
                fresh = self.state().logs.get(log.digest)
                return None if fresh is None else self._mark(fresh[1], line)

        return Known((log for log, _ in state.logs.values()), mark)

    def _mark(self, pieces: Sequence[Piece], line: int) -> int | None:
        for id_, at, count in pieces:
            if line <= count:
                return self._marks(id_, at + line - 1, 1)[0]
            line -= count
        return None

    def _marks(self, id_: str, at: int, count: int) -> array[int]:
        stored = self._store.read(f"{self._where}/_marks/{id_}", 4 * at, 4 * count)
        return array("I", struct.unpack(f"<{count}I", stored))

    def commit(self, id_: str, add: Sequence[Unit] = (), remove: Sequence[str] = (),
               taken: Sequence[Taken] = (), seen: Mapping[str, str] | None = None,
               base: State | None = None, put_together: bool = False) -> State:
        """Commit, and return the state with it.

        With ``put_together``, the marks of small files are put together into one file.

        ``base`` is the state that the caller has seen. Raises Conflict if what was committed since then has a
        log that may be one of ``taken``, or has removed a unit of ``remove``; and if ``id_`` was committed
        already.
        """
        state = self.state()
        self._check(id_, remove, taken, base, state)
        new = _new_marks(taken)
        if new:
            self._store.write(f"{self._where}/_marks/{id_}", _bytes(new))
        while True:
            self._check(id_, remove, taken, base, state)
            logs, old = _logs(id_, taken, state), list[str]()
            if put_together:
                together, old = self._put_together(id_, state)
                logs += together
            commit = {"format": FORMAT, "id": id_, "add": [unit.as_json() for unit in add],
                      "remove": list(remove), "logs": logs, "seen": dict(seen or {})}
            version = state.version + 1
            if self._store.create(self._log(version), json.dumps(commit).encode()):
                state = self.state()
                if id_ in state.ids:
                    break
                # Another writer had deleted this version.
                self._store.delete(self._log(version))
            else:
                state = self.state()
        if state.version % _CHECKPOINT_EVERY == 0 or remove:
            self.checkpoint(state)
        used = {piece[0] for _, pieces in state.logs.values() for piece in pieces}
        for name in old:
            if name not in used:
                self._store.delete(f"{self._where}/_marks/{name}")
        return state

    def _put_together(self, id_: str, state: State) -> tuple[list[Any], list[str]]:
        """Write a file with the marks of all small files; return logs for a commit, and the small files."""
        small = {entry.name: b"" for entry in self._store.list(f"{self._where}/_marks")
                 if entry.size < _SMALL_MARKS and not entry.name.startswith(".")}
        used = {piece[0] for _, pieces in state.logs.values() for piece in pieces} & {*small}
        if len(used) < 2:
            return [], []
        marks: array[int] = array("I")
        logs: list[Any] = []
        for log, pieces in state.logs.values():
            if not any(piece[0] in used for piece in pieces):
                continue
            new: list[Piece] = []
            for name, at, count in pieces:
                if name in used:
                    small[name] = small[name] or self._store.read(f"{self._where}/_marks/{name}")
                    new.append((id_, len(marks), count))
                    marks.extend(struct.unpack_from(f"<{count}I", small[name], 4 * at))
                else:
                    new.append((name, at, count))
            logs.append([log.digest, log.as_json(), _joined(new)])
        self._store.write(f"{self._where}/_marks/{id_}", _bytes(marks))
        return logs, sorted(used)

    @staticmethod
    def _check(id_: str, remove: Iterable[str], taken: Sequence[Taken], base: State | None,
               state: State) -> None:
        if id_ in state.ids:
            raise Conflict(f"{id_} is committed already")
        if any(unit not in state.units for unit in remove):
            raise Conflict("the files were compacted meanwhile")
        before = {} if base is None else base.logs
        for digest, (log, _) in state.logs.items():
            if digest not in before and any(one.conflicts(log) for one in taken):
                raise Conflict("the same logs were taken meanwhile")
        for one in taken:
            if one.scanned.continues is not None and one.scanned.continues.digest not in state.logs and \
                    one.scanned.continues.digest in before:
                raise Conflict("the same logs were taken meanwhile")

    def checkpoint(self, state: State) -> None:
        """Store a state, and delete the versions long before it."""
        self._store.write(self._log(state.version, ".checkpoint.json"), json.dumps(state.as_json()).encode())
        commits, checkpoints = self._versions()
        for version in checkpoints:
            if version < state.version - _KEPT:
                self._store.delete(self._log(version, ".checkpoint.json"))
        for version in commits:
            if version <= state.version - _KEPT:
                self._store.delete(self._log(version))


def _kept(scanned: Scanned) -> int:
    """Return the number of the marks that a log has from the log that it continues."""
    base = scanned.continues
    # The line without a line feed has another mark now.
    return 0 if base is None else base.lines - base.open


def _new_marks(taken: Sequence[Taken]) -> array[int]:
    """Return the marks that a commit adds, of one log after the other."""
    marks: array[int] = array("I")
    for one in taken:
        marks += one.scanned.marks[_kept(one.scanned):]
    return marks


def _logs(id_: str, taken: Sequence[Taken], state: State) -> list[Any]:
    """Return logs for a commit, whose marks are in the file ``id_``."""
    logs: list[Any] = []
    pieces_of = {digest: pieces for digest, (_, pieces) in state.logs.items()}
    at = 0
    for one in taken:
        scanned, base = one.scanned, one.scanned.continues
        pieces = [] if base is None else _first(pieces_of[base.digest], _kept(scanned))
        count = scanned.log.lines - _kept(scanned)
        pieces.append((id_, at, count))
        at += count
        pieces_of[scanned.log.digest] = pieces
        logs.append(["" if base is None else base.digest, scanned.log.as_json(), pieces])
    return logs


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces, with adjacent ones as one."""
    joined: list[Piece] = []
    for id_, at, count in pieces:
        if joined and joined[-1][0] == id_ and joined[-1][1] + joined[-1][2] == at:
            joined[-1] = id_, joined[-1][1], joined[-1][2] + count
        else:
            joined.append((id_, at, count))
    return joined


def _first(pieces: Sequence[Piece], lines: int) -> list[Piece]:
    """Return the pieces of the first marks."""
    found = []
    for id_, at, count in pieces:
        if lines > 0:
            found.append((id_, at, min(count, lines)))
            lines -= count
    return found


def _bytes(marks: array[int]) -> bytes:
    return struct.pack(f"<{len(marks)}I", *marks)
