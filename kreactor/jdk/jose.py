# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The part of the library ``jose4j`` that Kafka uses: signed tokens (JWT), and key sets (JWKS) for them.

PyJWT on ``cryptography``, which the extra ``oauth`` installs, verifies signatures. PyJWT is imported at the
first verification.

A key verifies only with the algorithms of its own type, whatever the token's header says. So a public key is
never used as the secret of an HMAC, and unsigned tokens are refused. No exception's text quotes a token,
because a token that is refused here may be valid elsewhere.
"""

from __future__ import annotations

import json
import math
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple, Protocol

from kreactor.jdk.clock import Clock
from kreactor.jdk.extras import needs
from kreactor.jdk.loggers import get_logger

log = get_logger(__name__)

_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_MIN_RSA_BITS = 2048
_LONG_MAX_S = (1 << 63) // 1000

# The type of key that each algorithm needs.
_KEY_TYPES = {
    **{f"{kind}{bits}": key_type
       for kind, key_type in (("HS", "oct"), ("RS", "RSA"), ("PS", "RSA"), ("ES", "EC"))
       for bits in (256, 384, 512)},
    "EdDSA": "OKP",
}
_CURVES = {"ES256": "P-256", "ES384": "P-384", "ES512": "P-521"}


class InvalidJwtException(Exception):
    """A token is not accepted."""


class UnresolvableKeyException(Exception):
    """No key fits a token."""


class JsonWebKey(NamedTuple):
    """A public key or an HMAC secret, in the library's form, with the attributes of its JSON."""

    # Any: PyJWT has no common type of its keys.
    key: Any
    parameters: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"JsonWebKey({self.parameters.get('kid')!r})"

    def key_type(self) -> object:
        return self.parameters.get("kty")

    def takes(self, algorithm: str) -> bool:
        """Return whether this key fits ``algorithm`` and is long enough."""
        key_type = _KEY_TYPES.get(algorithm)
        if key_type is None or key_type != self.key_type():
            return False
        if key_type == "oct":
            return len(self.key) * 8 >= int(algorithm[2:])
        if key_type == "RSA":
            return bool(self.key.key_size >= _MIN_RSA_BITS)
        return key_type != "EC" or self.parameters.get("crv") == _CURVES[algorithm]


class VerificationKeyResolver(Protocol):
    """Finds the key for a token."""

    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        """Return the key for a token with this header. Raises UnresolvableKeyException."""


class JwksVerificationKeyResolver:
    """Finds keys in a key set. Immutable."""

    __slots__ = ("_keys",)

    def __init__(self, text: str) -> None:
        """Read a key set in JSON. Keys of unknown form are ignored, as RFC 7517 says, and logged.

        Raises ValueError, which does not quote the text, if it is not a key set; raises ImportError without
        PyJWT.
        """
        try:
            import jwt  # noqa: F401
        except ImportError as e:
            raise ImportError(needs("a set of keys for signed tokens", "oauth")) from e
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("a set of keys must be JSON") from None
        keys = content.get("keys") if isinstance(content, dict) else None
        if not isinstance(keys, list):
            raise ValueError("a set of keys must have the member 'keys'")
        self._keys = [key for key in map(_json_web_key, keys) if key is not None]

    def resolve_key(self, header: Mapping[str, Any]) -> JsonWebKey:
        """Return the key with the header's key id, or the first key of the right type if there is no id.

        Raises UnresolvableKeyException.
        """
        algorithm, kid = header.get("alg"), header.get("kid")
        found = [key for key in self._keys
                 if key.key_type() == _KEY_TYPES.get(str(algorithm))
                 and (kid is None or key.parameters.get("kid") == kid)
                 and key.parameters.get("use", "sig") == "sig"
                 and "verify" in _texts(key.parameters.get("key_ops", ["verify"]))
                 and all(key.parameters.get(name, header[name]) == header[name]
                         for name in ("x5t", "x5t#S256") if name in header)]
        if len(found) > 1:
            found = [key for key in found if key.parameters.get("alg", algorithm) == algorithm]
        if len(found) > 1 and algorithm in _CURVES:
            found = [key for key in found if key.parameters.get("crv") == _CURVES[algorithm]]
        if not found:
            raise UnresolvableKeyException("Unable to find a suitable verification key")
        return found[0]


class JwtConsumer:
    """Checks tokens: their signature, audience and times. Called by any thread."""

    __slots__ = ("_resolver", "_clock_skew_s", "_audiences", "_issuer")

    def __init__(self, resolver: VerificationKeyResolver, clock_skew_s: int,
                 audiences: AbstractSet[str] | None, issuer: str | None) -> None:
        """Without ``audiences``, a token with an audience is refused."""
        self._resolver = resolver
        self._clock_skew_s = clock_skew_s
        self._audiences = audiences
        self._issuer = issuer

    def process(self, token: str) -> Mapping[str, Any]:
        """Return the claims of an accepted token, ``iat`` and ``exp`` among them.

        Raises InvalidJwtException.
        """
        import jwt

        if _COMPACT.fullmatch(token) is None:
            raise InvalidJwtException("it is not three parts in Base64URL")
        try:
            # The library would accept duplicate names and NaN.
            for part in token.split(".")[:2]:
                _read_object(part)
            # DEVIATION D194: the library refuses what RFC 7515 forbids.
            header = jwt.get_unverified_header(token)
            algorithm = header.get("alg")
            if not isinstance(algorithm, str) or algorithm not in _KEY_TYPES:
                raise InvalidJwtException("its algorithm is unknown, or none")
            if "crit" in header:
                raise InvalidJwtException("its header has critical extensions")
            if str(header.get("cty")).lower() in ("jwt", "application/jwt"):
                raise InvalidJwtException("it is nested in another token")
            key = self._resolver.resolve_key(header)
            if not key.takes(algorithm):
                raise InvalidJwtException("its algorithm does not fit the key")
            claims: dict[str, Any] = jwt.decode(
                token, key.key, algorithms=[algorithm], audience=self._audiences or None,
                issuer=self._issuer, leeway=self._clock_skew_s,
                # A time of issue in the future is accepted, as in jose4j. So are claims of null, which count
                # as missing. The library would hold the other times against the clock of a test.
                options={"require": ["exp", "iat"], "verify_exp": False, "verify_iat": False,
                         "verify_nbf": False, "verify_sub": False, "verify_jti": False})
            for name in ("exp", "iat", "nbf"):
                _check_numeric_date(name, claims.get(name))
            for name in ("sub", "jti", "iss"):
                if not isinstance(claims.get(name), (str, type(None))):
                    raise InvalidJwtException(f"the '{name}' claim is not text")
            if not self._audiences and claims.get("aud") is not None:
                raise InvalidJwtException("its audience is another one")
            not_before = claims.get("nbf")
            if any(int(claims["exp"]) < int(begin) for begin in (claims["iat"], not_before)
                   if begin is not None):
                raise InvalidJwtException("it expires before it begins")
            now_s = Clock.epoch_ms() // 1000
            if int(claims["exp"]) <= now_s - self._clock_skew_s:
                raise InvalidJwtException("it has expired")
            if not_before is not None and int(not_before) > now_s + self._clock_skew_s:
                raise InvalidJwtException("it is not valid yet")
            return claims
        except InvalidJwtException:
            raise
        except UnresolvableKeyException as e:
            raise InvalidJwtException(str(e)) from None
        except Exception as e:
            # The library may raise any exception for unverified bytes, and its text may quote them.
            raise InvalidJwtException(type(e).__name__) from None


def _read_object(part: str) -> None:
    """Return a part's JSON object. Raises InvalidJwtException if it is not one, or if a name is duplicate."""
    try:
        value = _DECODER.decode(urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode("utf-8"))
    except (ValueError, RecursionError):
        raise InvalidJwtException("it is not JSON") from None
    if not isinstance(value, dict):
        raise InvalidJwtException("it is not an object")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise InvalidJwtException("it has a duplicate name")
    return members


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_members, parse_constant=_refuse)


def _check_numeric_date(name: str, value: object) -> None:
    """Raise InvalidJwtException if a claim is present and not a time in seconds."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidJwtException(f"the '{name}' claim is not a time")
    if abs(value) >= _LONG_MAX_S:  # DEVIATION D194
        raise InvalidJwtException(f"the '{name}' claim is too large")


def _json_web_key(parameters: object) -> JsonWebKey | None:
    import jwt

    if not isinstance(parameters, dict):
        log.warning("Ignoring an element of a key set: it is not a JSON object")
        return None
    key_type, curve = parameters.get("kty"), parameters.get("crv")
    for algorithm, type_ in _KEY_TYPES.items():
        if type_ == key_type and _CURVES.get(algorithm, curve) == curve:
            try:
                key = jwt.PyJWK(parameters, algorithm).key
            except Exception as e:
                # The library may raise any exception, and its text may show a secret of the set.
                log.warning("Ignoring the key %r of a key set: %s", parameters.get("kid"), type(e).__name__)
                return None
            # A set may also have private keys, which are not used for verification.
            return JsonWebKey(key.public_key() if hasattr(key, "public_key") else key, parameters)
    log.warning("Ignoring the key %r of a key set: its type %r or its curve %r is unknown",
                parameters.get("kid"), key_type, curve)
    return None


def _texts(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
