# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The openssl command as one end of a connection: it can do what Python's ssl module cannot.

A line with one letter has it begin a new handshake or change keys; anything else goes to the peer.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from kreactor.testing.certificates import Certificate
from tests.stepping import PATIENCE_S

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")


class _OpensslPeer:
    """A process of the command, and what it prints, both of itself and what its peer sends."""

    def __init__(self, *arguments: str) -> None:
        self._process = start(*arguments)

    def write(self, data: bytes) -> None:
        """Send bytes to the peer, or one letter and a newline to openssl itself."""
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def read_until(self, end: bytes) -> bytes:
        """Return what is printed, up to ``end``."""
        read = self.read_until_any(end)
        assert read.endswith(end), f"openssl has ended: {read!r}"
        return read

    def read_until_any(self, *ends: bytes) -> bytes:
        """Return what is printed, up to the first of ``ends``, or all if the process ends before."""
        assert self._process.stdout is not None
        read = bytearray()
        while not any(read.endswith(end) for end in ends):
            assert select.select([self._process.stdout], [], [], PATIENCE_S)[0], (ends, read)
            byte = os.read(self._process.stdout.fileno(), 1)
            if not byte:
                break
            read += byte
        return bytes(read)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


class OpensslServer(_OpensslPeer):
    """``openssl s_server`` for one connection, on a port of its own."""

    def __init__(self, folder: Path, certificate: Certificate, *options: str) -> None:
        pem = folder / "s_server.pem"
        pem.write_text(certificate.private_key_pem() + certificate.certificate_pem())
        super().__init__("s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-cert", str(pem), *options)
        self.read_until(b"ACCEPT 127.0.0.1:")
        self.port = int(self.read_until(b"\n"))


class OpensslClient(_OpensslPeer):
    """``openssl s_client`` that trusts the authority in the file ``ca``."""

    def __init__(self, port: int, ca: str, *options: str) -> None:
        super().__init__("s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", ca, *options)


def start(*arguments: str) -> subprocess.Popen[bytes]:
    """Start the command with pipes for all it reads and writes."""
    assert OPENSSL is not None
    return subprocess.Popen([OPENSSL, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def run(arguments: Sequence[str], stdin: bytes = b"", timeout_s: float = 20) -> bytes:
    """Run the command; return all that it prints."""
    with start(*arguments) as process:
        try:
            return process.communicate(stdin, timeout_s)[0]
        finally:
            process.kill()
