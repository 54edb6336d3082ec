# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: API keys that a broker's listener does not serve."""

from __future__ import annotations

from collections.abc import Iterator

from kreactor.conformance.cases import CLOSED, Case, Level, Script
from kreactor.conformance.codec import request, request_header, sized
from kreactor.conformance.schemas import apis

_ENABLED = "SocketServer.Processor#parseRequestHeader"


def cases() -> Iterator[Case]:
    # Far above the API keys of all releases so far.
    for name, key in (("minus-one", -1), ("lowest", -2**15), ("thousand", 1000), ("highest", 2**15 - 1)):
        yield Case(
            f"keys.unknown.{name}", f"A request with key {key}, which no API has, closes the connection.",
            Level.SHOULD, "RequestHeader#parse",
            Script((sized(request_header(key, 0, 1, 7) + b"\0" * 8),), {}, (CLOSED,)))
    yield Case(
        "keys.unknown.next", "A request with key 76 closes the connection.", Level.MAY, "RequestHeader#parse",
        Script((sized(request_header(76, 0, 1, 7) + b"\0" * 8),), {}, (CLOSED,)))
    for api in apis().values():
        if "broker" in api.listeners:
            continue
        # With ZooKeeper, brokers of 2.8 served the requests between brokers and the controller.
        level = Level.MAY if "zkBroker" in api.listeners else Level.SHOULD
        for version in api.versions:
            header = request_header(api.key, version, api.request_header_version(version), 7)
            yield Case(
                f"keys.controller.{api}.v{version}",
                f"{api} version {version} on a broker's listener closes the connection.", level, _ENABLED,
                Script((sized(header),), {}, (CLOSED,)))
        yield Case(
            f"keys.controller.{api}.body",
            f"A whole {api} request on a broker's listener closes the connection.",
            level, _ENABLED, Script((request(api, api.versions.highest, 7, {}),), {}, (CLOSED,)))
