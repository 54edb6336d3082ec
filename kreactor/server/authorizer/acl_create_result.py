# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.server.authorizer.AclCreateResult of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of creating an ACL."""

from __future__ import annotations

from typing import ClassVar

from kreactor.common.errors import ApiException


class AclCreateResult:
    """Success, or an exception. Immutable.

    :origin: server.authorizer.AclCreateResult
    """

    __slots__ = ("_exception",)

    SUCCESS: ClassVar[AclCreateResult]

    def __init__(self, exception: ApiException | None = None) -> None:
        """
        :origin: server.authorizer.AclCreateResult#AclCreateResult()
        :origin: server.authorizer.AclCreateResult#AclCreateResult(ApiException)
        """
        self._exception = exception

    def exception(self) -> ApiException | None:
        """Return why the creation failed, None if it succeeded.

        :origin: server.authorizer.AclCreateResult#exception()
        """
        return self._exception


AclCreateResult.SUCCESS = AclCreateResult()
