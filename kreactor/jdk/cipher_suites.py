# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Names of cipher suites: IANA's, which Java and Kafka's settings use, and OpenSSL's."""

from __future__ import annotations

# IANA's names of key exchanges by OpenSSL's. OpenSSL has no name for the key exchange by RSA itself.
_EXCHANGES = {
    "ECDHE-ECDSA-": "ECDHE_ECDSA", "ECDHE-RSA-": "ECDHE_RSA", "DHE-RSA-": "DHE_RSA", "DHE-DSS-": "DHE_DSS",
    "": "RSA",
}
_CIPHERS = {
    "AES256-GCM-SHA384": "AES_256_GCM_SHA384", "AES128-GCM-SHA256": "AES_128_GCM_SHA256",
    "CHACHA20-POLY1305": "CHACHA20_POLY1305_SHA256", "AES256-SHA384": "AES_256_CBC_SHA384",
    "AES256-SHA256": "AES_256_CBC_SHA256", "AES128-SHA256": "AES_128_CBC_SHA256",
    "AES256-SHA": "AES_256_CBC_SHA", "AES128-SHA": "AES_128_CBC_SHA",
    "AES256-CCM": "AES_256_CCM", "AES128-CCM": "AES_128_CCM", "NULL-SHA256": "NULL_SHA256",
    "NULL-SHA": "NULL_SHA",
}
_IANA_BY_OPENSSL = {
    f"{exchange}{cipher}": f"TLS_{exchange_name}_WITH_{cipher_name}"
    for exchange, exchange_name in _EXCHANGES.items() for cipher, cipher_name in _CIPHERS.items()}
_OPENSSL_BY_IANA = {name: openssl for openssl, name in _IANA_BY_OPENSSL.items()}

# The suites of TLS 1.3, which have the same name in both.
TLS_1_3 = frozenset({
    "TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256"})


def iana_name(openssl_name: str) -> str:
    """Return IANA's name of a suite; an unknown name is returned unchanged."""
    return _IANA_BY_OPENSSL.get(openssl_name, openssl_name)


def openssl_name(iana_name: str) -> str:
    """Return OpenSSL's name of a suite; an unknown name is returned unchanged."""
    return _OPENSSL_BY_IANA.get(iana_name, iana_name)
