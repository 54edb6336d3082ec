# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.ssl.SslFactoryTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The engines that a factory makes of settings, and the changes that it takes. With TLS 1.2 and 1.3."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import NameOID

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.config.internals.broker_security_configs import BrokerSecurityConfigs
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.network.mode import Mode
from kreactor.common.security.ssl.default_ssl_engine_factory import (
    DefaultSslEngineFactory,
    FileBasedStore,
    PemStore,
)
from kreactor.common.security.ssl.ssl_factory import CertificateEntries, SslFactory
from kreactor.jdk.key_store import KeyStore
from kreactor.jdk.x509 import X509Certificate
from kreactor.testing.certificates import PrivateKey, new_certificate, new_key, trust_store
from tests.common.network.cert_stores import KEYSTORE_PROPS, PASSWORD, TRUSTSTORE_PROPS, CertStores
from tests.common.network.test_channel_builders import SecurityConfig
from tests.common.network.test_ssl_transport_layer import TestSslEngineFactory

VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}

# Makes the settings of one end, which believes itself.
Build = Callable[..., dict[str, Any]]


@pytest.fixture(params=list(VERSIONS))
def tls_protocol(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def build(tls_protocol: str, tmp_path: Path) -> Build:
    def build(mode: Mode = Mode.SERVER, cn: str = "localhost", use_pem: bool = False,
              use_client_cert: bool = True) -> dict[str, Any]:
        stores = CertStores(mode is Mode.SERVER, cn, tmp_path, host_names=["localhost"], use_pem=use_pem)
        configs = stores.get_untrusting_config() | {
            SslConfigs.SSL_PROTOCOL_CONFIG: tls_protocol,
            SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: [tls_protocol]}
        if mode is Mode.CLIENT and not use_client_cert:
            for name in KEYSTORE_PROPS:
                configs.pop(name)
        return {name: value for name, value in configs.items() if value is not None}

    return build


class ClosableEngineFactory(TestSslEngineFactory):
    closed = False

    def close(self) -> None:
        self.closed = True
        super().close()


def configured(configs: dict[str, Any], mode: Mode = Mode.SERVER, verifiable: bool = False) -> SslFactory:
    factory = SslFactory(mode, None, verifiable)
    factory.configure(configs)
    return factory


def verify_engine(factory: SslFactory, tls_protocol: str, client: bool) -> None:
    engine = factory.create_ssl_engine_peer_host("localhost", 0)
    context = engine._object.context
    assert context.minimum_version is context.maximum_version is VERSIONS[tls_protocol]
    assert engine._object.server_side is not client


def test_ssl_factory_configuration(build, tls_protocol):
    factory = configured(build(), verifiable=True)
    verify_engine(factory, tls_protocol, client=False)
    factory.close()


def test_ssl_factory_config_with_many_key_store_entries(tls_protocol, tmp_path):
    # A chain of ten, with so many names that it takes several records.
    names = [f"hostName{i}" for i in range(150)]
    certificate = new_certificate("CA", names)
    authorities = [certificate]
    for i in range(8, 0, -1):
        certificate = new_certificate(f"Intermediate CA{i}", names, signed_by=certificate, is_authority=True)
        authorities.append(certificate)
    certificate = new_certificate("kafka", names, signed_by=certificate)
    assert len(certificate.issuers) == 9
    stores = CertStores(True, "kafka", tmp_path, certificate=certificate)
    trusted = stores.trust_store_props()
    Path(trusted[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG]).write_bytes(trust_store(
        [pkcs12.PKCS12Certificate(each.certificate, None) for each in (certificate, *authorities)],
        serialization.BestAvailableEncryption(PASSWORD.encode())))
    factory = configured(
        stores.get_untrusting_config() | {SslConfigs.SSL_PROTOCOL_CONFIG: tls_protocol,
                                          SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: [tls_protocol]},
        verifiable=True)
    verify_engine(factory, tls_protocol, client=False)
    keystore = factory.ssl_engine_factory().keystore()
    assert keystore is not None
    assert sum(len(each.get_encoded()) for each in keystore.key_entries()[0].certificate_chain) > 2**14
    factory.close()


@pytest.mark.parametrize("name", [SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG,
                                  SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG])
def test_ssl_factory_without_provider_class_configuration(build, name):
    with pytest.raises(KafkaException, match=f"{name}=TestAlgorithm is not available"):
        configured(build() | {name: "TestAlgorithm"})
    configured(build() | {name: "PKIX"})


def test_ssl_factory_with_incorrect_provider_class_configuration(build):
    with pytest.raises(KafkaException):
        configured(build() | {SslConfigs.SSL_KEYMANAGER_ALGORITHM_CONFIG: "TestAlgorithm",
                              "security.providers": "com.fake.ProviderClass1,com.fake.ProviderClass2"})


@pytest.mark.parametrize("use_pem", [False, True], ids=["PKCS12", "PEM"])
def test_ssl_factory_without_password_configuration(build, use_pem):
    # Java needs none for a trust store, of which it leaves out what is encrypted: here that is refused.
    configs = build(use_pem=use_pem)
    if not use_pem:
        del configs[SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG]
        with pytest.raises(KafkaException):
            configured(configs)
        path = Path(configs[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG])
        trusted = pkcs12.load_pkcs12(path.read_bytes(), PASSWORD.encode()).additional_certs
        path.write_bytes(trust_store(trusted, serialization.NoEncryption()))
    truststore = configured(configs).ssl_engine_factory().truststore()
    assert truststore is not None and len(truststore.trusted_certificates()) == 1


def test_client_mode(build, tls_protocol):
    factory = configured(build(Mode.CLIENT, use_client_cert=False), Mode.CLIENT)
    verify_engine(factory, tls_protocol, client=True)


def engine_factory(factory: SslFactory) -> ClosableEngineFactory:
    found = factory.ssl_engine_factory()
    assert isinstance(found, ClosableEngineFactory)
    return found


WITH_FACTORY = {SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG: ClosableEngineFactory}


def test_stale_ssl_engine_factory_should_be_closed(build):
    factory = configured(build() | WITH_FACTORY)
    stale = engine_factory(factory)
    assert not stale.closed
    factory.reconfigure(build() | WITH_FACTORY)
    assert engine_factory(factory) is not stale
    assert stale.closed


def touch(path: str, ahead_s: float) -> None:
    os.utime(path, (time.time() + ahead_s,) * 2)


def test_reconfiguration(build):
    configs = build()
    factory = configured(configs)
    last = factory.ssl_engine_factory()

    def is_new() -> bool:
        nonlocal last
        before, last = last, factory.ssl_engine_factory()
        return last is not before

    factory.reconfigure(configs)
    assert not is_new(), "nothing has changed"

    configs = build()
    factory.reconfigure(configs)
    assert is_new()

    touch(configs[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG], 10)
    factory.reconfigure(configs)
    assert is_new()

    keystore = configs[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG]
    touch(keystore, 10)
    factory.reconfigure(configs)
    assert is_new()

    touch(keystore, 15)
    factory.validate_reconfiguration(configs)
    factory.reconfigure(configs)
    assert is_new(), "a validation changes nothing"

    touch(keystore, 20)
    os.unlink(keystore)
    factory.reconfigure(configs)
    assert not is_new(), "whether a file that is gone has changed is not known"


@pytest.mark.deviation("D173")
def test_settings_that_were_validated_alone_are_no_part_of_the_next_change(build):
    configs = build()
    factory = configured(configs)
    before = factory.ssl_engine_factory()
    names = before.keystore().aliases()

    another = build()
    certificates = [before.keystore().get_certificate(name) for name in names]
    factory.validate_reconfiguration(another)
    touch(configs[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG], 10)
    factory.reconfigure({name: configs[name] for name in TRUSTSTORE_PROPS if name in configs})

    after = factory.ssl_engine_factory()
    assert after is not before
    assert [after.keystore().get_certificate(name) for name in names] == certificates


def without(configs: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in configs.items() if name not in names}


def ssl_context(factory: SslFactory) -> ssl.SSLContext:
    found = factory.ssl_engine_factory()
    assert isinstance(found, DefaultSslEngineFactory)
    context = found.ssl_context(Mode.SERVER)
    assert context is not None
    assert found.ssl_context(Mode.SERVER) is context
    return context


def test_reconfiguration_without_truststore(build, tls_protocol):
    factory = configured(without(build(), TRUSTSTORE_PROPS))
    ssl_context(factory)
    verify_engine(factory, tls_protocol, client=False)
    with pytest.raises(ConfigException, match="no truststore was configured"):
        factory.validate_reconfiguration(build())


def test_reconfiguration_without_keystore(build, tls_protocol):
    factory = configured(without(build(), KEYSTORE_PROPS))
    context = ssl_context(factory)
    verify_engine(factory, tls_protocol, client=False)
    factory.reconfigure(without(build(), KEYSTORE_PROPS))
    assert ssl_context(factory) is not context
    with pytest.raises(ConfigException, match="no keystore was configured"):
        factory.validate_reconfiguration(build())


def test_pem_reconfiguration(build):
    props = build(use_pem=True)
    factory = configured(SecurityConfig(props).values())
    last = factory.ssl_engine_factory()

    factory.reconfigure(SecurityConfig(props | {"some.config": "some.value"}).values())
    assert factory.ssl_engine_factory() is last

    for name in (SslConfigs.SSL_KEYSTORE_KEY_CONFIG, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG,
                 SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG):
        props[name] = Password(props[name].value() + " ")
        factory.reconfigure(SecurityConfig(props).values())
        assert factory.ssl_engine_factory() is not last, name
        last = factory.ssl_engine_factory()


def test_key_store_trust_store_validation(build):
    assert configured(build()).ssl_engine_factory() is not None


def test_untrusted_key_store_validation_fails(build):
    configs, others = build(), build()
    for name in (SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG,
                 SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, SslConfigs.SSL_TRUSTMANAGER_ALGORITHM_CONFIG):
        configs[name] = others[name]
    with pytest.raises(ConfigException):
        configured(configs, verifiable=True)


def test_keystore_verifiable_using_truststore(build):
    verify_keystore_verifiable_using_truststore(build, False)


def test_pem_keystore_verifiable_using_truststore(build):
    verify_keystore_verifiable_using_truststore(build, True)


def verify_keystore_verifiable_using_truststore(build: Build, use_pem: bool) -> None:
    """Both stores of a listener between brokers do not change at once: the others have the old ones."""
    factory = configured(build(use_pem=use_pem), verifiable=True)
    with pytest.raises(ConfigException):
        factory.validate_reconfiguration(build(use_pem=use_pem))


def test_certificate_entries_validation(build):
    verify_certificate_entries_validation(build, False)


def test_pem_certificate_entries_validation(build):
    verify_certificate_entries_validation(build, True)


def verify_certificate_entries_validation(build: Build, use_pem: bool) -> None:
    configs, new_cn = build(use_pem=use_pem), build(cn="Another CN", use_pem=use_pem)
    ks1, ks2 = ssl_key_store(configs), ssl_key_store(configs)
    entries = CertificateEntries.create(ks1)
    assert entries == CertificateEntries.create(ks2)
    assert [hash(entry) for entry in entries] == [hash(entry) for entry in CertificateEntries.create(ks2)]

    # By what they hold, not by what they are called.
    renamed = KeyStore()
    certificate = ks1.get_certificate(ks1.aliases()[0])
    assert certificate is not None
    renamed.set_certificate_entry("another", certificate)
    assert entries == CertificateEntries.create(renamed)

    assert entries != CertificateEntries.create(ssl_key_store(new_cn))


def test_client_specified_ssl_engine_factory_used(build):
    factory = configured(build(Mode.CLIENT, use_client_cert=False) | WITH_FACTORY, Mode.CLIENT)
    assert isinstance(factory.ssl_engine_factory(), ClosableEngineFactory)


def test_engine_factory_closed(build):
    factory = configured(build(Mode.CLIENT, use_client_cert=False) | WITH_FACTORY, Mode.CLIENT)
    assert not engine_factory(factory).closed
    factory.close()
    assert engine_factory(factory).closed


def test_server_specified_ssl_engine_factory_used(build):
    assert isinstance(configured(build() | WITH_FACTORY).ssl_engine_factory(), ClosableEngineFactory)


def test_invalid_ssl_engine_factory(build):
    configs = build(Mode.CLIENT, use_client_cert=False)
    with pytest.raises(AttributeError):
        configured(configs | {SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG: str}, Mode.CLIENT)


def test_used_configs(build):
    config = SecurityConfig(build() | WITH_FACTORY)
    configured(config.values())
    assert SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG not in config.unused()


def test_dynamic_update_compatibility(tls_protocol):
    if tls_protocol == "TLSv1.3":
        return  # no handshake, no version
    private_key = new_key()

    def store(common_name: str, org: str, utf8: bool, *dns_names: str) -> KeyStore:
        return create_key_store(private_key, common_name, org, utf8, *dns_names)

    def check(new: KeyStore, allow_dn_changes: bool = False, allow_san_changes: bool = False) -> None:
        CertificateEntries.ensure_compatible(new, ks, allow_dn_changes, allow_san_changes)

    ks = store("*.example.com", "Kafka", True, "localhost", "*.example.com")
    check(ks)
    check(store("*.example.com", "Kafka", True, "localhost", "*.example.com"))
    check(store(" *.example.com", " Kafka ", True, "localhost", "*.example.com"))
    check(store("*.example.COM", "Kafka", True, "localhost", "*.example.com"))
    check(store("*.EXAMPLE.COM", "KAFKA", True, "localhost", "*.example.com"))
    check(store("*.EXAMPLE.COM", "Kafka", True, "localhost", "*.example.com", "*.another.example.com"))

    check(store("*.example.com", "Kafka", False, "localhost", "*.example.com"))
    check(store("*.example.COM", "Kafka", False, "localhost", "*.example.com"))
    check(store("*.EXAMPLE.COM", "KAFKA", False, "localhost", "*.example.com"))

    for incompatible in (
            store(" *.example.com", " Kafka ", False, "localhost", "*.example.com"),
            store("*.another.example.com", "Kafka", True, "localhost", "*.example.com"),
            store("*.EXAMPLE.COM", "Kafka", True, "localhost", "*.another.example.com")):
        with pytest.raises(ConfigException):
            check(incompatible)

    other_names = store("*.example.com", "Kafka", True, "localhost", "*.another.example.com")
    other_name = store("*.another.example.com", "Kafka", True, "localhost", "*.example.com")
    check(store(" *.another.example.com", "Kafka ", True, "localhost", "*.another.example.com"), True, True)
    check(other_names, False, True)
    with pytest.raises(ConfigException):
        check(other_names, True, False)
    check(other_name, True, False)
    with pytest.raises(ConfigException):
        check(other_name, False, True)


def create_key_store(private_key: PrivateKey, common_name: str, org: str, utf8: bool,
                     *dns_names: str) -> KeyStore:
    kind = _ASN1Type.UTF8String if utf8 else _ASN1Type.T61String
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name, kind),
                         x509.NameAttribute(NameOID.ORGANIZATION_NAME, org, kind)])
    made = new_certificate("", dns_names, key=private_key, subject=subject)
    store = KeyStore()
    store.set_key_entry("kafka", made.private_key_pem().encode(),
                        (X509Certificate(made.certificate.public_bytes(serialization.Encoding.DER)),))
    return store


def ssl_key_store(configs: dict[str, Any]) -> KeyStore:
    if SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG in configs:
        return FileBasedStore(
            configs[SslConfigs.SSL_KEYSTORE_TYPE_CONFIG], configs[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG],
            configs[SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG], configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG],
            True).get()
    return PemStore(configs[SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG],
                    configs[SslConfigs.SSL_KEYSTORE_KEY_CONFIG],
                    configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG]).get()


def test_client_auth_override_goes_before_the_setting(build):
    factory = SslFactory(Mode.SERVER, "required")
    factory.configure(build() | {BrokerSecurityConfigs.SSL_CLIENT_AUTH_CONFIG: "none"})
    assert ssl_context(factory).verify_mode is ssl.CERT_REQUIRED
