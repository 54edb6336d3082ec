# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's RecordHeadersTest."""

from __future__ import annotations

import pytest

from kreactor.common.header.header import Header
from kreactor.common.header.headers import Headers
from kreactor.common.header.internals.record_header import RecordHeader
from kreactor.common.header.internals.record_headers import RecordHeaders
from kreactor.common.record.record import Record
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException


def get_count(headers: Headers) -> int:
    return len(headers.to_array())


def assert_header(key: str, value: str, actual: Header | None) -> None:
    assert actual is not None and (actual.key(), actual.value()) == (key, value.encode())


def test_add() -> None:
    headers = RecordHeaders()
    headers.add(RecordHeader("key", b"value"))
    assert_header("key", "value", next(iter(headers)))
    headers.add(RecordHeader("key2", b"value2"))
    assert_header("key2", "value2", headers.last_header("key2"))
    assert get_count(headers) == 2


def test_remove() -> None:
    headers = RecordHeaders()
    headers.add(RecordHeader("key", b"value"))
    assert list(headers)
    headers.remove("key")
    assert not list(headers)


def test_add_remove_interleaved() -> None:
    headers = RecordHeaders()
    headers.add(RecordHeader("key", b"value"))
    headers.add(RecordHeader("key2", b"value2"))

    headers.remove("key")
    assert get_count(headers) == 1

    headers.add(RecordHeader("key3", b"value3"))
    assert headers.last_header("key") is None
    assert_header("key2", "value2", headers.last_header("key2"))
    assert_header("key3", "value3", headers.last_header("key3"))
    assert get_count(headers) == 2

    headers.remove("key2")
    assert headers.last_header("key2") is None
    assert_header("key3", "value3", headers.last_header("key3"))
    assert get_count(headers) == 1

    headers.add(RecordHeader("key3", b"value4"))
    assert_header("key3", "value4", headers.last_header("key3"))
    assert get_count(headers) == 2

    headers.add(RecordHeader("key", b"valueNew"))
    assert_header("key", "valueNew", headers.last_header("key"))
    assert get_count(headers) == 3

    headers.remove("key3")
    assert get_count(headers) == 1
    headers.remove("key")
    assert not list(headers)


def test_last_header() -> None:
    headers = RecordHeaders()
    for value in (b"value", b"value2", b"value3"):
        headers.add(RecordHeader("key", value))
    assert_header("key", "value3", headers.last_header("key"))
    assert get_count(headers) == 3


def test_read_only() -> None:
    headers = RecordHeaders()
    headers.add(RecordHeader("key", b"value"))
    headers.set_read_only()
    with pytest.raises(IllegalStateException, match="RecordHeaders has been closed."):
        headers.add(RecordHeader("key", b"value"))
    with pytest.raises(IllegalStateException):
        headers.remove("key")
    assert get_count(headers) == 1


def test_headers() -> None:
    headers = RecordHeaders()
    headers.add_key("key", b"value").add_key("key1", b"key1value").add_key("key", b"value2")
    headers.add_key("key2", b"key2value")
    assert [header.value() for header in headers.headers("key")] == [b"value", b"value2"]
    assert [header.value() for header in headers.headers("key1")] == [b"key1value"]
    assert [header.value() for header in headers.headers("key2")] == [b"key2value"]


def test_new() -> None:
    headers = RecordHeaders()
    headers.add(RecordHeader("key", b"value"))
    headers.set_read_only()
    new_headers = RecordHeaders(headers)
    new_headers.add(RecordHeader("key", b"value2"))
    assert_header("key", "value", headers.last_header("key"))
    assert get_count(headers) == 1
    assert_header("key", "value2", new_headers.last_header("key"))
    assert get_count(new_headers) == 2


def test_should_throw_npe_when_adding_null_header() -> None:
    with pytest.raises(TypeError):
        RecordHeaders().add(None)


def test_should_throw_npe_when_adding_collection_with_null_header() -> None:
    with pytest.raises(TypeError):
        RecordHeaders([None])


# -- ours ----------------------------------------------------------------------------------------------------


def test_a_key_is_wanted() -> None:
    headers = RecordHeaders()
    for use in (headers.last_header, headers.headers, headers.remove):
        with pytest.raises(IllegalArgumentException, match="key cannot be null."):
            use(None)
    with pytest.raises(TypeError, match="Null header keys are not permitted"):
        RecordHeader(None, b"")


def test_views_are_decoded_when_they_are_looked_at() -> None:
    header = RecordHeader(memoryview("schl\u00fcssel".encode()), memoryview(b"wert"))
    assert header == RecordHeader("schl\u00fcssel", b"wert") and hash(header) == hash(
        RecordHeader("schl\u00fcssel", b"wert"))
    assert header.key() == "schl\u00fcssel" and header.value() == b"wert"
    assert RecordHeader(b"\xff", None).key() == "\ufffd"
    assert RecordHeader("k", None).value() is None and RecordHeader("k", bytearray(b"v")).value() == b"v"
    assert header != RecordHeader("key", b"wert") and header != RecordHeader("schl\u00fcssel", None)


def test_text_and_equality() -> None:
    headers = RecordHeaders([RecordHeader("a", b"\xff\x01"), RecordHeader("b", None)])
    assert str(headers) == ("RecordHeaders(headers = [RecordHeader(key = a, value = [-1, 1]), "
                            "RecordHeader(key = b, value = null)], isReadOnly = false)")
    assert headers == RecordHeaders(headers) and hash(headers) == hash(RecordHeaders(headers))
    assert headers != RecordHeaders() and headers != 5
    assert RecordHeaders().to_array() is Record.EMPTY_HEADERS
