# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Quoted values of names. The expected text is Java's."""

from __future__ import annotations

from kreactor.jdk.object_name import quote


def test_quote() -> None:
    assert quote("") == '""'
    assert quote('a"b*c?d\\e\nf,=:\r') == '"a\\"b\\*c\\?d\\\\e\\nf,=:\r"'
