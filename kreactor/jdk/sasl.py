# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Both ends of ``javax.security.sasl``, and callbacks, by which a mechanism asks what it cannot know.

Callbacks hold passwords: nothing here has a text that shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from kreactor.jdk.exceptions import IllegalStateException


class SaslException(OSError):
    """An exchange failed; an ``OSError`` as it is an IOException in Java."""

    def __init__(self, message: str, cause: BaseException | None = None) -> None:
        super().__init__(message)
        if cause is not None:
            self.__cause__ = cause


class Callback:
    """A question, which the handler writes its answer into."""

    __slots__ = ()


class NameCallback(Callback):
    """Which name? On a server the mechanism says: the default is the name of whom it asks about."""

    __slots__ = ("_prompt", "_default_name", "_name")

    def __init__(self, prompt: str, default_name: str | None = None) -> None:
        self._prompt = prompt
        self._default_name = default_name
        self._name: str | None = None

    def get_default_name(self) -> str | None:
        """Return the name that the mechanism has in mind, or None."""
        return self._default_name

    def get_name(self) -> str | None:
        """Return the answer, None before there is one."""
        return self._name

    def set_name(self, name: str | None) -> None:
        """Answer."""
        self._name = name


class PasswordCallback(Callback):
    """Which password?"""

    __slots__ = ("_prompt", "_password")

    def __init__(self, prompt: str) -> None:
        self._prompt = prompt
        self._password: str | None = None

    def get_password(self) -> str | None:
        """Return the answer, None before there is one."""
        return self._password

    def set_password(self, password: str) -> None:
        """Answer."""
        self._password = password


class UnsupportedCallbackException(Exception):
    """A handler was asked what it cannot answer."""

    def __init__(self, callback: Callback, message: str = "Unrecognized callback") -> None:
        super().__init__(f"{message}: {type(callback).__name__}")


class CallbackHandler(Protocol):
    """Answers a mechanism's questions."""

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Write answers into ``callbacks``. Raises UnsupportedCallbackException, OSError."""


class SaslServer(ABC):
    """One exchange, for one thread."""

    @abstractmethod
    def evaluate_response(self, response: bytes) -> bytes | None:
        """Take what the client sent; return what it is to get. Raises SaslException if it is refused."""

    @abstractmethod
    def get_authorization_id(self) -> str:
        """Return whom the client acts for. Raises IllegalStateException before the end."""

    @abstractmethod
    def get_mechanism_name(self) -> str:
        """Return the mechanism."""

    @abstractmethod
    def get_negotiated_property(self, prop_name: str) -> object:
        """Return what was agreed upon, None if nothing was. Raises IllegalStateException before the end."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Return whether the client is let in."""

    @abstractmethod
    def dispose(self) -> None:
        """Forget what is secret."""


class SaslServerFactory(ABC):
    """Makes the servers of some mechanisms."""

    @abstractmethod
    def create_sasl_server(self, mechanism: str, protocol: str, server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server. Raises SaslException."""

    @abstractmethod
    def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
        """Return the mechanisms that ``props`` allow."""


class SaslClient(ABC):
    """One exchange, for one thread."""

    @abstractmethod
    def has_initial_response(self) -> bool:
        """Return whether the client begins."""

    @abstractmethod
    def evaluate_challenge(self, challenge: bytes) -> bytes | None:
        """Take what the server sent; return what it is to get, None for nothing. Raises SaslException."""

    @abstractmethod
    def get_mechanism_name(self) -> str:
        """Return the mechanism."""

    @abstractmethod
    def get_negotiated_property(self, prop_name: str) -> object:
        """Return what was agreed upon, None if nothing was. Raises IllegalStateException before the end."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Return whether the client has said and heard all that it needs."""

    @abstractmethod
    def dispose(self) -> None:
        """Forget what is secret."""


class SaslClientFactory(ABC):
    """Makes the clients of some mechanisms."""

    @abstractmethod
    def create_sasl_client(self, mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                           server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslClient | None:
        """Return a client of the first mechanism that it has. Raises SaslException."""

    @abstractmethod
    def get_mechanism_names(self, props: Mapping[str, object] | None) -> list[str]:
        """Return the mechanisms that ``props`` allow."""


class Sasl:
    """The factories that there are, those of all providers. Providers come as they are loaded, and stay."""

    POLICY_NOPLAINTEXT = "javax.security.sasl.policy.noplaintext"

    _factories: list[SaslServerFactory] = []
    _client_factories: list[SaslClientFactory] = []

    @staticmethod
    def add_server_factory(factory: SaslServerFactory) -> None:
        """Have a provider's servers found."""
        Sasl._factories.append(factory)

    @staticmethod
    def create_sasl_server(mechanism: str, protocol: str, server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server for ``mechanism``, None if no factory has it. Raises SaslException."""
        for factory in Sasl._factories:
            if mechanism in factory.get_mechanism_names(props):
                server = factory.create_sasl_server(mechanism, protocol, server_name, props, cbh)
                if server is not None:
                    return server
        return None

    @staticmethod
    def add_client_factory(factory: SaslClientFactory) -> None:
        """Have a provider's clients found."""
        Sasl._client_factories.append(factory)

    @staticmethod
    def create_sasl_client(mechanisms: Sequence[str], authorization_id: str | None, protocol: str,
                           server_name: str, props: Mapping[str, object],
                           cbh: CallbackHandler) -> SaslClient | None:
        """Return a client for the first of ``mechanisms`` that a factory has. Raises SaslException."""
        for mechanism in mechanisms:
            for factory in Sasl._client_factories:
                if mechanism in factory.get_mechanism_names(props):
                    client = factory.create_sasl_client(
                        [mechanism], authorization_id, protocol, server_name, props, cbh)
                    if client is not None:
                        return client
        return None


class PlainClient(SaslClient):
    """PLAIN as Java itself has it: a name and a password, in one message (RFC 4616).

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
    """Makes clients of PLAIN. The factory asks for the name and the password, as Java's does."""

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
