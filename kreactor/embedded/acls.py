# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The ACLs of StandardAuthorizer, in a file.

The file ``acls.json`` is replaced as a whole, and is durable before any thread sees a change. Only its owner
may read it, because ACLs are confidential. An invalid file keeps the node from starting, because without its
denials some operations would be allowed.

Owner: the caller of ``replace``, one thread at a time. Readers see a table that is replaced, never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kreactor.common.acl.access_control_entry import AccessControlEntry
from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.uuid import Uuid
from kreactor.embedded.json_file import JsonFile

FILE_NAME = "acls.json"


class AclStore:
    """The ACLs of a data folder."""

    __slots__ = ("_file", "_acls")

    def __init__(self, path: str) -> None:
        """Read the file, if it exists. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "the ACLs")
        self._acls: Mapping[Uuid, AclBinding] = {}
        self._file.read(self._take)

    def acls(self) -> Mapping[Uuid, AclBinding]:
        """Return all ACLs, in the order of their creation."""
        return self._acls

    def replace(self, acls: Mapping[Uuid, AclBinding]) -> None:
        """Replace all ACLs. Raises KafkaStorageException; then nothing has changed."""
        self._file.write({"acls": [_to_json(id_, acl) for id_, acl in acls.items()]})
        self._acls = MappingProxyType(dict(acls))

    def _take(self, content: Mapping[str, Any]) -> None:
        self._acls = MappingProxyType(dict(_from_json(acl) for acl in content["acls"]))


def _to_json(id_: Uuid, acl: AclBinding) -> dict[str, str]:
    pattern, entry = acl.pattern(), acl.entry()
    return {
        "id": str(id_), "resourceType": pattern.resource_type().name, "resourceName": pattern.name(),
        "patternType": pattern.pattern_type().name, "principal": entry.principal(), "host": entry.host(),
        "operation": entry.operation().name, "permissionType": entry.permission_type().name}


def _from_json(acl: Mapping[str, str]) -> tuple[Uuid, AclBinding]:
    return Uuid.from_string(acl["id"]), AclBinding(
        ResourcePattern(ResourceType[acl["resourceType"]], acl["resourceName"],
                        PatternType[acl["patternType"]]),
        AccessControlEntry(acl["principal"], acl["host"], AclOperation[acl["operation"]],
                           AclPermissionType[acl["permissionType"]]))
