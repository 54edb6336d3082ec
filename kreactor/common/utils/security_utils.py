# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.SecurityUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Parses principals, and names the types of resources."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import java_text

E = TypeVar("E", bound=Enum)


class SecurityUtils:
    """Helpers for authorization.

    :origin: common.utils.SecurityUtils
    """

    @staticmethod
    def parse_kafka_principal(text: str | None) -> KafkaPrincipal:
        """Return the principal of ``type:name``. The name may contain colons.

        Raises IllegalArgumentException for another format.

        :origin: common.utils.SecurityUtils#parseKafkaPrincipal(String)
        """
        principal_type, colon, name = (text or "").partition(":")
        if not colon:
            raise IllegalArgumentException(
                f"expected a string in format principalType:principalName but got {java_text(text)}")
        return KafkaPrincipal(principal_type, name)

    @staticmethod
    def resource_type_name(resource_type: ResourceType) -> str:
        """Return the name of a type in Pascal case.

        :origin: common.utils.SecurityUtils#resourceTypeName(ResourceType)
        """
        return _to_pascal_case(resource_type.name)

    @staticmethod
    def authorize_by_resource_type_check_args(op: AclOperation, type_: ResourceType) -> None:
        """Raises IllegalArgumentException for values that only a filter may have.

        :origin: common.utils.SecurityUtils#authorizeByResourceTypeCheckArgs(AclOperation, ResourceType)
        """
        if type_ is ResourceType.ANY:
            raise IllegalArgumentException(
                "Must specify a non-filter resource type for authorizeByResourceType")
        if type_ is ResourceType.UNKNOWN:
            raise IllegalArgumentException("Unknown resource type")
        if op is AclOperation.ANY:
            raise IllegalArgumentException(
                "Must specify a non-filter operation type for authorizeByResourceType")
        if op is AclOperation.UNKNOWN:
            raise IllegalArgumentException("Unknown operation type")


def _to_pascal_case(name: str) -> str:
    """:origin: common.utils.SecurityUtils#toPascalCase(String)"""
    return "".join(word.capitalize() for word in name.split("_"))
