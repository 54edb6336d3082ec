# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Certificates made on the spot, for tests of TLS. Needs the extra ``tls``.

Not for use outside of tests: the private keys are readable, and certificates cannot be revoked.

``trustme`` does not replace this module, for five reasons. It adds an organization and a unit to each name,
so a client would not be ``User:CN=client``. It makes no DSA key and accepts no existing key. Only its
authorities are self-signed, and their certificates never expire; Kafka's tests use self-signed end
certificates. It writes keys in PKCS 1 or SEC 1 without a password, but Kafka's PEM stores read PKCS 8. It
writes no PKCS12 stores.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from kreactor.jdk.extras import needs

try:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import dsa, ec, rsa
    from cryptography.hazmat.primitives.serialization import pkcs12
    from cryptography.x509.oid import NameOID
except ImportError as e:
    raise ImportError(needs("a new certificate", "tls")) from e

from kreactor.jdk.clock import Clock

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | dsa.DSAPrivateKey

_PEM = serialization.Encoding.PEM
_DAY = datetime.timedelta(days=1)
# By default cryptography derives a key in 20,000 rounds, and a load of a store takes 30 ms of CPU time. The
# rounds make a stolen store's password harder to guess, and the passwords of tests are no secrets.
_ROUNDS = 100
# The key usages of an authority, which may also be one end of a connection.
_AUTHORITY_USAGE = x509.KeyUsage(
    digital_signature=True, content_commitment=False, key_encipherment=True, data_encipherment=False,
    key_agreement=True, key_cert_sign=True, crl_sign=True, encipher_only=False, decipher_only=False)


@dataclass(frozen=True)
class Certificate:
    """A certificate, its private key, and the chain of issuers that signed it; empty if it is self-signed."""

    key: PrivateKey
    certificate: x509.Certificate
    issuers: tuple[x509.Certificate, ...] = ()

    def private_key_pem(self, password: str | None = None) -> str:
        """Return the key, encrypted if there is a password."""
        encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if password is not None:
            encryption = serialization.BestAvailableEncryption(password.encode())
        return self.key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, encryption).decode()

    def certificate_pem(self) -> str:
        """Return the certificate alone."""
        return self.certificate.public_bytes(_PEM).decode()

    def chain_pem(self) -> str:
        """Return the certificate and those of its issuers."""
        return "".join(each.public_bytes(_PEM).decode() for each in (self.certificate, *self.issuers))

    def key_store(self, password: str, name: str = "kafka") -> bytes:
        """Return the key and the certificate chain as a PKCS12 store."""
        return pkcs12.serialize_key_and_certificates(
            name.encode(), self.key, self.certificate, self.issuers or None,
            _store_encryption(password))

    def trust_store(self, password: str, name: str = "kafka") -> bytes:
        """Return a PKCS12 store that trusts this certificate."""
        return trust_store(
            [pkcs12.PKCS12Certificate(self.certificate, name.encode())],
            _store_encryption(password))


def _store_encryption(password: str) -> serialization.KeySerializationEncryption:
    """Return the algorithms of a new store of Java."""
    return (serialization.PrivateFormat.PKCS12.encryption_builder().kdf_rounds(_ROUNDS)
            .key_cert_algorithm(pkcs12.PBES.PBESv2SHA256AndAES256CBC).hmac_hash(hashes.SHA256())
            .build(password.encode()))


def trust_store(certificates: Iterable[pkcs12.PKCS12Certificate],
                encryption: serialization.KeySerializationEncryption) -> bytes:
    """Return a PKCS12 store that trusts these certificates.

    Java accepts the store if ``cryptography`` is 45 or newer. Older releases, the only ones for PyPy 7.3,
    cannot write the attribute that Java requires.
    """
    entries = list(certificates)
    if hasattr(pkcs12, "serialize_java_truststore"):
        return pkcs12.serialize_java_truststore(entries, encryption)
    return pkcs12.serialize_key_and_certificates(None, None, None, entries, encryption)


def new_key(algorithm: str = "EC") -> PrivateKey:
    """Return a new private key: EC, which is the fastest to make, RSA or DSA."""
    if algorithm == "EC":
        return ec.generate_private_key(ec.SECP256R1())
    if algorithm == "RSA":
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)
    if algorithm == "DSA":
        return dsa.generate_private_key(key_size=2048)
    raise ValueError(f"keys are EC, RSA or DSA, not {algorithm}")


def new_certificate(
    common_name: str,
    host_names: Iterable[str] = (),
    addresses: Iterable[str] = (),
    algorithm: str = "EC",
    signed_by: Certificate | None = None,
    valid_for: datetime.timedelta = 30 * _DAY,
    key: PrivateKey | None = None,
    is_authority: bool | None = None,
    subject: x509.Name | None = None,
) -> Certificate:
    """Return a certificate for a name, signed by ``authority``, or self-signed without one.

    A negative ``valid_for`` makes an expired certificate. A self-signed certificate may sign others, unless
    ``is_authority`` is False. ``subject`` is the distinguished name, if it has more than the common name.
    """
    key = new_key(algorithm) if key is None else key
    if subject is None:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    if is_authority is None:
        is_authority = signed_by is None
    now = Clock.utc()
    names: list[x509.GeneralName] = [x509.DNSName(name) for name in host_names]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    builder = (
        x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
        .issuer_name(subject if signed_by is None else signed_by.certificate.subject)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + min(valid_for, datetime.timedelta()) - _DAY).not_valid_after(now + valid_for)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False))
    # Python 3.13 and newer verify strictly by default: RFC 5280 requires these three extensions.
    if is_authority:
        builder = builder.add_extension(_AUTHORITY_USAGE, critical=True)
    if signed_by is not None:
        issuers_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(signed_by.key.public_key())
        builder = builder.add_extension(issuers_key, critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(key if signed_by is None else signed_by.key, hashes.SHA256())
    issuers = () if signed_by is None else (signed_by.certificate, *signed_by.issuers)
    return Certificate(key, certificate, issuers)
