# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredLoginCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The callback handler that makes unsigned tokens from the options of a login module."""

from __future__ import annotations

import base64
import re
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
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_config_exception import (
    OAuthBearerConfigException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.common.utils.utils import Utils
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.numbers import NumberFormatException, parse_double, parse_integer
from kreactor.jdk.sasl import Callback, SaslException, UnsupportedCallbackException
from kreactor.jdk.text import double_text, trim

log = LogContext().logger(f"{__name__}.OAuthBearerUnsecuredLoginCallbackHandler")


class OAuthBearerUnsecuredLoginCallbackHandler(AuthenticateCallbackHandler):
    """Answers with a token made from the login module's options.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler
    """

    _OPTION_PREFIX = "unsecuredLogin"
    _PRINCIPAL_CLAIM_NAME_OPTION = _OPTION_PREFIX + "PrincipalClaimName"
    _LIFETIME_SECONDS_OPTION = _OPTION_PREFIX + "LifetimeSeconds"
    _SCOPE_CLAIM_NAME_OPTION = _OPTION_PREFIX + "ScopeClaimName"
    _RESERVED_CLAIMS = frozenset(("iat", "exp"))
    _DEFAULT_PRINCIPAL_CLAIM_NAME = "sub"
    _DEFAULT_LIFETIME_SECONDS_ONE_HOUR = "3600"
    _DEFAULT_SCOPE_CLAIM_NAME = "scope"
    _STRING_CLAIM_PREFIX = _OPTION_PREFIX + "StringClaim_"
    _NUMBER_CLAIM_PREFIX = _OPTION_PREFIX + "NumberClaim_"
    _LIST_CLAIM_PREFIX = _OPTION_PREFIX + "ListClaim_"
    _EXTENSION_PREFIX = _OPTION_PREFIX + "Extension_"
    _QUOTE = '"'

    def __init__(self) -> None:
        self._time: Time = Time.SYSTEM
        self._module_options: Mapping[str, str] = {}
        self._configured = False

    def time(self, time: Time) -> None:
        """Set the clock. Only tests call this.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#time(Time)
        """  # noqa: E501
        self._time = time

    def configured(self) -> bool:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#configured()
        """  # noqa: E501
        return self._configured

    def configure(self, configs: Mapping[str, Any], sasl_mechanism: str,
                  jaas_config_entries: Sequence[AppConfigurationEntry]) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#configure(Map<String,?>, String, List<AppConfigurationEntry>)
        """  # noqa: E501
        if sasl_mechanism != "OAUTHBEARER":
            raise IllegalArgumentException(f"Unexpected SASL mechanism: {sasl_mechanism}")
        if len(jaas_config_entries) != 1:
            raise IllegalArgumentException("Must supply exactly 1 non-null JAAS mechanism configuration "
                                           f"(size was {len(jaas_config_entries)})")
        self._module_options = jaas_config_entries[0].get_options()
        self._configured = True

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Answer the callbacks. Raises OSError for invalid options.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handle(Callback[])
        """  # noqa: E501
        if not self.configured():
            raise IllegalStateException("Callback handler not configured")
        for callback in callbacks:
            if isinstance(callback, OAuthBearerTokenCallback):
                try:
                    self._handle_token_callback(callback)
                except KafkaException as e:
                    raise OSError(str(e)) from e
            elif isinstance(callback, SaslExtensionsCallback):
                try:
                    self._handle_extensions_callback(callback)
                except KafkaException as e:
                    raise OSError(str(e)) from e
            else:
                raise UnsupportedCallbackException(callback)

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#close()
        """  # noqa: E501

    def _handle_token_callback(self, callback: OAuthBearerTokenCallback) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handleTokenCallback(OAuthBearerTokenCallback)
        """  # noqa: E501
        if callback.token() is not None:
            raise IllegalArgumentException("Callback had a token already")
        if not self._module_options:
            log.debug("Token not provided, this login cannot be used to establish client connections")
            callback.set_token(None)
            return
        if all(name.startswith(self._EXTENSION_PREFIX) for name in self._module_options):
            raise OAuthBearerConfigException("Extensions provided in login context without a token")
        principal_claim_name_value = self._option_value(self._PRINCIPAL_CLAIM_NAME_OPTION, "")
        principal_claim_name = (
            self._DEFAULT_PRINCIPAL_CLAIM_NAME if Utils.is_blank(principal_claim_name_value)
            else trim(principal_claim_name_value))
        scope_claim_name_value = self._option_value(self._SCOPE_CLAIM_NAME_OPTION, "")
        scope_claim_name = (self._DEFAULT_SCOPE_CLAIM_NAME if Utils.is_blank(scope_claim_name_value)
                            else trim(scope_claim_name_value))
        header_json = "{" + self._claim_or_header_json_text_string("alg", "none") + "}"
        lifetime_seconds_value_to_use = self._option_value(
            self._LIFETIME_SECONDS_OPTION, self._DEFAULT_LIFETIME_SECONDS_ONE_HOUR)
        try:
            claims_json = "{%s,%s%s}" % (
                self._exp_claim_text(parse_integer(lifetime_seconds_value_to_use, 64)),
                self._claim_or_header_json_text("iat", self._time.milliseconds() / 1000.0),
                self._comma_prepended_string_number_and_list_claims_json_text())
        except NumberFormatException as e:
            raise OAuthBearerConfigException(str(e)) from e
        try:
            jws = OAuthBearerUnsecuredJws(
                f"{_url_encoded(header_json)}.{_url_encoded(claims_json)}.", principal_claim_name,
                scope_claim_name)
            log.info("Retrieved token with principal %s", jws.principal_name())
            callback.set_token(jws)
        except OAuthBearerIllegalTokenException as e:
            # The principal claim is missing or blank, or an option does not give valid JSON.
            raise OAuthBearerConfigException(str(e), e) from e

    def _handle_extensions_callback(self, callback: SaslExtensionsCallback) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handleExtensionsCallback(SaslExtensionsCallback)
        """  # noqa: E501
        extensions = {}
        for key, value in self._module_options.items():
            if not key.startswith(self._EXTENSION_PREFIX):
                continue

            extensions[key[len(self._EXTENSION_PREFIX):]] = value

        sasl_extensions = SaslExtensions(extensions)
        try:
            OAuthBearerClientInitialResponse.validate_extensions(sasl_extensions)
        except SaslException as e:
            raise ConfigException(str(e)) from e

        callback.set_extensions(sasl_extensions)

    def _comma_prepended_string_number_and_list_claims_json_text(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#commaPrependedStringNumberAndListClaimsJsonText()
        """  # noqa: E501
        sb = []
        for key in self._module_options:
            if key.startswith(self._STRING_CLAIM_PREFIX) and len(key) > len(self._STRING_CLAIM_PREFIX):
                sb.append("," + self._claim_or_header_json_text_string(
                    self._confirm_not_reserved_claim_name(key[len(self._STRING_CLAIM_PREFIX):]),
                    self._option_value(key, "")))
            elif key.startswith(self._NUMBER_CLAIM_PREFIX) and len(key) > len(self._NUMBER_CLAIM_PREFIX):
                sb.append("," + self._claim_or_header_json_text(
                    self._confirm_not_reserved_claim_name(key[len(self._NUMBER_CLAIM_PREFIX):]),
                    parse_double(trim(self._option_value(key, "")))))
            elif key.startswith(self._LIST_CLAIM_PREFIX) and len(key) > len(self._LIST_CLAIM_PREFIX):
                sb.append("," + self._claim_or_header_json_array_text(
                    self._confirm_not_reserved_claim_name(key[len(self._LIST_CLAIM_PREFIX):]),
                    self._list_json_text(self._option_value(key, ""))))
        return "".join(sb)

    def _confirm_not_reserved_claim_name(self, claim_name: str) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#confirmNotReservedClaimName(String)
        """  # noqa: E501
        if claim_name in self._RESERVED_CLAIMS:
            raise OAuthBearerConfigException(f"Cannot explicitly set the '{claim_name}' claim")
        return claim_name

    def _list_json_text(self, value: str) -> str:
        """Return the elements as a JSON list. The first character separates the elements.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#listJsonText(String)
        """  # noqa: E501
        if len(value) <= 1:
            return "[]"
        unescaped_delimiter_char = value[0]
        if unescaped_delimiter_char in "\\.[({|^$":
            delimiter = "\\" + unescaped_delimiter_char
        else:
            delimiter = unescaped_delimiter_char
        list_text = value[1:]
        try:
            elements = re.split(delimiter, list_text)
        except re.error as e:
            # The separator is *, +, ? or ). The origin does not escape these in its regex.
            raise IllegalArgumentException(f"{e} near index 0: {delimiter}") from e
        while elements and not elements[-1]:
            elements.pop()  # as in Java's split
        sb: list[str] = []
        for element in elements:
            sb.append("," if sb else "[")
            sb.append(f'"{self._escape(element)}"')
        if (list_text.startswith(unescaped_delimiter_char) or list_text.endswith(unescaped_delimiter_char)
                or unescaped_delimiter_char * 2 in list_text):
            sb.append(',""')
        return "".join(sb) + "]"

    def _option_value(self, key: str, default_value: str) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#optionValue(String)
        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#optionValue(String, String)
        """  # noqa: E501
        explicit_value = self._option(key)
        return explicit_value if explicit_value is not None else default_value

    def _option(self, key: str) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#option(String)
        """  # noqa: E501
        if not self._configured:
            raise IllegalStateException("Callback handler not configured")
        return self._module_options.get(key)

    def _claim_or_header_json_text(self, claim_name: str, claim_value: float) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#claimOrHeaderJsonText(String, Number)
        """  # noqa: E501
        return f"{self._QUOTE}{self._escape(claim_name)}{self._QUOTE}:{double_text(claim_value)}"

    def _claim_or_header_json_text_string(self, claim_name: str, claim_value: str) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#claimOrHeaderJsonText(String, String)
        """  # noqa: E501
        return (f"{self._QUOTE}{self._escape(claim_name)}{self._QUOTE}:"
                f"{self._QUOTE}{self._escape(claim_value)}{self._QUOTE}")

    def _claim_or_header_json_array_text(self, claim_name: str, escaped_claim_value: str) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#claimOrHeaderJsonArrayText(String, String)
        """  # noqa: E501
        if not escaped_claim_value.startswith("[") or not escaped_claim_value.endswith("]"):
            raise IllegalArgumentException(f"Illegal JSON array: {escaped_claim_value}")
        return f"{self._QUOTE}{self._escape(claim_name)}{self._QUOTE}:{escaped_claim_value}"

    @staticmethod
    def _escape(json_string_value: str) -> str:
        """Double every backslash, also one that escapes a quote.

        As in the origin, a value with a quote is not JSON.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#escape(String)
        """  # noqa: E501
        replace1 = json_string_value.replace('"', '\\"')
        return replace1.replace("\\", "\\\\")

    def _exp_claim_text(self, lifetime_seconds: int) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#expClaimText(long)
        """  # noqa: E501
        return self._claim_or_header_json_text("exp", self._time.milliseconds() / 1000.0 + lifetime_seconds)


def _url_encoded(text: str) -> str:
    """Return ``text`` in URL-safe Base64 without padding."""
    return base64.urlsafe_b64encode(text.encode("utf-8", "replace")).decode("ascii").rstrip("=")
