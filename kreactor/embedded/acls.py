# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The permissions of StandardAuthorizer, in a file.

One file, ``acls.json``, replaced whole and made durable before a change is seen by anybody. Its owner alone
may read it: who may do what is nobody else's business. A file that is not understood keeps the node from
starting: without it what is denied would be allowed.

Owner: who calls ``replace``, one at a time. Readers see a table that is replaced.
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
    """The permissions of a data folder."""

    __slots__ = ("_file", "_acls")

    def __init__(self, path: str) -> None:
        """Read the file, if it is there. Raises KafkaException if it cannot be read."""
        self._file = JsonFile(path, "who may do what")
        self._acls: Mapping[Uuid, AclBinding] = {}
        self._file.read(self._take)

    def acls(self) -> Mapping[Uuid, AclBinding]:
        """Return all permissions, in the order in which they were given."""
        return self._acls

    def replace(self, acls: Mapping[Uuid, AclBinding]) -> None:
        """Have these and no others. Raises KafkaStorageException; nothing has changed then."""
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
