# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.config.SslClientAuth of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The modes of TLS client authentication."""

from __future__ import annotations

from enum import Enum
from typing import ClassVar


class SslClientAuth(Enum):
    """Whether a listener requests or requires certificates of its clients.

    :origin: common.config.SslClientAuth
    """

    REQUIRED = "required"
    REQUESTED = "requested"
    NONE = "none"

    VALUES: ClassVar[list[SslClientAuth]]

    @staticmethod
    def for_config(key: str | None) -> SslClientAuth | None:
        """Return the mode named ``key``, ignoring case; NONE for None, None for an unknown name.

        :origin: common.config.SslClientAuth#forConfig(String)
        """
        if key is None:
            return SslClientAuth.NONE
        upper_case_key = key.upper()
        for auth in SslClientAuth.VALUES:
            if auth.name == upper_case_key:
                return auth
        return None

    def __str__(self) -> str:
        """Return the name in lower case, as in settings.

        :origin: common.config.SslClientAuth#toString()
        """
        return self.name.lower()


SslClientAuth.VALUES = list(SslClientAuth)
