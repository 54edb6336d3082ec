# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of AccessTokenBuilder, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Tokens and their keys, made on the spot."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from kreactor.jdk.jose import JsonWebKey, JwksVerificationKeyResolver

ISSUED_AT_S = int(time.time())
CLAIMS = {"sub": "jdoe", "scope": "engineering", "iat": ISSUED_AT_S, "exp": ISSUED_AT_S + 86_400}


class SigningKey:
    """A private key with its id; ``jwk`` is what others get of it."""

    def __init__(self, private: Any, algorithm: str, kid: str = "key") -> None:
        self.private = private
        self.algorithm = algorithm
        of = {"R": jwt.algorithms.RSAAlgorithm, "E": jwt.algorithms.ECAlgorithm}[algorithm[0]]
        self.jwk: dict[str, Any] = {
            **of.to_jwk(private.public_key(), as_dict=True), "kid": kid, "use": "sig"}
        self.jwk.pop("key_ops", None)

    def resolve_key(self, header: Any = None) -> JsonWebKey:
        return JwksVerificationKeyResolver(key_set(self)).resolve_key({"alg": self.algorithm})

    def token(self, claims: dict[str, Any] = CLAIMS, algorithm: str | None = None, **header: Any) -> str:
        """Return a token; what is None in ``claims`` is left out, and a kid of None in ``header``."""
        header = {"kid": self.jwk["kid"]} | header
        return jwt.encode({name: value for name, value in claims.items() if value is not None}, self.private,
                          algorithm or self.algorithm,
                          {name: value for name, value in header.items() if value is not None})


def key_set(*keys: SigningKey) -> str:
    return json.dumps({"keys": [key.jwk for key in keys]})


def rsa_key(kid: str = "key", bits: int = 2048) -> SigningKey:
    """Return the one with this id."""
    return _rsa_key(kid, bits)


@cache
def _rsa_key(kid: str, bits: int) -> SigningKey:
    return SigningKey(rsa.generate_private_key(65537, bits), "RS256", kid)


def ec_key(kid: str = "key") -> SigningKey:
    """Return the one with this id."""
    return _ec_key(kid)


@cache
def _ec_key(kid: str) -> SigningKey:
    return SigningKey(ec.generate_private_key(ec.SECP256R1()), "ES256", kid)
