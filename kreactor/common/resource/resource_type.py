# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.resource.ResourceType of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The types of resources with access control."""

from __future__ import annotations

from enum import Enum


class ResourceType(Enum):
    """A resource type. The value is the code on the wire.

    :origin: common.resource.ResourceType
    """

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7

    @staticmethod
    def from_string(string: str) -> ResourceType:
        """Return the type named ``arg``, ignoring case, or UNKNOWN.

        :origin: common.resource.ResourceType#fromString(String)
        """
        return ResourceType.__members__.get(string.upper(), ResourceType.UNKNOWN)

    @staticmethod
    def from_code(code: int) -> ResourceType:
        """Return the type of a code, or UNKNOWN.

        :origin: common.resource.ResourceType#fromCode(byte)
        """
        return _BY_CODE.get(code, ResourceType.UNKNOWN)

    def code(self) -> int:
        """Return the code.

        :origin: common.resource.ResourceType#code()
        """
        return int(self.value)

    def is_unknown(self) -> bool:
        """Return whether the type is UNKNOWN.

        :origin: common.resource.ResourceType#isUnknown()
        """
        return self is ResourceType.UNKNOWN


_BY_CODE = {resource_type.value: resource_type for resource_type in ResourceType}
