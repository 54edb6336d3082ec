# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads a broker's initial topics and records from a file in YAML or JSON.

Every mistake in a file raises a ValueError that names the file, the place and the expected form.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from kreactor.jdk.extras import needs
from kreactor.jdk.floor import Floor
from kreactor.testing.json_text import Unreadable, json_of, parse_json, shown, utf8_of
from kreactor.testing.record import MAX_PARTITION, MAX_TIMESTAMP_MS, NewRecord, new_record

# The longest name of a topic, and the longest name that a message has whole.
_MAX_NAME = 249
_MAX_BYTES = 64 * 1024 * 1024
_TOPIC_FIELDS = frozenset({"partitions", "configs", "records"})
_RECORD_FIELDS = frozenset({"key", "key_base64", "value", "value_base64", "json", "headers", "partition",
                            "timestamp_ms"})
_HEADER_FIELDS = frozenset({"name", "value", "value_base64"})


class SeedTopic(NamedTuple):
    """A topic and its records, each with a partition, or None if the key chooses."""

    name: str
    partitions: int | None
    configs: Mapping[str, object]
    records: list[tuple[int | None, NewRecord]]


def read_seeds(file: str | os.PathLike[str]) -> list[SeedTopic]:
    """Return the topics of a file. Raises ValueError."""
    path = os.fspath(file)
    try:
        with Floor.io.open(path, "rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as e:
        raise ValueError(f"{path}: {e.strerror}") from e
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path}: longer than {_MAX_BYTES} bytes")
    try:
        content = parse_json(data, path) if path.endswith(".json") else _parse_yaml(path, data)
    # UnicodeDecodeError is a ValueError, too.
    except (ValueError, RecursionError) as e:
        if isinstance(e, ValueError) and str(e).startswith(path):
            raise
        raise ValueError(f"{path}: {e}") from e
    return seeds_of(content, path)


def _parse_yaml(path: str, data: bytes) -> object:
    try:
        import yaml
    except ImportError:
        raise ValueError(needs(f"{path}: YAML", "testing")) from None
    try:
        return yaml.safe_load(data)
    except (yaml.YAMLError, RecursionError) as e:
        raise ValueError(f"{path}: {' '.join(str(e).split())}") from e


def seeds_of(content: object, place: str) -> list[SeedTopic]:
    """Return the topics of a file's parsed content. ``place`` starts the message of each ValueError."""
    topics = _fields(content, frozenset({"topics"}), place).get("topics")
    if not isinstance(topics, Mapping):
        raise ValueError(f"{place}: topics: not a mapping of names to topics")
    return [_topic(name, topic, f"{place}: topics.{_part(name)}") for name, topic in topics.items()]


def _topic(name: object, content: object, place: str) -> SeedTopic:
    if not isinstance(name, str):
        raise ValueError(f"{place}: the name is not text")
    utf8_of(name, f"{place}: the name")
    fields = _fields({} if content is None else content, _TOPIC_FIELDS, place)
    partitions = fields.get("partitions")
    if partitions is not None and (not _is_int(partitions) or not 1 <= partitions <= MAX_PARTITION):
        raise ValueError(
            f"{place}.partitions: {shown(partitions)} is not a number above 0 and up to {MAX_PARTITION}")
    configs = fields.get("configs") or {}
    if not isinstance(configs, Mapping):
        raise ValueError(f"{place}.configs: not a mapping of settings")
    records = fields.get("records") or []
    if not isinstance(records, list):
        raise ValueError(f"{place}.records: not a list")
    return SeedTopic(name, partitions, {
        str(key): _setting(value, f"{place}.configs.{_part(key)}") for key, value in configs.items()}, [
        record_of(record, f"{place}.records[{number}]") for number, record in enumerate(records)])


def _setting(value: object, place: str) -> object:
    # Spelled as in Kafka: true and false in lower case.
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return utf8_of(value, place)
    if isinstance(value, (int, float)):
        return json_of(value, place)
    raise ValueError(f"{place}: {shown(value)} is neither text, a number, true nor false")


def _part(name: object) -> str:
    """Return the name of a place."""
    return name if isinstance(name, str) and len(name) <= _MAX_NAME else shown(name)


def record_of(content: object, place: str) -> tuple[int | None, NewRecord]:
    """Return the partition and the record of one entry of a file. Raises ValueError."""
    if not isinstance(content, Mapping):
        return None, new_record(_data(content, place))
    fields = _fields(content, _RECORD_FIELDS, place)
    headers = fields.get("headers") or {}
    if isinstance(headers, Mapping):
        pairs = [(utf8_of(str(name), f"{place}.headers: a name"),
                  _data(each, f"{place}.headers.{_part(name)}")) for name, each in headers.items()]
    # In the list form a name may occur twice.
    elif isinstance(headers, list):
        pairs = []
        for number, each in enumerate(headers):
            header = _fields(each, _HEADER_FIELDS, f"{place}.headers[{number}]")
            value = _field_data(header, "value", f"{place}.headers[{number}]")
            name = header.get("name")
            if not isinstance(name, str):
                raise ValueError(f"{place}.headers[{number}].name: {shown(name)} is not text")
            pairs.append((utf8_of(name, f"{place}.headers[{number}].name"), value))
    else:
        raise ValueError(f"{place}.headers: neither a mapping of names to values nor a list")
    for name, lowest, highest in (("partition", 0, MAX_PARTITION), ("timestamp_ms", -1, MAX_TIMESTAMP_MS)):
        given = fields.get(name)
        if given is not None and not (_is_int(given) and lowest <= given <= highest):
            raise ValueError(f"{place}.{name}: {shown(given)} is not a number from {lowest} to {highest}")
    return fields.get("partition"), new_record(
        _field_data(fields, "value", place), _field_data(fields, "key", place), pairs,
        fields.get("timestamp_ms"))


def _field_data(fields: Mapping[str, Any], name: str, place: str) -> bytes | str | None:
    """Return the bytes of a field, which may be text, base64 or JSON."""
    forms = (name, f"{name}_base64", "json") if name == "value" else (name, f"{name}_base64")
    given = [form for form in forms if form in fields]
    if len(given) > 1:
        raise ValueError(f"{place}: {' and '.join(given)} exclude each other")
    if given == ["json"]:
        return json_of(fields["json"], f"{place}.json")
    if given and given[0].endswith("_base64"):
        try:
            return base64.b64decode(fields[given[0]], validate=True)
        except (TypeError, ValueError):
            raise ValueError(f"{place}.{given[0]}: not base64") from None
    return _data(fields.get(name), f"{place}.{name}")


def _data(value: object, place: str) -> bytes | str | None:
    if isinstance(value, str):
        return utf8_of(value, place)
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, (bool, int, float)):
        return json_of(value, place)
    if isinstance(value, Unreadable):
        raise ValueError(f"{place}: {value!r} is not a number that JSON can hold")
    raise ValueError(f"{place}: {type(value).__name__} is neither text nor bytes; json: holds structures")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _fields(content: object, known: frozenset[str], place: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise ValueError(f"{place}: not a mapping with {', '.join(sorted(known))}")
    for name in content:
        if name not in known:
            raise ValueError(f"{place}: {shown(name)} is not one of {', '.join(sorted(known))}")
    return content
