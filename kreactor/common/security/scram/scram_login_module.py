# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.ScramLoginModule of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login module that a JAAS property names for SCRAM."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.security.scram.internals import scram_extensions
from kreactor.common.security.scram.internals.scram_sasl_client import ScramSaslClient
from kreactor.common.security.scram.internals.scram_sasl_server import ScramSaslServer
from kreactor.jdk.login import LoginModule, Subject
from kreactor.jdk.sasl import CallbackHandler, Sasl


class ScramLoginModule(LoginModule):
    """:origin: common.security.scram.ScramLoginModule"""

    USERNAME_CONFIG = "username"
    PASSWORD_CONFIG = "password"
    TOKEN_AUTH_CONFIG = scram_extensions.TOKEN_AUTH_CONFIG

    def initialize(self, subject: Subject, callback_handler: CallbackHandler,
                   shared_state: Mapping[str, object], options: Mapping[str, str]) -> None:
        """:origin: common.security.scram.ScramLoginModule#initialize(
            Subject, CallbackHandler, Map<String,?>, Map<String,?>)
        """
        username = options.get(self.USERNAME_CONFIG)
        if username is not None:
            subject.get_public_credentials().append(username)
        password = options.get(self.PASSWORD_CONFIG)
        if password is not None:
            subject.get_private_credentials().append(password)

        use_token_authentication = options.get(self.TOKEN_AUTH_CONFIG, "").lower() == "true"
        if use_token_authentication:
            subject.get_public_credentials().append({self.TOKEN_AUTH_CONFIG: "true"})


Sasl.add_client_factory(ScramSaslClient.ScramSaslClientFactory())
Sasl.add_server_factory(ScramSaslServer.ScramSaslServerFactory())
