# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.ssl.DefaultSslEngineFactory of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The engine factory that reads Kafka's settings: key store, trust store, versions, ciphers.

A store is PEM, in a file or in a setting, or PKCS12 in a file. ``configure`` reads each store once.
``should_be_rebuilt`` notices a changed file.
"""

from __future__ import annotations

import base64
import re
from abc import abstractmethod
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, Protocol

from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.ssl_client_auth import SslClientAuth
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.mode import Mode
from kreactor.common.security.auth.ssl_engine_factory import SslEngineFactory
from kreactor.common.utils.utils import Utils
from kreactor.jdk.cipher_suites import TLS_1_3, openssl_name
from kreactor.jdk.floor import Floor
from kreactor.jdk.key_store import KeyStore, load_certificates, load_key_entry
from kreactor.jdk.loggers import get_logger
from kreactor.jdk.ssl_engine import SSLEngine
from kreactor.jdk.x509 import X509Certificate

log = get_logger(__name__ + ".DefaultSslEngineFactory")

_VERSIONS = {
    "TLSv1": Floor.ssl.TLSVersion.TLSv1, "TLSv1.1": Floor.ssl.TLSVersion.TLSv1_1,
    "TLSv1.2": Floor.ssl.TLSVersion.TLSv1_2, "TLSv1.3": Floor.ssl.TLSVersion.TLSv1_3,
}
_OFF = {
    "TLSv1": Floor.ssl.OP_NO_TLSv1, "TLSv1.1": Floor.ssl.OP_NO_TLSv1_1, "TLSv1.2": Floor.ssl.OP_NO_TLSv1_2,
    "TLSv1.3": Floor.ssl.OP_NO_TLSv1_3,
}
_MANAGER_ALGORITHMS = {
    SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG: {"sunx509", "newsunx509", "pkix"},
    SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG: {"sunx509", "pkix", "sunpkix", "x509", "x.509"},
}
# Java's name for all protocols.
_ANY_VERSION = "TLS"


class DefaultSslEngineFactory(SslEngineFactory):
    """Constructed without arguments, then configured.

    :origin: common.security.ssl.DefaultSslEngineFactory
    """

    PEM_TYPE = "PEM"

    def __init__(self) -> None:
        self._configs: Mapping[str, Any] = {}
        self._protocol: str | None = None
        self._keystore: SecurityStore | None = None
        self._truststore: SecurityStore | None = None
        self._cipher_suites: list[str] | None = None
        self._enabled_protocols: list[str] | None = None
        self._ssl_client_auth = SslClientAuth.NONE
        # Keyed by mode and host name check. Java sets the check on each engine, OpenSSL on the context.
        # :origin: common.security.ssl.DefaultSslEngineFactory#sslContext
        self._ssl_contexts: dict[tuple[Mode, bool], Floor.ssl.SSLContext] = {}

    def create_client_ssl_engine(self, peer_host: str, peer_port: int,
                                 endpoint_identification: str | None) -> SSLEngine:
        """:origin: common.security.ssl.DefaultSslEngineFactory#createClientSslEngine(String, int, String)"""
        return self._create_ssl_engine(Mode.CLIENT, peer_host, peer_port, endpoint_identification)

    def create_server_ssl_engine(self, peer_host: str, peer_port: int) -> SSLEngine:
        """:origin: common.security.ssl.DefaultSslEngineFactory#createServerSslEngine(String, int)"""
        return self._create_ssl_engine(Mode.SERVER, peer_host, peer_port, None)

    def should_be_rebuilt(self, next_configs: Mapping[str, object]) -> bool:
        """:origin: common.security.ssl.DefaultSslEngineFactory#shouldBeRebuilt(Map<String,Object>)"""
        if next_configs != self._configs:
            return True
        if self._truststore is not None and self._truststore.modified():
            return True
        return self._keystore is not None and self._keystore.modified()

    def reconfigurable_configs(self) -> AbstractSet[str]:
        """:origin: common.security.ssl.DefaultSslEngineFactory#reconfigurableConfigs()"""
        return SslConfigs.RECONFIGURABLE_CONFIGS

    def keystore(self) -> KeyStore | None:
        """:origin: common.security.ssl.DefaultSslEngineFactory#keystore()"""
        return self._keystore.get() if self._keystore is not None else None

    def truststore(self) -> KeyStore | None:
        """:origin: common.security.ssl.DefaultSslEngineFactory#truststore()"""
        return self._truststore.get() if self._truststore is not None else None

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Read the settings and stores.

        Raises InvalidConfigurationException, or KafkaException for unreadable ones.

        :origin: common.security.ssl.DefaultSslEngineFactory#configure(Map<String,?>)
        """
        self._configs = MappingProxyType(dict(configs))
        self._protocol = configs.get(SslConfigs.SSL_PROTOCOL_CONFIG)
        # DEVIATION D172: Java's algorithm providers have no counterpart, so naming one is an error.
        for name in (SslConfigs.SSL_PROVIDER_CONFIG, SslConfigs.SSL_SECURE_RANDOM_IMPLEMENTATION_CONFIG):
            if configs.get(name) is not None:
                raise KafkaException(f"{name}={configs[name]} is not available: kreactor has only OpenSSL")
        # Java's own manager algorithms are accepted; OpenSSL handles them alike.
        for name, known in _MANAGER_ALGORITHMS.items():
            if configs.get(name) is not None and configs[name].lower() not in known:
                raise KafkaException(f"{name}={configs[name]} is not available: kreactor has only OpenSSL")

        self._cipher_suites = configs.get(SslConfigs.SSL_CIPHER_SUITES_CONFIG) or None
        self._enabled_protocols = configs.get(SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG) or None

        self._ssl_client_auth = self._create_ssl_client_auth(
            configs.get(BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG))

        self._keystore = self._create_keystore(
            configs.get(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG),
            configs.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG),
            configs.get(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG),
            configs.get(SslConfigs.SSL_KEY_PASSWORD_CONFIG),
            configs.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG),
            configs.get(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG))

        self._truststore = self._create_truststore(
            configs.get(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG),
            configs.get(SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG),
            configs.get(SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG),
            configs.get(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG))

        self._ssl_contexts = {
            (mode, checked): self._create_ssl_context(mode, checked, self._keystore, self._truststore)
            for mode, checked in ((Mode.SERVER, False), (Mode.CLIENT, False), (Mode.CLIENT, True))}

    def close(self) -> None:
        """:origin: common.security.ssl.DefaultSslEngineFactory#close()"""
        self._ssl_contexts = {}

    def ssl_context(self, mode: Mode) -> Floor.ssl.SSLContext | None:
        """Return the context of a mode's engines. Only tests call this.

        :origin: common.security.ssl.DefaultSslEngineFactory#sslContext()
        """
        return self._ssl_contexts.get((mode, False))

    def _create_ssl_engine(self, mode: Mode, peer_host: str, peer_port: int,
                           endpoint_identification: str | None) -> SSLEngine:
        """:origin: common.security.ssl.DefaultSslEngineFactory#createSslEngine(Mode, String, int, String)"""
        if mode is Mode.SERVER:
            return SSLEngine(self._ssl_contexts[mode, False], True, peer_host, peer_port)
        context = self._ssl_contexts[mode, bool(endpoint_identification)]
        return SSLEngine(context, False, peer_host, peer_port, peer_host or None)

    @staticmethod
    def _create_ssl_client_auth(key: str | None) -> SslClientAuth:
        """:origin: common.security.ssl.DefaultSslEngineFactory#createSslClientAuth(String)"""
        auth = SslClientAuth.for_config(key)
        if auth is not None:
            return auth
        log.warning("Unrecognized client authentication configuration %s.  Falling back to NONE.  Recognized "
                    "client authentication configurations are %s.", key,
                    ", ".join(auth.name for auth in SslClientAuth.VALUES))
        return SslClientAuth.NONE

    def _create_ssl_context(self, mode: Mode, checks_name: bool, keystore: SecurityStore | None,
                            truststore: SecurityStore | None) -> Floor.ssl.SSLContext:
        """:origin: common.security.ssl.DefaultSslEngineFactory#createSSLContext(
            SecurityStore, SecurityStore)
        """
        try:
            server = mode is Mode.SERVER
            context = Floor.ssl.SSLContext(
                Floor.ssl.PROTOCOL_TLS_SERVER if server else Floor.ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = checks_name
            context.options |= Floor.ssl.OP_NO_COMPRESSION | getattr(Floor.ssl, "OP_NO_RENEGOTIATION", 0)
            self._set_versions_and_ciphers(context)
            if server:
                # DEVIATION D222: the request for a certificate does not name the authorities.
                context.verify_mode = {
                    SslClientAuth.REQUIRED: Floor.ssl.CERT_REQUIRED,
                    SslClientAuth.REQUESTED: Floor.ssl.CERT_OPTIONAL,
                    SslClientAuth.NONE: Floor.ssl.CERT_NONE}[self._ssl_client_auth]
            else:
                context.verify_mode = Floor.ssl.CERT_REQUIRED
            # As in Java, every certificate of the trust store is trusted, also one that is not a root.
            context.verify_flags |= Floor.ssl.VERIFY_X509_PARTIAL_CHAIN

            if keystore is not None:
                for entry in keystore.get().key_entries()[:1]:
                    load_key_entry(context, entry, keystore.key_password())
            if truststore is not None:
                load_certificates(context, truststore.get().trusted_certificates())
            elif context.verify_mode is not Floor.ssl.CERT_NONE:
                context.load_default_certs(
                    Floor.ssl.Purpose.CLIENT_AUTH if server else Floor.ssl.Purpose.SERVER_AUTH)
            log.debug("Created SSL context with keystore %s, truststore %s.", keystore, truststore)
            return context
        except KafkaException:
            raise
        except Exception as e:
            raise KafkaException(cause=e) from e

    def _set_versions_and_ciphers(self, context: Floor.ssl.SSLContext) -> None:
        """Set versions and cipher suites. Raises InvalidConfigurationException for unknown names."""
        protocols = self._enabled_protocols
        if protocols is None:
            protocols = (list(_VERSIONS) if self._protocol in (None, _ANY_VERSION) else [str(self._protocol)])
        unknown = {*protocols, self._protocol or _ANY_VERSION} - {*_VERSIONS, _ANY_VERSION}
        if unknown:
            raise InvalidConfigurationException(
                f"{', '.join(sorted(unknown))} is not supported; TLS protocols: {', '.join(_VERSIONS)}")
        suites = self._cipher_suites
        if suites is not None:
            # A version without a configured suite is disabled.
            wanted = {suite in TLS_1_3 for suite in suites}
            protocols = [protocol for protocol in protocols if (protocol == "TLSv1.3") in wanted]
        if not protocols:
            raise InvalidConfigurationException(f"no enabled TLS version supports the cipher suites {suites}")
        versions = [_VERSIONS[protocol] for protocol in protocols]
        context.minimum_version, context.maximum_version = min(versions), max(versions)
        for name, version in _VERSIONS.items():
            if name not in protocols and min(versions) < version < max(versions):
                context.options |= _OFF[name]
        if suites is not None:
            others = {cipher["name"] for cipher in context.get_ciphers()} & TLS_1_3 - set(suites)
            if "TLSv1.3" in protocols and others:
                log.warning("OpenSSL enables all cipher suites of TLS 1.3, beside those of %s: %s",
                            SslConfigs.SSL_CIPHER_SUITES_CONFIG, ", ".join(sorted(others)))
            older = [openssl_name(suite) for suite in suites if suite not in TLS_1_3]
            if older:
                try:
                    context.set_ciphers(":".join(older))
                except Floor.ssl.SSLError as e:
                    raise InvalidConfigurationException(
                        f"Unsupported cipher suites: {', '.join(suites)}") from e

    def _create_keystore(self, type_: str | None, path: str | None, password: Password | None,
                         key_password: Password | None, private_key: Password | None,
                         certificate_chain: Password | None) -> SecurityStore | None:
        """Return the store that the settings describe. Raises InvalidConfigurationException.

        :origin: common.security.ssl.DefaultSslEngineFactory#createKeystore(
            String, String, Password, Password, Password, Password)
        """
        pem = DefaultSslEngineFactory.PEM_TYPE
        if private_key is not None:
            if type_ != pem:
                raise InvalidConfigurationException(
                    f"SSL private key can be specified only for PEM, but key store type is {type_}.")
            elif certificate_chain is None:
                raise InvalidConfigurationException(
                    "SSL private key is specified, but certificate chain is not specified.")
            elif path is not None:
                raise InvalidConfigurationException(
                    "Both SSL key store location and separate private key are specified.")
            elif password is not None:
                raise InvalidConfigurationException(
                    "SSL key store password cannot be specified with PEM format, only key password may be "
                    "specified.")
            return PemStore(certificate_chain, private_key, key_password)
        elif certificate_chain is not None:
            raise InvalidConfigurationException(
                "SSL certificate chain is specified, but private key is not specified")
        elif type_ == pem and path is not None:
            if password is not None:
                raise InvalidConfigurationException(
                    "SSL key store password cannot be specified with PEM format, only key password may be "
                    "specified")
            return FileBasedPemStore(path, key_password, True)
        elif path is None and password is not None:
            raise InvalidConfigurationException(
                "SSL key store is not specified, but key store password is specified.")
        elif path is not None and password is None:
            raise InvalidConfigurationException(
                "SSL key store is specified, but key store password is not specified.")
        elif path is not None:
            return FileBasedStore(type_, path, password, key_password, True)
        # A client needs no key store if no server requests a certificate.
        return None

    @staticmethod
    def _create_truststore(type_: str | None, path: str | None, password: Password | None,
                           trust_store_certs: Password | None) -> SecurityStore | None:
        """Return the store that the settings describe. Raises InvalidConfigurationException.

        :origin: common.security.ssl.DefaultSslEngineFactory#createTruststore(
            String, String, Password, Password)
        """
        pem = DefaultSslEngineFactory.PEM_TYPE
        if trust_store_certs is not None:
            if type_ != pem:
                raise InvalidConfigurationException(
                    f"SSL trust store certs can be specified only for PEM, but trust store type is {type_}.")
            elif path is not None:
                raise InvalidConfigurationException(
                    "Both SSL trust store location and separate trust certificates are specified.")
            elif password is not None:
                raise InvalidConfigurationException(
                    "SSL trust store password cannot be specified for PEM format.")
            return PemStore(trust_store_certs)
        elif type_ == pem and path is not None:
            if password is not None:
                raise InvalidConfigurationException(
                    "SSL trust store password cannot be specified for PEM format.")
            return FileBasedPemStore(path, None, False)
        elif path is None and password is not None:
            raise InvalidConfigurationException(
                "SSL trust store is not specified, but trust store password is specified.")
        elif path is not None:
            return FileBasedStore(type_, path, password, None, False)
        return None


class SecurityStore(Protocol):
    """A store and its origin.

    :origin: common.security.ssl.DefaultSslEngineFactory.SecurityStore
    """

    @abstractmethod
    def get(self) -> KeyStore:
        """Return the store.

        :origin: common.security.ssl.DefaultSslEngineFactory.SecurityStore#get()
        """

    @abstractmethod
    def key_password(self) -> str | None:
        """Return the password of the private key, or None for an unencrypted key.

        :origin: common.security.ssl.DefaultSslEngineFactory.SecurityStore#keyPassword()
        """

    @abstractmethod
    def modified(self) -> bool:
        """Return whether the file of the store has changed since it was read.

        :origin: common.security.ssl.DefaultSslEngineFactory.SecurityStore#modified()
        """


class FileBasedStore(SecurityStore):
    """A store in a file.

    :origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore
    """

    def __init__(self, type_: str | None, path: str, password: Password | None,
                 key_password: Password | None, is_key_store: bool) -> None:
        """Read the store. Raises KafkaException for an unreadable file.

        :origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#FileBasedStore(
            String, String, Password, Password, boolean)
        """
        if type_ is None:
            raise TypeError("type must not be null")
        self._type = type_
        self._path = path
        self._password = password
        self._key_password = key_password
        self._file_last_modified_ms = self._last_modified_ms(path)
        self._key_store = self._load(is_key_store)

    def get(self) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#get()"""
        return self._key_store

    def key_password(self) -> str | None:
        """Return None, because the store's password has already decrypted the key.

        :origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#keyPassword()
        """
        # DEVIATION D286: the key is decrypted as the store is loaded, and needs no password afterwards.
        return None

    def _load(self, is_key_store: bool) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#load(boolean)"""
        try:
            with Floor.io.open(self._path, "rb") as file:
                data = file.read()
            # The key's password must be the password of the store.
            password = self._password.value() if self._password is not None else None
            store = KeyStore.load(self._type, data, password)
            if self._key_password is not None and self._key_password != self._password:
                raise OSError("the key password differs from the store password: use one password for both")
            return store
        except OSError as e:
            raise KafkaException(f"Failed to load SSL keystore {self._path} of type {self._type}", e) from e

    @staticmethod
    def _last_modified_ms(path: str) -> int | None:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#lastModifiedMs(String)"""
        try:
            return Floor.os.stat(path).st_mtime_ns // 1_000_000
        except OSError as e:
            log.error("Modification time of key store could not be obtained: %s", path, exc_info=e)
            return None

    def modified(self) -> bool:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#modified()"""
        modified_ms = self._last_modified_ms(self._path)
        return modified_ms is not None and modified_ms != self._file_last_modified_ms

    def __str__(self) -> str:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedStore#toString()"""
        return f"SecurityStore(path={self._path}, modificationTime={self._file_last_modified_ms})"


class FileBasedPemStore(FileBasedStore):
    """A PEM file with a key and its certificates, or with trusted certificates.

    :origin: common.security.ssl.DefaultSslEngineFactory.FileBasedPemStore
    """

    def __init__(self, path: str, key_password: Password | None, is_key_store: bool) -> None:
        """Read the file. Raises InvalidConfigurationException for an unreadable one.

        :origin: common.security.ssl.DefaultSslEngineFactory.FileBasedPemStore#FileBasedPemStore(
            String, Password, boolean)
        """
        super().__init__(DefaultSslEngineFactory.PEM_TYPE, path, None, key_password, is_key_store)

    def key_password(self) -> str | None:
        """Return the key's own password."""
        return self._key_password.value() if self._key_password is not None else None

    def _load(self, is_key_store: bool) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.FileBasedPemStore#load(boolean)"""
        try:
            store_contents = Password(Utils.read_file_as_string(self._path))
            pem_store = (PemStore(store_contents, store_contents, self._key_password) if is_key_store
                         else PemStore(store_contents))
            return pem_store.get()
        except Exception as e:
            raise InvalidConfigurationException(f"Failed to load PEM SSL keystore {self._path}", e) from e


class PemStore(SecurityStore):
    """A store in PEM, as text.

    :origin: common.security.ssl.DefaultSslEngineFactory.PemStore
    """

    def __init__(self, certificates: Password, private_key: Password | None = None,
                 key_password: Password | None = None) -> None:
        """Parse a key with its certificate chain, or trusted certificates without a key.

        Raises InvalidConfigurationException.

        :origin: common.security.ssl.DefaultSslEngineFactory.PemStore#PemStore(Password, Password, Password)
        :origin: common.security.ssl.DefaultSslEngineFactory.PemStore#PemStore(Password)
        """
        self._key_password = key_password.value() if key_password is not None else None
        if private_key is not None:
            self._key_store = self._create_key_store_from_pem(private_key.value(), certificates.value())
        else:
            self._key_store = self._create_trust_store_from_pem(certificates.value())

    def get(self) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemStore#get()"""
        return self._key_store

    def key_password(self) -> str | None:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemStore#keyPassword()"""
        return self._key_password

    def modified(self) -> bool:
        """Return False, because the text of a setting does not change.

        :origin: common.security.ssl.DefaultSslEngineFactory.PemStore#modified()
        """
        return False

    def _create_key_store_from_pem(self, private_key_pem: str, cert_chain_pem: str) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemStore#createKeyStoreFromPem(
            String, String, char[])
        """
        try:
            ks = KeyStore()
            ks.set_key_entry("kafka", self._private_key(private_key_pem), self._certs(cert_chain_pem))
            # Load the key now, so that a mismatch of key, password and certificate fails here and not at a
            # client.
            load_key_entry(Floor.ssl.SSLContext(Floor.ssl.PROTOCOL_TLS_SERVER), ks.key_entries()[0],
                           self._key_password)
            return ks
        except Exception as e:
            raise InvalidConfigurationException("Invalid PEM keystore configs", e) from e

    def _create_trust_store_from_pem(self, trusted_certs_pem: str) -> KeyStore:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemStore#createTrustStoreFromPem(String)"""
        try:
            ts = KeyStore()
            for i, cert in enumerate(self._certs(trusted_certs_pem)):
                ts.set_certificate_entry(f"kafka{i}", cert)
            load_certificates(Floor.ssl.SSLContext(Floor.ssl.PROTOCOL_TLS_CLIENT), ts.trusted_certificates())
            return ts
        except InvalidConfigurationException:
            raise
        except Exception as e:
            raise InvalidConfigurationException("Invalid PEM truststore configs", e) from e

    @staticmethod
    def _certs(pem: str) -> tuple[X509Certificate, ...]:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemStore#certs(String)"""
        return tuple(map(X509Certificate, _CERTIFICATE_PARSER.pem_entries(pem)))

    def _private_key(self, pem: str) -> bytes:
        """Return the key in PEM, still encrypted.

        :origin: common.security.ssl.DefaultSslEngineFactory.PemStore#privateKey(String, char[])
        """
        key_entries = _PRIVATE_KEY_PARSER.pem_entries(pem)
        if len(key_entries) != 1:
            raise InvalidConfigurationException(f"Expected one private key, but found {len(key_entries)}")
        kind = "PRIVATE KEY" if self._key_password is None else "ENCRYPTED PRIVATE KEY"
        text = base64.encodebytes(key_entries[0]).decode()
        return f"-----BEGIN {kind}-----\n{text}-----END {kind}-----\n".encode()


# A marker of PEM and its label. A run of dashes is read once.
_PEM_MARKER = re.compile(r"(?<!-)-+(BEGIN|END)([^-]*)-+(?=\s)")
_PEM_DATA = re.compile(r"[a-zA-Z0-9/+=\s]*")


class PemParser:
    """Finds the entries of one kind in a PEM text. The text may have other entries, headers and comments.

    :origin: common.security.ssl.DefaultSslEngineFactory.PemParser
    """

    def __init__(self, name: str) -> None:
        """:origin: common.security.ssl.DefaultSslEngineFactory.PemParser#PemParser(String)"""
        self._name = name
        self._pattern = re.compile(name.replace(" ", r"\s+"))

    def pem_entries(self, pem: str) -> list[bytes]:
        """Return the entries in DER. Raises InvalidConfigurationException for a text without entries.

        :origin: common.security.ssl.DefaultSslEngineFactory.PemParser#pemEntries(String)
        """
        # DEVIATION D462: the origin has one regular expression, which tries every colon of a header.
        entries = []
        begin: re.Match[str] | None = None
        for marker in _PEM_MARKER.finditer(pem + "\n"):
            is_named = self._pattern.search(marker[2]) is not None
            if marker[1] == "BEGIN":
                begin = marker if is_named else None
            elif begin is not None:
                # Headers end with their line; the data begins in the first line without a colon.
                lines = pem[begin.end():marker.start()].replace("\r", "\n").split("\n")
                start = next((i for i, line in enumerate(lines) if line.strip() and ":" not in line),
                             len(lines))
                data = "".join(lines[start:])
                if is_named and _PEM_DATA.fullmatch(data):
                    entries.append(base64.b64decode("".join(data.split()), validate=True))
                begin = None
        if not entries:
            raise InvalidConfigurationException(f"No matching {self._name} entries in PEM file")
        return entries


_CERTIFICATE_PARSER = PemParser("CERTIFICATE")
_PRIVATE_KEY_PARSER = PemParser("PRIVATE KEY")
