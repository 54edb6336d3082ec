# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.acl.AclOperationTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The codes and names of AclOperation."""

from __future__ import annotations

from kreactor.common.acl.acl_operation import AclOperation

NAMES = ("unknown any all read write create delete alter describe cluster_action "
         "describe_configs alter_configs idempotent_write create_tokens describe_tokens").split()


def test_is_unknown() -> None:
    assert [value for value in AclOperation if value.is_unknown()] == [AclOperation.UNKNOWN]


def test_code() -> None:
    for code, name in enumerate(NAMES):
        assert AclOperation[name.upper()].code() == code
        assert AclOperation.from_code(code) is AclOperation[name.upper()]
    assert AclOperation.from_code(120) is AclOperation.UNKNOWN


def test_name() -> None:
    for name in NAMES:
        for text in (name, name.upper()):
            assert AclOperation.from_string(text) is AclOperation[name.upper()]
    assert AclOperation.from_string("something") is AclOperation.UNKNOWN


def test_exhaustive() -> None:
    assert [value.name.lower() for value in AclOperation] == NAMES
