# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.ssl.DefaultSslEngineFactoryTest of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Stores of PEM as people paste them together, and which versions and cipher suites come of the settings."""

from __future__ import annotations

import base64
import binascii
import functools
import re
import logging
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.network.mode import Mode
from kreactor.common.security.ssl.default_ssl_engine_factory import DefaultSslEngineFactory, PemParser
from kreactor.testing.certificates import Certificate, new_certificate

PEM = DefaultSslEngineFactory.PEM_TYPE
KEY_PASSWORD = Password("key-password")


@functools.cache
def made() -> tuple[Certificate, Certificate, Certificate]:
    """Return two authorities and what the first has signed."""
    authority, other = new_certificate("TestCA1"), new_certificate("TestCA2")
    return authority, other, new_certificate("TestBroker", ["localhost"], signed_by=authority)


def ca1() -> str:
    return made()[0].certificate_pem().strip()


def ca2() -> str:
    return made()[1].certificate_pem().strip()


def certchain() -> str:
    """Return a chain with the remarks that openssl puts between."""
    head = ("Bag Attributes\n    friendlyName: {0}\n    localKeyID: 54 69 6D 65\n"
            "subject=/CN={0}\nissuer=/CN=TestCA1\n")
    return head.format("TestBroker") + made()[2].certificate_pem() + head.format("TestCA1") + ca1()


def key() -> str:
    return ("Bag Attributes\n    friendlyName: server\n    localKeyID: 54 69 6D 65 20 31 36\n"
            "Key Attributes: <No Attributes>\n" + made()[2].private_key_pem().strip())


def encrypted_key() -> str:
    return made()[2].private_key_pem(KEY_PASSWORD.value()).strip()


@pytest.fixture
def factory() -> DefaultSslEngineFactory:
    return DefaultSslEngineFactory()


@pytest.fixture
def configs() -> dict[str, Any]:
    return {SslConfigs.SSL_PROTOCOL_CONFIG: "TLSv1.2"}


def verify_trust_store(factory: DefaultSslEngineFactory, *aliases: str) -> None:
    trust_store = factory.truststore()
    assert trust_store is not None and trust_store.aliases() == list(aliases)
    assert all(trust_store.get_certificate(alias) is not None for alias in aliases)
    assert trust_store.key_entries() == []


def verify_key_store(factory: DefaultSslEngineFactory) -> None:
    key_store = factory.keystore()
    assert key_store is not None and key_store.aliases() == ["kafka"]
    assert key_store.get_certificate("kafka") is not None
    [entry] = key_store.key_entries()
    assert [each.get_subject_x500_principal().get_name() for each in entry.certificate_chain] == [
        "CN=TestBroker", "CN=TestCA1"]


def test_pem_trust_store_config_with_one_cert(factory, configs):
    configs[SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG] = Password(ca1())
    configs[SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG] = PEM
    factory.configure(configs)
    verify_trust_store(factory, "kafka0")


def test_pem_trust_store_config_with_multiple_certs(factory, configs):
    configs[SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG] = Password(f"{ca1()}\n{ca2()}")
    configs[SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG] = PEM
    factory.configure(configs)
    verify_trust_store(factory, "kafka0", "kafka1")


def test_pem_key_store_config_no_password(factory, configs):
    verify_pem_key_store_config(factory, configs, key(), None)


def test_pem_key_store_config_with_key_password(factory, configs):
    verify_pem_key_store_config(factory, configs, encrypted_key(), KEY_PASSWORD)


def test_trailing_new_lines(factory, configs):
    verify_pem_key_store_config(factory, configs, f"{encrypted_key()}\n\n", KEY_PASSWORD)


def test_leading_new_lines(factory, configs):
    verify_pem_key_store_config(factory, configs, f"\n\n{encrypted_key()}", KEY_PASSWORD)


def test_carriage_return_line_feed(factory, configs):
    verify_pem_key_store_config(factory, configs, encrypted_key().replace("\n", "\r\n"), KEY_PASSWORD)


def verify_pem_key_store_config(factory: DefaultSslEngineFactory, configs: dict[str, Any], pem: str,
                                key_password: Password | None) -> None:
    configs[SslConfigs.SSL_KEYSTORE_KEY_CONFIG] = Password(pem)
    configs[SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG] = Password(certchain())
    configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = key_password
    configs[SslConfigs.SSL_KEYSTORE_TYPE_CONFIG] = PEM
    factory.configure(configs)
    verify_key_store(factory)


def test_pem_trust_store_file(factory, configs, tmp_path):
    configs[SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG] = pem_file_path(tmp_path, ca1())
    configs[SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG] = PEM
    factory.configure(configs)
    verify_trust_store(factory, "kafka0")


def test_pem_key_store_file_no_key_password(factory, configs, tmp_path):
    configs[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG] = pem_file_path(tmp_path, f"{key()}\n{certchain()}")
    configs[SslConfigs.SSL_KEYSTORE_TYPE_CONFIG] = PEM
    configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = None
    factory.configure(configs)
    verify_key_store(factory)


def test_pem_key_store_file_with_key_password(factory, configs, tmp_path):
    configs[SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG] = pem_file_path(
        tmp_path, f"{encrypted_key()}\n{certchain()}")
    configs[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = KEY_PASSWORD
    configs[SslConfigs.SSL_KEYSTORE_TYPE_CONFIG] = PEM
    factory.configure(configs)
    verify_key_store(factory)


def pem_file_path(folder: Path, pem: str) -> str:
    path = folder / "store.pem"
    path.write_text(pem)
    return str(path)


TLS_1_2_SUITE, TLS_1_3_SUITE = "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"


@pytest.mark.parametrize("protocols, suites, lowest, highest", [
    (["TLSv1.2", "TLSv1.3"], None, "TLSv1_2", "TLSv1_3"),
    (["TLSv1.2", "TLSv1.3"], [TLS_1_2_SUITE, TLS_1_3_SUITE], "TLSv1_2", "TLSv1_3"),
    (["TLSv1.2", "TLSv1.3"], [TLS_1_2_SUITE], "TLSv1_2", "TLSv1_2"),
    (["TLSv1.2", "TLSv1.3"], [TLS_1_3_SUITE], "TLSv1_3", "TLSv1_3"),
    (None, [TLS_1_3_SUITE], None, None),
    (["TLSv1.3"], [TLS_1_2_SUITE], None, None),
])
def test_a_version_without_a_suite_is_off(factory, configs, caplog, protocols, suites, lowest, highest):
    configs |= {SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG: protocols,
                SslConfigs.SSL_CIPHER_SUITES_CONFIG: suites}
    caplog.set_level(logging.WARNING, "kreactor.common.security.ssl")
    if lowest is None:
        with pytest.raises(InvalidConfigurationException, match="no enabled TLS version supports the cipher"):
            factory.configure(configs)
        return
    factory.configure(configs)
    for mode in Mode:
        context = factory.ssl_context(mode)
        assert context is not None
        assert context.minimum_version is ssl.TLSVersion[lowest]
        assert context.maximum_version is ssl.TLSVersion[highest]
        if suites is not None and TLS_1_2_SUITE in suites:
            assert {cipher["name"] for cipher in context.get_ciphers()
                    if cipher["protocol"] != "TLSv1.3"} == {"ECDHE-RSA-AES256-GCM-SHA384"}
    # Python's ssl does not choose among those of TLS 1.3, and that is said.
    assert ("TLS_CHACHA20_POLY1305_SHA256" in caplog.text) is (suites is not None and TLS_1_3_SUITE in suites)


# The origin's expression for PEM. It takes exponential time for hostile texts.
JAVA_PEM = re.compile(
    r"-+BEGIN\s*.*CERTIFICATE[^-]*-+\s+(?:\s*[^\r\n]*:[^\r\n]*[\r\n]+)*([a-zA-Z0-9/+=\s]*)"
    r"-+END\s*.*CERTIFICATE[^-]*-+\s+")


@given(st.lists(st.sampled_from([
    "-----BEGIN CERTIFICATE-----\n", "-----BEGIN X509 CERTIFICATE-----\r\n",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END CERTIFICATE-----\n", "-----END TRUSTED CERTIFICATE-----\n", "-----END PRIVATE KEY-----\n",
    "Proc-Type: 4,ENCRYPTED\n", "a: b: c\r\n", "\n", "QUJD\n", "QUJD", " \t\n", "Bag Attributes\n", "-",
    "x"]),
    max_size=8).map("".join))
def test_pem_entries_are_those_of_java(pem: str) -> None:
    expected = [match[1].split() for match in JAVA_PEM.finditer(pem + "\n")]
    try:
        found = PemParser("CERTIFICATE").pem_entries(pem)
    except InvalidConfigurationException:
        found = []
    except binascii.Error:
        return
    assert found == [base64.b64decode("".join(each)) for each in expected]


# Reads headers that the origin's regular expression would try in 20^20 ways, with 10 s of the processor.
HEADERS_WITH_COLONS = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
from kreactor.common.errors import InvalidConfigurationException
from kreactor.common.security.ssl.default_ssl_engine_factory import PemParser
headers = 20 * (20 * "a:" + "a\\n")
try:
    PemParser("CERTIFICATE").pem_entries(
        f"-----BEGIN CERTIFICATE-----\\n{headers}no data!\\n-----END CERTIFICATE-----\\n")
except InvalidConfigurationException:
    print("no entries")
"""


@pytest.mark.deviation("D462")
def test_headers_with_many_colons_are_read_in_linear_time() -> None:
    result = subprocess.run([sys.executable, "-c", HEADERS_WITH_COLONS], capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, "no entries\n"), result.stderr
