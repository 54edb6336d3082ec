# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.ScramCredential of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The keys that a server stores for a password.

They have no ``__str__``, because they allow guessing attacks.
"""

from __future__ import annotations


class ScramCredential:
    """The stored credential of a user. Immutable.

    :origin: common.security.scram.ScramCredential
    """

    __slots__ = ("_salt", "_server_key", "_stored_key", "_iterations")

    def __init__(self, salt: bytes, stored_key: bytes, server_key: bytes, iterations: int) -> None:
        """:origin: common.security.scram.ScramCredential#ScramCredential(byte[], byte[], byte[], int)"""
        self._salt = salt
        self._server_key = server_key
        self._stored_key = stored_key
        self._iterations = iterations

    def salt(self) -> bytes:
        """:origin: common.security.scram.ScramCredential#salt()"""
        return self._salt

    def server_key(self) -> bytes:
        """Return the key of the server's signature.

        :origin: common.security.scram.ScramCredential#serverKey()
        """
        return self._server_key

    def stored_key(self) -> bytes:
        """Return the key that checks a client's proof.

        :origin: common.security.scram.ScramCredential#storedKey()
        """
        return self._stored_key

    def iterations(self) -> int:
        """:origin: common.security.scram.ScramCredential#iterations()"""
        return self._iterations
