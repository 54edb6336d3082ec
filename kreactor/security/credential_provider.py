# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.security.CredentialProvider of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The credentials of SCRAM's users, for a broker's listeners. Any thread may use it."""

from __future__ import annotations

from collections.abc import Collection

from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_credential_utils import ScramCredentialUtils
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential


class CredentialProvider:
    """:origin: security.CredentialProvider"""

    __slots__ = ("credential_cache",)

    def __init__(self, scram_mechanisms: Collection[str]) -> None:
        """:origin: security.CredentialProvider#CredentialProvider(Collection<String>, DelegationTokenCache)
        """
        self.credential_cache = CredentialCache()
        ScramCredentialUtils.create_cache(self.credential_cache, scram_mechanisms)

    def update_credential(self, mechanism: ScramMechanism, name: str, credential: ScramCredential) -> None:
        """:origin: security.CredentialProvider#updateCredential(ScramMechanism, String, ScramCredential)"""
        cache = self.credential_cache.cache(mechanism.mechanism_name(), ScramCredential)
        assert cache is not None, "made with the provider"
        cache.put(name, credential)

    def remove_credentials(self, mechanism: ScramMechanism, name: str) -> None:
        """:origin: security.CredentialProvider#removeCredentials(ScramMechanism, String)"""
        cache = self.credential_cache.cache(mechanism.mechanism_name(), ScramCredential)
        if cache is not None:
            cache.remove(name)
