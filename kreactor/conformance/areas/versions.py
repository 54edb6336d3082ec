# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Cases: versions that the target does not offer (KIP-511)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Case,
    Difference,
    Level,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
    ranges,
)
from kreactor.conformance.codec import request_header, response_body, sized
from kreactor.conformance.connection import Ending, NotTestable
from kreactor.conformance.schemas import API_VERSIONS, Api, Versions, apis

_ENABLED = "SocketServer.Processor#parseRequestHeader"
_KIP_511 = "KIP-511"


def _outside(api: Api, version: int | None) -> Callable[[Trial], None]:
    """Return a case that sends a header of ``version``, or of the version above the highest offered one."""
    def run(trial: Trial) -> None:
        offered = trial.offer.versions.get(api.key)
        if offered is None:
            raise NotTestable(f"the target does not offer {api}")
        asked = offered.highest + 1 if version is None else version
        tags = 2 if asked > 0 else 1
        Script((sized(request_header(api.key, asked, tags, 7)),), {}, (CLOSED,))(trial)
    return run


def _of_version(version: int | None, script: Callable[[int], Script]) -> Callable[[Trial], None]:
    """Return a case that sends ApiVersions in ``version``, or in the one above the highest offered one."""
    def run(trial: Trial) -> None:
        script(trial.offer.versions[API_VERSIONS].highest + 1 if version is None else version)(trial)
    return run


def _downgrade(version: int, body: bytes) -> Script:
    api = apis()["ApiVersions"]
    header = request_header(API_VERSIONS, version, 2 if version > 0 else 1, 7)
    return Script((sized(header + body),), {7: (api, 0)}, (answered(7, "UNSUPPORTED_VERSION"), OPEN))


def _closes(version: int, client_id: bytes) -> Script:
    """Return a script with a header that ends behind ``client_id``, which includes its length."""
    return Script((sized(request_header(API_VERSIONS, version, 0, 7) + client_id),), {}, (CLOSED,))


def _named_for_an_unknown_version(trial: Trial) -> dict[int, Versions]:
    """Return the versions by key in the answer to an unknown version of ApiVersions. Raises Difference."""
    with trial.connect() as connection:
        connection.send(sized(request_header(API_VERSIONS, 2**15 - 1, 2, 7)))
        response = connection.receive()
        if isinstance(response, Ending):
            raise Difference("a response", response.value)
        return ranges(response_body(apis()["ApiVersions"], 0, response))


def _names_its_own_versions(trial: Trial) -> None:
    named = _named_for_an_unknown_version(trial)
    expect(f"versions {trial.offer.versions[API_VERSIONS]} of ApiVersions",
           f"versions {named[API_VERSIONS]} of ApiVersions" if API_VERSIONS in named
           else "no versions of ApiVersions")


def _names_no_other(trial: Trial) -> None:
    expect([API_VERSIONS], sorted(_named_for_an_unknown_version(trial)))


def _in_every_version(trial: Trial) -> None:
    api = apis()["ApiVersions"]
    offers = []
    for version in trial.offer.common(api):
        with trial.connect() as connection:
            body = {"clientSoftwareName": "conformance", "clientSoftwareVersion": "1"} if version >= 3 else {}
            offers.append(ranges(connection.ask(api, version, body, 1)))
    for offer in offers:
        expect(offers[0], offer)


def cases() -> Iterator[Case]:
    for api in apis().values():
        if "broker" not in api.listeners or api.key == API_VERSIONS:
            continue
        for name, version in (("next", None), ("minus-one", -1), ("highest", 2**15 - 1), ("lowest", -2**15)):
            words = "the version above all that are offered" if version is None else f"version {version}"
            yield Case(f"versions.{api}.{name}", f"{api} in {words} closes the connection.", Level.SHOULD,
                       _ENABLED, _outside(api, version))
    for name, version in (("next", None), ("far", 99), ("highest", 2**15 - 1), ("minus-one", -1),
                          ("lowest", -2**15)):
        words = "the version above all that are offered" if version is None else f"version {version}"
        for more, body in (("header", b""), ("garbage", b"\xff" * 30)):
            yield Case(
                f"versions.ApiVersions.{name}.{more}",
                f"ApiVersions in {words} is answered in version 0 with UNSUPPORTED_VERSION.",
                Level.MUST, _KIP_511, _of_version(version, partial(_downgrade, body=body)))
        if version is None or version > 0:
            yield Case(
                f"versions.ApiVersions.{name}.old-header",
                f"ApiVersions in {words} with a header without tags closes the connection.",
                Level.SHOULD, "RequestHeader#parse",
                _of_version(version, partial(_closes, client_id=b"\0\1c")))
        yield Case(
            f"versions.ApiVersions.{name}.cut-header",
            f"ApiVersions in {words} with a header that ends within its client id closes the connection.",
            Level.SHOULD, "RequestHeader#parse", _of_version(version, partial(_closes, client_id=b"\0\5c")))
    yield Case(
        "versions.ApiVersions.names-itself",
        "The answer to an unknown version of ApiVersions names the versions of ApiVersions.", Level.MUST,
        _KIP_511, _names_its_own_versions)
    yield Case(
        "versions.ApiVersions.names-itself-alone",
        "The answer to an unknown version of ApiVersions names no other API.", Level.SHOULD,
        "ApiVersionsRequest#getErrorResponse", _names_no_other)
    yield Case(
        "versions.ApiVersions.all-alike", "Every version of ApiVersions advertises the same.", Level.SHOULD,
        "KafkaApis#handleApiVersionsRequest", _in_every_version)
    yield Case(
        "versions.ApiVersions.repeated",
        "ApiVersions is answered again on a connection that has asked before.", Level.SHOULD,
        "KafkaApis#handleApiVersionsRequest",
        Script((good(1) + good(2),), good_ones(1, 2), (answered(1), answered(2), OPEN)))
