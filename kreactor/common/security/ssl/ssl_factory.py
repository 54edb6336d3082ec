# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.ssl.SslFactory of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Holds the engine factory of one listener or client, and replaces it on reconfiguration.

A new engine factory applies to new connections; existing connections keep their engines. Clients check the
names in the certificate, so a new key store must have the names of the old one.

Threads: one thread at a time reconfigures the factory; the network threads make engines.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.security_config import SecurityConfig
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.network.mode import Mode
from kreactor.common.reconfigurable import Reconfigurable
from kreactor.common.security.auth.ssl_engine_factory import SslEngineFactory
from kreactor.common.security.ssl.default_ssl_engine_factory import DefaultSslEngineFactory
from kreactor.common.utils.byte_utils import ByteUtils
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.key_store import KeyStore
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.net import Socket
from kreactor.jdk.nio_buffer import ByteBuffer
from kreactor.jdk.ssl_engine import HandshakeStatus, SSLEngine, SSLEngineResult, Status
from kreactor.jdk.ssl_exceptions import SSLException
from kreactor.jdk.text import throwable_text
from kreactor.jdk.x509 import X509Certificate

log = get_logger(__name__ + ".SslFactory")


class SslFactory(Reconfigurable):
    """Constructed, then configured once.

    :origin: common.security.ssl.SslFactory
    """

    def __init__(self, mode: Mode, client_auth_config_override: str | None = None,
                 keystore_verifiable_using_truststore: bool = False) -> None:
        """If given, ``client_auth_config_override`` overrides ssl.client.auth.

        With ``keystore_verifiable_using_truststore``, the trust store must accept the node's own key store.
        Brokers connect to each other with the same settings on both sides.

        :origin: common.security.ssl.SslFactory#SslFactory(Mode)
        :origin: common.security.ssl.SslFactory#SslFactory(Mode, String, boolean)
        """
        self._mode = mode
        self._client_auth_config_override = client_auth_config_override
        self._keystore_verifiable_using_truststore = keystore_verifiable_using_truststore
        self._endpoint_identification: str | None = None
        self._ssl_engine_factory: SslEngineFactory | None = None
        self._ssl_engine_factory_config: dict[str, Any] = {}

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Raises KafkaException, for example ConfigException, and IllegalStateException on a second call.

        :origin: common.security.ssl.SslFactory#configure(Map<String,?>)
        """
        if self._ssl_engine_factory is not None:
            raise IllegalStateException("SslFactory was already configured.")
        self._endpoint_identification = configs.get(SslConfigs.SSL_ENDPOINT_IDENTIFICATION_ALGORITHM_CONFIG)

        # Each setting is read by name, so that unread settings can be logged as unused.
        next_configs = {
            key: configs[key] for key in (
                *SslConfigs.NON_RECONFIGURABLE_CONFIGS, *SslConfigs.RECONFIGURABLE_CONFIGS,
                SecurityConfig.SECURITY_PROVIDERS_CONFIG, BrokerSecurityConfigs.SSL_ALLOW_DN_CHANGES_CONFIG,
                BrokerSecurityConfigs.SSL_ALLOW_SAN_CHANGES_CONFIG)
            if key in configs}
        if self._client_auth_config_override is not None:
            next_configs[BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG] = self._client_auth_config_override
        builder = self._instantiate_ssl_engine_factory(next_configs)
        if self._keystore_verifiable_using_truststore:
            try:
                SslEngineValidator.validate(builder, builder)
            except Exception as e:
                raise ConfigException(
                    "A client SSLEngine created with the provided settings can't connect to a server "
                    f"SSLEngine created with those settings: {e}") from e
        self._ssl_engine_factory = builder

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: common.security.ssl.SslFactory#reconfigurableConfigs()"""
        return self.ssl_engine_factory().reconfigurable_configs()

    def validate_reconfiguration(self, new_configs: Mapping[str, object]) -> None:
        """Check the settings without applying them. Raises ConfigException.

        :origin: common.security.ssl.SslFactory#validateReconfiguration(Map<String,?>)
        """
        self._create_new_ssl_engine_factory(new_configs)

    def reconfigure(self, new_configs: Mapping[str, object]) -> None:
        """Apply the settings. Raises ConfigException and keeps the previous factory for invalid ones.

        :origin: common.security.ssl.SslFactory#reconfigure(Map<String,?>)
        """
        new_ssl_engine_factory, configs = self._create_new_ssl_engine_factory(new_configs)
        if new_ssl_engine_factory is not self._ssl_engine_factory:
            Utils.close_quietly(self._ssl_engine_factory, "close stale ssl engine factory")
            self._ssl_engine_factory = new_ssl_engine_factory
            self._ssl_engine_factory_config = configs
            log.info("Created new %s SSL engine builder with keystore %s truststore %s", self._mode.name,
                     new_ssl_engine_factory.keystore(), new_ssl_engine_factory.truststore())

    def _instantiate_ssl_engine_factory(self, configs: dict[str, Any]) -> SslEngineFactory:
        """:origin: common.security.ssl.SslFactory#instantiateSslEngineFactory(Map<String,Object>)"""
        ssl_engine_factory_class = configs.get(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG)
        ssl_engine_factory: SslEngineFactory
        if ssl_engine_factory_class is None:
            ssl_engine_factory = DefaultSslEngineFactory()
        else:
            ssl_engine_factory = Utils.new_instance(ssl_engine_factory_class)
        ssl_engine_factory.configure(configs)
        if self._ssl_engine_factory is None:
            self._ssl_engine_factory_config = configs
        return ssl_engine_factory

    def _create_new_ssl_engine_factory(
        self, new_configs: Mapping[str, object],
    ) -> tuple[SslEngineFactory, dict[str, Any]]:
        """Return the factory for ``new_configs`` and all its settings.

        Returns the current factory if the settings did not change. Raises ConfigException.

        :origin: common.security.ssl.SslFactory#createNewSslEngineFactory(Map<String,?>)
        """
        ssl_engine_factory = self.ssl_engine_factory()
        next_configs = dict(self._ssl_engine_factory_config)
        next_configs.update(
            {key: new_configs[key] for key in self.reconfigurable_configs() if key in new_configs})
        if self._client_auth_config_override is not None:
            next_configs[BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG] = self._client_auth_config_override
        if not ssl_engine_factory.should_be_rebuilt(next_configs):
            return ssl_engine_factory, self._ssl_engine_factory_config
        try:
            # DEVIATION D173: the settings change together with the factory. In the origin, a validation alone
            # changes them, and the next change includes refused settings.
            new_ssl_engine_factory = self._instantiate_ssl_engine_factory(next_configs)
            new_keystore, keystore = new_ssl_engine_factory.keystore(), ssl_engine_factory.keystore()
            if keystore is None:
                if new_keystore is not None:
                    raise ConfigException("Cannot add SSL keystore to an existing listener for which no "
                                          "keystore was configured.")
            else:
                if new_keystore is None:
                    raise ConfigException("Cannot remove the SSL keystore from an existing listener for "
                                          "which a keystore was configured.")

                allow_dn_changes = next_configs.get(
                    BrokerSecurityConfigs.SSL_ALLOW_DN_CHANGES_CONFIG,
                    BrokerSecurityConfigs.DEFAULT_SSL_ALLOW_DN_CHANGES_VALUE)
                allow_san_changes = next_configs.get(
                    BrokerSecurityConfigs.SSL_ALLOW_SAN_CHANGES_CONFIG,
                    BrokerSecurityConfigs.DEFAULT_SSL_ALLOW_SAN_CHANGES_VALUE)

                CertificateEntries.ensure_compatible(
                    new_keystore, keystore, bool(allow_dn_changes), bool(allow_san_changes))
            if ssl_engine_factory.truststore() is None and new_ssl_engine_factory.truststore() is not None:
                raise ConfigException("Cannot add SSL truststore to an existing listener for which no "
                                      "truststore was configured.")
            if self._keystore_verifiable_using_truststore:
                if ssl_engine_factory.truststore() is not None or keystore is not None:
                    SslEngineValidator.validate(ssl_engine_factory, new_ssl_engine_factory)
            return new_ssl_engine_factory, next_configs
        except Exception as e:
            log.debug("Validation of dynamic config update of SSLFactory failed.", exc_info=e)
            raise ConfigException(
                f"Validation of dynamic config update of SSLFactory failed: {throwable_text(e)}") from e

    def create_ssl_engine(self, socket: Socket) -> SSLEngine:
        """Return an engine for a connection. Raises IllegalStateException before ``configure``.

        :origin: common.security.ssl.SslFactory#createSslEngine(Socket)
        """
        return self.create_ssl_engine_peer_host(self._peer_host(socket), socket.get_port())

    def create_ssl_engine_peer_host(self, peer_host: str, peer_port: int) -> SSLEngine:
        """Return an engine for a connection to ``peer_host``, which must not come from a reverse look-up.

        :origin: common.security.ssl.SslFactory#createSslEngine(String, int)
        """
        ssl_engine_factory = self.ssl_engine_factory()
        if self._mode is Mode.SERVER:
            return ssl_engine_factory.create_server_ssl_engine(peer_host, peer_port)
        return ssl_engine_factory.create_client_ssl_engine(
            peer_host, peer_port, self._endpoint_identification)

    @staticmethod
    def _peer_host(socket: Socket) -> str:
        """Return the name used for the connection, or the address.

        A client expects the server's certificate to match that name. A name from a reverse look-up would let
        the answering DNS server choose the expected name.

        :origin: common.security.ssl.SslFactory#peerHost(Socket)
        """
        address = socket.get_inet_address()
        return "" if address is None else address.get_host_name()

    def ssl_engine_factory(self) -> SslEngineFactory:
        """Return the current factory. Raises IllegalStateException before ``configure``.

        :origin: common.security.ssl.SslFactory#sslEngineFactory()
        """
        if self._ssl_engine_factory is None:
            raise IllegalStateException("SslFactory has not been configured.")
        return self._ssl_engine_factory

    def close(self) -> None:
        """:origin: common.security.ssl.SslFactory#close()"""
        Utils.close_quietly(self._ssl_engine_factory, "close engine factory")


class CertificateEntries:
    """The names in one entry of a key store.

    :origin: common.security.ssl.SslFactory.CertificateEntries
    """

    @staticmethod
    def create(keystore: KeyStore) -> list[CertificateEntries]:
        """Return the entries of a store, in its order.

        :origin: common.security.ssl.SslFactory.CertificateEntries#create(KeyStore)
        """
        return [CertificateEntries(alias, cert) for alias in keystore.aliases()
                if (cert := keystore.get_certificate(alias)) is not None]

    @staticmethod
    def ensure_compatible(new_keystore: KeyStore, old_keystore: KeyStore, allow_dn_changes: bool,
                          allow_san_changes: bool) -> None:
        """Raises ConfigException if the names of the stores differ and the settings do not allow it.

        :origin: common.security.ssl.SslFactory.CertificateEntries#ensureCompatible(
            KeyStore, KeyStore, boolean, boolean)
        """
        new_entries = CertificateEntries.create(new_keystore)
        old_entries = CertificateEntries.create(old_keystore)

        if not allow_dn_changes:
            CertificateEntries._ensure_compatible_dns(new_entries, old_entries)

        if not allow_san_changes:
            CertificateEntries._ensure_compatible_sans(new_entries, old_entries)

    @staticmethod
    def _ensure_same_size(new_entries: list[CertificateEntries],
                          old_entries: list[CertificateEntries]) -> None:
        if len(new_entries) != len(old_entries):
            raise ConfigException(
                f"Keystore entries do not match, existing store contains {len(old_entries)} entries, new "
                f"store contains {len(new_entries)} entries")

    @staticmethod
    def _ensure_compatible_dns(new_entries: list[CertificateEntries],
                               old_entries: list[CertificateEntries]) -> None:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#ensureCompatibleDNs(
            List<CertificateEntries>, List<CertificateEntries>)
        """
        CertificateEntries._ensure_same_size(new_entries, old_entries)
        for new_entry, old_entry in zip(new_entries, old_entries):
            new_principal, old_principal = new_entry._subject_principal, old_entry._subject_principal
            # Some ASN.1 strings are compared as bytes. Names with equal text are equal.
            if (new_principal != old_principal
                    and new_principal.get_name().lower() != old_principal.get_name().lower()):
                raise ConfigException(
                    "Keystore DistinguishedName does not match:  "
                    f"existing={{alias={old_entry._alias}, DN={old_entry._subject_principal}}}, "
                    f"new={{alias={new_entry._alias}, DN={new_entry._subject_principal}}}")

    @staticmethod
    def _ensure_compatible_sans(new_entries: list[CertificateEntries],
                                old_entries: list[CertificateEntries]) -> None:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#ensureCompatibleSANs(
            List<CertificateEntries>, List<CertificateEntries>)
        """
        CertificateEntries._ensure_same_size(new_entries, old_entries)
        for new_entry, old_entry in zip(new_entries, old_entries):
            if not new_entry._subject_alt_names >= old_entry._subject_alt_names:
                raise ConfigException(f"Keystore SubjectAltNames do not match:  existing={{{old_entry}}}, "
                                      f"new={{{new_entry}}}")

    def __init__(self, alias: str, cert: X509Certificate) -> None:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#CertificateEntries(
            String, X509Certificate)
        """
        self._alias = alias
        self._subject_principal = cert.get_subject_x500_principal()
        self._subject_alt_names = cert.get_subject_alternative_names()

    def __hash__(self) -> int:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#hashCode()"""
        return hash((self._subject_principal, self._subject_alt_names))

    def __eq__(self, other: object) -> bool:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#equals(Object)"""
        return (isinstance(other, CertificateEntries)
                and self._subject_principal == other._subject_principal
                and self._subject_alt_names == other._subject_alt_names)

    def __str__(self) -> str:
        """:origin: common.security.ssl.SslFactory.CertificateEntries#toString()"""
        names = ", ".join(sorted(name[2:].decode("latin-1") for name in self._subject_alt_names))
        return f"alias={self._alias}, DN={self._subject_principal}, SAN=[{names}]"


class SslEngineValidator:
    """One side of an in-memory handshake, which tests whether two configurations are compatible.

    :origin: common.security.ssl.SslFactory.SslEngineValidator
    """

    @staticmethod
    def validate(old_engine_builder: SslEngineFactory, new_engine_builder: SslEngineFactory) -> None:
        """Run both handshakes, each side as server once. Raises SSLException.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#validate(
            SslEngineFactory, SslEngineFactory)
        """
        create = SslEngineValidator._create_ssl_engine_for_validation
        SslEngineValidator.validate_engines(
            create(old_engine_builder, Mode.SERVER), create(new_engine_builder, Mode.CLIENT))
        SslEngineValidator.validate_engines(
            create(new_engine_builder, Mode.SERVER), create(old_engine_builder, Mode.CLIENT))

    @staticmethod
    def _create_ssl_engine_for_validation(ssl_engine_factory: SslEngineFactory, mode: Mode) -> SSLEngine:
        """:origin: common.security.ssl.SslFactory.SslEngineValidator#createSslEngineForValidation(
            SslEngineFactory, Mode)
        """
        # The handshake in memory has no host name to check.
        if mode is Mode.SERVER:
            return ssl_engine_factory.create_server_ssl_engine("", 0)
        return ssl_engine_factory.create_client_ssl_engine("", 0, "")

    @staticmethod
    def validate_engines(client_engine: SSLEngine, server_engine: SSLEngine) -> None:
        """Run the handshake of two engines. Raises SSLException for a failed handshake.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#validate(SSLEngine, SSLEngine)
        """
        client_validator = SslEngineValidator(client_engine)
        server_validator = SslEngineValidator(server_engine)
        try:
            client_validator.begin_handshake()
            server_validator.begin_handshake()
            while not server_validator.complete() or not client_validator.complete():
                client_validator.handshake(server_validator)
                server_validator.handshake(client_validator)
        finally:
            client_validator.close()
            server_validator.close()

    def __init__(self, engine: SSLEngine) -> None:
        """:origin: common.security.ssl.SslFactory.SslEngineValidator#SslEngineValidator(SSLEngine)"""
        self._ssl_engine = engine
        self._handshake_result: SSLEngineResult | None = None
        self._app_buffer = ByteBuffer.allocate(engine.get_session().get_application_buffer_size())
        self._net_buffer = ByteBuffer.allocate(engine.get_session().get_packet_buffer_size())

    def begin_handshake(self) -> None:
        """Start the handshake. Raises SSLException.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#beginHandshake()
        """
        self._ssl_engine.begin_handshake()

    def handshake(self, peer_validator: SslEngineValidator) -> None:
        """Continue until more data of the peer is needed. Raises SSLException.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#handshake(SslEngineValidator)
        """
        handshake_status: HandshakeStatus | None = self._ssl_engine.get_handshake_status()
        while True:
            if handshake_status is HandshakeStatus.NEED_WRAP:
                result = self._handshake_result = self._ssl_engine.wrap(
                    ByteUtils.EMPTY_BUF, self._net_buffer)
                if result.get_status() is Status.BUFFER_OVERFLOW:
                    # The peer must read the buffer first.
                    return
                if result.get_status() is not Status.OK:
                    raise SSLException(f"Unexpected handshake status: {result.get_status()}")
                return
            elif handshake_status is HandshakeStatus.NEED_UNWRAP:
                handshake_status = self._unwrap(peer_validator, True)
                if handshake_status is None:
                    return
            elif handshake_status is HandshakeStatus.FINISHED:
                return
            else:
                finished = self._handshake_result
                if finished is None or finished.get_handshake_status() is not HandshakeStatus.FINISHED:
                    raise SSLException("Did not finish handshake, handshake status: "
                                       f"{finished and finished.get_handshake_status()}")
                elif peer_validator._net_buffer.position() != 0:
                    self._unwrap(peer_validator, False)
                return

    def _unwrap(self, peer_validator: SslEngineValidator,
                update_handshake_result: bool) -> HandshakeStatus | None:
        """Unwrap the peer's data. Return the next handshake status, or None if the peer must send more.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#unwrap(SslEngineValidator, boolean)
        """
        peer_validator._net_buffer.flip()
        ssl_engine_result = self._ssl_engine.unwrap(peer_validator._net_buffer, self._app_buffer)
        if update_handshake_result:
            self._handshake_result = ssl_engine_result
        peer_validator._net_buffer.compact()
        status = ssl_engine_result.get_status()
        if status is Status.BUFFER_UNDERFLOW:
            return None
        if status is not Status.OK:
            raise SSLException(f"Unexpected handshake status: {status}")
        return ssl_engine_result.get_handshake_status()

    def complete(self) -> bool:
        """Return whether this side's handshake is complete.

        :origin: common.security.ssl.SslFactory.SslEngineValidator#complete()
        """
        return self._ssl_engine.get_handshake_status() is HandshakeStatus.NOT_HANDSHAKING

    def close(self) -> None:
        """:origin: common.security.ssl.SslFactory.SslEngineValidator#close()"""
        self._ssl_engine.close_outbound()
        try:
            self._ssl_engine.close_inbound()
        except SSLException:
            pass  # the peer sent no close_notify
