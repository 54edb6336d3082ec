# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.AlterUserScramCredentialsRequest
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The request to set or delete SCRAM credentials. Its salted passwords are as secret as passwords."""

from __future__ import annotations

from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.alter_user_scram_credentials_response_data import (
    AlterUserScramCredentialsResponseData,
)
from kreactor.common.protocol.api_keys import ApiKeys
from kreactor.common.requests.abstract_request import AbstractRequest
from kreactor.common.requests.api_error import ApiError
from kreactor.common.requests.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
)
from kreactor.jdk.nio_buffer import ByteBuffer


class AlterUserScramCredentialsRequest(AbstractRequest):
    """:origin: common.requests.AlterUserScramCredentialsRequest"""

    __slots__ = ("_data",)

    class Builder(AbstractRequest.Builder["AlterUserScramCredentialsRequest"]):
        """:origin: common.requests.AlterUserScramCredentialsRequest.Builder"""

        __slots__ = ("_data",)

        def __init__(self, data: AlterUserScramCredentialsRequestData) -> None:
            """:origin: common.requests.AlterUserScramCredentialsRequest.Builder#Builder(
                AlterUserScramCredentialsRequestData)
            """
            super().__init__(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS)
            self._data = data

        def build_version(self, version: int) -> AlterUserScramCredentialsRequest:
            """:origin: common.requests.AlterUserScramCredentialsRequest.Builder#build(short)"""
            return AlterUserScramCredentialsRequest(self._data, version)

        def __str__(self) -> str:
            """:origin: common.requests.AlterUserScramCredentialsRequest.Builder#toString()"""
            # DEVIATION D189: the origin's text shows salted passwords, which are as secret as passwords.
            return str(hide_secrets(self._data))

    def __init__(self, data: AlterUserScramCredentialsRequestData, version: int) -> None:
        """:origin: common.requests.AlterUserScramCredentialsRequest#AlterUserScramCredentialsRequest(
            AlterUserScramCredentialsRequestData, short)
        """
        super().__init__(ApiKeys.ALTER_USER_SCRAM_CREDENTIALS, version)
        self._data = data

    @staticmethod
    def parse(buffer: ByteBuffer, version: int) -> AlterUserScramCredentialsRequest:
        """:origin: common.requests.AlterUserScramCredentialsRequest#parse(ByteBuffer, short)"""
        return AlterUserScramCredentialsRequest(
            AlterUserScramCredentialsRequestData.read(buffer, version), version)

    def data(self) -> AlterUserScramCredentialsRequestData:
        """:origin: common.requests.AlterUserScramCredentialsRequest#data()"""
        return self._data

    def get_error_response_throttle(self, throttle_time_ms: int,
                                    e: BaseException) -> AlterUserScramCredentialsResponse:
        """:origin: common.requests.AlterUserScramCredentialsRequest#getErrorResponse(int, Throwable)"""
        api_error = ApiError.from_throwable(e)
        users = {deletion.name for deletion in self._data.deletions}
        users |= {upsertion.name for upsertion in self._data.upsertions}
        return AlterUserScramCredentialsResponse(AlterUserScramCredentialsResponseData(results=[
            AlterUserScramCredentialsResponseData.AlterUserScramCredentialsResult(
                user=user, error_code=api_error.error().code, error_message=api_error.message())
            for user in sorted(users)]))

    def to_string(self, verbose: bool) -> str:
        return str(hide_secrets(self._data))

    def loggable(self) -> AlterUserScramCredentialsRequest:
        """Return the request as text without salts and salted passwords."""
        return AlterUserScramCredentialsRequest(hide_secrets(self._data), self.version())


def hide_secrets(data: AlterUserScramCredentialsRequestData) -> AlterUserScramCredentialsRequestData:
    """Return a copy without secrets."""
    return AlterUserScramCredentialsRequestData(deletions=data.deletions, upsertions=[
        AlterUserScramCredentialsRequestData.ScramCredentialUpsertion(
            name=upsertion.name, mechanism=upsertion.mechanism, iterations=upsertion.iterations)
        for upsertion in data.upsertions])
