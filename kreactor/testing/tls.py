# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Files for both ends of a test over TLS: an authority, certificates of the broker and of its clients.

All of it is made on the spot, in files, which is what most clients take. Needs the extra ``tls``.
"""

from __future__ import annotations

import os
import ssl
from datetime import timedelta
from typing import NamedTuple

from kreactor.testing.certificates import Certificate, new_certificate
from kreactor.testing.folders import TemporaryFolder


class ClientFiles(NamedTuple):
    """Paths to PEM files: whom a client believes, and its own certificate and key, if it has any."""

    ca: str
    certificate: str | None = None
    key: str | None = None

    def ssl_context(self) -> ssl.SSLContext:
        """Return a context for clients that take one."""
        context = ssl.create_default_context(cafile=self.ca)
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)
        return context


class Tls:
    """An authority of its own, with the files that it vouches for. ``close`` removes them."""

    def __init__(self, host_names: tuple[str, ...] = ("localhost",),
                 addresses: tuple[str, ...] = ("127.0.0.1",)) -> None:
        """Make the authority, and a certificate for a broker of these names and addresses."""
        self._folder = TemporaryFolder("kreactor-tls-")
        self._host_names, self._addresses = host_names, addresses
        self._authority = new_certificate("authority")
        # The authority's certificate: what clients are to believe.
        self.ca = self._file("ca.pem", self._authority.certificate_pem())
        # The broker's key and certificates, in one file.
        self.keystore = self.server_keystore()
        client = self.client("client")
        # Of a client that the broker believes, by the name of CN=client.
        self.certificate, self.key = client.certificate, client.key

    def server_keystore(self, file_name: str = "server.pem", host_names: tuple[str, ...] | None = None,
                        addresses: tuple[str, ...] | None = None,
                        valid_for: timedelta = timedelta(days=30)) -> str:
        """Write another key store of the broker's; return its path.

        For its own names and addresses unless others are given; a negative ``valid_for`` has it expired.
        """
        made = new_certificate(
            "server", self._host_names if host_names is None else host_names,
            self._addresses if addresses is None else addresses, signed_by=self._authority,
            valid_for=valid_for)
        return self._file(file_name, made.private_key_pem() + made.chain_pem())

    def client(self, common_name: str | None = None, signed_by: Certificate | None = None,
               valid_for: timedelta = timedelta(days=30)) -> ClientFiles:
        """Return the files of a client: with a certificate if it has a name, by this authority or another."""
        if common_name is None:
            return ClientFiles(self.ca)
        made = new_certificate(
            common_name, signed_by=self._authority if signed_by is None else signed_by, valid_for=valid_for)
        return ClientFiles(self.ca, self._file(f"{common_name}.pem", made.chain_pem()),
                           self._file(f"{common_name}.key", made.private_key_pem()))

    def client_keystore(self) -> str:
        """Write the client's key and certificates into one PEM file, as Java takes them; return its path."""
        content = ""
        for path in (self.key, self.certificate):
            assert path is not None, "made with the authority"
            with open(path, encoding="ascii") as file:
                content += file.read()
        return self._file("client.keystore.pem", content)

    def ssl_context(self, client_certificate: bool = True) -> ssl.SSLContext:
        """Return a client's context, for those that take one, such as aiokafka."""
        if client_certificate:
            return ClientFiles(self.ca, self.certificate, self.key).ssl_context()
        return ClientFiles(self.ca).ssl_context()

    def properties(self, mutual: bool) -> dict[str, str]:
        """Return a broker's properties; with ``mutual`` it wants certificates of its clients."""
        client_auth = "required" if mutual else "none"
        return {"ssl.keystore.type": "PEM", "ssl.keystore.location": self.keystore,
                "ssl.truststore.type": "PEM", "ssl.truststore.location": self.ca,
                "ssl.client.auth": client_auth,
                # As in Kafka, a listener with SASL takes this setting only with its own prefix.
                "listener.name.sasl_ssl.ssl.client.auth": client_auth}

    def close(self) -> None:
        """Remove the files."""
        self._folder.close()

    def _file(self, name: str, content: str) -> str:
        path = os.path.join(self._folder.path, name)
        with open(path, "w", encoding="ascii", opener=_opener) as file:
            file.write(content)
        return path


def _opener(path: str, flags: int) -> int:
    # Keys are for this user alone.
    return os.open(path, flags, 0o600)
