# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.security.KeyStore``: private keys with their certificates, and trusted certificates.

The library ``cryptography``, which the extra ``tls`` installs, reads stores of type PKCS12; the stdlib's
``ssl`` reads only PEM. JKS, which only Java reads, is refused.
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from kreactor.jdk.extras import needs
from kreactor.jdk.x509 import X509Certificate

PKCS12 = "PKCS12"


class KeyStoreException(OSError):
    """A store cannot be read, or its password is wrong."""


class KeyEntry(NamedTuple):
    """A private key in PEM, possibly encrypted, and its certificate chain, its own certificate first."""

    private_key: bytes
    certificate_chain: tuple[X509Certificate, ...]

    def __repr__(self) -> str:
        return f"KeyEntry({len(self.certificate_chain)} certificates)"


class KeyStore:
    """Entries by alias, in the order in which they were added."""

    def __init__(self) -> None:
        """Make an empty store."""
        self._keys: dict[str, KeyEntry] = {}
        self._certificates: dict[str, X509Certificate] = {}

    def set_key_entry(self, alias: str, private_key: bytes,
                      certificate_chain: tuple[X509Certificate, ...]) -> None:
        """Add a key, in PEM."""
        self._keys[alias] = KeyEntry(private_key, certificate_chain)

    def set_certificate_entry(self, alias: str, certificate: X509Certificate) -> None:
        """Add a trusted certificate."""
        self._certificates[alias] = certificate

    def aliases(self) -> list[str]:
        """Return the names of all entries."""
        return [*self._keys, *self._certificates]

    def get_certificate(self, alias: str) -> X509Certificate | None:
        """Return an entry's certificate; for a key, the first certificate of its chain."""
        key = self._keys.get(alias)
        return key.certificate_chain[0] if key is not None else self._certificates.get(alias)

    def key_entries(self) -> list[KeyEntry]:
        """Return the key entries."""
        return list(self._keys.values())

    def trusted_certificates(self) -> list[X509Certificate]:
        """Return the trusted certificates: those of entries without a key."""
        return list(self._certificates.values())

    @staticmethod
    def load(type_: str, data: bytes, password: str | None) -> KeyStore:
        """Read a store. Raises KeyStoreException, which never shows the password."""
        if type_.upper() != PKCS12:
            raise KeyStoreException(
                f"a key store of type {type_} cannot be read here; PEM and {PKCS12} can, and "
                "`keytool -importkeystore -deststoretype PKCS12` converts")
        try:
            from cryptography.hazmat.primitives import serialization
            from cryptography.hazmat.primitives.serialization import pkcs12
        except ImportError as e:
            raise KeyStoreException(needs(f"a key store of type {PKCS12}", "tls")) from e

        def certificate(found: pkcs12.PKCS12Certificate) -> X509Certificate:
            return X509Certificate(found.certificate.public_bytes(serialization.Encoding.DER))

        try:
            found = pkcs12.load_pkcs12(data, None if password is None else password.encode())
        except ValueError as e:
            raise KeyStoreException(f"keystore password was incorrect, or the store is not {PKCS12}") from e
        store = KeyStore()
        if found.key is not None and found.cert is not None:
            private_key = found.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
            chain = (certificate(found.cert), *map(certificate, found.additional_certs))
            store.set_key_entry((found.cert.friendly_name or b"1").decode(), private_key, chain)
        else:
            for number, other in enumerate(found.additional_certs):
                alias = (other.friendly_name or str(number).encode()).decode()
                store.set_certificate_entry(alias, certificate(other))
        return store


def load_key_entry(context: ssl.SSLContext, entry: KeyEntry, password: str | None) -> None:
    """Load the entry's key and certificates into ``context``.

    Raises KeyStoreException if the key or the password is not usable.

    The stdlib loads keys only from files. The file here is in memory where the system supports that;
    otherwise only this user can read it, and it is removed at once.
    """
    chain = "".join(ssl.DER_cert_to_PEM_cert(found.get_encoded()) for found in entry.certificate_chain)
    with _file(entry.private_key + b"\n" + chain.encode()) as path:
        try:
            # Always passed: without a password OpenSSL would ask for it at the terminal.
            context.load_cert_chain(path, password=password or "")
        except (ssl.SSLError, ValueError) as e:
            reason = getattr(e, "reason", None) or "bad password"
            raise KeyStoreException(
                f"the private key cannot be used: {reason.replace('_', ' ').lower()}") from e


def load_certificates(context: ssl.SSLContext, certificates: list[X509Certificate]) -> None:
    """Make ``context`` trust these certificates. Raises KeyStoreException if one cannot be read."""
    # As PEM text, because PyPy 7.3's ssl module reports the end of DER certificates as truncation.
    chain = "".join(ssl.DER_cert_to_PEM_cert(found.get_encoded()) for found in certificates)
    try:
        context.load_verify_locations(cadata=chain)
    except ssl.SSLError as e:
        raise KeyStoreException(f"a certificate cannot be read: {e.reason}") from e


@contextmanager
def _file(content: bytes) -> Iterator[str]:
    if hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd"):
        descriptor = os.memfd_create("key", os.MFD_CLOEXEC)
        try:
            with open(descriptor, "wb", closefd=False) as file:
                file.write(content)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    descriptor, path = tempfile.mkstemp()
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        yield path
    finally:
        os.unlink(path)
