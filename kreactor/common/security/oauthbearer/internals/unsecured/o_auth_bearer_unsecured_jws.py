# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""An unsigned token, which anyone can forge. Kafka's documentation allows it for tests only."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, TypeVar

from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_illegal_token_exception import (
    OAuthBearerIllegalTokenException,
)
from kreactor.common.security.oauthbearer.internals.unsecured.o_auth_bearer_validation_result import (
    OAuthBearerValidationResult,
)
from kreactor.common.security.oauthbearer.o_auth_bearer_token import OAuthBearerToken
from kreactor.common.utils.utils import Utils
from kreactor.jdk.doubles import round_to_long
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.numbers import fits
from kreactor.jdk.text import java_text, trim

T = TypeVar("T")

_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
# Jackson's limits: the digits of a number, the characters of a name.
_MAX_DIGITS = 1000
_MAX_NAME = 50_000

# Java's names of the claim types. ``float`` covers every number, so an int too.
_TYPE_NAMES: Mapping[type, str] = {str: "String", float: "Number", list: "List"}


class OAuthBearerUnsecuredJws(OAuthBearerToken):
    """A parsed token. Immutable. A claim is a str, a number (int or float) or a list of str.

    :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws
    """

    __slots__ = ("_compact_serialization", "_splits", "_header", "_principal_claim_name", "_scope_claim_name",
                 "_claims", "_scope", "_lifetime", "_principal_name", "_start_time_ms")

    def __init__(self, compact_serialization: str, principal_claim_name: str, scope_claim_name: str) -> None:
        """Parse a token.

        Raises OAuthBearerIllegalTokenException, or IllegalArgumentException for a blank claim name.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#OAuthBearerUnsecuredJws(
            String, String, String)
        """  # noqa: E501
        self._compact_serialization = compact_serialization
        if ".." in compact_serialization:
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                "Malformed compact serialization contains '..'"))
        self._splits = self._extract_compact_serialization_splits()
        self._header = self.to_map(self.splits()[0])
        claims_split = self._splits[1]
        self._claims = self.to_map(claims_split)
        # DEVIATION D180: without an algorithm, the origin raises a NullPointerException.
        alg = java_text(self.header().get("alg"))
        if alg != "none":
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                "Unsecured JWS must have 'none' for an algorithm"))
        digital_signature_split = self._splits[2]
        if digital_signature_split:
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                "Unsecured JWS must not contain a digital signature"))
        self._principal_claim_name = trim(principal_claim_name)
        if not self._principal_claim_name:
            raise IllegalArgumentException("Must specify a non-blank principal claim name")
        self._scope_claim_name = trim(scope_claim_name)
        if not self._scope_claim_name:
            raise IllegalArgumentException("Must specify a non-blank scope claim name")
        self._scope = self._calculate_scope()
        expiration_time_seconds = self.expiration_time()
        if expiration_time_seconds is None:
            raise OAuthBearerIllegalTokenException(
                OAuthBearerValidationResult.new_failure("No expiration time in JWT"))
        self._lifetime = self._convert_claim_time_in_seconds_to_ms(expiration_time_seconds)
        principal_name = self.claim(self._principal_claim_name, str)
        if principal_name is None or Utils.is_blank(principal_name):
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                f"No principal name in JWT claim: {self._principal_claim_name}"))
        if any("\ud800" <= char <= "\udfff" for char in principal_name):
            # DEVIATION D257: the origin accepts half a surrogate pair in a name.
            raise OAuthBearerIllegalTokenException(
                OAuthBearerValidationResult.new_failure("The principal name is not valid UTF-8"))
        self._principal_name = principal_name
        self._start_time_ms = self._calculate_start_time_ms()

    def value(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#value()"""
        return self._compact_serialization

    def splits(self) -> Sequence[str]:
        """Return the token's three parts, still encoded.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#splits()
        """
        return self._splits

    def header(self) -> Mapping[str, Any]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#header()"""
        return self._header

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

    def claims(self) -> Mapping[str, Any]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#claims()"""
        return self._claims

    def principal_claim_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#principalClaimName(
            )
        """  # noqa: E501
        return self._principal_claim_name

    def scope_claim_name(self) -> str:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#scopeClaimName()
        """
        return self._scope_claim_name

    def is_claim_type(self, claim_name: str, type_: type) -> bool:
        """Return whether the claim exists with type ``type_``: str, list, or float for any number.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#isClaimType(
            String, Class<?>)
        """  # noqa: E501
        value = self.raw_claim(claim_name)
        if value is None:
            return False
        if type_ is str and isinstance(value, str):
            return True
        if type_ is float and isinstance(value, (int, float)):
            return True
        return type_ is list and isinstance(value, list)

    def claim(self, claim_name: str, type_: type[T]) -> T | None:
        """Return a claim, or None for a missing one.

        Raises OAuthBearerIllegalTokenException for another type.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#claim(
            String, Class<T>)
        """  # noqa: E501
        value = self.raw_claim(claim_name)
        if value is not None and not self.is_claim_type(claim_name, type_):
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                f"The '{claim_name}' claim was not of type {_TYPE_NAMES[type_]}: {self.type_name(value)}"))
        return value  # type: ignore[no-any-return]

    @staticmethod
    def type_name(value: object) -> str:
        """Return Java's name of a claim's type."""
        if isinstance(value, int):
            return "Integer" if fits(value, 32) else "Long" if fits(value, 64) else "BigInteger"
        return "Double" if isinstance(value, float) else "ArrayList" if isinstance(value, list) else "String"

    def raw_claim(self, claim_name: str) -> Any:
        """Return a claim of any type, or None for a missing one.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#rawClaim(String)
        """
        return self.claims().get(claim_name)

    def expiration_time(self) -> float | None:
        """Return the expiration time in seconds since 1970.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#expirationTime()
        """
        return self.claim("exp", float)

    def issued_at(self) -> float | None:
        """Return the time of issue in seconds since 1970.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#issuedAt()
        """
        return self.claim("iat", float)

    def subject(self) -> str | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#subject()"""
        return self.claim("sub", str)

    @staticmethod
    def to_map(split: str) -> Mapping[str, Any]:
        """Decode Base64 and return the JSON object's members. Raises OAuthBearerIllegalTokenException.

        :origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#toMap(String)
        """
        try:
            # Java's decoder accepts missing padding, and refuses the URL alphabet's characters - and _.
            if _BASE64.fullmatch(split) is None:
                raise ValueError
            decode = base64.b64decode(split + "=" * (-len(split) % 4), validate=True)
        except (ValueError, binascii.Error):
            raise OAuthBearerIllegalTokenException(
                OAuthBearerValidationResult.new_failure("malformed Base64 URL encoded value")) from None
        try:
            json_node = _read_tree(decode)
        except (ValueError, RecursionError):
            raise OAuthBearerIllegalTokenException(
                OAuthBearerValidationResult.new_failure("malformed JSON")) from None
        # A JSON value that is not an object has no members.
        fields = json_node if isinstance(json_node, dict) else {}
        return MappingProxyType(
            {name: OAuthBearerUnsecuredJws._convert(value) for name, value in fields.items()})

    def _extract_compact_serialization_splits(self) -> Sequence[str]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#extractCompactSerializationSplits(
            )
        """  # noqa: E501
        # Java's split omits empty strings at the end.
        tmp_splits = self._compact_serialization.rstrip(".").split(".")
        if self._compact_serialization.endswith("."):
            tmp_splits.append("")
        if len(tmp_splits) != 3:
            raise OAuthBearerIllegalTokenException(OAuthBearerValidationResult.new_failure(
                "Unsecured JWS compact serializations must have 3 dot-separated Base64URL-encoded values"))
        return tuple(tmp_splits)

    @staticmethod
    def _convert(value: Any) -> Any:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#convert(JsonNode)
        """
        if isinstance(value, list):
            return [_as_text(array_element) for array_element in value]
        return value if _is_number(value) else _as_text(value)

    def _calculate_start_time_ms(self) -> int | None:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#calculateStartTimeMs(
            )
        """  # noqa: E501
        issued_at_seconds = self.claim("iat", float)
        return (None if issued_at_seconds is None
                else self._convert_claim_time_in_seconds_to_ms(issued_at_seconds))

    @staticmethod
    def _convert_claim_time_in_seconds_to_ms(claim_value: float) -> int:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#convertClaimTimeInSecondsToMs(
            Number)
        """  # noqa: E501
        return round_to_long(float(claim_value) * 1000)

    def _calculate_scope(self) -> AbstractSet[str]:
        """:origin: common.security.oauthbearer.internals.unsecured.OAuthBearerUnsecuredJws#calculateScope()
        """
        scope_claim_name = self._scope_claim_name
        if self.is_claim_type(scope_claim_name, str):
            text = self.claim(scope_claim_name, str)
            if text is None or Utils.is_blank(text):
                return frozenset()
            return frozenset({trim(text)})
        scope_claim_value = self.claim(scope_claim_name, list)
        if not scope_claim_value:
            return frozenset()
        return frozenset(trim(scope) for scope in scope_claim_value if not Utils.is_blank(scope))


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _check_digits(number: str) -> None:
    if len(number) > _MAX_DIGITS and sum(map(str.isdigit, number)) > _MAX_DIGITS:
        raise ValueError("a number has too many digits")


def _integer(number: str) -> float:
    _check_digits(number)
    value = int(number)
    try:
        float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value


def _double(number: str) -> float:
    _check_digits(number)
    return float(number)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if any(len(name) > _MAX_NAME for name, _ in pairs):
        raise ValueError("a name is too long")
    return dict(pairs)


_DECODER = json.JSONDecoder(
    parse_constant=_refuse, parse_int=_integer, parse_float=_double, object_pairs_hook=_members)


def _read_tree(content: bytes) -> Any:
    """Return the first JSON value, as Jackson does, or None for blank text. Raises ValueError.

    The first bytes decide whether the encoding is UTF-8, UTF-16 or UTF-32.
    """
    # DEVIATION D257: nesting deeper than Python's stack raises RecursionError, slightly below Jackson's limit
    # of 1000.
    text = content.decode(json.detect_encoding(content)).lstrip(" \t\r\n")
    return _DECODER.raw_decode(text)[0] if text else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _as_text(value: Any) -> str:
    """Return the result of Jackson's ``asText``: empty for an object or a list."""
    return "" if isinstance(value, (dict, list)) else java_text(value)
