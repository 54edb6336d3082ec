# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.PlainLoginModule of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login module that a JAAS property names for PLAIN."""

from __future__ import annotations

from collections.abc import Mapping

from kreactor.common.security.plain.internals.plain_sasl_server import PlainSaslServer
from kreactor.jdk.login import LoginModule, Subject
from kreactor.jdk.sasl import CallbackHandler, Sasl


class PlainLoginModule(LoginModule):
    """:origin: common.security.plain.PlainLoginModule"""

    USERNAME_CONFIG = "username"
    PASSWORD_CONFIG = "password"

    def initialize(self, subject: Subject, callback_handler: CallbackHandler,
                   shared_state: Mapping[str, object], options: Mapping[str, str]) -> None:
        """:origin: common.security.plain.PlainLoginModule#initialize(
            Subject, CallbackHandler, Map<String,?>, Map<String,?>)
        """
        username = options.get(self.USERNAME_CONFIG)
        if username is not None:
            subject.get_public_credentials().append(username)
        password = options.get(self.PASSWORD_CONFIG)
        if password is not None:
            subject.get_private_credentials().append(password)


Sasl.add_server_factory(PlainSaslServer.PlainSaslServerFactory())
