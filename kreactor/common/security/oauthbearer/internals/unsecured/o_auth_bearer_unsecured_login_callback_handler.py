# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of OAuthBearerUnsecuredLoginCallbackHandler, of the package
# org.apache.kafka.common.security.oauthbearer.internals.unsecured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Makes tokens that nobody has signed, of the options of a login module."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.auth.authenticate_callback_handler import AuthenticateCallbackHandler
from kreactor.common.security.auth.sasl_extensions import SaslExtensions
from kreactor.common.security.auth.sasl_extensions_callback import SaslExtensionsCallback
from kreactor.common.security.oauthbearer.internals.o_auth_bearer_client_initial_response import (
    OAuthBearerClientInitialResponse,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_unsecured_jws import (
    OAuthBearerIllegalTokenException,
    OAuthBearerUnsecuredJws,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token_callback import OAuthBearerTokenCallback
from kreactor.common.utils.log_context import LogContext
from kreactor.common.utils.time import Time
from kreactor.jdk.exceptions import IllegalArgumentException, IllegalStateException
from kreactor.jdk.login import AppConfigurationEntry
from kreactor.jdk.sasl import Callback, SaslException, UnsupportedCallbackException

OMITTED = {
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#{name}":
        "a literal or a name of this module" for name in (
            "OPTION_PREFIX", "PRINCIPAL_CLAIM_NAME_OPTION", "LIFETIME_SECONDS_OPTION",
            "SCOPE_CLAIM_NAME_OPTION", "DEFAULT_PRINCIPAL_CLAIM_NAME", "DEFAULT_LIFETIME_SECONDS_ONE_HOUR",
            "DEFAULT_SCOPE_CLAIM_NAME", "STRING_CLAIM_PREFIX", "NUMBER_CLAIM_PREFIX", "LIST_CLAIM_PREFIX",
            "EXTENSION_PREFIX")},
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#{name}":
        "json.dumps writes the header and the claims" for name in (
            "QUOTE", "DOUBLEQUOTE", "BACKSLASH", "claimOrHeaderJsonText(String, Number)",
            "claimOrHeaderJsonText(String, String)", "claimOrHeaderJsonArrayText(String, String)",
            "escape(String)", "expClaimText(long)")},
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#{name}":
        "handle looks once whether there are options, and hands them on" for name in (
            "configured", "optionValue(String)", "optionValue(String, String)",
            "option(String)")},
    "common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#time(Time)":
        "the constructor takes the clock",
    "common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#confirmNotReservedClaimName(String)":  # noqa: E501
        "_claims refuses the names",
}

log = LogContext().logger(f"{__name__}.OAuthBearerUnsecuredLoginCallbackHandler")

_PREFIX = "unsecuredLogin"
_STRING, _NUMBER, _LIST, _EXTENSION = (
    f"{_PREFIX}{kind}_" for kind in ("StringClaim", "NumberClaim", "ListClaim", "Extension"))
_RESERVED_CLAIMS = ("iat", "exp")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


class OAuthBearerUnsecuredLoginCallbackHandler(AuthenticateCallbackHandler):
    """Its options are those of the login module.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler
    """

    def __init__(self, time: Time = Time.SYSTEM) -> None:
        self._time = time
        self._module_options: Mapping[str, str] | None = None

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

    def handle(self, callbacks: Sequence[Callback]) -> None:
        """Raises OSError for options that cannot be, without their values.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handle(Callback[])
        """  # noqa: E501
        if self._module_options is None:
            raise IllegalStateException("Callback handler not configured")
        for callback in callbacks:
            try:
                if isinstance(callback, OAuthBearerTokenCallback):
                    self._handle_token_callback(callback, self._module_options)
                elif isinstance(callback, SaslExtensionsCallback):
                    self._handle_extensions_callback(callback, self._module_options)
                else:
                    raise UnsupportedCallbackException(callback)
            except KafkaException as e:
                raise OSError(str(e)) from e

    def close(self) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#close()
        """  # noqa: E501

    def _handle_token_callback(self, callback: OAuthBearerTokenCallback, options: Mapping[str, str]) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handleTokenCallback(OAuthBearerTokenCallback)
        """  # noqa: E501
        if callback.token() is not None:
            raise IllegalArgumentException("Callback had a token already")
        if not options:
            log.debug("Token not provided, this login cannot be used to establish client connections")
            callback.set_token(None)
            return
        if all(name.startswith(_EXTENSION) for name in options):
            raise KafkaException("Extensions provided in login context without a token")
        principal_claim_name = options.get(f"{_PREFIX}PrincipalClaimName", "").strip() or "sub"
        scope_claim_name = options.get(f"{_PREFIX}ScopeClaimName", "").strip() or "scope"
        lifetime_seconds = options.get(f"{_PREFIX}LifetimeSeconds", "3600")
        if _INTEGER.fullmatch(lifetime_seconds) is None:
            raise KafkaException(f"For input string: \"{lifetime_seconds}\"")
        now = self._time.milliseconds() / 1000
        claims = {"exp": now + int(lifetime_seconds), "iat": now} | self._claims(options)
        header, body = (
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode("ascii").rstrip("=")
            for part in ({"alg": "none"}, claims))
        try:
            jws = OAuthBearerUnsecuredJws(f"{header}.{body}.", principal_claim_name, scope_claim_name)
        except OAuthBearerIllegalTokenException as e:
            raise KafkaException(str(e), e) from e
        log.info("Retrieved token with principal %s", jws.principal_name())
        callback.set_token(jws)

    @staticmethod
    def _handle_extensions_callback(callback: SaslExtensionsCallback, options: Mapping[str, str]) -> None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#handleExtensionsCallback(SaslExtensionsCallback)
        """  # noqa: E501
        extensions = SaslExtensions({name.removeprefix(_EXTENSION): value for name, value in options.items()
                                     if name.startswith(_EXTENSION)})
        try:
            OAuthBearerClientInitialResponse.validate_extensions(extensions)
        except SaslException as e:
            raise KafkaException(str(e), e) from e
        callback.set_extensions(extensions)

    @staticmethod
    def _claims(options: Mapping[str, str]) -> dict[str, Any]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredLoginCallbackHandler#commaPrependedStringNumberAndListClaimsJsonText()
        """  # noqa: E501
        claims: dict[str, Any] = {}
        for option, text in options.items():
            for prefix in (_STRING, _NUMBER, _LIST):
                name = option.removeprefix(prefix)
                if name == option or not name:
                    continue
                if name in _RESERVED_CLAIMS:
                    raise KafkaException(f"Cannot explicitly set the '{name}' claim")
                try:
                    # The first character of a list parts what follows.
                    claims[name] = (text if prefix == _STRING else float(text) if prefix == _NUMBER
                                    else text[1:].split(text[0]) if len(text) > 1 else [])
                except ValueError:
                    raise KafkaException(f"The '{name}' claim is no number") from None
        return claims
