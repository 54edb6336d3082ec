# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerValidationResult, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The result of one check of a token."""

from __future__ import annotations

from kreactor.jdk.exceptions import IllegalArgumentException


class OAuthBearerValidationResult:
    """Success, or a failure with its description. Immutable.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult
    """

    __slots__ = ("_success", "_failure_description", "_failure_scope", "_failure_open_id_config")

    @staticmethod
    def new_success() -> OAuthBearerValidationResult:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#newSuccess()
        """
        return OAuthBearerValidationResult(True, None, None, None)

    @staticmethod
    def new_failure(failure_description: str, failure_scope: str | None = None,
                    failure_open_id_config: str | None = None) -> OAuthBearerValidationResult:
        """Return a failure. ``failure_scope`` is the missing scope, or None for another cause.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#newFailure(
            String)
        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#newFailure(
            String, String, String)
        """  # noqa: E501
        return OAuthBearerValidationResult(False, failure_description, failure_scope, failure_open_id_config)

    def __init__(self, success: bool, failure_description: str | None, failure_scope: str | None,
                 failure_open_id_config: str | None) -> None:
        """Raises IllegalArgumentException for a success with a failure scope or configuration.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#OAuthBearerValidationResult(
            boolean, String, String, String)
        """  # noqa: E501
        if success and (failure_scope is not None or failure_open_id_config is not None):
            raise IllegalArgumentException(
                "success was indicated but failure scope/OpenIdConfig were provided")
        self._success = success
        self._failure_description = failure_description
        self._failure_scope = failure_scope
        self._failure_open_id_config = failure_open_id_config

    def success(self) -> bool:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#success()"""
        return self._success

    def failure_description(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#failureDescription(
            )
        """  # noqa: E501
        return self._failure_description

    def failure_scope(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#failureScope()
        """  # noqa: E501
        return self._failure_scope

    def failure_open_id_config(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#failureOpenIdConfig(
            )
        """  # noqa: E501
        return self._failure_open_id_config

    def throw_exception_if_failed(self) -> None:
        """Raises OAuthBearerIllegalTokenException for a failure.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult#throwExceptionIfFailed(
            )
        """  # noqa: E501
        # A circular import at module level: the exception's module imports this one.
        from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (  # noqa: E501
            OAuthBearerIllegalTokenException,
        )

        if not self.success():
            raise OAuthBearerIllegalTokenException(self)
