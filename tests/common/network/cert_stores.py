# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.network.CertStores of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The TLS settings of one end, with a certificate of its own that signed itself."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kreactor.common.config.config_def import ConfigDef
from kreactor.common.config.ssl_configs import SslConfigs
from kreactor.common.config.types.password import Password
from kreactor.testing.certificates import Certificate, PrivateKey, new_certificate, new_key

PASSWORD = "TestSslPassword"

KEYSTORE_PROPS = (
    SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG, SslConfigs.SSL_KEYSTORE_TYPE_CONFIG,
    SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG, SslConfigs.SSL_KEY_PASSWORD_CONFIG,
    SslConfigs.SSL_KEYSTORE_KEY_CONFIG, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG)
TRUSTSTORE_PROPS = (
    SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG, SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG,
    SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG)

# How many stores there are, for the names of their files.
_count = iter(range(1_000_000))


@functools.cache
def _key(algorithm: str, number: int) -> PrivateKey:
    """Return one of a few keys: those of RSA and DSA take their time to be made."""
    return new_key(algorithm)


class CertStores:
    """With ``use_pem`` in the settings themselves, or else in PKCS12 files."""

    def __init__(self, server: bool, common_name: str, folder: Path, host_names: Iterable[str] = (),
                 addresses: Iterable[str] = (), key_algorithm: str = "RSA", use_pem: bool = False,
                 certificate: Certificate | None = None) -> None:
        number = next(_count)
        certificate = certificate or new_certificate(
            common_name, host_names, addresses, key=_key(key_algorithm, number % 4))
        self.certificate = certificate
        definition = ConfigDef()
        SslConfigs.add_client_ssl_support(definition)
        self._ssl_config: dict[str, Any] = definition.parse({})
        self._ssl_config[SslConfigs.SSL_KEY_PASSWORD_CONFIG] = Password(PASSWORD)
        if use_pem:
            self._ssl_config |= {
                SslConfigs.SSL_KEYSTORE_TYPE_CONFIG: "PEM",
                SslConfigs.SSL_KEYSTORE_KEY_CONFIG: Password(certificate.private_key_pem(PASSWORD)),
                SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG: Password(certificate.chain_pem()),
                SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG: "PEM",
                SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG: Password(certificate.certificate_pem()),
            }
        else:
            keystore, truststore = (folder / f"{number}-{kind}.p12" for kind in ("key", "trust"))
            keystore.write_bytes(certificate.key_store(PASSWORD))
            truststore.write_bytes(certificate.trust_store(PASSWORD))
            self._ssl_config |= {
                SslConfigs.SSL_KEYSTORE_TYPE_CONFIG: "PKCS12",
                SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG: str(keystore),
                SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG: Password(PASSWORD),
                SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG: "PKCS12",
                SslConfigs.SSL_TRUSTSTORE_LOCATION_CONFIG: str(truststore),
                SslConfigs.SSL_TRUSTSTORE_PASSWORD_CONFIG: Password(PASSWORD),
            }

    def get_trusting_config(self, truststore_config: CertStores) -> dict[str, Any]:
        """Return the settings of an end that believes the other."""
        return self._ssl_config | truststore_config.trust_store_props()

    def get_untrusting_config(self) -> dict[str, Any]:
        """Return the settings of an end that believes itself alone."""
        return dict(self._ssl_config)

    def key_store_props(self) -> dict[str, Any]:
        return {name: self._ssl_config.get(name) for name in KEYSTORE_PROPS}

    def trust_store_props(self) -> dict[str, Any]:
        return {name: self._ssl_config.get(name) for name in TRUSTSTORE_PROPS}
