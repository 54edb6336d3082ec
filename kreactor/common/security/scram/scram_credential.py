# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.ScramCredential of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The keys that a server keeps of a password. They have no text: the keys allow to guess at the password."""

from __future__ import annotations


class ScramCredential:
    """Immutable.

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
        """Return what the server proves by that it knows the user.

        :origin: common.security.scram.ScramCredential#serverKey()
        """
        return self._server_key

    def stored_key(self) -> bytes:
        """Return what a client's proof is checked by.

        :origin: common.security.scram.ScramCredential#storedKey()
        """
        return self._stored_key

    def iterations(self) -> int:
        """:origin: common.security.scram.ScramCredential#iterations()"""
        return self._iterations
