# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.SanitizerTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Names made fit for metrics."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.utils.sanitizer import Sanitizer
from kreactor.jdk.exceptions import IllegalArgumentException

# In place of JMX's check of a value: nothing that parts or ends one, or it is in quotes.
VALID_VALUE = re.compile(r'[^,=:"*?\n]*|"(?:[^\\"*?\n]|\\[\\"*?n])*"')


def test_sanitize() -> None:
    principal = "CN=Some characters !@#$%&*()_-+=';:,/~"
    sanitized_principal = Sanitizer.sanitize(principal)
    assert re.fullmatch(r"[a-zA-Z0-9._\-]+", sanitized_principal.replace("%", "_"))
    assert Sanitizer.desanitize(sanitized_principal) == principal


def test_jmx_sanitize() -> None:
    unquoted = 0
    for i in range(65536):
        value = "value" + chr(i)
        jmx_sanitized_value = Sanitizer.jmx_sanitize(value)
        if jmx_sanitized_value == value:
            unquoted += 1
        assert VALID_VALUE.fullmatch(jmx_sanitized_value), i
        encoded_value = Sanitizer.sanitize(value)
        assert VALID_VALUE.fullmatch(encoded_value), i
        assert Sanitizer.jmx_sanitize(encoded_value) == encoded_value
    assert unquoted == 68  # letters, digits, - _ % . space and tab


# Kafka has no cases for what follows.


def test_quotes() -> None:
    assert Sanitizer.jmx_sanitize("a,b") == '"a,b"'
    assert Sanitizer.jmx_sanitize('a"*?\\\n') == '"a\\"\\*\\?\\\\\\n"'


def test_texts_of_java() -> None:
    assert Sanitizer.sanitize("a b*~ä.") == "a%20b%2A%7E%C3%A4."
    assert Sanitizer.desanitize("a+b") == "a b"
    with pytest.raises(IllegalArgumentException):
        Sanitizer.desanitize("100%")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_there_and_back(name: str) -> None:
    assert Sanitizer.desanitize(Sanitizer.sanitize(name)) == name
