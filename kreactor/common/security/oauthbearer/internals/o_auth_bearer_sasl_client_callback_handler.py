# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerSaslClientCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""What a client of OAUTHBEARER answers its mechanism: the token that its login has got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry, Subject
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException

log = LogContext().logger(f"{__name__}.OAuthBearerSaslClientCallbackHandler")


class OAuthBearerSaslClientCallbackHandler(AuthenticateCallbackHandler):
    """Answers for the subject that acts.

    :origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler
    """

    def __init__(self) -> None:
        self._configured = False

    def configured(self) -> bool:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#configured()
        """
        return self._configured

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")
        self._configured = True

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#handle(Callback[])
        """  # noqa: E501
        if not self.configured():
            raise IllegalStateException("Callback handler not configured")
        subject = Subject.get_subject() or Subject()
        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                self._handle_callback(callback, subject)
            elif isinstance(callback, SaslExtensionsCallback):
                extensions = subject.get_public_credentials_of(SaslExtensions)
                if extensions:
                    callback.set_extensions(extensions[0])
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#close()"""

    @staticmethod
    def _handle_callback(callback: OAuthBearerTokenCallback, subject: Subject) -> None:
        """Raises OSError if there is no token. Of several, the one is taken that lives longest.

        :origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#handleCallback(OAuthBearerTokenCallback)
        """  # noqa: E501
        if callback.token() is not None:
            raise IllegalArgumentException("Callback had a token already")
        tokens = sorted(subject.get_private_credentials_of(OAuthBearerToken),  # type: ignore[type-abstract]
                        key=lambda token: token.lifetime_ms())
        if not tokens:
            raise OSError("No OAuth Bearer tokens in Subject's private credentials")
        if len(tokens) > 1:
            log.warn("Found %d OAuth Bearer tokens in Subject's private credentials; the oldest expires at "
                     "%d ms, will use the newest, which expires at %d ms", len(tokens),
                     tokens[0].lifetime_ms(), tokens[-1].lifetime_ms())
        callback.set_token(tokens[-1])
