# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler that accepts tokens signed with a key of a key set.

A listener uses this handler if ``oauthbearer.sasl.server.callback.handler.class`` names it. Each network
thread has its own handler; the handlers share the keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator import AccessTokenValidator
from kreactor.common.security.oauthbearer.internals.secured.access_token_validator_factory import (
    AccessTokenValidatorFactory,
)
from kreactor.common.security.oauthbearer.internals.secured.closeable_verification_key_resolver import (
    CloseableVerificationKeyResolver,
)
from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.common.security.oauthbearer.internals.secured.verification_key_resolver_factory import (
    VerificationKeyResolverFactory,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.forks import run_in_child
from kreactor.jdk.jose import JsonWebKey
from kreactor.jdk.locks import Lock
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException

log = LogContext().logger(f"{__name__}.OAuthBearerValidatorCallbackHandler")


class OAuthBearerValidatorCallbackHandler(AuthenticateCallbackHandler):
    """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler"""

    # Resolvers by configuration and options, which are not hashable, so in a list. Guarded by ``_LOCK``.
    _VERIFICATION_KEY_RESOLVER_CACHE: list[
        tuple[Mapping[str, Any], Mapping[str, str], RefCountingVerificationKeyResolver]] = []
    _LOCK = Lock()

    @classmethod
    def _forget_in_child(cls) -> None:
        """Drop the cache and the lock in a forked child, because a thread of the parent may hold a lock."""
        cls._LOCK = Lock()
        cls._VERIFICATION_KEY_RESOLVER_CACHE.clear()

    def __init__(self) -> None:
        self._verification_key_resolver: CloseableVerificationKeyResolver | None = None
        self._access_token_validator: AccessTokenValidator | None = None
        self._is_initialized = False

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Read the settings. Raises KafkaException for invalid properties or an unreadable file.

        :origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")
        if len(jaas_config_entries) != 1:
            raise IllegalArgumentException("Must supply exactly 1 non-null JAAS mechanism configuration "
                                           f"(size was {len(jaas_config_entries)})")
        module_options = jaas_config_entries[0].get_options()
        cache = self._VERIFICATION_KEY_RESOLVER_CACHE
        with self._LOCK:
            # Drop closed resolvers: a closed resolver has no more state than a new one.
            cache[:] = [entry for entry in cache if entry[2].is_in_use()]
            verification_key_resolver = next(
                (each for known, options, each in cache if known == configs and options == module_options),
                None)
            if verification_key_resolver is None:
                verification_key_resolver = RefCountingVerificationKeyResolver(
                    VerificationKeyResolverFactory.create(configs, sasl_mechanism))
                cache.append((configs, module_options, verification_key_resolver))
        access_token_validator = AccessTokenValidatorFactory.create(
            configs, sasl_mechanism, verification_key_resolver)
        self.init(verification_key_resolver, access_token_validator)

    def init(self, verification_key_resolver: CloseableVerificationKeyResolver,
             access_token_validator: AccessTokenValidator) -> None:
        """Initialize the key resolver. Raises KafkaException.

        :origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#init(
            CloseableVerificationKeyResolver, AccessTokenValidator)
        """
        self._verification_key_resolver = verification_key_resolver
        self._access_token_validator = access_token_validator

        try:
            verification_key_resolver.init()
        except Exception as e:
            # ``close`` must not decrement the count, because a failed ``init`` has not incremented it.
            self._verification_key_resolver = None
            raise KafkaException(
                "The OAuth validator configuration encountered an error when initializing the "
                f"VerificationKeyResolver: {e}", e) from e

        self._is_initialized = True

    def close(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#close()"""
        if self._verification_key_resolver is not None:
            try:
                self._verification_key_resolver.close()
            except Exception as e:
                log.error("%s", e, exc=e)

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#handle(Callback[])"""
        self._check_initialized()

        for callback in callbacks:
            if isinstance(callback, OAuthBearerValidatorCallback):
                self._handle_validator_callback(callback)
            elif isinstance(callback, OAuthBearerExtensionsValidatorCallback):
                self._handle_extensions_validator_callback(callback)
            else:
                raise UnsupportedCallbackException(callback)

    def _handle_validator_callback(self, callback: OAuthBearerValidatorCallback) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#handleValidatorCallback(
            OAuthBearerValidatorCallback)
        """
        self._check_initialized()
        assert self._access_token_validator is not None

        try:
            token = self._access_token_validator.validate(callback.token_value())
            callback.set_token(token)
        except ValidateException as e:
            # DEVIATION D192: the log has the reason, without the token and its claims.
            log.warn("%s", e)
            callback.error("invalid_token", None, None)

    def _handle_extensions_validator_callback(
            self, extensions_validator_callback: OAuthBearerExtensionsValidatorCallback) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#handleExtensionsValidatorCallback(
            OAuthBearerExtensionsValidatorCallback)
        """  # noqa: E501
        self._check_initialized()

        for extension_name in extensions_validator_callback.input_extensions().map():
            extensions_validator_callback.valid(extension_name)

    def _check_initialized(self) -> None:
        """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler#checkInitialized()"""
        if not self._is_initialized:
            raise IllegalStateException(
                f"To use {type(self).__name__}, first call the configure or init method")

    class RefCountingVerificationKeyResolver(CloseableVerificationKeyResolver):
        """Initializes the resolver for its first user, and closes it after its last. Used by any thread.

        :origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver
        """  # noqa: E501

        def __init__(self, delegate: CloseableVerificationKeyResolver) -> None:
            """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver#RefCountingVerificationKeyResolver(
                CloseableVerificationKeyResolver)
            """  # noqa: E501
            self._delegate = delegate
            self._lock = Lock()
            self._count = 0

        def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
            """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver#resolveKey(
                JsonWebSignature, List<JsonWebStructure>)
            """  # noqa: E501
            return self._delegate.resolve_key(header)

        def init(self) -> None:
            """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver#init(
                )
            """  # noqa: E501
            # DEVIATION D258: the count grows after the keys are read; the origin counts before.
            with self._lock:
                if self._count == 0:
                    self._delegate.init()
                self._count += 1

        def close(self) -> None:
            """:origin: common.security.oauthbearer.OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver#close(
                )
            """  # noqa: E501
            with self._lock:
                self._count -= 1
                if self._count == 0:
                    self._delegate.close()

        def is_in_use(self) -> bool:
            return self._count > 0


RefCountingVerificationKeyResolver = OAuthBearerValidatorCallbackHandler.RefCountingVerificationKeyResolver

run_in_child(OAuthBearerValidatorCallbackHandler._forget_in_child)
