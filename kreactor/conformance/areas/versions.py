# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Versions that the target does not offer (KIP-511)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kreactor.conformance.cases import (
    CLOSED,
    OPEN,
    Case,
    Level,
    NotTestable,
    Script,
    Trial,
    answered,
    expect,
    good,
    good_ones,
)
from kreactor.conformance.codec import request_header, response_body, sized
from kreactor.conformance.connection import Ending
from kreactor.conformance.schemas import API_VERSIONS, Api, apis

_ENABLED = "SocketServer.Processor#parseRequestHeader"
_KIP_511 = "KIP-511"


def _outside(api: Api, version: int | None) -> Callable[[Trial], None]:
    """Return a case that sends a header of ``version``, or of the one above all that are offered."""
    def run(trial: Trial) -> None:
        offered = trial.offer.versions.get(api.key)
        if offered is None:
            raise NotTestable(f"the target does not offer {api}")
        asked = offered.highest + 1 if version is None else version
        tags = 2 if asked > 0 else 1
        Script((sized(request_header(api.key, asked, tags, 7)),), {}, (CLOSED,))(trial)
    return run


def _downgrade(version: int, body: bytes) -> Script:
    api = apis()["ApiVersions"]
    header = request_header(API_VERSIONS, version, 2 if version > 0 else 1, 7)
    return Script((sized(header + body),), {7: (api, 0)}, (answered(7, "UNSUPPORTED_VERSION"), OPEN))


def _names_its_own_versions(trial: Trial) -> None:
    api = apis()["ApiVersions"]
    with trial.connect() as connection:
        connection.send(sized(request_header(API_VERSIONS, 2**15 - 1, 2, 7)))
        response = connection.receive()
        if isinstance(response, Ending):
            expect("a response", response.value)
        else:
            keys = {row["apiKey"]: (row["minVersion"], row["maxVersion"])
                    for row in response_body(api, 0, response)["apiKeys"]}
            offered = trial.offer.versions[API_VERSIONS]
            expect(f"versions {offered} of ApiVersions",
                   f"versions {'{}-{}'.format(*keys[API_VERSIONS])} of ApiVersions"
                   if API_VERSIONS in keys else "no versions of ApiVersions")


def _in_every_version(trial: Trial) -> None:
    api = apis()["ApiVersions"]
    offers = []
    for version in trial.offer.common(api):
        with trial.connect() as connection:
            body = {"clientSoftwareName": "conformance", "clientSoftwareVersion": "1"} if version >= 3 else {}
            response = connection.ask(api, version, body, 1)
            rows: list[dict[str, int]] = response["apiKeys"]  # type: ignore[assignment]
            offers.append({row["apiKey"]: (row["minVersion"], row["maxVersion"]) for row in rows})
    for version, offer in enumerate(offers):
        expect(offers[0], offer)


def cases() -> Iterator[Case]:
    for api in apis().values():
        if "broker" not in api.listeners or api.key == API_VERSIONS:
            continue
        for name, version in (("next", None), ("minus-one", -1), ("highest", 2**15 - 1), ("lowest", -2**15)):
            words = "the version above all that are offered" if version is None else f"version {version}"
            yield Case(f"versions.{api}.{name}", f"{api} in {words} closes the connection.", Level.SHOULD,
                       _ENABLED, _outside(api, version))
    for name, version in (("next", 99), ("highest", 2**15 - 1), ("minus-one", -1), ("lowest", -2**15)):
        for more, body in (("header", b""), ("garbage", b"\xff" * 30)):
            yield Case(
                f"versions.ApiVersions.{name}.{more}",
                f"ApiVersions in version {version} is answered in version 0 with UNSUPPORTED_VERSION.",
                Level.MUST, _KIP_511, _downgrade(version, body))
        if version > 0:
            yield Case(
                f"versions.ApiVersions.{name}.old-header",
                f"ApiVersions in version {version} with a header without tags closes the connection.",
                Level.SHOULD, "RequestHeader#parse",
                Script((sized(request_header(API_VERSIONS, version, 1, 7)),), {}, (CLOSED,)))
    yield Case(
        "versions.ApiVersions.names-itself",
        "The answer to an unknown version of ApiVersions names the versions of ApiVersions.", Level.MUST,
        _KIP_511, _names_its_own_versions)
    yield Case(
        "versions.ApiVersions.all-alike", "Every version of ApiVersions advertises the same.", Level.SHOULD,
        "KafkaApis#handleApiVersionsRequest", _in_every_version)
    yield Case(
        "versions.ApiVersions.repeated",
        "ApiVersions is answered again on a connection that has asked before.", Level.SHOULD,
        "KafkaApis#handleApiVersionsRequest",
        Script((good(1) + good(2),), good_ones(1, 2), (answered(1), answered(2), OPEN)))
