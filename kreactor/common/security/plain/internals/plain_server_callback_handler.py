# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.plain.internals.PlainServerCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of PLAIN, whose users and passwords are options of the login module."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.jaas_context import JaasContext
from kreactor.common.security.plain.plain_authenticate_callback import PlainAuthenticateCallback
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, NameCallback, UnsupportedCallbackException

_LOGIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
# Both names that Utils.load_class accepts for the class.
_LOGIN_MODULES = (_LOGIN_MODULE, "kreactor.common.security.plain.plain_login_module.PlainLoginModule")


class PlainServerCallbackHandler(AuthenticateCallbackHandler):
    """Checks passwords. The option ``user_NAME`` has the password of the user NAME.

    :origin: common.security.plain.internals.PlainServerCallbackHandler
    """

    JAAS_USER_PREFIX = "user_"

    def __init__(self) -> None:
        self._jaas_config_entries: Sequence[AppConfigurationEntry] = ()

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.plain.internals.PlainServerCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        self._jaas_config_entries = jaas_config_entries

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.plain.internals.PlainServerCallbackHandler#handle(Callback[])"""
        username = None
        for callback in callbacks:
            if isinstance(callback, NameCallback):
                username = callback.get_default_name()
            elif isinstance(callback, PlainAuthenticateCallback):
                authenticated = self._authenticate(username, callback.password())
                callback.set_authenticated(authenticated)
            else:
                raise UnsupportedCallbackException(callback)

    def _authenticate(self, username: str | None, password: str) -> bool:
        """Return whether ``password`` is the user's. The comparison takes constant time.

        :origin: common.security.plain.internals.PlainServerCallbackHandler#authenticate(String, char[])
        """
        if username is None:
            return False
        for login_module in _LOGIN_MODULES:
            expected_password = JaasContext.config_entry_option(
                self._jaas_config_entries, self.JAAS_USER_PREFIX + username, login_module)
            if expected_password is not None:
                return hmac.compare_digest(password.encode("utf-8", "surrogatepass"),
                                           expected_password.encode("utf-8", "surrogatepass"))
        return False

    def close(self) -> None:
        """:origin: common.security.plain.internals.PlainServerCallbackHandler#close()"""
