# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The suite's own reader and writer, held against kio for every version of every API."""

from __future__ import annotations

import importlib
import io
import re
import struct
import warnings
from pathlib import Path
from typing import Any

import pytest

from kreactor import conformance
from kreactor.conformance import codec
from kreactor.conformance.batches import batch, message_set
from kreactor.conformance.codec import Malformed
from kreactor.conformance.samples import has_sample, sample
from kreactor.conformance.schemas import Api, Field, Schema, apis

APIS = list(apis().values())
SAMPLED = [api for api in APIS if has_sample(api)]
# A version of Kafka 4.0, which kio 0.6.2 does not know (D312).
AFTER_3_8 = {("ConsumerGroupHeartbeat", 1)}
VALUES: dict[str, Any] = {
    "bool": True, "int8": 3, "int16": 7, "uint16": 9, "int32": 11, "uint32": 12, "int64": 13, "float64": 0.5,
    "string": "text", "bytes": b"bytes", "uuid": bytes(range(16)), "records": batch([(b"key", b"value")])}


def filled(schema: Schema, version: int, fields: tuple[Field, ...] | None = None) -> dict[str, Any]:
    """Return a message with a value that is not the default in each field."""
    message: dict[str, Any] = {}
    for field in schema.fields if fields is None else fields:
        if version not in field.versions:
            continue
        if field.element in schema.structs:
            value: Any = filled(schema, version, schema.structs[field.element])
        else:
            value = VALUES[field.element]
        message[field.name] = [value, value] if field.is_array else value
    return message


def kio_class(api: Api, kind: str, version: int) -> Any:
    folder = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", api.name).lower()
    module = importlib.import_module(f"kio.schema.{folder}.v{version}.{kind}")
    return getattr(module, api.name + kind.capitalize())


def read_and_written_by_kio(api: Api, kind: str, version: int, data: bytes) -> None:
    kio = pytest.importorskip("kio.serial", reason="kio has no wheel for this interpreter")
    entity_class = kio_class(api, kind, version)
    entity, size = kio.entity_reader(entity_class)(data, 0)
    assert size == len(data)
    out = io.BytesIO()
    kio.entity_writer(entity_class)(out, entity)
    assert out.getvalue() == data


@pytest.mark.parametrize("api", SAMPLED, ids=str)
def test_kio_reads_the_samples(api: Api) -> None:
    for version in api.versions:
        data = codec.encode(api.request, version, sample(api, version))
        message = codec.decode_whole(api.request, version, data)
        assert codec.encode(api.request, version, message) == data
        if (api.name, version) not in AFTER_3_8:
            read_and_written_by_kio(api, "request", version, data)


@pytest.mark.parametrize("api", APIS, ids=str)
def test_kio_reads_every_field(api: Api) -> None:
    for kind, schema in (("request", api.request), ("response", api.response)):
        for version in schema.versions:
            message = filled(schema, version)
            data = codec.encode(schema, version, message)
            assert codec.decode_whole(schema, version, data) == message
            if (api.name, version) not in AFTER_3_8 and not has_a_time(schema, version):
                read_and_written_by_kio(api, kind, version, data)


def has_a_time(schema: Schema, version: int) -> bool:
    """Return whether kio reads a field as a time, of which it takes fewer than an int64 has."""
    fields = [field for each in (schema.fields, *schema.structs.values()) for field in each]
    return any(version in field.versions and field.element == "int64" and "ime" in field.name
               for field in fields)


@pytest.mark.parametrize("api", SAMPLED, ids=str)
def test_every_cut_is_malformed(api: Api) -> None:
    """A sample has a field or a number of tags at its end, so that no beginning of it is a message."""
    version = api.versions.highest
    data = codec.encode(api.request, version, sample(api, version))
    for size in range(len(data)):
        with pytest.raises(Malformed):
            codec.decode(api.request, version, data[:size])
    assert codec.decode(api.request, version, data + b"more")[1] == len(data)
    with pytest.raises(Malformed, match="4 bytes follow the message"):
        codec.decode_whole(api.request, version, data + b"more")


def test_lies_change_one_length_each() -> None:
    api = apis()["Metadata"]
    data = codec.encode(api.request, 12, sample(api, 12))
    lies = dict(codec.lies_of(api.request, 12, sample(api, 12)))
    assert all(lie != data for lie in lies.values())
    assert {"topics.highest", "topics.0.name.zero", "tags.one-more", "tags.without-end"} <= lies.keys()
    with pytest.raises(Malformed, match="topics: 2147483646 elements"):
        codec.decode(api.request, 12, lies["topics.highest"])


@pytest.mark.parametrize(("number", "data"), [
    (0, "00"), (127, "7f"), (128, "8001"), (2**31 - 1, "ffffffff07"), (2**32 - 1, "ffffffff0f")])
def test_unsigned_varints(number: int, data: str) -> None:
    assert codec.unsigned_varint(number).hex() == data


def test_signed_varints() -> None:
    assert [codec.varint(number).hex() for number in (0, -1, 1, -64, 64)] == ["00", "01", "02", "7f", "8001"]


def test_batches_are_read_by_others() -> None:
    """kafka-python reads what the suite writes, checksum included."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # kafka-python's own, at its import
        from kafka.record import MemoryRecords
    records = [(b"key", b"value"), (None, b"another"), (b"gone", None)]
    for data in (batch(records), message_set(records, magic=0), message_set(records, magic=1)):
        found: list[Any] = []
        read = MemoryRecords(data)
        while (each := read.next_batch()) is not None:
            assert each.validate_crc()
            found += each
        assert [(record.key, record.value) for record in found] == records


def test_an_unknown_field_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="no field nobody"):
        codec.encode(apis()["Metadata"].request, 1, {"nobody": 1})


def test_a_known_tag_of_another_version_is_malformed() -> None:
    api = apis()["Fetch"]
    data = codec.encode(api.request, 12, {"clusterId": None})
    tagged = data[:-1] + b"\1" + struct.pack(">bb", 1, 0)
    with pytest.raises(Malformed, match="tag 1 is not of version 12"):
        codec.decode(api.request, 12, tagged)


def test_nothing_of_the_port_is_imported() -> None:
    folder = Path(conformance.__file__).parent
    sources = sorted(folder.rglob("*.py"))
    assert len(sources) > 15
    for path in sources:
        imports = re.findall(
            r"^\s*(?:from|import) (kreactor[\w.]*)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(name.startswith("kreactor.conformance") for name in imports), path


# A response is read more strictly than a request.

API_VERSIONS_3 = struct.pack(">ihbi", 7, 0, 1, 0)


@pytest.mark.parametrize(("tags", "reason"), [
    (b"\x00", None),
    (b"\x01\x01\x08" + bytes(8), None),
    (b"\x01\x01\x07" + bytes(8), "tag 1 claims 7 bytes and has 8"),
    (b"\x02\x09\x00\x08\x00", "tag 8 follows tag 9"),
    (b"\x02\x09\x00\x09\x00", "tag 9 follows tag 9"),
    (b"\x02\x09\x00\xff\xff\xff\xff\x0f\x00", None),
    (b"\x00\x00", "1 bytes follow the message")])
def test_a_strict_response(tags: bytes, reason: str | None) -> None:
    api = apis()["ApiVersions"]
    if reason is None:
        codec.response_body(api, 3, API_VERSIONS_3 + tags)
    else:
        with pytest.raises(Malformed, match=reason):
            codec.response_body(api, 3, API_VERSIONS_3 + tags)


def test_a_string_of_a_response_is_utf_8() -> None:
    api = apis()["SaslHandshake"]
    good = struct.pack(">ihih", 7, 0, 1, 2) + "é".encode()
    assert codec.response_body(api, 1, good)["mechanisms"] == ["é"]
    with pytest.raises(Malformed, match="c3 28 is not valid UTF-8"):
        codec.response_body(api, 1, good[:-2] + b"\xc3\x28")
