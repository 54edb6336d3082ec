# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.security.authenticator.DefaultLogin of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The login of every mechanism that needs no special login."""

from __future__ import annotations

from kreactor.common.security.authenticator.abstract_login import AbstractLogin


class DefaultLogin(AbstractLogin):
    """:origin: common.security.authenticator.DefaultLogin"""

    def service_name(self) -> str:
        """:origin: common.security.authenticator.DefaultLogin#serviceName()"""
        return "kafka"

    def close(self) -> None:
        """:origin: common.security.authenticator.DefaultLogin#close()"""
