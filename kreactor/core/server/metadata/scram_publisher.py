# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.server.metadata.ScramPublisher of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Notifies the listeners of added, changed and removed SCRAM users."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.metadata.node_storage import ScramCredentialKey
from kreactor.security.credential_provider import CredentialProvider


class ScramPublisher:
    """:origin: kafka.server.metadata.ScramPublisher"""

    __slots__ = ("_credential_provider",)

    def __init__(self, credential_provider: CredentialProvider) -> None:
        """:origin: kafka.server.metadata.ScramPublisher#ScramPublisher"""
        self._credential_provider = credential_provider

    def on_metadata_update(self, removed: Collection[ScramCredentialKey],
                           changed: Mapping[ScramCredentialKey, ScramCredential]) -> None:
        """Called under the lock that admits one change at a time, and once at the start.

        :origin: kafka.server.metadata.ScramPublisher#onMetadataUpdate
        """
        for mechanism, user in removed:
            self._credential_provider.remove_credentials(mechanism, user)
        for (mechanism, user), credential in changed.items():
            self._credential_provider.update_credential(mechanism, user, credential)
