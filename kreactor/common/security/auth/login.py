# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.Login of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of a login, by which a client or a connecting broker gets its credentials."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.jdk.login import Configuration, LoginContext, Subject


class Login(ABC):
    """One login for many connections. Constructed without arguments, then configured and logged in once.

    :origin: common.security.auth.Login
    """

    @abstractmethod
    def configure(self, configs: Mapping[str, Any], context_name: str, jaas_configuration: Configuration,
                  login_callback_handler: AuthenticateCallbackHandler) -> None:
        """:origin: common.security.auth.Login#configure(
            Map<String,?>, String, Configuration, AuthenticateCallbackHandler)
        """

    @abstractmethod
    def login(self) -> LoginContext:
        """Log in. Raises LoginException.

        :origin: common.security.auth.Login#login()
        """

    @abstractmethod
    def subject(self) -> Subject | None:
        """Return the subject, None before the login.

        :origin: common.security.auth.Login#subject()
        """

    @abstractmethod
    def service_name(self) -> str | None:
        """Return the name of the service to log in to, or None before ``configure``.

        :origin: common.security.auth.Login#serviceName()
        """

    @abstractmethod
    def close(self) -> None:
        """:origin: common.security.auth.Login#close()"""
