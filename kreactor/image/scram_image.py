# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.image.ScramImage of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The SCRAM users at one moment, without their credentials."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.message.describe_user_scram_credentials_request_data import (
    DescribeUserScramCredentialsRequestData,
)
from kreactor.common.message.describe_user_scram_credentials_response_data import (
    DescribeUserScramCredentialsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.metadata.node_storage import ScramCredentialKey

DescribeResult = DescribeUserScramCredentialsResponseData.DescribeUserScramCredentialsResult
CredentialInfo = DescribeUserScramCredentialsResponseData.CredentialInfo


class ScramImage:
    """Immutable.

    :origin: image.ScramImage
    """

    __slots__ = ("_credentials",)

    def __init__(self, credentials: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """:origin: image.ScramImage#ScramImage(Map<ScramMechanism,Map<String,ScramCredentialData>>)"""
        self._credentials = credentials

    def describe(
        self, request: DescribeUserScramCredentialsRequestData,
    ) -> DescribeUserScramCredentialsResponseData:
        """Return the mechanisms of the requested users, or of all if none is named.

        :origin: image.ScramImage#describe(DescribeUserScramCredentialsRequestData)
        """
        credentials = self._credentials
        unique_users: dict[str, bool] = {}
        if not request.users:
            unique_users = {user: False for _, user in credentials}
        else:
            for asked in request.users:
                unique_users[asked.name] = asked.name in unique_users

        response = DescribeUserScramCredentialsResponseData()
        for user, is_duplicate in unique_users.items():
            result = DescribeResult(user=user)
            if is_duplicate:
                result.error_code = Errors.DUPLICATE_RESOURCE.code
                result.error_message = (
                    f"Cannot describe SCRAM credentials for the same user twice in a single request: {user}")
            else:
                result.credential_infos = [
                    CredentialInfo(mechanism=mechanism.type(),
                                   iterations=credentials[mechanism, user].iterations())
                    for mechanism in ScramMechanism if (mechanism, user) in credentials]
                if not result.credential_infos:
                    result.error_code = Errors.RESOURCE_NOT_FOUND.code
                    result.error_message = (
                        f"Attempt to describe a user credential that does not exist: {user}")
            response.results.append(result)
        return response
