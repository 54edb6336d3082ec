# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerLoginCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler that gets a client's tokens from a file or from a web server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.internals.secured import access_token_retriever_factory
from kreactor.common.security.oauthbearer.internals.secured.access_token_retriever import AccessTokenRetriever
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator import AccessTokenValidator
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator_factory import (
    AccessTokenValidatorFactory,
)
from kreactor.common.security.oauthbearer.internals.secured.jaas_options_utils import JaasOptionsUtils
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, SaslException, UnsupportedCallbackException
from kreactor.jdk.text import java_text

log = LogContext().logger(f"{__name__}.OAuthBearerLoginCallbackHandler")


class OAuthBearerLoginCallbackHandler(AuthenticateCallbackHandler):
    """Answers a login module with a token, and with the extensions in the module's options.

    Owner: the thread that logs in.

    :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler
    """

    # Defined in AccessTokenRetrieverFactory's module, because that module must not import this one.
    CLIENT_ID_CONFIG = access_token_retriever_factory.CLIENT_ID_CONFIG
    CLIENT_SECRET_CONFIG = access_token_retriever_factory.CLIENT_SECRET_CONFIG
    SCOPE_CONFIG = access_token_retriever_factory.SCOPE_CONFIG

    _EXTENSION_PREFIX = "extension_"

    def __init__(self) -> None:
        self._module_options: Mapping[str, Any] = {}
        self._access_token_retriever: AccessTokenRetriever | None = None
        self._access_token_validator: AccessTokenValidator | None = None
        self._is_initialized = False

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Read the settings. Raises ConfigException, IllegalArgumentException, KafkaException.

        :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        self._module_options = JaasOptionsUtils.get_options(sasl_mechanism, jaas_config_entries)
        access_token_retriever = access_token_retriever_factory.AccessTokenRetrieverFactory.create(
            configs, sasl_mechanism, self._module_options)
        access_token_validator = AccessTokenValidatorFactory.create_login(configs, sasl_mechanism)
        self.init(access_token_retriever, access_token_validator)

    def init(self, access_token_retriever: AccessTokenRetriever,
             access_token_validator: AccessTokenValidator) -> None:
        """Initialize the retriever. Raises KafkaException.

        :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#init(
            AccessTokenRetriever, AccessTokenValidator)
        """
        self._access_token_retriever = access_token_retriever
        self._access_token_validator = access_token_validator

        try:
            access_token_retriever.init()
        except OSError as e:
            raise KafkaException("The OAuth login configuration encountered an error when initializing the "
                                 "AccessTokenRetriever", e) from e

        self._is_initialized = True

    def get_access_token_retriever(self) -> AccessTokenRetriever | None:
        """Return the token retriever. Only tests call this.

        :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#getAccessTokenRetriever()
        """
        return self._access_token_retriever

    def close(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#close()"""
        if self._access_token_retriever is not None:
            try:
                self._access_token_retriever.close()
            except OSError as e:
                log.warn("the OAUTHBEARER token retriever could not be closed", exc=e)

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Answer the callbacks. Raises OSError if no token is available, UnsupportedCallbackException.

        :origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#handle(Callback[])
        """
        self._check_initialized()

        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                self._handle_token_callback(callback)
            elif isinstance(callback, SaslExtensionsCallback):
                self._handle_extensions_callback(callback)
            else:
                raise UnsupportedCallbackException(callback)

    def _handle_token_callback(self, callback: OAuthBearerTokenCallback) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#handleTokenCallback(
            OAuthBearerTokenCallback)
        """
        self._check_initialized()
        assert self._access_token_retriever is not None and self._access_token_validator is not None
        access_token = self._access_token_retriever.retrieve()

        try:
            token = self._access_token_validator.validate(access_token)
            callback.set_token(token)
        except ValidateException as e:
            log.warn("%s", e, exc=e)
            callback.error("invalid_token", str(e), None)

    def _handle_extensions_callback(self, callback: SaslExtensionsCallback) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#handleExtensionsCallback(
            SaslExtensionsCallback)
        """
        self._check_initialized()

        extensions = {key[len(self._EXTENSION_PREFIX):]: java_text(value)
                      for key, value in self._module_options.items()
                      if key.startswith(self._EXTENSION_PREFIX)}

        sasl_extensions = SaslExtensions(extensions)

        try:
            OAuthBearerClientInitialResponse.validate_extensions(sasl_extensions)
        except SaslException as e:
            raise ConfigException(str(e)) from e

        callback.set_extensions(sasl_extensions)

    def _check_initialized(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerLoginCallbackHandler#checkInitialized()"""
        if not self._is_initialized:
            raise IllegalStateException(
                f"To use {type(self).__name__}, first call the configure or init method")
