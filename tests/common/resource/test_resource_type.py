# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.ResourceTypeTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The codes and names of ResourceType."""

from __future__ import annotations

from kreactor.common.resource.resource_type import ResourceType

NAMES = "unknown any topic group cluster transactional_id delegation_token user".split()


def test_is_unknown() -> None:
    assert [value for value in ResourceType if value.is_unknown()] == [ResourceType.UNKNOWN]


def test_code() -> None:
    for code, name in enumerate(NAMES):
        assert ResourceType[name.upper()].code() == code
        assert ResourceType.from_code(code) is ResourceType[name.upper()]
    assert ResourceType.from_code(120) is ResourceType.UNKNOWN


def test_name() -> None:
    for name in NAMES:
        for text in (name, name.upper()):
            assert ResourceType.from_string(text) is ResourceType[name.upper()]
    assert ResourceType.from_string("something") is ResourceType.UNKNOWN


def test_exhaustive() -> None:
    assert [value.name.lower() for value in ResourceType] == NAMES
