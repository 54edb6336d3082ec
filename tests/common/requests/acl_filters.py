# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The filters that DescribeAclsRequestTest and DeleteAclsRequestTest share."""

from __future__ import annotations

from kreactor.common.acl.access_control_entry_filter import AccessControlEntryFilter
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.acl.acl_permission_type import AclPermissionType
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern_filter import ResourcePatternFilter
from kreactor.common.resource.resource_type import ResourceType

V0, V1 = 0, 1
LITERAL_FILTER = AclBindingFilter(
    ResourcePatternFilter(ResourceType.TOPIC, "foo", PatternType.LITERAL),
    AccessControlEntryFilter("User:ANONYMOUS", "127.0.0.1", AclOperation.READ, AclPermissionType.DENY))
PREFIXED_FILTER = AclBindingFilter(
    ResourcePatternFilter(ResourceType.GROUP, "prefix", PatternType.PREFIXED),
    AccessControlEntryFilter("User:*", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))
ANY_FILTER = AclBindingFilter(
    ResourcePatternFilter(ResourceType.GROUP, "bar", PatternType.ANY),
    AccessControlEntryFilter("User:*", "127.0.0.1", AclOperation.CREATE, AclPermissionType.ALLOW))
ANY_AS_LITERAL_FILTER = AclBindingFilter(
    ResourcePatternFilter(ResourceType.GROUP, "bar", PatternType.LITERAL), ANY_FILTER.entry_filter())
