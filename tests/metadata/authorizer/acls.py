# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Requests of somebody, and an authorizer to ask about them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from kreactor.common.acl.acl_operation import AclOperation
from kreactor.common.network.client_information import ClientInformation
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.request_context import RequestContext
from kreactor.common.requests.request_header import RequestHeader
from kreactor.common.resource.pattern_type import PatternType
from kreactor.common.resource.resource_pattern import ResourcePattern
from kreactor.common.resource.resource_type import ResourceType
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.uuid import Uuid
from kreactor.jdk.net import InetAddress
from kreactor.metadata.authorizer.standard_acl import StandardAcl
from kreactor.metadata.authorizer.standard_authorizer import StandardAuthorizer
from kreactor.server.authorizer.action import Action

_NEXT_ID = itertools.count(1)


def request_context(principal: str | KafkaPrincipal, host: str = "127.0.0.1",
                    api_key: ApiKeys = ApiKeys.FETCH) -> RequestContext:
    """Return what is known of a request; a text is the name of a user."""
    if isinstance(principal, str):
        principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, principal)
    return RequestContext(
        RequestHeader.of(api_key, 2, "", 1), "", InetAddress.get_by_name(host), principal,
        ListenerName("SASL_PLAINTEXT"), SecurityProtocol.SASL_PLAINTEXT, ClientInformation.EMPTY, False)


def new_action(operation: AclOperation, resource_type: ResourceType, name: str, log_if_allowed: bool = False,
               log_if_denied: bool = False) -> Action:
    return Action(operation, ResourcePattern(resource_type, name, PatternType.LITERAL), 1, log_if_allowed,
                  log_if_denied)


def new_id() -> Uuid:
    return Uuid(0, next(_NEXT_ID))


def new_authorizer(*acls: StandardAcl, **configs: str) -> StandardAuthorizer:
    """Return an authorizer with ``acls``; underscores of settings' names are dots."""
    authorizer = StandardAuthorizer()
    authorizer.configure({"super.users": "User:superman",
                          **{name.replace("_", "."): value for name, value in configs.items()}})
    authorizer.complete_initial_load()
    add(authorizer, acls)
    return authorizer


def add(authorizer: StandardAuthorizer, acls: Iterable[StandardAcl]) -> list[Uuid]:
    ids = []
    for acl in acls:
        ids.append(new_id())
        authorizer.add_acl(ids[-1], acl)
    return ids
