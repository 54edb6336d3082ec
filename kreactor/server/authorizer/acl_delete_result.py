# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.AclDeleteResult of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of deleting the ACLs that match a filter."""

from __future__ import annotations

from collections.abc import Collection

from kreactor.common.acl.acl_binding import AclBinding
from kreactor.common.errors import ApiException


class AclDeleteResult:
    """The ACLs that matched a filter, or an exception. Immutable.

    :origin: server.authorizer.AclDeleteResult
    """

    __slots__ = ("_acl_binding_delete_results", "_exception")

    def __init__(self, delete_results: Collection[AclBindingDeleteResult] = (),
                 exception: ApiException | None = None) -> None:
        """
        :origin: server.authorizer.AclDeleteResult#AclDeleteResult(ApiException)
        :origin: server.authorizer.AclDeleteResult#AclDeleteResult(Collection<AclBindingDeleteResult>)
        :origin: server.authorizer.AclDeleteResult#AclDeleteResult(Collection<AclBindingDeleteResult>, ApiException)
        """  # noqa: E501
        self._acl_binding_delete_results = delete_results
        self._exception = exception

    def exception(self) -> ApiException | None:
        """Return the exception of an invalid filter, or None.

        :origin: server.authorizer.AclDeleteResult#exception()
        """
        return self._exception

    def acl_binding_delete_results(self) -> Collection[AclBindingDeleteResult]:
        """Return the result of each ACL.

        :origin: server.authorizer.AclDeleteResult#aclBindingDeleteResults()
        """
        return self._acl_binding_delete_results

    class AclBindingDeleteResult:
        """An ACL, and the exception if its deletion failed. Immutable.

        :origin: server.authorizer.AclDeleteResult.AclBindingDeleteResult
        """

        __slots__ = ("_acl_binding", "_exception")

        def __init__(self, acl_binding: AclBinding, exception: ApiException | None = None) -> None:
            """
            :origin: server.authorizer.AclDeleteResult.AclBindingDeleteResult#AclBindingDeleteResult(AclBinding)
            :origin: server.authorizer.AclDeleteResult.AclBindingDeleteResult#AclBindingDeleteResult(AclBinding, ApiException)
            """  # noqa: E501
            self._acl_binding = acl_binding
            self._exception = exception

        def acl_binding(self) -> AclBinding:
            """Return the ACL.

            :origin: server.authorizer.AclDeleteResult.AclBindingDeleteResult#aclBinding()
            """
            return self._acl_binding

        def exception(self) -> ApiException | None:
            """Return why the ACL still exists, None if it was deleted.

            :origin: server.authorizer.AclDeleteResult.AclBindingDeleteResult#exception()
            """
            return self._exception
