# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclPermissionTypeTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The codes and names of AclPermissionType."""

from __future__ import annotations

from kreactor.common.acl.acl_permission_type import AclPermissionType

NAMES = "unknown any deny allow".split()


def test_is_unknown() -> None:
    assert [value for value in AclPermissionType if value.is_unknown()] == [AclPermissionType.UNKNOWN]


def test_code() -> None:
    for code, name in enumerate(NAMES):
        assert AclPermissionType[name.upper()].code() == code
        assert AclPermissionType.from_code(code) is AclPermissionType[name.upper()]
    assert AclPermissionType.from_code(120) is AclPermissionType.UNKNOWN


def test_name() -> None:
    for name in NAMES:
        for text in (name, name.upper()):
            assert AclPermissionType.from_string(text) is AclPermissionType[name.upper()]
    assert AclPermissionType.from_string("something") is AclPermissionType.UNKNOWN


def test_exhaustive() -> None:
    assert [value.name.lower() for value in AclPermissionType] == NAMES
