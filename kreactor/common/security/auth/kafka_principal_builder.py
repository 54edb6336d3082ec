# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.auth.KafkaPrincipalBuilder of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The interface of the plug-in that builds a connection's principal."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kreactor.common.security.auth.authentication_context import AuthenticationContext
from kreactor.common.security.auth.kafka_principal import KafkaPrincipal


class KafkaPrincipalBuilder(ABC):
    """Builds principals. The broker constructs a builder without arguments.

    The broker configures a builder that is Configurable, and closes one that has a ``close`` method.

    :origin: common.security.auth.KafkaPrincipalBuilder
    """

    __slots__ = ()

    @abstractmethod
    def build(self, context: AuthenticationContext) -> KafkaPrincipal:
        """Return the principal of the connection that ``context`` describes.

        :origin: common.security.auth.KafkaPrincipalBuilder#build(AuthenticationContext)
        """
