# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.SecurityUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Reading principals from text."""

from __future__ import annotations

from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.text import java_text

_NO_ACLS = "resources and operations of ACLs, which need an authorizer"

OMITTED = {
    "common.utils.SecurityUtils#addConfiguredSecurityProviders(Map<String,?>)":
        "Python has no registry of security providers",
    "common.utils.SecurityUtils#resourceType(String)": _NO_ACLS,
    "common.utils.SecurityUtils#operation(String)": _NO_ACLS,
    "common.utils.SecurityUtils#permissionType(String)": _NO_ACLS,
    "common.utils.SecurityUtils#valueFromMap(Map<String,T>, String, T)": _NO_ACLS,
    "common.utils.SecurityUtils#resourceTypeName(ResourceType)": _NO_ACLS,
    "common.utils.SecurityUtils#operationName(AclOperation)": _NO_ACLS,
    "common.utils.SecurityUtils#permissionTypeName(AclPermissionType)": _NO_ACLS,
    "common.utils.SecurityUtils#toPascalCase(String)": _NO_ACLS,
    "common.utils.SecurityUtils#authorizeByResourceTypeCheckArgs(AclOperation, ResourceType)": _NO_ACLS,
}


class SecurityUtils:
    """Tools for authorization.

    :origin: common.utils.SecurityUtils
    """

    @staticmethod
    def parse_kafka_principal(text: str | None) -> KafkaPrincipal:
        """Return the principal that is written ``type:name``; the name may have colons of its own.

        Raises IllegalArgumentException if there is none.

        :origin: common.utils.SecurityUtils#parseKafkaPrincipal(String)
        """
        principal_type, colon, name = (text or "").partition(":")
        if not colon:
            raise IllegalArgumentException(
                f"expected a string in format principalType:principalName but got {java_text(text)}")
        return KafkaPrincipal(principal_type, name)
