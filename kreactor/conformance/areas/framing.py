# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: request sizes in range and out of range, requests whole and in pieces."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    SILENT,
    Case,
    Level,
    Script,
    answered,
    good,
    good_ones,
)
from kreactor.conformance.codec import sized

# The default of socket.request.max.bytes.
_MAX_SIZE = 104_857_600
_RECEIVE = "NetworkReceive#readFrom"
_HEADER = "RequestHeader#parse"
_SIZES = {"minus-one": -1, "minus-two": -2, "lowest": -2**31, "above-maximum": _MAX_SIZE + 1,
          "highest": 2**31 - 1}


def int32(value: int) -> bytes:
    return struct.pack(">i", value)


def cases() -> Iterator[Case]:
    yield Case("framing.size.zero", "A request of no bytes closes the connection.", Level.SHOULD, _HEADER,
               Script((int32(0),), {}, (CLOSED,)))
    for name, size in _SIZES.items():
        for more, data in (("alone", b""), ("with-bytes", b"x" * 100)):
            behind = " before the bytes behind it are read" if data else ""
            yield Case(
                f"framing.size.{name}.{more}", f"A size of {size} closes the connection{behind}.",
                Level.SHOULD, _RECEIVE, Script((int32(size) + data,), {}, (CLOSED,)))
    for size in (1, 2, 3, 4, 7, 8, 9):
        yield Case(
            f"framing.size.{size}-bytes",
            f"A request of {size} bytes, less than a header, closes the connection.",
            Level.SHOULD, _HEADER, Script((sized(b"\0" * size),), {}, (CLOSED,)))
    for name, data in (("alone", b""), ("with-bytes", b"x" * 100)):
        yield Case(
            f"framing.size.maximum.{name}",
            f"A request of {_MAX_SIZE} bytes, the default maximum, is awaited.",
            Level.SHOULD, _RECEIVE, Script((int32(_MAX_SIZE) + data,), {}, (SILENT,)))
    request = good(1)
    for name, at in (("half-a-size", 2), ("size-alone", 4), ("half-a-header", 9),
                     ("all-but-a-byte", len(request) - 1)):
        yield Case(
            f"framing.incomplete.{name}",
            f"After {at} bytes of a request the target waits, and answers when the rest has come.",
            Level.MUST, "protocol guide: requests are delimited by their size",
            Script((request[:at],), good_ones(1), (SILENT,), rest=request[at:], then=(answered(1), OPEN)))
    quiet = "protocol guide: a server sends nothing but responses"
    yield Case(
        "framing.quiet.at-first", "A connection without a request gets nothing, then an answer.", Level.MUST,
        quiet, Script((), good_ones(1), (SILENT,), rest=request, then=(answered(1), OPEN)))
    yield Case(
        "framing.quiet.after-an-answer", "Nothing follows an answer until the next request.", Level.MUST,
        quiet, Script((request,), good_ones(1, 2), (answered(1), SILENT), rest=good(2),
                      then=(answered(2), OPEN)))
    yield Case(
        "framing.pieces.bytes", "A request that comes a byte at a time is answered.", Level.MUST,
        "protocol guide: requests are delimited by their size",
        Script(tuple(bytes((byte,)) for byte in request), good_ones(1), (answered(1), OPEN)))
    for at in range(1, len(request)):
        yield Case(
            f"framing.pieces.cut-at-{at}", f"A request in two pieces, cut behind byte {at}, is answered.",
            Level.MUST, "protocol guide: requests are delimited by their size",
            Script((request[:at], request[at:]), good_ones(1), (answered(1), OPEN)))
