# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerSaslClientCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler of an OAUTHBEARER client, which answers with the login's token."""

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
    """Answers from the credentials of the current subject.

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
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#handle(
            Callback[])
        """  # noqa: E501
        if not self.configured():
            raise IllegalStateException("Callback handler not configured")
        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                self._handle_callback(callback)
            elif isinstance(callback, SaslExtensionsCallback):
                self._handle_callback_extensions(callback, Subject.get_subject())
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#close()"""

    @staticmethod
    def _handle_callback(callback: OAuthBearerTokenCallback) -> None:
        """Set the subject's token that expires last. Raises OSError if the subject has no token.

        :origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#handleCallback(
            OAuthBearerTokenCallback)
        """  # noqa: E501
        if callback.token() is not None:
            raise IllegalArgumentException("Callback had a token already")
        subject = Subject.get_subject()
        private_credentials: list[OAuthBearerToken] = [] if subject is None else (
            subject.get_private_credentials_of(OAuthBearerToken))  # type: ignore[type-abstract]
        if not private_credentials:
            raise OSError("No OAuth Bearer tokens in Subject's private credentials")
        if len(private_credentials) == 1:
            callback.set_token(private_credentials[0])
        else:
            # During a refresh the subject briefly holds the old and the new token.
            by_lifetime: dict[int, OAuthBearerToken] = {}
            for token in private_credentials:
                by_lifetime.setdefault(token.lifetime_ms(), token)
            first, last = min(by_lifetime), max(by_lifetime)
            log.warn("Found %d OAuth Bearer tokens in Subject's private credentials; the oldest expires at "
                     "%d ms, will use the newest, which expires at %d ms", len(by_lifetime), first, last)
            callback.set_token(by_lifetime[last])

    @staticmethod
    def _handle_callback_extensions(extensions_callback: SaslExtensionsCallback,
                                    subject: Subject | None) -> None:
        """:origin: common.security.oauthbearer.internals.OAuthBearerSaslClientCallbackHandler#handleCallback(
            SaslExtensionsCallback, Subject)
        """  # noqa: E501
        extensions = [] if subject is None else subject.get_public_credentials_of(SaslExtensions)
        if extensions:
            extensions_callback.set_extensions(extensions[0])
