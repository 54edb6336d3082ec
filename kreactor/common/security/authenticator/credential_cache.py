# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.CredentialCache of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The credentials of a broker's users, in one cache per mechanism. Used by any thread."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.jdk.secure_random import random_bytes

C = TypeVar("C")


class CredentialCache:
    """:origin: common.security.authenticator.CredentialCache"""

    __slots__ = ("_cache_map", "secret")

    def __init__(self) -> None:
        self._cache_map: dict[str, CredentialCache.Cache[Any]] = {}
        # The key for the salts of unknown users. A broker that stores its users stores the key with them.
        self.secret = random_bytes(32)

    def create_cache(self, mechanism: str, credential_class: type[C]) -> Cache[C]:
        """Return the cache of ``mechanism``; create a missing cache.

        :origin: common.security.authenticator.CredentialCache#createCache(String, Class<C>)
        """
        return self._cache_map.setdefault(mechanism, CredentialCache.Cache(credential_class))

    def cache(self, mechanism: str, credential_class: type[C]) -> Cache[C] | None:
        """Return the cache of ``mechanism``. Raises IllegalArgumentException for a wrong credential class.

        :origin: common.security.authenticator.CredentialCache#cache(String, Class<C>)
        """
        cache = self._cache_map.get(mechanism)
        if cache is not None and cache.credential_class() is not credential_class:
            raise IllegalArgumentException(
                f"Invalid credential class {credential_class}, expected {cache.credential_class()}")
        return cache

    class Cache(Generic[C]):
        """:origin: common.security.authenticator.CredentialCache.Cache"""

        __slots__ = ("_credential_class", "_credentials", "_version")

        def __init__(self, credential_class: type[C]) -> None:
            """:origin: common.security.authenticator.CredentialCache.Cache#Cache(Class<C>)"""
            self._credential_class = credential_class
            self._credentials: dict[str, C] = {}
            self._version = 0

        def version(self) -> int:
            """Return the version, which grows with each change of the credentials."""
            return self._version

        def credentials(self) -> list[C]:
            """Return the credentials of all users."""
            return list(self._credentials.values())

        def get(self, username: str) -> C | None:
            """:origin: common.security.authenticator.CredentialCache.Cache#get(String)"""
            return self._credentials.get(username)

        def put(self, username: str, credential: C) -> C | None:
            """Set the user's credential, and return the previous one.

            :origin: common.security.authenticator.CredentialCache.Cache#put(String, C)
            """
            previous = self._credentials.get(username)
            self._credentials[username] = credential
            self._version += 1
            return previous

        def remove(self, username: str) -> C | None:
            """:origin: common.security.authenticator.CredentialCache.Cache#remove(String)"""
            previous = self._credentials.pop(username, None)
            self._version += 1
            return previous

        def credential_class(self) -> type[C]:
            """:origin: common.security.authenticator.CredentialCache.Cache#credentialClass()"""
            return self._credential_class
