# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The principal builder of a broker whose settings name no other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kreactor.common.errors import SerializationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal
from kreactor.common.security.auth.kafka_principal_builder import KafkaPrincipalBuilder
from kreactor.common.security.auth.kafka_principal_serde import KafkaPrincipalSerde
from kreactor.common.security.auth.plaintext_authentication_context import PlaintextAuthenticationContext
from kreactor.common.security.auth.sasl_authentication_context import SaslAuthenticationContext
from kreactor.common.security.auth.ssl_authentication_context import SslAuthenticationContext
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.ssl_exceptions import SSLPeerUnverifiedException
from kreactor.jdk.text import class_name

if TYPE_CHECKING:
    from kreactor.common.security.ssl.ssl_principal_mapper import SslPrincipalMapper
    from kreactor.jdk.x509 import X500Principal


class DefaultKafkaPrincipalBuilder(KafkaPrincipalBuilder, KafkaPrincipalSerde):
    """Builds a principal from the client's certificate or from the client's SASL identity.

    A client without a certificate, and every client of a plaintext listener, is ANONYMOUS.

    :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder
    """

    __slots__ = ("_kerberos_short_namer", "_ssl_principal_mapper")

    def __init__(self, kerberos_short_namer: object | None = None,
                 ssl_principal_mapper: SslPrincipalMapper | None = None) -> None:
        """Keep the name rules of Kerberos and of certificates. Each is None if the listener has no rules.

        :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder#DefaultKafkaPrincipalBuilder(KerberosShortNamer, SslPrincipalMapper)
        """  # noqa: E501
        self._kerberos_short_namer = kerberos_short_namer
        self._ssl_principal_mapper = ssl_principal_mapper

    def build(self, context: AuthenticationContext) -> KafkaPrincipal:
        """Return the principal. Raises IllegalArgumentException for a context of an unknown kind.

        :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder#build(AuthenticationContext)
        """
        if isinstance(context, PlaintextAuthenticationContext):
            return KafkaPrincipal.ANONYMOUS
        if isinstance(context, SslAuthenticationContext):
            ssl_session = context.session()
            try:
                return self._apply_ssl_principal_mapper(ssl_session.get_peer_principal())
            except SSLPeerUnverifiedException:
                return KafkaPrincipal.ANONYMOUS
        if isinstance(context, SaslAuthenticationContext):
            return KafkaPrincipal(KafkaPrincipal.USER_TYPE, context.server().get_authorization_id())
        raise IllegalArgumentException(
            f"Unhandled authentication context type: {class_name(type(context))}")

    def _apply_ssl_principal_mapper(self, principal: X500Principal) -> KafkaPrincipal:
        """Return the principal for a certificate's name. Raises KafkaException if no rule matches the name.

        :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder#applySslPrincipalMapper(Principal)
        """
        try:
            mapper = self._ssl_principal_mapper
            name = principal.get_name()
            return KafkaPrincipal(KafkaPrincipal.USER_TYPE, name if mapper is None else mapper.get_name(name))
        except OSError as e:
            raise KafkaException(f"Failed to map name for '{principal.get_name()}' based on SSL principal "
                                 "mapping rules.", e) from e

    def serialize(self, principal: KafkaPrincipal) -> bytes:
        """Return 2 bytes of version, then the principal serialized in that version.

        :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder#serialize(KafkaPrincipal)
        """
        # Imported here because only forwarded requests need the module.
        from kreactor.common.message.default_principal_data import DefaultPrincipalData
        from kreactor.common.protocol.message_util import MessageUtil

        data = DefaultPrincipalData(
            type=principal.get_principal_type(), name=principal.get_name(),
            token_authenticated=principal.token_authenticated())
        return MessageUtil.to_version_prefixed_bytes(DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION, data)

    def deserialize(self, data: bytes) -> KafkaPrincipal:
        """Return the principal in ``data``. Raises SerializationException for an unknown version.

        :origin: common.security.authenticator.DefaultKafkaPrincipalBuilder#deserialize(byte[])
        """
        from kreactor.common.message.default_principal_data import DefaultPrincipalData

        buffer = ByteBuffer.wrap(data)
        version = buffer.get_short()
        if not (DefaultPrincipalData.LOWEST_SUPPORTED_VERSION <= version
                <= DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION):
            raise SerializationException(f"Invalid principal data version {version}")
        principal = DefaultPrincipalData.read(buffer, version)
        return KafkaPrincipal(principal.type, principal.name, principal.token_authenticated)
