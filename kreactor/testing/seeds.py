# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads a broker's initial topics and records from a file in YAML or JSON.

Every mistake in a file raises a ValueError that names the file, the place and the expected form.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from kreactor.testing.record import NewRecord, new_record

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
        with open(path, "rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as e:
        raise ValueError(f"{path}: {e.strerror}") from e
    if len(data) > _MAX_BYTES:
        raise ValueError(f"{path}: longer than {_MAX_BYTES} bytes")
    try:
        content = json.loads(data) if path.endswith(".json") else _parse_yaml(path, data)
    # UnicodeDecodeError is a ValueError, too.
    except ValueError as e:
        raise e if str(e).startswith(path) else ValueError(f"{path}: {e}") from e
    return seeds_of(content, path)


def _parse_yaml(path: str, data: bytes) -> object:
    try:
        import yaml
    except ImportError:
        raise ValueError(f"{path}: YAML needs a package: pip install 'kreactor[testing]'") from None
    try:
        return yaml.safe_load(data)
    except (yaml.YAMLError, RecursionError) as e:
        raise ValueError(f"{path}: {' '.join(str(e).split())}") from e


def seeds_of(content: object, place: str) -> list[SeedTopic]:
    """Return the topics of a file's parsed content. ``place`` starts the message of each ValueError."""
    topics = _fields(content, frozenset({"topics"}), place).get("topics")
    if not isinstance(topics, Mapping):
        raise ValueError(f"{place}: topics: not a mapping of names to topics")
    return [_topic(name, topic, f"{place}: topics.{name}") for name, topic in topics.items()]


def _topic(name: object, content: object, place: str) -> SeedTopic:
    if not isinstance(name, str):
        raise ValueError(f"{place}: the name is not text")
    fields = _fields({} if content is None else content, _TOPIC_FIELDS, place)
    partitions = fields.get("partitions")
    if partitions is not None and (not _is_int(partitions) or partitions < 1):
        raise ValueError(f"{place}.partitions: {partitions!r} is not a number above 0")
    configs = fields.get("configs") or {}
    if not isinstance(configs, Mapping):
        raise ValueError(f"{place}.configs: not a mapping of settings")
    records = fields.get("records") or []
    if not isinstance(records, list):
        raise ValueError(f"{place}.records: not a list")
    return SeedTopic(name, partitions, {key: _setting(value) for key, value in configs.items()}, [
        record_of(record, f"{place}.records[{number}]") for number, record in enumerate(records)])


def _setting(value: object) -> object:
    # Spelled as in Kafka: true and false in lower case.
    return str(value).lower() if isinstance(value, bool) else value


def record_of(content: object, place: str) -> tuple[int | None, NewRecord]:
    """Return the partition and the record of one entry of a file. Raises ValueError."""
    if not isinstance(content, Mapping):
        return None, new_record(_data(content, place))
    fields = _fields(content, _RECORD_FIELDS, place)
    headers = fields.get("headers") or {}
    if isinstance(headers, Mapping):
        pairs = [(str(name), _data(each, f"{place}.headers.{name}")) for name, each in headers.items()]
    # In the list form a name may occur twice.
    elif isinstance(headers, list):
        pairs = []
        for number, each in enumerate(headers):
            header = _fields(each, _HEADER_FIELDS, f"{place}.headers[{number}]")
            value = _field_data(header, "value", f"{place}.headers[{number}]")
            pairs.append((str(header.get("name")), value))
    else:
        raise ValueError(f"{place}.headers: neither a mapping of names to values nor a list")
    for name in ("partition", "timestamp_ms"):
        if fields.get(name) is not None and not _is_int(fields[name]):
            raise ValueError(f"{place}.{name}: {fields[name]!r} is not a number")
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
        return json.dumps(fields["json"])
    if given and given[0].endswith("_base64"):
        try:
            return base64.b64decode(fields[given[0]], validate=True)
        except (TypeError, ValueError):
            raise ValueError(f"{place}.{given[0]}: not base64") from None
    return _data(fields.get(name), f"{place}.{name}")


def _data(value: object, place: str) -> bytes | str | None:
    if value is None or isinstance(value, (bytes, str)):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    raise ValueError(f"{place}: {type(value).__name__} is neither text nor bytes; json: holds structures")


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _fields(content: object, known: frozenset[str], place: str) -> Mapping[str, Any]:
    if not isinstance(content, Mapping):
        raise ValueError(f"{place}: not a mapping with {', '.join(sorted(known))}")
    for name in content:
        if name not in known:
            raise ValueError(f"{place}: {name!r} is not one of {', '.join(sorted(known))}")
    return content
