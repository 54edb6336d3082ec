# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The suite against a broker with one fault at a time: each fails the cases of its area that tell it."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from kreactor.conformance.areas import AREAS, all_cases
from kreactor.conformance.batches import batch
from kreactor.conformance.codec import Malformed, decode_whole, encode
from kreactor.conformance.connection import Credentials, Target
from kreactor.conformance.runner import Runner, Status, Verdict, ask_offer
from kreactor.conformance.schemas import API_VERSIONS
from kreactor.testing import Broker
from tests.conformance.faulty import WAIT_S, Fault, Link, Proxy, Request, nothing
from tests.stepping import wait_until

# The suite waits so long for a target that a fault makes silent.
SILENT_S = 0.5
# The same where a topic has to be made first.
SILENT_WITH_TOPIC_S = 2.0
# Long enough that a proxy on a busy machine has read the first piece when the second is sent.
PATIENCE_S = 0.5
MAX_SIZE = 104_857_600
UNSUPPORTED_VERSION, NOT_CONTROLLER, UNKNOWN_TOPIC, UNSUPPORTED_MECHANISM = 35, 41, 3, 33
Body = dict[str, Any]
OnRequest = Callable[[Link, Request], None]
OnResponse = Callable[[Link, Request, bytes], None]
Which = Callable[[Request], bool]


# On requests.

def on(which: Which, then: OnRequest) -> OnRequest:
    """Do ``then`` with the requests that ``which`` chooses, and forward the others."""
    def request(link: Link, request: Request) -> None:
        if which(request):
            then(link, request)
        else:
            link.forward(request)
    return request


def close(link: Link, *_: object) -> None:
    link.close()


def swallow(link: Link, *_: object) -> None:
    link.is_swallowing = True


def sent(change: Callable[[Body], None], name: str) -> OnRequest:
    """Change the body of requests of an API."""
    def then(link: Link, request: Request) -> None:
        body = request.body()
        change(body)
        link.forward(request.with_body(body))
    return on(named(name), then)


def named(*names: str) -> Which:
    return lambda request: request.name in names


def is_short(request: Request) -> bool:
    return request.is_short


def is_unknown(request: Request) -> bool:
    return not request.is_short and not request.name


def unknown_version(request: Request) -> bool:
    return request.key == API_VERSIONS and not 0 <= request.version <= 3


def client_id(length: int) -> Which:
    return lambda request: request.client_id_length == length


def header_tags(start: bytes) -> Which:
    return lambda request: request.name == "ListOffsets" and request.behind_client_id.startswith(start)


def ends_with(data: bytes) -> Which:
    return lambda request: request.data.endswith(data)


def with_acks_0(request: Request) -> bool:
    return request.name == "Produce" and request.body()["acks"] == 0


def first_of_a_read(link: Link, request: Request) -> None:
    if request.data is request.together[0]:
        link.forward(request)


def nothing_before_a_bad_one(link: Link, request: Request) -> None:
    if request.is_short:
        link.close()
    elif not any(len(data) < 10 for data in request.together):
        link.forward(request)


def overtaking(link: Link, request: Request) -> None:
    if link.pending and request.name == "ApiVersions":
        link.answer(link.proxy.ask(request))
    else:
        link.forward(request)


def one_of_an_id(link: Link, request: Request) -> None:
    if request.together.count(request.data) == 1 or request.data is request.together[0]:
        link.forward(request)


def reauthenticates(request: Request) -> bool:
    """The case that re-authenticates twice gives its last handshake this correlation id."""
    return request.name == "SaslHandshake" and request.correlation_id == 3


def at_the_second(name: str, then: OnRequest) -> OnRequest:
    """Do ``then`` with each request of an API but the first one of its connection."""
    first: dict[int, Request] = {}

    def request(link: Link, request: Request) -> None:
        if request.name == name and first.setdefault(id(link), request) is not request:
            then(link, request)
        else:
            link.forward(request)
    return request


def mechanism_unknown(link: Link, request: Request) -> None:
    link.answer(request.answer({"errorCode": UNSUPPORTED_MECHANISM, "mechanisms": []}))
    link.close()


def served(link: Link, request: Request) -> None:
    link.answer(request.answer({"errorCode": 0, "apiKeys": []}))


def mechanism_known(link: Link, request: Request) -> None:
    link.answer(request.answer({"errorCode": 0, "mechanisms": ["PLAIN"]}))


def closed_from(number: int) -> OnRequest:
    """Close at the connection's request of that number."""
    def request(link: Link, request: Request) -> None:
        if link.requests >= number:
            link.close()
        else:
            link.forward(request)
    return request


def ended_by_a_reset(link: Link, request: Request) -> None:
    link.proxy.reset_came.wait(WAIT_S)
    link.close()


def held_up_by_halves(link: Link, request: Request) -> None:
    if not any(other.is_partial for other in link.proxy.links):
        link.forward(request)


def answered_also_without_acks(link: Link, request: Request) -> None:
    link.forward(request)
    link.answer(request.answer({}))


def right_checksum(body: Body) -> None:
    """Make a batch with a wrong checksum one that is right, as a target that does not look takes it."""
    (partition,) = body["topicData"][0]["partitionData"]
    partition["records"] = batch([(b"key", b"value")])


def answered_though_muted(link: Link, request: Request) -> None:
    if link.held:
        link.answer(link.proxy.ask(request))
    else:
        link.forward(request)


# On responses.

def came(change: Callable[[Body], None], name: str, which: Which = lambda request: True) -> OnResponse:
    """Change the body of responses of an API."""
    def response(link: Link, request: Request, response: bytes) -> None:
        if request.name == name and which(request):
            body = decode_whole(request.api.response, request.version, response,
                                request.response_body_start())
            change(body)
            response = request.answer(body)
        link.answer(response)
    return response


def setting(*path: str, to: Callable[[Any], Any]) -> Callable[[Body], None]:
    """Return a change of the field that the path leads to, in each element of the arrays on it."""
    def change(body: Body) -> None:
        bodies = [body]
        for name in path[:-1]:
            bodies = [element for each in bodies for element in each[name]]
        for each in bodies:
            each[path[-1]] = to(each[path[-1]])
    return change


def always(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def once_kept() -> Callable[[Any], Any]:
    """Return a change that keeps every other value, from the first on, and makes 0 of the others."""
    calls = count()
    return lambda value: 0 if next(calls) % 2 else value


def one_more(value: int) -> int:
    return value + 1


def error(code: int, instead: int) -> Callable[[int], int]:
    return lambda came: instead if came == code else came


def another_byte(data: bytes) -> bytes:
    return data[:-1] + bytes((data[-1] ^ 1,)) if data else data


def as_bytes(change: Callable[[bytes], bytes], name: str) -> OnResponse:
    """Change the bytes of responses of an API."""
    def response(link: Link, request: Request, response: bytes) -> None:
        link.answer(change(response) if request.name == name else response)
    return response


def with_id(change: Callable[[int], int]) -> Callable[[bytes], bytes]:
    """Change the correlation id of a response."""
    def changed(response: bytes) -> bytes:
        return struct.pack(">i", change(struct.unpack_from(">i", response)[0])) + response[4:]
    return changed


def of_version_below(link: Link, request: Request, response: bytes) -> None:
    if request.name == "Metadata":
        response = request.with_version(8).answer(decode_whole(
            request.api.response, request.version, response, request.response_body_start()))
    link.answer(response)


def in_version_3(link: Link, request: Request, response: bytes) -> None:
    if unknown_version(request):
        body = decode_whole(request.api.response, 0, response, 4)
        response = response[:4] + encode(request.api.response, 3, body)
    link.answer(response)


def of_unknown(change: Callable[[Body], None]) -> OnResponse:
    """Change the response to an unknown version of ApiVersions, which is of version 0."""
    def response(link: Link, request: Request, response: bytes) -> None:
        if unknown_version(request):
            body = decode_whole(request.api.response, 0, response, 4)
            change(body)
            response = request.with_version(0).answer(body)
        link.answer(response)
    return response


def swapped(link: Link, request: Request, response: bytes) -> None:
    if request.correlation_id == 1:
        link.held.append(response)
        return
    link.answer(response)
    while link.held:
        link.answer(link.held.pop())


def dropped(correlation_id: int) -> OnResponse:
    def response(link: Link, request: Request, response: bytes) -> None:
        if request.correlation_id != correlation_id:
            link.answer(response)
    return response


def doubled(link: Link, request: Request, response: bytes) -> None:
    link.answer(response)
    link.answer(response)


def lost_by_a_half_close(link: Link, request: Request, response: bytes) -> None:
    if not link.half_closed.wait(WAIT_S):
        link.answer(response)


def throttle_time(request: Request, response: bytes) -> int:
    if request.name != "Produce":
        return 0
    time_ms: int = decode_whole(request.api.response, request.version, response,
                                request.response_body_start())["throttleTimeMs"]
    return time_ms


def delayed(link: Link, request: Request, response: bytes) -> None:
    # As long as the case allows and a half; the whole throttle time would be many seconds.
    time.sleep(min(throttle_time(request, response) / 1000, 1.5))
    link.answer(response)


def remembering_the_mute(link: Link, request: Request, response: bytes) -> None:
    if throttle_time(request, response):
        link.held.append(response)
    link.answer(response)


# When the broker has closed, or bytes are no request.

def reset(link: Link) -> None:
    link.reset()


def answered_instead(code: int = 0) -> Callable[[Link], None]:
    """Answer the request at which the broker has closed, with an error where the API has one at the top."""
    def closed(link: Link) -> None:
        if not link.pending:
            link.close()
            return
        request = link.pending.popleft()
        if request.name and request.version in request.api.versions:
            has_code = any(field.name == "errorCode" for field in request.api.response.fields)
            link.answer(request.answer({"errorCode": code} if has_code else {}))
        else:
            link.answer(request.data[4:8] + struct.pack(">h", code))
    return closed


def says(first: bytes, reply: bytes) -> Callable[[Link, bytes], None]:
    """Answer bytes that begin so by a reply in their own protocol, and close."""
    def odd(link: Link, data: bytes) -> None:
        if data.startswith(first):
            link.answer_bytes(reply)
        link.close()
    return odd


def size_in(lowest: int, highest: int, then: Callable[[Link], None]) -> Callable[[Link, bytes], None]:
    def odd(link: Link, data: bytes) -> None:
        if lowest <= int.from_bytes(data[:4], "big", signed=True) <= highest:
            then(link)
        else:
            link.forward_bytes(data)
    return odd


def reset_within_a_request(link: Link) -> None:
    link.reset() if link.is_partial else link.close()


def upside_down(body: Body) -> None:
    row = body["apiKeys"][0]
    row["minVersion"], row["maxVersion"] = row["maxVersion"], row["minVersion"] - 1


def without_the_last(rows: list[Body]) -> list[Body]:
    return rows[:-1]


def without_itself(rows: list[Body]) -> list[Body]:
    return [row for row in rows if row["apiKey"] != API_VERSIONS]


def with_metadata(rows: list[Body]) -> list[Body]:
    return [*rows, {"apiKey": 3, "minVersion": 0, "maxVersion": 1}]


def is_malformed(request: Request) -> bool:
    try:
        request.body()
    except Malformed:
        return True
    return False


FRAMING = {
    "an empty request is ignored": Fault(
        ("framing.size.zero",), on(is_short, nothing), timeout_s=SILENT_S),
    "a negative size is swallowed": Fault(
        ("framing.size.minus-one.alone",), odd=size_in(-2**31, -1, swallow), timeout_s=SILENT_S),
    "the lowest size is taken for null": Fault(
        ("framing.size.lowest.with-bytes",), odd=size_in(-2**31, -2**31, swallow), timeout_s=SILENT_S),
    "a size above the maximum is awaited": Fault(
        ("framing.size.above-maximum.alone",), odd=size_in(MAX_SIZE + 1, 2**31, swallow),
        timeout_s=SILENT_S),
    "the maximum size is refused": Fault(
        ("framing.size.maximum.alone", "framing.size.maximum.with-bytes"),
        odd=size_in(MAX_SIZE, MAX_SIZE, close)),
    "requests shorter than a header are ignored": Fault(
        ("framing.size.7-bytes",), on(is_short, nothing), timeout_s=SILENT_S),
    "requests shorter than a header are answered": Fault(
        ("framing.size.1-bytes", "framing.size.9-bytes"),
        on(is_short, lambda link, request: link.answer(bytes(8)))),
    "a request in pieces closes": Fault(
        ("framing.incomplete.half-a-header", "framing.incomplete.half-a-size"), piece=close),
    "the second half of a request is dropped": Fault(
        ("framing.incomplete.all-but-a-byte",), piece=swallow, timeout_s=SILENT_S),
    "a size alone is answered": Fault(
        ("framing.incomplete.size-alone",), piece=lambda link: link.answer(bytes(8))),
}
PROTOCOLS = {
    "HTTP is answered with 400": Fault(
        ("protocols.http-get",), odd=says(b"GET ", b"HTTP/1.1 400 Bad Request\r\n\r\n")),
    "SSH is answered with a banner": Fault(
        ("protocols.ssh",), odd=says(b"SSH-", b"SSH-2.0-broker\r\n")),
    "TLS is answered with an alert": Fault(
        ("protocols.tls",), odd=says(b"\x16\3", b"\x15\3\3\0\2\2\x28")),
    "a TLS hello is left waiting": Fault(
        ("protocols.tls",), odd=size_in(0x16030000, 0x1603FFFF, swallow), timeout_s=SILENT_S),
    "other protocols are reset": Fault(("protocols.redis", "protocols.http-post"), closed=reset),
}
KEYS = {
    "an unknown key is answered": Fault(
        ("keys.unknown.thousand", "keys.unknown.next"), closed=answered_instead(UNSUPPORTED_VERSION)),
    "an unknown key is ignored": Fault(
        ("keys.unknown.minus-one",), on(is_unknown, nothing), timeout_s=SILENT_S),
    "an API of controllers is answered with an error": Fault(
        ("keys.controller.Vote.body", "keys.controller.BrokerHeartbeat.body"),
        closed=answered_instead(NOT_CONTROLLER)),
    "an API of controllers is ignored": Fault(
        ("keys.controller.Vote.v0",), on(named("Vote"), nothing), timeout_s=SILENT_S),
}
VERSIONS = {
    "an unsupported version is answered with UNSUPPORTED_VERSION": Fault(
        ("versions.Metadata.next", "versions.Fetch.highest"), closed=answered_instead(UNSUPPORTED_VERSION)),
    "a negative version is ignored": Fault(
        ("versions.Metadata.minus-one",), on(lambda request: request.version < 0, nothing),
        timeout_s=SILENT_S),
    "an unknown version of ApiVersions closes": Fault(
        ("versions.ApiVersions.next.header", "versions.ApiVersions.minus-one.header"),
        on(unknown_version, close)),
    "bytes behind an unknown version of ApiVersions close": Fault(
        ("versions.ApiVersions.highest.garbage",), on(ends_with(b"\xff" * 30), close)),
    "an unknown version of ApiVersions is answered in version 3": Fault(
        ("versions.ApiVersions.next.header",), response=in_version_3),
    "an unknown version of ApiVersions is answered without an error": Fault(
        ("versions.ApiVersions.lowest.header",), response=of_unknown(setting("errorCode", to=always(0)))),
    "an unknown version of ApiVersions brings an empty list": Fault(
        ("versions.ApiVersions.names-itself",), response=of_unknown(setting("apiKeys", to=always([])))),
    "an unknown version of ApiVersions brings a list without it": Fault(
        ("versions.ApiVersions.names-itself",), response=of_unknown(setting("apiKeys", to=without_itself))),
    "an unknown version of ApiVersions brings another API, too": Fault(
        ("versions.ApiVersions.names-itself-alone",),
        response=of_unknown(setting("apiKeys", to=with_metadata))),
    "a bad header for an unknown version of ApiVersions is answered": Fault(
        ("versions.ApiVersions.next.old-header", "versions.ApiVersions.far.cut-header"),
        closed=answered_instead(UNSUPPORTED_VERSION)),
    "the offer differs by version": Fault(
        ("versions.ApiVersions.all-alike",), response=came(
            setting("apiKeys", to=without_the_last), "ApiVersions", lambda request: request.version < 2)),
    "ApiVersions is answered once": Fault(("versions.ApiVersions.repeated",), closed_from(2)),
}
HEADERS = {
    "the correlation id is always 0": Fault(
        ("headers.correlation-id.one",), response=as_bytes(with_id(always(0)), "ApiVersions")),
    "the correlation id loses its sign": Fault(
        ("headers.correlation-id.minus-one", "headers.correlation-id.lowest"),
        response=as_bytes(with_id(lambda id_: id_ & 0x7FFFFFFF), "ApiVersions")),
    "a null client id closes": Fault(("headers.client-id.null",), on(client_id(-1), close)),
    "an empty client id closes": Fault(("headers.client-id.empty",), on(client_id(0), close)),
    "the longest client id closes": Fault(("headers.client-id.longest",), on(client_id(32767), close)),
    "a client id of length -2 closes": Fault(("headers.client-id.minus-two",), on(client_id(-2), close)),
    "a client id that is not UTF-8 closes": Fault(
        ("headers.client-id.utf-8",), on(lambda request: b"\xff" in request.client_id, close)),
    "a client id beyond the end is answered": Fault(
        ("headers.client-id.beyond-end", "headers.client-id.takes-the-body"), closed=answered_instead()),
    "a request of no topics brings one": Fault(
        ("headers.tags.none", "headers.tags.unknown"),
        response=came(setting("topics", to=always([{"name": "a", "partitions": []}])), "ListOffsets")),
    "an unknown tag closes": Fault(
        ("headers.tags.unknown", "headers.tags.empty"), on(header_tags(b"\1\5"), close)),
    "many tags close": Fault(("headers.tags.many",), on(header_tags(b"\x14"), close)),
    "tags out of order close": Fault(("headers.tags.out-of-order",), on(header_tags(b"\2\6"), close)),
    "malformed tags are answered": Fault(
        ("headers.tags.six-bytes", "headers.tags.no-size"), closed=answered_instead()),
    "missing tags are answered": Fault(("headers.tags.missing",), closed=answered_instead()),
    "a cut header is ignored": Fault(("headers.cut.9",), on(is_short, nothing), timeout_s=SILENT_S),
    "bytes behind the body close": Fault(("headers.body.behind",), on(ends_with(b"garbage"), close)),
}
ORDERING = {
    "two answers are swapped": Fault(("ordering.pipelined.three",), response=swapped),
    "an answer is dropped": Fault(("ordering.pipelined.three",), response=dropped(2)),
    "an answer of many is dropped": Fault(("ordering.pipelined.many",), response=dropped(333)),
    "each answer comes twice": Fault(("ordering.pipelined.three",), response=doubled),
    "an answer advertises other versions than the first": Fault(
        ("ordering.pipelined.three",), response=came(
            setting("apiKeys", to=without_the_last), "ApiVersions",
            lambda request: (request.version, request.correlation_id) == (0, 3))),
    "only the first of a pipeline is answered": Fault(
        ("ordering.pipelined.three",), first_of_a_read, timeout_s=SILENT_S),
    "a connection ends after a hundred requests": Fault(("ordering.pipelined.many",), closed_from(100)),
    "one of two requests with an id is answered": Fault(("ordering.pipelined.same-id",), one_of_an_id),
    "a bad request takes the answers before it": Fault(
        ("ordering.bad.at-the-end", "ordering.bad.between"), nothing_before_a_bad_one),
    "requests behind a bad one are answered": Fault(("ordering.bad.between",), on(is_short, nothing)),
    "a bad size ends in a reset": Fault(("ordering.bad.size-at-the-end",), closed=reset),
    "a fast request overtakes a slow one": Fault(("ordering.slow-first",), overtaking),
    "half a request at the end of a pipeline closes": Fault(("ordering.part-at-the-end",), piece=close),
}
ENDINGS = {
    "a reset comes for a FIN": Fault(
        ("endings.fin.unread-bytes", "endings.half-close.after-bad-size"), closed=reset),
    "a half-close within a request is reset": Fault(
        ("endings.half-close.in-request", "endings.half-close.in-fourth"), closed=reset_within_a_request),
    "a half-close takes the answers": Fault(
        ("endings.half-close.after-three", "endings.half-close.after-one"), response=lost_by_a_half_close),
    "a half-close is ignored": Fault(
        ("endings.half-close.at-once",), half_close=nothing, timeout_s=SILENT_S),
    "a half-close is answered": Fault(
        ("endings.half-close.in-size",), half_close=lambda link: link.answer(bytes(8))),
    "a reset ends the neighbours": Fault(
        ("endings.neighbour.reset", "endings.neighbour.unread"), ended_by_a_reset),
}
SLOW = {
    "a slow sender is closed": Fault(("slow.sender",), piece=close),
    "halves of requests hold up a neighbour": Fault(
        ("slow.neighbours.half-requests",), held_up_by_halves, timeout_s=SILENT_S),
    "halves of requests are forgotten": Fault(
        ("slow.neighbours.half-requests",), piece=swallow, timeout_s=SILENT_S),
    "an unread answer is dropped": Fault(("slow.neighbours.unread-answers",), response=dropped(1500)),
    "a client that does not read is closed": Fault(
        ("slow.neighbours.unread-answers",), closed_from(1500)),
}
ANSWERS = {
    "an answer has a byte more": Fault(
        ("answers.Metadata.v12", "answers.Metadata.v1"),
        response=as_bytes(lambda data: data + b"\0", "Metadata")),
    "an answer has a byte less": Fault(
        ("answers.Metadata.v12", "answers.Metadata.v1"),
        response=as_bytes(lambda data: data[:-1], "Metadata")),
    "an answer has the body of another version": Fault(("answers.Metadata.v9",), response=of_version_below),
    "an answer has the next correlation id": Fault(
        ("answers.ListGroups.v4",), response=as_bytes(with_id(one_more), "ListGroups")),
    "the tags of an answer's header are missing": Fault(
        ("answers.ListGroups.v4",), response=as_bytes(lambda data: data[:4] + data[5:], "ListGroups")),
    "an advertised version closes": Fault(
        ("answers.DescribeGroups.v3",), on(named("DescribeGroups"), close)),
    "an advertised version is not answered": Fault(
        ("answers.DescribeGroups.v3",), on(named("DescribeGroups"), nothing), timeout_s=SILENT_S),
    "an advertised range is upside down": Fault(
        ("answers.offer.ranges",), response=came(upside_down, "ApiVersions"), spares_life_signs=False),
}
OF_PRODUCE = ("responses", "partitionResponses")
OF_FETCH = ("responses", "partitions")
RECORDS = {
    "a Produce with acks=0 is answered": Fault(
        ("records.acks.zero",), on(with_acks_0, answered_also_without_acks)),
    "a Produce with acks=0 is not written": Fault(("records.acks.zero",), on(with_acks_0, nothing)),
    "a failing Produce with acks=0 leaves the connection open": Fault(
        ("records.acks.zero-error",), on(with_acks_0, nothing)),
    "the base offset is always 0": Fault(
        ("records.Produce.v9",), response=came(setting(*OF_PRODUCE, "baseOffset", to=always(0)), "Produce")),
    "a byte of the fetched records is another": Fault(
        ("records.Fetch.v4", "records.Fetch.v16"),
        response=came(setting(*OF_FETCH, "records", to=another_byte), "Fetch")),
    "no records are fetched": Fault(
        ("records.Fetch.v12",), response=came(setting(*OF_FETCH, "records", to=always(b"")), "Fetch")),
    "the high watermark is one more": Fault(
        ("records.Fetch.v12",), response=came(setting(*OF_FETCH, "highWatermark", to=one_more), "Fetch")),
    "another error comes for an offset out of range": Fault(
        ("records.offset.ahead", "records.offset.negative"),
        response=came(setting(*OF_FETCH, "errorCode", to=error(1, UNKNOWN_TOPIC)), "Fetch")),
    "the latest offset is one more": Fault(
        ("records.ListOffsets.v8",),
        response=came(setting("topics", "partitions", "offset", to=one_more), "ListOffsets")),
    "acks=2 is taken": Fault(
        ("records.acks.two",), response=came(setting(*OF_PRODUCE, "errorCode", to=error(21, 0)), "Produce")),
    "a wrong checksum is taken": Fault(("records.batch.crc",), sent(right_checksum, "Produce")),
    "a fetch does not wait": Fault(
        ("records.wait.over",), sent(setting("maxWaitMs", to=always(0)), "Fetch")),
    "a fetch waits too long": Fault(
        ("records.wait.over",), sent(setting("maxWaitMs", to=always(60_000)), "Fetch"),
        timeout_s=SILENT_WITH_TOPIC_S),
    "records do not wake a fetch": Fault(
        ("records.wait.woken",), sent(setting("minBytes", to=always(1 << 20)), "Fetch"),
        timeout_s=SILENT_WITH_TOPIC_S),
}
GROUPS = {
    "a heartbeat has no error": Fault(
        ("groups.Heartbeat.v4", "groups.LeaveGroup.v5"),
        response=came(setting("errorCode", to=always(0)), "Heartbeat")),
    "a heartbeat of a former generation has no error": Fault(
        ("groups.Heartbeat.v0",), response=came(setting("errorCode", to=error(22, 0)), "Heartbeat")),
    "the assignment is empty": Fault(
        ("groups.SyncGroup.v5",), response=came(setting("assignment", to=always(b"")), "SyncGroup")),
    "another member leads": Fault(
        ("groups.JoinGroup.v9",), response=came(setting("leader", to=always("another")), "JoinGroup")),
    "the members are missing": Fault(
        ("groups.JoinGroup.v2",), response=came(setting("members", to=always([])), "JoinGroup")),
    "a member id is not required": Fault(
        ("groups.JoinGroup.v5",), response=came(setting("errorCode", to=error(79, 0)), "JoinGroup")),
    "the committed offset is one more": Fault(
        ("groups.OffsetCommit.v8",),
        response=came(setting("topics", "partitions", "committedOffset", to=one_more), "OffsetFetch")),
    "the committed metadata are lost": Fault(
        ("groups.OffsetCommit.v8",),
        response=came(setting("topics", "partitions", "metadata", to=always("")), "OffsetFetch")),
}
THROTTLED = ("throttling.produce.muted",)
THROTTLING = {
    "the answer is delayed by the throttle time": Fault(THROTTLED, response=delayed),
    "a throttled connection is not muted": Fault(
        THROTTLED, answered_though_muted, response=remembering_the_mute),
    "a mute comes without a throttle time": Fault(
        THROTTLED, response=came(setting("throttleTimeMs", to=always(0)), "Produce"),
        timeout_s=SILENT_WITH_TOPIC_S),
}
IDLE = {
    "idle connections are kept": Fault(
        ("idle.silent", "idle.after-a-request", "idle.half-a-request"), closed=nothing, timeout_s=SILENT_S),
    "half a request closes": Fault(("idle.half-a-request",), piece=Link.close),
    "a connection has three requests": Fault(("idle.used",), closed_from(4)),
}
LIMITS = {
    "a connection above the limit is served": Fault(
        ("limits.per-ip",), on(named("ApiVersions"), served), closed=nothing, timeout_s=SILENT_S),
    "a limit is no limit": Fault(
        ("limits.per-ip",), sent(setting("resources", "configs", "value", to=always("100")),
                                 "IncrementalAlterConfigs"), timeout_s=SILENT_S),
}
REAUTHENTICATION = {
    "a second handshake closes": Fault(
        tuple(f"reauthentication.{name}" for name in ("lifetime", "in-order", "at-once", "late")),
        at_the_second("SaslHandshake", close)),
    "a second token closes": Fault(
        ("reauthentication.lifetime", "reauthentication.wrong-password"),
        at_the_second("SaslAuthenticate", close)),
    "no new lifetime is told": Fault(
        ("reauthentication.lifetime",),
        response=came(setting("sessionLifetimeMs", to=once_kept()), "SaslAuthenticate",
                      lambda request: request.version > 0)),
    "a wrong password is taken": Fault(
        ("reauthentication.wrong-password",),
        response=came(setting("errorCode", to=always(0)), "SaslAuthenticate")),
    "another mechanism is answered": Fault(
        ("reauthentication.other-mechanism",), at_the_second("SaslHandshake", mechanism_unknown)),
    "a third handshake is taken": Fault(
        ("reauthentication.too-often",), on(reauthenticates, mechanism_known)),
    "a request for a token is not noticed": Fault(
        ("reauthentication.request-between",), on(named("Metadata"), nothing), timeout_s=SILENT_S),
    "a session has no end": Fault(
        ("reauthentication.expired",), closed=answered_instead(), timeout_s=SILENT_S),
}
BODIES = {
    "malformed bodies are answered": Fault(
        ("bodies.Metadata.v12.cut.0", "bodies.ListOffsets.v8.ones.10"), closed=answered_instead(),
        timeout_s=SILENT_S),
    "malformed bodies are ignored": Fault(
        ("bodies.Heartbeat.v4.cut.4",), on(is_malformed, nothing)),
    "malformed bodies are reset": Fault(("bodies.Heartbeat.v4.cut.0",), closed=reset),
    "bodies of an unknown group close": Fault(
        ("bodies.Heartbeat.v4.more",), on(named("Heartbeat"), close)),
    "bytes behind a body close": Fault(("bodies.Metadata.v12.more",), on(ends_with(b"\xff" * 9), close)),
}
CONTENTS = {
    "an error of a partition is another": Fault(
        ("contents.ListOffsets.v8.whole", "contents.ListOffsets.v8.more"),
        response=came(setting("topics", "partitions", "errorCode", to=always(6)), "ListOffsets")),
    "an error has no message": Fault(
        ("contents.CreateTopics.v7.whole",),
        response=came(setting("topics", "errorMessage", to=always(None)), "CreateTopics")),
    "a result is missing": Fault(
        ("contents.DeleteGroups.v2.whole",),
        response=came(setting("results", to=without_the_last), "DeleteGroups")),
    "a throttle time comes without a quota": Fault(
        ("contents.DescribeAcls.v3.whole",),
        response=came(setting("throttleTimeMs", to=always(1)), "DescribeAcls")),
    "groups come in another order": Fault(
        ("contents.DescribeGroups.v5.whole",),
        response=came(setting("groups", to=lambda rows: rows[::-1]), "DescribeGroups")),
}
BY_AREA = {
    "framing": FRAMING, "protocols": PROTOCOLS, "keys": KEYS, "versions": VERSIONS, "headers": HEADERS,
    "ordering": ORDERING, "endings": ENDINGS, "slow": SLOW, "answers": ANSWERS, "records": RECORDS,
    "groups": GROUPS, "throttling": THROTTLING,
    "reauthentication": REAUTHENTICATION, "idle": IDLE, "limits": LIMITS, "bodies": BODIES,
    "contents": CONTENTS}
FAULTS = {f"{area}: {name}": fault for area, faults in BY_AREA.items() for name, fault in faults.items()}
# The areas that the faults are of.
PLAIN = [area for area in AREAS if area not in ("tls", "sasl")]


USER = Credentials("PLAIN", "alice", "alice-secret")
# By area: a broker with settings of its own.
BROKERS: dict[str, dict[str, Any]] = {
    "reauthentication": {"sasl": USER.mechanism, "users": {USER.user: USER.password},
                         "properties": {"connections.max.reauth.ms": 2_000}},
    "idle": {"properties": {"connections.max.idle.ms": 3_000}},
}


@contextmanager
def broker_for(area: str) -> Iterator[tuple[str, int]]:
    with Broker(**BROKERS.get(area, {})) as broker:
        host, _, port = broker.bootstrap_servers.rpartition(":")
        yield host, int(port)


def judged(broker: tuple[str, int], fault: Fault, ids: set[str], sasl: Credentials | None = None,
           patience_s: float = PATIENCE_S) -> list[Verdict]:
    """Run the cases through a proxy with a fault."""
    before = threading.active_count()
    with Proxy(broker, fault) as proxy:
        patient = Target("127.0.0.1", proxy.port, WAIT_S, patience_s, sasl=sasl)
        target = replace(patient, timeout_s=fault.timeout_s)
        cases = [case for case in all_cases() if case.id in ids]
        assert len(cases) == len(ids), ids
        verdicts = Runner(target, ask_offer(patient), changes_settings=True).run(cases)
    wait_until(lambda: threading.active_count() <= before)
    return verdicts


def test_no_fault() -> None:
    """The proxy itself is not seen by any case that tells a fault on a broker without settings."""
    ids = {id_ for name, fault in FAULTS.items() for id_ in fault.cases
           if name.partition(":")[0] not in BROKERS}
    with broker_for("") as broker:
        verdicts = judged(broker, Fault(), ids)
    assert [(verdict.case.id, verdict.actual) for verdict in verdicts
            if verdict.status is not Status.PASSED] == []


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_fails_its_area(name: str) -> None:
    fault, area = FAULTS[name], name.partition(":")[0]
    assert {id_.partition(".")[0] for id_ in fault.cases} == {area}
    sasl = USER if "sasl" in BROKERS.get(area, {}) else None

    def statuses(broker: tuple[str, int], fault: Fault, ids: set[str],
                 patience_s: float = PATIENCE_S) -> dict[str, Status]:
        return {verdict.case.id: verdict.status
                for verdict in judged(broker, fault, ids, sasl, patience_s)}

    with broker_for(area) as broker:
        found = statuses(broker, fault, set(fault.cases))
        # On a busy machine the proxy may be slower than a case waits, and get whole what was sent in pieces.
        again = replace(fault, timeout_s=min(20 * fault.timeout_s, WAIT_S))
        for _ in range(5):
            if late := {id_ for id_, status in found.items() if status is not Status.FAILED}:
                found |= statuses(broker, again, late, 20 * PATIENCE_S)
    assert found == {id_: Status.FAILED for id_ in fault.cases}


def test_each_area_has_faults() -> None:
    assert list(BY_AREA) == PLAIN
    assert len(FAULTS) >= 60
