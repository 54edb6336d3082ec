# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Finds the requests in the lines of a log, in whatever layout a logger or a container runtime wrote them.

A broker logs ``Completed request:{`` with one JSON object. A layout of text puts a time before it. A layout
of JSON has the message as a member, or the members of the request beside its own. Docker's json-file, CRI,
journald and syslog put more around each line. Docker and CRI cut a long line into parts, which are joined.

In JSON a quote within a string has a backslash before it. So ``Completed request:{"`` is never in the text
that a client chose, such as its id.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kreactor.pipeline.times import Found, Order, Times

MARK = "Completed request:"
_BODY = MARK + '{"'
_HEADER = '"requestHeader'

EMPTY = "an empty line"
NOT_UTF8 = "not UTF-8"
NOT_A_REQUEST = "not a request"
NOT_JSON = "a request, but not as JSON (before Kafka 2.8) or cut short"
SEVERAL = "several requests in one line"
MALFORMED = "JSON that is malformed or cut short"
SPREAD = "a line of JSON that is spread over several lines; the layout has to write each event as one line"
JOINED = "a part of a longer line, which was read as a whole"
FIELD = "a field of a journal entry, not its message"

_CRI = re.compile(r"(\S+) (stdout|stderr) ([PF])(?::\S*)? (.*)", re.DOTALL)
# A line of an object that is written over several lines.
_MEMBER = re.compile(r'\s+"(?:[^"\\]|\\.)*" ?: .*', re.DOTALL)
_OPENING = ("{", "[", "[{", ",{", ", {")
_BRACKETS = re.compile(r"[\[\]{},\s]*")
_VALUE = re.compile(r'".*|(?:-?\d[\d.eE+-]*|true|false|null),?', re.DOTALL)
_JOURNAL = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*(=|$)")
# The members that layouts of JSON have for the time; the first one that is there counts.
TIME_FIELDS = ("@timestamp", "timestamp", "instant", "timeMillis", "time", "ts", "date", "datetime",
               "_SOURCE_REALTIME_TIMESTAMP", "__REALTIME_TIMESTAMP")
# A line may have a layout in a layout, such as JSON of log4j in JSON of Docker.
_DEPTH = 4
_ATTEMPTS = 8
_INTEGER = re.compile(r"\s*[+-]?\d{1,19}\s*")
# The most characters of a line's parts that are kept.
_LONGEST = 256 << 20


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


_decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode


class Line(NamedTuple):
    """A line: a request, with its members and its time in microseconds, or not one, with a reason.

    ``text`` is the line, and ``time`` is None if it is not known.
    """

    number: int
    text: str
    time: int | None
    request: dict[str, Any] | None
    reason: str | None


# Why a text is not a request, or the request; and the time.
_Result = tuple[str | None, dict[str, Any] | None, Found]


@dataclass(slots=True)
class _Parts:
    """The parts of a line so far: the number and text of each physical line, and the joined content."""

    numbers: list[int] = field(default_factory=list)
    first: str = ""
    content: list[str] = field(default_factory=list)
    size: int = 0
    time: Found = None

    def add(self, number: int, text: str, content: str, at: Found) -> None:
        if not self.numbers:
            self.first, self.time = text, at
        self.numbers.append(number)
        self.content.append(content)
        self.size += len(content)


class LineReader:
    """Reads the lines of one file, in their order. Owner: one thread."""

    def __init__(self, times: Times, order: Order | None = None) -> None:
        """Prepare to read; ``order`` is what is known of earlier lines of the file."""
        self.order = order or Order()
        self._times = times
        # By the stream of a container.
        self._parts: dict[str, _Parts] = {}
        # The number of brackets that are open, in JSON over several lines.
        self._open = 0
        self._journal: Found = None
        self._number = 0

    def read(self, number: int, raw: bytes) -> list[Line]:
        """Return the lines that this line completes: itself, or one of several parts, or none yet.

        A number that is not the next one means that there are other lines between.
        """
        if number != self._number + 1:
            self._open = 0
        self._number = number
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            return [Line(number, raw.decode(errors="replace"), None, None, NOT_UTF8)]
        if text.startswith("{") and '"log"' in text:
            lines = self._docker(number, text)
            if lines is not None:
                return lines
        elif text[:1].isdigit():
            cri = _CRI.match(text)
            if cri is not None:
                return self._cri(number, text, cri)
        return [self._whole(number, text, text, None)]

    @property
    def has_part(self) -> bool:
        """Whether a line is not complete yet."""
        return bool(self._parts)

    def finish(self) -> list[Line]:
        """Return the lines whose last part is missing."""
        lines = [line for parts in self._parts.values() for line in self._join(parts)]
        self._parts.clear()
        return lines

    def _docker(self, number: int, text: str) -> list[Line] | None:
        """Return what a line of Docker's json-file completes, or None for any other line."""
        try:
            said, end = _decode(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(said, dict) or not isinstance(said.get("log"), str) or text[end:].strip():
            return None
        content, at = said["log"], self._time_of(said)
        stream = str(said.get("stream"))
        before: list[Line] = []
        if stream in self._parts and MARK + "{" in content:
            # The rest of a line before was never written, as when a container was killed.
            before = self._join(self._parts.pop(stream))
        is_last = content.endswith("\n")
        if stream not in self._parts and (is_last or not self._is_cut(content)):
            return [*before, self._whole(number, text, content, at)]
        return before + self._part(stream, number, text, content, at, is_last)

    def _is_cut(self, content: str) -> bool:
        """Return whether a text has the begin of a request and not its end."""
        if MARK not in content and _HEADER not in content.replace("\\", ""):
            # JSON may have members before the message.
            return content.startswith("{") and not _is_json(content)
        return self._request(content, None, 0)[0] in (MALFORMED, NOT_JSON)

    def _cri(self, number: int, text: str, match: re.Match[str]) -> list[Line]:
        stamp, stream, tag, content = match.groups()
        at = self._times.in_text(stamp)
        if tag == "F" and stream not in self._parts:
            return [self._whole(number, text, content, at)]
        return self._part(stream, number, text, content, at, tag == "F")

    def _part(self, stream: str, number: int, text: str, content: str, at: Found,
              is_last: bool) -> list[Line]:
        parts = self._parts.setdefault(stream, _Parts())
        parts.add(number, text, content, at)
        if not is_last and parts.size <= _LONGEST:
            return []
        return self._join(self._parts.pop(stream))

    def _join(self, parts: _Parts) -> list[Line]:
        """Return a line as a whole, by its first part, and its other parts, each for JOINED."""
        whole = self._whole(parts.numbers[0], parts.first, "".join(parts.content), parts.time)
        return [whole, *(Line(number, "", None, None, JOINED) for number in parts.numbers[1:])]

    def _whole(self, number: int, text: str, content: str, at: Found) -> Line:
        """Return what a line is, by its content; ``at`` is the time around it."""
        reason = self._reason_by_shape(content)
        if reason is None:
            if self._journal is not None and content.startswith("MESSAGE="):
                content, at = content.removeprefix("MESSAGE="), self._journal
            reason, request, found = self._request(content, at, 0)
            if reason is None or reason in (SEVERAL, MALFORMED) and found is not None:
                resolved = self._times.resolve(found, self.order)
                if isinstance(resolved, int):
                    return Line(number, text, resolved, request, reason)
                reason = reason or resolved
        return Line(number, text, None, None, reason)

    def _reason_by_shape(self, content: str) -> str | None:
        """Return why a line is not a request, for lines that are told by their begin; else None."""
        if not content.strip():
            self._journal = None
            return EMPTY
        stripped = content.strip()
        if self._open:
            if _BRACKETS.fullmatch(stripped) or _VALUE.fullmatch(stripped):
                self._open += _opened(stripped)
                return SPREAD
            self._open = 0
        if stripped in _OPENING:
            self._open = max(0, _opened(stripped))
            return SPREAD
        if _MEMBER.fullmatch(content):
            return SPREAD
        journal = _JOURNAL.match(content)
        if journal is not None and not content.startswith("MESSAGE="):
            if content.startswith("__REALTIME_TIMESTAMP="):
                self._journal = self._times.of_field(content.partition("=")[2])
            if self._journal is not None or content.startswith("__CURSOR="):
                return FIELD
        return None

    def _request(self, text: str, at: Found, depth: int) -> _Result:
        """Return what a text is; ``at`` is the time around it."""
        begin = text.find(_BODY)
        if begin >= 0:
            found = self._nearest(text[:begin], at)
            if text.find(_BODY, begin + len(_BODY)) >= 0:
                return SEVERAL, None, found
            try:
                said, _ = _decode(text, begin + len(MARK))
            except (ValueError, RecursionError):
                return MALFORMED, None, found
            return None, said, found
        is_marked = MARK in text
        if (is_marked or _HEADER in text or _HEADER in text.replace("\\", "")) and depth < _DEPTH:
            reason, said, found = self._in_json(text, at, depth)
            if reason != NOT_A_REQUEST:
                return reason, said, found
        return NOT_JSON if is_marked else NOT_A_REQUEST, None, at

    def _in_json(self, text: str, at: Found, depth: int) -> _Result:
        """Look for a request in the objects of a text."""
        begin, reason = text.find("{"), NOT_A_REQUEST
        for _ in range(_ATTEMPTS):
            if begin < 0:
                break
            end = begin + 1
            try:
                said, end = _decode(text, begin)
            except (ValueError, RecursionError):
                # The text may be cut, or this bracket is not one of JSON.
                if text[begin + 1:begin + 100].lstrip().startswith('"'):
                    reason = MALFORMED
            else:
                if isinstance(said, dict):
                    found = self._in_object(said, self._nearest(text[:begin], at), depth)
                    if found[0] != NOT_A_REQUEST:
                        return found
            begin = text.find("{", end)
        return reason, None, at

    def _in_object(self, said: dict[str, Any], at: Found, depth: int) -> _Result:
        """Look for a request in an object: as the object, as a text in it, or as an object in it."""
        at = self._nearest_of(self._time_of(said), at)
        if "requestHeader" in said:
            return None, said, at
        if any(name.startswith("requestHeader.") for name in said):
            return None, _unflattened(said), at
        if depth < _DEPTH:
            for value in said.values():
                found: _Result = (NOT_A_REQUEST, None, at)
                if isinstance(value, str) and (MARK in value or _HEADER in value):
                    found = self._request(value, at, depth + 1)
                elif isinstance(value, dict):
                    found = self._in_object(value, at, depth + 1)
                if found[0] != NOT_A_REQUEST:
                    return found
        return NOT_A_REQUEST, None, at

    def _time_of(self, said: dict[str, Any]) -> Found:
        """Return the time that an object has as a member of its own."""
        for name in TIME_FIELDS:
            if name in said:
                found = self._times.of_field(said[name])
                if found is not None:
                    return found
        return None

    def _nearest(self, head: str, at: Found) -> Found:
        """Return the time in the text before a request, or else that around the text."""
        return self._nearest_of(self._times.in_text(head), at) if head.strip() else at

    @staticmethod
    def _nearest_of(found: Found, around: Found) -> Found:
        """Return the inner time, unless only the outer one can be read as a date."""
        is_date = found is not None and (isinstance(found, int) or hasattr(found, "year"))
        return found if is_date or around is None else around


def _is_json(text: str) -> bool:
    try:
        _decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _opened(text: str) -> int:
    """Return the number of brackets that a line of JSON leaves open, by its end and its begin."""
    if _BRACKETS.fullmatch(text):
        return sum({"{": 1, "[": 1, "}": -1, "]": -1}.get(character, 0) for character in text)
    return 1 if text.endswith(("{", "[")) else 0


def _unflattened(said: dict[str, Any]) -> dict[str, Any]:
    """Return an object whose members have the names of paths, as one with objects in it."""
    whole: dict[str, Any] = {}
    for name, value in said.items():
        at = whole
        *outer, last = name.split(".")
        for part in outer:
            inner = at.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            at = inner
        else:
            at[last] = value
    return whole


def is_part(raw: bytes) -> bool:
    """Return whether a line is a part of a longer line, and not its last part.

    Where lines are read in pieces, no piece ends with such a line.
    """
    if raw[:1].isdigit():
        cri = _CRI.match(raw.decode("latin-1"))
        return cri is not None and cri[3] == "P"
    if raw.startswith(b"{") and b'"log"' in raw[:20]:
        try:
            said = json.loads(raw)
        except (ValueError, RecursionError):
            return False
        return isinstance(said, dict) and isinstance(said.get("log"), str) and not said["log"].endswith("\n")
    return False


def end_of_whole(lines: bytes) -> int | None:
    """Return where the last of ``lines`` ends after which no line lacks its last part; None for nowhere.

    ``lines`` end with a line feed, and may begin between the parts of a line.
    """
    split = lines.split(b"\n")[:-1]
    if not any(map(is_part, split)):
        return len(lines)
    reader, at, end = LineReader(Times()), 0, None
    for number_, line in enumerate(split, 1):
        reader.read(number_, line)
        at += len(line) + 1
        if not reader.has_part:
            end = at
    return end


def needs_order(head: bytes, times: Times) -> bool:
    """Return whether a file that begins with ``head`` has to be read from its begin, by one reader.

    A reader that begins in the middle lacks the parts of a line, the entry of a journal, or the day.
    """
    if times.day is not None:
        return True
    return any(line.startswith((b"__CURSOR=", b"__REALTIME_TIMESTAMP="))
               or line.strip() in (b"{", b"[", b"[{") or line.startswith(b"{") and b'"log"' in line
               or line[:1].isdigit() and _CRI.match(line.decode("latin-1"))
               for line in head.split(b"\n"))


def integers(value: object, name: str) -> list[int]:
    """Return the integers of members whose names end with ``name``, at any depth of a JSON value."""
    found, waiting = [], [value]
    # The list grows meanwhile.
    for one in waiting:
        if type(one) is dict:
            for key, member in one.items():
                kind = type(member)
                if kind is dict or kind is list:
                    waiting.append(member)
                elif key.endswith(name):
                    number_ = integer(member)
                    if number_ is not None:
                        found.append(number_)
        elif type(one) is list:
            waiting += one
    return found


def integer(value: object, bits: int = 32) -> int | None:
    """Return a JSON value as an integer, also where a tool wrote it as a text; None for any other."""
    if type(value) is not int:
        if (isinstance(value, str) and _INTEGER.fullmatch(value)
                or isinstance(value, float) and value.is_integer()):
            value = int(value)
        else:
            return None
    if not -1 << bits - 1 <= value < 1 << bits - 1:
        return None
    return value


def number(value: object) -> float | None:
    """Return a JSON value as a finite number, also where a tool wrote it as a text; None for any other."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if type(value) not in (int, float):
        return None
    try:
        found = float(value)  # type: ignore[arg-type]
    except OverflowError:
        return None
    return found if abs(found) < float("inf") else None


def text(value: object) -> str | None:
    """Return a JSON value as a text that is valid in UTF-8; None for null."""
    if value is None:
        return None
    if not isinstance(value, str):
        value = json.dumps(value, separators=(",", ":"))
    return value if value.isascii() else value.encode(errors="replace").decode()
