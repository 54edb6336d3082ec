# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of ``javax.security.auth.login`` that a server needs: what is configured, and by whom.

Options hold passwords: nothing here has a text that shows them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from kreactor.jdk.exceptions import IllegalArgumentException


class LoginModuleControlFlag(Enum):
    """What it means for all if one login module fails."""

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
        """Return the name of a class."""
        return self._login_module_name

    def get_control_flag(self) -> LoginModuleControlFlag:
        """Return the flag."""
        return self._control_flag

    def get_options(self) -> Mapping[str, str]:
        """Return the options, passwords among them."""
        return self._options


class Configuration(ABC):
    """Login modules under names."""

    @abstractmethod
    def get_app_configuration_entry(self, name: str) -> list[AppConfigurationEntry] | None:
        """Return the login modules of a name, None if there is none of it."""


class LoginModule:
    """What a configuration names. Its module registers the SASL servers that belong to it."""
