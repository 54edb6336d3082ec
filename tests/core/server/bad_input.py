# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Bytes that no client should send, and what Kafka 3.8.0 makes of each: a table of cases.

The outcome is a list: the answers, in hexadecimal and without their size, then what becomes of the
connection. It is ``closed``, or ``open``: another request is answered; or ``silent`` if the broker waits for
more of this one. What is closed is always closed by a FIN first and never ``reset``, whatever was unread, so
that a client gets the answers that came before: Java's channels do that as long as a selector has them.
"""

from __future__ import annotations

import socket
import ssl
import struct
from importlib import import_module
from itertools import islice
from typing import Callable, Iterator, NamedTuple

from kreactor.common.message.api_message_type import ListenerType
from kreactor.common.message.sasl_handshake_request_data import SaslHandshakeRequestData
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.protocol.message import Message
from kreactor.core.server.kafka_apis import KafkaApis
from tests.core.server.wire import Wire, body_bytes, encode

CLOSED, OPEN, SILENT, RESET = "closed", "open", "silent", "reset"

# The default of socket.request.max.bytes.
MAX_SIZE = 104_857_600

# No SASL here, so that a handshake is an error; whoever asks gets the same answer in any state.
API, VERSION = ApiKeys.SASL_HANDSHAKE, 1
BODY = body_bytes(SaslHandshakeRequestData(mechanism="x"), VERSION)
ILLEGAL_SASL_STATE = "0022"


class Case(NamedTuple):
    """What is sent, in how many pieces, and the outcome."""

    name: str
    pieces: tuple[bytes, ...]
    outcome: tuple[str, ...]
    # Where in Kafka it is decided.
    reason: str
    # The client says that it sends no more, and goes on reading.
    half_close: bool = False


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def sized(data: bytes) -> bytes:
    """Return data with its size before it."""
    return int32(len(data)) + data


def header(api_key: int, version: int, client_id: bytes | None = b"c", correlation_id: int = 7,
           client_id_length: int | None = None, tags: bytes = b"") -> bytes:
    """Return a header as it is told, right or wrong; ``tags`` ends that of a flexible version."""
    length = -1 if client_id is None else len(client_id)
    return struct.pack(">hhih", api_key, version, correlation_id,
                       length if client_id_length is None else client_id_length) + (client_id or b"") + tags


def good(correlation_id: int) -> bytes:
    """Return a request that is answered by ``good_answer``."""
    return sized(header(API.id, VERSION, correlation_id=correlation_id) + BODY)


def good_answer(correlation_id: int) -> str:
    """Return correlation id, error and an empty list of mechanisms."""
    return f"{correlation_id & 0xFFFFFFFF:08x}{ILLEGAL_SASL_STATE}00000000"


def end(wire: Wire) -> None:
    """Say that no more is sent."""
    try:
        wire.socket.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it is closed from the other side, and was reset for what came since


def hold(wire: Wire, case: Case, settle: Callable[[], None]) -> tuple[str, ...]:
    """Send a case, and return its outcome; ``settle`` waits until the broker has seen what was sent."""
    for piece in case.pieces:
        wire.socket.sendall(piece)
    if case.half_close:
        end(wire)
    elif case.outcome[-1] == OPEN:
        wire.socket.sendall(good(_LAST))
    outcome: list[str] = []
    answers = _answers(wire.socket)
    try:
        if case.outcome[-1] == SILENT:
            # The next request of a connection is read when the last one is answered.
            outcome += [answer.hex() for answer in islice(answers, len(case.outcome) - 1)]
            settle()
            wire.socket.settimeout(0.01)
        for answer in answers:
            if answer.hex() == good_answer(_LAST):
                return *outcome, OPEN
            outcome.append(answer.hex())
        return *outcome, CLOSED
    except ConnectionResetError:
        return *outcome, RESET
    except TimeoutError:
        return *outcome, SILENT


def _answers(sock: socket.socket) -> Iterator[bytes]:
    """Give the answers that come before a FIN."""
    received = b""
    while more := sock.recv(1 << 16):
        received += more
        while len(received) >= 4 and len(received) >= (size := 4 + int.from_bytes(received[:4], "big")):
            yield received[4:size]
            received = received[size:]
    assert not received, "part of an answer"


_LAST = 0x7A57

_RECEIVE = "NetworkReceive.readFrom: an InvalidReceiveException, which closes"
_HEADER = "RequestHeader.parse: an InvalidRequestException, which closes"
_NOT_ENABLED = "Processor.parseRequestHeader: not enabled, an InvalidRequestException, which closes"
_BODY = "RequestContext.parseRequest: an InvalidRequestException, which closes"


def _case(name: str, sent: bytes | tuple[bytes, ...], *outcome: str, reason: str,
          half_close: bool = False) -> Case:
    return Case(name, (sent,) if isinstance(sent, bytes) else sent, outcome, reason, half_close)


# -- sizes ---------------------------------------------------------------------------------------------

SIZES = [
    _case("size 0", int32(0), CLOSED,
          reason="NetworkReceive takes it for a whole request; RequestHeader.parse finds no header"),
    *(_case(f"size {size}{name}", int32(size) + more, CLOSED, reason=_RECEIVE)
      for size in (-1, -2, -2**31, MAX_SIZE + 1, 2**31 - 1)
      for name, more in (("", b""), (" and bytes", b"x" * 100))),
    _case("size at its maximum", int32(MAX_SIZE), SILENT, reason="the request is not complete"),
    _case("size at its maximum and bytes", int32(MAX_SIZE) + b"x" * 100, SILENT,
          reason="the request is not complete"),
    _case("half a size", b"\0\0", SILENT, reason="the size is not complete"),
    _case("a size", good(1)[:4], SILENT, reason="the request is not complete"),
    _case("all but a byte", good(1)[:-1], SILENT, reason="the request is not complete"),
    *(_case(f"size {size}", sized(b"\0" * size), CLOSED, reason=_HEADER) for size in (1, 2, 3, 4, 7, 8, 9)),
]


# -- other protocols -----------------------------------------------------------------------------------

def client_hello() -> bytes:
    """Return what a TLS client says first."""
    outgoing = ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


PROTOCOLS = [
    _case(name, data, CLOSED, reason="its first four bytes, read as a size, are out of range")
    for name, data in {
        "HTTP GET": b"GET / HTTP/1.1\r\nHost: localhost:9092\r\nAccept: */*\r\n\r\n",
        "HTTP POST": b"POST /topics HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0",
        "TLS": client_hello(),
        "SSL 2": b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + b"\1" * 37,
        "SSH": b"SSH-2.0-OpenSSH_9.2\r\n",
        "Redis": b"*1\r\n$4\r\nPING\r\n",
        "SMTP": b"EHLO localhost\r\n",
        "PROXY": b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n",
    }.items()
]


# -- keys and versions ---------------------------------------------------------------------------------

def default_request(api: ApiKeys) -> bytes:
    """Return an API's request in its latest version, with the default in every field."""
    module = import_module(f"kreactor.common.message.{_snake(api.name)}_request_data")
    message: Message = getattr(module, f"{api.name}RequestData")()
    version = api.latest_version()
    return encode(api, version, body_bytes(message, version), 7, "c")


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


_OF_OTHER_LISTENERS = [api for api in ApiKeys.values() if not api.in_scope(ListenerType.BROKER)]

KEYS = [
    *(_case(f"key {key}", sized(header(key, 0) + BODY), CLOSED, reason=_HEADER)
      for key in (-1, -2**15, 76, 1000, 2**15 - 1)),
    *(_case(f"{api.name}, of a controller", default_request(api), CLOSED, reason=_NOT_ENABLED)
      for api in _OF_OTHER_LISTENERS),
    *(_case(f"{api.name} v{version}, of a controller, header only",
            sized(header(api.id, version, tags=b"\0" if api.request_header_version(version) >= 2 else b"")),
            CLOSED, reason=_NOT_ENABLED)
      for api in _OF_OTHER_LISTENERS for version in api.all_versions()),
]

_UNSUPPORTED = f"00000007{0x23:04x}00000001{18:04x}00000003"

VERSIONS = [
    *(_case(f"{api.name} v{version}", sized(header(api.id, version, tags=tags)), CLOSED, reason=_NOT_ENABLED)
      for api in sorted(KafkaApis.ENABLED_APIS - {ApiKeys.API_VERSIONS}, key=lambda api: api.id)
      for version, tags in ((api.latest_version() + 1, b"\0"), (-1, b""), (2**15 - 1, b"\0"), (-2**15, b""))),
    *(_case(f"ApiVersions v{version}{name}", sized(header(18, version, tags=tags) + body), _UNSUPPORTED, OPEN,
            reason="KIP-511: answered in version 0, with error 35 and the versions that there are")
      for version, tags in ((4, b"\0"), (99, b"\0"), (2**15 - 1, b"\0"), (-1, b""), (-2**15, b""))
      for name, body in (("", b""), (" with garbage", b"\xff" * 30))),
    *(_case(f"ApiVersions v{version} with an old header", sized(header(18, version)), CLOSED,
            reason="RequestHeader.parse: the header should have tags") for version in (4, 99, 2**15 - 1)),
    *(_case(f"ApiVersions v{version}, header cut short", sized(header(18, version, client_id_length=5)),
            CLOSED, reason=_HEADER) for version in (-1, 99)),
]


# -- headers -------------------------------------------------------------------------------------------

def _with_header(start: bytes) -> bytes:
    return sized(start + BODY)


# Offsets of no topics.
_FLEXIBLE, _FLEXIBLE_VERSION = ApiKeys.LIST_OFFSETS.id, 6
_FLEXIBLE_BODY = b"\xff\xff\xff\xff\0\1\0"
_FLEXIBLE_ANSWER = "00000007" "00" "00000000" "01" "00"


def _with_tags(tags: bytes) -> bytes:
    return sized(header(_FLEXIBLE, _FLEXIBLE_VERSION, tags=tags) + _FLEXIBLE_BODY)


HEADERS = [
    *(_case(f"correlation id {id_}", _with_header(header(API.id, VERSION, correlation_id=id_)),
            good_answer(id_), OPEN, reason="a client's own affair") for id_ in (0, -1, 2**31 - 1, -2**31)),
    *(_case(f"client id of length {length}",
            _with_header(header(API.id, VERSION, b"", client_id_length=length)), good_answer(7), OPEN,
            reason="RequestHeaderData.read: any negative length is null") for length in (-1, -2, -2**15)),
    _case("client id that is no UTF-8", _with_header(header(API.id, VERSION, b"\xff\xfe\xc3")),
          good_answer(7), OPEN, reason="Java's decoder replaces what it cannot read"),
    _case("client id of 32767 bytes", _with_header(header(API.id, VERSION, b"x" * 32767)), good_answer(7),
          OPEN, reason="no other limit than that of its length"),
    _case("client id longer than the request",
          _with_header(header(API.id, VERSION, client_id_length=2**15 - 1)), CLOSED, reason=_HEADER),
    _case("client id that takes the body", _with_header(header(API.id, VERSION, client_id_length=4)), CLOSED,
          reason=_BODY),
    *(_case(f"tags of the header: {name}", _with_tags(tags), CLOSED, reason=_HEADER) for name, tags in {
        "more than there are": b"\x7f",
        "a number of six bytes": b"\xff\xff\xff\xff\xff\x01",
        "a size beyond the end": b"\1\5\x7f",
        "the highest size": b"\1\5\xff\xff\xff\xff\x07",
        "a negative size": b"\1\5\xff\xff\xff\xff\x0f",
        "a tag without size": b"\1\5",
    }.items()),
    *(_case(f"tags of the header: {name}", _with_tags(tags), _FLEXIBLE_ANSWER, OPEN,
            reason="KIP-482: unknown ones are kept; RequestHeaderData.read does not look at their order")
      for name, tags in {
          "none": b"\0",
          "unknown": b"\1\5\2ab",
          "the highest": b"\1\xff\xff\xff\xff\x0f\1a",
          "out of order": b"\2\6\1a\5\1b",
          "one twice": b"\2\5\1a\5\1b",
          "an empty one": b"\1\5\0",
          "a negative number": b"\xff\xff\xff\xff\x0f",
      }.items()),
    _case("no tags in the header, where the body is read as such", _with_tags(b""), CLOSED, reason=_HEADER),
    _case("garbage after the header", sized(header(API.id, VERSION) + b"\xff" * 20), CLOSED, reason=_BODY),
    _case("garbage after the body", sized(good(7)[4:] + b"garbage"), good_answer(7), OPEN,
          reason="nobody looks behind the body"),
]


# -- many requests, and parts of some ------------------------------------------------------------------

_THREE = good(1) + good(2) + good(3)
_ANSWERS = good_answer(1), good_answer(2), good_answer(3)

PIPELINES = [
    _case("three in one segment", _THREE, *_ANSWERS, OPEN, reason="one after the other, in order"),
    _case("a byte at a time", tuple(bytes((byte,)) for byte in good(1)), good_answer(1), OPEN,
          reason="NetworkReceive goes on where it was"),
    _case("cut within the second size", (_THREE[:len(good(1)) + 2], _THREE[len(good(1)) + 2:]), *_ANSWERS,
          OPEN, reason="NetworkReceive goes on where it was"),
    _case("a bad one between two", good(1) + sized(b"\0") + good(3), good_answer(1), CLOSED,
          reason="what came before is answered; what comes after is not read"),
    _case("a bad one at the end", good(1) + good(2) + sized(b"\0"), *_ANSWERS[:2], CLOSED,
          reason="what came before is answered"),
    _case("a bad size at the end", _THREE + int32(-1), *_ANSWERS, CLOSED,
          reason="what came before is answered"),
    _case("part of one at the end", _THREE + good(4)[:9], *_ANSWERS, SILENT,
          reason="the fourth is not complete"),
]

HALF_CLOSES = [
    _case(f"half-close {name}", data, *outcome, CLOSED, half_close=True, reason=reason)
    for name, data, outcome, reason in (
        ("at once", b"", (), "NetworkReceive.readFrom: an EOFException, which closes"),
        ("within a size", b"\0\0", (), "NetworkReceive.readFrom: an EOFException, which closes"),
        ("after a size", good(1)[:4], (), "NetworkReceive.readFrom: an EOFException, which closes"),
        ("within a request", good(1)[:-2], (), "NetworkReceive.readFrom: an EOFException, which closes"),
        ("after a request", good(1), _ANSWERS[:1], "the end is read after the answer is written"),
        ("after three", _THREE, _ANSWERS, "the end is read after the last answer is written"),
        ("within the fourth", _THREE + good(4)[:9], _ANSWERS, "the end is read after the third answer"),
        ("after a bad size", int32(-1), (), _RECEIVE),
        ("after a bad size behind a request", good(1) + int32(-1), _ANSWERS[:1], _RECEIVE),
    )
]

CASES = [*SIZES, *PROTOCOLS, *KEYS, *VERSIONS, *HEADERS, *PIPELINES, *HALF_CLOSES]
