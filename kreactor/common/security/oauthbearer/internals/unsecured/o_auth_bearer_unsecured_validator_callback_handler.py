# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredValidatorCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Believes tokens without a signature, which is what Kafka does unless it is told otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerIllegalTokenException,
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
    OAuthBearerValidatorCallback,
)
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException

log = LogContext().logger(f"{__name__}.OAuthBearerUnsecuredValidatorCallbackHandler")

_SCOPE_ITEM = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")


class OAuthBearerUnsecuredValidatorCallbackHandler(AuthenticateCallbackHandler):
    """Its options are those of the login module.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler
    """

    def __init__(self, time: Time = Time.SYSTEM) -> None:
        self._time = time
        self._principal_claim_name = "sub"
        self._scope_claim_name = "scope"
        self._required_scope: list[str] = []
        self._allowable_clock_skew_ms = 0

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Raises KafkaException for options that cannot be.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#configure(Map<String,?>, String, List<AppConfigurationEntry>)
        """  # noqa: E501
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")
        if len(jaas_config_entries) != 1:
            raise IllegalArgumentException("Must supply exactly 1 non-null JAAS mechanism configuration "
                                           f"(size was {len(jaas_config_entries)})")
        # DEVIATION D181: read once, and refused here; the origin reads them for each token.
        options = {name: value.strip() for name, value in jaas_config_entries[0].get_options().items()}
        self._principal_claim_name = options.get("unsecuredValidatorPrincipalClaimName") or "sub"
        self._scope_claim_name = options.get("unsecuredValidatorScopeClaimName") or "scope"
        self._required_scope = options.get("unsecuredValidatorRequiredScope", "").split()
        for item in self._required_scope:
            if _SCOPE_ITEM.fullmatch(item) is None:
                raise KafkaException(f"Invalid scope value: {item}")
        skew = options.get("unsecuredValidatorAllowableClockSkewMs") or "0"
        if _INTEGER.fullmatch(skew) is None or int(skew) < 0:
            raise KafkaException(f"Allowable clock skew millis must not be negative: {skew}")
        self._allowable_clock_skew_ms = int(skew)

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#handle(Callback[])
        """  # noqa: E501
        for callback in callbacks:
            if isinstance(callback, OAuthBearerValidatorCallback):
                try:
                    self._handle_callback(callback)
                except OAuthBearerIllegalTokenException as e:
                    callback.error(
                        "invalid_token" if e.scope is None else "insufficient_scope", e.scope, None)
            elif isinstance(callback, OAuthBearerExtensionsValidatorCallback):
                for extension_name in callback.input_extensions():
                    callback.valid(extension_name)
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#close()
        """  # noqa: E501

    def _handle_callback(self, callback: OAuthBearerValidatorCallback) -> None:
        """Raises OAuthBearerIllegalTokenException.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#handleCallback(OAuthBearerValidatorCallback)
        """  # noqa: E501
        jwt = OAuthBearerUnsecuredJws(
            callback.token_value(), self._principal_claim_name, self._scope_claim_name)
        now = self._time.milliseconds()
        issued_at, expiration_time = jwt.issued_at(), jwt.expiration_time()
        assert expiration_time is not None, "or there were no token"
        if issued_at is not None and 1000 * issued_at > now + self._allowable_clock_skew_ms:
            raise OAuthBearerIllegalTokenException("The Issued At value was after the indicated time")
        if now - self._allowable_clock_skew_ms >= 1000 * expiration_time:
            raise OAuthBearerIllegalTokenException(
                "The indicated time was on or after the Expiration Time value")
        if issued_at is not None and expiration_time <= issued_at:
            raise OAuthBearerIllegalTokenException(
                "The Expiration Time time was not after the Issued At time")
        if not set(self._required_scope) <= jwt.scope():
            raise OAuthBearerIllegalTokenException(
                "The provided scope was missing a required scope", f"[{', '.join(self._required_scope)}]")
        # DEVIATION D192: whose it is, and no claims.
        log.info("Successfully validated token with principal %s", jwt.principal_name())
        callback.set_token(jwt)
