# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.scram.internals.ScramCredentialUtils
# of Apache Kafka 3.8.0, Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Formats and parses credentials, and makes their caches."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection

from kreactor.common.security.authenticator.credential_cache import CredentialCache
from kreactor.common.security.scram.internals.scram_mechanism import ScramMechanism
from kreactor.common.security.scram.scram_credential import ScramCredential
from kreactor.jdk.exceptions import IllegalArgumentException


class ScramCredentialUtils:
    """:origin: common.security.scram.internals.ScramCredentialUtils"""

    SALT = "salt"
    STORED_KEY = "stored_key"
    SERVER_KEY = "server_key"
    ITERATIONS = "iterations"

    @staticmethod
    def credential_to_string(credential: ScramCredential) -> str:
        """Return all fields of a credential as text, which is secret.

        :origin: common.security.scram.internals.ScramCredentialUtils#credentialToString(ScramCredential)
        """
        cls = ScramCredentialUtils
        parts = {cls.SALT: credential.salt(), cls.STORED_KEY: credential.stored_key(),
                 cls.SERVER_KEY: credential.server_key()}
        texts = [f"{name}={base64.b64encode(value).decode('ascii')}" for name, value in parts.items()]
        return ",".join([*texts, f"{cls.ITERATIONS}={credential.iterations()}"])

    @staticmethod
    def credential_from_string(string: str) -> ScramCredential:
        """Parse a credential. Raises IllegalArgumentException, whose text has no part of ``string``.

        :origin: common.security.scram.internals.ScramCredentialUtils#credentialFromString(String)
        """
        cls = ScramCredentialUtils
        props = cls._to_props(string)
        if set(props) != {cls.SALT, cls.STORED_KEY, cls.SERVER_KEY, cls.ITERATIONS}:
            raise IllegalArgumentException("Credentials not valid")
        try:
            salt, stored_key, server_key = (
                base64.b64decode(props[name], validate=True)
                for name in (cls.SALT, cls.STORED_KEY, cls.SERVER_KEY))
            iterations = int(props[cls.ITERATIONS])
        except (binascii.Error, ValueError):
            raise IllegalArgumentException("Credentials not valid") from None
        return ScramCredential(salt, stored_key, server_key, iterations)

    @staticmethod
    def _to_props(string: str) -> dict[str, str]:
        """:origin: common.security.scram.internals.ScramCredentialUtils#toProps(String)"""
        props = {}
        for token in string.split(","):
            name, equals, value = token.partition("=")
            if not name or not equals:
                # DEVIATION D183: the origin's message shows the credentials.
                raise IllegalArgumentException("Credentials not valid")
            props[name] = value
        return props

    @staticmethod
    def create_cache(cache: CredentialCache, mechanisms: Collection[str]) -> None:
        """Make a cache for each SCRAM mechanism in ``mechanisms``.

        :origin: common.security.scram.internals.ScramCredentialUtils#createCache(
            CredentialCache, Collection<String>)
        """
        for mechanism in ScramMechanism.mechanism_names():
            if mechanism in mechanisms:
                cache.create_cache(mechanism, ScramCredential)
