# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramFormatter of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The hash functions and encodings of SCRAM (RFC 5802)."""

from __future__ import annotations

import hashlib
import hmac

from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.internals.scram_messages import (
    ClientFinalMessage,
    ClientFirstMessage,
    ServerFirstMessage,
)
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.secure_random import random_bits

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class ScramFormatter:
    """The functions for one mechanism. Immutable; used by any thread.

    :origin: common.security.scram.internals.ScramFormatter
    """

    __slots__ = ("_digest",)

    RANDOM_BITS = 130

    def __init__(self, mechanism: ScramMechanism) -> None:
        """:origin: common.security.scram.internals.ScramFormatter#ScramFormatter(ScramMechanism)"""
        self._digest = mechanism.hash_algorithm().replace("-", "").lower()

    def hmac(self, key: bytes, data: bytes) -> bytes:
        """Return an HMAC. Raises IllegalArgumentException for an empty key, as in Java.

        :origin: common.security.scram.internals.ScramFormatter#hmac(byte[], byte[])
        """
        if not key:
            raise IllegalArgumentException("Empty key")
        return hmac.digest(key, data, self._digest)

    def hash(self, data: bytes) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#hash(byte[])"""
        return hashlib.new(self._digest, data).digest()

    @staticmethod
    def xor(first: bytes, second: bytes) -> bytes:
        """Return ``first`` xor ``second``. Raises IllegalArgumentException for different lengths.

        :origin: common.security.scram.internals.ScramFormatter#xor(byte[], byte[])
        """
        if len(first) != len(second):
            raise IllegalArgumentException("Argument arrays must be of the same length")
        return bytes(a ^ b for a, b in zip(first, second))

    def hi(self, data: bytes, salt: bytes, iterations: int) -> bytes:
        """Return the salted password. Raises IllegalArgumentException for an empty one, as in Java.

        :origin: common.security.scram.internals.ScramFormatter#hi(byte[], byte[], int)
        """
        if not data:
            raise IllegalArgumentException("Empty key")
        # DEVIATION D182: Hi is PBKDF2 of one block, which OpenSSL computes in one call.
        return hashlib.pbkdf2_hmac(self._digest, data, salt, max(iterations, 1))

    @staticmethod
    def normalize(string: str) -> bytes:
        """Return the password in UTF-8. As in the origin, SASLprep is not applied.

        :origin: common.security.scram.internals.ScramFormatter#normalize(String)
        """
        return ScramFormatter.to_bytes(string)

    def salted_password(self, password: str, salt: bytes, iterations: int) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#saltedPassword(String, byte[], int)"""
        return self.hi(self.normalize(password), salt, iterations)

    def client_key(self, salted_password: bytes) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#clientKey(byte[])"""
        return self.hmac(salted_password, b"Client Key")

    def stored_key(self, client_key: bytes) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#storedKey(byte[])"""
        return self.hash(client_key)

    @staticmethod
    def sasl_name(username: str) -> str:
        """Return a user name encoded for a message.

        :origin: common.security.scram.internals.ScramFormatter#saslName(String)
        """
        return username.replace("=", "=3D").replace(",", "=2C")

    @staticmethod
    def username(sasl_name: str) -> str:
        """Return the user name decoded from a message. Raises IllegalArgumentException for an unescaped "=".

        :origin: common.security.scram.internals.ScramFormatter#username(String)
        """
        username = sasl_name.replace("=2C", ",")
        if "=" in username.replace("=3D", ""):
            raise IllegalArgumentException(f"Invalid username: {sasl_name}")
        return username.replace("=3D", "=")

    @staticmethod
    def auth_message(client_first_message_bare: str, server_first_message: str,
                     client_final_message_without_proof: str) -> str:
        """:origin: common.security.scram.internals.ScramFormatter#authMessage(String, String, String)"""
        return f"{client_first_message_bare},{server_first_message},{client_final_message_without_proof}"

    def client_signature(self, stored_key: bytes, client_first_message: ClientFirstMessage,
                         server_first_message: ServerFirstMessage,
                         client_final_message: ClientFinalMessage) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#clientSignature(
            byte[], ClientFirstMessage, ServerFirstMessage, ClientFinalMessage)
        """
        auth_message = self._auth_message(client_first_message, server_first_message, client_final_message)
        return self.hmac(stored_key, auth_message)

    def client_proof(self, salted_password: bytes, client_first_message: ClientFirstMessage,
                     server_first_message: ServerFirstMessage,
                     client_final_message: ClientFinalMessage) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#clientProof(
            byte[], ClientFirstMessage, ServerFirstMessage, ClientFinalMessage)
        """
        client_key = self.client_key(salted_password)
        stored_key = self.hash(client_key)
        client_signature = self.hmac(
            stored_key, self._auth_message(client_first_message, server_first_message, client_final_message))
        return self.xor(client_key, client_signature)

    def _auth_message(self, client_first_message: ClientFirstMessage,
                      server_first_message: ServerFirstMessage,
                      client_final_message: ClientFinalMessage) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#authMessage(
            ClientFirstMessage, ServerFirstMessage, ClientFinalMessage)
        """
        return self.to_bytes(self.auth_message(
            client_first_message.client_first_message_bare(),
            server_first_message.to_message(),
            client_final_message.client_final_message_without_proof()))

    def stored_key_of_proof(self, client_signature: bytes, client_proof: bytes) -> bytes:
        """Return the stored key for a client's proof. Raises IllegalArgumentException.

        :origin: common.security.scram.internals.ScramFormatter#storedKey(byte[], byte[])
        """
        return self.hash(self.xor(client_signature, client_proof))

    def server_key(self, salted_password: bytes) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#serverKey(byte[])"""
        return self.hmac(salted_password, b"Server Key")

    def server_signature(self, server_key: bytes, client_first_message: ClientFirstMessage,
                         server_first_message: ServerFirstMessage,
                         client_final_message: ClientFinalMessage) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#serverSignature(
            byte[], ClientFirstMessage, ServerFirstMessage, ClientFinalMessage)
        """
        auth_message = self._auth_message(client_first_message, server_first_message, client_final_message)
        return self.hmac(server_key, auth_message)

    @staticmethod
    def secure_random_string() -> str:
        """Return 130 secure random bits as digits and lower-case letters.

        :origin: common.security.scram.internals.ScramFormatter#secureRandomString()
        :origin: common.security.scram.internals.ScramFormatter#secureRandomString(SecureRandom)
        """
        return ScramFormatter.to_string(random_bits(ScramFormatter.RANDOM_BITS))

    @staticmethod
    def to_string(number: int) -> str:
        """Return a number in base 36."""
        digits = ""
        while number:
            number, digit = divmod(number, len(_DIGITS))
            digits = _DIGITS[digit] + digits
        return digits or "0"

    @staticmethod
    def secure_random_bytes() -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#secureRandomBytes()
        :origin: common.security.scram.internals.ScramFormatter#secureRandomBytes(SecureRandom)
        """
        return ScramFormatter.to_bytes(ScramFormatter.secure_random_string())

    @staticmethod
    def to_bytes(string: str) -> bytes:
        """:origin: common.security.scram.internals.ScramFormatter#toBytes(String)"""
        return string.encode("utf-8", "replace")

    def generate_credential(self, password: str, iterations: int) -> ScramCredential:
        """Return the credential of a password, with a new salt.

        :origin: common.security.scram.internals.ScramFormatter#generateCredential(String, int)
        """
        salt = self.secure_random_bytes()
        salted_password = self.salted_password(password, salt, iterations)
        return self.generate_credential_salted(salt, salted_password, iterations)

    def generate_credential_salted(self, salt: bytes, salted_password: bytes,
                                   iterations: int) -> ScramCredential:
        """Return the credential of a salted password.

        :origin: common.security.scram.internals.ScramFormatter#generateCredential(byte[], byte[], int)
        """
        client_key = self.client_key(salted_password)
        stored_key = self.stored_key(client_key)
        server_key = self.server_key(salted_password)
        return ScramCredential(salt, stored_key, server_key, iterations)
