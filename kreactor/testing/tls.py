# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Files for a test over TLS: an authority, and certificates of the broker and of clients.

All keys and certificates are new, and in files, because most clients read files. Needs the extra ``tls``.
"""

from __future__ import annotations

import os
from datetime import timedelta
from typing import NamedTuple

from kreactor.jdk.floor import Floor
from kreactor.testing.certificates import Certificate, new_certificate
from kreactor.testing.folders import TemporaryFolder


class ClientFiles(NamedTuple):
    """Paths of a client's PEM files: the trusted authority, and the client's certificate and key, if any."""

    ca: str
    certificate: str | None = None
    key: str | None = None

    def ssl_context(self) -> Floor.ssl.SSLContext:
        """Return an ssl.SSLContext with these files."""
        context = Floor.ssl.create_default_context(cafile=self.ca)
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)
        return context


class Tls:
    """An authority and the files that it signs. ``close`` removes them."""

    def __init__(self, host_names: tuple[str, ...] = ("localhost",),
                 addresses: tuple[str, ...] = ("127.0.0.1",)) -> None:
        """Make the authority, and a certificate for a broker with these host names and addresses."""
        self._folder = TemporaryFolder("kreactor-tls-")
        self._host_names, self._addresses = host_names, addresses
        self._authority = new_certificate("authority")
        # The authority's certificate, which clients trust.
        self.ca = self._file("ca.pem", self._authority.certificate_pem())
        # The broker's key and certificate chain, in one file.
        self.keystore = self.server_keystore()
        client = self.client("client")
        # The files of a client that the broker trusts, with the name CN=client.
        self.certificate, self.key = client.certificate, client.key

    def server_keystore(self, file_name: str = "server.pem", host_names: tuple[str, ...] | None = None,
                        addresses: tuple[str, ...] | None = None,
                        valid_for: timedelta = timedelta(days=30)) -> str:
        """Write another key store for the broker; return its path.

        Its names and addresses are the broker's unless others are given. A negative ``valid_for`` makes it
        expired.
        """
        made = new_certificate(
            "server", self._host_names if host_names is None else host_names,
            self._addresses if addresses is None else addresses, signed_by=self._authority,
            valid_for=valid_for)
        return self._file(file_name, made.private_key_pem() + made.chain_pem())

    def client(self, common_name: str | None = None, signed_by: Certificate | None = None,
               valid_for: timedelta = timedelta(days=30)) -> ClientFiles:
        """Return a client's files.

        With ``name`` they have a certificate, signed by this or another authority.
        """
        if common_name is None:
            return ClientFiles(self.ca)
        made = new_certificate(
            common_name, signed_by=self._authority if signed_by is None else signed_by, valid_for=valid_for)
        return ClientFiles(self.ca, self._file(f"{common_name}.pem", made.chain_pem()),
                           self._file(f"{common_name}.key", made.private_key_pem()))

    def client_keystore(self) -> str:
        """Write the client's key and certificates into one PEM file, the form for Java; return its path."""
        content = ""
        for path in (self.key, self.certificate):
            assert path is not None, "made with the authority"
            with Floor.io.open(path, encoding="ascii") as file:
                content += file.read()
        return self._file("client.keystore.pem", content)

    def ssl_context(self, client_certificate: bool = True) -> Floor.ssl.SSLContext:
        """Return a client's ssl.SSLContext, for clients such as aiokafka."""
        if client_certificate:
            return ClientFiles(self.ca, self.certificate, self.key).ssl_context()
        return ClientFiles(self.ca).ssl_context()

    def properties(self, mutual: bool) -> dict[str, str]:
        """Return a broker's TLS properties; with ``mutual`` the broker requires client certificates."""
        client_auth = "required" if mutual else "none"
        return {"ssl.keystore.type": "PEM", "ssl.keystore.location": self.keystore,
                "ssl.truststore.type": "PEM", "ssl.truststore.location": self.ca,
                "ssl.client.auth": client_auth,
                # As in Kafka, a listener with SASL reads this setting only with the listener's prefix.
                "listener.name.sasl_ssl.ssl.client.auth": client_auth}

    def close(self) -> None:
        """Remove the files."""
        self._folder.close()

    def _file(self, name: str, content: str) -> str:
        path = os.path.join(self._folder.path, name)
        with Floor.io.open(path, "w", encoding="ascii", opener=_opener) as file:
            file.write(content)
        return path


def _opener(path: str, flags: int) -> int:
    # Only this user may read the keys.
    return Floor.os.open(path, flags, 0o600)
