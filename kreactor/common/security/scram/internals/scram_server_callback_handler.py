# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramServerCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of SCRAM, which reads users' credentials from the broker's cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_decoys import ScramDecoys
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.common.security.scram.scram_credential_callback import ScramCredentialCallback
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, NameCallback, UnsupportedCallbackException


class ScramServerCallbackHandler(AuthenticateCallbackHandler):
    """:origin: common.security.scram.internals.ScramServerCallbackHandler"""

    def __init__(self, credential_cache: CredentialCache.Cache[ScramCredential],
                 secret: bytes | None = None) -> None:
        """:origin: common.security.scram.internals.ScramServerCallbackHandler#ScramServerCallbackHandler(
            CredentialCache.Cache<ScramCredential>, DelegationTokenCache)
        """
        self._credential_cache = credential_cache
        self._secret = secret
        self._decoys: ScramDecoys | None = None

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.scram.internals.ScramServerCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        mechanism = ScramMechanism.for_mechanism_name(sasl_mechanism)
        if mechanism is not None and self._secret is not None:
            self._decoys = ScramDecoys(mechanism, self._secret, self._credential_cache)
        # DEVIATION D285: the mechanism is not kept; only GSSAPI and delegation tokens would read it.

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.scram.internals.ScramServerCallbackHandler#handle(Callback[])"""
        username = ""
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                username = callback.get_default_name() or ""
            elif isinstance(callback, ScramCredentialCallback):
                callback.set_scram_credential(self._credential_cache.get(username))
                # The decoy is made for users, too, so that both cases take the same time.
                if self._decoys is not None:
                    callback.decoy = self._decoys.credential(username)
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.scram.internals.ScramServerCallbackHandler#close()"""
