# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``.properties`` files as Java reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.properties import load_properties


@pytest.mark.parametrize(("source", "properties"), [
    ("", {}),
    ("a=1\nb=2\r\nc=3\rd=4", {"a": "1", "b": "2", "c": "3", "d": "4"}),
    ("a:1", {"a": "1"}),
    ("a 1", {"a": "1"}),
    ("a\t \f1", {"a": "1"}),
    ("a = 1", {"a": "1"}),
    ("a : = 1", {"a": "= 1"}),
    ("a==1", {"a": "=1"}),
    ("a = 1 \t", {"a": "1 \t"}),
    ("  a=1", {"a": "1"}),
    ("a", {"a": ""}),
    ("a=", {"a": ""}),
    ("=1", {"": "1"}),
    ("a=1\na=2", {"a": "2"}),
    ("# no\n! no\n  # no\na=1#yes", {"a": "1#yes"}),
    ("# no \\\na=1", {"a": "1"}),
    ("\n \t\n\f\na=1\n\n", {"a": "1"}),
    ("a=1,\\\n  2,\\\r\n\t3", {"a": "1,2,3"}),
    ("a=1\\\\\nb=2", {"a": "1\\", "b": "2"}),
    ("a=1\\\\\\\nb=2", {"a": "1\\b=2"}),
    ("a=1\\\n", {"a": "1"}),
    ("a=1\\", {"a": "1"}),
    ("a=1\\\n\nb=2", {"a": "1", "b": "2"}),
    ("a=1\\\n   \nb=2", {"a": "1", "b": "2"}),
    ("a=1\\\n#2\nb=3", {"a": "1#2", "b": "3"}),
    ("a\\\n=1", {"a": "1"}),
    ("\\\na=1", {"a": "1"}),
    ("\\\n#a=1", {}),
    ("\\\n\n#a=1\nb=2", {"b": "2"}),
    ("\\", {"": ""}),
    ("\\\n", {"": ""}),
    ("\\\n ", {}),
    ("\\\n\n", {}),
    ("a=1\n\\", {"a": "1", "": ""}),
    ("a=1\n# b\\", {"a": "1"}),
    ("a=1\\\n# b\\", {"a": "1# b"}),
    ("a\\ b\\=c\\:d=1", {"a b=c:d": "1"}),
    ("\\#a=1\n\\!b=2", {"#a": "1", "!b": "2"}),
    ("a=\\t\\r\\n\\f\\x\\\"\\ ", {"a": '\t\r\n\fx" '}),
    ("a=\\u00e4\\u20AC", {"a": "\u00e4\u20ac"}),
    ("a=\\ud83d\\ude00", {"a": "\U0001f600"}),
    ("\\u0061=\\\\u0061", {"a": "\\u0061"}),
    ("a\u00a0b=1", {"a\u00a0b": "1"}),
    ("listeners=PLAINTEXT://:9092,\\\n          SSL://:9093", {"listeners": "PLAINTEXT://:9092,SSL://:9093"}),
])
def test_load(source: str, properties: dict[str, str]) -> None:
    assert load_properties(source) == properties
    assert load_properties(source.encode("iso-8859-1", "backslashreplace")) == properties


def test_bytes_are_latin_1() -> None:
    assert load_properties("ä=ö".encode("iso-8859-1")) == {"ä": "ö"}
    assert load_properties("ä=ö".encode()) == {"Ã¤": "Ã¶"}
    assert load_properties("ä=ö") == {"ä": "ö"}


@pytest.mark.parametrize("source", ["a=\\u", "a=\\u12", "a=\\u12g4", "\\uxyz1=a", "a=\\u 123"])
def test_malformed(source: str) -> None:
    with pytest.raises(IllegalArgumentException, match=r"^Malformed \\uxxxx encoding.$"):
        load_properties(source)


def written(properties: dict[str, str]) -> str:
    """Write as ``Properties.store`` does."""
    lines = ["#a comment"]
    for key, value in properties.items():
        escaped = []
        for text, escape_blanks in ((key, True), (value, False)):
            out = []
            for i, c in enumerate(text):
                if c == " " and (escape_blanks or i == 0):
                    out.append("\\ ")
                elif c in "\t\n\r\f":
                    out.append({"\t": "\\t", "\n": "\\n", "\r": "\\r", "\f": "\\f"}[c])
                elif c in "\\=:#!":
                    out.append("\\" + c)
                elif " " <= c <= "~":
                    out.append(c)
                else:
                    units = c.encode("utf-16-be", "surrogatepass")
                    out.extend(f"\\u{units[j]:02X}{units[j + 1]:02X}" for j in range(0, len(units), 2))
            escaped.append("".join(out))
        lines.append("=".join(escaped))
    return "\n".join(lines)


TEXT = st.text(st.characters(codec="utf-8") | st.sampled_from(" \t\n\r\f\\=:#!u"))


@given(st.dictionaries(TEXT, TEXT))
def test_what_java_writes_is_read_back(properties: dict[str, str]) -> None:
    assert load_properties(written(properties)) == properties
    assert load_properties(written(properties).encode("ascii")) == properties


@given(st.text(st.sampled_from("ab\\\n\r =:#!\tu0")))
def test_nothing_else_goes_wrong(source: str) -> None:
    try:
        load_properties(source)
    except IllegalArgumentException:
        assert "\\u" in source or "\\" in source
