# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of a client's PLAIN or SCRAM mechanism; the client's login has the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_extensions_callback import ScramExtensionsCallback
from kreactor.jdk.login import AppConfigurationEntry, Subject
from kreactor.jdk.sasl import Callback, NameCallback, PasswordCallback, UnsupportedCallbackException


class SaslClientCallbackHandler(AuthenticateCallbackHandler):
    """Answers from the credentials of the current subject.

    :origin: common.security.authenticator.SaslClientCallbackHandler
    """

    def __init__(self) -> None:
        self._mechanism = ""

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.authenticator.SaslClientCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        self._mechanism = sasl_mechanism

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.authenticator.SaslClientCallbackHandler#handle(Callback[])"""
        subject = Subject.get_subject() or Subject()
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                names = subject.get_public_credentials_of(str)
                callback.set_name(names[0] if names else callback.get_default_name())
            elif isinstance(callback, PasswordCallback):
                passwords = subject.get_private_credentials_of(str)
                if not passwords:
                    raise UnsupportedCallbackException(
                        callback, "Could not login: the client is being asked for a password, but the Kafka "
                        "client code does not currently support obtaining a password from the user.")
                callback.set_password(passwords[0])
            elif isinstance(callback, ScramExtensionsCallback):
                maps = subject.get_public_credentials_of(dict)
                if ScramMechanism.is_scram(self._mechanism) and maps:
                    callback.set_extensions(maps[0])
            elif isinstance(callback, SaslExtensionsCallback):
                extensions = subject.get_public_credentials_of(SaslExtensions)
                if extensions:
                    callback.set_extensions(extensions[0])
            else:
                raise UnsupportedCallbackException(callback, "Unrecognized SASL ClientCallback")

    def close(self) -> None:
        """:origin: common.security.authenticator.SaslClientCallbackHandler#close()"""
