# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The JSON of records and faults, which the control port and ``RemoteBroker`` exchange.

``kreactor.testing.seeds`` reads the records that a request appends, in all forms of a seed file.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from kreactor.testing import faults as fault_module
from kreactor.testing.faults import Fault
from kreactor.testing.json_text import shown
from kreactor.testing.record import MAX_PARTITION, NewRecord, Record

FAULTS: Mapping[str, type[Fault]] = {
    each.__name__: each for each in (
        fault_module.Delay, fault_module.Drop, fault_module.Close, fault_module.Error, fault_module.Truncate,
        fault_module.Split, fault_module.SlowReader)}

# Paths of a whole cluster, or of a single broker. Each broker of a cluster has all other paths.
OF_ALL = ("/topics", "/seeds", "/groups", "/time", "/snapshots", "/reset")


def record_to_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON. Bytes that are not UTF-8 are in base64, under the name with ``_base64``."""
    return {"partition": record.partition, "offset": record.offset, "timestamp_ms": record.timestamp_ms,
            **_content_to_json(record, as_text=True)}


def record_from_json(told: Mapping[str, Any]) -> Record:
    """Return the record that ``record_to_json`` wrote."""
    return Record(told["partition"], told["offset"], told["timestamp_ms"], _data(told, "key"),
                  _data(told, "value"),
                  tuple((header["name"], _data(header, "value")) for header in told["headers"]))


def new_record_to_json(partition: int | None, record: NewRecord) -> dict[str, Any]:
    """Return a record to append, in base64, because JSON's escapes could make six bytes of one byte.

    Raises ValueError for a partition that no topic has.
    """
    if partition is not None and (not isinstance(partition, int) or isinstance(partition, bool)
                                  or not 0 <= partition <= MAX_PARTITION):
        raise ValueError(f"partition={shown(partition)}: not a number from 0 to {MAX_PARTITION}")
    return {"partition": partition, "timestamp_ms": record.timestamp_ms,
            **_content_to_json(record, as_text=False)}


def _content_to_json(record: Record | NewRecord, as_text: bool) -> dict[str, Any]:
    return {**_data_to_json("key", record.key, as_text), **_data_to_json("value", record.value, as_text),
            "headers": [{"name": name, **_data_to_json("value", value, as_text)}
                        for name, value in record.headers]}


def _data_to_json(name: str, data: bytes | None, as_text: bool) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    if as_text:
        with suppress(UnicodeDecodeError):
            return {name: data.decode()}
    return {f"{name}_base64": base64.b64encode(data).decode()}


def _data(told: Mapping[str, Any], name: str) -> bytes | None:
    in_base64 = told.get(f"{name}_base64")
    if in_base64 is not None:
        return base64.b64decode(in_base64)
    text = told[name]
    return None if text is None else str(text).encode()


def fault_to_json(fault: Fault) -> dict[str, Any]:
    """Return the name of a fault with its fields."""
    return {"fault": type(fault).__name__,
            **{name: getattr(value, "name", value) for name, value in fault.__dict__.items()}}


def fault_from_json(told: Mapping[str, Any]) -> Fault:
    """Return the fault that ``fault_to_json`` wrote."""
    fields = dict(told)
    return FAULTS[fields.pop("fault")](**fields)
