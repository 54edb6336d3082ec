# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Decoy credentials for unknown names. A client cannot tell a decoy from a SCRAM user's credential.

This module is ours; it has no origin in Kafka.

A name has the same salt each time, also after a restart. A decoy copies its shape from some user: the salt's
length and alphabet, and the iterations. With n users, each user's shape goes to the n-th part of all names.
Without users, the shape is that of Kafka's tools. A change of one user changes the shape of few names.

Used by any thread.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import string
from collections import Counter

from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_formatter import ScramFormatter
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.secure_random import random_bytes

# The length of a salt, and the iterations. Length 0 means a text of ScramFormatter, whose length varies.
_Shape = tuple[int, int]

_ALPHABET = frozenset((string.digits + string.ascii_lowercase).encode())
# The lengths of 130 random bits in base 36. One text in a million is shorter.
_TEXT_LENGTHS = range(22, 27)


class ScramDecoys:
    """The decoys of one mechanism beside its ``users``. ``key`` is secret, and must survive a restart."""

    __slots__ = ("_mechanism", "_users", "_key", "_size", "_version", "_shapes")

    def __init__(self, mechanism: ScramMechanism, key: bytes,
                 users: CredentialCache.Cache[ScramCredential] | None = None) -> None:
        self._mechanism = mechanism
        self._users = users
        self._key = key
        self._size = len(ScramFormatter(mechanism).hash(b""))
        self._version = -1
        # The number of users of each shape. The Counter is replaced, never changed.
        self._shapes: Counter[_Shape] = Counter()

    def credential(self, username: str) -> ScramCredential:
        """Return a credential for ``username`` that no client's proof can match."""
        seed = self._digest("salt", username)
        length, iterations = self._shape_for(username)
        if length:
            salt = hashlib.shake_256(seed).digest(length)
        else:
            bits = int.from_bytes(seed, "big") >> 8 * len(seed) - ScramFormatter.RANDOM_BITS
            salt = ScramFormatter.to_bytes(ScramFormatter.to_string(bits))
        return ScramCredential(
            salt, random_bytes(self._size), random_bytes(self._size), iterations)

    def _shape_for(self, username: str) -> _Shape:
        users = self._users
        if users is not None and self._version != users.version():
            self._version = users.version()
            self._shapes = Counter(_shape_of(credential) for credential in users.credentials())
        shapes = self._shapes
        if not shapes:
            return 0, self._mechanism.min_iterations()

        # Weighted choice: each shape gets a number from the name; the smallest weighted number wins.
        def drawn(shape: _Shape) -> float:
            number = int.from_bytes(self._digest(f"shape {shape}", username)[:7], "big")
            return -math.log((number + 0.5) / 2**56) / shapes[shape]

        return min(shapes, key=drawn)

    def _digest(self, what: str, username: str) -> bytes:
        return hmac.digest(self._key, f"{self._mechanism.name} {what} {username}".encode(), "sha256")


def _shape_of(credential: ScramCredential) -> _Shape:
    salt = credential.salt()
    is_text = len(salt) in _TEXT_LENGTHS and _ALPHABET.issuperset(salt)
    return 0 if is_text else len(salt), credential.iterations()
