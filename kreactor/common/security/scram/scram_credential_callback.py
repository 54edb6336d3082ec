# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.ScramCredentialCallback of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback that asks a handler for a user's credential."""

from __future__ import annotations

from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.sasl import Callback


class ScramCredentialCallback(Callback):
    """:origin: common.security.scram.ScramCredentialCallback"""

    __slots__ = ("_scram_credential", "decoy")

    def __init__(self) -> None:
        self._scram_credential: ScramCredential | None = None
        # The credential to use if the user does not exist.
        self.decoy: ScramCredential | None = None

    def set_scram_credential(self, scram_credential: ScramCredential | None) -> None:
        """Set the credential; None for an unknown user.

        :origin: common.security.scram.ScramCredentialCallback#scramCredential(ScramCredential)
        """
        self._scram_credential = scram_credential

    def scram_credential(self) -> ScramCredential | None:
        """:origin: common.security.scram.ScramCredentialCallback#scramCredential()"""
        return self._scram_credential
