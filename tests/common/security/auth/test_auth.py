# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import pytest

from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.plaintext_authentication_context import PlaintextAuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress

NOT_APPLICABLE = {
    "testUseSessionPeerPrincipalForSsl": "comes with SSL",
    "testPrincipalIfSSLPeerIsNotAuthenticated": "comes with SSL",
    "testPrincipalWithSslPrincipalMapper": "comes with SSL",
    "testPrincipalBuilderScram": "comes with SASL",
    "testPrincipalBuilderGssapi": "comes with SASL",
    "testPrincipalBuilderSerde": "comes with SASL",
}

LOCALHOST = InetAddress(bytes((127, 0, 0, 1)))


class OtherContext(AuthenticationContext):
    def security_protocol(self) -> SecurityProtocol:
        return SecurityProtocol.SSL

    def client_address(self) -> InetAddress:
        return LOCALHOST

    def listener_name(self) -> str:
        return "SSL"


def test_equals_and_hash_code() -> None:
    principal1 = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "KafkaUser")
    principal2 = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "KafkaUser", True)
    assert hash(principal1) == hash(principal2)
    assert principal1 == principal2
    assert principal1 != KafkaPrincipal("Group", "KafkaUser")
    assert principal1 != KafkaPrincipal(KafkaPrincipal.USER_TYPE, "other")


def test_a_subclass_is_never_equal() -> None:
    class Rich(KafkaPrincipal):
        pass

    assert Rich("User", "a") != KafkaPrincipal("User", "a")
    assert KafkaPrincipal("User", "a") != Rich("User", "a")
    assert Rich("User", "a") == Rich("User", "a")


def test_parts() -> None:
    principal = KafkaPrincipal("User", "alice")
    assert (principal.get_principal_type(), principal.get_name(), str(principal)) == ("User", "alice",
                                                                                      "User:alice")
    assert not principal.token_authenticated()
    principal.token_authenticated_to(True)
    assert principal.token_authenticated()
    assert str(KafkaPrincipal.ANONYMOUS) == "User:ANONYMOUS"


def test_return_anonymous_principal_for_plaintext() -> None:
    context = PlaintextAuthenticationContext(LOCALHOST, SecurityProtocol.PLAINTEXT.name)
    assert DefaultKafkaPrincipalBuilder(None, None).build(context) is KafkaPrincipal.ANONYMOUS
    assert context.security_protocol() is SecurityProtocol.PLAINTEXT
    assert context.client_address() is LOCALHOST
    assert context.listener_name() == "PLAINTEXT"


def test_a_context_of_another_kind() -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        DefaultKafkaPrincipalBuilder().build(OtherContext())
    assert str(caught.value) == f"Unhandled authentication context type: {__name__}.OtherContext"


def test_security_protocol() -> None:
    assert SecurityProtocol.names() == ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
    for id_, protocol in enumerate(SecurityProtocol):
        assert protocol.id() == id_
        assert SecurityProtocol.for_id(id_) is protocol
        assert SecurityProtocol.for_name(protocol.name.lower()) is protocol
        assert str(protocol) == protocol.name
    assert SecurityProtocol.for_id(4) is None
    with pytest.raises(IllegalArgumentException, match="No enum constant .*SecurityProtocol.TLS"):
        SecurityProtocol.for_name("tls")
