# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.controller.ScramControlManager of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Changes the SCRAM users.

Locks: ``_lock`` makes the check, the write and the notification of one request a single step.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.message.alter_user_scram_credentials_request_data import (
    AlterUserScramCredentialsRequestData,
)
from kreactor.common.message.alter_user_scram_credentials_response_data import (
    AlterUserScramCredentialsResponseData,
)
from kreactor.common.protocol.errors import Errors
from kreactor.common.requests.api_error import ApiError
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.utils.log_context import LogContext
from kreactor.core.server.metadata.scram_publisher import ScramPublisher
from kreactor.jdk.locks import Lock
from kreactor.metadata.node_storage import ScramCredentialKey, StoredScramCredentials

log = LogContext().logger(f"{__name__}.ScramControlManager")

ScramCredentialDeletion = AlterUserScramCredentialsRequestData.ScramCredentialDeletion
ScramCredentialUpsertion = AlterUserScramCredentialsRequestData.ScramCredentialUpsertion
AlterResult = AlterUserScramCredentialsResponseData.AlterUserScramCredentialsResult

_BY_TYPE = {mechanism.type(): mechanism for mechanism in ScramMechanism}
_TWICE = ApiError(Errors.DUPLICATE_RESOURCE, "A user credential cannot be altered twice in the same request")


class ScramControlManager:
    """For use by any thread.

    :origin: controller.ScramControlManager
    """

    MAX_ITERATIONS = 16384

    def __init__(self, credentials: StoredScramCredentials, publisher: ScramPublisher) -> None:
        """Notify the listeners of all stored users.

        :origin: controller.ScramControlManager#ScramControlManager(LogContext, SnapshotRegistry)
        """
        self._lock = Lock()
        self._credentials = credentials
        self._publisher = publisher
        publisher.on_metadata_update((), credentials.credentials())

    def alter_credentials(
        self, request: AlterUserScramCredentialsRequestData,
    ) -> AlterUserScramCredentialsResponseData:
        """Apply the valid changes of a request, and return a result for each user.

        Raises KafkaStorageException; then nothing has changed.

        :origin: controller.ScramControlManager#alterCredentials(
            AlterUserScramCredentialsRequestData, MetadataVersion)
        """
        user_to_deletion: dict[str, ScramCredentialDeletion] = {}
        user_to_upsert: dict[str, ScramCredentialUpsertion] = {}
        user_to_error: dict[str, ApiError] = {}

        with self._lock:
            for deletion in request.deletions:
                if deletion.name not in user_to_error:
                    if user_to_deletion.pop(deletion.name, None) is not None:
                        user_to_error[deletion.name] = _TWICE
                    else:
                        error = self._validate_deletion(deletion)
                        if error.is_failure():
                            user_to_error[deletion.name] = error
                        else:
                            user_to_deletion[deletion.name] = deletion
            for upsertion in request.upsertions:
                if upsertion.name not in user_to_error:
                    if (user_to_deletion.pop(upsertion.name, None) is not None
                            or user_to_upsert.pop(upsertion.name, None) is not None):
                        user_to_error[upsertion.name] = _TWICE
                    else:
                        error = self._validate_upsertion(upsertion)
                        if error.is_failure():
                            user_to_error[upsertion.name] = error
                        else:
                            user_to_upsert[upsertion.name] = upsertion
            response = AlterUserScramCredentialsResponseData()
            removed: list[ScramCredentialKey] = []
            changed: dict[ScramCredentialKey, ScramCredential] = {}
            for deletion in user_to_deletion.values():
                response.results.append(AlterResult(
                    user=deletion.name, error_code=Errors.NONE.code, error_message=None))
                removed.append((_BY_TYPE[deletion.mechanism], deletion.name))
            for upsertion in user_to_upsert.values():
                error = self._finish_upsertion(changed, upsertion)
                if not error.is_failure():
                    response.results.append(AlterResult(
                        user=upsertion.name, error_code=Errors.NONE.code, error_message=None))
                else:
                    user_to_error[upsertion.name] = error
            for user, error in user_to_error.items():
                response.results.append(AlterResult(
                    user=user, error_code=error.error().code, error_message=error.message()))
            if removed or changed:
                self._replay(removed, changed)
        return response

    @staticmethod
    def _finish_upsertion(changed: dict[ScramCredentialKey, ScramCredential],
                          upsertion: ScramCredentialUpsertion) -> ApiError:
        """Make the stored credential from the request, whose content is equivalent to the password.

        :origin: controller.ScramControlManager#finishUpsertion(
            List<ApiMessageAndVersion>, ScramCredentialUpsertion)
        """
        mechanism = _BY_TYPE[upsertion.mechanism]
        try:
            changed[mechanism, upsertion.name] = ScramFormatter(mechanism).generate_credential_salted(
                bytes(upsertion.salt), bytes(upsertion.salted_password), upsertion.iterations)
        except Exception as e:
            error = ApiError.from_throwable(e)
            if error.is_(Errors.UNKNOWN_SERVER_ERROR):
                # The response does not tell the cause.
                log.error("unexpected error while making a credential of %s", upsertion.name, exc=e)
            return error
        return ApiError.NONE

    @staticmethod
    def _validate_upsertion(upsertion: ScramCredentialUpsertion) -> ApiError:
        """:origin: controller.ScramControlManager#validateUpsertion(ScramCredentialUpsertion)"""
        error = ScramControlManager._validate_scram_username_and_mechanism(
            upsertion.name, upsertion.mechanism)
        if error.is_failure():
            return error
        if upsertion.iterations < _BY_TYPE[upsertion.mechanism].min_iterations():
            return ApiError(Errors.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
        elif upsertion.iterations > ScramControlManager.MAX_ITERATIONS:
            return ApiError(Errors.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
        return ApiError.NONE

    def _validate_deletion(self, deletion: ScramCredentialDeletion) -> ApiError:
        """:origin: controller.ScramControlManager#validateDeletion(ScramCredentialDeletion)"""
        error = self._validate_scram_username_and_mechanism(deletion.name, deletion.mechanism)
        if error.is_failure():
            return error
        if (_BY_TYPE[deletion.mechanism], deletion.name) not in self._credentials.credentials():
            return ApiError(Errors.RESOURCE_NOT_FOUND,
                            "Attempt to delete a user credential that does not exist")
        return ApiError.NONE

    @staticmethod
    def _validate_scram_username_and_mechanism(username: str, mechanism: int) -> ApiError:
        """:origin: controller.ScramControlManager#validateScramUsernameAndMechanism(
            String, ScramMechanism)
        """
        if not username:
            return ApiError(Errors.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
        if mechanism not in _BY_TYPE:
            return ApiError(Errors.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
        return ApiError.NONE

    def add(self, credentials: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """Store credentials of users that have none for the mechanism yet. Raises KafkaStorageException."""
        with self._lock:
            new = {key: credential for key, credential in credentials.items()
                   if key not in self._credentials.credentials()}
            if new:
                self._replay((), new)

    def _replay(self, removed: Collection[ScramCredentialKey],
                changed: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """Store the credential in memory, and publish it.

        :origin: controller.ScramControlManager#replay(RemoveUserScramCredentialRecord)
        :origin: controller.ScramControlManager#replay(UserScramCredentialRecord)
        """
        self._credentials.alter(removed, changed)
        self._publisher.on_metadata_update(removed, changed)
        for word, keys in (("deleted", removed), ("stored", changed)):
            for mechanism, user in keys:
                log.info("credential of user %s for %s is %s", user, mechanism.mechanism_name(), word)
