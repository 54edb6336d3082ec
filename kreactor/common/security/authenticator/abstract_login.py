# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.AbstractLogin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A login by the modules of a JAAS configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.login import Login
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, Configuration, LoginContext, LoginModule, Subject
from kreactor.jdk.sasl import Callback, NameCallback, UnsupportedCallbackException

log = LogContext().logger(f"{__name__}.AbstractLogin")


class AbstractLogin(Login):
    """:origin: common.security.authenticator.AbstractLogin"""

    def __init__(self) -> None:
        self._context_name = ""
        self._configuration: Configuration | None = None
        self._login_context: LoginContext | None = None
        self._login_callback_handler: AuthenticateCallbackHandler | None = None

    def configure(self, configs: Mapping[str, Any], context_name: str, jaas_configuration: Configuration,
                  login_callback_handler: AuthenticateCallbackHandler) -> None:
        """:origin: common.security.authenticator.AbstractLogin#configure(
            Map<String,?>, String, Configuration, AuthenticateCallbackHandler)
        """
        self._context_name = context_name
        self._configuration = jaas_configuration
        self._login_callback_handler = login_callback_handler

    def login(self) -> LoginContext:
        """:origin: common.security.authenticator.AbstractLogin#login()"""
        assert self._login_callback_handler is not None
        self._login_context = LoginContext(
            self._context_name, None, self._login_callback_handler, self._configured(),
            lambda name: Utils.load_class(name, LoginModule))
        self._login_context.login()
        log.info("Successfully logged in.")
        return self._login_context

    def subject(self) -> Subject:
        """:origin: common.security.authenticator.AbstractLogin#subject()"""
        if self._login_context is None:
            raise IllegalStateException("login() was not called")
        return self._login_context.get_subject()

    def context_name(self) -> str:
        """:origin: common.security.authenticator.AbstractLogin#contextName()"""
        return self._context_name

    def configuration(self) -> Configuration:
        """:origin: common.security.authenticator.AbstractLogin#configuration()"""
        return self._configured()

    def _configured(self) -> Configuration:
        if self._configuration is None:
            raise IllegalStateException("configure() was not called")
        return self._configuration

    class DefaultLoginCallbackHandler(AuthenticateCallbackHandler):
        """Answers only a NameCallback, with its default name.

        The login module's options have all other values.

        :origin: common.security.authenticator.AbstractLogin.DefaultLoginCallbackHandler
        """

        def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                      jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
            """:origin: common.security.authenticator.AbstractLogin.DefaultLoginCallbackHandler#configure(
                Map<String,?>, String, List<AppConfigurationEntry>)
            """

        def handle(self, callbacks: Sequence[Callback]) -> None:
            """:origin: common.security.authenticator.AbstractLogin.DefaultLoginCallbackHandler#handle(
                Callback[])
            """
            for callback in callbacks:
                if not isinstance(callback, NameCallback):
                    raise UnsupportedCallbackException(callback)
                callback.set_name(callback.get_default_name())

        def close(self) -> None:
            """:origin: common.security.authenticator.AbstractLogin.DefaultLoginCallbackHandler#close()"""
