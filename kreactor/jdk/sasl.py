# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``javax.security.sasl``: servers, clients, and the callbacks by which a mechanism gets names and passwords.

Callbacks hold passwords, so no text here shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from kreactor.jdk.exceptions import IllegalStateException


class SaslException(OSError):
    """A SASL exchange failed. An ``OSError``, because it is an IOException in Java."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        if cause is not None:
            self.__cause__ = cause


class Callback:
    """A question of a mechanism. The handler stores the answer in it."""

    __slots__ = ()


class NameCallback(Callback):
    """Asks for a user name. On a server the default name is the name that the client sent."""

    __slots__ = ("_prompt", "_default_name", "_name")

    def __init__(self, prompt: str, default_name: str | None = None) -> None:
        self._prompt = prompt
        self._default_name = default_name
        self._name: str | None = None

    def get_default_name(self) -> str | None:
        """Return the name that the mechanism proposes, or None."""
        return self._default_name

    def get_name(self) -> str | None:
        """Return the name, or None before it is set."""
        return self._name

    def set_name(self, name: str | None) -> None:
        """Set the name."""
        self._name = name


class PasswordCallback(Callback):
    """Asks for a password."""

    __slots__ = ("_prompt", "_password")

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._password: str | None = None

    def get_password(self) -> str | None:
        """Return the password, or None before it is set."""
        return self._password

    def set_password(self, password: str) -> None:
        """Set the password."""
        self._password = password


class UnsupportedCallbackException(Exception):
    """The handler does not support a callback."""

    def __init__(self, callback: Callback, message: str = "Unrecognized callback") -> None:
        super().__init__(f"{message}: {type(callback).__name__}")


class CallbackHandler(Protocol):
    """Answers the callbacks of a mechanism."""

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Store the answers in ``callbacks``. Raises UnsupportedCallbackException, OSError."""


class SaslServer(ABC):
    """The server end of one exchange. Owner: one thread."""

    @abstractmethod
    def evaluate_response(self, response: bytes) -> bytes | None:
        """Process the client's token; return the token for the client. Raises SaslException for a refusal."""

    @abstractmethod
    def get_authorization_id(self) -> str:
        """Return the authorization id of the client.

        Raises IllegalStateException before the exchange is complete.
        """

    @abstractmethod
    def get_mechanism_name(self) -> str:
        """Return the mechanism's name."""

    @abstractmethod
    def get_negotiated_property(self, prop_name: str) -> object:
        """Return a negotiated property or None.

        Raises IllegalStateException before the exchange is complete.
        """

    @abstractmethod
    def is_complete(self) -> bool:
        """Return whether the client is authenticated."""

    @abstractmethod
    def dispose(self) -> None:
        """Drop all secrets."""


class SaslServerFactory(ABC):
    """Makes SASL servers for some mechanisms."""

    @abstractmethod
    def create_sasl_server(self, mechanism: str, protocol: str, server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server. Raises SaslException."""

    @abstractmethod
    def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
        """Return the names of the mechanisms that ``props`` allow."""


class SaslClient(ABC):
    """The client end of one exchange. Owner: one thread."""

    @abstractmethod
    def has_initial_response(self) -> bool:
        """Return whether the client sends the first token."""

    @abstractmethod
    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Process the server's token; return the token for the server, or None. Raises SaslException."""

    @abstractmethod
    def get_mechanism_name(self) -> str:
        """Return the mechanism's name."""

    @abstractmethod
    def get_negotiated_property(self, prop_name: str) -> object:
        """Return a negotiated property or None.

        Raises IllegalStateException before the exchange is complete.
        """

    @abstractmethod
    def is_complete(self) -> bool:
        """Return whether the exchange is complete for the client."""

    @abstractmethod
    def dispose(self) -> None:
        """Drop all secrets."""


class SaslClientFactory(ABC):
    """Makes SASL clients for some mechanisms."""

    @abstractmethod
    def create_sasl_client(self, mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                           server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslClient | None:
        """Return a client of the first mechanism that the factory supports. Raises SaslException."""

    @abstractmethod
    def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
        """Return the names of the mechanisms that ``props`` allow."""


class Sasl:
    """The factories of all providers. Loading a provider adds its factories, which are never removed."""

    POLICY_NOPLAINTEXT = "javax.security.sasl.policy.noplaintext"

    _factories: list[SaslServerFactory] = []
    _client_factories: list[SaslClientFactory] = []

    @staticmethod
    def add_server_factory(factory: SaslServerFactory) -> None:
        """Add a provider's server factory."""
        Sasl._factories.append(factory)

    @staticmethod
    def create_sasl_server(mechanism: str, protocol: str, server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server for ``mechanism``, or None if no factory supports it. Raises SaslException."""
        for factory in Sasl._factories:
            if mechanism in factory.get_mechanism_names(props):
                server = factory.create_sasl_server(mechanism, protocol, server_name, props, cbh)
                if server is not None:
                    return server
        return None

    @staticmethod
    def add_client_factory(factory: SaslClientFactory) -> None:
        """Add a provider's client factory."""
        Sasl._client_factories.append(factory)

    @staticmethod
    def create_sasl_client(mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                           server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslClient | None:
        """Return a client for the first of ``mechanisms`` that a factory supports. Raises SaslException."""
        for mechanism in mechanisms:
            for factory in Sasl._client_factories:
                if mechanism in factory.get_mechanism_names(props):
                    client = factory.create_sasl_client(
                        [mechanism], authorization_id, protocol, server_name, props, cbh)
                    if client is not None:
                        return client
        return None


class PlainClient(SaslClient):
    """The JDK's client of PLAIN: it sends a name and a password in one message (RFC 4616).

    Raises SaslException if the name or the password is None.
    """

    __slots__ = ("_authorization_id", "_authentication_id", "_password", "_completed")

    def __init__(self, authorization_id: str | None, authentication_id: str | None,
                 password: str | None) -> None:
        if authentication_id is None or password is None:
            raise SaslException("PLAIN: authorization ID and password must be specified")
        self._authorization_id = authorization_id
        self._authentication_id = authentication_id
        self._password = password
        self._completed = False

    def has_initial_response(self) -> bool:
        return True

    def evaluate_challenge(self, challenge: bytes) -> bytes:
        if self._completed:
            raise IllegalStateException("PLAIN authentication already completed")
        self._completed = True
        message = "\0".join((self._authorization_id or "", self._authentication_id, self._password))
        return message.encode("utf-8", "replace")

    def get_mechanism_name(self) -> str:
        return "PLAIN"

    def get_negotiated_property(self, prop_name: str) -> object:
        if not self._completed:
            raise IllegalStateException("PLAIN authentication not completed")
        return None

    def is_complete(self) -> bool:
        return self._completed

    def dispose(self) -> None:
        pass


class PlainClientFactory(SaslClientFactory):
    """Makes clients of PLAIN. The factory gets the name and the password by callbacks, as Java's does."""

    def create_sasl_client(self, mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                           server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslClient | None:
        name_callback = NameCallback("PLAIN authentication id: ", authorization_id)
        password_callback = PasswordCallback("PLAIN password: ")
        try:
            cbh.handle([name_callback, password_callback])
        except (OSError, UnsupportedCallbackException) as e:
            raise SaslException("Cannot get userid/password", e) from e
        return PlainClient(authorization_id, name_callback.get_name(), password_callback.get_password())

    def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
        return ["PLAIN"]


Sasl.add_client_factory(PlainClientFactory())
