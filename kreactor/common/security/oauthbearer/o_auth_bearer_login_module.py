# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a JAAS property names to have OAUTHBEARER."""

from __future__ import annotations

from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.jdk.login import LoginModule
from kreactor.jdk.sasl import Sasl


class OAuthBearerLoginModule(LoginModule):
    """:origin: common.security.oauthbearer.OAuthBearerLoginModule"""


Sasl.add_server_factory(OAuthBearerSaslServer.OAuthBearerSaslServerFactory())
