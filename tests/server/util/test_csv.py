# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Lists and maps in settings."""

from __future__ import annotations

import pytest

from kreactor.server.util.csv import Csv


def test_csv_map() -> None:
    assert Csv.parse_csv_map("") == {}
    assert Csv.parse_csv_map("a:b:c:v,a:b:c:v") == {"a:b:c": "v"}
    assert Csv.parse_csv_map("key:value") == {"key": "value"}
    assert Csv.parse_csv_map("192.168.2.1/30:allow, 192.168.2.1/30:allow") == {"192.168.2.1/30": "allow"}
    assert Csv.parse_csv_map("key:value      , key:   value") == {"key": "value"}


def test_csv_list() -> None:
    assert Csv.parse_csv_list("") == []
    assert Csv.parse_csv_list(None) == []
    assert Csv.parse_csv_list("a,b ,c, d,,e,") == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("text", ["key", "a:b,key", ","])
def test_a_pair_needs_a_colon(text: str) -> None:
    if text == ",":
        assert Csv.parse_csv_map(text) == {}
    else:
        with pytest.raises(ValueError, match="begin 0, end -1, length 3"):
            Csv.parse_csv_map(text)
