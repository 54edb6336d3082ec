# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login module that a JAAS property names for OAUTHBEARER."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_client import OAuthBearerSaslClient
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_sasl_server import OAuthBearerSaslServer
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import LoginException, LoginModule, Subject
from kreactor.jdk.sasl import CallbackHandler, Sasl, UnsupportedCallbackException
from kreactor.jdk.text import class_name

log = LogContext().logger(f"{__name__}.OAuthBearerLoginModule")


class OAuthBearerLoginModule(LoginModule):
    """Gets a token and adds it to the subject.

    :origin: common.security.oauthbearer.OAuthBearerLoginModule
    """

    class LoginState(Enum):
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule.LoginState"""

        NOT_LOGGED_IN = "NOT_LOGGED_IN"
        LOGGED_IN_NOT_COMMITTED = "LOGGED_IN_NOT_COMMITTED"
        COMMITTED = "COMMITTED"

    OAUTHBEARER_MECHANISM = "OAUTHBEARER"
    _EMPTY_EXTENSIONS = SaslExtensions({})

    def __init__(self) -> None:
        self._subject: Subject | None = None
        self._callback_handler: AuthenticateCallbackHandler | None = None
        self._token_requiring_commit: OAuthBearerToken | None = None
        self._my_committed_token: OAuthBearerToken | None = None
        self._extensions_requiring_commit: SaslExtensions | None = None
        self._my_committed_extensions: SaslExtensions | None = None
        self._login_state = LoginState.NOT_LOGGED_IN

    def initialize(self, subject: Subject, callback_handler: CallbackHandler,
                   shared_state: Mapping[str, object], options: Mapping[str, str]) -> None:
        """Raises IllegalArgumentException for a handler that is not an AuthenticateCallbackHandler.

        :origin: common.security.oauthbearer.OAuthBearerLoginModule#initialize(
            Subject, CallbackHandler, Map<String,?>, Map<String,?>)
        """
        self._subject = subject
        if not isinstance(callback_handler, AuthenticateCallbackHandler):
            raise IllegalArgumentException(
                f"Callback handler must be castable to {class_name(AuthenticateCallbackHandler)}: "
                f"{class_name(type(callback_handler))}")
        self._callback_handler = callback_handler

    def login(self) -> bool:
        """Get a token. Raises LoginException, or IllegalStateException after a previous login.

        :origin: common.security.oauthbearer.OAuthBearerLoginModule#login()
        """
        if self._login_state is LoginState.LOGGED_IN_NOT_COMMITTED:
            if self._token_requiring_commit is not None:
                raise IllegalStateException(
                    "Already have an uncommitted token with private credential token count="
                    f"{self._committed_token_count()}")
            else:
                raise IllegalStateException("Already logged in without a token")
        if self._login_state is LoginState.COMMITTED:
            if self._my_committed_token is not None:
                raise IllegalStateException(
                    "Already have a committed token with private credential token count="
                    f"{self._committed_token_count()}; must login on another login context or logout here "
                    "first before reusing the same login context")
            else:
                raise IllegalStateException("Login has already been committed without a token")

        self._identify_token()
        if self._token_requiring_commit is not None:
            self._identify_extensions()
        else:
            log.debug("Logged in without a token, this login cannot be used to establish client connections")

        self._login_state = LoginState.LOGGED_IN_NOT_COMMITTED
        log.debug("Login succeeded; invoke commit() to commit it; current committed token count=%d",
                  self._committed_token_count())
        return True

    def _identify_token(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#identifyToken()"""
        assert self._callback_handler is not None
        token_callback = OAuthBearerTokenCallback()
        try:
            self._callback_handler.handle([token_callback])
        except (OSError, UnsupportedCallbackException) as e:
            log.error("%s", e, exc=e)
            raise LoginException(
                "An internal error occurred while retrieving token from callback handler") from e

        self._token_requiring_commit = token_callback.token()
        if token_callback.error_code() is not None:
            log.info("Login failed: %s : %s (URI=%s)", token_callback.error_code(),
                     token_callback.error_description(), token_callback.error_uri())
            raise LoginException(token_callback.error_description())

    def _identify_extensions(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#identifyExtensions()"""
        assert self._callback_handler is not None
        extensions_callback = SaslExtensionsCallback()
        try:
            self._callback_handler.handle([extensions_callback])
            self._extensions_requiring_commit = extensions_callback.extensions()
        except OSError as e:
            log.error("%s", e, exc=e)
            raise LoginException(
                "An internal error occurred while retrieving SASL extensions from callback handler") from e
        except UnsupportedCallbackException:
            self._extensions_requiring_commit = self._EMPTY_EXTENSIONS
            log.debug("CallbackHandler %s does not support SASL extensions. No extensions will be added",
                      class_name(type(self._callback_handler)))
        if self._extensions_requiring_commit is None:
            log.error("SASL Extensions cannot be null. Check whether your callback handler is explicitly "
                      "setting them as null.")
            raise LoginException("Extensions cannot be null.")

    def logout(self) -> bool:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#logout()"""
        if self._login_state is LoginState.LOGGED_IN_NOT_COMMITTED:
            raise IllegalStateException(
                "Cannot call logout() immediately after login(); need to first invoke commit() or abort()")
        if self._login_state is not LoginState.COMMITTED:
            log.debug("Nothing here to log out")
            return False
        assert self._subject is not None
        if self._my_committed_token is not None:
            log.trace("Logging out my token; current committed token count = %d",
                      self._committed_token_count())
            private_credentials = self._subject.get_private_credentials()
            for index, private_credential in enumerate(private_credentials):
                if private_credential is self._my_committed_token:
                    del private_credentials[index]
                    self._my_committed_token = None
                    break
            log.debug("Done logging out my token; committed token count is now %d",
                      self._committed_token_count())
        else:
            log.debug("No tokens to logout for this login")

        if self._my_committed_extensions is not None:
            log.trace("Logging out my extensions")
            public_credentials = self._subject.get_public_credentials()
            others = [each for each in public_credentials if each is not self._my_committed_extensions]
            if len(others) < len(public_credentials):
                public_credentials[:] = others
                self._my_committed_extensions = None
            log.debug("Done logging out my extensions")
        else:
            log.debug("No extensions to logout for this login")

        self._login_state = LoginState.NOT_LOGGED_IN
        return True

    def commit(self) -> bool:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#commit()"""
        if self._login_state is not LoginState.LOGGED_IN_NOT_COMMITTED:
            log.debug("Nothing here to commit")
            return False
        assert self._subject is not None
        if self._token_requiring_commit is not None:
            log.trace("Committing my token; current committed token count = %d",
                      self._committed_token_count())
            self._subject.get_private_credentials().append(self._token_requiring_commit)
            self._my_committed_token = self._token_requiring_commit
            self._token_requiring_commit = None
            log.debug("Done committing my token; committed token count is now %d",
                      self._committed_token_count())
        else:
            log.debug("No tokens to commit, this login cannot be used to establish client connections")

        if self._extensions_requiring_commit is not None:
            self._subject.get_public_credentials().append(self._extensions_requiring_commit)
            self._my_committed_extensions = self._extensions_requiring_commit
            self._extensions_requiring_commit = None

        self._login_state = LoginState.COMMITTED
        return True

    def abort(self) -> bool:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#abort()"""
        if self._login_state is LoginState.LOGGED_IN_NOT_COMMITTED:
            log.debug("Login aborted")
            self._token_requiring_commit = None
            self._extensions_requiring_commit = None
            self._login_state = LoginState.NOT_LOGGED_IN
            return True
        log.debug("Nothing here to abort")
        return False

    def _committed_token_count(self) -> int:
        """:origin: common.security.oauthbearer.OAuthBearerLoginModule#committedTokenCount()"""
        assert self._subject is not None
        return len(self._subject.get_private_credentials_of(OAuthBearerToken))  # type: ignore[type-abstract]


LoginState = OAuthBearerLoginModule.LoginState

Sasl.add_client_factory(OAuthBearerSaslClient.OAuthBearerSaslClientFactory())
Sasl.add_server_factory(OAuthBearerSaslServer.OAuthBearerSaslServerFactory())
