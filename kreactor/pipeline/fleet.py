# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Finds the new lines of growing logs below the folders of a fleet. Needs no Spark.

``Fleet.look`` lists all files and returns their new lines as ranges of bytes. The content of a file tells
which lines are new, as ``identity.py`` says. So a file may be renamed, copied, cut off or compressed between
two looks. If only the compressed file of a log is left, the log is read to its end there.

A file that did not change since the last look is not opened. A plain file that grew is read from the place
where the last look ended. Any other file is read from its begin.

Names that begin with ``.`` or ``_`` are left out, because tools copy files under such names.
"""

from __future__ import annotations

import os
import stat
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from kreactor.pipeline.compression import Unpacked, open_log
from kreactor.pipeline.failures import PipelineFailure
from kreactor.pipeline.identity import Content, Known, Log, Scanned, scan
from kreactor.pipeline.ranges import Range, Watched, end_before_part, may_lack_part, ranges_of
from kreactor.pipeline.sources import seen_name, stamp_of, walk

_CHUNK = 1 << 20
# The state of a file takes 4 bytes a line. It is dropped after this number of looks without a change, and
# is not made for a file that did not change for so long before the newest change of all files.
_IDLE_LOOKS = 10
_IDLE_NS = 3600 * 10**9

_Found = Mapping[tuple[int, int], tuple[str, os.stat_result]]


@dataclass(frozen=True, slots=True)
class NewLines:
    """New lines of a file: what a scan says of the file, and the ranges with ``scanned.new_lines`` lines."""

    scanned: Scanned
    ranges: tuple[Range, ...]


@dataclass(slots=True)
class _File:
    """The state of a file after a look.

    ``size`` and ``modified`` are of its last status; a size of -1 has the next look read the file again.
    ``position`` is the number of bytes that were read of a plain file, and ``tail`` the last of these bytes.
    ``content`` is the state to read on from, None if the file must be read from its begin. ``taken`` is what
    is known of it. ``lines`` and ``mark`` are its number of whole lines and the mark of the last one.
    ``grew`` is whether the last look found it changed. ``has_copy`` is whether another file has all these
    lines. ``failure`` is why it could not be read. ``stamp`` is that of its last change, and ``is_stored``
    whether the table has it. ``lacks_part`` is whether its last line waits for its last part. ``idle`` counts
    the looks without a change, or without the file.
    """

    path: str
    size: int = -1
    modified: int = 0
    position: int = 0
    tail: bytes = b""
    content: Content | None = None
    taken: Log | None = None
    lines: int = 0
    mark: int = 0
    grew: bool = False
    has_copy: bool = False
    failure: str = ""
    stamp: str = ""
    is_stored: bool = False
    lacks_part: bool = False
    idle: int = 0

    @property
    def unread(self) -> int:
        """The number of whole lines that are not known."""
        return max(0, self.lines - (self.taken.lines if self.taken is not None else 0))


class Fleet:
    """The logs below ``folders``. Owner: one thread.

    ``seen`` is ``State.seen`` of the table. ``tell`` gets each sentence for the user. ``accept`` gets each
    path and raises PipelineFailure for one that is refused. When ``stop`` is set, ``look`` raises
    KeyboardInterrupt.

    ``has_more`` is whether the last look reached its limit. ``vanished`` is the number of files that vanished
    before their end was read, and ``refused`` that of the files and folders that cannot be read.
    """

    def __init__(self, folders: Sequence[str], seen: Mapping[str, str],
                 tell: Callable[[str], None], accept: Callable[[str], object], stop: threading.Event) -> None:
        self._folders = [os.path.abspath(folder) for folder in folders]
        self._known = Known()
        self._seen = dict(seen)
        self._tell = tell
        self._accept = accept
        self._stop = stop
        # By device and inode, so that a renamed file keeps its state.
        self._files: dict[tuple[int, int], _File] = {}
        # Files whose last lines are missed, until the next look.
        self._missed: list[_File] = []
        self._told: set[str] = set()
        self._accepted: dict[str, bool] = {}
        # The files of the lines that the last look returned, with what was taken of them before.
        self._begun: list[tuple[_File, Log | None]] = []
        self._has_looked = False
        # The modification time from which on a file may still grow, in ns.
        self._fresh = 0
        self.has_more = False
        self.vanished = 0
        self.refused = 0

    def is_undecided(self) -> bool:
        """Return whether a file is gone or cannot be read, and the next look tells whether it stays so."""
        return bool(self._missed) or any(
            file.size < 0 or file.failure and not file.idle for file in self._files.values())

    def look(self, known: Known, limit: int) -> list[NewLines]:
        """Return new lines. After ``limit`` bytes ``has_more`` is set, and the next look returns the others.

        ``known`` are the logs whose lines are in the table; those with new lines are added. ``done`` or
        ``undo`` follows.
        """
        self._known = known
        found = self._list()
        paths = {path for path, _ in found.values()}
        self._accepted = {path: was for path, was in self._accepted.items() if path in paths}
        self._note_missing(found)
        self._fresh = max((status.st_mtime_ns for _, status in found.values()), default=0) - _IDLE_NS
        new: list[NewLines] = []
        size, self.has_more = 0, False
        # Old files first: the log of a broker may begin in one file and end in another.
        for key, (path, status) in sorted(found.items(), key=lambda each: each[1][1].st_mtime_ns):
            if size >= limit:
                self.has_more = True
                break
            lines = self._look_at(key, path, status)
            if lines is not None:
                new.append(lines)
                size += sum(part.end - part.begin for part in lines.ranges)
        if not self.has_more:
            self._tell_missed()
            self._has_looked = True
        return new

    def done(self) -> None:
        """Note that the lines that ``look`` returned are in the table, with what ``seen`` returned."""
        self._begun.clear()
        for file in self._files.values():
            file.is_stored = True

    def undo(self) -> None:
        """Note that these lines are not in the table; the next look returns them again."""
        for file, taken in self._begun:
            file.taken = taken
            file.size = -1
        self._begun.clear()

    def seen(self) -> dict[str, str]:
        """Return what ``State.seen`` must get with the lines that ``look`` returned."""
        return {seen_name(file.path): file.stamp for file in self._files.values()
                if file.taken is not None and file.size >= 0 and not file.failure and not file.is_stored
                and not file.lacks_part
                and not (file.content is not None and file.content.rest)}

    def _list(self) -> _Found:
        """Return the path and status of each file, by device and inode."""
        found: dict[tuple[int, int], tuple[str, os.stat_result]] = {}
        for path in self._paths():
            try:
                status = os.stat(path)
            except FileNotFoundError:
                continue  # renamed meanwhile, or a link to a removed file
            except OSError as e:
                self._refuse(f"{path}: {e.strerror}; its lines are not read")
                continue
            key = (status.st_dev, status.st_ino)
            if stat.S_ISREG(status.st_mode) and (key not in found or os.path.islink(found[key][0])):
                found[key] = (path, status)
        return found

    def _paths(self) -> Iterator[str]:
        def tell(e: OSError) -> None:
            # A folder below may have been removed meanwhile.
            if e.filename in self._folders or not isinstance(e, FileNotFoundError):
                self._refuse(f"{e.filename}: {e.strerror}; its logs are not read")

        for top in self._folders:
            yield from walk(top, tell)

    def _note_missing(self, found: _Found) -> None:
        """Forget the files that are gone. The files of a folder that is gone return with it."""
        there = tuple(os.path.join(top, "") for top in self._folders if os.path.isdir(top))
        for key in self._files.keys() - found.keys():
            if self._files[key].path.startswith(there):
                self._miss(self._files.pop(key))

    def _miss(self, file: _File) -> None:
        """Note that a file is gone. It has missed lines, unless it was idle and read, or has a copy."""
        if file.lines and not file.has_copy and (file.unread or file.grew or file.lacks_part):
            file.idle = 0
            self._missed.append(file)

    def _tell_missed(self) -> None:
        """Tell which files have vanished. A look may miss a file that is made meanwhile, so two decide."""
        for file in self._missed:
            if file.idle:
                self.vanished += 1
                self._tell(f"{file.path}: vanished before its end was read; " + (
                    f"{file.unread:,} lines are lost" if file.unread else
                    f"if there were lines after line {file.lines:,}, they are lost"))
            file.idle += 1
        self._missed = [file for file in self._missed if file.idle == 1]

    def _refuse(self, text: str) -> None:
        """Tell once what cannot be read."""
        if text not in self._told:
            self._told.add(text)
            self.refused += 1
            self._tell(text)

    def _is_accepted(self, path: str) -> bool:
        if path not in self._accepted:
            try:
                self._accept(path)
                self._accepted[path] = True
            except PipelineFailure as e:
                self._accepted[path] = False
                self._refuse(str(e))
        return self._accepted[path]

    def _look_at(self, key: tuple[int, int], path: str, status: os.stat_result) -> NewLines | None:
        """Return the new lines of a file, None if there are none now."""
        if not self._is_accepted(path):
            return None
        facts = (status.st_size, status.st_mtime_ns)
        file = self._files.get(key)
        if file is None:
            file = self._files[key] = _File(path)
            if self._seen.pop(seen_name(path), None) == stamp_of(status):
                file.size, file.modified = facts
                file.is_stored = True
        file.path = path
        is_same = (file.size, file.modified) == facts
        file.grew = self._has_looked and not is_same
        file.idle = file.idle + 1 if is_same else 0
        if is_same and file.idle >= _IDLE_LOOKS:
            file.content = None
        # A last line or an archive without an end is looked at once more.
        is_incomplete = file.failure or file.content is not None and file.content.rest
        may_wait = may_lack_part(status.st_mtime)
        if is_same and not (is_incomplete and file.idle == 1 or file.lacks_part and not may_wait):
            return None
        try:
            if not is_same and not self._is_continued(file, status):
                self._miss(file)
                file = self._files[key] = _File(path)
            lines = self._read(file, is_same, status.st_mtime_ns >= self._fresh, may_wait)
            file.failure = ""
        except OSError as e:
            # A file that was renamed meanwhile is found by the next look.
            if not isinstance(e, FileNotFoundError):
                self._refuse(f"{path}: {e.strerror or e}; its lines are not read")
            file.size, file.content = -1, None
            return None
        except PipelineFailure as e:
            # An archive seems to be damaged until it is complete.
            if is_same:
                self._refuse(str(e))
            file.failure, lines = str(e), None
        file.size, file.modified = facts
        file.stamp, file.is_stored = stamp_of(status), False
        return lines

    def _is_continued(self, file: _File, status: os.stat_result) -> bool:
        """Return whether a file begins with what was read of it; a file may be cut off and written anew."""
        if not file.position:
            return True
        if status.st_size < file.position:
            return False
        with open(file.path, "rb") as stream:
            stream.seek(file.position - len(file.tail))
            return stream.read(len(file.tail)) == file.tail

    def _read(self, file: _File, is_same: bool, may_grow: bool, may_wait: bool) -> NewLines | None:
        """Read a file on, or from its begin, and return its new lines.

        With ``may_wait``, the last line of a plain file is left if it lacks a part.
        """
        content, taken = file.content, file.taken
        file.lacks_part = False
        if (content is not None and taken is not None and not taken.open and not is_same
                and self._known.has(taken)):
            with open(file.path, "rb") as stream:
                end = self._end(file, stream) if may_wait else None
                stream.seek(content.size)
                source = Watched(stream, self._stop, content.size, len(content.marks), end)
                source.tail = file.tail
                while data := source.read(_CHUNK):
                    content.update(data)
            log, is_plain = content.log(), True
            scanned = Scanned(log, taken, log.lines == taken.lines, taken.length, taken.lines, content.marks,
                              content.rest, content)
        else:
            with open_log(file.path) as opened:
                end = self._end(file, opened) if may_wait and opened.format is None else None
                source = Watched(opened, self._stop, end=end)
                scanned = scan(source, self._known)
            log, is_plain = scanned.log, opened.format is None
            # An older copy of a log is no state to read on from.
            is_older = scanned.continues is not None and scanned.continues.length > log.length
            file.content = scanned.content if is_plain and may_grow and not is_older else None
            if self._has_looked:
                self._find_copies(file, scanned.marks)
        if is_plain:
            file.position, file.tail = source.size, source.tail
        # A last line without an end has another mark in a copy.
        whole = log.lines - log.open
        if whole != file.lines:
            file.has_copy = False
        file.lines, file.mark = whole, scanned.marks[whole - 1] if whole else 0
        file.taken = log
        if not scanned.new_lines:
            return None
        self._begun.append((file, taken))
        self._known.add(log, scanned.continues, scanned.marks)
        return NewLines(scanned, tuple(ranges_of(file.path, scanned, source.ends if is_plain else ())))

    @staticmethod
    def _end(file: _File, source: BinaryIO | Unpacked) -> int | None:
        """Return where to end if the last line of a plain file lacks a part, else None; go to the begin."""
        end = end_before_part(source, source.seek(0, os.SEEK_END))
        file.lacks_part = end is not None
        return end

    def _find_copies(self, copy: _File, marks: array[int]) -> None:
        """Note which files have no line that ``copy`` does not have."""
        for file in [*self._files.values(), *self._missed]:
            if file is not copy and 0 < file.lines <= len(marks) and marks[file.lines - 1] == file.mark:
                file.has_copy = True
        self._missed = [file for file in self._missed if not file.has_copy]
