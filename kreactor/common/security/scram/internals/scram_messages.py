# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramMessages of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The four messages of an exchange (RFC 5802). Only the client's first message keeps its extensions.

Client and server take turns::

    n,,n=alice,r=NONCE1
    r=NONCE1NONCE2,s=SALT,i=4096
    c=biws,r=NONCE1NONCE2,p=PROOF
    v=SIGNATURE                     or  e=error
"""

from __future__ import annotations

import base64
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping

from kreactor.common.security.scram.internals.scram_extensions import ScramExtensions
from kreactor.common.utils.utils import Utils
from kreactor.jdk.sasl import SaslException

_INT_MAX = 2**31 - 1


class AbstractScramMessage(ABC):
    """:origin: common.security.scram.internals.ScramMessages.AbstractScramMessage"""

    __slots__ = ()

    ALPHA = "[A-Za-z]+"
    VALUE_SAFE = r"[\x01-\x2b\x2d-\x3c\x3e-\x7f]+"
    VALUE = r"[\x01-\x2b\x2d-\x7f]+"
    PRINTABLE = r"[\x21-\x2b\x2d-\x7e]+"
    SASLNAME = r"(?:[\x01-\x2b\x2d-\x3c\x3e-\x7f]|=2C|=3D)+"
    BASE64_CHAR = "[a-zA-Z0-9/+]"
    BASE64 = f"(?:{BASE64_CHAR}{{4}})*(?:{BASE64_CHAR}{{3}}=|{BASE64_CHAR}{{2}}==)?"
    RESERVED = f"(m={VALUE},)?"
    EXTENSIONS = f"(?:,{ALPHA}={VALUE})*"

    @abstractmethod
    def to_message(self) -> str:
        """Return the message's text.

        :origin: common.security.scram.internals.ScramMessages.AbstractScramMessage#toMessage()
        """

    def to_bytes(self) -> bytes:
        """:origin: common.security.scram.internals.ScramMessages.AbstractScramMessage#toBytes()"""
        return self.to_message().encode("utf-8")

    @staticmethod
    def _match(pattern: re.Pattern[str], message_bytes: bytes, kind: str) -> re.Match[str]:
        """Parse a message. Raises SaslException for a malformed one.

        :origin: common.security.scram.internals.ScramMessages.AbstractScramMessage#toMessage(byte[])
        """
        matcher = pattern.fullmatch(message_bytes.decode("utf-8", "replace"))
        if matcher is None:
            # DEVIATION D183: the origin's exception shows the message, which may hold the password of a
            # faulty client.
            raise SaslException(f"Invalid SCRAM {kind} message format")
        return matcher


class ClientFirstMessage(AbstractScramMessage):
    """The client's first message: the user name and a nonce, without channel binding.

    :origin: common.security.scram.internals.ScramMessages.ClientFirstMessage
    """

    __slots__ = ("_sasl_name", "_nonce", "_authorization_id", "_extensions")

    _PATTERN = re.compile(
        f"n,(?:a=(?P<authzid>{AbstractScramMessage.SASLNAME}))?,{AbstractScramMessage.RESERVED}"
        f"n=(?P<saslname>{AbstractScramMessage.SASLNAME}),r=(?P<nonce>{AbstractScramMessage.PRINTABLE})"
        f"(?P<extensions>{AbstractScramMessage.EXTENSIONS})")

    @staticmethod
    def parse(message_bytes: bytes) -> ClientFirstMessage:
        """Parse a message. Raises SaslException.

        :origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#ClientFirstMessage(byte[])
        """
        matcher = AbstractScramMessage._match(
            ClientFirstMessage._PATTERN, message_bytes, "client first")
        return ClientFirstMessage(
            matcher["saslname"], matcher["nonce"], ScramExtensions(matcher["extensions"][1:]),
            matcher["authzid"] or "")

    def __init__(self, sasl_name: str, nonce: str, extensions: Mapping[str, str] | ScramExtensions,
                 authorization_id: str = "") -> None:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#ClientFirstMessage(
            String, String, Map<String,String>)
        """
        self._sasl_name = sasl_name
        self._nonce = nonce
        self._authorization_id = authorization_id
        self._extensions = (
            extensions if isinstance(extensions, ScramExtensions) else ScramExtensions(extensions))

    def sasl_name(self) -> str:
        """Return the user name, still encoded.

        :origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#saslName()
        """
        return self._sasl_name

    def nonce(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#nonce()"""
        return self._nonce

    def authorization_id(self) -> str:
        """Return the authorization id, empty for a message without one.

        :origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#authorizationId()
        """
        return self._authorization_id

    def gs2_header(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#gs2Header()"""
        return f"n,{self._authorization_id},"

    def extensions(self) -> ScramExtensions:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#extensions()"""
        return self._extensions

    def client_first_message_bare(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#clientFirstMessageBare()
        """
        extension_str = Utils.mk_string(self._extensions.map(), "", "", "=", ",")

        if not extension_str:
            return f"n={self._sasl_name},r={self._nonce}"
        return f"n={self._sasl_name},r={self._nonce},{extension_str}"

    def to_message(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFirstMessage#toMessage()"""
        return self.gs2_header() + self.client_first_message_bare()


class ServerFirstMessage(AbstractScramMessage):
    """The server's first message: salt, iterations and nonce for the client's proof.

    :origin: common.security.scram.internals.ScramMessages.ServerFirstMessage
    """

    __slots__ = ("_nonce", "_salt", "_iterations")

    _PATTERN = re.compile(
        f"{AbstractScramMessage.RESERVED}r=(?P<nonce>{AbstractScramMessage.PRINTABLE}),"
        f"s=(?P<salt>{AbstractScramMessage.BASE64}),i=(?P<iterations>[0-9]+)"
        f"{AbstractScramMessage.EXTENSIONS}")

    @staticmethod
    def parse(message_bytes: bytes) -> ServerFirstMessage:
        """Parse a message. Raises SaslException.

        :origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#ServerFirstMessage(byte[])
        """
        matcher = AbstractScramMessage._match(
            ServerFirstMessage._PATTERN, message_bytes, "server first")
        digits = matcher["iterations"].lstrip("0")
        iterations = int(digits or "0") if len(digits) <= len(str(_INT_MAX)) else _INT_MAX + 1
        if not 0 < iterations <= _INT_MAX:
            raise SaslException("Invalid SCRAM server first message format: invalid iterations"
                                + ("" if iterations else " 0"))
        return ServerFirstMessage(matcher["nonce"], "", base64.b64decode(matcher["salt"]), iterations)

    def __init__(self, client_nonce: str, server_nonce: str, salt: bytes, iterations: int) -> None:
        """:origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#ServerFirstMessage(
            String, String, byte[], int)
        """
        self._nonce = client_nonce + server_nonce
        self._salt = salt
        self._iterations = iterations

    def nonce(self) -> str:
        """Return the client's nonce followed by the server's.

        :origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#nonce()
        """
        return self._nonce

    def salt(self) -> bytes:
        """:origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#salt()"""
        return self._salt

    def iterations(self) -> int:
        """:origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#iterations()"""
        return self._iterations

    def to_message(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ServerFirstMessage#toMessage()"""
        return f"r={self._nonce},s={base64.b64encode(self._salt).decode('ascii')},i={self._iterations}"


class ClientFinalMessage(AbstractScramMessage):
    """The client's proof.

    :origin: common.security.scram.internals.ScramMessages.ClientFinalMessage
    """

    __slots__ = ("_channel_binding", "_nonce", "_proof")

    _PATTERN = re.compile(
        f"c=(?P<channel>{AbstractScramMessage.BASE64}),r=(?P<nonce>{AbstractScramMessage.PRINTABLE})"
        f"{AbstractScramMessage.EXTENSIONS},p=(?P<proof>{AbstractScramMessage.BASE64})")

    @staticmethod
    def parse(message_bytes: bytes) -> ClientFinalMessage:
        """Parse a message. Raises SaslException.

        :origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#ClientFinalMessage(byte[])
        """
        matcher = AbstractScramMessage._match(
            ClientFinalMessage._PATTERN, message_bytes, "client final")
        message = ClientFinalMessage(base64.b64decode(matcher["channel"]), matcher["nonce"])
        message.set_proof(base64.b64decode(matcher["proof"]))
        return message

    def __init__(self, channel_binding: bytes, nonce: str) -> None:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#ClientFinalMessage(
            byte[], String)
        """
        self._channel_binding = channel_binding
        self._nonce = nonce
        self._proof = b""

    def channel_binding(self) -> bytes:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#channelBinding()"""
        return self._channel_binding

    def nonce(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#nonce()"""
        return self._nonce

    def proof(self) -> bytes:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#proof()"""
        return self._proof

    def set_proof(self, proof: bytes) -> None:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#proof(byte[])"""
        self._proof = proof

    def client_final_message_without_proof(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#clientFinalMessageWithoutProof()
        """  # noqa: E501
        return f"c={base64.b64encode(self._channel_binding).decode('ascii')},r={self._nonce}"

    def to_message(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ClientFinalMessage#toMessage()"""
        return (f"{self.client_final_message_without_proof()},"
                f"p={base64.b64encode(self._proof).decode('ascii')}")


class ServerFinalMessage(AbstractScramMessage):
    """The server's final message: the server's signature, or an error.

    :origin: common.security.scram.internals.ScramMessages.ServerFinalMessage
    """

    __slots__ = ("_error", "_server_signature")

    _PATTERN = re.compile(
        f"(?:e=(?P<error>{AbstractScramMessage.VALUE_SAFE}))|"
        f"(?:v=(?P<signature>{AbstractScramMessage.BASE64})){AbstractScramMessage.EXTENSIONS}")

    @staticmethod
    def parse(message_bytes: bytes) -> ServerFinalMessage:
        """Parse a message. Raises SaslException.

        :origin: common.security.scram.internals.ScramMessages.ServerFinalMessage#ServerFinalMessage(byte[])
        """
        matcher = AbstractScramMessage._match(
            ServerFinalMessage._PATTERN, message_bytes, "server final")
        error = matcher["error"]
        return ServerFinalMessage(
            error, base64.b64decode(matcher["signature"]) if error is None else None)

    def __init__(self, error: str | None, server_signature: bytes | None) -> None:
        """Keep the error or the server's signature; the other is None.

        :origin: common.security.scram.internals.ScramMessages.ServerFinalMessage#ServerFinalMessage(
            String, byte[])
        """
        self._error = error
        self._server_signature = server_signature

    def error(self) -> str | None:
        """:origin: common.security.scram.internals.ScramMessages.ServerFinalMessage#error()"""
        return self._error

    def server_signature(self) -> bytes | None:
        """:origin: common.security.scram.internals.ScramMessages.ServerFinalMessage#serverSignature()"""
        return self._server_signature

    def to_message(self) -> str:
        """:origin: common.security.scram.internals.ScramMessages.ServerFinalMessage#toMessage()"""
        if self._error is not None:
            return f"e={self._error}"
        return f"v={base64.b64encode(self._server_signature or b'').decode('ascii')}"
