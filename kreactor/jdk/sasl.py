# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The server's face of ``javax.security.sasl``, and callbacks, by which a mechanism asks what it cannot know.

Callbacks hold passwords: nothing here has a text that shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


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
    """Which name? Here it is the mechanism that says: the default is the name of whom it asks about."""

    __slots__ = ("_prompt", "_default_name")

    def __init__(self, prompt: str, default_name: str) -> None:
        self._prompt = prompt
        self._default_name = default_name

    def get_default_name(self) -> str:
        """Return the name."""
        return self._default_name


class UnsupportedCallbackException(Exception):
    """A handler was asked what it cannot answer."""

    def __init__(self, callback: Callback) -> None:
        super().__init__(f"Unrecognized callback: {type(callback).__name__}")


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
    def get_negotiated_property(self, prop_name: str) -> Any:
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
    def create_sasl_server(self, mechanism: str, protocol: str, server_name: str, props: Mapping[str, Any],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server. Raises SaslException."""

    @abstractmethod
    def get_mechanism_names(self, props: Mapping[str, Any] | None) -> list[str]:
        """Return the mechanisms that ``props`` allow."""


class Sasl:
    """The factories that there are, those of all providers. Providers come as they are loaded, and stay."""

    POLICY_NOPLAINTEXT = "javax.security.sasl.policy.noplaintext"

    _factories: list[SaslServerFactory] = []

    @staticmethod
    def add_server_factory(factory: SaslServerFactory) -> None:
        """Have a provider's servers found."""
        Sasl._factories.append(factory)

    @staticmethod
    def create_sasl_server(mechanism: str, protocol: str, server_name: str, props: Mapping[str, Any],
                           cbh: CallbackHandler) -> SaslServer | None:
        """Return a server for ``mechanism``, None if no factory has it. Raises SaslException."""
        for factory in Sasl._factories:
            if mechanism in factory.get_mechanism_names(props):
                server = factory.create_sasl_server(mechanism, protocol, server_name, props, cbh)
                if server is not None:
                    return server
        return None
