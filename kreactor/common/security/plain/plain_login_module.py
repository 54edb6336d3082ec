# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.PlainLoginModule of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a JAAS property names to have PLAIN."""

from __future__ import annotations

from kreactor.common.security.plain.internals.plain_sasl_server import PlainSaslServer
from kreactor.jdk.login import LoginModule
from kreactor.jdk.sasl import Sasl

_CLASS = "common.security.plain.PlainLoginModule"
_CLIENT = "it is a client that logs in with a name and a password of its own"

OMITTED = {
    **{f"{_CLASS}#{name}": _CLIENT for name in (
        "USERNAME_CONFIG", "PASSWORD_CONFIG", "initialize", "login", "logout", "commit", "abort")},
    "common.security.plain.internals.PlainSaslServerProvider": "Sasl takes the factory itself",
}


class PlainLoginModule(LoginModule):
    """:origin: common.security.plain.PlainLoginModule"""


Sasl.add_server_factory(PlainSaslServer.PlainSaslServerFactory())
