# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of ``javax.security.auth`` that Kafka needs: login configurations, login modules and subjects.

Options and subjects hold passwords, so no text here shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import TypeVar

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.sasl import CallbackHandler
from kreactor.jdk.threads import ThreadLocal


T = TypeVar("T")


class LoginModuleControlFlag(Enum):
    """The consequence of one login module's failure for the whole login."""

    REQUIRED = "required"
    REQUISITE = "requisite"
    SUFFICIENT = "sufficient"
    OPTIONAL = "optional"


class AppConfigurationEntry:
    """A login module, by name, and its options. Immutable."""

    __slots__ = ("_login_module_name", "_control_flag", "_options")

    def __init__(self, login_module_name: str | None, control_flag: LoginModuleControlFlag,
                 options: Mapping[str, str]) -> None:
        """Raises IllegalArgumentException if the name is missing."""
        if not login_module_name:
            raise IllegalArgumentException("invalid null input: loginModuleName")
        self._login_module_name = login_module_name
        self._control_flag = control_flag
        self._options = MappingProxyType(dict(options))

    def get_login_module_name(self) -> str:
        """Return the name of the module's class."""
        return self._login_module_name

    def get_control_flag(self) -> LoginModuleControlFlag:
        """Return the flag."""
        return self._control_flag

    def get_options(self) -> Mapping[str, str]:
        """Return the options, passwords among them."""
        return self._options


class Configuration(ABC):
    """A login configuration: login modules by name."""

    @abstractmethod
    def get_app_configuration_entry(self, name: str) -> list[AppConfigurationEntry] | None:
        """Return the login modules of a name, or None for an unknown name."""


class Subject:
    """A party: its credentials."""

    __slots__ = ("_public_credentials", "_private_credentials")

    # The subject of each thread that is inside ``do_as``.
    _acting = ThreadLocal()

    @staticmethod
    def do_as(subject: Subject, action: Callable[[], T]) -> T:
        """Call ``action``, inside which ``get_subject`` returns ``subject``; return the action's result."""
        before = Subject.get_subject()
        Subject._acting.subject = subject
        try:
            return action()
        finally:
            Subject._acting.subject = before

    @staticmethod
    def get_subject() -> Subject | None:
        """Return the subject as which this thread acts, or None."""
        subject: Subject | None = getattr(Subject._acting, "subject", None)
        return subject

    def __init__(self) -> None:
        self._public_credentials: list[object] = []
        self._private_credentials: list[object] = []

    def get_public_credentials(self) -> list[object]:
        """Return the set of public credentials, which the caller may extend."""
        return self._public_credentials

    def get_public_credentials_of(self, clazz: type[T]) -> list[T]:
        """Return the current public credentials of one class."""
        return [each for each in list(self._public_credentials) if isinstance(each, clazz)]

    def get_private_credentials(self) -> list[object]:
        """Return the set of private credentials, which the caller may extend."""
        return self._private_credentials

    def get_private_credentials_of(self, clazz: type[T]) -> list[T]:
        """Return the current private credentials of one class."""
        return [each for each in list(self._private_credentials) if isinstance(each, clazz)]


class LoginException(Exception):
    """The login failed."""


class LoginModule:
    """A module that a configuration names. The module registers its SASL clients and servers."""

    def initialize(self, subject: Subject, callback_handler: CallbackHandler,
                   shared_state: Mapping[str, object], options: Mapping[str, str]) -> None:
        """Take the subject, the callback handler and the options."""

    def login(self) -> bool:
        """Authenticate. Raises LoginException."""
        return True

    def commit(self) -> bool:
        """Add the credentials of ``login`` to the subject. Raises LoginException."""
        return True

    def abort(self) -> bool:
        """Drop the credentials of ``login``."""
        return False

    def logout(self) -> bool:
        """Remove the credentials from the subject. Raises LoginException."""
        return True


class LoginContext:
    """Logs a subject in and out with the modules of a configuration."""

    __slots__ = ("_subject", "_modules")

    def __init__(self, name: str, subject: Subject | None, callback_handler: CallbackHandler,
                 configuration: Configuration, module_class: Callable[[str], type[LoginModule]]) -> None:
        """``module_class`` finds a module by its name. Raises LoginException."""
        self._subject = Subject() if subject is None else subject
        entries = configuration.get_app_configuration_entry(name)
        if entries is None:
            raise LoginException(f"No LoginModules configured for {name}")
        self._modules: list[LoginModule] = []
        for entry in entries:
            module_name = entry.get_login_module_name()
            try:
                module = module_class(module_name)()
            except (ImportError, TypeError) as e:
                raise LoginException(f"No LoginModule found for {module_name}") from e
            try:
                module.initialize(self._subject, callback_handler, {}, entry.get_options())
            except Exception as e:
                # Java maps every exception of a module to LoginException.
                raise LoginException(f"{type(e).__name__}: {e}") from e
            self._modules.append(module)

    def login(self) -> None:
        """Log in. Raises LoginException, after all modules have aborted."""
        try:
            for module in self._modules:
                module.login()
            for module in self._modules:
                module.commit()
        except Exception as e:
            for module in self._modules:
                module.abort()
            if isinstance(e, LoginException):
                raise
            raise LoginException(f"{type(e).__name__}: {e}") from e

    def logout(self) -> None:
        """Log out. Raises LoginException."""
        for module in self._modules:
            module.logout()

    def get_subject(self) -> Subject:
        """Return the subject."""
        return self._subject
