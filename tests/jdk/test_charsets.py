# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Encodings by their names, as Java has them."""

from __future__ import annotations

import pytest

from kreactor.jdk.charsets import UTF_8, Charset, UnsupportedCharsetException


@pytest.mark.parametrize("name, text, data", [
    ("UTF-8", "aä€", "aä€".encode()),
    ("UTF-16", "a", b"\xfe\xff\0a"),
    ("UTF-16BE", "a", b"\0a"),
    ("UTF-16LE", "a", b"a\0"),
    ("UTF-32", "a", b"\0\0\0a"),
    ("ISO-8859-1", "ä", b"\xe4"),
    ("windows-1252", "€", b"\x80"),
    ("US-ASCII", "a", b"a"),
])
def test_there_and_back(name: str, text: str, data: bytes) -> None:
    charset = Charset.for_name(name)
    assert charset.encode(text) == data
    assert charset.decode(data) == text
    assert charset.decode(memoryview(data)) == text


def test_byte_orders() -> None:
    for data in (b"\0a", b"\xfe\xff\0a", b"\xff\xfea\0"):
        assert Charset.for_name("UTF-16").decode(data) == "a"
    for data in (b"\0\0\0a", b"\0\0\xfe\xff\0\0\0a", b"\xff\xfe\0\0a\0\0\0"):
        assert Charset.for_name("UTF-32").decode(data) == "a"


def test_what_cannot_be() -> None:
    assert Charset.for_name("US-ASCII").encode("ä") == b"?"
    assert UTF_8.encode("\udc00") == b"?"
    assert UTF_8.decode(b"\xc3") == "\ufffd"


@pytest.mark.parametrize("name", ["no such", "", "hex", "a\0b"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(UnsupportedCharsetException):
        Charset.for_name(name)
