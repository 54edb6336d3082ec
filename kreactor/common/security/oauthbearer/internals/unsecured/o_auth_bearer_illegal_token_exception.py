# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerIllegalTokenException, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The exception of a refused token."""

from __future__ import annotations

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_validation_result import (
    OAuthBearerValidationResult,
)
from kreactor.jdk.exceptions import IllegalArgumentException


class OAuthBearerIllegalTokenException(KafkaException):
    """A token is malformed, or has an invalid claim.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerIllegalTokenException
    """

    def __init__(self, reason: OAuthBearerValidationResult) -> None:
        """Keep the failure. Raises IllegalArgumentException for a successful result.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerIllegalTokenException#OAuthBearerIllegalTokenException(
            OAuthBearerValidationResult)
        """  # noqa: E501
        super().__init__(reason.failure_description())
        if reason.success():
            raise IllegalArgumentException(
                "The reason indicates success; it must instead indicate failure")
        self._reason = reason

    def reason(self) -> OAuthBearerValidationResult:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerIllegalTokenException#reason()
        """  # noqa: E501
        return self._reason
