# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.common.ApiMessageAndVersion of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A message with the version in which it is written."""

from __future__ import annotations

from kreactor.common.protocol.message import ApiMessage


class ApiMessageAndVersion:
    """:origin: server.common.ApiMessageAndVersion"""

    __slots__ = ("_message", "_version")

    def __init__(self, message: ApiMessage, version: int) -> None:
        """:origin: server.common.ApiMessageAndVersion#ApiMessageAndVersion(ApiMessage, short)"""
        self._message = message
        self._version = version

    def message(self) -> ApiMessage:
        """:origin: server.common.ApiMessageAndVersion#message()"""
        return self._message

    def version(self) -> int:
        """:origin: server.common.ApiMessageAndVersion#version()"""
        return self._version

    def __eq__(self, other: object) -> bool:
        """:origin: server.common.ApiMessageAndVersion#equals(Object)"""
        if not isinstance(other, ApiMessageAndVersion):
            return NotImplemented
        return self._version == other._version and self._message == other._message

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """:origin: server.common.ApiMessageAndVersion#toString()"""
        return f"ApiMessageAndVersion({self._message} at version {self._version})"
