# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The schemas of Kafka's requests and responses, as data.

``tools/checks/generate_messages`` writes ``messages.json`` from the definitions of Kafka 3.8.0: names, types,
versions, tags and defaults. This module does not import the port, because the suite tests it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

# The highest version in an int16, for ranges without an end.
_NO_END = 0x7FFF

API_VERSIONS = 18


@dataclass(frozen=True)
class Versions:
    """A range of versions, both ends included; empty if ``highest`` is below ``lowest``."""

    lowest: int
    highest: int

    @classmethod
    def parse(cls, text: str) -> Versions:
        """Parse the range of a definition, such as ``2``, ``2-5``, ``2+`` or ``none``."""
        if text == "none":
            return cls(0, -1)
        lowest, dash, highest = text.partition("-")
        if text.endswith("+"):
            return cls(int(text[:-1]), _NO_END)
        return cls(int(lowest), int(highest if dash else lowest))

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lowest, self.highest + 1))

    def common(self, other: Versions) -> Versions:
        """Return the versions in both ranges."""
        return Versions(max(self.lowest, other.lowest), min(self.highest, other.highest))

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}" if self.highest > self.lowest else str(self.lowest)


@dataclass(frozen=True)
class Field:
    """One field of a structure."""

    name: str
    # The type in the definition: int32, string, []int32, []TopicData, ...
    type: str
    versions: Versions
    nullable: Versions
    tag: int | None
    tagged: Versions
    # The field's own flexible versions; only the client id of the request header has them.
    flexible: Versions | None
    default: Any

    @property
    def is_array(self) -> bool:
        return self.type.startswith("[]")

    @property
    def element(self) -> str:
        """The type of one element of an array, or the type itself."""
        return self.type.removeprefix("[]")


@dataclass(frozen=True)
class Schema:
    """A message: its fields, and the fields of the structures in it by their names."""

    versions: Versions
    flexible: Versions
    fields: tuple[Field, ...]
    structs: Mapping[str, tuple[Field, ...]]


@dataclass(frozen=True)
class Api:
    """One API of the protocol."""

    key: int
    name: str
    listeners: frozenset[str]
    # The highest version is unstable: a broker offers it only if a setting enables it.
    unstable: bool
    request: Schema
    response: Schema

    @property
    def versions(self) -> Versions:
        return self.request.versions

    def request_header_version(self, version: int) -> int:
        """Return 0, 1 or 2: the version of the header in front of a request of ``version``."""
        if self.name == "ControlledShutdown" and version == 0:
            return 0
        return 2 if version in self.request.flexible else 1

    def response_header_version(self, version: int) -> int:
        """Return 0 or 1: the version of the header in front of a response of ``version``.

        The response of ApiVersions never has header tags, because its client does not know the versions yet
        (KIP-511).
        """
        return 1 if version in self.response.flexible and self.key != API_VERSIONS else 0

    def __str__(self) -> str:
        return self.name


_ZEROS: dict[str, Any] = {"bool": False, "float64": 0.0, "string": "", "bytes": b"", "records": None,
                          "uuid": bytes(16)}


def _default(field: Mapping[str, Any]) -> Any:
    text = field.get("default", "")
    if text is None or text == "null":
        return None
    type_name: str = field["type"]
    if type_name.startswith("[]"):
        return ()
    if text == "":
        return _ZEROS.get(type_name, 0 if "int" in type_name else None)
    if type_name == "bool":
        return str(text).lower() == "true"
    if type_name == "float64":
        return float(text)
    return int(str(text), 0)


def _field(field: Mapping[str, Any]) -> Field:
    return Field(
        field["name"], field["type"], Versions.parse(field["versions"]),
        Versions.parse(field.get("nullableVersions", "none")), int(field["tag"]) if "tag" in field else None,
        Versions.parse(field.get("taggedVersions", "none")),
        Versions.parse(field["flexibleVersions"]) if "flexibleVersions" in field else None, _default(field))


def _schema(message: Mapping[str, Any]) -> Schema:
    return Schema(
        Versions.parse(message["versions"]), Versions.parse(message["flexible"]),
        tuple(map(_field, message["fields"])),
        {name: tuple(map(_field, fields)) for name, fields in message["structs"].items()})


@cache
def apis() -> Mapping[str, Api]:
    """Return every API by its name, in the order of the keys."""
    text = resources.files(__package__).joinpath("messages.json").read_text(encoding="utf-8")
    return {row["name"]: Api(row["key"], row["name"], frozenset(row["listeners"]), row["unstable"],
                             _schema(row["request"]), _schema(row["response"])) for row in json.loads(text)}


@cache
def apis_by_key() -> Mapping[int, Api]:
    """Return every API by its key."""
    return {api.key: api for api in apis().values()}
