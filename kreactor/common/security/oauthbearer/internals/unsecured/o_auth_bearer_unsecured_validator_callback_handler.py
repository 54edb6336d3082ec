# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredValidatorCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler that accepts unsigned tokens. It is a listener's default handler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_scope_utils import (
    OAuthBearerScopeUtils,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_validation_utils import (
    OAuthBearerValidationUtils,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_extensions_validator_callback import (
    OAuthBearerExtensionsValidatorCallback,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_validator_callback import OAuthBearerValidatorCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.numbers import NumberFormatException, parse_integer
from kreactor.jdk.sasl import Callback, UnsupportedCallbackException
from kreactor.jdk.text import trim

log = LogContext().logger(f"{__name__}.OAuthBearerUnsecuredValidatorCallbackHandler")


class OAuthBearerUnsecuredValidatorCallbackHandler(AuthenticateCallbackHandler):
    """Validates tokens by the login module's options.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler
    """

    _OPTION_PREFIX = "unsecuredValidator"
    _PRINCIPAL_CLAIM_NAME_OPTION = _OPTION_PREFIX + "PrincipalClaimName"
    _SCOPE_CLAIM_NAME_OPTION = _OPTION_PREFIX + "ScopeClaimName"
    _REQUIRED_SCOPE_OPTION = _OPTION_PREFIX + "RequiredScope"
    _ALLOWABLE_CLOCK_SKEW_MILLIS_OPTION = _OPTION_PREFIX + "AllowableClockSkewMs"

    def __init__(self) -> None:
        self._time: Time = Time.SYSTEM
        self._module_options: Mapping[str, str] = {}
        self._configured = False

    def time(self, time: Time) -> None:
        """Set the clock. Only tests call this.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#time(
            Time)
        """  # noqa: E501
        self._time = time

    def configured(self) -> bool:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#configured(
            )
        """  # noqa: E501
        return self._configured

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """Read the options. Raises OAuthBearerConfigException for invalid ones.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#configure(
            Map<String,?>, String, List<AppConfigurationEntry>)
        """  # noqa: E501
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")
        if len(jaas_config_entries) != 1:
            raise IllegalArgumentException("Must supply exactly 1 non-null JAAS mechanism configuration "
                                           f"(size was {len(jaas_config_entries)})")
        self._module_options = jaas_config_entries[0].get_options()
        self._configured = True
        # DEVIATION D181: invalid options are refused here, and not with the first token.
        self._required_scope()
        self._allowable_clock_skew_ms()

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#handle(
            Callback[])
        """  # noqa: E501
        if not self.configured():
            raise IllegalStateException("Callback handler not configured")
        for callback in callbacks:
            if isinstance(callback, OAuthBearerValidatorCallback):
                try:
                    self._handle_callback(callback)
                except OAuthBearerIllegalTokenException as e:
                    failure_reason = e.reason()
                    failure_scope = failure_reason.failure_scope()
                    callback.error(
                        "insufficient_scope" if failure_scope is not None else "invalid_token",
                        failure_scope, failure_reason.failure_open_id_config())
            elif isinstance(callback, OAuthBearerExtensionsValidatorCallback):
                for extension_name in callback.input_extensions().map():
                    callback.valid(extension_name)
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#close(
            )
        """  # noqa: E501

    def _handle_callback(self, callback: OAuthBearerValidatorCallback) -> None:
        """Validate a token. Raises OAuthBearerIllegalTokenException.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#handleCallback(
            OAuthBearerValidatorCallback)
        """  # noqa: E501
        token_value = callback.token_value()
        principal_claim_name = self._principal_claim_name()
        scope_claim_name = self._scope_claim_name()
        required_scope = self._required_scope()
        allowable_clock_skew_ms = self._allowable_clock_skew_ms()
        unsecured_jwt = OAuthBearerUnsecuredJws(token_value, principal_claim_name, scope_claim_name)
        now = self._time.milliseconds()
        OAuthBearerValidationUtils.validate_claim_for_existence_and_type(
            unsecured_jwt, True, principal_claim_name, str).throw_exception_if_failed()
        OAuthBearerValidationUtils.validate_issued_at(
            unsecured_jwt, False, now, allowable_clock_skew_ms).throw_exception_if_failed()
        OAuthBearerValidationUtils.validate_expiration_time(
            unsecured_jwt, now, allowable_clock_skew_ms).throw_exception_if_failed()
        OAuthBearerValidationUtils.validate_time_consistency(unsecured_jwt).throw_exception_if_failed()
        OAuthBearerValidationUtils.validate_scope(unsecured_jwt, required_scope).throw_exception_if_failed()
        # DEVIATION D192: the log has the principal, and no claims.
        log.info("Successfully validated token with principal %s", unsecured_jwt.principal_name())
        callback.set_token(unsecured_jwt)

    def _principal_claim_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#principalClaimName(
            )
        """  # noqa: E501
        principal_claim_name_value = self._option(self._PRINCIPAL_CLAIM_NAME_OPTION)
        return ("sub" if principal_claim_name_value is None or Utils.is_blank(principal_claim_name_value)
                else trim(principal_claim_name_value))

    def _scope_claim_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#scopeClaimName(
            )
        """  # noqa: E501
        scope_claim_name_value = self._option(self._SCOPE_CLAIM_NAME_OPTION)
        return ("scope" if scope_claim_name_value is None or Utils.is_blank(scope_claim_name_value)
                else trim(scope_claim_name_value))

    def _required_scope(self) -> Sequence[str]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#requiredScope(
            )
        """  # noqa: E501
        required_space_delimited_scope = self._option(self._REQUIRED_SCOPE_OPTION)
        if required_space_delimited_scope is None or Utils.is_blank(required_space_delimited_scope):
            return ()
        return OAuthBearerScopeUtils.parse_scope(trim(required_space_delimited_scope))

    def _allowable_clock_skew_ms(self) -> int:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#allowableClockSkewMs(
            )
        """  # noqa: E501
        allowable_clock_skew_ms_value = self._option(self._ALLOWABLE_CLOCK_SKEW_MILLIS_OPTION)
        try:
            allowable_clock_skew_ms = (
                0 if allowable_clock_skew_ms_value is None or Utils.is_blank(allowable_clock_skew_ms_value)
                else parse_integer(trim(allowable_clock_skew_ms_value), 32))
        except NumberFormatException as e:
            raise OAuthBearerConfigException(str(e), e) from e
        if allowable_clock_skew_ms < 0:
            raise OAuthBearerConfigException(
                f"Allowable clock skew millis must not be negative: {allowable_clock_skew_ms_value}")
        return allowable_clock_skew_ms

    def _option(self, key: str) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredValidatorCallbackHandler#option(
            String)
        """  # noqa: E501
        if not self._configured:
            raise IllegalStateException("Callback handler not configured")
        return self._module_options.get(key)
