# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.metadata.authorizer.AclMutator of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface through which an authorizer changes ACLs; the controller implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.acl.acl_binding_filter import AclBindingFilter
from kreactor.jdk.concurrent import CompletableFuture
from kreactor.server.authorizer.acl_create_result import AclCreateResult
from kreactor.server.authorizer.acl_delete_result import AclDeleteResult

if TYPE_CHECKING:
    from kreactor.controller.controller_request_context import ControllerRequestContext


class AclMutator(Protocol):
    """For use by any thread.

    :origin: metadata.authorizer.AclMutator
    """

    def create_acls(self, context: ControllerRequestContext,
                    acl_bindings: Sequence[AclBinding]) -> CompletableFuture[list[AclCreateResult]]:
        """Create ACLs, also existing ones. The results are in the order of the ACLs.

        :origin: metadata.authorizer.AclMutator#createAcls(ControllerRequestContext, List<AclBinding>)
        """
        ...

    def delete_acls(
        self, context: ControllerRequestContext, acl_binding_filters: Sequence[AclBindingFilter],
    ) -> CompletableFuture[list[AclDeleteResult]]:
        """Delete the ACLs that match filters. The results are in the order of the filters.

        :origin: metadata.authorizer.AclMutator#deleteAcls(ControllerRequestContext, List<AclBindingFilter>)
        """
        ...
