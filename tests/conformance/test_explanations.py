# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The explanations of a failed case are those of the bytes that the case sent.

Each case runs with connections that keep what is sent and end at the first read. The lines of the report are
compared with what the port reads from the same bytes, which is an independent decoder.
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kreactor.common.message.api_message_type import ApiMessageType
from kreactor.common.message.request_header_data import RequestHeaderData
from kreactor.conformance.areas import AREAS, all_cases
from kreactor.conformance.cases import Case, Difference, Offer, Stopped, Trial
from kreactor.conformance.codec import Malformed, decode
from kreactor.conformance.connection import (
    Connection,
    Credentials,
    Ending,
    NotTestable,
    Target,
    Transcript,
    Unreachable,
)
from kreactor.conformance.report import MAX_DECODED, MAX_LINES, decoded
from kreactor.conformance.schemas import apis, apis_by_key
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer

# Of the cases that the default selection leaves out, every n-th is checked.
EVERY = 20
OF_SASL = ("sasl", "reauthentication")
USER = Credentials("PLAIN", "alice", "alice-secret")
OFFER = Offer({api.key: api.versions for api in apis().values()})


class Deaf(Connection):
    """A connection without a socket: it keeps what is sent, and has ended when it is read."""

    def __init__(self, target: Target, transcript: Transcript) -> None:
        self.target = target
        self.transcript = transcript
        self.sent_at = self.received_at = 0.0
        self._received = bytearray()
        self._is_answered = False

    def send(self, data: bytes) -> None:
        self.transcript.add(True, data)

    def half_close(self) -> None:
        """Nothing is told."""

    reset = close = half_close

    def _read(self, deadline: float) -> Ending | None:
        return Ending.FIN


class DeafTrial(Trial):
    def connect_to(self, target: Target, *, plain: bool = False) -> Connection:
        self.transcripts.append(Transcript())
        return Deaf(target, self.transcripts[-1])

    def pause(self, seconds: float) -> None:
        raise Stopped


def cases_of(area: str) -> list[Case]:
    cases = [case for case in all_cases() if case.area == area]
    others = [case for case in cases if not case.default]
    return [case for case in cases if case.default] + others[::EVERY]


def sent_by(case: Case) -> Iterator[Transcript]:
    target = Target("nobody", 1, 0.05, 0.01, sasl=USER if case.area in OF_SASL else None)
    trial = DeafTrial(target, OFFER, "explained-", changes_settings=True)
    with suppress(Difference, NotTestable, Malformed, Unreachable, Stopped):
        case.run(trial)
    yield from trial.transcripts


def frames(data: bytes) -> Iterator[bytes]:
    """Yield the whole requests at the begin of ``data``."""
    while len(data) >= 4:
        (size,) = struct.unpack_from(">i", data)
        if not 0 <= size <= len(data) - 4:
            return
        yield data[4:4 + size]
        data = data[4 + size:]


def client_id_text(frame: bytes, data: RequestHeaderData) -> str:
    if data.client_id is None:
        (length,) = struct.unpack_from(">h", frame, 8)
        return "null" if length == -1 else f"null (length {length})"
    (length,) = struct.unpack_from(">h", frame, 8)
    return repr(data.client_id) if length <= 40 else f"of {length} bytes"


def check(line: str, frame: bytes) -> None:
    """Compare the explanation of a request with what the port reads."""
    if len(frame) < 8:
        assert line == f"sent {len(frame)} bytes, no header"
        return
    key, version, correlation_id = struct.unpack_from(">hhi", frame)
    api = apis_by_key().get(key)
    if api is None:
        assert line == f"sent key {key} version {version}, correlation id {correlation_id}"
        return
    start = f"sent {api} version {version}, correlation id {correlation_id}"
    if version not in api.versions:
        assert line == f"{start}, a version without a schema, and {len(frame) - 8} bytes"
        return
    message_type = ApiMessageType.from_api_key(key)
    buffer = ByteBuffer.wrap(frame)
    header_version = message_type.request_header_version(version)
    try:
        header = RequestHeaderData.read(buffer, header_version)
    except (RuntimeError, IllegalArgumentException):
        assert line.startswith(f"{start}, ") and "then not readable from byte " in line
        return
    if header_version >= 1:
        client_id = client_id_text(frame, header)
        if not client_id.isascii():
            # Each decoder has its own way with what is not UTF-8.
            found = re.match(re.escape(start) + ", client id '([^']*)'", line)
            assert found is not None
            client_id = f"'{found[1]}'"
        start += f", client id {client_id}"
    if tags := header.unknown_tagged_fields():
        # A tag that comes twice has its last value.
        values = {tag.tag(): tag.data() for tag in tags}
        start += ", tags " + ", ".join(f"{tag & 0xFFFFFFFF}: {value.hex(' ') or 'empty'}"
                                       for tag, value in values.items())
    at = buffer.position()
    try:
        message = message_type.request_class().read(buffer, version)
    except (RuntimeError, IllegalArgumentException):
        assert line.startswith(f"{start}, then not readable from byte {at} on: ")
        return
    assert line.startswith(f"{start}: {{")
    if len(line) > MAX_DECODED:
        return
    found = re.fullmatch(r"(\{.*\})(?:, and ([0-9]+) bytes behind it: .*)?", line[len(start) + 2:])
    assert found is not None
    assert int(found[2] or 0) == len(frame) - buffer.position()
    segments: list[object] = []
    try:
        rest = message.write(bytearray(), version, segments)  # type: ignore[arg-type]
    except RuntimeError:
        # The port reads a tag that comes twice, and does not write it.
        return
    data = b"".join(bytes(segment) for segment in segments) + rest  # type: ignore[call-overload]
    if b"\xef\xbf\xbd" not in data:
        assert ast.literal_eval(found[1]) == decode(api.request, version, data)[0]


@pytest.mark.parametrize("area", [area for area in AREAS if area != "tls"])
def test_explanations(area: str) -> None:
    checked = 0
    for case in cases_of(area):
        for transcript in sent_by(case):
            data = b"".join(part for _, part in transcript.parts)
            lines = decoded(transcript)
            whole = list(frames(data))
            assert len(lines) >= min(len(whole), MAX_LINES), case.id
            for line, frame in zip(lines[:MAX_LINES], whole):
                check(line, frame)
                checked += 1
            # Bytes that are no whole request have a line, too.
            if data[sum(4 + len(frame) for frame in whole):] and len(whole) < MAX_LINES:
                assert lines[len(whole)].startswith("sent a size of ") or " bytes of a size: " in lines[-1]
    assert checked or area in ("protocols",)


def test_tags_of_a_header() -> None:
    (case,) = (case for case in all_cases() if case.id == "headers.tags.unknown")
    lines = [line for transcript in sent_by(case) for line in decoded(transcript)]
    assert lines == [
        "sent ListOffsets version 6, correlation id 7, client id 'c', tags 5: 61 62: "
        "{'replicaId': -1, 'isolationLevel': 0, 'topics': []}",
        "sent ApiVersions version 0, correlation id 31319, client id 'conformance': {}"]


@pytest.mark.parametrize(("sent", "line"), [
    (b"\0\0", "sent 2 bytes of a size: 00 00"),
    (b"\xff\xff\xff\xff", "sent a size of -1, and 0 bytes behind it"),
    (b"GET / HTTP/1.1\r\n\r\n", "sent a size of 1195725856, and 14 bytes of that request"),
    (b"\0\0\0\x0a" + struct.pack(">hhih", 18, 0, 7, 5),
     "sent ApiVersions version 0, correlation id 7, then not readable from byte 8 on: "
     "a client id of 5 bytes, of which there are 0")])
def test_bytes_that_are_no_request(sent: bytes, line: str) -> None:
    transcript = Transcript()
    transcript.add(True, sent)
    assert decoded(transcript) == [line]


def test_a_second_response_is_called_so() -> None:
    transcript = Transcript()
    transcript.add(True, struct.pack(">ihhih", 10, 18, 0, 7, -1))
    response = struct.pack(">iihi", 10, 7, 35, 0)
    transcript.add(False, response * 2 + struct.pack(">ii", 4, 9))
    assert decoded(transcript)[1:] == [
        "received ApiVersions version 0, correlation id 7: {'errorCode': 35, 'apiKeys': []}",
        "received one more response to 7: 00 00 00 07 00 23 00 00 00 00",
        "received a response to 9, which no request has: 00 00 00 09"]
