# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from unittest.mock import Mock

import pytest

from kreactor.common.errors import SerializationException
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.sasl_authentication_context import SaslAuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.jdk.net import InetAddress
from kreactor.jdk.sasl import SaslServer

NOT_APPLICABLE = {
    "testPrincipalIfSSLPeerIsNotAuthenticated": "comes with SSL",
    "testPrincipalWithSslPrincipalMapper": "comes with SSL",
    "testPrincipalBuilderGssapi": "there is no Kerberos here",
}


def test_principal_builder_serde():
    builder = DefaultKafkaPrincipalBuilder()
    principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo")
    assert builder.deserialize(builder.serialize(principal)) == principal
    of_token = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo", True)
    restored = builder.deserialize(builder.serialize(of_token))
    assert restored == of_token and restored.token_authenticated()


def test_principal_builder_scram():
    server = Mock(spec=SaslServer)
    server.get_mechanism_name.return_value = "SCRAM-SHA-256"
    server.get_authorization_id.return_value = "foo"
    context = SaslAuthenticationContext(server, SecurityProtocol.SASL_PLAINTEXT,
                                        InetAddress.get_by_name("127.0.0.1"), "SASL_PLAINTEXT")
    principal = DefaultKafkaPrincipalBuilder().build(context)
    assert (principal.get_principal_type(), principal.get_name()) == (KafkaPrincipal.USER_TYPE, "foo")


def test_a_principal_of_another_version_is_refused():
    builder = DefaultKafkaPrincipalBuilder()
    data = b"\x00\x63" + builder.serialize(KafkaPrincipal.ANONYMOUS)[2:]
    with pytest.raises(SerializationException, match="Invalid principal data version 99"):
        builder.deserialize(data)
