# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.OAuthBearerRefreshingLogin
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login of an OAUTHBEARER client, which gets a new token before the current one expires.

The properties ``sasl.login.refresh.*`` set the refresh times.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.login import Login
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential import ExpiringCredential
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refresh_config import (
    ExpiringCredentialRefreshConfig,
)
from kreactor.common.security.oauthbearer.internals.expiring.expiring_credential_refreshing_login import (
    ExpiringCredentialRefreshingLogin,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.locks import ReentrantLock
from kreactor.jdk.login import Configuration, LoginContext, LoginException, Subject

log = LogContext().logger(f"{__name__}.OAuthBearerRefreshingLogin")


class OAuthBearerRefreshingLogin(Login):
    """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin"""

    def __init__(self) -> None:
        self._expiring_credential_refreshing_login: ExpiringCredentialRefreshingLogin | None = None
        self._lock = ReentrantLock()

    def configure(self, configs: Mapping[str, Any], context_name: str, jaas_configuration: Configuration,
                  login_callback_handler: AuthenticateCallbackHandler) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin#configure(
            Map<String,?>, String, Configuration, AuthenticateCallbackHandler)
        """
        # Logins of this class refresh one at a time. Each token is still valid for minutes at that moment.
        class_to_synchronize_on_prior_to_refresh = OAuthBearerRefreshingLogin
        self._expiring_credential_refreshing_login = _TokenRefreshingLogin(
            context_name, jaas_configuration, ExpiringCredentialRefreshConfig(configs, True),
            login_callback_handler, class_to_synchronize_on_prior_to_refresh)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin#close()"""
        if self._expiring_credential_refreshing_login is not None:
            self._expiring_credential_refreshing_login.close()

    def subject(self) -> Subject | None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin#subject()"""
        login = self._expiring_credential_refreshing_login
        return login.subject() if login is not None else None

    def service_name(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin#serviceName()"""
        login = self._expiring_credential_refreshing_login
        return login.service_name() if login is not None else None

    def login(self) -> LoginContext:
        """:origin: common.security.oauthbearer.internals.OAuthBearerRefreshingLogin#login()"""
        with self._lock:
            if self._expiring_credential_refreshing_login is not None:
                return self._expiring_credential_refreshing_login.login()
            raise LoginException("Login was not configured properly")


class _TokenRefreshingLogin(ExpiringCredentialRefreshingLogin):
    """The refreshing login whose credential is the subject's token."""

    def expiring_credential(self) -> ExpiringCredential | None:
        subject = self.subject()
        assert subject is not None, "it is logged in"
        private_credential_tokens: list[OAuthBearerToken] = (
            subject.get_private_credentials_of(OAuthBearerToken))  # type: ignore[type-abstract]
        if not private_credential_tokens:
            return None
        token = private_credential_tokens[0]
        log.debug("Found expiring credential with principal '%s'.", token.principal_name())
        return _ExpiringToken(token)


class _ExpiringToken(ExpiringCredential):
    """A token as an expiring credential, with no limit on refreshes."""

    def __init__(self, token: OAuthBearerToken) -> None:
        self._token = token

    def principal_name(self) -> str:
        return self._token.principal_name()

    def start_time_ms(self) -> int | None:
        return self._token.start_time_ms()

    def expire_time_ms(self) -> int:
        return self._token.lifetime_ms()

    def absolute_last_refresh_time_ms(self) -> int | None:
        return None
