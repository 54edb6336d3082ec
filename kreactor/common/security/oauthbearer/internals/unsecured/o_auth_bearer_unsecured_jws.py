# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A token without a signature: who has one is whom it says. For tests, as Kafka's documentation says."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from kreactor.common.kafka_exception import KafkaException
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.utils.utils import Utils

_LONG_MAX = (1 << 63) - 1
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")

OMITTED = {
    "common.security.oauthbearer.internals.unsecured.OAuthBearerValidationResult":
        "what fails raises, and what does not is well",
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#{name}":
        "the constructor uses it and does not keep it" for name in (
            "splits", "header", "principalClaimName", "scopeClaimName")},
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#{name}":
        "nothing asks from outside; the claims are in _claims" for name in (
            "claims()", "isClaimType(String, Class<?>)", "rawClaim(String)", "subject()")},
    **{f"common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#{name}":
        "the constructor does it" for name in (
            "extractCompactSerializationSplits()", "calculateStartTimeMs()")},
}


class OAuthBearerIllegalTokenException(KafkaException):
    """A token that is not believed; ``scope`` is what it would need, if that is what it lacks.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerIllegalTokenException
    """

    def __init__(self, message: str, scope: str | None = None) -> None:
        super().__init__(message)
        self.scope = scope


class OAuthBearerUnsecuredJws(OAuthBearerToken):
    """Immutable.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws
    """

    __slots__ = ("_compact_serialization", "_claims", "_scope", "_lifetime", "_principal_name",
                 "_start_time_ms")

    def __init__(self, compact_serialization: str, principal_claim_name: str, scope_claim_name: str) -> None:
        """Raises OAuthBearerIllegalTokenException.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#OAuthBearerUnsecuredJws(String, String, String)
        """  # noqa: E501
        self._compact_serialization = compact_serialization
        splits = compact_serialization.split(".")
        if len(splits) != 3:
            raise OAuthBearerIllegalTokenException(
                "Unsecured JWS compact serializations must have 3 dot-separated Base64URL-encoded values")
        header = self.to_map(splits[0])
        self._claims = self.to_map(splits[1])
        # DEVIATION D180: without an algorithm, the origin raises a NullPointerException.
        if header.get("alg") != "none":
            raise OAuthBearerIllegalTokenException("Unsecured JWS must have 'none' for an algorithm")
        if splits[2]:
            raise OAuthBearerIllegalTokenException("Unsecured JWS must not contain a digital signature")
        self._scope = self._calculate_scope(scope_claim_name)
        expiration_time_seconds = self.expiration_time()
        if expiration_time_seconds is None:
            raise OAuthBearerIllegalTokenException("No expiration time in JWT")
        self._lifetime = self._seconds_to_ms(expiration_time_seconds)
        principal_name = self._claim(principal_claim_name, str)
        if Utils.is_blank(principal_name):
            raise OAuthBearerIllegalTokenException(f"No principal name in JWT claim: {principal_claim_name}")
        if any("\ud800" <= char <= "\udfff" for char in principal_name):
            raise OAuthBearerIllegalTokenException("The principal name is no text")
        self._principal_name: str = principal_name
        issued_at_seconds = self.issued_at()
        self._start_time_ms = (
            None if issued_at_seconds is None else self._seconds_to_ms(issued_at_seconds))

    def value(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#value()"""
        return self._compact_serialization

    def principal_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#principalName()
        """
        return self._principal_name

    def start_time_ms(self) -> int | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#startTimeMs()"""
        return self._start_time_ms

    def lifetime_ms(self) -> int:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#lifetimeMs()"""
        return self._lifetime

    def scope(self) -> AbstractSet[str]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#scope()"""
        return self._scope

    def expiration_time(self) -> float | None:
        """Return it in seconds since 1970.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#expirationTime()
        """
        return self._claim("exp", float)  # type: ignore[no-any-return]

    def issued_at(self) -> float | None:
        """Return it in seconds since 1970.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#issuedAt()
        """
        return self._claim("iat", float)  # type: ignore[no-any-return]

    @staticmethod
    def to_map(split: str) -> Mapping[str, Any]:
        """Return the members of an object: texts, numbers as floats, lists of texts.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#toMap(String)
        """
        try:
            # Java's does without padding, and takes neither of the two signs of the URL's alphabet.
            if _BASE64.fullmatch(split) is None:
                raise ValueError
            decoded = base64.b64decode(split + "=" * (-len(split) % 4), validate=True)
        except (ValueError, binascii.Error):
            raise OAuthBearerIllegalTokenException("malformed Base64 URL encoded value") from None
        try:
            node, _ = _DECODER.raw_decode(decoded.decode("utf-8").lstrip(" \t\r\n"))
        except (ValueError, RecursionError):
            raise OAuthBearerIllegalTokenException("malformed JSON") from None
        return {name: _convert(value) for name, value in node.items()} if isinstance(node, dict) else {}

    def _claim(self, claim_name: str, type_: type) -> Any:
        value = self._claims.get(claim_name)
        if value is not None and not isinstance(value, type_):
            raise OAuthBearerIllegalTokenException(f"The '{claim_name}' claim had the incorrect type")
        return value

    @staticmethod
    def _seconds_to_ms(claim_value: float) -> int:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#convertClaimTimeInSecondsToMs(Number)
        """  # noqa: E501
        ms = claim_value * 1000
        return int(ms) if abs(ms) < _LONG_MAX else (_LONG_MAX if ms > 0 else -_LONG_MAX - 1)

    def _calculate_scope(self, scope_claim_name: str) -> AbstractSet[str]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#calculateScope()
        """
        value = self._claims.get(scope_claim_name)
        scopes = [value] if isinstance(value, str) else self._claim(scope_claim_name, list) or []
        return frozenset(scope.strip() for scope in scopes if scope.strip())


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=float)


def _convert(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(element) for element in value]
    return value if isinstance(value, float) else _text(value)


def _text(value: Any) -> str:
    """Return what Kafka takes a value for that is no number."""
    if isinstance(value, str):
        return value
    return "" if isinstance(value, (dict, list)) else json.dumps(value)
