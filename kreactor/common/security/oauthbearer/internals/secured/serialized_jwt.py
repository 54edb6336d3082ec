# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of SerializedJwt, of the package
# org.apache.kafka.common.security.oauthbearer.internals.secured of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The three parts of a serialized token."""

from __future__ import annotations

from kreactor.common.security.oauthbearer.internals.secured.validate_exception import ValidateException
from kreactor.jdk.text import trim


class SerializedJwt:
    """:origin: common.security.oauthbearer.internals.secured.SerializedJwt"""

    __slots__ = ("_token", "_header", "_payload", "_signature")

    def __init__(self, token: str | None) -> None:
        """Split the token. Raises ValidateException.

        :origin: common.security.oauthbearer.internals.secured.SerializedJwt#SerializedJwt(String)
        """
        token = "" if token is None else trim(token)
        if not token:
            raise ValidateException(
                "Empty JWT provided; expected three sections (header, payload, and signature)")
        # Java's split omits empty strings at the end.
        splits = token.rstrip(".").split(".") if token.strip(".") else []
        if len(splits) != 3:
            # DEVIATION D192: the origin's message shows the token.
            raise ValidateException(
                "Malformed JWT provided; expected three sections (header, payload, and signature), but "
                f"{len(splits)} sections provided")
        self._token = token
        self._header = self._validate_section(splits[0], "header")
        self._payload = self._validate_section(splits[1], "payload")
        self._signature = self._validate_section(splits[2], "signature")

    def get_token(self) -> str:
        """:origin: common.security.oauthbearer.internals.secured.SerializedJwt#getToken()"""
        return self._token

    def get_payload(self) -> str:
        """:origin: common.security.oauthbearer.internals.secured.SerializedJwt#getPayload()"""
        return self._payload

    @staticmethod
    def _validate_section(section: str, section_name: str) -> str:
        """:origin: common.security.oauthbearer.internals.secured.SerializedJwt#validateSection(
            String, String)
        """
        section = trim(section)
        if not section:
            raise ValidateException(
                "Malformed JWT provided; expected at least three sections (header, payload, and signature), "
                f"but {section_name} section missing")
        return section
