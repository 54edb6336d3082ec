# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: request headers with their correlation ids, client ids and tagged fields (KIP-482)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Case,
    Level,
    Script,
    answered,
    good,
)
from kreactor.conformance.codec import request_header, sized
from kreactor.conformance.schemas import Api, apis

_GUIDE = "protocol guide: request header"
_PARSE = "RequestHeader#parse"
_BODY = "RequestContext#parseRequest"

# OffsetFetch without topics: a flexible request with a small body, in every release since 2.4.
_FLEXIBLE_VERSION = 6
_FLEXIBLE_BODY = b"\xff\xff\xff\xff\0\1\0"


def _old(correlation_id: int = 7, client_id: bytes | None = b"c", length: int | None = None,
         more: bytes = b"") -> bytes:
    """Return ApiVersions version 0 with the given header; ``length`` replaces the client id's length."""
    header = request_header(apis()["ApiVersions"].key, 0, 0, correlation_id)
    true_length = -1 if client_id is None else len(client_id)
    return sized(header + struct.pack(">h", true_length if length is None else length) + (client_id or b"")
                 + more)


def _answered(data: bytes, correlation_id: int = 7) -> Script:
    return Script((data,), {correlation_id: (apis()["ApiVersions"], 0)}, (answered(correlation_id), OPEN))


def _tagged(tags: bytes, *outcome: str) -> Script:
    api = apis()["ListOffsets"]
    header = request_header(api.key, _FLEXIBLE_VERSION, 2, 7, b"c", tags)
    return Script((sized(header + _FLEXIBLE_BODY),), {7: (api, _FLEXIBLE_VERSION)}, outcome,
                  says={7: {"topics": []}})


_BAD_TAGS = {
    "more-than-there-are": (b"\x7f", "A number of tags that the bytes cannot hold"),
    "six-bytes": (b"\xff\xff\xff\xff\xff\x01", "A number of tags in six bytes"),
    "size-beyond-end": (b"\1\5\x7f", "A tag that is longer than the request"),
    "highest-size": (b"\1\5\xff\xff\xff\xff\x07", "A tag of 2147483647 bytes"),
    "negative-size": (b"\1\5\xff\xff\xff\xff\x0f", "A tag of -1 bytes"),
    "no-size": (b"\1\5", "A tag without its size"),
}
_GOOD_TAGS = {
    "none": (b"\0", "A header without tags is read.", Level.MUST),
    "unknown": (b"\1\5\2ab", "An unknown tag in the header is skipped.", Level.MUST),
    "highest": (b"\1\xff\xff\xff\xff\x0f\1a", "The highest tag in the header is skipped.", Level.SHOULD),
    "empty": (b"\1\5\0", "An unknown tag of no bytes is skipped.", Level.MUST),
    "many": (b"\x14" + b"".join(bytes((tag, 1, 0)) for tag in range(5, 25)),
             "Twenty unknown tags in the header are skipped.", Level.MUST),
    "out-of-order": (b"\2\6\1a\5\1b", "Tags out of order are read.", Level.SHOULD),
    "twice": (b"\2\5\1a\5\1b", "A tag that comes twice is read.", Level.SHOULD),
    "negative-number": (b"\xff\xff\xff\xff\x0f", "A number of -1 tags is read as none.", Level.MAY),
}
_DEPARTS = "the guide has tags in ascending order, each once; Kafka does not look"


def _cut_headers(api: Api, version: int) -> Iterator[Case]:
    header = request_header(api.key, version, api.request_header_version(version), 7, b"client")
    for size in range(len(header)):
        yield Case(f"headers.{api}.v{version}.cut.{size}",
                   f"{api} version {version} that ends at byte {size} of its header closes the connection.",
                   Level.SHOULD, _PARSE, Script((sized(header[:size]),), {}, (CLOSED,)), default=False)


def cases() -> Iterator[Case]:
    for name, id_ in (("zero", 0), ("one", 1), ("minus-one", -1), ("highest", 2**31 - 1), ("lowest", -2**31)):
        yield Case(f"headers.correlation-id.{name}", f"Correlation id {id_} comes back in the response.",
                   Level.MUST, _GUIDE, _answered(_old(id_), id_))
    yield Case("headers.client-id.null", "A client id may be null.", Level.MUST, _GUIDE,
               _answered(_old(client_id=None)))
    yield Case("headers.client-id.empty", "A client id may be empty.", Level.MUST, _GUIDE,
               _answered(_old(client_id=b"")))
    for name, length in (("minus-two", -2), ("lowest", -2**15)):
        yield Case(f"headers.client-id.{name}", f"A client id of length {length} is read as null.",
                   Level.SHOULD, "RequestHeaderData#read", _answered(_old(client_id=b"", length=length)),
                   departs="the guide knows -1 alone for null")
    yield Case("headers.client-id.utf-8", "A client id that is not valid UTF-8 is read.",
               Level.SHOULD, "ByteBufferAccessor#readString", _answered(_old(client_id=b"\xff\xfe\xc3")))
    yield Case("headers.client-id.longest", "A client id of 32767 bytes is read.", Level.SHOULD,
               "RequestHeaderData#read", _answered(_old(client_id=b"x" * 32767)))
    yield Case("headers.client-id.beyond-end", "A client id longer than the request closes the connection.",
               Level.SHOULD, _PARSE, Script((_old(length=2**15 - 1),), {}, (CLOSED,)))
    needs = ("ListOffsets", _FLEXIBLE_VERSION)
    old_version = 1
    header = request_header(apis()["ListOffsets"].key, old_version, 0, 7)
    yield Case("headers.client-id.takes-the-body",
               "A client id that takes bytes of the body, which then ends too early, closes the connection.",
               Level.SHOULD, _BODY, Script((sized(header + b"\0\4" + b"c" + b"\xff" * 4 + bytes(4)),), {},
                                           (CLOSED,)), ("ListOffsets", old_version))
    for name, (tags, words) in _BAD_TAGS.items():
        yield Case(f"headers.tags.{name}", f"{words} in the header closes the connection.", Level.SHOULD,
                   _PARSE, _tagged(tags, CLOSED), needs)
    for name, (tags, sentence, level) in _GOOD_TAGS.items():
        yield Case(f"headers.tags.{name}", sentence, level,
                   "KIP-482" if level is Level.MUST else "RequestHeaderData#read",
                   _tagged(tags, answered(7), OPEN), needs,
                   departs=_DEPARTS if name in ("out-of-order", "twice") else None)
    yield Case("headers.tags.missing", "A flexible version with a header without tags closes the connection.",
               Level.SHOULD, _PARSE, _tagged(b"", CLOSED), needs)
    yield Case("headers.body.behind", "Bytes behind the body of a request are ignored.", Level.SHOULD,
               _BODY, _answered(sized(good(7)[4:] + b"garbage")))
    for api in apis().values():
        if "broker" in api.listeners:
            for version in api.versions:
                yield from _cut_headers(api, version)
    for size in range(len(good(7)) - 4):
        yield Case(f"headers.cut.{size}", f"A request that ends after {size} bytes of its header closes the "
                   "connection.", Level.SHOULD, _PARSE, Script((sized(good(7)[4:4 + size]),), {}, (CLOSED,)))
