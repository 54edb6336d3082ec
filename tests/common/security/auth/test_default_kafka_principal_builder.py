# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

from unittest.mock import Mock

import pytest
from cryptography.x509 import Name

from kreactor.common.errors import SerializationException
from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.plaintext_authentication_context import PlaintextAuthenticationContext
from kreactor.common.security.auth.sasl_authentication_context import SaslAuthenticationContext
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.common.security.auth.ssl_authentication_context import SslAuthenticationContext
from kreactor.common.security.authenticator.default_kafka_principal_builder import (
    DefaultKafkaPrincipalBuilder,
)
from kreactor.common.security.ssl.ssl_principal_mapper import SslPrincipalMapper
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.net import InetAddress
from kreactor.jdk.sasl import SaslServer
from kreactor.jdk.ssl_engine import SSLPeerUnverifiedException, SSLSession
from kreactor.jdk.x509 import X500Principal

LOCALHOST = InetAddress(bytes((127, 0, 0, 1)))


class OtherContext(AuthenticationContext):
    def security_protocol(self) -> SecurityProtocol:
        return SecurityProtocol.SSL

    def client_address(self) -> InetAddress:
        return LOCALHOST

    def listener_name(self) -> str:
        return "SSL"


def encoded(name: str) -> bytes:
    """Return a name of RFC 4514, encoded as in a certificate."""
    return Name.from_rfc4514_string(name).public_bytes()


def ssl_context(session: SSLSession) -> SslAuthenticationContext:
    return SslAuthenticationContext(session, LOCALHOST, SecurityProtocol.PLAINTEXT.name)


def test_return_anonymous_principal_for_plaintext() -> None:
    context = PlaintextAuthenticationContext(LOCALHOST, SecurityProtocol.PLAINTEXT.name)
    assert DefaultKafkaPrincipalBuilder(None, None).build(context) is KafkaPrincipal.ANONYMOUS
    assert context.security_protocol() is SecurityProtocol.PLAINTEXT
    assert context.client_address() is LOCALHOST
    assert context.listener_name() == "PLAINTEXT"


def test_use_session_peer_principal_for_ssl() -> None:
    session = Mock(spec=SSLSession)
    session.get_peer_principal.return_value = X500Principal(encoded("CN=foo"))
    principal = DefaultKafkaPrincipalBuilder(None, None).build(ssl_context(session))
    assert (principal.get_principal_type(), principal.get_name()) == (KafkaPrincipal.USER_TYPE, "CN=foo")
    session.get_peer_principal.assert_called()


def test_principal_if_ssl_peer_is_not_authenticated() -> None:
    session = Mock(spec=SSLSession)
    session.get_peer_principal.side_effect = SSLPeerUnverifiedException("peer not authenticated")
    principal = DefaultKafkaPrincipalBuilder(None, None).build(ssl_context(session))
    assert principal == KafkaPrincipal.ANONYMOUS
    session.get_peer_principal.assert_called()


def test_principal_with_ssl_principal_mapper() -> None:
    session = Mock(spec=SSLSession)
    session.get_peer_principal.side_effect = [
        X500Principal(encoded(name)) for name in (
            "CN=Duke,OU=ServiceUsers,O=Org,C=US", "CN=Duke,OU=SME,O=mycp,L=Fulton,ST=MD,C=US",
            "CN=duke,OU=JavaSoft,O=Sun Microsystems", "OU=JavaSoft,O=Sun Microsystems,C=US")]
    mapper = SslPrincipalMapper.from_rules(
        "RULE:^CN=(.*),OU=ServiceUsers.*$/$1/L, "
        "RULE:^CN=(.*),OU=(.*),O=(.*),L=(.*),ST=(.*),C=(.*)$/$1@$2/L, "
        "RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U, "
        "DEFAULT")
    builder = DefaultKafkaPrincipalBuilder(None, mapper)
    assert [builder.build(ssl_context(session)).get_name() for _ in range(4)] == [
        "duke", "duke@sme", "DUKE", "OU=JavaSoft,O=Sun Microsystems,C=US"]
    assert session.get_peer_principal.call_count == 4


def test_principal_builder_scram() -> None:
    server = Mock(spec=SaslServer)
    server.get_mechanism_name.return_value = "SCRAM-SHA-256"
    server.get_authorization_id.return_value = "foo"
    context = SaslAuthenticationContext(server, SecurityProtocol.SASL_PLAINTEXT, LOCALHOST,
                                        "SASL_PLAINTEXT")
    principal = DefaultKafkaPrincipalBuilder().build(context)
    assert (principal.get_principal_type(), principal.get_name()) == (KafkaPrincipal.USER_TYPE, "foo")
    server.get_authorization_id.assert_called()


def test_principal_builder_serde() -> None:
    builder = DefaultKafkaPrincipalBuilder()
    principal = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo")
    assert builder.deserialize(builder.serialize(principal)) == principal
    of_token = KafkaPrincipal(KafkaPrincipal.USER_TYPE, "foo", True)
    restored = builder.deserialize(builder.serialize(of_token))
    assert restored == of_token and restored.token_authenticated()


def test_a_context_of_another_kind() -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        DefaultKafkaPrincipalBuilder().build(OtherContext())
    assert str(caught.value) == f"Unhandled authentication context type: {__name__}.OtherContext"


def test_a_principal_of_another_version_is_refused() -> None:
    builder = DefaultKafkaPrincipalBuilder()
    data = b"\x00\x63" + builder.serialize(KafkaPrincipal.ANONYMOUS)[2:]
    with pytest.raises(SerializationException, match="Invalid principal data version 99"):
        builder.deserialize(data)
